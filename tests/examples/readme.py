#!/usr/bin/env python3
"""Checks the examples of the README: readme.py [--update] README BIN TESTDATA. Runs each line `    $ COMMAND` in
TESTDATA, and compares the output with the lines below it. Also runs the commands of the tables on profiles of TESTDATA.
--update writes the output into the README instead."""
import os
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^    \$ (.*)\n((?:    (?!\$ ).*\n)*)", re.M)
TABLE = re.compile(r"^\|[^|\n]*\| `(pprofci? [^`]*)`", re.M)
# The files that the tables name. Other tests run the commands that this test skips (ELSEWHERE).
FILES = {
    "cpu.pb.gz": "generator_cpu.prof",
    "old.prof": "generator_cpu.prof",
    "new.prof": "generator_optimized_cpu.prof",
    "old_mem.prof": "generator_mem.prof",
    "new_mem.prof": "generator_optimized_mem.prof",
    "callgrind.out.123": "imports/calls.callgrind.out",
    "profiles": "leaks/map",
}
ELSEWHERE = {" -http": "web/*", " localhost:": "fetch/*", " -simulate ": "simulate and ci/simulate",
             " -walltime ": "ci/walltime and ci/walltime_pytest"}


def output(command, programs, folder):
    environment = {**os.environ, "PATH": programs + ":" + os.environ["PATH"], "TZ": "UTC", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode not in (0, 2) or done.stderr.startswith("pprof"):
        sys.exit(f"'{command}' ends with {done.returncode}: {done.stderr}")
    return "".join(f"    {line}".rstrip() + "\n" for line in done.stdout.splitlines())


def run_tables(text, programs, testdata):
    """Runs the commands of the tables. Returns their number."""
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, file in FILES.items():
            os.symlink(os.path.join(testdata, file), os.path.join(folder, name))
        for command in TABLE.findall(text):
            if not any(word in command for word in ELSEWHERE):
                output(command, programs, folder)
                count += 1
    return count


def main():
    arguments = sys.argv[1:]
    update = arguments[0] == "--update"
    readme, programs, folder = arguments[update:]
    programs = os.path.abspath(programs)
    with open(readme, encoding="utf-8") as file:
        text = file.read()
    blocks = list(BLOCK.finditer(text))
    if not blocks:
        sys.exit(f"{readme} has no command")
    if update:
        text = BLOCK.sub(lambda m: f"    $ {m.group(1)}\n" + output(m.group(1), programs, folder), text)
        with open(readme, "w", encoding="utf-8") as file:
            file.write(text)
        return
    for block in blocks:
        said = output(block.group(1), programs, folder)
        if said != block.group(2):
            sys.exit(f"README says of '{block.group(1)}':\n{block.group(2)}\nand it prints:\n{said}")
    rows = run_tables(text, programs, os.path.abspath(folder))
    if not rows:
        sys.exit(f"{readme} has no table of commands")
    print(f"{len(blocks)} commands with their output, {rows} of tables")


if __name__ == "__main__":
    main()
