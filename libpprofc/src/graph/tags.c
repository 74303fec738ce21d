/* Finds the tags of each node: the labels of its samples (docs/spec/pprof.md, 18). Only pictures
 * show tags.
 *
 * Samples with equal lists of labels form a class. The texts of labels are made once for each
 * class. Then the samples are read once for each tag, with one sum per node. So there is no need
 * for a table of all nodes and tags. */
#include "graph/graph.h"
#include "unit/unit.h"

#define TAG_NONE UINT32_MAX

/* A tag of a class (a set of samples with equal labels). `value` is the number if `tag` is a
 * number tag. */
struct class_tag {
  uint32_t tag;
  int64_t value;
};

struct label_class {
  size_t sample;         /* index of the first sample with these labels */
  uint32_t first, count; /* index of the first tag in class_tags, and number of tags */
};

struct graph_tags_tag {
  uint32_t labels; /* text id of the joined string labels; 0: no labels */
  uint32_t name;   /* text id of the tag's name */
  bool is_number;
};

/* A sample that has a tag, and the index of this tag in class_tags. */
struct use {
  uint32_t sample, class_tag;
};

/* Position in the file of the first sample with the tag, and the value that a number tag has in
 * this sample. */
struct tag_first {
  uint32_t order;
  int64_t value;
};

struct tag_sum {
  int64_t flat, flat_div, cum, cum_div;
  struct tag_first first;
  bool touched, on_path;
};

struct tags_step {
  int64_t pending, pending_div;
  struct tag_first first;
  uint32_t node, offset;
  /* True if this frame of the path adds its sums to the node. The node must be kept, and must not
   * occur nearer to the root in the path. */
  bool counts;
};

struct found_tag {
  uint32_t node;
  struct graph_tag tag;
};

struct tagger {
  struct graph *graph;
  const pprofc_allocator *mem;
  const pprofc_profile *profile;
  const uint8_t *kept;
  struct interner texts; /* texts of the tags; text 0 is "" */
  struct map classes_map, tags_map;
  struct label_class *classes;
  struct class_tag *class_tags;
  struct graph_tags_tag *tags;
  struct found_tag *found;
  size_t class_count, class_tag_count, tag_count, found_count;
  size_t class_capacity, class_tag_capacity, tag_capacity, found_capacity;
  struct arena arena; /* arena for the arrays below, except `path` */
  uint32_t *class_of; /* for each sample, its class (samples with equal labels), or TAG_NONE */
  /* For each tag, the index of its first element in `uses`. An extra last element is the number of
   * uses. */
  uint32_t *use_from;
  struct use *uses;
  size_t use_count;
  struct tag_sum *sums; /* for each node, the sums for the current tag */
  uint32_t *touched;
  size_t touched_count;
  struct tags_step *path;
  size_t depth, path_capacity;
};

/* ---- classes of samples ------------------------------ */

static int compare_texts(const void *a, const void *b) {
  return str_compare(*(const pprofc_str *)a, *(const pprofc_str *)b);
}

/* Appends a label. In dot, a quote ends a text unless a backslash precedes the quote. So labels
 * that could end a text too early get a backslash before each quote and backslash. Other labels are
 * the same as in pprof. */
static void tags_add_label(struct buffer *joined, pprofc_str label) {
  bool ends_text = label.data[label.size - 1] == '\\' || str_find_char(label, '"') < label.size ||
                   str_find_char(label, '\n') < label.size;
  for (size_t i = 0; i < label.size; i++) {
    char c = label.data[i];
    if (ends_text && (c == '"' || c == '\\')) buffer_add_char(joined, '\\');
    buffer_add_char(joined, c);
  }
}

/* Makes a text "key:value" for each string label, and sorts the texts. Returns their number, or
 * SIZE_MAX when out of memory. */
static size_t label_texts(const struct tagger *t, const struct label *labels, size_t count,
                          struct arena *arena, pprofc_str *texts) {
  size_t n = 0;
  for (size_t i = 0; i < count; i++) {
    pprofc_str key = profile_string(t->profile, labels[i].key);
    pprofc_str value = profile_string(t->profile, labels[i].string);
    if (labels[i].is_number || str_equal(key, BASE_LABEL)) continue;
    char *text = arena_alloc(arena, key.size + value.size + 1);
    if (!text) return SIZE_MAX;
    memcpy(text, key.data, key.size);
    text[key.size] = ':';
    memcpy(text + key.size + 1, value.data, value.size);
    texts[n++] = (pprofc_str){text, key.size + value.size + 1};
  }
  if (n) qsort(texts, n, sizeof *texts, compare_texts);
  return n;
}

/* Joins the texts of label_texts with the two characters \n. Returns the text id, or MAP_NONE when
 * out of memory. */
