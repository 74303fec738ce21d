#!/bin/sh
# Builds the libraries that pprofc needs on Windows with MinGW-w64 into FOLDER/root: windows.sh FOLDER. They are
# protobuf-c and PCRE2, from the sources of this machine's Debian. zlib is Debian's package libz-mingw-w64-dev. Then:
#   cmake -S . -B build-windows -DCMAKE_TOOLCHAIN_FILE=packaging/windows.cmake -DPPROFC_CROSS_ROOT=FOLDER/root -DPPROFC_BUILD_TESTS=OFF
set -eu
. "$(dirname "$0")/../scripts/lib.sh"
folder=$1 host=x86_64-w64-mingw32
mkdir -p "$folder/sources" "$folder/root/include/protobuf-c" "$folder/root/lib/pkgconfig"
folder=$(cd "$folder" && pwd)
root=$folder/root
[ ! -f "$root/done" ] || exit 0
need_packages ca-certificates dpkg-dev gcc-mingw-w64-x86-64-posix libz-mingw-w64-dev patch

say "fetching the sources of protobuf-c and PCRE2"
here=$(cd "$(dirname "$0")" && pwd) architecture=$(dpkg --print-architecture)
. "$here/apt.sh"
private_apt update
private_sources protobuf-c pcre2

say "building them"
cd "$folder/protobuf-c"
"$host-gcc-posix" -O2 -I. -c protobuf-c/protobuf-c.c -o protobuf-c.o
"$host-ar" rcs "$root/lib/libprotobuf-c.a" protobuf-c.o
cp protobuf-c/protobuf-c.h "$root/include/protobuf-c/"
cat >"$root/lib/pkgconfig/libprotobuf-c.pc" <<END
Name: libprotobuf-c
Description: Protocol Buffers for C
Version: $(sed -n 's/^#define PROTOBUF_C_VERSION[^"]*"\(.*\)"/\1/p' protobuf-c/protobuf-c.h)
Libs: -L$root/lib -lprotobuf-c
Cflags: -I$root/include
END
cmake -S "$folder/pcre2" -B "$folder/build-pcre2" -DCMAKE_SYSTEM_NAME=Windows -DCMAKE_C_COMPILER="$host-gcc-posix" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_INSTALL_PREFIX="$root" -DPCRE2_BUILD_PCRE2GREP=OFF -DPCRE2_BUILD_TESTS=OFF -DPCRE2_SUPPORT_JIT=ON >>"$folder/log" 2>&1 &&
  cmake --build "$folder/build-pcre2" -j "$(processors)" >>"$folder/log" 2>&1 &&
  cmake --install "$folder/build-pcre2" >>"$folder/log" 2>&1 || {
  tail -n 20 "$folder/log" >&2
  die "PCRE2 cannot be built"
}
: >"$root/done"
