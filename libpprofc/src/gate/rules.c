/* Reads the rules file of the gate, gate.json:
 *
 *   {"threshold": "5%", "alpha": 0.05, "test": "welch", "correction": "bh", "min_samples": 4,
 *    "strict": false, "floor": "1us or 16 B", "directions": {"widgets/op": "higher"},
 *    "rules": [{"benchmark": "Parse*", "unit": "ns/op", "threshold": "10%", "alpha": 0.01,
 *               "floor": "100ns", "direction": "lower", "ignore": false,
 *               "accept": "12%", "until": "2027-01-31", "reason": "new encoder"}]}
 */
#include "core/array.h"
#include "core/json_tree.h"
#include "core/log_guard.h"
#include "gate/gate.h"
#include "gate/position.h"

#include <math.h>
#include <stdio.h>

/* Maximum number of directions, because lookup is linear. */
#define MAX_DIRECTIONS 1000

/* State of reading a file, with its first error. */
struct rules_reader {
  struct gate *gate;
  pprofc_str path, data;
  size_t rule;      /* index of the current rule, or SIZE_MAX in the top object */
  const char *key;  /* current member */
  const char *what; /* error text; NULL without an error */
  bool nomem;
};

/* A member: its name, and the function that reads its value and returns NULL or an error text. */
struct gate_rules_member {
  const char *name;
  const char *(*take)(struct rules_reader *reader, const struct node *value, void *target);
};

static bool number_of(const struct node *value, double *out) {
  return node_is(value, NODE_NUMBER) && str_parse_float(value->text, out);
}

static bool truth_of(const struct node *value, bool *out) {
  *out = node_is(value, NODE_TRUE);
  return *out || node_is(value, NODE_FALSE);
}

/* Parses a number or a string such as "5%". */
static bool percent_of(const struct node *value, double *out) {
  if (node_is(value, NODE_STRING)) return gate_parse_percent(value->text, out);
  double percent;
  if (!number_of(value, &percent) || !(percent >= 0) || isinf(percent)) return false;
  *out = percent / 100;
  return true;
}

static const char *probability_of(const struct node *value, double *out) {
  double p;
  if (!number_of(value, &p)) return "must be a number";
  if (!(p >= 0 && p <= 1)) return "must be from 0 to 1";
  *out = p;
  return NULL;
}

static const char *keep_text(struct rules_reader *reader, const struct node *value,
                             pprofc_str *out) {
  if (!node_is(value, NODE_STRING)) return "must be a string";
  /* Clean the text like the texts of rows, so that both match. */
  pprofc_str copy = arena_str(&reader->gate->arena, value->text);
  *out = copy.data ? escape_line_keep(copy, &reader->gate->arena) : copy;
  reader->nomem |= !out->data;
  return NULL;
}

/* Finds the index of a word in a list. */
static const char *word_of(const struct node *value, const char *const *words, int *out) {
  for (int i = 0; node_is(value, NODE_STRING) && words[i]; i++)
    if (str_equal(value->text, str_of(words[i]))) {
      *out = i;
      return NULL;
    }
  return "has an unknown value";
}

static const char *direction_of(const struct node *value, int *out) {
  static const char *const words[] = {"lower", "higher", NULL};
  int place;
  if (word_of(value, words, &place)) return "must be \"lower\" or \"higher\"";
  *out = place == 0 ? -1 : 1;
  return NULL;
}

static const char *floor_of(const struct node *value, struct gate_floor *out) {
  struct gate_floor floor = {0, 0, 0};
  if (!node_is(value, NODE_STRING) || !gate_parse_floor(value->text, &floor))
    return "must be a string like \"1us or 16 B\"";
  *out = floor;
  return NULL;
}

/* ---- members of a rule ------------------------------- */

static const char *take_benchmark(struct rules_reader *r, const struct node *value, void *target) {
  return keep_text(r, value, &((struct gate_rule *)target)->pattern);
}

static const char *take_rule_unit(struct rules_reader *r, const struct node *value, void *target) {
  return keep_text(r, value, &((struct gate_rule *)target)->unit);
}

static const char *take_threshold(struct rules_reader *r, const struct node *value, void *target) {
  struct gate_rule *rule = target;
  (void)r;
  rule->has_threshold = true;
  return percent_of(value, &rule->threshold) ? NULL : "must be a percentage from 0 up";
}

static const char *take_alpha(struct rules_reader *r, const struct node *value, void *target) {
  struct gate_rule *rule = target;
  (void)r;
  rule->has_alpha = true;
  return probability_of(value, &rule->alpha);
}

static const char *take_floor(struct rules_reader *r, const struct node *value, void *target) {
  struct gate_rule *rule = target;
  (void)r;
  rule->has_floor = true;
  return floor_of(value, &rule->floor);
}

