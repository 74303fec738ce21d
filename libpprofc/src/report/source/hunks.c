/* Reads a unified diff without context. Converts line numbers in base or head to places (indices in
 * the listing, see revisions.h) and back. */
#include "report/source/revisions.h"

/* ---- reading ----------------------------------------- */

static int octal_digit(char c) {
  return c >= '0' && c <= '7' ? c - '0' : -1;
}

/* Returns the byte that an escape in a quoted path means. *at is the index after the backslash, and
 * becomes the index after the escape. */
static char unquote_path_byte(pprofc_str s, size_t *at) {
  static const char letters[] = "abtnvfr", bytes[] = "\a\b\t\n\v\f\r";
  char c = s.data[(*at)++];
  const char *letter = c ? strchr(letters, c) : NULL;
  if (letter) return bytes[letter - letters];
  if (octal_digit(c) < 0) return c;
  int value = octal_digit(c);
  for (int i = 0; i < 2 && *at < s.size && octal_digit(s.data[*at]) >= 0; i++)
    value = value * 8 + octal_digit(s.data[(*at)++]);
  return (char)value;
}

/* Returns the path of a file from a line that begins with "--- " or "+++ ". `path` is the rest of
 * this line. Drops "a/" or "b/" from the path. Returns "" for /dev/null. */
static pprofc_str read_path(pprofc_str path, struct arena *arena) {
  /* Git writes a tab after a path with blanks. */
  if (path.size && path.data[path.size - 1] == '\t') path.size--;
  if (str_equal(path, STR("/dev/null"))) return STR("");
  if (path.size < 2 || path.data[0] != '"') return str_slice(path, 2, path.size);
  char *out = arena_alloc(arena, path.size);
  size_t size = 0;
  if (!out) return (pprofc_str){NULL, 0};
  for (size_t at = 1; at + 1 < path.size;) {
    char c = path.data[at++];
    out[size++] = c == '\\' && at + 1 < path.size ? unquote_path_byte(path, &at) : c;
  }
  return str_slice((pprofc_str){out, size}, 2, size);
}

/* Parses a range in a hunk header, and advances *rest past it. A range is a sign, then "12,3" or
 * "12", then a blank. */
static bool read_range(pprofc_str *rest, int64_t *line, int64_t *count) {
  pprofc_str word, number;
  if (!str_next(rest, ' ', &word) || !word.size) return false;
  word = str_slice(word, 1, word.size);
  bool counted = str_find_char(word, ',') < word.size;
  *count = 1;
  if (!str_next(&word, ',', &number) || !str_parse_int(number, 10, line)) return false;
  if (counted && !str_parse_int(word, 10, count)) return false;
  if (*line < 0 || *count < 0 || *line > INT32_MAX || *count > INT32_MAX) return false;
  if (!*count) (*line)++; /* For an empty range, git gives the line before the range. */
  return true;
}

/* Parses the header of a hunk, such as "@@ -5,2 +5 @@ func f()". */
static bool read_hunk_header(pprofc_str line, struct hunk *hunk) {
  if (!str_starts(line, STR("@@ -"))) return false;
  pprofc_str rest = str_slice(line, 3, line.size);
  *hunk = (struct hunk){0};
  return read_range(&rest, &hunk->base_line, &hunk->base_count) && str_starts(rest, STR("+")) &&
         read_range(&rest, &hunk->head_line, &hunk->head_count);
}

/* Appends a hunk to the last file. Skips a hunk that is out of order. Returns false when out of
 * memory. */
