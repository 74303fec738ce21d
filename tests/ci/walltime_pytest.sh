#!/usr/bin/env bash
# Tests -walltime, which times and samples the benchmarks of testdata/parse_pr with pytest-codspeed: walltime_pytest.sh
# SOURCE PROGRAMS.
set -eu
. "$(dirname "$0")/common.sh"
command -v git >/dev/null || {
  echo "skipped: git is not installed"
  exit 77
}
. "$source/tests/ci/pytest_common.sh"
pytest="$python -m pytest --codspeed -q --codspeed-max-time=1 --codspeed-warmup-time=0.1"
run '0|2' -walltime "$pytest" -base-ref base -count 4 -profile-runs 2 -any-load -out a/ci
has a/ci/manifest.json 'test_parse_pr'
has "$work/output" '2 compared'
ok "times"

perf record -q -o "$work/probe" -- true 2>/dev/null >&2 || {
  has "$work/messages" 'times only, without profiles'
  exit 0
}
# Profiles begin at the root of the benchmark. They name Python functions if Python writes the names for perf.
"$PPROFC_BIN/pprofc" -traces a/ci/profiles/test_parse_pr.py__test_parse_*_cpu_head.pb.gz >traces
if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 12))'; then
  grep -q 'main$\|_start$' traces && broken "the test runner is in the profile"
  has traces test_parse_
  grep -q 'py::' traces && broken "a name of Python is not split"
  "$PPROFC_BIN/pprofc" -traces -filefunctions a/ci/profiles/test_parse_pr.py__test_parse_pr_cpu_head.pb.gz >traces
  grep -q 'parse_pr parse_pr\.py$' traces || broken "the file of a function is not relative to the repository"
else
  has "$work/messages" 'stacks do not show where a benchmark begins'
  has traces PyEval
fi
ls /tmp/jit-*.dump /tmp/jitted-*.so >/dev/null 2>&1 && broken "compiled code is left in /tmp"
ok "profiles"

# The module is in src, and Python runs an installed copy of it. Profiles name the file of the repository.
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 12))' || exit 0
mkdir src
git mv parse_pr.py src
export PYTHONPATH=$work/site-packages
mkdir "$PYTHONPATH"
cp src/parse_pr.py "$PYTHONPATH"
run 0 -walltime "$pytest" -count 1 -profile-runs 1 -any-load -out b/ci
"$PPROFC_BIN/pprofc" -traces -filefunctions b/ci/profiles/test_parse_pr.py__test_parse_pr_cpu*.pb.gz >traces
grep -q 'parse_pr .*/project/src/parse_pr.py$' traces || broken "the installed module is not the file of the repository"
ok "an installed module"
