/* Reads any bytes as lines of the shell: words, shortcuts, formats, completions and options. Skips
 * lines that start programs or write files. */
#include "report_target.h"
#include "shell/session.h"

static void fuzz_words(struct shell *shell, pprofc_str line) {
  struct arena arena;
  struct shell_words words = {0};
  struct buffer more;
  struct completions found;
  size_t digits;
  arena_init(&arena, &mem_default);
  buffer_init(&more, &mem_default, 1 << 20);
  REQUIRE(shell_split(line, &arena, &words));
  for (size_t i = 0; i < words.count; i++) {
    const pprofc_format_info *format = shell_format(words.items[i], &digits);
    REQUIRE(!format || digits <= words.items[i].size);
    shell_option_find(words.items[i]);
    shell_choice_find(words.items[i]);
    shell_command_find(words.items[i]);
  }
  if (shell_shortcut(shell, line, &more)) REQUIRE(more.size > 0);
  completions_find(shell, line, &found);
  REQUIRE(found.from <= line.size);
  completions_common(&found);
  completions_free(&found);
  ARRAY_FREE(&mem_default, words.items, words.capacity);
  buffer_free(&more);
  arena_free(&arena);
}

/* True if the line only sets an option. */
static bool sets_option(pprofc_str line) {
  pprofc_str name = str_slice(line, 0, str_find_char(line, '='));
  return name.size < line.size && shell_option_find(shell_trim(name));
}

static pprofc_profile *small_profile(void) {
  const int64_t one = 1;
  pprofc_profile *profile = NULL;
  pprofc_builder *builder = pprofc_builder_new(NULL);
  REQUIRE(builder);
  pprofc_builder_type(builder, "cpu", "nanoseconds");
  pprofc_line line = {pprofc_builder_function(builder, "main", NULL, "a.c", 1), 1, 0};
  uint32_t location = pprofc_builder_location(builder, PPROFC_NONE, 1, &line, 1);
  pprofc_builder_sample(builder, &location, 1, &one);
  pprofc_builder_label(builder, "key", "value");
  REQUIRE(pprofc_builder_finish(builder, &profile, NULL) == PPROFC_OK);
  pprofc_builder_free(builder);
  return profile;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static struct shell shell; /* static, because the struct is too large for the stack */
  pprofc_str text = {(const char *)data, size}, line;
  if (size > 4096) return 0;
  memset(&shell, 0, sizeof shell);
  pprofc_report_options_init(&shell.command.report);
  shell.profile = small_profile();
  while (text.size && str_next_line(&text, &line)) {
    fuzz_words(&shell, line);
    if (sets_option(line)) shell_execute(&shell, line);
  }
  shell_free_options(&shell);
  pprofc_profile_release(shell.profile);
  return 0;
}
