/* The table of report options, from which programs derive flags, help, settings and URLs. Sets and
 * returns options by name. */
#include "pipeline/pipeline.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define FIELD(name)  offsetof(pprofc_report_options, name)

static const char *const sort_choices[] = {"cum", "flat", NULL};
static const char *const granularity_choices[] = {"functions", "filefunctions", "files",
                                                  "lines",     "addresses",     NULL};

/* Columns: index and name of the filter; title for warnings, or NULL; end of the name of the
 * function transform_...; flags; parameter in a URL, or NULL for the name; label and hint in the
 * form of the web page, or NULL; help. */
#define FILTER(index, name, title, step, flags, url, label, hint, help)                            \
  [FILTER_##index] = {{#name, PPROFC_OPTION_STRING, FIELD(name), "", url, true, NULL, help},       \
                      title,                                                                       \
                      transform_##step,                                                            \
                      offsetof(pprofc_filter_options, name),                                       \
                      flags,                                                                       \
                      label,                                                                       \
                      hint}
#define ADDED_FILTER(...) FILTER(__VA_ARGS__),

const struct filter_option filter_options[FILTER_COUNT] = {
    FILTER(FOCUS, focus, "Focus", names, FILTER_STACKS | FILTER_TOTAL | FILTER_REGEX, "f", NULL,
           NULL, "Restricts to samples going through a node matching regexp"),
    FILTER(IGNORE, ignore, "Ignore", names, FILTER_STACKS | FILTER_TOTAL | FILTER_REGEX, "i",
           "Ignore", "hide stacks with this function",
           "Skips paths going through any nodes matching regexp"),
    FILTER(HIDE, hide, "Hide", names, FILTER_STACKS | FILTER_REGEX, "h", "Hide",
           "leave out of the stacks", "Skips nodes matching regexp"),
    FILTER(SHOW, show, "Show", names, FILTER_STACKS | FILTER_REGEX, "s", "Show",
           "keep only these functions", "Only show nodes matching regexp"),
    FILTER(SHOW_FROM, show_from, "ShowFrom", show_from,
           FILTER_STACKS | FILTER_CUTS | FILTER_TOTAL | FILTER_REGEX, "sf", "Show from",
           "cut above the first match", "Drops functions above the highest matched frame."),
    FILTER(PRUNE_FROM, prune_from, NULL, prune_from,
           FILTER_STACKS | FILTER_CUTS | FILTER_REGEX | FILTER_UNLISTED, "prunefrom", "Prune from",
           "cut below", "Drops any functions below the matched frame."),
    FILTER(TAGFOCUS, tagfocus, "TagFocus", tags, FILTER_LABELS | FILTER_TOTAL | FILTER_TAGS, "tf",
           "Label focus", "keep label key=value",
           "Restricts to samples with tags in range or matched by regexp"),
    FILTER(TAGIGNORE, tagignore, "TagIgnore", tags, FILTER_LABELS | FILTER_TOTAL | FILTER_TAGS,
           "ti", "Label ignore", "exclude label key=value",
           "Discard samples with tags in range or matched by regexp"),
    FILTER(TAGSHOW, tagshow, "TagShow", tag_keys, FILTER_LABELS | FILTER_REGEX | FILTER_LATE, "ts",
           "Label show", "label keys to show", "Only consider tags matching this regexp"),
    FILTER(TAGHIDE, taghide, "TagHide", tag_keys, FILTER_LABELS | FILTER_REGEX | FILTER_LATE, "th",
           "Label hide", "label keys to hide", "Skip tags matching this regexp"),
    FILTER(TAGROOT, tagroot, "TagRoot", tag_frames, FILTER_LABELS | FILTER_CUTS | FILTER_UNLISTED,
           NULL, "Label as root", "keys, with commas between",
           "Adds pseudo stack frames for labels key/value pairs at the callstack root."),
    FILTER(TAGLEAF, tagleaf, "TagLeaf", tag_frames, FILTER_LABELS | FILTER_CUTS | FILTER_UNLISTED,
           NULL, "Label as leaf", "keys, with commas between",
           "Adds pseudo stack frames for labels key/value pairs at the callstack leaf."),
    PPROFC_ADDED_FILTERS(ADDED_FILTER)};

#define OPTION(field, kind, text, url, saved, help)                                                \
  &(const pprofc_option_info) {                                                                    \
    .name = #field, PPROFC_OPTION_##kind, FIELD(field), text, url, saved, NULL, help               \
  }
#define CHOICE(field, text, url, choices, help)                                                    \
  &(const pprofc_option_info) {                                                                    \
    .name = #field, PPROFC_OPTION_CHOICE, FIELD(field), text, url, true, choices, help             \
  }
#define FILTER_OPTION(index)     &filter_options[FILTER_##index].option
#define ADDED_OPTION(index, ...) FILTER_OPTION(index),

