#!/usr/bin/env python3
"""Prints the libraries that the static programs of a build contain: linked.py STATIC PREFIX [SYSROOT] [-licenses
FOLDER]. Reads the maps of the linker, and prints a line NAME VERSION SOURCE for each package. STATIC is the folder
`static` of the build. PREFIX is the output of static_libraries.sh, or "". SYSROOT is the output of sysroot.sh, or ""
for the libraries of this machine."""
import glob
import gzip
import os
import re
import shutil
import subprocess
import sys

# Matches an object of an archive, or a separate object, next to the address of one of its sections.
USED = re.compile(r"^ \.\S+\s+0x[0-9a-f]+\s+0x[0-9a-f]+ (/[^\n(]+\.(?:a|o))(?:\(|$)", re.M)


def archives(static):
    """Returns the files that a map names as the origin of code in a program."""
    found = set()
    maps = glob.glob(os.path.join(static, "*.map"))
    if not maps:
        sys.exit(f"linked.py: no map of the linker in {static}")
    for path in maps:
        with open(path, encoding="utf-8") as file:
            # A section with a long name has its numbers on the next line.
            text = re.sub(r"^( \.\S+)\n +", r"\1 ", file.read(), flags=re.M)
        found.update(os.path.realpath(name) for name in USED.findall(text))
    return sorted(name for name in found if not name.startswith(os.path.realpath(static) + "/"))


class Owners:
    """Finds the package of a file."""

    def __init__(self, prefix, sysroot):
        self.prefix, self.sysroot = (os.path.realpath(name) if name else "" for name in (prefix, sysroot))
        self.files = {}
        if self.sysroot:
            with open(os.path.join(self.sysroot, "files"), encoding="utf-8") as file:
                for line in file:
                    path, *package = line.rsplit(" ", 3)
                    self.files[path] = [word.strip() for word in package]

    def of(self, path):
        """Returns (name, version, source, the file with its license)."""
        if self.prefix and path.startswith(self.prefix + "/"):
            name = {"libcurl.a": "curl"}.get(os.path.basename(path), os.path.basename(path)[:-2])
            share = os.path.join(self.prefix, "share", name)
            with open(share + ".version", encoding="utf-8") as file:
                return name, file.read().strip(), name, share + ".copyright"
        if self.sysroot and path.startswith(self.sysroot + "/"):
            name, version, source = self.files[path[len(self.sysroot):]]
            # In some packages, the folder of documents is a link to another package's folder, which the root lacks.
            places = [f"{root}/usr/share/doc/{name}/copyright" for root in (self.sysroot, "")]
            return name, version, source, next((place for place in places if os.path.exists(place)), places[0])
        return self.installed(path)

    def installed(self, path):
        for name in (path, path.replace("/usr/lib/", "/lib/", 1)):
            said = subprocess.run(["dpkg-query", "-S", name], capture_output=True, text=True, check=False)
            if said.returncode == 0:
                package = said.stdout.split(": ")[0].split(",")[0]
                shown = subprocess.run(["dpkg-query", "-W", "-f", "${Package} ${Version} ${source:Package}", package],
                                       capture_output=True, text=True, check=True).stdout.split()
                return *shown, f"/usr/share/doc/{shown[0]}/copyright"
        sys.exit(f"linked.py: no package has {path}")


def main():
    arguments = sys.argv[1:]
    licenses = None
    if "-licenses" in arguments:
        at = arguments.index("-licenses")
        licenses = arguments[at + 1]
        del arguments[at:at + 2]
        os.makedirs(licenses, exist_ok=True)
    static, prefix, sysroot = (arguments + ["", ""])[:3]
    owners = Owners(prefix, sysroot)
    for name, version, source, license_file in sorted({owners.of(path) for path in archives(static)}):
        print(name, version, source)
        if licenses and os.path.exists(license_file):
            shutil.copyfile(license_file, os.path.join(licenses, name))
        elif licenses and os.path.exists(license_file + ".gz"):
            with gzip.open(license_file + ".gz") as packed, open(os.path.join(licenses, name), "wb") as out:
                shutil.copyfileobj(packed, out)
        elif licenses:
            sys.exit(f"linked.py: there is no license of {name}: {license_file}")


main()
