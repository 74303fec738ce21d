/* Creates the inspector: the panel with the selected function and its actions, which every page
 * has. The server sets the values that it knows. The script sets the same fields when the user
 * selects another function. */
#include "web/views/page.h"

/* Actions on the selected function. An action either opens a view that shows the function, or sets
 * a filter to an expression that matches the function's name. */
static const struct inspector_action {
  const char *id, *words, *view, *parameter;
} inspector_actions[] = {
    {"peek", "Callers and callees", "peek", "sel"},
    {"source", "Source", "source", "sel"},
    {"disasm", "Disassembly", "disasm", "sel"},
    {"focus", "Focus", "", "f"},
    {"ignore", "Ignore", "", "i"},
    {"hide", "Hide", "", "h"},
    {"show", "Show", "", "s"},
    {"show-from", "Show from", "", "sf"},
};

/* Begins a field with the label `words`. If `shown` is true, the caller sets the value of the
 * field. Otherwise the field is hidden. */
static void inspector_open(struct view_page *page, bool shown, const char *words,
                           const char *slot) {
  fill_pack(&page->fill, "slots:{hidden:b words:s slot:s", !shown, words, slot);
}

static void inspector_value(struct view_page *page, const char *slot, int64_t value) {
  bool shown = page->selected_found && value;
  inspector_open(page, shown, slot, slot);
  if (shown) page_fill_shown(page, "value", value);
  fill_end(&page->fill);
}

static void inspector_side(struct view_page *page, const char *words, const char *slot,
                           double value) {
  bool shown = page->selected_found && value != 0;
  inspector_open(page, shown, words, slot);
  if (shown) page_amount(page, "value", value);
  fill_end(&page->fill);
}

/* Writes the change of self or total, with base, head and verdict. */
static void inspector_sides(struct view_page *page, bool by_cum) {
  static const char *const words[2][4] = {
      {"self, change", "self in base", "self in head", "self, certain?"},
      {"total, change", "total in base", "total in head", "total, certain?"}};
  static const char *const slots[2][4] = {{"self", "base-self", "head-self", "self-verdict"},
                                          {"total", "base-total", "head-total", "total-verdict"}};
  const struct view_row *row = &page->selected;
  const struct view_sides *s = by_cum ? &row->total : &row->self;
  bool changed = page->selected_found && s->base != s->head;
  bool judged = page->selected_found && row->verdict && *noise_word(row->verdict, by_cum);
  inspector_open(page, changed, words[by_cum][0], slots[by_cum][0]);
  if (changed) page_amount_change(page, "value", s);
  fill_end(&page->fill);
  inspector_side(page, words[by_cum][1], slots[by_cum][1], s->base);
  inspector_side(page, words[by_cum][2], slots[by_cum][2], s->head);
  inspector_open(page, judged, words[by_cum][3], slots[by_cum][3]);
  if (judged) page_verdict(page, "value", row, by_cum);
  fill_end(&page->fill);
}

static void inspector_values(struct view_page *page) {
  const struct view_row *row = &page->selected;
  if (page_is_diff(page)) {
    inspector_sides(page, false);
    inspector_sides(page, true);
    return;
  }
  inspector_value(page, "self", row->flat);
  inspector_value(page, "total", row->cum);
  inspector_open(page, page->selected_found, "of all", "share");
  if (page->selected_found) page_fill_share(page, "value", row->cum, page->totals.total);
  fill_end(&page->fill);
}

static void inspector_link(struct view_page *page, const struct inspector_action *action,
                           pprofc_str expression) {
  bool opens = *action->view != '\0';
  const struct web_change change = {action->parameter,
                                    opens ? page->selected.function : expression};
  fill_begin(&page->fill, "actions");
  page_link(page, "address", opens ? action->view : page->view->path, &change, 1);
  fill_pack(&page->fill, "action:s parameter:s to:s words:s}", action->id, action->parameter,
            action->view, action->words);
}

void document_inspector(struct view_page *page) {
  const struct view_row *row = &page->selected;
  struct buffer expression = buffer_make(page->mem, (size_t)4 << 20);
  html_exact_expression(&expression, row->function);
  fill_pack(&page->fill, "inspector:{closed:b", !row->function.size);
  page_change_link(page, "sel", STR(""));
  fill_pack(&page->fill, "function:S file:S", row->function, row->file);
  if (row->file.size) view_row_fill_line(page, row, "line");
  inspector_values(page);
  for (size_t i = 0; i < sizeof inspector_actions / sizeof *inspector_actions; i++)
    inspector_link(page, &inspector_actions[i], buffer_str(&expression));
  fill_end(&page->fill);
  buffer_free(&expression);
}
