#!/usr/bin/env python3
"""Tests sources over HTTP with a server on the loopback: sources.py --bin PPROFC --data TESTDATA."""
import fcntl
import gzip
import json
import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from loopback import Checks, Run, Server, files_below, parsed, plain

given = parsed()
check = Checks()
TOP = ['-symbolize=none', '-top', '-nodecount=2']


def data(name):
    with open(os.path.join(given.data, name), 'rb') as f:
        return f.read()


CPU, HEAP = data('server_cpu.pb.gz'), data('server_heap.pb.gz')


def run(*args, env=None, keep=False, **more):
    """Runs pprofc in a separate folder. The result has the names of the new files."""
    with tempfile.TemporaryDirectory() as folder:
        r = Run(given.bin, [str(a).replace('{FOLDER}', folder) for a in args], folder, env, **more)
        r.files = files_below(folder)
        r.contents = {name: open(os.path.join(folder, name), 'rb').read() for name in r.files}
        return r


def field(number, value):
    """Returns a field of a protobuf message: an integer or bytes."""
    def varint(n):
        out = b''
        while n > 127:
            out, n = out + bytes([n & 127 | 128]), n >> 7
        return out + bytes([n])
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def profile(kind=b'cpu', file=b'', build_id=b''):
    """Returns a small profile: one address without a name in one mapping."""
    strings = [b'', kind, b'count', file, build_id]
    mapping = field(1, 1) + field(2, 0x1000) + field(3, 0x9000) + field(5, 3) + field(6, 4)
    return gzip.compress(field(1, field(1, 1) + field(2, 2)) + field(2, field(1, 1) + field(2, 7)) + field(3, mapping)
                         + field(4, field(1, 1) + field(2, 1) + field(3, 0x1234)) + b''.join(field(6, s) for s in strings))


def addresses():
    server = Server({'/debug/pprof/profile': CPU, '/x': CPU, '/a%20b': CPU})
    asked = lambda: [(e['path'], e['query']) for e in server.log]
    for typed, wanted in [(f'{server.at}', ('/debug/pprof/profile', '')), (f'http://{server.at}/', ('/debug/pprof/profile', '')),
                          (f'HTTP://{server.at}/x?b=2&a=%20&flag', ('/x', 'a=+&b=2&flag=')),
                          (f'{server.at}/x?a=1;b=2', ('/x', 'a=1%3Bb%3D2')), (f'http://{server.at}/a b#part', ('/a%20b', ''))]:
        server.log.clear()
        r = run(*TOP, typed)
        check.that(f'{typed} asks for {wanted}', r.status == 0 and asked() == [wanted], asked(), r.err)
    server.log.clear()
    r = run(*TOP, '-seconds=90', f'{server.at}/x?seconds=3&k=v')
    check.that('-seconds is in the query and in a note', asked() == [('/x', 'k=v&seconds=90')] and 'Please wait... (1m30s)' in r.err, r.err)
    with tempfile.TemporaryDirectory() as folder:
        sock = Server({'/debug/pprof/heap': HEAP}, path=os.path.join(folder, 's'))
        r = run(*TOP, 'http+unix://' + sock.at.replace('/', '%2F') + '/debug/pprof/heap')
        check.that('a socket is a server', r.status == 0 and 'inuse_space' in r.out, r.err)
        open(os.path.join(folder, 'my cpu'), 'wb').write(CPU)
        r = run(*TOP, f'file://{folder}/my%20cpu')
        check.that('file: is a file, and no copy is kept', r.status == 0 and r.files == [], r.err, r.files)
    for typed, words in [('nosuch.pb.gz', 'no such file'), ('file:///nosuch/x', 'no such file'), ('http://h:x/', 'malformed'),
                         ('http://[::1/x', 'malformed'), (f'http://{server.at}/%zz', 'malformed'), ('http:///x', 'malformed')]:
        r = run(*TOP, typed)
        check.that(f'{typed} is no source: {words}', r.status == 2 and words in r.err and 'Fetching' not in r.err, r.err)


