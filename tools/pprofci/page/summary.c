/* Writes the summary in Markdown, for pull request comments and the page of a job. At most
 * twelve lines are visible, the rest is collapsed. Names are escaped, so Markdown in them has
 * no effect. */
#include "page/page.h"

#include "core/escape.h"
#include "core/markdown.h"
#include "page/details.h"
#include "page/functions.h"
#include "page/html.h"
#include "page/hunks.h"
#include "page/links.h"
#include "page/numbers.h"
#include "run/text.h"

#include <math.h>
#include <stdio.h>

#define ROWS_MOST      5  /* rows of slower benchmarks */
#define BECAUSE_MOST   2  /* functions in a row */
#define NAMES_MOST     12 /* benchmark names in a list */
#define MEASURED_MOST  60 /* rows of the table of all measurements */
#define TABLES_MOST    8  /* tables of functions */
#define FUNCTIONS_MOST 8  /* functions in a table */
#define FAILED_LINES   40
#define HUNK_LINES     15

/* ---- names ------------------------------------------- */

/* Appends text and escapes all Markdown. */
static void md_escape(struct buffer *out, pprofc_str text) {
  static const char special[] = "\\`*_[]<>|~&!";
  struct buffer plain;
  buffer_init(&plain, out->mem, SIZE_MAX / 2);
  escape_terminal(&plain, text, false);
  pprofc_str clean = buffer_str(&plain);
  for (size_t i = 0; i < clean.size; i++) {
    char c = clean.data[i];
    bool acts = c && strchr(special, c);
    if (c == '<') {
      buffer_add_text(out, "&lt;");
      continue;
    }
    if (acts) buffer_add_char(out, '\\');
    buffer_add_char(out, c);
  }
  out->failed |= plain.failed;
  buffer_free(&plain);
}

/* Appends a function name as code. Escapes backticks and '|', which would end the code. */
static void md_code(struct buffer *out, pprofc_str name) {
  static const char special[] = "|`@*_~\\[:#!";
  struct buffer plain;
  buffer_init(&plain, out->mem, SIZE_MAX / 2);
  escape_terminal(&plain, name, false);
  pprofc_str clean = buffer_str(&plain);
  buffer_add_text(out, "<code>");
  for (size_t i = 0; i < clean.size; i++) {
    char c = clean.data[i];
    if (c && strchr(special, c))
      buffer_printf(out, "&#%d;", c);
    else
      escape_xml(out, (pprofc_str){&c, 1});
  }
  buffer_add_text(out, "</code>");
  out->failed |= plain.failed;
  buffer_free(&plain);
}

/* Appends a name as text, or as code if GitHub would act on it even when escaped. */
static void md_name(struct buffer *out, pprofc_str name) {
  if (markdown_acts(name))
    md_code(out, name);
  else
    md_escape(out, name);
}

/* Appends a sentence that contains names: each word is escaped like a name. */
static void md_text(struct buffer *out, pprofc_str text) {
  pprofc_str word;
  for (bool first = true; text.data && str_next(&text, ' ', &word); first = false) {
    if (!first) buffer_add_char(out, ' ');
    md_name(out, word);
  }
}

