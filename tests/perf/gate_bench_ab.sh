#!/bin/sh
# Tests scripts/bench_ab.sh: it must run both sides in turns, mark each round, and return the verdict of the gate.
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

# expect STATUS ARGUMENTS...: runs the script and checks its exit status.
expect() {
  wanted=$1
  shift
  status=0
  "$scripts/bench_ab.sh" -seed 1 "$@" >out 2>log || status=$?
  [ "$status" = "$wanted" ] || { cat out log; fail "status $status, not $wanted: $*"; }
}

# Prints one process of a benchmark: three samples close to a number, which differs from round to round.
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
# Sides run in turns: never three runs of one side in a row. The order is random: not always the same side first.
! uniq -c order | grep -q '^ *[3-9]' || fail "not in turns"
uniq -c order | grep -q '^ *2' || fail "always the same side first"

expect 0 -rounds 4 -base 'sh bench.sh base 1000' -head 'sh bench.sh head 1000'
expect 0 -aa -rounds 4 -base 'sh bench.sh base 1000'
grep -q '^noise floor: ' out || fail "no noise floor"
expect 1 -rounds 2 -base false -head true
expect 1 -rounds 0 -base true -head true
expect 1 -base true
expect 1 -aa -base true -head true

# Profiles are recorded separately from the rounds, in turns, for each benchmark alone, and with equal work. This
# program has the flags of a Go test.
cat >fake.test <<'EOS'
#!/bin/sh
n=1000 bench=. time=$1
shift
for a in "$@"; do
  case "$a" in
  -test.bench=*) bench=${a#*=} ;;
  -test.benchtime=*x) n=${a#-test.benchtime=} n=${n%x} ;;
  -test.*profile=*) echo "$time $bench $n" >"${a#*=}"; echo "$time ${a##*/runs/}" >>profiled ;;
  esac
done
for name in 'BenchmarkA/k=(1|2)-4' BenchmarkB-4; do
  case "$bench" in .) ;; '^BenchmarkB$') [ $name = BenchmarkB-4 ] || continue ;; *) [ $name != BenchmarkB-4 ] || continue ;; esac
  echo "$name $n $time ns/op 0 B/op 0 allocs/op"
done
EOS
chmod +x fake.test
expect 2 -rounds 4 -profile-runs 2 -o 'a b' -base './fake.test 1000 -test.bench=. -test.benchtime=20ms' -head './fake.test 1500 -test.bench=.'
[ "$(head -n 8 profiled)" = "1000 A_k=_1_2_-4_cpu/base/run1.pb.gz
1000 A_k=_1_2_-4_mem/base/run1.pb.gz
1500 A_k=_1_2_-4_cpu/head/run1.pb.gz
1500 A_k=_1_2_-4_mem/head/run1.pb.gz
1000 A_k=_1_2_-4_cpu/base/run2.pb.gz
1000 A_k=_1_2_-4_mem/base/run2.pb.gz
1500 A_k=_1_2_-4_cpu/head/run2.pb.gz
1500 A_k=_1_2_-4_mem/head/run2.pb.gz" ] || fail "not these profiles in turns: $(cat profiled)"
[ "$(wc -l <profiled)" = 16 ] || fail "not all benchmarks: $(cat profiled)"
[ "$(cat 'a b/runs/A_k=_1_2_-4_cpu/head/run2.pb.gz')" = '1500 ^BenchmarkA$/^k=\(1\|2\)$ 20000' ] || fail "not equal work: $(cat 'a b/runs/'*/*/*)"
[ "$(grep -c '^BenchmarkB-4 20000 1500 ns/op' 'a b/runs/B-4_mem/head.txt')" = 2 ] || fail "not a result for each run"
[ "$(grep -c '^Benchmark' 'a b/base.txt')" = 8 ] || fail "a profiled run became a round"
grep -q '^profiling 2 benchmarks, 2 runs of each version: about [0-9]* s$' log || fail "the time is not told"
rm profiled
expect 2 -rounds 4 -profile-runs 0 -o 'a b' -base './fake.test 1000 -test.bench=.' -head './fake.test 1500 -test.bench=.'
[ ! -e profiled ] || fail "profiles that were not asked for"
expect 1 -rounds 4 -profile-runs 2 -base 'sh bench.sh base 1000' -head 'sh bench.sh head 1200'
grep -q 'cannot profile: .* does not run a Go test program' log || fail "it does not say why there are no profiles"
expect 1 -rounds 4 -profile-runs x -base 'sh bench.sh base 1000' -head 'sh bench.sh head 1200'
