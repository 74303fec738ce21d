/* Draws the classic flame graph as an SVG that needs no other file. In a viewer without scripts,
 * the SVG is a complete picture with tooltips. With scripts, the reader can zoom and search. The
 * picture has the elements of flamegraph.pl: ids, groups of title, rect and text, and query
 * parameters. Attributes have the exact widths of the boxes, as in inferno. */
#include "flame/flame.h"
#include "flame/label.h"
#include "profile/sum.h"

#define SIDE        10.0 /* margin to the left and to the right of the frames, in pixels */
#define TOP         60.0
#define BOTTOM      50.0
#define NOTE_ROW    14.0
#define ROW         16.0
#define NOISE_COLOR "#d9d9d9" /* color of changes within noise and of unchanged frames */

extern const unsigned char asset_picture_svg[], asset_picture_js[], asset_picture_real_js[],
    asset_svg_css[], asset_svg_real_css[];
extern const size_t asset_picture_svg_size, asset_picture_js_size, asset_picture_real_js_size,
    asset_svg_css_size, asset_svg_real_css_size;

struct svg {
  const struct flame_drawing *drawing;
  struct flame_tree *tree;
  struct output *out;
  struct flame_boxes boxes;
  struct buffer name, text, fitted; /* buffers for the name, the markup and the label of a box */
  struct fill box;                  /* values of a box */
  struct label_forms forms;
  double width, scale;         /* width of the picture in pixels, and number of pixels per unit of
                                  the values */
  double top, height;          /* top edge of the frames in pixels, and height of the picture in
                                  pixels */
  double most_more, most_less; /* largest growth and largest decrease of a box's value, for the
                                  scales of the colors */
  const struct flame_verdicts *verdicts; /* verdicts on the difference, or NULL */
  struct flame_tree scaled;              /* if there are verdicts: copy of the tree with scaled head
                                            values, which the picture shows */
};

/* ---- text -------------------------------------------- */

pprofc_str flame_name(const struct flame_tree *tree, const struct flame_box *box,
                      struct buffer *scratch) {
  if (box->node == 0) return STR("all");
  if (box->node != NONE) return tree->frames->items[tree->frame[box->node]].name;
  buffer_clear(scratch);
  buffer_printf(scratch, "(%u smaller frame%s)", box->hidden, box->hidden == 1 ? "" : "s");
  return buffer_str(scratch);
}

static void svg_add_value(struct svg *s, struct buffer *out, int64_t value) {
  const struct flame_drawing *d = s->drawing;
  char label[UNIT_LABEL_MAX];
  double ratio = d->ratio > 0 ? d->ratio : 1;
  if (s->verdicts) ratio *= s->verdicts->ratio;
  if (s->verdicts && str_equal(s->verdicts->unit, STR("%"))) {
    buffer_printf(out, "%.2f%%", (double)value * ratio);
    return;
  }
  if (ratio != 1) value = number_from_double((double)value * ratio);
  buffer_add_str(out, unit_label(value, d->unit, STR("auto"), label));
}

static double percent(int64_t value, int64_t total) {
  return total ? 100.0 * (double)value / (double)total : 0;
}

/* Adds an estimate: "total of the function: +0.31s ±0.07s, q = 0.0012, grew". */
static void svg_add_estimate(struct svg *s, struct buffer *out, const char *what,
                             const struct flame_estimate *e) {
  char q[32];
  if (!*e->word) return;
  buffer_printf(out, "\n%s of the function: ", what);
  if (!isnan(e->low)) {
    buffer_add_text(out, e->delta > 0 ? "+" : "");
    svg_add_value(s, out, number_from_double(e->delta));
    if (e->high > e->low) {
      buffer_add_text(out, " \xC2\xB1");
      svg_add_value(s, out, number_from_double((e->high - e->low) / 2));
    }
    buffer_add_text(out, ", ");
    buffer_add_text(out, flame_verdict_q(e->q, q));
    if (!isnan(e->q)) buffer_add_text(out, ", ");
  }
  buffer_add_text(out, e->word);
}

