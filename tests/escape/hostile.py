#!/usr/bin/env python3
"""Checks that no name controls a log, Markdown, a page or a spreadsheet: hostile.py BIN.

Each program prints each format of hostile inputs. Their names, files, units, keys and messages contain commands of
terminals, CI systems, GitHub, browsers or spreadsheets. The test then reads the output as these programs would read it.
"""
import csv
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser

BIN = os.path.abspath(sys.argv[1])

MARKS = "\u202e\u2066\u200e\u200f\u061c\u2028\U000e0041"
# Each name contains "zq", with which the test checks that names are shown at all.
NAMES = [
    "zq\x1b[2J\x1b]0;t\x07" + MARKS + "\x9b31m\x7f",
    "::error::zq", "::set-output name=x::zq", "\u00a0::warning::zq", "\t::error::zq", "\u3000 ::stop-commands::zq",
    "zq##[command]x", "##[group]zq", "##vso[task.setvariable variable=p]zq", "##teamcity[zq]", "zq###[error]x",
    "zq\n::error::x\r\n##[error]x\r::notice::x",
    "zq@team/owners #12 GH-7 https://zq.example/ www.zq.example :tada: a@zq.example",
    "![zq](http://zq.example/x.png) [zq](javascript:x) <img src=x onerror=x>`zq`<b>zq``</b>```",
    "zq|a\\|b\\\\|c|@d*e_f~~g~~", "`@zq`|@zq|``", "`` @zq ` <!-- zq",
    "=HYPERLINK(\"http://zq.example\",\"zq\")", "+zq+cmd|' /C calc'!A0", "-zq", "@zq", "\t=zq", "\r=zq",
    "</script><script>zq()</script>", "]]><zq/>", "--><svg onload=zq()>", "\" onmouseover=\"zq()", "' onmouseover='zq()",
    "&#27;zq", "%0A::error::zq", "zq%s%n",
]
BYTES = [name.encode() for name in NAMES] + [b"zq\xff\xfe\xc3", b"zq\xed\xa0\x80"]

complaints = []
runs = 0


# ---- forbidden output ------------------------------------------------------------------------------------------------------------

CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
DIRECTION = re.compile("[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
HASHES = re.compile(r"##[A-Za-z]*\[")


def characters(text):
    """Yields forbidden characters in any text that is shown."""
    for what, pattern in (("a control", CONTROLS), ("a direction mark", DIRECTION), ("a ##[ command", HASHES)):
        found = pattern.search(text)
        if found:
            yield f"{what}: {text[max(0, found.start() - 30):found.end() + 30]!r}"


def check_log(text):
    yield from characters(text)
    for line in re.split(r"[\r\n]", text):
        if line.lstrip().startswith("::"):
            yield f"a command: {line!r}"


def check_github(text):
    yield from characters(text)
    for line in re.split(r"[\r\n]", text):
        line = line.lstrip()
        if line.startswith("::") and not re.match(r"::(error|warning) (file=[^:,]*,line=\d+,)?title=[^:,]*::", line):
            yield f"a command: {line!r}"


def check_json(text):
    yield from check_log(text)
    json.loads(text)


def check_xml(text):
    yield from characters(text)
    root = ElementTree.fromstring(text)
    for element in root.iter():
        tag = element.tag.split("}")[-1]
        if tag in ("zq", "img", "b"):
            yield f"an element: {tag}"
        for attribute in element.attrib:
            if attribute.startswith("on") and "zq" in element.attrib[attribute]:
                yield f"an attribute: {attribute}"


DOT_ATTRIBUTES = set("style fillcolor shape fontsize label tooltip labeltooltip id color weight penwidth minlen".split())
DOT_VALUE = r'"(?:[^"\\]|\\.)*"'
DOT_LIST = rf'\[(?:\w+ ?= ?(?:{DOT_VALUE}|\w+) ?)*\]'
DOT_LINE = re.compile(rf'digraph {DOT_VALUE} {{|node {DOT_LIST}|subgraph cluster_L {{ {DOT_VALUE} {DOT_LIST} }}|N[N_\d]+(?: -> N[N_\d]+)? {DOT_LIST}|}}')


def check_dot(text):
    """Yields lines that the reports never write, and texts that leave their quotes."""
    yield from check_log(text)
    for line in text.rstrip("\n").split("\n"):
        if not DOT_LINE.fullmatch(line):
            yield f"no statement of the graph: {line!r}"
        for attribute in re.findall(r"(\w+) ?=", re.sub(DOT_VALUE, '""', line)):
            if attribute not in DOT_ATTRIBUTES:
                yield f"an attribute: {attribute}"


def check_junit(text):
    yield from check_xml(text)
    for element in ElementTree.fromstring(text).iter():
        for value in (element.text or "", *element.attrib.values()):
            yield from check_log(value)


class Page(HTMLParser):
    TAGS = set("""html head meta title style script body header h1 h2 span button label select output input nav div main canvas aside
        section table thead tbody tr th td p pre br sup ol li dialog svg g rect text path a defs lineargradient stop clippath
        option pattern""".split())

    def __init__(self):
        super().__init__()
        self.wrong, self.policy, self.scripts = [], "", 0

    def handle_starttag(self, tag, attributes):
        if tag not in self.TAGS:
            self.wrong.append(f"an element: {tag}")
        values = dict(attributes)
        self.scripts += tag == "script"
        if values.get("http-equiv") == "Content-Security-Policy":
            self.policy = values["content"]
        for name, value in attributes:
            if name.startswith("on") or "zq(" in (value or "") and name in ("href", "src"):
                self.wrong.append(f"an attribute: {name}={value}")


class ReportPage(Page):
    """A page of pprofci. Names may contain <b> and <img>; the page's own elements also have a class or data."""
    TAGS = Page.TAGS | set("circle details summary small dl dt dd caption strong ul h3 code".split())

    def handle_starttag(self, tag, attributes):
        own = {"b": "class", "img": "src"}.get(tag)
        if own and re.match(r"(worse|better|noise|data:image/svg)", dict(attributes).get(own) or ""):
            return
        super().handle_starttag(tag, attributes)


def check_html(text):
    yield from characters(re.sub(r"<script>.*?</script>|<style>.*?</style>", "", text, flags=re.S))
    page = Page()
    page.feed(text)
    yield from page.wrong
    return page


def check_report_page(text):
    yield from characters(re.sub(r"<script>.*?</script>|<style>.*?</style>", "", text, flags=re.S))
    page = ReportPage()
    page.feed(text)
    yield from page.wrong
    own = 1 + ('<section id="graph"' in text)  # scripts of the page, each with its hash
    if page.scripts != own or page.policy.count("'sha256-") != own or "default-src 'none'" not in page.policy or "script-src 'sha256-" not in page.policy:
        yield f"{page.scripts} scripts, a policy {page.policy!r}"


def check_page(text):
    page = yield from check_html(text)
    if "default-src 'none'" not in page.policy:
        yield f"no security policy: {page.policy!r}"
    if page.scripts and "script-src 'sha256-" not in page.policy:
        yield "scripts, but no hash of one"


def without_code(line):
    """Returns a line of Markdown without its code spans, as CommonMark finds them."""
    out, at = [], 0
    while at < len(line):
        fence = re.compile(r"`+").match(line, at)
        if not fence:
            step = 2 if line[at] == "\\" else 1
            out.append(line[at:at + step])
            at += step
            continue
        end = re.compile(r"(?<!`)" + fence.group() + r"(?!`)").search(line, fence.end())
        if end:
            out.append("C")
            at = end.end()
        else:
            out.append(fence.group())
            at = fence.end()
    return "".join(out)


def check_markdown(text):
    yield from check_log(text)
    columns = 0
    for line in text.split("\n"):
        if line.startswith("<!--") and line.endswith("-->") and "zq" not in line:
            continue
        if line.startswith("|"):
            # GitHub finds bars before code spans. A "\" removes the meaning of the next character.
            bars = len(re.findall(r"\|", re.sub(r"\\[!-/:-@\[-`{-~]", "", line)))
            columns = columns or bars
            if bars != columns:
                yield f"{bars} bars instead of {columns}: {line!r}"
            # A cell is a separate text, in which \| means |.
            cells = [cell.replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)]
        else:
            columns, cells = 0, [line]
        for cell in cells:
            rest = without_code(cell)
            for what in ("@", "<", "](", "://", "www.", "GH-", "::"):
                if what in rest.replace("\\" + what, ""):
                    yield f"Markdown acts on {what!r}: {line!r}"
            if re.search(r"(?<!&)#\d", rest):
                yield f"a reference: {line!r}"


