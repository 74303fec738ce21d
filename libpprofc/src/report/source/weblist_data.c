/* Collects the functions, addresses and samples for the weblist page. */
#include "report/source/weblist_data.h"
#include "report/source/listing.h"

/* ---- the tables -------------------------------------- */

static void init(struct web_data *data, const pprofc_allocator *mem) {
  *data = (struct web_data){.mem = mem};
  arena_init(&data->arena, mem);
  map_init(&data->by_address, mem);
  interner_init(&data->interest, mem);
  interner_init(&data->system_names, mem);
}

void web_data_free(struct web_data *data) {
  mem_free(data->mem, data->instructions, data->instruction_capacity, sizeof *data->instructions);
  mem_free(data->mem, data->places, data->place_capacity, sizeof *data->places);
  map_free(&data->by_address);
  interner_free(&data->interest);
  interner_free(&data->system_names);
  arena_free(&data->arena);
}

/* Returns the name that is shown for a function. */
static pprofc_str web_data_name(const struct web_data *data, pprofc_str function) {
  uint32_t id = interner_find(&data->system_names, function);
  return id == MAP_NONE ? function : data->pretty[id];
}

uint32_t web_data_add(struct web_data *data, const struct web_instruction *instruction) {
  uint64_t hash = hash_mix(0, instruction->address);
  MAP_FIND(index, &data->by_address, hash,
           data->instructions[index].address == instruction->address);
  if (index != MAP_NONE) {
    data->instructions[index] = *instruction;
    return index;
  }
  bool added = data->instruction_count < MAP_NONE &&
               MAP_PUSH(data->mem, &data->by_address, hash, data->instructions,
                        data->instruction_count, data->instruction_capacity, *instruction);
  return added ? (uint32_t)data->instruction_count - 1 : NONE;
}

/* Returns the name of a file in the form that the page shows. */
static pprofc_str canonical_file(struct arena *arena, pprofc_str file) {
  if (str_starts(file, STR("/proc/self/cwd/"))) file = str_slice(file, 15, file.size);
  if (str_starts(file, STR("./"))) file = str_slice(file, 2, file.size);
  char *out = arena_alloc(arena, file.size + 2);
  return out ? str_path_clean(file, out) : (pprofc_str){NULL, 0};
}

static bool add_place(struct web_data *data, struct web_place place) {
  place.order = data->place_count;
  return ARRAY_PUSH(data->mem, data->places, data->place_count, data->place_capacity, place);
}

/* Limits a line number of the profile, so that sums with it cannot overflow. The limit is above the
 * last line of any source file. */
static int64_t clamp_line(int64_t line) {
  int64_t most = (int64_t)1 << 40;
  if (line > most) return most;
  return line < -most ? -most : line;
}

/* Maximum number of functions of one instruction (an innermost function and the functions into
 * which it was inlined). The innermost functions are kept. */
#define MAX_INLINED ((size_t)256)

bool web_data_place(struct web_data *data, uint32_t instruction, const struct source_frame *frames,
                    size_t count) {
  if (count > MAX_INLINED) count = MAX_INLINED;
  /* Calls that lead to the instruction, outermost first. All functions that contain the
   * instruction share this array. A function uses only the last items: the calls inside it. */
  struct web_call *calls = NULL;
  for (size_t i = 0; i < count; i++) {
    if (interner_find(&data->interest, frames[i].function) == MAP_NONE) continue;
    if (!calls && !(calls = arena_array(&data->arena, count, sizeof *calls))) return false;
    struct web_place place = {.file = canonical_file(&data->arena, frames[i].file),
                              .function = frames[i].function,
                              .line = clamp_line(frames[i].line),
                              .instruction = instruction,
                              .calls = calls + count - i,
                              .call_count = i};
    if (!place.file.data || !add_place(data, place)) return false;
  }
  for (size_t i = 0; calls && i < count; i++)
    calls[count - 1 - i] = (struct web_call){frames[i].file, frames[i].line};
  return true;
}

/* ---- samples ----------------------------------------- */

