/* Tests each allocation of the library with a failure: first it alone fails, then it and all later
 * allocations. The library must return PPROFC_E_NOMEM or succeed without the block. It must not
 * change out-parameters, and must free each block with its size. A second try must succeed. */
#include "core/buffer.h"
#include "faults.h"
#include "gate/judge.h"
#include "gate/print/print.h"
#include "gate/read/read.h"
#include "gate/selftest/selftest.h"
#include "open.h"
#include "pprofc/pprofc.h"
#include "symbolize/symbolize.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- scenarios --------------------------------------- */

/* Inputs, which are read once. */
static struct buffer one, two, text;

/* Value of an out-parameter that a failed call must not change. */
#define UNTOUCHED ((pprofc_profile *)(uintptr_t)0x10)

static pprofc_status read_as(const struct buffer *in, const struct open_sums *sums,
                             const pprofc_allocator *mem, pprofc_profile **profile) {
  pprofc_read_options options;
  pprofc_read_options_init(&options);
  options.allocator = mem;
  options.threads = 1;
  pprofc_profile *made = UNTOUCHED;
  pprofc_error error = {0};
  pprofc_status status = open_memory(in->data, in->size, &options, sums, &made, &error);
  if (status == PPROFC_OK)
    *profile = made;
  else if (made != UNTOUCHED || error.status != status || !error.message[0])
    abort();
  return status;
}

static pprofc_status read_from(const struct buffer *input, const pprofc_allocator *mem,
                               pprofc_profile **profile) {
  return read_as(input, NULL, mem, profile);
}

static pprofc_status read_and_count(const struct buffer *input, const pprofc_allocator *mem,
                                    struct buffer *out) {
  pprofc_profile *profile = NULL;
  pprofc_status status = read_from(input, mem, &profile);
  if (status == PPROFC_OK) buffer_printf(out, "%zu", pprofc_profile_location_count(profile));
  pprofc_profile_release(profile);
  return status;
}

static pprofc_status run_read(const pprofc_allocator *mem, struct buffer *out) {
  return read_and_count(&one, mem, out);
}

static pprofc_status run_read_text(const pprofc_allocator *mem, struct buffer *out) {
  return read_and_count(&text, mem, out);
}

static pprofc_status run_read_folded(const pprofc_allocator *mem, struct buffer *out) {
  pprofc_profile *profile = NULL;
  pprofc_report_options report;
  pprofc_report_options_init(&report);
  report.format = "top";
  const struct open_sums tree = {.tree = true, .sample_index = "", .always = true};
  const struct open_sums labels = {.labels = true, .always = true};
  pprofc_status status = read_as(&two, &tree, mem, &profile);
  if (status == PPROFC_OK) status = pprofc_report(profile, &report, buffer_write, out, NULL);
  pprofc_profile_release(profile);
  if (status == PPROFC_OK) status = read_as(&two, &labels, mem, &profile);
  if (status == PPROFC_OK) pprofc_profile_release(profile);
  return status;
}

/* Formats of other tools, in the order of `foreign_files`. */
static struct buffer foreign[22];

static const char *const foreign_files[] = {
    TESTDATA "/imports/calls.callgrind.out",  TESTDATA "/imports/calls.threads.callgrind.out",
    TESTDATA "/imports/calls.perf.txt",       TESTDATA "/imports/calls.jemalloc.heap",
    TESTDATA "/imports/made.folded",          TESTDATA "/imports/calls.cpuprofile",
    TESTDATA "/imports/calls.heapprofile",    TESTDATA "/imports/calls.dhat.json",
    TESTDATA "/imports/made.firefox.json",    TESTDATA "/imports/made.speedscope.json",
    TESTDATA "/imports/calls.goroutines.txt", TESTDATA "/imports/made_frames.otlp",
    TESTDATA "/imports/calls.trace.json",     TESTDATA "/imports/calls.timeline.json",
    TESTDATA "/imports/made.v8log.json",      TESTDATA "/imports/made.gecko.json",
    TESTDATA "/imports/made.safari.json",     TESTDATA "/imports/calls.stackprof.json",
    TESTDATA "/imports/made.haskell.prof",    TESTDATA "/imports/made.jfr",
    TESTDATA "/imports/calls.min.cpuprofile", TESTDATA "/imports/calls.min.js.map"};

