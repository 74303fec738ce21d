/* Parses limits, computes the default of -max_memory, and replaces limits by flags in messages. */
#include "options.h"

static const struct limit_flag {
  const char *limit; /* name of a field of pprofc_limits */
  const char *flag;
} limit_flags[] = {
    {"input_bytes", "max_input"},   {"inflated_bytes", "max_inflated"},
    {"inflate_ratio", "max_ratio"}, {"memory_bytes", "max_memory"},
    {"stack_depth", "max_depth"},   {"labels", "max_labels"},
    {"string_bytes", "max_string"},
};

/* Replaces the name of a limit in a message by its flag. Searches only after the last quote,
 * because a quoted file name could contain the same text. */
void limit_flags_name(pprofc_error *error) {
  const pprofc_str before = STR("(raise the limit ");
  pprofc_str message = str_of(error->message);
  size_t quote = str_find_last_char(message, '\'');
  size_t from = quote < message.size ? quote : 0;
  size_t at = from + str_find(str_slice(message, from, message.size), before);
  if (at == message.size) return;
  pprofc_str after = str_slice(message, at + before.size, message.size);
  size_t end = str_find_char(after, ')');
  const struct limit_flag *limit = STR_ROW(str_slice(after, 0, end), limit_flags);
  if (!limit) return;
  char text[sizeof error->message];
  snprintf(text, sizeof text, "%.*s(raise with -%s%.*s", (int)at, message.data, limit->flag,
           STR_ARG(str_slice(after, end, after.size)));
  memcpy(error->message, text, sizeof text);
}

/* Parses a number with an optional suffix k, M or G (powers of 1024). */
static bool parse_size(const char *text, uint64_t *out) {
  static const char suffixes[] = "kMG";
  pprofc_str digits = str_of(text);
  const char *suffix = digits.size ? strchr(suffixes, digits.data[digits.size - 1]) : NULL;
  unsigned shift = 0;
  if (suffix) {
    shift = 10 * (unsigned)(suffix - suffixes + 1);
    digits.size--;
  }
  uint64_t number;
  if (!str_parse_uint(digits, 0, &number) || number > UINT64_MAX >> shift) return false;
  *out = number << shift;
  return true;
}

const char *limit_store_u64(void *options, const struct flag *flag, const char *text) {
  return parse_size(text, (uint64_t *)(void *)((char *)options + flag->offset)) ? NULL
                                                                                : "parse error";
}

const char *limit_store_u32(void *options, const struct flag *flag, const char *text) {
  uint64_t size;
  if (!parse_size(text, &size)) return "parse error";
  if (size > UINT32_MAX) return "value out of range";
  *(uint32_t *)(void *)((char *)options + flag->offset) = (uint32_t)size;
  return NULL;
}

#define MEMORY_MAX ((uint64_t)16 << 30)

/* Files that contain the memory limit of a container: first control groups version 2, then
 * version 1. */
static const char *const group_files[] = {"/sys/fs/cgroup/memory.max",
                                          "/sys/fs/cgroup/memory/memory.limit_in_bytes"};

/* Returns the number in a file, or UINT64_MAX for other texts such as "max". */
static uint64_t number_in(const char *path) {
  char text[32];
  uint64_t number;
  pprofc_str rest = {text, file_begin(path, text, sizeof text)}, line = STR("");
  (void)str_next_line(&rest, &line);
  return str_parse_uint(str_trim(line), 10, &number) ? number : UINT64_MAX;
}

uint64_t memory_default(void) {
  long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  uint64_t all = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_MAX;
  for (size_t i = 0; i < sizeof group_files / sizeof *group_files; i++) {
    uint64_t group = number_in(group_files[i]);
    if (group < all) all = group;
  }
  return all / 2 < MEMORY_MAX ? all / 2 : MEMORY_MAX;
}
