"""Adds events that no reader knows to a file of each format: unknown_events.py PPROFC SOURCE. pprofc must count all of
them, or reject the file. The test fails if the format table has a format without an entry in FORMATS."""
import gzip, json, os, re, struct, subprocess, sys, tempfile

PPROFC, SOURCE = sys.argv[1:]
ADDED = 3


def of_lines(data):
    return sum(bool(line.strip()) and not line.startswith(b'#') for line in data.splitlines())


def lines(text):
    """Adds lines of another kind at the end. Each line is an event."""
    return lambda data: data + text * ADDED, of_lines


def document(path, more, count=None):
    """Adds items to a list of a JSON document. Each item is an event."""
    def items(doc):
        for key in path: doc = doc[key]
        return doc
    def change(data):
        doc = json.loads(data)
        items(doc).extend([more] * ADDED)
        return json.dumps(doc).encode()
    return change, lambda data: (count or len)(items(json.loads(data)))


def columns(data):
    """Adds samples without a stack to the last thread of a profile of Firefox."""
    doc = json.loads(data)
    samples = doc['threads'][-1]['samples']
    for name, values in samples.items():
        if isinstance(values, list): values.extend([None if name == 'stack' else 0] * ADDED)
    samples['length'] = len(samples['stack'])
    return json.dumps(doc).encode()


def columns_count(data):
    return sum(len(t['samples']['stack']) for t in json.loads(data)['threads'])


def rows_count(data):
    def count(doc): return sum(len(t['samples']['data']) for t in doc['threads']) + sum(map(count, doc.get('processes', [])))
    return count(json.loads(data))


def flight_recorder(data):
    """Adds events of a class that the metadata do not describe to the end of the first chunk."""
    size, = struct.unpack('>Q', data[8:16])
    more = bytes([3, 0xE7, 0x4E]) * ADDED
    return data[:8] + struct.pack('>Q', size + len(more)) + data[16:size] + more + data[size:]


def recorded(data):
    """Counts the events that are samples or unknown, and the 7 samples that the recorder lost."""
    def varint(at):
        value = shift = 0
        while True:
            value, shift, at = value | (data[at] & 127) << shift, shift + 7, at + 1
            if data[at - 1] < 128: return value, at
    at, count = 68, 7
    while at < len(data):
        size, after = varint(at)
        type = varint(after)[0]
        count += type in (110, 114, 115) or type > 200  # samples of CPU time, old objects, requests; undescribed events
        at += size
    return count


def lost(data, count):
    """Adds records of an unknown kind to the end of the samples of perf.data, and moves the features."""
    head = bytearray(data)
    start, size = struct.unpack('<QQ', data[40:56])
    more = struct.pack('<IHHQ', 99, 0, 16, 7) * count
    struct.pack_into('<Q', head, 48, size + len(more))
    end = start + size
    table = b''.join(struct.pack('<QQ', a + len(more), b) for a, b in struct.iter_unpack('<QQ', data[end:end + 32]))
    return bytes(head[:end]) + more + table + data[end + 32:]


def samples_of_perf(data):
    """Counts the samples, lost samples and records of unknown kinds."""
    start, size = struct.unpack('<QQ', data[40:56])
    at, count = start, 0
    while at < start + size:
        type, _, length = struct.unpack_from('<IHH', data, at)
        count += struct.unpack_from('<Q', data, at + 16)[0] if type == 2 else type in (9, 99)
        at += length
    return count


def stacks_of_ruby(data):
    raw, at, count = json.loads(data)['raw'], 0, 0
    while at < len(raw): at, count = at + raw[at] + 2, count + 1
    return count


def stacks_of_no_frame(data):
    doc = json.loads(data)
    for name, frame in (('raw', 987654), ('raw_lines', 1)):
        if name in doc: doc[name].extend([1, frame, 1] * ADDED)
    return json.dumps(doc).encode()


def shown(file, flag):
    with tempfile.NamedTemporaryFile(suffix='.profile') as f:
        f.write(file)
        f.flush()
        run = subprocess.run([PPROFC, '-symbolize=none', flag, f.name], capture_output=True, text=True,
                             env=dict(os.environ, PATH='/nonexistent'))  # without perf, which reads perf.data itself
    return run.returncode, run.stdout, run.stderr


class Refused(str): """The message about a rejected file."""
class Equal(str): """The reason why readers of the format may ignore unknown events."""
class Noted(str): """A comment that counts the events, which have no stacks in any version of the format."""
class Elsewhere(str): """The format into which another program converts the file. FORMATS has an entry for it."""


