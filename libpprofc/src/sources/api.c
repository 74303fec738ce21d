/* Implements pprofc_sources_read. */
#include "core/error.h"
#include "sources/sources.h"

struct sources_call {
  pprofc_sources_options options;
  const char *const *sources;
  size_t count;
};

void pprofc_sources_options_init(pprofc_sources_options *options) {
  *options = (pprofc_sources_options){.struct_size = sizeof *options, .kind = PPROFC_COMPARE};
}

static pprofc_status call_next(void *context, size_t from, struct source *sources, size_t *count,
                               pprofc_error *error) {
  const struct sources_call *call = context;
  (void)error;
  for (size_t i = from; i < call->count + call->options.base_count && *count < SOURCES_CHUNK; i++) {
    struct source *source = &sources[(*count)++];
    source->is_base = i >= call->count;
    source->shown = source->is_base ? call->options.bases[i - call->count] : call->sources[i];
  }
  return PPROFC_OK;
}

static pprofc_status call_read(void *context, struct source *source,
                               const pprofc_read_options *options) {
  (void)context;
  return pprofc_profile_read_file(source->shown, options, &source->profile, &source->error);
}

static pprofc_status call_take(void *context, struct source *source, pprofc_error *error) {
  const pprofc_sources_options *o = &((const struct sources_call *)context)->options;
  (void)error;
  if (!source->profile) o->skip(o->skip_context, source->shown, &source->error);
  return PPROFC_OK;
}

static void call_warn(void *context, const struct source *source, pprofc_str text) {
  const pprofc_sources_options *o = &((const struct sources_call *)context)->options;
  char line[800];
  if (source && o->read && o->read->warn) {
    snprintf(line, sizeof line, "%.300s: %.*s", source->shown, STR_ARG(text));
    o->read->warn(o->read->warn_context, line);
  }
  if (!source && o->warn) o->warn(o->warn_context, text.data);
}

static pprofc_status call_run(struct sources_call *call, const pprofc_read_options *read,
                              pprofc_profile **profile, pprofc_error *error) {
  const pprofc_sources_options *o = &call->options;
  struct source_reader reader = {.context = call,
                                 .mem = read->allocator,
                                 .options = read,
                                 .kind = o->kind,
                                 .strict = !o->skip || call->count + o->base_count == 1,
                                 .next = call_next,
                                 .read = call_read,
                                 .take = call_take,
                                 .warn = call_warn};
  struct source_sums sums;
  pprofc_status status = sources_add_up(&reader, &sums, error);
  if (status == PPROFC_OK) status = sources_subtract(&reader, &sums, o->normalize, false, error);
  if (status == PPROFC_OK)
    status = sources_drop_frames(&sums.head.sum, o->warn, o->warn_context, error);
  if (status == PPROFC_OK) *profile = pprofc_profile_retain(sums.head.sum);
  sources_release(&sums);
  return status;
}

pprofc_status pprofc_sources_read(const char *const *sources, size_t count,
                                  const pprofc_sources_options *options, pprofc_profile **profile,
                                  pprofc_error *error) {
  struct sources_call call = {.sources = sources, .count = count};
  struct open_settings settings;
  pprofc_error local;
  if (!error) error = &local;
  pprofc_status status = OPTIONS_COPY(pprofc_sources_options, &call.options, options, error);
  if (status == PPROFC_OK) status = open_settings_begin(&settings, call.options.read, error);
  if (status != PPROFC_OK) return status;
  return open_settings_end(&settings, call_run(&call, &settings.options, profile, error), error);
}
