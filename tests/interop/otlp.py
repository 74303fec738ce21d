#!/usr/bin/env python3
"""Checks the output of -otlp by the rules of OpenTelemetry's profiles, and compares it with the original profile.

  otlp.py --bin BUILD/bin --testdata testdata

The rules: a table begins with its zero value. Each index is in its table. No entry occurs twice, and other entries
refer to each entry. A mapping ends after its start. Lines and columns are not negative. Ids of links have 16 and 8
bytes. Samples have values or times, all of a profile in the same way. Then pprofc reads the file in each permitted
form: with fields in another order, as a frame of a stream whose length is 4 bytes or a varint, with a byte order mark,
compressed by gzip.
"""
import argparse
import gzip
import os
import re
import struct
import subprocess
import sys
import tempfile

TABLES = {1: "mapping", 2: "location", 3: "function", 4: "link", 5: "string", 6: "attribute", 7: "stack"}


class Wrong(Exception):
    pass


def check(good, *words):
    if not good:
        raise Wrong(" ".join(map(str, words)))


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def fields(data):
    """Yields the fields of a message: number, value, and bytes of the field."""
    at = 0
    while at < len(data):
        start = at
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            width = {1: 8, 5: 4}[key & 7]
            value, at = int.from_bytes(data[at:at + width], "little"), at + width
        check(at <= len(data), "a field runs past the end")
        yield key >> 3, value, data[start:at]


class Message:
    """A message, read by the numbers of its fields."""

    def __init__(self, data):
        self.data, self.lists = data, {}
        for number, value, _ in fields(data):
            self.lists.setdefault(number, []).append(value)

    def all(self, number):
        return self.lists.get(number, [])

    def messages(self, number):
        return [Message(value) for value in self.all(number)]

    def number(self, number):
        check(len(self.all(number)) < 2, "field", number, "occurs twice")
        value = self.all(number)[0] if self.all(number) else 0
        return value - (1 << 64) if value >> 63 else value

    def numbers(self, number, width=0):
        """Returns a list of numbers, packed or not."""
        out = []
        for value in self.all(number):
            at = 0
            while isinstance(value, bytes) and at < len(value):
                if width:
                    item, at = int.from_bytes(value[at:at + width], "little"), at + width
                else:
                    item, at = varint(value, at)
                out.append(item)
            if not isinstance(value, bytes):
                out.append(value)
        return [value - (1 << 64) if value >> 63 else value for value in out]


