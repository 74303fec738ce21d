#!/usr/bin/env bash
# Tests merging the runs of a matrix: merge.sh SOURCE PROGRAMS. The verdict must be the verdict of one run with all
# measurements.
set -eu
. "$(dirname "$0")/common.sh"
pprofci=$PPROFC_BIN/pprofci
CI_PROFILES=$pprofci

for side in original optimized; do
  grep -v '^Benchmark[R-Z]' "$testdata/bench_$side.txt" >"a_$side.txt"
  grep '^Benchmark[R-Z]\|^[a-z]*:' "$testdata/bench_$side.txt" >"b_$side.txt"
done
run 0 run -one-process -bench-base a_original.txt -bench-head a_optimized.txt -out legs/one/ci
run 2 run -one-process -bench-base b_original.txt -bench-head b_optimized.txt -out legs/two/ci \
  -pair "$testdata/generator_cpu.prof" "$testdata/generator_optimized_cpu.prof"
run 2 run -one-process -bench-base "$testdata/bench_original.txt" -bench-head "$testdata/bench_optimized.txt" -out whole/ci
sed 1d output | sort >whole.txt
run 2 merge -out all/ci legs/one/ci legs/two/ci
has output '1 pair of profiles, start with all/ci/index.html'
has output 'over 57 p-values'
sed 1d output | sort >merged.txt
cmp -s whole.txt merged.txt || broken "not what one run says: $(diff whole.txt merged.txt)"
has all/ci/summary.md '### ✗ Setup-2 is 2.3 times slower'
has all/ci/manifest.json '"verdict": "REGRESSION"'
ok "p-values of all jobs are one family: the verdict of two halves is that of the whole"

python3 - all/ci/index.html <<'END' || broken "links of the merged page"
import os, re, sys
from urllib.parse import unquote
links = [unquote(link) for link in re.findall(r'href="([^"#]+)', open(sys.argv[1]).read())]
assert any("legs/two/ci/flame/" in link for link in links), links
for link in links:
    assert os.path.exists(os.path.join(os.path.dirname(sys.argv[1]), link)), link
END
run 2 merge -out "$work/elsewhere/deep/ci" legs/one/ci legs/two/ci
grep -qF '"../../../legs/two/ci/flame/generator_cpu_diff.html"' elsewhere/deep/ci/index.html || broken "a link from elsewhere"
python3 - all/ci/report.html legs/two/ci/flame/generator_cpu_diff.js <<'END' || broken "the report of merged jobs"
import re, sys
report, graph = (open(name).read() for name in sys.argv[1:])
(name, packed), = re.findall(r'<template data-graph="([^"]*)"><script type="text/plain">(.*?)</script></template>', report, re.S)
assert f'href="{name}' in report and name.startswith("#../../legs/two/ci/flame/"), name
assert graph == f'pprofcGraph("{packed}")\n' and len(packed) > 1000, graph[:80]
END
run 0 merge -no-fail -out all/ci legs/one/ci legs/two/ci
run 0 merge -threshold 200 -out all/ci legs/one/ci
ok "links lead to the artifacts of each job; -no-fail, -threshold"

# A merge drops a job's flame graph that pprofci did not write.
cp -r legs/two legs/planted
for text in 'pprofcGraph("planted</script>")' 'pprofcGraph("planted")+alert("")' 'planted")' 'pprofcGraph("' ''; do
  printf '%s\n' "$text" >legs/planted/ci/flame/generator_cpu_diff.js
  run 2 merge -out all/ci legs/one/ci legs/planted/ci
  grep -qF -e planted\< -e '<template' all/ci/report.html && broken "the report has text of a job as markup: $text"
  [ ! -e all/ci/flame/generator_cpu_diff.js ] || broken "a script of a job is beside the page: $text"
done
ok "a report takes no markup from a job"

# The same benchmarks on two machines are not rounds of one run.
cp -r legs/two legs/three
run 2 merge -out all/ci legs/two/ci legs/three/ci
has output 'Setup-2 sec/op (two: example.com/generator)'
has output 'Setup-2 sec/op (three: example.com/generator)'
has all/ci/index.html 'Setup-2 <small>three: example.com/generator</small>'
for job in more less; do
  for i in 1 2 3 4 5 6; do echo "BenchmarkA 1 10$i ns/op$([ $job = less ] || echo ' 8 B/op')"; done >"$job.txt"
  run 0 run -bench-base "$job.txt" -bench-head "$job.txt" -out "legs/$job/ci"