OWN_TAGS = re.compile(r'<a href="(index\.html(#[a-z0-9-]+)?|flame/[\w.%~-]+\.html)">|</a>|<code>[^<]*</code>|</?(details|summary|pre)>|<!-- (pprofc:default|state [\w= ]*) -->')


def check_summary(text):
    """Yields forbidden elements of pprofci's Markdown, which may have a few HTML elements. A code element contains only
    text, and <pre> contains the output of a gate."""
    yield from characters(text)
    text = re.sub(r"<pre>[^<]*</pre>|<summary>[^<]*</summary>", "", text)
    yield from check_markdown(OWN_TAGS.sub("", text))


def check_annotations(text):
    for line in text.split("\n"):
        if line.startswith("::") and not re.fullmatch(r"::error (file=[^:,]*,(line=\d+,)?)?title=[^:,]*::.*", line):
            yield f"a command: {line!r}"
    yield from check_log("\n".join(line for line in text.split("\n") if not line.startswith("::error ")))


def check_csv(text):
    yield from check_log(text)
    for row in csv.reader(io.StringIO(text)):
        for cell in row:
            number = re.fullmatch(r"-?(\d+(\.\d+)?(e[+-]\d+)?|Inf)", cell)
            if cell[:1] in tuple("=+-@\t\r") and not number:
                yield f"a formula: {cell!r}"


# ---- running ---------------------------------------------------------------------------------------------------------------------


