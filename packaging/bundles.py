#!/usr/bin/env python3
"""Creates a wheel (PyPI) and a package of npm from a tarball of static programs: bundles.py TARBALL LIBRARY OUT. Prints
their names. The wheel contains LIBRARY for the Python module. SOURCE_DATE_EPOCH sets the time of all files. Paths in
the packages:

    wheel  bin/ and share/ of the tarball go to bin/ and share/ of the environment; pprofc/ is the module
    npm    bin/ and share/ of the tarball; package.json names the programs and the manual pages
"""
import base64
import gzip
import hashlib
import io
import json
import os
import re
import sys
import tarfile
import time
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
MODULE = os.path.join(HERE, "../libpprofc/python/pprofc")
HOME = "https://github.com/OWNER/pprofc"
SUMMARY = "Compares profiles and benchmarks, and says how certain a difference is"
# For Debian's name of a processor: the name in a wheel, the name in npm.
PROCESSORS = {"amd64": ("x86_64", "x64"), "arm64": ("aarch64", "arm64")}


def contents(tarball):
    """Returns the files of the tarball without its folder, sorted: (path, bytes)."""
    with tarfile.open(tarball) as archive:
        files = [(member.name.split("/", 1)[1], archive.extractfile(member).read()) for member in archive if member.isfile()]
    return sorted(files)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def platform(library, processor):
    """Returns the name of the oldest systems whose C library has all symbols that the library needs."""
    versions = [int(minor) for minor in re.findall(rb"\0GLIBC_2\.(\d+)(?:\.\d+)?(?=\0)", library)]
    if not versions:
        sys.exit("bundles.py: the library names no version of the C library")
    return f"manylinux_2_{max(17, *versions)}_{processor}"


def wheel(files, library, version, processor, out):
    name = f"pprofc-{version}"
    tag = f"py3-none-{platform(library, processor)}"
    info = f"{name}.dist-info"
    described = dict(files)["share/doc/pprofc/README.md"].decode()
    parts = [("pprofc/" + entry, read(os.path.join(MODULE, entry))) for entry in ("__init__.py", "py.typed")]
    parts += [("pprofc/libpprofc.so", library)]
    parts += [(f"{name}.data/" + (path.replace("bin/", "scripts/", 1) if path.startswith("bin/") else f"data/{path}"), data)
              for path, data in files]
    parts += [(f"{info}/LICENSE", read(os.path.join(HERE, "../LICENSE"))),
              (f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: pprofc\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()),
              (f"{info}/METADATA", f"Metadata-Version: 2.1\nName: pprofc\nVersion: {version}\nSummary: {SUMMARY}\n"
               f"License: Apache-2.0\nProject-URL: Source, {HOME}\nRequires-Python: >=3.8\n"
               f"Description-Content-Type: text/markdown\n\n{described}".encode())]
    record = "".join(f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}\n"
                     for path, data in parts)
    parts.append((f"{info}/RECORD", (record + f"{info}/RECORD,,\n").encode()))
    path = os.path.join(out, f"{name}-{tag}.whl")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry, data in parts:
            made = zipfile.ZipInfo(entry, time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6])
            made.compress_type = zipfile.ZIP_DEFLATED
            made.external_attr = (0o100755 if "/scripts/" in entry else 0o100644) << 16
            archive.writestr(made, data)
    return path


def npm(files, version, processor, out):
    name = f"pprofc-linux-{processor}"
    package = {"name": name, "version": version, "description": SUMMARY, "license": "Apache-2.0",
               "homepage": HOME, "repository": {"type": "git", "url": f"git+{HOME}.git"},
               "os": ["linux"], "cpu": [processor],
               "bin": {path[4:]: path for path, _ in files if path.startswith("bin/")},
               "man": [path for path, _ in files if path.startswith("share/man/")]}
    files = files + [("package.json", (json.dumps(package, indent=2) + "\n").encode())]
    files += [(wanted, dict(files)["share/doc/pprofc/" + wanted]) for wanted in ("LICENSE", "README.md")]
    path = os.path.join(out, f"{name}-{version}.tgz")
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for entry, data in sorted(files):
            made = tarfile.TarInfo("package/" + entry)
            made.size, made.mtime = len(data), int(os.environ["SOURCE_DATE_EPOCH"])
            made.mode = 0o755 if entry.startswith("bin/") else 0o644
            archive.addfile(made, io.BytesIO(data))
    return path


def main():
    tarball, library, out = sys.argv[1:]
    version, processor = re.fullmatch(r"pprofc-(.+)-linux-(\w+)\.tar\.gz", os.path.basename(tarball)).groups()
    files = contents(tarball)
    for path in (wheel(files, read(library), version, PROCESSORS[processor][0], out),
                 npm(files, version, PROCESSORS[processor][1], out)):
        print(os.path.basename(path))


main()
