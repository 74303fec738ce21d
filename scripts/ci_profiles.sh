#!/usr/bin/env bash
# The artifacts of a pull request: for every pair of profiles the tables and flame graphs of base, head and their
# difference, one page to read them on, a summary, and the verdict of the benchmarks.
#
#   scripts/ci_profiles.sh                                     the bundled generator profiles
#   scripts/ci_profiles.sh -base DIR -head DIR [-out DIR] [-bench-base FILE -bench-head FILE]
#   scripts/ci_profiles.sh -record ./pkg/... -base-ref main    runs the Go benchmarks of both commits itself
#
# See docs/CI.md. Exit status: that of the gate (0 pass, 2 regression, 1 failed), with -no-fail 0 or 1.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")

usage() {
  sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p}' "$0"
  cat <<'EOF'
Options:
  -base DIR, -head DIR   folders of profiles (*.prof, *.pb.gz); equal names are pairs
  -pair BASE HEAD        two profiles that are a pair whatever their names; may be repeated
  -bench-base FILE, -bench-head FILE   benchmark results to compare and gate
  -out DIR               where artifacts go (.docs/artifacts/ci); benchmark tables go beside it, into benchdiff
  -record PACKAGES       run the benchmarks of Go packages at -base-ref and here
  -base-ref REF          the commit to compare with (default: the merge base with origin/main or main)
  -count N               how often -record measures each side, alternately (10)
  -threshold PERCENT     of the gate (THRESHOLD_PERCENT, else 5)
  -no-fail               a regression does not fail the script
EOF
}

fail() {
  printf 'ci_profiles: %s\n' "$*" >&2
  exit 1
}

# ---- options ------------------------------------------------------------------------------------------------

base_dir='' head_dir='' bench_base='' bench_head='' out='' record='' base_ref='' count=10 gate_fails=yes
threshold=${THRESHOLD_PERCENT:-5}
pair_bases=() pair_heads=()
while [ $# -gt 0 ]; do
  option=${1/#--/-}
  case $option in
    -h | -help) usage; exit 0 ;;
    -no-fail) gate_fails=no; shift; continue ;;
  esac
  [ $# -ge 2 ] || fail "$1 needs a value (see -help)"
  case $option in
    -base) base_dir=$2 ;;
    -head) head_dir=$2 ;;
    -bench-base) bench_base=$2 ;;
    -bench-head) bench_head=$2 ;;
    -out) out=$2 ;;
    -record) record=$2 ;;
    -base-ref) base_ref=$2 ;;
    -count) count=$2 ;;
    -threshold) threshold=$2 ;;
    -pair)
      [ $# -ge 3 ] || fail "-pair needs two profiles"
      pair_bases+=("$2")
      pair_heads+=("$3")
      shift
      ;;
    *) fail "unknown option $1 (see -help)" ;;
  esac
  shift 2
done

# ---- programs -------------------------------------------------------------------------------------------------

find_program() {
  local place
  for place in "${PPROFC_BIN:-}" "$root/build/bin" "$root/build/release/bin"; do
    if [ -n "$place" ] && [ -x "$place/$1" ]; then
      printf '%s\n' "$place/$1"
      return
    fi
  done
  command -v "$1" || fail "$1 is not built: run scripts/quickstart.sh first, or set PPROFC_BIN"
}
pprofc=$(find_program pprofc)
benchstatc=$(find_program benchstatc)
gate=$(find_program parse_bench_regressions)

work=$(mktemp -d)
stage='' worktree=''
clean() {
  rm -rf "$work" ${stage:+"$stage"}
  [ -z "$stage" ] || rmdir "$out" 2>/dev/null || true
  [ -z "$worktree" ] || git worktree prune 2>/dev/null || true
}
trap clean EXIT
trap 'exit 1' INT TERM HUP

# ---- recording ------------------------------------------------------------------------------------------------

