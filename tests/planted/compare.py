"""Checks the first reply of `compare`, of at most 4,000 bytes, for twenty pairs of recordings with a known cause. The
reply must have the function with file and line, the sign, and a verdict. Also prints the size of the output of go tool
pprof -top -diff_base.

  compare.py PPROFC ARCHIVE.tar.xz [NAME ...]     with names, also prints their replies
"""
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

import corpus

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "mcp"))
from client import Client  # pylint: disable=wrong-import-position

LEAST = 20


def planted_line(pair):
    """Returns file and line of the culprit."""
    file = pair.changes[0][0]
    return os.path.basename(corpus.FILES[pair.language][file]), corpus.line_of(pair.language, file, pair.line)


def is_named(pair, text):
    """True if a line of the list has the culprit or its callee, a verdict, a plus sign, and the culprit's line."""
    file, line = planted_line(pair)
    for found in re.finditer(r"^- (.*?): (grew less than the rest|grew|new|moved|shrank|gone), ([+-])(.*)$", text, re.M):
        if found[2] not in ("grew", "new", "grew less than the rest") or found[3] != "+":
            continue
        own, _, caller = found[4].partition("; called by ")
        for name, where in ((found[1], own), (caller.split(", ")[0], caller)):
            place = re.search(r"([^/\s]+):(\d+)(?:;.*)?$", where)
            if name.split("(")[0] == pair.function and place and place[1] == file and abs(int(place[2]) - line) <= 2:
                return True
    return False


def is_right(pair, text):
    kind = pair.name.split("-")[0]
    grew = re.search(r"^- .*?: (grew|new)[, ]", text, re.M)
    if kind == "moved":
        return not grew and "moved, without more cost:" in text
    if kind == "nothing":
        return not grew and "No self cost changed by more than noise." in text
    if kind == "slower":
        return not grew and "Common: all functions: +" in text
    return is_named(pair, text)


def pprof_bytes(folder, name):
    """Returns the number of bytes of go tool pprof -top -diff_base, or 0 without Go."""
    if not shutil.which("go"):
        return 0
    base, head = ([os.path.join(folder, name, side, run) for run in sorted(os.listdir(os.path.join(folder, name, side)))] for side in ("base", "head"))
    command = ["go", "tool", "pprof", "-symbolize=none", "-top", *(f"-diff_base={path}" for path in base), *head]
    return len(subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout)


def main():
    program, archive, wanted = sys.argv[1], sys.argv[2], sys.argv[3:]
    good, most = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(archive) as tar:
            tar.extractall(folder)
        folder = os.path.join(folder, "pairs")
        client = Client(program, folder)
        for pair in corpus.PAIRS:
            if wanted and pair.name not in wanted:
                continue
            text = client.call("compare", base=f"{pair.name}/base", head=f"{pair.name}/head")
            size, right = len(text.encode()), is_right(pair, text)
            good, most = good + right, max(most, size)
            print(f"{'right' if right else 'WRONG'}: {pair.name}, {size} bytes; "
                  f"go tool pprof prints {pprof_bytes(folder, pair.name) or 'nothing: no Go here'}", flush=True)
            if not right or wanted:
                print(text)
        client.close()
    print(f"{good} of {len(wanted or corpus.PAIRS)}; the longest answer has {most} bytes")
    assert wanted or good >= LEAST


if __name__ == "__main__":
    main()
