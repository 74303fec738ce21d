"""Checks that the shared library exports exactly the functions that the public headers declare with PPROFC_API."""
import re
import shutil
import subprocess
import sys

from source import code, files, read


def declared():
    names = {}
    for path in files("libpprofc/include"):
        plain = re.sub(r"^\s*#.*$", "", code(read(path)), flags=re.M)
        for match in re.finditer(r"\bPPROFC_API\b([^;{]*)", plain):
            text = re.sub(r"\bPPROFC_PRINTF\s*\([^)]*\)", "", match.group(1))
            name = re.search(r"(\w+)\s*(?:\(|\[|$)", text.strip())
            names[name.group(1) if name else text.strip()] = path
    return names


def exported(library):
    output = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    # A line of type A is the name of a version.
    rows = [line.split() for line in output.splitlines()]
    return {row[-1].split("@")[0] for row in rows if row and row[-2] != "A"}


def main():
    if not shutil.which("nm"):
        print("skipped: no nm")
        sys.exit(77)
    public, found = declared(), exported(sys.argv[1])
    problems = [f"{name} is exported and no public header declares it; declare it there, or drop PPROFC_API" for name in sorted(found - public.keys())]
    problems += [f"{public[name]}: {name} is declared and not exported: no file of the library defines it" for name in sorted(public.keys() - found)]
    problems += [f"{name} does not start with pprofc_" for name in sorted(found) if not name.startswith("pprofc_")]
    for problem in problems:
        print(problem)
    print(f"{len(public)} declared, {len(found)} exported: {len(problems)} wrong")
    sys.exit(1 if problems or not found else 0)


if __name__ == "__main__":
    main()