static pprofc_status run_callgrind(const pprofc_allocator *mem, struct buffer *out) {
  return read_and_count(&foreign[0], mem, out);
}

static pprofc_status run_callgrind_parts(const pprofc_allocator *mem, struct buffer *out) {
  return read_and_count(&foreign[1], mem, out);
}

static pprofc_status run_perf_script(const pprofc_allocator *mem, struct buffer *out) {
  return read_and_count(&foreign[2], mem, out);
}

static pprofc_status run_jemalloc(const pprofc_allocator *mem, struct buffer *out) {
  return read_and_count(&foreign[3], mem, out);
}

static pprofc_status run_folded(const pprofc_allocator *mem, struct buffer *out) {
  return read_and_count(&foreign[4], mem, out);
}

/* Reads and writes a profile. Also compares names, because a lost letter is a wrong result. */
static pprofc_status read_and_write(const struct buffer *input, const pprofc_allocator *mem,
                                    struct buffer *out) {
  pprofc_profile *profile = NULL;
  pprofc_status status = read_from(input, mem, &profile);
  if (status == PPROFC_OK) status = pprofc_profile_write(profile, buffer_write, out, NULL);
  pprofc_profile_release(profile);
  return status;
}

static pprofc_status run_json_cpuprofile(const pprofc_allocator *mem, struct buffer *out) {
  return read_and_write(&foreign[5], mem, out);
}

/* Texts with call trees, a log of calls, folded stacks with lines of another kind, other OTLP. */
static struct buffer texts[10];
static const char *const text_files[] = {
    TESTDATA "/imports/made.instruments.txt", TESTDATA "/imports/made.pmcstat.txt",
    TESTDATA "/imports/made.sample.txt",      TESTDATA "/imports/made.vtune.csv",
    TESTDATA "/imports/made.papyrus.log",     TESTDATA "/imports/made_skipped.folded",
    TESTDATA "/imports/calls.austin.txt",     TESTDATA "/imports/calls.mojo",
    TESTDATA "/imports/made_17.otlp",         TESTDATA "/imports/made_lines.otlp.json"};

static pprofc_status run_texts(const pprofc_allocator *mem, struct buffer *out) {
  pprofc_status status = PPROFC_OK;
  for (size_t i = 0; i < sizeof texts / sizeof *texts && status == PPROFC_OK; i++)
    status = read_and_write(&texts[i], mem, out);
  return status;
}

static pprofc_status run_go_dump(const pprofc_allocator *mem, struct buffer *out) {
  return read_and_write(&foreign[10], mem, out);
}

static pprofc_status run_otlp(const pprofc_allocator *mem, struct buffer *out) {
  return read_and_write(&foreign[11], mem, out);
}

static pprofc_status run_jfr(const pprofc_allocator *mem, struct buffer *out) {
  return read_and_write(&foreign[19], mem, out);
}

static pprofc_status run_json_heapprofile(const pprofc_allocator *mem, struct buffer *out) {
  return read_and_write(&foreign[6], mem, out);
}

static pprofc_status run_json_dhat(const pprofc_allocator *mem, struct buffer *out) {
  return read_and_write(&foreign[7], mem, out);
}

static pprofc_status run_json_firefox(const pprofc_allocator *mem, struct buffer *out) {
  return read_and_write(&foreign[8], mem, out);
}

static pprofc_status run_json_speedscope(const pprofc_allocator *mem, struct buffer *out) {
  return read_and_write(&foreign[9], mem, out);
}

