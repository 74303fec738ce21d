/* Checks a regular expression as Go does and writes it for PCRE2. Reads the pattern from left to
 * right and keeps a stack of open parentheses, so deep patterns need no recursion. */
#include "regex/regex_syntax.h"

#define REPEAT_MAX 1000
#define NOWHERE    SIZE_MAX

/* Properties of a sub-expression. Each property has a limit. */
struct shape {
  int height; /* height of Go's syntax tree, in nodes */
  int nest;   /* depth of parentheses in the expression for PCRE2 */
  int copies; /* largest product of the counts of nested repetitions, such as 6 for (a{2}){3} */
};

/* The last atom of the output: the part that a following repetition operator would repeat. */
struct atom {
  size_t start; /* offset of the atom in the output */
  struct shape shape;
  bool literal;
  bool joined;   /* true if Go's parser joins the atom with the literal before it */
  bool repeated; /* true if an operator already repeats the atom */
  bool bare;     /* true if PCRE2 needs parentheses around the atom to repeat it */
};

/* An open parenthesis. groups[0] is the whole expression. */
struct regex_group {
  size_t start;
  unsigned flags; /* flags that apply again after the parentheses */
  bool out_fold;
  bool captures;
  struct shape branches; /* largest height, nest and copies in the earlier alternatives */
  size_t branch_count;
  struct shape parts; /* largest height, nest and copies in this alternative before `last` */
  size_t part_count;
  bool has_last;
  struct atom last;
};

bool regex_fail(struct regex_parser *p, const char *what, size_t from, size_t to) {
  pprofc_str fragment = str_slice(p->whole, from, to);
  if (p->status == PPROFC_OK)
    p->status = error_set(p->error, PPROFC_E_INVALID, "error parsing regexp: %s: `%.*s`", what,
                          STR_ARG(fragment));
  return false;
}

static bool regex_fail_nomem(struct regex_parser *p) {
  if (p->status == PPROFC_OK) p->status = error_nomem(p->error);
  return false;
}

static bool fail_nested(struct regex_parser *p) {
  return regex_fail(p, "expression nests too deeply", 0, p->whole.size);
}

bool regex_at(const struct regex_parser *p, const char *text) {
  return str_starts(str_slice(p->whole, p->at, p->whole.size), str_of(text));
}

/* ---- groups and their parts -------------------------- */

static struct regex_group *regex_top(struct regex_parser *p) {
  return &p->groups[p->depth - 1];
}

static int larger(int a, int b) {
  return a > b ? a : b;
}

static void regex_widen(struct shape *all, struct shape one) {
  all->height = larger(all->height, one.height);
  all->nest = larger(all->nest, one.nest);
  all->copies = larger(all->copies, one.copies);
}

/* Closes the last atom, so that no later operator can repeat it. */
static void regex_close_atom(struct regex_group *group) {
  if (!group->has_last) return;
  regex_widen(&group->parts, group->last.shape);
  group->part_count++;
  group->has_last = false;
}

/* Begins an atom: the part of the output that a repetition operator would repeat. */
static struct atom *begin_atom(struct regex_parser *p, bool literal) {
  struct regex_group *group = regex_top(p);
  bool joined = literal && group->has_last && group->last.literal && !group->last.repeated;
  if (!joined) regex_close_atom(group);
  group->last = (struct atom){
      .start = p->out->size, .shape = {.height = 1}, .literal = literal, .joined = joined};
  group->has_last = true;
  if (!literal) p->result->plain = false;
  return &group->last;
}

/* Writes (?i) or (?-i) if the output must begin or stop ignoring case. A Unicode property
 * (`property`) never ignores case, because its output lists all variants of the characters. */
static void sync_fold(struct regex_parser *p, bool property) {
  bool fold = p->flags & REGEX_FOLD && !property;
  if (fold == p->out_fold) return;
  buffer_add_text(p->out, fold ? "(?i)" : "(?-i)");
  p->out_fold = fold;
}

