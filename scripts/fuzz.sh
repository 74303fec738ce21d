#!/bin/sh
# Fuzzes with libFuzzer and sanitizers. The reader gets SECONDS (default 60). The other targets under tests/fuzz share SECONDS, but get at
# least 3 each; as many run at the same time as there are processors. `fuzz.sh -campaign HOURS` gives each target an equal share of this
# time. Then it reads 100,000 generated profiles in every way, and kills 500 writers of each kind. `fuzz.sh -build` only builds.
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

# fuzz NAME SECONDS: runs a target. Keeps the inputs that it finds for the next run, and only reads the seeds.
fuzz() {
  found=build-fuzz/found/$1
  mkdir -p "$found"
  seeds="testdata/valid testdata/broken"
  [ ! -d "tests/fuzz/corpus/$1" ] || seeds="$seeds tests/fuzz/corpus/$1"
  # These targets create pages from profiles of megabytes. The limit is high, so that a busy machine does not look like a hang.
  case $1 in ci_run | noise | routes | shape | view | ways) limit=120 ;; *) limit=10 ;; esac
  # A response of -http can have 512 MiB, in a buffer that doubles its size.
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

# fuzz_all: reads lines "NAME SECONDS". Runs as many of these targets at the same time as there are processors.
fuzz_all() {
  xargs -n 2 -P "$(processors)" ./scripts/fuzz.sh -one
}

# others SECONDS: prints a line for fuzz_all for each target except the reader.
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
# libFuzzer and the sanitizers have their own package, whose name contains clang's version.
want_packages "libclang-rt-$(clang -dumpversion | sed 's/\..*//')-dev"
build_target=fuzz_targets build build-fuzz --preset fuzz -DPPROFC_BUILD_TESTS=ON
[ "${1:-}" != -build ] || exit 0
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