/* Reads traces, and the shapes of JSON that no other scenario reads. */
static pprofc_status run_json_others(const pprofc_allocator *mem, struct buffer *out) {
  pprofc_status status = PPROFC_OK;
  for (size_t i = 12; i < 19 && status == PPROFC_OK; i++)
    status = read_and_write(&foreign[i], mem, out);
  return status;
}

/* Reads a profile whose scripts have a source map. */
static pprofc_status run_source_map(const pprofc_allocator *mem, struct buffer *out) {
  pprofc_profile *profile = NULL, *named = NULL;
  struct source_map *map = NULL;
  size_t changed = 0;
  pprofc_status status = read_from(&foreign[20], mem, &profile);
  if (status == PPROFC_OK)
    status = source_map_parse(buffer_str(&foreign[21]), STR("calls.min.js.map"), mem, &map, NULL);
  if (status == PPROFC_OK) status = source_maps_apply(profile, &map, 1, &named, &changed, NULL);
  if (status == PPROFC_OK) status = pprofc_profile_write(named, buffer_write, out, NULL);
  source_map_free(map);
  pprofc_profile_release(named);
  pprofc_profile_release(profile);
  return status;
}

static pprofc_status run_write(const pprofc_allocator *mem, struct buffer *out) {
  return read_and_write(&one, mem, out);
}

/* Reads both inputs, combines them, and writes the result. */
static pprofc_status combine(const pprofc_allocator *mem, struct buffer *out, bool diff) {
  pprofc_profile *inputs[2] = {NULL, NULL}, *made = UNTOUCHED;
  pprofc_status status = read_from(&one, mem, &inputs[0]);
  if (status == PPROFC_OK) status = read_from(&two, mem, &inputs[1]);
  if (status == PPROFC_OK) {
    const pprofc_profile *both[2] = {inputs[0], inputs[1]};
    status = diff ? pprofc_diff(both[0], both[1], PPROFC_COMPARE, true, &made, NULL)
                  : pprofc_merge(both, 2, &made, NULL);
  }
  pprofc_profile_release(inputs[0]);
  pprofc_profile_release(inputs[1]);
  if (made == UNTOUCHED) return status;
  if (status != PPROFC_OK) abort();
  status = pprofc_profile_write(made, buffer_write, out, NULL);
  pprofc_profile_release(made);
  return status;
}

static pprofc_status run_merge(const pprofc_allocator *mem, struct buffer *out) {
  return combine(mem, out, false);
}

static pprofc_status run_diff(const pprofc_allocator *mem, struct buffer *out) {
  return combine(mem, out, true);
}

/* Sets every filter for one report. */
static void set_filters(pprofc_report_options *options) {
  options->focus = "server|runtime";
  options->ignore = "gcBgMarkWorker";
  options->hide = "mallocgc";
  options->show_from = "main";
  options->prune_from = "memmove";
  options->tagignore = "nothing=here";
  options->taghide = "none";
  options->tagroot = "endpoint";
}

static pprofc_status report(const pprofc_allocator *mem, struct buffer *out, const char *format,
                            bool filtered) {
  pprofc_profile *profile = NULL;
  pprofc_status status = read_from(&one, mem, &profile);
  if (status != PPROFC_OK) return status;
  pprofc_report_options options;
  pprofc_report_options_init(&options);
  options.format = format;
  if (strcmp(format, "flame") != 0) options.argument = "main"; /* flame has other arguments */
  options.threads = 1;
  if (filtered) set_filters(&options);
  pprofc_error error = {0};
  status = pprofc_report(profile, &options, buffer_write, out, &error);
  if (status != PPROFC_OK && (error.status != status || !error.message[0])) abort();
  pprofc_profile_release(profile);
  return status;
}

static pprofc_status run_filters(const pprofc_allocator *mem, struct buffer *out) {
  return report(mem, out, "top", true);
}

