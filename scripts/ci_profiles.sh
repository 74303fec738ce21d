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
  -count N               benchmark repetitions for -record (10)
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
trap 'rm -rf "$work"; [ -z "${worktree:-}" ] || git worktree remove --force "$worktree" >/dev/null 2>&1 || true' EXIT

# ---- recording ------------------------------------------------------------------------------------------------

# Runs the benchmarks of every package in a checkout; profiles and results go into a folder.
record_side() {
  local checkout=$1 to=$2 package name
  mkdir -p "$to"
  (cd "$checkout" && go list "$record") >"$work/packages" || fail "go list $record failed"
  while read -r package; do
    name=$(printf '%s' "${package##*/}" | tr -c 'A-Za-z0-9._-' _)
    (cd "$checkout" && go test -run '^$' -bench . -benchmem -count "$count" -o "$work/$name.test" \
      -cpuprofile "$to/${name}_cpu.prof" -memprofile "$to/${name}_mem.prof" \
      -mutexprofile "$to/${name}_mutex.prof" -blockprofile "$to/${name}_block.prof" "$package") \
      >>"$to/bench.txt" || fail "the benchmarks of $package failed; see $to/bench.txt"
  done <"$work/packages"
}

if [ -n "$record" ]; then
  command -v go >/dev/null || fail "-record needs go"
  if [ -z "$base_ref" ]; then
    base_ref=$(git merge-base HEAD origin/main 2>/dev/null || git merge-base HEAD main) || fail "name a -base-ref"
  fi
  worktree=$work/base
  git worktree add --quiet --detach "$worktree" "$base_ref" || fail "cannot check out $base_ref"
  record_side "$worktree" "$work/recorded/base"
  record_side "$PWD" "$work/recorded/head"
  base_dir=$work/recorded/base head_dir=$work/recorded/head
  bench_base=$base_dir/bench.txt bench_head=$head_dir/bench.txt
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

out=${out:-.docs/artifacts/ci}
benchdiff=$(dirname "$out")/benchdiff
mkdir -p "$out"/{flamegraphs,speedscope,flame,profiles} || fail "cannot make '$out'"

# ---- one profile, one pair ------------------------------------------------------------------------------------------

# What a profile is about is in its name, or in its sample types.
kind_of() {
  case $1 in
    *mutex*) echo mutex ;;
    *block*) echo block ;;
    *mem* | *heap* | *alloc*) echo mem ;;
    *cpu*) echo cpu ;;
    *) if "$pprofc" -raw "$2" 2>/dev/null | grep -q -m1 'alloc_space/'; then echo mem; else echo cpu; fi ;;
  esac
}

quietly() {
  "$@" 2>"$work/said" || fail "$(tail -n 1 "$work/said")"
}

# render NAME ARGUMENT...: all artifacts of one profile or difference.
render() {
  local name=$1
  shift
  quietly "$pprofc" -symbolize=none -top -output="$out/${name}_top.txt" "$@"
  quietly "$pprofc" -symbolize=none -flamegraph -output="$out/flamegraphs/$name.svg" "$@"
  quietly "$pprofc" -symbolize=none -speedscope -output="$out/speedscope/$name.speedscope.json" "$@"
  quietly "$pprofc" -symbolize=none -flame -output="$out/flame/$name.html" "$@"
  quietly "$pprofc" -symbolize=none -proto -output="$out/profiles/$name.pb.gz" "$@"
  done_names+=("$name")
}

