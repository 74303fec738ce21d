/* Reads the folder of a run: the verdict from its manifest, the text from its summary. */
#include "publish/outcome.h"

#include "page/html.h"
#include "run/files.h"
#include "run/text.h"

#include <sys/stat.h>

#define MANIFEST_MAX ((size_t)256 << 20)
#define SUMMARY_MAX  ((size_t)64 << 20)
#define QUOTED_MAX   300 /* bytes of one quoted line of a fork's data */
#define QUOTED_LINES 20

pprofc_status outcome_read_file(struct arena *arena, const char *path, size_t most,
                                pprofc_str *text, pprofc_error *error) {
  struct buffer read;
  struct stat info;
  if (stat(path, &info) == 0 && info.st_size > (off_t)most)
    return error_set(error, PPROFC_E_LIMIT, "'%s' has more than %zu bytes", path, most);
  buffer_init(&read, &mem_default, most);
  pprofc_status status = file_read(path, &read, error);
  *text = status == PPROFC_OK ? buffer_keep(&read, arena) : STR("");
  buffer_free(&read);
  return text->data ? status : error_nomem(error);
}

static bool is_whole_manifest(const struct node *root) {
  int64_t status;
  return node_integer(node_get(root, "version")) >= 3 &&
         node_to_integer(node_get(root, "gate_status"), &status) && status >= 0 && status <= 3 &&
         node_text(root, "verdict").size && node_text(root, "headline").size;
}

/* Returns the id of the commit, or "" if it is not valid: comments show it without quotes. */
static pprofc_str commit_of(const struct node *root) {
  pprofc_str commit = node_text(root, "commit");
  for (size_t i = 0; i < commit.size; i++)
    if (!commit.data[i] || !strchr("0123456789abcdef", commit.data[i])) return STR("");
  return commit.size >= 7 && commit.size <= 64 ? commit : STR("");
}

/* Returns how the run ended. It is good only if the manifest contains a pass. */
static enum ending ending_of(const struct outcome *o, bool no_fail) {
  pprofc_str conclusion = node_text(o->root, "mood");
  if (o->status == 1) return ENDING_UNUSABLE;
  if (o->status == 2) return no_fail ? ENDING_WARNING : ENDING_BAD;
  if (str_equal(o->verdict, STR("inconclusive"))) return ENDING_UNCERTAIN;
  if (!str_equal(o->verdict, STR("no regression"))) return ENDING_NOTHING;
  return str_equal(conclusion, STR("good")) ? ENDING_GOOD : ENDING_UNCERTAIN;
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

/* Returns the summary without the line of its marker. */
static pprofc_str without_marker(pprofc_str text) {
  pprofc_str rest = text, line;
  if (str_starts(text, STR("<!-- pprofc:")) && str_next_line(&rest, &line))
    return rest.data ? rest : STR("");
  return text;
}

pprofc_status outcome_read_manifest(struct arena *arena, const char *path, bool no_fail,
                                    struct outcome *outcome, pprofc_error *error) {
  struct node *root;
  pprofc_str text;
  pprofc_status status = outcome_read_file(arena, path, MANIFEST_MAX, &text, error);
  if (status == PPROFC_OK) status = json_tree_parse(arena, path, text, &root, error);
  if (status != PPROFC_OK) return status;
  if (!is_whole_manifest(root))
    return error_set(error, PPROFC_E_FORMAT, "'%s' is not a manifest of pprofci run or merge",
                     path);
  *outcome = (struct outcome){.root = root,
                              .status = (int)node_integer(node_get(root, "gate_status")),
                              .verdict = node_text(root, "verdict"),
                              .headline = node_text(root, "headline"),
                              .commit = commit_of(root),
                              .regressions = node_get(root, "regressions")};
  outcome->ending = ending_of(outcome, no_fail);
  outcome->regressed = node_size(outcome->regressions);
  if (outcome->status == 2 && !outcome->regressed)
    outcome->regressed = 1; /* only instruction counts
                               regressed */
  return PPROFC_OK;
}

pprofc_status outcome_read(struct arena *arena, const char *folder, bool no_fail,
                           struct outcome *outcome, pprofc_error *error) {
  const char *manifest = text_printf(arena, "%s/manifest.json", folder);
  const char *summary = text_printf(arena, "%s/summary.md", folder);
  pprofc_str text;
  if (!manifest || !summary) return error_nomem(error);
  pprofc_status status = outcome_read_manifest(arena, manifest, no_fail, outcome, error);
  if (status != PPROFC_OK) return status;
  status = outcome_read_file(arena, summary, SUMMARY_MAX, &text, error);
  if (status == PPROFC_OK && !text.size)
    status = error_set(error, PPROFC_E_FORMAT, "'%s' is empty", summary);
  outcome->summary = without_marker(text);
  return status;
}

/* ---- quoting ----------------------------------------- */

/* Adds a line of preformatted HTML, where mentions, links and images have no effect. */
static void quote_line(struct buffer *out, pprofc_str text) {
  pprofc_str rest = str_slice(text, 0, QUOTED_MAX);
  while (rest.size < text.size && rest.size && (text.data[rest.size] & 0xC0) == 0x80) rest.size--;
  for (size_t i = 0; i < rest.size; i++) {
    pprofc_str byte = str_slice(rest, i, i + 1);
    html_text(out, (unsigned char)*byte.data < ' ' ? STR(" ") : byte);
  }
  if (rest.size < text.size) buffer_add_text(out, "...");
  buffer_add_char(out, '\n');
}

bool outcome_quote(struct outcome *outcome, struct arena *arena) {
  struct buffer text;
  size_t count = node_size(outcome->regressions);
  buffer_init(&text, &mem_default, SIZE_MAX / 2);
  buffer_add_text(&text, "### Reported by the fork's own run\n\nNothing of this was checked.\n\n"
                         "<pre>\n");
  quote_line(&text, outcome->verdict);
  quote_line(&text, outcome->headline);
  for (size_t i = 0; i < count && i < QUOTED_LINES; i++)
    quote_line(&text, node_text(node_at(outcome->regressions, i), "message"));
  if (count > QUOTED_LINES) buffer_printf(&text, "and %zu more\n", count - QUOTED_LINES);
  buffer_add_text(&text, "</pre>\n");
  outcome->summary = buffer_keep(&text, arena);
  buffer_free(&text);
  return outcome->summary.data != NULL;
}
