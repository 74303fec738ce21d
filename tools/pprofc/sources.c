/* Reads the sources of the command line. For a URL, fetch/ downloads the bytes first. Threads of
 * the library then read the bytes like a file. */
#include "steps.h"

#include "noise/noise.h"
#include "profile/profile.h"
#include "sources/sources.h"
#include "transform/combine/diff.h"

#include <stdatomic.h>

/* Place from which a source is read. */
struct source_origin {
  struct file_source file; /* source, file to read, and name in messages */
  struct remote *remote;   /* HTTP request; NULL for a file */
  bool framed;             /* true for a profile of a stream, whose bytes are in `frame` */
  struct buffer frame;
};

struct fetched {
  const struct command *command;
  struct source_reader reader;
  pprofc_read_options options;
  struct fetcher fetcher;
  struct framed framed;    /* stream of profiles (-frames) */
  struct open_sums needs;  /* data that the reader keeps, if it adds up samples */
  struct source_run *runs; /* runs to read instead of the sources of the command line, or NULL */
  size_t run_count, runs_taken;
  struct command quiet; /* copy of `command` without warnings, for all runs after the first */
  struct sums sums;     /* sums over runs, to be written by -sums; `mem` is NULL without -sums */
  struct source_map_list source_maps;          /* source maps given by -source_map */
  atomic_bool mapped;                          /* true if a source map changed a frame */
  bool from_server;                            /* true if at least one source is a URL */
  struct source_origin origins[SOURCES_CHUNK]; /* origins of the chunk that is being read */
};

/* ---- reading a source -------------------------------- */

static pprofc_status origin_read(struct source_origin *origin, const pprofc_read_options *options,
                                 const struct open_sums *sums, struct source *source) {
  if (origin->framed) {
    pprofc_status status =
        framed_read(&origin->frame, source->shown, options, &source->profile, &source->error);
    buffer_free(&origin->frame);
    return status;
  }
  if (origin->remote)
    return fetcher_read(origin->remote, source->shown, options, sums, &source->profile,
                        &source->error);
  return file_source_read(&origin->file, options, sums, &source->profile, &source->error);
}

static pprofc_status fetch_original_names(struct fetched *fetched,
                                          const struct source_origin *origin,
                                          struct source *source) {
  bool used = false;
  const char *path = origin->remote ? NULL : origin->file.path;
  pprofc_status status = source_maps_use(fetched->command, &fetched->source_maps, path,
                                         &source->profile, &used, &source->error);
  if (used) atomic_store(&fetched->mapped, true);
  return status;
}

static pprofc_status fetched_read(void *context, struct source *source,
                                  const pprofc_read_options *options) {
  struct fetched *fetched = context;
  const struct command *command = fetched->command;
  struct source_origin *origin = source->data;
  pprofc_profile **profile = &source->profile;
  pprofc_error *error = &source->error;
  struct open_sums times;
  const struct open_sums *needs = time_range_needs(command, fetched->reader.needs, &times);
  pprofc_status status = origin_read(origin, options, needs, source);
  if (status == PPROFC_OK)
    status = time_range_select(command, source->is_base, source->shown, options, profile, error);
  if (status == PPROFC_OK) status = benchmarks_select(command, source->shown, profile, error);
  if (status == PPROFC_OK) status = fetch_original_names(fetched, origin, source);
  if (status == PPROFC_OK) status = finish_locate(command, profile, error);
  if (status == PPROFC_OK && origin->remote)
    status = mappings_name_by_url(profile, origin->remote->address.shown, error);
  return status;
}

static void fetched_skip(const struct fetched *fetched, struct source *source) {
  const struct source_origin *origin = source->data;
  limit_flags_name(&source->error);
  message_error("%s", source->error.message);
  /* An unreadable file is an error, but a stream may have broken frames. */
  if (!origin->framed && fetched->command->incomplete) *fetched->command->incomplete = true;
}

/* Stores which server has the symbols of the profile. Adds the profile to the sums of -sums. */
static pprofc_status fetched_take(void *context, struct source *source, pprofc_error *error) {
  struct fetched *fetched = context;
  const struct source_origin *origin = source->data;
  if (!source->profile) {
    fetched_skip(fetched, source);
    return PPROFC_OK;
  }
  if (origin->remote) {
    fetched->from_server = true;
    if (symbols_note(&fetched->fetcher.symbols, source->profile, source->is_base,
                     &origin->remote->address.url))
      return error_nomem(error);
  }
  if (source->is_base) return PPROFC_OK;
  return noise_sums_add(&fetched->sums, source->profile, source->shown, error);
}

static void fetched_warn(void *context, const struct source *source, pprofc_str text) {
  (void)context;
  if (source)
    message_error("%s: %.*s", source->shown, STR_ARG(text));
  else
    message_error("%.*s", STR_ARG(text));
}

/* ---- sequence of sources ----------------------------- */

