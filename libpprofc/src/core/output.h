/* Collects the output of reports in a buffer for the caller's write callback. After the first
 * failure, all data is dropped. */
#ifndef PPROFC_CORE_OUTPUT_H
#define PPROFC_CORE_OUTPUT_H

#include "core/buffer.h"
#include "core/error.h"
#include "core/str.h"

struct brief;

struct output {
  pprofc_write_fn write;
  void *context;
  const pprofc_allocator *mem; /* allocator with a budget that can stop the output, or NULL */
  struct brief *brief; /* buffer that shortens the report (core/brief.h); NULL: do not shorten */
  size_t size;
  bool failed; /* true after a failure of the callback or a stop; later output is dropped */
  char data[32 * 1024];
};

void output_init(struct output *out, pprofc_write_fn write, void *context);

/* Makes the output fail when the budget of `mem` is stopped (core/budget.h). */
void output_watch(struct output *out, const pprofc_allocator *mem);

void output_add(struct output *out, const void *data, size_t size);
/* Adds data to the output. The function is a pprofc_write_fn whose context is a struct output. */
int output_take(void *output, const void *data, size_t size);
void output_add_str(struct output *out, pprofc_str s);
void output_add_text(struct output *out, const char *text);
void output_add_char(struct output *out, char c);
void output_add_fill(struct output *out, char c, size_t count);
void output_add_int(struct output *out, int64_t value);
void output_add_uint(struct output *out, uint64_t value);
void output_printf(struct output *out, const char *format, ...) PPROFC_PRINTF(2, 3);

/* Right-aligns s in `width` cells. A cell is a code point, as in Go's %10s. */
void output_add_padded(struct output *out, pprofc_str s, size_t width);

/* output_row announces a row of a report that -budget may shorten, with its rank, weight and value
 * (core/brief.h). output_no_row announces text outside of rows. Without -budget, both functions do
 * nothing. */
void output_row(struct output *out, int rank, double weight, long double amount);
void output_no_row(struct output *out);

/* Marks the place in a JSON report for the note about the rows that -budget omitted. This place
 * must be after a member of an object. */
void output_note(struct output *out);

/* Returns the text, or a shortened copy in `scratch` if -budget shortens names (brief_shorten). */
pprofc_str output_shorten(struct output *out, pprofc_str text, struct buffer *scratch);

/* Writes the buffered bytes. Returns PPROFC_E_IO if the callback has ever failed. */
pprofc_status output_flush(struct output *out, pprofc_error *error);

#endif
