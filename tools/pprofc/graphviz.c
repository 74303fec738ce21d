/* Runs dot on a report, and adds a script that pans and zooms the SVG. */
#include "destination.h"

#include "core/child.h"
#include "core/template.h"

#define MAX_DOT_BYTES ((size_t)1 << 30)

/* graph.svg is the template of the picture. movable.svg is inserted before the graph: a script for
 * panning and zooming, and the start of an element that encloses the graph. */
extern const unsigned char asset_graph_svg[], asset_movable_svg[];
extern const size_t asset_graph_svg_size, asset_movable_svg_size;

/* Moves the text before `mark` from *rest to `out`. If there is no mark, moves the whole text and
 * returns false. */
static bool copy_until(struct buffer *out, pprofc_str *rest, pprofc_str mark) {
  size_t at = str_find(*rest, mark);
  buffer_add(out, rest->data, at);
  bool found = at < rest->size;
  *rest = str_slice(*rest, at, rest->size);
  return found;
}

/* Scales the SVG to the window, and adds the script and the enclosing element. Copies an SVG with
 * an unknown structure unchanged. */
static void make_movable(struct buffer *out, pprofc_str svg) {
  size_t tag = str_find(svg, STR("<svg "));
  size_t tag_end = tag + str_find_char(str_slice(svg, tag, svg.size), '>');
  size_t names = str_find(str_slice(svg, tag, tag_end), STR(" xmlns="));
  size_t graph = str_find(svg, STR("<g id=\"graph"));
  size_t end = str_find(svg, STR("</svg>"));
  if (tag_end >= graph || tag + names >= tag_end || graph >= end || end >= svg.size) {
    buffer_add_str(out, svg);
    return;
  }
  struct fill fill = fill_make(out->mem);
  buffer_add_str(fill_html(&fill, "before"), str_slice(svg, 0, tag));
  buffer_add_str(fill_html(&fill, "root"), str_slice(svg, tag + names, graph));
  buffer_add(fill_html(&fill, "script"), asset_movable_svg, asset_movable_svg_size);
  buffer_add_str(fill_html(&fill, "graph"), str_slice(svg, graph, end));
  buffer_add_str(fill_html(&fill, "after"), str_slice(svg, end, svg.size));
  template_put(out, (pprofc_str){(const char *)asset_graph_svg, asset_graph_svg_size}, "picture",
               &fill);
  fill_free(&fill);
}

/* Replaces the invalid entity "&;", which dot writes if a label contains the text "&;". */
static void mend_entities(struct buffer *out, pprofc_str svg) {
  while (copy_until(out, &svg, STR("&;"))) {
    buffer_add_text(out, "&amp;;");
    svg = str_slice(svg, 2, svg.size);
  }
}

pprofc_status graphviz_draw(const char *type, pprofc_str graph, unsigned timeout_ms,
                            struct buffer *picture, pprofc_error *error) {
  char option[32];
  snprintf(option, sizeof option, "-T%s", type);
  const char *argv[] = {"dot", option, NULL};
  struct child child = {argv, graph, timeout_ms};
  struct child_end end;
  if (!child_exists("dot"))
    return error_set(error, PPROFC_E_UNSUPPORTED,
                     "cannot draw the graph: graphviz is not installed (apt install graphviz)");
  pprofc_status status = child_run(&child, picture, &end, error);
  if (status == PPROFC_E_LIMIT)
    error_prefix(error, "cannot draw the graph, try a smaller -nodecount: ");
  if (status == PPROFC_OK && end.status)
    return error_set(error, PPROFC_E_IO, "cannot draw the graph: dot failed with status %d: %s",
                     end.status, end.said);
  return status;
}

static pprofc_status graphviz_send(struct buffer *picture, bool svg, pprofc_write_fn write,
                                   void *context, pprofc_error *error) {
  struct buffer mended, movable;
  buffer_init(&mended, picture->mem, 2 * CHILD_OUTPUT_BYTES);
  buffer_init(&movable, picture->mem, 2 * CHILD_OUTPUT_BYTES);
  struct buffer *result = picture;
  if (svg) {
    mend_entities(&mended, buffer_str(picture));
    make_movable(&movable, buffer_str(&mended));
    result = &movable;
  }
  pprofc_status status = PPROFC_OK;
  if (mended.failed || movable.failed)
    status = error_nomem(error);
  else if (write(context, result->data, result->size) != 0)
    status = error_set(error, PPROFC_E_IO, "cannot write the report");
  buffer_free(&mended);
  buffer_free(&movable);
  return status;
}

pprofc_status graphviz_report(const struct command *command, const pprofc_profile *profile,
                              pprofc_write_fn write, void *context, pprofc_error *error) {
  const char *type = command->format->graphviz;
  const pprofc_allocator *mem = budget_allocator(command->budget);
  struct buffer graph, picture;
  buffer_init(&graph, mem, MAX_DOT_BYTES);
  buffer_init(&picture, mem, CHILD_OUTPUT_BYTES);
  pprofc_report_options options = command->report;
  options.format = "dot";
  pprofc_status status = pprofc_report(profile, &options, buffer_write, &graph, error);
  if (status == PPROFC_OK && graph.failed) status = error_nomem(error);
  if (status == PPROFC_OK) status = graphviz_draw(type, buffer_str(&graph), 0, &picture, error);
  if (status == PPROFC_OK)
    status = graphviz_send(&picture, strcmp(type, "svg") == 0, write, context, error);
  buffer_free(&graph);
  buffer_free(&picture);
  return status;
}
