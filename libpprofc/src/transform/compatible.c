/* Makes profiles comparable: keeps their common sample types, in one order and one unit. */
#include "pprofc/transform.h"
#include "transform/transform.h"
#include "unit/unit.h"

/* Adds a string to an edited profile. Returns its index, or NONE when out of memory. */
static uint32_t compatible_add_string(pprofc_profile *copy, pprofc_str s) {
  for (uint32_t i = 0; i < copy->strings.count; i++)
    if (str_equal(copy->strings.items[i], s)) return i;
  return profile_add_strings(copy, &s, 1) ? (uint32_t)copy->strings.count - 1 : NONE;
}

/* ---- common types ------------------------------------ */

/* Stores in `common` the names of the sample types that all profiles have, in the order of the
 * first profile. Returns the number of names, or SIZE_MAX when out of memory. Like pprof, omits a
 * name that occurs twice in one profile. */
static size_t common_types(const pprofc_profile *const *profiles, size_t count,
                           pprofc_str *common) {
  const pprofc_profile *first = profiles[0];
  struct interner names;
  interner_init(&names, &first->mem);
  size_t n = 0;
  size_t *occurrences = mem_zero_array(&first->mem, first->type_count, sizeof *occurrences);
  bool ok = occurrences != NULL;
  for (size_t t = 0; ok && t < first->type_count; t++)
    ok = interner_add(&names, profile_type(first, t)) != MAP_NONE;
  for (size_t i = 0; ok && i < count; i++)
    for (size_t t = 0; t < profiles[i]->type_count; t++) {
      uint32_t name = interner_find(&names, profile_type(profiles[i], t));
      if (name != MAP_NONE) occurrences[name]++;
    }
  for (size_t t = 0; ok && t < first->type_count; t++)
    if (occurrences[interner_find(&names, profile_type(first, t))] == count)
      common[n++] = profile_type(first, t);
  mem_free(&first->mem, occurrences, first->type_count, sizeof *occurrences);
  interner_free(&names);
  return ok ? n : SIZE_MAX;
}

/* Sets from[i] to the first type with the name names[i], or to type_count if there is no such type.
 * Returns false when out of memory. */
static bool find_types(const pprofc_profile *p, const pprofc_str *names, size_t count,
                       size_t *from) {
  struct interner seen;
  size_t *first = mem_array(&p->mem, p->type_count, sizeof *first);
  bool ok = first != NULL;
  interner_init(&seen, &p->mem);
  for (size_t t = 0; ok && t < p->type_count; t++) {
    size_t before = seen.count;
    uint32_t name = interner_add(&seen, profile_type(p, t));
    ok = name != MAP_NONE;
    if (ok && name == before) first[name] = t;
  }
  for (size_t i = 0; ok && i < count; i++) {
    uint32_t name = interner_find(&seen, names[i]);
    from[i] = name == MAP_NONE ? p->type_count : first[name];
  }
  interner_free(&seen);
  mem_free(&p->mem, first, p->type_count, sizeof *first);
  return ok;
}

/* Keeps only the sample types with the indices from[0] to from[count - 1], in this order. */
static bool permute_types(pprofc_profile *copy, const size_t *from, size_t count) {
  size_t old_count = copy->type_count, samples = copy->samples.count;
  struct value_type *types = arena_array(&copy->region->arena, count, sizeof *types);
  int64_t *values = arena_array(&copy->region->arena, samples, count * sizeof *values);
  if (!types || !values) return false;
  for (size_t t = 0; t < count; t++) types[t] = copy->types[from[t]];
  for (size_t i = 0; i < samples; i++)
    for (size_t t = 0; t < count; t++)
      values[i * count + t] = copy->samples.values[i * old_count + from[t]];
  copy->types = types;
  copy->type_count = count;
  copy->samples.values = values;
  return true;
}

static pprofc_status keep_types(const pprofc_profile *source, const pprofc_str *names, size_t count,
                                size_t *from, pprofc_profile **out, pprofc_error *error) {
  bool same = count == source->type_count, keeps_default = false;
  pprofc_str default_type = profile_string(source, source->default_sample_type);
  if (!find_types(source, names, count, from)) return error_nomem(error);
  for (size_t t = 0; t < count; t++) {
    if (from[t] == source->type_count)
      return error_set(error, PPROFC_E_INVALID, "\"%.*s\" sample type is not found in profile",
                       STR_ARG(names[t]));
    same = same && from[t] == t;
    keeps_default = keeps_default || str_equal(names[t], default_type);
  }
  if (same) {
    *out = edit_same(source);
    return PPROFC_OK;
  }
  pprofc_profile *copy = profile_edit(source);
  if (!copy) return error_nomem(error);
  if (!permute_types(copy, from, count)) return edit_finish(error_nomem(error), copy, out);
  if (!keeps_default) copy->default_sample_type = copy->types[0].type;
  return edit_finish(PPROFC_OK, copy, out);
}

