/* Makes the short forms of a function name. Each step removes the least important part. */
#include "flame/label.h"

#include <ctype.h>

void label_init(struct label_forms *forms, const pprofc_allocator *mem) {
  forms->count = 0;
  for (size_t i = 0; i < 2; i++) buffer_init(&forms->text[i], mem, SIZE_MAX / 2);
}

void label_free(struct label_forms *forms) {
  for (size_t i = 0; i < 2; i++) buffer_free(&forms->text[i]);
}

/* ---- characters -------------------------------------- */

static char label_at(pprofc_str s, size_t i) {
  return i < s.size ? s.data[i] : '\0';
}

static bool is_opening(char c) {
  return c && strchr("([{<", c);
}

static bool label_is_word(char c) {
  return c == '_' || c == '$' || isalnum((unsigned char)c) || (unsigned char)c > 0x7F;
}

static bool starts_at(pprofc_str s, size_t i, const char *with) {
  return i <= s.size && str_starts(str_slice(s, i, s.size), str_of(with));
}

/* Returns the position of the bracket that closes the bracket at `at`, or the size of the text. */
static size_t closing_of(pprofc_str s, size_t at) {
  size_t depth = 0;
  for (size_t i = at; i < s.size; i++) {
    char c = s.data[i];
    /* the '>' of "->" or "=>" is not a bracket */
    if (c == '>' && i && (s.data[i - 1] == '-' || s.data[i - 1] == '=')) continue;
    if (is_opening(c))
      depth++;
    else if (strchr(")]}>", c) && --depth == 0)
      return i;
  }
  return s.size;
}

/* True if the text before `at` is the word "operator". */
static bool is_operator_word(pprofc_str s, size_t at) {
  pprofc_str before = str_slice(s, 0, at);
  if (!str_ends(before, STR("operator"))) return false;
  return at == 8 || !(label_is_word(s.data[at - 9]) && s.data[at - 9] != '$');
}

/* True if the bracket at `at` is part of an operator's name, such as "operator()" or
 * "operator<<". */
static bool after_operator(pprofc_str s, size_t at) {
  if (is_operator_word(s, at)) return true;
  return label_at(s, at) == '<' && at && s.data[at - 1] == '<' && is_operator_word(s, at - 1);
}

#define MOST_OPERATOR 16 /* maximum number of characters of an operator such as "<<=" */

/* True if the text before `at` is the whole name of an operator. */
static bool is_operator(pprofc_str s, size_t at) {
  size_t least = at > MOST_OPERATOR ? at - MOST_OPERATOR : 0;
  while (at > least && !label_is_word(s.data[at - 1]) && s.data[at - 1] != ':' &&
         s.data[at - 1] != ' ')
    at--;
  return is_operator_word(s, at);
}

/* Returns the position of the first character at or after `i` that is outside of brackets. */
static size_t next_outside(pprofc_str s, size_t i) {
  while (i < s.size && is_opening(s.data[i]) && !after_operator(s, i)) i = closing_of(s, i) + 1;
  return i < s.size ? i : s.size;
}

/* ---- steps ------------------------------------------- */

static size_t digits_end(pprofc_str s, size_t from) {
  while (from < s.size && isdigit((unsigned char)s.data[from])) from++;
  return from;
}

/* Returns the text without a suffix such as ".isra.0". Returns the same text if it has no such
 * suffix. */
static pprofc_str without_clone(pprofc_str s) {
  static const char *const words[] = {".isra", ".part", ".constprop", ".llvm", ".cold"};
  size_t end = s.size;
  while (end && isdigit((unsigned char)s.data[end - 1])) end--;
  bool numbered = end < s.size && end && s.data[end - 1] == '.';
  pprofc_str stem = numbered ? str_slice(s, 0, end - 1) : s;
  for (size_t i = 0; i < COUNT(words); i++)
    if (str_ends(stem, str_of(words[i]))) return str_slice(stem, 0, stem.size - strlen(words[i]));
  return s;
}

static pprofc_str without_hash(pprofc_str s) {
  if (s.size < 19 || !starts_at(s, s.size - 19, "::h")) return s;
  for (size_t i = s.size - 16; i < s.size; i++)
    if (!isdigit((unsigned char)s.data[i]) && !(s.data[i] >= 'a' && s.data[i] <= 'f')) return s;
  return str_slice(s, 0, s.size - 19);
}

/* Copies the text without " [clone ...]", without the hash of a Rust name, and without suffixes
 * such as ".isra.0". */
