"""Requests the twenty recorded pairs from `compare` of pprofc -mcp and from other programs. Checks if the first reply
names the culprit (anywhere in 4,000 bytes, or as its first function), its file and line, the sign, and a verdict.

  peers.py PPROFC ARCHIVE.tar.xz [FOLDER]     FOLDER has node_modules of pprof-to-md and @firefox-devtools/profiler-cli

For a program that compares no profiles, the reply is its reply for the base and then for the head. Prints the names of
missing programs. Pairs without a culprit count only for the last column, where the right answer is that no self cost
grew.
"""
import os
import re
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time

import corpus
from compare import Client, is_right, planted_line

ROOM = 4000  # bytes of a reply that count


def runs_of(folder, pair, side):
    folder = os.path.join(folder, pair.name, side)
    return [os.path.join(folder, run) for run in sorted(os.listdir(folder))]


def run(*command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, timeout=120, **more).stdout.decode()


def ask_go(folder, pair):
    return run("go", "tool", "pprof", "-symbolize=none", "-top", *(f"-diff_base={path}" for path in runs_of(folder, pair, "base")),
               *runs_of(folder, pair, "head"))


def ask_markdown(programs, pprofc, folder, pair):
    """Queries pprof-to-md, which reads one profile: the sum of the runs of a side."""
    text = ""
    for side in ("base", "head"):
        merged = os.path.join(folder, "merged.pb.gz")
        run(pprofc, "-proto", "-symbolize=none", f"-output={merged}", *runs_of(folder, pair, side))
        text += run(os.path.join(programs, "pprof-to-md"), merged)
    return text


def ask_firefox(programs, pprofc, folder, pair):
    """Queries profiler-cli, which does not read pprof's format. Gives it the folded stacks of a side, without lines."""
    program, text = os.path.join(programs, "profiler-cli"), ""
    for side in ("base", "head"):
        folded = os.path.join(folder, "merged.folded")
        stacks = [line.rsplit(" ", 1) for line in run(pprofc, "-folded", "-symbolize=none", *runs_of(folder, pair, side)).splitlines()]
        # profiler-cli makes a sample of each unit, so a side becomes about 2,000 samples.
        unit = sum(int(value) for _, value in stacks) / 2000
        with open(folded, "w", encoding="utf-8") as file:
            file.writelines(f"{stack} {round(int(value) / unit)}\n" for stack, value in stacks if int(value) > unit / 2)
        subprocess.run([program, "load", folded], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, timeout=120)
        for _ in range(30):
            done = subprocess.run([program, "thread", "functions"], capture_output=True, text=True, check=False, timeout=120)
            if done.returncode == 0:
                break
            time.sleep(1)
        assert done.returncode == 0, done
        text += done.stdout
        run(program, "stop", "--all")
    return text


# The first function in a reply of compare, go tool pprof, pprof-to-md and profiler-cli.
FIRST = re.compile(r"^(?:- (.+?): (?:grew|new)| *\S+ +\S+% +\S+% +\S+ +\S+% +(.+)|- \*\*Primary bottleneck:\*\* `(.+?)`|"
                   r" *f-\d+\. (.+?) - self)", re.M)


def judge(pair, text):
    """Returns the contents of a reply: (culprit named, culprit first, file and line, sign)."""
    if not pair.function:
        return None
    text = text.encode()[:ROOM].decode(errors="ignore")
    file, line = planted_line(pair)
    first = list(FIRST.finditer(text))[:1]
    is_first = any(pair.function == next(filter(None, m.groups())).split("(")[0].strip() for m in first)
    short = re.escape(pair.function)
    rows = [row for row in text.split("\n") if re.search(rf"(?<![\w.]){short}(?![\w])", row)]
    places = [(m[1], int(m[2])) for row in rows for m in re.finditer(r"([^/\s(]+):(\d+)", row)]
    named = any(name == file and abs(number - line) <= 2 for name, number in places)
    signs = [re.search(r"(?:^|[\s,])([+-]?)[\d.]+[a-zA-Z]*(?=[\s,\[])", row) for row in rows[:1]]
    return bool(rows), is_first, named, any(m and m[1] != "-" for m in signs)


def main():
    pprofc, archive = os.path.abspath(sys.argv[1]), sys.argv[2]
    programs = os.path.join(os.path.abspath(sys.argv[3]), "node_modules/.bin") if len(sys.argv) > 3 else ""
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(archive) as tar:
            tar.extractall(folder)
        folder = os.path.join(folder, "pairs")
        client = Client(pprofc, folder)
        askers = {
            "`compare` of `pprofc -mcp`": (True, lambda pair: client.call("compare", base=f"{pair.name}/base", head=f"{pair.name}/head")),
            "`go tool pprof -top -diff_base`": (True, lambda pair: ask_go(folder, pair)),
            "`pprof-to-md`, base and head": (False, lambda pair: ask_markdown(programs, pprofc, folder, pair)),
            "`profiler-cli thread functions`, base and head": (False, lambda pair: ask_firefox(programs, pprofc, folder, pair)),
        }
        print("| answer | culprit | as first | file and line | sign | right, with the verdict | bytes, median | largest |\n|---|--:|--:|--:|--:|--:|--:|--:|")
        for name, (compares, ask) in askers.items():
            found, right, sizes = [], 0, []
            try:
                for pair in corpus.PAIRS:
                    text = ask(pair)
                    sizes.append(len(text.encode()))
                    right += "compare" in name and is_right(pair, text)
                    if pair.function:
                        found.append(judge(pair, text))
            except (OSError, subprocess.SubprocessError, AssertionError) as failure:
                print(f"| {name} | not asked: {str(failure)[:200]!r} |", flush=True)
                continue
            columns = [f"{sum(one[i] for one in found)} of {len(found)}" for i in range(4)]
            if not compares:
                columns[3] = f"0 of {len(found)}"
            print(f"| {name} | {' | '.join(columns)} | {right} of {len(corpus.PAIRS)} | {statistics.median(sizes):,.0f} | {max(sizes):,} |", flush=True)
        client.close()


if __name__ == "__main__":
    main()
