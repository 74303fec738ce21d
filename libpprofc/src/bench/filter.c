/* Filters results and single measurements: `goos:linux AND (/size:4k OR .unit:/^B/)`. A `.unit:`
 * term tests each measurement, and every other term (a result term) tests the whole result. A false
 * result term decides an AND. A true result term decides an OR. Otherwise the `.unit:` terms
 * decide. So a value on the evaluation stack is true, false, or "measured", which means that it
 * depends on the measurement. */
#include "bench/tables.h"

/* Maximum nesting of parentheses and minus signs. */
#define DEEPEST 1000

enum op { OP_MATCH, OP_NOT, OP_AND, OP_OR };

/* A filter is an array of instructions in postfix order. AND and OR pop `count` values. */
struct filter_instruction {
  enum op op;
  size_t count; /* for AND and OR, number of values to pop; otherwise, index of the term */
};

struct term {
  struct key key;
  bool unit;        /* true for a `.unit:` term */
  uint32_t literal; /* string id of the value to match exactly, without regular expression */
  struct regex *regex;
  size_t offset;        /* offset of the term in the query */
  unsigned char *known; /* cached result for each string id: 0: unknown, 1: no match, 2: match */
  size_t known_count;
  bool value; /* true if the term matches the current benchmark result */
};

struct truth {
  bool measured; /* true if the value depends on the measurement */
  bool value;
};

struct filter {
  struct extractor *extractor;
  const pprofc_allocator *mem;
  struct filter_instruction *program;
  size_t program_size, program_capacity;
  struct term *terms;
  size_t term_count, term_capacity;
  struct truth *stack;
  size_t stack_capacity;
  bool measured; /* true if the filter has a `.unit:` term, which tests measurements */
};

void filter_free(struct filter *filter) {
  if (!filter) return;
  const pprofc_allocator *mem = filter->mem;
  for (size_t i = 0; i < filter->term_count; i++) {
    regex_free(filter->terms[i].regex);
    mem_free(mem, filter->terms[i].known, filter->terms[i].known_count, 1);
  }
  mem_free(mem, filter->program, filter->program_capacity, sizeof *filter->program);
  mem_free(mem, filter->terms, filter->term_capacity, sizeof *filter->terms);
  mem_free(mem, filter->stack, filter->stack_capacity, sizeof *filter->stack);
  mem_free(mem, filter, 1, sizeof *filter);
}

/* ---- parsing ----------------------------------------- */

/* State of an open parenthesis, or of the whole query. */
struct filter_level {
  size_t negations; /* number of minus signs (negations) before the parenthesis */
  size_t ands, ors; /* number of operands so far in the current AND, and in the current OR */
};

struct filter_parser {
  struct filter *filter;
  struct query query;
  struct filter_level levels[DEEPEST];
  size_t depth;
  size_t negations; /* number of minus signs before the current "key:value" */
  bool nomem;
};

static void emit(struct filter_parser *p, enum op op, size_t count) {
  struct filter *f = p->filter;
  p->nomem |= !ARRAY_PUSH(f->mem, f->program, f->program_size, f->program_capacity,
                          (struct filter_instruction){op, count});
}

static void emit_negations(struct filter_parser *p, size_t count) {
  if (count % 2) emit(p, OP_NOT, 1);
}

static void emit_term(struct filter_parser *p, const struct token *key, const struct token *value) {
  struct filter *f = p->filter;
  if (!ARRAY_RESERVE(f->mem, f->terms, f->term_capacity, f->term_count + 1)) {
    regex_free(value->regex);
    p->nomem = true;
    return;
  }
  struct term term = {.offset = key->offset, .regex = value->regex};
  term.key.text = key->text;
  if (!term.regex) term.literal = extract_intern(f->extractor, value->text);
  f->terms[f->term_count] = term;
  emit(p, OP_MATCH, f->term_count++);
}

static bool is_value(const struct token *token) {
  return token->kind == TOKEN_WORD || token->kind == TOKEN_QUOTED || token->kind == TOKEN_REGEX;
}

static void parse_values(struct filter_parser *p, const struct token *key) {
  for (size_t count = 1;; count++) {
    size_t offset = query_offset(&p->query);
    struct token value = query_take(&p->query, true);
    if (!is_value(&value)) {
      query_fail(&p->query, offset, "expected value");
      return;
    }
    emit_term(p, key, &value);
    offset = query_offset(&p->query);
    struct token separator = query_take(&p->query, true);
    if (separator.kind == ')') {
      emit(p, OP_OR, count);
      return;
    }
    if (separator.kind != TOKEN_OR) {
      regex_free(separator.regex);
      query_fail(&p->query, offset, "value list must be separated by OR");
      return;
    }
  }
}

