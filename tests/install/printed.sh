#!/bin/sh
# Runs the lines that quickstart.sh prints at its end: printed.sh BUILD. In the current folder BUILD has the name
# `build`.
set -eu
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ln -s "$build" "$work/build"
cd "$work"
DESTDIR=$work/root
export DESTDIR

sed -n "/^cat <<'EOL'/,/^EOL/s/^   //p" "$here/../../scripts/quickstart.sh" >lines
[ "$(wc -l <lines)" -ge 3 ] || { echo "quickstart.sh prints $(wc -l <lines) lines"; exit 1; }
while read -r line; do
  sh -c "$line" >said 2>&1 </dev/null || { echo "failed: $line"; cat said; exit 1; }
  case $line in
    *--install*) [ -x "$(find root -name pprofc -path '*/bin/*')" ] || { echo "not installed by: $line"; exit 1; } ;;
  esac
  echo "ok: $line"
done <lines
left=$(find root ! -type d)
[ -z "$left" ] || { echo "uninstall leaves: $left"; exit 1; }
