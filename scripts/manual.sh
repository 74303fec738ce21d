#!/bin/sh
# Keeps the documents equal to the tables of the programs. In the pages of docs/man, a program's output of -manual
# follows "## Options". In docs/FORMATS.md, the output of pprofc -formats=markdown is between "<!-- formats -->" and
# "<!-- end of formats -->".
#
#   scripts/manual.sh BUILD/bin            rewrites the pages
#   scripts/manual.sh --check BUILD/bin    prints the differences, and fails if there are any
set -eu
check=no
[ "$1" != --check ] || { check=yes; shift; }
bin=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."

new=$(mktemp)
trap 'rm -f "$new"' EXIT
status=0

# keep PAGE COMMAND: compares PAGE with $new, the output of COMMAND, if --check is given. Otherwise
# replaces PAGE by $new.
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
