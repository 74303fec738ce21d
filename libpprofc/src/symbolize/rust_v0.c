/* Demangles Rust's names of version 0 (RFC 2603) like pprof. The depth of a name can grow with its
 * length, so a stack of steps replaces recursion. */
#include "symbolize/rust_reader.h"
#include "symbolize/symbolize.h"

/* ---- paths ------------------------------------------- */

/* Reads an impl block. Skips its disambiguator and its path silently. The steps of `format` then
 * write the types of the block. */
static void read_hidden_impl(struct rust_reader *r, const char *format) {
  reader_plan(r, format);
  r->silent = true;
  reader_disambiguator(r);
  reader_plan(r, "%p");
}

static void read_nested(struct rust_reader *r, struct rust_step path) {
  int space = reader_peek(r);
  if (reader_digit(space) < 10) {
    r->failed = true;
    return;
  }
  r->at++;
  reader_next(r, (struct rust_step){.what = 'i', .space = space});
  reader_next(r, path);
}

/* Adds the steps for a path with generic arguments. If r->arguments is false, the steps parse the
 * arguments, but write nothing for them. */
static void read_generic(struct rust_reader *r, bool of_value) {
  if (of_value)
    reader_plan(r, r->arguments ? "%P::<%a>%e" : "%P::<%q%a%s>%e");
  else
    reader_plan(r, r->arguments ? "%p<%a>%e" : "%p<%q%a%s>%e");
}

static void rust_v0_read_path(struct rust_reader *r, struct rust_step step) {
  int letter = reader_peek(r);
  r->at++;
  switch (letter) {
  case 'C':
    reader_disambiguator(r);
    reader_copy_identifier(r);
    break;
  case 'M':
    read_hidden_impl(r, "%s<%t>");
    break;
  case 'X':
    read_hidden_impl(r, "%s<%t as %p>");
    break;
  case 'Y':
    reader_plan(r, "<%t as %p>");
    break;
  case 'N':
    read_nested(r, step);
    break;
  case 'I':
    read_generic(r, step.what == 'P');
    break;
  case 'B':
    reader_go_back(r, step);
    break;
  default:
    r->failed = true;
  }
}

/* Writes an identifier after its path, as "::name". A namespace with a lower-case letter is
 * reserved for the compiler, and is not written. Other namespaces are written: "::{closure#0}". */
static void read_identifier(struct rust_reader *r, struct rust_step step) {
  bool punycode;
  uint64_t number = reader_disambiguator(r);
  pprofc_str name = reader_identifier(r, &punycode);
  bool special = step.space >= 'A' && step.space <= 'Z';
  reader_print(r, special ? "::{" : "::");
  if (special) {
    char other[2] = {(char)step.space, '\0'};
    const char *space = other;
    if (step.space == 'C') space = "closure";
    if (step.space == 'S') space = "shim";
    reader_print(r, space);
    if (name.size) reader_print(r, ":");
  }
  reader_print_identifier(r, name, punycode);
  char digits[32];
  if (special)
    reader_write(r, digits,
                 (size_t)snprintf(digits, sizeof digits, "#%" PRId64 "}", (int64_t)number));
}

static void read_arguments(struct rust_reader *r, struct rust_step step) {
  int letter = reader_peek(r);
  if (letter < 0 || letter == 'E') return;
  if (step.count++) reader_print(r, ", ");
  reader_next(r, step);
  if (reader_take(r, 'L'))
    reader_lifetime(r, reader_base_62(r));
  else
    reader_plan(r, reader_take(r, 'K') ? "%c" : "%t");
}

/* ---- types ------------------------------------------- */

