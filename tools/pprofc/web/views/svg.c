/* The SVG of dot as part of a page: links and names in its boxes. */
#include "web/views/svg.h"

#include "core/str.h"

struct svg_copy {
  struct output *out;
  svg_box_fn box;
  void *context;
  size_t number; /* of the box whose group is open; 0: another group */
};

/* The value of an attribute of a tag, `name` with the = and the quote: `xlink:title="`. */
static bool svg_attribute(pprofc_str tag, pprofc_str name, pprofc_str *value) {
  size_t at = str_find(tag, name);
  if (at == tag.size) return false;
  *value = str_slice(tag, at + name.size, tag.size);
  *value = str_slice(*value, 0, str_find_char(*value, '"'));
  return true;
}

/* "N12" is box 12; "N12_0" and the legend are none. */
static size_t svg_box_number(pprofc_str title) {
  uint64_t number;
  bool is_box =
      str_starts(title, STR("N")) && str_parse_uint(str_slice(title, 1, title.size), 10, &number);
  return is_box && number < SIZE_MAX ? (size_t)number : 0;
}

/* <svg ...>: the view box alone, so that the page decides how large the picture is. */
static void svg_open_root(struct svg_copy *c, pprofc_str tag) {
  pprofc_str view;
  output_add_text(c->out, "<svg xmlns=\"http://www.w3.org/2000/svg\" "
                          "xmlns:xlink=\"http://www.w3.org/1999/xlink\"");
  if (svg_attribute(tag, STR("viewBox=\""), &view)) {
    output_add_text(c->out, " viewBox=\"");
    output_add_str(c->out, view);
    output_add_char(c->out, '"');
  }
  output_add_char(c->out, '>');
}

static void svg_open_group(struct svg_copy *c, pprofc_str tag) {
  pprofc_str id;
  c->number = str_find(tag, STR("class=\"")) < tag.size ? 0 : c->number;
  if (!svg_attribute(tag, STR(" id=\""), &id)) {
    output_add_str(c->out, tag);
    return;
  }
  size_t at = str_find(tag, STR(" id=\""));
  output_add_str(c->out, str_slice(tag, 0, at));
  output_add_str(c->out, str_slice(tag, at + id.size + 6, tag.size));
}

/* <a xlink:title="...">: a tooltip becomes a title that browsers show, and a box a link. */
static void svg_open_link(struct svg_copy *c, pprofc_str tag) {
  pprofc_str title;
  output_add_text(c->out, "<a");
  if (c->number) c->box(c->context, c->out, c->number);
  output_add_str(c->out, str_slice(tag, 2, tag.size));
  if (!svg_attribute(tag, STR("xlink:title=\""), &title)) return;
  output_add_text(c->out, "<title>");
  output_add_str(c->out, title);
  output_add_text(c->out, "</title>");
}

/* Takes one tag, comment or run of text off *rest. */
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
    pprofc_str title = svg_next(rest); /* names of dot's own: they number the boxes */
    c->number = svg_box_number(title);
    svg_next(rest);
  } else
    output_add_str(c->out, piece);
}

void svg_write(struct output *out, pprofc_str svg, svg_box_fn box, void *context) {
  struct svg_copy copy = {.out = out, .box = box, .context = context};
  pprofc_str rest = str_slice(svg, str_find(svg, STR("<svg ")), svg.size);
  while (rest.size) {
    pprofc_str piece = svg_next(&rest);
    svg_piece(&copy, piece, &rest);
  }
}
