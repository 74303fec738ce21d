#!/bin/sh
# Fuzzes with libFuzzer under sanitizers: the reader for SECONDS (60 when not given), and every other target under tests/fuzz for its
# share of SECONDS, at least 3, as many at a time as there are processors. `fuzz.sh -campaign HOURS` gives all targets the same share
# of that time, then reads 100,000 drawn profiles in every way and kills 500 writers of each kind.
set -eu
cd "$(dirname "$0")/.."
. scripts/lib.sh
campaign=
if [ "${1:-}" = -campaign ]; then
  campaign=${2:-}
  case $campaign in '' | *[!0-9]*) die "usage: fuzz.sh [SECONDS] | fuzz.sh -campaign HOURS" ;; esac
  shift 2
fi
seconds=${1:-60}

# fuzz NAME SECONDS: what it learns is kept for the next run; the seeds are only read.
fuzz() {
  found=build-fuzz/found/$1
  mkdir -p "$found"
  seeds="testdata/valid testdata/broken"
  [ ! -d "tests/fuzz/corpus/$1" ] || seeds="$seeds tests/fuzz/corpus/$1"
  # These draw profiles of megabytes and make whole pages of them; other work on the machine must not look like a hang.
  case $1 in ci_run | noise | routes | shape | view | ways) limit=120 ;; *) limit=10 ;; esac
  # One answer of -http has up to 512 MiB, in a buffer that doubles.
  memory=1024
  [ "$1" != routes ] || memory=2048
  # shellcheck disable=SC2086 # a list of words
  if ! "build-fuzz/fuzz/fuzz_$1" -max_total_time="$2" -timeout="$limit" -rss_limit_mb="$memory" -print_final_stats=1 -close_fd_mask=1 \
    -artifact_prefix="build-fuzz/$1-" "$found" $seeds >"build-fuzz/$1.log" 2>&1; then
    tail -n 60 "build-fuzz/$1.log"
    die "fuzzing $1 found something; the input is build-fuzz/$1-*"
  fi
  say "fuzzed $1 for $2 s: $(sed -n 's/^stat::number_of_executed_units: *//p' "build-fuzz/$1.log") inputs, nothing found"
}

# fuzz_all: reads lines "NAME SECONDS" and fuzzes these targets, as many at a time as there are processors.
fuzz_all() {
  xargs -n 2 -P "$(processors)" ./scripts/fuzz.sh -one
}

# others SECONDS: lines for fuzz_all of all targets but the reader.
others() {
  for target in build-fuzz/fuzz/fuzz_*; do
    [ "$target" = build-fuzz/fuzz/fuzz_read ] || echo "${target##*/fuzz_} $1"
  done
}

if [ "${1:-}" = -one ]; then
  fuzz "$2" "$3"
  exit
fi

have clang || want_packages clang
have clang || die "clang is needed to fuzz"
# libFuzzer and the sanitizers are a package of their own, named after clang's version.
want_packages "libclang-rt-$(clang -dumpversion | sed 's/\..*//')-dev"
build_target=fuzz_targets build build-fuzz --preset fuzz -DPPROFC_BUILD_TESTS=ON
count=$(others 1 | wc -l)

if [ -n "$campaign" ]; then
  each=$((campaign * 3600 * $(processors) / (count + 1)))
  say "fuzzing $((count + 1)) targets for $each s each"
  status=0
  { echo "read $each"; others "$each"; } | fuzz_all || status=1
  build_target="fuzz_ways pprofc pprofci" build build --preset release -DPPROFC_BUILD_TESTS=ON
  build/fuzz/fuzz_ways -random=100000 || status=1
  python3 -B tests/fault/fault_kill.py build/bin testdata 500 || status=1
  exit $status
fi

say "fuzzing for $seconds s"
each=$((seconds / count))
[ "$each" -ge 3 ] || each=3
{ echo "read $seconds"; others "$each"; } | fuzz_all || exit 1
