#!/usr/bin/env python3
"""code.py SOURCE PROGRAMS: Go benchmarks of two commits: a planted line is named, with its cost, and annotated; an unrelated
function is not blamed; nothing outside of the change is annotated."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PLAIN = """package words

import "strings"

//go:noinline
func clean(w string) string {
	return strings.Trim(w, ".,")
}

//go:noinline
func Count(text string) int {
	n := 0
	for _, w := range strings.Fields(text) {
		n += len(clean(w))
	}
	return n
}
"""
TEST = """package words

import (
	"strings"
	"testing"
)

var text = strings.Repeat("The quick brown fox, jumps over the lazy dog. ", 2000)

func BenchmarkCount(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Count(text)
	}
}
"""
PLANTED = PLAIN.replace("\treturn strings.Trim(w", "\tw = strings.Repeat(w, 40)[:len(w)]\n\treturn strings.Trim(w")
UNRELATED = PLAIN.replace("//go:noinline\nfunc clean", """func Unrelated(m map[string]int) string {
	for k, v := range m {
		if v > 12345 {
			return k + " of it"
		}
	}
	return strings.Repeat("x", 77)
}

//go:noinline
func clean""")


def run(folder, head, iterations, programs):
    """The result of a pull request with this source: manifest, output, the summary."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    git = ["git", "-c", "user.name=tests", "-c", "user.email=tests@example.com"]
    (folder / "go.mod").write_text("module example.com/words\n\ngo 1.19\n")
    (folder / "words.go").write_text(PLAIN)
    (folder / "words_test.go").write_text(TEST)
    subprocess.run([*git, "init", "-q", "."], cwd=folder, check=True)
    for text in (PLAIN, head):
        (folder / "words.go").write_text(text)
        subprocess.run([*git, "add", "."], cwd=folder, check=True)
        subprocess.run([*git, "commit", "-qm", "x"], cwd=folder, check=True)
    done = subprocess.run([programs / "pprofci", "run", "-record", ".", "-base-ref", "HEAD~1", "-count", "4", "-profile-runs",
                           "3", "-benchtime", iterations, "-profiles", "cpu", "-any-load", "-all", "-profile", "all", "-out", "out"], cwd=folder,
                          env={**os.environ, "GITHUB_ACTIONS": "true"}, capture_output=True, text=True)
    if done.returncode not in (0, 2):
        sys.exit(f"pprofci run: {done.stdout}{done.stderr}")
    manifest = json.loads((folder / "out/manifest.json").read_text())
    pairs = [p for p in manifest["pairs"] if p.get("comparisons")]
    return manifest, pairs[0], done.stdout, (folder / "out/summary.md").read_text()


def words_of(pair):
    return {f["function"]: f["code"] for c in pair["comparisons"] for f in c["functions"] + c["because"]}


def check(good, what):
    if not good:
        sys.exit(f"failed: {what}")
    print(f"ok: {what}")


def flags_of_c(work, programs):
    """Two programs of one source that differ in flags and libraries."""
    if not shutil.which("cc"):
        print("note: flags of C are not checked: no cc")
        return
    (work / "work.c").write_text("#include <math.h>\n#include <stdio.h>\nint main(int n, char **w) { (void)w; printf(\"%g\\n\", POWER); return 0; }\n")
    for side, flags in (("base", ["-DPOWER=1.0*n"]), ("head", ["-DPOWER=pow(n,1.5)", "-fno-plt", "-lm"])):
        subprocess.run(["cc", "-O2", "-g", "-o", work / f"work_{side}", work / "work.c", *flags], check=True)
        (work / side / "runs").mkdir(parents=True)
        for run in range(3):
            (work / side / "runs" / f"{run}.folded").write_text(f"main {900 + run}\n")
    subprocess.run([programs / "pprofci", "run", "-base", work / "base", "-head", work / "head", "-program-base", work / "work_base", "-program-head",
                    work / "work_head", "-out", work / "c"], check=True, stdout=subprocess.DEVNULL)
    pair, = json.loads((work / "c/manifest.json").read_text())["pairs"]
    said = pair["comparisons"][0]["differs"]
    check(" -fno-plt" in said and "libraries: +libm.so" in said and said.endswith("; the same compiler"), f"flags and libraries differ: {said}")


def main():
    programs = pathlib.Path(sys.argv[2]).resolve()
    if not shutil.which("go") or not shutil.which("git") or os.uname().machine != "x86_64":
        print("skipped: no go, no git, or another machine than x86-64")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as work:
        os.environ.update(HOME=work, GOFLAGS="-mod=mod", GOPROXY="off", GIT_CONFIG_NOSYSTEM="1", GIT_CONFIG_GLOBAL=os.devnull)
        manifest, pair, said, summary = run(pathlib.Path(work) / "planted", PLANTED, "300x", programs)
        lines = [line for hunk in pair["hunks"] for line in hunk["lines"]]
        planted = [line for line in lines if "Repeat" in line["text"]]
        check(planted and planted[0]["head_line"] == 7 and planted[0]["head"] > planted[0]["base"], "the planted line has its cost")
        check(pair["hunks"][0]["function"].endswith("words.clean"), "the hunk names its function")
        check(all(word != "in this diff" or name.endswith("clean") for name, word in words_of(pair).items()),
              "only the edited function is in the diff")
        check("line 7 of words.go" in summary.replace("\\", ""), "the comment says which line")
        places = re.findall(r"^::error file=([^,]*),line=(\d+)", said, flags=re.M)
        check(places and set(places) == {("words.go", "7")}, "the annotation is on the planted line")
        manifest, pair, said, summary = run(pathlib.Path(work) / "unrelated", UNRELATED, "800x", programs)
        check(not pair["hunks"], "an unrelated function has no cost")
        check(not [name for name, word in words_of(pair).items() if word in ("changed", "in this diff")],
              "no sampled function changed")
        check(pair["comparisons"][0]["same_code"], "the comparison says so")
        check(not re.search(r"^::error [^\n]*file=", said, flags=re.M), "nothing is annotated outside of the change")
        check(pair["built"]["base"]["compiler"][0].startswith("go1") and "kernel" in manifest["surroundings"], "how it was built and measured is recorded")
        check(pair["comparisons"][0]["differs"].startswith("; the same compiler, flags") and pair["comparisons"][0]["differs"].endswith("environment"),
              "nothing else differs")
        check("regressed: Count sec/op" not in said.replace("-2 ", " "), "code that did not change is no regression")
        flags_of_c(pathlib.Path(work), programs)


main()
