/* From verdicts on functions to frames of a flame graph. */
#include "report/stacks/flame_verdicts.h"

#include "core/buffer.h"
#include "core/error.h"

#include <math.h>
#include <stdio.h>

struct verdict_maker {
  const struct flame_tree *tree;
  const pprofc_verdicts *verdicts;
  const pprofc_verdict_row *rows;
  pprofc_verdict_summary summary;
  struct arena *arena;
  double unit; /* from a value that was judged to a value of the picture */
};

/* ---- numbers ----------------------------------------- */

/* What the base was divided by beside its exposure, as the mean over runs. */
static double verdict_base_common(const pprofc_verdict_summary *s) {
  double sum = 0;
  if (!s->has_common || !s->base_runs) return 1;
  for (size_t r = 0; r < s->base_runs; r++) sum += log(s->common[r]);
  return exp(sum / (double)s->base_runs);
}

static double verdict_or_one(double value) {
  return isfinite(value) && value > 0 ? value : 1;
}

/* The scales that bring values of the tree and values that were judged together. */
static void verdict_scales(struct verdict_maker *m, size_t type, struct flame_verdicts *out) {
  const pprofc_verdict_summary *s = &m->summary;
  double base = (double)flame_base(m->tree, 0, type), head = (double)flame_head(m->tree, 0, type);
  double common = s->has_common ? 1 + s->common_change : 1;
  m->unit = verdict_or_one(base / s->total_base);
  out->head_scale = verdict_or_one(m->unit * s->total_head / head / common);
  m->unit *= verdict_or_one(verdict_base_common(s));
}

static struct flame_estimate verdict_estimate(const struct verdict_maker *m,
                                              const pprofc_verdict_estimate *e, const char *word) {
  bool judged = !isnan(e->p);
  struct flame_estimate made = {
      .word = word,
      .changed = pprofc_verdict_is_change(e->verdict),
      .base = e->base * m->unit,
      .delta = e->delta * m->unit,
      .low = (double)NAN,
      .high = (double)NAN,
      .q = e->q,
  };
  if (!judged) return made;
  made.low = e->low * m->unit;
  made.high = e->high * m->unit;
  return made;
}

/* ---- words, as in -top -noise ------------------------ */

static const char *verdict_self_word(const pprofc_verdict_row *row) {
  if (row->flat.samples <= 0) return "";
  if (row->relation) return pprofc_verdict_relation_name(row->relation);
  return pprofc_verdict_name(row->flat.verdict);
}

static const char *verdict_total_word(const pprofc_verdict_row *row) {
  if (row->cum.samples <= 0) return "";
  if (row->via_callee && pprofc_verdict_is_change(row->cum.verdict)) return "via callee";
  return pprofc_verdict_name(row->cum.verdict);
}

/* ---- frames and nodes -------------------------------- */

static const struct flame_verdict *verdict_of_row(struct verdict_maker *m,
                                                  const pprofc_verdict_row *row) {
  struct flame_verdict *made = arena_alloc(m->arena, sizeof *made);
  if (!made) return NULL;
  *made = (struct flame_verdict){
      .self = verdict_estimate(m, &row->flat, verdict_self_word(row)),
      .total = verdict_estimate(m, &row->cum, verdict_total_word(row)),
      .partner = STR(""),
  };
  if (!row->relation || row->partner == PPROFC_VERDICT_NO_ROW) return made;
  pprofc_str name = m->rows[row->partner].name;
  char *copy = arena_alloc(m->arena, name.size + 1);
  if (!copy) return NULL;
  memcpy(copy, name.data, name.size);
  made->partner = (pprofc_str){copy, name.size};
  return made;
}

/* Frames are sorted by name, so the frames of a function follow each other. */
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

/* ---- what holds for all ------------------------------ */

