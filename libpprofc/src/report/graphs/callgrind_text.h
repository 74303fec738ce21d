/* Texts of callgrind's format: names that are written once and then referred to by number,
 * positions, calls. A large profile has millions of calls, so the text of each callee is cached. */
#ifndef PPROFC_REPORT_GRAPHS_CALLGRIND_TEXT_H
#define PPROFC_REPORT_GRAPHS_CALLGRIND_TEXT_H

#include "core/map.h"
#include "core/output.h"

#include <stdint.h>

/* Names of one kind. The number of a name is its id plus 1. */
struct callgrind_texts {
  struct interner printed;
  struct arena *arena;
  uint32_t *number; /* [texts of the graph] number of the name; 0 before it is printed */
  bool failed;      /* out of memory */
};

bool callgrind_texts_init(struct callgrind_texts *names, size_t texts, struct arena *arena);
void callgrind_texts_free(struct callgrind_texts *names);

/* Writes "fn=(1) name" the first time, "fn=(1)" later, "fn=" for an empty name. Returns the number,
 * 0 for an empty name. */
uint32_t callgrind_put_name(struct callgrind_texts *names, struct output *out, const char *tag,
                            pprofc_str name);
/* Writes the name of a text of the graph in the same way. */
uint32_t callgrind_put_text(struct callgrind_texts *names, struct output *out, const char *tag,
                            uint32_t text, pprofc_str name);
/* Appends "fn=(1)" for a name that has been written; "fn=" for 0. */
void callgrind_put_number(struct output *out, const char *tag, uint32_t number);

/* Appends the position of a line. The address is relative to the previous one if that is
 * shorter. */
struct callgrind_spot {
  uint64_t address, before;
  bool has_before;
};

/* Appends a position, a line and a value: "0x4010 12 700". */
void callgrind_put_cost(struct output *out, const struct callgrind_spot *at, int64_t line,
                        int64_t value);

/* The cached text of a callee. Small, because callees of a large graph are scattered in memory. */
struct callgrind_callee {
  uint64_t address;
  uint32_t file, name; /* numbers of the names; before the first call, texts of the graph */
  int32_t line;
  uint8_t state; /* CALLEE_* */
};

enum {
  CALLEE_OTHER, /* the text must be composed from its parts */
  CALLEE_TEXTS,
  CALLEE_NUMBERS
};

/* Appends a call: "cfl=(1)", "cfn=(2)", "calls=0 0x4010 12", "*
 *
 * 700". */
void callgrind_put_call(struct output *out, const struct callgrind_callee *call,
                        const struct callgrind_spot *at, int64_t value);
/* The last two of these. */
void callgrind_put_call_cost(struct output *out, const struct callgrind_spot *at, int64_t line,
                             int64_t value);

#endif
