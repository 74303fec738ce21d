/* Writes the flame graphs of report.html. Each is the packed data of its page flame/NAME.html,
 * copied once and only as text without markup: the files of merged jobs are untrusted. */
#include "page/report.h"

#include "page/html.h"
#include "run/files.h"

#include <stdio.h>

#define REPORT_MOST ((size_t)9500000)  /* bytes of report.html without its scripts */
#define GRAPH_MOST  ((size_t)64 << 20) /* bytes of a page with one flame graph */

extern const unsigned char asset_flame_js[], asset_report_js[], asset_flame_css[],
    asset_report_css[];
extern const size_t asset_flame_js_size, asset_report_js_size, asset_flame_css_size,
    asset_report_css_size;
extern const char asset_flame_js_sha256[], asset_report_js_sha256[];

const struct page_script report_scripts[REPORT_SCRIPTS] = {
    {asset_flame_js, &asset_flame_js_size, asset_flame_js_sha256},
    {asset_report_js, &asset_report_js_size, asset_report_js_sha256}};

void report_style(struct buffer *out) {
  buffer_add(out, asset_flame_css, asset_flame_css_size);
  buffer_add(out, asset_report_css, asset_report_css_size);
}

/* Copies one part of a flame graph: the text of the script with that id. False if it is missing. */
static bool put_part_of(struct buffer *out, pprofc_str html, const char *id) {
  char opening[64];
  snprintf(opening, sizeof opening, "id=\"%s\">", id);
  size_t found = str_find(html, str_of(opening));
  if (found == html.size) return false;
  html = str_slice(html, found + strlen(opening), html.size);
  size_t end = str_find_char(html, '<');
  if (!str_starts(str_slice(html, end, html.size), STR("</script>"))) return false;
  buffer_printf(out, "<script type=\"text/plain\" data-part=\"%s\">", id + strlen("pprofc-"));
  buffer_add_str(out, str_slice(html, 0, end));
  buffer_add_text(out, "</script>\n");
  return true;
}

/* Reads the page of the flame graph of a pair. False if it is missing or too large. */
static bool read_graph(const struct page_model *m, const struct run_pair *pair,
                       struct buffer *html) {
  const struct ci_run *run = m->run;
  struct buffer path;
  pprofc_error ignored;
  buffer_init(&path, run->mem, SIZE_MAX / 2);
  buffer_add_text(&path, pair->folder ? pair->folder : run->stage);
  buffer_printf(&path, "%s/flame/%s.html", pair->folder ? "" : "/ci", html_shown(pair));
  buffer_add_char(&path, '\0');
  bool good = !path.failed && file_read(path.data, html, &ignored) == PPROFC_OK;
  buffer_free(&path);
  return good;
}

static void put_graph(struct buffer *out, const struct page_model *m, const struct run_pair *pair) {
  static const char *const parts[] = {"pprofc-meta", "pprofc-frames", "pprofc-nodes",
                                      "pprofc-groups"};
  struct buffer html;
  size_t before = out->size;
  buffer_init(&html, out->mem, GRAPH_MOST);
  bool good = read_graph(m, pair, &html);
  buffer_add_text(out, "<template data-graph=\"");
  html_flame(out, m, pair, html_shown(pair), STR(""));
  buffer_add_text(out, "\">\n");
  for (size_t i = 0; i < sizeof parts / sizeof *parts && good; i++)
    good = put_part_of(out, buffer_str(&html), parts[i]);
  buffer_add_text(out, "</template>\n");
  if (!good || out->size > REPORT_MOST) out->size = before;
  buffer_free(&html);
}

static bool explains_slower(const struct page_model *m, const struct run_pair *pair) {
  for (size_t i = 0; i < m->states[STATE_SLOWER]; i++)
    if (model_is_of(pair, &m->benchmarks[i])) return true;
  return false;
}

void report_graphs(struct buffer *out, const struct page_model *m) {
  const struct ci_run *run = m->run;
  for (int slower = 1; slower >= 0; slower--)
    for (size_t i = 0; i < run->pair_count; i++)
      if (explains_slower(m, &run->pairs[i]) == (slower == 1)) put_graph(out, m, &run->pairs[i]);
  buffer_add_text(out, "<section id=\"graph\" aria-label=\"flame graph\" hidden>"
                       "<p><button type=\"button\">\xE2\x86\x90 page</button> <span></span></p>"
                       "<div></div></section>\n");
}
