/* Matches plain texts with memmem and other patterns with PCRE2. regex.h explains how and why. */
#include "regex/regex.h"
#include "regex/regex_syntax.h"

#ifdef HAVE_PCRE2
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#endif

struct regex {
  const pprofc_allocator *mem;
  struct regex_translation translation;
  bool tripped;
#ifdef HAVE_PCRE2
  pcre2_general_context *general;
  pcre2_match_context *limits;
  pcre2_code *code;
  pcre2_match_data *match;
  pprofc_str pattern; /* copy of the pattern */
  /* Expression for the automaton: a prefix that matches any text, then the pattern. It is compiled
   * on first use. */
  pcre2_code *search;
  int *workspace;
  uint64_t steps; /* number of steps that the automaton has taken, at most AUTOMATON_STEPS */
  uint64_t states;
  struct buffer repaired; /* buffer for a text whose invalid bytes are replaced */
#endif
};

/* ---- plain texts ------------------------------------- */

static bool has_plain(const struct regex_translation *t, pprofc_str s) {
  pprofc_str all = buffer_str(&t->text);
  size_t start = 0;
  for (size_t i = 0; i < t->needles; start = t->needle_end[i++]) {
    pprofc_str needle = str_slice(all, start, t->needle_end[i]);
    if (!needle.size || str_find(s, needle) < s.size) return true;
  }
  return false;
}

#ifdef HAVE_PCRE2
/* ---- PCRE2 ------------------------------------------- */

/* Maximum number of backtracking steps in a match, which take about 10 ms. A match that needs more
 * steps is repeated with pcre2_dfa_match, which is slower but linear in the text. */
#define MATCH_LIMIT    200000
#define HEAP_LIMIT_KIB 16384
#define WORKSPACE_INTS 65536

/* Maximum size in bytes of a text for backtracking. Longer texts use the automaton, because
 * backtracking may take quadratic time before it reaches its limit. */
#define LONG_TEXT 8192

/* Limit of the automaton's work for all matches of one expression, in steps of about a nanosecond.
 * A byte of text costs at most the square of the number of states. A state has at least
 * BYTES_PER_STATE bytes of code, so the size of the code bounds the number of states. */
#define AUTOMATON_STEPS 5000000000
#define BYTES_PER_STATE 8

/* PCRE2 frees a block without its size, so the size is stored in front of the block. */
union regex_block {
  size_t size;
  max_align_t align;
};

static void *regex_take(size_t size, void *mem) {
  union regex_block *block =
      size > SIZE_MAX - sizeof *block ? NULL : mem_array(mem, size + sizeof *block, 1);
  if (!block) return NULL;
  block->size = size;
  return block + 1;
}

static void regex_give_back(void *memory, void *mem) {
  if (!memory) return;
  union regex_block *block = (union regex_block *)memory - 1;
  mem_free(mem, block, block->size + sizeof *block, 1);
}

static pcre2_code *regex_build(struct regex *regex, pprofc_str text, uint32_t options, int *code) {
  size_t offset;
  pcre2_compile_context *context = pcre2_compile_context_create(regex->general);
  if (!context) {
    *code = PCRE2_ERROR_HEAP_FAILED;
    return NULL;
  }
  pcre2_set_newline(context, PCRE2_NEWLINE_LF);
  pcre2_set_parens_nest_limit(context, REGEX_NEST_MAX + 8);
  options |= PCRE2_UTF | PCRE2_NO_UTF_CHECK | PCRE2_MULTILINE | PCRE2_ALT_CIRCUMFLEX | PCRE2_DOTALL;
  pcre2_code *built =
      pcre2_compile((PCRE2_SPTR)text.data, text.size, options, code, &offset, context);
  pcre2_compile_context_free(context);
  return built;
}

/* Reports why PCRE2 refused an expression that the grammar accepted. The expression is too large,
 * or this build of PCRE2 lacks a feature. */
static pprofc_status build_failed(int code, pprofc_str pattern, pprofc_error *error) {
  char reason[256];
  switch (code) {
  case PCRE2_ERROR_HEAP_FAILED:
    return error_nomem(error);
  case PCRE2_ERROR_PARENTHESES_NEST_TOO_DEEP:
  case PCRE2_ERROR_QUERY_BARJX_NEST_TOO_DEEP:
    return error_set(error, PPROFC_E_INVALID,
                     "error parsing regexp: expression nests too deeply: `%.*s`", STR_ARG(pattern));
  case PCRE2_ERROR_PATTERN_TOO_LARGE:
  case PCRE2_ERROR_PATTERN_TOO_COMPLICATED:
  case PCRE2_ERROR_INTERNAL_OVERRAN_WORKSPACE:
    return error_set(error, PPROFC_E_INVALID, "error parsing regexp: expression too large: `%.*s`",
                     STR_ARG(pattern));
  default:
    break;
  }
  pcre2_get_error_message(code, (PCRE2_UCHAR *)reason, sizeof reason);
  return error_set(error, PPROFC_E_UNSUPPORTED, "cannot compile regular expression '%.*s': %s",
                   STR_ARG(str_slice(pattern, 0, 200)), reason);
}

