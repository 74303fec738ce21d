/* Reader of mangled Rust names: numbers, identifiers, lifetimes, back references, and a stack of
 * the next steps. */
#ifndef PPROFC_SYMBOLIZE_RUST_READER_H
#define PPROFC_SYMBOLIZE_RUST_READER_H

#include "core/buffer.h"

/* Kinds of steps. */
enum what {
  PATH,          /* flag: "::" comes before generic arguments */
  NESTED,        /* identifier after a nested path; flag: its namespace */
  TYPE,          /* a type */
  CONSTANT,      /* the value of a const generic */
  ARGUMENTS,     /* generic arguments up to 'E'; number: arguments so far */
  TYPES,         /* types up to 'E'; number: types so far */
  TUPLE,         /* like types, but a single one gets a comma */
  RESULT,        /* result type of a function */
  TRAITS,        /* bounds of dyn up to 'E'; number: bounds so far */
  TRAIT,         /* one bound; its generic arguments stay open */
  OPENED,        /* flag: the trait's bracket is open */
  BINDINGS,      /* the associated types after a trait */
  MORE_BINDINGS, /* flag: the bracket is open */
  DYN_LIFETIME,  /* the lifetime at the end of dyn */
  EXPECT,        /* flag: the letter that must follow */
  WRITE,         /* text */
  SET_SILENT,    /* flag: true to parse the rest silently */
  SET_LIFETIMES, /* number: lifetimes that are bound */
  COME_BACK      /* number, limit: position and end of reading after a back reference */
};

struct rust_step {
  enum what what;
  unsigned char flag;
  size_t number, limit;
  const char *text;
};

/* The first failure is final; check `failed` at the end. */
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

/* Pushes a step, which is done before the other ones. */
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
/* Does `step` at an earlier position of the name. A silent reader ignores this. */
void reader_go_back(struct rust_reader *r, struct rust_step step);

#endif
