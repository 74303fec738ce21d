/* Writes the summary in Markdown. At most twelve lines are visible. Names are escaped. */
#include "core/brief.h"
#include "page/html.h"
#include "page/numbers.h"
#include "page/page.h"
#include "run/files.h"

/* ---- coding agents ---------------------------------- */

/* Maximum size in bytes of the section for coding agents, without markup. With markup, the section
 * then has less than 2,000 bytes. */
#define AGENTS_TEXT_MOST 1926
#define AGENTS_NAME_MOST 120
#define AGENTS_ROWS      3

/* Adds a name. Removes the middle of a long name. */
static void agents_fill_name(struct fill *f, const char *key, pprofc_str name) {
  brief_shorten(fill_text(f, key), name, AGENTS_NAME_MOST);
}

/* Adds the function that grew most, with its file and line. */
static void agents_fill_culprit(struct fill *f, const struct run_pair *pair) {
  pprofc_str name = html_culprit(pair);
  const struct change *found = pair->own.name ? &pair->own : NULL;
  for (size_t i = 0; i < pair->change_count; i++)
    if (str_equal(str_of(pair->changes[i].name), name)) found = &pair->changes[i];
  agents_fill_name(f, "function", name);
  if (!found || !found->file) return;
  agents_fill_name(f, "file", str_of(found->file));
  if (found->line) fill_number(f, "line", found->line);
}

/* Adds the function that grew most, and the paths of base and head profiles in the artifacts. */
static void agents_fill_pair(struct fill *f, const struct run_pair *pair) {
  if (!pair || !pair->diff) return;
  agents_fill_culprit(f, pair);
  for (int side = 0; side < SIDES; side++)
    if (pair->kept)
      buffer_printf(fill_text(f, side_names[side]), "%s/%s/", pair->kept, side_names[side]);
    else
      buffer_printf(fill_text(f, side_names[side]), "profiles/%s.pb.gz", pair->names[side]);
}

static void agents_fill_rows(struct fill *f, const struct page_model *m) {
  const struct run_pair *last = NULL;
  for (size_t i = 0; i < m->states[STATE_SLOWER] && i < AGENTS_ROWS; i++) {
    const struct run_pair *pair = model_pair(m, &m->benchmarks[i]);
    fill_pack(f, "rows:{benchmark:{");
    agents_fill_name(f, "name", m->benchmarks[i].shown);
    fill_end(f);
    if (pair != last) agents_fill_pair(f, pair);
    fill_end(f);
    if (pair) last = pair;
  }
  fill_begin(f, "rows");
  if (!last && m->run->pair_count) agents_fill_pair(f, &m->run->pairs[0]);
  fill_end(f);
}

static void summary_for_agents(struct buffer *out, const struct page_model *m) {
  if (m->verdict == RUN_PASSED) return;
  for (int rows = 1; rows >= 0 && (rows || out->size > AGENTS_TEXT_MOST); rows--) {
    struct fill f = fill_make(out->mem);
    if (rows) agents_fill_rows(&f, m);
    buffer_clear(out);
    template_put(out, message_template(), "agents", &f);
    fill_free(&f);
  }
}

#define ROWS_MOST      5  /* maximum number of rows of benchmarks that became slower */
#define BECAUSE_MOST   2  /* maximum number of functions in the row of a benchmark */
#define NAMES_MOST     12 /* maximum number of benchmark names in a list */
#define MEASURED_MOST  60 /* maximum number of rows in the table of all measurements */
#define TABLES_MOST    8  /* maximum number of tables of functions in a summary */
#define FUNCTIONS_MOST 8  /* maximum number of functions in a table */
#define FAILED_LINES   40
#define HUNK_LINES     15

/* ---- message ----------------------------------------- */

struct summary_text {
  const struct page_model *model;
  struct message *summary;
  struct message_text *next; /* text of the next section */
  struct buffer *text;       /* next->text */
};

enum part_kind { PART_TEXT, PART_CODE, PART_LINKS };

static void summary_add(const struct summary_text *w, pprofc_str title, enum part_kind kind) {
  message_add(w->summary, w->next,
              (struct message_part){
                  .title = title, .is_code = kind == PART_CODE, .is_links = kind == PART_LINKS});
}