class Conformance:
    def __init__(self, data):
        top = Message(data)
        (dictionary,) = top.messages(2)
        self.tables = {name: [bytes(entry) for entry in dictionary.all(number)] for number, name in TABLES.items()}
        self.used = {name: set() for name in self.tables}
        self.strings = self.tables["string"]
        for name, entries in self.tables.items():
            check(entries, f"the table of {name}s is empty")
            check(not entries[0].strip(b"\0") and not any(Message(entries[0]).lists.values() if entries[0] and name != "string" else []),
                  f"{name} 0 is not the zero value: {entries[0]}")
            check(len(set(entries)) == len(entries), f"a {name} occurs twice")
        for resource in top.messages(1):
            for scope in resource.messages(2):
                for profile in scope.messages(2):
                    self.profile(profile)
        self.entries()
        for name, entries in self.tables.items():
            orphans = set(range(1, len(entries))) - self.used[name]
            check(not orphans, f"nothing points to {name}s {sorted(orphans)[:5]}")

    def use(self, name, index):
        check(0 <= index < len(self.tables[name]), f"{name} {index} of {len(self.tables[name])}")
        self.used[name].add(index)
        return Message(self.tables[name][index]) if name != "string" else self.strings[index]

    def value_type(self, message):
        self.use("string", message.number(1))
        self.use("string", message.number(2))

    def profile(self, p):
        for number in (1, 5):
            for message in p.messages(number):
                self.value_type(message)
        self.attributes(p.numbers(11))
        check(not p.all(7) or len(p.all(7)[0]) in (0, 16), "a profile's id has not 16 bytes")
        time, duration, shapes = p.number(3), p.number(4), set()
        for sample in p.messages(2):
            self.use("stack", sample.number(1))
            self.attributes(sample.numbers(2))
            self.use("link", sample.number(3))
            values, times = sample.numbers(4), sample.numbers(5, 8)
            check(values or times, "a sample without values and times")
            check(not values or not times or len(values) == len(times), "values and times that do not fit each other")
            check(all(time <= t < time + duration for t in times), "a time that is not in the profile's")
            shapes.add((bool(values), bool(times), len(values) == 1 if not times else None))
        check(len(shapes) < 2, "samples of several shapes:", shapes)

    def attributes(self, indices):
        keys = [self.use("attribute", index).number(1) for index in indices]
        check(len(set(keys)) == len(keys), "a key occurs twice:", [self.strings[key] for key in keys])
        check(all(indices), "attribute 0 is used")
        return keys

    def entries(self):
        """Checks that the entries to which other entries refer have valid references themselves."""
        for name in ("stack", "location", "function", "mapping", "link", "attribute"):
            for index in range(len(self.tables[name])):
                getattr(self, name)(Message(self.tables[name][index]))

    def stack(self, stack):
        for index in stack.numbers(1):
            check(index, "location 0 in a stack")
            self.use("location", index)

    def location(self, location):
        self.use("mapping", location.number(1))
        for line in location.messages(3):
            self.use("function", line.number(1))
            check(line.number(2) >= 0 and line.number(3) >= 0, "a line or column below 0")
        self.attributes(location.numbers(4))

    def function(self, function):
        for number in (1, 2, 3):
            self.use("string", function.number(number))
        check(function.number(4) >= 0, "a function that starts below line 0")

    def mapping(self, mapping):
        start, limit = mapping.number(1) % (1 << 64), mapping.number(2) % (1 << 64)
        check(start < limit or start == limit == 0, f"a mapping from {start:x} to {limit:x}")
        self.use("string", mapping.number(4))
        self.attributes(mapping.numbers(5))

    def link(self, link):
        if link.data:
            check(len(link.all(1)[0]) == 16 and len(link.all(2)[0]) == 8, "ids of a link that have not 16 and 8 bytes")

    def attribute(self, attribute):
        self.use("string", attribute.number(1))
        self.use("string", attribute.number(3))
        for value in attribute.messages(2):
            check(len(value.lists) <= 1, "a value of two kinds")
            if value.all(8):
                self.use("string", value.number(8))


def forms(data):
    """Yields the same profile in each form that a file may have."""
    top = [raw for _, _, raw in fields(data)]
    yield "other order", b"".join(reversed(top))
    (dictionary,) = [value for number, value, _ in fields(data) if number == 2]
    rest = b"".join(raw for number, _, raw in fields(data) if number == 1)
    inner = list(fields(dictionary))
    order = sorted(range(len(inner)), key=lambda i: -inner[i][0])
    turned = b"".join(inner[i][2] for i in order)
    yield "tables in another order", rest + b"\x12" + length(len(turned)) + turned
    yield "a frame", struct.pack(">I", len(data)) + data
    yield "a frame behind a varint", length(len(data)) + data
    yield "an empty frame first", struct.pack(">I", 0) + struct.pack(">I", len(data)) + data
    yield "a mark and a frame", b"OTLP" + struct.pack(">I", 1) + struct.pack(">I", len(data)) + data
    yield "gzip", gzip.compress(data)
    yield "a frame, gzip", gzip.compress(struct.pack(">I", len(data)) + data)


