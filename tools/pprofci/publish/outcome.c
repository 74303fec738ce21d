/* Reading the folder of a run: the verdict from its manifest, the text from its summary. */
#include "publish/outcome.h"

#include "page/html.h"
#include "run/files.h"
#include "run/text.h"

#include <sys/stat.h>

#define MANIFEST_MOST ((size_t)256 << 20)
#define SUMMARY_MOST  ((size_t)64 << 20)

pprofc_status outcome_read_file(struct arena *arena, const char *path, size_t most,
                                pprofc_str *text, pprofc_error *error) {
  struct buffer read;
  struct stat info;
  if (stat(path, &info) == 0 && info.st_size > (off_t)most)
    return error_set(error, PPROFC_E_LIMIT, "'%s' has more than %zu bytes", path, most);
  buffer_init(&read, &mem_default, most);
  pprofc_status status = files_read(path, &read, error);
  *text = status == PPROFC_OK ? buffer_keep(&read, arena) : STR("");
  buffer_free(&read);
  return text->data ? status : error_nomem(error);
}

static bool is_whole_manifest(const struct node *root) {
  int64_t status;
  return node_integer(node_get(root, "version")) >= 3 &&
         node_to_integer(node_get(root, "gate_status"), &status) && status >= 0 && status <= 2 &&
         node_text(root, "verdict").size && node_text(root, "headline").size;
}

/* Comments show the commit as it is, so it is one or nothing. */
static pprofc_str commit_of(const struct node *root) {
  pprofc_str commit = node_text(root, "commit");
  for (size_t i = 0; i < commit.size; i++)
    if (!commit.data[i] || !strchr("0123456789abcdef", commit.data[i])) return STR("");
  return commit.size >= 7 && commit.size <= 64 ? commit : STR("");
}

/* A run is good only when its manifest says so in so many words. */
static enum ending ending_of(const struct outcome *o, bool no_fail) {
  pprofc_str mood = node_text(o->root, "mood");
  if (o->status == 1) return ENDING_UNUSABLE;
  if (o->status == 2) return no_fail ? ENDING_WARNING : ENDING_BAD;
  if (!str_equal(o->verdict, STR("no regression"))) return ENDING_NOTHING;
  return str_equal(mood, STR("good")) ? ENDING_GOOD : ENDING_DOUBT;
}

pprofc_status outcome_missing(struct arena *arena, const char *why, struct outcome *outcome,
                              pprofc_error *error) {
  static const char headline[] = "The benchmarks have left no result.";
  struct buffer text;
  buffer_init(&text, &mem_default, SIZE_MAX / 2);
  buffer_printf(&text, "### \xE2\x9C\x97 %s\n\nThe log of the job says why.\n\n<pre>", headline);
  html_words(&text, why);
  buffer_add_text(&text, "</pre>\n");
  *outcome = (struct outcome){.ending = ENDING_UNUSABLE,
                              .status = 1,
                              .verdict = STR("failed"),
                              .headline = STR(headline),
                              .commit = STR(""),
                              .summary = buffer_keep(&text, arena)};
  buffer_free(&text);
  return outcome->summary.data ? PPROFC_OK : error_nomem(error);
}

/* The summary without the line of its marker. */
static pprofc_str without_marker(pprofc_str text) {
  pprofc_str rest = text, line;
  if (str_starts(text, STR("<!-- pprofc:")) && str_next_line(&rest, &line))
    return rest.data ? rest : STR("");
  return text;
}

pprofc_status outcome_read(struct arena *arena, const char *folder, bool no_fail,
                           struct outcome *outcome, pprofc_error *error) {
  const char *manifest = text_printf(arena, "%s/manifest.json", folder);
  const char *summary = text_printf(arena, "%s/summary.md", folder);
  struct node *root;
  pprofc_str text;
  if (!manifest || !summary) return error_nomem(error);
  pprofc_status status = outcome_read_file(arena, manifest, MANIFEST_MOST, &text, error);
  if (status == PPROFC_OK) status = json_tree_parse(arena, manifest, text, &root, error);
  if (status != PPROFC_OK) return status;
  if (!is_whole_manifest(root))
    return error_set(error, PPROFC_E_FORMAT, "'%s' is no manifest of pprofci run or merge",
                     manifest);
  *outcome = (struct outcome){.root = root,
                              .status = (int)node_integer(node_get(root, "gate_status")),
                              .verdict = node_text(root, "verdict"),
                              .headline = node_text(root, "headline"),
                              .commit = commit_of(root),
                              .regressions = node_get(root, "regressions")};
  outcome->ending = ending_of(outcome, no_fail);
  outcome->regressed = node_size(outcome->regressions);
  if (outcome->status == 2 && !outcome->regressed) outcome->regressed = 1; /* instructions */
  status = outcome_read_file(arena, summary, SUMMARY_MOST, &text, error);
  if (status == PPROFC_OK && !text.size)
    status = error_set(error, PPROFC_E_FORMAT, "'%s' is empty", summary);
  outcome->summary = without_marker(text);
  return status;
}
