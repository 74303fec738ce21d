#!/usr/bin/env python3
"""Compares the reports of pprofc with the reports of `go tool pprof`, byte for byte.

  compare.py --bin BUILD/bin [--pprof COMMAND] [--show N]

Exits with 77 and prints one line if Go is not installed. Each row of COMMANDS runs on the profiles of its kind. The
pprof of an older Go differs in ways that DIFFERENCES and docs/COMPAT.md list. --pprof names another pprof.
"""
import argparse
import collections
import concurrent.futures
import difflib
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

TESTDATA = pathlib.Path(__file__).resolve().parent.parent.parent / "testdata"

CPU = ["generator_cpu.prof", "server_cpu.pb.gz"]
HEAP = ["generator_mem.prof", "server_heap.pb.gz"]
ALL = CPU + HEAP + ["server_mutex.pb.gz", "server_b_heap.debug1.txt", "native/native_c.cpu.prof",
                    "native/native_cxx.heap"]

# Arguments, and their profiles. -base and -diff_base name profiles in the arguments.
COMMANDS = [
    # flat lists and granularities
    ("-top", ALL), ("-top -cum", ALL), ("-text -lines", ALL), ("-top -files", CPU),
    ("-top -filefunctions", ALL), ("-top -addresses", ALL), ("-top -noinlines", ALL),
    # trimming, units, values
    ("-top -nodecount=5", ALL), ("-top -nodefraction=0.05", CPU), ("-top -trim=false", HEAP),
    ("-top -unit=ms", CPU), ("-top -unit=kb", HEAP), ("-top -mean", ALL), ("-top -divide_by=3", ALL),
    ("-top -compact_labels", CPU), ("-top -sample_index=0", ALL), ("-top -sample_index=0 -mean", HEAP),
    ("-top -inuse_objects", HEAP), ("-top -sample_index=alloc_space -drop_negative", HEAP),
    # names
    ("-top -focus=runtime", ALL), ("-top -ignore=runtime", CPU), ("-top -hide=runtime", CPU),
    ("-top -show=runtime", CPU), ("-top -show_from=main", CPU), ("-top -prune_from=runtime", HEAP),
    ("-top -focus=json -relative_percentages", CPU), ("-top -focus=malloc -ignore=json -hide=sort", CPU),
    ("-top -hide=libc", ["native/native_c.cpu.prof", "native/native_cxx.heap"]), ("-top -all_frames", HEAP),
    # labels
    ("-top -tagfocus=bytes=1kb:", HEAP), ("-top -tagignore=bytes=:1kb", HEAP),
    ("-top -tagfocus=endpoint=report", CPU), ("-top -tagroot=endpoint -cum", CPU),
    ("-top -tagleaf=bytes -nodecount=10", HEAP), ("-tags", ALL), ("-tags -tagshow=bytes", HEAP),
    ("-tags -taghide=endpoint", CPU),
    # the call graph as text
    ("-tree", ALL), ("-tree -cum", ALL), ("-tree -lines -nodecount=20", ALL), ("-tree -focus=malloc", HEAP),
    ("-tree -nodefraction=0.1 -edgefraction=0.05", CPU), ("-peek=malloc", HEAP), ("-peek=main -cum", ALL),
    ("-traces", ALL), ("-traces -lines", CPU), ("-traces -addresses -noinlines", HEAP),
    ("-traces -hide=runtime", CPU), ("-raw", ALL), ("-raw -focus=runtime", CPU), ("-raw -noinlines", HEAP),
    # formats for other programs
    ("-dot", ALL), ("-dot -nodecount=10", ALL), ("-dot -nodecount=0", HEAP), ("-dot -lines -nodecount=20", CPU),
    ("-dot -focus=malloc -cum", CPU), ("-callgrind", ALL), ("-callgrind -focus=main", CPU),
    ("-callgrind -noinlines -cum", HEAP), ("-comments -add_comment=hello", CPU), ("-top -add_comment=hello", CPU),
    # reports without a result
    ("-list=nosuch", CPU), ("-peek=nosuch", HEAP), ("-top -focus=nosuch", CPU), ("-top -focus=a(b", CPU),
    ("-top -sample_index=nosuch", HEAP), ("-top -nosuch", CPU),
    # two profiles
    ("-top server_b_cpu.pb.gz", ["server_cpu.pb.gz"]), ("-raw server_b_cpu.pb.gz", ["server_cpu.pb.gz"]),
    ("-base=server_cpu.pb.gz -top", ["server_b_cpu.pb.gz"]),
    ("-diff_base=server_cpu.pb.gz -top -cum", ["server_b_cpu.pb.gz"]),
    ("-diff_base=server_cpu.pb.gz -tree", ["server_b_cpu.pb.gz"]),
    ("-diff_base=server_heap.pb.gz -dot", ["server_b_heap.pb.gz"]),
    ("-base=generator_mem.prof -callgrind", ["generator_optimized_mem.prof"]),
    ("-base=generator_mem.prof -raw", ["generator_optimized_mem.prof"]),
    ("-diff_base=generator_mem.prof -tags", ["generator_optimized_mem.prof"]),
    ("-diff_base=generator_mem.prof -top -normalize", ["generator_optimized_mem.prof"]),
]


