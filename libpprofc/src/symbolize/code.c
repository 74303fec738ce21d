/* Compares the machine code of two programs, function by function. */
#include "symbolize/code.h"
#include "symbolize/code_image.h"
#include "symbolize/symbolize.h"

#define DEPTH_MAX 3     /* maximum length of a chain of pointers that a comparison follows */
#define DATA_MAX  65536 /* largest object to compare, in bytes */

/* A pair of addresses: one in the base program, one in the head program. */
struct code_pair {
  uint64_t base, head;
};

/* Result of comparing data at two addresses. `same` is true while the comparison runs, so data that
 * refers to itself counts as equal. */
struct code_known {
  struct code_pair at;
  uint64_t size;
  int depth;
  bool same;
};

/* State of a comparison. */
struct code_work {
  struct code_image images[2];
  struct map map;           /* finds an item of `known` by addresses, size and depth */
  struct code_known *known; /* comparisons that are finished or still running */
  size_t known_count, known_capacity;
  bool out_of_memory;
  /* The two functions to compare. */
  const struct code_symbol *functions[2];
};

enum { BASE, HEAD };

/* ---- names ------------------------------------------- */

/* Returns the name without the number that compilers append to it, such as ".12". */
static pprofc_str stable_name(pprofc_str name) {
  size_t end = name.size - str_last_run(name, char_is_digit);
  bool numbered = end < name.size && end >= 2 && name.data[end - 1] == '.';
  return numbered ? str_slice(name, 0, end - 1) : name;
}

static bool same_name(const struct code_symbol *a, const struct code_symbol *b) {
  return str_equal(stable_name(a->name), stable_name(b->name));
}

/* ---- targets of addresses ---------------------------- */

static bool same_data(struct code_work *w, struct code_pair at, uint64_t size, int depth);

/* True if the addresses in base and head are at the same offset inside w->functions. */
static bool is_inside(const struct code_work *w, struct code_pair at) {
  uint64_t base = at.base - w->functions[BASE]->address;
  uint64_t head = at.head - w->functions[HEAD]->address;
  return base == head && base <= w->functions[BASE]->size;
}

/* True if there is a stub of the procedure linkage table at each address, and both stubs jump to
 * the same symbol. */
static bool same_stub(struct code_work *w, struct code_pair at) {
  const uint64_t addresses[2] = {at.base, at.head};
  const struct code_relocation *slots[2] = {NULL, NULL};
  for (int side = 0; side < 2; side++) {
    uint64_t room, offset = 0, address = addresses[side];
    const uint8_t *bytes = code_bytes(&w->images[side], address, &room);
    struct x86_instruction i;
    for (; bytes && offset < 16 && offset < room && !slots[side]; offset += i.size) {
      if (!x86_read(bytes + offset, room - offset, &i)) return false;
      if (i.relative_displacement)
        slots[side] = code_relocation_at(
            &w->images[side], code_displacement_target(&i, bytes + offset, address + offset));
    }
  }
  return slots[BASE] && slots[HEAD] && slots[BASE]->symbol.size &&
         str_equal(slots[BASE]->symbol, slots[HEAD]->symbol);
}

static bool same_code_target(struct code_work *w, struct code_pair at) {
  const struct code_symbol *a = code_symbol_at(&w->images[BASE], at.base);
  const struct code_symbol *b = code_symbol_at(&w->images[HEAD], at.head);
  if (is_inside(w, at)) return true;
  if (!a || !b) return !a && !b && same_stub(w, at);
  return same_name(a, b) && at.base - a->address == at.head - b->address;
}

/* Returns the text at an address, and sets *size to its size with the NUL. Returns NULL if the data
 * there is not text. */
static const uint8_t *text_at(const struct code_image *m, uint64_t address, size_t *size) {
  uint64_t room;
  const struct code_section *section = code_section_at(m, address);
  const uint8_t *text = code_bytes(m, address, &room);
  if (!text || section->executable) return NULL;
  for (size_t i = 0; i < room && i < DATA_MAX; i++) {
    *size = i + 1;
    if (!text[i]) return text;
    if (text[i] < ' ' && (text[i] < '\t' || text[i] > '\r')) return NULL;
  }
  return NULL;
}