/* Makes a flame graph from the leaf, with options that only flame graphs have. */
static pprofc_status run_reversed(const pprofc_allocator *mem, struct buffer *out) {
  pprofc_profile *profile = NULL;
  pprofc_status status = read_from(&one, mem, &profile);
  if (status != PPROFC_OK) return status;
  pprofc_report_options options;
  pprofc_report_options_init(&options);
  options.format = "flamegraph";
  options.reverse = true;
  options.colors = "origin";
  options.origin_rules = "user name main.*\nsystem file */runtime/*\n";
  options.threads = 1;
  status = pprofc_report(profile, &options, buffer_write, out, NULL);
  pprofc_profile_release(profile);
  return status;
}

static pprofc_status run_build(const pprofc_allocator *mem, struct buffer *out) {
  pprofc_builder *b = pprofc_builder_new(mem);
  if (!b) return PPROFC_E_NOMEM;
  uint32_t frames[100];
  char name[16];
  pprofc_builder_type(b, "cpu", "nanoseconds");
  for (uint32_t i = 0; i < 100; i++) {
    snprintf(name, sizeof name, "f%u", i);
    frames[i] = pprofc_builder_frame(b, name, "f.c", i);
  }
  for (size_t i = 0; i < 100; i++) {
    pprofc_builder_sample(b, frames + i, 100 - i, (int64_t[]){1});
    pprofc_builder_label(b, "key", "value");
  }
  pprofc_profile *profile = UNTOUCHED;
  pprofc_status status = pprofc_builder_finish(b, &profile, NULL);
  pprofc_builder_free(b);
  if (status != PPROFC_OK) {
    if (profile != UNTOUCHED) abort();
    return status;
  }
  buffer_printf(out, "%zu", pprofc_profile_location_count(profile));
  pprofc_profile_release(profile);
  return status;
}

/* ---- the gate ---------------------------------------- */

static struct buffer old_bench, new_bench, table;

/* Reads two runs and a table, judges them, and prints each format. */
static pprofc_status judge_and_print(struct gate *gate, pprofc_bench *set, struct buffer *out) {
  static const char *const formats[] = {"github", "markdown", "json", "junit", "gitlab"};
  pprofc_status status =
      pprofc_bench_read(set, "base", "base", old_bench.data, old_bench.size, NULL);
  if (status == PPROFC_OK)
    status = pprofc_bench_read(set, "head", "head", new_bench.data, new_bench.size, NULL);
  if (status == PPROFC_OK) status = gate_learn_noise(gate, set, NULL);
  if (status == PPROFC_OK) status = gate_read_raw(gate, set, NULL);
  if (status == PPROFC_OK) status = gate_read_tables(gate, STR("table"), buffer_str(&table), NULL);
  if (status == PPROFC_OK) status = gate_judge(gate, "2026-11-20", NULL);
  for (size_t i = 0; i < sizeof formats / sizeof *formats && status == PPROFC_OK; i++) {
    struct buffer report_text;
    buffer_init(&report_text, &mem_default, PTRDIFF_MAX);
    gate_format_find(str_of(formats[i]))->print(&report_text, gate, true);
    if (report_text.failed) status = PPROFC_E_NOMEM;
    buffer_add_str(out, buffer_str(&report_text));
    buffer_free(&report_text);
  }
  return status;
}

static pprofc_status run_gate(const pprofc_allocator *mem, struct buffer *out) {
  struct gate gate;
  pprofc_bench *set = pprofc_bench_new(mem);
  if (!set) return PPROFC_E_NOMEM;
  gate_init(&gate, mem);
  pprofc_status status =
      gate_add_direction(&gate, STR("x"), 1) ? judge_and_print(&gate, set, out) : PPROFC_E_NOMEM;
  gate_free(&gate);
  pprofc_bench_free(set);
  return status;
}

/* Judges with rules that name a unit or a benchmark. Both decide the verdict and are in the output.
 * output. */
