/* Reads the file of -origin_rules. */
#include "origin_rules.h"

#include "core/error.h"

#include <errno.h>
#include <stdio.h>

#define MAX_BYTES (1u << 20)

pprofc_status origin_rules_load(pprofc_report_options *options, struct buffer *text,
                                pprofc_error *error) {
  const char *path = options->origin_rules;
  char block[4096];
  size_t n;
  buffer_init(text, &mem_default, MAX_BYTES);
  if (!path || !*path) return PPROFC_OK;
  FILE *file = fopen(path, "rb");
  if (!file)
    return error_set(error, PPROFC_E_IO, "cannot read '%s' (-origin_rules): %s", path,
                     ERRNO_TEXT(errno));
  while ((n = fread(block, 1, sizeof block, file)) > 0) buffer_add(text, block, n);
  int failed = ferror(file) ? errno : 0;
  fclose(file);
  buffer_add_char(text, '\0');
  if (failed)
    return error_set(error, PPROFC_E_IO, "cannot read '%s' (-origin_rules): %s", path,
                     ERRNO_TEXT(failed));
  if (text->failed)
    return error_set(error, PPROFC_E_LIMIT, "'%s' (-origin_rules) is longer than 1 MB", path);
  options->origin_rules = text->data;
  return PPROFC_OK;
}
