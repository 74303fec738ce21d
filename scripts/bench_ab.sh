#!/bin/sh
# Compares the benchmarks of two programs. Runs both in turns, in random order, one process per round. The gate then
# tests the medians of the rounds. Ten rounds of one process are better than one process with -count=10, because
# differences between starts of a process are then part of the noise.
set -eu

usage() {
  cat <<'EOF'
usage: scripts/bench_ab.sh [-rounds N] [-profile-runs N] [-o DIR] [-seed N] -base CMD -head CMD [-- GATE FLAGS]
       scripts/bench_ab.sh -aa [-rounds N] [-o DIR] [-seed N] -base CMD

  -base CMD, -head CMD   shell commands that print benchmark results, as `./old.test -test.bench .`
  -rounds N              processes a side (10); the gate tests medians of rounds from 4 on
  -o DIR                 where base.txt and head.txt are written, or base/ and head/ with a file a round when the commands print JSON
                         (a new folder under the current one: bench_ab)
  -profile-runs N        then so many profiles of CPU and memory a side of each benchmark, in turns, of equal work (5); 0: none. They need
                         commands that run a Go test program (its folder, its program, -test.bench and other flags); -o has them in
                         runs/NAME_cpu and runs/NAME_mem, which `pprofc -noise -diff_base=DIR/base DIR/head` takes as they are
  -seed N                order of the runs (from the clock)
  -aa                    run base against itself: prints the machine's noise floor and a threshold per benchmark

The exit status is that of parse_bench_regressions: 0 pass, 2 regression, 1 no result, 3 doubts with -strict; with -aa 3
when two runs of the same program would have failed.
EOF
}

fail() {
  echo "bench_ab.sh: $1" >&2
  exit 1
}

rounds=10 base='' head='' out=bench_ab seed='' aa=no profile_runs=''
while [ $# -gt 0 ]; do
  case "$1" in
  -h | -help | --help) usage; exit 0 ;;
  -aa) aa=yes; shift; continue ;;
  --) shift; break ;;
  -rounds | -profile-runs | -base | -head | -o | -seed) [ $# -ge 2 ] || fail "$1 needs a value" ;;
  *) usage >&2; exit 1 ;;
  esac
  case "$1" in
  -rounds) rounds=$2 ;;
  -profile-runs) profile_runs=${2:-none} ;;
  -base) base=$2 ;;
  -head) head=$2 ;;
  -o) out=$2 ;;
  -seed) seed=$2 ;;
  esac
  shift 2
done
case "$rounds" in '' | *[!0-9]* | 0*) fail "-rounds must be a whole number from 1 up, not '$rounds'" ;; esac
case "$profile_runs" in *[!0-9]*) fail "-profile-runs must be a whole number, not '$profile_runs'" ;; esac
case "$seed" in *[!0-9]*) fail "-seed must be a whole number, not '$seed'" ;; esac
[ -n "$base" ] || fail "-base is missing; -help tells more"
[ "$aa" = no ] || { [ -z "$head" ] || fail "-aa compares base with itself; leave -head out"; head=$base; }
[ -n "$head" ] || fail "-head is missing; -help tells more"
[ -n "$seed" ] || seed=$(date +%s)

case "$out" in -*) out=./$out ;; esac # so that the name is not an option
mkdir -p "$out"
: >"$out/base.txt"
: >"$out/head.txt"
rm -f "$out"/base/[0-9]*.json "$out"/head/[0-9]*.json # files of an earlier comparison
rmdir "$out/base" "$out/head" 2>/dev/null || :

# Runs one process. Appends text output to one file, after the number of its round. Writes JSON
# output to a separate file in a folder. If the process fails, keeps its output and ends the script.
run() {
  status=0
  sh -c -- "$2" >"$out/.round" || status=$?
  case "$(head -c 1 "$out/.round")" in
  '{' | '[')
    mkdir -p "$out/$1"
    mv "$out/.round" "$out/$1/$(printf %04d "$3").json"
    ;;
  *)
    { echo "round: $3"; cat "$out/.round"; } >>"$out/$1.txt"
    rm -f "$out/.round"
    ;;
  esac
  [ $status = 0 ] || fail "round $3: the $1 command failed with status $status"
}

# Prints the path of the results of base or head: a folder of JSON files, or a text file.
results() {
  if [ -d "$out/$1" ]; then echo "$out/$1"; else echo "$out/$1.txt"; fi
}

# For each round, 0 or 1 at random, which selects the program that runs first.
order=$(awk -v n="$rounds" -v seed="$seed" 'BEGIN { srand(seed); for (i = 0; i < n; i++) print int(rand() * 2) }')
round=0
for first in $order; do
  round=$((round + 1))
  echo "round $round of $rounds" >&2
  if [ "$first" = 0 ]; then
    run base "$base" $round
    run head "$head" $round
  else
    run head "$head" $round
    run base "$base" $round
  fi
done

# ---- profiles: apart from the rounds, since profiling costs time -----------------------------------------------------

# Prints why the commands cannot write profiles. Prints nothing if they can.
no_profiles() {
  for command in "$base" "$head"; do
    case "$command" in
    *-test.bench*) ;;
    *) echo "'$command' does not run a Go test program (-test.bench)"; return ;;
    esac
    case "$command" in *[\;\|\&\<\>\#]*) echo "'$command' is more than one program with its arguments"; return ;; esac
  done
}

