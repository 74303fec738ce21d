/* Compiles the fields of classes to steps, and runs the steps to read values.
 *
 * The compiler replaces nested classes by their fields, so reading does not need recursion. A class
 * without fields adds no step, so a limit on steps does not limit the compiler's work. Therefore
 * the compiler also limits the number of replaced classes. */
#include "import/jfr/jfr.h"

#define DEEPEST_CLASS 16
#define DEEPEST_ARRAY 8
#define MAX_STEPS     4096
#define MAX_CLASSES   4096
#define NO_ARRAY      UINT32_MAX

/* A class that is being replaced by its fields. */
struct layout_open {
  const struct jfr_class *class;
  uint32_t next;  /* index of the next field of the class */
  uint32_t array; /* index in `ops` of the array whose elements have this class, or NO_ARRAY */
};

struct layout {
  struct jfr *j;
  struct jfr_op ops[MAX_STEPS];
  uint32_t count;
  struct layout_open open[DEEPEST_CLASS];
  size_t depth, arrays;
  uint32_t opened; /* number of classes replaced by their fields so far */
};

static bool layout_add(struct layout *l, enum jfr_kind kind, int8_t slot) {
  if (l->count == MAX_STEPS) return false;
  l->ops[l->count++] = (struct jfr_op){(uint8_t)kind, slot, 0};
  return true;
}

static bool layout_open_class(struct layout *l, const struct jfr_class *class, uint32_t array) {
  if (l->depth == DEEPEST_CLASS || l->opened++ == MAX_CLASSES) return false;
  l->open[l->depth++] = (struct layout_open){class, 0, array};
  return true;
}

static bool layout_is_integer(const struct jfr_op *op) {
  const unsigned integers = 1u << JFR_SHORT | 1u << JFR_INT | 1u << JFR_LONG | 1u << JFR_REF;
  return integers >> op->kind & 1;
}

static void layout_close_array(struct layout *l, uint32_t array) {
  uint32_t at = array + 1;
  while (at < l->count && layout_is_integer(&l->ops[at])) at++;
  if (at == l->count) l->ops[array].kind = JFR_INTEGERS;
  l->ops[array].body = (uint16_t)(l->count - array - 1);
  l->arrays--;
}

/* Adds the steps for a field. Returns false if the field cannot be read. */
static bool layout_field(struct layout *l, const struct jfr_field *f, int8_t slot) {
  const struct jfr_class *class = jfr_class_of(l->j, f->type);
  uint32_t array = NO_ARRAY;
  if (f->array) {
    array = l->count;
    if (l->arrays++ == DEEPEST_ARRAY || !layout_add(l, JFR_ARRAY, slot)) return false;
    slot = -1;
  }
  if (!f->pooled && !class) return false;
  enum jfr_kind kind = f->pooled ? JFR_REF : class->kind;
  if (kind == JFR_STRUCT) return layout_open_class(l, class, array);
  if (!layout_add(l, kind, slot)) return false;
  if (f->array) layout_close_array(l, array);
  return true;
}

static int8_t layout_slot(const struct jfr_want *wants, pprofc_str field) {
  for (; wants && wants->field; wants++)
    if (str_equal(field, str_of(wants->field))) return wants->slot;
  return -1;
}

static bool layout_fields(struct layout *l, const struct jfr_want *wants) {
  while (l->depth) {
    struct layout_open *top = &l->open[l->depth - 1];
    if (top->next == top->class->field_count) {
      if (top->array != NO_ARRAY) layout_close_array(l, top->array);
      l->depth--;
      continue;
    }
    const struct jfr_field *f = &l->j->metadata.fields[top->class->first_field + top->next++];
    if (!layout_field(l, f, l->depth == 1 ? layout_slot(wants, f->name) : -1)) return false;
  }
  return true;
}

