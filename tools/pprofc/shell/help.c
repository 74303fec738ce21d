/* Implements the command help, from the tables of formats, options and commands. */
#include "profile/profile.h"
#include "session.h"

#define TAG_FILTERS                                                                                \
  "Use name=value syntax to limit the matching to a specific tag.\n"                               \
  "Numeric tag filter examples: 1kb, 1kb:10kb, memory=32mb:\n"                                     \
  "String tag filter examples: foo, foo.*bar, mytag=foo.*bar"
#define MATCHING_NAMES "Matching includes the function name, filename or object name."

/* Text of an option's help after the first line. The texts are the same as in pprof. */
static const struct help_more {
  const char *name, *text;
} help_options[] = {
    {"call_tree", "Treat locations reached through different paths as separate."},
    {"relative_percentages", "If unset, percentages are relative to full graph before focusing\n"
                             "to facilitate comparison with original graph."},
    {"unit", "Scale the sample values to this unit.\n"
             "For time-based profiles, use seconds, milliseconds, nanoseconds, etc.\n"
             "For memory profiles, use megabytes, kilobytes, bytes, etc.\n"
             "Using auto will scale each value independently to the most natural unit."},
    {"intel_syntax", "Only applicable to commands `disasm` and `weblist`"},
    {"noise", "noise or noise=all: every function; noise=changed: only changed functions; "
              "noise=off.\nNeeds a diff_base. For one report: top -noise=changed."},
    {"mean", "For memory profiles, report average memory per allocation.\n"
             "For time-based profiles, report average time per event."},
    {"sample_index", "Profiles contain multiple values per sample.\n"
                     "Use sample_index=i to select the ith value (starting at 0)."},
    {"divide_by", "Divide all samples values by a constant, eg the number of processors or jobs."},
    {"drop_negative", "Do not show any locations with values <0."},
    {"tagroot", "A comma-separated list of label keys.\n"
                "The first key creates frames at the new root."},
    {"tagleaf", "A comma-separated list of label keys.\n"
                "The last key creates frames at the new leaf."},
    {"nodecount", "Uses heuristics to limit the number of locations to be displayed.\n"
                  "On graphs, dotted edges represent paths through nodes that have been removed."},
    {"trim", "Set to false to get the full profile, without any trimming."},
    {"focus", "Discard samples that do not include a node matching this regexp.\n" MATCHING_NAMES},
    {"ignore",
     "If set, discard samples that include a node matching this regexp.\n" MATCHING_NAMES},
    {"prune_from", "If set, any frames matching the specified regexp and any frames\n"
                   "below it will be dropped from each sample."},
    {"hide", "Discard nodes that match this location.\n"
             "Other nodes from samples that include this location will be shown.\n" MATCHING_NAMES},
    {"show", "If set, only show nodes that match this location.\n" MATCHING_NAMES},
    {"show_from",
     "If set, all frames above the highest match are dropped from every sample.\n" MATCHING_NAMES},
    {"tagfocus", TAG_FILTERS},
    {"tagignore", TAG_FILTERS},
    {"tagshow", "Discard tags that do not match this regexp"},
    {"taghide", "Discard tags that match this regexp"},
    {"noinlines", "Attributes inlined functions to their first out-of-line caller."},
    {"sort", "cum: sort by total cost; flat: sort by self cost."},
    {"granularity", "Kind of a report's entries. granularity= goes back to functions."},
};

/* Help for the values of an option. `more` is printed below the line of the value. */
static const struct help_choice {
  const char *name, *text, *more;
} help_choices[] = {
    {"functions", "Aggregate at the function level.",
     "Ignores the filename where the function was defined."},
    {"filefunctions", "Aggregate at the function level.",
     "Takes into account the filename where the function was defined."},
    {"files", "Aggregate at the file level.", NULL},
    {"lines", "Aggregate at the source code line level.", NULL},
    {"addresses", "Aggregate at the address level.",
     "Includes functions' addresses in the output."},
    {"cum", "Sort entries based on cumulative weight", NULL},
    {"flat", "Sort entries based on own weight", NULL},
};

static void help_lines(const char *text) {
  pprofc_str rest = str_of(text), line;
  while (text && str_next_line(&rest, &line)) message_note("%.*s", STR_ARG(line));
}

#define SAMPLES     "    Include up to n samples\n"
#define FUNCTIONS   "    Include functions matching func_regex, or including the address specified.\n"
#define EXPRESSIONS "    Include samples matching focus_regex, and exclude ignore_regex."
#define SORTED      "\n    -cum sorts the output by cumulative weight"
#define SAVED       "\n    Optionally save the report on the file f"

