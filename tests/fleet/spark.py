#!/usr/bin/env python3
"""Merges profiles by key on a Spark cluster of two executors: spark.py --bin PPROFC --data TESTDATA --job PPROFC_FLEET
--packages FOLDER

The test kills one executor while it works. The results must have the same bytes as on one machine and as from pprofc
alone. The job must report broken files, write Parquet that DuckDB reads, and give verdicts on two keys. If this Python
lacks PySpark or DuckDB, pip installs them into FOLDER. The exit status 77 means that a program is missing; the test
prints its name.
"""
import argparse
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

parser = argparse.ArgumentParser()
for name in ("--bin", "--data", "--job", "--packages"):
    parser.add_argument(name, required=True)
given = parser.parse_args()
PACKAGES = {"pyspark": "pyspark==3.5.*", "duckdb": "duckdb"}
failures = 0


def skip(reason):
    print("skipped:", reason)
    sys.exit(77)


def check(what, good, *details):
    global failures
    if good:
        return
    failures += 1
    print("FAILED:", what, *details, sep="\n  ")


# ---- requirements --------------------------------------------------------------------------------------------------------


def has_packages(python):
    return subprocess.run([python, "-c", "import " + ", ".join(PACKAGES)], capture_output=True).returncode == 0


def find_python():
    """Returns a Python that has the packages."""
    if has_packages(sys.executable):
        return sys.executable
    python = os.path.join(given.packages, "bin", "python3")
    if not os.path.exists(python):
        made = subprocess.run([sys.executable, "-m", "venv", given.packages], capture_output=True, text=True)
        if made.returncode:
            shutil.rmtree(given.packages, ignore_errors=True)
            skip("no pyspark, and no Python environment can be made (python3-venv)")
    if not has_packages(python):
        # pip creates a wheel of the 300 MiB of pyspark, and unpacks it again. Compressing the wheel takes a minute of
        # CPU time.
        stored = os.path.join(given.packages, "stored.cfg")
        with open(stored, "w", encoding="utf-8") as file:
            file.write("[bdist_wheel]\ncompression = stored\n")
        made = subprocess.run([python, "-m", "pip", "install", "-q", *PACKAGES.values()], capture_output=True, text=True,
                              env=dict(os.environ, DIST_EXTRA_CONFIG=stored))
        if made.returncode:
            skip("pip cannot install " + ", ".join(PACKAGES.values()))
    return python


def find_java():
    """Returns a Java with which Spark 3.5 runs."""
    homes = [os.environ.get("JAVA_HOME")] + sorted(glob.glob("/usr/lib/jvm/*"))
    programs = [os.path.join(h, "bin", "java") for h in homes if h] + [shutil.which("java")]
    for program in programs:
        if not program or not os.access(program, os.X_OK):
            continue
        said = subprocess.run([program, "-version"], capture_output=True, text=True).stderr
        if any(f'version "{v}' in said for v in ("17", "11", "1.8")):
            return os.path.dirname(os.path.dirname(os.path.realpath(program)))
    skip("no Java 8, 11 or 17 (default-jre-headless)")


JAVA, PYTHON = find_java(), find_python()
folder = tempfile.mkdtemp()


