/* Prints Rust's mangled names of version 0 (RFC 2603) like pprof. The depth of a name can grow with
 * its length, so a stack of steps replaces recursion. */
#include "symbolize/demangle.h"
#include "symbolize/rust_reader.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- paths ------------------------------------------- */

/* Adds the steps for the type and the trait of an impl: "<Type as Trait>". */
static void read_impl(struct rust_reader *r, bool trait) {
  reader_next_text(r, ">");
  if (trait) {
    reader_next(r, (struct rust_step){.what = PATH});
    reader_next_text(r, " as ");
  }
  reader_next(r, (struct rust_step){.what = TYPE});
}

static void read_hidden_impl(struct rust_reader *r, bool trait) {
  read_impl(r, trait);
  reader_next_text(r, "<");
  reader_next(r, (struct rust_step){.what = SET_SILENT, .flag = r->silent});
  r->silent = true;
  reader_disambiguator(r);
  reader_next(r, (struct rust_step){.what = PATH});
}

static void read_nested(struct rust_reader *r, unsigned char separator) {
  int space = reader_peek(r);
  if (reader_digit(space) < 10) {
    r->failed = true;
    return;
  }
  r->at++;
  reader_next(r, (struct rust_step){.what = NESTED, .flag = (unsigned char)space});
  reader_next(r, (struct rust_step){.what = PATH, .flag = separator});
}

/* Adds the step for the arguments of a generic path. Without r->arguments, the step parses the
 * arguments but writes nothing. */
static void read_arguments_later(struct rust_reader *r) {
  if (!r->arguments) reader_next(r, (struct rust_step){.what = SET_SILENT, .flag = r->silent});
  reader_next(r, (struct rust_step){.what = ARGUMENTS});
  if (!r->arguments) reader_next(r, (struct rust_step){.what = SET_SILENT, .flag = true});
}

static void read_generic(struct rust_reader *r, unsigned char separator) {
  reader_next(r, (struct rust_step){.what = EXPECT, .flag = 'E'});
  reader_next_text(r, ">");
  read_arguments_later(r);
  reader_next_text(r, separator ? "::<" : "<");
  reader_next(r, (struct rust_step){.what = PATH, .flag = separator});
}

static void rust_v0_read_path(struct rust_reader *r, struct rust_step step) {
  bool punycode;
  int letter = reader_peek(r);
  r->at++;
  switch (letter) {
  case 'C': {
    reader_disambiguator(r);
    pprofc_str name = reader_identifier(r, &punycode);
    reader_print_identifier(r, name, punycode);
    break;
  }
  case 'M':
    read_hidden_impl(r, false);
    break;
  case 'X':
    read_hidden_impl(r, true);
    break;
  case 'Y':
    reader_print(r, "<");
    read_impl(r, true);
    break;
  case 'N':
    read_nested(r, step.flag);
    break;
  case 'I':
    read_generic(r, step.flag);
    break;
  case 'B':
    reader_go_back(r, step);
    break;
  default:
    r->failed = true;
  }
}

/* Writes an identifier after its path. Writes only the name for a lower-case namespace, which the
 * compiler reserves: "::name". Also writes any other namespace: "::{closure#0}". */
static void read_identifier(struct rust_reader *r, struct rust_step step) {
  bool punycode;
  uint64_t number = reader_disambiguator(r);
  pprofc_str name = reader_identifier(r, &punycode);
  bool special = step.flag >= 'A' && step.flag <= 'Z';
  reader_print(r, special ? "::{" : "::");
  if (special) {
    char other[2] = {(char)step.flag, '\0'};
    const char *space = other;
    if (step.flag == 'C') space = "closure";
    if (step.flag == 'S') space = "shim";
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
  if (step.number++) reader_print(r, ", ");
  reader_next(r, step);
  if (reader_take(r, 'L'))
    reader_lifetime(r, reader_base_62(r));
  else
    reader_next(r, (struct rust_step){.what = reader_take(r, 'K') ? CONSTANT : TYPE});
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
  reader_next(r, (struct rust_step){.what = TYPE});
}

static void read_array(struct rust_reader *r, bool has_length) {
  reader_print(r, "[");
  reader_next_text(r, "]");
  if (has_length) {
    reader_next(r, (struct rust_step){.what = CONSTANT});
    reader_next_text(r, "; ");
  }
  reader_next(r, (struct rust_step){.what = TYPE});
}

static void read_tuple(struct rust_reader *r) {
  reader_print(r, "(");
  reader_next(r, (struct rust_step){.what = EXPECT, .flag = 'E'});
  reader_next_text(r, ")");
  reader_next(r, (struct rust_step){.what = TUPLE});
}

/* Prints extern "C" or another ABI. The mangled name has underscores in place of the dashes. */
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
  reader_next(r, (struct rust_step){.what = SET_LIFETIMES, .number = (size_t)r->lifetimes});
  reader_binder(r);
  if (reader_take(r, 'U')) reader_print(r, "unsafe ");
  if (reader_take(r, 'K')) read_abi(r);
  reader_print(r, "fn(");
  reader_next(r, (struct rust_step){.what = RESULT});
  reader_next_text(r, ")");
  reader_next(r, (struct rust_step){.what = EXPECT, .flag = 'E'});
  reader_next(r, (struct rust_step){.what = TYPES});
}

static void rust_v0_read_result(struct rust_reader *r, struct rust_step step) {
  (void)step;
  if (reader_take(r, 'u')) return;
  reader_print(r, " -> ");
  reader_next(r, (struct rust_step){.what = TYPE});
}

