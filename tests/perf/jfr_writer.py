"""Writes recordings in the format of Java Flight Recorder, for test inputs with known bytes."""

import struct

HEADER = 68
# Ids of classes as in recordings of the JDK. Fields are (name, class, "pool", "array", unit).
CLASSES = {
    "boolean": (4, []), "byte": (11, []), "char": (5, []), "float": (6, []), "double": (7, []), "short": (8, []), "int": (9, []),
    "long": (10, []), "java.lang.String": (20, []),
    "java.lang.Class": (21, [("classLoader", "long"), ("name", "jdk.types.Symbol", "pool"), ("modifiers", "int")]),
    "java.lang.Thread": (22, [("osName", "java.lang.String"), ("osThreadId", "long"), ("javaName", "java.lang.String"), ("javaThreadId", "long")]),
    "jdk.types.Symbol": (32, [("string", "java.lang.String")]),
    "jdk.types.Method": (28, [("type", "java.lang.Class", "pool"), ("name", "jdk.types.Symbol", "pool"), ("descriptor", "jdk.types.Symbol", "pool"),
                              ("modifiers", "int"), ("hidden", "boolean")]),
    "jdk.types.FrameType": (24, [("description", "java.lang.String")]),
    "jdk.types.ThreadState": (25, [("name", "java.lang.String")]),
    "jdk.types.StackFrame": (27, [("method", "jdk.types.Method", "pool"), ("lineNumber", "int"), ("bytecodeIndex", "int"),
                                  ("type", "jdk.types.FrameType", "pool")]),
    "jdk.types.StackTrace": (26, [("truncated", "boolean"), ("frames", "jdk.types.StackFrame", "array")]),
}
HEAD = [("startTime", "long"), ("eventThread", "java.lang.Thread", "pool"), ("stackTrace", "jdk.types.StackTrace", "pool")]
SAMPLE = [("startTime", "long"), ("sampledThread", "java.lang.Thread", "pool"), ("stackTrace", "jdk.types.StackTrace", "pool"),
          ("state", "jdk.types.ThreadState", "pool")]
EVENTS = {
    "jdk.ExecutionSample": (101, SAMPLE),
    "jdk.NativeMethodSample": (102, SAMPLE),
    "profiler.WallClockSample": (103, SAMPLE + [("samples", "int")]),
    "jdk.ObjectAllocationInNewTLAB": (104, HEAD + [("objectClass", "java.lang.Class", "pool"), ("allocationSize", "long"), ("tlabSize", "long")]),
    "jdk.JavaMonitorWait": (105, HEAD + [("duration", "long", "", "", "MILLISECONDS"), ("monitorClass", "java.lang.Class", "pool")]),
    "jdk.ThreadPark": (106, HEAD + [("duration", "long"), ("parkedClass", "java.lang.Class", "pool"), ("spanId", "long"), ("contextId", "long")]),
    "jdk.ActiveSetting": (107, [("startTime", "long"), ("id", "long"), ("name", "java.lang.String"), ("value", "java.lang.String")]),
    "jdk.FileRead": (108, HEAD + [("path", "java.lang.String")]),
}


