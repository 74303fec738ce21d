/* Adds names from local binaries to a profile, and demangles names. Chooses mappings and addresses,
 * queries the tools, and stores the found frames in the profile. */
#include "pprofc/symbolize.h"
#include "pprofc/builder.h"
#include "profile/delta.h"
#include "symbolize/object.h"
#include "symbolize/symbolize.h"

/* Value of -symbolize: the sources of names, and how to demangle names. */
struct mode {
  bool none, local, remote, fast, force;
  enum demangle_mode demangle;
};

/* ---- the option --------------------------------------- */

void symbolize_warn(const struct symbolize_options *options, const char *format, ...) {
  char message[4096 + 512]; /* space for a path */
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  if (options->warn) options->warn(options->warn_context, message);
}

static const struct {
  const char *word;
  enum demangle_mode mode;
} demangle_words[] = {
    {"full", DEMANGLE_FULL}, {"none", DEMANGLE_NONE}, {"templates", DEMANGLE_TEMPLATES}};

/* Parses a word such as "demangle=full" or "full". Sets mode->force, except for "default". */
static bool demangle_word(pprofc_str word, struct mode *mode) {
  bool prefixed = str_take(&word, STR("demangle="));
  if (str_equal(word, STR("default"))) return true;
  for (size_t i = 0; i < COUNT(demangle_words); i++) {
    bool bare_none = !prefixed && demangle_words[i].mode == DEMANGLE_NONE;
    if (bare_none || !str_equal(word, str_of(demangle_words[i].word))) continue;
    mode->demangle = demangle_words[i].mode;
    mode->force = true;
    return true;
  }
  return false;
}

/* Applies a word of -symbolize. Returns false for an unknown word. */
static bool mode_word(pprofc_str word, struct mode *mode) {
  bool fast = str_equal(word, STR("fastlocal")), local = fast || str_equal(word, STR("local"));
  bool none = str_equal(word, STR("none")) || str_equal(word, STR("no"));
  bool remote = str_equal(word, STR("remote")), force = str_equal(word, STR("force"));
  mode->none |= none;
  mode->fast |= fast;
  mode->force |= force;
  if (local || remote) {
    mode->local = local;
    mode->remote = remote;
  }
  return local || remote || none || force || demangle_word(word, mode);
}

/* Parses options->mode and warns about unknown words. */
static void mode_parse(const struct symbolize_options *options, struct mode *mode) {
  *mode = (struct mode){.local = true, .remote = true};
  char lower[255];
  size_t size = 0;
  for (const char *c = options->mode ? options->mode : ""; *c && size < sizeof lower; c++)
    lower[size++] = char_lower(*c);
  pprofc_str rest = {lower, size}, word;
  while (!mode->none && str_next(&rest, ':', &word)) {
    if (!word.size || mode_word(word, mode)) continue;
    symbolize_warn(options, "ignoring unrecognized symbolization option: %s", options->mode);
    symbolize_warn(options, "expecting -symbolize=[local|fastlocal|remote|none][:force]"
                            "[:demangle=[none|full|templates|default]");
  }
}

/* ---- the local pass ---------------------------------- */

/* Frames that a tool found for the addresses of one mapping. */
struct symbolize_answer {
  struct source_frames frames;
  bool known;
};

struct symbolize_pass {
  /* Copy of the profile from profile_edit; may be changed. */
  pprofc_profile *profile;
  const struct symbolize_options *options;
  struct mode mode;
  struct tools tools;
  struct arena scratch;
  struct symbolize_answer *answers; /* for each mapping, the frames found for its addresses */
  uint32_t *slot;    /* for each location, index of its address in the mapping's query, or NONE */
  uint32_t *members; /* for each mapping, its number of locations */
  bool missing_binaries, any;
};

static bool unsymbolizable(pprofc_str name) {
  pprofc_str base = str_path_base(name);
  return !name.size || str_starts(base, STR("[")) || str_starts(base, STR("linux-vdso")) ||
         str_starts(name, STR("/dev/dri/")) || str_starts(name, STR("/memfd:")) ||
         str_equal(name, STR("//anon"));
}

static bool symbolize_is_url(pprofc_str name) {
  return str_starts(name, STR("http://")) || str_starts(name, STR("https://")) ||
         str_starts(name, STR("https+insecure://")) || str_starts(name, STR("http+unix://"));
}

