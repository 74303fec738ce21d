/* Keeps profiles open from one tool call to the next. */
#ifndef PPROFC_MCP_PROFILES_H
#define PPROFC_MCP_PROFILES_H

#include "mcp/files.h"
#include "options.h"

#define PROFILES_OPEN 24
#define VIEWS_OPEN    24

struct profile_view; /* see mcp/views.h */

/* A profile, and the state of its file when the file was read. */
struct open_profile {
  char *path;
  struct stat info;
  pprofc_profile *profile;
  uint64_t used;       /* number of the last tool call that used the profile */
  bool added_up;       /* true if equal samples of a large profile were merged */
  char warnings[1024]; /* warnings about the profile, one line each */
};

struct profiles {
  const struct command *command; /* command line, which has the limits and the number of threads */
  const struct files *files;
  struct budget *budget; /* memory budget of all profiles and reports */
  struct open_profile items[PROFILES_OPEN];
  size_t count;
  struct profile_view *views[VIEWS_OPEN];
  size_t view_count;
  uint64_t questions;
};

/* Returns a file's profile. Reads it if it is not open or has changed. With `add_up`, merges equal
 * samples of a large profile. Valid until the next tool call. */
const struct open_profile *profiles_get(struct profiles *profiles, pprofc_str path, bool add_up,
                                        pprofc_error *error);

/* Begins a tool call. From now on, profiles_make_room may close the profiles and views of earlier
 * calls. */
void profiles_begin(struct profiles *profiles);

/* Closes the view or profile whose last use is longest ago. Returns false if the current call uses
 * all views and profiles. */
bool profiles_make_room(struct profiles *profiles);
void profiles_close_view(struct profiles *profiles, struct profile_view *view);
void profiles_free(struct profiles *profiles);

bool view_shows(const struct profile_view *view, const pprofc_profile *profile);
uint64_t view_used(const struct profile_view *view);
void view_free(struct profile_view *view);

#endif
