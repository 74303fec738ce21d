#!/usr/bin/env python3
"""Tests servers that use TLS, with certificates that openssl creates for the test: tls.py --bin PPROFC --data TESTDATA.
"""
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from loopback import Checks, Run, Server, parsed, plain

given = parsed()
if not shutil.which('openssl'):
    print('skipped: openssl is not installed')
    sys.exit(77)
check = Checks()
folder = tempfile.mkdtemp()


def make(name, authority=None, usage=None):
    """Creates a key and a certificate, self-signed or signed by another authority."""
    path = os.path.join(folder, name)
    call = lambda *a: subprocess.run(['openssl', *a], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', path + '.key', '-subj', f'/CN=pprofc test {name}']
    if not authority:
        call('req', '-x509', *key, '-out', path + '.pem', '-days', '2')
        return path
    call('req', *key, '-out', path + '.csr')
    with open(path + '.ext', 'w') as f:
        f.write(f'extendedKeyUsage={usage}\nsubjectAltName=IP:127.0.0.1\n')
    call('x509', '-req', '-in', path + '.csr', '-CA', authority + '.pem', '-CAkey', authority + '.key', '-CAcreateserial', '-days', '2',
         '-extfile', path + '.ext', '-out', path + '.pem')
    return path


ours, others = make('authority'), make('others')
server_pair, client_pair, stranger = make('server', ours, 'serverAuth'), make('client', ours, 'clientAuth'), make('stranger', others, 'clientAuth')
with open(os.path.join(given.data, 'server_cpu.pb.gz'), 'rb') as f:
    CPU = f.read()
routes = {'/x': CPU, '/relative': plain(b'', 302, {'Location': '/x'})}
one_sided = Server(routes, tls=(server_pair + '.pem', server_pair + '.key', None))
two_sided = Server(routes, tls=(server_pair + '.pem', server_pair + '.key', ours + '.pem'))
open_server = Server(routes)
routes['/absolute'] = plain(b'', 302, {'Location': f'https://{one_sided.at}/x'})
routes['/down'] = plain(b'', 302, {'Location': f'http://{open_server.at}/x'})
for name, where in (('/lax', f'https+insecure://{one_sided.at}/x'), ('/lax2', f'https+insecure://{two_sided.at}/x')):
    routes[name] = plain(b'', 302, {'Location': where})


def run(*args, env=None):
    with tempfile.TemporaryDirectory() as home:
        return Run(given.bin, ['-symbolize=none', '-top', '-no_save', *args], home, env)


def works(what, *args, env=None):
    r = run(*args, env=env)
    check.that(what, r.status == 0 and 'cpu' in r.out, r.err)


def fails(what, words, *args):
    r = run(*args)
    check.that(what, r.status == 2 and words in r.err, r.err)


ca, mine = f'-tls_ca={ours}.pem', [f'-tls_cert={client_pair}.pem', f'-tls_key={client_pair}.key']
works('-tls_ca names the authority', ca, f'https://{one_sided.at}/x')
works('SSL_CERT_FILE does, too', f'https://{one_sided.at}/x', env={'SSL_CERT_FILE': ours + '.pem'})
works('https+insecure trusts anybody', f'https+insecure://{one_sided.at}/x')
works('and follows a redirect on the same server', f'https+insecure://{one_sided.at}/relative')
fails('but not one that leads to another', 'certificate is not trusted', f'https+insecure://{one_sided.at}/absolute')
fails('a redirect does not turn checks off', 'to https+insecure is not followed', f'http://{open_server.at}/lax')
fails('nor one of a host that is trusted', 'to https+insecure is not followed', ca, f'https://{one_sided.at}/lax')
fails('nor one to another host', 'to https+insecure is not followed', f'https+insecure://{one_sided.at}/lax2')
fails('without an authority nobody is trusted', 'certificate is not trusted', f'https://{one_sided.at}/x')
fails('-tls_ca takes the place of all others', 'certificate is not trusted', f'-tls_ca={others}.pem', f'https://{one_sided.at}/x')
fails('the name counts', 'certificate', ca, f'https://localhost:{one_sided.at.split(":")[1]}/x')
works('a client shows its certificate', ca, *mine, f'https://{two_sided.at}/x')
fails('without one it is refused', 'certificate', ca, f'https://{two_sided.at}/x')
fails("another authority's is refused", 'certificate', ca, f'-tls_cert={stranger}.pem', f'-tls_key={stranger}.key', f'https://{two_sided.at}/x')
fails('key and certificate belong together', 'certificate', ca, mine[0], f'-tls_key={stranger}.key', f'https://{two_sided.at}/x')
fails('https to a server without TLS', 'TLS', f'https://{open_server.at}/x')
fails('-tls_cert alone', '-tls_key must also be specified', mine[0], f'http://{open_server.at}/x')
fails('-tls_key alone', '-tls_cert must also be specified', mine[1], f'http://{open_server.at}/x')
fails('a file that is not there', 'no such file', '-tls_ca=/nosuch', f'http://{open_server.at}/x')
fails('a file that is no certificate', 'no PEM block', '-tls_cert=/dev/null', mine[1], f'http://{open_server.at}/x')
works('files are read without looking at them', '-tls_ca=/nosuch', os.path.abspath(os.path.join(given.data, 'server_cpu.pb.gz')))
open_server.log.clear()
run(ca, '-header=X-Secret: s', f'https://{one_sided.at}/down')
check.that('headers do not go from https to http', len(open_server.log) == 1 and open_server.log[0]['headers']['X-Secret'] is None)
shutil.rmtree(folder)
sys.exit(check.end())
