/* Declares the state of a shell session, and the functions shared by the files of the shell. */
#ifndef PPROFC_SHELL_SESSION_H
#define PPROFC_SHELL_SESSION_H

#include "destination.h"
#include "noise/noise.h"

#include <signal.h>

#define SHELL_OPTIONS 64
#define SHELL_INPUTS  16                /* maximum nesting of `source` files */
#define SHELL_LINE    ((size_t)1 << 20) /* maximum size of a line in bytes */

/* An input: standard input or a file given to `source`. */
struct shell_input {
  int fd;
  char *name; /* name of the file; NULL for standard input */
  size_t line;
  char *data;    /* bytes read but not yet split into lines */
  bool terminal; /* true for a terminal, where ^C interrupts the wait for a line */
  size_t at, size;
};

struct shell_viewer {
  char path[4096];
  const char *program;
  pid_t pid; /* process id of the viewer; 0 after its end */
};

/* The base that the user set with the command `base` or `diff_base`. */
struct shell_base {
  char *source; /* file or URL of the base; NULL if the user has set no base */
  bool compare; /* true for diff_base, false for base */
  bool on;
  bool chosen; /* true if the user set the base in the shell, not on the command line */
};

struct shell {
  struct command command; /* command line; the shell changes its fields `report` and `output` */
  struct command_flags flags;
  char *texts[SHELL_OPTIONS]; /* for each option, the value that the user set in the shell */

  pprofc_profile *profile; /* profile for reports: the head or the difference */
  /* Profile of the sources, before the shell subtracts a base. NULL until the shell has read it. */
  pprofc_profile *head;
  pprofc_profile *difference;
  struct shell_base base;
  /* runs from which the shell computes verdicts while the option noise is set */
  struct loaded_runs runs;
  bool runs_loaded;

  struct shell_input inputs[SHELL_INPUTS];
  size_t input_count;
  struct editor *editor; /* line editor, or NULL */
  bool terminal;         /* true if standard input is a terminal */
  bool pager;

  struct shell_viewer *viewers;
  size_t viewer_count, viewer_capacity;
  int64_t viewer_started; /* start time of the newest viewer, as a value of system_milliseconds */

  bool leave;
  bool failed; /* true if the command of the current line failed */
};

/* ---- messages ---------------------------------------- */

/* Prints an error, and sets `failed`. If the line comes from a file of the command `source`, the
 * error begins with file name and line number. */
void shell_fail(struct shell *shell, const char *format, ...) PPROFC_PRINTF(2, 3);

void shell_fail_error(struct shell *shell, pprofc_error *error);

/* ---- lines (lines.c) --------------------------------- */

struct shell_words {
  pprofc_str *items; /* words of a line; each word ends with a NUL */
  size_t count, capacity;
};

void shell_execute(struct shell *shell, pprofc_str line);

/* Removes white space from both ends of a text. White space is the same as in Go. */
pprofc_str shell_trim(pprofc_str text);

/* Splits text at white space. Returns false when out of memory. */
bool shell_split(pprofc_str text, struct arena *arena, struct shell_words *words);

/* Expands a shortcut (":", "cpu", "mean_cpu") to lines that end with newlines. Returns false if the
 * line is not a shortcut. */
bool shell_shortcut(const struct shell *shell, pprofc_str line, struct buffer *out);

/* Returns the format that a word such as "top10" names, or NULL. Sets *digits to the index at which
 * the number begins. */
const pprofc_format_info *shell_format(pprofc_str word, size_t *digits);

/* ---- options (variables.c) --------------------------- */

/* shell_option_at finds an option by its index, shell_option_find by its name. Both return NULL if
 * the option does not exist. The option `output` comes after the report options. */
const pprofc_option_info *shell_option_at(size_t index);
const pprofc_option_info *shell_option_find(pprofc_str name);

/* Returns the option that has the value `name` ("cum", "lines"), or NULL. */
const pprofc_option_info *shell_choice_find(pprofc_str name);

bool shell_option_stands_alone(const pprofc_option_info *info);

void shell_set(struct shell *shell, const pprofc_option_info *info, pprofc_str value);

/* Sets an option to the value `name`. For "cum", the option is sort. `truth` is the text after '='
 * in a line such as "cum=true". Fails unless `truth` means true. */
void shell_choose(struct shell *shell, pprofc_str name, pprofc_str truth);

/* Calls `print` for each option, sorted by name. */
void shell_each_option(struct shell *shell,
                       void (*print)(struct shell *shell, const pprofc_option_info *info));

void shell_print_options(struct shell *shell, const struct shell_words *words);

/* Prints a warning for each option of the command line that would make every report fail. */
void shell_check_options(struct shell *shell);

void shell_free_options(struct shell *shell);

/* ---- commands (commands.c, reports.c, bases.c) ------- */

