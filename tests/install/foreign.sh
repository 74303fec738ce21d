#!/bin/bash
# Builds static programs for other processors and for musl, and runs the golden cases of reports with them: foreign.sh
# SOURCE BUILD PLATFORM... Skips the cases that need features of this machine (windows.without). The platforms are s390x
# (big-endian), i386 (32 bits), arm64 and musl; qemu-user runs the programs for foreign processors. The build for musl
# has no PCRE2, so it also tests the programs without PCRE2.
#
# For the platforms freebsd (x86-64) and macos (arm64), the script links the programs with zig, and checks that they
# need only the libraries of the system. These programs cannot run on this machine. Prints the reason if it skips a
# platform; the status is then 77.
set -eu
source=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
shift 2
programs="pprofc benchstatc parse_bench_regressions"
without=$(paste -s -d '|' "$source/tests/install/windows.without")
# The cases that read each format and print the numbers of reports. The cases of -noise take too long in an emulator.
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
  # A mirror may have an invalid list of updates. The list of the release is sufficient.
  (private_apt update) || true
  cd "$apt/debs"
  private_apt download zlib1g-dev libprotobuf-c-dev libpcre2-dev
  for deb in ./*.deb; do dpkg-deb -x "$deb" "$folder"; done
  # The compiler uses another name for Debian's i386.
  [ "$platform" != i386 ] || ln -sfn i386-linux-gnu "$folder/usr/lib/$host"
  [ "$platform" != i386 ] || ln -sfn i386-linux-gnu "$folder/usr/include/$host"
)

# compile_library NAME VERSION HEADER... -- FILE...: compiles these files in the current folder, and installs the library and the headers.
compile_library() {
  local name=$1 version=$2 headers=() file
  shift 2
  while [ "$1" != -- ]; do
    headers+=("$1")
    shift
  done
  shift
  # zig would combine several files into one object. zlib assumes that macOS has no fdopen.
  for file in "$@"; do
    "$compiler" -O1 -fPIC -w -I. -D_LARGEFILE64_SOURCE=1 -DHAVE_UNISTD_H -Dfdopen=fdopen -c "$file"
  done
  "$archiver" rcs "$folder/usr/lib/$host/lib$name.a" ./*.o
  cp "${headers[@]}" "$folder/usr/include/"
  printf 'Name: %s\nDescription: %s\nVersion: %s\nLibs: -l%s\n' "$name" "$name" "$version" "$name" >"$folder/usr/lib/$host/pkgconfig/lib$name.pc"
}

# compile_libraries: compiles zlib and protobuf-c from the sources of Debian.
compile_libraries() (
  architecture=$(dpkg --print-architecture)
  . "$source/packaging/apt.sh"
  private_apt update
  private_sources zlib protobuf-c
  mkdir -p "$folder/usr/lib/$host/pkgconfig" "$folder/usr/include"
  cd "$folder/zlib"
  compile_library z 1 zlib.h zconf.h -- ./*.c
  cd "$folder/protobuf-c"
  compile_library protobuf-c "$(sed -n 's/^#define PROTOBUF_C_VERSION[^"]*"\(.*\)"/\1/p' protobuf-c/protobuf-c.h)" \
    protobuf-c/protobuf-c.h -- protobuf-c/protobuf-c.c
  # Programs include this header as <protobuf-c/protobuf-c.h>.
  mkdir -p "$folder/usr/include/protobuf-c"
  mv "$folder/usr/include/protobuf-c.h" "$folder/usr/include/protobuf-c/"
)

# libraries FUNCTION: runs the function once for the folder.
libraries() {
  [ ! -f "$folder/done" ] || return 0
  "$1" >"$folder/libraries.log" 2>&1 || {
    tail -n 5 "$folder/libraries.log"
    skip "the libraries cannot be had"
  }
  : >"$folder/done"
}

# build_programs TOOLCHAIN OPTION...: builds the programs with a toolchain file of packaging.
build_programs() {
  # shellcheck disable=SC2086 # a list of words
  cmake -S "$source" -B "$folder/build" -DCMAKE_TOOLCHAIN_FILE="$source/packaging/$1.cmake" -DPPROFC_CROSS_HOST="$host" \
    -DPPROFC_CROSS_ROOT="$folder" -DPPROFC_BUILD_TESTS=OFF -DPPROFC_WERROR=ON -DPPROFC_ROOMS=ON -DCMAKE_BUILD_TYPE=Debug \
    "${@:2}" >"$folder/log" 2>&1 &&
    cmake --build "$folder/build" -j "$(processors)" --target $programs >>"$folder/log" 2>&1 || {
    grep -E -A3 'rror|warning:|undefined|cannot find' "$folder/log" | head -n 20
    exit 1
  }
}

# try HOST LIBRARIES [QEMU]: builds the programs with the compiler of the host, and runs the cases.
try() (
  local host=$1 options=-O0 program compiler=$1-gcc archiver=ar
  folder=$build/foreign/$platform
  mkdir -p "$folder/bin"
  have "$host-gcc" || skip "there is no $host-gcc"
  [ $# -lt 3 ] || have "$3" || skip "there is no $3 (package qemu-user)"
  echo 'int main(void) { return 0; }' >"$folder/empty.c"
  "$host-gcc" -static -include stdio.h "$folder/empty.c" -o "$folder/bin/empty" 2>/dev/null || skip "$host-gcc has no C library"
  libraries "$2"
  # FD_SET of musl converts signs.
  [ "$platform" != musl ] || options="-O0 -Wno-sign-conversion"
  build_programs cross -DCMAKE_C_FLAGS_DEBUG="$options" -DCMAKE_EXE_LINKER_FLAGS="-static -L$folder/usr/lib/$host"
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

# freebsd_facts FILE: prints the processor, the dynamic linker and the libraries of the file, and each symbol that no library of FreeBSD has.
freebsd_facts() {
  readelf -hW "$1" | sed -n 's/^ *Machine: *//p'
  readelf -lW "$1" | sed -n 's/.*interpreter: \(.*\)\]/\1/p'
  readelf -dW "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | LC_ALL=C sort
  readelf -W --dyn-syms "$1" | awk '$7 == "UND" && $8 && $8 !~ /@FBSD_1\./ { print "undefined: " $8 }'
}

