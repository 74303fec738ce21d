#!/bin/sh
# Creates the files of a release in a folder. Uploads nothing.
#
#   scripts/release.sh [OUT]                 OUT: default .docs/release
#   scripts/release.sh -small BUILD [OUT]    from the programs in BUILD, only for this machine, in seconds
#
# OUT gets Debian packages (libpprofc0.1, libpprofc-dev, pprofc) for this machine's architecture; a tarball of static programs, a pip wheel
# and an npm package for x86-64 and for arm64; a zip for Windows on x86-64; the source, a Containerfile, a Homebrew formula, a Nix
# expression, an SPDX list of parts, and SHA256SUMS. The script builds the last commit. The same commit with the same Debian packages gives
# the same bytes.
#
# Static programs contain all optional libraries, so pprofci publish, sources over HTTP and -http need no other library. With -small, they
# lack libcurl and libmicrohttpd, which the script would have to build, and there is no zip for Windows. Needs apt and a network, except
# with -small.
set -eu
cd "$(dirname "$0")/.."
. scripts/lib.sh

usage() {
  sed -n '2,/^set /s/^# \{0,1\}//p' "$0" >&2
  exit 1
}

small='' out=''
while [ $# -gt 0 ]; do
  case $1 in
    -h | -help | --help) usage ;;
    -small)
      [ $# -gt 1 ] || die "-small needs the folder of a build"
      small=$2
      shift
      ;;
    -*) die "unknown option $1; -help shows what there is" ;;
    *)
      [ -z "$out" ] || die "there is more than one folder: '$out' and '$1'"
      out=$1
      ;;
  esac
  shift
done
out=${out:-.docs/release}
[ -z "$small" ] || [ -f "$small/CMakeCache.txt" ] || die "'$small' is not the folder of a build"
[ ! -e "$out" ] || [ -f "$out/SHA256SUMS" ] || [ -z "$(ls -A "$out")" ] || die "'$out' is not empty and not a release"

VERSION=$(sed -n 's/^#define PPROFC_VERSION  *"\(.*\)"/\1/p' libpprofc/include/pprofc/base.h)
COMMIT=$(git rev-parse HEAD) || die "this is no clone with git: the source, its time and the maintainer come from the last commit"
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
MAINTAINER="${DEBFULLNAME:-$(git log -1 --format=%an)} <${DEBEMAIL:-$(git log -1 --format=%ae)}>"
export VERSION SOURCE_DATE_EPOCH MAINTAINER LC_ALL=C TZ=UTC
umask 022
cache=$PWD/.cache/release
own=$(dpkg --print-architecture 2>/dev/null) || die "this machine has no dpkg: Debian packages are made on Debian or Ubuntu"

# Create all files in a temporary folder next to OUT, and move them to OUT at the end.
mkdir -p "$(dirname "$out")"
stage=$(mktemp -d "$(dirname "$out")/.release.XXXXXX")
stage=$(cd "$stage" && pwd)
work=$stage/.work
trap 'rm -rf "$stage"' EXIT
trap 'exit 1' INT TERM HUP
mkdir -p "$work" "$stage/.parts"

triplet() {
  case $1 in
    amd64) echo x86_64-linux-gnu ;;
    arm64) echo aarch64-linux-gnu ;;
    *) die "no release is made for $1" ;;
  esac
}

