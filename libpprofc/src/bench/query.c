/* Splits the text of filters and projections into tokens. Formats messages about syntax errors. */
#include "bench/projection.h"

void query_init(struct query *query, pprofc_str text, struct arena *arena, pprofc_error *error) {
  *query = (struct query){.text = text, .arena = arena, .error = error};
}

/* ---- errors ------------------------------------------ */

/* Returns the width of the text before `offset` in terminal columns. */
static size_t column_of(pprofc_str text, size_t offset) {
  size_t columns = 0;
  for (size_t i = 0; i < text.size && i < offset;) columns += rune_is_graphic(utf8_next(text, &i));
  return columns;
}

static void set_error(struct query *query, pprofc_status status, size_t offset,
                      const char *message) {
  if (query->failed) return;
  query->failed = true;
  query->status = status;
  error_at(query->error, status, offset, "syntax error: %s\n\t%.*s\n\t%*s^", message,
           STR_ARG(query->text), (int)column_of(query->text, offset), "");
}

void query_fail(struct query *query, size_t offset, const char *format, ...) {
  char message[512];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  set_error(query, PPROFC_E_INVALID, offset, message);
}

static struct token end_token(const struct query *query) {
  return (struct token){TOKEN_END, query->text.size, {NULL, 0}, NULL};
}

static struct token fail_token(struct query *query, const char *message) {
  query_fail(query, query->position, "%s", message);
  return end_token(query);
}

/* ---- tokens ------------------------------------------ */

static pprofc_str rest_of(const struct query *query) {
  return str_slice(query->text, query->position, query->text.size);
}

static bool query_is_operator(char c) {
  return c == '(' || c == ')' || c == ':' || c == '@' || c == ',';
}

/* True if c is an operator at the start of a token. In a word, '-' and '*' are plain characters. */
static bool starts_operator(char c) {
  return query_is_operator(c) || c == '-' || c == '*';
}

static struct token take_quoted(struct query *query) {
  pprofc_str rest = rest_of(query);
  size_t end = 1;
  while (end < rest.size && (rest.data[end] != '"' || rest.data[end - 1] == '\\')) end++;
  if (end == rest.size) return fail_token(query, "missing end quote");
  struct buffer word = buffer_make(query->arena->mem, rest.size * 3 + 16);
  bool good = go_unquote(&word, str_slice(rest, 0, end + 1));
  struct token token = {TOKEN_QUOTED, query->position, {NULL, 0}, NULL};
  if (good && !word.failed) token.text = arena_str(query->arena, buffer_str(&word));
  buffer_free(&word);
  if (!good) return fail_token(query, "bad escape sequence");
  if (!token.text.data) {
    set_error(query, PPROFC_E_NOMEM, query->position, "out of memory");
    return end_token(query);
  }
  query->position += end + 1;
  return token;
}

static char kind_of_word(pprofc_str word) {
  if (str_equal(word, STR("AND"))) return TOKEN_AND;
  return str_equal(word, STR("OR")) ? TOKEN_OR : TOKEN_WORD;
}

static struct token take_word(struct query *query) {
  pprofc_str rest = rest_of(query);
  size_t end = 0;
  while (end < rest.size && !query_is_operator(rest.data[end]) &&
         !space_at(str_slice(rest, end, rest.size)))
    utf8_next(rest, &end);
  pprofc_str word = str_slice(rest, 0, end);
  struct token token = {kind_of_word(word), query->position, word, NULL};
  query->position += end;
  return token;
}

/* Returns the offset of the slash that ends a regular expression. It is the first slash that is not
 * escaped and not inside [] or (). Returns rest.size if there is no such slash. */
static size_t regex_end(pprofc_str rest) {
  int classes = 0, groups = 0;
  for (size_t i = 0; i < rest.size; i++) {
    switch (rest.data[i]) {
    case '/':
      if (classes == 0 && groups == 0) return i;
      break;
    case '[':
      classes++;
      break;
    case ']':
      classes -= classes > 0;
      break;
    case '(':
      groups += classes == 0;
      break;
    case ')':
      groups -= classes == 0;
      break;
    case '\\':
      i++;
      break;
    default:
      break;
    }
  }
  return rest.size;
}

static struct token take_regex(struct query *query) {
  pprofc_str rest = str_slice(rest_of(query), 1, query->text.size);
  size_t end = regex_end(rest);
  if (end == rest.size) return fail_token(query, "missing close \"/\"");
  struct token token = {TOKEN_REGEX, query->position, str_slice(rest, 0, end), NULL};
  pprofc_error error;
  pprofc_status status = regex_compile(query->arena->mem, token.text, &token.regex, &error);
  if (status != PPROFC_OK) {
    set_error(query, status, query->position, error.message);
    return end_token(query);
  }
  size_t after = query->position + 1 + end + 1;
  unsigned char next = after < query->text.size ? (unsigned char)query->text.data[after] : ' ';
  query->position = after;
  if (rune_is_space(next) || starts_operator((char)next)) return token;
  regex_free(token.regex);
  return fail_token(query, "regexp must be followed by space or an operator (unescaped \"/\"?)");
}

size_t query_offset(struct query *query) {
  size_t space;
  while ((space = space_at(rest_of(query))) != 0) query->position += space;
  return query->position;
}

struct token query_take(struct query *query, bool value) {
  size_t start = query_offset(query);
  if (query->failed || start == query->text.size) return end_token(query);
  char c = query->text.data[start];
  if (starts_operator(c)) {
    query->position++;
    return (struct token){c, start, str_slice(query->text, start, start + 1), NULL};
  }
  if (value && c == '/') return take_regex(query);
  return c == '"' ? take_quoted(query) : take_word(query);
}

struct token query_peek(struct query *query) {
  size_t start = query_offset(query);
  struct token token = query_take(query, false);
  if (!query->failed) query->position = start;
  return token;
}

void query_drop(struct query *query) {
  (void)query_take(query, false);
}
