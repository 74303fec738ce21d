#!/usr/bin/env python3
"""Compares `pprofci push` with Pyroscope's own client for Node: pyroscope.py SOURCE PROGRAMS CACHE. Both send the same
profiles. A Pyroscope server is not available, because the Go module proxy does not have it. Therefore the requests of
the client show the accepted form."""
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

source, programs, cache = sys.argv[1:4]
sys.path.insert(0, os.path.join(source, 'tests', 'fetch'))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(source, 'tests', 'ci'))
from loopback import needs_libcurl
from messages import fields

CLIENT = '@pyroscope/nodejs@0.6.4'
TAGS = {'repository': 'shop/server', 'sha': 'f' * 40, 'side': 'head'}
APP = '''
const client = require('@pyroscope/nodejs');
const [, , address, tags] = process.argv;
client.init({serverAddress: address, appName: 'shop', tags: JSON.parse(tags), authToken: 'a-token', tenantID: 'team',
  flushIntervalMs: 500, wall: {collectCpuTime: true, samplingDurationMs: 500}, heap: {samplingIntervalBytes: 16384, stackDepth: 32}});
client.start();
const kept = [];
function busyWork() {
  for (let i = 0; i < 3e4; i++) JSON.stringify({i});
  kept.push(new Array(2000).fill(kept.length));
}
const end = Date.now() + 1800;
function stop() {
  // The client throws when a round of a profiler begins after the stop.
  const stopped = ['Heap profiler is not enabled.', 'Wall profiler is not started'];
  process.on('uncaughtException', error => { if (!stopped.includes(error.message)) throw error; });
  client.stop().finally(() => process.exit(0));
}
(function turn() { busyWork(); if (Date.now() < end) setImmediate(turn); else stop(); })();
'''
# Reads a profile with the package that the client uses to write it.
DECODE = '''
const {Profile} = require('pprof-format');
const p = Profile.decode(require('fs').readFileSync(process.argv[2]));
const s = i => p.stringTable.strings[Number(i)];
console.log(JSON.stringify({types: p.sampleType.map(t => s(t.type)), values: p.sample.map(x => x.value.map(Number)),
  functions: p.function.map(f => s(f.name)).sort(), time: String(p.timeNanos)}));
'''


def skip(why):
    print('skipped:', why)
    sys.exit(77)


def check(good, *what):
    if not good:
        print('failed:', *what)
        sys.exit(1)


def installed():
    folder = os.path.join(cache, 'pyroscope')
    if not os.path.exists(os.path.join(folder, 'node_modules', '@pyroscope', 'nodejs', 'package.json')):
        if not shutil.which('npm') or not shutil.which('node'):
            skip('there is no npm')
        fresh = folder + f'.{os.getpid()}'
        made = subprocess.run(['npm', 'install', '--no-audit', '--no-fund', '--prefix', fresh, CLIENT], capture_output=True, timeout=250, check=False)
        if made.returncode:
            shutil.rmtree(fresh, ignore_errors=True)
            skip('npm cannot install ' + CLIENT)
        shutil.rmtree(folder, ignore_errors=True)
        os.rename(fresh, folder)
    return os.path.join(folder, 'node_modules')


class Server(BaseHTTPRequestHandler):
    seen = []

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        Server.seen.append((urllib.parse.urlsplit(self.path), dict(self.headers.items()), body))
        self.send_response(200)
        self.send_header('Content-Length', '0')
        self.end_headers()


def asked(request):
    return {name: values[0] for name, values in urllib.parse.parse_qs(request[0].query).items()}


def named(request):
    """Returns the application and the labels of a name: shop{side=head,...}."""
    name, labels = re.fullmatch(r'([^{]*)\{(.*)\}', asked(request)['name']).groups()
    return name, dict(label.split('=', 1) for label in labels.split(','))


def headers(request):
    return {name.lower(): value for name, value in request[1].items()}


def node(script, *arguments):
    with open('script.cjs', 'w', encoding='utf-8') as file:
        file.write(script)
    run = subprocess.run(['node', 'script.cjs', *arguments], capture_output=True, text=True, timeout=60, env=dict(os.environ, NODE_PATH=modules))
    check(run.returncode == 0, 'node', run.stderr)
    return run.stdout


def push(*arguments):
    Server.seen.clear()
    own = {name: value for name, value in os.environ.items() if not re.match('(GITHUB|CI|GITLAB|BITBUCKET|PYROSCOPE)(_|$)', name)}
    run = subprocess.run([os.path.join(programs, 'pprofci'), 'push', '-to', at, '-service', 'shop', '-side', 'head', '-repository', TAGS['repository'], '-sha',
                          TAGS['sha'], *arguments], capture_output=True, text=True, env=dict(own, PYROSCOPE_TOKEN='a-token', PYROSCOPE_TENANT='team'))
    check(run.returncode == 0 and len(Server.seen) == 1, 'push', arguments, run.stdout, run.stderr)
    return Server.seen[0], run.stdout


