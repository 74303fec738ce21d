#!/bin/sh
# Records the profiles and benchmark outputs of testdata/ again, or checks them against the manifest.
set -eu

usage() {
  cat <<'EOF'
usage: scripts/record_testdata.sh [PART...]   record everything, or only some of the parts
                                              generator, server, native, imports, leaks, made
       scripts/record_testdata.sh manifest    write testdata/MANIFEST for the files as they are
       scripts/record_testdata.sh -check      verify testdata/MANIFEST; needs no tools

Recording needs Go, gperftools, jemalloc, valgrind, perf and Node; on Debian and Ubuntu what is missing is installed with apt.
Paths of this machine are replaced by /app in every file.
EOF
}

root=$(cd "$(dirname "$0")/.." && pwd)
data=$root/testdata

# shellcheck source=scripts/lib.sh
. "$root/scripts/lib.sh"

# Checks the manifest. A line of the manifest has the SHA-256, two blanks, the path, a tab, and a
# description of the file.
check() {
  cd "$data"
  tab=$(printf '\t')
  sums=$(sed -n "s/^\([0-9a-f]\{64\}  [^$tab]*\)$tab.*/\1/p" MANIFEST)
  [ -n "$sums" ] || die "cannot check testdata: no entry in MANIFEST"
  echo "$sums" | sha256sum --quiet -c || die "testdata differs from its MANIFEST"
  unlisted=$(find . -type f | sed 's|^\./||' | while read -r file; do
    case "$file" in
    MANIFEST | README.md | *.md | *.go | */go.mod | *.c | *.cc | *.h | *.js | *.mjs | *.py | *.rs | *.java | *.jfc | *.rb | *.hs | *.R) continue ;;
    esac
    echo "$sums" | grep -q -F -x -e "$(sha256sum "$file")" || echo "$file"
  done)
  [ -z "$unlisted" ] || die "not in MANIFEST: $unlisted"
  say "$(echo "$sums" | wc -l) files match the manifest"
}

jemalloc() {
  echo "/usr/lib/$(uname -m)-linux-gnu/libjemalloc.so.2"
}

