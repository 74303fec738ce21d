/* Parses flags by the rules of Go's package flag, with the error messages of that package. */
#include "common/flags.h"

static const char parse_problem[] = "parse error", range_problem[] = "value out of range";

static const char *read_bool(const char *text, bool *out) {
  *out = STR_ANY(str_equal, str_of(text), "1", "t", "T", "true", "TRUE", "True");
  bool off = STR_ANY(str_equal, str_of(text), "0", "f", "F", "false", "FALSE", "False");
  return *out || off ? NULL : parse_problem;
}

#define SHORT_MAX 256

/* Copies a number, but at most `longest` digits of each sequence of digits. If `digit` is not NUL,
 * replaces each digit by `digit`. Returns false if the copy does not fit. */
static bool cut_digits(pprofc_str s, bool (*is_digit)(char c), size_t longest, char digit,
                       pprofc_str *cut, char text[SHORT_MAX]) {
  size_t size = 0, run = 0;
  for (size_t i = 0; i < s.size; i++) {
    char c = s.data[i];
    run = is_digit(c) ? run + 1 : 0;
    if (run > longest) continue;
    if (size == SHORT_MAX) return false;
    if (run && digit) c = digit;
    text[size++] = c;
  }
  *cut = (pprofc_str){text, size};
  return true;
}

/* True if the text is a whole number, but out of range. To check this, parses a copy with at most 4
 * digits, which is never out of range. */
static bool int_fits_when_short(pprofc_str s) {
  char text[SHORT_MAX];
  pprofc_str cut;
  int64_t value;
  return cut_digits(s, char_is_hex, 4, '\0', &cut, text) && str_parse_int(cut, 0, &value);
}

/* True if the text is a floating-point number, but out of range. To check this, parses a copy with
 * "1" in place of each sequence of digits, which is never out of range: "123e4567" becomes "1e1".
 */
static bool float_fits_when_short(pprofc_str s) {
  char text[SHORT_MAX];
  pprofc_str cut;
  double value;
  return cut_digits(s, char_is_digit, 1, '1', &cut, text) && str_parse_float(cut, &value);
}

static const char *read_int(const char *text, int64_t *out) {
  if (str_parse_int(str_of(text), 0, out)) return NULL;
  return int_fits_when_short(str_of(text)) ? range_problem : parse_problem;
}

static const char *read_float(const char *text, double *out) {
  if (str_parse_float(str_of(text), out)) return NULL;
  return float_fits_when_short(str_of(text)) ? range_problem : parse_problem;
}

static const char *read_choice(const struct flag *flag, const char *text, int *out) {
  int index = str_index(str_of(text), flag->choices);
  if (index < 0) return "not one of the choices";
  *out = index;
  return NULL;
}

/* Reads the value of a FLAG_WORD. A flag without '=' has the value "true", which selects the first
 * word. "false" gives "". */
static const char *read_word(const struct flag *flag, const char *text, const char **out) {
  bool on;
  if (!read_bool(text, &on)) {
    *out = on ? flag->choices[0] : "";
    return NULL;
  }
  int choice;
  const char *problem = read_choice(flag, text, &choice);
  if (!problem) *out = flag->choices[choice];
  return problem;
}

/* Stores the value of a flag in its field. `on` is the value of a FLAG_BOOL or FLAG_SET. */
static const char *flag_store_value(const struct flag *flag, char *field, const char *text,
                                    bool on) {
  switch (flag->kind) {
  case FLAG_BOOL:
    *(bool *)field = on;
    return NULL;
  case FLAG_INT:
    return read_int(text, (int64_t *)(void *)field);
  case FLAG_FLOAT:
    return read_float(text, (double *)(void *)field);
  case FLAG_STRING:
    *(const char **)(void *)field = text;
    return NULL;
  case FLAG_CHOICE:
    return read_choice(flag, text, (int *)(void *)field);
  case FLAG_PAIR:
    break;
  case FLAG_SET:
    if (on) *(int *)(void *)field = flag->value;
    return NULL;
  case FLAG_WORD:
    return read_word(flag, text, (const char **)(void *)field);
  }
  return parse_problem;
}

static const char *assign(const struct flag *flag, void *options, const char *text) {
  bool on = true;
  if (!flag_has_value(flag) && flag->kind != FLAG_WORD) {
    const char *problem = read_bool(text, &on);
    if (problem) return problem;
  }
  if (!flag->call || flag->kind == FLAG_WORD)
    return flag_store_value(flag, (char *)options + flag->offset, text, on);
  return on ? flag->call(options, flag, text) : NULL;
}

