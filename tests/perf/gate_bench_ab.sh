#!/bin/sh
# scripts/bench_ab.sh: both sides run in turns, every round is marked, the gate has the last word.
set -eu
scripts=$1
PARSE_BENCH_REGRESSIONS=$2
export PARSE_BENCH_REGRESSIONS
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail() {
  echo "$1" >&2
  exit 1
}

# expect STATUS ARGUMENTS...
expect() {
  wanted=$1
  shift
  status=0
  "$scripts/bench_ab.sh" -seed 1 "$@" >out 2>log || status=$?
  [ "$status" = "$wanted" ] || { cat out log; fail "status $status, not $wanted: $*"; }
}

# One process of a benchmark: three samples around a number, which differ from round to round.
cat >bench.sh <<'EOF'
n=$(wc -l <"$1.count" 2>/dev/null || echo 0)
echo "$1" >>order
echo x >>"$1.count"
for i in 1 2 3; do echo "BenchmarkA 1 $(($2 + n * 7 % 5 + i)) ns/op"; done
EOF

expect 2 -rounds 6 -base 'sh bench.sh base 1000' -head 'sh bench.sh head 1200'
[ "$(grep -c '^round: ' bench_ab/base.txt)" = 6 ] || fail "base has not 6 rounds"
[ "$(grep -c '^round: ' bench_ab/head.txt)" = 6 ] || fail "head has not 6 rounds"
grep -q 'medians of rounds' out || fail "the rounds are not what was tested"
tail -n 1 out | grep -q '^1 compared, 1 significant, 1 regressed, 0 missing$' || fail "no totals"
# In turns: never three runs of one side in a row. In random order: not always the same one first.
! uniq -c order | grep -q '^ *[3-9]' || fail "not in turns"
uniq -c order | grep -q '^ *2' || fail "always the same side first"

expect 0 -rounds 4 -base 'sh bench.sh base 1000' -head 'sh bench.sh head 1000'
expect 0 -aa -rounds 4 -base 'sh bench.sh base 1000'
grep -q '^noise floor: ' out || fail "no noise floor"
expect 1 -rounds 2 -base false -head true
expect 1 -rounds 0 -base true -head true
expect 1 -base true
expect 1 -aa -base true -head true