static void label_drop_suffix(pprofc_str s, struct buffer *out) {
  while (s.size) {
    size_t clone = str_find(s, STR(" [clone ")), end = clone;
    while (end < s.size && s.data[end] != ']') end++;
    if (end == s.size) clone = end;
    buffer_add_str(out, str_slice(s, 0, clone));
    s = str_slice(s, end + 1, s.size);
  }
  pprofc_str text = without_hash(buffer_str(out));
  for (pprofc_str next; (next = without_clone(text)).size < text.size;) text = next;
  if (!out->failed) out->size = text.size;
}

/* Returns the type X of a trait "X as Y", without prefixes such as "&mut ". `inner` is the text
 * inside the brackets "<>". */
static pprofc_str trait_type(pprofc_str inner) {
  static const char *const words[] = {"mut ", "const ", "dyn "};
  for (size_t i = next_outside(inner, 0); i < inner.size; i = next_outside(inner, i + 1))
    if (starts_at(inner, i, " as ")) {
      inner = str_slice(inner, 0, i);
      break;
    }
  size_t from = 0;
  while (label_at(inner, from) == '&' || label_at(inner, from) == '*') from++;
  for (size_t i = 0; i < COUNT(words); i++)
    if (starts_at(inner, from, words[i])) {
      from += strlen(words[i]);
      i = (size_t)-1;
    }
  return str_slice(inner, from, inner.size);
}

/* Drops a trait: "<Vec<T> as Extend<T>>::extend" becomes "Vec<T>::extend". */
static void label_drop_trait(pprofc_str s, struct buffer *out) {
  size_t end = label_at(s, 0) == '<' ? closing_of(s, 0) : s.size;
  if (!starts_at(s, end + 1, "::")) return;
  buffer_add_str(out, trait_type(str_slice(s, 1, end)));
  buffer_add_str(out, str_slice(s, end + 1, s.size));
}

static bool is_parameters(pprofc_str s, size_t at, bool last) {
  if (s.data[at] != '(' || !at) return false;
  char before = s.data[at - 1];
  return label_is_word(before) || before == '>' || before == ']' || is_operator(s, at) || last;
}

/* Copies the bracket at `at` and its contents to `out`, unless they are parameters. Sets *dropped
 * to true if they are parameters. Returns the position of the closing bracket. */
static size_t label_bracket(pprofc_str s, size_t at, struct buffer *out, bool *dropped) {
  size_t end = closing_of(s, at);
  bool last = end + 1 >= s.size && at && s.data[at - 1] == ' ';
  *dropped = is_parameters(s, at, last);
  while (*dropped && last && out->size && out->data[out->size - 1] == ' ') out->size--;
  if (!*dropped) buffer_add_str(out, str_slice(s, at, end < s.size ? end + 1 : end));
  return end;
}

/* Drops parameters and the text after them: "f(int) const" becomes "f". */
static void label_drop_parameters(pprofc_str s, struct buffer *out) {
  bool cut = false;
  for (size_t i = 0; i < s.size; i++) {
    if (cut && !starts_at(s, i, "::") && s.data[i] != '.') continue;
    cut = false;
    if (is_opening(s.data[i]) && !after_operator(s, i))
      i = label_bracket(s, i, out, &cut);
    else
      buffer_add_char(out, s.data[i]);
  }
}

/* Drops the arguments of templates and generic types. */
static void label_drop_arguments(pprofc_str s, struct buffer *out) {
  for (size_t i = 0; i < s.size; i++) {
    char c = s.data[i];
    if (!is_opening(c) || after_operator(s, i)) {
      buffer_add_char(out, c);
      continue;
    }
    size_t end = closing_of(s, i);
    pprofc_str made = buffer_str(out);
    bool path = c == '<' && str_ends(made, STR("::"));
    bool after_word = made.size && label_is_word(made.data[made.size - 1]);
    if ((c == '<' || c == '[') && (after_word || path))
      out->size -= path ? 2 : 0;
    else
      buffer_add_str(out, str_slice(s, i, end < s.size ? end + 1 : end));
    i = end;
  }
}

/* Returns the text after the last `c` that is outside of brackets and not part of an operator. */
static pprofc_str label_after(pprofc_str s, char c) {
  size_t from = 0;
  for (size_t i = next_outside(s, 0); i < s.size; i = next_outside(s, i + 1))
    if (s.data[i] == c && !(c == ' ' && is_operator(s, i))) from = i + 1;
  return str_slice(s, from, s.size);
}

/* ---- parts of a name --------------------------------- */

/* True for a part such as "func12", "gowrap1" or "3". */
static bool is_numbered(pprofc_str part) {
  static const char *const words[] = {"func", "gowrap", "deferwrap"};
  for (size_t i = 0; i < COUNT(words); i++) {
    size_t from = strlen(words[i]);
    if (starts_at(part, 0, words[i]) && digits_end(part, from) == part.size)
      return i == 0 || part.size > from;
  }
  return part.size && digits_end(part, 0) == part.size;
}

