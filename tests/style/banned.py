"""Checks that some functions are called only in their home: memory in core/mem, numbers in core/str, text in buffers.
Also checks that no string has a tag of HTML or SVG, because pages are templates in folders named "assets".

Some names also have a home. For example, the library never uses mem_default, but the allocator of its caller.
"""
import re

from source import TOKEN, Report, code, files, read

MEMORY = ("malloc calloc realloc reallocarray free strdup strndup asprintf vasprintf getline "
          "aligned_alloc posix_memalign alloca")
PARSING = "atoi atol atoll atof strtol strtoll strtoul strtoull strtod strtof sscanf scanf fscanf strtok"
TEXT = "sprintf vsprintf strcpy strcat strncpy strncat gets"
ENDING = "exit _exit abort quick_exit system popen"

# The functions to call instead.
INSTEAD = [(MEMORY, "mem_array, ARRAY_RESERVE or an arena (core/mem.h, core/array.h)"), (PARSING, "the str_parse functions of core/str.h"),
           (TEXT, "a buffer (core/buffer.h) or snprintf"), (ENDING, "a status and a message; core/child runs programs")]

# The folders to which each list applies. Tests manage memory and child processes themselves, and programs may exit.
RULES = [
    (MEMORY + " " + PARSING + " " + TEXT, ("libpprofc", "tools")),
    (ENDING, ("libpprofc",)),
    ("atoi atol atof sscanf " + TEXT, ("tests", "docs")),
]

# The files that may call some of the functions.
HOMES = {
    "libpprofc/src/core/mem.c": MEMORY,
    "libpprofc/src/core/str_number.c": "strtod",
    "libpprofc/src/core/go_text.c": "strtod",
    "libpprofc/src/core/child.c": "_exit",
}

# A name, the folders to which its rule applies, and the files that may use the name.
NAMES = [
    ("mem_default", ("libpprofc",), ("libpprofc/src/core/mem.c", "libpprofc/src/core/mem.h")),
    ("mem_resize", ("libpprofc", "tools"),  # others: ARRAY_RESERVE
     ("libpprofc/src/core/mem.c", "libpprofc/src/core/mem.h")),
    ("strerror", ("libpprofc", "tools"), ("libpprofc/src/core/error.c",)),  # others: error_errno_text
]

# Elements of HTML and SVG. Other words in angle brackets are placeholders, or elements of other kinds of XML.
ELEMENTS = ("a abbr article aside b body br button canvas caption circle code col datalist dd defs details dialog div dl dt em "
            "ellipse figure footer form g h1 h2 h3 h4 h5 h6 head header hr html i iframe img input label legend li line link "
            "main mark marker meta nav ol optgroup option p path pattern polygon polyline pre rect script section select small "
            "span strong style sub summary sup svg symbol table tbody td text textarea tfoot th thead title tr tspan u ul use")
TAG = re.compile(r"</?(" + "|".join(ELEMENTS.split()) + r")(?=[\s>/\"\\])")


def calls(text, names):
    """Yields (name, line) of each call of one of the names, but not of a member with that name."""
    pattern = re.compile(r"(?<![\w.>])(" + "|".join(names.split()) + r")\s*\(")
    plain = code(text)
    for match in pattern.finditer(plain):
        yield match.group(1), plain.count("\n", 0, match.start()) + 1


def uses(text, name):
    """Returns the lines that use a name."""
    plain = code(text)
    return [plain.count("\n", 0, match.start()) + 1 for match in re.finditer(rf"\b{name}\b", plain)]


def markup(text):
    """Yields (element, line) of each tag of HTML or SVG in a string."""
    for token in TOKEN.finditer(text):
        for tag in TAG.finditer(token.group()) if token.group().startswith('"') else ():
            yield tag.group(1), text.count("\n", 0, token.start()) + 1


def main():
    report = Report("banned", "markup")
    checked = 0
    for path in files("libpprofc", "tools"):
        for element, line in markup(read(path)):
            report.add("markup", f"{path}:{element}", path, line, f"<{element}> in a string; use a template (core/template.h)")
    for name, folders, homes in NAMES:
        for path in files(*folders):
            for line in uses(read(path), name) if path not in homes else []:
                report.add("banned", f"{path}:{name}", path, line, f"use of {name}, which is for {', '.join(homes)}")
    for names, folders in RULES:
        for path in files(*folders):
            checked += 1
            home = HOMES.get(path, "").split()
            for name, line in calls(read(path), names):
                if name not in home:
                    instead = next(text for names_of, text in INSTEAD if name in names_of.split())
                    report.add("banned", f"{path}:{name}", path, line, f"call of {name}; use {instead}")
    report.finish(f"{checked} files")


if __name__ == "__main__":
    main()
