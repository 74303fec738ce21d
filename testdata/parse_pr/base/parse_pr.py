"""Reads what a pull request says: the issue that it fixes, and its title."""


def parse_issue_fixed(body):
    start = body.find("fixes #")
    if start < 0:
        return None
    end = start = start + len("fixes #")
    while body[end : end + 1].isdigit():
        end += 1
    return int(body[start:end])


def parse_body(body):
    return {"issue": parse_issue_fixed(body), "lines": len(body.splitlines())}


def prepare_parsing_body(body):
    return parse_body("\n".join(line.strip().lower() for line in body.split("\n")))


def parse_title(title):
    kind, _, text = title.partition(": ")
    return {"kind": kind, "title": text}


def parse_pr(title, body):
    return {**parse_title(title), **prepare_parsing_body(body)}
