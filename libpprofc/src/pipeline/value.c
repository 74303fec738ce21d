/* Finds the displayed sample type and computes the total for percentages. */
#include "pipeline/pipeline.h"

#include "graph/number.h"
#include "profile/stack_tree.h"

#include <stdio.h>

/* Writes the names of all sample types for an error message, separated by blanks. Truncates a list
 * that does not fit. */
static void value_list_types(const pprofc_profile *profile, char *out, size_t room) {
  size_t size = 0;
  out[0] = '\0';
  for (size_t i = 0; i < profile->type_count && size < room; i++) {
    pprofc_str type = profile_string(profile, profile->types[i].type);
    int printed = snprintf(out + size, room - size, "%s%.*s", i ? " " : "", STR_ARG(type));
    if (printed > 0) size += (size_t)printed;
  }
}

/* Returns an error if the stack tree of the profile does not contain the values of a sample
 * type. */
static pprofc_status value_check(const pprofc_profile *profile, size_t index, pprofc_error *error) {
  const struct stack_tree *tree = profile->samples.tree;
  if (!tree || tree->type == STACK_TREE_ALL || tree->type == index) return PPROFC_OK;
  return error_set(error, PPROFC_E_INVALID, "the profile was read for another sample type");
}

static pprofc_status value_find(const pprofc_profile *profile, pprofc_str wanted, size_t *index,
                                pprofc_error *error) {
  size_t count = profile->type_count;
  if (!count) return error_set(error, PPROFC_E_INVALID, "profile has no samples");
  *index = profile_find_type(profile, wanted);
  if (*index < count) return PPROFC_OK;
  int64_t number;
  if (str_parse_int(wanted, 10, &number))
    return error_set(error, PPROFC_E_INVALID, "sample_index %.*s is outside the range [0..%zu]",
                     STR_ARG(wanted), count - 1);
  char types[800];
  value_list_types(profile, types, sizeof types);
  return error_set(error, PPROFC_E_INVALID, "sample_index \"%.*s\" must be one of: [%s]",
                   STR_ARG(wanted), types);
}

pprofc_status value_select(const pprofc_profile *profile, pprofc_str wanted, size_t *index,
                           pprofc_error *error) {
  pprofc_status status = value_find(profile, wanted, index, error);
  return status ? status : value_check(profile, *index, error);
}

int64_t value_total(const pprofc_profile *profile, size_t value_index, bool mean) {
  const struct samples *s = &profile->samples;
  struct value_column column = profile_values(profile, value_index);
  struct value_column divisors = mean ? profile_values(profile, 0) : column;
  /* Unsigned sums wrap around like Go's. */
  uint64_t total = 0, divisor = 0, base_total = 0, base_divisor = 0;
  uint32_t last = NONE; /* label set of the previous sample */
  bool is_base = false;
  for (size_t i = 0; i < s->count; i++) {
    uint64_t value = (uint64_t)number_abs(column.values[i * column.step]);
    uint64_t count = mean ? (uint64_t)divisors.values[i * divisors.step] : 0;
    total += value;
    divisor += count;
    if (s->label_set && s->label_set[i] != last) {
      last = s->label_set[i];
      is_base = label_set_is_base(profile, last);
    }
    if (is_base) {
      base_total += value;
      base_divisor += count;
    }
  }
  if ((int64_t)base_total > 0) {
    total = base_total;
    divisor = base_divisor;
  }
  return divisor ? number_divide((int64_t)total, (int64_t)divisor) : (int64_t)total;
}

void value_add_sides(const pprofc_profile *profile, int64_t *sums) {
  for (size_t t = 0; t < profile->type_count; t++) {
    struct value_column column = profile_values(profile, t);
    for (size_t i = 0; i < profile->samples.count; i++) {
      int64_t value = column.values[i * column.step];
      if (sample_is_base(profile, i))
        sums[profile->type_count + t] = sum_subtract(sums[profile->type_count + t], value);
      else
        sums[t] = sum_add(sums[t], value);
    }
  }
}

int64_t pipeline_ratio(const struct pipeline_result *result, int64_t value) {
  if (!(result->ratio > 0) || result->ratio == 1) return value;
  return number_from_double((double)value * result->ratio);
}
