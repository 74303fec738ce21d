/* Applies tagfocus, tagignore, tagshow and taghide (docs/spec/pprof.md, 14). */
#include "transform/transform.h"
#include "unit/unit.h"

/* A compiled tagfocus or tagignore: [key=]value. The value is a range of numbers or a
 * comma-separated list of expressions. */
struct tag_filter {
  const pprofc_allocator *mem;
  const char *option_name;
  bool has_key;
  pprofc_str key;

  bool is_range;
  double low, high; /* bounds of the range; a missing bound is infinite */
  pprofc_str unit;

  struct regex **expressions;
  size_t expression_count;
};

/* ---- ranges ------------------------------------------ */

/* A number in an option's text: an optional sign, digits, optional letters. */
struct quantity {
  pprofc_str text, digits, unit;
};

/* Finds the first quantity in s at or after `from`. */
static bool find_quantity(pprofc_str s, size_t from, struct quantity *q) {
  for (size_t i = from; i < s.size; i++) {
    size_t sign = s.data[i] == '+' || s.data[i] == '-', at = i + sign;
    if (at >= s.size || !char_is_digit(s.data[at])) continue;
    while (at < s.size && char_is_digit(s.data[at])) at++;
    q->digits = str_slice(s, i, at);
    size_t unit = at;
    while (at < s.size && char_is_letter(s.data[at])) at++;
    q->unit = str_slice(s, unit, at);
    q->text = str_slice(s, i, at);
    return true;
  }
  return false;
}

static bool parse_quantity(const struct quantity *q, int64_t *value) {
  pprofc_str digits = q->digits;
  if (digits.data[0] == '+') digits = str_slice(digits, 1, digits.size);
  return str_parse_int(digits, 10, value);
}

/* True if s consists of `before` colons, the quantity q, and `after` colons. */
static bool is_with_colons(pprofc_str s, pprofc_str q, size_t before, size_t after) {
  if (s.size != before + q.size + after || !str_equal(str_slice(s, before, before + q.size), q))
    return false;
  return (!before || s.data[0] == ':') && (!after || s.data[s.size - 1] == ':');
}

static pprofc_status too_large(const struct tag_filter *f, pprofc_str number, pprofc_error *error) {
  return error_set(error, PPROFC_E_INVALID, "parsing %s range: value out of range: %.*s",
                   f->option_name, STR_ARG(number));
}

/* Parses the second bound M of N:M, and converts it to the unit of N. */
static pprofc_status parse_second(struct tag_filter *f, pprofc_str s, const struct quantity *first,
                                  pprofc_error *error) {
  struct quantity second;
  int64_t value;
  size_t end = (size_t)(first->text.data - s.data) + first->text.size;
  if (!find_quantity(s, end, &second)) return PPROFC_OK;
  bool exact = first->text.data == s.data && second.text.data == s.data + end + 1 &&
               s.data[end] == ':' && end + 1 + second.text.size == s.size;
  if (!exact) return PPROFC_OK;
  if (!parse_quantity(&second, &value)) return too_large(f, second.digits, error);
  struct measure high = unit_scale(value, second.unit, f->unit);
  f->is_range = str_equal(high.unit, f->unit);
  f->high = high.value;
  return PPROFC_OK;
}

/* Parses N, N:, :N or N:M, and sets is_range. Leaves is_range false for any other text. */
static pprofc_status parse_range(struct tag_filter *f, pprofc_str s, pprofc_error *error) {
  struct quantity first;
  int64_t value;
  if (!find_quantity(s, 0, &first)) return PPROFC_OK;
  if (!parse_quantity(&first, &value)) return too_large(f, first.digits, error);
  struct measure m = unit_scale(value, first.unit, first.unit);
  f->unit = m.unit;
  f->low = f->high = m.value;
  bool only = is_with_colons(s, first.text, 0, 0), from = is_with_colons(s, first.text, 0, 1);
  bool to = is_with_colons(s, first.text, 1, 0);
  if (!only && !from && !to) return parse_second(f, s, &first, error);
  if (from) f->high = (double)INFINITY;
  if (to) f->low = -(double)INFINITY;
  f->is_range = true;
  return PPROFC_OK;
}

/* ---- compiling --------------------------------------- */

static pprofc_status compile_expressions(struct tag_filter *f, pprofc_str value,
                                         pprofc_error *error) {
  size_t count = 1;
  for (size_t i = 0; i < value.size; i++) count += value.data[i] == ',';
  f->expressions = mem_zero_array(f->mem, count, sizeof(struct regex *));
  if (!f->expressions) return error_nomem(error);
  f->expression_count = count;
  pprofc_str rest = value, piece;
  for (size_t i = 0; i < count && str_next(&rest, ',', &piece); i++) {
    pprofc_status status = regex_compile(f->mem, piece, &f->expressions[i], error);
    if (status == PPROFC_OK) continue;
    if (status != PPROFC_E_NOMEM) error_prefix(error, "parsing %s regexp: ", f->option_name);
    return status;
  }
  return PPROFC_OK;
}

