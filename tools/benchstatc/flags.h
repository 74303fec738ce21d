/* The flags of benchstatc: one table, from which they are parsed and their help is printed. */
#ifndef BENCHSTATC_FLAGS_H
#define BENCHSTATC_FLAGS_H

#include "pprofc/bench.h"

struct settings {
  pprofc_bench_options compare;
  const char *format;
  const char *delta_test;
  const char *split, *sort; /* of the classic table, like the rest */
  bool geomean, html, csv, no_range;
};

void settings_init(struct settings *settings);

/* Parses the arguments behind the program's name. Returns the index of the first input; on a flag
 * that is wrong -1, on -h -2, the message and the usage being printed on standard error. */
int flags_parse(struct settings *settings, int argc, char **argv);

void flags_usage(void);

#endif
