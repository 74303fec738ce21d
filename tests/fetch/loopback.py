"""A server on the loopback that sends given replies and records requests, and functions that run pprofc with this
server."""
import argparse
import gzip
import http.server
import os
import socket
import socketserver
import ssl
import subprocess
import threading
import time
import urllib.parse


def plain(body, status=200, headers=None, reason=None, **how):
    """Returns a reply. The names in `how` are: delay and stall (seconds), missing (bytes that Content-Length promises
    beyond the body), raw (bytes in place of a reply), gzip (as content encoding), trickle (seconds between bytes)."""
    return dict(body=body, status=status, headers=headers or {}, reason=reason, **how)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def log_message(self, *args):
        pass

    def address_string(self):
        return 'loopback'

    def answer(self):
        server = self.server
        length = int(self.headers.get('Content-Length') or 0)
        sent = self.rfile.read(length).decode()
        path, _, query = self.path.partition('?')
        with server.lock:
            server.log.append(dict(method=self.command, path=path, query=query, body=sent, headers=self.headers))
        reply = server.routes.get(urllib.parse.urlsplit(path).path)
        if callable(reply):
            reply = reply(self.command, query, sent)
        if isinstance(reply, bytes):
            reply = plain(reply)
        if reply is None:
            reply = plain(b'404 page not found\n', 404)
        self.send(reply)

    def send(self, reply):
        self.close_connection = True
        time.sleep(reply.get('delay', 0))
        if 'raw' in reply:
            self.wfile.write(reply['raw'])
            return
        body, headers = reply['body'], dict(reply['headers'])
        if reply.get('gzip'):
            body, headers['Content-Encoding'] = gzip.compress(body), 'gzip'
        self.send_response(reply['status'], reply['reason'])
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header('Content-Length', str(len(body) + reply.get('missing', 0)))
        self.end_headers()
        self.wfile.flush()
        time.sleep(reply.get('stall', 0))
        try:
            self.wfile.write(body)
        except OSError:
            pass  # the client had enough

    do_GET = do_POST = answer


class Server:
    """With `tls` (certificate, key, authority of clients or None) it speaks TLS; `path` makes it a Unix socket."""

    def __init__(self, routes=None, tls=None, path=None):
        class Threading(socketserver.ThreadingMixIn, socketserver.TCPServer):
            daemon_threads = True
            allow_reuse_address = True
            request_queue_size = 256
            address_family = socket.AF_UNIX if path else socket.AF_INET

            def handle_error(self, *args):
                pass

        self.server = Threading(path or ('127.0.0.1', 0), Handler)
        self.server.routes, self.server.log, self.server.lock = routes or {}, [], threading.Lock()
        self.routes, self.log = self.server.routes, self.server.log
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(tls[0], tls[1])
            if tls[2]:
                context.verify_mode = ssl.CERT_REQUIRED
                context.load_verify_locations(tls[2])
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        self.at = path or '127.0.0.1:%d' % self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, kwargs={'poll_interval': 0.02}, daemon=True).start()


class Run:
    """The result of a run of pprofc."""

    def __init__(self, pprofc, args, folder, env=None, timeout=60):
        home = os.path.join(folder, 'home')
        os.makedirs(home, exist_ok=True)
        environment = dict(PATH=os.environ['PATH'], HOME=home, PPROF_TMPDIR=os.path.join(folder, 'saved'), TMPDIR=folder,
                           TZ='UTC', LC_ALL='C.UTF-8')
        for name in ('ASAN_OPTIONS', 'UBSAN_OPTIONS', 'LSAN_OPTIONS', 'LD_LIBRARY_PATH'):
            if name in os.environ:
                environment[name] = os.environ[name]
        environment.update(env or {})
        started = time.monotonic()
        done = subprocess.run([pprofc, *args], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=timeout)
        self.took = time.monotonic() - started
        self.status, self.out = done.returncode, done.stdout.decode('utf-8', 'replace')
        self.err = done.stderr.decode('utf-8', 'replace')


def files_below(folder):
    return sorted(os.path.relpath(os.path.join(d, name), folder) for d, _, names in os.walk(folder) for name in names)


class Checks:
    def __init__(self):
        self.failed = self.done = 0

    def that(self, what, true, *shown):
        self.done += 1
        if true:
            return
        self.failed += 1
        print('not so:', what, *(repr(s) if isinstance(s, (bytes, dict, list)) else s for s in shown), sep='\n    ', flush=True)

    def end(self):
        print(f'{self.done} checks, {self.failed} failed')
        return 1 if self.failed else 0


def needs_libcurl(pprofc):
    """Skips the test if pprofc was built without libcurl, after checking its message."""
    said = subprocess.run([pprofc, '-top', 'http://127.0.0.1:1/x'], capture_output=True, text=True, env={'HOME': '/nonexistent'}).stderr
    if 'install the package' not in said:
        return
    assert 'libcurl' in said, said
    print('skipped: pprofc has no libcurl')
    raise SystemExit(77)


def parsed():
    """Returns the arguments of a test. Skips the test if pprofc was built without libcurl."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument('--bin', required=True)
    arguments.add_argument('--data', required=True)
    given = arguments.parse_args()
    needs_libcurl(given.bin)
    return given
