#!/usr/bin/env python3
"""Adds up clang's counters of lines: coverage.py BUILD [-lines]. Exits with 1 if coverage is below a limit.

A line in several objects counts as executed if one of the objects executed it. Only files below libpprofc and tools
count, without generated code.
"""
import os
import re
import subprocess
import sys

ALL_LINES = 97.0
EACH_FILE = 85.0
# Parts that communicate with browsers, servers, terminals or other programs. This script does not run all of their
# tests (tests/web, ci/record), so these parts have a separate limit for their sum.
APART_LINES = 85.0
APART = ("tools/pprofc/web/", "tools/http/", "tools/pprofc/fetch/", "tools/pprofc/shell/", "tools/pprofc/noise/", "tools/pprofci/")
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def programs(build):
    """Yields the programs and libraries that tests executed; each has a file of counters."""
    for folder, _, names in os.walk(build):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if os.access(path, os.X_OK) and not os.path.islink(path):
                with open(path, "rb") as file:
                    head = file.read(4)
                if head == b"\x7fELF":
                    yield path


def not_compiled(path):
    """Returns the numbers of the lines without code on this system: lines of the preprocessor, and lines for another
    system."""
    numbers, foreign, directive = set(), [], False
    with open(path) as file:
        for number, line in enumerate(file, 1):
            directive = directive or line.lstrip().startswith("#")
            word = re.match(r" *# *(if|elif|else|endif)(.*)", line)
            if word and word[1] != "if":
                foreign.pop()
            if word and word[1] != "endif":
                foreign.append(bool(re.search("__APPLE__|_WIN32|BSD", word[2])) and not word[2].startswith("ndef"))
            if directive or any(foreign):
                numbers.add(number)
            directive = directive and line.endswith("\\\n")
    return numbers


def count(build):
    """Returns {file: {line: number of executions}}, with paths relative to the root."""
    counts, files, lines = os.path.join(build, "counts"), {}, {}
    data = os.path.join(build, "counts.profdata")
    raw = [os.path.join(counts, name) for name in os.listdir(counts)]
    subprocess.run(["llvm-profdata", "merge", "-sparse", "-o", data] + raw, check=True)
    first, *others = programs(build)
    command = ["llvm-cov", "export", "-format=lcov", "-instr-profile", data, first] + ["-object=" + other for other in others]
    for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines():
        kind, _, text = line.partition(":")
        if kind == "SF":
            name = os.path.relpath(os.path.join(ROOT, text), ROOT)
            # skips generated code and deleted sources
            known = name.startswith(("libpprofc/", "tools/")) and os.path.exists(os.path.join(ROOT, name))
            lines = files.setdefault(name, {}) if known else {}
        elif kind == "DA":
            number, ran = map(int, text.split(",")[:2])
            lines[number] = lines.get(number, 0) + ran
    for name, lines in files.items():
        for number in not_compiled(os.path.join(ROOT, name)) & lines.keys():
            del lines[number]
    return files


def main():
    build, show_lines = os.path.abspath(sys.argv[1]), "-lines" in sys.argv[2:]
    files = {name: lines for name, lines in count(build).items() if lines}
    if not files:
        sys.exit("coverage.py: no counts in " + build)
    rows = []
    for name, lines in files.items():
        missed = sorted(number for number, times in lines.items() if not times)
        rows.append((100 * (1 - len(missed) / len(lines)), name, len(lines), missed))
    rows.sort()
    for percent, name, total, missed in rows:
        print(f"{percent:6.2f} % {total:5} lines, {len(missed):4} not run  {name}")
        if show_lines and missed:
            print("        " + " ".join(str(number) for number in missed))
    apart = [row for row in rows if row[1].startswith(APART)]
    rows = [row for row in rows if row not in apart]
    if apart:
        lines, missed = sum(row[2] for row in apart), sum(len(row[3]) for row in apart)
        apart_percent = 100 * (1 - missed / lines)
        print(f"{apart_percent:6.2f} % of {lines} lines in {len(apart)} files that are tested by other programs")
        if apart_percent < APART_LINES:
            sys.exit(f"coverage.py: less than {APART_LINES:g} % of what other programs test")
    total = sum(row[2] for row in rows)
    missed = sum(len(row[3]) for row in rows)
    percent = 100 * (1 - missed / total)
    low = [row[1] for row in rows if row[0] < EACH_FILE]
    print(f"{percent:6.2f} % of {total} lines in {len(rows)} files")
    for name in low:
        print(f"coverage.py: less than {EACH_FILE:g} % of {name}", file=sys.stderr)
    if percent < ALL_LINES:
        print(f"coverage.py: less than {ALL_LINES:g} % of all lines", file=sys.stderr)
    return 1 if low or percent < ALL_LINES else 0


if __name__ == "__main__":
    sys.exit(main())
