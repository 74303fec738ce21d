"""Measures how often -fail_on='flat>3%' and 'cum>3%' fail for cost that only moved, and for cost that also grew:

    rates.py PPROFC [SEEDS [SHAPE ...]]

Each comparison has 5 + 5 runs with the noise of sampling. In half of the comparisons, each function also varies by 4 %
between runs. Prints a line for each shape and condition. The exit status is 1 if a rate misses its limit:

  moved   at most 5 % of all comparisons fail
  grown   at least 95 % fail: the same shapes, with 8 % of all cost added
  hidden  at least 95 % fail: growth, and an equal decrease in other functions
  names   at least 95 % of the renamed pairs are correct
"""

import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import shapes

RUNS = 5
MEASURES = ("flat", "cum")
UNEVEN = 0.04  # noise of a function between runs, in every second comparison


def write_runs(folder, stacks, rng, uneven):
    os.makedirs(folder)
    for run in range(RUNS):
        with open(f"{folder}/{run}.folded", "w", encoding="utf-8") as out:
            for stack, mean in {**shapes.BACKGROUND, **stacks}.items():
                mean *= max(0.1, rng.gauss(1, uneven))
                out.write(f"{stack} {max(0, round(rng.gauss(mean, mean ** 0.5)))}\n")


def compare(pprofc, shape, rng, uneven):
    """Returns the measures whose condition fails, and the renamed pairs."""
    with tempfile.TemporaryDirectory() as folder:
        for side, stacks in zip(("base", "head"), shape):
            write_runs(f"{folder}/{side}", stacks, rng, uneven)
        command = [pprofc, "-json", "-noise", *(f"-fail_on={m}>3%" for m in MEASURES), f"-diff_base={folder}/base", f"{folder}/head"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 2):
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stderr}")
    pairs = [(m["from"], m["to"]) for m in json.loads(done.stdout)["moved"] if m["kind"] == "renamed"]
    failed = [m for m in MEASURES if f"-fail_on='{m}>3%':" in done.stderr]
    if bool(failed) != (done.returncode == 2):
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stderr}")
    return failed, pairs


def last(name):
    return name.split("(int)")[0].replace("::", ".").rsplit(".", 1)[-1]


def same(old, new):
    """True if both are names of the same function. A method keeps its type unless the type was renamed."""
    typed = "(*Reader)" in old or "(*Writer)" in old or "(*Pool)" in old
    return old.split(".", 1)[1] == new.rsplit("/", 1)[-1].split(".", 1)[1] if typed else last(old) == last(new)


def count(pprofc, name, shape, seeds, kind):
    failed, right, wrong = dict.fromkeys(MEASURES, 0), 0, 0
    for seed in range(seeds):
        rng = random.Random(f"{kind} {name} {seed}")
        fails, pairs = compare(pprofc, shape, rng, UNEVEN if seed % 2 else 0)
        for measure in fails:
            failed[measure] += 1
        if name != "renamed function":
            right += sum(same(*pair) for pair in pairs)
            wrong += sum(not same(*pair) for pair in pairs)
    print(f"{kind:7} {failed} of {seeds}  {name}", flush=True)
    return failed, right, wrong


def main():
    pprofc, seeds, wanted = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 6, sys.argv[3:]
    sets = {
        "moved": shapes.SHAPES,
        "grown": {k: shapes.regressed(v) for k, v in shapes.SHAPES.items() if k != "callers"},
        "hidden": shapes.HIDDEN,
    }
    missed, right, wrong = False, 0, 0
    for kind, members in sets.items():
        names = [n for n in members if not wanted or n in wanted]
        failed = dict.fromkeys(MEASURES, 0)
        for name in names:
            results = count(pprofc, name, members[name], seeds, kind)
            failed = {m: failed[m] + results[0][m] for m in MEASURES}
            right, wrong = right + results[1], wrong + results[2]
        for measure in MEASURES:
            rate = failed[measure] / (len(names) * seeds) if names else 0
            missed |= bool(names) and (rate > 0.05 if kind == "moved" else rate < 0.95)
            print(f"{kind:7} {measure:4} {failed[measure]:4} of {len(names) * seeds}: {100 * rate:.1f} %")
    print(f"names   {right:4} of {right + wrong} right")
    missed |= right < 0.95 * (right + wrong)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
