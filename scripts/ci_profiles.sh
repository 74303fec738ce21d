#!/usr/bin/env bash
# The artifacts of a pull request: for every pair of profiles the tables and flame graphs of base, head and their
# difference, one page to read them on, a summary, and the verdict of the benchmarks.
#
#   scripts/ci_profiles.sh                                     the bundled generator profiles
#   scripts/ci_profiles.sh -base DIR -head DIR [-out DIR] [-bench-base FILE -bench-head FILE]
#   scripts/ci_profiles.sh -record ./pkg/... -base-ref main    runs the Go benchmarks of both commits itself
#   scripts/ci_profiles.sh -simulate-base CMD -simulate-head CMD   counts the instructions of two programs
#
# Without any base (a first run) there is a page without a comparison. See docs/CI.md. Exit status: that of the gate
# (0 pass, 2 regression, 1 failed), with -no-fail 0 or 1.
set -euo pipefail # so no pipe ends in "grep -q", which leaves before all is written and makes the writer fail
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")

usage() {
  sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p}' "$0"
  cat <<'END'
Options:
  -base DIR, -head DIR   folders of profiles, in any format that pprofc reads; equal names are pairs
  -pair BASE HEAD        two profiles that are a pair whatever their names; may be repeated
  -bench-base FILE, -bench-head FILE   benchmark results to compare and gate
  -out DIR               where artifacts go (.docs/artifacts/ci); benchmark tables go beside it, into benchdiff
  -threshold PERCENT     of the gate (THRESHOLD_PERCENT, else 5)
  -no-fail               a regression does not fail the script
Recording Go benchmarks:
  -record PACKAGES       run the benchmarks of Go packages at -base-ref and here; blanks separate packages
  -base-ref REF          the commit to compare with (default: the merge base with origin/main or main)
  -count N               how often each side is measured, in turns (10)
  -bench REGEXP          which benchmarks, as of go test (.)
  -benchtime TIME        how long a benchmark runs in a round and in its profile, as of go test: 500ms, 1000x
                         (1s in a round, 2s in its profile)
  -cpu LIST              values of GOMAXPROCS, as of go test: 1,4
  -profiles LIST         kinds of profile to take: cpu, mem, block, mutex (cpu,mem)
Counting instructions:
  -simulate-base CMD, -simulate-head CMD   commands that pprofc -simulate runs under valgrind, once each
END
}

# Text of others, for a log or a page: valid UTF-8. What a terminal would obey or what turns text around is shown as
# \xNN, or replaced by $1.
plain() {
  LC_ALL=C awk -v as="${1:-}" '
    BEGIN {
      for (i = 1; i < 256; i++) code[sprintf("%c", i)] = i
      whole = "^([\302-\337][\200-\277]|\340[\240-\277][\200-\277]|[\341-\354\356\357][\200-\277][\200-\277]|" \
        "\355[\200-\237][\200-\277]|\360[\220-\277][\200-\277][\200-\277]|" \
        "[\361-\363][\200-\277][\200-\277][\200-\277]|\364[\200-\217][\200-\277][\200-\277])"
      unseen = "^(\302[\200-\237]|\330\234|\342\200[\216\217\250-\256]|\342\201[\246-\251]|\363\240[\200\201][\200-\277])"
    }
    {
      for (out = ""; match($0, /[\001-\010\013-\037\177-\377]/); $0 = substr($0, n + 1)) {
        out = out substr($0, 1, RSTART - 1)
        $0 = substr($0, RSTART)
        n = match($0, whole) ? RLENGTH : 1
        if (n > 1 && !match($0, unseen)) out = out substr($0, 1, n)
        else for (i = 1; i <= n; i++) out = out (as == "" ? sprintf("\\x%02x", code[substr($0, i, 1)]) : as)
      }
      print out $0
    }'
}
# The same for the log of a job: no line is a command of the CI service, as ::error and ##[group] are.
logged() {
  plain | sed -E 's/##([a-z]*)\[/##\1\\x5b/g; s/^([[:space:]]*):/\1\\x3a/'
}
fail() {
  printf 'ci_profiles: %s' "$*" | tr '\n\r' '  ' | logged >&2
  exit 1
}
progress() { # DONE OF WHAT
  printf '[%d/%d] %s\n' "$1" "$2" "$3" | logged >&2
}
# A path that no program takes for an option.
path_of() {
  case $1 in
    -*) printf './%s' "$1" ;;
    *) printf '%s' "$1" ;;
  esac
}

# ---- options ------------------------------------------------------------------------------------------------

base_dir='' head_dir='' bench_base='' bench_head='' out='' record='' base_ref='' count=10 gate_fails=yes
bench=. benchtime='' cpus='' kinds_taken=cpu,mem simulate_base='' simulate_head='' given='' of_record=''
threshold=${THRESHOLD_PERCENT:-5}
pair_bases=() pair_heads=()
while [ $# -gt 0 ]; do
  option=${1/#--/-}
  case $option in
    -h | -help) usage; exit 0 ;;
    -no-fail) gate_fails=no; shift; continue ;;
  esac
  [ $# -ge 2 ] || fail "$1 needs a value (see -help)"
  # An empty value is a variable that nobody has set: nothing is to be made of that.
  [ -n "$2" ] || fail "$1 is empty"
  case $option in
    -base) base_dir=$(path_of "$2") ;;
    -head) head_dir=$(path_of "$2") ;;
    -bench-base) bench_base=$(path_of "$2") ;;
    -bench-head) bench_head=$(path_of "$2") ;;
    -simulate-base) simulate_base=$2 ;;
    -simulate-head) simulate_head=$2 ;;
    -out) out=$(path_of "$2") ;;
    -record) record=$2 ;;
    -base-ref) base_ref=$2 ;;
    -count) count=$2 ;;
    -bench) bench=$2 ;;
    -benchtime) benchtime=$2 ;;
    -cpu) cpus=$2 ;;
    -profiles) kinds_taken=$2 ;;
    -threshold) threshold=$2 ;;
    -pair)
      [ $# -ge 3 ] || fail "-pair needs two profiles"
      pair_bases+=("$(path_of "$2")")
      pair_heads+=("$(path_of "$3")")
      shift
      ;;
    *) fail "unknown option $1 (see -help)" ;;
  esac
  case $option in
    -base | -head | -bench-* | -simulate-* | -record | -pair) given=$given$option ;;
    -base-ref | -count | -bench | -benchtime | -cpu | -profiles) of_record=$option ;;
  esac
  shift 2
done

