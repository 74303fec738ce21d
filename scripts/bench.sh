#!/bin/sh
# Measures pprofc, `gzip -dc`, libdeflate-gunzip, igzip and `go tool pprof` on inputs made from fixed seeds, and prints
# the table of docs/method/random_profiles.md.
#
#   scripts/bench.sh [--runs N] [--no-go] [--no-instructions] [--fleet N] [--data FOLDER] [--filter WORD] [--update]
#
# --runs N           runs of each command, default 3; the table has medians; commands of Go and of the fleet run once
# --no-go            do not run `go tool pprof`, which takes minutes
# --no-instructions  do not count the instructions of -top with perf or valgrind (valgrind takes three minutes)
# --fleet N          merge N files of the fleet (default 10000; 0: do not merge)
# --data FOLDER      folder of the inputs; creates missing inputs (default build/perf, where it also replaces old inputs)
# --filter WORD      print only the rows whose name contains WORD
# --update           write the table into docs/method/random_profiles.md
#
# The table names each missing program, and leaves its columns empty. Without Go, a run takes less than eight minutes on
# two processors, and three more if it creates the inputs.
set -eu
cd "$(dirname "$0")/.."
. scripts/lib.sh

runs=3
with_go=yes
with_instructions=yes
fleet=10000
data=
filter=
update=no
while [ $# -gt 0 ]; do
  case $1 in
    --runs | --fleet | --data | --filter) [ $# -ge 2 ] || die "$1 needs a value" ;;
  esac
  case $1 in
    --runs) runs=$2; shift 2 ;;
    --no-go) with_go=no; shift ;;
    --no-instructions) with_instructions=no; shift ;;
    --fleet) fleet=$2; shift 2 ;;
    --data) data=$2; shift 2 ;;
    --filter) filter=$2; shift 2 ;;
    --update) update=yes; shift ;;
    *) sed -n '2,17s/^# \{0,1\}//p' "$0"; exit 1 ;;
  esac
done
for number in "$runs" "$fleet"; do
  case $number in '' | *[!0-9]*) die "'$number' is no number" ;; esac
done
[ "$runs" -ge 1 ] || die "--runs is at least 1"

load=$(cut -d' ' -f1 /proc/loadavg) # load by other programs, before the build below
build=build/bench
cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DPPROFC_BUILD_TESTS=ON >/dev/null
cmake --build "$build" --parallel --target pprofc make_inputs measure >/dev/null
pprofc=$build/bin/pprofc
measure=$build/perf/measure

# ---- inputs ----------------------------------------------------------------------------------------------------------

inputs="golike golike2 tree tree2 wide wide2 wide-inline wide-inline2 deep deep2 cpu50k cpu50k2 small merge"
[ "$fleet" = 0 ] || inputs="$inputs fleet"

# is_there NAME: true if the input exists. In the default folder, an input older than its generator does not count.
is_there() {
  file=$data/$1.pb.gz
  case $1 in merge | fleet) file=$data/$1/00000.pb.gz ;; esac
  [ -e "$file" ] && { [ "$given" = yes ] || [ -z "$(find "$build/perf/make_inputs" -newer "$file")" ]; }
}

given=yes
[ -n "$data" ] || { data=build/perf given=no; }
mkdir -p "$data"
absent=
for input in $inputs; do is_there "$input" || absent="$absent $input"; done
# shellcheck disable=SC2086 # a list of names
[ -z "$absent" ] || "$build/perf/make_inputs" "$data" $absent

# ---- peers -----------------------------------------------------------------------------------------------------------

go_pprof=
if [ "$with_go" = yes ] && have go; then go_pprof=$(go tool -n pprof); fi
left_out=
for peer in libdeflate-gunzip igzip; do have "$peer" || left_out="$left_out $peer"; done
[ -n "$go_pprof" ] || left_out="$left_out go tool pprof"
if [ "$with_instructions" = no ]; then
  counter=none
elif perf stat -x, -e instructions:u true 2>&1 | grep -q '^[0-9]'; then
  counter=perf
elif have valgrind; then
  counter=valgrind
else
  counter=none left_out="$left_out instructions (neither counters nor valgrind)"
fi

# Ignore the user's settings.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
export HOME="$scratch" XDG_CONFIG_HOME="$scratch" PPROF_TMPDIR="$scratch"

# ---- one row ---------------------------------------------------------------------------------------------------------