static void verdict_note_runs(const struct verdict_maker *m, struct buffer *text) {
  const pprofc_verdict_summary *s = &m->summary;
  if (s->exact)
    buffer_add_text(text, "Events were counted, not sampled: every difference is real.");
  else if (s->base_runs == 1 && s->head_runs == 1)
    buffer_printf(text,
                  "One pair of profiles cannot know the noise between runs: %g %% is assumed. "
                  "Several runs a side know it.",
                  100 * s->noise_cv);
  else
    buffer_printf(text, "%zu + %zu runs; a function varies by %.1f %% between runs.", s->base_runs,
                  s->head_runs, 100 * s->between_run_cv);
}

static void verdict_note_judged(const struct verdict_maker *m, struct buffer *text) {
  const pprofc_verdict_summary *s = &m->summary;
  if (s->tested)
    buffer_printf(text, "%zu of %zu functions changed (q < %g).", s->changed, s->tested, s->alpha);
  else
    buffer_add_text(text, "No function could be judged.");
}

static void verdict_note_compared(const struct verdict_maker *m, struct buffer *text) {
  static const char *const what[] = {
      [PPROFC_EXPOSURE_AUTO] = "",
      [PPROFC_EXPOSURE_OPS] = "Values are compared for each operation",
      [PPROFC_EXPOSURE_TIME] = "Values are compared for each second",
      [PPROFC_EXPOSURE_TOTAL] =
          "Shares of the total are compared: a change of everything is not seen",
      [PPROFC_EXPOSURE_NONE] = "",
  };
  buffer_add_text(text, what[m->summary.exposure]);
}

/* Each writes a sentence, or nothing. */
static void verdict_note_scale(const struct verdict_maker *m, double scale, struct buffer *text) {
  verdict_note_compared(m, text);
  if (fabs(scale - 1) < 0.005) {
    if (text->size) buffer_add_char(text, '.');
    return;
  }
  buffer_printf(text, "%s head is drawn %.3g times as large.", text->size ? "; the" : "The", scale);
}

static void verdict_note_common(const struct verdict_maker *m, struct buffer *text) {
  if (m->summary.has_common)
    buffer_printf(text, "%+.1f %%, which all functions share, is taken out.",
                  100 * m->summary.common_change);
}

static bool verdict_fill_notes(struct verdict_maker *m, struct flame_verdicts *out) {
  struct buffer text[4];
  const size_t count = sizeof text / sizeof *text;
  pprofc_str *notes = arena_array(m->arena, count, sizeof *notes);
  bool good = notes != NULL;
  for (size_t i = 0; i < count; i++) buffer_init(&text[i], m->arena->mem, 1 << 16);
  verdict_note_judged(m, &text[0]);
  verdict_note_runs(m, &text[1]);
  verdict_note_scale(m, out->head_scale, &text[2]);
  verdict_note_common(m, &text[3]);
  for (size_t i = 0; i < count; i++) {
    if (good && text[i].size) {
      notes[out->note_count] = buffer_keep(&text[i], m->arena);
      good = notes[out->note_count++].data != NULL;
    }
    good = good && !text[i].failed;
    buffer_free(&text[i]);
  }
  out->notes = notes;
  return good;
}

pprofc_status flame_verdicts_make(const struct flame_tree *tree, size_t type, bool reversed,
                                  const pprofc_verdicts *verdicts, struct arena *arena,
                                  struct flame_verdicts *out, pprofc_error *error) {
  struct verdict_maker m = {.tree = tree, .verdicts = verdicts, .arena = arena};
  size_t count;
  *out = (struct flame_verdicts){.type = type};
  m.rows = pprofc_verdicts_rows(verdicts, &count);
  pprofc_verdicts_summary_of(verdicts, &m.summary);
  out->judged = m.summary.tested;
  out->changed = m.summary.changed;
  verdict_scales(&m, type, out);
  bool good = verdict_fill_frames(&m, out) && verdict_fill_nodes(&m, reversed, out) &&
              verdict_fill_notes(&m, out);
  return good ? PPROFC_OK : error_nomem(error);
}
