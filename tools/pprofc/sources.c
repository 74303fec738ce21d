/* Reads sources in parallel and combines them in the same order as pprof. For a URL, fetch/
 * downloads the bytes first. The threads in this file then read the bytes like a file. */
#include "steps.h"

#include "core/parallel.h"
#include "noise/noise.h"
#include "pprofc/transform.h"
#include "profile/profile.h"
#include "transform/combine/diff.h"
#include "transform/merge/accumulator.h"

#include <stdatomic.h>

/* Number of sources that are read and merged at a time, to limit memory. */
#define CHUNK 128

struct fetch {
  struct file_source file; /* source, file to read, and name in messages */
  struct remote *remote;   /* HTTP request; NULL for a file */
  struct buffer *frame;    /* bytes of the profile if it comes from a stream, or NULL */
  bool is_base;            /* true if the source belongs to the base */
  pprofc_profile *profile; /* profile; NULL if the source is unreadable */
  pprofc_error error;
  char warnings[400]; /* warnings about missing data in the profile, one per line, or "" */
};

struct fetch_side {
  const char *name; /* name in messages: "source" or "base" */
  struct accumulator accumulator;
  pprofc_profile *sum; /* sum of all profiles; set after the last chunk of sources */
  size_t count;        /* number of profiles that were read */
};

struct fetched {
  const struct command *command;
  struct fetcher fetcher;
  struct framed framed; /* stream of profiles (-frames) */
  struct fetch_side head, base;
  bool for_sums; /* true: the reader adds up samples and keeps only the data in `needs` */
  struct open_sums needs;
  struct sums sums;        /* sums over runs, to be written by -sums; `mem` is NULL without -sums */
  const char *first_shown; /* name of the first source, for messages */
  struct source_map_list source_maps; /* source maps given by -source_map */
  atomic_bool mapped;                 /* true if a source map changed a frame */
  bool again;                         /* true while all sources are read for the second time */
  bool from_server;                   /* true if at least one source is a URL */
  pprofc_status status;
  pprofc_error *error;
};

struct source_chunk {
  struct fetch items[CHUNK]; /* sources of the chunk; sources of the head come first */
  size_t count;
  /* with -frames: for each item, the bytes of a profile from the stream */
  struct buffer frames[CHUNK];
  atomic_size_t next;
  size_t heads; /* number of sources in the chunk that belong to the head */
  unsigned threads_each;
  bool strict; /* true to stop at the first error: for a single source, and with -every */
  struct fetched *fetched;
  struct source_chunk *before; /* previous chunk, which is not yet merged, or NULL */
};

static pprofc_status read_item(struct fetch *item, const pprofc_read_options *options,
                               const struct open_sums *sums) {
  if (item->error.status != PPROFC_OK) return item->error.status;
  if (item->frame)
    return framed_read(item->frame, item->file.shown, options, &item->profile, &item->error);
  if (item->remote)
    return fetcher_read(item->remote, item->file.shown, options, sums, &item->profile,
                        &item->error);
  return file_source_read(&item->file, options, sums, &item->profile, &item->error);
}

static pprofc_status fetch_original_names(struct source_chunk *chunk, struct fetch *item) {
  struct fetched *fetched = chunk->fetched;
  bool used = false;
  const char *path = item->remote ? NULL : item->file.path;
  pprofc_status status = source_maps_use(fetched->command, &fetched->source_maps, path,
                                         &item->profile, &used, &item->error);
  if (used) atomic_store(&fetched->mapped, true);
  return status;
}

/* Stores a warning. The program prints all warnings later, in the order of the sources. */
static void sources_note_warning(void *context, const char *message) {
  struct fetch *item = context;
  size_t size = strlen(item->warnings);
  snprintf(item->warnings + size, sizeof item->warnings - size, "%s\n", message);
}

static void sources_print_warnings(const struct source_chunk *chunk) {
  bool quiet = chunk->fetched->again || chunk->fetched->command->repeats;
  for (size_t i = 0; i < chunk->count && !quiet; i++) {
    pprofc_str rest = str_of(chunk->items[i].warnings), line;
    while (str_next_line(&rest, &line))
      message_error("%s: %.*s", chunk->items[i].file.shown, STR_ARG(line));
  }
}