static bool add_hunk(struct hunks *h, struct hunk hunk) {
  struct changed_file *file = &h->files[h->file_count - 1];
  int64_t base = 1, head = 1, place = 0;
  if (file->count) {
    const struct hunk *last = &h->hunks[h->count - 1];
    base = last->base_line + last->base_count;
    head = last->head_line + last->head_count;
    place = last->place + last->base_count + last->head_count;
  }
  if (hunk.base_line < base || hunk.base_line - base != hunk.head_line - head) return true;
  if (!ARRAY_RESERVE_IN(h->arena, h->hunks, h->capacity, h->count + 1)) return false;
  hunk.place = place + (hunk.base_line - base);
  hunk.text = h->text_count;
  if (!file->count) file->first = h->count;
  file->count++;
  h->hunks[h->count++] = hunk;
  return true;
}

static bool add_texts(struct hunks *h, pprofc_str *rest, int64_t count) {
  pprofc_str line;
  for (int64_t i = 0; i < count;) {
    if (!str_next_line(rest, &line)) return true;
    /* Skip any other line, such as "\ No newline". */
    if (!line.size || (line.data[0] != '-' && line.data[0] != '+')) continue;
    if (!ARRAY_PUSH_IN(h->arena, h->texts, h->text_count, h->text_capacity,
                       str_slice(line, 1, line.size)))
      return false;
    i++;
  }
  return true;
}

/* Adds a file. `line` is a line such as "--- a/x.c". The next line of the diff has the path of the
 * file in head. */
static bool add_file(struct hunks *h, pprofc_str line, pprofc_str *rest) {
  pprofc_str next, after = *rest;
  if (!str_next_line(&after, &next) || !str_starts(next, STR("+++ "))) return true;
  *rest = after;
  if (!ARRAY_RESERVE_IN(h->arena, h->files, h->file_capacity, h->file_count + 1)) return false;
  struct changed_file *file = &h->files[h->file_count++];
  *file = (struct changed_file){.base = read_path(str_slice(line, 4, line.size), h->arena),
                                .head = read_path(str_slice(next, 4, next.size), h->arena)};
  return file->base.data && file->head.data;
}

/* Adds a renamed file. If the file also has hunks, add_file later adds the same file again, and
 * drop_rename drops this entry. */
static bool add_rename(struct hunks *h, pprofc_str line, pprofc_str *rest) {
  pprofc_str next, after = *rest;
  if (!str_next_line(&after, &next) || !str_starts(next, STR("rename to "))) return true;
  *rest = after;
  struct changed_file file = {.base = str_slice(line, strlen("rename from "), line.size),
                              .head = str_slice(next, strlen("rename to "), next.size)};
  return ARRAY_PUSH_IN(h->arena, h->files, h->file_count, h->file_capacity, file);
}

/* Drops the entry that add_rename added, if add_file has added the same file again. */
static void drop_rename(struct hunks *h) {
  size_t n = h->file_count;
  if (n < 2 || h->files[n - 2].count || !str_equal(h->files[n - 1].base, h->files[n - 2].base))
    return;
  h->files[n - 2] = h->files[n - 1];
  h->file_count--;
}

static int hunks_by_path(const void *a, const void *b) {
  return str_compare(((const struct changed_path *)a)->path,
                     ((const struct changed_path *)b)->path);
}

static bool sort_paths(struct hunks *h) {
  for (int side = 0; side < DIFF_SIDES; side++) {
    struct changed_path *paths = arena_array(h->arena, h->file_count, sizeof *paths);
    if (!paths) return false;
    for (size_t i = 0; i < h->file_count; i++)
      paths[i] = (struct changed_path){side ? h->files[i].head : h->files[i].base, i};
    if (h->file_count) qsort(paths, h->file_count, sizeof *paths, hunks_by_path);
    h->paths[side] = paths;
  }
  return true;
}

bool hunks_read(struct hunks *h, pprofc_str diff, struct arena *arena) {
  pprofc_str line;
  struct hunk hunk;
  *h = (struct hunks){.arena = arena};
  while (str_next_line(&diff, &line)) {
    bool room = true;
    if (str_starts(line, STR("rename from "))) {
      room = add_rename(h, line, &diff);
    } else if (str_starts(line, STR("--- "))) {
      room = add_file(h, line, &diff);
      drop_rename(h);
    } else if (h->file_count && read_hunk_header(line, &hunk)) {
      room = add_hunk(h, hunk) && add_texts(h, &diff, hunk.base_count + hunk.head_count);
    }
    if (!room) return false;
  }
  return sort_paths(h);
}