struct scan {
  const struct report *report;
  const pprofc_profile *profile;
  struct web_data *data;
  bool by_address; /* true if the argument of -weblist is a valid address */
  uint64_t wanted;
  uint32_t *order; /* locations in the order of first use; the root comes before the leaf */
  size_t count;
  uint32_t *first; /* for each location, the first location with the same address */
  size_t *seen; /* for each location in `first`, 1 + the index of the last sample with its address;
                   0: no sample yet */
  bool *used;   /* for each location, true if it is in `order` */
  struct web_sample *own; /* for each location, its address and samples */
  struct web_address *addresses;
  size_t address_count;
};

/* Sets s->first. A location without an address has its own index there. */
static bool find_equal_addresses(struct scan *s) {
  const struct locations *l = &s->profile->locations;
  struct map map;
  map_init(&map, s->data->mem);
  bool ok = true;
  for (uint32_t i = 0; ok && i < l->count; i++) {
    s->first[i] = i;
    if (!l->address[i]) continue;
    uint64_t hash = hash_mix(0, l->address[i]);
    MAP_FIND(index, &map, hash, l->address[index] == l->address[i]);
    if (index == MAP_NONE)
      ok = map_insert(&map, hash, i);
    else
      s->first[i] = index;
  }
  map_free(&map);
  return ok;
}

/* Adds up flat and cum for each location. A sample counts only once for an address that its stack
 * contains several times. */
static bool sum_samples(struct scan *s) {
  const pprofc_profile *p = s->profile;
  uint32_t *frames = arena_array(&s->data->arena, p->samples.max_depth, sizeof *frames);
  if (!frames) return false;
  struct stack_reader reader = stack_reader_at(&p->samples, 0);
  for (size_t i = 0; i < p->samples.count; i++) {
    if (budget_poll(s->data->mem, i)) return false;
    const int64_t *values = p->samples.values + i * p->type_count;
    int64_t value = values[s->report->result.value_index];
    if (s->report->result.mean) value = number_mean(value, values[0]);
    size_t depth = stack_read(&reader, i, frames);
    for (size_t k = depth; k-- > 0;) {
      uint32_t location = frames[k], first = s->first[location];
      if (!s->used[location]) s->order[s->count++] = location;
      s->used[location] = true;
      if (s->seen[first] != i + 1) s->own[location].cum = sum_add(s->own[location].cum, value);
      s->seen[first] = i + 1;
      if (k == 0) s->own[location].flat = sum_add(s->own[location].flat, value);
    }
  }
  return true;
}

/* Sets the address of each location. A location without an address gets a unique address above all
 * mappings. */
static void make_addresses(struct scan *s) {
  const pprofc_profile *p = s->profile;
  uint64_t next = 1;
  for (size_t i = 0; i < p->mappings.count; i++)
    if (next < p->mappings.items[i].limit) next = p->mappings.items[i].limit;
  for (size_t i = 0; i < s->count; i++) {
    uint64_t address = p->locations.address[s->order[i]];
    s->own[s->order[i]].address = address ? address : next++;
  }
}

/* ---- matching ---------------------------------------- */

/* Matches strings of the profile against the argument of -weblist. Caches the result for each
 * string. */
struct weblist_matcher {
  const pprofc_profile *profile;
  struct regex *regex;
  uint8_t *known; /* for each string, 0: not matched yet, 1: no match, 2: match */
};

static bool string_matches(struct weblist_matcher *m, uint32_t string) {
  if (!m->known[string])
    m->known[string] = regex_match(m->regex, profile_string(m->profile, string)) ? 2 : 1;
  return m->known[string] == 2;
}

static bool function_matches(struct weblist_matcher *m, uint32_t function) {
  const struct functions *f = &m->profile->functions;
  return string_matches(m, f->name[function]) || string_matches(m, f->system_name[function]) ||
         string_matches(m, f->filename[function]);
}

static bool note_pretty_name(struct scan *s, uint32_t function) {
  const pprofc_profile *p = s->profile;
  uint32_t id =
      interner_add(&s->data->system_names, profile_string(p, p->functions.system_name[function]));
  if (id == MAP_NONE) return false;
  s->data->pretty[id] = profile_string(p, p->functions.name[function]);
  return true;
}

