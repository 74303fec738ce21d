"""What the Python profilers are recorded with: a parser, a sort and a sum, each in its own function."""
import sys
import time


def parse(text):
    return [int(word) % 9973 for word in text.split()]


def sort(numbers):
    return sorted(numbers, key=lambda n: -n)


def checksum(numbers):
    total = 0
    for n in numbers:
        total = (total * 31 + n) % 1000003
    return total


def work(rounds):
    text = " ".join(str(i * 7919) for i in range(20000))
    return [checksum(sort(parse(text))) for _ in range(rounds)][-1]


if __name__ == "__main__":
    end = time.monotonic() + float(sys.argv[1])
    while time.monotonic() < end:
        work(5)
