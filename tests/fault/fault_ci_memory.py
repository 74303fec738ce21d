#!/usr/bin/env python3
"""Checks pprofci when memory runs out: fault_ci_memory.py BIN TESTDATA.

`pprofci run` and `pprofci merge` run with less and less address space. A run that memory ends has status 1, prints one
message, and leaves no temporary file.
"""
import os
import resource
import subprocess
import sys
import tempfile

MIB = 1 << 20
bin_folder, testdata = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
failures = 0


def run(limit, *arguments):
    """Runs pprofci with `limit` bytes of address space. Returns its status and its messages."""
    environment = dict(os.environ, TMPDIR=os.path.abspath("tmp"), PPROFC_BIN=bin_folder)
    done = subprocess.run([f"{bin_folder}/pprofci", *arguments], env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    return done.returncode, done.stderr


def check(good, what):
    global failures
    if not good:
        failures += 1
        print("FAILED:", what)


def lower(*arguments):
    """Lowers the limit until the program cannot start any more. Returns how often memory ran out."""
    ended = 0
    for limit in range(26 * MIB, 0, -MIB // 4):
        if run(limit, "-version")[0] != 0:
            return ended
        status, said = run(limit, *arguments)
        if status != 0:
            ended += "out of memory" in said
            check(status == 1, f"{limit // 1024} KiB: status {status}")
            check("pprofci: " in said, f"{limit // 1024} KiB: status {status}: {said!r}")
            check(said.count("out of memory") <= 1, f"{limit // 1024} KiB: {said!r}")
        left = [name for folder in ("tmp", "out") if os.path.isdir(folder) for name in os.listdir(folder)
                if name.startswith((".new", "pprofci"))]
        check(not left, f"{limit // 1024} KiB: left {left}")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    os.mkdir("tmp")
    pair = [os.path.join(testdata, name) for name in ("generator_cpu.prof", "generator_optimized_cpu.prof")]
    ended = lower("run", "-out=out", "-pair", *pair)
    ended += lower("merge", "-out=out/merged", "out")
    check(ended > 2, f"memory ran out only {ended} times")

sys.exit(failures != 0)
