#!/bin/sh
# Makes a first report in a fresh clone: installs missing packages, builds, and compares two bundled profiles. Needs a
# shell and apt. You can run it again at any time.
set -eu
cd "$(dirname "$0")/.."
. scripts/lib.sh

install_build_tools "" ""
build_target=installed # everything that `cmake --install` copies, without the tests
build build

artifacts=.docs/artifacts/ci
old=testdata/generator_cpu.prof
new=testdata/generator_optimized_cpu.prof
mkdir -p "$artifacts"

say "pprofc -top -diff_base=$old $new"
build/bin/pprofc -symbolize=none -top -nodecount=20 -diff_base="$old" "$new"
build/bin/pprofc -symbolize=none -top -diff_base="$old" -output="$artifacts/cpu.diff.txt" "$new" 2>/dev/null
build/bin/pprofc -symbolize=none -speedscope -diff_base="$old" \
  -output="$artifacts/cpu.diff.speedscope.json" "$new" 2>/dev/null

say "the whole report and a speedscope file are in $artifacts"
say "pprofc is build/bin/pprofc; these lines show its help, install it and remove it again:"
cat <<'EOL'
   build/bin/pprofc -help
   cmake --install build
   cmake --build build --target uninstall
EOL
