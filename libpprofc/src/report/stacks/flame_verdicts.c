/* Converts verdicts on functions to verdicts on frames of a flame graph. */
#include "report/stacks/flame_verdicts.h"

#include "core/buffer.h"
#include "core/error.h"
#include "verdict/print/print.h"

#include <math.h>
#include <stdio.h>

/* Relative difference of two scale factors that rounding can cause. */
#define SAME_SCALE 1e-9

struct verdict_maker {
  const struct flame_tree *tree;
  const pprofc_verdicts *verdicts;
  const pprofc_verdict_row *rows;
  size_t row_count;
  const bool *named; /* for each frame, true if the verdicts have a row for its function */
  pprofc_verdict_summary summary;
  struct arena *arena;
  double unit; /* factor that converts values in the verdicts to values of the tree */
};

/* ---- numbers ----------------------------------------- */

static double verdict_or_one(double value) {
  return isfinite(value) && value > 0 ? value : 1;
}

/* Returns the total of all functions that have a row in the verdicts. In each path, only the
 * outermost node of these functions counts. */
static double verdict_named(const struct verdict_maker *m, size_t type, bool head) {
  const struct flame_tree *t = m->tree;
  double sum = 0;
  for (size_t i = 1; i < t->count;) {
    if (!m->named[t->frame[i]]) {
      i++;
      continue;
    }
    sum += (double)(head ? flame_head(t, i, type) : flame_base(t, i, type));
    i = t->end[i];
  }
  return sum;
}

/* Returns the factor that converts values in the verdicts to values of the tree: the ratio of both
 * totals. If a filter removed frames, the tree may lack samples. The factor is then the ratio of
 * the sums over the functions that have a row in the verdicts. */
static double verdict_scale(const struct verdict_maker *m, size_t type, bool head) {
  double total = head ? m->summary.total_head : m->summary.total_base, judged = 0;
  double drawn = (double)(head ? flame_head(m->tree, 0, type) : flame_base(m->tree, 0, type));
  for (size_t i = 0; i < m->row_count; i++)
    judged += head ? m->rows[i].flat.head : m->rows[i].flat.base;
  double whole = drawn / total, parts = verdict_named(m, type, head) / judged;
  return fabs(parts / whole - 1) > SAME_SCALE ? parts : whole;
}

/* Marks the frames whose functions have a row in the verdicts. */
static bool verdict_mark_named(struct verdict_maker *m) {
  const struct stack_frames *frames = m->tree->frames;
  bool *named = arena_array(m->arena, frames->count, sizeof *named);
  if (!named) return false;
  for (size_t i = 0; i < frames->count; i++)
    named[i] = pprofc_verdicts_find(m->verdicts, frames->items[i].name) != NULL;
  m->named = named;
  return true;
}

/* Computes the factors that convert values in the verdicts to values of the tree, which
 * are sums over runs. */
static void verdict_scales(struct verdict_maker *m, size_t type, struct flame_verdicts *out) {
  double base = verdict_scale(m, type, false), head = verdict_scale(m, type, true);
  m->unit = isfinite(base) && base > 0 ? base : verdict_or_one(head);
  out->ratio = 1 / m->unit;
  out->head_scale = verdict_or_one(m->unit / head);
}

static enum flame_certainty verdict_certainty(pprofc_verdict verdict) {
  if (pprofc_verdict_is_change(verdict)) return FLAME_OWN;
  return pprofc_verdict_is_certain(verdict) ? FLAME_SHARED : FLAME_QUIET;
}

/* Converts an estimate of the verdicts to an estimate of the flame graph. There is no interval and
 * no adjusted p-value (q) if base or head has a single run. There is no interval for a value that
 * was not judged. */
static struct flame_estimate verdict_estimate(const struct verdict_maker *m,
                                              const pprofc_verdict_estimate *e, const char *word) {
  double judged = isnan(e->p) || m->summary.lone ? (double)NAN : m->unit;
  return (struct flame_estimate){
      .word = word,
      .certainty = verdict_certainty(e->verdict),
      .base = e->base * m->unit,
      .delta = e->delta * m->unit,
      .low = e->low * judged,
      .high = e->high * judged,
      .q = m->summary.lone ? (double)NAN : e->q,
  };
}

static struct flame_estimate verdict_total(const struct verdict_maker *m) {
  const pprofc_verdict_summary *s = &m->summary;
  return (struct flame_estimate){
      .word = pprofc_verdict_name(s->total_verdict),
      .certainty = verdict_certainty(s->total_verdict),
      .base = s->total_base * m->unit,
      .delta = s->total_delta * m->unit,
      .low = s->total_low * m->unit,
      .high = s->total_high * m->unit,
      .q = (double)NAN,
  };
}

/* ---- frames and nodes -------------------------------- */

static const struct flame_verdict *verdict_of_row(struct verdict_maker *m,
                                                  const pprofc_verdict_row *row) {
  struct flame_verdict *made = arena_alloc(m->arena, sizeof *made);
  if (!made) return NULL;
  *made = (struct flame_verdict){
      .self = verdict_estimate(m, &row->flat, noise_word(row, false)),
      .total = verdict_estimate(m, &row->cum, noise_word(row, true)),
      .partner = STR(""),
  };
  if (!row->relation || row->partner == PPROFC_VERDICT_NO_ROW) return made;
  made->partner = arena_str(m->arena, m->rows[row->partner].name);
  return made->partner.data ? made : NULL;
}

/* Sets the verdicts of frames. Frames are sorted by name, so the frames of a function are
 * adjacent. */