# generator_cpu and generator_optimized_cpu differ as generator_cpu_diff does: the name of the base.
pairs=() # "kind|base name|head name|difference name" each; empty where there is none
done_names=()
for i in "${!pair_heads[@]}"; do
  base=${pair_bases[i]} head=${pair_heads[i]}
  base_name='' head_name='' diff_name=''
  [ -z "$base" ] || base_name=$(stem "$base")
  [ -z "$head" ] || head_name=$(stem "$head")
  kind=$(kind_of "$base_name$head_name" "${head:-$base}")
  values=()
  [ "$kind" != mem ] || values=(-sample_index=alloc_space)
  if [ "$kind" = mem ] && ! "$pprofc" -symbolize=none -comments "${values[@]}" "${head:-$base}" >/dev/null 2>&1; then values=(); fi
  if [ "$base_name" = "$head_name" ]; then
    diff_name=${head_name}_diff base_name=${head_name}_base head_name=${head_name}_head
  elif [ -n "$base" ] && [ -n "$head" ]; then
    diff_name=${base_name}_diff
  fi
  [ -z "$base" ] || render "$base_name" "${values[@]}" "$base"
  [ -z "$head" ] || render "$head_name" "${values[@]}" "$head"
  [ -z "$diff_name" ] || render "$diff_name" "${values[@]}" -diff_base="$base" "$head"
  pairs+=("$kind|$base_name|$head_name|$diff_name")
done

# ---- benchmarks and the gate --------------------------------------------------------------------------------------------

status=0
verdict='no benchmarks were compared'
gate_text=$work/gate.txt
: >"$gate_text"
if [ -n "$bench_base" ] || [ -n "$bench_head" ]; then
  [ -f "$bench_base" ] || fail "no file '$bench_base' (-bench-base)"
  [ -f "$bench_head" ] || fail "no file '$bench_head' (-bench-head)"
  mkdir -p "$benchdiff"
  write_diff() { # the base against itself is the control of the tables
    "$benchstatc" "$2" "$3" >"$work/diff" 2>"$work/said" || fail "$(tail -n 1 "$work/said")"
    cp "$work/diff" "$benchdiff/.$1.tmp" && mv "$benchdiff/.$1.tmp" "$benchdiff/$1"
  }
  if [ "$bundled" = yes ]; then
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
    *) verdict='the gate failed' ;;
  esac
fi
totals=$(tail -n 1 "$gate_text")

# ---- the page, the summary, the manifest -------------------------------------------------------------------------------------

escape_html() {
  sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g; s/"/\&quot;/g'
}
escape_json() {
  sed 's/\\/\\\\/g; s/"/\\"/g' | tr -d '\000-\037'
}
embed() { # an SVG as a picture: nothing in it runs, no ids clash
  printf '<a href="flamegraphs/%s.svg"><img alt="flame graph of %s" src="data:image/svg+xml;base64,' "$1" "$1"
  base64 -w 0 "$out/flamegraphs/$1.svg"
  printf '"></a>\n'
}
links() {
  printf '<p class="links"><a href="flame/%s.html">interactive flame graph</a> · <a href="flamegraphs/%s.svg">SVG</a> · ' "$1" "$1"
  printf '<a href="speedscope/%s.speedscope.json">speedscope file</a> · <a href="profiles/%s.pb.gz">profile</a></p>\n' "$1" "$1"
}
table() {
  local lines=${2:-32}
  printf '<details%s><summary>%s</summary>\n<pre tabindex="0">' "${3:-}" "$1"
  head -n "$lines" "$out/${1}_top.txt" | escape_html
  printf '</pre>\n'
  links "$1"
  printf '</details>\n'
}