/* True if a location of the mapping has an address, which the search for names needs. */
static bool symbolize_has_addresses(const struct symbolize_pass *pass, size_t mapping) {
  const struct locations *locations = &pass->profile->locations;
  for (size_t i = 0; i < locations->count; i++)
    if (locations->mapping[i] == mapping && locations->address[i]) return true;
  return false;
}

/* True if the tools must search the binary of a mapping for names. If the mapping has no file name,
 * warns as pprof does (first mapping) or sets missing_binaries (other mappings). */
static bool wanted(struct symbolize_pass *pass, size_t index) {
  const struct mapping *m = &pass->profile->mappings.items[index];
  pprofc_str file = profile_string(pass->profile, m->file);
  unsigned has = m->flags & (PPROFC_HAS_FUNCTIONS | PPROFC_HAS_FILENAMES | PPROFC_HAS_LINE_NUMBERS);
  if (!pass->members[index] || (has && !pass->mode.force)) return false;
  if (!file.size) {
    if (!symbolize_has_addresses(pass, index)) return false;
    if (index == 0)
      symbolize_warn(pass->options, "Main binary filename not available.");
    else
      pass->missing_binaries = true;
    return false;
  }
  bool remote = !profile_string(pass->profile, m->build_id).size && symbolize_is_url(file);
  return !remote && !unsymbolizable(file);
}

static void failed(struct symbolize_pass *pass, size_t index, const char *reason) {
  const struct mapping *m = &pass->profile->mappings.items[index];
  pprofc_str base = str_path_base(profile_string(pass->profile, m->file));
  pprofc_str id = profile_string(pass->profile, m->build_id);
  if (id.size)
    symbolize_warn(pass->options, "Local symbolization failed for %.*s (build ID %.*s): %s",
                   STR_ARG(base), STR_ARG(id), reason);
  else
    symbolize_warn(pass->options, "Local symbolization failed for %.*s: %s", STR_ARG(base), reason);
}

/* Converts the addresses of the mapping's locations to addresses of the file. */
static pprofc_status file_addresses(struct symbolize_pass *pass, size_t index,
                                    const struct elf_file *file, uint64_t **addresses,
                                    pprofc_error *error) {
  const pprofc_profile *p = pass->profile;
  const struct mapping *m = &p->mappings.items[index];
  pprofc_str name = profile_string(p, m->file);
  struct mapped_range range = {m->start, m->limit, m->offset, STR("")};
  if (str_take(&name, STR("[kernel.kallsyms]"))) range.kernel_symbol = name;
  *addresses = arena_array(&pass->scratch, pass->members[index], sizeof **addresses);
  if (!*addresses) return error_nomem(error);
  bool based = false;
  uint64_t base = 0;
  for (size_t i = 0; i < p->locations.count; i++) {
    if (p->locations.mapping[i] != index || pass->slot[i] == NONE) continue;
    uint64_t address = p->locations.address[i];
    if (!based) {
      pprofc_status status = base_address(file, &range, address, &base, error);
      if (status != PPROFC_OK) return status;
      based = true;
    }
    (*addresses)[pass->slot[i]] = address - base;
  }
  return PPROFC_OK;
}

/* Removes the frames of addresses that are outside of all sections, because the tools name such
 * addresses after the last symbol, for example "_end". */
static pprofc_status drop_outside(struct symbolize_pass *pass, const struct elf_file *file,
                                  const uint64_t *addresses, size_t count,
                                  struct source_frames *frames, pprofc_error *error) {
  struct elf_range *ranges;
  size_t range_count, kept = 0, from = 0;
  pprofc_status status = elf_ranges(file, &pass->scratch, &ranges, &range_count, error);
  if (status != PPROFC_OK || !range_count) return status;
  for (size_t i = 0; i < count; i++) {
    size_t to = frames->from[i + 1];
    bool inside = elf_in_range(ranges, range_count, addresses[i]);
    frames->from[i] = kept;
    for (; from < to; from++)
      if (inside) frames->items[kept++] = frames->items[from];
  }
  frames->from[count] = frames->count = kept;
  return PPROFC_OK;
}

