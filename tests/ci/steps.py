"""Prints the shell parts of a workflow, in order, with its expressions filled in.

  steps.py FILE KIND NAME=VALUE ...

KIND is github (each "run:"), gitlab (each item of "script:") or jenkins (each sh '...'). Of a Markdown file the code
blocks are read. "${{ NAME }}" becomes VALUE; an expression that nothing was given for is an error.
"""
import re
import sys


def run_blocks(lines):
    """The text of each "run:", on its line or indented below it."""
    i = 0
    while i < len(lines):
        match = re.match(r"( *)(?:- )?run: (.*)", lines[i])
        i += 1
        if not match:
            continue
        if match[2] != "|":
            yield match[2]
            continue
        block = []
        while i < len(lines) and (not lines[i].strip() or len(lines[i]) - len(lines[i].lstrip()) > len(match[1])):
            block.append(lines[i].strip() if not block else lines[i])
            i += 1
        yield "\n".join(block)


def script_items(lines):
    """The items of the list below "script:"."""
    inside = False
    for line in lines:
        if inside and (item := re.match(r"    - (.*)", line)):
            yield item[1]
        else:
            inside = line.strip() == "script:"


def sh_steps(lines):
    for line in lines:
        if step := re.match(r" *sh '(.*)'$", line):
            yield step[1]


def main():
    path, kind, *values = sys.argv[1:]
    values = dict(value.split("=", 1) for value in values)
    text = open(path, encoding="utf-8").read()
    if path.endswith(".md"):
        text = "\n".join(re.findall(r"^```\w+\n(.*?)^```", text, re.S | re.M))
    pick = {"github": run_blocks, "gitlab": script_items, "jenkins": sh_steps}[kind]
    steps = list(pick(text.split("\n")))
    if not steps:
        sys.exit(f"{path}: no steps for {kind}")
    for step in steps:
        print(re.sub(r"\$\{\{ *(.*?) *\}\}", lambda match: values[match[1]], step))


main()
