/* What is counted of rows while they are read: it is true of every location, and reports are those
 * of reading the profile as a whole. */
#include "report_text.h"
#include "unit.h"

#include "codec/codec.h"
#include "codec/pprof_fields.h"
#include "codec/wire_write.h"
#include "pprofc/pprofc.h"
#include "profile/profile.h"
#include "profile/stack.h"
#include "profile/stack_tree.h"

#define LOCATIONS 3000
#define FUNCTIONS 400
#define DEPTH     12
#define ROWS      20000

/* What a profile is like. */
enum {
  HOT = 1,        /* all stacks have one location, a tenth has another one twice */
  GROWING = 2,    /* values grow to a billion times the first */
  LATE_IDS = 4,   /* locations come in the order of their ids */
  PADDED = 8,     /* ids have more bytes than they need */
  ZEROS = 16,     /* values of 0 */
  EMPTY = 32,     /* samples without a stack */
  WAYS = 64,      /* all of these, and not: */
  SPARSE = 64,    /* ids are not 1, 2, 3 ... */
  OVERFLOW = 128, /* the sum passes 63 bits */
  FAR_ID = 256,   /* a location that no other sample has, far from the others */
  ID_ZERO = 512,  /* faults near the end: a location 0, */
  NO_SUCH = 1024, /* or one that is not there, */
  CUT_ID = 2048,  /* or a varint that is not whole */
  LONG = 4096,    /* stacks of a recursion: they are not counted */
  SIDE = 8192     /* nor are the sides of a difference */
};

struct counts_maker {
  struct buffer out;
  uint64_t random;
  unsigned how;
};

static uint64_t counts_below(struct counts_maker *m, uint64_t limit) {
  m->random = m->random * 6364136223846793005u + 1442695040888963407u;
  return (m->random >> 33) % limit;
}

static bool counts_has(const struct counts_maker *m, unsigned what) {
  return (m->how & what) != 0;
}

static void counts_put_varint(struct buffer *out, uint64_t value, bool padded) {
  uint8_t bytes[VARINT_BYTES_MAX + 2];
  size_t size = varint_put(bytes, value);
  if (padded) {
    bytes[size - 1] |= 0x80;
    bytes[size++] = 0x80;
    bytes[size++] = 0;
  }
  buffer_add(out, bytes, size);
}

static void counts_put_bytes(struct buffer *out, unsigned field, const void *data, size_t size) {
  counts_put_varint(out, field << 3 | 2, false);
  counts_put_varint(out, size, false);
  buffer_add(out, data, size);
}

static void counts_put_integers(struct buffer *out, unsigned field, const uint64_t *values,
                                size_t count) {
  struct buffer message;
  buffer_init(&message, &mem_default, 1 << 16);
  for (size_t i = 0; i < count; i++) {
    counts_put_varint(&message, (i + 1) << 3, false);
    counts_put_varint(&message, values[i], false);
  }
  counts_put_bytes(out, field, message.data, message.size);
  buffer_free(&message);
}

static uint64_t counts_id(const struct counts_maker *m, uint64_t location) {
  return counts_has(m, SPARSE) ? 5 * location + 7 : location + 1;
}

static uint64_t counts_location(struct counts_maker *m, size_t row, size_t frame) {
  if (counts_has(m, HOT) && (frame == DEPTH - 1 || frame == 5)) return 17;
  if (counts_has(m, HOT) && frame == 3 && row % 10 == 0) return 40;
  uint64_t known = counts_has(m, LATE_IDS) ? 50 + row * (LOCATIONS - 50) / ROWS : LOCATIONS - 1;
  return counts_below(m, known);
}

static uint64_t counts_value(struct counts_maker *m, size_t row) {
  if (counts_has(m, ZEROS) && row % 5 == 0) return 0;
  uint64_t value = 1 + counts_below(m, 1000);
  if (counts_has(m, GROWING)) value <<= row * 30 / ROWS;
  if (counts_has(m, OVERFLOW)) value += (uint64_t)INT64_MAX / ROWS * 2;
  return value;
}

