"""Compares the Python module with the programs; run by pytest. PYTHONPATH has the module and its library. PPROFC is the
program."""
import ctypes
import os
import pickle
import pathlib
import re
import subprocess
import sys
import threading
import warnings

import pprofc
import pytest

DATA = pathlib.Path(__file__).resolve().parents[2] / "testdata"
BASE, HEAD = DATA / "generator_cpu.prof", DATA / "generator_optimized_cpu.prof"


def printed(*arguments):
    return subprocess.run([os.environ["PPROFC"], "-symbolize=none", *map(str, arguments)], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout


def table(*arguments):
    """Returns (flat, cum, name) of the rows that the program prints in nanoseconds."""
    lines = printed("-top", "-unit=ns", *arguments).decode().splitlines()
    rows = (line.split(None, 5) for line in lines[[i for i, line in enumerate(lines) if "flat%" in line][0] + 1:])
    return [(int(row[0].rstrip("ns")), int(row[3].rstrip("ns")), re.sub(r" \((?:partial-)?inline\)$", "", row[5])) for row in rows]


def amounts(top):
    return [(row.flat, row.cum, row.name) for row in top.rows]


def test_rows_are_those_of_the_program():
    profile = pprofc.open(BASE)
    assert profile.types == [("samples", "count"), ("cpu", "nanoseconds")]
    top = profile.top(7)
    assert (top.type, top.unit, top.total) == ("cpu", "nanoseconds", 76730000000)
    assert amounts(top) == table("-nodecount=7", BASE)
    assert amounts(profile.top()) == table(BASE)
    assert amounts(profile.top(5, sort="cum", focus="json", noinlines=True)) == table(
        "-nodecount=5", "-cum", "-focus=json", "-noinlines", BASE)
    line = profile.top(1, granularity="lines").rows[0]
    assert line.line > 0 and line.file.endswith(".go") and line.function in line.name


def test_difference_is_written_whole(tmp_path):
    base, head = pprofc.open(BASE), pprofc.open(str(HEAD))
    difference = pprofc.diff(base, head)
    del base, head
    assert amounts(difference.top(9)) == table("-nodecount=9", f"-diff_base={BASE}", HEAD)
    path = tmp_path / "diff.pb.gz"
    difference.write(path)
    again = pprofc.read(path.read_bytes())
    assert again.top() == difference.top()
    both = [pprofc.open(BASE), pprofc.open(HEAD)]
    assert amounts(pprofc.diff(*both, subtract=True).top(4)) == table("-nodecount=4", f"-base={BASE}", HEAD)
    assert amounts(pprofc.diff(*both, normalize=True).top(4)) == table("-nodecount=4", "-normalize", f"-diff_base={BASE}", HEAD)


def test_reports_are_equal_to_the_byte():
    profile = pprofc.open(BASE)
    assert profile.report(nodecount=12) == printed("-top", "-nodecount=12", BASE)
    assert profile.report("peek", "mallocgc$") == printed("-peek=mallocgc$", BASE)
    assert profile.report("folded") == printed("-folded", BASE)


def test_failures_name_the_reason(tmp_path):
    profile = pprofc.open(BASE)
    for call, status, text in (
            (lambda: pprofc.open(tmp_path / "none"), "PPROFC_E_IO", "no such file"),
            (lambda: pprofc.read(b""), "PPROFC_E_FORMAT", "empty"),
            (lambda: pprofc.read(BASE.read_bytes()[:5000]), "PPROFC_E_FORMAT", "gzip"),
            (lambda: profile.top(nodecout=1), "PPROFC_E_INVALID", 'unknown option "nodecout"'),
            (lambda: profile.top("many"), "PPROFC_E_INVALID", '"many"'),
            (lambda: profile.top(focus="("), "PPROFC_E_INVALID", "missing closing"),
            (lambda: profile.report("topp"), "PPROFC_E_INVALID", "topp"),
            (lambda: profile.write(tmp_path / "none" / "file"), "PPROFC_E_IO", "no such file")):
        with pytest.raises(pprofc.Error, match=re.escape(text)) as failed:
            call()
        assert failed.value.status == status
    for call in (lambda: pprofc.open("a\0b"), lambda: profile.top(focus="a\0b")):
        with pytest.raises(ValueError, match="null byte"):
            call()


def test_failures_pass_between_processes():
    failure = pickle.loads(pickle.dumps(pprofc.Error("PPROFC_E_IO", "cannot read")))
    assert (failure.status, str(failure)) == ("PPROFC_E_IO", "cannot read")


def test_messages_are_warnings_of_the_caller():
    profile = pprofc.open(BASE)
    with pytest.warns(pprofc.ProfileWarning, match="matched no samples") as found:
        assert profile.top(focus="no such function").rows == []
    assert found[0].filename == __file__
    with pytest.warns(pprofc.ProfileWarning, match="skipped: 1 of 4 lines") as found:
        assert pprofc.read(b"main;a 1\nmain;b 2\nmain;c\nmain;d 4\n").top().total == 7
    assert found[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(pprofc.ProfileWarning):
            profile.top(focus="no such function")
        assert profile.top(3, focus=None, nodefraction=None) == profile.top(3)


def test_names_that_are_not_text():
    rows = pprofc.read(b"main;b\xff\xfed 1\n").top().rows
    assert rows[0].name == "b\\xff\\xfed"
    assert pprofc.read("main;größe 1\n".encode()).top().rows[0].name == "größe"


def test_threads_share_a_profile():
    profile, seen = pprofc.open(BASE), []
    threads = [threading.Thread(target=lambda: seen.append(profile.top(20))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [profile.top(20)] * 8


class Option(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("kind", ctypes.c_int), ("offset", ctypes.c_size_t)]


def test_structs_are_those_of_the_library():
    library, options = pprofc._library, pprofc._ReportOptions
    library.pprofc_option_at.restype, library.pprofc_option_at.argtypes = ctypes.POINTER(Option), [ctypes.c_size_t]
    known, index = {name for name, _ in options._fields_}, 0
    while True:
        option = library.pprofc_option_at(index)
        if not option:
            break
        name, index = option.contents.name.decode(), index + 1
        if name in known:
            assert getattr(options, name).offset == option.contents.offset, name
    assert index > 30
    for struct, init in ((options, library.pprofc_report_options_init), (pprofc._ReadOptions, library.pprofc_read_options_init)):
        filled = struct()
        init(ctypes.byref(filled))
        assert struct.warn.offset + 16 <= filled.struct_size <= ctypes.sizeof(struct)


def test_a_library_of_another_version_is_refused(tmp_path):
    folder = pathlib.Path(pprofc.__file__).parent
    (tmp_path / "pprofc").mkdir()
    source = (folder / "__init__.py").read_text(encoding="utf-8").replace('_ABI = "0.1."', '_ABI = "0.0."')
    (tmp_path / "pprofc" / "__init__.py").write_text(source, encoding="utf-8")
    (tmp_path / "pprofc" / "libpprofc.so").symlink_to(folder / "libpprofc.so")
    said = subprocess.run([sys.executable, "-c", "import pprofc"], cwd=tmp_path, capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert said.returncode == 1 and "this module needs 0.0.x" in said.stderr
