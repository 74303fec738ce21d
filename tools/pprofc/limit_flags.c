/* Replaces limits in messages of the library by the flags that raise them. */
#include "limit_flags.h"

#include "core/str.h"

#include <stdio.h>

static const struct {
  const char *limit; /* name of a field of pprofc_limits */
  const char *flag;
} limit_flags[] = {
    {"input_bytes", "max_input"},   {"inflated_bytes", "max_inflated"},
    {"inflate_ratio", "max_ratio"}, {"memory_bytes", "max_memory"},
    {"stack_depth", "max_depth"},   {"labels", "max_labels"},
    {"string_bytes", "max_string"},
};

/* Returns the flag of a limit, or NULL. */
static const char *limit_flags_find(pprofc_str limit) {
  for (size_t i = 0; i < sizeof limit_flags / sizeof *limit_flags; i++)
    if (str_equal(limit, str_of(limit_flags[i].limit))) return limit_flags[i].flag;
  return NULL;
}

/* Searches only after the last quote, because a quoted file name may contain the same text. */
void limit_flags_name(pprofc_error *error) {
  const pprofc_str before = STR("(raise the limit ");
  pprofc_str message = str_of(error->message);
  size_t quote = str_find_last_char(message, '\'');
  size_t from = quote < message.size ? quote : 0;
  size_t at = from + str_find(str_slice(message, from, message.size), before);
  if (at == message.size) return;
  pprofc_str after = str_slice(message, at + before.size, message.size);
  size_t end = str_find_char(after, ')');
  const char *flag = limit_flags_find(str_slice(after, 0, end));
  if (!flag) return;
  char text[sizeof error->message];
  snprintf(text, sizeof text, "%.*s(raise with -%s%.*s", (int)at, message.data, flag,
           STR_ARG(str_slice(after, end, after.size)));
  memcpy(error->message, text, sizeof text);
}
