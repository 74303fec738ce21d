/* Sets and lists the options of the shell. They are the report options of the library, and
 * `output`. */
#include "pipeline/pipeline.h"
#include "profile/profile.h"
#include "regex/regex.h"
#include "session.h"

static const pprofc_option_info output_option = {
    "output", PPROFC_OPTION_STRING,
    0,        "",
    NULL,     false,
    NULL,     "Output filename for file-based outputs"};

static const pprofc_option_info noise_option = {
    "noise", PPROFC_OPTION_STRING,
    0,       "",
    NULL,    false,
    NULL,    "Mark the functions that changed by more than noise (top, text, json, flame)"};

const pprofc_option_info *shell_option_at(size_t index) {
  static const pprofc_option_info *const own[] = {&output_option, &noise_option};
  const pprofc_option_info *info = pprofc_option_at(index);
  size_t beyond = 0;
  while (!info && beyond < index && !pprofc_option_at(index - 1 - beyond)) beyond++;
  if (info || beyond >= sizeof own / sizeof *own) return info;
  return own[beyond];
}

bool shell_option_stands_alone(const pprofc_option_info *info) {
  return info->kind == PPROFC_OPTION_BOOL || info == &noise_option;
}

static size_t variables_index(pprofc_str name) {
  const pprofc_option_info *info;
  for (size_t i = 0; i < SHELL_OPTIONS && (info = shell_option_at(i)); i++)
    if (str_equal(name, str_of(info->name))) return i;
  return SHELL_OPTIONS;
}

const pprofc_option_info *shell_option_find(pprofc_str name) {
  size_t index = variables_index(name);
  return index < SHELL_OPTIONS ? shell_option_at(index) : NULL;
}

static const char *variables_choice(const pprofc_option_info *info, pprofc_str name) {
  int index = info->choices ? str_index(name, info->choices) : -1;
  return index < 0 ? NULL : info->choices[index];
}

const pprofc_option_info *shell_choice_find(pprofc_str name) {
  const pprofc_option_info *info;
  for (size_t i = 0; (info = shell_option_at(i)); i++)
    if (variables_choice(info, name)) return info;
  return NULL;
}

static void *variables_field(struct shell *shell, const pprofc_option_info *info) {
  if (info == &output_option) return &shell->command.output;
  if (info == &noise_option) return &shell->command.noise.show;
  return (char *)&shell->command.report + info->offset;
}

static void variables_refuse(struct shell *shell, const char *name, pprofc_str value,
                             const char *why) {
  char quoted[QUOTE_MAX];
  quote_go(value, quoted);
  shell_fail(shell, "invalid value %s for %s: %s", quoted, name, why);
}

static bool variables_keep(struct shell *shell, const pprofc_option_info *info, pprofc_str value) {
  size_t index = variables_index(str_of(info->name));
  char *text = text_copy(value);
  if (!text || index == SHELL_OPTIONS) {
    text_free(text);
    shell_fail(shell, "out of memory");
    return false;
  }
  text_free(shell->texts[index]);
  shell->texts[index] = text;
  *(const char **)variables_field(shell, info) = text;
  return true;
}

void shell_free_options(struct shell *shell) {
  for (size_t i = 0; i < SHELL_OPTIONS; i++) text_free(shell->texts[i]);
}

/* Sets a boolean or a number with a fraction. */
static void variables_set_plain(struct shell *shell, const pprofc_option_info *info,
                                pprofc_str value) {
  bool truth = info->kind == PPROFC_OPTION_BOOL;
  char *text = text_copy(truth && !value.size ? STR("true") : value);
  if (!text)
    shell_fail(shell, "out of memory");
  else if (pprofc_report_options_set(&shell->command.report, info->name, text, NULL) != PPROFC_OK)
    variables_refuse(shell, info->name, value, truth ? "must be true or false" : "not a number");
  text_free(text);
}

/* Sets an integer option. Like pprof, accepts only decimal integers. A number that is too large
 * becomes the maximum. */
