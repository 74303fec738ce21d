#!/bin/bash
# Tests the Windows zip of the release, built with MinGW-w64, under Wine: windows.sh SOURCE BUILD. A user's program runs
# with the library. The programs pass the golden cases of reports, except the cases that need features which Windows
# lacks (windows.without).
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

name=pprofc-windows
rm -rf "${folder:?}/$name" "$folder/twice"
mkdir -p "$folder/bin" "$folder/twice"
for out in "$folder" "$folder/twice"; do
  SOURCE_DATE_EPOCH=1700000000 "$source/packaging/windows_zip.sh" "$folder" "$name" "$out" >"$out/parts"
done
cmp "$folder/$name.zip" "$folder/twice/$name.zip" || { echo "the zip has other bytes the second time"; exit 1; }
[ "$(wc -l <"$folder/parts")" -eq 5 ] || { cat "$folder/parts"; exit 1; }
python3 -m zipfile -e "$folder/$name.zip" "$folder"
place=$folder/$name
for file in README.md LICENSE docs/PLATFORMS.md licenses/pcre2 lib/pprofc.def include/pprofc/pprofc.h; do
  [ -s "$place/$file" ] || { echo "the zip lacks $file"; exit 1; }
done
# needed FILE: prints the libraries of MinGW-w64 and zlib that the file needs. All of them must be linked in.
needed() {
  x86_64-w64-mingw32-objdump -p "$1" | sed -n 's/.*DLL Name: //p' | grep -iE '^(lib|zlib)' || true
}
for file in pprofc.exe benchstatc.exe parse_bench_regressions.exe libpprofc.dll; do
  [ -z "$(needed "$place/$file")" ] || { echo "$file needs $(needed "$place/$file")"; exit 1; }
done
# The library exports the same functions as the shared library of this machine.
x86_64-w64-mingw32-objdump -p "$place/libpprofc.dll" | sed -n 's/^\t\[ *[0-9]*\] *\(+base\[ *[0-9]*\] *[0-9a-f]* \)\{0,1\}\(pprofc_\)/\2/p' |
  LC_ALL=C sort >"$folder/exported"
nm -D --defined-only "$folder/../libpprofc/libpprofc.so" | sed -n 's/.* T \(pprofc_[a-z0-9_]*\).*/\1/p' | LC_ALL=C sort >"$folder/wanted"
cmp "$folder/exported" "$folder/wanted" || { diff "$folder/exported" "$folder/wanted" | head -n 20; exit 1; }
x86_64-w64-mingw32-gcc-posix -Wall -I "$place/include" "$source/tests/install/consumer/main.c" "$place/lib/libpprofc.dll.a" \
  -o "$place/consumer.exe"

for program in pprofc benchstatc parse_bench_regressions; do
  printf '#!/bin/sh\nexec wine %s/%s.exe "$@"\n' "$place" "$program" >"$folder/bin/$program"
  chmod +x "$folder/bin/$program"
done
export WINEDEBUG=-all WINEPREFIX=$folder/wine
# The first program starts services, which would keep the pipes of the tests open. The services end with the server.
mkdir -p "$WINEPREFIX"
timeout 60 wineserver -k 2>/dev/null || true
wineserver -p
trap 'timeout 60 wineserver -k' EXIT
timeout 300 wine "$place/benchstatc.exe" -version </dev/null >/dev/null 2>&1 || skip "Wine does not start"
said=$(timeout 300 wine "$place/consumer.exe" </dev/null 2>/dev/null | tr -d '\r')
[ "$said" = "2 samples, last 30" ] || { echo "a program with libpprofc.dll printed '$said'"; exit 1; }
without=$(paste -s -d '|' "$source/tests/install/windows.without")
cases() {
  timeout 900 python3 -B "$source/tests/golden/run.py" --bin "$folder/bin" --without "$without" "$@"
}
cases >"$folder/cases" && { tail -n 1 "$folder/cases"; exit 0; }
# In about 1 of 1,000 starts, Wine ends with status 1 before the program runs. Failed cases therefore run a second time.
mapfile -t failed < <(sed -n 's/^FAILED \([^:]*\):.*/\1/p' "$folder/cases")
[ "${#failed[@]}" -gt 0 ] || skip "Wine did not finish: $(tail -n 1 "$folder/cases")"
[ "${#failed[@]}" -le 10 ] || {
  cat "$folder/cases"
  exit 1
}
echo "run again: ${failed[*]}"
cases "${failed[@]}"
