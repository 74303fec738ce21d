/* Reading a profile of any format: profile.proto first, then the table of formats. */
#include "codec/codec.h"
#include "core/budget.h"
#include "core/options.h"
#include "import/formats.h"
#include "import/lines.h"

#include <stdio.h>

#define NEAREST_MAX 400 /* bytes of a sentence */

void pprofc_read_options_init(pprofc_read_options *options) {
  *options = (pprofc_read_options){.struct_size = sizeof *options};
}

/* The input: a file, or, when path is NULL, memory. */
struct open_input_source {
  const char *path;
  const void *data;
  size_t size;
};

/* Replaces zero fields of the limits by the defaults. */
static pprofc_limits effective_limits(const pprofc_limits *given) {
  pprofc_limits limits;
  pprofc_limits_init(&limits);
  if (given->input_bytes) limits.input_bytes = given->input_bytes;
  if (given->inflated_bytes) limits.inflated_bytes = given->inflated_bytes;
  if (given->inflate_ratio) limits.inflate_ratio = given->inflate_ratio;
  if (given->memory_bytes) limits.memory_bytes = given->memory_bytes;
  if (given->stack_depth) limits.stack_depth = given->stack_depth;
  if (given->labels) limits.labels = given->labels;
  if (given->string_bytes) limits.string_bytes = given->string_bytes;
  return limits;
}

/* Whether the magnitudes of a sample type add up to what no report can show. */
static bool open_total_is_too_large(const pprofc_profile *profile, size_t type) {
  const struct samples *samples = &profile->samples;
  uint64_t sum = 0;
  for (size_t i = 0; i < samples->count; i++) {
    int64_t value = samples->values[i * profile->type_count + type];
    sum += value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    if (sum > INT64_MAX) return true;
  }
  return false;
}

/* What is wrong with the totals of a profile that was read. */
static pprofc_status open_check_totals(const struct import_format *format, pprofc_profile **profile,
                                       pprofc_error *error) {
  for (size_t type = 0; !format->wraps && type < (*profile)->type_count; type++) {
    if (!open_total_is_too_large(*profile, type)) continue;
    pprofc_str name = profile_string(*profile, (*profile)->types[type].type);
    error_set(error, PPROFC_E_FORMAT, "the total of '%.*s' does not fit 63 bits",
              (int)(name.size < 100 ? name.size : 100), name.data);
    pprofc_profile_release(*profile);
    *profile = NULL;
    return PPROFC_E_FORMAT;
  }
  return PPROFC_OK;
}

/* Tries the formats of the table. PPROFC_E_NO_MATCH when the data has none of them. */
static pprofc_status try_formats(pprofc_str data, const pprofc_allocator *mem,
                                 const pprofc_read_options *options, pprofc_profile **profile,
                                 pprofc_error *error) {
  for (const struct import_format *format = import_formats; format->name; format++) {
    pprofc_error why = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
    pprofc_status status = format->read(data, mem, options, profile, &why);
    if (status == PPROFC_OK) status = open_check_totals(format, profile, &why);
    if (status == PPROFC_OK) return status;
    if (status == PPROFC_E_NO_MATCH) continue;
    *error = why;
    if (status != PPROFC_E_NOMEM) error_prefix(error, "%s: ", format->name);
    return status;
  }
  return PPROFC_E_NO_MATCH;
}

/* Reads what is no profile.proto; text of UTF-16 becomes UTF-8 first. `ours` and *error are the
 * status and the message of the pprof reader; when no format matches, the message becomes part of
 * the new one, a limit stays one, and `nearest` becomes what the data is, or "". */
static pprofc_status read_foreign(const struct input *input, const pprofc_read_options *options,
                                  pprofc_status ours, pprofc_profile **profile,
                                  char nearest[NEAREST_MAX], pprofc_error *error) {
  const pprofc_allocator *mem = &input->region->mem;
  pprofc_str data = {(const char *)input->data, input->size};
  struct buffer utf8;
  pprofc_status status = import_text(data, mem, &utf8, &data, error);
  if (status == PPROFC_OK) status = try_formats(data, mem, options, profile, error);
  if (status == PPROFC_E_NO_MATCH && ours != PPROFC_E_LIMIT)
    import_nearest(data, nearest, NEAREST_MAX);
  buffer_free(&utf8);
  if (status != PPROFC_E_NO_MATCH) return status;
  if (ours == PPROFC_E_LIMIT) return ours;
  error_prefix(error, "unrecognized profile format: ");
  return PPROFC_E_FORMAT;
}

/* Copies the caller's options and limits; options->limits points to *limits. */
static pprofc_status copy_options(const pprofc_read_options *given, pprofc_read_options *options,
                                  pprofc_limits *limits, pprofc_error *error) {
  pprofc_read_options_init(options);
  pprofc_status status =
      options_copy(options, sizeof *options, given, "pprofc_read_options", error);
  pprofc_limits_init(limits);
  if (!status)
    status = options_copy(limits, sizeof *limits, options->limits, "pprofc_limits", error);
  *limits = effective_limits(limits);
  options->limits = limits;
  return status;
}

