/* The index of a store: what its records say, in SQLite, so that they need not be read again. It is
 * a cache: when it is missing, old or broken it is made anew from the records. */
#include "store/index.h"

#ifdef HAVE_SQLITE3
#include "common/library.h"
#include "common/sha256.h"
#include "common/terminal.h"
#include "run/files.h"
#include "run/text.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define INDEX_VERSION 1
#define INDEX_WAIT    10000 /* milliseconds for another process */

/* The functions that are used. */
struct sqlite {
  int (*open_v2)(const char *path, sqlite3 **db, int flags, const char *vfs);
  int (*close)(sqlite3 *db);
  int (*busy_timeout)(sqlite3 *db, int milliseconds);
  int (*exec)(sqlite3 *db, const char *sql, int (*row)(void *, int, char **, char **), void *,
              char **);
  int (*prepare_v2)(sqlite3 *db, const char *sql, int size, sqlite3_stmt **statement,
                    const char **tail);
  int (*step)(sqlite3_stmt *statement);
  int (*reset)(sqlite3_stmt *statement);
  int (*finalize)(sqlite3_stmt *statement);
  int (*bind_int64)(sqlite3_stmt *statement, int place, sqlite3_int64 value);
  int (*bind_double)(sqlite3_stmt *statement, int place, double value);
  int (*bind_text)(sqlite3_stmt *statement, int place, const char *text, int size,
                   void (*destroy)(void *));
  sqlite3_int64 (*column_int64)(sqlite3_stmt *statement, int column);
  double (*column_double)(sqlite3_stmt *statement, int column);
  const unsigned char *(*column_text)(sqlite3_stmt *statement, int column);
  int (*column_bytes)(sqlite3_stmt *statement, int column);
  sqlite3_int64 (*last_insert_rowid)(sqlite3 *db);
  const char *(*errmsg)(sqlite3 *db);
};

enum { ADD_RUN, ADD_SERIES, FIND_SERIES, ADD_POINT, ADD_PROFILE, STATEMENTS };

static const char *const index_statements[STATEMENTS] = {
    ("INSERT INTO runs(key, commit_id, branch, time, position, machine, verdict, headline, status, "
     "results, profiles) VALUES(?,?,?,?,?,?,?,?,?,?,?)"),
    "INSERT INTO series(grp, benchmark, unit, direction) VALUES(?,?,?,?)",
    "SELECT id FROM series WHERE grp=? AND benchmark=? AND unit=?",
    "INSERT OR REPLACE INTO points(series, run, value) VALUES(?,?,?)",
    "INSERT INTO profiles(run, kind, package, benchmark, name, sha256, size) VALUES(?,?,?,?,?,?,?)",
};

static const char index_schema[] =
    "CREATE TABLE runs(id INTEGER PRIMARY KEY, key TEXT UNIQUE, commit_id TEXT, branch TEXT,"
    " time INTEGER, position INTEGER, machine TEXT, verdict TEXT, headline TEXT, status INTEGER,"
    " results INTEGER, profiles INTEGER);"
    "CREATE TABLE series(id INTEGER PRIMARY KEY, grp TEXT, benchmark TEXT, unit TEXT,"
    " direction INTEGER, UNIQUE(grp, benchmark, unit));"
    "CREATE TABLE points(series INTEGER, run INTEGER, value REAL, PRIMARY KEY(series, run))"
    " WITHOUT ROWID;"
    "CREATE TABLE profiles(run INTEGER, kind TEXT, package TEXT, benchmark TEXT, name TEXT,"
    " sha256 TEXT, size INTEGER);"
    "CREATE INDEX profiles_of_run ON profiles(run);"
    "PRAGMA user_version=1;";

struct store_index {
  struct sqlite lib;
  sqlite3 *db;
  const char *path;
  sqlite3_stmt *statements[STATEMENTS];
  struct past *past;
  struct backing *backing;
  int code; /* of SQLite, of what failed first */
};

/* ---- SQLite ------------------------------------------ */

static bool index_good(struct store_index *x, int code) {
  bool good = code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE;
  if (!good && x->code == SQLITE_OK) x->code = code & 0xff;
  return good;
}

static bool index_exec(struct store_index *x, const char *sql) {
  return index_good(x, x->lib.exec(x->db, sql, NULL, NULL, NULL));
}

static bool index_bind_text(struct store_index *x, sqlite3_stmt *s, int place, pprofc_str text) {
  const char *data = text.data ? text.data : "";
  return index_good(x, x->lib.bind_text(s, place, data, (int)text.size, SQLITE_STATIC));
}

