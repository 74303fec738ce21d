/* The table of foreign and legacy formats, in the order in which they are tried. */
#include "import/formats.h"

const struct import_format import_formats[] = {
    {"Flight Recorder", import_jfr},
    {"gperftools CPU profile", import_gperftools_cpu},
    {"heap profile", import_heap_text},
    {"Go count profile", import_go_count},
    {"thread profile", import_threadz},
    {"contention profile", import_contention},
    {"Java profile", import_java},
    {"jemalloc heap profile", import_jemalloc},
    {"callgrind", import_callgrind},
    {"JSON profile", import_json},
    {"OTLP profiles", import_otlp},
    {"goroutine dump", import_go_dump},
    {"perf script", import_perf_script},
    {"Instruments text", import_instruments},
    {"pmcstat call graph", import_pmcstat},
    {"Papyrus log", import_papyrus},
    {"Austin", import_austin},
    {"folded stacks", import_folded}, /* last: text is recognised by its shape alone */
    {NULL, NULL},
};