def run(check, program, *arguments, expect="zq", output=None, cwd, env=None, status=None):
    """Runs a program and checks its output, which must contain `expect`."""
    global runs
    runs += 1
    command = [os.path.join(BIN, program), *arguments]
    environment = {"PATH": os.environ["PATH"], "TZ": "UTC", "HOME": "/nonexistent", **(env or {})}
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LLVM_PROFILE_FILE"):
        if name in os.environ:
            environment[name] = os.environ[name]
    done = subprocess.run(command, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
    shown = f"{program} {' '.join(repr(a) for a in arguments)}"

    def complain(what):
        complaints.append(f"{shown}\n    {what}")

    data = done.stdout
    if output:
        with open(os.path.join(os.fsencode(cwd), os.fsencode(output)), "rb") as file:
            data = file.read()
    for where, raw, checker in (("output", data, check), ("standard error", done.stderr, check_log)):
        try:
            for what in checker(raw.decode()):
                complain(f"{where}: {what}")
        except (UnicodeDecodeError, ValueError, ElementTree.ParseError) as error:
            complain(f"{where}: {error}")
    if expect and expect.encode() not in data + (b"" if output else done.stderr):
        complain(f"{expect!r} is not shown; status {done.returncode}, {done.stderr[:300]!r}")
    if done.returncode < 0 or (status is not None and done.returncode != status):
        complain(f"status {done.returncode}")


# ---- profiles --------------------------------------------------------------------------------------------------------------------


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(key, value):
    return varint(key << 3) + varint(value)


def block(key, data):
    return varint(key << 3 | 2) + varint(len(data)) + data


def make_profile(folder, source, path="hostile.pb", comments=True):
    """Writes a profile in which each text is hostile: function, file, mapping, label, unit and comment for each name."""
    strings = [b""]
    names = BYTES if comments else BYTES[LINES:] + BYTES[:LINES]

    def text(data):
        strings.append(data)
        return len(strings) - 1

    body = b"".join(block(1, number(1, text(a)) + number(2, text(b))) for a, b in ((BYTES[0], BYTES[7]), (BYTES[11], BYTES[1])))
    for i, name in enumerate(names):
        other = names[(i + 1) % len(names)]
        labels = block(3, number(1, text(name)) + number(2, text(other)))
        labels += block(3, number(1, text(b"n" + name)) + number(3, 5) + number(4, text(other)))
        body += block(2, number(1, i + 1) + number(1, 1) + number(2, 1000 + i) + number(2, 1 + i) + labels)
        body += block(3, number(1, i + 1) + number(2, 4096 * (i + 1)) + number(3, 4096 * (i + 2)) + number(5, text(name)) +
                      number(6, text(other)) + number(7, 1) + number(8, 1))
        body += block(4, number(1, i + 1) + number(2, i + 1) + number(3, 4096 * (i + 1)) + block(4, number(1, i + 1) + number(2, 2)))
        file = source if i % 2 else other
        body += block(5, number(1, i + 1) + number(2, text(name)) + number(3, text(name)) + number(4, text(file)))
        if comments:
            body += number(13, text(name))
    body += number(9, 10**18) + number(10, 10**9) + block(11, number(1, text(BYTES[2])) + number(2, text(BYTES[3]))) + number(12, 1)
    body += number(15, text(BYTES[6]))
    with open(os.path.join(folder, path), "wb") as file:
        file.write(body + b"".join(block(6, s) for s in strings))


def make_units(folder, name):
    """Writes a profile in which each type and unit is one name. The key "bytes" also has this unit, which graphs show."""
    strings = [b"", b"bytes", b"main", b"main.c", b"work", name, b"n"]
    body = block(1, number(1, 6) + number(2, 5)) + block(1, number(1, 5) + number(2, 5))
    labels = block(3, number(1, 1) + number(3, 4096) + number(4, 5)) + block(3, number(1, 6) + number(3, 7) + number(4, 5))
    body += block(2, number(1, 2) + number(1, 1) + number(2, 500) + number(2, 5) + labels)
    body += block(2, number(1, 1) + number(2, 100) + number(2, 1))
    for i in (1, 2):
        body += block(4, number(1, i) + number(3, 4096 * i) + block(4, number(1, i) + number(2, i)))
        body += block(5, number(1, i) + number(2, 2 * i) + number(3, 2 * i) + number(4, 3))
    body += number(9, 10**18) + number(10, 10**9) + block(11, number(1, 5) + number(2, 5)) + number(12, 1) + number(14, 5)
    with open(os.path.join(folder, "units.pb"), "wb") as file:
        file.write(body + b"".join(block(6, s) for s in strings))


LINES = next(i for i, name in enumerate(NAMES) if name.startswith("zq\n"))


def check_lines(text):
    """Yields lines that begin with the text after a newline of a name. Comments are texts of several lines, as in
    pprof."""
    yield from check_log(text)
    for line in text.split("\n"):
        if re.match(r"\s*:(:|\\x3a)error::x", line):
            yield f"a line from the middle of a name: {line!r}"


# Texts that end a quoted text of dot, followed by attributes.
QUOTES = [b'zq" URL="javascript:zq()" target="_self" x="', b'zq" image="./zq.png" label="" x="', b'zq"]; evil [label="zq" URL="javascript:zq()"]; N9 [x="',
          b'zq" label=<<TABLE><TR><TD><IMG SRC="./zq.png"/></TD></TR></TABLE>> x="', b"zq\\", b'zq\\"', b"<zq>", b"zq\\N\\G\n"]
UNIT_TEXTS = ["top", "text", "tree", "traces", "tags", "raw", "comments", "folded", "callgrind", "flame=text", "list=.", "peek=."]
PROFILE_TEXTS = ["top", "text", "tree", "traces", "tags", "raw", "comments", "dot", "folded", "callgrind", "flame=text", "list=.",
                 "peek=."]


def test_profiles(folder):
    source = os.path.join(folder, "source.c")
    with open(source, "wb") as file:
        file.write(b"\n".join(name.replace(b"\n", b" ") for name in BYTES) + b"\n")
    make_profile(folder, source.encode())
    common = ("-symbolize=none", "-nodefraction=0", "-edgefraction=0", "-nodecount=500")
    for index in ("0", "1"):
        for name in PROFILE_TEXTS:
            run(check_dot if name == "dot" else check_log, "pprofc", "-" + name, *common, f"-sample_index={index}", "hostile.pb", cwd=folder)
        run(check_log, "pprofc", "-folded", "-diff_base=hostile.pb", "hostile.pb", cwd=folder)
        run(check_log, "pprofc", "-top", "-lines", "-tagroot=n" + NAMES[0], *common, "hostile.pb", cwd=folder)
        for name in ("json", "flamebearer", "speedscope"):
            run(check_json, "pprofc", "-" + name, f"-sample_index={index}", "hostile.pb", cwd=folder)
        run(check_xml, "pprofc", "-flamegraph", "-min_weight=0", f"-sample_index={index}", "hostile.pb", cwd=folder)
        run(check_page, "pprofc", "-flame", f"-sample_index={index}", "hostile.pb", cwd=folder)
        run(check_page, "pprofc", "-weblist=.", "-output=page.html", f"-sample_index={index}", "hostile.pb", cwd=folder, output="page.html")
    make_profile(folder, source.encode(), "lines.pb", comments=False)
    for name in PROFILE_TEXTS:
        run(check_lines, "pprofc", "-" + name, *common, "lines.pb", cwd=folder, expect="" if name == "comments" else "zq")
    for focus in (NAMES[0], NAMES[1], NAMES[6], NAMES[11]):
        run(check_log, "pprofc", "-top", "-focus=zq|" + re.escape(focus), "hostile.pb", cwd=folder)


def test_units(folder):
    """Tests each name as a type, a unit and a unit of labels, in each format, also with a base."""
    for name in (*BYTES, *QUOTES):
        make_units(folder, name)
        common = ("-symbolize=none", "-nodefraction=0", "-edgefraction=0", "units.pb")
        for form in UNIT_TEXTS:
            run(check_log, "pprofc", "-" + form, *common, cwd=folder, expect="" if form in ("folded", "comments", "tags", "list=.") else "zq")
        for options in ((), ("-safe",), ("-diff_base=units.pb",), ("-tagleaf=bytes",), ("-tagroot=n",), ("-unit=" + os.fsdecode(name.split(b"\0")[0]),)):
            run(check_dot, "pprofc", "-dot", *options, *common, cwd=folder, expect="")
            run(check_log, "pprofc", "-top", *options, *common, cwd=folder, expect="")
        for form in ("json", "flamebearer", "speedscope"):
            run(check_json, "pprofc", "-" + form, "units.pb", cwd=folder)
        run(check_xml, "pprofc", "-flamegraph", "units.pb", cwd=folder)
        run(check_page, "pprofc", "-flame", "units.pb", cwd=folder)
        run(check_page, "pprofc", "-weblist=.", "-output=page.html", "units.pb", cwd=folder, output="page.html")


def test_imports(folder):
    """Tests text of other tools, and files that cannot be read."""
    plain = [name for name in BYTES[:-2] if not re.search(rb"[\x00-\x08\x0a-\x1f]", name)]
    made = {
        "folded": b"".join(b"%s;%s %d\n" % (a, b, 7) for a, b in zip(plain, plain[1:])),
        "cpuprofile": json.dumps({"nodes": [{"id": i + 1, "callFrame": {"functionName": n, "url": n, "lineNumber": 1, "scriptId": "0"},
                                             "children": [i + 2] * (i + 1 < len(NAMES))} for i, n in enumerate(NAMES)],
                                  "samples": list(range(2, len(NAMES))), "timeDeltas": [5] * (len(NAMES) - 2), "startTime": 0,
                                  "endTime": 5 * len(NAMES)}).encode(),
        "callgrind": b"events: Ir\n" + b"".join(b"fl=%s\nfn=%s\n1 5\n" % (n, n) for n in (x.replace(b"\n", b"") for x in BYTES)),
    }
    for name, data in made.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)
        for form in ("top", "traces", "raw", "comments"):
            run(check_log, "pprofc", "-" + form, "-nodefraction=0", name, cwd=folder, expect="zq" if form != "comments" else "")


