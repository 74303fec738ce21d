/* The help of each flag whose help differs from the shell's help of the same option. The shell
 * prints pprof's texts, and has no help for the values of sort and granularity. */
#include "options.h"

static const char *const helps[][2] = {
    {"functions", "One entry for each function, without file names"},
    {"filefunctions", "One entry for each function, with file names"},
    {"files", "One entry for each file"},
    {"lines", "One entry for each source line"},
    {"addresses", "One entry for each address"},
    {"cum", "Sort entries by value with callees"},
    {"flat", "Sort entries by own value"},
    {"call_tree", "Show a function once for each chain of its callers"},
    {"relative_percentages", "Show percentages of what the filters keep, not of the whole profile"},
    {"unit", "Unit of the printed values"},
    {"trim_path", "Prefix to remove from source paths before the search"},
    {"mean", "Show means: each value divided by the first value (the count)"},
    {"sample_index", "Sample type to report: name, or index from 0"},
    {"divide_by", "Number by which all values are divided"},
    {"normalize", "Scale the profile to the total of the base"},
    {"tagroot", "Add the values of these label keys as frames at the root of stacks"},
    {"tagleaf", "Add the values of these label keys as frames at the leaf of stacks"},
    {"nodecount", "Maximum number of nodes (functions); -1: default of the format"},
    {"nodefraction", "Hide nodes below this fraction of the total"},
    {"edgefraction", "Hide edges (calls) below this fraction of the total"},
    {"trim", "Apply nodefraction, edgefraction and the default of nodecount"},
    {"focus", "Keep only stacks with a frame that matches this regexp"},
    {"ignore", "Drop stacks with a frame that matches this regexp"},
    {"prune_from", "Remove the frames below the matching frame (its callees)"},
    {"hide", "Remove frames that match this regexp"},
    {"show", "Keep only frames that match this regexp"},
    {"show_from", "Remove the frames above the highest matching frame (its callers)"},
    {"tagfocus", "Keep only samples with a label that matches this regexp or range"},
    {"tagignore", "Drop samples with a label that matches this regexp or range"},
    {"tagshow", "Keep only labels whose key matches this regexp"},
    {"taghide", "Drop labels whose key matches this regexp"},
    {"noinlines", "Count inlined functions for their first caller that is not inlined"},
    {"showcolumns", "Show column numbers of lines"}};

void option_help_set(struct command_flags *flags) {
  for (size_t i = 0; i < sizeof helps / sizeof *helps; i++)
    for (size_t k = 0; k < flags->table.flag_count; k++)
      if (strcmp(helps[i][0], flags->items[k].name) == 0) flags->items[k].help = helps[i][1];
}
