/* Runs the steps between reading a profile and the report, in the order of pprof. */
#include "steps.h"

#include "profile/profile.h"
#include "sources/sources.h"
#include "symbolize/symbolize.h"

/* Sets the options of symbolization. `path` is a buffer for the search path of binaries. */
static void symbol_options(const struct command *command, struct symbolize_options *options,
                           char path[4096]) {
  const char *folders = getenv("PPROF_BINARY_PATH"), *home = getenv("HOME");
  path[0] = '\0';
  if (home && *home) snprintf(path, 4096, "%s/pprof/binaries", home);
  if (!folders || !*folders) folders = path;
  *options = (struct symbolize_options){
      .mode = command->symbolize,
      .tools = command->tools,
      .search_path = folders,
      .executable = command->executable,
      .build_id = *command->buildid ? command->buildid : NULL,
      .skip_unused = *command->base || *command->diff_base,
      .warn = command->report.warn,
  };
}

pprofc_status finish_locate(const struct command *command, pprofc_profile **profile,
                            pprofc_error *error) {
  struct symbolize_options options;
  char path[4096];
  pprofc_profile *located;
  symbol_options(command, &options, path);
  pprofc_status status = symbolize_locate(*profile, &options, &located, error);
  if (status == PPROFC_OK) profile_replace(profile, located);
  return status;
}

static pprofc_status finish_symbolize(const struct fetcher *fetcher, pprofc_profile **profile,
                                      pprofc_error *error) {
  struct symbolize_options options;
  char path[4096];
  pprofc_profile *symbolized;
  symbol_options(fetcher->command, &options, path);
  if (fetcher->fetched) options.server = &fetcher->symbols.server;
  pprofc_status status = symbolize_profile(*profile, &options, &symbolized, error);
  if (status == PPROFC_OK) profile_replace(profile, symbolized);
  return status;
}

static pprofc_status add_comment(pprofc_profile **profile, const char *comment,
                                 pprofc_error *error) {
  pprofc_profile *edit = profile_edit(*profile);
  if (!edit) return error_nomem(error);
  size_t count = edit->comment_count;
  uint32_t *comments = arena_array(&edit->region->arena, count + 1, sizeof *comments);
  pprofc_str text = str_of(comment);
  if (!comments || !profile_add_strings(edit, &text, 1)) {
    pprofc_profile_release(edit);
    return error_nomem(error);
  }
  if (count) memcpy(comments, edit->comments, count * sizeof *comments);
  comments[count] = (uint32_t)(edit->strings.count - 1);
  edit->comments = comments;
  edit->comment_count = count + 1;
  profile_replace(profile, edit);
  return PPROFC_OK;
}

/* Clears the profile's fields drop_frames and keep_frames, so that readers keep all frames. */
static pprofc_status finish_keep_frames(pprofc_profile **profile, pprofc_error *error) {
  pprofc_profile *edit = profile_edit(*profile);
  if (!edit) return error_nomem(error);
  edit->drop_frames = edit->keep_frames = 0;
  profile_replace(profile, edit);
  return PPROFC_OK;
}

pprofc_status finish_profile(const struct fetcher *fetcher, pprofc_profile **profile,
                             pprofc_error *error) {
  const struct command *command = fetcher->command;
  pprofc_status status = finish_symbolize(fetcher, profile, error);
  if (status == PPROFC_OK && command->all_frames) status = finish_keep_frames(profile, error);
  if (status == PPROFC_OK && !command->all_frames)
    status =
        sources_drop_frames(profile, command->report.warn, command->report.warn_context, error);
  if (status == PPROFC_OK) status = mappings_forget_urls(profile, error);
  if (status == PPROFC_OK && *command->add_comment)
    status = add_comment(profile, command->add_comment, error);
  return status; /* The result needs no check, because an edit keeps a valid profile valid. */
}
