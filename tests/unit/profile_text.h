/* Writes a profile as a few lines of text, for tests of functions that change profiles.
 *
 *   1 20: 1 2 | a b>main | key=v1 bytes=1024:bytes
 *
 * A line has values, location ids from the leaf, the lines of each location, and labels. Inlined
 * functions come first, separated by >. */
#ifndef PROFILE_TEXT_H
#define PROFILE_TEXT_H

#include "core/buffer.h"
#include "core/error.h"
#include "pprofc/builder.h"
#include "pprofc/profile.h"

#include <CUnit/CUnit.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void text_of_stack(struct buffer *out, const pprofc_profile *p,
                                 const uint32_t *frames, size_t depth) {
  for (size_t i = 0; i < depth; i++)
    buffer_printf(out, " %" PRIu64, pprofc_profile_location(p, frames[i]).id);
  buffer_add_text(out, " |");
  for (size_t i = 0; i < depth; i++) {
    pprofc_location location = pprofc_profile_location(p, frames[i]);
    buffer_add_char(out, ' ');
    if (!location.line_count) buffer_printf(out, "0x%" PRIx64, location.address);
    for (size_t l = 0; l < location.line_count; l++) {
      pprofc_line line = pprofc_profile_line(p, frames[i], l);
      pprofc_function function = pprofc_profile_function(p, line.function);
      buffer_printf(out, "%s%.*s", l ? ">" : "", STR_ARG(function.name));
    }
  }
}

static inline void text_of_sample(struct buffer *out, const pprofc_profile *p, size_t sample) {
  pprofc_samples_view view;
  pprofc_profile_samples(p, &view);
  uint32_t frames[64];
  for (size_t t = 0; t < view.types; t++)
    buffer_printf(out, "%s%" PRId64, t ? " " : "", view.values[sample * view.types + t]);
  buffer_add_char(out, ':');
  text_of_stack(out, p, frames, pprofc_profile_stack(p, sample, frames, 64));
  size_t labels = pprofc_profile_label_count(p, sample);
  if (labels) buffer_add_text(out, " |");
  for (size_t i = 0; i < labels; i++) {
    pprofc_label l = pprofc_profile_label(p, sample, i);
    buffer_printf(out, " %.*s=", STR_ARG(l.key));
    if (l.is_number)
      buffer_printf(out, "%" PRId64 ":%.*s", l.number, STR_ARG(l.unit));
    else
      buffer_add_str(out, l.string);
  }
  buffer_add_char(out, '\n');
}

/* Appends all samples, one on each line. */
static inline void text_of_samples(struct buffer *out, const pprofc_profile *p) {
  pprofc_samples_view view;
  pprofc_profile_samples(p, &view);
  for (size_t i = 0; i < view.count; i++) text_of_sample(out, p, i);
}

static inline void expect_samples(const pprofc_profile *p, const char *expected) {
  struct buffer text;
  buffer_init(&text, &mem_default, 1 << 20);
  text_of_samples(&text, p);
  buffer_add_char(&text, '\0');
  bool same = strcmp(text.data, expected) == 0;
  if (!same) printf("\nexpected:\n%sgot:\n%s", expected, text.data);
  CU_ASSERT(same);
  buffer_free(&text);
}

static inline void expect_message(pprofc_status status, pprofc_status expected,
                                  const pprofc_error *error, const char *message) {
  CU_ASSERT_EQUAL(status, expected);
  bool same = strcmp(error->message, message) == 0;
  if (!same) printf("\nexpected: %s\ngot: %s\n", message, error->message);
  CU_ASSERT(same);
}

/* ---- building profiles ------------------------------- */

/* Returns a frame by its function name. Each name has one location. */
static inline uint32_t frame(pprofc_builder *b, const char *function) {
  return pprofc_builder_frame(b, function, NULL, 0);
}

/* Adds a sample with one or two values. The stack has the form "leaf b main". */
static inline void sample(pprofc_builder *b, const char *stack, int64_t first, int64_t second) {
  uint32_t frames[64];
  size_t depth = 0;
  char text[256], *rest = text;
  snprintf(text, sizeof text, "%s", stack);
  for (char *name; (name = strtok_r(rest, " ", &rest));) frames[depth++] = frame(b, name);
  int64_t values[2] = {first, second};
  pprofc_builder_sample(b, frames, depth, values);
}

/* Returns a builder with one sample type, cpu in nanoseconds. */
static inline pprofc_builder *cpu_builder(void) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_type(b, "cpu", "nanoseconds");
  return b;
}

static inline pprofc_profile *finish(pprofc_builder *b) {
  pprofc_profile *p = NULL;
  pprofc_error error;
  if (pprofc_builder_finish(b, &p, &error) != PPROFC_OK) {
    CU_FAIL_FATAL("the builder failed");
  }
  pprofc_builder_free(b);
  return p;
}

#endif
