/* Describes all profile formats. `pprofc -formats` and docs/FORMATS.md are generated from this
 * table.
 *
 * Add the row of a new format next to similar formats, and run `scripts/manual.sh build/bin` to
 * update the document. `reader` is the name of the reader's function without "import_". A row names
 * the programs that write the format, and the version that wrote the example. It also lists the
 * kept data and the lost data. A comment in the profile counts the losses listed after "counted:".
 * The option -time_range accepts formats whose rows list "times of samples".
 *
 * The style test `complete` checks that each reader of formats.c and each row of json/json.c has a
 * row here. It also checks that the file `example` exists below testdata, and that a golden case
 * reads it. */
#include "import/import.h"

const struct format_row import_format_table[] = {
    {"pprof", "pprof `profile.proto`",
     "Go's runtime/pprof and net/http/pprof, gperftools' pprof, Pyroscope, pprof-rs, `pprofc "
     "-proto`",
     "the fields of the schema; tried first", "go 1.26.8", "generator_cpu.prof", "everything",
     "nothing"},
    {"gperftools_cpu", "gperftools CPU profile", "libprofiler (`CPUPROFILE`)",
     "the numbers 0 and 3 at the start, each of 4 or 8 bytes in either byte order",
     "gperftools 2.10", "native/native_c.cpu.prof",
     "`samples/count`, `cpu/nanoseconds`; mappings from the memory map after the samples",
     "the frame of the signal handler"},
    {"heap_text", "heap profile, text",
     "gperftools and TCMalloc (`HEAPPROFILE`, heapz, growthz), Go's heap with `debug=1`",
     "`heap profile:` or the like in the first line", "gperftools 2.10, go 1.26.8",
     "native/native_cxx.heap",
     "objects and space, allocated and in use, scaled up if they are sampled; mappings",
     "function names in comments after `#` of Go's text; pprofc reads the addresses"},
    {"go_count", "Go count profile", "Go's goroutine and threadcreate profiles with `debug=1`",
     "`NAME profile: total N` in the first line", "go 1.26.8", "server_b_goroutine.debug1.txt",
     "one sample type with the name of the profile; addresses", "function names after `#`; labels"},
    {"threadz", "thread profile", "threadz pages of C++ servers", "`--- threadz 1 ---`",
     "made by hand", NULL, "`thread/count`; addresses and mappings", "states of threads"},
    {"contention", "contention profile", "Go's mutex and block with `debug=1`, contentionz pages",
     "`--- contention` or `--- mutex`", "go 1.26.8", "server_b_mutex.debug1.txt",
     "`contentions/count`, `delay/nanoseconds`", "function names after `#`"},
    {"java", "Java profile", "the heapz and contentionz pages of Google's JVM agent",
     "`--- heapz 1 ---` or `--- contentionz 1 ---`", "made by hand", NULL,
     "objects and space, or contentions and delay; names and lines", "nothing"},
    {"jemalloc", "jemalloc heap profile",
     "jemalloc with `prof:true` (`jeprof.*.heap`), Rust and C++",
     "the first line is `heap_v2/RATE`", "jemalloc 5.3.0", "imports/calls.jemalloc.heap",
     "`inuse_objects/count` and `inuse_space/bytes`, scaled up as jeprof does; with `prof_accum` "
     "also `alloc_objects` and `alloc_space`; mappings; stacks without the frames of libjemalloc "
     "at their leaf",
     "values of single threads (pprofc reads the sums of all threads, `t*:`)"},
    {"callgrind", "callgrind, cachegrind",
     "valgrind `--tool=callgrind`, `--tool=cachegrind`; CodSpeed's valgrind, Xdebug, `pprofc "
     "-callgrind`, kcachegrind's converters",
     "header lines, one of them `events:`, then `fl=`, `fn=` or `ob=`", "valgrind 3.19.0",
     "imports/calls.callgrind.out",
     "a sample type for each event; binaries, files, lines, instructions; labels `benchmark`, "
     "`thread`, `part`; stacks of `--separate-callers=N` are exact",
     "counted: unreadable lines; jumps. Without `--separate-callers`, stacks are "
     "estimated from a call graph: `-callgrind_stacks`"},
    {"pstats", "pstats", "Python's cProfile and profile (`python -m cProfile -o FILE`), yappi",
     "a dictionary of Python's marshal format, whose keys are functions", "Python 3.11.2",
     "imports/calls.pstats",
     "`wall/nanoseconds`; files and lines of functions; stacks are made from a call graph: "
     "`-callgrind_stacks`",
     "counts of calls"},
    {"json_cpuprofile", "V8 CPU profile (`.cpuprofile`)",
     "`node --cpu-prof`, Chrome's developer tools, the inspector's `Profiler.stop`, v8-profiler "
     "(files with `head`)",
     "JSON with `nodes`, `startTime`; or with `head`, `samples`", "node 20.20.2",
     "imports/calls.cpuprofile",
     "`samples/count`, `wall/nanoseconds`; times of samples. `(garbage collector)` and `(program)` "
     "become callees of the function before them. A file without samples gives the hit counts of "
     "its nodes",
     "counted: idle time, samples of unknown nodes; ticks of lines, reasons of deoptimization"},
    {"json_timeline", "Chrome timeline", "Chrome's performance panel (`Trace-*.json`), Puppeteer",
     "trace events `CpuProfile`, or `Profile` and `ProfileChunk`", "Chromium 156",
     "imports/calls.timeline.json",
     "as for a V8 CPU profile, for each profile in the file; labels `process`, `pid`, `thread`, "
     "`tid`; times of samples",
     "counted: idle time, all other events"},
    {"json_trace", "trace events",
     "Chromium's tracing, catapult, Perfetto's JSON, Hermes, `node --trace-event-categories`, "
     "clang "
     "`-ftime-trace`, many tracers",
     "JSON: an array of events with `ph`, alone or as `traceEvents`; its end may be missing",
     "node 20.20.2", "imports/calls.trace.json",
     "events with begin and end (B, E) and complete events (X) give `calls/count`, and the self "
     "time of a frame as `wall/nanoseconds`. Samples (`samples` or P, with `stackFrames`) give "
     "`samples/count` and `wall/nanoseconds`. Arguments become labels, or file and line of a "
     "function; labels `process`, `pid`, `thread`, `tid`; times of samples",
     "counted: ends without a begin, events without an end, events of other kinds (async, "
     "counters, flows)"},
    {"json_v8_log", "V8 log, preprocessed", "0x, `node --prof-process --preprocess isolate-*.log`",
     "JSON with `code`, `functions`, `ticks`", "0x 6.0.0, node 20.20.2",
     "imports/calls.0x.v8log.json",
     "`samples/count`, `wall/nanoseconds`; functions of scripts with file and line",
     "counted: ticks without `s`; states of the virtual machine"},
    {"json_heapprofile", "V8 heap profile (`.heapprofile`)", "`node --heap-prof`, Chrome",
     "JSON with `head` and `selfSize`", "node 20.20.2", "imports/calls.heapprofile",
     "`inuse_space/bytes`", "the order of allocations"},
    {"json_speedscope", "speedscope",
     "py-spy, rbspy, dotnet-trace, pyinstrument, memray, speedscope itself, `pprofc -speedscope`",
     "JSON with `shared.frames` and `profiles`",
     "py-spy 0.4.3, rbspy 0.55.0, pyinstrument 5.1.3, memray 1.20.0",
     "imports/calls.pyspy.speedscope.json",
     "one sample type for each unit; the name of a profile as label `profile`; times of samples if "
     "the unit is a time. A file that `pprofc -speedscope` wrote gives its original sample types",
     "counted: unreadable samples and events, and weights with a fraction, which are "
     "rounded"},
    {"json_dhat", "DHAT", "valgrind `--tool=dhat`, Rust's dhat", "JSON with `dhatFileVersion` 2",
     "valgrind 3.19.0", "imports/calls.dhat.json",
     "blocks and bytes: `total`, at the peak (`gmax`), at the `end`; `reads`, `writes`; "
     "`drop_frames` hides the "
     "functions of the allocator",
     "counted: frames missing in the table of frames; lifetimes, accesses by byte"},
    {"json_firefox", "Firefox Profiler", "profiler.firefox.com, samply, Ruby's vernier",
     "JSON with `meta.preprocessedProfileVersion`", "samply 0.13.1, vernier 1.11.0",
     "imports/calls.samply.json.gz",
     "samples, time or bytes, depending on the type of the weights; `cpu/nanoseconds` or "
     "`cycles/count`; "
     "labels `process`, `pid`, `thread`, `tid`; times of samples. Code without names keeps "
     "library, build id and address, so names, lines and inlined functions come from the binaries",
     "markers, counters, categories"},
    {"v8_prof_log", "V8 log (`isolate-*.log`)", "`node --prof`", "`v8-version,` at the start",
     "node 20.20.2", NULL,
     "pprofc runs `node --prof-process --preprocess` and reads its output; use the version of node "
     "that wrote the log",
     "the same as for a preprocessed V8 log"},
    {"json_gecko", "Firefox, as recorded",
     "Firefox's built-in profiler, the developer tools of Firefox 42 to 70",
     "JSON with `threads` whose `samples` have a `schema`, alone or as `profile`", "made by hand",
     "imports/made.gecko.json",
     "`samples/count`, `wall/nanoseconds`; labels `pid`, `thread`, `tid`; times of samples. "
     "Recordings of the developer tools give only the main thread and frames of pages",
     "markers, categories, memory"},
    {"json_safari", "Safari timeline", "Safari's Web Inspector, exported",
     "JSON with `recording.sampleStackTraces`", "made by hand", "imports/made.safari.json",
     "`samples/count`, `wall/nanoseconds`",
     "counted: samples without a stack; records of timelines"},
    {"json_stackprof", "stackprof", "Ruby's stackprof (`--json`)",
     "JSON with `mode`, `interval`, `frames`", "stackprof 0.2.27, Ruby 3.1.7",
     "imports/calls.stackprof.json",
     "`samples/count`, and `cpu/nanoseconds` or `wall/nanoseconds`, computed from the interval if "
     "a file has no times. Garbage collection becomes a callee of the running function. Lines "
     "of functions, or executed lines from version 0.2.27 on",
     "counted: unreadable stacks. A file without `raw` has no stacks"},
    {"json_haskell", "GHC profile in JSON", "Haskell programs with `+RTS -pj`",
     "JSON with `cost_centres` and `profile`", "GHC 9.0.2", "imports/calls.haskell.prof",
     "`ticks/count`, `alloc_space/bytes`, `time/nanoseconds` of each cost centre",
     "number of calls of each cost centre"},
    {"json_pyinstrument", "pyinstrument JSON", "`pyinstrument -r json`",
     "JSON with `root_frame` and `sample_count`", "pyinstrument 5.1.3",
     "imports/calls.pyinstrument.json", "`wall/nanoseconds`, own time of each frame; files, lines",
     "the order of samples"},
    {"json_pyinstrument_session", "pyinstrument session",
     "`pyinstrument -r session` (`.pyisession`)", "JSON with `frame_records` and `sample_count`",
     "pyinstrument 5.1.3", "imports/calls.pyisession",
     "`samples/count`, `wall/nanoseconds`; files and the executed lines; threads as frames",
     "counted: samples without a stack; classes of methods, the order of samples"},
    {"json_scalene", "Scalene", "Scalene's JSON", "JSON with `files` and `elapsed_time_sec`",
     "Scalene 2.4.0", "imports/calls.scalene.json",
     "`samples/count`, `python`, `native` and `cpu/nanoseconds` of each stack; without stacks the "
     "times and `alloc_space/bytes` of lines",
     "counted: unreadable stacks; stacks of memory, GPU and copies"},
    {"json_gprof2dot", "gprof2dot JSON", "`memray transform gprof2dot`, gprof2dot",
     "JSON with `costs`, `events` and `functions`", "memray 1.20.0",
     "imports/calls.memray.gprof2dot.json", "one sample type for each cost; modules as files",
     "counted: events without a readable stack"},
    {"jfr", "Java Flight Recorder (JFR)",
     "the JDK (11 and later, 8 from 8u262), async-profiler with `jfr`, Datadog's and Grafana's "
     "agents",
     "`FLR` and a zero byte at the start", "JDK 25.0.3, async-profiler 4.0", "imports/calls.jfr.gz",
     "a sample type for each kind of event; threads, their states, classes of objects and spans as "
     "labels; lines; interpreted, inlined, native and kernel code; times of samples",
     "counted: stacks that the recorder cut off, samples that it lost, samples without a stack, "
     "other events, and an incomplete last chunk; parameter types of methods"},
    {"go_dump", "goroutine dump",
     "`/debug/pprof/goroutine?debug=2`, goroutineleak, a Go program's panic or SIGQUIT, also "
     "inside "
     "a log whose lines begin with a time stamp",
     "a line `goroutine 7 [chan receive, 5 minutes]:` with a stack below it", "go 1.26.8",
     "imports/calls.goroutines.txt",
     "`goroutine/count`; labels `state`, `creator`, `wait` (time), `thread` (`locked`), `bubble` "
     "(of testing/synctest), and `dump` if a goroutine occurs again; inlined functions",
     "counted: stacks that the dump of another program interrupts, and other lines; arguments and "
     "numbers of goroutines"},
    {"otlp", "OTLP profiles",
     "OpenTelemetry: the collector, the eBPF profiler, async-profiler, `pprofc -otlp`",
     "a message with only the fields 1 and 2, one of them a dictionary: `ProfilesData` or an "
     "export request of schema 1.6 to 1.11, alone or as a stream of frames. JSON: "
     "`resourceProfiles`, one document or one in each line",
     "made by hand", "imports/made.otlp",
     "one sample type for each profile; attributes and links as labels; times of samples if they "
     "have timestamps. Attributes of the resource become comments, or labels if there are several "
     "resources",
     "counted: timestamps, unless a flag such as -time_range needs them"},
    {"perf_script", "perf script", "Linux `perf script`",
     "a header with a thread id and an event, then frames in hexadecimal", "perf 6.1.187",
     "imports/calls.perf.txt",
     "`samples/count`, and a type for each event; labels `thread`, `pid`, `tid`, `cpu`; inlined "
     "frames; times of samples; with `-F +pid --show-mmap-events` the mappings of each process. "
     "Headers may lack fields, and lines may have lost their indentation",
     "counted: unreadable lines, and samples of events after the 32nd (only their type `samples` "
     "is kept); mapped files after the first MiB of a pipe"},
    {"instruments", "Instruments text",
     "Apple's Instruments 7 to 16: Edit, Deep Copy of the call tree",
     "a first line of columns separated by tabs: a weight (`Weight`, `Running Time`, `Bytes Used`) "
     "and "
     "`Symbol Name`",
     "made by hand", "imports/made.instruments.txt",
     "`time/nanoseconds`, `cycles/count`, `space/bytes` or `weight/count`, and `objects/count`; "
     "libraries, source paths. Values come from the self column if it exists, so rounding errors "
     "do not add up",
     "counted: unreadable lines; decimals that Instruments rounded off"},
    {"macos_sample", "macOS sample", "macOS's `sample PID`, and Sample Process of Activity Monitor",
     "`Analysis of sampling` or `Call graph:` in the first line", "made by hand",
     "imports/made.sample.txt",
     "`samples/count`, `wall/nanoseconds` if the interval is known; binaries, addresses, source "
     "lines; labels `thread`, `queue`",
     "counted: unreadable lines of the call graph; lists of binaries"},
    {"vtune", "VTune",
     "Intel's `vtune -report top-down -call-stack -column=\"CPU Time:Self,Module\" -format csv`",
     "`Function Stack` and `CPU Time:Self` in one of the first lines", "made by hand",
     "imports/made.vtune.csv", "`cpu/nanoseconds`; binaries",
     "counted: unreadable lines; other columns"},
    {"pmcstat", "pmcstat call graph", "FreeBSD's `pmcstat -G`",
     "`@ EVENT [N samples]`, then trees of callers with percentages", "made by hand",
     "imports/made.pmcstat.txt",
     "one sample type, the event; binaries. A sample without callers gets a stack of its function "
     "alone",
     "counted: unreadable lines, lines of a second event, samples that no line shows"},
    {"papyrus", "Papyrus log", "script and stack profiles of Skyrim and Fallout 4",
     "`... log opened` in the first line", "made by hand", "imports/made.papyrus.log",
     "`wall/nanoseconds`; each stack is a frame `STACK N`",
     "counted: unreadable lines, returns without a call; objects of the game, events of the queue, "
     "time without a stack"},
    {"austin", "Austin",
     "austin (`-o FILE`, `-b` for MOJO): its text, and MOJO of versions 1 to 3 (Austin 4 writes "
     "version 3)",
     "`# austin:` in the first line, or `MOJ` at the start", "austin 3.7.0, 4.0.0",
     "imports/calls.mojo",
     "`samples/count`, and depending on the mode `wall/nanoseconds`, `cpu/nanoseconds` or "
     "`memory/bytes`; files "
     "and lines; labels `pid`, `tid`",
     "counted: unreadable lines, samples that are cut off, invalid frames; interpreters, "
     "columns"},
    {"perf_data", "`perf.data`", "Linux `perf record`", "`PERFILE2` at the start", "perf 6.1.187",
     "imports/made.perf.data",
     "the data of `perf script`, which pprofc runs, and the build ids of `perf buildid-list`; "
     "times of samples. Lines and inlined functions come from the binaries if they exist. The "
     "program is the first mapping, except in recordings of all processes. Without perf, "
     "`perf_to_profile` "
     "makes the profile. Without both, and from a pipe, pprofc itself reads samples, stacks, "
     "mapped files and build ids, and takes names from the binaries",
     "counted: lost samples, records of unknown kinds. Without perf: names of the kernel. Files "
     "with copies of stacks "
     "(`--call-graph dwarf`, `lbr`), compressed files and files of a pipe need perf"},
    {"simpleperf", "simpleperf",
     "Android's `simpleperf report-sample --show-callchain`, also with "
     "`--protobuf`",
     "`sample:` in the first line, or `SIMPLEPERF` at the start", "made by hand",
     "imports/made.simpleperf.txt",
     "`samples/count` and a type for each event; files; labels `thread`, `tid`",
     "counted: lost samples; times"},
    {"bpftrace", "bpftrace", "bpftrace's maps with stacks as keys, text and `-f json`",
     "an entry `@name[...]: N`, or a line of JSON with type `map`", "bpftrace 0.17.0",
     "imports/calls.bpftrace.txt",
     "a sample type for each map, `samples/count` if it has no name; other keys as label `key`",
     "counted: lost events, entries without a stack, values that are not counts, maps after the "
     "16th, other lines"},
    {"dtrace", "DTrace", "DTrace's `@[stack()] = count()`",
     "lines ``module`function+0x1`` with a count below them", "made by hand",
     "imports/made.dtrace.txt", "`samples/count`; binaries; other keys as label `key`",
     "counted: stacks without a count"},
    {"rprof", "Rprof", "R's `Rprof`, profvis", "`sample.interval=` in the first line", "R 4.2.2",
     "imports/calls.Rprof",
     "`samples/count`, `time/nanoseconds`; with `line.profiling` files and lines; `<GC>` is a "
     "function",
     "counted: samples without a stack; memory"},
    {"ghc_prof", "GHC profile", "Haskell programs with `+RTS -p` or `-P`",
     "`Time and Allocation Profiling Report` in the first lines", "GHC 9.0.2",
     "imports/calls.ghc.prof",
     "`ticks/count`, `alloc_space/bytes`, `time/nanoseconds` of each cost centre; exact with `-P`, "
     "computed from percentages with `-p`",
     "counted: unreadable rows; number of calls of each cost centre"},
    {"xctrace", "xctrace export", "Apple's `xctrace export --xpath` of a time or CPU profile",
     "XML with `trace-query-result`", "made by hand", "imports/made.xctrace.xml",
     "`samples/count`, `time/nanoseconds` or `cycles/count`; binaries with UUIDs, source lines; "
     "labels `process`, `thread`",
     "counted: rows without a backtrace or a weight; addresses, times, states"},
    {"folded", "folded stacks",
     "FlameGraph's stackcollapse scripts and difffolded, inferno, py-spy, rbspy, austin, "
     "bpftrace's "
     "and profilers' collapsed output, `heaptrack_print -F`, `pprofc -folded`",
     "most lines end in a count; comments begin with `#` or `//`; tried last",
     "py-spy 0.4.3, rbspy 0.55.0, inferno 0.12.8, FlameGraph 41fee1f, heaptrack 1.4.0",
     "imports/calls.pyspy.folded",
     "`samples/count`. Two counts in a line are a difference (base, head). A header such as "
     "`cpu/nanoseconds samples/count` names other types. `_[k]` and `_[i]` mark kernel and inlined "
     "frames. `name (file:12)` is a name with file and line. A blank and a count are a "
     "sample without frames",
     "counted: lines that are not stacks, and counts with a fraction, which are rounded so that "
     "their sum stays"},
    {0},
};