def test_messages(folder):
    """Tests names in arguments and names of files."""
    for i, name in enumerate(BYTES):
        if b"\0" in name:
            continue
        path = b"./" + name.replace(b"/", b"_")
        with open(os.path.join(os.fsencode(folder), path), "wb") as file:
            file.write(b"\x0a\x05broken" if i % 2 else b"BenchmarkA 1 x ns/op\n" + name.replace(b"\n", b" "))
        run(check_log, "pprofc", "-top", path, cwd=folder)
        run(check_log, "pprofc", "-top", name, cwd=folder, expect="")
        run(check_log, "pprofc", "-top", "-output=" + os.fsdecode(name) + "/x", "hostile.pb", cwd=folder)
        run(check_log, "pprofc", "-top", "-output=" + os.fsdecode(path) + ".out", "hostile.pb", cwd=folder)
        for flag in ("-", "-focus=(", "-completion=", "-unit=", "-sort=", "-sample_index=", "-nodecount=", "-flame=", "-tagfocus=1:", "-colors="):
            run(check_log, "pprofc", "-top", flag.encode() + name, "hostile.pb", cwd=folder, expect="")
        for arguments in ((path,), (name,), (b"-row", name, path), (b"-filter", name, path), (b"-format", name, path), (b"-" + name,),
                          (b"-alpha", name, path), (name + b"=" + path,), (b"-completion", name)):
            run(check_log, "benchstatc", *arguments, cwd=folder, expect="")
        for arguments in ((path,), (name,), (b"-base", path, b"-head", path), (b"-base", name, b"-head", path), (b"-rules", path),
                          (b"-noise-from", path), (b"-threshold", name), (b"-" + name,), (b"-out", name), (b"-better", name + b"=lower"),
                          (b"-completion", name), (b"-min-effect", name)):
            run(check_log, "parse_bench_regressions", *arguments, cwd=folder, expect="")
        run(check_log, "parse_bench_regressions", cwd=folder, env={"THRESHOLD_PERCENT": os.fsdecode(name), "FORMAT": "x"}, expect="")
    for program in ("pprofc", "benchstatc", "parse_bench_regressions"):
        for flag in ("-help", "-version", "-completion=bash"):
            run(check_log, program, flag, cwd=folder, expect="")


