/* Opens a profile of any format: tries profile.proto first, then the other formats. */
#include "open.h"

#include "codec/codec.h"
#include "core/budget.h"
#include "core/options.h"
#include "import/formats.h"
#include "import/lines.h"

#include <stdio.h>

#define FOLDER_MAX  4096
#define NEAREST_MAX 400 /* maximum size of import_nearest's sentence in bytes */
#define RATIO_FROM                                                                                 \
  ((uint64_t)64 << 20) /* memory in bytes below which inflate_ratio does not                       \
                          apply */

void pprofc_read_options_init(pprofc_read_options *options) {
  *options = (pprofc_read_options){.struct_size = sizeof *options};
}

/* An input: a file, or memory if path is NULL. */
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

/* True if the sum of the magnitudes of a sample type does not fit 63 bits. */
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

/* Rejects a profile with totals that do not fit 63 bits, unless its format allows it. */
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

/* Tries the formats of the table. Returns PPROFC_E_NO_MATCH if the data matches no format. */
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

/* Returns the maximum memory for reading in bytes: inflate_ratio times the input, at least 64
 * MiB, and at most memory_bytes. */
static uint64_t foreign_most_bytes(const struct input *input, const pprofc_limits *limits) {
  uint64_t most;
  if (__builtin_mul_overflow(input->source_size, limits->inflate_ratio, &most)) most = UINT64_MAX;
  if (most < RATIO_FROM) most = RATIO_FROM;
  return most < limits->memory_bytes ? most : limits->memory_bytes;
}

/* Warns if the reader left out more than 1 % of the events. */
static void foreign_warn(const pprofc_profile *profile, const pprofc_read_options *options) {
  char text[200];
  for (size_t i = 0; options->warn && i < profile->comment_count; i++) {
    pprofc_str note = profile_string(profile, profile->comments[i]), number;
    uint64_t left_out, all;
    if (!str_starts(note, STR(IMPORT_LEFT_OUT))) continue;
    pprofc_str rest = str_slice(note, strlen(IMPORT_LEFT_OUT), note.size);
    bool good = str_next(&rest, ' ', &number) && str_parse_uint(number, 10, &left_out) &&
                str_next(&rest, ' ', &number) && str_next(&rest, ' ', &number) &&
                str_parse_uint(number, 10, &all);
    if (!good || left_out <= all / 100) continue;
    snprintf(text, sizeof text, "%.*s; -comments gives the reasons",
             STR_ARG(str_slice(note, 0, 120)));
    options->warn(options->warn_context, text);
  }
}

/* Tries the formats of the table within `budget`. */
static pprofc_status foreign_read(struct budget *budget, pprofc_str data,
                                  const pprofc_read_options *options, pprofc_profile **profile,
                                  char nearest[NEAREST_MAX], pprofc_error *error) {
  const pprofc_allocator *mem = budget_allocator(budget);
  const pprofc_limits *limits = options->limits;
  uint64_t most = budget_bytes(mem);
  struct buffer utf8;
  pprofc_status status = import_text(data, mem, &utf8, &data, error);
  if (status == PPROFC_OK) status = try_formats(data, mem, options, profile, error);
  if (status == PPROFC_OK) foreign_warn(*profile, options);
  if (status == PPROFC_E_NO_MATCH && nearest) import_nearest(data, nearest, NEAREST_MAX);
  buffer_free(&utf8);
  if (status != PPROFC_E_NOMEM || !budget_passed(mem)) return status;
  if (most == limits->memory_bytes) return budget_status(mem, status, error);
  return error_set(error, PPROFC_E_LIMIT,
                   "profile needs more than %llu bytes of memory, %u times its size (raise the "
                   "limit inflate_ratio)",
                   (unsigned long long)most, limits->inflate_ratio);
}

/* Reads input that is not a profile.proto; UTF-16 is converted to UTF-8 first. `ours` and
 * *error are the status and message of the pprof reader. If no format matches, an error of
 * `ours` about a limit is returned unchanged. Other messages get a prefix, and `nearest` is
 * set to a description of the data, or "". */
