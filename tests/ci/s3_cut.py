#!/usr/bin/env python3
"""Tests a store in a bucket whose server truncates its replies: s3_cut.py SOURCE PROGRAMS. The test truncates each
reply at many byte positions. No object of a run may be lost."""
import concurrent.futures
import copy
import hashlib
import http.server
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import xml.sax.saxutils

SOURCE, PROGRAMS = sys.argv[1:3]
PPROFCI = os.path.abspath(os.path.join(PROGRAMS, "pprofci"))
PROFILES = [os.path.join(os.path.abspath(SOURCE), "testdata", name) for name in ("server_cpu.pb.gz", "server_heap.pb.gz")]
OLD = time.time() - 5 * 86400


def fail(*words):
    print("failed:", *words, sep="\n")
    sys.exit(1)


class Bucket:
    """A bucket: keys with their bytes and times, incomplete uploads, and a list of replies to truncate."""

    def __init__(self):
        self.keys, self.uploads, self.log, self.lock = {}, {}, [], threading.Lock()
        self.cut = lambda number, request, size: None

    def age(self):
        self.keys = {k: (data, OLD) for k, (data, _) in self.keys.items()}


buckets = {}


def stamp(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(seconds))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def handle_any(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        path, _, query = self.path.partition("?")
        name, _, key = urllib.parse.unquote(path[1:]).partition("/")
        bucket, asked = buckets[name], dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
        with bucket.lock:
            code, headers, data = self.do(bucket, key, asked, body)
            bucket.log.append((self.command, key, query, code, len(body)))
            number = len(bucket.log)
        headers = [("Content-Length", str(len(data)))] + headers + [("Connection", "close")]
        reply = f"HTTP/1.1 {code} Fine\r\n" + "".join(f"{n}: {v}\r\n" for n, v in headers) + "\r\n"
        reply = reply.encode() + (b"" if self.command == "HEAD" else data)
        cut = bucket.cut(number, (self.command, key, query), len(reply))
        try:
            self.wfile.write(reply if cut is None else reply[:cut])
        except OSError:
            pass
        self.close_connection = True

    def do(self, b, key, asked, body):
        if self.command == "POST" and "uploads" in asked:
            number = f"+/{len(b.log)}=" + "x" * 100
            b.uploads[number] = (key, {}, time.time())
            return self.xml("InitiateMultipartUploadResult", f"<UploadId>{number}</UploadId>")
        if "uploadId" in asked:
            return self.part(b, key, asked, body)
        if self.command == "GET" and "uploads" in asked:
            some = "".join(f"<Upload><Key>{k}</Key><UploadId>{u}</UploadId><Initiated>{stamp(t)}</Initiated></Upload>"
                           for u, (k, _, t) in b.uploads.items() if k.startswith(asked["prefix"]))
            return self.xml("ListMultipartUploadsResult", some)
        if self.command == "GET" and not key:
            return self.list(b, asked)
        if self.command in ("GET", "HEAD"):
            if key not in b.keys:
                return 404, [], b"<Error><Code>NoSuchKey</Code></Error>"
            data, written = b.keys[key]
            return 200, [("Last-Modified", time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(written)))], data
        if self.command == "PUT":
            return self.put(b, key, body)
        b.keys.pop(key, None)
        return 204, [], b""

    def put(self, b, key, body):
        if self.headers.get("If-None-Match") and key in b.keys:
            return 412, [], b"<Error><Code>PreconditionFailed</Code></Error>"
        b.keys[key] = (body, time.time())
        return 200, [("ETag", '"x"')], b""

    def part(self, b, key, asked, body):
        upload = b.uploads.get(asked["uploadId"])
        if upload is None:
            return 404, [], b"<Error><Code>NoSuchUpload</Code></Error>"
        if self.command == "PUT":
            upload[1][int(asked["partNumber"])] = body
            return 200, [("ETag", '"x"')], b""
        if self.command == "POST":
            code, headers, data = self.put(b, key, b"".join(data for _, data in sorted(upload[1].items())))
            if code != 200:
                return code, headers, data
            del b.uploads[asked["uploadId"]]
            return self.xml("CompleteMultipartUploadResult", f"<Key>{key}</Key>")
        del b.uploads[asked["uploadId"]]
        return 204, [], b""

    def list(self, b, asked):
        names = sorted(k for k in b.keys if k.startswith(asked["prefix"]) and k > asked.get("continuation-token", ""))
        page = names[:2]
        some = "".join(f"<Contents><Key>{xml.sax.saxutils.escape(k)}</Key><LastModified>{stamp(b.keys[k][1])}</LastModified>"
                       f"<Size>{len(b.keys[k][0])}</Size></Contents>" for k in page)
        more = len(names) > 2
        token = f"<NextContinuationToken>{page[-1]}</NextContinuationToken>" if more else ""
        # The elements that announce more keys come last, so a list without its end looks complete.
        return self.xml("ListBucketResult", some + f"<IsTruncated>{str(more).lower()}</IsTruncated>" + token)

    def xml(self, name, content):
        return 200, [("Content-Type", "application/xml")], f'<?xml version="1.0"?>\n<{name}>{content}</{name}>'.encode()

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = handle_any