# build_for ARCHITECTURE: builds the commit in the cache folder, with libcurl and libmicrohttpd for the static programs.
build_for() {
  host=$(triplet "$1") root='' folder=$cache/build-$1 prefix=$cache/libraries-$1
  set -- "$1" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr -DPPROFC_BUILD_TESTS=OFF -DPPROFC_LINK_ARCHIVES=OFF \
    -DPPROFC_STATIC_PREFIX="$prefix"
  say "fetching libraries for $1"
  packaging/sysroot.sh "$1" "$cache/root-$1"
  if [ "$1" != "$own" ]; then
    root=$cache/root-$1
    set -- "$@" -DCMAKE_TOOLCHAIN_FILE="$PWD/packaging/cross.cmake" -DPPROFC_CROSS_HOST="$host" -DPPROFC_CROSS_ROOT="$root"
  fi
  versions=$(cat "$cache/root-$1/sources"/*.dsc packaging/static_libraries.sh | sha256sum)
  if [ "$(cat "$prefix/key" 2>/dev/null)" != "$versions" ]; then
    rm -rf "$prefix"
    packaging/static_libraries.sh "$cache/root-$1/sources" "$prefix" "$host" "$root"
    printf '%s\n' "$versions" >"$prefix/key"
  fi
  shift
  # Build a clone of the commit, so that the release has no uncommitted changes.
  rm -rf "$folder"
  build_target=static_programs
  [ -n "$root" ] || build_target="all static_programs"
  (cd "$cache/source" && build "$folder" "$@")
}

# pack_for ARCHITECTURE BUILD PREFIX SYSROOT: creates the tarball, the wheel and the npm package.
pack_for() {
  name=pprofc-$VERSION-linux-$1
  python3 packaging/linked.py "$2/static" "$3" "$4" -licenses "$work/licenses-$1" >"$work/linked" || die "the libraries of $1 are not known"
  sed 's/^/static /' "$work/linked" >"$stage/.parts/$name.tar.gz"
  strip=$([ -z "$4" ] || printf '%s-' "$(triplet "$1")")strip
  STRIP=$strip packaging/tarball.sh "$work/installed" "$2/static/bin" "$name" "$work/licenses-$1" "$stage"
  "$strip" --strip-unneeded -R .comment -o "$work/libpprofc.so" "$2/static/libpprofc.so"
  python3 -B packaging/bundles.py "$stage/$name.tar.gz" "$work/libpprofc.so" "$stage" >"$work/bundles" || die "the wheel of $1 cannot be made"
  while read -r bundle; do cp "$stage/.parts/$name.tar.gz" "$stage/.parts/$bundle"; done <"$work/bundles"
}

# for_windows: builds the commit for Windows in the cache folder, and creates the zip.
for_windows() {
  name=pprofc-$VERSION-windows-x64
  packaging/windows.sh "$cache/windows"
  rm -rf "$cache/windows/build"
  (cd "$cache/source" && build_target='' build "$cache/windows/build" -DCMAKE_TOOLCHAIN_FILE=packaging/windows.cmake \
    -DPPROFC_CROSS_ROOT="$cache/windows/root" -DPPROFC_BUILD_TESTS=OFF)
  "$cache/source/packaging/windows_zip.sh" "$cache/windows" "$name" "$stage" | sed 's/^/static /' >"$stage/.parts/$name.zip"
  [ -s "$stage/$name.zip" ] || die "the zip for Windows cannot be made"
}

# dynamic_parts DEB: prints the libraries that the package depends on, with the versions on this machine.
dynamic_parts() {
  dpkg-deb -f "$1" Depends | tr ',|' '\n\n' | sed 's/(.*//; s/ //g' | while read -r package; do
    # An alternative that is not installed has no version. A virtual package has no version either.
    dpkg-query -W -f '${db:Status-Status} dynamic ${Package} ${Version} ${source:Package}\n' "$package" 2>/dev/null || true
  done | sed -n 's/^installed //p'
}

# try ARCHITECTURE: checks that the static programs run, on an emulated processor if necessary.
try() {
  mkdir -p "$work/try-$1"
  tar -xzf "$stage/pprofc-$VERSION-linux-$1.tar.gz" -C "$work/try-$1" --strip-components=1
  emulator=''
  [ "$1" = "$own" ] || emulator=qemu-aarch64-static
  for program in pprofc benchstatc parse_bench_regressions pprofci; do
    $emulator "$work/try-$1/bin/$program" -version >/dev/null || die "the static $program for $1 does not run"
  done
  $emulator "$work/try-$1/bin/pprofc" -symbolize=none -top testdata/generator_cpu.prof >"$work/top" 2>/dev/null
  [ "$(sed -n '/flat%/,$p' "$work/top" | wc -l)" -gt 10 ] || die "the static pprofc for $1 printed no table"
}

if [ -n "$small" ]; then
  architectures=$own
  have python3 || die "python3 is missing"
  say "linking static programs"
  cmake --build "$small" --target static_programs packaged_programs >"$work/log" 2>&1 || {
    tail -n 20 "$work/log" >&2
    die "the static programs cannot be linked"
  }
  cmake --install "$small" --prefix "$work/installed/usr" >"$work/log" 2>&1 || die "cmake --install failed: $(tail -n 3 "$work/log")"
  [ ! -d "$small/packaged/bin" ] || cp "$small"/packaged/bin/* "$work/installed/usr/bin/"
  pack_for "$own" "$small" "$(sed -n 's/^PPROFC_STATIC_PREFIX:[^=]*=//p' "$small/CMakeCache.txt")" ""
else
  architectures="amd64 arm64"
  [ "$own" = amd64 ] || die "releases are made on an x86-64 machine, and this one is $own"
  need_packages ca-certificates dpkg-dev gcc-aarch64-linux-gnu git libc-ares-dev libc6-dev-arm64-cross libssl-dev lintian patch python3 \
    qemu-user-static xz-utils
  install_build_tools "$optional_packages" ""
  rm -rf "$cache/source"
  mkdir -p "$cache"
  git clone -q . "$cache/source"
  for architecture in $architectures; do build_for "$architecture"; done
  DESTDIR=$work/installed cmake --install "$cache/build-amd64" >"$work/log" 2>&1 || die "cmake --install failed: $(tail -n 3 "$work/log")"
  pack_for amd64 "$cache/build-amd64" "$cache/libraries-amd64" ""
  pack_for arm64 "$cache/build-arm64" "$cache/libraries-arm64" "$cache/root-arm64"
  for_windows
fi

say "packing"
packaging/debs.sh "$work/installed" "$stage"
for deb in "$stage"/*.deb; do dynamic_parts "$deb" >"$stage/.parts/${deb##*/}"; done
git archive --format=tar --prefix="pprofc-$VERSION/" HEAD | gzip -9n >"$stage/pprofc-$VERSION.tar.gz"
: >"$stage/.parts/pprofc-$VERSION.tar.gz"
sum=$(sha256sum <"$stage/pprofc-$VERSION.tar.gz" | cut -d ' ' -f 1)
for recipe in Containerfile pprofc.rb pprofc.nix; do
  sed "s/@VERSION@/$VERSION/g; s/@SHA256@/$sum/g" "packaging/$recipe" >"$stage/$recipe"
done
for architecture in $architectures; do try "$architecture"; done
python3 packaging/sbom.py "$stage" "$VERSION" "$COMMIT"
if have lintian; then
  lintian --allow-root --fail-on error,warning ${small:+--suppress-tags pkg-config-unavailable-for-cross-compilation} "$stage"/*.deb ||
    die "lintian finds faults in the packages"
elif [ -n "$small" ]; then
  say "lintian is not installed: the packages are not checked"
fi

rm -rf "$work" "$stage/.parts"
(cd "$stage" && sha256sum -- * >SHA256SUMS.new && mv SHA256SUMS.new SHA256SUMS)
chmod 755 "$stage"
rm -rf "$out"
mv "$stage" "$out"
say "made $out: $(ls "$out" | wc -l) files"
