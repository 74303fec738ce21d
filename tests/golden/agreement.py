"""Checks that no verdict of pprofc -noise contradicts its interval, for runs of many kinds. Golden case
noise/agreement."""
import json, os, random, subprocess
DIRECTIONS = {'grew': 1, 'new': 1, 'grew, as everything did': 1, 'grew less than the rest': 1,
              'shrank': -1, 'gone': -1, 'shrank, as everything did': -1, 'shrank less than the rest': -1}
rng = random.Random(7)
rows = wrong = relative = 0
def check(where, e):
    global rows, wrong, relative
    if e['low'] is None: return
    rows += 1
    relative += 'against the rest' in e['verdict']
    direction = DIRECTIONS.get(e['verdict'], 0)
    if direction * e['low'] < 0 or direction * e['high'] < 0 or (direction and e['low'] == 0 == e['high']):
        wrong += 1
        print(where, e['verdict'], e['low'], e['high'])
def compare(where, *words):
    done = subprocess.run(['pprofc', '-json', '-symbolize=none', '-noise', *words], capture_output=True, text=True)
    d = json.loads(done.stdout)
    check(where + ': total', d['total'])
    for f in d['functions']:
        check(f"{where}: {f['name']}", f)
        check(f"{where}: {f['name']}: cum", f['cum'])
    for g in d['domains']: check(f"{where}: inside {g['name']}", g)
def record(folder, runs, costs, machine):
    os.makedirs(folder)
    for run in range(runs):
        speed = max(0.3, rng.gauss(1, machine))
        with open(f'{folder}/{run}.folded', 'w') as out:
            for i, cost in enumerate(costs):
                mean = cost * speed * max(0.2, rng.gauss(1, 0.03))
                out.write(f'main;svc.part{i % 5};svc.f{i} {max(0, round(rng.gauss(mean, mean ** 0.5)))}\n')
for kind in ('cpu', 'mem'):
    for base, head in (('generator_', 'generator_optimized_'), ('generator_optimized_', 'generator_')):
        compare(f'{base}{kind}', f'-diff_base=testdata/{base}{kind}.prof', f'testdata/{head}{kind}.prof')
for kind in ('cpu', 'heap', 'allocs', 'mutex', 'block', 'goroutine'):
    compare(f'server_{kind}', f'-diff_base=testdata/server_{kind}.pb.gz', f'testdata/server_b_{kind}.pb.gz')
for runs in (1, 2, 3, 5):
    for machine in (0, 0.1, 0.3):  # noise shared by all functions of a run
        for rest in (1, 0.5):  # factor of all functions between base and head
            folder = f'runs{runs}_{machine}_{rest}'
            costs = [1000 / (i + 1) ** 0.7 for i in range(40)]
            record(folder + '/base', runs, costs + [0, 200], machine)
            record(folder + '/head', runs, [c * rest * rng.choice((1, 1, 1, 0.8, 1.25, 2)) for c in costs] + [150, 0], machine)
            for option in ('-fcr', '-correction=by', '-normalize_by=none'):
                compare(f'{folder} {option}', option, f'-diff_base={folder}/base', folder + '/head')
print(wrong, 'wrong;', 'many rows' if rows > 5000 else rows, '; some changed only in comparison with the rest' if relative > 50 else relative)
