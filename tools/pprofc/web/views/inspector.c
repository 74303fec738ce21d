/* The inspector: what is selected, in every view, and what can be done with it. The server fills in
 * what it knows; the script fills the same slots when another function is selected. */
#include "web/views/page.h"

/* Where one can go from the selected function: a parameter that takes its name, or a view. */
static const struct inspector_action {
  const char *id, *words, *view, *parameter;
} inspector_actions[] = {
    {"peek", "Callers and callees", "peek", "f"},
    {"source", "Source", "source", "f"},
    {"disasm", "Disassembly", "disasm", "f"},
    {"focus", "Focus", NULL, "f"},
    {"ignore", "Ignore", NULL, "i"},
    {"hide", "Hide", NULL, "h"},
    {"show", "Show", NULL, "s"},
    {"show-from", "Show from", NULL, "sf"},
};

static void inspector_slot(const struct view_page *page, struct output *out, const char *words,
                           const char *slot, int64_t value) {
  bool shown = page->selected_found && value;
  output_printf(out, "<div%s><dt>%s</dt><dd data-slot=\"%s\">", shown ? "" : " hidden", words,
                slot);
  if (shown) page_write_value(page, out, value);
  output_add_text(out, "</dd></div>");
}

/* What is said of the change: the slot stays for the script where nothing is. */
static void inspector_verdict(const struct view_page *page, struct output *out, const char *words,
                              const char *slot, bool by_cum) {
  const pprofc_verdict_row *row = page->selected_found ? page->selected.verdict : NULL;
  bool shown = row && *judge_word(row, by_cum);
  output_printf(out, "<div%s><dt>%s</dt><dd data-slot=\"%s\">", shown ? "" : " hidden", words,
                slot);
  if (shown) page_verdict_text(out, page, row, by_cum);
  output_add_text(out, "</dd></div>");
}

static void inspector_values(const struct view_page *page, struct output *out) {
  const struct view_row *row = &page->selected;
  bool diff = page_is_diff(page);
  output_add_text(out, "<dl>");
  inspector_slot(page, out, diff ? "self, change" : "self", "self", row->flat);
  inspector_slot(page, out, diff ? "total, change" : "total", "total", row->cum);
  output_add_text(out, page->selected_found ? "<div><dt>" : "<div hidden><dt>");
  output_add_text(out, diff ? "of the base" : "of all");
  output_add_text(out, "</dt><dd data-slot=share>");
  if (page->selected_found) html_share(out, row->cum, page->totals.total);
  output_add_text(out, "</dd></div>");
  if (diff) {
    inspector_slot(page, out, "self in base", "base-self", row->base_flat);
    inspector_slot(page, out, "self in head", "head-self", row->head_flat);
    inspector_slot(page, out, "total in base", "base-total", row->base_cum);
    inspector_slot(page, out, "total in head", "head-total", row->head_cum);
    inspector_verdict(page, out, "self, verdict", "self-verdict", false);
    inspector_verdict(page, out, "total, verdict", "total-verdict", true);
  }
  output_add_text(out, "</dl>");
}

static void inspector_action(const struct view_page *page, struct output *out,
                             const struct inspector_action *action, pprofc_str expression) {
  const struct web_change change = {action->parameter, expression};
  output_add_text(out, "<li><a");
  page_link(out, page, action->view ? action->view : page->view->path, &change, 1);
  output_printf(out, " data-action=\"%s\" data-parameter=\"%s\" data-to=\"%s\">%s</a></li>",
                action->id, action->parameter, action->view ? action->view : "", action->words);
}

static void inspector_links(const struct view_page *page, struct output *out) {
  struct buffer expression;
  buffer_init(&expression, page->mem, (size_t)4 << 20);
  html_exact_expression(&expression, page->selected.function);
  output_add_text(out, "<ul>");
  for (size_t i = 0; i < sizeof inspector_actions / sizeof *inspector_actions; i++)
    inspector_action(page, out, &inspector_actions[i], buffer_str(&expression));
  output_add_text(out, "</ul>");
  buffer_free(&expression);
}

void document_inspector(const struct view_page *page, struct output *out) {
  const struct view_row *row = &page->selected;
  const struct web_change none = {"sel", STR("")};
  output_printf(out, "<aside id=inspector aria-label=\"Selected function\"%s>\n",
                row->function.size ? "" : " hidden");
  output_add_text(out, "<a class=close aria-label=\"Close\" title=\"Close (Esc)\"");
  page_link(out, page, page->view->path, &none, 1);
  output_add_text(out, ">\xC3\x97</a>\n<h2 data-slot=name>");
  html_name(out, row->function);
  output_add_text(out, "</h2>\n<p class=place data-slot=place>");
  html_name(out, row->file);
  if (row->file.size && row->line) output_printf(out, ":%lld", (long long)row->line);
  output_add_text(out,
                  "</p>\n<button type=button class=script data-copy=name>Copy name</button>\n");
  inspector_values(page, out);
  inspector_links(page, out);
  output_add_text(out, "</aside>\n");
}
