/* The shape of x86-64 instructions: how long they are, and which of their bytes are addresses. */
#ifndef PPROFC_SYMBOLIZE_X86_H
#define PPROFC_SYMBOLIZE_X86_H

#include "pprofc/base.h"

/* An instruction. An operand of size 0 is missing. */
struct x86_instruction {
  size_t size;
  size_t displacement, displacement_size; /* offset and bytes of the displacement */
  size_t immediate, immediate_size;       /* offset and bytes of the immediate */
  bool relative_displacement;             /* counts from the next instruction */
  bool relative_immediate;                /* a jump or call: counts from the next instruction */
  bool bare_displacement;                 /* no base register: it may be an address */
  unsigned access; /* bytes that the operand in memory has; 0: only its address is used */
};

/* Reads the instruction at the beginning of `size` bytes of 64-bit code. False if it is cut or
 * not known. */
bool x86_read(const uint8_t *code, size_t size, struct x86_instruction *instruction);

#endif
