/* Reads files of Python's cProfile and of yappi (pstats): a dictionary in the marshal format. The
 * dictionary has the self time of each function, and the time of each function by caller. Converts
 * the dictionary to callgrind's text, whose reader then makes the stacks. */
#include "import/reader.h"

#define MARSHAL_MAX_DEPTH 8 /* valid files have 5 levels of nested values */
#define PSTATS_SECOND     1e9
#define MARSHAL_REF       0x80u

enum marshal_kind { MARSHAL_OTHER, MARSHAL_TEXT, MARSHAL_NUMBER, MARSHAL_TUPLE, MARSHAL_DICT };

struct marshal_value {
  enum marshal_kind kind;
  pprofc_str text;
  double number;
  struct marshal_value **items; /* elements of a tuple, list or dictionary; in a dictionary, keys
                                   and values alternate */
  size_t count, room;
};

struct marshal {
  const uint8_t *at, *end;
  struct arena arena;
  struct marshal_value **refs; /* values that a later reference can name by their index */
  size_t ref_count, ref_room;
  bool nomem;
};

/* ---- marshal ----------------------------------------- */

/* Reads a little-endian integer of 1, 4 or 8 bytes. */
static bool marshal_take(struct marshal *m, size_t size, uint64_t *value) {
  *value = 0;
  if ((size_t)(m->end - m->at) < size) return false;
  for (size_t i = 0; i < size; i++) *value |= (uint64_t)m->at[i] << 8 * i;
  m->at += size;
  return true;
}

/* Reads a length, which is an integer of `size` bytes, and then a text of that length. */
static bool marshal_text(struct marshal *m, size_t size, struct marshal_value *v) {
  uint64_t length;
  if (!marshal_take(m, size, &length) || length > (uint64_t)(m->end - m->at)) return false;
  v->kind = MARSHAL_TEXT;
  v->text = (pprofc_str){(const char *)m->at, (size_t)length};
  m->at += length;
  return true;
}

/* Reads an integer of any size: the number of its digits, which is negative for a negative integer,
 * and then its 15-bit digits. */
static bool marshal_long(struct marshal *m, struct marshal_value *v) {
  uint64_t count, digit;
  double scale = 1;
  if (!marshal_take(m, 4, &count)) return false;
  int32_t digits = (int32_t)(uint32_t)count;
  double sign = digits < 0 ? -1 : 1;
  for (int64_t left = digits < 0 ? -(int64_t)digits : digits; left > 0; left--) {
    uint64_t low, high;
    if (!marshal_take(m, 1, &low) || !marshal_take(m, 1, &high)) return false;
    digit = low | high << 8;
    v->number += sign * (double)digit * scale;
    scale *= 32768;
  }
  v->kind = MARSHAL_NUMBER;
  return true;
}

static bool marshal_number(struct marshal *m, int type, struct marshal_value *v) {
  uint64_t bits;
  if (type == 'l') return marshal_long(m, v);
  if (type == 'f') return marshal_text(m, 1, v) && str_parse_float(v->text, &v->number);
  if (!marshal_take(m, type == 'i' ? 4 : 8, &bits)) return false;
  if (type == 'g')
    memcpy(&v->number, &bits, sizeof bits);
  else
    v->number = type == 'i' ? (double)(int32_t)(uint32_t)bits : (double)(int64_t)bits;
  v->kind = MARSHAL_NUMBER;
  return true;
}

static bool marshal_append(struct marshal *m, struct marshal_value *list,
                           struct marshal_value *item) {
  m->nomem |= !ARRAY_RESERVE_IN(&m->arena, list->items, list->room, list->count + 1);
  if (m->nomem) return false;
  list->items[list->count++] = item;
  return true;
}

static struct marshal_value *marshal_read(struct marshal *m, unsigned depth);

/* Reads the number of elements, which is an integer of `size` bytes, and then the elements of a
 * tuple or list. */
static bool marshal_tuple(struct marshal *m, size_t size, struct marshal_value *v, unsigned depth) {
  uint64_t count;
  if (!marshal_take(m, size, &count)) return false;
  v->kind = MARSHAL_TUPLE;
  for (uint64_t i = 0; i < count; i++) {
    struct marshal_value *item = marshal_read(m, depth);
    if (!item || !marshal_append(m, v, item)) return false;
  }
  return true;
}