static pprofc_status engine_init(struct regex *regex, pprofc_str pattern, pprofc_error *error) {
  regex->general =
      pcre2_general_context_create(regex_take, regex_give_back, (void *)(uintptr_t)regex->mem);
  if (!regex->general) return error_nomem(error);
  char *copy = mem_array(regex->mem, pattern.size, 1);
  if (!copy) return error_nomem(error);
  memcpy(copy, pattern.data, pattern.size);
  regex->pattern = (pprofc_str){copy, pattern.size};
  int code = 0;
  regex->code = regex_build(regex, buffer_str(&regex->translation.pcre), 0, &code);
  if (!regex->code) return build_failed(code, pattern, error);
  /* If the just-in-time compiler fails, pcre2_match interprets the expression. */
  (void)pcre2_jit_compile(regex->code, PCRE2_JIT_COMPLETE);
  regex->match = pcre2_match_data_create_from_pattern(regex->code, regex->general);
  regex->limits = pcre2_match_context_create(regex->general);
  if (!regex->match || !regex->limits) return error_nomem(error);
  pcre2_set_match_limit(regex->limits, MATCH_LIMIT);
  pcre2_set_depth_limit(regex->limits, MATCH_LIMIT);
  pcre2_set_heap_limit(regex->limits, HEAP_LIMIT_KIB);
  return PPROFC_OK;
}

static void engine_free(struct regex *regex) {
  mem_free(regex->mem, (void *)(uintptr_t)regex->pattern.data, regex->pattern.size, 1);
  mem_free(regex->mem, regex->workspace, WORKSPACE_INTS, sizeof *regex->workspace);
  buffer_free(&regex->repaired);
  pcre2_match_data_free(regex->match);
  pcre2_match_context_free(regex->limits);
  pcre2_code_free(regex->search);
  pcre2_code_free(regex->code);
  pcre2_general_context_free(regex->general);
}

static bool is_ascii(pprofc_str s) {
  size_t i = 0;
  uint64_t word = 0;
  for (; i + 8 <= s.size; i += 8) {
    memcpy(&word, s.data + i, 8);
    if (word & 0x8080808080808080u) return false;
  }
  for (; i < s.size; i++)
    if (s.data[i] & 0x80) return false;
  return true;
}

/* Replaces each invalid UTF-8 byte of s by U+FFFD, as Go does. */
static bool repair(struct regex *regex, pprofc_str s, pprofc_str *repaired) {
  buffer_clear(&regex->repaired);
  for (size_t i = 0; i < s.size;) {
    size_t start = i;
    if (utf8_next(s, &i) < 0)
      buffer_add_text(&regex->repaired, "\xEF\xBF\xBD");
    else
      buffer_add(&regex->repaired, s.data + start, i - start);
  }
  *repaired = buffer_str(&regex->repaired);
  return !regex->repaired.failed;
}

static bool is_limit(int result) {
  return result == PCRE2_ERROR_MATCHLIMIT || result == PCRE2_ERROR_DEPTHLIMIT ||
         result == PCRE2_ERROR_HEAPLIMIT;
}

static int backtrack(struct regex *regex, pprofc_str s) {
  int result = pcre2_match(regex->code, (PCRE2_SPTR)s.data, s.size, 0, PCRE2_NO_UTF_CHECK,
                           regex->match, regex->limits);
  if (result == PCRE2_ERROR_JIT_STACKLIMIT)
    result = pcre2_match(regex->code, (PCRE2_SPTR)s.data, s.size, 0,
                         PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, regex->match, regex->limits);
  return result;
}

static pcre2_code *build_search(struct regex *regex) {
  struct regex_translation again;
  pcre2_code *search = NULL;
  int code;
  pprofc_status status = regex_translate(regex->mem, regex->pattern, REGEX_AUTOMATON, &again, NULL);
  struct buffer text = buffer_make(regex->mem, again.pcre.size + 32);
  buffer_add_text(&text, "(?s:.*?)(?:");
  buffer_add_str(&text, buffer_str(&again.pcre));
  buffer_add_char(&text, ')');
  if (status == PPROFC_OK && !text.failed)
    search = regex_build(regex, buffer_str(&text), PCRE2_ANCHORED | PCRE2_NO_AUTO_POSSESS, &code);
  buffer_free(&text);
  regex_translation_free(&again);
  return search;
}

