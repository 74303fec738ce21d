#!/usr/bin/env bash
# profiles.sh SOURCE PROGRAMS: the artifacts of pairs of profiles, whole or not at all.
set -eu
. "$(dirname "$0")/common.sh"

# ---- the bundled profiles ----------------------------------------------------------------------------------------

run 2
has output REGRESSION
layout() {
  local name
  for name in generator_cpu generator_cpu_diff generator_mem generator_mem_diff generator_optimized_cpu generator_optimized_mem; do
    printf 'ci/%s\n' "${name}_top.txt" "flamegraphs/$name.svg" "speedscope/$name.speedscope.json" "flame/$name.html" \
      "profiles/$name.pb.gz"
  done
  printf '%s\n' ci/index.html ci/summary.md ci/manifest.json benchdiff/bench_original.diff benchdiff/bench_optimized.diff
}
(cd .docs/artifacts && find . -type f | sed 's:^\./::' | LC_ALL=C sort) >found
layout | LC_ALL=C sort >wanted
cmp -s found wanted || broken "the layout differs: $(diff wanted found)"
has .docs/artifacts/ci/generator_mem_top.txt 'Type: alloc_space'
has .docs/artifacts/ci/generator_mem_diff_top.txt 'Type: alloc_space'
has .docs/artifacts/ci/manifest.json '"verdict": "REGRESSION"'
has .docs/artifacts/ci/manifest.json "$(sha256sum <"$testdata/generator_cpu.prof" | cut -d' ' -f1)"
has .docs/artifacts/ci/index.html '<strong>REGRESSION</strong>'
python3 -m json.tool .docs/artifacts/ci/manifest.json >/dev/null || broken "manifest.json is no JSON"
ok "the bundled profiles"

cp -r .docs/artifacts first
GITHUB_STEP_SUMMARY=$work/step run 0 -no-fail
has output REGRESSION
diff -r first .docs/artifacts >/dev/null || broken "a second run differs: $(diff -rq first .docs/artifacts)"
cmp -s step .docs/artifacts/ci/summary.md || broken "the step has no summary"
ok "twice in a row, -no-fail, a summary of the step"

# ---- folders -------------------------------------------------------------------------------------------------------

mkdir base head
cp "$testdata/generator_cpu.prof" "base/two words_cpu.prof"
cp "$testdata/generator_optimized_cpu.prof" "head/two words_cpu.prof"
cp "$testdata/server_mutex.pb.gz" base/old_mutex.pb.gz
cp "$testdata/server_heap.pb.gz" 'head/<i>"new"&|_heap.pb.gz'
cp "$testdata/server_block.pb.gz" head/block.pb.gz
cp "$testdata/server_b_block.pb.gz" base/block.pb.gz
run 0 -base base -head head -out 'my artifacts/ci'
has output 'no benchmarks were compared'
a='my artifacts/ci'
there "$a/two words_cpu_base_top.txt" "$a/two words_cpu_head_top.txt" "$a/flamegraphs/two words_cpu_diff.svg" \
  "$a/old_mutex_top.txt" "$a/<i>\"new\"&|_heap_top.txt" "$a/block_diff_top.txt"
not_there "$a/old_mutex_diff_top.txt" "$a/<i>\"new\"&|_heap_diff_top.txt" 'my artifacts/benchdiff'
has "$a/index.html" 'New: there is no such profile in the base'
has "$a/index.html" 'Gone: there is no such profile in the head'
has "$a/index.html" '&lt;i&gt;&quot;new&quot;&amp;|_heap'
has "$a/index.html" 'flamegraphs/two%20words_cpu_diff.svg'
has "$a/summary.md" 'old_mutex (gone)'
has "$a/summary.md" '_heap (new)'
grep -qF '<i>' "$a/index.html" "$a/summary.md" && broken "a name became markup"
has "$a/<i>\"new\"&|_heap_top.txt" 'Type: alloc_space'
python3 -m json.tool "$a/manifest.json" >/dev/null || broken "manifest.json is no JSON"
ok "pairs that lack a side, names with spaces and markup"

