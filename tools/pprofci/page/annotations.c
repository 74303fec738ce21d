/* Writes annotations of a pull request as GitHub Actions commands. Each regressed benchmark gets
 * one annotation. So does each pair of profiles in which -fail-on found a function. An annotation
 * is at the source line that explains the change. */
#include "page/page.h"

#include "page/html.h"
#include "page/numbers.h"
#include "run/files.h"

#define ERRORS_MOST 10 /* maximum number of annotations that GitHub shows for a step */

/* A source line that gets an annotation. The file is "" if no line is known. */
struct annotation_place {
  pprofc_str file;
  int64_t line;
};

/* Returns the line to annotate. If the source diff is known, this is the changed line whose cost
 * grew most, because pull requests annotate only changed lines. Otherwise it is the line of
 * pair->own, the user's function whose calls led to the growth. */
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
  escape_command(out, at.file, true);
  if (at.line > 0) buffer_printf(out, ",line=%lld", (long long)at.line);
  buffer_add_char(out, ',');
}

/* A regression to annotate: a benchmark, or a function that -fail-on found in a pair of profiles.
 */
struct annotation {
  const struct run_pair *pair; /* pair of profiles that explains the regression, or NULL */
  const struct benchmark *benchmark;
  const struct run_fired *fired;
};

/* True if an annotation of a benchmark belongs to the pair of profiles. */
static bool has_annotation(const struct page_model *m, const struct run_pair *pair) {
  for (size_t i = 0; i < m->states[STATE_SLOWER]; i++)
    if (pair && model_pair(m, &m->benchmarks[i]) == pair) return true;
  return false;
}

/* Looks in run->fired, the functions that -fail-on found. Returns the one that grew most in the
 * same pair of profiles as run->fired[index]. Returns NULL if an earlier element has this pair, so
 * that each pair gets one function. */
static const struct run_fired *fired_first(const struct ci_run *run, size_t index) {
  const struct run_fired *worst = &run->fired[index];
  for (size_t i = 0; i < index; i++)
    if (strcmp(run->fired[i].pair, worst->pair) == 0) return NULL;
  for (size_t i = index + 1; i < run->fired_count; i++)
    if (strcmp(run->fired[i].pair, worst->pair) == 0 &&
        run->fired[i].change.delta > worst->change.delta)
      worst = &run->fired[i];
  return worst;
}

/* Returns an upper bound of the number of annotations. */
static size_t annotations_most(const struct page_model *m) {
  return m->states[STATE_SLOWER] + m->run->fired_count;
}

/* Fills in annotation `index`. The first indices are benchmarks, and the next indices are
 * functions. Returns false if another annotation already reports the same regression. */
static bool annotation_at(const struct page_model *m, size_t index, struct annotation *a) {
  *a = (struct annotation){NULL, NULL, NULL};
  if (index < m->states[STATE_SLOWER]) {
    a->benchmark = &m->benchmarks[index];
    a->pair = model_pair(m, a->benchmark);
    return true;
  }
  index -= m->states[STATE_SLOWER];
  a->pair = model_fired_pair(m->run, &m->run->fired[index]);
  a->fired = fired_first(m->run, index);
  return a->fired && !has_annotation(m, a->pair);
}

/* Appends "Index 4.9 times slower" or "-fail-on=flat>5%". */
static void annotation_put_title(struct buffer *out, const struct annotation *a) {
  if (a->fired) {
    buffer_printf(out, "-fail-on=%s", a->fired->condition);
    return;
  }
  buffer_add_str(out, a->benchmark->name);
  buffer_add_char(out, ' ');
  number_phrase(out, a->benchmark->worst);
}

static void put_fired_message(struct buffer *out, const struct page_model *m,
                              const struct annotation *a) {
  size_t before = out->size;
  struct hunk_code code;
  if (a->pair && hunks_sentence(out, m->run, a->pair, &code)) return;
  out->size = before;
  buffer_printf(out, "%s %s by ", a->fired->change.name, a->fired->change.verdict);
  number_difference(out, a->fired->change.delta, str_of(a->fired->unit));
  buffer_printf(out, "%s in %s", a->fired->place, a->fired->pair);
}

