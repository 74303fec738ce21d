#!/usr/bin/env python3
"""readme.py [--update] README BIN TESTDATA: runs each line `    $ COMMAND` of the README in TESTDATA and compares the output with the
lines below it. --update writes the output instead."""
import os
import re
import subprocess
import sys

BLOCK = re.compile(r"^    \$ (.*)\n((?:    (?!\$ ).*\n)*)", re.M)


def output(command, programs, folder):
    environment = {**os.environ, "PATH": programs + ":" + os.environ["PATH"], "TZ": "UTC", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode not in (0, 2):
        sys.exit(f"'{command}' ends with {done.returncode}: {done.stderr}")
    return "".join(f"    {line}".rstrip() + "\n" for line in done.stdout.splitlines())


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
    print(f"{len(blocks)} commands")


if __name__ == "__main__":
    main()
