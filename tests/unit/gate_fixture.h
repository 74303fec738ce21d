/* Code shared by the tests of the gate: samples of base and head as text, and a gate that judges
 * the samples. */
#ifndef PPROFC_TESTS_GATE_FIXTURE_H
#define PPROFC_TESTS_GATE_FIXTURE_H

#include "gate/judge.h"
#include "gate/print/print.h"
#include "gate/read/read.h"
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#define TODAY "2026-11-22"

struct fixture {
  struct gate gate;
  pprofc_bench *set;
  struct buffer base, head; /* input texts of the gate */
};

static inline void open_gate(struct fixture *f) {
  *f = (struct fixture){.set = pprofc_bench_new(NULL)};
  gate_init(&f->gate, &mem_default);
  buffer_init(&f->base, &mem_default, 1 << 24);
  buffer_init(&f->head, &mem_default, 1 << 24);
}

static inline void close_gate(struct fixture *f) {
  gate_free(&f->gate);
  pprofc_bench_free(f->set);
  buffer_free(&f->base);
  buffer_free(&f->head);
}

/* Reads and judges the texts. Returns the exit status. */
static inline int judge(struct fixture *f) {
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

static inline const struct gate_row *row_of(const struct fixture *f, const char *name) {
  size_t count;
  const struct gate_row *rows = gate_rows(&f->gate, &count);
  for (size_t i = 0; i < count; i++)
    if (str_equal(rows[i].name, str_of(name))) return &rows[i];
  fprintf(stderr, "no row '%s'\n", name);
  abort();
}

static inline pprofc_gate_verdict verdict_named(const struct fixture *f, const char *name) {
  return row_of(f, name)->verdict;
}

/* Appends a benchmark with one value in each sample. */
static inline void put(struct buffer *out, const char *name, const char *unit, const double *values,
                       size_t count) {
  for (size_t i = 0; i < count; i++)
    buffer_printf(out, "Benchmark%s 1 %.17g %s\n", name, values[i], unit);
}

static inline void put_same(struct buffer *out, const char *name, const char *unit, double value,
                            size_t count) {
  for (size_t i = 0; i < count; i++) put(out, name, unit, &value, 1);
}

static const double quiet[] = {100, 101, 99, 100.5, 99.5, 100.2, 99.8, 100.1, 99.9, 100};

/* Appends ten samples that vary little, multiplied by a factor. */
static inline void put_quiet(struct buffer *out, const char *name, const char *unit, double factor,
                             size_t count) {
  for (size_t i = 0; i < count; i++) {
    double value = quiet[i % 10] * factor;
    put(out, name, unit, &value, 1);
  }
}

static inline bool has_note(const struct buffer *notes, const char *text) {
  return str_find(buffer_str(notes), str_of(text)) < notes->size;
}

#endif
