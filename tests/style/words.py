"""Checks the words of comments and documents: they name the actor and use plain terms."""
import glob
import os
import re

import comments
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
# Constructions that other C projects hardly use, forbidden in all comments, and in messages of libpprofc and tools.
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
# The same, forbidden only in comments of tests, scripts, build files and assets.
ELSEWHERE = [
    (r"(?<![`\"])\b[Ww]hat\b(?!\))", "name the thing"),
    (r"\b[Oo]urs?\b", "name the owner: 'pprofc's'"),
    (r"\bgo(?:es)? on\b", "'continues'"),
]
COMPILED = [(re.compile(pattern, re.I), instead) for pattern, instead in WORDS]
RARE = [(re.compile(pattern), instead) for pattern, instead in CONSTRUCTIONS]
IN_OTHERS = RARE + [(re.compile(pattern), instead) for pattern, instead in ELSEWHERE]
# Messages may begin with any word and may name the value "none".
IN_MESSAGES = [pair for pair in RARE if "none" not in pair[0].pattern and not pair[0].pattern.startswith("^")]
# The first word of a comment on a function.
VERB = re.compile(r"[A-Za-z][a-z-]+s\b|[Tt]rue if")
OTHERS = comments.HASH + tuple(ending for ending in comments.C_LIKE if ending not in (".c", ".h"))
DOCUMENTS = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs/*.md", "docs/method/*.md", "docs/spec/*.md", "docs/man/*.md"]


def without_code(text):
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
    """Yields (line, words, True for a comment) of each comment and of each string with a blank."""
    for match in TOKEN.finditer(text):
        token = match.group()
        if token.startswith("/") or " " in token:
            yield text.count("\n", 0, match.start()) + 1, comments.words_of(token.strip("\"")), token.startswith("/")


def check_constructions(path, text, report):
    """Adds the constructions of a C file to `report`."""
    for line, words, is_comment in sentences(text):
        add_constructions(path, line, words, RARE if is_comment else IN_MESSAGES, report)


def add_constructions(path, line, words, rules, report):
    for pattern, instead in rules:
        for match in pattern.finditer(words):
            report.add("words", f"{path}:{match.group().lower().replace(' ', '_')}", path, line, f"'{match.group()}': {instead}")


def check_comments(path, text, report):
    """Adds the constructions in comments of a file in any language, and comments on functions that begin without a verb."""
    for line, words in comments.comments(path, text):
        add_constructions(path, line, words, IN_OTHERS + ([] if path.endswith((".c", ".h")) else COMPILED), report)
    for line, words in comments.of_functions(path, text):
        if not VERB.match(words):
            report.add("words", f"{path}:verb", path, line, f"'{words[:30]}': begin with a verb ('Returns ...') or 'True if'")


def main():
    report = Report("words")
    paths = files("libpprofc", "tools", "tests", "docs")
    for path in paths:
        check(path, without_code(read(path)), report)
        if path.startswith(("libpprofc/", "tools/")):
            check_constructions(path, read(path), report)
    others = files("libpprofc", "tools", "scripts", "packaging", "proto", "templates", "docs", ".ci", endings=OTHERS)
    others += files("tests", endings=OTHERS + (".c", ".h")) + [name for name in os.listdir(ROOT) if name.endswith(OTHERS)]
    for path in others:
        check_comments(path, read(path), report)
    documents = sorted(path for pattern in DOCUMENTS for path in glob.glob(os.path.join(ROOT, pattern)))
    for path in documents:
        check(os.path.relpath(path, ROOT), prose(read(os.path.relpath(path, ROOT))), report)
    report.finish(f"{len(set(paths + others)) + len(documents)} files")


if __name__ == "__main__":
    main()
