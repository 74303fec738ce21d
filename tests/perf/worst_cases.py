#!/usr/bin/env python3
"""Checks that the known worst case of each format and report grows no faster than its input. With four times the input,
CPU seconds may grow 6 times and memory 5.3 times (2.3 for each doubling). If a case takes longer, the test counts its
instructions with smaller inputs; the limit is 2.3 for twice the input. Time on a busy machine alone therefore fails no
case.

  worst_cases.py --bin BUILD/bin [-v] [PATTERN ...]
"""
import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile

import scaling
from scaling_inputs import FORMATS, Profile, message, number, packed

SECONDS_MOST, MEMORY_MOST, INSTRUCTIONS_MOST = 6, 5.3, 2.3
CPU_LIMIT, MEMORY_LIMIT = 60, 6 << 30
SHORT, SMALL = 0.8, 64  # seconds and MiB; smaller amounts are not judged


# ---- profiles: the argument is a number of messages --------------------------

def profile(make):
    def made(n):
        p = Profile()
        make(p, n)
        return p.bytes()
    made.__name__ = make.__name__
    return made


@profile
def flat(p, n):
    p.functions(n)
    for i in range(n):
        p.sample([1 + i])


@profile
def one_deep_stack(p, n):
    p.functions(min(n, 60000))
    p.sample([1 + i for i in range(min(n, 60000))])


@profile
def every_prefix(p, n):
    depth = int(n ** 0.5)
    p.functions(depth)
    for i in range(depth):
        p.sample([1 + k for k in range(i, -1, -1)])


