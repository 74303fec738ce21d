/* The summary in Markdown: what a comment on a pull request and the page of a job show. At most
 * twelve lines, then what is folded away. Names are escaped: nothing in them acts. */
#include "page/page.h"

#include "core/escape.h"
#include "core/markdown.h"
#include "page/html.h"
#include "page/numbers.h"
#include "run/text.h"

#include <math.h>

#define ROWS_MOST    5  /* of benchmarks that got slower */
#define BECAUSE_MOST 2  /* functions of a row */
#define NAMES_MOST   12 /* of benchmarks in a list */
#define TABLE_LINES  25

/* ---- names ------------------------------------------- */

/* Text in which no Markdown acts. */
static void md_text(struct buffer *out, pprofc_str text) {
  static const char special[] = "\\`*_[]<>|~&@";
  struct buffer plain;
  buffer_init(&plain, out->mem, SIZE_MAX / 2);
  escape_terminal(&plain, text, false);
  pprofc_str clean = buffer_str(&plain);
  for (size_t i = 0; i < clean.size; i++) {
    char c = clean.data[i];
    if (c == '@')
      buffer_add_text(out, "@<!-- -->"); /* no mention */
    else if (c == '<')
      buffer_add_text(out, "&lt;");
    else {
      bool next_acts = i + 1 < clean.size && clean.data[i + 1] > ' ';
      bool acts = c && strchr(special, c);
      acts |= (c == ':' || c == '#') && next_acts; /* an emoji, an issue */
      if (acts) buffer_add_char(out, '\\');
      buffer_add_char(out, c);
    }
  }
  out->failed |= plain.failed;
  buffer_free(&plain);
}

/* A name: text, or code where GitHub would act on it whatever is escaped. */
static void md_name(struct buffer *out, pprofc_str name) {
  if (!markdown_put_code(out, name, true)) md_text(out, name);
}

/* A function: always code. A backtick or '|' would end it. */
static void md_code(struct buffer *out, pprofc_str name) {
  struct buffer plain;
  buffer_init(&plain, out->mem, SIZE_MAX / 2);
  escape_terminal(&plain, name, false);
  pprofc_str clean = buffer_str(&plain);
  buffer_add_text(out, "<code>");
  for (size_t i = 0; i < clean.size; i++) {
    char c = clean.data[i];
    if (c == '|' || c == '`' || c == '@' || c == '*' || c == '_' || c == '~' || c == '\\' ||
        c == '[' || c == ':' || c == '#')
      buffer_printf(out, "&#%d;", c);
    else
      escape_xml(out, (pprofc_str){&c, 1});
  }
  buffer_add_text(out, "</code>");
  out->failed |= plain.failed;
  buffer_free(&plain);
}

/* "regexp.(*Regexp).doExecute" of "example.com/regexp.(*Regexp).doExecute". */
static pprofc_str short_function(const char *name) {
  pprofc_str text = str_of(name);
  size_t bracket = str_find_char(text, '('), slash = text.size;
  for (size_t i = 0; i < bracket && i < text.size; i++)
    if (text.data[i] == '/') slash = i;
  return slash < text.size ? str_slice(text, slash + 1, text.size) : text;
}

/* ---- what got slower --------------------------------- */

static void put_change_cell(struct buffer *out, const struct gate_row *row) {
  buffer_add_text(out, "**");
  number_change(out, row);
  buffer_add_text(out, "**");
  size_t before = out->size;
  buffer_add_text(out, " (");
  size_t open = out->size;
  number_interval(out, row);
  if (out->size == open)
    out->size = before;
  else
    buffer_add_char(out, ')');
}

/* "`words.hash` +43 µs about 99 %". */
static void put_function(struct buffer *out, const struct run_pair *pair,
                         const struct change *change) {
  md_code(out, short_function(change->name));
  buffer_add_text(out, " +");
  number_profile(out, change->head - change->base, str_of(pair->unit));
  if (isfinite(change->share) && change->share <= 1.5)
    buffer_printf(out, " about %.0f" PERCENT_FORMAT, fmin(100 * change->share, 100));
}

static void put_because_cell(struct buffer *out, const struct page_model *m,
                             const struct benchmark *b) {
  const struct run_pair *pair = model_pair(m, b);
  if (!pair) return;
  bool own = html_tells_own(pair);
  if (own) put_function(out, pair, &pair->own);
  for (size_t i = 0; i < pair->change_count && i < BECAUSE_MOST; i++) {
    if (i || own) buffer_add_text(out, ", ");
    put_function(out, pair, &pair->changes[i]);
  }
}

static void put_memory_cell(struct buffer *out, const struct benchmark *b) {
  const struct gate_row *row = b->metrics[METRIC_BYTES];
  if (!row) return;
  if (row->base == row->head)
    number_amount(out, row->head, row->unit);
  else
    number_sides(out, row);
}

