/* Parses the command line of pprofc. Adds the name of a wrong flag, and a hint, to error messages.
 */
#ifndef PPROFC_TOOLS_OPTIONS_H
#define PPROFC_TOOLS_OPTIONS_H

#include "common/flags.h"
#include "open.h"
#include "pprofc/report.h"
#include "pprofc/verdict.h"
#include "profile/times.h"

#define MAX_FORMATS 64
#define MAX_CHOICES 16
#define MAX_SAMPLES 8
#define MAX_HEADERS 64

struct progress;

/* Values of a flag that may be repeated, in order. Empty values are left out. */
struct source_list {
  const char **items;
  size_t count, capacity;
};

/* Values of the flags of -noise (noise/noise.h). */
struct noise_options {
  const char *show; /* rows that -noise shows: "all", "changed" or "rows"; "" without verdicts */
  bool blame;
  pprofc_verdict_options how; /* settings of the verdicts, without sample type and filters */
  /* for each flag, the index of its word; noise_complete sets fields of `how` from the indices */
  int normalize_by, common, correction;
  const char *ops, *rules;
  const char *bench_base, *bench_head, *bench;
  struct source_list fail_on;
  bool strict;
};

/* Reaction of the web page to changed files. The constants are in the order of the words of
 * -http_reload. */
enum http_reload { HTTP_RELOAD_ASK, HTTP_RELOAD_AUTO, HTTP_RELOAD_OFF };

struct command {
  pprofc_report_options report;
  const pprofc_format_info *format; /* format of the report; NULL: not chosen yet */
  pprofc_limits limits;
  struct budget *budget; /* memory budget of the whole run (limits.memory_bytes) */
  int64_t threads;
  const char *output;
  uint64_t brief_bytes;   /* maximum bytes of the report (-budget); 0: no limit */
  const char *brief_more; /* command that prints a longer report, for the note about omitted rows */
  /* first value of -base, and first value of -diff_base; "" if the flag is not given */
  const char *base, *diff_base;
  struct source_list bases; /* values of -base and -diff_base, as on the command line */
  struct noise_options noise;
  /* verdicts on functions, which the report shows instead of the profile; or NULL */
  const struct noise_report *verdicts;
  /* values of -time_range and -diff_time_range; `to` is 0 if the flag is not given */
  struct time_range time_range, diff_time_range;
  pprofc_call_stacks call_stacks;
  const char *benchmark; /* value of -benchmark, a regular expression, or "" */
  struct source_list source_maps;
  const char *symbolize, *buildid, *tools, *add_comment;
  /* values of -seconds (recording time of servers) and -timeout (waiting time), in seconds */
  int64_t seconds, timeout;
  const char *tls_cert, *tls_key,
      *tls_ca; /* files for TLS: client certificate, its key, and certificate authorities */
  const char *headers[MAX_HEADERS]; /* values of -header, in order */
  size_t header_count;
  const char *header_file;
  bool no_save;
  const char *collect;       /* folder given by -collect, or "" */
  struct progress *progress; /* progress line, or NULL */
  bool *incomplete;          /* set to true if one of several sources is unreadable; or NULL */
  bool all_frames;
  bool frames;                  /* true if standard input is a stream of profiles (-frames) */
  const char *sums;             /* file that -sums writes, or "" */
  bool stop_on_error, no_pager; /* flags of the interactive shell */
  bool help, version, manual;
  bool sample_types;      /* true to print the sample types of the sources for completion */
  const char *completion; /* shell given by -completion, or "" */
  const char *formats;    /* value of -formats: "text", "markdown" or "" */
  const char *executable; /* executable that precedes the sources, or NULL */
  const char **sources;   /* sources; pointers into argv */
  size_t source_count;
  bool simulate;
  const char **program;  /* program of -simulate and its arguments; ends with NULL */
  const char *simulated; /* profile that -simulate recorded, which becomes the source */
  const char *http;      /* HOST:PORT of -http, or "" */
  bool http_on;          /* true if -http is given */
  bool no_browser;
  int64_t every_ms; /* interval of -every in milliseconds; 0 if the flag is not given */
  bool repeats;     /* true while -every repeats a recording, so that the reader prints no notes */
  bool lsp, quickfix; /* -lsp and -quickfix: costs of source lines in an editor */
  bool mcp;           /* true for -mcp, which serves a coding agent; the sources are then folders */
  int http_reload;    /* value of -http_reload (enum http_reload) */