def raw(path):
    return subprocess.run([os.path.join(programs, 'pprofc'), '-raw', path], capture_output=True, text=True, check=True).stdout


def compare(theirs, name):
    """Pushes a profile of the client again with both protocols."""
    # /ingest: path, name, labels and times are the same, and the server reads the same profile from the body.
    ours, links = push('-protocol', 'ingest', name)
    check(ours[0].path == theirs[0].path == '/ingest', ours[0].path)
    app, labels = named(theirs)
    check(named(ours) == (app, dict(TAGS, ci='true')) and all(labels[tag] == value for tag, value in TAGS.items()), named(ours), named(theirs))
    check(set(asked(ours)) <= set(asked(theirs)) and {'name', 'from', 'until', 'spyName'} <= set(asked(ours)), asked(ours), asked(theirs))
    check(all(len(asked(request)[key]) == 10 for request in (ours, theirs) for key in ('from', 'until')), 'times are seconds')
    check(abs(int(asked(ours)['from']) - int(asked(theirs)['from'])) <= 2, asked(ours), asked(theirs))
    for header in ('authorization', 'x-scope-orgid'):
        check(headers(ours)[header] == headers(theirs)[header], header)
    boundary = re.fullmatch('multipart/form-data; boundary=(.*)', headers(ours)['content-type']).group(1).encode()
    part = ours[2].split(b'--' + boundary)[1]
    check(b'name="profile"' in part, part[:100])
    body = part.split(b'\r\n\r\n', 1)[1][:-2]

    # push.v1 has the same profile.
    again, links = push(name)
    series = [value for number, value in fields(again[2]) if number == 1][0]
    labels = dict((dict(fields(value))[1].decode(), dict(fields(value))[2].decode()) for number, value in fields(series) if number == 1)
    sample = dict(fields([value for number, value in fields(series) if number == 2][0]))
    check(gzip.decompress(sample[1]) == gzip.decompress(body), 'two ways, two profiles')
    wall = 'wall/nanoseconds' in raw(name)
    check(labels['__name__'] == ('wall' if wall else 'memory') and labels['service_name'] == 'shop', labels)
    kind = 'wall:cpu:nanoseconds:wall:nanoseconds' if wall else 'memory:inuse_space:bytes:inuse_space:bytes'
    check(urllib.parse.parse_qs(urllib.parse.urlsplit(links.split(': ', 1)[1]).query)['query'][0].startswith(kind + '{service_name="shop"'), links)

    # Each reader can read the profile of the other writer.
    with open('ours.pb.gz', 'wb') as file:
        file.write(body)
    check(raw('ours.pb.gz') == raw(name), 'pprofc reads something else')
    with open('plain', 'wb') as file:
        file.write(gzip.decompress(open(name, 'rb').read()))
    with open('plain_ours', 'wb') as file:
        file.write(gzip.decompress(body))
    their_view, our_view = (json.loads(node(DECODE, path)) for path in ('plain', 'plain_ours'))
    for view in (their_view, our_view):
        view['values'].sort()
        view['functions'] = sorted(set(view['functions']))
    check(their_view == our_view and their_view['values'], 'the package of the client reads something else', their_view, our_view)
    return wall


with tempfile.TemporaryDirectory() as work:
    needs_libcurl(os.path.join(programs, 'pprofc'))
    modules = installed()
    os.chdir(work)
    server = ThreadingHTTPServer(('127.0.0.1', 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    at = f'http://127.0.0.1:{server.server_port}'
    node(APP, at, json.dumps(TAGS))
    recorded = list(Server.seen)
    check(len(recorded) >= 2, len(recorded), 'pushes of the client')
    seen = {}
    for i, request in enumerate(recorded):
        path = f'node{i}.pb.gz'
        with open(path, 'wb') as file:
            file.write(request[2])
        seen.setdefault('wall/nanoseconds' in raw(path), (request, path))
    check(set(seen) == {True, False}, 'kinds of profiles', seen.keys())
    for request, path in seen.values():
        compare(request, path)
    top = subprocess.run([os.path.join(programs, 'pprofc'), '-top', seen[True][1]], capture_output=True, text=True, check=True).stdout
    check('busyWork' in top, top)
    print(f'ok: {CLIENT} and pprofci push send the same profiles, labels and times; each reads what the other writes')
