/* What is said of changes: cells of tables, lines of the inspector, and the paragraph that says
 * what it holds for. */
#include "web/views/page.h"

#include <math.h>
#include <stdio.h>

/* ---- a row ------------------------------------------- */

void page_verdict_text(struct output *out, const struct view_page *page,
                       const pprofc_verdict_row *row, bool by_cum) {
  char interval[JUDGE_TEXT];
  const char *word = row ? judge_word(row, by_cum) : "";
  if (!*word) return;
  judge_interval(&page->judgement, judge_estimate(row, by_cum), interval);
  output_add_text(out, interval);
  if (*interval) output_add_text(out, ", ");
  output_add_text(out, word);
}

/* The exact ends, since half the width is no end of an uneven interval. */
static void verdict_interval_cell(struct output *out, const struct view_page *page,
                                  const pprofc_verdict_estimate *e) {
  const struct judgement *j = &page->judgement;
  char text[JUDGE_TEXT] = "";
  if (e && *judge_interval(j, e, text)) {
    double change = judge_percent(j, e->delta);
    output_printf(
        out, "<td class=share data-sort=\"%lld\" title=\"95 %% interval: %+.2f%% to %+.2f%%\">",
        (long long)number_from_double(change * 1e6), judge_percent(j, e->low),
        judge_percent(j, e->high));
  } else {
    output_add_text(out, "<td class=share data-sort=\"0\">");
  }
  output_printf(out, "%s</td>", text);
}

/* "moved", and where to. */
static void verdict_title(struct output *out, const struct view_page *page,
                          const pprofc_verdict_row *row, bool by_cum) {
  const pprofc_verdict_estimate *e = judge_estimate(row, by_cum);
  size_t count;
  const pprofc_verdict_row *rows = pprofc_verdicts_rows(page->judgement.verdicts, &count);
  output_add_text(out, " title=\"");
  if (!by_cum && row->relation && row->partner < count) {
    output_add_text(out, e->delta < 0 ? "to " : "from ");
    html_name(out, rows[row->partner].name);
    output_add_text(out, ", ");
  }
  if (isnan(e->q))
    output_add_text(out, "not tested\"");
  else
    output_printf(out, e->q < 1e-4 ? "q &lt; 0.0001\"" : "q = %.4f\"", e->q);
}

/* Sorts by significance: what changed first, what was not tested last. */
static long long verdict_rank(const pprofc_verdict_row *row, bool by_cum) {
  const pprofc_verdict_estimate *e = judge_estimate(row, by_cum);
  if (isnan(e->q)) return 0;
  return 1 + (long long)(1e6 * (1 - e->q)) + (judge_is_change(row, by_cum) ? 1000000 : 0);
}

static void verdict_word_cell(struct output *out, const struct view_page *page,
                              const pprofc_verdict_row *row, bool by_cum) {
  const char *word = row ? judge_word(row, by_cum) : "";
  if (!*word) {
    output_add_text(out, "<td class=verdict data-sort=\"0\"></td>");
    return;
  }
  output_printf(out, "<td class=\"verdict%s\" data-sort=\"%lld\"",
                judge_is_change(row, by_cum) ? " sure" : "", verdict_rank(row, by_cum));
  verdict_title(out, page, row, by_cum);
  output_printf(out, ">%s</td>", word);
}

void page_verdict_cells(struct output *out, const struct view_page *page,
                        const pprofc_verdict_row *row, bool by_cum) {
  verdict_interval_cell(out, page, row ? judge_estimate(row, by_cum) : NULL);
  verdict_word_cell(out, page, row, by_cum);
}

/* ---- what holds for all: a line, and what it means when it is opened ---------- */

/* The line that is always shown. */
static void verdict_note_summary(struct output *out, const struct judgement *j) {
  if (j->summary.exact)
    output_add_text(out, "Events were counted, not sampled: every difference is real");
  else
    output_printf(out, "Verdicts assume %g %% of noise between runs", 100 * j->summary.noise_cv);
}

static void verdict_note_noise(struct output *out, const struct judgement *j) {
  if (j->summary.exact) return;
  output_add_text(out, "They come from one pair of profiles, which cannot know the noise between "
                       "runs. Several runs a side know it: "
                       "<code>pprofc -top -noise -diff_base=base/ head/</code>.");
}

static void verdict_note_exposure(struct output *out, const struct judgement *j) {
  const pprofc_verdict_summary *s = &j->summary;
  if (s->exposure == PPROFC_EXPOSURE_TOTAL)
    output_add_text(
        out, " A verdict is on the share of the total: both totals are made equal, so that a "
             "change of everything is not seen");
  else
    output_add_text(out, " \xC2\xB1 is in percent of the total of the base");
  if (s->has_common)
    output_printf(out, ", and %+.1f%%, which all functions share, is taken out",
                  100 * s->common_change);
  else if (j->common_refused)
    output_add_text(out, ". The functions have no common speed that could be taken out "
                         "(<code>-common=off</code>): another function may have changed instead");
  output_add_char(out, '.');
}

static void verdict_note_sources(struct output *out, const char *side, size_t sources) {
  if (sources > 1)
    output_printf(out, " The %s is %zu profiles added up, judged as one run.", side, sources);
}

void page_verdict_note(struct output *out, const struct view_page *page) {
  const struct web_info *info = page->in->info;
  const struct judgement *j = &page->judgement;
  if (!j->verdicts) {
    output_add_text(out, "<p id=judged>There are no verdicts on these rows: ");
    html_put(out, j->reason);
    output_add_text(out, ".</p>\n");
    return;
  }
  output_add_text(out, "<details id=judged><summary>");
  verdict_note_summary(out, j);
  output_add_text(out, "</summary><p>");
  verdict_note_noise(out, j);
  verdict_note_exposure(out, j);
  verdict_note_sources(out, "base", info->base_sources);
  verdict_note_sources(out, "head", info->head_sources);
  output_add_text(out, "</p></details>\n");
}
