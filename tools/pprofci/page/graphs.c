/* Puts interactive flame graphs into a page. */
#include "page/graphs.h"

#include "core/base64.h"

#include <stdio.h>
#include <string.h>

extern const unsigned char asset_flame_js[], asset_report_js[], asset_flame_css[],
    asset_report_css[];
extern const size_t asset_flame_js_size, asset_report_js_size, asset_flame_css_size,
    asset_report_css_size;
extern const char asset_flame_js_sha256[], asset_report_js_sha256[];

static const struct page_script scripts[] = {
    {asset_flame_js, &asset_flame_js_size, asset_flame_js_sha256},
    {asset_report_js, &asset_report_js_size, asset_report_js_sha256}};

void graphs_put_script(struct fill *f, const struct page_script *script) {
  fill_begin(f, "scripts");
  base64_put_hash(fill_html(f, "hash"), script->sha256);
  buffer_add(fill_html(f, "script"), script->text, *script->size);
  fill_end(f);
}

void graphs_put_style(struct buffer *style) {
  buffer_add(style, asset_flame_css, asset_flame_css_size);
  buffer_add(style, asset_report_css, asset_report_css_size);
}

void graphs_put_scripts(struct fill *f) {
  fill_flag(f, "one_file", true);
  for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) graphs_put_script(f, &scripts[i]);
}

/* Returns the text of the script with the id `part` in the page of a flame graph. data is NULL if
 * the script is missing. */
static pprofc_str part_of(pprofc_str html, const char *part) {
  char opening[64];
  snprintf(opening, sizeof opening, "id=\"pprofc-%s\">", part);
  size_t found = str_find(html, str_of(opening));
  if (found == html.size) return (pprofc_str){NULL, 0};
  html = str_slice(html, found + strlen(opening), html.size);
  size_t end = str_find_char(html, '<');
  bool whole = str_starts(str_slice(html, end, html.size), STR("</script>"));
  return whole ? str_slice(html, 0, end) : (pprofc_str){NULL, 0};
}

bool graphs_put(struct fill *f, pprofc_str address, pprofc_str html) {
  static const char *const names[] = {"meta", "frames", "nodes", "groups"};
  pprofc_str parts[sizeof names / sizeof *names];
  size_t size = f->text.size;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    parts[i] = part_of(html, names[i]);
    if (!parts[i].data) return false;
    size += parts[i].size;
  }
  if (size > GRAPHS_MOST) return false;
  fill_begin(f, "graphs");
  fill_str(f, "address", address);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    fill_begin(f, "parts");
    fill_words(f, "part", names[i]);
    buffer_add_str(fill_html(f, "data"), parts[i]);
    fill_end(f);
  }
  fill_end(f);
  return true;
}