static void counts_put_stack(struct counts_maker *m, struct buffer *sample, size_t row) {
  struct buffer ids;
  buffer_init(&ids, &mem_default, 1 << 16);
  bool last = row == ROWS - 5;
  for (size_t k = 0; k < DEPTH; k++) {
    bool padded = counts_has(m, PADDED) && counts_below(m, 9) == 0;
    counts_put_varint(&ids, counts_id(m, counts_location(m, row, k)), padded);
  }
  for (size_t k = 0; counts_has(m, LONG) && k < 600; k++)
    counts_put_varint(&ids, counts_id(m, k % 2 ? k : 2000 + k), false);
  if (last && counts_has(m, FAR_ID)) counts_put_varint(&ids, counts_id(m, LOCATIONS - 1), false);
  if (last && counts_has(m, ID_ZERO)) counts_put_varint(&ids, 0, false);
  if (last && counts_has(m, NO_SUCH)) counts_put_varint(&ids, (uint64_t)1 << 50, false);
  if (last && counts_has(m, CUT_ID)) buffer_add(&ids, "\x80\x80\x80", 3);
  counts_put_bytes(sample, SAMPLE_LOCATION, ids.data, ids.size);
  buffer_free(&ids);
}

static void counts_put_tables(struct counts_maker *m) {
  char name[32];
  for (uint64_t i = 0; i < LOCATIONS; i++) {
    struct buffer location;
    buffer_init(&location, &mem_default, 1 << 16);
    counts_put_varint(&location, LOCATION_ID << 3, false);
    counts_put_varint(&location, counts_id(m, i), false);
    for (uint64_t n = 0; n <= i % 3; n++)
      counts_put_integers(&location, LOCATION_LINE, (uint64_t[]){1 + (i + n) % FUNCTIONS, i}, 2);
    counts_put_bytes(&m->out, PROFILE_LOCATION, location.data, location.size);
    buffer_free(&location);
  }
  for (uint64_t i = 0; i < FUNCTIONS; i++)
    counts_put_integers(&m->out, PROFILE_FUNCTION, (uint64_t[]){i + 1, i + 3}, 2);
  static const char *const strings[] = {"", "samples", "count"};
  for (size_t i = 0; i < 3; i++)
    counts_put_bytes(&m->out, PROFILE_STRING, strings[i], strlen(strings[i]));
  for (int i = 0; i < FUNCTIONS; i++) {
    snprintf(name, sizeof name, "f%d", i);
    counts_put_bytes(&m->out, PROFILE_STRING, name, strlen(name));
  }
}

static void counts_make(struct counts_maker *m, unsigned how) {
  *m = (struct counts_maker){.random = how + 1, .how = how};
  buffer_init(&m->out, &mem_default, 1 << 28);
  counts_put_integers(&m->out, PROFILE_SAMPLE_TYPE, (uint64_t[]){1, 2}, 2);
  for (size_t row = 0; row < ROWS; row++) {
    struct buffer sample;
    buffer_init(&sample, &mem_default, 1 << 16);
    if (!counts_has(m, EMPTY) || row % 7) counts_put_stack(m, &sample, row);
    counts_put_varint(&sample, SAMPLE_VALUE << 3, false);
    counts_put_varint(&sample, counts_value(m, row), false);
    counts_put_bytes(&m->out, PROFILE_SAMPLE, sample.data, sample.size);
    buffer_free(&sample);
  }
  counts_put_tables(m);
}

static pprofc_profile *counts_read(const struct counts_maker *m, bool rows, pprofc_error *error) {
  pprofc_read_options options;
  pprofc_read_options_init(&options);
  options.folding = rows ? PPROFC_FOLD_SUMS : PPROFC_FOLD_NOTHING;
  options.fold_sample_index = rows ? "" : NULL;
  options.fold_rows = rows;
  options.threads = 2;
  options.fold_compared = counts_has(m, SIDE);
  pprofc_profile *profile = NULL;
  *error = (pprofc_error){.message = ""};
  pprofc_profile_read_memory(m->out.data, m->out.size, &options, &profile, error);
  return profile;
}

/* ---- what is true of counts -------------------------- */

struct counts_truth {
  int64_t sum[LOCATIONS], leaf[LOCATIONS], total;
  uint32_t met[LOCATIONS];
};

static void counts_find_truth(const pprofc_profile *whole, struct counts_truth *t) {
  const struct samples *s = &whole->samples;
  struct stack_reader reader = stack_reader_at(s, 0);
  *t = (struct counts_truth){.total = 0};
  for (size_t i = 0; i < s->count; i++) {
    struct packed_stack stack = stack_of(&reader, i);
    uint32_t location;
    t->total += s->values[i];
    for (bool leaf = true; stack_take_leaf(&stack, &location); leaf = false) {
      t->sum[location] += s->values[i];
      t->met[location]++;
      if (leaf) t->leaf[location] += s->values[i];
    }
  }
}

/* A size is not below what it stands for, and above it by less than a unit for each sample and each
 * time that units grew. */
