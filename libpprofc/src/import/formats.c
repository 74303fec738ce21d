/* Table of foreign and legacy formats, in the order in which they are tried. */
#include "import/formats.h"

const struct import_format import_formats[] = {
    {"Flight Recorder", import_jfr, false},
    {"gperftools CPU profile", import_gperftools_cpu, true},
    {"heap profile", import_heap_text, true},
    {"Go count profile", import_go_count, true},
    {"thread profile", import_threadz, true},
    {"contention profile", import_contention, true},
    {"Java profile", import_java, true},
    {"jemalloc heap profile", import_jemalloc, true},
    {"callgrind", import_callgrind, false},
    {"pstats", import_pstats, false},
    {"JSON profile", import_json, false},
    {"OTLP profiles", import_otlp, true},
    {"goroutine dump", import_go_dump, false},
    {"perf script", import_perf_script, false},
    {"Instruments text", import_instruments, false},
    {"pmcstat call graph", import_pmcstat, false},
    {"Papyrus log", import_papyrus, false},
    {"Austin", import_austin, false},
    {"folded stacks", import_folded, false}, /* last, because only its shape identifies the text */
    {NULL, NULL, false},
};
