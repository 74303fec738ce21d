# What the tests of ci_profiles.sh share; sourced with SOURCE and PROGRAMS as arguments.
source=$1
export PPROFC_BIN=$2
# A runner of CI that these tests run in shall not be told of them.
unset GITHUB_STEP_SUMMARY GITHUB_OUTPUT GITHUB_SHA GITHUB_REPOSITORY CI_COMMIT_SHA CI_PROJECT_PATH BITBUCKET_REPO_FULL_NAME
unset GIT_COMMIT THRESHOLD_PERCENT
testdata=$source/testdata
script=$source/scripts/ci_profiles.sh
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work" || exit 1

# run STATUS ARGUMENT...: runs the script; output and messages are in files of that name. STATUS may be 0|2, where a
# verdict depends on how loud the machine is; which it was is in $status.
run() {
  local wanted=$1
  status=0
  shift
  "${CI_PROFILES:-$script}" "$@" >"$work/output" 2>"$work/messages" || status=$?
  [[ "|$wanted|" == *"|$status|"* ]] || broken "ci_profiles.sh $*: status $status, not $wanted"
}
broken() {
  printf 'failed: %s\n' "$*"
  cat "$work/output" "$work/messages" 2>/dev/null
  exit 1
}
has() { # FILE TEXT
  grep -qF -e "$2" "$1" || broken "'$1' lacks '$2'"
}
there() {
  local file
  for file; do [ -s "$file" ] || broken "there is no '$file'"; done
}
not_there() {
  local file
  for file; do [ ! -e "$file" ] || broken "'$file' is there"; done
}
ok() {
  printf 'ok: %s\n' "$*"
}
