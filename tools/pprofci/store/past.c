/* Reads records into memory. */
#include "store/past.h"

#include "common/terminal.h"
#include "run/text.h"

#include <stdio.h>
#include <stdlib.h>

void past_init(struct past *past) {
  *past = (struct past){.by_order = true};
  arena_init(&past->arena, &mem_default);
  interner_init(&past->series_keys, &mem_default);
}

void past_free(struct past *past) {
  ARRAY_FREE(&mem_default, past->runs, past->run_capacity);
  ARRAY_FREE(&mem_default, past->series, past->series_capacity);
  ARRAY_FREE(&mem_default, past->points, past->point_capacity);
  ARRAY_FREE(&mem_default, past->profiles, past->profile_capacity);
  interner_free(&past->series_keys);
  arena_free(&past->arena);
}

struct past_run *past_add_run(struct past *past, const char *key) {
  const char *copy = text_keep(&past->arena, str_of(key));
  if (!copy || !ARRAY_RESERVE(&mem_default, past->runs, past->run_capacity, past->run_count + 1))
    return NULL;
  struct past_run *run = &past->runs[past->run_count++];
  *run = (struct past_run){
      .key = copy, .first_point = past->point_count, .first_profile = past->profile_count};
  return run;
}

uint32_t past_add_series(struct past *past, pprofc_str group, pprofc_str name, pprofc_str unit,
                         int direction) {
  struct buffer key;
  buffer_init(&key, &mem_default, SIZE_MAX / 2);
  buffer_add_str(&key, group);
  buffer_add_char(&key, '\0');
  buffer_add_str(&key, name);
  buffer_add_char(&key, '\0');
  buffer_add_str(&key, unit);
  uint32_t id =
      key.failed ? MAP_NONE : interner_copy(&past->series_keys, &past->arena, buffer_str(&key));
  buffer_free(&key);
  if (id == MAP_NONE || id < past->series_count) return id;
  if (!ARRAY_RESERVE(&mem_default, past->series, past->series_capacity, past->series_count + 1))
    return MAP_NONE;
  /* The stored key of a series is one text with the group, the name and the unit. The series points
   * into this text. */
  pprofc_str kept = past->series_keys.items[id];
  past->series[past->series_count++] =
      (struct past_series){{kept.data, group.size},
                           {kept.data + group.size + 1, name.size},
                           {kept.data + group.size + name.size + 2, unit.size},
                           direction};
  return id;
}

bool past_add_point(struct past *past, uint32_t series, double value) {
  if (!ARRAY_PUSH(&mem_default, past->points, past->point_count, past->point_capacity,
                  (struct past_point){series, value}))
    return false;
  past->runs[past->run_count - 1].points++;
  return true;
}

bool past_add_profile(struct past *past, struct past_run *run, const struct past_profile *profile) {
  if (!ARRAY_RESERVE(&mem_default, past->profiles, past->profile_capacity, past->profile_count + 1))
    return false;
  struct past_profile *copy = &past->profiles[past->profile_count++];
  *copy = *profile;
  pprofc_str *const texts[] = {&copy->kind, &copy->package, &copy->benchmark, &copy->name,
                               &copy->sha256};
  if (!text_keep_all(&past->arena, texts, sizeof texts / sizeof *texts)) return false;
  run->profiles++;
  return true;
}

static bool past_add_all(struct past *past, const struct run_record *record) {
  const struct node *item = node_size(record->series) ? record->series->first : NULL;
  for (; item; item = item->next) {
    struct record_series s;
    if (!record_series_read(item, &mem_default, &s)) return false;
    if (!s.count) continue;
    uint32_t id = past_add_series(past, s.group, s.name, s.unit, s.direction);
    if (id == MAP_NONE || !past_add_point(past, id, s.center)) return false;
  }
  item = node_size(record->profiles) ? record->profiles->first : NULL;
  for (; item; item = item->next) {
    const struct past_profile profile = {.kind = node_text(item, "kind"),
                                         .package = node_text(item, "package"),
                                         .benchmark = node_text(item, "benchmark"),
                                         .name = node_text(item, "name"),
                                         .sha256 = node_text(item, "sha256"),
                                         .size = node_integer(node_get(item, "size"))};
    if (!past_add_profile(past, &past->runs[past->run_count - 1], &profile)) return false;
  }
  return true;
}

pprofc_status past_add_record(struct past *past, const char *key, const struct run_record *record,
                              pprofc_error *error) {
  struct past_run *run = past_add_run(past, key);
  if (!run) return error_nomem(error);
  run->place = record->place;
  run->status = record->status;
  run->branch = record->branch;
  run->machine = record->machine;
  run->verdict = record->verdict;
  run->headline = record->headline;
  pprofc_str *const texts[] = {&run->place.commit, &run->branch, &run->machine, &run->verdict,
                               &run->headline};
  bool good = text_keep_all(&past->arena, texts, sizeof texts / sizeof *texts);
  return good && past_add_all(past, record) ? PPROFC_OK : error_nomem(error);
}

