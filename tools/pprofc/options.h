/* Parses the command line of pprofc. */
#ifndef PPROFC_TOOLS_OPTIONS_H
#define PPROFC_TOOLS_OPTIONS_H

#include "common/flags.h"
#include "core/budget.h"
#include "pprofc/report.h"
#include "pprofc/verdict.h"

#define MAX_FORMATS 64
#define MAX_CHOICES 16
#define MAX_SAMPLES 8
#define MAX_HEADERS 64

struct progress;

/* Values of a flag that can be repeated, in order, without "". */
struct source_list {
  const char **items;
  size_t count, capacity;
};

/* Options of verdicts (noise/noise.h). */
struct noise_options {
  const char *show; /* rows that -noise shows: "all", "changed", "rows"; "" for no verdicts */
  bool blame;
  pprofc_verdict_options how;           /* settings; sample type and filters are of the report */
  int normalize_by, common, correction; /* words of these flags, which `how` also has */
  const char *ops, *rules;
  const char *bench_base, *bench_head, *bench;
  struct source_list fail_on;
  bool strict;
};

/* Reaction of the web page to changed files, in the order of the flag's words. */
enum http_reload { HTTP_RELOAD_ASK, HTTP_RELOAD_AUTO, HTTP_RELOAD_OFF };

struct command {
  pprofc_report_options report;
  const pprofc_format_info *format; /* chosen format; NULL if no format was chosen */
  pprofc_limits limits;
  struct budget *budget; /* budget for the memory of the whole run, limits.memory_bytes */
  int64_t threads;
  const char *output;
  uint64_t brief_bytes;   /* value of -budget: size of the report in bytes; 0: the whole report */
  const char *brief_more; /* command line that shows more */
  const char *base, *diff_base; /* first base of each kind; "" when not given */
  struct source_list bases;     /* bases of both kinds, in the order of the command line */
  struct noise_options noise;
  const struct noise_report *verdicts; /* verdicts that are shown instead of a profile; or NULL */
  pprofc_call_stacks call_stacks;
  const char *benchmark; /* regular expression of -benchmark, or "" */
  struct source_list source_maps;
  const char *symbolize, *buildid, *tools, *add_comment;
  /* Values of -seconds and -timeout: time to profile and to wait, for sources over HTTP. */
  int64_t seconds, timeout;
  const char *tls_cert, *tls_key, *tls_ca; /* files with TLS certificates and key, for sources
                                              over HTTP */
  const char *headers[MAX_HEADERS];        /* values of -header, in order */
  size_t header_count;
  const char *header_file;
  bool no_save;
  const char *collect;       /* folder of -collect, or "" */
  struct progress *progress; /* progress line; NULL for no line */
  bool all_frames;
  bool frames;                  /* true if standard input is a stream of profiles */
  const char *sums;             /* file of -sums, or "" */
  bool stop_on_error, no_pager; /* options of the shell */
  bool help, version, manual;
  bool sample_types;      /* true to print the sample types of the sources, for completion */
  const char *completion; /* name of the shell for -completion, or "" */
  const char *formats;    /* form of -formats: "text", "markdown", or "" */
  const char *executable; /* executable before the sources, or NULL */
  const char **sources;   /* sources, which point into argv */
  size_t source_count;
  bool simulate;
  const char **program;  /* program of -simulate and its arguments, ending with NULL */
  const char *simulated; /* profile that -simulate recorded; becomes the source */
  const char *http;      /* HOST:PORT of the web page, or "" */
  bool http_on;          /* true if -http was given */
  bool no_browser;
  bool lsp, quickfix; /* true for -lsp and -quickfix: costs of lines for an editor */
  bool mcp;           /* true for -mcp: answer an agent on standard input; sources are folders */
  int http_reload;    /* reaction to changed files, an enum http_reload */

  /* Values of format and choice flags, until command_parse combines them. */
  bool format_on[MAX_FORMATS];
  const char *format_argument[MAX_FORMATS];
  bool choice_on[MAX_CHOICES];
  bool sample_on[MAX_SAMPLES];
};

/* The flags of pprofc: one per format, one per report option (or per choice of the option),
 * and all others. */
struct command_flags {
  struct flag_table table;
  struct flag items[FLAGS_MAX];
  /* Choice flags: for each, the offset in struct command of the chosen name. */
  struct choice {
    const char *name;
    size_t target;
  } choices[MAX_CHOICES];
  size_t choice_count;
};

void command_flags_init(struct command_flags *flags);

/* True if the command line needs no profile: help, version and similar. */
bool command_is_about(const struct command *command);

/* Parses the command line and fails if it is invalid. A missing format or source is not an
 * error, because help and version need neither. */
pprofc_status command_parse(const struct command_flags *flags, struct command *command, int argc,
                            char **argv, struct flags_parsed *parsed, pprofc_error *error);

/* Frees the memory of a parsed command line. */
void command_free(struct command *command);

/* Fails if flags contradict each other; the last step of command_parse. */
pprofc_status command_check(const struct command *command, pprofc_error *error);

#endif
