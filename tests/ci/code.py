#!/usr/bin/env python3
"""Tests the comparison of code with Go benchmarks of two commits: code.py SOURCE PROGRAMS. pprofci must name and
annotate a planted line with its cost. It must not blame an unrelated function, and not annotate lines outside of the
change."""
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
# Every line of clean changes, so the lines of the hunk have all its cost.
PLANTED = PLAIN.replace("""func clean(w string) string {
	return strings.Trim(w, ".,")""", """func clean(word string) string {
	word = strings.Repeat(word, 40)[:len(word)]
	return strings.Trim(word, ".,")""")
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
    """Returns the result of a pull request with this source: manifest, output, summary."""
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
    """Compares two programs from the same source that differ in flags and libraries."""
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


C = """#define APART __attribute__((noinline, noclone))
static inline int step(int x) { return x * 31; }
APART int walk(int n) {
  n = step(n) + 1;
  return n;
}
APART int limit(int n) { return n < MOST ? n : MOST; }
APART int edited(int n) { return n * 3; }
APART int kept(int n) { return n * 5; }
KEEP int folded(int n) { return n * 11; }
int main(int n, char **w) {
  (void)w;
  return walk(n) + limit(n) + edited(n) + kept(n) + folded(n);
}
"""
# Frames of a stack, as perf script prints them, and samples of the base.
STACKS = [
    ("\t  1003 step (inlined)\n  work.c:2\n\t  1003 walk+0x3 (/x/work)\n  work.c:4\n", 50),
    ("\t  1001 walk+0x1 (/x/work)\n  work.c:5\n", 90),
    ("\t  1103 limit+0x3 (/x/work)\n  work.c:7\n", 80),
    ("\t  1203 edited+0x3 (/x/work)\n  work.c:8\n", 70),
    ("\t  1303 kept+0x3 (/x/work)\n  work.c:9\n", 60),
    ("\t  1401 folded+0x1 (/x/work)\n  work.c:10\n\t  1501 main+0x1 (/x/work)\n  work.c:13\n", 50),
]


def words_of_c(work, programs):
    """Checks the word of each function: edited, with inlined code of the diff, changed only by the compiler, unchanged,
    or inlined in the head."""
    if not shutil.which("cc"):
        print("note: inlined code of C is not checked: no cc")
        return
    folder = work / "words"
    git = ["git", "-C", folder, "-c", "user.name=tests", "-c", "user.email=tests@example.com"]
    folder.mkdir()
    subprocess.run(["git", "init", "-q", folder], check=True)
    edited = C.replace("x * 31", "x * 37").replace("n * 3;", "n * 7;")
    for side, text, flags, times in (("base", C, ["-DMOST=9", "-DKEEP=APART"], 1), ("head", edited, ["-DMOST=11", "-DKEEP=static inline"], 3)):
        (folder / "work.c").write_text(text)
        subprocess.run([*git, "add", "work.c"], check=True)
        subprocess.run([*git, "commit", "-qm", side], check=True)
        subprocess.run(["cc", "-O2", *flags, "-o", folder / f"{side}.bin", folder / "work.c"], check=True)
        (folder / side / "bench").mkdir(parents=True)
        for run in range(3):
            lines = [f"work 1 [000] 1.0: 1000 cpu-clock:u:\n{frames}\n" for frames, count in STACKS for _ in range(count * times + run)]
            stacks = "".join(lines)
            if side == "head":
                stacks = stacks.replace("folded+0x1 (/x/work)", "folded (inlined)")
            (folder / side / "bench" / f"{run}.perf").write_text(stacks)
    subprocess.run([programs / "pprofci", "run", "-base", "base", "-head", "head", "-program-base", "base.bin", "-program-head", "head.bin",
                    "-base-ref", "HEAD~1", "-out", "out"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    pair, = json.loads((folder / "out/manifest.json").read_text())["pairs"]
    wanted = {"step": "in this diff", "walk": "inlines this diff", "limit": "changed", "edited": "in this diff", "kept": "same", "folded": "inlined elsewhere"}
    check(words_of(pair) == wanted, f"the words of C functions: {words_of(pair)}")
    page = re.sub(r"<[^>]*>", "", (folder / "out/index.html").read_text())
    check("inlines this diff: the change edits code that is inlined" in page, "the page explains the words")


def main():
    programs = pathlib.Path(sys.argv[2]).resolve()
    if not shutil.which("go") or not shutil.which("git") or os.uname().machine != "x86_64":
        print("skipped: no go, no git, or another machine than x86-64")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as work:
        # Uses the Go build cache of the user, because compiling Go's packages takes 20 s of CPU time.
        cache = subprocess.run(["go", "env", "GOCACHE"], check=True, capture_output=True, text=True).stdout.strip()
        os.environ.update(HOME=work, GOCACHE=cache, GOFLAGS="-mod=mod", GOPROXY="off", GIT_CONFIG_NOSYSTEM="1", GIT_CONFIG_GLOBAL=os.devnull)
        manifest, pair, said, summary = run(pathlib.Path(work) / "planted", PLANTED, "300x", programs)
        lines = [line for hunk in pair["hunks"] for line in hunk["lines"]]
        planted = [line for line in lines if "Repeat" in line["text"]]
        check(planted and planted[0]["head_line"] == 7 and planted[0]["head"] > planted[0]["base"], "the planted line has its cost")
        check(pair["hunks"][0]["function"].endswith("words.clean"), "the hunk names its function")
        hunk = pair["hunks"][0]
        head = hunk["base"] + hunk["grown"] + hunk["moved"]
        for side, total in (("base", hunk["base"]), ("head", head)):
            lines_cost = sum(line[side] for line in hunk["lines"])
            check(abs(lines_cost - total) < 1e-6 * total, f"the lines add up to the row of their function: {lines_cost}, {total}")
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
        words_of_c(pathlib.Path(work), programs)


main()