static void variables_set_int(struct shell *shell, const pprofc_option_info *info,
                              pprofc_str value) {
  int64_t number;
  if (!str_parse_int(value, 10, &number)) {
    variables_refuse(shell, info->name, value, "not a whole number");
    return;
  }
  if (number > INT_MAX) number = INT_MAX;
  if (number < INT_MIN) number = INT_MIN;
  *(int *)variables_field(shell, info) = (int)number;
}

/* Sets an option that has a list of values. An empty granularity restores the default. */
static void variables_set_choice(struct shell *shell, const pprofc_option_info *info,
                                 pprofc_str value) {
  char words[200] = "";
  size_t size = 0;
  for (size_t i = 0; info->choices[i] && size < sizeof words; i++)
    size += (size_t)snprintf(words + size, sizeof words - size, "%s%s", i ? ", " : "",
                             info->choices[i]);
  const char *choice = variables_choice(info, value);
  bool reset = !value.size && !*info->default_text;
  if (!choice && !reset) {
    char why[256];
    snprintf(why, sizeof why, "must be one of %s", words);
    variables_refuse(shell, info->name, value, why);
    return;
  }
  *(const char **)variables_field(shell, info) = choice ? choice : info->default_text;
  if (reset) message_note("%s is reset to its default; it can be one of %s", info->name, words);
}

/* Stores the sample type's name, because its index may differ in another profile. */
static void variables_set_sample_index(struct shell *shell, const pprofc_option_info *info,
                                       pprofc_str value) {
  const pprofc_profile *profile = shell->profile;
  size_t index;
  pprofc_error error;
  if (value_select(profile, value, &index, &error) != PPROFC_OK)
    shell_fail_error(shell, &error);
  else
    variables_keep(shell, info, profile_type(profile, index));
}

static void variables_ignore_warning(void *context, const char *message) {
  (void)context;
  (void)message;
}

/* Checks the value of a filter. The error is the same as in a report. */
static pprofc_status variables_check(struct shell *shell, const pprofc_option_info *info,
                                     pprofc_error *error) {
  const struct filter_option *filter = filter_find(info);
  const char *text = filter ? *(const char **)variables_field(shell, info) : NULL;
  struct filter_term term = {.text = NULL};
  if (!text || !*text) return PPROFC_OK;
  pprofc_status status =
      filter_term_compile(filter, text, &mem_default, variables_ignore_warning, NULL, &term, error);
  filter_term_free(&term);
  return status;
}

void shell_set(struct shell *shell, const pprofc_option_info *info, pprofc_str value) {
  static void (*const setters[])(struct shell *, const pprofc_option_info *, pprofc_str) = {
      [PPROFC_OPTION_BOOL] = variables_set_plain,
      [PPROFC_OPTION_INT] = variables_set_int,
      [PPROFC_OPTION_FLOAT] = variables_set_plain,
      [PPROFC_OPTION_CHOICE] = variables_set_choice,
  };
  pprofc_error error;
  if (info == &noise_option) {
    shell_choose_noise(shell, value, &shell->command);
  } else if (strcmp(info->name, "sample_index") == 0) {
    variables_set_sample_index(shell, info, value);
  } else if (info->kind != PPROFC_OPTION_STRING) {
    setters[info->kind](shell, info, value);
  } else if (variables_keep(shell, info, value)) {
    /* Store an invalid value, as pprof does. Later reports then fail. */
    if (variables_check(shell, info, &error) != PPROFC_OK) message_error("%s", error.message);
  }
}

void shell_choose(struct shell *shell, pprofc_str name, pprofc_str truth) {
  const pprofc_option_info *info = shell_choice_find(name);
  const char *choice = variables_choice(info, name);
  if (STR_ANY(str_equal, truth, "1", "t", "T", "TRUE", "true", "True")) {
    *(const char **)variables_field(shell, info) = choice;
    return;
  }
  variables_refuse(shell, choice, truth, "it is chosen by its name alone or by true");
  message_note("(%s=<val> sets it to another value; for %s the value is true)", info->name, choice);
}

