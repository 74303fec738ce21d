/* Groups the labels of a sample by key. Sorts texts before they are printed. */
#include "report/sample_labels.h"

bool label_groups_init(struct label_groups *groups, const pprofc_profile *profile,
                       const pprofc_allocator *mem) {
  *groups = (struct label_groups){.profile = profile, .mem = mem};
  groups->capacity = samples_most_labels(&profile->samples);
  if (!groups->capacity) return true;
  groups->labels = mem_array(mem, groups->capacity, sizeof *groups->labels);
  groups->items = mem_array(mem, groups->capacity, sizeof *groups->items);
  return groups->labels && groups->items;
}

void label_groups_free(struct label_groups *groups) {
  mem_free(groups->mem, groups->labels, groups->capacity, sizeof *groups->labels);
  mem_free(groups->mem, groups->items, groups->capacity, sizeof *groups->items);
}

/* Compares labels by type and key. Labels with the same key keep the order of the sample: they are
 * in one array, so their addresses have this order. */
static int compare_labels(const void *left, const void *right) {
  const struct keyed_label *a = left, *b = right;
  if (a->label->is_number != b->label->is_number) return a->label->is_number ? 1 : -1;
  int order = a->label->key == b->label->key ? 0 : str_compare(a->key, b->key);
  if (order) return order;
  return a->label < b->label ? -1 : a->label > b->label;
}

static bool same_group(const struct keyed_label *a, const struct keyed_label *b) {
  return a->label->is_number == b->label->is_number &&
         (a->label->key == b->label->key || str_equal(a->key, b->key));
}

void label_groups_read(struct label_groups *groups, size_t sample) {
  const struct samples *samples = &groups->profile->samples;
  size_t count = label_count(samples, sample);
  const struct label *labels = sample_labels(samples, sample);
  for (size_t i = 0; i < count; i++)
    groups->labels[i] =
        (struct keyed_label){profile_string(groups->profile, labels[i].key), &labels[i]};
  if (count > 1) qsort(groups->labels, count, sizeof *groups->labels, compare_labels);

  groups->count = 0;
  for (size_t i = 0; i < count; i++) {
    const struct keyed_label *label = &groups->labels[i];
    if (i == 0 || !same_group(label - 1, label))
      groups->items[groups->count++] =
          (struct label_group){label->key, label->label->is_number != 0, i, 0};
    groups->items[groups->count - 1].count++;
  }
}

void text_pieces_init(struct text_pieces *pieces, const pprofc_allocator *mem) {
  *pieces = (struct text_pieces){.mem = mem};
  buffer_init(&pieces->text, mem, SIZE_MAX);
}

void text_pieces_free(struct text_pieces *pieces) {
  buffer_free(&pieces->text);
  mem_free(pieces->mem, pieces->items, pieces->capacity, sizeof *pieces->items);
}

void text_pieces_clear(struct text_pieces *pieces) {
  buffer_clear(&pieces->text);
  pieces->started = pieces->count = 0;
}

void text_pieces_end_piece(struct text_pieces *pieces) {
  struct text_piece piece = {.from = pieces->started, .size = pieces->text.size - pieces->started};
  pieces->failed |= !ARRAY_PUSH(pieces->mem, pieces->items, pieces->count, pieces->capacity, piece);
  pieces->started = pieces->text.size;
}

static int compare_pieces(const void *left, const void *right) {
  const struct text_piece *a = left, *b = right;
  return str_compare((pprofc_str){a->data, a->size}, (pprofc_str){b->data, b->size});
}

bool text_pieces_sort(struct text_pieces *pieces) {
  if (pieces->failed || pieces->text.failed) return false;
  for (size_t i = 0; i < pieces->count; i++)
    pieces->items[i].data = pieces->text.data + pieces->items[i].from;
  if (pieces->count > 1) qsort(pieces->items, pieces->count, sizeof *pieces->items, compare_pieces);
  return true;
}
