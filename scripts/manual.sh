#!/bin/sh
# Keeps the manual pages in docs/man and the flag tables of the programs the same: everything from "## Options" on is
# what the program prints with -manual.
#
#   scripts/manual.sh BUILD/bin            rewrites the pages
#   scripts/manual.sh --check BUILD/bin    says what differs, and fails when something does
set -eu
check=no
[ "$1" != --check ] || { check=yes; shift; }
bin=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."

new=$(mktemp)
trap 'rm -f "$new"' EXIT
status=0
for page in docs/man/*.1.md; do
  name=$(basename "$page" .1.md)
  [ -x "$bin/$name" ] || continue
  sed '/^## Options$/,$d' "$page" >"$new"
  "$bin/$name" -manual >>"$new"
  if [ "$check" = no ]; then
    cmp -s "$new" "$page" || cp "$new" "$page"
  elif ! diff -u "$page" "$new"; then
    echo "$page is not what $name -manual prints; scripts/manual.sh makes it so"
    status=1
  fi
done
exit $status