/* Appends the sentence about the regression, and the functions that grew most. */
static void put_message(struct buffer *out, const struct page_model *m,
                        const struct annotation *a) {
  const struct run_pair *pair = a->pair;
  if (a->fired) {
    put_fired_message(out, m, a);
    return;
  }
  number_sentence(out, a->benchmark->name, a->benchmark->worst);
  size_t before = out->size;
  struct hunk_code code;
  buffer_add_text(out, "; ");
  if (pair && hunks_sentence(out, m->run, pair, &code)) return;
  out->size = before;
  for (size_t i = 0; pair && i < pair->change_count && i < 2; i++) {
    buffer_printf(out, "%s%s +", i ? ", " : "; grew most: ", pair->changes[i].name);
    number_profile(out, pair->changes[i].head - pair->changes[i].base, str_of(pair->unit));
  }
}

static void put_item(struct json_writer *json, const struct page_model *m,
                     const struct annotation *a, struct buffer *text) {
  const struct annotation_place at = annotated_line(a->pair);
  json_pack(json, "\n{group:S", a->benchmark ? a->benchmark->group : STR(""));
  json_pack(json, "benchmark:S file:S line:i",
            a->benchmark ? a->benchmark->name : str_of(a->fired->pair), at.file, at.line);
  buffer_clear(text);
  annotation_put_title(text, a);
  json_string(json_key(json, "title"), buffer_str(text));
  buffer_clear(text);
  put_message(text, m, a);
  json_string(json_key(json, "message"), buffer_str(text));
  if (a->pair) {
    buffer_clear(text);
    html_flame(text, m, a->pair, html_shown(a->pair), html_culprit(a->pair));
    json_string(json_key(json, "link"), buffer_str(text));
  }
  json_end(json);
}

void annotations_list(struct json_writer *json, const struct page_model *m) {
  struct buffer text = ci_buffer();
  struct annotation a;
  json_begin_array(json);
  for (size_t i = 0; i < annotations_most(m); i++)
    if (annotation_at(m, i, &a)) put_item(json, m, &a, &text);
  json_end(json);
  buffer_free(&text);
}

static void put_command(struct buffer *out, const struct page_model *m,
                        const struct annotation *a) {
  struct buffer text = ci_buffer();
  buffer_add_text(out, "::error ");
  put_location(out, a->pair);
  buffer_add_text(out, "title=");
  annotation_put_title(&text, a);
  escape_command(out, buffer_str(&text), true);
  buffer_add_text(out, "::");
  buffer_clear(&text);
  put_message(&text, m, a);
  escape_command(out, buffer_str(&text), false);
  buffer_add_char(out, '\n');
  buffer_free(&text);
}

static void annotations_print(struct buffer *out, const struct page_model *m) {
  struct annotation a;
  size_t count = 0, most = annotations_most(m);
  for (size_t i = 0; i < most; i++) count += annotation_at(m, i, &a);
  size_t left = count > ERRORS_MOST ? ERRORS_MOST - 1 : count, more = count - left;
  for (size_t i = 0; i < most && left; i++) {
    if (!annotation_at(m, i, &a)) continue;
    put_command(out, m, &a);
    left--;
  }
  if (more) buffer_printf(out, "::error title=benchmarks::%zu more regressions\n", more);
}

void print_annotations(struct ci_run *run) {
  struct page_model model;
  struct buffer text = ci_buffer();
  int fd = STDOUT_FILENO;
  if (strcmp(ci_variable("GITHUB_ACTIONS", ""), "true") != 0) return;
  if (!run->judged && !run->fired_count) return;
  model_make(run, &model);
  annotations_print(&text, &model);
  if (fd_write(&fd, text.data, text.size) != 0) ci_fail("cannot write standard output");
  buffer_free(&text);
}