static pprofc_status symbolize_mapping(struct symbolize_pass *pass, size_t index,
                                       pprofc_error *error) {
  pprofc_profile *p = pass->profile;
  const struct mapping *m = &p->mappings.items[index];
  pprofc_str name = profile_string(p, m->file), id = profile_string(p, m->build_id);
  pprofc_str path = arena_str(&pass->scratch, name);
  if (!path.data) return error_nomem(error);
  pprofc_error why;
  struct elf_file file;
  pprofc_status status = elf_open(&file, path.data, &p->mem, &why);
  if (status == PPROFC_E_NOMEM) return error_nomem(error);
  if (status != PPROFC_OK) {
    failed(pass, index, why.message);
    pass->missing_binaries = true;
    return PPROFC_OK;
  }
  if (id.size && file.build_id[0] && !str_equal(id, str_of(file.build_id))) {
    failed(pass, index, "build ID mismatch");
  } else {
    uint64_t *addresses = NULL;
    status = file_addresses(pass, index, &file, &addresses, &why);
    const struct tool_query query = {&pass->tools, path.data, addresses, pass->members[index],
                                     &pass->scratch};
    if (status == PPROFC_OK)
      status = tools_symbolize(&query, pass->mode.fast, &pass->answers[index].frames, &why);
    if (status == PPROFC_OK)
      status = drop_outside(pass, &file, addresses, pass->members[index],
                            &pass->answers[index].frames, &why);
    pass->answers[index].known = status == PPROFC_OK;
    pass->any |= status == PPROFC_OK;
    if (status != PPROFC_OK && status != PPROFC_E_NOMEM) {
      symbolize_warn(pass->options, "local symbolization: %s", why.message);
      status = PPROFC_OK;
    } else if (status == PPROFC_E_NOMEM) {
      error_nomem(error);
    }
  }
  elf_close(&file);
  return status;
}

/* ---- lines from the found frames --------------------- */

struct symbolize_columns {
  struct interner strings; /* new strings; their ids follow the ids of the profile's strings */
  struct map functions;    /* finds a function in `items` by name, file and start line */
  struct function_fields *items; /* new functions */
  size_t count, capacity;
};

/* Returns the frames of a location, or NULL if the tool found no frames. */
static const struct source_frame *symbolize_frames_of(const struct symbolize_pass *pass,
                                                      size_t location, size_t *count) {
  uint32_t mapping = pass->profile->locations.mapping[location];
  *count = 0;
  if (pass->slot[location] == NONE || !pass->answers[mapping].known) return NULL;
  const struct source_frames *frames = &pass->answers[mapping].frames;
  size_t from = frames->from[pass->slot[location]];
  *count = frames->from[pass->slot[location] + 1] - from;
  return *count ? frames->items + from : NULL;
}

/* Returns the index of the function with this name, file and start line, and adds it if needed.
 * Returns NONE when out of memory. */
static uint32_t new_function(struct symbolize_pass *pass, struct symbolize_columns *c,
                             const struct source_frame *frame) {
  uint32_t name = interner_add(&c->strings, frame->function);
  uint32_t file = interner_add(&c->strings, frame->file);
  if (name == MAP_NONE || file == MAP_NONE) return NONE;
  uint32_t first = (uint32_t)pass->profile->strings.count;
  struct function_fields function = {first + name, first + name, first + file, frame->start_line};
  uint64_t hash = hash_mix(hash_mix(name, file), (uint64_t)frame->start_line);
  const struct function_fields *known = c->items;
  MAP_FIND(index, &c->functions, hash,
           known[index].name == function.name && known[index].filename == function.filename &&
               known[index].start_line == function.start_line);
  if (index != MAP_NONE) return index;
  bool added = ARRAY_PUSH_IN(&pass->scratch, c->items, c->count, c->capacity, function) &&
               map_insert(&c->functions, hash, (uint32_t)c->count - 1);
  return added ? (uint32_t)c->count - 1 : NONE;
}

