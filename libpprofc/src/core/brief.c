/* Shortens a report to a number of bytes. Keeps the most important rows, and counts the others. */
#include "core/brief.h"
#include "core/base.h"

/* Maximum size in bytes of a command in the note about omitted rows. */
#define COMMAND_MAX 120

/* Size in bytes of the text that the brief keeps at least before it drops rows. */
#define TEXT_ROOM ((size_t)1 << 16)

void brief_init(struct brief *b, const pprofc_allocator *mem, enum brief_kind kind, size_t most,
                const char *more) {
  *b = (struct brief){.mem = mem, .kind = kind, .most = most, .more = more, .floor.rank = INT_MIN};
  buffer_init(&b->text, mem, SIZE_MAX);
  buffer_init(&b->note, mem, SIZE_MAX);
  b->open.rank = kind == BRIEF_LINES ? 0 : BRIEF_FIXED;
  b->note_at = SIZE_MAX;
}

void brief_free(struct brief *b) {
  ARRAY_FREE(b->mem, b->pieces, b->capacity);
  ARRAY_FREE(b->mem, b->order, b->order_capacity);
  buffer_free(&b->text);
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

/* ---- dropping --------------------------------------- */

static void brief_leave_row(struct brief *b, const struct brief_piece *row) {
  b->left.rows++;
  b->left.of_rank[row->rank < 2 ? (size_t)(row->rank > 0) : 2]++;
  b->left.amount += row->amount;
}

/* Compares the importance of two pieces. */
static int brief_compare(const struct brief_piece *x, const struct brief_piece *y) {
  double v = fabs(x->weight), w = fabs(y->weight);
  if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
  return (v > w) - (v < w);
}

/* Compares pieces by the order in which they are dropped: the least important row first, then the
 * lines outside of rows in the order of the report. */
static int brief_by_importance(const void *a, const void *b) {
  const struct brief_piece *x = *(struct brief_piece *const *)a,
                           *y = *(struct brief_piece *const *)b;
  int order = brief_compare(x, y);
  if (order) return order;
  return (x < y) == (x->rank == BRIEF_FIXED) ? -1 : 1;
}

static bool brief_sort(struct brief *b) {
  if (!ARRAY_RESERVE(b->mem, b->order, b->order_capacity, b->count)) return false;
  b->row_count = b->next_row = 0;
  for (size_t i = 0; i < b->count; i++) {
    b->order[i] = &b->pieces[i];
    b->row_count += b->pieces[i].rank != BRIEF_FIXED;
  }
  if (b->count) qsort(b->order, b->count, sizeof *b->order, brief_by_importance);
  b->next_line = b->row_count + 1;
  return true;
}

/* Drops the least important row that is left. */
static void brief_drop_row(struct brief *b) {
  struct brief_piece *row = b->order[b->next_row++];
  brief_leave_row(b, row);
  b->row_bytes -= row->size;
  b->floor = *row;
  row->size = 0;
}

/* Drops the first remaining line after the title. The last lines, such as column titles, stay
 * longest, because the rows are unclear without them. */
static bool brief_drop_line(struct brief *b) {
  if (b->kind == BRIEF_JSON || b->next_line >= b->count) return false;
  struct brief_piece *line = b->order[b->next_line++];
  b->fixed_bytes -= line->size;
  line->size = 0;
  b->left.lines++;
  return true;
}

/* Drops the rows that do not fit into the report, and lines outside of rows that fill more than
 * half of it. Sets b->text.failed when out of memory. */
static void brief_trim(struct brief *b) {
  b->text.failed |= !brief_sort(b);
  if (b->text.failed) return;
  while (b->row_bytes > b->most) brief_drop_row(b);
  while (b->fixed_bytes > b->most / 2 && brief_drop_line(b)) continue;
}

/* Trims the report, and moves the remaining texts together. */
static void brief_compact(struct brief *b) {
  size_t count = b->count, note_at = b->note_at;
  brief_trim(b);
  if (b->text.failed) return;
  b->count = b->text.size = 0;
  for (size_t i = 0; i < count; i++) {
    struct brief_piece piece = b->pieces[i];
    if (i == note_at) b->note_at = b->count;
    if (!piece.size) continue;
    memmove(b->text.data + b->text.size, b->text.data + piece.at, piece.size);
    piece.at = b->text.size;
    b->text.size += piece.size;
    b->pieces[b->count++] = piece;
  }
  if (note_at == count) b->note_at = b->count;
}

/* ---- writing ----------------------------------------- */

/* Shortens the row or line that is being written, if it is longer than a quarter of the report's
 * maximum size. */
static void brief_shorten_open(struct brief *b, pprofc_str text) {
  size_t most = b->most / 4;
  if (b->kind == BRIEF_JSON || text.size <= most) return;
  bool newline = text.data[text.size - 1] == '\n';
  struct buffer ends = buffer_make(b->mem, SIZE_MAX);
  brief_add_ends(&ends, str_slice(text, 0, text.size - newline), most - 1);
  if (newline) buffer_add_char(&ends, '\n');
  b->text.size = b->open.at;
  buffer_add_str(&b->text, buffer_str(&ends));
  b->text.failed |= ends.failed;
  buffer_free(&ends);
}

/* Completes the row or line that is being written. Omits one of the first `skip` rows, and a row
 * that is less important than an omitted row. */
static void brief_close(struct brief *b) {
  pprofc_str text = str_slice(buffer_str(&b->text), b->open.at, b->text.size);
  if (!text.size) return;
  if (b->kind == BRIEF_LINES && b->rank_of) b->open.rank = b->rank_of(text);
  if (b->open.rank != BRIEF_FIXED &&
      (b->seen++ < b->skip || brief_compare(&b->open, &b->floor) <= 0)) {
    brief_leave_row(b, &b->open);
    b->text.size = b->open.at;
    return;
  }
  brief_shorten_open(b, text);
  b->open.size = b->text.size - b->open.at;
  *(b->open.rank == BRIEF_FIXED ? &b->fixed_bytes : &b->row_bytes) += b->open.size;
  b->text.failed |= !ARRAY_PUSH(b->mem, b->pieces, b->count, b->capacity, b->open);
  if (b->text.size / 4 > b->most + TEXT_ROOM) brief_compact(b);
  b->open.at = b->text.size;
}

/* True if the brief must split the report into lines that it can drop separately. */
static bool brief_splits(const struct brief *b) {
  return b->kind == BRIEF_LINES || (b->kind == BRIEF_ROWS && b->open.rank == BRIEF_FIXED);
}

int brief_write(void *brief, const void *data, size_t size) {
  struct brief *b = brief;
  pprofc_str text = {data, size};
  while (text.size) {
    size_t line = brief_splits(b) ? str_find_char(text, '\n') : text.size;
    bool whole = line < text.size;
    buffer_add(&b->text, text.data, line + whole);
    text = str_from(text, line + whole);
    if (whole) brief_close(b);
  }
  return b->text.failed ? -1 : 0;
}

bool brief_mark(struct brief *b, int rank, double weight, long double amount) {
  if (b->kind == BRIEF_LINES) return true;
  brief_close(b);
  b->open =
      (struct brief_piece){.rank = rank, .weight = weight, .amount = amount, .at = b->text.size};
  return !b->text.failed;
}

void brief_note_here(struct brief *b) {
  b->note_at = b->count;
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

static pprofc_str brief_text(const struct brief *b, const struct brief_piece *piece) {
  return str_slice(buffer_str(&b->text), piece->at, piece->at + piece->size);
}

/* Replaces the text of a line outside of rows. */
static void brief_replace(struct brief *b, struct brief_piece *line, pprofc_str text) {
  b->fixed_bytes = b->fixed_bytes - line->size + text.size;
  line->at = b->text.size;
  line->size = text.size;
  buffer_add_str(&b->text, text);
}

/* Corrects the lines that state how many rows there are, because rows were omitted. */
static void brief_recount(struct brief *b, brief_recount_fn recount, const void *context) {
  struct buffer text = buffer_make(b->mem, SIZE_MAX);
  for (size_t i = b->row_count; recount && b->left.rows && i < b->count; i++) {
    struct brief_piece *line = b->order[i];
    buffer_clear(&text);
    if (line->size && recount(context, &b->left, brief_text(b, line), &text))
      brief_replace(b, line, buffer_str(&text));
  }
  b->text.failed |= text.failed;
  buffer_free(&text);
}

void brief_settle(struct brief *b, brief_describe_fn describe, brief_recount_fn recount,
                  const void *context) {
  brief_close(b);
  b->settled = true;
  brief_trim(b);
  while (!b->text.failed) {
    brief_put_note(b, describe, context);
    brief_recount(b, recount, context);
    if (b->row_bytes + b->fixed_bytes + b->note.size <= b->most) break;
    if (b->next_row < b->row_count)
      brief_drop_row(b);
    else if (!brief_drop_line(b))
      break;
  }
}

/* Writes the kept rows and lines. If a JSON array has lost its first row, removes the comma before
 * the next row. */
static void brief_merge(const struct brief *b, struct buffer *to) {
  size_t note_at = b->note_at < b->count ? b->note_at : b->count;
  for (size_t i = 0; i < b->count; i++) {
    if (i == note_at) buffer_add_str(to, buffer_str(&b->note));
    bool is_first = b->kind == BRIEF_JSON && to->size && to->data[to->size - 1] == '[';
    pprofc_str text = brief_text(b, &b->pieces[i]);
    if (is_first) str_take(&text, STR(","));
    buffer_add_str(to, text);
  }
  if (note_at == b->count) buffer_add_str(to, buffer_str(&b->note));
}

pprofc_status brief_finish(struct brief *b, pprofc_write_fn write, void *context,
                           pprofc_error *error) {
  if (!b->settled) brief_settle(b, NULL, NULL, NULL);
  if (b->text.failed || b->note.failed) return error_nomem(error);
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
