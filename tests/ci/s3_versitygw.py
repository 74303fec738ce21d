#!/usr/bin/env python3
"""Tests a store in a bucket of versitygw, through a proxy that truncates replies at each byte: s3_versitygw.py SOURCE
PROGRAMS SERVER. The bucket is a folder, so the test can read the stored objects."""
import asyncio
import collections
import concurrent.futures
import glob
import hashlib
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

SOURCE, PROGRAMS, SERVER = sys.argv[1:4]
PPROFCI = os.path.abspath(os.path.join(PROGRAMS, "pprofci"))
PROFILES = [os.path.join(os.path.abspath(SOURCE), "testdata", name) for name in ("server_cpu.pb.gz", "server_heap.pb.gz")]
OLD = time.time() - 5 * 86400
# Distance of truncations of one reply. Replies of a kind are truncated at different positions, which together cover all
# bytes of the headers.
STEP = 8


failed = threading.Event()  # set after a failure: all other running sessions then fail for the same reason


def fail(*words):
    if not failed.is_set():
        failed.set()
        print("failed:", *words, sep="\n")
    sys.exit(1)


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


# ---- the proxy

class Session:
    """The requests of one prefix of the bucket, and the position at which their replies are truncated."""

    def __init__(self, at=None, step=1, always=None):
        self.at, self.step = at, step  # the first replies of a kind are truncated at this position, the next replies at later bytes
        self.always = always  # a request whose replies are all truncated
        self.kinds = collections.Counter()
        self.cuts = 0
        self.pending = set()  # requests whose replies were truncated, and which the program must repeat
        self.log = []  # request, status, size of the reply and of its headers

    def cut(self, request, size):
        if self.always:
            return self.at if request == self.always else None
        if self.at is None:
            return None
        if request in self.pending:
            self.pending.remove(request)
            return None
        kind = (request[0], "?" in request[1])
        at = self.at + self.kinds[kind] % self.step
        self.kinds[kind] += 1
        if at >= size:
            return None
        self.pending.add(request)
        self.cuts += 1
        return at


sessions = {}


async def read_message(reader):
    head = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"\r\n[Cc]ontent-[Ll]ength: *(\d+)", head)
    return head, await reader.readexactly(int(length[1])) if length else b""


