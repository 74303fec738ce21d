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
  X(sqlite3_, open_v2)                                                                             \
  X(sqlite3_, close)                                                                               \
  X(sqlite3_, busy_timeout)                                                                        \
  X(sqlite3_, exec)                                                                                \
  X(sqlite3_, prepare_v2)                                                                          \
  X(sqlite3_, step)                                                                                \
  X(sqlite3_, reset)                                                                               \
  X(sqlite3_, finalize)                                                                            \
  X(sqlite3_, bind_int64)                                                                          \
  X(sqlite3_, bind_text)                                                                           \
  X(sqlite3_, bind_double)                                                                         \
  X(sqlite3_, column_int64)                                                                        \
  X(sqlite3_, column_text)                                                                         \
  X(sqlite3_, column_double)                                                                       \
  X(sqlite3_, column_bytes)                                                                        \
  X(sqlite3_, last_insert_rowid)                                                                   \
  X(sqlite3_, errmsg)

struct sqlite {
  SQLITE_FUNCTIONS(LIBRARY_FIELD)
};

enum {
  READ_SERIES,
  READ_RUNS,
  READ_POINTS,
  READ_PROFILES,
  ADD_SERIES,
  ADD_RUN,
  ADD_POINT,
  ADD_PROFILE,
  STATEMENTS
};

static const char *const index_statements[STATEMENTS] = {
    "SELECT id, direction, grp, benchmark, unit FROM series ORDER BY id",
    ("SELECT id, time, position, status, results, key, commit_id, branch, machine, verdict, "
     "headline"
     " FROM runs ORDER BY id"),
    "SELECT series, value FROM points WHERE run=? ORDER BY place",
    "SELECT size, kind, package, benchmark, name, sha256 FROM profiles WHERE run=? ORDER BY rowid",
    "INSERT INTO series(grp, benchmark, unit, id, direction) VALUES(?,?,?,?,?)",
    ("INSERT INTO runs(key, commit_id, branch, machine, verdict, headline, time, position, status,"
     " results, profiles) VALUES(?,?,?,?,?,?,?,?,?,?,?)"),
    "INSERT INTO points(run, place, series, value) VALUES(?,?,?,?)",
    "INSERT INTO profiles(kind, package, benchmark, name, sha256, run, size) VALUES(?,?,?,?,?,?,?)",
};

/* The id of a series in the index is its array index in `past`, plus 1. */
struct store_index {
  struct sqlite lib;
  sqlite3 *db;
  sqlite3_stmt *statements[STATEMENTS];
  const char *path;
  struct past *past;
  struct backing *backing;
  int code; /* SQLite's code of the first failed call, or SQLITE_OK */
};

/* ---- SQLite ----------------------------------------- */

