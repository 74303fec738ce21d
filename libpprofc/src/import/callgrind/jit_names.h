/* Reads perf-PID.map files, which name the code that JIT compilers and interpreters made at run
 * time. Each line has the address, the size and the name of a piece of code. */
#ifndef PPROFC_IMPORT_CALLGRIND_JIT_NAMES_H
#define PPROFC_IMPORT_CALLGRIND_JIT_NAMES_H

#include "import/jit_function.h"

struct jit_code {
  uint64_t start, limit;
  pprofc_str name;
};

struct jit_names {
  const pprofc_allocator *mem;
  struct buffer text; /* text of the file; the names are slices of this text */
  struct jit_code *items;
  size_t count, room;
};

void jit_names_init(struct jit_names *names, const pprofc_allocator *mem);
void jit_names_free(struct jit_names *names);

/* Reads FOLDER/perf-PID.map, or else /tmp/perf-PID.map. If neither file exists, the list of names
 * stays empty. Ignores files of other users in /tmp. Returns false when out of memory. */
bool jit_names_load(struct jit_names *names, pprofc_str folder, pprofc_str pid);
/* Reads the text of a perf-PID.map file. Returns false when out of memory. */
bool jit_names_read(struct jit_names *names, pprofc_str text);

/* Finds the function whose code contains an address. Returns false if there is no such function. */
bool jit_names_find(const struct jit_names *names, uint64_t address, struct jit_function *found);

#endif