HEAP = 'native/native_cxx.heap'
# For each format: a file of testdata, the function that adds events, and the function that counts the events of a file
# (or the treatment of these events).
FORMATS = {
    'pprof': ('generator_cpu.prof', lambda d: (gzip.decompress(d) if d[:2] == b'\x1f\x8b' else d) + b'\xa2\x06\x01x' * ADDED,
              Equal('unknown fields of protobuf')),
    'gperftools_cpu': ('native/native_c.cpu.prof', lambda d: d[:100], Refused('unrecognized profile format')),
    'heap_text': (HEAP, lambda d: d.replace(b'\n', b'\nanother kind\n', 1), Refused('heap profile')),
    'go_count': ('server_b_goroutine.debug1.txt', lambda d: d + b'another kind\n', Refused('Go count profile')),
    'threadz': (b'--- threadz 1 ---\n\n--- Thread 7f (name: a/1) stack: ---\n  PC: 0x10\n  0x21 f()\n--- Memory map: ---\n',
                lambda d: d.replace(b'0x21', b'0x11112222333344445555'), Refused('thread profile')),
    'contention': ('server_b_mutex.debug1.txt', lambda d: d + b'another kind\n', Refused('unrecognized profile format')),
    'java': (b'--- heapz 1 ---\nformat = java\nresolution = bytes\n   7048  1 @ 0x1\n', lambda d: d + b'another kind\n' * ADDED,
             lambda d: 1 + d.count(b'another')),
    'jemalloc': ('imports/calls.jemalloc.heap', lambda d: d.replace(b'\n@', b'\nanother kind' * ADDED + b'\n@', 1),
                 lambda d: d.count(b'\n@') + d.count(b'another kind')),
    'callgrind': ('imports/calls.callgrind.out', *lines(b'another=kind\n')),
    'pstats': ('imports/calls.pstats', lambda d: d[:-1] + b'\xda\x04more' + b'N0', Refused('pstats')),
    'json_cpuprofile': ('imports/calls.cpuprofile', *document(['samples'], 987654)),
    'json_timeline': ('imports/calls.timeline.json', document(['traceEvents'], {'ph': 'I', 'name': 'x', 'ts': 1})[0],
                      Noted('events of the trace are not of a CPU profile')),
    'json_trace': ('imports/calls.trace.json', *document(['traceEvents'], {'ph': 'C', 'name': 'x', 'ts': 1},
                                                         lambda events: sum(e['ph'] != 'M' for e in events))),
    'json_v8_log': ('imports/calls.0x.v8log.json', *document(['ticks'], {'tm': 1})),
    'json_heapprofile': ('imports/calls.heapprofile', lambda d: d.replace(b'"head"', b'"more":[1,2],"head"', 1),
                         Equal('every node is read')),
    'json_speedscope': ('imports/calls.rbspy.speedscope.json', *document(['profiles', 0, 'samples'], [987654])),
    'json_dhat': ('imports/calls.dhat.json', *document(['pps'], {'another': 'kind'})),
    'json_firefox': ('imports/made.firefox.json', columns, columns_count),
    'v8_prof_log': Elsewhere('json_v8_log'),
    'json_gecko': ('imports/made.gecko.json', document(['threads', 0, 'samples', 'data'], [None, 1])[0], rows_count),
    'json_safari': ('imports/made.safari.json', *document(['recording', 'sampleStackTraces'], {'another': 'kind'})),
    'json_stackprof': ('imports/calls.stackprof.json', stacks_of_no_frame, stacks_of_ruby),
    'json_haskell': ('imports/calls.haskell.prof', lambda d: d.replace(b'"profile"', b'"more":[1,2],"profile"', 1),
                     Equal('every node is read')),
    'json_gprof2dot': ('imports/calls.memray.gprof2dot.json', *document(['events'], {'callchain': [987654], 'cost': [1]})),
    'jfr': ('imports/made_kinds.jfr', flight_recorder, recorded),
    'go_dump': ('imports/calls.goroutines.txt', lambda d: d + b'another kind\n' * ADDED, Noted('lines are not of goroutines')),
    'otlp': ('imports/made.otlp', lambda d: d + b'\x1a\x01x', Refused('unrecognized profile format')),
    'perf_script': ('imports/calls.perf.txt', lambda d: d + b'another kind of line\n' * ADDED,
                    lambda d: len(re.findall(rb'^\S.*\d+: .*:', d, re.M)) + d.count(b'another')),
    'instruments': ('imports/made.instruments.txt', lambda d: d + b'another kind\n' * ADDED, lambda d: of_lines(d) - 1),
    'macos_sample': ('imports/made.sample.txt', lambda d: d.replace(b'\n\nTotal', b'\n    another kind' * ADDED + b'\n\nTotal'),
                     lambda d: len(re.findall(rb'^    ', d.split(b'Call graph:')[1].split(b'Total')[0], re.M))),
    'vtune': ('imports/made.vtune.csv', lambda d: d + b'another kind\n' * ADDED, lambda d: of_lines(d) - 2),
    'pmcstat': ('imports/made.pmcstat.txt', lambda d: d + b'another kind\n' * ADDED,
                lambda d: of_lines(d) - len(re.findall(rb'^@', d, re.M))),
    'papyrus': ('imports/made.papyrus.log', lambda d: d + b'another kind\n' * ADDED, lambda d: of_lines(d) - 2),
    'austin': ('imports/calls.austin.txt', *lines(b'another kind\n')),
    'perf_data': ('imports/made.perf.data', lambda d: lost(d, ADDED), samples_of_perf),
    'simpleperf': ('imports/made.simpleperf.txt', lambda d: d.replace(b'lost_count: 1', b'lost_count: %d' % (1 + ADDED)),
                   lambda d: d.count(b'sample:') + int(d.split()[-1])),
    'bpftrace': ('imports/calls.bpftrace.txt', lambda d: d + b'@other[dd]: 7\n' * ADDED, lambda d: d.count(b']: ')),
    'bpftrace in JSON': ('imports/calls.bpftrace.json', lambda d: d + b'{"type":"hist","data":{"@h":[]}}\n' * ADDED,
                         lambda d: 4 + d.count(b'hist')),
    'austin in MOJO': ('imports/calls.mojo', lambda d: d + b'\xc8', Refused('unknown event 200')),
    'speedscope with events': ('imports/calls.pyinstrument.speedscope.json', *document(['profiles', 0, 'events'], {'type': 'Q', 'at': 1, 'frame': 0})),
    'callgrind of cachegrind': ('imports/calls.cachegrind.out.gz', *lines(b'another=kind\n')),
    'simpleperf in messages': ('imports/made.simpleperf.data', lambda d: d[:-4] + b'\3\0\0\0' + b'\x7a\1x' + b'\0' * 4,
                               Equal('unknown fields of protobuf')),
    'dtrace': ('imports/made.dtrace.txt', lambda d: d + b'\n   a`b+0x1\n' * ADDED,
               lambda d: len(re.findall(rb'^ +\d+$', d, re.M)) + d.count(b'a`b+')),
    'rprof': ('imports/calls.Rprof', lambda d: d + b'another kind\n' * ADDED, lambda d: of_lines(d) - 1),
    'ghc_prof': ('imports/calls.ghc.prof', lambda d: d + b'another kind\n' * ADDED,
                 lambda d: len(re.findall(rb'^ *\S+ +\S+ +\S+ +\d+ +\d+ ', d, re.M)) + d.count(b'another')),
    'xctrace': ('imports/made.xctrace.xml', lambda d: d.replace(b'</node>', b'<row><weight ref="9"/></row>' * ADDED + b'</node>'),
                lambda d: d.count(b'<row>')),
    'json_pyinstrument': ('imports/calls.pyinstrument.json', lambda d: d.replace(b'{', b'{"more":[1,2],', 1), Equal('every frame is read')),
    'json_pyinstrument_session': ('imports/calls.pyisession', *document(['frame_records'], [[], 0.1])),
    'json_scalene': ('imports/calls.scalene.json', *document(['stacks'], {'another': 'kind'})),
    'folded': ('imports/calls.pyspy.folded', *lines(b'another kind\n')),
}


