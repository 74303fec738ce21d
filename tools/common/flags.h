/* Parses command-line flags by Go's rules. All flags are in one table. The same table produces the
 * help and the manual (help.c) and shell completion (completion.c). */
#ifndef TOOLS_COMMON_FLAGS_H
#define TOOLS_COMMON_FLAGS_H

#include "core/error.h"
#include "core/output.h"
#include "core/str.h"

enum flag_kind {
  FLAG_BOOL,   /* type bool; a value must be given as -flag=VALUE */
  FLAG_INT,    /* type int64_t, written as in Go: 42, 0x2a, 0b101, 1_000 */
  FLAG_FLOAT,  /* type double */
  FLAG_STRING, /* type const char *: a pointer into the command line */
  FLAG_CHOICE, /* type int: index of the value in `choices` */
  /* type const char *: one of `choices`, as -flag=WORD; -flag alone means the first one */
  FLAG_WORD,
  FLAG_PAIR, /* two values, "-pair OLD NEW"; the parser calls `call` for each value */
  FLAG_SET   /* type int: a switch like FLAG_BOOL that stores `value` in the field */
};

struct flag {
  const char *name;
  enum flag_kind kind;
  size_t offset;        /* offset of the field in the options struct; unused if `call` is set */
  size_t group;         /* index of the group in the program's table of groups */
  const char *argument; /* name of the value in the help: "N", "RE", or "FILE" (a path) */
  /* explanation in the help: lower case, no full stop; lines after the first one are a list */
  const char *help;
  const char *initial; /* initial value as typed; NULL: false, 0, "" or the first choice */
  /* words of a FLAG_CHOICE or FLAG_WORD, or suggestions for a FLAG_STRING; ends with NULL */
  const char *const *choices;
  int value; /* value that a FLAG_SET stores */
  /* true if the help does not list the flag, which the parser still accepts */
  bool hidden;
  /* Function that receives the value if the flag has no field. The parser does not call it if a
   * FLAG_BOOL or FLAG_SET has the value false. Returns NULL, or the error message. */
  const char *(*call)(void *options, const struct flag *flag, const char *text);
};

struct flag_group {
  const char *title;
  const char *note; /* sentence below the title of the group, or NULL */
};

/* Two texts for the help. The first is an example, an environment variable or an exit status. The
 * second explains the first. */
struct flag_note {
  const char *name, *text;
};

/* A command of a program, such as `git log`. Flags of the command follow its name. */
struct flag_command {
  const char *name;
  const struct flag_table *table; /* the command's flags; the table's name is "PROGRAM NAME" */
};

struct flag_table {
  const char *program;
  const char *summary;        /* purpose of the program in half a line */
  const char *const *usage;   /* possible command lines, without `program`; ends with NULL */
  const char *const *details; /* paragraphs below the usage; ends with NULL; NULL: no paragraphs */
  const struct flag_group *groups;
  size_t group_count;
  const struct flag *flags;
  size_t flag_count; /* number of flags, at most FLAGS_MAX */
  /* tables of examples, environment variables and exit statuses; the last entry of a table has the
   * name NULL. A field is NULL if there is no such table. */
  const struct flag_note *examples, *environment, *statuses;
  /* Flags whose possible values depend on the files of the command line. The text of an entry is
   * the flag that makes the program print these values. The last entry has the name NULL. The field
   * is NULL if there is no such table. */
  const struct flag_note *value_flags;
  /* commands of the program; the last entry has the name NULL. The field is NULL if the program has
   * no commands. */
  const struct flag_command *commands;
};

#define FLAGS_MAX 256

/* Entries of a flag table. The file that contains the table must define FIELD(member), which gives
 * the offset of a field. */
