/* Decodes the shape of x86-64 instructions: their length, and the position of bytes that may be
 * addresses. */
#ifndef PPROFC_SYMBOLIZE_X86_H
#define PPROFC_SYMBOLIZE_X86_H

#include "pprofc/base.h"

/* Shape of an instruction. A size of 0 means that the operand is missing. */
struct x86_instruction {
  size_t size;
  size_t displacement, displacement_size; /* offset and size of the displacement, in bytes */
  size_t immediate, immediate_size;       /* offset and size of the immediate, in bytes */
  bool relative_displacement;             /* true: relative to the next instruction */
  bool relative_immediate; /* true for a jump or call relative to the next instruction */
  bool bare_displacement;  /* true: 4 bytes and not relative, so it may be an address */
  unsigned access; /* size of the memory that is accessed, in bytes; 0: only its address is used */
};

/* Decodes the instruction at the start of `size` bytes of 64-bit code. Returns false if the
 * instruction is truncated or unknown. */
bool x86_read(const uint8_t *code, uint64_t size, struct x86_instruction *instruction);

#endif