/* Adds the functions of all found frames in pprof's order: by mapping, then by location. */
static bool number_functions(struct symbolize_pass *pass, struct symbolize_columns *c) {
  const pprofc_profile *p = pass->profile;
  size_t first = 0, count;
  uint32_t *ordered = arena_array(&pass->scratch, p->locations.count, sizeof *ordered);
  size_t *start = arena_array(&pass->scratch, p->mappings.count, sizeof *start);
  if (!ordered || !start) return false;
  for (size_t i = 0; i < p->mappings.count; first += pass->members[i++]) start[i] = first;
  for (size_t i = 0; i < p->locations.count; i++)
    if (pass->slot[i] != NONE)
      ordered[start[p->locations.mapping[i]] + pass->slot[i]] = (uint32_t)i;
  for (size_t n = 0; n < first; n++) {
    const struct source_frame *frames = symbolize_frames_of(pass, ordered[n], &count);
    for (size_t k = 0; frames && k < count; k++)
      if (new_function(pass, c, &frames[k]) == NONE) return false;
  }
  return true;
}

/* Counts the new lines of all locations: the frames that the tools found, or else the old lines. */
static size_t count_lines(const struct symbolize_pass *pass) {
  const struct locations *old = &pass->profile->locations;
  size_t total = 0, count;
  for (size_t i = 0; i < old->count; i++) {
    if (!symbolize_frames_of(pass, i, &count)) count = old->line_from[i + 1] - old->line_from[i];
    total += count;
  }
  return total;
}

/* Returns the parts of a frame that the tools found, as flags for the mapping. */
static uint32_t frame_flags(const struct source_frame *frame) {
  uint32_t flags = PPROFC_HAS_INLINE_FRAMES;
  if (frame->function.size) flags |= PPROFC_HAS_FUNCTIONS;
  if (frame->file.size) flags |= PPROFC_HAS_FILENAMES;
  if (frame->line) flags |= PPROFC_HAS_LINE_NUMBERS;
  return flags;
}

/* Writes the lines of a location from the frames that the tools found. If they found no frames,
 * copies the old lines. Returns false when out of memory. */
static bool write_lines_of(struct symbolize_pass *pass, struct symbolize_columns *c,
                           size_t location, struct mapping *mappings, struct line *lines,
                           size_t *n) {
  const pprofc_profile *p = pass->profile;
  const struct locations *old = &p->locations;
  size_t count;
  const struct source_frame *frames = symbolize_frames_of(pass, location, &count);
  if (!frames)
    for (size_t k = old->line_from[location]; k < old->line_from[location + 1]; k++)
      lines[(*n)++] = old->lines[k];
  for (size_t k = 0; k < count; k++) {
    uint32_t function = new_function(pass, c, &frames[k]);
    if (function == NONE) return false;
    lines[(*n)++] =
        (struct line){(uint32_t)p->functions.count + function, frames[k].line, frames[k].column};
    mappings[old->mapping[location]].flags |= frame_flags(&frames[k]);
  }
  return true;
}

/* Builds new arrays with the lines of all locations. If the tools found frames for a location, the
 * frames replace its old lines. */
static bool new_lines(struct symbolize_pass *pass, struct symbolize_columns *c,
                      struct mapping *mappings) {
  pprofc_profile *p = pass->profile;
  struct arena *arena = &p->region->arena;
  const struct locations *old = &p->locations;
  size_t total = count_lines(pass), n = 0, count;
  uint32_t *from = arena_array(arena, old->count + 1, sizeof *from);
  struct line *lines = arena_array(arena, total, sizeof *lines);
  uint8_t *folded = old->is_folded ? arena_copy(arena, old->is_folded, old->count) : NULL;
  if (!from || !lines || (old->is_folded && !folded) || total >= NONE) return false;
  for (size_t i = 0; i < old->count; i++) {
    from[i] = (uint32_t)n;
    if (!write_lines_of(pass, c, i, mappings, lines, &n)) return false;
    if (folded && symbolize_frames_of(pass, i, &count)) folded[i] = 0;
  }
  from[old->count] = (uint32_t)n;
  p->locations.line_from = from;
  p->locations.lines = lines;
  p->locations.is_folded = folded;
  return true;
}

static pprofc_status apply_answers(struct symbolize_pass *pass, pprofc_error *error) {
  pprofc_profile *p = pass->profile;
  struct symbolize_columns columns = {0};
  struct mapping *mappings =
      arena_copy(&p->region->arena, p->mappings.items, p->mappings.count * sizeof *mappings);
  interner_init(&columns.strings, &p->mem);
  map_init(&columns.functions, &p->mem);
  bool done = mappings && number_functions(pass, &columns) && new_lines(pass, &columns, mappings) &&
              profile_add_functions(p, columns.items, columns.count, p->functions.count + 1) &&
              profile_add_strings(p, columns.strings.items, columns.strings.count);
  interner_free(&columns.strings);
  map_free(&columns.functions);
  if (!done) return error_nomem(error);
  p->mappings.items = mappings;
  return PPROFC_OK;
}

