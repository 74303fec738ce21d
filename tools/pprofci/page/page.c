/* Fills in and prints the page. */
#include "page/page.h"

#include "page/html.h"
#include "page/plot.h"
#include "run/files.h"
#include "run/profiles.h"

#define FILE_MOST  ((size_t)1 << 20)
#define LINKS_MOST 1000

bool outside_may_link(pprofc_str url) {
  static const char other[] = "\"<>\\^`{}|";
  size_t scheme = 0;
  if (str_starts(url, STR("http://"))) scheme = sizeof "http://" - 1;
  if (str_starts(url, STR("https://"))) scheme = sizeof "https://" - 1;
  if (!scheme || scheme == url.size || strchr("/?#:", url.data[scheme])) return false;
  for (size_t i = 0; i < url.size; i++) {
    char c = url.data[i];
    if (c <= ' ' || c > '~' || strchr(other, c)) return false;
  }
  return true;
}

void outside_add(struct ci_run *run, const struct node *root, const char *job) {
  const struct node *list = node_get(root, "links");
  for (size_t i = 0; i < node_size(list) && i < LINKS_MOST; i++) {
    pprofc_str url = node_text(node_at(list, i), "url");
    pprofc_str name = node_text(node_at(list, i), "name");
    if (!outside_may_link(url)) continue;
    const struct run_link link = {
        text_printf(&run->arena, "%s%s%.*s", job, *job ? ": " : "", STR_ARG(name)),
        text_keep(&run->arena, url)};
    (void)ARRAY_PUSH_IN(&run->arena, run->links, run->link_count, run->link_capacity, link);
  }
}

/* Ends the command if the file of -links contains anything else than http and https links. */
static void outside_check(const struct node *list, const char *path) {
  if (!node_is(list, NODE_ARRAY)) ci_fail("'%s' was not written by pprofci push -links", path);
  for (size_t i = 0; i < node_size(list); i++) {
    pprofc_str url = node_text(node_at(list, i), "url");
    if (!outside_may_link(url))
      ci_fail("'%s': '%.*s' is not an http or https address", path,
              STR_ARG(str_slice(url, 0, 200)));
  }
}

void outside_read(struct ci_run *run) {
  const char *path = run->options->links;
  struct node *root = NULL;
  if (!*path) return;
  ci_need(json_tree_read(&run->arena, path, FILE_MOST, &root, &ci_error));
  outside_check(node_get(root, "links"), path);
  outside_add(run, root, "");
}

void outside_write(struct json_writer *json, const struct ci_run *run) {
  if (!run->link_count) return;
  json_pack(json, "\nlinks:[");
  for (size_t i = 0; i < run->link_count; i++) {
    json_pack(json, "{name:s url:s}", run->links[i].name, run->links[i].url);
  }
  json_end(json);
}

static void outside_fill(struct fill *f, const struct ci_run *run) {
  if (!run->link_count) return;
  fill_begin(f, "outside");
  for (size_t i = 0; i < run->link_count; i++) {
    fill_pack(f, "servers:{url:s name:s}", run->links[i].url, run->links[i].name);
  }
  fill_end(f);
}

static void page_put_summary(struct buffer *out, const struct message *m,
                             const struct message_place *place) {
  buffer_add_text(out, "<!-- pprofc:default -->\n");
  message_put(out, m, place);
}

/* Appends the text of the result to the summary of the CI job. Prints the text of links without
 * their targets, because the targets are files in the artifacts, which a job summary cannot link
 * to. */
static void write_job_summary(const struct ci_run *run, const char *path) {
  static const struct message_place job = {.html = true};
  struct buffer text = ci_buffer();
  page_put_summary(&text, run->summary, &job);
  ci_need(save_append(path, buffer_str(&text), &ci_error));
  buffer_free(&text);
}

void write_service_files(struct ci_run *run) {
  const char *summary = ci_variable("GITHUB_STEP_SUMMARY", NULL);
  const char *output = ci_variable("GITHUB_OUTPUT", NULL);
  if (summary) write_job_summary(run, summary);
  if (!output) return;
  const char *line = text_printf(&run->arena, "verdict=%s\n", run_verdicts[run->verdict]);
  ci_need(save_append(output, str_of(line), &ci_error));
}

static void put_graph(struct fill *f, const struct page_model *m, const struct run_pair *pair) {
  struct buffer address = ci_buffer();
  html_flame(&address, m, pair, html_shown(pair), STR(""));
  graphs_put(f, buffer_str(&address), pair->graph);
  buffer_free(&address);
}

static bool explains_slower(const struct page_model *m, const struct run_pair *pair) {
  for (size_t i = 0; i < m->states[STATE_SLOWER]; i++)
    if (model_is_of(pair, &m->benchmarks[i])) return true;
  return false;
}

/* Adds the flame graph of each pair of profiles: first the pairs that explain why a benchmark
 * became slower, then the others. The page stays below 10 MB. A graph that does not fit remains a
 * file next to the page. */
static void report_fill(struct fill *f, const struct page_model *m) {
  const struct ci_run *run = m->run;
  for (int slower = 1; slower >= 0; slower--)
    for (size_t i = 0; i < run->pair_count; i++)
      if (explains_slower(m, &run->pairs[i]) == (slower == 1)) put_graph(f, m, &run->pairs[i]);
}

extern const unsigned char asset_ci_css[], asset_ci_js[];
extern const size_t asset_ci_css_size, asset_ci_js_size;
extern const char asset_ci_js_sha256[];