void shell_check_options(struct shell *shell) {
  pprofc_error error;
  size_t index;
  const pprofc_option_info *info;
  if (value_select(shell->profile, str_of(shell->command.report.sample_index), &index, &error) !=
      PPROFC_OK)
    message_error("%s", error.message);
  for (size_t i = 0; (info = shell_option_at(i)); i++)
    if (variables_check(shell, info, &error) != PPROFC_OK) message_error("%s", error.message);
  if (shell->command.report.divide_by == 0) message_error("zero divisor specified");
}

#define VALUE_MAX 64

/* Returns the value of an option as text. `text` is a buffer for numbers. */
static const char *variables_text(struct shell *shell, const pprofc_option_info *info,
                                  char text[VALUE_MAX]) {
  if (info->kind == PPROFC_OPTION_STRING || info->kind == PPROFC_OPTION_CHOICE) {
    const char *string = *(const char **)variables_field(shell, info);
    if (string && *string) return string;
    return info->kind == PPROFC_OPTION_CHOICE ? "(default)" : "\"\"";
  }
  pprofc_report_options_get(&shell->command.report, info->name, text, VALUE_MAX, NULL, NULL);
  return text;
}

static void variables_add_choices(const pprofc_option_info *info, struct buffer *out) {
  const char *names[32];
  size_t count = 0;
  while (count < 32 && info->choices[count]) {
    names[count] = info->choices[count];
    count++;
  }
  qsort(names, count, sizeof *names, text_order);
  for (size_t i = 0; i < count; i++) buffer_printf(out, "%s%s", i ? " | " : "//: [", names[i]);
  buffer_add_char(out, ']');
}

static void variables_add_types(const struct shell *shell, struct buffer *out) {
  const pprofc_profile *p = shell->profile;
  buffer_add_text(out, "//: [");
  for (size_t i = 0; i < p->type_count; i++) {
    if (i) buffer_add_text(out, " | ");
    buffer_add_str(out, profile_type(p, i));
  }
  buffer_add_char(out, ']');
}

/* Prints a line of the list of options. Like pprof, always pads the value with blanks. */
static void variables_print(struct shell *shell, const pprofc_option_info *info) {
  const pprofc_profile *p = shell->profile;
  char number[VALUE_MAX];
  if (strcmp(info->name, "source_path") == 0) return;
  pprofc_str value = str_of(variables_text(shell, info, number));
  struct buffer line, comment;
  buffer_init(&line, &mem_default, SIZE_MAX / 2);
  buffer_init(&comment, &mem_default, SIZE_MAX / 2);
  if (info->kind == PPROFC_OPTION_CHOICE) variables_add_choices(info, &comment);
  if (strcmp(info->name, "nodecount") == 0 && shell->command.report.nodecount == -1)
    buffer_add_text(&comment, "//: default");
  if (strcmp(info->name, "sample_index") == 0) {
    variables_add_types(shell, &comment);
    if (!*shell->command.report.sample_index && p->type_count)
      value = profile_type(p, p->type_count - 1);
  }
  buffer_printf(&line, "  %-25s = ", info->name);
  buffer_add_str(&line, value);
  size_t cells = utf8_length(value);
  if (cells < 20) buffer_add_fill(&line, ' ', 20 - cells);
  buffer_add_char(&line, ' ');
  buffer_add_str(&line, buffer_str(&comment));
  if (!line.failed && !comment.failed) message_note("%.*s", STR_ARG(buffer_str(&line)));
  buffer_free(&line);
  buffer_free(&comment);
}

void shell_each_option(struct shell *shell,
                       void (*print)(struct shell *shell, const pprofc_option_info *info)) {
  const char *names[SHELL_OPTIONS];
  const pprofc_option_info *info;
  size_t count = 0;
  for (size_t i = 0; i < SHELL_OPTIONS && (info = shell_option_at(i)); i++)
    names[count++] = info->name;
  qsort(names, count, sizeof *names, text_order);
  for (size_t i = 0; i < count; i++) print(shell, shell_option_find(str_of(names[i])));
}

void shell_print_options(struct shell *shell, const struct shell_words *words) {
  (void)words;
  shell_each_option(shell, variables_print);
}