def secrets():
    server = Server({'/x': CPU, '/r': plain(b'', 302, {'Location': 'http://user:hunter2@127.0.0.1:1/x'})})
    r = run(*TOP, f'http://user:hunter2@{server.at}/x')
    sent = server.log[0]['headers']['Authorization']
    check.that('a password is sent', sent == 'Basic dXNlcjpodW50ZXIy', sent)
    shown = [r.err]
    for typed in (f'http://user:hunter2@{server.at}/nope', 'http://user:hunter2@h:x/', 'user:hunter2@127.0.0.1:1/x',
                  'http://user:hun/ter2@127.0.0.1:1/x', 'ftp://user:hunter2@127.0.0.1/x', f'http://{server.at}/r',
                  f'-diff_base=http://user:hunter2@{server.at}/nope'):
        r = run(*TOP, typed, *([f'http://{server.at}/x'] if typed[0] == '-' else []))
        check.that(f'{typed} fails', r.status == 2, r.err)
        shown.append(r.err + r.out)
    server.routes['/h'] = HEAP
    shown.append(run(*TOP, f'http://a:hunter2@{server.at}/x', f'http://b:hunter2@{server.at}/h').err)
    r = run('-collect={FOLDER}/set', f'http://user:hunter2@{server.at}/')
    shown.append(r.err + repr(r.contents))
    check.that('no password is ever printed', not any('hunter2' in s or 'hun/ter2' in s for s in shown), *shown)


def headers():
    other = Server({'/y': CPU})
    server = Server({'/x': CPU, '/away': plain(b'', 302, {'Location': f'http://{other.at}/y'}),
                     '/back': plain(b'', 302, {'Location': f'http://{other.at}/back'}), '/here': plain(b'', 307, {'Location': 'x'})})
    other.routes['/back'] = plain(b'', 302, {'Location': f'http://{server.at}/x'})
    token = ['-header', 'Authorization: Bearer t0ken', '-header=X-Other:  two ']
    names = lambda s, n: [e['headers'].get(n) for e in s.log]
    r = run(*TOP, *token, f'http://{server.at}/here')
    check.that('headers are sent, after a redirect on the same host, too',
               names(server, 'Authorization') == ['Bearer t0ken'] * 2 and names(server, 'X-Other') == ['two'] * 2, server.log)
    check.that('values of headers are not printed', 't0ken' not in r.err)
    server.log.clear()
    run(*TOP, *token, f'http://{server.at}/away')
    run(*TOP, *token, f'http://{server.at}/back')
    check.that('no other host gets them', names(other, 'Authorization') == [None] * 2 and names(other, 'X-Other') == [None] * 2)
    check.that('nor the first one after another', names(server, 'Authorization') == ['Bearer t0ken', 'Bearer t0ken', None])
    check.that('the address that led there is not told either', names(other, 'Referer') == [None] * 2)
    with tempfile.NamedTemporaryFile('w') as f:
        f.write('# who we are\n\nAuthorization: Basic filed\nX-Empty:\n')
        f.flush()
        server.log.clear()
        run(*TOP, f'-header_file={f.name}', f'http://{server.at}/x')
        check.that('headers come from a file', names(server, 'Authorization') == ['Basic filed'] and names(server, 'X-Empty') == [''])
        f.write('nonsense t0ken\n')
        f.flush()
        r = run(*TOP, f'-header_file={f.name}', f'http://{server.at}/x')
        check.that('a bad line is named, not shown', r.status == 2 and 'line 5' in r.err and 't0ken' not in r.err, r.err)
    for bad in ('nonsense', 'A: b\r\nC: d', 'Content-Length: 5', ': x', ''):
        server.log.clear()
        r = run(*TOP, '-header', bad, f'http://{server.at}/x')
        check.that(f'-header {bad!r} is refused', r.status == 2 and not server.log, r.err)