struct shell_command {
  /* name of the command, and two other names for it; NULL if absent */
  const char *name, *alias, *also;
  const char *listed; /* name in the list of commands */
  const char *help;   /* one line of explanation in the list of commands */
  const char *usage;  /* further lines for `help NAME`, or NULL */
  bool takes_file;    /* true if the first argument is a file name */
  void (*run)(struct shell *shell, const struct shell_words *words);
};

/* These functions find a command by its index or its name, or return NULL. */
const struct shell_command *shell_command_at(size_t index);
const struct shell_command *shell_command_find(pprofc_str name);

void shell_report(struct shell *shell, const pprofc_format_info *format, const char *variant,
                  const struct shell_words *words, size_t first);

void shell_set_base(struct shell *shell, const struct shell_words *words);

void shell_help(struct shell *shell, pprofc_str what);

/* ---- target of a report (output.c) ------- */

enum shell_output_kind {
  OUTPUT_STANDARD,
  OUTPUT_FILE,
  OUTPUT_APPEND,
  OUTPUT_NUMBERED, /* write to a new file whose name has a number: profile001.svg */
  OUTPUT_PROGRAM,  /* write to the program `argv` */
  OUTPUT_VIEWER
};

struct shell_target {
  enum shell_output_kind kind;
  const char *path;  /* path of the file for OUTPUT_FILE and OUTPUT_APPEND */
  const char **argv; /* program and its arguments for OUTPUT_PROGRAM */
};

/* Creates the report that `run` describes, and writes it to the target: standard output, a file or
 * a program. */
pprofc_status shell_output(struct shell *shell, const struct command *run,
                           const struct shell_target *target, pprofc_error *error);

/* ---- verdicts (verdicts.c) --------------------------- */

/* Parses "all", "changed", "rows" or "off", or prints an error and returns false. */
bool shell_choose_noise(struct shell *shell, pprofc_str value, struct command *command);

/* True if the option noise is set and this report can show verdicts. */
bool shell_wants_verdicts(const struct command *run);

/* Creates the report with verdicts, and writes it to the target, like shell_output. */
pprofc_status shell_output_verdicts(struct shell *shell, struct command *run,
                                    const struct shell_target *target, pprofc_error *error);

/* Frees the runs, for example after a change of the base. */
void shell_forget_runs(struct shell *shell);

/* ---- viewers ----------------------------------------- */

/* Marks viewers that have ended. Prints an error for each viewer that failed. */
void shell_reap_viewers(struct shell *shell);

/* Removes the viewers' files. Waits up to a second for a viewer that just started. */
void shell_end_viewers(struct shell *shell);

/* ---- ^C ---------------------------------------------- */

/* Records that a pager now reads the terminal (`on`), or that it no longer does. As long as a pager
 * reads the terminal, a second ^C does not end the shell. */
void shell_set_paging(bool on);

enum shell_wait { SHELL_WAIT_READY, SHELL_WAIT_SIGNAL, SHELL_WAIT_INTERRUPTED };

/* Waits until the terminal has input, the user types ^C, or another signal arrives. */
enum shell_wait shell_wait_input(int fd);

/* ---- input (inputs.c, editor.c) --------- */

enum shell_line { SHELL_LINE_READ, SHELL_LINE_NONE, SHELL_LINE_INTERRUPTED };

/* Reads the next line and removes its newline. Returns SHELL_LINE_NONE at the end of the input. */
enum shell_line shell_next_line(struct shell *shell, struct buffer *line);

/* Makes the shell read its next lines from the file `path`. */
void shell_source(struct shell *shell, const char *path);

/* Closes all inputs except the first `kept`. */
void shell_close_inputs(struct shell *shell, size_t kept);

enum shell_line input_read(struct shell *shell, struct shell_input *input, struct buffer *line);

void input_close(struct shell_input *input);

struct editor *editor_open(struct shell *shell);
enum shell_line editor_read(struct editor *editor, struct buffer *line);
void editor_close(struct editor *editor);

/* ---- history and completion (history.c, complete.c) -- */

#define HISTORY_LINES 1000

struct shell_history;

/* Reads the stored lines, oldest first. Returns NULL if there is no folder for the file. */
struct shell_history *history_open(void);
const char *history_line(const struct shell_history *history,
                         size_t index); /* line at an index, or NULL after the end */
void history_add(struct shell_history *history, pprofc_str line);
void history_close(struct shell_history *history);

struct completions {
  struct arena arena;
  pprofc_str *items;
  size_t count, capacity;
  size_t from;   /* index in the typed line at which the word to complete starts */
  size_t hidden; /* number of completions that did not fit into `items` */
};

void completions_find(const struct shell *shell, pprofc_str line, struct completions *out);
void completions_free(struct completions *completions);

pprofc_str completions_common(const struct completions *completions);

#endif
