/* Selects the benchmarks of a profile by name, and lists them. */
#include "steps.h"

#include "pprofc/transform.h"
#include "profile/profile.h"
#include "transform/transform.h"

#define LIST_MOST 20u /* maximum number of benchmarks in the list */

pprofc_status benchmarks_select(const struct command *command, const char *shown,
                                pprofc_profile **profile, pprofc_error *error) {
  pprofc_profile *selected;
  if (!*command->benchmark) return PPROFC_OK;
  pprofc_status status = transform_benchmarks(*profile, command->benchmark, &selected, error);
  if (status != PPROFC_OK) {
    error_prefix(error, "cannot use '%s': ", shown);
    return status;
  }
  profile_replace(profile, selected);
  return PPROFC_OK;
}

struct benchmark_list {
  struct interner names; /* names of the benchmarks, each once */
  uint64_t *values;      /* for each benchmark, the sum of the values of its samples */
  /* allocated number of elements in `values`, and index of the sample type to sum */
  size_t room, type;
  uint64_t outside; /* sum of the values of the samples that belong to no benchmark */
};

static uint64_t benchmark_sum(const pprofc_profile *profile, size_t type) {
  const struct value_column column = profile_values(profile, type);
  uint64_t sum = 0;
  for (size_t i = 0; i < profile->samples.count; i++)
    sum += (uint64_t)column.values[i * column.step];
  return sum;
}

static pprofc_status benchmark_list_add(void *context, pprofc_str name, pprofc_profile *profile,
                                        pprofc_error *error) {
  struct benchmark_list *list = context;
  size_t old = list->names.count;
  uint32_t index = interner_add(&list->names, name);
  if (index == MAP_NONE || !ARRAY_RESERVE(&mem_default, list->values, list->room, index + 1))
    return error_nomem(error);
  if (index == old) list->values[index] = 0;
  uint64_t sum = benchmark_sum(profile, list->type);
  list->values[index] += sum;
  list->outside -= sum;
  return PPROFC_OK;
}

void benchmarks_print(const struct command *command, const pprofc_profile *profile) {
  if (*command->benchmark) return;
  struct benchmark_list list = {.type = pprofc_profile_default_type(profile)};
  interner_init(&list.names, &mem_default);
  list.outside = benchmark_sum(profile, list.type);
  pprofc_status status = pprofc_benchmarks(profile, benchmark_list_add, &list, NULL);
  size_t count = status == PPROFC_OK ? list.names.count : 0;
  if (count > 1) message_note("sum of %zu benchmarks; -benchmark=REGEXP selects some:", count);
  for (size_t i = 0; count > 1 && i < count && i < LIST_MOST; i++)
    message_note("%14lld  %.*s", (long long)list.values[i], STR_ARG(list.names.items[i]));
  if (count > 1 && list.outside)
    message_note("%14lld  outside of benchmarks", (long long)list.outside);
  if (count > LIST_MOST) message_note("%14s  and %zu more; -tags lists all", "", count - LIST_MOST);
  interner_free(&list.names);
  ARRAY_FREE(&mem_default, list.values, list.room);
}
