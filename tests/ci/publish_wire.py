#!/usr/bin/env python3
"""Tests the connection between pprofci publish and a host: publish_wire.py SOURCE PROGRAMS. It has certificates,
proxies, redirects, broken replies and wrong clocks. Some results are missing or of another commit. pprofci must always
print the verdict, and send the token only to the host."""
import json
import os
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
from email.utils import formatdate

import publish_server as host
from publish_job import SHA, Job, run_folder

SOURCE, PROGRAMS = sys.argv[1:3]
PPROFCI = os.path.join(PROGRAMS, "pprofci")
STATUS = f"/repos/o/r/statuses/{SHA['a']}"


server = host.start(host.Forms(None))
state = server.state
job = Job(PPROFCI, server, 2)
check, publish, one_line = job.check, job.publish, job.one_line


def says(*texts, env=None):
    """Checks that pprofci reports the failed request in one line, prints the verdict, and returns the exit status of
    the verdict."""
    publish("-to", "status", "bad/ci", env=env)
    check(job.last.stdout.startswith("REGRESSION: Parse is 3 times slower"), "the verdict")
    one_line("pprofci: cannot publish the status: POST ", *texts)


class Raw:
    """A server that records each request and replies with given bytes, or forwards a tunnel."""

    def __init__(self, reply, tunnel=None):
        self.reply, self.tunnel, self.got = reply, tunnel, []
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.at = f"127.0.0.1:{self.socket.getsockname()[1]}"
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            peer = self.socket.accept()[0]
            threading.Thread(target=self.handle, args=(peer,), daemon=True).start()

    def handle(self, peer):
        data = b""
        while b"\r\n\r\n" not in data:
            more = peer.recv(65536)
            if not more:
                break
            data += more
        self.got.append(data)
        try:
            peer.sendall(self.reply)
            if self.tunnel and data.startswith(b"CONNECT"):
                self.pass_on(peer, socket.create_connection(self.tunnel))
        except OSError:
            pass
        peer.close()

    def pass_on(self, peer, other):
        def copy(source, to, keep):
            try:
                for data in iter(lambda: source.recv(65536), b""):
                    if keep:
                        self.got.append(data)
                    to.sendall(data)
                to.shutdown(socket.SHUT_WR)
            except OSError:
                pass
        back = threading.Thread(target=copy, args=(other, peer, False), daemon=True)
        back.start()
        copy(peer, other, True)
        back.join(5)

    def saw_token(self):
        return any(host.TOKEN.encode() in data for data in self.got)


# ---- certificates and proxies ----------------------------------------------------------------------------------------

def openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def authority(name):
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", f"{name}.key",
            "-subj", f"/CN={name}", "-out", f"{name}.pem", "-days", "2")
    return name


def certificate(name, signer, names, start, end):
    """Creates a certificate that is valid from year `start` to year `end`."""
    for path in ("index.txt", "index.txt.attr"):
        with open(path, "w", encoding="utf-8"):
            pass
    with open("ca.cnf", "w", encoding="utf-8") as file:
        file.write(f"[ca]\ndefault_ca=d\n[d]\nnew_certs_dir=.\ndatabase=index.txt\nrand_serial=yes\ndefault_md=sha256\npolicy=p\n"
                   f"x509_extensions=x\n[p]\ncommonName=supplied\n[x]\nsubjectAltName={names}\n")
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", f"{name}.key",
            "-subj", f"/CN={name}", "-out", f"{name}.csr")
    openssl("ca", "-batch", "-config", "ca.cnf", "-in", f"{name}.csr", "-cert", f"{signer}.pem", "-keyfile", f"{signer}.key",
            "-out", f"{name}.pem", "-startdate", f"{start}0101000000Z", "-enddate", f"{end}0101000000Z", "-notext")
    return name


def secure_server(pair):
    made = host.start(host.Forms(None))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{pair}.pem", f"{pair}.key")
    made.socket = context.wrap_socket(made.socket, server_side=True, do_handshake_on_connect=False)
    made.base = made.state.base = f"https://127.0.0.1:{made.server_address[1]}"
    made.handle_error = lambda *_: None
    return made


