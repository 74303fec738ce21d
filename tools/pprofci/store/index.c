/* Maintains the index of a store: a cache of its records in SQLite, rebuilt if it is damaged. */
#include "store/store.h"

#ifdef HAVE_SQLITE3
#include "core/library.h"
#include "run/files.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Functions of the SQLite library that the index calls. */
#define SQLITE_FUNCTIONS(X)                                                                        \
  X(open_v2)                                                                                       \
  X(close)                                                                                         \
  X(busy_timeout)                                                                                  \
  X(exec)                                                                                          \
  X(prepare_v2)                                                                                    \
  X(step)                                                                                          \
  X(reset)                                                                                         \
  X(finalize)                                                                                      \
  X(bind_int64)                                                                                    \
  X(bind_text)                                                                                     \
  X(bind_double)                                                                                   \
  X(column_int64)                                                                                  \
  X(column_text)                                                                                   \
  X(column_double)                                                                                 \
  X(column_bytes)                                                                                  \
  X(last_insert_rowid)                                                                             \
  X(errmsg)

#define SQLITE_FIELD(name) __typeof__(sqlite3_##name) *name;
struct sqlite {
  SQLITE_FUNCTIONS(SQLITE_FIELD)
};
#undef SQLITE_FIELD

struct store_index {
  struct sqlite lib;
  sqlite3 *db;
  const char *path;
  struct past *past;
  struct backing *backing;
  int code; /* SQLite's code of the first failed call, or SQLITE_OK */
};

/* ---- SQLite ----------------------------------------- */

#define SQLITE_ENTRY(name) {"sqlite3_" #name, &lib->name},

static pprofc_status index_load_library(struct sqlite *lib, pprofc_error *error) {
  const struct library_function functions[] = {SQLITE_FUNCTIONS(SQLITE_ENTRY)};
  return library_load(library_names(LIBRARY_SQLITE, SYSTEM_HERE), functions,
                      sizeof functions / sizeof *functions, error);
}

/* True if the code means success. Otherwise records the code if no earlier call failed. */
static bool index_good(struct store_index *x, int code) {
  bool good = code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE;
  if (!good && x->code == SQLITE_OK) x->code = code & 0xff;
  return good;
}

static bool index_exec(struct store_index *x, const char *sql) {
  return index_good(x, x->lib.exec(x->db, sql, NULL, NULL, NULL));
}

static bool index_prepare(struct store_index *x, const char *sql, sqlite3_stmt **statement) {
  return index_good(x, x->lib.prepare_v2(x->db, sql, -1, statement, NULL));
}

/* Runs a statement that returns no rows. */
static bool index_run(struct store_index *x, sqlite3_stmt *statement) {
  bool good = index_good(x, x->lib.step(statement));
  return index_good(x, x->lib.reset(statement)) && good;
}

static bool index_bind_int(struct store_index *x, sqlite3_stmt *statement, int place,
                           int64_t value) {
  return index_good(x, x->lib.bind_int64(statement, place, value));
}

static bool index_bind_text(struct store_index *x, sqlite3_stmt *statement, int place,
                            pprofc_str text) {
  const char *data = text.data ? text.data : "";
  return index_good(x, x->lib.bind_text(statement, place, data, (int)text.size, SQLITE_STATIC));
}

static bool index_bind_texts(struct store_index *x, sqlite3_stmt *statement, int first,
                             const pprofc_str *texts, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!index_bind_text(x, statement, first + (int)i, texts[i])) return false;
  return true;
}

/* Returns the number that an SQL statement selects, or -1. */
static int64_t index_number(struct store_index *x, const char *sql) {
  sqlite3_stmt *s = NULL;
  int64_t number = -1;
  if (index_prepare(x, sql, &s) && x->lib.step(s) == SQLITE_ROW) number = x->lib.column_int64(s, 0);
  (void)index_good(x, x->lib.finalize(s));
  return number;
}

static pprofc_str index_text(struct store_index *x, sqlite3_stmt *statement, int column) {
  const char *text = (const char *)x->lib.column_text(statement, column);
  return (pprofc_str){text ? text : "", (size_t)x->lib.column_bytes(statement, column)};
}

