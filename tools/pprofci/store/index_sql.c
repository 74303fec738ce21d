/* Calls SQLite. Loads the library at the first use. */
#ifdef HAVE_SQLITE3
#include "store/index_sql.h"

#include "common/library.h"

pprofc_status index_load_library(struct sqlite *lib, pprofc_error *error) {
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
      {"sqlite3_bind_text", &lib->bind_text},
      {"sqlite3_bind_double", &lib->bind_double},
      {"sqlite3_column_int64", &lib->column_int64},
      {"sqlite3_column_text", &lib->column_text},
      {"sqlite3_column_double", &lib->column_double},
      {"sqlite3_column_bytes", &lib->column_bytes},
      {"sqlite3_last_insert_rowid", &lib->last_insert_rowid},
      {"sqlite3_errmsg", &lib->errmsg},
  };
  return library_load("libsqlite3.so.0", "libsqlite3-0", functions,
                      sizeof functions / sizeof *functions, error);
}

bool index_good(struct store_index *x, int code) {
  bool good = code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE;
  if (!good && x->code == SQLITE_OK) x->code = code & 0xff;
  return good;
}

bool index_exec(struct store_index *x, const char *sql) {
  return index_good(x, x->lib.exec(x->db, sql, NULL, NULL, NULL));
}

bool index_prepare(struct store_index *x, const char *sql, sqlite3_stmt **statement) {
  return index_good(x, x->lib.prepare_v2(x->db, sql, -1, statement, NULL));
}

bool index_run(struct store_index *x, sqlite3_stmt *statement) {
  bool good = index_good(x, x->lib.step(statement));
  return index_good(x, x->lib.reset(statement)) && good;
}

bool index_bind_int(struct store_index *x, sqlite3_stmt *statement, int place, int64_t value) {
  return index_good(x, x->lib.bind_int64(statement, place, value));
}

static bool index_bind_text(struct store_index *x, sqlite3_stmt *statement, int place,
                            pprofc_str text) {
  const char *data = text.data ? text.data : "";
  return index_good(x, x->lib.bind_text(statement, place, data, (int)text.size, SQLITE_STATIC));
}

bool index_bind_texts(struct store_index *x, sqlite3_stmt *statement, int first,
                      const pprofc_str *texts, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!index_bind_text(x, statement, first + (int)i, texts[i])) return false;
  return true;
}

int64_t index_number(struct store_index *x, const char *sql) {
  sqlite3_stmt *s = NULL;
  int64_t number = -1;
  if (index_prepare(x, sql, &s) && x->lib.step(s) == SQLITE_ROW) number = x->lib.column_int64(s, 0);
  (void)index_good(x, x->lib.finalize(s));
  return number;
}

pprofc_str index_text(struct store_index *x, sqlite3_stmt *statement, int column) {
  const char *text = (const char *)x->lib.column_text(statement, column);
  return (pprofc_str){text ? text : "", (size_t)x->lib.column_bytes(statement, column)};
}

#endif