/* True for the end of a file name, such as "go" or "js:42". */
static bool is_file_end(pprofc_str part) {
  size_t colon = str_find_char(part, ':');
  bool line = colon + 1 < part.size && digits_end(part, colon + 1) == part.size;
  return STR_ANY(str_equal, line ? str_slice(part, 0, colon) : part, "c", "cc", "cpp", "cxx", "h",
                 "hpp", "go", "rs", "py", "js", "mjs", "ts", "java", "kt", "rb", "s", "S", "so",
                 "out", "php", "asm");
}

/* True if a part of a name means nothing without the previous part. Examples are a closure and the
 * end of a file name. */
static bool is_weak(pprofc_str part) {
  if (is_opening(label_at(part, 0))) return true;
  if (str_starts(part, STR("lambda")) || str_starts(part, STR("operator()"))) return true;
  return is_numbered(part) || is_file_end(part) ||
         STR_ANY(str_equal, part, "call", "call_once", "call_mut", "_init", "init", "new", "main");
}

/* Returns the start of the first part that begins at or after `i`. Parts begin after "::" or ".".
 * Returns the size of the text if there is no such part. */
static size_t next_part(pprofc_str s, size_t i) {
  for (i = next_outside(s, i); i < s.size; i = next_outside(s, i + 1)) {
    if (i && starts_at(s, i, "::")) return i + 2;
    if (i && s.data[i] == '.' && i + 1 < s.size && s.data[i + 1] != '.') return i + 1;
  }
  return s.size;
}

static void label_add(struct label_forms *forms, pprofc_str text) {
  bool shorter = !forms->count || text.size < forms->form[forms->count - 1].size;
  if (shorter && (text.size || !forms->count) && forms->count < LABEL_FORMS)
    forms->form[forms->count++] = text;
}

/* Adds the form of a name without its first part, then the form without its first two parts, and so
 * on. The last form begins with the last part that has a meaning alone (see is_weak). */
static void label_add_parts(struct label_forms *forms, pprofc_str text) {
  size_t last = 0;
  for (size_t start = next_part(text, 0); start < text.size; start = next_part(text, start)) {
    size_t end = next_part(text, start), cut = end;
    if (end < text.size || str_ends(text, STR("::"))) cut -= text.data[end - 1] == ':' ? 2 : 1;
    if (!is_weak(str_slice(text, start, cut))) last = start;
  }
  for (size_t start = next_part(text, 0); start <= last && start < text.size;
       start = next_part(text, start))
    label_add(forms, str_slice(text, start, text.size));
}

/* ---- a name ------------------------------------------ */

typedef void label_step(pprofc_str s, struct buffer *out);

/* Runs a step (a function that shortens a name) on *text. If the result is shorter, appends it to
 * `all`, adds it to the short forms, and sets *text to it. Otherwise returns false. */
static bool label_run(struct label_forms *forms, label_step *step, struct buffer *all,
                      pprofc_str *text) {
  size_t from = all->size;
  struct buffer *scratch = &forms->text[1];
  buffer_clear(scratch);
  step(*text, scratch);
  if (scratch->failed || !scratch->size || scratch->size >= text->size) return false;
  buffer_add_str(all, buffer_str(scratch));
  *text = str_slice(buffer_str(all), from, all->size);
  label_add(forms, *text);
  return true;
}

bool label_make(struct label_forms *forms, pprofc_str name) {
  struct buffer *all = &forms->text[0];
  forms->count = 0;
  buffer_clear(all);
  label_add(forms, name);
  /* Each of the four steps shortens the text, so `all` has space for all results and never
   * moves. */
  if (!buffer_reserve(all, 4 * name.size + 1)) return false;
  pprofc_str text = name;
  label_run(forms, label_drop_suffix, all, &text);
  label_run(forms, label_drop_trait, all, &text);
  bool called = label_run(forms, label_drop_parameters, all, &text);
  label_run(forms, label_drop_arguments, all, &text);
  if (called) text = label_after(text, ' ');
  if (text.size) label_add(forms, text);
  pprofc_str file = label_after(text, '/');
  if (file.size) text = file;
  label_add(forms, text);
  label_add_parts(forms, text);
  return !all->failed && !forms->text[1].failed;
}

#define ELLIPSIS "\xE2\x80\xA6"

static bool inside_character(pprofc_str s, size_t i) {
  return i < s.size && ((unsigned char)s.data[i] & 0xC0) == 0x80;
}

