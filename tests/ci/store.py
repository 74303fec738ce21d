#!/usr/bin/env python3
"""Tests pprofci store, history, trend and fsck on a folder: store.py SOURCE PROGRAMS. It has concurrent writers, kill
-9, full disks and locks."""
import concurrent.futures
import glob
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

SOURCE, PROGRAMS = sys.argv[1:3]
PPROFCI = os.path.join(PROGRAMS, "pprofci")
PROFILES = [os.path.join(SOURCE, "testdata", name) for name in ("server_cpu.pb.gz", "server_heap.pb.gz", "server_allocs.pb.gz")]


def fail(*words):
    print("failed:", *words)
    sys.exit(1)


def run(*arguments, wanted=0, **more):
    made = subprocess.run([PPROFCI, *arguments], capture_output=True, text=True, timeout=120, check=False, **more)
    if made.returncode != wanted:
        fail(arguments, "status", made.returncode, "not", wanted, made.stdout, made.stderr)
    return made


def one_line(made, *texts):
    lines = made.stderr.splitlines()
    if len(lines) != 1 or not all(text in lines[0] for text in texts):
        fail("not one line with", texts, made.stderr)


def results(name, value):
    with open(name, "w", encoding="utf-8") as file:
        file.write("goos: linux\ncpu: box\npkg: example.com/p\n")
        for i in range(4):
            file.write(f"BenchmarkA 10 {value + i / 100:.2f} ns/op 5 allocs/op\n")
    return name


def commit(i):
    return f"{i:04x}" * 10


def store(folder, i, value, *more, **how):
    path = results(f"results{i}.txt", value)
    return run("store", "-to", folder, "-commit", commit(i), "-branch", "main", "-order", str(i), "-time", str(1700000000 + i), path, *more, **how)


def whole(folder, runs, broken=0, missing=0):
    """Checks that fsck finds this number of complete runs."""
    made = run("fsck", folder, wanted=1 if broken or missing else 0)
    last = made.stdout.splitlines()[-1]
    if not last.startswith(f"{runs} runs ") or f"; {broken} broken, {missing} missing" not in last:
        fail("fsck says", made.stdout)
    return last


def writers():
    def one(i):
        return store("many", i, 100, PROFILES[i % 3])
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(one, range(40)))
    last = whole("many", 40)
    if " 3 profiles are whole" not in last or " 0 not named, 0 not finished" not in last:
        fail("equal profiles are one object", last)
    listed = json.loads(run("history", "-json", "many").stdout)
    brief = run("history", "-json", "-budget=1000", "many").stdout
    rows, last = json.loads(brief)[:-1], json.loads(brief)[-1]
    if len(brief) > 1000 or not rows or len(rows) + last["left_out"]["rows"] != last["runs"]:
        fail(f"a list of 1,000 bytes: {brief}")
    if [r["commit"] for r in listed] != [commit(i) for i in range(40)]:
        fail("order of the runs")
    print("ok: 40 writers, eight at a time, lose nothing")


