/* Reads the profiles of files and folders. Sorts the files of a folder by name. */
#include "leaks/command.h"
#include "pprofc/symbolize.h"
#include "run/files.h"
#include "run/profiles.h"
#include "sources/sources.h"

/* Rejects a folder of `pprofci capture` that contains base and head, because profiles of two
 * programs are not one series. */
static void leaks_check_sides(struct leaks_inputs *inputs, const char *folder) {
  const char *base = text_printf(&inputs->arena, "%s/base", folder);
  const char *head = text_printf(&inputs->arena, "%s/head", folder);
  if (!file_is_folder(base) || !file_is_folder(head)) return;
  ci_fail("'%s' has the profiles of base and head; pass one of its folders", folder);
}

static bool leaks_has_names(const pprofc_profile *profile) {
  size_t count = pprofc_profile_location_count(profile);
  for (uint32_t i = 0; i < count; i++)
    if (!pprofc_profile_location(profile, i).line_count) return false;
  return true;
}

/* Adds missing function names. Drops the frames that match the profile's expression drop_frames. */
static void leaks_prepare(pprofc_profile **profile) {
  pprofc_symbolize_options options;
  pprofc_profile *made;
  pprofc_symbolize_options_init(&options);
  options.search_path = getenv("PPROF_BINARY_PATH");
  if (!leaks_has_names(*profile)) {
    ci_need(pprofc_symbolize(*profile, &options, &made, &ci_error));
    profile_replace(profile, made);
  }
  ci_need(sources_drop_frames(profile, source_warn, NULL, &ci_error));
}

static void leaks_keep(struct leaks_inputs *inputs, const char *path, pprofc_profile *profile) {
  struct leak_source source;
  if (!leak_source_of(profile, &source)) {
    inputs->others++;
    pprofc_profile_release(profile);
    return;
  }
  leaks_prepare(&profile);
  (void)ARRAY_PUSH_IN(&inputs->arena, inputs->items, inputs->count, inputs->capacity,
                      (struct leak_input){path, profile});
}

static void leaks_read(struct leaks_inputs *inputs, const char *path, bool of_folder) {
  pprofc_profile *profile;
  pprofc_status status = pprofc_profile_read_file(path, NULL, &profile, &ci_error);
  if (status == PPROFC_OK)
    leaks_keep(inputs, path, profile);
  else if (of_folder && source_may_be_other(path, ".heap", &ci_error))
    message_note("pprofci: skipped '%s': not a profile", path);
  else
    ci_need(status);
}

static void leaks_load_source(struct leaks_inputs *inputs, const char *source) {
  struct found_files files;
  if (!file_is_folder(source)) {
    leaks_read(inputs, source, false);
    return;
  }
  leaks_check_sides(inputs, source);
  found_below(&inputs->arena, source, "", &files);
  for (size_t i = 0; i < files.count; i++) leaks_read(inputs, files.items[i].path, true);
}

void leaks_load(struct leaks_inputs *inputs, const char *const *sources, size_t count) {
  *inputs = (struct leaks_inputs){.arena = ci_arena()};
  for (size_t i = 0; i < count; i++) leaks_load_source(inputs, sources[i]);
  if (inputs->others)
    message_note("pprofci: skipped %zu profile%s of CPU or other events, which cannot leak",
                 inputs->others, inputs->others == 1 ? "" : "s");
  if (!inputs->count) ci_fail("no heap or goroutine profiles among the inputs");
}

void leaks_inputs_free(struct leaks_inputs *inputs) {
  for (size_t i = 0; i < inputs->count; i++) pprofc_profile_release(inputs->items[i].profile);
  arena_free(&inputs->arena);
}