# Builds the test program of every package of a checkout that has benchmarks: "NAME|FOLDER" a line in PROGRAMS.
build_side() {
  local checkout=$1 to=$2 path module folder name
  mkdir -p "$to/bin"
  (cd "$checkout" && go list -f '{{.ImportPath}}|{{with .Module}}{{.Path}}{{end}}|{{.Dir}}' "$record") \
    >"$work/packages" 2>"$work/said" || fail "go list $record: $(tail -n 1 "$work/said")"
  : >"$to/programs"
  while IFS='|' read -r path module folder; do
    name=${path#"$module"/}
    [ "$path" != "$module" ] || name=${path##*/}
    name=$(printf '%s' "$name" | tr -c 'A-Za-z0-9.-' _)
    (cd "$checkout" && go test -c -o "$to/bin/$name" "$path") >"$work/said" 2>&1 \
      || fail "$path does not build: $(grep -v '^#' "$work/said" | head -n 1)"
    # Without test files there is no program.
    [ -x "$to/bin/$name" ] || continue
    (cd "$folder" && "$to/bin/$name" -test.list '^Benchmark') 2>/dev/null | grep -q '^Benchmark' || continue
    printf '%s|%s\n' "$name" "$folder" >>"$to/programs"
  done <"$work/packages"
}

# Each program of a side once, its results added up in a file.
measure_side() {
  local to=$1 name folder
  while IFS='|' read -r name folder; do
    (cd "$folder" && "$to/bin/$name" -test.run '^$' -test.bench . -test.benchmem </dev/null) \
      >>"$to/bench_$2.txt" 2>"$work/said" || fail "the benchmarks of $name ($2) failed: $(tail -n 1 "$work/said")"
  done <"$to/programs"
}

# Profiles come from a run of their own: profiling slows down what is measured.
profile_side() {
  local to=$1 name folder
  while IFS='|' read -r name folder; do
    (cd "$folder" && "$to/bin/$name" -test.run '^$' -test.bench . \
      -test.cpuprofile "$to/${name}_cpu.prof" -test.memprofile "$to/${name}_mem.prof" \
      -test.mutexprofile "$to/${name}_mutex.prof" -test.blockprofile "$to/${name}_block.prof" </dev/null) \
      >"$work/said" 2>&1 || fail "the benchmarks of $name ($2) failed: $(tail -n 1 "$work/said")"
  done <"$to/programs"
  find "$to" -maxdepth 1 -name '*.prof' -type f | while IFS= read -r file; do
    # A program that waits for no lock has an empty profile of it.
    "$pprofc" -symbolize=none -top "$file" 2>/dev/null | grep -q ' 0 total$' && rm -f "$file"
  done || true
}

if [ -n "$record" ]; then
  command -v go >/dev/null || fail "-record needs go"
  git rev-parse --git-dir >/dev/null 2>&1 || fail "-record needs a git checkout"
  if [ -z "$base_ref" ]; then
    base_ref=$(git merge-base HEAD origin/main 2>/dev/null || git merge-base HEAD main 2>/dev/null) \
      || fail "name a -base-ref: there is neither origin/main nor main"
  fi
  worktree=$work/base
  git worktree add --quiet --detach "$worktree" "$base_ref" 2>"$work/said" \
    || fail "cannot check out '$base_ref': $(tail -n 1 "$work/said")"
  base_dir=$work/recorded/base head_dir=$work/recorded/head
  build_side "$worktree/$(git rev-parse --show-prefix)" "$base_dir"
  build_side "$PWD" "$head_dir"
  [ -s "$base_dir/programs" ] || [ -s "$head_dir/programs" ] || fail "no benchmarks in $record"
  # Alternately, so that a machine that slows down slows down both.
  for ((i = 0; i < count; i++)); do
    measure_side "$base_dir" base
    measure_side "$head_dir" head
  done
  profile_side "$base_dir" base
  profile_side "$head_dir" head
  if [ -s "$base_dir/bench_base.txt" ] && [ -s "$head_dir/bench_head.txt" ]; then
    bench_base=$base_dir/bench_base.txt bench_head=$head_dir/bench_head.txt
  fi
fi

# ---- pairs --------------------------------------------------------------------------------------------------------

stem() {
  local name=${1##*/}
  name=${name%.gz}
  name=${name%.pb}
  printf '%s\n' "${name%.prof}"
}

profiles_in() {
  find "$1" -maxdepth 1 -type f \( -name '*.prof' -o -name '*.pb.gz' -o -name '*.pb' \) | LC_ALL=C sort
}

bundled=no
if [ -z "$base_dir$head_dir" ] && [ ${#pair_heads[@]} -eq 0 ]; then
  bundled=yes
  data=$root/testdata
  pair_bases=("$data/generator_cpu.prof" "$data/generator_mem.prof")
  pair_heads=("$data/generator_optimized_cpu.prof" "$data/generator_optimized_mem.prof")
  bench_base=${bench_base:-$data/bench_original.txt}
  bench_head=${bench_head:-$data/bench_optimized.txt}
fi
if [ -n "$base_dir$head_dir" ]; then
  [ -d "$head_dir" ] || fail "no folder '$head_dir' (-head)"
  [ -d "$base_dir" ] || fail "no folder '$base_dir' (-base)"
  while IFS= read -r file; do
    pair_heads+=("$file")
    if [ -f "$base_dir/${file##*/}" ]; then pair_bases+=("$base_dir/${file##*/}"); else pair_bases+=(''); fi
  done < <(profiles_in "$head_dir")
  while IFS= read -r file; do
    [ -f "$head_dir/${file##*/}" ] || { pair_bases+=("$file"); pair_heads+=(''); }
  done < <(profiles_in "$base_dir")
fi
[ ${#pair_heads[@]} -gt 0 ] || fail "no profiles in '$base_dir' and '$head_dir'"
for file in "${pair_bases[@]}" "${pair_heads[@]}" "$bench_base" "$bench_head"; do
  [ -z "$file" ] || [ -r "$file" ] || fail "cannot read '$file'"
done
if [ -n "$bench_base$bench_head" ]; then
  [ -n "$bench_base" ] && [ -n "$bench_head" ] || fail "-bench-base and -bench-head belong together"
fi

# Everything is made in a folder beside its place and moved when all of it is there.
out=${out:-.docs/artifacts/ci}
out=${out%/}
benchdiff=$(dirname "$out")/benchdiff
mkdir -p "$out" 2>/dev/null || fail "cannot make the folder '$out'"
stage=$(mktemp -d "$out/.new.XXXXXX" 2>/dev/null) || fail "cannot write into '$out'"
mkdir -p "$stage"/ci/{flamegraphs,speedscope,flame,profiles} "$stage/benchdiff"
new=$stage/ci

# ---- one profile, one pair ------------------------------------------------------------------------------------------

quietly() {
  "$@" 2>"$work/said" || fail "$(tail -n 1 "$work/said")"
}

# What a profile is about is in its name, or in its sample types.
kind_of() {
  case $1 in
    *mutex*) echo mutex ;;
    *block*) echo block ;;
    *mem* | *heap* | *alloc*) echo mem ;;
    *cpu*) echo cpu ;;
    *) if "$pprofc" -raw "$2" 2>/dev/null | grep -q -m1 'alloc_space/'; then echo mem; else echo profile; fi ;;
  esac
}

has_allocations() {
  "$pprofc" -symbolize=none -comments -sample_index=alloc_space "$1" >/dev/null 2>&1
}

# take NAME: NAME, or NAME_2 ... when there is one already; into $taken.
declare -A names=()
take() {
  local n=2
  taken=$1
  while [ -n "${names[$taken]:-}" ]; do taken=$1_$((n++)); done
  names[$taken]=yes
}

# render NAME ARGUMENT...: all artifacts of one profile or difference.
render() {
  local name=$1
  shift
  quietly "$pprofc" -symbolize=none -top -output="$new/${name}_top.txt" "$@"
  quietly "$pprofc" -symbolize=none -flamegraph -output="$new/flamegraphs/$name.svg" "$@"
  quietly "$pprofc" -symbolize=none -speedscope -output="$new/speedscope/$name.speedscope.json" "$@"
  quietly "$pprofc" -symbolize=none -flame -output="$new/flame/$name.html" "$@"
  quietly "$pprofc" -symbolize=none -proto -output="$new/profiles/$name.pb.gz" "$@"
}

# generator_cpu and generator_optimized_cpu differ as generator_cpu_diff does: the name of the base.
kinds=() base_names=() head_names=() diff_names=() # of the pairs; a name is empty where there is none
for i in "${!pair_heads[@]}"; do
  base=${pair_bases[i]} head=${pair_heads[i]}
  base_name='' head_name='' diff_name=''
  [ -z "$base" ] || base_name=$(stem "$base")
  [ -z "$head" ] || head_name=$(stem "$head")
  kind=$(kind_of "$base_name$head_name" "${head:-$base}")
  values=()
  if [ "$kind" = mem ] && { [ -z "$base" ] || has_allocations "$base"; } && { [ -z "$head" ] || has_allocations "$head"; }; then
    values=(-sample_index=alloc_space)
  fi
  if [ -n "$base" ] && [ -n "$head" ]; then
    diff_name=${base_name}_diff
    [ "$base_name" != "$head_name" ] || base_name=${base_name}_base head_name=${head_name}_head
    take "$diff_name" && diff_name=$taken
  fi
  if [ -n "$base" ]; then
    take "$base_name" && base_name=$taken
    render "$base_name" "${values[@]}" "$base"
  fi
  if [ -n "$head" ]; then
    take "$head_name" && head_name=$taken
    render "$head_name" "${values[@]}" "$head"
  fi
  [ -z "$diff_name" ] || render "$diff_name" "${values[@]}" -diff_base="$base" "$head"
  kinds+=("$kind") base_names+=("$base_name") head_names+=("$head_name") diff_names+=("$diff_name")
done

# ---- benchmarks and the gate --------------------------------------------------------------------------------------------

status=0
verdict='no benchmarks were compared'
gate_text=$work/gate.txt
: >"$gate_text"
write_diff() {
  "$benchstatc" "$2" "$3" >"$stage/benchdiff/$1" 2>"$work/said" || fail "$(tail -n 1 "$work/said")"
  benchstat_text=$stage/benchdiff/$1
}
if [ -n "$bench_base" ]; then
  if [ "$bundled" = yes ]; then # the base against itself is the control of the tables
    write_diff bench_original.diff "base=$bench_base" "again=$bench_base"
    write_diff bench_optimized.diff "base=$bench_base" "head=$bench_head"
  else
    name=$(basename "$bench_head")
    name=bench_${name#bench_}
    write_diff "${name%.*}.diff" "base=$bench_base" "head=$bench_head"
  fi
  "$gate" -base "$bench_base" -head "$bench_head" -threshold "$threshold" >"$gate_text" 2>&1 || status=$?
  case $status in
    0) verdict='no regression' ;;
    2) verdict='REGRESSION' ;;
    *) verdict='the gate failed' status=1 ;;
  esac
