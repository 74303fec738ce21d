/* Declares functions and types that the files state*.c share. */
#ifndef PPROFC_WEB_STATE_PARTS_H
#define PPROFC_WEB_STATE_PARTS_H

#include "web/state.h"

#include <pthread.h>

/* Maximum number of stored differences. The ids of two profiles identify a difference. */
#define STATE_PAIRS 4

struct state_pair {
  unsigned head, base;
  pprofc_profile *difference;
  uint64_t used; /* value of web_state.time at the last use of the difference */
};

/* Result of reading the sources once. The difference is NULL if it is not yet known. */
struct state_loaded {
  struct state_profile *head, *base;
  pprofc_profile *difference;
};

/* A recording, or a sequence of failed attempts to record. */
struct state_recording {
  struct web_recording shown;    /* data that the page shows, except the profile */
  struct state_profile *profile; /* profile, or NULL after a failure */
  uint64_t used; /* value of state_news.changes when a page last used the recording */
};

/* The recordings of -every. Only the thread that records uses `due`. */
struct state_ring {
  struct state_recording items[STATE_RECORDINGS_MAX]; /* recordings, oldest first */
  size_t count;
  unsigned failures; /* number of failed attempts since the last recording */
  int64_t due;       /* time of the next recording, in milliseconds of the monotonic clock */
  int64_t
      next; /* after a failed attempt: time of the next attempt, in seconds since 1970; else 0 */
};

struct web_state {
  struct command *command;
  const char **sources; /* sources given on the command line, except NAME=FILE */
  size_t source_count;
  pthread_mutex_t lock;
  struct state_profile *profiles[STATE_PROFILES_MAX];
  size_t count;
  unsigned next_id;
  unsigned head, base; /* ids of the default profiles; base is 0 if there is no base */
  struct state_pair pairs[STATE_PAIRS];
  unsigned named_base; /* id of the base that has the form NAME=FILE; 0: no such base */
  struct state_news news;
  uint64_t epoch, time;
  struct state_loaded pending; /* new versions of the profiles, which the page does not show yet */
  char pending_clock[16];      /* time at which the files of `pending` changed */
  bool watched;                /* true if all sources are files or folders, which may change */
  struct state_ring ring;
  /* state_stamp at the last check (`seen`), and at the last reading of the files (`read`) */
  uint64_t seen, read;
};

/* state_new returns a new state_profile that owns the profile, or NULL when out of memory.
 * state_find returns the state_profile with an id, or NULL. */
struct state_profile *state_new(const char *name, const char *source, pprofc_profile *profile);
struct state_profile *state_find(const struct web_state *s, unsigned id);

struct state_profile *state_retain(struct state_profile *p);

/* state_set_runs copies the runs that were added up to get the profile, and returns false when out
 * of memory. state_free_runs frees the copies. */
bool state_set_runs(struct state_profile *p, const pprofc_verdict_run *runs, size_t count);
void state_free_runs(struct state_profile *p);

/* True if the verdicts treat each profile as a run: if folders are compared, or if base or head has
 * several profiles. False with -normalize, which scales the sum of the profiles. */
bool state_has_runs(const struct command *command);

pprofc_status state_read_runs(const struct command *command, struct state_loaded *l,
                              pprofc_error *error);

/* True if the page compares values per second. This holds with -normalize_by=time. It also holds
 * for mutex and block profiles if all their runs have a duration. */
bool state_by_time(const struct command *command, const struct state_profile *head,
                   const struct state_profile *base);

/* Computes the difference of two profiles, multiplied by state_divisor. Divides each profile by its
 * number of runs, or by its seconds if state_by_time is true. With `mean`, does not divide. */
pprofc_status state_subtract(const struct command *command, const struct state_profile *head,
                             const struct state_profile *base, bool mean,
                             const pprofc_allocator *mem, pprofc_profile **difference,
                             pprofc_error *error);

/* Writes the short name of a source: "cpu.prof". If `other` has the same file name, adds the
 * folders that differ. For `count` sources, adds " and N more". `other` is the source to compare
 * with; it may be NULL. */
void state_short_name(char *out, size_t size, const char *first, const char *other, size_t count);

pprofc_status state_read(const struct command *from, const char **sources, size_t count,
                         struct state_loaded *l, pprofc_error *error);
void state_free_loaded(struct state_loaded *l);

/* Makes new profiles the default, and takes ownership of them. */
void state_show(struct web_state *s, struct state_loaded *l);

/* Makes the head that was read at the start the first recording. Returns false when out of memory.
 */
bool state_begin_recording(struct web_state *s);

/* Notes that a page uses the recording with this id. Ignores an id that no recording has. */
void state_use_recording(struct web_state *s, unsigned id);

void state_free_ring(struct web_state *s);

/* Stores the current state of the files, with which state_watch later compares them. */
void state_begin_watch(struct web_state *s);

#endif
