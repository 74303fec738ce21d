/* Parses command-line flags by Go's rules, from one table. The same table produces the help
 * (help.c), the manual (manual.c) and shell completion (completion.c). */
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
  FLAG_WORD,   /* type const char *: one of `choices`, given as -flag=WORD; -flag without a value is
                  the first choice */
  FLAG_PAIR,   /* two values, "-pair OLD NEW"; the parser calls `call` for each value */
  FLAG_SET     /* type int: a switch like FLAG_BOOL; if the switch is on, the parser stores `value`
                  in the field */
};

struct flag {
  const char *name;
  enum flag_kind kind;
  size_t offset;        /* offset of the field in the options struct; unused with `call` */
  size_t group;         /* index of the group in the table */
  const char *argument; /* placeholder for the value in the help: "N", "RE", "FILE" (completed as a
                           path) */
  const char *help;     /* explanation in the help: one line, lower case, no full stop */
  const char
      *initial; /* initial value as on the command line; NULL: false, 0, "" or the first choice */
  const char *const *choices; /* words of a FLAG_CHOICE or FLAG_WORD; for a FLAG_STRING, suggestions
                                 for completion; NULL ends the array */
  int value;                  /* value of a FLAG_SET */
  bool hidden;                /* true for a flag that the parser accepts, but the help does not
                                 list */
  /* Receives the value if the flag has no field. The parser does not call it for a FLAG_BOOL or
   * FLAG_SET with the value false. Returns NULL, or the error message. */
  const char *(*call)(void *options, const struct flag *flag, const char *text);
};

struct flag_group {
  const char *title;
  const char *note; /* sentence below the title of the group, or NULL */
};

/* Two texts for the help: an example, an environment variable or an exit status; and its
 * explanation. */
struct flag_note {
  const char *name, *text;
};

/* A command of a program, such as `git log`. The flags of the command follow its name. */
struct flag_command {
  const char *name;
  const struct flag_table *table; /* flags of the command; the table's program is "PROGRAM NAME" */
};

struct flag_table {
  const char *program;
  const char *summary;        /* purpose of the program in half a line */
  const char *const *usage;   /* syntax after the program's name, one text per form of the command;
                                 NULL ends the array */
  const char *const *details; /* paragraphs below the usage; NULL ends the array; NULL: no
                                 paragraphs */
  const struct flag_group *groups;
  size_t group_count;
  const struct flag *flags;
  size_t flag_count; /* number of flags, at most FLAGS_MAX */
  /* Tables of examples, environment variables and exit statuses; NULL: no table. An entry with the
   * name NULL ends each table. */
  const struct flag_note *examples, *environment, *statuses;
  /* Flags whose possible values depend on the files of the command line. The text of each entry is
   * the flag that makes the program print the values. An entry with the name NULL ends the table;
   * NULL: no table. */
  const struct flag_note *value_flags;
  const struct flag_command *commands; /* commands of the program; an entry with the name NULL ends
                                          the array; NULL: no commands */
};

#define FLAGS_MAX 256

/* Entries of a flag table. The file with the table must define FIELD(member), the offset of a
 * field. */
#define FLAG(kind, group, name, member, argument, initial, help)                                   \
  { name, FLAG_##kind, FIELD(member), group, argument, help, initial, NULL, 0, false, NULL }
#define SWITCH(group, name, member, help)                                                          \
  { name, FLAG_BOOL, FIELD(member), group, NULL, help, NULL, NULL, 0, false, NULL }
#define FLAG_WORDS(kind, group, name, member, argument, initial, words, help)                      \
  { name, FLAG_##kind, FIELD(member), group, argument, help, initial, words, 0, false, NULL }
#define FLAG_CALLS(kind, group, offset, name, argument, call, help)                                \
  { name, FLAG_##kind, offset, group, argument, help, NULL, NULL, 0, false, call }

/* Sets the members of a flag table. Uses variables whose names are the names of the members. */
#define FLAG_TABLE(name, what)                                                                     \
  .program = (name), .summary = (what), .usage = usage, .details = details, .groups = groups,      \
  .group_count = sizeof groups / sizeof *groups, .flags = flags,                                   \
  .flag_count = sizeof flags / sizeof *flags, .statuses = statuses

/* Result of parsing a command line. */
struct flags_parsed {
  int rest;                   /* index of the first argument that is not a flag */
  bool help;                  /* true if -h or -help was given; parsing stopped there */
  bool seen[FLAGS_MAX];       /* for each flag of the table, true if the command line contains it */
  const struct flag *nearest; /* after an unknown flag: the most similar flag, or NULL */
};

/* Sets every field to its initial value. The caller must zero the options first. Returns an error
 * if the table has an invalid initial value. */
pprofc_status flags_defaults(const struct flag_table *table, void *options, pprofc_error *error);

/* Replaces the first argument "help" or "version" by the flag, unless a file with that name
 * exists. */
void flags_accept_words(int argc, char **argv);

/* Parses argv[1], argv[2], ... up to the first argument that is not a flag. If a flag is repeated,
 * the last value counts. Errors have Go's text: "flag provided but not defined: -x", "invalid value
 * \"z\" for flag -n: parse error". */
pprofc_status flags_parse(const struct flag_table *table, void *options, int argc,
                          char *const *argv, struct flags_parsed *parsed, pprofc_error *error);

/* Sets one flag from a text, which may come from an environment variable or a settings file. */
pprofc_status flag_set(const struct flag *flag, void *options, const char *text,
                       pprofc_error *error);

/* Returns the command of that name, or NULL. */
const struct flag_command *flags_command(const struct flag_table *table, const char *name);

/* Returns the flag of that name, or NULL. '-' and '_' in a name are equal. */
const struct flag *flags_find(const struct flag_table *table, pprofc_str name);

/* Returns the flag whose name is most similar to `name`, or NULL. */
const struct flag *flags_nearest(const struct flag_table *table, pprofc_str name);

/* Returns the name of the command most similar to `name`, or NULL. */
const char *flags_nearest_command(const struct flag_table *table, pprofc_str name);

/* True if the flag has a value. */
static inline bool flag_has_value(const struct flag *flag) {
  return flag->kind != FLAG_BOOL && flag->kind != FLAG_SET && flag->kind != FLAG_WORD;
}

/* True if the flag accepts only certain words. */
static inline bool flag_has_words(const struct flag *flag) {
  return flag->kind == FLAG_CHOICE || flag->kind == FLAG_WORD;
}

/* True if the help should show the initial value. */
bool flag_shows_initial(const struct flag *flag);

/* Prints usage, flags by group, examples, environment and exit statuses. Lines have at most `width`
 * terminal columns. */
void help_print(const struct flag_table *table, struct output *out, size_t width);

/* Prints the section "Options" of the manual page, in the Markdown of docs/man. */
void manual_print_options(const struct flag_table *table, struct output *out);

/* Prints the completion script for a shell: bash, zsh or fish. */
pprofc_status completion_print(const struct flag_table *table, pprofc_str shell, struct output *out,
                               pprofc_error *error);

#endif
