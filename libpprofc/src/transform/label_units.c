/* Finds the unit of each numeric label key (docs/spec/pprof.md, 12.5). */
#include "transform/transform.h"

/* A unit of a key that differs from the first unit of the key. `item` is the index of the key in
 * label_units.items. */
struct other_unit {
  pprofc_str key, first, unit;
  uint32_t item;
};

struct label_units_finder {
  const pprofc_profile *profile;
  struct label_units *units;
  struct interner keys;         /* interned keys; their ids are indices of items */
  uint32_t last_key, last_unit; /* string indices of the previous label's key and unit */
  struct map seen_others;
  struct other_unit *others;
  size_t other_count, other_capacity;
};

static struct label_unit *item_of(struct label_units_finder *f, pprofc_str key) {
  struct label_units *units = f->units;
  uint32_t id = interner_add(&f->keys, key);
  if (id == MAP_NONE) return NULL;
  if (id < units->count) return &units->items[id];
  bool added = ARRAY_PUSH(units->mem, units->items, units->count, units->capacity,
                          (struct label_unit){.key = key});
  return added ? &units->items[id] : NULL;
}

static bool add_other(struct label_units_finder *f, uint32_t item, pprofc_str unit) {
  uint64_t hash = hash_mix(hash_str(unit), item);
  MAP_FIND(index, &f->seen_others, hash,
           f->others[index].item == item && str_equal(f->others[index].unit, unit));
  if (index != MAP_NONE) return true;
  return MAP_PUSH(f->units->mem, &f->seen_others, hash, f->others, f->other_count,
                  f->other_capacity, (struct other_unit){.unit = unit, .item = item});
}

static bool label_units_add_label(struct label_units_finder *f, const struct label *label) {
  pprofc_str unit = profile_string(f->profile, label->unit);
  size_t known = f->units->count;
  struct label_unit *item = item_of(f, profile_string(f->profile, label->key));
  if (!item) return false;
  if (f->units->count == known && !str_equal(item->unit, unit)) f->units->differ = true;
  if (!unit.size || str_equal(item->unit, unit)) return true;
  if (item->unit.size) return add_other(f, (uint32_t)(item - f->units->items), unit);
  item->unit = unit;
  return true;
}

/* Adds the labels of one set; skips labels with the same key and unit as the previous label. */
static bool label_units_add_set(struct label_units_finder *f, const struct label *labels,
                                size_t count) {
  for (size_t i = 0; i < count; i++) {
    const struct label *label = &labels[i];
    if (!label->is_number || (label->key == f->last_key && label->unit == f->last_unit)) continue;
    if (!label_units_add_label(f, label)) return false;
    f->last_key = label->key;
    f->last_unit = label->unit;
  }
  return true;
}

/* Adds the label sets of a profile that stores its stacks as a tree. These sets are in the order of
 * the file. */
static bool label_units_add_sets(struct label_units_finder *f, const struct samples *s) {
  bool ok = true;
  for (size_t i = 0; ok && i < s->label_set_count; i++)
    ok = label_units_add_set(f, s->labels + s->label_sets[i].first, s->label_sets[i].count);
  return ok;
}

/* Adds all numeric labels in the order of the samples. Skips a label set that occurred before. */
static bool add_labels(struct label_units_finder *f) {
  const struct samples *s = &f->profile->samples;
  if (!s->label_set) return true;
  f->last_key = f->last_unit = NONE;
  if (s->tree) return label_units_add_sets(f, s);
  uint8_t *seen = mem_zero_array(f->units->mem, s->label_set_count, 1);
  bool ok = seen != NULL;
  for (size_t i = 0; ok && i < s->count; i++) {
    if (seen[s->label_set[i]]) continue;
    seen[s->label_set[i]] = 1;
    ok = label_units_add_set(f, sample_labels(s, i), label_count(s, i));
  }
  mem_free(f->units->mem, seen, s->label_set_count, 1);
  return ok;
}

static void infer_units(struct label_units *units) {
  for (size_t i = 0; i < units->count; i++) {
    struct label_unit *item = &units->items[i];
    if (item->unit.size) continue;
    bool is_size = str_equal(item->key, STR("alignment")) || str_equal(item->key, STR("request"));
    item->unit = is_size ? STR("bytes") : item->key;
  }
}

/* ---- warnings ---------------------------------------- */

static int compare_others(const void *a, const void *b) {
  const struct other_unit *x = a, *y = b;
  int order = str_compare(x->key, y->key);
  return order ? order : str_compare(x->unit, y->unit);
}

static bool warn_others(struct label_units_finder *f, void (*warn)(void *, const char *),
                        void *context) {
  if (!f->other_count) return true;
  struct buffer text = buffer_make(f->units->mem, SIZE_MAX);
  for (size_t i = 0; i < f->other_count; i++) {
    f->others[i].key = f->units->items[f->others[i].item].key;
    f->others[i].first = f->units->items[f->others[i].item].unit;
  }
  qsort(f->others, f->other_count, sizeof *f->others, compare_others);
  for (size_t i = 0; i < f->other_count && !text.failed; i++) {
    const struct other_unit *other = &f->others[i];
    if (i && other[-1].item == other->item) {
      buffer_add_text(&text, ", ");
    } else {
      buffer_add_text(&text, "For tag ");
      buffer_add_str(&text, other->key);
      buffer_add_text(&text, " used unit ");
      buffer_add_str(&text, other->first);
      buffer_add_text(&text, ", also encountered unit(s) ");
    }
    buffer_add_str(&text, other->unit);
    if (i + 1 < f->other_count && other[1].item == other->item) continue;
    buffer_add_char(&text, '\0');
    if (!text.failed) warn(context, text.data);
    buffer_clear(&text);
  }
  bool ok = !text.failed;
  buffer_free(&text);
  return ok;
}

/* ---- the table --------------------------------------- */

pprofc_status label_units_find(const pprofc_profile *profile, void (*warn)(void *, const char *),
                               void *warn_context, struct label_units *units, pprofc_error *error) {
  struct label_units_finder f = {.profile = profile, .units = units};
  *units = (struct label_units){.mem = &profile->mem};
  interner_init(&f.keys, units->mem);
  map_init(&f.seen_others, units->mem);
  bool ok = add_labels(&f) && (!warn || warn_others(&f, warn, warn_context));
  interner_free(&f.keys);
  map_free(&f.seen_others);
  mem_free(units->mem, f.others, f.other_capacity, sizeof *f.others);
  if (ok)
    infer_units(units);
  else
    label_units_free(units);
  return ok ? PPROFC_OK : error_nomem(error);
}

void label_units_free(struct label_units *units) {
  ARRAY_FREE(units->mem, units->items, units->capacity);
  units->count = 0;
}

pprofc_str label_units_get(const struct label_units *units, pprofc_str key) {
  for (size_t i = 0; i < units->count; i++)
    if (str_equal(units->items[i].key, key)) return units->items[i].unit;
  return STR("");
}