class Server(http.server.ThreadingHTTPServer):
    daemon_threads, request_queue_size = True, 256


def run(*arguments, **more):
    own = {"PATH": os.environ["PATH"], "HOME": os.getcwd(), "GIT_DIR": "/nonexistent", "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret",
           "AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.server_address[1]}", "no_proxy": "*"}
    own.update({k: os.environ[k] for k in ("LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LLVM_PROFILE_FILE") if k in os.environ})
    own.update(more)
    return subprocess.run([PPROFCI, *arguments], capture_output=True, text=True, timeout=120, check=False, env=own)


def good(made):
    if made.returncode:
        fail(made.args, made.returncode, made.stdout, made.stderr)
    return made


def store(bucket, i, *files, **more):
    return run("store", "-to", f"s3://{bucket}/p", "-commit", f"{i:04x}" * 10, "-branch", "main", "-order", str(i), "-time", str(int(OLD) - 400000 + i),
               *(files or ("results.txt",)), **more)


def named(bucket):
    """Returns the objects that records name, and the commits."""
    objects, commits = set(), set()
    for key, (data, _) in bucket.keys.items():
        if key.startswith("p/runs/"):
            commits.add(key.split("/")[2])
            for digest in re.findall(rb'"sha256": ?"([0-9a-f]{64})"', data):
                objects.add(digest.decode())
    return objects, commits


def check(name, bucket, last):
    objects, commits = named(bucket)
    if not last <= commits:
        fail(name, "runs are lost", commits, bucket.log)
    held = {hashlib.sha256(data).hexdigest() for key, (data, _) in bucket.keys.items() if key.startswith("p/objects/")}
    if not objects or not objects <= held:
        fail(name, "profiles are lost", objects - held, bucket.log)


def template():
    first = buckets["template"] = Bucket()
    for i in range(3):
        good(store("template", i, "results.txt", PROFILES[i % 2]))
    first.keys["p/objects/00/" + "0" * 62] = (b"no run names it", OLD)
    first.age()
    return first


RETAIN = ("-retain", "*=1d", "-keep-last", "2")


def retain(name, first, cut):
    bucket = buckets[name] = Bucket()
    bucket.keys, bucket.cut = copy.copy(first.keys), cut
    made = run("store", "-to", f"s3://{name}/p", *RETAIN, XDG_CACHE_HOME=os.path.join(os.getcwd(), name))
    check(name, bucket, {f"{i:04x}" * 10 for i in (1, 2)})
    if made.returncode not in (0, 1) or (made.returncode and not made.stderr.startswith("pprofci: ")):
        fail(name, made.returncode, made.stderr)
    return made, bucket


def cuts(first):
    made, bucket = retain("whole", first, lambda *_: None)
    good(made)
    if "p/objects/00/" + "0" * 62 in bucket.keys or len(named(bucket)[1]) != 2:
        fail("-retain removes nothing", made.stdout, bucket.log)
    sizes = {}
    retain("sizes", first, lambda number, request, size: sizes.__setitem__(number, size))
    plans = []
    for number, size in sizes.items():
        end = min(size, 4000)
        # One truncated reply, after which a retry succeeds; then a reply that is truncated each time.
        plans += [(number, at, False) for at in sorted({*range(number % 11, end, 11), *range(max(0, end - 24), end)})]
        plans += [(number, at, True) for at in range(number % 113, end, 113)]

    def one(plan):
        number, at, always = plan
        target = {}

        def cut(now, request, _):
            if now == number:
                target["request"] = request
            if now == number or (always and now > number and request == target.get("request")):
                return at
            return None
        made, _ = retain(f"cut-{number}-{at}-{always}".lower(), first, cut)
        if always != bool(made.returncode):
            fail(plan, target, "status", made.returncode, made.stdout, made.stderr)

    with concurrent.futures.ThreadPoolExecutor(24) as pool:
        list(pool.map(one, plans))
    print(f"ok: {len(plans)} cuts in {len(sizes)} replies lose nothing")