@profile
def recursion(p, n):
    p.functions(2)
    for i in range(n // 1000 + 1):
        p.sample([1 + (i + k) % 2 for k in range(1000)], i + 1)


@profile
def every_pair(p, n):
    side = int(n ** 0.5)
    p.functions(2 * side)
    for i in range(side):
        for k in range(side):
            p.sample([1 + i, 1 + side + k])


@profile
def label_values(p, n):
    p.functions(3)
    for i in range(n):
        p.sample([1, 2], 1, [("key", f"value{i}")])


@profile
def label_keys(p, n):
    p.functions(3)
    for i in range(n):
        p.sample([1, 2], 1, [(f"key{i}", "value")])


@profile
def label_numbers(p, n):
    p.functions(3)
    for i in range(n):
        p.sample([1, 2], 1, [("bytes", i * i + 1)])


@profile
def labels_of_one_sample(p, n):
    p.functions(3)
    for i in range(0, n, 60):
        p.sample([1, 2], 1, [(f"key{i + k}", f"value{i + k}") for k in range(60)])


@profile
def labels_on_all_nodes(p, n):
    side = int(n ** 0.5)
    p.functions(side)
    for i in range(n):
        p.sample([1 + i % side], 1, [("key", f"value{i // side}"), ("bytes", i + 1)])


@profile
def overlapping_mappings(p, n):
    for i in range(1, n + 1):
        p.mapping(i, 4096, 4096 + 4096 * i, "/lib", 0)
    for i in range(1, n + 1):
        p.location(i, [], 0, i, 4096 + i)
        p.sample([i])


@profile
def inlined(p, n):
    p.functions(10)
    for i in range(n // 200 + 1):
        p.location(100 + i, [1 + k % 10 for k in range(200)])
        p.sample([100 + i])


@profile
def lines_of_one_function(p, n):
    p.function(1, "same", "/nonexistent/a.c")
    for i in range(n):
        p.location(1 + i, [1], i + 1)
        p.sample([1 + i])


@profile
def same_names(p, n):
    for i in range(n):
        p.function(1 + i, "same", f"file{i}.c")
        p.location(1 + i, [1 + i])
        p.sample([1 + i])


@profile
def long_names(p, n):
    """Adds names with parts that are shortened, nested or repeated."""
    for i, part in enumerate(("std::vector<", "f(", "<A as B>", "::h", ".cold", "a.(*T[...]).", "/", "operator", "x")):
        p.function(1 + i, part * (n // len(part)))
        p.location(1 + i, [1 + i])
        p.sample([1 + i])


@profile
def comments(p, n):
    p.functions(1)
    p.sample([1])
    for i in range(n):
        p.body += number(13, p.text(f"comment {i}"))


def types_and_frames(n):
    """Returns one sample of n values and n frames."""
    p = Profile()
    for i in range(n):
        p.body += message(1, number(1, p.text(f"type{i}")) + number(2, p.text("count")))
    p.functions(n)
    p.body += message(2, packed(1, range(1, n + 1)) + packed(2, range(n + 1)))
    return p.bytes()


def sample_types(n):
    p = Profile()
    for i in range(n):
        p.body += message(1, number(1, p.text(f"type{i}")) + number(2, p.text("count")))
    p.functions(1)
    p.body += message(2, packed(1, [1]) + packed(2, range(n + 1)))
    return p.bytes()


def units(n):
    p = Profile()
    p.functions(1)
    for i in range(n):
        p.body += message(2, packed(1, [1]) + packed(2, [1]) + message(3, number(1, p.text("k")) + number(3, i) + number(4, p.text(f"u{i}"))))
    return p.bytes()


# ---- other formats ----------------------------------------------------------

def v8(nodes):
    made = [{"id": i, "callFrame": {"functionName": f"f{i}", "scriptId": "1", "url": "a.js", "lineNumber": i, "columnNumber": 0}, "children": kids}
            for i, kids in nodes]
    return json.dumps({"nodes": made, "startTime": 0, "endTime": len(made), "samples": [i for i, _ in nodes], "timeDeltas": [1] * len(made)})


def v8_chain(n):
    return v8([(i, [i + 1] if i < n else []) for i in range(1, n + 1)])


def v8_star(n):
    return v8([(1, list(range(2, n + 1)))] + [(i, []) for i in range(2, n + 1)])


def event(kind, i, at, **more):
    return {"ph": kind, "name": f"f{i}", "ts": at, "pid": 1, "tid": 1, **more}


def trace_nested(n):
    return json.dumps([event("B", i, i) for i in range(n)] + [event("E", i, 2 * n - i) for i in reversed(range(n))])


def trace_without_ends(n):
    return json.dumps([event("B", i, i) for i in range(n)])


def trace_wrong_ends(n):
    return json.dumps([event("B", i, i) for i in range(n)] + [event("E", n + i, n + i) for i in range(n)])


def trace_within(n):
    return json.dumps([event("X", i % 7, i, dur=2 * (n - i)) for i in range(n)])


def speedscope_nested(n):
    events = [{"type": "O", "frame": i, "at": i} for i in range(n)] + [{"type": "C", "frame": i, "at": 2 * n - i} for i in reversed(range(n))]
    return json.dumps({"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": [{"name": f"f{i}"} for i in range(n)]},
                       "profiles": [{"type": "evented", "name": "x", "unit": "none", "startValue": 0, "endValue": 2 * n, "events": events}]})


def speedscope_equal(n):
    return json.dumps({"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": [{"name": "f"}]},
                       "profiles": [{"type": "sampled", "name": "x", "unit": "none", "startValue": 0, "endValue": n,
                                     "samples": [[0] * 8] * n, "weights": [1] * n}]})


def papyrus_nested(n):
    return "Script_x log opened (PC)\n" + "".join(f"{i}:PUSH:1:1:F (1):s..f{i}\n" for i in range(n))


def folded_prefixes(n):
    return "".join(";".join(f"f{k}" for k in range(i + 1)) + " 1\n" for i in range(int(n ** 0.5)))


def folded_one_name(n):
    return "x" * n + ";b 1\n"


def perf_commands(n):
    return "".join(f"c{i} {i}/{i} [000] {i}.{i % 1000000:06d}: 1 ev{i % 20}:\n\t{i * 4096:x} f{i}+0x1 (/lib{i})\n\n" for i in range(n))


def goroutines(n):
    return "".join(f"goroutine {i} [chan receive, {i} minutes]:\nmain.f{i}(0x1)\n\t/a/b.go:{i} +0x1\n\n" for i in range(1, n))


def callgrind_diamonds(n):
    lines = ["version: 1", "events: Ir"]
    for i in range(n):
        for k in "ab":
            lines += [f"fn={k}{i}", "1 1"]
            if i + 1 < n:
                for m in "ab":
                    lines += [f"cfn={m}{i + 1}", "calls=1 1", "1 10"]
    return "\n".join(lines) + "\n"


def callgrind_events(n):
    return "version: 1\nevents: " + " ".join(f"E{i}" for i in range(n)) + "\nfn=a\n1 " + " ".join("1" for _ in range(n)) + "\n"


def otlp_types(n):
    texts = message(5, b"") + b"".join(message(5, f"t{i}".encode()) for i in range(n + 2))
    dictionary = texts + message(6, b"") + message(7, b"") + message(2, b"") + message(2, message(2, number(1, 5))) + message(7, packed(1, [1]))
    kinds = (message(1, number(1, 1 + i) + number(2, 2 + i)) + message(2, number(1, 1) + packed(4, [1])) for i in range(n))
    return b"".join(message(1, message(2, message(2, kind))) for kind in kinds) + message(2, dictionary)


SHAPES = {flat: 20000, one_deep_stack: 15000, every_prefix: 400000, recursion: 400000, every_pair: 60000, label_values: 30000, label_keys: 30000,
          label_numbers: 40000, labels_of_one_sample: 30000, labels_on_all_nodes: 20000, overlapping_mappings: 15000, inlined: 100000,
          lines_of_one_function: 30000, same_names: 15000, long_names: 100000, comments: 50000, sample_types: 40000,
          types_and_frames: 1000, units: 30000}
OTHERS = {v8_chain: 2500, v8_star: 8000, trace_nested: 4000, trace_without_ends: 4000, trace_wrong_ends: 4000, trace_within: 4000,
          speedscope_nested: 4000, speedscope_equal: 40000, papyrus_nested: 4000, folded_prefixes: 100000, folded_one_name: 1000000,
          perf_commands: 15000, goroutines: 12000, callgrind_diamonds: 2000, callgrind_events: 8000, otlp_types: 2000}
# Formats whose stacks share their callers: n bytes contain n * n frames.
CHAINS = (v8_chain, trace_nested, speedscope_nested, papyrus_nested)
# Reports that run with each shape. The other reports run only with the shapes in HARD.
ALWAYS = ("top", "flame", "dot", "tags")
HARD = (every_pair, labels_on_all_nodes)
FLAGS = ["-output=/dev/null", "-symbolize=none", "-nodecount=1000000", "-nodefraction=0", "-edgefraction=0"]


def cases(reports):
    for make, n in SHAPES.items():
        for report in ALWAYS:
            yield make, n, ["-" + report]
    for make in HARD:
        for report in reports:
            if report not in ALWAYS + scaling.NATIVE + scaling.AS_DOT + scaling.AS_CALLGRIND:
                yield make, SHAPES[make] // 2, [scaling.report_flag(report)]
    yield types_and_frames, SHAPES[types_and_frames], ["-json"]
    for make in (flat, label_values, sample_types):
        yield make, SHAPES[make] // 2, ["-top", "-noise", "-diff_base=SELF"]
        yield make, SHAPES[make] // 2, ["-flame", "-diff_base=SELF"]
    for make, n in OTHERS.items():
        yield make, n, ["-top"]
    # -folded and -speedscope write each stack in full, and reject 2^30 frames, so they are not in this list.
    for make in CHAINS:
        for report in ("-flame", "-json", "-flamegraph", "-flamebearer"):
            yield make, 2 * OTHERS[make], [report]
    for name, makers in FORMATS.items():
        for make, n in makers:
            if make not in OTHERS and name != "callgrind":
                yield make, n * 20, ["-top"]


kept = {}  # files of one generator by their n, which consecutive cases share


def write(make, n, folder):
    """Writes the file in another process, because the peak memory of a child starts with the size of its parent."""
    if kept.get("make") is not make:
        for path in kept.values():
            if path is not kept["make"]:
                os.remove(path)
        kept.clear()
        kept["make"] = make
    if n in kept:
        return kept[n]
    path = kept[n] = os.path.join(folder, f"input{n}")
    child = os.fork()
    if child == 0:
        data = make(n)
        with open(path, "wb") as file:
            file.write(data.encode() if isinstance(data, str) else data)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        sys.exit(f"{make.__name__}: the input was not written")
    return path


def command(pprofc, flags, path):
    return [pprofc, *FLAGS, *(flag.replace("SELF", path) for flag in flags), path]


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_LIMIT, CPU_LIMIT))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))


