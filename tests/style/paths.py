"""Every path that the documents cite exists. In ARCHITECTURE.md a path may begin with a room of libpprofc/src, and leave out the
ending. A word in capitals (NAME, ROOM) stands for any name."""
import glob
import os
import re

from source import ROOT, Report

FOLDERS = ("libpprofc", "tools", "scripts", "docs", "tests", "testdata", "proto", "include", ".ci")
CITED = re.compile(r"`([\w.*-]+(?:/[\w.*-]+)+/?)`")
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")
# A step of "Three ways through the house": what, where, how.
STEP = re.compile(r"^    \w+ +((?:[a-z]+/)+[\w*]+)", re.M)


def exists(path, folder=ROOT):
    pattern = re.sub(r"\b[A-Z]{2,}\b|(?<=_)[A-Z]{2,}", "*", path)
    return bool(glob.glob(os.path.join(folder, pattern)))


def cited(text, house):
    """(path, line) of the paths of a document. `house`: it is about the rooms of libpprofc/src."""
    for pattern in (CITED, STEP) if house else (CITED,):
        for match in pattern.finditer(text):
            yield match.group(1), text.count("\n", 0, match.start()) + 1


def is_there(path, rooms, house):
    first = path.split("/")[0]
    if first == "include":
        return exists("libpprofc/" + path)
    endings = ("", ".c", ".h") if house else ("",)
    if first in FOLDERS:
        return any(exists(path + ending) for ending in endings)
    if house and first in rooms:
        return any(exists("libpprofc/src/" + path + ending) for ending in endings)
    return True


def main():
    report = Report("path")
    rooms = os.listdir(os.path.join(ROOT, "libpprofc/src"))
    pages = ["README.md", "CONTRIBUTING.md"]
    pages += sorted(os.path.relpath(path, ROOT) for path in glob.glob(os.path.join(ROOT, "docs/**/*.md"), recursive=True))
    checked = 0
    for page in pages:
        with open(os.path.join(ROOT, page), encoding="utf-8") as file:
            text = file.read()
        house = page == "docs/ARCHITECTURE.md"
        for path, line in cited(text, house):
            checked += 1
            if not is_there(path, rooms, house):
                report.add("path", f"{page}:{path}", page, line, f"there is no {path}")
        for match in LINK.finditer(text):
            checked += 1
            if not exists(os.path.join(os.path.dirname(page), match.group(1))):
                report.add("path", f"{page}:{match.group(1)}", page, text.count("\n", 0, match.start()) + 1,
                           f"the link leads nowhere: {match.group(1)}")
    report.finish(f"{checked} paths")


if __name__ == "__main__":
    main()
