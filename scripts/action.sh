#!/usr/bin/env bash
# Runs the steps of action.yml. Pipelines of other services can also use this script.
#
#   scripts/action.sh choose     prints which programs to install: key=, source= (release or build) and folder=
#   scripts/action.sh install    installs the programs: a release with a valid checksum, or a build of this checkout
#   scripts/action.sh compare    runs pprofci run or pprofci merge; writes their exit status as an output, and exits with 0
#   scripts/action.sh publish    runs pprofci publish
#   scripts/action.sh pipeline   runs all steps in one process, for services without outputs of steps
#   scripts/action.sh verdict    exits with the status of the comparison
#
# All inputs are environment variables: the input base-ref of action.yml is INPUT_BASE_REF. The value of an input is
# always the value of its flag, even if it begins with '-'.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

stop() {
  printf 'pprofc: %s\n' "$*" >&2
  exit 1
}

# output NAME VALUE: appends a line to the file of the step's outputs, or to standard output if there is no such file.
output() {
  [[ $2 != *$'\n'* ]] || stop "a line break in the output $1"
  printf '%s=%s\n' "$1" "$2" >>"${GITHUB_OUTPUT:-/dev/stdout}"
}

# ---- which programs ------------------------------------------------------------------------------------------------

machine() {
  case $(uname -s)-$(uname -m) in
    Linux-x86_64) echo linux-amd64 ;;
    Linux-aarch64 | Linux-arm64) echo linux-arm64 ;;
    *) stop "there are no programs for $(uname -s) on $(uname -m): this runs on Linux" ;;
  esac
}

# Prints an id of the sources: the commit that the user of the action chose, or else a hash of the source files.
commit() {
  if [[ ${PPROFC_ACTION_REF:-} =~ ^[0-9a-f]{40}$ ]]; then
    printf '%s\n' "$PPROFC_ACTION_REF"
  else
    (cd "$here" && find CMakeLists.txt libpprofc tools proto scripts docs/man -type f -print0 | LC_ALL=C sort -z |
      xargs -0 sha256sum | sha256sum | cut -c 1-40)
  fi
}