static bool verdict_fill_frames(struct verdict_maker *m, struct flame_verdicts *out) {
  const struct stack_frames *frames = m->tree->frames;
  out->of = arena_zero_array(m->arena, frames->count, sizeof *out->of);
  for (size_t i = 0; out->of && i < frames->count; i++) {
    pprofc_str name = frames->items[i].name;
    if (i && str_equal(name, frames->items[i - 1].name)) {
      out->of[i] = out->of[i - 1];
      continue;
    }
    const pprofc_verdict_row *row = pprofc_verdicts_find(m->verdicts, name);
    if (!row) continue;
    out->of[i] = verdict_of_row(m, row);
    if (!out->of[i]) return false;
  }
  return out->of != NULL;
}

static bool verdict_fill_nodes(struct verdict_maker *m, bool reversed, struct flame_verdicts *out) {
  const struct flame_tree *t = m->tree;
  out->nearest = arena_zero_array(m->arena, t->count, sizeof *out->nearest);
  for (size_t i = 1; out->nearest && i < t->count; i++) {
    out->nearest[i] = out->of[t->frame[i]];
    if (!out->nearest[i] && !reversed) out->nearest[i] = out->nearest[t->parent[i]];
  }
  return out->nearest != NULL;
}

/* ---- notes ------------------------------------------- */

/* Each of the following functions appends a sentence about the comparison, if the sentence
 * applies. */
static void verdict_note_sentence(const struct verdict_maker *m, struct buffer *text) {
  buffer_add_str(text, m->summary.sentence);
}

static void verdict_note_runs(const struct verdict_maker *m, struct buffer *text) {
  const pprofc_verdict_summary *s = &m->summary;
  if (s->exact)
    buffer_add_text(text,
                    s->lone ? "Each version ran once: run the base twice to find counts that vary."
                            : "Counts are exact; their spread between runs is the noise.");
  else if (s->base_runs == 1 && s->head_runs == 1)
    buffer_printf(text,
                  "One pair of profiles cannot show the noise between runs: %g %% is assumed. "
                  "Several runs of each version show it.",
                  100 * s->noise_cv);
  else
    buffer_printf(text, "Mean of %zu + %zu runs; a function varies by %.1f %% between runs.",
                  s->base_runs, s->head_runs, 100 * s->between_run_cv);
}

static void verdict_note_divisor(const struct verdict_maker *m, struct buffer *text) {
  static const char *const what[] = {
      [PPROFC_EXPOSURE_AUTO] = "",
      [PPROFC_EXPOSURE_OPS] = "Values are per operation.",
      [PPROFC_EXPOSURE_TIME] = "Values are per second of the profile.",
      [PPROFC_EXPOSURE_TOTAL] = "Values are percent of the total.",
      [PPROFC_EXPOSURE_NONE] = "",
  };
  buffer_add_text(text, what[m->summary.exposure]);
}

static void verdict_note_judged(const struct verdict_maker *m, struct buffer *text) {
  const pprofc_verdict_summary *s = &m->summary;
  if (s->tested)
    buffer_printf(text, "The self cost of %zu of %zu functions changed%s (q < %g).", s->changed,
                  s->tested, s->has_common ? " beyond the common factor" : "", s->alpha);
  else if (!s->exact)
    buffer_add_text(text, "No function has enough samples to be judged.");
}

static void verdict_note_common(const struct verdict_maker *m, struct buffer *text) {
  const pprofc_verdict_summary *s = &m->summary;
  if (s->has_common)
    buffer_printf(text, "All functions: %+.1f %% [%+.1f %%, %+.1f %%].", 100 * s->common_change,
                  100 * s->common_low, 100 * s->common_high);
}

static bool verdict_fill_notes(struct verdict_maker *m, struct flame_verdicts *out) {
  static void (*const write[])(const struct verdict_maker *, struct buffer *) = {
      verdict_note_sentence, verdict_note_runs,   verdict_note_divisor,
      verdict_note_judged,   verdict_note_common,
  };
  const size_t count = COUNT(write);
  pprofc_str *notes = arena_array(m->arena, count, sizeof *notes);
  bool good = notes != NULL;
  for (size_t i = 0; good && i < count; i++) {
    struct buffer text = buffer_make(m->arena->mem, 1 << 16);
    write[i](m, &text);
    if (text.size) notes[out->note_count++] = buffer_keep(&text, m->arena);
    good = !text.failed && (!out->note_count || notes[out->note_count - 1].data);
    buffer_free(&text);
  }
  out->notes = notes;
  out->sentence = good && out->note_count ? notes[0] : STR("");
  return good;
}

pprofc_status flame_verdicts_make(const struct flame_tree *tree, size_t type, bool reversed,
                                  const pprofc_verdicts *verdicts, struct arena *arena,
                                  struct flame_verdicts *out, pprofc_error *error) {
  struct verdict_maker m = {.tree = tree, .verdicts = verdicts, .arena = arena};
  *out = (struct flame_verdicts){.type = type};
  m.rows = pprofc_verdicts_rows(verdicts, &m.row_count);
  pprofc_verdicts_summary_of(verdicts, &m.summary);
  out->judged = m.summary.exact ? m.row_count : m.summary.tested;
  out->changed = m.summary.changed;
  out->runs[0] = m.summary.base_runs;
  out->runs[1] = m.summary.head_runs;
  if (!verdict_mark_named(&m)) return error_nomem(error);
  verdict_scales(&m, type, out);
  out->total = verdict_total(&m);
  out->unit = arena_str(arena, m.summary.unit);
  bool good = verdict_fill_frames(&m, out) && verdict_fill_nodes(&m, reversed, out) &&
              verdict_fill_notes(&m, out);
  return good ? PPROFC_OK : error_nomem(error);
}
