#!/bin/sh
# Tests a fresh clone: installs missing packages, builds, and runs every test. Needs a shell and apt. You can run it
# again at any time.
set -eu
cd "$(dirname "$0")/.."
. scripts/lib.sh

# Some tests run in a real browser, and skip themselves without one. They fetch their npm packages.
wanted="g++ valgrind libjansson-dev dpkg-dev python3-venv python3-yaml"
have chromium-headless-shell || have chromium || have chromium-browser || wanted="$wanted chromium"
have node || wanted="$wanted nodejs"
have npm || wanted="$wanted npm"
have curl || have wget || wanted="$wanted curl"
install_build_tools "libcunit1-dev python3" "$wanted"

build build -DPPROFC_BUILD_TESTS=ON

say "running the tests"
if ! ctest --test-dir build -j "$(test_jobs)" --output-on-failure >build/tests.log 2>&1; then
  cat build/tests.log
  die "tests failed; build/tests.log has it all"
fi
grep -E '% tests passed|^Total Test time' build/tests.log
skipped=$(awk -f scripts/skipped.awk build/Testing/Temporary/LastTest.log build/tests.log)
if [ -n "$skipped" ]; then
  say "skipped, and why"
  printf '%s\n' "$skipped" | sed 's/^/   /'
  say "all other tests passed"
else
  say "all tests passed"
fi
