/* Finds the instructions at the addresses that match the argument of -weblist. Disassembles ranges
 * of code around the addresses. Then finds the functions that contain each instruction. */
#include "report/source/weblist_data.h"

/* Number of bytes before the first address and after the last address of a range of code. Two
 * addresses are in one range if their distance is at most twice this number. */
#define EXPAND ((uint64_t)500)

/* Maximum number of ranges of code that are disassembled: the ranges with the most samples. */
#define MAX_RANGES 25

/* Maximum distance in bytes between an instruction without a line and an earlier instruction from
 * which it gets the line. */
#define NEIGHBORHOOD 32

struct range {
  /* addresses in the process: first address of the range, and address after its last byte */
  uint64_t begin, end;
  uint32_t mapping;
  int64_t score;
  struct instruction *instructions; /* NULL if objdump could not disassemble the range */
  size_t count, first; /* number of instructions, and index of the first instruction's functions in
                          `answers` */
};

struct code {
  struct web_data *data;
  const struct report *report;
  const struct web_sample *samples;
  size_t sample_count;
  struct object *objects; /* for each mapping, its binary, if `state` is 1 */
  uint8_t *state; /* for each mapping, the state of its binary: 0 not tried, 1 open, 2 cannot be
                     opened */
  struct source_frames *answers; /* for each mapping, the functions from the symbolizer */
  uint8_t *answered;
  struct tools tools;
  struct range *ranges; /* ranges, sorted by score (sum of their samples), largest first */
  size_t range_count;
  bool out_of_memory; /* true if memory ran out while a binary was opened */
};

/* ---- samples of instructions ------------------------- */

static size_t first_sample(const struct code *c, uint64_t address) {
  BISECT(at, c->sample_count, c->samples[at].address < address);
  return at;
}

/* Adds the samples of all addresses from the first to the last byte of the instruction. */
static void code_add_samples(const struct code *c, struct web_instruction *in) {
  for (size_t i = first_sample(c, in->address);
       i < c->sample_count && c->samples[i].address - in->address < in->length; i++) {
    in->flat = sum_add(in->flat, c->samples[i].flat);
    in->cum = sum_add(in->cum, c->samples[i].cum);
  }
}

static int64_t flat_at(const struct code *c, uint64_t address) {
  size_t i = first_sample(c, address);
  return i < c->sample_count && c->samples[i].address == address ? c->samples[i].flat : 0;
}

/* ---- adding instructions ----------------------------- */

/* Adds an instruction. `frames` are the functions that contain it, innermost first. Returns its
 * index, or NONE when out of memory. */
static uint32_t code_add_instruction(const struct code *c, struct web_instruction *in,
                                     const struct source_frame *frames, size_t count) {
  in->file = STR("");
  if (count) {
    in->file = frames[0].file;
    in->line = frames[0].line;
  }
  code_add_samples(c, in);
  return web_data_add(c->data, in);
}

/* Adds an instruction for an address without a readable binary. Its functions and lines come from
 * the profile. */
static bool add_without_binary(struct code *c, const struct web_address *address) {
  const pprofc_profile *p = c->report->result.profile;
  const struct locations *l = &p->locations;
  uint32_t from = l->line_from[address->location], to = l->line_from[address->location + 1];
  struct source_frame *frames = arena_array(&c->data->arena, to - from, sizeof *frames);
  size_t n = 0;
  if (!frames) return false;
  for (uint32_t i = from; i < to; i++) {
    uint32_t function = l->lines[i].function;
    if (function == NONE) continue;
    frames[n++] = (struct source_frame){
        .function = profile_string(p, p->functions.name[function]),
        .file = profile_string(p, p->functions.filename[function]),
        .line = l->lines[i].line,
    };
  }
  struct web_instruction in = {
      .address = address->address, .file_address = address->address, .length = 1, .text = STR("")};
  uint32_t index = code_add_instruction(c, &in, frames, n);
  return index != NONE && web_data_place(c->data, index, frames, n);
}

/* ---- ranges ------------------------------------------ */

static struct object *code_object_of(struct code *c, uint32_t location) {
  const pprofc_profile *p = c->report->result.profile;
  uint32_t mapping = p->locations.mapping[location];
  if (mapping == NONE) return NULL;
  if (!c->state[mapping]) {
    pprofc_status status =
        object_open(&c->objects[mapping], p, &p->mappings.items[mapping], &c->data->arena, NULL);
    c->state[mapping] = status == PPROFC_OK ? 1 : 2;
    c->out_of_memory |= status == PPROFC_E_NOMEM;
  }
  return c->state[mapping] == 1 ? &c->objects[mapping] : NULL;
}