static void read_dyn(struct rust_reader *r) {
  reader_next(r, (struct rust_step){.what = DYN_LIFETIME});
  reader_next(r, (struct rust_step){.what = SET_LIFETIMES, .number = (size_t)r->lifetimes});
  reader_next(r, (struct rust_step){.what = EXPECT, .flag = 'E'});
  reader_next(r, (struct rust_step){.what = TRAITS});
  reader_print(r, "dyn ");
  reader_binder(r);
}

static void read_pointer(struct rust_reader *r, const char *kind) {
  reader_print(r, kind);
  reader_next(r, (struct rust_step){.what = TYPE});
}

static void read_compound(struct rust_reader *r, int letter, struct rust_step step) {
  r->at++;
  switch (letter) {
  case 'A':
    read_array(r, true);
    break;
  case 'S':
    read_array(r, false);
    break;
  case 'T':
    read_tuple(r);
    break;
  case 'R':
    read_reference(r, false);
    break;
  case 'Q':
    read_reference(r, true);
    break;
  case 'P':
    read_pointer(r, "*const ");
    break;
  case 'O':
    read_pointer(r, "*mut ");
    break;
  case 'F':
    rust_v0_read_function(r);
    break;
  case 'D':
    read_dyn(r);
    break;
  case 'B':
    reader_go_back(r, step);
    break;
  default:
    r->failed = true;
  }
}

static void read_type(struct rust_reader *r, struct rust_step step) {
  int letter = reader_peek(r);
  if (letter > 0 && strchr("CMXYNI", letter)) {
    reader_next(r, (struct rust_step){.what = PATH});
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
    if (step.what == TUPLE && step.number == 1) reader_print(r, ",");
    return;
  }
  if (step.number++) reader_print(r, ", ");
  reader_next(r, step);
  reader_next(r, (struct rust_step){.what = TYPE});
}

/* ---- dyn --------------------------------------------- */

static void read_traits(struct rust_reader *r, struct rust_step step) {
  int letter = reader_peek(r);
  if (letter < 0 || letter == 'E') return;
  if (step.number++) reader_print(r, " + ");
  reader_next(r, step);
  reader_next(r, (struct rust_step){.what = BINDINGS});
  reader_next(r, (struct rust_step){.what = TRAIT});
}

static void read_trait(struct rust_reader *r, struct rust_step step) {
  r->opened = false;
  if (reader_take(r, 'B')) {
    reader_go_back(r, step);
    return;
  }
  bool generic = reader_take(r, 'I');
  reader_next(r, (struct rust_step){.what = OPENED, .flag = generic});
  if (generic) {
    reader_next(r, (struct rust_step){.what = EXPECT, .flag = 'E'});
    read_arguments_later(r);
    reader_next_text(r, "<");
  }
  reader_next(r, (struct rust_step){.what = PATH});
}

static void read_bindings(struct rust_reader *r, struct rust_step step) {
  bool open = step.what == BINDINGS ? r->opened : step.flag, punycode;
  if (!reader_take(r, 'p')) {
    if (open) reader_print(r, ">");
    return;
  }
  reader_print(r, open ? ", " : "<");
  pprofc_str name = reader_identifier(r, &punycode);
  reader_print_identifier(r, name, punycode);
  reader_print(r, " = ");
  reader_next(r, (struct rust_step){.what = MORE_BINDINGS, .flag = true});
  reader_next(r, (struct rust_step){.what = TYPE});
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
  r->opened = step.flag;
}

static void do_expect(struct rust_reader *r, struct rust_step step) {
  if (!reader_take(r, (char)step.flag)) r->failed = true;
}

static void do_write(struct rust_reader *r, struct rust_step step) {
  reader_print(r, step.text);
}

static void do_silent(struct rust_reader *r, struct rust_step step) {
  r->silent = step.flag;
}

static void do_lifetimes(struct rust_reader *r, struct rust_step step) {
  r->lifetimes = step.number;
}

static void do_come_back(struct rust_reader *r, struct rust_step step) {
  r->at = step.number;
  r->limit = step.limit;
}

static void (*const doers[])(struct rust_reader *r,
                             struct rust_step step) = {[PATH] = rust_v0_read_path,
                                                       [NESTED] = read_identifier,
                                                       [TYPE] = read_type,
                                                       [CONSTANT] = read_constant,
                                                       [ARGUMENTS] = read_arguments,
                                                       [TYPES] = read_types,
                                                       [TUPLE] = read_types,
                                                       [RESULT] = rust_v0_read_result,
                                                       [TRAITS] = read_traits,
                                                       [TRAIT] = read_trait,
                                                       [OPENED] = do_opened,
                                                       [BINDINGS] = read_bindings,
                                                       [MORE_BINDINGS] = read_bindings,
                                                       [DYN_LIFETIME] = read_dyn_lifetime,
                                                       [EXPECT] = do_expect,
                                                       [WRITE] = do_write,
                                                       [SET_SILENT] = do_silent,
                                                       [SET_LIFETIMES] = do_lifetimes,
                                                       [COME_BACK] = do_come_back};

/* Runs the steps until the name ends, an error occurs, or their number exceeds r->most. Steps
 * without output also count, because each link of a chain of back references takes a step. */
static void reader_run(struct rust_reader *r) {
  while (r->steps.size && !r->failed && !r->steps.failed) {
    struct rust_step step;
    r->steps.size -= sizeof step;
    memcpy(&step, r->steps.data + r->steps.size, sizeof step);
    doers[step.what](r, step);
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
  reader_next(&r, (struct rust_step){.what = PATH, .flag = true});
  reader_run(&r);
  if (r.at < r.limit && !r.failed) { /* skip the crate that made this copy of the function */
    r.silent = true;
    reader_next(&r, (struct rust_step){.what = PATH});
    reader_run(&r);
  }
  bool done = !r.failed && !r.steps.failed && !out->failed && r.at == r.limit;
  buffer_free(&r.steps);
  return done;
}
