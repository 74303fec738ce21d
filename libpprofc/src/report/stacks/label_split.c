/* Splits samples by the value of a label. */
#include "report/stacks/label_split.h"

#include "core/budget.h"
#include "core/buffer.h"
#include "core/map.h"
#include "unit/unit.h"

#include <inttypes.h>
#include <stdlib.h>

struct splitter {
  const pprofc_profile *profile;
  pprofc_str key;
  const pprofc_allocator *mem;
  struct label_split *split;
  struct interner values;
  uint32_t *part_of; /* for each sample, first the id of its label value, and later the index of its
                        part */
  struct buffer text;
};

/* ---- values ------------------------------------------ */

static bool label_split_is_wanted(const struct splitter *s, const struct label *label) {
  return str_equal(profile_string(s->profile, label->key), s->key);
}

/* Adds the values of a sample's label: either the strings or the numbers. */
static void label_split_add_values(struct splitter *s, size_t sample, bool numbers) {
  const struct label *labels = sample_labels(&s->profile->samples, sample);
  for (size_t i = 0, count = label_count(&s->profile->samples, sample); i < count; i++) {
    const struct label *label = &labels[i];
    if ((label->is_number != 0) != numbers || !label_split_is_wanted(s, label)) continue;
    if (s->text.size) buffer_add_char(&s->text, ',');
    pprofc_str unit = profile_string(s->profile, label->unit);
    char out[UNIT_LABEL_MAX];
    if (!numbers)
      buffer_add_str(&s->text, profile_string(s->profile, label->string));
    else if (unit.size)
      buffer_add_str(&s->text, unit_label(label->number, unit, STR("auto"), out));
    else
      buffer_printf(&s->text, "%" PRId64, label->number);
  }
}

/* Sets for each sample the id of its label value. */
static bool read_values(struct splitter *s) {
  for (size_t i = 0; i < s->profile->samples.count; i++) {
    if (budget_poll(s->text.mem, i)) return false;
    buffer_clear(&s->text);
    label_split_add_values(s, i, false);
    label_split_add_values(s, i, true);
    pprofc_str value = s->text.size ? buffer_str(&s->text) : STR("(none)");
    s->part_of[i] = interner_copy(&s->values, &s->split->arena, value);
    if (s->text.failed || s->part_of[i] == MAP_NONE) return false;
  }
  return true;
}

/* ---- parts ------------------------------------------- */

static int heaviest_first(const void *left, const void *right) {
  const struct label_part *a = left, *b = right;
  if (a->weight != b->weight) return a->weight > b->weight ? -1 : 1;
  return str_compare(a->value, b->value);
}

/* Adds up the weight of each part. In this function, the field `from` of a part is the id of the
 * part's value. A later step overwrites it. */
static bool weigh_parts(struct splitter *s, size_t value_index) {
  struct label_split *split = s->split;
  split->count = s->values.count;
  split->parts = arena_zero_array(&split->arena, split->count, sizeof *split->parts);
  if (!split->parts) return false;
  for (size_t i = 0; i < split->count; i++) {
    split->parts[i].value = s->values.items[i];
    split->parts[i].from = i;
  }
  struct value_column values = profile_values(s->profile, value_index);
  for (size_t i = 0; i < s->profile->samples.count; i++) {
    int64_t v = values.values[i * values.step];
    split->parts[s->part_of[i]].weight += v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
  }
  if (split->count > 1) qsort(split->parts, split->count, sizeof *split->parts, heaviest_first);
  return true;
}

/* Replaces the ids of values by the indices of parts. If there are more than `most` values, the
 * values with the smallest weights share a part. */
static bool rename_parts(struct splitter *s, size_t most) {
  struct label_split *split = s->split;
  uint32_t *part = mem_array(s->mem, split->count, sizeof *part);
  if (!part) return false;
  for (size_t i = 0; i < split->count; i++)
    part[split->parts[i].from] = (uint32_t)(i < most ? i : most - 1);
  for (size_t i = 0; i < s->profile->samples.count; i++) s->part_of[i] = part[s->part_of[i]];
  mem_free(s->mem, part, split->count, sizeof *part);
  if (split->count > most) {
    split->count = most;
    split->parts[most - 1].value = STR("(other)");
  }
  return true;
}

static bool place_samples(struct splitter *s) {
  struct label_split *split = s->split;
  size_t count = s->profile->samples.count, next = 0;
  split->samples = arena_array(&split->arena, count, sizeof *split->samples);
  if (!split->samples) return false;
  for (size_t i = 0; i < count; i++) split->parts[s->part_of[i]].count++;
  for (size_t i = 0; i < split->count; i++) {
    split->parts[i].from = next;
    next += split->parts[i].count;
    split->parts[i].count = 0;
  }
  for (size_t i = 0; i < count; i++) {
    struct label_part *part = &split->parts[s->part_of[i]];
    split->samples[part->from + part->count++] = (uint32_t)i;
  }
  return true;
}

pprofc_status label_split_build(const pprofc_profile *profile, pprofc_str key, size_t value_index,
                                size_t most, const pprofc_allocator *mem, struct label_split *split,
                                pprofc_error *error) {
  size_t count = profile->samples.count;
  *split = (struct label_split){0};
  arena_init(&split->arena, mem);
  struct splitter s = {.profile = profile, .key = key, .mem = mem, .split = split};
  interner_init(&s.values, mem);
  buffer_init(&s.text, mem, SIZE_MAX);
  s.part_of = mem_array(mem, count, sizeof *s.part_of);
  bool ok = s.part_of && count < MAP_NONE && read_values(&s) && weigh_parts(&s, value_index) &&
            rename_parts(&s, most) && place_samples(&s);
  mem_free(mem, s.part_of, count, sizeof *s.part_of);
  buffer_free(&s.text);
  interner_free(&s.values);
  if (ok) return PPROFC_OK;
  arena_free(&split->arena);
  return error_nomem(error);
}

void label_split_free(struct label_split *split) {
  arena_free(&split->arena);
}
