/* Table of the formats of other tools and of old formats, and the function that runs a reader. The
 * library tries the formats in the order of the table. */
#include "import/import.h"

const struct import_format import_formats[] = {
    {"Flight Recorder", import_jfr, false, import_is_jfr, NULL},
    {"gperftools CPU profile", import_gperftools_cpu, true, import_is_gperftools_cpu, NULL},
    {"heap profile", import_heap_text, true, import_is_heap_text, NULL},
    {"Go count profile", import_go_count, true, import_is_go_count, NULL},
    {"thread profile", import_threadz, true, import_is_threadz, NULL},
    {"contention profile", import_contention, true, import_is_contention, NULL},
    {"Java profile", import_java, true, import_is_java, NULL},
    {"jemalloc heap profile", import_jemalloc, true, import_is_jemalloc, NULL},
    {"callgrind", import_callgrind, false, import_is_callgrind, NULL},
    {"pstats", import_pstats, false, import_is_pstats, NULL},
    {"OTLP profiles", import_otlp, true, import_is_otlp, NULL},
    {"JSON profile", import_json, false, import_is_json, NULL},
    {"perf.data", import_perf_data, false, import_is_perf_data, NULL},
    {"simpleperf", import_simpleperf, false, import_is_simpleperf, NULL},
    {"bpftrace", import_bpftrace, false, import_is_bpftrace, NULL},
    {"Rprof", import_rprof, false, import_is_rprof, NULL},
    {"GHC profile", import_ghc_prof, false, import_is_ghc_prof, NULL},
    {"xctrace export", import_xctrace, false, import_is_xctrace, NULL},
    {"goroutine dump", import_go_dump, false, import_is_go_dump, NULL},
    {"DTrace", import_dtrace, false, import_is_dtrace, NULL},
    {"perf script", import_perf_script, false, import_is_perf_script, import_perf_lines},
    {"Instruments text", import_instruments, false, import_is_instruments, NULL},
    {"macOS sample", import_macos_sample, false, import_is_macos_sample, NULL},
    {"VTune", import_vtune, false, import_is_vtune, NULL},
    {"pmcstat call graph", import_pmcstat, false, import_is_pmcstat, NULL},
    {"Papyrus log", import_papyrus, false, import_is_papyrus, NULL},
    {"Austin", import_austin, false, import_is_austin, NULL},
    /* folded stacks are last, because only the form of their lines identifies them */
    {"folded stacks", import_folded, false, import_is_folded, import_folded_lines},
    {0},
};

pprofc_status
import_build(void (*read)(void *context, pprofc_builder *builder, struct arena *arena),
             void *context, const pprofc_allocator *mem, const struct import_options *options,
             pprofc_profile **profile, pprofc_error *error) {
  pprofc_builder *builder = pprofc_builder_new(mem);
  if (!builder) return error_nomem(error);
  builder_limit_depth(builder, options->limits->stack_depth);
  builder_keep_times(builder, options->times);
  struct arena arena = arena_make(mem);
  read(context, builder, &arena);
  pprofc_status status = pprofc_builder_finish(builder, profile, error);
  arena_free(&arena);
  pprofc_builder_free(builder);
  return status;
}

/* Arguments that import_build passes to import_run. */
struct import_input {
  const struct import_format *format;
  pprofc_str data;
  const struct import_options *options;
};

static void import_run(void *context, pprofc_builder *builder, struct arena *arena) {
  const struct import_input *input = context;
  input->format->read(input->data, builder, arena, input->options);
}

pprofc_status import_read(const struct import_format *format, pprofc_str data,
                          const pprofc_allocator *mem, const struct import_options *options,
                          pprofc_profile **profile, pprofc_error *error) {
  struct import_input input = {format, data, options};
  if (!format->begins(data)) return PPROFC_E_NO_MATCH;
  pprofc_status status = import_build(import_run, &input, mem, options, profile, error);
  /* import_refuse_at stores an address in place of an offset, so convert the address here. */
  uint64_t start = (uint64_t)(uintptr_t)data.data;
  if (status != PPROFC_OK && error && error->offset - start <= data.size) error->offset -= start;
  return status;
}
