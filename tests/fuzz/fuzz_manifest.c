/* Reads any bytes as the manifest of a run and as its summary, and makes what publish makes of
 * them. */
#include "publish/outcome.h"
#include "scratch.h"

/* The text is JSON that we read. */
static void check_document(pprofc_str text, struct arena *arena) {
  struct node *root = NULL;
  REQUIRE(text.data && json_tree_parse(arena, "made", text, &root, NULL) == PPROFC_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[128];
  struct arena arena;
  struct outcome outcome;
  pprofc_error error = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  size_t manifest = size > 0 && data[0] == '{' ? size : size / 2;
  scratch_write("manifest.json", data, manifest, path);
  scratch_write("summary.md", size > manifest ? data + manifest : data, size - manifest, path);
  arena_init(&arena, &mem_default);
  pprofc_status status = outcome_read(&arena, scratch_folder, size & 1, &outcome, &error);
  REQUIRE(status == PPROFC_OK || error.message[0]);
  if (status == PPROFC_OK) {
    REQUIRE(outcome.ending < ENDINGS);
    check_document(outcome_code_quality(&outcome, &arena), &arena);
    check_document(outcome_json(&outcome, "https://example.com/", &arena), &arena);
    REQUIRE(outcome_metrics(&outcome, &arena).data);
  }
  arena_free(&arena);
  return 0;
}
