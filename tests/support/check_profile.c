/* Checks the rules of a valid profile, in the order and with the messages of pprof. */
#include "check_profile.h"

#include "core/error.h"
#include "core/map.h"
#include "profile/stack.h"

static pprofc_status invalid(pprofc_error *error, const char *message) {
  return error_set(error, PPROFC_E_FORMAT, "%s", message);
}

static pprofc_status check_samples(const pprofc_profile *p, pprofc_error *error) {
  const struct samples *s = &p->samples;
  if (!s->count) return PPROFC_OK;
  if (!p->type_count) return invalid(error, "missing sample type information");
  struct stack_reader reader = stack_reader_at(s, 0);
  for (size_t i = 0; i < s->count; i++) {
    struct packed_stack stack = stack_of(&reader, i);
    uint32_t id;
    while (stack_take_leaf_id(&stack, &id)) {
      uint32_t location = stack_location(stack.map, id);
      if (location >= p->locations.count && !(stack.map && location == LOCATION_HIDDEN))
        return invalid(error, "sample has nil location");
    }
  }
  return PPROFC_OK;
}

/* Ids of the records of a table. Reads one id at a time. */
struct id_column {
  uint64_t (*id)(const pprofc_profile *p, uint32_t index);
  size_t count;
  const char *reserved, *duplicate;
};

static uint64_t mapping_id_of(const pprofc_profile *p, uint32_t i) {
  return p->mappings.items[i].id;
}

static uint64_t function_id_of(const pprofc_profile *p, uint32_t i) {
  return function_id(&p->functions, i);
}

static uint64_t location_id_of(const pprofc_profile *p, uint32_t i) {
  return location_id(&p->locations, i);
}

/* Sets the error message for record i if its id is invalid or repeats an earlier id. */
static pprofc_status check_id(const pprofc_profile *p, const struct id_column *column,
                              struct map *seen, uint32_t i, pprofc_error *error) {
  uint64_t id = column->id(p, i);
  if (id == 0) return invalid(error, column->reserved);
  uint64_t hash = hash_mix(0, id);
  struct map_probe probe = map_start(seen, hash);
  uint32_t other;
  while ((other = map_next(seen, &probe)) != MAP_NONE)
    if (column->id(p, other) == id)
      return error_set(error, PPROFC_E_FORMAT, "%s: %llu", column->duplicate,
                       (unsigned long long)id);
  return map_insert(seen, hash, i) ? PPROFC_OK : error_nomem(error);
}

static pprofc_status check_lines(const pprofc_profile *p, uint32_t i, pprofc_error *error) {
  const struct locations *l = &p->locations;
  for (uint32_t n = l->line_from[i]; n < l->line_from[i + 1]; n++)
    if (l->lines[n].function >= p->functions.count)
      return error_set(error, PPROFC_E_FORMAT, "location id: %llu has a line with nil function",
                       (unsigned long long)location_id(l, i));
  return PPROFC_OK;
}

static pprofc_status transform_check_ids(const pprofc_profile *p, const struct id_column *column,
                                         bool with_lines, pprofc_error *error) {
  struct map seen;
  map_init(&seen, &p->mem);
  pprofc_status status = PPROFC_OK;
  for (uint32_t i = 0; status == PPROFC_OK && i < column->count; i++) {
    status = check_id(p, column, &seen, i, error);
    if (status == PPROFC_OK && with_lines) status = check_lines(p, i, error);
  }
  map_free(&seen);
  return status;
}

pprofc_status profile_check(const pprofc_profile *p, pprofc_error *error) {
  const struct id_column mappings = {mapping_id_of, p->mappings.count,
                                     "found mapping with reserved ID=0",
                                     "multiple mappings with same id"};
  const struct id_column functions = {function_id_of, p->functions.count,
                                      "found function with reserved ID=0",
                                      "multiple functions with same id"};
  const struct id_column locations = {location_id_of, p->locations.count,
                                      "found location with reserved id=0",
                                      "multiple locations with same id"};
  pprofc_status status = check_samples(p, error);
  if (status == PPROFC_OK) status = transform_check_ids(p, &mappings, false, error);
  if (status == PPROFC_OK) status = transform_check_ids(p, &functions, false, error);
  if (status == PPROFC_OK) status = transform_check_ids(p, &locations, true, error);
  return status;
}