static void svg_add_verdict(struct svg *s, struct buffer *out, const struct flame_box *box) {
  if (!s->verdicts || box->node == NONE || box->node == 0) return;
  const struct flame_verdict *v = flame_verdict_of(s->verdicts, s->tree, box->node);
  if (!v) {
    buffer_add_text(out, "\nnot judged: counts as its caller's own");
    return;
  }
  svg_add_estimate(s, out, "total", &v->total);
  svg_add_estimate(s, out, "self", &v->self);
  if (!v->partner.size) return;
  buffer_add_text(out, v->self.delta < 0 ? " to " : " from ");
  buffer_add_str(out, v->partner);
}

/* Adds the file and line of a box, such as "main.go:42", on a separate line. Adds nothing if the
 * profile does not have the file. A drawing in a page lacks uncertain lines, because their notes
 * would make the page too large. */
static void svg_add_file(struct svg *s, struct buffer *out, const struct flame_box *box) {
  if (box->node == NONE || box->node == 0) return;
  const struct stack_frame *frame = &s->tree->frames->items[s->tree->frame[box->node]];
  if (!frame->file.size) return;
  buffer_add_char(out, '\n');
  buffer_add_str(out, frame->file);
  if (frame->line <= 0 || (frame->is_line_seen && s->drawing->embedded)) return;
  buffer_printf(out, ":%lld%s", (long long)frame->line, frame->is_line_seen ? LINE_SEEN : "");
}

/* Returns the total of head or base to which percentages refer. */
static int64_t svg_whole(const struct svg *s, bool head) {
  const struct flame_drawing *d = s->drawing;
  if (!d->totals) return head ? flame_head(s->tree, 0, d->type) : flame_base(s->tree, 0, d->type);
  if (!head) return d->totals[s->tree->types + d->type];
  double scale = s->verdicts ? s->verdicts->head_scale : 1;
  return number_from_double((double)d->totals[d->type] * scale);
}

static void svg_add_percent(struct buffer *out, int64_t value, int64_t total) {
  buffer_add_text(out, ", ");
  buffer_add_double(out, percent(value, total), 2);
  buffer_add_char(out, '%');
}

/* Adds the values of base, and the changes. */
static void svg_add_changes(struct svg *s, struct buffer *out, const struct flame_box *box) {
  int64_t base_all = svg_whole(s, false), change = sum_subtract(box->head, box->base);
  buffer_add_text(out, "; base ");
  svg_add_value(s, out, box->base);
  svg_add_percent(out, box->base, base_all);
  buffer_add_text(out, box->head > box->base ? "; change +" : "; change ");
  svg_add_value(s, out, change);
  if (base_all) buffer_printf(out, ", %+.2f%% of base", percent(change, base_all));
}

/* Adds the tooltip of a box, such as "name (1.20s, 34.50%)". In a difference, adds the values of
 * base and head. */
static void svg_add_title(struct svg *s, struct buffer *out, const struct flame_box *box,
                          pprofc_str name) {
  const struct flame_drawing *d = s->drawing;
  buffer_add_str(out, name);
  buffer_add_text(out, " (");
  svg_add_value(s, out, box->head);
  svg_add_percent(out, box->head, svg_whole(s, true));
  if (s->tree->has_base) svg_add_changes(s, out, box);
  buffer_add_char(out, ')');
  if (s->tree->has_base && box->node != NONE) {
    int64_t self = sum_subtract(flame_self_head(s->tree, box->node, d->type),
                                flame_self_base(s->tree, box->node, d->type));
    buffer_add_text(out, self > 0 ? "\nself change +" : "\nself change ");
    svg_add_value(s, out, self);
  }
  svg_add_verdict(s, out, box);
  svg_add_file(s, out, box);
}

/* Returns the sign that precedes the name of a box whose value changed, so that not only the color
 * shows the change. */
static const char *status_sign(const struct svg *s, const struct flame_box *box) {
  static const char *const signs[] = {
      [FLAME_UNCHANGED] = "",
      [FLAME_SLOWER] = "\xE2\x96\xB2 ", /* ▲ */
      [FLAME_FASTER] = "\xE2\x96\xBC ", /* ▼ */
      [FLAME_ADDED] = "+ ",
      [FLAME_REMOVED] = "\xE2\x88\x92 ", /* − */
  };
  return s->tree->has_base ? signs[flame_status(box->head, box->base)] : "";
}

/* Returns how certain the change of a box is. Without verdicts, returns FLAME_OWN, the highest
 * certainty. */