/* Extends a range at its start and its end, but not beyond its mapping. */
static void code_extend(struct range *r, const struct mapping *m) {
  if (r->begin < m->start || r->end >= m->limit) { /* the range is outside the mapping */
    r->begin -= r->begin < EXPAND ? r->begin : EXPAND;
    r->end += EXPAND;
    return;
  }
  r->begin = r->begin - m->start >= EXPAND ? r->begin - EXPAND : m->start;
  r->end = m->limit - r->end >= EXPAND ? r->end + EXPAND : m->limit;
}

static int compare_ranges(const void *a, const void *b) {
  const struct range *x = a, *y = b;
  if (x->score != y->score) return x->score > y->score ? -1 : 1;
  return (x->begin > y->begin) - (x->begin < y->begin);
}

/* True if an address is close enough to the range `last` to belong to it. `last` may be NULL. */
static bool code_goes_on(const pprofc_profile *p, const struct range *last, uint64_t address) {
  if (!last || address - last->end > 2 * EXPAND) return false;
  uint64_t limit = p->mappings.items[last->mapping].limit;
  return !limit || address < limit;
}

/* Groups addresses into ranges, which are disassembled later. An address without a readable binary
 * gets no range, but an instruction without text. */
static bool find_ranges(struct code *c, const struct web_address *addresses, size_t count) {
  const pprofc_profile *p = c->report->result.profile;
  c->ranges = arena_array(&c->data->arena, count, sizeof *c->ranges);
  if (!c->ranges) return false;
  struct range *last = NULL;
  for (size_t i = 0; i < count; i++) {
    const struct web_address *a = &addresses[i];
    if (!code_object_of(c, a->location)) {
      if (c->out_of_memory || !add_without_binary(c, a)) return false;
      continue;
    }
    uint32_t mapping = p->locations.mapping[a->location];
    if (!code_goes_on(p, last, a->address)) {
      last = &c->ranges[c->range_count++];
      *last = (struct range){a->address, a->address, mapping, 0, NULL, 0, 0};
    }
    last->end = a->address;
    last->score = sum_add(last->score, flat_at(c, a->address));
  }
  for (size_t i = 0; i < c->range_count; i++)
    code_extend(&c->ranges[i], &p->mappings.items[c->ranges[i].mapping]);
  qsort(c->ranges, c->range_count, sizeof *c->ranges, compare_ranges);
  if (c->range_count > MAX_RANGES) c->range_count = MAX_RANGES;
  return true;
}

/* ---- instructions ------------------------------------ */

static bool disassemble(struct code *c, struct range *r) {
  struct object *object = &c->objects[r->mapping];
  uint64_t begin, end;
  if (!object_address(object, r->begin, &begin) || !object_address(object, r->end, &end))
    return object->base_status != PPROFC_E_NOMEM;
  pprofc_status status =
      object_disassemble(object, &c->tools, begin, end, c->report->options->intel_syntax,
                         &c->data->arena, &r->instructions, &r->count, NULL);
  if (status != PPROFC_OK) {
    r->instructions = NULL;
    r->count = 0;
  }
  return status != PPROFC_E_NOMEM;
}

/* Symbolizes all instructions of a binary at once. */
static bool code_symbolize(struct code *c, uint32_t mapping) {
  size_t count = 0, n = 0;
  for (size_t i = 0; i < c->range_count; i++)
    if (c->ranges[i].mapping == mapping) count += c->ranges[i].count;
  uint64_t *addresses = arena_array(&c->data->arena, count, sizeof *addresses);
  if (!addresses) return false;
  for (size_t i = 0; i < c->range_count; i++) {
    struct range *r = &c->ranges[i];
    if (r->mapping != mapping) continue;
    r->first = n;
    for (size_t k = 0; k < r->count; k++) addresses[n++] = r->instructions[k].address;
  }
  if (!count) return true;
  const struct tool_query query = {&c->tools, c->objects[mapping].path, addresses, count,
                                   &c->data->arena};
  pprofc_status status = tools_symbolize(&query, false, &c->answers[mapping], NULL);
  c->answered[mapping] = status == PPROFC_OK;
  return status != PPROFC_E_NOMEM;
}

/* Returns the functions that contain instruction k, innermost first. They come from the symbolizer,
 * or from objdump if the symbolizer failed. `own` is memory for the function from objdump. */