def without_time(text):
    """Replaces both forms of the line `Time:` by the same text."""
    text = re.sub(r"Time: [A-Z][a-z]{2} \d+, \d+ at \d+:\d+[ap]m \(\w+\)", "Time: T", text)
    return re.sub(r"Time: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \w+", "Time: T", text)


def without_columns(text):
    return re.sub(r":(-?\d+):\d+( s=-?\d+)", r":\1\2", text)


def tag_names(text):
    """Returns keys and values of -tags in their order, without the numbers."""
    text = re.sub(r"(?m)^ *(\S+): Total .*$", r"\1", text)
    return re.sub(r"(?m)^ *[-\d.e+]+\w*(?: \([^)]*\))?: (.*)$", r"  \1", text)


def sorted_lines(text):
    return "\n".join(sorted(text.splitlines()))


# Differences between versions of pprof, and output without a fixed order: the reason, a regular expression for the
# commands, and a function that removes the difference. A rule applies only if the outputs differ.
DIFFERENCES = [
    ("before 2024-10 the time has another form", r"", without_time),
    ("before 2024-01 profiles have no columns", r"-raw", without_columns),
    ("before 2025-02 -tags shows no percentages of the total", r"-tags", tag_names),
    ("edges of weights v and -v have no order in pprof", r"base=.*-tree", sorted_lines),
]

# Before 2022-11 pprof merged a single profile: it added up equal samples and dropped samples of 0. If the outputs
# differ, both programs read the profile that pprof has written, which is merged.
MERGED = "before 2022-11 a single profile is merged, too"

# A flag that had no effect on some reports. Both programs run without this flag.
NO_EFFECT = ("-noinlines", r"-raw|-callgrind", "before 2022-11 -noinlines has no effect on -raw and -callgrind")

# Flags that are newer than the pprof of Debian 12.
NEW_FLAGS = {"-all_frames": "before 2025-12 there is no -all_frames"}


def explained(command, theirs, ours):
    """Returns the rules that make the outputs equal, or None if they differ."""
    used = []
    for reason, pattern, rule in DIFFERENCES:
        if theirs == ours:
            break
        if not re.search(pattern, command):
            continue
        before = (theirs, ours)
        theirs, ours = rule(theirs), rule(ours)
        if (theirs, ours) != before:
            used.append(reason)
    return used if theirs == ours else None