  /* for each format, true if its flag is given; used until command_parse has chosen the format */
  bool format_on[MAX_FORMATS];
  const char *format_argument[MAX_FORMATS];
  bool choice_on[MAX_CHOICES];
  bool sample_on[MAX_SAMPLES];
};

/* Flags of pprofc, among them a flag for each format, report option and choice (such as -cum). */
struct command_flags {
  struct flag_table table;
  struct flag items[FLAGS_MAX];
  /* A flag whose name is a value of an option. For example, -lines sets the option granularity to
   * "lines". `target` is the offset of the option in struct command. */
  struct choice {
    const char *name;
    size_t target;
  } choices[MAX_CHOICES];
  size_t choice_count;
};

/* Sets the texts of -help, and the help of each flag whose help differs from the shell's help.
 * Implemented in option_help.c. */
void option_help_set(struct command_flags *flags);

void command_flags_init(struct command_flags *flags);

/* True if the command needs no profile, for example for help or the version. */
bool command_is_about(const struct command *command);

/* Parses and checks the command line, which may lack a format or source. */
pprofc_status command_parse(const struct command_flags *flags, struct command *command, int argc,
                            char **argv, struct flags_parsed *parsed, pprofc_error *error);

struct command command_without_base(const struct command *command);

void command_free(struct command *command);

/* True if a source or a base is the address of a server. */
bool command_fetches(const struct command *command);

/* Fails if flags contradict each other. command_parse calls this function at its end. */
pprofc_status command_check(const struct command *command, pprofc_error *error);

/* ---- limits (limit_flags.c) --------------------------- */

/* Replaces "(raise the limit memory_bytes)" in a message by "(raise with -max_memory)". Leaves
 * other messages unchanged. */
void limit_flags_name(pprofc_error *error);

/* These functions store the value of a flag in its field. The value is a number with an optional
 * suffix k, M or G (powers of 1024). */
const char *limit_store_u64(void *options, const struct flag *flag, const char *text);
const char *limit_store_u32(void *options, const struct flag *flag, const char *text);

/* Returns half of the memory of the machine or container, at most 16 GiB. */
uint64_t memory_default(void);

/* ---- ranges of time (time_range.c) ------------------- */

/* Stores a range, "FROM,TO", in the field of the flag. FROM or TO may be missing. */
const char *time_range_store(void *options, const struct flag *flag, const char *text);

/* Adds the sources to the bases of the comparison if -diff_time_range is set. The caller sets the
 * sources first. Returns false when out of memory. */
bool time_range_add_bases(struct command *command);

/* Returns an error if a flag contradicts the ranges, else NULL. */
const char *time_range_conflict(const struct command *command);

/* Returns the data that the reader must keep. `needs` is this data without times, or NULL if the
 * command needs each sample. If the command uses times, sets *times to a copy of *needs with times,
 * and returns `times`. If not, returns `needs`. */
const struct open_sums *time_range_needs(const struct command *command,
                                         const struct open_sums *needs, struct open_sums *times);

/* Limits a profile to the time range of head or base, and replaces *profile. Fails if the profile
 * has no times, or if the recording ends before the range. `options`, which may be NULL, contains
 * the callback for a warning about estimated values. */
pprofc_status time_range_select(const struct command *command, bool is_base, const char *shown,
                                const pprofc_read_options *options, pprofc_profile **profile,
                                pprofc_error *error);

/* ---- hints in parentheses after error messages (hints.c) */

/* Adds a hint about an unreadable source: the real type of the file, or the missing permission. */
void hint_source(const char *path, pprofc_error *error);

/* Adds a hint if the last flag lacks its value, or took the source as its value. */
void hint_argument(const struct command_flags *flags, int argc, char *const *argv,
                   pprofc_error *error);

#endif
