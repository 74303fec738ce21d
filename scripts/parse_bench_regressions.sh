#!/bin/sh
# Fails when benchmarks got slower: parse_bench_regressions by its other name.
#
#   THRESHOLD_PERCENT=5 scripts/parse_bench_regressions.sh [DIR]
#
# Finds the program that is built in build/bin, or the installed one. The exit status is the program's: 0 pass,
# 2 regression, 1 no result, 3 doubts with -strict.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
for program in "${PARSE_BENCH_REGRESSIONS:-}" "$root/build/bin/parse_bench_regressions" \
  "$(command -v parse_bench_regressions || true)"; do
  [ -z "$program" ] || [ ! -x "$program" ] || exec "$program" "$@"
done
echo "parse_bench_regressions is neither built nor installed; make builds it" >&2
echo "0 compared, 0 significant, 0 regressed, 0 missing"
exit 1