static const char *const basic_types['z' - 'a' + 1] = {
    ['a' - 'a'] = "i8",    ['b' - 'a'] = "bool", ['c' - 'a'] = "char", ['d' - 'a'] = "f64",
    ['e' - 'a'] = "str",   ['f' - 'a'] = "f32",  ['h' - 'a'] = "u8",   ['i' - 'a'] = "isize",
    ['j' - 'a'] = "usize", ['l' - 'a'] = "i32",  ['m' - 'a'] = "u32",  ['n' - 'a'] = "i128",
    ['o' - 'a'] = "u128",  ['p' - 'a'] = "_",    ['s' - 'a'] = "i16",  ['t' - 'a'] = "u16",
    ['u' - 'a'] = "()",    ['v' - 'a'] = "...",  ['x' - 'a'] = "i64",  ['y' - 'a'] = "u64",
    ['z' - 'a'] = "!"};

static void read_reference(struct rust_reader *r, bool is_mutable) {
  reader_print(r, "&");
  uint64_t lifetime = reader_take(r, 'L') ? reader_base_62(r) : 0;
  if (lifetime) {
    reader_lifetime(r, lifetime);
    reader_print(r, " ");
  }
  if (is_mutable) reader_print(r, "mut ");
  reader_plan(r, "%t");
}

/* Prints extern "C" or another ABI. Its mangled name has underscores in place of dashes. */
static void read_abi(struct rust_reader *r) {
  bool punycode = false;
  reader_print(r, "extern \"");
  if (reader_take(r, 'C')) {
    reader_print(r, "C");
  } else {
    pprofc_str name = reader_identifier(r, &punycode);
    if (punycode) r->failed = true;
    for (size_t i = 0; i < name.size; i++)
      reader_write(r, name.data[i] == '_' ? "-" : name.data + i, 1);
  }
  reader_print(r, "\" ");
}

static void rust_v0_read_function(struct rust_reader *r) {
  reader_plan(r, "%l");
  reader_binder(r);
  if (reader_take(r, 'U')) reader_print(r, "unsafe ");
  if (reader_take(r, 'K')) read_abi(r);
  reader_plan(r, "fn(%y%e)%f");
}

static void rust_v0_read_result(struct rust_reader *r, struct rust_step step) {
  (void)step;
  if (!reader_take(r, 'u')) reader_plan(r, " -> %t");
}

static void read_dyn(struct rust_reader *r) {
  reader_plan(r, "%b%e%l%d");
  reader_print(r, "dyn ");
  reader_binder(r);
}

/* Formats of arrays, pointers, slices and tuples. */
static const char *const compound_types['T' - 'A' + 1] = {['A' - 'A'] = "[%t; %c]",
                                                          ['O' - 'A'] = "*mut %t",
                                                          ['P' - 'A'] = "*const %t",
                                                          ['S' - 'A'] = "[%t]",
                                                          ['T' - 'A'] = "(%u)%e"};

static void read_compound(struct rust_reader *r, int letter, struct rust_step step) {
  r->at++;
  if (letter == 'R' || letter == 'Q')
    read_reference(r, letter == 'Q');
  else if (letter == 'F')
    rust_v0_read_function(r);
  else if (letter == 'D')
    read_dyn(r);
  else if (letter == 'B')
    reader_go_back(r, step);
  else if (letter >= 'A' && letter <= 'T' && compound_types[letter - 'A'])
    reader_plan(r, compound_types[letter - 'A']);
  else
    r->failed = true;
}

static void read_type(struct rust_reader *r, struct rust_step step) {
  int letter = reader_peek(r);
  if (letter > 0 && strchr("CMXYNI", letter)) {
    reader_plan(r, "%p");
  } else if (letter < 'a' || letter > 'z') {
    read_compound(r, letter, step);
  } else if (basic_types[letter - 'a']) {
    r->at++;
    reader_print(r, basic_types[letter - 'a']);
  } else {
    r->failed = true;
  }
}

static void read_types(struct rust_reader *r, struct rust_step step) {
  int letter = reader_peek(r);
  if (letter < 0 || letter == 'E') {
    if (step.what == 'u' && step.count == 1) reader_print(r, ",");
    return;
  }
  if (step.count++) reader_print(r, ", ");
  reader_next(r, step);
  reader_plan(r, "%t");
}

/* ---- dyn --------------------------------------------- */

static void read_traits(struct rust_reader *r, struct rust_step step) {
  int letter = reader_peek(r);
  if (letter < 0 || letter == 'E') return;
  if (step.count++) reader_print(r, " + ");
  reader_next(r, step);
  reader_plan(r, "%h%k");
}