/* ---- reading ---------------------------------------- */

/* Maps the ids of runs or series in the index to their array indices in memory. */
struct load_places {
  size_t *items; /* for each id in the index, its array index plus one; 0: no such id */
  size_t count;  /* largest id in the index, plus one */
};

/* Records that the index is damaged. Always returns false. */
static bool load_broken(struct store_index *x) {
  return index_good(x, SQLITE_CORRUPT);
}

static bool load_place(const struct load_places *places, int64_t id, size_t *place) {
  if (id < 0 || (uint64_t)id >= places->count || !places->items[id]) return false;
  *place = places->items[id] - 1;
  return true;
}

static struct load_places load_make_places(struct store_index *x, struct arena *arena,
                                           const char *sql) {
  int64_t most = index_number(x, sql);
  size_t count = most > 0 ? (size_t)most + 1 : 1;
  return (struct load_places){arena_zero_array(arena, count, sizeof(size_t)), count};
}

/* Adds the points (measured values) of the last run in `past`. The statement `s` selects these
 * points. */
static bool load_points(struct store_index *x, sqlite3_stmt *s, int64_t run, int64_t count,
                        const struct load_places *series) {
  if (!index_bind_int(x, s, 1, run)) return false;
  while (x->lib.step(s) == SQLITE_ROW) {
    size_t place;
    if (!load_place(series, x->lib.column_int64(s, 0), &place)) return load_broken(x);
    past_add_point(x->past, (uint32_t)place, x->lib.column_double(s, 1));
    count--;
  }
  if (!index_good(x, x->lib.reset(s))) return false;
  return !count || load_broken(x);
}

static void load_run(struct store_index *x, sqlite3_stmt *s, struct load_places *runs) {
  struct past *past = x->past;
  struct past_run *run = past_add_run(past, text_keep(&past->arena, index_text(x, s, 1)));
  pprofc_str *const texts[] = {&run->place.commit, &run->branch, &run->machine, &run->verdict,
                               &run->headline};
  for (int i = 0; i < 5; i++) *texts[i] = index_text(x, s, 2 + i);
  text_keep_all(&past->arena, texts, 5);
  run->place.time = x->lib.column_int64(s, 7);
  run->place.order = x->lib.column_int64(s, 8);
  run->status = x->lib.column_int64(s, 9);
  runs->items[x->lib.column_int64(s, 0)] = past->run_count;
  if (past->runs_only) run->points = (size_t)x->lib.column_int64(s, 10);
}

static bool load_runs(struct store_index *x, struct load_places *runs,
                      const struct load_places *series) {
  sqlite3_stmt *s = NULL, *points = NULL;
  bool good =
      index_prepare(x,
                    "SELECT id, key, commit_id, branch, machine, verdict, headline, time, "
                    "position, status, results FROM runs ORDER BY id",
                    &s) &&
      index_prepare(x, "SELECT series, value FROM points WHERE run=? ORDER BY place", &points);
  while (good && x->lib.step(s) == SQLITE_ROW) {
    load_run(x, s, runs);
    if (!x->past->runs_only)
      good = load_points(x, points, x->lib.column_int64(s, 0), x->lib.column_int64(s, 10), series);
  }
  (void)x->lib.finalize(points);
  return index_good(x, x->lib.finalize(s)) && good;
}

static bool load_series(struct store_index *x, struct load_places *series) {
  sqlite3_stmt *s = NULL;
  bool good =
      index_prepare(x, "SELECT id, grp, benchmark, unit, direction FROM series ORDER BY id", &s);
  while (good && x->lib.step(s) == SQLITE_ROW) {
    uint32_t id = past_add_series(x->past, index_text(x, s, 1), index_text(x, s, 2),
                                  index_text(x, s, 3), (int)x->lib.column_int64(s, 4));
    series->items[x->lib.column_int64(s, 0)] = (size_t)id + 1;
  }
  return index_good(x, x->lib.finalize(s)) && good;
}

