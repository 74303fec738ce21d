/* The table of report formats: names, help, files they make, and the function that renders each. */
#include "report/report.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Rows without post-processing, and rows that `dot` or a viewer finishes. */
#define TEXT(name, help, render, flags)                                                            \
  { {name, help, NULL, NULL, NULL, NULL, false, NULL, false}, render, flags }
/* The same for what prints sums only. */
#define SUMS(name, help, render, flags)                                                            \
  { {name, help, NULL, NULL, NULL, NULL, false, NULL, true}, render, flags }
#define MATCHING(name, help, render, flags)                                                        \
  {                                                                                                \
    {name, help, "regexp", NULL, NULL, NULL, false, NULL, false}, render,                          \
        (flags) | REPORT_PARAMETER                                                                 \
  }
#define FILE_OF(name, help, extension, render, flags)                                              \
  { {name, help, NULL, NULL, NULL, extension, true, NULL, false}, render, flags }
#define IMAGE(name, help, type, viewer)                                                            \
  { {name, help, NULL, type, viewer, type, true, NULL, false}, report_dot, 0 }

#define EVERYTHING (REPORT_NO_TRIM | REPORT_ADDRESSES)

static const char *const flame_variants[] = {"html", "text", NULL};

static const struct report_format formats[] = {
    FILE_OF("callgrind", "Outputs a graph in callgrind format", "callgraph.out", report_callgrind,
            EVERYTHING),
    TEXT("comments", "Output all profile comments", report_comments, 0),
    MATCHING("disasm", "Output assembly listings annotated with samples", report_disasm,
             REPORT_NO_TRIM | REPORT_ADDRESSES | REPORT_NO_INLINES),
    TEXT("dot", "Outputs a graph in DOT format", report_dot, 0),
    IMAGE("eog", "Visualize graph through eog", "svg", "eog"),
    IMAGE("evince", "Visualize graph through evince", "pdf", "evince"),
    {{"flame", "Outputs a page with an interactive flame graph, or one in characters", NULL, NULL,
      NULL, "html", true, flame_variants, true},
     report_flame,
     REPORT_NO_TRIM | REPORT_FILE_FUNCTIONS},
    SUMS("flamebearer", "Outputs stacks as flamebearer JSON", report_flamebearer, REPORT_NO_TRIM),
    FILE_OF("flamegraph", "Outputs a flame graph in SVG format", "svg", report_flamegraph,
            REPORT_NO_TRIM),
    TEXT("folded", "Outputs stacks in folded form, one line each", report_folded, REPORT_NO_TRIM),
    IMAGE("gif", "Outputs a graph image in GIF format", "gif", NULL),
    IMAGE("gv", "Visualize graph through gv", "ps", "gv --noantialias"),
    SUMS("json", "Outputs totals and functions in JSON", report_json,
         REPORT_NO_TRIM | REPORT_FILE_FUNCTIONS | REPORT_ALL_NODES),
    {{"kcachegrind", "Visualize report in KCachegrind", NULL, NULL, "kcachegrind", "grind", true,
      NULL, false},
     report_callgrind,
     EVERYTHING},
    MATCHING("list", "Output annotated source for functions matching regexp", report_list,
             REPORT_NO_TRIM | REPORT_LINES),
    IMAGE("pdf", "Outputs a graph in PDF format", "pdf", NULL),
    MATCHING("peek", "Output callers/callees of functions matching regexp", report_peek,
             REPORT_NO_TRIM),
    IMAGE("png", "Outputs a graph image in PNG format", "png", NULL),
    FILE_OF("proto", "Outputs the profile in compressed protobuf format", "pb.gz", report_proto,
            EVERYTHING | REPORT_NO_AGGREGATE),
    IMAGE("ps", "Outputs a graph in PS format", "ps", NULL),
    TEXT("raw", "Outputs a text representation of the raw profile", report_raw,
         EVERYTHING | REPORT_NO_AGGREGATE),
    TEXT("speedscope", "Outputs the profile for https://www.speedscope.app", report_speedscope,
         EVERYTHING),
    IMAGE("svg", "Outputs a graph in SVG format", "svg", NULL),
    TEXT("tags", "Outputs all tags in the profile", report_tags, 0),
    SUMS("text", "Outputs top entries in text form", report_top, REPORT_ALL_NODES),
    SUMS("top", "Outputs top entries in text form", report_top, REPORT_ALL_NODES),
    FILE_OF("topproto", "Outputs top entries in compressed protobuf format", "pb.gz",
            report_topproto, REPORT_ALL_NODES),
    TEXT("traces", "Outputs all profile samples in text form", report_traces, 0),
    TEXT("tree", "Outputs a text rendering of call graph", report_tree, 0),
    IMAGE("web", "Visualize graph through web browser", "svg", "browser"),
    {{"weblist", "Display annotated source in a web browser", "regexp", NULL, "browser", "html",
      false, NULL, false},
     report_weblist,
     REPORT_NO_TRIM | REPORT_ADDRESSES | REPORT_INLINES | REPORT_PARAMETER},
};

const pprofc_format_info *pprofc_format_at(size_t index) {
  return index < COUNT(formats) ? &formats[index].info : NULL;
}

const struct report_format *report_format_find(const char *name) {
  for (size_t i = 0; name && i < COUNT(formats); i++)
    if (strcmp(formats[i].info.name, name) == 0) return &formats[i];
  return NULL;
}