#define NAMED_MOST                                                                                 \
  4 /* maximum number of names in the line about profiles that are not in a row of the table */
/* maximum height in pixels of the picture for profiles that are not in a row of the table */
#define SECTION_PICTURE 420

static const struct page_script page_script = {asset_ci_js, &asset_ci_js_size, asset_ci_js_sha256};

static void page_put_document(struct fill *f, const struct page_model *m) {
  struct buffer *style = fill_html(f, "style");
  buffer_add(style, asset_ci_css, asset_ci_css_size);
  if (m->run->pair_count) graphs_put_style(style);
  graphs_put_script(f, &page_script);
  if (m->run->pair_count) graphs_put_scripts(f, !m->one_file);
}

/* Writes to the page how many benchmarks are worse, unclear, fine and better. */
static void put_tally(struct fill *f, const struct page_model *m) {
  const size_t *s = m->states;
  const struct {
    const char *css, *word;
    size_t count;
  } parts[] = {
      {"worse", "worse", s[STATE_SLOWER] + s[STATE_MISSING]},
      {"doubt", "unclear", s[STATE_UNSURE] + s[STATE_BROKEN]},
      {"same", "fine", s[STATE_UNCHANGED] + s[STATE_NEW] + s[STATE_ACCEPTED]},
      {"better", "better", s[STATE_FASTER]},
  };
  for (size_t i = 0; m->count && i < sizeof parts / sizeof *parts; i++) {
    fill_pack(f, "tally:{css:s count:i word:s}", parts[i].count ? parts[i].css : "none",
              (int64_t)parts[i].count, parts[i].word);
  }
}

static void put_verdict(struct fill *f, const struct page_model *m) {
  const struct ci_run *run = m->run;
  const char *title = run->options->title;
  if (*title || !*m->identity.repository)
    fill_words(f, "subject", *title ? title : "Benchmarks and profiles of this change");
  fill_flag(f, "commits", *run->base_commit || *run->head_commit);
  identity_fill(f, &m->identity, run->base_commit, run->head_commit);
  fill_pack(f,
            "result:s sign:s headline:S counts:S visible:S also:S instructions:s first_run:b "
            "machine:S tally_shown:b",
            verdict_class(m->verdict), verdict_sign(m->verdict), m->headline, m->counts,
            m->visible_text, m->also, run->instructions, !run->has_base, run->machine,
            m->count > 0);
  put_tally(f, m);
}

/* True if the pair of profiles is in a row of the table of benchmarks. A pair that does not belong
 * to a benchmark with results is in no row. */
static bool is_in_a_row(const struct page_model *m, const struct run_pair *pair) {
  for (size_t i = 0; i < m->count; i++)
    if (model_is_of(pair, &m->benchmarks[i])) return true;
  return false;
}

/* Adds the pairs of profiles that are not in a row of the table. Expands them if the table has no
 * rows. */
static void put_profiles(struct fill *f, const struct page_model *m) {
  const struct ci_run *run = m->run;
  size_t count = 0;
  for (size_t i = 0; i < run->pair_count; i++) count += !is_in_a_row(m, &run->pairs[i]);
  if (!count) return;
  fill_pack(f, "profiles:{count:i plural:s more:b", (int64_t)count, count > 1 ? "s" : "",
            count > NAMED_MOST);
  for (size_t i = 0, named = 0; i < run->pair_count && named < NAMED_MOST; i++) {
    if (is_in_a_row(m, &run->pairs[i])) continue;
    named++;
    fill_pack(f, "names:{name:s}", html_shown(&run->pairs[i]));
  }
  for (size_t i = 0; i < run->pair_count; i++)
    if (!is_in_a_row(m, &run->pairs[i]))
      details_fill_pair(f, m, &run->pairs[i], SECTION_PICTURE, !m->count);
  fill_end(f);
}

static void page_print(struct buffer *out, const struct page_model *m) {
  struct fill f = fill_make(out->mem);
  put_verdict(&f, m);
  outside_fill(&f, m->run);
  if (m->count) rows_fill(&f, m);
  put_profiles(&f, m);
  method_fill(&f, m);
  if (m->one_file) report_fill(&f, m);
  /* Add the style and the scripts last, so that they do not count towards the size limits of tables
   * and flame graphs. */
  page_put_document(&f, m);
  template_put(out, html_template(), "page", &f);
  fill_free(&f);
}

static void write_one(struct ci_run *run, const struct page_model *m, const char *name,
                      void (*print)(struct buffer *, const struct page_model *)) {
  struct buffer text = ci_buffer();
  print(&text, m);
  files_put(run, false, name, buffer_str(&text));
  buffer_free(&text);
}

static void summary_print(struct buffer *out, const struct page_model *m) {
  static const struct message_place folder = {.html = true, .linked = true, .address = {"", 0}};
  page_put_summary(out, m->run->summary, &folder);
}

static void write_html(struct ci_run *run, struct page_model *m) {
  graph_write_viewer(run);
  write_one(run, m, "index.html", page_print);
  m->one_file = true;
  write_one(run, m, "report.html", page_print);
  m->one_file = false;
}

void write_pages(struct ci_run *run) {
  struct page_model model;
  if (!run->machine.size) run->machine = method_machine(run);
  model_make(run, &model);
  identity_find(&model.identity, &run->arena);
  write_html(run, &model);
  run->summary = arena_array(&run->arena, 1, sizeof *run->summary);
  summary_make(&model, &run->arena, run->summary);
  write_one(run, &model, "summary.md", summary_print);
  files_put(run, false, "manifest.json", manifest_make(run, &model));
}