static bool load_profile(struct store_index *x, sqlite3_stmt *s, const struct load_places *runs) {
  struct past *past = x->past;
  size_t place;
  if (!load_place(runs, x->lib.column_int64(s, 0), &place)) return load_broken(x);
  struct past_run *run = &past->runs[place];
  const struct past_profile profile = {.kind = index_text(x, s, 1),
                                       .package = index_text(x, s, 2),
                                       .benchmark = index_text(x, s, 3),
                                       .name = index_text(x, s, 4),
                                       .sha256 = index_text(x, s, 5),
                                       .size = x->lib.column_int64(s, 6)};
  if (!run->profiles) run->first_profile = past->profile_count;
  past_add_profile(past, run, &profile);
  return true;
}

static bool load_profiles(struct store_index *x, const struct load_places *runs) {
  sqlite3_stmt *s = NULL;
  bool good = index_prepare(x,
                            "SELECT run, kind, package, benchmark, name, sha256, size FROM "
                            "profiles ORDER BY run, rowid",
                            &s);
  while (good && x->lib.step(s) == SQLITE_ROW) good = load_profile(x, s, runs);
  return index_good(x, x->lib.finalize(s)) && good;
}

/* Reads all runs of the index into `past`. Returns false on failure. */
static bool index_load(struct store_index *x, struct arena *arena) {
  struct load_places runs = load_make_places(x, arena, "SELECT max(id) FROM runs");
  struct load_places series = load_make_places(x, arena, "SELECT max(id) FROM series");
  return load_series(x, &series) && load_runs(x, &runs, &series) && load_profiles(x, &runs);
}

/* ---- updating --------------------------------------- */

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
  /* the run of the current record, and the series of all records so far */
  struct past fresh;
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
    if (found < 0) return false;
    if (found > UINT32_MAX) return load_broken(y->x);
    uint32_t small = (uint32_t)found;
    buffer_add(&y->ids, &small, sizeof small);
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

/* Marks each key that is already in the index by the size UINT64_MAX. Deletes the runs in the index
 * whose record is gone. */
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

static bool sync_begin(struct sync *y, struct stored_keys *keys) {
  bool good = sync_compare(y->x, keys);
  for (size_t i = 0; i < STATEMENTS && good; i++)
    good = index_prepare(y->x, sync_statements[i], &y->statements[i]);
  return good;
}

/* Adds the records that the index lacks, and deletes the runs in the index whose record is gone. */
static pprofc_status index_sync(struct store_index *x, struct stored_keys *keys,
                                pprofc_error *error) {
  struct sync y = {.x = x};
  pprofc_status status = PPROFC_OK;
  past_init(&y.fresh);
  buffer_init(&y.ids, &ci_mem, SIZE_MAX / 2);
  bool good = sync_begin(&y, keys);
  for (size_t i = 0; i < keys->count && good && status == PPROFC_OK; i++) {
    if (keys->items[i].size == UINT64_MAX) continue;
    status = past_read_one(&y.fresh, x->backing, keys->items[i].name, error);
    if (status == PPROFC_OK && y.fresh.run_count) good = sync_add(&y);
  }
  x->past->skipped = y.fresh.skipped;
  for (size_t i = 0; i < STATEMENTS; i++)
    if (y.statements[i]) (void)x->lib.finalize(y.statements[i]);
  buffer_free(&y.ids);
  past_free(&y.fresh);
  return status;
}

/* ---- opening ---------------------------------------- */

#define INDEX_VERSION 3
#define INDEX_WAIT    10000 /* time to wait for the lock of another process, in milliseconds */

static const char index_schema[] =
    "CREATE TABLE runs(id INTEGER PRIMARY KEY, key TEXT UNIQUE, commit_id TEXT, branch TEXT,"
    " time INTEGER, position INTEGER, machine TEXT, verdict TEXT, headline TEXT, status INTEGER,"
    " results INTEGER, profiles INTEGER);"
    "CREATE TABLE series(id INTEGER PRIMARY KEY, grp TEXT, benchmark TEXT, unit TEXT,"
    " direction INTEGER, UNIQUE(grp, benchmark, unit));"
    "CREATE TABLE points(run INTEGER, place INTEGER, series INTEGER, value REAL NOT NULL,"
    " PRIMARY KEY(run, place)) WITHOUT ROWID;"
    "CREATE TABLE profiles(run INTEGER, kind TEXT, package TEXT, benchmark TEXT, name TEXT,"
    " sha256 TEXT, size INTEGER);"
    "CREATE INDEX profiles_of_run ON profiles(run);"
    "PRAGMA user_version=3;";

