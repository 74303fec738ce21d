/* Requests names of addresses from a server, with one request for each mapping. Stores the names as
 * lines of the profile. */
#include "pprofc/builder.h"
#include "symbolize/symbolize.h"

#define REPLY_MAX     ((size_t)1 << 30)
#define ADDRESSES_MAX ((size_t)1 << 30)

/* ---- the reply --------------------------------------- */

/* Finds the first address and name, such as "0x12ab NAME", in a line. */
static bool remote_read_line(pprofc_str line, uint64_t *address, pprofc_str *name) {
  for (;;) {
    size_t at = str_find(line, STR("0x"));
    if (at == line.size) return false;
    line = str_from(line, at + 2);
    size_t digits = 0, blanks = 0;
    while (digits < line.size && char_is_hex(line.data[digits])) digits++;
    pprofc_str rest = str_from(line, digits);
    while (blanks < rest.size && char_is_blank(rest.data[blanks])) blanks++;
    if (!digits || !blanks || !str_parse_uint(str_slice(line, 0, digits), 16, address)) continue;
    *name = str_from(rest, blanks);
    return true;
  }
}

bool remote_next_symbol(pprofc_str *reply, uint64_t *address, pprofc_str *name) {
  while (reply->size) {
    size_t end = str_find_char(*reply, '\n');
    if (end == reply->size) return false;
    pprofc_str line = str_slice(*reply, 0, end);
    *reply = str_from(*reply, end + 1);
    if (str_ends(line, STR("\r"))) line.size--;
    if (remote_read_line(line, address, name)) return true;
  }
  return false;
}

/* ---- the answers ------------------------------------- */

/* An address of the profile and the function that the server named for it. */
struct remote_symbol {
  uint64_t address;
  uint32_t function; /* index of the function in the profile; new functions follow the existing
                        functions */
};

struct remote_pass {
  pprofc_profile *profile;
  const struct symbolize_options *options;
  bool force;
  struct mapping *mappings; /* copy of the profile's mappings, which gets new flags */
  uint32_t *named;   /* for each location, the index of its new function; NONE: no new function */
  pprofc_str *names; /* names of the new functions */
  size_t count, capacity;
  struct remote_symbol *symbols; /* symbols of the current reply */
  size_t symbol_capacity;
  struct buffer text, reply;
};

/* Moves an address from a mapping that starts at `from` to a mapping that starts at `to`. Like
 * pprof, returns false if the result wraps around. */
static bool remote_move(uint64_t address, uint64_t from, uint64_t to, uint64_t *out) {
  *out = address - from + to;
  return to < from ? *out <= address : *out >= address;
}

/* Writes to pass->text the addresses of locations that have no name. Converts them to addresses in
 * the server's profile. */
static void remote_list(struct remote_pass *pass, size_t index, uint64_t start) {
  const struct locations *l = &pass->profile->locations;
  uint64_t own = pass->mappings[index].start, address;
  buffer_clear(&pass->text);
  for (size_t i = 0; i < l->count; i++) {
    if (l->mapping[i] != index || !l->address[i] || l->line_from[i + 1] != l->line_from[i] ||
        !remote_move(l->address[i], own, start, &address))
      continue;
    buffer_printf(&pass->text, "%s0x%" PRIx64, pass->text.size ? "+" : "", address);
  }
}

/* Returns the index of the function with this name in the mapping, and adds the function if needed.
 * `first` is the number of new functions in earlier mappings. Returns NONE when out of memory. */
static uint32_t remote_function(struct remote_pass *pass, struct interner *names, size_t first,
                                pprofc_str name) {
  pprofc_profile *p = pass->profile;
  size_t known = names->count;
  uint32_t id = interner_copy(names, &p->region->arena, name);
  if (id == MAP_NONE || p->functions.count + pass->count + 1 >= NONE) return NONE;
  if (names->count > known) {
    if (!ARRAY_RESERVE(&p->mem, pass->names, pass->capacity, pass->count + 1)) return NONE;
    pass->names[pass->count++] = names->items[id];
  }
  return (uint32_t)(p->functions.count + first + id);
}

/* Reads the reply into pass->symbols. If an address has several names, the last name counts. */
static pprofc_status remote_read(struct remote_pass *pass, size_t index, uint64_t start,
                                 struct interner *names, struct map *by_address) {
  pprofc_str rest = buffer_str(&pass->reply), name;
  uint64_t own = pass->mappings[index].start, asked, address;
  size_t first = pass->count;
  while (remote_next_symbol(&rest, &asked, &name)) {
    if (!remote_move(asked, start, own, &address)) continue;
    uint32_t function = remote_function(pass, names, first, name);
    uint64_t hash = hash_mix(address, 1);
    size_t next = by_address->count;
    if (function == NONE) return PPROFC_E_NOMEM;
    MAP_FIND(slot, by_address, hash, pass->symbols[slot].address == address);
    if (slot != MAP_NONE)
      pass->symbols[slot].function = function;
    else if (!MAP_PUSH(&pass->profile->mem, by_address, hash, pass->symbols, next,
                       pass->symbol_capacity, (struct remote_symbol){address, function}))
      return PPROFC_E_NOMEM;
  }
  return PPROFC_OK;
}

/* Stores the function that the reply gives for each location of the mapping. */
static void remote_name(struct remote_pass *pass, size_t index, const struct map *by_address) {
  const struct locations *l = &pass->profile->locations;
  for (size_t i = 0; i < l->count; i++) {
    if (l->mapping[i] != index) continue;
    MAP_FIND(slot, by_address, hash_mix(l->address[i], 1),
             pass->symbols[slot].address == l->address[i]);
    if (slot != MAP_NONE) pass->named[i] = pass->symbols[slot].function;
  }
}

