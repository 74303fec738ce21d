/* Reads mangled Rust names: numbers, identifiers, lifetimes, back references. The reader keeps its
 * next steps on a stack, in place of recursion. */
#ifndef PPROFC_SYMBOLIZE_RUST_READER_H
#define PPROFC_SYMBOLIZE_RUST_READER_H

#include "core/base.h"

/* A step in reading a name, such as reading a type or writing a text. */
struct rust_step {
  char what; /* letter of the step in the table of rust_v0.c */
  /* `silent` and `lifetimes` are the state of the reader when the step was added. */
  bool silent;
  uint64_t lifetimes;
  union {
    size_t count;    /* step of a list: number of items read so far */
    int space;       /* step of an identifier: letter of the namespace */
    pprofc_str text; /* text to write */
    struct {
      size_t at, limit;
    } from; /* step at the end of a back reference: values that the reader's `at` and `limit` had
               before the reference; the step restores them */
  };
};

/* State of reading a name. The first error sets `failed`, so callers check `failed` only at the
 * end. */
struct rust_reader {
  const char *text;
  size_t at, limit; /* offsets of the next byte and of the end in `text` */
  /* arguments: true to write generic arguments; silent: true to write nothing; opened: true while
   * the '<' after the last trait of dyn is open */
  bool arguments, silent, opened, failed;
  uint64_t lifetimes; /* number of lifetimes in scope */
  size_t most, taken; /* most: maximum number of written bytes, and maximum number of steps; taken:
                         number of steps so far */
  struct buffer *out;
  struct buffer steps; /* array of struct rust_step; the last element is the next step */
};

/* reader_peek returns the next byte, or -1 at the end. reader_take skips the next byte and returns
 * true if the byte is c. */
int reader_peek(const struct rust_reader *r);
bool reader_take(struct rust_reader *r, char c);

/* Both functions write text unless `silent` is set. The text of reader_print ends with a NUL. */
void reader_write(struct rust_reader *r, const char *text, size_t size);
void reader_print(struct rust_reader *r, const char *text);

/* Adds a step that runs before all other steps. */
void reader_next(struct rust_reader *r, struct rust_step step);

/* Adds the steps of a format. '%' and a letter mean the step with this letter in the table of
 * rust_v0.c. Text at the start of the format is written immediately. Other text becomes a step that
 * writes this text. */
void reader_plan(struct rust_reader *r, const char *format);

/* Returns the value of a base 62 digit, or -1. */
int reader_digit(int c);
/* Parses a base 62 number that ends with '_': "_" is 0, "0_" is 1. */
uint64_t reader_base_62(struct rust_reader *r);
uint64_t reader_disambiguator(struct rust_reader *r);
/* Returns the bytes of an identifier as written in the name. Sets *punycode to true if they are
 * encoded. */
pprofc_str reader_identifier(struct rust_reader *r, bool *punycode);
void reader_print_identifier(struct rust_reader *r, pprofc_str bytes, bool punycode);
/* Reads an identifier and writes it. */
void reader_copy_identifier(struct rust_reader *r);
void reader_lifetime(struct rust_reader *r, uint64_t lifetime);
/* Reads the number of lifetimes that a type binds. Writes names for them, as in "for<'a, 'b> ". */
void reader_binder(struct rust_reader *r);
/* Follows a back reference: runs `step` at an earlier position of the name. If `silent` is set,
 * only skips the reference. */
void reader_go_back(struct rust_reader *r, struct rust_step step);

#endif
