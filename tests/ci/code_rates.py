#!/usr/bin/env python3
"""Measures how often the column Code is right, with generated programs in C, C++, Go and Rust:

    code_rates.py PPROFCI [PAIRS [LANGUAGE ...]]

Each language has PAIRS (25) programs of two kinds. In the first kind, the change adds a function that no function
calls. In the second kind, the change edits a constant of one function. Prints how often a function of the first kind is
listed as changed, and how often only the edited function of the second kind is listed. The exit status is 1 if the
rates of all languages miss a limit: 1 of 100 blamed, 99 of 100 listed.
"""
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

FUNCTIONS = 12
LANGUAGES = {
    "C": (".c", "#include <stdio.h>\n#define F __attribute__((noinline)) static\n", "F long work{n}(long x) {{ long s = {a}; for (long i = 0; i < x; i++) s += (i * {b}) ^ (s >> {c}){call}; return s; }}\n",
          "int main(int count, char **words) {{ (void)words; printf(\"%ld\\n\", work{last}(count + 9)); return 0; }}\n", "work{n}", ["cc", "-O2", "-g"]),
    "C++": (".cc", "#include <cstdio>\n#include <vector>\n#include <string>\n#define F __attribute__((noinline)) static\n",
            "F long work{n}(long x) {{ std::vector<long> v; for (long i = 0; i < x; i++) v.push_back(i * {b} + {a}); long s = {c}; for (long y : v) s ^= y >> {c}{call}; return s; }}\n",
            "int main(int count, char **) {{ std::printf(\"%ld\\n\", work{last}(count + 9)); return 0; }}\n", "work{n}", ["c++", "-O2", "-g"]),
    "Go": (".go", "package main\n\nimport \"fmt\"\n\n",
           "//go:noinline\nfunc work{n}(x int) int {{\n\ts := {a}\n\tm := map[int]int{{}}\n\tfor i := 0; i < x; i++ {{\n\t\tm[i%7] += i * {b}\n\t\ts += m[i%3]>>{c}{call}\n\t}}\n\treturn s\n}}\n",
           "func main() {{ fmt.Println(work{last}(9)) }}\n", "main.work{n}", ["go", "build", "-trimpath"]),
    "Rust": (".rs", "",
             "#[inline(never)]\nfn work{n}(x: i64) -> i64 {{\n    let mut s = {a};\n    let v: Vec<i64> = (0..x).map(|i| i * {b}).collect();\n    for y in v {{ s ^= (y >> {c}){call}; }}\n    s\n}}\n",
             "fn main() {{ println!(\"{{}}\", work{last}(std::env::args().count() as i64 + 9)); }}\n", "prog::work{n}", ["rustc", "-O", "-g", "--crate-name", "prog"]),
}


def source(language, numbers, extra=None):
    _, head, body, end, _, _ = LANGUAGES[language]
    parts = []
    for n, (a, b, c) in enumerate(numbers):
        parts.append(body.format(n=n, a=a, b=b, c=c, call=f" + work{n - 1}(x - 1)" if n else ""))
    if extra is not None:
        unused = {"C": "__attribute__((used)) ", "C++": "__attribute__((used)) "}.get(language, "")
        text = unused + body.format(n=99, a=5, b=77, c=3, call="")
        if language == "Go":  # the linker drops unreferenced functions
            text += "\nvar Kept = work99\n"
        if language == "Rust":
            text += "#[used]\nstatic KEPT: fn(i64) -> i64 = work99;\n"
        parts.insert(extra, text)
    return head + "".join(parts) + end.format(last=FUNCTIONS - 1)


def build(language, folder, text):
    ending, command = LANGUAGES[language][0], LANGUAGES[language][5]
    folder.mkdir()
    (folder / ("prog" + ending)).write_text(text)
    done = subprocess.run([*command, "-o", "prog", "prog" + ending], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{language}: {done.stderr}")
    return folder / "prog"


def words(pprofci, work, language, programs, rng):
    """Returns the word of each function by its number, and True if the comparison reports no changed function. The word
    is "moved" for a function whose row is part of another row."""
    name = LANGUAGES[language][4]
    for side in ("base", "head"):
        (work / side / "runs").mkdir(parents=True)
        for run in range(3):
            stacks = (f"main;{name.format(n=n)} {round(rng.gauss(900, 25) * (1.5 if side == 'head' and n == 4 else 1))}\n" for n in range(FUNCTIONS))
            (work / side / "runs" / f"{run}.folded").write_text("".join(stacks))
    done = subprocess.run([pprofci, "run", "-base", work / "base", "-head", work / "head", "-program-base", programs[0], "-program-head", programs[1],
                           "-out", work / "out"], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 2):
        sys.exit(f"pprofci run: {done.stdout}{done.stderr}")
    pair, = json.loads((work / "out/manifest.json").read_text())["pairs"]
    rows = pair["comparisons"][0]["functions"]
    found = {r["function"]: r["code"] for r in rows}
    return {n: found.get(name.format(n=n), "moved") for n in range(FUNCTIONS)}, pair["comparisons"][0]["same_code"]


def one(pprofci, language, seed):
    rng = random.Random(f"{language} {seed}")
    numbers = [(rng.randint(3, 999), rng.randint(3, 99), rng.randint(1, 9)) for _ in range(FUNCTIONS)]
    at = rng.randrange(FUNCTIONS)
    planted = list(numbers)
    planted[at] = (planted[at][0], planted[at][1] + 1000, planted[at][2])
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        base = build(language, work / "a", source(language, numbers))
        unrelated = build(language, work / "b", source(language, numbers, extra=rng.randrange(FUNCTIONS)))
        changed = build(language, work / "c", source(language, planted))
        (work / "1").mkdir()
        (work / "2").mkdir()
        first, same = words(pprofci, work / "1", language, (base, unrelated), rng)
        second, _ = words(pprofci, work / "2", language, (base, changed), rng)
    blamed = not same or any(w not in ("same", "moved") for w in first.values())
    listed = second[at] == "changed"
    others = sum(w not in ("same", "moved") for n, w in second.items() if n != at)
    return blamed, listed, others


def main():
    pprofci, pairs = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 25
    total, blamed, listed = 0, 0, 0
    for language in sys.argv[3:] or LANGUAGES:
        if not shutil.which(LANGUAGES[language][5][0]):
            print(f"skipped: {language}: no {LANGUAGES[language][5][0]}")
            continue
        results = [one(pprofci, language, seed) for seed in range(pairs)]
        print(f"{language:5} unrelated function: {sum(r[0] for r in results)} of {pairs} blamed; changed constant: {sum(r[1] for r in results)} "
              f"of {pairs} listed, {sum(r[2] for r in results)} other functions", flush=True)
        total, blamed, listed = total + pairs, blamed + sum(r[0] for r in results), listed + sum(r[1] for r in results)
    print(f"all   {blamed} of {total} blamed, {listed} of {total} listed")
    sys.exit(1 if blamed * 100 > total or listed * 100 < 99 * total else 0)


main()
