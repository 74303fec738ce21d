/* Writes names in GitHub-flavoured Markdown. Entities and backslashes do not prevent mentions,
 * references and bare addresses, because GitHub resolves these escapes first. Code spans
 * prevent them, because GitHub does not search code spans. */
#include "core/markdown.h"

#include "core/log_guard.h"

/* True if the text contains "@team", "#12", "GH-12", "https://", ":tada:" or "www.", for example. A
 * colon before a blank is punctuation. */
bool markdown_acts(pprofc_str text) {
  for (size_t i = 0; i < text.size; i++) {
    char c = text.data[i];
    bool last = i + 1 == text.size;
    if (c == '@' || c == '#' || (c == ':' && !last && text.data[i + 1] != ' ')) return true;
    pprofc_str rest = str_slice(text, i, text.size);
    if (str_starts_any_case(rest, STR("www.")) || str_starts_any_case(rest, STR("gh-")))
      return true;
  }
  return false;
}

/* Returns the number of backticks around the code span. It is one more than the longest sequence of
 * backticks in the text. */
static size_t fence_of(pprofc_str text) {
  size_t longest = 0, run = 0;
  for (size_t i = 0; i < text.size; i++) {
    run = text.data[i] == '`' ? run + 1 : 0;
    if (run > longest) longest = run;
  }
  return longest + 1;
}

/* Writes the text of a code span. In a table, '|' becomes \|. After a backslash it becomes \x7c,
 * because "\\|" would mean a backslash and the end of the cell. */
static void put_code_text(struct buffer *out, pprofc_str text, bool cell) {
  for (size_t i = 0; i < text.size; i++) {
    char c = text.data[i];
    bool behind_slash = i && text.data[i - 1] == '\\';
    if (c == '|' && cell)
      buffer_add_text(out, behind_slash ? "\\x7c" : "\\|");
    else
      buffer_add_char(out, c == '\t' ? ' ' : c);
  }
}

bool markdown_put_code(struct buffer *out, pprofc_str text, bool cell) {
  struct buffer line;
  if (!markdown_acts(text)) return false;
  buffer_init(&line, out->mem, SIZE_MAX / 2);
  escape_log_line(&line, text, false);
  size_t fence = fence_of(buffer_str(&line));
  buffer_add_fill(out, '`', fence);
  if (fence > 1) buffer_add_char(out, ' ');
  put_code_text(out, buffer_str(&line), cell);
  if (fence > 1) buffer_add_char(out, ' ');
  buffer_add_fill(out, '`', fence);
  out->failed |= line.failed;
  buffer_free(&line);
  return true;
}
