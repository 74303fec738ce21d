#!/bin/bash
# The programs of Windows, built with MinGW-w64 and run by Wine, pass the golden cases of reports, except the cases that need what Windows
# lacks (windows.without). windows.sh SOURCE BUILD
set -eu
source=$(cd "$1" && pwd)
folder=$(cd "$2" && pwd)/windows
skip() {
  echo "skipped: $1"
  exit 77
}
command -v x86_64-w64-mingw32-gcc-posix >/dev/null || skip "MinGW-w64 is missing (package gcc-mingw-w64-x86-64-posix)"
[ -f /usr/x86_64-w64-mingw32/include/zlib.h ] || skip "zlib for MinGW-w64 is missing (package libz-mingw-w64-dev)"
command -v wine >/dev/null || skip "Wine is missing (package wine)"
"$source/packaging/windows.sh" "$folder" || skip "the libraries of Windows cannot be built"
cmake -S "$source" -B "$folder/build" -DCMAKE_TOOLCHAIN_FILE="$source/packaging/windows.cmake" -DPPROFC_CROSS_ROOT="$folder/root" \
  -DPPROFC_BUILD_TESTS=OFF -DPPROFC_WERROR=ON >"$folder/log"
cmake --build "$folder/build" -j "$(nproc)" >>"$folder/log" 2>&1 || {
  grep -E 'error|warning' "$folder/log" | head -n 20
  exit 1
}

mkdir -p "$folder/bin"
for program in pprofc benchstatc parse_bench_regressions; do
  printf '#!/bin/sh\nexec wine %s/build/bin/%s.exe "$@"\n' "$folder" "$program" >"$folder/bin/$program"
  chmod +x "$folder/bin/$program"
done
export WINEDEBUG=-all WINEPREFIX=$folder/wine
# The first program starts services, which would keep the pipes of the tests open. They end with the server.
mkdir -p "$WINEPREFIX"
timeout 60 wineserver -k 2>/dev/null || true
wineserver -p
trap 'timeout 60 wineserver -k' EXIT
timeout 300 wine "$folder/build/bin/benchstatc.exe" -version </dev/null >/dev/null 2>&1 || skip "Wine does not start"
without=$(paste -s -d '|' "$source/tests/install/windows.without")
cases() {
  timeout 900 python3 -B "$source/tests/golden/run.py" --bin "$folder/bin" --without "$without" "$@"
}
cases >"$folder/cases" && { tail -n 1 "$folder/cases"; exit 0; }
# Once in about 1,000 starts, Wine ends with status 1 before it runs the program. So the cases that failed run again.
mapfile -t failed < <(sed -n 's/^FAILED \([^:]*\):.*/\1/p' "$folder/cases")
[ "${#failed[@]}" -gt 0 ] || skip "Wine did not finish: $(tail -n 1 "$folder/cases")"
[ "${#failed[@]}" -le 10 ] || {
  cat "$folder/cases"
  exit 1
}
echo "run again: ${failed[*]}"
cases "${failed[@]}"
