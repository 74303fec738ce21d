/* Reads any bytes as the manifest of a run, and creates all output of publish from it. */
#include "publish/post.h"
#include "scratch.h"

/* Checks that the text is JSON that the library's reader accepts. */
static void check_document(pprofc_str text, struct arena *arena) {
  struct node *root = NULL;
  REQUIRE(text.data && json_tree_parse(arena, "made", text, &root, NULL) == PPROFC_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[128];
  struct arena arena;
  struct outcome outcome;
  pprofc_error error = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  scratch_write("manifest.json", data, size, path);
  arena_init(&arena, &mem_default);
  pprofc_status status = outcome_read(&arena, scratch_folder, size & 1, &outcome, &error);
  REQUIRE(status == PPROFC_OK || error.message[0]);
  if (status == PPROFC_OK) {
    REQUIRE(outcome.published < PUBLISHED);
    check_document(outcome_code_quality(&outcome, &arena), &arena);
    for (uint64_t budget = 0; budget <= 2000; budget += 1000) {
      pprofc_str text;
      status = outcome_json(&outcome, "https://example.com/", budget, &arena, &text, &error);
      REQUIRE(status == PPROFC_OK && (!budget || text.size <= budget));
      check_document(text, &arena);
    }
    REQUIRE(outcome_metrics(&outcome, &arena).data);
  }
  arena_free(&arena);
  return 0;
}