static pprofc_status run_rules(const pprofc_allocator *mem, struct buffer *out) {
  static const char rules[] =
      "{\"threshold\": \"3%\", \"directions\": {\"widgets-of-a-long-name/op\": \"higher\"},"
      "\"rules\": [{\"benchmark\": \"*/\\u0061-name-that-is-rather-long\", \"accept\": true,"
      "\"until\": \"2027-01-31\", \"reason\": \"a new encoder\"}]}";
  struct gate gate;
  gate_init(&gate, mem);
  pprofc_status status = gate_read_rules(&gate, STR("gate.json"), str_of(rules), NULL);
  for (size_t i = 0; status == PPROFC_OK && i < gate.settings.rule_count; i++) {
    buffer_add_str(out, gate.settings.rules[i].pattern);
    buffer_add_str(out, gate.settings.rules[i].until);
    buffer_add_str(out, gate.settings.rules[i].reason);
  }
  gate_free(&gate);
  return status;
}

/* JSON of benchmark tools. A name that lost a letter would be another benchmark. */
static struct buffer bench_json[5];

static const char *const bench_json_files[] = {CORPUS "/criterion.json", CORPUS "/gbench.json",
                                               CORPUS "/hyperfine.json", CORPUS "/jmh.json",
                                               CORPUS "/pytest.json"};

static pprofc_status run_bench_json(const pprofc_allocator *mem, struct buffer *out) {
  pprofc_bench *set = pprofc_bench_new(mem);
  if (!set) return PPROFC_E_NOMEM;
  pprofc_status status = PPROFC_OK;
  for (size_t i = 0; i < 5 && status == PPROFC_OK; i++)
    status = pprofc_bench_read(set, "a", bench_json_files[i], bench_json[i].data,
                               bench_json[i].size, NULL);
  size_t count;
  const pprofc_bench_result *results = pprofc_bench_results(set, &count);
  for (size_t i = 0; i < count && status == PPROFC_OK; i++)
    buffer_add_str(out, pprofc_bench_string(set, results[i].name));
  const uint32_t *units;
  const double *values = pprofc_bench_values(set, &units, &count);
  for (size_t i = 0; i < count && status == PPROFC_OK; i++) {
    buffer_printf(out, " %.17g ", values[i]);
    buffer_add_str(out, pprofc_bench_unit(set, units[i]));
  }
  pprofc_bench_free(set);
  return status;
}

static pprofc_status run_selftest(const pprofc_allocator *mem, struct buffer *out) {
  struct gate gate;
  bool good = false;
  gate_init(&gate, mem);
  pprofc_status status = gate_selftest(&gate, "2026-11-20", &good, NULL);
  if (status == PPROFC_OK) buffer_printf(out, "%d", good);
  gate_free(&gate);
  return status;
}

static pprofc_status print_tables(const pprofc_bench_tables *tables, struct buffer *out) {
  static const char *const formats[] = {"text", "csv", "markdown", "json", "html"};
  pprofc_status status = PPROFC_OK;
  for (size_t i = 0; i < sizeof formats / sizeof *formats && status == PPROFC_OK; i++)
    status = pprofc_bench_print(tables, formats[i], buffer_write, out, NULL, NULL, NULL);
  return status;
}

/* Compares two runs, and prints the table in each format. */
static pprofc_status run_compare(const pprofc_allocator *mem, struct buffer *out) {
  pprofc_bench *set = pprofc_bench_new(mem);
  if (!set) return PPROFC_E_NOMEM;
  pprofc_bench_options options;
  pprofc_bench_tables *tables;
  pprofc_bench_options_init(&options);
  options.allocator = mem;
  pprofc_status status = pprofc_bench_read(set, "old", "old", old_bench.data, old_bench.size, NULL);
  if (status == PPROFC_OK)
    status = pprofc_bench_read(set, "new", "new", new_bench.data, new_bench.size, NULL);
  if (status == PPROFC_OK) status = pprofc_bench_compare(set, &options, &tables, NULL);
  if (status == PPROFC_OK) {
    status = print_tables(tables, out);
    pprofc_bench_tables_free(tables);
  }
  pprofc_bench_free(set);
  return status;
}

