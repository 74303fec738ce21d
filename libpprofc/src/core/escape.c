/* Escapes untrusted text for the place where it is printed. Checks and decodes UTF-8. */
#include "core/base.h"

/* Returns the length in bytes of a UTF-8 character that begins with `lead`, or 0 if it is
 * invalid. */
static inline size_t utf8_lead_length(unsigned char lead) {
  if (lead < 0xC2 || lead > 0xF4) return 0;
  if (lead < 0xE0) return 2;
  return lead < 0xF0 ? 3 : 4;
}

/* True if the code point takes `length` bytes in UTF-8, and is not a surrogate. */
static inline bool utf8_is_code(int32_t code, size_t length) {
  static const int32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  bool surrogate = code >= 0xD800 && code < 0xE000;
  return code >= smallest[length] && code <= 0x10FFFF && !surrogate;
}

int32_t utf8_next(pprofc_str s, size_t *position) {
  const unsigned char *p = (const unsigned char *)s.data + *position;
  size_t left = s.size - *position;
  ++*position;
  if (p[0] < 0x80) return p[0];
  size_t length = utf8_lead_length(p[0]);
  if (!length || left < length) return -1;
  int32_t code = p[0] & (0x7F >> length);
  for (size_t i = 1; i < length; i++) {
    if ((p[i] & 0xC0) != 0x80) return -1;
    code = code << 6 | (p[i] & 0x3F);
  }
  if (!utf8_is_code(code, length)) return -1;
  *position += length - 1;
  return code;
}

size_t utf8_length(pprofc_str s) {
  size_t count = 0, ascii = 0;
  while (ascii < s.size && (unsigned char)s.data[ascii] < 0x80) ascii++;
  for (size_t i = ascii; i < s.size; count++) utf8_next(s, &i);
  return ascii + count;
}

bool utf8_valid(pprofc_str s) {
  for (size_t i = 0; i < s.size;)
    if (utf8_next(s, &i) < 0) return false;
  return true;
}

pprofc_str utf8_prefix(pprofc_str s, size_t most) {
  if (s.size <= most) return s;
  while (most && ((unsigned char)s.data[most] & 0xC0) == 0x80) most--;
  return str_slice(s, 0, most);
}

size_t utf8_encode(uint32_t code, char *out) {
  if (code < 0x80) {
    out[0] = (char)code;
    return 1;
  }
  size_t length = 2;
  length += code >= 0x800;
  length += code >= 0x10000;
  for (size_t i = length - 1; i > 0; i--) {
    out[i] = (char)(0x80 | (code & 0x3F));
    code >>= 6;
  }
  static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
  out[0] = (char)(lead[length] | code);
  return length;
}

/* True for invisible characters that change how other characters are shown: direction marks and
 * controls, line separators, and tag characters (copies of ASCII). */
static bool is_invisible_mark(int32_t c) {
  static const int32_t ranges[][2] = {
      {0x061C, 0x061C}, {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2066, 0x2069}, {0xE0000, 0xE007F}};
  if (c < 0x061C) return false;
  for (size_t i = 0; i < COUNT(ranges); i++)
    if (c >= ranges[i][0] && c <= ranges[i][1]) return true;
  return false;
}

bool escape_terminal_clean(pprofc_str s) {
  for (size_t i = 0; i < s.size;) {
    int32_t c = utf8_next(s, &i);
    if (c < 0x20 || (c >= 0x7F && c < 0xA0) || is_invisible_mark(c)) return false;
  }
  return true;
}

void escape_terminal(struct buffer *out, pprofc_str s, bool layout) {
  for (size_t i = 0; i < s.size;) {
    size_t start = i;
    int32_t c = utf8_next(s, &i);
    bool kept = layout && (c == '\n' || c == '\t');
    if (kept || (c >= 0x20 && c < 0x7F) || (c >= 0xA0 && !is_invisible_mark(c)))
      buffer_add(out, s.data + start, i - start);
    else if (c >= 0xA0)
      buffer_printf(out, "\\u{%x}", (unsigned)c);
    else
      for (size_t k = start; k < i; k++) buffer_printf(out, "\\x%02x", (unsigned char)s.data[k]);
  }
}

