/* Writes annotations of a pull request: a GitHub Actions command for each regression, at the
 * line of the function that explains it if known. */
#include "page/page.h"

#include "core/log_guard.h"
#include "core/outfile.h"
#include "page/html.h"
#include "page/hunks.h"
#include "page/numbers.h"
#include "run/place.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#define ERRORS_MOST 10 /* maximum that GitHub shows for a step */

/* Escapes a message, or with `property` the value of a property. */
static void put_command_text(struct buffer *out, pprofc_str text, bool property) {
  struct buffer broken;
  buffer_init(&broken, out->mem, SIZE_MAX / 2);
  escape_line(&broken, text);
  for (size_t i = 0; i < broken.size; i++) {
    unsigned char c = (unsigned char)broken.data[i];
    bool special = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
    if (special)
      buffer_printf(out, "%%%02X", c);
    else
      buffer_add_char(out, (char)c);
  }
  out->failed |= broken.failed;
  buffer_free(&broken);
}

/* A line to annotate; file "" without one. */
struct annotation_place {
  pprofc_str file;
  int64_t line;
};

/* Returns the line that explains a pair: one of the change if that is known, because others are not
 * shown with the pull request; else of the checkout's function that the growth passes through. */
static struct annotation_place annotated_line(const struct run_pair *pair) {
  struct annotation_place none = {STR(""), 0};
  if (pair && pair->has_sources) {
    const struct run_hunk *hunk = pair->hunk_count ? &pair->hunks[0] : NULL;
    if (!hunk || !hunk->certain || !hunk->lines[hunk->worst].head_line) return none;
    return (struct annotation_place){str_of(hunk->file), hunk->lines[hunk->worst].head_line};
  }
  if (!pair || !pair->own.name) return none;
  return (struct annotation_place){place_in_checkout(pair->own.file), pair->own.line};
}

static void put_location(struct buffer *out, const struct run_pair *pair) {
  const struct annotation_place at = annotated_line(pair);
  if (!at.file.size) return;
  buffer_add_text(out, "file=");
  put_command_text(out, at.file, true);
  if (at.line > 0) buffer_printf(out, ",line=%lld", (long long)at.line);
  buffer_add_char(out, ',');
}

/* Appends "Index 4.9 times slower". */
static void put_regression_title(struct buffer *out, const struct benchmark *b) {
  buffer_add_str(out, b->name);
  buffer_add_char(out, ' ');
  number_phrase(out, b->worst);
}

/* Appends the sentence and the functions that grew most. */
static void put_regression_message(struct buffer *out, const struct page_model *m,
                                   const struct run_pair *pair, const struct benchmark *b) {
  number_sentence(out, b->name, b->worst);
  size_t before = out->size;
  buffer_add_text(out, "; ");
  if (pair && hunks_sentence(out, m->run, pair)) return;
  out->size = before;
  for (size_t i = 0; pair && i < pair->change_count && i < 2; i++) {
    buffer_printf(out, "%s%s +", i ? ", " : "; grew most: ", pair->changes[i].name);
    number_profile(out, pair->changes[i].head - pair->changes[i].base, str_of(pair->unit));
  }
}

static void put_regression(struct buffer *out, const struct page_model *m,
                           const struct benchmark *b) {
  const struct run_pair *pair = model_pair(m, b);
  struct buffer text;
  buffer_init(&text, out->mem, SIZE_MAX / 2);
  buffer_add_text(out, "::error ");
  put_location(out, pair);
  buffer_add_text(out, "title=");
  put_regression_title(&text, b);
  put_command_text(out, buffer_str(&text), true);
  buffer_add_text(out, "::");
  buffer_clear(&text);
  put_regression_message(&text, m, pair, b);
  put_command_text(out, buffer_str(&text), false);
  buffer_add_char(out, '\n');
  out->failed |= text.failed;
  buffer_free(&text);
}

static void put_regression_item(struct json_writer *json, const struct page_model *m,
                                const struct benchmark *b, struct buffer *text) {
  const struct run_pair *pair = model_pair(m, b);
  const struct annotation_place at = annotated_line(pair);
  json_line_break(json);
  json_begin_object(json);
  json_string(json_key(json, "group"), b->group);
  json_string(json_key(json, "benchmark"), b->name);
  json_string(json_key(json, "file"), at.file);
  json_int(json_key(json, "line"), at.line);
  buffer_clear(text);
  put_regression_title(text, b);
  json_string(json_key(json, "title"), buffer_str(text));
  buffer_clear(text);
  put_regression_message(text, m, pair, b);
  json_string(json_key(json, "message"), buffer_str(text));
  if (pair) {
    buffer_clear(text);
    html_flame(text, m, pair, html_shown(pair), html_culprit(pair));
    json_string(json_key(json, "link"), buffer_str(text));
  }
  json_end(json);
}

void annotations_list(struct json_writer *json, const struct page_model *m) {
  struct buffer text;
  buffer_init(&text, m->run->mem, SIZE_MAX / 2);
  json_begin_array(json);
  for (size_t i = 0; i < m->states[STATE_SLOWER]; i++)
    put_regression_item(json, m, &m->benchmarks[i], &text);
  json_end(json);
  json->scratch.failed |= text.failed;
  buffer_free(&text);
}

static void annotations_print(struct buffer *out, const struct page_model *m) {
  size_t count = m->states[STATE_SLOWER];
  size_t shown = count > ERRORS_MOST ? ERRORS_MOST - 1 : count;
  for (size_t i = 0; i < shown; i++) put_regression(out, m, &m->benchmarks[i]);
  if (shown < count)
    buffer_printf(out, "::error title=benchmarks::%zu more benchmarks got slower\n", count - shown);
}

pprofc_status print_annotations(struct ci_run *run, pprofc_error *error) {
  const char *actions = getenv("GITHUB_ACTIONS");
  struct page_model model;
  struct buffer text;
  int fd = STDOUT_FILENO;
  if (!actions || strcmp(actions, "true") != 0 || !run->judged) return PPROFC_OK;
  pprofc_status status = model_make(run, &model, error);
  if (status != PPROFC_OK) return status;
  buffer_init(&text, run->mem, SIZE_MAX / 2);
  annotations_print(&text, &model);
  bool good = !text.failed && fd_write(&fd, text.data, text.size) == 0;
  buffer_free(&text);
  return good ? PPROFC_OK : error_set(error, PPROFC_E_IO, "cannot write standard output");
}
