/* The gate on zeros, and on nothing: what was not measured and not compared is no pass. */
#include "gate/judge.h"
#include "gate/print/print.h"
#include "gate/read/read.h"
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#define TODAY "2026-11-22"

/* ---- helpers ----------------------------------------- */

struct fixture {
  struct gate gate;
  pprofc_bench *set;
  struct buffer base, head; /* what was read */
};

static void open_gate(struct fixture *f) {
  *f = (struct fixture){.set = pprofc_bench_new(NULL)};
  gate_init(&f->gate, &mem_default);
  buffer_init(&f->base, &mem_default, 1 << 24);
  buffer_init(&f->head, &mem_default, 1 << 24);
}

static void close_gate(struct fixture *f) {
  gate_free(&f->gate);
  pprofc_bench_free(f->set);
  buffer_free(&f->base);
  buffer_free(&f->head);
}

/* Reads and judges; the exit status. */
static int judge(struct fixture *f) {
  pprofc_error error;
  pprofc_status status =
      pprofc_bench_read(f->set, "base", "base.txt", f->base.data, f->base.size, &error);
  if (status == PPROFC_OK)
    status = pprofc_bench_read(f->set, "head", "head.txt", f->head.data, f->head.size, &error);
  if (status == PPROFC_OK) status = gate_read_raw(&f->gate, f->set, &error);
  if (status == PPROFC_OK) status = gate_judge(&f->gate, TODAY, &error);
  if (status != PPROFC_OK) return -1;
  return gate_exit_status(&f->gate);
}

static const struct gate_row *row_of(const struct fixture *f, const char *name) {
  size_t count;
  const struct gate_row *rows = gate_rows(&f->gate, &count);
  for (size_t i = 0; i < count; i++)
    if (str_equal(rows[i].name, str_of(name))) return &rows[i];
  fprintf(stderr, "no row '%s'\n", name);
  abort();
}

static enum gate_verdict verdict_of(const struct fixture *f, const char *name) {
  return row_of(f, name)->verdict;
}

/* Benchmarks of one value a sample. */
static void put(struct buffer *out, const char *name, const char *unit, const double *values,
                size_t count) {
  for (size_t i = 0; i < count; i++)
    buffer_printf(out, "Benchmark%s 1 %.17g %s\n", name, values[i], unit);
}

static void put_same(struct buffer *out, const char *name, const char *unit, double value,
                     size_t count) {
  for (size_t i = 0; i < count; i++) put(out, name, unit, &value, 1);
}

static const double quiet[] = {100, 101, 99, 100.5, 99.5, 100.2, 99.8, 100.1, 99.9, 100};

/* The ten samples times a factor. */
static void put_quiet(struct buffer *out, const char *name, const char *unit, double factor,
                      size_t count) {
  for (size_t i = 0; i < count; i++) {
    double value = quiet[i % 10] * factor;
    put(out, name, unit, &value, 1);
  }
}

static bool has_note(const struct buffer *notes, const char *text) {
  return str_find(buffer_str(notes), str_of(text)) < notes->size;
}

/* ---- zero, and nothing ------------------------------- */

static int judge_values(struct fixture *f, const char *unit, double base, double head) {
  open_gate(f);
  put_same(&f->base, "A", unit, base, 6);
  put_same(&f->head, "A", unit, head, 6);
  return judge(f);
}

static void test_what_zero_says(void) {
  static const struct {
    const char *unit;
    double base, head;
    int status;
    enum gate_verdict verdict;
  } cases[] = {{"ns/op", 0, 100, 1, GATE_UNMEASURED},   {"ns/op", 100, 0, 1, GATE_UNMEASURED},
               {"ns/op", 0, 0, 1, GATE_UNMEASURED},     {"allocs/op", 0, 100, 2, GATE_REGRESSED},
               {"allocs/op", 0, 0, 0, GATE_UNCHANGED},  {"allocs/op", 100, 0, 0, GATE_SUSPICIOUS},
               {"B/op", 0, 16, 2, GATE_REGRESSED},      {"MB/s", 100, 0, 2, GATE_REGRESSED},
               {"widgets", 1, 2, 1, GATE_INFORMATIONAL}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct fixture f;
    CU_ASSERT_EQUAL(judge_values(&f, cases[i].unit, cases[i].base, cases[i].head), cases[i].status);
    CU_ASSERT_EQUAL(verdict_of(&f, "A"), cases[i].verdict);
    CU_ASSERT_EQUAL(f.gate.compared, cases[i].status != 1);
    CU_ASSERT_EQUAL(strcmp(gate_result_name(&f.gate), "no result") == 0, cases[i].status == 1);
    close_gate(&f);
  }
}

/* A zero keeps the unit that it was written in; it belongs to the others all the same. */
static void test_zeros_among_times_are_of_the_same_benchmark(void) {
  struct fixture f;
  size_t count;
  open_gate(&f);
  put_quiet(&f.base, "A", "ns/op", 1, 9);
  put_same(&f.base, "A", "ns/op", 0, 1);
  put_quiet(&f.head, "A", "ns/op", 1, 10);
  CU_ASSERT_EQUAL(judge(&f), 0);
  CU_ASSERT_EQUAL(gate_rows(&f.gate, &count)->base_count, 10);
  CU_ASSERT_EQUAL(count, 1);
  close_gate(&f);
}

static void test_no_name_in_common_is_no_pass(void) {
  struct fixture f;
  open_gate(&f);
  put_quiet(&f.base, "A", "ns/op", 1, 10);
  put_quiet(&f.head, "B", "ns/op", 1, 10);
  CU_ASSERT_EQUAL(judge(&f), 1);
  CU_ASSERT(has_note(&f.gate.problems, "nothing was compared: 1 in base only, 1 in head only"));
  close_gate(&f);
}

UNIT_MAIN("gate zero", UNIT(test_what_zero_says),
          UNIT(test_zeros_among_times_are_of_the_same_benchmark),
          UNIT(test_no_name_in_common_is_no_pass))
