package main

// The manifest: for each file of testdata its hash, its sample types and how it was made.

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

const manifestHead = `Files of testdata. scripts/record_testdata.sh records them again, with -check it compares them with
the hashes below. Columns: sha256 and path, then sample types or "-", then how the file was made;
the last two are set off by tabs. The programs that were recorded are in generator, server, native,
leaks and imports.

`

// origins says how files were made; the first pattern that matches counts. An empty text means that
// the file is source code and not listed.
var origins = []struct{ pattern, how string }{
	{"MANIFEST", ""}, {"*.md", ""}, {"*/*.go", ""}, {"*/go.mod", ""},
	{"native/*.c", ""}, {"native/*.cc", ""},
	{"imports/*.java", ""}, {"imports/*.jfc", ""},
	{"imports/*.c", ""}, {"imports/*.h", ""}, {"imports/*.js", ""}, {"imports/*.py", ""},
	{"imports/*.rb", ""}, {"imports/*.hs", ""}, {"imports/*.R", ""}, {"imports/*.cc", ""},
	{"parse_pr/*.py", ""}, {"parse_pr/*/*.py", ""},
	{"generator_optimized_cpu.prof", "generator, tag optimized, -bench . -benchtime 200x -cpuprofile"},
	{"generator_optimized_mem.prof", "generator, tag optimized, -bench . -benchtime 20x -memprofile"},
	{"generator_cpu.prof", "generator, -bench . -benchtime 200x -cpuprofile"},
	{"generator_mem.prof", "generator, -bench . -benchtime 20x -memprofile"},
	{"bench_original.txt", "generator, go test -bench . -count 10"},
	{"bench_optimized.txt", "generator, tag optimized, go test -bench . -count 10"},
	{"server_b_*.pb.gz", "server -cached, runtime/pprof"},
	{"server_*.pb.gz", "server, runtime/pprof"},
	{"server_*.debug1.txt", "server -cached, runtime/pprof text of debug=1"},
	{"bench/gate_*.txt", "made-up samples with known verdicts, judged by hand and by an independent program"},
	{"native/native_c", "native/inlined.c, the program that was recorded"},
	{"native/native_cxx", "native/inlined.cc, the program that was recorded"},
	{"native/native_c.cpu.prof", "native_c under gperftools' libprofiler"},
	{"native/native_cxx.cpu.prof", "native_cxx under gperftools' libprofiler"},
	{"native/native_cxx.heap", "native_cxx under tcmalloc, HEAPPROFILE"},
	{"native/native_cxx.sampled.heap", "native_cxx under tcmalloc, sampled every 16 KiB"},
	{"leaks/server/*.go", ""}, {"leaks/server/go.mod", ""}, {"leaks/native/*.c", ""},
	{"leaks/goroutines/*", "leaks/server goroutines, goroutine?gc=1 every 0.2 s"},
	{"parse_pr/recorded/*", "parse_pr in three languages, pprofci run -simulate, pprofc -folded of the benchmark's function"},
	{"leaks/map/*", "leaks/server map, heap?gc=1 every 0.2 s"},
	{"leaks/cache/*", "leaks/server cache, heap?gc=1 every 0.2 s"},
	{"leaks/sawtooth/*", "leaks/server sawtooth, heap?gc=1 every 0.2 s"},
	{"leaks/native/leaky", "leaks/native/leaky.c with gperftools, the program that was recorded"},
	{"leaks/native/leaky_jemalloc", "leaks/native/leaky.c with jemalloc, the program that was recorded"},
	{"leaks/gperftools/*", "leaks/native/leaky, HeapProfilerDump after each round"},
	{"leaks/jemalloc/*", "leaks/native/leaky_jemalloc, prof.dump after each round"},
	{"imports/calls.stacks.callgrind.out", "imports/counts.c under callgrind --separate-callers=60 --combine-dumps=yes"},
	{"imports/calls.callgrind.out", "imports/calls.c under callgrind --cache-sim=yes --collect-systime=nsec"},
	{"imports/calls.instr.callgrind.out", "imports/calls.c under callgrind --dump-instr=yes --collect-jumps=yes"},
	{"imports/calls.threads.callgrind.out", "imports/calls.c under callgrind --separate-threads=yes"},
	{"imports/calls.cachegrind.out.gz", "imports/calls.c under cachegrind"},
	{"imports/calls.dhat.json", "imports/calls.c under dhat"},
	{"imports/calls.perf.txt", "imports/calls.c, perf record -e cpu-clock:u -g and perf script"},
	{"imports/calls.jemalloc.heap", "imports/calls.c with jemalloc, MALLOC_CONF=prof:true"},
	{"imports/calls.0x.v8log.json", "imports/calls.js, 0x --collect-only, without the code that no tick has"},
	{"imports/calls.rbspy.folded", "imports/calls.rb, rbspy record --rate 50 --format collapsed"},
	{"imports/calls.rbspy.speedscope.json", "imports/calls.rb, rbspy record --rate 50 --format speedscope"},
	{"imports/calls.pyspy.folded", "imports/calls.py, py-spy record -r 50 -f raw"},
	{"imports/calls.pyspy.speedscope.json", "imports/calls.py, py-spy record -r 50 -f speedscope"},
	{"imports/calls.pyinstrument.speedscope.json", "imports/calls.py, pyinstrument -i 0.02 -r speedscope"},
	{"imports/calls.memray.speedscope.json", "imports/calls.py, memray run and memray transform speedscope"},
	{"imports/calls.austin.txt", "imports/calls.py, austin -i 20ms"},
	{"imports/calls.austin4.mojo", "imports/calls.py, austin 4.0.0 -i 20ms"},
	{"imports/calls.full.austin4.mojo", "imports/calls.py, austin 4.0.0 -i 20ms -f"},
	{"imports/calls.stackprof.json", "imports/calls.rb, StackProf.run(mode: :wall, interval: 10000, raw: true)"},
	{"imports/calls.vernier.json.gz", "imports/calls.rb, Vernier.profile(mode: :wall, interval: 5000)"},
	{"imports/calls.retained.vernier.json", "imports/calls.rb, Vernier.profile(mode: :retained)"},
	{"imports/calls.samply.json.gz", "imports/calls.c, samply record --save-only --rate 1000"},
	{"imports/calls.haskell.prof", "imports/Calls.hs, ghc -O1 -prof, calls 60 +RTS -pj"},
	{"imports/calls.mojo", "imports/calls.py, austin -i 20ms -b"},
	{"imports/calls.heaptrack.folded", "imports/calls.c with heaptrack, heaptrack_print -F"},
	{"imports/calls.inferno.folded", "imports/calls.perf.txt, inferno-collapse-perf"},
	{"imports/calls.flamegraph.folded", "imports/calls.perf.txt, FlameGraph's stackcollapse-perf.pl --all"},
	{"bench/*.rs", ""},
	{"bench/criterion/*/*/*/*/*", "bench/criterion.rs, cargo bench"},
	{"bench/calls.pytest.json", "imports/test_calls.py, pytest --benchmark-json, without the machine"},
	{"imports/calls.cpuprofile", "imports/calls.js, node --cpu-prof"},
	{"imports/calls.heapprofile", "imports/calls.js, node --heap-prof"},
	{"imports/calls.trace.json", "imports/calls.js, node --trace-event-categories v8"},
	{"imports/calls.timeline.json", "imports/calls.js in chromium --headless, --trace-startup=disabled-by-default-v8.cpu_profiler"},
	{"imports/calls.min.cpuprofile", "imports/calls.js, minified, node --cpu-prof"},
	{"imports/calls.min.js.map", "imports/calls.js, esbuild 0.28.2 --bundle --platform=node --minify --sourcemap"},
	{"imports/calls.goroutines.txt", "imports/calls.go, goroutine profile with debug=2"},
	{"imports/calls.panic.txt", "imports/calls.go, which panics"},
	{"imports/calls.quit.txt", "imports/calls.go, ended by SIGQUIT"},
	{"imports/calls.jfr.gz", "imports/calls.java, java -XX:StartFlightRecording=settings=calls.jfc"},
	{"imports/calls.async.jfr.gz", "imports/calls.java, java -agentpath:libasyncProfiler.so"},
	{"imports/calls*.jfr.sums", "tests/interop/flight_recorder.py --update, the JDK's jfr print"},
	{"imports/calls.pstats", "imports/calls.py, python3 -m cProfile -o"},
	{"imports/calls.Rprof", "imports/calls.R, Rprof with lines and memory"},
	{"imports/calls.ghc.prof", "imports/Calls.hs, ghc -O1 -prof -fprof-auto, calls 60 +RTS -P"},
	{"imports/calls.pyisession", "imports/calls.py, pyinstrument -i 0.02 -r session, without sys_path and sys_prefixes"},
	{"imports/calls.pyinstrument.json", "imports/calls.py, pyinstrument -i 0.02 -r json"},
	{"imports/calls.scalene.json", "imports/calls.py, scalene run --cpu-only --stacks, without members that pprofc does not read"},
	{"imports/calls.bpftrace.txt", "dd if=/dev/zero of=/dev/null, bpftrace profile:hz:49 { @[kstack(6), comm] = count(); }"},
	{"imports/calls.bpftrace.json", "a loop in C, bpftrace -f json profile:hz:49 { @user[ustack, comm] = count(); @all[comm] = count(); }"},
	{"imports/calls.async4*.otlp", "imports/calls.java, java -agentpath:libasyncProfiler.so with otlp, of version 4.1, 4.2 or 4.6"},
	{"imports/calls.memray.gprof2dot.json", "imports/calls.py, memray transform gprof2dot"},
	{"imports/made_1*.otlp", "imports/made_otlp.go"},
	{"imports/made_lines.otlp.json", "imports/made.otlp, the JSONMarshaler of go.opentelemetry.io/collector/pdata/pprofile; the second line changed by hand"},
	{"imports/made.perf.data", "written with tests/perf/scaling_inputs.py"},
	{"imports/made*.jfr*", "written with tests/perf/jfr_writer.py"},
	{"imports/made*", "written by hand in the form that the format's tools give"},
	{"valid/*", "testdata/tools/valid.go"},
	{"broken/*", "testdata/tools/broken.go"},
}

