/* Code shared by all inputs: names of functions, the binary, sample types, heap samples. */
#include "inputs.h"

#include <inttypes.h>
#include <stdio.h>

uint32_t inputs_function(pprofc_builder *b, uint32_t number) {
  char name[96], file[64];
  uint32_t module = number % 97, handler = number % 1009;
  snprintf(name, sizeof name, "service/module%" PRIu32 ".(*Handler%" PRIu32 ").call%" PRIu32,
           module, handler, number);
  snprintf(file, sizeof file, "service/module%" PRIu32 "/handler%" PRIu32 ".go", module, handler);
  return pprofc_builder_function(b, name, NULL, file, 1 + number % 500);
}

uint32_t inputs_mapping(pprofc_builder *b) {
  return pprofc_builder_mapping(b, 0x400000, 0x40000000, 0, "/usr/bin/service", "5ca1ab1e",
                                PPROFC_HAS_FUNCTIONS | PPROFC_HAS_FILENAMES |
                                    PPROFC_HAS_LINE_NUMBERS);
}

void inputs_cpu_types(pprofc_builder *b) {
  pprofc_builder_type(b, "samples", "count");
  pprofc_builder_type(b, "cpu", "nanoseconds");
  pprofc_builder_period(b, "cpu", "nanoseconds", 10000000);
}

void inputs_heap_types(pprofc_builder *b) {
  pprofc_builder_type(b, "alloc_objects", "count");
  pprofc_builder_type(b, "alloc_space", "bytes");
  pprofc_builder_type(b, "inuse_objects", "count");
  pprofc_builder_type(b, "inuse_space", "bytes");
  pprofc_builder_period(b, "space", "bytes", 524288);
}

void inputs_heap_sample(pprofc_builder *b, uint32_t number, const uint32_t *frames, size_t depth,
                        uint64_t *values) {
  int64_t objects = 1 + below(values, 50), size = 16 << below(values, 12);
  int64_t live = below(values, 3) == 0 ? objects / 2 : 0;
  pprofc_builder_sample(b, frames, depth, (int64_t[]){objects, objects * size, live, live * size});
  if (number % 3 != 0) return;
  char thread[32];
  snprintf(thread, sizeof thread, "worker-%" PRIu32, below(values, 64));
  pprofc_builder_label(b, "thread", thread);
  pprofc_builder_number_label(b, "bytes", size, "bytes");
}
