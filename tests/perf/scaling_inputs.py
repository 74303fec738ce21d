"""Generates inputs of any size for scaling.py: one generator for each input format, and profiles of unusual shapes."""
import json
import marshal
import struct

from jfr_writer import Chunk


# ---- formats: text or bytes for about n records ----

def addresses(i, depth=8):
    return " ".join(f"0x{0x401001 + (i * 7 + d * 131) % 90000 * 16:x}" for d in range(depth))


MAPS = "\nMAPPED_LIBRARIES:\n00400000-00a00000 r-xp 00000000 fd:03 96 /bin/prog\n"


def gperftools_cpu(n):
    words = [0, 3, 0, 10000, 0]
    for i in range(n):
        words += [1, 4] + [0x401000 + (i * 7 + d * 131) % 90000 * 16 for d in range(4)]
    return struct.pack(f"<{len(words) + 3}Q", *words, 0, 1, 0) + b"00400000-00a00000 r-xp 00000000 fd:03 96 /bin/prog\n"


def heap_text(n):
    return "heap profile: 1: 2 [1: 2] @ heap/1048576\n" + "".join(
        f"1: {i + 1} [2: {2 * i + 2}] @ {addresses(i)}\n#\t0x401000\tmain.f{i}+0x1\tmain.go:{i}\n" for i in range(n)) + MAPS


def go_count(n):
    return f"goroutine profile: total {n}\n" + "".join(f"1 @ {addresses(i)}\n#\t0x1\tf{i}+0x1\ta.go:1\n\n" for i in range(n))


def threadz(n):
    return "--- threadz 1 ---\n\n" + "".join(
        f"--- Thread {i:x} (name: main/{i}) stack: ---\n  {addresses(i)}\n" for i in range(n)) + "--- Memory map: ---\n  0-fffff000: /bin/prog\n"


def contention(n):
    return "--- mutex:\ncycles/second=1000000000\nsampling period=5\n" + "".join(f"{i + 1} 1 @ {addresses(i)}\n" for i in range(n))


def java(n):
    return "--- heapz 1 ---\nformat = java\nresolution = bytes\n\n" + "".join(
        f"{16 * i + 16} 2 @ 0x{i + 1:x} 0x{i + 2:x}\n" for i in range(n)) + "".join(
        f"0x{i + 1:x} com.Main.run{i} (Main{i}.java:{i})\n" for i in range(n + 1))


def jemalloc(n):
    return "heap_v2/4096\n  t*: 1: 8 [1: 8]\n" + "".join(
        f"@ {addresses(i)}\n  t*: 1: {i + 1} [1: {i + 1}]\n  t{i}: 1: {i + 1} [1: {i + 1}]\n" for i in range(n)) + MAPS


def callgrind(n):
    """Returns a hub (n callers of one function, which calls n others), a chain, and a function of many lines with many
    callers."""
    text = ["events: Ir\nfl=a.c\n"]
    text += [f"fn=caller{i}\n1 10\ncfn=hub\ncalls=1 1\n1 {n * 10}\ncfn=lines\ncalls=1 1\n2 {n * 10}\n" for i in range(n)]
    text += ["fn=hub\n5 10\n"] + [f"cfn=leaf{i}\ncalls=1 1\n{6 + i} {n * 10}\n" for i in range(n)]
    text += [f"fn=leaf{i}\n7 {n * 10}\n" for i in range(n)] + ["fn=lines\n"] + [f"{i + 1} 100\n" for i in range(n)]
    return "".join(text)


def callgrind_ladder(n):
    """Returns a graph with two ways through each of n levels, which gives 2^n paths."""
    text = ["events: Ir\nfl=a.c\n"]
    for i in range(n):
        for side in "ab":
            calls = "".join(f"cfn={to}{i + 1}\ncalls=1 1\n1 {100 * (n - i)}\n" for to in "ab") if i + 1 < n else ""
            text.append(f"fn={side}{i}\n1 100\n{calls}")
    return "".join(text)


def callgrind_names(n):
    return "events: Ir\n" + "".join(f"fl=({i}) file{i}.c\nfn=({i}) function{i}\n{i} 10\ncfn=({i // 2})\ncalls=1 1\n1 5\n" for i in range(n))


def call_frame(i):
    return {"functionName": f"f{i}", "scriptId": "1", "url": f"a{i % 50}.js", "lineNumber": i, "columnNumber": 0}


def json_v8(n):
    nodes = [{"id": i + 1, "callFrame": call_frame(i), "hitCount": 1, "children": [c + 1 for c in (2 * i + 1, 2 * i + 2) if c < n]}
             for i in range(n)]
    return json.dumps({"nodes": nodes, "startTime": 0, "endTime": n, "samples": [i + 1 for i in range(n)], "timeDeltas": [1] * n})


def json_same_ids(n):
    """Returns nodes that all have the id of the first node."""
    return json.dumps({"nodes": [{"id": 1, "callFrame": call_frame(i)} for i in range(n)], "startTime": 0, "endTime": n,
                       "samples": [1] * n, "timeDeltas": [1] * n})


