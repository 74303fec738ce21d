"""Reads, compares and writes profiles with libpprofc.

    import pprofc
    base, head = pprofc.open("base.pb.gz"), pprofc.open("head.pb.gz")
    for row in pprofc.diff(base, head).top(10).rows:
        print(row.flat, row.name)

open() reads every format that the program pprofc reads. Options are keyword arguments with the names of its flags:
head.top(10, focus="json", sort="cum"). A failed call raises Error. Messages about missing parts and filters without a
match are warnings of the class ProfileWarning. Several threads may use one profile.
"""
from __future__ import annotations

import ctypes.util
import glob
import os
import warnings
import weakref
from typing import Any, Callable, List, NamedTuple, Optional, Tuple, Union

__all__ = ["Error", "Profile", "ProfileWarning", "Row", "Top", "diff", "open", "read"]

_ABI = "0.1."


class Error(Exception):
    """A failed call. `status` is the name of the status: "PPROFC_E_FORMAT"."""

    def __init__(self, status: str, message: str) -> None:
        super().__init__(message)
        self.status = status

    def __reduce__(self) -> Any:
        return Error, (self.status, str(self))


class ProfileWarning(UserWarning):
    """A message about the input or an option, which did not end the call."""


class Row(NamedTuple):
    """A row of `pprofc -top`. Amounts are in the unit of Top."""

    name: str  # with file, line and address if rows differ by them
    function: str  # "" if not known
    file: str  # "" if rows do not differ by files
    line: int  # 0 if rows do not differ by lines
    flat: int  # sum of the samples that end here
    cum: int  # sum of the samples that pass here


class Top(NamedTuple):
    """The rows of `pprofc -top`, with the type, unit and total of their amounts."""

    type: str  # "cpu"
    unit: str  # "nanoseconds"
    total: int  # amount that counts as 100 %
    rows: List[Row]


class _Str(ctypes.Structure):
    _fields_ = [("data", ctypes.POINTER(ctypes.c_char)), ("size", ctypes.c_size_t)]

    def text(self) -> str:
        return ctypes.string_at(self.data, self.size).decode("utf-8", "backslashreplace") if self.size else ""


class _ValueType(ctypes.Structure):
    _fields_ = [("type", _Str), ("unit", _Str)]


class _CError(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("offset", ctypes.c_uint64), ("message", ctypes.c_char * 1024)]


class _Node(ctypes.Structure):
    _fields_ = [("name", _Str), ("function", _Str), ("file", _Str), ("line", ctypes.c_int64), ("address", ctypes.c_uint64),
                ("flat", ctypes.c_int64), ("cum", ctypes.c_int64), ("inlined", ctypes.c_int)]


class _Totals(ctypes.Structure):
    _fields_ = [("type", _Str), ("unit", _Str), ("total", ctypes.c_int64), ("shown", ctypes.c_int64),
                ("nodes_before", ctypes.c_size_t), ("dropped_nodes", ctypes.c_size_t)]


_Warn = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)
_Write = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
_KINDS = {"s": ctypes.c_char_p, "b": ctypes.c_bool, "i": ctypes.c_int, "d": ctypes.c_double, "z": ctypes.c_size_t,
          "p": ctypes.c_void_p, "w": _Warn, "m": ctypes.c_char * 4096}


def _fields(text: str) -> List[Tuple[str, Any]]:
    """Returns the members of a struct from words NAME:KIND. The last member, `more`, is space for members of later
    versions."""
    return [(name, _KINDS[kind]) for name, kind in (word.split(":") for word in (text + " more:m").split())]


class _ReadOptions(ctypes.Structure):
    _fields_ = _fields("struct_size:z allocator:p limits:p threads:i call_stacks:i may_change:b warn:w")


class _ReportOptions(ctypes.Structure):
    _fields_ = _fields(
        "struct_size:z format:s argument:s call_tree:b relative_percentages:b unit:s compact_labels:b source_path:s trim_path:s"
        " intel_syntax:b mean:b sample_index:s divide_by:d normalize:b sort:s tagroot:s tagleaf:s drop_negative:b nodecount:i"
        " nodefraction:d edgefraction:d trim:b focus:s ignore:s prune_from:s hide:s show:s show_from:s tagfocus:s tagignore:s"
        " tagshow:s taghide:s noinlines:b showcolumns:b granularity:s warn:w")


def _load() -> ctypes.CDLL:
    """Loads the library in the folder of this file, or else the library of the system."""
    beside = glob.glob(os.path.join(glob.escape(os.path.dirname(os.path.abspath(__file__))), "libpprofc.*"))
    path = beside[0] if beside else ctypes.util.find_library("pprofc")
    if not path:
        raise ImportError("pprofc: cannot find libpprofc: it is neither beside the module nor installed")
    library = ctypes.CDLL(path)
    pointer, string, status, size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_size_t
    read, report = ctypes.POINTER(_ReadOptions), ctypes.POINTER(_ReportOptions)
    out, error = ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(_CError)
    for name, result, arguments in (
            ("version", string, []), ("status_name", string, [status]),
            ("read_options_init", None, [read]), ("report_options_init", None, [report]),
            ("report_options_set", status, [report, string, string, error]),
            ("profile_read_file", status, [string, read, out, error]),
            ("profile_read_memory", status, [string, size, read, out, error]),
            ("profile_write_file", status, [pointer, string, error]), ("profile_release", None, [pointer]),
            ("profile_type_count", size, [pointer]), ("profile_type", _ValueType, [pointer, size]),
            ("diff", status, [pointer, pointer, ctypes.c_int, ctypes.c_bool, out, error]),
            ("report", status, [pointer, report, _Write, pointer, error]),
            ("graph_new", status, [pointer, report, out, error]), ("graph_free", None, [pointer]),
            ("graph_nodes", ctypes.POINTER(_Node), [pointer, ctypes.POINTER(size)]), ("graph_totals_of", _Totals, [pointer])):
        function = getattr(library, "pprofc_" + name)
        function.restype, function.argtypes = result, arguments
    version = library.pprofc_version().decode()
    if not version.startswith(_ABI):
        raise ImportError(f"pprofc: {path} has version {version}, and this module needs {_ABI}x")
    return library


