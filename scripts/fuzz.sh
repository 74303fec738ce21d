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

set -- build-fuzz/bin/fuzz_*
[ -x "$1" ] || { say "there is no fuzz target yet"; exit 0; }
each=$((seconds / $#))
[ "$each" -ge 5 ] || each=5
for target in "$@"; do
  name=${target##*/}
  corpus=build-fuzz/corpus/$name
  seeds=testdata/fuzz/$name
  mkdir -p "$corpus"
  [ -d "$seeds" ] || seeds=
  say "fuzzing $name for $each s"
  # shellcheck disable=SC2086
  "$target" -max_total_time="$each" -timeout=5 -rss_limit_mb=1024 -print_final_stats=1 \
    -artifact_prefix="build-fuzz/$name." "$corpus" $seeds >"build-fuzz/$name.log" 2>&1 || {
    tail -n 60 "build-fuzz/$name.log"
    die "$name found something"
  }
  grep 'number_of_executed_units' "build-fuzz/$name.log" || true
done
