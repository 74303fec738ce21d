/* Maintains the index of a store: a cache of its records in SQLite. Builds a new index if the index
 * is missing, old or damaged. */
#include "store/past.h"

#ifdef HAVE_SQLITE3
#include "common/sha256.h"
#include "common/terminal.h"
#include "run/files.h"
#include "run/text.h"
#include "store/index_sql.h"

#include <stdlib.h>
#include <unistd.h>

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

/* Returns the path of the index. A store in a folder has the index next to its records, and a
 * bucket has it in the user's cache. */
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
  if (tables > 0)
    x->code = SQLITE_NOTADB; /* Report a database of another version like a damaged
                                one. */
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

/* Reports why the index is unusable. Returns an error if another process holds the lock. Otherwise
 * sets *used to false, and the caller reads the records. */
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

static pprofc_status index_use(struct store_index *x, struct arena *arena, bool *used,
                               pprofc_error *error) {
  struct stored_keys keys;
  pprofc_status status = backing_list(x->backing, "runs", &keys, error);
  bool good = status == PPROFC_OK && index_open(x);
  if (good) status = index_sync(x, &keys, error);
  good = good && x->code == SQLITE_OK;
  if (status == PPROFC_OK && good)
    good = index_exec(x, "COMMIT; BEGIN") && index_load(x, arena) && index_exec(x, "COMMIT");
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