static bool counts_size_is_right(const struct counts_truth *t, const struct stack_counts *c,
                                 size_t location) {
  uint64_t size = c->sizes[location], sum = (uint64_t)t->sum[location] >> c->shift;
  if (size == STACK_COUNT_FULL) return t->met[location] > 0;
  return (size << c->shift) >= (uint64_t)t->sum[location] && size <= sum + t->met[location] + 2;
}

static void counts_are_right(const pprofc_profile *whole, const struct stack_counts *c,
                             size_t most_full) {
  static struct counts_truth t;
  counts_find_truth(whole, &t);
  size_t wrong = 0, full = 0;
  CU_ASSERT_EQUAL(c->total, t.total);
  for (size_t i = 0; i < LOCATIONS; i++) {
    if (i >= c->count) {
      wrong += t.met[i] != 0;
      continue;
    }
    wrong += !counts_size_is_right(&t, c, i) || c->leaves[i] != t.leaf[i];
    full += c->sizes[i] == STACK_COUNT_FULL;
  }
  CU_ASSERT_EQUAL(wrong, 0);
  CU_ASSERT(full <= most_full);
}

/* ---- reports ----------------------------------------- */

static void counts_same_reports(const pprofc_profile *whole, const pprofc_profile *rows) {
  static const double fractions[] = {0, 0.00001, 0.0005, 0.005, 0.0051, 0.02, 0.3, 1};
  pprofc_report_options options = report_options("top");
  for (size_t i = 0; i < sizeof fractions / sizeof *fractions; i++) {
    options.nodefraction = fractions[i];
    options.edgefraction = fractions[i] / 5;
    options.threads = 1 + (unsigned)(i % 2);
    options.granularity = i % 3 ? "functions" : "addresses";
    options.noinlines = i % 4 == 3;
    expect_same_report(whole, rows, &options);
  }
}

/* Reads both ways; `counted` is whether there have to be counts. */
static void counts_compare(unsigned how, bool counted) {
  struct counts_maker m;
  pprofc_error error;
  counts_make(&m, how);
  pprofc_profile *whole = counts_read(&m, false, &error), *rows = counts_read(&m, true, &error);
  CU_ASSERT_FATAL(whole && rows && rows->samples.tree && rows->samples.tree->rows);
  const struct stack_counts *counts = rows->samples.tree->counts;
  CU_ASSERT_EQUAL(counts != NULL, counted);
  /* Counters of what is hot are full, and what was hot at the beginning stays so. */
  if (counts) counts_are_right(whole, counts, how & LATE_IDS ? LOCATIONS / 5 : 2);
  counts_same_reports(whole, rows);
  pprofc_profile_release(rows);
  pprofc_profile_release(whole);
  buffer_free(&m.out);
}

static void test_counts_are_those_of_the_rows(void) {
  for (unsigned how = 0; how < WAYS; how += 5) counts_compare(how, true);
}

static void test_counting_is_given_up(void) {
  counts_compare(OVERFLOW, false);
  counts_compare(OVERFLOW | GROWING | ZEROS, false);
  counts_compare(LONG | HOT, false);
  counts_compare(SIDE | HOT, false);
  counts_compare(LONG | PADDED | EMPTY, false);
  counts_compare(FAR_ID | HOT | LATE_IDS, true);
}

/* What cannot be read, or is not there, is found while counting, too: the message is that of the
 * other way. */
static void test_faults_are_found_while_counting(void) {
  static const unsigned faults[] = {ID_ZERO,        NO_SUCH,          CUT_ID,
                                    SPARSE,         SPARSE | NO_SUCH, LONG | ID_ZERO,
                                    LONG | NO_SUCH, LONG | CUT_ID};
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    struct counts_maker m;
    pprofc_error one, two;
    counts_make(&m, faults[i]);
    pprofc_profile *whole = counts_read(&m, false, &one), *rows = counts_read(&m, true, &two);
    CU_ASSERT_EQUAL(whole != NULL, rows != NULL);
    CU_ASSERT_EQUAL(whole != NULL, faults[i] == SPARSE);
    CU_ASSERT_STRING_EQUAL(one.message, two.message);
    if (whole && rows) counts_same_reports(whole, rows);
    pprofc_profile_release(rows);
    pprofc_profile_release(whole);
    buffer_free(&m.out);
  }
}

UNIT_MAIN("fold_counts", UNIT(test_counts_are_those_of_the_rows), UNIT(test_counting_is_given_up),
          UNIT(test_faults_are_found_while_counting))
