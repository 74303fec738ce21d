/* Reads and writes comparisons as JSON. Tables describe the JSON members. */
#include "run/code.h"

#include "run/files.h"

/* Kinds of members. An optional text is NULL instead of "". */
enum member_kind {
  MEMBER_TEXT,
  MEMBER_OPTIONAL,
  MEMBER_NUMBER,
  MEMBER_COUNT,
  MEMBER_LINE,
  MEMBER_BOOL,
  MEMBER_CODE,   /* enum compared_code */
  MEMBER_VERDICT /* pprofc_verdict; "" for PPROFC_VERDICT_UNKNOWN */
};

struct member {
  const char *key;
  enum member_kind kind;
  size_t offset;
};

#define IN_CHANGE(name) offsetof(struct change, name)

static const struct member change_members[] = {
    {"function", MEMBER_TEXT, IN_CHANGE(name)},   {"file", MEMBER_TEXT, IN_CHANGE(file)},
    {"line", MEMBER_LINE, IN_CHANGE(line)},       {"base", MEMBER_NUMBER, IN_CHANGE(base)},
    {"head", MEMBER_NUMBER, IN_CHANGE(head)},     {"delta", MEMBER_NUMBER, IN_CHANGE(delta)},
    {"low", MEMBER_NUMBER, IN_CHANGE(low)},       {"high", MEMBER_NUMBER, IN_CHANGE(high)},
    {"share", MEMBER_NUMBER, IN_CHANGE(share)},   {"q", MEMBER_NUMBER, IN_CHANGE(q)},
    {"verdict", MEMBER_TEXT, IN_CHANGE(verdict)}, {"changed", MEMBER_BOOL, IN_CHANGE(changed)},
    {"certain", MEMBER_BOOL, IN_CHANGE(certain)}, {"partner", MEMBER_OPTIONAL, IN_CHANGE(partner)},
    {"code", MEMBER_CODE, IN_CHANGE(code)},       {"inside", MEMBER_OPTIONAL, IN_CHANGE(inside)},
    {"moved", MEMBER_NUMBER, IN_CHANGE(moved)},
};

#define IN_VERDICTS(name) offsetof(struct pair_verdicts, name)

static const struct member verdicts_members[] = {
    {"type", MEMBER_TEXT, IN_VERDICTS(type)},
    {"unit", MEMBER_TEXT, IN_VERDICTS(unit)},
    {"measure", MEMBER_OPTIONAL, IN_VERDICTS(measure)},
    {"per_operation", MEMBER_BOOL, IN_VERDICTS(per_operation)},
    {"has_code", MEMBER_BOOL, IN_VERDICTS(has_code)},
    {"same_code", MEMBER_BOOL, IN_VERDICTS(same_code)},
    {"moved", MEMBER_COUNT, IN_VERDICTS(moved)},
    {"differs", MEMBER_TEXT, IN_VERDICTS(differs)},
    {"weak", MEMBER_BOOL, IN_VERDICTS(weak)},
    {"exact", MEMBER_BOOL, IN_VERDICTS(summary.exact)},
    {"base_runs", MEMBER_COUNT, IN_VERDICTS(summary.base_runs)},
    {"head_runs", MEMBER_COUNT, IN_VERDICTS(summary.head_runs)},
    {"tested", MEMBER_COUNT, IN_VERDICTS(summary.tested)},
    {"changed", MEMBER_COUNT, IN_VERDICTS(summary.changed)},
    {"left_out", MEMBER_COUNT, IN_VERDICTS(left_out)},
    {"alpha", MEMBER_NUMBER, IN_VERDICTS(summary.alpha)},
    {"total_base", MEMBER_NUMBER, IN_VERDICTS(summary.total_base)},
    {"total_head", MEMBER_NUMBER, IN_VERDICTS(summary.total_head)},
    {"total_delta", MEMBER_NUMBER, IN_VERDICTS(summary.total_delta)},
    {"total_low", MEMBER_NUMBER, IN_VERDICTS(summary.total_low)},
    {"total_high", MEMBER_NUMBER, IN_VERDICTS(summary.total_high)},
    {"sentence", MEMBER_TEXT, IN_VERDICTS(sentence)},
    {"common_change", MEMBER_NUMBER, IN_VERDICTS(summary.common_change)},
    {"common_low", MEMBER_NUMBER, IN_VERDICTS(summary.common_low)},
    {"common_high", MEMBER_NUMBER, IN_VERDICTS(summary.common_high)},
    {"environment", MEMBER_NUMBER, IN_VERDICTS(environment)},
    {"rest", MEMBER_NUMBER, IN_VERDICTS(rest)},
    {"rest_functions", MEMBER_COUNT, IN_VERDICTS(rest_count)},
    {"visible", MEMBER_NUMBER, IN_VERDICTS(summary.visible)},
    {"largest", MEMBER_OPTIONAL, IN_VERDICTS(largest)},
    {"runs_for_5", MEMBER_NUMBER, IN_VERDICTS(summary.runs_for_5)},
    {"smallest_change", MEMBER_TEXT, IN_VERDICTS(visible_text)},
    {"note", MEMBER_TEXT, IN_VERDICTS(note)},
    {"command", MEMBER_TEXT, IN_VERDICTS(command)},
};