func originOf(path string) (string, error) {
	for _, origin := range origins {
		if ok, _ := filepath.Match(origin.pattern, path); ok {
			return origin.how, nil
		}
	}
	return "", fmt.Errorf("no origin for '%s': add one to testdata/tools/manifest.go", path)
}

// sampleTypes reads the types of a profile; files of other formats give "-".
func sampleTypes(data []byte) string {
	if isGzip(data) {
		plain, err := decompress(data)
		if err != nil || len(plain) > 16<<20 {
			return "-"
		}
		data = plain
	}
	fields, err := splitFields(data)
	if err != nil {
		return "-"
	}
	var types, names []string
	for _, f := range fields {
		if f.number == fieldString {
			names = append(names, string(f.payload))
		}
	}
	for _, f := range fields {
		if f.number != fieldSampleType {
			continue
		}
		index := [3]uint64{}
		members, err := splitFields(f.payload)
		for _, member := range members {
			if member.number < len(index) {
				index[member.number] = member.value
			}
		}
		if err != nil || index[1] >= uint64(len(names)) || index[2] >= uint64(len(names)) {
			return "-"
		}
		types = append(types, names[index[1]]+"/"+names[index[2]])
	}
	if len(types) == 0 {
		return "-"
	}
	return strings.Join(types, " ")
}

