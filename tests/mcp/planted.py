"""Twenty planted pairs: does the first answer of compare, 4,000 bytes at most, name the culprit with
file and line, the sign, and whether it is real?

  planted.py PPROFC TESTDATA
"""
import os
import random
import sys
import tempfile

from client import Client
from maker import profile

PROGRAM = sys.argv[1]

# Names and files as five languages have them.
LANGUAGES = {
    "go": ("example.com/shop/cart.(*Cart).{}", "example.com/shop/cart/{}.go"),
    "c++": ("shop::Cart<std::string, int>::{}(int) const", "/src/shop/{}.cc"),
    "rust": ("shop::cart::Cart<T>::{}", "/src/shop/{}.rs"),
    "java": ("com.example.shop.Cart.{}", "com/example/shop/{}.java"),
    "python": ("Cart.{}", "/srv/shop/{}.py"),
}
RUNS = 5


class Program:
    """A program of 40 functions; each has a weight, two lines, and a caller."""

    def __init__(self, language):
        name, file = LANGUAGES[language]
        words = ["main", "parse", "load", "hash", "sum", "find", "sort", "copy", "emit", "scan"]
        self.names = [name.format(f"{words[i % 10]}{i}") for i in range(40)]
        self.files = [file.format(f"{words[i % 10]}{i}") for i in range(40)]
        self.weight = {i: 4000 // (i + 2) for i in range(1, 40)}
        self.hot = {i: 0.7 for i in range(40)}

    def frame(self, i, first=True):
        return (self.names[i], self.files[i], 10 * i + (42 if first else 47))

    def run(self, seed, noise=0.02):
        """One run: each function varies, and the samples are drawn."""
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
        return verdict in line and f", {sign}" in line and place in line
    return check


def expect_nothing(_, text):
    return "No function changed by itself by more than noise." in text


def expect_all(sign):
    def check(_, text):
        return expect_nothing(_, text) and "Common: all functions: " + sign in text
    return check


def pairs():
    """Yields name, language, what is planted, the check, and the kind of values."""
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
        yield f"improvement, {language}", language, None, grow(3, 0.6), expect_function(3, "shrank", "-"), cpu
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
                path = f"{number}.{side}"
                os.mkdir(os.path.join(folder, path))
                for run in range(RUNS):
                    stacks = program.run(f"{number} {side} {run}")
                    with open(os.path.join(folder, path, f"{run}.pb"), "wb") as out:
                        out.write(profile(stacks, kind, 4096 if kind[1] == "bytes" else 10_000_000))
                sides.append(path)
            text = client.call("compare", base=sides[0], head=sides[1])
            right = check(program, text)
            good, count, most = good + right, count + 1, max(most, len(text.encode()))
            print(f"{'right' if right else 'WRONG'}: {name}, {len(text.encode())} bytes")
            if not right:
                print(text)
        client.close()
    print(f"{good} of {count}; the longest answer has {most} bytes")
    assert count == 20 and good >= 19


main()
