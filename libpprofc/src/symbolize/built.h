/* Reads from an ELF file how the program was built. */
#ifndef PPROFC_SYMBOLIZE_BUILT_H
#define PPROFC_SYMBOLIZE_BUILT_H

#include "core/error.h"
#include "core/mem.h"

/* How a program was built. Each text has one line for each item; it is "" if the file does not
 * contain this information. */
struct built {
  pprofc_str compiler;  /* compiler and its version: "go1.22.1", "GCC: (Debian 12.2.0-14) 12.2.0" */
  pprofc_str flags;     /* build flags: "-race=true", "GNU C17 12.2.0 -mtune=generic -O2" */
  pprofc_str libraries; /* libraries: "golang.org/x/text v0.14.0", "libc.so.6" */
};

/* Reads how an ELF file was built. The texts are in the arena. Returns the errors of elf_open. */
pprofc_status built_read(struct built *built, const char *path, struct arena *arena,
                         pprofc_error *error);

#endif
