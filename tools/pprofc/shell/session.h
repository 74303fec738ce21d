/* Declares the state of a shell session, and the interface of each file of the shell. */
#ifndef PPROFC_SHELL_SESSION_H
#define PPROFC_SHELL_SESSION_H

#include "core/array.h"
#include "core/buffer.h"
#include "noise/runs.h"
#include "options.h"
#include "viewer.h"

#include <signal.h>
#include <sys/types.h>

#define SHELL_OPTIONS 64
#define SHELL_INPUTS  16                /* maximum nesting of `source` files */
#define SHELL_LINE    ((size_t)1 << 20) /* maximum size of a line in bytes */

/* A source of lines: standard input or a file of `source`. */
struct shell_input {
  int fd;
  char *name; /* name of the file; NULL for standard input */
  size_t line;
  char *data;    /* bytes read and not yet used */
  bool terminal; /* true if ^C ends the wait for a line */
  size_t at, size;
};

/* A running viewer and the file that it shows. */
struct shell_viewer {
  char path[4096];
  const char *program;
  pid_t pid; /* process id of the viewer; 0 after it ended */
};

/* Base that the commands `base` and `diff_base` choose. */
struct shell_base {
  char *source; /* source of the base; NULL before a base is chosen */
  bool compare; /* true for diff_base, false for base */
  bool on;
  bool chosen; /* true if the shell chose the base, false if the command line did */
};

struct shell {
  struct command command; /* options of the command line; `report` and `output` are the current
                             options */
  struct command_flags flags;
  char *texts[SHELL_OPTIONS]; /* options that the shell set, by index */

  pprofc_profile *profile; /* profile of the reports */
  pprofc_profile *head;    /* profile without a base; NULL if not known */
  pprofc_profile *difference;
  struct shell_base base;
  struct loaded_runs runs; /* runs that verdicts compare */
  bool runs_loaded;

  struct shell_input inputs[SHELL_INPUTS];
  size_t input_count;
  struct editor *editor; /* line editor; NULL without an editor */
  bool terminal;         /* true on a terminal */
  bool pager;

  struct shell_viewer *viewers;
  size_t viewer_count, viewer_capacity;
  int64_t viewer_started; /* time at which the newest viewer started, in milliseconds */

  bool leave;
  bool failed; /* true if the command of the current line failed */
};

/* ---- messages ---------------------------------------- */

/* Prints the error of the line and counts the line as failed. */
void shell_fail(struct shell *shell, const char *format, ...) PPROFC_PRINTF(2, 3);

/* Prints a library error for the line and counts it as failed. */
void shell_fail_error(struct shell *shell, pprofc_error *error);

/* ---- lines (lines.c) --------------------------------- */

struct shell_words {
  pprofc_str *items; /* words of a line, each ended by a NUL */
  size_t count, capacity;
};

/* Runs one line. */
void shell_execute(struct shell *shell, pprofc_str line);

/* Removes white space at both ends, by Go's definition. */
pprofc_str shell_trim(pprofc_str text);

/* Splits at white space; false when out of memory. */
bool shell_split(pprofc_str text, struct arena *arena, struct shell_words *words);

/* Expands a shortcut (":", "cpu", "mean_cpu") to lines with newlines between them; false if
 * the line is not a shortcut. */
bool shell_shortcut(const struct shell *shell, pprofc_str line, struct buffer *out);

/* Returns the format of a word such as top10, or NULL; *digits is the start of its number. */
const pprofc_format_info *shell_format(pprofc_str word, size_t *digits);

/* ---- options (variables.c) --------------------------- */

/* Returns the option with that index; `output` follows the report options. NULL after the last. */
const pprofc_option_info *shell_option_at(size_t index);
const pprofc_option_info *shell_option_find(pprofc_str name);

/* Returns the option with this choice ("cum", "lines"), or NULL. */
const pprofc_option_info *shell_choice_find(pprofc_str name);

/* True if a line may consist of the option's name alone. */
bool shell_option_stands_alone(const pprofc_option_info *info);

/* Sets an option, as the line `name=value` does. */
void shell_set(struct shell *shell, const pprofc_option_info *info, pprofc_str value);

/* Sets the option of a choice, as the line `name=value` does. */
void shell_choose(struct shell *shell, pprofc_str name, pprofc_str value);

/* Prints the options and their values. */
void shell_print_options(const struct shell *shell);

/* Warns of command line options that no report can use. */
void shell_check_options(struct shell *shell);

void shell_free_options(struct shell *shell);

/* ---- commands (commands.c, reports.c, bases.c) ------- */