static const struct source_frame *code_frames_of(const struct code *c, const struct range *r,
                                                 size_t k, struct source_frame *own,
                                                 size_t *count) {
  const struct instruction *in = &r->instructions[k];
  if (c->answered[r->mapping]) {
    const struct source_frames *answers = &c->answers[r->mapping];
    size_t from = answers->from[r->first + k];
    *count = answers->from[r->first + k + 1] - from;
    return answers->items + from;
  }
  *own = (struct source_frame){.function = in->function, .file = in->file, .line = in->line};
  *count = 1;
  return own;
}

/* Functions that contain the last instruction with a line. A later instruction without a line gets
 * these functions if it is at most NEIGHBORHOOD bytes away. */
struct code_neighbor {
  const struct source_frame *frames; /* innermost first; NULL: no instruction with a line yet */
  size_t count;
  uint64_t address;
  struct source_frame own; /* storage for `frames` if they come from objdump */
};

static void neighbor_set(struct code_neighbor *n, const struct source_frame *frames, size_t count,
                         uint64_t address, bool own) {
  if (own) n->own = frames[0];
  n->frames = own ? &n->own : frames;
  n->count = count;
  n->address = address;
}

/* Returns the length of instruction k in bytes, which is the distance to the next instruction.
 * Returns 1 for the last instruction of the range. */
static uint64_t code_length(const struct range *r, size_t k) {
  const struct instruction *i = &r->instructions[k];
  if (k + 1 >= r->count || r->instructions[k + 1].address <= i->address) return 1;
  return r->instructions[k + 1].address - i->address;
}

static bool code_add_one(struct code *c, const struct range *r, size_t k,
                         struct code_neighbor *neighbor) {
  const struct instruction *i = &r->instructions[k];
  struct web_instruction in = {.address = i->address + c->objects[r->mapping].base,
                               .file_address = i->address,
                               .length = code_length(r, k),
                               .text = i->text};
  struct source_frame own;
  size_t count;
  const struct source_frame *frames = code_frames_of(c, r, k, &own, &count);
  uint32_t index = code_add_instruction(c, &in, frames, count);
  if (count && frames[0].line) {
    neighbor_set(neighbor, frames, count, in.address, frames == &own);
  } else if (neighbor->frames && in.address - neighbor->address <= NEIGHBORHOOD) {
    frames = neighbor->frames;
    count = neighbor->count;
  }
  return index != NONE && web_data_place(c->data, index, frames, count);
}

static bool code_add_range(struct code *c, const struct range *r) {
  struct code_neighbor neighbor = {.frames = NULL};
  uint64_t base = c->objects[r->mapping].base, greatest = 0;
  for (size_t k = 0; k < r->count; k++) {
    uint64_t address = r->instructions[k].address + base;
    if (address <= greatest) continue;
    greatest = address;
    if (!code_add_one(c, r, k, &neighbor)) return false;
  }
  return true;
}

static bool read_ranges(struct code *c) {
  size_t mappings = c->report->result.profile->mappings.count;
  for (size_t i = 0; i < c->range_count; i++)
    if (!disassemble(c, &c->ranges[i])) return false;
  for (uint32_t i = 0; i < mappings; i++)
    if (c->state[i] == 1 && !code_symbolize(c, i)) return false;
  for (size_t i = 0; i < c->range_count; i++)
    if (!code_add_range(c, &c->ranges[i])) return false;
  return true;
}

pprofc_status web_data_read_code(struct web_data *data, const struct report *report,
                                 const struct web_address *addresses, size_t count,
                                 const struct web_sample *samples, size_t sample_count,
                                 pprofc_error *error) {
  struct code c = {
      .data = data, .report = report, .samples = samples, .sample_count = sample_count};
  size_t mappings = report->result.profile->mappings.count;
  c.objects = arena_zero_array(&data->arena, mappings, sizeof *c.objects);
  c.state = arena_zero_array(&data->arena, mappings, sizeof *c.state);
  c.answers = arena_zero_array(&data->arena, mappings, sizeof *c.answers);
  c.answered = arena_zero_array(&data->arena, mappings, sizeof *c.answered);
  if (!c.objects || !c.state || !c.answers || !c.answered) return error_nomem(error);
  bool done = find_ranges(&c, addresses, count);
  if (done && c.range_count) {
    done = tools_find(&c.tools, report->options->tools, report->mem) && read_ranges(&c);
  }
  for (size_t i = 0; i < mappings; i++)
    if (c.state[i]) object_close(&c.objects[i]);
  return done ? PPROFC_OK : error_nomem(error);
}