static uint32_t join_labels(struct tagger *t, const struct label *labels, size_t count) {
  struct arena arena = arena_make(t->mem);
  struct buffer joined = buffer_make(t->mem, SIZE_MAX);
  pprofc_str *texts = arena_array(&arena, count, sizeof *texts);
  size_t n = texts ? label_texts(t, labels, count, &arena, texts) : SIZE_MAX;
  for (size_t i = 0; n != SIZE_MAX && i < n; i++) {
    if (i) buffer_add(&joined, "\\n", 2);
    tags_add_label(&joined, texts[i]);
  }
  uint32_t id = MAP_NONE;
  if (n != SIZE_MAX && !joined.failed)
    id = interner_copy(&t->texts, &t->graph->arena, n ? buffer_str(&joined) : STR(""));
  buffer_free(&joined);
  arena_free(&arena);
  return id;
}

static uint32_t tag_id(struct tagger *t, struct graph_tags_tag tag) {
  uint64_t hash = hash_mix(hash_mix(tag.labels, tag.name), tag.is_number);
  const struct graph_tags_tag *tags = t->tags;
  MAP_FIND(index, &t->tags_map, hash,
           tags[index].labels == tag.labels && tags[index].name == tag.name &&
               tags[index].is_number == tag.is_number);
  if (index != MAP_NONE) return index;
  bool added = MAP_PUSH(t->mem, &t->tags_map, hash, t->tags, t->tag_count, t->tag_capacity, tag);
  return added ? (uint32_t)(t->tag_count - 1) : TAG_NONE;
}

static bool add_class_tag(struct tagger *t, struct graph_tags_tag tag, int64_t value) {
  uint32_t id = tag_id(t, tag);
  return id != TAG_NONE && ARRAY_PUSH(t->mem, t->class_tags, t->class_tag_count,
                                      t->class_tag_capacity, (struct class_tag){id, value});
}

/* Finds the tags of a class (a set of samples with equal labels), and appends them to
 * class_tags. */
static bool read_class(struct tagger *t, struct label_class *class) {
  const struct label *labels = sample_labels(&t->profile->samples, class->sample);
  size_t count = label_count(&t->profile->samples, class->sample);
  uint32_t joined = join_labels(t, labels, count);
  if (joined == MAP_NONE) return false;
  class->first = (uint32_t)t->class_tag_count;
  if (joined && !add_class_tag(t, (struct graph_tags_tag){joined, joined, false}, 0)) return false;
  for (size_t i = 0; i < count; i++) {
    if (!labels[i].is_number || !str_equal(profile_string(t->profile, labels[i].key), STR("bytes")))
      continue;
    char text[UNIT_LABEL_MAX];
    const struct graph_options *o = &t->graph->options;
    pprofc_str name = unit_label(labels[i].number, o->bytes_unit, o->tag_unit, text);
    uint32_t id = interner_copy(&t->texts, &t->graph->arena, name);
    if (id == MAP_NONE ||
        !add_class_tag(t, (struct graph_tags_tag){joined, id, true}, labels[i].number))
      return false;
  }
  class->count = (uint32_t)t->class_tag_count - class->first;
  return true;
}

static uint32_t class_id(struct tagger *t, size_t sample) {
  const struct samples *s = &t->profile->samples;
  const struct label *labels = sample_labels(s, sample);
  size_t count = label_count(s, sample);
  uint64_t hash = hash_bytes(labels, count * sizeof *labels);
  const struct label_class *classes = t->classes;
  MAP_FIND(index, &t->classes_map, hash,
           label_count(s, classes[index].sample) == count &&
               memcmp(sample_labels(s, classes[index].sample), labels, count * sizeof *labels) ==
                   0);
  if (index != MAP_NONE) return index;
  if (!MAP_PUSH(t->mem, &t->classes_map, hash, t->classes, t->class_count, t->class_capacity,
                (struct label_class){.sample = sample}))
    return TAG_NONE;
  index = (uint32_t)(t->class_count - 1);
  return read_class(t, &t->classes[index]) ? index : TAG_NONE;
}

static bool classify(struct tagger *t) {
  const struct samples *s = &t->profile->samples;
  t->class_of = arena_array(&t->arena, s->count, sizeof *t->class_of);
  if (!t->class_of || interner_add(&t->texts, STR("")) == MAP_NONE) return false;
  for (size_t i = 0; i < s->count; i++) {
    t->class_of[i] = TAG_NONE;
    if (label_count(s, i) && (t->class_of[i] = class_id(t, i)) == TAG_NONE) return false;
  }
  return true;
}

/* ---- samples of each tag ----------------------------- */

