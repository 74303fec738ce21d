/* The table of report options. The program derives its flags, help, settings and URLs from this
 * table. */
#include "pprofc/report.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define FIELD(name)  offsetof(pprofc_report_options, name)

static const char *const sort_choices[] = {"cum", "flat", NULL};
static const char *const granularity_choices[] = {"functions", "filefunctions", "files",
                                                  "lines",     "addresses",     NULL};

#define OPTION(name, kind, text, url, saved, help)                                                 \
  { #name, PPROFC_OPTION_##kind, FIELD(name), text, url, saved, NULL, help }
#define CHOICE(name, text, url, choices, help)                                                     \
  { #name, PPROFC_OPTION_CHOICE, FIELD(name), text, url, true, choices, help }

static const pprofc_option_info options[] = {
    OPTION(call_tree, BOOL, "false", "calltree", true, "Create a context-sensitive call tree"),
    OPTION(relative_percentages, BOOL, "false", "rel", true,
           "Show percentages relative to focused subgraph"),
    OPTION(unit, STRING, "minimum", "unit", true, "Measurement units to display"),
    OPTION(compact_labels, BOOL, "false", "compact", true, "Show minimal headers"),
    OPTION(source_path, STRING, "", NULL, false, "Search path for source files"),
    OPTION(trim_path, STRING, "", NULL, false, "Path to trim from source paths before search"),
    OPTION(intel_syntax, BOOL, "false", "intel", true, "Show assembly in Intel syntax"),
    OPTION(mean, BOOL, "false", "mean", true, "Average sample value over first value (count)"),
    OPTION(sample_index, STRING, "", "si", false, "Sample value to report (0-based index or name)"),
    OPTION(divide_by, FLOAT, "1", NULL, false, "Ratio to divide all samples before visualization"),
    OPTION(normalize, BOOL, "false", "norm", true, "Scales profile based on the base profile."),
    CHOICE(sort, "flat", "sort", sort_choices, "Sort entries based on own or cumulative weight"),
    OPTION(tagroot, STRING, "", NULL, true,
           "Adds pseudo stack frames for labels key/value pairs at the callstack root."),
    OPTION(tagleaf, STRING, "", NULL, true,
           "Adds pseudo stack frames for labels key/value pairs at the callstack leaf."),
    OPTION(drop_negative, BOOL, "false", "dropneg", true, "Ignore negative differences"),
    OPTION(nodecount, INT, "-1", "n", true, "Max number of nodes to show"),
    OPTION(nodefraction, FLOAT, "0.005", "nf", true, "Hide nodes below <f>*total"),
    OPTION(edgefraction, FLOAT, "0.001", "ef", true, "Hide edges below <f>*total"),
    OPTION(trim, BOOL, "true", "trim", true, "Honor nodefraction/edgefraction/nodecount defaults"),
    OPTION(focus, STRING, "", "f", true,
           "Restricts to samples going through a node matching regexp"),
    OPTION(ignore, STRING, "", "i", true, "Skips paths going through any nodes matching regexp"),
    OPTION(prune_from, STRING, "", "prunefrom", true,
           "Drops any functions below the matched frame."),
    OPTION(hide, STRING, "", "h", true, "Skips nodes matching regexp"),
    OPTION(show, STRING, "", "s", true, "Only show nodes matching regexp"),
    OPTION(show_from, STRING, "", "sf", true, "Drops functions above the highest matched frame."),
    OPTION(tagfocus, STRING, "", "tf", true,
           "Restricts to samples with tags in range or matched by regexp"),
    OPTION(tagignore, STRING, "", "ti", true,
           "Discard samples with tags in range or matched by regexp"),
    OPTION(tagshow, STRING, "", "ts", true, "Only consider tags matching this regexp"),
    OPTION(taghide, STRING, "", "th", true, "Skip tags matching this regexp"),
    OPTION(noinlines, BOOL, "false", "noinlines", true, "Ignore inlines."),
    OPTION(showcolumns, BOOL, "false", "showcolumns", true,
           "Show column numbers at the source code line level."),
    CHOICE(granularity, "", "g", granularity_choices,
           "Aggregate at the function, file, line or address level"),
    OPTION(group_by_label, STRING, "", NULL, false,
           "speedscope: also write a profile per value of this label"),
    OPTION(cut_depth, INT, "0", NULL, false,
           "speedscope, folded: maximum depth of stacks, from the root (0: all)"),
    OPTION(min_weight, FLOAT, "0", NULL, false,
           "speedscope, folded: merge stacks below <f>*total into one"),
    OPTION(origin_rules, STRING, "", NULL, false,
           "flamegraph, flame: file with rules that assign frames to your code, libraries and the "
           "system"),
    OPTION(title, STRING, "", NULL, false, "flamegraph, flame: title"),
    OPTION(width, INT, "0", NULL, false, "flamegraph: width in pixels (0: 1200)"),
    OPTION(minwidth, STRING, "0.1", NULL, false,
           "flamegraph: join boxes narrower than this, in pixels or in % of the width"),
    OPTION(colors, STRING, "", NULL, false,
           "flamegraph: colour by hot (name), change, origin or package"),
    OPTION(inverted, BOOL, "false", NULL, false, "flamegraph: root on top"),
    OPTION(reverse, BOOL, "false", NULL, false,
           "flamegraph: merge stacks from the leaf, to show callers of expensive functions"),
    OPTION(source_link, STRING, "", NULL, false,
           "flame: link to sources, with {file} and {line} in it"),
    OPTION(source_diff, STRING, "", NULL, false,
           "list with -diff_base: REF or REF1..REF2, prints the changes of the sources with the "
           "cost of each line; -lsp: REF, the commit of the profile"),
    OPTION(calls, INT, "0", NULL, false,
           "callgrind: number of calls to write for each edge (callgrind_annotate needs 1)"),
    OPTION(frame_marks, BOOL, "false", NULL, false,
           "folded: mark frames of the kernel _[k], inlined _[i], compiled at run time _[j]"),
    OPTION(safe, BOOL, "false", NULL, false, "list, weblist, http: open no source file"),
};

const pprofc_option_info *pprofc_option_at(size_t index) {
  return index < COUNT(options) ? &options[index] : NULL;
}

void pprofc_report_options_init(pprofc_report_options *o) {
  *o = (pprofc_report_options){
      .struct_size = sizeof *o,
      .format = "top",
      .argument = "",
      .divide_by = 1,
      .nodecount = -1,
      .nodefraction = 0.005,
      .edgefraction = 0.001,
      .trim = true,
  };
  for (size_t i = 0; i < COUNT(options); i++)
    if (options[i].kind == PPROFC_OPTION_STRING || options[i].kind == PPROFC_OPTION_CHOICE)
      *(const char **)(void *)((char *)o + options[i].offset) = options[i].default_text;
}