static enum flame_certainty svg_certainty(const struct svg *s, const struct flame_box *box) {
  if (!s->verdicts) return FLAME_OWN;
  return flame_verdict_certainty(s->verdicts, s->tree, box->node, box->head, box->base);
}

static bool svg_is_quiet(const struct svg *s, const struct flame_box *box) {
  return svg_certainty(s, box) == FLAME_QUIET;
}

#define LABEL_GAP  3.0 /* gap between a label and the edges of its box, in pixels */
#define PERCENT_AT 60.0

/* Adds a percentage to a label if it fits: the share of the total; in a difference, the change. */
static void svg_add_share(struct svg *s, const struct flame_box *box, double room) {
  char share[32];
  int64_t whole = svg_whole(s, true);
  if (s->tree->has_base && box->base)
    snprintf(share, sizeof share, " (%+.0f%%)",
             percent(sum_subtract(box->head, box->base),
                     box->base < 0 ? sum_subtract(0, box->base) : box->base));
  else if (!s->tree->has_base && whole)
    snprintf(share, sizeof share, " (%.2f%%)", percent(box->head, whole));
  else
    return;
  if (s->tree->has_base && box->head == box->base) return;
  if (svg_is_quiet(s, box) && (strcmp(share, " (+0%)") == 0 || strcmp(share, " (-0%)") == 0))
    return;
  if (label_width(buffer_str(&s->fitted)) + label_width(str_of(share)) <= room)
    buffer_add_text(&s->fitted, share);
}

/* Adds the label of a box: the sign of its change, and the longest form of the name that fits. If
 * the text is nearly as wide as the box, an attribute fixes its width, so that it stays inside the
 * box in every font. */
static void fill_label(struct svg *s, const struct flame_box *box, pprofc_str name,
                       const char *sign, double width) {
  double room = width - 2 * LABEL_GAP, signs = label_width(str_of(sign));
  enum label_look look = LABEL_NONE;
  buffer_clear(&s->fitted);
  if (room >= 12 && label_make(&s->forms, name))
    look = label_fit(&s->forms, room - signs, &s->fitted);
  if (!look) return;
  if (look == LABEL_IS_WHOLE && room > PERCENT_AT) svg_add_share(s, box, room - signs);
  double size = look == LABEL_IS_WHOLE ? 1 : LABEL_SMALL;
  double wide = size * (signs + label_width(buffer_str(&s->fitted)));
  if (size < 1) fill_words(&s->box, "small", "1");
  if (wide > 0.8 * room) fill_pack(&s->box, "length:1", wide);
  struct buffer *label = fill_text(&s->box, "label");
  buffer_add_text(label, sign);
  buffer_add_str(label, buffer_str(&s->fitted));
}

/* ---- boxes ------------------------------------------- */

static enum flame_coloring coloring_of(const struct svg *s) {
  enum flame_coloring coloring = s->drawing->coloring;
  if (coloring != FLAME_BY_DEFAULT) return coloring;
  return s->tree->has_base ? FLAME_BY_CHANGE : FLAME_BY_NAME;
}

/* factor that makes the color of a FLAME_SHARED change (common to all functions) pale */
#define PALE 0.16

static void box_color(const struct svg *s, const struct flame_box *box, pprofc_str name,
                      char color[FLAME_COLOR]) {
  enum flame_coloring coloring = coloring_of(s);
  double delta = (double)box->head - (double)box->base;
  double most = delta > 0 ? s->most_more : s->most_less;
  if (svg_certainty(s, box) == FLAME_SHARED) delta *= PALE;
  if (coloring == FLAME_BY_CHANGE)
    flame_change_color(delta, most, color);
  else if (box->node == NONE || box->node == 0)
    memcpy(color, "#d9d9d9", FLAME_COLOR);
  else if (coloring == FLAME_BY_ORIGIN)
    flame_origin_color(flame_frame_origin(s->tree, box->node, s->drawing->origins), color);
  else
    flame_name_color(coloring == FLAME_BY_PACKAGE ? origin_package(name) : name, color);
}

/* Marks a box as noise: its change gets no sign and a grey color. Attributes of the box keep its
 * former sign and color, so that a switch in the picture can restore them. */