static bool open_group(struct regex_parser *p, bool captures, const char *text) {
  if (!ARRAY_RESERVE(p->mem, p->groups, p->capacity, p->depth + 1)) return regex_fail_nomem(p);
  p->groups[p->depth++] = (struct regex_group){
      .start = p->out->size, .flags = p->flags, .out_fold = p->out_fold, .captures = captures};
  buffer_add_text(p->out, text);
  if (captures) p->result->captures++;
  if (p->depth > 1) p->result->plain = false;
  return true;
}

/* Ends an alternative of the innermost group. */
static void end_branch(struct regex_group *group) {
  regex_close_atom(group);
  struct shape shape = group->parts;
  if (group->part_count != 1) shape.height++;
  regex_widen(&group->branches, shape);
  group->branch_count++;
  group->parts = (struct shape){0};
  group->part_count = 0;
}

/* Ends the innermost group, and sets *shape to the properties of its expression. */
static bool end_group(struct regex_parser *p, struct shape *shape) {
  struct regex_group *group = regex_top(p);
  end_branch(group);
  *shape = group->branches;
  shape->height += (group->branch_count > 1) + group->captures;
  shape->nest++;
  p->depth--;
  return (shape->height <= REGEX_NEST_MAX && shape->nest <= REGEX_NEST_MAX + 1) || fail_nested(p);
}

/* Ends one of the plain texts in an expression such as text|text. */
static void end_needle(struct regex_translation *result) {
  if (result->needles == REGEX_NEEDLES_MAX) result->plain = false;
  if (result->plain) result->needle_end[result->needles++] = result->text.size;
}

static bool vertical_bar(struct regex_parser *p) {
  if (p->depth == 1) end_needle(p->result);
  end_branch(regex_top(p));
  buffer_add_char(p->out, '|');
  p->at++;
  return true;
}

static bool right_parenthesis(struct regex_parser *p) {
  if (p->depth == 1) return regex_fail(p, "unexpected )", 0, p->whole.size);
  struct regex_group group = *regex_top(p);
  struct shape shape;
  if (!end_group(p, &shape)) return false;
  p->flags = group.flags;
  p->out_fold = group.out_fold;
  struct atom *atom = begin_atom(p, false);
  atom->start = group.start;
  atom->shape = shape;
  buffer_add_char(p->out, ')');
  p->at++;
  return true;
}

/* ---- atoms ------------------------------------------- */

/* True if a character needs no backslash for PCRE2. */
static bool is_word_character(int32_t code) {
  return code >= 0x80 || char_is_word((char)code);
}

/* Writes a character and the escapes that PCRE2 needs. `bytes` is the UTF-8 form of the
 * character. */
static void write_literal(struct regex_parser *p, int32_t code, const char *bytes, size_t size) {
  if (code < 0x20 || code == 0x7F) {
    buffer_printf(p->out, "\\x{%x}", (unsigned)code);
    return;
  }
  if (!is_word_character(code)) buffer_add_char(p->out, '\\');
  buffer_add(p->out, bytes, size);
}

/* Writes a character of the pattern that matches itself. */
static void regex_literal(struct regex_parser *p, int32_t code) {
  sync_fold(p, false);
  begin_atom(p, true);
  bool surrogate = code >= 0xD800 && code < 0xE000;
  /* A search with memmem can neither ignore case nor match an invalid byte as U+FFFD. */
  if (p->flags & REGEX_FOLD || code == 0xFFFD || surrogate) p->result->plain = false;
  if (surrogate) { /* Go accepts a surrogate in a pattern, but no text matches it */
    buffer_add_text(p->out, "[^\\x{0}-\\x{10ffff}]");
    return;
  }
  char bytes[4];
  size_t size = utf8_encode((uint32_t)code, bytes);
  if (p->result->plain) buffer_add(&p->result->text, bytes, size);
  write_literal(p, code, bytes, size);
}

/* Writes an assertion, such as ^, which matches a position between characters. */
static bool regex_place(struct regex_parser *p, const char *text, size_t length) {
  begin_atom(p, false)->bare = true;
  buffer_add_text(p->out, text);
  p->at += length;
  return true;
}

static bool read_literal(struct regex_parser *p) {
  int32_t code;
  if (!regex_read(p, &code)) return false;
  regex_literal(p, code);
  return true;
}