/* Parses the value or values of "key:value". The key is already parsed. */
static void parse_match(struct filter_parser *p, const struct token *key) {
  struct token colon = query_take(&p->query, false);
  struct token value = {.kind = TOKEN_END};
  if (colon.kind == ':') value = query_take(&p->query, true);
  if (is_value(&value))
    emit_term(p, key, &value);
  else if (value.kind == '(')
    parse_values(p, key);
  else
    query_fail(&p->query, key->offset, "expected key:value");
}

/* Parses a match such as "goos:linux", and the minus signs before it. Returns false if a
 * parenthesis opens instead. */
static bool parse_operand(struct filter_parser *p) {
  for (;;) {
    size_t offset = query_offset(&p->query);
    struct token token = query_take(&p->query, false);
    switch (token.kind) {
    case '-':
      p->negations++;
      continue;
    case '*':
      emit(p, OP_AND, 0);
      return true;
    case TOKEN_WORD:
    case TOKEN_QUOTED:
      parse_match(p, &token);
      return true;
    case '(':
      if (p->depth == DEEPEST) {
        query_fail(&p->query, offset, "nested too deeply");
        return true;
      }
      p->levels[p->depth++] = (struct filter_level){.negations = p->negations};
      p->negations = 0;
      return false;
    default:
      query_fail(&p->query, offset, "expected key:value or subexpression");
      return true;
    }
  }
}

static void end_and(struct filter_parser *p, struct filter_level *level) {
  if (level->ands != 1) emit(p, OP_AND, level->ands);
  level->ands = 0;
  level->ors++;
}

static bool token_begins_operand(char kind) {
  return kind == '(' || kind == '-' || kind == '*' || kind == TOKEN_WORD || kind == TOKEN_QUOTED;
}

/* Closes the innermost parenthesis or the whole query. Returns false at the end of the query. */
static bool end_level(struct filter_parser *p, const struct token *token) {
  const struct filter_level *level = &p->levels[p->depth - 1];
  if (level->ors != 1) emit(p, OP_OR, level->ors);
  if (p->depth == 1) {
    if (token->kind == ')') query_fail(&p->query, token->offset, "unexpected \")\"");
    return false;
  }
  if (token->kind != ')') {
    query_fail(&p->query, token->offset, "missing \")\"");
    return false;
  }
  query_drop(&p->query);
  emit_negations(p, level->negations);
  p->levels[--p->depth - 1].ands++;
  return true;
}

/* Parses AND, OR and ')' up to the next match. Returns false at the end of the query. */
static bool parse_joint(struct filter_parser *p) {
  for (;;) {
    struct token token = query_peek(&p->query);
    if (p->query.failed) return false;
    if (token_begins_operand(token.kind)) return true;
    if (token.kind == TOKEN_AND) {
      query_drop(&p->query);
      continue;
    }
    if (token.kind != ')' && token.kind != TOKEN_OR && token.kind != TOKEN_END) {
      query_fail(&p->query, token.offset, "unexpected \"%.*s\"", STR_ARG(token.text));
      return false;
    }
    end_and(p, &p->levels[p->depth - 1]);
    if (token.kind == TOKEN_OR) {
      query_drop(&p->query);
      return true;
    }
    if (!end_level(p, &token)) return false;
  }
}

static void filter_parse(struct filter_parser *p) {
  p->depth = 1;
  do {
    if (!parse_operand(p)) continue;
    emit_negations(p, p->negations);
    p->negations = 0;
    p->levels[p->depth - 1].ands++;
    if (p->query.failed || !parse_joint(p)) return;
  } while (!p->query.failed && !p->nomem);
}

/* Checks the keys of all terms. The query is already parsed, because benchstat reports syntax
 * errors first. */
static void check_keys(struct filter_parser *p) {
  struct filter *f = p->filter;
  for (size_t i = 0; i < f->term_count && !p->query.failed; i++) {
    struct term *term = &f->terms[i];
    term->unit = str_equal(term->key.text, STR(".unit"));
    f->measured |= term->unit;
    if (str_equal(term->key.text, STR(".config")))
      query_fail(&p->query, term->offset, ".config is only allowed in projections");
    else if (!term->key.text.size)
      query_fail(&p->query, term->offset, "key must not be empty");
    else if (!term->unit)
      term->key = extract_key(f->extractor, term->key.text);
  }
}

