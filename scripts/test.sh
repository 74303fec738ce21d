#!/bin/sh
# From a fresh clone to a tested build: installs what is missing, builds, and runs every test.
# Needs a shell and apt; may be run again at any time.
set -eu
cd "$(dirname "$0")/.."
. scripts/lib.sh

install_build_tools
need_packages libcunit1-dev python3
want_packages g++ valgrind
scripts/web_tools.sh

build build -DPPROFC_BUILD_TESTS=ON

say "running the tests"
if ! ctest --test-dir build -j "$(processors)" --output-on-failure >build/tests.log 2>&1; then
  cat build/tests.log
  die "tests failed; build/tests.log has it all"
fi
grep -E 'Skipped|\*\*\*Skipped' build/tests.log || true
tail -n 4 build/tests.log
say "all tests passed"
