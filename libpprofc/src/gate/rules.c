/* Reads the rules file of the gate, gate.json:
 *
 *   {"threshold": "5%", "alpha": 0.05, "test": "welch", "correction": "bh", "min_samples": 4,
 *    "strict": false, "floor": "1us or 16 B", "directions": {"widgets/op": "higher"},
 *    "rules": [{"benchmark": "Parse*", "unit": "ns/op", "threshold": "10%", "alpha": 0.01,
 *               "floor": "100ns", "direction": "lower", "ignore": false,
 *               "accept": "12%", "until": "2027-01-31", "reason": "new encoder"}]}
 */
#include "core/json_tree.h"
#include "gate/gate.h"

/* Maximum number of units in "directions". It is low because the search for a unit is linear. */
#define MAX_DIRECTIONS 1000

struct rules_reader {
  struct gate *gate;
  pprofc_str path, data;
  size_t rule;      /* index of the current rule; SIZE_MAX outside the list of rules */
  const char *key;  /* name of the current JSON member; NULL if the error is in the object itself */
  const char *at;   /* position in `data` of the member's name, or of the object if `key` is NULL */
  const char *what; /* text of the error; NULL: no error */
  bool nomem;
};

/* A member of a JSON object. `take` reads its value, and returns NULL or an error text. `field` is
 * the offset of the value in struct gate_rule or struct gate_settings. */
struct gate_rules_member {
  const char *name;
  const char *(*take)(struct rules_reader *reader, const struct node *value, void *field);
  size_t field;
  size_t given; /* offset of a flag such as has_floor, which is set if the file has the member; 0:
                   no flag */
};

/* ---- values ------------------------------------------ */

static bool number_of(const struct node *value, double *out) {
  return node_is(value, NODE_NUMBER) && str_parse_float(value->text, out);
}

/* Parses a number or a string such as "5%". */
static bool percent_of(const struct node *value, double *out) {
  if (node_is(value, NODE_STRING)) return gate_parse_percent(value->text, out);
  double percent;
  if (!number_of(value, &percent) || !(percent >= 0) || isinf(percent)) return false;
  *out = percent / 100;
  return true;
}

/* Returns the index of a word in a list that ends with NULL. Returns -1 for any other value. */
static int word_of(const struct node *value, const char *const *words) {
  return node_is(value, NODE_STRING) ? str_index(value->text, words) : -1;
}

static const char *take_threshold(struct rules_reader *r, const struct node *value, void *field) {
  (void)r;
  return percent_of(value, field) ? NULL : "must be a percentage from 0 up";
}

static const char *take_alpha(struct rules_reader *r, const struct node *value, void *field) {
  double p;
  (void)r;
  if (!number_of(value, &p)) return "must be a number";
  if (!(p >= 0 && p <= 1)) return "must be from 0 to 1";
  *(double *)field = p;
  return NULL;
}

static const char *take_floor(struct rules_reader *r, const struct node *value, void *field) {
  struct gate_floor floor = {0, 0, 0};
  (void)r;
  if (!node_is(value, NODE_STRING) || !gate_parse_floor(value->text, &floor))
    return "must be a string like \"1us or 16 B\"";
  *(struct gate_floor *)field = floor;
  return NULL;
}

static const char *take_truth(struct rules_reader *r, const struct node *value, void *field) {
  (void)r;
  *(bool *)field = node_is(value, NODE_TRUE);
  return node_is(value, NODE_TRUE) || node_is(value, NODE_FALSE) ? NULL : "must be true or false";
}

static const char *take_direction(struct rules_reader *r, const struct node *value, void *field) {
  static const char *const words[] = {"lower", "higher", NULL};
  int place = word_of(value, words);
  (void)r;
  if (place < 0) return "must be \"lower\" or \"higher\"";
  *(int *)field = place == 0 ? -1 : 1;
  return NULL;
}

/* Reads a text and escapes it as gate_add escapes rows, because rules are compared with rows. */
static const char *rules_take_text(struct rules_reader *r, const struct node *value, void *field) {
  pprofc_str *out = field;
  if (!node_is(value, NODE_STRING)) return "must be a string";
  pprofc_str copy = arena_str(&r->gate->arena, value->text);
  *out = copy.data ? escape_line_keep(copy, &r->gate->arena) : copy;
  r->nomem |= !out->data;
  return NULL;
}

