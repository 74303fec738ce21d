"""Checks the first reply of compare, of at most 4,000 bytes, for twenty planted pairs. The reply must have the culprit
with file and line, the sign, and a verdict. If Go is installed, also prints the size of go tool pprof's output.

  planted.py PPROFC TESTDATA
  planted.py PPROFC TESTDATA transcript     prints the calls from a failed check to a line
"""
import os
import random
import shutil
import subprocess
import sys
import tempfile

from client import Client
from maker import profile

PROGRAM = sys.argv[1]

# Names and files as in five languages.
LANGUAGES = {
    "go": ("example.com/shop/cart.(*Cart).{}", "example.com/shop/cart/{}.go"),
    "c++": ("shop::Cart<std::string, int>::{}(int) const", "/src/shop/{}.cc"),
    "rust": ("shop::cart::Cart<T>::{}", "/src/shop/{}.rs"),
    "java": ("com.example.shop.Cart.{}", "com/example/shop/{}.java"),
    "python": ("Cart.{}", "/srv/shop/{}.py"),
}
# For each language, a function of a standard library.
LIBRARIES = {
    "go": ("encoding/json.(*encodeState).string", "/usr/lib/go/src/encoding/json/encode.go"),
    "c++": ("std::__detail::_Hashtable::find", "/usr/include/c++/12/bits/hashtable.h"),
    "rust": ("hashbrown::map::HashMap<K,V>::get", "/root/.cargo/registry/src/hashbrown-0.15/src/map.rs"),
    "java": ("java.util.HashMap.getNode", "java/util/HashMap.java"),
    "python": ("JSONEncoder.iterencode", "/usr/lib/python3.12/json/encoder.py"),
}
LIBRARY = 9
RUNS = 5