/* Formats the end of an error message for a FLAG_CHOICE: "must be a, b or c". */
static void list_choices(const struct flag *flag, char *out, size_t room) {
  size_t size = 0;
  for (int i = 0; flag->choices[i] && size < room; i++) {
    const char *between = flag->choices[i + 1] ? ", " : " or ";
    if (i == 0) between = "must be ";
    int length = snprintf(out + size, room - size, "%s%s", between, flag->choices[i]);
    size += length > 0 ? (size_t)length : 0;
  }
}

pprofc_status flag_set(const struct flag *flag, void *options, const char *text,
                       pprofc_error *error) {
  const char *problem = assign(flag, options, text);
  if (!problem) return PPROFC_OK;
  char quoted[QUOTE_MAX], choices[512];
  quote_go(str_of(text), quoted);
  if (!flag_has_value(flag) && flag->kind != FLAG_WORD)
    return error_set(error, PPROFC_E_INVALID, "invalid boolean value %s for -%s: %s", quoted,
                     flag->name, problem);
  if ((flag->kind == FLAG_CHOICE && !flag->call) || flag->kind == FLAG_WORD) {
    list_choices(flag, choices, sizeof choices);
    problem = choices;
  }
  return error_set(error, PPROFC_E_INVALID, "invalid value %s for flag -%s: %s", quoted, flag->name,
                   problem);
}

/* Returns the initial value of a string flag, never NULL. */
static const char *initial_text(const struct flag *flag) {
  if (flag->initial) return flag->initial;
  switch (flag->kind) {
  case FLAG_BOOL:
    return "false";
  case FLAG_INT:
  case FLAG_FLOAT:
    return "0";
  case FLAG_STRING:
    return "";
  case FLAG_CHOICE:
    return flag->choices[0];
  case FLAG_WORD:
    return "false";
  case FLAG_PAIR:
  case FLAG_SET:
    break;
  }
  return NULL;
}

pprofc_status flags_defaults(const struct flag_table *table, void *options, pprofc_error *error) {
  for (size_t i = 0; i < table->flag_count; i++) {
    const struct flag *flag = &table->flags[i];
    const char *text = initial_text(flag);
    if (!text || (flag->call && !flag->initial)) continue;
    pprofc_status status = flag_set(flag, options, text, error);
    if (status != PPROFC_OK) return status;
  }
  return PPROFC_OK;
}

bool flag_shows_initial(const struct flag *flag) {
  if (!flag->initial || !flag->initial[0]) return false;
  return flag->kind != FLAG_SET && strcmp(flag->initial, "false") != 0;
}

const struct flag_command *flags_command(const struct flag_table *table, const char *name) {
  for (const struct flag_command *c = table->commands; c && c->name; c++)
    if (strcmp(c->name, name) == 0) return c;
  return NULL;
}

/* True if a and b are the same name. Treats '-' and '_' as equal. */
static bool flags_same_name(pprofc_str a, pprofc_str b) {
  if (a.size != b.size) return false;
  for (size_t i = 0; i < a.size; i++) {
    char c = a.data[i] == '-' ? '_' : a.data[i];
    if (c != (b.data[i] == '-' ? '_' : b.data[i])) return false;
  }
  return true;
}

size_t flags_prefix(const char *argument, const char *name) {
  size_t dashes = strspn(argument, "-"), end = dashes + strlen(name);
  if (dashes < 1 || dashes > 2 || strlen(argument) < end) return 0;
  return flags_same_name((pprofc_str){argument + dashes, end - dashes}, str_of(name)) ? end : 0;
}

const struct flag *flags_find(const struct flag_table *table, pprofc_str name) {
  for (size_t i = 0; i < table->flag_count; i++)
    if (flags_same_name(name, str_of(table->flags[i].name))) return &table->flags[i];
  return NULL;
}

const struct flag *flags_nearest(const struct flag_table *table, pprofc_str name) {
  const struct flag *nearest = NULL;
  size_t best = SIZE_MAX;
  for (size_t i = 0; i < table->flag_count; i++) {
    const struct flag *flag = &table->flags[i];
    size_t cost = flag->hidden ? SIZE_MAX : misspelling_cost(name, str_of(flag->name));
    if (cost >= best) continue;
    best = cost;
    nearest = flag;
  }
  return nearest;
}

const char *flags_nearest_command(const struct flag_table *table, pprofc_str name) {
  const char *nearest = NULL;
  size_t best = SIZE_MAX;
  for (const struct flag_command *c = table->commands; c->name; c++) {
    size_t cost = misspelling_cost(name, str_of(c->name));
    if (cost >= best) continue;
    best = cost;
    nearest = c->name;
  }
  return nearest;
}

/* Sets a flag from `value`. If `value` is NULL, uses the arguments at *next instead, and advances
 * *next past them. */