static void fill_quiet(struct svg *s, const struct flame_box *box, const char **sign,
                       char color[FLAME_COLOR]) {
  if (!s->drawing->embedded) {
    fill_words(&s->box, "plain", color);
    fill_words(&s->box, "plainsign", *sign);
  }
  *sign = "";
  if (coloring_of(s) == FLAME_BY_CHANGE && box->node != NONE)
    memcpy(color, NOISE_COLOR, FLAME_COLOR);
}

static void svg_put_box(struct svg *s, const struct template *template,
                        const struct flame_box *box) {
  struct fill *f = &s->box;
  double x = SIDE + box->x * s->scale, width = box->width * s->scale;
  double row = s->drawing->inverted ? box->depth : s->boxes.max_depth - box->depth;
  double y = s->top + row * ROW;
  char color[FLAME_COLOR];
  pprofc_str name = flame_name(s->tree, box, &s->name);
  const char *sign = status_sign(s, box);
  fill_clear(f);
  box_color(s, box, name, color);
  if (svg_is_quiet(s, box)) fill_quiet(s, box, &sign, color);
  fill_pack(f, "sign:s embedded:b depth:0 name:S fill:s", sign, s->drawing->embedded,
            (double)box->depth, name, box->node == NONE ? "url(#smaller)" : color);
  svg_add_title(s, fill_text(f, "title"), box, name);
  fill_pack(f, "x:2 y:1 width:2 start:d size:d text-x:2 text-y:1", x, y,
            width - (width > 0.5 ? 0.5 : 0), box->x, box->width, x + LABEL_GAP, y + ROW - 4.5);
  fill_label(s, box, name, sign, width);
  buffer_clear(&s->text);
  template_run(&s->text, template, f);
  output_add_str(s->out, buffer_str(&s->text));
}

/* Finds the largest growth and the largest decrease, which set the scales of the colors. With a
 * single scale, a large change in one direction would make changes in the other direction pale.
 * Each scale is at least a hundredth of the total, so noise stays pale. */
static void find_greatest_changes(struct svg *s) {
  double head = fabs((double)flame_head(s->tree, 0, s->drawing->type));
  double base = fabs((double)flame_base(s->tree, 0, s->drawing->type));
  s->most_more = s->most_less = (head > base ? head : base) / 100;
  for (size_t i = 0; i < s->boxes.count; i++) {
    if (svg_is_quiet(s, &s->boxes.items[i])) continue;
    double change = (double)s->boxes.items[i].head - (double)s->boxes.items[i].base;
    if (change > s->most_more) s->most_more = change;
    if (-change > s->most_less) s->most_less = -change;
  }
}

/* ---- the document ------------------------------------ */

/* Adds the positions of texts and frames to the values of the template. */
static void svg_fill_places(const struct svg *s, struct fill *f) {
  double whole = s->tree->has_base ? s->boxes.width : (double)svg_whole(s, true);
  fill_pack(f, "width:0 height:0 left:1 middle:1 search:1 ignorecase:1 switch:1", s->width,
            s->height, SIDE, s->width / 2, s->width - SIDE - 120, s->width - SIDE - 16,
            s->width - SIDE - 140);
  fill_pack(f, "details:1 key:1 total:d whole:d frames:1", s->height - 17, s->height - 4,
            s->boxes.width, fabs(whole), s->width - 2 * SIDE);
}

/* Adds the notes on the verdicts to the values of the template. The notes are below the
 * subtitle. */
static void svg_fill_notes(const struct svg *s, struct fill *f) {
  for (size_t i = 0; s->verdicts && i < s->verdicts->note_count; i++) {
    fill_pack(f, "notes:{top:1 note:S}", TOP - 3 + NOTE_ROW * (double)i, s->verdicts->notes[i]);
  }
}

