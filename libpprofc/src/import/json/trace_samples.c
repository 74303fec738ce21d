/* Reads the samples of a trace: the array `samples` next to the events, as Hermes writes it, or
 * events of kind P. The table `stackFrames` contains the frames, each with its caller. */
#include "import/json/call_tree.h"
#include "import/json/trace.h"
#include "profile/builder_times.h"

/* A sample. The reader sorts samples by thread, but keeps the order of the file within a thread. */
struct trace_sample {
  uint32_t thread, node;
  size_t order;
  int64_t at; /* time of the sample in nanoseconds */
};

struct trace_sampler {
  struct arena *arena;
  pprofc_builder *builder;
  struct json_call_tree tree;
  struct call_paths paths;
  struct trace_threads threads;
  struct trace_sample *samples;
  size_t count, room, missing;
};

static bool trace_is_sample(const struct node *event) {
  return str_equal(node_text(event, "ph"), STR("P")) && node_get(event, "sf");
}

bool trace_has_samples(const struct node *root) {
  if (!node_is(node_get(root, "stackFrames"), NODE_OBJECT)) return false;
  if (node_size(node_get(root, "samples"))) return true;
  const struct node *events = trace_events(root);
  for (size_t i = 0; i < node_size(events); i++)
    if (trace_is_sample(node_at(events, i))) return true;
  return false;
}

static void sampler_add_frames(struct trace_sampler *s, const struct node *frames) {
  for (const struct node *frame = frames->first; frame; frame = frame->next) {
    pprofc_str name = node_text(frame, "name");
    uint32_t location =
        json_plain_frame(s->builder, name.size ? name : STR("(unnamed)"), STR(""), 0, 0);
    call_tree_add(&s->tree, frame->key, frame, location, CALL_FRAME);
  }
  for (uint32_t i = 0; i < s->tree.count; i++) {
    uint32_t parent = call_tree_find(&s->tree, node_get(s->tree.nodes[i].json, "parent"));
    if (parent != MAP_NONE && parent != i) s->tree.nodes[i].parent = parent;
  }
}

static void sampler_add(struct trace_sampler *s, const struct node *sample) {
  struct trace_sample added = {.thread = trace_thread_of(&s->threads, sample),
                               .node = call_tree_find(&s->tree, node_get(sample, "sf")),
                               .order = s->count,
                               .at = json_scaled(s->builder, node_get(sample, "ts"), 3)};
  s->missing += added.node == MAP_NONE;
  import_need(s->builder, ARRAY_PUSH_IN(s->arena, s->samples, s->count, s->room, added));
}

static void sampler_add_all(struct trace_sampler *s, const struct node *root,
                            const struct node *events) {
  const struct node *samples = node_get(root, "samples");
  if (node_size(samples)) events = samples;
  for (size_t i = 0; i < node_size(events) && builder_ok(s->builder); i++)
    if (events == samples || trace_is_sample(node_at(events, i)))
      sampler_add(s, node_at(events, i));
}

static int trace_by_thread(const void *a, const void *b) {
  const struct trace_sample *x = a, *y = b;
  if (x->thread != y->thread) return x->thread < y->thread ? -1 : 1;
  return x->order < y->order ? -1 : 1;
}

/* Adds the samples. A sample lasts until the next sample of its thread. */
static void sampler_emit(struct trace_sampler *s) {
  if (s->count) qsort(s->samples, s->count, sizeof *s->samples, trace_by_thread);
  for (size_t i = 0; i < s->count && builder_ok(s->builder); i++) {
    const struct trace_sample *sample = &s->samples[i], *next = sample + 1;
    int64_t values[2] = {1, 0};
    if (i + 1 < s->count && next->thread == sample->thread &&
        (__builtin_sub_overflow(next->at, sample->at, &values[1]) || values[1] < 0))
      values[1] = 0;
    if (sample->node == MAP_NONE) continue;
    call_paths_sample(&s->paths, s->tree.nodes[sample->node].path, values);
    const struct trace_thread *thread = &s->threads.threads[sample->thread];
    trace_label(s->builder, thread);
    builder_event(s->builder, trace_track(s->builder, thread), sample->at, values[1]);
  }
  import_account_one(s->builder, s->count - s->missing, "samples", s->missing,
                     "sample has no stack", "samples have no stack");
}

void trace_samples(const struct node *root, pprofc_builder *builder, struct arena *arena) {
  const struct node *events = trace_events(root);
  struct trace_sampler s = {.arena = arena, .builder = builder};
  call_tree_init(&s.tree, arena, builder);
  call_paths_init(&s.paths, arena->mem, builder);
  trace_threads_init(&s.threads, arena, builder);
  pprofc_builder_type(builder, "samples", "count");
  pprofc_builder_type(builder, "wall", "nanoseconds");
  sampler_add_frames(&s, node_get(root, "stackFrames"));
  sampler_add_all(&s, root, events);
  trace_threads_name(&s.threads, events);
  call_tree_make_paths(&s.tree, &s.paths);
  sampler_emit(&s);
  call_tree_free(&s.tree);
  call_paths_free(&s.paths);
  trace_threads_free(&s.threads);
}
