#!/bin/sh
# Measures pprofc, `gzip -dc` and other programs for the same work on profiles from real programs. Prints one table.
#
#   scripts/bench_real.sh [--runs N] [--data FOLDER] [--bin FOLDER] [--peers] [--update]
#
# --runs N       runs of each command, in alternation (default 3)
# --data FOLDER  folder of the inputs; records missing inputs, which takes some minutes (default build/real)
# --bin FOLDER   folder of the programs to measure (default: of a release build in build/bench)
# --peers        install other programs into the folder bin of the inputs: google/pprof with go, inferno with cargo
# --update       write the table into docs/BENCHMARKS.md
#
# The inputs are heap and CPU profiles of the Go compiler while it builds net/http (needs go), its `perf script` and the one of pprofc, a C
# program (need perf), a CPU profile of node, a profile of Python, and a recording of Java by async-profiler, or else by the JDK; and the
# heap profile as OTLP, speedscope and folded stacks. The other programs are google/pprof, inferno-collapse-perf, inferno-flamegraph,
# stackcollapse-perf.pl and flamegraph.pl. Missing programs are named.
#
# Wall time is the median of the runs. CPU time is the minimum of user plus system time, which other programs hardly affect.
set -eu
cd "$(dirname "$0")/.."
. scripts/lib.sh

usage() {
  sed -n '2,17s/^# \{0,1\}//p' "$0"
  exit 1
}

runs=3
data=build/real
bin=
peers=no
update=no
while [ $# -gt 0 ]; do
  case $1 in
    --peers) peers=yes; shift; continue ;;
    --update) update=yes; shift; continue ;;
    --runs | --data | --bin) [ $# -ge 2 ] || usage ;;
    *) usage ;;
  esac
  case $1 in
    --runs) runs=$2 ;;
    --data) data=$2 ;;
    --bin) bin=$2 ;;
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

PATH=$data/bin:$PATH
if [ "$peers" = yes ]; then
  if have go && ! have "$data/bin/pprof"; then
    say "installing google/pprof"
    GOBIN=$data/bin go install github.com/google/pprof@latest || say "google/pprof cannot be installed"
  fi
  if have cargo && ! have inferno-flamegraph; then
    say "installing inferno"
    cargo install -q --root "$data" inferno || say "inferno cannot be installed"
  fi
fi

# ---- inputs ----------------------------------------------------------------------------------------------------------

# record_go NAME FLAGS: builds net/http. Each compiler process writes a profile to FOLDER/NAME.
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
if [ ! -s "$data/perf.txt" ] && have perf && have go; then
  say "recording the Go compiler by perf"
  printf 'module recorded\ngo 1.20\n' >"$scratch/go.mod"
  if (cd "$scratch" && GOCACHE=$scratch/perf_cache perf record -q -F 2000 -g -e cpu-clock -o "$scratch/perf.data" \
    go build -a net/http) >/dev/null 2>"$scratch/log"; then
    perf script -i "$scratch/perf.data" >"$data/perf.txt" 2>/dev/null
  else
    say "perf cannot record here: $(tail -n 1 "$scratch/log")"
  fi
fi
[ -s "$data/perf.txt" ] || say "perf or go is missing: no perf script"
if [ ! -s "$data/perf_c.txt" ] && have perf && [ -s "$data/heap.pb.gz" ]; then
  say "recording pprofc by perf"
  perf record -q -F 2000 --call-graph dwarf -e cpu-clock -o "$scratch/perf_c.data" "$pprofc" -symbolize=none -flame \
    -output="$scratch/out" "$data/heap.pb.gz" >/dev/null 2>&1 && perf script -i "$scratch/perf_c.data" >"$data/perf_c.txt" 2>/dev/null ||
    say "perf cannot record pprofc"
fi
if [ ! -s "$data/java.jfr" ] && have java; then
  say "recording java"
  cat >"$scratch/Program.java" <<'END'