/* Returns the text collected so far, as the title of the next section. Empties the buffer of the
 * text. */
static pprofc_str title_of(const struct summary_text *w) {
  pprofc_str title = buffer_keep(w->text, w->next->arena);
  buffer_clear(w->text);
  return title;
}

/* ---- names ------------------------------------------- */

/* Appends the text, and escapes all characters that Markdown would interpret. */
static void md_escape(struct buffer *out, pprofc_str clean) {
  for (size_t i = 0; i < clean.size; i++) {
    char c = clean.data[i];
    if (c && c != '<' && strchr("\\`*_[]>|~&!", c)) buffer_add_char(out, '\\');
    if (c == '<')
      buffer_add_text(out, "&lt;");
    else
      buffer_add_char(out, c);
  }
}

/* Appends a function name as code. Escapes backticks and '|', which would end the code. */
static void md_code_of(struct buffer *out, pprofc_str clean) {
  struct fill f = fill_make(out->mem);
  struct buffer *name = fill_html(&f, "name");
  for (size_t i = 0; i < clean.size; i++) {
    char c = clean.data[i];
    if (c && strchr("|`@*_~\\[:#!", c))
      buffer_printf(name, "&#%d;", c);
    else if ((unsigned char)c >= 0x80)
      buffer_add_char(name, c); /* escape_xml refuses a single byte of a UTF-8 sequence */
    else
      escape_xml(name, (pprofc_str){&c, 1});
  }
  template_put(out, message_template(), "code", &f);
  fill_free(&f);
}

/* Escapes control characters of a name, and appends the name by calling `put`. */
static void md_put_clean(struct buffer *out, pprofc_str name,
                         void (*put)(struct buffer *out, pprofc_str clean)) {
  struct buffer plain = ci_buffer();
  escape_terminal(&plain, name, false);
  put(out, buffer_str(&plain));
  buffer_free(&plain);
}

/* Appends a short function name as code (html_short_function). */
static void md_function(struct buffer *out, pprofc_str name) {
  struct buffer shorter = ci_buffer();
  html_short_function(&shorter, name);
  md_put_clean(out, buffer_str(&shorter), md_code_of);
  buffer_free(&shorter);
}

void md_name(struct buffer *out, pprofc_str name) {
  md_put_clean(out, name, markdown_acts(name) ? md_code_of : md_escape);
}

/* Appends a sentence that contains names. Escapes each word like md_name. */
static void md_text(struct buffer *out, pprofc_str text) {
  pprofc_str word;
  for (bool first = true; text.data && str_next(&text, ' ', &word); first = false) {
    if (!first) buffer_add_char(out, ' ');
    md_name(out, word);
  }
}

/* Appends the name of a benchmark as a link to its row on the page. */
static void md_link_benchmark(const struct summary_text *w, const struct benchmark *b) {
  message_begin_link(w->next);
  md_name(w->text, b->shown);
  message_end_link(w->next, text_printf(w->next->arena, "index.html#b-%zu", b->number));
}