static pprofc_status read_foreign(const struct input *input, const pprofc_read_options *options,
                                  pprofc_status ours, pprofc_profile **profile,
                                  char nearest[NEAREST_MAX], pprofc_error *error) {
  const pprofc_allocator *mem = &input->region->mem;
  pprofc_str data = {(const char *)input->data, input->size};
  struct budget *budget = budget_new(mem, foreign_most_bytes(input, options->limits));
  if (!budget) return error_nomem(error);
  pprofc_status status =
      foreign_read(budget, data, options, profile, ours == PPROFC_E_LIMIT ? NULL : nearest, error);
  budget_resize_to(budget, UINT64_MAX); /* reports allocate within the caller's budget */
  budget_release(budget);
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

/* Reads into a stack tree if the caller needs sums only. */
static pprofc_status open_fold(const struct open_input_source *source, const pprofc_allocator *mem,
                               const pprofc_read_options *options, const struct open_sums *sums,
                               pprofc_profile **profile) {
  if (!sums) return PPROFC_E_NO_MATCH;
  struct fold_options fold = {.mem = mem,
                              .limits = options->limits,
                              .threads = options->threads,
                              .labels = sums->labels,
                              .tree = sums->tree,
                              .sample_index = sums->sample_index,
                              .always = sums->always};
  if (source->path) return fold_read_file(source->path, &fold, profile);
  return fold_read_memory(source->data, source->size, &fold, profile);
}

/* Appends the offset of the failure and the description of the input to the message. */
static void open_complete_message(const char *nearest, pprofc_error *error) {
  size_t length = strlen(error->message), room = sizeof error->message - length;
  if (error->offset != PPROFC_NO_OFFSET && room > 40)
    length += (size_t)snprintf(error->message + length, room, " at byte %llu",
                               (unsigned long long)error->offset);
  if (*nearest && length + strlen(nearest) + 4 < sizeof error->message)
    snprintf(error->message + length, sizeof error->message - length, " (%s)", nearest);
}

static pprofc_status open_read_bytes(const struct open_input_source *source,
                                     const pprofc_allocator *mem,
                                     const pprofc_read_options *options, struct input *input,
                                     pprofc_error *error) {
  if (!source->path)
    return input_read_memory(source->data, source->size, mem, options->limits, input, error);
  return input_read_file(source->path, mem, options->limits, !options->may_change, input, error);
}

/* Reads the input, and completes the message of a failure:
 * "parsing profile: truncated varint at byte 512". */
static pprofc_status read_source(const struct open_input_source *source,
                                 const pprofc_allocator *mem, const pprofc_read_options *options,
                                 const struct open_sums *sums, pprofc_profile **profile,
                                 pprofc_error *error) {
  struct input input = {0};
  pprofc_profile *made = NULL;
  const char *what = "decompressing profile: ";
  char nearest[NEAREST_MAX] = "";
  pprofc_status status = open_fold(source, mem, options, sums, profile);
  if (status == PPROFC_OK) return status;
  status = open_read_bytes(source, mem, options, &input, error);
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

/* Reads a pipe into memory first, because two readers may need its bytes. */
static pprofc_status read_within(const struct open_input_source *source,
                                 const pprofc_allocator *mem, const pprofc_read_options *options,
                                 const struct open_sums *sums, pprofc_profile **profile,
                                 pprofc_error *error) {
  struct input bytes;
  if (!sums || !source->path || !input_is_pipe(source->path))
    return read_source(source, mem, options, sums, profile, error);
  pprofc_status status = input_read_bytes(source->path, mem, options->limits, &bytes, error);
  if (status != PPROFC_OK) return status;
  const struct open_input_source memory = {NULL, bytes.data, bytes.size};
  status = read_source(&memory, mem, options, sums, profile, error);
  region_release(bytes.region);
  return status;
}

/* Sets the folder of the file as the one with the names of JIT compilers. */
static void open_set_folder(const struct open_input_source *source, pprofc_read_options *options,
                            char folder[FOLDER_MAX]) {
  if (options->map_folder || !source->path) return;
  const char *slash = strrchr(source->path, '/');
  size_t size = slash ? (size_t)(slash - source->path) + 1 : 0;
  if (size >= FOLDER_MAX) return;
  snprintf(folder, FOLDER_MAX, "%.*s", (int)size, size ? source->path : "");
  options->map_folder = size ? folder : ".";
}

/* Reads within the budget of the caller's allocator, or within a new one. */
static pprofc_status read_profile(const struct open_input_source *source,
                                  const pprofc_read_options *given, const struct open_sums *sums,
                                  pprofc_profile **profile, pprofc_error *error) {
  pprofc_error local;
  if (!error) error = &local;
  *error = (pprofc_error){PPROFC_OK, PPROFC_NO_OFFSET, ""};
  pprofc_read_options options;
  pprofc_limits limits;
  char folder[FOLDER_MAX];
  pprofc_status status = copy_options(given, &options, &limits, error);
  if (status) return status;
  open_set_folder(source, &options, folder);
  struct budget *budget = budget_of(options.allocator);
  budget = budget ? budget_retain(budget) : budget_new(options.allocator, limits.memory_bytes);
  if (!budget) return error_nomem(error);
  const pprofc_allocator *mem = budget_allocator(budget);
  status = read_within(source, mem, &options, sums, profile, error);
  status = budget_status(mem, status, error);
  budget_release(budget);
  return status;
}

pprofc_status open_file(const char *path, const pprofc_read_options *options,
                        const struct open_sums *sums, pprofc_profile **profile,
                        pprofc_error *error) {
  pprofc_status status =
      read_profile(&(struct open_input_source){.path = path}, options, sums, profile, error);
  if (status != PPROFC_OK) error_prefix(error, "cannot read '%s': ", path);
  return status;
}

pprofc_status open_memory(const void *data, size_t size, const pprofc_read_options *options,
                          const struct open_sums *sums, pprofc_profile **profile,
                          pprofc_error *error) {
  struct open_input_source source = {NULL, data, size};
  return read_profile(&source, options, sums, profile, error);
}

pprofc_status pprofc_profile_read_file(const char *path, const pprofc_read_options *options,
                                       pprofc_profile **profile, pprofc_error *error) {
  return open_file(path, options, NULL, profile, error);
}

pprofc_status pprofc_profile_read_memory(const void *data, size_t size,
                                         const pprofc_read_options *options,
                                         pprofc_profile **profile, pprofc_error *error) {
  return open_memory(data, size, options, NULL, profile, error);
}