/* True if the NUL-terminated texts at the two addresses are equal. */
static bool same_c_text(const struct code_work *w, struct code_pair at) {
  size_t sizes[2] = {0, 0};
  const uint8_t *a = text_at(&w->images[BASE], at.base, &sizes[BASE]);
  const uint8_t *b = text_at(&w->images[HEAD], at.head, &sizes[HEAD]);
  return a && b && sizes[BASE] == sizes[HEAD] && memcmp(a, b, sizes[BASE]) == 0;
}

/* True if a text begins at the address, is not empty, and follows a NUL. */
static bool is_c_text(const struct code_image *m, uint64_t address) {
  uint64_t room;
  size_t size;
  const uint8_t *before = code_bytes(m, address - 1, &room);
  return before && !*before && text_at(m, address, &size) && size > 1;
}

/* Result of comparing two offset tables. An offset table has offsets of 4 bytes, which count from
 * its start. Compilers make offset tables for switch statements and for lists of texts. TABLE_NONE
 * means that the data is not an offset table. */
enum offset_table { TABLE_NONE, TABLE_SAME, TABLE_OTHER };

/* Compares the code or texts to which an offset refers in both programs. */
static enum offset_table compare_offset(const struct code_work *w, struct code_pair target) {
  if (is_inside(w, target)) return TABLE_SAME;
  if (!is_c_text(&w->images[BASE], target.base) || !is_c_text(&w->images[HEAD], target.head))
    return TABLE_NONE;
  return same_c_text(w, target) ? TABLE_SAME : TABLE_OTHER;
}

/* Compares two offset tables of `size` bytes. Returns TABLE_NONE for Go programs, which have no
 * offset tables. */
static enum offset_table compare_offsets(struct code_work *w, struct code_pair at, uint64_t size) {
  uint64_t rooms[2] = {0, 0};
  const uint8_t *a = code_bytes(&w->images[BASE], at.base, &rooms[BASE]);
  const uint8_t *b = code_bytes(&w->images[HEAD], at.head, &rooms[HEAD]);
  enum offset_table result = TABLE_SAME;
  if (!a || !b || size < 8 || w->images[BASE].go || w->images[HEAD].go) return TABLE_NONE;
  for (uint64_t i = 0; i + 4 <= size; i += 4) {
    int64_t x = code_number(a + i, 4), y = code_number(b + i, 4);
    struct code_pair target = {at.base + (uint64_t)x, at.head + (uint64_t)y};
    if (i && !x && !y) continue; /* zeros may follow a table */
    enum offset_table one = compare_offset(w, target);
    if (one == TABLE_NONE) return one;
    if (one == TABLE_OTHER) result = one;
  }
  return result;
}

static bool same_object(struct code_work *w, struct code_pair at, uint64_t size, int depth) {
  enum offset_table offsets = compare_offsets(w, at, size);
  return offsets == TABLE_NONE ? same_data(w, at, size, depth) : offsets == TABLE_SAME;
}

static bool is_go_type(const struct code_image *m, uint64_t address) {
  return address >= m->types_from && address < m->types_to;
}

/* Number of bytes to compare in a type descriptor: its size, pointers, hash and kind. The later
 * fields contain offsets of names, which change when any name is added to the program. */
#define GO_TYPE_BYTES 24
#define GO_ASSEMBLY   STR(".abi0") /* suffix of functions of Go's assembler */

/* True if the addresses in base and head are at the same offset of objects with the same name and
 * contents. If `size` is not 0, compares only the `size` bytes at the addresses. */
static bool same_named(struct code_work *w, struct code_pair at, const struct code_symbol *x,
                       const struct code_symbol *y, uint64_t size, int depth) {
  const struct code_section *a = code_section_at(&w->images[BASE], at.base);
  const struct code_section *b = code_section_at(&w->images[HEAD], at.head);
  if (!same_name(x, y) || at.base - x->address != at.head - y->address) return false;
  if (!a->bytes || !b->bytes || a->made) return !a->bytes == !b->bytes;
  if (size) return same_data(w, at, size, depth);
  if (x->size != y->size) return false;
  return same_object(w, (struct code_pair){x->address, y->address}, x->size, depth);
}

