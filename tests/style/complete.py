"""Checks that each entry of a table is also tested and documented. Each flag of each program has a golden case and a
line in its manual page. Each report format and option reaches the fuzz target of reports, and each format prints
hostile names (tests/escape). Each importer has a fuzz target, seeds and a row in the table of formats. Each member of a
rules file has a seed and a line in the docs. Each public function and field has a complete comment. Also checks that
the program has each flag of a command in the documents, and accepts each of its flags with hyphens and with
underscores.

    complete.py BUILD/bin
"""
import ast
import glob
import json
import os
import re
import subprocess
import sys

from source import ROOT, Report, read

PROGRAMS = ("pprofc", "benchstatc", "parse_bench_regressions", "pprofci")
FLAG = re.compile(r"^- `-(\w[\w-]*)`", re.M)
FACT_FIELDS = 8
ROW = re.compile(r'^\s*\{"([^"]+)", import_(\w+), (?:true|false)(?:, \w+)*\},', re.M)


def commands():
    """Returns all command lines of the golden cases, as one text per program."""
    lines = []
    for path in sorted(glob.glob(os.path.join(ROOT, "tests/golden/cases/**/*.test"), recursive=True)):
        with open(path, encoding="utf-8", errors="replace") as file:
            lines += [line[2:] for line in file if line.startswith("$ ")]
    return {program: "\n".join(line for line in lines if program in line) for program in PROGRAMS}


def uses(text, flag):
    """True if a command line has the flag, with one dash or two, alone or with a value."""
    return re.search(r"(?<![\w-])--?" + re.escape(flag) + r"(?![\w-])", text) is not None


def manual(binaries, program):
    return subprocess.run([os.path.join(binaries, program), "-manual"], check=True, capture_output=True, text=True).stdout


def check_flags(binaries, report):
    lines = commands()
    checked = 0
    for program in PROGRAMS:
        page = f"docs/man/{program}.1.md"
        for flag in FLAG.findall(manual(binaries, program)):
            checked += 1
            subject = f"{program}:-{flag}"
            if not uses(lines[program], flag):
                report.add("golden", subject, "tests/golden/cases", 1, f"no case runs {program} with -{flag}; CONTRIBUTING.md says how to add one")
            if f"`-{flag}`" not in read(page):
                report.add("docs", subject, page, 1, f"-{flag} is not described; scripts/manual.sh BUILD/bin puts it there")
    return checked


