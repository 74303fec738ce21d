/* Reading sources in parallel, and combining them in the order pprof does. What comes over HTTP is
 * one kind of source: fetch/ brings the bytes, the workers here read them like a file. */
#include "sources.h"

#include "common/terminal.h"
#include "core/parallel.h"
#include "fetch/fetcher.h"
#include "fetch/save.h"
#include "file_source.h"
#include "finish.h"
#include "folding.h"
#include "framed.h"
#include "hints.h"
#include "limit_flags.h"
#include "mappings.h"
#include "noise/sums.h"
#include "pprofc/transform.h"
#include "profile/profile.h"
#include "source_maps.h"
#include "symbolize/elf_file.h"
#include "transform/combine/diff.h"
#include "transform/merge/pile.h"

#include <stdatomic.h>
#include <stdio.h>

/* So many are read and merged at a time: what is in memory at once is bounded. */
#define CHUNK 128

/* One source, while its chunk is being read. */
struct fetch {
  const char *source, *path; /* as typed, and the file to read */
  const char *shown;         /* without a password */
  struct remote *remote;     /* NULL: it is a file */
  struct buffer *frame;      /* the bytes of a profile out of a stream, or NULL */
  pprofc_profile *profile;   /* NULL: it failed */
  pprofc_error error;
  char warning[200]; /* what was left out of it, or "" */
};

/* What came of all sources. */
struct fetched {
  const struct command *command;
  struct fetcher fetcher;
  struct framed framed; /* of -frames */
  struct pile head_pile, base_pile;
  pprofc_profile *head, *base; /* their sums, when all were read */
  size_t heads, bases;
  pprofc_folding folding;             /* of the sources that are read */
  struct sums *sums;                  /* of -sums; NULL: not wanted */
  const char *first_shown;            /* what messages call the first source */
  struct source_map_list source_maps; /* of -source_map */
  atomic_bool mapped;                 /* one of them named a frame */
  bool again;                         /* all are read once more */
  bool from_server;                   /* one of those that were read came over HTTP */
  pprofc_status status;
  pprofc_error *error;
};

struct source_chunk {
  const struct command *command;
  struct fetch items[CHUNK]; /* of the head, then of the base */
  size_t count;
  struct buffer frames[CHUNK]; /* of -frames: what the items were read from */
  atomic_size_t next;
  size_t heads; /* of the items */
  unsigned threads_each;
  bool alone; /* the only source: what is wrong with it is the message of the program */
  struct fetched *fetched;
  struct source_chunk *before; /* still to be merged, or NULL */
  void (*merge)(struct source_chunk *chunk, unsigned threads);
};

void sources_find_executable(struct command *command) {
  if (command->source_count < 2 || !file_source_is_plain(command->sources[0]) ||
      !elf_is_object(command->sources[0], &mem_default))
    return;
  command->executable = command->sources[0];
  command->sources++;
  command->source_count--;
}

/* Reads the file, or what came from the server. */
static pprofc_status read_item(const struct command *command, struct fetch *item,
                               const pprofc_read_options *options) {
  if (item->error.status != PPROFC_OK) return item->error.status;
  if (item->frame)
    return framed_read(item->frame, item->shown, options, &item->profile, &item->error);
  if (item->remote)
    return fetcher_read(item->remote, item->shown, options, &item->profile, &item->error);
  struct file_source file = {item->source, item->path, item->shown,
                             item->source == command->sources[0]};
  return file_source_read(&file, options, &item->profile, &item->error);
}

/* Scripts get the names that they had before they were bundled. */
static pprofc_status fetch_original_names(struct source_chunk *chunk, struct fetch *item) {
  struct fetched *fetched = chunk->fetched;
  bool used = false;
  const char *path = item->remote ? NULL : item->path;
  pprofc_status status = source_maps_use(chunk->command, &fetched->source_maps, path,
                                         &item->profile, &used, &item->error);
  if (used) atomic_store(&fetched->mapped, true);
  return status;
}

/* Called while others read: the warning is printed when all are done, in order. */
static void sources_note_warning(void *context, const char *message) {
  struct fetch *item = context;
  snprintf(item->warning, sizeof item->warning, "%s", message);
}

