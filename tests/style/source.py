"""Reads sources for the style tests: lists of files, code without comments, functions."""
import os
import re
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
HERE = os.path.dirname(os.path.abspath(__file__))


def files(*folders, endings=(".c", ".h")):
    """Returns the paths of all C files in the folders, or of files with other endings, relative to the project and in order."""
    found = []
    for folder in folders:
        for path, names, entries in os.walk(os.path.join(ROOT, folder)):
            names.sort()
            for entry in sorted(entries):
                if os.path.join(path, entry).endswith(endings):
                    found.append(os.path.relpath(os.path.join(path, entry), ROOT))
    return found


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


# A comment, a string or a character, whichever begins first. Consecutive lines after // are one comment.
TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*(?:\n[ \t]*//[^\n]*)*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def code(text):
    """Returns the text with blanks in place of comments, strings and characters. Lines and columns stay the same."""
    return TOKEN.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


# A definition starts in the first column, has a parameter list, and opens its brace at the end of a line.
DEFINITION = re.compile(r"^(?![#}/\s])[^;{}=]*?\b(\w+)\s*\([^;{}]*\)\s*\{$", re.M)


def functions(text):
    """Returns (name, first line, number of lines) of each function in formatted code."""
    plain = code(text)
    result = []
    for match in DEFINITION.finditer(plain):
        end = plain.find("\n}", match.end())
        if end < 0:
            continue
        first = plain.count("\n", 0, match.start()) + 1
        result.append((match.group(1), first, plain.count("\n", match.start(), end + 1) + 1))
    return result


class Report:
    """Collects problems except the ones that exceptions.txt lists. An unused exception is also a problem."""

    def __init__(self, *rules):
        self.problems = []
        self.exceptions = {}
        with open(os.path.join(HERE, "exceptions.txt"), encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.startswith("#") or not line.strip():
                    continue
                words = line.split(None, 2)
                if len(words) < 3:
                    self.problems.append(f"tests/style/exceptions.txt:{number}: no reason given")
                elif words[0] in rules:
                    self.exceptions[words[0], words[1]] = number

    def add(self, rule, subject, path, line, text):
        """Adds a problem. `subject` is its name in exceptions.txt."""
        if (rule, subject) in self.exceptions:
            self.exceptions[rule, subject] = None  # marks the exception as used
        else:
            self.problems.append(f"{path}:{line}: {text}")

    def finish(self, checked):
        for (rule, subject), number in self.exceptions.items():
            if number:
                self.problems.append(f"tests/style/exceptions.txt:{number}: nothing needs '{rule} {subject}'")
        for problem in self.problems:
            print(problem)
        print(f"{checked}: {len(self.problems)} wrong")
        sys.exit(1 if self.problems or checked.startswith("0 ") else 0)
