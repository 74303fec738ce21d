/* Command line flags by Go's rules, from one table of records. The same table makes the help
 * (help.c), the manual (manual.c) and the completion of shells (completion.c), so a name, a default
 * and an explanation are written once. */
#ifndef TOOLS_COMMON_FLAGS_H
#define TOOLS_COMMON_FLAGS_H

#include "core/error.h"
#include "core/output.h"
#include "core/str.h"

enum flag_kind {
  FLAG_BOOL,   /* bool; takes a value after = only */
  FLAG_INT,    /* int64_t, as a Go literal: 42, 0x2a, 0b101, 1_000 */
  FLAG_FLOAT,  /* double */
  FLAG_STRING, /* const char *, which points into the command line */
  FLAG_CHOICE, /* int, the place of the word in `choices` */
  FLAG_WORD,   /* const char *: one of `choices`, only accepted after "="; the flag alone is
                  the first */
  FLAG_PAIR,   /* two values, "-pair OLD NEW", each of which `call` is told in turn */
  FLAG_SET     /* int; on or off as FLAG_BOOL, and when on the field becomes `value` */
};

struct flag {
  const char *name;
  enum flag_kind kind;
  size_t offset;        /* of the field in the options, unless there is `call` */
  size_t group;         /* index of the group in the table */
  const char *argument; /* what the help calls the value: "N", "RE", "FILE" (completed as a path) */
  const char *help;     /* one line, lower case, no full stop */
  const char *initial;  /* as on the command line; NULL is false, 0, "" or the first choice */
  const char *const *choices; /* of FLAG_CHOICE and FLAG_WORD; of a FLAG_STRING, what completion
                                 offers beside anything else; ends with NULL */
  int value;                  /* of FLAG_SET */
  bool hidden;                /* understood, but in no list */
  /* Takes the value in place of the field; a FLAG_BOOL or FLAG_SET that is off is not told. Returns
   * NULL or what is wrong with the text. */
  const char *(*call)(void *options, const struct flag *flag, const char *text);
};

struct flag_group {
  const char *title;
  const char *note; /* a sentence below the title, or NULL */
};

/* Pairs for the help: an example and what it shows, an environment variable and what it does, an
 * exit status and its meaning. */
struct flag_note {
  const char *name, *text;
};

/* A command of a program that has commands, as git has them: its flags come behind its name. */
struct flag_command {
  const char *name;
  const struct flag_table *table; /* its program is "PROGRAM NAME" */
};

struct flag_table {
  const char *program;
  const char *summary;        /* what the program does, half a line */
  const char *const *usage;   /* the text after the program's name, one per form; ends with NULL */
  const char *const *details; /* paragraphs below the usage; ends with NULL, or NULL */
  const struct flag_group *groups;
  size_t group_count;
  const struct flag *flags;
  size_t flag_count;                                         /* at most FLAGS_MAX */
  const struct flag_note *examples, *environment, *statuses; /* end with name NULL, or NULL */
  /* Flags whose values depend on the files on the line, each with the flag by which completion asks
   * the program for them; ends with name NULL, or NULL. */
  const struct flag_note *asks;
  const struct flag_command *commands; /* end with name NULL, or NULL */
};

#define FLAGS_MAX 256

/* What the command line said. */
struct flags_parsed {
  int rest;             /* argv[rest] is the first argument that is no flag */
  bool help;            /* -h or -help was there; parsing stopped */
  bool seen[FLAGS_MAX]; /* by index in the table */
  const struct flag
      *nearest; /* on failure: the flag whose name is most like the unknown one, or NULL */
};

/* Gives every field its initial value. The options must be zeroed before; a wrong initial value is
 * an error of the table. */
pprofc_status flags_defaults(const struct flag_table *table, void *options, pprofc_error *error);

/* Reads argv[1], argv[2], ... up to the first argument that is no flag. A flag may come again, the
 * last one counts. Errors are worded as Go's: "flag provided but not defined: -x", "invalid value
 * \"z\" for flag -n: parse error". */
pprofc_status flags_parse(const struct flag_table *table, void *options, int argc,
                          char *const *argv, struct flags_parsed *parsed, pprofc_error *error);

/* Sets one flag from text, as from an environment variable or a settings file. */
pprofc_status flag_set(const struct flag *flag, void *options, const char *text,
                       pprofc_error *error);

/* The command of that name, or NULL. */
const struct flag_command *flags_command(const struct flag_table *table, const char *name);

/* The flag of that name, or NULL. */
const struct flag *flags_find(const struct flag_table *table, pprofc_str name);

/* The flag that a person who typed `name` most likely meant, or NULL. */
const struct flag *flags_nearest(const struct flag_table *table, pprofc_str name);

/* True when the flag wants a value. */
static inline bool flag_has_value(const struct flag *flag) {
  return flag->kind != FLAG_BOOL && flag->kind != FLAG_SET && flag->kind != FLAG_WORD;
}

/* True when only certain words are values. */
static inline bool flag_has_words(const struct flag *flag) {
  return flag->kind == FLAG_CHOICE || flag->kind == FLAG_WORD;
}

/* Whether the help should say what the initial value is. */
bool flag_shows_initial(const struct flag *flag);

/* Prints usage, flags by group, examples, environment and exit statuses; lines of at most `width`
 * cells. */
void help_print(const struct flag_table *table, struct output *out, size_t width);

/* Prints the section "Options" of the manual page, in the Markdown of docs/man. */
void manual_print_options(const struct flag_table *table, struct output *out);

/* Prints the completion script for a shell: bash, zsh or fish. */
pprofc_status completion_print(const struct flag_table *table, pprofc_str shell, struct output *out,
                               pprofc_error *error);

#endif
