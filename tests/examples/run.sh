#!/bin/sh
# run.sh EXAMPLES PPROFC TESTDATA: what the examples print is what pprofc prints of the same profiles.
set -eu
examples=$1 pprofc=$2 testdata=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

same() {
  cmp -s "$2" "$3" || {
    echo "$1 differs"
    diff "$2" "$3"
    exit 1
  }
  echo "$1: ok"
}

"$examples/read_profile" "$testdata/generator_cpu.prof" >ours
"$pprofc" -symbolize=none -top -cum -nodecount=10 "$testdata/generator_cpu.prof" >theirs
sed 1,3d ours >report
same "read_profile, report" report theirs
grep -q '^  cpu: [0-9]* nanoseconds$' ours

"$examples/diff_profiles" "$testdata/generator_cpu.prof" "$testdata/generator_optimized_cpu.prof" >ours
"$pprofc" -symbolize=none -top -nodecount=10 -diff_base="$testdata/generator_cpu.prof" \
  "$testdata/generator_optimized_cpu.prof" >theirs
same "diff_profiles" ours theirs

"$examples/allocator_hook" heap.pb.gz
"$pprofc" -symbolize=none -top -sample_index=alloc_objects heap.pb.gz >top
grep -q 'Showing nodes accounting for 103, 100% of 103 total' top || { cat top; exit 1; }
"$pprofc" -symbolize=none -top heap.pb.gz >top
grep -q 'of 3.01MB total' top || { cat top; exit 1; }
echo "allocator_hook: ok"
