/* Storage of a store: a folder or a bucket. Each file has a key, such as
 * "runs/4d5e6f/ab.json". The content of a key never changes: its name is a hash of the
 * content, or the file is empty. So an existing file is complete, and a second write changes
 * nothing. */
#ifndef PPROFCI_STORE_BACKING_H
#define PPROFCI_STORE_BACKING_H

#include "core/buffer.h"
#include "core/error.h"

#define BACKING_FILE_MAX ((size_t)2 << 30)

struct stored_key {
  const char *name;
  uint64_t size;
  int64_t time; /* time of writing, seconds since 1970 */
};

struct stored_keys {
  struct arena arena;
  struct stored_key *items; /* sorted by name */
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
  const char *where; /* the store as given on the command line */
  struct arena arena;
  void *state; /* state of a folder or a bucket */
};

/* Opens a store. With `create` the store may be new. */
pprofc_status backing_open(struct backing *backing, const char *where, bool create,
                           pprofc_error *error);
void backing_close(struct backing *backing);

/* Writes a file whole or not at all. An existing file stays, but gets the current time. */
pprofc_status backing_put(struct backing *backing, const char *key, pprofc_str data,
                          pprofc_error *error);

/* Appends the content of a file to the buffer. PPROFC_E_NO_MATCH: the file does not exist. */
pprofc_status backing_get(struct backing *backing, const char *key, struct buffer *data,
                          pprofc_error *error);

/* Lists all files whose keys begin with "PREFIX/". The caller frees the keys, also after an
 * error. */
pprofc_status backing_list(struct backing *backing, const char *prefix, struct stored_keys *keys,
                           pprofc_error *error);
void stored_keys_free(struct stored_keys *keys);

/* Adds a key to a list; false when out of memory. */
bool stored_keys_add(struct stored_keys *keys, pprofc_str name, uint64_t size, int64_t time);

/* Removes a file. A missing file is not an error. */
pprofc_status backing_remove(struct backing *backing, const char *key, pprofc_error *error);

/* Checks that the marker of a store exists. */
pprofc_status backing_check_mark(struct backing *backing, pprofc_str mark, pprofc_error *error);

#endif