static const pprofc_option_info *const option_table[] = {
    OPTION(call_tree, BOOL, "false", "calltree", true, "Create a context-sensitive call tree"),
    OPTION(relative_percentages, BOOL, "false", "rel", true,
           "Show percentages relative to focused subgraph"),
    OPTION(unit, STRING, "minimum", "unit", true, "Measurement units to display"),
    OPTION(compact_labels, BOOL, "false", "compact", true, "Show minimal headers"),
    OPTION(source_path, STRING, "", NULL, false, "Search path for source files"),
    OPTION(trim_path, STRING, "", NULL, false, "Path to trim from source paths before search"),
    OPTION(intel_syntax, BOOL, "false", "intel", true, "Show assembly in Intel syntax"),
    OPTION(mean, BOOL, "false", "mean", true, "Average sample value over first value (count)"),
    OPTION(sample_index, STRING, "", "si", false, "Sample value to report (0-based index or name)"),
    OPTION(divide_by, FLOAT, "1", NULL, false, "Ratio to divide all samples before visualization"),
    OPTION(normalize, BOOL, "false", "norm", true, "Scales profile based on the base profile."),
    CHOICE(sort, "flat", "sort", sort_choices, "Sort entries based on own or cumulative weight"),
    FILTER_OPTION(TAGROOT),
    FILTER_OPTION(TAGLEAF),
    OPTION(drop_negative, BOOL, "false", "dropneg", true, "Ignore negative differences"),
    OPTION(nodecount, INT, "-1", "n", true, "Max number of nodes to show"),
    OPTION(nodefraction, FLOAT, "0.005", "nf", true, "Hide nodes below <f>*total"),
    OPTION(edgefraction, FLOAT, "0.001", "ef", true, "Hide edges below <f>*total"),
    OPTION(trim, BOOL, "true", "trim", true, "Honor nodefraction/edgefraction/nodecount defaults"),
    FILTER_OPTION(FOCUS),
    FILTER_OPTION(IGNORE),
    FILTER_OPTION(PRUNE_FROM),
    FILTER_OPTION(HIDE),
    FILTER_OPTION(SHOW),
    FILTER_OPTION(SHOW_FROM),
    FILTER_OPTION(TAGFOCUS),
    FILTER_OPTION(TAGIGNORE),
    FILTER_OPTION(TAGSHOW),
    FILTER_OPTION(TAGHIDE),
    OPTION(noinlines, BOOL, "false", "noinlines", true, "Ignore inlines."),
    OPTION(showcolumns, BOOL, "false", "showcolumns", true,
           "Show column numbers at the source code line level."),
    CHOICE(granularity, "", "g", granularity_choices,
           "Aggregate at the function, file, line or address level"),
    OPTION(group_by_label, STRING, "", NULL, false,
           "With -speedscope: also write a profile for each value of this label"),
    OPTION(cut_depth, INT, "0", NULL, false,
           "With -speedscope and -folded: maximum number of frames of a stack, counted from the "
           "root; 0: no limit"),
    OPTION(min_weight, FLOAT, "0", NULL, false,
           "With -speedscope and -folded: join stacks below this fraction of the total into one"),
    OPTION(origin_rules, STRING, "", NULL, false,
           "With -flamegraph and -flame: file with rules that assign each frame to your code, a "
           "library or the system"),
    OPTION(title, STRING, "", NULL, false, "With -flamegraph and -flame: title of the flame graph"),
    OPTION(width, INT, "0", NULL, false,
           "With -flamegraph: width of the picture in pixels; 0: 1200 pixels"),
    OPTION(minwidth, STRING, "0.1", NULL, false,
           "With -flamegraph: join neighbouring boxes that are narrower than this. Unit: pixels, "
           "or % of the picture's width"),
    OPTION(colors, STRING, "", NULL, false,
           "With -flamegraph: what the colours show: hot (the function name), change (growth or "
           "decrease of the cost), origin (your code, libraries or the system) or package"),
    OPTION(inverted, BOOL, "false", NULL, false, "With -flamegraph: draw the root at the top"),
    OPTION(
        reverse, BOOL, "false", NULL, false,
        "With -flamegraph: merge stacks from the leaf, to show the callers of expensive functions"),
    OPTION(source_link, STRING, "", NULL, false,
           "With -flame: address of a source line, for links. pprofc replaces {file} and {line} in "
           "it"),
    OPTION(source_diff, STRING, "", NULL, false,
           "Git revisions REF or REF1..REF2. With -list and -diff_base: print the lines that "
           "changed since REF, or from REF1 to REF2, with their costs. With -lsp: the commit at "
           "which the profile was recorded"),
    OPTION(calls, INT, "0", NULL, false,
           "With -callgrind: number of calls to write for each pair of caller and callee. "
           "callgrind_annotate needs 1"),
    OPTION(frame_marks, BOOL, "false", NULL, false,
           "With -folded: append a mark to names: _[k] to functions of the kernel, _[i] to inlined "
           "functions, _[j] to functions compiled at run time"),
    OPTION(safe, BOOL, "false", NULL, false,
           "With -list, -weblist and -http: do not open source files"),
    PPROFC_ADDED_FILTERS(ADDED_OPTION)};

