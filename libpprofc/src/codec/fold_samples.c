/* Samples that are added up while they are read: what is in their messages. */
#include "codec/fold.h"

#define CHECK_EVERY 8192u /* samples */
#define CHECK_UNTIL (8u * CHECK_EVERY)

/* ---- batches ----------------------------------------- */

/* An entry is anywhere in memory. So samples are added in batches, and what the entries of a batch
 * consist of is asked for before it is needed: first the slot of the table, then the columns, then
 * the stack. */
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

/* Whether enough samples were added to others lately: stacks that are all different are read
 * faster, and take less memory, as rows. Profiles repeat themselves more and more, so it is
 * asked only at the beginning. */
static bool fold_pays(struct fold *f) {
  f->samples++;
  if (f->samples % CHECK_EVERY || f->samples > CHECK_UNTIL) return true;
  if (f->always) return true;
  size_t added = f->count - f->checked_count;
  f->checked_count = f->count;
  f->in_vain = added > CHECK_EVERY / 16 * 15;
  return !f->in_vain;
}

/* Puts a sample that was read into the batch. */
static bool fold_put_later(struct fold *f, struct fold_parts *p) {
  p->negative = false;
  for (size_t t = 0; t < f->types; t++) p->negative |= p->row[t] < 0;
  if (p->negative && !f->labels) return false;
  if (f->only != SIZE_MAX) p->row[0] = p->row[f->only];
  if (f->only != SIZE_MAX && !p->row[0] && !p->set) {
    f->left_out = true;
    return fold_note_ids(f, p->stack, p->stack_size);
  }
  if (f->as_rows) return fold_add_row(f, p);
  p->hash = hash_bytes(p->stack, p->stack_size);
  fold_fetch_slot(f, p->hash);
  f->batched++;
  if ((f->batched == FOLD_BATCH || p->pieces > 1) && !fold_flush(f)) return false;
  return fold_pays(f);
}

/* ---- one sample -------------------------------------- */

/* One more run of location ids: the first is taken where it is, later ones make a copy of all. */
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

/* `head` is where the field begins. */
static bool fold_locations(struct fold *f, struct fold_parts *p, const struct wire_field *field,
                           const uint8_t *head, const uint8_t *end) {
  if (field->type == WIRE_BYTES) return fold_add_piece(f, p, field->data, field->size);
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
  struct wire w = {field->data, field->data + field->size, NULL};
  for (uint64_t value; w.at < w.end; p->row[p->values++] = (int64_t)value)
    if (p->values == FOLD_TYPES_MAX || !wire_varint(&w, &value)) return false;
  return true;
}

static bool fold_field(struct fold *f, struct fold_parts *p, const struct wire_field *field,
                       const uint8_t *head, const uint8_t *end) {
  size_t before = f->label_count;
  switch (field->number) {
  case SAMPLE_LOCATION:
    return fold_locations(f, p, field, head, end);
  case SAMPLE_VALUE:
    return fold_add_values(p, field);
  case SAMPLE_LABEL:
    if (field->type != WIRE_BYTES || !fold_label(f, field)) return false;
    p->labels += f->label_count - before;
    return true;
  default:
    return true;
  }
}

/* Takes the number of sample types from the first sample. */
static void fold_set_types(struct fold *f, size_t types) {
  f->types = types;
  if (f->one_type && f->only == SIZE_MAX && types) f->only = types - 1;
  if (f->only >= types) f->only = SIZE_MAX;
  f->width = f->only == SIZE_MAX ? types : 1;
}

bool fold_sample(struct fold *f, const uint8_t *data, size_t size) {
  static const uint8_t nothing;
  struct wire w = {data, data + size, NULL};
  struct wire_field field;
  struct fold_parts *p = &f->batch[f->batched];
  p->stack = &nothing;
  p->stack_size = p->pieces = p->values = p->labels = 0;
  p->set = 0;
  while (w.at < w.end) {
    const uint8_t *head = w.at;
    if (!wire_next(&w, &field) || !fold_field(f, p, &field, head, w.at)) return false;
  }
  if (!f->types) fold_set_types(f, p->values);
  if (!p->values || p->values != f->types) return false;
  if (p->labels && !fold_labels_end(f, p->labels, &p->set)) return false;
  return fold_put_later(f, p);
}
