#!/usr/bin/env python3
"""Records with a profiler, and compares pprofc's sums with the profiler's own sums.

  recorders.py --bin BUILD/bin --testdata testdata --cache .cache NAME

Each recorder has a function in this file. The function records one of the programs of testdata/imports, and returns the
sums of pprofc and of the profiler. The profiler's sums come from its report if it prints one, or else from its file.
Exits with 77 if the profiler is missing. Packages of PyPI and npm are installed once, into the cache.
"""
import argparse
import collections
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import flight_recorder

PIP = {"py-spy": ["py-spy==0.4.3"], "pyinstrument": ["pyinstrument==5.1.3"], "pytest": ["pytest==9.1.1", "pytest-benchmark==5.3.1"]}
NPM = {"0x": ["0x@6.0.0"]}


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def fail(*words):
    print(*words)
    sys.exit(1)


def needs(*programs):
    for program in programs:
        if not shutil.which(program):
            skip(f"there is no {program}")


def may_record(program, made):
    """Skips the test if the kernel forbids ptrace or events of perf, which a profiler needs."""
    if made.returncode and re.search(r"not permitted|Permission denied|No permission|paranoid|not supported", made.stderr):
        skip(f"the kernel does not let {program} record")


def run(*command, **options):
    made = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=200, check=False, **options)
    if made.returncode:
        fail(*command, "ended with", made.returncode, made.stdout[-1000:], made.stderr[-1000:])
    return made


def kept(cache, folder, install):
    """Returns a folder of the cache. `install` fills the folder completely or not at all."""
    path = os.path.join(cache, folder)
    if not os.path.exists(os.path.join(path, "complete")):
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        try:
            install(path)
        except (subprocess.SubprocessError, OSError):
            skip(f"the packages for {os.path.basename(folder)} cannot be installed")
        with open(os.path.join(path, "complete"), "w", encoding="utf-8"):
            pass
    return path


def pip(cache, program):
    """Returns a program of PyPI, in a separate environment."""
    def install(path):
        subprocess.run([sys.executable, "-m", "venv", path], capture_output=True, timeout=100, check=True)
        subprocess.run([f"{path}/bin/python", "-m", "pip", "install", "-q", *PIP[program]], capture_output=True, timeout=250, check=True)
    return os.path.join(kept(cache, f"pip/{program}", install), "bin", program)


def npm(cache, program):
    needs("npm", "node")

    def install(path):
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--prefix", path, *NPM[program]], capture_output=True, timeout=250, check=True)
    return os.path.join(kept(cache, f"npm/{program}", install), "node_modules", ".bin", program)