/* Reads keys and values up to the end of the dictionary. */
static bool marshal_dict(struct marshal *m, struct marshal_value *v, unsigned depth) {
  v->kind = MARSHAL_DICT;
  while (m->at < m->end && *m->at != '0') {
    struct marshal_value *item = marshal_read(m, depth);
    if (!item || !marshal_append(m, v, item)) return false;
  }
  if (m->at == m->end || v->count % 2) return false;
  m->at++;
  return true;
}

/* Reads the value that follows a type byte. */
static bool marshal_body(struct marshal *m, int type, struct marshal_value *v, unsigned depth) {
  if (strchr("zZ", type)) return marshal_text(m, 1, v);
  if (strchr("aAuts", type)) return marshal_text(m, 4, v);
  if (strchr("iIlfg", type)) return marshal_number(m, type, v);
  if (strchr(")([", type)) return marshal_tuple(m, type == ')' ? 1 : 4, v, depth);
  if (type == '{') return marshal_dict(m, v, depth);
  return strchr("NTF.", type) != NULL;
}

/* Adds a value to m->refs. Returns false when out of memory. */
static bool marshal_add_ref(struct marshal *m, struct marshal_value *v) {
  return ARRAY_PUSH_IN(&m->arena, m->refs, m->ref_count, m->ref_room, v);
}

/* Reads an index. Returns the value with this index, or NULL if there is no such value. */
static struct marshal_value *marshal_ref(struct marshal *m) {
  uint64_t index;
  return marshal_take(m, 4, &index) && index < m->ref_count ? m->refs[index] : NULL;
}

/* Returns the next value, or NULL if it is invalid. */
static struct marshal_value *marshal_read(struct marshal *m, unsigned depth) {
  if (m->at == m->end || depth == MARSHAL_MAX_DEPTH) return NULL;
  unsigned type = *m->at++, plain = type & ~MARSHAL_REF;
  if (plain == 'r' || plain == 'R') return marshal_ref(m);
  if (!plain) return NULL;
  struct marshal_value *v = arena_zero_array(&m->arena, 1, sizeof *v);
  /* Python 2 writes the type 't' for a string that a later reference can repeat. */
  bool is_ref = type != plain || type == 't';
  m->nomem |= !v || (is_ref && !marshal_add_ref(m, v));
  return !m->nomem && marshal_body(m, (int)plain, v, depth + 1) ? v : NULL;
}

/* ---- functions --------------------------------------- */

/* Output of the conversion. */
struct pstats {
  struct buffer out;
  struct interner files, names; /* files and names that the output already defines */
};

/* True if the value is the key of a function: a tuple of file, line and name. */
static bool pstats_is_function(const struct marshal_value *v) {
  return v->kind == MARSHAL_TUPLE && v->count == 3 && v->items[0]->kind == MARSHAL_TEXT &&
         v->items[1]->kind == MARSHAL_NUMBER && v->items[2]->kind == MARSHAL_TEXT;
}

static bool pstats_has_numbers(const struct marshal_value *v) {
  if (v->kind != MARSHAL_TUPLE || v->count < 4) return false;
  for (size_t i = 0; i < 4; i++)
    if (v->items[i]->kind != MARSHAL_NUMBER) return false;
  return true;
}

/* True if the value describes a function: a tuple with the numbers of primitive calls and of calls,
 * the self time, the total time and the callers. */
static bool pstats_is_entry(const struct marshal_value *v) {
  return pstats_has_numbers(v) && v->count == 5 && v->items[4]->kind == MARSHAL_DICT;
}

/* Writes "fn=(7) name", or "fn=(7)" if the name is already defined. */
static void pstats_name(struct pstats *p, struct interner *seen, const char *spec,
                        pprofc_str name) {
  size_t before = seen->count;
  uint32_t number = interner_add(seen, name);
  buffer_printf(&p->out, "%s=(%u)", spec, number + 1);
  if (seen->count > before) {
    buffer_add_char(&p->out, ' ');
    for (size_t i = 0; i < name.size; i++)
      buffer_add_char(&p->out, (unsigned char)name.data[i] < ' ' ? ' ' : name.data[i]);
  }
  buffer_add_char(&p->out, '\n');
}

/* Writes the file and the name of a function. Writes "???" for the file "~" of built-in
 * functions. */
static void pstats_function(struct pstats *p, const struct marshal_value *f, bool callee) {
  pprofc_str file = f->items[0]->text;
  if (str_equal(file, STR("~"))) file = STR("???");
  pstats_name(p, &p->files, callee ? "cfi" : "fl", file);
  pstats_name(p, &p->names, callee ? "cfn" : "fn", f->items[2]->text);
}

