/* Function names with callers. With --separate-callers=N, callgrind writes "f'g'main" for the costs
 * of f when g called f and main called g. The name of a function is then a stack.
 *
 * A symbol is the name of a single function. A context is a symbol together with the context of
 * its caller. Functions with the same callers therefore share the context of the callers. */
#ifndef PPROFC_IMPORT_CALLGRIND_CONTEXTS_H
#define PPROFC_IMPORT_CALLGRIND_CONTEXTS_H

#include "import/reader.h"

/* Reads perf-PID.map files, which name the code that JIT compilers and interpreters made at run
 * time. Each line has the address, the size and the name of a piece of code. */

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

/* Name of a single function, as a string index. JIT-compiled code also has a source position. */
struct callgrind_symbol {
  uint32_t text;
  uint32_t system; /* string index of the mangled name; 0 if reports must show the name unchanged */
  uint32_t file;   /* string index of the source file if the function is JIT-compiled, else 0 */
  int64_t line;    /* first line of the function if it is JIT-compiled, else 0 */
};

struct callgrind_context {
  uint32_t caller; /* index of the caller's context, or NONE */
  uint32_t symbol;
  uint32_t depth; /* number of functions from this context up to the root */
};

/* Data of a complete name, such as "f'g'main". */
struct callgrind_whole {
  uint32_t context;
  uint32_t plain; /* symbol of the name without its level of recursion ("f" for "f'2"); NONE until
                     the first use */
};

struct callgrind_contexts {
  const pprofc_allocator *mem;
  pprofc_builder *builder;
  struct interner names;   /* complete names from the file ("f'g'main") */
  struct interner symbols; /* names of single functions ("f") */
  struct map by_caller;    /* hash table of the contexts, keyed by caller and symbol */
  struct callgrind_whole *wholes;
  struct callgrind_symbol *infos; /* name and source position of each symbol */
  struct callgrind_context *items;
  size_t whole_room, info_room, count, room;
  pprofc_str *words; /* buffer for the functions in one complete name */
  size_t word_room;
  struct jit_names jit;
};

void callgrind_contexts_init(struct callgrind_contexts *contexts, const pprofc_allocator *mem,
                             pprofc_builder *builder);
void callgrind_contexts_free(struct callgrind_contexts *contexts);

/* Returns the index of a name; NONE when out of memory. The name must outlive the contexts. */
uint32_t callgrind_contexts_name(struct callgrind_contexts *contexts, pprofc_str name);

static inline uint32_t callgrind_context_of(const struct callgrind_contexts *contexts,
                                            uint32_t name) {
  return contexts->wholes[name].context;
}

/* Returns the symbol of a context's function. */
struct callgrind_symbol callgrind_context_symbol(struct callgrind_contexts *contexts,
                                                 uint32_t context);

/* Sets *symbol to the symbol of a complete name, for files whose function names do not contain
 * callers. Removes only the level of recursion from the name. Returns false when out of memory. */
bool callgrind_name_symbol(struct callgrind_contexts *contexts, uint32_t name,
                           struct callgrind_symbol *symbol);

/* Relation of a callee's name to its caller's name. */
enum callgrind_relation {
  RELATION_SAME,   /* direct recursion: caller and callee have the same context */
  RELATION_CALLER, /* the callee's name is one function, then the whole name of the caller: "g'main"
                      calls "f'g'main" */
  RELATION_TRUNCATED, /* like RELATION_CALLER, but callgrind cut callers off the end of the callee's
                         name: "g'main" calls "f'g" */
  RELATION_ROOT,      /* the callee's name is a single function, without callers */
  RELATION_OTHER      /* the names do not agree with the call */
};

/* Returns the relation of a callee's context to its caller's context. --separate-callers may cut
 * the two names at different depths, so the function compares only the callers that both names
 * contain. */
enum callgrind_relation callgrind_context_relation(const struct callgrind_contexts *contexts,
                                                   uint32_t caller, uint32_t callee);

#endif