# ---- benchmarks ------------------------------------------------------------------------------------------------------------------


def word(name):
    return re.sub(rb"[ \t\n\r\v\f]|\xc2\x85|\xc2\xa0|\xe2\x80[\xa8\xa9]|\xe3\x80\x80", b"_", name)


def make_results(folder):
    """Writes base and head in Go's format and in Google's, which allows any character in a name."""
    for side, factor in (("base", 1), ("head", 2)):
        lines = [b"pkg: " + BYTES[0].replace(b"\n", b""), b"zq" + word(BYTES[4]).lower() + b": ::error::zq"]
        for i, name in enumerate(BYTES):
            lines.append(b"pkg: " + (word(name)))
            for round in range(8):
                unit = word(BYTES[(i + 3) % len(BYTES)]) + b"/op"
                lines.append(b"Benchmark%s 1 %d ns/op %d %s" % (word(name), 1000 * factor + round, 500 * factor + round, unit))
        with open(os.path.join(folder, side + ".txt"), "wb") as file:
            file.write(b"\n".join(lines) + b"\n")
        benchmarks = [{"name": n, "run_name": n, "run_type": "iteration", "iterations": 1, "real_time": 1000 * factor + r,
                       "cpu_time": 900 * factor + r, "time_unit": "ns", "label": n, n: 5 * factor}
                      for n in NAMES for r in range(8)]
        with open(os.path.join(folder, side + ".json"), "w") as file:
            json.dump({"context": {"library_build_type": "release", "executable": NAMES[0]}, "benchmarks": benchmarks}, file)