def minified(n):
    """Returns a bundle in one line, with a function every 40 columns; source_map(n) is its map."""
    nodes = [{"id": i + 1, "callFrame": {"functionName": "a", "scriptId": "1", "url": "b.min.js", "lineNumber": 0, "columnNumber": 40 * i},
              "hitCount": 1, "children": [i + 2] if i % 9 and i + 1 < n else []} for i in range(n)]
    return json.dumps({"nodes": nodes, "startTime": 0, "endTime": n, "samples": [i + 1 for i in range(n)], "timeDeltas": [1] * n})


def source_map(n):
    """Returns a map with eight segments for each function, in which columns, sources, lines and names all change."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

    def vlq(value):
        value, text = (-value << 1 | 1) if value < 0 else value << 1, ""
        while True:
            value, digit = value >> 5, value & 31
            text += letters[digit | (32 if value else 0)]
            if not value:
                return text

    segments, last = [], [0, 0, 0, 0]
    for i in range(8 * n):
        place = [i // 8 % 40, i // 8, i % 8 * 3, i // 8]
        segments.append(vlq(5 if i else 0) + "".join(vlq(a - b) for a, b in zip(place, last)))
        last = place
    return json.dumps({"version": 3, "file": "b.min.js", "sources": [f"src/file{i}.js" for i in range(40)], "names": [f"function{i}" for i in range(n)],
                       "mappings": ",".join(segments)})


def json_v8_heap(n):
    nodes = [{"callFrame": call_frame(i), "selfSize": 8, "id": i, "children": []} for i in range(n)]
    for i in range(1, n):
        nodes[(i - 1) // 2]["children"].append(nodes[i])
    return json.dumps({"head": nodes[0]})


def json_dhat(n):
    points = [{"tb": 8, "tbk": 1, "fs": [1 + (i * 7 + d) % n for d in range(6)]} for i in range(n)]
    return json.dumps({"dhatFileVersion": 2, "mode": "heap", "verb": "Allocated", "bklt": False, "bkacc": False, "tu": "instrs",
                       "Mtu": "Minstr", "cmd": "x", "pid": 1, "te": 1, "pps": points,
                       "ftbl": ["[root]"] + [f"0x{i + 16:X}: f{i} (a.c:{i})" for i in range(n)]})


def json_firefox(n):
    none = [None] * n
    shared = {"stringArray": [f"f{i}" for i in range(n)] + ["a.c"], "sources": {"filename": [n]},
              "stackTable": {"frame": list(range(n)), "prefixOffset": [0] + [(i + 1) // 2 for i in range(1, n)], "length": n},
              "frameTable": {"func": list(range(n)), "line": list(range(n)), "column": none, "address": [-1] * n, "inlineDepth": [0] * n,
                             "category": [0] * n, "nativeSymbol": none, "length": n},
              "funcTable": {"name": list(range(n)), "source": [0] * n, "resource": [-1] * n, "lineNumber": none, "columnNumber": none,
                            "length": n}}
    samples = {"stack": list(range(n)), "time": list(range(n)), "weight": [1] * n, "weightType": "samples", "length": n}
    return json.dumps({"meta": {"interval": 1, "startTime": 0, "product": "x", "preprocessedProfileVersion": 56, "version": 27,
                                "categories": [{"name": "Other", "color": "grey", "subcategories": ["Other"]}]},
                       "libs": [], "shared": shared,
                       "threads": [{"name": "t", "processName": "p", "pid": "7", "tid": 7, "isMainThread": True, "samples": samples}]})


def json_speedscope(n):
    frames = [{"name": f"f{i}", "file": "a.c", "line": i} for i in range(n)]
    events = [{"type": "O", "frame": i, "at": i} for i in range(n)] + [{"type": "C", "frame": n - 1 - i, "at": n + i} for i in range(n)]
    events = events if n <= 40 else events[:40] + events[-40:]
    sampled = {"type": "sampled", "name": "a", "unit": "milliseconds", "startValue": 0, "endValue": n,
               "samples": [[0, i % n, (i * 7) % n] for i in range(n)], "weights": [1] * n}
    evented = {"type": "evented", "name": "b", "unit": "milliseconds", "startValue": 0, "endValue": 2 * n, "events": events}
    return json.dumps({"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": frames},
                       "profiles": [sampled, evented] if n <= 40 else [sampled]})


def json_trace(n):
    """Returns nested calls, ends in any order at the same time, and complete events, in several threads."""
    events = [{"ph": "M", "name": "thread_name", "pid": 1, "tid": t, "args": {"name": f"t{t}"}} for t in range(n // 50 + 1)]
    for i in range(n):
        where = {"pid": 1, "tid": i % (n // 50 + 1), "args": {"n": i}}
        events += [{"ph": "B", "name": f"a{i}", "ts": 10 * i, **where}, {"ph": "B", "name": f"b{i % 9}", "ts": 10 * i + 1, **where},
                   {"ph": "E", "name": f"a{i}", "ts": 10 * i + 5, **where}, {"ph": "E", "name": f"b{i % 9}", "ts": 10 * i + 5, **where},
                   {"ph": "X", "name": "x", "ts": 10 * i + 6, "dur": 2, **where}]
    return json.dumps(events)[:-1]


def json_trace_at_once(n):
    """Returns calls that all end at the same time, in the order of their begins."""
    return json.dumps({"traceEvents": [{"ph": ph, "name": f"f{i}", "ts": i if ph == "B" and i < 50 else n, "pid": 1, "tid": i // 50}
                                       for ph in "BE" for i in range(n)]})


def json_trace_samples(n):
    return json.dumps({"traceEvents": [], "stackFrames": {str(i): {"name": f"f{i}", "category": "js", **({"parent": i // 2} if i > 1 else {})}
                                                          for i in range(1, n + 1)},
                       "samples": [{"pid": 1, "tid": i % 7, "ts": str(i), "sf": i % n + 1} for i in range(n)]})


def json_timeline(n):
    whole = json.loads(json_v8(n))
    chunks = [{"ph": "P", "name": "ProfileChunk", "id": "0x1", "pid": 1, "tid": 3, "ts": i + 2, "args": {"data": {
        "cpuProfile": {"nodes": whole["nodes"][i:i + 10], "samples": whole["samples"][i:i + 10]},
        "timeDeltas": whole["timeDeltas"][i:i + 10]}}} for i in range(0, n, 10)]
    return json.dumps([{"ph": "P", "name": "Profile", "id": "0x1", "pid": 1, "tid": 2, "ts": 1, "args": {"data": {"startTime": 1}}}] + chunks)


def json_v8_log(n):
    return json.dumps({"code": [{"name": f"f{i} /app/a.js:{i}:1", "type": "JS", "kind": "Opt"} for i in range(n)], "functions": [],
                       "ticks": [{"tm": i, "vm": 0, "s": [i % n, 1, i * 7 % n, 2, -1, 0]} for i in range(n)]})


def json_gecko(n):
    return json.dumps({"meta": {"interval": 1}, "threads": [{
        "name": "t", "pid": 1, "tid": 2, "stringTable": [f"f{i} (http://a/b.js:{i}:3)" for i in range(n)],
        "samples": {"schema": {"stack": 0, "time": 1}, "data": [[i, i] for i in range(n)]},
        "stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": [[i // 2 if i else None, i] for i in range(n)]},
        "frameTable": {"schema": {"location": 0}, "data": [[i] for i in range(n)]}}]})


def json_safari(n):
    samples = [{"timestamp": i, "stackFrames": [{"name": f"f{i}", "line": i, "column": 1, "url": "http://a/b.js"},
                                                {"name": "", "line": i % 9, "column": 1, "url": "http://a/b.js"}]} for i in range(n)]
    return json.dumps({"version": 1, "recording": {"sampleStackTraces": samples, "sampleDurations": [0.001] * n}})


def json_stackprof(n):
    raw = [x for i in range(n) for x in (3, 1, i % n, i * 7 % n, 2)]
    return json.dumps({"mode": "wall", "interval": 1000, "samples": 2 * n, "raw": raw, "raw_timestamp_deltas": [1000] * 2 * n,
                       "frames": {str(i): {"name": f"f{i}", "file": "a.rb", "line": i} for i in range(n)}})


def json_gprof2dot(n):
    return json.dumps({"version": 0, "costs": [{"description": "Memory", "unit": "bytes"}],
                       "functions": [{"name": f"f{i}", "module": f"a{i % 9}.py"} for i in range(n)],
                       "events": [{"callchain": [i % n, i * 7 % n, i * 13 % n], "cost": [i]} for i in range(2 * n)]})


def json_haskell(n):
    nodes = [{"id": i, "entries": 1, "alloc": 8, "ticks": 1, "children": []} for i in range(n)]
    for i in range(1, n):
        nodes[(i - 1) // 2]["children"].append(nodes[i])
    return json.dumps({"program": "x", "tick_interval": 1000, "total_ticks": n, "profile": nodes[0],
                       "cost_centres": [{"id": i, "label": f"f{i}", "module": "Main", "src_loc": f"Main.hs:{i}:1-9"} for i in range(n)]})


def go_dump(n):
    return "".join(f"goroutine {i} [chan receive, {i % 90} minutes]:\n" + "".join(
        f"main.f{(i * 3 + d) % n}(0x{i:x}, ...)\n\t/src/f{d}.go:{d + 1} +0x1d\n" for d in range(8)) +
        f"created by main.c{i % 50} in goroutine 1\n\t/src/c.go:1 +0x9\n\n" for i in range(n))


def go_dump_same_id(n):
    """Returns goroutines with id 0, which do not begin a new dump."""
    return "".join(f"goroutine 0 [idle]:\nmain.f{i}()\n\t/src/f.go:{i} +0x1d\n\n" for i in range(n))


def otlp(n):
    """Returns two profiles with the same samples in different orders. pprofc must join the samples by their contents."""
    def stack(i):
        return packed(1, [i % n + 1, (i * 7 + 3) % n + 1, (i * 13 + 5) % n + 1])

    strings = ["", "samples", "count", "bytes", "id"] + [f"package{i % 40}.function{i}" for i in range(n)]
    tables = [(1, [b""]), (2, [b""] + [message(3, number(1, i + 1) + number(2, i)) for i in range(n)]),
              (3, [b""] + [number(1, 5 + i) for i in range(n)]), (4, [b""]), (5, [s.encode() for s in strings]),
              (6, [b""] + [number(1, 4) + message(2, number(3, i)) for i in range(n)]), (7, [b""] + [stack(i) for i in range(n)])]
    dictionary = b"".join(message(field, item) for field, items in tables for item in items)
    samples = [message(2, number(1, i + 1) + packed(2, [i + 1]) + packed(4, [i + 3])) for i in range(n)]
    profiles = (message(2, message(1, number(1, 1) + number(2, 2)) + b"".join(samples)) +
                message(2, message(1, number(1, 1) + number(2, 3)) + b"".join(reversed(samples))))
    return message(1, message(2, profiles)) + message(2, dictionary)


def otlp_older(n):
    """Returns two types in the schema of version 1.7, whose stacks are ranges of one list."""
    tables = [(1, [b""]), (2, [number(2, i + 1) + message(3, number(1, i)) for i in range(n)]), (3, [number(1, 3 + i) for i in range(n)]),
              (5, [s.encode() for s in ["", "samples", "count"] + [f"function{i}" for i in range(n)]]),
              (6, [message(1, b"id") + message(2, number(3, i)) for i in range(n)])]
    dictionary = b"".join(message(field, item) for field, items in tables for item in items)
    samples = b"".join(message(2, number(1, 3 * i) + number(2, 3) + packed(3, [i + 3, 2]) + packed(4, [i])) for i in range(n))
    locations = packed(3, [(i // 3 * k + 3) % n for i in range(3 * n) for k in [(1, 7, 13)[i % 3]]])
    profile = message(1, number(1, 1) + number(2, 2)) + message(1, number(1, 1) + number(2, 1)) + samples + locations
    return message(1, message(2, message(2, profile))) + message(2, dictionary)


def otlp_json(n):
    dictionary = {"stringTable": ["", "samples", "count"] + [f"function{i}" for i in range(n)],
                  "functionTable": [{}] + [{"nameStrindex": i + 3} for i in range(n)],
                  "locationTable": [{}] + [{"address": str(i), "lines": [{"functionIndex": i + 1}]} for i in range(n)],
                  "stackTable": [{}] + [{"locationIndices": [i + 1, i * 7 % n + 1, i * 13 % n + 1]} for i in range(n)]}
    samples = [{"stackIndex": i + 1, "values": [str(i)]} for i in range(n)]
    profile = {"sampleType": {"typeStrindex": 1, "unitStrindex": 2}, "samples": samples}
    return json.dumps({"resourceProfiles": [{"scopeProfiles": [{"profiles": [profile]}]}], "dictionary": dictionary})


def otlp_equal_samples(n):
    """Returns two profiles in which all samples are equal, except the first sample of the second profile."""
    tables = {1: [b""], 2: [b"", message(3, number(1, 1))], 3: [b"", number(1, 3)], 4: [b""], 5: [b"", b"samples", b"count", b"function"], 6: [b""], 7: [b"", packed(1, [1])]}
    dictionary = b"".join(message(field, item) for field, items in tables.items() for item in items)
    equal = message(2, number(1, 1) + packed(2, [1])) * n * 20
    types = [message(1, number(1, 1) + number(2, unit)) for unit in (2, 1)]
    profiles = message(2, types[0] + equal) + message(2, types[1] + message(2, packed(2, [1])) + equal)
    return message(1, message(2, profiles)) + message(2, dictionary)


def flight_recorder(n):
    """Returns two chunks with different methods, classes and stacks. Most stacks have two samples."""
    def chunk(first):
        c = Chunk()
        c.constants(jdk_types_Symbol={i: [f"package{i % 40}/Class{i}"] for i in range(1, 2 * n + 1)}, jdk_types_FrameType={1: ["Interpreted"], 2: ["Inlined"]},
                    jdk_types_ThreadState={1: ["STATE_RUNNABLE"]}, java_lang_Thread={i: [f"thread{i}", i, f"thread{i}", i] for i in range(1, 9)})
        c.constants(java_lang_Class={i: [0, i, 0] for i in range(1, n + 1)}, jdk_types_Method={i: [i, n + i, 0, 0, 0] for i in range(1, n + 1)})
        c.constants(jdk_types_StackTrace={i: [0, [[(i * k + first) % n + 1, k, 0, 1 + k % 2] for k in (7, 3, 13, 1)]] for i in range(1, n + 1)})
        for i in range(2 * n):
            c.add("jdk.ExecutionSample", 0, i % 8 + 1, i * 7 % n + 1, 1)
            c.add("jdk.ObjectAllocationInNewTLAB", 0, 1, i % n + 1, i % n + 1, 16, 64)
            c.add("jdk.FileRead", 0, 1, 1, f"/{i}")
        return c.bytes()
    return chunk(0) + chunk(5)


def perf_script(n):
    return "".join(f"prog {i % 64} {i}.000001: 1000 cpu-clock:u: \n" + "".join(
        f"\t{0x1000 + (i * 3 + d) * 16:x} f{(i * 3 + d) % n}+0x1 (/bin/prog{i % 9})\n" for d in range(6)) + "\n" for i in range(n))


def instruments(n):
    rows = "".join(f"3.00 ms  0.1%\t0 s\t  work{i}\t/src/a{i % 9}.c\n" + "".join(
        f"{3 - d}.00 ms  0.1%\t1.00 ms\t  {' ' * (d + 1)}f{(i * 3 + d) % n}\t\n" for d in range(3)) for i in range(n))
    return "Weight\tSelf Weight\tSymbol Names\tSource Path\n" + rows


def macos_sample(n):
    return "Analysis of sampling prog (pid 1) every 1 millisecond\nCall graph:\n" + "".join(
        f"    3 Thread_{i}\n" + "".join(f"    + {'! ' * d}{3 - d} f{(i * 3 + d) % n}  (in lib{i % 9}) + 1  [0x{i * 3 + d:x}]\n" for d in range(3))
        for i in range(n))


def vtune(n):
    return "Function Stack,CPU Time:Self,Module\nTotal,0,[Unknown]\n" + "".join(
        f"{' ' * (d + 1)}f{(i * 3 + d) % n},0.00{i % 9 + 1},lib{i % 9}\n" for i in range(n) for d in range(3))


def pmcstat(n):
    return f"@ cycles [{n * 3} samples]\n" + "".join(
        f"\n01.00%  [3]     leaf{i} @ /bin/prog{i % 9}\n" + "".join(f"{' ' * (d + 1)}50.00%  [{3 - d}]  f{(i * 3 + d) % n}\n" for d in range(3))
        for i in range(n))


def pstats(n):
    """Returns functions that call each other in a chain and from a hub, written by marshal."""
    def key(i):
        return (f"file{i % 9}.py", i, f"function{i}")
    return marshal.dumps({key(i): (1, 1, 0.001, 0.001 * (n - i), {key(c): (1, 1, 0.001, 0.001 * (n - i)) for c in {0, max(i - 1, 0)} if i}) for i in range(n)})


def papyrus(n):
    """Returns calls of many stacks. Most calls return in the millisecond of their start."""
    lines = []
    for i in range(n):
        calls = [(i, f"{i % 7}:1:a:f{i % 90}")] + [(i, f"{i % 7}:2:a:g{(i + d) % 90}") for d in range(4)]
        lines += [f"{t}:PUSH:{call}" for t, call in calls] + [f"{t}:POP:{call}" for t, call in calls[1:]] + [f"{i + 1}:POP:{calls[0][1]}"]
    return "Script_a log opened (PC)\n" + "\n".join(lines) + "\nLog closed\n"


def austin(n):
    return "# austin: 3.7.0\n# mode: wall\n\n" + "".join(
        f"P{i % 5};T0:{i % 64};" + ";".join(f"/src/a{d}.py:f{(i * 3 + d) % n}:{d + 1}" for d in range(5)) + f" {i + 1}\n" for i in range(n))


def austin_mojo(n):
    def varint(value):
        first, value = value & 63, value >> 6
        out = [first | (128 if value else 0)]
        while value:
            out.append(value & 127 | (128 if value >> 7 else 0))
            value >>= 7
        return bytes(out)

    text = b"MOJ\3\1mode\0wall\0"
    for i in range(n):
        text += b"\13" + varint(i) + f"f{i}".encode() + b"\0\3" + varint(i) + varint(0) + varint(i) + varint(i) + b"\0\0\0"
        text += b"\2" + varint(i % 9) + b"\0" + b"7a\0" + b"".join(b"\5" + varint((i * (d + 3)) % (i + 1)) for d in range(5)) + b"\11" + varint(i)
    return text


def folded_broken(n):
    return "".join(f"main;f{i % 90};g{i} {i + 1}\n" + ("broken\n" if i % 3 else "") for i in range(n))


def folded(n):
    return "".join(f"main;a{i % 50};f{i};leaf{i * 7 % n} {i + 1}\n" for i in range(n))


# Generators by the names of the rows of import/formats.c, and of the files json_*.c of import/.
def bpftrace(n):
    return "".join(f"@[\n    f{i}+12\n    g{i % 50}+{i}\n    main+7\n, task{i % 30}]: {i + 1}\n" for i in range(n))


def dtrace(n):
    return "".join(f"              lib.so.1`f{i}+0x{i:x}\n              prog`g{i % 50}+0x1c\n              prog`main+0x8\n    {i + 1}\n\n" for i in range(n))


def rprof(n):
    return "sample.interval=20000\n#File 1: a.R\n" + "".join(f'"f{i}" 1#{i + 1} "g{i % 50}" 1#2 "eval" \n' for i in range(n))


def ghc_prof(n):
    rows = "".join(f"{' ' * (i % 12)}f{i} Main Main.hs:{i + 1}:1-20 {i + 1} 1 0.0 0.0 0.0 0.0 {i} {8 * i}\n" for i in range(n))
    return ("\tTime and Allocation Profiling Report  (Final)\n\ntotal time  =  1.00 secs   (1,000 ticks @ 1000 us, 1 processor)\n\n"
            "COST CENTRE MODULE SRC no. entries %time %alloc %time %alloc  ticks     bytes\n\n" + rows)


def xctrace(n):
    """Returns rows in pairs. The second row repeats the frames of the first."""
    rows = "".join(
        f'<row><thread id="{8 * i + 1}" fmt="t{i % 9}"/><weight id="{8 * i + 2}" fmt="1 ms">1000000</weight><backtrace id="{8 * i + 3}">'
        f'<frame id="{8 * i + 4}" name="f{i}" addr="0x{i + 16:x}"><binary id="{8 * i + 5}" name="p" path="/p"/></frame>'
        f'<frame id="{8 * i + 6}" name="main" addr="0x8"><binary ref="{8 * i + 5}"/></frame></backtrace></row>'
        f'<row><thread ref="{8 * i + 1}"/><weight ref="{8 * i + 2}"/><backtrace ref="{8 * i + 3}"/></row>' for i in range(n))
    return "<?xml version='1.0'?>\n<trace-query-result><node><schema name='time-profile'/>" + rows + "</node></trace-query-result>"


def simpleperf(n):
    def frame(i, prefix):
        return f"{prefix}vaddr_in_file: {i * 16 + 16:x}\n{prefix}file: /lib{i % 40}.so\n{prefix}symbol: f{i}\n"
    return "".join(f"sample:\n  event_type: cpu-cycles\n  time: {i}\n  event_count: {i + 1}\n  thread_id: {i % 9}\n  thread_name: t{i % 9}\n" +
                   frame(i, "  ") + "  callchain:\n" + frame(i * 7 % n, "    ") + frame(0, "    ") for i in range(n))


def simpleperf_messages(n):
    def entry(i): return message(3, number(1, i * 16 + 16) + number(2, i % 40) + number(3, i // 40))
    records = [message(1, number(1, i) + number(2, i % 9) + entry(i) + entry(i * 7 % n) + number(4, i + 1)) for i in range(n)]
    records += [message(3, number(1, k) + message(2, b"/lib%d.so" % k) + b"".join(message(3, b"f%d" % i) for i in range(k, n, 40))) for k in range(40)]
    records += [message(4, number(1, t) + number(2, 7) + message(3, b"t%d" % t)) for t in range(9)] + [message(5, message(1, b"cpu-cycles"))]
    return b"SIMPLEPERF\1\0" + b"".join(struct.pack("<I", len(r)) + r for r in records) + bytes(4)


def perf_data(n):
    """Returns a process, a fork of it for each eighth sample, and stacks of the kernel and of two files. Also has names
    of events and build ids."""
    def record(kind, body, misc=2): return struct.pack("<IHH", kind, misc, 8 + len(body)) + body
    def text(s, size=8): return s.encode() + bytes(size - len(s) % size)
    def map_of(pid, start, file): return record(10, struct.pack("<IIQQQIIQQII", pid, pid, start, 0x100000, 0x1000, 0, 0, 1, 0, 5, 2) + text(file))
    sample_type = 1 | 2 | 4 | 1 << 5 | 1 << 7 | 1 << 8  # ip, tid, time, callchain, cpu, period
    attr = struct.pack("<IIQQQQQ", 1, 112, 0, 97, sample_type, 0, 1 << 10) + bytes(112 - 48)
    events = struct.pack("<II", 1, 112) + attr + struct.pack("<II", 0, 16) + text("cpu-clock", 16)
    records = [record(3, struct.pack("<II", 100, 100) + text("calls")), map_of(100, 0x400000, "/app/calls"), map_of(100, 0x7f0000000000, "/lib/libc.so.6")]
    for i in range(n):
        pid = 101 + i // 8
        if i % 8 == 0: records.append(record(7, struct.pack("<IIIIQ", pid, 100, pid, 100, i)))
        chain = [(1 << 64) - 128, 0xffffffff81000000 + i, (1 << 64) - 512, 0x400010 + i % 9000 * 16, 0x7f0000000040 + i % 70]
        records.append(record(9, struct.pack("<QIIQIIQQ", 0x400010, pid, pid, i * 1000, i % 4, 0, 10309278, len(chain)) + struct.pack("<5Q", *chain)))
    records.append(record(2, struct.pack("<QQ", 1, 3)))
    ids = b"".join(struct.pack("<IHHi", 0, 0x8002, 36 + len(text(f)), 100) + bytes([k]) * 20 + bytes([20, 0, 0, 0]) + text(f)
                   for k, f in ((1, "/app/calls"), (2, "/lib/libc.so.6")))
    attrs, data = attr + bytes(16), b"".join(records)
    from_data = 104 + len(attrs)
    table = from_data + len(data)
    bits = 1 << 2 | 1 << 12
    header = b"PERFILE2" + struct.pack("<8Q", 104, len(attrs), 104, len(attrs), from_data, len(data), 0, 0) + bits.to_bytes(32, "little")
    return header + attrs + data + struct.pack("<4Q", table + 32, len(ids), table + 32 + len(ids), len(events)) + ids + events


def json_pyinstrument(n):
    root = {"function": "main", "file_path": "a.py", "line_no": 1, "time": float(3 * n), "children": []}
    for i in range(n):
        inner = {"function": f"f{i}", "file_path": "a.py", "line_no": i + 1, "time": 2.0, "children": []}
        root["children"].append({"function": f"g{i % 50}", "file_path": "b.py", "line_no": 7, "time": 3.0, "children": [
            inner, {"function": "[self]", "file_path": "", "line_no": 0, "time": 1.0, "children": []}]})
    return json.dumps({"start_time": 1.5, "duration": 2.0, "sample_count": n, "cpu_time": 1.0, "root_frame": root})


def json_pyinstrument_session(n):
    records = [[[f"f{i % 50}\0a.py\0{i}\1l{i}", f"g{i}\0b.py\0" + "1"], 0.001] for i in range(n)]
    return json.dumps({"sample_count": n, "frame_records": records})


def json_scalene(n):
    stacks = [[["/app/a.py <module>:1;", f"/app/a.py g{i % 50}:7;", f"/app/b.py f{i}:{i + 1};"],
               {"c_time": 0.5, "count": 3, "cpu_samples": 1.5, "python_time": 1.0}] for i in range(n)]
    return json.dumps({"elapsed_time_sec": 9.5, "files": {}, "stacks": stacks})


def json_scalene_lines(n):
    lines = [{"lineno": i + 1, "n_cpu_percent_python": 1.5, "n_cpu_percent_c": 0.5, "n_malloc_mb": 0.25} for i in range(n)]
    return json.dumps({"elapsed_time_sec": 9.5, "files": {"/app/a.py": {"lines": lines}}, "stacks": []})


FORMATS = {
    "gperftools CPU profile": [(gperftools_cpu, 300)],
    "heap profile": [(heap_text, 200)],
    "Go count profile": [(go_count, 200)],
    "thread profile": [(threadz, 200)],
    "contention profile": [(contention, 200)],
    "Java profile": [(java, 250)],
    "jemalloc heap profile": [(jemalloc, 200)],
    "callgrind": [(callgrind, 150), (callgrind_ladder, 250), (callgrind_names, 250)],
    "pstats": [(pstats, 200)],
    "JSON profile": [],  # the shapes below cover this format
    "json_cpuprofile": [(json_v8, 120), (json_same_ids, 500)],
    "json_heapprofile": [(json_v8_heap, 120)],
    "json_dhat": [(json_dhat, 120)],
    "json_firefox": [(json_firefox, 200)],
    "json_speedscope": [(json_speedscope, 200)],
    "json_gecko": [(json_gecko, 200)],
    "json_timeline": [(json_timeline, 120)],
    "json_trace": [(json_trace, 100), (json_trace_at_once, 200), (json_trace_samples, 200)],
    "json_v8_log": [(json_v8_log, 200)],
    "json_stackprof": [(json_stackprof, 200)],
    "json_safari": [(json_safari, 200)],
    "json_gprof2dot": [(json_gprof2dot, 200)],
    "json_haskell": [(json_haskell, 120)],
    "OTLP profiles": [(otlp, 300), (otlp_equal_samples, 300), (otlp_older, 300), (otlp_json, 300)],
    "Flight Recorder": [(flight_recorder, 100)],
    "goroutine dump": [(go_dump, 100), (go_dump_same_id, 400)],
    "perf script": [(perf_script, 100)],
    "perf.data": [(perf_data, 200)],
    "simpleperf": [(simpleperf, 100), (simpleperf_messages, 200)],
    "bpftrace": [(bpftrace, 200)],
    "DTrace": [(dtrace, 200)],
    "Rprof": [(rprof, 200)],
    "GHC profile": [(ghc_prof, 200)],
    "xctrace export": [(xctrace, 150)],
    "json_pyinstrument": [(json_pyinstrument, 200)],
    "json_pyinstrument_session": [(json_pyinstrument_session, 200)],
    "json_scalene": [(json_scalene, 200), (json_scalene_lines, 300)],
    "Instruments text": [(instruments, 200)],
    "macOS sample": [(macos_sample, 200)],
    "VTune": [(vtune, 300)],
    "pmcstat call graph": [(pmcstat, 200)],
    "Papyrus log": [(papyrus, 150)],
    "Austin": [(austin, 200), (austin_mojo, 300)],
    "folded stacks": [(folded, 500), (folded_broken, 500)],
}


# ---- shapes of profiles in protocol buffers ----

def varint(value):
    out = bytearray()
    value &= (1 << 64) - 1
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def message(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


def packed(field, values):
    return message(field, b"".join(map(varint, values)))


class Profile:
    def __init__(self):
        self.strings, self.body = {"": 0}, bytearray()
        self.body += message(1, number(1, self.text("samples")) + number(2, self.text("count")))

    def text(self, text):
        return self.strings.setdefault(text, len(self.strings))

    def mapping(self, index, start, limit, name, has_functions=1):
        self.body += message(3, number(1, index) + number(2, start) + number(3, limit) + number(5, self.text(name)) +
                             number(7, has_functions))

    def function(self, index, name, file="a.c"):
        self.body += message(5, number(1, index) + number(2, self.text(name)) + number(3, self.text(name)) + number(4, self.text(file)))

    def location(self, index, functions, line=1, mapping=0, address=0):
        lines = b"".join(message(4, number(1, f) + number(2, line)) for f in functions)
        self.body += message(4, number(1, index) + number(2, mapping) + number(3, address) + lines)

    def sample(self, locations, value=1, labels=()):
        texts = b"".join(message(3, number(1, self.text(k)) + (number(2, self.text(v)) if isinstance(v, str) else number(3, v)))
                         for k, v in labels)
        self.body += message(2, packed(1, locations) + packed(2, [value]) + texts)

    def functions(self, n, ids=lambda i: i + 1):
        for i in range(n):
            self.function(ids(i), f"package{i % 40}.function{i}", f"file{i % 60}.c")
            self.location(ids(i), [ids(i)], i + 1, 0, 16 * i + 16)

    def bytes(self):
        return bytes(self.body) + b"".join(message(6, s.encode()) for s in self.strings)


def many_samples(n):
    p = Profile()
    p.functions(n)
    for i in range(2 * n):
        p.sample([1 + (i * (7 + d)) % n for d in range(6)], i + 1, [("thread", f"t{i % 40}"), ("bytes", i % 30 * 16 + 16)])
    return p.bytes()


def deep_stacks(n):
    p = Profile()
    p.functions(40)
    for i in range(8):
        p.sample([1 + (k * (i + 3)) % 40 for k in range(n)], i + 1)
    return p.bytes()


def one_hub(n):
    p = Profile()
    p.functions(2 * n + 1)
    for i in range(n):
        p.sample([1 + i, 2 * n + 1, 1 + n + i], i + 1)
        p.sample([1 + i, 2 * n + 1, 1 + n + i * 7 % n], i + 1)
    return p.bytes()


def many_labels(n):
    p = Profile()
    p.functions(20)
    for i in range(n):
        p.sample([1 + i % 20], 1, [("id", f"request{i}"), (f"key{i}", "value"), ("bytes", i)])
    p.sample([1], 1, [(f"key{i}", f"v{i}") for i in range(n)])
    return p.bytes()


def orders_of_labels(n):
    """Returns samples with the same values of one key in different orders, which are different samples for pprof."""
    p = Profile()
    p.functions(1)
    for i in range(n):
        order, left, k = [], list(range(9)), i
        while left:
            order.append(left.pop(k % len(left)))
            k //= len(left) + 1
        p.sample([1], 1, [("k", f"v{o}") for o in order])
    return p.bytes()


def many_mappings(n):
    p = Profile()
    for i in range(n):
        p.mapping(i + 1, 0x1000 * (i + 1), 0x1000 * (i + 2), f"/lib/lib{i}.so")
        p.location(i + 1, [], 0, i + 1, 0x1000 * (i + 1) + 16)
        p.sample([i + 1])
    return p.bytes()


def many_strings(n):
    p = Profile()
    p.functions(1)
    for i in range(3 * n):
        p.text(f"text{i}")
    p.body += packed(13, range(3, 3 * n))
    p.sample([1])
    return p.bytes()


def sparse_ids(n):
    p = Profile()
    ids = lambda i: (i * 0x9E3779B97F4A7C15 & (1 << 64) - 1) | 1
    p.functions(n, ids)
    for i in range(n):
        p.sample([ids(i), ids(i // 2)])
    return p.bytes()


def inlined_calls(n):
    p = Profile()
    for i in range(n):
        p.function(i + 1, f"f{i}")
    p.location(1, range(1, n + 1))
    p.sample([1])
    return p.bytes()


def one_name(n):
    p = Profile()
    for i in range(n):
        p.function(i + 1, "same", f"file{i}.c")
        p.location(i + 1, [i + 1], 1 + i)
        p.sample([i + 1, 1 + i // 2])
    return p.bytes()


def lines_of_source(n):
    return "// line\n" * n


def one_long_line(n):
    return "".join(f"f{i % 500};" for i in range(n)) + "leaf 1\n" + "x" * n + " 1\n"


SHAPES = {
    "many samples": (many_samples, 149), "deep stacks": (deep_stacks, 2500), "one hub": (one_hub, 150),
    "many labels": (many_labels, 150), "orders of labels": (orders_of_labels, 150), "many mappings": (many_mappings, 150),
    "many strings": (many_strings, 300), "sparse ids": (sparse_ids, 200), "inlined calls": (inlined_calls, 400),
    "one name": (one_name, 200), "one long line": (one_long_line, 3000),
}
