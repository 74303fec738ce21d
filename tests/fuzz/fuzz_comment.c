/* Reads any bytes as an answer of GitHub and as a comment there. A comment that we make is found
 * again, is UTF-8 and no longer than the host takes. */
#include "fuzz.h"
#include "publish/body.h"

static void check_again(const struct body *body, const char *key, size_t most,
                        struct arena *arena) {
  struct body again;
  pprofc_str text = body_make(body, key, "", most, arena);
  REQUIRE(text.data && text.size <= most);
  REQUIRE(body_has_marker(text, key) && body_parse(text, key, &again));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct arena arena;
  struct node *root = NULL;
  struct body body = {.summary = STR("")};
  pprofc_error error;
  pprofc_str text = {(const char *)data, size};
  arena_init(&arena, &mem_default);
  if (json_tree_parse(&arena, "answer", text, &root, &error) == PPROFC_OK)
    for (size_t i = 0; i < node_size(root); i++) {
      const struct node *found = node_path(node_at(root, i), "user.login");
      REQUIRE(!found || found != root);
      pprofc_str comment = node_text(node_at(root, i), "body");
      if (comment.size) text = comment;
    }
  body_has_marker(text, "");
  if (body_parse(text, "", &body) || body_parse(text, "key", &body)) {
    struct body_state next = {.commit = STR("abc"), .run = 7};
    body_follow(&next, &body.state);
    body.state = next;
    check_again(&body, "key", 5000 + size % BODY_MAX, &arena);
  }
  REQUIRE(body_plain(text, &arena).data);
  REQUIRE(body_prefix(text, size / 2).size <= size / 2);
  REQUIRE(body_cut(text, "", 5000, &arena).size <= 5000);
  arena_free(&arena);
  return 0;
}
