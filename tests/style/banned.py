"""Functions that nobody calls: memory goes through base/mem, numbers through base/str, text through buffers."""
import re

from source import Report, code, files, read

MEMORY = ("malloc calloc realloc reallocarray free strdup strndup asprintf vasprintf getline "
          "aligned_alloc posix_memalign alloca")
PARSING = "atoi atol atoll atof strtol strtoll strtoul strtoull strtod strtof sscanf scanf fscanf strtok"
TEXT = "sprintf vsprintf strcpy strcat strncpy strncat gets"
ENDING = "exit _exit abort quick_exit system popen"

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
    "libpprofc/src/bench/number.c": "strtod",
    "libpprofc/src/core/child.c": "_exit",
}


def calls(text, names):
    """(name, line) of each call of one of the names. A member of that name is none."""
    pattern = re.compile(r"(?<![\w.>])(" + "|".join(names.split()) + r")\s*\(")
    plain = code(text)
    for match in pattern.finditer(plain):
        yield match.group(1), plain.count("\n", 0, match.start()) + 1


def main():
    report = Report("banned")
    checked = 0
    for names, folders in RULES:
        for path in files(*folders):
            checked += 1
            home = HOMES.get(path, "").split()
            for name, line in calls(read(path), names):
                if name not in home:
                    report.add("banned", f"{path}:{name}", path, line, f"call of {name}")
    report.finish(f"{checked} files")


if __name__ == "__main__":
    main()