GATE = {"text": check_log, "github": check_github, "markdown": check_markdown, "json": check_json, "junit": check_junit,
        "gitlab": check_json, "csv": check_csv}
TABLES = {"text": check_log, "csv": check_log, "markdown": check_markdown, "json": check_json, "html": check_page,
          "classic": check_log}


def test_results(folder):
    make_results(folder)
    rules = {"rules": [{"benchmark": "*", "unit": "*", "threshold": "0.001%", "reason": "".join(NAMES)}]}
    with open(os.path.join(folder, "rules.json"), "w") as file:
        json.dump(rules, file)
    for kind in ("txt", "json"):
        base, head = f"base.{kind}", f"head.{kind}"
        for name, check in TABLES.items():
            run(check, "benchstatc", "-format", name, base, head, cwd=folder)
            run(check, "benchstatc", "-format", name, NAMES[1] + "=" + base, NAMES[12] + "=" + head, cwd=folder)
            run(check, "benchstatc", "-format", name, "-table", ".config", "-row", ".fullname", "-col", ".file", base, head, cwd=folder)
        for flag in ("-csv", "-html"):
            run(check_html if flag == "-html" else check_log, "benchstatc", "-format", "classic", flag, base, head, cwd=folder)
        for name, check in GATE.items():
            summary = os.path.join(folder, "summary.md")
            if os.path.exists(summary):
                os.remove(summary)
            for more in ((), ("-all",), ("-rules", "rules.json")):
                extra = ("-one-process", *more)
                run(check, "parse_bench_regressions", "-base", base, "-head", head, "-format", name, *extra, cwd=folder, status=2,
                    env={"GITHUB_STEP_SUMMARY": summary}, output=None)
                run(check, "parse_bench_regressions", "-base", base, "-head", head, f"-out={name}=out", *extra, cwd=folder, output="out")
            if name == "github":
                with open(summary, "rb") as file:
                    complaints.extend("summary: " + what for what in check_markdown(file.read().decode()))
        run(check_log, "parse_bench_regressions", "-aa", "-base", base, "-head", head, cwd=folder)
        run(check_log, "parse_bench_regressions", "-base", base, "-head", head, "-noise-from", ".", cwd=folder, expect="")
        for name in ("text", "csv", "markdown", "json", "classic"):
            table = os.path.join(folder, f"table.{name}")
            with open(table, "wb") as file:
                subprocess.run([os.path.join(BIN, "benchstatc"), "-format", name, base, head], cwd=folder, stdout=file,
                               stderr=subprocess.DEVNULL, check=False)
            for form, check in GATE.items():
                run(check, "parse_bench_regressions", "-format", form, table, cwd=folder, expect="")


def test_tables(folder):
    """Tests tables of other programs, which escape no text."""
    for i, name in enumerate(BYTES):
        row = re.sub(rb"[\n\r]", b"", name)
        texts = {
            "text": "        │ a │ b │\n        │ sec/op │ sec/op   vs base │\n".encode() + row + "  1.0 ± 1% 2.0 ± 1% +100.00% (p=0.000 n=10)\n".encode(),
            "csv": b",a,,b,,,\n,sec/op,CI,sec/op,CI,vs base,P\n\"" + row.replace(b'"', b'""') + b"\",1,1%,2,1%,+100.00%,p=0.000 n=10\n",
            "classic": b"name  old time/op  new time/op  delta\n" + word(row) + "  1.0s ± 1%  2.0s ± 1%  +100.00%  (p=0.000 n=10+10)\n".encode(),
            "markdown": "|  | a sec/op | b sec/op | vs base |\n| :-- | --: | --: | --: |\n| ".encode() + row.replace(b"|", b"\\|") +
                        " | 1 ± 1% | 2 ± 1% | +100.00% (p=0.000 n=10) |\n".encode(),
            "failure": b"FAIL\t" + row + b"\npanic: " + row + b"\n",
        }
        for kind, data in texts.items():
            with open(os.path.join(folder, "one." + kind), "wb") as file:
                file.write(data)
            for form, check in GATE.items():
                run(check, "parse_bench_regressions", "-format", form, "one." + kind, cwd=folder, expect="")