/* Runs the U test on small and on large samples, because it has a method for each. */
static pprofc_status run_u_test(const pprofc_allocator *mem, struct buffer *out) {
  enum { MOST = 150 };
  double x[MOST], y[MOST];
  for (size_t i = 0; i < MOST; i++) {
    x[i] = (double)(i / 2);
    y[i] = (double)(i / 2 + 3);
  }
  for (size_t n = 10; n <= MOST; n += 70) {
    pprofc_u_result u = pprofc_u_test(x, n, y, n, PPROFC_U_CORRECT, mem);
    if (u.status == PPROFC_TEST_NO_MEMORY) return PPROFC_E_NOMEM;
    buffer_printf(out, "%d %.12g\n", u.exact, u.p);
  }
  return PPROFC_OK;
}

struct scenario {
  const char *name;
  pprofc_status (*run)(const pprofc_allocator *mem, struct buffer *out);
  const char *format; /* format of the report if `run` is NULL */
};

static const struct scenario scenarios[] = {
    {"read", run_read, NULL},
    {"read added up", run_read_folded, NULL},
    {"read text", run_read_text, NULL},
    {"read callgrind", run_callgrind, NULL},
    {"read callgrind parts", run_callgrind_parts, NULL},
    {"read perf script", run_perf_script, NULL},
    {"read jemalloc", run_jemalloc, NULL},
    {"read folded", run_folded, NULL},
    {"goroutine dump", run_go_dump, NULL},
    {"other texts", run_texts, NULL},
    {"OTLP", run_otlp, NULL},
    {"JFR", run_jfr, NULL},
    {"cpuprofile", run_json_cpuprofile, NULL},
    {"heapprofile", run_json_heapprofile, NULL},
    {"dhat", run_json_dhat, NULL},
    {"firefox", run_json_firefox, NULL},
    {"speedscope", run_json_speedscope, NULL},
    {"trace and other JSON", run_json_others, NULL},
    {"source map", run_source_map, NULL},
    {"write", run_write, NULL},
    {"build", run_build, NULL},
    {"merge", run_merge, NULL},
    {"U test", run_u_test, NULL},
    {"diff", run_diff, NULL},
    {"filters", run_filters, NULL},
    {"top", NULL, "top"},
    {"tree", NULL, "tree"},
    {"peek", NULL, "peek"},
    {"dot", NULL, "dot"},
    {"callgrind", NULL, "callgrind"},
    {"traces", NULL, "traces"},
    {"tags", NULL, "tags"},
    {"raw", NULL, "raw"},
    {"proto", NULL, "proto"},
    {"topproto", NULL, "topproto"},
    {"otlp", NULL, "otlp"},
    {"folded", NULL, "folded"},
    {"speedscope", NULL, "speedscope"},
    {"gate", run_gate, NULL},
    {"rules", run_rules, NULL},
    {"bench json", run_bench_json, NULL},
    {"compare", run_compare, NULL},
    {"selftest", run_selftest, NULL},
    {"flamegraph", NULL, "flamegraph"},
    {"flame", NULL, "flame"},
    {"flamebearer", NULL, "flamebearer"},
    {"json", NULL, "json"},
    {"reversed", run_reversed, NULL},
};

/* ---- running ----------------------------------------- */

static pprofc_status run(const struct scenario *s, struct faults *f, struct buffer *out) {
  const pprofc_allocator mem = {fault_alloc, fault_resize, fault_release, f};
  buffer_clear(out);
  return s->run ? s->run(&mem, out) : report(&mem, out, s->format, false);
}

static bool complain(const struct scenario *s, const struct faults *f, const char *what) {
  fprintf(stderr, "%s, call %zu%s: %s\n", s->name, f->fail_at, f->from_there_on ? " and on" : "",
          what);
  return false;
}

