/* The flame graph page: one HTML file that needs nothing else. Frames and nodes are packed as
 * varints, deflated and written as base64; the browser inflates them. Below the interactive graph
 * the page has a static one, for viewers that run no scripts and for print. */
#include "flame/flame.h"

#include "codec/zlib_memory.h"
#include "core/base64.h"
#include "core/escape.h"
#include "core/json_write.h"
#include "core/log_guard.h"
#include "core/map.h"

#include <stdio.h>
#include <stdlib.h>

#define STATIC_BOXES 0.002 /* the static picture joins boxes below this part of its width */
#define TOP_CHANGES  20u

extern const unsigned char asset_viewer_js[], asset_page_css[], asset_page_html[];
extern const size_t asset_viewer_js_size, asset_page_css_size, asset_page_html_size;
extern const char asset_viewer_js_sha256[];

struct page {
  const struct flame_page *options;
  const struct flame_tree *tree;
  struct output *out;
  pprofc_error *error;
  const pprofc_allocator *mem;
};

/* ---- deflate ----------------------------------------- */

/* Writes <script type=... id=...> with the deflated bytes in it. */
static pprofc_status put_packed(struct page *p, const char *id, const struct buffer *bytes) {
  z_stream z = {0};
  zlib_use_memory(&z, p->mem);
  if (bytes->failed || deflateInit(&z, 6) != Z_OK) return error_nomem(p->error);
  size_t room = deflateBound(&z, bytes->size);
  uint8_t *packed = mem_array(p->mem, room, 1);
  size_t fed = 0, made = 0;
  int code = Z_OK;
  while (packed && code == Z_OK) { /* zlib counts in 32 bits */
    size_t in = bytes->size - fed < (1u << 30) ? bytes->size - fed : 1u << 30;
    size_t space = room - made < (1u << 30) ? room - made : 1u << 30;
    z.next_in = (Bytef *)bytes->data + fed;
    z.avail_in = (uInt)in;
    z.next_out = packed + made;
    z.avail_out = (uInt)space;
    code = deflate(&z, fed + in == bytes->size ? Z_FINISH : Z_NO_FLUSH);
    fed += in - z.avail_in;
    made += space - z.avail_out;
  }
  deflateEnd(&z);
  if (code == Z_STREAM_END) {
    output_printf(p->out, "<script type=\"application/octet-stream\" id=\"%s\">", id);
    base64_put(p->out, packed, made);
    output_add_text(p->out, "</script>\n");
  }
  mem_free(p->mem, packed, room, 1);
  return code == Z_STREAM_END ? PPROFC_OK : error_nomem(p->error);
}

/* ---- packing ----------------------------------------- */

static void add_varint(struct buffer *out, uint64_t value) {
  char bytes[10];
  size_t n = 0;
  do {
    bytes[n++] = (char)(value | 0x80);
    value >>= 7;
  } while (value);
  bytes[n - 1] &= 0x7F;
  buffer_add(out, bytes, n);
}

