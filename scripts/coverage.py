#!/usr/bin/env python3
"""Sums up what gcov counted: coverage.py BUILD [-lines]. Status 1 when a limit does not hold.

A line that is compiled into several objects counts as run when one of them ran it. Only files below libpprofc and tools
are counted; generated code is not.
"""
import json
import os
import subprocess
import sys
import tempfile

ALL_LINES = 97.0
EACH_FILE = 85.0
# Parts that talk to browsers, servers, terminals or runs of other programs: their tests are partly not run here (tests/web, ci/record).
# They are summed up by themselves, with a limit of their own for all of them.
APART_LINES = 85.0
APART = ("tools/pprofc/web/", "tools/http/", "tools/pprofc/fetch/", "tools/pprofc/shell/", "tools/pprofc/noise/", "tools/pprofci/")
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def notes(build):
    for top in ("libpprofc", "tools"):
        for folder, _, names in os.walk(os.path.join(build, top)):
            for name in sorted(names):
                if name.endswith(".gcno"):
                    yield os.path.join(folder, name)


def documents(build):
    """The JSON documents of gcov, one for each object."""
    files = list(notes(build))
    with tempfile.TemporaryDirectory() as folder:
        for start in range(0, len(files), 40):
            command = ["gcov", "--json-format", "--stdout"] + files[start : start + 40]
            said = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout
            for line in said.splitlines():
                if line.strip():
                    yield json.loads(line)


def count(build):
    """{file: {line: how often it ran}}, files relative to the root."""
    files = {}
    for document in documents(build):
        for entry in document["files"]:
            # -ffile-prefix-map and ccache leave names that are relative to the root or to the folder of the objects
            name = os.path.normpath(os.path.relpath(entry["file"], ROOT) if entry["file"].startswith(ROOT) else
                                    entry["file"].lstrip("/"))
            while name.startswith("../"):
                name = name[3:]
            # generated code, and notes of sources that are gone
            if not name.startswith(("libpprofc/", "tools/")) or not os.path.exists(os.path.join(ROOT, name)):
                continue
            lines = files.setdefault(name, {})
            for line in entry["lines"]:
                number = line["line_number"]
                lines[number] = lines.get(number, 0) + line["count"]
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