class Chunk:
    """A chunk with constants and events. `bytes` returns the whole chunk."""

    def __init__(self, compressed=True, ticks=1000000000, classes=None, version=(2, 1)):
        self.compressed, self.ticks, self.version = compressed, ticks, version
        self.classes = {**CLASSES, **EVENTS, **(classes or {})}
        self.body = []

    def integer(self, value, size):
        if not self.compressed:
            return (value & ((1 << 8 * size) - 1)).to_bytes(size, "big")
        value &= (1 << 64) - 1 if size == 8 else (1 << 32) - 1
        out = bytearray()
        for _ in range(8):
            if value < 128:
                return bytes(out) + bytes([value])
            out.append(value & 127 | 128)
            value >>= 7
        return bytes(out) + bytes([value])

    def int(self, value):
        return self.integer(value, 4)

    def long(self, value):
        return self.integer(value, 8)

    def text(self, value):
        """Encodes a text. A str becomes UTF-8, ("latin1" or "chars", str) becomes the other encodings, ("pool", key) a
        reference, and None a null."""
        if value is None:
            return b"\0"
        if isinstance(value, tuple) and value[0] == "pool":
            return b"\2" + self.long(value[1])
        if isinstance(value, tuple) and value[0] == "chars":
            units = struct.unpack(f">{len(value[1].encode('utf-16-be')) // 2}H", value[1].encode("utf-16-be"))
            return b"\4" + self.int(len(units)) + b"".join(self.integer(u, 2) for u in units)
        kind, data = (b"\5", value[1].encode("latin-1")) if isinstance(value, tuple) else (b"\3", value.encode())
        return kind + self.int(len(data)) + data

    def event(self, type, body):
        size = 1
        while True:
            whole = self.int(size) + self.long(type) + body
            if len(whole) == size:
                return whole
            size = len(whole)

    def value(self, class_name, value):
        """Encodes a value. A list has the fields of a class in their order."""
        fixed = {"boolean": lambda v: bytes([v]), "byte": lambda v: bytes([v]), "short": lambda v: self.integer(v, 2),
                 "char": lambda v: self.integer(v, 2), "int": self.int, "long": self.long, "java.lang.String": self.text,
                 "float": lambda v: struct.pack(">f", v), "double": lambda v: struct.pack(">d", v)}
        if class_name in fixed:
            return fixed[class_name](value)
        return b"".join(self.field(f, v) for f, v in zip(self.classes[class_name][1], value))

    def field(self, field, value):
        flags = field[2:4]
        one = self.long if "pool" in flags else lambda v: self.value(field[1], v)
        return self.int(len(value)) + b"".join(map(one, value)) if "array" in flags else one(value)

    def constants(self, **pools):
        """Adds a checkpoint. Each name is a class (with _ for .), and its value is a dict of keys and values."""
        body = self.long(0) + self.long(0) + self.long(0) + b"\0" + self.int(len(pools))
        for name, entries in pools.items():
            name = name.replace("_", ".")
            body += self.long(self.classes[name][0]) + self.int(len(entries))
            body += b"".join(self.long(key) + self.value(name, value) for key, value in entries.items())
        self.body.append(self.event(1, body))

    def add(self, name, *values):
        self.body.append(self.event(self.classes[name][0], self.value(name, values)))

    def metadata(self):
        strings = {}

        def index(text):
            return strings.setdefault(text, len(strings))

        def element(name, attributes, children=()):
            pairs = b"".join(self.int(index(k)) + self.int(index(v)) for k, v in attributes.items())
            return self.int(index(name)) + self.int(len(attributes)) + pairs + self.int(len(children)) + b"".join(children)

        def field(f):
            attributes = {"name": f[0], "class": str(self.classes[f[1]][0])}
            attributes.update({"constantPool": "true"} if "pool" in f[2:4] else {})
            attributes.update({"dimension": "1"} if "array" in f[2:4] else {})
            unit = [element("annotation", {"class": "99", "value": f[4]})] if len(f) > 4 else []
            return element("field", attributes, unit)

        classes = [element("class", {"name": name, "id": str(id)}, [field(f) for f in fields])
                   for name, (id, fields) in self.classes.items()]
        tree = element("root", {}, [element("metadata", {}, classes), element("region", {"locale": "en_US"})])
        table = b"".join(self.text(s) for s in strings)
        return self.event(0, self.long(0) * 3 + self.int(len(strings)) + table + tree)

    def bytes(self, time=1700000000000000000, duration=1000000000):
        body, metadata = b"".join(self.body), self.metadata()
        return b"FLR\0" + struct.pack(">HHQQQQQQQI", *self.version, HEADER + len(body) + len(metadata), HEADER, HEADER + len(body), time, duration, 0,
                                      self.ticks, int(self.compressed)) + body + metadata
