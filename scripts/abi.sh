#!/bin/sh
# Compares the shared library with the one of an earlier commit: REF, or else the newest tag, or else the previous
# commit. Fails if a program that was built with the earlier library could break (docs/ABI.md).
#
#   scripts/abi.sh [REF]
set -eu
cd "$(dirname "$0")/.."
. scripts/lib.sh

have abidiff || want_packages abigail-tools
have abidiff || die "abidiff is needed (package abigail-tools)"
reference=${1:-$(git describe --tags --abbrev=0 2>/dev/null || git rev-parse --verify --quiet HEAD~1 || true)}
if [ -z "$reference" ]; then
  say "no earlier commit to compare the library with"
  exit 0
fi
work=$(mktemp -d)
trap 'git worktree remove --force "$work/earlier" 2>/dev/null; rm -rf "$work"' EXIT
git worktree add --quiet --detach "$work/earlier" "$reference" -- || die "cannot check out '$reference'"

# minor FOLDER: prints the version in FOLDER up to its minor number, such as 0.1.
minor() {
  sed -n 's/^#define PPROFC_VERSION  *"\([0-9]*\.[0-9]*\)\..*/\1/p' "$1/libpprofc/include/pprofc/base.h"
}
# library FOLDER BUILD: builds the shared library with debug information.
library() {
  if ! { cmake -S "$1" -B "$2" -DPPROFC_BUILD_TESTS=OFF -DPPROFC_ROOMS=ON -DCMAKE_BUILD_TYPE=Debug &&
    cmake --build "$2" -j "$(processors)" --target pprofc_shared; } >"$work/log" 2>&1; then
    tail -n 20 "$work/log" >&2
    die "cannot build the library of $1"
  fi
}
say "comparing the library with that of $(git rev-parse --short "$reference")"
# Both build folders have the same name, so that ccache can use the objects of one build for the other.
library "$work/earlier" "$work/earlier/build-abi"
library . build-abi

status=0
abidiff --suppressions scripts/abi.suppressions --drop-private-types \
  --headers-dir1 "$work/earlier/libpprofc/include" --headers-dir2 libpprofc/include \
  "$work/earlier/build-abi/libpprofc/libpprofc.so" build-abi/libpprofc/libpprofc.so >"$work/said" || status=$?
# Bits of the status: 0: abidiff failed; 1: wrong usage; 2: the ABI changed; 3: the change is certainly incompatible.
if [ $((status & 3)) -ne 0 ]; then
  cat "$work/said"
  die "abidiff failed with status $status"
fi
if [ "$status" -eq 0 ]; then
  summary=$(sed -n "s/^Functions changes summary: //p" "$work/said")
  say "the library is compatible${summary:+: $summary}"
  exit 0
fi
sed -n '1,60p' "$work/said"
if [ "$(minor "$work/earlier")" != "$(minor .)" ]; then
  say "the library is not compatible; the version went from $(minor "$work/earlier") to $(minor .), so it may be"
  exit 0
fi
die "the library is not compatible with that of $reference; see docs/ABI.md"