/* Reads a trait of a dyn type. read_bindings prints the '>' after the trait's generic arguments. */
static void read_trait(struct rust_reader *r, struct rust_step step) {
  r->opened = false;
  if (reader_take(r, 'B'))
    reader_go_back(r, step);
  else if (!reader_take(r, 'I'))
    reader_plan(r, "%p%n");
  else
    reader_plan(r, r->arguments ? "%p<%a%e%o" : "%p<%q%a%s%e%o");
}

static void read_bindings(struct rust_reader *r, struct rust_step step) {
  bool open = step.what == 'm' || r->opened;
  if (!reader_take(r, 'p')) {
    if (open) reader_print(r, ">");
    return;
  }
  reader_print(r, open ? ", " : "<");
  reader_copy_identifier(r);
  reader_plan(r, " = %t%m");
}

static void read_dyn_lifetime(struct rust_reader *r, struct rust_step step) {
  (void)step;
  if (!reader_take(r, 'L')) r->failed = true;
  uint64_t lifetime = r->failed ? 0 : reader_base_62(r);
  if (!lifetime) return;
  bool blank = r->out->size && r->out->data[r->out->size - 1] == ' ';
  reader_print(r, blank ? "+ " : " + ");
  reader_lifetime(r, lifetime);
}

/* ---- constants --------------------------------------- */

/* Parses hexadecimal digits up to '_', without leading zeros. *value is exact only for up to 16
 * digits. */
static pprofc_str reader_hexadecimal(struct rust_reader *r, uint64_t *value) {
  pprofc_str digits = {r->text + r->at, 0};
  *value = 0;
  for (int c; !r->failed && (c = reader_peek(r)) >= 0 && c != '_'; r->at++) {
    int digit = reader_digit(c);
    bool last = r->at + 1 < r->limit && r->text[r->at + 1] == '_';
    bool leading = *value == 0 && digit == 0 && !last;
    if (digit < 0 || digit > 15 || leading) r->failed = true;
    *value = *value * 16 + (uint64_t)digit;
    digits.size++;
  }
  reader_take(r, '_');
  if (!digits.size) r->failed = true;
  return digits;
}

static void print_integer(struct rust_reader *r, pprofc_str digits, uint64_t value) {
  if (digits.size > 16) {
    reader_print(r, "0x");
    reader_write(r, digits.data, digits.size);
  } else {
    char decimal[24];
    reader_write(r, decimal, (size_t)snprintf(decimal, sizeof decimal, "%" PRIu64, value));
  }
}

static void print_bool(struct rust_reader *r, pprofc_str digits, uint64_t value) {
  if (digits.size > 1 || value > 1) r->failed = true;
  if (!r->failed) reader_print(r, value ? "true" : "false");
}

static void print_char(struct rust_reader *r, pprofc_str digits, uint64_t value) {
  static const char shown[] = "t\tr\rn\n\\\\''";
  if (digits.size > 6) r->failed = true;
  char plain[24] = {(char)value, '\0', '\0'};
  for (size_t i = 0; i + 1 < sizeof shown; i += 2)
    if (value == (unsigned char)shown[i + 1]) plain[0] = '\\', plain[1] = shown[i];
  if (!plain[1] && (value < ' ' || value > '~'))
    snprintf(plain, sizeof plain, "\\u{%" PRIx64 "}", value);
  reader_print(r, "'");
  reader_print(r, plain);
  reader_print(r, "'");
}

static void read_constant(struct rust_reader *r, struct rust_step step) {
  int letter = reader_peek(r);
  uint64_t value;
  r->at++;
  if (letter == 'B') {
    reader_go_back(r, step);
  } else if (letter == 'p') {
    reader_print(r, "_");
  } else if (letter <= 0 || !strchr("aslxnihtmyojbc", letter)) {
    r->failed = true;
  } else {
    if (strchr("aslxni", letter) && reader_take(r, 'n')) reader_print(r, "-");
    pprofc_str digits = reader_hexadecimal(r, &value);
    if (letter == 'b')
      print_bool(r, digits, value);
    else if (letter == 'c')
      print_char(r, digits, value);
    else
      print_integer(r, digits, value);
  }
}

