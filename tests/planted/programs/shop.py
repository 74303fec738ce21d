"""Prices a list of orders; shop.py ROUNDS. Each function has about a tenth of the time."""
import json
import re
import sys

from rules import discount


def parse(lines):
    rows = []
    for line in lines:
        rows.append(line.split(","))
    return rows


def index(rows):
    found = {}
    for row in rows:
        found.setdefault(row[1], []).append(row)
    return found


def total(rows):
    amount = 0
    for row in rows:
        amount += int(row[2]) * int(row[3])
    return amount


def lookup(rows, wanted):
    hits = 0
    for row in rows:
        if row[1] in wanted:
            hits += len(row[1])
    return hits


def render(rows):
    parts = []
    for row in rows:
        parts.append("%s: %s of %s" % (row[0], row[3], row[1]))
    return "\n".join(parts)


def clean(rows):
    words = 0
    for row in rows:
        words += len(row[1].strip("- ").lower())
    return words


def sort(rows):
    rows = sorted(rows, key=lambda row: row[2])
    return rows[0]


def encode(rows):
    size = 0
    for row in rows[:200]:
        size += len(json.dumps(row))
    return size


def price(rows):
    amount = 0.0
    for row in rows:
        amount += discount(int(row[3]), 3)
    return amount


def checksum(text):
    value = 0
    for at in range(0, len(text), 16):
        value = (value * 31 + ord(text[at])) % 65521
    return value


def main(rounds):
    lines = [f"{n},item-{n * 7919 % 512},{n * 31 % 97},{n % 13 + 1}" for n in range(1000)]
    wanted = {f"item-{n}" for n in range(0, 512, 3)}
    seen = 0
    for _ in range(rounds):
        rows = parse(lines)
        seen += len(index(rows)) + total(rows) + lookup(rows, wanted) + clean(rows)
        seen += len(sort(rows)) + encode(rows) + int(price(rows))
        seen += checksum(render(rows))
    print(seen, bool(re))


main(int(sys.argv[1]))
