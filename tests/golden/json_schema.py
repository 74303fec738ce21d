"""Checks reports of pprofc -json against docs/json.schema.json: json_schema.py PPROFC SOURCE. Unknown members fail this
test, although users must accept them."""
import copy, json, os, subprocess, sys

PPROFC, SOURCE = map(os.path.abspath, sys.argv[1:])
DATA = os.path.join(SOURCE, 'testdata')
RUNS = [['generator_cpu.prof'], ['-lines', '-cum', 'server_heap.pb.gz'], ['-files', 'imports/calls.jfr.gz'],
        ['-diff_base=server_cpu.pb.gz', 'server_b_cpu.pb.gz'], ['-budget=1200', 'generator_cpu.prof'], ['-nodecount=2', 'imports/calls.pstats'],
        ['-focus=nothing like it', 'generator_cpu.prof'], ['imports/calls.callgrind.out']]
CHANGES = {  # changes of a report that the schema must reject
    'another version': lambda d: d.update(version=2),
    'a function without a name': lambda d: d['functions'][0].pop('name'),
    'a value as text': lambda d: d['functions'][0]['flat'].__setitem__(0, '1'),
    'no sample types': lambda d: d.update(sample_types=[]),
    'an index below 0': lambda d: d.update(sample_index=-1),
    'a base without values of functions': lambda d: d.update(base=[1]),
}
TYPES = {'object': dict, 'array': list, 'string': str, 'integer': int}


def faults(schema, value, root, closed, at='$'):
    """Yields the errors of a value. Supports only the keywords of docs/json.schema.json. With `closed`, unknown members
    are errors."""
    if '$ref' in schema:
        yield from faults(root['$defs'][schema['$ref'].rsplit('/', 1)[1]], value, root, closed, at)
    if 'const' in schema and value != schema['const']: yield f'{at}: {value} is not {schema["const"]}'
    if 'type' in schema and (not isinstance(value, TYPES[schema['type']]) or isinstance(value, bool)):
        yield f'{at}: {value!r} is not {schema["type"]}'
        return
    if 'minimum' in schema and value < schema['minimum']: yield f'{at}: {value} is too small'
    if len(value) < schema.get('minItems', 0) if isinstance(value, list) else False: yield f'{at}: too few items'
    if isinstance(value, list):
        for i, item in enumerate(value): yield from faults(schema.get('items', {}), item, root, closed, f'{at}[{i}]')
    if isinstance(value, dict):
        for name in schema.get('required', []):
            if name not in value: yield f'{at}: no {name}'
        for name, item in value.items():
            known = schema.get('properties', {}).get(name)
            if known is not None: yield from faults(known, item, root, closed, f'{at}.{name}')
            elif closed and 'properties' in schema: yield f'{at}: {name} is not in the schema'
        for name, more in schema.get('dependentSchemas', {}).items():
            if name in value: yield from faults(more, value, root, False, at)


schema = json.load(open(os.path.join(SOURCE, 'docs', 'json.schema.json')))
check = None
try:
    import jsonschema
    jsonschema.Draft202012Validator.check_schema(schema)
    check = jsonschema.Draft202012Validator(schema)
except ImportError:
    print('skipped: the comparison with the package jsonschema, which is not installed')
wrong = []
for words in RUNS:
    run = subprocess.run([PPROFC, '-json', '-symbolize=none', *words], capture_output=True, text=True, cwd=DATA)
    report = json.loads(run.stdout)
    wrong += [f'{words}: {fault}' for fault in faults(schema, report, schema, True)]
    if check: wrong += [f'{words}: jsonschema: {e.message[:200]}' for e in check.iter_errors(report)]
    if not report['functions']: continue
    for name, change in CHANGES.items():
        broken = copy.deepcopy(report)
        change(broken)
        if name.startswith('a base') and 'base' in report: continue
        if not list(faults(schema, broken, schema, True)): wrong.append(f'{words}: accepted: {name}')
        if check and check.is_valid(broken): wrong.append(f'{words}: jsonschema accepts: {name}')
print('\n'.join(wrong) or f'{len(RUNS)} reports fit the schema, and {len(CHANGES)} changes of them do not')
sys.exit(bool(wrong))
