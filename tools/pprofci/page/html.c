/* Fills in values that several sections of the page show: rounds, pictures, links, bars, lines. */
#include "page/html.h"

#include "core/brief.h"
#include "page/numbers.h"
#include "run/code.h"
#include "run/files.h"

/* ---- changed lines ---------------------------------- */

#define COLUMN 10
/* maximum number of shown lines of the hunk (block of changed lines) that grew most */
#define CULPRIT_MOST 15
#define PAGE_MOST    60 /* maximum of shown lines of each hunk except the hunk that grew most */
#define SHOWN_MOST   80 /* maximum number of bytes of a source line in a sentence */

/* Writes an amount in a column; '.' for 0. */
static void put_amount(struct buffer *out, double value, pprofc_str unit) {
  struct buffer text = ci_buffer();
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

/* Writes the costs of a changed line if the profile has costs of lines, and then the line. */
static void put_run_line(struct buffer *out, const struct run_hunk *hunk,
                         const struct run_line *line, pprofc_str unit) {
  for (int side = 0; side < SIDES && !hunk->whole; side++) put_amount(out, line->cost[side], unit);
  bool added = line->head_line > 0;
  int64_t number = added ? line->head_line : line->base_line;
  buffer_printf(out, "%6lld %c", (long long)number, added ? '+' : '-');
  buffer_add_text(out, line->text);
}

/* Writes file, function and verdict of the hunk, and the column headings "base" and "head". Writes
 * "grew" for "grew, as everything did", because the lines are the cause of the growth. */
static void put_hunk_head(struct buffer *out, const struct run_hunk *hunk) {
  pprofc_verdict verdict = hunk->verdict;
  if (verdict == PPROFC_VERDICT_GREW_AS_ALL) verdict = PPROFC_VERDICT_GREW;
  if (verdict == PPROFC_VERDICT_SHRANK_AS_ALL) verdict = PPROFC_VERDICT_SHRANK;
  buffer_add_text(out, hunk->file);
  buffer_add_text(out, "  ");
  brief_function(out, str_of(hunk->function), HTML_NAME_MOST);
  if (verdict != PPROFC_VERDICT_UNKNOWN) buffer_printf(out, "  %s", pprofc_verdict_name(verdict));
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
    fill_pack(f, "lines:{css:s", hunk->lines[i].head_line > 0 ? "added" : "deleted");
    put_run_line(fill_text(f, "text"), hunk, &hunk->lines[i], str_of(pair->unit));
    fill_end(f);
  }
  if (hunk->line_count > most) fill_number(f, "others", (int64_t)(hunk->line_count - most));
  fill_end(f);
}

