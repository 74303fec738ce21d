#!/usr/bin/env python3
"""Runs the recorded command lines of tests/golden/cases.

  run.py --bin BUILD/bin [--update] [--secrets LIBRARY] [--pprofc PROGRAM] [--without REGEXP] [PATTERN ...]

A case is one file:

    # the promised behaviour
    $ the command, for sh
    --- stdout
    the exact bytes of standard output
    --- stderr
    standard error; "..." matches any text in a line
    --- status 2

A missing section means no output, no message, or status 0. A line "# needs NAME" skips the case if NAME is missing, and
run.py then prints the case. The names are: a part of the build such as pcre2, which `pprofc -version` lists; terminal
(pseudo-terminals); git. "# needs slots" skips the secret 0, with which all keys of a table share one slot: a table of
20,000 keys then takes many seconds.

The command runs in an empty folder that contains testdata, with the programs in PATH, TZ=UTC and no HOME. --update
writes the output into the files; look at the difference before you commit. --secrets runs the cases with several
secrets of the hash tables, which LIBRARY (known_secret.c) gives to the programs. --pprofc runs the cases of pprofc and
pprofci with another PROGRAM as pprofc. --without skips the cases in which REGEXP matches, and counts them.
"""
import argparse
import concurrent.futures
import difflib
import fnmatch
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TESTDATA = HERE.parent.parent / "testdata"


class Case:
    def __init__(self, path):
        self.path = path
        self.name = str(path.relative_to(HERE / "cases")).removesuffix(".test")
        # Bytes of a report that are not UTF-8 are kept as surrogates.
        text = path.read_bytes().decode("utf-8", "surrogateescape")
        head, *sections = re.split(r"^--- ", text, flags=re.M)
        self.promise = "".join(line for line in head.splitlines(True) if line.startswith("#"))
        self.command = "".join(line[2:] for line in head.splitlines(True) if line.startswith("$ "))
        self.needs = re.findall(r"^# needs ([\w-]+)$", self.promise, flags=re.M)
        self.stdout = self.stderr = ""
        self.status = 0
        for section in sections:
            title, _, body = section.partition("\n")
            if title.startswith("status "):
                self.status = int(title.split()[1])
            elif title in ("stdout", "stderr"):
                setattr(self, title, body)
            else:
                sys.exit(f"{path}: unknown section '{title}'")

    def run(self, programs):
        env = dict(os.environ, TZ="UTC", HOME="/nonexistent", LC_ALL="C.UTF-8",
                   PATH=f"{programs}:{os.environ['PATH']}")
        for name in ("PPROF_TOOLS", "PPROF_BINARY_PATH", "PPROF_TMPDIR", "NO_COLOR", "GITHUB_SHA", "GITHUB_EVENT_PATH", "GITHUB_TOKEN",
                     "GITHUB_REPOSITORY", "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT", "GITHUB_ACTIONS"):
            env.pop(name, None)
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(TESTDATA, os.path.join(folder, "testdata"))
            result = subprocess.run(["sh", "-c", self.command], cwd=folder, env=env, timeout=300,
                                    stdin=subprocess.DEVNULL, capture_output=True)
        decode = lambda data: data.decode("utf-8", "surrogateescape")
        return decode(result.stdout), decode(result.stderr), result.returncode

    def stderr_matches(self, said):
        expected, lines = self.stderr.splitlines(), said.splitlines()
        return len(expected) == len(lines) and all(
            fnmatch.fnmatchcase(line, re.sub(r"([][*?])", r"[\1]", want).replace("...", "*"))
            for want, line in zip(expected, lines))

    def check(self, programs):
        """Returns the differences as lines. The list is empty if the output is equal."""
        stdout, stderr, status = self.run(programs)
        wrong = []
        if stdout != self.stdout:
            wrong += difflib.unified_diff(self.stdout.splitlines(), stdout.splitlines(),
                                          "expected stdout", "stdout", lineterm="", n=1)
        if not self.stderr_matches(stderr):
            wrong += difflib.unified_diff(self.stderr.splitlines(), stderr.splitlines(),
                                          "expected stderr", "stderr", lineterm="", n=1)
        if status != self.status:
            wrong.append(f"expected status {self.status}, got {status}")
        return wrong

    def update(self, programs):
        stdout, stderr, status = self.run(programs)
        text = self.promise + "".join(f"$ {line}\n" for line in self.command.splitlines())
        if stdout:
            text += "--- stdout\n" + stdout
        # A pattern stays unchanged if it matches the output.
        stderr = self.stderr if self.stderr_matches(stderr) else stderr
        if stderr:
            text += "--- stderr\n" + stderr
        if status:
            text += f"--- status {status}\n"
        self.path.write_bytes(text.encode("utf-8", "surrogateescape"))


