/* Creates the menus of the bar. One is a form with report options. The other has downloads, saved
 * views, the theme and details of the profile. */
#include "web/views/page.h"

/* A field of the form: the name of its option, a label and a hint. */
struct menu_field {
  const char *option, *label, *hint;
};

/* The fields below the filters. */
static const struct menu_field menu_limits[] = {
    {"unit", "Unit", "minimum, auto, ms, MB ..."},
    {"nodecount", "Maximum boxes", "in the graph"},
    {"nodefraction", "Hide nodes below", "part of the total"},
    {"edgefraction", "Hide edges below", "part of the total"},
};

static const struct menu_field menu_switches[] = {
    {"noinlines", "Add inlined functions to their callers", ""},
    {"call_tree", "Graph as a tree", ""},
    {"relative_percentages", "Percentages of the shown part", ""},
    {"mean", "Mean per sample", ""},
    {"drop_negative", "Hide decreases", ""},
};

/* The form. Its hidden fields keep the other parameters of the page's address. */
struct menu {
  struct view_page *page;
  size_t count;
  const char *parameters[WEB_PARAMETERS_MAX]; /* parameters of the fields; ends with NULL */
};

static const pprofc_option_info *menu_option(const char *name) {
  const pprofc_option_info *option;
  for (size_t i = 0; (option = pprofc_option_at(i)); i++)
    if (strcmp(option->name, name) == 0) return option;
  return NULL;
}

static void menu_add(struct menu *menu, const char *list, const pprofc_option_info *option,
                     const char *label, const char *hint) {
  struct fill *fill = &menu->page->fill;
  const char *value = page_option(menu->page, menu->page->in->options, option->name);
  if (!value) return;
  if (strcmp(value, option->default_text) == 0) value = "";
  const char *parameter = option->url ? option->url : option->name;
  menu->parameters[menu->count++] = parameter;
  fill_begin(fill, list);
  fill_pack(fill, "label:s parameter:s placeholder:s value:s on:b}", label, parameter, hint, value,
            strcmp(value, "true") == 0);
}

static void menu_fields(struct menu *menu, const char *list, const struct menu_field *fields,
                        size_t count) {
  for (size_t i = 0; i < count; i++)
    menu_add(menu, list, menu_option(fields[i].option), fields[i].label, fields[i].hint);
}

static void menu_choice(struct menu *menu, const char *label, const char *parameter,
                        const char *const (*words)[2], const char *current) {
  struct fill *fill = &menu->page->fill;
  menu->parameters[menu->count++] = parameter;
  fill_pack(fill, "choices:{label:s parameter:s", label, parameter);
  for (size_t i = 0; words[i][0]; i++) {
    fill_pack(fill, "words:{value:s word:s selected:b}", words[i][0], words[i][1],
              current && strcmp(current, words[i][0]) == 0);
  }
  fill_end(fill);
}

void document_options_menu(struct view_page *page) {
  static const char *const levels[][2] = {
      {"", "automatic"},  {"functions", "functions"}, {"filefunctions", "functions and files"},
      {"files", "files"}, {"lines", "lines"},         {"addresses", "addresses"},
      {NULL, NULL}};
  static const char *const sorts[][2] = {{"flat", "self"}, {"cum", "total"}, {NULL, NULL}};
  const pprofc_report_options *o = page->in->options;
  struct menu menu = {.page = page};
  fill_begin(&page->fill, "options");
  menu_choice(&menu, "Rows are", "g", levels, o->granularity);
  menu_choice(&menu, "Sort by", "sort", sorts, o->sort);
  for (size_t i = 0; i < FILTER_COUNT; i++) {
    const struct filter_option *f = &filter_options[i];
    if (f->label) menu_add(&menu, "fields", &f->option, f->label, f->hint);
  }
  menu_fields(&menu, "fields", menu_limits, sizeof menu_limits / sizeof *menu_limits);
  menu_fields(&menu, "switches", menu_switches, sizeof menu_switches / sizeof *menu_switches);
  document_hidden_fields(page, "hidden", menu.parameters);
  fill_end(&page->fill);
}

static void menu_downloads(struct view_page *page) {
  static const struct {
    const char *what, *words;
  } downloads[] = {
      {"", "Profile as loaded"},       {"filtered", "Profile as filtered"},
      {"csv", "Table (CSV)"},          {"svg", "Graph (SVG)"},
      {"flame", "Flame graph (page)"}, {"speedscope", "speedscope"},
      {"folded", "Folded stacks"},
  };
  for (size_t i = 0; i < sizeof downloads / sizeof *downloads; i++) {
    const struct web_change change = {"what", str_of(downloads[i].what)};
    fill_begin(&page->fill, "downloads");
    if (*downloads[i].what)
      page_link(page, "address", "download", &change, 1);
    else
      fill_words(&page->fill, "address", "download");
    fill_pack(&page->fill, "words:s}", downloads[i].words);
  }
}

static void menu_saved_item(struct view_page *page, const struct web_item *item) {
  const struct web_change changes[] = {{"config", str_of(item->name)},
                                       {"view", str_of(page->view->path)}};
  fill_begin(&page->fill, "saved");
  buffer_printf(fill_text(&page->fill, "address"), "%s?%s", page->view->path, item->query);
  if (item->current) fill_words(&page->fill, "aria-current", "true");
  fill_words(&page->fill, "name", item->name);
  web_query_link(fill_text(&page->fill, "delete"), page->in->query, "deleteconfig", changes, 2);
  fill_end(&page->fill);
}

void document_more_menu(struct view_page *page) {
  const struct web_info *info = page->in->info;
  menu_downloads(page);
  for (size_t i = 0; i < info->saved_count; i++) menu_saved_item(page, &info->saved[i]);
  if (info->argument_count) document_command(page, fill_text(&page->fill, "command"));
}
