#!/bin/sh
# Measures pprofc against `gzip -dc` and `go tool pprof` on inputs made from fixed seeds, and prints the tables of
# docs/BENCHMARKS.md.
#
#   scripts/bench.sh [--runs N] [--no-go] [--filter WORD]
#
# --runs N       runs of each command of which the median counts (default 5; those of Go run once)
# --no-go        leave `go tool pprof` out (it takes minutes)
# --filter WORD  only rows whose name has WORD in it
set -eu
cd "$(dirname "$0")/.."

runs=5
with_go=yes
filter=
while [ $# -gt 0 ]; do
  case $1 in
    --runs) runs=$2; shift 2 ;;
    --no-go) with_go=no; shift ;;
    --filter) filter=$2; shift 2 ;;
    *) sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 1 ;;
  esac
done

build=build/bench
data=build/perf
mkdir -p "$data"
cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DPPROFC_BUILD_TESTS=ON >/dev/null
cmake --build "$build" --parallel --target pprofc make_inputs measure >/dev/null
"$build/perf/make_inputs" "$data"

pprofc=$build/bin/pprofc
measure=$build/perf/measure
go_pprof=
if [ "$with_go" = yes ] && command -v go >/dev/null 2>&1; then go_pprof=$(go tool -n pprof); fi

# Nothing of the user's settings takes part.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export HOME="$scratch" XDG_CONFIG_HOME="$scratch" PPROF_TMPDIR="$scratch"

# time_of and peak_of take the output of measure apart: "SECONDS KIB STATUS".
time_of() { echo "$1" | awk '$3 == 0 { printf "%.4f", $1 } $3 != 0 { printf "failed" }'; }
peak_of() { echo "$1" | awk '{ printf "%.0f", $2 / 1024 }'; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { if (a + 0 && b + 0) printf "%.1f", a / b; else printf "-" }'; }

# row NAME GZIP_SECONDS GO ARGUMENT...: one line of the table; GO is yes when Go's time is wanted too.
row() {
  name=$1 gzip=$2 go=$3
  shift 3
  case $name in *"$filter"*) ;; *) return 0 ;; esac
  ours=$("$measure" "$runs" "$pprofc" "$@" 2>"$scratch/err" || true)
  ours_time=$(time_of "$ours")
  theirs_time=- theirs_peak=- faster=- smaller=-
  if [ "$go" = yes ] && [ -n "$go_pprof" ]; then
    theirs=$("$measure" 1 "$go_pprof" "$@" 2>/dev/null || true)
    theirs_time=$(time_of "$theirs")
    theirs_peak=$(peak_of "$theirs")
    faster=$(ratio "$theirs_time" "$ours_time")
    smaller=$(ratio "$theirs_peak" "$(peak_of "$ours")")
  fi
  echo "| $name | $ours_time | $(peak_of "$ours") | $gzip | $(ratio "$gzip" "$ours_time") | $theirs_time |" \
    "$theirs_peak | $faster | $smaller |"
}

header() {
  echo
  echo "$1"
  echo
  echo "| command | s | MiB | gzip -dc s | gzip / pprofc | go s | go MiB | times faster | times smaller |"
  echo "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
}

gunzip_time() { time_of "$("$measure" "$runs" gzip -dc "$@")"; }
raw_size() { gzip -dc "$1" | wc -c | awk '{ printf "%.0f", $1 / 1048576 }'; }

echo "Machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) processors," \
  "$(uname -s) $(uname -r | cut -d- -f1)"
echo "Tools: $("$pprofc" -version 2>/dev/null | head -n 1), $(gzip --version | head -n 1)," \
  "$(if [ -n "$go_pprof" ]; then go version | cut -d' ' -f3,4; else echo 'no go'; fi)," \
  "$(cc --version | head -n 1)"
echo "Command: scripts/bench.sh; medians of $runs runs, those of Go once"

for input in wide tree; do
  file=$data/$input.pb.gz old=$data/${input}2.pb.gz
  one=$(gunzip_time "$file")
  both=$(gunzip_time "$file" "$old")
  header "\`$input\` ($(raw_size "$file") MiB raw, $(($(wc -c <"$file") / 1048576)) MiB gzip'd)"
  row "-top" "$one" yes -top "$file"
  row "-top -diff_base" "$both" yes -top "-diff_base=$old" "$file"
  row "-top -cum -lines" "$one" no -top -cum -lines "$file"
  row "-tree" "$one" yes -tree "$file"
  row "-dot" "$one" yes -dot "$file"
  row "-peek" "$one" yes '-peek=call4217$' "$file"
  row "-traces" "$one" no -traces "$file"
  row "-raw" "$one" no -raw "$file"
  row "-tags" "$one" no -tags "$file"
  row "-proto" "$one" no -proto -output=/dev/null "$file"
  row "-speedscope" "$one" no -speedscope -output=/dev/null "$file"
  row "-top -focus" "$one" no -top '-focus=module7\.' "$file"
  row "-top -ignore" "$one" no -top '-ignore=module7\.' "$file"
  row "-top -hide" "$one" no -top '-hide=module7\.' "$file"
  row "-top -show" "$one" no -top '-show=module[1-5]\.' "$file"
  row "-top -show_from" "$one" no -top '-show_from=module7\.' "$file"
  row "-top -prune_from" "$one" no -top '-prune_from=module7\.' "$file"
  row "-top -noinlines" "$one" no -top -noinlines "$file"
  row "-top -files" "$one" no -top -files "$file"
  row "-top -addresses" "$one" no -top -addresses "$file"
  row "-top -tagfocus" "$one" no -top -tagfocus=thread=worker-1 "$file"
  row "-top -tagignore" "$one" no -top -tagignore=64kb: "$file"
  row "-top -tagshow" "$one" no -top -tagshow=thread "$file"
  row "-top -taghide" "$one" no -top -taghide=thread "$file"
  row "-top -tagroot" "$one" no -top -tagroot=thread "$file"
  row "-top -tagleaf" "$one" no -top -tagleaf=bytes "$file"
done

small=$data/small.pb.gz
header "A profile of 50 KB, and 1,000 of them"
runs_before=$runs
runs=$((runs * 10))
row "-top" "$(gunzip_time "$small")" yes -top "$small"
runs=$runs_before
row "-proto, merging 1,000" "$(gunzip_time "$data"/merge/*.pb.gz)" yes \
  -proto -output=/dev/null "$data"/merge/*.pb.gz