class Place:
    """The programs to record, pprofc, and a folder for recordings."""

    def __init__(self, options, folder):
        self.bin, self.cache, self.folder = os.path.abspath(options.bin), os.path.abspath(options.cache), folder
        self.imports = os.path.abspath(os.path.join(options.testdata, "imports"))
        for name in ("calls.js", "calls.py", "calls.rb", "calls.java", "calls.jfc", "test_calls.py", "calls.c", "mix.h", "counts.c", "counts.cc"):
            shutil.copy(os.path.join(self.imports, name), folder)

    def run(self, *command, **options):
        return run(*command, cwd=self.folder, **options)

    def path(self, name):
        return os.path.join(self.folder, name)

    def json(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file)

    def compile(self):
        compiler = os.environ.get("CC", "cc")
        needs(compiler)
        self.run(compiler, "-g", "-O1", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-o", "calls", "calls.c", "-pthread")

    def top(self, name, index, unit):
        """Returns the flat and cum values of each function, in `unit`."""
        made = self.run(os.path.join(self.bin, "pprofc"), "-top", "-symbolize=none", f"-sample_index={index}", f"-unit={unit}", "-nodefraction=0",
                        "-nodecount=1000000", name)
        rows = {}
        for line in made.stdout.splitlines():
            match = re.match(r" *([-\d.]+)\S* +\S+ +\S+ +([-\d.]+)\S* +\S+  (.*)", line)
            if match:
                rows[match.group(3)] = (float(match.group(1)), float(match.group(2)))
        return rows

    def comment(self, name, pattern):
        """Returns the number in a comment of the profile."""
        made = self.run(os.path.join(self.bin, "pprofc"), "-comments", name)
        return sum(map(int, re.findall(pattern, made.stdout)))

    def ticks(self, name):
        return sum(self.flat(name, "samples", "samples").values()) + self.comment(name, r"(\d+) ticks? ha(?:s|ve) no stack")

    def flat(self, name, index, unit):
        """Returns the self value of each function. Inlined and other calls of a function count together."""
        sums = collections.Counter()
        for function, (flat, _) in self.top(name, index, unit).items():
            sums[function.removesuffix(" (inline)")] += flat
        return {function: flat for function, flat in sums.items() if flat}


def same(what, ours, theirs, tolerance=0.0):
    """Compares numbers, or tables of numbers."""
    if not isinstance(ours, dict):
        ours, theirs = {"total": ours}, {"total": theirs}
    if not any(theirs.values()):
        fail(f"{what}: the profiler recorded nothing")
    for key in sorted(set(ours) | set(theirs)):
        a, b = ours.get(key, 0), theirs.get(key, 0)
        if abs(a - b) > tolerance * max(abs(a), abs(b), 1):
            fail(f"{what}, {key}: pprofc says {a}, the profiler {b}\npprofc: {ours}\nprofiler: {theirs}")
    print(f"{what}: {len(theirs)} equal, {sum(theirs.values()):g} in all")


# ---- Python ----------------------------------------------------------------------------------------------------------------------------

def pyspy(place):
    program = pip(place.cache, "py-spy")
    for form, name in (("raw", "calls.folded"), ("speedscope", "calls.speedscope.json")):
        command = [program, "record", "-r", "100", "-d", "1", "-f", form, "-o", name, "--", sys.executable, "calls.py", "3"]
        made = subprocess.run(command, cwd=place.folder, capture_output=True, text=True, timeout=200, check=False)
        may_record("py-spy", made)
        if made.returncode:
            fail(*command, made.stderr[-1000:])
        samples = int(re.search(r"Samples: (\d+)", made.stdout + made.stderr).group(1))
        if form == "raw":
            theirs = collections.Counter()
            with open(place.path(name), encoding="utf-8") as file:
                for line in file:
                    stack, count = line.rsplit(" ", 1)
                    # pprofc splits the file and the line from "function (file:line)".
                    theirs[re.sub(r" \([^()]*:\d+\)$", "", stack.rsplit(";", 1)[-1])] += int(count)
            same("py-spy's count of samples", sum(theirs.values()), samples)
            # A sample before Python's first frame has no stack, and counts only in the total.
            theirs.pop("", 0)
            same("py-spy raw", place.flat(name, "samples", "samples"), theirs)
            total = place.run(os.path.join(place.bin, "pprofc"), "-top", name).stdout
            same("samples with and without a stack", int(re.search(r" of (\d+) total", total).group(1)), samples)
            continue
        data, theirs, empty = place.json(name), collections.Counter(), 0
        for profile in data["profiles"]:
            for stack, weight in zip(profile["samples"], profile["weights"]):
                if not stack:  # Python has not started yet
                    empty += round(weight * 1e9)
                    continue
                theirs[data["shared"]["frames"][stack[-1]]["name"]] += round(weight * 1e9)
        ours = place.flat(name, "wall", "nanoseconds")
        same("py-spy speedscope", ours, theirs, 1e-6)
        same("py-spy's samples of 10 ms", sum(ours.values()) + empty, samples * 1e7, 1e-6)


def pyinstrument(place):
    program, name = pip(place.cache, "pyinstrument"), "calls.speedscope.json"
    place.run(program, "-i", "0.005", "-r", "speedscope", "-o", name, "calls.py", "1")
    data, theirs = place.json(name), collections.Counter()
    for profile in data["profiles"]:
        stack, last = [], profile["startValue"]
        for event in profile["events"]:
            if stack:
                theirs[data["shared"]["frames"][stack[-1]]["name"]] += (event["at"] - last) * 1e9
            last = event["at"]
            if event["type"] == "O":
                stack.append(event["frame"])
            else:
                stack.pop()
    same("pyinstrument", place.flat(name, "wall", "nanoseconds"), {key: value for key, value in theirs.items() if value >= 1}, 1e-4)


def pytest_benchmark(place):
    python = os.path.join(os.path.dirname(pip(place.cache, "pytest")), "python")
    place.run(python, "-m", "pytest", "-q", "--benchmark-json=out.json", "--benchmark-max-time=0.2", "test_calls.py")
    theirs = sorted(b["stats"]["median"] * 1e9 for b in place.json("out.json")["benchmarks"])
    text = place.run(os.path.join(place.bin, "benchstatc"), "-format=csv", "out.json").stdout.split("\n\n")[0]
    ours = sorted(float(line.split(",")[1]) * 1e9 for line in text.splitlines() if "::test_" in line)
    same("medians of pytest-benchmark", dict(enumerate(ours)), dict(enumerate(theirs)), 1e-6)


# ---- Node ------------------------------------------------------------------------------------------------------------------------------

def node_cpu(place):
    needs("node")
    place.run("node", "--cpu-prof", "--cpu-prof-interval", "500", "--cpu-prof-name=calls.cpuprofile", "calls.js")
    data, theirs = place.json("calls.cpuprofile"), collections.Counter()
    for node in data["nodes"]:
        theirs[node["callFrame"]["functionName"]] += node.get("hitCount", 0)
    ours = place.flat("calls.cpuprofile", "samples", "samples")
    names = [name for name in theirs if name and not name.startswith("(") and theirs[name]]
    same("node --cpu-prof", {n: ours.get(n, 0) for n in names}, {n: theirs[n] for n in names})
    wall = sum(place.flat("calls.cpuprofile", "wall", "nanoseconds").values())
    if wall > (data["endTime"] - data["startTime"]) * 1000 * 1.001:
        fail(f"{wall} ns in a profile of {data['endTime'] - data['startTime']} us")
    if not {"fibonacci", "round", "sort", "parse"} & set(ours):
        fail("no function of the program:", ours)


def node_heap(place):
    needs("node")
    place.run("node", "--heap-prof", "--heap-prof-interval", "16384", "--heap-prof-name=calls.heapprofile", "calls.js")
    theirs, waiting = collections.Counter(), [place.json("calls.heapprofile")["head"]]
    while waiting:
        node = waiting.pop()
        theirs[node["callFrame"]["functionName"]] += node["selfSize"]
        waiting += node["children"]
    ours = place.flat("calls.heapprofile", "inuse_space", "bytes")
    names = [name for name in theirs if name and not name.startswith("(") and theirs[name]]
    same("node --heap-prof", {n: ours.get(n, 0) for n in names}, {n: theirs[n] for n in names})
    same("node --heap-prof in all", sum(ours.values()), sum(theirs.values()))


def node_prof(place):
    needs("node")
    place.run("node", "--prof", "--logfile=isolate-calls-v8.log", "--no-logfile-per-isolate", "calls.js")
    text = place.run("node", "--prof-process", "isolate-calls-v8.log").stdout
    known = json.loads(place.run("node", "--prof-process", "--preprocess", "isolate-calls-v8.log").stdout)["ticks"]
    place.run(os.path.join(place.bin, "pprofc"), "-proto", "-output=calls.pb.gz", "isolate-calls-v8.log")
    ours = place.ticks("calls.pb.gz")
    same("ticks that node --prof-process knows", ours, len(known))
    if not 0 < ours <= int(re.search(r"\((\d+) ticks", text).group(1)):
        fail(ours, "ticks here, and node says", text[:200])


def zero_x(place):
    place.run(npm(place.cache, "0x"), "-D", "out", "--collect-only", "calls.js")
    (name,) = glob.glob(place.path("out/isolate*.json"))
    same("ticks of 0x", place.ticks(name), len(place.json(name)["ticks"]))


# ---- Java, Ruby ------------------------------------------------------------------------------------------------------------------------

def flight(place):
    needs("java", "javac", "jfr")
    place.run("javac", "calls.java")
    place.run("java", "-Xmx64m", "-XX:StartFlightRecording=settings=profile,filename=calls.jfr", "calls", "300")
    ours = flight_recorder.sums_of_pprofc(os.path.join(place.bin, "pprofc"), place.path("calls.jfr"))
    theirs = flight_recorder.sums_of_jfr(place.path("calls.jfr"), {"cpu": 10000000, "native": 20000000})
    same("jfr print", {k: v for k, v in ours.items() if v}, {k: v for k, v in theirs.items() if v})
    summary = place.run("jfr", "summary", "calls.jfr").stdout
    events = int(re.search(r"jdk.ExecutionSample +(\d+)", summary).group(1))
    without = place.comment("calls.jfr", r"(\d+) events? ha(?:s|ve) no stack")
    if not events - without <= ours["cpu"] / 10000000 <= events:
        fail(f"{events} samples in the summary, {ours['cpu'] / 10000000} here, {without} events without a stack")


def stackprof(place):
    needs("ruby")
    if subprocess.run(["ruby", "-e", "require 'stackprof'"], capture_output=True, check=False).returncode:
        skip("Ruby has no stackprof")
    script = """
require "json"; require "stackprof"
load "calls.rb"
profile = StackProf.run(mode: :wall, interval: 1000, raw: true) { 30.times { work(2) } }
File.write("calls.stackprof.json", JSON.generate(profile))
StackProf::Report.new(profile).print_text(false, 1000)
"""
    text = place.run("ruby", "-e", script).stdout
    theirs = {}
    for line in text.splitlines():
        match = re.match(r" +\d+ +\([\d.]+%\) +(\d+) +\([\d.]+%\) +(.*)", line)
        if match and int(match.group(1)):
            theirs[match.group(2)] = int(match.group(1))
    same("stackprof", place.flat("calls.stackprof.json", "samples", "samples"), theirs)


# ---- native programs -------------------------------------------------------------------------------------------------------------------

def callgrind(place):
    needs("valgrind", "callgrind_annotate")
    place.compile()
    place.run("valgrind", "-q", "--tool=callgrind", "--callgrind-out-file=calls.callgrind.out", "./calls")
    rows = {True: collections.defaultdict(set), False: collections.defaultdict(set)}
    for inclusive in rows:
        text = place.run("callgrind_annotate", "--auto=no", "--threshold=100", f"--inclusive={'yes' if inclusive else 'no'}", "calls.callgrind.out").stdout
        for line in text.splitlines():
            # Code inlined from a header has a separate row, which no caller has.
            match = re.match(r" *([\d,]+) \([ \d.]+%\)  (?:\S*/)?(calls\.c|mix\.h):(\w+)('\d+)?( \[|$)", line)
            if match and (match.group(2) == "calls.c" or not inclusive):
                rows[inclusive][match.group(3)].add(int(match.group(1).replace(",", "")))
        total = int(re.search(r"([\d,]+) .*PROGRAM TOTALS", text).group(1).replace(",", ""))
    # A function has a second row as a callee, without its object. This row repeats the first row's number, or has a
    # number that the first row lacks.
    flat, cum = ({name: sum(numbers) for name, numbers in rows[inclusive].items()} for inclusive in (False, True))
    top = place.top("calls.callgrind.out", "Ir", "Ir")
    same("callgrind in all", sum(own for own, _ in top.values()), total)
    same("callgrind_annotate", {n: top[n][0] for n in flat}, flat)
    # Functions that call themselves or each other count more than once in the callers of callgrind.
    straight = [n for n in cum if n not in ("fibonacci", "is_even", "is_odd")]
    same("callgrind_annotate --inclusive", {n: top[n][1] for n in straight}, {n: cum[n] for n in straight}, 0.001)


COUNTED = {
    "recursion": {"recursion", "recursion;factorial", "recursion;factorial;work", "recursion;even", "recursion;even;work", "recursion;even;odd",
                  "recursion;even;odd;work", "recursion;even;odd;even", "recursion;even;odd;even;work", "recursion;even;odd;even;odd",
                  "recursion;even;odd;even;odd;work"},
    "callback": {"callback", "callback;compare", "callback;compare;work"},
    "longjmp": {"jumps", "jumps;dive", "jumps;dive;leap", "jumps;dive;leap;work", "jumps;work"},
    "signal": {"signals", "signals;work", "on_signal", "on_signal;work"},
    "exception": {"rescue()", "rescue();fail(int)", "rescue();fail(int);work(long)", "rescue();work(long)"},
    "names": {"names()", "names();work(long)", "names();marked<(char)39>::run(long)", "names();marked<(char)39>::run(long);work(long)",
              "names();number::operator<(number const&) const", "names();number::operator<(number const&) const;work(long)",
              "names();void apply<void (*)(long)>(void (*)(long))", "names();void apply<void (*)(long)>(void (*)(long));work(long)"},
}


def folded(place, name, *flags):
    """Returns the instructions of each stack."""
    sums = collections.Counter()
    text = place.run(os.path.join(place.bin, "pprofc"), "-folded", "-symbolize=demangle=none", "-sample_index=Ir", *flags, name).stdout
    for line in text.splitlines():
        stack, count = line.rsplit(" ", 1)
        sums[stack] += int(count)
    return sums


def callgrind_stacks(place):
    """Checks that counts of exact stacks equal the counts of callgrind_annotate, and that the stacks are the calls of
    the programs."""
    needs("valgrind", "callgrind_annotate")
    for source, compiler in (("counts.c", os.environ.get("CC", "cc")), ("counts.cc", os.environ.get("CXX", "c++"))):
        needs(compiler)
        if not os.path.exists("/usr/include/valgrind/callgrind.h"):
            skip("there is no valgrind/callgrind.h")
        out = source + ".out"
        place.run(compiler, "-g", "-O1", "-fno-optimize-sibling-calls", "-Wl,-z,now", "-o", "counts", source)
        place.run("valgrind", "-q", "--tool=callgrind", "--instr-atstart=no", "--combine-dumps=yes", "--separate-callers=60",
                  f"--callgrind-out-file={out}", "./counts")
        text = place.run("callgrind_annotate", "--auto=no", "--threshold=100", out).stdout
        theirs = collections.Counter()
        for line in text.splitlines():
            match = re.match(r" *([\d,]+) \([ \d.]+%\)  [^:]*:(.*?)( \[[^]]*\])?$", line)
            if match:
                names = match.group(2).split("'")
                if len(names) > 1 and names[1].isdigit():  # the level of recursion
                    del names[1]
                theirs[";".join(reversed(names))] += int(match.group(1).replace(",", ""))
        same(f"callgrind_annotate, contexts of {source}", folded(place, out), theirs)
        with open(place.path(out), encoding="utf-8") as file:
            named = re.findall(r"Client Request: (" + re.escape(source) + r"::(\w+).*)", file.read())
        if "estimated" in place.run(os.path.join(place.bin, "pprofc"), "-comments", out).stdout:
            fail("exact stacks are called estimates")
        for name, short in named:
            stacks = {stack.removeprefix("main;") for stack in folded(place, out, f"-benchmark=^{re.escape(name)}$")}
            # Frames of libraries between the program's frames, or below them, do not count.
            own = {";".join(frame for frame in stack.split(";") if frame in FRAMES) for stack in stacks if stack.split(";")[-1] in FRAMES}
            if own != COUNTED[short]:
                fail(f"{name}: stacks {sorted(own)}, and the calls are {sorted(COUNTED[short])}")
            print(f"{name}: {len(own)} stacks are the calls")


FRAMES = {frame for stacks in COUNTED.values() for stack in stacks for frame in stack.split(";")}


def dhat(place):
    needs("valgrind")
    place.compile()
    text = place.run("valgrind", "--tool=dhat", "--dhat-out-file=calls.dhat.json", "./calls").stderr
    for line, types in (("Total", "total"), ("At t-gmax", "gmax"), ("At t-end", "end")):
        size, blocks = (int(n.replace(",", "")) for n in re.search(line + r": +([\d,]+) bytes in ([\d,]+) blocks", text).groups())
        same(f"dhat, {line}, bytes", sum(place.flat("calls.dhat.json", types + "_bytes", "bytes").values()), size)
        same(f"dhat, {line}, blocks", sum(place.flat("calls.dhat.json", types + "_blocks", "count").values()), blocks)
    for what in ("reads", "writes"):
        size = int(re.search(what.capitalize() + r": +([\d,]+) bytes", text).group(1).replace(",", ""))
        same(f"dhat, {what}", sum(place.flat("calls.dhat.json", what, "bytes").values()), size)


def heaptrack(place):
    needs("heaptrack", "heaptrack_print")
    place.compile()
    place.run("heaptrack", "-o", place.path("heap"), "./calls", "50")
    (name,) = glob.glob(place.path("heap.*"))
    text = place.run("heaptrack_print", "-F", "calls.folded", "-f", name).stdout
    calls = int(re.search(r"calls to allocation functions: (\d+)", text).group(1))
    same("heaptrack's allocations", sum(place.flat("calls.folded", "samples", "samples").values()), calls)


def perf(place):
    needs("perf")
    place.compile()
    made = subprocess.run(["perf", "record", "-q", "-e", "cpu-clock:u", "-F", "499", "-g", "-o", "perf.data", "./calls", "20000"], cwd=place.folder,
                          capture_output=True, text=True, timeout=200, check=False)
    may_record("perf", made)
    if made.returncode:
        fail("perf record", made.stderr[-1000:])
    text = place.run("perf", "report", "--stdio", "-i", "perf.data", "--no-children", "-g", "none", "-n", "-F", "sample,sym", "-s", "sym").stdout
    theirs = {}
    for line in text.splitlines():
        match = re.match(r" +(\d+)  \[[.k]\] (.*?) *$", line)
        if match:
            theirs[match.group(2)] = int(match.group(1))
    ours = place.flat("perf.data", "samples", "count")
    same("perf report in all", sum(ours.values()), sum(theirs.values()))
    if not place.run(os.path.join(place.bin, "pprofc"), "-top", "-symbolize=none", "perf.data").stdout.startswith("File: calls\n"):
        fail("the profile is not named by the program")
    names = ("fibonacci", "is_even", "is_odd", "checksum", "parse")
    same("perf report", {n: ours.get(n, 0) for n in names}, {n: theirs.get(n, 0) for n in names})


RECORDERS = {f.__name__: f for f in (pyspy, pyinstrument, pytest_benchmark, node_cpu, node_heap, node_prof, zero_x, flight, stackprof, callgrind, callgrind_stacks, dhat,
                                     heaptrack, perf)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--testdata", required=True)
    parser.add_argument("--cache", required=True)
    parser.add_argument("recorder", choices=RECORDERS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        RECORDERS[options.recorder](Place(options, folder))


main()
