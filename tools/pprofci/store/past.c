/* Reads the records of a store, one for each stored run, into memory. */
#include "store/store.h"

#include "http/url.h"
#include "run/files.h"

void past_init(struct past *past) {
  *past = (struct past){.by_order = true, .arena = ci_arena()};
  interner_init(&past->series_keys, &ci_mem);
}

void past_free(struct past *past) {
  ARRAY_FREE(&ci_mem, past->runs, past->run_capacity);
  ARRAY_FREE(&ci_mem, past->series, past->series_capacity);
  ARRAY_FREE(&ci_mem, past->points, past->point_capacity);
  ARRAY_FREE(&ci_mem, past->profiles, past->profile_capacity);
  interner_free(&past->series_keys);
  arena_free(&past->arena);
}

struct past_run *past_add_run(struct past *past, const char *key) {
  (void)ARRAY_PUSH(&ci_mem, past->runs, past->run_count, past->run_capacity,
                   (struct past_run){.key = text_keep(&past->arena, str_of(key)),
                                     .first_point = past->point_count,
                                     .first_profile = past->profile_count});
  return &past->runs[past->run_count - 1];
}

uint32_t past_add_series(struct past *past, pprofc_str group, pprofc_str name, pprofc_str unit,
                         int direction) {
  struct buffer key = ci_buffer();
  buffer_add_str(&key, group);
  buffer_add_char(&key, '\0');
  buffer_add_str(&key, name);
  buffer_add_char(&key, '\0');
  buffer_add_str(&key, unit);
  uint32_t id = interner_copy(&past->series_keys, &past->arena, buffer_str(&key));
  buffer_free(&key);
  if (id < past->series_count) return id;
  /* The stored key of a series is one text with the group, the name and the unit. The series points
   * into this text. */
  pprofc_str kept = past->series_keys.items[id];
  (void)ARRAY_PUSH(&ci_mem, past->series, past->series_count, past->series_capacity,
                   (struct past_series){{kept.data, group.size},
                                        {kept.data + group.size + 1, name.size},
                                        {kept.data + group.size + name.size + 2, unit.size},
                                        direction});
  return id;
}

void past_add_point(struct past *past, uint32_t series, double value) {
  (void)ARRAY_PUSH(&ci_mem, past->points, past->point_count, past->point_capacity,
                   (struct past_point){series, value});
  past->runs[past->run_count - 1].points++;
}

void past_add_profile(struct past *past, struct past_run *run, const struct past_profile *profile) {
  (void)ARRAY_PUSH(&ci_mem, past->profiles, past->profile_count, past->profile_capacity, *profile);
  struct past_profile *copy = &past->profiles[past->profile_count - 1];
  pprofc_str *const texts[] = {&copy->kind, &copy->package, &copy->benchmark, &copy->name,
                               &copy->sha256};
  text_keep_all(&past->arena, texts, sizeof texts / sizeof *texts);
  run->profiles++;
}

static void past_add_all(struct past *past, const struct run_record *record) {
  const struct node *item = node_size(record->series) ? record->series->first : NULL;
  for (; item; item = item->next) {
    struct record_series s;
    (void)record_series_read(item, &ci_mem, &s);
    if (!s.count) continue;
    uint32_t id = past_add_series(past, s.group, s.name, s.unit, s.direction);
    past_add_point(past, id, s.center);
  }
  item = node_size(record->profiles) ? record->profiles->first : NULL;
  for (; item; item = item->next) {
    const struct past_profile profile = {.kind = node_text(item, "kind"),
                                         .package = node_text(item, "package"),
                                         .benchmark = node_text(item, "benchmark"),
                                         .name = node_text(item, "name"),
                                         .sha256 = node_text(item, "sha256"),
                                         .size = node_integer(node_get(item, "size"))};
    past_add_profile(past, &past->runs[past->run_count - 1], &profile);
  }
}

void past_add_record(struct past *past, const char *key, const struct run_record *record) {
  struct past_run *run = past_add_run(past, key);
  run->place = record->place;
  run->status = record->status;
  run->branch = record->branch;
  run->machine = record->machine;
  run->verdict = record->verdict;
  run->headline = record->headline;
  pprofc_str *const texts[] = {&run->place.commit, &run->branch, &run->machine, &run->verdict,
                               &run->headline};
  text_keep_all(&past->arena, texts, sizeof texts / sizeof *texts);
  past_add_all(past, record);
}

/* Reads one record. The arena owns the text. */
static pprofc_status past_read_record(struct arena *arena, struct backing *backing, const char *key,
                                      struct run_record *record, pprofc_error *error) {
  struct buffer data = buffer_make(&ci_mem, BACKING_FILE_MAX);
  pprofc_status status = backing->kind->get(backing, key, &data, error);
  pprofc_str text = buffer_take(&data, arena);
  return status == PPROFC_OK ? record_parse(arena, key, text, record, error) : status;
}

pprofc_status past_read_one(struct past *past, struct backing *backing, const char *key,
                            pprofc_error *error) {
  struct arena arena = ci_arena();
  struct run_record record;
  pprofc_status status = past_read_record(&arena, backing, key, &record, error);
  if (status == PPROFC_OK) {
    past_add_record(past, key, &record);
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

/* Reads a key "tags/NAME/COMMIT" and adds the tag to the commit's runs. NAME is escaped. */
static void past_note_tag(void *context, const struct stored_key *key) {
  struct past *past = context;
  pprofc_str rest = str_of(key->name), name, commit;
  size_t last = str_find_last_char(rest, '/');
  commit = str_slice(rest, last + 1, rest.size);
  name = str_slice(rest, sizeof "tags/" - 1, last);
  pprofc_str plain = url_unescape(&past->arena, name, false);
  const char *tag = plain.data ? plain.data : text_keep(&past->arena, name);
  for (size_t i = 0; i < past->run_count; i++) {
    struct past_run *run = &past->runs[i];
    if (!str_equal(run->place.commit, commit)) continue;
    run->tag = run->tag ? text_printf(&past->arena, "%s, %s", run->tag, tag) : tag;
  }
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
static void past_finish(struct past *past, struct backing *backing) {
  past_sort(past);
  backing_each(backing, "tags", past_note_tag, past);
}

void past_read(struct past *past, struct backing *backing) {
  struct stored_keys keys;
  backing_list(backing, "runs", &keys);
  for (size_t i = 0; i < keys.count; i++)
    ci_need(past_read_one(past, backing, keys.items[i].name, &ci_error));
  stored_keys_free(&keys);
  past_finish(past, backing);
}

void past_load(struct past *past, struct backing *backing) {
  if (index_read(past, backing)) {
    past_finish(past, backing);
    return;
  }
  bool runs_only = past->runs_only;
  past_free(past);
  past_init(past);
  past->runs_only = runs_only;
  past_read(past, backing);
}

void past_object_key(pprofc_str sha256, char key[80]) {
  /* Accept only a valid hash, because any other text could be a path that leads out of the
   * store. */
  if (sha256.size != 64 || !text_is_of(sha256, TEXT_HEX)) sha256 = STR("no hash");
  pprofc_str first = str_slice(sha256, 0, 2), rest = str_slice(sha256, 2, 64);
  snprintf(key, 80, "objects/%.*s/%.*s", STR_ARG(first), STR_ARG(rest));
}

void past_name_objects(struct past *past, struct interner *names) {
  for (size_t i = 0; i < past->profile_count; i++) {
    char key[80];
    past_object_key(past->profiles[i].sha256, key);
    (void)interner_copy(names, &past->arena, str_of(key));
  }
}
