/* Writes HTML shared by several parts of the page. */
#include "page/html.h"

#include "page/hunks.h"

#include "core/base64.h"
#include "core/escape.h"
#include "page/numbers.h"
#include "run/files.h"
#include "run/place.h"
#include "run/text.h"

#include <math.h>
#include <stdio.h>

void html_text(struct buffer *out, pprofc_str text) {
  struct buffer plain;
  pprofc_str piece;
  buffer_init(&plain, out->mem, SIZE_MAX / 2);
  escape_terminal(&plain, text, true);
  pprofc_str rest = buffer_str(&plain);
  for (bool first = true; rest.data && str_next(&rest, '"', &piece); first = false) {
    if (!first) buffer_add_text(out, "&quot;");
    escape_xml(out, piece);
  }
  out->failed |= plain.failed;
  buffer_free(&plain);
}

void html_words(struct buffer *out, const char *text) {
  html_text(out, str_of(text));
}

/* ---- rounds ------------------------------------------ */

#define STRIP_WIDTH  160
#define STRIP_HEIGHT 24
#define STRIP_SIDE   72 /* pixels per side; there is a gap between the sides */
#define STRIP_MARGIN 3

/* Scale that both sides share. */
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

static void put_dots(struct buffer *out, const struct strip *strip,
                     const struct run_samples *samples, double left, const char *name) {
  double step =
      samples->count > 1 ? (STRIP_SIDE - 2.0 * STRIP_MARGIN) / (double)(samples->count - 1) : 0;
  double radius = samples->count > 30 ? 1.2 : 2;
  buffer_printf(out, "<g class=\"%s\">", name);
  for (size_t i = 0; i < samples->count; i++)
    buffer_printf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%g\"/>",
                  left + STRIP_MARGIN + step * (double)i, strip_y(strip, samples->values[i]),
                  radius);
  buffer_add_text(out, "</g>");
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

void html_strip(struct buffer *out, const struct run_samples *base, const struct run_samples *head,
                pprofc_str unit) {
  struct strip strip = {HUGE_VAL, -HUGE_VAL};
  if (!base->count && !head->count) return;
  strip_widen(&strip, base);
  strip_widen(&strip, head);
  buffer_printf(out,
                "<svg class=\"strip\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                "role=\"img\" aria-label=\"",
                STRIP_WIDTH, STRIP_HEIGHT, STRIP_WIDTH, STRIP_HEIGHT);
  put_range(out, "base", base, unit);
  buffer_add_text(out, "; ");
  put_range(out, "head", head, unit);
  buffer_printf(out, "\"><path d=\"M%d 2V%d\"/>", STRIP_WIDTH / 2, STRIP_HEIGHT - 2);
  put_dots(out, &strip, base, 0, "of-base");
  put_dots(out, &strip, head, STRIP_WIDTH - STRIP_SIDE, "of-head");
  buffer_add_text(out, "</svg>");
}

void html_gauge(struct buffer *out, const struct gate_row *row) {
  double middle = STRIP_WIDTH / 2.0;
  if (!row || !row->in_base || !row->in_head || isnan(row->delta)) return;
  double length = sqrt(fmin(fabs(row->delta), 1)) * (middle - STRIP_MARGIN);
  buffer_printf(out,
                "<svg class=\"gauge\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                "role=\"img\" aria-label=\"",
                STRIP_WIDTH, STRIP_HEIGHT, STRIP_WIDTH, STRIP_HEIGHT);
  if (row->delta == 0)
    buffer_add_text(out, "no change");
  else
    number_change(out, row);
  buffer_printf(
      out,
      "\"><rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/><path d=\"M%g 2V%d\"/></svg>",
      row->delta < 0 ? middle - length : middle, 2 * STRIP_MARGIN, length,
      STRIP_HEIGHT - 4 * STRIP_MARGIN, middle, STRIP_HEIGHT - 2);
}

/* ---- pictures ---------------------------------------- */

/* Reads the number after the next `key` at or after *at, and sets *at to the end of the key. */
static bool next_number(pprofc_str text, size_t *at, const char *key, double *number) {
  pprofc_str rest = str_slice(text, *at, text.size);
  size_t found = str_find(rest, str_of(key));
  if (found == rest.size) return false;
  rest = str_slice(rest, found + strlen(key), rest.size);
  *at = text.size - rest.size;
  return str_parse_float(str_slice(rest, 0, str_find_char(rest, '"')), number);
}

/* Position of the frames in a drawing. */
struct frames_part {
  size_t head_end; /* size of the opening tag in bytes */
  double width, top, bottom;
};

