/* Writes the tree, its frames and its labels as bytes for the viewer. */
#include "flame/pack.h"
#include "flame/label.h"

/* ---- nodes ------------------------------------------- */

void pack_varint(struct buffer *out, uint64_t value) {
  char bytes[10];
  size_t n = 0;
  do {
    bytes[n++] = (char)(value | 0x80);
    value >>= 7;
  } while (value);
  bytes[n - 1] &= 0x7F;
  buffer_add(out, bytes, n);
}

void pack_signed(struct buffer *out, int64_t value) {
  pack_varint(out, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

/* Writes the nodes in preorder. A node has three entries. The first is the number of levels from
 * the previous node up to the parent of this node. The second is 1 + the index of its frame (0: the
 * root). The third is a list: its self value in each column. */
static void pack_whole(const struct flame_tree *t, struct buffer *out) {
  for (size_t i = 0; i < t->count; i++) {
    pack_varint(out, i ? t->depth[i - 1] + 1 - t->depth[i] : 0);
    pack_varint(out, t->frame[i] == NONE ? 0 : (uint64_t)t->frame[i] + 1);
    for (size_t c = 0; c < t->columns; c++) pack_signed(out, t->self[i * t->columns + c]);
  }
}

static uint64_t pack_width(double width) {
  return width < 9007199254740992.0 ? (uint64_t)llround(width) : UINT64_C(1) << 53;
}

/* Writes the remainder of a node, which sums up the nodes that were cut below it. The remainder is
 * the first child of the node. Its numbers are:
 *  - 0, as in each first child
 *  - the number of frames + 1; this number is too large for a frame, and so it marks a remainder
 *  - the number of cut nodes
 *  - the widths of the cut nodes
 *  - the sums of the self values of the cut nodes */
static void pack_remainder(const struct flame_tree *t, const struct flame_cut *cut, size_t i,
                           struct buffer *out) {
  size_t wide = flame_cut_widths(t);
  pack_varint(out, 0);
  pack_varint(out, cut->frames + 1);
  pack_varint(out, cut->cut[i]);
  for (size_t k = 0; k < wide; k++) pack_varint(out, pack_width(cut->widths[i * wide + k]));
  for (size_t c = 0; c < t->columns; c++) pack_signed(out, cut->total[i * t->columns + c]);
}

/* Writes the kept nodes in the form of pack_whole. After its frame, each node has one more entry:
 * the difference between its index and the index of the previous node. */
static void pack_kept(const struct flame_tree *t, const struct flame_cut *cut, struct buffer *out) {
  uint32_t last = 0, depth = t->depth[cut->root]; /* index and depth of the last written node */
  for (size_t i = 0; i < cut->count; i++) {
    uint32_t node = cut->kept[i];
    pack_varint(out, i ? depth + 1 - t->depth[node] : 0);
    pack_varint(out, t->frame[node] == NONE ? 0 : (uint64_t)cut->sent[t->frame[node]] + 1);
    pack_varint(out, node - last);
    for (size_t c = 0; c < t->columns; c++) pack_signed(out, t->self[node * t->columns + c]);
    last = node;
    depth = t->depth[node];
    if (!cut->cut[i]) continue;
    pack_remainder(t, cut, i, out);
    depth++;
  }
}

void flame_pack_nodes(const struct flame_page *page, const struct flame_cut *cut,
                      struct buffer *out) {
  if (cut->whole)
    pack_whole(page->tree, out);
  else
    pack_kept(page->tree, cut, out);
}

/* ---- frames ------------------------------------------ */

/* Returns the object file of a frame. Removes the beginning of a long name. */
static pprofc_str mapping_file(const struct stack_frames *frames, const struct stack_frame *frame) {
  const pprofc_profile *p = frames->profile;
  if (frame->mapping == NONE) return STR("");
  pprofc_str file = profile_string(p, p->mappings.items[frame->mapping].file);
  return str_slice(file, file.size > LABEL_MOST ? file.size - LABEL_MOST : 0, file.size);
}

enum origin flame_frame_origin(const struct flame_tree *tree, uint32_t node,
                               const struct origin_rules *rules) {
  const struct stack_frame *frame = &tree->frames->items[tree->frame[node]];
  return origin_of(rules, frame->name, frame->file, mapping_file(tree->frames, frame));
}

/* Columns of the JSON about frames: an array for each property. The arrays of files and packages
 * contain indices into separate tables. */
struct frame_columns {
  struct arena arena;
  struct interner files, packages;
  size_t count;
  uint32_t *file, *package;
  uint8_t *origin; /* for each frame, the origin of its code (enum origin) */
};

static size_t pack_frame_at(const struct flame_cut *cut, size_t i) {
  return cut->whole ? i : cut->frame[i];
}

/* Value in frame_matches for a file or mapping whose origin rule was not looked up yet. */
#define UNASKED (SIZE_MAX - 1)

struct frame_matches {
  size_t *of_file; /* for each file, index of the first origin rule that matches it, or UNASKED */
  size_t *of_mapping; /* for each mapping, index of its first matching rule, or UNASKED */
};

static size_t *make_matches(struct arena *arena, size_t count) {
  size_t *matches = arena_array(arena, count, sizeof *matches);
  for (size_t i = 0; matches && i < count; i++) matches[i] = UNASKED;
  return matches;
}

static size_t matches_find(size_t *known, const struct origin_rules *rules, enum origin_field field,
                           pprofc_str text) {
  if (*known == UNASKED) *known = origin_match(rules, field, text);
  return *known;
}

static enum origin frame_origin(const struct flame_page *page, const struct stack_frame *f,
                                uint32_t file, struct frame_matches *known) {
  const struct origin_rules *rules = page->origins;
  pprofc_str mapping = mapping_file(page->tree->frames, f);
  size_t matches[3] = {origin_match(rules, ORIGIN_NAME, f->name), SIZE_MAX, SIZE_MAX};
  if (f->file.size)
    matches[ORIGIN_FILE] = matches_find(&known->of_file[file], rules, ORIGIN_FILE, f->file);
  if (mapping.size)
    matches[ORIGIN_MAPPING] =
        matches_find(&known->of_mapping[f->mapping], rules, ORIGIN_MAPPING, mapping);
  return origin_of_matches(rules, matches, f->name, f->file, mapping);
}

static bool make_columns(const struct flame_page *page, const struct flame_cut *cut,
                         struct frame_columns *c) {
  const struct stack_frames *frames = page->tree->frames;
  struct frame_matches known = {make_matches(&c->arena, cut->frames),
                                make_matches(&c->arena, frames->profile->mappings.count)};
  c->file = arena_array(&c->arena, cut->frames, sizeof *c->file);
  c->package = arena_array(&c->arena, cut->frames, sizeof *c->package);
  c->origin = arena_array(&c->arena, cut->frames, sizeof *c->origin);
  if (!c->file || !c->package || !c->origin || !known.of_file || !known.of_mapping) return false;
  for (size_t i = 0; i < cut->frames; i++) {
    const struct stack_frame *f = &frames->items[pack_frame_at(cut, i)];
    if (budget_poll(c->arena.mem, i)) return false;
    c->file[i] = interner_add(&c->files, f->file.size ? f->file : mapping_file(frames, f));
    c->package[i] = interner_add(&c->packages, origin_package(f->name));
    if (c->file[i] == MAP_NONE || c->package[i] == MAP_NONE) return false;
    c->origin[i] = (uint8_t)frame_origin(page, f, c->file[i], &known);
  }
  return true;
}

void flame_put_shown(struct json_writer *json, pprofc_str text) {
  if (escape_terminal_clean(text)) {
    json_string(json, text);
    return;
  }
  struct buffer clean = buffer_make(json->scratch.mem, SIZE_MAX / 2);
  escape_line(&clean, text);
  json_string(json, buffer_str(&clean));
  json->scratch.failed |= clean.failed;
  buffer_free(&clean);
}

static void pack_put_strings(struct json_writer *json, const char *key, const pprofc_str *items,
                             size_t count) {
  json_begin_array(json_key(json, key));
  for (size_t i = 0; i < count; i++) flame_put_shown(json, items[i]);
  json_end(json);
}

static void pack_put_frames(const struct flame_page *page, const struct flame_cut *cut,
                            const struct frame_columns *c, struct json_writer *json) {
  static const char *const keys[] = {"file_of", "package_of", "line", "origin", "inlined"};
  const struct stack_frames *frames = page->tree->frames;
  json_begin_array(json_key(json, "name"));
  for (size_t i = 0; i < cut->frames; i++)
    flame_put_shown(json, frames->items[pack_frame_at(cut, i)].name);
  json_end(json);
  pack_put_strings(json, "file", c->files.items, c->files.count);
  pack_put_strings(json, "package", c->packages.items, c->packages.count);
  for (size_t k = 0; k < COUNT(keys); k++) {
    json_begin_array(json_key(json, keys[k]));
    for (size_t i = 0; i < cut->frames; i++) {
      const struct stack_frame *f = &frames->items[pack_frame_at(cut, i)];
      const int64_t line = f->is_line_seen ? -f->line : f->line;
      const int64_t values[] = {c->file[i], c->package[i], line, c->origin[i], f->inlined};
      json_int(json, values[k]);
    }
    json_end(json);
  }
}

/* Writes the exact sums of the functions that the viewer gets, as an array for each column of the
 * tree. An array has a number for each frame. The first frame of a function has the sum of the
 * function, and its other frames have 0. */
static void pack_put_sums(const struct flame_page *page, const struct flame_cut *cut,
                          const struct flame_sums *sums, struct json_writer *json) {
  const size_t columns = page->tree->columns;
  const int64_t *const values[] = {sums->self, sums->total};
  static const char *const keys[] = {"self", "total"};
  for (size_t k = 0; k < 2; k++) {
    json_begin_array(json_key(json, keys[k]));
    for (size_t c = 0; c < columns; c++) {
      uint32_t last = NONE;
      json_begin_array(json);
      for (size_t i = 0; i < cut->frames; i++) {
        uint32_t function = sums->function[cut->frame[i]];
        json_int(json, function == last ? 0 : values[k][function * columns + c]);
        last = function;
      }
      json_end(json);
    }
    json_end(json);
  }
}

/* Writes a number with six digits. They suffice for display, and take a third of the bytes of the
 * exact number. */
static void pack_put_rounded(struct json_writer *json, double value) {
  char text[32];
  double rounded = value;
  snprintf(text, sizeof text, "%.6g", value);
  if (isfinite(value)) str_parse_float(str_of(text), &rounded);
  json_double(json, rounded);
}

/* Writes an estimate. Multiplies its numbers by `ratio` to convert them from the unit of the tree
 * to the shown unit. The viewer does not do this for estimates, only for the values of the tree. */
static void pack_put_estimate(struct json_writer *json, const struct flame_estimate *e,
                              double ratio) {
  json_pack(json, "[s i", e->word, (int64_t)e->certainty);
  pack_put_rounded(json, e->base * ratio);
  pack_put_rounded(json, e->delta * ratio);
  pack_put_rounded(json, e->low * ratio);
  pack_put_rounded(json, e->high * ratio);
  pack_put_rounded(json, e->q);
  json_end(json);
}

/* Writes [frame, self, total, partner] for each function with a verdict. `frame` is the index of
 * its first frame. `self` and `total` are estimates. `partner` is the name of the function to or
 * from which self value moved. */
static void pack_put_verdicts(const struct flame_page *page, const struct flame_cut *cut,
                              struct json_writer *json) {
  const struct flame_verdicts *v = page->verdicts;
  const struct flame_verdict *last = NULL;
  json_begin_array(json_key(json, "verdicts"));
  for (size_t i = 0; i < cut->frames; i++) {
    const struct flame_verdict *verdict = v->of[pack_frame_at(cut, i)];
    if (!verdict || verdict == last) continue;
    last = verdict;
    json_pack(json, "[u", (uint64_t)i);
    pack_put_estimate(json, &verdict->self, v->ratio);
    pack_put_estimate(json, &verdict->total, v->ratio);
    flame_put_shown(json, verdict->partner);
    json_end(json);
  }
  json_end(json);
}

static bool pack_json(const struct flame_page *page, const struct flame_cut *cut,
                      const struct frame_columns *columns, struct buffer *bytes) {
  const pprofc_allocator *mem = page->tree->arena.mem;
  struct output *text = mem_array(mem, 1, sizeof *text);
  struct flame_sums sums = {0};
  bool good = text != NULL;
  if (good && !cut->whole && !cut->root) good = flame_sums_make(page->tree, &sums);
  if (good) {
    struct json_writer json;
    output_init(text, buffer_write, bytes);
    json_init(&json, text, mem);
    json_begin_object(&json);
    pack_put_frames(page, cut, columns, &json);
    if (sums.self) pack_put_sums(page, cut, &sums, &json);
    if (page->verdicts) pack_put_verdicts(page, cut, &json);
    json_end(&json);
    good = json_finish(&json) && output_flush(text, NULL) == PPROFC_OK;
  }
  arena_free(&sums.arena);
  mem_free(mem, text, 1, sizeof *text);
  return good;
}

pprofc_status flame_pack_frames(const struct flame_page *page, const struct flame_cut *cut,
                                struct buffer *out, pprofc_error *error) {
  const pprofc_allocator *mem = page->tree->arena.mem;
  struct frame_columns columns = {0};
  arena_init(&columns.arena, mem);
  interner_init(&columns.files, mem);
  interner_init(&columns.packages, mem);
  bool good = make_columns(page, cut, &columns) && pack_json(page, cut, &columns, out);
  interner_free(&columns.files);
  interner_free(&columns.packages);
  arena_free(&columns.arena);
  return good ? PPROFC_OK : error_nomem(error);
}

/* ---- labels ------------------------------------------ */

/* Writes for each label group its nodes in ascending order, and the values of the group's samples
 * at each node. A node is written as the difference from the previous node. */
void flame_pack_groups(const struct flame_page *page, const struct flame_cut *cut,
                       struct buffer *out) {
  for (size_t g = 0; cut->whole && g < page->group_count; g++) {
    const struct flame_group *group = &page->groups[g];
    uint32_t before = 0;
    pack_varint(out, group->count);
    for (size_t i = 0; i < group->count; i++) {
      pack_varint(out, group->node[i] - before);
      before = group->node[i];
      for (size_t c = 0; c < page->tree->columns; c++)
        pack_signed(out, group->self[i * page->tree->columns + c]);
    }
  }
}

/* ---- metadata ---------------------------------------- */

void flame_put_types(const struct flame_page *page, struct json_writer *json) {
  const pprofc_profile *profile = page->tree->frames->profile;
  json_begin_array(json_key(json, "types"));
  for (size_t i = 0; i < page->tree->types; i++) {
    json_pack(json, "{type:S unit:S}", profile_type(profile, i), profile_unit(profile, i));
  }
  json_end(json);
}

static void put_bottleneck(const struct flame_page *page, struct json_writer *json) {
  json_begin_object(json_key(json, "bottleneck"));
  for (size_t k = 0; k < page->cost_count; k++) {
    if (k && strcmp(page->costs[k].kind, page->costs[k - 1].kind) == 0) continue;
    json_begin_array(json_key(json, page->costs[k].kind));
    for (size_t i = k;
         i < page->cost_count && strcmp(page->costs[i].kind, page->costs[k].kind) == 0; i++) {
      json_pack(json, "[u f]", (uint64_t)page->costs[i].type, page->costs[i].weight);
    }
    json_end(json);
  }
  json_pack(json, "] weights:{");
  const pprofc_profile *profile = page->tree->frames->profile;
  for (size_t k = 0; k < page->cost_count; k++) {
    char name[128];
    pprofc_str type = profile_string(profile, profile->types[page->costs[k].type].type);
    snprintf(name, sizeof name, "%.*s", (int)(type.size < 100 ? type.size : 100), type.data);
    json_double(json_key(json, name), page->costs[k].weight);
  }
  json_end(json);
}

/* Returns the number of nodes that the viewer gets, including nodes that replace cut nodes. */
static size_t flame_pack_count(const struct flame_cut *cut) {
  size_t count = cut->count;
  for (size_t i = 0; !cut->whole && i < cut->count; i++) count += cut->cut[i] > 0;
  return count;
}

/* Writes the certainty and the change of the root's value. The viewer colors the root by them. */
static void pack_put_named_estimate(struct json_writer *json, const struct flame_estimate *e,
                                    double ratio) {
  json_pack(json, "{level:i delta:", (int64_t)e->certainty);
  pack_put_rounded(json, e->delta * ratio);
  json_end(json);
}

static void pack_put_judged(const struct flame_verdicts *v, struct json_writer *json) {
  json_pack(json, "verdicts:{type:u ratio:f scale:f unit:S runs:[u u] sentence:S total:",
            (uint64_t)v->type, v->ratio, v->head_scale, v->unit, (uint64_t)v->runs[0],
            (uint64_t)v->runs[1], v->sentence);
  pack_put_named_estimate(json, &v->total, v->ratio);
  json_pack(json, "judged:u changed:u", (uint64_t)v->judged, (uint64_t)v->changed);
  pack_put_strings(json, "notes", v->notes, v->note_count);
  json_end(json);
}

void flame_put_meta(const struct flame_page *page, const struct flame_cut *cut,
                    struct json_writer *json) {
  json_begin_object(json);
  flame_put_types(page, json);
  json_bool(json_key(json, "has_base"), page->tree->has_base);
  if (page->ratio > 0 && page->ratio != 1) json_double(json_key(json, "ratio"), page->ratio);
  if (page->totals) {
    json_begin_array(json_key(json, "totals"));
    for (size_t i = 0; i < 2 * page->tree->types; i++) json_int(json, page->totals[i]);
    json_end(json);
  }
  json_pack(json, "default_type:u nodes:u all_nodes:u cut:b frames:u title:", (uint64_t)page->type,
            (uint64_t)flame_pack_count(cut), (uint64_t)page->tree->count, !cut->whole,
            (uint64_t)cut->frames);
  flame_put_shown(json, page->title);
  json_begin_array(json_key(json, "groups"));
  for (size_t i = 0; cut->whole && i < page->group_count; i++)
    flame_put_shown(json, page->groups[i].name);
  json_end(json);
  pack_put_strings(json, "left_out", page->left_out, page->left_out_count);
  json_text(json_key(json, "link"), page->link ? page->link : "");
  if (page->node_of) flame_put_tracks(page, json);
  if (page->cost_count) put_bottleneck(page, json);
  if (page->verdicts) pack_put_judged(page->verdicts, json);
  json_end(json);
}