def find_missing(programs):
    """Returns the missing parts that cases may need: optional parts of the build, git, and pseudo-terminals."""
    said = subprocess.run([os.path.join(programs, "pprofc"), "-version"], capture_output=True, text=True).stdout
    missing = set(re.findall(r"^  ([\w-]+) +missing$", said, re.M))
    if not shutil.which("git"):
        missing.add("git")
    try:
        for end in os.openpty():
            os.close(end)
    except OSError:
        missing.add("terminal")
    return missing


def run_cases(cases, programs, act, advise=False):
    failed = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for case, wrong in zip(cases, pool.map(lambda case: act(case, programs), cases)):
            if wrong:
                failed.append(case.name)
                print(f"FAILED {case.name}: {case.command.strip()}")
                # Prints bytes that are not UTF-8 as \udcXX.
                print("\n".join("  " + line for line in wrong[:40])
                      .encode("utf-8", "backslashreplace").decode())
    if failed and advise:
        print(f"If the change is meant: tests/golden/run.py --bin {os.path.relpath(programs)} --update {' '.join(failed[:10])}; then read the difference")
    print(f"{len(cases)} cases, {len(failed)} failed")
    return 1 if failed or not cases else 0


def replace_pprofc(programs, pprofc, folder):
    """Creates a folder with the programs and another pprofc."""
    for name in os.listdir(programs):
        os.symlink(os.path.abspath(pprofc) if name == "pprofc" else os.path.join(programs, name), os.path.join(folder, name))
    return folder


def main():
    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--bin", required=True, help="folder of the programs")
    options.add_argument("--update", action="store_true")
    options.add_argument("--secrets", metavar="LIBRARY", help="check with several secrets of hash tables")
    options.add_argument("--pprofc", metavar="PROGRAM", help="check with this pprofc")
    options.add_argument("--without", metavar="REGEXP", help="leave out the cases whose text matches")
    options.add_argument("patterns", nargs="*", help="names of cases, with * for anything")
    options = options.parse_args()
    programs = os.path.abspath(options.bin)
    cases = [Case(path) for path in sorted((HERE / "cases").rglob("*.test"))]
    if options.patterns:
        cases = [c for c in cases if any(fnmatch.fnmatch(c.name, p) for p in options.patterns)]
    if options.without:
        fitting = [c for c in cases if not re.search(options.without, c.path.read_text(errors="surrogateescape"))]
        print(f"left out: {len(cases) - len(fitting)} cases of {len(cases)}")
        cases = fitting
    missing = find_missing(programs)
    for case in cases:
        for need in missing.intersection(case.needs):
            print(f"skipped: {case.name}: no {need}")
    cases = [c for c in cases if not missing.intersection(c.needs)]
    act = Case.update if options.update else Case.check
    if options.pprofc:
        # The other programs are the same as in a run without --pprofc. A script may run pprofc.
        cases = [case for case in cases if re.search(r"\bpprofci?\b|\.(py|sh)\b", case.command)]
        with tempfile.TemporaryDirectory() as folder:
            return run_cases(cases, replace_pprofc(programs, options.pprofc, folder), Case.check)
    if not options.secrets:
        return run_cases(cases, programs, act, advise=True)
    # Secrets: all bytes zero, and an ordinary one. A run without --secrets has a random secret from the kernel. With -1
    # the kernel returns no random bytes, and each process makes a random secret from other sources. This mode runs only
    # the first case of each folder.
    os.environ["LD_PRELOAD"] = os.path.abspath(options.secrets)
    chosen = {"0": [case for case in cases if "slots" not in case.needs], "7": cases,
              "-1": list({case.path.parent: case for case in reversed(cases)}.values())}
    failed = 0
    for secret, some in chosen.items():
        if not some:
            continue
        os.environ["KNOWN_SECRET"] = secret
        print(f"secret {secret}: ", end="")
        failed += run_cases(some, programs, act)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
