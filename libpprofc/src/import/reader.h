/* Declares functions that readers share: names, text, counts of losses, and trees of frames. Names
 * of functions are already demangled. */
#ifndef PPROFC_IMPORT_READER_H
#define PPROFC_IMPORT_READER_H

#include "import/import.h"

/* Returns the string index of a function's system name. This is `text`, the string index of `name`.
 * But if reports must show `name` unchanged (see names.c), the index is 0. */
uint32_t import_system_name(pprofc_str name, uint32_t text);

/* Adds a function and returns its index. `file` is a string index of the builder. */
uint32_t import_function(pprofc_builder *builder, pprofc_str name, uint32_t file);

/* Maximum size in bytes of a name that import_script_name writes, including the final NUL. */
#define IMPORT_SCRIPT_NAME 256

/* Returns the name of a script's function. A function without a name gets the name
 * "(anonymous FILE:LINE)", or "(anonymous)" if its file is unknown. `room` has IMPORT_SCRIPT_NAME
 * bytes, which must outlive the result. */
pprofc_str import_script_name(pprofc_str name, pprofc_str file, int64_t line, char *room);

/* Adds a location with one line and no address, and returns its index. `mapping` may be NONE. */
uint32_t import_location(pprofc_builder *builder, uint32_t mapping, uint32_t function,
                         int64_t line);

/* Adds the location of a frame that stands for no function of the program, such as "[pruned]". */
uint32_t import_marker(pprofc_builder *builder, pprofc_str name);

/* Adds the mapping of an object file whose addresses are unknown. Returns NONE if the name is
 * empty. */
uint32_t import_object(pprofc_builder *builder, pprofc_str file);

/* Adds a label to the last sample, unless the text is empty. */
void import_label(pprofc_builder *builder, const char *key, pprofc_str text);

/* Makes the builder fail because memory ran out. Returns false. */
bool import_no_memory(pprofc_builder *builder);
/* Returns `ok`. If `ok` is false, makes the builder fail because memory ran out. */
static inline bool import_need(pprofc_builder *builder, bool ok) {
  return ok || import_no_memory(builder);
}
/* These functions make the builder fail with a message, and return false. import_refuse_at reports
 * a violation of the format at the address `at`, which points into the data. */
bool import_refuse(pprofc_builder *builder, pprofc_status status, const char *format, ...)
    PPROFC_PRINTF(3, 4);
bool import_refuse_at(pprofc_builder *builder, const void *at, const char *format, ...)
    PPROFC_PRINTF(3, 4);

/* Makes the builder fail if the stream ended early because of a failure. */
void import_end_of_stream(pprofc_builder *builder, const struct text_stream *text);

/* Adds a cost centre of GHC's profiler as a location, and returns the location's index. `place` is
 * a file with a line and a column, like "Main.hs:12:1-20" and "Main.hs:(12,1)-(14,9)", or
 * "<built-in>". */
uint32_t import_cost_centre(pprofc_builder *builder, pprofc_str module, pprofc_str label,
                            pprofc_str place);

/* True if the name of a file ends with ".so", or contains ".so." or ".so_" with a digit after
 * it. */
bool import_is_library(pprofc_str file);

/* ---- text ------------------------------------------- */

/* Sets *text to the text of `data` without a byte order mark. Converts UTF-16 into `utf8`, which
 * the caller must always free. */
pprofc_status import_text(pprofc_str data, const pprofc_allocator *mem, struct buffer *utf8,
                          pprofc_str *text, pprofc_error *error);

/* Appends a character in UTF-8. */
void import_add_utf8(struct buffer *out, uint32_t c);
/* Converts a unit of UTF-16 to UTF-8 and appends it. *high is the pending high surrogate, or 0. An
 * unpaired surrogate becomes U+FFFD. */
void import_add_utf16(struct buffer *out, uint32_t unit, uint32_t *high);

/* Returns the text without leading blank lines. Readers recognise a format by the first line of
 * this text. */
pprofc_str import_first_line(pprofc_str text);

/* Removes ":12" from the end of *text. Returns false, and leaves *text unchanged, if the text does
 * not end with a number of at least 0. */
bool import_take_number(pprofc_str *text, int64_t *number);

/* Removes the next word from *rest; spaces and tabs separate words. Returns false if no word is
 * left. */
bool import_next_word(pprofc_str *rest, pprofc_str *word);

/* Returns the number of equal bytes at the start of a and b. */
static inline size_t str_common(pprofc_str a, pprofc_str b) {
  size_t most = a.size < b.size ? a.size : b.size, n = 0;
  for (uint64_t x = 0, y = 0; n + sizeof x <= most; n += sizeof x) {
    memcpy(&x, a.data + n, sizeof x);
    memcpy(&y, b.data + n, sizeof y);
    if (x != y) break;
  }
  while (n < most && a.data[n] == b.data[n]) n++;
  return n;
}

/* Converts decimals to integers, for readers of JSON and perf script: "1.5" times 10^3 is 1500. The
 * functions are inline, because readers convert millions of numbers. */

/* State while a decimal is converted to an integer. */
struct scaled {
  int64_t sum;
  int decimals; /* number of digits read after the point; -1 before the point */
  bool up;      /* true if the first dropped digit rounds the number up */
};

static inline bool scaled_add(struct scaled *s, int digit) {
  return !__builtin_mul_overflow(s->sum, 10, &s->sum) &&
         !__builtin_add_overflow(s->sum, digit, &s->sum);
}

/* Reads a byte of a decimal. After the point, keeps the first `exponent` digits, and rounds by the
 * next digit. */