static const char *take_direction(struct rules_reader *r, const struct node *value, void *target) {
  (void)r;
  return direction_of(value, &((struct gate_rule *)target)->direction);
}

static const char *take_ignore(struct rules_reader *r, const struct node *value, void *target) {
  (void)r;
  if (!truth_of(value, &((struct gate_rule *)target)->ignore)) return "must be true or false";
  return NULL;
}

/* Reads the largest regression to accept: a percentage, or true for any. */
static const char *take_accept(struct rules_reader *r, const struct node *value, void *target) {
  struct gate_rule *rule = target;
  (void)r;
  rule->accept = !node_is(value, NODE_FALSE);
  rule->accepted = HUGE_VAL;
  if (node_is(value, NODE_TRUE) || node_is(value, NODE_FALSE) || percent_of(value, &rule->accepted))
    return NULL;
  return "must be a percentage, true or false";
}

static const char *take_until(struct rules_reader *r, const struct node *value, void *target) {
  struct gate_rule *rule = target;
  const char *wrong = keep_text(r, value, &rule->until);
  return wrong || gate_is_date(rule->until) ? wrong : "must be a date like 2027-01-31";
}

static const char *take_reason(struct rules_reader *r, const struct node *value, void *target) {
  return keep_text(r, value, &((struct gate_rule *)target)->reason);
}

static const struct gate_rules_member rule_members[] = {
    {"benchmark", take_benchmark},
    {"unit", take_rule_unit},
    {"threshold", take_threshold},
    {"alpha", take_alpha},
    {"floor", take_floor},
    {"direction", take_direction},
    {"ignore", take_ignore},
    {"accept", take_accept},
    {"until", take_until},
    {"reason", take_reason},
    {NULL, NULL},
};

/* ---- reading members --------------------------------- */

static void take_members(struct rules_reader *r, const struct node *object,
                         const struct gate_rules_member *members, void *target) {
  for (const struct node *value = object->first; value; value = value->next) {
    const struct gate_rules_member *m = members;
    while (m->name && !str_equal(str_of(m->name), value->key)) m++;
    r->key = m->name ? m->name : arena_str(&r->gate->arena, value->key).data;
    r->nomem |= !r->key;
    if (!m->name)
      r->what = "is not known";
    else if (node_find(object, value->key) != value)
      r->what = "occurs twice";
    else
      r->what = m->take(r, value, target);
    if (r->what || r->nomem) return;
  }
}

/* Rejects a rule without effect, and an acceptance without an end. */
static const char *check_rule(const struct gate_rule *rule) {
  bool acts = rule->has_threshold || rule->has_alpha || rule->has_floor || rule->direction ||
              rule->ignore || rule->accept;
  if (!rule->pattern.size && !rule->unit.size) return "needs a benchmark or a unit";
  if (!acts) return "sets nothing";
  if (rule->accept && (!rule->until.size || !rule->reason.size))
    return "accepts a regression, so it needs \"reason\" and \"until\"";
  return NULL;
}

static bool push_rule(struct gate *gate, const struct gate_rule *rule) {
  struct gate_settings *s = &gate->settings;
  if (!ARRAY_RESERVE(gate->mem, s->rules, s->rule_capacity, s->rule_count + 1)) return false;
  s->rules[s->rule_count++] = *rule;
  return true;
}

static const char *take_rules(struct rules_reader *r, const struct node *value, void *target) {
  (void)target;
  if (!node_is(value, NODE_ARRAY)) return "must be an array";
  size_t *lines = arena_zero_array(&r->gate->arena, node_size(value) + 1, sizeof *lines);
  r->nomem |= !lines;
  if (lines) gate_rule_lines(r->data, lines, node_size(value));
  for (size_t i = 0; i < node_size(value) && !r->nomem; i++) {
    const struct node *object = node_at(value, i);
    struct gate_rule rule = {.direction = 0};
    r->rule = i;
    r->key = NULL;
    if (!node_is(object, NODE_OBJECT)) {
      r->rule = SIZE_MAX;
      r->key = "rules";
      return "must hold objects only";
    }
    take_members(r, object, rule_members, &rule);
    if (r->what || r->nomem) return r->what;
    r->key = NULL;
    const char *wrong = check_rule(&rule);
    if (wrong) return wrong;
    rule.line = lines[i];
    r->nomem |= !push_rule(r->gate, &rule);
  }
  r->rule = SIZE_MAX;
  return NULL;
}

/* ---- members at the top ------------------------------ */

static const char *take_all_threshold(struct rules_reader *r, const struct node *value,
                                      void *target) {
  (void)target;
  return percent_of(value, &r->gate->settings.threshold) ? NULL : "must be a percentage from 0 up";
}

