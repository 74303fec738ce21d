/* Finds the tags of each node: the labels of its samples (docs/spec/pprof.md, 18). Only pictures
 * show tags.
 *
 * The texts of labels are made once for each label set. Then several threads read the samples
 * once for each tag, with one sum per node. So there is no need for a table of all nodes and
 * tags. */
#include "core/parallel.h"
#include "graph/path.h"
#include "unit/unit.h"

#define TAG_NONE UINT32_MAX

/* A tag of a label set. `value` is the number if `tag` is a number tag. */
struct set_tag {
  uint32_t tag;
  int64_t value;
};

/* The tags of a label set: the index of the first tag in `set_tags`, and the number of tags. The
 * number is TAG_NONE until a sample uses the set. */
struct set_range {
  uint32_t first, count;
};

struct graph_tags_tag {
  uint32_t labels; /* text id of the joined string labels; 0: no labels */
  uint32_t name;   /* text id of the tag's name */
  bool is_number;
};

/* A sample that has a tag, and the index of this tag in set_tags. */
struct use {
  uint32_t sample, set_tag;
};

struct tag_sum {
  struct path_sum flat, cum;
  struct tag_first first;
  bool touched, on_path;
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
  struct map tags_map;
  struct set_tag *set_tags;
  struct graph_tags_tag *tags;
  size_t set_tag_count, tag_count;
  size_t set_tag_capacity, tag_capacity;
  struct arena arena;     /* arena for the arrays below */
  struct set_range *sets; /* for each label set, its tags */
  /* For each tag, the index of its first element in `uses`. An extra last element is the number of
   * uses. */
  uint32_t *use_from;
  struct use *uses;
  size_t use_count;
  struct tags_worker *items;
  unsigned workers;
};

/* A thread that reads the samples of some tags. */
struct tags_worker {
  const struct tagger *tagger;
  struct tag_sum *sums; /* for each node, the sums for the current tag */
  uint32_t *touched;
  size_t touched_count;
  struct graph_path path;
  struct found_tag *found;
  size_t found_count, found_capacity;
  bool failed;
};

/* ---- tags of label sets ------------------------------ */

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
  if (n) qsort(texts, n, sizeof *texts, str_order);
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

static bool add_set_tag(struct tagger *t, struct graph_tags_tag tag, int64_t value) {
  uint32_t id = tag_id(t, tag);
  return id != TAG_NONE && ARRAY_PUSH(t->mem, t->set_tags, t->set_tag_count, t->set_tag_capacity,
                                      (struct set_tag){id, value});
}

/* Finds the tags of a sample's label set, and appends them to set_tags. */
static bool read_set(struct tagger *t, size_t sample, struct set_range *set) {
  const struct label *labels = sample_labels(&t->profile->samples, sample);
  size_t count = label_count(&t->profile->samples, sample);
  uint32_t joined = join_labels(t, labels, count);
  if (joined == MAP_NONE) return false;
  set->first = (uint32_t)t->set_tag_count;
  if (joined && !add_set_tag(t, (struct graph_tags_tag){joined, joined, false}, 0)) return false;
  for (size_t i = 0; i < count; i++) {
    if (!labels[i].is_number || !str_equal(profile_string(t->profile, labels[i].key), STR("bytes")))
      continue;
    char text[UNIT_LABEL_MAX];
    const struct graph_options *o = &t->graph->options;
    pprofc_str name = unit_label(labels[i].number, o->bytes_unit, o->tag_unit, text);
    uint32_t id = interner_copy(&t->texts, &t->graph->arena, name);
    if (id == MAP_NONE ||
        !add_set_tag(t, (struct graph_tags_tag){joined, id, true}, labels[i].number))
      return false;
  }
  set->count = (uint32_t)t->set_tag_count - set->first;
  return true;
}

static bool read_sets(struct tagger *t) {
  const struct samples *s = &t->profile->samples;
  t->sets = arena_array(&t->arena, s->label_set_count, sizeof *t->sets);
  if (!t->sets || interner_add(&t->texts, STR("")) == MAP_NONE) return false;
  memset(t->sets, 0xFF, s->label_set_count * sizeof *t->sets); /* every count is TAG_NONE */
  for (size_t i = 0; i < s->count; i++) {
    struct set_range *set = &t->sets[s->label_set[i]];
    if (set->count == TAG_NONE && !read_set(t, i, set)) return false;
  }
  return true;
}