static bool index_bind_texts(struct store_index *x, sqlite3_stmt *s, int first,
                             const pprofc_str *texts, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!index_bind_text(x, s, first + (int)i, texts[i])) return false;
  return true;
}

static bool index_bind_int(struct store_index *x, sqlite3_stmt *s, int place, int64_t value) {
  return index_good(x, x->lib.bind_int64(s, place, value));
}

/* Runs a statement that gives no rows. */
static bool index_run(struct store_index *x, sqlite3_stmt *s) {
  bool good = index_good(x, x->lib.step(s));
  return index_good(x, x->lib.reset(s)) && good;
}

static bool index_prepare(struct store_index *x, const char *sql, sqlite3_stmt **s) {
  return index_good(x, x->lib.prepare_v2(x->db, sql, -1, s, NULL));
}

static int64_t index_number(struct store_index *x, const char *sql) {
  sqlite3_stmt *s = NULL;
  int64_t number = -1;
  if (index_prepare(x, sql, &s) && x->lib.step(s) == SQLITE_ROW) number = x->lib.column_int64(s, 0);
  (void)index_good(x, x->lib.finalize(s));
  return number;
}

static pprofc_str index_text(struct store_index *x, sqlite3_stmt *s, int column) {
  const char *text = (const char *)x->lib.column_text(s, column);
  return (pprofc_str){text ? text : "", (size_t)x->lib.column_bytes(s, column)};
}

/* ---- opening ----------------------------------------- */

static pprofc_status index_load_library(struct sqlite *lib, pprofc_error *error) {
  const struct library_function functions[] = {
      {"sqlite3_open_v2", &lib->open_v2},
      {"sqlite3_close", &lib->close},
      {"sqlite3_busy_timeout", &lib->busy_timeout},
      {"sqlite3_exec", &lib->exec},
      {"sqlite3_prepare_v2", &lib->prepare_v2},
      {"sqlite3_step", &lib->step},
      {"sqlite3_reset", &lib->reset},
      {"sqlite3_finalize", &lib->finalize},
      {"sqlite3_bind_int64", &lib->bind_int64},
      {"sqlite3_bind_double", &lib->bind_double},
      {"sqlite3_bind_text", &lib->bind_text},
      {"sqlite3_column_int64", &lib->column_int64},
      {"sqlite3_column_double", &lib->column_double},
      {"sqlite3_column_text", &lib->column_text},
      {"sqlite3_column_bytes", &lib->column_bytes},
      {"sqlite3_last_insert_rowid", &lib->last_insert_rowid},
      {"sqlite3_errmsg", &lib->errmsg},
  };
  return library_load("libsqlite3.so.0", "libsqlite3-0", functions,
                      sizeof functions / sizeof *functions, error);
}

/* Beside the records; that of a bucket among the caches of the user. */
static const char *index_path(struct arena *arena, const struct backing *backing) {
  char hex[SHA256_HEX + 1];
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  if (!*backing->kind->scheme) return text_printf(arena, "%s/index.sqlite", backing->where);
  if (!cache || !*cache) cache = home && *home ? text_printf(arena, "%s/.cache", home) : NULL;
  if (!cache) return NULL;
  const char *folder = text_printf(arena, "%s/pprofci", cache);
  const char *server = getenv("AWS_ENDPOINT_URL");
  const char *name = text_printf(arena, "%s %s", server ? server : "", backing->where);
  if (!folder || !name || !files_make_folders(folder)) return NULL;
  sha256_hex_of(str_of(name), hex);
  return text_printf(arena, "%s/%.16s.sqlite", folder, hex);
}

static bool index_open_file(struct store_index *x) {
  x->code = SQLITE_OK;
  if (!index_good(
          x, x->lib.open_v2(x->path, &x->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL)))
    return false;
  (void)x->lib.busy_timeout(x->db, INDEX_WAIT);
  if (!index_exec(x, "BEGIN IMMEDIATE")) return false;
  int64_t version = index_number(x, "PRAGMA user_version");
  int64_t tables = index_number(x, "SELECT count(*) FROM sqlite_master");
  if (x->code != SQLITE_OK) return false;
  if (version == INDEX_VERSION) return true;
  if (tables > 0) x->code = SQLITE_NOTADB; /* of another version */
  return tables == 0 && index_exec(x, index_schema);
}

static void index_close(struct store_index *x) {
  for (size_t i = 0; i < STATEMENTS; i++) {
    if (x->statements[i]) (void)x->lib.finalize(x->statements[i]);
    x->statements[i] = NULL;
  }
  if (x->db) (void)x->lib.close(x->db);
  x->db = NULL;
}

