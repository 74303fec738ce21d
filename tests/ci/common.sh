# Defines functions for the tests of ci_profiles.sh. A test sources this file with SOURCE and PROGRAMS as arguments.
source=$1
export PPROFC_BIN=$2
# Hides the variables of a CI runner in which these tests run.
unset GITHUB_STEP_SUMMARY GITHUB_OUTPUT GITHUB_SHA GITHUB_REPOSITORY CI_COMMIT_SHA CI_PROJECT_PATH BITBUCKET_REPO_FULL_NAME
unset GIT_COMMIT THRESHOLD_PERCENT
testdata=$source/testdata
script=$source/scripts/ci_profiles.sh
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work" || exit 1

# run STATUS ARGUMENT...: runs the script. Writes its output and messages to the files `output` and `messages`. STATUS
# may be 0|2 if the verdict depends on the load of the machine. $status is the exit status.
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
