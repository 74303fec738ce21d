"""Compares the page of pprofci, its flame graphs and pictures with -json for each pair of testdata. Golden case
noise/pages."""
import html, json, os, re, shutil, subprocess
kinds = ['cpu', 'heap', 'allocs', 'mutex', 'block', 'goroutine', 'threadcreate']
pairs = {k: (f'server_{k}.pb.gz', f'server_b_{k}.pb.gz') for k in kinds}
pairs |= {'generator_' + k: (f'generator_{k}.prof', f'generator_optimized_{k}.prof') for k in ('cpu', 'mem')}
def run(*words): return subprocess.run(words, capture_output=True, text=True, check=True).stdout
def text_of(cell): return html.unescape(re.sub('<[^>]*>', '', cell)).strip()
scale = {'': 1, 'ns': 1e-9, 'µs': 1e-6, 'ms': 1e-3, 's': 1, 'mins': 60, 'min': 60, 'B': 1, 'kB': 2**10, 'MB': 2**20, 'GB': 2**30, 'k': 1e3, 'M': 1e6, '%': 1}
def amount(text):
    """Returns the value, and the value of its last digit."""
    number, unit = re.fullmatch(r'([-+]?[0-9.]+)\s*(\S*)', text.replace('−', '-').replace(',', '').replace('\u202f', '').replace('\xa0', ' ')).groups()
    return float(number) * scale[unit], scale[unit] / 10 ** len(number.partition('.')[2])
checked = wrong = 0
def expect(good, *what):
    global checked, wrong
    checked += 1
    if not good:
        wrong += 1
        print(*what)
def expect_near(text, value, *what):
    found, digit = amount(text)
    expect(abs(found - value) <= digit * 0.5000001, *what, text, value)

for side in (0, 1):
    os.mkdir(('base', 'head')[side])
    for kind, files in pairs.items(): shutil.copy('testdata/' + files[side], f"{('base', 'head')[side]}/{kind}.pb.gz")
run('pprofci', 'run', '-base', 'base', '-head', 'head', '-out', 'ci')
manifest = json.load(open('ci/manifest.json'))
page = open('ci/index.html').read()
tables = {}
for table in re.findall('<table class="units functions">.*?</table>', page, re.S):
    caption, rows = text_of(re.search('<caption>(.*?)</caption>', table, re.S)[1]), re.findall('<tr><th scope="row">.*?</tr>', table, re.S)
    for row in rows:
        where = re.search(r'href="flame/([^"]*)_diff.html#search=', row)
        if where: tables.setdefault((where[1], caption.split()[0]), []).append(row)
for pair in manifest['pairs']:
    kind = pair['diff'].removesuffix('_diff')
    for one in pair['comparisons']:
        type, unit = one['type'], one['unit']
        divisor = 1e9 if unit == 'nanoseconds' else 1
        words = ['-noise', '-symbolize=none', '-sample_index=' + type, '-diff_base=base/' + kind + '.pb.gz', 'head/' + kind + '.pb.gz']
        report = json.loads(run('pprofc', '-json', '-nodecount=0', *words))
        json_of = {f['name']: f for f in report['functions']}
        expect(one['sentence'] == report['sentence'], kind, type, one['sentence'], report['sentence'])
        for f in one['functions']:
            g = json_of[f['function']]
            expect([f[k] for k in ('base', 'head', 'delta', 'verdict')] == [g[k] for k in ('base', 'head', 'delta', 'verdict')], 'manifest', kind, type, f)
        for row in tables.get((kind, type), []):
            cells = [text_of(c) for c in re.split('</t[dh]>', row)]
            name = re.search('#search=([^"]*)', row)[1]
            g = json_of.get(re.sub('%(..)', lambda m: chr(int(m[1], 16)), name))
            expect(g, 'page', kind, type, name)
            if not g or len(cells) < 7: continue
            for cell, value in zip(cells[1:4], (g['base'], g['head'], g['delta'])): expect_near(cell, value / divisor, 'page', kind, type, name)
            expect(cells[6].startswith(g['verdict']), 'page', kind, type, name, cells[6], g['verdict'])
    # The picture and the flame graph of a pair show the same type.
    flame = open(f'ci/flame/{kind}_diff.html').read()
    summary = json.loads(re.search('id="pprofc-summary">(.*?)</script>', flame, re.S)[1])
    type = summary['types'][summary['type']]
    words = ['-noise', '-symbolize=none', '-sample_index=' + type['type'], '-diff_base=base/' + kind + '.pb.gz', 'head/' + kind + '.pb.gz']
    report = json.loads(run('pprofc', '-json', '-nodecount=0', *words))
    json_of = {f['name']: f for f in report['functions']}
    per = report['noise']['normalize_by'] == 'time'
    for f in summary['top']:
        g = json_of.get(f['function'])
        expect(g, 'flame', kind, f)
        if not g: continue
        for k in ('base', 'head'): expect(abs(f['self_' + k] - g[k]) <= (1 if per else 0), 'flame', kind, f, g[k])
    expect(summary['base'] == report['total']['base'] and summary['head'] == report['total']['head'], 'flame', kind, summary['base'], report['total'])
    for title in re.findall('<title>(.*?)</title>', open(f'ci/flamegraphs/{kind}_diff.svg').read(), re.S):
        total = re.search(r'^(.*) \([^\n]*\n(?:.*\n)*?total of the function: ([-+0-9.]+\w*)', html.unescape(title))
        g = total and json_of.get(total[1])
        if g: expect_near(total[2], g['cum']['delta'] / (1e9 if type['unit'] == 'nanoseconds' else 1), 'picture', kind, total[1])
print(len(pairs), 'pairs,', wrong, 'wrong;', 'many values' if checked > 500 else checked)
