/* The inspector: the selected function and its actions, in every view. The server fills in the
 * values that it knows; the script fills the same slots when the user selects another
 * function. */
#include "web/views/page.h"

/* Actions of the selected function: a parameter that takes its name, or a view. */
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

static void inspector_open(struct output *out, bool shown, const char *words, const char *slot) {
  output_printf(out, "<div%s><dt>%s</dt><dd data-slot=\"%s\">", shown ? "" : " hidden", words,
                slot);
}

static void inspector_value(const struct view_page *page, struct output *out, const char *slot,
                            int64_t value) {
  bool shown = page->selected_found && value;
  inspector_open(out, shown, slot, slot);
  if (shown) page_write_value(page, out, value);
  output_add_text(out, "</dd></div>");
}

/* Writes an amount of one side. */
static void inspector_side(const struct view_page *page, struct output *out, const char *words,
                           const char *slot, double value) {
  bool shown = page->selected_found && value != 0;
  inspector_open(out, shown, words, slot);
  if (shown) page_amount(out, page, value);
  output_add_text(out, "</dd></div>");
}

/* Writes the change of self or total, both sides and the verdict. The script fills hidden slots. */
static void inspector_sides(const struct view_page *page, struct output *out, bool by_cum) {
  static const char *const words[2][4] = {
      {"self, change", "self in base", "self in head", "self, certain?"},
      {"total, change", "total in base", "total in head", "total, certain?"}};
  static const char *const slots[2][4] = {{"self", "base-self", "head-self", "self-verdict"},
                                          {"total", "base-total", "head-total", "total-verdict"}};
  const struct view_row *row = &page->selected;
  const struct view_sides *s = by_cum ? &row->total : &row->self;
  bool changed = page->selected_found && s->base != s->head;
  bool judged = page->selected_found && row->verdict && *judge_word(row->verdict, by_cum);
  inspector_open(out, changed, words[by_cum][0], slots[by_cum][0]);
  if (changed) page_amount_change(out, page, s);
  output_add_text(out, "</dd></div>");
  inspector_side(page, out, words[by_cum][1], slots[by_cum][1], s->base);
  inspector_side(page, out, words[by_cum][2], slots[by_cum][2], s->head);
  inspector_open(out, judged, words[by_cum][3], slots[by_cum][3]);
  if (judged) page_verdict_text(out, page, row, by_cum);
  output_add_text(out, "</dd></div>");
}

static void inspector_values(const struct view_page *page, struct output *out) {
  const struct view_row *row = &page->selected;
  output_add_text(out, "<dl>");
  if (page_is_diff(page)) {
    inspector_sides(page, out, false);
    inspector_sides(page, out, true);
  } else {
    inspector_value(page, out, "self", row->flat);
    inspector_value(page, out, "total", row->cum);
    inspector_open(out, page->selected_found, "of all", "share");
    if (page->selected_found) html_share(out, row->cum, page->totals.total);
    output_add_text(out, "</dd></div>");
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
