# Sets $python, and creates a repository with base and head of parse_pr, for tests of -simulate and -walltime with
# pytest-codspeed.
python=$source/.cache/pytest/bin/python
[ -x "$python" ] || python=$(command -v python3)
"$python" -c 'import pytest_codspeed' 2>/dev/null || {
  echo "skipped: pytest-codspeed is not installed"
  exit 77
}
. "$source/tests/ci/simulate_common.sh"

cp "$testdata/parse_pr/test_parse_pr.py" "$testdata/parse_pr/base/parse_pr.py" .
git add -A
git commit -qm base
git tag base
cp "$testdata/parse_pr/head/parse_pr.py" .
git commit -qam head
