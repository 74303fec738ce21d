"""Checks that functions fit on a screen, files are short and state their purpose in the first sentence, and pages are
short."""
import glob
import os
import re

from source import ROOT, Report, files, functions, read

FUNCTION_LINES = 80
FILE_LINES = 600
# Limits of a page of docs. docs/method, docs/spec and docs/man have no limit.
PAGE_LINES = 150
PAGE_COLUMNS = 100
LONGER_PAGES = {"docs/ARCHITECTURE.md": 180}


def check(path, text, report):
    lines = text.count("\n")
    if lines > FILE_LINES:
        report.add("size", path, path, 1, f"{lines} lines; split it where its ideas part ({FILE_LINES} are the most)")
    if not text.startswith(("/* ", "/*\n")):
        report.add("purpose", path, path, 1, "does not begin with a sentence that says what the file is for")
    for name, first, length in functions(text):
        if length > FUNCTION_LINES:
            report.add("length", f"{path}:{name}", path, first, f"{name} has {length} lines ({FUNCTION_LINES} are the most); move a part of it into a function")


def check_page(path, text, report):
    """Adds the lines that make a page too long or too wide. Rows of tables, code, and a header between --- may be
    wider."""
    lines, most = text.count("\n"), LONGER_PAGES.get(path, PAGE_LINES)
    if lines > most:
        report.add("page", path, path, 1, f"{lines} lines; move one of its questions to a page of its own ({most} are the most)")
    plain = re.sub(r"\A---\n.*?^---$|^```.*?^```$", lambda m: "\n" * m.group().count("\n"), text, flags=re.M | re.S)
    for number, line in enumerate(plain.splitlines(), 1):
        if len(line) > PAGE_COLUMNS and not line.startswith(("|", "    ", "![", "[![")):
            report.add("wide", f"{path}:{number}", path, number, f"{len(line)} characters ({PAGE_COLUMNS} are the most)")


def main():
    report = Report("size", "purpose", "length", "page", "wide")
    paths = files("libpprofc", "tools", "tests", "docs")
    for path in paths:
        check(path, read(path), report)
    pages = [os.path.relpath(page, ROOT) for page in sorted(glob.glob(os.path.join(ROOT, "docs/*.md")))]
    for path in pages + ["README.md"]:
        check_page(path, read(path), report)
    report.finish(f"{len(paths)} files, {len(pages)} pages")


if __name__ == "__main__":
    main()