#define FLAG(kind, group, name, member, argument, initial, help)                                   \
  { name, FLAG_##kind, FIELD(member), group, argument, help, initial, NULL, 0, false, NULL }
#define SWITCH(group, name, member, help)                                                          \
  { name, FLAG_BOOL, FIELD(member), group, NULL, help, NULL, NULL, 0, false, NULL }
#define FLAG_WORDS(kind, group, name, member, argument, initial, words, help)                      \
  { name, FLAG_##kind, FIELD(member), group, argument, help, initial, words, 0, false, NULL }
#define FLAG_CALLS(kind, group, offset, name, argument, call, help)                                \
  { name, FLAG_##kind, offset, group, argument, help, NULL, NULL, 0, false, call }

/* Sets the fields of a flag table. Each value is a variable that has the name of its field. */
#define FLAG_TABLE(name, what)                                                                     \
  .program = (name), .summary = (what), .usage = usage, .details = details, .groups = groups,      \
  .group_count = sizeof groups / sizeof *groups, .flags = flags,                                   \
  .flag_count = sizeof flags / sizeof *flags, .statuses = statuses

struct flags_parsed {
  int rest;             /* index of the first argument that is not a flag */
  bool help;            /* true if -h or -help was given; the parser stops there */
  bool seen[FLAGS_MAX]; /* for each flag, true if the command line has it */
};

/* Sets the fields of the options to the initial values of their flags. The fields must be zero
 * before. Fails if an initial value is invalid. */
pprofc_status flags_defaults(const struct flag_table *table, void *options, pprofc_error *error);

/* If argv[1] is "help" or "version", replaces it by the flag with that name. Keeps argv[1] if a
 * file with that name exists. */
void flags_accept_words(int argc, char **argv);

/* Parses the arguments up to the first that is not a flag. The last value of a flag counts. Errors
 * are Go's: "flag provided but not defined: -x", "invalid value \"z\" for flag -n: parse error".
 * The error about an unknown flag ends with words to type instead. */
pprofc_status flags_parse(const struct flag_table *table, void *options, int argc,
                          char *const *argv, struct flags_parsed *parsed, pprofc_error *error);

/* Checks the arguments after the flags, which name inputs. Fails if one is empty, looks like a
 * flag, or is a command of another program, unless it names a file. `noun` is "source" or "input".
 */
pprofc_status flags_check_inputs(const struct flag_table *table, const char *const *inputs,
                                 size_t count, const char *noun, pprofc_error *error);

/* Sets a flag from a text, such as the value of an environment variable or of a settings file. */
pprofc_status flag_set(const struct flag *flag, void *options, const char *text,
                       pprofc_error *error);

const struct flag_command *flags_command(const struct flag_table *table, const char *name);

/* Returns the flag named `name`, or NULL. '-' and '_' in a name are equal. */
const struct flag *flags_find(const struct flag_table *table, pprofc_str name);

/* Returns the flag whose name is most similar to `name`, or NULL. */
const struct flag *flags_nearest(const struct flag_table *table, pprofc_str name);

const char *flags_nearest_command(const struct flag_table *table, pprofc_str name);

static inline bool flag_has_value(const struct flag *flag) {
  return flag->kind != FLAG_BOOL && flag->kind != FLAG_SET && flag->kind != FLAG_WORD;
}

static inline bool flag_has_words(const struct flag *flag) {
  return flag->kind == FLAG_CHOICE || flag->kind == FLAG_WORD;
}

bool flag_shows_initial(const struct flag *flag);

#define FILL_MIN 40
#define FILL_MAX 110 /* maximum length of a line in columns; longer lines are hard to read */

/* Wraps text into lines. */
struct filler {
  struct output *out;
  size_t width, indent;
  size_t at; /* number of columns that the current line already has */
};

void fill_new_line(struct filler *filler);

/* Adds words. Breaks lines where necessary, and at each line break of the text. */
void fill(struct filler *filler, const char *text);

/* Returns `width` limited to the range FILL_MIN to FILL_MAX. */
size_t fill_width(size_t width);

/* Prints usage, flags, examples, environment and exit statuses in lines of `width` columns. */
void help_print(const struct flag_table *table, struct output *out, size_t width);

void manual_print_options(const struct flag_table *table, struct output *out);

pprofc_status completion_print(const struct flag_table *table, pprofc_str shell, struct output *out,
                               pprofc_error *error);

#endif