/* Returns the path of the index. A store in a folder has the index next to its records; a store in
 * a bucket has the index in the user's cache. */
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
  if (!index_good(x, x->lib.open_v2(
                         x->path, &x->db,
                         SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL)))
    return false;
  (void)x->lib.busy_timeout(x->db, INDEX_WAIT);
  if (!index_exec(x, "BEGIN IMMEDIATE")) return false;
  int64_t version = index_number(x, "PRAGMA user_version");
  int64_t tables = index_number(x, "SELECT count(*) FROM sqlite_master");
  if (x->code != SQLITE_OK) return false;
  if (version == INDEX_VERSION) return true;
  if (tables > 0) x->code = SQLITE_NOTADB; /* an index of another version counts as damaged */
  return tables == 0 && index_exec(x, index_schema);
}

static void index_close(struct store_index *x) {
  if (x->db) (void)x->lib.close(x->db);
  x->db = NULL;
}

static bool index_is_broken(const struct store_index *x) {
  return x->code == SQLITE_NOTADB || x->code == SQLITE_CORRUPT || x->code == SQLITE_SCHEMA ||
         x->code == SQLITE_ERROR;
}

/* Opens the index in a transaction. Rebuilds the index if it is damaged or has another version. */
static bool index_open(struct store_index *x) {
  if (index_open_file(x)) return true;
  if (!index_is_broken(x)) return false;
  index_close(x);
  message_note("pprofci: rebuilding the index '%s': broken or of another version", x->path);
  return unlink(x->path) == 0 && index_open_file(x);
}

/* Reports why the index is unusable, and sets *used to false. Returns an error if another process
 * holds the lock. */
static pprofc_status index_explain(struct store_index *x, bool *used, pprofc_error *error) {
  bool locked = x->code == SQLITE_BUSY || x->code == SQLITE_LOCKED;
  const char *why = x->db ? x->lib.errmsg(x->db) : "out of memory";
  if (locked)
    return error_set(error, PPROFC_E_IO,
                     "cannot use the index '%s': %s (by another process, for "
                     "more than %d seconds)",
                     x->path, why, INDEX_WAIT / 1000);
  if (index_is_broken(x) && unlink(x->path) == 0)
    message_note("pprofci: the index '%s' is broken; the next run rebuilds it", x->path);
  else if (x->code != SQLITE_READONLY && x->code != SQLITE_CANTOPEN && x->code != SQLITE_PERM)
    message_note("pprofci: the index '%s' is not used: %s", x->path, why);
  *used = false;
  return PPROFC_OK;
}

/* Returns false if the index is unusable. Closes the index before an error ends the command. */
static bool index_use(struct store_index *x, struct arena *arena) {
  struct stored_keys keys;
  pprofc_status status = PPROFC_OK;
  bool used = true;
  backing_list(x->backing, "runs", &keys);
  bool good = index_open(x);
  if (good) status = index_sync(x, &keys, &ci_error);
  good = good && x->code == SQLITE_OK;
  if (status == PPROFC_OK && good)
    good = index_exec(x, "COMMIT; BEGIN") && index_load(x, arena) && index_exec(x, "COMMIT");
  stored_keys_free(&keys);
  if (status == PPROFC_OK && !good) status = index_explain(x, &used, &ci_error);
  index_close(x);
  ci_need(status);
  return used;
}

bool index_read(struct past *past, struct backing *backing) {
  struct store_index x = {.past = past, .backing = backing};
  struct arena arena = ci_arena();
  pprofc_error ignored;
  if (index_load_library(&x.lib, &ignored) != PPROFC_OK) {
    message_note("pprofci: without an index: %s", ignored.message);
    return false;
  }
  x.path = index_path(&arena, backing);
  bool used = x.path && index_use(&x, &arena);
  arena_free(&arena);
  return used;
}

#else

bool index_read(struct past *past, struct backing *backing) {
  (void)past;
  (void)backing;
  return false;
}

#endif
