#!/usr/bin/env python3
"""Checks that twice the input costs the gate and benchstatc about twice as much: scale_bench.py BIN [PATTERN].

Valgrind counts instructions, which do not depend on the machine or its load. Each case is an input that grows in one
direction only (columns, rows, units, files, tables ...). The test subtracts the instructions of an empty input. Skips
itself without valgrind (status 77).
"""
import concurrent.futures
import fnmatch
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

# Linearithmic time stays below 2.3 at these sizes, and quadratic time is 4.
MOST = 2.6
# Fewer instructions are noise of the program's start.
LEAST = 300_000

BIN = os.path.abspath(sys.argv[1])


# ---- inputs ----------------------------------------------------------------------------------------------------------------------


def go(columns=1, rows=4, units=1, rounds=4, packages=1, factor=1):
    """Returns results of go test -bench with `columns` values of the key "variant"."""
    out = []
    for column in range(columns):
        out.append(f"variant: v{column}")
        for package in range(packages):
            if packages > 1:
                out.append(f"pkg: p{package}")
            for row in range(rows):
                for i in range(rounds):
                    values = " ".join(f"{1000 * factor + i + column} " + (f"unit{u}" if u else "ns/op") for u in range(units))
                    out.append(f"BenchmarkName{row} 1 {values}")
    return "\n".join(out) + "\n"


def go_notes(n):
    """Returns results whose cells all have different footnotes."""
    out = []
    for i in range(n):
        for j in range(i % 40 + 2):
            out.append(f"BenchmarkName{i} 1 {j + 5} ns/op")
    return "\n".join(out) + "\n"


def text_table(columns, rows, tables=1):
    names = ["a"] + [f"c{i}" for i in range(columns)]
    label = " " * 12 + "│" + "│".join(f"{n:^34}" for n in names) + "│"
    units = " " * 12 + "│" + "│".join(f"{'sec/op':^34}" if not i else f"{'sec/op':^15}{'vs base':<19}" for i in range(len(names))) + "│"
    lines = []
    for _ in range(tables):
        lines += [label, units]
        for row in range(rows):
            cells = [f"{'1.000µ ± 1%':<34} "] + [f"{'1.010µ ± 1%  +1.00% (p=0.010 n=10)':<34} "] * columns
            lines.append(f"{f'Name{row}':<12} " + "".join(cells))
        lines.append("")
    return "\n".join(lines) + "\n"


def csv_table(columns, rows):
    lines = [",a," + "".join(f",c{i},,," for i in range(columns)),
             ",sec/op,CI" + ",sec/op,CI,vs base,P" * columns]
    lines += [f"Name{row},1.0,1%" + ",1.01,1%,+1.00%,p=0.010 n=10" * columns for row in range(rows)]
    return "\n".join(lines) + "\n"


def markdown_table(columns, rows):
    lines = ["|  | a sec/op |" + "".join(f" c{i} sec/op | vs base |" for i in range(columns)),
             "| :-- | --: |" + " --: | --: |" * columns]
    lines += [f"| Name{row} | 1.0µ ± 1% |" + " 1.01µ ± 1% | +1.00% (p=0.010 n=10) |" * columns for row in range(rows)]
    return "\n".join(lines) + "\n"


def classic_table(rows):
    return "name  old time/op  new time/op  delta\n" + "".join(
        f"Name{row}  1.00µs ± 1%  1.01µs ± 1%  +1.00%  (p=0.010 n=10+10)\n" for row in range(rows))


def google(n, factor):
    return json.dumps({"context": {"library_build_type": "release"},
                       "benchmarks": [{"name": f"BM_{i}", "run_name": f"BM_{i}", "run_type": "iteration", "iterations": 1,
                                       "real_time": 1000 * factor + r, "cpu_time": 900 * factor + r, "time_unit": "ns"}
                                      for i in range(n) for r in range(4)]})


# ---- cases -----------------------------------------------------------------------------------------------------------------------

# Cases by name: n, a function that returns the files, the command.
CASES = {}


def case(name, n, make, *command):
    CASES[name] = (n, make, command)


def results(name, n, make, *flags):
    """Adds a case: benchstatc on one file."""
    case(name, n, lambda k: {"in.txt": make(k)}, "benchstatc", *flags, "in.txt")


def gate(name, n, make, *flags):
    """Adds a case: the gate on one table."""
    case(name, n, lambda k: {"in.txt": make(k)}, "parse_bench_regressions", *flags, "in.txt")


def raw(name, n, make, *flags):
    """Adds a case: the gate on two runs."""
    case(name, n, lambda k: {"base.txt": make(k, 1), "head.txt": make(k, 2)}, "parse_bench_regressions", "-base", "base.txt", "-head",
         "head.txt", *flags)