static void release_all(pprofc_profile **profiles, size_t count) {
  for (size_t i = 0; i < count; i++) {
    pprofc_profile_release(profiles[i]);
    profiles[i] = NULL;
  }
}

static pprofc_status keep_common_types(const pprofc_profile *const *profiles, size_t count,
                                       pprofc_profile **out, pprofc_error *error) {
  const pprofc_allocator *mem = &profiles[0]->mem;
  size_t room = profiles[0]->type_count;
  pprofc_str *names = mem_array(mem, room, sizeof *names);
  size_t *from = mem_array(mem, room, sizeof *from);
  size_t common = names && from ? common_types(profiles, count, names) : SIZE_MAX;
  pprofc_status status = PPROFC_OK;
  if (common == SIZE_MAX)
    status = error_nomem(error);
  else if (common == 0)
    status = error_set(error, PPROFC_E_INVALID, "profiles have empty common sample type list");
  size_t done = 0;
  for (; status == PPROFC_OK && done < count; done++) {
    status = keep_types(profiles[done], names, common, from, &out[done], error);
    if (status != PPROFC_OK) break;
  }
  if (status != PPROFC_OK) release_all(out, done);
  mem_free(mem, names, room, sizeof *names);
  mem_free(mem, from, room, sizeof *from);
  return status;
}

/* ---- units ------------------------------------------- */

struct type_text {
  pprofc_str type, unit;
};

static struct type_text period_text(const pprofc_profile *p) {
  return (struct type_text){profile_string(p, p->period_type.type),
                            profile_string(p, p->period_type.unit)};
}

static pprofc_str without_plural(pprofc_str s) {
  return s.size && s.data[s.size - 1] == 's' ? str_slice(s, 0, s.size - 1) : s;
}

static bool same_kind(struct type_text a, struct type_text b) {
  return str_equal(without_plural(a.type), without_plural(b.type)) &&
         unit_compatible(a.unit, b.unit);
}

/* Sets *finest to the sample type `index`, or to the period type if `index` is SIZE_MAX. Its unit
 * is the finest unit of this type in all profiles (ns is finer than ms). */
static pprofc_status finest_type(pprofc_profile *const *profiles, size_t count, size_t index,
                                 struct type_text *finest, pprofc_error *error) {
  for (size_t i = 0; i < count; i++) {
    const pprofc_profile *p = profiles[i];
    struct type_text type = period_text(p);
    if (index != SIZE_MAX)
      type = (struct type_text){profile_type(p, index), profile_unit(p, index)};
    if (i == 0) *finest = type;
    if (!same_kind(*finest, type))
      return error_set(error, PPROFC_E_INVALID,
                       "%s: incompatible types: {%.*s %.*s 0 0} {%.*s %.*s 0 0}",
                       index == SIZE_MAX ? "period type" : "sample types", STR_ARG(finest->type),
                       STR_ARG(finest->unit), STR_ARG(type.type), STR_ARG(type.unit));
    if (unit_scale(1, type.unit, finest->unit).value < 1) *finest = type;
  }
  return PPROFC_OK;
}

/* Sets ratios[t] to the factor that converts values of type t to the finest unit. Returns true if
 * no unit changes. */
static bool unit_ratios(const pprofc_profile *p, const struct type_text *finest, double *ratios) {
  bool same = true;
  for (size_t t = 0; t < p->type_count; t++) {
    ratios[t] = unit_scale(1, profile_unit(p, t), finest[t].unit).value;
    same = same && str_equal(profile_unit(p, t), finest[t].unit);
  }
  return same;
}

/* Stores the finest units in the types of a copy. Returns false when out of memory. */
static bool write_units(pprofc_profile *copy, const struct type_text *finest,
                        pprofc_str period_unit) {
  struct value_type *types = arena_array(&copy->region->arena, copy->type_count, sizeof *types);
  if (!types) return false;
  for (size_t t = 0; t < copy->type_count; t++) {
    types[t] = copy->types[t];
    if (str_equal(profile_unit(copy, t), finest[t].unit)) continue;
    types[t].unit = compatible_add_string(copy, finest[t].unit);
    if (types[t].unit == NONE) return false;
  }
  uint32_t unit = compatible_add_string(copy, period_unit);
  if (unit == NONE) return false;
  copy->types = types;
  copy->period_type.unit = unit;
  return true;
}

