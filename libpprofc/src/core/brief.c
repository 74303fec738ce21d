/* Shortens a report to a number of bytes. Keeps the most important rows, and counts the others. */
#include "core/brief.h"
#include "core/base.h"

/* Maximum size in bytes of a command in the note about omitted rows. */
#define COMMAND_MAX 120

void brief_init(struct brief *b, const pprofc_allocator *mem, enum brief_kind kind, size_t most,
                const char *more) {
  *b = (struct brief){.mem = mem, .kind = kind, .most = most, .more = more, .victim = 1};
  buffer_init(&b->open, mem, SIZE_MAX);
  buffer_init(&b->note, mem, SIZE_MAX);
  b->open_piece.rank = kind == BRIEF_LINES ? 0 : BRIEF_FIXED;
  b->note_at = SIZE_MAX;
}

static void brief_free_list(struct brief *b, struct brief_list *list) {
  for (size_t i = 0; i < list->count; i++)
    mem_free(b->mem, list->items[i].text, list->items[i].size, 1);
  ARRAY_FREE(b->mem, list->items, list->capacity);
}

void brief_free(struct brief *b) {
  brief_free_list(b, &b->rows);
  brief_free_list(b, &b->fixed);
  buffer_free(&b->open);
  buffer_free(&b->note);
}

/* ---- names that are too long ------------------------- */

/* Hashes the name with FNV-1a, because a name needs the same handle in all processes. The results
 * of hash_bytes differ between processes. */
void brief_handle(pprofc_str name, char out[BRIEF_HANDLE]) {
  uint64_t hash = 0xCBF29CE484222325u;
  for (size_t i = 0; i < name.size; i++) {
    hash ^= (unsigned char)name.data[i];
    hash *= 0x100000001B3u;
  }
  snprintf(out, BRIEF_HANDLE, "f:%016llx", (unsigned long long)hash);
}

static bool is_inside_character(pprofc_str text, size_t at) {
  return at < text.size && ((unsigned char)text.data[at] & 0xC0) == 0x80;
}

/* Appends the beginning and the end of a text with "..." between them. The result has at most
 * `most` bytes. */
static void brief_add_ends(struct buffer *out, pprofc_str text, size_t most) {
  size_t room = most > 3 ? most - 3 : 0, head = room - room / 2, tail = text.size - room / 2;
  while (head && is_inside_character(text, head)) head--;
  while (is_inside_character(text, tail)) tail++;
  buffer_add(out, text.data, head);
  buffer_add_text(out, "...");
  buffer_add(out, text.data + tail, text.size - tail);
}

size_t brief_name_most(const struct brief *b) {
  return b->most / 8 > 48 ? b->most / 8 : 48;
}

void brief_shorten(struct buffer *out, pprofc_str text, size_t most) {
  char handle[BRIEF_HANDLE];
  if (text.size <= most) {
    buffer_add_str(out, text);
    return;
  }
  brief_add_ends(out, text, most > BRIEF_HANDLE ? most - BRIEF_HANDLE : 0);
  brief_handle(text, handle);
  buffer_printf(out, " %s", handle);
}

/* ---- names of functions ------------------------------ */

/* The brackets that are open at some position in the name of a function. */
struct brief_arguments {
  uint64_t round; /* one bit for each open bracket: 1 for '(', 0 for '<'; bit 0 is the innermost */
  size_t depth;
};

/* Updates the open brackets with `c`, the next character of the name. Inside round brackets, '>' is
 * an operator. */
static void brief_arguments_pass(struct brief_arguments *a, char c) {
  if (c == '<' || c == '(') {
    a->round = a->round << 1 | (c == '(');
    a->depth++;
  }
  bool closes = c == ')' || (c == '>' && !(a->round & 1));
  bool found = !closes;
  while (!found && a->depth) {
    found = c == '>' || a->round & 1;
    a->round >>= 1;
    a->depth--;
  }
}

/* Returns the offset after the arguments whose bracket, '<' or '(', is at `open`. Returns `open` if
 * the bracket is never closed, or is part of an operator or of "(anonymous namespace)". */
static size_t brief_arguments_end(pprofc_str name, size_t open) {
  pprofc_str before = str_slice(name, 0, open);
  struct brief_arguments brackets = {0, 0};
  if (!open || str_ends(before, STR("::")) || str_ends(before, STR("."))) return open;
  if (str_ends(before, STR("operator")) || str_ends(before, STR("operator<"))) return open;
  for (size_t i = open; i < name.size; i++) {
    if (name.data[i] != '>' || name.data[i - 1] != '-')
      brief_arguments_pass(&brackets, name.data[i]);
    if (!brackets.depth) return i + 1;
  }
  return open;
}

