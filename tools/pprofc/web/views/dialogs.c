/* The dialogs that the script opens: the list of keys, which it fills, and the name of a saved
 * view. */
#include "web/views/page.h"

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
  output_add_text(
      out, "</dl><dl class=live></dl><p>A middle click opens a link in a new tab. Drop a profile "
           "on the page to compare "
           "with it.</p><form method=dialog><button>Close</button></form></dialog>\n"
           "<dialog id=save-dialog aria-labelledby=save-title><h2 id=save-title>Save this view"
           "</h2><form method=dialog id=save-form><label>Name<input name=config maxlength=100 "
           "autocomplete=off required></label><p id=save-failure role=alert></p><button "
           "class=main aria-label=\"Save under this name\">Save</button><button type=button "
           "class=cancel>Cancel</button></form>"
           "</dialog>\n");
}
