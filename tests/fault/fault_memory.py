#!/usr/bin/env python3
"""Checks pprofc at the limit of its memory: fault_memory.py PPROFC TESTDATA.

Each run that exceeds the limit must exit with 2, print one line that names the flag, and leave no output file. The
largest resident set must stay below the limit plus a constant.
"""
import gzip
import os
import subprocess
import sys
import tempfile

MIB = 1 << 20
PROGRAM = 24 * MIB  # memory of the program itself: code, stacks of threads, buffers of zlib and stdio

pprofc, testdata = sys.argv[1:3]
failures = 0


def varint(n):
    out = b""
    while n >= 0x80:
        out += bytes([n & 0x7F | 0x80])
        n >>= 7
    return out + bytes([n])


def message(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


def write_profile(file, sample, count, types):
    """Writes `count` equal samples piece by piece, because child processes inherit the memory use of this process. The
    profile has one mapping, location and function. Returns the size."""
    file.write(message(1, b"") * types + message(3, b"\x08\x01\x28\x01\x38\x01") + message(5, b"\x08\x01\x10\x01") +
               message(4, b"\x08\x01\x10\x01\x22\x02\x08\x01") + message(6, b"") + message(6, b"main"))
    for _ in range(count // 1000):
        file.write(message(2, sample) * 1000)
    return file.tell()


def write_stacks(file, count):
    """Writes samples with different stacks, which no reader can add up: three of 200 functions each."""
    file.write(message(1, b"") + message(3, b"\x08\x01\x28\x01\x38\x01") + b"".join(message(6, f"f{i}".encode() if i else b"") for i in range(201)))
    for i in range(1, 201):
        file.write(message(5, b"\x08" + varint(i) + b"\x10" + varint(i)) +
                   message(4, b"\x08" + varint(i) + b"\x10\x01\x22" + varint(1 + len(varint(i))) + b"\x08" + varint(i)))
    for i in range(count):
        ids = b"".join(varint(1 + i // step % 200) for step in (1, 200, 40000))
        file.write(message(2, b"\x0A" + varint(len(ids)) + ids + b"\x10\x01"))


def run(*arguments, stdin=None):
    """Returns status, standard output, messages, and the largest resident set in bytes."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen([pprofc, *arguments], stdin=stdin or subprocess.DEVNULL, stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        return process.returncode, out.read(), err.read().decode(), usage.ru_maxrss * 1024


def check(good, what):
    global failures
    if not good:
        failures += 1
        print("FAILED:", what)


def refused(flag, most, *arguments, stdin=None):
    """Checks that the run ends at a limit."""
    what = "pprofc " + " ".join(arguments)
    status, out, err, resident = run(*arguments, stdin=stdin)
    lines = err.splitlines()
    check(status == 2, f"{what}: status {status}")
    check(len(lines) == 1 and flag in lines[0], f"{what}: {err!r}")
    check(resident <= most, f"{what}: {resident // MIB} MiB resident, allowed {most // MIB}")
    return err


def held(most, *arguments):
    """Checks that the run uses no more memory. The run may end at a limit."""
    what = "pprofc " + " ".join(arguments)
    status, _, err, resident = run(*arguments)
    check(status == 0 or (status == 2 and "-max_memory" in err and err.count("\n") == 1), f"{what}: {status} {err!r}")
    check(resident <= most, f"{what}: {resident // MIB} MiB resident, allowed {most // MIB}")
    return status


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    values, single = b"\x12\x64" + b"\x01" * 100, b"\x0A\x01\x01\x10\x01"
    with open("values.pb", "wb") as file:
        raw = write_profile(file, values, 400000, 100)
    with gzip.open("values.pb.gz", "wb") as file:
        write_profile(file, values, 400000, 100)
    with open("single.pb", "wb") as file:
        write_profile(file, single, 600000, 1)
    with open("stacks.pb", "wb") as file:
        write_stacks(file, 300000)

    # 100 KB that would need 350 MB. pprofc must reject the input before it allocates more than the input's size.
    refused("-max_ratio", raw + PROGRAM, "-top", "values.pb.gz")
    refused("-max_memory", raw + PROGRAM, "-top", "-max_ratio=100000", "-max_memory=256M", "values.pb.gz")
    refused("-max_memory", raw + PROGRAM, "-top", "-max_memory=256M", "values.pb")
    refused("-max_memory", 16 * MIB + PROGRAM, "-top", "-max_memory=16M", "values.pb")
    with open("values.pb.gz", "rb") as pipe:
        refused("-max_memory", 16 * MIB + PROGRAM, "-top", "-max_memory=16M", "-", stdin=pipe)

    # All results computed from a profile count. The reader adds up equal samples, and keeps different stacks.
    ended = 0
    formats = ("top", "raw", "proto", "flame=text", "flame", "folded", "traces", "tree", "dot", "callgrind",
               "speedscope", "flamegraph", "json", "tags", "peek=.")
    for name in formats:
        for limit, source in ((12, "stacks.pb"), (16, "stacks.pb"), (16, "single.pb"), (24, "single.pb"), (40, "single.pb"), (88, "single.pb")):
            if os.path.exists("out"):
                os.unlink("out")
            status = held(limit * MIB + PROGRAM, f"-{name}", "-output=out", f"-max_memory={limit}M", source)
            check(os.path.exists("out") == (status == 0), f"-{name} -max_memory={limit}M: partial output")
            ended += status == 2
        check(status == 0, f"-{name} -max_memory={limit}M does not suffice")
    check(ended > len(formats), f"reports were refused only {ended} times")
    check(sorted(os.listdir(".")) == ["out", "single.pb", "stacks.pb", "values.pb", "values.pb.gz"], f"left: {os.listdir('.')}")

    # All sources share one budget, and the run ends if any of them reaches the limit.
    for threads in ("1", "4"):
        flags = ("-top", "-output=shared", f"-threads={threads}")
        said = refused("-max_memory", 64 * MIB + PROGRAM, "-max_memory=64M", *flags, *["single.pb"] * 6)
        check("single.pb" in said or "memory" in said, said)
        difference = ("-diff_base=single.pb", *["single.pb"] * 2)
        refused("-max_memory", 48 * MIB + PROGRAM, "-max_memory=48M", *flags, *difference)
    check(not os.path.exists("shared"), "output of a refused run")

    # pprofc skips a source that is not a profile, as always.
    with open("broken.pb", "wb") as file:
        file.write(b"no profile")
    status, out, err, _ = run("-top", "single.pb", "broken.pb")
    check(status == 2 and b"main" in out and "Fetched 1 source profiles out of 2" in err, f"{status} {err!r}")

    # Real profiles need much less than the default limit.
    for name in sorted(os.listdir(testdata)):
        if name.endswith((".prof", ".pb.gz")):
            status, _, err, _ = run("-top", os.path.join(testdata, name))
            check("-max_" not in err, f"{name}: {err!r}")

sys.exit(failures != 0)
