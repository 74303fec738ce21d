#!/usr/bin/env python3
"""Tests a Go service with net/http/pprof: all its profiles, differences over time, and replies that are not profiles.
go.py --bin PPROFC --data TESTDATA"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from loopback import Checks, Run, parsed

given = parsed()
if not shutil.which('go'):
    print('skipped: go is not installed')
    sys.exit(77)
check = Checks()
folder = tempfile.mkdtemp()
program = os.path.join(folder, 'service')
here = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'service')
subprocess.run(['go', 'build', '-o', program, '.'], cwd=here, check=True, env=dict(os.environ, GOFLAGS='-mod=mod', GOTOOLCHAIN='local'))
service = subprocess.Popen([program], stdout=subprocess.PIPE, text=True)
at = service.stdout.readline().strip()


def run(*args):
    return Run(given.bin, args, folder)


def top(path, *args):
    return run('-top', '-nodefraction=0', '-nodecount=10000', *args, f'http://{at}{path}')


try:
    r = run('-top', '-seconds=1', at)
    check.that('a bare address is a CPU profile', r.status == 0 and 'Type: cpu' in r.out and 'main.work' in r.out
               and re.search(r'Duration: 1(\.\d+)?s', r.out), r.out, r.err)
    for name, kind, function in [('heap', 'inuse_space', 'main.work'), ('allocs', 'alloc_space', 'main.work'), ('mutex', 'delay', 'main.work'),
                                 ('block', 'delay', 'main.work'), ('goroutine', 'goroutine', 'runtime.gopark'), ('threadcreate', 'threadcreate', '')]:
        r = top('/debug/pprof/' + name)
        check.that(f'{name} is read', r.status == 0 and f'Type: {kind}' in r.out and function in r.out, r.out, r.err)
    for name in ('heap', 'mutex', 'block'):
        r = top('/debug/pprof/' + name, '-seconds=1')
        check.that(f'{name} of one second', r.status == 0 and re.search(r'Duration: 1(\.\d+)?s', r.out), r.out, r.err)
    r = top('/debug/pprof/goroutine?debug=1')
    check.that('addresses of debug=1 get names, whether the server takes POST or not', r.status == 0 and 'runtime.' in r.out, r.out, r.err)
    r = top('/debug/pprof/goroutine?debug=2', '-diff_base=http://' + at + '/debug/pprof/goroutine?debug=2')
    check.that('dumps of debug=2 are read and compared', r.status == 0 and 'Type: goroutine' in r.out, r.out, r.err)
    for path, words in [('/debug/pprof/', 'index page'), ('/debug/pprof/trace?seconds=1', 'go tool trace'),
                        ('/debug/pprof/nosuch', '404 Not Found - Unknown profile'), ('/debug/pprof/heap?seconds=1&debug=1', 'incompatible'),
                        ('/debug/pprof/symbol', 'symbol address')]:
        r = top(path)
        check.that(f'{path} is told: {words}', r.status == 2 and words in r.err, r.err)
    for name in ('base', 'head'):
        r = run(f'-collect={name}', '-seconds=1', at)
        check.that(f'the set {name} is whole', r.status == 0 and len(os.listdir(os.path.join(folder, name))) == 6, r.err)
    ids = {p['build_id'] for s in (json.load(open(os.path.join(folder, n, 'manifest.json'))) for n in ('base', 'head')) for p in s['servers'][0]['profiles']}
    check.that('all have one build id', len(ids) == 1, ids)
    r = run('-top', '-diff_base=base/mutex.pb.gz', 'head/mutex.pb.gz')
    check.that('two sets can be compared', r.status == 0 and 'Type: delay' in r.out, r.out, r.err)
finally:
    service.kill()
    service.wait()
    shutil.rmtree(folder)
sys.exit(check.end())
