/* Where the files of a store are: a folder or a bucket. Each file has a key, as
 * "runs/4d5e6f/ab.json". What a key holds never changes: its name says the content, or it has none.
 * So a file that is there is whole, and to write it twice changes nothing. */
#ifndef PPROFCI_STORE_BACKING_H
#define PPROFCI_STORE_BACKING_H

#include "core/buffer.h"
#include "core/error.h"

#define BACKING_FILE_MOST ((size_t)2 << 30)

struct stored_key {
  const char *name;
  uint64_t size;
  int64_t time; /* when it was written, seconds since 1970 */
};

struct stored_keys {
  struct arena arena;
  struct stored_key *items; /* in the order of their names */
  size_t count, capacity;
};

struct backing;

struct backing_kind {
  const char *scheme; /* "s3://"; "" for a folder */
  pprofc_status (*open)(struct backing *backing, bool create, pprofc_error *error);
  void (*close)(struct backing *backing);
  pprofc_status (*put)(struct backing *backing, const char *key, pprofc_str data,
                       pprofc_error *error);
  pprofc_status (*get)(struct backing *backing, const char *key, struct buffer *data,
                       pprofc_error *error);
  pprofc_status (*list)(struct backing *backing, const char *prefix, struct stored_keys *keys,
                        pprofc_error *error);
  pprofc_status (*remove)(struct backing *backing, const char *key, pprofc_error *error);
};

extern const struct backing_kind backing_folder, backing_s3;

struct backing {
  const struct backing_kind *kind;
  const char *where; /* as it was given */
  struct arena arena;
  void *state; /* of the kind */
};

/* Opens a store; with `create` it may be new. */
pprofc_status backing_open(struct backing *backing, const char *where, bool create,
                           pprofc_error *error);
void backing_close(struct backing *backing);

/* Writes a file whole or not at all. A file that is there stays, but counts as written now. */
pprofc_status backing_put(struct backing *backing, const char *key, pprofc_str data,
                          pprofc_error *error);

/* Appends a file. PPROFC_E_NO_MATCH: there is none. */
pprofc_status backing_get(struct backing *backing, const char *key, struct buffer *data,
                          pprofc_error *error);

/* All files whose keys begin with "PREFIX/". Free the keys even after an error. */
pprofc_status backing_list(struct backing *backing, const char *prefix, struct stored_keys *keys,
                           pprofc_error *error);
void stored_keys_free(struct stored_keys *keys);

/* Adds a key to a list; false when out of memory. */
bool stored_keys_add(struct stored_keys *keys, pprofc_str name, uint64_t size, int64_t time);

/* Removes a file; one that is not there is no error. */
pprofc_status backing_remove(struct backing *backing, const char *key, pprofc_error *error);

/* The mark of a store has to be there. */
pprofc_status backing_check_mark(struct backing *backing, pprofc_str mark, pprofc_error *error);

#endif
