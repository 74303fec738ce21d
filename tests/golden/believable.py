"""Compares pprofc -noise with the recorded values of each pair of testdata, in JSON and in the terminal. Golden case
noise/believable."""
import json, re, subprocess, sys
types = {'cpu': ['cpu', 'samples'], 'mem': ['alloc_space', 'inuse_space'], 'heap': ['inuse_space'], 'allocs': ['alloc_space'],
         'mutex': ['delay'], 'block': ['contentions'], 'goroutine': ['goroutine'], 'threadcreate': ['threadcreate']}
pairs = [('generator_' + k, 'generator_optimized_' + k, '.prof', k) for k in ('cpu', 'mem')]
pairs += [('server_' + k, 'server_b_' + k, '.pb.gz', k) for k in types if k != 'mem']
def run(*words): return subprocess.run(['pprofc', *words], capture_output=True, text=True).stdout
def recorded(path, index):
    d = json.loads(run('-json', '-symbolize=none', '-functions', '-sample_index=' + index, path))
    i = d['sample_index']
    sums = {}
    for f in d['functions']: sums[f['name']] = sums.get(f['name'], 0) + f['flat'][i]
    return sums, d['total']
def amount(text, units={'': 1, 'ns': 1e-9, 'us': 1e-6, 'ms': 1e-3, 's': 1, 'mins': 60, 'B': 1, 'kB': 2**10, 'MB': 2**20, 'GB': 2**30}):
    number, unit = re.fullmatch(r'([-+0-9.e]+)([a-zA-Z%]*)', text).groups()
    return float(number) * units[unit]
rows = wrong = 0
def expect(good, *what):
    global wrong
    if not good:
        wrong += 1
        print(*what)
for base, head, end, kind in pairs:
    paths = 'testdata/' + base + end, 'testdata/' + head + end
    for index in types[kind]:
        words = ['-noise', '-symbolize=none', '-sample_index=' + index, '-diff_base=' + paths[0], paths[1]]
        d = json.loads(run('-json', *words))
        one, two = recorded(paths[0], index), recorded(paths[1], index)
        expect(d['total']['base'] == one[1] and d['total']['head'] == two[1], base, index, 'total', d['total'], one[1], two[1])
        for f in d['functions']:
            rows += 1
            for e, side in ((f, 0), (f['cum'], 1)):
                word = e['verdict']
                expect(e['base'] + e['delta'] == e['head'], base, index, f['name'], 'sum')
                if word.startswith(('grew', 'new')): expect(e['delta'] > 0, base, index, f['name'], word, e['delta'])
                if word.startswith(('shrank', 'gone')): expect(e['delta'] < 0, base, index, f['name'], word, e['delta'])
                if e.get('by_itself') in ('grew', 'shrank', 'new', 'gone'): expect(word != 'unchanged', base, index, f['name'], word, e['by_itself'])
            for side, sums in (('base', one[0]), ('head', two[0])):
                if 'asyncPreempt' in str(sums): continue
                expect(f[side] == sums.get(f['name'], 0), base, index, f['name'], side, f[side], sums.get(f['name'], 0))
        certain = d['total']['verdict'] not in ('unchanged', 'unknown') or d['all_functions']['verdict'] in ('grew', 'shrank')
        text = run('-top', '-nodecount=0', '-nodefraction=0', *words).split('\n')
        expect(text[0] == d['sentence'], base, index, text[0])
        expect(not (certain and any('Nothing is significant' in line for line in text)), base, index, 'nothing is significant')
        expect(not any('(machine)' in line for line in text), base, index, 'machine')
        for line in text[text.index(next(l for l in text if l.lstrip().startswith('base '))) + 1:]:
            cells = line.split()
            if len(cells) < 4 or not re.fullmatch(r'[-+0-9.]+[a-zA-Z]*', cells[1]): continue
            rows += 1
            was, now, change = map(amount, cells[:3])
            expect(abs(was + change - now) < 1e-9 * max(was, now, 1e-9), base, index, line)
            if ' grew' in line[58:100] and 'than' not in line: expect(change > 0 or change == 0, base, index, line)
            if ' shrank' in line[58:100] and 'than' not in line: expect(change < 0 or change == 0, base, index, line)
print(len(pairs), 'pairs,', wrong, 'wrong;', 'many rows' if rows > 2000 else rows)
