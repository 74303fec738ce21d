#!/usr/bin/env bash
# Tests -record: record.sh SOURCE PROGRAMS. It runs the Go benchmarks of two commits of a new repository, and profiles
# equal work of both.
set -eu
. "$(dirname "$0")/common.sh"
command -v go >/dev/null && command -v git >/dev/null || {
  echo "skipped: no go or no git"
  exit 77
}
# The test uses neither the user's settings nor the network. It uses the Go build cache of the user, because compiling
# Go's packages takes 20 s of CPU time.
GOCACHE=$(go env GOCACHE)
export HOME=$work GOFLAGS=-mod=mod GOPROXY=off GOCACHE GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX GOMAXPROCS
git_() {
  git -c user.name=tests -c user.email=tests@example.com "$@"
}

# Writes a package with three stages of similar cost. ROUNDS is the number of rounds of the second stage.
write_package() { # ROUNDS
  cat >words/words.go <<END
package words

//go:noinline
func split(text string) (n int) {
	for i := 0; i < 200; i++ {
		for _, c := range text {
			if c == ' ' {
				n++
			}
		}
	}
	return n
}

//go:noinline
func hash(text string) (h int) {
	for i := 0; i < $1; i++ {
		for _, c := range text {
			h = h*31 + int(c)
		}
	}
	return h
}

//go:noinline
func longest(text string) (n int) {
	for i := 0; i < 200; i++ {
		length := 0
		for _, c := range text {
			length++
			if c == ' ' {
				length = 0
			}
			n = max(n, length)
		}
	}
	return n
}

func max(a, b int) int {
	if a > b {
		return a
	}
	return b
}

func Index(text string) int { return split(text) + hash(text) + longest(text) }
END
}

mkdir -p repository/words repository/plain
cd repository
git_ init -q -b main .
printf 'module example.com/repository\n\ngo 1.18\n' >go.mod
printf 'package plain\n' >plain/plain.go
cat >words/words_test.go <<'END'
package words

import (
	"fmt"
	"testing"
)

var sink int
var sinkBytes []byte

const text = "a flame graph shows where the time goes"

func BenchmarkIndex(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink += Index(text)
	}
}

func BenchmarkIndexOther(b *testing.B) { // a longer name, which the expression of Index must not match
	for i := 0; i < b.N; i++ {
		sink += Index(text[:8])
	}
}

func BenchmarkSplit(b *testing.B) {
	for _, name := range []string{"a=1|2", "a=1|23", "(x.*) [k]/y^$-2", "\x01\\d+"} {
		b.Run(fmt.Sprint(name), func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				sink += split(text)
				sinkBytes = make([]byte, 1<<20) // more than Go's sampling can miss
			}
		})
	}
}
END
write_package 200
git_ add . && git_ commit -q -m 'words: an index'
# The head does four times the work of one stage. A package and a benchmark are new, and one benchmark is removed.
write_package 1600
sed -i 's/IndexOther/IndexAnother/' words/words_test.go
mkdir more
printf 'package more\n' >more/more.go
cat >more/more_test.go <<'END'
package more

import "testing"

func BenchmarkNothing(b *testing.B) {
	x := 0
	for i := 0; i < b.N; i++ {
		x += i
	}
}
END
git_ add . && git_ commit -q -m 'words: hash them again and again'
artifacts=.docs/artifacts

# ---- a planted regression --------------------------------------------------------------------------------------------

# Prints the function that grew most, from the table of a difference.
largest() {
  awk '/^ *flat /{ table = 1; next } table && $1 !~ /^-/ && $1 != "0" { print $6; exit }' "$1"
}
found=0 named=0
for i in 1 2 3; do
  run '0|2' -record ./words -base-ref HEAD~1 -any-load -profile all -count 6 -bench 'Index$' -benchtime 300ms -profiles cpu -cpu 1 -profile-runs 5
  diff=$artifacts/ci/words.Index_cpu_diff_top.txt
  [ "$(largest "$diff")" = example.com/repository/words.hash ] || broken "run $i: $(largest "$diff") grew most: $(cat $diff)"
  grep -q '^Showing nodes accounting for [1-9]' $diff || broken "run $i: it is shown as faster: $(cat $diff)"
  # On a noisy machine no function may exceed the noise. The page then names no function, and never another function.
  why=$(grep -A 2 'Grew most (cpu)' $artifacts/ci/index.html || true)
  case "$why" in
  *words.hash*) named=$((named + 1)); cp $artifacts/ci/manifest.json "$work/named.json" ;;
  ?*) broken "run $i: the page says something else: $why" ;;
  esac
  [ "$status" -eq 2 ] && [ -n "$why" ] || continue
  found=$((found + 1))
  grep -q 'Index is .* times slower' $artifacts/ci/index.html || broken "run $i: the verdict does not say slower"
  grep -q '^### ✗ Index is .* times slower' $artifacts/ci/summary.md || broken "run $i: the summary does not say what"
  grep -q '^| \*\*<a href="index.html#b-1">Index</a>\*\* |.*<a href="flame/[^"]*#search=[^"]*words\.hash"><code>words\.hash</code></a> +' $artifacts/ci/summary.md || broken "run $i: the summary does not say where"