static const char *take_date(struct rules_reader *r, const struct node *value, void *field) {
  const char *wrong = rules_take_text(r, value, field);
  return wrong || gate_is_date(*(pprofc_str *)field) ? wrong : "must be a date like 2027-01-31";
}

/* Reads the largest regression that a rule accepts: a percentage, or `true` for all. */
static const char *take_accept(struct rules_reader *r, const struct node *value, void *field) {
  struct gate_rule *rule = field;
  (void)r;
  rule->accept = !node_is(value, NODE_FALSE);
  rule->accepted = HUGE_VAL;
  if (node_is(value, NODE_TRUE) || node_is(value, NODE_FALSE) || percent_of(value, &rule->accepted))
    return NULL;
  return "must be a percentage, true or false";
}

#define RULE(field) offsetof(struct gate_rule, field)

static const struct gate_rules_member rule_members[] = {
    {"benchmark", rules_take_text, RULE(pattern), 0},
    {"unit", rules_take_text, RULE(unit), 0},
    {"threshold", take_threshold, RULE(threshold), RULE(has_threshold)},
    {"alpha", take_alpha, RULE(alpha), RULE(has_alpha)},
    {"floor", take_floor, RULE(floor), RULE(has_floor)},
    {"direction", take_direction, RULE(direction), 0},
    {"ignore", take_truth, RULE(ignore), 0},
    {"accept", take_accept, 0, 0},
    {"until", take_date, RULE(until), 0},
    {"reason", rules_take_text, RULE(reason), 0},
    {NULL, NULL, 0, 0},
};

/* ---- reading members --------------------------------- */

static void take_members(struct rules_reader *r, const struct node *object,
                         const struct gate_rules_member *members, char *target) {
  for (const struct node *value = object->first; value; value = value->next) {
    const struct gate_rules_member *m = members;
    const struct node *same = node_find(object, value->key);
    while (m->name && !str_equal(str_of(m->name), value->key)) m++;
    r->key = m->name ? m->name : arena_str(&r->gate->arena, value->key).data;
    r->at = same->key.data;
    r->nomem |= !r->key;
    if (!m->name)
      r->what = "is not known";
    else if (same != value)
      r->what = "occurs twice";
    else
      r->what = m->take(r, value, target + m->field);
    if (r->what || r->nomem) return;
    if (m->given) *(bool *)(void *)(target + m->given) = true;
  }
}

/* Rejects a rule that has no effect, and a rule that accepts changes but has no last day. */
static const char *check_rule(const struct gate_rule *rule) {
  bool acts = rule->has_threshold || rule->has_alpha || rule->has_floor || rule->direction ||
              rule->ignore || rule->accept;
  if (!rule->pattern.size && !rule->unit.size) return "needs a benchmark or a unit";
  if (!acts) return "sets nothing";
  if (rule->accept && (!rule->until.size || !rule->reason.size))
    return "accepts a regression, so it needs \"reason\" and \"until\"";
  return NULL;
}

/* Reads a rule into `rule`, which must be empty. Returns an error text, or NULL. */
static const char *take_rule(struct rules_reader *r, const struct node *object,
                             struct gate_rule *rule) {
  take_members(r, object, rule_members, (char *)rule);
  if (r->what || r->nomem) return r->what;
  r->key = NULL;
  r->at = object->text.data;
  rule->line = object->line;
  return check_rule(rule);
}

static const char *take_rules(struct rules_reader *r, const struct node *value, void *field) {
  (void)field;
  if (!node_is(value, NODE_ARRAY)) return "must be an array";
  for (size_t i = 0; i < node_size(value) && !r->nomem; i++) {
    struct gate_rule rule = {.direction = 0};
    if (!node_is(node_at(value, i), NODE_OBJECT)) return "must hold objects only";
    const char *key = r->key, *at = r->at;
    r->rule = i;
    const char *wrong = take_rule(r, node_at(value, i), &rule);
    if (wrong) return wrong;
    struct gate_settings *s = &r->gate->settings;
    r->nomem |= !ARRAY_PUSH(r->gate->mem, s->rules, s->rule_count, s->rule_capacity, rule);
    r->rule = SIZE_MAX;
    r->key = key;
    r->at = at;
  }
  return NULL;
}

/* ---- members of the whole file ----------------------- */

static const char *take_test(struct rules_reader *r, const struct node *value, void *field) {
  static const char *const words[] = {"both", "welch", "utest", "none", NULL};
  int place = word_of(value, words);
  (void)r;
  if (place < 0) return "must be \"both\", \"welch\", \"utest\" or \"none\"";
  *(pprofc_gate_test *)field = (pprofc_gate_test)place;
  return NULL;
}

