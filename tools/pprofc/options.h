/* What the command line of pprofc asks for. */
#ifndef PPROFC_TOOLS_OPTIONS_H
#define PPROFC_TOOLS_OPTIONS_H

#include "common/flags.h"
#include "core/budget.h"
#include "pprofc/report.h"

#define MAX_FORMATS 64
#define MAX_CHOICES 16
#define MAX_SAMPLES 8
#define MAX_HEADERS 64

struct progress;

/* The values of a flag that may come several times, in order; "" is not one of them. */
struct source_list {
  const char **items;
  size_t count, capacity;
};

/* What verdicts are asked for (noise/noise.h). */
struct noise_options {
  const char *show; /* "all", "changed"; "": no verdicts */
  bool blame;
  double alpha, noise_cv, min_samples;
  int normalize_by; /* pprofc_verdict_exposure */
  int common;       /* 1: off */
  int correction;   /* 1: for any dependence */
  const char *ops, *rules;
  const char *bench_base, *bench_head, *bench;
  struct source_list fail_on;
  bool strict;
  bool fcr, stacks;
};

/* What the page does with files that change; in the order of the words of the flag. */
enum http_reload { HTTP_RELOAD_ASK, HTTP_RELOAD_AUTO, HTTP_RELOAD_OFF };

/* How large profiles of which only sums are shown are read: as a whole, or so that samples are
 * added up at once. */
enum reader { READER_AUTO, READER_FOLD, READER_ROWS, READER_WHOLE };

struct command {
  pprofc_report_options report;
  const pprofc_format_info *format; /* NULL: none was chosen */
  pprofc_limits limits;
  struct budget *budget; /* of limits.memory_bytes, for the whole run */
  int64_t threads;
  const char *output;
  const char *base, *diff_base; /* the first of each; "" when not given */
  struct source_list bases;     /* of either */
  struct noise_options noise;
  const struct noise_report *verdicts; /* what is shown in place of a profile; or NULL */
  pprofc_call_stacks call_stacks;
  enum reader reader;
  struct source_list source_maps;
  const char *symbolize, *buildid, *tools, *add_comment;
  int64_t seconds, timeout;                /* for sources that are fetched */
  const char *tls_cert, *tls_key, *tls_ca; /* the same */
  const char *headers[MAX_HEADERS];        /* of -header, in their order */
  size_t header_count;
  const char *header_file;
  bool no_save;
  const char *collect;       /* a folder, or "" */
  struct progress *progress; /* NULL: there is none */
  bool all_frames;
  bool frames;                  /* standard input is a stream of profiles */
  const char *sums;             /* a file to write sums over runs to, or "" */
  bool stop_on_error, no_pager; /* of the shell */
  bool help, version, manual;
  bool sample_types;      /* of the sources, for the completion of shells */
  const char *completion; /* a shell, or "" */
  const char *formats;    /* "text", "markdown", or "" */
  const char *executable; /* NULL: none */
  const char **sources;   /* point into argv */
  size_t source_count;
  bool simulate;
  const char **program;  /* of -simulate, with its arguments; ends with NULL */
  const char *simulated; /* its profile, which becomes the source */
  const char *http;      /* HOST:PORT of the web page, or "" */
  bool http_on;          /* -http was given */
  bool no_browser;
  int http_reload; /* enum http_reload */

  /* What the flags of formats and choices set, until command_parse looks at them together. */
  bool format_on[MAX_FORMATS];
  const char *format_argument[MAX_FORMATS];
  bool choice_on[MAX_CHOICES];
  bool sample_on[MAX_SAMPLES];
};

/* The flags of pprofc: one per format, per report option (per choice, for options that have
 * choices), and those that are about neither. */
struct command_flags {
  struct flag_table table;
  struct flag items[FLAGS_MAX];
  /* Options by choice flag: where its name goes, as an offset in struct command. */
  struct choice {
    const char *name;
    size_t target;
  } choices[MAX_CHOICES];
  size_t choice_count;
};

void command_flags_init(struct command_flags *flags);

/* Whether the command line asks for text that needs no profile: the help, the version. */
bool command_is_about(const struct command *command);

/* Reads the command line. Fails on what makes no sense, except that a command without format or
 * source is let through: help and version need neither. */
pprofc_status command_parse(const struct command_flags *flags, struct command *command, int argc,
                            char **argv, struct flags_parsed *parsed, pprofc_error *error);

/* Frees what the command line needed memory for. */
void command_free(struct command *command);

/* Fails on flags that do not go together; the last step of command_parse. */
pprofc_status command_check(const struct command *command, pprofc_error *error);

#endif
