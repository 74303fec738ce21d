#!/usr/bin/env bash
# workflows.sh SOURCE PROGRAMS: the shell parts of action.yml and of the workflows in docs/CI.md, with the environment
# that a runner gives.
set -eu
. "$(dirname "$0")/common.sh"
here=$source/tests/ci
command -v git >/dev/null || {
  echo "skipped: no git"
  exit 77
}
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX
git_() {
  git -c user.name=tests -c user.email=tests@example.com "$@"
}

# A checkout of pprofc whose build takes no time: what quickstart.sh does is tested by scripts/try_fresh.sh.
mkdir -p pprofc-origin/scripts
cp -r "$script" pprofc-origin/scripts/
cp -r "$testdata" pprofc-origin/testdata
cat >pprofc-origin/scripts/quickstart.sh <<EOF
#!/bin/sh
mkdir -p "\$(dirname "\$0")/../build/bin" && cp "$PPROFC_BIN"/pprofc "$PPROFC_BIN"/benchstatc "$PPROFC_BIN"/pprofci \\
  "$PPROFC_BIN"/parse_bench_regressions "\$(dirname "\$0")/../build/bin"
EOF
chmod +x pprofc-origin/scripts/quickstart.sh
(cd pprofc-origin && git_ init -q -b main . && git_ add . && git_ commit -q -m 'all: begin')
unset PPROFC_BIN

# The repository under test, with a branch.
mkdir repository
cd repository
git_ init -q -b main .
printf 'one\n' >file
git_ add . && git_ commit -q -m 'file: begin'
git update-ref refs/remotes/origin/main HEAD
base=$(git rev-parse HEAD)
printf 'two\n' >file
git_ commit -q -a -m 'file: go on'
mkdir -p out/base out/head
cp "$testdata/generator_cpu.prof" out/base/cpu.prof
cp "$testdata/generator_optimized_cpu.prof" out/head/cpu.prof
cp "$testdata/bench_original.txt" out/base.txt
cp "$testdata/bench_optimized.txt" out/head.txt

# Runs each step of a file as runners do, and gives the status of the first that fails.
steps() { # STATUS SHELL ARGUMENTS OF steps.py
  local wanted=$1 shell=$2 status=0
  shift 2
  python3 "$here/steps.py" "$@" >"$work/steps"
  $shell "$work/steps" >"$work/output" 2>"$work/messages" || status=$?
  [ "$status" -eq "$wanted" ] || broken "steps of $*: status $status, not $wanted"
}

# ---- GitHub: action.yml and the step that finds the base ------------------------------------------------------------

cp -r "$work/pprofc-origin" "$work/action"
github() { # STATUS NAME=VALUE...: the action with these inputs
  local wanted=$1
  shift
  rm -rf "$work/step_summary" "$work/step_output"
  [ "${keep:-no}" = yes ] || rm -rf .docs
  (
    export CI=true GITHUB_ACTIONS=true GITHUB_SHA=$base GITHUB_WORKSPACE=$PWD RUNNER_OS=Linux
    export GITHUB_STEP_SUMMARY=$work/step_summary GITHUB_OUTPUT=$work/step_output
    export ACTION_PATH=$work/action SIMULATE='' SIMULATE_BASE='' SIMULATE_HEAD=''
    export BASE='' HEAD='' BENCH_BASE='' BENCH_HEAD='' RECORD='' BASE_REF='' OUT=.docs/artifacts/ci
    export BENCH='' BENCHTIME='' CPU='' COUNT='' PROFILES=''
    export THRESHOLD_PERCENT=5 FAIL=true SCRIPT=$work/action/scripts/ci_profiles.sh
    export "$@"
    steps "$wanted" "bash --noprofile --norc -eo pipefail" "$source/action.yml" github github.action_path="$work/action"
  )
}
github 2 BASE=out/base HEAD=out/head BENCH_BASE=out/base.txt BENCH_HEAD=out/head.txt
grep -qx 'verdict=REGRESSION' "$work/step_output" || broken "the verdict: $(cat "$work/step_output")"
has "$work/step_summary" '### ✗ Setup-2 is 2.3 times slower'
there .docs/artifacts/ci/index.html .docs/artifacts/ci/cpu_diff_top.txt .docs/artifacts/benchdiff/bench_head.diff
github 0 BASE=out/base HEAD=out/head BENCH_BASE=out/base.txt BENCH_HEAD=out/head.txt FAIL=false
github 0 BASE=out/base HEAD=out/head
has "$work/step_output" 'verdict=no benchmarks were compared'
github 1 BASE=out/none HEAD=out/head
has "$work/messages" "no folder 'out/none'"
ok "action.yml"