static pprofc_status remote_take(struct remote_pass *pass, size_t index, uint64_t start) {
  struct interner names;
  struct map by_address;
  interner_init(&names, &pass->profile->mem);
  map_init(&by_address, &pass->profile->mem);
  pprofc_status status = remote_read(pass, index, start, &names, &by_address);
  if (status == PPROFC_OK) remote_name(pass, index, &by_address);
  interner_free(&names);
  map_free(&by_address);
  return status;
}

static pprofc_status remote_ask_mapping(struct remote_pass *pass, size_t index) {
  const pprofc_profile *p = pass->profile;
  const struct symbolize_server *server = pass->options->server;
  struct mapping *m = &pass->mappings[index];
  pprofc_error why = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  uint64_t start = 0;
  if ((m->flags & PPROFC_HAS_FUNCTIONS) && !pass->force) return PPROFC_OK;
  if (!server->find(server->context, profile_string(p, m->file), profile_string(p, m->build_id),
                    &start))
    return PPROFC_OK;
  remote_list(pass, index, start);
  if (pass->text.failed) return PPROFC_E_NOMEM;
  buffer_clear(&pass->reply);
  pprofc_status status = PPROFC_OK;
  if (pass->text.size)
    status = server->ask(server->context, buffer_str(&pass->text), &pass->reply, &why);
  if (status == PPROFC_E_NOMEM || pass->reply.failed) return PPROFC_E_NOMEM;
  if (status != PPROFC_OK) {
    symbolize_warn(pass->options, "remote symbolization: %s", why.message);
    return PPROFC_OK;
  }
  m->flags |= PPROFC_HAS_FUNCTIONS;
  return pass->text.size ? remote_take(pass, index, start) : PPROFC_OK;
}

/* ---- the new columns --------------------------------- */

static bool remote_new_functions(struct remote_pass *pass) {
  pprofc_profile *p = pass->profile;
  struct function_fields *rows = mem_zero_array(&p->mem, pass->count, sizeof *rows);
  for (size_t i = 0; rows && i < pass->count; i++)
    rows[i].name = rows[i].system_name = (uint32_t)(p->strings.count + i);
  bool good = rows && profile_add_functions(p, rows, pass->count, p->functions.count + 1);
  mem_free(&p->mem, rows, pass->count, sizeof *rows);
  return good && profile_add_strings(p, pass->names, pass->count);
}

static bool remote_new_lines(struct remote_pass *pass) {
  pprofc_profile *p = pass->profile;
  struct locations *l = &p->locations;
  size_t total = 0, n = 0;
  for (size_t i = 0; i < l->count; i++)
    total += pass->named[i] != NONE ? 1 : l->line_from[i + 1] - l->line_from[i];
  uint32_t *from = arena_array(&p->region->arena, l->count + 1, sizeof *from);
  struct line *lines = arena_array(&p->region->arena, total, sizeof *lines);
  if (!from || !lines || total >= NONE) return false;
  for (size_t i = 0; i < l->count; i++) {
    from[i] = (uint32_t)n;
    if (pass->named[i] != NONE) {
      lines[n++] = (struct line){pass->named[i], 0, 0};
      continue;
    }
    for (size_t k = l->line_from[i]; k < l->line_from[i + 1]; k++) lines[n++] = l->lines[k];
  }
  from[l->count] = (uint32_t)n;
  l->line_from = from;
  l->lines = lines;
  return true;
}

static bool remote_prepare(struct remote_pass *pass, struct arena *scratch) {
  pprofc_profile *p = pass->profile;
  struct arena *arena = &p->region->arena;
  pass->mappings = arena_copy(arena, p->mappings.items, p->mappings.count * sizeof *pass->mappings);
  pass->named = arena_array(scratch, p->locations.count, sizeof *pass->named);
  if (!pass->mappings || !pass->named) return false;
  for (size_t i = 0; i < p->locations.count; i++) pass->named[i] = NONE;
  return true;
}

pprofc_status remote_symbolize(pprofc_profile *profile, const struct symbolize_options *options,
                               bool force, pprofc_error *error) {
  struct remote_pass pass = {.profile = profile, .options = options, .force = force};
  buffer_init(&pass.text, &profile->mem, ADDRESSES_MAX);
  buffer_init(&pass.reply, &profile->mem, REPLY_MAX);
  struct arena scratch = arena_make(&profile->mem);
  pprofc_status status = remote_prepare(&pass, &scratch) ? PPROFC_OK : PPROFC_E_NOMEM;
  for (size_t i = 0; i < profile->mappings.count && status == PPROFC_OK; i++)
    status = remote_ask_mapping(&pass, i);
  if (status == PPROFC_OK) profile->mappings.items = pass.mappings;
  if (status == PPROFC_OK && pass.count &&
      !(remote_new_lines(&pass) && remote_new_functions(&pass)))
    status = PPROFC_E_NOMEM;
  arena_free(&scratch);
  ARRAY_FREE(&profile->mem, pass.names, pass.capacity);
  ARRAY_FREE(&profile->mem, pass.symbols, pass.symbol_capacity);
  buffer_free(&pass.text);
  buffer_free(&pass.reply);
  return status == PPROFC_OK ? PPROFC_OK : error_nomem(error);
}