/* True if two unnamed data objects are equal. A data object ends at the next address to which code
 * or data refers. */
static bool same_nameless(struct code_work *w, struct code_pair at, uint64_t size, int depth) {
  uint64_t extent = code_extent(&w->images[BASE], at.base);
  uint64_t other = code_extent(&w->images[HEAD], at.head);
  if (other < extent) extent = other;
  if (size) return same_data(w, at, size < extent ? size : extent, depth);
  /* Equal C strings are enough, because `extent` may include data after the string. */
  return same_object(w, at, extent, depth) || same_c_text(w, at);
}

static bool same_data_target(struct code_work *w, struct code_pair at, uint64_t size, int depth) {
  if (is_go_type(&w->images[BASE], at.base) && is_go_type(&w->images[HEAD], at.head))
    return same_data(w, at, GO_TYPE_BYTES, DEPTH_MAX);
  const struct code_symbol *x = code_symbol_at(&w->images[BASE], at.base);
  const struct code_symbol *y = code_symbol_at(&w->images[HEAD], at.head);
  if (x && x->collective) x = NULL;
  if (y && y->collective) y = NULL;
  if (!x != !y) return false;
  return x ? same_named(w, at, x, y, size, depth) : same_nameless(w, at, size, depth);
}

/* True if the addresses in base and head refer to the same code or to equal data. `size` is the
 * number of bytes that the code reads at the address, or 0 if the code uses only the address. */
static bool same_target(struct code_work *w, struct code_pair at, uint64_t size, int depth) {
  const struct code_section *a = code_section_at(&w->images[BASE], at.base);
  const struct code_section *b = code_section_at(&w->images[HEAD], at.head);
  if (!a || !b) return !a && !b && at.base == at.head;
  if (a->executable != b->executable) return false;
  return a->executable ? same_code_target(w, at) : same_data_target(w, at, size, depth);
}

/* ---- data -------------------------------------------- */

/* True if a word of data may be an address. In position-independent programs, only relocations
 * contain addresses. */
static bool may_be_pointer(const struct code_image *m, uint64_t at, uint64_t value) {
  return m->fixed && !code_section_at(m, at)->numbers && code_section_at(m, value);
}

/* True if `value`, a word in both programs, is probably an address at which their data differs.
 * Returns false if `value` is probably a number: an address outside of data, or an address of
 * objects with different names. */
static bool is_other_object(struct code_work *w, uint64_t value, int depth) {
  const struct code_section *a = code_section_at(&w->images[BASE], value);
  const struct code_section *b = code_section_at(&w->images[HEAD], value);
  struct code_pair at = {value, value};
  if (!depth || !a->bytes || !b->bytes || a->executable || b->executable) return false;
  const struct code_symbol *x = code_symbol_at(&w->images[BASE], value);
  const struct code_symbol *y = code_symbol_at(&w->images[HEAD], value);
  if (!x != !y || (x && !same_name(x, y))) return false;
  return !same_target(w, at, 0, depth - 1);
}

/* True if two relocations (words that the loader fills) refer to the same imported symbol, or to
 * equal data. */
static bool same_slot(struct code_work *w, const struct code_relocation *x,
                      const struct code_relocation *y, int depth) {
  if (!x || !y) return false;
  if (x->symbol.size || y->symbol.size)
    return str_equal(x->symbol, y->symbol) && x->target == y->target;
  return !depth || same_target(w, (struct code_pair){x->target, y->target}, 0, depth - 1);
}

/* True if the words at two addresses are equal, or refer to equal data. */
static bool same_word(struct code_work *w, struct code_pair at, const uint8_t *a, const uint8_t *b,
                      int depth) {
  const struct code_relocation *x = code_relocation_at(&w->images[BASE], at.base);
  const struct code_relocation *y = code_relocation_at(&w->images[HEAD], at.head);
  struct code_pair value = {(uint64_t)code_number(a, 8), (uint64_t)code_number(b, 8)};
  if (x || y) return same_slot(w, x, y, depth);
  bool addresses = may_be_pointer(&w->images[BASE], at.base, value.base) &&
                   may_be_pointer(&w->images[HEAD], at.head, value.head);
  if (value.base == value.head) return !addresses || !is_other_object(w, value.base, depth);
  return addresses && (!depth || same_target(w, value, 0, depth - 1));
}

