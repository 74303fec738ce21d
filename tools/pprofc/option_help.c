/* The help of each flag whose help differs from the shell's help of the same option. The shell
 * prints pprof's texts, and has no help for the values of sort and granularity. */
#include "options.h"

static const char *const helps[][2] = {
    {"functions", "Print one entry for each function, without file names"},
    {"filefunctions", "Print one entry for each function, with file names"},
    {"files", "Print one entry for each source file"},
    {"lines", "Print one entry for each source line"},
    {"addresses", "Print one entry for each address"},
    {"cum", "Sort the entries of a report by their cost with callees"},
    {"flat", "Sort the entries of a report by their cost without callees"},
    {"call_tree", "Show a function several times: once for each different chain of callers"},
    {"relative_percentages",
     "Show percentages of the samples that the filters keep, instead of all samples"},
    {"unit", "Unit of the printed values"},
    {"trim_path", "Prefix to remove from the paths of source files before pprofc searches them"},
    {"mean", "Show means: the value of the chosen sample type, divided by the value of the first "
             "sample type (the count)"},
    {"sample_index", "Sample type to report, such as alloc_space: a name, or an index from 0"},
    {"divide_by", "Number by which all values are divided"},
    {"normalize", "Scale the profile, so that its total equals the total of the base"},
    {"tagroot", "Add the values of these label keys as frames at the root of stacks"},
    {"tagleaf", "Add the values of these label keys as frames at the leaf of stacks"},
    {"nodecount",
     "Maximum number of nodes (functions) in the report; -1: the default of its format"},
    {"nodefraction", "Hide nodes (functions) below this fraction of the total"},
    {"edgefraction", "Hide edges (calls) below this fraction of the total"},
    {"trim", "Hide small nodes and edges: apply -nodefraction, -edgefraction and the default of "
             "-nodecount"},
    {"focus", "Keep only stacks with a frame that matches this regexp"},
    {"ignore", "Drop stacks with a frame that matches this regexp"},
    {"prune_from", "Remove the callees of the frame that matches this regexp"},
    {"hide", "Remove frames that match this regexp"},
    {"show", "Keep only frames that match this regexp"},
    {"show_from", "Remove the callers of the outermost frame that matches this regexp"},
    {"tagfocus", "Keep only samples with a label that matches this regexp or range"},
    {"tagignore", "Drop samples with a label that matches this regexp or range"},
    {"tagshow", "Keep only labels whose key matches this regexp"},
    {"taghide", "Drop labels whose key matches this regexp"},
    {"noinlines", "Add the cost of inlined functions to their first caller that is not inlined"},
    {"showcolumns", "Show column numbers of lines"}};

void option_help_set(struct command_flags *flags) {
  for (size_t i = 0; i < sizeof helps / sizeof *helps; i++)
    for (size_t k = 0; k < flags->table.flag_count; k++)
      if (strcmp(helps[i][0], flags->items[k].name) == 0) flags->items[k].help = helps[i][1];
}