import java.util.*;
public class Program {
  public static void main(String[] arguments) {
    for (int round = 0; round < 20; round++) {
      Map<String, Integer> counts = new TreeMap<>();
      for (int i = 0; i < 300000; i++) counts.merge(String.valueOf((long) i * 7919 % 100003), i, Integer::sum);
      System.out.println(counts.values().stream().mapToLong(Integer::longValue).sum());
    }
  }
}
END
  recorder=-XX:StartFlightRecording=settings=profile,filename=$data/java.jfr
  library=$(readlink -f "$(command -v asprof || :)" | sed 's|/bin/asprof$|/lib/libasyncProfiler.so|')
  [ ! -s "$library" ] || recorder=-agentpath:$library=start,event=itimer,file=$data/java.jfr
  java "$recorder" "$scratch/Program.java" >/dev/null 2>&1 || say "java cannot record here"
fi
if [ ! -s "$data/python.pstats" ] && have python3; then
  say "recording python"
  cat >"$scratch/program.py" <<'END'
import email, http.client, json, re, unittest.mock
for i in range(20):
    rows = json.loads(json.dumps([{"key": str(k), "value": k} for k in range(5000)]))
    sorted(rows, key=lambda row: re.sub("[0-9]", "x", row["key"]))
END
  python3 -m cProfile -o "$data/python.pstats" "$scratch/program.py" >/dev/null
fi
if [ -s "$data/heap.pb.gz" ] && [ ! -s "$data/heap.folded" ]; then
  for format in otlp speedscope folded; do
    "$pprofc" -symbolize=none "-$format" -output="$data/heap.$format" "$data/heap.pb.gz" 2>/dev/null
  done
fi

# ---- the table -------------------------------------------------------------------------------------------------------

# row NAME INPUT RAW ARGUMENTS...: prints one row. Alternates pprofc with the command in $peer, which may be empty.
row() {
  row_name=$1 row_input=$2 row_raw=$3
  shift 3
  if [ -n "$peer" ]; then
    "$measure" "$runs" "$pprofc" -symbolize=none -output="$scratch/out" "$@" "$row_input" -- sh -c "$peer" sh "$row_input" >"$scratch/times" 2>/dev/null
  else
    "$measure" "$runs" "$pprofc" -symbolize=none -output="$scratch/out" "$@" "$row_input" >"$scratch/times" 2>/dev/null
  fi
  awk -v name="$row_name" -v raw="$row_raw" -v peer="${peer_name:--}" '
    { wall[NR] = $1; cpu[NR] = $4; mib[NR] = $2 / 1024; if ($3 != 0) failed = 1 }
    END {
      if (failed || !NR) { printf "| %s | failed | | | | | | | | | |\n", name; exit }
      printf "| %s | %.3f | %.3f | %.0f | %.2f | %s |", name, wall[1], cpu[1], mib[1], mib[1] * 1048576 / raw, peer
      if (NR > 1) printf " %.3f | %.3f | %.0f | %.2f | %.2f |\n", wall[2], cpu[2], mib[2], wall[1] / wall[2], cpu[1] / cpu[2]
      else printf " | | | | |\n"
    }' "$scratch/times"
}

no_peer() {
  peer='' peer_name=''
}

# Sets the peer of the next rows to the first of these programs that is installed.
peer_of() {
  no_peer
  for program in "$@"; do
    [ -z "$peer" ] && have "$program" || continue
    peer_name=$program
    # shellcheck disable=SC2016  # the shell that runs the peer expands it
    peer="$program "'"$1" >/dev/null'
  done
}

# amount BYTES: prints a size in MB or kB.
amount() {
  if [ "$1" -ge 1000000 ]; then echo "$(($1 / 1000000)) MB"; else echo "$(($1 / 1000)) kB"; fi
}

