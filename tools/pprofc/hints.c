/* Adds hints about common mistakes to error messages. Examples: a web page instead of a profile, a
 * file name as a regular expression. */
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
