#!/bin/sh
# Checks that the examples print the same as pprofc and parse_bench_regressions for the same inputs: run.sh EXAMPLES
# PPROFC TESTDATA GATE.
set -eu
examples=$1 pprofc=$2 testdata=$3 gate=$4
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

# Adds up the values of equal stacks. -folded has one line for them, and the example prints a line for each sample.
sums() { awk '{ value = $NF; sub(/ [^ ]*$/, ""); sum[$0] += value } END { for (s in sum) print s, sum[s] }' | LC_ALL=C sort; }
"$examples/list_samples" "$testdata/generator_cpu.prof" | sums >ours
"$pprofc" -symbolize=none -folded "$testdata/generator_cpu.prof" | sums >theirs
same "list_samples" ours theirs

"$examples/call_graph" "$testdata/generator_cpu.prof" nodecount=10 sort=cum >graph
"$pprofc" -symbolize=none -top -cum -nodecount=10 -unit=nanoseconds "$testdata/generator_cpu.prof" |
  awk 'rows { sub(/ \((partial-)?inline\)$/, ""); flat = $1; cum = $4; sub(/^.*%  /, ""); sub(/ns$/, "", flat)
      sub(/ns$/, "", cum); print flat, cum, $0 }
    /flat%/ { rows = 1 }' >theirs
sed -n 2,11p graph >ours
same "call_graph, nodes" ours theirs
grep -q ' -> ' graph
if "$examples/call_graph" "$testdata/generator_cpu.prof" nodecount=many 2>said; then exit 1; fi
grep -qx 'call_graph: invalid "nodecount" value "many"' said

# The paths of the tree with their self values are the lines of -folded.
"$examples/call_tree" "$testdata/generator_cpu.prof" |
  awk '{ match($0, /^ */); depth = RLENGTH / 2; value = $NF; name = $0; sub(/^ */, "", name); sub(/ [^ ]*$/, "", name)
      path[depth] = depth ? path[depth - 1] ";" name : name
      self[path[depth]] += value; if (depth) self[path[depth - 1]] -= value }
    END { for (p in self) if (self[p]) print p, self[p] }' | sums >ours
"$pprofc" -symbolize=none -folded "$testdata/generator_cpu.prof" | sums >theirs
same "call_tree" ours theirs

"$examples/shrink_profile" "$testdata/generator_cpu.prof" runtime small.pb.gz
"$pprofc" -symbolize=none -top small.pb.gz >top
"$pprofc" -symbolize=none -top -focus=runtime -relative_percentages "$testdata/generator_cpu.prof" >wanted
# Compares only the rows. The reduced profile lacks the marks of inlined functions.
for file in top wanted; do sed '1,/flat%/d; s/ (\(partial-\)\{0,1\}inline)$//' $file >$file.rows; done
[ -s top.rows ]
same "shrink_profile" top.rows wanted.rows

status=0
"$examples/judge_results" "$testdata/bench/gate_old.txt" "$testdata/bench/gate_new.txt" >ours || status=$?
wanted=0
"$gate" -base "$testdata/bench/gate_old.txt" -head "$testdata/bench/gate_new.txt" -floor 1ns >theirs || wanted=$?
[ "$status" = "$wanted" ] || { echo "judge_results: exit status $status, not $wanted"; exit 1; }
tail -n 1 ours >ours.last
tail -n 1 theirs >theirs.last
same "judge_results" ours.last theirs.last
