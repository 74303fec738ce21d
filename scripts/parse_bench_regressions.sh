#!/bin/sh
# Runs parse_bench_regressions, which fails if benchmarks got slower.
#
#   THRESHOLD_PERCENT=5 scripts/parse_bench_regressions.sh [DIR]
#
# Runs the program in build/bin, or else the installed one. The exit status is that program's status: 0: pass, 2:
# regression, 1: no result, 3: uncertain with -strict.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
for program in "${PARSE_BENCH_REGRESSIONS:-}" "$root/build/bin/parse_bench_regressions" \
  "$(command -v parse_bench_regressions || true)"; do
  [ -z "$program" ] || [ ! -x "$program" ] || exec "$program" "$@"
done
echo "parse_bench_regressions is neither built nor installed; make builds it" >&2
echo "0 compared, 0 significant, 0 regressed, 0 missing"
exit 1
