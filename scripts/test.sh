#!/bin/sh
# From a fresh clone to a tested build: installs what is missing, builds, and runs every test.
# Needs a shell and apt; may be run again at any time.
set -eu
cd "$(dirname "$0")/.."
. scripts/lib.sh

install_build_tools
need_packages libcunit1-dev python3
want_packages g++ valgrind
# Some tests run in a real browser, and skip themselves where there is none; they fetch their npm packages.
browser=
have chromium || have chromium-browser || browser="$browser chromium"
have node || browser="$browser nodejs"
have npm || browser="$browser npm"
# shellcheck disable=SC2086 # a list of words
want_packages $browser

build build -DPPROFC_BUILD_TESTS=ON

say "running the tests"
if ! ctest --test-dir build -j "$(processors)" --output-on-failure >build/tests.log 2>&1; then
  cat build/tests.log
  die "tests failed; build/tests.log has it all"
fi
grep -E 'Skipped|\*\*\*Skipped' build/tests.log || true
tail -n 4 build/tests.log
say "all tests passed"