matches() { # TEXT EXPRESSION
  [[ $1 =~ ^($2)$ ]]
}
time_of_go='([0-9]+(\.[0-9]*)?(ns|us|µs|ms|s|m|h))+'
matches "$count" '[1-9][0-9]{0,5}' || fail "-count must be a whole number from 1 up, not '$count'"
matches "$benchtime" "|[1-9][0-9]*x|$time_of_go" || fail "-benchtime must be a time or a number of iterations, as 500ms or 1000x, not '$benchtime'"
matches "$cpus" '|[1-9][0-9]*(,[1-9][0-9]*)*' || fail "-cpu must be numbers with commas, not '$cpus'"
matches "$kinds_taken" '(cpu|mem|block|mutex)(,(cpu|mem|block|mutex))*' || fail "-profiles must be of cpu, mem, block and mutex, not '$kinds_taken'"
matches "$threshold" '[0-9]+(\.[0-9]+)?%?' || fail "-threshold must be a percentage, not '$threshold'"
[ -z "$record" ] || [ -z "$base_dir$head_dir$bench_base$bench_head" ] || fail "-record makes its profiles and results; leave -base, -head, -bench-base and -bench-head out"

[ -n "$record" ] || [ -z "$of_record" ] || fail "$of_record belongs to -record, which is not given"

# Either there is a base of everything, or of nothing: then this is a first run.
has_base=yes
[ -n "$base_dir$bench_base$simulate_base$record${pair_bases[*]}" ] || has_base=no
together() { # BASE HEAD NAME
  [ -z "$1" ] || [ -n "$2" ] || fail "-${3}base and -${3}head belong together: there is no -${3}head"
  [ -n "$1" ] || [ -z "$2" ] || [ "$has_base" = no ] || fail "-${3}base and -${3}head belong together: there is no -${3}base"
}
together "$base_dir" "$head_dir" ''
together "$bench_base" "$bench_head" bench-
together "$simulate_base" "$simulate_head" simulate-

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
stage='' worktree='' judged=no
clean() { # 2 says that there is a regression; what failed with it on the way has failed
  local ended=$?
  rm -rf "$work" ${stage:+"$stage"}
  [ -z "$stage" ] || rmdir "$out" 2>/dev/null || true
  [ -z "$worktree" ] || git worktree prune 2>/dev/null || true
  [ "$judged" = yes ] || [ "$ended" -eq 0 ] || exit 1
}
trap clean EXIT
trap 'exit 1' INT TERM HUP

# take NAME: NAME, or NAME_2 ... when there is one already; into $taken.
declare -A names=()
take() {
  local n=2
  taken=$1
  while [ -n "${names[$taken]:-}" ]; do taken=$1_$((n++)); done
  names[$taken]=yes
}
last_line() { # FILE...: the last line with something in it
  cat "$@" | grep -v '^[[:space:]]*$' | tail -n 1
}

# ---- recording ------------------------------------------------------------------------------------------------

# Of each package that has benchmarks: its test program and its folder by "SIDE PATH", its name by PATH.
packages=()
declare -A program_of=() folder_of=() name_of=()

