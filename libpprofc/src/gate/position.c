/* Finds members in JSON text by scanning its tokens. */
#include "gate/position.h"

/* State of the scan. Depth 1 is inside the top object, 2 inside "rules", 3 inside a rule. */
struct gate_position_walk {
  pprofc_str json;
  size_t at, depth;
  size_t rules;  /* number of objects of "rules" that have begun */
  bool in_rules; /* the array at depth 2 is "rules" */
  bool next_is_rules;
};

/* Returns the position after the closing quote of the string that begins at `at`. */
static size_t string_end(pprofc_str json, size_t at) {
  for (at++; at < json.size && json.data[at] != '"'; at++)
    if (json.data[at] == '\\') at++;
  return at < json.size ? at + 1 : json.size;
}

static bool is_key(pprofc_str json, size_t end) {
  while (end < json.size && strchr(" \t\r\n", json.data[end]) && json.data[end]) end++;
  return end < json.size && json.data[end] == ':';
}

static void position_place(pprofc_str json, size_t at, size_t *line, size_t *column) {
  *line = 1;
  *column = 1;
  for (size_t i = 0; i < at && i < json.size; i++) {
    bool newline = json.data[i] == '\n';
    *line += newline;
    *column = newline ? 1 : *column + 1;
  }
}

/* True if the scan is inside the requested object. */
static bool wanted_object(const struct gate_position_walk *w, size_t rule) {
  return rule == SIZE_MAX ? w->depth == 1 : w->depth == 3 && w->in_rules && w->rules == rule + 1;
}

static bool opens(struct gate_position_walk *w, char c, size_t rule) {
  if (w->depth == 1) {
    w->in_rules = w->next_is_rules && c == '[';
    w->rules = 0;
  }
  if (w->depth == 2 && w->in_rules) w->rules++;
  w->depth++;
  return wanted_object(w, rule);
}

/* Skips the string at w->at. True if it is a key; `text` is the text between its quotes. */
static bool pass_string(struct gate_position_walk *w, pprofc_str *text) {
  size_t end = string_end(w->json, w->at);
  *text = end >= w->at + 2 ? str_slice(w->json, w->at + 1, end - 1) : STR("");
  bool key = is_key(w->json, end);
  if (key && w->depth == 1) w->next_is_rules = str_equal(*text, STR("rules"));
  w->at = end;
  return key;
}

/* Skips one token. Sets *found and *at if the token is the member `key` of the object, or the
 * object itself if `key` is NULL. */
static void pass_token(struct gate_position_walk *w, size_t rule, const char *key, size_t *at,
                       bool *found) {
  char c = w->json.data[w->at];
  size_t start = w->at;
  pprofc_str text;
  if (c == '"') {
    *found = pass_string(w, &text) && key && wanted_object(w, rule) && str_equal(text, str_of(key));
    if (*found) *at = start;
    return;
  }
  if ((c == '{' || c == '[') && opens(w, c, rule)) {
    *at = start;
    *found = !key;
  }
  if ((c == '}' || c == ']') && w->depth) w->depth--;
  w->at++;
}

void gate_position(pprofc_str json, size_t rule, const char *key, size_t *line, size_t *column) {
  struct gate_position_walk w = {.json = json};
  size_t at = 0;
  bool found = false;
  while (w.at < json.size && !found) pass_token(&w, rule, key, &at, &found);
  position_place(json, at, line, column);
}

void gate_rule_lines(pprofc_str json, size_t *lines, size_t count) {
  struct gate_position_walk w = {.json = json};
  size_t line = 1, counted = 0, found = 0;
  pprofc_str text;
  while (w.at < json.size && found < count) {
    char c = json.data[w.at];
    if (c == '"') {
      (void)pass_string(&w, &text);
      continue;
    }
    if ((c == '{' || c == '[') && opens(&w, c, found)) {
      for (; counted < w.at; counted++) line += json.data[counted] == '\n';
      lines[found++] = line;
    }
    if ((c == '}' || c == ']') && w.depth) w.depth--;
    w.at++;
  }
}