install_tools() {
  set --
  have go || set -- "$@" golang-go
  have g++ || set -- "$@" g++
  [ -e /usr/include/gperftools/profiler.h ] || set -- "$@" libgoogle-perftools-dev
  have valgrind || set -- "$@" valgrind
  have perf || set -- "$@" linux-perf
  have node || set -- "$@" nodejs
  [ -e "$(jemalloc)" ] || set -- "$@" libjemalloc2
  [ -e /usr/include/jemalloc/jemalloc.h ] || set -- "$@" libjemalloc-dev
  [ $# -eq 0 ] || need_packages "$@"
}

tools() {
  [ -x "$work/tools" ] || (cd "$data/tools" && go build -trimpath -o "$work/tools" .)
  "$work/tools" "$@"
}

# Runs each benchmark a fixed number of times, so that both versions do the same work, and their profiles differ only in
# its cost.
record_generator() {
  cd "$data/generator"
  for version in original optimized; do
    name=generator
    [ "$version" = original ] || name=generator_optimized
    mkdir -p "$work/$version"
    go test -tags "$version" . >/dev/null || die "the $version generator is wrong"
    go test -tags "$version" -trimpath -c -o "$work/$version/generator.test" .
    say "$version generator: cpu profile"
    (cd "$work/$version" && ./generator.test -test.run '^$' -test.bench . -test.benchtime 200x \
      -test.cpuprofile cpu.prof >/dev/null)
    say "$version generator: memory profile"
    (cd "$work/$version" && ./generator.test -test.run '^$' -test.bench . -test.benchtime 20x \
      -test.memprofile mem.prof -test.memprofilerate 4096 >/dev/null)
    tools scrub "$work/$version/" /app/ "$work/$version/cpu.prof" "$work/$version/mem.prof"
    cp "$work/$version/cpu.prof" "$data/${name}_cpu.prof"
    cp "$work/$version/mem.prof" "$data/${name}_mem.prof"
    say "$version generator: ten rounds of benchmarks"
    go test -tags "$version" -trimpath -run '^$' -bench . -benchtime 60ms -count 10 . \
      >"$work/$version/bench.txt"
    cp "$work/$version/bench.txt" "$data/bench_$version.txt"
  done
}

# Runs a server without and with -cached. The texts come from the second run, because they are a fifth as long there.
record_server() {
  cd "$data/server"
  go build -trimpath -o "$work/server/server" .
  for run in a b; do
    mkdir -p "$work/server/$run"
    cached=false
    [ "$run" = a ] || cached=true
    say "server, run $run"
    "$work/server/server" -cached="$cached" -dir "$work/server/$run"
  done
  tools scrub "$work/server/" /app/ "$work"/server/?/*
  for kind in cpu heap allocs mutex block goroutine threadcreate; do
    cp "$work/server/a/$kind.pb.gz" "$data/server_$kind.pb.gz"
    cp "$work/server/b/$kind.pb.gz" "$data/server_b_$kind.pb.gz"
  done
  for kind in heap mutex block goroutine threadcreate; do
    cp "$work/server/b/$kind.debug1.txt" "$data/server_b_$kind.debug1.txt"
  done
}

# Keeps the programs with their debug information in testdata, so that tests can symbolize the profiles. Compression and
# the omission of types in headers keep the C++ program small.
record_native() {
  cd "$data/native"
  mkdir -p "$work/native"
  flags="-g -O2 -fno-optimize-sibling-calls -ffile-prefix-map=$data/native=/app -Wl,--build-id=sha1"
  # shellcheck disable=SC2086 # a list of options
  gcc $flags -o "$work/native/native_c" inlined.c -Wl,--no-as-needed -lprofiler
  # shellcheck disable=SC2086
  g++ -std=c++17 $flags -gz -fno-var-tracking -femit-struct-debug-baseonly \
    -o "$work/native/native_cxx" inlined.cc -Wl,--no-as-needed -ltcmalloc_and_profiler
  cd "$work/native"
  say "native programs: cpu profiles"
  export CPUPROFILE_FREQUENCY=250
  CPUPROFILE=native_c.cpu.prof ./native_c 4000 >run.log 2>&1
  CPUPROFILE=native_cxx.cpu.prof ./native_cxx 1200 >run.log 2>&1
  say "native programs: heap profiles"
  HEAPPROFILE=native_cxx ./native_cxx 20 >run.log 2>&1
  mv native_cxx.0001.heap native_cxx.heap
  TCMALLOC_SAMPLE_PARAMETER=16384 ./native_cxx 20 native_cxx.sampled.heap >run.log
  tools scrub "$work/native/" /app/ ./*.prof ./*.heap
  cp native_c native_cxx ./*.prof ./*.heap "$data/native/"
}

# Records a trace of Chromium's performance panel, and removes information about the machine.
record_timeline() {
  echo '<script src="calls.js"></script>' >page.html
  chromium --headless=new --no-sandbox --disable-gpu --user-data-dir="$PWD/browser" \
    --trace-startup=-*,disabled-by-default-v8.cpu_profiler --trace-startup-file="$PWD/startup.json" \
    --trace-startup-format=json --trace-startup-duration=4 --virtual-time-budget=3000 --dump-dom \
    "file://$PWD/page.html" >run.log 2>&1
  node -e 'const { readFileSync } = require("fs");
    const events = JSON.parse(readFileSync("startup.json", "utf8")).traceEvents;
    const lines = events.map((event) => JSON.stringify(event)).join(",\n");
    console.log(`{"traceEvents":[\n${lines}\n]}`)' >calls.timeline.json
  rm -r startup.json page.html browser
}

async_options=start,event=itimer,interval=5ms,wall=20ms,alloc=256k,live,nativemem=64k,lock=1ms,jfropts=31,jfr

# Keeps the log of V8 that 0x writes. Removes code without ticks: megabytes of symbols of node.
record_0x() {
  cp "$data/imports/calls.js" .
  0x -D run0x --collect-only calls.js >run.log 2>&1
  node -e 'const { readFileSync } = require("fs");
    const log = JSON.parse(readFileSync(process.argv[1], "utf8"));
    const codes = new Map(), functions = new Map();
    const number = (map, i) => map.get(i) ?? map.set(i, map.size).get(i);
    const ticks = log.ticks.map((t) => ({ ...t, s: t.s.map((x, i) => (i % 2 || x < 0 ? x : number(codes, x))) }));
    const code = [...codes.keys()].map((i) => log.code[i])
      .map(({ source, deopt, ...c }) => ("func" in c ? { ...c, func: number(functions, c.func) } : c));
    const kept = [...functions.keys()].map((f) => log.functions[f])
      .map((f) => ({ ...f, codes: f.codes.filter((c) => codes.has(c)).map((c) => codes.get(c)) }));
    console.log(JSON.stringify({ code, functions: kept, ticks }));' run0x/isolate-*.log.json >calls.0x.v8log.json
  rm -r run0x calls.js
}

# Records with tools that Debian lacks, from npm (0x), PyPI (py-spy pyinstrument memray austin-dist pytest-benchmark), crates.io (inferno)
# and FlameGraph. Keeps the old file of a tool that is not in PATH. Replaces paths of the packages by Debian's paths.
record_packages() {
  say "calls: 0x, py-spy, pyinstrument, memray, austin, pytest-benchmark, inferno, FlameGraph, heaptrack where they are"
  cp "$data/imports/calls.py" "$data/imports/test_calls.py" .
  ! have py-spy || py-spy record -r 50 -d 2 -f raw -o calls.pyspy.folded -- python3 calls.py 3 >run.log 2>&1
  ! have py-spy || py-spy record -r 50 -d 2 -f speedscope -o calls.pyspy.speedscope.json -- python3 calls.py 3 >run.log 2>&1
  ! have pyinstrument || pyinstrument -i 0.02 -r speedscope -o calls.pyinstrument.speedscope.json calls.py 2 >run.log 2>&1
  ! have pyinstrument || pyinstrument -i 0.02 -r json -o calls.pyinstrument.json calls.py 1 >run.log 2>&1
  cp "$data/imports/calls.R" .
  ! have R || R --vanilla -q -e 'options(keep.source = TRUE); source("calls.R")' --args 120 >run.log 2>&1
  if have memray; then
    memray run -q -f -o calls.memray calls.py 1
    memray transform speedscope -f -o calls.memray.speedscope.json calls.memray >run.log
    memray transform gprof2dot -f -o calls.memray.gprof2dot.json calls.memray >run.log
    rm calls.memray
  fi
  ! have austin || austin -i 20ms -x 2 -o calls.austin.txt python3 calls.py 3 >run.log 2>&1
  ! have austin || austin -b -i 20ms -x 2 -o calls.mojo python3 calls.py 3 >run.log 2>&1
  ! have inferno-collapse-perf || inferno-collapse-perf <calls.perf.txt >calls.inferno.folded
  ! have stackcollapse-perf.pl || stackcollapse-perf.pl --all <calls.perf.txt >calls.flamegraph.folded
  if have heaptrack; then
    heaptrack -o "$work/imports/heap" ./calls 50 >run.log 2>&1
    heaptrack_print -F calls.heaptrack.folded -f heap.* >run.log
    rm heap.*
  fi
  ! have 0x || record_0x
  ! have pytest || pytest -q --benchmark-json="$data/bench/calls.pytest.json" test_calls.py >run.log 2>&1
}

# Records one small program with profilers of other languages. Callgrind collects only main (or a thread), because the
# dynamic linker would otherwise be most of the file.
record_imports() {
  mkdir -p "$work/imports"
  cd "$data/imports"
  gcc -g -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls \
    -ffile-prefix-map="$data/imports=/app" -o "$work/imports/calls" calls.c -pthread
  cp calls.js "$work/imports/"
  cd "$work/imports"
  say "calls: callgrind, cachegrind, dhat"
  callgrind="valgrind -q --tool=callgrind --I1=32768,8,64 --D1=32768,8,64 --LL=8388608,16,64"
  $callgrind --cache-sim=yes --collect-systime=nsec --toggle-collect=main \
    --callgrind-out-file=calls.callgrind.out ./calls >run.log 2>&1
  $callgrind --dump-instr=yes --collect-jumps=yes --toggle-collect=work \
    --callgrind-out-file=calls.instr.callgrind.out ./calls >run.log 2>&1
  $callgrind --separate-threads=yes --combine-dumps=yes --compress-strings=no --compress-pos=no \
    --toggle-collect=work --callgrind-out-file=calls.threads.callgrind.out ./calls >run.log 2>&1
  gcc -g -O1 -fno-optimize-sibling-calls -Wl,-z,now -ffile-prefix-map="$data/imports=/app" \
    -o counts "$data/imports/counts.c"
  valgrind -q --tool=callgrind --instr-atstart=no --combine-dumps=yes --separate-callers=60 \
    --callgrind-out-file=calls.stacks.callgrind.out ./counts >run.log 2>&1
  valgrind -q --tool=cachegrind --cachegrind-out-file=calls.cachegrind.out ./calls >run.log 2>&1
  valgrind -q --tool=dhat --dhat-out-file=calls.dhat.json ./calls >run.log 2>&1
  say "calls: perf, jemalloc, node"
  perf record -q -e cpu-clock:u -F 97 -g -o perf.data ./calls 40000 >run.log 2>&1
  perf script -i perf.data >calls.perf.txt
  LD_PRELOAD=$(jemalloc) MALLOC_CONF=prof:true,lg_prof_sample:12,prof_final:true,prof_accum:true \
    ./calls >run.log 2>&1
  mv jeprof.*.heap calls.jemalloc.heap
  node --cpu-prof --cpu-prof-interval 2000 --cpu-prof-name=calls.cpuprofile calls.js >run.log
  node --heap-prof --heap-prof-interval 65536 --heap-prof-name=calls.heapprofile calls.js >run.log
  node --trace-event-categories v8 --trace-event-file-pattern=calls.trace.json calls.js >run.log
  record_timeline
  esbuild calls.js --bundle --platform=node --minify --sourcemap --outfile=calls.min.js >run.log 2>&1
  node --cpu-prof --cpu-prof-interval 4000 --cpu-prof-name=calls.min.cpuprofile calls.min.js >run.log
  say "calls: Flight Recorder"
  javac -d . "$data/imports/calls.java"
  java -Xmx64m "-XX:StartFlightRecording=settings=$data/imports/calls.jfc,filename=calls.jfr" \
    calls 700 >run.log 2>&1
  # Debian has no package of async-profiler. Without it, keep the old recording.
  if [ -f "${ASYNC_PROFILER:-}" ]; then
    java -Xmx64m "-agentpath:$ASYNC_PROFILER=$async_options,file=calls.async.jfr" calls 500 >run.log 2>&1
  fi
  for version in 41 42 46; do
    eval "library=\${ASYNC_PROFILER_$version:-}"
    [ ! -f "$library" ] ||
      java -Xmx64m "-agentpath:$library=start,event=itimer,interval=5ms,threads,otlp,file=calls.async$version.otlp" \
        calls 500 >run.log 2>&1
  done
  rm -f ./calls*.class
  record_packages
  say "calls: goroutines"
  go build -trimpath -o goroutines "$data/imports/calls.go"
  ./goroutines dump >calls.goroutines.txt
  ./goroutines panic 2>calls.panic.txt || true
  ./goroutines wait 2>calls.quit.txt &
  sleep 1
  kill -QUIT $!
  wait $! || true
  rm run.log goroutines
  tools scrub "$work/imports/" /app/ ./calls.*
  gzip -9n calls.cachegrind.out calls*.jfr
  install -m 644 ./calls.*[!s] "$data/imports/"
}

# Records programs that leak, or only seem to leak, in ten steps. Keeps the C programs in testdata for their names, and
# only the needed parts of the memory maps.
record_leaks() {
  cd "$data/leaks/server"
  go build -trimpath -o "$work/leaks/server" .
  for mode in goroutines map cache sawtooth; do
    say "leaks: $mode"
    mkdir -p "$work/leaks/$mode" "$data/leaks/$mode"
    "$work/leaks/server" "$mode" "$work/leaks/$mode" 10
    tools scrub "$work/leaks/" /app/ "$work/leaks/$mode"/*.pb.gz
    cp "$work/leaks/$mode"/*.pb.gz "$data/leaks/$mode/"
  done
  cd "$data/leaks/native"
  say "leaks: gperftools and jemalloc"
  flags="-O1 -fno-omit-frame-pointer -no-pie -ffile-prefix-map=$data/leaks/native=/app"
  # shellcheck disable=SC2086 # a list of options
  gcc $flags -o "$work/leaks/leaky" leaky.c -ltcmalloc
  # shellcheck disable=SC2086
  gcc $flags -DWITH_JEMALLOC -o "$work/leaks/leaky_jemalloc" leaky.c -ljemalloc
  mkdir -p "$work/leaks/gperftools" "$work/leaks/jemalloc" "$data/leaks/gperftools" "$data/leaks/jemalloc"
  HEAP_PROFILE_ALLOCATION_INTERVAL=0 HEAP_PROFILE_INUSE_INTERVAL=0 \
    "$work/leaks/leaky" "$work/leaks/gperftools/leaky" 2>"$work/leaks/run.log"
  rm "$work/leaks/gperftools/leaky.0010.heap" # profile written at the end of the program
  MALLOC_CONF="prof:true,lg_prof_sample:16,prof_accum:true,prof_prefix:$work/leaks/jemalloc/leaky" \
    "$work/leaks/leaky_jemalloc"
  for file in "$work"/leaks/jemalloc/*.heap; do
    mv "$file" "$work/leaks/jemalloc/leaky.${file##*m}" # from leaky.PID.1.m1.heap
  done
  for file in "$work"/leaks/gperftools/*.heap "$work"/leaks/jemalloc/*.heap; do
    grep -E '/leaky$|/leaky_jemalloc$|/libc\.so|/lib(tcm|jem)alloc|^[^0-9a-f]|^$' "$file" >"$file.short"
    mv "$file.short" "$file"
    tools scrub "$work/leaks/" /app/ "$file"
    cp "$file" "$data/leaks/$(basename "$(dirname "$file")")/"
  done
  cp "$work/leaks/leaky" "$work/leaks/leaky_jemalloc" .
}

record_made() {
  say "made files: valid and broken"
  tools valid "$data/valid"
  tools broken "$data/broken"
}

# Fails if a file contains a path of this machine.
check_paths() {
  if grep -r -l -a -F -e "$work" -e "$root" "$data"; then
    die "the files above name folders of this machine"
  fi
  for file in "$data"/*.prof "$data"/*.pb.gz "$data"/imports/*.gz "$data"/leaks/*/*.pb.gz; do
    if gzip -dc "$file" | grep -q -a -F -e "$work" -e "$root"; then
      die "'$file' names folders of this machine"
    fi
  done
}

main() {
  case "${1:-}" in
  -check) check && exit 0 ;;
  -h | -help | --help) usage && exit 0 ;;
  esac
  [ $# -gt 0 ] || set -- generator server native imports leaks made
  for part in "$@"; do
    case "$part" in
    generator | server | native | imports | leaks | made | manifest) ;;
    *) usage >&2 && die "unknown part '$part'" ;;
    esac
  done
  install_tools
  export GOFLAGS=-mod=mod GOPROXY=off GOMAXPROCS=2
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  for part in "$@"; do
    [ "$part" = manifest ] || "record_$part"
  done
  check_paths
  tools manifest "$data" >"$work/MANIFEST"
  cp "$work/MANIFEST" "$data/MANIFEST"
  check
}

main "$@"