/* True for DEL and the C1 controls, which a terminal may execute. */
static bool is_high_control(int32_t c) {
  return c >= 0x7F && c < 0xA0;
}

/* True if "##" begins at s[i]. CI systems read "##[NAME]" in a log as a command, so every "##"
 * counts as the start of a command. */
static bool begins_command(pprofc_str s, size_t i) {
  return s.data[i] == '#' && i + 1 < s.size && s.data[i + 1] == '#';
}

/* Appends a character as a JSON escape, or above U+FFFF as two escapes (a surrogate pair). */
static void add_json_code(struct buffer *out, uint32_t c) {
  if (c < 0x10000) {
    buffer_printf(out, "\\u%04x", (unsigned)c);
    return;
  }
  c -= 0x10000;
  buffer_printf(out, "\\u%04x\\u%04x", (unsigned)(0xD800 + (c >> 10)),
                (unsigned)(0xDC00 + (c & 0x3FF)));
}

void escape_json(struct buffer *out, pprofc_str s) {
  for (size_t i = 0; i < s.size;) {
    size_t start = i;
    int32_t c = utf8_next(s, &i);
    if (c < 0)
      buffer_add_text(out, "\xEF\xBF\xBD");
    else if (c == '"' || c == '\\') {
      buffer_add_char(out, '\\');
      buffer_add_char(out, (char)c);
    } else if (c < 0x20 || is_high_control(c) || c == '<' || c == '>' || c == '&' ||
               is_invisible_mark(c) || begins_command(s, start))
      add_json_code(out, (uint32_t)c);
    else
      buffer_add(out, s.data + start, i - start);
  }
}

static const char *xml_entity(int32_t c) {
  switch (c) {
  case '&':
    return "&amp;";
  case '<':
    return "&lt;";
  case '>':
    return "&gt;";
  case '"':
    return "&#34;";
  case '\'':
    return "&#39;";
  default:
    break;
  }
  bool control = c < 0x20 && c != '\t' && c != '\n' && c != '\r';
  return control || c == 0xFFFE || c == 0xFFFF ? "\xEF\xBF\xBD" : NULL;
}

void escape_xml(struct buffer *out, pprofc_str s) {
  for (size_t i = 0; i < s.size;) {
    size_t start = i;
    while (i < s.size && xml_is_plain(s.data[i])) i++;
    buffer_add(out, s.data + start, i - start);
    if (i == s.size) return;
    start = i;
    int32_t c = utf8_next(s, &i);
    const char *entity = xml_entity(c);
    if (entity)
      buffer_add_text(out, entity);
    else if (c == '\r' || is_high_control(c))
      buffer_printf(out, "&#%d;", (int)c);
    else if (begins_command(s, start))
      buffer_add_text(out, "&#35;");
    else if (is_invisible_mark(c))
      buffer_printf(out, "\\u{%x}", (unsigned)c);
    else
      buffer_add(out, s.data + start, i - start);
  }
}

void escape_csv(struct buffer *out, pprofc_str text, bool quotes) {
  if (quotes) buffer_add_char(out, '"');
  if (text.size && text.data[0] && strchr("=+-@\t\r", text.data[0])) buffer_add_char(out, '\'');
  for (size_t i = 0; i < text.size; i++) {
    if (text.data[i] == '"') buffer_add_char(out, '"');
    buffer_add_char(out, text.data[i]);
  }
  if (quotes) buffer_add_char(out, '"');
}

/* ---- one word ---------------------------------------- */

