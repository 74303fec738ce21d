/* Prints the report -tags: the values of each label key, and their shares in the profile. */
#include "report/report.h"

/* ---- adding up --------------------------------------- */

static uint64_t content(const struct label *label) {
  return label->is_number ? (uint64_t)label->number : label->string;
}

static bool same_content(const struct label *a, const struct label *b) {
  return a->key == b->key && a->is_number == b->is_number && content(a) == content(b);
}

static bool count_label(struct tag_sums *tags, const struct label *label, int64_t value) {
  uint64_t hash = hash_mix((uint64_t)label->key << 1 | (label->is_number != 0), content(label));
  MAP_FIND(index, &tags->map, hash, same_content(&tags->items[index].label, label));
  if (index != MAP_NONE) {
    tags->items[index].sum = sum_add(tags->items[index].sum, value);
    return true;
  }
  struct tag_value tag = {
      .label = *label, .sum = value, .low = label->number, .high = label->number};
  return tags->count < MAP_NONE && MAP_PUSH(tags->report->mem, &tags->map, hash, tags->items,
                                            tags->count, tags->capacity, tag);
}

static bool count_samples(struct tag_sums *tags) {
  const struct samples *samples = &tags->profile->samples;
  size_t types = tags->profile->type_count;
  for (size_t i = 0; i < samples->count; i++) {
    size_t count = label_count(samples, i);
    const struct label *labels = sample_labels(samples, i);
    if (budget_poll(tags->report->mem, i)) return false;
    int64_t value = count ? samples->values[i * types + tags->report->result.value_index] : 0;
    for (size_t k = 0; k < count; k++)
      if (!count_label(tags, &labels[k], value)) return false;
  }
  return true;
}

/* Makes the texts of values. Numbers of a key count as one value if their texts are equal. */
static bool tags_make_texts(struct tag_sums *tags) {
  const struct report *report = tags->report;
  for (size_t i = 0; i < tags->count; i++) {
    struct tag_value *tag = &tags->items[i];
    tag->key = profile_string(tags->profile, tag->label.key);
    if (!tag->label.is_number) {
      tag->value = profile_string(tags->profile, tag->label.string);
      continue;
    }
    char label[UNIT_LABEL_MAX];
    tag->value =
        arena_str(&tags->texts,
                  unit_label(tag->label.number, label_units_get(&report->result.units, tag->key),
                             report->output_unit, label));
    if (!tag->value.data) return false;
  }
  return true;
}

int tag_sums_by_text(const void *left, const void *right) {
  const struct tag_value *a = left, *b = right;
  int order = str_compare(a->key, b->key);
  return order ? order : str_compare(a->value, b->value);
}

static int by_sum(const void *left, const void *right) {
  const struct tag_value *a = left, *b = right;
  int64_t x = number_abs(a->sum), y = number_abs(b->sum);
  if (x != y) return x > y ? -1 : 1;
  return str_compare(a->value, b->value);
}

static void join_with(struct tag_value *into, const struct tag_value *tag) {
  into->sum = sum_add(into->sum, tag->sum);
  if (tag->low < into->low) into->low = tag->low;
  if (tag->high > into->high) into->high = tag->high;
}

static void join_equal_texts(struct tag_sums *tags) {
  size_t kept = 0;
  for (size_t i = 0; i < tags->count; i++) {
    if (kept && tag_sums_by_text(&tags->items[kept - 1], &tags->items[i]) == 0)
      join_with(&tags->items[kept - 1], &tags->items[i]);
    else
      tags->items[kept++] = tags->items[i];
  }
  tags->count = kept;
}

static void sort_keys(struct tag_sums *tags) {
  qsort(tags->items, tags->count, sizeof *tags->items, tag_sums_by_text);
  join_equal_texts(tags);
  for (size_t from = 0, to; from < tags->count; from = to) {
    to = tag_sums_end(tags, from);
    qsort(tags->items + from, to - from, sizeof *tags->items, by_sum);
  }
}

size_t tag_sums_end(const struct tag_sums *tags, size_t from) {
  size_t to = from + 1;
  while (to < tags->count && str_equal(tags->items[to].key, tags->items[from].key)) to++;
  return to;
}