rm 'head/<i>"new"&|_heap.pb.gz' base/old_mutex.pb.gz
touch 'my artifacts/ci/of the user.txt'
run 0 -base base -head head -out 'my artifacts/ci'
not_there "$a/<i>\"new\"&|_heap_top.txt" "$a/old_mutex_top.txt" "$a/flame/old_mutex.html"
[ -e "$a/of the user.txt" ] || broken "a file that is not ours is gone"
ok "what is gone leaves no artifacts behind"

# ---- verdicts --------------------------------------------------------------------------------------------------------

results=("$testdata/bench_original.txt" "$testdata/bench_optimized.txt")
run 0 -base base -head head -out quiet/ci -bench-base "${results[0]}" -bench-head "${results[0]}"
has output 'no regression'
there quiet/benchdiff/bench_original.diff
run 2 -base base -head head -out quiet/ci -bench-base "${results[1]}" -bench-head "${results[0]}"
has quiet/ci/index.html 'REGRESSION'
run 0 -no-fail -base base -head head -out quiet/ci -bench-base "${results[1]}" -bench-head "${results[0]}"
for i in 1 2 3 4 5 6; do
  printf 'BenchmarkParse 1000 100%d ns/op\n' "$i" >>slow.txt
  printf 'BenchmarkParse 1000 130%d ns/op\n' "$i" >>slower.txt
done
run 2 -base base -head head -out quiet/ci -bench-base slow.txt -bench-head slower.txt
run 2 -base base -head head -out quiet/ci -bench-base slow.txt -bench-head slower.txt -threshold 25
THRESHOLD_PERCENT=50 run 0 -base base -head head -out quiet/ci -bench-base slow.txt -bench-head slower.txt
ok "0 without a regression, 2 with one, THRESHOLD_PERCENT"

# ---- failures ----------------------------------------------------------------------------------------------------------

fails() { # WHAT TEXT ARGUMENT...: one clear line, and nothing is left
  local what=$1 text=$2
  shift 2
  run 1 "$@"
  [ "$(wc -l <messages)" -eq 1 ] || broken "$what: not one line"
  has messages "$text"
  not_there failing
  ok "$what"
}
head -c 400 "$testdata/generator_cpu.prof" >"head/two words_cpu.prof"
fails 'a broken profile' 'two words_cpu.prof' -base base -head head -out failing
fails 'no such folder' "no folder 'nowhere'" -base nowhere -head head -out failing
mkdir empty
fails 'empty folders' 'no profiles' -base empty -head empty -out failing
fails 'no results' 'cannot read' -base base -head base -out failing -bench-base nowhere -bench-head nowhere
fails 'results of one side' 'belong together' -base base -head base -out failing -bench-base "${results[0]}"
fails 'an unknown option' 'unknown option' -colour blue
fails 'a place that cannot be made' 'cannot make' -base base -head base -out /dev/null/ci
(cd quiet && find . -type f -exec sha256sum {} +) | sort >before
run 1 -base base -head head -out quiet/ci
(cd quiet && find . -type f -exec sha256sum {} +) | sort >after
cmp -s before after || broken "a failed run has changed artifacts"
ok "a failed run leaves the artifacts of the one before"

# ---- a checkout that nobody may write to ---------------------------------------------------------------------------------

mkdir -p checkout/scripts
cp "$script" checkout/scripts/
cp -r "$testdata" checkout/testdata
chmod -R a-w checkout
find checkout -printf '%p %T@\n' | sort >before
(cd checkout && CI_PROFILES=$work/checkout/scripts/ci_profiles.sh run 2 -out "$work/elsewhere/ci")
find checkout -printf '%p %T@\n' | sort >after
cmp -s before after || broken "something was written into the checkout"
there elsewhere/ci/index.html elsewhere/benchdiff/bench_optimized.diff
ok "a read-only checkout"
