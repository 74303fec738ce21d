"""Checks the words of comments and documents: they name the actor and use plain terms."""
import glob
import os
import re

from source import ROOT, TOKEN, Report, files, read

# Forbidden words, and the words to use instead.
WORDS = [
    (r"\b(?:nobody|somebody)\b", "name the actor: 'no other profile', 'the caller'"),
    (r"(?<!person )(?<!people )(?<!user )\bwho\b", "code is not a person: name the function, the file or 'the caller'"),
    (r"\bstands?\b(?! for\b)(?!-| alone)", "'is', 'is in', 'comes' or 'follows'"),
    (r"\bsays? of\b", "'what X holds about Y'"),
    (r"\bsome \d", "'about' and the number"),
    (r"\bleaves (?:out|away)\b|\bleave (?:out|away)\b", "'drop' or 'skip'"),
    (r"\bthose who\b", "name the actor"),
]
# Constructions that the comments of other C projects hardly use, looked for in comments and messages of libpprofc and tools.
CONSTRUCTIONS = [
    (r"^(?:What|Where|Who|Which|Whether)\b", "begin with a verb ('Returns ...'), 'True if' or a noun"),
    (r"(?<!there )(?<!There )\b(?:is|are|was) no\b(?! longer| more)", "'is not a ...'"),
    (r"(?<![\"'=(|,/] )(?<![\"'=(|/])\bnone\b(?![\"'|])", "'no value', 'no such row'"),
    (r"(?<![`$])\bbehind\b(?!=)", "'after'"),
    (r"\b(?:that|those) of\b", "repeat the noun: 'the values of'"),
    (r"\bof which\b", "begin a new sentence"),
    (r"\bso (?:many|much)\b", "name the number"),
    (r"\bas (?:it is|they are|it comes|they come)\b", "'unchanged'"),
    (r"\b(?:tell|tells|told)\b", "'shows', 'names', 'distinguishes'"),
    (r"\b(?:is|are|was|were) (?:said|asked|looked at|wanted|given back)\b", "name the actor and use the active voice"),
    (r"\bwhat [a-z]+ (?:come|comes|has|have|makes?|holds?|says?)\b", "name the thing"),
    (r", too\b", "'also' after the verb"),
    (r"\banew\b", "'again'"),
    (r"\bat the (?:most|least)\b", "'at most', 'at least'"),
    (r"\b(?:is|are) to be\b", "'must be'"),
    (r"\b(?:ask|asks|asked) (?:for|of|at|whether|about)\b", "'requests', 'queries', 'checks if'"),
]
COMPILED = [(re.compile(pattern, re.I), instead) for pattern, instead in WORDS]
RARE = [(re.compile(pattern), instead) for pattern, instead in CONSTRUCTIONS]
# Messages may begin with any word and may name the value "none".
IN_MESSAGES = [pair for pair in RARE if "none" not in pair[0].pattern and not pair[0].pattern.startswith("^")]
DOCUMENTS = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs/*.md", "docs/method/*.md", "docs/spec/*.md", "docs/man/*.md"]


def comments(text):
    """Returns the text with blanks in place of all code. Lines stay the same."""
    out, end = [], 0
    for match in TOKEN.finditer(text):
        out.append(re.sub(r"[^\n]", " ", text[end:match.start()]))
        token = match.group()
        out.append(token if token.startswith("/") else re.sub(r"[^\n]", " ", token))
        end = match.end()
    return "".join(out) + re.sub(r"[^\n]", " ", text[end:])


def prose(text):
    """Returns Markdown without code: blocks indented by four blanks or fenced, and `code`."""
    text = re.sub(r"^```.*?^```", lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.M | re.S)
    text = re.sub(r"^    .*", "", text, flags=re.M)
    return re.sub(r"`[^`\n]*`", lambda m: " " * len(m.group()), text)


def check(path, text, report):
    for pattern, instead in COMPILED:
        for match in pattern.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            report.add("words", f"{path}:{match.group().lower()}", path, line, f"'{match.group()}': {instead}")


def sentences(text):
    """(line, words, is a comment) of each comment and of each string with a blank, without marks and line breaks."""
    for match in TOKEN.finditer(text):
        token = match.group()
        if token.startswith("/") or " " in token:
            words = re.sub(r"\s*\n\s*\*?\s*", " ", token.strip("/*\"")).strip()
            yield text.count("\n", 0, match.start()) + 1, words, token.startswith("/")


def check_constructions(path, text, report):
    """Adds the constructions of a file to `report`."""
    for line, words, is_comment in sentences(text):
        for pattern, instead in RARE if is_comment else IN_MESSAGES:
            for match in pattern.finditer(words):
                report.add("words", f"{path}:{match.group().lower().replace(' ', '_')}", path, line, f"'{match.group()}': {instead}")


def main():
    report = Report("words")
    paths = files("libpprofc", "tools", "tests", "docs")
    for path in paths:
        check(path, comments(read(path)), report)
        if path.startswith(("libpprofc/", "tools/")):
            check_constructions(path, read(path), report)
    documents = sorted(path for pattern in DOCUMENTS for path in glob.glob(os.path.join(ROOT, pattern)))
    for path in documents:
        check(os.path.relpath(path, ROOT), prose(read(os.path.relpath(path, ROOT))), report)
    report.finish(f"{len(paths) + len(documents)} files")


if __name__ == "__main__":
    main()
