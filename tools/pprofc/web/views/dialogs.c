/* The dialogs that the script opens: the list of keys, and the name of a saved view. */
#include "web/views/page.h"

static const struct {
  const char *keys, *what;
} dialog_keys[] = {
    {"/", "search; Enter keeps only stacks that match"},
    {"n N", "next and previous hot line or match"},
    {"Enter", "callers and callees of the selection"},
    {"Esc", "close, clear the selection"},
    {"c", "copy the name of the selection"},
    {"b h d", "base, head, difference"},
    {"r", "load the changed profile"},
    {"+ - 0", "zoom in, zoom out, fit (Flame, Graph)"},
    {"arrows", "walk (Flame), move (Graph), next row (Top)"},
    {"?", "this sheet"},
};

static void dialog_key_row(struct output *out, const char *keys, const char *what) {
  output_add_text(out, "<div><dt>");
  html_put(out, keys);
  output_add_text(out, "</dt><dd>");
  html_put(out, what);
  output_add_text(out, "</dd></div>");
}

void document_dialogs(const struct view_page *page, struct output *out) {
  const struct web_view *view;
  (void)page;
  output_add_text(out, "<dialog id=keys aria-labelledby=keys-title><h2 id=keys-title>Keyboard "
                       "shortcuts</h2><dl>");
  for (size_t i = 0; (view = web_view_at(i)); i++) {
    const char key[] = {view->key, '\0'};
    output_add_text(out, "<div><dt>");
    html_put(out, key);
    output_printf(out, "</dt><dd>%s: %s</dd></div>", view->title, view->about);
  }
  for (size_t i = 0; i < sizeof dialog_keys / sizeof *dialog_keys; i++)
    dialog_key_row(out, dialog_keys[i].keys, dialog_keys[i].what);
  output_add_text(
      out,
      "</dl><p>A middle click opens a link in a new tab. Drop a profile on the page to compare "
      "with it.</p><form method=dialog><button>Close</button></form></dialog>\n"
      "<dialog id=save-dialog aria-labelledby=save-title><h2 id=save-title>Save this view"
      "</h2><form method=dialog id=save-form><label>Name<input name=config maxlength=100 "
      "autocomplete=off required></label><p id=save-failure role=alert></p><button "
      "class=main aria-label=\"Save under this name\">Save</button><button type=button "
      "class=cancel>Cancel</button></form>"
      "</dialog>\n");
}
