"""Checks that a profiler or debugger can distinguish names: no two files have a function or a struct tag with the same
name. The linker silently takes the first of two external functions in static libraries."""
import re
from collections import defaultdict

from source import Report, code, files, functions, read

TAG = re.compile(r"^(?:typedef )?(?:struct|enum|union) (\w+) \{", re.M)


def defined(text, static):
    """Yields (name, first line) of functions in formatted code: static and not inline, or external."""
    plain = code(text).split("\n")
    for name, first, _ in functions(text):
        line = plain[first - 1]
        if line.startswith("static ") == static and not line.startswith("static inline") and not name.isupper():
            yield name, first


def statics(text):
    return defined(text, True)


def externals(text):
    return defined(text, False)


def tags(text):
    """Yields (name, line) of each struct, enum and union defined in the first column."""
    plain = code(text)
    for match in TAG.finditer(plain):
        yield match.group(1), plain.count("\n", 0, match.start()) + 1


def shared(texts, find):
    """Returns name -> [(path, line)] of the names that `find` yields for more than one path."""
    places = defaultdict(list)
    for path, text in texts.items():
        for name, line in find(text):
            places[name].append((path, line))
    return {name: where for name, where in places.items() if len({path for path, _ in where}) > 1}


def check(texts, report):
    for rule, find in (("static", statics), ("external", externals), ("tag", tags)):
        for name, where in sorted(shared(texts, find).items()):
            for path, line in where:
                others = ", ".join(sorted({other for other, _ in where} - {path}))
                report.add(rule, f"{path}:{name}", path, line, f"'{name}' is also in {others}; a noun of the file in front tells them apart (chart_axis in chart.c)")


def main():
    report = Report("static", "external", "tag")
    texts = {path: read(path) for path in files("libpprofc", "tools") if not path.endswith("/main.c") and not re.search("/(static|windows)/", path)}
    check(texts, report)
    report.finish(f"{len(texts)} files")


if __name__ == "__main__":
    main()