static pprofc_status tag_filter_parse(struct tag_filter *f, pprofc_str value,
                                      void (*warn)(void *, const char *), void *warn_context,
                                      pprofc_error *error) {
  size_t equals = str_find_char(value, '=');
  if (equals < value.size) {
    f->key = str_slice(value, 0, equals);
    f->has_key = f->key.size > 0;
    value = str_slice(value, equals + 1, value.size);
  }
  pprofc_status status = parse_range(f, value, error);
  if (status != PPROFC_OK) return status;
  if (!f->is_range) return compile_expressions(f, value, error);
  struct buffer notice = buffer_make(f->mem, SIZE_MAX);
  buffer_printf(&notice, "%s:Interpreted '%.*s' as range, not regexp", f->option_name,
                STR_ARG(value));
  buffer_add_char(&notice, '\0');
  status = notice.failed ? error_nomem(error) : PPROFC_OK;
  if (!notice.failed && warn) warn(warn_context, notice.data);
  buffer_free(&notice);
  return status;
}

pprofc_status tag_filter_compile(const pprofc_allocator *mem, const char *option_name,
                                 const char *text, void (*warn)(void *, const char *),
                                 void *warn_context, struct tag_filter **filter,
                                 pprofc_error *error) {
  struct tag_filter *f = mem_zero_array(mem, 1, sizeof *f);
  if (!f) return error_nomem(error);
  *f = (struct tag_filter){.mem = mem, .option_name = option_name};
  pprofc_status status = tag_filter_parse(f, str_of(text), warn, warn_context, error);
  if (status == PPROFC_OK)
    *filter = f;
  else
    tag_filter_free(f);
  return status;
}

void tag_filter_free(struct tag_filter *f) {
  if (!f) return;
  for (size_t i = 0; i < f->expression_count; i++) regex_free(f->expressions[i]);
  mem_free(f->mem, f->expressions, f->expression_count, sizeof(struct regex *));
  mem_free(f->mem, f, 1, sizeof *f);
}

/* ---- matching ---------------------------------------- */

/* State of applying a filter to a profile. Each pair of key and value is matched only once. */
struct filter_tags_matcher {
  const struct tag_filter *filter;
  const pprofc_profile *profile;
  const struct label_units *units;
  struct map pairs;
  struct pair {
    uint32_t key, string;
  } * pair_items;
  /* for each label (key and value) and each expression of the filter, 1 if the expression matches
   * the label */
  uint8_t *results;
  size_t pair_capacity, result_capacity;
  struct buffer text;
  struct label last; /* numeric label that was tested last; last_matched is its result */
  bool last_matched;
};

static void matcher_free(struct filter_tags_matcher *m) {
  map_free(&m->pairs);
  mem_free(&m->profile->mem, m->pair_items, m->pair_capacity, sizeof *m->pair_items);
  if (m->filter)
    mem_free(&m->profile->mem, m->results, m->result_capacity, m->filter->expression_count);
  buffer_free(&m->text);
}

static bool is_wanted_key(const struct filter_tags_matcher *m, const struct label *l) {
  return !m->filter->has_key || str_equal(profile_string(m->profile, l->key), m->filter->key);
}

static bool number_matches(struct filter_tags_matcher *m, const struct label *l) {
  const struct tag_filter *f = m->filter;
  if (m->last.is_number && m->last.key == l->key && m->last.number == l->number)
    return m->last_matched;
  pprofc_str unit = label_units_get(m->units, profile_string(m->profile, l->key));
  struct measure value = unit_scale(l->number, unit, f->unit);
  m->last = *l;
  m->last_matched =
      str_equal(value.unit, f->unit) && value.value >= f->low && value.value <= f->high;
  return m->last_matched;
}

static bool sample_in_range(struct filter_tags_matcher *m, size_t sample) {
  const struct label *labels = sample_labels(&m->profile->samples, sample);
  for (size_t i = 0; i < label_count(&m->profile->samples, sample); i++)
    if (labels[i].is_number && is_wanted_key(m, &labels[i]) && number_matches(m, &labels[i]))
      return true;
  return false;
}

static bool reserve_pairs(struct filter_tags_matcher *m, size_t count) {
  const pprofc_allocator *mem = &m->profile->mem;
  return ARRAY_RESERVE(mem, m->pair_items, m->pair_capacity, count) &&
         array_reserve(mem, &m->results, &m->result_capacity, count, m->filter->expression_count);
}

