/* Makes the label sets of a merge's result, each once, in the order of use. */
#include "transform/merge/merge.h"

bool merge_has_labels(const struct merge *m) {
  bool any = false;
  for (size_t i = 0; i < m->source_count; i++)
    any = any || m->sources[i].profile->samples.label_set || m->sources[i].is_base;
  return any;
}

bool merge_label_strings(struct merge *m) {
  for (size_t i = 0; i < m->source_count; i++) {
    const struct samples *s = &m->sources[i].profile->samples;
    for (size_t set = 0; set < s->label_set_count; set++)
      for (size_t n = 0; n < s->label_sets[set].count; n++) {
        const struct label *l = &s->labels[s->label_sets[set].first + n];
        if (merge_string(m, i, l->key) == NONE || merge_string(m, i, l->string) == NONE ||
            merge_string(m, i, l->unit) == NONE)
          return false;
      }
  }
  return true;
}

/* Makes the label that marks the samples of a base. */
static bool make_mark(struct merge_labels *w) {
  uint32_t key = interner_add(&w->m->strings, BASE_LABEL);
  uint32_t value = interner_add(&w->m->strings, STR("true"));
  w->mark = (struct label){.key = key, .string = value};
  return key != MAP_NONE && value != MAP_NONE;
}

bool merge_labels_open(struct merge_labels *w, struct merge *m) {
  struct arena *arena = &m->out->region->arena;
  size_t sets = 1, total = 0;
  *w = (struct merge_labels){.m = m};
  w->number = arena_array(&m->arena, m->source_count, sizeof *w->number);
  if (!w->number || !make_mark(w)) return false;
  for (uint32_t i = 0; i < m->source_count; i++) {
    const struct samples *s = merge_samples_of(m, i);
    /* A source without sets has only the empty set. */
    size_t count = s->label_set ? s->label_set_count : 1;
    w->number[i] = arena_array(&m->arena, count, sizeof *w->number[i]);
    if (!w->number[i]) return false;
    memset(w->number[i], 0xFF, count * sizeof *w->number[i]);
    for (size_t k = 0; k < s->label_set_count; k++) total += s->label_sets[k].count;
    if (m->sources[i].is_base) total += count;
    sets += count;
  }
  if (sets >= NONE || total >= NONE) return false;
  struct label_set *items = arena_array(arena, sets, sizeof *items);
  w->labels = arena_array(arena, total, sizeof *w->labels);
  if (!items || !w->labels) return false;
  label_table_init(&w->table, &m->out->mem, w->labels, items);
  items[w->table.count++] = (struct label_set){0, 0};
  return true;
}

/* Adds a label set of a source, with the strings of the result, and returns its number. In a set of
 * a base, the base label replaces old base labels. Returns NONE when out of memory. */
static uint32_t merge_labels_add_set(struct merge_labels *w, uint32_t source,
                                     struct label_set set) {
  const struct merge_source *s = &w->m->sources[source];
  /* `labels` is NULL if every set is empty. */
  const struct label *labels = s->profile->samples.labels;
  size_t first = w->label_count, known = w->table.count;
  for (size_t l = 0; l < set.count; l++) {
    struct label label = labels[set.first + l];
    label.key = s->strings[label.key];
    label.string = s->strings[label.string];
    label.unit = s->strings[label.unit];
    if (!s->is_base || label.is_number || label.key != w->mark.key)
      w->labels[w->label_count++] = label;
  }
  if (s->is_base) w->labels[w->label_count++] = w->mark;
  if (w->label_count == first) return 0;
  uint32_t number = label_table_add(&w->table, first, w->label_count - first);
  if (w->table.count == known) w->label_count = first;
  return number;
}

uint32_t merge_label_set(struct merge_labels *w, uint32_t source, size_t sample) {
  const struct samples *s = merge_samples_of(w->m, source);
  uint32_t old = s->label_set ? s->label_set[sample] : 0;
  uint32_t *number = &w->number[source][old];
  if (*number == NONE)
    *number = merge_labels_add_set(w, source,
                                   s->label_set ? s->label_sets[old] : (struct label_set){0, 0});
  return *number;
}

void merge_labels_close(struct merge_labels *w, const uint32_t *label_set) {
  struct samples *out = &w->m->out->samples;
  label_table_free(&w->table);
  if (!label_set || w->table.count == 1) return;
  out->label_set = label_set;
  out->label_sets = w->table.sets;
  out->label_set_count = w->table.count;
  out->labels = w->labels;
}
