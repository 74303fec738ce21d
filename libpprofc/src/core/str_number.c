/* Parses integers strictly, and floats by Go's rules, correctly rounded. Prints the shortest
 * decimal of a float. */
#include "core/base.h"

static unsigned digit_value(char c) {
  if (c >= '0' && c <= '9') return (unsigned)(c - '0');
  if (c >= 'a' && c <= 'z') return (unsigned)(c - 'a' + 10);
  if (c >= 'A' && c <= 'Z') return (unsigned)(c - 'A' + 10);
  return UINT8_MAX;
}

/* Removes 0x, 0o, 0b or a leading 0 from *s, and returns the base. Returns 10 without such a
 * prefix. */
static unsigned take_base(pprofc_str *s) {
  static const struct {
    char letter;
    unsigned base;
  } prefixes[] = {{'x', 16}, {'o', 8}, {'b', 2}};
  if (s->size < 2 || s->data[0] != '0') return 10;
  char letter = (char)(s->data[1] | 0x20); /* second letter of the prefix, in lower case */
  *s = str_from(*s, 1);
  for (size_t i = 0; i < COUNT(prefixes); i++) {
    if (prefixes[i].letter != letter) continue;
    *s = str_from(*s, 1);
    return prefixes[i].base;
  }
  return 8;
}

struct integer_reader {
  uint64_t value;
  unsigned base;
  size_t digits;
  bool separable; /* true if an underscore may follow: after a digit or the prefix */
};

static bool integer_add_digit(struct integer_reader *n, char c) {
  unsigned digit = digit_value(c);
  if (digit >= n->base) return false;
  n->digits++;
  return !__builtin_mul_overflow(n->value, (uint64_t)n->base, &n->value) &&
         !__builtin_add_overflow(n->value, (uint64_t)digit, &n->value);
}

/* Parses s, which must consist of digits. If `underscores` is true, underscores may separate the
 * digits. */
static bool integer_read(struct integer_reader *n, pprofc_str s, bool underscores) {
  for (size_t i = 0; i < s.size; i++) {
    bool underscore = underscores && s.data[i] == '_';
    if (underscore ? !n->separable : !integer_add_digit(n, s.data[i])) return false;
    n->separable = !underscore;
  }
  return n->digits && n->separable;
}

bool str_parse_uint(pprofc_str s, int base, uint64_t *out) {
  struct integer_reader reader = {.base = (unsigned)base};
  bool literal = base == 0;
  if (literal) {
    size_t size = s.size;
    reader.base = take_base(&s);
    reader.separable = s.size != size;
  }
  if (!integer_read(&reader, s, literal)) return false;
  *out = reader.value;
  return true;
}

bool str_parse_int(pprofc_str s, int base, int64_t *out) {
  bool negative = s.size && s.data[0] == '-';
  if (negative || str_starts(s, STR("+"))) s = str_from(s, 1);
  uint64_t magnitude;
  if (!str_parse_uint(s, base, &magnitude)) return false;
  if (magnitude > (uint64_t)INT64_MAX + negative) return false;
  *out = (int64_t)(negative ? 0 - magnitude : magnitude);
  return true;
}

/* ---- short decimals ----------------------------------- */

#ifdef __SIZEOF_INT128__

#define DIGITS_MAX   19 /* any number with this number of digits fits into 64 bits */
#define EXPONENT_MAX 27 /* largest n such that 5^n fits into 64 bits */

__extension__ typedef unsigned __int128 decimal_wide;

/* The number digits * 10^exponent; `negative` is its sign. */
struct decimal_parts {
  uint64_t digits;
  int exponent;
  bool negative;
};

/* Reads digits. Returns how many there are, including leading zeros. Returns SIZE_MAX if there are
 * too many. */
static size_t decimal_take(struct decimal_parts *d, pprofc_str s, size_t at) {
  size_t begin = at;
  for (; at < s.size && char_is_digit(s.data[at]); at++) {
    if (at - begin == DIGITS_MAX) return SIZE_MAX;
    d->digits = d->digits * 10 + (uint64_t)(s.data[at] - '0');
  }
  return at - begin;
}

