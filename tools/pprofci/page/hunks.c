/* Writes the changed source lines, with the cost of each line in base and head. */
#include "page/html.h"

#include "core/escape.h"
#include "page/numbers.h"
#include "run/changes.h"

#include <math.h>

#define COLUMN       10
#define CULPRIT_MOST 15 /* maximum number of lines of the hunk that grew most */
#define PAGE_MOST    60 /* maximum number of lines of another hunk on the page */
#define SHOWN_MOST   80 /* maximum number of bytes of a line in a sentence */

/* Writes an amount in a column; '.' for 0. */
static void put_amount(struct buffer *out, double value, pprofc_str unit) {
  struct buffer text;
  buffer_init(&text, out->mem, SIZE_MAX / 2);
  if (value > 0)
    number_profile(&text, value, unit);
  else
    buffer_add_char(&text, '.');
  size_t length = utf8_length(buffer_str(&text));
  if (length < COLUMN) buffer_add_fill(out, ' ', COLUMN - length);
  buffer_add_str(out, buffer_str(&text));
  buffer_add_char(out, ' ');
  out->failed |= text.failed;
  buffer_free(&text);
}

/* Writes a line, with its costs if the profile has lines of the function. */
static void put_run_line(struct buffer *out, const struct run_hunk *hunk,
                         const struct run_line *line, pprofc_str unit) {
  for (int side = 0; side < SIDES && !hunk->whole; side++) put_amount(out, line->cost[side], unit);
  bool added = line->head_line > 0;
  int64_t number = added ? line->head_line : line->base_line;
  buffer_printf(out, "%6lld %c", (long long)number, added ? '+' : '-');
  buffer_add_text(out, line->text);
}

/* Writes the source position of the hunk, its verdict, and the headings of both columns. */
static void put_hunk_head(struct buffer *out, const struct run_hunk *hunk) {
  buffer_add_text(out, hunk->file);
  buffer_add_text(out, "  ");
  buffer_add_text(out, hunk->function);
  if (*hunk->verdict) buffer_add_text(out, "  ");
  buffer_add_text(out, hunk->verdict);
  if (hunk->whole)
    buffer_add_char(out, '\n');
  else
    buffer_printf(out, "\n%*s %*s\n", COLUMN, "base", COLUMN, "head");
}

static void put_hunk(struct buffer *out, const struct run_pair *pair, const struct run_hunk *hunk,
                     size_t most) {
  size_t first = lines_window(hunk, most);
  put_hunk_head(out, hunk);
  for (size_t i = first; i < hunk->line_count && i < first + most; i++) {
    put_run_line(out, hunk, &hunk->lines[i], str_of(pair->unit));
    buffer_add_char(out, '\n');
  }
  if (hunk->line_count > most) buffer_printf(out, "and %zu more lines\n", hunk->line_count - most);
}

void hunks_put_worst(struct buffer *out, const struct run_pair *pair, size_t most) {
  if (pair->hunk_count && pair->unit) put_hunk(out, pair, &pair->hunks[0], most);
}

/* Adds a hunk as a row of `list`. The row has an inner row for each line. */
static void hunks_fill_one(struct fill *f, const char *list, const struct run_pair *pair,
                           const struct run_hunk *hunk, size_t most) {
  size_t first = lines_window(hunk, most);
  fill_begin(f, list);
  put_hunk_head(fill_text(f, "head"), hunk);
  for (size_t i = first; i < hunk->line_count && i < first + most; i++) {
    fill_begin(f, "lines");
    fill_words(f, "css", hunk->lines[i].head_line > 0 ? "added" : "deleted");
    put_run_line(fill_text(f, "text"), hunk, &hunk->lines[i], str_of(pair->unit));
    fill_end(f);
  }
  if (hunk->line_count > most) fill_number(f, "others", (int64_t)(hunk->line_count - most));
  fill_end(f);
}

void hunks_fill(struct fill *f, const struct run_pair *pair) {
  if (!pair->hunk_count || !pair->unit) return;
  hunks_fill_one(f, "culprit", pair, &pair->hunks[0], CULPRIT_MOST);
  if (pair->hunk_count == 1) return;
  fill_begin(f, "hunks");
  fill_number(f, "count", (int64_t)pair->hunk_count - 1);
  fill_words(f, "plural", pair->hunk_count == 2 ? "" : "s");
  for (size_t i = 1; i < pair->hunk_count; i++)
    hunks_fill_one(f, "places", pair, &pair->hunks[i], PAGE_MOST);
  fill_end(f);
}

/* True if a changed line of the function grew in the pair of profiles. */
static bool is_grown_in(const struct run_pair *pair, const char *function) {
  for (size_t i = 0; i < pair->hunk_count; i++)
    if (pair->hunks[i].certain && strcmp(pair->hunks[i].function, function) == 0) return true;
  return false;
}

/* Appends " in 9 of 12 benchmarks" if there are several. */
static void put_benchmarks(struct buffer *out, const struct ci_run *run,
                           const struct run_pair *pair, const char *function) {
  size_t all = 0, grown = 0;
  for (size_t i = 0; i < run->pair_count; i++) {
    const struct run_pair *other = &run->pairs[i];
    if (!other->benchmark || !other->diff || strcmp(other->kind, pair->kind) != 0) continue;
    all++;
    grown += is_grown_in(other, function);
  }
  if (all > 1 && grown) buffer_printf(out, " in %zu of %zu benchmarks", grown, all);
}

