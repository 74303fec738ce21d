#!/bin/sh
# Keeps documents the same as the tables of the programs. Of the manual pages in docs/man everything from "## Options" on
# is what the program prints with -manual; docs/FORMATS.md has what pprofc prints with -formats=markdown between
# "<!-- formats -->" and "<!-- end of formats -->".
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

# keep PAGE COMMAND: the page must be what is in $new, which COMMAND printed.
keep() {
  if [ "$check" = no ]; then
    cmp -s "$new" "$1" || cp "$new" "$1"
  elif ! diff -u "$1" "$new"; then
    echo "$1 is not what $2 prints; scripts/manual.sh makes it so"
    status=1
  fi
}

for page in docs/man/*.1.md; do
  name=$(basename "$page" .1.md)
  [ -x "$bin/$name" ] || continue
  sed '/^## Options$/,$d' "$page" >"$new"
  "$bin/$name" -manual >>"$new"
  keep "$page" "$name -manual"
done

page=docs/FORMATS.md
{
  sed '/^<!-- formats -->$/q' "$page"
  echo
  "$bin/pprofc" -formats=markdown
  echo
  sed -n '/^<!-- end of formats -->$/,$p' "$page"
} >"$new"
keep "$page" "pprofc -formats=markdown"
exit $status
