#!/usr/bin/env python3
"""Measures the speed of each reader of a foreign format: CPU time of -comments on a large file, in turns with gzip -dc
of the same bytes.

  importers.py --bin BUILD/bin [--megabytes 20] [--rounds 3] [PATTERN ...]

The generators of scaling_inputs.py create the files. All names and stacks differ, which needs the most work per byte.
Prints a table for docs/BENCHMARKS.md.
"""
import argparse
import gzip
import os
import pathlib
import resource
import subprocess
import tempfile

import scaling_inputs

LEAST = 50  # MB/s


def sized(make, first, wanted):
    """Returns the output of `make` with a size close to `wanted` bytes."""
    data = make(first * 4)
    n = first * 4
    while len(data) < wanted * 0.8 and n < 1 << 24:
        n = min(int(n * min(wanted / len(data), 16)) + 1, 1 << 24)
        data = make(n)
    return data.encode() if isinstance(data, str) else data


def seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode:
        raise SystemExit(f"{' '.join(command)}: {run.stderr.strip()}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(pprofc, name, data, folder, rounds):
    path = os.path.join(folder, "input")
    pathlib.Path(path).write_bytes(data)
    pathlib.Path(path + ".gz").write_bytes(gzip.compress(data, 6))
    report = [pprofc, "-comments", "-output=/dev/null", path]
    times = [(seconds(report), seconds(["gzip", "-dc", path + ".gz"])) for _ in range(rounds)]
    ours, theirs = (min(column) for column in zip(*times))
    size = len(data) / 1e6
    mark = "" if size / ours >= LEAST else " slow"
    print(f"| {name} | {size:.0f} | {ours:.3f} | {size / ours:.0f} | {ours / theirs:.1f} |{mark}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--megabytes", type=float, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("patterns", nargs="*")
    options = parser.parse_args()
    print("| input | MB | CPU s | MB/s | times gzip -dc |\n|---|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for name, makers in scaling_inputs.FORMATS.items():
            for make, first in makers:
                full = f"{name}: {make.__name__}"
                if options.patterns and not any(p in full for p in options.patterns):
                    continue
                data = sized(make, first, options.megabytes * 1e6)
                measure(os.path.join(options.bin, "pprofc"), full, data, folder, options.rounds)


if __name__ == "__main__":
    main()
