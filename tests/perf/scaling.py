#!/usr/bin/env python3
"""Checks that work grows in proportion to the input: with twice the input, instructions grow at most 2.3 times.

  scaling.py --bin BUILD/bin [-v] [PATTERN ...]

Runs each input format and each report with an input and with an input of twice the size, under `perf stat` or else
valgrind's cachegrind. Subtracts the instructions of a run that reads one sample. A format without a generator in
scaling_inputs.py is an error.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import scaling_inputs

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MOST = 2.3
# Reports that read other files, and reports that another program draws from the output of -dot.
NATIVE = ("disasm", "weblist")
AS_DOT = ("eog", "evince", "gif", "gv", "pdf", "png", "ps", "svg", "web")
AS_CALLGRIND = ("kcachegrind",)
ARGUMENTS = {"peek": "function", "list": "function", "disasm": "function", "weblist": "function", "flame": "text"}


def perf_works():
    if not shutil.which("perf"):
        return False
    run = subprocess.run(["perf", "stat", "-x,", "-e", "instructions:u", "true"], capture_output=True, text=True)
    return run.returncode == 0 and re.search(r"^\d+,", run.stderr, flags=re.M)


def counter():
    """Returns a function that counts the instructions of a command, or None."""
    if perf_works():
        wrap, pattern = ["perf", "stat", "-x,", "-e", "instructions:u"], r"^(\d+),"
    elif shutil.which("valgrind"):
        wrap = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
        pattern = r"^==PID== I +refs: +([\d,]+)"
    else:
        return None

    def count(command, stdin=subprocess.DEVNULL):
        env = dict(os.environ, TZ="UTC", HOME="/nonexistent", LC_ALL="C.UTF-8")
        run = subprocess.Popen(wrap + command, stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=env)
        said = run.communicate()[1].decode("utf-8", "replace")
        found = re.search(pattern.replace("PID", str(run.pid)), said, flags=re.M)  # child processes also print a count
        if run.returncode or not found:
            sys.exit(f"failed with status {run.returncode}: {' '.join(command)}\n{said}")
        return int(found.group(1).replace(",", ""))
    return count


def import_formats():
    """Returns the rows of the table of formats, and the shapes of JSON."""
    source = (ROOT / "libpprofc/src/import/formats.c").read_text()
    names = re.findall(r'^\s*\{"([^"]+)", import_', source, flags=re.M)
    shapes = re.search(r"shapes\[\] = \{(.*?)\n\};", (ROOT / "libpprofc/src/import/json/json.c").read_text(), flags=re.S)
    # The log of V8 is not a shape, because its reader keeps no tree of the document.
    return names + re.findall(r"json_\w+", shapes.group(1)) + ["json_v8_log"]


def report_formats(pprofc):
    text = subprocess.run([pprofc, "-help"], capture_output=True, text=True, check=True).stdout
    part = text[text.index("\nFormats:"):text.index("\nOptions:")]
    return re.findall(r"^  -(\w+)", part, flags=re.M)


class Inputs:
    """Files in a folder, each written once. `scale` is 1 or 2."""

    def __init__(self, folder):
        self.folder, self.made = folder, {}

    def file(self, make, n, scale):
        path = os.path.join(self.folder, f"{make.__name__}.{n * scale}")
        if path not in self.made:
            data = make(n * scale)
            pathlib.Path(path).write_bytes(data.encode() if isinstance(data, str) else data)
            self.made[path] = True
        return path

    def native(self, n, scale):
        """Returns a program of that many functions, and a profile with an address in each. Returns None without a
        compiler."""
        compiler = shutil.which("cc")
        if not compiler or not shutil.which("nm") or not shutil.which("objdump") or not shutil.which("addr2line"):
            return None
        name = os.path.join(self.folder, f"native.{n * scale}")
        if name not in self.made:
            code = "".join(f"int function{i}(int x) {{\n  return x * {i};\n}}\n" for i in range(n * scale))
            pathlib.Path(name + ".c").write_text(code + "int main(void) { return 0; }\n")
            subprocess.run([compiler, "-g", "-O0", "-no-pie", "-o", name, name + ".c"], check=True)
            symbols = subprocess.run(["nm", name], capture_output=True, text=True, check=True).stdout
            p = scaling_inputs.Profile()
            p.mapping(1, 0x400000, 0x4000000, name, 0)
            for i, match in enumerate(re.findall(r"^(\w+) T function\d+$", symbols, flags=re.M)):
                p.location(i + 1, [], 0, 1, int(match, 16) + 4)
                p.sample([i + 1], i + 1)
            pathlib.Path(name + ".pb").write_bytes(p.bytes())
            self.made[name] = True
        return [name, name + ".pb"]


def report_flag(report):
    return f"-{report}={ARGUMENTS[report]}" if report in ARGUMENTS else f"-{report}"


def source_list(inputs, n, scale):
    """Creates a source file in which each line has samples."""
    path = inputs.file(scaling_inputs.lines_of_source, n, scale)
    p = scaling_inputs.Profile()
    p.function(1, "function", path)
    for i in range(n * scale):
        p.location(i + 1, [1], i + 1)
        p.sample([i + 1])
    pathlib.Path(path + ".pb").write_bytes(p.bytes())
    return [path + ".pb"]


def report_cases(report, inputs):
    """Yields the cases of a report: (name, [arguments of both runs])."""
    flag = report_flag(report)
    if report in NATIVE:
        yield f"-{report}: native code", [inputs.native(20, 1), inputs.native(20, 2)], flag
        return
    if report == "list":
        yield "-list: one file", [source_list(inputs, 150, 1), source_list(inputs, 150, 2)], flag
        return
    shapes = ["many samples"]
    shapes += ["deep stacks"] if report in ("dot", "flame", "folded", "speedscope", "traces") else []
    shapes += ["many labels"] if report in ("dot", "proto", "raw", "tags") else []
    for shape in shapes:
        make, n = scaling_inputs.SHAPES[shape]
        yield f"-{report}: {shape}", [[inputs.file(make, n, 1)], [inputs.file(make, n, 2)]], flag


def cases(inputs, reports):
    for name in import_formats():
        for make, n in scaling_inputs.FORMATS[name]:
            yield f"{name}: {make.__name__}", [[inputs.file(make, n, 1)], [inputs.file(make, n, 2)]], "-top"
    for stacks in ("edges", "flat"):
        files = [[f"-callgrind_stacks={stacks}", inputs.file(scaling_inputs.callgrind, 150, scale)] for scale in (1, 2)]
        yield f"callgrind: {stacks}", files, "-top"
    files = [[f"-source_map={inputs.file(scaling_inputs.source_map, 200, scale)}", inputs.file(scaling_inputs.minified, 200, scale)]
             for scale in (1, 2)]
    yield "source map", files, "-top"
    for shape, (make, n) in scaling_inputs.SHAPES.items():
        yield f"shape: {shape}", [[inputs.file(make, n, 1)], [inputs.file(make, n, 2)]], "-top"
        if shape in ("many labels", "many mappings", "one hub", "orders of labels", "sparse ids"):
            yield f"merge: {shape}", [[inputs.file(make, n, scale), inputs.file(make, n + 1, scale)] for scale in (1, 2)], "-proto"
    make, n = scaling_inputs.SHAPES["many labels"]
    for flags in (["-focus=function", "-tagfocus=request"], ["-tagroot=id", "-hide=function1"], ["-tagleaf=id", "-show=function"]):
        yield f"filter: {' '.join(flags)}", [flags + [inputs.file(make, n, scale)] for scale in (1, 2)], "-traces"
    yield "many files", [[inputs.file(scaling_inputs.folded, 10 + i % 5, 1) for i in range(20 * scale)] for scale in (1, 2)], "-proto"
    for report in reports:
        if report not in AS_DOT + AS_CALLGRIND:
            yield from report_cases(report, inputs)


def check_covered(reports):
    missing = [name for name in import_formats() if name not in scaling_inputs.FORMATS]
    if missing:
        sys.exit(f"no generator in scaling_inputs.py for {', '.join(missing)}")
    unknown = [name for name in scaling_inputs.FORMATS if name not in import_formats()]
    if unknown:
        sys.exit(f"scaling_inputs.py has generators for formats that no table has: {', '.join(unknown)}")
    if not import_formats() or "dot" not in reports or "callgrind" not in reports:
        sys.exit("the tables of formats were not found")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("-v", action="store_true", help="print every case")
    parser.add_argument("patterns", nargs="*")
    options = parser.parse_args()
    pprofc = os.path.join(options.bin, "pprofc")
    reports = report_formats(pprofc)
    check_covered(reports)
    count = counter()
    if not count:
        print("skipped: neither perf nor valgrind counts instructions here")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        inputs = Inputs(folder)
        nothing = count([pprofc, "-comments", "-output=/dev/null", inputs.file(scaling_inputs.many_samples, 1, 1)])
        measured, skipped = [], []
        for name, files, flag in cases(inputs, reports):
            if options.patterns and not any(p in name for p in options.patterns):
                continue
            if None in files:
                skipped.append(name)
                continue
            names = [] if "native" in name else ["-symbolize=none"]
            runs = [pool.submit(count, [pprofc, flag, "-output=/dev/null", "-nodefraction=0", "-edgefraction=0"] + names + args) for args in files]
            measured.append((name, runs))
        wrong = report(measured, nothing, options.v)
    for name in skipped:
        print(f"skipped: {name}: a compiler, binutils or Jansson is missing")
    print(f"{len(measured)} cases, {wrong} grow by more than {MOST}")
    sys.exit(1 if wrong or not measured else 0)


def report(measured, nothing, verbose):
    wrong = 0
    for name, runs in measured:
        small, large = (max(run.result() - nothing, 1) for run in runs)
        if small >= 500000 and large / small > MOST:
            wrong += 1
            print(f"{name}: {small} instructions, with twice the input {large}: {large / small:.2f} times")
        elif verbose:
            print(f"{name}: {small} {large} {large / small:.2f}")
    return wrong


if __name__ == "__main__":
    main()
