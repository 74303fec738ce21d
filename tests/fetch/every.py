#!/usr/bin/env python3
"""Tests pprofc -http -every with a service that changes, fails, hangs and sends garbage: every.py --bin PPROFC --data
TESTDATA."""
import html
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from loopback import Checks, Server, files_below, parsed, plain

given = parsed()
check = Checks()


class Service:
    """A server that sends the profile `main N` in its N-th reply, or else the reply of `special` for this number."""

    def __init__(self, special=None, body=None, path='/debug/pprof/heap'):
        self.special, self.body, self.times = special or {}, body or (lambda n: b'main;work %d\nmain 1\n' % (10 * n)), []
        self.server = Server({path: self.reply})
        self.at = f'http://{self.server.at}{path}'

    def reply(self, *_):
        self.times.append(time.monotonic())
        n = len(self.times)
        return self.special.get(n) or plain(self.body(n))


class Page:
    """A process of pprofc -http in a separate folder."""

    def __init__(self, *arguments):
        self.folder = tempfile.TemporaryDirectory()
        environment = dict(os.environ, HOME=self.folder.name, XDG_CONFIG_HOME=self.folder.name, TMPDIR=self.folder.name, TZ='UTC')
        self.log = open(os.path.join(self.folder.name, 'log'), 'w+')
        self.child = subprocess.Popen([given.bin, '-http=localhost:', '-no_browser', '-symbolize=none', *arguments], env=environment,
                                      stderr=self.log, stdin=subprocess.DEVNULL)
        at = until(lambda: re.search(r'localhost:(\d+)', self.said()) or self.child.poll() is not None)
        if at is True:
            if 'libmicrohttpd' in self.said():
                print('skipped:', self.said())
                raise SystemExit(77)
            raise SystemExit('pprofc ended: ' + self.said())
        self.port = int(at.group(1))

    def said(self):
        with open(self.log.name) as f:
            return f.read()

    def ask(self, path, method='GET', **headers):
        connection = http.client.HTTPConnection('localhost', self.port, timeout=60)
        try:
            connection.request(method, '/ui/' + path, None, headers)
            reply = connection.getresponse()
            reply.text = reply.read().decode(errors='replace')
            return reply
        finally:
            connection.close()

    def post(self, path):
        return self.ask(path, 'POST', Origin=f'http://localhost:{self.port}')

    def tries(self):
        return json.loads(self.ask('status').text)['tries']

    def wait(self, tries):
        """Waits until the list of recordings changed `tries` times."""
        check.that(f'{tries} tries come', until(lambda: self.tries() >= tries), self.said())

    def bars(self, query=''):
        """Returns links and failures of the strip, oldest first: (id or None, title, address or None, current)."""
        text = self.ask('strip?view=top' + query).text
        found = re.findall(r'<span title="([^"]*)"|<a id="rec-(\d+)" class="([^"]*)" href="([^"]*)"( aria-current="true")? title="([^"]*)"', text)
        return [(int(i) if i else None, html.unescape(gap or title), html.unescape(href), bool(current), kind)
                for gap, i, kind, href, current, title in found][::-1]

    def memory(self):
        with open(f'/proc/{self.child.pid}/status') as f:
            return int(re.search(r'VmRSS:\s+(\d+)', f.read()).group(1))

    def end(self, number=signal.SIGTERM):
        began = time.monotonic()
        self.child.send_signal(number)
        status = self.child.wait(60)
        took = time.monotonic() - began
        check.that('the server ends well', status == 0 and 'Sanitizer' not in self.said(), status, self.said())
        self.log.close()
        self.kept = files_below(self.folder.name)
        self.folder.cleanup()
        return status, took


def until(asked, seconds=60):
    ends = time.monotonic() + seconds
    while True:
        result = asked()
        if result or time.monotonic() > ends:
            return result
        time.sleep(0.05)


def errors():
    for flags, words in ((['-http=:', '-every=0.9s', 'h:1/x'], 'at least 1s'), (['-top', '-every=5s', 'h:1/x'], '-every only makes sense with -http'),
                         (['-http=:', '-every=5s', os.path.join(given.data, 'server_heap.pb.gz')], '-every needs the URL'),
                         (['-http=:', '-every=5s'], '-every needs the URL'), (['-http=:', '-every=-5s', 'h:1/x'], 'such as 5s'),
                         (['-http=:', '-every=5', 'h:1/x'], 'such as 5s'), (['-http=:', '-every=25h', 'h:1/x'], 'at most 24h')):
        r = subprocess.run([given.bin, *flags], capture_output=True, text=True, timeout=60)
        check.that(f'{flags} fails: {words}', r.returncode == 2 and words in r.stderr.strip().split('\n')[-1], r.stderr)
    service = Service({1: plain(b'broken', 500)})
    r = subprocess.run([given.bin, '-http=:', '-no_browser', '-every=1s', service.at], capture_output=True, text=True, timeout=60)
    check.that('the first recording must succeed', r.returncode == 2 and '500' in r.stderr, r.stderr)


