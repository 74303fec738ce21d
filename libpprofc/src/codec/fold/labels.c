/* Stores the labels of samples that are added up.
 *
 * If a report shows or filters labels, only samples with equal labels are added up. Other reports
 * drop labels, but need the units of number labels. So the first sample with a new list of keys and
 * units gets an entry of its own with this list. */
#include "codec/fold/fold.h"

static struct label *fold_all_labels(const struct fold *f) {
  return f->label.items;
}

static void fold_note_string(struct fold *f, uint64_t index) {
  if (index > f->largest_string) f->largest_string = index;
}

static bool fold_read_label(const struct wire_field *message, uint64_t *value) {
  struct wire w = wire_inside(message);
  struct wire_field field;
  while (w.at < w.end) {
    if (!wire_next(&w, &field)) return false;
    if (field.number > LABEL_FIELDS || !field.number) continue;
    if (field.type != WIRE_VARINT) return false;
    value[field.number] = field.value;
  }
  return true;
}

/* True if the sample, which has only this label, has the same label set as the last stored set.
 * `value` has the key and unit of the label. Compares only key and unit, because the function is
 * for reports that drop the numbers of labels. In a heap profile, this check nearly always
 * succeeds, because all samples have the same key and unit. */
static bool fold_repeats_set(const struct fold *f, const uint64_t *value) {
  if (f->labels || !f->label_table.count || value[LABEL_STRING] || !value[LABEL_NUMBER] ||
      !f->limits->labels)
    return false;
  const struct label_set *set = &f->label_table.sets[f->label_table.last];
  const struct label *known = fold_all_labels(f) + set->first;
  return set->count == 1 && known->is_number && known->key == value[LABEL_KEY] &&
         known->unit == value[LABEL_UNIT];
}

bool fold_label(struct fold *f, const struct wire_field *message, bool is_only) {
  uint64_t value[LABEL_FIELDS + 1] = {0};
  if (!fold_read_label(message, value)) return false;
  if (is_only && fold_repeats_set(f, value)) {
    f->lost_labels = true;
    return true;
  }
  bool text = value[LABEL_STRING] != 0;
  fold_note_string(f, value[LABEL_KEY]);
  fold_note_string(f, text ? value[LABEL_STRING] : value[LABEL_UNIT]);
  if (f->largest_string > UINT32_MAX) return false;
  if (!text && !value[LABEL_NUMBER] && !value[LABEL_UNIT]) return true;
  if (!fold_column_reserve(&f->label, f->mem, f->label_count, sizeof(struct label))) return false;
  struct label label = {.key = (uint32_t)value[LABEL_KEY],
                        .string = (uint32_t)value[LABEL_STRING],
                        .is_number = !text};
  if (!text) label.unit = (uint32_t)value[LABEL_UNIT];
  if (!text) label.number = (int64_t)value[LABEL_NUMBER];
  fold_all_labels(f)[f->label_count++] = label;
  return true;
}

/* Reduces the last `count` labels to the keys and units of number labels. Returns their number. */
static size_t fold_reduce(struct fold *f, size_t count) {
  struct label *labels = fold_all_labels(f) + f->label_count - count;
  size_t kept = 0;
  f->lost_labels = true;
  for (size_t i = 0; i < count; i++) {
    f->lost_text |= !labels[i].is_number;
    if (!labels[i].is_number) continue;
    labels[kept] = labels[i];
    labels[kept++].number = 0;
  }
  f->label_count -= count - kept;
  return kept;
}

/* Stores the last `count` labels as a label set, unless the same set is already stored. Returns the
 * index of the set, or MAP_NONE when out of memory. */
static uint32_t fold_store_set(struct fold *f, size_t count) {
  size_t first = f->label_count - count, known = f->label_table.count;
  if (!fold_column_reserve(&f->sets, f->mem, known + 1, sizeof(struct label_set))) return MAP_NONE;
  f->label_table.labels = fold_all_labels(f);
  f->label_table.sets = (struct label_set *)f->sets.items + 1; /* label set 0 is the empty set */
  uint32_t found = label_table_add(&f->label_table, first, count);
  if (f->label_table.count == known) f->label_count = first;
  return found;
}

/* True if the report needs the labels of the sample, and not only their keys and units. */
static bool fold_needs_labels(const struct fold *f, const struct fold_parts *p) {
  return f->labels && (f->only == SIZE_MAX || p->row[f->only]);
}

bool fold_labels_end(struct fold *f, struct fold_parts *p) {
  size_t count = p->labels, known = f->label_table.count;
  if (count > f->limits->labels) return false;
  bool none = f->compared && values_are_zero(p->row, f->types);
  bool all = fold_needs_labels(f, p);
  if (!none && !all) count = fold_reduce(f, count);
  if (none || !count) {
    f->label_count -= count;
    return true;
  }
  uint32_t found = fold_store_set(f, count);
  if (all || f->label_table.count > known) p->set = found + 1;
  return found != MAP_NONE;
}
