/* Writes the page of -flame: an HTML file that needs no other file. Frames and nodes are packed as
 * varints, deflated and written as base64. The browser inflates them. A static picture below the
 * interactive graph is for viewers that run no scripts, and for print. */
#include "flame/pack.h"

#define STATIC_BOXES 0.002 /* least width of a box, as a share of the static picture's width */
#define TOP_CHANGES  20u

extern const unsigned char asset_viewer_js[], asset_flame_css[], asset_page_css[],
    asset_page_html[];
extern const size_t asset_viewer_js_size, asset_flame_css_size, asset_page_css_size,
    asset_page_html_size;
extern const char asset_viewer_js_sha256[];

struct page {
  const struct flame_page *options;
  const struct flame_tree *tree;
  struct output *out;
  pprofc_error *error;
  const pprofc_allocator *mem;
  struct flame_cut cut; /* list of the nodes in the page, which are all nodes of the tree */
};

/* Writes a section of the template with the values of `fill`, and frees `fill`. */
static pprofc_status flame_html_put_part(struct page *p, const char *part, struct fill *fill) {
  const pprofc_str page = {(const char *)asset_page_html, asset_page_html_size};
  return template_print(p->out, page, part, fill) ? PPROFC_OK : error_nomem(p->error);
}

/* Deflates the bytes, and writes them as base64 in a <script> element. */
static pprofc_status put_packed(struct page *p, const char *id, const struct buffer *bytes) {
  struct fill f;
  struct buffer packed = buffer_make(p->mem, SIZE_MAX / 2);
  pprofc_status status = flame_deflate(bytes, FLAME_DEFLATE_FILE, &packed, p->error);
  if (status == PPROFC_OK) {
    fill_init(&f, p->mem);
    fill_words(&f, "type", "octet-stream");
    fill_words(&f, "id", id);
    base64_put(fill_html(&f, "data"), (const uint8_t *)packed.data, packed.size);
    status = flame_html_put_part(p, "data", &f);
  }
  buffer_free(&packed);
  return status;
}

/* ---- the summary ------------------------------------- */

/* The self values of a function, added up over the tree. */
struct function_sum {
  uint32_t frame;
  int64_t self_head, self_base;
  double change; /* size of the change of the values that the page shows */
};

static int by_change(const void *a, const void *b) {
  double x = ((const struct function_sum *)a)->change, y = ((const struct function_sum *)b)->change;
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
  const struct flame_verdicts *v = p->options->verdicts;
  double scale = v && v->type == type ? v->head_scale : 1;
  for (size_t i = 0; sums && i < t->frames->count; i++)
    sums[i].change = fabs((double)sums[i].self_head * scale - (double)sums[i].self_base);
  if (sums) qsort(sums, t->frames->count, sizeof *sums, by_change);
  return sums;
}

/* Writes a value in the form that the page shows. If there are verdicts, the page shows the mean
 * per run or the value per operation. */
static void put_summary_value(const struct page *p, struct json_writer *json, const char *key,
                              int64_t value, bool head) {
  const struct flame_verdicts *v = p->options->verdicts;
  json_key(json, key);
  if (v && v->type == p->options->type)
    json_double(json, (double)value * (head ? v->head_scale : 1) * v->ratio);
  else
    json_int(json, value);
}

static void put_summary_verdict(const struct page *p, uint32_t frame, struct json_writer *json) {
  const struct flame_verdicts *v = p->options->verdicts;
  if (!v || v->type != p->options->type || !v->of[frame]) return;
  json_pack(json, "verdict:s q:f", v->of[frame]->self.word, v->of[frame]->self.q);
}

/* Writes the totals and the most important functions. In a difference, these are the functions
 * whose self values changed most. Otherwise they are the functions with the largest self values. */