for form in ("text", "csv", "markdown", "html", "json"):
    results(f"benchstatc/columns/{form}", 60, lambda k: go(columns=k), "-format", form, "-col", "variant")
    results(f"benchstatc/rows/{form}", 150, lambda k: go(rows=k), "-format", form)
    results(f"benchstatc/units/{form}", 60, lambda k: go(units=k), "-format", form)
    results(f"benchstatc/tables/{form}", 60, lambda k: go(columns=k), "-format", form, "-table", "variant")
results("benchstatc/column-fields", 60, lambda k: go(columns=k), "-col", "variant,/x,.file")
results("benchstatc/packages", 100, lambda k: go(packages=k))
results("benchstatc/notes", 100, go_notes)
results("benchstatc/samples", 200, lambda k: go(rounds=k))
results("benchstatc/sorted", 150, lambda k: go(rows=k), "-row", ".fullname@alpha")
results("benchstatc/google", 100, lambda k: google(k, 1))
for form in ("text", "csv", "html"):
    flags = ("-format", "classic") + (() if form == "text" else (f"-{form}",))
    case(f"benchstatc/files/{form}", 25, lambda k: {f"f{i:04}.txt": go(factor=1 + i) for i in range(k)}, "benchstatc", *flags, "FILES")
    results(f"benchstatc/classic-rows/{form}", 150, lambda k: go(rows=k), *flags)
case("benchstatc/files", 25, lambda k: {f"f{i:04}.txt": go(factor=1 + i) for i in range(k)}, "benchstatc", "FILES")

gate("gate/text/columns", 200, lambda k: text_table(k, 6))
gate("gate/text/rows", 200, lambda k: text_table(2, k))
gate("gate/text/tables", 60, lambda k: text_table(2, 2, k))
gate("gate/csv/columns", 200, lambda k: csv_table(k, 6))
gate("gate/csv/rows", 300, lambda k: csv_table(2, k))
gate("gate/markdown/columns", 50, lambda k: markdown_table(k, 20))
gate("gate/markdown/rows", 300, lambda k: markdown_table(2, k))
gate("gate/classic/rows", 300, classic_table)
gate("gate/failures", 300, lambda k: classic_table(10) + "".join(f"FAIL\tp{i}\n" for i in range(k)))
gate("gate/long-line", 2000, lambda k: text_table(2, 4).replace("Name1 ", "N" * k + " "))
for form in ("text", "github", "markdown", "json", "junit", "gitlab", "csv"):
    raw(f"gate/raw/rows/{form}", 60, lambda k, f: go(rows=k, factor=f), "-all", "-format", form)
    gate(f"gate/table/rows/{form}", 250, lambda k: csv_table(1, k).replace("+1.00%", "+50.00%"), "-all", "-format", form)
raw("gate/raw/units", 30, lambda k, f: go(units=k, factor=f))
raw("gate/raw/packages", 30, lambda k, f: go(packages=k, factor=f))
raw("gate/raw/samples", 30, lambda k, f: go(rounds=k, factor=f), "-test", "welch")
raw("gate/raw/aa", 60, lambda k, f: go(rows=k, factor=f), "-aa")
raw("gate/raw/google", 60, google)
case("gate/rules", 60, lambda k: {"rules.json": json.dumps({"rules": [{"benchmark": f"Name{i}*", "threshold": "5%"} for i in range(k)]}),
                                  "in.txt": csv_table(1, 40)}, "parse_bench_regressions", "-rules", "rules.json", "in.txt")


# ---- counting --------------------------------------------------------------------------------------------------------------------


def count(files, command):
    """Returns the instructions and the exit status of a run. The status must not be the status of a usage error."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        arguments = [a for word in command[1:] for a in (sorted(files) if word == "FILES" else [word])]
        done = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", "--log-file=log",
                               os.path.join(BIN, command[0]), *arguments],
                              cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=600, env={"PATH": os.environ["PATH"]})
        with open(os.path.join(folder, "log")) as file:
            said = file.read()
        found = re.search(r"I +refs: +([\d,]+)", said)
        if not found or done.returncode not in (0, 1, 2, 3) or b"usage:" in done.stderr:
            sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stderr.decode()}\n{said}")
        return int(found.group(1).replace(",", ""))


def measure(item):
    name, (n, make, command) = item
    start = count(make(1), command)
    once, twice = (count(make(k), command) - start for k in (n, 2 * n))
    return name, n, once, twice


def main():
    if not shutil.which("valgrind"):
        print("skipped: no valgrind to count instructions with")
        return 77
    pattern = sys.argv[2] if len(sys.argv) > 2 else "*"
    cases = [item for item in CASES.items() if fnmatch.fnmatch(item[0], pattern)]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for name, n, once, twice in pool.map(measure, cases):
            bad = twice > MOST * max(once, LEAST)
            failed += bad
            print(f"{'FAILED ' if bad else ''}{name}: {once} instructions for {n}, {twice} for {2 * n}: {twice / max(once, 1):.2f} times")
    print(f"{len(cases)} cases, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