def errors():
    go = {'Content-Type': 'text/plain', 'X-Go-Pprof': '1'}
    server = Server({
        '/esc': plain(b'\x1b]0;owned\x07bad\n::error::x', 500, go), '/page': plain(b'<h1>secret</h1>', 500, dict(go, **{'Content-Type': 'text/html'})),
        '/401': plain(b'', 401), '/login': plain(b'<!DOCTYPE html><p>sign in', 200), '/to': plain(b'', 302, {'Location': '/login'}),
        '/index': b'<html><title>/debug/pprof/</title>', '/dump': b'goroutine 1 [running]:\n', '/trace': b'go 1.22 trace\0\0\0\1',
        '/symbol': b'num_symbols: 1\n', '/json': b'{"a": 1}', '/empty': b'', '/short': plain(CPU, missing=50), '/cut': CPU[:-20],
        '/ssh': plain(b'', raw=b'SSH-2.0-OpenSSH_9.9\r\n'), '/nothing': plain(b'', raw=b''), '/fake': plain(b'plain', 200, {'Content-Encoding': 'gzip'}),
        '/cutgzip': plain(gzip.compress(b'main 1\n' * 1000)[:-9], 200, {'Content-Encoding': 'gzip'}), '/204': plain(b'', 204),
        '/loop': plain(b'', 302, {'Location': '/loop'}), '/bad': plain(b'', 302, {'Location': 'http://h:x/'}),
        '/socket': plain(b'', 302, {'Location': 'http+unix://%2Frun%2Fdocker.sock/x'}), '/file': plain(b'', 302, {'Location': 'file:///etc/passwd'}),
        '/folded': plain(b'main;run 5\nmain 3\n', gzip=True), '/lines': b'OK 200\n<html> 5\n'})
    for path, words in [('/esc', r'server response: 500 Internal Server Error - \\x1b\]0;owned\\x07bad\\x0a'), ('/page', r'500 Internal Server Error$'),
                        ('/401', '401.*-header'), ('/login', 'web page'), ('/to', 'web page.*after a redirect to http://.*/login'), ('/index', 'index page'),
                        ('/dump', 'dump of goroutines'), ('/trace', 'go tool trace'), ('/symbol', 'symbol address'), ('/json', 'JSON'), ('/empty', 'empty'),
                        ('/short', 'ended early'), ('/cut', 'truncated'), ('/ssh', 'not an HTTP'), ('/nothing', 'without a reply'),
                        ('/fake', 'not in gzip'), ('/cutgzip', 'truncated'), ('/204', '204'), ('/loop', '10 redirects'), ('/bad', 'malformed Location'),
                        ('/socket', 'not followed'), ('/file', 'Location|protocol')]:
        server.log.clear()
        r = run(*TOP, f'http://{server.at}{path}')
        check.that(f'{path} fails with the words {words}', r.status == 2 and re.search(words, r.err.strip().split('\n')[-1]) and not r.files, r.err, r.files)
        check.that(f'{path} sends nothing raw', '\x1b' not in r.err and 'secret' not in r.err)
        if path == '/loop':
            check.that('ten requests are made, not more', len(server.log) == 10, len(server.log))
    check.that('text that is unpacked on the way is read', run(*TOP, f'http://{server.at}/folded').status == 0)
    r = run(*TOP, f'http://{server.at}/esc', f'http://{server.at}/folded', f'{server.at}/nope')
    check.that('some of several fail, the rest is used', r.status == 0 and 'Fetched 1 source profiles out of 3' in r.err, r.err)
    free = socket.socket()
    free.bind(('127.0.0.1', 0))
    r = run(*TOP, 'http://127.0.0.1:%d/x' % free.getsockname()[1])
    check.that('who is not there is named', 'cannot connect to 127.0.0.1' in r.err and 'connection refused' in r.err, r.err)


def limits():
    server = Server({'/big': plain(b'x' * 3000000), '/bomb': plain(b'main 1\n' * 9000000, gzip=True), '/slow': plain(CPU, delay=30),
                     '/stall': plain(CPU, stall=30)})
    r = run(*TOP, '-max_input=1M', f'http://{server.at}/big')
    check.that('a reply has a limit', r.status == 2 and 'raise with -max_input' in r.err, r.err)
    r = run(*TOP, '-max_inflated=1M', f'http://{server.at}/bomb')
    check.that('what is unpacked on the way, too', r.status == 2 and 'raise with -max' in r.err, r.err)
    r = run(*TOP, '-timeout=1', '-seconds=9', f'http://{server.at}/slow', f'http://{server.at}/stall')
    check.that('time is limited, before the reply and in it', r.status == 2 and r.took < 30 and 'no reply within 6 s' in r.err
               and 'did not end within 6 s' in r.err, r.err, r.took)
    check.that('a limit below -seconds is told', '-timeout=1 ends the request before' in r.err, r.err)


