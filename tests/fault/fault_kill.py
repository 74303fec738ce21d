"""Kills programs with SIGKILL at random moments while four processes write to the same place: pprofci store, run and
push, pprofc -output and -collect, saved views of -http, and the history of the shell. Afterwards each file must be
complete, and no data that a program reported as written may be lost.

    fault_kill.py PROGRAMS TESTDATA [COUNT [SEED]]
"""
import concurrent.futures
import gzip
import http.client
import http.server
import json
import os
import pty
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

PROGRAMS, TESTDATA = (os.path.abspath(path) for path in sys.argv[1:3])
COUNT = int(sys.argv[3]) if len(sys.argv) > 3 else 40
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 1
WRITERS = 4
PPROFC, PPROFCI = (os.path.join(PROGRAMS, name) for name in ("pprofc", "pprofci"))
CPU, FASTER, RESULTS = (os.path.join(TESTDATA, name) for name in ("generator_cpu.prof", "generator_optimized_cpu.prof", "bench_optimized.txt"))
failures = []


def check(condition, *what):
    if not condition:
        failures.append(what)
        print("FAIL", *what)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def is_json(data):
    try:
        json.loads(data)
        return True
    except ValueError:
        return False


class Server(http.server.BaseHTTPRequestHandler):
    """Sends profiles to -collect, and accepts profiles from `pprofci push`."""
    protocol_version = "HTTP/1.1"
    broken = []
    taken = 0

    def answer(self, body):
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.answer(read(CPU))

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if len(body) < int(self.headers.get("Content-Length", 0)):
            return  # the test killed the sender
        Server.taken += 1
        if read(CPU) not in body and gzip.decompress(read(CPU)) not in body and b"pprof" not in body:
            Server.broken.append(body[:100])
        self.answer(b"{}")

    def log_message(self, *_):
        pass


def serve():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    server.handle_error = lambda *_: None  # the test killed a client
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def missing(library):
    version = subprocess.run([PPROFC, "-version"], capture_output=True, text=True, check=False).stdout
    return re.search(rf"{library} +missing", version)


class Kind:
    """A command to kill, its duration, and the conditions that must be true afterwards."""
    needs = None  # the library that the command needs

    def __init__(self, folder):
        self.folder = folder
        self.seconds = 0.2
        self.killed = self.done = 0
        self.lock = threading.Lock()

    def environment(self):
        return dict(os.environ, HOME=self.folder, XDG_CONFIG_HOME=self.folder, XDG_STATE_HOME=self.folder, TMPDIR=self.folder)

    def start(self, number):
        return subprocess.Popen(self.command(number), env=self.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, cwd=self.folder)

    def wait(self, child, _number, seconds):
        """Waits, kills the process, and returns the status."""
        try:
            return child.wait(seconds)
        except subprocess.TimeoutExpired:
            child.kill()
            return child.wait()

    def once(self, number, draw):
        began = time.monotonic()
        status = self.wait(self.start(number), number, 60 if number < 2 else draw.random() * self.seconds * 1.3)
        with self.lock:
            if status < 0:
                self.killed += 1
            else:
                self.done += 1
                self.seconds = max(time.monotonic() - began, 0.02)  # the load of the machine changes
        if status in (0, 2):
            self.written(number)
        else:
            check(status == -signal.SIGKILL, type(self).__name__, "ended with", status)

    def command(self, number):
        raise NotImplementedError

    def written(self, number):
        """Records that a command reported success."""

    def verify(self):
        """Checks the files after all runs."""


class Store(Kind):
    def __init__(self, folder):
        super().__init__(folder)
        self.store, self.reported = os.path.join(folder, "store"), set()

    def command(self, number):
        return [PPROFCI, "store", "-to", self.store, "-commit", f"{number + 1:04x}" * 10, "-branch", "main", "-order", str(number + 1), "-time",
                str(1700000000 + number), RESULTS, CPU]

    def written(self, number):
        with self.lock:
            self.reported.add(f"{number + 1:04x}" * 10)

    def verify(self):
        made = subprocess.run([PPROFCI, "fsck", self.store], capture_output=True, text=True, check=False)
        check(made.returncode == 0, "fsck:", made.stdout, made.stderr)
        made = subprocess.run([PPROFCI, "history", "-json", self.store], capture_output=True, text=True, check=False)
        there = {commit for commit in self.reported if f'"{commit}"' in made.stdout}
        check(made.returncode == 0 and self.reported == there, "runs are lost:", self.reported - there, made.stderr)


class Run(Kind):
    def command(self, number):
        return [PPROFCI, "run", "-out", os.path.join(self.folder, f"out{number % WRITERS}"), "-pair", CPU, FASTER]

    def verify(self):
        for number in range(WRITERS):
            page, manifest = (os.path.join(self.folder, f"out{number}", name) for name in ("index.html", "manifest.json"))
            check(not os.path.exists(page) or read(page).rstrip().endswith(b"</html>"), "half a page:", page)
            check(not os.path.exists(manifest) or is_json(read(manifest)), "half a manifest:", manifest)


class Push(Kind):
    needs = "libcurl"
    port = 0

    def command(self, number):
        return [PPROFCI, "push", "-to", f"http://127.0.0.1:{self.port}", "-service", "s", "-protocol", "ingest", "-links",
                os.path.join(self.folder, "links.json"), CPU]

    def verify(self):
        links = os.path.join(self.folder, "links.json")
        check(not os.path.exists(links) or is_json(read(links)), "half a file of links")
        check(not Server.broken, "half a profile was sent:", Server.broken)


