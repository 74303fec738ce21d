/* Tests reports that print or export samples. Their output must be correct for any profile and
 * number of threads, and they must handle lack of memory and a full disk. tests/golden has their
 * texts. */
#include "core/buffer.h"
#include "faults.h"
#include "pprofc/pprofc.h"

#include "profile_text.h"
#include "unit.h"

#include <stdlib.h>

static const char *const formats[] = {"raw",   "traces",     "tags",  "comments",
                                      "proto", "speedscope", "folded"};

#define FORMATS (sizeof formats / sizeof *formats)

/* ---- profiles ---------------------------------------- */

static pprofc_builder *new_builder(const pprofc_allocator *allocator) {
  pprofc_builder *b = pprofc_builder_new(allocator);
  pprofc_builder_type(b, "samples", "count");
  pprofc_builder_type(b, "cpu", "nanoseconds");
  return b;
}

/* Returns a profile with inlining, text and number labels, recursion, frames without function, and
 * a base. */
static pprofc_profile *small_profile(const pprofc_allocator *allocator) {
  pprofc_builder *b = new_builder(allocator);
  pprofc_builder_comment(b, "a comment");
  uint32_t mapping = pprofc_builder_mapping(b, 0x1000, 0x9000, 0, "/bin/program", "", 0);
  uint32_t inner = pprofc_builder_function(b, "inner", NULL, "a.h", 3);
  uint32_t outer = pprofc_builder_function(b, "outer", NULL, "./x/../a.c", 8);
  uint32_t both =
      pprofc_builder_location(b, mapping, 0x1010, (pprofc_line[]){{inner, 4, 2}, {outer, 9, 0}}, 2);
  uint32_t bare = pprofc_builder_location(b, mapping, 0x1020, NULL, 0);
  uint32_t start = pprofc_builder_frame(b, "main", "main.c", 1);
  pprofc_builder_sample(b, (uint32_t[]){both, bare, start}, 3, (int64_t[]){1, 100});
  pprofc_builder_label(b, "thread", "one");
  pprofc_builder_label(b, "thread", "two");
  pprofc_builder_number_label(b, "bytes", 4096, "bytes");
  pprofc_builder_sample(b, (uint32_t[]){both, both, start}, 3, (int64_t[]){2, 50});
  pprofc_builder_number_label(b, "request", 7, "");
  pprofc_builder_sample(b, (uint32_t[]){start}, 1, (int64_t[]){-1, -30});
  pprofc_builder_label(b, "pprof::base", "true");
  return finish(b);
}

/* Returns a profile that is large enough to be rendered in several blocks and threads. */
static pprofc_profile *large_profile(size_t samples) {
  pprofc_builder *b = new_builder(NULL);
  uint32_t frames[100], stack[12];
  for (uint32_t i = 0; i < 100; i++) {
    char name[16];
    snprintf(name, sizeof name, "f%u", i * 7919 % 100);
    frames[i] = pprofc_builder_frame(b, name, "f.c", i + 1);
  }
  uint64_t state = 1;
  for (size_t i = 0; i < samples; i++) {
    size_t depth = 1 + i % 12;
    for (size_t k = 0; k < depth; k++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      stack[k] = frames[(state >> 40) % 100];
    }
    pprofc_builder_sample(b, stack, depth, (int64_t[]){1, (int64_t)(state >> 50)});
    if (i % 5 == 0) pprofc_builder_label(b, "thread", i % 2 ? "odd" : "even");
  }
  return finish(b);
}

/* ---- rendering --------------------------------------- */

static pprofc_report_options options_for(const char *format) {
  pprofc_report_options options;
  pprofc_report_options_init(&options);
  options.format = format;
  options.group_by_label = "thread";
  return options;
}

static struct buffer render(const pprofc_profile *p, const pprofc_report_options *options) {
  struct buffer text;
  pprofc_error error;
  buffer_init(&text, &mem_default, SIZE_MAX);
  pprofc_status status = pprofc_report(p, options, buffer_write, &text, &error);
  if (status != PPROFC_OK) printf("\n%s: %s\n", options->format, error.message);
  CU_ASSERT_EQUAL(status, PPROFC_OK);
  return text;
}

static bool same_text(const struct buffer *a, const struct buffer *b) {
  return str_equal(buffer_str(a), buffer_str(b));
}

static bool contains(const struct buffer *text, const char *what) {
  return str_find(buffer_str(text), str_of(what)) < text->size;
}

TEST(test_the_number_of_threads_does_not_show) {
  pprofc_profile *p = large_profile(20000);
  for (size_t i = 0; i < FORMATS; i++) {
    pprofc_report_options options = options_for(formats[i]);
    options.threads = 1;
    struct buffer one = render(p, &options);
    for (unsigned threads = 2; threads <= 5; threads += 3) {
      options.threads = threads;
      struct buffer more = render(p, &options);
      CU_ASSERT(same_text(&one, &more));
      buffer_free(&more);
    }
    buffer_free(&one);
  }
  pprofc_profile_release(p);
}

static int64_t folded_sum(const struct buffer *text, size_t *lines) {
  pprofc_str rest = buffer_str(text), line;
  int64_t sum = 0, value;
  for (*lines = 0; str_next_line(&rest, &line) && line.size; ++*lines) {
    size_t blank = str_find_last_char(line, ' ');
    CU_ASSERT(str_parse_int(str_slice(line, blank + 1, line.size), 10, &value));
    sum += value;
  }
  return sum;
}