/* ---- samples of each tag ----------------------------- */

static bool list_uses(struct tagger *t) {
  const struct set_tag *set_tags = t->set_tags;
  const uint32_t *label_set = t->profile->samples.label_set;
  size_t samples = t->profile->samples.count, tags = t->tag_count;
  t->use_from = arena_zero_array(&t->arena, tags + 2, sizeof *t->use_from);
  if (!t->use_from) return false;
  for (size_t i = 0; i < samples; i++) {
    const struct set_range *c = &t->sets[label_set[i]];
    for (uint32_t k = 0; k < c->count; k++) t->use_from[set_tags[c->first + k].tag + 2]++;
    t->use_count += c->count;
  }
  if (t->use_count >= UINT32_MAX) return false;
  for (size_t i = 2; i < tags + 2; i++) t->use_from[i] += t->use_from[i - 1];
  t->uses = arena_array(&t->arena, t->use_count, sizeof *t->uses);
  if (!t->uses) return false;
  for (size_t i = 0; i < samples; i++) {
    const struct set_range *c = &t->sets[label_set[i]];
    for (uint32_t k = c->first; k < c->first + c->count; k++)
      t->uses[t->use_from[set_tags[k].tag + 1]++] = (struct use){(uint32_t)i, k};
  }
  return true;
}

/* ---- sums of one tag --------------------------------- */

static void tags_note_first(struct tag_first *first, struct tag_first other) {
  if (other.order < first->order) *first = other;
}

static bool tags_push(void *context, uint32_t node, uint32_t offset, bool is_inline) {
  struct tags_worker *w = context;
  const struct tagger *t = w->tagger;
  const struct path_step *caller = path_leaf(&w->path);
  (void)is_inline;
  if (t->graph->options.call_tree)
    node = graph_tree_child(t->graph, caller ? caller->node : NONE, node);
  struct path_step *step = &w->path.steps[w->path.depth++];
  *step = (struct path_step){.node = node, .offset = offset, .first = {UINT32_MAX, 0}};
  if (!t->kept[node]) return true;
  struct tag_sum *sum = &w->sums[node];
  if (!sum->touched) {
    *sum = (struct tag_sum){.first = {UINT32_MAX, 0}, .touched = true};
    w->touched[w->touched_count++] = node;
  }
  step->counts = !sum->on_path;
  sum->on_path = true;
  return true;
}

static void tags_pop(void *context, const struct path_step *step) {
  struct tags_worker *w = context;
  if (w->path.depth) tags_note_first(&path_leaf(&w->path)->first, step->first);
  if (!step->counts) return;
  struct tag_sum *sum = &w->sums[step->node];
  tags_note_first(&sum->first, step->first);
  path_sum_add(&sum->cum, step->pending);
  sum->on_path = false;
}

static bool sum_uses(struct tags_worker *w, const struct use *uses, size_t count) {
  const struct tagger *t = w->tagger;
  delta_restart(&w->path.delta, count ? uses[0].sample : 0);
  for (size_t i = 0; i < count; i++) {
    struct path_sum added;
    if (!path_add(&w->path, uses[i].sample, &added)) return false;
    struct path_step *leaf = path_leaf(&w->path);
    if (!leaf || (!added.value && !added.divisor)) continue;
    uint32_t order = stack_position(&t->profile->samples, uses[i].sample);
    tags_note_first(&leaf->first, (struct tag_first){order, t->set_tags[uses[i].set_tag].value});
    if (t->kept[leaf->node]) path_sum_add(&w->sums[leaf->node].flat, added);
  }
  path_end(&w->path);
  return true;
}

/* Adds `tag` to `found` for each node in the stacks of the tag's samples. Skips a node if the tag's
 * flat and cum for the node are both below the cutoff. */
static bool tags_note_found(struct tags_worker *w, const struct graph_tags_tag *tag) {
  const struct tagger *t = w->tagger;
  int64_t cutoff = t->graph->node_cutoff;
  for (size_t i = 0; i < w->touched_count; i++) {
    struct tag_sum *sum = &w->sums[w->touched[i]];
    sum->touched = false;
    if (number_abs(sum->flat.value) < cutoff && number_abs(sum->cum.value) < cutoff) continue;
    const struct graph_tag found = {
        .labels = tag->labels,
        .is_number = tag->is_number,
        .name = t->texts.items[tag->name],
        .value = sum->first.value,
        .flat = sum->flat.value,
        .flat_div = sum->flat.divisor,
        .cum = sum->cum.value,
        .cum_div = sum->cum.divisor,
    };
    if (!ARRAY_PUSH(t->mem, w->found, w->found_count, w->found_capacity,
                    (struct found_tag){w->touched[i], found}))
      return false;
  }
  w->touched_count = 0;
  return true;
}