def saved():
    evil = Server({'/evil': profile(b'a/../../../evil', b'/bin/x\x1b[31m'), '/slash': profile(b'cpu/user'), '/long': profile(b'y' * 300), '/x': CPU})
    r = run('-symbolize=none', '-top', f'http://{evil.at}/evil', env={'PPROF_TMPDIR': '{}/one/two/saved'.format(tempfile.mkdtemp())})
    name = re.search('Saved profile in (.*)', r.err)
    check.that('no name leads out of the folder', name and re.search(r'/one/two/saved/pprof\.x_\[31m\.a_\.\._\.\._\.\._evil\.001\.pb\.gz$', name.group(1)), r.err)
    for path, wanted in (('/slash', 'saved/pprof.cpu_user.001.pb.gz'), ('/long', 'saved/pprof.%s001.pb.gz' % ('y' * 233 + '.'))):
        r = run('-symbolize=none', '-top', f'http://{evil.at}{path}')
        check.that(f'{path} is saved as {wanted}', r.files == [wanted], r.files, r.err)
    r = run(*TOP, '-no_save', f'http://{evil.at}/x')
    check.that('-no_save keeps nothing', r.status == 0 and r.files == [] and 'Saved' not in r.err, r.files)
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, 'saved'), 0o555)
        r = Run(given.bin, [*TOP, f'http://{evil.at}/x'], folder, {'PPROF_TMPDIR': '/proc/nosuch', 'HOME': '', 'TMPDIR': '/proc/nosuch'})
        check.that('a folder that cannot be made is told, and the next is taken', r.status == 0 and 'Could not use temp dir /proc/nosuch' in r.err
                   and 'Saved profile in /tmp/' in r.err, r.err)
        os.unlink(re.search('Saved profile in (.*)', r.err).group(1))
    many = [subprocess.Popen([given.bin, *TOP, f'http://{evil.at}/x'], env={'PPROF_TMPDIR': folder}, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL) for folder in [tempfile.mkdtemp()] for _ in range(8)]
    check.that('eight at once end well', [p.wait() for p in many] == [0] * 8)


def symbols():
    named = lambda method, query, sent: b'num_symbols: 1\n' + b''.join(b'%s  named_%s\n' % (a.encode(), a[2:].encode()) for a in (sent or query).split('+'))
    only_get = lambda method, query, sent: named(method, query, sent) if method == 'GET' else plain(b'', 405)
    raw = profile(build_id=b'b1d')
    server = Server({'/pprof/profile': raw, '/pprof/symbol': named, '/debug/pprof/profile': raw, '/debug/pprof/symbol': only_get,
                     '/other/p': raw, '/broken/pprof/heap': raw, '/broken/pprof/symbol': plain(b'\x1b[1mno', 500, {'X-Go-Pprof': '1', 'Content-Type': 'text/plain'})})
    for path, way in (('/pprof/profile', ['POST']), ('/debug/pprof/profile', ['POST', 'GET'])):
        server.log.clear()
        r = run('-top', f'http://{server.at}{path}')
        asked = [e['method'] for e in server.log[1:]]
        check.that(f'{path} gets its names by {way}', asked == way and 'named_1234' in r.out, asked, r.out, r.err)
        check.that('the saved copy has them', any('saved' in f for f in r.files))
    server.log.clear()
    r = run('-top', f'http://{server.at}/broken/pprof/heap')
    check.that('a failing symbol server does not lose the profile', r.status == 0 and 'Saved profile in' in r.err and '500' in r.err
               and '\x1b' not in r.err and '7 total' in r.out, r.err, r.out)
    r = run('-top', f'http://{server.at}/other/p')
    check.that('elsewhere the address is symbolz', server.log[-1]['path'] == '/other/symbolz', server.log[-1]['path'])
    for mode in ('none', 'local', 'fastlocal'):
        server.log.clear()
        run('-top', f'-symbolize={mode}', f'http://{server.at}/pprof/profile')
        check.that(f'-symbolize={mode} asks nobody', len(server.log) == 1)
    base = profile(kind=b'cpu', build_id=b'0ther')
    server.routes['/base/pprof/profile'], server.routes['/base/pprof/symbol'] = base, plain(b'0x1234 from_base\nnothing\n0x1234')
    r = run('-top', f'-diff_base=http://{server.at}/base/pprof/profile', f'http://{server.at}/pprof/profile')
    check.that('head and base are named by their own servers', 'from_base' in r.out and 'named_1234' in r.out, r.out, r.err)