/* Parses \Q...\E; \E may be missing. */
static bool quotation(struct regex_parser *p) {
  p->at += 2;
  size_t length = str_find(str_slice(p->whole, p->at, p->whole.size), STR("\\E"));
  size_t end = p->at + length;
  if (!regex_check_utf8(p, p->at, end)) return false;
  while (p->at < end)
    if (!read_literal(p)) return false;
  p->at += p->at < p->whole.size ? 2 : 0;
  return true;
}

static bool regex_bracket(struct regex_parser *p) {
  sync_fold(p, false);
  begin_atom(p, false);
  return regex_class(p);
}

static bool regex_dot(struct regex_parser *p) {
  begin_atom(p, false);
  buffer_add_text(p->out, p->flags & REGEX_DOT_NEWLINE ? "." : "\\N");
  p->at++;
  return true;
}

static bool regex_backslash(struct regex_parser *p) {
  if (regex_at(p, "\\A")) return regex_place(p, "\\A", 2);
  if (regex_at(p, "\\b")) return regex_place(p, "\\b", 2);
  if (regex_at(p, "\\B")) return regex_place(p, "\\B", 2);
  if (regex_at(p, "\\z")) return regex_place(p, "\\z", 2);
  if (regex_at(p, "\\Q")) return quotation(p);
  bool found = false;
  struct regex_group before = *regex_top(p);
  bool plain = p->result->plain;
  sync_fold(p, regex_at(p, "\\p") || regex_at(p, "\\P"));
  begin_atom(p, false);
  if (!regex_class_escape(p, &found)) return false;
  if (found) return true;
  *regex_top(p) = before;
  p->result->plain = plain;
  int32_t code;
  if (!regex_read_escape(p, &code)) return false;
  regex_literal(p, code);
  return true;
}

/* ---- (?flags) and (?P<name> -------------------------- */

static bool regex_is_word(pprofc_str name) {
  for (size_t i = 0; i < name.size; i++)
    if (!char_is_word(name.data[i])) return false;
  return name.size > 0;
}

/* Parses (?P<name>...) or (?<name>...); `prefix` is the number of bytes before the name. */
static bool named_capture(struct regex_parser *p, size_t prefix) {
  size_t start = p->at, name = p->at + prefix;
  size_t end = start + str_find_char(str_slice(p->whole, start, p->whole.size), '>');
  if (!regex_check_utf8(p, name, end)) return false;
  p->at = end < p->whole.size ? end + 1 : end;
  if (end == p->whole.size || !regex_is_word(str_slice(p->whole, name, end)))
    return regex_fail(p, "invalid named capture", start, p->at);
  return open_group(p, true, "(");
}

static unsigned regex_flag_of(int32_t letter) {
  static const unsigned flags[128] = {
      ['i'] = REGEX_FOLD, ['m'] = REGEX_MULTI_LINE, ['s'] = REGEX_DOT_NEWLINE, ['U'] = REGEX_LAZY};
  return letter >= 0 && letter < 128 ? flags[letter] : 0;
}

/* State of parsing the letters of (?flags). */
struct regex_flag_group {
  unsigned set;
  bool clearing; /* true after the minus in a group of flags */
  bool complete; /* true if a letter follows the minus, or there is no minus */
};

/* Applies a letter or the minus of (?flags). Returns false if c may not come next. */
static bool regex_flags_take(struct regex_flag_group *f, int32_t c) {
  unsigned flag = regex_flag_of(c);
  if (!flag && (c != '-' || f->clearing)) return false;
  if (!flag) f->clearing = true;
  f->complete = flag != 0;
  f->set = f->clearing ? f->set & ~flag : f->set | flag;
  return true;
}

/* Parses (?flags), (?flags-flags:...) and (?:...). */
static bool regex_group_flags(struct regex_parser *p) {
  size_t start = p->at;
  p->at += 2;
  struct regex_flag_group flags = {.set = p->flags, .complete = true};
  int32_t c = 0;
  while (p->at < p->whole.size) {
    if (!regex_read(p, &c)) return false;
    if (!regex_flags_take(&flags, c)) break;
  }
  if ((c != ':' && c != ')') || !flags.complete)
    return regex_fail(p, "invalid or unsupported Perl syntax", start, p->at);
  if (c == ':' && !open_group(p, false, "(?:")) return false;
  p->flags = flags.set;
  return true;
}

