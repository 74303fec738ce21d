#!/bin/sh
# Installs BUILD into a folder: run.sh BUILD. Then builds and runs C and C++ programs with the installed files, through
# pkg-config (shared and static) and find_package.
set -eu
build=$1
here=$(cd "$(dirname "$0")" && pwd)
data=$here/../../testdata
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

cmake --install "$build" --prefix "$prefix" >/dev/null
for file in bin/pprofc include/pprofc/pprofc.h share/man/man1/pprofc.1 \
  share/bash-completion/completions/pprofc share/zsh/site-functions/_pprofc \
  share/fish/vendor_completions.d/pprofc.fish; do
  [ -s "$prefix/$file" ] || { echo "not installed: $file"; exit 1; }
done

# pprofc.h includes each other header.
for header in "$prefix"/include/pprofc/*.h; do
  name=pprofc/${header##*/}
  [ "$name" = pprofc/pprofc.h ] || grep -q "^#include \"$name\"$" "$prefix/include/pprofc/pprofc.h" ||
    { echo "pprofc.h does not include $name"; exit 1; }
done

# exported LIBRARY: prints the names of its functions, without their versions.
exported() {
  nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }'
}

# Each public function has a manual page that names it.
for function in $(exported "$(find "$prefix" -name libpprofc.so)"); do
  page=$prefix/share/man/man3/$function.3
  [ -s "$page" ] || { echo "no manual page for $function"; exit 1; }
  target=$(sed -n 's/^\.so //p' "$page")
  grep -q "$function" "$prefix/share/man/${target:-man3/$function.3}" || { echo "$page does not name $function"; exit 1; }
done
if command -v man >/dev/null; then
  for page in "$prefix"/share/man/man?/pprofc*; do
    ! grep -q '^\.so ' "$page" || continue
    said=$(LC_ALL=C.UTF-8 man -l --warnings -E UTF-8 -P cat "$page" 2>&1 >/dev/null)
    [ -z "$said" ] || { echo "$page: $said"; exit 1; }
  done
fi
echo "manual pages: ok"

PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name pprofc.pc)")
LD_LIBRARY_PATH=$(dirname "$(find "$prefix" -name libpprofc.so)")
export PKG_CONFIG_PATH LD_LIBRARY_PATH

# expect NAME COMMAND...: checks the output of a program.
expect() {
  name=$1
  shift
  said=$("$@") || { echo "$name: failed"; exit 1; }
  [ "$said" = "2 samples, last 30" ] || { echo "$name: said '$said'"; exit 1; }
  echo "$name: ok"
}

cp -r "$here/consumer" "$work/consumer"
cd "$work/consumer"

# The flags of pkg-config must be split into words.
# shellcheck disable=SC2046
cc -std=c99 -Wall -Wextra -Werror -pedantic main.c -o shared_c $(pkg-config --cflags --libs pprofc)
expect "C, pkg-config" ./shared_c
# shellcheck disable=SC2046
cc -std=c99 main.c -o static_c $(pkg-config --static --cflags --libs pprofc |
  sed "s/-lpprofc/-l:libpprofc.a/")
expect "C, pkg-config --static" ./static_c

# The archive and the shared library export the same names, all with the prefix pprofc_.
archive=$(find "$prefix" -name libpprofc.a)
nm -g --defined-only "$archive" | awk 'NF == 3 { print $3 }' | LC_ALL=C sort >archive_names
exported "$LD_LIBRARY_PATH/libpprofc.so" | LC_ALL=C sort >shared_names
cmp archive_names shared_names || { echo "the archive and the shared library show different names"; exit 1; }
! grep -v '^pprofc_' archive_names || { echo "names without the prefix"; exit 1; }
echo "$(wc -l <archive_names) names: ok"

# static COMPILER FLAG... SOURCE: links a program with the archive.
static() {
  # shellcheck disable=SC2046
  "$@" -o static_program $(pkg-config --static --cflags --libs pprofc | sed "s/-lpprofc/-l:libpprofc.a/")
}
if pkg-config --exists jansson; then
  # shellcheck disable=SC2046
  static cc -std=c99 -DWITH_JANSSON names.c $(pkg-config --cflags --libs jansson)
  expect "static, beside Jansson and names of our own" ./static_program "$data/generator_cpu.prof"
fi
static cc -std=c99 names.c
expect "static, beside names of our own" ./static_program "$data/generator_cpu.prof"
static cc -std=c99 -Wall -Wextra -Werror old_caller.c
expect "a caller with shorter structs" ./static_program "$data/generator_cpu.prof"

# Completion proposes flags, and the script has no syntax error.
bash -n "$prefix/share/bash-completion/completions/pprofc"
offered=$(bash -c '. "$0"; COMP_WORDS=(pprofc -nodec) COMP_CWORD=1; _pprofc; echo "${COMPREPLY[@]}"' \
  "$prefix/share/bash-completion/completions/pprofc")
[ "$offered" = -nodecount= ] || { echo "completion offered '$offered'"; exit 1; }
echo "completion: ok"

languages=C
if command -v c++ >/dev/null; then
  languages="C CXX"
  # shellcheck disable=SC2046
  c++ -std=c++11 -Wall -Wextra -Werror -pedantic main.cpp -o shared_cpp $(pkg-config --cflags --libs pprofc)
  expect "C++, pkg-config" ./shared_cpp
  static c++ -std=c++11 main.cpp
  expect "C++, static" ./static_program
else
  echo "C++: skipped, there is no c++"
fi

if ! { cmake -S . -B build -DCMAKE_PREFIX_PATH="$prefix" -DLANGUAGES="$languages" &&
  cmake --build build; } >log 2>&1; then
  cat log
  exit 1
fi
for program in build/consume_*; do
  [ -x "$program" ] && expect "find_package, ${program#build/}" "$program"
done
