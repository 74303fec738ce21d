/* Holds the served profiles: files of the command line, their later versions, and uploads. Each is
 * read once and shared by all requests. */
#ifndef PPROFC_WEB_STATE_H
#define PPROFC_WEB_STATE_H

#include "options.h"
#include "pprofc/verdict.h"
#include "web/view.h"

#define STATE_PROFILES_MAX 32

/* A served profile. */
struct state_profile {
  int references;
  unsigned id;
  char *name;      /* short name: "cpu.prof" */
  char *source;    /* path of the profile's file, or "" */
  bool is_command; /* true if the profile comes from the sources of the command line */
  size_t sources;  /* number of files added up, if they are not runs */
  pprofc_profile *profile;
  pprofc_verdict_run *runs; /* runs that `profile` is the sum of, with their files as names; the
                               profile owns them */
  size_t run_count, run_capacity; /* number of runs; 0 if the profile is a single run */
};

struct web_state;

/* Profiles that a request chose. */
struct state_choice {
  struct state_profile *head, *base; /* profiles of the two sides; base is NULL without a base */
  pprofc_profile *difference; /* difference of the sides; NULL without a base, or if another side is
                                 shown. Its values are divided by state_divisor */
  enum web_side side;
  bool by_time;            /* true if values are shown per second */
  bool mean;               /* true if values are means per sample, which nothing divides */
  pprofc_profile *shown;   /* profile of the shown side, with the memory of the request */
  pprofc_profile *lent[2]; /* profiles of base and head with the memory of the request, or NULL
                              without a base */
};

/* Reads the profiles of the command line. `command` must live as long as the state. */
pprofc_status state_load(struct command *command, struct web_state **state, pprofc_error *error);
void state_free(struct web_state *state);

/* ---- files that change ------------------------------- */

/* Checks files of the command line for changes. Reads changed files in addition to the shown ones.
 * Call it about every second, from one thread. */
void state_watch(struct web_state *state);

/* Writes the name and time of a changed, readable file into `text`: "cpu.prof changed at 12:03".
 * Writes "" if there is no such file. */
void state_pending(struct web_state *state, char *text, size_t size);

/* Writes why a changed file cannot be loaded: "cpu.prof changed at 12:03: truncated gzip stream".
 * Writes "" if all can be loaded. */
void state_broken(struct web_state *state, char *text, size_t size);

/* Shows the changed files. The earlier profiles can still be chosen, also as a base. */
pprofc_status state_reload(struct web_state *state, pprofc_error *error);

/* Adds an uploaded profile; *id is its id in parameters. */
pprofc_status state_drop(struct web_state *state, const char *name, pprofc_str data, unsigned *id,
                         pprofc_error *error);

/* Chooses profiles by the parameters head, base and side; base "none" means no base. Makes an
 * unknown difference with `mem`, the memory of the request. The caller frees the result, also after
 * an error. */
pprofc_status state_choose(struct web_state *state, const struct web_query *query,
                           const pprofc_allocator *mem, struct state_choice *choice,
                           pprofc_error *error);
void state_choice_free(struct state_choice *choice);

/* Returns the number by which values of a side are divided, to show means of runs, or amounts per
 * second. */
double state_divisor(const struct state_choice *choice, enum web_side side);

/* Lists all profiles to choose from and returns their number. The caller releases each. */
size_t state_list(struct web_state *state, struct state_profile *profiles[STATE_PROFILES_MAX]);
void state_release(struct state_profile *profile);

/* Returns how often changed files were shown, starting at 1. */
uint64_t state_generation(struct web_state *state);

/* Returns a number that changes whenever any answer may change. */
uint64_t state_epoch(struct web_state *state);

#endif
