#!/usr/bin/env bash
# Tests -simulate with benchmarks of vitest and CodSpeed's plugin: simulate_vitest.sh SOURCE PROGRAMS.
set -eu
. "$(dirname "$0")/common.sh"
for peer in valgrind git node; do
  command -v "$peer" >/dev/null || {
    echo "skipped: $peer is not installed"
    exit 77
  }
done
packages=$source/.cache/vitest/node_modules
[ -d "$packages/@codspeed/vitest-plugin" ] || {
  echo "skipped: @codspeed/vitest-plugin is not installed"
  exit 77
}
. "$source/tests/ci/simulate_common.sh"

# program LOOPS: creates two benchmarks. The first one repeats its loop LOOPS times.
program() {
  cat >squares.bench.mjs <<END
import { bench } from "vitest";

function sumSquares(n) {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += i * i;
  return sum;
}

bench("first", () => {
  sumSquares($1);
});
bench("second", () => {
  sumSquares(3000);
});
END
}
cat >vitest.config.mjs <<'END'
import codspeed from "@codspeed/vitest-plugin";
import { defineConfig } from "vitest/config";
export default defineConfig({ plugins: [codspeed()] });
END
program 5000
echo node_modules >.gitignore
git add -A
git commit -qm base
git tag base
program 5150
git commit -qam slower
vitest='node_modules/.bin/vitest bench --run'

# 3 % more loops.
run 2 -simulate "$vitest" -setup "ln -s '$packages' node_modules" -base-ref base -out a/ci
grep -q '^regressed: squares.bench.mjs::first instructions .* +[23]\.[0-9]*%' "$work/output" || broken "no regression of 3 %"
grep -q 'regressed: squares.bench.mjs::second' "$work/output" && broken "an unchanged benchmark regressed"
has a/ci/squares.bench.mjs__first_count_head_top.txt sumSquares
ok "3 % in one benchmark"

# pprofci makes vitest wait ten times as long for its worker. The worker keeps its timers, and the user's options of
# Node stay.
cat >vitest <<'END'
#!/usr/bin/env node
const { fork } = require("child_process");
const show = (who) => console.log(who, [1, 60000, 3e8].map((ms) => setTimeout(() => {}, ms).unref()._idleTimeout).join());
if (process.send) {
  show("worker");
  process.disconnect();
} else {
  show("parent" + process.title);
  fork(__filename);
}
END
chmod +x vitest
NODE_OPTIONS=--title=mine run 1 -simulate ./vitest -out b/ci
has "$work/messages" 'parentmine 1,600000,2147483647'
has "$work/messages" 'worker 1,60000,300000000'
printf '#!/bin/sh\necho "Error: [vitest-pool-runner]: Timeout waiting for worker to respond" >&2\necho >&2; exit 1\n' >vitest
run 1 -simulate ./vitest -out b/ci
has "$work/messages" "cannot count './vitest' (head): it ended with status 1: vitest gave up because this machine is too slow"
ok "a slow machine"

# Without the plugin, vitest measures times and marks no benchmark.
printf '#!/bin/sh\necho "first 12,345 hz"\n' >vitest
run 1 -simulate './vitest bench --run' -out b/ci
has "$work/messages" 'first 12,345 hz'
has "$work/messages" "no benchmark was counted (head): './vitest bench --run' marked no benchmark for callgrind; add @codspeed/vitest-plugin"
ok "without the plugin"
