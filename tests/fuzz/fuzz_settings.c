/* Reads any bytes as saved views of -http, then saves and deletes other views. If the file cannot
 * be read, it must stay unchanged. Otherwise the saved views must be listed. */
#include "scratch.h"
#include "web/routes.h"

static bool is_listed(const char *path, const char *name) {
  struct arena arena;
  struct web_query query = {.count = 0};
  const struct web_item *items = NULL;
  size_t count = 0;
  bool found = false;
  arena_init(&arena, &mem_default);
  REQUIRE(settings_list(path, &query, &arena, &items, &count));
  REQUIRE(count <= SETTINGS_MOST);
  for (size_t i = 0; i < count; i++) {
    REQUIRE(items[i].name && items[i].query);
    found |= strcmp(items[i].name, name) == 0;
  }
  arena_free(&arena);
  return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[128];
  pprofc_report_options options;
  pprofc_error error = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  scratch_write("settings.json", data, size, path);
  is_listed(path, "");
  pprofc_report_options_init(&options);
  options.focus = "a\"\n<b>";
  options.nodecount = 7;
  if (settings_change(path, "saved here", &options, &error) == PPROFC_OK) {
    REQUIRE(is_listed(path, "saved here"));
    REQUIRE(settings_change(path, "saved here", NULL, &error) == PPROFC_OK);
    REQUIRE(!is_listed(path, "saved here"));
  } else {
    REQUIRE(error.message[0]);
  }
  return 0;
}
