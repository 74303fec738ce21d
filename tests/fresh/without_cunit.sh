#!/bin/sh
# Configures the project on a machine without CUnit: without_cunit.sh SOURCE CMAKE. By default, cmake then builds
# without tests and prints one line. If the user requests the tests, cmake prints an error.
set -eu
source=$1 cmake=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A pkg-config that finds all libraries except CUnit.
real=$(command -v pkg-config)
cat >"$work/pkg-config" <<STUB
#!/bin/sh
for word; do case \$word in cunit*) exit 1 ;; esac; done
exec '$real' "\$@"
STUB
chmod +x "$work/pkg-config"

"$cmake" -S "$source" -B "$work/build" -DPKG_CONFIG_EXECUTABLE="$work/pkg-config" >"$work/log" 2>&1 || {
  cat "$work/log"
  exit 1
}
lines=$(grep -c 'no tests are built: CUnit was not found (package libcunit1-dev)' "$work/log" || true)
[ "$lines" -eq 1 ] || { cat "$work/log"; echo "the missing tests are named $lines times, not once"; exit 1; }
[ ! -e "$work/build/tests" ] || { echo "tests are built without CUnit"; exit 1; }

if "$cmake" -S "$source" -B "$work/build" -DPPROFC_BUILD_TESTS=ON >"$work/log" 2>&1; then
  echo "tests that were asked for are left out in silence"
  exit 1
fi
grep -q 'package libcunit1-dev' "$work/log" || { cat "$work/log"; exit 1; }
echo "without CUnit: ok"
