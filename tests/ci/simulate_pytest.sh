#!/usr/bin/env bash
# Tests -simulate with the benchmarks of testdata/parse_pr and pytest-codspeed: simulate_pytest.sh SOURCE PROGRAMS.
set -eu
. "$(dirname "$0")/common.sh"
for peer in valgrind git; do
  command -v "$peer" >/dev/null || {
    echo "skipped: $peer is not installed"
    exit 77
  }
done
. "$source/tests/ci/pytest_common.sh"
pytest="$python -m pytest --codspeed -q"

# The regular expression costs more, and only the benchmark with this expression is a regression.
run 2 -simulate "$pytest" -base-ref base -out a/ci
grep -q '^regressed: test_parse_pr.py::test_parse_pr instructions .* +[1-9]' "$work/output" || broken "no regression"
# Python 3.12 and later name their functions, but not the lines.
if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 12))'; then
  grep -q "^find.*_issue is new and has .*; line 7 of parse.*_pr.py changed in it" a/ci/summary.md || broken "no changed line"
fi
grep -q 'regressed: .*test_parse_title' "$work/output" && broken "an unchanged benchmark regressed"
there a/ci/test_parse_pr.py__test_parse_pr_count_diff_top.txt a/ci/index.html
grep -q 'executes .* more instructions' a/ci/index.html || grep -q 'times as many instructions' a/ci/index.html || broken "no headline"
has a/ci/index.html 'Cycles <small>estimated</small>'
has a/ci/index.html 'class="gauge"'
ok "parse_pr with a regular expression"

run 0 -simulate "$pytest" -simulate-bytes -base-ref HEAD -out a/ci
grep -q 'test_parse_title bytes-allocated .* +0\.00%' "$work/output" || broken "no equal bytes"
if "$python" -c 'import sys; sys.exit(sys.version_info >= (3, 12))'; then
  has "$work/messages" 'profiles show only C functions of Python'
fi
grep -q '^regressed' "$work/output" && broken "an unchanged program is not green"
ok "no change"

# Without the plugin, or if a test fails, the result is not a pass.
run 1 -simulate "$python -m pytest -q -p no:codspeed" -out b/ci
has "$work/messages" 'no benchmark was counted (head)'
has "$work/messages" '2 passed'
has "$work/messages" 'install pytest-codspeed, and add --codspeed to the command'
printf '\n@pytest.mark.benchmark\ndef test_broken():\n    assert 0\n' >>test_parse_pr.py
run 1 -simulate "$pytest" -out b/ci
has "$work/messages" 'it ended with status 1'
has "$work/messages" 'test_broken'
not_there b/ci/index.html
ok "failures"