write_page() {
  cat <<'EOF'
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>Profiles</title>
<style>
:root { color-scheme: light dark; --line: #8884; --soft: #8881 }
body { font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; margin: 0 auto; padding: 1rem; max-width: 80rem }
pre { overflow: auto; background: var(--soft); padding: .6rem; font-size: 12px; line-height: 1.35 }
img { width: 100%; height: auto; background: #fff }
summary { cursor: pointer; font-weight: 600; overflow-wrap: anywhere }
details, section { margin: .6rem 0 }
section { border-top: 1px solid var(--line) }
.verdict { font-size: 1.1rem; padding: .6rem; border: 2px solid #3a8f4a; border-radius: 6px }
.bad { border-color: #c0392b }
.links { font-size: 13px }
@media print { details > * { display: block } a { color: inherit } pre { white-space: pre-wrap } }
</style>
</head>
<body>
<h1>Profiles</h1>
EOF
  local mood=''
  [ "$status" -eq 0 ] || mood=' bad'
  printf '<p class="verdict%s" id="verdict"><strong>%s</strong>%s</p>\n' "$mood" "$verdict" "${totals:+<br>$(printf '%s' "$totals" | escape_html)}"
  if [ -s "$gate_text" ]; then
    printf '<section id="benchmarks"><h2>Benchmarks</h2>\n<details open><summary>verdict of each</summary><pre tabindex="0">'
    escape_html <"$gate_text"
    printf '</pre></details>\n<details><summary>benchstat</summary><pre tabindex="0">'
    escape_html <"$work/diff"
    printf '</pre></details></section>\n'
  fi
  local pair kind base head diff
  for pair in "${pairs[@]}"; do
    IFS='|' read -r kind base head diff <<<"$pair"
    printf '<section><h2>%s: %s</h2>\n' "$kind" "$(printf '%s' "${diff:-${head:-$base}}" | escape_html)"
    if [ -n "$diff" ]; then
      embed "$diff"
      table "$diff" 40 ' open'
    elif [ -n "$head" ]; then
      printf '<p>New: there is no such profile in the base.</p>\n'
      embed "$head"
    else
      printf '<p>Gone: there is no such profile in the head.</p>\n'
      embed "$base"
    fi
    [ -z "$base" ] || table "$base"
    [ -z "$head" ] || table "$head"
    printf '</section>\n'
  done
  printf '</body>\n</html>\n'
}

write_summary() {
  printf '## Profiles: %s\n\n' "$verdict"
  [ -z "$totals" ] || printf '%s\n\n' "$totals"
  if [ -s "$gate_text" ]; then
    printf '<details><summary>benchmarks</summary>\n\n```\n'
    head -c 20000 "$gate_text"
    printf '```\n\n</details>\n\n'
  fi
  local pair kind base head diff name
  for pair in "${pairs[@]}"; do
    IFS='|' read -r kind base head diff <<<"$pair"
    name=${diff:-${head:-$base}}
    printf '<details><summary>%s: %s%s</summary>\n\n```\n' "$kind" "$name" "$([ -n "$diff" ] || { [ -n "$head" ] && echo ' (new)' || echo ' (gone)'; })"
    head -n 25 "$out/${name}_top.txt"
    printf '```\n\n</details>\n\n'
  done
}

write_manifest() {
  local i first=yes file side
  printf '{\n  "version": 1,\n  "tool": "%s",\n' "$("$pprofc" -version | head -n 1 | escape_json)"
  printf '  "commit": "%s",\n' "$(git -C "$PWD" rev-parse HEAD 2>/dev/null || true)"
  printf '  "verdict": "%s",\n  "gate_status": %d,\n  "totals": "%s",\n  "inputs": [' "$verdict" "$status" "$(printf '%s' "$totals" | escape_json)"
  for i in "${!pair_heads[@]}"; do
    for side in base head; do
      file=${pair_heads[i]}
      [ "$side" = head ] || file=${pair_bases[i]}
      [ -n "$file" ] || continue
      [ "$first" = yes ] || printf ','
      first=no
      printf '\n    {"side": "%s", "name": "%s", "sha256": "%s"}' "$side" "$(basename "$file" | escape_json)" "$(sha256sum <"$file" | cut -d' ' -f1)"
    done
  done
  printf '\n  ],\n  "artifacts": ['
  first=yes
  for file in "${done_names[@]}"; do
    [ "$first" = yes ] || printf ','
    first=no
    printf '\n    "%s"' "$(printf '%s' "$file" | escape_json)"
  done
  printf '\n  ]\n}\n'
}

put() { # a file appears whole or not at all
  "$2" >"$out/.$1.tmp"
  mv "$out/.$1.tmp" "$out/$1"
}
put index.html write_page
put summary.md write_summary
put manifest.json write_manifest
[ -z "${GITHUB_STEP_SUMMARY:-}" ] || cat "$out/summary.md" >>"$GITHUB_STEP_SUMMARY"

printf '%d profiles in %s, start with %s/index.html\n' "${#done_names[@]}" "$out" "$out"
[ ! -s "$gate_text" ] || cat "$gate_text"
printf '%s\n' "$verdict"
[ "$status" -ne 2 ] || [ "$gate_fails" = yes ] || status=0
exit "$status"