struct shell_command {
  const char *name, *alias, *also; /* names of the command, ended by NULL */
  const char *listed;              /* name in the list of help */
  const char *help;                /* explanation in the list of commands, one line */
  const char *usage;               /* more lines for `help NAME`, or NULL */
  bool takes_file;                 /* true if the first word after the command is a file name */
  void (*run)(struct shell *shell, const struct shell_words *words);
};

/* Returns the command with that index; NULL after the last. */
const struct shell_command *shell_command_at(size_t index);
const struct shell_command *shell_command_find(pprofc_str name);

/* Makes a report from the format and the words after its name. */
void shell_report(struct shell *shell, const pprofc_format_info *format, const char *variant,
                  const struct shell_words *words, size_t first);

/* Runs the commands base and diff_base. */
void shell_set_base(struct shell *shell, const struct shell_words *words);

void shell_help(struct shell *shell, pprofc_str what);

/* ---- where a report goes (output.c) ------- */

enum shell_output_kind {
  OUTPUT_STANDARD,
  OUTPUT_FILE,
  OUTPUT_APPEND,
  OUTPUT_NUMBERED, /* write to a new numbered file: profile001.svg */
  OUTPUT_PROGRAM,  /* pipe to a program: | argv */
  OUTPUT_VIEWER
};

struct shell_target {
  enum shell_output_kind kind;
  const char *path;  /* path of the file for OUTPUT_FILE and OUTPUT_APPEND */
  const char **argv; /* words of the program for OUTPUT_PROGRAM */
};

/* Makes the report of `run` and sends it to the target. */
pprofc_status shell_output(struct shell *shell, const struct command *run,
                           const struct shell_target *target, pprofc_error *error);

/* ---- verdicts (verdicts.c) --------------------------- */

/* Parses "all", "changed", "rows" or "off"; prints a message and returns false for others. */
bool shell_choose_noise(struct shell *shell, pprofc_str value, struct command *command);

/* True if the option noise changes the report. */
bool shell_wants_verdicts(const struct command *run);

/* Judges the runs and sends the report to the target. */
pprofc_status shell_output_verdicts(struct shell *shell, struct command *run,
                                    const struct shell_target *target, pprofc_error *error);

/* Drops the runs after the base changed. */
void shell_forget_runs(struct shell *shell);

/* ---- viewers ----------------------------------------- */

/* Marks the viewers that have ended, and reports failed ones. */
void shell_reap_viewers(struct shell *shell);

/* Removes the files of viewers. The newest viewer gets a second to open its file. */
void shell_end_viewers(struct shell *shell);

/* ---- ^C ---------------------------------------------- */

/* Gives ^C to the pager between its start and its end: a second ^C does not end the shell. */
void shell_set_paging(bool on);

enum shell_wait { SHELL_WAIT_READY, SHELL_WAIT_SIGNAL, SHELL_WAIT_INTERRUPTED };

/* Waits for terminal input, ^C, or another handled signal. */
enum shell_wait shell_wait_input(int fd);

/* ---- lines from outside (inputs.c, editor.c) --------- */

enum shell_line { SHELL_LINE_READ, SHELL_LINE_NONE, SHELL_LINE_INTERRUPTED };

/* Reads the next line without its end; SHELL_LINE_NONE at the end. */
enum shell_line shell_next_line(struct shell *shell, struct buffer *line);

/* Starts to read lines from a file. */
void shell_source(struct shell *shell, const char *path);

/* Closes the files that `source` opened. */
void shell_leave_sources(struct shell *shell);
void shell_close_inputs(struct shell *shell);

/* Reads the next line of a file descriptor. */
enum shell_line input_read(struct shell *shell, struct shell_input *input, struct buffer *line);

void input_close(struct shell_input *input);

struct editor *editor_open(struct shell *shell);
enum shell_line editor_read(struct editor *editor, struct buffer *line);
void editor_close(struct editor *editor);

/* ---- history and completion (history.c, complete.c) -- */

#define HISTORY_LINES 1000

struct shell_history;

/* Reads the lines of earlier runs, oldest first; NULL if no folder can hold them. */
struct shell_history *history_open(void);
const char *history_line(const struct shell_history *history, size_t index); /* Returns a line; NULL
                                                                                after the last. */
void history_add(struct shell_history *history, pprofc_str line);
void history_close(struct shell_history *history);

/* Candidates of a completion: the words that the word at the cursor may become. */
struct completions {
  struct arena arena;
  pprofc_str *items;
  size_t count, capacity;
  size_t from;   /* offset of the word in the line */
  size_t hidden; /* number of candidates that did not fit */
};

void completions_find(const struct shell *shell, pprofc_str line, struct completions *out);
void completions_free(struct completions *completions);

/* Returns the longest common prefix of the candidates. */
pprofc_str completions_common(const struct completions *completions);

#endif