def test_ci(folder):
    """Tests the page, summary, annotations, comment and reports of pprofci."""
    make_results(folder)
    for side, count in (("base", 100), ("head", 90000)):
        frames = [{"name": name, "file": name, "line": 7} for name in NAMES]
        profile = {"type": "sampled", "name": NAMES[0], "unit": "nanoseconds", "startValue": 0, "endValue": count * len(frames),
                   "samples": [[i] for i in range(len(frames))], "weights": [count + i for i in range(len(frames))]}
        with open(os.path.join(folder, side + ".speedscope.json"), "w", encoding="utf-8") as file:
            json.dump({"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": frames}, "profiles": [profile]}, file)
    title = "".join(NAMES).replace("\0", "")
    for kind in ("txt", "json"):
        command = ("pprofci", "run", "-bench-base", f"base.{kind}", "-bench-head", f"head.{kind}", "-one-process", "-pair", "base.speedscope.json", "head.speedscope.json",
                   "-out", "ci", "-title", title)
        run(check_annotations, *command, cwd=folder, status=2, env={"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": os.path.join(folder, "step.md")})
        run(check_report_page, *command, cwd=folder, output="ci/index.html")
        run(check_summary, *command, cwd=folder, output="ci/summary.md")
        run(check_json, *command, cwd=folder, output="ci/manifest.json", expect="")
        run(check_summary, "pprofci", "publish", "-markdown", "told.md", "ci", cwd=folder, output="told.md")
        run(check_summary, "pprofci", "publish", "-write-body", "body.md", "ci", cwd=folder, output="body.md")
        run(check_json, "pprofci", "publish", "-codequality", "quality.json", "ci", cwd=folder, output="quality.json")
        run(check_json, "pprofci", "publish", "-json", "told.json", "ci", cwd=folder, output="told.json")
        run(lambda text: CONTROLS.findall(text), "pprofci", "publish", "-metrics", "metrics.txt", "ci", cwd=folder, output="metrics.txt")
        run(check_log, "pprofci", "publish", "-dry-run", "-host", "github", "-to", "status", "ci", cwd=folder,
            env={"GITHUB_REPOSITORY": "o/r", "GITHUB_SHA": "a" * 40}, expect="")
        leg = os.path.join(folder, NAMES[13].replace("/", "") + "|@zq")
        if not os.path.exists(leg):
            os.rename(os.path.join(folder, "ci"), leg)
            run(check_log, "pprofci", "merge", "-out", "all/ci", leg, leg, cwd=folder)
            run(check_report_page, "pprofci", "merge", "-out", "all/ci", leg, leg, cwd=folder, output="all/ci/index.html")
            run(check_summary, "pprofci", "merge", "-out", "all/ci", leg, leg, cwd=folder, output="all/ci/summary.md")
        with open(os.path.join(folder, "step.md"), "rb") as file:
            complaints.extend("step: " + what for what in check_summary(file.read().decode()))


def main():
    with tempfile.TemporaryDirectory() as folder:
        for test in (test_profiles, test_units, test_imports, test_results, test_ci, test_tables, test_messages):
            test(folder)
    for complaint in complaints[:60]:
        print(complaint.encode("utf-8", "backslashreplace").decode())
    print(f"{runs} runs, {len(complaints)} complaints")
    return 1 if complaints or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