static bool same_bytes(struct code_work *w, struct code_pair at, uint64_t size, int depth) {
  uint64_t rooms[2] = {0, 0};
  const uint8_t *a = code_bytes(&w->images[BASE], at.base, &rooms[BASE]);
  const uint8_t *b = code_bytes(&w->images[HEAD], at.head, &rooms[HEAD]);
  if (!a || !b) return a == b;
  if (size > DATA_MAX) size = DATA_MAX;
  if (size > rooms[BASE] || size > rooms[HEAD]) return false;
  bool aligned = at.base % 8 == at.head % 8;
  for (uint64_t i = 0, step; i < size; i += step) {
    bool word = aligned && (at.base + i) % 8 == 0 && i + 8 <= size, same = a[i] == b[i];
    if (word)
      same = same_word(w, (struct code_pair){at.base + i, at.head + i}, a + i, b + i, depth);
    if (!same) return false;
    step = word ? 8 : 1;
  }
  return true;
}

/* Compares `size` bytes of data at two addresses and stores the result in w->known. Follows chains
 * of at most `depth` pointers. */
static bool same_data(struct code_work *w, struct code_pair at, uint64_t size, int depth) {
  uint64_t hash = hash_mix(hash_mix(hash_mix(0, at.base), at.head), size ^ (uint64_t)depth << 60);
  const struct code_known *known = w->known;
  MAP_FIND(index, &w->map, hash,
           known[index].at.base == at.base && known[index].at.head == at.head &&
               known[index].size == size && known[index].depth == depth);
  if (index != MAP_NONE) return known[index].same;
  size_t added = w->known_count;
  if (!ARRAY_PUSH_IN(&w->images[BASE].arena, w->known, w->known_count, w->known_capacity,
                     (struct code_known){at, size, depth, true}) ||
      !map_insert(&w->map, hash, (uint32_t)added)) {
    w->out_of_memory = true;
    return false;
  }
  bool same = same_bytes(w, at, size, depth);
  w->known[added].same = same;
  return same;
}

/* ---- code -------------------------------------------- */

/* True if a pair of numbers in code may be addresses. Returns false for position-independent code
 * and for Go, whose code uses addresses relative to the next instruction. */
static bool may_be_address(const struct code_work *w, struct code_pair value) {
  for (int side = 0; side < 2; side++)
    if (!w->images[side].fixed || w->images[side].go) return false;
  return code_section_at(&w->images[BASE], value.base) &&
         code_section_at(&w->images[HEAD], value.head);
}

/* True if the displacements of two instructions are equal or refer to equal data. `i` describes
 * both instructions. */
static bool same_displacement(struct code_work *w, const struct x86_instruction *i,
                              struct code_pair at, const uint8_t *a, const uint8_t *b) {
  struct code_pair target = {code_displacement_target(i, a, at.base),
                             code_displacement_target(i, b, at.head)};
  bool bare = i->bare_displacement && i->displacement_size == 4;
  if (i->relative_displacement || (bare && may_be_address(w, target)))
    return same_target(w, target, i->relative_displacement ? i->access : 0, DEPTH_MAX);
  return memcmp(a + i->displacement, b + i->displacement, i->displacement_size) == 0;
}

static bool same_immediate(struct code_work *w, const struct x86_instruction *i,
                           struct code_pair at, const uint8_t *a, const uint8_t *b) {
  struct code_pair target = {code_immediate_target(i, a, at.base),
                             code_immediate_target(i, b, at.head)};
  if (i->relative_immediate) return same_target(w, target, 0, DEPTH_MAX);
  if (i->immediate_size >= 4 && may_be_address(w, target))
    return same_target(w, target, 0, DEPTH_MAX);
  return memcmp(a + i->immediate, b + i->immediate, i->immediate_size) == 0;
}

/* True if the instructions have the same layout, and equal bytes outside their operands. */
static bool same_shape(const struct x86_instruction *x, const struct x86_instruction *y,
                       const uint8_t *a, const uint8_t *b) {
  if (memcmp(x, y, sizeof *x) != 0) return false;
  size_t from = x->displacement_size ? x->displacement : x->immediate;
  return memcmp(a, b, from) == 0;
}

