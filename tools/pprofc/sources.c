/* Reading sources in parallel, and combining them in the order pprof does. */
#include "sources.h"

#include "common/terminal.h"
#include "core/parallel.h"
#include "hints.h"
#include "limit_flags.h"
#include "mappings.h"
#include "pprofc/transform.h"
#include "profile/profile.h"
#include "symbolize/elf_file.h"
#include "symbolize/symbolize.h"
#include "transform/combine/diff.h"
#include "transform/transform.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* So many are read and merged at a time: what is in memory at once is bounded. */
#define CHUNK 128

/* One source, while its chunk is being read. */
struct fetch {
  const char *source;
  pprofc_profile *profile; /* NULL: it failed */
  pprofc_error error;
};

struct fetched;

struct source_chunk {
  const struct command *command;
  struct fetch items[CHUNK + 1]; /* sources, then perhaps the base */
  size_t count;
  atomic_size_t next;
  size_t heads; /* of the items */
  unsigned threads_each;
  bool alone; /* the only source: what is wrong with it is the message of the program */
  struct fetched *fetched;
  struct source_chunk *before; /* still to be merged, or NULL */
  void (*merge)(struct source_chunk *chunk, unsigned threads);
};

void sources_find_executable(struct command *command) {
  if (command->source_count < 2 || !elf_is_object(command->sources[0], &mem_default)) return;
  command->executable = command->sources[0];
  command->sources++;
  command->source_count--;
}

static bool looks_like_url(const char *source) {
  pprofc_str s = str_of(source);
  size_t colon = str_find_char(s, ':');
  return str_find(s, STR("://")) < s.size ||
         (colon < s.size && str_find_char(str_slice(s, colon, s.size), '/') < s.size - colon);
}

/* Says what helps when a source is no file. */
static pprofc_status check_source(const struct command *command, const char *source,
                                  pprofc_error *error) {
  struct stat info;
  if (strcmp(source, "-") == 0 || stat(source, &info) == 0) return PPROFC_OK;
  if (*source == '-' && source != command->sources[0])
    return error_set(error, PPROFC_E_INVALID,
                     "cannot read '%s': no such file (flags stand before the first profile)",
                     source);
  if (looks_like_url(source))
    return error_set(error, PPROFC_E_UNSUPPORTED,
                     "cannot fetch '%s': profiles are read from files and standard input only",
                     source);
  return PPROFC_OK; /* the reader words it */
}

/* Replaces *profile by what a step made of it. */
static void sources_take(pprofc_profile **profile, pprofc_profile *made) {
  pprofc_profile_release(*profile);
  *profile = made;
}

/* Where binaries are looked for, into `path`. */
static void symbol_options(const struct command *command, struct symbolize_options *options,
                           char path[4096]) {
  const char *folders = getenv("PPROF_BINARY_PATH"), *home = getenv("HOME");
  path[0] = '\0';
  if (home && *home) snprintf(path, 4096, "%s/pprof/binaries", home);
  if (!folders || !*folders) folders = path;
  *options = (struct symbolize_options){
      .mode = command->symbolize,
      .tools = command->tools,
      .search_path = folders,
      .executable = command->executable,
      .build_id = *command->buildid ? command->buildid : NULL,
      .skip_unused = *command->base || *command->diff_base,
      .warn = command->report.warn,
  };
}

static pprofc_status locate_binaries(const struct command *command, pprofc_profile **profile,
                                     pprofc_error *error) {
  struct symbolize_options options;
  char path[4096];
  pprofc_profile *located;
  symbol_options(command, &options, path);
  pprofc_status status = symbolize_locate(*profile, &options, &located, error);
  if (status == PPROFC_OK) sources_take(profile, located);
  return status;
}

static pprofc_status sources_symbolize(const struct command *command, pprofc_profile **profile,
                                       pprofc_error *error) {
  struct symbolize_options options;
  char path[4096];
  pprofc_profile *symbolized;
  symbol_options(command, &options, path);
  pprofc_status status = symbolize_profile(*profile, &options, &symbolized, error);
  if (status == PPROFC_OK) sources_take(profile, symbolized);
  return status;
}

