/* Reads constant pools, which are in checkpoint events. If several checkpoints have an entry with
 * the same id, the reader keeps the first, as the JDK does. */
#include "import/jfr/jfr.h"

/* Fields to read from the entries of each pool. */
static const struct jfr_want stack_wants[] = {
    {"frames", JFR_FRAMES}, {"truncated", JFR_TRUNCATED}, {NULL, 0}};
static const struct jfr_want method_wants[] = {{"type", JFR_CLASS}, {"name", JFR_NAME}, {NULL, 0}};
static const struct jfr_want class_wants[] = {{"name", JFR_NAME}, {NULL, 0}};
static const struct jfr_want symbol_wants[] = {{"string", JFR_TEXT}, {NULL, 0}};
static const struct jfr_want frame_type_wants[] = {{"description", JFR_TEXT}, {NULL, 0}};
static const struct jfr_want state_wants[] = {{"name", JFR_TEXT}, {NULL, 0}};
static const struct jfr_want thread_wants[] = {
    {"osName", JFR_OS_NAME}, {"osThreadId", JFR_OS_ID}, {"javaName", JFR_JAVA_NAME}, {NULL, 0}};
static const struct jfr_want string_wants[] = {{NULL, 0}};

static const struct {
  const char *class;
  const struct jfr_want *wants;
} pool_classes[JFR_POOL_COUNT] = {
    [JFR_STACKS] = {"jdk.types.StackTrace", stack_wants},
    [JFR_METHODS] = {"jdk.types.Method", method_wants},
    [JFR_CLASSES] = {"java.lang.Class", class_wants},
    [JFR_SYMBOLS] = {"jdk.types.Symbol", symbol_wants},
    [JFR_FRAME_TYPES] = {"jdk.types.FrameType", frame_type_wants},
    [JFR_STATES] = {"jdk.types.ThreadState", state_wants},
    [JFR_THREADS] = {"java.lang.Thread", thread_wants},
    [JFR_STRINGS] = {"java.lang.String", string_wants},
};

static size_t pool_of(const struct jfr_class *c) {
  size_t i = 0;
  while (i < JFR_POOL_COUNT && !str_equal(c->name, str_of(pool_classes[i].class))) i++;
  return i;
}

struct jfr_entry *jfr_entry_find(struct jfr_pool *pool, uint64_t id) {
  MAP_FIND(index, &pool->by_id, hash_mix(id, 0), pool->items[index].id == id);
  return index == MAP_NONE ? NULL : &pool->items[index];
}

/* Indexes an entry by its id. Most ids ascend from the first id without gaps; these ids need no
 * index, because jfr_entry_of computes their positions. Returns false when out of memory. */
static bool pool_index(struct jfr_pool *pool, uint64_t id, uint32_t index) {
  if (!index) pool->first_id = id;
  if (index == pool->dense && id == pool->first_id + index) {
    pool->dense++;
    return true;
  }
  return map_insert(&pool->by_id, hash_mix(id, 0), index);
}

static bool pool_add(struct jfr *j, enum jfr_pool_name name, const struct jfr_entry *entry) {
  struct jfr_pool *pool = &j->pools[name];
  if (jfr_entry_of(j, name, entry->id)) return true;
  if (!import_need(j->builder,
                   pool->count < JFR_UNMADE &&
                       ARRAY_RESERVE(j->mem, pool->items, pool->capacity, pool->count + 1) &&
                       pool_index(pool, entry->id, (uint32_t)pool->count)))
    return false;
  pool->items[pool->count++] = *entry;
  return true;
}

/* Compiles the program (struct jfr_program) that reads a value of a class. The program stores
 * fields only if the reader keeps the entries of this class. Returns false when out of memory. */
static bool pool_compile(struct jfr *j, struct jfr_class *c, size_t pool) {
  if (c->has_program) return true;
  c->has_program = true;
  return jfr_compile(j, c, pool < JFR_POOL_COUNT ? pool_classes[pool].wants : NULL, &c->program);
}

/* Reads the entries of one class. Returns false on failure. */
static bool pool_read(struct jfr *j, struct jfr_reader *r) {
  const uint8_t *at = r->at;
  struct jfr_class *c = jfr_class_of(j, jfr_long(r));
  uint32_t count = jfr_int(r);
  if (r->failed) return true;
  if (!c)
    return import_refuse_at(j->builder, at, "constants of a class that the metadata does not have");
  size_t pool = pool_of(c);
  if (!pool_compile(j, c, pool)) return false;
  if (!c->program.readable)
    return import_refuse_at(j->builder, at, "constants of a class that cannot be read");
  for (uint32_t i = 0; i < count && !r->failed && builder_ok(j->builder); i++) {
    uint64_t slots[JFR_SLOTS] = {0};
    struct jfr_entry entry = {.id = jfr_long(r), .made = JFR_UNMADE};
    if (!jfr_run(j, &c->program, r, slots)) break;
    memcpy(entry.slots, slots, sizeof entry.slots);
    if (pool < JFR_POOL_COUNT) pool_add(j, (enum jfr_pool_name)pool, &entry);
  }
  return builder_ok(j->builder);
}

static bool pool_read_checkpoint(struct jfr *j, struct jfr_reader *r) {
  const uint8_t *at = r->at;
  /* Skip time, duration and offset of the previous checkpoint. */
  for (int i = 0; i < 3; i++) jfr_long(r);
  jfr_fixed(r, 1);
  uint32_t pools = jfr_int(r);
  for (uint32_t i = 0; i < pools && !r->failed; i++)
    if (!pool_read(j, r)) return false;
  return !r->failed ||
         import_refuse_at(j->builder, at, "constants that run past the end of their event");
}

static bool pool_compile_frame(struct jfr *j) {
  static const struct jfr_want wants[] = {{"method", 0}, {"lineNumber", 1}, {"type", 2}, {NULL, 0}};
  for (size_t i = 0; i < j->metadata.class_count; i++)
    if (str_equal(j->metadata.classes[i].name, STR("jdk.types.StackFrame")))
      return jfr_compile(j, &j->metadata.classes[i], wants, &j->frame);
  return true;
}

bool jfr_read_pools(struct jfr *j) {
  struct jfr_reader r = jfr_reader_at(j, JFR_HEADER_SIZE), body;
  uint64_t type;
  if (!pool_compile_frame(j)) return false;
  while (jfr_next_event(j, &r, &type, &body))
    if (type == 1 && !pool_read_checkpoint(j, &body)) return false;
  return builder_ok(j->builder) && jfr_reserve_stacks(j);
}

uint32_t jfr_string_of(struct jfr *j, enum jfr_pool_name pool, uint64_t id) {
  struct jfr_entry *entry = jfr_entry_of(j, pool, id);
  if (!entry) return 0;
  if (entry->made == JFR_UNMADE)
    entry->made = builder_string(j->builder, jfr_text(j, entry->slots[JFR_TEXT]));
  return entry->made;
}