static const char *take_correction(struct rules_reader *r, const struct node *value, void *field) {
  static const char *const words[] = {"bh", "holm", "none", NULL};
  int place = word_of(value, words);
  (void)r;
  if (place < 0) return "must be \"bh\", \"holm\" or \"none\"";
  *(pprofc_gate_correction *)field = (pprofc_gate_correction)place;
  return NULL;
}

static const char *take_min_samples(struct rules_reader *r, const struct node *value, void *field) {
  int64_t count = node_integer(value);
  (void)r;
  if (count < 1 || count > 1000000) return "must be a whole number from 1 up";
  *(size_t *)field = (size_t)count;
  return NULL;
}

static const char *take_directions(struct rules_reader *r, const struct node *value, void *field) {
  size_t count = 0;
  (void)field;
  if (!node_is(value, NODE_OBJECT)) return "must be an object";
  for (const struct node *word = value->first; word; word = word->next) {
    int direction;
    if (++count > MAX_DIRECTIONS) return "must not have more than 1000 units";
    if (node_find(value, word->key) != word) return "must not have a unit twice";
    pprofc_str unit = arena_str(&r->gate->arena, word->key);
    const char *wrong = take_direction(r, word, &direction);
    if (wrong) return wrong;
    if (!unit.data || !gate_add_direction(r->gate, unit, direction)) r->nomem = true;
  }
  return NULL;
}

#define SETTING(field) offsetof(struct gate_settings, field)

static const struct gate_rules_member top_members[] = {
    {"threshold", take_threshold, SETTING(threshold), 0},
    {"alpha", take_alpha, SETTING(alpha), 0},
    {"floor", take_floor, SETTING(floor), 0},
    {"test", take_test, SETTING(test), 0},
    {"correction", take_correction, SETTING(correction), 0},
    {"min_samples", take_min_samples, SETTING(min_samples), 0},
    {"strict", take_truth, SETTING(strict), 0},
    {"directions", take_directions, 0, 0},
    {"rules", take_rules, 0, 0},
    {NULL, NULL, 0, 0},
};

/* ---- the file ---------------------------------------- */

/* Writes the place of the error, such as `rule 2, "threshold"`, `rule 2`, `"threshold"` or `the
 * file`. */
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

/* Finds the line and the column of the error, counted from 1. If the name of the JSON member has
 * escapes, its place is unknown, and line and column are 1. */
static void find_mistake(const struct rules_reader *r, size_t *line, size_t *column) {
  uintptr_t offset = (uintptr_t)r->at - (uintptr_t)r->data.data;
  if (r->key) offset--; /* r->at is after the opening quote; report the position of the quote. */
  *line = *column = 1;
  if (offset >= r->data.size) return;
  for (const char *c = r->data.data; offset-- > 0; c++) {
    *line += *c == '\n';
    *column = *c == '\n' ? 1 : *column + 1;
  }
}

static pprofc_status rules_set_error(const struct rules_reader *r, pprofc_error *error) {
  size_t line, column;
  char place[256];
  find_mistake(r, &line, &column);
  put_mistake_place(r, place, sizeof place);
  return error_set(error, PPROFC_E_FORMAT, "%.*s:%zu:%zu: %s %s", STR_ARG(r->path), line, column,
                   place, r->what);
}

static pprofc_status take_file(struct gate *gate, pprofc_str path, pprofc_str data,
                               const struct node *root, pprofc_error *error) {
  struct rules_reader reader = {.gate = gate, .path = path, .data = data, .rule = SIZE_MAX};
  if (node_is(root, NODE_OBJECT)) {
    reader.at = root->text.data;
    take_members(&reader, root, top_members, (char *)&gate->settings);
  } else {
    reader.what = "must be an object";
  }
  if (reader.nomem) return error_nomem(error);
  return reader.what ? rules_set_error(&reader, error) : PPROFC_OK;
}

pprofc_status gate_read_rules(struct gate *gate, pprofc_str path, pprofc_str data,
                              pprofc_error *error) {
  struct node *root = NULL;
  struct arena arena = arena_make(gate->mem);
  pprofc_str file = arena_str(&arena, path);
  pprofc_status status =
      file.data ? json_tree_parse(&arena, file.data, data, &root, error) : error_nomem(error);
  if (status == PPROFC_OK) status = take_file(gate, path, data, root, error);
  arena_free(&arena);
  return status;
}
