"""Samples a program by its CPU time and writes speedscope: sampler.py OUT PROGRAM ROUNDS. Wall-clock profilers are noise on a
machine that other programs load."""
import json
import os
import runpy
import signal
import sys

INTERVAL = 0.002
samples = []


def take(_, frame):
    stack = []
    while frame:
        code = frame.f_code
        stack.append((code.co_name, code.co_filename, frame.f_lineno))
        frame = frame.f_back
    samples.append(tuple(stack[::-1]))


def main():
    out, program = sys.argv[1:3]
    sys.argv = sys.argv[2:]
    sys.path.insert(0, os.path.dirname(os.path.abspath(program)))
    signal.signal(signal.SIGPROF, take)
    signal.setitimer(signal.ITIMER_PROF, INTERVAL, INTERVAL)
    runpy.run_path(os.path.abspath(program), run_name="__main__")
    signal.setitimer(signal.ITIMER_PROF, 0)
    frames, stacks = {}, []
    for stack in samples:
        kept = [frame for frame in stack if frame[1] != __file__ and "runpy" not in frame[1]]
        if kept:
            stacks.append([frames.setdefault(frame, len(frames)) for frame in kept])
    weights = [round(INTERVAL * 1e9)] * len(stacks)
    document = {
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": {"frames": [{"name": name, "file": file, "line": line} for name, file, line in frames]},
        "profiles": [{"type": "sampled", "name": "cpu", "unit": "nanoseconds", "startValue": 0, "endValue": sum(weights),
                      "samples": stacks, "weights": weights}]}
    with open(out, "w", encoding="utf-8") as file:
        json.dump(document, file)


main()