static const char *take_all_alpha(struct rules_reader *r, const struct node *value, void *target) {
  (void)target;
  return probability_of(value, &r->gate->settings.alpha);
}

static const char *take_all_floor(struct rules_reader *r, const struct node *value, void *target) {
  (void)target;
  return floor_of(value, &r->gate->settings.floor);
}

static const char *take_test(struct rules_reader *r, const struct node *value, void *target) {
  static const char *const words[] = {"both", "welch", "utest", "none", NULL};
  int place;
  (void)target;
  if (word_of(value, words, &place)) return "must be \"both\", \"welch\", \"utest\" or \"none\"";
  r->gate->settings.test = (enum gate_test)place;
  return NULL;
}

static const char *take_correction(struct rules_reader *r, const struct node *value, void *target) {
  static const char *const words[] = {"bh", "holm", "none", NULL};
  int place;
  (void)target;
  if (word_of(value, words, &place)) return "must be \"bh\", \"holm\" or \"none\"";
  r->gate->settings.correction = (enum gate_correction)place;
  return NULL;
}

static const char *take_min_samples(struct rules_reader *r, const struct node *value,
                                    void *target) {
  (void)target;
  int64_t count = node_integer(value);
  if (count < 1 || count > 1000000) return "must be a whole number from 1 up";
  r->gate->settings.min_samples = (size_t)count;
  return NULL;
}

static const char *take_strict(struct rules_reader *r, const struct node *value, void *target) {
  (void)target;
  return truth_of(value, &r->gate->settings.strict) ? NULL : "must be true or false";
}

static const char *take_directions(struct rules_reader *r, const struct node *value, void *target) {
  size_t count = 0;
  (void)target;
  if (!node_is(value, NODE_OBJECT)) return "must be an object";
  for (const struct node *word = value->first; word; word = word->next) {
    int direction;
    if (++count > MAX_DIRECTIONS) return "must not have more than 1000 units";
    if (node_find(value, word->key) != word) return "must not have a unit twice";
    pprofc_str unit = arena_str(&r->gate->arena, word->key);
    const char *wrong = direction_of(word, &direction);
    if (wrong) return wrong;
    if (!unit.data || !gate_add_direction(r->gate, unit, direction)) r->nomem = true;
  }
  return NULL;
}

static const struct gate_rules_member top_members[] = {
    {"threshold", take_all_threshold},
    {"alpha", take_all_alpha},
    {"floor", take_all_floor},
    {"test", take_test},
    {"correction", take_correction},
    {"min_samples", take_min_samples},
    {"strict", take_strict},
    {"directions", take_directions},
    {"rules", take_rules},
    {NULL, NULL},
};

/* ---- the file ---------------------------------------- */

/* Writes the place of the error: rule 2, "threshold"; rule 2; "threshold"; the file. */
static void put_mistake_place(const struct rules_reader *r, char *out, size_t size) {
  char rule[32] = "the file";
  if (r->rule != SIZE_MAX) snprintf(rule, sizeof rule, "rule %zu", r->rule + 1);
  if (!r->key)
    snprintf(out, size, "%s", rule);
  else if (r->rule == SIZE_MAX)
    snprintf(out, size, "\"%.200s\"", r->key);
  else
    snprintf(out, size, "%s, \"%.200s\"", rule, r->key);
}

static pprofc_status rules_set_error(const struct rules_reader *r, pprofc_error *error) {
  size_t line, column;
  char place[256];
  gate_position(r->data, r->rule, r->key, &line, &column);
  put_mistake_place(r, place, sizeof place);
  return error_set(error, PPROFC_E_FORMAT, "%.*s:%zu:%zu: %s %s", STR_ARG(r->path), line, column,
                   place, r->what);
}

static pprofc_status take_file(struct gate *gate, pprofc_str path, pprofc_str data,
                               const struct node *root, pprofc_error *error) {
  struct rules_reader reader = {.gate = gate, .path = path, .data = data, .rule = SIZE_MAX};
  if (node_is(root, NODE_OBJECT))
    take_members(&reader, root, top_members, NULL);
  else
    reader.what = "must be an object";
  if (reader.nomem) return error_nomem(error);
  return reader.what ? rules_set_error(&reader, error) : PPROFC_OK;
}

pprofc_status gate_read_rules(struct gate *gate, pprofc_str path, pprofc_str data,
                              pprofc_error *error) {
  struct arena arena;
  struct node *root = NULL;
  arena_init(&arena, gate->mem);
  pprofc_str file = arena_str(&arena, path);
  pprofc_status status =
      file.data ? json_tree_parse(&arena, file.data, data, &root, error) : error_nomem(error);
  if (status == PPROFC_OK) status = take_file(gate, path, data, root, error);
  arena_free(&arena);
  return status;
}