static void hunks_fill(struct fill *f, const struct ci_run *run, const struct run_pair *pair) {
  if (!pair->hunk_count || !pair->unit) return;
  struct buffer *sentence = fill_text(f, "cause");
  size_t before = sentence->size;
  struct hunk_code code;
  if (hunks_sentence(sentence, run, pair, &code))
    buffer_add_char(sentence, '.');
  else
    sentence->size = before;
  hunks_fill_one(f, "culprit", pair, &pair->hunks[0], CULPRIT_MOST);
  if (pair->hunk_count == 1) return;
  fill_pack(f, "hunks:{count:i plural:s", (int64_t)pair->hunk_count - 1,
            pair->hunk_count == 2 ? "" : "s");
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

/* Appends " in 9 of 12 benchmarks" if there are several benchmarks. */
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
 * function. A new line has no cost in the base, so its own growth can be too large. */
static double line_share(const struct run_hunk *hunk) {
  const struct run_line *line = &hunk->lines[hunk->worst];
  double delta = line->cost[SIDE_HEAD] - line->cost[SIDE_BASE];
  return fmin(delta, fmin(hunk->delta, hunk->grown));
}

/* True if the hunk grew because of inlined code, and not on its own lines. The line that calls this
 * code is unknown. */
static bool is_inlined(const struct run_hunk *hunk) {
  double sum = 0;
  for (size_t i = 0; i < hunk->line_count; i++)
    sum += hunk->lines[i].cost[SIDE_HEAD] - hunk->lines[i].cost[SIDE_BASE];
  return hunk->delta > sum + fabs(sum) * 1e-9;
}

static void put_code(struct buffer *out, pprofc_str text, struct hunk_code *code) {
  code->at = out->size;
  code->size = text.size;
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

/* Returns the index of the last line of a block of adjacent added (or deleted) lines. The block
 * begins with the line that grew most. Ignores blank lines at the end. */
static size_t last_changed(const struct run_hunk *hunk) {
  size_t last = hunk->worst;
  bool added = hunk->lines[last].head_line > 0;
  for (size_t i = last; i < hunk->line_count && (hunk->lines[i].head_line > 0) == added; i++)
    if (str_trim(str_of(hunk->lines[i].text)).size) last = i;
  return last;
}

/* Appends "; lines 38 to 41 of x.py changed in it (new: text)". "it" is the function. The text is
 * the line with the most new words. */
static void put_whole_change(struct buffer *out, const struct run_pair *pair,
                             const struct run_hunk *hunk, struct hunk_code *code) {
  const struct run_line *line = &hunk->lines[hunk->first], *last = &hunk->lines[last_changed(hunk)];
  bool added = line->head_line > 0;
  int64_t first = added ? line->head_line : line->base_line;
  int64_t end = added ? last->head_line : last->base_line;
  buffer_printf(out, "; line%s %lld", end > first ? "s" : "", (long long)first);
  if (end > first) buffer_printf(out, " to %lld", (long long)end);
  buffer_printf(out, " of %s %s", hunk->file,
                added ? "changed in it (new: " : "no longer in it (old: ");
  pprofc_str text = str_of(hunk->lines[hunk->worst].text);
  put_code(out, str_slice(str_trim(text), 0, SHOWN_MOST), code);
  buffer_add_char(out, ')');
  put_siblings(out, pair, hunk);
}

/* Appends "; line 41 of x.go (new: text) has 110 ms of it". "it" is the growth. */
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

/* Minimum share of a function's difference that must have moved from other functions. Texts do not
 * mention a smaller share. */
#define MOVED_LEAST 0.1

/* True if a text about a function should say how much of its cost moved from other functions. */
static bool shows_moved(double grown, double moved) {
  return moved > MOVED_LEAST * (grown + moved);
}

/* If less than this share of a function's growth is its own, the text about the function mentions
 * its callees. */
#define OWN_LEAST 0.9

/* True if a large part of the function's growth is in its callees. */
static bool grew_in_callees(const struct run_pair *pair, const struct run_hunk *hunk) {
  const struct pair_verdicts *verdicts = pair->comparisons;
  for (size_t i = 0; verdicts && i < verdicts->row_count; i++) {
    const struct change *row = &verdicts->rows[i];
    if (!row->inside && strcmp(row->name, hunk->function) == 0)
      return row->delta < OWN_LEAST * (hunk->grown + hunk->moved);
  }
  return verdicts != NULL;
}

/* Appends " grew by 120 ms (+38 %) with its callees" or " is new and has 120 ms", then " in 9 of 12
 * benchmarks". For a function that took over work, appends " is new and has 300 ms: it grew by 120
 * ms, and 180 ms moved from other functions". */
static void put_growth(struct buffer *out, const struct ci_run *run, const struct run_pair *pair,
                       const struct run_hunk *hunk) {
  pprofc_str unit = str_of(pair->unit);
  bool moved = shows_moved(hunk->grown, hunk->moved), is_new = !(hunk->base > 0);
  buffer_add_text(out, is_new ? " is new and has " : " grew by ");
  number_profile(out, hunk->grown + (is_new ? fmax(hunk->moved, 0) : 0), unit);
  if (!is_new) {
    buffer_add_text(out, " (");
    number_percent(out, hunk->grown / hunk->base);
    buffer_add_char(out, ')');
  }
  if (grew_in_callees(pair, hunk)) buffer_add_text(out, " with its callees");
  put_benchmarks(out, run, pair, hunk->function);
  if (!moved) return;
  if (is_new) {
    buffer_add_text(out, ": it grew by ");
    number_profile(out, hunk->grown, unit);
  }
  buffer_add_text(out, ", and ");
  number_profile(out, hunk->moved, unit);
  buffer_add_text(out, " moved from other functions");
}

bool hunks_sentence(struct buffer *out, const struct ci_run *run, const struct run_pair *pair,
                    struct hunk_code *code) {
  const struct run_hunk *hunk = pair->hunk_count ? &pair->hunks[0] : NULL;
  if (!hunk || !hunk->certain || !pair->unit) return false;
  pprofc_str unit = str_of(pair->unit);
  bool grew = line_share(hunk) > 0 || is_inlined(hunk);
  if (!hunk->whole && (!grew || !hunk->lines[hunk->worst].head_line)) return false;
  brief_function(out, str_of(hunk->function), HTML_NAME_MOST);
  code->name = out->size;
  put_growth(out, run, pair, hunk);
  if (hunk->whole)
    put_whole_change(out, pair, hunk, code);
  else
    put_line_share(out, hunk, unit, code);
  return !out->failed;
}

extern const unsigned char asset_ci_page_html[];
extern const size_t asset_ci_page_html_size;

pprofc_str html_template(void) {
  return (pprofc_str){(const char *)asset_ci_page_html, asset_ci_page_html_size};
}

/* ---- rounds ------------------------------------------ */

#define STRIP_WIDTH  160
#define STRIP_HEIGHT 24
#define STRIP_SIDE   72 /* width in pixels for base and for head; there is a gap between them */
#define STRIP_MARGIN 3

/* Scale of a plot that has a dot for each measurement round. `least` and `most` are the minimum and
 * the maximum over base and head. */
struct strip {
  double least, most;
};

static void strip_widen(struct strip *strip, const struct run_samples *samples) {
  for (size_t i = 0; i < samples->count; i++) {
    if (samples->values[i] < strip->least) strip->least = samples->values[i];
    if (samples->values[i] > strip->most) strip->most = samples->values[i];
  }
}

static double strip_y(const struct strip *strip, double value) {
  double range = strip->most - strip->least;
  double part = range > 0 ? (value - strip->least) / range : 0.5;
  return STRIP_HEIGHT - STRIP_MARGIN - part * (STRIP_HEIGHT - 2 * STRIP_MARGIN);
}

static void put_dots(struct fill *f, const char *list, const struct strip *strip,
                     const struct run_samples *samples, double left) {
  double step =
      samples->count > 1 ? (STRIP_SIDE - 2.0 * STRIP_MARGIN) / (double)(samples->count - 1) : 0;
  for (size_t i = 0; i < samples->count; i++) {
    fill_begin(f, list);
    buffer_printf(fill_text(f, "x"), "%.1f", left + STRIP_MARGIN + step * (double)i);
    buffer_printf(fill_text(f, "y"), "%.1f", strip_y(strip, samples->values[i]));
    fill_pack(f, "r:s}", samples->count > 30 ? "1.2" : "2");
  }
}

/* Appends "base: 10 rounds from 2.0 µs to 2.1 µs". */
static void put_range(struct buffer *out, const char *name, const struct run_samples *samples,
                      pprofc_str unit) {
  struct strip range = {HUGE_VAL, -HUGE_VAL};
  strip_widen(&range, samples);
  buffer_printf(out, "%s: %zu rounds", name, samples->count);
  if (!samples->count) return;
  buffer_add_text(out, " from ");
  number_amount(out, range.least, unit);
  buffer_add_text(out, " to ");
  number_amount(out, range.most, unit);
}

void html_strip(struct fill *f, const struct run_samples *base, const struct run_samples *head,
                pprofc_str unit) {
  struct strip strip = {HUGE_VAL, -HUGE_VAL};
  if (!base->count && !head->count) return;
  strip_widen(&strip, base);
  strip_widen(&strip, head);
  fill_begin(f, "strip");
  struct buffer *label = fill_text(f, "label");
  put_range(label, "base", base, unit);
  buffer_add_text(label, "; ");
  put_range(label, "head", head, unit);
  put_dots(f, "base_dots", &strip, base, 0);
  put_dots(f, "head_dots", &strip, head, STRIP_WIDTH - STRIP_SIDE);
  fill_end(f);
}

void html_gauge(struct fill *f, const struct gate_row *row) {
  double middle = STRIP_WIDTH / 2.0;
  if (!row || !row->in_base || !row->in_head || isnan(row->delta)) return;
  double length = sqrt(fmin(fabs(row->delta), 1)) * (middle - STRIP_MARGIN);
  fill_begin(f, "gauge");
  if (row->delta == 0)
    fill_words(f, "label", "no change");
  else
    number_change(fill_text(f, "label"), row);
  buffer_printf(fill_text(f, "x"), "%.1f", row->delta < 0 ? middle - length : middle);
  buffer_printf(fill_text(f, "length"), "%.1f", length);
  fill_end(f);
}

/* ---- pictures ---------------------------------------- */

void html_picture(struct fill *f, const struct run_picture *picture, double height) {
  struct buffer cropped = ci_buffer();
  if (!picture->frames.size) return;
  struct fill crop = fill_make(f->mem);
  buffer_printf(fill_text(&crop, "width"), "%.0f", picture->part.width);
  buffer_printf(fill_text(&crop, "height"), "%.0f", height);
  buffer_printf(fill_text(&crop, "top"), "%.1f", picture->part.top - 1);
  buffer_add_str(fill_html(&crop, "frames"), picture->frames);
  template_put(&cropped, html_template(), "crop", &crop);
  base64_put(fill_html(f, "picture"), (const uint8_t *)cropped.data, cropped.size);
  fill_free(&crop);
  buffer_free(&cropped);
}

/* ---- artifacts --------------------------------------- */

static void html_address(struct buffer *out, const struct run_pair *pair, const char *folder,
                         const char *name, const char *ending) {
  if (pair->link) buffer_add_text(out, pair->link);
  buffer_add_text(out, folder);
  escape_url(out, str_of(name), "");
  buffer_add_text(out, ending);
}

void html_flame(struct buffer *out, const struct page_model *m, const struct run_pair *pair,
                const char *name, pprofc_str search) {
  if (m->one_file) buffer_add_char(out, '#');
  html_address(out, pair, "flame/", m->one_file ? html_shown(pair) : name, ".html");
  if (m->one_file && name != html_shown(pair))
    buffer_add_text(out, name == pair->names[SIDE_BASE] ? "&tab=base" : "&tab=head");
  if (!search.size) return;
  buffer_add_text(out, m->one_file ? "&search=" : "#search=");
  escape_url(out, search, "");
}

const char *html_shown(const struct run_pair *pair) {
  if (pair->diff) return pair->diff;
  return pair->names[SIDE_HEAD] ? pair->names[SIDE_HEAD] : pair->names[SIDE_BASE];
}

void html_short_function(struct buffer *out, pprofc_str name) {
  size_t bracket = str_find_char(name, '('), slash = name.size;
  for (size_t i = 0; i < bracket && i < name.size; i++)
    if (name.data[i] == '/') slash = i;
  if (slash < name.size) name = str_slice(name, slash + 1, name.size);
  brief_function(out, name, HTML_NAME_MOST);
}

void html_function(struct fill *f, pprofc_str name) {
  struct buffer *shown = fill_text(f, "function");
  size_t before = shown->size;
  html_short_function(shown, name);
  bool whole = shown->size - before == name.size;
  fill_str(f, "full", whole ? STR("") : name);
}

void html_place(struct fill *f, pprofc_str file, int64_t line) {
  char path[4096];
  struct buffer *out = fill_text(f, "place");
  if (!file.size || file.size >= sizeof path) return;
  memcpy(path, file.data, file.size);
  path[file.size] = '\0';
  pprofc_str place = place_in_checkout(path);
  buffer_add_str(out, place.size ? place : str_path_base(file));
  if (line > 0) buffer_printf(out, ":%lld", (long long)line);
}

static void put_changed_function(struct fill *f, const struct page_model *m,
                                 const struct run_pair *pair, const struct change *change) {
  bool own = change == &pair->own;
  pprofc_str unit = str_of(pair->unit);
  fill_begin(f, "functions");
  html_flame(fill_text(f, "address"), m, pair, html_shown(pair), str_of(change->name));
  html_function(f, str_of(change->name));
  number_profile(fill_text(f, "cost"), change->delta, unit);
  if (shows_moved(change->delta, change->moved))
    number_profile(fill_text(f, "moved"), change->moved, unit);
  fill_flag(f, "new", change->base == 0);
  struct buffer *interval = fill_text(f, "interval");
  if (isfinite(change->low) && isfinite(change->high) && !own) {
    number_difference(interval, change->low, unit);
    buffer_add_text(interval, " to ");
    number_difference(interval, change->high, unit);
  }
  struct buffer *share = fill_text(f, "share");
  if (isfinite(change->share) && change->share <= 1.5)
    buffer_printf(share, "%.0f", fmin(100 * change->share, 100));
  fill_flag(f, "own", own);
  html_place(f, str_of(change->file), change->line);
  fill_end(f);
}

bool html_shows_own(const struct run_pair *pair) {
  if (!pair->own.name) return false;
  return !pair->change_count || strcmp(pair->own.name, pair->changes[0].name) != 0;
}

pprofc_str html_culprit(const struct run_pair *pair) {
  if (pair->own.name) return str_of(pair->own.name);
  return pair->change_count ? str_of(pair->changes[0].name) : STR("");
}

/* ---- the bar of a change ----------------------------- */

#define BAR_FUNCTIONS 3
#define BAR_LEAST     0.1 /* minimum share of the growth that the listed functions must explain */

struct change_bar {
  const struct change *changes; /* functions whose growth the bar shows */
  pprofc_str unit;
  double base, head; /* totals of base and head */
  double rest;       /* growth that the listed functions do not explain */
  size_t functions;
};

/* Computes the values of a bar (put_bar). Returns false if the listed functions explain less than
 * BAR_LEAST of the growth, or more than the whole growth. */
static bool bar_make(const struct run_pair *pair, struct change_bar *bar) {
  const struct pair_verdicts *v = pair->comparisons;
  bool own = html_shows_own(pair); /* its growth includes callees, such as other listed functions */
  if (!pair->comparison_count || !pair->unit || !v->unit) return false;
  *bar = (struct change_bar){.changes = own ? &pair->own : pair->changes,
                             .unit = str_of(pair->unit),
                             .base = v->summary.total_base,
                             .head = v->summary.total_head,
                             .functions = pair->change_count};
  if (own) bar->functions = 1;
  if (bar->functions > BAR_FUNCTIONS) bar->functions = BAR_FUNCTIONS;
  double growth = bar->head - bar->base, explained = 0;
  for (size_t i = 0; i < bar->functions; i++)
    explained += bar->changes[i].head - bar->changes[i].base;
  bar->rest = growth - explained;
  return strcmp(v->unit, pair->unit) == 0 && bar->base > 0 && bar->rest >= 0 && explained > 0 &&
         explained >= BAR_LEAST * growth;
}

/* Begins a segment of the bar for a function, such as "words.trim +470 us". */
static void bar_begin(struct fill *f, const struct change_bar *bar, const char *css,
                      pprofc_str name, double size) {
  fill_pack(f, "segments:{css:s", css);
  buffer_printf(fill_text(f, "width"), "%.2f", 100 * size / bar->head);
  html_short_function(fill_text(f, "name"), name);
  number_difference(fill_text(f, "amount"), size, bar->unit);
}

/* Adds a bar for the total of head. Its segments are the base total, the growth of each listed
 * function, and the rest of the growth. */
static void put_bar(struct fill *f, const struct run_pair *pair) {
  struct change_bar bar;
  if (!bar_make(pair, &bar)) return;
  fill_begin(f, "bar");
  number_profile(fill_text(f, "before"), bar.base, bar.unit);
  number_profile(fill_text(f, "after"), bar.head, bar.unit);
  fill_flag(f, "per_operation", pair->comparisons->per_operation || pair->iterations > 0);
  buffer_printf(fill_text(f, "base_width"), "%.2f", 100 * bar.base / bar.head);
  for (size_t i = 0; i < bar.functions; i++) {
    const struct change *change = &bar.changes[i];
    double size = change->head - change->base;
    bar_begin(f, &bar, "cause", str_of(change->name), size);
    number_share(fill_text(f, "part"), size / (bar.head - bar.base));
    fill_end(f);
  }
  if (bar.rest > 0) {
    bar_begin(f, &bar, "rest", STR("rest"), bar.rest);
    fill_end(f);
  }
  fill_end(f);
}

/* Adds a note that says why no function is listed, or how reliable the list is. */
static void put_verdict_note(struct fill *f, const struct run_pair *pair,
                             const struct pair_verdicts *v) {
  const char *text = *v->note ? v->note : v->visible_text;
  if (v->weak && pair->change_count)
    text = "one run of each version: weak evidence, the functions are not certain";
  fill_words(f, "verdict_note", text);
}

bool html_has_because(const struct run_pair *pair) {
  const struct pair_verdicts *v = pair->comparison_count ? pair->comparisons : NULL;
  return pair->change_count || pair->own.name ||
         (v && (*v->note || *v->visible_text || v->same_code));
}

/* Adds a note for a pair of profiles whose sampled functions have the same machine code in base and
 * head. The note lists the differences between the builds. */
static void put_same_code(struct fill *f, const struct pair_verdicts *v) {
  if (!v->same_code) return;
  fill_pack(f, "same_code:{some:b moved:i differs:s}", v->moved > 0, (int64_t)v->moved, v->differs);
}

void html_because(struct fill *f, const struct page_model *m, const struct run_pair *pair) {
  fill_words(f, "kind", pair->kind);
  struct buffer *iterations = fill_text(f, "iterations");
  if (pair->iterations > 0) buffer_printf(iterations, "%.0f", pair->iterations);
  if (pair->change_count || pair->own.name) {
    fill_begin(f, "grown");
    if (html_shows_own(pair)) put_changed_function(f, m, pair, &pair->own);
    for (size_t i = 0; i < pair->change_count; i++)
      put_changed_function(f, m, pair, &pair->changes[i]);
    fill_end(f);
  }
  if (pair->comparison_count) {
    put_verdict_note(f, pair, pair->comparisons);
    put_same_code(f, pair->comparisons);
  }
  put_bar(f, pair);
  hunks_fill(f, m->run, pair);
}

void html_links(struct fill *f, const struct page_model *m, const struct run_pair *pair,
                const char *name) {
  static const struct {
    const char *folder, *ending, *text;
  } links[] = {{"flamegraphs/", ".svg", "SVG"},
               {"speedscope/", ".speedscope.json", "speedscope file"},
               {"profiles/", ".pb.gz", "profile"},
               {"", "_top.txt", "whole table"}};
  html_flame(fill_text(f, "address"), m, pair, name, STR(""));
  for (size_t i = 0; i < sizeof links / sizeof *links && !m->one_file; i++) {
    fill_begin(f, "files");
    html_address(fill_text(f, "file"), pair, links[i].folder, name, links[i].ending);
    fill_pack(f, "word:s}", links[i].text);
  }
}
