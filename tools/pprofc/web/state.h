/* The profiles that are served: what the command line named, and versions and files that came
 * later. Each is read once and shared by all requests. */
#ifndef PPROFC_WEB_STATE_H
#define PPROFC_WEB_STATE_H

#include "options.h"
#include "web/view.h"

#define STATE_PROFILES_MAX 32

/* One profile. */
struct state_profile {
  int references;
  unsigned id;
  char *name;      /* short: "cpu.prof" */
  char *source;    /* the file that it is; "" when no file is */
  bool is_command; /* instead: the sources of the command line */
  size_t sources;  /* how many were added up */
  pprofc_profile *profile;
};

struct web_state;

/* What a request looks at. */
struct state_choice {
  struct state_profile *head, *base; /* base: NULL when there is none */
  pprofc_profile *difference;        /* NULL without a base, or when another side is shown */
  enum web_side side;
};

/* Reads the profiles of the command line. `command` must stay as long as the state. */
pprofc_status state_load(struct command *command, struct web_state **state, pprofc_error *error);
void state_free(struct web_state *state);

/* ---- files that change ------------------------------- */

/* Looks whether files of the command line have changed since they were read; what has changed and
 * is whole is read aside. To be called every second or so, on one thread. */
void state_watch(struct web_state *state);

/* What was read aside, "cpu.prof changed at 12:03", into `text`; "" when nothing was. */
void state_pending(struct web_state *state, char *text, size_t size);

/* Why what has changed is not offered, "cpu.prof changed at 12:03: truncated gzip stream"; "" when
 * it is. */
void state_broken(struct web_state *state, char *text, size_t size);

/* Shows what was read aside. What was shown before stays and can be chosen, as a base, too. */
pprofc_status state_reload(struct web_state *state, pprofc_error *error);

/* Adds a profile that someone dropped on the page; *id is what parameters call it. */
pprofc_status state_drop(struct web_state *state, const char *name, pprofc_str data, unsigned *id,
                         pprofc_error *error);

/* What the parameters head, base and side choose; base "none" is no base. Differences that are not
 * known yet are made with `mem`. To be freed also after a failure. */
pprofc_status state_choose(struct web_state *state, const struct web_query *query,
                           const pprofc_allocator *mem, struct state_choice *choice,
                           pprofc_error *error);
void state_choice_free(struct state_choice *choice);

/* All profiles, for choosing; each is to be released. Returns how many there are. */
size_t state_list(struct web_state *state, struct state_profile *profiles[STATE_PROFILES_MAX]);
void state_release(struct state_profile *profile);

/* How often changed files were shown, from 1. */
uint64_t state_generation(struct web_state *state);

/* A number that changes whenever the answer to any question may change. */
uint64_t state_epoch(struct web_state *state);

#endif
