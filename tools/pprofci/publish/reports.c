/* Creates results in other formats: code quality and metrics of GitLab, plain JSON. */
#include "publish/outcome.h"

#include "common/brief_flag.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool json_text_begin(struct json_text *text) {
  buffer_init(&text->text, &mem_default, SIZE_MAX / 2);
  text->out = mem_array(&mem_default, 1, sizeof *text->out);
  if (!text->out) return false;
  output_init(text->out, buffer_write, &text->text);
  json_init(&text->json, text->out, &mem_default);
  return true;
}

pprofc_str json_text_end(struct json_text *text, struct arena *arena) {
  pprofc_str kept = {NULL, 0};
  bool good = json_finish(&text->json);
  if (output_flush(text->out, NULL) == PPROFC_OK && good) kept = buffer_keep(&text->text, arena);
  mem_free(&mem_default, text->out, 1, sizeof *text->out);
  buffer_free(&text->text);
  return kept;
}

void json_text_member(struct json_text *text, const char *key, pprofc_str value) {
  json_string(json_key(&text->json, key), value);
}

/* Returns the fingerprint by which GitLab recognizes a finding in later runs. The fingerprint is an
 * FNV-1a hash of the values that are the same in each run. */
static uint64_t quality_print_of(const struct node *regression) {
  static const char *const keys[] = {"group", "benchmark"};
  uint64_t hash = UINT64_C(14695981039346656037);
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    pprofc_str text = node_text(regression, keys[i]);
    for (size_t k = 0; k <= text.size; k++) {
      hash ^= k < text.size ? (unsigned char)text.data[k] : 0;
      hash *= UINT64_C(1099511628211);
    }
  }
  return hash;
}

static void quality_put(struct json_text *text, const struct node *regression) {
  char print[17];
  pprofc_str file = node_text(regression, "file");
  int64_t line = node_integer(node_get(regression, "line"));
  snprintf(print, sizeof print, "%016llx", (unsigned long long)quality_print_of(regression));
  json_line_break(&text->json);
  json_begin_object(&text->json);
  json_text_member(text, "description", node_text(regression, "message"));
  json_text_member(text, "check_name", STR("pprofc-regression"));
  json_text_member(text, "fingerprint", str_of(print));
  json_text_member(text, "severity", STR("major"));
  json_begin_object(json_key(&text->json, "location"));
  json_text_member(text, "path", file.size ? file : STR("."));
  json_begin_object(json_key(&text->json, "lines"));
  json_int(json_key(&text->json, "begin"), line > 0 ? line : 1);
  json_end(&text->json);
  json_end(&text->json);
  json_end(&text->json);
}

pprofc_str outcome_code_quality(const struct outcome *outcome, struct arena *arena) {
  struct json_text text;
  if (!json_text_begin(&text)) return (pprofc_str){NULL, 0};
  json_begin_array(&text.json);
  for (size_t i = 0; i < node_size(outcome->regressions); i++)
    quality_put(&text, node_at(outcome->regressions, i));
  json_end(&text.json);
  output_add_char(text.out, '\n');
  return json_text_end(&text, arena);
}

static int metrics_by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Returns the median of numbers, or NaN if there are no numbers. */
static double metrics_median(const struct node *samples) {
  size_t count = 0, size = node_size(samples);
  double *values = mem_array(&mem_default, size + 1, sizeof *values);
  double median = NAN;
  if (!values) return NAN;
  for (size_t i = 0; i < size; i++) {
    const struct node *item = node_at(samples, i);
    if (node_is(item, NODE_NUMBER) && str_parse_float(item->text, &values[count])) count++;
  }
  qsort(values, count, sizeof *values, metrics_by_value);
  if (count) median = values[(count - 1) / 2] / 2 + values[count / 2] / 2;
  mem_free(&mem_default, values, size + 1, sizeof *values);
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
  struct buffer out;
  buffer_init(&out, &mem_default, SIZE_MAX / 2);
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
  json_line_break(json);
  json_begin_object(json);
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    json_string(json_key(json, keys[i]), node_text(regression, keys[i]));
  json_int(json_key(json, "line"), node_integer(node_get(regression, "line")));
  json_end(json);
}

static pprofc_status plain_render(const void *context, pprofc_write_fn write, void *to,
                                  pprofc_error *error) {
  const struct plain *plain = context;
  const struct outcome *outcome = plain->outcome;
  struct output out;
  struct json_writer json;
  output_init(&out, write, to);
  json_init(&json, &out, &mem_default);
  json_begin_object(&json);
  json_string(json_key(&json, "verdict"), outcome->verdict);
  json_int(json_key(&json, "gate_status"), outcome->status);
  json_string(json_key(&json, "headline"), outcome->headline);
  json_string(json_key(&json, "commit"), outcome->commit);
  json_string(json_key(&json, "base_commit"), node_text(outcome->root, "base_commit"));
  json_string(json_key(&json, "page"), str_of(plain->page));
  json_begin_array(json_key(&json, "regressions"));
  for (size_t i = 0; i < node_size(outcome->regressions); i++)
    plain_put_regression(&json, node_at(outcome->regressions, i));
  output_no_row(&out);
  json_end(&json);
  output_note(&out);
  bool good = json_finish_file(&json);
  pprofc_status status = output_flush(&out, error);
  return good ? status : error_nomem(error);
}

pprofc_status outcome_json(const struct outcome *outcome, const char *page, uint64_t budget,
                           struct arena *arena, pprofc_str *text, pprofc_error *error) {
  const struct brief kind = {.kind = BRIEF_JSON};
  const struct plain plain = {outcome, page};
  struct buffer out;
  buffer_init(&out, &mem_default, SIZE_MAX / 2);
  pprofc_status status =
      brief_report(&kind, budget, "", plain_render, &plain, buffer_write, &out, error);
  *text = buffer_take(&out, arena);
  return status || text->data ? status : error_nomem(error);
}
