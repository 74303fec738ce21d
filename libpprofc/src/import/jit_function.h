/* Splits the names that JIT compilers write for perf into function, file and line. */
#ifndef PPROFC_IMPORT_JIT_FUNCTION_H
#define PPROFC_IMPORT_JIT_FUNCTION_H

#include "core/base.h"

/* A function of a program's source code. */
struct jit_function {
  pprofc_str name, file; /* name and source file of the function; the name is empty if a function of
                            JavaScript has no name, and the file is empty if it is unknown */
  int64_t line;          /* first line of the function, or 0 */
};

/* Splits a name that Python or V8 wrote. Returns any other name unchanged. */
struct jit_function jit_function_of(pprofc_str text);

/* Removes the innermost inlined function of Java, "->b", from the end of a symbol "a->b", and sets
 * *name to "b". Returns false if the symbol has no inlined function. */
bool jit_take_inlined(pprofc_str *symbol, pprofc_str *name);

#endif
