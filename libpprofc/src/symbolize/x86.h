/* Finds the shape of x86-64 instructions: their length, and the bytes that are addresses. */
#ifndef PPROFC_SYMBOLIZE_X86_H
#define PPROFC_SYMBOLIZE_X86_H

#include "pprofc/base.h"

/* Shape of an instruction. An operand of size 0 is missing. */
struct x86_instruction {
  size_t size;
  size_t displacement, displacement_size; /* offset and size of the displacement, in bytes */
  size_t immediate, immediate_size;       /* offset and size of the immediate, in bytes */
  bool relative_displacement;             /* true if the displacement counts from the next
                                             instruction */
  bool relative_immediate; /* true for a jump or call whose immediate counts from the next
                              instruction */
  bool bare_displacement; /* true if the operand has no base register, so the displacement may be an
                             address */
  unsigned
      access; /* number of bytes accessed by an operand in memory; 0: only its address is used */
};

/* Decodes the instruction at the beginning of `size` bytes of 64-bit code. False if it is
 * truncated or unknown. */
bool x86_read(const uint8_t *code, uint64_t size, struct x86_instruction *instruction);

#endif
