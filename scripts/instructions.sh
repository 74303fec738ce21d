#!/bin/sh
# Fails if the programs of pprofc execute more instructions than at an earlier commit: REF, or else the previous commit. Builds both, counts
# the instructions of the commands below with callgrind, and judges the counts with parse_bench_regressions.
#
#   scripts/instructions.sh [--ref REF] [--limit PERCENT] [--build FOLDER] [NAME ...]
#
# --ref REF         the earlier commit
# --limit PERCENT   increase at which a command fails (default 3)
# --build FOLDER    existing release build of these sources
# NAME              measure only these commands: "Top Merge"
#
# To accept an increase, add a line such as this one at the end of a commit message (a git trailer):
#
#   Cost-accepted: Top 5% inlined calls are counted for each caller
#
# Exit status: 0: pass, or nothing to compare with; 2: a command got slower; 1: no result.
set -eu
cd "$(dirname "$0")/.."
. scripts/lib.sh

ref='' limit=3 head_build='' only=''
while [ $# -gt 0 ]; do
  case $1 in
    --ref | --limit | --build) [ $# -ge 2 ] || die "$1 needs a value" ;;
  esac
  case $1 in
    --ref) ref=$2; shift 2 ;;
    --limit) limit=$2; shift 2 ;;
    --build) head_build=$2; shift 2 ;;
    -*) sed -n '2,16s/^# \{0,1\}//p' "$0"; exit 1 ;;
    *) only="$only $1"; shift ;;
  esac
done

# ---- the earlier commit ----------------------------------------------------------------------------------------------

if [ -z "$ref" ] && ! git rev-parse --verify --quiet HEAD~1 >/dev/null; then
  if [ "$(git rev-parse --is-shallow-repository)" = true ]; then
    say "no instructions compared: this clone is shallow and lacks the commit before; \`git fetch --deepen=1\` gets it" \
      "(in a workflow: fetch-depth: 2)"
  else
    say "no instructions compared: this is the first commit"
  fi
  exit 0
fi
name=${ref:-HEAD~1}
ref=$(git rev-parse --verify --quiet "$name^{commit}") || die "there is no commit '$name'"

have valgrind || want_packages valgrind
have valgrind || die "valgrind is needed (package valgrind)"
case "$(valgrind --version)" in valgrind-*) ;; *) die "valgrind does not run" ;; esac

work=$(mktemp -d)
trap 'git worktree remove --force "$work/base" 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
git worktree add --quiet --detach "$work/base" "$ref" -- || die "cannot check out '$ref'"

# ---- the accepted costs: one rule for each trailer -------------------------------------------------------------------

