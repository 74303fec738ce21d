/* Finds repository, change and branch of a run, without secrets and local paths. */
#ifndef PPROFCI_PAGE_IDENTITY_H
#define PPROFCI_PAGE_IDENTITY_H

#include "core/mem.h"
#include "core/template.h"

/* Repository and change of a run; all texts are "" if unknown. */
struct identity {
  const char *repository, *url;    /* repository as "owner/name", and address of its page */
  const char *commits;             /* address of a commit without the commit id at its end */
  const char *change, *change_url; /* "pull request 41", and its address */
  const char *title;               /* title of the change */
  const char *branch;
};

/* Finds the repository, the change and the branch. The texts are in the arena or in the
 * environment.
 */
void identity_find(struct identity *id, struct arena *arena);

/* Adds the template values for the page's line about repository, change and branch. */
void identity_fill(struct fill *f, const struct identity *id, const char *base, const char *head);

/* Returns the value of the first environment variable in `names` that is not empty, or "". The list
 * ends with NULL. */
const char *identity_variable(const char *const *names);

/* Returns an environment variable, or "" if it is not set. */
const char *identity_value(const char *name);

/* Returns an environment variable, or `other` if it is not set. */
const char *identity_or(const char *name, const char *other);

/* Returns the branch of the change, or "". */
const char *identity_branch(struct arena *arena);

#endif
