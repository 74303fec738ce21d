/* Reads the manifest of a run, and prints its result in formats of GitLab and as JSON. */
#include "publish/post.h"

#include "core/template.h"
#include "gate/print/print.h"
#include "stats/stats.h"

#define MANIFEST_MAX ((size_t)256 << 20)
#define QUOTED_MAX   300 /* maximum bytes of one quoted line from a fork's manifest */
#define QUOTED_LINES 20

static bool is_whole_manifest(const struct node *root) {
  int64_t status;
  return node_integer(node_get(root, "version")) >= 3 &&
         node_to_integer(node_get(root, "gate_status"), &status) && status >= 0 && status <= 3 &&
         node_text(root, "verdict").size && node_text(root, "headline").size;
}

bool outcome_is_commit(pprofc_str text) {
  return text.size >= 7 && text.size <= 64 && text_is_of(text, TEXT_HEX);
}

/* Returns the verdict for the code host: RUN_PASSED only if the manifest reports a pass, and
 * RUN_INCONCLUSIVE also for a regression that is a warning. */
static enum run_verdict published_verdict(const struct outcome *o) {
  pprofc_str conclusion = node_text(o->root, "conclusion");
  int verdict = str_index(o->verdict, run_verdicts);
  if (o->warns) return RUN_INCONCLUSIVE;
  if (o->status == 1 || o->status == 2) return (enum run_verdict)o->status;
  if (verdict != RUN_PASSED && verdict != RUN_INCONCLUSIVE) return RUN_NOT_COMPARED;
  bool good = str_equal(conclusion, str_of(verdict_class(RUN_PASSED)));
  return good ? (enum run_verdict)verdict : RUN_INCONCLUSIVE;
}

/* Sets a summary that consists of a sentence and a code block. Frees the text of the code. */
static void outcome_say(struct outcome *outcome, struct arena *arena, const char *sentence,
                        struct buffer *code) {
  struct message_text text = {.arena = arena, .text = ci_buffer()};
  buffer_printf(&text.text, "%s\n\n", sentence);
  message_add(&outcome->summary, &text, (struct message_part){.title = STR("")});
  buffer_add_str(&text.text, buffer_str(code));
  message_add(&outcome->summary, &text, (struct message_part){.title = STR(""), .is_code = true});
  buffer_free(&text.text);
  buffer_free(code);
}

void outcome_missing(struct arena *arena, const char *why, struct outcome *outcome) {
  const pprofc_str headline = STR("The benchmarks have left no result.");
  struct buffer code = ci_buffer();
  template_escape(&code, str_of(why));
  buffer_add_char(&code, '\n');
  *outcome =
      (struct outcome){.published = RUN_GATE_FAILED,
                       .status = 1,
                       .verdict = STR("failed"),
                       .headline = headline,
                       .commit = STR(""),
                       .summary = {.sign = verdict_sign(RUN_GATE_FAILED), .headline = headline}};
  outcome_say(outcome, arena, "The log of the job says why.", &code);
}

pprofc_status outcome_read_manifest(struct arena *arena, const char *path, bool no_fail,
                                    struct outcome *outcome, pprofc_error *error) {
  struct node *root;
  pprofc_status status = json_tree_read(arena, path, MANIFEST_MAX, &root, error);
  if (status != PPROFC_OK) return status;
  pprofc_str commit = node_text(root, "commit");
  if (!is_whole_manifest(root))
    return error_set(error, PPROFC_E_FORMAT, "'%s' is not a manifest of pprofci run or merge",
                     path);
  *outcome = (struct outcome){.root = root,
                              .status = (int)node_integer(node_get(root, "gate_status")),
                              .verdict = node_text(root, "verdict"),
                              .headline = node_text(root, "headline"),
                              .commit = outcome_is_commit(commit) ? commit : STR(""),
                              .regressions = node_get(root, "regressions")};
  outcome->warns = no_fail && outcome->status == RUN_REGRESSED;
  outcome->published = published_verdict(outcome);
  outcome->regressed = node_size(outcome->regressions);
  /* A run with status 2 but no regressed benchmark has only regressed instruction counts, which
   * count as one regression. */
  if (outcome->status == 2 && !outcome->regressed) outcome->regressed = 1;
  return PPROFC_OK;
}

pprofc_status outcome_read(struct arena *arena, const char *folder, bool no_fail,
                           struct outcome *outcome, pprofc_error *error) {
  const char *path = text_printf(arena, "%s/manifest.json", folder);
  pprofc_status status = outcome_read_manifest(arena, path, no_fail, outcome, error);
  if (status != PPROFC_OK) return status;
  status = message_read(node_get(outcome->root, "summary"), arena, &outcome->summary, error);
  if (status == PPROFC_E_FORMAT) error_prefix(error, "cannot publish '%s': ", path);
  return status;
}

/* Adds a line as code, so that mentions, links and images in it have no effect. */
static void quote_line(struct buffer *out, pprofc_str text) {
  pprofc_str rest = utf8_prefix(text, QUOTED_MAX);
  for (size_t i = 0, from = 0; i < rest.size; from = i) {
    utf8_next(rest, &i);
    pprofc_str one = str_slice(rest, from, i);
    template_escape(out, (unsigned char)*one.data < ' ' ? STR(" ") : one);
  }
  if (rest.size < text.size) buffer_add_text(out, "...");
  buffer_add_char(out, '\n');
}

