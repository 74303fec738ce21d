#!/bin/sh
# Brings what the tests in a real browser need: chromium, node and the npm package speedscope. What cannot be
# had is left out, and the tests that need it skip themselves.
set -eu
cd "$(dirname "$0")/.."
. scripts/lib.sh

speedscope=1.25.0
wanted=
have chromium || have chromium-browser || wanted="$wanted chromium"
have node || wanted="$wanted nodejs"
have npm || wanted="$wanted npm"
# shellcheck disable=SC2086 # a list of words
[ -z "$wanted" ] || want_packages $wanted

if ! have npm; then
  say "going on without npm"
elif [ ! -d ".cache/npm/node_modules/speedscope" ]; then
  say "fetching the npm package speedscope $speedscope"
  mkdir -p .cache/npm
  npm install --silent --no-save --ignore-scripts --prefix .cache/npm "speedscope@$speedscope" >/dev/null 2>&1 ||
    say "going on without the npm package speedscope"
fi
