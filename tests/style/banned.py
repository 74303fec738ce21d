"""Functions that only their home calls: memory goes through core/mem, numbers through core/str, text through buffers.

Names have homes, too: the library allocates with what its caller gives, never with mem_default."""
import re

from source import Report, code, files, read

MEMORY = ("malloc calloc realloc reallocarray free strdup strndup asprintf vasprintf getline "
          "aligned_alloc posix_memalign alloca")
PARSING = "atoi atol atoll atof strtol strtoll strtoul strtoull strtod strtof sscanf scanf fscanf strtok"
TEXT = "sprintf vsprintf strcpy strcat strncpy strncat gets"
ENDING = "exit _exit abort quick_exit system popen"

# What is called instead.
INSTEAD = [(MEMORY, "mem_array, ARRAY_RESERVE or an arena (core/mem.h, core/array.h)"), (PARSING, "the str_parse functions of core/str.h"),
           (TEXT, "a buffer (core/buffer.h) or snprintf"), (ENDING, "a status and a message; core/child runs programs")]

# Where each list holds. Tests have memory and children of their own; programs may exit.
RULES = [
    (MEMORY + " " + PARSING + " " + TEXT, ("libpprofc", "tools")),
    (ENDING, ("libpprofc",)),
    ("atoi atol atof sscanf " + TEXT, ("tests", "docs")),
]

# The places that are there to call them.
HOMES = {
    "libpprofc/src/core/mem.c": MEMORY,
    "libpprofc/src/core/str_number.c": "strtod",
    "libpprofc/src/core/go_text.c": "strtod",
    "libpprofc/src/core/child.c": "_exit",
}

# A name, where its rule holds, and the files that may use it.
NAMES = [
    ("mem_default", ("libpprofc",), ("libpprofc/src/core/mem.c", "libpprofc/src/core/mem.h")),
    ("mem_resize", ("libpprofc", "tools"),  # others: ARRAY_RESERVE
     ("libpprofc/src/core/mem.c", "libpprofc/src/core/mem.h")),
    ("strerror", ("libpprofc", "tools"), ("libpprofc/src/core/error.c",)),  # others: error_errno_text
]


def calls(text, names):
    """(name, line) of each call of one of the names. A member of that name is none."""
    pattern = re.compile(r"(?<![\w.>])(" + "|".join(names.split()) + r")\s*\(")
    plain = code(text)
    for match in pattern.finditer(plain):
        yield match.group(1), plain.count("\n", 0, match.start()) + 1


def uses(text, name):
    """The lines that use a name."""
    plain = code(text)
    return [plain.count("\n", 0, match.start()) + 1 for match in re.finditer(rf"\b{name}\b", plain)]


def main():
    report = Report("banned")
    checked = 0
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