static bool note_interest(struct scan *s, uint32_t function) {
  const pprofc_profile *p = s->profile;
  pprofc_str name = profile_string(p, p->functions.name[function]);
  pprofc_str system_name = profile_string(p, p->functions.system_name[function]);
  return interner_add(&s->data->interest, name) != MAP_NONE &&
         interner_add(&s->data->interest, system_name) != MAP_NONE;
}

/* Adds the address of a location and the names of its matching functions, if a function of the
 * location matches. Returns false when out of memory. */
static bool match_location(struct scan *s, struct weblist_matcher *m, uint32_t location) {
  const struct locations *l = &s->profile->locations;
  uint32_t from = l->line_from[location], to = l->line_from[location + 1];
  uint32_t mapping = l->mapping[location];
  uint64_t address = s->own[location].address;
  bool this_address = s->by_address && address == s->wanted, matches = false;
  bool in_file = mapping != NONE && string_matches(m, s->profile->mappings.items[mapping].file);
  for (uint32_t i = from; i < to; i++) {
    uint32_t function = l->lines[i].function;
    if (function == NONE) continue;
    if (!note_pretty_name(s, function)) return false;
    bool wanted =
        this_address ? i + 1 == to : (i == from && in_file) || function_matches(m, function);
    if (!wanted) continue;
    matches = true;
    if (!note_interest(s, function)) return false;
  }
  if (matches) {
    s->addresses[s->address_count] = (struct web_address){address, location, s->address_count};
    s->address_count++;
  }
  return true;
}

static bool match_locations(struct scan *s) {
  struct arena *arena = &s->data->arena;
  struct weblist_matcher m = {s->profile, s->report->result.argument, NULL};
  m.known = arena_zero_array(arena, s->profile->strings.count, sizeof *m.known);
  s->addresses = arena_array(arena, s->count, sizeof *s->addresses);
  s->data->pretty = arena_array(arena, s->profile->functions.count, sizeof *s->data->pretty);
  if (!m.known || !s->addresses || !s->data->pretty) return false;
  for (size_t i = 0; i < s->count; i++)
    if (!match_location(s, &m, s->order[i])) return false;
  return true;
}

/* ---- sorting by address ------------------------------ */

static int compare_addresses(const void *a, const void *b) {
  const struct web_address *x = a, *y = b;
  if (x->address != y->address) return x->address < y->address ? -1 : 1;
  return x->order < y->order ? -1 : 1;
}

static int compare_samples(const void *a, const void *b) {
  const struct web_sample *x = a, *y = b;
  return (x->address > y->address) - (x->address < y->address);
}

static int compare_places(const void *a, const void *b) {
  const struct web_place *x = a, *y = b;
  int order = str_compare(x->file, y->file);
  if (order) return order;
  if (x->line != y->line) return x->line < y->line ? -1 : 1;
  return x->order < y->order ? -1 : 1;
}

/* Keeps one entry for each address: the first location that has it. */
static void sort_addresses(struct scan *s) {
  size_t n = 0;
  qsort(s->addresses, s->address_count, sizeof *s->addresses, compare_addresses);
  for (size_t i = 0; i < s->address_count; i++)
    if (!n || s->addresses[n - 1].address != s->addresses[i].address)
      s->addresses[n++] = s->addresses[i];
  s->address_count = n;
}

/* Returns the samples of each address, sorted by address. Adds up the samples of locations that
 * have the same address. Returns NULL when out of memory. */
static struct web_sample *sort_samples(struct scan *s, size_t *count) {
  struct web_sample *samples = arena_array(&s->data->arena, s->count, sizeof *samples);
  size_t n = 0;
  if (!samples) return NULL;
  for (size_t i = 0; i < s->count; i++) samples[i] = s->own[s->order[i]];
  qsort(samples, s->count, sizeof *samples, compare_samples);
  for (size_t i = 0; i < s->count; i++) {
    if (!n || samples[n - 1].address != samples[i].address) {
      samples[n++] = samples[i];
      continue;
    }
    samples[n - 1].flat = sum_add(samples[n - 1].flat, samples[i].flat);
    samples[n - 1].cum = sum_add(samples[n - 1].cum, samples[i].cum);
  }
  *count = n;
  return samples;
}

