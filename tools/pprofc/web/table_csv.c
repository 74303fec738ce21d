/* Writes rows of functions as CSV. */
#include "web/table_csv.h"

#include "pprofc/graph.h"
#include "profile/profile.h"

/* Rows of base or of head, sorted by name, file, line and address. */
struct csv_side {
  pprofc_graph *graph;
  const pprofc_graph_node **sorted;
  size_t count;
};

static int csv_compare(const void *a, const void *b) {
  const pprofc_graph_node *x = *(const pprofc_graph_node *const *)a;
  const pprofc_graph_node *y = *(const pprofc_graph_node *const *)b;
  int order = str_compare(x->name, y->name);
  if (!order) order = str_compare(x->file, y->file);
  if (!order) order = (x->line > y->line) - (x->line < y->line);
  return order ? order : (x->address > y->address) - (x->address < y->address);
}

static pprofc_status csv_side_open(const pprofc_profile *profile,
                                   const pprofc_report_options *asked, struct csv_side *side,
                                   pprofc_error *error) {
  pprofc_report_options options = *asked;
  options.trim = false;
  options.warn = NULL;
  pprofc_status status = pprofc_graph_new(profile, &options, &side->graph, error);
  if (status != PPROFC_OK) return status;
  const pprofc_graph_node *nodes = pprofc_graph_nodes(side->graph, &side->count);
  side->sorted = mem_array(&profile->mem, side->count, sizeof *side->sorted);
  if (!side->sorted) return error_nomem(error);
  for (size_t i = 0; i < side->count; i++) side->sorted[i] = &nodes[i];
  qsort(side->sorted, side->count, sizeof *side->sorted, csv_compare);
  return PPROFC_OK;
}

static void csv_side_free(const pprofc_profile *profile, struct csv_side *side) {
  if (side->sorted) mem_free(&profile->mem, side->sorted, side->count, sizeof *side->sorted);
  pprofc_graph_free(side->graph);
}

static void csv_text(struct buffer *out, pprofc_str text) {
  struct buffer clean = buffer_make(out->mem, (size_t)64 << 20);
  escape_terminal(&clean, text, false);
  escape_csv(out, buffer_str(&clean), true);
  out->failed = out->failed || clean.failed;
  buffer_free(&clean);
}

/* Writes self and total, each divided by `divisor`. */
static void csv_values(int64_t flat, int64_t cum, double divisor, struct buffer *out) {
  if (fabs(divisor - 1) > 0)
    buffer_printf(out, ",%.15g,%.15g", (double)flat / divisor, (double)cum / divisor);
  else
    buffer_printf(out, ",%lld,%lld", (long long)flat, (long long)cum);
}

/* Writes self and total of the node's function in base or in head. */
static void csv_side_write(const struct csv_side *side, double divisor,
                           const pprofc_graph_node *node, struct buffer *out) {
  const pprofc_graph_node *const *found = NULL;
  if (!side->graph) return;
  if (side->count)
    found = bsearch(&node, side->sorted, side->count, sizeof *side->sorted, csv_compare);
  if (found)
    csv_values((*found)->flat, (*found)->cum, divisor, out);
  else
    buffer_add_text(out, ",0,0");
}

/* Writes a number, or an empty field for NaN. */
static void csv_number(double value, struct buffer *out) {
  buffer_add_char(out, ',');
  if (isfinite(value)) buffer_printf(out, "%.12g", value);
}

/* Writes change, interval, q (adjusted p-value) and verdict, in the verdicts' unit. */
static void csv_verdict(const pprofc_verdict_row *row, bool by_cum, struct buffer *out) {
  if (!row) {
    buffer_add_text(out, ",,,,,");
    return;
  }
  const pprofc_verdict_estimate *e = noise_estimate(row, by_cum);
  bool judged = !isnan(e->p);
  csv_number(e->delta, out);
  csv_number(judged ? e->low : (double)NAN, out);
  csv_number(judged ? e->high : (double)NAN, out);
  csv_number(e->q, out);
  buffer_add_char(out, ',');
  csv_text(out, str_of(noise_word(row, by_cum)));
}