/* Appends a name with "..." in place of template arguments and parameters. */
static void brief_add_outline(struct buffer *out, pprofc_str name) {
  for (size_t i = 0; i < name.size; i++) {
    char c = name.data[i];
    size_t end = c == '<' || c == '(' ? brief_arguments_end(name, i) : i;
    buffer_add_char(out, c);
    if (end <= i + 2) continue;
    buffer_add_text(out, "...");
    i = end - 2; /* The next pass of the loop appends the closing bracket. */
  }
}

void brief_function(struct buffer *out, pprofc_str name, size_t most) {
  if (name.size <= most) {
    buffer_add_str(out, name);
    return;
  }
  struct buffer outline = buffer_make(out->mem, SIZE_MAX / 2);
  brief_add_outline(&outline, name);
  if (outline.size <= most)
    buffer_add_str(out, buffer_str(&outline));
  else
    brief_add_ends(out, buffer_str(&outline), most);
  out->failed |= outline.failed;
  buffer_free(&outline);
}

/* ---- rows: a heap ------------------------------------ */

static bool is_less_important(const struct brief_piece *a, const struct brief_piece *b) {
  double x = fabs(a->weight), y = fabs(b->weight);
  if (a->rank != b->rank) return a->rank < b->rank;
  return x != y ? x < y : a->index > b->index;
}

static bool brief_swap_if(struct brief_list *heap, size_t parent, size_t child) {
  if (!is_less_important(&heap->items[child], &heap->items[parent])) return false;
  struct brief_piece kept = heap->items[parent];
  heap->items[parent] = heap->items[child];
  heap->items[child] = kept;
  return true;
}

static void brief_sink(struct brief_list *heap) {
  for (size_t at = 0, child; (child = 2 * at + 1) < heap->count; at = child) {
    if (child + 1 < heap->count && is_less_important(&heap->items[child + 1], &heap->items[child]))
      child++;
    if (!brief_swap_if(heap, at, child)) return;
  }
}

static bool brief_push(struct brief *b, struct brief_list *list, struct brief_piece piece,
                       pprofc_str text) {
  piece.text = mem_array(b->mem, text.size, 1);
  piece.size = text.size;
  if (!piece.text || !ARRAY_RESERVE(b->mem, list->items, list->capacity, list->count + 1)) {
    mem_free(b->mem, piece.text, text.size, 1);
    return false;
  }
  memcpy(piece.text, text.data, text.size);
  list->items[list->count++] = piece;
  list->bytes += text.size;
  return true;
}

static void brief_leave_row(struct brief *b, const struct brief_piece *row) {
  b->left.rows++;
  b->left.of_rank[row->rank < 2 ? (size_t)(row->rank > 0) : 2]++;
  b->left.amount += row->amount;
}

/* Drops the least important row, and counts it as omitted. */
static void brief_pop(struct brief *b) {
  struct brief_piece row = b->rows.items[0];
  brief_leave_row(b, &row);
  if (!b->has_floor || is_less_important(&b->floor, &row)) b->floor = row;
  b->has_floor = true;
  b->rows.bytes -= row.size;
  mem_free(b->mem, row.text, row.size, 1);
  b->rows.items[0] = b->rows.items[--b->rows.count];
  brief_sink(&b->rows);
}

/* Keeps a row, unless it is one of the first `skip` rows or a more important row was already
 * omitted. */
static bool brief_add_row(struct brief *b, const struct brief_piece *row, pprofc_str text) {
  if (b->seen++ < b->skip || (b->has_floor && is_less_important(row, &b->floor))) {
    brief_leave_row(b, row);
    return true;
  }
  if (!brief_push(b, &b->rows, *row, text)) return false;
  for (size_t at = b->rows.count - 1; at && brief_swap_if(&b->rows, (at - 1) / 2, at);)
    at = (at - 1) / 2;
  while (b->rows.bytes > b->most) brief_pop(b);
  return true;
}

/* ---- lines outside of rows --------------------------- */

/* Drops the first remaining line after the title. The last lines, such as column titles, stay
 * longest, because the rows are unclear without them. */
static bool brief_leave_line(struct brief *b) {
  if (b->victim >= b->fixed.count) return false;
  struct brief_piece *line = &b->fixed.items[b->victim++];
  b->fixed.bytes -= line->size;
  mem_free(b->mem, line->text, line->size, 1);
  line->text = NULL;
  line->size = 0;
  b->left.lines++;
  return true;
}

static bool brief_add_fixed(struct brief *b, const struct brief_piece *piece, pprofc_str text) {
  if (!brief_push(b, &b->fixed, *piece, text)) return false;
  while (b->kind != BRIEF_JSON && b->fixed.bytes > b->most / 2 && brief_leave_line(b)) continue;
  return true;
}