/* Reads one record. The arena owns the text. */
static pprofc_status past_read_record(struct arena *arena, struct backing *backing, const char *key,
                                      struct run_record *record, pprofc_error *error) {
  struct buffer data;
  buffer_init(&data, &mem_default, BACKING_FILE_MAX);
  pprofc_status status = backing->kind->get(backing, key, &data, error);
  pprofc_str text = buffer_take(&data, arena);
  if (status != PPROFC_OK) return status;
  return text.data ? record_parse(arena, key, text, record, error) : error_nomem(error);
}

/* Skips a record that is damaged or that another process has removed. */
pprofc_status past_read_one(struct past *past, struct backing *backing, const char *key,
                            pprofc_error *error) {
  struct arena arena;
  struct run_record record;
  arena_init(&arena, &mem_default);
  pprofc_status status = past_read_record(&arena, backing, key, &record, error);
  if (status == PPROFC_OK) {
    status = past_add_record(past, key, &record, error);
  } else if (status == PPROFC_E_FORMAT) {
    message_note("pprofci: skipped: %s (pprofci fsck lists details)", error->message);
    past->skipped++;
    status = PPROFC_OK;
  } else if (status == PPROFC_E_NO_MATCH) {
    status = PPROFC_OK;
  }
  arena_free(&arena);
  return status;
}

/* Reads a key "tags/NAME/COMMIT" and sets the tag of the commit's runs. */
static void past_note_tag(struct past *past, const char *key) {
  pprofc_str rest = str_of(key), name, commit;
  size_t last = str_find_last_char(rest, '/');
  commit = str_slice(rest, last + 1, rest.size);
  name = str_slice(rest, sizeof "tags/" - 1, last);
  const char *tag = text_keep(&past->arena, name);
  for (size_t i = 0; i < past->run_count; i++)
    if (str_equal(past->runs[i].place.commit, commit)) past->runs[i].tag = tag;
}

void past_sort(struct past *past) {
  past->by_order = true;
  for (size_t i = 0; i < past->run_count; i++)
    past->by_order = past->by_order && past->runs[i].place.order >= 0;
  if (past->run_count)
    qsort(past->runs, past->run_count, sizeof *past->runs,
          past->by_order ? record_by_order : record_by_time);
}

/* Sorts the runs like past_sort. Then reads the tags. */
static pprofc_status past_finish(struct past *past, struct backing *backing, pprofc_error *error) {
  struct stored_keys keys;
  past_sort(past);
  pprofc_status status = backing_list(backing, "tags", &keys, error);
  for (size_t i = 0; i < keys.count; i++) past_note_tag(past, keys.items[i].name);
  stored_keys_free(&keys);
  return status;
}

pprofc_status past_read(struct past *past, struct backing *backing, pprofc_error *error) {
  struct stored_keys keys;
  pprofc_status status = backing_list(backing, "runs", &keys, error);
  for (size_t i = 0; i < keys.count && status == PPROFC_OK; i++)
    status = past_read_one(past, backing, keys.items[i].name, error);
  stored_keys_free(&keys);
  return status == PPROFC_OK ? past_finish(past, backing, error) : status;
}

pprofc_status past_load(struct past *past, struct backing *backing, pprofc_error *error) {
  bool used = false;
  pprofc_status status = index_read(past, backing, &used, error);
  if (status != PPROFC_OK) return status;
  if (used) return past_finish(past, backing, error);
  bool runs_only = past->runs_only;
  past_free(past);
  past_init(past);
  past->runs_only = runs_only;
  return past_read(past, backing, error);
}

void past_object_key(pprofc_str sha256, char key[80]) {
  /* Accept only a valid hash. Any other text could be a path that leads out of the store. */
  if (sha256.size != 64 || !text_is_of(sha256, TEXT_HEX)) sha256 = STR("no hash");
  pprofc_str first = str_slice(sha256, 0, 2), rest = str_slice(sha256, 2, 64);
  snprintf(key, 80, "objects/%.*s/%.*s", STR_ARG(first), STR_ARG(rest));
}

bool past_name_objects(struct past *past, struct interner *names) {
  for (size_t i = 0; i < past->profile_count; i++) {
    char key[80];
    past_object_key(past->profiles[i].sha256, key);
    if (interner_copy(names, &past->arena, str_of(key)) == MAP_NONE) return false;
  }
  return true;
}
