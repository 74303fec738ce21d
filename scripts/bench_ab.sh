#!/bin/sh
# Compares two programs' benchmarks fairly: both run in turns, in random order, one process a round, and the gate tests
# the medians of the rounds. Ten rounds of one process tell more than one process with -count=10: what differs from one
# start of a process to the next is then part of the noise, not of the difference.
set -eu

usage() {
  cat <<'EOF'
usage: scripts/bench_ab.sh [-rounds N] [-o DIR] [-seed N] -base CMD -head CMD [-- GATE FLAGS]
       scripts/bench_ab.sh -aa [-rounds N] [-o DIR] [-seed N] -base CMD

  -base CMD, -head CMD   shell commands that print benchmark results, as `./old.test -test.bench .`
  -rounds N              processes a side (10); the gate tests medians of rounds from 4 on
  -o DIR                 where base.txt and head.txt are written (a new folder under the current one: bench_ab)
  -seed N                order of the runs (from the clock)
  -aa                    run base against itself: prints the machine's noise floor and a threshold per benchmark

The exit status is that of parse_bench_regressions: 0 pass, 2 regression, 1 no result, 3 doubts with -strict; with -aa 3
when two runs of the same program would have failed.
EOF
}

fail() {
  echo "bench_ab.sh: $1" >&2
  exit 1
}

rounds=10 base='' head='' out=bench_ab seed='' aa=no
while [ $# -gt 0 ]; do
  case "$1" in
  -h | -help | --help) usage; exit 0 ;;
  -aa) aa=yes; shift; continue ;;
  --) shift; break ;;
  -rounds | -base | -head | -o | -seed) [ $# -ge 2 ] || fail "$1 needs a value" ;;
  *) usage >&2; exit 1 ;;
  esac
  case "$1" in
  -rounds) rounds=$2 ;;
  -base) base=$2 ;;
  -head) head=$2 ;;
  -o) out=$2 ;;
  -seed) seed=$2 ;;
  esac
  shift 2
done
case "$rounds" in '' | *[!0-9]* | 0*) fail "-rounds must be a whole number from 1 up, not '$rounds'" ;; esac
case "$seed" in *[!0-9]*) fail "-seed must be a whole number, not '$seed'" ;; esac
[ -n "$base" ] || fail "-base is missing; -help tells more"
[ "$aa" = no ] || { [ -z "$head" ] || fail "-aa compares base with itself; leave -head out"; head=$base; }
[ -n "$head" ] || fail "-head is missing; -help tells more"
[ -n "$seed" ] || seed=$(date +%s)

case "$out" in -*) out=./$out ;; esac # a name is never an option
mkdir -p "$out"
: >"$out/base.txt"
: >"$out/head.txt"

# One process. A run that fails is no result: what it printed stays, and so does its status.
run() {
  echo "round: $3" >>"$out/$1.txt"
  status=0
  sh -c -- "$2" >>"$out/$1.txt" || status=$?
  [ $status = 0 ] || fail "round $3: the $1 command failed with status $status"
}

# 0 or 1 for each round: who goes first.
order=$(awk -v n="$rounds" -v seed="$seed" 'BEGIN { srand(seed); for (i = 0; i < n; i++) print int(rand() * 2) }')
round=0
for first in $order; do
  round=$((round + 1))
  echo "round $round of $rounds" >&2
  if [ "$first" = 0 ]; then
    run base "$base" $round
    run head "$head" $round
  else
    run head "$head" $round
    run base "$base" $round
  fi
done

[ "$aa" = no ] || set -- -aa "$@"
exec "$(dirname "$0")/parse_bench_regressions.sh" "$@" -base "$out/base.txt" -head "$out/head.txt"
