/* Reads sources in chunks. Several threads read a chunk. The first thread also merges the chunk
 * before it. */
#include "core/array.h"
#include "core/parallel.h"
#include "profile/profile.h"
#include "sources/sources.h"
#include "transform/combine/diff.h"

#include <stdatomic.h>

struct source_work {
  struct source_reader *reader;
  struct source_sums *sums;
  pprofc_status status;
  pprofc_error *error;
};

struct source_chunk {
  struct source items[SOURCES_CHUNK]; /* sources of the head come before sources of the base */
  size_t count;
  atomic_size_t next;
  unsigned threads_each;
  struct source_work *work;
  struct source_chunk *before; /* previous chunk, which is not yet merged, or NULL */
};

/* ---- reading ----------------------------------------- */

/* Stores a warning, to send all warnings later in the order of the sources. */
static void source_note(void *context, const char *message) {
  struct source *source = context;
  size_t size = strlen(source->warnings);
  snprintf(source->warnings + size, sizeof source->warnings - size, "%s\n", message);
}

static void source_fetch(const struct source_chunk *chunk, struct source *source) {
  const struct source_reader *reader = chunk->work->reader;
  pprofc_read_options options = *reader->options;
  options.threads = chunk->threads_each;
  options.warn = source_note;
  options.warn_context = source;
  pprofc_status status = reader->read(reader->context, source, &options);
  if (status == PPROFC_OK) return;
  source->error.status = status;
  pprofc_profile_release(source->profile);
  source->profile = NULL;
}

/* Names the side in an error of its merge, if the reader explains errors. Returns `status`. */
static pprofc_status side_status(const struct source_work *work, const struct source_sum *side,
                                 pprofc_status status) {
  if (status != PPROFC_OK && work->reader->explain)
    error_prefix(work->error, "problem fetching %s profiles: ", side->name);
  return status;
}

/* Merges the readable profiles of a chunk into the sum of the head or of the base. */
static void merge_side(const struct source_chunk *chunk, bool base, struct source_sum *side) {
  struct source_work *work = chunk->work;
  const pprofc_profile *profiles[SOURCES_CHUNK];
  const struct source *first = NULL, *last = NULL;
  pprofc_profile *sum;
  size_t found = 0;
  for (size_t i = 0; i < chunk->count; i++) {
    if (chunk->items[i].is_base != base || !chunk->items[i].profile) continue;
    last = &chunk->items[i];
    if (!found) first = last;
    profiles[found++] = last->profile;
  }
  side->read += found;
  if (!found || work->status != PPROFC_OK) return;
  pprofc_status status = pprofc_merge(profiles, found, &sum, work->error);
  if (status == PPROFC_OK)
    status = accumulator_add(&side->accumulator, sum, work->error);
  else if (work->reader->explain)
    sources_explain(first->shown, first->profile, last->shown, last->profile, work->error);
  work->status = side_status(work, side, status);
}

/* Merges the profiles of a chunk with the sums of earlier chunks. Uses `threads` threads. */
static void chunk_merge(struct source_chunk *chunk, unsigned threads) {
  struct source_work *work = chunk->work;
  struct source_sums *sums = work->sums;
  for (size_t i = 0; i < chunk->count; i++)
    if (chunk->items[i].profile) chunk->items[i].profile->threads = threads;
  sums->head.accumulator.threads = sums->base.accumulator.threads = threads;
  merge_side(chunk, false, &sums->head);
  merge_side(chunk, true, &sums->base);
  for (size_t i = 0; i < chunk->count; i++) pprofc_profile_release(chunk->items[i].profile);
}

/* Reads sources in one of several threads. Thread 0 first merges the previous chunk of sources. */
static void chunk_read_some(void *context, unsigned worker) {
  struct source_chunk *chunk = context;
  size_t i;
  if (worker == 0 && chunk->before) chunk_merge(chunk->before, 1);
  while ((i = atomic_fetch_add(&chunk->next, 1)) < chunk->count)
    source_fetch(chunk, &chunk->items[i]);
}

static void chunk_read_all(struct source_chunk *chunk) {
  unsigned asked = chunk->work->reader->options->threads;
  unsigned workers = parallel_workers(asked, chunk->count, 1);
  unsigned all = workers > 1 ? parallel_workers(asked, SIZE_MAX, 1) : asked;
  chunk->threads_each = (all + workers - 1) / workers;
  atomic_store(&chunk->next, 0);
  parallel_run(workers, chunk_read_some, chunk);
}

static void chunk_warn(const struct source_chunk *chunk) {
  const struct source_reader *reader = chunk->work->reader;
  for (size_t i = 0; i < chunk->count && !reader->quiet; i++) {
    pprofc_str rest = str_of(chunk->items[i].warnings), line;
    while (str_next_line(&rest, &line)) reader->warn(reader->context, &chunk->items[i], line);
  }
}

/* Fails with the first error if the reader is strict. Otherwise skips unreadable sources. Does not
 * skip a source after a cancellation. Also not if memory ran out, because the result would then
 * depend on the timing of threads. */