def check_spellings(binaries, report):
    """Checks that each program accepts each flag of several words with hyphens and with underscores. An unknown flag
    follows in each command, so that the program stops after its flags. pprofc's own spelling has underscores, as
    pprof's has; the other programs' spelling has hyphens."""
    checked = 0
    for program in PROGRAMS:
        command = []
        for line in manual(binaries, program).split("\n"):
            if line.startswith("## Options of "):
                command = [line.split()[-1]]
            name = FLAG.match(line)
            if not name or not re.search("[-_]", name.group(1)):
                continue
            checked += 1
            if ("-" if program == "pprofc" else "_") in name.group(1):
                report.add("spellings", f"{program}:-{name.group(1)}", f"docs/man/{program}.1.md", 1,
                           f"-{name.group(1)}: the words of a flag are joined by _ in pprofc, by - elsewhere")
            said = set()
            for flag in (name.group(1).replace("-", "_"), name.group(1).replace("_", "-")):
                run = subprocess.run([os.path.join(binaries, program), *command, f"-{flag}=@", "-undefined"],
                                     stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
                said.add((run.returncode, run.stdout, run.stderr))
            if len(said) != 1 or not re.search(rf"-({name.group(1)}|undefined)\b", said.pop()[2]):
                report.add("spellings", f"{program}:-{name.group(1)}", f"docs/man/{program}.1.md", 1,
                           f"{' '.join([program, *command])} does not accept -{name.group(1)} with hyphens and with underscores")
    return checked


def cited_flags(line):
    """Yields (program, flag) of an indented line of a document with commands. Quoted words are values. Words after
    three blanks, ` # ` or ` -- ` are not flags."""
    line = re.sub(r"'[^']*'|\"[^\"]*\"", "''", line).removeprefix("    $ ").strip()
    for part in re.split(r"\||;|&&|<\(", re.split(r" {3}| # ", line)[0]):
        words = re.split(r" -- ", part.strip())[0].split()
        while words and "=" in words[0]:
            words.pop(0)
        if words and words[0] in PROGRAMS:
            yield from ((words[0], match.group(1)) for match in (re.match(r"--?([A-Za-z][\w-]*)", word) for word in words[1:]) if match)


def check_documents(binaries, report):
    known = {program: {"help", "manual", "h"} | set(FLAG.findall(manual(binaries, program))) for program in PROGRAMS}
    checked = 0
    for path in ["README.md", *(os.path.relpath(path, ROOT) for path in sorted(glob.glob(os.path.join(ROOT, "docs/**/*.md"), recursive=True)))]:
        for number, line in enumerate(read(path).split("\n"), 1):
            for program, flag in cited_flags(line) if line.startswith("    ") else ():
                checked += 1
                if flag not in known[program]:
                    report.add("cited", f"{program}:-{flag}", path, number, f"{program} has no flag -{flag}")
    return checked


def check_importers(rows, report):
    """Checks the rows (name, function) of the table of importers."""
    for name, function in rows:
        if not glob.glob(os.path.join(ROOT, f"tests/fuzz/corpus/{function}/*")):
            report.add("seeds", function, "tests/fuzz/corpus", 1, f"'{name}' has no seeds in corpus/{function}")
    return len(rows)


def format_rows(path):
    """Returns (reader, all of its strings) of each row of a table of formats."""
    rows = re.split(r"^    \{(?=\"\w+\",)", read(path), flags=re.M)[1:]
    joined = [re.sub(r'"\s*\n\s*"', "", row) for row in rows]
    return [re.findall(r'"((?:[^"\\]|\\.)*)"|\b(NULL)\b', row) for row in joined]


def check_formats(readers, path, report):
    """Checks that each reader has a row in the table of formats, and that a golden case reads the row's example in
    testdata."""
    cases = "\n".join(commands().values())
    rows = [[text for text, _ in row] for row in format_rows(path)]
    for reader in readers:
        if not any(row[0] == reader for row in rows):
            report.add("format_rows", reader, path, 1, f"'{reader}' has no row: who writes the format, what is kept, what is lost")
    for row in rows:
        if len(row) != FACT_FIELDS or "|" in "".join(row):
            report.add("format_rows", row[0], path, 1, f"the row of '{row[0]}' has {len(row)} fields, or a | in one")
        elif row[5] and not glob.glob(os.path.join(ROOT, "testdata", row[5])):
            report.add("format_rows", row[0], path, 1, f"'testdata/{row[5]}' does not exist")
        elif row[5] and os.path.basename(row[5]) not in cases:
            report.add("golden", row[0], "tests/golden/cases", 1, f"no case reads testdata/{row[5]}")
    return len(rows)


def fuzzed():
    """Returns (formats, options) of the fuzz targets: strings of the tables `...reports[]` and `...formats[]`, assigned
    fields, and the rows of filter_options if a target sets all filters."""
    text = "\n".join(read(os.path.relpath(path, ROOT)) for path in sorted(glob.glob(os.path.join(ROOT, "tests/fuzz/*.[ch]"))))
    tables = re.findall(r"\b\w*(?:reports|formats)\[\] = \{(.*?)\};", text, re.S)
    rows = read("libpprofc/src/pipeline/options.c") + read("libpprofc/include/pprofc/transform.h")
    filters = re.findall(r"\bFILTER\(\w+, (\w+),", rows) if "i < FILTER_COUNT" in text else []
    return set(re.findall(r'"(\w+)"', "".join(tables))), set(re.findall(r"(?:->|\.)(\w+) = ", text)) | set(filters)


def check_fuzzed_reports(binaries, report):
    """Checks that each format and option of pprofc's reports is in a table or an assignment of a fuzz target."""
    formats, options = fuzzed()
    page = manual(binaries, "pprofc")
    for title, known in (("Formats", formats), ("Options", options)):
        section = re.search(r"^### " + title + r"\n(.*?)(?=^### |\Z)", page, re.M | re.S)
        for name in FLAG.findall(section.group(1)) if section else []:
            if name not in known:
                report.add("fuzz", f"pprofc:-{name}", "tests/fuzz/report_target.h", 1,
                           f"no fuzz target has -{name}; a format belongs into the table `reports`, an option into `take_options`")


def hostile_formats():
    """Returns the formats that tests/escape runs: strings in PROFILE_TEXTS, in the tuple of a loop over names, or in
    the arguments of run()."""
    lists = []
    for node in ast.walk(ast.parse(read("tests/escape/hostile.py"))):
        if isinstance(node, ast.Assign) and any(getattr(target, "id", "") == "PROFILE_TEXTS" for target in node.targets):
            lists.append(node.value)
        elif isinstance(node, ast.For) and isinstance(node.iter, (ast.Tuple, ast.List)):
            lists.append(node.iter)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "run":
            lists.extend(node.args)
    words = [word.value for item in lists for word in ast.walk(item) if isinstance(word, ast.Constant) and isinstance(word.value, str)]
    return {word.lstrip("-").split("=")[0] for word in words}


def check_hostile_reports(binaries, report):
    known = hostile_formats()
    section = re.search(r"^### Formats\n(.*?)(?=^### |\Z)", manual(binaries, "pprofc"), re.M | re.S)
    for name in FLAG.findall(section.group(1)) if section else []:
        if name not in known:
            report.add("escape", f"pprofc:-{name}", "tests/escape/hostile.py", 1, f"no test prints hostile names with -{name}; add it to PROFILE_TEXTS (text), or a run to test_profiles")


def keys(value):
    """Yields all keys of objects in a value of JSON."""
    if isinstance(value, dict):
        return set(value).union(*map(keys, value.values()))
    return set().union(*map(keys, value)) if isinstance(value, list) else set()


def check_rules(report):
    """Checks the members of the gate's rules file: keys of the seed, and names in a table or an entry of the docs."""
    members = re.findall(r'^    \{"(\w+)", (?:rules_)?take_\w+,', read("libpprofc/src/gate/rules.c"), re.M)
    seed = keys(json.loads(read("tests/fuzz/corpus/gate_rules/all.json")))
    docs = set(re.findall(r"`\"?(\w+)\"?`", "\n".join(line.split("|")[1] for line in read("docs/GATES.md").split("\n") if line.startswith("| "))))
    for name in members:
        if name not in seed:
            report.add("seeds", f"rules:{name}", "tests/fuzz/corpus/gate_rules/all.json", 1, f"the seed has no '{name}'; add it")
        if name not in docs:
            report.add("docs", f"rules:{name}", "docs/GATES.md", 1, f"'{name}' of a rules file is not described; add it to the tables of members")
    if not members:
        report.problems.append("libpprofc/src/gate/rules.c: no members found")


def check_headers(report):
    """Checks that each public function has a comment with its statuses and the owner of new objects, and that each
    field has a comment."""
    functions = 0
    for path in sorted(glob.glob(os.path.join(ROOT, "libpprofc/include/pprofc/*.h"))):
        name, text, comment = os.path.relpath(path, ROOT), read(os.path.relpath(path, ROOT)), ""
        for part in re.finditer(r"/\*(?P<comment>.*?)\*/|^PPROFC_API (?P<function>[^;]*);|^$", text, re.M | re.S):
            if part["function"] is None:
                comment = part["comment"] or ""
                continue
            functions += 1
            line = text.count("\n", 0, part.start()) + 1
            function = re.search(r"(\w+)\(", part["function"]).group(1)
            lacks = [] if comment else ["a comment"]
            if part["function"].startswith("pprofc_status ") and "Errors:" not in comment:
                lacks.append("'Errors:' with the statuses")
            if re.search(r"(?<!const )pprofc_\w+ \*\*", part["function"]) and not re.search(r"(release|free)s?\b", comment):
                lacks.append("the function that frees the result")
            for lack in lacks:
                report.add("headers", function, name, line, f"the comment of {function} lacks {lack}")
        for body in re.finditer(r"^typedef (?:struct|enum) \w+ \{\n(.*?)^\}", text, re.M | re.S):
            plain = re.sub(r"/\*.*?\*/", lambda found: "@" + "\n%" * found[0].count("\n"), body[1], flags=re.S)
            described, statement = False, ""
            for number, row in enumerate(plain.split("\n"), text.count("\n", 0, body.start(1)) + 1):
                statement += row.strip(" %")
                if statement in ("", "@") and not row.endswith("%"):
                    described, statement = statement == "@", ""
                elif re.search(r"[;,]\s*@?$|\w\s*@$", statement):
                    if "@" not in statement and not described:
                        report.add("headers", statement, name, number, f"'{statement}' has no comment")
                    statement = ""
    if not functions:
        report.problems.append("libpprofc/include/pprofc: no functions found")


def main():
    report = Report("golden", "docs", "spellings", "cited", "fuzz", "seeds", "escape", "format_rows", "headers")
    table = glob.glob(os.path.join(ROOT, "libpprofc/src/import/formats.c"))[0]
    rows = ROW.findall(read(os.path.relpath(table, ROOT)))
    flags = check_flags(sys.argv[1], report)
    spelled = check_spellings(sys.argv[1], report)
    cited = check_documents(sys.argv[1], report)
    importers = check_importers(rows, report)
    shapes = re.search(r"shapes\[\] = \{(.*?)\n\};", read("libpprofc/src/import/json/json.c"), re.S).group(1)
    readers = [function for _, function in rows if function != "json"] + re.findall(r"json_\w+", shapes)
    check_formats(readers, "libpprofc/src/import/format_table.c", report)
    check_formats(re.findall(r"&bench_reader_(\w+)", read("libpprofc/src/bench/read/readers.c")), "libpprofc/src/bench/read/format_table.c", report)
    check_fuzzed_reports(sys.argv[1], report)
    check_hostile_reports(sys.argv[1], report)
    check_rules(report)
    check_headers(report)
    report.finish(f"{flags if importers else 0} flags, {spelled} of several words, {cited} in the documents, {importers} importers")


if __name__ == "__main__":
    main()
