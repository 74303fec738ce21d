#!/bin/sh
# Checks that each public header compiles alone, as C99 and as C++11, without a warning: headers.sh CC.
set -u
cc=$1
flags='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -Ilibpprofc/include -fsyntax-only'
status=0
checked=0
# A C++ compiler is not required. gcc and clang often include one.
echo 'int i;' | "$cc" -std=c++11 -fsyntax-only -x c++ - 2>/dev/null && cxx=yes || cxx=no
for header in libpprofc/include/pprofc/*.h; do
  checked=$((checked + 1))
  name=pprofc/${header##*/}
  # Includes the header twice, to test its include guard.
  text=$(printf '#include "%s"\n#include "%s"\nextern int nothing;\n' "$name" "$name")
  # shellcheck disable=SC2086 # the flags are words
  echo "$text" | "$cc" -std=c99 -Wstrict-prototypes $flags -x c - || {
    echo "$header: not C99"
    status=1
  }
  test $cxx = no && continue
  # shellcheck disable=SC2086
  echo "$text" | "$cc" -std=c++11 $flags -x c++ - || {
    echo "$header: not C++11"
    status=1
  }
done
test $checked -gt 0 || status=1
test $cxx = yes || echo "C++11 skipped: '$cc' has no C++"
echo "$checked headers"
exit $status
