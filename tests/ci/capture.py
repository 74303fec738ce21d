#!/usr/bin/env python3
"""Tests `pprofci capture` and `pprofci push` against servers on the loopback: capture.py SOURCE PROGRAMS. The servers
are a copy of net/http/pprof, the real one if Go is installed, and a model of Pyroscope. The model reads the protobuf
messages and the forms."""
import gzip
import html
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

source, programs = sys.argv[1:3]
sys.path.insert(0, os.path.join(source, 'tests', 'fetch'))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(source, 'tests', 'ci'))
from loopback import needs_libcurl
from messages import fields

needs_libcurl(os.path.join(programs, 'pprofc'))
data = os.path.join(source, 'testdata')
work = tempfile.mkdtemp()
TOKEN = 'a-token-of-the-test'
CI = {name for name in os.environ if re.match('(GITHUB|CI|GITLAB|BITBUCKET|PYROSCOPE)(_|$)', name)}
clean = {name: value for name, value in os.environ.items() if name not in CI}


def pprofci(*args, status=0, **environment):
    run = subprocess.run([os.path.join(programs, 'pprofci'), *args], cwd=work, env=dict(clean, **environment), capture_output=True, text=True, timeout=120)
    check(run.returncode == status, f'{args}: status {run.returncode}, not {status}\n{run.stdout}{run.stderr}')
    check(TOKEN not in run.stdout + run.stderr, f'{args} prints the token')
    return run


def check(good, what):
    if not good:
        print('failed:', what)
        sys.exit(1)