# Prints the time in the output of measure, which is "SECONDS KIB STATUS". peak_of prints the peak.
time_of() { echo "$1" | awk '$3 == 0 { printf "%.4f", $1 } $3 != 0 { printf "failed" }'; }
peak_of() { echo "$1" | awk '{ printf "%.0f", $2 / 1024 }'; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { if (a + 0 && b + 0) printf "%.1f", a / b; else printf "-" }'; }

# instructions ARGUMENT...: prints how many million instructions pprofc executes.
instructions() {
  case $counter in
    perf) perf stat -x, -e instructions:u "$pprofc" "$@" 2>&1 >/dev/null | awk -F, '/instructions/ { printf "%.1f", $1 / 1e6 }' ;;
    valgrind)
      valgrind --tool=callgrind --callgrind-out-file=/dev/null "$pprofc" "$@" 2>&1 >/dev/null |
        awk '/refs:/ { gsub(",", "", $NF); printf "%.1f", $NF / 1e6 }'
      ;;
    *) printf -- - ;;
  esac
}

# peer PROGRAM FILE...: prints the median time of a program that only decompresses, or "-".
peer() {
  have "$1" || { printf -- -; return 0; }
  program=$1
  shift
  case $program in
    igzip) "$measure" "$runs" igzip -d -c "$@" ;;
    *) "$measure" "$runs" "$program" -c "$@" ;;
  esac >"$scratch/peer" 2>/dev/null
  time_of "$(cat "$scratch/peer")"
}

# row NAME PACKED BESIDE ARGUMENT...: prints one line of the table, for $input. Runs alternate with
# `gzip -dc PACKED` (one or more files). BESIDE is "peers" to also run Go and the other peers, "all"
# to also count instructions, else "-".
row() {
  name=$1 packed=$2 beside=$3
  shift 3
  case $name in *"$filter"*) ;; *) return 0 ;; esac
  # shellcheck disable=SC2086 # PACKED is a list
  "$measure" "$runs" "$pprofc" "$@" -- gzip -dc $packed >"$scratch/out" 2>/dev/null
  ours=$(sed -n 1p "$scratch/out") gzip=$(time_of "$(sed -n 2p "$scratch/out")")
  ours_time=$(time_of "$ours")
  theirs_time=- theirs_peak=- faster=- smaller=- libdeflate=- igzip=- count=-
  if [ "$beside" != - ]; then
    # shellcheck disable=SC2086
    libdeflate=$(peer libdeflate-gunzip $packed) igzip=$(peer igzip $packed)
  fi
  [ "$beside" != all ] || count=$(instructions "$@")
  if [ "$beside" != - ] && [ -n "$go_pprof" ]; then
    theirs=$("$measure" 1 "$go_pprof" "$@" 2>/dev/null)
    theirs_time=$(time_of "$theirs")
    theirs_peak=$(peak_of "$theirs")
    faster=$(ratio "$theirs_time" "$ours_time")
    smaller=$(ratio "$theirs_peak" "$(peak_of "$ours")")
  fi
  echo "| \`$input\` | $name | $ours_time | $(peak_of "$ours") | $count | $gzip | $(ratio "$gzip" "$ours_time") | $libdeflate | $igzip |" \
    "$theirs_time | $theirs_peak | $faster | $smaller |"
}

# size_of NAME: prints the sizes of an input for a sentence: raw and compressed.
size_of() {
  file=$data/$1.pb.gz
  echo "\`$1\` $(gzip -dc "$file" | wc -c | awk '{ printf "%.0f", $1 / 1048576 }') and" \
    "$(wc -c <"$file" | awk '{ printf "%.1f", $1 / 1048576 }')"
}

# ---- the table -------------------------------------------------------------------------------------------------------

# Prints the rows of a large input.
main_rows() {
  file=$data/$1.pb.gz old=$data/${1}2.pb.gz wanted=$runs
  row "-top" "$file" all -top "$file"
  # Run this command only once, because it takes half a minute: no call is below the cutoff.
  [ "$1" != wide-inline ] || runs=1
  row "-top -diff_base" "$file $old" peers -top "-diff_base=$old" "$file"
  runs=$wanted
  row "-top -noinlines" "$file" - -top -noinlines "$file"
  row "-tree" "$file" - -tree "$file"
  row "-peek" "$file" - '-peek=call249$' "$file"
  row "-tags" "$file" - -tags "$file"
  row "-top -focus" "$file" - -top '-focus=module7\.' "$file"
  row "-top -tagroot" "$file" - -top -tagroot=thread "$file"
}

