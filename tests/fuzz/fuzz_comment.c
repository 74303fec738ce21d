/* Reads any bytes as a reply of GitHub, and as a comment on GitHub. A comment that publish writes
 * must be valid UTF-8, within the host's limit, and recognizable by a later run. */
#include "fuzz.h"
#include "publish/post.h"

static void check_again(const struct body *body, const char *key, size_t most,
                        struct arena *arena) {
  struct body_state again;
  pprofc_str text = body_make(body, key, "", most, arena);
  REQUIRE(text.data && text.size <= most);
  REQUIRE(body_has_marker(text, key) && body_parse(text, key, &again));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct arena arena;
  struct node *root = NULL;
  struct message summary = {.sign = "", .headline = STR("A headline")};
  struct body body = {.summary = &summary};
  struct message_text part = {.arena = &arena};
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
  buffer_init(&part.text, &mem_default, SIZE_MAX / 2);
  for (int code = 0; code < 2; code++) {
    buffer_add_str(&part.text, text);
    size_t before = summary.count;
    message_add(&summary, &part,
                (struct message_part){.title = code ? STR("more") : STR(""), .is_code = code});
    REQUIRE(summary.count == before + (text.size > 0));
  }
  buffer_free(&part.text);
  body.place = (struct message_place){.html = size & 1, .linked = size & 2, .address = STR("u/")};
  if (body_parse(text, "", &body.state) || body_parse(text, "key", &body.state)) {
    struct body_state next = {.commit = STR("abc"), .run = 7};
    body_follow(&next, &body.state);
    body.state = next;
    check_again(&body, "key", 5000 + size % BODY_MAX, &arena);
  }
  REQUIRE(utf8_prefix(text, size / 2).size <= size / 2);
  REQUIRE(body_cut(&body, "", 5000, &arena).size <= 5000);
  arena_free(&arena);
  return 0;
}