static void fetch(struct source_chunk *chunk, struct fetch *item) {
  const struct command *command = chunk->fetched->command;
  pprofc_read_options options;
  pprofc_read_options_init(&options);
  options.limits = &command->limits;
  options.allocator = budget_allocator(command->budget);
  options.threads = chunk->threads_each;
  options.call_stacks = command->call_stacks;
  /* With -http and -lsp, the program runs for a long time, and the file may change in that time. */
  options.may_change = command->http_on || command->lsp;
  options.warn = sources_note_warning;
  options.warn_context = item;
  const struct open_sums *needs = chunk->fetched->for_sums ? &chunk->fetched->needs : NULL;
  struct open_sums times;
  pprofc_status status = read_item(item, &options, time_range_needs(command, needs, &times));
  if (status == PPROFC_OK)
    status = time_range_select(command, item->is_base, item->file.shown, &options, &item->profile,
                               &item->error);
  if (status == PPROFC_OK)
    status = benchmarks_select(command, item->file.shown, &item->profile, &item->error);
  if (status == PPROFC_OK) status = fetch_original_names(chunk, item);
  if (status == PPROFC_OK) status = finish_locate(command, &item->profile, &item->error);
  if (status == PPROFC_OK && item->remote)
    status = mappings_name_by_url(&item->profile, item->remote->address.shown, &item->error);
  if (status == PPROFC_OK) return;
  pprofc_profile_release(item->profile);
  item->profile = NULL;
}

/* Merges the readable profiles of `count` sources into the sum of the head or of the base. */
static pprofc_status merge_side(const struct fetch *items, size_t count, struct fetch_side *side,
                                pprofc_error *error) {
  const pprofc_profile *profiles[CHUNK];
  const char *names[CHUNK];
  size_t found = 0;
  for (size_t i = 0; i < count; i++) {
    if (!items[i].profile) continue;
    names[found] = items[i].file.shown;
    profiles[found++] = items[i].profile;
  }
  side->count += found;
  if (!found) return PPROFC_OK;
  pprofc_profile *chunk;
  pprofc_status status = pprofc_merge(profiles, found, &chunk, error);
  if (status == PPROFC_OK) {
    status = accumulator_add(&side->accumulator, chunk, error);
  } else {
    char types[HINT_MAX];
    hint_types(names[0], profiles[0], names[found - 1], profiles[found - 1], types);
    hint_types_add(types, error);
  }
  if (status != PPROFC_OK) error_prefix(error, "problem fetching %s profiles: ", side->name);
  return status;
}

static void note_servers(const struct source_chunk *chunk, struct fetched *fetched) {
  for (size_t i = 0; i < chunk->count && fetched->status == PPROFC_OK; i++) {
    const struct fetch *item = &chunk->items[i];
    if (!item->remote || !item->profile) continue;
    fetched->from_server = true;
    fetched->status = symbols_note(&fetched->fetcher.symbols, item->profile, i >= chunk->heads,
                                   &item->remote->address.url);
    if (fetched->status != PPROFC_OK) error_nomem(fetched->error);
  }
}

/* Merges the profiles of a chunk with the sums of earlier chunks. Uses `threads` threads. */
static void sources_merge_chunk(struct source_chunk *chunk, unsigned threads) {
  struct fetched *fetched = chunk->fetched;
  for (size_t i = 0; i < chunk->count; i++)
    if (chunk->items[i].profile) chunk->items[i].profile->threads = threads;
  fetched->head.accumulator.threads = fetched->base.accumulator.threads = threads;
  note_servers(chunk, fetched);
  for (size_t i = 0; i < chunk->heads && fetched->status == PPROFC_OK; i++)
    fetched->status = noise_sums_add(&fetched->sums, chunk->items[i].profile,
                                     chunk->items[i].file.shown, fetched->error);
  size_t heads = chunk->heads;
  if (fetched->status == PPROFC_OK)
    fetched->status = merge_side(chunk->items, heads, &fetched->head, fetched->error);
  if (fetched->status == PPROFC_OK)
    fetched->status =
        merge_side(chunk->items + heads, chunk->count - heads, &fetched->base, fetched->error);
  for (size_t i = 0; i < chunk->count; i++) {
    pprofc_profile_release(chunk->items[i].profile);
    if (chunk->items[i].frame) buffer_free(chunk->items[i].frame);
  }
}

/* Reads sources in one of several threads. Thread 0 first merges the previous chunk of sources. */
static void fetch_some(void *context, unsigned worker) {
  struct source_chunk *chunk = context;
  size_t i;
  if (worker == 0 && chunk->before) sources_merge_chunk(chunk->before, 1);
  while ((i = atomic_fetch_add(&chunk->next, 1)) < chunk->count) fetch(chunk, &chunk->items[i]);
}