static void chunk_end_with_error(const struct source_chunk *chunk) {
  struct source_work *work = chunk->work;
  bool full = budget_passed(work->reader->options->allocator);
  for (size_t i = 0; i < chunk->count && work->status == PPROFC_OK; i++) {
    const pprofc_error *error = &chunk->items[i].error;
    bool memory = error->status == PPROFC_E_LIMIT || error->status == PPROFC_E_NOMEM;
    bool ends = work->reader->strict || error->status == PPROFC_E_CANCELLED || (full && memory);
    if (chunk->items[i].profile || !ends) continue;
    *work->error = *error;
    work->status = error->status;
  }
}

/* Counts the sources of a chunk, and passes them to the caller, in order. */
static void chunk_take(struct source_chunk *chunk) {
  struct source_work *work = chunk->work;
  for (size_t i = 0; i < chunk->count && work->status == PPROFC_OK; i++) {
    struct source *source = &chunk->items[i];
    struct source_sum *side = source->is_base ? &work->sums->base : &work->sums->head;
    if (!side->given++) side->first_shown = source->shown;
    work->status = work->reader->take(work->reader->context, source, work->error);
  }
}

/* Reads the next chunk. Returns false after the last source or after an error. */
static bool chunk_read(struct source_chunk *chunk, struct source_work *work, size_t from) {
  const struct source_reader *reader = work->reader;
  chunk->work = work;
  chunk->count = 0;
  if (work->status == PPROFC_OK)
    work->status = reader->next(reader->context, from, chunk->items, &chunk->count, work->error);
  if (work->status != PPROFC_OK) chunk->count = 0;
  if (!chunk->count) return false;
  for (size_t i = 0; i < chunk->count; i++) {
    struct source *source = &chunk->items[i];
    source->profile = NULL;
    source->error = (pprofc_error){PPROFC_OK, PPROFC_NO_OFFSET, ""};
    source->warnings[0] = '\0';
  }
  chunk_read_all(chunk);
  chunk_warn(chunk);
  chunk_end_with_error(chunk);
  chunk_take(chunk);
  return true;
}

/* ---- adding up --------------------------------------- */

static void side_add_up(struct source_work *work, struct source_sum *side) {
  if (work->status == PPROFC_OK)
    work->status =
        side_status(work, side, accumulator_end(&side->accumulator, &side->sum, work->error));
  accumulator_free(&side->accumulator);
}

pprofc_status sources_each(struct source_reader *reader, struct source_sums *sums,
                           pprofc_error *error) {
  struct source_work work = {reader, sums, PPROFC_OK, error};
  struct source_chunk *chunks = mem_array(reader->mem, 2, sizeof *chunks);
  struct source_chunk *before = NULL, *chunk = chunks;
  *sums = (struct source_sums){.head = {.name = "source"}, .base = {.name = "base"}};
  if (!chunks) return budget_status(reader->mem, error_nomem(error), error);
  chunk->before = NULL;
  for (size_t from = 0; chunk_read(chunk, &work, from); from += before->count) {
    before = chunk;
    chunk = &chunks[chunk == chunks];
    chunk->before = before;
  }
  if (before) chunk_merge(before, reader->options->threads);
  mem_free(reader->mem, chunks, 2, sizeof *chunks);
  side_add_up(&work, &sums->head);
  side_add_up(&work, &sums->base);
  return work.status;
}

static void side_warn(const struct source_reader *reader, const struct source_sum *side) {
  char text[120];
  if (side->read == side->given) return;
  snprintf(text, sizeof text, "Fetched %zu %s profiles out of %zu", side->read, side->name,
           side->given);
  reader->warn(reader->context, NULL, str_of(text));
}

static pprofc_status read_sides(struct source_reader *reader, struct source_sums *sums,
                                pprofc_error *error) {
  pprofc_status status = sources_each(reader, sums, error);
  if (status != PPROFC_OK) return status;
  if (!sums->head.read) return error_set(error, PPROFC_E_IO, "failed to fetch any source profiles");
  if (sums->base.given && !sums->base.read)
    return error_set(error, PPROFC_E_IO, "failed to fetch any base profiles");
  side_warn(reader, &sums->head);
  side_warn(reader, &sums->base);
  return PPROFC_OK;
}

/* Reads all sources again. Keeps every sample, because sums do not give the exact difference. */
static pprofc_status read_again(struct source_reader *reader, struct source_sums *sums,
                                pprofc_error *error) {
  sources_release(sums);
  reader->quiet = true;
  reader->needs = NULL;
  return read_sides(reader, sums, error);
}

pprofc_status sources_add_up(struct source_reader *reader, struct source_sums *sums,
                             pprofc_error *error) {
  pprofc_status status = read_sides(reader, sums, error);
  pprofc_profile *head = sums->head.sum, *base = sums->base.sum;
  if (status != PPROFC_OK || !base) return status;
  if (!transform_diff_base_serves(head, base)) return read_again(reader, sums, error);
  if (!transform_diff_is_of_sums(head, base)) return PPROFC_OK;
  sums->head.sum = sums->base.sum = NULL;
  status = transform_diff_sums(head, base, reader->kind, &sums->head.sum, error);
  return status == PPROFC_E_NO_MATCH ? read_again(reader, sums, error) : status;
}

void sources_release(struct source_sums *sums) {
  pprofc_profile_release(sums->head.sum);
  pprofc_profile_release(sums->base.sum);
  sums->head.sum = sums->base.sum = NULL;
}