def length(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def raw(pprofc, path):
    made = subprocess.run([pprofc, "-raw", "-symbolize=none", path], capture_output=True, check=False)
    check(made.returncode == 0, f"-raw of {path}:", made.stderr.decode(errors="replace"))
    return made.stdout


def parts(text):
    """Returns the contents of -raw without the numbers of its tables: the head, the mappings, and the samples with the
    entries to which their numbers refer."""
    lines = re.sub(r"(\\x[0-9a-f]{2})+|\ufffd+", "?", text.decode(errors="replace")).splitlines()  # names of OTLP are UTF-8
    places, mappings = lines.index("Locations"), lines.index("Mappings")
    maps = dict(line.split(": ", 1) for line in lines[mappings + 1:])
    locations, last = {}, None
    for line in lines[places + 1:mappings]:
        found = re.match(r" *(\d+): (0x\w+) (?:M=(\d+) )?(.*)", line)
        last = found.group(1) if found else last
        name = f"{found.group(2)} {maps.get(found.group(3))} {found.group(4)}" if found else line.strip()
        locations.setdefault(last, []).append(name)
    samples = []
    for line in lines[lines.index("Samples:"):places]:
        found = re.match(r"([-\d ]+): ([\d ]*)$", line)
        samples.append((found.group(1), *(tuple(locations[i]) for i in found.group(2).split())) if found else line)
    return lines[:lines.index("Samples:")], list(maps.values()), samples


def compare(path, out):
    """Compares all data except the numbers of tables and unused mappings, which OTLP lacks. The first mapping is the
    program."""
    (head, maps, samples), (other_head, other_maps, other_samples) = parts(path), parts(out)
    check(head == other_head, "heads:", head, other_head)
    check(len(samples) == len(other_samples), len(samples), "and", len(other_samples), "lines of samples")
    for one, other in zip(samples, other_samples):
        check(one == other, "samples:", one, other)
    rest = iter(maps)
    check(all(m in rest for m in other_maps if not m.startswith("0x0/0x0/0x0")), "mappings:", maps, other_maps)
    if maps:
        program, other = (re.sub(r"\s*(\[\w+\]\s*)*$|^\S+", "", m) for m in (maps[0], (other_maps + [""])[0]))
        check(program == other, "the program:", program, other)


def is_profile(pprofc, path):
    return subprocess.run([pprofc, "-raw", "-symbolize=none", "-output=/dev/null", path], capture_output=True, check=False).returncode == 0


def examine(pprofc, path, out, every_form):
    made = subprocess.run([pprofc, "-otlp", "-symbolize=none", f"-output={out}", path], capture_output=True, text=True, check=False)
    check(made.returncode == 0, "-otlp:", made.stderr)
    with open(out, "rb") as file:
        data = file.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    Conformance(data)
    first, again = raw(pprofc, path), raw(pprofc, out)
    compare(first, again)
    for what, form in forms(data) if every_form else ():
        with open(out, "wb") as file:
            file.write(form)
        try:
            compare(again, raw(pprofc, out))
        except Wrong as why:
            raise Wrong(f"{what}: {why}") from why


def inputs(testdata):
    """Returns profiles of each kind and origin, without the largest."""
    for folder in (".", "valid", "imports", "native", "leaks/map", "leaks/goroutines"):
        path = os.path.join(testdata, folder)
        for name in sorted(os.listdir(path)) if os.path.isdir(path) else []:
            file = os.path.join(path, name)
            if os.path.isfile(file) and os.path.getsize(file) < 1 << 18:
                yield file


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--testdata", required=True)
    options = parser.parse_args()
    pprofc, wrong, count = os.path.join(options.bin, "pprofc"), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for path in inputs(options.testdata):
            if not is_profile(pprofc, path):
                continue
            count += 1
            try:
                examine(pprofc, path, os.path.join(folder, "out.otlp"), count % 5 == 1)
            except Wrong as why:
                wrong += 1
                print(f"{path}: {why}")
    print(f"{count} profiles, {wrong} wrong")
    sys.exit(1 if wrong or count < 40 else 0)


main()