# Prints "NAME N NANOSECONDS" for each benchmark that base and head have. N is the number of iterations that take the
# benchmark time (default 1 s), by the median of the rounds.
plan() {
  awk -v command="$base" '
    function median(list, n, words, i, j, t) {
      n = split(list, words, " ")
      for (i = 2; i <= n; i++) for (j = i; j > 1 && words[j - 1] + 0 > words[j] + 0; j--) { t = words[j]; words[j] = words[j - 1]; words[j - 1] = t }
      return n % 2 ? words[(n + 1) / 2] : (words[n / 2] + words[n / 2 + 1]) / 2
    }
    BEGIN {
      time = 1e9
      if (match(command, /-test\.benchtime[= ][0-9.]+(x|ns|us|ms|s|m|h)/)) {
        asked = substr(command, RSTART + 16, RLENGTH - 16)
        if (asked ~ /x$/) fixed = asked + 0
        scale["ns"] = 1; scale["us"] = 1e3; scale["ms"] = 1e6; scale["s"] = 1e9; scale["m"] = 6e10; scale["h"] = 3.6e12
        unit = asked; sub(/^[0-9.]+/, "", unit)
        if (unit in scale) time = asked * scale[unit]
      }
    }
    FNR == 1 { side++ }
    $1 ~ /^Benchmark/ && $4 == "ns/op" && $3 > 0 {
      if (side == 1 && !($1 in took)) order[++count] = $1
      if (side == 1) took[$1] = took[$1] " " $3; else other[$1] = other[$1] " " $3
    }
    END {
      for (i = 1; i <= count; i++) {
        name = order[i]
        if (!(name in other)) continue
        fast = median(took[name]); slow = median(other[name])
        n = fixed ? fixed : time / fast
        if (!fixed && n * slow > 10 * time) n = 10 * time / slow
        printf "%s %.0f %.0f\n", name, n < 1 ? 1 : n, fast + slow
      }
    }' "$out/base.txt" "$out/head.txt"
}

# Prints the expression that matches exactly one benchmark. Removes the number of processors that Go appends to a name.
expression() {
  cpus=$(sed -n 's/.*-test\.cpu[= ]\([0-9][0-9]*\)\( .*\)\{0,1\}$/\1/p' <<END
$base
END
)
  name=$1
  [ "$cpus" = 1 ] || name=${name%-[0-9]*}
  printf '%s\n' "$name" | sed 's/[][\\.*+?(){}|^$]/\\&/g; s:/:$/^:g; s/^/^/; s/$/$/'
}

# Runs one benchmark of base or head once with profiles. Its output is the result of the run.
profile() { # SIDE COMMAND NAME N RUN FOLDER
  for kind in cpu mem; do mkdir -p "$out/runs/$6_$kind/$1"; done
  status=0
  bench=$(expression "$3") into=$out/runs/$6
  case "$into" in /*) ;; *) into=$PWD/$into ;; esac
  AB_BENCH=$bench AB_INTO=$into sh -c "$2"' "-test.bench=$AB_BENCH" -test.run=^$ -test.benchmem -test.count=1 -test.benchtime='"$4"'x \
    "-test.cpuprofile=${AB_INTO}_cpu/'"$1/run$5"'.pb.gz" "-test.memprofile=${AB_INTO}_mem/'"$1/run$5"'.pb.gz"' >"$out/.printed" || status=$?
  [ $status = 0 ] || fail "run $5 of $3: the $1 command failed with status $status"
  for kind in cpu mem; do cat "$out/.printed" >>"$out/runs/$6_$kind/$1.txt"; done
  rm -f "$out/.printed"
}

if [ "$aa" = no ] && [ "${profile_runs:-5}" != 0 ]; then
  why=$(no_profiles)
  if [ -n "$why" ]; then
    [ -z "$profile_runs" ] || fail "cannot profile: $why"
    echo "no profiles: $why" >&2
  else
    profile_runs=${profile_runs:-5}
    plan >"$out/.plan"
    trap 'rm -f "$out/.plan" "$out/.printed"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    awk -v runs="$profile_runs" '{ s += $2 * $3 / 1e9 * runs } END { printf "profiling %d benchmarks, %d runs of each version: about %.0f s\n", NR, runs, s + 0.5 }' "$out/.plan" >&2
    while read -r name n _; do
      folder=$(printf '%s\n' "${name#Benchmark}" | sed 's/[^A-Za-z0-9.=-]/_/g' | cut -c 1-120)
      rm -rf "$out/runs/${folder}_cpu" "$out/runs/${folder}_mem" # files of an earlier comparison
      i=0
      while [ "$i" -lt "$profile_runs" ]; do
        i=$((i + 1))
        profile base "$base" "$name" "$n" $i "$folder" </dev/null
        profile head "$head" "$name" "$n" $i "$folder" </dev/null
      done
      echo "profiled $name: pprofc -blame -diff_base=$out/runs/${folder}_cpu/base $out/runs/${folder}_cpu/head" >&2
    done <"$out/.plan"
    rm -f "$out/.plan"
    trap - EXIT INT TERM
  fi
fi

[ "$aa" = no ] || set -- -aa "$@"
exec "$(dirname "$0")/parse_bench_regressions.sh" "$@" -base "$(results base)" -head "$(results head)"
