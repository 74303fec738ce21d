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
  char *name;   /* short: "cpu.prof" */
  char *source; /* what stands for it on a command line; "" when nothing does */
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

/* What the parameters head, base and side choose; base "none" is no base. Differences that are not
 * known yet are made with `mem`. To be freed also after a failure. */
pprofc_status state_choose(struct web_state *state, const struct web_query *query,
                           const pprofc_allocator *mem, struct state_choice *choice,
                           pprofc_error *error);
void state_choice_free(struct state_choice *choice);

/* All profiles, for choosing; each is to be released. Returns how many there are. */
size_t state_list(struct web_state *state, struct state_profile *profiles[STATE_PROFILES_MAX]);
void state_release(struct state_profile *profile);

/* A number that changes whenever the answer to any question may change. */
uint64_t state_generation(struct web_state *state);

#endif
