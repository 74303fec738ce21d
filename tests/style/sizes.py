"""Functions that can be seen whole, files around one idea, and a first sentence that says what a file is for."""
from source import Report, files, functions, read

FUNCTION_LINES = 80
FILE_LINES = 600


def check(path, text, report):
    lines = text.count("\n")
    if lines > FILE_LINES:
        report.add("size", path, path, 1, f"{lines} lines; split it where its ideas part ({FILE_LINES} are the most)")
    if not text.startswith(("/* ", "/*\n")):
        report.add("purpose", path, path, 1, "does not begin with a sentence that says what the file is for")
    for name, first, length in functions(text):
        if length > FUNCTION_LINES:
            report.add("length", f"{path}:{name}", path, first, f"{name} has {length} lines ({FUNCTION_LINES} are the most); move a part of it into a function")


def main():
    report = Report("size", "purpose", "length")
    paths = files("libpprofc", "tools", "tests", "docs")
    for path in paths:
        check(path, read(path), report)
    report.finish(f"{len(paths)} files")


if __name__ == "__main__":
    main()