/* Downloads all sources that are URLs. Downloads them in parallel, because a download mostly waits
 * for the server. */
static pprofc_status fetch_remotes(struct fetched *fetched, const struct source_origin *origins,
                                   size_t count, pprofc_error *error) {
  struct remote *remotes[SOURCES_CHUNK];
  size_t found = 0;
  for (size_t i = 0; i < count; i++)
    if (origins[i].remote) remotes[found++] = origins[i].remote;
  /* Keep complete samples, because finish_combined saves a copy of a downloaded profile. */
  if (found) fetched->reader.needs = NULL;
  return fetcher_run(&fetched->fetcher, remotes, found, error);
}

/* Returns the source at an index, and sets *is_base. Returns NULL after the last source. */
static const char *fetched_source(const struct fetched *fetched, size_t i, bool *is_base) {
  const struct command *command = fetched->command;
  size_t heads = command->source_count;
  if (fetched->runs) {
    if (i >= fetched->run_count) return NULL;
    *is_base = fetched->runs[i].is_base;
    return fetched->runs[i].source;
  }
  *is_base = i >= heads;
  if (!*is_base) return command->sources[i];
  return i - heads < command->bases.count ? command->bases.items[i - heads] : NULL;
}

static pprofc_status next_files(struct fetched *fetched, size_t from, struct source_origin *origins,
                                struct source *sources, size_t *count, pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  const char *name;
  while (*count < SOURCES_CHUNK && status == PPROFC_OK) {
    struct source *source = &sources[*count];
    struct source_origin *origin = &origins[*count];
    if (!(name = fetched_source(fetched, from + *count, &source->is_base))) break;
    origin->framed = false;
    status = fetcher_classify(&fetched->fetcher, name, &origin->remote, &origin->file, error);
    (*count)++;
  }
  return status ? status : fetch_remotes(fetched, origins, *count, error);
}

/* Adds profiles of the stream until the chunk is full or reaches its memory limit. */
static pprofc_status next_frames(struct framed *framed, struct source_origin *origins,
                                 struct source *sources, size_t *count, pprofc_error *error) {
  size_t bytes = 0;
  while (*count < SOURCES_CHUNK && bytes < FRAMED_AT_ONCE && !framed->ended) {
    struct source_origin *origin = &origins[*count];
    const char *name;
    buffer_free(&origin->frame);
    pprofc_status status = framed_next(framed, &origin->frame, &name, error);
    if (!name) return status;
    bytes += origin->frame.size;
    origin->framed = true;
    origin->remote = NULL;
    origin->file = (struct file_source){name, name, name};
    sources[(*count)++].is_base = false;
  }
  return PPROFC_OK;
}

static pprofc_status fetched_next(void *context, size_t from, struct source *sources, size_t *count,
                                  pprofc_error *error) {
  struct fetched *fetched = context;
  struct source_origin *origins = fetched->origins;
  pprofc_status status = fetched->command->frames
                             ? next_frames(&fetched->framed, origins, sources, count, error)
                             : next_files(fetched, from, origins, sources, count, error);
  for (size_t i = 0; i < *count; i++) {
    sources[i].data = &origins[i];
    sources[i].shown = origins[i].file.shown;
  }
  return status;
}

static void fetched_init(struct fetched *fetched, const struct command *command) {
  *fetched = (struct fetched){.command = command};
  pprofc_read_options *options = &fetched->options;
  pprofc_read_options_init(options);
  options->limits = &command->limits;
  options->allocator = budget_allocator(command->budget);
  options->threads = (unsigned)command->threads;
  options->call_stacks = command->call_stacks;
  /* With -http and -lsp, the program runs for a long time, and the file may change in that time. */
  options->may_change = command->http_on || command->lsp;
  fetched->reader = (struct source_reader){
      .context = fetched,
      .mem = &mem_default,
      .options = options,
      .kind = *command->base ? PPROFC_SUBTRACT : PPROFC_COMPARE,
      .strict = command->source_count + command->bases.count == 1 || command->every_ms,
      .explain = true,
      .quiet = command->repeats,
      .next = fetched_next,
      .read = fetched_read,
      .take = fetched_take,
      .warn = fetched_warn};
  fetcher_init(&fetched->fetcher, command);
  framed_init(&fetched->framed, &command->limits);
}

static void fetched_free(struct fetched *fetched) {
  for (size_t i = 0; i < SOURCES_CHUNK; i++) buffer_free(&fetched->origins[i].frame);
  framed_free(&fetched->framed);
  fetcher_free(&fetched->fetcher);
}

/* ---- profile of the command line --------------------- */