# macos_facts FILE: prints the same for macOS, with the oldest version that runs the file. The kernel runs only signed
# files.
macos_facts() {
  llvm-objdump -m --private-headers "$1" | awk '$1 == "MH_MAGIC_64" { print $2, $5, $8 } $1 ~ /^(platform|minos)$/ { print $1, $2 }
    $2 == "LC_CODE_SIGNATURE" { print $2 } $1 == "cmd" { dylib = $2 == "LC_LOAD_DYLIB" } dylib && $1 == "name" { print $2 }'
  llvm-nm -m -u "$1" | awk '!/\(from libSystem\)$/ { print "undefined: " $0 }'
}

# try_linking HOST VERSION FACTS...: builds the programs and the library with zig, and checks the facts of each program and the names that
# the archive exports.
try_linking() (
  local host=$1 programs="$programs pprofci pprofc_shared pprofc_archive" program tool
  local compiler archiver
  folder=$build/foreign/$platform
  compiler=$folder/zig/cc archiver=$folder/zig/ar
  have zig || skip "there is no zig (package ziglang of Python)"
  have llvm-nm || skip "there is no llvm-nm (package llvm)"
  # zig compiles parts of the system once, into a folder for all builds. The objects of this build are in its own
  # folder.
  export ZIG_GLOBAL_CACHE_DIR=${ZIG_GLOBAL_CACHE_DIR:-$build/foreign/zig} ZIG_LOCAL_CACHE_DIR=$folder/zig/cache
  mkdir -p "$folder/zig"
  for tool in "cc -target $host.$2" ar ranlib; do
    printf '#!/bin/sh\nexec %s %s "$@"\n' "$(command -v zig)" "$tool" >"$folder/zig/${tool%% *}"
    chmod +x "$folder/zig/${tool%% *}"
  done
  libraries compile_libraries
  # Without optimization, zig would add a sanitizer to the objects and its library to the programs. zig needs no ccache.
  build_programs zig -DCMAKE_C_FLAGS_DEBUG="-O0 -fno-sanitize=all" -DCMAKE_EXE_LINKER_FLAGS="-O1 -L$folder/usr/lib/$host" \
    -DCMAKE_SHARED_LINKER_FLAGS=-O1 -DCMAKE_C_COMPILER_LAUNCHER=
  printf '%s\n' "${@:3}" >"$folder/wanted"
  for program in "$folder/build/bin"/*; do
    "${platform}_facts" "$program" >"$folder/facts"
    diff "$folder/wanted" "$folder/facts" || die "$program is another program than expected"
  done
  llvm-nm -g --defined-only "$folder/build/libpprofc/libpprofc.a" |
    awk 'NF == 3 { names++ } NF == 3 && $3 !~ /^_?pprofc_/ { print $3 } END { if (!names) print "no name" }' >"$folder/facts"
  [ ! -s "$folder/facts" ] || die "libpprofc.a exports $(head -n 3 "$folder/facts" | paste -s)"
  echo "$platform: $(find "$folder/build/bin" -type f | wc -l) programs and the library are linked; they cannot run here"
)

status=0
for platform in "$@"; do
  one=0
  case $platform in
    s390x) try s390x-linux-gnu debian_libraries qemu-s390x || one=$? ;;
    i386) try i686-linux-gnu debian_libraries || one=$? ;;
    arm64) try aarch64-linux-gnu debian_libraries qemu-aarch64 || one=$? ;;
    musl) try "$(uname -m)-linux-musl" compile_libraries || one=$? ;;
    freebsd)
      try_linking x86_64-freebsd 14.0 "Advanced Micro Devices X86-64" /libexec/ld-elf.so.1 libc.so.7 libm.so.5 libthr.so.3 || one=$?
      ;;
    macos)
      try_linking aarch64-macos 11.0 "ARM64 EXECUTE NOUNDEFS" "platform macos" "minos 11.0" /usr/lib/libSystem.B.dylib \
        LC_CODE_SIGNATURE || one=$?
      ;;
    *) die "unknown platform '$platform'" ;;
  esac
  # A failure has priority over a skipped platform.
  case $one:$status in
    0:*) ;;
    77:0) status=77 ;;
    77:*) ;;
    *) status=1 ;;
  esac
done
exit "$status"
