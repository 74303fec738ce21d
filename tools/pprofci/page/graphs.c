/* Adds interactive flame graphs, or the scripts that load the graphs, to a page. */
#include "page/plot.h"

#include "run/profiles.h"

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

void graphs_put_scripts(struct fill *f, bool beside) {
  fill_flag(f, "graph_box", true);
  if (beside) fill_words(f, "data-viewer", GRAPH_VIEWER);
  for (size_t i = beside; i < sizeof scripts / sizeof *scripts; i++)
    graphs_put_script(f, &scripts[i]);
}

bool graphs_put(struct fill *f, pprofc_str address, pprofc_str packed) {
  if (!packed.size || f->text.size + packed.size > GRAPHS_MOST) return false;
  fill_pack(f, "graphs:{address:S", address);
  buffer_add_str(fill_html(f, "packed"), packed);
  fill_end(f);
  return true;
}
