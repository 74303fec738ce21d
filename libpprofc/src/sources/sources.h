/* Reads sources in parallel, adds up the sources of head and base, and subtracts the base, in the
 * order of pprof. */
#ifndef PPROFC_SOURCES_SOURCES_H
#define PPROFC_SOURCES_SOURCES_H

#include "open.h"
#include "pprofc/sources.h"
#include "transform/merge/accumulator.h"

/* Number of sources that are read and merged at a time, to limit memory. */
#define SOURCES_CHUNK 128u

struct source {
  const char *shown;       /* name in messages */
  void *data;              /* data of the reader about the source, or NULL */
  bool is_base;            /* true if the source belongs to the base */
  pprofc_profile *profile; /* profile; NULL if the source is unreadable */
  pprofc_error error;
  char warnings[400]; /* warnings about missing data in the profile, one per line, or "" */
};

/* Functions that read a sequence of sources. All of them get `context`. Only `read` may run on
 * another thread. */
struct source_reader {
  void *context;
  const pprofc_allocator *mem; /* allocator for the list of sources */
  /* settings of each source; the allocator has a budget */
  const pprofc_read_options *options;
  const struct open_sums *needs; /* data that the reader keeps; NULL for each sample */
  pprofc_diff_kind kind;         /* type of difference that follows */
  bool strict;                   /* true to fail at the first unreadable source */
  bool explain;                  /* true to add sides and sample types to errors of merges */
  bool quiet;                    /* true to drop the warnings about single sources */

  /* Sets the fields `shown`, `data` and `is_base` of the next sources, at most SOURCES_CHUNK.
   * `from` sources are already read. Sets *count to 0 after the last source. */
  pprofc_status (*next)(void *context, size_t from, struct source *sources, size_t *count,
                        pprofc_error *error);
  /* Sets source->profile. After a failure, sets source->error. */
  pprofc_status (*read)(void *context, struct source *source, const pprofc_read_options *options);
  /* Receives each source in order, with its profile or its error, and may keep the profile. */
  pprofc_status (*take)(void *context, struct source *source, pprofc_error *error);
  /* Receives a warning about a source, or about all sources if `source` is NULL. */
  void (*warn)(void *context, const struct source *source, pprofc_str text);
};

/* Sum of the profiles of head or base. */
struct source_sum {
  const char *name;        /* name in messages: "source" or "base" */
  const char *first_shown; /* name of the first source, or NULL */
  size_t given, read;      /* number of sources, and of readable sources */
  struct accumulator accumulator;
  pprofc_profile *sum; /* NULL if there are no sources */
};

struct source_sums {
  struct source_sum head, base;
};

/* Reads all sources and adds them up. The caller calls sources_release, also after an error. */
pprofc_status sources_each(struct source_reader *reader, struct source_sums *sums,
                           pprofc_error *error);

/* Does the same, and fails if no source of the head or of the base is readable. If reader->needs is
 * set and the sums require it, already subtracts the base, so that sums->base.sum is NULL. If a
 * difference of sums of samples would not be exact, reads all sources again, with reader->needs set
 * to NULL. */
pprofc_status sources_add_up(struct source_reader *reader, struct source_sums *sums,
                             pprofc_error *error);

/* Replaces the head by the difference, unless there is no base. Joins equal samples. Skips the
 * joining if `adds_up` is true and the joining would change no sum. */
pprofc_status sources_subtract(const struct source_reader *reader, struct source_sums *sums,
                               bool normalize, bool adds_up, pprofc_error *error);

void sources_release(struct source_sums *sums);

/* Removes the frames that the profile's expressions drop_frames and keep_frames exclude. Replaces
 * *profile. Warns if this build cannot apply the expressions. `warn` may be NULL. */
pprofc_status sources_drop_frames(pprofc_profile **profile,
                                  void (*warn)(void *warn_context, const char *message),
                                  void *warn_context, pprofc_error *error);

/* Adds the sample types of both profiles to an error which says that the profiles have no common
 * sample type. `first` and `second` are the names of the profiles. */
void sources_explain(const char *first, const pprofc_profile *one, const char *second,
                     const pprofc_profile *other, pprofc_error *error);

#endif
