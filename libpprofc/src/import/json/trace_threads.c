/* Finds the processes and threads of a trace, and their names in the metadata. */
#include "import/json/trace.h"

void trace_threads_init(struct trace_threads *t, struct arena *arena, pprofc_builder *builder) {
  *t = (struct trace_threads){.arena = arena, .builder = builder};
  interner_init(&t->keys, arena->mem);
  buffer_init(&t->scratch, arena->mem, SIZE_MAX / 2);
}

void trace_threads_free(struct trace_threads *t) {
  interner_free(&t->keys);
  buffer_free(&t->scratch);
}

const struct node *trace_events(const struct node *root) {
  const struct node *events = node_is(root, NODE_ARRAY) ? root : node_get(root, "traceEvents");
  return node_is(events, NODE_ARRAY) ? events : NULL;
}

static pprofc_str trace_key(struct trace_threads *t, const struct node *event) {
  buffer_clear(&t->scratch);
  buffer_add_str(&t->scratch, json_id(node_get(event, "pid")));
  buffer_add_char(&t->scratch, ':');
  buffer_add_str(&t->scratch, json_id(node_get(event, "tid")));
  import_need(t->builder, !t->scratch.failed);
  return buffer_str(&t->scratch);
}

uint32_t trace_thread_of(struct trace_threads *t, const struct node *event) {
  size_t before = t->keys.count;
  pprofc_str key = trace_key(t, event);
  if (!builder_ok(t->builder)) return MAP_NONE;
  uint32_t thread = interner_copy(&t->keys, t->arena, key);
  if (!import_need(t->builder, thread != MAP_NONE) || t->keys.count == before) return thread;
  if (!import_need(t->builder, ARRAY_RESERVE_IN(t->arena, t->threads, t->room, t->keys.count)))
    return MAP_NONE;
  t->threads[thread] = (struct trace_thread){.pid = json_id(node_get(event, "pid")),
                                             .tid = json_id(node_get(event, "tid"))};
  return thread;
}

/* Names of the processes, by pid. */
struct process_names {
  struct interner pids;
  pprofc_str *names;
  size_t room;
};

static bool process_names_set(struct process_names *p, struct arena *arena, pprofc_str pid,
                              pprofc_str name) {
  uint32_t process = interner_add(&p->pids, pid);
  if (process == MAP_NONE) return false;
  if (!ARRAY_RESERVE_IN(arena, p->names, p->room, p->pids.count)) return false;
  p->names[process] = name;
  return true;
}

/* Reads the name of a thread or process from an event of kind "M". */
static void trace_take_name(struct trace_threads *t, struct process_names *processes,
                            const struct node *event) {
  pprofc_str what = node_text(event, "name"), name = node_text(node_get(event, "args"), "name");
  if (name.size && str_equal(what, STR("process_name")))
    import_need(t->builder,
                process_names_set(processes, t->arena, json_id(node_get(event, "pid")), name));
  if (!name.size || !str_equal(what, STR("thread_name"))) return;
  uint32_t thread = interner_find(&t->keys, trace_key(t, event));
  if (thread != MAP_NONE) t->threads[thread].name = name;
}

void trace_threads_name(struct trace_threads *t, const struct node *events) {
  struct process_names processes = {0};
  interner_init(&processes.pids, t->arena->mem);
  for (size_t i = 0; i < node_size(events) && builder_ok(t->builder); i++) {
    const struct node *event = node_at(events, i);
    if (str_equal(node_text(event, "ph"), STR("M"))) trace_take_name(t, &processes, event);
  }
  for (size_t i = 0; i < t->keys.count && builder_ok(t->builder); i++) {
    uint32_t process = interner_find(&processes.pids, t->threads[i].pid);
    if (process != MAP_NONE) t->threads[i].process = processes.names[process];
  }
  interner_free(&processes.pids);
}

uint32_t trace_track(pprofc_builder *builder, const struct trace_thread *t) {
  return builder_track(
      builder,
      &(struct time_track){.name = t->name, .process = t->process, .pid = t->pid, .tid = t->tid});
}

void trace_label(pprofc_builder *builder, const void *thread) {
  const struct trace_thread *t = thread;
  import_label(builder, "process", t->process);
  import_label(builder, "pid", t->pid);
  import_label(builder, "thread", t->name);
  import_label(builder, "tid", t->tid);
}