static bool index_is_broken(const struct store_index *x) {
  return x->code == SQLITE_NOTADB || x->code == SQLITE_CORRUPT || x->code == SQLITE_SCHEMA ||
         x->code == SQLITE_ERROR;
}

/* Opens the index in a transaction; one that is broken or of another version is made anew. */
static bool index_open(struct store_index *x) {
  if (index_open_file(x)) return true;
  if (!index_is_broken(x)) return false;
  index_close(x);
  message_note("pprofci: the index '%s' is broken; it is made anew", x->path);
  return unlink(x->path) == 0 && index_open_file(x);
}

/* ---- bringing it up to date -------------------------- */

static int64_t index_series_id(struct store_index *x, const struct past_series *series) {
  const pprofc_str texts[] = {series->group, series->name, series->unit};
  sqlite3_stmt *find = x->statements[FIND_SERIES], *add = x->statements[ADD_SERIES];
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

static bool index_add_run(struct store_index *x, const struct past_run *run) {
  sqlite3_stmt *s = x->statements[ADD_RUN];
  const pprofc_str first[] = {str_of(run->key), run->place.commit, run->branch};
  const pprofc_str second[] = {run->machine, run->verdict, run->headline};
  return index_bind_texts(x, s, 1, first, 3) && index_bind_int(x, s, 4, run->place.time) &&
         index_bind_int(x, s, 5, run->place.order) && index_bind_texts(x, s, 6, second, 3) &&
         index_bind_int(x, s, 9, run->status) && index_bind_int(x, s, 10, (int64_t)run->points) &&
         index_bind_int(x, s, 11, (int64_t)run->profiles) && index_run(x, s);
}

static bool index_add_profile(struct store_index *x, int64_t run,
                              const struct past_profile *profile) {
  sqlite3_stmt *s = x->statements[ADD_PROFILE];
  const pprofc_str texts[] = {profile->kind, profile->package, profile->benchmark, profile->name,
                              profile->sha256};
  return index_bind_int(x, s, 1, run) && index_bind_texts(x, s, 2, texts, 5) &&
         index_bind_int(x, s, 7, profile->size) && index_run(x, s);
}

/* Series of `fresh` are numbered anew for each record, so `ids` keeps those of the index. */
static bool index_add_points(struct store_index *x, int64_t id, const struct past *fresh,
                             const struct past_run *run, struct buffer *ids) {
  sqlite3_stmt *s = x->statements[ADD_POINT];
  for (size_t i = 0; i < run->points; i++) {
    const struct past_point *point = &fresh->points[run->first_point + i];
    while (ids->size / sizeof(int64_t) <= point->series && !ids->failed) {
      int64_t series = index_series_id(x, &fresh->series[ids->size / sizeof(int64_t)]);
      if (series < 0) return false;
      buffer_add(ids, &series, sizeof series);
    }
    if (ids->failed) return false;
    int64_t series = ((const int64_t *)(const void *)ids->data)[point->series];
    if (!index_bind_int(x, s, 1, series) || !index_bind_int(x, s, 2, id) ||
        !index_good(x, x->lib.bind_double(s, 3, point->value)) || !index_run(x, s))
      return false;
  }
  return true;
}

/* Adds the last run of `fresh`, and forgets it there. */
static bool index_add(struct store_index *x, struct past *fresh, struct buffer *ids) {
  const struct past_run *run = &fresh->runs[fresh->run_count - 1];
  if (!index_add_run(x, run)) return false;
  int64_t id = x->lib.last_insert_rowid(x->db);
  bool good = index_add_points(x, id, fresh, run, ids);
  for (size_t i = 0; i < run->profiles && good; i++)
    good = index_add_profile(x, id, &fresh->profiles[run->first_profile + i]);
  fresh->run_count = fresh->point_count = fresh->profile_count = 0;
  return good;
}

static bool index_drop(struct store_index *x, int64_t id) {
  char sql[200];
  snprintf(sql, sizeof sql,
           "DELETE FROM points WHERE run=%lld; DELETE FROM profiles WHERE run=%lld; "
           "DELETE FROM runs WHERE id=%lld",
           (long long)id, (long long)id, (long long)id);
  return index_exec(x, sql);
}

/* Marks the keys that the index has, by UINT64_MAX as their size, and drops runs that are gone. */
static bool index_compare(struct store_index *x, struct stored_keys *keys) {
  sqlite3_stmt *s = NULL;
  size_t place = 0;
  bool good = index_prepare(x, "SELECT id, key FROM runs ORDER BY key", &s);
  while (good && x->lib.step(s) == SQLITE_ROW) {
    pprofc_str key = index_text(x, s, 1);
    while (place < keys->count && str_compare(str_of(keys->items[place].name), key) < 0) place++;
    if (place < keys->count && str_equal(str_of(keys->items[place].name), key))
      keys->items[place].size = UINT64_MAX;
    else
      good = index_drop(x, x->lib.column_int64(s, 0));
  }
  return index_good(x, x->lib.finalize(s)) && good;
}

static pprofc_status index_sync(struct store_index *x, struct past *fresh, struct stored_keys *keys,
                                pprofc_error *error) {
  struct buffer ids;
  pprofc_status status = PPROFC_OK;
  buffer_init(&ids, &mem_default, SIZE_MAX / 2);
  bool good = index_compare(x, keys);
  for (size_t i = 0; i < STATEMENTS && good; i++)
    good = index_prepare(x, index_statements[i], &x->statements[i]);
  for (size_t i = 0; i < keys->count && good && status == PPROFC_OK; i++) {
    if (keys->items[i].size == UINT64_MAX) continue;
    status = past_read_one(fresh, x->backing, keys->items[i].name, error);
    if (status == PPROFC_OK && fresh->run_count) good = index_add(x, fresh, &ids);
  }
  x->past->skipped = fresh->skipped;
  buffer_free(&ids);
  if (status == PPROFC_OK && !good && x->code == SQLITE_OK) status = error_nomem(error);
  return status;
}

/* ---- loading ----------------------------------------- */

/* The place of a run among those that are loaded, by its id. */
struct index_places {
  size_t *items;
  size_t count; /* one more than the greatest id */
};

static bool index_load_run(struct store_index *x, sqlite3_stmt *s, struct index_places *places) {
  struct past *past = x->past;
  pprofc_str key = index_text(x, s, 1);
  const char *name = text_keep(&past->arena, key);
  struct past_run *run = name ? past_add_run(past, name) : NULL;
  if (!run) return false;
  pprofc_str *const texts[] = {&run->place.commit, &run->branch, &run->machine, &run->verdict,
                               &run->headline};
  for (int i = 0; i < 5; i++) {
    *texts[i] = arena_str(&past->arena, index_text(x, s, 2 + i));
    if (!texts[i]->data) return false;
  }
  run->place.time = x->lib.column_int64(s, 7);
  run->place.order = x->lib.column_int64(s, 8);
  run->status = x->lib.column_int64(s, 9);
  run->points = (size_t)x->lib.column_int64(s, 10);
  run->profiles = 0;
  run->first_point = past->point_count;
  past->point_count += run->points;
  places->items[x->lib.column_int64(s, 0)] = past->run_count - 1;
  return true;
}

static bool index_load_runs(struct store_index *x, struct index_places *places) {
  sqlite3_stmt *s = NULL;
  bool good = index_prepare(x,
                            "SELECT id, key, commit_id, branch, machine, verdict, headline, time, "
                            "position, status, results FROM runs ORDER BY id",
                            &s);
  while (good && x->lib.step(s) == SQLITE_ROW) good = index_load_run(x, s, places);
  return index_good(x, x->lib.finalize(s)) && good;
}

static bool index_load_series(struct store_index *x, struct index_places *series) {
  sqlite3_stmt *s = NULL;
  bool good =
      index_prepare(x, "SELECT id, grp, benchmark, unit, direction FROM series ORDER BY id", &s);
  while (good && x->lib.step(s) == SQLITE_ROW) {
    uint32_t id = past_add_series(x->past, index_text(x, s, 1), index_text(x, s, 2),
                                  index_text(x, s, 3), (int)x->lib.column_int64(s, 4));
    good = id != MAP_NONE;
    series->items[x->lib.column_int64(s, 0)] = id;
  }
  return index_good(x, x->lib.finalize(s)) && good;
}

/* Points come by series; those of a run follow one another in memory. */
static bool index_load_points(struct store_index *x, const struct index_places *runs,
                              const struct index_places *series) {
  sqlite3_stmt *s = NULL;
  struct past *past = x->past;
  size_t room = past->point_count;
  past->points = mem_array(&mem_default, room, sizeof *past->points);
  if (!past->points) return false;
  past->point_capacity = room;
  for (size_t i = 0; i < past->run_count; i++) past->runs[i].points = 0;
  bool good = index_prepare(x, "SELECT series, run, value FROM points", &s);
  while (good && x->lib.step(s) == SQLITE_ROW) {
    struct past_run *run = &past->runs[runs->items[x->lib.column_int64(s, 1)]];
    size_t place = run->first_point + run->points++;
    good = place < room;
    if (good)
      past->points[place] = (struct past_point){(uint32_t)series->items[x->lib.column_int64(s, 0)],
                                                x->lib.column_double(s, 2)};
  }
  return index_good(x, x->lib.finalize(s)) && good;
}

static bool index_load_profiles(struct store_index *x, const struct index_places *runs) {
  sqlite3_stmt *s = NULL;
  struct past *past = x->past;
  bool good = index_prepare(x,
                            "SELECT run, kind, package, benchmark, name, sha256, size FROM "
                            "profiles ORDER BY run, rowid",
                            &s);
  while (good && x->lib.step(s) == SQLITE_ROW) {
    struct past_run *run = &past->runs[runs->items[x->lib.column_int64(s, 0)]];
    const struct past_profile profile = {.kind = index_text(x, s, 1),
                                         .package = index_text(x, s, 2),
                                         .benchmark = index_text(x, s, 3),
                                         .name = index_text(x, s, 4),
                                         .sha256 = index_text(x, s, 5),
                                         .size = x->lib.column_int64(s, 6)};
    if (!run->profiles) run->first_profile = past->profile_count;
    good = past_add_profile(past, run, &profile);
  }
  return index_good(x, x->lib.finalize(s)) && good;
}

static bool index_make_places(struct store_index *x, struct arena *arena, const char *sql,
                              struct index_places *places) {
  int64_t most = index_number(x, sql);
  places->count = most > 0 ? (size_t)most + 1 : 1;
  places->items = arena_zero_array(arena, places->count, sizeof *places->items);
  return places->items != NULL;
}

static bool index_load(struct store_index *x, struct arena *arena) {
  struct index_places runs, series;
  return index_make_places(x, arena, "SELECT max(id) FROM runs", &runs) &&
         index_make_places(x, arena, "SELECT max(id) FROM series", &series) &&
         index_load_runs(x, &runs) && index_load_series(x, &series) &&
         (x->past->runs_only || index_load_points(x, &runs, &series)) &&
         index_load_profiles(x, &runs);
}

/* ---- all --------------------------------------------- */

/* What cannot be helped by reading the records: a lock that stays. */
static pprofc_status index_explain(struct store_index *x, bool *used, pprofc_error *error) {
  bool locked = x->code == SQLITE_BUSY || x->code == SQLITE_LOCKED;
  const char *why = x->db ? x->lib.errmsg(x->db) : "out of memory";
  if (locked)
    return error_set(error, PPROFC_E_IO,
                     "cannot use the index '%s': %s (by another process, for "
                     "more than %d seconds)",
                     x->path, why, INDEX_WAIT / 1000);
  if (x->code != SQLITE_READONLY && x->code != SQLITE_CANTOPEN && x->code != SQLITE_PERM)
    message_note("pprofci: the index '%s' is not used: %s", x->path, why);
  *used = false;
  return PPROFC_OK;
}

static pprofc_status index_use(struct store_index *x, struct arena *arena, bool *used,
                               pprofc_error *error) {
  struct stored_keys keys;
  struct past fresh;
  pprofc_status status = backing_list(x->backing, "runs", &keys, error);
  past_init(&fresh);
  bool good = status == PPROFC_OK && index_open(x);
  if (good) status = index_sync(x, &fresh, &keys, error);
  good = good && x->code == SQLITE_OK;
  if (status == PPROFC_OK && good)
    good = index_exec(x, "COMMIT; BEGIN") && index_load(x, arena) && index_exec(x, "COMMIT");
  past_free(&fresh);
  stored_keys_free(&keys);
  if (status == PPROFC_OK && !good) status = index_explain(x, used, error);
  index_close(x);
  return status;
}

pprofc_status index_read(struct past *past, struct backing *backing, bool *used,
                         pprofc_error *error) {
  struct store_index x = {.past = past, .backing = backing};
  struct arena arena;
  pprofc_error ignored;
  *used = false;
  if (index_load_library(&x.lib, &ignored) != PPROFC_OK) {
    message_note("pprofci: without an index: %s", ignored.message);
    return PPROFC_OK;
  }
  arena_init(&arena, &mem_default);
  x.path = index_path(&arena, backing);
  *used = x.path != NULL;
  pprofc_status status = x.path ? index_use(&x, &arena, used, error) : PPROFC_OK;
  arena_free(&arena);
  return status;
}

#else

pprofc_status index_read(struct past *past, struct backing *backing, bool *used,
                         pprofc_error *error) {
  (void)past;
  (void)backing;
  (void)error;
  *used = false;
  return PPROFC_OK;
}

#endif