fi
totals=$(tail -n 1 "$gate_text")

# ---- the page, the summary, the manifest -------------------------------------------------------------------------------------

escape_html() {
  sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g; s/"/\&quot;/g'
}
escape_json() {
  tr -d '\000-\037' | sed 's/\\/\\\\/g; s/"/\\"/g'
}
html() {
  printf '%s' "$1" | escape_html
}
url() { # a name as part of an address
  local LC_ALL=C text=$1 i c code
  for ((i = 0; i < ${#text}; i++)); do
    c=${text:i:1}
    case $c in
      [A-Za-z0-9._~-]) printf '%s' "$c" ;;
      *) printf -v code %d "'$c" && printf '%%%02X' $((code & 255)) ;;
    esac
  done
}
embed() { # an SVG as a picture: nothing in it runs, no ids clash
  printf '<a class="graph" href="flamegraphs/%s.svg"><img alt="flame graph of %s" src="data:image/svg+xml;base64,' "$(url "$1")" "$(html "$1")"
  base64 -w 0 "$new/flamegraphs/$1.svg"
  printf '"></a>\n'
}
links() {
  local name
  name=$(url "$1")
  printf '<p class="links"><a href="flame/%s.html">interactive flame graph</a> · <a href="flamegraphs/%s.svg">SVG</a> · ' "$name" "$name"
  printf '<a href="speedscope/%s.speedscope.json">speedscope file</a> · <a href="profiles/%s.pb.gz">profile</a> · ' "$name" "$name"
  printf '<a href="%s_top.txt">whole table</a></p>\n' "$name"
}
table() { # TITLE NAME LINES open
  printf '<details%s><summary>%s: %s</summary>\n<pre tabindex="0">' "${4:-}" "$1" "$(html "$2")"
  head -n "$3" "$new/${2}_top.txt" | escape_html
  printf '</pre>\n'
  links "$2"
  printf '</details>\n'
}
what_of() { # what there is to see of a pair, as "what: name"
  printf '%s' "${diff_names[$1]:-${head_names[$1]:-${base_names[$1]}}}"
}

write_pair() {
  local i=$1 base=${base_names[$1]} head=${head_names[$1]} diff=${diff_names[$1]}
  printf '<section class="pair"><h2>%s: %s</h2>\n' "${kinds[i]}" "$(html "$(what_of "$i")")"
  [ -n "$head" ] || printf '<p class="note">Gone: there is no such profile in the head.</p>\n'
  [ -n "$base" ] || printf '<p class="note">New: there is no such profile in the base.</p>\n'
  embed "$(what_of "$i")"
  [ -z "$diff" ] || table 'change' "$diff" 40 ' open'
  [ -z "$base" ] || table 'before' "$base" 32
  [ -z "$head" ] || table 'after' "$head" 32
  printf '</section>\n'
}

write_page() {
  cat <<'EOF'
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>Profiles</title>
<style>
:root { color-scheme: light dark; --line: #8884; --soft: #8881 }
body { font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; margin: 0 auto; padding: 1rem; max-width: 80rem }
h1, h2, summary { overflow-wrap: anywhere }
pre { overflow: auto; max-height: 32rem; background: var(--soft); padding: .6rem; font-size: 12px; line-height: 1.35 }
.graph { display: block; overflow-x: auto }
.graph img { width: 100%; min-width: 44rem; height: auto; background: #fff }
summary { cursor: pointer; font-weight: 600 }
details, section { margin: .6rem 0 }
section { border-top: 1px solid var(--line) }
.verdict { font-size: 1.1rem; padding: .6rem; border: 2px solid #3a8f4a; border-radius: 6px }
.bad { border-color: #c0392b }
.links { font-size: 13px }
@media print {
  body { max-width: none; padding: 0 }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; max-height: none; background: none; font-size: 8pt }
  a { color: inherit }
  .links { display: none }
  .graph img { min-width: 0 }
  img, .verdict { break-inside: avoid }
}
</style>
</head>
<body>
<h1>Profiles</h1>
EOF
  local mood='' i
  [ "$status" -eq 0 ] || mood=' bad'
  printf '<p class="verdict%s" id="verdict"><strong>%s</strong>%s</p>\n' "$mood" "$verdict" "${totals:+<br>$(html "$totals")}"
  if [ -n "$bench_base" ]; then
    printf '<section id="benchmarks"><h2>Benchmarks</h2>\n<details open><summary>verdicts</summary><pre tabindex="0">'
    escape_html <"$gate_text"
    printf '</pre></details>\n<details open><summary>table</summary><pre tabindex="0">'
    escape_html <"$benchstat_text"
    printf '</pre></details></section>\n'
  fi
  for i in "${!kinds[@]}"; do write_pair "$i"; done
  printf '</body>\n</html>\n'
}

# A table in Markdown; as HTML, because no name of a benchmark or function ends that.
fold_away() { # TITLE FILE LINES
  printf '<details><summary>%s</summary>\n\n<pre>\n' "$(html "$1")"
  head -n "$3" "$2" | escape_html
  printf '</pre>\n\n</details>\n\n'
}
write_summary() {
  local i note
  printf '## Profiles: %s\n\n' "$verdict"
  [ -z "$totals" ] || printf '%s\n\n' "$(html "$totals")"
  [ ! -s "$gate_text" ] || fold_away benchmarks "$gate_text" 200
  for i in "${!kinds[@]}"; do
    note=''
    [ -n "${base_names[i]}" ] || note=' (new)'
    [ -n "${head_names[i]}" ] || note=' (gone)'
    fold_away "${kinds[i]}: $(what_of "$i")$note" "$new/$(what_of "$i")_top.txt" 25
  done
}

put_input() { # SIDE FILE
  [ -n "$2" ] || return 0
  printf '%s\n    {"side": "%s", "name": "%s", "sha256": "%s"}' "$comma" "$1" \
    "$(basename "$2" | escape_json)" "$(sha256sum <"$2" | cut -d' ' -f1)"
  comma=,
}
write_manifest() {
  local i file comma=''
  printf '{\n  "version": 1,\n  "tool": "%s",\n' "$("$pprofc" -version | head -n 1 | escape_json)"
  printf '  "commit": "%s",\n' "$(git rev-parse HEAD 2>/dev/null || printf '%s' "${GITHUB_SHA:-${CI_COMMIT_SHA:-${GIT_COMMIT:-}}}")"
  printf '  "verdict": "%s",\n  "gate_status": %d,\n  "totals": "%s",\n  "inputs": [' "$verdict" "$status" "$(printf '%s' "$totals" | escape_json)"
  for i in "${!pair_heads[@]}"; do
    put_input base "${pair_bases[i]}"
    put_input head "${pair_heads[i]}"
  done
  put_input base "$bench_base"
  put_input head "$bench_head"
  printf '\n  ],\n  "files": ['
  comma=''
  while IFS= read -r file; do
    printf '%s\n    "%s"' "$comma" "$(printf '%s' "${file#./}" | escape_json)"
    comma=,
  done < <(cd "$new" && find . -type f ! -name manifest.json | LC_ALL=C sort)
  printf '\n  ]\n}\n'
}

write_page >"$new/index.html"
write_summary >"$new/summary.md"
write_manifest >"$new/manifest.json"

# ---- into place -----------------------------------------------------------------------------------------------------------------

# What an earlier run left and this one has not made would tell of profiles that are gone.
if [ -f "$out/manifest.json" ]; then
  sed -n '/^  "files": \[/,/^  \]/s/^    "\(.*\)",\{0,1\}$/\1/p' "$out/manifest.json" | sed 's/\\\(.\)/\1/g' |
    while IFS= read -r file; do
      case /$file/ in */../*) continue ;; esac
      [ -e "$new/$file" ] || rm -f "$out/$file"
    done
fi
move() { # FROM TO: each file at once
  local file
  (cd "$1" && find . -type f) | while IFS= read -r file; do
    mkdir -p "$(dirname "$2/$file")"
    mv -f "$1/$file" "$2/$file"
  done
}
move "$new" "$out" || fail "cannot write into '$out'"
[ -z "$bench_base" ] || move "$stage/benchdiff" "$benchdiff" || fail "cannot write into '$benchdiff'"
[ -z "${GITHUB_STEP_SUMMARY:-}" ] || cat "$out/summary.md" >>"$GITHUB_STEP_SUMMARY"

printf '%d pairs of profiles, start with %s/index.html\n' "${#kinds[@]}" "$out"
[ ! -s "$gate_text" ] || cat "$gate_text"
printf '%s\n' "$verdict"
[ "$status" -ne 2 ] || [ "$gate_fails" = yes ] || status=0
exit "$status"
