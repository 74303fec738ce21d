#!/bin/bash
# foreign.sh SOURCE BUILD PLATFORM...: builds static programs for other processors and for musl, and runs the golden cases of reports with
# them, except the cases that need what only this machine has (windows.without). The platforms are s390x (big-endian), i386 (32 bits),
# arm64 and musl; foreign processors run by qemu-user. The build for musl has no PCRE2, so it also tests the programs without PCRE2.
# Prints why it skips a platform; the status is then 77.
set -eu
source=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
shift 2
programs="pprofc benchstatc parse_bench_regressions"
without=$(paste -s -d '|' "$source/tests/install/windows.without")
# The cases that read every format and print the numbers of reports. Those of -noise compute too long in an emulator.
cases="imports/* top/* raw/* merge/* diff/* traces/* tags/* formats/* times/* list/* leaks/* each/* folded/* speedscope/* gate/*"
. "$source/scripts/lib.sh"

# skip REASON: ends this platform.
skip() {
  echo "skipped: $platform: $1"
  exit 77
}

# debian_libraries: unpacks the libraries of Debian for the processor.
debian_libraries() (
  architecture=$platform
  . "$source/packaging/apt.sh"
  # A mirror may have a broken list of updates. The list of the release is enough.
  (private_apt update) || true
  cd "$apt/debs"
  private_apt download zlib1g-dev libprotobuf-c-dev libpcre2-dev
  for deb in ./*.deb; do dpkg-deb -x "$deb" "$folder"; done
  # The compiler calls Debian's i386 by another name.
  [ "$platform" != i386 ] || ln -sfn i386-linux-gnu "$folder/usr/lib/$host"
  [ "$platform" != i386 ] || ln -sfn i386-linux-gnu "$folder/usr/include/$host"
)

# musl_library NAME VERSION HEADER... -- FILE...: compiles these files in the current folder, and installs the library and the headers.
musl_library() {
  local name=$1 version=$2 headers=()
  shift 2
  while [ "$1" != -- ]; do
    headers+=("$1")
    shift
  done
  shift
  "$host-gcc" -O1 -I. -D_LARGEFILE64_SOURCE=1 -DHAVE_UNISTD_H -c "$@"
  ar rcs "$folder/usr/lib/$host/lib$name.a" ./*.o
  cp "${headers[@]}" "$folder/usr/include/"
  printf 'Name: %s\nDescription: %s\nVersion: %s\nLibs: -l%s\n' "$name" "$name" "$version" "$name" >"$folder/usr/lib/$host/pkgconfig/lib$name.pc"
}

# musl_libraries: compiles zlib and protobuf-c from the sources of Debian.
musl_libraries() (
  architecture=$(dpkg --print-architecture)
  . "$source/packaging/apt.sh"
  private_apt update
  private_sources zlib protobuf-c
  mkdir -p "$folder/usr/lib/$host/pkgconfig" "$folder/usr/include"
  cd "$folder/zlib"
  musl_library z 1 zlib.h zconf.h -- ./*.c
  cd "$folder/protobuf-c"
  musl_library protobuf-c "$(sed -n 's/^#define PROTOBUF_C_VERSION[^"]*"\(.*\)"/\1/p' protobuf-c/protobuf-c.h)" \
    protobuf-c/protobuf-c.h -- protobuf-c/protobuf-c.c
  # Programs include it as <protobuf-c/protobuf-c.h>.
  mkdir -p "$folder/usr/include/protobuf-c"
  mv "$folder/usr/include/protobuf-c.h" "$folder/usr/include/protobuf-c/"
)

# libraries FUNCTION: runs the function once for the folder.
libraries() {
  [ ! -f "$folder/done" ] || return 0
  "$1" >"$folder/libraries.log" 2>&1 || return 1
  : >"$folder/done"
}

# try HOST LIBRARIES [QEMU]: builds the programs with the compiler of the host, and runs the cases.
try() (
  local host=$1 options=-O0 program
  folder=$build/foreign/$platform
  mkdir -p "$folder/bin"
  have "$host-gcc" || skip "there is no $host-gcc"
  [ $# -lt 3 ] || have "$3" || skip "there is no $3 (package qemu-user)"
  echo 'int main(void) { return 0; }' >"$folder/empty.c"
  "$host-gcc" -static -include stdio.h "$folder/empty.c" -o "$folder/bin/empty" 2>/dev/null || skip "$host-gcc has no C library"
  libraries "$2" || {
    tail -n 5 "$folder/libraries.log"
    skip "the libraries cannot be had"
  }
  # FD_SET of musl converts signs.
  [ "$platform" != musl ] || options="-O0 -Wno-sign-conversion"
  # shellcheck disable=SC2086 # a list of words
  cmake -S "$source" -B "$folder/build" -DCMAKE_TOOLCHAIN_FILE="$source/packaging/cross.cmake" -DPPROFC_CROSS_HOST="$host" \
    -DPPROFC_CROSS_ROOT="$folder" -DPPROFC_BUILD_TESTS=OFF -DPPROFC_WERROR=ON -DPPROFC_ROOMS=ON -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_C_FLAGS_DEBUG="$options" -DCMAKE_EXE_LINKER_FLAGS="-static -L$folder/usr/lib/$host" >"$folder/log" 2>&1 &&
    cmake --build "$folder/build" -j "$(processors)" --target $programs >>"$folder/log" 2>&1 || {
    grep -E -A3 'rror|warning:|undefined|cannot find' "$folder/log" | head -n 20
    exit 1
  }
  for program in $programs; do
    printf '#!/bin/sh\nexec %s %s/build/bin/%s "$@"\n' "${3:-}" "$folder" "$program" >"$folder/bin/$program"
    chmod +x "$folder/bin/$program"
  done
  "$folder/bin/benchstatc" -version >/dev/null 2>&1 || skip "the kernel does not run its programs"
  # shellcheck disable=SC2086 # a list of words
  set -f && python3 -B "$source/tests/golden/run.py" --bin "$folder/bin" --without "$without" $cases >"$folder/cases" || {
    cat "$folder/cases"
    exit 1
  }
  echo "$platform: $(tail -n 1 "$folder/cases")"
)

status=0
for platform in "$@"; do
  one=0
  case $platform in
    s390x) try s390x-linux-gnu debian_libraries qemu-s390x || one=$? ;;
    i386) try i686-linux-gnu debian_libraries || one=$? ;;
    arm64) try aarch64-linux-gnu debian_libraries qemu-aarch64 || one=$? ;;
    musl) try "$(uname -m)-linux-musl" musl_libraries || one=$? ;;
    *) die "unknown platform '$platform'" ;;
  esac
  # A failure counts more than a skipped platform.
  case $one:$status in
    0:*) ;;
    77:0) status=77 ;;
    77:*) ;;
    *) status=1 ;;
  esac
done
exit "$status"