/* ---- writing ----------------------------------------- */

/* Returns the line, shortened if it is longer than a quarter of the report's maximum size. */
static pprofc_str brief_line(struct brief *b, pprofc_str text, struct buffer *scratch) {
  size_t most = b->most / 4;
  if (b->kind == BRIEF_JSON || text.size <= most) return text;
  bool newline = text.data[text.size - 1] == '\n';
  brief_add_ends(scratch, str_slice(text, 0, text.size - newline), most - 1);
  if (newline) buffer_add_char(scratch, '\n');
  return buffer_str(scratch);
}

/* Adds the completed row to `rows`, or the completed line outside of rows to `fixed`. */
static bool brief_close(struct brief *b, pprofc_str text) {
  struct brief_piece piece = b->open_piece;
  if (!text.size) return true;
  piece.index = b->next++;
  struct buffer scratch = buffer_make(b->mem, SIZE_MAX);
  text = brief_line(b, text, &scratch);
  bool kept = !scratch.failed && (piece.rank == BRIEF_FIXED ? brief_add_fixed(b, &piece, text)
                                                            : brief_add_row(b, &piece, text));
  buffer_free(&scratch);
  return kept;
}

static bool brief_flush(struct brief *b) {
  if (b->kind == BRIEF_LINES && b->rank_of) b->open_piece.rank = b->rank_of(buffer_str(&b->open));
  bool kept = brief_close(b, buffer_str(&b->open));
  buffer_clear(&b->open);
  return kept && !b->open.failed;
}

/* True if the brief must split the report into lines that it can drop separately. */
static bool brief_splits(const struct brief *b) {
  return b->kind == BRIEF_LINES || (b->kind == BRIEF_ROWS && b->open_piece.rank == BRIEF_FIXED);
}

int brief_write(void *brief, const void *data, size_t size) {
  struct brief *b = brief;
  pprofc_str text = {data, size};
  while (text.size) {
    size_t line = brief_splits(b) ? str_find_char(text, '\n') : text.size;
    bool whole = line < text.size;
    buffer_add(&b->open, text.data, line + whole);
    text = str_slice(text, line + whole, text.size);
    if (whole && !brief_flush(b)) return -1;
  }
  return b->open.failed ? -1 : 0;
}

bool brief_mark(struct brief *b, int rank, double weight, long double amount) {
  if (b->kind == BRIEF_LINES) return true;
  bool kept = brief_flush(b);
  b->open_piece = (struct brief_piece){.rank = rank, .weight = weight, .amount = amount};
  return kept;
}

void brief_note_here(struct brief *b) {
  b->note_at = b->next;
}

/* ---- the end ----------------------------------------- */

static void brief_put_more(const struct brief *b, struct buffer *to) {
  if (b->more && *b->more && strlen(b->more) <= COMMAND_MAX && strlen(b->more) <= b->most / 3)
    buffer_add_text(to, b->more);
  else
    buffer_printf(to, "-budget=%zu", 4 * b->most);
}

static void brief_put_words(const struct brief *b, brief_describe_fn describe, const void *context,
                            struct buffer *to) {
  const struct brief_left *left = &b->left;
  if (left->rows) buffer_printf(to, left->rows == 1 ? "%zu row" : "%zu rows", left->rows);
  if (left->rows && describe) describe(context, left, to);
  if (left->rows && left->lines) buffer_add_text(to, " and ");
  if (left->lines)
    buffer_printf(to, left->lines == 1 ? "%zu header line" : "%zu header lines", left->lines);
}

/* Writes the note about omitted rows as a member of a JSON object. */
static void brief_put_member(const struct brief *b, brief_describe_fn describe, const void *context,
                             struct buffer *to) {
  struct buffer words = buffer_make(b->mem, SIZE_MAX);
  buffer_printf(to, ",\"left_out\":{\"rows\":%zu,\"text\":\"", b->left.rows);
  brief_put_words(b, describe, context, &words);
  escape_json(to, buffer_str(&words));
  buffer_add_text(to, "\",\"more\":\"");
  buffer_clear(&words);
  brief_put_more(b, &words);
  escape_json(to, buffer_str(&words));
  buffer_add_text(to, "\"}");
  to->failed |= words.failed;
  buffer_free(&words);
}

static void brief_put_note(struct brief *b, brief_describe_fn describe, const void *context) {
  buffer_clear(&b->note);
  if (!b->left.rows && !b->left.lines) return;
  if (b->kind == BRIEF_JSON) {
    brief_put_member(b, describe, context, &b->note);
    return;
  }
  if (b->markdown) buffer_add_char(&b->note, '\n');
  buffer_add_text(&b->note, "left out: ");
  brief_put_words(b, describe, context, &b->note);
  buffer_add_text(&b->note, "; ");
  brief_put_more(b, &b->note);
  buffer_add_text(&b->note, " shows more\n");
}