def proxies():
    proxy = Server({'/x': CPU})
    at = f'http://{proxy.at}'
    for env, used in [({'HTTP_PROXY': proxy.at}, True), ({'http_proxy': at}, True), ({'HTTPS_PROXY': at}, False),
                      ({'HTTP_PROXY': at, 'NO_PROXY': 'other.test, Profiles.test'}, False), ({'HTTP_PROXY': at, 'NO_PROXY': '.profiles.test'}, True),
                      ({'HTTP_PROXY': at, 'NO_PROXY': 'other.test profiles.test'}, False), ({'HTTP_PROXY': at, 'NO_PROXY': 'other.test test:81'}, True),
                      ({'HTTP_PROXY': at, 'NO_PROXY': 'test:80'}, False), ({'HTTP_PROXY': at, 'NO_PROXY': 'test:81'}, True),
                      ({'HTTP_PROXY': at, 'NO_PROXY': '*'}, False), ({'HTTP_PROXY': at, 'REQUEST_METHOD': 'GET'}, False)]:
        proxy.log.clear()
        r = run(*TOP, '-timeout=1', 'http://profiles.test/x', env=env)
        check.that(f'{env}: the proxy is asked: {used}', (r.status == 0) == used and bool(proxy.log) == used, r.err)
    for env, used in [({'NO_PROXY': '10.0.0.0/8'}, False), ({'NO_PROXY': '10.0.0.0/16'}, True), ({'NO_PROXY': '10.1.2.3'}, False)]:
        proxy.log.clear()
        run(*TOP, '-timeout=1', 'http://10.1.2.3/x', env=dict(env, HTTP_PROXY=at)) if used else None
        check.that(f'{env}: the proxy is asked: {used}', bool(proxy.log) == used)
    proxy.log.clear()
    run(*TOP, '-header=X-Secret: s', 'http://profiles.test/x', env={'HTTP_PROXY': at})
    r = run(*TOP, 'http://profiles.test/x', env={'HTTP_PROXY': 'http://me:secret@127.0.0.1:1'})
    check.that('a proxy that is not there is named', 'cannot connect to the proxy 127.0.0.1:1: connection refused' in r.err and 'secret' not in r.err, r.err)
    check.that('the request through it has its whole URL', 'Host' in proxy.log[0]['headers'] and proxy.log[0]['headers']['Host'] == 'profiles.test')


