#!/bin/sh
# Measures pprofc on profiles that programs wrote, beside `gzip -dc` and the peers that are installed, and prints one table.
#
#   scripts/bench_real.sh [--runs N] [--data FOLDER] [--bin FOLDER]
#
# --runs N       runs of each command, in turns; the median counts (default 3)
# --data FOLDER  where the inputs are; missing ones are recorded (default build/real; three minutes)
# --bin FOLDER   programs to measure (default: the ones of a release build in build/bench)
#
# Inputs: heap and CPU profiles of the Go compiler while it builds net/http (needs go), a CPU profile of node, and `perf script` of
# a C program (needs perf). Peers: google/pprof (go tool pprof), inferno-collapse-perf, inferno-flamegraph, stackcollapse-perf.pl,
# flamegraph.pl. A program that is missing is named and its rows are left out.
set -eu
cd "$(dirname "$0")/.."
. scripts/lib.sh

runs=3
data=build/real
bin=
while [ $# -gt 0 ]; do
  [ $# -ge 2 ] || { sed -n '2,12s/^# \{0,1\}//p' "$0"; exit 1; }
  case $1 in
    --runs) runs=$2 ;;
    --data) data=$2 ;;
    --bin) bin=$2 ;;
    *) sed -n '2,12s/^# \{0,1\}//p' "$0"; exit 1 ;;
  esac
  shift 2
done
case $runs in '' | *[!0-9]* | 0) die "--runs needs a number above 0, not '$runs'" ;; esac

if [ -z "$bin" ]; then
  cmake -S . -B build/bench -DCMAKE_BUILD_TYPE=Release >/dev/null
  cmake --build build/bench -j "$(processors)" >/dev/null
  bin=build/bench/bin
fi
pprofc=$bin/pprofc
[ -x "$pprofc" ] || die "'$pprofc' is not a program"
mkdir -p "$data"
data=$(cd "$data" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
measure=$scratch/measure
"${CC:-cc}" -O2 -o "$measure" tests/perf/measure.c

# ---- inputs ----------------------------------------------------------------------------------------------------------

# record_go NAME FLAGS: builds net/http, of which each compiler writes a profile to FOLDER/NAME.
record_go() {
  mkdir -p "$scratch/go" "$scratch/$1"
  printf 'module recorded\ngo 1.20\n' >"$scratch/go/go.mod"
  printf 'package main\n\nimport _ "net/http"\n\nfunc main() {}\n' >"$scratch/go/main.go"
  cat >"$scratch/tool" <<END
#!/bin/sh
tool=\$1
shift
case "\${tool##*/} \$*" in
*-V=full*) ;;
compile*) exec "\$tool" $2 "\$@" ;;
esac
exec "\$tool" "\$@"
END
  chmod +x "$scratch/tool"
  (cd "$scratch/go" && GOCACHE=$scratch/cache go build -a -toolexec "$scratch/tool" -o "$scratch/built" .) >"$scratch/log" 2>&1 ||
    { tail -n 5 "$scratch/log" >&2; die "go cannot build net/http"; }
}