// legacyTypes names what gperftools' and Go's older formats hold.
func legacyTypes(path string, data []byte) string {
	switch {
	case strings.HasPrefix(path, "broken/"):
		return "-"
	case strings.HasSuffix(path, ".cpu.prof"):
		return "samples/count cpu/nanoseconds (binary)"
	case strings.HasPrefix(path, "leaks/gperftools/"), strings.HasPrefix(path, "leaks/jemalloc/"):
		return "alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes (text)"
	case bytes.HasPrefix(data, []byte("heap profile:")):
		return "objects/count space/bytes (text)"
	case bytes.HasPrefix(data, []byte("--- ")):
		return "contentions/count delay/nanoseconds (text)"
	case bytes.Contains(data[:min(len(data), 80)], []byte(" profile: total ")):
		return "counts (text)"
	}
	return "-"
}

func min(a, b int) int {
	if a < b {
		return a
	}
	return b
}

func manifest(dir string) (string, error) {
	var lines []string
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		path := strings.TrimPrefix(filepath.ToSlash(name), filepath.ToSlash(dir)+"/")
		how, err := originOf(path)
		if err != nil || how == "" {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		types := sampleTypes(data)
		if types == "-" {
			types = legacyTypes(path, data)
		}
		lines = append(lines, fmt.Sprintf("%x  %s\t%s\t%s\n", sha256.Sum256(data), path, types, how))
		return nil
	})
	if err != nil {
		return "", err
	}
	sort.Slice(lines, func(i, j int) bool { return lines[i][64:] < lines[j][64:] })
	return manifestHead + strings.Join(lines, ""), nil
}
