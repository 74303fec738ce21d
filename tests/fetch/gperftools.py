#!/usr/bin/env python3
"""Tests the pages of a server built with gperftools, whose profiles are in testdata: gperftools.py --bin PPROFC --data
TESTDATA."""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from loopback import Checks, Run, Server, parsed, plain

given = parsed()
check = Checks()


def data(name):
    with open(os.path.join(given.data, 'native', name), 'rb') as f:
        return f.read()


def symbol(method, query, sent):
    """Replies to GET that the server has symbols, and to POST with the names of the addresses."""
    if method == 'GET':
        return plain(b'num_symbols: 1\n')
    names = [f'{a}\tpage::p{int(a, 16) >> 12:x}'.encode() for a in sent.split('+')]
    return plain(b'\n'.join(names) + b'\n')


GROWTH = b'heap profile:   1:  2048 [  1:  2048] @ growthz\n  1:  2048 [  1:  2048] @ 0x401100 0x402200\n'
CONTENTION = b'--- contention:\ncycles/second = 1000000000\nsampling period = 1\n  5000  2 @ 0x401100 0x402200\n'
server = Server({'/pprof/profile': data('native_cxx.cpu.prof'), '/pprof/heap': data('native_cxx.heap'), '/pprof/growth': GROWTH,
                 '/pprof/contention': CONTENTION, '/pprof/symbol': symbol, '/pprof/cmdline': b'/app/server\n--port=1\n'})


def run(*args):
    with tempfile.TemporaryDirectory() as folder:
        r = Run(given.bin, args, folder)
        r.saved = os.listdir(os.path.join(folder, 'saved')) if os.path.isdir(os.path.join(folder, 'saved')) else []
        path = os.path.join(folder, 'set', 'manifest.json')
        r.manifest = json.load(open(path)) if os.path.exists(path) else None
        return r


for page, kind in (('profile', 'cpu'), ('heap', 'inuse_space'), ('growth', 'space'), ('contention', 'delay')):
    server.log.clear()
    r = run('-symbolize=remote', '-top', '-nodecount=3', f'http://{server.at}/pprof/{page}')
    check.that(f'/pprof/{page} is read', r.status == 0 and f'Type: {kind}' in r.out and r.saved, r.out, r.err)
    check.that(f'/pprof/{page} has names of the server', 'page::p' in r.out and
               all((e['method'], e['path']) == ('POST', '/pprof/symbol') for e in server.log[1:]) and len(server.log) > 1, r.out)
r = run('-symbolize=none', '-top', f'http://{server.at}/pprof/cmdline')
check.that('a page that is no profile is none', r.status == 2 and not r.saved, r.out, r.err)
r = run('-symbolize=remote', '-seconds=1', '-collect=set', f'http://{server.at}/pprof/')
check.that('what gperftools has is collected', r.status == 0 and [p['kind'] for p in r.manifest['servers'][0]['profiles']] == ['profile', 'heap']
           and r.manifest['servers'][0]['missing'] == ['goroutine', 'mutex', 'block'], r.err, r.manifest)
sys.exit(check.end())
