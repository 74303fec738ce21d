#!/usr/bin/env python3
"""Compares the sums that pprofc reads from recordings with the sums of the JDK's program jfr.

The sums of jfr for the recordings in testdata are in files NAME.sums, so the test runs without a JDK. With a JDK it
also checks these files, and --update writes them. An event without a stack does not count.
"""
import argparse
import collections
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

# For each event: its sample type, and the field with the value of another type.
EVENTS = {
    "jdk.ExecutionSample": ("cpu", None, None), "jdk.NativeMethodSample": ("native", None, None), "jdk.CPUTimeSample": (None, "cpu_time", "samplingPeriod"),
    "jdk.ObjectAllocationInNewTLAB": ("alloc_in_new_tlab_objects", "alloc_in_new_tlab_bytes", "tlabSize"),
    "jdk.ObjectAllocationOutsideTLAB": ("alloc_outside_tlab_objects", "alloc_outside_tlab_bytes", "allocationSize"),
    "jdk.ObjectAllocationSample": ("alloc_sample_objects", "alloc_sample_bytes", "weight"),
    "jdk.JavaMonitorEnter": ("mutex_contentions", "mutex_delay", "duration"),
    "jdk.ThreadPark": ("block_contentions", "block_delay", "duration"),
    "jdk.JavaMonitorWait": ("wait_count", "wait_delay", "duration"),
    "profiler.WallClockSample": (None, "wall", "samples"),
    "profiler.LiveObject": ("live", "live_bytes", "allocationSize"),
    "profiler.Malloc": ("malloc_objects", "malloc_bytes", "size"),
}
# Nanoseconds of each sample, from the settings of the recordings.
PERIODS = {"calls.jfr.gz": {"cpu": 10000000}, "calls.async.jfr.gz": {"cpu": 5000000, "wall": 20000000}}


def number(value):
    return round(float(value[2:-1]) * 1e9) if isinstance(value, str) else value


def sums_of_jfr(path, periods):
    with tempfile.NamedTemporaryFile(suffix=".jfr") as plain:
        with (gzip.open if path.endswith(".gz") else open)(path, "rb") as packed:
            shutil.copyfileobj(packed, plain)
        plain.flush()
        text = subprocess.run(["jfr", "print", "--json", "--stack-depth", "1", "--events", ",".join(EVENTS), plain.name],
                              check=True, capture_output=True, text=True).stdout
    sums = collections.Counter()
    for event in json.loads(text)["recording"]["events"]:
        count, total, field = EVENTS[event["type"]]
        if not event["values"]["stackTrace"]:
            continue
        if count:
            sums[count] += periods.get(count, 1)
        if total:
            sums[total] += number(event["values"][field]) * periods.get(total, 1)
    return dict(sorted(sums.items()))


def sums_of_pprofc(pprofc, path):
    lines = subprocess.run([pprofc, "-raw", "-symbolize=none", path], check=True, capture_output=True, text=True).stdout.splitlines()
    start = lines.index("Samples:")
    types = [word.split("/")[0] for word in lines[start + 1].split()]
    sums = collections.Counter()
    for line in lines[start + 2:lines.index("Locations")]:
        match = re.match(r"([ \d]+):", line)
        if match:
            sums.update(dict(zip(types, map(int, match.group(1).split()))))
    return dict(sorted(sums.items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--testdata", required=True)
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    wrong = 0
    for name in PERIODS:
        path = os.path.join(options.testdata, "imports", name)
        kept = re.sub("gz$", "sums", path)
        theirs = sums_of_jfr(path, PERIODS[name]) if shutil.which("jfr") else None
        if options.update:
            with open(kept, "w", encoding="utf-8") as file:
                file.writelines(f"{type} {value}\n" for type, value in theirs.items())
        with open(kept, encoding="utf-8") as file:
            expected = {line.split()[0]: int(line.split()[1]) for line in file}
        ours = sums_of_pprofc(os.path.join(options.bin, "pprofc"), path)
        for what, sums in (("jfr", theirs), ("pprofc", ours)):
            if sums is not None and sums != expected:
                wrong += 1
                print(f"{name}: {what} says {sums}, and {os.path.basename(kept)} {expected}")
        print(f"{name}: {len(expected)} sums")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
