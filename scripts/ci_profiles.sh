#!/usr/bin/env bash
# Runs `pprofci run` of this checkout to create the artifacts of a pull request. Without inputs, uses the bundled profiles.
#
#   scripts/ci_profiles.sh                                     the bundled generator profiles
#   scripts/ci_profiles.sh -base DIR -head DIR [-out DIR] [-bench-base FILE -bench-head FILE]
#   scripts/ci_profiles.sh -record ./pkg/... -base-ref main    runs the Go benchmarks of both commits itself
#   scripts/ci_profiles.sh -simulate-base CMD -simulate-head CMD   counts the instructions of two programs
#
# See docs/CI.md and pprofci(1). Exit status: 0 pass, 2 regression, 1 failed; with -no-fail 0 or 1.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)

for place in "${PPROFC_BIN:-}" "$root/build/bin" "$root/build/release/bin"; do
  if [ -n "$place" ] && [ -x "$place/pprofci" ]; then
    exec "$place/pprofci" run -bundled "$root/testdata" "$@"
  fi
done
command -v pprofci >/dev/null || {
  echo "ci_profiles: pprofci is not built: run scripts/quickstart.sh first, or set PPROFC_BIN" >&2
  exit 1
}
exec pprofci run -bundled "$root/testdata" "$@"
