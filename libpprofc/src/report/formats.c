/* Table of report formats. A row has the name, the help text and the file extension of a format,
 * and the function that prints it. */
#include "report/report.h"

/* TEXT makes the table row of a text format. JSON makes the table row of a format that other tools
 * read. */
#define TEXT(n, h, fn, f)                                                                          \
  { .info = {.name = n, .help = h}, .render = fn, .flags = (f) | REPORT_LOG }
#define JSON(n, h, fn, f, sums)                                                                    \
  { .info = {.name = n, .help = h, .adds_up = sums}, .render = fn, .flags = f }
/* Makes the table row of a text format that prints only sums of samples. */
#define SUMS(n, h, fn, f)                                                                          \
  { .info = {.name = n, .help = h, .adds_up = true}, .render = fn, .flags = (f) | REPORT_LOG }
#define MATCHING(n, h, fn, f)                                                                      \
  {                                                                                                \
    .info = {.name = n, .help = h, .argument = "regexp", .adds_up = true}, .render = fn,           \
    .flags = (f) | REPORT_PARAMETER | REPORT_LOG                                                   \
  }
#define FILE_OF(n, h, ext, fn, f)                                                                  \
  { .info = {.name = n, .help = h, .extension = ext, .binary = true}, .render = fn, .flags = f }
#define IMAGE(n, h, type, program)                                                                 \
  {                                                                                                \
    .info = {.name = n,                                                                            \
             .help = h,                                                                            \
             .graphviz = type,                                                                     \
             .viewer = program,                                                                    \
             .extension = type,                                                                    \
             .binary = true},                                                                      \
    .render = report_dot, .flags = DRAWING                                                         \
  }

#define DRAWING    (REPORT_AGGREGATES | REPORT_SUMS | REPORT_LABELS | REPORT_PASSES)
#define EVERYTHING (REPORT_NO_TRIM | REPORT_ADDRESSES)
#define STACKS     (REPORT_NO_TRIM | REPORT_AGGREGATES | REPORT_SUMS | REPORT_PASSES | REPORT_ALL_TYPES)
#define CALLGRIND  (EVERYTHING | REPORT_AGGREGATES | REPORT_SUMS | REPORT_PASSES | REPORT_LOG)

static const char *const flame_variants[] = {"html", "text", NULL};

static const struct report_format formats[] = {
    FILE_OF("callgrind", "Outputs a graph in callgrind format", "callgraph.out", report_callgrind,
            CALLGRIND),
    TEXT("comments", "Output all profile comments", report_comments, REPORT_AGGREGATES),
    MATCHING("disasm", "Output assembly listings annotated with samples", report_disasm,
             REPORT_NO_TRIM | REPORT_ADDRESSES | REPORT_NO_INLINES | REPORT_SUMS | REPORT_PASSES),
    TEXT("dot", "Outputs a graph in DOT format", report_dot, DRAWING),
    IMAGE("eog", "Visualize graph through eog", "svg", "eog"),
    IMAGE("evince", "Visualize graph through evince", "pdf", "evince"),
    {.info = {.name = "flame",
              .help = "Outputs a flame graph, as an interactive page or as text",
              .extension = "html",
              .binary = true,
              .variants = flame_variants,
              .adds_up = true},
     .render = report_flame,
     .flags = STACKS | REPORT_FILE_FUNCTIONS | REPORT_LABELS | REPORT_TOTALS | REPORT_TIMES},
    JSON("flamebearer", "Outputs stacks as flamebearer JSON", report_flamebearer, STACKS, true),
    FILE_OF("flamegraph", "Outputs a flame graph in SVG format", "svg", report_flamegraph,
            STACKS | REPORT_FILE_FUNCTIONS | REPORT_TOTALS),
    TEXT("folded", "Outputs stacks in folded form, one line each", report_folded,
         REPORT_NO_TRIM | REPORT_SUMS | REPORT_PASSES),
    IMAGE("gif", "Outputs a graph image in GIF format", "gif", NULL),
    IMAGE("gv", "Visualize graph through gv", "ps", "gv --noantialias"),
    JSON("json", "Outputs totals and functions in JSON", report_json,
         STACKS | REPORT_FILE_FUNCTIONS | REPORT_ALL_NODES, true),
    {.info = {.name = "kcachegrind",
              .help = "Visualize report in KCachegrind",
              .viewer = "kcachegrind",
              .extension = "grind",
              .binary = true},
     .render = report_callgrind,
     .flags = CALLGRIND},
    MATCHING("list", "Output annotated source for functions matching regexp", report_list,
             REPORT_NO_TRIM | REPORT_LINES | REPORT_SUMS | REPORT_PASSES),
    FILE_OF("otlp", "Outputs the profile as OpenTelemetry's ProfilesData", "otlp", report_otlp,
            EVERYTHING),
    IMAGE("pdf", "Outputs a graph in PDF format", "pdf", NULL),
    MATCHING("peek", "Output callers/callees of functions matching regexp", report_peek,
             REPORT_NO_TRIM | REPORT_AGGREGATES | REPORT_SUMS | REPORT_PASSES),
    IMAGE("png", "Outputs a graph image in PNG format", "png", NULL),
    FILE_OF("proto", "Outputs the profile in compressed protobuf format", "pb.gz", report_proto,
            EVERYTHING),
    IMAGE("ps", "Outputs a graph in PS format", "ps", NULL),
    TEXT("raw", "Outputs a text representation of the raw profile", report_raw, EVERYTHING),
    JSON("speedscope", "Outputs the profile for https://www.speedscope.app", report_speedscope,
         EVERYTHING | STACKS | REPORT_TIMES, false),
    IMAGE("svg", "Outputs a graph in SVG format", "svg", NULL),
    TEXT("tags", "Outputs all tags in the profile", report_tags,
         REPORT_SUMS | REPORT_LABELS | REPORT_NO_STACKS),
    SUMS("text", "Outputs top entries in text form", report_top,
         REPORT_ALL_NODES | REPORT_AGGREGATES | REPORT_SUMS | REPORT_PASSES),
    SUMS("top", "Outputs top entries in text form", report_top,
         REPORT_ALL_NODES | REPORT_AGGREGATES | REPORT_SUMS | REPORT_PASSES),
    FILE_OF("topproto", "Outputs top entries in compressed protobuf format", "pb.gz",
            report_topproto, REPORT_ALL_NODES | REPORT_AGGREGATES | REPORT_SUMS | REPORT_PASSES),
    TEXT("traces", "Outputs all profile samples in text form", report_traces, 0),
    SUMS("tree", "Outputs a text rendering of call graph", report_tree,
         REPORT_AGGREGATES | REPORT_SUMS | REPORT_PASSES),
    IMAGE("web", "Visualize graph through web browser", "svg", "browser"),
    {.info = {.name = "weblist",
              .help = "Display annotated source in a web browser",
              .argument = "regexp",
              .viewer = "browser",
              .extension = "html"},
     .render = report_weblist,
     .flags = REPORT_NO_TRIM | REPORT_ADDRESSES | REPORT_INLINES | REPORT_PARAMETER | REPORT_LOG |
              REPORT_SUMS},
};

const pprofc_format_info *pprofc_format_at(size_t index) {
  return index < COUNT(formats) ? &formats[index].info : NULL;
}

const struct report_format *report_format_find(const char *name) {
  return name ? STR_ROW(str_of(name), formats) : NULL;
}
