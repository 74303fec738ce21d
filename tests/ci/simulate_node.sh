#!/usr/bin/env bash
# Tests -simulate with benchmarks of tinybench and CodSpeed's plugin: simulate_node.sh SOURCE PROGRAMS.
set -eu
. "$(dirname "$0")/common.sh"
for peer in valgrind git node; do
  command -v "$peer" >/dev/null || {
    echo "skipped: $peer is not installed"
    exit 77
  }
done
packages=$source/.cache/tinybench/node_modules
[ -d "$packages/@codspeed/tinybench-plugin" ] || {
  echo "skipped: @codspeed/tinybench-plugin is not installed"
  exit 77
}
. "$source/tests/ci/simulate_common.sh"

# program LOOPS: creates two benchmarks. The first one repeats its loop LOOPS times.
program() {
  cat >bench.mjs <<END
import { withCodSpeed } from "@codspeed/tinybench-plugin";
import { Bench } from "tinybench";

function sumSquares(n) {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += i * i;
  return sum;
}

const bench = withCodSpeed(new Bench({ time: 10 }));
bench.add("first", () => sumSquares($1));
bench.add("second", () => sumSquares(3000));
await bench.run();
END
}
program 5000
echo node_modules >.gitignore
git add -A
git commit -qm base
git tag base
program 5150
git commit -qam slower

# 3 % more loops. The plugin requires flags of V8, which pprofci adds to the command.
run 2 -simulate 'node bench.mjs' -setup "ln -s '$packages' node_modules" -base-ref base -out a/ci
grep -q '^regressed: bench.mjs::first instructions .* +[23]\.[0-9]*%' "$work/output" || broken "no regression of 3 %"
grep -q 'regressed: bench.mjs::second' "$work/output" && broken "an unchanged benchmark regressed"
has a/ci/bench.mjs__first_count_head_top.txt sumSquares
ok "3 % in one benchmark"

# pprofci makes V8 compile functions one at a time, not in batches. A change of one benchmark would change the batches
# of the next one.
cat >batch.mjs <<'END'
import v8 from "node:v8";
v8.setFlagsFromString("--trace-baseline-batch-compilation");
let sum = 0;
for (let f = 0; f < 20; f++) {
  const loop = new Function("n", `let s = ${f}; for (let i = 0; i < n; i++) s = (s * 31 + i) % ${1000 + f}; return s;`);
  for (let k = 0; k < 2000; k++) sum += loop(200);
}
console.log("sum", sum);
END
node batch.mjs | grep -q 'Baseline batch compilation' || broken "Node does not trace batches"
run 1 -simulate 'node batch.mjs' -out b/ci
has "$work/messages" 'sum '
grep -q 'Baseline batch compilation' "$work/messages" && broken "V8 compiled a batch"
ok "no batches"

# gc() then visits all objects. Otherwise V8 may sweep the heap during the next benchmark.
cat >spy.cjs <<'END'
require("v8").getHeapCodeStatistics = () => console.log("visited all objects");
END
echo 'console.log("collected", gc());' >collect.cjs
NODE_OPTIONS='--require ./spy.cjs' run 1 -simulate 'node --expose-gc collect.cjs' -out c/ci
has "$work/messages" 'visited all objects'
has "$work/messages" 'collected undefined'
ok "no sweep in a benchmark"
