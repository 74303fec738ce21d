#!/bin/sh
# Checks that the list of skipped tests has each test once, with the reason that the test printed: skipped.sh SOURCE
# CMAKE.
set -eu
source=$1 cmake=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat >CMakeLists.txt <<'PROJECT'
cmake_minimum_required(VERSION 3.22)
project(skipped NONE)
enable_testing()
add_test(NAME a/passes COMMAND sh -c "echo 'nothing was skipped here'")
add_test(NAME a/part COMMAND sh -c "echo 'C++: skipped, there is no c++'")
add_test(NAME a/whole COMMAND sh -c "echo 'skipped: no go'; exit 77")
add_test(NAME b/whole COMMAND sh -c "echo 'skipped: no go'; exit 77")
add_test(NAME a/mute COMMAND sh -c "exit 77")
add_test(NAME a/off COMMAND true)
set_tests_properties(a/off PROPERTIES DISABLED ON)
set_tests_properties(a/whole b/whole a/mute PROPERTIES SKIP_RETURN_CODE 77)
PROJECT
"$cmake" -S . -B build >/dev/null
"$(dirname "$cmake")/ctest" --test-dir build >tests.log 2>&1
awk -f "$source/scripts/skipped.awk" build/Testing/Temporary/LastTest.log tests.log >got
cat >expected <<'LIST'
a/part: C++: skipped, there is no c++
a/whole, b/whole: no go
a/mute: it did not say why
a/off: an optional library was not found when it was built
LIST
diff expected got
echo "the list: ok"
