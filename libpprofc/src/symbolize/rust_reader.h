/* Reads mangled Rust names: numbers, identifiers, lifetimes, back references. A stack of steps
 * replaces recursion. */
#ifndef PPROFC_SYMBOLIZE_RUST_READER_H
#define PPROFC_SYMBOLIZE_RUST_READER_H

#include "core/buffer.h"

/* Kinds of steps. The comments name the fields of struct rust_step that a step uses. */
enum what {
  PATH,          /* a path; flag: write "::" before generic arguments */
  NESTED,        /* an identifier after a nested path; flag: the namespace */
  TYPE,          /* a type */
  CONSTANT,      /* the value of a const generic */
  ARGUMENTS,     /* generic arguments up to 'E'; number: arguments read so far */
  TYPES,         /* a list of types up to 'E'; number: types read so far */
  TUPLE,         /* like TYPES, but a single type gets a comma */
  RESULT,        /* the result type of a function */
  TRAITS,        /* the bounds of dyn up to 'E'; number: bounds read so far */
  TRAIT,         /* one bound; leaves the bracket of its generic arguments open */
  OPENED,        /* end of a bound; flag: true if the bracket is open */
  BINDINGS,      /* the associated types after a trait */
  MORE_BINDINGS, /* further associated types; flag: true if the bracket is open */
  DYN_LIFETIME,  /* the lifetime at the end of dyn */
  EXPECT,        /* a required letter; flag: the letter */
  WRITE,         /* a text to write */
  SET_SILENT,    /* flag: true to parse the rest without output */
  SET_LIFETIMES, /* number: lifetimes in scope after this step */
  COME_BACK      /* end of a back reference; number and limit: position and end to restore */
};

struct rust_step {
  enum what what;
  unsigned char flag;
  size_t number, limit;
  const char *text;
};

/* State of reading a name. The first error sets `failed`; check `failed` at the end. */
struct rust_reader {
  const char *text;
  size_t at, limit; /* offsets of the next byte and of the end in `text` */
  /* arguments: write generic arguments. silent: write nothing. opened: the bracket of the last
   * bound of dyn is open. */
  bool arguments, silent, opened, failed;
  uint64_t lifetimes; /* number of lifetimes in scope */
  size_t most, taken; /* maximum number of bytes to write and of steps; number of steps taken */
  struct buffer *out;
  struct buffer steps; /* array of struct rust_step; the last item is the next step */
};

/* reader_peek returns the next byte, or -1 at the end. reader_take skips the next byte and returns
 * true if the byte is c. */
int reader_peek(const struct rust_reader *r);
bool reader_take(struct rust_reader *r, char c);

/* Both functions write text unless `silent` is set. The text of reader_print ends with a NUL. */
void reader_write(struct rust_reader *r, const char *text, size_t size);
void reader_print(struct rust_reader *r, const char *text);

/* Both functions add a step that runs before all other steps. The step of reader_next_text writes
 * `text`. */
void reader_next(struct rust_reader *r, struct rust_step step);
void reader_next_text(struct rust_reader *r, const char *text);

/* Returns the value of a base 62 digit, or -1. */
int reader_digit(int c);
/* Parses a base 62 number that ends with '_': "_" is 0, "0_" is 1. */
uint64_t reader_base_62(struct rust_reader *r);
uint64_t reader_disambiguator(struct rust_reader *r);
/* Returns the bytes of an identifier, not decoded. */
pprofc_str reader_identifier(struct rust_reader *r, bool *punycode);
void reader_print_identifier(struct rust_reader *r, pprofc_str bytes, bool punycode);
void reader_lifetime(struct rust_reader *r, uint64_t lifetime);
/* Writes "for<'a, 'b> ". */
void reader_binder(struct rust_reader *r);
/* Follows a back reference: runs `step` at an earlier position of the name. With `silent`, only
 * skips the reference. */
void reader_go_back(struct rust_reader *r, struct rust_step step);

#endif