void outcome_quote(struct outcome *outcome, struct arena *arena) {
  struct buffer text = ci_buffer();
  size_t count = node_size(outcome->regressions);
  quote_line(&text, outcome->verdict);
  quote_line(&text, outcome->headline);
  for (size_t i = 0; i < count && i < QUOTED_LINES; i++)
    quote_line(&text, node_text(node_at(outcome->regressions, i), "message"));
  if (count > QUOTED_LINES) buffer_printf(&text, "and %zu more\n", count - QUOTED_LINES);
  outcome->summary =
      (struct message){.sign = "", .headline = STR("Reported by the fork's own run")};
  outcome_say(outcome, arena, "Nothing of this was checked.", &text);
}

static void quality_put(struct json_text *text, const struct node *regression) {
  char print[17];
  uint64_t hash = gate_fingerprint(0, node_text(regression, "group"));
  pprofc_str file = node_text(regression, "file");
  int64_t line = node_integer(node_get(regression, "line"));
  if (line < 1) line = 1;
  hash = gate_fingerprint(hash, node_text(regression, "benchmark"));
  snprintf(print, sizeof print, "%016llx", (unsigned long long)hash);
  json_pack(
      &text->json,
      "\n{description:S check_name:s fingerprint:s severity:s location:{path:S lines:{begin:i}}}",
      node_text(regression, "message"), "pprofc-regression", print, "major",
      file.size ? file : STR("."), line);
}

pprofc_str outcome_code_quality(const struct outcome *outcome, struct arena *arena) {
  struct json_text text;
  json_text_begin(&text);
  json_begin_array(&text.json);
  for (size_t i = 0; i < node_size(outcome->regressions); i++)
    quality_put(&text, node_at(outcome->regressions, i));
  json_end(&text.json);
  output_add_char(text.out, '\n');
  return json_text_end(&text, arena);
}

/* Returns the median of numbers, or NaN if there are no numbers. */
static double metrics_median(const struct node *samples) {
  size_t count = 0, size = node_size(samples);
  double *values = mem_array(&ci_mem, size + 1, sizeof *values);
  for (size_t i = 0; i < size; i++) {
    const struct node *item = node_at(samples, i);
    if (node_is(item, NODE_NUMBER) && str_parse_float(item->text, &values[count])) count++;
  }
  double median = stats_median(values, count);
  mem_free(&ci_mem, values, size + 1, sizeof *values);
  return median;
}

static void metrics_put_label(struct buffer *out, const char *name, pprofc_str value) {
  buffer_printf(out, "%s=\"", name);
  for (size_t i = 0; i < value.size; i++) {
    char c = value.data[i];
    if (c == '\\' || c == '"') buffer_add_char(out, '\\');
    if (c == '\n')
      buffer_add_text(out, "\\n");
    else
      buffer_add_char(out, (unsigned char)c < ' ' ? '_' : c);
  }
  buffer_add_char(out, '"');
}

pprofc_str outcome_metrics(const struct outcome *outcome, struct arena *arena) {
  const struct node *results = node_get(outcome->root, "results");
  struct buffer out = ci_buffer();
  buffer_add_text(&out, "# TYPE pprofc_benchmark gauge\n");
  for (size_t i = 0; i < node_size(results); i++) {
    const struct node *row = node_at(results, i);
    double median = metrics_median(node_get(row, "head"));
    if (!isfinite(median)) continue;
    buffer_add_text(&out, "pprofc_benchmark{");
    metrics_put_label(&out, "group", node_text(row, "group"));
    buffer_add_char(&out, ',');
    metrics_put_label(&out, "benchmark", node_text(row, "benchmark"));
    buffer_add_char(&out, ',');
    metrics_put_label(&out, "unit", node_text(row, "unit"));
    buffer_printf(&out, "} %.9g\n", median);
  }
  buffer_add_text(&out, "# EOF\n");
  return buffer_take(&out, arena);
}

struct plain {
  const struct outcome *outcome;
  const char *page;
};

static void plain_put_regression(struct json_writer *json, const struct node *regression) {
  static const char *const keys[] = {"group", "benchmark", "file", "title", "message"};
  output_row(json->out, 0, 0, 0);
  json_pack(json, "\n{");
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    json_string(json_key(json, keys[i]), node_text(regression, keys[i]));
  json_pack(json, "line:i}", node_integer(node_get(regression, "line")));
}

static pprofc_status plain_render(const void *context, pprofc_write_fn write, void *to,
                                  pprofc_error *error) {
  const struct plain *plain = context;
  const struct outcome *outcome = plain->outcome;
  struct output out;
  struct json_writer json;
  output_init(&out, write, to);
  json_init(&json, &out, &ci_mem);
  json_pack(&json,
            "{verdict:S gate_status:i headline:S commit:S base_commit:S page:s regressions:[",
            outcome->verdict, (int64_t)outcome->status, outcome->headline, outcome->commit,
            node_text(outcome->root, "base_commit"), plain->page);
  for (size_t i = 0; i < node_size(outcome->regressions); i++)
    plain_put_regression(&json, node_at(outcome->regressions, i));
  output_no_row(&out);
  json_end(&json);
  output_note(&out);
  (void)json_finish_file(&json);
  return output_flush(&out, error);
}

pprofc_status outcome_json(const struct outcome *outcome, const char *page, uint64_t budget,
                           struct arena *arena, pprofc_str *text, pprofc_error *error) {
  const struct brief kind = {.kind = BRIEF_JSON};
  const struct plain plain = {outcome, page};
  struct buffer out = ci_buffer();
  pprofc_status status =
      brief_report(&kind, budget, "", plain_render, &plain, buffer_write, &out, error);
  *text = buffer_take(&out, arena);
  return status;
}