/* Returns a copy of a long name without its middle. data is NULL when out of memory. */
static pprofc_str label_shorten(pprofc_str name, struct arena *arena) {
  size_t head = LABEL_MOST / 2, tail = name.size - LABEL_MOST / 2;
  while (head && inside_character(name, head)) head--;
  while (inside_character(name, tail)) tail++;
  struct buffer text = buffer_make(arena->mem, SIZE_MAX / 2);
  buffer_add_str(&text, str_slice(name, 0, head));
  buffer_add_text(&text, ELLIPSIS);
  buffer_add_str(&text, str_slice(name, tail, name.size));
  return buffer_take(&text, arena);
}

/* Shortens equal names only once. Frames are sorted by name, so equal names are adjacent. */
bool label_cut_frames(struct stack_frames *frames) {
  pprofc_str whole = STR(""), cut = STR("");
  for (size_t i = 0; i < frames->count; i++) {
    struct stack_frame *frame = &frames->items[i];
    if (budget_poll(frames->arena.mem, i)) return false;
    if (frame->file.size > LABEL_MOST)
      frame->file = str_slice(frame->file, frame->file.size - LABEL_MOST, frame->file.size);
    if (frame->name.size <= LABEL_MOST + strlen(ELLIPSIS)) continue;
    if (!str_equal(frame->name, whole)) {
      whole = frame->name;
      cut = label_shorten(whole, &frames->arena);
    }
    if (!cut.data) return false;
    frame->name = cut;
  }
  return true;
}

/* ---- widths ------------------------------------------ */

/* Widths of the characters ' ' to '~' at 12 pixels, in 1/100 of a pixel. Each is the larger one of
 * the widths in Verdana and in DejaVu Sans. */
static const unsigned short advances[] = {
    422,  482, 552, 1006, 763, 1292, 936, 330,  545, 545, 763, 1006, 437,  545,  437,  545,
    763,  763, 763, 763,  763, 763,  763, 763,  763, 763, 545, 545,  1006, 1006, 1006, 655,
    1200, 821, 823, 838,  925, 759,  690, 930,  902, 505, 546, 832,  668,  1036, 898,  945,
    724,  945, 834, 821,  740, 878,  821, 1187, 822, 738, 822, 545,  545,  545,  1006, 763,
    763,  735, 762, 660,  762, 738,  422, 762,  760, 333, 413, 711,  333,  1169, 760,  734,
    762,  762, 512, 625,  473, 760,  710, 982,  710, 710, 630, 763,  545,  763,  1006};

/* Returns the width of a text in 1/100 of a pixel. Stops early if the text is wider than `most`,
 * and then returns a number above `most`. */
static size_t label_measure(pprofc_str text, size_t most) {
  size_t width = 0;
  for (size_t at = 0; at < text.size && width <= most;) {
    int32_t code = utf8_next(text, &at);
    if (code >= ' ' && code <= '~')
      width += advances[code - ' '];
    else
      width += code < 0x2E80 ? 1000 : 1250; /* East Asian characters begin at U+2E80 */
  }
  return width;
}

double label_width(pprofc_str text) {
  return (double)label_measure(text, SIZE_MAX) / 100;
}

static pprofc_str label_head(pprofc_str s, size_t count) {
  size_t at = 0;
  while (count-- && at < s.size) utf8_next(s, &at);
  return str_slice(s, 0, at);
}

/* Returns the largest width in 1/100 of a pixel that fits into `room`. */
static size_t label_most(double room) {
  size_t most = room > 0 ? (size_t)(room * 100) : 0;
  return (double)(most + 1) / 100 <= room ? most + 1 : most;
}

/* Appends the longest form whose width is at most `most` to `out`. Returns false if all forms are
 * wider. */
static bool label_fit_form(const struct label_forms *forms, size_t most, struct buffer *out) {
  for (size_t i = 0; i < forms->count; i++)
    if (label_measure(forms->form[i], most) <= most) {
      buffer_add_str(out, forms->form[i]);
      return true;
    }
  return false;
}

#define FEWEST_LETTERS 4

enum label_look label_fit(const struct label_forms *forms, double room, struct buffer *out) {
  size_t most = label_most(room), small = label_most(room / LABEL_SMALL);
  if (label_fit_form(forms, most, out)) return LABEL_IS_WHOLE;
  if (label_fit_form(forms, small, out)) return LABEL_IS_SMALL;
  pprofc_str last = forms->form[forms->count - 1];
  /* Every character is at least 300 units (1/100 of a pixel) wide, so at most `high` fit. */
  size_t low = FEWEST_LETTERS - 1, high = small / 300;
  if (high > utf8_length(last)) high = utf8_length(last);
  while (low < high) {
    size_t middle = (low + high + 1) / 2;
    if (label_measure(label_head(last, middle), small) <= small)
      low = middle;
    else
      high = middle - 1;
  }
  if (low < FEWEST_LETTERS) return LABEL_NONE;
  buffer_add_str(out, label_head(last, low));
  return LABEL_IS_CUT;
}