def collected():
    kinds = {'profile': CPU, 'heap': HEAP, 'goroutine': data('server_goroutine.pb.gz'), 'mutex': data('server_mutex.pb.gz'), 'block': data('server_block.pb.gz')}
    one = Server({'/debug/pprof/' + k: v for k, v in kinds.items()})
    two = Server({'/srv/pprof/' + k: v for k, v in kinds.items() if k in ('profile', 'heap')})
    r = run('-collect=set', '-symbolize=none', '-seconds=1', one.at)
    check.that('five profiles and a manifest are there', r.files == ['set/%s' % f for f in sorted([k + '.pb.gz' for k in kinds] + ['manifest.json'])], r.files, r.err)
    asked = sorted((e['path'], e['query']) for e in one.log)
    check.that('only the CPU profile takes its time', asked == sorted(('/debug/pprof/' + k, 'seconds=1' if k == 'profile' else '') for k in kinds), asked)
    manifest = json.loads(r.contents['set/manifest.json'])
    item = next(p for p in manifest['servers'][0]['profiles'] if p['kind'] == 'profile')
    check.that('the manifest has address, time, duration and build id', manifest['version'] == 1 and item['file'] == 'profile.pb.gz'
               and item['address'] == f'http://{one.at}/debug/pprof/profile?seconds=1' and item['time'].endswith('Z') and item['duration_nanos'] > 0
               and item['binary'] == '/app/server' and 'build_id' in item, manifest)
    r = run('-collect={FOLDER}/set', '-symbolize=none', one.at, f'http://{two.at}/srv/pprof/heap?k=v')
    names = [f[4:] for f in r.files]
    check.that('two servers have names', f'{two.at.replace(":", "_")}.heap.pb.gz' in names and len(names) == 8, names, r.err)
    check.that('what a server does not have is told', "has no profile 'mutex'" in r.err and
               json.loads(r.contents['set/manifest.json'])['servers'][1]['missing'] == ['goroutine', 'mutex', 'block'], r.err)
    check.that('other words of the query stay', {e['query'] for e in two.log} == {'k=v', 'k=v&seconds=30'}, [e['query'] for e in two.log])
    two.routes['/srv/pprof/mutex'] = plain(b'', 500)
    r = run('-collect=set', '-symbolize=none', one.at, f'http://{two.at}/srv/pprof/')
    check.that('a server is collected whole or not at all', r.status == 2 and len(r.files) == 6 and '1 servers out of 2' in r.err, r.files, r.err)
    r = run('-collect=set', '-symbolize=none', f'http://{two.at}/srv/pprof/')
    check.that('nothing is left of nothing', r.status == 2 and r.files == [], r.files, r.err)
    with tempfile.TemporaryDirectory() as folder:
        open(os.path.join(folder, 'mine'), 'w').close()
        one.log.clear()
        r = run(f'-collect={folder}', one.at)
        check.that('a folder with files in it is left alone', r.status == 2 and not one.log and os.listdir(folder) == ['mine'], r.err)
    for wrong in (['-top', one.at], ['/etc/passwd'], ['nosuch'], []):
        r = run('-collect=set', *wrong)
        check.that(f'-collect with {wrong} is refused', r.status == 2 and not r.files, r.err)


def interrupted():
    for args in (['-symbolize=none', '-top'], ['-collect={FOLDER}/set'], ['-symbolize=none', '-proto', '-output={FOLDER}/out.pb.gz']):
        server = Server({'/debug/pprof/' + k: plain(HEAP, stall=20) for k in ('profile', 'heap', 'goroutine', 'mutex', 'block')})
        with tempfile.TemporaryDirectory() as folder:
            p = subprocess.Popen([given.bin, *[a.replace('{FOLDER}', folder) for a in args], f'http://{server.at}/debug/pprof/heap'],
                                 env={'PPROF_TMPDIR': folder}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while not server.log and p.poll() is None:
                time.sleep(0.02)
            time.sleep(0.2)
            p.send_signal(signal.SIGINT)
            status = p.wait(timeout=60)
            check.that(f'{args}: ^C ends it and leaves no file', status == -signal.SIGINT and files_below(folder) == [], status, files_below(folder))


def progress():
    told = threading.Event()

    def wait_until_told(*_):
        told.wait(30)
        return CPU

    server = Server({'/x': wait_until_told})
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, b'\x18\0\x50\0\0\0\0\0')
    with tempfile.TemporaryDirectory() as folder:
        p = subprocess.Popen([given.bin, *TOP, '-no_save', '-seconds=9', f'http://{server.at}/x'], stdout=subprocess.DEVNULL, stderr=slave,
                             env={'HOME': folder, 'TERM': 'xterm'})
        os.close(slave)
        seen = b''
        while select.select([master], [], [], 10)[0]:
            try:
                seen += os.read(master, 4096)
            except OSError:
                break
            left = [int(s) for s in re.findall(rb'waiting for the server, (\d+) s left', seen)]
            if len(set(left)) > 1:
                told.set()
        p.wait()
    check.that('a line counts the seconds down', told.is_set() and left == sorted(left, reverse=True) and left[0] <= 9, seen)


for part in (addresses, secrets, headers, errors, limits, saved, symbols, proxies, collected, interrupted, progress):
    start = time.monotonic()
    part()
    print(f'{part.__name__}: {time.monotonic() - start:.1f} s', flush=True)
sys.exit(check.end())