static void fetch_all(struct source_chunk *chunk) {
  unsigned asked = (unsigned)chunk->fetched->command->threads;
  unsigned workers = parallel_workers(asked, chunk->count, 1);
  unsigned all = workers > 1 ? parallel_workers(asked, SIZE_MAX, 1) : asked;
  chunk->threads_each = (all + workers - 1) / workers;
  atomic_store(&chunk->next, 0);
  parallel_run(workers, fetch_some, chunk);
}

/* Initializes a chunk, except its large array `items`, which add_item initializes. */
static void chunk_init(struct source_chunk *chunk, struct fetched *fetched) {
  chunk->fetched = fetched;
  chunk->before = NULL;
  chunk->count = chunk->heads = 0;
  chunk->strict = false;
}

static void add_item(struct source_chunk *chunk, const char *source, bool is_base) {
  struct fetched *fetched = chunk->fetched;
  struct fetch *item = &chunk->items[chunk->count++];
  *item = (struct fetch){.is_base = is_base, .error = {PPROFC_OK, PPROFC_NO_OFFSET, ""}};
  if (fetched->status == PPROFC_OK)
    fetched->status =
        fetcher_classify(&fetched->fetcher, source, &item->remote, &item->file, fetched->error);
  if (!fetched->first_shown) fetched->first_shown = item->file.shown;
}

/* Downloads all sources that are URLs. Downloads them in parallel, because a download mostly waits
 * for the server. */
static void fetch_remotes(struct source_chunk *chunk) {
  struct fetched *fetched = chunk->fetched;
  struct remote *remotes[CHUNK + 1];
  size_t count = 0;
  for (size_t i = 0; i < chunk->count; i++)
    if (chunk->items[i].remote) remotes[count++] = chunk->items[i].remote;
  /* Keep complete samples, because finish_combined saves a copy of a downloaded profile. */
  if (count) fetched->for_sums = false;
  if (fetched->status == PPROFC_OK)
    fetched->status = fetcher_run(&fetched->fetcher, remotes, count, fetched->error);
}

/* Fails with the first error if `strict` is true. Otherwise skips unreadable sources. Does not skip
 * a source if memory ran out, because the result would then depend on the timing of threads. */
static void end_with_error(const struct source_chunk *chunk) {
  struct fetched *fetched = chunk->fetched;
  bool full = budget_passed(budget_allocator(fetched->command->budget));
  for (size_t i = 0; i < chunk->count && fetched->status == PPROFC_OK; i++) {
    const pprofc_error *error = &chunk->items[i].error;
    bool memory = error->status == PPROFC_E_LIMIT || error->status == PPROFC_E_NOMEM;
    if (chunk->items[i].profile || !(chunk->strict || (full && memory))) continue;
    *fetched->error = *error;
    fetched->status = error->status;
  }
}

/* Fills the chunk with sources, beginning with the source `from`. Sources of the head have lower
 * numbers than sources of the base. */
static void chunk_fill(struct source_chunk *chunk, size_t from) {
  const struct command *command = chunk->fetched->command;
  size_t heads = command->source_count, all = heads + command->bases.count;
  for (size_t i = from; i < all && chunk->count < CHUNK; i++) {
    add_item(chunk, i < heads ? command->sources[i] : command->bases.items[i - heads], i >= heads);
    chunk->heads += i < heads;
  }
  chunk->strict = all == 1 || command->every_ms;
}

/* Adds profiles of the stream until the chunk is full or reaches its memory limit. */
static void chunk_fill_frames(struct source_chunk *chunk) {
  struct fetched *fetched = chunk->fetched;
  size_t bytes = 0;
  while (chunk->count < CHUNK && bytes < FRAMED_AT_ONCE && fetched->status == PPROFC_OK) {
    struct buffer *frame = &chunk->frames[chunk->count];
    const char *name;
    fetched->status = framed_next(&fetched->framed, frame, &name, fetched->error);
    if (!name) return;
    bytes += frame->size;
    chunk->items[chunk->count++] = (struct fetch){
        .file = {name, name, name}, .frame = frame, .error = {PPROFC_OK, PPROFC_NO_OFFSET, ""}};
    chunk->heads++;
    if (!fetched->first_shown) fetched->first_shown = name;
  }
}