done
[ "$found" -gt 0 ] || broken "the gate has not found it once"
[ "$named" -gt 0 ] || broken "the function was not named once"
ok "a planted regression is the largest slowdown of the difference, three times of three"

# Both sides run the same number of iterations. The base takes the requested time, and the slower head takes longer.
python3 - $artifacts/ci/manifest.json <<'END' || broken "iterations"
import json, sys
pairs = json.load(open(sys.argv[1]))["pairs"]
assert [(p["kind"], p["package"], p["benchmark"]) for p in pairs] == [("cpu", "example.com/repository/words", "Index")], pairs
assert pairs[0]["iterations"] > 100, pairs
END
grep -q '^\[[0-9]*/[0-9]*\] measuring base words (round 6 of 6)$' "$work/messages" || broken "no progress of the rounds"
for i in 1 2 3 4 5; do
  printf 'profiling base BenchmarkIndex (n=N, run %d of 5)\nprofiling head BenchmarkIndex (n=N, run %d of 5)\n' $i $i
done >"$work/turns"
sed -n 's:^\[[0-9]*/10\] \(profiling .*\)(n=[0-9]*:\1(n=N:p' "$work/messages" | cmp -s - "$work/turns" || broken "not in turns, or no progress of the profiles"
[ "$(sed -n 's/.* BenchmarkIndex (n=\([0-9]*\), run .*/\1/p' "$work/messages" | sort -u | wc -l)" -eq 1 ] || broken "not the same work"
grep -q '^profiling 1 benchmarks, 5 runs of each version: about [1-9][0-9]* s$' "$work/messages" || broken "the time is not told"
grep -q '^profiled in [0-9]* s$' "$work/messages" || broken "the time that it took is not told"
there $artifacts/ci/runs/words.Index_cpu/base/run1.pb.gz $artifacts/ci/runs/words.Index_cpu/head/run5.pb.gz
for side in base head; do
  [ "$(grep -c '^BenchmarkIndex .* ns/op' $artifacts/ci/runs/words.Index_cpu/$side.txt)" -eq 5 ] || broken "not a result for each run of $side"
done
python3 - "$work/named.json" <<'END' || broken "the verdicts of the functions"
import json, sys
pair = json.load(open(sys.argv[1]))["pairs"][0]
c = pair["comparisons"][0]
assert (c["base_runs"], c["head_runs"], c["weak"], c["measure"], c["per_operation"]) == (5, 5, False, "sec/op", True), c
assert c["because"][0]["function"] == "example.com/repository/words.hash", c["because"]
assert c["because"][0]["verdict"] == "grew" and c["because"][0]["q"] < 0.05, c["because"]
assert pair["own"][0]["function"].endswith("words.hash") and pair["own"][0]["line"] > 0, pair["own"]
END
(cd $artifacts/ci && "$PPROFC_BIN/pprofc" -noise -top -diff_base=runs/words.Index_cpu/base runs/words.Index_cpu/head 2>/dev/null) |
  grep -q '^Runs: mean of 5 + 5 runs' || broken "pprofc -noise does not read the folders"
"$PPROFC_BIN/pprofc" -symbolize=none -raw $artifacts/ci/profiles/words.Index_cpu_head.pb.gz >"$work/raw"
has "$work/raw" 'example.com/repository/words/words.go'
grep -qF "$work/repository" "$work/raw" && broken "the folder of the checkout is in a profile"
ok "equal work, progress, and no folder of a checkout in a profile"

# ---- all packages, all kinds -------------------------------------------------------------------------------------------