static pprofc_status open_read_input(const struct input *input, const pprofc_read_options *options,
                                     pprofc_profile **profile, char nearest[NEAREST_MAX],
                                     pprofc_error *error) {
  bool certain;
  pprofc_status status =
      pprof_decode(input, options->limits, options->threads, profile, &certain, error);
  if (status == PPROFC_OK || certain) return status;
  status = read_foreign(input, options, status, profile, nearest, error);
  if (status == PPROFC_OK) (*profile)->threads = options->threads;
  return status;
}

/* Adds samples up while they are read, where the caller allows it and it pays. */
static pprofc_status open_fold(const struct open_input_source *source, const pprofc_allocator *mem,
                               const pprofc_read_options *options, pprofc_profile **profile) {
  struct fold_options fold = {.mem = mem,
                              .limits = options->limits,
                              .threads = options->threads,
                              .labels = options->folding == PPROFC_FOLD_EQUAL,
                              .any_order = options->folding >= PPROFC_FOLD_ORDER,
                              .compact = options->folding == PPROFC_FOLD_SUMS,
                              .sample_index = options->fold_sample_index,
                              .compared = options->fold_compared,
                              .as_rows = options->fold_rows,
                              .always = options->fold_always};
  if (options->folding == PPROFC_FOLD_NOTHING) return PPROFC_E_NO_MATCH;
  if (source->path) return fold_read_file(source->path, &fold, profile);
  return fold_read_memory(source->data, source->size, &fold, profile);
}

/* Adds to the message of a failure where it was met, and what the input is. */
static void open_complete_message(const char *nearest, pprofc_error *error) {
  size_t length = strlen(error->message), room = sizeof error->message - length;
  if (error->offset != PPROFC_NO_OFFSET && room > 40)
    length += (size_t)snprintf(error->message + length, room, " at byte %llu",
                               (unsigned long long)error->offset);
  if (*nearest && length + strlen(nearest) + 4 < sizeof error->message)
    snprintf(error->message + length, sizeof error->message - length, " (%s)", nearest);
}

/* Reads, and completes the message of a failure: "parsing profile: truncated varint at byte 512".
 */
static pprofc_status read_within(const struct open_input_source *source,
                                 const pprofc_allocator *mem, const pprofc_read_options *options,
                                 pprofc_profile **profile, pprofc_error *error) {
  struct input input = {0};
  pprofc_profile *made = NULL;
  const char *what = "decompressing profile: ";
  char nearest[NEAREST_MAX] = "";
  pprofc_status status = open_fold(source, mem, options, profile);
  if (status == PPROFC_OK) return status;
  status =
      source->path
          ? input_read_file(source->path, mem, options->limits, !options->may_change, &input, error)
          : input_read_memory(source->data, source->size, mem, options->limits, &input, error);
  bool open = status == PPROFC_OK;
  if (open) {
    what = "parsing profile: ";
    status = open_read_input(&input, options, &made, nearest, error);
  }
  if (status == PPROFC_E_FORMAT) error_prefix(error, "%s", what);
  if (status != PPROFC_OK) open_complete_message(nearest, error);
  if (open) region_release(input.region);
  if (status == PPROFC_OK) *profile = made;
  return status;
}

/* Reads within a budget: the caller's when its allocator has one, else one of its own. */
static pprofc_status read_profile(const struct open_input_source *source,
                                  const pprofc_read_options *given, pprofc_profile **profile,
                                  pprofc_error *error) {
  pprofc_error local;
  if (!error) error = &local;
  *error = (pprofc_error){PPROFC_OK, PPROFC_NO_OFFSET, ""};
  pprofc_read_options options;
  pprofc_limits limits;
  pprofc_status status = copy_options(given, &options, &limits, error);
  if (status) return status;
  struct budget *budget = budget_of(options.allocator);
  budget = budget ? budget_retain(budget) : budget_new(options.allocator, limits.memory_bytes);
  if (!budget) return error_nomem(error);
  const pprofc_allocator *mem = budget_allocator(budget);
  status = read_within(source, mem, &options, profile, error);
  status = budget_status(mem, status, error);
  budget_release(budget);
  return status;
}

pprofc_status pprofc_profile_read_file(const char *path, const pprofc_read_options *options,
                                       pprofc_profile **profile, pprofc_error *error) {
  pprofc_status status =
      read_profile(&(struct open_input_source){.path = path}, options, profile, error);
  if (status != PPROFC_OK) error_prefix(error, "cannot read '%s': ", path);
  return status;
}

pprofc_status pprofc_profile_read_memory(const void *data, size_t size,
                                         const pprofc_read_options *options,
                                         pprofc_profile **profile, pprofc_error *error) {
  struct open_input_source source = {NULL, data, size};
  return read_profile(&source, options, profile, error);
}