static void csv_verdicts(const struct noise_report *j, pprofc_str function, struct buffer *out) {
  if (!j->verdicts) return;
  const pprofc_verdict_row *row = noise_find(j, function);
  csv_verdict(row, false, out);
  csv_verdict(row, true, out);
}

/* Writes the column titles. The title of a change ends with "%" if the verdicts are on shares of
 * the total. It ends with "per second" or "per operation" if the verdicts are on such values. */
static void csv_head(bool compared, bool by_time, const struct noise_report *j,
                     struct buffer *out) {
  char of[32] = " %";
  if (j->summary.exposure != PPROFC_EXPOSURE_TOTAL)
    snprintf(of, sizeof of, "%s%s", *noise_per(j) ? " " : "", noise_per(j));
  const char *per = by_time ? " per second" : "";
  buffer_printf(out, "name,file,line,flat%s,cum%s", per, per);
  if (compared)
    buffer_printf(out, ",base flat%s,base cum%s,head flat%s,head cum%s", per, per, per, per);
  if (j->verdicts)
    buffer_printf(out,
                  ",flat change%s,flat low%s,flat high%s,flat q,flat verdict,cum change%s,"
                  "cum low%s,cum high%s,cum q,cum verdict",
                  of, of, of, of, of, of);
  buffer_add_text(out, ",type,unit,total\n");
}

static void csv_row(const struct table_csv *table, const pprofc_graph *graph,
                    const pprofc_graph_node *node, const struct csv_side sides[2],
                    const struct noise_report *j, struct buffer *out) {
  pprofc_graph_totals totals = pprofc_graph_totals_of(graph);
  csv_text(out, node->name);
  buffer_add_char(out, ',');
  csv_text(out, node->file);
  buffer_printf(out, ",%lld", (long long)node->line);
  csv_values(node->flat, node->cum, table->divisor, out);
  csv_side_write(&sides[0], table->divisors[0], node, out);
  csv_side_write(&sides[1], table->divisors[1], node, out);
  csv_verdicts(j, node->name, out);
  buffer_add_char(out, ',');
  csv_text(out, totals.type);
  buffer_add_char(out, ',');
  csv_text(out, totals.unit);
  if (fabs(table->divisor - 1) > 0)
    buffer_printf(out, ",%.15g\n", (double)totals.total / table->divisor);
  else
    buffer_printf(out, ",%lld\n", (long long)totals.total);
}

pprofc_status table_csv_write(const struct table_csv *t, struct buffer *out, pprofc_error *error) {
  struct csv_side sides[2] = {{NULL, NULL, 0}, {NULL, NULL, 0}};
  const struct noise_settings settings = noise_settings_of(t->noise);
  struct noise_report judgement = {.options = t->options};
  pprofc_graph *graph = NULL;
  size_t count = 0;
  pprofc_status status = pprofc_graph_new(t->shown, t->options, &graph, error);
  const pprofc_profile *head = t->scaled ? t->scaled : t->sides[1].profile;
  for (size_t i = 0; i < 2 && t->compared && !status; i++)
    status = csv_side_open(i ? head : t->sides[0].profile, t->options, &sides[i], error);
  if (t->compared && !status) status = noise_judge_sides(&judgement, t->sides, &settings, error);
  if (status == PPROFC_OK) {
    const pprofc_graph_node *nodes = pprofc_graph_nodes(graph, &count);
    csv_head(t->compared, t->by_time, &judgement, out);
    for (size_t i = 0; i < count; i++) csv_row(t, graph, &nodes[i], sides, &judgement, out);
    if (out->failed) status = error_nomem(error);
  }
  noise_free(&judgement);
  for (size_t i = 0; i < 2; i++) csv_side_free(t->sides[i].profile, &sides[i]);
  pprofc_graph_free(graph);
  return status;
}
