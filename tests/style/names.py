"""Names that a profile or a debugger can tell apart: no two files have a function or a struct tag of one
name. The linker takes the first of two external functions in static libraries without a word."""
import re
from collections import defaultdict

from source import Report, code, files, functions, read

TAG = re.compile(r"^(?:typedef )?(?:struct|enum|union) (\w+) \{", re.M)


def defined(text, static):
    """(name, first line) of the functions in formatted code that are static but not inline, or that are external."""
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
    """(name, line) of each struct, enum and union that is defined in the first column."""
    plain = code(text)
    for match in TAG.finditer(plain):
        yield match.group(1), plain.count("\n", 0, match.start()) + 1


def shared(texts, find):
    """name -> [(path, line)] of the names that `find` gives for more than one path."""
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
