/* Updates the index from the records of a store. */
#ifdef HAVE_SQLITE3
#include "store/index_sql.h"

#include <stdio.h>
#include <string.h>

enum { ADD_RUN, ADD_SERIES, FIND_SERIES, ADD_POINT, ADD_PROFILE, STATEMENTS };

static const char *const sync_statements[STATEMENTS] = {
    ("INSERT INTO runs(key, commit_id, branch, time, position, machine, verdict, headline, status, "
     "results, profiles) VALUES(?,?,?,?,?,?,?,?,?,?,?)"),
    "INSERT INTO series(grp, benchmark, unit, direction) VALUES(?,?,?,?)",
    "SELECT id FROM series WHERE grp=? AND benchmark=? AND unit=?",
    "INSERT INTO points(run, place, series, value) VALUES(?,?,?,?)",
    "INSERT INTO profiles(run, kind, package, benchmark, name, sha256, size) VALUES(?,?,?,?,?,?,?)",
};

struct sync {
  struct store_index *x;
  sqlite3_stmt *statements[STATEMENTS];
  struct past fresh; /* one record that is added, and the series of all earlier records */
  struct buffer ids; /* for each series of `fresh`, its id in the index */
};

static int64_t sync_find_series(struct sync *y, const struct past_series *series) {
  struct store_index *x = y->x;
  const pprofc_str texts[] = {series->group, series->name, series->unit};
  sqlite3_stmt *find = y->statements[FIND_SERIES], *add = y->statements[ADD_SERIES];
  int64_t id = -1;
  if (!index_bind_texts(x, find, 1, texts, 3)) return -1;
  int code = x->lib.step(find);
  if (code == SQLITE_ROW) id = x->lib.column_int64(find, 0);
  if (!index_good(x, code) || !index_good(x, x->lib.reset(find)) || id >= 0) return id;
  if (!index_bind_texts(x, add, 1, texts, 3) || !index_bind_int(x, add, 4, series->direction) ||
      !index_run(x, add))
    return -1;
  return x->lib.last_insert_rowid(x->db);
}

static bool sync_series_id(struct sync *y, uint32_t series, uint32_t *id) {
  while (y->ids.size / sizeof *id <= series) {
    int64_t found = sync_find_series(y, &y->fresh.series[y->ids.size / sizeof *id]);
    if (found < 0 || found > UINT32_MAX) return false;
    uint32_t small = (uint32_t)found;
    buffer_add(&y->ids, &small, sizeof small);
    if (y->ids.failed) return false;
  }
  memcpy(id, y->ids.data + series * sizeof *id, sizeof *id);
  return true;
}

static bool sync_add_run(struct sync *y, const struct past_run *run) {
  struct store_index *x = y->x;
  sqlite3_stmt *s = y->statements[ADD_RUN];
  const pprofc_str first[] = {str_of(run->key), run->place.commit, run->branch};
  const pprofc_str second[] = {run->machine, run->verdict, run->headline};
  return index_bind_texts(x, s, 1, first, 3) && index_bind_int(x, s, 4, run->place.time) &&
         index_bind_int(x, s, 5, run->place.order) && index_bind_texts(x, s, 6, second, 3) &&
         index_bind_int(x, s, 9, run->status) && index_bind_int(x, s, 10, (int64_t)run->points) &&
         index_bind_int(x, s, 11, (int64_t)run->profiles) && index_run(x, s);
}

static bool sync_add_point(struct sync *y, int64_t run, size_t place,
                           const struct past_point *point) {
  struct store_index *x = y->x;
  sqlite3_stmt *s = y->statements[ADD_POINT];
  uint32_t series;
  return sync_series_id(y, point->series, &series) && index_bind_int(x, s, 1, run) &&
         index_bind_int(x, s, 2, (int64_t)place) && index_bind_int(x, s, 3, series) &&
         index_good(x, x->lib.bind_double(s, 4, point->value)) && index_run(x, s);
}