/* Returns the growth of the line that grew most, but at most the growth of its hunk and of its
 * function. A line that replaces other lines has no cost in the base, so its own growth would
 * ignore the cost of the replaced lines. */
static double line_share(const struct run_hunk *hunk) {
  const struct run_line *line = &hunk->lines[hunk->worst];
  double delta = line->cost[SIDE_HEAD] - line->cost[SIDE_BASE];
  return fmin(delta, fmin(hunk->delta, hunk->grown));
}

/* True if the hunk grew in inlined code whose calls are unknown, and not on its own lines. */
static bool is_inlined(const struct run_hunk *hunk) {
  double sum = 0;
  for (size_t i = 0; i < hunk->line_count; i++)
    sum += hunk->lines[i].cost[SIDE_HEAD] - hunk->lines[i].cost[SIDE_BASE];
  return hunk->delta > sum + fabs(sum) * 1e-9;
}

/* Appends the text of a line. */
static void put_code(struct buffer *out, pprofc_str text, struct hunk_code *code) {
  if (code) *code = (struct hunk_code){out->size, text.size};
  buffer_add_str(out, text);
}

/* Appends ", one of 3 changes in it" if the function has several hunks. */
static void put_siblings(struct buffer *out, const struct run_pair *pair,
                         const struct run_hunk *hunk) {
  size_t count = 0;
  for (size_t i = 0; i < pair->hunk_count; i++)
    count += strcmp(pair->hunks[i].function, hunk->function) == 0 &&
             strcmp(pair->hunks[i].file, hunk->file) == 0;
  if (count > 1) buffer_printf(out, ", one of %zu changes in it", count);
}

/* Returns the last line of the run of added or deleted lines that begins with the worst line. */
static size_t last_changed(const struct run_hunk *hunk) {
  size_t last = hunk->worst;
  bool added = hunk->lines[last].head_line > 0;
  for (size_t i = last; i < hunk->line_count && (hunk->lines[i].head_line > 0) == added; i++)
    if (str_trim(str_of(hunk->lines[i].text)).size) last = i;
  return last;
}

/* Appends "; line 41 of x.py changed in it (new: text)", without a cost of the line. */
static void put_whole_change(struct buffer *out, const struct run_pair *pair,
                             const struct run_hunk *hunk, struct hunk_code *code) {
  const struct run_line *line = &hunk->lines[hunk->worst], *last = &hunk->lines[last_changed(hunk)];
  bool added = line->head_line > 0;
  int64_t first = added ? line->head_line : line->base_line;
  int64_t end = added ? last->head_line : last->base_line;
  buffer_printf(out, "; line%s %lld", end > first ? "s" : "", (long long)first);
  if (end > first) buffer_printf(out, " to %lld", (long long)end);
  buffer_printf(out, " of %s %s", hunk->file,
                added ? "changed in it (new: " : "no longer in it (old: ");
  put_code(out, str_slice(str_trim(str_of(line->text)), 0, SHOWN_MOST), code);
  buffer_add_char(out, ')');
  put_siblings(out, pair, hunk);
}

/* Appends "; line 41 of x.go (new: text) has 110 ms of it". */
static void put_line_share(struct buffer *out, const struct run_hunk *hunk, pprofc_str unit,
                           struct hunk_code *code) {
  const struct run_line *line = &hunk->lines[hunk->worst];
  pprofc_str text = str_slice(str_trim(str_of(line->text)), 0, SHOWN_MOST);
  buffer_printf(out, "; line %lld of %s (new: ", (long long)line->head_line, hunk->file);
  put_code(out, text, code);
  buffer_add_text(out, ") ");
  if (is_inlined(hunk)) {
    buffer_add_text(out, "changed in it, and its inlined code grew by ");
    number_profile(out, hunk->delta, unit);
    return;
  }
  buffer_add_text(out, "has ");
  number_profile(out, line_share(hunk), unit);
  buffer_add_text(out, " of it");
}

bool hunks_sentence(struct buffer *out, const struct ci_run *run, const struct run_pair *pair,
                    struct hunk_code *code) {
  const struct run_hunk *hunk = pair->hunk_count ? &pair->hunks[0] : NULL;
  if (!hunk || !hunk->certain || !pair->unit) return false;
  pprofc_str unit = str_of(pair->unit);
  bool grew = line_share(hunk) > 0 || is_inlined(hunk);
  if (!hunk->whole && (!grew || !hunk->lines[hunk->worst].head_line)) return false;
  buffer_printf(out, "%s grew by ", hunk->function);
  number_profile(out, hunk->grown, unit);
  if (hunk->base > 0) {
    buffer_add_text(out, " (");
    number_percent(out, hunk->grown / hunk->base);
    buffer_add_char(out, ')');
  }
  put_benchmarks(out, run, pair, hunk->function);
  if (hunk->whole)
    put_whole_change(out, pair, hunk, code);
  else
    put_line_share(out, hunk, unit, code);
  return !out->failed;
}
