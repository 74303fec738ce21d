#!/usr/bin/env bash
# Tests -simulate-base and -simulate-head, which compare the instructions of two commands: simulate.sh SOURCE PROGRAMS
# PROGRAM.
set -eu
. "$(dirname "$0")/common.sh"
command -v valgrind >/dev/null || {
  echo "skipped: valgrind is not installed"
  exit 77
}
mkdir 'the base' head
cp "$3" 'the base/work'
cp "$3" head/work

run 2 -simulate-base "'the base/work' 20000" -simulate-head 'head/work 30000' -out a/ci
has output 'REGRESSION'
grep -q '^regressed: instructions [0-9]* → [0-9]*  +[0-9.]*% (threshold 5%)$' output || broken "no change of instructions"
has a/ci/manifest.json '"instructions": "regressed: instructions '
has a/ci/index.html '<h2>instructions: simulated_diff</h2>'
has a/ci/index.html 'regressed: instructions'
has a/ci/summary.md 'regressed: instructions'
has a/ci/simulated_diff_top.txt 'Type: Ir'
# The page names the function that does the additional work.
grep -A 2 'Grew most (instructions)' a/ci/index.html | grep -q '<code>walk</code>' || broken "walk is not named"
run 0 -no-fail -simulate-base "'the base/work' 20000" -simulate-head 'head/work 30000' -out a/ci
ok "more instructions are a regression"

run 0 -simulate-base "'the base/work' 20000" -simulate-head 'head/work 20000' -out a/ci
grep -q '^unchanged: instructions .* [-+]0\.0[0-9]%' output || broken "two runs of a program differ"
has output 'no regression'
run 0 -simulate-base "'the base/work' 30000" -simulate-head 'head/work 20000' -out a/ci
has output 'improved: instructions'
run 0 -simulate-base "'the base/work' 20000" -simulate-head 'head/work 30000' -out a/ci -threshold 900
ok "the same, fewer, and a threshold"

run 0 -simulate-head 'head/work 20000' -out a/ci
has output 'no comparison: no base'
grep -q '^instructions: [1-9]' output || broken "no count of the head"
run 1 -simulate-base 'head/work 20000' -out b/ci
has messages 'go together'
run 1 -simulate-base false -simulate-head head/work -out b/ci
has messages "cannot simulate 'false'"
run 1 -simulate-base -version -simulate-head --help -out b/ci
has messages "'-version'"
not_there b/ci/index.html
ok "a head alone, commands that fail"