def killed():
    store("killed", 0, 100)
    path = results("k.txt", 5)
    for i in range(60):
        child = subprocess.Popen([PPROFCI, "store", "-to", "killed", "-commit", commit(i + 1), "-order", str(i), "-time", "1700000000",
                                  "-branch", "main", path, *PROFILES], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(i * 0.0007)
        child.send_signal(signal.SIGKILL)
        child.wait()
    made = run("fsck", "killed")
    if "; 0 broken, 0 missing" not in made.stdout:
        fail("after kill -9", made.stdout)
    for path in glob.glob("killed/tmp/*") + glob.glob("killed/objects/*/*"):
        os.utime(path, (1, 1))
    store("killed", 99, 7, PROFILES[0])
    made = run("fsck", "-clean", "killed")
    if " 0 not named, 0 not finished" not in run("fsck", "killed").stdout.splitlines()[-1]:
        fail("fsck -clean", made.stdout)
    print("ok: kill -9 at sixty moments leaves nothing half; fsck -clean removes the rest")


def broken():
    store("broken", 1, 100, *PROFILES)
    store("broken", 2, 100, PROFILES[0])
    objects = sorted(glob.glob("broken/objects/*/*"))
    with open(objects[0], "r+b") as file:
        file.seek(40)
        file.write(b"\0\1\2\3")
    os.remove(objects[1])
    whole("broken", 2, 1, missing_of("broken"))
    record = glob.glob(f"broken/runs/{commit(1)}/*.json")[0]
    with open(record, "r+b") as file:
        file.truncate(100)
    made = run("fsck", "broken", wanted=1)
    if "1 runs" not in made.stdout or record[7:] not in made.stdout:
        fail("a cut record", made.stdout)
    if "skipped" not in run("history", "broken").stderr:
        fail("history of a store with a broken record")
    run("store", "-to", "broken", "-retain", "*=1d", "-keep-last", "1", wanted=1)
    os.remove(objects[0])
    store("broken", 1, 100, *PROFILES)
    whole("broken", 2)
    print("ok: what is broken and missing is found, and storing again mends it")


def missing_of(folder):
    return sum(line.startswith("missing: ") for line in run("fsck", folder, wanted=1).stdout.splitlines())


def limits():
    store("full", 1, 100, PROFILES[0])

    def small():
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
    made = store("full", 2, 100, *PROFILES, wanted=1, preexec_fn=small)
    one_line(made, "cannot write", "file too large")
    whole("full", 1)
    if glob.glob("full/tmp/*"):
        fail("a file that could not be written stays")
    made = run("store", "-to", "/proc/nothing/here", "-commit", "aa", "results1.txt", wanted=1)
    one_line(made, "/proc/nothing/here")
    if os.geteuid() == 0:
        os.mkdir("disk")
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", "disk"], capture_output=True, check=False)
        if mounted.returncode == 0:
            try:
                store("disk/store", 1, 100)
                with open("disk/fill", "wb", buffering=0) as file:
                    try:
                        while True:
                            file.write(bytes(4096))
                    except OSError:
                        file.truncate(os.path.getsize("disk/fill") - 8192)
                made = store("disk/store", 2, 100, *PROFILES, wanted=1)
                one_line(made, "no space left on device")
                whole("disk/store", 1)
            finally:
                subprocess.run(["umount", "disk"], check=False)
        else:
            print("note: no file system can be mounted here, so that a full disk is tried by RLIMIT_FSIZE only")
    print("ok: a full disk is one line, and what was there stays")


def index():
    if not run("history", "many").stdout.endswith("40 runs, by the number of the commit\n"):
        fail("history by index")
    if not os.path.exists("many/index.sqlite"):
        print("note: there is no index: pprofci was built without libsqlite3")
        return
    shell = shutil.which("sqlite3")
    question = "SELECT count(*), count(DISTINCT commit_id) FROM runs"
    if shell:
        said = subprocess.run([shell, "many/index.sqlite", question], capture_output=True, text=True, check=True).stdout.strip()
    else:
        with sqlite3.connect("many/index.sqlite") as db:
            said = "|".join(map(str, db.execute(question).fetchone()))
    if said != "40|40":
        fail("the index holds", said)
    with sqlite3.connect("many/index.sqlite") as db:
        medians = {row[:2]: row[2] for row in db.execute(
            "SELECT key, unit, value FROM points JOIN runs ON run=runs.id JOIN series ON series=series.id")}
    wanted = {}
    for path in glob.glob("many/runs/*/*.json"):
        with open(path, encoding="utf-8") as file:
            wanted.update({(path[5:], s["unit"]): statistics.median(s["values"]) for s in json.load(file)["series"]})
    if medians != wanted:
        fail("values of the index", medians, wanted)
    fresh = run("trend", "-json", "many").stdout
    for change in ("UPDATE runs SET results=77", "UPDATE points SET series=99", "UPDATE points SET series=-1",
                   "DELETE FROM points WHERE place=0", "DROP TABLE series", "PRAGMA user_version=1"):
        with sqlite3.connect("many/index.sqlite") as db:
            db.executescript(change)
        made = run("trend", "-json", "many")
        if made.stdout != fresh or "broken" not in made.stderr:
            fail("an index after", change, made.stderr)
        if run("trend", "-json", "many").stdout != fresh:
            fail("the index behind", change)
    with open("many/index.sqlite", "r+b") as file:
        file.write(b"nonsense" * 100)
    made = run("trend", "-json", "many")
    if made.stdout != fresh or "rebuilding" not in made.stderr:
        fail("a broken index", made.stderr)
    os.remove("many/index.sqlite")
    if run("trend", "-json", "many").stdout != fresh:
        fail("an index made anew")
    os.remove(glob.glob(f"many/runs/{commit(3)}/*.json")[0])
    if len(json.loads(run("history", "-json", "many").stdout)) != 39:
        fail("a run that is gone stays in the index")
    db = sqlite3.connect("many/index.sqlite", isolation_level=None)
    db.execute("BEGIN EXCLUSIVE")
    one_line(run("history", "many", wanted=1), "index.sqlite", "locked")
    store("many", 3, 100, PROFILES[0])
    db.execute("ROLLBACK")
    db.close()
    if len(json.loads(run("history", "-json", "many").stdout)) != 40:
        fail("a run that was stored while the index was locked")
    print("ok: the index is read by SQLite's own programs, made anew when broken or gone, and a lock is one line")


def hostile():
    """Checks names from a hostile writer of a store: names are text, and an invalid hash never becomes a path."""
    evil = "a\u001b[31m<script>alert(1)</script>::error::x ##[group]y `|\u202e"
    os.makedirs("hostile/runs")
    with open("hostile/pprofci-store", "w", encoding="utf-8") as file:
        file.write("pprofci store, version 1\n")
    for i in range(24):
        record = {"version": 1, "commit": commit(i), "branch": evil, "time": i, "order": i, "machine": evil, "verdict": evil, "headline": evil, "status": 0,
                  "series": [{"group": evil, "benchmark": evil, "unit": evil, "direction": -1, "values": [100 + i % 3 + (i > 11) * 50, "x", None, 1e999]}],
                  "profiles": [{"kind": "cpu", "package": "", "benchmark": "", "name": evil, "sha256": "../../../../../../../etc/passwd" + "0" * 33, "size": 1}]}
        text = json.dumps(record)
        os.mkdir(f"hostile/runs/{commit(i)}")
        with open(f"hostile/runs/{commit(i)}/{hashlib.sha256(text.encode()).hexdigest()[:32]}.json", "w", encoding="utf-8") as file:
            file.write(text)
    for made in (run("trend", "-svg", "evil.svg", "-html", "evil.html", "hostile"), run("history", "hostile"), run("history", "-json", "hostile"),
                 run("trend", "-json", "hostile"), run("fsck", "hostile", wanted=1), run("trend", "-function", "*", "hostile", wanted=1)):
        said = made.stdout + made.stderr
        if "\x1b" in said or "\u202e" in said or "##[" in said or "\n::" in said or "passwd" in made.stderr:
            fail("a name drives the log", said)
    for path in ("evil.svg", "evil.html"):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if "<script>alert" in text or "\x1b" in text or "\u202e" in text:
            fail("a name is markup in", path)
    if "1 change point in 1 series" not in run("trend", "hostile").stdout:
        fail("values that are no numbers")
    print("ok: names from a store are text everywhere, and a hash that is none is no path")


def kinds_of_units():
    for i in range(24):
        folder = "units"
        if i % 2:
            with open("g.json", "w", encoding="utf-8") as file:
                json.dump({"context": {}, "benchmarks": [{"name": "A", "run_type": "iteration", "iterations": 10, "real_time": 1.0 + i % 3 / 100,
                                                          "cpu_time": 1.0, "time_unit": "us"}]}, file)
            run("store", "-to", folder, "-commit", commit(i), "-branch", "main", "-order", str(i), "-time", "1", "g.json")
        else:
            with open("g.txt", "w", encoding="utf-8") as file:
                file.write(f"BenchmarkA 10 {1000 + i % 3 * 10} ns/op\n")
            run("store", "-to", folder, "-commit", commit(i), "-branch", "main", "-order", str(i), "-time", "1", "g.txt")
    made = json.loads(run("trend", "-json", "-unit", "sec/op", "units").stdout)
    if sum(len(s["changes"]) for s in made["series"]):
        fail("a change of the unit is a change point", made)
    print("ok: another unit of the same time is no change")


def graphs():
    """Checks that each change point has the graph of its own profiles, also if all runs are of one commit."""
    cpu = ["generator_cpu.prof", "generator_optimized_cpu.prof"]
    for i in range(60):
        middle = i // 20 == 1
        with open(os.path.join(SOURCE, "testdata", cpu[middle]), "rb") as file:
            data = file.read()
        sha256 = hashlib.sha256(data).hexdigest()
        os.makedirs(f"graphs/objects/{sha256[:2]}", exist_ok=True)
        with open(f"graphs/objects/{sha256[:2]}/{sha256[2:]}", "wb") as file:
            file.write(data)
        series = {"group": "p", "benchmark": "Count", "direction": -1, "values": [(1.3 if middle else 1) * (1e-7 + (i * 7 + r) % 11 * 1e-10) for r in range(5)]}
        record = {"version": 1, "commit": commit(1), "branch": "main", "time": i, "order": i, "machine": "box", "verdict": "", "headline": "", "status": 0,
                  "series": [{**series, "unit": unit} for unit in ("sec/op", "cpu-sec/op")],
                  "profiles": [{"kind": "cpu", "package": "p", "benchmark": "Count", "name": "Count_cpu", "sha256": sha256, "size": len(data)}]}
        text = json.dumps(record)
        os.makedirs(f"graphs/runs/{commit(1)}", exist_ok=True)
        with open(f"graphs/runs/{commit(1)}/{hashlib.sha256(text.encode()).hexdigest()[:32]}.json", "w", encoding="utf-8") as file:
            file.write(text)
    with open("graphs/pprofci-store", "w", encoding="utf-8") as file:
        file.write("pprofci store, version 1\n")
    run("trend", "-html", "graphs.html", "graphs")
    with open("graphs.html", encoding="utf-8") as file:
        page = file.read()
    shows, packed = (re.findall(rf'data-{name}="([^"]*)"', page) for name in ("shows", "graph"))
    if len(shows) != 4 or len(packed) != 2 or set(shows) != set(packed) or shows[:2] != shows[2:]:
        fail("graphs of change points", shows, packed)
    print("ok: each change point of a commit opens the graph of its own profiles")


def noise():
    """Checks that an earlier change does not count as noise of later values."""
    for i in range(40):
        store("noise", i, (100 if i < 20 else 200) + (i * 7 % 5) * 0.2)
    gate = os.path.join(PROGRAMS, "parse_bench_regressions")
    results("base.txt", 100)
    for value, wanted in ((100.4, 0), (120, 2)):
        results("head.txt", value)
        made = subprocess.run([gate, "-noise-from", "noise", "-threshold", "0.1", "-base", "base.txt", "-head", "head.txt"],
                              capture_output=True, text=True, check=False)
        if made.returncode != wanted:
            fail("the gate with the noise of a store", value, made.returncode, made.stdout, made.stderr)
    print("ok: the gate learns noise behind the last change point")


with tempfile.TemporaryDirectory() as work:
    os.chdir(work)
    os.environ["GIT_DIR"] = "/nonexistent"
    for part in (writers, killed, broken, limits, index, hostile, kinds_of_units, graphs, noise):
        part()
