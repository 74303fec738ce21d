# Defines `run` as in common.sh, and creates a git repository in the current folder, for tests of `pprofci run
# -simulate` and `-walltime`.
run() {
  local wanted=$1
  status=0
  shift
  "$PPROFC_BIN/pprofci" run "$@" >"$work/output" 2>"$work/messages" || status=$?
  [[ "|$wanted|" == *"|$status|"* ]] || broken "pprofci run $*: status $status, not $wanted"
}

export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b.c GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b.c
git init -q -b main project
cd project