static bool find_frames_part(pprofc_str svg, struct frames_part *part) {
  size_t at = 0, body = str_find(svg, STR("class=\"frames\""));
  double y, height;
  part->head_end = str_find_char(svg, '>') + 1;
  if (body == svg.size || !next_number(svg, &at, " width=\"", &part->width)) return false;
  part->top = HUGE_VAL;
  part->bottom = 0;
  for (at = body; next_number(svg, &at, "<rect x=\"", &y);) {
    if (!next_number(svg, &at, " y=\"", &y) || !next_number(svg, &at, " height=\"", &height))
      return false;
    if (y < part->top) part->top = y;
    if (y + height > part->bottom) part->bottom = y + height;
  }
  return part->top < part->bottom;
}

static int html_add(void *context, const void *data, size_t size) {
  struct buffer *buffer = context;
  buffer_add(buffer, data, size);
  return buffer->failed;
}

static void put_base64(struct buffer *out, pprofc_str data) {
  struct output *to = mem_array(out->mem, 1, sizeof *to);
  if (!to) {
    out->failed = true;
    return;
  }
  output_init(to, html_add, out);
  base64_put(to, (const uint8_t *)data.data, data.size);
  if (output_flush(to, NULL) != PPROFC_OK) out->failed = true;
  mem_free(out->mem, to, 1, sizeof *to);
}

double html_picture_height(pprofc_str svg) {
  struct frames_part part;
  return find_frames_part(svg, &part) ? part.bottom - part.top + 2 : 0;
}

/* Appends only the frames of a drawing, cropped or padded to a height. */
static void crop_picture(struct buffer *out, pprofc_str svg, double height) {
  struct frames_part part;
  if (!find_frames_part(svg, &part)) {
    buffer_add_str(out, svg);
    return;
  }
  buffer_printf(out,
                "<svg class=\"flamegraph\" xmlns=\"http://www.w3.org/2000/svg\" "
                "xmlns:fg=\"http://github.com/jonhoo/inferno\" width=\"%.0f\" height=\"%.0f\" "
                "viewBox=\"0 %.1f %.0f %.1f\">",
                part.width, height, part.top - 1, part.width, height);
  buffer_add_str(out, str_slice(svg, part.head_end, svg.size));
}

void html_picture(struct buffer *out, const struct page_model *m, const struct run_pair *pair,
                  const char *name, pprofc_str picture, double height) {
  struct buffer cropped;
  if (!picture.size) return;
  buffer_init(&cropped, out->mem, SIZE_MAX / 2);
  crop_picture(&cropped, picture, height);
  buffer_add_text(out, "<a class=\"graph\" href=\"");
  html_flame(out, m, pair, name, STR(""));
  buffer_add_text(out, "\"><img alt=\"flame graph of ");
  html_words(out, name);
  buffer_add_text(out, "\" src=\"data:image/svg+xml;base64,");
  put_base64(out, buffer_str(&cropped));
  buffer_add_text(out, "\"></a>\n");
  out->failed |= cropped.failed;
  buffer_free(&cropped);
}

/* ---- artifacts --------------------------------------- */

/* Appends an artifact's address. */
static void html_address(struct buffer *out, const struct run_pair *pair, const char *folder,
                         const char *name, const char *ending) {
  if (pair->link) buffer_add_text(out, pair->link);
  buffer_add_text(out, folder);
  text_url(out, str_of(name));
  buffer_add_text(out, ending);
}

