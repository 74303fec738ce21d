/* Declares the calls of SQLite for the files of the index. */
#ifndef PPROFCI_STORE_INDEX_SQL_H
#define PPROFCI_STORE_INDEX_SQL_H

#include "store/past.h"

#include <sqlite3.h>

/* Functions of the SQLite library. */
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
  int (*bind_text)(sqlite3_stmt *statement, int place, const char *text, int size,
                   void (*destroy)(void *));
  int (*bind_double)(sqlite3_stmt *statement, int place, double value);
  sqlite3_int64 (*column_int64)(sqlite3_stmt *statement, int column);
  const unsigned char *(*column_text)(sqlite3_stmt *statement, int column);
  double (*column_double)(sqlite3_stmt *statement, int column);
  int (*column_bytes)(sqlite3_stmt *statement, int column);
  sqlite3_int64 (*last_insert_rowid)(sqlite3 *db);
  const char *(*errmsg)(sqlite3 *db);
};

struct store_index {
  struct sqlite lib;
  sqlite3 *db;
  const char *path;
  struct past *past;
  struct backing *backing;
  int code; /* SQLite's code for the first failure, or success */
};

/* Loads the SQLite library. */
pprofc_status index_load_library(struct sqlite *lib, pprofc_error *error);

/* True if the code means success. Otherwise records the code if it is the first failure. */
bool index_good(struct store_index *x, int code);

bool index_exec(struct store_index *x, const char *sql);
bool index_prepare(struct store_index *x, const char *sql, sqlite3_stmt **statement);

/* Runs a statement that returns no rows. */
bool index_run(struct store_index *x, sqlite3_stmt *statement);

bool index_bind_int(struct store_index *x, sqlite3_stmt *statement, int place, int64_t value);
bool index_bind_texts(struct store_index *x, sqlite3_stmt *statement, int first,
                      const pprofc_str *texts, size_t count);

/* Returns the number that an SQL statement selects, or -1. */
int64_t index_number(struct store_index *x, const char *sql);

pprofc_str index_text(struct store_index *x, sqlite3_stmt *statement, int column);

/* Adds the records that are missing in the index. Deletes the runs whose records do not exist any
 * more. */
pprofc_status index_sync(struct store_index *x, struct stored_keys *keys, pprofc_error *error);

/* Reads all runs of the index into `past`. Returns false on failure. */
bool index_load(struct store_index *x, struct arena *arena);

#endif