static void fetch_chunk(struct source_chunk *chunk, size_t from) {
  chunk->heads = chunk->count = 0;
  if (chunk->fetched->command->frames)
    chunk_fill_frames(chunk);
  else
    chunk_fill(chunk, from);
  if (chunk->fetched->status == PPROFC_OK) fetch_remotes(chunk);
  if (chunk->fetched->status != PPROFC_OK) return;
  fetch_all(chunk);
  sources_print_warnings(chunk);
  end_with_error(chunk);
  if (chunk->fetched->status != PPROFC_OK) return;
  for (size_t i = 0; i < chunk->count; i++) {
    if (chunk->items[i].profile) continue;
    limit_flags_name(&chunk->items[i].error);
    message_error("%s", chunk->items[i].error.message);
    /* An unreadable file is an error, but a stream may have broken frames. */
    if (!chunk->items[i].frame && chunk->fetched->command->incomplete)
      *chunk->fetched->command->incomplete = true;
  }
}

static bool sources_go_on(const struct fetched *fetched, size_t from) {
  const struct command *command = fetched->command;
  if (fetched->status != PPROFC_OK) return false;
  return command->frames ? !fetched->framed.ended
                         : from < command->source_count + command->bases.count;
}

static void side_add_up(struct fetched *fetched, struct fetch_side *side) {
  if (fetched->status == PPROFC_OK) {
    fetched->status = accumulator_end(&side->accumulator, &side->sum, fetched->error);
    if (fetched->status != PPROFC_OK)
      error_prefix(fetched->error, "problem fetching %s profiles: ", side->name);
  }
  accumulator_free(&side->accumulator);
}

/* Reads all chunks of sources. Merges the previous chunk while it reads the next one. */
static pprofc_status sources_read_chunks(struct fetched *fetched, pprofc_error *error) {
  const struct command *command = fetched->command;
  struct source_chunk *chunks = mem_array(&mem_default, 2, sizeof *chunks);
  if (!chunks) return error_nomem(error);
  struct source_chunk *before = NULL;
  fetched->error = error;
  for (size_t from = 0, turn = 0; sources_go_on(fetched, from); from += CHUNK, turn ^= 1) {
    struct source_chunk *chunk = &chunks[turn];
    chunk_init(chunk, fetched);
    chunk->before = before;
    fetch_chunk(chunk, from);
    before = chunk;
  }
  if (before) sources_merge_chunk(before, (unsigned)command->threads);
  mem_free(&mem_default, chunks, 2, sizeof *chunks);
  side_add_up(fetched, &fetched->head);
  side_add_up(fetched, &fetched->base);
  return fetched->status;
}

static pprofc_status fetch_chunks(struct fetched *fetched, pprofc_error *error) {
  const struct command *command = fetched->command;
  pprofc_status status = sources_read_chunks(fetched, error);
  if (status != PPROFC_OK) return status;
  size_t given = command->frames ? fetched->framed.count : command->source_count;
  if (!fetched->head.count)
    return error_set(error, PPROFC_E_IO, "failed to fetch any source profiles");
  if (command->bases.count && !fetched->base.count)
    return error_set(error, PPROFC_E_IO, "failed to fetch any base profiles");
  if (fetched->head.count < given)
    message_error("Fetched %zu source profiles out of %zu", fetched->head.count, given);
  if (fetched->base.count < command->bases.count)
    message_error("Fetched %zu base profiles out of %zu", fetched->base.count,
                  command->bases.count);
  return PPROFC_OK;
}

/* Reads all sources again. Keeps every sample, because sums do not give the exact difference. */
static pprofc_status sources_read_again(struct fetched *fetched, pprofc_error *error) {
  pprofc_profile_release(fetched->head.sum);
  pprofc_profile_release(fetched->base.sum);
  fetched->head = (struct fetch_side){.name = fetched->head.name};
  fetched->base = (struct fetch_side){.name = fetched->base.name};
  fetched->again = true;
  fetched->for_sums = false;
  return fetch_chunks(fetched, error);
}

/* Computes the difference from sums of samples. If the result would not be exact, reads all sources
 * again. */