static void add_signed(struct buffer *out, int64_t value) {
  add_varint(out, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

/* Nodes in preorder. Each one has: the number of levels from the previous node up to its parent,
 * its frame, its self value in each column. */
static void pack_nodes(const struct flame_tree *t, struct buffer *out) {
  for (size_t i = 0; i < t->count; i++) {
    add_varint(out, i ? t->depth[i - 1] + 1 - t->depth[i] : 0);
    add_varint(out, t->frame[i] == NONE ? 0 : (uint64_t)t->frame[i] + 1);
    for (size_t c = 0; c < t->columns; c++) add_signed(out, t->self[i * t->columns + c]);
  }
}

static pprofc_str mapping_file(const struct stack_frames *frames, const struct stack_frame *frame) {
  const pprofc_profile *p = frames->profile;
  return frame->mapping == NONE ? STR("")
                                : profile_string(p, p->mappings.items[frame->mapping].file);
}

enum origin flame_frame_origin(const struct flame_tree *tree, uint32_t node,
                               const struct origin_rules *rules) {
  const struct stack_frame *frame = &tree->frames->items[tree->frame[node]];
  return origin_of(rules, frame->name, frame->file, mapping_file(tree->frames, frame));
}

/* One array of JSON for each property of frames; files and packages are tables of their own. */
struct frame_columns {
  struct interner files, packages;
  uint32_t *file, *package;
};

static bool make_columns(const struct stack_frames *frames, struct frame_columns *c,
                         struct arena *arena) {
  c->file = arena_array(arena, frames->count, sizeof *c->file);
  c->package = arena_array(arena, frames->count, sizeof *c->package);
  if (!c->file || !c->package) return false;
  for (size_t i = 0; i < frames->count; i++) {
    const struct stack_frame *f = &frames->items[i];
    c->file[i] = interner_add(&c->files, f->file.size ? f->file : mapping_file(frames, f));
    c->package[i] = interner_add(&c->packages, origin_package(f->name));
    if (c->file[i] == MAP_NONE || c->package[i] == MAP_NONE) return false;
  }
  return true;
}

/* Text that the page shows. Characters that change the direction of text are made visible. */
static void put_shown(struct json_writer *json, pprofc_str text) {
  struct buffer clean;
  if (escape_terminal_clean(text)) {
    json_string(json, text);
    return;
  }
  buffer_init(&clean, json->scratch.mem, SIZE_MAX / 2);
  escape_line(&clean, text);
  json_string(json, buffer_str(&clean));
  json->scratch.failed |= clean.failed;
  buffer_free(&clean);
}

static void flame_html_put_strings(struct json_writer *json, const char *key,
                                   const pprofc_str *items, size_t count) {
  json_key(json, key);
  json_begin_array(json);
  for (size_t i = 0; i < count; i++) put_shown(json, items[i]);
  json_end(json);
}

static int buffer_write(void *buffer, const void *data, size_t size) {
  buffer_add(buffer, data, size);
  return ((struct buffer *)buffer)->failed;
}

static void put_frames(const struct page *p, const struct frame_columns *c,
                       struct json_writer *json) {
  const struct stack_frames *frames = p->tree->frames;
  json_begin_object(json);
  json_key(json, "name");
  json_begin_array(json);
  for (size_t i = 0; i < frames->count; i++) put_shown(json, frames->items[i].name);
  json_end(json);
  flame_html_put_strings(json, "file", c->files.items, c->files.count);
  flame_html_put_strings(json, "package", c->packages.items, c->packages.count);
  static const char *const keys[] = {"file_of", "package_of", "line", "origin", "inlined"};
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
    json_key(json, keys[k]);
    json_begin_array(json);
    for (size_t i = 0; i < frames->count; i++) {
      const struct stack_frame *f = &frames->items[i];
      enum origin origin =
          origin_of(p->options->origins, f->name, f->file, mapping_file(frames, f));
      const int64_t values[] = {c->file[i], c->package[i], f->line, (int64_t)origin, f->inlined};
      json_int(json, values[k]);
    }
    json_end(json);
  }
  json_end(json);
}

static pprofc_status pack_frames(struct page *p, struct buffer *bytes) {
  struct frame_columns columns;
  struct arena arena;
  struct output *text = mem_array(p->mem, 1, sizeof *text);
  arena_init(&arena, p->mem);
  interner_init(&columns.files, p->mem);
  interner_init(&columns.packages, p->mem);
  bool good = text && make_columns(p->tree->frames, &columns, &arena);
  if (good) {
    struct json_writer json;
    output_init(text, buffer_write, bytes);
    json_init(&json, text, p->mem);
    put_frames(p, &columns, &json);
    good = json_finish(&json) && output_flush(text, NULL) == PPROFC_OK;
  }
  interner_free(&columns.files);
  interner_free(&columns.packages);
  arena_free(&arena);
  mem_free(p->mem, text, 1, sizeof *text);
  return good ? PPROFC_OK : error_nomem(p->error);
}

/* Labels: for each group its nodes in ascending order (as differences) and the values of its
 * samples in each. */
static void pack_groups(const struct page *p, struct buffer *bytes) {
  for (size_t g = 0; g < p->options->group_count; g++) {
    const struct flame_group *group = &p->options->groups[g];
    uint32_t before = 0;
    add_varint(bytes, group->count);
    for (size_t i = 0; i < group->count; i++) {
      add_varint(bytes, group->node[i] - before);
      before = group->node[i];
      for (size_t c = 0; c < p->tree->columns; c++)
        add_signed(bytes, group->self[i * p->tree->columns + c]);
    }
  }
}

/* ---- metadata ---------------------------------------- */

static void flame_html_put_types(const struct page *p, struct json_writer *json) {
  const pprofc_profile *profile = p->tree->frames->profile;
  json_key(json, "types");
  json_begin_array(json);
  for (size_t i = 0; i < p->tree->types; i++) {
    json_begin_object(json);
    json_key(json, "type");
    json_string(json, profile_string(profile, profile->types[i].type));
    json_key(json, "unit");
    json_string(json, profile_string(profile, profile->types[i].unit));
    json_end(json);
  }
  json_end(json);
}

static void put_bottleneck(const struct page *p, struct json_writer *json) {
  const struct flame_page *o = p->options;
  json_key(json, "bottleneck");
  json_begin_object(json);
  for (size_t k = 0; k < o->cost_count; k++) {
    if (k && strcmp(o->costs[k].kind, o->costs[k - 1].kind) == 0) continue;
    json_key(json, o->costs[k].kind);
    json_begin_array(json);
    for (size_t i = k; i < o->cost_count && strcmp(o->costs[i].kind, o->costs[k].kind) == 0; i++) {
      json_begin_array(json);
      json_uint(json, o->costs[i].type);
      json_double(json, o->costs[i].weight);
      json_end(json);
    }
    json_end(json);
  }
  json_end(json);
  json_key(json, "weights");
  json_begin_object(json);
  const pprofc_profile *profile = p->tree->frames->profile;
  for (size_t k = 0; k < o->cost_count; k++) {
    char name[128];
    pprofc_str type = profile_string(profile, profile->types[o->costs[k].type].type);
    snprintf(name, sizeof name, "%.*s", (int)(type.size < 100 ? type.size : 100), type.data);
    json_key(json, name);
    json_double(json, o->costs[k].weight);
  }
  json_end(json);
}

static void put_meta(const struct page *p, struct json_writer *json) {
  json_begin_object(json);
  flame_html_put_types(p, json);
  json_key(json, "has_base");
  json_bool(json, p->tree->has_base);
  json_key(json, "default_type");
  json_uint(json, p->options->type);
  json_key(json, "nodes");
  json_uint(json, p->tree->count);
  json_key(json, "groups");
  json_begin_array(json);
  for (size_t i = 0; i < p->options->group_count; i++) put_shown(json, p->options->groups[i].name);
  json_end(json);
  flame_html_put_strings(json, "left_out", p->options->left_out, p->options->left_out_count);
  json_key(json, "link");
  json_text(json, p->options->link ? p->options->link : "");
  if (p->options->cost_count) put_bottleneck(p, json);
  json_end(json);
}

/* ---- the summary ------------------------------------- */

/* The self values of one function, added up over the tree. */
struct function_sum {
  uint32_t frame;
  int64_t self_head, self_base;
};

static uint64_t change_size(const struct function_sum *f) {
  int64_t change;
  if (__builtin_sub_overflow(f->self_head, f->self_base, &change)) return UINT64_MAX;
  return change < 0 ? 0 - (uint64_t)change : (uint64_t)change;
}

static int by_change(const void *a, const void *b) {
  uint64_t x = change_size(a), y = change_size(b);
  if (x != y) return x < y ? 1 : -1;
  uint32_t f = ((const struct function_sum *)a)->frame, g = ((const struct function_sum *)b)->frame;
  return (f > g) - (f < g);
}

static struct function_sum *function_sums(const struct page *p, size_t type) {
  const struct flame_tree *t = p->tree;
  struct function_sum *sums = mem_zero_array(p->mem, t->frames->count, sizeof *sums);
  for (size_t i = 0; sums && i < t->frames->count; i++) sums[i].frame = (uint32_t)i;
  for (size_t i = 1; sums && i < t->count; i++) {
    struct function_sum *sum = &sums[t->frame[i]];
    sum->self_head = sum_add(sum->self_head, flame_self_head(t, i, type));
    sum->self_base = sum_add(sum->self_base, flame_self_base(t, i, type));
  }
  if (sums) qsort(sums, t->frames->count, sizeof *sums, by_change);
  return sums;
}

static void flame_html_put_number(struct json_writer *json, const char *key, int64_t value) {
  json_key(json, key);
  json_int(json, value);
}

/* Totals, and the functions with the greatest self value; in a difference, with the greatest change
 * of it. */
static bool put_summary(const struct page *p, struct json_writer *json) {
  const struct flame_tree *t = p->tree;
  size_t type = p->options->type;
  struct function_sum *sums = function_sums(p, type);
  if (!sums) return false;
  json_begin_object(json);
  json_key(json, "version");
  json_int(json, 1);
  flame_html_put_types(p, json);
  flame_html_put_number(json, "type", (int64_t)type);
  flame_html_put_number(json, "head", flame_head(t, 0, type));
  if (t->has_base) flame_html_put_number(json, "base", flame_base(t, 0, type));
  json_key(json, "top");
  json_begin_array(json);
  for (size_t i = 0; i < t->frames->count && i < TOP_CHANGES && change_size(&sums[i]); i++) {
    json_line_break(json);
    json_begin_object(json);
    json_key(json, "function");
    put_shown(json, t->frames->items[sums[i].frame].name);
    flame_html_put_number(json, "self_head", sums[i].self_head);
    if (t->has_base) flame_html_put_number(json, "self_base", sums[i].self_base);
    json_end(json);
  }
  json_end(json);
  json_end(json);
  mem_free(p->mem, sums, t->frames->count, sizeof *sums);
  return true;
}

/* ---- the document ------------------------------------ */

static pprofc_status flame_html_put_head(struct page *p) {
  struct buffer title;
  buffer_init(&title, p->mem, SIZE_MAX / 2);
  escape_xml(&title, p->options->title);
  output_add_text(
      p->out,
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; script-src '");
  base64_put_script_hash(p->out, asset_viewer_js_sha256);
  output_add_text(p->out,
                  "'\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=\"referrer\" content=\"no-referrer\">\n<title>");
  output_add_str(p->out, buffer_str(&title));
  output_add_text(p->out, "</title>\n<style>\n");
  output_add(p->out, asset_page_css, asset_page_css_size);
  output_add_text(p->out, "</style>\n</head>\n<body>\n");
  pprofc_str html = {(const char *)asset_page_html, asset_page_html_size};
  size_t at = str_find(html, STR("@TITLE@"));
  output_add_str(p->out, str_slice(html, 0, at));
  output_add_str(p->out, buffer_str(&title));
  output_add_str(p->out, str_slice(html, at + 7, html.size));
  bool failed = title.failed;
  buffer_free(&title);
  return failed ? error_nomem(p->error) : PPROFC_OK;
}

static pprofc_status put_static(struct page *p) {
  struct flame_drawing drawing = {
      .tree = p->options->tree,
      .type = p->options->type,
      .width = p->tree->has_base ? FLAME_MAX : FLAME_HEAD,
      .title = p->options->title,
      .subtitle = p->options->subtitle,
      .unit = p->options->unit,
      .ratio = 1,
      .least_pixels = STATIC_BOXES * 1180,
      .inverted = true,
      .embedded = true,
  };
  output_add_text(p->out, "<div id=\"static\">\n");
  pprofc_status status = flame_svg(&drawing, p->out, p->error);
  output_add_text(p->out, "</div>\n");
  return status;
}

static pprofc_status put_json(struct page *p) {
  struct json_writer json;
  json_init(&json, p->out, p->mem);
  output_add_text(p->out, "<script type=\"application/json\" id=\"pprofc-meta\">");
  put_meta(p, &json);
  bool good = json_finish(&json);
  output_add_text(p->out, "</script>\n<script type=\"application/json\" id=\"pprofc-summary\">");
  json_init(&json, p->out, p->mem);
  good = put_summary(p, &json) && good;
  good = json_finish(&json) && good;
  output_add_text(p->out, "</script>\n");
  return good ? PPROFC_OK : error_nomem(p->error);
}

static pprofc_status put_data(struct page *p) {
  struct buffer bytes;
  buffer_init(&bytes, p->mem, SIZE_MAX / 2);
  pprofc_status status = pack_frames(p, &bytes);
  if (status == PPROFC_OK) status = put_packed(p, "pprofc-frames", &bytes);
  buffer_clear(&bytes);
  if (status == PPROFC_OK) {
    pack_nodes(p->tree, &bytes);
    status = put_packed(p, "pprofc-nodes", &bytes);
  }
  buffer_clear(&bytes);
  if (status == PPROFC_OK) {
    pack_groups(p, &bytes);
    status = put_packed(p, "pprofc-groups", &bytes);
  }
  buffer_free(&bytes);
  return status;
}

pprofc_status flame_html(const struct flame_page *options, struct output *out,
                         pprofc_error *error) {
  struct page p = {options, options->tree, out, error, options->tree->arena.mem};
  pprofc_status status = flame_html_put_head(&p);
  if (status == PPROFC_OK) status = put_static(&p);
  if (status == PPROFC_OK) status = put_json(&p);
  if (status == PPROFC_OK) status = put_data(&p);
  output_add_text(out, "<script>");
  output_add(out, asset_viewer_js, asset_viewer_js_size);
  output_add_text(out, "</script>\n</body>\n</html>\n");
  return status;
}
