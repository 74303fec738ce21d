#!/bin/sh
# Packs the programs and the library for Windows as OUT/NAME.zip: windows_zip.sh FOLDER NAME OUT. Adds the headers,
# documents, and the licenses of the linked libraries. FOLDER has the libraries of windows.sh, and FOLDER/build has the
# build. Prints a line NAME VERSION SOURCE for each linked package of Debian. The time of all files is
# SOURCE_DATE_EPOCH, so equal files give equal bytes.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$1 name=$2 out=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/$name
mkdir -p "$root/include" "$root/lib" "$root/docs" "$root/licenses"
for program in bin/pprofc.exe bin/benchstatc.exe bin/parse_bench_regressions.exe libpprofc/libpprofc.dll; do
  x86_64-w64-mingw32-strip --strip-unneeded -R .comment -o "$root/${program##*/}" "$folder/build/$program"
done
cp "$folder/build/libpprofc/libpprofc.dll.a" "$folder/build/libpprofc/pprofc.def" "$root/lib/"
cp -R "$here/../libpprofc/include/pprofc" "$root/include/"
cp "$here/../LICENSE" "$here/../README.md" "$here/../CHANGELOG.md" "$root/"
cp "$here"/../docs/*.md "$root/docs/"

for library in protobuf-c pcre2; do
  cp "$folder/$library/debian/copyright" "$root/licenses/$library"
  echo "$library $(sed -n 's/^Version: //p' "$folder"/sources/"$library"_*.dsc | head -n 1) $library"
done
for package in libz-mingw-w64-dev mingw-w64-x86-64-dev gcc-mingw-w64-x86-64-posix-runtime; do
  cp "/usr/share/doc/$package/copyright" "$root/licenses/$package"
  dpkg-query -W -f '${Package} ${Version} ${source:Package}\n' "$package"
done
python3 - "$root" "$out/$name.zip" "$SOURCE_DATE_EPOCH" <<'END'
import pathlib, sys, time, zipfile
root, out, seconds = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
    for path in sorted(path for path in root.rglob("*") if path.is_file()):
        entry = zipfile.ZipInfo(path.relative_to(root.parent).as_posix(), time.gmtime(seconds)[:6])
        entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o100644 << 16
        archive.writestr(entry, path.read_bytes())
END