static pprofc_status subtract_sums(struct fetched *fetched, pprofc_error *error) {
  pprofc_profile *head = fetched->head.sum, *base = fetched->base.sum;
  pprofc_diff_kind kind = *fetched->command->base ? PPROFC_SUBTRACT : PPROFC_COMPARE;
  if (!base) return PPROFC_OK;
  if (!transform_diff_base_serves(head, base)) return sources_read_again(fetched, error);
  if (!transform_diff_is_of_sums(head, base)) return PPROFC_OK;
  fetched->head.sum = fetched->base.sum = NULL;
  pprofc_status status = transform_diff_sums(head, base, kind, &fetched->head.sum, error);
  return status == PPROFC_E_NO_MATCH ? sources_read_again(fetched, error) : status;
}

/* Reads sources and applies source maps. If base and head are sums, subtracts the base. */
static pprofc_status fetch_mapped(struct fetched *fetched, pprofc_error *error) {
  struct source_map_list *maps = &fetched->source_maps;
  const struct command *command = fetched->command;
  pprofc_status status = source_maps_load(command, maps, error);
  if (status == PPROFC_OK && *command->sums)
    status = sums_init(&fetched->sums, budget_allocator(command->budget), error);
  if (status == PPROFC_OK) status = fetch_chunks(fetched, error);
  if (status == PPROFC_OK) status = subtract_sums(fetched, error);
  if (status == PPROFC_OK && maps->count && !atomic_load(&fetched->mapped))
    message_error("no source map was used: no script of the profile matches");
  source_maps_free(maps);
  if (status == PPROFC_OK) benchmarks_print(command, fetched->head.sum);
  return status;
}

/* Replaces the head by the difference. Merges equal samples. Skips the merge if the report needs
 * only sums, the merge would change no sum, and no copy is saved. */
static pprofc_status subtract(const char *base_name, struct fetched *fetched, pprofc_error *error) {
  const struct command *command = fetched->command;
  pprofc_diff_kind kind = *command->base ? PPROFC_SUBTRACT : PPROFC_COMPARE;
  bool normalize = command->report.normalize;
  bool adds_up = command->format && command->format->adds_up && !fetched->from_server;
  pprofc_profile *head = fetched->head.sum, *base = fetched->base.sum;
  fetched->head.sum = fetched->base.sum = NULL;
  char types[HINT_MAX]; /* write this list first, because the difference releases the profiles */
  hint_types(base_name, base, fetched->first_shown, head, types);
  pprofc_status status;
  if (adds_up && transform_diff_unmerged_is_exact(head, base, kind)) {
    status = transform_diff_unmerged(head, base, normalize, &fetched->head.sum, error);
  } else {
    status = pprofc_diff(head, base, kind, normalize, &fetched->head.sum, error);
    pprofc_profile_release(head);
    pprofc_profile_release(base);
  }
  if (status != PPROFC_OK) hint_types_add(types, error);
  return status;
}

/* Prepares the profile for the report. Saves a copy if a source is a URL. */
static pprofc_status finish_combined(struct fetched *fetched, pprofc_error *error) {
  pprofc_status status = finish_profile(&fetched->fetcher, &fetched->head.sum, error);
  if (status == PPROFC_OK && fetched->from_server && !fetched->command->no_save)
    save_copy(fetched->head.sum);
  return status;
}

static pprofc_status finish_apart(struct fetched *fetched, struct sources *sources,
                                  pprofc_error *error) {
  pprofc_status status = finish_profile(&fetched->fetcher, &sources->head, error);
  if (status == PPROFC_OK && sources->base)
    status = finish_profile(&fetched->fetcher, &sources->base, error);
  return status;
}

static void sources_release(struct sources *sources) {
  pprofc_profile_release(sources->head);
  pprofc_profile_release(sources->base);
  pprofc_profile_release(sources->combined);
  *sources = (struct sources){NULL, NULL, NULL};
}

/* Stores base and head as separate profiles. */
static void keep_apart(const struct fetched *fetched, struct sources *sources) {
  sources->base = pprofc_profile_retain(fetched->base.sum);
  sources->head = pprofc_profile_retain(fetched->head.sum);
}