heap_rows() {
  for input in heap heap_one cpu; do
    [ -s "$data/$input.pb.gz" ] || continue
    size=$(gzip -dc "$data/$input.pb.gz" | wc -c)
    # shellcheck disable=SC2016
    peer_name='gzip -dc' peer='gzip -dc "$1" >/dev/null'
    for report in -top -list=gc -tree -peek=main -dot -callgrind -tags -flame -folded -speedscope \
      "-top -diff_base=$data/heap_one.pb.gz" "-top -base=$data/heap_one.pb.gz" "-top -noise -diff_base=$data/heap_one.pb.gz"; do
      case $report in -top) ;; *) [ "$size" -ge 1000000 ] || continue ;; esac # a small profile takes too little time to measure
      # shellcheck disable=SC2086  # a report may have two words
      row "$input, $(amount "$size"): ${report%%=*}" "$data/$input.pb.gz" "$size" $report
    done
    peer_name='google/pprof' peer=
    # shellcheck disable=SC2016
    if have "$data/bin/pprof"; then
      peer="$data/bin/pprof"' -symbolize=none -top "$1" >/dev/null'
    elif have go; then
      peer='go tool pprof -symbolize=none -top "$1" >/dev/null'
    fi
    runs_before=$runs runs=1
    [ -z "$peer" ] || row "$input, $(amount "$size"): -top" "$data/$input.pb.gz" "$size" -top
    runs=$runs_before
  done
}

# merge_row FIRST OTHERS...: prints a row for adding up these heap profiles.
merge_row() {
  [ -s "$1" ] || return 0
  merge_count=$# merge_first=$1 size=$(cat "$@" | gzip -dc | wc -c)
  shift
  peer_name='google/pprof' peer="'$data/bin/pprof' -symbolize=none -proto '$data'/heaps/* >/dev/null"
  have "$data/bin/pprof" || no_peer
  runs_before=$runs runs=1
  row "$merge_count heap profiles, $(amount "$size"): -proto" "$merge_first" "$size" -proto "$@"
  runs=$runs_before
}

# file_row NAME FILE ARGUMENTS...: prints a row if the file exists.
file_row() {
  file_name=$1 file=$2
  shift 2
  [ -s "$file" ] || return 0
  size=$(wc -c <"$file")
  row "$file_name, $(amount "$size"): $1" "$file" "$size" "$@"
}

other_rows() {
  merge_row "$data"/heaps/*
  no_peer
  file_row OTLP "$data/heap.otlp" -top
  file_row speedscope "$data/heap.speedscope" -top
  file_row node "$data/node.cpuprofile" -top
  file_row Python "$data/python.pstats" -top
  file_row Java "$data/java.jfr" -top
  peer_of inferno-collapse-perf stackcollapse-perf.pl
  file_row 'perf script' "$data/perf.txt" -folded
  file_row 'perf script of a C program' "$data/perf_c.txt" -folded
  peer_of inferno-flamegraph flamegraph.pl
  file_row 'folded stacks' "$data/heap.folded" -flamegraph
}

versions() {
  echo "- Programs: $("$pprofc" -version | head -n 1), $(gzip --version | head -n 1)$(have go && printf ', %s' "$(go version | cut -d' ' -f3,4)")$(
    [ -s "$data/.crates.toml" ] && sed -n 's/^"\(inferno\) \([0-9.]*\).*/, \1 \2/p' "$data/.crates.toml")"
  echo "- Command: scripts/bench_real.sh, $(date -u +%Y-%m-%d); medians (s), minima (CPU s) of $runs runs (pprof: 1)"
  echo "- Load of the machine before: $(cut -d' ' -f1 /proc/loadavg)"
}

table() {
  versions
  echo
  echo "| work | s | CPU s | MiB | of the input's size | peer | s | CPU s | MiB | ratio of s | of CPU s |"
  echo "|---|---:|---:|---:|---:|---|---:|---:|---:|---:|---:|"
  heap_rows
  other_rows
}

begin='<!-- scripts/bench_real.sh --update writes what follows -->'
end='<!-- the table of recorded profiles ends here -->'
if [ "$update" = yes ]; then
  table | tee "$scratch/table"
  {
    sed "\|^$begin\$|q" docs/BENCHMARKS.md
    echo
    cat "$scratch/table"
    echo
    sed -n "\|^$end\$|,\$p" docs/BENCHMARKS.md
  } >"$scratch/document"
  cp "$scratch/document" docs/BENCHMARKS.md
else
  table
fi