run '0|2' -record './words ./more ./plain' -base-ref HEAD~1 -count 4 -benchtime 20ms -profiles cpu,mem,block -profile all -profile-runs 1
cpus=$(sed -n 's/.*"benchmark": "Index\(-[0-9]*\)\{0,1\}".*/\1/p' $artifacts/ci/manifest.json | head -n 1)
there "$artifacts/ci/words.Index${cpus}_mem_diff_top.txt" $artifacts/benchdiff/bench_head.diff
has "$artifacts/ci/words.Index${cpus}_mem_diff_top.txt" 'Type: alloc_space'
there "$artifacts/ci/words.Index${cpus}_block_diff_top.txt"
not_there "$artifacts/ci/words.Index${cpus}_mutex_diff_top.txt"
has "$work/messages" "profiling base BenchmarkSplit/(x.*)_[k]/y^\$-2 (n="
has "$work/messages" 'profiling base BenchmarkSplit/\x01\d+ (n='
has "$work/messages" 'profiling base BenchmarkIndexOther (n='
has "$work/messages" 'profiling head BenchmarkIndexAnother (n='
has "$work/messages" 'profiling head BenchmarkNothing (n='
grep -q 'profiling head BenchmarkIndexOther \|profiling base BenchmarkIndexAnother \|profiling base BenchmarkNothing ' "$work/messages" &&
  broken "a benchmark of one side was profiled on the other"
has $artifacts/ci/index.html 'New: the base has no profile of this name'
has $artifacts/ci/index.html 'Gone: the head has no profile of this name'
has $artifacts/ci/manifest.json "$(git rev-parse HEAD)"
has "$work/output" 'missing: IndexOther'
[ "$(git worktree list | wc -l)" -eq 1 ] || broken "a worktree is left"
[ -z "$(git status --porcelain | grep -v '\.docs/')" ] || broken "the checkout has changed"
ok "each leaf benchmark by itself, what is new and gone, all kinds"

# A profile without samples is a line of text, not a failure.
mkdir idle
cat >idle/idle_test.go <<'END'
package idle

import (
	"flag"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	flag.Parse()
	flag.Set("test.blockprofilerate", "0")
	flag.Set("test.mutexprofilefraction", "0")
	os.Exit(m.Run())
}

func BenchmarkIdle(b *testing.B) {
	for i := 0; i < b.N; i++ {
	}
}
END
git_ add idle && git_ commit -q -m idle
run 0 -record ./idle -base-ref HEAD -all -count 4 -out "$work/idle/ci" -threshold 900 -benchtime 300000000x -cpu 1 -profiles cpu,block,mutex -profile all -profile-runs 2
[ "$(grep -c "^pprofci: skipped 'idle.Idle_[bm][a-z]*': no samples$" "$work/messages")" -eq 2 ] || broken "an empty profile is not one line"
there "$work/idle/ci/idle.Idle_cpu_diff_top.txt"
not_there "$work/idle/ci/idle.Idle_block_diff_top.txt"
git_ reset -q --hard HEAD~1
ok "profiles without samples"

(cd words && run 0 -record . -base-ref HEAD -all -count 4 -out "$work/same/ci" -threshold 900 -bench Split -benchtime 50x -cpu 1,2 -profiles mem -profile all -profile-runs 1)
there "$work/same/ci/words.Split_a=1_2_mem_diff_top.txt" "$work/same/ci/words.Split_a=1_2-2_mem_diff_top.txt"
not_there "$work/same/ci/words.Split_a=1_2_cpu_diff_top.txt" "$work/same/ci/words.Index_mem_diff_top.txt"
[ "$(grep -c 'profiling .*(n=50, run 1 of 1)$' "$work/messages")" -eq 16 ] || broken "not 4 benchmarks, 2 numbers of processors, 2 sides"
ok "a commit against itself, from a folder below; -bench, -benchtime, -cpu, -profiles"

# ---- equal programs ------------------------------------------------------------------------------------------------------

