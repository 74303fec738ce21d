/* What the files of the shell share: the state of a session, and what each file does for the
 * others. */
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
#define SHELL_INPUTS  16                /* files that `source` one another */
#define SHELL_LINE    ((size_t)1 << 20) /* bytes of the longest line */

/* Where lines come from: standard input, or a file of `source`. */
struct shell_input {
  int fd;
  char *name; /* NULL: standard input */
  size_t name_size, line;
  char *data;    /* what was read and not yet used */
  bool terminal; /* ^C ends the wait for a line */
  size_t at, size;
};

/* A viewer that was started, and the file that it shows. */
struct shell_viewer {
  char path[4096];
  const char *program;
  pid_t pid; /* 0: it has ended */
};

/* The base that `base` and `diff_base` compare with. */
struct shell_base {
  char *source; /* NULL: none was ever chosen */
  size_t size;
  bool compare; /* as diff_base */
  bool on;
  bool chosen; /* in the shell, not on the command line */
};

struct shell {
  struct command command; /* of the command line; `report` and `output` are the options of now */
  struct command_flags flags;
  char *texts[SHELL_OPTIONS]; /* of options that were set here, by their index */

  pprofc_profile *profile; /* what reports are made of */
  pprofc_profile *head;    /* it without a base; NULL: not known */
  pprofc_profile *difference;
  struct shell_base base;
  struct loaded_runs runs; /* that verdicts compare */
  bool runs_loaded;

  struct shell_input inputs[SHELL_INPUTS];
  size_t input_count;
  struct editor *editor; /* NULL: lines are read as they are */
  bool terminal;         /* a person is there */
  bool pager;

  struct shell_viewer *viewers;
  size_t viewer_count, viewer_capacity;
  int64_t viewer_started; /* milliseconds */

  bool leave;
  bool failed; /* the command of this line */
};

/* ---- messages ---------------------------------------- */

/* Says what is wrong with the line; it counts as failed. */
void shell_fail(struct shell *shell, const char *format, ...) PPROFC_PRINTF(2, 3);

/* Says it with the error of a function of the library. */
void shell_fail_error(struct shell *shell, pprofc_error *error);

/* ---- lines (lines.c) --------------------------------- */

struct shell_words {
  pprofc_str *items; /* each ends with a NUL */
  size_t count, capacity;
};

/* Does what one line says. */
void shell_execute(struct shell *shell, pprofc_str line);

/* Without white space at both ends, as Go understands it. */
pprofc_str shell_trim(pprofc_str text);

/* Splits at white space; false when out of memory. */
bool shell_split(pprofc_str text, struct arena *arena, struct shell_words *words);

/* The lines that a shortcut means (":", "cpu", "mean_cpu"), one after the other with newlines
 * between; false when the line is none. */
bool shell_shortcut(const struct shell *shell, pprofc_str line, struct buffer *out);

/* The report format of a word such as top10; *digits is where its number starts. NULL: none. */
const pprofc_format_info *shell_format(pprofc_str word, size_t *digits);

/* ---- options (variables.c) --------------------------- */

/* The option with that index, `output` behind those of reports; NULL past the last one. */
const pprofc_option_info *shell_option_at(size_t index);
const pprofc_option_info *shell_option_find(pprofc_str name);

/* The option that has the choice ("cum", "lines"), or NULL. */
const pprofc_option_info *shell_choice_find(pprofc_str name);

/* Whether a line may have its name alone. */
bool shell_option_stands_alone(const pprofc_option_info *info);

/* Sets an option as the line `name=value` does. */
void shell_set(struct shell *shell, const pprofc_option_info *info, pprofc_str value);

/* Sets the option of a choice as the line `name=value` does. */
void shell_choose(struct shell *shell, pprofc_str name, pprofc_str value);

/* Prints the options and their values. */
void shell_print_options(const struct shell *shell);

/* Says which options of the command line no report can use. */
void shell_check_options(struct shell *shell);

void shell_free_options(struct shell *shell);

/* ---- commands (commands.c, reports.c, bases.c) ------- */

struct shell_command {
  const char *name, *alias, *also; /* the names it has; NULL */
  const char *listed;              /* its name in the list of help */
  const char *help;                /* one line */
  const char *usage;               /* more lines for `help NAME`, or NULL */
  bool takes_file;                 /* its first word is the name of a file */
  void (*run)(struct shell *shell, const struct shell_words *words);
};