class Runner:
    """Runs both programs in testdata, without settings of the caller."""

    def __init__(self, theirs, ours, folder):
        self.programs, self.folder = (theirs, ours), folder
        self.env = dict(os.environ, TZ="UTC", HOME=folder, PPROF_TMPDIR=folder, LC_ALL="C.UTF-8")
        for name in ("PPROF_TOOLS", "PPROF_BINARY_PATH"):
            self.env.pop(name, None)

    def run(self, which, arguments):
        result = subprocess.run([*self.programs[which], "-symbolize=none", *arguments], cwd=TESTDATA,
                                env=self.env, timeout=300, stdin=subprocess.DEVNULL, capture_output=True)
        text = lambda data: data.decode("utf-8", "surrogateescape")
        return text(result.stdout), text(result.stderr), result.returncode != 0

    def outputs(self, command, profile):
        return [self.run(which, [*command.split(), profile]) for which in (0, 1)]

    def rewritten(self, profile):
        """Returns the profile as written by Go's pprof."""
        path = os.path.join(self.folder, profile.replace("/", "_") + ".pb.gz")
        if not os.path.exists(path):
            self.run(0, ["-proto", "-sample_index=0", f"-output={path}", profile])
        return path

    def compare_merged(self, command, profile, reasons):
        (a, _, _), (b, _, _) = self.outputs(command, self.rewritten(profile))
        used = explained(command, a, b)
        return None if used is None else used + reasons

    def compare(self, case):
        """Returns the reasons for a difference, or the outputs if no rule explains the difference."""
        command, profile = case
        (a, said, failed_a), (b, _, failed_b) = self.outputs(command, profile)
        for flag, reason in NEW_FLAGS.items():
            if f"flag provided but not defined: {flag}" in said:
                return [reason], None
        used = explained(command, a, b) if failed_a == failed_b else None
        if used is None and "base=" not in command and failed_a == failed_b:
            used = self.compare_merged(command, profile, [MERGED])
        if used is None and NO_EFFECT[0] in command and re.search(NO_EFFECT[1], command):
            without = command.replace(NO_EFFECT[0], "")
            if self.run(0, [*command.split(), profile]) == self.run(0, [*without.split(), profile]):
                used = self.compare_merged(without, profile, [MERGED, NO_EFFECT[2]])
        return used, (a, b) if used is None else None


def without_go(theirs):
    """Returns the program that `go tool pprof` starts. The go command itself takes six times as long as its report."""
    if theirs != ["go", "tool", "pprof"]:
        return theirs
    # Go since 1.25 builds the tool at its first call.
    subprocess.run(theirs, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    path = subprocess.run(["go", "tool", "-n", "pprof"], stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout.strip()
    return [path] if os.access(path, os.X_OK) else theirs


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--bin", required=True, help="folder of the programs")
    options.add_argument("--pprof", default="go tool pprof")
    options.add_argument("--show", type=int, default=5, help="how many differences to print")
    options = options.parse_args()
    theirs = shlex.split(options.pprof)
    if not shutil.which(theirs[0]):
        print(f"skipped: no {theirs[0]} to compare with")
        return 77
    ours = [os.path.join(os.path.abspath(options.bin), "pprofc")]
    cases = [(command, profile) for command, profiles in COMMANDS for profile in profiles]
    count, reasons, failed = collections.Counter(), collections.Counter(), 0
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        runner = Runner(without_go(theirs), ours, folder)
        for (command, profile), (used, outputs) in zip(cases, pool.map(runner.compare, cases)):
            if used is not None:
                count["explained" if used else "equal"] += 1
                reasons.update(used)
                continue
            failed += 1
            print(f"DIFFERENT {command} {profile}")
            if failed <= options.show:
                lines = difflib.unified_diff(*(text.splitlines() for text in outputs), "pprof", "pprofc",
                                             lineterm="", n=0)
                print("\n".join("  " + line[:200] for line in list(lines)[:20])
                      .encode("utf-8", "backslashreplace").decode())
    print(f"{len(cases)} comparisons: {count['equal']} equal, {count['explained']} explained, {failed} different")
    for reason, times in sorted(reasons.items()):
        print(f"  {times:4} {reason}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
