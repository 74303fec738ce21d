/* Declarations that state.c, state_runs.c and state_watch.c share. */
#ifndef PPROFC_WEB_STATE_PARTS_H
#define PPROFC_WEB_STATE_PARTS_H

#include "web/state.h"

#include <pthread.h>

/* Maximum number of differences that are kept, each found by the ids of two profiles. */
#define STATE_PAIRS 4

struct state_pair {
  unsigned head, base;
  pprofc_profile *difference;
  uint64_t used; /* number of the last use; larger is later */
};

/* Profiles that were loaded together. */
struct state_loaded {
  struct state_profile *head, *base;
  pprofc_profile *difference;
};

struct web_state {
  struct command *command;
  const char **sources; /* sources of the command line without a name */
  size_t source_count;
  pthread_mutex_t lock;
  struct state_profile *profiles[STATE_PROFILES_MAX];
  size_t count;
  unsigned next_id;
  unsigned head, base; /* ids of the profiles that are shown by default; base 0 means no base */
  struct state_pair pairs[STATE_PAIRS];
  unsigned named_base; /* id of the named base; 0 without a named base */
  uint64_t generation, epoch, time;
  struct state_loaded pending; /* profiles that are being loaded and not shown yet */
  char pending_text[320], pending_clock[16];
  char broken_text[512]; /* reason why a changed file cannot be loaded */
  bool watched;          /* true if all sources are files or folders */
  uint64_t seen, read;   /* stamps of the files at the last check, and at the last load */
};

/* Wraps a profile and takes ownership of it; NULL when out of memory. */
struct state_profile *state_new(const char *name, const char *source, pprofc_profile *profile);
struct state_profile *state_find(const struct web_state *s, unsigned id);

/* Copies the runs whose sum is the profile. False when out of memory. */
bool state_set_runs(struct state_profile *p, const pprofc_verdict_run *runs, size_t count);
void state_free_runs(struct state_profile *p);

/* True if every profile is a run: in a comparison of folders, or of more than one profile a side.
 * With -normalize profiles are added up, because it scales the sum. */
bool state_has_runs(const struct command *command);

/* Reads the runs of both sides as -noise does. */
pprofc_status state_read_runs(const struct command *command, struct state_loaded *l,
                              pprofc_error *error);

/* True if the sides are compared per second: by -normalize_by=time, and mutex and block profiles
 * if all runs have a duration. */
bool state_by_time(const struct command *command, const struct state_profile *head,
                   const struct state_profile *base);

/* Makes the difference of two profiles. Each side is divided by its runs or seconds, and the
 * difference multiplied by state_divisor, so that values stay integers. With `mean`, nothing
 * is divided. */
pprofc_status state_subtract(const struct command *command, const struct state_profile *head,
                             const struct state_profile *base, bool mean,
                             const pprofc_allocator *mem, pprofc_profile **difference,
                             pprofc_error *error);

/* Returns "cpu.prof" for "/tmp/cpu.prof", with folders if `other`, the source of the other
 * side or NULL, has the same name. For several sources: the first and the number of others. */
void state_short_name(char *out, size_t size, const char *first, const char *other, size_t count);

/* Reads sources as the command line without -http would. */
pprofc_status state_read(const struct command *from, const char **sources, size_t count,
                         struct state_loaded *l, pprofc_error *error);
void state_free_loaded(struct state_loaded *l);

/* Shows newly read profiles and takes ownership of them. */
void state_show(struct web_state *s, struct state_loaded *l);

/* Notes the current state of the files; later changes are read again. */
void state_begin_watch(struct web_state *s);

#endif