static void fetch(struct source_chunk *chunk, struct fetch *item) {
  const struct command *command = chunk->command;
  pprofc_read_options options;
  pprofc_read_options_init(&options);
  options.limits = &command->limits;
  options.allocator = budget_allocator(command->budget);
  options.threads = chunk->threads_each;
  options.call_stacks = command->call_stacks;
  pprofc_status status = check_source(command, item->source, &item->error);
  if (status == PPROFC_OK)
    status = pprofc_profile_read_file(item->source, &options, &item->profile, &item->error);
  if (status != PPROFC_OK) hint_source(item->source, &item->error);
  if (status == PPROFC_OK) status = locate_binaries(command, &item->profile, &item->error);
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
  unsigned all = parallel_workers(asked, SIZE_MAX, 1);
  unsigned workers = parallel_workers(asked, chunk->count, 1);
  chunk->threads_each = (all + workers - 1) / workers;
  atomic_store(&chunk->next, 0);
  parallel_run(workers, fetch_some, chunk);
}

/* Merges `count` fetched items into *merged, which may hold a profile already. */
static pprofc_status merge_into(const struct fetch *items, size_t count, pprofc_profile **merged,
                                size_t *good, pprofc_error *error) {
  const pprofc_profile *profiles[CHUNK];
  const char *names[CHUNK];
  size_t found = 0;
  for (size_t i = 0; i < count; i++) {
    if (!items[i].profile) continue;
    names[found] = items[i].source;
    profiles[found++] = items[i].profile;
  }
  *good += found;
  if (!found) return PPROFC_OK;
  pprofc_profile *chunk;
  pprofc_status status = pprofc_merge(profiles, found, &chunk, error);
  if (status != PPROFC_OK) {
    char types[HINT_MAX];
    hint_types(names[0], profiles[0], names[found - 1], profiles[found - 1], types);
    hint_types_add(types, error);
    return status;
  }
  if (!*merged) {
    *merged = chunk;
    return PPROFC_OK;
  }
  pprofc_profile *both;
  const pprofc_profile *pair[] = {*merged, chunk};
  status = pprofc_merge(pair, 2, &both, error);
  pprofc_profile_release(chunk);
  if (status != PPROFC_OK) return status;
  pprofc_profile_release(*merged);
  *merged = both;
  return PPROFC_OK;
}

/* What came of all sources. */
struct fetched {
  pprofc_profile *head, *base;
  size_t heads, bases;
  pprofc_status status;
  pprofc_error *error;
};

