"""Words that say what is meant: comments and documents name the actor and use the field's terms."""
import glob
import os
import re

from source import ROOT, TOKEN, Report, files, read

# What is not written, and what is written instead.
WORDS = [
    (r"\b(?:nobody|somebody)\b", "name the actor: 'no other profile', 'the caller'"),
    (r"(?<!person )(?<!people )(?<!user )\bwho\b", "code is not a person: name the function, the file or 'the caller'"),
    (r"\bstands?\b(?! for\b)(?!-| alone)", "'is', 'is in', 'comes' or 'follows'"),
    (r"\bsays? of\b", "'what X holds about Y'"),
    (r"\bsome \d", "'about' and the number"),
    (r"\bleaves (?:out|away)\b|\bleave (?:out|away)\b", "'drop' or 'skip'"),
    (r"\bthose who\b", "name the actor"),
]
COMPILED = [(re.compile(pattern, re.I), instead) for pattern, instead in WORDS]
DOCUMENTS = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs/*.md", "docs/spec/*.md", "docs/man/*.md"]


def comments(text):
    """The text with everything but comments blanked; lines stay where they were."""
    out, end = [], 0
    for match in TOKEN.finditer(text):
        out.append(re.sub(r"[^\n]", " ", text[end:match.start()]))
        token = match.group()
        out.append(token if token.startswith("/") else re.sub(r"[^\n]", " ", token))
        end = match.end()
    return "".join(out) + re.sub(r"[^\n]", " ", text[end:])


def prose(text):
    """Markdown without code: blocks indented by four blanks or fenced, and `code`."""
    text = re.sub(r"^```.*?^```", lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.M | re.S)
    text = re.sub(r"^    .*", "", text, flags=re.M)
    return re.sub(r"`[^`\n]*`", lambda m: " " * len(m.group()), text)


def check(path, text, report):
    for pattern, instead in COMPILED:
        for match in pattern.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            report.add("words", f"{path}:{match.group().lower()}", path, line, f"'{match.group()}': {instead}")


def main():
    report = Report("words")
    paths = files("libpprofc", "tools", "tests", "docs")
    for path in paths:
        check(path, comments(read(path)), report)
    documents = sorted(path for pattern in DOCUMENTS for path in glob.glob(os.path.join(ROOT, pattern)))
    for path in documents:
        check(os.path.relpath(path, ROOT), prose(read(os.path.relpath(path, ROOT))), report)
    report.finish(f"{len(paths) + len(documents)} files")


if __name__ == "__main__":
    main()