static void sources_print_warnings(const struct source_chunk *chunk) {
  for (size_t i = 0; i < chunk->count && !chunk->fetched->again; i++)
    if (*chunk->items[i].warning)
      message_error("%s: %s", chunk->items[i].shown, chunk->items[i].warning);
}

static void fetch(struct source_chunk *chunk, struct fetch *item) {
  const struct command *command = chunk->command;
  pprofc_read_options options;
  pprofc_read_options_init(&options);
  options.limits = &command->limits;
  options.allocator = budget_allocator(command->budget);
  options.threads = chunk->threads_each;
  options.call_stacks = command->call_stacks;
  options.folding = chunk->fetched->folding;
  options.fold_sample_index = command->report.sample_index;
  options.fold_compared = command->bases.count > 0;
  options.fold_always = command->reader == READER_FOLD;
  options.fold_rows = command->reader == READER_ROWS;
  options.may_change = command->http_on; /* the page reads changed files while they are written */
  options.warn = sources_note_warning;
  options.warn_context = item;
  pprofc_status status = read_item(command, item, &options);
  if (status == PPROFC_OK) status = fetch_original_names(chunk, item);
  if (status == PPROFC_OK) status = finish_locate(command, &item->profile, &item->error);
  if (status == PPROFC_OK && item->remote)
    status = mappings_name_by_url(&item->profile, item->remote->address.shown, &item->error);
  if (status == PPROFC_OK) return;
  pprofc_profile_release(item->profile);
  item->profile = NULL;
}

/* While the first worker merges the chunk before, the others read on. */
static void fetch_some(void *context, unsigned worker) {
  struct source_chunk *chunk = context;
  size_t i;
  if (worker == 0 && chunk->before) chunk->merge(chunk->before, 1);
  while ((i = atomic_fetch_add(&chunk->next, 1)) < chunk->count) fetch(chunk, &chunk->items[i]);
}

static void fetch_all(struct source_chunk *chunk) {
  unsigned asked = (unsigned)chunk->command->threads;
  unsigned workers = parallel_workers(asked, chunk->count, 1);
  unsigned all = workers > 1 ? parallel_workers(asked, SIZE_MAX, 1) : asked;
  chunk->threads_each = (all + workers - 1) / workers;
  atomic_store(&chunk->next, 0);
  parallel_run(workers, fetch_some, chunk);
}

/* Merges `count` fetched items, and puts the sum on the pile. */
static pprofc_status merge_into(const struct fetch *items, size_t count, struct pile *pile,
                                size_t *good, pprofc_error *error) {
  const pprofc_profile *profiles[CHUNK];
  const char *names[CHUNK];
  size_t found = 0;
  for (size_t i = 0; i < count; i++) {
    if (!items[i].profile) continue;
    names[found] = items[i].shown;
    profiles[found++] = items[i].profile;
  }
  *good += found;
  if (!found) return PPROFC_OK;
  pprofc_profile *chunk;
  pprofc_status status = pprofc_merge(profiles, found, &chunk, error);
  if (status == PPROFC_OK) return pile_add(pile, chunk, error);
  char types[HINT_MAX];
  hint_types(names[0], profiles[0], names[found - 1], profiles[found - 1], types);
  hint_types_add(types, error);
  return status;
}

/* The items are set when they are added: there is room for many, and most runs read one. */
static void chunk_init(struct source_chunk *chunk, struct fetched *fetched) {
  chunk->command = fetched->command;
  chunk->fetched = fetched;
  chunk->before = NULL;
  chunk->merge = NULL;
  chunk->count = chunk->heads = 0;
  chunk->alone = false;
}

static void add_item(struct source_chunk *chunk, const char *source) {
  struct fetched *fetched = chunk->fetched;
  struct fetch *item = &chunk->items[chunk->count++];
  *item = (struct fetch){.source = source, .error = {PPROFC_OK, PPROFC_NO_OFFSET, ""}};
  if (fetched->status == PPROFC_OK)
    fetched->status = fetcher_classify(&fetched->fetcher, source, &item->remote, &item->path,
                                       &item->shown, fetched->error);
  if (!fetched->first_shown) fetched->first_shown = item->shown;
}

