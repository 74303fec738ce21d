/* Writes parts of the page that several sections use: the template, bars, and pictures with a dot
 * for each round. */
#include "page/html.h"
#include "core/escape.h"

#include "core/base64.h"
#include "page/numbers.h"
#include "run/files.h"

#include <math.h>

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

/* Minimum and maximum of a picture of rounds. Base and head share this scale. */
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
    fill_words(f, "r", samples->count > 30 ? "1.2" : "2");
    fill_end(f);
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
  struct buffer cropped;
  struct fill crop;
  if (!picture->frames.size) return;
  buffer_init(&cropped, f->mem, SIZE_MAX / 2);
  fill_init(&crop, f->mem);
  buffer_printf(fill_text(&crop, "width"), "%.0f", picture->part.width);
  buffer_printf(fill_text(&crop, "height"), "%.0f", height);
  buffer_printf(fill_text(&crop, "top"), "%.1f", picture->part.top - 1);
  buffer_add_str(fill_html(&crop, "frames"), picture->frames);
  template_put(&cropped, html_template(), "crop", &crop);
  base64_put(fill_html(f, "picture"), (const uint8_t *)cropped.data, cropped.size);
  f->failed |= cropped.failed;
  fill_free(&crop);
  buffer_free(&cropped);
}

/* ---- artifacts --------------------------------------- */

/* Appends the address of an artifact of the pair of profiles. */
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

pprofc_str html_short_function(pprofc_str name) {
  size_t bracket = str_find_char(name, '('), slash = name.size;
  for (size_t i = 0; i < bracket && i < name.size; i++)
    if (name.data[i] == '/') slash = i;
  return slash < name.size ? str_slice(name, slash + 1, name.size) : name;
}

void html_function(struct fill *f, pprofc_str name) {
  pprofc_str shown = html_short_function(name);
  fill_str(f, "function", shown);
  fill_str(f, "full", shown.size < name.size ? name : STR(""));
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
  number_profile(fill_text(f, "cost"), change->head - change->base, unit);
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
  pprofc_str unit;
  double base, head; /* totals of base and head */
  double rest;       /* growth that the functions do not explain */
  size_t functions;
};

/* Computes the segments of the bar for a total that grew. Returns false if the total did not grow.
 * Also returns false if the listed functions explain almost nothing, or more than the whole
 * growth. */
static bool bar_make(const struct run_pair *pair, struct change_bar *bar) {
  const struct pair_verdicts *v = pair->comparisons;
  if (!pair->comparison_count || !pair->change_count || !pair->unit || !v->unit) return false;
  *bar = (struct change_bar){.unit = str_of(pair->unit),
                             .base = v->summary.total_base,
                             .head = v->summary.total_head,
                             .functions = pair->change_count};
  if (bar->functions > BAR_FUNCTIONS) bar->functions = BAR_FUNCTIONS;
  double growth = bar->head - bar->base, explained = 0;
  for (size_t i = 0; i < bar->functions; i++)
    explained += pair->changes[i].head - pair->changes[i].base;
  bar->rest = growth - explained;
  return strcmp(v->unit, pair->unit) == 0 && bar->base > 0 && bar->rest >= 0 &&
         explained >= BAR_LEAST * growth;
}

/* Begins a segment of the bar, such as "words.trim +470 us". */
static void bar_begin(struct fill *f, const struct change_bar *bar, const char *css,
                      pprofc_str name, double size) {
  fill_begin(f, "segments");
  fill_words(f, "css", css);
  buffer_printf(fill_text(f, "width"), "%.2f", 100 * size / bar->head);
  fill_str(f, "name", name);
  number_difference(fill_text(f, "amount"), size, bar->unit);
}

/* Adds a bar for the total of head. Its segments are the base total, the growth of each listed
 * function, and the other growth. */
static void put_bar(struct fill *f, const struct run_pair *pair) {
  struct change_bar bar;
  if (!bar_make(pair, &bar)) return;
  fill_begin(f, "bar");
  number_profile(fill_text(f, "before"), bar.base, bar.unit);
  number_profile(fill_text(f, "after"), bar.head, bar.unit);
  fill_flag(f, "per_operation", pair->comparisons->per_operation || pair->iterations > 0);
  buffer_printf(fill_text(f, "base_width"), "%.2f", 100 * bar.base / bar.head);
  for (size_t i = 0; i < bar.functions; i++) {
    const struct change *change = &pair->changes[i];
    double size = change->head - change->base;
    bar_begin(f, &bar, "cause", html_short_function(str_of(change->name)), size);
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
    text = "one run a side: weak evidence, the functions are not certain";
  fill_words(f, "verdict_note", text);
}

bool html_has_because(const struct run_pair *pair) {
  const struct pair_verdicts *v = pair->comparison_count ? pair->comparisons : NULL;
  return pair->change_count || pair->own.name ||
         (v && (*v->note || *v->visible_text || v->same_code));
}

/* Adds a note for a pair of profiles whose sampled functions have the same machine code in base and
 * head. The note lists other differences between base and head. */
static void put_same_code(struct fill *f, const struct pair_verdicts *v) {
  if (!v->same_code) return;
  fill_begin(f, "same_code");
  fill_number(f, "moved", (int64_t)v->moved);
  fill_words(f, "differs", v->differs ? v->differs : "");
  fill_end(f);
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
  hunks_fill(f, pair);
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
    fill_words(f, "word", links[i].text);
    fill_end(f);
  }
}