/* True if a mapping has no names or `force` is set. The binaries of this machine are then searched
 * for names. */
static bool lacks_names(const struct symbolize_pass *pass) {
  const struct mappings *mappings = &pass->profile->mappings;
  unsigned has = PPROFC_HAS_FUNCTIONS | PPROFC_HAS_FILENAMES | PPROFC_HAS_LINE_NUMBERS;
  bool lacking = pass->mode.force;
  for (size_t i = 0; i < mappings->count; i++) lacking |= !(mappings->items[i].flags & has);
  return lacking;
}

/* Returns one byte for each location: 1 if a sample uses the location. */
static uint8_t *find_used(struct symbolize_pass *pass) {
  const pprofc_profile *p = pass->profile;
  uint8_t *used = arena_zero_array(&pass->scratch, p->locations.count, 1);
  struct stack_delta delta;
  if (!used || !delta_init(&delta, &p->mem, &p->samples, 0)) return NULL;
  for (size_t i = 0; i < p->samples.count; i++) {
    delta_next(&delta, i);
    for (size_t k = 0; k < delta.count; k++) used[delta.fresh[k].location] = 1;
  }
  delta_free(&delta, &p->mem);
  return used;
}

static bool symbolize_prepare(struct symbolize_pass *pass) {
  const pprofc_profile *p = pass->profile;
  uint8_t *used = NULL;
  if (pass->options->skip_unused && !p->in_order_of_use && lacks_names(pass)) {
    used = find_used(pass);
    if (!used) return false;
  }
  pass->answers = arena_zero_array(&pass->scratch, p->mappings.count, sizeof *pass->answers);
  pass->members = arena_zero_array(&pass->scratch, p->mappings.count, sizeof *pass->members);
  pass->slot = arena_zero_array(&pass->scratch, p->locations.count, sizeof *pass->slot);
  if (!pass->answers || !pass->members || !pass->slot) return false;
  for (size_t i = 0; i < p->locations.count; i++) {
    uint32_t mapping = p->locations.mapping[i];
    bool asked = mapping != NONE && (!used || used[i]);
    pass->slot[i] = asked ? pass->members[mapping]++ : NONE;
  }
  return true;
}

static pprofc_status local_pass(struct symbolize_pass *pass, pprofc_error *error) {
  if (!symbolize_prepare(pass)) return error_nomem(error);
  bool have_tools = false;
  for (size_t i = 0; i < pass->profile->mappings.count; i++) {
    if (!wanted(pass, i)) continue;
    if (!have_tools && !tools_find(&pass->tools, pass->options->tools, &pass->profile->mem))
      return error_nomem(error);
    have_tools = true;
    pprofc_status status = symbolize_mapping(pass, i, error);
    if (status != PPROFC_OK) return status;
  }
  if (pass->missing_binaries) {
    symbolize_warn(pass->options,
                   "Some binary filenames not available. Symbolization may be incomplete.");
    symbolize_warn(pass->options,
                   "Try setting PPROF_BINARY_PATH to the search path for local binaries.");
  }
  return pass->any ? apply_answers(pass, error) : PPROFC_OK;
}

/* ---- demangling -------------------------------------- */

/* State while the column of function names is replaced. */
struct renaming {
  pprofc_profile *profile;
  const struct mode *mode;
  uint32_t *name;        /* string id of each function's name */
  struct interner added; /* new names; their ids follow the ids of the profile's strings */
  struct buffer text;
  bool changed, good; /* changed: true if a name has changed; good: false if memory ran out or the
                         call was stopped */
};

/* Demangles the name of a function. A name that differs from the system name (the name in the
 * binary) is the choice of the profile's writer, so only `force` replaces it. Returns false when
 * out of memory. */