# Prints more rows, for two of the large inputs.
more_rows() {
  row "-dot" "$file" - -dot "$file"
  row "-top -cum -lines" "$file" - -top -cum -lines "$file"
  row "-traces" "$file" - -traces "$file"
  row "-raw" "$file" - -raw "$file"
  row "-proto" "$file" - -proto -output=/dev/null "$file"
  row "-speedscope" "$file" - -speedscope -output=/dev/null "$file"
  row "-top -ignore" "$file" - -top '-ignore=module7\.' "$file"
  row "-top -hide" "$file" - -top '-hide=module7\.' "$file"
  row "-top -show" "$file" - -top '-show=module[1-5]\.' "$file"
  row "-top -show_from" "$file" - -top '-show_from=module7\.' "$file"
  row "-top -prune_from" "$file" - -top '-prune_from=module7\.' "$file"
  row "-top -files" "$file" - -top -files "$file"
  row "-top -addresses" "$file" - -top -addresses "$file"
  row "-top -tagfocus" "$file" - -top -tagfocus=thread=worker-1 "$file"
  row "-top -tagignore" "$file" - -top -tagignore=64kb: "$file"
  row "-top -tagshow" "$file" - -top -tagshow=thread "$file"
  row "-top -taghide" "$file" - -top -taghide=thread "$file"
  row "-top -tagleaf" "$file" - -top -tagleaf=bytes "$file"
}

# Prints rows of 50 KB profiles: one profile, measured from the start of the program to its end, and many profiles.
small_rows() {
  wanted=$runs
  input=merge
  row "-proto, merging 1,000" "$(echo "$data"/merge/*.pb.gz)" peers -proto -output=/dev/null "$data"/merge/*.pb.gz
  runs=$((wanted * 20))
  for input in small cpu50k; do
    row "-top" "$data/$input.pb.gz" all -top "$data/$input.pb.gz"
  done
  row "-top -diff_base" "$data/cpu50k.pb.gz $data/cpu50k2.pb.gz" all \
    -top "-diff_base=$data/cpu50k2.pb.gz" "$data/cpu50k.pb.gz"
  runs=$wanted
}

# Prints the row of the fleet's files, and then a row for the difference between their second half and first half.
fleet_rows() {
  wanted=$runs runs=1
  set --
  for file in "$data"/fleet/*.pb.gz; do
    [ $# -lt "$fleet" ] || break
    set -- "$@" "$file"
  done
  packed=$*
  input=fleet
  row "-top, $# profiles, one run" "$packed" - -top "$@"
  half=$(($# / 2)) at=0
  for file in $packed; do
    at=$((at + 1))
    shift
    if [ $at -gt $half ]; then set -- "$@" "$file"; else set -- "$@" "-diff_base=$file"; fi
  done
  row "-top -diff_base, second half against first, one run" "$packed" - -top "$@"
  runs=$wanted
}

table() {
  echo "- Machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) processors," \
    "$(uname -s) $(uname -r | cut -d- -f1)"
  echo "- Programs: $("$pprofc" -version 2>/dev/null | head -n 1), $(gzip --version | head -n 1)," \
    "$(if [ -n "$go_pprof" ]; then go version | cut -d' ' -f3,4; else echo 'no go'; fi)"
  echo "- Compiler: $(cc --version | head -n 1)"
  [ -z "$left_out" ] || echo "- Missing:$left_out"
  echo "- Command: scripts/bench.sh, $(date -u +%Y-%m-%d)"
  echo "- Times: medians of $runs runs; go ran once"
  echo "- Instructions: by $counter"
  echo "- Load of the machine before: $load (a high load makes times too long)"
  sizes=
  for input in wide tree golike wide-inline deep; do sizes="$sizes${sizes:+, }$(size_of "$input")"; done
  echo "- Sizes in MiB, unpacked and gzip'd: $sizes" | fold -s -w 98 | sed 's/ *$//; 2,$s/^/  /'
  echo
  echo "| input | command | s | MiB | million instructions | gzip -dc s | gzip / pprofc | libdeflate-gunzip s | igzip s |" \
    "go s | go MiB | times faster | times smaller |"
  echo "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
  for input in wide tree; do
    main_rows "$input"
    more_rows
  done
  for input in golike wide-inline deep; do main_rows "$input"; done
  small_rows
  [ "$fleet" = 0 ] || fleet_rows
}

# The table follows this line of the document.
mark='<!-- scripts/bench.sh --update writes what follows -->'
if [ "$update" = yes ]; then
  table | tee "$scratch/table"
  { sed "\|^$mark\$|q" docs/method/random_profiles.md; echo; cat "$scratch/table"; } >"$scratch/document"
  cp "$scratch/document" docs/method/random_profiles.md
else
  table
fi
