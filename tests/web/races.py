"""Runs the server of `pprofc -http` under ThreadSanitizer. 16 clients request different views of a few profiles, while
bases change and a client uploads a profile. Each report of the sanitizer fails the test. Skips a program without
ThreadSanitizer.

    races.py PPROFC TESTDATA [SECONDS]
"""
import http.client
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

PPROFC, TESTDATA = sys.argv[1], sys.argv[2]
SECONDS = int(sys.argv[3]) if len(sys.argv) > 3 else 60
CLIENTS = 16
PROFILES = [os.path.join(TESTDATA, name) for name in ("generator_cpu.prof", "generator_optimized_cpu.prof")]
VIEWS = ("flamegraph", "flamedata", "top", "graph", "peek?f=main", "tags", "compare", "status", "download", "download?what=folded", "source?f=main",
         "disasm?f=main", "top?f=json", "saveconfig?config=a", "deleteconfig?config=a")
FILTERS = ("", "f=main", "i=runtime", "h=mallocgc", "s=main", "g=lines", "g=files", "si=0", "side=base", "side=head", "n=3", "base=1", "head=2",
           "tf=a", "calltree=t", "rel=t", "unit=ms")


def start(home):
    environment = dict(os.environ, XDG_CONFIG_HOME=home, HOME=home, TSAN_OPTIONS=f"exitcode=0 log_path={home}/race second_deadlock_stack=1")
    child = subprocess.Popen([PPROFC, "-http=localhost:", "-no_browser", "-symbolize=none", f"-diff_base={PROFILES[0]}", PROFILES[1]],
                             env=environment, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    said = child.stderr.readline()
    if "libmicrohttpd" in said:
        print("skipped:", said.strip())
        sys.exit(77)
    child.port = int(re.search(r":(\d+)(/|$)", said.strip()).group(1))
    return child


def question(draw):
    """Returns a request for a view with up to two filters. One request in thirty uploads a profile or reloads the
    files."""
    view = draw.choice(VIEWS)
    filters = [f for f in draw.choices(FILTERS, k=2) if f]
    return view + ("&" if "?" in view else "?") + "&".join(filters) if filters else view


class Client(threading.Thread):
    def __init__(self, port, number, ends):
        super().__init__()
        self.port, self.ends, self.draw = port, ends, random.Random(number)
        self.answered = self.good = 0

    def send(self):
        connection = http.client.HTTPConnection("localhost", self.port, timeout=120)
        try:
            if self.draw.random() < 1 / 30:
                with open(self.draw.choice(PROFILES), "rb") as file:
                    body = file.read()
                connection.request("POST", "/ui/upload?name=u", body, {"Origin": f"http://localhost:{self.port}"})
            else:
                connection.request("GET", "/ui/" + question(self.draw))
            reply = connection.getresponse()
            reply.read()
            return reply.status
        finally:
            connection.close()

    def run(self):
        while time.monotonic() < self.ends:
            try:
                status = self.send()
            except (OSError, http.client.HTTPException):
                return  # the caller notices that the server ended
            self.answered += 1
            self.good += status == 200


def main():
    with open(PPROFC, "rb") as program:
        if b"__tsan_init" not in program.read():
            print("skipped: the program is built without ThreadSanitizer")
            sys.exit(77)
    with tempfile.TemporaryDirectory() as home:
        child = start(home)
        clients = [Client(child.port, number, time.monotonic() + SECONDS) for number in range(CLIENTS)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        running = child.poll() is None
        child.send_signal(signal.SIGTERM)
        said = child.communicate(timeout=120)[1]
        reports = []
        for name in sorted(os.listdir(home)):
            if name.startswith("race"):
                with open(os.path.join(home, name), encoding="utf-8", errors="replace") as file:
                    reports += re.findall(r"WARNING: ThreadSanitizer.*?={18}", file.read(), re.S)
    answered, good = sum(c.answered for c in clients), sum(c.good for c in clients)
    print(f"{answered} answers, {good} of them good, {len(reports)} reports of ThreadSanitizer")
    if reports:
        print(reports[0])
    failed = reports or not running or child.returncode != 0 or not good
    if not running or child.returncode:
        print(f"the server ended with {child.returncode}: {said[-2000:]}")
    sys.exit(1 if failed else 0)


main()
