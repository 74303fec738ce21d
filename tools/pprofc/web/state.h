/* Keeps the profiles of the server: files of the command line, their new versions, and uploads. The
 * server reads each profile once, and all requests share the profile. */
#ifndef PPROFC_WEB_STATE_H
#define PPROFC_WEB_STATE_H

#include "options.h"
#include "pprofc/verdict.h"
#include "profile/times.h"
#include "web/view.h"

#define STATE_PROFILES_MAX 32

/* A profile that the user can select. */
struct state_profile {
  int references;
  unsigned id;
  char *name;      /* short name: "cpu.prof" */
  char *source;    /* path of the file, or "" */
  bool is_command; /* true if the command line names the profile */
  size_t sources;  /* number of files whose sum is the profile, if the files are not runs */
  pprofc_profile *profile;
  int64_t *totals;                /* total of each sample type, for a recording of -every; else
                                     NULL */
  pprofc_verdict_run *runs;       /* runs whose sum is `profile`, with their file names; the
                                     state_profile owns them */
  size_t run_count, run_capacity; /* number of runs; 0 for a single run */
};

struct web_state;

/* Profiles of one request. */
struct state_choice {
  struct state_profile *head, *base; /* selected profiles; base is NULL without a base */
  pprofc_profile *difference; /* difference of head and base, divided by state_divisor; NULL without
                                 a base, or if the page shows only base or head */
  enum web_side side;
  bool by_time;            /* true if the page shows values per second */
  bool mean;               /* true if the page shows means per sample; then values have no
                              divisor */
  struct time_range range; /* time range of the recording that the page shows, from the parameters
                              t0 and t1; `to` is 0 without them, or if the samples have no times */
  pprofc_profile *shown;   /* displayed profile, in the memory of the request */
  pprofc_profile *lent[2]; /* base and head in the memory of the request; NULL without a base */
};

/* Reads the profiles of the command line. The caller keeps `command` as long as the state. */
pprofc_status state_load(struct command *command, struct web_state **state, pprofc_error *error);
void state_free(struct web_state *state);

/* ---- files that change ------------------------------- */

/* Checks the files of the command line, and reads changed files. The page still shows the old
 * profiles. One thread calls this about once a second. */
void state_watch(struct web_state *state);

/* Writes the name and time of a changed file: "cpu.prof changed at 12:03". Writes "" if no file
 * changed, or if the new version is unreadable. */
void state_pending(struct web_state *state, char *text, size_t size);

/* Writes why the new version of a file is unreadable: "cpu.prof changed at 12:03: truncated gzip
 * stream". Writes "" if there is no such file. */
void state_broken(struct web_state *state, char *text, size_t size);

/* Makes the new versions of the files the default profiles. The user can still select the old
 * profiles, also as the base. */
pprofc_status state_reload(struct web_state *state, pprofc_error *error);

/* ---- recordings of a service ------------------------- */

/* Maximum number of recordings, and maximum number of pinned recordings, which are never
 * dropped. */
#define STATE_RECORDINGS_MAX 60
#define STATE_PINNED_MAX     16

/* Records the sources again if the interval of -every has passed. Waits longer after failures. One
 * thread calls this several times a second. Returns true if the list of recordings changed. */
bool state_record(struct web_state *state);

/* A copy of the list of recordings. */
struct state_recordings {
  struct web_recordings list;
  struct web_recording items[STATE_RECORDINGS_MAX];
  struct state_profile *profiles[STATE_RECORDINGS_MAX]; /* references to the profiles, or NULL */
};

/* Copies the list of recordings. Returns false without -every. The caller frees the copy. */
bool state_recordings(struct web_state *state, struct state_recordings *copy);
void state_recordings_free(struct state_recordings *copy);

/* Pins or unpins a recording. */
pprofc_status state_pin(struct web_state *state, unsigned id, bool pinned, pprofc_error *error);

/* Returns how often the list of recordings has changed. */
uint64_t state_tries(struct web_state *state);

/* Adds an uploaded profile. Sets *id to its id, the value for the parameters head and base. */
pprofc_status state_drop(struct web_state *state, const char *name, pprofc_str data, unsigned *id,
                         pprofc_error *error);

/* Selects profiles by the parameters head, base, side, t0 and t1. The value "none" of base selects
 * no base. If the difference is not stored, computes it in the memory `mem` of the request. The
 * caller frees the result, also after an error. */
pprofc_status state_choose(struct web_state *state, const struct web_query *query,
                           const pprofc_allocator *mem, struct state_choice *choice,
                           pprofc_error *error);
void state_choice_free(struct state_choice *choice);

/* Returns the divisor of the values of base, head or difference. The division gives means of runs,
 * or values per second. */
double state_divisor(const struct state_choice *choice, enum web_side side);

/* Lists all profiles that the user can select. Returns their number. The caller releases each
 * profile. */
size_t state_list(struct web_state *state, struct state_profile *profiles[STATE_PROFILES_MAX]);
void state_release(struct state_profile *profile);

/* Returns the number of the generation: 1, plus 1 each time new profiles become the default
 * (changed files, or a recording). */
uint64_t state_generation(struct web_state *state);

/* Returns a number that changes whenever an answer may change. The keys of cached answers contain
 * this number. */
uint64_t state_epoch(struct web_state *state);

#endif