static bool put_summary(const struct page *p, struct json_writer *json) {
  const struct flame_tree *t = p->tree;
  size_t type = p->options->type;
  struct function_sum *sums = function_sums(p, type);
  if (!sums) return false;
  json_pack(json, "{version:1");
  flame_put_types(p->options, json);
  json_int(json_key(json, "type"), (int64_t)type);
  put_summary_value(p, json, "head", flame_head(t, 0, type), true);
  if (t->has_base) put_summary_value(p, json, "base", flame_base(t, 0, type), false);
  json_begin_array(json_key(json, "top"));
  for (size_t i = 0; i < t->frames->count && i < TOP_CHANGES && sums[i].change > 0; i++) {
    json_pack(json, "\n{function:");
    flame_put_shown(json, t->frames->items[sums[i].frame].name);
    put_summary_value(p, json, "self_head", sums[i].self_head, true);
    if (t->has_base) put_summary_value(p, json, "self_base", sums[i].self_base, false);
    put_summary_verdict(p, sums[i].frame, json);
    json_end(json);
  }
  json_pack(json, "]}");
  mem_free(p->mem, sums, t->frames->count, sizeof *sums);
  return true;
}

/* ---- the document ------------------------------------ */

static pprofc_status flame_html_put_head(struct page *p) {
  struct fill f = fill_make(p->mem);
  base64_put_hash(fill_text(&f, "hash"), asset_viewer_js_sha256);
  fill_str(&f, "title", p->options->title);
  struct buffer *style = fill_html(&f, "style");
  buffer_add(style, asset_flame_css, asset_flame_css_size);
  buffer_add(style, asset_page_css, asset_page_css_size);
  return flame_html_put_part(p, "head", &f);
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
      .totals = p->options->totals,
      .least_pixels = STATIC_BOXES * 1180,
      .inverted = true,
      .embedded = true,
      .verdicts = p->options->verdicts,
  };
  pprofc_status status = flame_svg(&drawing, p->out, p->error);
  if (status != PPROFC_OK) return status;
  struct fill f = fill_make(p->mem);
  return flame_html_put_part(p, "after", &f);
}

static bool put_meta(const struct page *p, struct json_writer *json) {
  flame_put_meta(p->options, &p->cut, json);
  return true;
}

static pprofc_status put_json(struct page *p, const char *id,
                              bool (*put)(const struct page *, struct json_writer *)) {
  struct output text;
  struct json_writer json;
  struct fill f = fill_make(p->mem);
  fill_words(&f, "type", "json");
  fill_words(&f, "id", id);
  output_init(&text, buffer_write, fill_html(&f, "data"));
  json_init(&json, &text, p->mem);
  f.failed |= !put(p, &json);
  f.failed |= !json_finish(&json);
  output_flush(&text, NULL);
  return flame_html_put_part(p, "data", &f);
}

static pprofc_status put_data(struct page *p) {
  struct buffer bytes = buffer_make(p->mem, SIZE_MAX / 2);
  pprofc_status status = flame_pack_frames(p->options, &p->cut, &bytes, p->error);
  if (status == PPROFC_OK) status = put_packed(p, "frames", &bytes);
  buffer_clear(&bytes);
  if (status == PPROFC_OK) {
    flame_pack_nodes(p->options, &p->cut, &bytes);
    status = put_packed(p, "nodes", &bytes);
  }
  buffer_clear(&bytes);
  if (status == PPROFC_OK) {
    flame_pack_groups(p->options, &p->cut, &bytes);
    status = put_packed(p, "groups", &bytes);
  }
  buffer_clear(&bytes);
  if (status == PPROFC_OK) status = flame_pack_times(p->options, &bytes, p->error);
  if (status == PPROFC_OK && bytes.size) status = put_packed(p, "times", &bytes);
  buffer_free(&bytes);
  return status;
}

pprofc_status flame_html(const struct flame_page *options, struct output *out,
                         pprofc_error *error) {
  struct page p = {.options = options,
                   .tree = options->tree,
                   .out = out,
                   .error = error,
                   .mem = options->tree->arena.mem};
  pprofc_status status = flame_cut_make(options, (struct flame_data_range){0}, &p.cut, error);
  if (status != PPROFC_OK) return status;
  status = flame_html_put_head(&p);
  if (status == PPROFC_OK) status = put_static(&p);
  if (status == PPROFC_OK) status = put_json(&p, "meta", put_meta);
  if (status == PPROFC_OK) status = put_json(&p, "summary", put_summary);
  if (status == PPROFC_OK) status = put_data(&p);
  if (status == PPROFC_OK) {
    struct fill f = fill_make(p.mem);
    buffer_add(fill_html(&f, "script"), asset_viewer_js, asset_viewer_js_size);
    status = flame_html_put_part(&p, "foot", &f);
  }
  flame_cut_free(&p.cut);
  return status;
}
