/* Converts the labels of samples to attributes of OTLP.
 *
 * The keys of a sample's attributes must differ, so several values of a key become an array. An
 * attribute has only one unit. So if a key has both texts and numbers, or numbers with several
 * units, each sequence of texts, or of numbers with the same unit, becomes an attribute. The key of
 * the second attribute is "pprof.label.1.KEY". An attribute has at most OTLP_RUN_MOST values,
 * because pprofc reads a longer array as one label. */
#include "report/proto/otlp_tables.h"

#define OTLP_RUN_MOST 64u

static Otlp__AnyValue otlp_label_value(struct otlp_writer *w, const struct label *label) {
  Otlp__AnyValue value;
  if (!label->is_number) return otlp_text_value(w, profile_string(w->profile, label->string));
  otlp__any_value__init(&value);
  value.value_case = OTLP__ANY_VALUE__VALUE_INT_VALUE;
  value.int_value = label->number;
  return value;
}

/* Packs the values of labels as an array in `value`. */
static void otlp_array_value(struct otlp_writer *w, const struct keyed_label *labels, size_t count,
                             Otlp__AnyValue *value) {
  Otlp__Values array = OTLP__VALUES__INIT;
  Otlp__AnyValue *items = arena_array(&w->arena, count, sizeof *items);
  array.values = arena_array(&w->arena, count, sizeof *array.values);
  otlp__any_value__init(value);
  w->failed |= !items || !array.values;
  if (w->failed) return;
  for (size_t i = 0; i < count; i++) {
    items[i] = otlp_label_value(w, labels[i].label);
    array.values[array.n_values++] = &items[i];
  }
  size_t size = otlp__values__get_packed_size(&array);
  uint8_t *bytes = arena_alloc(&w->arena, size);
  w->failed |= !bytes;
  if (bytes) otlp__values__pack(&array, bytes);
  value->value_case = OTLP__ANY_VALUE__VALUE_ARRAY_VALUE;
  value->array_value = (ProtobufCBinaryData){bytes ? size : 0, bytes};
}

/* Returns the dictionary index of the key for an attribute. `before` is the number of earlier
 * attributes of the sample for the same label key. */
static int32_t otlp_write_key(struct otlp_writer *w, const struct keyed_label *label,
                              size_t before) {
  struct buffer key;
  if (!before) return otlp_write_string(w, label->label->key);
  buffer_init(&key, w->mem, SIZE_MAX);
  buffer_printf(&key, "pprof.label.%zu.", before);
  buffer_add_str(&key, label->key);
  w->failed |= key.failed;
  int32_t name = w->failed ? 0 : otlp_write_text(w, buffer_str(&key));
  buffer_free(&key);
  return name;
}

/* Adds an attribute for labels that have the same key and unit. */
static void otlp_write_run(struct otlp_writer *w, struct otlp_list *list,
                           const struct keyed_label *labels, size_t count, size_t before) {
  Otlp__AnyValue value;
  int32_t key = otlp_write_key(w, labels, before);
  if (count == 1)
    value = otlp_label_value(w, labels->label);
  else
    otlp_array_value(w, labels, count, &value);
  int32_t unit = labels->label->is_number ? otlp_write_string(w, labels->label->unit) : 0;
  if (!w->failed) list->items[list->count++] = otlp_write_value(w, key, &value, unit);
}

/* Returns how many of the first labels, which have the same key, one attribute can contain. */
static size_t otlp_run_length(const struct otlp_writer *w, const struct keyed_label *labels,
                              size_t count) {
  pprofc_str unit = profile_string(w->profile, labels->label->unit);
  size_t length = 1;
  while (length < count && length < OTLP_RUN_MOST &&
         (!labels->label->is_number ||
          str_equal(profile_string(w->profile, labels[length].label->unit), unit)))
    length++;
  return length;
}

/* Adds the attributes for a group of labels with the same key and type. `before` is the number of
 * earlier attributes for this key. Returns the number of attributes for this key. */
static size_t otlp_write_group(struct otlp_writer *w, struct otlp_list *list,
                               const struct label_group *group, size_t before) {
  const struct keyed_label *labels = w->groups.labels + group->from;
  for (size_t from = 0; from < group->count && !w->failed; before++) {
    size_t length = otlp_run_length(w, labels + from, group->count - from);
    otlp_write_run(w, list, labels + from, length, before);
    from += length;
  }
  return before;
}

void otlp_write_labels(struct otlp_writer *w, size_t sample) {
  const struct label_groups *g = &w->groups;
  struct otlp_list *list = &w->labels[w->profile->samples.label_set[sample]];
  /* Index of the first group of texts (labels with one key) whose key sorts at or after the key of
   * the current group of numbers. */
  size_t text = 0;
  label_groups_read(&w->groups, sample);
  list->items =
      arena_array(&w->arena, label_count(&w->profile->samples, sample), sizeof *list->items);
  w->failed |= !list->items;
  for (size_t i = 0; i < g->count && !w->failed; i++) {
    const struct label_group *group = &g->items[i];
    size_t before = 0;
    if (group->is_number) {
      while (!g->items[text].is_number && str_compare(g->items[text].key, group->key) < 0) text++;
      bool both = !g->items[text].is_number && str_equal(g->items[text].key, group->key);
      if (both) before = w->group_attributes[text];
    }
    w->group_attributes[i] = otlp_write_group(w, list, group, before);
  }
  list->made = true;
}