def spark(master, *args, watch=None):
    """Runs the job. Calls `watch` during the run."""
    env = dict(os.environ, JAVA_HOME=JAVA, SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=PYTHON, PYSPARK_DRIVER_PYTHON=PYTHON,
               SPARK_LOCAL_DIRS=os.path.join(folder, "spark"), SPARK_WORKER_DIR=os.path.join(folder, "worker"),
               JAVA_TOOL_OPTIONS="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")  # in short runs the second compiler saves no time
    home = subprocess.run([PYTHON, "-c", "import os, pyspark; print(os.path.dirname(pyspark.__file__))"], capture_output=True,
                          text=True, check=True).stdout.strip()
    env["SPARK_HOME"] = home
    command = [os.path.join(home, "bin", "spark-submit"), "--master", master, "--driver-memory", "512m",
               "--conf", "spark.ui.enabled=false", "--conf", "spark.executor.memory=512m", given.job, *args]
    child = subprocess.Popen(command, env=env, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    watcher = threading.Thread(target=watch, args=(child,)) if watch else None
    if watcher:
        watcher.start()
    out, err = child.communicate()
    if watcher:
        watcher.join()
    return child.returncode, out, err


# ---- profiles -----------------------------------------------------------------------------------------------------------


def place(source, service, version, number):
    path = os.path.join(folder, "in", service, version)
    os.makedirs(path, exist_ok=True)
    shutil.copy(os.path.join(given.data, source), os.path.join(path, f"{number:03}.pb.gz"))


for i in range(6):
    place("server_cpu.pb.gz", "web", "v1", i)
    place("server_b_cpu.pb.gz", "web", "v2", i)
for i, name in enumerate(["generator_cpu.prof", "server_cpu.pb.gz", "generator_optimized_cpu.prof", "server_b_cpu.pb.gz"]):
    place(name, "mixed", "v1", i)
place("MANIFEST", "web", "v2", 900)
place("MANIFEST", "gone", "v1", 0)
# Files that Spark does not read, and a folder. They do not count as profiles.
for name in ("_temporary.pb.gz", ".part.pb.gz"):
    shutil.copy(os.path.join(given.data, "generator_cpu.prof"), os.path.join(folder, "in", "web", "v1", name))
os.makedirs(os.path.join(folder, "in", "web", "v2", "empty.pb.gz"))
GLOB, KEY = "file://" + os.path.join(folder, "in", "*", "*", "*.pb.gz"), r"/in/(\w+)/(v\d+)/"
AGAIN = GLOB.replace("*", "web", 1)  # files that GLOB also contains

# Slow enough to kill an executor while it works. A file marks the beginning of the work.
slow = os.path.join(folder, "slow")
with open(slow, "w", encoding="utf-8") as file:
    file.write(f"#!/bin/sh\ntouch {folder}/begun\nsleep 2\nexec {given.bin} \"$@\"\n")
os.chmod(slow, 0o755)


def executors():
    """Returns the processes that run tasks of this test's cluster."""
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        process = os.path.dirname(path)
        try:
            with open(path, "rb") as line, open(os.path.join(process, "environ"), "rb") as environment:
                if b"CoarseGrainedExecutorBackend" in line.read() and folder.encode() in environment.read():
                    found.append(int(os.path.basename(process)))
        except OSError:
            continue
    return found


killed = []


def kill_one(child):
    while child.poll() is None:
        if os.path.exists(os.path.join(folder, "begun")) and len(executors()) > 1:
            killed.append(executors()[0])
            os.kill(killed[0], signal.SIGKILL)
            return
        time.sleep(0.1)


def profiles_of(out):
    found = {}
    for path in glob.glob(os.path.join(out, "profiles", "**", "*.pb.gz"), recursive=True):
        with open(path, "rb") as file:
            found[os.path.relpath(path, os.path.join(out, "profiles"))] = file.read()
    return found


def table_of(out, name):
    code = "import duckdb, sys; print(duckdb.sql(\"select * from '\" + sys.argv[1] + \"/*.parquet' order by all\").fetchall())"
    return subprocess.run([PYTHON, "-c", code, os.path.join(out, name)], capture_output=True, text=True, check=True).stdout


def alone(*sources):
    """Returns pprofc's result for the files without Spark."""
    path = os.path.join(folder, "alone.pb.gz")
    subprocess.run([given.bin, "-symbolize=none", "-proto", "-output=" + path, *sources], check=True, capture_output=True)
    with open(path, "rb") as file:
        return file.read()


try:
    one, two = os.path.join(folder, "one"), os.path.join(folder, "two")
    status, out, err = spark("local[1]", "merge", "--pprofc", given.bin, "--key", KEY, "--out", one, GLOB, AGAIN)
    check("files are merged on one machine", status == 0 and "16 profiles of 3 keys merged, 2 could not be read" in out, out, err[-3000:])
    status, out, err = spark("local-cluster[2,1,600]", "merge", "--pprofc", slow, "--key", KEY, "--out", two, GLOB, watch=kill_one)
    check("and on a cluster", status == 0 and "16 profiles of 3 keys" in out, out, err[-3000:])
    check("an executor was killed", killed)
    check("profiles have the same bytes", profiles_of(one) and profiles_of(one) == profiles_of(two), list(profiles_of(one)), list(profiles_of(two)))
    check("each key has its profile", sorted(profiles_of(one)) == ["mixed/v1.pb.gz", "web/v1.pb.gz", "web/v2.pb.gz"])
    check("a profile is what pprofc makes of its files",
          profiles_of(one).get("mixed/v1.pb.gz") == alone(*sorted(glob.glob(os.path.join(folder, "in", "mixed", "v1", "*")))))
    check("tables are the same", table_of(one, "functions") == table_of(two, "functions") and table_of(one, "keys") == table_of(two, "keys"))
    with open(os.path.join(one, "broken.jsonl"), encoding="utf-8") as lines:
        broken = [json.loads(line) for line in lines]
    check("broken files are listed with their reasons", sorted(b["file"].split("/in/")[1] for b in broken) == ["gone/v1/000.pb.gz", "web/v2/900.pb.gz"]
          and all("unrecognized profile format" in b["reason"] for b in broken), broken)
    rows = table_of(one, "functions")
    check("DuckDB reads flat and cum of a function", "regexp.(*Regexp).tryBacktrack" in rows, rows[:500])
    status, out, err = spark("local[1]", "compare", "--pprofc", given.bin, "--base", "web/v1", "--head", "web/v2", one, "--",
                             "-noise=changed", "-nodecount=3", "-fail_on=flat>5%")
    check("verdicts on two keys, with pprofc's exit status", status == 2 and "Runs: mean of 6 + 6 runs" in out and "Syscall6" in out and "grew" in out,
          status, out, err[-3000:])
    status, out, err = spark("local[1]", "merge", "--pprofc", given.bin, "--key", KEY, "--out", two + "b",
                             GLOB.replace("*.pb.gz", "_*"))
    check("hidden files alone are no files", status == 1 and "hidden files only" in out + err and not os.path.exists(two + "b"), out, err[-3000:])
finally:
    shutil.rmtree(folder, ignore_errors=True)
sys.exit(failures != 0)