TEST(test_joined_and_cut_stacks_keep_the_sum) {
  pprofc_profile *p = large_profile(20000);
  pprofc_samples_view samples;
  pprofc_profile_samples(p, &samples);
  int64_t total = 0;
  for (size_t i = 0; i < samples.count; i++) total += samples.values[2 * i + 1];
  size_t before = SIZE_MAX, lines;
  for (int step = 0; step < 4; step++) {
    pprofc_report_options options = options_for("folded");
    options.cut_depth = step < 2 ? 0 : 5;
    options.min_weight = step % 2 ? 0.0001 : 0;
    struct buffer text = render(p, &options);
    CU_ASSERT_EQUAL(folded_sum(&text, &lines), total);
    CU_ASSERT(step == 2 || lines < before);
    before = lines;
    buffer_free(&text);
  }
  pprofc_profile_release(p);
}

TEST(test_text_of_the_profile_cannot_drive_a_terminal) {
  pprofc_builder *b = new_builder(NULL);
  static const char bad[] = "\x1b[31m\xFF\x9b";
  pprofc_builder_comment(b, bad);
  pprofc_builder_default_type(b, bad);
  pprofc_builder_type(b, bad, bad);
  uint32_t frame = pprofc_builder_frame(b, bad, bad, 1);
  pprofc_builder_sample(b, &frame, 1, (int64_t[]){1, 2, 3});
  pprofc_builder_label(b, bad, bad);
  pprofc_builder_number_label(b, bad, 5, bad);
  pprofc_profile *p = finish(b);
  for (size_t i = 0; i < FORMATS; i++) {
    if (strcmp(formats[i], "proto") == 0) continue;
    pprofc_report_options options = options_for(formats[i]);
    options.group_by_label = bad;
    options.unit = bad;
    options.granularity = "lines";
    struct buffer text = render(p, &options);
    CU_ASSERT(text.size > 0);
    CU_ASSERT(!contains(&text, "\x1b"));
    CU_ASSERT(!contains(&text, "\xFF"));
    buffer_free(&text);
  }
  pprofc_profile_release(p);
}

TEST(test_the_smallest_integer_is_a_value_like_any_other) {
  pprofc_builder *b = new_builder(NULL);
  uint32_t frame = pprofc_builder_frame(b, "f", "f.c", 1);
  pprofc_builder_sample(b, &frame, 1, (int64_t[]){-1, INT64_MIN});
  pprofc_builder_label(b, "k", "v");
  pprofc_builder_sample(b, &frame, 1, (int64_t[]){INT64_MAX, INT64_MAX});
  pprofc_builder_label(b, "pprof::base", "true");
  pprofc_profile *p = finish(b);
  for (size_t i = 0; i < FORMATS; i++) {
    pprofc_report_options options = options_for(formats[i]);
    for (int mean = 0; mean < 2; mean++) {
      options.mean = mean;
      options.divide_by = mean ? 1e-9 : 1;
      struct buffer text = render(p, &options);
      buffer_free(&text);
    }
  }
  pprofc_profile_release(p);
}

/* ---- failures of the machine ------------------------- */

TEST(test_every_allocation_may_fail) {
  struct faults faults = {.fail_at = SIZE_MAX};
  pprofc_allocator allocator = {fault_alloc, fault_resize, fault_release, &faults};
  pprofc_profile *p = small_profile(&allocator);
  for (size_t i = 0; i < FORMATS; i++) {
    pprofc_report_options options = options_for(formats[i]);
    options.divide_by = 3;
    options.min_weight = 0.3;
    faults.fail_at = SIZE_MAX;
    struct buffer whole = render(p, &options);
    size_t live = faults.live;
    bool done = false;
    for (size_t at = 0; !done; at++) {
      struct buffer text;
      pprofc_error error;
      buffer_init(&text, &mem_default, SIZE_MAX);
      faults.calls = 0;
      faults.fail_at = at;
      pprofc_status status = pprofc_report(p, &options, buffer_write, &text, &error);
      done = faults.calls <= at;
      CU_ASSERT(status == PPROFC_OK ? same_text(&text, &whole) : status == PPROFC_E_NOMEM);
      CU_ASSERT_EQUAL(faults.live, live);
      buffer_free(&text);
    }
    buffer_free(&whole);
  }
  faults.fail_at = SIZE_MAX;
  pprofc_profile_release(p);
  CU_ASSERT_EQUAL(faults.live, 0);
  CU_ASSERT_EQUAL(faults.wrong_sizes, 0);
}

static int refuse(void *context, const void *data, size_t size) {
  (void)data;
  size_t *left = context;
  if (size > *left) return 1;
  *left -= size;
  return 0;
}

TEST(test_a_full_disk_is_an_error) {
  pprofc_profile *p = large_profile(10000);
  for (size_t i = 0; i < FORMATS; i++) {
    if (strcmp(formats[i], "comments") == 0) continue; /* the profile has no comments */
    for (size_t room = 0; room < 3; room++) {
      size_t left = room * 20;
      pprofc_report_options options = options_for(formats[i]);
      pprofc_error error;
      CU_ASSERT_EQUAL(pprofc_report(p, &options, refuse, &left, &error), PPROFC_E_IO);
    }
  }
  pprofc_profile_release(p);
}