/* Fetches what comes over HTTP, all at once: the waiting is the servers'. */
static void fetch_remotes(struct source_chunk *chunk) {
  struct fetched *fetched = chunk->fetched;
  struct remote *remotes[CHUNK + 1];
  size_t count = 0;
  for (size_t i = 0; i < chunk->count; i++)
    if (chunk->items[i].remote) remotes[count++] = chunk->items[i].remote;
  if (count) fetched->folding = PPROFC_FOLD_NOTHING; /* a copy is saved */
  if (fetched->status == PPROFC_OK)
    fetched->status = fetcher_run(&fetched->fetcher, remotes, count, fetched->error);
}

/* The run ends when its memory does: which source is met by that is a matter of chance. Others that
 * cannot be read are left out, as pprof does. */
static void end_without_memory(const struct source_chunk *chunk) {
  struct fetched *fetched = chunk->fetched;
  if (!budget_passed(budget_allocator(chunk->command->budget))) return;
  for (size_t i = 0; i < chunk->count && fetched->status == PPROFC_OK; i++) {
    const pprofc_error *error = &chunk->items[i].error;
    if (error->status != PPROFC_E_LIMIT && error->status != PPROFC_E_NOMEM) continue;
    *fetched->error = *error;
    fetched->status = error->status;
  }
}

/* Takes the next sources from `from` on: those of the head, then those of the base. */
static void chunk_fill(struct source_chunk *chunk, size_t from) {
  const struct command *command = chunk->command;
  size_t heads = command->source_count, all = heads + command->bases.count;
  for (size_t i = from; i < all && chunk->count < CHUNK; i++) {
    add_item(chunk, i < heads ? command->sources[i] : command->bases.items[i - heads]);
    chunk->heads += i < heads;
  }
  chunk->alone = all == 1;
}

/* Takes the next profiles of the stream, as many as a chunk has room and memory for. */
static void chunk_fill_frames(struct source_chunk *chunk) {
  struct fetched *fetched = chunk->fetched;
  size_t bytes = 0;
  while (chunk->count < CHUNK && bytes < FRAMED_AT_ONCE && fetched->status == PPROFC_OK) {
    struct buffer *frame = &chunk->frames[chunk->count];
    const char *name;
    fetched->status = framed_next(&fetched->framed, frame, &name, fetched->error);
    if (!name) return;
    bytes += frame->size;
    chunk->items[chunk->count++] = (struct fetch){.source = name,
                                                  .path = name,
                                                  .shown = name,
                                                  .frame = frame,
                                                  .error = {PPROFC_OK, PPROFC_NO_OFFSET, ""}};
    chunk->heads++;
    if (!fetched->first_shown) fetched->first_shown = name;
  }
}

static void fetch_chunk(struct source_chunk *chunk, size_t from) {
  chunk->heads = chunk->count = 0;
  if (chunk->command->frames)
    chunk_fill_frames(chunk);
  else
    chunk_fill(chunk, from);
  if (chunk->fetched->status == PPROFC_OK) fetch_remotes(chunk);
  if (chunk->fetched->status != PPROFC_OK) return;
  fetch_all(chunk);
  sources_print_warnings(chunk);
  end_without_memory(chunk);
  if (chunk->fetched->status != PPROFC_OK) return;
  for (size_t i = 0; i < chunk->count && !chunk->alone; i++) {
    if (chunk->items[i].profile) continue;
    limit_flags_name(&chunk->items[i].error);
    message_error("%s", chunk->items[i].error.message);
  }
}

static void merge_heads(const struct source_chunk *chunk, struct fetched *fetched) {
  if (chunk->alone && !chunk->items[0].profile) {
    *fetched->error = chunk->items[0].error;
    fetched->status = chunk->items[0].error.status;
    return;
  }
  fetched->status =
      merge_into(chunk->items, chunk->heads, &fetched->head_pile, &fetched->heads, fetched->error);
  if (fetched->status != PPROFC_OK)
    error_prefix(fetched->error, "problem fetching source profiles: ");
}

