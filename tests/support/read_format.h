/* Reads data with one reader of the table of formats. */
#ifndef TESTS_SUPPORT_READ_FORMAT_H
#define TESTS_SUPPORT_READ_FORMAT_H

#include "import/import.h"

static inline pprofc_status read_format(import_fn read, pprofc_str data,
                                        const pprofc_allocator *mem,
                                        const struct import_options *options,
                                        pprofc_profile **profile, pprofc_error *error) {
  const struct import_format *format = import_formats;
  while (format->read != read) format++;
  return import_read(format, data, mem, options, profile, error);
}

#endif
