"""Runs the server of `pprofc -http` with all kinds of clients at once. 32 clients send requests in turn. Others never
finish their requests, disconnect early, or send bodies that are too long. The test counts requests, not seconds.

    stress.py PPROFC TESTDATA [REQUESTS]

Each reply must equal the first reply to the same request. Memory must not grow in the second half of the requests. In
the first half, the heaps of the threads reach their sizes, which takes some thousands of requests. A signal must end
the server within a second (two with AddressSanitizer) while all clients are connected.
"""
import http.client
import itertools
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

PPROFC, TESTDATA = sys.argv[1], sys.argv[2]
REQUESTS = int(sys.argv[3]) if len(sys.argv) > 3 else 10000
CLIENTS, SLOW, DIFFERENT = 32, 300, 400
with open(PPROFC, "rb") as program:
    SANITIZED = b"__asan_init" in program.read()
CPU, FASTER = (os.path.join(TESTDATA, name) for name in ("generator_cpu.prof", "generator_optimized_cpu.prof"))
PAGES = ("flamegraph", "flamegraph?side=head", "top", "top?f=json", "top?side=base", "graph", "peek?f=mallocgc", "tags", "compare", "status",
         "download", "download?what=folded", "flamedata", "flamedata?node=1", "top?n=nonsense", "nosuch")
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print("FAIL", what)


def start():
    home = tempfile.mkdtemp()
    child = subprocess.Popen([PPROFC, "-http=localhost:", "-no_browser", "-symbolize=none", f"-diff_base={CPU}", FASTER],
                             env=dict(os.environ, XDG_CONFIG_HOME=home, HOME=home), stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    said = child.stderr.readline()
    if "libmicrohttpd" in said:
        print("skipped:", said.strip())
        sys.exit(77)
    child.port = int(re.search(r":(\d+)(/|$)", said.strip()).group(1))
    return child


def end(child, number, answer):
    """Checks that a signal ends the server within a second, or within the time of two replies on a slow machine.
    `answer` is the time of one reply in seconds."""
    began = time.monotonic()
    child.send_signal(number)
    said = child.communicate(timeout=60)[1]
    seconds = time.monotonic() - began
    print(f"{signal.Signals(number).name} ends it after {seconds:.2f} s")
    check(child.returncode == 0, f"{signal.Signals(number).name} ends it with {child.returncode}: {said[-2000:]}")
    most = 2 if SANITIZED else 1  # AddressSanitizer searches all memory for leaks at the end
    check(seconds < most + 2 * answer, f"{signal.Signals(number).name} ends it after {seconds:.2f} s")


class Client:
    """A client with one connection. It opens another connection after the server closed the first."""

    def __init__(self, port):
        self.port, self.connection = port, None

    def ask(self, path, method="GET", body=None, **headers):
        for last in (False, True):
            try:
                self.connection = self.connection or http.client.HTTPConnection("localhost", self.port, timeout=120)
                self.connection.request(method, "/ui/" + path, body, headers)
                reply = self.connection.getresponse()
                return reply.status, reply.read()
            except (OSError, http.client.HTTPException):
                self.connection.close()
                self.connection = None
                if last:
                    raise
        return None


class Burst:
    """A number of requests from 32 clients. Each reply is compared with the first one."""

    def __init__(self, port, count, wanted):
        self.port, self.wanted, self.lock = port, wanted, threading.Lock()
        self.numbers, self.answered = iter(range(count)), 0
        threads = [threading.Thread(target=self.work) for _ in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def work(self):
        client = Client(self.port)
        while True:
            with self.lock:
                number = next(self.numbers, None)
            if number is None:
                return
            path = PAGES[number % len(PAGES)] if number % 5 else f"top?n={number % DIFFERENT + 1}"
            try:
                answer = client.ask(path)
            except (OSError, http.client.HTTPException) as error:
                answer = (repr(error), b"")
            with self.lock:
                self.answered += 1
                want = self.wanted.setdefault(path, answer)
            if answer != want:
                failures.append(path)
                print(f"FAIL {path}: {answer[0]}, {len(answer[1])} bytes in place of {want[0]}, {len(want[1])}")


class Nuisance:
    """A thread that repeats an action while the server works."""

    def __init__(self, action):
        self.stopping, self.turns = False, 0
        self.thread = threading.Thread(target=self.run, args=(action,))
        self.thread.start()

    def run(self, action):
        for turn in itertools.count():
            if self.stopping:
                return
            try:
                action(turn)
                self.turns += 1
            except (OSError, http.client.HTTPException):
                pass  # the server may close the connection
            time.sleep(0.01)

    def stop(self):
        self.stopping = True
        self.thread.join()
        return self.turns


class Slow:
    """Clients that open a connection, send a part of a request head, and wait. A client that the server closed connects
    again."""

    def __init__(self, port):
        self.port, self.sockets = port, []

    def __call__(self, turn):
        if len(self.sockets) >= SLOW:
            self.sockets.pop(0).close()
        one = socket.create_connection(("localhost", self.port))
        one.send(b"GET /ui/top HTTP/1.1\r\nHost: localhost\r\nX-A: ")
        self.sockets.append(one)


def leave(port):
    def action(turn):
        with socket.create_connection(("localhost", port)) as one:
            one.send(f"GET /ui/graph?n={turn % 90 + 1} HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n".encode())
    return action


def send_much(port):
    """Sends 64 MiB: too much for a form, and not a profile as an upload."""
    body = b"a" * (64 << 20)

    def action(turn):
        path = ("saveconfig?config=big", "upload?name=big")[turn % 2]
        try:
            status = Client(port).ask(path, "POST", body, Origin=f"http://localhost:{port}")[0]
        except (OSError, http.client.HTTPException):
            status = 413  # the server closes the connection while the client sends the body
        if status not in (400, 413, 503):  # 503: reading the body took more than 30 s on a busy machine
            failures.append(path)
            print(f"FAIL 64 MiB for {path} get {status}")
        time.sleep(0.5)
    return action


def memory(child, most=0):
    """Returns the resident MiB between two bodies. The server frees unused memory twice a second. On a slow machine
    bodies take longer, so this function waits up to 16 s for a moment with at most `most` MiB."""
    sizes = []
    while len(sizes) < 8 or (min(sizes) > most > 0 and len(sizes) < 40):
        time.sleep(0.4)
        with open(f"/proc/{child.pid}/status", encoding="ascii") as file:
            sizes.append(int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1)) >> 10)
    return min(sizes)


