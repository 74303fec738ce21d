"""Checks that graphs of random profiles are well-formed, with names of any bytes and values of any size: well_formed.py
PPROFC.

Totals must equal the input's sums, and names must have only permitted characters.
"""
import base64
import json
import os
import random
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
import zlib
from html.parser import HTMLParser

ROUNDS = 40
PIECES = [b"<script>alert(1)</script>", b"]]>", b"--><svg>", b"\"'&<>", b"&amp;&#0;", b"\\u0000\\", b"\x01\x02\x1b[31m", b"\xff\xfe",
          b"\xc3", b"\xe2\x80\xae", b"\xf0\x9f\x94\xa5", b"\xef\xbf\xbf", b"\xed\xa0\x80", b"main", b"runtime.gc", b"std::sort<a, b>",
          b"a" * 3000, b"%s%n", b"\x7f", b"\t", b"/usr/lib/x.so"]
FORMATS = ["-flamegraph", "-flame", "-json", "-flamebearer"]


def random_name(rng):
    name = b"".join(rng.choice(PIECES) for _ in range(rng.randint(1, 3)))
    if rng.random() < 0.2:
        name += bytes(rng.randint(1, 255) for _ in range(rng.randint(1, 20)))
    return name


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number, value):
    """Returns a field of a protobuf message: a number, bytes, or a list of numbers."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value & (2**64 - 1))
    if isinstance(value, list):
        value = b"".join(varint(item & (2**64 - 1)) for item in value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def random_profile(rng, names, big):
    """Returns a profile in pprof's format, and the sum of its values."""
    strings = [b"", b"cpu", b"nanoseconds", b"key"] + names
    out, total = [field(1, field(1, 1) + field(2, 2))], 0
    for i in range(len(names)):
        out.append(field(5, field(1, i + 1) + field(2, i + 4) + field(4, rng.randrange(len(strings)))))
        out.append(field(4, field(1, i + 1) + field(4, field(1, i + 1) + field(2, rng.randint(0, 9)))))
    for _ in range(rng.randint(1, 60)):
        stack = [rng.randint(1, len(names)) for _ in range(rng.randint(1, 12))]
        value = rng.randint(1, 1000)
        if big and rng.random() < 0.3:
            value = rng.choice([2**62, 2**63 - 1, 2**53 + 1, -2**63, -5])
        sample = field(1, stack) + field(2, [value])
        if rng.random() < 0.5:
            sample += field(3, field(1, 3) + field(2, rng.randrange(len(strings))))
        out.append(field(2, sample))
        total += value
    return b"".join(out + [field(6, text) for text in strings]), total


class Page(HTMLParser):
    """The data of a page, and each tag in it."""

    def __init__(self):
        super().__init__()
        self.tags, self.data, self.open = [], {}, None

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.open = dict(attributes).get("id") if tag == "script" else None

    def handle_endtag(self, tag):
        self.open = None

    def handle_data(self, text):
        if self.open:
            self.data[self.open] = self.data.get(self.open, "") + text


def check_svg(text, _):
    root = ElementTree.fromstring(text)
    tags = {element.tag.split("}")[1] for element in root.iter()}
    assert tags <= {"svg", "style", "defs", "pattern", "rect", "path", "g", "title", "text", "script"}, tags
    assert len(root.findall(".//{*}script")) == 1
    for element in root.iter():
        assert not [name for name in element.attrib if name.startswith("on")], element.attrib


def check_page(text, wanted):
    page = Page()
    page.feed(text.decode("utf-8"))
    assert len([1 for tag, _ in page.tags if tag == "script"]) == 6, [a for tag, a in page.tags if tag == "script"]
    for tag, attributes in page.tags:
        assert tag not in ("img", "iframe", "object", "link"), tag
        assert not [name for name in attributes if name.startswith("on") or name == "src"], attributes
    summary = json.loads(page.data["pprofc-summary"])
    meta = json.loads(page.data["pprofc-meta"])
    frames = json.loads(zlib.decompress(base64.b64decode(page.data["pprofc-frames"])).decode("utf-8"))
    zlib.decompress(base64.b64decode(page.data["pprofc-nodes"]))
    assert len({len(frames[key]) for key in ("name", "line", "origin", "file_of")}) == 1
    assert meta["nodes"] >= 1
    if wanted is not None:
        assert summary["head"] == wanted, summary["head"]


def check_json(text, wanted):
    report = json.loads(text.decode("utf-8"))
    assert report["version"] == 1 and report["functions"]
    if wanted is not None:
        assert report["head"][report["sample_index"]] == wanted


def check_flamebearer(text, wanted):
    report = json.loads(text.decode("utf-8"))
    names, levels = report["flamebearer"]["names"], report["flamebearer"]["levels"]
    double = report["metadata"]["format"] == "double"
    step = 7 if double else 4
    for level in levels:
        assert len(level) % step == 0
        assert all(0 <= level[i + step - 1] < len(names) for i in range(0, len(level), step))
    if wanted is None:
        return
    total = levels[0][4 if double else 1]
    assert total == wanted, total
    for level in levels:
        assert all(value >= 0 for value in level), "an offset is negative"
        assert sum(level[i + (4 if double else 1)] for i in range(0, len(level), step)) <= total


CHECKS = dict(zip(FORMATS, [check_svg, check_page, check_json, check_flamebearer]))


def variants(form):
    yield []
    yield ["-diff_base=base.pb"]
    if form == "-flamegraph":
        yield ["-reverse", "-colors=origin"]


def main():
    pprofc = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as work:
        for seed in range(ROUNDS):
            rng = random.Random(seed)
            big = seed % 4 == 3
            names = [random_name(rng) for _ in range(rng.randint(1, 12))]
            for side in ("base", "head"):
                text, total = random_profile(rng, names, big)
                with open(os.path.join(work, side + ".pb"), "wb") as file:
                    file.write(text)
            for form in FORMATS:
                for more in variants(form):
                    run = subprocess.run([pprofc, "-symbolize=none", form, *more, "-output=out", "head.pb"],
                                         cwd=work, capture_output=True, check=False)
                    # pprofc may reject values that cannot be added up, with a message.
                    if big and run.returncode == 2 and run.stderr:
                        continue
                    assert run.returncode == 0, (seed, form, run.stderr)
                    with open(os.path.join(work, "out"), "rb") as file:
                        text = file.read()
                    try:
                        CHECKS[form](text, None if big else total)
                    except Exception:
                        print(f"seed {seed}: {form} {' '.join(more)}", file=sys.stderr)
                        raise
            for file in os.listdir(work):
                os.unlink(os.path.join(work, file))
    print(f"{ROUNDS} pairs of profiles, {len(FORMATS)} formats: all well-formed")


main()