def certificates():
    if not shutil.which("openssl"):
        print("note: certificates are not tested: there is no openssl")
        return
    ours, others = authority("ours"), authority("others")
    mine = "IP:127.0.0.1"
    cases = [("expired", ours, mine, 2001, 2002, "certificate has expired", "is the clock"),
             ("early", ours, mine, 2090, 2091, "not yet valid", "is the clock"),
             ("elsewhere", ours, "DNS:example.com", 2001, 2090, "127.0.0.1", ""),
             ("stranger", others, mine, 2001, 2090, "certificate", "SSL_CERT_FILE")]
    for name, signer, names, start, end, words, hint in cases:
        made = secure_server(certificate(name, signer, names, start, end))
        says(words, hint, env={"GITHUB_API_URL": made.base, "SSL_CERT_FILE": "ours.pem"})
        check(not made.state.requests and ("clock" in job.last.stderr) == (hint == "is the clock"), name)
        publish("-to", "status", "-require-publish", "good/ci", wanted=1,
                env={"GITHUB_API_URL": made.base, "SSL_CERT_FILE": "ours.pem"})
    good = secure_server(certificate("right", ours, mine + ",DNS:forge.example", 2001, 2090))
    env = {"GITHUB_API_URL": good.base, "SSL_CERT_FILE": "ours.pem"}
    publish("-to", "status", "bad/ci", env=env)
    check(len(good.state.statuses) == 1 and not job.last.stderr, "a certificate of an authority that SSL_CERT_FILE names")
    print("ok: certificates that have expired, are not valid yet, of another host, of a stranger: one line, no request")

    tunnel = Raw(b"HTTP/1.1 200 Connection established\r\n\r\n", good.server_address[:2])
    # Only the proxy can resolve the name. Requests to this machine use no proxy, as in Go.
    named = dict(env, GITHUB_API_URL=f"https://forge.example:{good.server_address[1]}")
    publish("-to", "status", "bad/ci", env=dict(named, https_proxy=f"http://{tunnel.at}"))
    check(len(good.state.statuses) == 2 and len(tunnel.got) > 1, "through a proxy")
    check(not tunnel.saw_token(), "a proxy sees the token")
    for reply, words in ((b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n", "407"),
                         (b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 5\r\n\r\n<html", "502"), (b"", "Proxy CONNECT")):
        proxy = Raw(reply)
        publish("-to", "status", "-wait", "0", "bad/ci", env=dict(named, https_proxy=f"http://{proxy.at}"))
        one_line("cannot publish the status: POST ", words)
        check(not proxy.saw_token(), "a proxy sees the token")
    for target in ("http://127.0.0.1:1/", good.base.replace("https", "http"), good.base.replace("127.0.0.1", "localhost")):
        good.state.failures = [("POST", (307, b"", [("Location", target + STATUS), ("Content-Type", "text/html")]))]
        says("where the token is not sent", env=env)
    print("ok: a proxy is used for https, its failures are one line, it never sees the token")


def other_hosts():
    proxy, stranger = Raw(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), Raw(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    publish("-to", "status", "bad/ci", env={"http_proxy": f"http://{proxy.at}", "HTTP_PROXY": f"http://{proxy.at}", "all_proxy": proxy.at})
    check(len(state.statuses) == 1 and not proxy.got, "what is not encrypted went to a proxy")
    port = stranger.at.split(":")[1]
    for code in (301, 302, 303, 307, 308):
        for location in (f"http://{stranger.at}{STATUS}", f"//{stranger.at}{STATUS}", f"http://127.0.0.1@{stranger.at}/",
                         f"http://127.0.0.1:{server.server_address[1]}@{stranger.at}/", f"{server.base}.evil:{port}/", "ftp://127.0.0.1/", ""):
            state.failures = [("POST", (code, b"", [("Location", location), ("Content-Type", "text/html")]))]
            says("it redirects to another address, where the token is not sent")
    state.reset()
    for location in (server.base + STATUS, STATUS):
        state.failures = [("POST", (307, b"", [("Location", location)]))]
        publish("-to", "status", "bad/ci")
    check(len(state.statuses) == 2, "a redirect on the same host")
    state.failures = [("POST", (307, b"", [("Location", STATUS)]))] * 9
    says("it redirects to another address")
    check(not stranger.got, "a stranger was asked")
    print("ok: redirects stay on the host, in whatever form they lead away")


# ---- replies ---------------------------------------------------------------------------------------------------------

def replies():
    ok = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
    for reply, words in ((b"", "without a reply"), (b"hello\r\n\r\n", ""), (ok + b"Content-Length: 100\r\n\r\n{", "the reply ended early"),
                         (ok + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", ""), (ok + b"Content-Length: 4\r\n\r\n{\"a\"", "the reply to POST"),
                         (ok.replace(b"application/json", b"text/html") + b"Content-Length: 6\r\n\r\n<html>", "not JSON"),
                         (b"HTTP/1.1 500 Oops\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>", "500 server error, without JSON")):
        made = Raw(reply)
        publish("-to", "status", "-wait", "0", "bad/ci", env={"GITHUB_API_URL": f"http://{made.at}"})
        one_line("cannot publish the status: ", words)
        check(job.last.stdout.startswith("REGRESSION: "), "the verdict")
    publish("-to", "status", "-wait", "0", "bad/ci", env={"GITHUB_API_URL": "http://127.0.0.1:1"})
    one_line("cannot publish the status: POST http://127.0.0.1:1")
    for body in (b"<html>log in</html>", b"[", b'"text"'):
        state.reset()
        state.failures = [("GET .*/comments", (200, body, [("Content-Type", "text/html" if body[:1] == b"<" else "application/json")]))]
        publish("-pr", "3", "-to", "comment", "bad/ci")
        check(len(state.comments) == (1 if body[:1] == b'"' else 0), "a list that cannot be read is no empty list", body)
    print("ok: replies that are cut, empty, no HTTP, no JSON: one line each, and no second comment")


def clocks():
    year = 365 * 86400
    for away in (-year, year):
        now = 1_800_000_000 + away
        date = ("Date", formatdate(now, usegmt=True))
        for headers in ([date, ("Retry-After", formatdate(now + 1, usegmt=True))], [date, ("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", str(now + 1))],
                        [date, ("Retry-After", formatdate(now - 100, usegmt=True))]):
            state.reset()
            state.failures = [("POST", (429, {"message": "slow down"}, headers))]
            publish("-to", "status", "-wait", "5", "bad/ci")
            check(len(state.statuses) == 1 and not job.last.stderr, "the host's clock is a year away", headers)
    state.failures = [("POST", (429, {"message": "slow down"}, [("Retry-After", "-5")])), ("POST", (403, {"message": "limit"}, [("Retry-After", "0")]))]
    publish("-to", "status", "bad/ci")
    # The second number fits into 64 bits, but not as milliseconds.
    for long in ("99999999999999999999", "9223372036854775807"):
        state.failures = [("POST", (429, {"message": "slow down"}, [("Retry-After", long)]))]
        says("429 rate limited")
    print("ok: waiting goes by the host's clock, however wrong it is")


# ---- results ---------------------------------------------------------------------------------------------------------

def missing():
    publish("-pr", "3", "-to", "comment", "good/ci", wanted=0)
    for name, text in (("nowhere", None), ("empty", ""), ("cut", '{"version": 3, "verd'), ("html", "<html>"), ("list", "[]"),
                       ("words", '{"version": "3", "gate_status": "0"}')):
        if text is not None:
            os.makedirs(name, exist_ok=True)
            with open(f"{name}/manifest.json", "w", encoding="utf-8") as file:
                file.write(text)
        state.statuses, state.checks = [], {}
        publish("-pr", "3", "-to", "comment,status,check", name, wanted=1)
        one_line(f"{name}/manifest.json")
        check(job.last.stdout.startswith("failed: The benchmarks have left no result."), "what it prints")
        check(len(state.comments) == 1 and "### ✗ The benchmarks have left no result." in state.comments[0]["body"], "an old comment stays green", name)
        check(state.statuses[0][1]["state"] == "error" and list(state.checks.values())[0][0]["conclusion"] == "failure", "a status", name)
    publish("-pr", "3", "-to", "comment", "nowhere", wanted=1, env={"GITHUB_TOKEN": None})
    check(len(job.last.stderr.splitlines()) == 2, "no result and no token")
    publish("-markdown", "missing.md", "-json", "missing.json", "-codequality", "missing.q", "-metrics", "missing.m", "nowhere", wanted=1,
            env={"GITHUB_REPOSITORY": None})
    with open("missing.json", encoding="utf-8") as file:
        check(json.load(file)["gate_status"] == 1, "the JSON of no result")
    print("ok: a run without a result is one line, exit 1, and a red sign where the result would be")


def other_commits():
    for folder, wanted, sign in (("good/ci", 0, "error"), ("bad/ci", 2, "failure")):
        state.reset()
        publish("-pr", "3", "-sha", SHA["b"], "-to", "comment,status", folder, wanted=wanted, env={"GITHUB_SHA": SHA["c"]})
        one_line("is for commit aaaaaaaaa, not for bbbb")
        check(state.statuses[0][1]["state"] == sign and "is for commit aaaaaaa, not for bbbbbbb" in state.statuses[0][1]["description"], "a status")
        check("### ? The result is for commit aaaaaaa, not for bbbbbbb" in state.comments[0]["body"], "a comment")
    # For a pull request, the checkout is the merge commit of the host.
    event = {"repository": {"full_name": "o/r"}, "pull_request": {"number": 3, "head": {"sha": SHA["b"], "repo": {"full_name": "o/r"}}}}
    with open("event.json", "w", encoding="utf-8") as file:
        json.dump(event, file)
    state.reset()
    publish("good/ci", wanted=0, env={"GITHUB_EVENT_NAME": "pull_request", "GITHUB_EVENT_PATH": "event.json"})
    check(not job.last.stderr and state.statuses[0] == (SHA["b"], state.statuses[0][1]) and state.statuses[0][1]["state"] == "success", "a merge commit")
    print("ok: the result of another commit is said to be one, and gives no green sign")


def folder(name, last_time, wanted):
    for side, time in (("base", "100"), ("head", last_time)):
        with open(f"{side}.txt", "w", encoding="utf-8") as file:
            file.writelines(f"BenchmarkParse 1 {time}{i} ns/op\n" for i in range(6))
    run_folder(PPROFCI, name, "base.txt", "head.txt", wanted, GITHUB_SHA=SHA["a"], GITHUB_STEP_SUMMARY="", GITHUB_OUTPUT="")


with tempfile.TemporaryDirectory() as work:
    os.chdir(work)
    folder("good", "100", 0)
    folder("bad", "300", 2)
    publish("-to", "status", "good/ci", wanted=0)
    if "install the package" in job.last.stderr:
        print("skipped:", job.last.stderr.strip())
        os.chdir("/")
        sys.exit(77)
    for test in (certificates, other_hosts, replies, clocks, missing, other_commits):
        state.reset()
        state.base = server.base
        test()
    os.chdir("/")