/* Usage of each report. An entry may describe several formats, separated by blanks. */
static const struct help_usage {
  const char *formats, *words, *text;
} help_usages[] = {
    {"text top tree", " [n] [focus_regex]* [-ignore_regex]* [-cum] >f",
     SAMPLES EXPRESSIONS SORTED SAVED},
    {"callgrind dot gif pdf png ps svg", " [n] [focus_regex]* [-ignore_regex]* >f",
     SAMPLES EXPRESSIONS SAVED},
    {"eog evince gv kcachegrind web", " [n] [focus_regex]* [-ignore_regex]*", SAMPLES EXPRESSIONS},
    {"list weblist", "<func_regex|address> [-focus_regex]* [-ignore_regex]*",
     FUNCTIONS EXPRESSIONS},
    {"disasm", "<func_regex|address> [-focus_regex]* [-ignore_regex]* >f",
     FUNCTIONS EXPRESSIONS SAVED},
    {"peek", " func_regex", "    Display callers and callees of functions matching func_regex."},
    {"tags", " [tag_regex]* [-ignore_regex]* [>file]",
     "    List tags with key:value matching tag_regex and exclude ignore_regex."},
    {"flame", "[=text] [focus_regex]* [-ignore_regex]* >f",
     EXPRESSIONS "\n    flame=text draws it with characters" SAVED},
    {"flamebearer flamegraph folded json speedscope", " [focus_regex]* [-ignore_regex]*",
     EXPRESSIONS},
};

static bool help_is_of(const struct help_usage *usage, const char *format) {
  pprofc_str rest = str_of(usage->formats), word;
  while (str_next(&rest, ' ', &word))
    if (str_equal(word, str_of(format))) return true;
  return false;
}

static bool help_of_format(pprofc_str what) {
  size_t digits;
  const pprofc_format_info *info = shell_format(what, &digits);
  if (!info || digits != what.size) return false;
  message_note("%s", info->help);
  for (size_t i = 0; i < sizeof help_usages / sizeof *help_usages; i++) {
    if (!help_is_of(&help_usages[i], info->name)) continue;
    message_note("  Usage:");
    message_note("    %s%s", info->name, help_usages[i].words);
    help_lines(help_usages[i].text);
  }
  return true;
}

static bool help_of_option(const struct shell *shell, pprofc_str what) {
  const pprofc_option_info *info = shell_option_find(what);
  if (!info) return false;
  message_note("%s", info->help);
  const struct help_more *more = STR_ROW(str_of(info->name), help_options);
  if (more) help_lines(more->text);
  if (strcmp(info->name, "sample_index") != 0) return true;
  const pprofc_profile *p = shell->profile;
  struct buffer types = buffer_make(&mem_default, SIZE_MAX / 2);
  for (size_t i = 0; i < p->type_count; i++) {
    if (i) buffer_add_char(&types, ' ');
    buffer_add_str(&types, profile_type(p, i));
  }
  message_note("Or use sample_index=name, with name in [%.*s].", STR_ARG(buffer_str(&types)));
  buffer_free(&types);
  return true;
}

static bool help_of_choice(pprofc_str what) {
  const struct help_choice *choice = STR_ROW(what, help_choices);
  if (!shell_choice_find(what)) return false;
  if (choice) message_note("%s", choice->text);
  if (choice) help_lines(choice->more);
  return true;
}

static bool help_of_command(pprofc_str what) {
  const struct shell_command *command = shell_command_find(what);
  if (!command) return false;
  message_note("%s", command->help);
  help_lines(command->usage);
  return true;
}

/* Explains a shortcut: ":", or a line such as "cpu" or "mean_cpu" that contains a sample type. */
static bool help_of_shortcut(const struct shell *shell, pprofc_str what) {
  struct buffer lines = buffer_make(&mem_default, SIZE_MAX / 2);
  bool found = shell_shortcut(shell, what, &lines);
  pprofc_str rest = buffer_str(&lines), line;
  if (found) message_note("%.*s is short for:", STR_ARG(what));
  while (found && str_next_line(&rest, &line)) message_note("    %.*s", STR_ARG(line));
  buffer_free(&lines);
  return found;
}

static void help_entry(const char *name, const char *text) {
  message_note("    %-16s %s", name, text);
}

static void help_list_option(struct shell *shell, const pprofc_option_info *info) {
  (void)shell;
  if (info->kind != PPROFC_OPTION_CHOICE) help_entry(info->name, info->help);
}

static void help_list_group(const char *name) {
  const pprofc_option_info *info = shell_option_find(str_of(name));
  message_note("    %-16s ", name);
  for (size_t i = 0; info && info->choices[i]; i++) {
    const struct help_choice *choice = STR_ROW(str_of(info->choices[i]), help_choices);
    message_note("      %-16s %s", info->choices[i], choice ? choice->text : info->help);
  }
}

static void help_list(void) {
  const pprofc_format_info *format;
  const struct shell_command *command;
  message_note("  Commands:");
  for (size_t i = 0; (format = pprofc_format_at(i)); i++) help_entry(format->name, format->help);
  for (size_t i = 0; (command = shell_command_at(i)); i++)
    help_entry(command->listed, command->help);
  message_note("%s", "");
  message_note("  Options:");
  shell_each_option(NULL, help_list_option);
  message_note("%s", "");
  message_note("  Option groups (only set one per group):");
  help_list_group("granularity");
  help_list_group("sort");
  message_note("  :   Clear focus/ignore/hide/tagfocus/tagignore");
  message_note("%s", "");
  message_note("  type \"help <cmd|option>\" for more information");
}

void shell_help(struct shell *shell, pprofc_str what) {
  if (!what.size) {
    help_list();
    return;
  }
  bool found = help_of_format(what) || help_of_command(what) || help_of_option(shell, what) ||
               help_of_choice(what) || help_of_shortcut(shell, what);
  if (found)
    message_note("%s", "");
  else
    shell_fail(shell, "Unknown command: %.*s", STR_ARG(what));
}