def recordings():
    service = Service()
    page = Page('-every=1s', service.at.replace('http://', 'http://me:hunter2@'))
    page.wait(3)
    bars = page.bars()
    check.that('each recording has a bar with its own total', [re.sub('^.*?: ', '', b[1]) for b in bars[:3]] ==
               [f'{10 * n + 1}; click to compare with it' for n in (1, 2, 3)], bars)
    check.that('the newest is the head', 'head' in bars[-1][4] and not any('head' in b[4] for b in bars[:-1]), bars)
    check.that('a link compares with that recording', bars[0][2] == 'top?base=1', bars[0])
    chosen = page.bars('&base=1&head=3')
    check.that('a second click removes the base', chosen[0][3] and chosen[0][2] == 'top?head=3' and chosen[1][2] == 'top?base=2&head=3', chosen)
    text = page.ask('top?base=1&head=3').text
    check.that('the difference is of the recorded values', re.search(r'base <small>[^<]*</small> <b>11</b>, head <small>[^<]*</small> <b>31</b>: <b[^>]*>.*20', text), text[:3000])
    check.that('a page with a head is paused', '<b>Paused</b>' in text and 'href="top?base=1"' in text, text[:3000])
    check.that('a page without a head is live', '<b>Live</b>' in page.ask('top').text and 'href="top?head=' in page.ask('top').text)
    check.that('the page has the limits', 'every 1s; keeps 60 recordings, 512MB' in page.ask('peek').text)
    check.that('a recording has no command', 'No command prints this view' in page.ask('top').text)
    before = page.tries()
    check.that('GET pins nothing', page.ask('pin?pin=2').status == 405)
    check.that('another site pins nothing', page.ask('pin?pin=2', 'POST', Origin='http://evil.example').status == 403)
    check.that('nothing was pinned', not any('pinned' in b[4] for b in page.bars()), before)
    reply = page.post('pin?pin=2&base=2&view=top')
    check.that('pinning leads to the comparison', (reply.status, reply.headers['Location']) == (303, 'top?base=2'), reply.status, reply.headers)
    check.that('a pinned bar has its mark', [b[0] for b in page.bars() if 'pinned' in b[4]] == [2], page.bars())
    check.that('a pinned base can be unpinned', 'Unpin base' in page.ask('top?base=2').text and page.post('unpin?pin=2').status == 200
               and not any('pinned' in b[4] for b in page.bars()))
    for wrong in ('', 'x', '0', '-1', '99', '4294967297'):
        check.that(f'pin={wrong} pins nothing', page.post(f'pin?pin={wrong}').status == 400)
    for n in range(1, 4):
        page.post(f'pin?pin={n}')
    check.that('an unknown base is an error page with the strip',
               page.ask('top?base=999').status == 400 and 'id=rec ' in page.ask('top?base=999').text)
    check.that('the password stays secret', 'hunter2' not in page.ask('top').text + page.ask('compare').text + page.said())
    said = page.said()
    status, took = page.end()
    check.that('SIGTERM ends with 0', status == 0, status)
    check.that('no copies are saved', [f for f in page.kept if f != 'log'] == [] and 'Saved' not in said, page.kept, said)
    check.that('only the first request is printed', said.count('Fetching') == 1, said)


