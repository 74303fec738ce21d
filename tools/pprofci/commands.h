/* The commands of pprofci. Each takes the rest of the command line, its own name first, and returns
 * the exit status. */
#ifndef PPROFCI_COMMANDS_H
#define PPROFCI_COMMANDS_H

#include "common/flags.h"

/* 2 says that something regressed, so every failure is 1, wrong usage too. */
#define EXIT_PASSED    0
#define EXIT_FAILED    1
#define EXIT_REGRESSED 2

extern const struct flag_table init_table;
int init_main(int argc, char **argv);

extern const struct flag_table run_table;
int run_main(int argc, char **argv);

extern const struct flag_table merge_table;
int merge_main(int argc, char **argv);

extern const struct flag_table publish_table;
int publish_main(int argc, char **argv);

extern const struct flag_table store_table;
int store_main(int argc, char **argv);

extern const struct flag_table history_table;
int history_main(int argc, char **argv);

extern const struct flag_table trend_table;
int trend_main(int argc, char **argv);

extern const struct flag_table fsck_table;
int fsck_main(int argc, char **argv);
extern const struct flag_table capture_table;
int capture_main(int argc, char **argv);

extern const struct flag_table push_table;
int push_main(int argc, char **argv);

extern const struct flag_table leaks_table;
int leaks_main(int argc, char **argv);

/* Prints why a command failed, and returns EXIT_FAILED. */
int command_fail(const char *message);

/* Prints an error about a command's flags, with a hint where the help is. */
int command_misused(const struct flag_table *table, const struct flags_parsed *parsed,
                    const char *message);

/* Prints the help of a command. */
int command_help(const struct flag_table *table);

#endif