static void merge_base(const struct source_chunk *chunk, struct fetched *fetched) {
  fetched->status = merge_into(chunk->items + chunk->heads, chunk->count - chunk->heads,
                               &fetched->base_pile, &fetched->bases, fetched->error);
  if (fetched->status != PPROFC_OK)
    error_prefix(fetched->error, "problem fetching base profiles: ");
}

/* Remembers which servers know the names of which mappings. */
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

/* Merges the profiles of a chunk with those of the chunks before it, on so many threads. */
static void sources_merge_chunk(struct source_chunk *chunk, unsigned threads) {
  struct fetched *fetched = chunk->fetched;
  for (size_t i = 0; i < chunk->count; i++)
    if (chunk->items[i].profile) chunk->items[i].profile->threads = threads;
  fetched->head_pile.threads = fetched->base_pile.threads = threads;
  note_servers(chunk, fetched);
  for (size_t i = 0; i < chunk->heads && fetched->status == PPROFC_OK; i++)
    fetched->status = noise_sums_add(fetched->sums, chunk->items[i].profile, chunk->items[i].shown,
                                     fetched->error);
  if (fetched->status == PPROFC_OK && chunk->heads) merge_heads(chunk, fetched);
  if (fetched->status == PPROFC_OK && chunk->count > chunk->heads) merge_base(chunk, fetched);
  for (size_t i = 0; i < chunk->count; i++) {
    pprofc_profile_release(chunk->items[i].profile);
    if (chunk->items[i].frame) buffer_free(chunk->items[i].frame);
  }
}

static bool sources_go_on(const struct fetched *fetched, size_t from) {
  const struct command *command = fetched->command;
  if (fetched->status != PPROFC_OK) return false;
  return command->frames ? !fetched->framed.ended
                         : from < command->source_count + command->bases.count;
}

/* Ends both piles. */
static pprofc_status sources_add_up(struct fetched *fetched) {
  if (fetched->status == PPROFC_OK) {
    fetched->status = pile_end(&fetched->head_pile, &fetched->head, fetched->error);
    if (fetched->status != PPROFC_OK)
      error_prefix(fetched->error, "problem fetching source profiles: ");
  }
  if (fetched->status == PPROFC_OK) {
    fetched->status = pile_end(&fetched->base_pile, &fetched->base, fetched->error);
    if (fetched->status != PPROFC_OK)
      error_prefix(fetched->error, "problem fetching base profiles: ");
  }
  pile_free(&fetched->head_pile);
  pile_free(&fetched->base_pile);
  return fetched->status;
}

/* Chunk after chunk: one is merged while the next is read. */
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
    chunk->merge = sources_merge_chunk;
    fetch_chunk(chunk, from);
    before = chunk;
  }
  if (before) sources_merge_chunk(before, (unsigned)command->threads);
  mem_free(&mem_default, chunks, 2, sizeof *chunks);
  return sources_add_up(fetched);
}

static pprofc_status fetch_chunks(struct fetched *fetched, pprofc_error *error) {
  const struct command *command = fetched->command;
  pprofc_status status = sources_read_chunks(fetched, error);
  if (status != PPROFC_OK) return status;
  size_t given = command->frames ? fetched->framed.count : command->source_count;
  if (!fetched->heads) return error_set(error, PPROFC_E_IO, "failed to fetch any source profiles");
  if (command->bases.count && !fetched->bases)
    return error_set(error, PPROFC_E_IO, "failed to fetch any base profiles");
  if (fetched->heads < given)
    message_error("Fetched %zu source profiles out of %zu", fetched->heads, given);
  if (fetched->bases < command->bases.count)
    message_error("Fetched %zu base profiles out of %zu", fetched->bases, command->bases.count);
  return PPROFC_OK;
}

static pprofc_status sources_read_again(struct fetched *fetched, pprofc_folding folding,
                                        pprofc_error *error) {
  pprofc_profile_release(fetched->head);
  pprofc_profile_release(fetched->base);
  fetched->head = fetched->base = NULL;
  fetched->again = true;
  fetched->folding = folding;
  fetched->heads = fetched->bases = 0;
  fetched->head_pile = fetched->base_pile = (struct pile){0};
  return fetch_chunks(fetched, error);
}

