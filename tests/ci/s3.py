#!/usr/bin/env python3
"""Tests a store in a bucket of a real S3 server, through a proxy that fails on purpose: s3.py SOURCE PROGRAMS CACHE
SERVER. SERVER is s3rver (from npm), which checks keys, or moto (from PyPI), which supports conditional writes."""
import base64
import hashlib
import hmac
import http.client
import http.server
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

SOURCE, PROGRAMS, CACHE, KIND = sys.argv[1:5]
PPROFCI = os.path.join(PROGRAMS, "pprofci")
SERVER = "s3rver@3.7.1"
MOTO = ["moto==5.2.5", "flask", "flask-cors", "py-partiql-parser"]
PROFILES = [os.path.join(SOURCE, "testdata", name) for name in ("server_cpu.pb.gz", "server_heap.pb.gz")]


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def fail(*words):
    print("failed:", *words, "\nrequests:", *[" ".join(map(str, r)) for r in proxy.log[-12:]], sep="\n")
    sys.exit(1)


# ---- the server

def installed():
    """Returns the program of the server, which npm installs once."""
    folder = os.path.join(CACHE, "s3rver")
    program = os.path.join(folder, "node_modules", "s3rver", "bin", "s3rver.js")
    if not os.path.exists(program):
        if not shutil.which("npm") or not shutil.which("node"):
            skip("there is no npm")
        fresh = folder + f".{os.getpid()}"
        made = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--prefix", fresh, SERVER], capture_output=True, timeout=250, check=False)
        if made.returncode:
            shutil.rmtree(fresh, ignore_errors=True)
            skip("npm cannot install " + SERVER)
        shutil.rmtree(folder, ignore_errors=True)
        os.rename(fresh, folder)
    return program


def installed_moto():
    """Returns the Python of a virtual environment that has moto."""
    folder = os.path.join(CACHE, "..", "pip", "moto")
    python = os.path.join(folder, "bin", "python")
    if not os.path.exists(os.path.join(folder, "complete")):
        shutil.rmtree(folder, ignore_errors=True)
        if subprocess.run([sys.executable, "-m", "venv", folder], capture_output=True, check=False).returncode:
            skip("Python cannot make a virtual environment (python3-venv)")
        try:
            subprocess.run([python, "-m", "pip", "install", "-q", *MOTO], capture_output=True, timeout=250, check=True)
        except subprocess.SubprocessError:
            skip("pip cannot install moto")
        with open(os.path.join(folder, "complete"), "w", encoding="utf-8"):
            pass
    return os.path.abspath(python)


