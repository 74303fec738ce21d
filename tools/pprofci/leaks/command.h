/* Implements `pprofci leaks`: its options, its input and its output. */
#ifndef PPROFCI_LEAKS_COMMAND_H
#define PPROFCI_LEAKS_COMMAND_H

#include "commands.h"
#include "leaks/leaks.h"

#define IGNORES_MAX 64

struct leaks_command {
  bool json, list_ignored;
  const char *folded, *html;
  int64_t top, warmup;
  double floor_kb, floor_count, kept, alpha;
  const char *ignore[IGNORES_MAX];
  size_t ignore_count;
  uint64_t brief_bytes;
};

/* Input profiles that can show leaks: heap and goroutine profiles. */
struct leaks_inputs {
  struct arena arena;
  struct leak_input *items;
  size_t count, capacity;
  size_t others; /* number of skipped profiles that cannot show leaks */
};

/* Reads the profiles. The caller calls leaks_inputs_free. */
void leaks_load(struct leaks_inputs *inputs, const char *const *sources, size_t count);
void leaks_inputs_free(struct leaks_inputs *inputs);

void leaks_print_text(const struct leaks *leaks, size_t top, struct output *out);
void leaks_print_json(const struct leaks *leaks, struct output *out);

#define LEAKS_VALUE 64

/* Formats a value such as "48.20MB" or "1204", and NaN as "-". If `sign` is true, an increase has a
 * '+'. */
void leaks_value(double value, pprofc_str unit, bool sign, char out[LEAKS_VALUE]);

/* True if the text table and the HTML page show the row. */
bool leaks_is_shown(const struct leak_row *row);

/* Returns the growth per hour. Returns NaN if the profiles cover less than a minute. */
double leaks_per_hour(const struct leak_kind *kind, const struct leak_row *row);

/* Prints a line about a profile type: the number of profiles, their duration, and the smallest leak
 * that these profiles could show. */
void leaks_put_kind(const struct leak_kind *kind, struct output *out);

/* Appends the HTML page. `top` is the maximum number of rows. */
void leaks_print_page(const struct leaks *leaks, size_t top, struct buffer *out);

/* Packs a flame graph (run/profiles.h) that shows the growth of the leaks of one profile type. The
 * graph is in the arena. */
void leaks_draw_growth(const struct leak_kind *kind, struct arena *arena, pprofc_str *packed);

/* Prints the growth of each stack of a leak: "root;...;leaf 12". */
pprofc_status leaks_print_folded(const void *leaks, struct output *out, pprofc_error *error);

#endif