/* Replaces the text of a line outside of rows. */
static void brief_replace(struct brief *b, struct brief_piece *line, pprofc_str text) {
  char *copy = mem_array(b->mem, text.size, 1);
  if (!copy) {
    b->open.failed = true;
    return;
  }
  memcpy(copy, text.data, text.size);
  mem_free(b->mem, line->text, line->size, 1);
  b->fixed.bytes = b->fixed.bytes - line->size + text.size;
  line->text = copy;
  line->size = text.size;
}

/* Corrects the lines that state how many rows there are, because rows were omitted. */
static void brief_recount(struct brief *b, brief_recount_fn recount, const void *context) {
  struct buffer text = buffer_make(b->mem, SIZE_MAX);
  for (size_t i = 0; recount && b->left.rows && i < b->fixed.count; i++) {
    struct brief_piece *line = &b->fixed.items[i];
    buffer_clear(&text);
    if (line->size && recount(context, &b->left, (pprofc_str){line->text, line->size}, &text))
      brief_replace(b, line, buffer_str(&text));
  }
  b->open.failed |= text.failed;
  buffer_free(&text);
}

void brief_settle(struct brief *b, brief_describe_fn describe, brief_recount_fn recount,
                  const void *context) {
  b->open.failed |= !brief_flush(b);
  for (;;) {
    brief_put_note(b, describe, context);
    brief_recount(b, recount, context);
    if (b->rows.bytes + b->fixed.bytes + b->note.size <= b->most) break;
    if (b->rows.count)
      brief_pop(b);
    else if (b->kind == BRIEF_JSON || !brief_leave_line(b))
      break;
  }
  b->settled = true;
}

static int brief_by_index(const void *a, const void *b) {
  const struct brief_piece *x = a, *y = b;
  return (x->index > y->index) - (x->index < y->index);
}

/* Copies the kept rows, and the lines outside of rows, to `all`, in the order of the report.
 * Returns false when out of memory. */
static bool brief_collect(const struct brief *b, struct brief_list *all) {
  const struct brief_list *lists[] = {&b->rows, &b->fixed};
  *all = (struct brief_list){.count = 0};
  if (!ARRAY_RESERVE(b->mem, all->items, all->capacity, b->rows.count + b->fixed.count))
    return false;
  for (size_t i = 0; i < 2; i++)
    for (size_t k = 0; k < lists[i]->count; k++) all->items[all->count++] = lists[i]->items[k];
  if (all->count) qsort(all->items, all->count, sizeof *all->items, brief_by_index);
  return true;
}

/* Writes the kept rows and lines. If a JSON array has lost its first row, removes the comma before
 * the next row. */
static void brief_merge(struct brief *b, struct buffer *to) {
  struct brief_list all;
  bool noted = false;
  to->failed |= !brief_collect(b, &all);
  for (size_t i = 0; i < all.count; i++) {
    const struct brief_piece *piece = &all.items[i];
    if (!noted && piece->index >= b->note_at) {
      buffer_add_str(to, buffer_str(&b->note));
      noted = true;
    }
    bool is_first = b->kind == BRIEF_JSON && to->size && to->data[to->size - 1] == '[';
    pprofc_str text = piece->size ? (pprofc_str){piece->text, piece->size} : STR("");
    if (is_first && str_starts(text, STR(","))) text = str_slice(text, 1, text.size);
    buffer_add_str(to, text);
  }
  if (!noted) buffer_add_str(to, buffer_str(&b->note));
  ARRAY_FREE(b->mem, all.items, all.capacity);
}

pprofc_status brief_finish(struct brief *b, pprofc_write_fn write, void *context,
                           pprofc_error *error) {
  if (!b->settled) brief_settle(b, NULL, NULL, NULL);
  if (b->open.failed || b->note.failed) return error_nomem(error);
  struct buffer whole = buffer_make(b->mem, SIZE_MAX);
  brief_merge(b, &whole);
  pprofc_status status = PPROFC_OK;
  if (whole.failed)
    status = error_nomem(error);
  else if (whole.size > b->most)
    status =
        error_set(error, PPROFC_E_LIMIT, "the report outside rows has %zu bytes; the budget is %zu",
                  whole.size, b->most);
  else if (write(context, whole.data, whole.size) != 0)
    status = error_set(error, PPROFC_E_IO, "cannot write the output");
  buffer_free(&whole);
  return status;
}