class Server:
    def __init__(self, program):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.program = program
        self.process = None
        self.start()

    def start(self):
        words = ["node", self.program, "-d", "data", "-a", "127.0.0.1", "-p", str(self.port), "-s", "--service-endpoint", "localhost",
                 "--configure-bucket", "bucket"]
        if KIND == "moto":
            words = [self.program, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port)]
        self.process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(2400):
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                if KIND == "moto":
                    self.make_bucket()
                return
            except OSError:
                time.sleep(0.05)
        fail("the server does not start")

    def make_bucket(self):
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        link.request("PUT", "/bucket", headers={"Authorization": "AWS4-HMAC-SHA256 Credential=S3RVER/20260101/us-east-1/s3/aws4_request, "
                                                                 "SignedHeaders=host, Signature=none"})
        if link.getresponse().status != 200:
            fail("no bucket")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def signed(handler, body):
    """True if the signature is correct for AWS, and covers the received body. s3rver checks only the ids of keys."""
    found = dict(part.split("=", 1) for part in handler.headers["Authorization"].split(" ", 1)[1].split(","))
    scope = found["Credential"].split("/", 1)[1]
    names = found["SignedHeaders"].split(";")
    if handler.headers["x-amz-content-sha256"] != hashlib.sha256(body).hexdigest() or not {"host", "x-amz-date"} <= set(names):
        return False
    if any(name.lower() not in names for name in handler.headers if name.lower() in ("if-none-match", "x-amz-security-token")):
        return False
    path, _, query = handler.path.partition("?")
    pairs = sorted(urllib.parse.parse_qsl(query, keep_blank_values=True))
    quote = lambda text, safe="": urllib.parse.quote(text, safe="-_.~" + safe)
    request = "\n".join([handler.command, quote(urllib.parse.unquote(path), "/"), "&".join(f"{quote(k)}={quote(v)}" for k, v in pairs),
                         *(f"{name}:{handler.headers[name]}" for name in names), "", found["SignedHeaders"], handler.headers["x-amz-content-sha256"]])
    text = "\n".join(["AWS4-HMAC-SHA256", handler.headers["x-amz-date"], scope, hashlib.sha256(request.encode()).hexdigest()])
    key = b"AWS4S3RVER"
    for part in scope.split("/"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest() == found["Signature"]


class Handler(http.server.BaseHTTPRequestHandler):
    """Forwards requests unchanged. s3rver does not support If-None-Match for PUT, so the proxy implements it."""
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def handle_any(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        proxy.count += 1
        proxy.log.append((self.command, self.path))
        key = (self.headers["Host"], self.path.split("?")[0])
        plan = proxy.plan(proxy.count, self.command, self.path) if proxy.plan else None
        if plan == "kill before":
            proxy.kill()
        if "=S3RVER/" in self.headers["Authorization"] and not signed(self, body):
            return self.answer(403, [], b"<Error><Code>SignatureDoesNotMatch</Code></Error>")
        if isinstance(plan, tuple):
            return self.answer(plan[0], plan[1], plan[2])
        if KIND != "moto" and self.command in ("PUT", "POST") and self.headers.get("If-None-Match") == "*" and key in proxy.keys:
            if plan == "kill after":
                proxy.kill()
            return self.answer(412, [], b"<Error><Code>PreconditionFailed</Code></Error>")
        try:
            link = http.client.HTTPConnection("127.0.0.1", proxy.server.port, timeout=30)
            link.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                if KIND == "moto" or name.lower() != "if-none-match" or self.command == "GET":
                    link.putheader(name, value)
            link.endheaders(body)
            reply = link.getresponse()
            data = reply.read()
        except (OSError, http.client.HTTPException):
            self.close_connection = True
            return None
        if reply.status == 200 and (self.command == "PUT" and "partNumber" not in self.path or self.command == "POST" and "uploadId" in self.path):
            proxy.keys.add(key)
        if self.command == "DELETE":
            proxy.keys.discard(key)
        if plan == "kill after":
            proxy.kill()
        headers = [(n, v) for n, v in reply.getheaders() if n.lower() not in ("content-length", "transfer-encoding", "connection", "date")]
        return self.answer(reply.status, headers, data, cut=plan == "cut")

    def answer(self, code, headers, data, cut=False):
        proxy.codes.append((self.command, code, self.path))
        try:
            self.send_response_only(code)
            for name, value in headers:
                self.send_header(name, value)
            if not any(n == "Date" for n, _ in headers):
                self.send_header("Date", self.date_time_string())
            self.send_header("Content-Length", str(len(data)))
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(data[:len(data) // 2] if cut else data)
        except OSError:
            pass
        self.close_connection = True

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = handle_any


class Proxy(http.server.ThreadingHTTPServer):
    daemon_threads = True
    plan = child = server = None
    count = 0

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.log, self.keys, self.codes = [], set(), []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def kill(self):
        self.child.send_signal(signal.SIGKILL)
        self.child.wait()

    def planned(self, plan):
        self.plan, self.count = plan, 0
        self.log.clear()
        self.codes.clear()


# ---- programs

def environment(**more):
    own = {"PATH": os.environ["PATH"], "HOME": os.getcwd(), "no_proxy": "*", "GIT_DIR": "/nonexistent", "AWS_ACCESS_KEY_ID": "S3RVER",
           "AWS_SECRET_ACCESS_KEY": "S3RVER", "AWS_ENDPOINT_URL": f"http://127.0.0.1:{proxy.server_address[1]}"}
    for name in ("LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LLVM_PROFILE_FILE"):
        if name in os.environ:
            own[name] = os.environ[name]
    own.update(more)
    return {k: v for k, v in own.items() if v is not None}


def run(*arguments, wanted=0, **more):
    made = subprocess.run([PPROFCI, *arguments], capture_output=True, text=True, timeout=120, check=False, env=environment(**more))
    if wanted is not None and made.returncode != wanted:
        fail(arguments, "status", made.returncode, "not", wanted, made.stdout, made.stderr)
    return made


def arguments(where, i, *files):
    return ["store", "-to", where, "-commit", f"{i:04x}" * 10, "-branch", "main", "-order", str(i), "-time", "1700000000", "results.txt", *files]


def one_line(made, *texts):
    lines = made.stderr.splitlines()
    if len(lines) != 1 or not all(text in lines[0] for text in texts):
        fail("not one line with", texts, made.stderr)
    if "S3RVER" in made.stderr:
        fail("credentials are printed", made.stderr)


def plain():
    for i in range(12):
        run(*arguments("s3://bucket/a b/c+d", i, *PROFILES))
    if "12 runs, by the number" not in run("history", "s3://bucket/a b/c+d").stdout:
        fail("history of a bucket")
    proxy.planned(None)
    run("history", "s3://bucket/a b/c+d")
    if sum(r[0] == "GET" and "/runs/" in r[1] for r in proxy.log):
        fail("records are read again though there is an index")
    made = run("fsck", "s3://bucket/a b/c+d").stdout
    if "12 runs and 2 profiles are whole; 0 broken, 0 missing, 0 not named" not in made:
        fail("fsck of a bucket", made)
    run("trend", "-function", "runtime.*", "s3://bucket/a b/c+d")
    run("store", "-to", "s3://bucket/a b/c+d", "-retain", "*=1d", "-keep-last", "3")
    if "3 runs" not in run("history", "s3://bucket/a b/c+d").stdout:
        fail("-retain in a bucket")
    run("history", "s3://bucket/nothing", wanted=1)
    print("ok: signatures are right for the server; store, history, trend, fsck and -retain in a bucket")


def virtual():
    port = proxy.server_address[1]
    proxy.planned(None)
    run(*arguments("s3://bucket/virtual", 1), PPROFCI_S3_STYLE="virtual", AWS_ENDPOINT_URL=f"http://s3.localhost:{port}")
    if not all(r[1].startswith("/virtual/") for r in proxy.log):
        fail("the name of the bucket is in the path")
    run(*arguments("s3://bucket/virtual", 1), wanted=1, PPROFCI_S3_STYLE="other")
    print("ok: the bucket in the name of the host, or in the path")


def make_big(path, count):
    """Creates stacks of names that gzip hardly compresses: 15 KB each."""
    some = random.Random(1)
    with open(path, "w", encoding="utf-8") as file:
        for _ in range(count):
            file.write(f"main;{base64.b64encode(some.randbytes(15000)).decode()} 1\n")


def parts():
    make_big("big.folded", 700)
    proxy.planned(None)
    run(*arguments("s3://bucket/parts", 1, "big.folded"), PPROFCI_S3_PART="5242880")
    if sum("partNumber=" in r[1] for r in proxy.log) < 3:
        fail("no parts")
    if "1 runs and 1 profiles are whole" not in run("fsck", "s3://bucket/parts").stdout:
        fail("a file in parts")
    proxy.planned(lambda n, method, path: (403, [], b"<Error><Code>AccessDenied</Code></Error>") if "partNumber=2" in path else None)
    one_line(run(*arguments("s3://bucket/parts2", 1, "big.folded"), wanted=1, PPROFCI_S3_PART="5242880"), "403 AccessDenied", "may not do this")
    if [r[0] for r in proxy.log[-2:]] != ["DELETE", "HEAD"]:
        fail("an upload that failed is not given up")
    proxy.planned(None)
    if "0 runs and 0 profiles" not in run("fsck", "s3://bucket/parts2").stdout:
        fail("half a file is seen")
    print("ok: large files go in parts, and are not seen before they are whole")


def kills():
    proxy.planned(None)
    run(*arguments("s3://bucket/count", 1, *PROFILES))
    count = proxy.count
    for moment in ("kill before", "kill after"):
        for i in range(1, count + 1):
            where = f"s3://bucket/{moment.replace(' ', '-')}-{i}"
            proxy.planned(lambda n, method, path, i=i, moment=moment: moment if n == i else None)
            proxy.child = subprocess.Popen([PPROFCI, *arguments(where, 1, *PROFILES)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                           env=environment())
            if proxy.child.wait(60) != -signal.SIGKILL:
                fail("not killed", moment, i)
            proxy.planned(None)
            seen = run("fsck", where, wanted=None)
            if not ("0 broken, 0 missing" in seen.stdout or "is not a store" in seen.stderr):
                fail("after", moment, i, seen.stdout, seen.stderr)
            run(*arguments(where, 1, *PROFILES))
            if "1 runs and 2 profiles are whole; 0 broken, 0 missing, 0 not named" not in run("fsck", where).stdout:
                fail("stored again after", moment, i)
    print(f"ok: kill -9 before and after each of {count} requests loses nothing")


def conditional():
    """Checks that the server rejects an existing key: the first writer wins."""
    where = "s3://bucket/once"
    run(*arguments(where, 1, *PROFILES))
    proxy.planned(None)
    run(*arguments(where, 1, *PROFILES))
    refused = [path for method, code, path in proxy.codes if method == "PUT" and code == 412]
    if any(method == "PUT" and "/objects/" in path for method, _, path in proxy.codes) or not any("/runs/" in path for path in refused):
        fail("objects are sent again, or no 412 for the run", proxy.codes)
    many = [subprocess.Popen([PPROFCI, *arguments("s3://bucket/race", i // 2, *PROFILES)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                             env=environment()) for i in range(8)]
    if any(child.wait(60) for child in many):
        fail("writers at once")
    if "4 runs and 2 profiles are whole; 0 broken, 0 missing, 0 not named" not in run("fsck", "s3://bucket/race").stdout:
        fail("writers at once lose something")
    print("ok: keys are written once, by the server's own check, and eight writers lose nothing")


def killed_parts():
    """Kills the program at each request of an upload in parts. The upload must not be visible, and a second run must
    complete it."""
    own = {"PPROFCI_S3_PART": "5242880"}
    make_big("some.folded", 400)
    proxy.planned(None)
    run(*arguments("s3://bucket/parts-count", 1, "some.folded"), **own)
    requests = [i for i, (method, path) in enumerate(proxy.log, 1) if "uploads" in path or "uploadId" in path]
    if len(requests) < 4:
        fail("too few parts", proxy.log)
    for i in requests:
        where, moment = f"s3://bucket/parts-{i}", ("kill before", "kill after")[i % 2]
        proxy.planned(lambda n, method, path, i=i, moment=moment: moment if n == i else None)
        proxy.child = subprocess.Popen([PPROFCI, *arguments(where, 1, "some.folded")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                       env=environment(**own))
        if proxy.child.wait(60) != -signal.SIGKILL:
            fail("not killed", moment, i)
        proxy.planned(None)
        seen = run("fsck", where)
        if "0 broken, 0 missing" not in seen.stdout:
            fail("parts after", moment, i, seen.stdout, seen.stderr)
        run(*arguments(where, 1, "some.folded"), **own)
        if "1 runs and 1 profiles are whole; 0 broken, 0 missing, 0 not named" not in run("fsck", where).stdout:
            fail("parts stored again after", moment, i)
    print(f"ok: kill -9 at each of {len(requests)} requests of an upload in parts leaves nothing half")


def server_killed():
    def plan(n, method, path):
        if n == 3:
            proxy.server.kill()
    proxy.planned(plan)
    one_line(run(*arguments("s3://bucket/dead", 1, *PROFILES), wanted=1), "s3://bucket/dead")
    proxy.planned(None)
    proxy.server.start()
    run(*arguments("s3://bucket/dead", 1, *PROFILES))
    if "1 runs and 2 profiles are whole" not in run("fsck", "s3://bucket/dead").stdout:
        fail("after the server was killed")
    print("ok: a server that is killed is one line; storing again makes it whole")


def refusals():
    where = "s3://bucket/refused"
    run(*arguments(where, 1))
    one_line(run("history", where, wanted=1, AWS_SECRET_ACCESS_KEY="wrong"), "403 SignatureDoesNotMatch", "AWS_SECRET_ACCESS_KEY")
    one_line(run("history", where, wanted=1, AWS_ACCESS_KEY_ID="wrong"), "403 InvalidAccessKeyId")
    one_line(run("history", where, wanted=1, AWS_ACCESS_KEY_ID=None), "AWS_ACCESS_KEY_ID is not set")
    one_line(run("history", "s3://none-such/x", wanted=1), "404 NoSuchBucket")
    one_line(run("history", "s3://B/x", wanted=1), "s3://BUCKET/PREFIX")
    one_line(run("history", where, wanted=1, AWS_ENDPOINT_URL="ftp://x"), "AWS_ENDPOINT_URL")
    date = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 3600))
    cases = [((403, [("Date", date)], b"<Error><Code>RequestTimeTooSkewed</Code></Error>"), "RequestTimeTooSkewed", "seconds slow"),
             ((301, [], b"<Error><Code>PermanentRedirect</Code></Error>"), "301 PermanentRedirect", "AWS_REGION"),
             ((301, [("Location", "http://127.0.0.1:1/")], b""), "301", "elsewhere"),
             ((403, [], b"<Error><Code>AccessDenied</Code></Error>"), "403 AccessDenied", "may not do this"),
             ((503, [("Retry-After", "1")], b"<Error><Code>SlowDown</Code></Error>"), "503 SlowDown", "limited the rate"),
             ((500, [], b"<html>oops</html>"), "500")]
    for reply, *texts in cases:
        proxy.planned(lambda n, method, path, reply=reply: reply)
        one_line(run(*arguments(where, 2), wanted=1), *texts)
    for plan in ((503, [], b"<Error><Code>SlowDown</Code></Error>"), "cut"):
        proxy.planned(lambda n, method, path, plan=plan: plan if n in (1, 3) else None)
        run(*arguments(where, 3, PROFILES[0]))
    proxy.planned(lambda n, method, path: "cut")
    one_line(run("history", where, wanted=1), "s3://bucket/refused")
    proxy.planned(None)
    if "2 runs and 1 profiles are whole; 0 broken, 0 missing" not in run("fsck", where).stdout:
        fail("after refusals")
    print("ok: wrong credentials, clocks, redirects, 403, SlowDown and cut answers are one line each; passing ones are tried again")


with tempfile.TemporaryDirectory() as work:
    program = installed_moto() if KIND == "moto" else installed()
    if "built without libcurl" in subprocess.run([PPROFCI, "history", "s3://bucket/x"], capture_output=True, text=True, check=False,
                                                 env={"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x"}).stderr:
        skip("pprofci was built without libcurl")
    os.chdir(work)
    with open("results.txt", "w", encoding="utf-8") as text:
        text.write("pkg: example.com/p\nBenchmarkA 10 100 ns/op\n")
    proxy = Proxy()
    proxy.server = Server(program)
    try:
        # moto keeps its data in memory and accepts any key.
        all_parts = {"s3rver": (plain, virtual, parts, kills, killed_parts, server_killed, refusals), "moto": (plain, conditional, parts)}
        for part in all_parts[KIND]:
            part()
    finally:
        proxy.server.kill()