if have go; then
  if [ ! -s "$data/heap.pb.gz" ]; then
    say "recording heap profiles of the Go compiler"
    record_go heap "-memprofile=$scratch/heap -memprofilerate=64"
    mkdir -p "$data/heaps"
    cp "$scratch"/heap/* "$data/heaps/"
    "$pprofc" -symbolize=none -proto -output="$data/heap.pb.gz" "$data"/heaps/* 2>/dev/null
  fi
  if [ ! -s "$data/heap_one.pb.gz" ]; then
    cp "$data/heaps/runtime.memprof" "$data/heap_one.pb.gz" || die "no heap profile of package runtime in '$data/heaps'"
  fi
  if [ ! -s "$data/cpu.pb.gz" ]; then
    say "recording CPU profiles of the Go compiler"
    record_go cpu "-cpuprofile=$scratch/cpu/\$\$.cpuprof"
    "$pprofc" -symbolize=none -proto -output="$data/cpu.pb.gz" "$scratch"/cpu/* 2>/dev/null
  fi
else
  say "go is missing: no profiles of the Go compiler"
fi
if [ ! -s "$data/node.cpuprofile" ] && have node; then
  say "recording node"
  mkdir -p "$scratch/node"
  node --cpu-prof --cpu-prof-interval 100 --cpu-prof-dir "$scratch/node" -e \
    'const rows = []; for (let i = 0; i < 400000; i++) rows.push({ key: String(i * 7919 % 400000), value: i });
     for (let i = 0; i < 8; i++) JSON.parse(JSON.stringify(rows)).sort((a, b) => a.key.localeCompare(b.key));'
  cp "$scratch"/node/*.cpuprofile "$data/node.cpuprofile"
fi
if [ ! -s "$data/perf.txt" ] && have perf; then
  say "recording gzip by perf"
  head -c 300000000 /dev/zero | od -An -tx4 >"$scratch/text" || true
  if perf record -q -F 20000 -g -e cpu-clock -o "$scratch/perf.data" gzip -9 -c "$scratch/text" >/dev/null 2>"$scratch/log"; then
    perf script -i "$scratch/perf.data" >"$data/perf.txt" 2>/dev/null
  else
    say "perf cannot record here: $(tail -n 1 "$scratch/log")"
  fi
fi
have perf || [ -s "$data/perf.txt" ] || say "perf is missing: no perf script"

# ---- the table -------------------------------------------------------------------------------------------------------

# row NAME INPUT RAW ARGUMENTS...: one line, in turns with the command in $peer, which may be empty.
row() {
  row_name=$1 row_input=$2 row_raw=$3
  shift 3
  if [ -n "$peer" ]; then
    "$measure" "$runs" "$pprofc" -symbolize=none -output="$scratch/out" "$@" "$row_input" -- sh -c "$peer" sh "$row_input" >"$scratch/times" 2>/dev/null
  else
    "$measure" "$runs" "$pprofc" -symbolize=none -output="$scratch/out" "$@" "$row_input" >"$scratch/times" 2>/dev/null
  fi
  awk -v name="$row_name" -v raw="$row_raw" -v peer="${peer_name:--}" '
    { seconds[NR] = $1; mib[NR] = $2 / 1024; if ($3 != 0) failed = 1 }
    END {
      if (failed || !NR) { printf "| %s | failed | | | | | |\n", name; exit }
      printf "| %s | %.3f | %.0f | %.2f | %s |", name, seconds[1], mib[1], mib[1] * 1048576 / raw, peer
      if (NR > 1) printf " %.3f | %.2f |\n", seconds[2], seconds[1] / seconds[2]; else printf " | |\n"
    }' "$scratch/times"
}

# Makes `gzip -dc` the peer of the next rows.
gzip_peer() {
  peer_name="gzip -dc"
  # shellcheck disable=SC2016  # the shell that runs the peer expands it
  peer='gzip -dc "$1" >/dev/null'
}

say "$("$pprofc" -version | head -n 1); $(gzip --version | head -n 1)$(have go && printf '; %s' "$(go version | cut -d' ' -f3,4)")"
say "load of the machine: $(cut -d' ' -f1 /proc/loadavg) (with much else going on, times say little)"
echo "| work | s | MiB | of the raw size | peer | s | ratio |"
echo "|---|---:|---:|---:|---|---:|---:|"
for input in heap heap_one cpu; do
  [ -s "$data/$input.pb.gz" ] || continue
  size=$(gzip -dc "$data/$input.pb.gz" | wc -c)
  gzip_peer
  for report in -top -tree -peek=main -dot -callgrind -flame -folded -speedscope "-top -diff_base=$data/heap_one.pb.gz"; do
    case "$input $report" in cpu*diff_base*) continue ;; esac
    # shellcheck disable=SC2086  # a report may have two words
    row "$input: ${report%%=*}" "$data/$input.pb.gz" "$size" $report
  done
  if have go; then
    peer_name="go tool pprof"
    # shellcheck disable=SC2016
    peer='go tool pprof -symbolize=none -top "$1" >/dev/null'
    runs_before=$runs runs=1
    row "$input: -top" "$data/$input.pb.gz" "$size" -top
    runs=$runs_before
  fi
done
if [ -s "$data/node.cpuprofile" ]; then
  peer= peer_name=
  row "node: -top" "$data/node.cpuprofile" "$(wc -c <"$data/node.cpuprofile")" -top
fi
if [ -s "$data/perf.txt" ]; then
  size=$(wc -c <"$data/perf.txt")
  peer= peer_name=
  for program in inferno-collapse-perf stackcollapse-perf.pl; do
    have "$program" || { say "$program is missing"; continue; }
    peer_name=$program
    peer="$program \"\$1\" >/dev/null"
  done
  row "perf script: -folded" "$data/perf.txt" "$size" -folded
  "$pprofc" -symbolize=none -folded -output="$scratch/folded" "$data/perf.txt" 2>/dev/null
  peer= peer_name=
  for program in inferno-flamegraph flamegraph.pl; do
    have "$program" || { say "$program is missing"; continue; }
    peer_name=$program
    peer="$program \"\$1\" >/dev/null"
  done
  row "folded: -flamegraph" "$scratch/folded" "$(wc -c <"$scratch/folded")" -flamegraph
fi
