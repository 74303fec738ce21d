/* Writes summary.sentence, which describes a comparison in one line. */
#include "core/buffer.h"
#include "unit/unit.h"
#include "verdict/amount.h"
#include "verdict/compare.h"

#include <math.h>

static const char *sentence_each(const pprofc_verdict_summary *s) {
  if (s->exposure == PPROFC_EXPOSURE_OPS) return " per operation";
  return s->exposure == PPROFC_EXPOSURE_TIME ? " per second" : "";
}

/* Writes "71.4s less (-93%)." For shares, writes nothing, because shares always add up to 100 %. */
static void sentence_total(const pprofc_verdict_summary *s, struct buffer *out) {
  struct amount_unit unit = amount_unit_for(s->unit, STR(""), 1, fabs(s->total_delta));
  char delta[AMOUNT_TEXT], percent[AMOUNT_TEXT];
  bool same = s->total_delta == 0, quiet = s->total_verdict == PPROFC_VERDICT_UNCHANGED;
  if (s->exposure == PPROFC_EXPOSURE_TOTAL) {
    buffer_add_text(out, "In percent of the total.");
  } else if (quiet || same) {
    buffer_add_text(out,
                    same ? "The total is the same." : "The total did not change beyond noise.");
  } else {
    amount_text(&unit, fabs(s->total_delta), false, delta);
    amount_percent(s->total_base, s->total_delta, percent);
    buffer_printf(out, "%s %s%s", delta, s->total_delta > 0 ? "more" : "less", sentence_each(s));
    buffer_printf(out, *percent ? " (%s)." : ".%s", percent);
  }
}

/* Writes "Nearly everything is faster." */
static void sentence_common(const pprofc_verdict_summary *s, struct buffer *out) {
  bool grew = s->common_verdict == PPROFC_VERDICT_GREW;
  if (!grew && s->common_verdict != PPROFC_VERDICT_SHRANK) return;
  if (unit_is_time(s->unit))
    buffer_printf(out, " Nearly everything is %s.", grew ? "slower" : "faster");
  else
    buffer_printf(out, " Nearly everything %s.", grew ? "grew" : "shrank");
}

/* Writes "3 functions grew." */
static void sentence_count(size_t count, const char *verb, struct buffer *out) {
  if (count) buffer_printf(out, " %zu %s %s.", count, count == 1 ? "function" : "functions", verb);
}

static void sentence_functions(const pprofc_verdict_summary *s, struct buffer *out) {
  if (s->common_verdict != PPROFC_VERDICT_GREW) sentence_count(s->grew, "grew", out);
  if (s->common_verdict != PPROFC_VERDICT_SHRANK) sentence_count(s->shrank, "shrank", out);
  sentence_count(s->new_rows, s->new_rows == 1 ? "is new" : "are new", out);
  sentence_count(s->gone_rows, s->gone_rows == 1 ? "is gone" : "are gone", out);
  if (!s->changed) sentence_count(s->cum_changed, "changed with what they call", out);
}

/* Writes "Cost moved inside svc." For several domains, writes "Cost moved inside 3 places." */
static void sentence_moved(const struct comparison *c, struct buffer *out) {
  size_t moved = 0, last = 0;
  for (size_t i = 0; i < c->domain_count; i++) {
    moved += c->domains[i].moved;
    if (c->domains[i].moved) last = i;
  }
  if (!moved) return;
  const pprofc_verdict_domain *one = &c->domains[last];
  if (moved > 1)
    buffer_printf(out, " Cost moved inside %zu places.", moved);
  else if (one->kind == PPROFC_DOMAIN_RENAMED)
    buffer_printf(out, " %.*s was renamed.", STR_ARG(one->name));
  else
    buffer_printf(out, " Cost moved inside %.*s.", STR_ARG(one->name));
}

/* Counts the changed functions by verdict. Skips functions between which cost only moved. */
static void sentence_fill_counts(struct comparison *c) {
  pprofc_verdict_summary *s = &c->summary;
  for (size_t i = 0; i < c->rows; i++) {
    const pprofc_verdict_row *row = &c->row[i];
    pprofc_verdict verdict = row->flat.verdict;
    const pprofc_verdict_domain *domain = comparison_domain(c, i);
    if (row->relation || (domain && domain->moved) || !pprofc_verdict_is_change(verdict)) continue;
    bool side = verdict == PPROFC_VERDICT_NEW || verdict == PPROFC_VERDICT_GONE;
    s->new_rows += verdict == PPROFC_VERDICT_NEW;
    s->gone_rows += verdict == PPROFC_VERDICT_GONE;
    s->grew += !side && row->flat.delta > 0;
    s->shrank += !side && row->flat.delta < 0;
  }
}

static bool sentence_is_quiet(const pprofc_verdict_summary *s) {
  bool total = s->total_verdict == PPROFC_VERDICT_UNCHANGED;
  return total && !s->changed && !s->cum_changed && !pprofc_verdict_is_certain(s->common_verdict);
}

pprofc_status sentence_fill(struct comparison *c, pprofc_error *error) {
  pprofc_verdict_summary *s = &c->summary;
  struct buffer out;
  sentence_fill_counts(c);
  buffer_init(&out, c->mem, SIZE_MAX / 2);
  if (!s->tested && s->total_verdict == PPROFC_VERDICT_UNCHANGED) {
    buffer_add_text(&out, "Nothing could be judged: there are too few samples.");
  } else if (sentence_is_quiet(s)) {
    buffer_add_text(&out, "Nothing changed beyond noise.");
  } else {
    sentence_total(s, &out);
    sentence_common(s, &out);
    sentence_functions(s, &out);
    sentence_moved(c, &out);
  }
  s->sentence = buffer_keep(&out, &c->arena);
  buffer_free(&out);
  return s->sentence.data ? PPROFC_OK : error_nomem(error);
}