/* ---- the steps --------------------------------------- */

static void do_opened(struct rust_reader *r, struct rust_step step) {
  r->opened = step.what == 'o';
}

static void do_expect(struct rust_reader *r, struct rust_step step) {
  (void)step;
  if (!reader_take(r, 'E')) r->failed = true;
}

static void do_write(struct rust_reader *r, struct rust_step step) {
  reader_write(r, step.text.data, step.text.size);
}

static void do_silent(struct rust_reader *r, struct rust_step step) {
  r->silent = step.what == 'q' || step.silent;
}

static void do_lifetimes(struct rust_reader *r, struct rust_step step) {
  r->lifetimes = step.lifetimes;
}

static void do_come_back(struct rust_reader *r, struct rust_step step) {
  r->at = step.from.at;
  r->limit = step.from.limit;
}

// clang-format off
static void (*const doers[128])(struct rust_reader *r, struct rust_step step) = {
    ['p'] = rust_v0_read_path,   /* a path in a type */
    ['P'] = rust_v0_read_path,   /* a path of a value: has "::" before generic arguments */
    ['i'] = read_identifier,     /* an identifier after a nested path */
    ['t'] = read_type,
    ['c'] = read_constant,       /* the value of a const generic */
    ['a'] = read_arguments,      /* generic arguments up to 'E' */
    ['y'] = read_types,          /* a list of types up to 'E' */
    ['u'] = read_types,          /* the types of a tuple up to 'E'; one type T gives (T,) */
    ['f'] = rust_v0_read_result, /* the result type of a function */
    ['b'] = read_traits,         /* the traits of dyn up to 'E' */
    ['h'] = read_trait,          /* one bound */
    ['o'] = do_opened,           /* end of a trait with '<' and without '>' so far */
    ['n'] = do_opened,           /* end of a trait without generic arguments */
    ['k'] = read_bindings,       /* the associated types after a trait */
    ['m'] = read_bindings,       /* the next associated type, after '<' and before '>' */
    ['d'] = read_dyn_lifetime,   /* the lifetime at the end of dyn */
    ['e'] = do_expect,           /* reads the letter 'E', which is required */
    ['w'] = do_write,            /* writes text */
    ['q'] = do_silent,           /* the following steps write nothing */
    ['s'] = do_silent,           /* restores `silent` */
    ['l'] = do_lifetimes,        /* restores the number of lifetimes in scope */
    ['r'] = do_come_back         /* end of a back reference */
};
// clang-format on

/* Runs the steps until the name ends or an error occurs. More than r->most steps are an error.
 * Steps that write nothing also count, because a name can have a chain of back references. */
static void reader_run(struct rust_reader *r) {
  while (r->steps.size && !r->failed && !r->steps.failed) {
    struct rust_step step;
    r->steps.size -= sizeof step;
    memcpy(&step, r->steps.data + r->steps.size, sizeof step);
    doers[(int)step.what](r, step);
    if (r->taken++ > r->most) r->failed = true;
  }
}

bool rust_v0_demangle(pprofc_str name, bool arguments, size_t most, struct buffer *out) {
  if (!str_starts(name, STR("_R"))) return false;
  size_t size = str_find_char(name, '.');
  struct rust_reader r = {.text = name.data + 2, .limit = size - 2, .arguments = arguments};
  r.most = most;
  r.out = out;
  buffer_init(&r.steps, out->mem, most * sizeof(struct rust_step));
  reader_plan(&r, "%P");
  reader_run(&r);
  if (r.at < r.limit && !r.failed) { /* skip the crate that made this copy of the function */
    r.silent = true;
    reader_plan(&r, "%p");
    reader_run(&r);
  }
  bool done = !r.failed && !r.steps.failed && !out->failed && r.at == r.limit;
  buffer_free(&r.steps);
  return done;
}