static bool match_pair(struct filter_tags_matcher *m, uint8_t *results, const struct label *l) {
  pprofc_str text = profile_string(m->profile, l->string);
  if (!m->filter->has_key) { /* match "key:value", as pprof does */
    buffer_clear(&m->text);
    buffer_add_str(&m->text, profile_string(m->profile, l->key));
    buffer_add_char(&m->text, ':');
    buffer_add_str(&m->text, text);
    if (m->text.failed) return false;
    text = buffer_str(&m->text);
  }
  for (size_t i = 0; i < m->filter->expression_count; i++)
    results[i] = regex_match(m->filter->expressions[i], text);
  return true;
}

/* Returns the result of each expression for a string label, or NULL when out of memory. */
static const uint8_t *label_results(struct filter_tags_matcher *m, const struct label *l) {
  size_t width = m->filter->expression_count;
  uint64_t hash = hash_mix(l->key, l->string);
  MAP_FIND(index, &m->pairs, hash,
           m->pair_items[index].key == l->key && m->pair_items[index].string == l->string);
  if (index != MAP_NONE) return m->results + index * width;
  index = (uint32_t)m->pairs.count;
  if (!reserve_pairs(m, (size_t)index + 1)) return NULL;
  m->pair_items[index] = (struct pair){l->key, l->string};
  if (!match_pair(m, m->results + index * width, l)) return NULL;
  return map_insert(&m->pairs, hash, index) ? m->results + index * width : NULL;
}

enum filter_tags_answer { NO, YES, OUT_OF_MEMORY };

static enum filter_tags_answer expression_matches(struct filter_tags_matcher *m, size_t expression,
                                                  size_t sample) {
  const struct label *labels = sample_labels(&m->profile->samples, sample);
  for (size_t i = 0; i < label_count(&m->profile->samples, sample); i++) {
    if (labels[i].is_number || !is_wanted_key(m, &labels[i])) continue;
    const uint8_t *results = label_results(m, &labels[i]);
    if (!results) return OUT_OF_MEMORY;
    if (results[expression]) return YES;
  }
  return NO;
}

/* Returns YES if the labels of a sample match the filter. If the filter names the key of a label,
 * at least one expression must match. Otherwise all expressions must match. */
static enum filter_tags_answer sample_matches(struct filter_tags_matcher *m, size_t sample) {
  if (m->filter->is_range) return sample_in_range(m, sample) ? YES : NO;
  enum filter_tags_answer enough = m->filter->has_key ? YES : NO;
  for (size_t i = 0; i < m->filter->expression_count; i++) {
    enum filter_tags_answer answer = expression_matches(m, i, sample);
    if (answer == enough || answer == OUT_OF_MEMORY) return answer;
  }
  return enough == YES ? NO : YES;
}

static bool matcher_tripped(const struct filter_tags_matcher *m) {
  for (size_t i = 0; m->filter && i < m->filter->expression_count; i++)
    if (regex_tripped(m->filter->expressions[i])) return true;
  return false;
}

/* ---- tagfocus, tagignore ----------------------------- */

static bool tag_filter_choose(struct filter_tags_matcher *focus, struct filter_tags_matcher *ignore,
                              uint8_t *keep, unsigned *matched) {
  for (size_t i = 0; i < focus->profile->samples.count; i++) {
    enum filter_tags_answer focused = focus->filter ? sample_matches(focus, i) : YES;
    enum filter_tags_answer ignored = ignore->filter ? sample_matches(ignore, i) : NO;
    if (focused == OUT_OF_MEMORY || ignored == OUT_OF_MEMORY) return false;
    *matched |= (unsigned)(focused == YES) << FILTER_TAGFOCUS;
    *matched |= (unsigned)(ignored == YES) << FILTER_TAGIGNORE;
    keep[i] = focused == YES && ignored == NO;
  }
  return true;
}

static void matcher_init(struct filter_tags_matcher *m, const struct tag_filter *filter,
                         const pprofc_profile *profile, const struct label_units *units) {
  *m = (struct filter_tags_matcher){.filter = filter, .profile = profile, .units = units};
  map_init(&m->pairs, &profile->mem);
  buffer_init(&m->text, &profile->mem, SIZE_MAX);
}

static pprofc_status tripped(const char *option_name, pprofc_error *error) {
  return error_set(error, PPROFC_E_LIMIT, "matching %s regexp: too many steps for one label",
                   option_name);
}