class Output(Kind):
    def __init__(self, folder):
        super().__init__(folder)
        self.whole = []
        for source in (CPU, FASTER):
            self.whole.append(subprocess.run([PPROFC, "-flame", "-output=" + os.path.join(folder, "whole"), source], check=True, capture_output=True))
            self.whole[-1] = read(os.path.join(folder, "whole"))

    def command(self, number):
        return [PPROFC, "-flame", "-output=" + os.path.join(self.folder, "o.html"), (CPU, FASTER)[number % 2]]

    def verify(self):
        check(read(os.path.join(self.folder, "o.html")) in self.whole, "-output left a file that is neither of two")


class Collect(Kind):
    needs = "libcurl"
    port = 0

    def command(self, number):
        return [PPROFC, "-collect=" + os.path.join(self.folder, f"set{number % WRITERS}"), "-seconds=0", f"http://127.0.0.1:{self.port}"]

    def verify(self):
        """Checks that a set with its final name is complete. Folders of killed processes have other names."""
        for name in sorted(os.listdir(self.folder)):
            made = os.path.join(self.folder, name)
            if not re.fullmatch(r"set\d", name):
                continue
            check(is_json(read(os.path.join(made, "manifest.json"))), "half a manifest:", made)
            profiles = sorted(file for file in os.listdir(made) if file.endswith(".pb.gz"))
            shown = subprocess.run([PPROFC, "-comments", *profiles], cwd=made, capture_output=True, text=True, check=False)
            check(shown.returncode == 0 and len(profiles) == 5, "half a profile:", profiles, shown.stderr)


class Settings(Kind):
    needs = "libmicrohttpd"

    def start(self, number):
        return subprocess.Popen([PPROFC, "-http=localhost:", "-no_browser", "-symbolize=none", CPU], env=self.environment(), stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def wait(self, child, number, seconds):
        said = child.stderr.readline()
        port = int(re.search(r":(\d+)(/|$)", said.strip()).group(1))
        ends = time.monotonic() + min(seconds, 0.3)
        turn, status = 0, 0
        killer = threading.Timer(min(seconds, 0.3), child.kill)
        killer.start()
        while time.monotonic() < ends and child.poll() is None:
            try:
                connection = http.client.HTTPConnection("localhost", port, timeout=10)
                connection.request("POST", f"/ui/saveconfig?config=w{number}v{turn % 20}&f=main{turn}", b"", {"Origin": f"http://localhost:{port}"})
                if connection.getresponse().status < 300:
                    status += 1
                turn += 1
            except (OSError, http.client.HTTPException):
                break
        killer.join()
        child.stderr.close()
        return child.wait()

    def verify(self):
        path = os.path.join(self.folder, "pprof", "settings.json")
        check(os.path.exists(path) and is_json(read(path)), "settings are broken or were never written:", path)


class History(Kind):
    needs = "libedit"

    def start(self, number):
        child, terminal = pty.fork()
        if child == 0:
            os.environ.update(self.environment(), TERM="dumb")
            os.execv(PPROFC, [PPROFC, "-symbolize=none", CPU])
        return child, terminal

    def wait(self, child, number, seconds):
        child, terminal = child
        ends = time.monotonic() + min(seconds, 1)

        def drain():
            try:
                while os.read(terminal, 65536):
                    pass
            except OSError:
                pass
        thread = threading.Thread(target=drain)
        thread.start()
        turn = 0
        try:
            while time.monotonic() < ends:
                os.write(terminal, f"focus=w{number}t{turn}end\n".encode())
                turn += 1
                time.sleep(0.01)
        except OSError:
            pass
        os.kill(child, signal.SIGKILL)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        thread.join()
        os.close(terminal)
        return status

    def verify(self):
        path = os.path.join(self.folder, "pprofc", "history")
        if not os.path.exists(path):
            check(False, "the shell wrote no history")
            return
        lines = read(path).decode().split("\n")
        check(lines[-1] == "" and all(re.fullmatch(r"focus=w\d+t\d+end", line) for line in lines[:-1]), "history has half a line:",
              [line for line in lines if not re.fullmatch(r"focus=w\d+t\d+end", line)][:3])


def main():
    base = tempfile.mkdtemp()
    Collect.port = Push.port = serve()
    try:
        for kind in (Store, Run, Push, Output, Collect, Settings, History):
            if kind.needs and missing(kind.needs):
                print(f"{kind.__name__}: not run, built without {kind.needs}")
                continue
            folder = os.path.join(base, kind.__name__)
            os.mkdir(folder)
            one = kind(folder)
            for number in range(2):
                one.once(number, random.Random(0))
            with concurrent.futures.ThreadPoolExecutor(WRITERS) as pool:
                list(pool.map(lambda number, one=one: one.once(number, random.Random(SEED * 100003 + number)), range(2, COUNT)))
            one.verify()
            print(f"{kind.__name__}: {one.killed} killed, {one.done} ended by themselves")
            if kind is not History and COUNT > 20:
                check(one.killed > COUNT // 10, kind.__name__, "was hardly ever killed")
        print(f"{len(failures)} failures, {Server.taken} profiles were pushed")
    finally:
        shutil.rmtree(base)
    sys.exit(1 if failures else 0)


main()