/* Allocates the working memory of the automaton. Returns false when out of memory. */
static bool automaton_init(struct regex *regex) {
  if (!regex->search) regex->search = build_search(regex);
  size_t size = 0;
  if (!regex->search || pcre2_pattern_info(regex->search, PCRE2_INFO_SIZE, &size) != 0)
    return false;
  regex->states = size / BYTES_PER_STATE + 1 + regex->translation.copies;
  if (!regex->workspace)
    regex->workspace = mem_array(regex->mem, WORKSPACE_INTS, sizeof *regex->workspace);
  return regex->workspace != NULL;
}

static int automaton(struct regex *regex, pprofc_str s) {
  if (!automaton_init(regex)) return PCRE2_ERROR_MATCHLIMIT;
  /* The product cannot overflow: an expression is below 64 KiB, and therefore has few states. */
  uint64_t per_byte = regex->states * regex->states;
  if (s.size > (AUTOMATON_STEPS - regex->steps) / per_byte) return PCRE2_ERROR_MATCHLIMIT;
  regex->steps += s.size * per_byte;
  return pcre2_dfa_match(regex->search, (PCRE2_SPTR)s.data, s.size, 0,
                         PCRE2_NO_UTF_CHECK | PCRE2_DFA_SHORTEST, regex->match, regex->limits,
                         regex->workspace, WORKSPACE_INTS);
}

/* Matches a text that is valid UTF-8. If backtracking takes too long for a text, matches this text
 * and all later texts with the automaton. */
static bool regex_run(struct regex *regex, pprofc_str s) {
  if (regex->tripped) return false;
  bool slow = s.size > LONG_TEXT || regex->search;
  int result = slow ? PCRE2_ERROR_MATCHLIMIT : backtrack(regex, s);
  if (is_limit(result)) result = automaton(regex, s);
  if (result < 0 && result != PCRE2_ERROR_NOMATCH) regex->tripped = true;
  return result >= 0;
}

static bool engine_match(struct regex *regex, pprofc_str s) {
  if (!s.data) s = STR("");
  if (!is_ascii(s) && !utf8_valid(s) && !repair(regex, s, &s)) {
    regex->tripped = true;
    return false;
  }
  return regex_run(regex, s);
}

#else
/* ---- builds without PCRE2: plain texts only ---------- */

static pprofc_status engine_init(struct regex *regex, pprofc_str pattern, pprofc_error *error) {
  (void)regex;
  return error_set(error, PPROFC_E_UNSUPPORTED,
                   "cannot compile regular expression '%.*s': built without PCRE2",
                   STR_ARG(pattern));
}

static void engine_free(struct regex *regex) {
  (void)regex;
}

static bool engine_match(struct regex *regex, pprofc_str s) {
  (void)regex, (void)s;
  return false;
}
#endif

/* ---- interface --------------------------------------- */

pprofc_status regex_compile(const pprofc_allocator *mem, pprofc_str pattern, struct regex **out,
                            pprofc_error *error) {
  struct regex *regex = mem_zero_array(mem, 1, sizeof *regex);
  if (!regex) return error_nomem(error);
  regex->mem = mem;
#ifdef HAVE_PCRE2
  buffer_init(&regex->repaired, mem, SIZE_MAX / 2);
#endif
  pprofc_status status =
      regex_translate(mem, pattern, REGEX_BACKTRACKING, &regex->translation, error);
  if (status == PPROFC_OK && !regex->translation.plain) status = engine_init(regex, pattern, error);
  if (status != PPROFC_OK) {
    regex_free(regex);
    return status;
  }
  *out = regex;
  return PPROFC_OK;
}

void regex_free(struct regex *regex) {
  if (!regex) return;
  engine_free(regex);
  regex_translation_free(&regex->translation);
  mem_free(regex->mem, regex, 1, sizeof *regex);
}

bool regex_match(struct regex *regex, pprofc_str s) {
  if (regex->translation.plain) return has_plain(&regex->translation, s);
  return engine_match(regex, s);
}

bool regex_tripped(const struct regex *regex) {
  return regex->tripped;
}

pprofc_status regex_set_add(struct regex_set *set, const pprofc_allocator *mem, pprofc_str pattern,
                            unsigned flags, pprofc_error *error) {
  struct regex *regex;
  pprofc_status status = regex_compile(mem, pattern, &regex, error);
  if (status != PPROFC_OK) return status;
  if (ARRAY_PUSH(mem, set->items, set->count, set->capacity, (struct regex_flags){regex, flags}))
    return PPROFC_OK;
  regex_free(regex);
  return error_nomem(error);
}

void regex_set_free(struct regex_set *set, const pprofc_allocator *mem) {
  for (size_t i = 0; i < set->count; i++) regex_free(set->items[i].regex);
  ARRAY_FREE(mem, set->items, set->capacity);
}

unsigned regex_set_match(const struct regex_set *set, pprofc_str s) {
  unsigned flags = 0;
  for (size_t i = 0; i < set->count; i++)
    if (regex_match(set->items[i].regex, s)) flags |= set->items[i].flags;
  return flags;
}