pprofc_status transform_tags(const pprofc_profile *source, const struct filter_terms *terms,
                             unsigned *matched, pprofc_profile **out, pprofc_error *error) {
  const struct tag_filter *focus = terms->items[FILTER_TAGFOCUS].tags;
  const struct tag_filter *ignore = terms->items[FILTER_TAGIGNORE].tags;
  struct filter_tags_matcher focuser, ignorer;
  matcher_init(&focuser, focus, source, terms->units);
  matcher_init(&ignorer, ignore, source, terms->units);
  uint8_t *keep = mem_array(&source->mem, source->samples.count, 1);
  pprofc_status status = PPROFC_OK;
  if (!keep || !tag_filter_choose(&focuser, &ignorer, keep, matched))
    status = error_nomem(error);
  else if (matcher_tripped(&focuser) || matcher_tripped(&ignorer))
    status = tripped(matcher_tripped(&focuser) ? focus->option_name : ignore->option_name, error);
  else
    status = transform_select(source, keep, out, error);
  mem_free(&source->mem, keep, source->samples.count, 1);
  matcher_free(&focuser);
  matcher_free(&ignorer);
  return status;
}

/* ---- tagshow, taghide -------------------------------- */

enum { KEY_SHOWN = 1, KEY_HIDDEN = 2, KEY_KNOWN = 4 };

/* Matches each key in use against show and hide. Sets keys[i] to the flags KEY_* of the key with
 * string index i, and *all to all flags that any key has. Returns true if all labels are kept. */
static bool match_keys(const pprofc_profile *p, struct regex *show, struct regex *hide,
                       uint8_t *keys, unsigned *all) {
  const struct samples *s = &p->samples;
  bool stay = true;
  for (size_t set = 0; set < s->label_set_count; set++)
    for (size_t l = 0; l < s->label_sets[set].count; l++) {
      uint32_t string = s->labels[s->label_sets[set].first + l].key;
      uint8_t *key = &keys[string];
      if (!*key) {
        pprofc_str text = profile_string(p, string);
        *key = KEY_KNOWN;
        if (!show || regex_match(show, text)) *key |= KEY_SHOWN;
        if (hide && regex_match(hide, text)) *key |= KEY_HIDDEN;
        *all |= *key & (KEY_SHOWN | KEY_HIDDEN);
      }
      stay = stay && (*key & (KEY_SHOWN | KEY_HIDDEN)) == KEY_SHOWN;
    }
  return stay;
}

static pprofc_status tag_filter_keep(pprofc_profile *copy, const uint8_t *keys,
                                     pprofc_error *error) {
  struct samples *s = &copy->samples;
  struct arena *arena = &copy->region->arena;
  size_t total = 0, n = 0;
  for (size_t i = 0; i < s->label_set_count; i++) total += s->label_sets[i].count;
  struct label_set *sets = arena_array(arena, s->label_set_count, sizeof *sets);
  struct label *labels = arena_array(arena, total, sizeof *labels);
  if (!sets || !labels) return error_nomem(error);
  for (size_t i = 0; i < s->label_set_count; i++) {
    const struct label *old = s->labels + s->label_sets[i].first;
    size_t first = n;
    for (size_t l = 0; l < s->label_sets[i].count; l++)
      if ((keys[old[l].key] & (KEY_SHOWN | KEY_HIDDEN)) == KEY_SHOWN) labels[n++] = old[l];
    sets[i] = (struct label_set){(uint32_t)first, (uint32_t)(n - first)};
  }
  if (!n) s->label_set = NULL;
  s->label_sets = n ? sets : NULL;
  s->label_set_count = n ? s->label_set_count : 0;
  s->labels = n ? labels : NULL;
  return PPROFC_OK;
}

static pprofc_status filter_keys(pprofc_profile *copy, struct regex *show, struct regex *hide,
                                 uint8_t *keys, unsigned *all, pprofc_error *error) {
  bool stay = match_keys(copy, show, hide, keys, all);
  if (show && regex_tripped(show)) return tripped("tagshow", error);
  if (hide && regex_tripped(hide)) return tripped("taghide", error);
  return stay ? PPROFC_OK : tag_filter_keep(copy, keys, error);
}

pprofc_status transform_tag_keys(const pprofc_profile *source, const struct filter_terms *terms,
                                 unsigned *matched, pprofc_profile **out, pprofc_error *error) {
  struct regex *show = terms->items[FILTER_TAGSHOW].regex;
  struct regex *hide = terms->items[FILTER_TAGHIDE].regex;
  unsigned all = 0;
  pprofc_profile *copy = profile_edit(source);
  if (!copy) return error_nomem(error);
  uint8_t *keys = mem_zero_array(&source->mem, source->strings.count, 1);
  pprofc_status status =
      keys ? filter_keys(copy, show, hide, keys, &all, error) : error_nomem(error);
  *matched |= all << FILTER_TAGSHOW;
  mem_free(&source->mem, keys, source->strings.count, 1);
  return edit_finish(status, copy, out);
}
