#!/bin/sh
# Packs the static programs of a folder as OUT/NAME.tar.gz: tarball.sh INSTALLED PROGRAMS NAME LICENSES OUT. Adds
# documents, manual pages and completions from the tree INSTALLED, and the licenses of the linked libraries. $STRIP
# strips programs.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
installed=$1 programs=$2 name=$3 licenses=$4 out=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/$name
mkdir -p "$root/bin" "$root/share/doc/pprofc"
for program in pprofc benchstatc parse_bench_regressions pprofci; do
  "${STRIP:-strip}" --strip-unneeded -R .comment -o "$root/bin/$program" "$programs/$program"
done
cp -R "$installed/usr/share/bash-completion" "$installed/usr/share/zsh" "$installed/usr/share/fish" "$root/share/"
mkdir -p "$root/share/man"
cp -R "$installed/usr/share/man/man1" "$root/share/man/"
cp "$here/../LICENSE" "$here/../README.md" "$here/../CHANGELOG.md" "$root/share/doc/pprofc/"
cp -R "$licenses" "$root/share/doc/pprofc/licenses"
# README.md refers to the pages as docs/NAME.md.
mkdir "$root/share/doc/pprofc/docs"
cp "$here"/../docs/*.md "$root/share/doc/pprofc/docs/"
find "$root" -type d -exec chmod 755 {} +
find "$root" -type f ! -path '*/bin/*' -exec chmod 644 {} +
chmod 755 "$root"/bin/*
tar -C "$work" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=ustar -cf "$work/tar" "$name"
gzip -9n <"$work/tar" >"$out/$name.tar.gz"