# place: prints the parent folder of the program folders. Without a runner's folder, this is a folder in the user's
# home, because every user can create folders in /tmp.
place() {
  if [[ -n ${RUNNER_TEMP:-} ]]; then
    printf '%s\n' "$RUNNER_TEMP"
  elif [[ ${XDG_CACHE_HOME:-} = /* ]]; then
    printf '%s/pprofc\n' "$XDG_CACHE_HOME"
  elif [[ ${HOME:-} = /* ]]; then
    printf '%s/.cache/pprofc\n' "$HOME"
  else
    stop "there is no place for programs: set HOME or RUNNER_TEMP"
  fi
}

# foreign FOLDER: prints a file that another user owns or can change. Ignores files of root.
foreign() {
  find "$1" \( ! -user "$(id -u)" ! -user 0 -o ! -type l -perm /022 \) -print -quit
}

# private FOLDER: creates a folder that only this user can change. Replaces a folder of another user.
private() {
  local parent=${1%/*} found
  mkdir -p "$parent"
  [[ -n ${RUNNER_TEMP:-} || -z $(find "$parent" -maxdepth 0 \( ! -user "$(id -u)" ! -user 0 -o -perm /022 ! -perm -1000 \)) ]] ||
    stop "another user can change $parent: no program in it is run"
  if [[ -d $1 && ! -L $1 ]]; then
    found=$(foreign "$1") && [[ -z $found ]] && return
    printf 'pprofc: another user owns or can change %s: %s is removed\n' "$found" "$1" >&2
  fi
  rm -rf "$1" && mkdir -m 700 "$1" || stop "another user made $1, which cannot be removed: no program in it is run"
}

# program ARGUMENT...: runs pprofci.
program() {
  [[ -z $(foreign "$PPROFC_FOLDER") ]] || stop "another user can change $PPROFC_FOLDER: no program in it is run"
  "$PPROFC_FOLDER/bin/pprofci" "$@"
}

# system: prints the name of the Linux release, because a build is linked with the libc of this release.
system() {
  (. /etc/os-release 2>/dev/null && printf '%s-%s' "${ID:-linux}" "${VERSION_ID:-0}") || printf linux
}

choose() {
  local version=${INPUT_VERSION:-} machine
  machine=$(machine)
  # A tag of one version, such as OWNER/pprofc@v0.1.0, selects its release. The tag v0 and branches select a build.
  [[ -n $version || ! ${PPROFC_ACTION_REF:-} =~ ^v[0-9]+\.[0-9]+\.[0-9]+$ ]] || version=${PPROFC_ACTION_REF#v}
  version=${version#v}
  case $version in
    '' | source) key=build-$machine-$(system)-$(commit) source=build ;;
    *[!0-9A-Za-z.+~-]*) stop "the input version is a version, as 0.1.0, or 'source', not '$version'" ;;
    *) key=release-$machine-$version source=release ;;
  esac
  # If there is no such release, the script builds the programs. The key then identifies this build in the cache.
  [[ $source = build || -n ${INPUT_VERSION:-} ]] || key=$key-$(system)-$(commit)
  output key "pprofc-$key"
  output source "$source"
  output version "${version#source}"
  output folder "$(place)/pprofc-$key"
}

# ---- installing ----------------------------------------------------------------------------------------------------

fetch() { # URL FILE
  case $1 in
    https://* | http://127.0.0.1[:/]* | http://localhost[:/]*) ;;
    *) stop "cannot fetch $1: the address has to be https" ;;
  esac
  if command -v curl >/dev/null; then
    curl -q --fail --silent --show-error --location --retry 3 --max-time 120 --proto-redir '=https' -o "$2" "$1"
  elif command -v wget >/dev/null; then
    wget -q --tries=3 --timeout=60 -O "$2" "$1"
  else
    stop "cannot fetch $1: there is neither curl nor wget"
  fi
}

# has_sum FILE: true if a file has the SHA-256 in `wanted`.
has_sum() {
  [[ -f $1 ]] && printf '%s  %s\n' "$wanted" "$1" | sha256sum --check --status
}

# Keeps the tarball in the program folder. Each use checks the tarball's SHA-256 and unpacks it again, because the cache
# is not trusted. The status is 3 if there is no such release.
install_release() (
  [[ -n ${INPUT_MIRROR:-} ]] || stop "the input version needs the input mirror: where the releases are"
  name=pprofc-$PPROFC_RELEASE-$(machine).tar.gz
  wanted=${INPUT_SHA256:-}
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  if [[ -z $wanted ]]; then
    fetch "$INPUT_MIRROR/v$PPROFC_RELEASE/SHA256SUMS" "$work/SHA256SUMS" || exit 3
    wanted=$(awk -v name="$name" '$2 == name { print $1 }' "$work/SHA256SUMS")
  fi
  [[ $wanted =~ ^[0-9a-f]{64}$ ]] || stop "there is no SHA-256 of $name: '$wanted'"
  if has_sum "$PPROFC_FOLDER/$name"; then
    cp "$PPROFC_FOLDER/$name" "$work/$name"
  else
    fetch "$INPUT_MIRROR/v$PPROFC_RELEASE/$name" "$work/$name" || exit 3
  fi
  has_sum "$work/$name" || stop "$name does not have the SHA-256 $wanted; nothing of it was run"
  find "$PPROFC_FOLDER" -mindepth 1 -delete
  tar -xzf "$work/$name" -C "$PPROFC_FOLDER" --no-same-owner --no-same-permissions --strip-components=1 || stop "cannot unpack $name"
  cp "$work/$name" "$PPROFC_FOLDER/$name"
)

# Builds the programs. Copies the libraries that a fresh machine may lack next to the programs.
install_build() (
  cd "$here"
  # shellcheck source=scripts/lib.sh
  . scripts/lib.sh
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  install_build_tools "" ""
  # shellcheck disable=SC2034 # for build
  build_target="pprofc benchstatc parse_bench_regressions pprofci"
  # shellcheck disable=SC2016 # $ORIGIN is for the loader
  build "$folder" -DPPROFC_BUILD_TESTS=OFF -DCMAKE_BUILD_TYPE=Release -DCMAKE_BUILD_RPATH='$ORIGIN/../lib'
  mkdir -p "$PPROFC_FOLDER/bin" "$PPROFC_FOLDER/lib"
  cp "$folder"/bin/* "$PPROFC_FOLDER/bin/"
  ldd "$PPROFC_FOLDER"/bin/* | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u |
    sed -E '/\/(ld-linux.*|lib(c|m|dl|pthread|rt|resolv))\.so\.[0-9]+$/d' | xargs -r cp -L -t "$PPROFC_FOLDER/lib"
)

install() {
  local status=3
  umask 022
  private "$PPROFC_FOLDER"
  if [[ $PPROFC_SOURCE = release ]]; then
    status=0
    install_release || status=$?
    # The release that an input names must exist. The tag of the action may have no release; then the script builds it.
    [[ $status -ne 3 || -z ${INPUT_VERSION:-} ]] || stop "there is no release $PPROFC_RELEASE at $INPUT_MIRROR"
    [[ $status -eq 0 || $status -eq 3 ]] || exit 1
    [[ $status -eq 0 || -x $PPROFC_FOLDER/bin/pprofci ]] || printf 'pprofc: there is no release %s: building\n' "$PPROFC_RELEASE"
  fi
  [[ $status -eq 0 || -x $PPROFC_FOLDER/bin/pprofci ]] || install_build
  program -version || stop "the programs in $PPROFC_FOLDER do not run on this machine"
  [[ -z ${INPUT_SIMULATE:-}${INPUT_SIMULATE_HEAD:-} ]] || command -v valgrind >/dev/null || (
    cd "$here"
    # shellcheck source=scripts/lib.sh
    . scripts/lib.sh
    need_packages valgrind
  )
  [[ -z ${GITHUB_PATH:-} ]] || printf '%s\n' "$PPROFC_FOLDER/bin" >>"$GITHUB_PATH"
}

# ---- comparing -----------------------------------------------------------------------------------------------------

arguments=()
give() { # FLAG VALUE: adds the flag unless its value is empty
  [[ -z $2 ]] || arguments+=("$1" "$2")
}

# yes NAME VALUE: true if the input NAME has the value true. Fails unless the value is true, false or empty.
yes() {
  case $2 in
    true) return 0 ;;
    false | '') return 1 ;;
    *) stop "the input $1 is true or false, not '$2'" ;;
  esac
}

# lines TEXT: stores the lines of an input with several values in the array `list`.
lines() {
  local line
  list=()
  while IFS= read -r line || [[ -n $line ]]; do
    line=${line#"${line%%[![:space:]]*}"}
    line=${line%"${line##*[![:space:]]}"}
    [[ -z $line ]] || list+=("$line")
  done <<<"$1"
}

add_run() {
  local i inputs
  give -base "${INPUT_BASE:-}"
  give -head "${INPUT_HEAD:-}"
  lines "${INPUT_PAIRS:-}"
  ((${#list[@]} % 2 == 0)) || stop "the input pairs has ${#list[@]} lines: a base and a head are a line each"
  for ((i = 0; i < ${#list[@]}; i += 2)); do arguments+=(-pair "${list[i]}" "${list[i + 1]}"); done
  give -bench-base "${INPUT_BENCH_BASE:-}"
  give -bench-head "${INPUT_BENCH_HEAD:-}"
  give -record "${INPUT_RECORD:-}"
  give -simulate "${INPUT_SIMULATE:-}"
  give -walltime "${INPUT_WALLTIME:-}"
  give -simulate-base "${INPUT_SIMULATE_BASE:-}"
  give -simulate-head "${INPUT_SIMULATE_HEAD:-}"
  inputs=${#arguments[@]}
  ((inputs > 0)) ||
    stop "there is nothing to compare: give base and head, pairs, bench-base and bench-head, record, simulate, walltime, simulate-base and simulate-head, or merge"
  give -base-ref "${INPUT_BASE_REF:-}"
  give -setup "${INPUT_SETUP:-}"
  give -bench "${INPUT_BENCH:-}"
  give -benchtime "${INPUT_BENCHTIME:-}"
  give -cpu "${INPUT_CPU:-}"
  give -count "${INPUT_COUNT:-}"
  give -profiles "${INPUT_PROFILES:-}"
  give -profile-runs "${INPUT_PROFILE_RUNS:-}"
  give -noise-rules "${INPUT_NOISE_RULES:-}"
  lines "${INPUT_FAIL_ON:-}"
  for i in "${list[@]}"; do arguments+=(-fail-on "$i"); done
}

# Adds the folders of the runs. A pattern stands for all folders that it matches, in the order of their names.
add_merge() {
  local name pattern folders=() matches
  for name in BASE HEAD PAIRS BENCH_BASE BENCH_HEAD RECORD SIMULATE WALLTIME SIMULATE_BASE SIMULATE_HEAD; do
    name=INPUT_$name
    [[ -z ${!name:-} ]] || stop "the input merge joins runs that were made: leave the other inputs out"
  done
  lines "$INPUT_MERGE"
  for pattern in "${list[@]}"; do
    mapfile -t matches < <(compgen -G "$pattern" | LC_ALL=C sort)
    ((${#matches[@]})) || stop "no folder is named '$pattern'"
    folders+=("${matches[@]}")
  done
  for pattern in "${folders[@]}"; do
    [[ $pattern != -* ]] || pattern=./$pattern
    arguments+=("$pattern")
  done
}

compare_() {
  local command=run common=()
  [[ ${GITHUB_EVENT_NAME:-} != pull_request_target || -n ${INPUT_MERGE:-} ]] ||
    stop "pull_request_target gives the code of a pull request the rights of the repository: measure on pull_request, and comment on workflow_run (docs/CI_PUBLISH.md)"
  yes fail "${INPUT_FAIL:-true}" || common+=(-no-fail)
  give -out "$INPUT_OUT"
  give -threshold "${INPUT_THRESHOLD:-}"
  give -title "${INPUT_TITLE:-}"
  lines "${INPUT_FLAGS:-}"
  arguments+=("${common[@]}" "${list[@]}")
  common=("${arguments[@]}")
  arguments=()
  if [[ -n ${INPUT_MERGE:-} ]]; then
    command=merge
    add_merge
  else
    add_run
  fi
  PPROFC_BIN=$PPROFC_FOLDER/bin program "$command" "${common[@]}" "${arguments[@]}"
}

compare() {
  local status=0
  # pprofci writes the verdict of this run. The script does not read a verdict of an earlier run.
  (compare_) || status=$?
  case $status in
    0 | 2 | 3)
      output page "$INPUT_OUT/index.html"
      output report "$INPUT_OUT/report.html"
      ;;
    *)
      status=1
      output verdict failed
      ;;
  esac
  output status "$status"
}

# ---- publishing ----------------------------------------------------------------------------------------------------

publish() {
  local status=0
  if [[ -n ${INPUT_BODY:-} ]]; then
    arguments=(-body "$INPUT_BODY")
  elif [[ $PPROFC_STATUS -eq 1 ]]; then
    # Remove the manifest of an earlier run, so that pprofci publish reports that there is no result.
    printf 'pprofc: the comparison failed\n' >&2
    rm -f "$INPUT_OUT/manifest.json"
  fi
  [[ ${INPUT_PUBLISH:-} = true || ${INPUT_PUBLISH:-} = body ]] || give -to "${INPUT_PUBLISH:-}"
  give -pr "${INPUT_PR:-}"
  give -sha "${INPUT_SHA:-}"
  give -page "${INPUT_PAGE_URL:-}"
  [[ -n ${INPUT_PAGE_URL:-} ]] || give -report "${INPUT_REPORT_URL:-}"
  give -key "${INPUT_KEY:-}"
  give -author "${INPUT_AUTHOR:-}"
  give -write-body "${INPUT_WRITE_BODY:-}"
  give -markdown "${INPUT_MARKDOWN:-}"
  give -json "${INPUT_JSON:-}"
  give -codequality "${INPUT_CODEQUALITY:-}"
  give -metrics "${INPUT_METRICS:-}"
  give -wait "${INPUT_WAIT:-}"
  give -timeout "${INPUT_TIMEOUT:-}"
  yes fail "${INPUT_FAIL:-true}" || arguments+=(-no-fail)
  yes require-publish "${INPUT_REQUIRE_PUBLISH:-false}" && arguments+=(-require-publish)
  yes dry-run "${INPUT_DRY_RUN:-false}" && arguments+=(-dry-run)
  [[ -n ${INPUT_BODY:-} ]] || arguments+=("$INPUT_OUT")
  program publish "${arguments[@]}" || status=$?
  # pprofci publish exits with the status of the comparison, or with 1 if it failed or there is no result.
  output published "$([[ $status -eq 1 ]] && echo false || echo true)"
  [[ $status -ne 1 || ${PPROFC_STATUS:-0} -eq 1 ]] || return 1
}

verdict() {
  exit "${PPROFC_STATUS:-0}"
}

# ---- other services ------------------------------------------------------------------------------------------------

# Runs all steps. Passes the outputs of a step to the next steps as environment variables.
pipeline() {
  local outputs published=0
  outputs=$(mktemp)
  # shellcheck disable=SC2064 # the file that it is now
  trap "rm -f '$outputs'" EXIT
  step() {
    GITHUB_OUTPUT=$outputs "$here/scripts/action.sh" "$@"
  }
  value() {
    sed -n "s/^$1=//p" "$outputs" | tail -n 1
  }
  export PPROFC_FOLDER PPROFC_SOURCE PPROFC_RELEASE PPROFC_STATUS INPUT_OUT=${INPUT_OUT:-.docs/artifacts/ci}
  step choose
  PPROFC_FOLDER=$(value folder) PPROFC_SOURCE=$(value source) PPROFC_RELEASE=$(value version)
  step install
  [[ -n ${INPUT_BODY:-} ]] || step compare
  PPROFC_STATUS=$(value status)
  if [[ -n ${INPUT_PUBLISH:-}${INPUT_BODY:-}${INPUT_CODEQUALITY:-}${INPUT_METRICS:-}${INPUT_MARKDOWN:-}${INPUT_JSON:-} ]]; then
    step publish || published=1
  fi
  [[ $published -eq 0 ]] || exit 1
  verdict
}

case ${1:-} in
  choose | install | compare | publish | verdict | pipeline) "$1" ;;
  *) stop "scripts/action.sh takes choose, install, compare, publish, verdict or pipeline" ;;
esac