void html_flame(struct buffer *out, const struct page_model *m, const struct run_pair *pair,
                const char *name, pprofc_str search) {
  if (m->one_file) buffer_add_char(out, '#');
  html_address(out, pair, "flame/", m->one_file ? html_shown(pair) : name, ".html");
  if (m->one_file && name != html_shown(pair))
    buffer_add_text(out, name == pair->names[SIDE_BASE] ? "&amp;tab=base" : "&amp;tab=head");
  if (!search.size) return;
  buffer_add_text(out, m->one_file ? "&amp;search=" : "#search=");
  text_url(out, search);
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

void html_function(struct buffer *out, pprofc_str name) {
  pprofc_str shown = html_short_function(name);
  if (shown.size == name.size) {
    html_text(out, name);
    return;
  }
  buffer_add_text(out, "<span title=\"");
  html_text(out, name);
  buffer_add_text(out, "\">");
  html_text(out, shown);
  buffer_add_text(out, "</span>");
}

void html_place(struct buffer *out, pprofc_str file, int64_t line) {
  char path[4096];
  if (!file.size || file.size >= sizeof path) return;
  memcpy(path, file.data, file.size);
  path[file.size] = '\0';
  pprofc_str place = place_in_checkout(path);
  buffer_add_text(out, " <span class=\"place\">");
  html_text(out, place.size ? place : str_path_base(file));
  if (line > 0) buffer_printf(out, ":%lld", (long long)line);
  buffer_add_text(out, "</span>");
}

/* Appends an interval such as "(+55 ns to +69 ns)". */
static void put_change_interval(struct buffer *out, const struct run_pair *pair,
                                const struct change *change) {
  if (!isfinite(change->low) || !isfinite(change->high) || change == &pair->own) return;
  buffer_add_text(out, " <span class=\"share\">(");
  number_difference(out, change->low, str_of(pair->unit));
  buffer_add_text(out, " to ");
  number_difference(out, change->high, str_of(pair->unit));
  buffer_add_text(out, ")</span>");
}

static void put_changed_function(struct buffer *out, const struct page_model *m,
                                 const struct run_pair *pair, const struct change *change) {
  buffer_add_text(out, "<li><a href=\"");
  html_flame(out, m, pair, html_shown(pair), str_of(change->name));
  buffer_add_text(out, "\"><code>");
  html_function(out, str_of(change->name));
  buffer_add_text(out, "</code></a> <strong>+");
  number_profile(out, change->head - change->base, str_of(pair->unit));
  if (pair->iterations > 0) buffer_add_text(out, " per operation");
  buffer_add_text(out, "</strong>");
  if (change->base == 0) buffer_add_text(out, " new");
  put_change_interval(out, pair, change);
  if (isfinite(change->share) && change->share <= 1.5)
    buffer_printf(out, " <span class=\"share\">about %.0f" PERCENT_FORMAT " of the change</span>",
                  fmin(100 * change->share, 100));
  if (change == &pair->own) buffer_add_text(out, " <span class=\"share\">with its calls</span>");
  html_place(out, str_of(change->file), change->line);
  buffer_add_text(out, "</li>\n");
}

bool html_tells_own(const struct run_pair *pair) {
  if (!pair->own.name) return false;
  return !pair->change_count || strcmp(pair->own.name, pair->changes[0].name) != 0;
}

pprofc_str html_culprit(const struct run_pair *pair) {
  if (pair->own.name) return str_of(pair->own.name);
  return pair->change_count ? str_of(pair->changes[0].name) : STR("");
}

/* Appends a note: why no function is listed, or how reliable the list is. */
static void put_verdict_note(struct buffer *out, const struct run_pair *pair) {
  const struct pair_verdicts *v = pair->comparison_count ? pair->comparisons : NULL;
  if (!v) return;
  const char *text = *v->note ? v->note : v->visible_text;
  if (v->weak && pair->change_count)
    text = "one run a side: weak evidence, the functions are not certain";
  if (!*text) return;
  buffer_add_text(out, "<p class=\"note\">");
  html_words(out, text);
  buffer_add_text(out, "</p>\n");
}

bool html_has_because(const struct run_pair *pair) {
  const struct pair_verdicts *v = pair->comparison_count ? pair->comparisons : NULL;
  return pair->change_count || pair->own.name ||
         (v && (*v->note || *v->visible_text || v->same_code));
}

/* Appends that no function has other machine code, and what else differs between the sides. */
static void put_same_code(struct buffer *out, const struct run_pair *pair) {
  const struct pair_verdicts *v = pair->comparison_count ? pair->comparisons : NULL;
  if (!v || !v->same_code) return;
  buffer_printf(out,
                "<p class=\"note\">same machine code; %zu functions moved within their cache line",
                v->moved);
  if (v->differs) html_words(out, v->differs);
  buffer_add_text(out, "</p>\n");
}

void html_because(struct buffer *out, const struct page_model *m, const struct run_pair *pair) {
  if (pair->change_count || pair->own.name) {
    buffer_printf(out, "<p class=\"where\">Grew most (%s):</p>\n<ul class=\"where\">\n",
                  pair->kind);
    if (html_tells_own(pair)) put_changed_function(out, m, pair, &pair->own);
    for (size_t i = 0; i < pair->change_count; i++)
      put_changed_function(out, m, pair, &pair->changes[i]);
    buffer_add_text(out, "</ul>\n");
  }
  put_verdict_note(out, pair);
  put_same_code(out, pair);
  hunks_print(out, pair);
}

void html_links(struct buffer *out, const struct page_model *m, const struct run_pair *pair,
                const char *name) {
  static const struct {
    const char *folder, *ending, *text;
  } links[] = {{"flamegraphs/", ".svg", "SVG"},
               {"speedscope/", ".speedscope.json", "speedscope file"},
               {"profiles/", ".pb.gz", "profile"},
               {"", "_top.txt", "whole table"}};
  buffer_add_text(out, "<p class=\"links\"><a href=\"");
  html_flame(out, m, pair, name, STR(""));
  buffer_add_text(out, "\">interactive flame graph</a>");
  for (size_t i = 0; i < sizeof links / sizeof *links && !m->one_file; i++) {
    buffer_add_text(out, " " DOT " <a href=\"");
    html_address(out, pair, links[i].folder, name, links[i].ending);
    buffer_printf(out, "\">%s</a>", links[i].text);
  }
  buffer_add_text(out, "</p>\n");
}
