#!/bin/sh
# Tests scripts/instructions.sh. It must find and name a planted slowdown, and accept a slowdown up to the accepted
# limit. Without an earlier commit it must print a command that helps. Skips itself without valgrind, git or cmake.
set -eu
sources=$1
PARSE_BENCH_REGRESSIONS=$2
export PARSE_BENCH_REGRESSIONS
for tool in valgrind git cmake cc; do
  command -v $tool >/dev/null || { echo "skipped: $tool is not installed"; exit 77; }
done
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME="$dir" GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test@localhost GIT_COMMITTER_NAME=test \
  GIT_COMMITTER_EMAIL=test@localhost
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE

fail() {
  echo "$1" >&2
  exit 1
}

# Creates a project whose programs only count: to a million for -dot, and to `steps` for other commands.
mkdir -p "$dir/project/scripts" "$dir/project/tests/golden" "$dir/project/testdata"
cd "$dir/project"
cp "$sources/scripts/instructions.sh" "$sources/scripts/lib.sh" scripts
cp "$sources/tests/golden/known_secret.c" tests/golden
echo 'BenchmarkA 1 1 ns/op' | tee testdata/bench_original.txt >testdata/bench_optimized.txt
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.22)
project(counting C)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
foreach(program pprofc benchstatc parse_bench_regressions)
  add_executable(${program} count.c)
endforeach()
END
# program STEPS FLAG: creates a program that knows -tree only with FLAG.
program() {
  cat >count.c <<END
#include <string.h>
int main(int argc, char **argv) {
  volatile long steps = argc > 1 && strcmp(argv[1], "-dot") == 0 ? 1000000 : $1;
  while (steps > 0) steps--;
  return argc > 1 && strcmp(argv[1], "-tree") == 0 && !$2;
}
END
}
commit() { git add -A && git commit -q -m "$1"; }

# expect STATUS ARGUMENT...: runs the script and checks its exit status.
expect() {
  wanted=$1
  shift
  status=0
  scripts/instructions.sh "$@" >"$dir/out" 2>"$dir/log" || status=$?
  [ "$status" = "$wanted" ] || { cat "$dir/out" "$dir/log"; fail "status $status, not $wanted: $*"; }
}
says() { grep -q -e "$1" "$dir/out" "$dir/log" || { cat "$dir/out" "$dir/log"; fail "it does not say: $1"; }; }
silent() { ! grep -q -e "$1" "$dir/out" "$dir/log" || { cat "$dir/out" "$dir/log"; fail "it says: $1"; }; }

git init -q -b main .
program 1000000 0
commit "first"
expect 0
says 'this is the first commit'

# 2 % is within the limit. A command that the earlier commit does not know is not a regression.
program 1020000 1
commit "second"
expect 0 Top Dot Tree
says '^unchanged: Top instructions/op'
says '^new: Tree instructions/op'
expect 2 --limit 1 Top Dot
git worktree list | grep -c . | grep -qx 1 || fail "a worktree is left behind"

# 4 % more exceeds the limit. The failure names only this command.
program 1062000 1
commit "third"
expect 2 Top Dot
says '^regressed: Top instructions/op'
silent '^regressed: Dot'
says 'Cost-accepted: NAME PERCENT% reason'
[ "$(sed -n 's/.* \([0-9]*\) regressed, .*/\1/p' "$dir/out")" = 1 ] || fail "not one regression"
expect 0 Dot
expect 0 --ref HEAD Top

# An accepted slowdown passes up to its limit, and the output has its reason.
git commit -q --amend -m "third

Cost-accepted: Top 6% \"quoted\", inlined
 calls are counted"
expect 0 Top Dot
says '^accepted: Top instructions/op'
says 'inlined calls are counted'
git commit -q --amend -m "third

Cost-accepted: Top 3.5% inlined calls are counted"
expect 2 Top Dot
for wrong in 'Top' 'Top 6%' '6% Top because' 'Top much more'; do
  git commit -q --amend -m "third

Cost-accepted: $wrong"
  expect 1 Top
  says 'Cost-accepted: '
done
git commit -q --amend -m "third"
expect 1 Nothing
says 'there is no command .Nothing.'
expect 1 --ref nothing
says 'there is no commit .nothing.'

# In a clone without the previous commit, the script prints the command that fetches it.
git clone -q --depth 1 "file://$dir/project" "$dir/shallow"
cd "$dir/shallow"
expect 0
says 'this clone is shallow'
says 'git fetch --deepen=1'
