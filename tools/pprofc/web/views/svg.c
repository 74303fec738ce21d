/* Copies an SVG made by dot into a page. Turns its boxes into links with names. */
#include "web/views/page.h"

struct svg_copy {
  struct buffer *out;
  svg_box_fn box;
  void *context;
  size_t number; /* number of the box whose <g> element is open; 0 if this element is not a box */
  bool difference;
};

/* Colours that replace red (`more`), green (`less`) and grey (`neutral`) of dot_color. In
 * dot_color, boxes have 10 % saturation, and lines 100 %. Only colours of boxes have a red or green
 * component above 200. */
struct svg_palette {
  unsigned neutral[3], more[3], less[3];
  double saturation;
};
static const struct svg_palette svg_boxes = {
    {238, 238, 238}, {251, 214, 182}, {190, 219, 245}, 0.1};
static const struct svg_palette svg_lines = {{138, 138, 138}, {184, 84, 0}, {28, 100, 165}, 1};

/* Returns the index of the digits in the next `="#rrggbb"`, or the text's size. */
static size_t svg_find_color(pprofc_str text, size_t from) {
  size_t at = from + str_find(str_slice(text, from, text.size), STR("=\"#"));
  return at + 10 < text.size && text.data[at + 9] == '"' ? at + 3 : text.size;
}

static void svg_put_color(struct buffer *out, pprofc_str digits) {
  uint64_t rgb;
  if (!str_parse_uint(digits, 16, &rgb)) {
    buffer_add_str(out, digits);
    return;
  }
  int red = (int)(rgb >> 16), green = (int)(rgb >> 8 & 255);
  int most = red > green ? red : green;
  const struct svg_palette *p = most > 200 ? &svg_boxes : &svg_lines;
  const unsigned *to = red > green ? p->more : p->less;
  double part = most ? (double)abs(red - green) / most / p->saturation : 0;
  if (part > 1) part = 1;
  for (size_t i = 0; i < 3; i++) {
    double from = p->neutral[i];
    buffer_printf(out, "%02x", (unsigned)(from + part * ((double)to[i] - from)));
  }
}

/* Writes a tag. In a difference, replaces the tag's colours. */
static void svg_put_tag(struct svg_copy *c, pprofc_str tag) {
  size_t from = 0, at;
  while (c->difference && (at = svg_find_color(tag, from)) < tag.size) {
    buffer_add_str(c->out, str_slice(tag, from, at));
    svg_put_color(c->out, str_slice(tag, at, at + 6));
    from = at + 6;
  }
  buffer_add_str(c->out, str_slice(tag, from, tag.size));
}

/* Finds an attribute of a tag. `name` includes '=' and the quote: `xlink:title="`. */
static bool svg_attribute(pprofc_str tag, pprofc_str name, pprofc_str *value) {
  size_t at = str_find(tag, name);
  if (at == tag.size) return false;
  *value = str_slice(tag, at + name.size, tag.size);
  *value = str_slice(*value, 0, str_find_char(*value, '"'));
  return true;
}

/* Returns a box's number: 12 for the title "N12"; 0 for others, such as "N12_0". */
static size_t svg_box_number(pprofc_str title) {
  uint64_t number;
  bool is_box =
      str_starts(title, STR("N")) && str_parse_uint(str_slice(title, 1, title.size), 10, &number);
  return is_box && number < SIZE_MAX ? (size_t)number : 0;
}

/* Writes a part of the template views.html with a value that is markup of the picture. */
static void svg_print_part(struct svg_copy *c, const char *part, const char *name,
                           pprofc_str value) {
  struct fill fill = fill_make(c->out->mem);
  buffer_add_str(fill_html(&fill, name), value);
  page_fill(c->out, part, &fill);
  fill_free(&fill);
}

/* Writes the tag <svg ...> without width and height, because the page sets the size. */
static void svg_open_root(struct svg_copy *c, pprofc_str tag) {
  pprofc_str view = STR("");
  svg_attribute(tag, STR("viewBox=\""), &view);
  svg_print_part(c, "picture", "view", view);
}

static void svg_open_group(struct svg_copy *c, pprofc_str tag) {
  pprofc_str id;
  c->number = str_find(tag, STR("class=\"")) < tag.size ? 0 : c->number;
  if (!svg_attribute(tag, STR(" id=\""), &id)) {
    buffer_add_str(c->out, tag);
    return;
  }
  size_t at = str_find(tag, STR(" id=\""));
  buffer_add_str(c->out, str_slice(tag, 0, at));
  buffer_add_str(c->out, str_slice(tag, at + id.size + 6, tag.size));
}

/* Writes the start of a link. A box gets a link to its function. If the tag has a tooltip in
 * xlink:title, also writes it as a <title> element, because browsers show only this element. */
static void svg_open_link(struct svg_copy *c, pprofc_str tag) {
  pprofc_str title;
  if (c->number) c->box(c->context, c->out, c->number);
  buffer_add_str(c->out, str_slice(tag, c->number ? 2 : 0, tag.size));
  if (svg_attribute(tag, STR("xlink:title=\""), &title)) svg_print_part(c, "tip", "tip", title);
}

/* Removes the next tag, comment or text from *rest and returns it. */
static pprofc_str svg_next(pprofc_str *rest) {
  size_t end;
  if (str_starts(*rest, STR("<!--")))
    end = str_find(*rest, STR("-->")) + 3;
  else if (str_starts(*rest, STR("<")))
    end = str_find_char(*rest, '>') + 1;
  else
    end = str_find_char(*rest, '<');
  pprofc_str piece = str_slice(*rest, 0, end);
  *rest = str_slice(*rest, end, rest->size);
  return piece;
}

static void svg_piece(struct svg_copy *c, pprofc_str piece, pprofc_str *rest) {
  if (str_starts(piece, STR("<!--"))) return;
  if (str_starts(piece, STR("<svg ")))
    svg_open_root(c, piece);
  else if (str_starts(piece, STR("<g ")))
    svg_open_group(c, piece);
  else if (str_starts(piece, STR("<a ")))
    svg_open_link(c, piece);
  else if (str_equal(piece, STR("<title>"))) {
    pprofc_str title = svg_next(rest); /* title that dot wrote, with the number of the box */
    c->number = svg_box_number(title);
    svg_next(rest);
  } else if (str_starts(piece, STR("<")))
    svg_put_tag(c, piece);
  else
    buffer_add_str(c->out, piece);
}

void svg_write(struct buffer *out, pprofc_str svg, bool difference, svg_box_fn box, void *context) {
  struct svg_copy copy = {.out = out, .box = box, .context = context, .difference = difference};
  pprofc_str rest = str_slice(svg, str_find(svg, STR("<svg ")), svg.size);
  while (rest.size) {
    pprofc_str piece = svg_next(&rest);
    svg_piece(&copy, piece, &rest);
  }
}