static bool sync_add_profile(struct sync *y, int64_t run, const struct past_profile *profile) {
  sqlite3_stmt *s = y->statements[ADD_PROFILE];
  const pprofc_str texts[] = {profile->kind, profile->package, profile->benchmark, profile->name,
                              profile->sha256};
  return index_bind_int(y->x, s, 1, run) && index_bind_texts(y->x, s, 2, texts, 5) &&
         index_bind_int(y->x, s, 7, profile->size) && index_run(y->x, s);
}

/* Adds the run in `fresh` to the index, then removes the run from `fresh`. */
static bool sync_add(struct sync *y) {
  const struct past_run *run = &y->fresh.runs[y->fresh.run_count - 1];
  if (!sync_add_run(y, run)) return false;
  int64_t id = y->x->lib.last_insert_rowid(y->x->db);
  bool good = true;
  for (size_t i = 0; i < run->points && good; i++)
    good = sync_add_point(y, id, i, &y->fresh.points[run->first_point + i]);
  for (size_t i = 0; i < run->profiles && good; i++)
    good = sync_add_profile(y, id, &y->fresh.profiles[run->first_profile + i]);
  y->fresh.run_count = y->fresh.point_count = y->fresh.profile_count = 0;
  return good;
}

static bool sync_drop(struct store_index *x, int64_t id) {
  char sql[160];
  long long run = id;
  snprintf(sql, sizeof sql,
           "DELETE FROM profiles WHERE run=%lld; DELETE FROM points WHERE run=%lld;"
           " DELETE FROM runs WHERE id=%lld",
           run, run, run);
  return index_exec(x, sql);
}

/* Marks the keys that the index already has by the size UINT64_MAX. Deletes the runs whose records
 * do not exist any more. */
static bool sync_compare(struct store_index *x, struct stored_keys *keys) {
  sqlite3_stmt *s = NULL;
  size_t place = 0;
  bool good = index_prepare(x, "SELECT id, key FROM runs ORDER BY key", &s);
  while (good && x->lib.step(s) == SQLITE_ROW) {
    pprofc_str key = index_text(x, s, 1);
    while (place < keys->count && str_compare(str_of(keys->items[place].name), key) < 0) place++;
    if (place < keys->count && str_equal(str_of(keys->items[place].name), key))
      keys->items[place].size = UINT64_MAX;
    else
      good = sync_drop(x, x->lib.column_int64(s, 0));
  }
  return index_good(x, x->lib.finalize(s)) && good;
}

static void sync_init(struct sync *y, struct store_index *x) {
  *y = (struct sync){.x = x};
  past_init(&y->fresh);
  buffer_init(&y->ids, &mem_default, SIZE_MAX / 2);
}

static void sync_free(struct sync *y) {
  for (size_t i = 0; i < STATEMENTS; i++)
    if (y->statements[i]) (void)y->x->lib.finalize(y->statements[i]);
  buffer_free(&y->ids);
  past_free(&y->fresh);
}

static bool sync_begin(struct sync *y, struct stored_keys *keys) {
  bool good = sync_compare(y->x, keys);
  for (size_t i = 0; i < STATEMENTS && good; i++)
    good = index_prepare(y->x, sync_statements[i], &y->statements[i]);
  return good;
}

static pprofc_status sync_all(struct sync *y, struct stored_keys *keys, pprofc_error *error) {
  struct store_index *x = y->x;
  pprofc_status status = PPROFC_OK;
  bool good = sync_begin(y, keys);
  for (size_t i = 0; i < keys->count && good && status == PPROFC_OK; i++) {
    if (keys->items[i].size == UINT64_MAX) continue;
    status = past_read_one(&y->fresh, x->backing, keys->items[i].name, error);
    if (status == PPROFC_OK && y->fresh.run_count) good = sync_add(y);
  }
  x->past->skipped = y->fresh.skipped;
  return status == PPROFC_OK && !good && x->code == SQLITE_OK ? error_nomem(error) : status;
}

pprofc_status index_sync(struct store_index *x, struct stored_keys *keys, pprofc_error *error) {
  struct sync y;
  sync_init(&y, x);
  pprofc_status status = sync_all(&y, keys, error);
  sync_free(&y);
  return status;
}

#endif
