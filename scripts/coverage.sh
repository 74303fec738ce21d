#!/bin/sh
# Which lines the tests run: builds with gcov, runs the tests of the library and the programs, and prints the files of the library
# and the programs, the least covered first. Fails below 97 % of all lines or 85 % of a file.
# ci/record takes minutes; ci/store limits the size of files, of gcov's own, too. golden/secrets runs the lines of golden/commands again;
# unit/test_hash runs those for a machine without random bytes.
# Tests and generated code are not counted. Parts that other programs test have a limit of their own (coverage.py).
set -eu
cd "$(dirname "$0")/.."
. scripts/lib.sh

build build-coverage -DCMAKE_BUILD_TYPE=Debug -DPPROFC_BUILD_TESTS=ON \
  -DCMAKE_C_FLAGS="-fprofile-arcs -ftest-coverage" -DCMAKE_C_FLAGS_DEBUG="-g -O0" \
  -DCMAKE_EXE_LINKER_FLAGS=--coverage -DCMAKE_SHARED_LINKER_FLAGS=--coverage -DCMAKE_MODULE_LINKER_FLAGS=--coverage
find build-coverage -name '*.gcda' -delete
say "running the tests"
ctest --test-dir build-coverage -j "$(test_jobs)" -L 'unit|golden|examples|fuzz|fault|flame|simulate|completion|shell|fetch|http|ci|service|mcp' -LE web -E 'ci.(record|store)|golden.secrets' \
  --output-on-failure >build-coverage/tests.log 2>&1 || {
  cat build-coverage/tests.log
  die "tests failed"
}
python3 scripts/coverage.py build-coverage "$@"
