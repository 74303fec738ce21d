#!/usr/bin/env bash
# Tests -simulate ./..., which counts each benchmark of an unchanged Go module: simulate_go.sh SOURCE PROGRAMS.
set -eu
. "$(dirname "$0")/common.sh"
for peer in valgrind git go; do
  command -v "$peer" >/dev/null || {
    echo "skipped: $peer is not installed"
    exit 77
  }
done
[ "$(go env GOARCH)" = amd64 ] || {
  echo "skipped: Go benchmarks are counted on amd64 only"
  exit 77
}
case $(go env GOVERSION) in
  go1.2[4-9]*) ;;
  *)
    echo "skipped: Go 1.24 or later is not installed"
    exit 77
    ;;
esac
. "$source/tests/ci/simulate_common.sh"
export GOFLAGS=-mod=mod GOTOOLCHAIN=local GOPROXY=off

printf 'module example.com/words\n\ngo 1.24\n' >go.mod
cat >words_test.go <<'END'
package words

import (
	"fmt"
	"strings"
	"testing"
)

//go:noinline
func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func BenchmarkLoop(b *testing.B) {
	for b.Loop() {
		fib(14)
	}
}

func BenchmarkN(b *testing.B) {
	fib(20)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		fib(10)
	}
}

func BenchmarkMap(b *testing.B) {
	for i := 0; i < b.N; i++ {
		counts := map[string]*int{}
		for _, word := range strings.Fields(strings.Repeat("a word and a longer word ", 40)) {
			key := word + fmt.Sprint(len(counts)%50)
			if counts[key] == nil {
				counts[key] = new(int)
			}
			*counts[key]++
		}
	}
}

var order = func() (names string) {
	for name := range map[string]bool{"a": true, "b": true, "c": true, "d": true, "e": true, "f": true, "g": true, "h": true, "i": true, "k": true} {
		names += name
	}
	return names
}()

//go:noinline
func find(text string, wanted byte) int {
	i := 0
	for text[i] != wanted {
		i++
	}
	return i
}

func BenchmarkOrder(b *testing.B) {
	for i := 0; i < b.N; i++ {
		find(order, 'k')
	}
}

//go:noinline
func deep(n int) int {
	var room [16]int
	if n > 0 {
		room[n%16] = deep(n - 1)
	}
	return room[n%16] + 1
}

func BenchmarkDeep(b *testing.B) {
	for i := 0; i < b.N; i++ {
		deep(100)
	}
}

func BenchmarkParallel(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			fib(5)
		}
	})
}

var page []byte

func BenchmarkPages(b *testing.B) {
	for i := 0; i < 100*b.N; i++ {
		page = make([]byte, 8192)
	}
}

func BenchmarkSub(b *testing.B) {
	b.Run("n=5", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			fib(5)
		}
	})
}
END
git add -A
git commit -qm base
git tag base
# fib(14) makes 1219 calls, fib(5) makes 15: 1.2 % more. The added file moves the heap of BenchmarkMap, and creates a
# map before `order`.
sed -i 's/fib(14)/fib(14)\n\t\tfib(5)/' words_test.go
cat >beside_test.go <<'END'
package words

import (
	"os"
	"testing"
)

var table [65536]byte

var arguments = map[string]int{"arguments": len(os.Args)}

func TestBeside(t *testing.T) {
	table[len(t.Name())+arguments["none"]]++
	t.Log("a constant text that moves the data", table[0])
}
END
git add -A
git commit -qam slower

run 2 -simulate ./... -base-ref base -out a/ci
grep -q '^regressed: words::BenchmarkLoop instructions .* +1\.[0-9]*%' "$work/output" || broken "no regression of 1.2 %"
grep -q '\(regressed\|improved\|inconclusive\): words::Benchmark\(N\|Sub\|Map\|Deep\|Parallel\)' "$work/output" && broken "an unchanged benchmark differs"
grep -q '\(regressed\|improved\): words::BenchmarkOrder' "$work/output" && broken "another map changes the order of a map"
grep -q 'copystack\|newstack' a/ci/words__BenchmarkDeep_count_head_top.txt && broken "the growth of a stack is counted"
"$PPROFC_BIN/pprofc" -traces -symbolize=none a/ci/profiles/words__BenchmarkPages_count_head.pb.gz >"$work/pages" 2>&1
has "$work/pages" 'runtime.(*mheap).allocSpan'
grep -q allocToCache "$work/pages" && broken "the pages of later benchmarks are counted"
grep -q 'sysmon\|bgscavenge' a/ci/*_top.txt && broken "a thread or goroutine of the runtime is counted"
# On a thread whose system stack is above the heap, callgrind loses callers and counts more calls.
grep -q 'words::BenchmarkMap allocations .* +0\.00%' "$work/output" || broken "the calls of the allocator differ"
grep -q 'words::BenchmarkPages bytes-allocated  800\.0Ki → 800\.0Ki ' "$work/output" || broken "the bytes of 100 pages differ"
there a/ci/words__BenchmarkN_count_diff_top.txt a/ci/words__BenchmarkSub_n=5_count_diff_top.txt
has a/ci/words__BenchmarkLoop_count_head_top.txt fib
# Code before ResetTimer is not counted: fib(10) makes 177 calls of about 10 instructions, fib(20) 21891.
awk '/^words::BenchmarkN/ && $2 ~ /k$/ && $2 + 0 > 1 && $2 + 0 < 6 { found = 1 } END { exit !found }' a/benchdiff/*.diff ||
  broken "BenchmarkN counts what is before ResetTimer, or is not divided by N"
ok "1 % in one benchmark"

run 0 -simulate ./... -base-ref HEAD -out a/ci
grep -q '^regressed' "$work/output" && broken "an unchanged program is not green"
# Go keeps downloaded versions in its module cache, and rejects an overlay of files in this cache.
mkdir -p "$work/cache/golang.org"
downloaded=$work/cache/golang.org/toolchain@v0.0.1-$(go env GOVERSION).linux-amd64
ln -s "$(go env GOROOT)" "$downloaded"
GOMODCACHE=$work/cache GOROOT=$downloaded PATH=$downloaded/bin:$PATH run 0 -simulate . -bench Sub -out b/ci
there b/ci/words__BenchmarkSub_n=5_count_top.txt
not_there b/ci/words__BenchmarkN_count_top.txt
ok "no change, one benchmark"

run 1 -simulate ./... -bench NoSuch -out c/ci
has "$work/messages" 'no benchmark was counted (head)'
GOARCH=arm64 run 1 -simulate ./... -out c/ci
has "$work/messages" 'cannot count Go benchmarks on arm64: only amd64 is known'
echo 'func broken( {' >>words_test.go
run 1 -simulate ./... -out c/ci
has "$work/messages" 'does not build'
not_there c/ci/index.html
ok "failures"
