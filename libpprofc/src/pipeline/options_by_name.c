/* Sets report options by name from text, and returns their values as text. */
#include "core/error.h"
#include "core/str.h"
#include "pprofc/report.h"

#include <limits.h>
#include <stdio.h>

/* Buffer size for any number as text: "-1.7976931348623157e+308" has 24 bytes. */
#define OPTION_NUMBER 32

/* ---- values ------------------------------------------ */

/* Words that pprof accepts for a boolean, in any case. */
static const struct {
  const char *word;
  bool value;
} option_truths[] = {{"true", true},   {"t", true},  {"yes", true}, {"y", true},  {"1", true},
                     {"false", false}, {"f", false}, {"no", false}, {"n", false}, {"0", false}};

static bool option_set_bool(const pprofc_option_info *info, void *field, const char *value) {
  (void)info;
  for (size_t i = 0; i < sizeof option_truths / sizeof *option_truths; i++)
    if (str_equal_any_case(str_of(value), str_of(option_truths[i].word))) {
      *(bool *)field = option_truths[i].value;
      return true;
    }
  return false;
}

static bool option_set_int(const pprofc_option_info *info, void *field, const char *value) {
  int64_t number;
  (void)info;
  if (!str_parse_int(str_of(value), 0, &number) || number < INT_MIN || number > INT_MAX)
    return false;
  *(int *)field = (int)number;
  return true;
}

static bool option_set_float(const pprofc_option_info *info, void *field, const char *value) {
  (void)info;
  return str_parse_float(str_of(value), field);
}

static bool option_set_string(const pprofc_option_info *info, void *field, const char *value) {
  (void)info;
  *(const char **)field = value;
  return true;
}

/* Stores a pointer to the choice that equals the text. The choice belongs to the table, which lives
 * as long as the program. */
static bool option_set_choice(const pprofc_option_info *info, void *field, const char *value) {
  bool none = !*value && !*info->default_text;
  if (none) *(const char **)field = info->default_text;
  for (size_t i = 0; info->choices[i] && !none; i++)
    if (strcmp(info->choices[i], value) == 0) {
      *(const char **)field = info->choices[i];
      return true;
    }
  return none;
}

static bool (*const option_setters[])(const pprofc_option_info *, void *, const char *) = {
    [PPROFC_OPTION_BOOL] = option_set_bool,     [PPROFC_OPTION_INT] = option_set_int,
    [PPROFC_OPTION_FLOAT] = option_set_float,   [PPROFC_OPTION_STRING] = option_set_string,
    [PPROFC_OPTION_CHOICE] = option_set_choice,
};

/* Writes the shortest decimal that reads back as the same number, as Go does: 0.005, 1e+22. */
static void option_print_float(double value, char number[OPTION_NUMBER]) {
  double back;
  int64_t exponent = 0;
  int digits = 0;
  do {
    snprintf(number, OPTION_NUMBER, "%.*e", digits, value);
    char *comma = strchr(number, ',');
    if (comma) *comma = '.'; /* the locale may use a decimal comma */
  } while ((!str_parse_float(str_of(number), &back) || back != value) && ++digits < 17);
  const char *mark = strchr(number, 'e');
  /* nan and inf have no exponent. */
  if (!mark || !str_parse_int(str_of(mark + 1), 10, &exponent)) return;
  if (exponent < -4 || exponent >= 6) return;
  digits -= (int)exponent;
  snprintf(number, OPTION_NUMBER, "%.*f", digits > 0 ? digits : 0, value);
  char *comma = strchr(number, ',');
  if (comma) *comma = '.';
}

/* Returns the text of a field. Numbers are written into `number`. */
static const char *option_text(const pprofc_option_info *info, const void *field,
                               char number[OPTION_NUMBER]) {
  const char *text;
  switch (info->kind) {
  case PPROFC_OPTION_BOOL:
    return *(const bool *)field ? "true" : "false";
  case PPROFC_OPTION_INT:
    snprintf(number, OPTION_NUMBER, "%d", *(const int *)field);
    return number;
  case PPROFC_OPTION_FLOAT:
    option_print_float(*(const double *)field, number);
    return number;
  case PPROFC_OPTION_STRING:
  case PPROFC_OPTION_CHOICE:
    break;
  }
  text = *(const char *const *)field;
  return text ? text : "";
}

/* ---- by name ----------------------------------------- */

static size_t option_field_size(const pprofc_option_info *info) {
  static const size_t sizes[] = {
      [PPROFC_OPTION_BOOL] = sizeof(bool),           [PPROFC_OPTION_INT] = sizeof(int),
      [PPROFC_OPTION_FLOAT] = sizeof(double),        [PPROFC_OPTION_STRING] = sizeof(const char *),
      [PPROFC_OPTION_CHOICE] = sizeof(const char *),
  };
  return sizes[info->kind];
}

/* Finds the table row of an option. Returns an error if the caller's struct is too old to have the
 * field of the option. */
static pprofc_status option_find(const pprofc_report_options *options, const char *name,
                                 const pprofc_option_info **info, pprofc_error *error) {
  const pprofc_option_info *row = pprofc_option_at(0);
  if (options->struct_size < sizeof options->struct_size)
    return error_set(error, PPROFC_E_INVALID,
                     "pprofc_report_options is not initialised: call pprofc_report_options_init "
                     "first");
  for (size_t i = 1; row && strcmp(row->name, name) != 0; i++) row = pprofc_option_at(i);
  if (!row) return error_set(error, PPROFC_E_INVALID, "unknown option \"%s\"", name);
  if (row->offset + option_field_size(row) > options->struct_size)
    return error_set(error, PPROFC_E_INVALID,
                     "the option \"%s\" is newer than the program that sets it", name);
  *info = row;
  return PPROFC_OK;
}

pprofc_status pprofc_report_options_set(pprofc_report_options *options, const char *name,
                                        const char *value, pprofc_error *error) {
  const pprofc_option_info *info;
  pprofc_status status = option_find(options, name ? name : "", &info, error);
  if (status) return status;
  if (!value) value = "";
  if (option_setters[info->kind](info, (char *)options + info->offset, value)) return PPROFC_OK;
  return error_set(error, PPROFC_E_INVALID, "invalid \"%s\" value \"%s\"", name, value);
}

pprofc_status pprofc_report_options_get(const pprofc_report_options *options, const char *name,
                                        char *text, size_t capacity, size_t *size,
                                        pprofc_error *error) {
  const pprofc_option_info *info;
  char number[OPTION_NUMBER];
  pprofc_status status = option_find(options, name ? name : "", &info, error);
  if (status) return status;
  const char *value = option_text(info, (const char *)options + info->offset, number);
  size_t length = strlen(value);
  if (size) *size = length;
  if (!capacity) return PPROFC_OK;
  size_t copied = length < capacity ? length : capacity - 1;
  memcpy(text, value, copied);
  text[copied] = '\0';
  return PPROFC_OK;
}
