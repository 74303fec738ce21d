"""Behaves like a plugin of benchmarks in walltime mode, for walltime.sh:

    walltime_plugin.py NANOSECONDS [bad|silent|none|nouri|setup]

Runs a benchmark of five rounds of two iterations each. "setup" fails if there is a FIFO, because no program reads it.
"""
import json
import os
import struct
import sys
import time

COMMANDS, ANSWERS = "/tmp/runner.ctl.fifo", "/tmp/runner.ack.fifo"
URI = "bench.py::test_work[1, \"a\"]"


def text(value):
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def send(command, fields=b""):
    body = struct.pack("<I", command) + fields
    os.write(commands, struct.pack("<I", len(body)) + body)
    (size,) = struct.unpack("<I", os.read(answers, 4))
    return os.read(answers, size)


def marker(kind, when):
    send(7, struct.pack("<IIQ", os.getpid(), kind, when))


took, how = int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""
if how == "setup":
    sys.exit(os.path.exists(COMMANDS))
assert os.environ["CODSPEED_ENV"] == "runner" and os.environ["CODSPEED_RUNNER_MODE"] == "walltime"
if how == "none":
    sys.exit(0)
if how == "bad":
    os.write(os.open(COMMANDS, os.O_WRONLY), b"\xff\xff\xff\xff")
    sys.exit(0)
if how != "silent":
    for path in (COMMANDS, ANSWERS):
        assert os.stat(path).st_mode & 0o777 == 0o600
    commands, answers = os.open(COMMANDS, os.O_WRONLY), os.open(ANSWERS, os.O_RDONLY)
    assert send(8, struct.pack("<Q", 2)) == struct.pack("<I", 3)
    assert send(9) == struct.pack("<II", 10, 0)
    send(5, text("test-plugin") + text("1.0"))
    send(4)
    send(1)
    until = time.monotonic() + 0.2
    while time.monotonic() < until:  # work to sample
        pass
    for i in range(5):
        begin = time.monotonic_ns()
        marker(2, begin)
        marker(3, begin + 2 * (took + i * 1000))
    send(2)
    send(0, struct.pack("<I", os.getpid()) + text(URI))
open(f"/tmp/perf-{os.getpid()}.map", "w").close()
folder = os.environ["CODSPEED_PROFILE_FOLDER"] + "/results"
os.makedirs(folder)
stats = {"median_ns": 9999999, "rounds": 5, "iter_per_round": 2}
with open(f"{folder}/{os.getpid()}.json", "w") as out:
    json.dump({"creator": {"name": "test-plugin"}, "benchmarks": [{"name": "test_work", "uri": URI, "stats": stats}]}, out)