/* Ends a link that opens the flame graph of a pair of profiles and searches for the function. */
static void md_end_flame(const struct summary_text *w, const struct run_pair *pair,
                         pprofc_str function) {
  struct buffer address = ci_buffer();
  html_flame(&address, w->model, pair, html_shown(pair), function);
  message_end_link(w->next, buffer_take(&address, w->next->arena).data);
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

/* Writes a link to the flame graph, and "+43 µs about 99 % of the profile's change". */
static void put_function(const struct summary_text *w, const struct run_pair *pair,
                         const struct change *change) {
  struct buffer *out = w->text;
  message_begin_link(w->next);
  md_function(out, str_of(change->name));
  md_end_flame(w, pair, str_of(change->name));
  buffer_add_text(out, " +");
  number_profile(out, change->delta, str_of(pair->unit));
  if (isfinite(change->share) && change->share <= 1.5)
    buffer_printf(out, " about %.0f" PERCENT_FORMAT " of the profile's change",
                  fmin(100 * change->share, 100));
}

static void put_because_cell(const struct summary_text *w, const struct benchmark *b) {
  const struct run_pair *pair = model_pair(w->model, b);
  if (!pair) return;
  bool own = html_shows_own(pair);
  if (own) put_function(w, pair, &pair->own);
  for (size_t i = 0; i < pair->change_count && i < BECAUSE_MOST; i++) {
    if (i || own) buffer_add_text(w->text, ", ");
    put_function(w, pair, &pair->changes[i]);
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

static void put_slower_row(const struct summary_text *w, const struct benchmark *b, bool memory,
                           bool profiles) {
  struct buffer *out = w->text;
  buffer_add_text(out, "| **");
  md_link_benchmark(w, b);
  buffer_add_text(out, "** | ");
  number_sides(out, b->worst);
  if (!number_is_time(b->worst->unit)) {
    buffer_add_char(out, ' ');
    md_name(out, b->worst->unit);
  }
  buffer_add_text(out, " | ");
  put_change_cell(out, b->worst);
  buffer_add_text(out, " |");
  if (memory) {
    buffer_add_char(out, ' ');
    put_memory_cell(out, b);
    buffer_add_text(out, " |");
  }
  if (profiles) {
    buffer_add_char(out, ' ');
    put_because_cell(w, b);
    buffer_add_text(out, " |");
  }
  buffer_add_char(out, '\n');
}

/* Adds the benchmarks that got worse. Omits the columns of memory and profiles if they are empty.
 */
static void put_slower(const struct summary_text *w) {
  const struct page_model *m = w->model;
  struct buffer *out = w->text;
  if (!m->states[STATE_SLOWER]) return;
  bool memory = m->has_metric[METRIC_BYTES], profiles = m->run->pair_count > 0;
  struct fill f = fill_make(out->mem);
  fill_pack(&f, "remark:s profiles:b", m->columns[METRIC_TIME].remark, profiles);
  if (memory) fill_words(&f, "memory", m->columns[METRIC_BYTES].label);
  template_put(out, message_template(), "slower", &f);
  fill_free(&f);
  for (size_t i = 0; i < m->states[STATE_SLOWER] && i < ROWS_MOST; i++)
    put_slower_row(w, &m->benchmarks[i], memory, profiles);
  buffer_add_char(out, '\n');
  if (m->states[STATE_SLOWER] > ROWS_MOST)
    buffer_printf(out, "and %zu more\n\n", m->states[STATE_SLOWER] - ROWS_MOST);
}

/* ---- other benchmarks -------------------------------- */

/* Adds the sentence and the changed lines that explain the first regression. */
static void summary_add_lines(const struct summary_text *w) {
  const struct page_model *m = w->model;
  const struct run_pair *pair = model_first_pair(m);
  struct buffer text = ci_buffer();
  struct hunk_code code;
  if (!pair) return;
  if (hunks_sentence(&text, m->run, pair, &code)) {
    pprofc_str sentence = buffer_str(&text);
    md_name(w->text, str_slice(sentence, 0, code.name));
    md_text(w->text, str_slice(sentence, code.name, code.at));
    md_name(w->text, str_slice(sentence, code.at, code.at + code.size));
    md_text(w->text, str_slice(sentence, code.at + code.size, sentence.size));
    buffer_add_text(w->text, ".\n\n");
    buffer_clear(&text);
    hunks_put_worst(&text, pair, HUNK_LINES);
    summary_add(w, STR(""), PART_TEXT);
    template_escape(w->text, buffer_str(&text));
    summary_add(w, STR(""), PART_CODE);
  }
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

/* Appends "Title −12 %, Words −8 % and 3 more". */
static void put_list(struct buffer *out, const struct page_model *m, enum page_state state,
                     size_t first) {
  size_t count = m->states[state];
  buffer_printf(out, "- %zu %s: ", count, model_state_title(m, state));
  for (size_t i = 0; i < count && i < NAMES_MOST; i++) {
    const struct benchmark *b = &m->benchmarks[first + i];
    if (i) buffer_add_text(out, ", ");
    md_name(out, b->shown);
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
  for (enum page_state state = STATE_MISSING; state < STATES; state++) {
    if (!m->states[state]) continue;
    buffer_printf(out, "%s%zu %s", between, m->states[state], model_state_title(m, state));
    between = ", ";
  }
}

/* Adds a list of benchmarks for each result except "unchanged". */
static void add_lists(const struct summary_text *w) {
  const struct page_model *m = w->model;
  size_t first = m->states[STATE_SLOWER];
  bool named = first + m->states[STATE_UNCHANGED] < m->count;
  if (first == m->count) return;
  put_list_counts(w->text, m);
  if (!named) {
    buffer_add_text(w->text, "\n\n");
    summary_add(w, STR(""), PART_TEXT);
    return;
  }
  pprofc_str title = title_of(w);
  for (enum page_state state = STATE_MISSING; state < STATE_UNCHANGED; first += m->states[state++])
    if (m->states[state]) put_list(w->text, m, state, first);
  summary_add(w, title, PART_TEXT);
}

/* ---- numbers ----------------------------------------- */

static void md_fill_measurement(struct fill *f, const struct benchmark *b,
                                const struct gate_row *row) {
  fill_begin(f, "rows");
  md_name(fill_html(f, "name"), b->shown);
  md_name(fill_html(f, "unit"), row->unit);
  if (row->in_base) number_amount(fill_html(f, "base"), row->base, row->unit);
  if (row->in_head) number_amount(fill_html(f, "head"), row->head, row->unit);
  number_change(fill_html(f, "change"), row);
  number_interval(fill_html(f, "interval"), row);
  buffer_add_text(fill_html(f, "verdict"), details_verdict(b, row));
  fill_end(f);
}

static void add_measurements(const struct summary_text *w) {
  const struct page_model *m = w->model;
  size_t count, shown = 0;
  const struct gate_row *rows = gate_rows(&m->run->gate, &count);
  if (!m->count) return;
  struct fill f = fill_make(w->text->mem);
  buffer_printf(w->text, "all %zu measurements", count);
  pprofc_str title = title_of(w);
  for (size_t i = 0; i < m->count; i++)
    for (size_t k = 0; k < m->benchmarks[i].row_count && shown < MEASURED_MOST; k++, shown++)
      md_fill_measurement(&f, &m->benchmarks[i], &rows[m->benchmarks[i].rows[k]]);
  if (shown < count) fill_number(&f, "more", (int64_t)(count - shown));
  template_put(w->text, message_template(), "measurements", &f);
  fill_free(&f);
  summary_add(w, title, PART_TEXT);
}

/* ---- profiles ---------------------------------------- */

/* Begins the row of a function with its values in base and head. */
static void md_begin_function(struct fill *f, pprofc_str name, double base, double head,
                              pprofc_str unit) {
  fill_begin(f, "rows");
  md_function(fill_html(f, "name"), name);
  number_profile(fill_html(f, "base"), base, unit);
  number_profile(fill_html(f, "head"), head, unit);
  number_difference(fill_html(f, "change"), head - base, unit);
}

static void md_fill_verdicts(struct fill *f, const struct pair_verdicts *v) {
  pprofc_str unit = str_of(v->unit);
  fill_pack(f, "judged:b has_code:b weak:b", true, v->has_code, v->weak);
  md_name(fill_html(f, "sentence"), str_of(v->sentence));
  for (size_t i = 0; i < v->row_count && i < FUNCTIONS_MOST; i++) {
    const struct change *change = &v->rows[i];
    md_begin_function(f, str_of(change->name), change->base, change->head, unit);
    if (isfinite(change->low) && isfinite(change->high))
      number_profile(fill_html(f, "half"), (change->high - change->low) / 2, unit);
    md_name(fill_html(f, "certain"), str_of(change->verdict));
    md_name(fill_html(f, "code"), str_of(compared_words[change->code]));
    fill_end(f);
  }
}

static void md_fill_functions(struct fill *f, const struct ci_run *run,
                              const struct run_pair *pair) {
  struct function_list list;
  enum function_order alone = pair->names[SIDE_HEAD] ? BY_HEAD : BY_BASE;
  functions_read(run, pair, &list);
  functions_sort(&list, pair->diff ? BY_CHANGE : alone);
  fill_flag(f, "alone", !pair->diff);
  for (size_t i = 0; i < list.count && i < FUNCTIONS_MOST; i++) {
    double base = list.rows[i].flat[SIDE_BASE], head = list.rows[i].flat[SIDE_HEAD];
    if (base == head) break;
    md_begin_function(f, list.rows[i].name, base, head, list.unit);
    number_profile(fill_html(f, "value"), base + head, list.unit);
    number_share(fill_html(f, "share"),
                 (base + head) / (list.total[SIDE_BASE] + list.total[SIDE_HEAD]));
    fill_end(f);
  }
  arena_free(&list.arena);
}

static void put_function_table(struct buffer *out, const struct ci_run *run,
                               const struct run_pair *pair) {
  struct fill f = fill_make(out->mem);
  if (pair->comparison_count && pair->comparisons[0].row_count)
    md_fill_verdicts(&f, &pair->comparisons[0]);
  else
    md_fill_functions(&f, run, pair);
  template_put(out, message_template(), "functions", &f);
  fill_free(&f);
}

/* True if the pair of profiles has no benchmark, or if a row of the summary is about its
 * benchmark. */
static bool is_summarized(const struct page_model *m, const struct run_pair *pair) {
  for (size_t i = 0; i < m->states[STATE_SLOWER] && i < ROWS_MOST; i++)
    if (model_pair(m, &m->benchmarks[i]) == pair) return true;
  return !pair->benchmark;
}

static void add_profile_tables(const struct summary_text *w) {
  const struct ci_run *run = w->model->run;
  size_t shown = 0;
  for (size_t i = 0; i < run->pair_count && shown < TABLES_MOST; i++) {
    const struct run_pair *pair = &run->pairs[i];
    if (!is_summarized(w->model, pair)) continue;
    shown++;
    buffer_printf(w->text, "%s: %s", pair->kind, html_shown(pair));
    if (pair->is_new) buffer_add_text(w->text, " (new)");
    if (pair->is_gone) buffer_add_text(w->text, " (gone)");
    pprofc_str title = title_of(w);
    put_function_table(w->text, run, pair);
    summary_add(w, title, PART_TEXT);
  }
}

static void add_failure(const struct summary_text *w) {
  const struct ci_run *run = w->model->run;
  pprofc_str text = buffer_str(&run->gate_text), line;
  size_t lines = FAILED_LINES;
  if (run->status != 1) return;
  while (lines-- && text.data && str_next_line(&text, &line)) {
    template_escape(w->text, line);
    buffer_add_char(w->text, '\n');
  }
  summary_add(w, STR("what failed"), PART_CODE);
}

/* Adds "Page · flame graph · how to repeat". */
static void add_links(const struct summary_text *w) {
  const struct run_pair *pair = model_first_pair(w->model);
  struct buffer *out = w->text;
  message_begin_link(w->next);
  buffer_add_text(out, "Page");
  message_end_link(w->next, "index.html");
  if (pair) {
    buffer_add_text(out, " " DOT " ");
    message_begin_link(w->next);
    buffer_add_text(out, "flame graph");
    md_end_flame(w, pair, html_culprit(pair));
  }
  buffer_add_text(out, " " DOT " ");
  message_begin_link(w->next);
  buffer_add_text(out, "how to repeat it");
  message_end_link(w->next, "index.html#method");
  buffer_add_text(out, "\n\n");
  summary_add(w, STR(""), PART_LINKS);
}

/* Adds the sections that are always visible: regressions, changed lines, sentences and links. */
static void summary_add_visible(const struct summary_text *w) {
  put_slower(w);
  summary_add(w, STR(""), PART_TEXT);
  summary_add_lines(w);
  put_sentences(w->text, w->model);
  summary_add(w, STR(""), PART_TEXT);
  add_links(w);
}

static void add_for_agents(const struct summary_text *w) {
  summary_for_agents(w->text, w->model);
  summary_add(w, STR("for coding agents"), PART_CODE);
}

void summary_make(const struct page_model *m, struct arena *arena, struct message *summary) {
  struct message_text next = {.arena = arena, .text = ci_buffer()};
  const struct summary_text w = {m, summary, &next, &next.text};
  md_text(w.text, m->headline);
  *summary = (struct message){.sign = verdict_sign(m->verdict), .headline = title_of(&w)};
  summary_add_visible(&w);
  add_lists(&w);
  add_failure(&w);
  add_measurements(&w);
  add_profile_tables(&w);
  add_for_agents(&w);
  buffer_free(&next.text);
}