static bool list_uses(struct tagger *t) {
  const struct label_class *classes = t->classes;
  const struct class_tag *class_tags = t->class_tags;
  size_t samples = t->profile->samples.count, tags = t->tag_count;
  t->use_from = arena_zero_array(&t->arena, tags + 2, sizeof *t->use_from);
  if (!t->use_from) return false;
  for (size_t i = 0; i < samples; i++) {
    if (t->class_of[i] == TAG_NONE) continue;
    const struct label_class *c = &classes[t->class_of[i]];
    for (uint32_t k = 0; k < c->count; k++) t->use_from[class_tags[c->first + k].tag + 2]++;
    t->use_count += c->count;
  }
  if (t->use_count >= UINT32_MAX) return false;
  for (size_t i = 2; i < tags + 2; i++) t->use_from[i] += t->use_from[i - 1];
  t->uses = arena_array(&t->arena, t->use_count, sizeof *t->uses);
  if (!t->uses) return false;
  for (size_t i = 0; i < samples; i++) {
    if (t->class_of[i] == TAG_NONE) continue;
    const struct label_class *c = &classes[t->class_of[i]];
    for (uint32_t k = c->first; k < c->first + c->count; k++)
      t->uses[t->use_from[class_tags[k].tag + 1]++] = (struct use){(uint32_t)i, k};
  }
  return true;
}

/* ---- sums of one tag --------------------------------- */

static void tags_note_first(struct tag_first *first, struct tag_first other) {
  if (other.order < first->order) *first = other;
}

static void tags_push(struct tagger *t, uint32_t info, uint32_t offset) {
  uint32_t node = info;
  if (t->graph->options.call_tree)
    node = graph_tree_child(t->graph, t->depth ? t->path[t->depth - 1].node : NONE, info);
  struct tags_step *step = &t->path[t->depth++];
  *step = (struct tags_step){.node = node, .offset = offset, .first = {UINT32_MAX, 0}};
  if (!t->kept[node]) return;
  struct tag_sum *sum = &t->sums[node];
  if (!sum->touched) {
    *sum = (struct tag_sum){.first = {UINT32_MAX, 0}, .touched = true};
    t->touched[t->touched_count++] = node;
  }
  step->counts = !sum->on_path;
  sum->on_path = true;
}

static void tags_pop(struct tagger *t) {
  struct tags_step step = t->path[--t->depth];
  if (step.counts) {
    struct tag_sum *sum = &t->sums[step.node];
    tags_note_first(&sum->first, step.first);
    sum->cum = sum_add(sum->cum, step.pending);
    sum->cum_div = sum_add(sum->cum_div, step.pending_div);
    sum->on_path = false;
  }
  if (!t->depth) return;
  struct tags_step *below = &t->path[t->depth - 1];
  tags_note_first(&below->first, step.first);
  below->pending = sum_add(below->pending, step.pending);
  below->pending_div = sum_add(below->pending_div, step.pending_div);
}

static bool tags_reserve(struct tagger *t, size_t more) {
  return ARRAY_RESERVE(t->mem, t->path, t->path_capacity, t->depth + more);
}

static bool tags_push_location(struct tagger *t, struct fresh_frame frame, size_t following) {
  const struct frames *f = &t->graph->frames;
  uint32_t info = f->of_location[frame.location];
  if (!(info & FRAME_LIST)) {
    tags_push(t, info, frame.offset);
    return true;
  }
  const uint32_t *list = frame_list(f, info);
  if (!tags_reserve(t, list[0] + following)) return false;
  for (uint32_t k = list[0]; k; k--) tags_push(t, list[k], frame.offset);
  return true;
}

static void tags_add_leaf(struct tagger *t, struct use use, int64_t value, int64_t divisor) {
  const struct class_tag *class_tags = t->class_tags;
  struct tags_step *leaf = &t->path[t->depth - 1];
  uint32_t order = stack_position(&t->profile->samples, use.sample);
  tags_note_first(&leaf->first, (struct tag_first){order, class_tags[use.class_tag].value});
  leaf->pending = sum_add(leaf->pending, value);
  leaf->pending_div = sum_add(leaf->pending_div, divisor);
  if (!t->kept[leaf->node]) return;
  struct tag_sum *sum = &t->sums[leaf->node];
  sum->flat = sum_add(sum->flat, value);
  sum->flat_div = sum_add(sum->flat_div, divisor);
}

/* Makes t->path the stack of the next sample that has the tag. Keeps the frames that this stack
 * shares with the stack before. Returns false when out of memory. */
static bool tags_follow(struct tagger *t, struct stack_delta *delta, struct use use) {
  delta_next(delta, use.sample);
  while (t->depth && t->path[t->depth - 1].offset > delta->shared) tags_pop(t);
  if (!tags_reserve(t, delta->count)) return false;
  for (size_t k = delta->count; k-- > 0;)
    if (!tags_push_location(t, delta->fresh[k], k)) return false;
  return true;
}

