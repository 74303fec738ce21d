/* Files of -out: what an earlier run wrote there goes away before anything can fail. */
#ifndef PARSE_BENCH_REGRESSIONS_OUTPUTS_H
#define PARSE_BENCH_REGRESSIONS_OUTPUTS_H

/* Removes the files that -out names anywhere on a command line, right or wrong; what is named a
 * second time, as an input, and what is no regular file stays. */
void outputs_remove(int argc, char *const *argv);

#endif