# A change of unlinked code, a document or another package leaves the program equal. A change of data that a benchmark
# may read does not.
run 0 -record './words ./more' -base-ref HEAD -count 4 -benchtime 20ms -fail-on 'flat>5%' -out "$work/equal/ci"
has "$work/output" 'unchanged: same binary: example.com/repository/more'
has "$work/equal/ci/summary.md" 'Unchanged: base and head have the same test binary in 2 packages.'
has "$work/equal/ci/manifest.json" '"conclusion": "good"'
grep -q measuring "$work/messages" && broken "equal programs were measured"
"$PPROFC_BIN/pprofci" merge -out "$work/equal/all/ci" "$work/equal/ci" >"$work/output" || broken "equal programs do not merge"
has "$work/equal/all/ci/summary.md" 'same test binary'
printf 'func notCalled() int { return 7 }\n' >>words/words.go
git_ commit -q -a -m 'words: not called'
sed -i 's/return 7/return 8/' words/words.go
printf 'words\n' >words/README.md
sed -i 's/x := 0/sink = b.N/; s/x += i/sink += i/; s/^func/var sink int\n\nfunc/' more/more_test.go
git_ add . && git_ commit -q -m 'more'
run 0 -record ./words -base-ref "$(git_ commit-tree -m other 'HEAD^{tree}')" -out "$work/equal/ci"
for file in index.html summary.md; do
  has "$work/equal/ci/$file" 'given by -base-ref, but it is not an ancestor of the head'
done
run '0|2' -record './words ./more' -base-ref HEAD~1 -count 4 -benchtime 20ms -profile-runs 0 -out "$work/equal/ci"
has "$work/messages" 'measuring head more'
grep -q 'measuring .* words' "$work/messages" && broken "an equal program was measured"
has "$work/equal/ci/index.html" '1 package not measured: same binary'
mkdir -p words/testdata && printf 'a\n' >words/testdata/input && git_ add . && git_ commit -q -m 'words: an input'
run '0|2' -record ./words -base-ref HEAD~1 -count 4 -benchtime 20ms -bench Index -profile-runs 0 -out "$work/equal/ci"
has "$work/messages" 'measuring head words'
git_ reset -q --hard HEAD~3
ok "packages whose test binary is the same are not measured, unless their data changed"

# ---- an overloaded machine -----------------------------------------------------------------------------------------------

busy=
for i in $(seq $((3 * $(nproc)))); do
  while :; do :; done &
  busy="$busy $!"
done
run 0 -record ./words -base-ref HEAD~1 -count 5 -bench 'Index$' -benchtime 200ms -profile-runs 0 -out "$work/busy/ci"
kill $busy
has "$work/busy/ci/summary.md" 'Could not be judged: the machine was overloaded (load '
has "$work/output" 'result: inconclusive: could not be judged: the machine was overloaded'
has "$work/busy/ci/manifest.json" '"load_average":'
ok "an overloaded machine is named, and no time is red"

git_ rm -q -r words && git_ commit -q -m 'words: away'
run 0 -record ./more -base-ref main~2 -count 4 -benchtime 20ms -profile-runs 0
has "$work/output" '0 pairs of profiles'
has "$work/output" 'no comparison: no base'
not_there $artifacts/ci/runs/words.Index_cpu/base/run1.pb.gz
run 1 -record './words ./more' -base-ref main~2 -count 4 -benchtime 20ms -bench Index
git_ reset -q --hard HEAD~1
ok "a base without benchmarks is a first run, a head without them is an error"

# ---- failures ------------------------------------------------------------------------------------------------------------

cannot() { # TEXT ARGUMENT...
  run 1 -out "$work/none" "${@:2}"
  has "$work/messages" "$1"
  not_there "$work/none"
}
cannot no-such-commit -record ./... -base-ref no-such-commit
for number in -1 1001 x ''; do
  run 1 -out "$work/none" -record ./words -base-ref HEAD -profile-runs "$number"
  has "$work/messages" -profile-runs
done
for ref in --lock -b -fnew --help '--detach main' '@{upstream' 'main:words'; do
  cannot 'unknown commit' -record ./... -base-ref "$ref"
done
cannot 'is not a package' -record -toolexec=./x -base-ref HEAD
cannot 'is not a package' -record './... -exec=./x' -base-ref HEAD
cannot 'no benchmarks in ./plain' -record ./plain -base-ref HEAD
cannot 'no benchmark in ./words ran' -record ./words -base-ref HEAD -all -bench NoSuch -count 1
printf 'package words\n\nimport "testing"\n\nfunc BenchmarkFails(b *testing.B) { b.Fatal("it is broken") }\n' >words/fails_test.go
cannot 'example.com/repository/words (head) failed' -record ./words -base-ref HEAD -bench Fails -count 1
rm words/fails_test.go
printf 'package words\n\nfunc broken( {\n' >words/broken.go
cannot 'does not build' -record ./... -base-ref HEAD
[ "$(git worktree list | wc -l)" -eq 1 ] || broken "a worktree is left after a failure"
mkdir "$work/tmp"
rm words/broken.go
status=0
TMPDIR=$work/tmp timeout -s INT 4 "$PPROFC_BIN/pprofci" run -record ./words -base-ref HEAD -all -count 100 -out "$work/none" \
  >"$work/output" 2>"$work/messages" || status=$?