/* Reads an exponent of one or two digits, such as "e-7", which must end the text. */
static bool decimal_take_exponent(struct decimal_parts *d, pprofc_str s, size_t at) {
  int value = 0;
  if (at == s.size) return true;
  if ((s.data[at++] | 32) != 'e' || at == s.size) return false;
  bool negative = s.data[at] == '-';
  at += negative || s.data[at] == '+';
  if (at == s.size || s.size - at > 2) return false;
  for (; at < s.size; at++) {
    if (s.data[at] < '0' || s.data[at] > '9') return false;
    value = value * 10 + (s.data[at] - '0');
  }
  d->exponent += negative ? -value : value;
  return true;
}

/* Reads "[+-]digits[.digits][e[+-]digits]" with at most 19 digits. */
static bool decimal_read(struct decimal_parts *d, pprofc_str s) {
  size_t at = s.size && (s.data[0] == '-' || s.data[0] == '+'), fraction = 0;
  *d = (struct decimal_parts){.negative = s.size && s.data[0] == '-'};
  size_t whole = decimal_take(d, s, at);
  if (!whole || whole == SIZE_MAX) return false;
  at += whole;
  if (at < s.size && s.data[at] == '.') {
    fraction = decimal_take(d, s, at + 1);
    if (fraction == SIZE_MAX || whole + fraction > DIGITS_MAX) return false;
    at += fraction + 1;
    d->exponent = -(int)fraction;
  }
  return decimal_take_exponent(d, s, at) && d->exponent >= -EXPONENT_MAX &&
         d->exponent <= EXPONENT_MAX;
}

static int decimal_width(decimal_wide value) {
  int width = 0;
  for (int step = 64; step; step /= 2) {
    if (!(value >> step)) continue;
    value >>= step;
    width += step;
  }
  return width + (value != 0);
}

/* Returns value * 2^exponent, rounded to nearest, ties to even. `more` is true if the exact number
 * is a little larger than `value`. */
static double decimal_round(decimal_wide value, bool more, int exponent) {
  int shift = decimal_width(value) - 53;
  if (shift <= 0) return ldexp((double)(uint64_t)value, exponent);
  decimal_wide half = (decimal_wide)1 << (shift - 1);
  decimal_wide rest = value & (half * 2 - 1);
  uint64_t kept = (uint64_t)(value >> shift);
  bool above = rest > half || (rest == half && (more || kept % 2));
  return ldexp((double)(kept + above), exponent + shift);
}

bool str_quick_float(pprofc_str s, double *out) {
  struct decimal_parts d;
  uint64_t five = 1;
  if (!decimal_read(&d, s)) return false;
  for (int i = d.exponent < 0 ? -d.exponent : d.exponent; i > 0; i--) five *= 5;
  double value;
  if (d.exponent >= 0) {
    value = decimal_round((decimal_wide)d.digits * five, false, d.exponent);
  } else {
    /* The quotient has at least 54 bits, one more than a double. The rounding therefore depends
     * only on the quotient, and on whether the remainder is 0. */
    int shift = 118 - decimal_width(d.digits);
    decimal_wide wide = (decimal_wide)d.digits << shift;
    value = decimal_round(wide / five, wide % five != 0, d.exponent - shift);
  }
  *out = d.negative ? -value : value;
  return true;
}

#else

bool str_quick_float(pprofc_str s, double *out) {
  (void)s;
  (void)out;
  return false;
}

#endif

/* ---- all floats --------------------------------------- */

static bool float_has_sign(pprofc_str s) {
  return s.size && (s.data[0] == '-' || s.data[0] == '+');
}

static pprofc_str float_without_sign(pprofc_str s) {
  return float_has_sign(s) ? str_from(s, 1) : s;
}

static bool float_is_hex(pprofc_str s) {
  return s.size >= 2 && s.data[0] == '0' && (s.data[1] | 32) == 'x';
}

static bool float_is_mantissa_digit(char c, bool hex) {
  return hex ? char_is_hex(c) : char_is_digit(c);
}

/* True if all underscores are where Go permits them: between two digits, and between "0x" and a
 * digit. */
static bool float_underscores_fit(pprofc_str s) {
  s = float_without_sign(s);
  bool hex = float_is_hex(s), after_digit = hex, after_underscore = false;
  for (size_t i = hex ? 2 : 0; i < s.size; i++) {
    bool underscore = s.data[i] == '_', digit = float_is_mantissa_digit(s.data[i], hex);
    if (underscore && !after_digit) return false;
    if (after_underscore && !digit) return false;
    after_digit = digit;
    after_underscore = underscore;
  }
  return !after_underscore;
}