# What lacks a side, or all inputs, is an error, and nothing stands in for it. A verdict of an earlier run is not read.
github 2 BASE=out/base HEAD=out/head BENCH_BASE=out/base.txt BENCH_HEAD=out/head.txt
keep=yes
for inputs in '' BASE=out/base BENCH_BASE=out/base.txt 'BENCH_BASE=out/base.txt HEAD=out/head' \
  'BASE=out/base HEAD=out/head BENCH_HEAD=out/head.txt' 'BENCH_HEAD=out/head.txt BASE=out/base' FAIL=false; do
  # shellcheck disable=SC2086 # a list of words
  github 1 WORKSPACE=. $inputs
  [ "$(cat "$work/step_output")" = verdict=failed ] || broken "$inputs: $(cat "$work/step_output")"
  not_there "$work/step_summary" .docs/artifacts/ci/generator_cpu_diff_top.txt
done
keep=no
ok "action.yml: no input, base without head, head without base"

github 2 BENCH_BASE=out/base.txt BENCH_HEAD=out/head.txt
there .docs/artifacts/ci/index.html
not_there .docs/artifacts/ci/generator_cpu_diff_top.txt
github 0 HEAD=out/head BENCH_HEAD=out/head.txt
has "$work/step_output" 'verdict=no comparison: there is no base'
has "$work/step_summary" 'A first run'
has .docs/artifacts/ci/index.html 'A first run'
ok "action.yml: benchmarks alone, a first run"

# An input is a value, whatever it begins with.
for inputs in BASE_REF=--help BASE_REF=-h RECORD=--help RECORD=-toolexec=./x; do
  github 1 RECORD=./... "$inputs"
  [ "$(cat "$work/step_output")" = verdict=failed ] || broken "$inputs: $(cat "$work/step_output")"
done
cp -r out/base ./-base
cp -r out/head ./--help
github 0 BASE=-base HEAD=--help OUT=-out
there ./-out/index.html
rm -r ./-base ./-out ./--help
ok "action.yml: inputs that look like options"

# What the test exports is what the action gives: every variable of its environment.
sed -n 's/^        \([A-Z_]*\): \${{.*/\1/p' "$source/action.yml" | while read -r name; do
  grep -q "export.*\b$name=" "$here/workflows.sh" || broken "action.yml gives $name, this test does not"
done

GITHUB_OUTPUT=$work/base_output steps 0 "bash -e" "$source/docs/CI.md" github github.base_ref=main
has "$work/base_output" "sha=$base"
ok "GitHub: the merge base"

# ---- GitLab and Jenkins --------------------------------------------------------------------------------------------------

rm -rf .docs
export CI=true CI_COMMIT_SHA=$base CI_PROJECT_DIR=$PWD PPROFC_REPOSITORY=file://$work/pprofc-origin
steps 2 "bash -eo pipefail" "$source/docs/CI.md" gitlab
there .docs/artifacts/ci/index.html .docs/artifacts/benchdiff/bench_head.diff
ok "GitLab"

rm -rf .docs
unset CI CI_COMMIT_SHA CI_PROJECT_DIR
export GIT_COMMIT=$base WORKSPACE=$PWD BUILD_NUMBER=1 JENKINS_URL=http://localhost/
steps 2 "sh -xe" "$source/docs/CI.md" jenkins
there .docs/artifacts/ci/index.html
ok "Jenkins"