pprofc_status tag_sums_collect(struct tag_sums *tags, const struct report *report,
                               pprofc_error *error) {
  *tags = (struct tag_sums){.report = report, .profile = report->result.profile};
  arena_init(&tags->texts, report->mem);
  map_init(&tags->map, report->mem);
  if (!count_samples(tags) || !tags_make_texts(tags)) return error_nomem(error);
  if (tags->count) sort_keys(tags);
  return PPROFC_OK;
}

void tag_sums_free(struct tag_sums *tags) {
  mem_free(tags->report->mem, tags->items, tags->capacity, sizeof *tags->items);
  map_free(&tags->map);
  arena_free(&tags->texts);
}

/* ---- printing ---------------------------------------- */

struct tags {
  const struct report *report;
  struct output *out;
};

/* A printed value and its share, such as "31.25MB (31.68%):". */
struct cell {
  char text[UNIT_LABEL_MAX + 40];
  size_t size;
};

static void cell_add(struct cell *cell, pprofc_str s) {
  size_t room = sizeof cell->text - cell->size;
  size_t size = s.size < room ? s.size : room;
  memcpy(cell->text + cell->size, s.data, size);
  cell->size += size;
}

static struct cell value_cell(const struct report *report, int64_t value) {
  struct cell cell = {.size = 0};
  char label[UNIT_LABEL_MAX], percentage[32];
  cell_add(&cell, report_value(report, value, label));
  if (report->result.total > 0) {
    cell_add(&cell, STR(" ("));
    cell_add(&cell, unit_percentage(value, report->result.total, percentage));
    cell_add(&cell, STR(")"));
  }
  cell_add(&cell, STR(":"));
  return cell;
}

static void tags_print_padded(const struct tags *tags, pprofc_str s, size_t width) {
  size_t length = utf8_length(s);
  if (length < width) output_add_fill(tags->out, ' ', width - length);
  report_text(tags->out, tags->report->mem, s);
}

static void print_total(const struct tags *tags, int64_t sum) {
  const struct report *report = tags->report;
  char label[UNIT_LABEL_MAX], percentage[32];
  output_add_text(tags->out, ": Total ");
  report_text(tags->out, report->mem, report_value(report, sum, label));
  output_add_text(tags->out, " of ");
  report_text(tags->out, report->mem, report_value(report, report->result.total, label));
  if (report->result.total > 0) {
    output_add_text(tags->out, " (");
    output_add_str(tags->out, unit_percentage(sum, report->result.total, percentage));
    output_add_char(tags->out, ')');
  }
  output_add_char(tags->out, '\n');
}

static void print_key(const struct tags *tags, const struct tag_value *items, size_t count) {
  int64_t sum = 0;
  size_t width = 0;
  for (size_t i = 0; i < count; i++) {
    struct cell cell = value_cell(tags->report, items[i].sum);
    size_t length = utf8_length((pprofc_str){cell.text, cell.size});
    if (length > width) width = length;
    sum = sum_add(sum, items[i].sum);
  }
  output_no_row(tags->out);
  output_add_char(tags->out, ' ');
  report_text(tags->out, tags->report->mem, items[0].key);
  print_total(tags, sum);
  for (size_t i = 0; i < count; i++) {
    struct cell cell = value_cell(tags->report, items[i].sum);
    output_row(tags->out, 0, (double)items[i].sum, 0);
    output_add_fill(tags->out, ' ', utf8_length(items[0].key) + 2);
    tags_print_padded(tags, (pprofc_str){cell.text, cell.size}, width + 1);
    output_add_char(tags->out, ' ');
    report_text(tags->out, tags->report->mem, items[i].value);
    output_add_char(tags->out, '\n');
  }
  output_add_char(tags->out, '\n');
}

pprofc_status report_tags(struct report *report, struct output *out, pprofc_error *error) {
  struct tag_sums sums;
  pprofc_status status = tag_sums_collect(&sums, report, error);
  struct tags tags = {report, out};
  for (size_t from = 0, to; !status && from < sums.count && !out->failed; from = to) {
    to = tag_sums_end(&sums, from);
    print_key(&tags, sums.items + from, to - from);
  }
  tag_sums_free(&sums);
  return status;
}