/* Number of significant digits that are kept. They suffice, because the longest exact expansion of
 * a midpoint between two doubles has 767 digits. Later digits affect rounding only if any of them
 * is not 0. */
#define MAX_DIGITS 800

/* A number in the syntax of strtod: without underscores, and with a limited number of digits. */
struct normal {
  char text[MAX_DIGITS + 64];
  size_t size;
  size_t kept;      /* number of digits in the text */
  int64_t shift;    /* the value is the digits, read as an integer, times base^shift */
  bool hex;         /* true if text begins with "0x" */
  bool point;       /* true if a point was read */
  bool any;         /* true if a digit was read */
  bool significant; /* true if a digit other than 0 was read */
  bool dropped;     /* true if a dropped digit was not 0 */
};

static void normal_add_digit(struct normal *n, char c) {
  n->any = true;
  n->significant |= c != '0';
  if (n->significant && n->kept >= MAX_DIGITS) {
    n->dropped |= c != '0';
    n->shift += !n->point;
    return;
  }
  n->shift -= n->point;
  if (!n->significant) return;
  n->text[n->size++] = c;
  n->kept++;
}

/* Copies the sign and the "0x" of a number. Returns the offset of the digits. */
static size_t normal_copy_prefix(struct normal *n, pprofc_str s) {
  pprofc_str body = float_without_sign(s);
  if (s.data[0] == '-') n->text[n->size++] = '-';
  n->hex = float_is_hex(body);
  size_t start = s.size - body.size;
  if (!n->hex) return start;
  memcpy(n->text + n->size, "0x", 2);
  n->size += 2;
  return start + 2;
}

/* Copies the digits that begin at s[i]. Returns the offset after the digits. */
static size_t normal_copy_mantissa(struct normal *n, pprofc_str s, size_t i) {
  for (; i < s.size; i++) {
    char c = s.data[i];
    if (c == '_') continue;
    if (c == '.' && !n->point)
      n->point = true;
    else if (float_is_mantissa_digit(c, n->hex))
      normal_add_digit(n, c);
    else
      break;
  }
  if (n->dropped) { /* append a digit 1, so that rounding does not see a tie */
    n->text[n->size++] = '1';
    n->shift--;
  }
  if (!n->kept) n->text[n->size++] = '0';
  return i;
}

/* Parses the exponent, [+-]digits, at s[i]. Ignores further digits after the value has reached
 * 1,000,000. Returns false if there is no digit. */
static bool float_copy_exponent(pprofc_str s, size_t i, int64_t *exponent) {
  s = str_from(s, i);
  bool minus = s.size && s.data[0] == '-';
  s = float_without_sign(s);
  if (!s.size || !char_is_digit(s.data[0])) return false;
  int64_t value = 0;
  for (i = 0; i < s.size; i++) {
    if (s.data[i] == '_') continue;
    if (!char_is_digit(s.data[i])) return false;
    if (value < 1000000) value = value * 10 + (s.data[i] - '0');
  }
  *exponent = minus ? -value : value;
  return true;
}

/* Parses the exponent at s[i]. A hexadecimal number must have an exponent. */
static bool float_parse_exponent(pprofc_str s, size_t i, bool hex, int64_t *exponent) {
  *exponent = 0;
  if (i == s.size) return !hex;
  return (s.data[i] | 32) == (hex ? 'p' : 'e') && float_copy_exponent(s, i + 1, exponent);
}

static enum number_result float_read_word(pprofc_str s, double *out) {
  if (str_equal_any_case(s, STR("nan"))) {
    *out = (double)NAN;
    return NUMBER_OK;
  }
  bool negative = s.data[0] == '-';
  s = float_without_sign(s);
  if (!str_equal_any_case(s, STR("inf")) && !str_equal_any_case(s, STR("infinity")))
    return NUMBER_SYNTAX;
  *out = negative ? -(double)INFINITY : (double)INFINITY;
  return NUMBER_OK;
}