pprofc_status sources_get(const struct command *command, bool apart, struct sources *sources,
                          pprofc_error *error) {
  struct fetched fetched = {
      .command = command, .head = {.name = "source"}, .base = {.name = "base"}};
  const char *base = *command->base ? command->base : command->diff_base;
  *sources = (struct sources){NULL, NULL, NULL};
  fetcher_init(&fetched.fetcher, command);
  framed_init(&fetched.framed, &command->limits);
  fetched.for_sums = !apart && folding_of(command, &fetched.needs);
  pprofc_status status = fetch_mapped(&fetched, error);
  status = noise_sums_end(command, &fetched.sums, status, error);
  if (status == PPROFC_OK && apart) keep_apart(&fetched, sources);
  if (status == PPROFC_OK && fetched.base.sum) {
    pprofc_str shown = url_hide_password(&fetched.fetcher.arena, str_of(base));
    status = subtract(shown.data, &fetched, error);
  }
  pprofc_profile_release(fetched.base.sum);
  if (status == PPROFC_OK) status = finish_combined(&fetched, error);
  if (status == PPROFC_OK && apart) status = finish_apart(&fetched, sources, error);
  sources->combined = fetched.head.sum;
  framed_free(&fetched.framed);
  fetcher_free(&fetched.fetcher);
  if (status != PPROFC_OK) sources_release(sources);
  return status;
}

pprofc_status sources_fetch(const struct command *command, pprofc_profile **profile,
                            pprofc_error *error) {
  struct sources sources;
  pprofc_status status = sources_get(command, false, &sources, error);
  if (status != PPROFC_OK) return status;
  *profile = sources.combined;
  /* The report may modify this profile, because there is no other report. */
  sources.combined->disposable = true;
  return PPROFC_OK;
}

/* True if the error means that a file is not a profile, but for example a log. */
static bool sources_is_other(const pprofc_error *error) {
  return error->status == PPROFC_E_FORMAT &&
         strstr(error->message, "unrecognized profile format") != NULL;
}

/* Prepares the profile of `item` (a fetched source) and moves it to `run`. Skips a file in a folder
 * if it is not a profile. If the profile is unreadable, returns its error. */
static pprofc_status sources_settle_run(struct fetched *fetched, struct fetch *item,
                                        struct source_run *run) {
  if (!item->profile && run->folder && sources_is_other(&item->error)) {
    message_note("skipped '%s': not a profile", run->source);
    return PPROFC_OK;
  }
  if (!item->profile) {
    *fetched->error = item->error;
    return item->error.status;
  }
  item->profile->threads = (unsigned)fetched->command->threads;
  pprofc_status status = finish_profile(&fetched->fetcher, &item->profile, fetched->error);
  if (status) return status;
  run->profile = item->profile;
  item->profile = NULL;
  return PPROFC_OK;
}

/* Reads a chunk's runs in parallel, and prepares them in order. Warns only about the first profile.
 */
static void sources_read_chunk(struct source_chunk *chunk, struct source_run *runs, size_t count,
                               struct command *quiet) {
  struct fetched *fetched = chunk->fetched;
  for (size_t i = 0; i < count; i++) add_item(chunk, runs[i].source, runs[i].is_base);
  fetch_remotes(chunk);
  if (fetched->status) return;
  fetch_all(chunk);
  sources_print_warnings(chunk);
  end_with_error(chunk);
  for (size_t i = 0; i < count && !fetched->status; i++) {
    fetched->status = sources_settle_run(fetched, &chunk->items[i], &runs[i]);
    if (runs[i].profile) fetched->fetcher.command = quiet;
  }
  for (size_t i = 0; i < count; i++) pprofc_profile_release(chunk->items[i].profile);
}

pprofc_status sources_read_runs(const struct command *command, const struct open_sums *needs,
                                struct source_run *runs, size_t count, pprofc_error *error) {
  struct fetched fetched = {.command = command, .for_sums = needs != NULL, .error = error};
  struct command quiet = *command;
  struct source_chunk *chunk = mem_array(&mem_default, 1, sizeof *chunk);
  if (!chunk) return error_nomem(error);
  quiet.report.warn = NULL;
  if (needs) fetched.needs = *needs;
  fetcher_init(&fetched.fetcher, command);
  for (size_t from = 0; from < count && !fetched.status; from += CHUNK) {
    chunk_init(chunk, &fetched);
    sources_read_chunk(chunk, runs + from, count - from < CHUNK ? count - from : CHUNK, &quiet);
  }
  fetcher_free(&fetched.fetcher);
  mem_free(&mem_default, chunk, 1, sizeof *chunk);
  return fetched.status;
}

pprofc_status sources_finish(const struct command *command, pprofc_profile **profile,
                             pprofc_error *error) {
  struct fetcher fetcher;
  fetcher_init(&fetcher, command);
  pprofc_status status = finish_profile(&fetcher, profile, error);
  fetcher_free(&fetcher);
  return status;
}
