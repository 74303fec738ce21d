/* Stores the files of a store in a folder or in an S3 bucket. Each file has a key, such as
 * "runs/4d5e6f/ab.json". A key always has the same content, because the key contains a hash of the
 * content or the file is empty. Therefore an existing file is complete, and writing it again
 * changes nothing. */
#ifndef PPROFCI_STORE_STORE_H
#define PPROFCI_STORE_STORE_H

#include "commands.h"
#include "common/sha256.h"
#include "gate/read/read.h"
#include "http/client.h"
#include "pprofc/bench.h"

/* ---- folder or bucket (backing.c) ----------------- */

#define BACKING_FILE_MAX ((size_t)2 << 30)

struct stored_key {
  const char *name;
  uint64_t size;
  int64_t time; /* time at which the file was written, in seconds since 1970 */
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
  /* Appends the content of a file to the buffer. Returns PPROFC_E_NO_MATCH for a missing file. */
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

/* Returns the key with this name, or NULL. */
struct stored_key *stored_keys_find(const struct stored_keys *keys, const char *name);

/* Callback for each file whose key begins with "PREFIX/". */
typedef void backing_key_fn(void *context, const struct stored_key *key);
void backing_each(struct backing *backing, const char *prefix, backing_key_fn *take, void *context);
void stored_keys_add(struct stored_keys *keys, pprofc_str name, uint64_t size, int64_t time);

/* ---- earlier runs (past.c) ------------------------ */

struct past_run {
  struct record_place place; /* must be first: record_by_order casts a past_run * to a place */
  const char *key;           /* key of the record */
  pprofc_str branch, machine, verdict, headline;
  int64_t status;
  /* index of the run's first point (measured value), and number of its points */
  size_t first_point, points;
  size_t first_profile, profiles;
  const char *tag; /* tags of the commit, separated by ", ", or NULL */
};

struct past_series {
  pprofc_str group, name, unit;
  int direction;
};

struct past_point {
  uint32_t series;
  double value; /* median of the run's measurements */
};

struct past_profile {
  pprofc_str kind, package, benchmark, name, sha256;
  int64_t size;
};

struct past {
  struct arena arena;
  struct past_run *runs;
  size_t run_count, run_capacity;
  struct past_series *series;
  size_t series_count, series_capacity;
  struct interner series_keys;
  struct past_point *points;
  size_t point_count, point_capacity;
  struct past_profile *profiles;
  size_t profile_count, profile_capacity;
  bool by_order;  /* true if all runs have a commit number and are sorted by this number */
  bool runs_only; /* true: do not read the points (measured values) of the runs */
  size_t skipped; /* number of invalid records */
};

void past_init(struct past *past);
void past_free(struct past *past);

/* Reads all runs, from the index if possible. Skips damaged records with a note. */
void past_load(struct past *past, struct backing *backing);

/* Reads all runs from the records, without the index. */
void past_read(struct past *past, struct backing *backing);

/* Adds a run from its record. Copies all texts. */
void past_add_record(struct past *past, const char *key, const struct run_record *record);

/* Reads a record and adds its run. Prints a note if the record is damaged. Ignores a missing
 * record. */
pprofc_status past_read_one(struct past *past, struct backing *backing, const char *key,
                            pprofc_error *error);

/* Each function adds one item: a run, a series, a point of the last run, or a profile. */
struct past_run *past_add_run(struct past *past, const char *key);
uint32_t past_add_series(struct past *past, pprofc_str group, pprofc_str name, pprofc_str unit,
                         int direction);
void past_add_point(struct past *past, uint32_t series, double value);
void past_add_profile(struct past *past, struct past_run *run, const struct past_profile *profile);
void past_sort(struct past *past);

/* Adds to `names` the keys of all objects (stored profiles) that the runs use. */
void past_name_objects(struct past *past, struct interner *names);
void past_object_key(pprofc_str sha256, char key[80]);

/* Updates the index and reads all runs from it. Returns false if the index is unusable. `past` may
 * then be incomplete, and the caller must read the records. */
bool index_read(struct past *past, struct backing *backing);

/* Parses "1700000000", "2026-11-20" or "2026-11-20T10:00:00Z" to seconds since 1970. */
bool times_parse(pprofc_str text, int64_t *seconds);

/* Parses "30d", "12w", "2y" or "all" (INT64_MAX) to seconds. */
bool times_parse_age(pprofc_str text, int64_t *seconds);

/* Appends a time in UTC, such as "2026-11-20 10:00". */
void times_put(struct buffer *out, int64_t seconds);

/* ---- writing (writing.c) -------------------------- */

struct commit_info {
  const char *commit, *branch,
      *machine; /* commit id, branch and machine of the run; "" if unknown */
  const char *tags[64];
  size_t tag_count;
  /* time of the commit in seconds since 1970, and number of commits up to this one; -1: unknown */
  int64_t time, order;
};

/* Sets the fields that no flag has set, from git and the environment of the CI job. */
void commit_complete(struct commit_info *info, struct arena *arena);

struct writing_profile {
  const char *path, *kind, *package, *benchmark, *name;
};

/* Data collected from the inputs. */
struct writing {
  struct arena arena;
  const char *folder;          /* path of a run's folder, or NULL */
  const struct node *manifest; /* manifest in `folder`, or NULL */
  pprofc_bench *set;           /* benchmark results of the given files, or NULL */
  struct writing_profile *profiles;
  size_t profile_count, profile_capacity;
  int64_t time; /* time of the newest input in seconds since 1970 */
};

/* Reads the inputs: one folder of a run, or files of results and profiles. */
void writing_read(struct writing *w, const char *const *paths, size_t count);
void writing_free(struct writing *w);

/* Sets the commit and the machine from the inputs. */
void writing_fill_commit(struct writing *w, struct commit_info *info);

struct writing_result {
  char id[33];
  size_t series, profiles;
};

/* Writes the profiles, then the tags, then the record that refers to the profiles. A reader of a
 * record therefore always finds all its profiles. */
void writing_put(struct writing *w, struct backing *backing, const struct commit_info *info,
                 struct writing_result *result);

/* Writes only the tags of a commit. */
void writing_put_tags(struct arena *arena, struct backing *backing, const struct commit_info *info);

/* ---- upkeep --------------------------------------- */

/* Retention rules: "BRANCH=AGE,...". The first rule whose pattern matches the branch applies. */
struct retain {
  struct {
    pprofc_str branch; /* glob pattern of branch names */
    int64_t age;       /* maximum age in seconds of runs to keep; INT64_MAX: keep all */
  } rules[32];
  size_t count;
  size_t last; /* number of newest commits of each branch to keep at any age */
};

/* Parses the retention rules in `text`. An invalid rule ends the command. */
void retain_parse(struct retain *retain, const char *text, int64_t last);

struct upkeep_counts {
  size_t runs, objects, left_over;
};

/* Removes the runs that no rule keeps. Then removes the stored profiles that no record uses. Keeps
 * tagged commits. With `dry`, only prints the runs to remove. */
void upkeep_retain(struct backing *backing, const struct retain *retain, int64_t now, bool dry,
                   struct output *out, struct upkeep_counts *counts);

/* Removes unused profiles and incomplete files that are older than a day, because a process may
 * still write younger files. */
void upkeep_sweep(struct backing *backing, int64_t now, bool dry, struct upkeep_counts *counts);

/* ---- requests to S3 (s3_wire.c) ------------------- */

struct s3_wire {
  struct client *client;
  struct arena *arena;
  const char *bucket, *prefix; /* name of the bucket; common prefix of all keys: "PREFIX/", or "" */
  const char *scheme,
      *host; /* scheme and host of the server: "https", "s3.us-east-1.amazonaws.com" */
  const char *token;
  struct sigv4_scope scope;
  bool in_path; /* true if the bucket is in the path, not in the host name */
  size_t part;  /* size in bytes of a part of a multipart upload; larger files are sent in parts */
};

/* Opens the bucket of "s3://BUCKET/PREFIX". Credentials, region and server address come from the
 * environment. The arena owns the texts. */
struct s3_wire *s3_wire_open(struct arena *arena, const char *where);

struct s3_request {
  const char *method;
  const char *key;   /* key without the prefix; NULL for the bucket itself */
  const char *query; /* query string with sorted and encoded parameters; or "" */
  const char *root;  /* name that the root element of a reply with status 200 must have, or NULL */
  bool once; /* true: if the key exists, the server must refuse the request with status 412 */
  pprofc_str body;
};

/* Sends a request, up to five times if a retry can help. A truncated reply is an error. The reply
 * may contain an error message of the server; the caller passes such a reply to s3_wire_fail. The
 * caller frees the reply, even after an error. */
pprofc_status s3_wire_send(struct s3_wire *wire, const struct s3_request *request,
                           struct reply *reply, pprofc_error *error);

/* Converts a reply into an error, which is PPROFC_E_NO_MATCH if the key does not exist. */
pprofc_status s3_wire_fail(const struct s3_wire *wire, const struct s3_request *request,
                           const struct reply *reply, pprofc_error *error);

/* Finds the next element <NAME>...</NAME>. Sets *content, and *rest to the text after the
 * element. */
bool xml_next(pprofc_str *rest, const char *name, pprofc_str *content);
/* Returns the content of the first element NAME, or an empty text. */
pprofc_str xml_first(pprofc_str text, const char *name);

#endif