/* Reads all samples as they are where the difference needs them. */
static pprofc_status sources_check_base(struct fetched *fetched, pprofc_error *error) {
  if (!fetched->base || transform_diff_base_serves(fetched->head, fetched->base)) return PPROFC_OK;
  return sources_read_again(fetched, PPROFC_FOLD_NOTHING, error);
}

/* Makes the difference of what was read for sums only. What it cannot be made of is read once more,
 * for any difference. */
static pprofc_status subtract_sums(struct fetched *fetched, pprofc_error *error) {
  pprofc_status status = sources_check_base(fetched, error);
  pprofc_profile *head = fetched->head, *base = fetched->base;
  if (status != PPROFC_OK || !base || !transform_diff_is_of_sums(head, base)) return status;
  fetched->head = fetched->base = NULL;
  status = transform_diff_sums(head, base, &fetched->head, error);
  if (status != PPROFC_E_NO_MATCH) return status;
  status = sources_read_again(fetched, PPROFC_FOLD_STACKS, error);
  return status == PPROFC_OK ? sources_check_base(fetched, error) : status;
}

/* All that is read, with the source maps of the command line. */
static pprofc_status fetch_mapped(struct fetched *fetched, pprofc_error *error) {
  struct source_map_list *maps = &fetched->source_maps;
  pprofc_status status = source_maps_load(fetched->command, maps, error);
  if (status == PPROFC_OK) status = fetch_chunks(fetched, error);
  if (status == PPROFC_OK) status = subtract_sums(fetched, error);
  if (status == PPROFC_OK && maps->count && !atomic_load(&fetched->mapped))
    message_error("no source map was used: none is of a script in the profile");
  source_maps_free(maps);
  return status;
}

/* Makes the head of what was fetched the difference. A report that only adds up need not find equal
 * samples of the two first, where that cannot change a sum; a copy that is saved shows them. */
static pprofc_status subtract(const char *base_name, struct fetched *fetched, pprofc_error *error) {
  const struct command *command = fetched->command;
  pprofc_diff_kind kind = *command->base ? PPROFC_SUBTRACT : PPROFC_COMPARE;
  bool normalize = command->report.normalize;
  bool adds_up = command->format && command->format->adds_up && !fetched->from_server;
  pprofc_profile *head = fetched->head, *base = fetched->base;
  fetched->head = fetched->base = NULL;
  char types[HINT_MAX]; /* made before the profiles are given away */
  hint_types(base_name, base, fetched->first_shown, head, types);
  pprofc_status status;
  if (adds_up && transform_diff_unmerged_is_exact(head, base, kind)) {
    status = transform_diff_unmerged(head, base, normalize, &fetched->head, error);
  } else {
    status = pprofc_diff(head, base, kind, normalize, &fetched->head, error);
    pprofc_profile_release(head);
    pprofc_profile_release(base);
  }
  if (status != PPROFC_OK) hint_types_add(types, error);
  return status;
}

/* Takes what was fetched to the end, and keeps a copy of what came over HTTP. */
static pprofc_status finish_combined(struct fetched *fetched, pprofc_error *error) {
  pprofc_status status = finish_profile(&fetched->fetcher, &fetched->head, error);
  if (status == PPROFC_OK && fetched->from_server && !fetched->command->no_save)
    save_copy(fetched->head);
  return status;
}

/* Head and base apart, each as if it were alone. */
static pprofc_status finish_apart(struct fetched *fetched, struct sources *sources,
                                  pprofc_error *error) {
  pprofc_status status = finish_profile(&fetched->fetcher, &sources->head, error);
  if (status == PPROFC_OK && sources->base)
    status = finish_profile(&fetched->fetcher, &sources->base, error);
  return status;
}

void sources_release(struct sources *sources) {
  pprofc_profile_release(sources->head);
  pprofc_profile_release(sources->base);
  pprofc_profile_release(sources->combined);
  *sources = (struct sources){NULL, NULL, NULL};
}