def check_answers(child):
    """Checks the replies. The first replies are recorded without other clients."""
    wanted, client = {}, Client(child.port)
    slowest = 0
    for path in PAGES:
        began = time.monotonic()
        wanted[path] = client.ask(path)
        slowest = max(slowest, time.monotonic() - began)
        check(wanted[path][0] in ((400, 404) if path.startswith("no") or "nonsense" in path else (200,)), f"{path} gives {wanted[path][0]}")
    slow = Slow(child.port)
    for turn in range(SLOW):
        slow(turn)
    nuisances = [Nuisance(slow), Nuisance(leave(child.port)), Nuisance(send_much(child.port))]
    sizes = []
    began = time.monotonic()
    for count, growth in ((REQUESTS // 10, 0), (REQUESTS // 2 - REQUESTS // 10, 16), (REQUESTS - REQUESTS // 2, 4)):
        burst = Burst(child.port, count, wanted)
        check(burst.answered == count, f"{burst.answered} of {count} requests were answered")
        sizes.append(memory(child, sizes[-1] + growth if growth else 0))
    turns = [nuisance.stop() for nuisance in nuisances]
    print(f"{REQUESTS} requests in {time.monotonic() - began:.0f} s, {turns[0]} slow clients, {turns[1]} that left, {turns[2]} bodies of 64 MiB; "
          f"{sizes[0]} MiB after a tenth, {sizes[1]} MiB after half, {sizes[2]} MiB after all")
    check(all(turns), f"some clients never got through: {turns}")
    if SANITIZED:
        print("memory is not judged: AddressSanitizer keeps what was freed")
    else:
        check(sizes[1] <= sizes[0] + 16, f"memory grows from {sizes[0]} to {sizes[1]} MiB while the heaps find their sizes")
        check(sizes[2] <= sizes[1] + 4, f"memory grows from {sizes[1]} to {sizes[2]} MiB")
    return slow, slowest


def check_end(number, warm):
    """Checks that a signal ends the server while 8 clients request slow reports and slow clients keep connections open."""
    child = start()
    slow = Slow(child.port)
    for turn in range(SLOW if warm else 1):
        slow(turn)

    answers = []  # seconds of each reply

    def ask_on(turn):
        began = time.monotonic()
        Client(child.port).ask(f"graph?n={turn + 1}")
        answers.append(time.monotonic() - began)
    busy = [Nuisance(ask_on) for _ in range(8)]
    time.sleep(0.5)
    while not answers and child.poll() is None:
        time.sleep(0.1)
    end(child, number, max(answers, default=0))
    for one in busy:
        one.stop()


def main():
    child = start()
    slow, slowest = check_answers(child)
    end(child, signal.SIGTERM, slowest)
    del slow
    check_end(signal.SIGINT, True)
    check_end(signal.SIGTERM, False)
    print(f"{len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