static bool left_parenthesis(struct regex_parser *p) {
  size_t left = p->whole.size - p->at;
  if (left > 4 && regex_at(p, "(?P<")) return named_capture(p, 4);
  if (left > 3 && regex_at(p, "(?<")) return named_capture(p, 3);
  if (regex_at(p, "(?")) return regex_group_flags(p);
  p->at++;
  return open_group(p, true, "(");
}

/* ---- repetition -------------------------------------- */

struct repetition {
  size_t start; /* offset of the operator in the pattern */
  int min, max; /* smallest and largest number of repetitions; -1 for no upper bound */
  bool counted; /* true for {n,m}, false for * + ? */
};

/* Parses a number without leading zeros. For a number above REPEAT_MAX, sets *count to any number
 * above REPEAT_MAX. */
static bool read_count(struct regex_parser *p, size_t *at, int *count) {
  size_t start = *at;
  *count = 0;
  for (; *at < p->whole.size; ++*at) {
    char c = p->whole.data[*at];
    if (!char_is_digit(c)) break;
    *count = *count > REPEAT_MAX ? *count : *count * 10 + (c - '0');
  }
  bool leading_zero = *at - start > 1 && p->whole.data[start] == '0';
  return *at > start && !leading_zero;
}

/* Parses {n}, {n,} or {n,m}. Returns false for anything else, which makes { a literal. */
static bool read_counts(struct regex_parser *p, struct repetition *r) {
  size_t at = p->at + 1;
  if (!read_count(p, &at, &r->min)) return false;
  r->max = r->min;
  if (at < p->whole.size && p->whole.data[at] == ',') {
    at++;
    r->max = -1;
    if (at < p->whole.size && p->whole.data[at] != '}' && !read_count(p, &at, &r->max))
      return false;
  }
  if (at == p->whole.size || p->whole.data[at] != '}') return false;
  p->at = at + 1;
  return true;
}

/* Puts parentheses around the last atom of the output. */
static void wrap_last(struct regex_parser *p, struct atom *atom) {
  buffer_add_text(p->out, "(?:)");
  if (p->out->failed) return;
  char *start = p->out->data + atom->start;
  memmove(start + 3, start, p->out->size - 4 - atom->start);
  memcpy(start, "(?:", 3);
  p->out->data[p->out->size - 1] = ')';
  atom->shape.nest++;
}

static bool check_repetition(struct regex_parser *p, struct atom *atom,
                             const struct repetition *r) {
  struct shape *shape = &atom->shape;
  if (++shape->height > REGEX_NEST_MAX || shape->nest > REGEX_NEST_MAX) return fail_nested(p);
  if (!r->counted) return true;
  int times = r->max < 0 ? r->min : r->max;
  if (r->max == 0)
    shape->copies = 0;
  else if (times > 0)
    shape->copies = times * larger(1, shape->copies);
  if ((r->min >= 2 || r->max >= 2) && shape->copies > REPEAT_MAX)
    return regex_fail(p, "invalid repeat count", r->start, p->at);
  p->result->copies += (size_t)shape->copies;
  return true;
}

static void write_repetition(struct regex_parser *p, const struct repetition *r, bool lazy) {
  if (!r->counted)
    buffer_add_char(p->out, p->whole.data[r->start]);
  else if (r->max < 0)
    buffer_printf(p->out, "{%d,}", r->min);
  else
    buffer_printf(p->out, "{%d,%d}", r->min, r->max);
  if (lazy) buffer_add_char(p->out, '?');
}

/* Writes the repetition of the last atom. `previous` is the start of a repetition operator directly
 * before this operator, as in "a+*", which is an error. `previous` is NOWHERE if there is no such
 * operator. */
