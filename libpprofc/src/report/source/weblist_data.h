/* Collects the contents of the weblist page. A line of a matching function has its samples, its
 * instructions, and the inlined calls that lead to these instructions. */
#ifndef PPROFC_REPORT_SOURCE_WEBLIST_DATA_H
#define PPROFC_REPORT_SOURCE_WEBLIST_DATA_H

#include "report/report.h"
#include "symbolize/object.h"

/* An instruction. Its text is empty if there is no readable binary for the address. */
struct web_instruction {
  uint64_t address;      /* address of the instruction in the process */
  uint64_t file_address; /* address in the object file; the page shows this address */
  uint64_t length;
  pprofc_str text, file; /* text of the instruction, and file of the innermost function */
  int64_t line;
  int64_t flat, cum;
};

struct web_call {
  pprofc_str file;
  int64_t line;
};

/* Position of an instruction on the page: a line of a matching function, below which the page shows
 * the instruction. */
struct web_place {
  pprofc_str file, function;
  int64_t line;
  uint32_t instruction;
  const struct web_call
      *calls; /* inlined calls that lead to the instruction, outermost caller first */
  size_t call_count;
  size_t order; /* number of places that were added before this place */
};

struct web_data {
  struct arena arena;
  const pprofc_allocator *mem;
  struct web_instruction *instructions;
  size_t instruction_count, instruction_capacity;
  struct map by_address; /* map from the address of an instruction to its index in `instructions` */
  /* positions of the instructions on the page, sorted by file, line and order */
  struct web_place *places;
  size_t place_count, place_capacity;
  struct interner interest;     /* names of the matching functions */
  struct interner system_names; /* mangled names of all functions */
  pprofc_str *pretty;           /* for each mangled name, the name that is shown */
};

/* Collects the contents of the page. Returns PPROFC_E_NO_MATCH if no function matches. The caller
 * frees the data, even after an error. */
pprofc_status web_data_collect(struct web_data *data, const struct report *report,
                               pprofc_error *error);
void web_data_free(struct web_data *data);

/* Adds an instruction, or replaces the instruction at the same address. Returns its index, or NONE
 * when out of memory. */
uint32_t web_data_add(struct web_data *data, const struct web_instruction *instruction);

/* Adds an instruction to the page, once for each matching function that contains it. `frames` are
 * the functions that contain it, innermost first. Returns false when out of memory. */
bool web_data_place(struct web_data *data, uint32_t instruction, const struct source_frame *frames,
                    size_t count);

/* ---- weblist_code.c: finds instructions for addresses */

struct web_sample {
  uint64_t address;
  int64_t flat, cum;
};

/* A matching address, and a location that has this address. */
struct web_address {
  uint64_t address;
  uint32_t location;
  size_t order;
};

/* Adds the instructions around the addresses to the page. `addresses` and `samples` are sorted by
 * address and contain no address twice. */
pprofc_status web_data_read_code(struct web_data *data, const struct report *report,
                                 const struct web_address *addresses, size_t count,
                                 const struct web_sample *samples, size_t sample_count,
                                 pprofc_error *error);

/* ---- groups of lines -------------------------------- */

/* Groups the source lines of a function that are shown together: lines with samples, and a few
 * lines around them. */

/* A group of lines of a function: lines [begin, end). Their instructions are the elements [first,
 * first + count) of `places`. */
struct weblist_run {
  pprofc_str name;
  int64_t begin, end;
  size_t first, count;
  int64_t flat, cum;
};

/* Groups the lines of a file, and extends each group by some lines before and after it. The lines
 * are the elements [first, end) of `places`. Returns the number of groups. `runs` has space for one
 * group per element. */
size_t weblist_make_runs(const struct web_data *data, size_t first, size_t end,
                         struct weblist_run *runs);

/* Adds the samples of the instructions in `places` to *flat and *cum. */
void weblist_sum(const struct web_data *data, const struct web_place *places, size_t count,
                 int64_t *flat, int64_t *cum);

/* ---- weblist_lines.c: values of the lines for a template */

struct fill;
struct source_lookup;

struct weblist_lines {
  const struct web_data *data;
  struct source_lookup *sources;
  struct fill *fill;
  void *context;
  /* Sets "cost" for a line or an instruction. */
  void (*cost)(void *context, int64_t flat, int64_t cum);
  /* Sets "code" to an instruction, or to the line with an inlined call. The code is below the line
   * `around`, and `depth` inlined calls lead to the code. */
  void (*code)(void *context, pprofc_str code, size_t depth, pprofc_str around);
};

/* Adds the lines of a group as rows of the list "lines". A row has text, number, cost, and live or
 * dead if there are instructions. A live row has the list "asm" with gaps, calls and
 * instructions. */
void weblist_fill_run(const struct weblist_lines *w, const struct weblist_run *run);

#endif