_library = _load()
__version__: str = _library.pprofc_version().decode()


def _bytes(value: Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]) -> bytes:
    if b"\0" in (data := os.fsencode(value)):
        raise ValueError("embedded null byte")
    return data


def _call(function: Callable[..., int], *arguments: Any) -> None:
    """Calls a function whose last argument is the error."""
    error = _CError()
    if (status := function(*arguments, ctypes.byref(error))) != 0:
        raise Error(_library.pprofc_status_name(status).decode(), error.message.decode("utf-8", "backslashreplace"))


def _messages() -> Tuple[List[str], Any]:
    """Returns a list, and a callback that adds messages to the list. An exception cannot pass through the library."""
    texts: List[str] = []
    return texts, _Warn(lambda context, text: texts.append(text.decode("utf-8", "backslashreplace")))


def _show(texts: List[str], level: int) -> None:
    for text in texts:
        warnings.warn(text, ProfileWarning, stacklevel=level)


def _report_options(warn: Any, values: "dict[str, Any]") -> Tuple[_ReportOptions, List[bytes]]:
    """Returns options from keyword arguments, and the texts to which the options point. None is the default."""
    options = _ReportOptions()
    _library.pprofc_report_options_init(ctypes.byref(options))
    options.warn = warn
    given = [(_bytes(name), _bytes(str(value))) for name, value in values.items() if value is not None]
    for name, text in given:
        _call(_library.pprofc_report_options_set, ctypes.byref(options), name, text)
    return options, [text for _, text in given]


class Profile:
    """An immutable profile. open(), read() and diff() return profiles."""

    def __init__(self, handle: ctypes.c_void_p) -> None:
        self._handle = handle
        weakref.finalize(self, _library.pprofc_profile_release, handle)

    @property
    def types(self) -> List[Tuple[str, str]]:
        """Returns name and unit of each sample type: [("samples", "count"), ("cpu", "nanoseconds")]."""
        found = (_library.pprofc_profile_type(self._handle, i) for i in range(_library.pprofc_profile_type_count(self._handle)))
        return [(value.type.text(), value.unit.text()) for value in found]

    def top(self, count: Optional[int] = None, **options: Any) -> Top:
        """Returns the rows of `pprofc -top -nodecount=COUNT`. Without a count: all rows above nodefraction."""
        (texts, warn), graph, size = _messages(), ctypes.c_void_p(), ctypes.c_size_t()
        settings, kept = _report_options(warn, {"nodecount": count, **options})
        _call(_library.pprofc_graph_new, self._handle, ctypes.byref(settings), ctypes.byref(graph))
        try:
            nodes = _library.pprofc_graph_nodes(graph, ctypes.byref(size))
            totals = _library.pprofc_graph_totals_of(graph)
            rows = [Row(n.name.text(), n.function.text(), n.file.text(), n.line, n.flat, n.cum) for n in nodes[:size.value]]
            table = Top(totals.type.text(), totals.unit.text(), totals.total, rows)
        finally:
            _library.pprofc_graph_free(graph)
        _show(texts, 3)
        return table

    def report(self, format: str = "top", argument: str = "", **options: Any) -> bytes:
        """Returns a report; with format="flame", the page of `pprofc -flame`. `argument` is the expression of peek and
        list."""
        (texts, warn), chunks = _messages(), []
        raised: List[BaseException] = []
        settings, kept = _report_options(warn, options)
        settings.format, settings.argument = _bytes(format), _bytes(argument)

        def write(context: Any, data: int, size: int) -> int:
            try:
                chunks.append(ctypes.string_at(data, size))
                return 0
            except BaseException as error:  # out of memory, or ^C: the library cannot pass it on
                raised.append(error)
                return 1

        try:
            _call(_library.pprofc_report, self._handle, ctypes.byref(settings), _Write(write), None)
        except Error:
            if raised:
                raise raised[0] from None
            raise
        _show(texts, 3)
        return b"".join(chunks)

    def write(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes a gzip'd profile.proto, completely or not at all."""
        _call(_library.pprofc_profile_write_file, self._handle, _bytes(path))


def _read(function: Callable[..., int], *source: Any) -> Profile:
    (texts, warn), options, handle = _messages(), _ReadOptions(), ctypes.c_void_p()
    _library.pprofc_read_options_init(ctypes.byref(options))
    options.warn = warn
    _call(function, *source, ctypes.byref(options), ctypes.byref(handle))
    profile = Profile(handle)
    _show(texts, 4)
    return profile


def open(path: Union[str, "os.PathLike[str]"]) -> Profile:
    """Reads a profile of any known format. "-" is standard input."""
    return _read(_library.pprofc_profile_read_file, _bytes(path))


def read(data: bytes) -> Profile:
    """Reads a profile of any known format from memory."""
    return _read(_library.pprofc_profile_read_memory, bytes(data), len(data))


def diff(base: Profile, head: Profile, *, subtract: bool = False, normalize: bool = False) -> Profile:
    """Returns head - base: -diff_base, or -base with `subtract`. `normalize` scales head to the total of base."""
    handle = ctypes.c_void_p()  # 0 is PPROFC_SUBTRACT, 1 PPROFC_COMPARE
    _call(_library.pprofc_diff, head._handle, base._handle, 0 if subtract else 1, normalize, ctypes.byref(handle))
    return Profile(handle)