async def answer_of(head, body):
    """Returns the exact bytes that the server sends until it closes the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server_port)
    writer.write(head[:-2] + b"Connection: close\r\n\r\n" + body)
    data = await reader.read(-1)
    writer.close()
    return data


async def pass_on(reader, writer):
    try:
        head, body = await read_message(reader)
        method, path = head.split(b" ", 2)[:2]
        found = re.search(rb"bucket(?:/|.*prefix=)([a-z0-9-]+)", path)
        session = sessions[found[1].decode()]
        request = (method.decode(), path.decode())
        data = await answer_of(head, body)
        session.log.append((*request, int(data[9:12]), len(data), data.find(b"\r\n\r\n") + 4))
        writer.write(data[:session.cut(request, len(data))])
        await writer.drain()
    except (OSError, asyncio.IncompleteReadError):
        pass
    writer.close()


def start_proxy(port):
    loop = asyncio.new_event_loop()

    async def serve():
        await asyncio.start_server(pass_on, "127.0.0.1", port, limit=1 << 20, backlog=256)
    loop.run_until_complete(serve())
    threading.Thread(target=loop.run_forever, daemon=True).start()


def start_server():
    process = subprocess.Popen([SERVER, "--access", "key", "--secret", "secret", "--port", f"127.0.0.1:{server_port}", "--quiet", "posix", "data"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(600):
        try:
            socket.create_connection(("127.0.0.1", server_port), 1).close()
            return process
        except OSError:
            time.sleep(0.05)
    process.kill()
    return fail("the server does not start")


# ---- programs, and the contents of the bucket

def run(*arguments, **more):
    own = {"PATH": os.environ["PATH"], "HOME": os.getcwd(), "GIT_DIR": "/nonexistent", "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret",
           "AWS_ENDPOINT_URL": f"http://127.0.0.1:{proxy_port}", "no_proxy": "*"}
    own.update({k: os.environ[k] for k in ("LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LLVM_PROFILE_FILE") if k in os.environ})
    own.update(more)
    return subprocess.run([PPROFCI, *arguments], capture_output=True, text=True, timeout=120, check=False, env=own)


def good(made):
    if made.returncode:
        fail(made.args, made.returncode, made.stdout, made.stderr)
    return made


def store(name, i, *files, **more):
    return run("store", "-to", f"s3://bucket/{name}", "-commit", f"{i:04x}" * 10, "-branch", "main", "-order", str(i), "-time",
               str(int(OLD) - 400000 + i), "results.txt", *files, XDG_CACHE_HOME=os.path.join(os.getcwd(), "cache", name), **more)


def held(name):
    """Returns the commits, the objects that their records name, and the existing objects."""
    commits, named, there = set(), set(), set()
    for place, _, files in os.walk(os.path.join("data/bucket", name)):
        for file in files:
            with open(os.path.join(place, file), "rb") as opened:
                data = opened.read()
            if "/runs/" in place:
                commits.add(os.path.basename(place))
                named.update(digest.decode() for digest in re.findall(rb'"sha256": ?"([0-9a-f]{64})"', data))
            elif "/objects/" in place:
                there.add(hashlib.sha256(data).hexdigest())
    return commits, named, there


def check(name, last, *words):
    commits, named, there = held(name)
    if not last <= commits:
        fail(name, "runs are lost", commits, *words)
    if not named or not named <= there:
        fail(name, "profiles are lost", named - there, *words)


def age(folder):
    for place, _, files in os.walk(folder):
        for file in files:
            os.utime(os.path.join(place, file), (OLD, OLD))


def unfinished():
    """Returns the folders of uploads in parts that the server still keeps."""
    return [upload for upload in glob.glob("data/bucket/.sgwtmp/multipart/*/*") if os.path.isdir(upload)]


# ---- tests

def template():
    sessions["template"] = Session()
    for i in range(3):
        good(store("template", i, PROFILES[i % 2]))
    for i in range(STEP):
        digest = hashlib.sha256(b"%d" % i).hexdigest()
        os.makedirs(f"data/bucket/template/objects/{digest[:2]}", exist_ok=True)
        with open(f"data/bucket/template/objects/{digest[:2]}/{digest[2:]}", "w", encoding="utf-8") as file:
            file.write(str(i))
    age("data/bucket/template")


def copied(name, session):
    sessions[name] = session
    shutil.copytree("data/bucket/template", os.path.join("data/bucket", name))
    return f"s3://bucket/{name}", {"XDG_CACHE_HOME": os.path.join(os.getcwd(), "cache", name)}


def add_run(name, session):
    copied(name, session)
    return [store(name, 3, *PROFILES)]


def keep_store(name, session):
    """Removes the oldest run of a store and the objects that no run names, and reads the store."""
    where, own = copied(name, session)
    return [run("store", "-to", where, "-retain", "*=1d", "-keep-last", "2", **own), run("fsck", "-clean", where, **own),
            run("history", where, **own)]


LIVES = ((add_run, 2, {f"{i:04x}" * 10 for i in range(4)}), (keep_store, STEP, {f"{i:04x}" * 10 for i in (1, 2)}))


def cut_once(life, step, kept):
    """Truncates each reply once, at each byte of its headers and at some bytes of its body. The next request must
    succeed."""
    whole, name = Session(), life.__name__.replace("_", "-")
    for one in life(name, whole):
        good(one)
    commits, named, there = held(name)
    if commits != kept or named != there and life == keep_store:
        fail(name, "removes too little or too much", commits, named ^ there, whole.log)
    headers, size = max(entry[4] for entry in whole.log), max(entry[3] for entry in whole.log if "/objects/" not in entry[1])

    def one(at):
        mine, session = f"{name}-{at}", Session(at, step)
        made = life(mine, session)
        if any(m.returncode for m in made) or session.pending:
            fail(mine, *[(m.args, m.returncode, m.stderr) for m in made], session.pending, session.log)
        check(mine, kept, session.log)
        if held(mine)[0] != kept:
            fail(mine, "the command did less", held(mine)[0], session.log)
        return session.cuts
    with concurrent.futures.ThreadPoolExecutor(48) as pool:
        cuts = sum(pool.map(one, [*range(0, headers + 40, step), *range(headers + 40, size, 61)]))
    print(f"ok: {name}: {cuts} cuts of {len(whole.log)} answers, at every byte of their headers, are mended")
    return whole


def cut_always(life, kept, whole):
    """Truncates all replies to one request. The command must fail, and no object may be lost."""
    name = life.__name__.replace("_", "-")
    asked = sorted({entry[:2]: entry for entry in whole.log}.values())

    def one(number):
        entry = asked[number]
        mine = f"{name}-always-{number}"
        session = Session((entry[4] - 2, entry[3] - 1, 0)[number % 3], always=(entry[0], entry[1].replace(name, mine)))
        made = life(mine, session)
        check(mine, kept - {"0003" * 10}, session.log)
        for m in made:
            if m.returncode and not (m.returncode == 1 and m.stderr.startswith("pprofci: ")):
                fail(mine, m.args, m.returncode, m.stderr)
        session.always = None
        good(store(mine, 3, PROFILES[1]))
        if "0 broken, 0 missing" not in good(run("fsck", f"s3://bucket/{mine}")).stdout:
            fail(mine, "storing again does not mend it", session.log)
    with concurrent.futures.ThreadPoolExecutor(48) as pool:
        list(pool.map(one, range(len(asked))))
    print(f"ok: {name}: {len(asked)} requests without a whole answer lose nothing, and the next run mends the store")


def once():
    """Checks that the program sends each object once, and again only if the object is old."""
    session = sessions["once"] = Session()
    for _ in range(2):
        good(store("once", 1, *PROFILES))
    sent = [entry for entry in session.log if entry[0] == "PUT" and "/objects/" in entry[1]]
    if len(sent) != 2:
        fail("an object is sent twice", sent)
    print("ok: each object is sent once")


def uploads():
    """Tests uploads in parts: the program continues after a truncated reply, and aborts unfinished uploads."""
    some = random.Random(1)
    with open("big.folded", "w", encoding="utf-8") as file:
        for _ in range(400):
            file.write(f"main;{some.randbytes(15000).hex()} 1\n")
    own = {"PPROFCI_S3_PART": "5242880"}
    session = sessions["parts"] = Session()
    good(store("parts", 1, "big.folded", **own))
    asked = [entry for entry in session.log if "upload" in entry[1]]
    if len(asked) < 4 or unfinished():
        fail("no parts", session.log, unfinished())

    def one(at):
        name, cut = f"parts-{at}", Session(at)
        sessions[name] = cut
        good(store(name, 1, "big.folded", **own))
        check(name, {"0001" * 10}, cut.log)
        return name
    headers = max(entry[4] for entry in asked)
    places = [*range(0, headers, 113), headers - 1, *range(headers, max(entry[3] for entry in asked), 101)]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        names = list(pool.map(one, places))
    left = unfinished()
    if not left:
        fail("a cut of the first answer leaves no unfinished upload: the test shows nothing")
    for place, folders, files in os.walk("data/bucket/.sgwtmp", topdown=False):
        for name in folders + files:
            os.utime(os.path.join(place, name), (OLD, OLD))
    for name in names:
        good(run("fsck", "-clean", f"s3://bucket/{name}"))
    if unfinished():
        fail("unfinished uploads stay", unfinished())
    print(f"ok: uploads in parts survive {len(places)} cuts of each answer, and {len(left)} unfinished ones are aborted")


if not os.access(SERVER, os.X_OK):
    skip("there is no versitygw (go install github.com/versity/versitygw/cmd/versitygw)")
SERVER = os.path.abspath(SERVER)
server_port, proxy_port = free_port(), free_port()
with tempfile.TemporaryDirectory() as work:
    os.chdir(work)
    os.makedirs("data/bucket")
    if "built without libcurl" in run("history", "s3://bucket/x", AWS_ENDPOINT_URL="http://127.0.0.1:1").stderr:
        skip("pprofci was built without libcurl")
    with open("results.txt", "w", encoding="utf-8") as text:
        text.write("pkg: example.com/p\nBenchmarkA 10 100 ns/op\n")
    gateway = start_server()
    try:
        start_proxy(proxy_port)
        template()
        for steps in LIVES:
            cut_always(steps[0], steps[2], cut_once(*steps))
        once()
        uploads()
    finally:
        gateway.kill()
        gateway.wait()