static bool demangle_name(struct renaming *r, size_t function) {
  pprofc_profile *p = r->profile;
  const struct functions *f = &p->functions;
  pprofc_str shown = profile_string(p, f->name[function]);
  pprofc_str system = profile_string(p, f->system_name[function]);
  if (r->mode->force && shown.size && system.size) {
    r->changed |= r->name[function] != f->system_name[function];
    r->name[function] = f->system_name[function];
    shown = system;
  }
  if (r->mode->demangle == DEMANGLE_NONE || (shown.size && !str_equal(shown, system))) return true;
  demangle_for_display(system, r->mode->demangle, &r->text);
  if (r->text.failed) return false;
  if (str_equal(buffer_str(&r->text), shown)) return true;
  uint32_t id = interner_copy(&r->added, &p->region->arena, buffer_str(&r->text));
  r->name[function] = (uint32_t)p->strings.count + id;
  r->changed = true;
  return id != MAP_NONE;
}

static void demangle_each(void *context) {
  struct renaming *r = context;
  for (size_t i = 0; i < r->profile->functions.count && r->good; i++)
    r->good = !budget_poll(&r->profile->mem, i) && demangle_name(r, i);
}

static bool has_deep_name(const pprofc_profile *p) {
  for (size_t i = 0; i < p->functions.count; i++)
    if (demangle_is_deep(profile_string(p, p->functions.system_name[i]))) return true;
  return false;
}

static pprofc_status demangle_names(pprofc_profile *p, const struct mode *mode,
                                    pprofc_error *error) {
  size_t count = p->functions.count;
  struct renaming r = {.profile = p, .mode = mode};
  r.name = arena_copy(&p->region->arena, p->functions.name, count * sizeof *r.name);
  buffer_init(&r.text, &p->mem, (size_t)16 << 20);
  interner_init(&r.added, &p->mem);
  r.good = r.name != NULL;
  if (mode->demangle == DEMANGLE_NONE || !has_deep_name(p))
    demangle_each(&r);
  else if (!demangle_run(demangle_each, &r))
    r.good = false;
  bool ok = r.good;
  if (!r.changed) region_drop(p->region, r.name, count * sizeof *r.name);
  if (ok && r.changed) {
    p->functions.name = r.name;
    ok = profile_add_strings(p, r.added.items, r.added.count);
  }
  buffer_free(&r.text);
  interner_free(&r.added);
  return ok ? PPROFC_OK : error_nomem(error);
}

pprofc_status symbolize_profile(const pprofc_profile *source,
                                const struct symbolize_options *options, pprofc_profile **out,
                                pprofc_error *error) {
  struct mode mode;
  mode_parse(options, &mode);
  struct symbolize_pass pass = {.profile = profile_edit(source), .options = options, .mode = mode};
  if (!pass.profile) return error_nomem(error);
  pprofc_status status = PPROFC_OK;
  if (!mode.none) {
    arena_init(&pass.scratch, &pass.profile->mem);
    if (mode.local) status = local_pass(&pass, error);
    arena_free(&pass.scratch);
    if (status == PPROFC_OK && mode.remote && options->server)
      status = remote_symbolize(pass.profile, options, mode.force, error);
    if (status == PPROFC_OK) status = demangle_names(pass.profile, &mode, error);
  }
  if (status == PPROFC_OK)
    *out = pass.profile;
  else
    pprofc_profile_release(pass.profile);
  return status;
}

/* ---- the public functions ----------------------------- */

void pprofc_symbolize_options_init(pprofc_symbolize_options *options) {
  *options = (pprofc_symbolize_options){
      .struct_size = sizeof *options,
      .mode = "",
      .tools = "",
      .search_path = "",
      .executable = "",
      .build_id = "",
  };
}

pprofc_status pprofc_symbolize(const pprofc_profile *profile,
                               const pprofc_symbolize_options *options, pprofc_profile **symbolized,
                               pprofc_error *error) {
  pprofc_symbolize_options o;
  pprofc_profile *located = NULL;
  pprofc_status status = OPTIONS_COPY(pprofc_symbolize_options, &o, options, error);
  if (status) return status;
  struct symbolize_options wanted = {
      .mode = o.mode,
      .tools = o.tools,
      .search_path = o.search_path,
      .executable = o.executable,
      .build_id = o.build_id,
      .warn = o.warn,
      .warn_context = o.warn_context,
  };
  status = symbolize_locate(profile, &wanted, &located, error);
  if (!status) status = symbolize_profile(located, &wanted, symbolized, error);
  pprofc_profile_release(located);
  return budget_status(&profile->mem, status, error);
}