#define IN_FIRED(name) offsetof(struct run_fired, name)

static const struct member fired_members[] = {
    {"condition", MEMBER_TEXT, IN_FIRED(condition)},
    {"pair", MEMBER_TEXT, IN_FIRED(pair)},
    {"unit", MEMBER_TEXT, IN_FIRED(unit)},
    {"place", MEMBER_TEXT, IN_FIRED(place)},
};

#define IN_HUNK(name) offsetof(struct run_hunk, name)

static const struct member hunk_members[] = {
    {"file", MEMBER_TEXT, IN_HUNK(file)},          {"function", MEMBER_TEXT, IN_HUNK(function)},
    {"verdict", MEMBER_VERDICT, IN_HUNK(verdict)}, {"base", MEMBER_NUMBER, IN_HUNK(base)},
    {"grown", MEMBER_NUMBER, IN_HUNK(grown)},      {"certain", MEMBER_BOOL, IN_HUNK(certain)},
    {"delta", MEMBER_NUMBER, IN_HUNK(delta)},      {"worst", MEMBER_COUNT, IN_HUNK(worst)},
    {"whole", MEMBER_BOOL, IN_HUNK(whole)},        {"moved", MEMBER_NUMBER, IN_HUNK(moved)},
};

#define IN_LINE(name) offsetof(struct run_line, name)

static const struct member line_members[] = {
    {"base_line", MEMBER_LINE, IN_LINE(base_line)},
    {"head_line", MEMBER_LINE, IN_LINE(head_line)},
    {"text", MEMBER_TEXT, IN_LINE(text)},
    {"base", MEMBER_NUMBER, IN_LINE(cost[SIDE_BASE])},
    {"head", MEMBER_NUMBER, IN_LINE(cost[SIDE_HEAD])},
};

#define COUNT_OF(table) (sizeof(table) / sizeof *(table))

static const char *verdict_word(pprofc_verdict verdict) {
  return verdict == PPROFC_VERDICT_UNKNOWN ? "" : pprofc_verdict_name(verdict);
}

/* Returns the verdict of a word, or PPROFC_VERDICT_UNKNOWN. */
static pprofc_verdict verdict_of_word(pprofc_str word) {
  int verdict = PPROFC_VERDICT_DIFFERS;
  while (verdict >= 0 && !str_equal(word, str_of(verdict_word((pprofc_verdict)verdict)))) verdict--;
  return verdict < 0 ? PPROFC_VERDICT_UNKNOWN : (pprofc_verdict)verdict;
}