class Server(BaseHTTPRequestHandler):
    """A server with net/http/pprof below /debug, and Pyroscope at other paths."""
    failures, pushed, forms, queries, asked, loaded, exports = [], [], [], [], [], [], []
    partial = b''
    heap = 0

    def log_message(self, *_):
        pass

    def answer(self, code, body=b'', kind='application/octet-stream', **headers):
        self.send_response(code)
        self.send_header('Content-Type', kind)
        self.send_header('Content-Length', str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        name = self.path.split('?')[0].rsplit('/', 1)[1]
        Server.asked.append(self.path)
        if Server.failures:
            code, body = Server.failures.pop(0)
            return self.answer(code, body, 'text/plain')
        if name == 'profile' and os.path.exists(os.path.join(work, 'loads')):
            Server.loaded.append(running())
        if name == 'mutex':
            return self.answer(404, b'Unknown profile\n', 'text/plain', **{'X-Go-Pprof': '1'})
        if name == 'heap':
            Server.heap = Server.heap % 10 + 1
            path = f'leaks/map/heap-{Server.heap:02}.pb.gz'
        else:
            path = {'profile': 'server_cpu.pb.gz', 'goroutine': 'server_goroutine.pb.gz', 'block': 'server_block.pb.gz'}.get(name)
        return self.answer(200, open(os.path.join(data, path), 'rb').read() if path else b'cmd')

    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        if Server.failures:
            code, said = Server.failures.pop(0)
            if isinstance(said, str):
                return self.answer(code, Location=said)
            kind = {b'{': 'application/json', b'\x08': 'application/x-protobuf'}.get(said[:1], 'text/plain')
            return self.answer(code, said, kind)
        seen = (dict(self.headers), body)
        if self.path == '/push.v1.PusherService/Push':
            Server.pushed.append(seen)
            return self.answer(200, b'', 'application/proto')
        if self.path.startswith('/ingest?'):
            Server.forms.append((self.path, *seen))
            return self.answer(200)
        if self.path == '/v1development/profiles':
            Server.exports.append(seen)
            return self.answer(200, Server.partial, 'application/x-protobuf')
        check(self.path == '/querier.v1.QuerierService/SelectMergeProfile', self.path)
        Server.queries.append((dict(self.headers), dict(fields(body))))
        return self.answer(200, gzip.decompress(open(os.path.join(data, 'server_cpu.pb.gz'), 'rb').read()), 'application/proto')


def alive(process):
    try:
        return open(f'/proc/{process}/stat').read().split()[2] != 'Z'
    except (ProcessLookupError, FileNotFoundError):
        return False


def running():
    """Returns side and address of each running load."""
    lines = [line.split() for line in open(os.path.join(work, 'loads'))]
    return [tuple(line[1:]) for line in lines if alive(line[0])]


server = ThreadingHTTPServer(('127.0.0.1', 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
at = f'http://127.0.0.1:{server.server_port}'


def listed(folder):
    return sorted(os.path.relpath(os.path.join(where, name), os.path.join(work, folder))
                  for where, _, names in os.walk(os.path.join(work, folder)) for name in names)


def leftovers(*known):
    return sorted(set(os.listdir(work)) - set(known))


try:
    # Captures both sides in turns. Reports missing profiles, and stores the warm-up separately.
    r = pprofci('capture', '-out', 'set', '-head', at, '-base', at + '/', '-count', '3', '-warmup', '1', '-seconds', '1', '-interval', '0', '-wait', '5')
    check(listed('set').count('head/heap/heap-003.pb.gz') == 1 and len(listed('set')) == 2 * 4 * 4 + 1, listed('set'))
    check('warmup/base/cpu/cpu-001.pb.gz' in listed('set') and not any('mutex' in path for path in listed('set')), listed('set'))
    check(r.stderr.count("has no profile 'mutex'") == 2, r.stderr)
    manifest = json.load(open(os.path.join(work, 'set', 'manifest.json')))
    check(manifest['missing'] == ['base/mutex', 'head/mutex'] and len(manifest['profiles']) == 32, manifest)
    check([p['side'] for p in manifest['profiles'] if p['kind'] == 'cpu'] == ['base', 'head', 'head', 'base'] * 2, 'turns')
    check(sum(p['warmup'] for p in manifest['profiles']) == 8, 'warm-up')
    check('/debug/pprof/heap?gc=1' in Server.asked and '/debug/pprof/profile?seconds=1' in Server.asked, Server.asked)
    r = subprocess.run([os.path.join(programs, 'pprofc'), '-top', '-noise', '-diff_base=set/base/cpu', 'set/head/cpu'], cwd=work, capture_output=True, text=True)
    check(r.returncode == 0 and 'Runs: mean of 3 + 3 runs' in r.stdout, r.stdout + r.stderr)
    r = pprofci('run', '-base', 'set/base/cpu', '-head', 'set/head/cpu', '-out', 'page')
    check('3 pairs of profiles' in r.stdout, r.stdout)
    r = pprofci('run', '-base', 'set/base', '-head', 'set/head', '-out', 'page')
    check('4 pairs of profiles' in r.stdout, r.stdout)
    print('ok: sets of two servers, which run and -noise take')

    # Runs one load at a time, for the side that is captured. With a single server, the load runs from the start.
    load = ['-load', 'echo $$ $PPROFCI_SIDE $PPROFCI_URL >>loads; exec sleep 600']
    pprofci('capture', '-out', 'turns', '-head', at, '-base', at + '/', '-kinds', 'cpu,heap', '-count', '2', '-warmup', '1', '-seconds', '1', *load)
    base, head = [('base', at + '/')], [('head', at)]
    check(Server.loaded == [base, head, head, base, base, head] and not running(), Server.loaded)
    Server.loaded.clear()
    pprofci('capture', '-out', 'alone', '-head', at, '-kinds', 'cpu,heap', '-count', '2', '-warmup', '0', '-seconds', '1', *load)
    check(Server.loaded == [head, head] and not running() and len(open(os.path.join(work, 'loads')).readlines()) == 7, Server.loaded)
    os.remove(os.path.join(work, 'loads'))
    print('ok: the load is for one server at a time')

    Server.heap = 0
    pprofci('capture', '-out', 'leaking', '-head', at, '-kinds', 'heap', '-count', '10', '-warmup', '0')
    r = pprofci('leaks', 'leaking/head', status=2)
    check('main.newSession' in r.stdout, r.stdout)
    print('ok: a set that leaks takes')

    # A failed capture writes no file, and prints one line.
    before = os.listdir(work)
    for failure, words in [((500, b'Could not enable CPU profiling'), '500'), ((403, b'no'), '403'), ((200, b'<html>'), 'cannot read the'),
                           ((200, gzip.compress(b'x' * 100)[:30]), 'cannot read the')]:
        Server.failures = [(200, b'cmd'), failure]
        r = pprofci('capture', '-out', 'bad', '-head', at, '-kinds', 'heap', '-count', '2', status=1)
        check(words in r.stderr and sum('warm-up' not in line for line in r.stderr.splitlines()) == 1, r.stderr)
    Server.failures = []
    r = pprofci('capture', '-out', 'bad', '-head', '127.0.0.1:1', '-wait', '0', status=1)
    check('connection refused' in r.stderr, r.stderr)
    pprofci('capture', '-out', 'set', '-head', at, status=1)
    pprofci('capture', '-out', 'bad', status=1)
    pprofci('capture', '-out', 'bad', '-head', at, '-kinds', 'heat', status=1)
    pprofci('capture', '-out', 'nowhere/at/all', '-head', at, '-kinds', 'heap', '-count', '1', status=1)
    check(leftovers(*before) == [], leftovers(*before))
    process = subprocess.Popen([os.path.join(programs, 'pprofci'), 'capture', '-out', 'cut', '-head', at, '-kinds', 'heap', '-count', '50', '-interval', '1',
                                '-load', 'echo $$ >load.pid; exec sleep 600'], cwd=work, env=clean, stderr=subprocess.PIPE)
    while process.poll() is None and not (os.path.exists(os.path.join(work, 'load.pid')) and open(os.path.join(work, 'load.pid')).read().strip()):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    check(process.wait(60) == -signal.SIGINT, 'the signal is the status')
    load = int(open(os.path.join(work, 'load.pid')).read())
    for _ in range(1200):
        if not alive(load):
            break
        time.sleep(0.05)
    check(not alive(load), 'the load goes on')
    check(leftovers(*before) == ['load.pid'], leftovers(*before))
    r = pprofci('capture', '-out', 'bad', '-head', '127.0.0.1:1', '-head-run', 'exit 3', status=1)
    check('ended too early, with status 3' in r.stderr, r.stderr)
    print('ok: failures and signals leave nothing')

    # On a full disk, the command prints one line and keeps the existing files.
    def small():
        resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))
    small_disk = os.path.join(work, 'small')
    os.mkdir(small_disk)
    mounted = os.geteuid() == 0 and subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=8k', 'tmpfs', small_disk], capture_output=True).returncode == 0
    if not mounted:
        print('note: no file system can be mounted here: a full disk is tried by RLIMIT_FSIZE only')
    try:
        r = subprocess.run([os.path.join(programs, 'pprofci'), 'capture', '-out', 'small/set', '-head', at, '-kinds', 'heap,goroutine', '-count', '9',
                            '-warmup', '0'], cwd=work, env=clean, capture_output=True, text=True, preexec_fn=None if mounted else small)
        lines = [line for line in r.stderr.splitlines() if not line.startswith('[')]
        check(r.returncode == 1 and len(lines) == 1 and ('too large' in lines[0] or 'no space left' in lines[0]), r.stderr)
        check(os.listdir(small_disk) == [], os.listdir(small_disk))
    finally:
        if mounted:
            subprocess.run(['umount', small_disk], check=False)
    os.rmdir(small_disk)
    print('ok: a full disk is one line, and leaves nothing')

    # Pyroscope's query API.
    r = pprofci('capture', '-out', 'asked', '-pyroscope', at, '-query', '{service_name="shop"}', '-kinds', 'cpu', '-count', '4', '-warmup', '0',
                '-from', '1700000000', '-until', '1700000400', PYROSCOPE_TOKEN=TOKEN, PYROSCOPE_TENANT='team')
    check(listed('asked') == [f'head/cpu/cpu-00{n}.pb.gz' for n in range(1, 5)] + ['manifest.json'], listed('asked'))
    headers, query = Server.queries[1]
    check(headers['Authorization'] == 'Bearer ' + TOKEN and headers['X-Scope-OrgID'] == 'team' and headers['Content-Type'] == 'application/proto', headers)
    check(query == {1: b'process_cpu:cpu:nanoseconds:cpu:nanoseconds', 2: b'{service_name="shop"}', 3: 1700000100000, 4: 1700000200000}, query)
    pprofci('capture', '-out', 'bad', '-pyroscope', at, '-query', '{}', '-from', 'yesterday', status=1)
    print('ok: merged profiles of Pyroscope')

    # push.v1.
    github = {'GITHUB_ACTIONS': 'true', 'GITHUB_REPOSITORY': 'shop/server', 'GITHUB_SHA': 'f' * 40, 'GITHUB_API_URL': at}
    r = pprofci('push', '-to', at, '-service', 'shop', '-benchmark', 'Words', '-pr', '7', '-label', 'region=eu', 'set', PYROSCOPE_TOKEN=TOKEN,
                PYROSCOPE_USER='me', **github)
    check(len(Server.pushed) == 24, len(Server.pushed))
    headers, body = Server.pushed[0]
    check(headers['Authorization'].startswith('Basic ') and headers['Content-Type'] == 'application/proto', headers)
    series, = [value for number, value in fields(body) if number == 1]
    labels = dict((dict(fields(value))[1].decode(), dict(fields(value))[2].decode()) for number, value in fields(series) if number == 1)
    sample = dict(fields([value for number, value in fields(series) if number == 2][0]))
    check(labels == {'__name__': 'block', 'service_name': 'shop', 'side': 'base', 'ci': 'true', 'repository': 'shop/server', 'sha': 'f' * 40,
                     'pull_request': '7', 'benchmark': 'Words', 'region': 'eu'}, labels)
    check(gzip.decompress(sample[1]) and re.fullmatch(r'[0-9a-f-]{36}', sample[2].decode()), sample[2])
    links = dict(line.split(': ', 1) for line in r.stdout.splitlines())
    check(set(links) >= {'cpu base', 'cpu head', 'cpu difference', 'heap difference'}, r.stdout)
    asked = urllib.parse.parse_qs(urllib.parse.urlsplit(links['cpu head']).query)
    check(asked['query'][0].startswith('process_cpu:cpu:nanoseconds:cpu:nanoseconds{service_name="shop",benchmark="Words",ci="true",')
          and asked['query'][0].endswith(',side="head"}'), asked)
    asked = urllib.parse.parse_qs(urllib.parse.urlsplit(links['cpu difference']).query)
    check('side="base"' in asked['leftQuery'][0] and 'side="head"' in asked['rightQuery'][0], asked)
    print('ok: push.v1')

    # The page of a run has the links of a push, and the page of a merge also.
    r = pprofci('push', '-to', at, '-service', 'a "b" <i>&\u00e9', '-links', 'links.json', 'set', **github)
    links = json.load(open(os.path.join(work, 'links.json')))['links']
    check([f"{link['name']}: {link['url']}" for link in links] == r.stdout.splitlines() and len(links) == 12, links)
    r = pprofci('run', '-base', 'set/base/cpu', '-head', 'set/head/cpu', '-out', 'page', '-links', 'links.json', '-no-fail')
    pprofci('merge', '-out', 'merged', 'page', status=0)
    for folder, first in (('page', 'cpu base'), ('merged', 'page: cpu base')):
        page = open(os.path.join(work, folder, 'index.html'), encoding='utf-8').read()
        found = re.findall('<a href="(http[^"]*)" rel="noreferrer">([^<]*)</a>', page)
        check([html.unescape(url) for url, _ in found] == [link['url'] for link in links] and found[0][1] == first, found)
        check('<i>' not in page and '"b"' not in page, folder)
    check('service_name="a \\"b\\" <i>&\u00e9"' in urllib.parse.parse_qs(urllib.parse.urlsplit(links[0]['url']).query)['query'][0], links[0])
    for bad in ('javascript:alert(1)', 'ftp://x/', 'http://', 'https://x/"onclick=', 'http://x/\u202e', 'http:///x', 7):
        with open(os.path.join(work, 'bad.json'), 'w') as file:
            json.dump({'links': [{'name': 'x', 'url': bad}]}, file)
        r = pprofci('run', '-base', 'set/base/cpu', '-head', 'set/head/cpu', '-out', 'page2', '-links', 'bad.json', status=1)
        check('is not an http or https address' in r.stderr and not os.path.exists(os.path.join(work, 'page2')), r.stderr)
    r = pprofci('push', '-to', at.replace('//', '//user:hidden@'), '-service', 'shop', os.path.join(data, 'server_cpu.pb.gz'), status=1)
    check('hidden' not in r.stdout + r.stderr and 'set PYROSCOPE_USER instead' in r.stderr, r.stdout + r.stderr)
    print('ok: the page leads to the queries')

    # OTLP: the profile as pprofc reads it, the resource, and the server's replies.
    def top(path):
        return subprocess.run([os.path.join(programs, 'pprofc'), '-top', '-sample_index=0', path], cwd=work, capture_output=True, text=True).stdout

    def resource(request):
        outer = [dict(fields(value)) for number, value in fields(request) if number == 1]
        pairs = [dict(fields(value)) for number, value in fields(outer[0][1]) if number == 1]
        return {pair[1].decode(): dict(fields(pair[2]))[1].decode() for pair in pairs}
    for name in ('server_cpu.pb.gz', 'server_heap.pb.gz', 'server_threadcreate.pb.gz'):
        Server.exports.clear()
        pprofci('push', '-to', at + '/', '-service', 'shop', '-protocol', 'otlp', '-side', 'head', '-benchmark', 'Words', '-pr', '7', os.path.join(data, name),
                OTEL_EXPORTER_OTLP_HEADERS='x-tenant=a%2Cb, x-more=1', **github)
        (headers, body), = Server.exports
        check(headers['Content-Type'] == 'application/x-protobuf' and headers['Content-Encoding'] == 'gzip' and headers['x-tenant'] == 'a,b', headers)
        request = gzip.decompress(body)
        with open(os.path.join(work, 'sent.otlp'), 'wb') as file:
            file.write(request)
        wanted = top(os.path.join(data, name)).splitlines()
        check(len(wanted) > 5 and top('sent.otlp').splitlines()[-len(wanted) + 1:] == wanted[1:], (top('sent.otlp'), wanted))
        check(resource(request) == {'service.name': 'shop', 'side': 'head', 'ci': 'true', 'repository': 'shop/server', 'sha': 'f' * 40, 'pull_request': '7',
                                    'benchmark': 'Words'}, resource(request))
        check(sum(number == 1 for number, _ in fields(request)) == 1 and sum(number == 2 for number, _ in fields(request)) == 1, 'one resource')
    otlp = ['push', '-to', at, '-service', 'shop', '-protocol', 'otlp', os.path.join(data, 'server_heap.pb.gz')]
    Server.partial = b'\x0a\x0b\x08\x02\x12\x07no room'
    r = pprofci(*otlp, status=1)
    check('the server has rejected 2 profiles: no room' in r.stderr and len(r.stderr.splitlines()) == 1, r.stderr)
    Server.partial = b'\x0a\x06\x12\x04hint'
    check("the server says: hint" in pprofci(*otlp).stderr, 'a warning')
    Server.partial = b'\xff\xff'
    check('not an OTLP reply' in pprofci(*otlp, status=1).stderr, 'a broken reply')
    Server.partial = b''
    Server.failures = [(400, b'\x08\x03\x12\x0abad stacks')]
    check('400 Bad Request: bad stacks' in pprofci(*otlp, status=1).stderr, 'a status')
    Server.partial = b'\x0a\x06\x12\x04hush'
    check('hush' not in pprofci(*otlp, OTEL_EXPORTER_OTLP_HEADERS='authorization=hush').stderr, 'the header is in a message')
    pprofci(*otlp, status=1, OTEL_EXPORTER_OTLP_HEADERS='nothing')
    pprofci(*otlp, '-links', 'x', status=1)
    pprofci(*otlp[:-1], '-links', 'x', otlp[-1], status=1)
    r = pprofci('push', '-to', 'http://collector.example', *otlp[3:], status=1, OTEL_EXPORTER_OTLP_HEADERS='authorization=x')
    check('is not https' in r.stderr, r.stderr)
    Server.partial = b''
    print('ok: OTLP')

    # Sends to /ingest.
    pprofci('push', '-to', at, '-service', 'shop', '-protocol', 'ingest', '-sha', 'c' * 40, '-repository', 'a/b', '-side', 'head', os.path.join(data, 'server_heap.pb.gz'))
    path, headers, body = Server.forms[0]
    asked = urllib.parse.parse_qs(urllib.parse.urlsplit(path).query)
    check(asked['name'] == ['shop{side=head,ci=true,repository=a/b,sha=' + 'c' * 40 + '}'] and int(asked['until'][0]) == int(asked['from'][0]) + 1, asked)
    boundary = re.fullmatch('multipart/form-data; boundary=(.*)', headers['Content-Type']).group(1).encode()
    part = body.split(b'--' + boundary)[1]
    check(b'name="profile"' in part and gzip.decompress(part.split(b'\r\n\r\n', 1)[1][:-2]), part[:200])
    print('ok: /ingest')

    # Servers that reject a profile or are busy.
    heap = os.path.join(data, 'server_heap.pb.gz')
    for failure, words in [((401, b'{"code":"unauthenticated","message":"no org id"}'), '401 Unauthorized: no org id (PYROSCOPE_TOKEN'),
                           ((413, b'too large'), '413'), ((422, b'{"message":"bad ' + TOKEN.encode() + b'"}'), '422'), ((301, b''), '301')]:
        Server.failures = [failure]
        r = pprofci('push', '-to', at, '-service', 'shop', heap, status=1, PYROSCOPE_TOKEN=TOKEN)
        check(words in r.stderr and len(r.stderr.splitlines()) == 1 and not r.stdout, r.stderr)
    Server.failures = [(503, b'slow down'), (429, b'')]
    pprofci('push', '-to', at, '-service', 'shop', heap)
    check(Server.failures == [], 'it is tried again')
    r = pprofci('push', '-to', 'http://pyroscope.example', '-service', 'shop', heap, status=1, PYROSCOPE_TOKEN=TOKEN)
    check('is not https' in r.stderr, r.stderr)
    pprofci('push', '-to', at, '-service', 'shop', os.path.join(data, 'bench_original.txt'), status=1)
    pprofci('push', '-to', at, '-service', 'shop', '-label', '__name__=x', heap, status=1)
    print('ok: what a server refuses is one line')

    # A redirect gets the profile only if it leads to the same host.
    class Other(BaseHTTPRequestHandler):
        came = []

        def do_POST(self):
            Other.came.append(self.rfile.read(int(self.headers['Content-Length'])))
            self.send_response(200)
            self.end_headers()

        do_GET = log_message = lambda self, *_: Other.came.append(self.path)
    other = ThreadingHTTPServer(('127.0.0.1', 0), Other)
    threading.Thread(target=other.serve_forever, daemon=True).start()
    elsewhere = f'http://127.0.0.1:{other.server_port}'
    for code, where, words in ((307, elsewhere + '/x', 'another host or port is not followed with the profile: ' + elsewhere), (308, elsewhere, 'another host'),
                               (302, elsewhere, 'another host'), (303, '/debug/pprof/heap', 'a GET without the profile'),
                               (307, at.replace('http', 'https+insecure', 1), 'to https+insecure is not followed')):
        Server.failures = [(code, where)]
        r = pprofci('push', '-to', at, '-service', 'shop', heap, status=1)
        check(words in r.stderr and len(r.stderr.splitlines()) == 1 and not Other.came, (r.stderr, Other.came))
    before = len(Server.pushed)
    Server.failures = [(307, '/push.v1.PusherService/Push')]
    pprofci('push', '-to', at, '-service', 'shop', heap)
    check(len(Server.pushed) == before + 1 and Server.pushed[-1][1], 'a redirect on the same host is followed')
    print('ok: a profile is not sent where a redirect leads')

    # Starts a program with the real net/http/pprof, puts it under load, and ends it.
    if not shutil.which('go'):
        print('skipped: go is not installed')
        sys.exit(77)
    service = os.path.join(work, 'service')
    subprocess.run(['go', 'build', '-o', service, '.'], cwd=os.path.join(source, 'tests', 'fetch', 'service'), check=True,
                   env=dict(os.environ, GOFLAGS='-mod=mod', GOTOOLCHAIN='local'))
    real = subprocess.Popen([service], stdout=subprocess.PIPE, text=True)
    address = real.stdout.readline().strip()
    try:
        pprofci('capture', '-out', 'real', '-head', address, '-count', '3', '-warmup', '0', '-seconds', '1',
                '-load', f'while :; do curl -s http://$PPROFCI_URL/debug/pprof/cmdline >/dev/null; sleep 0.05; done')
        check(len(listed('real')) == 16, listed('real'))
        for kind, word in [('cpu', 'main.work'), ('mutex', 'main.work'), ('heap', 'main.work')]:
            top = subprocess.run([os.path.join(programs, 'pprofc'), '-top', f'real/head/{kind}/{kind}-001.pb.gz'], cwd=work, capture_output=True, text=True)
            check(word in top.stdout, top.stdout + top.stderr)
        pprofci('leaks', 'real/head', status=0)
    finally:
        real.terminate()
        real.wait()
    print('ok: a real server')
finally:
    server.shutdown()
    shutil.rmtree(work, ignore_errors=True)