# The name of a package in its module, as part of a file name.
name_package() { # PATH MODULE
  local name=${1#"$2"/}
  [ -z "${name_of[$1]:-}" ] || return 0
  [ "$1" != "$2" ] || name=${1##*/}
  take "$(printf '%s' "$name" | LC_ALL=C tr -c 'A-Za-z0-9.-' _)"
  name_of[$1]=$taken
  packages+=("$1")
}

# Builds the test program of every package of a checkout that has benchmarks. Without -trimpath the folder of the
# checkout would be part of every file's name.
build_side() { # SIDE CHECKOUT
  local path module folder program pattern chosen=() n=0
  for pattern in "${patterns[@]}"; do # a folder that the base does not have is new
    case $1$pattern in base.*) [ -d "$2/${pattern%%...*}" ] || continue ;; esac
    chosen+=("$pattern")
  done
  [ ${#chosen[@]} -gt 0 ] || return 0
  (cd "$2" && go list -f '{{.ImportPath}}|{{with .Module}}{{.Path}}{{end}}|{{.Dir}}' "${chosen[@]}") \
    >"$work/packages" 2>"$work/said" || fail "go list $record: $(last_line "$work/said")"
  while IFS='|' read -r path module folder; do
    progress $((++n)) "$(wc -l <"$work/packages")" "building $1 $path"
    case $path in -*) fail "'$path' is no package" ;; esac
    program=$work/bin/$1/$n/$(printf '%s' "${path##*/}" | LC_ALL=C tr -c 'A-Za-z0-9._-' _).test
    mkdir -p "${program%/*}"
    (cd "$2" && go test -c -trimpath -o "$program" "$path") >"$work/said" 2>&1 \
      || fail "$path does not build: $(grep -v '^#' "$work/said" | head -n 1)"
    # Without test files there is no program.
    [ -x "$program" ] || continue
    (cd "$folder" && "$program" -test.list='^Benchmark') 2>/dev/null | grep '^Benchmark' >/dev/null || continue
    name_package "$path" "$module"
    program_of["$1 $path"]=$program
    folder_of["$1 $path"]=$folder
  done <"$work/packages"
}

# go_run SIDE PATH CPU ARGUMENT...: a test program; what it printed is in $work/printed.
go_run() {
  local side=$1 path=$2 cpu=$3
  shift 3
  (cd "${folder_of[$side $path]}" && "${program_of[$side $path]}" -test.run='^$' -test.cpu="$cpu" "$@" </dev/null) \
    >"$work/printed" 2>"$work/said" || fail "the benchmarks of $path ($side) failed: $(last_line "$work/printed" "$work/said")"
}

# The results of a run in $work/printed, a line each: PATH, CPU, name, iterations, ns/op (0 when it is not there).
# The name is that of the benchmark alone: with another CPU than 1 Go adds "-CPU" to it.
results_of() { # PATH CPU
  awk -v path="$1" -v cpu="$2" -v OFS='\t' '/^Benchmark[^ \t]*[ \t]+[0-9]+[ \t]/ {
    name = $1
    ns = 0
    for (i = 4; i <= NF; i++) if ($i == "ns/op") ns = $(i - 1)
    if (cpu != 1) sub("-" cpu "$", "", name)
    print path, cpu, name, $2, ns
  }' "$work/printed"
}

# Each program of a side once.
measure_side() { # SIDE ROUND
  local path cpu
  for path in "${packages[@]}"; do
    [ -n "${program_of[$1 $path]:-}" ] || continue
    for cpu in ${cpus//,/ }; do
      progress $((++steps)) "$all_steps" "measuring $1 ${name_of[$path]} (round $2 of $count)"
      go_run "$1" "$path" "$cpu" -test.bench="$bench" -test.benchmem ${benchtime:+-test.benchtime="$benchtime"}
      cat "$work/printed" >>"$work/bench_$1.txt"
      results_of "$path" "$cpu" >>"$work/rounds_$1"
    done
  done
}

# The benchmarks of both sides, a line each: PATH, CPU, name, iterations to profile, sides. Both sides do the same
# work: as many iterations as the base does in the time, by the median of its rounds, but not so many that the other
# side takes more than ten times as long.
plan_profiles() {
  touch "$work/rounds_base" "$work/rounds_head"
  awk -F '\t' -v OFS='\t' -v wanted="${benchtime:-2s}" -v measured="${benchtime:-1s}" '
    function nanoseconds(time, sum, unit) {
      while (match(time, /^[0-9.]+/)) {
        unit = substr(time, RLENGTH + 1)
        sub(/[0-9].*/, "", unit)
        sum += substr(time, 1, RLENGTH) * (unit in units ? units[unit] : 1000)
        time = substr(time, RLENGTH + length(unit) + 1)
      }
      return sum
    }
    function median(key, n, i, j, x, sorted) {
      n = rounds[key]
      for (i = 1; i <= n; i++) {
        x = took[key, i]
        for (j = i; j > 1 && sorted[j - 1] > x; j--) sorted[j] = sorted[j - 1]
        sorted[j] = x
      }
      return n % 2 ? sorted[(n + 1) / 2] : (sorted[n / 2] + sorted[n / 2 + 1]) / 2
    }
    BEGIN {
      units["ns"] = 1; units["us"] = 1e3; units["ms"] = 1e6; units["s"] = 1e9; units["m"] = 6e10; units["h"] = 3.6e12
      fixed = wanted ~ /x$/ ? wanted + 0 : 0
      time = nanoseconds(wanted)
    }
    {
      key = $1 OFS $2 OFS $3
      if (!(key in seen)) { seen[key] = 1; keys[++count] = key }
      at = key SUBSEP side
      # A benchmark that hides its time ran about as long as it was asked to.
      took[at, ++rounds[at]] = $5 > 0 ? $5 : nanoseconds(measured) / $4
    }
    END {
      for (i = 1; i <= count; i++) {
        base = keys[i] SUBSEP 1
        head = keys[i] SUBSEP 2
        slow = fast = median((base in rounds) ? base : head)
        if ((base in rounds) && (head in rounds)) slow = median(head)
        n = time / fast
        if (n * slow > 10 * time) n = 10 * time / slow
        n = n < 1 ? 1 : n > 1e12 ? 1e12 : n
        printf "%s\t%.0f\t%s\n", keys[i], fixed ? fixed : n, \
          ((base in rounds) ? "base " : "") ((head in rounds) ? "head" : "")
      }
    }' side=1 "$work/rounds_base" side=2 "$work/rounds_head" >"$work/plan"
}

# The expression that matches one benchmark: each element of its path, whole and to the letter.
exactly() {
  printf '%s' "$1" | sed 's/[][\\.*+?(){}|^$]/\\&/g; s:/:$/^:g; s/^/^/; s/$/$/'
}

# profile_one SIDE PATH CPU BENCHMARK N NAME: its profiles as $recorded/SIDE/NAME_KIND.prof. CPU and memory in one run;
# what watches locks slows down, and has a run of its own.
profile_one() {
  local run kind arguments
  for run in 'cpu mem' 'block mutex'; do
    arguments=()
    for kind in $run; do
      [[ ,$kinds_taken, != *,$kind,* ]] || arguments+=("-test.${kind}profile=$recorded/$1/$6_$kind.prof")
    done
    [ ${#arguments[@]} -gt 0 ] || continue
    progress $((++steps)) "$all_steps" "profiling $1 $4 (n=$5)"
    go_run "$1" "$2" "$3" -test.bench="$(exactly "$4")" -test.benchtime="$5x" "${arguments[@]}"
    results_of "$2" "$3" | cut -f 3,4 | grep -xF "$4"$'\t'"$5" >/dev/null || fail "$4 of $2 ($1) did not run $5 times"
  done
}

# One pair of profiles per benchmark and kind, with what it is of.
pair_paths=() pair_benchmarks=() pair_rounds=() pair_kinds=()
profile_all() {
  local path cpu name n sides side kind files runs=1 label
  [[ $kinds_taken != *[mp]* || $kinds_taken != *[bt]* ]] || runs=2
  steps=0
  all_steps=$((runs * $(awk -F '\t' '{ n += split($5, sides, " ") } END { print n + 0 }' "$work/plan")))
  while IFS=$'\t' read -r -u 3 path cpu name n sides; do
    label=$name
    [ "$cpu" = 1 ] || label=$name-$cpu
    take "$(printf '%.120s' "${name_of[$path]}.$(printf '%s' "${label#Benchmark}" | LC_ALL=C tr -c 'A-Za-z0-9.=-' _)")"
    for side in $sides; do profile_one "$side" "$path" "$cpu" "$name" "$n" "$taken"; done
    for kind in ${kinds_taken//,/ }; do
      files=("$recorded/base/${taken}_$kind.prof" "$recorded/head/${taken}_$kind.prof")
      [ -f "${files[0]}" ] || files[0]=''
      [ -f "${files[1]}" ] || files[1]=''
      pair_bases+=("${files[0]}") pair_heads+=("${files[1]}")
      pair_paths[${#pair_heads[@]} - 1]=$path
      pair_benchmarks[${#pair_heads[@]} - 1]=${label#Benchmark}
      pair_rounds[${#pair_heads[@]} - 1]=$n
      pair_kinds[${#pair_heads[@]} - 1]=$kind
    done
  done 3<"$work/plan"
}

check_out_base() {
  local wanted=$base_ref commit
  if [ -z "$wanted" ]; then
    wanted=$(git merge-base HEAD origin/main 2>/dev/null || git merge-base HEAD main 2>/dev/null) \
      || fail "name a -base-ref: there is neither origin/main nor main"
  fi
  # Only a commit id reaches git's other commands.
  case $wanted in
    -*) commit='' ;;
    *) commit=$(git rev-parse --verify --quiet "$wanted^{commit}" 2>/dev/null) || commit='' ;;
  esac
  [ -n "$commit" ] || fail "cannot check out '$wanted': there is no such commit"
  worktree=$work/base
  git worktree add --quiet --detach "$worktree" "$commit" >"$work/said" 2>&1 \
    || fail "cannot check out '$wanted': $(last_line "$work/said")"
}

if [ -n "$record" ]; then
  read -ra patterns <<<"$record"
  for pattern in "${patterns[@]}"; do
    case $pattern in -*) fail "'$pattern' is no package (-record)" ;; esac
  done
  command -v go >/dev/null || fail "-record needs go"
  git rev-parse --git-dir >/dev/null 2>&1 || fail "-record needs a git checkout"
  check_out_base
  recorded=$work/recorded
  mkdir -p "$work/bin" "$recorded/base" "$recorded/head"
  build_side base "$worktree/$(git rev-parse --show-prefix)"
  build_side head "$PWD"
  [ ${#packages[@]} -gt 0 ] || fail "no benchmarks in $record"
  if [ -z "$cpus" ]; then # what Go takes by itself, but the same for both sides
    printf 'package main\n\nimport "runtime"\n\nfunc main() { print(runtime.GOMAXPROCS(0)) }\n' >"$work/cpus.go"
    cpus=$(cd "$work" && GOFLAGS='' GO111MODULE=off go run cpus.go 2>&1) && matches "$cpus" '[1-9][0-9]*' || cpus=$(nproc)
  fi
  steps=0 all_steps=$((count * ${#program_of[@]} * $(printf '%s' "$cpus" | tr , '\n' | grep -c .)))
  # In turns, so that a machine that slows down slows down both, and each is first every other time.
  for ((i = 1; i <= count; i++)); do
    if ((i % 2)); then sides='base head'; else sides='head base'; fi
    for side in $sides; do measure_side "$side" "$i"; done
  done
  plan_profiles
  [ -s "$work/plan" ] || fail "no benchmark in $record ran (-bench $bench)"
  profile_all
  [ ! -s "$work/rounds_base" ] || bench_base=$work/bench_base.txt
  [ -s "$work/rounds_head" ] || fail "there are benchmarks in the base, and none in the head"
  bench_head=$work/bench_head.txt
  [ -n "$bench_base" ] || has_base=no
fi

# ---- counting instructions ------------------------------------------------------------------------------------------

# A command is words as for a shell; valgrind shall see the program, not a shell.
simulate() { # SIDE COMMAND
  local words=()
  eval "words=($2)" 2>/dev/null || fail "cannot read the command '$2' (-simulate-$1)"
  [ ${#words[@]} -gt 0 ] || fail "-simulate-$1 is empty"
  "$pprofc" -simulate -symbolize=none -proto -output="$work/simulated_$1/simulated.pb.gz" -- "${words[@]}" \
    >"$work/said" 2>&1 </dev/null || fail "$(last_line "$work/said")"
}
if [ -n "$simulate_head" ]; then
  simulated=$work/simulated_base/simulated.pb.gz
  mkdir -p "$work/simulated_base" "$work/simulated_head"
  if [ -n "$simulate_base" ]; then simulate base "$simulate_base"; else simulated=''; fi
  simulate head "$simulate_head"
  pair_bases+=("$simulated") pair_heads+=("$work/simulated_head/simulated.pb.gz")
  pair_kinds[${#pair_heads[@]} - 1]=instructions
fi

# ---- pairs --------------------------------------------------------------------------------------------------------

stem() { # the name of a profile, as part of the names of files
  local name=${1##*/}
  name=${name%.gz}
  name=${name%.pb}
  printf '%s' "${name%.prof}" | tr '\n\t' '__' | plain _
}
can_read() {
  "$pprofc" -symbolize=none -comments "$1" >/dev/null 2>"$work/said"
}
# profiles_in DIR OTHER: those files of a folder that pprofc can read, into $profiles. A file that is a profile by its
# name, its first bytes or its partner in OTHER, and cannot be read, is an error.
profiles_in() {
  local file said
  profiles=()
  while IFS= read -r -d '' file; do
    if [ "$file" -ef "$bench_base" ] || [ "$file" -ef "$bench_head" ]; then continue; fi
    if can_read "$file"; then
      profiles+=("$file")
      continue
    fi
    said=$(last_line "$work/said")
    case $file in *.prof | *.pb | *.pb.gz) fail "${said#pprofc: }" ;; esac
    case $said in *'unrecognized profile format'* | *'empty input file'*) ;; *) fail "${said#pprofc: }" ;; esac
    if [ -f "$2/${file##*/}" ] && can_read "$2/${file##*/}"; then fail "${said#pprofc: }"; fi
    printf "ci_profiles: '%s' is no profile, it is left out" "$file" | tr '\n\r' '  ' | logged >&2
  done < <(find "$1" -maxdepth 1 -type f -print0 | LC_ALL=C sort -z)
  [ ${#profiles[@]} -gt 0 ] || fail "no profiles in '$1'"
}
# What equals in the names of a pair: process ids and times of recordings differ.
key_of() {
  printf '%s' "${1##*/}" | sed -E 's/^((call|cache)grind\.out)\.[0-9]+/\1/; s/^(CPU|Heap)\.[0-9.]+\.(cpuprofile|heapprofile)/\1.\2/'
}
pair_folders() {
  local file key base
  local -A base_of=() times=() paired=()
  if [ -n "$base_dir" ]; then
    profiles_in "$base_dir" "$head_dir"
    for file in "${profiles[@]}"; do
      key=$(key_of "$file")
      times[b$key]=$((${times[b$key]:-0} + 1))
      base_of[$key]=$file
    done
    base_profiles=("${profiles[@]}")
  else
    base_profiles=()
  fi
  profiles_in "$head_dir" "${base_dir:-/dev/null}"
  for file in "${profiles[@]}"; do
    key=$(key_of "$file")
    times[h$key]=$((${times[h$key]:-0} + 1))
  done
  for file in "${profiles[@]}"; do
    key=$(key_of "$file")
    base=''
    if [ -n "$base_dir" ] && [ -f "$base_dir/${file##*/}" ]; then
      base=$base_dir/${file##*/}
    elif [ "${times[b$key]:-0}${times[h$key]}" = 11 ]; then
      base=${base_of[$key]}
    fi
    pair_bases+=("$base") pair_heads+=("$file")
    [ -z "$base" ] || paired[$base]=yes
  done
  for file in "${base_profiles[@]}"; do
    [ -n "${paired[$file]:-}" ] || { pair_bases+=("$file"); pair_heads+=(''); }
  done
}

bundled=no
if [ -z "$given" ]; then
  bundled=yes has_base=yes
  data=$root/testdata
  pair_bases=("$data/generator_cpu.prof" "$data/generator_mem.prof")
  pair_heads=("$data/generator_optimized_cpu.prof" "$data/generator_optimized_mem.prof")
  bench_base=$data/bench_original.txt
  bench_head=$data/bench_optimized.txt
fi
for folder in "$base_dir" "$head_dir"; do
  [ -z "$folder" ] || [ -d "$folder" ] || fail "no folder '$folder'"
done
[ -z "$head_dir" ] || pair_folders
for file in "${pair_bases[@]}" "${pair_heads[@]}" "$bench_base" "$bench_head"; do
  [ -z "$file" ] || [ -r "$file" ] || fail "cannot read '$file'"
done

# Everything is made in a folder beside its place and moved when all of it is there.
out=${out:-.docs/artifacts/ci}
out=${out%/}
benchdiff=$(dirname "$out")/benchdiff
mkdir -p "$out" 2>/dev/null || fail "cannot make the folder '$out'"
stage=$(mktemp -d "$out/.new.XXXXXX" 2>/dev/null) || fail "cannot write into '$out'"
mkdir -p "$stage"/ci/{flamegraphs,speedscope,flame,profiles} "$stage/benchdiff" "$work/pictures" "$work/where"
new=$stage/ci

# ---- one profile, one pair ------------------------------------------------------------------------------------------

quietly() {
  "$@" 2>"$work/said" || fail "$(last_line "$work/said")"
}

# What a profile is about is in its name, or in its sample types.
kind_of() {
  case $1 in
    *mutex*) echo mutex ;;
    *block*) echo block ;;
    *mem* | *heap* | *alloc*) echo mem ;;
    *cpu*) echo cpu ;;
    *) if has_allocations "$2"; then echo mem; else echo profile; fi ;;
  esac
}

has_allocations() {
  "$pprofc" -symbolize=none -comments -sample_index=alloc_space "$1" >/dev/null 2>&1
}

has_samples() { # A program that waits for no lock has an empty profile of it.
  ! "$pprofc" -symbolize=none -top "$@" 2>/dev/null | grep ' 0 total$' >/dev/null
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

# The functions of a difference that grew most, three at most, a line each: name, growth, its part of the base; per
# operation where the operations are known. Growth that sampling alone could make is not told.
find_where() { # OPERATIONS ARGUMENT...
  local operations=$1
  shift
  quietly "$pprofc" -symbolize=none -json "$@" | plain | awk -v operations="$operations" '
    function numbers(key, into, text) {
      if (!match($0, "\"" key "\":\\[[-0-9,]*\\]")) return 0
      text = substr($0, RSTART + length(key) + 4, RLENGTH - length(key) - 5)
      return split(text, into, ",")
    }
    function amount(x, unit) {
      if (operations) x /= operations
      if (unit == "nanoseconds") return x < 1e3 ? sprintf("%.3g ns", x) : x < 1e6 ? sprintf("%.3g µs", x / 1e3) : \
        x < 1e9 ? sprintf("%.3g ms", x / 1e6) : sprintf("%.3g s", x / 1e9)
      if (unit == "bytes") return x < 1024 ? sprintf("%.3g B", x) : x < 1048576 ? sprintf("%.3g KiB", x / 1024) : \
        sprintf("%.3g MiB", x / 1048576)
      return sprintf("%.4g", x)
    }
    NR == 1 {
      match($0, /"sample_index":[0-9]+/)
      k = substr($0, RSTART + 15, RLENGTH - 15) + 1
      types = $0
      for (i = 1; i <= k; i++) { match(types, /"unit":"[^"]*"/); unit = substr(types, RSTART + 8, RLENGTH - 9); types = substr(types, RSTART + RLENGTH) }
      counted = $0 ~ /^[^\]]*"type":"samples"/
      numbers("base", whole)
    }
    /^{"name":"/ {
      match($0, /^{"name":"([^"\\]|\\.)*"/)
      name = substr($0, 10, RLENGTH - 10)
      if (!numbers("flat", head) || !numbers("base_flat", base)) next
      d = head[k] - base[k]
      n = head[1] - base[1]
      if (d <= 0 || d * 100 < whole[k]) next
      if (counted && (n < 5 || n * n < 4 * (head[1] + base[1]))) next
      for (i = ++found; i > 1 && by[i - 1] < d; i--) { by[i] = by[i - 1]; line[i] = line[i - 1] }
      by[i] = d
      part = whole[k] ? sprintf("%.0f %% of the base", d * 100 / whole[k]) : "new"
      line[i] = name "\t+" amount(d, unit) (operations ? " per operation" : "") "\t" part
    }
    END { for (i = 1; i <= found && i <= 3; i++) print line[i] }' |
    sed 's/\\u003c/</g; s/\\u003e/>/g; s/\\u0026/\&/g; s/\\\(["\\]\)/\1/g'
}

# generator_cpu and generator_optimized_cpu differ as generator_cpu_diff does: the name of the base.
kinds=() base_names=() head_names=() diff_names=() notes=() # of the pairs; a name is empty where there is none
for i in "${!pair_heads[@]}"; do
  base=${pair_bases[i]} head=${pair_heads[i]}
  base_name='' head_name='' diff_name=''
  [ -z "$base" ] || base_name=$(stem "$base")
  [ -z "$head" ] || head_name=$(stem "$head")
  [ -z "$record" ] || progress $((i + 1)) ${#pair_heads[@]} "drawing ${head_name:-$base_name}"
  kind=${pair_kinds[i]:-$(kind_of "$base_name$head_name" "${head:-$base}")}
  values=()
  if [ "$kind" = mem ] && { [ -z "$base" ] || has_allocations "$base"; } && { [ -z "$head" ] || has_allocations "$head"; }; then
    values=(-sample_index=alloc_space)
  fi
  [ "$kind" != instructions ] || values=(-sample_index=Ir)
  # Where Go stops a function, often because of the sampling itself, is no function of its own: on a busy machine it takes
  # most samples away from those that it stops.
  [ -z "$record" ] || [ "$kind" != cpu ] || values=('-hide=^runtime\.asyncPreempt2?$')
  notes[i]=''
  if [ "$has_base" = no ]; then :
  elif [ -z "$base" ]; then notes[i]='New: there is no such profile in the base.'
  elif [ -z "$head" ]; then notes[i]='Gone: there is no such profile in the head.'
  elif ! has_samples "${values[@]}" "$base"; then notes[i]='The profile of the base has no samples.' base=''
  fi
  if [ -n "$head" ] && ! has_samples "${values[@]}" "$head"; then
    notes[i]="${notes[i]:-The profile of the head has no samples.}" head=''
  fi
  [ -n "$base$head" ] || continue
  if [ -n "$base" ] && [ -n "$head" ]; then
    diff_name=${base_name}_diff
    [ "$base_name" != "$head_name" ] || base_name=${base_name}_base head_name=${head_name}_head
    take "$diff_name" && diff_name=$taken
  fi
  seen=() shown=
  if [ -n "$base" ]; then
    take "$base_name" && base_name=$taken
    seen=("${values[@]}" "$base") shown=$base_name
    render "$base_name" "${seen[@]}"
  fi
  if [ -n "$head" ]; then
    take "$head_name" && head_name=$taken
    seen=("${values[@]}" "$head") shown=$head_name
    render "$head_name" "${seen[@]}"
  fi
  if [ -n "$diff_name" ]; then
    seen=("${values[@]}" -diff_base="$base" "$head") shown=$diff_name
    render "$diff_name" "${seen[@]}"
    find_where "${pair_rounds[i]:-}" "${seen[@]}" >"$work/where/$diff_name"
  fi
  # The page has a picture of the frames that can be seen in it; the file has all.
  quietly "$pprofc" -symbolize=none -flamegraph -minwidth=3 -output="$work/pictures/$shown.svg" "${seen[@]}"
  kinds[i]=$kind base_names[i]=${base:+$base_name} head_names[i]=${head:+$head_name} diff_names[i]=$diff_name
done

# ---- benchmarks and the gate --------------------------------------------------------------------------------------------

status=0
verdict='no benchmarks were compared'
[ "$has_base" = yes ] || verdict='no comparison: there is no base'
gate_text=$work/gate.txt gate_json=$work/gate.json
: >"$gate_text"
: >"$gate_json"
write_diff() {
  "$benchstatc" "${@:2}" >"$stage/benchdiff/$1" 2>"$work/said" || fail "$(last_line "$work/said")"
  benchstat_text=$stage/benchdiff/$1
}
if [ -n "$bench_head" ]; then
  name=$(stem "$bench_head")
  name=bench_${name#bench_}
  if [ "$bundled" = yes ]; then # the base against itself is the control of the tables
    write_diff bench_original.diff "base=$bench_base" "again=$bench_base"
    write_diff bench_optimized.diff "base=$bench_base" "head=$bench_head"
  elif [ -z "$bench_base" ]; then
    write_diff "${name%.*}.diff" "head=$bench_head"
  else
    write_diff "${name%.*}.diff" "base=$bench_base" "head=$bench_head"
  fi
fi
if [ -n "$bench_base" ]; then
  "$gate" -base="$bench_base" -head="$bench_head" -threshold="$threshold" -out=json="$gate_json" >"$gate_text" 2>&1 || status=$?
  case $status in
    0) verdict='no regression' ;;
    2) verdict='REGRESSION' ;;
    *) verdict='the gate failed' status=1 ;;
  esac
fi
totals=$(tail -n 1 "$gate_text" | plain)

# Instructions are the same in every run: the difference of one pair is judged as it is.
count_instructions() {
  "$pprofc" -symbolize=none -json -sample_index=Ir "$1" 2>/dev/null | sed -n '1s/.*"total":\([0-9]*\).*/\1/p'
}
instructions=''
if [ -n "$simulate_base" ]; then
  instructions=$(awk -v base="$(count_instructions "$simulated")" -v head="$(count_instructions "$work/simulated_head/simulated.pb.gz")" \
    -v threshold="${threshold%\%}" 'BEGIN {
      change = base ? (head - base) * 100 / base : 0
      printf "%s: instructions %d → %d  %+.2f%% (threshold %s%%)\n", \
        (change >= threshold && change > 0) ? "regressed" : (-change >= threshold && change < 0) ? "improved" : "unchanged", \
        base, head, change, threshold
    }')
  case $status$instructions in
    0regressed* | 2*) verdict='REGRESSION' status=2 ;;
    0*) verdict='no regression' ;;
  esac
elif [ -n "$simulate_head" ]; then
  instructions="instructions: $(count_instructions "$work/simulated_head/simulated.pb.gz")"
fi

# ---- the rows of the gate -----------------------------------------------------------------------------------------------

# From the gate's JSON: a line for each benchmark into $work/rows (number, verdict, package, name, what changed), the
# worst first, and the table of its units into $work/row_NUMBER.html.
make_rows() {
  plain <"$gate_json" | awk -v to="$work/row_" -v OFS='\t' '
    function text(key, value) {
      if (!match($0, "[{,]\"" key "\":\"([^\"\\\\]|\\\\.)*\"")) return ""
      value = substr($0, RSTART + length(key) + 5, RLENGTH - length(key) - 6)
      gsub(/\\u003c/, "<", value); gsub(/\\u003e/, ">", value); gsub(/\\u0026/, "\\&", value)
      gsub(/\\"/, "\"", value); gsub(/\\\\/, "\\", value)
      return value
    }
    function number(key) {
      if (!match($0, ",\"" key "\":[-+.0-9e]+")) return ""
      return substr($0, RSTART + length(key) + 4, RLENGTH - length(key) - 4) + 0
    }
    function html(s) {
      gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); gsub(/>/, "\\&gt;", s); gsub(/"/, "\\&quot;", s)
      return s
    }
    function amount(x, unit) {
      if (x == "") return "–"
      x += 0
      if (unit == "sec/op") return !x ? "0" : x < 1e-6 ? sprintf("%.4g ns", x * 1e9) : x < 1e-3 ? sprintf("%.4g µs", x * 1e6) : \
        x < 1 ? sprintf("%.4g ms", x * 1e3) : sprintf("%.4g s", x)
      if (unit ~ /^B(\/|$)/ && x >= 1048576) return sprintf("%.4g Mi", x / 1048576)
      if (unit ~ /^B(\/|$)/ && x >= 1024) return sprintf("%.4g Ki", x / 1024)
      return x >= 1e7 ? sprintf("%.4g", x) : sprintf("%.10g", x >= 1e3 ? int(x + .5) : sprintf("%.4g", x))
    }
    function percent(x) { return x == "" ? "" : sprintf("%+.*f %%", x > 1 || x < -1 ? 0 : 1, x * 100) }
    # What a person would say of a change.
    function phrase(unit, base, head, delta) {
      if (base == "") return ""
      if (delta == "") return unit " " amount(base, unit) " → " amount(head, unit)
      if (unit != "sec/op") return unit " " percent(delta) ": " amount(base, unit) " → " amount(head, unit)
      return (head >= 2 * base ? sprintf("%.2g times slower", head / base) : delta < 0 ? sprintf("%.3g %% faster", -delta * 100) : \
        sprintf("%.3g %% slower", delta * 100)) ": " amount(base, unit) " → " amount(head, unit)
    }
    BEGIN {
      split("regressed,missing,suspiciously faster,inconclusive,too few samples,new,improved,accepted", order, ",")
      for (i in order) rank[order[i]] = i
    }
    /^{"benchmark":/ {
      name = text("benchmark"); group = text("group"); unit = text("unit"); verdict = text("verdict")
      base = number("base"); head = number("head"); delta = number("delta")
      key = group SUBSEP name
      if (!(key in at)) { at[key] = ++count; groups[count] = group; benchmarks[count] = name; best[count] = 99 }
      i = at[key]
      r = (verdict in rank) ? rank[verdict] : 50
      # Time speaks for a benchmark where verdicts are equal.
      size = base > 0 && head > 0 ? log(head / base) : 0
      if (size < 0) size = -size
      if (r < best[i] || (r == best[i] && unit == "sec/op")) {
        best[i] = r; sizes[i] = size; verdicts[i] = verdict; phrases[i] = r == 50 ? "" : phrase(unit, base, head, delta) (verdict == "inconclusive" ? ", not certain" : "")
      }
      p = number("p_adjusted")
      range = number("low") == "" || number("low") == number("high") ? "" : percent(number("low")) " to " percent(number("high"))
      rows[i] = rows[i] sprintf("<tr class=\"%s\"><th scope=\"row\">%s</th><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>\n", \
        verdict ~ /regressed|missing/ ? "worse" : verdict ~ /faster|improved/ ? "better" : "", html(unit), amount(base, unit), amount(head, unit), \
        percent(delta), range, p != "" ? sprintf("%.2g", p) : text("test") == "constant" ? "exact" : "", html(verdict))
    }
    END {
      for (i = 1; i <= count; i++) {
        file = to i ".html"
        printf "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">unit</th><th scope=\"col\">base</th><th scope=\"col\">head</th>" \
          "<th scope=\"col\">change</th><th scope=\"col\">95 %% interval</th><th scope=\"col\">adjusted p</th><th scope=\"col\">verdict</th></tr></thead>\n" \
          "<tbody>%s</tbody></table></div>\n", rows[i] >file
        close(file)
        print best[i], sizes[i], i, verdicts[i], groups[i], benchmarks[i], phrases[i]
      }
    }' | LC_ALL=C sort -t $'\t' -k1,1n -k2,2gr -k3,3n | cut -f 3- >"$work/rows"
}
make_rows

# ---- the page, the summary, the manifest -------------------------------------------------------------------------------------

escape_html() {
  plain | sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g; s/"/\&quot;/g'
}
escape_json() { # one line
  tr '\n\t' '  ' | plain | sed 's/\\/\\\\/g; s/"/\\"/g'
}
html() {
  printf '%s' "$1" | escape_html
}
json() {
  printf '%s' "$1" | escape_json
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
  base64 -w 0 "$work/pictures/$1.svg"
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
write_where() { # PAIR
  local name growth part
  [ -s "$work/where/${diff_names[$1]:-none}" ] || return 0
  printf '<p class="where">Grew most (%s):</p>\n<ul class="where">\n' "${kinds[$1]}"
  while IFS=$'\t' read -r name growth part; do
    printf '<li><code>%s</code> <strong>%s</strong> (%s)</li>\n' "$(html "$name")" "$growth" "$part"
  done <"$work/where/${diff_names[$1]}"
  printf '</ul>\n'
}
write_pair() { # what a pair shows, below its heading
  local i=$1 base=${base_names[$1]} head=${head_names[$1]} diff=${diff_names[$1]}
  [ -z "${notes[i]}" ] || printf '<p class="note">%s</p>\n' "${notes[i]}"
  write_where "$i"
  embed "$(what_of "$i")"
  [ -z "$diff" ] || table 'change' "$diff" 40 ' open'
  [ -z "$base" ] || table 'before' "$base" 32
  [ -z "$head" ] || table 'after' "$head" 32
}

# One benchmark: its row of the gate, then its profiles, of which the first is open.
shown_pairs=' '
is_of() { # PAIR PACKAGE NAME; a profile of no benchmark is of none
  [ -n "$3" ] && [ "${pair_benchmarks[$1]:-}" = "$3" ] && [ "${pair_paths[$1]:-}" = "$2" ]
}
write_benchmark() { # NUMBER VERDICT PACKAGE NAME WHAT
  local i first=' open' open='' class=''
  case $2 in
    regressed) open=' open' class=worse ;;
    missing) class=worse ;;
    improved | *faster) class=better ;;
  esac
  printf '<details class="benchmark %s" id="benchmark-%s"%s><summary><span class="word">%s</span> %s <small>%s</small> <span class="what">%s</span></summary>\n' \
    "$class" "$1" "$open" "$2" "$(html "$4")" "$(html "$3")" "$(html "$5")"
  cat "$work/row_$1.html"
  for i in "${!kinds[@]}"; do
    is_of "$i" "$3" "$4" || continue
    shown_pairs="$shown_pairs$i "
    printf '<details class="profile"%s><summary>%s profile of %s iterations a side</summary>\n' "$first" "${kinds[i]}" "${pair_rounds[i]}"
    write_pair "$i"
    printf '</details>\n'
    first=''
  done
  printf '</details>\n'
}
write_benchmarks() {
  local number verdict path name what quiet=no unchanged
  unchanged=$(cut -f 2 "$work/rows" | grep -cxE 'unchanged|ignored|informational' || true)
  printf '<section id="benchmarks"><h2>Benchmarks</h2>\n'
  while IFS=$'\t' read -r -u 3 number verdict path name what; do
    case $verdict in unchanged | ignored | informational)
      [ "$quiet" = yes ] || printf '<details class="quiet"><summary>%d without a change that counts</summary>\n' "$unchanged"
      quiet=yes
      ;;
    esac
    # Columns may be empty: read would join what stands around them.
    write_benchmark "$number" "$verdict" "${path#-}" "$name" "$what"
  done 3< <(awk -F '\t' -v OFS='\t' '{ $3 = "-" $3; print }' "$work/rows")
  [ "$quiet" = no ] || printf '</details>\n'
  [ ! -s "$gate_text" ] || { printf '<details><summary>how it was judged</summary><pre tabindex="0">' && escape_html <"$gate_text" && printf '</pre></details>\n'; }
  printf '<details><summary>table of benchstat</summary><pre tabindex="0">'
  escape_html <"$benchstat_text"
  printf '</pre></details></section>\n'
}

# The largest slowdown, as a sentence.
worst_of_all() {
  awk -F '\t' '$2 == "regressed" { print $4 " is " $5; exit }' "$work/rows" | sed -E 's/ is (B|allocs)\/op /: \1\/op /'
}

write_page() {
  cat <<'END'
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>Profiles</title>
<style>
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --worse: light-dark(#b3400f, #ff9d66); --better: light-dark(#1f5fa8, #7db8ff) }
body { font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; margin: 0 auto; padding: 1rem; max-width: 80rem }
h1, h2, summary, li { overflow-wrap: anywhere }
pre { overflow: auto; max-height: 32rem; background: var(--soft); padding: .6rem; font-size: 12px; line-height: 1.35 }
.graph, .scroll { display: block; overflow-x: auto }
.graph img { width: 100%; min-width: 44rem; height: auto; background: #fff }
summary { cursor: pointer; font-weight: 600 }
details, section { margin: .6rem 0 }
section { border-top: 1px solid var(--line) }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 14px }
th, td { padding: .15rem .7rem .15rem 0; text-align: right; white-space: nowrap }
th:first-child, td:last-child, th:last-child { text-align: left }
.benchmark { border-left: 4px solid var(--line); padding-left: .7rem }
.benchmark.worse { border-color: var(--worse) }
.benchmark.better { border-color: var(--better) }
.worse > summary .word, .worse > summary .what, tr.worse td { color: var(--worse) }
.better > summary .word, .better > summary .what, tr.better td { color: var(--better) }
.word { display: inline-block; min-width: 6rem }
small, .profile > summary { font-weight: 400 }
p.where { margin-bottom: 0 }
ul.where { margin-top: 0 }
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
END
  local mood='' i worst
  [ "$status" -eq 0 ] || mood=' bad'
  worst=$(worst_of_all)
  printf '<p class="verdict%s" id="verdict"><strong>%s</strong>%s%s%s</p>\n' "$mood" "$verdict" "${worst:+<br>$(html "$worst")}" \
    "${instructions:+<br>$(html "$instructions")}" "${totals:+<br>$(html "$totals")}"
  [ "$has_base" = yes ] || printf '<p class="note">A first run: this page shows the head alone, nothing was compared.</p>\n'
  [ -z "$bench_head" ] || write_benchmarks
  for i in "${!kinds[@]}"; do
    [[ $shown_pairs != *" $i "* ]] || continue
    printf '<section class="pair"><h2>%s: %s</h2>\n' "${kinds[i]}" "$(html "$(what_of "$i")")"
    write_pair "$i"
    printf '</section>\n'
  done
  printf '</body>\n</html>\n'
}

# A table in Markdown; as HTML, because no name of a benchmark or function ends that.
fold_away() { # TITLE FILE LINES
  printf '<details><summary>%s</summary>\n\n<pre>\n' "$(html "$1")"
  head -n "$3" "$2" | escape_html
  printf '</pre>\n\n</details>\n\n'
}
# The benchmarks that regressed, and the functions that grew most in them. An HTML table: no Markdown acts in it.
write_slowdowns() {
  local number verdict path name what i grown
  grep -q $'^[0-9]*\tregressed\t' "$work/rows" || return 0
  printf '<table>\n<tr><th>benchmark</th><th>change</th><th>grew most</th></tr>\n'
  while IFS=$'\t' read -r -u 3 number verdict path name what; do
    path=${path#-} grown=''
    for i in "${!kinds[@]}"; do
      { is_of "$i" "$path" "$name" && [ -n "${diff_names[i]}" ]; } || continue
      grown=$(awk -F '\t' '{ print $1 " " $2 }' "$work/where/${diff_names[i]}" | escape_html | sed 's:^:<code>:; s:$:</code><br>:' | tr -d '\n')
      [ -z "$grown" ] || break
    done
    printf '<tr><td><code>%s</code></td><td>%s</td><td>%s</td></tr>\n' "$(html "$name")" "$(html "$what")" "$grown"
  done 3< <(awk -F '\t' -v OFS='\t' '$2 == "regressed" && ++n <= 20 { $3 = "-" $3; print }' "$work/rows")
  printf '</table>\n\n'
}
write_summary() {
  local i note
  printf '## Profiles: %s\n\n' "$verdict"
  [ "$has_base" = yes ] || printf 'A first run: nothing was compared.\n\n'
  [ -z "$totals" ] || printf '%s\n\n' "$(html "$totals")"
  [ -z "$instructions" ] || printf '%s\n\n' "$(html "$instructions")"
  write_slowdowns
  [ ! -s "$gate_text" ] || fold_away benchmarks "$gate_text" 200
  for i in "${!kinds[@]}"; do
    case ${notes[i]} in
      New*) note=' (new)' ;;
      Gone*) note=' (gone)' ;;
      *) note='' ;;
    esac
    fold_away "${kinds[i]}: $(what_of "$i")$note" "$new/$(what_of "$i")_top.txt" 25
  done
}

put_input() { # SIDE FILE
  [ -n "$2" ] || return 0
  printf '%s\n    {"side": "%s", "name": "%s", "sha256": "%s"}' "$comma" "$1" \
    "$(json "${2##*/}")" "$(sha256sum <"$2" | cut -d' ' -f1)"
  comma=,
}
put_pair() { # PAIR
  local i=$1
  printf '%s\n    {"kind": "%s", "base": "%s", "head": "%s", "diff": "%s"' "$comma" "${kinds[i]}" \
    "$(json "${base_names[i]}")" "$(json "${head_names[i]}")" "$(json "${diff_names[i]}")"
  [ -z "${pair_benchmarks[i]:-}" ] || printf ', "package": "%s", "benchmark": "%s", "iterations": %s' \
    "$(json "${pair_paths[i]}")" "$(json "${pair_benchmarks[i]}")" "${pair_rounds[i]}"
  printf '}'
  comma=,
}
put_files() { # KEY FOLDER
  local file comma=''
  printf '  "%s": [' "$1"
  while IFS= read -r file; do
    printf '%s\n    "%s"' "$comma" "$(json "${file#./}")"
    comma=,
  done < <(cd "$2" && find . -type f ! -name manifest.json | LC_ALL=C sort)
  printf '\n  ]'
}
write_manifest() {
  local i comma=''
  printf '{\n  "version": 2,\n  "tool": "%s",\n' "$(json "$("$pprofc" -version | head -n 1)")"
  printf '  "commit": "%s",\n' "$(json "$(git rev-parse HEAD 2>/dev/null || printf '%s' "${GITHUB_SHA:-${CI_COMMIT_SHA:-${GIT_COMMIT:-}}}")")"
  printf '  "verdict": "%s",\n  "gate_status": %d,\n  "totals": "%s",\n' "$verdict" "$status" "$(json "$totals")"
  printf '  "instructions": "%s",\n  "inputs": [' "$(json "$instructions")"
  for i in "${!pair_heads[@]}"; do
    put_input base "${pair_bases[i]}"
    put_input head "${pair_heads[i]}"
  done
  put_input base "$bench_base"
  put_input head "$bench_head"
  printf '\n  ],\n  "pairs": ['
  comma=''
  for i in "${!kinds[@]}"; do put_pair "$i"; done
  printf '\n  ],\n'
  put_files files "$new"
  printf ',\n'
  put_files benchdiff "$stage/benchdiff"
  printf '\n}\n'
}

write_page >"$new/index.html"
write_summary >"$new/summary.md"
write_manifest >"$new/manifest.json"

# ---- into place -----------------------------------------------------------------------------------------------------------------

# What an earlier run left and this one has not made would tell of profiles and verdicts that are gone.
remove_old() { # KEY NEW OLD
  local file
  sed -n "/^  \"$1\": \\[/,/^  \\]/s/^    \"\\(.*\\)\",\\{0,1\\}\$/\\1/p" "$out/manifest.json" | sed 's/\\\(.\)/\1/g' |
    while IFS= read -r file; do
      case /$file/ in */../*) continue ;; esac
      [ -e "$2/$file" ] || rm -f "$3/$file"
    done
}
if [ -f "$out/manifest.json" ]; then
  remove_old files "$new" "$out"
  remove_old benchdiff "$stage/benchdiff" "$benchdiff"
fi
move() { # FROM TO: each file at once
  local file
  (cd "$1" && find . -type f) | while IFS= read -r file; do
    mkdir -p "$(dirname "$2/$file")"
    mv -f "$1/$file" "$2/$file"
  done
}
move "$new" "$out" || fail "cannot write into '$out'"
[ -z "$bench_head" ] || move "$stage/benchdiff" "$benchdiff" || fail "cannot write into '$benchdiff'"
[ -z "${GITHUB_STEP_SUMMARY:-}" ] || cat "$out/summary.md" >>"$GITHUB_STEP_SUMMARY"
[ -z "${GITHUB_OUTPUT:-}" ] || printf 'verdict=%s\n' "$verdict" >>"$GITHUB_OUTPUT"

{
  printf '%d pairs of profiles, start with %s/index.html\n' "${#kinds[@]}" "$out"
  cat "$gate_text"
  [ -z "$instructions" ] || printf '%s\n' "$instructions"
  printf '%s\n' "$verdict"
} | logged
[ "$status" -ne 2 ] || [ "$gate_fails" = yes ] || status=0
judged=yes
exit "$status"