static bool regex_repeat(struct regex_parser *p, const struct repetition *r, size_t previous) {
  bool lazy = p->flags & REGEX_LAZY;
  if (p->at < p->whole.size && p->whole.data[p->at] == '?') {
    p->at++;
    lazy = !lazy;
  }
  if (previous != NOWHERE)
    return regex_fail(p, "invalid nested repetition operator", previous, p->at);
  struct regex_group *group = regex_top(p);
  struct atom *atom = &group->last;
  if (!group->has_last)
    return regex_fail(p, "missing argument to repetition operator", r->start, p->at);
  p->result->plain = false;
  if (atom->joined) {
    group->part_count++;
    regex_widen(&group->parts, (struct shape){.height = 1});
  }
  atom->joined = false;
  /* For x+, pcre2_dfa_match makes a state for every character that matches, but not for (?:x)+. So
   * a repetition without an upper limit gets a group. */
  bool endless = p->engine == REGEX_AUTOMATON && (!r->counted || r->max < 0);
  if (atom->repeated || atom->bare || endless) wrap_last(p, atom);
  if (!check_repetition(p, atom, r)) return false;
  atom->repeated = true;
  write_repetition(p, r, lazy);
  return true;
}

/* Parses a repetition operator: * + ? or {. *previous is the start of the preceding operator, and
 * becomes the start of this operator. */
static bool repetition(struct regex_parser *p, size_t *previous) {
  struct repetition r = {.start = p->at};
  r.counted = p->whole.data[p->at] == '{';
  if (!r.counted) {
    p->at++;
  } else if (!read_counts(p, &r)) {
    *previous = NOWHERE;
    return read_literal(p);
  } else if (r.min > REPEAT_MAX || r.max > REPEAT_MAX || (r.max >= 0 && r.min > r.max)) {
    return regex_fail(p, "invalid repeat count", r.start, p->at);
  }
  bool repeated = regex_repeat(p, &r, *previous);
  *previous = r.start;
  return repeated;
}

/* ---- the expression ---------------------------------- */

static bool regex_item(struct regex_parser *p) {
  bool lines = p->flags & REGEX_MULTI_LINE;
  switch (p->whole.data[p->at]) {
  case '(':
    return left_parenthesis(p);
  case ')':
    return right_parenthesis(p);
  case '|':
    return vertical_bar(p);
  case '^':
    return regex_place(p, lines ? "^" : "\\A", 1);
  case '$':
    return regex_place(p, lines ? "$" : "\\z", 1);
  case '.':
    return regex_dot(p);
  case '[':
    return regex_bracket(p);
  case '\\':
    return regex_backslash(p);
  default:
    return read_literal(p);
  }
}

static bool regex_parse(struct regex_parser *p) {
  if (!open_group(p, false, "")) return false;
  size_t previous = NOWHERE;
  while (p->at < p->whole.size) {
    char c = p->whole.data[p->at];
    bool is_operator = c == '*' || c == '+' || c == '?' || c == '{';
    if (is_operator ? !repetition(p, &previous) : !regex_item(p)) return false;
    if (!is_operator) previous = NOWHERE;
  }
  if (p->depth > 1) return regex_fail(p, "missing closing )", 0, p->whole.size);
  struct shape shape;
  if (!end_group(p, &shape)) return false;
  end_needle(p->result);
  return true;
}

/* Maximum number of output bytes for each byte of the pattern. The longest output is the list for
 * \p{Lu} when case is ignored. */
#define GROWTH 512

pprofc_status regex_translate(const pprofc_allocator *mem, pprofc_str pattern,
                              enum regex_engine engine, struct regex_translation *out,
                              pprofc_error *error) {
  *out = (struct regex_translation){.plain = true};
  size_t ceiling = pattern.size > SIZE_MAX / GROWTH - 16 ? SIZE_MAX : (pattern.size + 16) * GROWTH;
  buffer_init(&out->pcre, mem, ceiling);
  buffer_init(&out->text, mem, ceiling);
  struct regex_parser parser = {.mem = mem,
                                .whole = pattern,
                                .engine = engine,
                                .result = out,
                                .out = &out->pcre,
                                .error = error};
  if (regex_parse(&parser) && (out->pcre.failed || out->text.failed)) regex_fail_nomem(&parser);
  mem_free(mem, parser.groups, parser.capacity, sizeof *parser.groups);
  return parser.status;
}

void regex_translation_free(struct regex_translation *translation) {
  buffer_free(&translation->pcre);
  buffer_free(&translation->text);
}
