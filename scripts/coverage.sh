#!/bin/sh
# Builds with AddressSanitizer, UndefinedBehaviorSanitizer and counters of lines. Runs the tests of the library and the
# programs. Prints the files of the library and the programs, least covered first. Fails if a test fails, below 97 % of
# all lines, or below 85 % of a file. The script uses clang, because its sanitizers find everything that gcc's
# sanitizers find, and also offsets to null and calls through another type.
# The script skips these tests:
# - Tests of pages, scripts, installations, Spark and other profilers learn nothing from the sanitizers.
# - ci/workflows and ci/simulate_* (but ci/simulate_c) run lines of the other tests of pprofci.
# - ci/s3_* and ci/walltime_pytest run the lines of ci/s3_cut and ci/walltime with other peers. The commands of ci/act
#   are the same as in ci/functions and ci/publish.
# - ci/record takes minutes.
# unit/test_hash runs the lines for a machine without random bytes.
# Tests and generated code are not counted. Parts that other programs test have a limit of their own (coverage.py).
# `coverage.sh -build` only builds.
set -eu
cd "$(dirname "$0")/.."
. scripts/lib.sh

# Each program adds its counts to a file of its own.
counts=$PWD/build-clang/counts
build build-clang --preset asan -DCMAKE_C_COMPILER=clang \
  -DCMAKE_C_FLAGS="-fprofile-instr-generate=$counts/%m.profraw -fcoverage-mapping" -DPPROFC_BUILD_TESTS=ON
[ "${1:-}" != -build ] || exit 0
rm -rf "$counts"
say "running the tests"
ctest --test-dir build-clang -j "$(test_jobs)" -LE 'web|install|perf|style|recorders|fleet|fresh' \
  -E '^ci/(record|act|s3_(s3rver|moto|versitygw)|simulate_(go|node|pytest|vitest)|walltime_pytest|workflows)$' \
  --output-on-failure >build-clang/tests.log 2>&1 || {
  cat build-clang/tests.log
  die "tests failed; build-clang/tests.log has it all"
}
tail -n 12 build-clang/tests.log
python3 scripts/coverage.py build-clang "$@"
