#!/usr/bin/env python3
"""Checks that the shell reuses the read profile: a second report costs at most half of the start with the first report.

  shell_reuse.py BUILD/bin
"""
import os
import subprocess
import sys
import tempfile

import scaling


def main():
    count = scaling.counter()
    if not count:
        print("skipped: neither perf nor valgrind counts instructions")
        return 77
    pprofc = os.path.join(sys.argv[1], "pprofc")
    with tempfile.TemporaryDirectory() as folder:
        folded, profile = os.path.join(folder, "a.folded"), os.path.join(folder, "a.pb.gz")
        with open(folded, "w", encoding="ascii") as file:
            for i in range(20000):
                file.write(";".join(f"f{i * d % 997}" for d in range(1, 20)) + f" {i + 1}\n")
        subprocess.run([pprofc, "-symbolize=none", "-proto", f"-output={profile}", folded], check=True, stderr=subprocess.DEVNULL)
        script = os.path.join(folder, "script")
        costs = []
        for lines in ("top\n", "top\ntop\n", "top\nfocus=f7\ntop\n"):
            with open(script, "w", encoding="ascii") as file:
                file.write(lines)
            with open(script, encoding="ascii") as file:
                costs.append(count([pprofc, "-symbolize=none", "-threads=1", profile], stdin=file))
    first, second, filtered = costs[0], costs[1] - costs[0], costs[2] - costs[0]
    print(f"start and top: {first:,}; another top: {second:,}; with a filter: {filtered:,} instructions")
    return 0 if 2 * second <= first and filtered <= first else 1


if __name__ == "__main__":
    sys.exit(main())