/* Minimum number of uses of tags per thread. */
#define TAGS_GRAIN THRESHOLD(8192)

/* Reads the samples of the tags whose uses begin in this worker's part of all uses. */
static void tags_run(void *context, unsigned index) {
  const struct tagger *t = context;
  struct tags_worker *w = &t->items[index];
  size_t nodes = t->graph->node_count;
  size_t from = parallel_from(t->use_count, index, t->workers);
  size_t to = parallel_from(t->use_count, index + 1, t->workers);
  w->tagger = t;
  w->sums = mem_zero_array(t->mem, nodes, sizeof *w->sums);
  w->touched = mem_array(t->mem, nodes, sizeof *w->touched);
  bool done = path_init(&w->path, t->graph, 0) && w->sums && w->touched;
  w->path.context = w;
  w->path.push = tags_push;
  w->path.pop = tags_pop;
  for (size_t i = 0; done && i < t->tag_count; i++) {
    uint32_t first = t->use_from[i], end = t->use_from[i + 1];
    if (first < from || first >= to) continue;
    done = sum_uses(w, t->uses + first, end - first) && tags_note_found(w, &t->tags[i]);
  }
  w->failed = !done;
}

static bool sum_tags(struct tagger *t) {
  size_t nodes = t->graph->node_count, grain = nodes / 8 > TAGS_GRAIN ? nodes / 8 : TAGS_GRAIN;
  bool done = true;
  t->workers = parallel_workers(t->graph->options.threads, t->use_count, grain);
  parallel_run(t->workers, tags_run, t);
  for (unsigned k = 0; k < t->workers; k++) done = done && !t->items[k].failed;
  return done;
}

/* Stores the tags in the graph, grouped by node. */
static bool hand_over(struct tagger *t) {
  struct graph *g = t->graph;
  size_t count = 0;
  g->tag_from = arena_zero_array(&g->arena, g->node_count + 2, sizeof *g->tag_from);
  for (unsigned k = 0; k < t->workers; k++) count += t->items[k].found_count;
  g->tags = arena_array(&g->arena, count, sizeof *g->tags);
  if (!g->tags || !g->tag_from) return false;
  for (unsigned k = 0; k < t->workers; k++)
    for (size_t i = 0; i < t->items[k].found_count; i++)
      g->tag_from[t->items[k].found[i].node + 2]++;
  for (size_t i = 2; i < g->node_count + 2; i++) g->tag_from[i] += g->tag_from[i - 1];
  for (unsigned k = 0; k < t->workers; k++)
    for (size_t i = 0; i < t->items[k].found_count; i++)
      g->tags[g->tag_from[t->items[k].found[i].node + 1]++] = t->items[k].found[i].tag;
  return true;
}

static void tags_free_worker(const struct tagger *t, struct tags_worker *w) {
  mem_free(t->mem, w->sums, t->graph->node_count, sizeof *w->sums);
  mem_free(t->mem, w->touched, t->graph->node_count, sizeof *w->touched);
  path_free(&w->path);
  ARRAY_FREE(t->mem, w->found, w->found_capacity);
}

pprofc_status graph_find_tags(struct graph *g, const uint8_t *kept, pprofc_error *error) {
  if (!g->profile->samples.label_set) return PPROFC_OK;
  struct tags_worker items[16] = {0};
  struct tagger t = {
      .graph = g, .mem = g->mem, .profile = g->profile, .kept = kept, .items = items};
  arena_init(&t.arena, g->mem);
  interner_init(&t.texts, g->mem);
  map_init(&t.tags_map, g->mem);
  bool done = read_sets(&t) && list_uses(&t) && sum_tags(&t) && hand_over(&t);
  for (unsigned k = 0; k < t.workers; k++) tags_free_worker(&t, &items[k]);
  ARRAY_FREE(g->mem, t.tags, t.tag_capacity);
  ARRAY_FREE(g->mem, t.set_tags, t.set_tag_capacity);
  map_free(&t.tags_map);
  interner_free(&t.texts);
  arena_free(&t.arena);
  return done ? PPROFC_OK : error_nomem(error);
}
