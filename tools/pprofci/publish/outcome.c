/* Reads the manifest of a run, and creates the result of a run without a manifest. */
#include "publish/outcome.h"

#include "core/escape.h"
#include "core/template.h"
#include "run/text.h"

#define MANIFEST_MAX ((size_t)256 << 20)
#define QUOTED_MAX   300 /* maximum bytes of one quoted line from a fork's manifest */
#define QUOTED_LINES 20

static bool is_whole_manifest(const struct node *root) {
  int64_t status;
  return node_integer(node_get(root, "version")) >= 3 &&
         node_to_integer(node_get(root, "gate_status"), &status) && status >= 0 && status <= 3 &&
         node_text(root, "verdict").size && node_text(root, "headline").size;
}

bool outcome_is_commit(pprofc_str text) {
  return text.size >= 7 && text.size <= 64 && text_is_of(text, TEXT_HEX);
}

/* Returns the ending of the run. The result is ENDING_GOOD only if the manifest reports a pass. */
static enum ending ending_of(const struct outcome *o, bool no_fail) {
  pprofc_str conclusion = node_text(o->root, "conclusion");
  if (o->status == 1) return ENDING_UNUSABLE;
  if (o->status == 2) return no_fail ? ENDING_WARNING : ENDING_BAD;
  if (str_equal(o->verdict, STR("inconclusive"))) return ENDING_UNCERTAIN;
  if (!str_equal(o->verdict, STR("no regression"))) return ENDING_NOTHING;
  return str_equal(conclusion, STR("good")) ? ENDING_GOOD : ENDING_UNCERTAIN;
}

/* Sets a summary that consists of a sentence and a code block. Returns false when out of memory. */
static bool outcome_say(struct outcome *outcome, struct arena *arena, const char *sentence,
                        struct buffer *code) {
  struct buffer text;
  buffer_init(&text, &mem_default, SIZE_MAX / 2);
  buffer_printf(&text, "%s\n\n", sentence);
  const struct message_part words = {.title = STR("")}, lines = {.title = STR(""), .is_code = true};
  bool said = message_add(&outcome->summary, arena, words, &text) &&
              message_add(&outcome->summary, arena, lines, code);
  buffer_free(&text);
  buffer_free(code);
  return said;
}

pprofc_status outcome_missing(struct arena *arena, const char *why, struct outcome *outcome,
                              pprofc_error *error) {
  const pprofc_str headline = STR("The benchmarks have left no result.");
  struct buffer code;
  buffer_init(&code, &mem_default, SIZE_MAX / 2);
  template_escape(&code, str_of(why));
  buffer_add_char(&code, '\n');
  *outcome = (struct outcome){.ending = ENDING_UNUSABLE,
                              .status = 1,
                              .verdict = STR("failed"),
                              .headline = headline,
                              .commit = STR(""),
                              .summary = {.sign = "\xE2\x9C\x97 ", .headline = headline}};
  return outcome_say(outcome, arena, "The log of the job says why.", &code) ? PPROFC_OK
                                                                            : error_nomem(error);
}

pprofc_status outcome_read_manifest(struct arena *arena, const char *path, bool no_fail,
                                    struct outcome *outcome, pprofc_error *error) {
  struct node *root;
  pprofc_status status = json_tree_read(arena, path, MANIFEST_MAX, &root, error);
  if (status != PPROFC_OK) return status;
  pprofc_str commit = node_text(root, "commit");
  if (!is_whole_manifest(root))
    return error_set(error, PPROFC_E_FORMAT, "'%s' is not a manifest of pprofci run or merge",
                     path);
  *outcome = (struct outcome){.root = root,
                              .status = (int)node_integer(node_get(root, "gate_status")),
                              .verdict = node_text(root, "verdict"),
                              .headline = node_text(root, "headline"),
                              .commit = outcome_is_commit(commit) ? commit : STR(""),
                              .regressions = node_get(root, "regressions")};
  outcome->ending = ending_of(outcome, no_fail);
  outcome->regressed = node_size(outcome->regressions);
  /* The run failed although no benchmark regressed. Then only instruction counts regressed; all of
   * them count as one regression. */
  if (outcome->status == 2 && !outcome->regressed) outcome->regressed = 1;
  return PPROFC_OK;
}

pprofc_status outcome_read(struct arena *arena, const char *folder, bool no_fail,
                           struct outcome *outcome, pprofc_error *error) {
  const char *path = text_printf(arena, "%s/manifest.json", folder);
  if (!path) return error_nomem(error);
  pprofc_status status = outcome_read_manifest(arena, path, no_fail, outcome, error);
  if (status != PPROFC_OK) return status;
  status = message_read(node_get(outcome->root, "summary"), arena, &outcome->summary, error);
  if (status == PPROFC_E_FORMAT) error_prefix(error, "cannot publish '%s': ", path);
  return status;
}

/* Adds a line of code, where mentions, links and images have no effect. */
static void quote_line(struct buffer *out, pprofc_str text) {
  pprofc_str rest = str_slice(text, 0, QUOTED_MAX);
  while (rest.size < text.size && rest.size && (text.data[rest.size] & 0xC0) == 0x80) rest.size--;
  for (size_t i = 0, from = 0; i < rest.size; from = i) {
    utf8_next(rest, &i);
    pprofc_str one = str_slice(rest, from, i);
    template_escape(out, (unsigned char)*one.data < ' ' ? STR(" ") : one);
  }
  if (rest.size < text.size) buffer_add_text(out, "...");
  buffer_add_char(out, '\n');
}

bool outcome_quote(struct outcome *outcome, struct arena *arena) {
  struct buffer text;
  size_t count = node_size(outcome->regressions);
  buffer_init(&text, &mem_default, SIZE_MAX / 2);
  quote_line(&text, outcome->verdict);
  quote_line(&text, outcome->headline);
  for (size_t i = 0; i < count && i < QUOTED_LINES; i++)
    quote_line(&text, node_text(node_at(outcome->regressions, i), "message"));
  if (count > QUOTED_LINES) buffer_printf(&text, "and %zu more\n", count - QUOTED_LINES);
  outcome->summary =
      (struct message){.sign = "", .headline = STR("Reported by the fork's own run")};
  return outcome_say(outcome, arena, "Nothing of this was checked.", &text);
}