def frames(first):
    """Tests replies that look complete: without a length, an empty list, a list without the token of its next page."""
    original = Handler.handle_any

    def without_length(handler):
        write = handler.wfile.write
        handler.wfile.write = lambda data: write(re.sub(rb"Content-Length: \d+\r\n", b"", data))
        original(handler)
    bucket = buckets["no-length"] = Bucket()
    bucket.keys = copy.copy(first.keys)
    Handler.do_GET = without_length
    made = run("store", "-to", "s3://no-length/p", *RETAIN)
    Handler.do_GET = original
    check("no-length", bucket, {f"{i:04x}" * 10 for i in (0, 1, 2)})
    if made.returncode != 1 or "length" not in made.stderr:
        fail("no-length", made.returncode, made.stderr)
    for name, content, text in (("empty", "<IsTruncated>false</IsTruncated>", "no run was listed"),
                                ("token", "<IsTruncated>true</IsTruncated>", "incomplete"),
                                ("error", "<Error><Code>InternalError</Code></Error>", "InternalError")):
        bucket = buckets[name] = Bucket()
        bucket.keys = copy.copy(first.keys)
        lists = Handler.list
        Handler.list = lambda self, b, asked, c=content: self.xml("ListBucketResult", c) if "runs" in asked["prefix"] else lists(self, b, asked)
        made = run("store", "-to", f"s3://{name}/p", *RETAIN)
        clean = run("fsck", "-clean", f"s3://{name}/p")
        Handler.list = lists
        check(name, bucket, {f"{i:04x}" * 10 for i in (0, 1, 2)})
        if made.returncode != 1 or text not in made.stderr or clean.returncode != 1:
            fail(name, made.returncode, made.stderr, clean.returncode, clean.stderr)
    print("ok: replies without a length, without runs or without the next page remove nothing")


def once():
    bucket = buckets["once"] = Bucket()
    for _ in range(2):
        good(store("once", 1, *PROFILES))
    sent = [entry for entry in bucket.log if entry[0] == "PUT" and "/objects/" in entry[1]]
    if len(sent) != 2:
        fail("an object is sent twice", sent)
    bucket.age()
    good(store("once", 2, *PROFILES))
    if any(time.time() - written > 3600 for key, (_, written) in bucket.keys.items() if "/objects/" in key):
        fail("an old object that a new run names stays old")
    print("ok: each object is sent once, and again only when it is old")


def uploads():
    with open("big.folded", "wb") as file:
        for i in range(400):
            file.write(b"main;" + hashlib.shake_256(str(i).encode()).hexdigest(8000).encode() + b" 1\n")
    own = {"PPROFCI_S3_PART": "5242880"}
    bucket = buckets["parts"] = Bucket()
    good(store("parts", 1, "big.folded", **own))
    if bucket.uploads or sum("partNumber" in entry[2] for entry in bucket.log) < 2:
        fail("no parts", bucket.uploads, bucket.log)
    for what in ("partNumber=2", "uploadId", "uploads="):
        for at in (0, 20, 40, 130):
            name = f"parts-{''.join(c for c in what.lower() if c.isalpha())}-{at}"
            bucket = buckets[name] = Bucket()
            seen = []

            def cut(_, request, __, what=what, at=at, seen=seen):
                if request[2].startswith(what) and not seen:
                    seen.append(request)
                    return at
                return None
            bucket.cut = cut
            good(store(name, 1, "big.folded", **own))
            bucket.uploads = {u: (k, parts, OLD) for u, (k, parts, _) in bucket.uploads.items()}
            good(run("fsck", "-clean", f"s3://{name}/p"))
            if not seen or bucket.uploads:
                fail(name, "an unfinished upload stays", seen, bucket.uploads)
            check(name, bucket, {"0001" * 10})
    print("ok: uploads in parts survive cuts, and unfinished ones are aborted")


def refusals():
    made = run("history", "s3://bucket/p", AWS_ENDPOINT_URL="http://s3.example.com")
    if made.returncode != 1 or "is not https" not in made.stderr:
        fail("plain http", made.returncode, made.stderr)
    for tag in ("..", "."):
        made = run("store", "-to", "folder", "-commit", "0001" * 10, "-tag", tag, "results.txt")
        if made.returncode != 1 or "is not a tag" not in made.stderr or os.path.exists("0001" * 10):
            fail("-tag", tag, made.returncode, made.stderr)
    for mask, wanted in ((0o077, 0o600), (0o002, 0o664), (0o022, 0o644)):
        folder = f"folder{mask:o}"
        os.umask(mask)
        good(run("store", "-to", folder, "-commit", "0001" * 10, "results.txt", PROFILES[0]))
        modes = {os.stat(os.path.join(place, name)).st_mode & 0o777 for place, _, names in os.walk(folder) for name in names if name.count(".") < 2}
        if modes != {wanted}:
            fail("umask", oct(mask), [oct(m) for m in modes])
    os.umask(0o022)
    print("ok: plain http to another machine and the tag '..' are refused, and files follow the umask")


with tempfile.TemporaryDirectory() as work:
    if "built without libcurl" in subprocess.run([PPROFCI, "history", "s3://bucket/x"], capture_output=True, text=True, check=False,
                                                 env={"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x"}).stderr:
        print("skipped: pprofci was built without libcurl")
        sys.exit(77)
    os.chdir(work)
    with open("results.txt", "w", encoding="utf-8") as text:
        text.write("pkg: example.com/p\nBenchmarkA 10 100 ns/op\n")
    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    whole = template()
    once()
    uploads()
    refusals()
    frames(whole)
    cuts(whole)