/* Keeps base and head as they are shown beside the difference: the head is scaled as the difference
 * has it. */
static pprofc_status keep_apart(const struct fetched *fetched, struct sources *sources,
                                pprofc_error *error) {
  sources->base = pprofc_profile_retain(fetched->base);
  if (fetched->base && fetched->command->report.normalize)
    return transform_normalize(fetched->head, fetched->base, &sources->head, error);
  sources->head = pprofc_profile_retain(fetched->head);
  return PPROFC_OK;
}

/* Reads and combines all; with `apart` head and base stay there beside what is made of them. */
static pprofc_status sources_get(const struct command *command, bool apart, struct sources *sources,
                                 pprofc_error *error) {
  struct fetched fetched = {.command = command, .status = PPROFC_OK};
  const char *base = *command->base ? command->base : command->diff_base;
  *sources = (struct sources){NULL, NULL, NULL};
  fetcher_init(&fetched.fetcher, command);
  framed_init(&fetched.framed, &command->limits);
  pprofc_status status = noise_sums_begin(command, &fetched.sums, error);
  fetched.folding = apart ? PPROFC_FOLD_NOTHING : folding_of(command);
  if (status == PPROFC_OK) status = fetch_mapped(&fetched, error);
  status = noise_sums_end(command, fetched.sums, status, error);
  if (status == PPROFC_OK && apart) status = keep_apart(&fetched, sources, error);
  if (status == PPROFC_OK && fetched.base) {
    pprofc_str shown = url_hide_password(&fetched.fetcher.arena, str_of(base));
    status = subtract(shown.data, &fetched, error);
  }
  pprofc_profile_release(fetched.base);
  if (status == PPROFC_OK) status = finish_combined(&fetched, error);
  if (status == PPROFC_OK && apart) status = finish_apart(&fetched, sources, error);
  sources->combined = fetched.head;
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
  sources.combined->disposable = true; /* one report is made of it */
  return PPROFC_OK;
}

pprofc_status sources_fetch_apart(const struct command *command, struct sources *sources,
                                  pprofc_error *error) {
  return sources_get(command, true, sources, error);
}

/* ---- sources that stay apart ------------------------- */

/* Whether a file of a folder is something else than a profile: results of benchmarks, a log. */
static bool sources_is_other(const pprofc_error *error) {
  return error->status == PPROFC_E_FORMAT &&
         strstr(error->message, "unrecognized profile format") != NULL;
}

/* Takes what was read of a run out of the chunk. */
static pprofc_status sources_settle_run(struct fetched *fetched, struct fetch *item,
                                        struct source_run *run) {
  if (!item->profile && run->folder && sources_is_other(&item->error)) {
    message_note("'%s' is no profile: left out", run->source);
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

/* Reads the runs of a chunk in parallel, and finishes them in their order. What is wrong with all
 * of them is told of the first. */
static void sources_read_chunk(struct source_chunk *chunk, struct source_run *runs, size_t count,
                               struct command *quiet) {
  struct fetched *fetched = chunk->fetched;
  for (size_t i = 0; i < count; i++) add_item(chunk, runs[i].source);
  fetch_remotes(chunk);
  if (fetched->status) return;
  fetch_all(chunk);
  sources_print_warnings(chunk);
  end_without_memory(chunk);
  for (size_t i = 0; i < count && !fetched->status; i++) {
    fetched->status = sources_settle_run(fetched, &chunk->items[i], &runs[i]);
    if (runs[i].profile) fetched->fetcher.command = quiet;
  }
  for (size_t i = 0; i < count; i++) pprofc_profile_release(chunk->items[i].profile);
}

pprofc_status sources_read_runs(const struct command *command, struct source_run *runs,
                                size_t count, pprofc_error *error) {
  struct fetched fetched = {.command = command, .status = PPROFC_OK, .error = error};
  struct command quiet = *command;
  struct source_chunk *chunk = mem_array(&mem_default, 1, sizeof *chunk);
  if (!chunk) return error_nomem(error);
  quiet.report.warn = NULL;
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