static pprofc_status set_from_line(const struct flag *flag, void *options, const char *value,
                                   char *const *next, struct flags_parsed *parsed,
                                   pprofc_error *error) {
  if (!value && flag_has_value(flag)) {
    if (!*next)
      return error_set(error, PPROFC_E_INVALID, "flag needs an argument: -%s", flag->name);
    value = *next++;
    parsed->rest++;
  }
  if (flag->kind == FLAG_PAIR && !*next)
    return error_set(error, PPROFC_E_INVALID, "flag needs two arguments: -%s", flag->name);
  pprofc_status status = flag_set(flag, options, value ? value : "true", error);
  if (flag->kind != FLAG_PAIR || status != PPROFC_OK) return status;
  parsed->rest++;
  return flag_set(flag, options, *next, error);
}

/* Sets the flag `name`. `value` and `next` are the same as for set_from_line. */
static pprofc_status parse_flag(const struct flag_table *table, void *options, pprofc_str name,
                                const char *value, char *const *next, struct flags_parsed *parsed,
                                pprofc_error *error) {
  const struct flag *flag = flags_find(table, name);
  /* -help ignores its value and all later arguments, as in Go. */
  parsed->help = str_equal(name, STR("h")) || str_equal(name, STR("help"));
  if (parsed->help) return flag ? flag_set(flag, options, "true", error) : PPROFC_OK;
  if (!flag)
    return error_set(error, PPROFC_E_INVALID, "flag provided but not defined: -%.*s",
                     STR_ARG(name));
  size_t index = (size_t)(flag - table->flags);
  if (index < FLAGS_MAX) parsed->seen[index] = true;
  return set_from_line(flag, options, value, next, parsed, error);
}

/* Adds advice to the error about the flag `name` in `argument`. The advice names the words that
 * replace a flag of another program, or the flag with the most similar name. */
static pprofc_status advise(const struct flag_table *table, const char *argument, pprofc_str name,
                            pprofc_status status, pprofc_error *error) {
  if (elsewhere_add(table->program, argument, error) || flags_find(table, name)) return status;
  const struct flag *nearest = flags_nearest(table, name);
  if (nearest)
    error_hint(error, "did you mean -%s?", nearest->name);
  else
    error_hint(error, "see %s -help", table->program);
  return status;
}

pprofc_status flags_check_inputs(const struct flag_table *table, const char *const *inputs,
                                 size_t count, const char *noun, pprofc_error *error) {
  bool missing = count && access(inputs[0], F_OK) != 0;
  const char *advice = missing ? elsewhere_find(table->program, inputs[0]) : NULL;
  if (advice)
    return error_set(error, PPROFC_E_INVALID, "'%.100s' is not a file (type %s %s)", inputs[0],
                     table->program, advice);
  for (size_t i = 0; i < count; i++) {
    const char *input = inputs[i];
    if (!*input)
      return error_set(error, PPROFC_E_INVALID,
                       "%s %zu is empty, perhaps from an unset variable; pass a file", noun, i + 1);
    if (i && input[0] == '-' && input[1] && access(input, F_OK) != 0)
      return error_set(error, PPROFC_E_INVALID,
                       "'%.100s' comes after the first %s; type flags before it", input, noun);
  }
  return PPROFC_OK;
}

void flags_accept_words(int argc, char **argv) {
  static char help[] = "-help", version[] = "-version";
  if (argc < 2 || access(argv[1], F_OK) == 0) return;
  if (strcmp(argv[1], "help") == 0) argv[1] = help;
  if (strcmp(argv[1], "version") == 0) argv[1] = version;
}

pprofc_status flags_parse(const struct flag_table *table, void *options, int argc,
                          char *const *argv, struct flags_parsed *parsed, pprofc_error *error) {
  *parsed = (struct flags_parsed){.rest = 1};
  while (parsed->rest < argc && !parsed->help) {
    const char *argument = argv[parsed->rest];
    if (argument[0] != '-' || !argument[1]) break;
    parsed->rest++;
    pprofc_str name = str_of(argument + 1 + (argument[1] == '-'));
    if (!name.size) break; /* the argument is "--", which ends the flags */
    if (name.data[0] == '-' || name.data[0] == '=')
      return error_set(error, PPROFC_E_INVALID, "bad flag syntax: %s", argument);
    size_t equals = str_find_char(name, '=');
    const char *value = equals < name.size ? name.data + equals + 1 : NULL;
    /* the next two arguments, which the flag may use as values */
    char *next[] = {NULL, NULL, NULL};
    for (int i = 0; i < 2 && parsed->rest + i < argc; i++) next[i] = argv[parsed->rest + i];
    name = str_slice(name, 0, equals);
    pprofc_status status = parse_flag(table, options, name, value, next, parsed, error);
    if (status != PPROFC_OK) return advise(table, argument, name, status, error);
  }
  return PPROFC_OK;
}