static void member_write(struct json_writer *json, const struct member *m, const void *from) {
  const void *at = (const char *)from + m->offset;
  const char *const *text = at;
  json_key(json, m->key);
  if (m->kind <= MEMBER_OPTIONAL) json_text(json, *text ? *text : "");
  if (m->kind == MEMBER_CODE) json_text(json, compared_words[*(const enum compared_code *)at]);
  if (m->kind == MEMBER_VERDICT) json_text(json, verdict_word(*(const pprofc_verdict *)at));
  if (m->kind == MEMBER_NUMBER) json_double(json, *(const double *)at);
  if (m->kind == MEMBER_COUNT) json_uint(json, *(const size_t *)at);
  if (m->kind == MEMBER_LINE) json_int(json, *(const int64_t *)at);
  if (m->kind == MEMBER_BOOL) json_bool(json, *(const bool *)at);
}

static void members_write(struct json_writer *json, const struct member *members, size_t count,
                          const void *from) {
  for (size_t i = 0; i < count; i++) member_write(json, &members[i], from);
}

static void changes_write(struct json_writer *json, const char *key, const struct change *changes,
                          size_t count) {
  json_begin_array(json_key(json, key));
  for (size_t i = 0; i < count; i++) {
    json_pack(json, "\n{");
    members_write(json, change_members, COUNT_OF(change_members), &changes[i]);
    json_end(json);
  }
  json_end(json);
}

/* Writes the changed lines if the diff of the sources is known. */
static void hunks_write(struct json_writer *json, const struct run_pair *pair) {
  if (!pair->has_sources) return;
  json_begin_array(json_key(json, "hunks"));
  for (size_t i = 0; i < pair->hunk_count; i++) {
    const struct run_hunk *hunk = &pair->hunks[i];
    json_pack(json, "\n{");
    members_write(json, hunk_members, COUNT_OF(hunk_members), hunk);
    json_begin_array(json_key(json, "lines"));
    for (size_t k = 0; k < hunk->line_count; k++) {
      json_begin_object(json);
      members_write(json, line_members, COUNT_OF(line_members), &hunk->lines[k]);
      json_end(json);
    }
    json_pack(json, "]}");
  }
  json_end(json);
}

void comparisons_write(struct json_writer *json, const struct run_pair *pair) {
  json_begin_array(json_key(json, "comparisons"));
  for (size_t i = 0; i < pair->comparison_count; i++) {
    const struct pair_verdicts *c = &pair->comparisons[i];
    json_pack(json, "\n{");
    members_write(json, verdicts_members, COUNT_OF(verdicts_members), c);
    changes_write(json, "because", c->because, c->because_count);
    changes_write(json, "functions", c->rows, c->row_count);
    json_end(json);
  }
  json_end(json);
  changes_write(json, "own", &pair->own, pair->own.name ? 1 : 0);
  hunks_write(json, pair);
}

void comparisons_write_fired(struct json_writer *json, const struct ci_run *run) {
  json_begin_array(json_key(json, "fired"));
  for (size_t i = 0; i < run->fired_count; i++) {
    json_pack(json, "\n{");
    members_write(json, fired_members, COUNT_OF(fired_members), &run->fired[i]);
    changes_write(json, "functions", &run->fired[i].change, 1);
    json_end(json);
  }
  json_end(json);
}

static double member_number(const struct node *node) {
  double number;
  if (!node_is(node, NODE_NUMBER) || !str_parse_float(node->text, &number)) return (double)NAN;
  return number;
}

/* Copies a text, and removes CI commands from it. Anyone may have changed the manifest, so its
 * texts are not trusted. */
static const char *member_text(struct ci_run *run, const struct node *node) {
  if (!node_is(node, NODE_STRING) || !node->text.size) return "";
  return text_shown(&run->arena, node->text);
}

static void member_read(struct ci_run *run, const struct member *m, const struct node *from,
                        void *to) {
  const struct node *node = node_get(from, m->key);
  void *at = (char *)to + m->offset;
  int64_t integer = node_integer(node);
  int code = str_index(node_text(from, m->key), compared_words);
  if (m->kind == MEMBER_NUMBER) *(double *)at = member_number(node);
  if (m->kind == MEMBER_COUNT) *(size_t *)at = integer > 0 ? (size_t)integer : 0;
  if (m->kind == MEMBER_LINE) *(int64_t *)at = integer;
  if (m->kind == MEMBER_BOOL) *(bool *)at = node_is(node, NODE_TRUE);
  if (m->kind == MEMBER_CODE && code > 0) *(enum compared_code *)at = (enum compared_code)code;
  if (m->kind == MEMBER_VERDICT) *(pprofc_verdict *)at = verdict_of_word(node_text(from, m->key));
  if (m->kind <= MEMBER_OPTIONAL) *(const char **)at = member_text(run, node);
  if (m->kind == MEMBER_OPTIONAL && !**(const char **)at) *(const char **)at = NULL;
}