/* Converts a profile to the finest units; makes a copy only if a unit changes. */
static pprofc_status convert_units(pprofc_profile **profile, const struct type_text *finest,
                                   pprofc_str period_unit, double *ratios, pprofc_error *error) {
  pprofc_profile *p = *profile;
  int64_t period =
      number_from_double(unit_scale(p->period, period_text(p).unit, period_unit).value);
  bool same_period = str_equal(period_text(p).unit, period_unit) && period == p->period;
  if (unit_ratios(p, finest, ratios) && same_period) return PPROFC_OK;
  pprofc_profile *copy = profile_edit(p), *scaled = NULL;
  if (!copy) return error_nomem(error);
  pprofc_status status;
  if (write_units(copy, finest, period_unit)) {
    copy->period = period;
    status = pprofc_scale(copy, ratios, &scaled, error);
  } else {
    status = error_nomem(error);
  }
  pprofc_profile_release(copy);
  if (status != PPROFC_OK) return status;
  pprofc_profile_release(p);
  *profile = scaled;
  return PPROFC_OK;
}

static pprofc_status unify_units(pprofc_profile **profiles, size_t count, pprofc_error *error) {
  size_t types = profiles[0]->type_count;
  const pprofc_allocator mem = profiles[0]->mem;
  struct type_text period = {0};
  struct arena arena = arena_make(&mem);
  struct type_text *finest = arena_array(&arena, types, sizeof *finest);
  double *ratios = arena_array(&arena, types, sizeof *ratios);
  /* The texts in `finest` point into the profiles, which convert_units may release. So retain the
   * profiles until the end. */
  pprofc_profile **held = arena_array(&arena, count, sizeof(pprofc_profile *));
  bool ok = finest && ratios && held;
  pprofc_status status = ok ? PPROFC_OK : error_nomem(error);
  for (size_t i = 0; ok && i < count; i++) held[i] = pprofc_profile_retain(profiles[i]);
  if (ok) status = finest_type(profiles, count, SIZE_MAX, &period, error);
  for (size_t t = 0; status == PPROFC_OK && t < types; t++)
    status = finest_type(profiles, count, t, &finest[t], error);
  for (size_t i = 0; status == PPROFC_OK && i < count; i++)
    status = convert_units(&profiles[i], finest, period.unit, ratios, error);
  if (ok) release_all(held, count);
  arena_free(&arena);
  return status;
}

pprofc_status compatible_profiles(const pprofc_profile *const *profiles, size_t count,
                                  pprofc_profile **out, pprofc_error *error) {
  pprofc_status status = keep_common_types(profiles, count, out, error);
  if (status != PPROFC_OK || count == 1) return status;
  status = unify_units(out, count, error);
  if (status != PPROFC_OK) release_all(out, count);
  return status;
}

/* ---- checking ---------------------------------------- */

static bool same_type(const pprofc_profile *a, struct value_type x, const pprofc_profile *b,
                      struct value_type y) {
  return str_equal(profile_string(a, x.type), profile_string(b, y.type)) &&
         str_equal(profile_string(a, x.unit), profile_string(b, y.unit));
}

static void compatible_add_types(struct buffer *out, const pprofc_profile *p) {
  for (size_t t = 0; t < p->type_count; t++)
    buffer_printf(out, "%s{%.*s %.*s 0 0}", t ? " " : "", STR_ARG(profile_type(p, t)),
                  STR_ARG(profile_unit(p, t)));
}

static pprofc_status bad_types(const pprofc_profile *a, const pprofc_profile *b,
                               pprofc_error *error) {
  struct buffer text = buffer_make(&a->mem, sizeof error->message);
  buffer_add_text(&text, "incompatible sample types [");
  compatible_add_types(&text, a);
  buffer_add_text(&text, "] and [");
  compatible_add_types(&text, b);
  buffer_add_char(&text, ']');
  pprofc_status status =
      text.data ? error_set(error, PPROFC_E_INVALID, "%.*s", STR_ARG(buffer_str(&text)))
                : error_nomem(error);
  buffer_free(&text);
  return status;
}

pprofc_status compatible_check(const pprofc_profile *a, const pprofc_profile *b,
                               pprofc_error *error) {
  struct type_text x = period_text(a), y = period_text(b);
  if (!same_type(a, a->period_type, b, b->period_type))
    return error_set(error, PPROFC_E_INVALID,
                     "incompatible period types &{%.*s %.*s 0 0} and &{%.*s %.*s 0 0}",
                     STR_ARG(x.type), STR_ARG(x.unit), STR_ARG(y.type), STR_ARG(y.unit));
  bool same = a->type_count == b->type_count;
  for (size_t t = 0; same && t < a->type_count; t++)
    same = same_type(a, a->types[t], b, b->types[t]);
  return same ? PPROFC_OK : bad_types(a, b, error);
}
