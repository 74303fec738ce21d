"""Checks forty planted changes of one line in four languages. pprofci must name the line, at most two lines off, and
annotate no line outside of the change.

  lines.py PPROFCI ARCHIVE.tar.xz [LANGUAGE [NAME ...]]    with a language, also prints wrong results
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

import corpus

LEAST = 36


def commit(folder, message):
    git = ["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@example.com"]
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", message], check=True)


def judge(pprofci, profiles, language, change, folder):
    """Returns the changed line, the annotations as (file, line), and the output."""
    name, old, new = change
    file = corpus.main_file(language)
    path = corpus.FILES[language][file]
    subprocess.run(["git", "init", "-q", folder], check=True)
    corpus.place(language, folder)
    commit(folder, "base")
    corpus.place(language, folder, [(file, old, new)])
    commit(folder, "head")
    for side, which in (("base", "base"), ("head", name)):
        shutil.copytree(os.path.join(profiles, language, which), os.path.join(folder, "runs", side, "shop"))
    command = [pprofci, "run", "-base", "runs/base", "-head", "runs/head", "-base-ref", "HEAD~1", "-fail-on", "cum>2%", "-out", "out"]
    done = subprocess.run(command, cwd=folder, env={**os.environ, "GITHUB_ACTIONS": "true"}, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 2), (done.stdout, done.stderr)
    with open(os.path.join(folder, "out/manifest.json"), encoding="utf-8") as manifest:
        pairs = json.load(manifest)["pairs"]
    places = {(m[1], int(m[2])) for m in re.finditer(r"^::error [^\n]*?file=([^,]*),line=(\d+)", done.stdout, re.M)}
    return (path, corpus.line_of(language, file, old)), places, done.stdout + json.dumps([p.get("hunks") for p in pairs], indent=1)[:6000]


def main():
    pprofci, archive, wanted = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3:]
    named, outside, count = 0, 0, 0
    with tempfile.TemporaryDirectory() as top:
        with tarfile.open(archive) as tar:
            tar.extractall(top)
        for language in wanted[:1] or corpus.CHANGES:
            for change in corpus.CHANGES[language]:
                if wanted[1:] and change[0] not in wanted[1:]:
                    continue
                with tempfile.TemporaryDirectory() as folder:
                    planted, places, said = judge(pprofci, os.path.join(top, "lines"), language, change, folder)
                right = any(file == planted[0] and abs(line - planted[1]) <= 2 for file, line in places)
                wrong = {place for place in places if place != planted}
                named, outside, count = named + right, outside + len(wrong), count + 1
                print(f"{'named' if right else 'NOT NAMED'}: {language} {change[0]}, line {planted[1]}; "
                      f"annotated: {sorted(places)}{', OUTSIDE' if wrong else ''}", flush=True)
                if wanted and (not right or wrong):
                    print(said)
    print(f"{named} of {count} lines named, {outside} annotations outside of the change")
    assert wanted or (count == 40 and named >= LEAST and not outside)


main()