def measure(line):
    """Returns CPU seconds, MiB and the status. Status 2 is an error with a message."""
    child = subprocess.Popen(line, preexec_fn=limit, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, child.returncode


def grows_in_instructions(pprofc, make, n, flags, folder, count):
    """Counts instructions with fewer messages, and with twice as many. Returns True if they grow by more than the
    limit, and a text."""
    counts = [count(command(pprofc, flags, write(make, size, folder))) for size in (n // 16, n // 8)]
    ratio = counts[1] / counts[0]
    return ratio > INSTRUCTIONS_MOST, f"{counts[0]} -> {counts[1]} instructions"


def judge(pprofc, make, n, flags, folder, count):
    """Returns the problem, and the measured numbers."""
    (seconds, small, status), (longer, large, last) = (measure(command(pprofc, flags, write(make, size, folder))) for size in (n, 4 * n))
    text = f"{seconds:.2f} -> {longer:.2f} s, {small:.0f} -> {large:.0f} MiB, status {status} and {last}"
    if min(status, last) < 0:
        return "killed by a signal", text
    if 2 in (status, last):
        return "", text + ": refused"
    if large > SMALL and large > MEMORY_MOST * max(small, 8):
        return "memory", text
    if longer > SHORT and longer > SECONDS_MOST * max(seconds, 0.02):
        wrong, counted = grows_in_instructions(pprofc, make, n, flags, folder, count)
        return "time" if wrong else "", text + ", " + counted
    return "", text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("-v", action="store_true", help="print every case")
    parser.add_argument("patterns", nargs="*")
    options = parser.parse_args()
    pprofc = os.path.join(options.bin, "pprofc")
    count = scaling.counter()
    if not count:
        print("skipped: neither perf nor valgrind counts instructions here")
        sys.exit(77)
    done = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for make, n, flags in cases(scaling.report_formats(pprofc)):
            name = f"{make.__name__} {' '.join(flags)}"
            if options.patterns and not any(p in name for p in options.patterns):
                continue
            why, text = judge(pprofc, make, n, flags, folder, count)
            done += 1
            wrong += bool(why)
            if why or options.v:
                print(f"{name}, {n} -> {4 * n}: {text}{': ' + why if why else ''}", flush=True)
    print(f"{done} cases, {wrong} grow faster than their input")
    sys.exit(1 if wrong or not done else 0)


if __name__ == "__main__":
    main()
