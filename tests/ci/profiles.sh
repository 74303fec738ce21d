#!/usr/bin/env bash
# Tests the artifacts of pairs of profiles: profiles.sh SOURCE PROGRAMS. A run writes all of its artifacts, or no
# artifact.
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
  printf 'ci/flame/%s.js\n' generator_cpu_diff generator_mem_diff viewer
  printf '%s\n' ci/index.html ci/report.html ci/summary.md ci/manifest.json benchdiff/bench_original.diff benchdiff/bench_optimized.diff
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
# The page of a job cannot link to artifacts, so links become text.
sed -e '/^<a href="index.html">Page/,+1d' -e 's:<a href="[^"]*">::g' -e 's:</a>::g' .docs/artifacts/ci/summary.md >told
cmp -s step told || broken "the step has no summary: $(diff told step)"
grep -q '<a href="index.html#b-1">Setup-2</a>' .docs/artifacts/ci/summary.md || broken "the summary does not link to the row"
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
has "$a/index.html" 'New: the base has no profile of this name'
has "$a/index.html" 'Gone: the head has no profile of this name'
has "$a/index.html" '&lt;i&gt;&#34;new&#34;&amp;|_heap'
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
# Equal results are not a pass: in 22 of 75 rows a change of the threshold would be within the noise.
has output 'result: inconclusive: 20 of 25 benchmarks could not be judged'
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

# ---- modes -------------------------------------------------------------------------------------------------------------

bundled_nowhere() {
  not_there "$1/generator_cpu_diff_top.txt" "$1/generator_cpu_top.txt"
}
run 2 -out modes/ci -bench-base "${results[1]}" -bench-head "${results[0]}"
has output '0 pairs of profiles'
has modes/ci/index.html 'all 78 measurements'
bundled_nowhere modes/ci
there modes/benchdiff/bench_original.diff
run 0 -out modes/ci -base base -head head
has output 'no benchmarks were compared'
not_there modes/benchdiff/bench_original.diff
has modes/ci/manifest.json '"verdict": "no benchmarks were compared"'
ok "benchmarks alone, then profiles alone: nothing tells of the verdict before"

run 0 -out modes/ci -head head
has output 'no comparison: no base'
has modes/ci/index.html 'A first run'
has modes/ci/summary.md 'A first run'
grep -q 'New: the base has no' modes/ci/index.html && broken "without a base nothing is new"
there "modes/ci/two words_cpu_top.txt"
bundled_nowhere modes/ci
run 0 -out modes/ci -head head -bench-head "${results[0]}"
has output 'no comparison: no base'
has modes/ci/index.html 'RenderSource'
run 0 -out modes/ci -bench-head "${results[0]}"
has modes/ci/manifest.json '"verdict": "no comparison: no base"'
ok "a head alone is a first run"

# ---- formats -----------------------------------------------------------------------------------------------------------

mkdir formats-base formats-head
for file in calls.cpuprofile calls.heapprofile calls.dhat.json calls.perf.txt calls.jemalloc.heap calls.cachegrind.out.gz \
  made.folded made.speedscope.json made.firefox.json; do
  cp "$testdata/imports/$file" "formats-base/$file"
  cp "$testdata/imports/$file" "formats-head/$file"
done
cp "$testdata/server_b_heap.debug1.txt" formats-base/heap.txt
gzip -c "$testdata/server_b_heap.debug1.txt" >formats-head/heap.txt
cp "$testdata/imports/calls.callgrind.out" formats-base/callgrind.out.100
cp "$testdata/imports/calls.callgrind.out" formats-head/callgrind.out.2345
gzip -c "$testdata/imports/made.folded" >formats-head/new.folded.gz
printf '# Read me\n' >formats-head/README.md
: >formats-head/.keep
cp "${results[0]}" formats-head/bench.txt
run 0 -base formats-base -head formats-head -out formats/ci
has output '12 pairs of profiles'
[ "$(wc -l <messages)" -eq 3 ] || broken "not three files are named"
for file in README.md .keep bench.txt; do has messages "skipped 'formats-head/$file': not a profile"; done
there formats/ci/callgrind.out.100_diff_top.txt formats/ci/calls.cpuprofile_diff_top.txt formats/ci/new.folded_top.txt \
  formats/ci/heap.txt_diff_top.txt
not_there formats/ci/README.md_top.txt
# Two profiles of a kind whose names differ only in process ids are not pairs. pprofci does not report the given results
# as skipped files.
rm formats-base/[d-z]* formats-base/calls* formats-head/[d-z]* formats-head/calls*
cp formats-base/callgrind.out.100 formats-base/callgrind.out.101
run 0 -base formats-base -head formats-head -out formats/ci -bench-base formats-head/bench.txt -bench-head formats-head/bench.txt
[ "$(wc -l <messages)" -eq 2 ] || broken "results that are given are named as well"
not_there formats/ci/callgrind.out.100_diff_top.txt formats/ci/callgrind.out.101_diff_top.txt
ok "every format that pprofc reads, found by content"

# ---- names -------------------------------------------------------------------------------------------------------------