[ "$status" -eq 124 ] || broken "an interrupted run: $status"
[ "$(tail -n 1 "$work/messages")" = 'pprofci: interrupted' ] || broken "an interrupted run does not say so"
[ -z "$(ls "$work/tmp")" ] && [ "$(git worktree list | wc -l)" -eq 1 ] || broken "an interrupted run leaves something"
not_there "$work/none"
# Interrupts a run while it records profiles, and while it draws graphs.
interrupted() { # SIGNAL MESSAGE ARGUMENT...
  TMPDIR=$work/tmp "$PPROFC_BIN/pprofci" run -record ./words -base-ref HEAD -all -bench Index -count 1 -benchtime 20ms -out "$work/none" "${@:3}" \
    >"$work/output" 2>"$work/messages" &
  local tries=0
  until grep -q "$2" "$work/messages"; do
    [ $((tries += 1)) -lt 2400 ] || broken "it does not come to '$2'"
    sleep 0.05
  done
  kill "-$1" $!
  status=0
  wait $! || status=$?
  [ "$status" -eq 1 ] || broken "interrupted at '$2': $status"
  [ "$(tail -n 1 "$work/messages")" = 'pprofci: interrupted' ] || broken "interrupted at '$2': it does not say so"
  [ -z "$(ls "$work/tmp")" ] && [ "$(git worktree list | wc -l)" -eq 1 ] || broken "interrupted at '$2': something is left"
  not_there "$work/none"
}
interrupted TERM 'profiling head' -profile all -profile-runs 1000
interrupted TERM '/4\] drawing ' -profile all -profile-runs 2
ok "a run that is interrupted leaves nothing"
ok "a commit that is not there, nothing to run, code that fails or does not build"

# ---- two stages ----------------------------------------------------------------------------------------------------------

# Creates benchmarks that report numbers from the environment, with 1 % of noise. Seven stay equal, and one is slower in
# the head.
mkdir stages
printf 'package stages\n\nconst factor = 1.0\n' >stages/stages.go
cat >stages/stages_test.go <<'CODE'
package stages

import (
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"testing"
	"time"
)

// uneven returns values that are 8 % larger in the head, and vary so much that no number of rounds here decides.
func uneven(folder string) float64 {
	name := fmt.Sprint(folder, "/", factor)
	before, _ := os.ReadFile(name)
	os.WriteFile(name, append(before, '.'), 0o600)
	took := []float64{600, 900, 1100, 1400}[len(before)%4]
	if factor > 1.0 {
		took *= 1.08
	}
	return took
}

func BenchmarkStage(b *testing.B) {
	random := rand.New(rand.NewSource(time.Now().UnixNano()))
	for i := 0; i < 8; i++ {
		b.Run(strconv.Itoa(i), func(b *testing.B) {
			took, size := 1000.0, 0.01
			if i == 3 {
				took *= factor
				if folder := os.Getenv("ROUNDS"); folder != "" {
					took = uneven(folder)
				}
			}
			b.ReportMetric(16, "B/op")
			b.ReportMetric(1, "allocs/op")
			b.ReportMetric(took*(1+size*(random.Float64()-0.5)), "ns/op")
		})
	}
}
CODE
git_ add . && git_ commit -q -m stages
sed -i 's/1.0/1.4/' stages/stages.go && git_ commit -q -a -m 'stages: slower'
stages() { # STATUS ARGUMENT...
  run "$1" -record ./stages -base-ref HEAD~1 -any-load -count 10 -benchtime 1x -profile-runs 0 -out "$work/stages/ci" "${@:2}"
}
stages 2
has "$work/messages" '1 of 8 benchmarks look worse or are too noisy to judge: 40 more rounds'
has "$work/messages" '5 more rounds decide about this benchmark: 35 are not needed'
grep -q 'measuring .* (round 6 of 40)' "$work/messages" && broken "a decided benchmark is measured further"
has "$work/output" 'regressed: Stage/3'
mkdir "$work/rounds"
ROUNDS=$work/rounds stages 0
has "$work/messages" '(round 40 of 40)'
grep -q 'not needed' "$work/messages" && broken "a benchmark without a decision is not measured to the end"
ok "further rounds end as soon as they decide about every benchmark"
