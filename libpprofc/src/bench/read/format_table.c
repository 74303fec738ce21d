/* Describes the formats of benchmark results for `pprofc -formats` and docs/FORMATS.md. `reader` is
 * the name of the reader in readers.c, without "bench_reader_". */
#include "bench/read/readers.h"

const struct format_row bench_format_table[] = {
    {"test2json", "`go test -json`", "`go test -bench . -json`, gotestsum",
     "JSON lines with `Action`", "made by hand", NULL,
     "the benchmark text of each package, joined from its events", "output of tests"},
    {"gbench", "Google Benchmark JSON", "Google Benchmark `--benchmark_format=json`, nanobench",
     "JSON with `context` and `benchmarks`", "made by hand", NULL,
     "one sample for each repetition: `sec/op`, `cpu-sec/op`, counters; the context as "
     "configuration",
     "aggregates (mean, median, big O), which are not samples"},
    {"hyperfine", "hyperfine JSON", "hyperfine `--export-json`",
     "JSON with `results`, `command` and `mean`", "made by hand", NULL,
     "one sample for each run: `sec/op`, memory; user and system time; parameters are in the name",
     "runs that failed, times of 0 s"},
    {"pytest", "pytest-benchmark JSON", "pytest-benchmark `--benchmark-json`",
     "JSON with `benchmarks` and `machine_info`", "pytest-benchmark 5.3.1",
     "bench/calls.pytest.json",
     "one sample for each round: `sec/op`, or a mean if rounds were not saved; parameters are "
     "in "
     "the name; `extra_info`",
     "statistics, which are computed again"},
    {"codspeed", "CodSpeed JSON",
     "CodSpeed's plugins for pytest, criterion, divan, Google Benchmark, vitest and tinybench in "
     "walltime mode: `results/PID.json`",
     "JSON with `creator` and `instrument`", "made by hand", NULL,
     "`sec/op`: the file has only a mean and a standard error, so the reader makes up to 50 "
     "quantiles of a normal distribution with these values. Welch's test of the quantiles gives "
     "the same result as a test of mean and error",
     "other statistics"},
    {"jmh", "JMH JSON", "JMH `-rf json`", "JSON with `primaryMetric` and `benchmark`",
     "made by hand", NULL,
     "one sample for each iteration, all modes; metrics of its profilers; parameters in the name",
     "statistics, which are computed again"},
    {"criterion", "criterion JSON",
     "Rust's criterion (`target/criterion`, or one `sample.json` or `estimates.json`), "
     "`cargo criterion --message-format=json`",
     "JSON with `iters` and `times`, or `point_estimate`, or `reason`; a folder by its files",
     "criterion 0.5.1", "bench/criterion",
     "one sample for each measurement; the name from `benchmark.json` or the folders; throughput",
     "estimates, if there are samples"},
    {"csv", "CSV", "any script: columns `name`, `unit`, `value`", "a first line with these names",
     "made by hand", NULL,
     "one sample for each line; `exact` in a column `assume` marks counted values",
     "other columns"},
    {"text", "Go benchmark text",
     "`go test -bench`, Zig, OCaml and other tools that print Go's format",
     "lines `BenchmarkName N value unit`; tried last", "go 1.26.8", "bench_original.txt",
     "every value and unit; `key: value` lines are configuration", "lines of other forms"},
    {0},
};