static bool sum_uses(struct tagger *t, struct stack_delta *delta, const struct use *uses,
                     size_t count) {
  const struct graph_options *o = &t->graph->options;
  struct value_column column = profile_values(t->profile, o->value_index);
  struct value_column divisors = profile_values(t->profile, 0);
  delta_restart(delta, count ? uses[0].sample : 0);
  for (size_t i = 0; i < count; i++) {
    int64_t value = column.values[uses[i].sample * column.step];
    int64_t divisor = o->mean ? divisors.values[uses[i].sample * divisors.step] : 0;
    if (value == 0 && divisor == 0) continue;
    if (!tags_follow(t, delta, uses[i])) return false;
    if (t->depth) tags_add_leaf(t, uses[i], value, divisor);
  }
  while (t->depth) tags_pop(t);
  return true;
}

/* Adds `tag` to `found` for each node in the stacks of the tag's samples. Skips a node if the tag's
 * flat and cum for the node are both below the cutoff. */
static bool tags_note_found(struct tagger *t, const struct graph_tags_tag *tag) {
  int64_t cutoff = t->graph->node_cutoff;
  for (size_t i = 0; i < t->touched_count; i++) {
    struct tag_sum *sum = &t->sums[t->touched[i]];
    sum->touched = false;
    if (number_abs(sum->flat) < cutoff && number_abs(sum->cum) < cutoff) continue;
    const struct graph_tag found = {
        .labels = tag->labels,
        .is_number = tag->is_number,
        .name = t->texts.items[tag->name],
        .value = sum->first.value,
        .flat = sum->flat,
        .flat_div = sum->flat_div,
        .cum = sum->cum,
        .cum_div = sum->cum_div,
    };
    if (!ARRAY_PUSH(t->mem, t->found, t->found_count, t->found_capacity,
                    (struct found_tag){t->touched[i], found}))
      return false;
  }
  t->touched_count = 0;
  return true;
}

static bool sum_tags(struct tagger *t) {
  const struct samples *samples = &t->profile->samples;
  size_t nodes = t->graph->node_count;
  t->sums = arena_zero_array(&t->arena, nodes, sizeof *t->sums);
  t->touched = arena_array(&t->arena, nodes, sizeof *t->touched);
  t->path_capacity = samples->max_depth + 1;
  t->path = mem_array(t->mem, t->path_capacity, sizeof *t->path);
  struct stack_delta delta;
  if (!t->sums || !t->touched || !t->path || !delta_init(&delta, t->mem, samples, 0)) return false;
  bool done = true;
  for (size_t i = 0; done && i < t->tag_count; i++) {
    uint32_t from = t->use_from[i], to = t->use_from[i + 1];
    done = sum_uses(t, &delta, t->uses + from, to - from) && tags_note_found(t, &t->tags[i]);
  }
  delta_free(&delta, t->mem);
  return done;
}

/* Stores the tags in the graph, grouped by node. */
static bool hand_over(struct tagger *t) {
  struct graph *g = t->graph;
  const struct found_tag *found = t->found;
  g->tags = arena_array(&g->arena, t->found_count, sizeof *g->tags);
  g->tag_from = arena_zero_array(&g->arena, g->node_count + 2, sizeof *g->tag_from);
  if (!g->tags || !g->tag_from) return false;
  for (size_t i = 0; i < t->found_count; i++) g->tag_from[found[i].node + 2]++;
  for (size_t i = 2; i < g->node_count + 2; i++) g->tag_from[i] += g->tag_from[i - 1];
  for (size_t i = 0; i < t->found_count; i++)
    g->tags[g->tag_from[found[i].node + 1]++] = found[i].tag;
  return true;
}

pprofc_status graph_find_tags(struct graph *g, const uint8_t *kept, pprofc_error *error) {
  if (!g->profile->samples.label_set) return PPROFC_OK;
  struct tagger t = {.graph = g, .mem = g->mem, .profile = g->profile, .kept = kept};
  arena_init(&t.arena, g->mem);
  interner_init(&t.texts, g->mem);
  map_init(&t.classes_map, g->mem);
  map_init(&t.tags_map, g->mem);
  bool done = classify(&t) && list_uses(&t) && sum_tags(&t) && hand_over(&t);

  mem_free(g->mem, t.path, t.path_capacity, sizeof *t.path);
  ARRAY_FREE(g->mem, t.found, t.found_capacity);
  ARRAY_FREE(g->mem, t.tags, t.tag_capacity);
  ARRAY_FREE(g->mem, t.class_tags, t.class_tag_capacity);
  ARRAY_FREE(g->mem, t.classes, t.class_capacity);
  map_free(&t.tags_map);
  map_free(&t.classes_map);
  interner_free(&t.texts);
  arena_free(&t.arena);
  return done ? PPROFC_OK : error_nomem(error);
}
