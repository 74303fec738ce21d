/* Reads logs of `node --prof`, which list code and the addresses on the stack. node itself
 * interprets them best and converts them to JSON. */
#include "v8_prof_log.h"

#include "common/terminal.h"
#include "core/buffer.h"
#include "core/child.h"

#include <stdio.h>
#include <string.h>

/* node looks up symbols of its binary with nm, which is slow. */
#define V8_PROF_LOG_TIMEOUT_MS (5 * 60 * 1000u)

bool v8_prof_log_is(pprofc_str begin) {
  return str_starts(begin, STR("v8-version,"));
}

static pprofc_status v8_prof_log_run(const char *path, struct buffer *json, pprofc_error *error) {
  const char *const argv[] = {"node", "--prof-process", "--preprocess", "-j", path, NULL};
  struct child child = {.argv = argv, .timeout_ms = V8_PROF_LOG_TIMEOUT_MS};
  struct child_end end;
  if (!child_exists("node"))
    return error_set(error, PPROFC_E_UNSUPPORTED,
                     "a log of node --prof needs node in PATH; or run node --prof-process "
                     "--preprocess -j LOG >FILE on another machine and read FILE");
  pprofc_status status = child_run(&child, json, &end, error);
  if (status == PPROFC_OK && end.status)
    status =
        error_set(error, PPROFC_E_FORMAT, "node ended with status %d: %s", end.status, end.said);
  return status;
}

/* Parses the JSON after an optional message about a different version of node. */
static pprofc_status v8_prof_log_parse(const struct buffer *json,
                                       const pprofc_read_options *options, pprofc_profile **profile,
                                       pprofc_error *error) {
  pprofc_str text = buffer_str(json);
  while (text.size && text.data[0] != '{') {
    pprofc_str line;
    str_next_line(&text, &line);
    if (line.size) message_error("node: %.*s", STR_ARG(line));
  }
  return pprofc_profile_read_memory(text.data, text.size, options, profile, error);
}

pprofc_status v8_prof_log_read(const char *path, const char *shown,
                               const pprofc_read_options *options, pprofc_profile **profile,
                               pprofc_error *error) {
  struct buffer name, json;
  uint64_t most = options->limits ? options->limits->inflated_bytes : 0;
  buffer_init(&name, options->allocator, SIZE_MAX / 2);
  buffer_init(&json, options->allocator, most ? most : CHILD_OUTPUT_BYTES);
  if (*path == '-') buffer_add_text(&name, "./"); /* avoids an option */
  buffer_add(&name, path, strlen(path) + 1);
  pprofc_status status =
      name.failed ? error_nomem(error) : v8_prof_log_run(name.data, &json, error);
  if (status == PPROFC_OK) status = v8_prof_log_parse(&json, options, profile, error);
  if (status != PPROFC_OK) error_prefix(error, "cannot read '%s': ", shown);
  buffer_free(&name);
  buffer_free(&json);
  return status;
}
