/* Keeps profiles open between questions. */
#ifndef PPROFC_MCP_PROFILES_H
#define PPROFC_MCP_PROFILES_H

#include "mcp/files.h"
#include "options.h"

#define PROFILES_OPEN 24
#define VIEWS_OPEN    24

struct profile_view; /* declared in mcp/views.h */

/* A profile with the state of its file when it was read. */
struct open_profile {
  char *path;
  struct stat info;
  pprofc_profile *profile;
  uint64_t used;       /* number of the last question that used the profile */
  bool added_up;       /* true if equal samples of a large profile are added up */
  char warnings[1024]; /* warnings about the profile, one line each */
};

struct profiles {
  const struct command *command; /* command line of the program, for limits and threads */
  const struct files *files;
  struct budget *budget; /* budget for the memory of all profiles and reports */
  struct open_profile items[PROFILES_OPEN];
  size_t count;
  struct profile_view *views[VIEWS_OPEN];
  size_t view_count;
  uint64_t questions;
};

/* Opens a profile, or returns the open one if its file is the same. The result is valid until the
 * next question; profiles of this question stay. */
const struct open_profile *profiles_get(struct profiles *profiles, pprofc_str path,
                                        pprofc_error *error);

/* Does the same, and adds up equal samples of a large profile, which makes later questions fast. */
const struct open_profile *profiles_get_sums(struct profiles *profiles, pprofc_str path,
                                             pprofc_error *error);

/* Begins a question: profiles and views of earlier ones may be closed for room. */
void profiles_begin(struct profiles *profiles);

/* Closes the view or profile that was used longest ago. False if the current question uses all
 * of them. */
bool profiles_make_room(struct profiles *profiles);
void profiles_close_view(struct profiles *profiles, struct profile_view *view);
void profiles_free(struct profiles *profiles);

/* ---- views ------------------------------------------- */

bool view_shows(const struct profile_view *view, const pprofc_profile *profile);
uint64_t view_used(const struct profile_view *view);
void view_free(struct profile_view *view);

#endif
