/* The menus of the bar: options of the report as a form, and downloads, saved views, theme and
 * details of the profile. */
#include "web/views/page.h"

/* ---- options ----------------------------------------- */

/* A field of the form: name of the report option, label and hint. */
struct menu_field {
  const char *option, *label, *hint;
};

static const struct menu_field menu_filters[] = {
    {"ignore", "Ignore", "hide stacks with this function"},
    {"hide", "Hide", "remove these functions from stacks"},
    {"show", "Show", "keep only these functions"},
    {"show_from", "Show from", "cut above the outermost match"},
    {"prune_from", "Prune from", "cut below"},
    {"tagfocus", "Label focus", "keep label key=value"},
    {"tagignore", "Label ignore", "exclude label key=value"},
    {"tagshow", "Label show", "label keys to show"},
    {"taghide", "Label hide", "label keys to hide"},
    {"tagroot", "Label as root", "keys, with commas between"},
    {"tagleaf", "Label as leaf", "keys, with commas between"},
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

static const pprofc_option_info *menu_option(const char *name) {
  const pprofc_option_info *option;
  for (size_t i = 0; (option = pprofc_option_at(i)); i++)
    if (strcmp(option->name, name) == 0) return option;
  return NULL;
}

/* Returns the URL parameter of an option. */
static const char *menu_parameter(const pprofc_option_info *option) {
  return option->url ? option->url : option->name;
}

static void menu_text_field(const struct view_page *page, struct output *out,
                            const struct menu_field *field) {
  const pprofc_option_info *option = menu_option(field->option);
  char value[4096] = "";
  if (!option ||
      pprofc_report_options_get(page->in->options, option->name, value, sizeof value, NULL, NULL))
    return;
  if (strcmp(value, option->default_text) == 0) value[0] = '\0';
  output_printf(out, "<label>%s<input autocomplete=off spellcheck=false name=\"%s\"", field->label,
                menu_parameter(option));
  html_attribute(out, "placeholder", str_of(field->hint));
  html_attribute(out, "value", str_of(value));
  output_add_text(out, "></label>");
}

static void menu_switch(const struct view_page *page, struct output *out,
                        const struct menu_field *field) {
  const pprofc_option_info *option = menu_option(field->option);
  char value[16] = "";
  if (!option ||
      pprofc_report_options_get(page->in->options, option->name, value, sizeof value, NULL, NULL))
    return;
  output_printf(out, "<label class=switch><input type=checkbox value=t name=\"%s\"%s>%s</label>",
                menu_parameter(option), strcmp(value, "true") == 0 ? " checked" : "", field->label);
}

static void menu_choice(struct output *out, const char *label, const char *name,
                        const char *const *words, const char *const *values, const char *current) {
  output_printf(out, "<label>%s<select name=\"%s\">", label, name);
  for (size_t i = 0; values[i]; i++)
    output_printf(out, "<option value=\"%s\"%s>%s</option>", values[i],
                  current && strcmp(current, values[i]) == 0 ? " selected" : "", words[i]);
  output_add_text(out, "</select></label>");
}

void document_options_menu(const struct view_page *page, struct output *out) {
  static const char *const levels[] = {"",          "functions", "filefunctions", "files", "lines",
                                       "addresses", NULL};
  static const char *const level_words[] = {"automatic", "functions", "functions and files",
                                            "files",     "lines",     "addresses"};
  static const char *const sorts[] = {"flat", "cum", NULL};
  static const char *const sort_words[] = {"self", "total"};
  static const char *const kept[] = {"i",       "h",   "s",       "sf",        "prunefrom", "tf",
                                     "ti",      "ts",  "th",      "tagroot",   "n",         "nf",
                                     "unit",    "ef",  "tagleaf", "noinlines", "calltree",  "mean",
                                     "dropneg", "rel", "g",       "sort",      NULL};
  const pprofc_report_options *o = page->in->options;
  output_add_text(out, "<details class=menu id=options><summary>Options</summary>"
                       "<form method=get class=panel");
  html_attribute(out, "action", str_of(page->view->path));
  output_add_char(out, '>');
  document_hidden_fields(page, out, kept);
  output_add_text(out, "<div class=fields>");
  menu_choice(out, "Rows are", "g", level_words, levels, o->granularity);
  menu_choice(out, "Sort by", "sort", sort_words, sorts, o->sort);
  for (size_t i = 0; i < sizeof menu_filters / sizeof *menu_filters; i++)
    menu_text_field(page, out, &menu_filters[i]);
  output_add_text(out, "</div>");
  for (size_t i = 0; i < sizeof menu_switches / sizeof *menu_switches; i++)
    menu_switch(page, out, &menu_switches[i]);
  output_add_text(out, "<button class=main>Apply</button></form></details>\n");
}

/* ---- more -------------------------------------------- */

static void menu_downloads(const struct view_page *page, struct output *out) {
  static const struct {
    const char *what, *words;
  } downloads[] = {
      {"", "Profile as loaded"},       {"filtered", "Profile as filtered"},
      {"csv", "Table (CSV)"},          {"svg", "Graph (SVG)"},
      {"flame", "Flame graph (page)"}, {"speedscope", "speedscope"},
      {"folded", "Folded stacks"},
  };
  output_add_text(out, "<h2>Download</h2><ul>");
  for (size_t i = 0; i < sizeof downloads / sizeof *downloads; i++) {
    const struct web_change change = {"what", str_of(downloads[i].what)};
    output_add_text(out, "<li><a download");
    if (*downloads[i].what)
      page_link(out, page, "download", &change, 1);
    else
      output_add_text(out, " href=download");
    output_printf(out, ">%s</a></li>", downloads[i].words);
  }
  output_add_text(out, "</ul>");
}

static void menu_saved_item(const struct web_item *item, const struct view_page *page,
                            struct output *out) {
  output_add_text(out, "<li><a href=\"");
  html_put(out, page->view->path);
  output_add_char(out, '?');
  html_put(out, item->query);
  output_add_text(out, item->current ? "\" aria-current=true>" : "\">");
  html_put(out, item->name);
  const struct web_change changes[] = {{"config", str_of(item->name)},
                                       {"view", str_of(page->view->path)}};
  output_add_text(out, "</a><form method=post class=delete action=\"");
  web_query_link(out, page->in->query, "deleteconfig", changes, 2);
  output_add_text(out, "\"><button aria-label=\"Delete the saved view ");
  html_put(out, item->name);
  output_add_text(out, "\">\xC3\x97</button></form></li>");
}

static void menu_saved(const struct view_page *page, struct output *out) {
  const struct web_info *info = page->in->info;
  output_add_text(out, "<h2>Saved views</h2><ul id=saved><li><a");
  html_attribute(out, "href", str_of(page->view->path));
  output_add_text(out, ">Default</a></li>");
  for (size_t i = 0; i < info->saved_count; i++) menu_saved_item(&info->saved[i], page, out);
  output_add_text(out, "</ul><button id=save type=button class=script>Save as ...</button>");
}

static void menu_command(const struct view_page *page, struct output *out) {
  output_add_text(out, "<h2>Command line</h2>");
  if (!page->in->info->argument_count && !page->in->info->command) {
    output_add_text(out, "<p>No command prints this: a profile is not a file.</p>");
    return;
  }
  output_add_text(out, "<div class=command><code id=command>");
  document_command(page, out);
  output_add_text(out, "</code><button type=button class=script data-copy=command>Copy as command"
                       "</button></div>");
}

void document_more_menu(const struct view_page *page, struct output *out) {
  output_add_text(out, "<details class=\"menu right\" id=more><summary>More</summary>"
                       "<div class=panel><div class=columns><div>");
  menu_downloads(page, out);
  output_add_text(out, "</div><div>");
  menu_saved(page, out);
  output_add_text(out, "</div></div>");
  menu_command(page, out);
  output_add_text(
      out,
      "<div class=\"row script\"><span id=theme-label>Theme</span><div role=group id=theme "
      "aria-labelledby=theme-label><button type=button data-theme-choice=system>System</button>"
      "<button type=button data-theme-choice=light>Light</button>"
      "<button type=button data-theme-choice=dark>Dark</button></div>"
      "<button type=button id=show-keys>Keys (?)</button></div>"
      "<h2>This profile</h2><div id=about>");
  output_add_str(out, page->about);
  output_add_text(out, "</div></div></details>\n");
}