static enum code_state compare_function(struct code_work *w) {
  const struct code_symbol *f = w->functions[BASE], *g = w->functions[HEAD];
  uint64_t rooms[2] = {0, 0};
  const uint8_t *a = code_bytes(&w->images[BASE], f->address, &rooms[BASE]);
  const uint8_t *b = code_bytes(&w->images[HEAD], g->address, &rooms[HEAD]);
  struct x86_instruction x, y;
  if (f->size != g->size) return CODE_CHANGED;
  if (!a || !b || f->size > rooms[BASE] || f->size > rooms[HEAD]) return CODE_UNKNOWN;
  for (uint64_t at = 0; at < f->size; at += x.size) {
    struct code_pair here = {f->address + at, g->address + at};
    memset(&x, 0, sizeof x);
    memset(&y, 0, sizeof y);
    if (!x86_read(a + at, f->size - at, &x)) return CODE_UNKNOWN;
    if (!x86_read(b + at, f->size - at, &y)) return CODE_CHANGED;
    if (!same_shape(&x, &y, a + at, b + at) || !same_displacement(w, &x, here, a + at, b + at) ||
        !same_immediate(w, &x, here, a + at, b + at))
      return CODE_CHANGED;
  }
  return CODE_SAME;
}

/* ---- functions by name ------------------------------- */

/* Rank of each state. If several functions have the same name, they get the state with the highest
 * rank. */
static const int state_rank[] = {[CODE_SAME] = 0, [CODE_UNKNOWN] = 1, [CODE_CHANGED] = 2};

static size_t count_name(const struct code_image *m, size_t from) {
  size_t to = from + 1;
  while (to < m->function_count && str_equal(m->functions[to].name, m->functions[from].name)) to++;
  return to - from;
}

/* Compares `count` functions of base and head with the same name, in pairs by ascending address. */
static void compare_name(struct code_work *w, const size_t at[2], size_t count,
                         struct code_function *out) {
  for (size_t i = 0; i < count; i++) {
    w->functions[BASE] = &w->images[BASE].functions[at[BASE] + i];
    w->functions[HEAD] = &w->images[HEAD].functions[at[HEAD] + i];
    enum code_state state = compare_function(w);
    uint64_t distance = w->functions[BASE]->address - w->functions[HEAD]->address;
    if (!i || state_rank[state] > state_rank[out->state]) out->state = state;
    out->moved |= distance % CODE_CACHE_LINE != 0;
  }
}

/* Compares the next names in the sorted lists of both programs. If one list has ended, the name in
 * the other list comes first. */
static int name_order(const struct code_image *base, size_t at, const struct code_image *head,
                      size_t in_head) {
  if (at == base->function_count) return 1;
  if (in_head == head->function_count) return -1;
  return str_compare(base->functions[at].name, head->functions[in_head].name);
}

/* Compares all functions with the next name in the lists of base and head. Moves `at` past them. */
static struct code_function next_function(struct code_work *w, size_t at[2]) {
  const struct code_image *base = &w->images[BASE], *head = &w->images[HEAD];
  int order = name_order(base, at[BASE], head, at[HEAD]);
  size_t counts[2] = {0, 0};
  if (order <= 0) counts[BASE] = count_name(base, at[BASE]);
  if (order >= 0) counts[HEAD] = count_name(head, at[HEAD]);
  int side = order <= 0 ? BASE : HEAD;
  struct code_function made = {
      .name = w->images[side].functions[at[side]].name, .state = CODE_CHANGED, .lone = order != 0};
  if (!order && counts[BASE] == counts[HEAD]) compare_name(w, at, counts[BASE], &made);
  if (!order && counts[BASE] != counts[HEAD]) made.state = CODE_UNKNOWN;
  if (made.state != CODE_SAME) made.moved = false;
  at[BASE] += counts[BASE];
  at[HEAD] += counts[HEAD];
  return made;
}

/* Adds a name that code_find can find. If several functions have the name, code_find returns the
 * function with the highest state_rank. */
