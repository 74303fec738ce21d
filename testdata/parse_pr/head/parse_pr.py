"""Reads what a pull request says: the issue that it fixes, and its title."""

import re


def find_issue(body):
    return re.search(r"(?:fixes|closes|resolves) #(\d+)", body)


def parse_issue_fixed(body):
    found = find_issue(body)
    return int(found.group(1)) if found else None


def parse_body(body):
    return {"issue": parse_issue_fixed(body), "lines": len(body.splitlines())}


def prepare_parsing_body(body):
    return parse_body("\n".join(line.strip().lower() for line in body.split("\n")))


def parse_title(title):
    kind, _, text = title.partition(": ")
    return {"kind": kind, "title": text}


def parse_pr(title, body):
    return {**parse_title(title), **prepare_parsing_body(body)}
