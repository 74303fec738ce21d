/* Declares the flags of `pprofci publish`. */
#ifndef PPROFCI_PUBLISH_OPTIONS_H
#define PPROFCI_PUBLISH_OPTIONS_H

#include "commands.h"
#include "publish/site.h"

enum place { PLACE_COMMENT, PLACE_STATUS, PLACE_CHECK, PLACE_SUMMARY, PLACES };

extern const char *const place_names[PLACES];

struct publish_options {
  struct site_options site;
  const char *to, *key, *author, *report;
  const char *markdown, *json, *code_quality, *metrics; /* names of the output files; "": do not
                                                           write the file */
  const char *write_body, *body, *issue;
  bool dry_run, require, no_fail;
  int64_t wait, timeout;
  uint64_t brief_bytes; /* size limit in bytes of `markdown` and `json`; 0: no limit */
  bool places[PLACES];  /* true for each destination that -to names */
};

/* Checks the command line. */
pprofc_status publish_check(void *options, const struct command_line *line, pprofc_error *error);

#endif
