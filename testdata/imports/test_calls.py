"""What pytest-benchmark is recorded with."""
import pytest
from calls import checksum, parse, sort

TEXT = " ".join(str(i * 7919) for i in range(500))


@pytest.mark.parametrize("size", [100, 400])
def test_sort(benchmark, size):
    benchmark.pedantic(sort, args=(parse(TEXT)[:size],), rounds=12, iterations=20)


def test_parse(benchmark):
    benchmark.extra_info["words"] = 500
    benchmark.pedantic(parse, args=(TEXT,), rounds=12, iterations=20)


def test_checksum(benchmark):
    benchmark.pedantic(checksum, args=(list(range(300)),), rounds=12, iterations=20)