def one_client():
    service = Service()
    page = Page('-every=1s', service.at)
    ends, answered = time.monotonic() + 5, []

    def browse():
        while time.monotonic() < ends:
            answered.append(page.ask('top').status)
            page.ask('strip?view=top&base=1')
            page.ask('flamedata?base=1')
            page.post('pin?pin=1')
            page.post('unpin?pin=1')
            page.tries()
    clients = [threading.Thread(target=browse) for _ in range(16)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    times = service.times
    check.that('16 browsers are one client of the service', 2 <= len(times) <= 8 and all(b - a >= 0.99 for a, b in zip(times, times[1:])), times)
    check.that('all pages are answered', set(answered) == {200}, set(answered))
    page.end()


def failures():
    evil = '<script>alert(1)</script>\x1b]0;x\x07\r\n::error::'
    service = Service({2: plain(evil.encode(), 500, {'Content-Type': 'text/plain', 'X-Go-Pprof': '1'}), 3: plain(b'\0garbage' * 99),
                       5: plain(b'', raw=b''), 7: plain(b'main 5\n', stall=30)})
    page = Page('-every=1s', '-timeout=1', service.at)
    page.wait(3)
    text = page.ask('strip?view=top').text
    gaps = [b for b in page.bars() if not b[0]]
    check.that('failures are one gap with the last reason', len(gaps) == 1 and '(2 times)' in gaps[0][1], gaps)
    check.that('the page has the reason and the next try', re.search(r'Since \d\d:\d\d:\d\d: .*unrecognized.*Next try at \d\d:\d\d:\d\d', text), text)
    check.that('the view is the last recording', page.ask('top').status == 200 and 'base=1' in text)
    check.that('nothing of the service is markup or control', '<script>' not in text and '\x1b' not in text + page.said())
    page.wait(4)
    text = page.ask('strip?view=top').text
    check.that('the next recording ends the failure', 'Next try' not in text and 'records again' in page.said(), text, page.said())
    check.that('one failure is one line', page.said().count('500 Internal') == 1, page.said())
    page.wait(5)
    check.that('a closed connection is a gap', 'without a reply' in page.bars()[-1][1] or 'Since' in page.ask('top').text, page.bars())
    until(lambda: len(service.times) == 7)
    check.that('pages answer while the service hangs', page.ask('top').status == 200)
    status, took = page.end(signal.SIGINT)
    check.that('SIGINT ends a hanging request', status == 0 and took < 2, status, took)
    waits = [b - a for a, b in zip(service.times, service.times[1:])]
    check.that('the second failure waits longer', waits[2] >= 1.9 and waits[1] < 1.9, waits)


def partial():
    good, bad = Service(), Service({2: plain(b'', 503)})
    page = Page('-every=1s', good.at, bad.at)
    page.wait(3)
    bars = page.bars()
    check.that('a part of the sources is no recording', [b[0] for b in bars[:3]] == [1, None, 2] and '503' in bars[1][1], bars)
    page.end()


def with_base():
    """Checks that without -every a base and two URLs are runs, and the page compares means. Recordings are sums, also
    the first."""
    with tempfile.TemporaryDirectory() as folder:
        base = os.path.join(folder, 'base.txt')
        with open(base, 'wb') as f:
            f.write(b'main;work 5\nmain 1\n')
        page = Page('-every=1m', f'-diff_base={base}', Service(body=lambda n: b'main;work 10\nmain 1\n').at + '?secret=a/b', Service().at)
        text = page.ask('top').text
        check.that('the first difference is of the sum', re.search(r'base <small>[^<]*</small> <b>6</b>, head <small>[^<]*</small> <b>22</b>: <b[^>]*>.*16', text), text[:4000])
        text = html.unescape(re.sub('<[^>]*>', ' ', page.ask('peek').text))
        check.that('a function has the difference of the sum', re.search(r'(?m)^\s*15 250.00% .* work\s*$', text), text)
        check.that('the name of a recording has no query', 'heap at ' in page.ask('compare').text and 'b at ' not in page.ask('compare').text)
        page.end()


def other_types():
    with open(os.path.join(given.data, 'server_heap.pb.gz'), 'rb') as f:
        heap = f.read()
    service = Service(body=lambda n: heap if n % 2 else b'main 1\n')
    page = Page('-every=1s', service.at)
    page.wait(3)
    top = subprocess.run([given.bin, '-symbolize=none', '-unit=MB', '-top', os.path.join(given.data, 'server_heap.pb.gz')], capture_output=True, text=True).stdout
    total = re.search(r' of (\S+) total', top).group(1)
    bars = page.bars('&si=inuse_space')
    check.that('heap values are as recorded', f': {total};' in bars[0][1], bars, total)
    check.that('another type has no bar', 'not of this sample type' in bars[1][1], bars)
    check.that('two types cannot be compared', page.ask('top?base=2&head=1').status == 400)
    page.end()


def ring():
    body = lambda n: b''.join(b'main;f%d;g%d %d\n' % (i, i * 7, n) for i in range(20000))
    service = Service(body=body)
    page = Page('-every=1s', '-max_memory=160M', service.at)
    page.post('pin?pin=1')
    kept = []
    for tries in range(2, 26):
        page.wait(tries)
        page.ask('top')
        kept.append((len(page.bars()), page.memory()))
    bars = page.bars()
    check.that('old recordings are dropped, a pinned one stays', bars[0][0] == 1 and len(bars) < 20 and bars[-1][0] >= 24, bars)
    check.that('a dropped one is an error that helps', 'a pinned recording stays' in page.ask('top?base=2').text)
    reply = page.ask('top?base=1')
    check.that('the pinned one is a base', reply.status == 200, reply.text[-3000:])
    check.that('memory is flat', kept[-1][1] < kept[len(kept) // 2][1] * 1.2, kept)
    page.end()


for test in (errors, recordings, one_client, failures, partial, with_base, other_types, ring):
    test()
sys.exit(check.end())
