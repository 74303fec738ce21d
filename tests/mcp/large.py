"""Tests pprofc -mcp on a large heap profile. The first `open` must not compute sums. After a pause, requests must read
sums, not samples.

  large.py PPROFC TESTDATA [MEGABYTES]

The profile has random walks through a call graph. Each walk has its own size of objects, so hardly any stacks are
equal.
"""
import os
import random
import sys
import tempfile
import time

from client import Client
from maker import field, varint

PROGRAM = sys.argv[1]
MEGABYTES = int(sys.argv[3]) if len(sys.argv) > 3 else 10
MOST = MEGABYTES / 400  # CPU seconds of each request after the first; without sums, `source` takes half more

FUNCTIONS, CALLEES, LINES, WALKS, PARTS = 6000, 5, 3, 5000, 3
TYPES = (("alloc_objects", "count"), ("alloc_space", "bytes"), ("inuse_objects", "count"), ("inuse_space", "bytes"))


def name_of(f):
    return f"example.com/service/part{f % 97}.(*Type{f % 11}).method{f}"


def walks(draw):
    """Yields pieces of stacks as encoded locations, leaf first."""
    callees = [[draw.randrange(FUNCTIONS) for _ in range(CALLEES)] for _ in range(FUNCTIONS)]
    ids = [[varint(f * LINES + line + 1) for line in range(LINES)] for f in range(FUNCTIONS)]
    for _ in range(WALKS):
        at, stack = min(draw.randrange(FUNCTIONS), draw.randrange(FUNCTIONS)), []
        for _ in range(draw.randrange(2, 16)):
            stack.append(ids[at][draw.randrange(LINES)])
            at = callees[at][min(draw.randrange(CALLEES), draw.randrange(CALLEES))]
        yield b"".join(reversed(stack))


def write(out, megabytes):
    draw = random.Random(35)
    strings = {"": 0}

    def text(value):
        return strings.setdefault(value, len(strings))

    for kind, unit in TYPES:
        out.write(field(1, field(1, text(kind)) + field(2, text(unit))))
    out.write(field(11, field(1, text("space")) + field(2, text("bytes"))) + field(12, 524288))
    pieces = list(walks(draw))
    label = text("bytes")
    tails = []
    for _ in range(1000):
        size, count = 16 << draw.randrange(10), draw.randrange(1, 4000)
        values = b"".join(map(varint, (count, count * size, count // 9, count // 9 * size)))
        tails.append(field(2, values) + field(3, field(1, label) + field(3, size)))
    written = 0
    while written < megabytes << 20:
        sample = field(2, field(1, b"".join(draw.choices(pieces, k=PARTS))) + tails[written % 1000])
        out.write(sample)
        written += len(sample)
    for f in range(FUNCTIONS):
        name, file = text(name_of(f)), text(f"/src/service/part{f % 97}/file{f % 400}.go")
        out.write(field(5, field(1, f + 1) + field(2, name) + field(3, name) + field(4, file)))
        for line in range(LINES):
            line_of = field(1, f + 1) + field(2, 10 * f + 3 * line)
            out.write(field(4, field(1, f * LINES + line + 1) + field(4, line_of)))
    for value in strings:
        out.write(field(6, value.encode()))


def cpu(process):
    """Returns the CPU seconds of all threads, including threads that ended."""
    with open(f"/proc/{process.pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def rest(process):
    """Waits until the server has computed its sums: it then uses no CPU time for two seconds."""
    used = -1
    while cpu(process) > used:
        used = cpu(process)
        time.sleep(2)


def test_second_questions(folder):
    client = Client(PROGRAM, folder)
    questions = [("open", {}), ("top", {}), ("top", {"sort": "cum"}), ("top", {"skip": 20})]
    for f in (3, 199, 2500):
        questions += [("callers", {"function": name_of(f)}), ("source", {"function": name_of(f)})]
    first = cpu(client.process)
    client.call("open", profile="large.pb")
    opened = cpu(client.process) - first
    rest(client.process)
    sums = cpu(client.process) - first - opened
    print(f"the first open: {opened:.2f} s of CPU; then, while no question waits: {sums:.2f} s")
    assert opened < sums / 3, (opened, sums)
    for tool, arguments in questions:
        before = cpu(client.process)
        for _ in range(4):  # the clock has ticks of 10 ms
            client.call(tool, profile="large.pb", **arguments)
        used = (cpu(client.process) - before) / 4
        print(f"{tool} {arguments}: {1000 * used:.1f} ms of CPU")
        assert used <= MOST, (tool, arguments, used)
    assert client.close() == (0, b"")


def test_memory_is_given_back(folder):
    """Checks that the server frees old views of filters, and that the replies stay the same."""
    # The prefix tree needs most of this memory, because few of these random stacks begin with the same frames.
    small = os.path.getsize(os.path.join(folder, "large.pb")) * 9 >> 20
    wide, tight = Client(PROGRAM, folder), Client(PROGRAM, folder, flags=[f"-max_memory={small}M"])
    for focus in ("method1", "method2", "method3", "method4", "method1"):
        arguments = {"profile": "large.pb", "focus": focus, "sample_type": "alloc_space"}
        assert wide.call("top", **arguments) == tight.call("top", **arguments)
        arguments["function"] = name_of(3)
        assert wide.call("callers", **arguments) == tight.call("callers", **arguments)
    scarce = Client(PROGRAM, folder, flags=[f"-max_memory={small // 2}M"])
    for _ in range(2):
        try:
            scarce.call("callers", profile="large.pb", function=name_of(3))
            raise AssertionError("half of the memory suffices")
        except ValueError as failure:
            assert "(raise with -max_memory)" in str(failure)
    assert scarce.close() == (0, b"")
    assert wide.close() == (0, b"") and tight.close() == (0, b"")


def test_impatient_client(folder):
    """Checks that a request which arrives before the sums computes them itself, with the same reply."""
    asked, waited = Client(PROGRAM, folder), Client(PROGRAM, folder)
    waited.call("open", profile="large.pb")
    rest(waited.process)
    arguments = {"profile": "large.pb", "function": name_of(3)}
    for tool in ("source", "callers"):
        assert asked.call(tool, **arguments) == waited.call(tool, **arguments)
    asked.call("open", profile="large.pb")
    assert asked.call("top", profile="large.pb") == waited.call("top", profile="large.pb")
    assert asked.close() == (0, b"") and waited.close() == (0, b"")


def test_many_benchmarks(folder):
    """Checks that the time of `history` grows with the number of benchmarks, not with the number of pairs."""
    with open(os.path.join(folder, "many.txt"), "w", encoding="ascii") as out:
        out.writelines(f"BenchmarkX{i} 1 {i + 1} ns/op\n" for i in range(100000))
    client = Client(PROGRAM, folder)
    began = cpu(client.process)
    assert client.call("history", runs=["many.txt"]).startswith("<data>\n1 runs, 100000 series\nX0 sec/op: 1e-09 ")
    assert cpu(client.process) - began < 4
    assert client.close() == (0, b"")


def main():
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        with open(os.path.join(folder, "large.pb"), "wb") as out:
            write(out, MEGABYTES)
        print(f"made {MEGABYTES} MB in {time.monotonic() - start:.1f} s")
        test_second_questions(folder)
        test_impatient_client(folder)
        test_memory_is_given_back(folder)
        test_many_benchmarks(folder)


main()
