#!/bin/sh
# Fuzzes every target under tests/fuzz, SECONDS in all (60 when not given), with libFuzzer under sanitizers.
set -eu
cd "$(dirname "$0")/.."
. scripts/lib.sh
seconds=${1:-60}

have clang || want_packages clang
have clang || die "clang is needed to fuzz"
# libFuzzer and the sanitizers are a package of their own, named after clang's version.
want_packages "libclang-rt-$(clang -dumpversion | sed 's/\..*//')-dev"
build build-fuzz --preset fuzz -DPPROFC_BUILD_TESTS=ON

set -- build-fuzz/fuzz/fuzz_*
each=$((seconds / $#))
[ "$each" -ge 5 ] || each=5
for target in "$@"; do
  name=${target##*/fuzz_}
  found=build-fuzz/found/$name
  mkdir -p "$found"
  # What it learns is kept for the next run; the seeds are only read.
  seeds="testdata/valid testdata/broken"
  [ ! -d "tests/fuzz/corpus/$name" ] || seeds="$seeds tests/fuzz/corpus/$name"
  say "fuzzing $name for $each s"
  # shellcheck disable=SC2086
  if ! "$target" -max_total_time="$each" -timeout=5 -rss_limit_mb=1024 -print_final_stats=1 \
    -artifact_prefix="build-fuzz/$name-" "$found" $seeds >"build-fuzz/$name.log" 2>&1; then
    tail -n 60 "build-fuzz/$name.log"
    die "fuzzing $name found something; the input is build-fuzz/$name-*"
  fi
  sed -n 's/^stat::number_of_executed_units: */   inputs tried: /p' "build-fuzz/$name.log"
done
