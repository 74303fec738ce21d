/* Adds hints about common mistakes to error messages. Examples: a web page instead of a profile, a
 * file name as a regular expression, profiles with different sample types. */
#include "options.h"

#include "profile/profile.h"

/* True for a folder that Apple's Instruments wrote (.trace). */
static bool hints_is_trace(const char *path) {
  pprofc_str name = str_of(path);
  while (name.size > 1 && name.data[name.size - 1] == '/') name.size--;
  return str_ends(name, STR(".trace"));
}

/* Adds advice if the source is a folder, which most reports do not accept. */
static void hints_folder(const char *path, pprofc_error *error) {
  const char *slash = str_ends(str_of(path), STR("/")) ? "" : "/";
  if (hints_is_trace(path))
    error_hint(error,
               "this is a trace of Instruments; select all rows of its call tree and save the "
               "clipboard after Edit, Deep Copy");
  else
    error_hint(error, "pass its files: %s%s* adds them up; -noise takes folders of runs", path,
               slash);
}

void hint_source(const char *path, pprofc_error *error) {
  struct stat info;
  if (strcmp(path, "-") == 0) {
    if (strstr(error->message, "empty input"))
      error_hint(error, "standard input is empty; the program before the | may have failed");
    return;
  }
  if (stat(path, &info) != 0) return;
  if (S_ISDIR(info.st_mode))
    hints_folder(path, error);
  else if (access(path, R_OK) != 0 && errno == EACCES)
    error_hint(error, "its owner can allow it: chmod a+r %s", path);
  else if (strstr(error->message, "empty input file"))
    error_hint(error, "the profiled program must stop profiling before it exits");
  else if (strstr(error->message, "truncated gzip stream"))
    error_hint(error, "it is incomplete; copy it again");
}

/* Writes a list of sample types: "samples, cpu", or "a, b and 7 more". */
static void hints_list_types(const pprofc_profile *p, char *out, size_t size) {
  size_t at = 0, most = size - 24; /* bytes for the names; 24 bytes are for " and N more" */
  out[0] = '\0';
  for (size_t i = 0; i < p->type_count; i++) {
    pprofc_str type = profile_string(p, p->types[i].type);
    if (at + type.size + 2 > most) {
      snprintf(out + at, size - at, "%s%zu more", i ? " and " : "", p->type_count - i);
      return;
    }
    at += (size_t)snprintf(out + at, size - at, "%s%.*s", i ? ", " : "", STR_ARG(type));
  }
}

static bool hints_share_type(const pprofc_profile *one, const pprofc_profile *other) {
  for (size_t i = 0; i < one->type_count; i++)
    for (size_t k = 0; k < other->type_count; k++)
      if (str_equal(profile_string(one, one->types[i].type),
                    profile_string(other, other->types[k].type)))
        return true;
  return false;
}

/* Adds the period type, because two profiles with the same sample types may still have different
 * period types. */
static void hints_add_period(const pprofc_profile *p, char *out, size_t size) {
  size_t at = strlen(out);
  pprofc_str type = profile_string(p, p->period_type.type);
  if (type.size)
    snprintf(out + at, size - at, ", sampled by %.*s", STR_ARG(str_slice(type, 0, 30)));
  else
    snprintf(out + at, size - at, ", sampled by an unknown event");
}

void hint_types(const char *first, const pprofc_profile *one, const char *second,
                const pprofc_profile *other, char text[HINT_MAX]) {
  char types[2][160];
  hints_list_types(one, types[0], 120);
  hints_list_types(other, types[1], 120);
  bool same_period = str_equal(profile_string(one, one->period_type.type),
                               profile_string(other, other->period_type.type));
  if (!same_period && hints_share_type(one, other)) {
    hints_add_period(one, types[0], sizeof types[0]);
    hints_add_period(other, types[1], sizeof types[1]);
  }
  snprintf(text, HINT_MAX, "%.150s has %s; %.150s has %s; both must be profiles of one kind", first,
           types[0], second, types[1]);
}

void hint_types_add(const char *text, pprofc_error *error) {
  bool differ = strstr(error->message, "empty common sample type list") ||
                strstr(error->message, "incompatible types: ");
  if (differ) error_hint(error, "%s", text);
}

static const struct flag *hints_flag_of(const struct command_flags *flags, const char *word) {
  if (word[0] != '-' || strchr(word, '=')) return NULL;
  const struct flag *flag = flags_find(&flags->table, str_of(word + 1 + (word[1] == '-')));
  return flag && flag_has_value(flag) ? flag : NULL;
}

static const char *example_of(const struct flag *flag) {
  if (flag->kind == FLAG_CHOICE) return flag->choices[0];
  if (flag->kind == FLAG_INT || flag->kind == FLAG_FLOAT) return "10";
  bool is_expression = flag->argument &&
                       (strcmp(flag->argument, "regexp") == 0 || strcmp(flag->argument, "RE") == 0);
  return is_expression ? "main" : flag->argument;
}

void hint_argument(const struct command_flags *flags, int argc, char *const *argv,
                   pprofc_error *error) {
  const struct flag *last = argc > 1 ? hints_flag_of(flags, argv[argc - 1]) : NULL;
  if (last) {
    error_hint(error, "as in pprofc %s-%s=%s cpu.pb.gz", last->group ? "-top " : "", last->name,
               example_of(last));
    return;
  }
  const struct flag *before = argc > 2 ? hints_flag_of(flags, argv[argc - 2]) : NULL;
  if (before && access(argv[argc - 1], F_OK) == 0)
    error_hint(error, "%s was taken as the value of -%s, as in -%s=%s %s", argv[argc - 1],
               before->name, before->name, example_of(before), argv[argc - 1]);
}