def share(text):
    found = re.search(r'^Comment: skipped: (\d+) of (\d+) |^skipped: (\d+) of (\d+) ', text, re.M)
    return tuple(int(n) for n in found.groups() if n) if found else None


def noted(text, words):
    found = re.search(r'^(\d+) ' + words, text, re.M)
    return int(found.group(1)) if found else 0


def problem(name, entry):
    if isinstance(entry, Elsewhere): return None if entry in FORMATS else entry + ' is not a format'
    file, change, kind = entry
    data = file if isinstance(file, bytes) else open(os.path.join(SOURCE, 'testdata', file), 'rb').read()
    if isinstance(file, str) and file.endswith('.gz'): data = gzip.decompress(data)
    changed = change(data)
    before, after = shown(data, '-comments'), shown(changed, '-comments')
    if before[0]: return 'the file of testdata is not read: ' + before[2]
    if isinstance(kind, Refused):
        return None if after[0] and kind in after[2] else f'read, although it has unknown events: {after}'
    if after[0]: return 'refused: ' + after[2]
    if isinstance(kind, Equal):
        return None if shown(data, '-traces')[1] == shown(changed, '-traces')[1] else 'differs'
    if isinstance(kind, Noted):
        more = noted(after[1], kind) - noted(before[1], kind)
        return None if more == ADDED else f'{more} of {ADDED} more events are counted: {after[1]}'
    was, now = share(before[1]) or (0, kind(data)), share(after[1])
    if not now: return f'no event is counted: {after[1]}'
    if now != (was[0] + ADDED, was[1] + ADDED): return f'{was} became {now}, not {ADDED} more'
    if now[1] != kind(changed): return f'the file has {kind(changed)} events, and {now[1]} are counted'
    if now[0] * 100 > now[1] and f'skipped: {now[0]} of {now[1]}' not in after[2]: return 'no line on the terminal: ' + after[2]
    return None


table = open(os.path.join(SOURCE, 'libpprofc/src/import/format_table.c')).read()
names = re.findall(r'^    \{"(\w+)",', table, re.M)
problems = {n: problem(n, FORMATS[n]) if n in FORMATS else 'no entry in ' + sys.argv[0] for n in names}
problems.update({n: problem(n, FORMATS[n]) for n in FORMATS if ' ' in n})  # other forms of a format
problems.update({n: 'not in the format table' for n in FORMATS if n not in names and ' ' not in n})
for name, text in problems.items():
    if text: print(f'{name}: {text}')
print(f'{len(names)} formats, {sum(map(bool, problems.values()))} problems')
sys.exit(any(problems.values()))