/* Appends a name that links to its row of the page. */
static void md_link_benchmark(struct buffer *out, const struct benchmark *b) {
  char row[32];
  snprintf(row, sizeof row, "b-%zu", b->number);
  links_begin(out, "index.html", row);
  md_name(out, b->name);
  links_end(out);
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

/* Writes a link to the flame graph, and the growth: "`words.hash` +43 µs about 99 % of the change".
 */
static void put_function(struct buffer *out, const struct page_model *m,
                         const struct run_pair *pair, const struct change *change) {
  buffer_add_text(out, "<a href=\"");
  html_flame(out, m, pair, html_shown(pair), str_of(change->name));
  buffer_add_text(out, "\">");
  md_code(out, html_short_function(str_of(change->name)));
  links_end(out);
  buffer_add_text(out, " +");
  number_profile(out, change->head - change->base, str_of(pair->unit));
  if (isfinite(change->share) && change->share <= 1.5)
    buffer_printf(out, " about %.0f" PERCENT_FORMAT " of the change",
                  fmin(100 * change->share, 100));
}

static void put_because_cell(struct buffer *out, const struct page_model *m,
                             const struct benchmark *b) {
  const struct run_pair *pair = model_pair(m, b);
  if (!pair) return;
  bool own = html_tells_own(pair);
  if (own) put_function(out, m, pair, &pair->own);
  for (size_t i = 0; i < pair->change_count && i < BECAUSE_MOST; i++) {
    if (i || own) buffer_add_text(out, ", ");
    put_function(out, m, pair, &pair->changes[i]);
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
  if (!m->states[STATE_SLOWER]) return;
  buffer_printf(out,
                "| benchmark | base " ARROW " head | change | %s | because |\n"
                "|---|--:|--:|--:|---|\n",
                m->columns[METRIC_BYTES].label);
  for (size_t i = 0; i < m->states[STATE_SLOWER] && i < ROWS_MOST; i++) {
    const struct benchmark *b = &m->benchmarks[i];
    buffer_add_text(out, "| **");
    md_link_benchmark(out, b);
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
  if (m->states[STATE_SLOWER] > ROWS_MOST)
    buffer_printf(out, "and %zu more\n\n", m->states[STATE_SLOWER] - ROWS_MOST);
}

/* ---- the rest ---------------------------------------- */

/* Writes the sentence and the lines of the change that explain the first regression. */
static void put_changed_lines(struct buffer *out, const struct page_model *m) {
  const struct run_pair *pair = m->states[STATE_SLOWER] ? model_pair(m, &m->benchmarks[0]) : NULL;
  struct buffer text;
  if (!pair) return;
  buffer_init(&text, out->mem, SIZE_MAX / 2);
  if (hunks_sentence(&text, m->run, pair)) {
    md_text(out, buffer_str(&text));
    buffer_add_text(out, ".\n\n");
    hunks_print_worst(out, pair, HUNK_LINES);
    buffer_add_char(out, '\n');
  }
  out->failed |= text.failed;
  buffer_free(&text);
}

static void put_sentences(struct buffer *out, const struct page_model *m) {
  md_text(out, m->counts);
  if (m->counts.size && m->visible_text.size) buffer_add_text(out, ", ");
  md_text(out, m->visible_text);
  if (m->counts.size || m->visible_text.size) buffer_add_text(out, ".\n\n");
  if (m->also.size) {
    buffer_add_text(out, "? ");
    md_text(out, m->also);
    buffer_add_text(out, "\n\n");
  }
  if (!m->run->has_base) buffer_add_text(out, "A first run: nothing was compared.\n\n");
  if (*m->run->instructions) {
    md_text(out, str_of(m->run->instructions));
    buffer_add_text(out, "\n\n");
  }
}

static const char *const list_titles[STATES] = {[STATE_MISSING] = "missing",
                                                [STATE_BROKEN] = "may measure nothing",
                                                [STATE_UNSURE] = "could not be judged",
                                                [STATE_FASTER] = "faster",
                                                [STATE_ACCEPTED] = "slower, which a rule accepts",
                                                [STATE_NEW] = "new"};

/* Appends "Title −12 %, Words −8 % and 3 more". */
static void put_list(struct buffer *out, const struct page_model *m, int state, size_t first) {
  size_t count = m->states[state];
  buffer_printf(out, "- %zu %s: ", count, list_titles[state]);
  for (size_t i = 0; i < count && i < NAMES_MOST; i++) {
    const struct benchmark *b = &m->benchmarks[first + i];
    if (i) buffer_add_text(out, ", ");
    md_name(out, b->name);
    size_t before = out->size;
    buffer_add_char(out, ' ');
    size_t blank = out->size;
    if (state == STATE_FASTER || state == STATE_ACCEPTED) number_change(out, b->worst);
    if (out->size == blank) out->size = before;
  }
  if (count > NAMES_MOST) buffer_printf(out, " and %zu more", count - NAMES_MOST);
  buffer_add_char(out, '\n');
}

static void put_list_counts(struct buffer *out, const struct page_model *m) {
  const char *between = "";
  for (int state = STATE_MISSING; state < STATES; state++) {
    if (!m->states[state]) continue;
    const char *title = list_titles[state] ? list_titles[state] : "unchanged";
    buffer_printf(out, "%s%zu %s", between, m->states[state], title);
    between = ", ";
  }
}

/* Writes the lists of results. Unchanged benchmarks are not listed; if all are unchanged,
 * nothing can be expanded. */
static void put_lists(struct buffer *out, const struct page_model *m) {
  size_t first = m->states[STATE_SLOWER];
  if (first == m->count) return;
  bool named = first + m->states[STATE_UNCHANGED] < m->count;
  if (named) buffer_add_text(out, "<details><summary>");
  put_list_counts(out, m);
  buffer_add_text(out, named ? "</summary>\n\n" : "\n\n");
  if (!named) return;
  for (int state = STATE_MISSING; state < STATES; first += m->states[state++])
    if (m->states[state] && list_titles[state]) put_list(out, m, state, first);
  buffer_add_text(out, "\n</details>\n\n");
}

/* ---- numbers ----------------------------------------- */

static void md_put_measurement(struct buffer *out, const struct benchmark *b,
                               const struct gate_row *row) {
  buffer_add_text(out, "| ");
  md_name(out, b->name);
  buffer_add_text(out, " | ");
  md_name(out, row->unit);
  buffer_add_text(out, " | ");
  if (row->in_base) number_amount(out, row->base, row->unit);
  buffer_add_text(out, " | ");
  if (row->in_head) number_amount(out, row->head, row->unit);
  buffer_add_text(out, " | ");
  number_change(out, row);
  buffer_add_text(out, " | ");
  number_interval(out, row);
  buffer_printf(out, " | %s |\n", details_verdict(b, row));
}

static void put_measurements(struct buffer *out, const struct page_model *m) {
  size_t count, shown = 0;
  const struct gate_row *rows = gate_rows(&m->run->gate, &count);
  if (!m->count) return;
  buffer_printf(out, "<details><summary>all %zu measurements</summary>\n\n", count);
  buffer_add_text(out, "| benchmark | measured | base | head | \xCE\x94 | interval | verdict |\n"
                       "|---|---|--:|--:|--:|--:|---|\n");
  for (size_t i = 0; i < m->count; i++)
    for (size_t k = 0; k < m->benchmarks[i].row_count && shown < MEASURED_MOST; k++, shown++)
      md_put_measurement(out, &m->benchmarks[i], &rows[m->benchmarks[i].rows[k]]);
  if (shown < count) buffer_printf(out, "\nand %zu more, which are on the page\n", count - shown);
  buffer_add_text(out, "\n</details>\n\n");
}

/* ---- profiles ---------------------------------------- */

static const char *pair_note(const struct run_pair *pair) {
  if (str_starts(str_of(pair->note), STR("New"))) return " (new)";
  return str_starts(str_of(pair->note), STR("Gone")) ? " (gone)" : "";
}

static void md_put_value(struct buffer *out, double value, pprofc_str unit) {
  number_profile(out, value, unit);
  buffer_add_text(out, " | ");
}

static void md_put_function_row(struct buffer *out, const struct function_list *f,
                                const struct function_values *row, bool both) {
  double base = row->flat[SIDE_BASE], head = row->flat[SIDE_HEAD];
  buffer_add_text(out, "| ");
  md_code(out, html_short_function(row->name));
  buffer_add_text(out, " | ");
  if (!both) {
    md_put_value(out, base + head, f->unit);
    number_share(out, (base + head) / (f->total[SIDE_BASE] + f->total[SIDE_HEAD]));
  } else {
    md_put_value(out, base, f->unit);
    md_put_value(out, head, f->unit);
    number_difference(out, head - base, f->unit);
  }
  buffer_add_text(out, " |\n");
}

/* Writes the functions with their verdicts. */
static void put_verdict_table(struct buffer *out, const struct pair_verdicts *v) {
  pprofc_str unit = str_of(v->unit);
  buffer_add_char(out, '\n');
  md_name(out, str_of(v->sentence));
  buffer_add_text(out, "\n\n| function by itself | base | head | change | \xC2\xB1 | certain? |");
  buffer_add_text(out, v->has_code ? " code |\n|---|--:|--:|--:|--:|---|---|\n"
                                   : "\n|---|--:|--:|--:|--:|---|\n");
  for (size_t i = 0; i < v->row_count && i < FUNCTIONS_MOST; i++) {
    const struct change *change = &v->rows[i];
    buffer_add_text(out, "| ");
    md_code(out, html_short_function(str_of(change->name)));
    buffer_add_text(out, " | ");
    md_put_value(out, change->base, unit);
    md_put_value(out, change->head, unit);
    number_difference(out, change->head - change->base, unit);
    buffer_add_text(out, " | ");
    if (isfinite(change->low) && isfinite(change->high))
      number_profile(out, (change->high - change->low) / 2, unit);
    buffer_add_text(out, " | ");
    md_name(out, str_of(change->verdict));
    if (v->has_code) buffer_add_text(out, " | ");
    if (v->has_code) md_name(out, str_of(change->code));
    buffer_add_text(out, " |\n");
  }
  if (v->weak) buffer_add_text(out, "\nVerdicts of one run a side are weak.\n");
}

static void put_function_table(struct buffer *out, const struct ci_run *run,
                               const struct run_pair *pair) {
  struct function_list f;
  bool both = pair->diff != NULL;
  if (pair->comparison_count && pair->comparisons[0].row_count) {
    put_verdict_table(out, &pair->comparisons[0]);
    return;
  }
  enum function_order alone = pair->names[SIDE_HEAD] ? BY_HEAD : BY_BASE;
  functions_read(run, pair, &f);
  functions_sort(&f, both ? BY_CHANGE : alone);
  buffer_add_text(out, both ? "\n| function by itself | base | head | change |\n|---|--:|--:|--:|\n"
                            : "\n| function by itself | value | share |\n|---|--:|--:|\n");
  for (size_t i = 0; i < f.count && i < FUNCTIONS_MOST; i++) {
    const struct function_values *row = &f.rows[i];
    if (row->flat[SIDE_BASE] == row->flat[SIDE_HEAD]) break;
    md_put_function_row(out, &f, row, both);
  }
  functions_free(&f);
}

/* True if the pair explains one of the rows at the top, or belongs to no benchmark. */
static bool is_summarized(const struct page_model *m, const struct run_pair *pair) {
  for (size_t i = 0; i < m->states[STATE_SLOWER] && i < ROWS_MOST; i++)
    if (model_pair(m, &m->benchmarks[i]) == pair) return true;
  return !pair->benchmark;
}

static void put_profile_tables(struct buffer *out, const struct page_model *m) {
  size_t shown = 0;
  for (size_t i = 0; i < m->run->pair_count && shown < TABLES_MOST; i++) {
    const struct run_pair *pair = &m->run->pairs[i];
    if (!is_summarized(m, pair)) continue;
    shown++;
    buffer_printf(out, "<details><summary>%s: ", pair->kind);
    html_words(out, html_shown(pair));
    buffer_printf(out, "%s</summary>\n", pair_note(pair));
    put_function_table(out, m->run, pair);
    buffer_add_text(out, "\n</details>\n\n");
  }
}

/* Writes the output of a failed gate as HTML, which names in it cannot end. */
static void md_put_failure(struct buffer *out, const struct ci_run *run) {
  pprofc_str text = buffer_str(&run->gate_text), line;
  size_t lines = FAILED_LINES;
  if (run->status != 1) return;
  buffer_add_text(out, "<details><summary>what failed</summary>\n\n<pre>\n");
  while (lines-- && text.data && str_next_line(&text, &line)) {
    html_text(out, line);
    buffer_add_char(out, '\n');
  }
  buffer_add_text(out, "</pre>\n\n</details>\n\n");
}

/* Appends "Page · flame graph · how to repeat". */
static void put_links(struct buffer *out, const struct page_model *m) {
  const struct run_pair *pair = m->states[STATE_SLOWER] ? model_pair(m, &m->benchmarks[0]) : NULL;
  buffer_add_text(out, LINKS_LINE);
  if (pair) {
    buffer_add_text(out, " " DOT " <a href=\"");
    html_flame(out, m, pair, html_shown(pair), html_culprit(pair));
    buffer_add_text(out, "\">flame graph</a>");
  }
  buffer_add_text(out, " " DOT " ");
  links_begin(out, "index.html", "method");
  buffer_add_text(out, "how to repeat it");
  links_end(out);
  buffer_add_text(out, "\n\n");
}

void summary_print(struct buffer *out, const struct page_model *m) {
  buffer_add_text(out, "<!-- pprofc:default -->\n### ");
  buffer_add_text(out, conclusion_sign(m->conclusion));
  md_text(out, m->headline);
  buffer_add_text(out, "\n\n");
  put_slower(out, m);
  put_changed_lines(out, m);
  put_sentences(out, m);
  put_links(out, m);
  put_lists(out, m);
  md_put_failure(out, m->run);
  put_measurements(out, m);
  put_profile_tables(out, m);
  summary_for_agents(out, m);
}