static pprofc_status index_load_library(struct sqlite *library, pprofc_error *error) {
  const struct library_function functions[] = {SQLITE_FUNCTIONS(LIBRARY_ENTRY)};
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

/* Runs a statement that returns no rows. Binds its first parameters to `texts`, and the parameters
 * after them to `numbers`. */
static bool index_run(struct store_index *x, int statement, const pprofc_str *texts, int text_count,
                      const int64_t *numbers, int number_count) {
  sqlite3_stmt *s = x->statements[statement];
  bool good = true;
  for (int i = 0; i < text_count && good; i++) {
    const char *data = texts[i].data ? texts[i].data : "";
    good = index_good(x, x->lib.bind_text(s, i + 1, data, (int)texts[i].size, SQLITE_STATIC));
  }
  for (int i = 0; i < number_count && good; i++)
    good = index_good(x, x->lib.bind_int64(s, text_count + i + 1, numbers[i]));
  good = good && index_good(x, x->lib.step(s));
  return index_good(x, x->lib.reset(s)) && good;
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

/* Records that the index is damaged. Always returns false. */
static bool index_damaged(struct store_index *x) {
  return index_good(x, SQLITE_CORRUPT);
}

/* ---- reading ---------------------------------------- */

static bool load_series(struct store_index *x) {
  sqlite3_stmt *s = x->statements[READ_SERIES];
  while (x->lib.step(s) == SQLITE_ROW) {
    uint32_t place = past_add_series(x->past, index_text(x, s, 2), index_text(x, s, 3),
                                     index_text(x, s, 4), (int)x->lib.column_int64(s, 1));
    if (x->lib.column_int64(s, 0) != (int64_t)place + 1) return index_damaged(x);
  }
  return index_good(x, x->lib.reset(s));
}

/* Adds the points (measured values) of the last run in `past`. */
static bool load_points(struct store_index *x, int64_t id, int64_t count) {
  sqlite3_stmt *s = x->statements[READ_POINTS];
  if (!index_good(x, x->lib.bind_int64(s, 1, id))) return false;
  for (; x->lib.step(s) == SQLITE_ROW; count--) {
    int64_t series = x->lib.column_int64(s, 0);
    if (series < 1 || (uint64_t)series > x->past->series_count) return index_damaged(x);
    past_add_point(x->past, (uint32_t)(series - 1), x->lib.column_double(s, 1));
  }
  if (!index_good(x, x->lib.reset(s))) return false;
  return !count || index_damaged(x);
}

static bool load_profiles(struct store_index *x, int64_t id) {
  sqlite3_stmt *s = x->statements[READ_PROFILES];
  if (!index_good(x, x->lib.bind_int64(s, 1, id))) return false;
  while (x->lib.step(s) == SQLITE_ROW) {
    const struct past_profile profile = {.kind = index_text(x, s, 1),
                                         .package = index_text(x, s, 2),
                                         .benchmark = index_text(x, s, 3),
                                         .name = index_text(x, s, 4),
                                         .sha256 = index_text(x, s, 5),
                                         .size = x->lib.column_int64(s, 0)};
    past_add_profile(x->past, &x->past->runs[x->past->run_count - 1], &profile);
  }
  return index_good(x, x->lib.reset(s));
}

static bool load_run(struct store_index *x, struct stored_key *key) {
  struct past *past = x->past;
  sqlite3_stmt *s = x->statements[READ_RUNS];
  if (key->size == UINT64_MAX) return index_damaged(x);
  key->size = UINT64_MAX;
  struct past_run *run = past_add_run(past, key->name);
  pprofc_str *const texts[] = {&run->place.commit, &run->branch, &run->machine, &run->verdict,
                               &run->headline};
  for (int i = 0; i < 5; i++) *texts[i] = index_text(x, s, 6 + i);
  text_keep_all(&past->arena, texts, 5);
  run->place.time = x->lib.column_int64(s, 1);
  run->place.order = x->lib.column_int64(s, 2);
  run->status = x->lib.column_int64(s, 3);
  int64_t id = x->lib.column_int64(s, 0), count = x->lib.column_int64(s, 4);
  if (past->runs_only) run->points = (size_t)count;
  return (past->runs_only || load_points(x, id, count)) && load_profiles(x, id);
}

static bool index_drop(struct store_index *x, int64_t id) {
  char sql[160];
  long long run = id;
  snprintf(sql, sizeof sql,
           "DELETE FROM profiles WHERE run=%lld; DELETE FROM points WHERE run=%lld;"
           " DELETE FROM runs WHERE id=%lld",
           run, run, run);
  return index_exec(x, sql);
}

/* Reads the runs of the index into `past`. Marks the key of each run by the size UINT64_MAX.
 * Deletes the runs whose record is gone. */
static bool index_load(struct store_index *x, const struct stored_keys *keys) {
  sqlite3_stmt *s = x->statements[READ_RUNS];
  bool good = load_series(x);
  while (good && x->lib.step(s) == SQLITE_ROW) {
    struct stored_key *key = stored_keys_find(keys, index_text(x, s, 5).data);
    good = key ? load_run(x, key) : index_drop(x, x->lib.column_int64(s, 0));
  }
  return index_good(x, x->lib.reset(s)) && good;
}

/* ---- updating --------------------------------------- */

/* Adds the last run in `past` to the index, and the series from array index `series` on. */
static bool index_add(struct store_index *x, size_t series) {
  const struct past *past = x->past;
  const struct past_run *run = &past->runs[past->run_count - 1];
  bool good = true;
  for (; series < past->series_count && good; series++) {
    const struct past_series *added = &past->series[series];
    good = index_run(x, ADD_SERIES, (pprofc_str[]){added->group, added->name, added->unit}, 3,
                     (int64_t[]){(int64_t)series + 1, added->direction}, 2);
  }
  good = good && index_run(x, ADD_RUN,
                           (pprofc_str[]){str_of(run->key), run->place.commit, run->branch,
                                          run->machine, run->verdict, run->headline},
                           6,
                           (int64_t[]){run->place.time, run->place.order, run->status,
                                       (int64_t)run->points, (int64_t)run->profiles},
                           5);
  int64_t id = x->lib.last_insert_rowid(x->db);
  for (size_t i = 0; i < run->points && good; i++) {
    const struct past_point *point = &past->points[run->first_point + i];
    good = index_good(x, x->lib.bind_double(x->statements[ADD_POINT], 4, point->value)) &&
           index_run(x, ADD_POINT, NULL, 0, (int64_t[]){id, (int64_t)i, point->series + 1LL}, 3);
  }
  for (size_t i = 0; i < run->profiles && good; i++) {
    const struct past_profile *p = &past->profiles[run->first_profile + i];
    good = index_run(x, ADD_PROFILE,
                     (pprofc_str[]){p->kind, p->package, p->benchmark, p->name, p->sha256}, 5,
                     (int64_t[]){id, p->size}, 2);
  }
  return good;
}

/* Reads the records that the index lacks, and adds their runs to the index. */
static pprofc_status index_sync(struct store_index *x, const struct stored_keys *keys,
                                pprofc_error *error) {
  struct past *past = x->past;
  bool good = true;
  for (size_t i = 0; i < keys->count && good; i++) {
    size_t runs = past->run_count, series = past->series_count;
    if (keys->items[i].size == UINT64_MAX) continue;
    pprofc_status status = past_read_one(past, x->backing, keys->items[i].name, error);
    if (status != PPROFC_OK) return status;
    if (past->run_count > runs) good = index_add(x, series);
  }
  return PPROFC_OK;
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
  const char *cache = ci_variable("XDG_CACHE_HOME", NULL), *home = ci_variable("HOME", NULL);
  if (!*backing->kind->scheme) return text_printf(arena, "%s/index.sqlite", backing->where);
  if (!cache && home) cache = text_printf(arena, "%s/.cache", home);
  if (!cache) return NULL;
  const char *folder = text_printf(arena, "%s/pprofci", cache);
  const char *server = ci_variable("AWS_ENDPOINT_URL", "");
  const char *name = text_printf(arena, "%s %s", server, backing->where);
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

static bool index_prepare_all(struct store_index *x) {
  bool good = true;
  for (int i = 0; i < STATEMENTS && good; i++)
    good = index_prepare(x, index_statements[i], &x->statements[i]);
  return good;
}

static void index_close(struct store_index *x) {
  for (int i = 0; i < STATEMENTS; i++) (void)x->lib.finalize(x->statements[i]);
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
static bool index_use(struct store_index *x) {
  struct stored_keys keys;
  pprofc_status status = PPROFC_OK;
  bool used = true;
  backing_list(x->backing, "runs", &keys);
  bool good = index_open(x) && index_prepare_all(x) && index_load(x, &keys);
  if (good) status = index_sync(x, &keys, &ci_error);
  good = good && x->code == SQLITE_OK && (status != PPROFC_OK || index_exec(x, "COMMIT"));
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
  bool used = x.path && index_use(&x);
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