/* Adds all values of the template except the boxes. */
static void svg_fill(const struct svg *s, struct fill *f) {
  const struct flame_drawing *d = s->drawing;
  bool by_origin = coloring_of(s) == FLAME_BY_ORIGIN, by_change = coloring_of(s) == FLAME_BY_CHANGE;
  struct buffer *style = fill_html(f, "style");
  buffer_add(style, asset_svg_css, asset_svg_css_size);
  if (s->verdicts) buffer_add(style, asset_svg_real_css, asset_svg_real_css_size);
  fill_pack(f, "embedded:b part:b title:S subtitle:S verdicts:b explained:b", d->embedded,
            d->part != NULL, d->title, d->subtitle, s->verdicts != NULL,
            s->tree->has_base || by_origin);
  svg_fill_places(s, f);
  svg_fill_notes(s, f);
  fill_pack(f, "by_origin:b by_noise:b by_change:b signs:b base:b", by_origin,
            by_change && s->verdicts, by_change && !s->verdicts && s->tree->has_base,
            !by_change && s->tree->has_base, s->tree->has_base);
  if (s->verdicts)
    buffer_add(fill_html(f, "script"), asset_picture_real_js, asset_picture_real_js_size);
  else
    buffer_add(fill_html(f, "script"), asset_picture_js, asset_picture_js_size);
}

static void svg_put_part(struct svg *s, pprofc_str picture, const char *part,
                         const struct fill *f) {
  buffer_clear(&s->text);
  template_put(&s->text, picture, part, f);
  output_add_str(s->out, buffer_str(&s->text));
}

static void put_document(struct svg *s) {
  const pprofc_str picture = {(const char *)asset_picture_svg, asset_picture_svg_size};
  struct template box = template_compile(s->text.mem, picture, "box");
  struct fill f = fill_make(s->text.mem);
  svg_fill(s, &f);
  if (s->drawing->part)
    *s->drawing->part = (struct flame_part){s->width, s->top, ROW * (s->boxes.max_depth + 1)};
  svg_put_part(s, picture, "begin", &f);
  for (size_t i = 0; i < s->boxes.count && !s->out->failed; i++)
    svg_put_box(s, &box, &s->boxes.items[i]);
  svg_put_part(s, picture, "end", &f);
  template_free(&box);
  fill_free(&f);
}

static pprofc_status svg_draw(struct svg *s, pprofc_error *error) {
  const struct flame_drawing *drawing = s->drawing;
  s->width = drawing->picture_width ? drawing->picture_width : 1200;
  double frames = s->width - 2 * SIDE;
  double least = drawing->least_share > 0 ? drawing->least_share : drawing->least_pixels / frames;
  pprofc_status status =
      flame_place(s->tree, drawing->type, drawing->width, least, &s->boxes, error);
  if (status != PPROFC_OK) return status;
  if (!(s->boxes.width > 0))
    return error_set(error, PPROFC_E_INVALID, "the profile has no samples to draw");
  s->scale = frames / s->boxes.width;
  s->top = TOP + (s->verdicts ? NOTE_ROW * (double)s->verdicts->note_count : 0);
  s->height = s->top + BOTTOM + ROW * (s->boxes.max_depth + 1);
  find_greatest_changes(s);
  buffer_init(&s->name, drawing->tree->arena.mem, SIZE_MAX / 2);
  buffer_init(&s->text, drawing->tree->arena.mem, SIZE_MAX / 2);
  buffer_init(&s->fitted, drawing->tree->arena.mem, SIZE_MAX / 2);
  fill_init(&s->box, drawing->tree->arena.mem);
  s->box.escape = escape_xml;
  label_init(&s->forms, drawing->tree->arena.mem);
  put_document(s);
  bool failed = s->name.failed || s->text.failed || s->fitted.failed || s->forms.text[0].failed ||
                s->forms.text[1].failed;
  buffer_free(&s->name);
  buffer_free(&s->text);
  buffer_free(&s->fitted);
  fill_free(&s->box);
  label_free(&s->forms);
  return failed ? error_nomem(error) : PPROFC_OK;
}

pprofc_status flame_svg(const struct flame_drawing *drawing, struct output *out,
                        pprofc_error *error) {
  const struct flame_verdicts *v = drawing->verdicts;
  struct svg s = {.drawing = drawing, .tree = drawing->tree, .out = out};
  if (!v || v->type != drawing->type || !drawing->tree->has_base) return svg_draw(&s, error);
  s.verdicts = v;
  s.tree = &s.scaled;
  bool good = flame_verdict_scale(v, drawing->tree, &s.scaled);
  pprofc_status status = good ? svg_draw(&s, error) : error_nomem(error);
  flame_verdict_scale_free(&s.scaled);
  return status;
}
