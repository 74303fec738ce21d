"""Records the planted changes: five runs per side, in one archive of small profiles.

  record.py PPROFC OUT.tar.xz [lines|pairs ...]

Needs go, gcc, g++, rustc, perf and node. Runs in /srv/shop. docs/method/agents.md has the results.
"""
import concurrent.futures
import gzip
import io
import os
import shutil
import sys
import tarfile

import corpus

TOP = "/srv/shop"  # a path without a user name, because profiles have the paths of sources


def prepare(name, language, changes):
    folder = os.path.join(TOP, name)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    corpus.place(language, folder, changes)
    corpus.build(language, folder)
    return folder


def record(pprofc, out, name, language, changes, **how):
    """Records one side: out/NAME/RUN.pb.gz."""
    target = os.path.join(out, name)
    if os.path.isdir(target) and len(os.listdir(target)) == corpus.RUNS:
        return name
    shutil.rmtree(target, ignore_errors=True)
    folder = prepare(name.replace("/", "_").replace("+", "x"), language, changes)
    os.makedirs(target)
    for run in range(corpus.RUNS):
        corpus.record(pprofc, language, folder, os.path.join(target, f"{run}.pb.gz"), **how)
    shutil.rmtree(folder)
    return name


def sides(wanted):
    """Yields each recording: its name, language, changes, and arguments of `record`."""
    if "lines" in wanted:
        for language, changes in corpus.CHANGES.items():
            yield f"lines/{language}/base", language, (), {}
            for name, old, new in changes:
                yield f"lines/{language}/{name}", language, [(corpus.main_file(language), old, new)], {}
    if "pairs" in wanted:
        for pair in corpus.PAIRS:
            yield f"pairs/{pair.name}/base", pair.language, (), {"kind": pair.kind}
            yield f"pairs/{pair.name}/head", pair.language, pair.changes, {"kind": pair.kind, "factor": pair.factor}


def main():
    pprofc, archive, wanted = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3:] or ["lines", "pairs"]
    out = archive.removesuffix(".tar.xz")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        tasks = [pool.submit(record, pprofc, out, name, language, changes, **how) for name, language, changes, how in sides(wanted)]
        for task in tasks:
            print(task.result(), flush=True)
    with tarfile.open(archive, "w:xz", preset=9) as tar:
        for folder, folders, files in os.walk(out):
            folders.sort()
            for file in sorted(files):
                path = os.path.join(folder, file)
                with gzip.open(path) as data:  # xz compresses the common parts of the runs
                    text = data.read()
                info = tarfile.TarInfo(os.path.relpath(path, out).removesuffix(".gz"))
                info.size = len(text)
                tar.addfile(info, io.BytesIO(text))


main()
