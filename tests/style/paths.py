"""Checks that each path in the documents exists, and that docs/README.md lists each page. In ARCHITECTURE.md a path may
begin with a room of libpprofc/src and lack the ending. The functions and tables named there must also exist. A word in
capitals (NAME, ROOM) stands for any name."""
import glob
import os
import re

from source import ROOT, Report, files

FOLDERS = ("libpprofc", "tools", "scripts", "docs", "tests", "testdata", "proto", "include", ".ci")
CITED = re.compile(r"`([\w.*-]+(?:/[\w.*-]+)+/?)`")
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")
# A row of "Ways through the house": a word and a path.
STEP = re.compile(r"^    \w+ +((?:[a-z]+/)+[\w*]+)", re.M)


# A name of the code: `add_flag`, `fuzz_json` (a file).
NAME = re.compile(r"`([a-z]\w*_[a-z0-9_]+)`")


def known_names():
    """Returns the words of the sources and of the scripts of the tests, and the names of the C files."""
    paths = files("libpprofc", "tools", "tests")
    words = {os.path.basename(path).rsplit(".", 1)[0] for path in paths}
    for path in [os.path.join(ROOT, path) for path in paths] + glob.glob(os.path.join(ROOT, "tests/*/*.py")):
        with open(path, encoding="utf-8") as file:
            words.update(re.findall(r"\w+", file.read()))
    return words


def exists(path, folder=ROOT):
    pattern = re.sub(r"\b[A-Z]{2,}\b|(?<=_)[A-Z]{2,}", "*", path)
    return bool(glob.glob(os.path.join(folder, pattern)))


def cited(text, house):
    """Yields (path, line) of the paths in a document. With `house`, paths may begin with a room of libpprofc/src."""
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
    names = known_names()
    checked = 0
    for page in pages:
        with open(os.path.join(ROOT, page), encoding="utf-8") as file:
            text = file.read()
        house = page == "docs/ARCHITECTURE.md"
        for path, line in cited(text, house):
            checked += 1
            if not is_there(path, rooms, house):
                report.add("path", f"{page}:{path}", page, line, f"there is no {path}; name what is there now")
        for match in NAME.finditer(text) if house else []:
            checked += 1
            if match.group(1) not in names:
                report.add("path", f"{page}:{match.group(1)}", page, text.count("\n", 0, match.start()) + 1,
                           f"the code has no {match.group(1)}; name what is there now")
        for match in LINK.finditer(text):
            checked += 1
            if not exists(os.path.join(os.path.dirname(page), match.group(1))):
                report.add("path", f"{page}:{match.group(1)}", page, text.count("\n", 0, match.start()) + 1,
                           f"the link leads nowhere: {match.group(1)}")
    with open(os.path.join(ROOT, "docs/README.md"), encoding="utf-8") as file:
        listed = {match.group(1) for match in LINK.finditer(file.read())} | {"README.md"}
    for page in sorted(os.path.basename(path) for path in glob.glob(os.path.join(ROOT, "docs/*.md"))):
        if page not in listed:
            report.add("path", f"docs/README.md:{page}", "docs/README.md", 1, f"the index does not list {page}")
    report.finish(f"{checked} paths")


if __name__ == "__main__":
    main()