static bool code_add_name(struct code_comparison *c, pprofc_str name, uint32_t function) {
  size_t known = c->names.count;
  enum code_state state = c->functions[function].state;
  uint32_t id = interner_copy(&c->names, &c->arena, name);
  if (id == MAP_NONE) return false;
  if (!ARRAY_RESERVE_IN(&c->arena, c->by_name, c->by_name_capacity, (size_t)id + 1)) return false;
  if (id == known || state_rank[c->functions[c->by_name[id]].state] < state_rank[state])
    c->by_name[id] = function;
  return true;
}

/* Argument of add_readable_names. `room` becomes false when out of memory. */
struct code_naming {
  struct code_comparison *comparison;
  bool room;
};

/* Adds the demangled names that code_find can find, because profiles contain demangled names. */
static void add_readable_names(void *context) {
  static const enum demangle_mode modes[] = {DEMANGLE_DEFAULT, DEMANGLE_TEMPLATES, DEMANGLE_FULL};
  struct code_naming *naming = context;
  struct code_comparison *c = naming->comparison;
  bool room = true;
  struct buffer text = buffer_make(c->arena.mem, 1 << 20);
  for (uint32_t i = 0; room && i < c->count; i++) {
    pprofc_str name = c->functions[i].name;
    if (str_ends(name, GO_ASSEMBLY))
      room = code_add_name(c, str_slice(name, 0, name.size - GO_ASSEMBLY.size), i);
    for (size_t k = 0; room && k < COUNT(modes); k++)
      if (demangle(name, modes[k], &text)) room = code_add_name(c, buffer_str(&text), i);
  }
  buffer_free(&text);
  naming->room = room;
}

static bool compare_all(struct code_comparison *c, struct code_work *w) {
  size_t at[2] = {0, 0}, most = w->images[BASE].function_count + w->images[HEAD].function_count;
  c->functions = arena_array(&c->arena, most, sizeof *c->functions);
  if (!c->functions) return false;
  while (at[BASE] < w->images[BASE].function_count || at[HEAD] < w->images[HEAD].function_count) {
    struct code_function *f = &c->functions[c->count];
    *f = next_function(w, at);
    f->name = arena_str(&c->arena, f->name);
    if (!f->name.data || !code_add_name(c, f->name, (uint32_t)c->count)) return false;
    c->same += f->state == CODE_SAME;
    c->changed += f->state == CODE_CHANGED;
    c->unknown += f->state == CODE_UNKNOWN;
    c->moved += f->moved;
    c->count++;
  }
  struct code_naming naming = {c, false};
  return demangle_run(add_readable_names, &naming) && naming.room;
}

/* Opens the base or the head program. Adds its path to an error message. */
static pprofc_status open_side(struct code_work *w, int side, const char *path,
                               const pprofc_allocator *mem, pprofc_error *error) {
  pprofc_error why = {0};
  pprofc_status status = code_image_open(&w->images[side], path, mem, &why);
  if (status == PPROFC_OK) return status;
  return error_set(error, status, "cannot compare the code of %s: %s", path, why.message);
}

pprofc_status code_compare(struct code_comparison *c, const char *base, const char *head,
                           const pprofc_allocator *mem, pprofc_error *error) {
  struct code_work w = {.functions = {NULL, NULL}};
  *c = (struct code_comparison){.count = 0};
  arena_init(&c->arena, mem);
  interner_init(&c->names, mem);
  pprofc_status status = open_side(&w, BASE, base, mem, error);
  if (status == PPROFC_OK) status = open_side(&w, HEAD, head, mem, error);
  map_init(&w.map, mem);
  if (status == PPROFC_OK && (!compare_all(c, &w) || w.out_of_memory)) status = error_nomem(error);
  map_free(&w.map);
  for (int side = 0; side < 2; side++) code_image_free(&w.images[side]);
  return status;
}

void code_comparison_free(struct code_comparison *c) {
  if (!c->arena.mem) return;
  interner_free(&c->names);
  arena_free(&c->arena);
}

const struct code_function *code_find(const struct code_comparison *c, pprofc_str name) {
  uint32_t id = interner_find(&c->names, code_plain_name(name));
  return id == MAP_NONE ? NULL : &c->functions[c->by_name[id]];
}