static void add_item(struct source_chunk *chunk, const char *source) {
  chunk->items[chunk->count++] = (struct fetch){source, NULL, {PPROFC_OK, PPROFC_NO_OFFSET, ""}};
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

/* Reads the sources [from, from + CHUNK), and with the first of them the base. */
static void fetch_chunk(struct source_chunk *chunk, size_t from, const char *base) {
  const struct command *command = chunk->command;
  size_t heads = command->source_count - from;
  chunk->heads = heads < CHUNK ? heads : CHUNK;
  chunk->count = 0;
  for (size_t i = 0; i < chunk->heads; i++) add_item(chunk, command->sources[from + i]);
  if (from == 0 && *base) add_item(chunk, base);
  fetch_all(chunk);
  chunk->alone = command->source_count == 1 && !*base;
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
      merge_into(chunk->items, chunk->heads, &fetched->head, &fetched->heads, fetched->error);
  if (fetched->status != PPROFC_OK)
    error_prefix(fetched->error, "problem fetching source profiles: ");
}

static void merge_base(const struct source_chunk *chunk, struct fetched *fetched) {
  fetched->status =
      merge_into(chunk->items + chunk->heads, 1, &fetched->base, &fetched->bases, fetched->error);
  if (fetched->status != PPROFC_OK)
    error_prefix(fetched->error, "problem fetching base profiles: ");
}

/* Merges the profiles of a chunk with those of the chunks before it, on so many threads. */
static void sources_merge_chunk(struct source_chunk *chunk, unsigned threads) {
  struct fetched *fetched = chunk->fetched;
  for (size_t i = 0; i < chunk->count; i++)
    if (chunk->items[i].profile) chunk->items[i].profile->threads = threads;
  if (fetched->head) fetched->head->threads = threads;
  if (fetched->status == PPROFC_OK) merge_heads(chunk, fetched);
  if (fetched->status == PPROFC_OK && chunk->count > chunk->heads) merge_base(chunk, fetched);
  for (size_t i = 0; i < chunk->count; i++) pprofc_profile_release(chunk->items[i].profile);
}

static pprofc_status fetch_chunks(const struct command *command, const char *base,
                                  struct fetched *fetched, pprofc_error *error) {
  struct source_chunk *chunks = mem_array(&mem_default, 2, sizeof *chunks);
  if (!chunks) return error_nomem(error);
  struct source_chunk *before = NULL;
  fetched->error = error;
  for (size_t from = 0, turn = 0; from < command->source_count && fetched->status == PPROFC_OK;
       from += CHUNK, turn ^= 1) {
    struct source_chunk *chunk = &chunks[turn];
    *chunk = (struct source_chunk){
        .command = command, .fetched = fetched, .before = before, .merge = sources_merge_chunk};
    fetch_chunk(chunk, from, base);
    before = chunk;
  }
  if (before) sources_merge_chunk(before, (unsigned)command->threads);
  pprofc_status status = fetched->status;
  mem_free(&mem_default, chunks, 2, sizeof *chunks);
  if (status != PPROFC_OK) return status;
  if (!fetched->heads) return error_set(error, PPROFC_E_IO, "failed to fetch any source profiles");
  if (*base && !fetched->bases)
    return error_set(error, PPROFC_E_IO, "failed to fetch any base profiles");
  if (fetched->heads < command->source_count)
    message_error("Fetched %zu source profiles out of %zu", fetched->heads, command->source_count);
  return PPROFC_OK;
}

static pprofc_status add_comment(pprofc_profile **profile, const char *comment,
                                 pprofc_error *error) {
  pprofc_profile *edit = profile_edit(*profile);
  if (!edit) return error_nomem(error);
  size_t count = edit->comment_count;
  uint32_t *comments = arena_array(&edit->region->arena, count + 1, sizeof *comments);
  pprofc_str text = str_of(comment);
  if (!comments || !profile_add_strings(edit, &text, 1)) {
    pprofc_profile_release(edit);
    return error_nomem(error);
  }
  if (count) memcpy(comments, edit->comments, count * sizeof *comments);
  comments[count] = (uint32_t)(edit->strings.count - 1);
  edit->comments = comments;
  edit->comment_count = count + 1;
  sources_take(profile, edit);
  return PPROFC_OK;
}

/* What happens to the combined profile before any report, in pprof's order. */
static pprofc_status sources_finish(const struct command *command, pprofc_profile **profile,
                                    pprofc_error *error) {
  pprofc_status status = sources_symbolize(command, profile, error);
  if (status == PPROFC_OK && !command->all_frames) {
    pprofc_profile *pruned;
    status = transform_drop_frames(*profile, &pruned, error);
    if (status == PPROFC_OK) sources_take(profile, pruned);
  }
  if (status == PPROFC_OK) status = mappings_forget_urls(profile, error);
  if (status == PPROFC_OK && *command->add_comment)
    status = add_comment(profile, command->add_comment, error);
  return status; /* reading has checked the profile, and no edit makes a valid one invalid */
}

/* Makes the head of what was fetched the difference. A report that only adds up need not find equal
 * samples of the two first, where that cannot change a sum. */
static pprofc_status subtract(const struct command *command, const char *base_name,
                              struct fetched *fetched, pprofc_error *error) {
  pprofc_diff_kind kind = *command->base ? PPROFC_SUBTRACT : PPROFC_COMPARE;
  bool normalize = command->report.normalize;
  pprofc_profile *head = fetched->head, *base = fetched->base;
  fetched->head = fetched->base = NULL;
  char types[HINT_MAX]; /* made before the profiles are given away */
  hint_types(base_name, base, command->sources[0], head, types);
  pprofc_status status;
  if (command->format->adds_up && transform_diff_unmerged_is_exact(head, base, kind)) {
    status = transform_diff_unmerged(head, base, normalize, &fetched->head, error);
  } else {
    status = pprofc_diff(head, base, kind, normalize, &fetched->head, error);
    pprofc_profile_release(head);
    pprofc_profile_release(base);
  }
  if (status != PPROFC_OK) hint_types_add(types, error);
  return status;
}

pprofc_status sources_fetch(const struct command *command, pprofc_profile **profile,
                            pprofc_error *error) {
  struct fetched fetched = {.status = PPROFC_OK};
  const char *base = *command->base ? command->base : command->diff_base;
  pprofc_status status = fetch_chunks(command, base, &fetched, error);
  if (status == PPROFC_OK && fetched.base) status = subtract(command, base, &fetched, error);
  pprofc_profile_release(fetched.base);
  if (status == PPROFC_OK) status = sources_finish(command, &fetched.head, error);
  if (status != PPROFC_OK) {
    pprofc_profile_release(fetched.head);
    return status;
  }
  *profile = fetched.head;
  fetched.head->disposable = true; /* one report is made of it */
  return PPROFC_OK;
}
