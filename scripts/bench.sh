#!/bin/sh
# Measures pprofc against `gzip -dc` and `go tool pprof` on inputs made from fixed seeds, and prints the tables of
# docs/BENCHMARKS.md.
#
#   scripts/bench.sh [--runs N] [--no-go] [--filter WORD] [--update]
#
# --runs N       runs of each command of which the median counts (default 5; those of Go run once)
# --no-go        leave `go tool pprof` out (it takes minutes)
# --filter WORD  only rows whose name has WORD in it
# --update       write the tables into docs/BENCHMARKS.md
set -eu
cd "$(dirname "$0")/.."

runs=5
with_go=yes
filter=
update=no
while [ $# -gt 0 ]; do
  case $1 in
    --runs) runs=$2; shift 2 ;;
    --no-go) with_go=no; shift ;;
    --filter) filter=$2; shift 2 ;;
    --update) update=yes; shift ;;
    *) sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 1 ;;
  esac
done

load=$(cut -d' ' -f1 /proc/loadavg) # of others: what is built below is not counted
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

# row NAME PACKED GO ARGUMENT...: one line of the table. Runs take turns with `gzip -dc PACKED` (a file, or several with
# blanks between). GO is yes when Go's time is wanted too.
row() {
  name=$1 packed=$2 go=$3
  shift 3
  case $name in *"$filter"*) ;; *) return 0 ;; esac
  # shellcheck disable=SC2086 # PACKED is a list
  "$measure" "$runs" "$pprofc" "$@" -- gzip -dc $packed >"$scratch/out" 2>/dev/null
  ours=$(sed -n 1p "$scratch/out") gzip=$(time_of "$(sed -n 2p "$scratch/out")")
  ours_time=$(time_of "$ours")
  theirs_time=- theirs_peak=- faster=- smaller=-
  if [ "$go" = yes ] && [ -n "$go_pprof" ]; then
    theirs=$("$measure" 1 "$go_pprof" "$@" 2>/dev/null)
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

raw_size() { gzip -dc "$1" | wc -c | awk '{ printf "%.0f", $1 / 1048576 }'; }

tables() {
  echo "Machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) processors," \
    "$(uname -s) $(uname -r | cut -d- -f1)"
  echo "Tools: $("$pprofc" -version 2>/dev/null | head -n 1), $(gzip --version | head -n 1)," \
    "$(if [ -n "$go_pprof" ]; then go version | cut -d' ' -f3,4; else echo 'no go'; fi)," \
    "$(cc --version | head -n 1)"
  echo "Command: scripts/bench.sh; medians of $runs runs, those of Go once"
  echo "Load of the machine before: $load (with much else going on, times say little: run it again)"

  for input in wide tree; do
    file=$data/$input.pb.gz old=$data/${input}2.pb.gz
    header "\`$input\` ($(raw_size "$file") MiB raw, $(($(wc -c <"$file") / 1048576)) MiB gzip'd)"
    row "-top" "$file" yes -top "$file"
    row "-top -diff_base" "$file $old" yes -top "-diff_base=$old" "$file"
    row "-top -cum -lines" "$file" no -top -cum -lines "$file"
    row "-tree" "$file" yes -tree "$file"
    row "-dot" "$file" yes -dot "$file"
    row "-peek" "$file" yes '-peek=call4217$' "$file"
    row "-traces" "$file" no -traces "$file"
    row "-raw" "$file" no -raw "$file"
    row "-tags" "$file" no -tags "$file"
    row "-proto" "$file" no -proto -output=/dev/null "$file"
    row "-speedscope" "$file" no -speedscope -output=/dev/null "$file"
    row "-top -focus" "$file" no -top '-focus=module7\.' "$file"
    row "-top -ignore" "$file" no -top '-ignore=module7\.' "$file"
    row "-top -hide" "$file" no -top '-hide=module7\.' "$file"
    row "-top -show" "$file" no -top '-show=module[1-5]\.' "$file"
    row "-top -show_from" "$file" no -top '-show_from=module7\.' "$file"
    row "-top -prune_from" "$file" no -top '-prune_from=module7\.' "$file"
    row "-top -noinlines" "$file" no -top -noinlines "$file"
    row "-top -files" "$file" no -top -files "$file"
    row "-top -addresses" "$file" no -top -addresses "$file"
    row "-top -tagfocus" "$file" no -top -tagfocus=thread=worker-1 "$file"
    row "-top -tagignore" "$file" no -top -tagignore=64kb: "$file"
    row "-top -tagshow" "$file" no -top -tagshow=thread "$file"
    row "-top -taghide" "$file" no -top -taghide=thread "$file"
    row "-top -tagroot" "$file" no -top -tagroot=thread "$file"
    row "-top -tagleaf" "$file" no -top -tagleaf=bytes "$file"
  done

  small=$data/small.pb.gz
  header "A profile of 50 KB, and 1,000 of them"
  row "-proto, merging 1,000" "$(echo "$data"/merge/*.pb.gz)" yes \
    -proto -output=/dev/null "$data"/merge/*.pb.gz
  runs=$((runs * 10))
  row "-top" "$small" yes -top "$small"
}

# The tables stand behind this line of the document.
mark='<!-- scripts/bench.sh --update writes what follows -->'
if [ "$update" = yes ]; then
  tables | tee "$scratch/tables"
  { sed "\|^$mark\$|q" docs/BENCHMARKS.md; echo; cat "$scratch/tables"; } >"$scratch/document"
  cp "$scratch/document" docs/BENCHMARKS.md
else
  tables
fi