static bool run_with_fault(const struct scenario *s, size_t fail_at, bool from_there_on,
                           const struct buffer *wanted, struct buffer *out) {
  struct faults f = {.fail_at = fail_at, .from_there_on = from_there_on};
  pprofc_status status = run(s, &f, out);
  if (f.live) return complain(s, &f, "a block was not given back");
  if (f.wrong_sizes) return complain(s, &f, "a block was given back with another size");
  if (status == PPROFC_OK && !str_equal(buffer_str(out), buffer_str(wanted)))
    return complain(s, &f, "went on with a wrong result");
  if (status != PPROFC_OK && status != PPROFC_E_NOMEM) return complain(s, &f, "the wrong status");
  if (from_there_on && f.calls > fail_at && status == PPROFC_OK && fail_at == 0)
    return complain(s, &f, "no status although nothing could be had");
  return true;
}

static bool run_scenario(const struct scenario *s) {
  struct buffer wanted, out;
  buffer_init(&wanted, &mem_default, PTRDIFF_MAX);
  buffer_init(&out, &mem_default, PTRDIFF_MAX);
  struct faults none = {.fail_at = SIZE_MAX};
  pprofc_status usual = run(s, &none, &wanted);
  bool good = usual == PPROFC_OK && !none.live && !none.wrong_sizes;
  if (usual == PPROFC_E_UNSUPPORTED) {
    printf("%-12s left out: this build lacks a library for it\n", s->name);
    buffer_free(&wanted);
    return true;
  }
  if (!good) complain(s, &none, "fails without any fault");
  size_t calls = none.calls;
  for (size_t i = 0; i < calls && good; i++)
    good = run_with_fault(s, i, false, &wanted, &out) && run_with_fault(s, i, true, &wanted, &out);
  struct faults after = {.fail_at = SIZE_MAX};
  if (good &&
      (run(s, &after, &out) != PPROFC_OK || !str_equal(buffer_str(&out), buffer_str(&wanted))))
    good = complain(s, &after, "another result afterwards");
  printf("%-12s %zu allocations, each failed twice\n", s->name, calls);
  buffer_free(&wanted);
  buffer_free(&out);
  return good;
}

static bool load(struct buffer *buffer, const char *path) {
  buffer_init(buffer, &mem_default, PTRDIFF_MAX);
  FILE *file = fopen(path, "rb");
  char block[4096];
  for (size_t n; file && (n = fread(block, 1, sizeof block, file));) buffer_add(buffer, block, n);
  if (file) fclose(file);
  if (!buffer->size) fprintf(stderr, "cannot read '%s'\n", path);
  return buffer->size != 0;
}

int main(void) {
  bool good = load(&one, TESTDATA "/server_cpu.pb.gz") &&
              load(&two, TESTDATA "/server_b_cpu.pb.gz") &&
              load(&text, TESTDATA "/server_b_heap.debug1.txt") &&
              load(&old_bench, TESTDATA "/bench/gate_old.txt") &&
              load(&new_bench, TESTDATA "/bench/gate_new.txt");
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
    good = load(&foreign[i], foreign_files[i]) && good;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    good = load(&texts[i], text_files[i]) && good;
  for (size_t i = 0; i < sizeof bench_json / sizeof *bench_json; i++)
    good = load(&bench_json[i], bench_json_files[i]) && good;
  buffer_init(&table, &mem_default, PTRDIFF_MAX);
  buffer_add_text(&table, ",old,,new,,,\n,sec/op,CI,sec/op,CI,vs base,P\n"
                          "\"A\",1e-06,2%,1.2e-06,1%,+20.00%,p=0.000 n=10\n");
  for (size_t i = 0; good && i < sizeof scenarios / sizeof *scenarios; i++)
    good = run_scenario(&scenarios[i]);
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) buffer_free(&foreign[i]);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) buffer_free(&texts[i]);
  for (size_t i = 0; i < sizeof bench_json / sizeof *bench_json; i++) buffer_free(&bench_json[i]);
  buffer_free(&one);
  buffer_free(&two);
  buffer_free(&text);
  buffer_free(&old_bench);
  buffer_free(&new_bench);
  buffer_free(&table);
  return !good;
}