static inline bool scaled_take(struct scaled *s, char c, int exponent) {
  if (c == '.' && s->decimals < 0) {
    s->decimals = 0;
    return true;
  }
  if (c < '0' || c > '9') return false;
  if (s->decimals >= 0 && ++s->decimals > exponent) {
    if (s->decimals == exponent + 1) s->up = c >= '5';
    return true;
  }
  return scaled_add(s, c - '0');
}

/* Parses a decimal without an exponent, multiplies it by 10^exponent, and rounds it to an integer.
 * Returns false if the text is not a decimal number or the result does not fit. */
static inline bool scaled_parse(pprofc_str text, int exponent, int64_t *out) {
  size_t sign = text.size && text.data[0] == '-';
  struct scaled s = {.decimals = -1};
  for (size_t at = sign; at < text.size; at++)
    if (!scaled_take(&s, text.data[at], exponent)) return false;
  for (int i = s.decimals < 0 ? 0 : s.decimals; i < exponent; i++)
    if (!scaled_add(&s, 0)) return false;
  if (__builtin_add_overflow(s.sum, s.up, &s.sum)) return false;
  *out = sign ? -s.sum : s.sum;
  return text.size > sign;
}

/* Counts the events that a reader used, and the events that it skipped for each reason. The counts
 * become comments in the profile. open.c prints the comments that users must see. */

/* A reason for skipping events. It becomes a comment: "1 ONE" if count is 1, else "COUNT MANY". */
struct import_loss {
  uint64_t count;
  /* `one` is the text for one event, `many` the text for several events. In the row that ends a
   * list, `one` is NULL. If another comment explains why the events were skipped, `one` is "". */
  const char *one, *many;
};

/* Adds a comment: "1 ONE" if count is 1, "COUNT MANY" if it is larger. */
void import_note_count(pprofc_builder *builder, uint64_t count, const char *one, const char *many);

/* Adds the comment "WHAT: COUNT" to the profile, unless count is 0. */
void import_note_total(pprofc_builder *builder, const char *what, uint64_t count);

/* Adds a comment for each reason in `losses`, and a comment for their sum: "skipped: 3 of 40
 * samples (7.5%)". `read` is the number of events that were not skipped. */
void import_account(pprofc_builder *builder, uint64_t read, const char *events,
                    const struct import_loss *losses);

/* Does the same as import_account if all skipped events have one reason (see import_loss). */
void import_account_one(pprofc_builder *builder, uint64_t read, const char *events, uint64_t count,
                        const char *one, const char *many);

/* Adds a comment if `said`, the total that the file states, differs from `read`, the number of
 * events read. Example: "totals differ: the file says 9 samples, 8 were read". */
void import_compare_total(pprofc_builder *builder, const char *events, uint64_t said,
                          uint64_t read);

/* Adds a comment if `version`, the version of the file's format, is newer than `newest`, the newest
 * version with which the reader was tested. */
void import_compare_version(pprofc_builder *builder, const char *format, int64_t version,
                            int64_t newest);

/* True if users must see a comment: the format is newer than the reader, a stated total is wrong,
 * or more than 1 % of the events were skipped. Writes the comment as a message to `out`, cut to
 * `size` bytes. */
bool import_warning(pprofc_str comment, char *out, size_t size);

/* ---- names that JIT compilers write ----------------- */

/* A function of a program's source code. */
struct jit_function {
  pprofc_str name, file; /* name and source file of the function; the name is empty if a function of
                            JavaScript has no name, and the file is empty if it is unknown */
  int64_t line;          /* first line of the function; 0 if unknown */
};

/* Splits a name that Python or V8 wrote. Returns any other name unchanged. */
struct jit_function jit_function_of(pprofc_str text);

/* Removes the innermost inlined function of Java, "->b", from the end of a symbol "a->b", and sets
 * *name to "b". Returns false if the symbol has no inlined function. */
bool jit_take_inlined(pprofc_str *symbol, pprofc_str *name);

/* A tree of frames. A call path is a stack: the path from a root of the tree to a frame. Readers
 * use the tree for formats that list each frame once with its caller, and for formats that open and
 * close frames. A stack and the stacks of its callers share memory. */

struct call_path {
  uint32_t caller;   /* index of the caller's path, or MAP_NONE at the root */
  uint32_t location; /* location of the innermost frame */
  uint32_t callee;   /* index of the first path with this path as `caller`; MAP_NONE: no path */
  uint32_t depth;
  uint32_t size;        /* size of `stack` in bytes */
  const uint8_t *stack; /* stack in the builder's encoding, or NULL until a sample needs it */
};

struct call_paths {
  const pprofc_allocator *mem;
  pprofc_builder *builder;
  struct call_path *items;
  size_t count, room;
  uint32_t newest;     /* index of the path that was entered last */
  struct map by_frame; /* map from caller and location to a path; lacks each path that is the
                          `callee` of another path */
  uint32_t *frames;    /* working memory: frames of one stack, leaf first */
  size_t frame_room;
};

void call_paths_init(struct call_paths *paths, const pprofc_allocator *mem,
                     pprofc_builder *builder);
void call_paths_free(struct call_paths *paths);

/* Returns the index of the path that extends the path `caller` by one frame, and adds this path if
 * it is new. If `caller` is MAP_NONE, the frame is a root. Makes the builder fail when out of
 * memory and if the stack is too deep. Returns MAP_NONE if the builder has failed. */
uint32_t call_paths_enter(struct call_paths *paths, uint32_t caller, uint32_t location);

/* Adds a sample with the stack of a path; MAP_NONE means an empty stack. Call it only after
 * call_paths_enter has entered all paths, because a path shares the memory of a longer path. */
void call_paths_sample(struct call_paths *paths, uint32_t path, const int64_t *values);

#endif
