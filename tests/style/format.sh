#!/bin/sh
# Checks that each C file has the format of clang-format 14. Other versions differ in details.
set -u
tool=$(command -v clang-format-14 || command -v clang-format) || {
  echo "skipped: no clang-format-14"
  exit 77
}
case $("$tool" --version) in
*" version 14."*) ;;
*)
  echo "skipped: $tool is not version 14"
  exit 77
  ;;
esac
# --dry-run prints the lines to change.
find libpprofc tools tests docs -name '*.[ch]' | LC_ALL=C sort | xargs "$tool" --style=file --dry-run --Werror && exit
echo "$tool --style=file -i FILE ... makes it so"
exit 1