void escape_url(struct buffer *out, pprofc_str text, const char *also) {
  for (size_t i = 0; i < text.size; i++) {
    char c = text.data[i];
    bool word = char_is_letter(c) || char_is_digit(c);
    if (word || (c && (strchr("-_.~", c) || strchr(also, c))))
      buffer_add_char(out, c);
    else
      buffer_printf(out, "%%%02X", (unsigned char)c);
  }
}

void escape_regexp(struct buffer *out, pprofc_str text) {
  for (size_t i = 0; i < text.size; i++) {
    char c = text.data[i];
    if ((unsigned char)c < ' ') {
      buffer_printf(out, "\\x%02x", (unsigned char)c);
      continue;
    }
    if (strchr("\\.*+?(){}|^$[]", c)) buffer_add_char(out, '\\');
    buffer_add_char(out, c);
  }
}

void escape_shell(struct buffer *out, pprofc_str text) {
  buffer_add_char(out, '\'');
  for (size_t i = 0; i < text.size; i++)
    buffer_add_str(out, text.data[i] == '\'' ? STR("'\\''") : (pprofc_str){text.data + i, 1});
  buffer_add_char(out, '\'');
}

/* ---- base64 ----------------------------------------- */

static const char base64_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Encodes up to three bytes as four digits. '=' pads a group of one or two bytes. */
static void base64_put_group(struct buffer *out, const uint8_t *in, size_t size) {
  uint8_t bytes[3] = {0};
  memcpy(bytes, in, size);
  uint32_t bits = (uint32_t)bytes[0] << 16 | (uint32_t)bytes[1] << 8 | bytes[2];
  char text[4] = {base64_digits[bits >> 18], base64_digits[bits >> 12 & 63],
                  base64_digits[bits >> 6 & 63], base64_digits[bits & 63]};
  memset(text + 1 + size, '=', 3 - size);
  buffer_add(out, text, 4);
}

void base64_put(struct buffer *out, const uint8_t *data, size_t size) {
  for (size_t i = 0; i < size; i += 3) base64_put_group(out, data + i, size - i < 3 ? size - i : 3);
}

void base64_put_hash(struct buffer *out, const char *sha256) {
  uint8_t hash[32];
  for (size_t i = 0; i < sizeof hash; i++) {
    uint64_t byte = 0;
    str_parse_uint((pprofc_str){sha256 + 2 * i, 2}, 16, &byte);
    hash[i] = (uint8_t)byte;
  }
  buffer_add_text(out, "sha256-");
  base64_put(out, hash, sizeof hash);
}

/* ---- Markdown --------------------------------------- */

/* Writes names in GitHub-flavoured Markdown. Entities and backslashes do not prevent mentions,
 * references and addresses such as "www.x.org", because GitHub resolves these escapes first. A code
 * span prevents all three, because GitHub does not search code spans. */

/* True if the text contains, for example, "@team", "#12", "GH-12", "https://", ":tada:" or "www.".
 * A colon before a blank does not count. */
bool markdown_acts(pprofc_str text) {
  for (size_t i = 0; i < text.size; i++) {
    char c = text.data[i];
    bool last = i + 1 == text.size;
    if (c == '@' || c == '#' || (c == ':' && !last && text.data[i + 1] != ' ')) return true;
    pprofc_str rest = str_from(text, i);
    if (str_starts_any_case(rest, STR("www.")) || str_starts_any_case(rest, STR("gh-")))
      return true;
  }
  return false;
}

/* Returns the number of backticks around a code span: one more than the longest sequence of
 * backticks in the text. */
static size_t fence_of(pprofc_str text) {
  size_t longest = 0, run = 0;
  for (size_t i = 0; i < text.size; i++) {
    run = text.data[i] == '`' ? run + 1 : 0;
    if (run > longest) longest = run;
  }
  return longest + 1;
}

/* Writes the text of a code span. In a table, '|' becomes \|. But '|' after a backslash becomes
 * \x7c, because \\| would end the cell. */
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
  if (!markdown_acts(text)) return false;
  struct buffer line = buffer_make(out->mem, SIZE_MAX / 2);
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
