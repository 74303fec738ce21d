/* Implements `pprofci capture`: captures profiles of a server before and after a change while a
 * load generator runs. */
#include "capture/capture.h"

#include "common/new_folder.h"
#include "common/terminal.h"
#include "core/array.h"

pprofc_status capture_add(struct capture *capture, const struct capture_item *item,
                          pprofc_error *error) {
  if (!ARRAY_RESERVE(&mem_default, capture->items, capture->capacity, capture->count + 1)) {
    pprofc_profile_release(item->profile);
    return error_nomem(error);
  }
  capture->items[capture->count++] = *item;
  return PPROFC_OK;
}

static pprofc_status capture_choose_kinds(struct capture *capture, pprofc_error *error) {
  pprofc_str rest = str_of(capture->options->kinds), word;
  while (str_next(&rest, ',', &word)) {
    size_t k = 0;
    word = str_trim(word);
    while (k < REMOTE_KINDS && !str_equal(word, str_of(remote_kinds[k].name))) k++;
    if (k == REMOTE_KINDS)
      return error_set(error, PPROFC_E_INVALID,
                       "-kinds must list cpu, heap, goroutine, mutex or block, not '%.*s'",
                       STR_ARG(word));
    capture->kinds[k] = true;
  }
  return PPROFC_OK;
}

/* Fails if base or head has no profile. A report on such a pair would show all values as a
 * change. */
static pprofc_status capture_check_sides(const struct capture *capture, pprofc_error *error) {
  for (int side = 0; side < SIDES; side++) {
    const struct capture_options *o = capture->options;
    size_t found = 0;
    for (size_t i = 0; i < capture->count; i++) found += capture->items[i].side == side;
    if (!found && (*o->servers[side] || *o->queries[side]))
      return error_set(error, PPROFC_E_INVALID, "no profile of the %s was captured",
                       side_names[side]);
  }
  return PPROFC_OK;
}

static pprofc_status capture_all(struct capture *capture, pprofc_error *error) {
  const struct capture_options *o = capture->options;
  pprofc_status status = capture_choose_kinds(capture, error);
  if (status == PPROFC_OK) status = new_folder_check(o->out, "-out", error);
  if (status == PPROFC_OK && *o->pyroscope)
    status = capture_queries(capture, error);
  else if (status == PPROFC_OK)
    status = capture_servers(capture, error);
  if (status == PPROFC_OK) status = capture_check_sides(capture, error);
  if (status == PPROFC_OK) status = capture_write(capture, error);
  if (status == PPROFC_OK) message_note("Captured %zu profiles in %s", capture->count, o->out);
  return status;
}

static pprofc_status capture_run(void *options, const struct command_line *line, int *code,
                                 pprofc_error *error) {
  struct capture capture = {.options = options};
  (void)line, (void)code;
  pprofc_status status = capture_all(&capture, error);
  for (size_t i = 0; i < capture.count; i++) pprofc_profile_release(capture.items[i].profile);
  ARRAY_FREE(&mem_default, capture.items, capture.capacity);
  if (capture.remote.opened) remote_close(&capture.remote);
  return status;
}

static struct capture_options given;
const struct ci_command capture_command = {
    &capture_table, &given, sizeof given, COMMAND_NO_WORDS, capture_check, capture_run, NULL};