mkdir -- -names -other
cp "$testdata/generator_cpu.prof" $'./-names/\e[31mred\xff\xe2\x80\xae.prof'
cp "$testdata/generator_cpu.prof" $'./-names/\e[31mred\xfe\xe2\x80\xae.prof'
cp "$testdata/generator_cpu.prof" $'./-names/two\nlines.prof'
cp "$testdata/generator_cpu.prof" './-names/-top.prof'
cp "$testdata/generator_cpu.prof" './-names/::error::##[group]x.prof'
printf 'no profile\n' >$'./-names/\n::error::##[group]a\e]0;title\a\xff'
cp -- -names/* -other
run 0 -base -names -head -other -out -named/ci
python3 - -named/ci <<'END' || broken "a name acts"
import json, os, sys
manifest = json.loads(open(os.path.join(sys.argv[1], "manifest.json"), "rb").read().decode("utf-8"))
assert len(manifest["pairs"]) == 5, manifest["pairs"]
for path in manifest["files"]:
    assert os.path.exists(os.path.join(sys.argv[1], path)), path
for name in ("output", "messages", sys.argv[1] + "/index.html", sys.argv[1] + "/summary.md", sys.argv[1] + "/manifest.json"):
    text = open(name, "rb").read().decode("utf-8")
    bad = [c for c in text if (ord(c) < 32 and c not in "\n\t") or 0x7f <= ord(c) < 0xa0 or c in "\u202e\u2028\u200f"]
    assert not bad, (name, bad)
    if name in ("output", "messages"):
        assert "##[" not in text and not any(line.lstrip().startswith("::") for line in text.split("\n")), (name, text)
END
[ "$(wc -l <messages)" -eq 2 ] || broken "not one line for each file that is left out"
fails_with() { # STATUS TEXT ARGUMENT...
  run "$1" "${@:3}"
  has messages "$2"
  grep -qP '\x1b|##\[' messages && broken "a message acts"
  return 0
}
fails_with 1 'x1b' -base $'\e[31m##[error]' -head head
fails_with 1 'unknown option' $'-\e[31m##[error]' x
fails_with 1 "unexpected argument" head
ok "names that would like to be options, commands of a log, or more than a line"

printf 'Benchmark\e[31m<b>\xff::x 1 100 ns/op\n' | tee -a evil.txt evil.txt evil.txt evil.txt evil.txt >/dev/null
run 0 -bench-base evil.txt -bench-head evil.txt -out -named/ci
grep -qP '\x1b' output ./-named/ci/index.html ./-named/ci/summary.md && broken "ESC of a benchmark's name"
grep -qF '<b>' ./-named/ci/index.html && broken "a benchmark became markup"
rm -r ./-named ./-names ./-other
ok "names of benchmarks"

# ---- failures ----------------------------------------------------------------------------------------------------------

fails() { # WHAT TEXT ARGUMENT...: the command must print one line and leave no file
  local what=$1 text=$2
  shift 2
  run 1 "$@"
  [ "$(grep -vc ': not a profile' messages)" -eq 1 ] || broken "$what: not one line"
  has messages "$text"
  not_there failing
  ok "$what"
}
head -c 400 "$testdata/generator_cpu.prof" >"head/two words_cpu.prof"
run 1 -base base -head head -out failing
has messages 'two words_cpu.prof'
has failing/index.html 'two words_cpu.prof'
rm -r failing
ok "a broken profile is on the page, and the run fails"
rm "head/two words_cpu.prof"
cp "$testdata/generator_optimized_cpu.prof" "head/two words_cpu.prof"
fails 'no such folder' "'nowhere' is not a folder" -base nowhere -head head -out failing
mkdir empty
fails 'empty folders' 'no profiles' -base empty -head empty -out failing
fails 'no results' 'cannot read' -base base -head base -out failing -bench-base nowhere -bench-head nowhere
fails 'results of one side' 'go together' -base base -head base -out failing -bench-base "${results[0]}"
fails 'results of one side alone' 'go together' -out failing -bench-base "${results[0]}"
fails 'a base without a head' 'go together' -out failing -base base
fails 'a head whose base is missing' 'go together' -out failing -head head -bench-base "${results[0]}" -bench-head "${results[0]}"
fails 'results of the head, a base of profiles' 'go together' -out failing -base base -head head -bench-head "${results[0]}"
fails 'a variable that is not set' '-base is empty' -out failing -base '' -head head
mkdir words
printf 'some words\n' >words/README
fails 'a folder without profiles' 'no profiles' -base words/ -head words/ -out failing 2>/dev/null
head -c 3000 "$testdata/imports/calls.cpuprofile" >words/cut.cpuprofile
run 1 -head words -out failing
has messages "cannot read 'words/cut.cpuprofile': parsing profile: JSON profile: unterminated string"
has messages "no profiles in 'words'"
not_there failing
ok "a profile that is cut off"
rm words/cut.cpuprofile
printf 'no stacks\n' >words/made.folded
mkdir words-base
cp "$testdata/imports/made.folded" words-base/
run 1 -base words-base -head words -out failing
has messages "cannot read 'words/made.folded': parsing profile: unrecognized profile format"
not_there failing
ok "a partner that is not a profile"
fails 'an option of -record without it' 'needs -record' -out failing -count 3
fails 'a count that is none' '-count' -out failing -record . -count 'a[$(touch here)]'
not_there here
fails 'an unknown option' 'unknown option' -colour blue
fails 'a place that cannot be made' 'cannot make' -base base -head base -out /dev/null/ci
(cd quiet && find . -type f -exec sha256sum {} +) | sort >before
run 1 -base base -head head -out quiet/ci -bench-base nowhere -bench-head nowhere
(cd quiet && find . -type f -exec sha256sum {} +) | sort >after
cmp -s before after || broken "a failed run has changed artifacts"
ok "a failed run leaves the artifacts of the one before"

# ---- a read-only checkout --------------------------------------------------------------------------------------------

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