done
run 0 merge -out all/ci legs/more/ci legs/less/ci
[ "$(grep -o '"group": "[a-z]*: ' all/ci/manifest.json | sort | tr -d '\n')" = '"group": "less: "group": "more: "group": "more: ' ] ||
  broken "the units of a benchmark are apart: $(grep '"group"' all/ci/manifest.json)"
ok "equal benchmarks of two jobs stay apart, with all their units"

# Missing results of a job are never a pass.
run 1 merge -out all/ci legs/one/ci nowhere
has output "cannot read 'nowhere/manifest.json'"
has all/ci/index.html '✗ </span>The benchmarks could not be judged'
for i in 1 2 3 4 5 6; do echo "BenchmarkA 1 10$i ns/op"; done >a.txt
for i in 1 2 3 4 5 6; do echo "BenchmarkB 1 10$i ns/op"; done >b.txt
run 1 run -bench-base a.txt -bench-head b.txt -out legs/failed/ci
run 1 merge -out all/ci legs/one/ci legs/failed/ci
has output "the gate failed in 'legs/failed/ci'"
mkdir head && cp "$testdata/generator_cpu.prof" head/cpu.prof
run 0 run -head head -out legs/first/ci
run 0 merge -out all/ci legs/one/ci legs/first/ci
has all/ci/index.html '? </span>Nothing was compared in first.'
grep -q 'verdict good' all/ci/index.html && broken "a job that compared nothing is green"
run 0 merge -out all/ci legs/first/ci
has output 'no benchmarks were compared'
ok "a job without a manifest, whose gate failed, or that compared nothing"

run 1 merge -out all/ci -expect one,two,three legs/one/ci legs/two/ci
has output 'the result of job three is missing'
has all/ci/summary.md '### ✗ The benchmarks could not be judged: the result of job three is missing.'
has all/ci/index.html 'got worse'
run 1 merge -out all/ci -expect 3 legs/one/ci legs/two/ci
has output '3 jobs were expected, not 2'
run 1 merge -out all/ci -expect one,two legs/first/ci
run 2 merge -out all/ci -expect ' one, two ' legs/one/ci legs/two/ci
run 2 merge -out all/ci -expect 2 legs/one/ci legs/two/ci
for wrong in 0 -1 one,,two ,; do
  run 1 merge -out all/ci -expect "$wrong" legs/one/ci
  has messages '-expect must be a number, or names separated by commas'
done
ok "a job that is expected and not there is told, and makes the result unusable"

# Results of an earlier run in one of the folders.
a=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa b=bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
for job in one same; do
  mkdir -p "commits/$job"
  sed "s/\"commit\": \"[^\"]*\"/\"commit\": \"$a\"/; s/\"machine\": \"[^\"]*\"/\"machine\": \"of <$job>\"/" legs/one/ci/manifest.json >"commits/$job/manifest.json"
done
run 0 merge -out all/ci commits/one
has all/ci/manifest.json "\"commit\": \"$a\""
run 0 merge -out all/ci commits/one commits/same
has all/ci/index.html '<dt>machine</dt><dd>one: of &lt;one&gt;; same: of &lt;same&gt;</dd>'
mkdir commits/old
sed "s/$a/$b/" commits/same/manifest.json >commits/old/manifest.json
run 0 merge -out all/ci commits/one commits/old
has all/ci/summary.md '### ? The jobs are not all of one commit'
grep -q 'verdict good' all/ci/index.html && broken "jobs of two commits are green"
ok "jobs of different commits are never green"

mkdir -p legs/bad
for text in '' '{' '[]' '{"version": 2, "results": []}' '{"version": 3, "gate_status": 1}' \
  '{"version": 3, "results": [{"benchmark": "A", "unit": "sec/op", "base": ["x"], "head": [1]}]}'; do
  printf '%s' "$text" >legs/bad/manifest.json
  run 1 merge -out all/ci legs/one/ci legs/bad
done
printf '%s' '{"version": 3, "results": [{"benchmark": "A<b>\u001b[31m", "unit": "sec/op", "direction": -1, "base": [1,1,1,1], "head": [2,2,2,2]}],
  "pairs": [{"kind": "cpu", "head": "../../../x"}, {"kind": "<i>", "diff": "none", "base": "b", "head": "h"}, 7]}' >legs/bad/manifest.json
run 2 merge -out all/ci legs/one/ci legs/bad
grep -qP '\x1b' output all/ci/index.html && broken "ESC of a manifest"
grep -qF -e '<b>' -e '<i>' -e '../x' all/ci/index.html && broken "a manifest became markup"
ok "manifests that are broken, old or hostile"

find all/ci -type f | LC_ALL=C sort | xargs sha256sum >before
run 1 merge
has messages 'nothing to merge'
run 1 merge -out all/ci -threshold x legs/one/ci
find all/ci -type f | LC_ALL=C sort | xargs sha256sum >after
cmp -s before after || broken "a failed merge changed artifacts"
ok "wrong usage leaves the artifacts of the merge before"
