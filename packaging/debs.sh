#!/bin/sh
# Creates the packages libpprofc0.1, libpprofc-dev and pprofc for this machine's architecture: debs.sh INSTALLED OUT.
# INSTALLED is the tree that `cmake --install --prefix INSTALLED/usr` has created. VERSION, MAINTAINER and
# SOURCE_DATE_EPOCH are in the environment. The dependencies of a package are the shared libraries of its programs.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../scripts/lib.sh"
installed=$1 out=$2
architecture=$(dpkg --print-architecture)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
mkdir -p "$work/debian"
printf 'Source: pprofc\n\nPackage: pprofc\nArchitecture: any\n' >"$work/debian/control"
libraries=$(dirname "$(find "$installed/usr" -name 'libpprofc.so')")
libraries=${libraries#"$installed"}
case $libraries in
  /usr/lib/*-linux-*) multiarch='^$' ;;
  *) multiarch='^Multi-Arch: same$' ;; # the tree is for one architecture
esac

# take PACKAGE PATH...: copies the existing paths from the tree into the package.
take() {
  package=$1
  shift
  for path in "$@"; do
    mkdir -p "$root/$package${path%/*}"
    cp -R -P "$installed"$path "$root/$package${path%/*}/"
  done
}

# finish PACKAGE: strips programs, compresses documents, and sets modes as in Debian.
finish() {
  folder=$root/$1
  find "$folder" -type f \( -path '*/bin/*' -o -name '*.so.*' \) -exec strip --strip-unneeded -R .comment -R .note {} +
  find "$folder" -type f -name '*.a' -exec strip --strip-debug -R .comment -D {} +
  doc=$folder/usr/share/doc/$1
  mkdir -p "$doc"
  cp "$here/debian/copyright" "$doc/copyright"
  {
    printf 'pprofc (%s) unstable; urgency=medium\n\n  * Release of this version; its changes are in CHANGELOG.md of the source.\n\n' "$VERSION"
    printf ' -- %s  %s\n' "$MAINTAINER" "$(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")"
  } >"$doc/changelog"
  gzip -9n "$doc/changelog"
  [ ! -d "$folder/usr/share/man" ] || find "$folder/usr/share/man" -type f -exec gzip -9n {} +
  find "$folder" -type d -exec chmod 755 {} +
  find "$folder" -type f -path '*/bin/*' -exec chmod 755 {} +
  find "$folder" -type f ! -path '*/bin/*' -exec chmod 644 {} +
}

# needed_libraries PACKAGE: prints the packages of the shared libraries of its files.
needed_libraries() {
  find "$root/$1" -type f \( -path '*/bin/*' -o -name '*.so.*' \) | sort >"$work/files"
  # shellcheck disable=SC2046 # names of the project
  (cd "$work" && dpkg-shlibdeps -O --ignore-missing-info $(sed 's/^/-e/' files) 2>"$work/log") | sed -n 's/^shlibs:Depends=//p'
}

# Prints the packages of the libraries that pprofc.pc names, for programs that link the archive.
needed_archives() {
  modules=$(sed -n 's/^Requires.private: //p' "$installed$libraries/pkgconfig/pprofc.pc")
  names=''
  for module in $modules; do
    names="$names $(dpkg-query -S "*/pkgconfig/$module.pc" | sed 's/:.*//' | head -n 1)"
  done
  ! grep -q -e -liberty "$installed$libraries/pkgconfig/pprofc.pc" || names="$names libiberty-dev"
  # shellcheck disable=SC2086 # a list of words
  printf '%s\n' $names | sort -u | paste -s -d , | sed 's/,/, /g'
}

# control PACKAGE: writes the fields of debian/control.
control() {
  meta=$root/$1/DEBIAN
  size=$(find "$root/$1" -type f -printf '%s\n' | awk '{ kilobytes += int(($1 + 1023) / 1024) } END { print kilobytes + 4 }')
  mkdir -p "$meta"
  awk -v RS= -v want="Package: $1" 'index($0, want "\n") == 1' "$here/debian/control" |
    sed -e "/$multiarch/d" -e "s/\${version}/$VERSION/" -e "s/\${requires}/$(needed_archives)/" \
      -e "s/\${shlibs}/$(needed_libraries "$1")/" \
      -e "s/^Section: .*/&\nVersion: $VERSION\nArchitecture: $architecture\nMaintainer: $MAINTAINER\nInstalled-Size: $size\nPriority: optional\nSource: pprofc/" \
      -e '/^Source: pprofc$/d' >"$meta/control"
  case $1 in
    libpprofc0.1)
      printf 'libpprofc 0.1 libpprofc0.1 (>= %s)\n' "$VERSION" >"$meta/shlibs"
      printf 'activate-noawait ldconfig\n' >"$meta/triggers"
      ;;
  esac
  (cd "$root/$1" && find usr -type f | LC_ALL=C sort | xargs md5sum) >"$meta/md5sums"
  chmod 755 "$meta"
  chmod 644 "$meta"/*
}

take libpprofc0.1 "$libraries/libpprofc.so.*"
take libpprofc-dev "$libraries/libpprofc.so" "$libraries/libpprofc.a" "$libraries/pkgconfig" "$libraries/cmake" /usr/include /usr/share/man/man3
take pprofc /usr/bin /usr/share/doc/pprofc /usr/share/man/man1 /usr/share/bash-completion /usr/share/fish
# zsh of Debian searches for completions of packages in this folder.
mkdir -p "$root/pprofc/usr/share/zsh"
cp -R "$installed/usr/share/zsh/site-functions" "$root/pprofc/usr/share/zsh/vendor-completions"

mkdir -p "$out"
for package in libpprofc0.1 libpprofc-dev pprofc; do
  finish "$package"
  control "$package"
  find "$root/$package" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
  DPKG_DEB_THREADS_MAX=1 dpkg-deb --root-owner-group -Zxz --build "$root/$package" "$out/${package}_${VERSION}_$architecture.deb" >/dev/null
done