const pprofc_option_info *pprofc_option_at(size_t index) {
  return index < COUNT(option_table) ? option_table[index] : NULL;
}

void pprofc_report_options_init(pprofc_report_options *o) {
  *o = (pprofc_report_options){
      .struct_size = sizeof *o,
      .format = "top",
      .argument = "",
      .divide_by = 1,
      .nodecount = -1,
      .nodefraction = 0.005,
      .edgefraction = 0.001,
      .trim = true,
  };
  for (size_t i = 0; i < COUNT(option_table); i++) {
    const pprofc_option_info *option = option_table[i];
    if (option->kind == PPROFC_OPTION_STRING || option->kind == PPROFC_OPTION_CHOICE)
      *(const char **)(void *)((char *)o + option->offset) = option->default_text;
  }
}

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

/* Stores a pointer to the choice that equals the text. The pointer stays valid, because the table
 * of options lives as long as the program. */
static bool option_set_choice(const pprofc_option_info *info, void *field, const char *value) {
  int index = str_index(str_of(value), info->choices);
  bool none = !*value && !*info->default_text;
  if (index < 0 && !none) return false;
  *(const char **)field = none ? info->default_text : info->choices[index];
  return true;
}

static bool (*const option_setters[])(const pprofc_option_info *, void *, const char *) = {
    [PPROFC_OPTION_BOOL] = option_set_bool,     [PPROFC_OPTION_INT] = option_set_int,
    [PPROFC_OPTION_FLOAT] = option_set_float,   [PPROFC_OPTION_STRING] = option_set_string,
    [PPROFC_OPTION_CHOICE] = option_set_choice,
};

/* Writes the shortest decimal number from which the same value can be parsed, in the form of Go:
 * 0.005, 1e+22. */
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
  /* Stop for nan and inf, which have no exponent. */
  if (!mark || !str_parse_int(str_of(mark + 1), 10, &exponent)) return;
  if (exponent < -4 || exponent >= 6) return;
  digits -= (int)exponent;
  snprintf(number, OPTION_NUMBER, "%.*f", digits > 0 ? digits : 0, value);
  char *comma = strchr(number, ',');
  if (comma) *comma = '.';
}

/* Returns the value of an option as text. `number` is the buffer for the text of a number. */
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

/* Finds the table row of an option. Returns an error if the caller was compiled with an older
 * struct that does not have the field of the option. */
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

/* ---- options that filter ---------------------------- */

const char *filter_text(const pprofc_report_options *options, enum filter_index filter) {
  const char *field = (const char *)options + filter_options[filter].option.offset;
  const char *text = *(const char *const *)(const void *)field;
  return text ? text : "";
}

bool filters_any(const pprofc_report_options *options, unsigned flags) {
  for (unsigned i = 0; i < FILTER_COUNT; i++)
    if ((filter_options[i].flags & flags) && *filter_text(options, (enum filter_index)i))
      return true;
  return false;
}

const struct filter_option *filter_find(const pprofc_option_info *option) {
  for (size_t i = 0; i < FILTER_COUNT; i++)
    if (option == &filter_options[i].option) return &filter_options[i];
  return NULL;
}

void pprofc_filter_options_init(pprofc_filter_options *options) {
  *options = (pprofc_filter_options){.struct_size = sizeof *options, .unit = "minimum"};
  for (size_t i = 0; i < FILTER_COUNT; i++)
    *(const char **)(void *)((char *)options + filter_options[i].field) = "";
}

pprofc_filter_options filters_of_report(const pprofc_report_options *o) {
  pprofc_filter_options filter = {.struct_size = sizeof filter,
                                  .unit = o->unit,
                                  .warn = o->warn,
                                  .warn_context = o->warn_context};
  for (unsigned i = 0; i < FILTER_COUNT; i++)
    *(const char **)(void *)((char *)&filter + filter_options[i].field) =
        filter_text(o, (enum filter_index)i);
  return filter;
}

pprofc_report_options filters_to_report(const pprofc_filter_options *o) {
  pprofc_report_options report;
  pprofc_report_options_init(&report);
  report.unit = o->unit;
  report.warn = o->warn;
  report.warn_context = o->warn_context;
  for (size_t i = 0; i < FILTER_COUNT; i++)
    *(const char **)(void *)((char *)&report + filter_options[i].option.offset) =
        *(const char *const *)(const void *)((const char *)o + filter_options[i].field);
  return report;
}
