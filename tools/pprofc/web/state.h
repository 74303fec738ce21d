/* Keeps the profiles of the server: files of the command line, new versions of these files, and
 * uploads. The server reads each profile once, and all requests share it. */
#ifndef PPROFC_WEB_STATE_H
#define PPROFC_WEB_STATE_H

#include "options.h"
#include "pprofc/verdict.h"
#include "profile/times.h"
#include "web/view.h"

#define STATE_PROFILES_MAX 32

struct state_profile {
  int references;
  unsigned id;
  char *name;      /* short name, such as "cpu.prof" */
  char *source;    /* path of the file, or "" */
  bool is_bases;   /* true if the profile is the sum of the bases of the command line */
  bool is_command; /* true if the command line names the profile as a source */
  size_t sources;  /* number of files that were added up to get the profile; 1 if `runs` are set */
  pprofc_profile *profile;
  int64_t *totals;          /* total of each sample type of a recording, or NULL */
  pprofc_verdict_run *runs; /* runs added up in `profile`, with file names; owned by this struct */
  size_t run_count, run_capacity; /* number of runs; 0: a single profile */
};

struct web_state;

struct state_choice {
  struct state_profile *head, *base; /* selected profiles; base is NULL without a base */
  pprofc_profile *difference; /* difference of head and base, multiplied by state_divisor; NULL if
                                 there is no base, or if the page shows only base or only head */
  enum web_side side;
  bool by_time; /* true if the page shows values per second */
  /* true if the page shows means per sample, which are not divided by runs or time */
  bool mean;
  /* displayed time range (t0, t1); `to` is 0 if all is displayed or the profile has no times */
  struct time_range range;
  /* Copies of profiles; the copies share the data of the originals. Profiles made from a copy use
   * the memory of the request. */
  pprofc_profile *shown;   /* displayed profile */
  pprofc_profile *lent[2]; /* base and head; both NULL without a base */
  pprofc_profile *scaled;  /* head with the total of the base, for -normalize; else NULL */
};

/* Reads the profiles of the command line. The caller must keep `command` as long as the state. */
pprofc_status state_load(struct command *command, struct web_state **state, pprofc_error *error);
void state_free(struct web_state *state);

/* Checks the files of the command line, and reads changed files. The page still shows the old
 * profiles. One thread calls this function about once a second. */
void state_watch(struct web_state *state);

struct state_news {
  uint64_t generation; /* 1 plus the number of times that new profiles became the default */
  uint64_t changes;    /* number of times that the list of recordings changed */
  /* notice: "cpu.prof changed at 12:03"; "" if there is no new version, or the new version is
   * unreadable */
  char pending[320];
  /* notice: "cpu.prof changed at 12:03: truncated gzip stream"; "" if the file is readable */
  char broken[512];
};

void state_news(struct web_state *state, struct state_news *news);

/* Makes the new versions the default. The old profiles can still be selected. */
pprofc_status state_reload(struct web_state *state, pprofc_error *error);

/* Maximum number of recordings, and maximum number of pinned recordings. A pinned recording is
 * never dropped. */
#define STATE_RECORDINGS_MAX 60
#define STATE_PINNED_MAX     16

/* Records the sources again if the interval of -every has passed. Waits longer after failed
 * attempts. One thread calls this function several times a second. Returns true if the list of
 * recordings changed. */
bool state_record(struct web_state *state);

struct state_recordings {
  struct web_recordings list;
  struct web_recording items[STATE_RECORDINGS_MAX];
  struct state_profile *profiles[STATE_RECORDINGS_MAX]; /* references to the recordings' profiles;
                                                           NULL for failed attempts */
};

/* Copies the list of recordings. Returns false without -every. The caller frees the copy. */
bool state_recordings(struct web_state *state, struct state_recordings *copy);
void state_recordings_free(struct state_recordings *copy);

pprofc_status state_pin(struct web_state *state, unsigned id, bool pinned, pprofc_error *error);

/* Adds a profile that the user dragged onto the page. Sets *id to the number that selects the
 * profile in head=ID and base=ID. */
pprofc_status state_drop(struct web_state *state, const char *name, pprofc_str data, unsigned *id,
                         pprofc_error *error);

/* Selects profiles by the parameters head, base, side, t0 and t1. base=none selects no base.
 * Computes the difference in the memory `mem` of the request if no difference is stored. The caller
 * frees the result, even after an error. */
pprofc_status state_choose(struct web_state *state, const struct web_query *query,
                           const pprofc_allocator *mem, struct state_choice *choice,
                           pprofc_error *error);
void state_choice_free(struct state_choice *choice);

/* Returns the number by which the page divides the values of head, base or difference. The divided
 * values are means of runs, or values per second. */
double state_divisor(const struct state_choice *choice, enum web_side side);

/* Lists all profiles and returns their number. The caller releases each profile. */
size_t state_list(struct web_state *state, struct state_profile *profiles[STATE_PROFILES_MAX]);
void state_release(struct state_profile *profile);

/* Returns a number that changes when the answer to the same request may change. Keys of the cache
 * contain this number. */
uint64_t state_epoch(struct web_state *state);

#endif
