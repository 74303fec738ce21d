"""Checks that code is easy to read: few branches in a function, one conditional expression and one assignment in a
statement."""
import re

from source import Report, code, files, functions, read

COMPLEXITY = 12
BRANCH = re.compile(r"\b(?:if|for|while|case)\b|&&|\|\||\?")
# Matches a statement `a = x, b = y;`. Declarations, for-headers and initialisers do not count.
CHAIN = re.compile(r"^\s*[\w.>\[\]*-]+ [-+*/|&^]?= [^;{}]*, [\w.>\[\]*-]+ [-+*/|&^]?= ")


def complexity(body):
    """Returns the cyclomatic complexity: 1, and one for each branch, `&&`, `||`, `?:` and `case`."""
    return 1 + len(BRANCH.findall(body))


def statements(body, first):
    """Yields (line, text) of each statement. `;`, `{` or `}` ends a statement, except inside parentheses."""
    start, depth = 0, 0
    for i, c in enumerate(body):
        depth += (c == "(") - (c == ")")
        if c in ";{}" and depth == 0:
            text = body[start:i]
            lead = len(text) - len(text.lstrip())
            yield first + body.count("\n", 0, start + lead), text.strip()
            start = i + 1


def check(path, text, report):
    plain = code(text)
    lines = plain.split("\n")
    for name, first, length in functions(text):
        body = "\n".join(lines[first - 1:first - 1 + length])
        found = complexity(body)
        if found > COMPLEXITY:
            report.add("complexity", f"{path}:{name}", path, first, f"{name} has complexity {found} ({COMPLEXITY} is the most); move a part of it into a function")
        for line, statement in statements(body, first):
            if statement.count("?") > 1:
                report.add("conditional", f"{path}:{name}", path, line,
                           f"{statement.count('?')} conditional expressions in one statement; use if, or a variable for one of them")
            if not statement.startswith(("for", "return (", ".", "[")) and CHAIN.match(statement) and not re.match(r"\s*(?:const |static |u?int\w*_t |size_t |bool |char |double |unsigned |int |struct |pprofc_\w+ )", statement):
                report.add("chain", f"{path}:{name}", path, line, "two assignments in one statement; write two")


def main():
    report = Report("complexity", "conditional", "chain")
    paths = files("libpprofc", "tools")
    for path in paths:
        check(path, read(path), report)
    report.finish(f"{len(paths)} files")


if __name__ == "__main__":
    main()
