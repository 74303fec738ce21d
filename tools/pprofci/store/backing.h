/* Stores the files of a store in a folder or in an S3 bucket. Each file has a key, such as
 * "runs/4d5e6f/ab.json". A key always has the same content, because the key contains a hash of the
 * content or the file is empty. Therefore an existing file is complete, and writing it again
 * changes nothing. */
#ifndef PPROFCI_STORE_BACKING_H
#define PPROFCI_STORE_BACKING_H

#include "core/buffer.h"
#include "core/error.h"
#include "memory.h"

#define BACKING_FILE_MAX ((size_t)2 << 30)

struct stored_key {
  const char *name;
  uint64_t size;
  int64_t time; /* time of writing, in seconds since 1970 */
};

struct stored_keys {
  struct arena arena;
  struct stored_key *items; /* keys, sorted by name */
  size_t count, capacity;
};

struct backing;

/* Operations of a kind of store. Except for `get`, an error ends the command. */
struct backing_kind {
  const char *scheme; /* start of a store's address: "s3://"; "" for a folder */
  const char *what;   /* noun for a file of the store in messages: "key" */
  void (*open)(struct backing *backing);
  /* Checks that creating a new store is permitted. NULL: always permitted. */
  void (*check_new)(struct backing *backing);
  void (*close)(struct backing *backing); /* Closes the store. NULL: the store needs no closing. */
  /* Writes a file completely or not at all. If the file exists, only sets its time to now. */
  void (*put)(struct backing *backing, const char *key, pprofc_str data);
  /* Appends the content of a file to the buffer. Returns PPROFC_E_NO_MATCH if the file does not
   * exist. */
  pprofc_status (*get)(struct backing *backing, const char *key, struct buffer *data,
                       pprofc_error *error);
  void (*list)(struct backing *backing, const char *prefix, struct stored_keys *keys);
  /* Removes a file. A missing file is not an error. */
  void (*remove)(struct backing *backing, const char *key);
};

extern const struct backing_kind backing_folder, backing_s3;

struct backing {
  const struct backing_kind *kind;
  const char *where; /* address of the store as given on the command line */
  struct arena arena;
  void *state; /* private state of the folder or the bucket */
};

/* Opens a store. If `create` is true, creates a missing store. */
void backing_open(struct backing *backing, const char *where, bool create);
void backing_close(struct backing *backing);

/* Lists the files below "PREFIX/". The caller frees the keys. */
void backing_list(struct backing *backing, const char *prefix, struct stored_keys *keys);
void stored_keys_free(struct stored_keys *keys);

/* Callback for each file whose key begins with "PREFIX/". */
typedef void backing_key_fn(void *context, const struct stored_key *key);
void backing_each(struct backing *backing, const char *prefix, backing_key_fn *take, void *context);
void stored_keys_add(struct stored_keys *keys, pprofc_str name, uint64_t size, int64_t time);

#endif