/* Reads sources and applies source maps. If base and head are sums, subtracts the base. */
static pprofc_status fetch_sums(struct fetched *fetched, struct source_sums *sums,
                                pprofc_error *error) {
  struct source_map_list *maps = &fetched->source_maps;
  const struct command *command = fetched->command;
  pprofc_status status = source_maps_load(command, maps, error);
  if (status == PPROFC_OK && *command->sums)
    status = sums_init(&fetched->sums, budget_allocator(command->budget), error);
  if (status == PPROFC_OK) status = sources_add_up(&fetched->reader, sums, error);
  if (status == PPROFC_OK && maps->count && !atomic_load(&fetched->mapped))
    message_error("no source map was used: no script of the profile matches");
  source_maps_free(maps);
  if (status == PPROFC_OK) benchmarks_print(command, sums->head.sum);
  return noise_sums_end(command, &fetched->sums, status, error);
}

/* Prepares the profile for the report. Saves a copy if a source is a URL. */
static pprofc_status finish_combined(struct fetched *fetched, pprofc_profile **profile,
                                     pprofc_error *error) {
  pprofc_status status = finish_profile(&fetched->fetcher, profile, error);
  if (status == PPROFC_OK && fetched->from_server && !fetched->command->no_save)
    save_copy(*profile);
  return status;
}

static pprofc_status finish_apart(struct fetched *fetched, struct sources *sources,
                                  pprofc_error *error) {
  pprofc_status status = finish_profile(&fetched->fetcher, &sources->head, error);
  if (status == PPROFC_OK && sources->base)
    status = finish_profile(&fetched->fetcher, &sources->base, error);
  return status;
}

/* Replaces the head by the difference. Does not join equal samples if the report needs only sums,
 * and no copy is saved. */
static pprofc_status fetched_subtract(const struct fetched *fetched, struct source_sums *sums,
                                      pprofc_error *error) {
  const struct command *command = fetched->command;
  bool adds_up = command->format && command->format->adds_up && !fetched->from_server;
  return sources_subtract(&fetched->reader, sums, command->report.normalize, adds_up, error);
}

pprofc_status sources_get(const struct command *command, bool apart, struct sources *sources,
                          pprofc_error *error) {
  struct source_sums sums = {.head = {.sum = NULL}};
  struct fetched fetched;
  *sources = (struct sources){NULL, NULL, NULL};
  fetched_init(&fetched, command);
  if (!apart && folding_of(command, &fetched.needs)) fetched.reader.needs = &fetched.needs;
  pprofc_status status = fetch_sums(&fetched, &sums, error);
  if (status == PPROFC_OK && apart) {
    sources->head = pprofc_profile_retain(sums.head.sum);
    sources->base = pprofc_profile_retain(sums.base.sum);
  }
  if (status == PPROFC_OK) status = fetched_subtract(&fetched, &sums, error);
  if (status == PPROFC_OK) status = finish_combined(&fetched, &sums.head.sum, error);
  if (status == PPROFC_OK && apart) status = finish_apart(&fetched, sources, error);
  if (status == PPROFC_OK) sources->combined = pprofc_profile_retain(sums.head.sum);
  sources_release(&sums);
  fetched_free(&fetched);
  if (status == PPROFC_OK) return PPROFC_OK;
  pprofc_profile_release(sources->head);
  pprofc_profile_release(sources->base);
  *sources = (struct sources){NULL, NULL, NULL};
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

/* Prepares the profile of a source, and moves it to its run. Skips a file in a folder if it is not
 * a profile. If the profile is unreadable, returns its error. Warns only about the first profile.
 */
static pprofc_status fetched_take_run(void *context, struct source *source, pprofc_error *error) {
  struct fetched *fetched = context;
  struct source_run *run = &fetched->runs[fetched->runs_taken++];
  if (!source->profile && run->folder && sources_is_other(&source->error)) {
    message_note("skipped '%s': not a profile", run->source);
    return PPROFC_OK;
  }
  if (!source->profile) {
    *error = source->error;
    return error->status;
  }
  source->profile->threads = fetched->options.threads;
  pprofc_status status = finish_profile(&fetched->fetcher, &source->profile, error);
  if (status) return status;
  run->profile = source->profile;
  source->profile = NULL;
  fetched->fetcher.command = &fetched->quiet;
  return PPROFC_OK;
}

pprofc_status sources_read_runs(const struct command *command, const struct open_sums *needs,
                                struct source_run *runs, size_t count, pprofc_error *error) {
  struct source_sums sums;
  struct fetched fetched;
  fetched_init(&fetched, command);
  fetched.quiet = *command;
  fetched.quiet.report.warn = NULL;
  fetched.runs = runs;
  fetched.run_count = count;
  fetched.reader.needs = needs;
  fetched.reader.strict = false;
  fetched.reader.take = fetched_take_run;
  pprofc_status status = sources_each(&fetched.reader, &sums, error);
  sources_release(&sums);
  fetched_free(&fetched);
  return status;
}

pprofc_status sources_finish(const struct command *command, pprofc_profile **profile,
                             pprofc_error *error) {
  struct fetcher fetcher;
  fetcher_init(&fetcher, command);
  pprofc_status status = finish_profile(&fetcher, profile, error);
  fetcher_free(&fetcher);
  return status;
}
