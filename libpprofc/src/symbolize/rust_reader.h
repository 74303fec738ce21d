/* Reads mangled Rust names: numbers, identifiers, lifetimes, back references. A stack holds the
 * next steps. */
#ifndef PPROFC_SYMBOLIZE_RUST_READER_H
#define PPROFC_SYMBOLIZE_RUST_READER_H

#include "core/buffer.h"

/* Kinds of steps. */
enum what {
  PATH,          /* a path; its flag: "::" comes before generic arguments */
  NESTED,        /* an identifier after a nested path; its flag: the namespace */
  TYPE,          /* a type of a value */
  CONSTANT,      /* the value of a const generic */
  ARGUMENTS,     /* generic arguments up to 'E'; its number: arguments so far */
  TYPES,         /* a list of types that ends with 'E'; its number: types so far */
  TUPLE,         /* like TYPES, but a single type gets a comma */
  RESULT,        /* the result type of a function */
  TRAITS,        /* the bounds of dyn up to 'E'; its number: bounds so far */
  TRAIT,         /* one bound; the bracket of its generic arguments stays open */
  OPENED,        /* the rest of a bound; its flag: the trait's bracket is open */
  BINDINGS,      /* the associated types after a trait */
  MORE_BINDINGS, /* more associated types; its flag: the bracket is open */
  DYN_LIFETIME,  /* the lifetime at the end of dyn */
  EXPECT,        /* a letter that must follow; its flag: the letter */
  WRITE,         /* a text to write */
  SET_SILENT,    /* its flag: true to parse the rest without output */
  SET_LIFETIMES, /* its number: how many bound lifetimes are in scope from now on */
  COME_BACK      /* its number and limit: position and end of reading after a back reference */
};

struct rust_step {
  enum what what;
  unsigned char flag;
  size_t number, limit;
  const char *text;
};

/* State of reading a name. The first failure is final; check `failed` at the end. */
struct rust_reader {
  const char *text;
  size_t at, limit;
  bool arguments, silent, opened, failed;
  uint64_t lifetimes;
  size_t most, taken;
  struct buffer *out;
  struct buffer steps; /* array of struct rust_step; the next step is last */
};

/* Returns the next byte, -1 at the end. */
int reader_peek(const struct rust_reader *r);
bool reader_take(struct rust_reader *r, char c);

/* Writes text unless the reader is silent. */
void reader_write(struct rust_reader *r, const char *text, size_t size);
void reader_print(struct rust_reader *r, const char *text);

/* Pushes a step, which runs before the other ones. */
void reader_next(struct rust_reader *r, struct rust_step step);
void reader_next_text(struct rust_reader *r, const char *text);

/* Returns the value of a base 62 digit, or -1. */
int reader_digit(int c);
/* Parses a base 62 number: "_" is 0, "0_" is 1. */
uint64_t reader_base_62(struct rust_reader *r);
uint64_t reader_disambiguator(struct rust_reader *r);
/* Returns the bytes of an identifier, unchanged. */
pprofc_str reader_identifier(struct rust_reader *r, bool *punycode);
void reader_print_identifier(struct rust_reader *r, pprofc_str bytes, bool punycode);
void reader_lifetime(struct rust_reader *r, uint64_t lifetime);
/* Writes "for<'a, 'b> ". */
void reader_binder(struct rust_reader *r);
/* Follows a back reference: runs `step` at an earlier position of the name. Does nothing if the
 * reader writes no output. */
void reader_go_back(struct rust_reader *r, struct rust_step step);

#endif