/* The command with that index that is no report; NULL past the last one. */
const struct shell_command *shell_command_at(size_t index);
const struct shell_command *shell_command_find(pprofc_str name);

/* Makes a report: the format, and the words of the line behind its name. */
void shell_report(struct shell *shell, const pprofc_format_info *format, const char *variant,
                  const struct shell_words *words, size_t first);

/* base and diff_base. */
void shell_set_base(struct shell *shell, const struct shell_words *words);

void shell_help(struct shell *shell, pprofc_str what);

/* ---- where a report goes (output.c, process.c) ------- */

enum shell_output_kind {
  OUTPUT_STANDARD,
  OUTPUT_FILE,
  OUTPUT_APPEND,
  OUTPUT_NUMBERED, /* profile001.svg */
  OUTPUT_PROGRAM,  /* | argv */
  OUTPUT_VIEWER
};

struct shell_target {
  enum shell_output_kind kind;
  const char *path;  /* of OUTPUT_FILE, OUTPUT_APPEND */
  const char **argv; /* of OUTPUT_PROGRAM */
};

/* Makes the report of `run` and takes it to the target. */
pprofc_status shell_output(struct shell *shell, const struct command *run,
                           const struct shell_target *target, pprofc_error *error);

/* ---- verdicts (verdicts.c) --------------------------- */

/* Takes "all", "changed", "off"; false after a message for anything else. */
bool shell_choose_noise(struct shell *shell, pprofc_str value, struct command *command);

/* Whether the option noise changes the report. */
bool shell_wants_verdicts(const struct command *run);

/* Makes that report: the runs are judged, and what is said of them goes to the target. */
pprofc_status shell_output_verdicts(struct shell *shell, struct command *run,
                                    const struct shell_target *target, pprofc_error *error);

/* The base is another one now. */
void shell_forget_runs(struct shell *shell);

/* ---- viewers ----------------------------------------- */

/* Forgets viewers that have ended, and says which of them failed. */
void shell_reap_viewers(struct shell *shell);

/* Removes the files of viewers, the last of which gets a second to open its own. */
void shell_end_viewers(struct shell *shell);

/* A program that reads what is written to `fd`. */
struct shell_process {
  pid_t pid;
  int fd;
  const char *name;
};

pprofc_status process_start(struct shell_process *process, const char *const *argv,
                            pprofc_error *error);

/* Ends its input and waits for it; returns its exit status, 128 and the signal that killed it. */
int process_wait(struct shell_process *process);

/* ---- ^C ---------------------------------------------- */

/* Whether ^C was pressed since the last call. */
bool shell_interrupted(void);

/* Between the start and the end of a pager, ^C is for it: a second one does not end the shell. */
void shell_set_paging(bool on);

enum shell_wait { SHELL_WAIT_READY, SHELL_WAIT_SIGNAL, SHELL_WAIT_INTERRUPTED };

/* Waits for input on a terminal, for ^C, or for another signal that has a handler. */
enum shell_wait shell_wait_input(int fd);

/* ---- lines from outside (inputs.c, editor.c) --------- */

enum shell_line { SHELL_LINE_READ, SHELL_LINE_NONE, SHELL_LINE_INTERRUPTED };

/* The next line, without its end; SHELL_LINE_NONE when there is no more. */
enum shell_line shell_next_line(struct shell *shell, struct buffer *line);

/* Begins to read lines from a file. */
void shell_source(struct shell *shell, const char *path);

/* Forgets the files that `source` opened. */
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

/* The lines of earlier runs, oldest first; NULL when there is no place for them. */
struct shell_history *history_open(void);
const char *history_line(const struct shell_history *history, size_t index); /* NULL past the end */
void history_add(struct shell_history *history, pprofc_str line);
void history_close(struct shell_history *history);

/* What may be in place of the word that ends at the cursor. */
struct completions {
  struct arena arena;
  pprofc_str *items;
  size_t count, capacity;
  size_t from;   /* where the word begins in the line */
  size_t hidden; /* so many more were left out */
};

void completions_find(const struct shell *shell, pprofc_str line, struct completions *out);
void completions_free(struct completions *completions);

/* What all of them begin with. */
pprofc_str completions_common(const struct completions *completions);

#endif
