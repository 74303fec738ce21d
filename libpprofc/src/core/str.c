/* Implements strings that carry their length: comparison, search, patterns and paths. */
#include "core/base.h"

#define SHORT_NEEDLE 16u
#define SHORT_TEXT   1024u

int str_compare(pprofc_str a, pprofc_str b) {
  size_t n = a.size < b.size ? a.size : b.size;
  int order = n ? memcmp(a.data, b.data, n) : 0;
  if (order) return order;
  return (a.size > b.size) - (a.size < b.size);
}

int str_order(const void *a, const void *b) {
  return str_compare(*(const pprofc_str *)a, *(const pprofc_str *)b);
}

int text_order(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool str_starts(pprofc_str s, pprofc_str prefix) {
  return s.size >= prefix.size && (!prefix.size || memcmp(s.data, prefix.data, prefix.size) == 0);
}

bool str_ends(pprofc_str s, pprofc_str suffix) {
  return s.size >= suffix.size &&
         (!suffix.size || memcmp(s.data + s.size - suffix.size, suffix.data, suffix.size) == 0);
}

bool str_any(bool (*match)(pprofc_str s, pprofc_str word), pprofc_str s, const char *const *words) {
  for (; *words; words++)
    if (match(s, str_of(*words))) return true;
  return false;
}

int str_index(pprofc_str s, const char *const *words) {
  for (int i = 0; words[i]; i++)
    if (str_equal(s, str_of(words[i]))) return i;
  return -1;
}

const void *str_row(pprofc_str name, const void *table, size_t count, size_t size) {
  for (const char *row = table; count; count--, row += size)
    if (str_equal(name, str_of(*(const char *const *)(const void *)row))) return row;
  return NULL;
}

bool str_starts_any_case(pprofc_str s, pprofc_str word) {
  size_t i = 0;
  while (i < word.size && i < s.size && char_lower(s.data[i]) == word.data[i]) i++;
  return i == word.size;
}

bool str_equal_any_case(pprofc_str s, pprofc_str word) {
  return s.size == word.size && str_starts_any_case(s, word);
}

/* Finds a short, nonempty `needle` in s, which must be at least as long. For a single line, this is
 * faster than memmem, which first fills a table of 256 entries. */
static size_t str_find_short(pprofc_str s, pprofc_str needle) {
  const char *p = s.data, *last = s.data + (s.size - needle.size);
  while (p <= last && (p = memchr(p, needle.data[0], (size_t)(last - p) + 1)) != NULL) {
    if (memcmp(p, needle.data, needle.size) == 0) return (size_t)(p - s.data);
    p++;
  }
  return s.size;
}

size_t str_find(pprofc_str s, pprofc_str needle) {
  if (needle.size > s.size) return s.size;
  if (!needle.size) return 0;
  if (needle.size <= SHORT_NEEDLE && s.size <= SHORT_TEXT) return str_find_short(s, needle);
  const char *hit = memmem(s.data, s.size, needle.data, needle.size);
  return hit ? (size_t)(hit - s.data) : s.size;
}

size_t str_find_char(pprofc_str s, char c) {
  const char *hit = s.size ? memchr(s.data, c, s.size) : NULL;
  return hit ? (size_t)(hit - s.data) : s.size;
}

size_t str_find_last_char(pprofc_str s, char c) {
  for (size_t i = s.size; i > 0; i--)
    if (s.data[i - 1] == c) return i - 1;
  return s.size;
}

bool str_contains(pprofc_str s, pprofc_str needle) {
  return str_find(s, needle) < s.size;
}

pprofc_str str_slice(pprofc_str s, size_t from, size_t to) {
  if (to > s.size) to = s.size;
  if (from > to) from = to;
  return (pprofc_str){s.data ? s.data + from : NULL, to - from};
}

size_t str_run(pprofc_str s, bool (*is)(char)) {
  size_t n = 0;
  while (n < s.size && is(s.data[n])) n++;
  return n;
}

size_t str_last_run(pprofc_str s, bool (*is)(char)) {
  size_t n = 0;
  while (n < s.size && is(s.data[s.size - n - 1])) n++;
  return n;
}

size_t str_indent(pprofc_str s) {
  size_t n = 0;
  while (n < s.size && s.data[n] == ' ') n++;
  return n;
}

bool str_take(pprofc_str *s, pprofc_str prefix) {
  if (!str_starts(*s, prefix)) return false;
  *s = str_from(*s, prefix.size);
  return true;
}

bool str_take_run(pprofc_str *s, bool (*is)(char), pprofc_str *run) {
  size_t n = str_run(*s, is);
  if (!n) return false;
  *run = str_slice(*s, 0, n);
  *s = str_from(*s, n);
  return true;
}

static bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

pprofc_str str_trim(pprofc_str s) {
  size_t from = 0, to = s.size;
  while (from < to && is_space(s.data[from])) from++;
  while (to > from && is_space(s.data[to - 1])) to--;
  return str_slice(s, from, to);
}

/* Returns the first position, at or after `from`, at which pattern[p], the byte after a star, can
 * match. Returns the end of the text if the pattern ends at `p` or the byte does not occur. */
static size_t glob_skip(pprofc_str pattern, size_t p, pprofc_str text, size_t from) {
  if (p == pattern.size) return text.size;
  if (from >= text.size || pattern.data[p] == '*' || pattern.data[p] == '?') return from;
  const char *found = memchr(text.data + from, pattern.data[p], text.size - from);
  return found ? (size_t)(found - text.data) : text.size;
}

/* Matches without recursion: after a mismatch, continues at the last star, which then matches one
 * more byte. */
bool str_glob(pprofc_str pattern, pprofc_str text) {
  size_t p = 0, t = 0, star = SIZE_MAX, mark = 0;
  while (t < text.size) {
    if (p < pattern.size && pattern.data[p] == '*') {
      star = p++;
      mark = t = glob_skip(pattern, p, text, t);
    } else if (p < pattern.size && (pattern.data[p] == '?' || pattern.data[p] == text.data[t])) {
      p++;
      t++;
    } else if (star != SIZE_MAX) {
      p = star + 1;
      mark = t = glob_skip(pattern, p, text, mark + 1);
    } else {
      return false;
    }
  }
  while (p < pattern.size && pattern.data[p] == '*') p++;
  return p == pattern.size;
}

bool str_next(pprofc_str *rest, char separator, pprofc_str *piece) {
  if (!rest->data) return false;
  size_t end = str_find_char(*rest, separator);
  *piece = str_slice(*rest, 0, end);
  *rest = end < rest->size ? str_from(*rest, end + 1) : (pprofc_str){NULL, 0};
  return true;
}

bool str_next_line(pprofc_str *rest, pprofc_str *line) {
  if (!rest->size) return false;
  size_t end = str_find_char(*rest, '\n');
  *line = str_slice(*rest, 0, end);
  if (line->size && line->data[line->size - 1] == '\r') line->size--;
  *rest = str_from(*rest, end < rest->size ? end + 1 : end);
  return true;
}

/* ---- paths ------------------------------------------- */

pprofc_str str_path_base(pprofc_str path) {
  if (!path.size) return STR(".");
  while (path.size > 1 && path.data[path.size - 1] == '/') path.size--;
  if (path.size == 1 && path.data[0] == '/') return path;
  size_t slash = str_find_last_char(path, '/');
  return slash == path.size ? path : str_from(path, slash + 1);
}

/* A cleaned path, to which one element is added at a time. */
struct clean_path {
  char *text;
  size_t size;
  size_t floor; /* number of bytes at the start that ".." cannot remove: the root, or the leading
                   ".." of a relative path */
  bool rooted;
};

static void clean_path_add(struct clean_path *path, pprofc_str element) {
  size_t root = path->rooted ? 1 : 0;
  if (path->size > root) path->text[path->size++] = '/';
  memcpy(path->text + path->size, element.data, element.size);
  path->size += element.size;
}

/* Handles an element "..": removes the last element of the path. If there is no such element, keeps
 * the root, or adds ".." to a relative path. */
static void clean_path_up(struct clean_path *path) {
  if (path->size > path->floor) {
    while (path->size > path->floor && path->text[path->size - 1] != '/') path->size--;
    if (path->size > path->floor) path->size--;
  } else if (!path->rooted) {
    clean_path_add(path, STR(".."));
    path->floor = path->size;
  }
}

pprofc_str str_path_clean(pprofc_str path, char *out) {
  bool rooted = path.size && path.data[0] == '/';
  struct clean_path clean = {.text = out, .size = rooted, .floor = rooted, .rooted = rooted};
  if (rooted) out[0] = '/';
  pprofc_str element;
  while (str_next(&path, '/', &element)) {
    if (!element.size || str_equal(element, STR("."))) continue;
    if (str_equal(element, STR("..")))
      clean_path_up(&clean);
    else
      clean_path_add(&clean, element);
  }
  if (clean.size == 0) out[clean.size++] = '.';
  return (pprofc_str){out, clean.size};
}

pprofc_str str_path_dir(pprofc_str path, char *out) {
  size_t slash = str_find_last_char(path, '/');
  return str_path_clean(slash == path.size ? STR("") : str_slice(path, 0, slash + 1), out);
}

/* ---- misspelt names --------------------------------- */

#define NAME_MAX_COMPARED 48

/* Returns the edit distance of a and b. Swapping two neighbouring letters counts as one edit. */
static size_t distance(pprofc_str a, pprofc_str b) {
  size_t rows[3][NAME_MAX_COMPARED + 1];
  size_t *before = rows[0], *last = rows[1], *now = rows[2];
  for (size_t j = 0; j <= b.size; j++) last[j] = j;
  for (size_t i = 1; i <= a.size; i++) {
    now[0] = i;
    for (size_t j = 1; j <= b.size; j++) {
      bool same = a.data[i - 1] == b.data[j - 1];
      size_t best = last[j - 1] + !same;
      if (last[j] + 1 < best) best = last[j] + 1;
      if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
      bool swapped =
          i > 1 && j > 1 && a.data[i - 1] == b.data[j - 2] && a.data[i - 2] == b.data[j - 1];
      if (swapped && before[j - 2] + 1 < best) best = before[j - 2] + 1;
      now[j] = best;
    }
    size_t *free_row = before;
    before = last;
    last = now;
    now = free_row;
  }
  return last[b.size];
}

size_t misspelling_cost(pprofc_str name, pprofc_str known) {
  if (!name.size || name.size > NAME_MAX_COMPARED || known.size > NAME_MAX_COMPARED)
    return SIZE_MAX;
  if (name.size >= 3 && str_starts(known, name)) return 1;
  size_t shorter = known.size < name.size ? known.size : name.size;
  size_t longer = known.size + name.size - shorter, most = (shorter + 2) / 4;
  if (longer - shorter > most) return SIZE_MAX;
  size_t cost = distance(name, known);
  return cost > most ? SIZE_MAX : cost;
}