bool jfr_compile(struct jfr *j, const struct jfr_class *c, const struct jfr_want *wants,
                 struct jfr_program *program) {
  struct layout *l = mem_array(j->mem, 1, sizeof *l);
  *program = (struct jfr_program){0};
  if (!import_need(j->builder, l)) return false;
  l->j = j;
  l->count = l->opened = 0;
  l->depth = l->arrays = 0;
  if (c->kind != JFR_STRUCT)
    program->readable = layout_add(l, c->kind, 0);
  else
    program->readable = layout_open_class(l, c, NO_ARRAY) && layout_fields(l, wants);
  program->count = l->count;
  for (uint32_t i = 0; i < l->count; i++) program->has_arrays |= l->ops[i].kind >= JFR_ARRAY;
  program->ops = arena_copy(&j->arena, l->ops, l->count * sizeof *l->ops);
  mem_free(j->mem, l, 1, sizeof *l);
  if (!import_need(j->builder, program->ops)) return false;
  return jfr_take(j, &j->steps, program->count, "fields of classes");
}

/* ---- reading ----------------------------------------- */

static uint64_t layout_value(struct jfr_reader *r, enum jfr_kind kind) {
  uint64_t key;
  switch (kind) {
  case JFR_BYTE:
    return jfr_fixed(r, 1);
  case JFR_SHORT:
    return jfr_integer(r, 2);
  case JFR_INT: /* sign-extend from 32 bits */
    return (uint64_t)(int64_t)(int32_t)jfr_int(r);
  case JFR_FLOAT:
    return jfr_fixed(r, 4);
  case JFR_DOUBLE:
    return jfr_fixed(r, 8);
  case JFR_STRING:
    jfr_read_string(r, NULL, &key);
    return 0;
  default:
    return jfr_long(r);
  }
}

/* A range of steps that is repeated for each element of an array. */
struct layout_loop {
  uint32_t first, end, left;
};

/* Returns the index of the next step to run: the start of a loop that ends at `at` and is not
 * finished, else `at`. */
static uint32_t layout_repeat(struct layout_loop *loops, size_t *depth, uint32_t at) {
  while (*depth && at == loops[*depth - 1].end) {
    if (--loops[*depth - 1].left) return loops[*depth - 1].first;
    --*depth;
  }
  return at;
}

/* Runs steps without arrays. Compressed integers of one byte take a fast path, because most values
 * have this form. */
static bool layout_run_flat(const struct jfr *j, const struct jfr_program *program,
                            struct jfr_reader *r, uint64_t *slots) {
  const struct jfr_op *op = program->ops, *end = op + program->count;
  for (; op < end && !r->failed; op++) {
    uint64_t value;
    if (r->compressed && layout_is_integer(op) && r->at < r->end && *r->at < 0x80) {
      value = *r->at++;
    } else {
      uint64_t offset = (uint64_t)(r->at - j->chunk->start);
      value = layout_value(r, (enum jfr_kind)op->kind);
      if (op->kind == JFR_STRING) value = offset;
    }
    if (op->slot >= 0) slots[op->slot] = value;
  }
  return !r->failed;
}

static bool layout_run_loops(const struct jfr *j, const struct jfr_program *program,
                             struct jfr_reader *r, uint64_t *slots) {
  struct layout_loop loops[DEEPEST_ARRAY];
  size_t depth = 0;
  for (uint32_t at = 0; at < program->count && !r->failed; at = layout_repeat(loops, &depth, at)) {
    const struct jfr_op *op = &program->ops[at++];
    uint64_t offset = (uint64_t)(r->at - j->chunk->start);
    if (op->kind >= JFR_ARRAY) {
      if (op->slot >= 0) slots[op->slot] = offset;
      uint32_t count = jfr_int(r);
      bool is_skipped = op->kind == JFR_INTEGERS && r->compressed;
      if (is_skipped) jfr_skip_compressed(r, (uint64_t)count * op->body);
      if (count && op->body && !is_skipped)
        loops[depth++] = (struct layout_loop){at, at + op->body, count};
      else
        at += op->body;
      continue;
    }
    uint64_t value = layout_value(r, (enum jfr_kind)op->kind);
    if (op->slot >= 0) slots[op->slot] = op->kind == JFR_STRING ? offset : value;
  }
  return !r->failed;
}

bool jfr_run(const struct jfr *j, const struct jfr_program *program, struct jfr_reader *r,
             uint64_t *slots) {
  return program->has_arrays ? layout_run_loops(j, program, r, slots)
                             : layout_run_flat(j, program, r, slots);
}