class Program:
    """A program of 40 functions. Each function has a weight, two lines, and a caller."""

    def __init__(self, language):
        name, file = LANGUAGES[language]
        words = ["main", "parse", "load", "hash", "sum", "find", "sort", "copy", "emit", "scan"]
        self.names = [name.format(f"{words[i % 10]}{i}") for i in range(40)]
        self.files = [file.format(f"{words[i % 10]}{i}") for i in range(40)]
        self.names[LIBRARY], self.files[LIBRARY] = LIBRARIES[language]
        self.weight = {i: 4000 // (i + 2) for i in range(1, 40)}
        self.hot = {i: 0.7 for i in range(40)}

    def frame(self, i, first=True):
        return (self.names[i], self.files[i], 10 * i + (42 if first else 47))

    def run(self, seed, noise=0.02):
        """Draws the samples of one run. The weight of each function varies."""
        draw = random.Random(seed)
        stacks = []
        for i, weight in self.weight.items():
            mean = weight * draw.gauss(1, noise)
            for first in (True, False):
                share = self.hot[i] if first else 1 - self.hot[i]
                count = max(0, round(draw.gauss(mean * share, max(mean * share, 0) ** 0.5)))
                path = [self.frame(i, first), self.frame(i // 2), self.frame(0)]
                if count:
                    stacks.append((path[:1] + path[1 if i // 2 else 2:], count))
        return stacks


def change(program, index, factor):
    program.weight[index] = round(program.weight[index] * factor)


def expect_function(index, verdict, sign):
    def check(program, text):
        line = next((part for part in text.split("\n") if part.startswith(f"- {program.names[index]}:")), "")
        place = f"{program.files[index]}:{program.frame(index)[2]}"
        caller = f"; called by {program.names[index // 2]}, {program.files[index // 2]}:"
        return verdict in line and f", {sign}" in line and place in line and caller in line
    return check


def expect_nothing(_, text):
    return "No self cost changed by more than noise." in text


def expect_all(sign):
    def check(_, text):
        return expect_nothing(_, text) and "Common: all functions: " + sign in text
    return check


def pairs():
    """Yields name, language, the planted change, the check, and the kind of values."""
    def grow(index, factor):
        return lambda p: change(p, index, factor)

    def new(p):
        p.weight[39] = 900

    def before_new(p):
        p.weight[39] = 0

    def moved(p):
        p.weight[4], p.weight[5] = p.weight[4] // 3, p.weight[5] + p.weight[4] - p.weight[4] // 3

    def slower(p):
        for i in p.weight:
            change(p, i, 1.3)

    cpu, alloc, lock = ("cpu", "nanoseconds"), ("alloc_space", "bytes"), ("delay", "nanoseconds")
    names = list(LANGUAGES)
    for i, language in enumerate(names):
        yield f"regression in one function, {language}", language, None, grow(7 + i, 1.5), \
            expect_function(7 + i, "grew", "+"), cpu
    for i, language in enumerate(names[:3]):
        yield f"regression in a callee, {language}", language, None, grow(20 + i, 1.8), \
            expect_function(20 + i, "grew", "+"), cpu
    for language in names[3:]:
        yield f"regression in a library, {language}", language, None, grow(LIBRARY, 1.6), \
            expect_function(LIBRARY, "grew", "+"), cpu
    for language in names[:2]:
        yield f"moved cost, {language}", language, None, moved, expect_function(4, "shrank", "-"), cpu
    for language in names[2:4]:
        yield f"nothing, {language}", language, None, lambda p: None, expect_nothing, cpu
    for language in names[:2]:
        yield f"everything slower, {language}", language, None, slower, expect_all("+"), cpu
    for language in (names[0], names[2]):
        yield f"a new allocation, {language}", language, before_new, new, expect_function(39, "new", "+"), alloc
    for language in (names[0], names[3]):
        yield f"a lock, {language}", language, None, grow(11, 3), expect_function(11, "grew", "+"), lock


def write_runs(folder, path, program, kind, seed):
    os.mkdir(os.path.join(folder, path))
    for run in range(RUNS):
        with open(os.path.join(folder, path, f"{run}.pb"), "wb") as out:
            out.write(profile(program.run(f"{seed} {run}"), kind, 4096 if kind[1] == "bytes" else 10_000_000))


def pprof_bytes(folder, sides):
    """Returns the number of bytes of go tool pprof -top -diff_base, or 0 without Go."""
    if not shutil.which("go"):
        return 0
    base, head = ([os.path.join(folder, side, f"{run}.pb") for run in range(RUNS)] for side in sides)
    command = ["go", "tool", "pprof", "-symbolize=none", "-top", *(f"-diff_base={path}" for path in base), *head]
    return len(subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout)


def transcript():
    """Plants a slow line and a benchmark that regressed. Prints each call with its reply."""
    with tempfile.TemporaryDirectory() as folder:
        for side, weight, time in (("base", 1, 412), ("head", 1.5, 447)):
            program = Program("go")
            change(program, 7, weight)
            write_runs(folder, side, program, ("cpu", "nanoseconds"), side)
            with open(os.path.join(folder, f"{side}.txt"), "w", encoding="ascii") as out:
                draw = random.Random(side)
                for _ in range(10):
                    out.write(f"BenchmarkCart 1000 {time + draw.gauss(0, 3):.1f} ns/op\n")
        os.mkdir(os.path.join(folder, "cart"))
        with open(os.path.join(folder, "cart", "copy7.go"), "w", encoding="ascii") as out:
            out.write("\n" * 110 + "\tfor i := range items {\n\t\tout = append([]Item{items[i]}, out...)\n\t}\n"
                      + "\n" * 3 + "\treturn out\n")
        client, name = Client(PROGRAM, folder), "example.com/shop/cart.(*Cart).copy7"
        for tool, arguments in (("benchmarks", {"base": "base.txt", "head": "head.txt"}),
                                ("compare", {"base": "base", "head": "head", "budget": 1400}),
                                ("source", {"profile": "head/0.pb", "base": "base/0.pb", "function": name}),
                                ("callers", {"profile": "head/0.pb", "base": "base/0.pb", "function": name})):
            print(f">>> {tool} {arguments}\n{client.call(tool, **arguments)}")
        client.close()


def main():
    good, count, most = 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        client = Client(PROGRAM, folder)
        for number, (name, language, before, after, check, kind) in enumerate(pairs()):
            sides = []
            for side, edit in (("base", before), ("head", after)):
                program = Program(language)
                if edit:
                    edit(program)
                write_runs(folder, f"{number}.{side}", program, kind, f"{number} {side}")
                sides.append(f"{number}.{side}")
            text = client.call("compare", base=sides[0], head=sides[1])
            right = check(program, text)
            good, count, most = good + right, count + 1, max(most, len(text.encode()))
            print(f"{'right' if right else 'WRONG'}: {name}, {len(text.encode())} bytes; "
                  f"go tool pprof prints {pprof_bytes(folder, sides) or 'nothing: no Go here'}")
            if not right:
                print(text)
        client.close()
    print(f"{good} of {count}; the longest answer has {most} bytes")
    assert count == 20 and good >= 19


if sys.argv[3:] == ["transcript"]:
    transcript()
else:
    main()
