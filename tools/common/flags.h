/* Parses command-line flags by Go's rules. All flags are in one table. The same table produces
 * the help and the manual (help.c), the completion (completion.c), and the output of common
 * flags (about.c). */
#ifndef TOOLS_COMMON_FLAGS_H
#define TOOLS_COMMON_FLAGS_H

#include "common/base.h"
#include "core/brief.h"

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
  const struct flag_table *table; /* flags; table->program is a text such as "pprofci trend" */
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

/* Sets the fields of a flag table. Most values are variables with the field's name. */
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

/* Replaces argv[1] by the flag with the same name if it is "help" or "version". Keeps argv[1] if a
 * file with that name exists. */
void flags_accept_words(int argc, char **argv);

/* Parses the arguments up to the first that is not a flag. If a flag is given several times, its
 * last value counts. Errors are Go's: "flag provided but not defined: -x", "invalid value \"z\" for
 * flag -n: parse error". The error about an unknown flag ends with words to type instead. */
pprofc_status flags_parse(const struct flag_table *table, void *options, int argc,
                          char *const *argv, struct flags_parsed *parsed, pprofc_error *error);

/* Checks the inputs, which follow the flags. Fails if an input is empty, or if it is missing and
 * looks like a flag or a command of another program. `noun` is "source" or "input". */
pprofc_status flags_check_inputs(const struct flag_table *table, const char *const *inputs,
                                 size_t count, const char *noun, pprofc_error *error);

/* Sets a flag from a text, such as the value of an environment variable or of a settings file. */
pprofc_status flag_set(const struct flag *flag, void *options, const char *text,
                       pprofc_error *error);

const struct flag_command *flags_command(const struct flag_table *table, const char *name);

/* Returns the length of the flag `name` with its dashes at the start of the argument, or 0. '-' and
 * '_' in a name are equal. */
size_t flags_prefix(const char *argument, const char *name);

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

/* Adds words. Breaks lines where necessary, and at each line break of the text. */
void fill(struct filler *filler, const char *text);

/* Returns `width` limited to the range FILL_MIN to FILL_MAX. */
size_t fill_width(size_t width);

/* Prints usage, flags, examples, environment and exit statuses in lines of `width` columns. */
void help_print(const struct flag_table *table, struct output *out, size_t width);

void manual_print_options(const struct flag_table *table, struct output *out);

pprofc_status completion_print(const struct flag_table *table, pprofc_str shell, struct output *out,
                               pprofc_error *error);

/* ---- help and version ----------------------------- */

/* Standard output, and the errno of its first failed write. */
struct about_output {
  struct output out;
  int failed; /* errno of the first failed write, or 0 */
};

void about_begin(struct about_output *about);

/* Flushes the output. Returns PPROFC_E_IO if any write to standard output failed. */
pprofc_status about_end(struct about_output *about, pprofc_error *error);

/* Options of a program that print a text about the program. */
struct about {
  const char *completion; /* shell whose completion script is printed, or "" */
  bool manual, version;
};

/* The flags of `struct about`, which is the field `about` of the options. */
#define ABOUT_FLAGS(group)                                                                         \
  FLAG(STRING, group, "completion", about.completion, "SHELL", NULL,                               \
       "Print a completion script for bash, zsh or fish"),                                         \
      SWITCH(group, "version", about.version, "Print the version"), {                              \
    "manual", FLAG_BOOL, FIELD(about.manual), group, NULL, "", NULL, NULL, 0, true, NULL           \
  }

/* Prints the help, completion script, options of the manual page, or version, if the flags request
 * one of them. Sets *status. Returns false if the flags request nothing. `about` may be NULL if
 * `help` is true. */
bool about_print(const struct flag_table *table, bool help, const struct about *about,
                 pprofc_status *status, pprofc_error *error);

/* ---- -budget -------------------------------------- */

/* The flag -budget, which sets the field `brief_bytes` of the options. */
#define BRIEF_FLAG(group, help)                                                                    \
  {                                                                                                \
    "budget", FLAG_STRING, FIELD(brief_bytes), group, "BYTES", help, "0", NULL, 0, false,          \
        brief_store                                                                                \
  }

/* Parses the flag's value into the uint64_t at `options`. Returns NULL or an error message. */
const char *brief_store(void *options, const struct flag *flag, const char *text);

#define BRIEF_COMMAND 128

/* Formats this command line with -budget set to four times `bytes`. The result is "" if an argument
 * needs quotes or the text is too long. */
void brief_command(int argc, char *const *argv, uint64_t bytes, char out[BRIEF_COMMAND]);

typedef pprofc_status (*brief_render_fn)(const void *context, pprofc_write_fn write, void *to,
                                         pprofc_error *error);

/* Writes a report of at most `bytes` bytes; 0: the whole report. `kind` gives the type of the
 * report and its options. `more` is a command for a longer report, or "". */
pprofc_status brief_report(const struct brief *kind, uint64_t bytes, const char *more,
                           brief_render_fn render, const void *context, pprofc_write_fn write,
                           void *to, pprofc_error *error);

/* ---- flags of other programs ---------------------- */

/* Returns the words to type instead of `argument`, such as "-output=FILE" for "-o". Returns NULL if
 * no known program has this flag or command. */
const char *elsewhere_find(const char *program, const char *argument);

/* Appends the words from elsewhere_find, if any, to the error: " (type -output=FILE)". */
bool elsewhere_add(const char *program, const char *argument, pprofc_error *error);

#endif