const struct changed_file *hunks_file(const struct hunks *h, enum diff_side side, pprofc_str path) {
  struct changed_path key = {path, 0}, *found = NULL;
  if (path.size && h->file_count)
    found = bsearch(&key, h->paths[side], h->file_count, sizeof key, hunks_by_path);
  return found ? &h->files[found->file] : NULL;
}

/* ---- lines ------------------------------------------- */

/* Field of a hunk that hunk_before compares: its first line in base, its first line in head, or its
 * place in the listing (revisions.h). */
enum hunk_key { BY_BASE, BY_HEAD, BY_PLACE };

static int64_t hunk_key_of(const struct hunk *hunk, enum hunk_key key) {
  if (key == BY_PLACE) return hunk->place;
  return key == BY_BASE ? hunk->base_line : hunk->head_line;
}

/* Returns the file's last hunk whose `key` is at most `at`, or NULL if all are later. */
static const struct hunk *hunk_before(const struct hunks *h, const struct changed_file *file,
                                      enum hunk_key key, int64_t at) {
  BISECT(i, file ? file->count : 0, hunk_key_of(&h->hunks[file->first + i], key) <= at);
  return i ? &h->hunks[file->first + i - 1] : NULL;
}

int64_t hunks_place_of_base(const struct hunks *h, const struct changed_file *file, int64_t line) {
  const struct hunk *hunk = hunk_before(h, file, BY_BASE, line);
  if (!hunk) return line - 1;
  int64_t offset = line - hunk->base_line;
  return hunk->place + offset + (offset < hunk->base_count ? 0 : hunk->head_count);
}

int64_t hunks_place_of_head(const struct hunks *h, const struct changed_file *file, int64_t line) {
  const struct hunk *hunk = hunk_before(h, file, BY_HEAD, line);
  if (!hunk) return line - 1;
  return hunk->place + hunk->base_count + (line - hunk->head_line);
}

struct diff_line hunks_line(const struct hunks *h, const struct changed_file *file, int64_t place) {
  const struct hunk *hunk = hunk_before(h, file, BY_PLACE, place);
  if (!hunk) return (struct diff_line){.mark = ' ', .base = place + 1, .head = place + 1};
  int64_t offset = place - hunk->place, changed = hunk->base_count + hunk->head_count;
  struct diff_line line = {.mark = ' ', .hunk = (size_t)(hunk - h->hunks)};
  if (offset >= changed) {
    line.base = hunk->base_line + offset - hunk->head_count;
    line.head = hunk->head_line + offset - hunk->base_count;
    return line;
  }
  bool deleted = offset < hunk->base_count;
  line.mark = deleted ? '-' : '+';
  if (deleted)
    line.base = hunk->base_line + offset;
  else
    line.head = hunk->head_line + offset - hunk->base_count;
  size_t text = hunk->text + (size_t)offset;
  line.text = text < h->text_count ? h->texts[text] : STR("");
  return line;
}

size_t hunks_touch(const struct hunks *h, const struct changed_file *file, enum diff_side side,
                   int64_t from, int64_t to, size_t *first) {
  *first = 0;
  if (!file || !file->count) return 0;
  const struct hunk *hunks = h->hunks + file->first;
  BISECT(low, file->count,
         side ? hunks[low].head_line + hunks[low].head_count <= from
              : hunks[low].base_line + hunks[low].base_count <= from);
  BISECT(high, file->count, (side ? hunks[high].head_line : hunks[high].base_line) <= to);
  *first = file->first + low;
  return high > low ? high - low : 0;
}
