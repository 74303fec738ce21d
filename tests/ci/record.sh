#!/usr/bin/env bash
# record.sh SOURCE PROGRAMS: -record runs the Go benchmarks of two commits of a repository made here.
set -eu
. "$(dirname "$0")/common.sh"
command -v go >/dev/null && command -v git >/dev/null || {
  echo "skipped: no go or no git"
  exit 77
}
# Neither the settings of the user nor a network.
export HOME=$work GOFLAGS=-mod=mod GOPROXY=off GOCACHE=$work/cache GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX
git_() {
  git -c user.name=tests -c user.email=tests@example.com "$@"
}

write_package() { # ROUNDS
  cat >words/words.go <<EOF
package words

func Count(text string) int {
	n := 0
	for i := 0; i < $1; i++ {
		for _, c := range text {
			if c == ' ' {
				n++
			}
		}
	}
	return n
}
EOF
}

mkdir -p repository/words repository/plain
cd repository
git_ init -q -b main .
printf 'module example.com/repository\n\ngo 1.18\n' >go.mod
printf 'package plain\n' >plain/plain.go
cat >words/words_test.go <<'EOF'
package words

import "testing"

var sink int

func BenchmarkCount(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink += Count("a flame graph shows where the time goes")
	}
}
EOF
write_package 200
git_ add . && git_ commit -q -m 'words: count blanks'
write_package 2000
mkdir more
sed 's/^package .*/package more/' words/words.go >more/words.go
sed 's/^package .*/package more/' words/words_test.go >more/words_test.go
git_ add . && git_ commit -q -m 'words: count them again and again'

run 2 -record ./... -base-ref HEAD~1 -count 6
artifacts=.docs/artifacts
there $artifacts/ci/words_cpu_base_top.txt $artifacts/ci/words_cpu_head_top.txt $artifacts/ci/words_cpu_diff_top.txt \
  $artifacts/ci/flamegraphs/words_cpu_diff.svg $artifacts/ci/words_mem_diff_top.txt $artifacts/ci/more_cpu_top.txt \
  $artifacts/benchdiff/bench_head.diff
has $artifacts/ci/words_cpu_diff_top.txt 'BenchmarkCount'
has $artifacts/ci/words_mem_diff_top.txt 'Type: alloc_space'
has $artifacts/ci/index.html 'New: there is no such profile in the base'
has $artifacts/ci/manifest.json "$(git rev-parse HEAD)"
has "$work/output" 'regressed: Count'
[ "$(git worktree list | wc -l)" -eq 1 ] || broken "a worktree is left"
[ -z "$(git status --porcelain | grep -v '\.docs/')" ] || broken "the checkout has changed"
ok "both commits, a package without benchmarks, one that is new"

(cd words && run 0 -record . -base-ref HEAD -count 4 -out "$work/same/ci" -threshold 60)
there "$work/same/ci/words_cpu_diff_top.txt"
ok "a commit against itself, from a folder below"

run 1 -record ./... -base-ref no-such-commit -out "$work/none"
has "$work/messages" "no-such-commit"
not_there "$work/none"
run 1 -record ./plain -base-ref HEAD -out "$work/none"
has "$work/messages" 'no benchmarks in ./plain'
printf 'package words\n\nfunc broken( {\n' >words/broken.go
run 1 -record ./... -base-ref HEAD -out "$work/none"
not_there "$work/none"
[ "$(git worktree list | wc -l)" -eq 1 ] || broken "a worktree is left after a failure"
ok "a commit that is not there, nothing to run, code that does not build"