# Prints the trailers of the later commits, one per line. Git joins the lines of a trailer.
git log --format='%(trailers:key=Cost-accepted,valueonly,unfold)' "$ref..HEAD" | sed '/^[[:space:]]*$/d' >"$work/trailers"
awk -v today="$(date -u +%Y-%m-%d)" -v only="$only " '
  function problem(what) { print "instructions.sh: the trailer \"Cost-accepted: " $0 "\" " what >"/dev/stderr"; failed = 1; exit 1 }
  {
    if ($1 !~ /^[A-Z][A-Za-z]*$/ || $2 !~ /^[0-9]+(\.[0-9]+)?%$/) problem("does not read \"NAME PERCENT% reason\"")
    if (NF < 3) problem("gives no reason")
    if (only != " " && !index(only, " " $1 " ")) next
    reason = $0
    sub(/^[ \t]*[^ \t]+[ \t]+[^ \t]+[ \t]+/, "", reason)
    gsub(/[\\"\t]/, " ", reason)
    list = list (list ? ",\n" : "") "    {\"benchmark\": \"" $1 "\", \"accept\": \"" $2 "\", \"until\": \"" today "\", \"reason\": \"" reason "\"}"
  }
  END { if (!failed) print "{\"rules\": [\n" list "\n]}" }' "$work/trailers" >"$work/rules.json" || exit 1
while read -r name percent reason; do
  case "$only " in " " | *" $name "*) say "accepted for $name: $percent, $reason" ;; esac
done <"$work/trailers"

# ---- both builds -----------------------------------------------------------------------------------------------------

# programs SOURCES BUILD: builds the programs.
programs() {
  if ! { cmake -S "$1" -B "$2" -DPPROFC_BUILD_TESTS=OFF -DCMAKE_BUILD_TYPE=Release &&
    cmake --build "$2" -j "$(processors)" --target pprofc benchstatc parse_bench_regressions; } >"$work/log" 2>&1; then
    tail -n 20 "$work/log" >&2
    die "cannot build the programs of $1"
  fi
}
say "counting the instructions of this commit and of $(git rev-parse --short "$ref")"
programs "$work/base" "$work/base/build"
[ -n "$head_build" ] || { head_build=$work/build-head; programs . "$head_build"; }

# A known secret of the hash tables makes the count the same in every run.
cc -shared -fPIC -o "$work/known_secret.so" tests/golden/known_secret.c || die "cannot build tests/golden/known_secret.c"

# ---- the commands ----------------------------------------------------------------------------------------------------

cpu=testdata/generator_cpu.prof
for copy in 1 2 3 4; do
  for side in original optimized; do
    sed "s/^Benchmark/BenchmarkCopy$copy/" "testdata/bench_$side.txt" >>"$work/$side.txt"
  done
done

# commands: prints lines with NAME, program and arguments. Both builds read the same files.
commands() {
  cat <<END
Start pprofc -top testdata/server_mutex.pb.gz
Top pprofc -top $cpu
Tree pprofc -tree -nodefraction=0 $cpu
Dot pprofc -dot $cpu
Filter pprofc -top -focus=runtime -hide=gc -lines $cpu
Diff pprofc -top -diff_base=$cpu testdata/generator_optimized_cpu.prof
Merge pprofc -proto testdata/server_cpu.pb.gz testdata/server_b_cpu.pb.gz $cpu testdata/server_b_cpu.pb.gz testdata/generator_optimized_cpu.prof
Flame pprofc -flame $cpu
Speedscope pprofc -speedscope $cpu
Import pprofc -top testdata/imports/calls.callgrind.out
Statistics benchstatc $work/original.txt $work/optimized.txt
Gate parse_bench_regressions -base $work/original.txt -head $work/optimized.txt
END
}

# count SIDE FOLDER PROGRAM ARGUMENT...: writes the number of instructions to a file, or nothing if the command failed. The exit statuses 2
# and 3 of parse_bench_regressions are verdicts, not failures.
count() {
  side=$1 programs=$2 program=$3
  shift 3
  status=0
  env HOME="$work" XDG_CONFIG_HOME="$work" TZ=UTC LC_ALL=C.UTF-8 KNOWN_SECRET=1 LD_PRELOAD="$work/known_secret.so" \
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$programs/$program" "$@" >/dev/null 2>"$work/$side.said" || status=$?
  case $program:$status in *:0 | parse_bench_regressions:[23]) ;; *) : >"$work/$side.count"; return 0 ;; esac
  sed -n 's/^==[0-9]*== Collected : \([0-9]*\)$/\1/p' "$work/$side.said" >"$work/$side.count"
}

: >"$work/base.txt"
: >"$work/head.txt"
for name in $only; do
  commands | grep -q "^$name " || die "there is no command '$name': it is one of $(commands | cut -d' ' -f1 | tr '\n' ' ')"
done
commands >"$work/commands"
while read -r name arguments; do
  case "$only " in " " | *" $name "*) ;; *) continue ;; esac
  # shellcheck disable=SC2086 # a list of words
  count base "$work/base/build/bin" $arguments &
  # shellcheck disable=SC2086
  count head "$head_build/bin" $arguments
  wait $!
  if [ ! -s "$work/head.count" ]; then
    cat "$work/head.said" >&2
    die "the command failed: $arguments"
  fi
  # Skip a command that the earlier commit cannot run.
  for side in base head; do
    [ ! -s "$work/$side.count" ] || echo "Benchmark$name 1 $(cat "$work/$side.count") instructions/op" >>"$work/$side.txt"
  done
done <"$work/commands"

# ---- the verdict -----------------------------------------------------------------------------------------------------

status=0
judge=${PARSE_BENCH_REGRESSIONS:-$head_build/bin/parse_bench_regressions}
set -- -all -test=none -min-samples=1 "-threshold=$limit" -base "$work/base.txt" -head "$work/head.txt"
[ ! -s "$work/trailers" ] || set -- -rules "$work/rules.json" "$@"
"$judge" "$@" || status=$?
[ "$status" -ne 2 ] || say "more instructions than at $(git rev-parse --short "$ref"): make it cheaper, or say why it is worth it" \
  "(\`Cost-accepted: NAME PERCENT% reason\` in the commit message, CONTRIBUTING.md)"
exit "$status"
