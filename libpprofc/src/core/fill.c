/* Keeps the values of a template in one buffer of text and an array of entries that point into the
 * buffer. */
#include "core/fill.h"

#include "core/array.h"

static size_t fill_add_entry(struct fill *fill, const char *name, enum fill_kind kind) {
  if (fill->count && fill->entries[fill->count - 1].kind != FILL_ROW)
    fill->entries[fill->count - 1].end = fill->text.size;
  if (!ARRAY_RESERVE(fill->mem, fill->entries, fill->capacity, fill->count + 1)) {
    fill->failed = true;
    return 0;
  }
  fill->entries[fill->count] =
      (struct fill_entry){.name = name, .kind = kind, .start = fill->text.size};
  return fill->count++;
}

/* Adds a value or a list to the innermost open row. */
static void fill_link(struct fill *fill, size_t entry) {
  struct fill_entry *row = &fill->entries[fill->rows[fill->depth - 1]];
  fill->entries[entry].next = row->first;
  row->first = entry;
}

static struct buffer *fill_value(struct fill *fill, const char *name, enum fill_kind kind) {
  size_t entry = fill_add_entry(fill, name, kind);
  if (entry) fill_link(fill, entry);
  return &fill->text;
}

void fill_init(struct fill *fill, const pprofc_allocator *mem) {
  *fill = (struct fill){.mem = mem, .depth = 1};
  buffer_init(&fill->text, mem, SIZE_MAX / 2);
  fill_add_entry(fill, "", FILL_ROW);
}

void fill_free(struct fill *fill) {
  ARRAY_FREE(fill->mem, fill->entries, fill->capacity);
  buffer_free(&fill->text);
}

struct buffer *fill_text(struct fill *fill, const char *name) {
  return fill_value(fill, name, FILL_TEXT);
}

struct buffer *fill_html(struct fill *fill, const char *name) {
  return fill_value(fill, name, FILL_HTML);
}

void fill_str(struct fill *fill, const char *name, pprofc_str text) {
  buffer_add_str(fill_text(fill, name), text);
}

void fill_words(struct fill *fill, const char *name, const char *text) {
  fill_str(fill, name, str_of(text));
}

void fill_number(struct fill *fill, const char *name, int64_t number) {
  buffer_printf(fill_text(fill, name), "%lld", (long long)number);
}

size_t fill_find(const struct fill *fill, size_t row, pprofc_str name) {
  size_t entry = fill->entries[row].first;
  while (entry && !str_equal(str_of(fill->entries[entry].name), name))
    entry = fill->entries[entry].next;
  return entry;
}

void fill_begin(struct fill *fill, const char *list) {
  size_t row = fill_add_entry(fill, list, FILL_ROW), first = 0;
  if (!row || fill->depth == FILL_DEPTH) {
    fill->failed = true;
    return;
  }
  first = fill_find(fill, fill->rows[fill->depth - 1], str_of(list));
  if (first && fill->entries[first].kind == FILL_ROW) {
    fill->entries[fill->entries[first].last].after = row;
    fill->entries[first].last = row;
  } else {
    fill_link(fill, row);
    fill->entries[row].last = row;
  }
  fill->rows[fill->depth++] = row;
}

void fill_end(struct fill *fill) {
  if (fill->depth > 1) fill->depth--;
}

void fill_flag(struct fill *fill, const char *name, bool on) {
  if (!on) return;
  fill_begin(fill, name);
  fill_end(fill);
}

pprofc_str fill_get(const struct fill *fill, size_t entry) {
  const struct fill_entry *e = &fill->entries[entry];
  if (e->kind == FILL_ROW) return STR("");
  return str_slice(buffer_str(&fill->text), e->start,
                   entry + 1 == fill->count ? fill->text.size : e->end);
}