static int pstats_line(const struct marshal_value *f) {
  double line = f->items[1]->number;
  return line > 0 && line < INT32_MAX ? (int)line : 0;
}

static int64_t pstats_time(double seconds) {
  double time = seconds * PSTATS_SECOND;
  return fabs(time) < 9e18 ? llround(time) : 0;
}

static int64_t pstats_count(double count) {
  return count >= 1 && count < 9e18 ? (int64_t)count : 1;
}

/* Writes a call. Python's module `profile` records no times by caller. The function's time is then
 * divided among the callers in proportion to their numbers of calls. */
static void pstats_call(struct pstats *p, const struct marshal_value *caller,
                        const struct marshal_value *function, const struct marshal_value *entry,
                        const struct marshal_value *call) {
  double calls, time;
  if (call->kind == MARSHAL_NUMBER) {
    calls = call->number;
    time =
        entry->items[1]->number > 0 ? entry->items[3]->number * calls / entry->items[1]->number : 0;
  } else {
    calls = call->items[1]->number;
    time = call->items[3]->number;
  }
  pstats_function(p, caller, false);
  pstats_function(p, function, true);
  buffer_printf(&p->out, "calls=%lld %d\n%d %lld\n", (long long)pstats_count(calls),
                pstats_line(function), pstats_line(caller), (long long)pstats_time(time));
}

/* Writes a function and the calls to it. Returns false if the values do not have the types that
 * pstats writes. */
static bool pstats_entry(struct pstats *p, const struct marshal_value *function,
                         const struct marshal_value *entry) {
  if (!pstats_is_function(function) || !pstats_is_entry(entry)) return false;
  pstats_function(p, function, false);
  buffer_printf(&p->out, "%d %lld\n", pstats_line(function),
                (long long)pstats_time(entry->items[2]->number));
  const struct marshal_value *callers = entry->items[4];
  for (size_t i = 0; i < callers->count; i += 2) {
    const struct marshal_value *call = callers->items[i + 1];
    if (!pstats_is_function(callers->items[i])) return false;
    if (call->kind != MARSHAL_NUMBER && !pstats_has_numbers(call)) return false;
    pstats_call(p, callers->items[i], function, entry, call);
  }
  return true;
}

/* ---- the file ---------------------------------------- */

/* Converts a dictionary of functions to callgrind's text. Returns false if the dictionary is
 * invalid. */
static bool pstats_convert(struct pstats *p, struct marshal *m, pprofc_builder *builder) {
  const struct marshal_value *root = marshal_read(m, 0);
  if (!import_need(builder, !m->nomem)) return false;
  if (!root)
    return import_refuse_at(builder, m->at, "a value of Python's marshal format cannot be read");
  buffer_add_text(&p->out, "# callgrind format\nevents: wall(ns)\n");
  uint64_t total = 0;
  for (size_t i = 0; i < root->count; i += 2) {
    if (!pstats_entry(p, root->items[i], root->items[i + 1]))
      return import_refuse(builder, PPROFC_E_FORMAT, "entry %zu is not a function with its callers",
                           i / 2 + 1);
    total += (uint64_t)pstats_time(root->items[i + 1]->items[2]->number);
  }
  buffer_printf(&p->out, "totals: %llu\n", (unsigned long long)total);
  return import_need(builder, !p->out.failed);
}

/* True if the data begins with a dictionary whose first key is a tuple of three values. */
bool import_is_pstats(pprofc_str data) {
  if (data.size < 4 || ((uint8_t)data.data[0] & ~MARSHAL_REF) != '{') return false;
  unsigned type = (uint8_t)data.data[1] & ~MARSHAL_REF;
  if (type == ')') return data.data[2] == 3;
  return type == '(' && data.size > 6 && memcmp(data.data + 2, "\3\0\0", 4) == 0;
}

IMPORT_READER(import_pstats) {
  const uint8_t *bytes = (const uint8_t *)data.data;
  struct marshal m = {.at = bytes, .end = bytes + data.size};
  struct pstats p;
  arena_init(&m.arena, arena->mem);
  buffer_init(&p.out, arena->mem, SIZE_MAX);
  interner_init(&p.files, arena->mem);
  interner_init(&p.names, arena->mem);
  bool good = pstats_convert(&p, &m, builder);
  interner_free(&p.files);
  interner_free(&p.names);
  arena_free(&m.arena);
  if (good) import_callgrind(buffer_str(&p.out), builder, arena, options);
  buffer_free(&p.out);
}