/* Parses a number of any length with strtod, which rounds correctly. */
static enum number_result float_read_slow(pprofc_str s, double *out) {
  if (memchr(s.data, '_', s.size) && !float_underscores_fit(s)) return NUMBER_SYNTAX;
  struct normal n = {.size = 0};
  int64_t exponent;
  size_t i = normal_copy_mantissa(&n, s, normal_copy_prefix(&n, s));
  if (!n.any || !float_parse_exponent(s, i, n.hex, &exponent)) return NUMBER_SYNTAX;
  exponent += n.hex ? n.shift * 4 : n.shift;
  snprintf(n.text + n.size, sizeof n.text - n.size, "%c%lld", n.hex ? 'p' : 'e',
           (long long)exponent);
  double value = strtod(n.text, NULL);
  if (isinf(value)) return NUMBER_RANGE;
  *out = value;
  return NUMBER_OK;
}

enum number_result float_read(pprofc_str s, double *out) {
  if (!s.size) return NUMBER_SYNTAX;
  if (str_quick_float(s, out)) return NUMBER_OK;
  pprofc_str body = float_without_sign(s);
  bool is_number = body.size && (char_is_digit(body.data[0]) || body.data[0] == '.');
  return is_number ? float_read_slow(s, out) : float_read_word(s, out);
}

bool str_parse_float(pprofc_str s, double *out) {
  return float_read(s, out) == NUMBER_OK;
}

void float_shortest(char out[FLOAT_SHORTEST], double value) {
  for (int digits = 15; digits <= 17; digits++) {
    double back;
    snprintf(out, FLOAT_SHORTEST, "%.*g", digits, value);
    if (str_parse_float(str_of(out), &back) && back == value) return;
  }
}

/* ---- fixed decimals --------------------------------- */

/* Prints numbers with a fixed number of decimals. A double is an integer times a power of two. The
 * remainder that decides the rounding is therefore exact. */

#define MAX_DECIMALS 9

/* A double as mantissa * 2^-drop. `drop` is the number of bits after the point. */
struct fixed_parts {
  uint64_t mantissa;
  int drop;
  bool negative, finite;
};

static struct fixed_parts fixed_take_apart(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  int exponent = (int)(bits >> 52 & 0x7FF);
  struct fixed_parts parts = {bits & 0xFFFFFFFFFFFFFu, 1074, bits >> 63 != 0, exponent != 0x7FF};
  if (exponent) { /* an exponent of 0 means a subnormal number */
    parts.mantissa |= (uint64_t)1 << 52;
    parts.drop = 1075 - exponent;
  }
  return parts;
}

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 fixed_wide;

/* Multiplies the number by 10^decimals, and rounds it to an integer, ties to even like printf.
 * Returns false if the integer is too large. */
static bool fixed_round(const struct fixed_parts *parts, int decimals, uint64_t *rounded) {
  static const uint32_t powers[MAX_DECIMALS + 1] = {
      1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};
  fixed_wide scaled = (fixed_wide)parts->mantissa * powers[decimals];
  *rounded = 0;
  if (parts->drop <= 0) return false;
  if (parts->drop >= 100)
    return true; /* `scaled` is below 2^83, so scaled / 2^drop is below one half and rounds to 0 */
  fixed_wide whole = scaled >> parts->drop, rest = scaled - (whole << parts->drop);
  fixed_wide half = (fixed_wide)1 << (parts->drop - 1);
  if (whole >> 62) return false;
  *rounded = (uint64_t)whole + (rest > half || (rest == half && (whole & 1)));
  return true;
}
#else /* Without 128-bit integers, callers use printf. */
static bool fixed_round(const struct fixed_parts *parts, int decimals, uint64_t *rounded) {
  (void)parts, (void)decimals, (void)rounded;
  return false;
}
#endif

size_t fixed_print(char out[FIXED_MAX], double value, int decimals) {
  char text[FIXED_MAX], *at = text + sizeof text;
  struct fixed_parts parts = fixed_take_apart(value);
  uint64_t digits;
  if (decimals < 0 || decimals > MAX_DECIMALS || !parts.finite ||
      !fixed_round(&parts, decimals, &digits))
    return 0;
  *--at = '\0';
  for (int i = 0; i < decimals; i++, digits /= 10) *--at = (char)('0' + digits % 10);
  if (decimals) *--at = '.';
  do {
    *--at = (char)('0' + digits % 10);
    digits /= 10;
  } while (digits);
  if (parts.negative) *--at = '-';
  size_t size = (size_t)(text + sizeof text - at);
  memcpy(out, at, size);
  return size - 1;
}
