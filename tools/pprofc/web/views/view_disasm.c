/* Creates the view Disassembly. It shows the lines of -disasm in one section per function, sorted
 * by cost. The user can collapse a section. */
#include "unit/unit.h"
#include "web/views/page.h"

/* Number of functions shown, as in pprof. */
#define DISASM_FUNCTIONS 50

/* Lines of a function in the output of -disasm. */
struct disasm_block {
  pprofc_str text; /* lines from "ROUTINE" to the start of the next function */
  double flat;
  size_t order;
};

struct disasm_page {
  struct view_page *page;
  struct view_report v;
  struct disasm_block *blocks;
  size_t count, capacity;
  double most; /* largest cost of an instruction; it gets the strongest colour */
};

static const char disasm_routine[] = "ROUTINE ======================== ";

/* Removes the first word from a line and returns it. */
static pprofc_str disasm_word(pprofc_str *line) {
  size_t from = 0, to;
  while (from < line->size && line->data[from] == ' ') from++;
  for (to = from; to < line->size && line->data[to] != ' ';) to++;
  pprofc_str word = str_slice(*line, from, to);
  *line = str_slice(*line, to, line->size);
  return word;
}

/* Converts a value such as "1.50s" to a number, so that values with different units compare. */
static double disasm_number(pprofc_str word) {
  size_t digits = 0;
  while (digits < word.size && strchr("0123456789.-+e", word.data[digits])) digits++;
  double value, factor = unit_factor(str_slice(word, digits, word.size));
  if (!str_parse_float(str_slice(word, 0, digits), &value)) return 0;
  return value * (factor > 0 ? factor : 1);
}

static bool disasm_add(struct disasm_page *d, pprofc_str text) {
  if (!ARRAY_RESERVE(d->page->mem, d->blocks, d->capacity, d->count + 1)) return false;
  pprofc_str rest = text, line = STR("");
  while (str_next_line(&rest, &line))
    if (str_find(line, STR(" (flat, cum) ")) < line.size) break;
  d->blocks[d->count] =
      (struct disasm_block){text, fabs(disasm_number(disasm_word(&line))), d->count};
  d->count++;
  return true;
}

static int disasm_compare(const void *a, const void *b) {
  const struct disasm_block *x = a, *y = b;
  if (x->flat != y->flat) return x->flat > y->flat ? -1 : 1;
  return x->order < y->order ? -1 : 1;
}

/* Splits the text of -disasm into functions. Lines before the first function become remarks. */
static bool disasm_split(struct disasm_page *d, pprofc_str text) {
  size_t at = str_starts(text, str_of(disasm_routine)) ? 0 : str_find(text, STR("\nROUTINE =")) + 1;
  pprofc_str head = str_slice(text, 0, at), line;
  while (head.size && str_next_line(&head, &line)) {
    if (!line.size) continue;
    fill_pack(&d->page->fill, "remarks:{line:S}", line);
  }
  for (pprofc_str rest = str_slice(text, at, text.size); rest.size;) {
    size_t end = str_find(rest, STR("\nROUTINE ="));
    if (end < rest.size) end++;
    if (!disasm_add(d, str_slice(rest, 0, end))) return false;
    rest = str_slice(rest, end, rest.size);
  }
  qsort(d->blocks, d->count, sizeof *d->blocks, disasm_compare);
  return true;
}

static double disasm_cum(pprofc_str line) {
  disasm_word(&line);
  return disasm_number(disasm_word(&line));
}

static bool disasm_is_instruction(pprofc_str line) {
  return str_starts(line, STR(" ")) && str_find(line, STR("(flat, cum)")) == line.size;
}

static double disasm_most(pprofc_str text) {
  double most = 0;
  pprofc_str line;
  while (str_next_line(&text, &line))
    if (disasm_is_instruction(line)) most = fmax(most, fabs(disasm_cum(line)));
  return most;
}

static void disasm_function(struct disasm_page *d, const struct disasm_block *block, bool open) {
  struct fill *fill = &d->page->fill;
  pprofc_str rest = block->text, line, name;
  if (!str_next_line(&rest, &line)) return;
  name = str_slice(line, sizeof disasm_routine - 1, line.size);
  fill_pack(fill, "functions:{open:b data-name:S", open, name);
  page_name_link(d->page, "peek", name, STR("Callers and callees"));
  rest = block->text;
  while (str_next_line(&rest, &line)) {
    if (!line.size) continue;
    fill_pack(fill, "lines:{heat:s text:S}",
              disasm_is_instruction(line) ? html_heat(disasm_cum(line), d->most) : "h0", line);
  }
  fill_end(fill);
}

static void disasm_print(struct disasm_page *d, struct buffer *out) {
  size_t shown = d->count < DISASM_FUNCTIONS ? d->count : DISASM_FUNCTIONS;
  for (size_t i = 0; i < shown; i++) d->most = fmax(d->most, disasm_most(d->blocks[i].text));
  for (size_t i = 0; i < shown; i++) disasm_function(d, &d->blocks[i], i < 10);
  page_cut(d->page, shown, d->count);
  page_put(d->page, out, "disasm");
}

static pprofc_status disasm_make(struct disasm_page *d, struct buffer *out, pprofc_error *error) {
  static const struct pipeline_overrides overrides = {.granularity = "addresses", .no_trim = true};
  struct view_page *page = d->page;
  pprofc_status status = view_report_open(&d->v, page, page->in->profile, &overrides, error);
  if (!status) page_note_report(page, &d->v);
  view_report_close(&d->v);
  if (status) return status;
  struct buffer text = buffer_make(page->mem, (size_t)256 << 20);
  page->options.format = d->v.options.format = "disasm";
  page->options.argument = d->v.options.argument = page->argument.data;
  status = pprofc_report(page->in->profile, &d->v.options, buffer_write, &text, error);
  if (!status && (text.failed || !disasm_split(d, buffer_str(&text)))) status = error_nomem(error);
  if (!status) disasm_print(d, out);
  buffer_free(&text);
  return status;
}

pprofc_status view_disasm(struct view_page *page, struct buffer *out, pprofc_error *error) {
  struct disasm_page d = {.page = page};
  if (!page->argument.size) return page_function_list(page, out, error);
  pprofc_status status = disasm_make(&d, out, error);
  ARRAY_FREE(page->mem, d.blocks, d.capacity);
  return status;
}
