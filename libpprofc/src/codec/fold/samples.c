/* Reads sample messages, and adds up the samples in batches. */
#include "codec/fold/fold.h"

/* ---- batches ----------------------------------------- */

/* Adds the samples of the batch to the entries (sums of samples). Entries are scattered in memory,
 * so the function first prefetches the data of all these entries. */
bool fold_flush(struct fold *f) {
  uint32_t entry[FOLD_BATCH];
  size_t count = f->batched;
  f->batched = 0;
  for (size_t i = 0; i < count; i++) entry[i] = fold_fetch_entry(f, f->batch[i].hash);
  for (size_t i = 0; i < count; i++)
    if (entry[i] != MAP_NONE) fold_fetch_stack(f, entry[i]);
  for (size_t i = 0; i < count; i++)
    if (!fold_add_entry(f, &f->batch[i])) return false;
  return true;
}

/* Drops the stack if the report needs no stacks. Sets *dropped if the caller must drop the whole
 * sample, because the sample has neither a needed value nor labels. */
static bool fold_drop(struct fold *f, struct fold_parts *p, bool *dropped) {
  *dropped = f->only != SIZE_MAX && !p->row[f->only] && !p->set;
  if (!*dropped && !f->no_stacks) return true;
  f->left_out = true;
  if (!fold_note_ids(f, p->stack, p->stack_size)) return false;
  p->stack_size = 0;
  return true;
}

/* Adds a parsed sample to the batch. */
static bool fold_put_later(struct fold *f, struct fold_parts *p) {
  bool dropped;
  p->negative = false;
  for (size_t t = 0; t < f->types; t++) p->negative |= p->row[t] < 0;
  if (p->negative && !f->labels) return false;
  if (!fold_drop(f, p, &dropped)) return false;
  if (dropped) return true;
  if (f->width < f->types) p->row[0] = p->row[f->only];
  p->hash = hash_bytes(p->stack, p->stack_size);
  fold_fetch_slot(f, p->hash);
  f->batched++;
  return (f->batched < FOLD_BATCH && p->pieces < 2) || fold_flush(f);
}

/* ---- one sample -------------------------------------- */

/* Adds a list of location ids to the stack of a sample. A stack with one list stays in the input. A
 * stack with several lists becomes one copied list. */
static bool fold_add_piece(struct fold *f, struct fold_parts *p, const uint8_t *data, size_t size) {
  if (!p->pieces++) {
    p->stack = data;
    p->stack_size = size;
    return true;
  }
  if (p->pieces == 2) {
    buffer_clear(&f->joined);
    buffer_add(&f->joined, p->stack, p->stack_size);
  }
  buffer_add(&f->joined, data, size);
  p->stack = (const uint8_t *)f->joined.data;
  p->stack_size = f->joined.size;
  return !f->joined.failed;
}

/* Adds the location ids of the field in [head, end) to the sample's stack. */
static bool fold_locations(struct fold *f, struct fold_parts *p, const struct wire_field *field,
                           const uint8_t *head, const uint8_t *end) {
  if (field->type == WIRE_BYTES)
    return wire_ends_whole(field) && fold_add_piece(f, p, field->data, field->size);
  uint64_t key;
  return field->type == WIRE_VARINT && varint_read(&head, end, &key) == VARINT_GOOD &&
         fold_add_piece(f, p, head, (size_t)(end - head));
}

static bool fold_add_values(struct fold_parts *p, const struct wire_field *field) {
  if (field->type == WIRE_VARINT) {
    if (p->values == FOLD_TYPES_MAX) return false;
    p->row[p->values++] = (int64_t)field->value;
    return true;
  }
  if (field->type != WIRE_BYTES) return false;
  struct wire w = wire_inside(field);
  for (uint64_t value; w.at < w.end; p->row[p->values++] = (int64_t)value)
    if (p->values == FOLD_TYPES_MAX || !wire_varint(&w, &value)) return false;
  return true;
}

static bool fold_field(struct fold *f, struct fold_parts *p, const struct wire_field *field,
                       const uint8_t *head, const struct wire *rest) {
  size_t before = f->label_count;
  switch (field->number) {
  case SAMPLE_LOCATION:
    return fold_locations(f, p, field, head, rest->at);
  case SAMPLE_VALUE:
    return fold_add_values(p, field);
  case SAMPLE_LABEL:
    if (field->type != WIRE_BYTES || !fold_label(f, field, !p->labels && rest->at == rest->end))
      return false;
    p->labels += f->label_count - before;
    return true;
  default:
    return true;
  }
}

/* Guesses the sample type that the option sample_index selects, because the file has the names of
 * the types after the samples. If the guess is wrong, the caller reads the whole file. Returns
 * SIZE_MAX if there is no guess. */
static size_t fold_guess_type(const char *wanted, size_t types) {
  static const char *const of_heaps[] = {"alloc_objects", "alloc_space", "inuse_objects",
                                         "inuse_space"};
  const size_t heap = COUNT(of_heaps);
  int64_t number;
  if (!*wanted) return types - 1;
  if (str_parse_int(str_of(wanted), 10, &number)) return number < 0 ? SIZE_MAX : (size_t)number;
  for (size_t i = 0; types == heap && i < heap; i++)
    if (strcmp(wanted, of_heaps[i]) == 0) return i;
  return SIZE_MAX;
}

/* Sets the number of sample types to the number of values of the first sample. */
static void fold_set_types(struct fold *f, size_t types) {
  f->types = types;
  if (f->wanted && types) f->only = fold_guess_type(f->wanted, types);
  if (f->only >= types) f->only = SIZE_MAX;
  f->width = f->only == SIZE_MAX || f->in_order ? types : 1;
}

bool fold_sample(struct fold *f, const uint8_t *data, size_t size) {
  static const uint8_t nothing;
  struct wire w = wire_over(data, size);
  struct wire_field field;
  struct fold_parts *p = &f->batch[f->batched];
  p->stack = &nothing;
  p->stack_size = p->pieces = p->values = p->labels = 0;
  p->set = 0;
  while (w.at < w.end) {
    const uint8_t *head = w.at;
    if (!wire_next(&w, &field) || !fold_field(f, p, &field, head, &w)) return false;
  }
  if (!f->types) fold_set_types(f, p->values);
  if (!p->values || p->values != f->types) return false;
  if (p->labels && !fold_labels_end(f, p)) return false;
  return fold_put_later(f, p);
}