static void members_read(struct ci_run *run, const struct member *members, size_t count,
                         const struct node *from, void *to) {
  for (size_t i = 0; i < count; i++) member_read(run, &members[i], from, to);
}

/* Reads at most `most` changes of functions. Returns the number of changes. */
static size_t changes_read(struct ci_run *run, const struct node *list, struct change *to,
                           size_t most) {
  size_t count = node_size(list) < most ? node_size(list) : most;
  for (size_t i = 0; i < count; i++)
    members_read(run, change_members, COUNT_OF(change_members), node_at(list, i), &to[i]);
  return count;
}

static void verdicts_read(struct ci_run *run, const struct node *from, struct pair_verdicts *to) {
  const struct node *rows = node_get(from, "functions");
  to->rows = arena_zero_array(&run->arena, node_size(rows) + 1, sizeof *to->rows);
  members_read(run, verdicts_members, COUNT_OF(verdicts_members), from, to);
  to->row_count = changes_read(run, rows, to->rows, node_size(rows));
  to->because_count = changes_read(run, node_get(from, "because"), to->because, CHANGES_MOST);
}

static void hunk_read(struct ci_run *run, const struct node *from, struct run_hunk *to) {
  const struct node *lines = node_get(from, "lines");
  to->lines = arena_zero_array(&run->arena, node_size(lines) + 1, sizeof *to->lines);
  members_read(run, hunk_members, COUNT_OF(hunk_members), from, to);
  for (size_t i = 0; i < node_size(lines); i++)
    members_read(run, line_members, COUNT_OF(line_members), node_at(lines, i),
                 &to->lines[to->line_count++]);
  if (to->worst >= to->line_count) to->worst = 0;
}

static void hunks_read_back(struct ci_run *run, const struct node *from, struct run_pair *pair) {
  const struct node *list = node_get(from, "hunks");
  pair->has_sources = list != NULL;
  pair->hunks = arena_zero_array(&run->arena, node_size(list) + 1, sizeof *pair->hunks);
  for (size_t i = 0; i < node_size(list); i++)
    if (node_size(node_get(node_at(list, i), "lines")))
      hunk_read(run, node_at(list, i), &pair->hunks[pair->hunk_count++]);
}

void comparisons_read(struct ci_run *run, const struct node *from, struct run_pair *pair) {
  const struct node *list = node_get(from, "comparisons");
  pair->comparisons = arena_zero_array(&run->arena, node_size(list) + 1, sizeof *pair->comparisons);
  for (size_t i = 0; i < node_size(list); i++)
    verdicts_read(run, node_at(list, i), &pair->comparisons[pair->comparison_count++]);
  if (!changes_read(run, node_get(from, "own"), &pair->own, 1)) pair->own.name = NULL;
  hunks_read_back(run, from, pair);
  run_show_comparison(pair);
}

void comparisons_read_fired(struct ci_run *run, const struct node *root, const char *job) {
  const struct node *list = node_get(root, "fired");
  for (size_t i = 0; i < node_size(list); i++) {
    struct run_fired fired = {.pair = ""};
    const struct node *from = node_at(list, i);
    members_read(run, fired_members, COUNT_OF(fired_members), from, &fired);
    if (!changes_read(run, node_get(from, "functions"), &fired.change, 1)) continue;
    buffer_printf(&run->gate_text, "%s: -fail-on='%s': %s %s in %s\n", job, fired.condition,
                  fired.change.name, fired.change.verdict, fired.pair);
    (void)ARRAY_PUSH_IN(&run->arena, run->fired, run->fired_count, run->fired_capacity, fired);
  }
}
