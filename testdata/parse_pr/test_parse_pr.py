import pytest
from parse_pr import parse_pr, parse_title

BODY = "A change of one function.\r\n  - It has a test.\n" * 40 + "Fixes #1234\n"


@pytest.mark.benchmark
def test_parse_pr():
    assert parse_pr("parse: a change", BODY)["issue"] == 1234


@pytest.mark.benchmark
def test_parse_title():
    for _ in range(100):
        assert parse_title("parse: a change")["kind"] == "parse"
