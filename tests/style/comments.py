"""Finds the comments of all languages of the project, each with its line."""
import ast
import io
import re
import tokenize

from source import TOKEN

C_LIKE = (".c", ".h", ".cc", ".cpp", ".css", ".go", ".js", ".mjs", ".proto", ".rs")
HASH = (".awk", ".bash", ".cmake", ".fish", ".nix", ".py", ".rb", ".sh", ".yml", ".zsh", "/run", "CMakeLists.txt", "Makefile")
# A string, or a comment after '#' and a blank. Consecutive lines are one comment.
HASH_TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|(?<!\S)# .*(?:\n[ \t]*# .*)*')
# A comment of a JavaScript function, and a comment of a shell function with its name.
JS_FUNCTION = re.compile(r"(?<!\S)/\*\*(?:(?!\*/).)*\*/(?=\n[ \t]*(?:export )?(?:(?:async )?function |const \w+ = (?:async )?\([^()]*\) =>))", re.S)
SHELL_FUNCTION = re.compile(r"^(?P<text>(?:# .*\n)+)(?P<name>\w+)\(\) [({]", re.M)


def words_of(comment):
    """Returns a comment without its marks and line breaks."""
    return re.sub(r"\s*\n\s*(?:\*|//|#)?\s*", " ", comment.strip("/*#\n")).strip()


def matches(pattern, text):
    """Yields (line, words) of the comments that the pattern finds. A match that begins with a quote is a string."""
    for match in pattern.finditer(text):
        if match.group()[0] in "/#":
            yield text.count("\n", 0, match.start()) + 1, words_of(match.group())


def docstrings(text, *kinds):
    """Yields (line, words) of the docstrings of modules, classes and functions, or of the given kinds."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, kinds or (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            yield node.body[0].lineno, words_of(ast.get_docstring(node))


def only_comments(text):
    """Returns a Python text without all tokens except comments, which stay on their lines."""
    lines = [""] * (text.count("\n") + 1)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            lines[token.start[0] - 1] = token.string
    return "\n".join(lines)


def comments(path, text):
    """Yields (line, words) of each comment of a file."""
    if path.endswith(".py"):
        yield from docstrings(text)
        text = only_comments(text)
    yield from matches(TOKEN if path.endswith(C_LIKE) else HASH_TOKEN, text)


def of_functions(path, text):
    """Yields (line, words) of the comments on functions in Python, JavaScript and shells, without a synopsis."""
    if path.endswith(".py"):
        yield from docstrings(text, ast.FunctionDef)
    elif path.endswith((".js", ".mjs")):
        yield from matches(JS_FUNCTION, text)
    elif path.endswith((".sh", "/run")):
        for match in SHELL_FUNCTION.finditer(text):
            yield text.count("\n", 0, match.start()) + 1, re.sub(rf"^{match['name']}\b[^:]*: ", "", words_of(match["text"]))
