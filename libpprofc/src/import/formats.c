/* Table of the formats of other tools and of old formats, in the order in which the library tries
 * them. */
#include "import/formats.h"

const struct import_format import_formats[] = {
    {"Flight Recorder", import_jfr, false, NULL},
    {"gperftools CPU profile", import_gperftools_cpu, true, NULL},
    {"heap profile", import_heap_text, true, NULL},
    {"Go count profile", import_go_count, true, NULL},
    {"thread profile", import_threadz, true, NULL},
    {"contention profile", import_contention, true, NULL},
    {"Java profile", import_java, true, NULL},
    {"jemalloc heap profile", import_jemalloc, true, NULL},
    {"callgrind", import_callgrind, false, NULL},
    {"pstats", import_pstats, false, NULL},
    {"OTLP profiles", import_otlp, true, NULL},
    {"JSON profile", import_json, false, NULL},
    {"perf.data", import_perf_data, false, NULL},
    {"simpleperf", import_simpleperf, false, NULL},
    {"bpftrace", import_bpftrace, false, NULL},
    {"Rprof", import_rprof, false, NULL},
    {"GHC profile", import_ghc_prof, false, NULL},
    {"xctrace export", import_xctrace, false, NULL},
    {"goroutine dump", import_go_dump, false, NULL},
    {"DTrace", import_dtrace, false, NULL},
    {"perf script", import_perf_script, false, import_perf_lines},
    {"Instruments text", import_instruments, false, NULL},
    {"macOS sample", import_macos_sample, false, NULL},
    {"VTune", import_vtune, false, NULL},
    {"pmcstat call graph", import_pmcstat, false, NULL},
    {"Papyrus log", import_papyrus, false, NULL},
    {"Austin", import_austin, false, NULL},
    /* folded stacks are last, because only the form of their lines identifies them */
    {"folded stacks", import_folded, false, import_folded_lines},
    {NULL, NULL, false, NULL},
};
