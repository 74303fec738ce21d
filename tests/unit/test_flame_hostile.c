/* Tests flame graphs of hostile profiles: many labels, and names of a megabyte. */
#include "unit.h"

#include "report_text.h"

/* Begins samples of one function. The caller adds a sample, then the labels of that sample. */
static pprofc_builder *hostile_begin(void) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_type(b, "cpu", "nanoseconds");
  return b;
}

static void add_sample(pprofc_builder *b) {
  uint32_t frame = pprofc_builder_frame(b, "f", "f.c", 1);
  int64_t value = 1;
  pprofc_builder_sample(b, &frame, 1, &value);
}

/* Adds a label. Key and value each end with a number. */
static void add_label(pprofc_builder *b, const char *key, size_t k, const char *value, size_t v) {
  char name[32], text[32];
  snprintf(name, sizeof name, "%s%zu", key, k);
  snprintf(text, sizeof text, "%s%zu", value, v);
  pprofc_builder_label(b, name, text);
}

static pprofc_profile *hostile_end(pprofc_builder *b) {
  return finish(b);
}

static bool holds(const struct buffer *text, const char *part) {
  return str_find(buffer_str(text), str_of(part)) < text->size;
}

/* Writes the bytes of -flame=data, which begin with JSON. */
static void flame_bytes(const pprofc_profile *profile, struct buffer *bytes) {
  pprofc_report_options options = report_options("flame");
  options.argument = "data";
  buffer_init(bytes, &mem_default, 1 << 26);
  report_into(bytes, profile, &options);
}

/* There are more keys than the page can show. A dropped key must never come back. */
TEST(test_more_label_keys_than_groups) {
  pprofc_builder *b = hostile_begin();
  for (size_t i = 0; i < 3; i++) {
    add_sample(b);
    for (size_t k = 0; k < 255; k++) add_label(b, "k", k, "v", i);
  }
  pprofc_profile *profile = hostile_end(b);
  struct buffer bytes;
  flame_bytes(profile, &bytes);
  CU_ASSERT(holds(&bytes, "\"left_out\":[\"k"));
  CU_ASSERT(!holds(&bytes, "k254=v2"));
  buffer_free(&bytes);
  pprofc_profile_release(profile);
}

/* First a key with few values, then 200 keys beyond the limit, then too many values of the first
 * key. */
TEST(test_group_grows_after_keys_were_left_out) {
  pprofc_builder *b = hostile_begin();
  for (size_t i = 0; i < 60000; i++) {
    add_sample(b);
    add_label(b, "x", 0, "v", 0);
    pprofc_builder_number_label(b, "n", (int64_t)i, "u");
  }
  for (size_t i = 0; i < 202; i++) {
    add_sample(b);
    add_label(b, i < 101 ? "a" : "b", i, "v", 0);
  }
  for (size_t i = 0; i < 27; i++) {
    add_sample(b);
    add_label(b, "x", 0, "w", i);
  }
  add_sample(b);
  add_label(b, "x", 0, "v", 0);
  pprofc_profile *profile = hostile_end(b);
  struct buffer bytes;
  flame_bytes(profile, &bytes);
  CU_ASSERT(holds(&bytes, "\"a0=v0\""));
  CU_ASSERT(!holds(&bytes, "\"x0=v0\""));
  buffer_free(&bytes);
  pprofc_profile_release(profile);
}

/* ---- names of 256 KiB --------------------------------- */

#define LONG_NAME ((size_t)1 << 18)

/* Returns a profile of one recursive function. Its name repeats a text. */
static pprofc_profile *long_name_profile(const char *repeated) {
  static char name[LONG_NAME + 1];
  size_t size = strlen(repeated);
  for (size_t i = 0; i < LONG_NAME; i++) name[i] = repeated[i % size];
  pprofc_builder *b = hostile_begin();
  uint32_t frame = pprofc_builder_frame(b, name, name, 1), frames[50];
  for (size_t i = 0; i < 50; i++) frames[i] = frame;
  int64_t value = 1;
  pprofc_builder_sample(b, frames, 50, &value);
  pprofc_builder_label(b, "key", name);
  return hostile_end(b);
}

/* A picture of 50 boxes with long names must be much smaller than 50 names, and must not take
 * minutes. */
TEST(test_long_names_are_cut) {
  static const char *const repeated[] = {"a",     "()",    "(",    "a(b)", "a.",   " [clone ",
                                         ".cold", "a.b::", "<>()", "()<",  "\x80", "operator("};
  static const char *const formats[] = {"flame", "flamegraph"};
  for (size_t i = 0; i < sizeof repeated / sizeof *repeated; i++) {
    pprofc_profile *profile = long_name_profile(repeated[i]);
    for (size_t k = 0; k < 2; k++) {
      pprofc_report_options options = report_options(formats[k]);
      struct buffer text;
      buffer_init(&text, &mem_default, 1 << 26);
      report_into(&text, profile, &options);
      CU_ASSERT(holds(&text, "\xE2\x80\xA6"));
      CU_ASSERT(text.size < 12 * LONG_NAME);
      buffer_free(&text);
    }
    pprofc_profile_release(profile);
  }
}