pprofc_status web_data_collect(struct web_data *data, const struct report *report,
                               pprofc_error *error) {
  const pprofc_profile *p = report->result.profile;
  struct scan s = {.report = report, .profile = p, .data = data};
  init(data, report->mem);
  s.by_address = str_parse_uint(str_of(report->options->argument), 0, &s.wanted);
  s.order = arena_array(&data->arena, p->locations.count, sizeof *s.order);
  s.first = arena_array(&data->arena, p->locations.count, sizeof *s.first);
  s.seen = arena_zero_array(&data->arena, p->locations.count, sizeof *s.seen);
  s.used = arena_zero_array(&data->arena, p->locations.count, sizeof *s.used);
  s.own = arena_zero_array(&data->arena, p->locations.count, sizeof *s.own);
  if (!s.order || !s.first || !s.seen || !s.used || !s.own) return error_nomem(error);
  if (!find_equal_addresses(&s) || !sum_samples(&s)) return error_nomem(error);
  make_addresses(&s);
  if (!match_locations(&s)) return error_nomem(error);
  if (!s.address_count) return report_no_match(report, "regexp:", NULL, error);
  sort_addresses(&s);
  size_t sample_count;
  struct web_sample *samples = sort_samples(&s, &sample_count);
  if (!samples) return error_nomem(error);
  pprofc_status status =
      web_data_read_code(data, report, s.addresses, s.address_count, samples, sample_count, error);
  if (status == PPROFC_OK)
    qsort(data->places, data->place_count, sizeof *data->places, compare_places);
  return status;
}

/* ---- groups of lines -------------------------------- */

/* Two lines of a function are in the same group if fewer than this number of lines are between
 * them. */
#define MERGE_LINES 20

/* Number of lines that are shown before each group, and after it. */
#define EXPAND_LINES 5

void weblist_sum(const struct web_data *data, const struct web_place *places, size_t count,
                 int64_t *flat, int64_t *cum) {
  for (size_t i = 0; i < count; i++) {
    const struct web_instruction *in = &data->instructions[places[i].instruction];
    *flat = sum_add(*flat, in->flat);
    *cum = sum_add(*cum, in->cum);
  }
}

/* Groups the lines of a file, which are the elements [first, end) of `places`. Returns the number
 * of groups. */
static size_t join_lines(const struct web_data *data, size_t first, size_t end,
                         struct weblist_run *runs) {
  size_t count = 0;
  for (size_t i = first, next; i < end; i = next) {
    int64_t line = data->places[i].line;
    for (next = i + 1; next < end && data->places[next].line == line;) next++;
    struct weblist_run run = {.name = web_data_name(data, data->places[i].function),
                              .begin = line,
                              .end = line + 1,
                              .first = i,
                              .count = next - i};
    weblist_sum(data, data->places + i, next - i, &run.flat, &run.cum);
    struct weblist_run *last = count ? &runs[count - 1] : NULL;
    if (last && line - last->end < MERGE_LINES && str_equal(last->name, run.name)) {
      last->end = run.end;
      last->count += run.count;
      last->flat = sum_add(last->flat, run.flat);
      last->cum = sum_add(last->cum, run.cum);
    } else {
      runs[count++] = run;
    }
  }
  return count;
}

/* Returns the first line that is shown for the first group of a file. `line` is the first line of
 * the group. Line 0 means an unknown line, and stays 0. */
static int64_t expand_upwards(int64_t line) {
  if (line > EXPAND_LINES) return line - EXPAND_LINES;
  return line > 1 ? 1 : line;
}

/* Extends each group by lines before and after it. If the gap between two groups is too small for
 * this, each group gets half of the gap. */
static void expand_runs(struct weblist_run *runs, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (i == 0) {
      runs[i].begin = expand_upwards(runs[i].begin);
      continue;
    }
    int64_t half = (runs[i].begin - runs[i - 1].end) / 2;
    if (half > EXPAND_LINES) half = EXPAND_LINES;
    runs[i - 1].end += half;
    runs[i].begin -= half;
  }
  if (count) runs[count - 1].end += EXPAND_LINES;
}

size_t weblist_make_runs(const struct web_data *data, size_t first, size_t end,
                         struct weblist_run *runs) {
  size_t count = join_lines(data, first, end, runs);
  expand_runs(runs, count);
  return count;
}
