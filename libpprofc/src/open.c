/* Opens a profile of any format: tries profile.proto first, then the other formats. */
#include "open.h"
#include "codec/codec.h"
#include "import/reader.h"

#define FOLDER_MAX  4096
#define NEAREST_MAX 400 /* maximum size in bytes of the sentence that import_nearest writes */
/* Smallest memory limit in bytes that inflate_ratio sets. */
#define RATIO_FROM ((uint64_t)64 << 20)

void pprofc_read_options_init(pprofc_read_options *options) {
  *options = (pprofc_read_options){.struct_size = sizeof *options};
}

/* Size in bytes below which a text is read as a whole. A test program sets the limit to 1. */
#ifndef STREAM_FROM
#define STREAM_FROM (2 * TEXT_HEAD)
#endif

/* Minimum size in bytes of a file that is mapped into memory, and of a text that is read without a
 * copy. Both apply only to formats other than profile.proto. A test program sets the size to 1. */
#ifndef MAP_FROM
#define MAP_FROM ((size_t)8 << 20)
#endif

/* An input: a file, or memory if path is NULL. */
struct open_input_source {
  const char *path;
  const void *data;
  size_t size;
  bool overwrites;               /* true if the reader may overwrite `data` */
  const struct input_pipe *pipe; /* pipe from which the file is read, or NULL */
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

/* True if the sum of the magnitudes of all values of a sample type exceeds 63 bits. */
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

/* Rejects a profile with totals of more than 63 bits, unless the format allows such totals. */
static pprofc_status open_check_totals(const struct import_format *format, pprofc_profile **profile,
                                       pprofc_error *error) {
  for (size_t type = 0; !format->wraps && type < (*profile)->type_count; type++) {
    if (!open_total_is_too_large(*profile, type)) continue;
    pprofc_str name = profile_type(*profile, type);
    error_set(error, PPROFC_E_FORMAT, "the total of '%.*s' does not fit 63 bits",
              (int)(name.size < 100 ? name.size : 100), name.data);
    pprofc_profile_release(*profile);
    *profile = NULL;
    return PPROFC_E_FORMAT;
  }
  return PPROFC_OK;
}

/* Completes the result of a reader: checks totals, and names the format in the message of a
 * failure. */
static pprofc_status open_complete(const struct import_format *format, pprofc_status status,
                                   pprofc_profile **profile, pprofc_error *why,
                                   pprofc_error *error) {
  if (status == PPROFC_OK) status = open_check_totals(format, profile, why);
  if (status == PPROFC_OK || status == PPROFC_E_NO_MATCH) return status;
  *error = *why;
  if (status != PPROFC_E_NOMEM) error_prefix(error, "%s: ", format->name);
  return status;
}

/* Tries the formats of import_formats. Returns PPROFC_E_NO_MATCH if the data matches no format. */
static pprofc_status try_formats(pprofc_str data, const pprofc_allocator *mem,
                                 const struct import_options *options, pprofc_profile **profile,
                                 pprofc_error *error) {
  pprofc_status status = PPROFC_E_NO_MATCH;
  for (const struct import_format *format = import_formats;
       format->name && status == PPROFC_E_NO_MATCH; format++) {
    pprofc_error why = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
    status = import_read(format, data, mem, options, profile, &why);
    status = open_complete(format, status, profile, &why, error);
  }
  return status;
}

/* Tries the formats of import_formats that pprofc can read line by line. Returns PPROFC_E_NO_MATCH
 * if the text has another format. The caller must then read the whole text. */
static pprofc_status try_streams(struct text_stream *text, const pprofc_allocator *mem,
                                 const struct import_options *options, pprofc_profile **profile,
                                 pprofc_error *error) {
  struct import_options quiet = *options;
  pprofc_status status = PPROFC_E_NO_MATCH;
  quiet.warn = NULL;
  for (const struct import_format *format = import_formats;
       format->name && status == PPROFC_E_NO_MATCH; format++) {
    pprofc_error why = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
    if (format->lines) {
      status = format->lines(text, mem, options, profile, &why);
      status = open_complete(format, status, profile, &why, error);
      continue;
    }
    pprofc_profile *first = NULL;
    status = import_read(format, text->rest, mem, &quiet, &first, &why);
    pprofc_profile_release(first);
    if (status != PPROFC_E_NO_MATCH) return PPROFC_E_NO_MATCH;
  }
  return status;
}

/* Returns the maximum memory for reading in bytes: inflate_ratio times the input, at least 64
 * MiB, and at most memory_bytes. */
static uint64_t foreign_most_bytes(uint64_t source_size, const pprofc_limits *limits) {
  uint64_t most;
  if (__builtin_mul_overflow(source_size, limits->inflate_ratio, &most)) most = UINT64_MAX;
  if (most < RATIO_FROM) most = RATIO_FROM;
  return most < limits->memory_bytes ? most : limits->memory_bytes;
}

/* Passes the reader's comments about missing data to the caller's warning function. */
static void foreign_warn(const pprofc_profile *profile, const struct import_options *options) {
  char text[200];
  for (size_t i = 0; options->warn && i < profile->comment_count; i++)
    if (import_warning(profile_string(profile, profile->comments[i]), text, sizeof text))
      options->warn(options->warn_context, text);
}

/* Returns the status of a reader, with a message about the memory limit if the reader exceeded
 * `budget`. */
static pprofc_status foreign_status(struct budget *budget, const pprofc_limits *limits,
                                    pprofc_status status, pprofc_error *error) {
  const pprofc_allocator *mem = budget_allocator(budget);
  uint64_t most = budget_bytes(mem);
  if (status != PPROFC_E_NOMEM || !budget_passed(mem)) return status;
  if (most == limits->memory_bytes) return budget_status(mem, status, error);
  return error_set(error, PPROFC_E_LIMIT,
                   "profile needs more than %llu bytes of memory, %u times its size (raise the "
                   "limit inflate_ratio)",
                   (unsigned long long)most, limits->inflate_ratio);
}

/* Converts UTF-16 to UTF-8 and tries all formats of import_formats, within `budget`. If no format
 * matches, writes a sentence that describes the data to `nearest`, which may be NULL. */
static pprofc_status foreign_read(struct budget *budget, pprofc_str data,
                                  const struct import_options *options, pprofc_profile **profile,
                                  char *nearest, pprofc_error *error) {
  const pprofc_allocator *mem = budget_allocator(budget);
  struct buffer utf8;
  pprofc_status status = import_text(data, mem, &utf8, &data, error);
  if (status == PPROFC_OK) status = try_formats(data, mem, options, profile, error);
  if (status == PPROFC_OK) foreign_warn(*profile, options);
  if (status == PPROFC_E_NO_MATCH && nearest) import_nearest(data, nearest, NEAREST_MAX);
  buffer_free(&utf8);
  return foreign_status(budget, options->limits, status, error);
}

/* Calls foreign_read with a new budget. */
static pprofc_status foreign_try(const struct input *input, const struct import_options *options,
                                 pprofc_profile **profile, char *nearest, pprofc_error *error) {
  pprofc_str data = {(const char *)input->data, input->size};
  struct budget *budget =
      budget_new(&input->region->mem, foreign_most_bytes(input->source_size, options->limits));
  if (!budget) return error_nomem(error);
  pprofc_status status = foreign_read(budget, data, options, profile, nearest, error);
  budget_resize_to(budget, UINT64_MAX); /* reports may use more memory, up to the caller's limit */
  budget_release(budget);
  if (status == PPROFC_OK) (*profile)->threads = options->threads;
  return status;
}

/* Appends " at byte N", the position of the failure in the input, if this position is known. */
static void open_complete_message(pprofc_error *error) {
  size_t length = strlen(error->message), room = sizeof error->message - length;
  if (error->offset != PPROFC_NO_OFFSET && room > 40)
    snprintf(error->message + length, room, " at byte %llu", (unsigned long long)error->offset);
}

/* Completes the message of a failure: adds "parsing profile: " at the start and the offset of the
 * failure at the end. */
static pprofc_status open_explain(pprofc_status status, pprofc_error *error) {
  if (status == PPROFC_E_FORMAT) error_prefix(error, "parsing profile: ");
  if (status != PPROFC_OK && status != PPROFC_E_NO_MATCH) open_complete_message(error);
  return status;
}

/* Reads a text line by line, without keeping it. Returns PPROFC_E_NO_MATCH if another reader must
 * read the input. */
static pprofc_status read_stream(const struct text_bytes *bytes, uint64_t source_size,
                                 const pprofc_allocator *mem, const struct import_options *options,
                                 pprofc_profile **profile, pprofc_error *error) {
  struct text_stream text;
  struct budget *budget = budget_new(mem, foreign_most_bytes(source_size, options->limits));
  if (!budget) return error_nomem(error);
  mem = budget_allocator(budget);
  pprofc_status status =
      text_stream_open(&text, bytes, options->threads, mem, options->limits, error);
  if (status == PPROFC_OK) {
    status = try_streams(&text, mem, options, profile, error);
    text_stream_close(&text);
  }
  if (status == PPROFC_OK) {
    foreign_warn(*profile, options);
    (*profile)->threads = options->threads;
  }
  status = foreign_status(budget, options->limits, status, error);
  budget_resize_to(budget, UINT64_MAX);
  budget_release(budget);
  return open_explain(status, error);
}

/* True if the reader must first try to read the input as a stream. The input must be large, and the
 * memory limit must allow a buffer for its first bytes. */
static bool open_may_stream(uint64_t size, const pprofc_limits *limits) {
  return size >= STREAM_FROM && size <= limits->input_bytes &&
         limits->memory_bytes >= 4 * TEXT_HEAD;
}

/* Reads a large text line by line, from a pipe, a file or memory. */
static pprofc_status open_stream(const struct open_input_source *source,
                                 const pprofc_allocator *mem, const struct import_options *options,
                                 pprofc_profile **profile, pprofc_error *error) {
  const struct input_pipe *pipe = source->pipe;
  const pprofc_limits *limits = options->limits;
  if (pipe) {
    const struct text_bytes bytes = {pipe->head, pipe->size, pipe->fd, true};
    bool gzip = pipe->head[0] == 0x1F; /* the first bytes of gzip data may inflate to fewer than
                                          TEXT_HEAD bytes */
    if (pipe->size < pipe->room || gzip || !open_may_stream(STREAM_FROM, limits))
      return PPROFC_E_NO_MATCH;
    return read_stream(&bytes, UINT64_MAX, mem, options, profile, error);
  }
  struct text_bytes bytes = {source->data, source->size, -1, false};
  size_t size = source->size;
  if (source->path && (bytes.fd = input_open_regular(source->path, &size)) < 0)
    return PPROFC_E_NO_MATCH;
  pprofc_status status = open_may_stream(size, limits)
                             ? read_stream(&bytes, size, mem, options, profile, error)
                             : PPROFC_E_NO_MATCH;
  if (source->path) close(bytes.fd);
  return status;
}

/* Reads input in any format except profile.proto. Converts UTF-16 to UTF-8 first.
 *
 * The caller has tried the reader of profile.proto. `ours` is the status of that reader, and *error
 * is its message. If no format matches:
 * - If `ours` is PPROFC_E_LIMIT, returns `ours` and keeps the message.
 * - If import_nearest recognizes the kind of data, replaces the message by a description.
 * - Otherwise adds "unrecognized profile format" to the message. */
static pprofc_status read_foreign(const struct input *input, const struct import_options *options,
                                  pprofc_status ours, pprofc_profile **profile,
                                  pprofc_error *error) {
  char nearest[NEAREST_MAX] = "";
  pprofc_status status =
      foreign_try(input, options, profile, ours == PPROFC_E_LIMIT ? NULL : nearest, error);
  if (status != PPROFC_E_NO_MATCH) return status;
  if (ours == PPROFC_E_LIMIT) return ours;
  if (*nearest)
    return error_set(error, PPROFC_E_FORMAT, "unrecognized profile format: %s", nearest);
  error_prefix(error, "unrecognized profile format: ");
  return PPROFC_E_FORMAT;
}

pprofc_status open_settings_begin(struct open_settings *settings, const pprofc_read_options *given,
                                  pprofc_error *error) {
  pprofc_read_options *options = &settings->options;
  pprofc_limits *limits = &settings->limits;
  pprofc_status status = OPTIONS_COPY(pprofc_read_options, options, given, error);
  if (status) return status;
  status = OPTIONS_COPY(pprofc_limits, limits, options->limits, error);
  if (status) return status;
  *limits = effective_limits(limits);
  struct budget *budget = budget_of(options->allocator);
  budget = budget && !options->progress ? budget_retain(budget)
                                        : budget_new(options->allocator, limits->memory_bytes);
  if (!budget) return error_nomem(error);
  if (options->progress) budget_watch(budget, options->progress, options->progress_context);
  settings->watched = options->progress != NULL;
  settings->budget = budget;
  options->limits = limits;
  options->allocator = budget_allocator(budget);
  options->progress = NULL;
  return PPROFC_OK;
}

pprofc_status open_settings_end(struct open_settings *settings, pprofc_status status,
                                pprofc_error *error) {
  status = budget_status(settings->options.allocator, status, error);
  /* Stop calling `progress`, because the profile stays in use after this call. */
  if (settings->watched) budget_watch(settings->budget, NULL, NULL);
  budget_release(settings->budget);
  return status;
}

static pprofc_status open_read_input(const struct input *input,
                                     const struct import_options *options, pprofc_profile **profile,
                                     pprofc_error *error) {
  bool certain;
  pprofc_status status =
      pprof_decode(input, options->limits, options->threads, profile, &certain, error);
  if (status == PPROFC_OK || certain) return status;
  return read_foreign(input, options, status, profile, error);
}

/* Reads bytes of another format in place. Returns PPROFC_E_NO_MATCH if the bytes may be a
 * profile.proto, because its profile would refer to the bytes after this function has returned. */
static pprofc_status read_in_place(const struct input *input, const struct import_options *options,
                                   pprofc_profile **profile, pprofc_error *error) {
  pprofc_str data = {(const char *)input->data, input->size};
  pprofc_profile *ours = NULL;
  bool certain = false;
  if (!text_begins(data) && !import_is_jfr(data) && !import_is_otlp(data)) return PPROFC_E_NO_MATCH;
  pprofc_status status =
      pprof_decode(input, options->limits, options->threads, &ours, &certain, error);
  pprofc_profile_release(ours);
  if (status == PPROFC_OK || certain) return PPROFC_E_NO_MATCH;
  return open_explain(foreign_try(input, options, profile, NULL, error), error);
}

static bool open_fits_in_place(size_t size, const pprofc_limits *limits) {
  return size >= MAP_FROM && size <= limits->input_bytes && size <= limits->inflated_bytes;
}

/* Reads a large file of another format without keeping it in memory, or a large text without
 * copying it. */
static pprofc_status open_in_place(const struct open_input_source *source,
                                   const pprofc_allocator *mem,
                                   const struct import_options *options, pprofc_profile **profile,
                                   pprofc_error *error) {
  struct input input = {.data = source->data, .size = source->size};
  struct input_map *map = NULL;
  bool may = source->path && !options->may_change;
  int fd = may ? input_open_regular(source->path, &input.size) : -1;
  bool fits = open_fits_in_place(input.size, options->limits);
  if (fits && fd >= 0) map = input_map_open(fd, input.size, mem, &input.data);
  if (fd >= 0) close(fd);
  if (!map && !(fits && source->overwrites)) return PPROFC_E_NO_MATCH;
  input.source_size = input.size;
  input.region = region_new(mem);
  pprofc_status status =
      input.region ? read_in_place(&input, options, profile, error) : error_nomem(error);
  if (input.region) region_release(input.region);
  if (map) input_map_close(map);
  return status;
}

/* Reads a profile into a stack tree if the caller needs only sums. */
static pprofc_status open_fold(const struct open_input_source *source, const pprofc_allocator *mem,
                               const struct import_options *options, const struct open_sums *sums,
                               pprofc_profile **profile) {
  if (!sums || sums->each) return PPROFC_E_NO_MATCH;
  struct fold_options fold = {.mem = mem,
                              .limits = options->limits,
                              .threads = options->threads,
                              .labels = sums->labels,
                              .tree = sums->tree,
                              .in_order = sums->in_order,
                              .no_stacks = sums->no_stacks,
                              .compared = sums->compared,
                              .sample_index = sums->sample_index,
                              .always = sums->always};
  if (source->path) return fold_read_file(source->path, &fold, profile);
  return fold_read_memory(source->data, source->size, &fold, profile);
}

static pprofc_status open_read_bytes(const struct open_input_source *source,
                                     const pprofc_allocator *mem,
                                     const struct import_options *options, struct input *input,
                                     pprofc_error *error) {
  if (source->pipe) return input_pipe_read(source->pipe, options->limits, true, input, error);
  if (!source->path)
    return input_read_memory(source->data, source->size, mem, options->limits, input, error);
  return input_read_file(source->path, mem, options->limits, !options->may_change, input, error);
}

/* Reads the whole input, and completes the message of a failure:
 * "parsing profile: truncated varint at byte 512". */
static pprofc_status open_whole(const struct open_input_source *source, const pprofc_allocator *mem,
                                const struct import_options *options, pprofc_profile **profile,
                                pprofc_error *error) {
  struct input input = {0};
  pprofc_profile *made = NULL;
  const char *what = "decompressing profile: ";
  pprofc_status status = open_read_bytes(source, mem, options, &input, error);
  bool open = status == PPROFC_OK;
  if (open) {
    what = "parsing profile: ";
    status = open_read_input(&input, options, &made, error);
  }
  if (status == PPROFC_E_FORMAT) error_prefix(error, "%s", what);
  if (status != PPROFC_OK) open_complete_message(error);
  if (open) region_release(input.region);
  if (status == PPROFC_OK) *profile = made;
  return status;
}

/* Reads memory, or a file that is not a pipe. */
static pprofc_status read_source(const struct open_input_source *source,
                                 const pprofc_allocator *mem, const struct import_options *options,
                                 const struct open_sums *sums, pprofc_profile **profile,
                                 pprofc_error *error) {
  pprofc_status status = open_fold(source, mem, options, sums, profile);
  if (status == PPROFC_OK) return status;
  status = open_stream(source, mem, options, profile, error);
  if (status == PPROFC_E_NO_MATCH) status = open_in_place(source, mem, options, profile, error);
  if (status != PPROFC_E_NO_MATCH) return status;
  return open_whole(source, mem, options, profile, error);
}

/* Reads a pipe. Tries open_stream first. If the format does not match, and the caller needs only
 * sums, reads the pipe into memory and tries open_fold before the other readers. */
static pprofc_status read_pipe(const struct input_pipe *pipe, const pprofc_allocator *mem,
                               const struct import_options *options, const struct open_sums *sums,
                               pprofc_profile **profile, pprofc_error *error) {
  const struct open_input_source source = {.pipe = pipe};
  struct input bytes;
  pprofc_status status = open_stream(&source, mem, options, profile, error);
  if (status != PPROFC_E_NO_MATCH) return status;
  if (!sums || sums->each) return open_whole(&source, mem, options, profile, error);
  status = input_pipe_read(pipe, options->limits, false, &bytes, error);
  if (status != PPROFC_OK) return status;
  const struct open_input_source memory = {.data = bytes.data, .size = bytes.size};
  status = read_source(&memory, mem, options, sums, profile, error);
  region_release(bytes.region);
  return status;
}

static pprofc_status read_within(const struct open_input_source *source,
                                 const pprofc_allocator *mem, const struct import_options *options,
                                 const struct open_sums *sums, pprofc_profile **profile,
                                 pprofc_error *error) {
  struct input_pipe pipe;
  if (!source->path || !input_is_pipe(source->path))
    return read_source(source, mem, options, sums, profile, error);
  pprofc_status status = input_pipe_open(&pipe, source->path, TEXT_HEAD, mem, error);
  if (status != PPROFC_OK) return status;
  status = read_pipe(&pipe, mem, options, sums, profile, error);
  input_pipe_close(&pipe);
  return status;
}

/* Makes the reader search the folder of the input for files that name JIT-compiled code. */
static void open_set_folder(const struct open_input_source *source, struct import_options *options,
                            char folder[FOLDER_MAX]) {
  if (options->map_folder || !source->path) return;
  const char *slash = strrchr(source->path, '/');
  size_t size = slash ? (size_t)(slash - source->path) + 1 : 0;
  if (size >= FOLDER_MAX) return;
  snprintf(folder, FOLDER_MAX, "%.*s", (int)size, size ? source->path : "");
  options->map_folder = size ? folder : ".";
}

/* Returns the settings of the readers. `folder` is a buffer for the path of the input's folder. */
static struct import_options open_options(const struct open_input_source *source,
                                          const pprofc_read_options *given, bool times,
                                          char folder[FOLDER_MAX]) {
  struct import_options options = {.limits = given->limits,
                                   .threads = given->threads,
                                   .call_stacks = given->call_stacks,
                                   .may_change = given->may_change,
                                   .warn = given->warn,
                                   .warn_context = given->warn_context,
                                   .map_folder = given->map_folder,
                                   .times = times};
  open_set_folder(source, &options, folder);
  return options;
}

/* Reads a profile within the budget of the caller's allocator. If that allocator has no budget,
 * creates one. */
static pprofc_status read_profile(const struct open_input_source *source,
                                  const pprofc_read_options *given, const struct open_sums *sums,
                                  pprofc_profile **profile, pprofc_error *error) {
  pprofc_error local;
  if (!error) error = &local;
  *error = (pprofc_error){PPROFC_OK, PPROFC_NO_OFFSET, ""};
  struct open_settings settings;
  char folder[FOLDER_MAX];
  pprofc_status status = open_settings_begin(&settings, given, error);
  if (status) return status;
  const pprofc_read_options *options = &settings.options;
  const struct import_options import = open_options(source, options, sums && sums->times, folder);
  status = read_within(source, options->allocator, &import, sums, profile, error);
  return open_settings_end(&settings, status, error);
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
  struct open_input_source source = {.data = data, .size = size};
  return read_profile(&source, options, sums, profile, error);
}

pprofc_status open_text(pprofc_str text, const pprofc_read_options *options,
                        const struct open_sums *sums, pprofc_profile **profile,
                        pprofc_error *error) {
  struct open_input_source source = {.data = text.data, .size = text.size, .overwrites = true};
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
