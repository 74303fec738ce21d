#!/bin/sh
# Which lines the tests run: builds with gcov, runs the tests of the library and the programs, and prints the files of the library
# and the programs, the least covered first. Fails below 97 % of all lines or 85 % of a file.
# Tests that only run lines of other tests again are left out:
# - fuzz/drawn_*, http/stress, moved/rates and golden/secrets repeat fuzz/*, http/server, flame graphs and golden/commands with other inputs.
# - ci/workflows and ci/simulate_vitest run lines of the other tests of pprofci.
# - fault/kill kills its processes, so that gcov writes no counts.
# - ci/s3_cut, ci/simulate, ci/simulate_c, ci/walltime, mcp/sdk and mcp/lsp run the lines that ci/s3_*, ci/simulate_*, ci/walltime_pytest,
#   mcp/sdk_js and mcp/neovim run with other peers. The commands of ci/act are those of ci/functions and ci/publish.
# - ci/record takes minutes, and ci/store limits the size of files, of gcov's own, too.
# unit/test_hash runs the lines for a machine without random bytes.
# Tests and generated code are not counted. Parts that other programs test have a limit of their own (coverage.py).
set -eu
cd "$(dirname "$0")/.."
. scripts/lib.sh

build build-coverage -DCMAKE_BUILD_TYPE=Debug -DPPROFC_BUILD_TESTS=ON \
  -DCMAKE_C_FLAGS="-fprofile-arcs -ftest-coverage" -DCMAKE_C_FLAGS_DEBUG="-g -O0" \
  -DCMAKE_EXE_LINKER_FLAGS=--coverage -DCMAKE_SHARED_LINKER_FLAGS=--coverage -DCMAKE_MODULE_LINKER_FLAGS=--coverage
find build-coverage -name '*.gcda' -delete
say "running the tests"
ctest --test-dir build-coverage -j "$(test_jobs)" -L 'unit|golden|examples|fuzz|fault|flame|simulate|completion|shell|fetch|http|ci|service|mcp' -LE web \
  -E '^(ci/(record|store|act|s3_(s3rver|moto|versitygw)|simulate_(go|node|pytest|vitest)|walltime_pytest|workflows)|fault/kill|fuzz/drawn_.*|golden/secrets|http/stress|mcp/(neovim|sdk_js)|moved/rates)$' \
  --output-on-failure >build-coverage/tests.log 2>&1 || {
  cat build-coverage/tests.log
  die "tests failed"
}
python3 scripts/coverage.py build-coverage "$@"