static void put_slower(struct buffer *out, const struct page_model *m) {
  if (!m->fates[FATE_SLOWER]) return;
  buffer_add_text(out, "| benchmark | base " ARROW " head | change | allocated | because |\n"
                       "|---|--:|--:|--:|---|\n");
  for (size_t i = 0; i < m->fates[FATE_SLOWER] && i < ROWS_MOST; i++) {
    const struct benchmark *b = &m->benchmarks[i];
    buffer_add_text(out, "| **");
    md_name(out, b->name);
    buffer_add_text(out, "** | ");
    number_sides(out, b->worst);
    if (!number_is_time(b->worst->unit)) {
      buffer_add_char(out, ' ');
      md_name(out, b->worst->unit);
    }
    buffer_add_text(out, " | ");
    put_change_cell(out, b->worst);
    buffer_add_text(out, " | ");
    put_memory_cell(out, b);
    buffer_add_text(out, " | ");
    put_because_cell(out, m, b);
    buffer_add_text(out, " |\n");
  }
  buffer_add_char(out, '\n');
  if (m->fates[FATE_SLOWER] > ROWS_MOST)
    buffer_printf(out, "and %zu more\n\n", m->fates[FATE_SLOWER] - ROWS_MOST);
}

/* ---- the rest ---------------------------------------- */

static void put_sentences(struct buffer *out, const struct page_model *m) {
  md_text(out, m->counts);
  if (m->counts.size && m->sight.size) buffer_add_text(out, ", ");
  md_text(out, m->sight);
  if (m->counts.size || m->sight.size) buffer_add_text(out, ".\n\n");
  if (!m->run->has_base) buffer_add_text(out, "A first run: nothing was compared.\n\n");
  if (*m->run->instructions) {
    buffer_add_text(out, m->run->instructions);
    buffer_add_text(out, "\n\n");
  }
}

static const char *const list_titles[FATES] = {[FATE_MISSING] = "missing",
                                               [FATE_BROKEN] = "may measure nothing",
                                               [FATE_UNSURE] = "could not be judged",
                                               [FATE_FASTER] = "faster",
                                               [FATE_ACCEPTED] = "slower, which a rule accepts",
                                               [FATE_NEW] = "new"};

/* "Title −12 %, Words −8 % and 3 more". */
static void put_list(struct buffer *out, const struct page_model *m, int fate, size_t first) {
  size_t count = m->fates[fate];
  buffer_printf(out, "- %zu %s: ", count, list_titles[fate]);
  for (size_t i = 0; i < count && i < NAMES_MOST; i++) {
    const struct benchmark *b = &m->benchmarks[first + i];
    if (i) buffer_add_text(out, ", ");
    md_name(out, b->name);
    size_t before = out->size;
    buffer_add_char(out, ' ');
    size_t blank = out->size;
    if (fate == FATE_FASTER || fate == FATE_ACCEPTED) number_change(out, b->worst);
    if (out->size == blank) out->size = before;
  }
  if (count > NAMES_MOST) buffer_printf(out, " and %zu more", count - NAMES_MOST);
  buffer_add_char(out, '\n');
}

static void put_lists(struct buffer *out, const struct page_model *m) {
  size_t first = m->fates[FATE_SLOWER];
  if (first == m->count) return;
  buffer_add_text(out, "<details><summary>");
  const char *between = "";
  for (int fate = FATE_MISSING; fate < FATES; fate++) {
    if (!m->fates[fate]) continue;
    const char *title = list_titles[fate] ? list_titles[fate] : "unchanged";
    buffer_printf(out, "%s%zu %s", between, m->fates[fate], title);
    between = ", ";
  }
  buffer_add_text(out, "</summary>\n\n");
  first = m->fates[FATE_SLOWER];
  for (int fate = FATE_MISSING; fate < FATES; first += m->fates[fate++])
    if (m->fates[fate] && list_titles[fate]) put_list(out, m, fate, first);
  buffer_add_text(out, "\n</details>\n\n");
}

/* A table, as HTML: no name of a benchmark or function ends that. */
static void put_folded_text(struct buffer *out, pprofc_str text, size_t lines) {
  pprofc_str line;
  buffer_add_text(out, "\n<pre>\n");
  while (lines-- && text.data && str_next_line(&text, &line)) {
    html_text(out, line);
    buffer_add_char(out, '\n');
  }
  buffer_add_text(out, "</pre>\n\n</details>\n\n");
}

static const char *pair_note(const struct run_pair *pair) {
  if (str_starts(str_of(pair->note), STR("New"))) return " (new)";
  return str_starts(str_of(pair->note), STR("Gone")) ? " (gone)" : "";
}

static void put_profile_tables(struct buffer *out, const struct ci_run *run) {
  struct buffer text;
  buffer_init(&text, out->mem, (size_t)64 << 20);
  for (size_t i = 0; i < run->pair_count; i++) {
    const struct run_pair *pair = &run->pairs[i];
    if (pair->benchmark && i >= 2 * ROWS_MOST) continue;
    buffer_printf(out, "<details><summary>%s: ", pair->kind);
    html_words(out, html_shown(pair));
    buffer_printf(out, "%s</summary>\n", pair_note(pair));
    buffer_clear(&text);
    html_read_table(&text, run, pair, html_shown(pair));
    put_folded_text(out, buffer_str(&text), TABLE_LINES);
  }
  buffer_free(&text);
}

void summary_print(struct buffer *out, const struct page_model *m) {
  buffer_add_text(out, "<!-- pprofc:default -->\n### ");
  buffer_add_text(out, mood_sign(m->mood));
  md_text(out, m->headline);
  buffer_add_text(out, "\n\n");
  put_slower(out, m);
  put_sentences(out, m);
  put_lists(out, m);
  if (m->run->gate_text.size) {
    buffer_add_text(out, "<details><summary>how it was judged</summary>\n");
    put_folded_text(out, buffer_str(&m->run->gate_text), 200);
  }
  put_profile_tables(out, m->run);
}