pprofc_status filter_compile(struct extractor *extractor, pprofc_str query, struct filter **filter,
                             pprofc_error *error) {
  const pprofc_allocator *mem = extractor->arena->mem;
  struct filter *f = mem_zero_array(mem, 1, sizeof *f);
  struct filter_parser *p = mem_zero_array(mem, 1, sizeof *p);
  pprofc_status status = PPROFC_E_NOMEM;
  if (f) {
    f->mem = mem;
    f->extractor = extractor;
  }
  if (f && p) {
    p->filter = f;
    query_init(&p->query, query, extractor->arena, error);
    filter_parse(p);
    if (!p->query.failed && !p->nomem) check_keys(p);
    f->stack_capacity = f->program_size + 1;
    f->stack = mem_array(mem, f->stack_capacity, sizeof *f->stack);
    if (p->query.failed)
      status = p->query.status;
    else if (!p->nomem && !extractor->failed && f->stack)
      status = PPROFC_OK;
  }
  if (status == PPROFC_E_NOMEM) error_nomem(error);
  mem_free(mem, p, 1, sizeof *p);
  if (status == PPROFC_OK)
    *filter = f;
  else
    filter_free(f);
  return status;
}

/* ---- applying ---------------------------------------- */

/* True if a term matches a value. Runs the regular expression once for each distinct value. */
static bool term_matches(struct filter *f, struct term *term, uint32_t id) {
  if (!term->regex) return id == term->literal;
  if (id >= term->known_count) {
    size_t old = term->known_count;
    if (!ARRAY_RESERVE(f->mem, term->known, term->known_count, extract_ids(f->extractor))) {
      f->extractor->failed = true;
      return false;
    }
    memset(term->known + old, 0, term->known_count - old);
  }
  if (!term->known[id])
    term->known[id] = regex_match(term->regex, extract_string(f->extractor, id)) ? 2 : 1;
  return term->known[id] == 2;
}

static struct truth filter_combine(enum op op, const struct truth *values, size_t count) {
  struct truth result = {false, op == OP_AND};
  for (size_t i = 0; i < count; i++) {
    bool settles = op == OP_AND ? !values[i].value : values[i].value;
    if (!values[i].measured) {
      if (settles) return (struct truth){false, op == OP_OR};
    } else {
      if (!result.measured || settles) result.value = values[i].value;
      result.measured = true;
    }
  }
  return result;
}

/* Runs the filter on the current result. `.unit:` terms test `unit`, the unit of a measurement. If
 * `unit` is NULL, they match no unit. */
static struct truth evaluate(struct filter *f, const struct bench_unit *unit) {
  size_t depth = 0;
  for (size_t i = 0; i < f->program_size; i++) {
    struct filter_instruction in = f->program[i];
    struct truth value;
    if (in.op == OP_MATCH) {
      struct term *term = &f->terms[in.count];
      value = (struct truth){term->unit, term->value};
      if (term->unit)
        value.value =
            unit && (term_matches(f, term, unit->tidied) ||
                     (unit->original != BENCH_EMPTY && term_matches(f, term, unit->original)));
    } else if (in.op == OP_NOT) {
      value = f->stack[--depth];
      value.value = !value.value;
    } else {
      depth -= in.count;
      value = filter_combine(in.op, f->stack + depth, in.count);
    }
    f->stack[depth++] = value;
  }
  return f->stack[0];
}

bool filter_result(struct filter *f, size_t result) {
  for (size_t i = 0; i < f->term_count; i++) {
    struct term *term = &f->terms[i];
    if (!term->unit) term->value = term_matches(f, term, extract(f->extractor, &term->key, result));
  }
  struct truth truth = evaluate(f, NULL);
  return truth.measured || truth.value;
}

bool filter_value(struct filter *f, uint32_t unit) {
  return !f->measured || evaluate(f, &f->extractor->set->units[unit]).value;
}

bool filter_tripped(const struct filter *f) {
  for (size_t i = 0; i < f->term_count; i++)
    if (f->terms[i].regex && regex_tripped(f->terms[i].regex)) return true;
  return false;
}
