/* Implements Go's Unicode character classes, quoted strings and numbers. */
#include "core/base.h"

struct letter_range {
  int32_t low, high, stride;
};

/* Ranges of the Unicode categories Ll (lower case) and Lu (upper case), except ASCII. */
// clang-format off
static const struct letter_range lower_case[] = {
    {0xB5, 0xDF, 42}, {0xE0, 0xF6, 1}, {0xF8, 0xFF, 1}, {0x101, 0x137, 2}, {0x138, 0x148, 2},
    {0x149, 0x177, 2}, {0x17A, 0x17E, 2}, {0x17F, 0x180, 1}, {0x183, 0x185, 2}, {0x188, 0x18C, 4},
    {0x18D, 0x192, 5}, {0x195, 0x199, 4}, {0x19A, 0x19B, 1}, {0x19E, 0x1A1, 3}, {0x1A3, 0x1A5, 2},
    {0x1A8, 0x1AA, 2}, {0x1AB, 0x1AD, 2}, {0x1B0, 0x1B4, 4}, {0x1B6, 0x1B9, 3}, {0x1BA, 0x1BD, 3},
    {0x1BE, 0x1BF, 1}, {0x1C6, 0x1CC, 3}, {0x1CE, 0x1DC, 2}, {0x1DD, 0x1EF, 2}, {0x1F0, 0x1F3, 3},
    {0x1F5, 0x1F9, 4}, {0x1FB, 0x233, 2}, {0x234, 0x239, 1}, {0x23C, 0x23F, 3}, {0x240, 0x242, 2},
    {0x247, 0x24F, 2}, {0x250, 0x293, 1}, {0x295, 0x2AF, 1}, {0x371, 0x373, 2}, {0x377, 0x37B, 4},
    {0x37C, 0x37D, 1}, {0x390, 0x3AC, 28}, {0x3AD, 0x3CE, 1}, {0x3D0, 0x3D1, 1},
    {0x3D5, 0x3D7, 1}, {0x3D9, 0x3EF, 2}, {0x3F0, 0x3F3, 1}, {0x3F5, 0x3FB, 3},
    {0x3FC, 0x430, 52}, {0x431, 0x45F, 1}, {0x461, 0x481, 2}, {0x48B, 0x4BF, 2},
    {0x4C2, 0x4CE, 2}, {0x4CF, 0x52F, 2}, {0x560, 0x588, 1}, {0x10D0, 0x10FA, 1},
    {0x10FD, 0x10FF, 1}, {0x13F8, 0x13FD, 1}, {0x1C80, 0x1C88, 1}, {0x1D00, 0x1D2B, 1},
    {0x1D6B, 0x1D77, 1}, {0x1D79, 0x1D9A, 1}, {0x1E01, 0x1E95, 2}, {0x1E96, 0x1E9D, 1},
    {0x1E9F, 0x1EFF, 2}, {0x1F00, 0x1F07, 1}, {0x1F10, 0x1F15, 1}, {0x1F20, 0x1F27, 1},
    {0x1F30, 0x1F37, 1}, {0x1F40, 0x1F45, 1}, {0x1F50, 0x1F57, 1}, {0x1F60, 0x1F67, 1},
    {0x1F70, 0x1F7D, 1}, {0x1F80, 0x1F87, 1}, {0x1F90, 0x1F97, 1}, {0x1FA0, 0x1FA7, 1},
    {0x1FB0, 0x1FB4, 1}, {0x1FB6, 0x1FB7, 1}, {0x1FBE, 0x1FC2, 4}, {0x1FC3, 0x1FC4, 1},
    {0x1FC6, 0x1FC7, 1}, {0x1FD0, 0x1FD3, 1}, {0x1FD6, 0x1FD7, 1}, {0x1FE0, 0x1FE7, 1},
    {0x1FF2, 0x1FF4, 1}, {0x1FF6, 0x1FF7, 1}, {0x210A, 0x210E, 4}, {0x210F, 0x2113, 4},
    {0x212F, 0x2139, 5}, {0x213C, 0x213D, 1}, {0x2146, 0x2149, 1}, {0x214E, 0x2184, 54},
    {0x2C30, 0x2C5E, 1}, {0x2C61, 0x2C65, 4}, {0x2C66, 0x2C6C, 2}, {0x2C71, 0x2C73, 2},
    {0x2C74, 0x2C76, 2}, {0x2C77, 0x2C7B, 1}, {0x2C81, 0x2CE3, 2}, {0x2CE4, 0x2CEC, 8},
    {0x2CEE, 0x2CF3, 5}, {0x2D00, 0x2D25, 1}, {0x2D27, 0x2D2D, 6}, {0xA641, 0xA66D, 2},
    {0xA681, 0xA69B, 2}, {0xA723, 0xA72F, 2}, {0xA730, 0xA731, 1}, {0xA733, 0xA771, 2},
    {0xA772, 0xA778, 1}, {0xA77A, 0xA77C, 2}, {0xA77F, 0xA787, 2}, {0xA78C, 0xA78E, 2},
    {0xA791, 0xA793, 2}, {0xA794, 0xA795, 1}, {0xA797, 0xA7A9, 2}, {0xA7AF, 0xA7B5, 6},
    {0xA7B7, 0xA7BF, 2}, {0xA7C3, 0xA7C8, 5}, {0xA7CA, 0xA7F6, 44}, {0xA7FA, 0xAB30, 822},
    {0xAB31, 0xAB5A, 1}, {0xAB60, 0xAB68, 1}, {0xAB70, 0xABBF, 1}, {0xFB00, 0xFB06, 1},
    {0xFB13, 0xFB17, 1}, {0xFF41, 0xFF5A, 1}, {0x10428, 0x1044F, 1}, {0x104D8, 0x104FB, 1},
    {0x10CC0, 0x10CF2, 1}, {0x118C0, 0x118DF, 1}, {0x16E60, 0x16E7F, 1}, {0x1D41A, 0x1D433, 1},
    {0x1D44E, 0x1D454, 1}, {0x1D456, 0x1D467, 1}, {0x1D482, 0x1D49B, 1}, {0x1D4B6, 0x1D4B9, 1},
    {0x1D4BB, 0x1D4BD, 2}, {0x1D4BE, 0x1D4C3, 1}, {0x1D4C5, 0x1D4CF, 1}, {0x1D4EA, 0x1D503, 1},
    {0x1D51E, 0x1D537, 1}, {0x1D552, 0x1D56B, 1}, {0x1D586, 0x1D59F, 1}, {0x1D5BA, 0x1D5D3, 1},
    {0x1D5EE, 0x1D607, 1}, {0x1D622, 0x1D63B, 1}, {0x1D656, 0x1D66F, 1}, {0x1D68A, 0x1D6A5, 1},
    {0x1D6C2, 0x1D6DA, 1}, {0x1D6DC, 0x1D6E1, 1}, {0x1D6FC, 0x1D714, 1}, {0x1D716, 0x1D71B, 1},
    {0x1D736, 0x1D74E, 1}, {0x1D750, 0x1D755, 1}, {0x1D770, 0x1D788, 1}, {0x1D78A, 0x1D78F, 1},
    {0x1D7AA, 0x1D7C2, 1}, {0x1D7C4, 0x1D7C9, 1}, {0x1D7CB, 0x1E922, 4439}, {0x1E923, 0x1E943, 1},
};
static const struct letter_range upper_case[] = {
    {0xC0, 0xD6, 1}, {0xD8, 0xDE, 1}, {0x100, 0x136, 2}, {0x139, 0x147, 2}, {0x14A, 0x178, 2},
    {0x179, 0x17D, 2}, {0x181, 0x182, 1}, {0x184, 0x186, 2}, {0x187, 0x189, 2}, {0x18A, 0x18B, 1},
    {0x18E, 0x191, 1}, {0x193, 0x194, 1}, {0x196, 0x198, 1}, {0x19C, 0x19D, 1}, {0x19F, 0x1A0, 1},
    {0x1A2, 0x1A6, 2}, {0x1A7, 0x1A9, 2}, {0x1AC, 0x1AE, 2}, {0x1AF, 0x1B1, 2}, {0x1B2, 0x1B3, 1},
    {0x1B5, 0x1B7, 2}, {0x1B8, 0x1BC, 4}, {0x1C4, 0x1CD, 3}, {0x1CF, 0x1DB, 2}, {0x1DE, 0x1EE, 2},
    {0x1F1, 0x1F4, 3}, {0x1F6, 0x1F8, 1}, {0x1FA, 0x232, 2}, {0x23A, 0x23B, 1}, {0x23D, 0x23E, 1},
    {0x241, 0x243, 2}, {0x244, 0x246, 1}, {0x248, 0x24E, 2}, {0x370, 0x372, 2}, {0x376, 0x37F, 9},
    {0x386, 0x388, 2}, {0x389, 0x38A, 1}, {0x38C, 0x38E, 2}, {0x38F, 0x391, 2}, {0x392, 0x3A1, 1},
    {0x3A3, 0x3AB, 1}, {0x3CF, 0x3D2, 3}, {0x3D3, 0x3D4, 1}, {0x3D8, 0x3EE, 2}, {0x3F4, 0x3F7, 3},
    {0x3F9, 0x3FA, 1}, {0x3FD, 0x42F, 1}, {0x460, 0x480, 2}, {0x48A, 0x4C0, 2}, {0x4C1, 0x4CD, 2},
    {0x4D0, 0x52E, 2}, {0x531, 0x556, 1}, {0x10A0, 0x10C5, 1}, {0x10C7, 0x10CD, 6},
    {0x13A0, 0x13F5, 1}, {0x1C90, 0x1CBA, 1}, {0x1CBD, 0x1CBF, 1}, {0x1E00, 0x1E94, 2},
    {0x1E9E, 0x1EFE, 2}, {0x1F08, 0x1F0F, 1}, {0x1F18, 0x1F1D, 1}, {0x1F28, 0x1F2F, 1},
    {0x1F38, 0x1F3F, 1}, {0x1F48, 0x1F4D, 1}, {0x1F59, 0x1F5F, 2}, {0x1F68, 0x1F6F, 1},
    {0x1FB8, 0x1FBB, 1}, {0x1FC8, 0x1FCB, 1}, {0x1FD8, 0x1FDB, 1}, {0x1FE8, 0x1FEC, 1},
    {0x1FF8, 0x1FFB, 1}, {0x2102, 0x2107, 5}, {0x210B, 0x210D, 1}, {0x2110, 0x2112, 1},
    {0x2115, 0x2119, 4}, {0x211A, 0x211D, 1}, {0x2124, 0x212A, 2}, {0x212B, 0x212D, 1},
    {0x2130, 0x2133, 1}, {0x213E, 0x213F, 1}, {0x2145, 0x2183, 62}, {0x2C00, 0x2C2E, 1},
    {0x2C60, 0x2C62, 2}, {0x2C63, 0x2C64, 1}, {0x2C67, 0x2C6D, 2}, {0x2C6E, 0x2C70, 1},
    {0x2C72, 0x2C75, 3}, {0x2C7E, 0x2C80, 1}, {0x2C82, 0x2CE2, 2}, {0x2CEB, 0x2CED, 2},
    {0x2CF2, 0xA640, 31054}, {0xA642, 0xA66C, 2}, {0xA680, 0xA69A, 2}, {0xA722, 0xA72E, 2},
    {0xA732, 0xA76E, 2}, {0xA779, 0xA77D, 2}, {0xA77E, 0xA786, 2}, {0xA78B, 0xA78D, 2},
    {0xA790, 0xA792, 2}, {0xA796, 0xA7AA, 2}, {0xA7AB, 0xA7AE, 1}, {0xA7B0, 0xA7B4, 1},
    {0xA7B6, 0xA7BE, 2}, {0xA7C2, 0xA7C4, 2}, {0xA7C5, 0xA7C7, 1}, {0xA7C9, 0xA7F5, 44},
    {0xFF21, 0xFF3A, 1}, {0x10400, 0x10427, 1}, {0x104B0, 0x104D3, 1}, {0x10C80, 0x10CB2, 1},
    {0x118A0, 0x118BF, 1}, {0x16E40, 0x16E5F, 1}, {0x1D400, 0x1D419, 1}, {0x1D434, 0x1D44D, 1},
    {0x1D468, 0x1D481, 1}, {0x1D49C, 0x1D49E, 2}, {0x1D49F, 0x1D4A5, 3}, {0x1D4A6, 0x1D4A9, 3},
    {0x1D4AA, 0x1D4AC, 1}, {0x1D4AE, 0x1D4B5, 1}, {0x1D4D0, 0x1D4E9, 1}, {0x1D504, 0x1D505, 1},
    {0x1D507, 0x1D50A, 1}, {0x1D50D, 0x1D514, 1}, {0x1D516, 0x1D51C, 1}, {0x1D538, 0x1D539, 1},
    {0x1D53B, 0x1D53E, 1}, {0x1D540, 0x1D544, 1}, {0x1D546, 0x1D54A, 4}, {0x1D54B, 0x1D550, 1},
    {0x1D56C, 0x1D585, 1}, {0x1D5A0, 0x1D5B9, 1}, {0x1D5D4, 0x1D5ED, 1}, {0x1D608, 0x1D621, 1},
    {0x1D63C, 0x1D655, 1}, {0x1D670, 0x1D689, 1}, {0x1D6A8, 0x1D6C0, 1}, {0x1D6E2, 0x1D6FA, 1},
    {0x1D71C, 0x1D734, 1}, {0x1D756, 0x1D76E, 1}, {0x1D790, 0x1D7A8, 1}, {0x1D7CA, 0x1E900, 4406},
    {0x1E901, 0x1E921, 1},
};
// clang-format on

static bool in_ranges(const struct letter_range *ranges, size_t count, int32_t rune) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (rune > ranges[middle].high) {
      low = middle + 1;
    } else if (rune < ranges[middle].low) {
      high = middle;
    } else {
      return (rune - ranges[middle].low) % ranges[middle].stride == 0;
    }
  }
  return false;
}

bool rune_is_space(int32_t rune) {
  static const struct letter_range spaces[] = {
      {0x85, 0x85, 1},     {0xA0, 0xA0, 1},     {0x1680, 0x1680, 1}, {0x2000, 0x200A, 1},
      {0x2028, 0x2029, 1}, {0x202F, 0x202F, 1}, {0x205F, 0x205F, 1}, {0x3000, 0x3000, 1},
  };
  if (rune < 0x80) return rune == ' ' || (rune >= '\t' && rune <= '\r');
  return in_ranges(spaces, COUNT(spaces), rune);
}

bool rune_is_lower(int32_t rune) {
  if (rune < 0x80) return rune >= 'a' && rune <= 'z';
  return in_ranges(lower_case, COUNT(lower_case), rune);
}

bool rune_is_upper(int32_t rune) {
  if (rune < 0x80) return rune >= 'A' && rune <= 'Z';
  return in_ranges(upper_case, COUNT(upper_case), rune);
}

/* True for letters, marks, numbers, punctuation, symbols and spaces. Returns false for controls,
 * format characters, line separators and private use. */
bool rune_is_graphic(int32_t rune) {
  static const struct letter_range others[] = {
      {0x00, 0x1F, 1},     {0x7F, 0x9F, 1},     {0xAD, 0xAD, 1},       {0x600, 0x605, 1},
      {0x61C, 0x61C, 1},   {0x6DD, 0x6DD, 1},   {0x180E, 0x180E, 1},   {0x200B, 0x200F, 1},
      {0x2028, 0x202E, 1}, {0x2060, 0x206F, 1}, {0xD800, 0xF8FF, 1},   {0xFEFF, 0xFEFF, 1},
      {0xFFF0, 0xFFFB, 1}, {0xFFFE, 0xFFFF, 1}, {0xE0000, 0xE00FF, 1}, {0xE01F0, 0x10FFFF, 1},
  };
  if (rune < 0) return true; /* Go decodes an invalid byte as U+FFFD, which is a symbol. */
  return !in_ranges(others, COUNT(others), rune);
}

size_t space_at(pprofc_str s) {
  if (!s.size) return 0;
  unsigned char c = (unsigned char)s.data[0];
  if (c < 0x80) return rune_is_space(c);
  size_t position = 0;
  int32_t rune = utf8_next(s, &position);
  return rune_is_space(rune) ? position : 0;
}

/* ---- quoting ----------------------------------------- */

static const char escape_letters[] = "\aa\bb\ff\nn\rr\tt\vv\\\\\"\"";

static char escape_letter(char c) {
  for (const char *p = escape_letters; *p; p += 2)
    if (p[0] == c) return p[1];
  return 0;
}

static char escape_value(char letter) {
  for (const char *p = escape_letters; *p; p += 2)
    if (p[1] == letter) return p[0];
  return 0;
}

/* Appends the shortest numeric escape of the code point. */
static void quote_number(struct buffer *out, int32_t rune) {
  if (rune < 0x80)
    buffer_printf(out, "\\x%02x", (unsigned)rune);
  else if (rune < 0x10000)
    buffer_printf(out, "\\u%04x", (unsigned)rune);
  else
    buffer_printf(out, "\\U%08x", (unsigned)rune);
}

void go_quote(struct buffer *out, pprofc_str s) {
  buffer_add_char(out, '"');
  for (size_t i = 0; i < s.size;) {
    size_t start = i;
    int32_t rune = utf8_next(s, &i);
    char letter = rune >= 0 && rune < 0x80 ? escape_letter((char)rune) : (char)0;
    if (rune < 0) {
      buffer_printf(out, "\\x%02x", (unsigned char)s.data[start]);
    } else if (letter) {
      buffer_add_char(out, '\\');
      buffer_add_char(out, letter);
    } else if (rune == ' ' || (rune_is_graphic(rune) && !rune_is_space(rune))) {
      buffer_add(out, s.data + start, i - start);
    } else {
      quote_number(out, rune);
    }
  }
  buffer_add_char(out, '"');
}

/* Parses `digits` digits of base `base` at s[*at]. Returns -1 if there are fewer digits. */
static int64_t escape_number(pprofc_str s, size_t *at, int digits, int base) {
  int64_t value = 0;
  for (int i = 0; i < digits; i++, ++*at) {
    int digit = *at < s.size ? char_hex(s.data[*at]) : -1;
    if (digit < 0 || digit >= base) return -1;
    value = value * base + digit;
  }
  return value;
}

static bool unquote_byte(struct buffer *out, int64_t number) {
  if (number < 0 || number > 255) return false;
  buffer_add_char(out, (char)number);
  return true;
}

/* Appends a code point. Returns false for a surrogate or a number above the largest code point. */
static bool unquote_rune(struct buffer *out, int64_t number) {
  char text[4];
  if (number < 0 || number > 0x10FFFF || (number >= 0xD800 && number < 0xE000)) return false;
  buffer_add(out, text, utf8_encode((uint32_t)number, text));
  return true;
}

/* Parses the escape whose letter or digit is s[*at]. Moves *at past the escape. */
static bool unquote_escape(struct buffer *out, pprofc_str s, size_t *at) {
  char letter = s.data[*at];
  if (letter >= '0' && letter <= '7') return unquote_byte(out, escape_number(s, at, 3, 8));
  ++*at;
  if (letter == 'x') return unquote_byte(out, escape_number(s, at, 2, 16));
  if (letter == 'u') return unquote_rune(out, escape_number(s, at, 4, 16));
  if (letter == 'U') return unquote_rune(out, escape_number(s, at, 8, 16));
  char value = escape_value(letter);
  if (value) buffer_add_char(out, value);
  return value != 0;
}

bool go_unquote(struct buffer *out, pprofc_str s) {
  s = str_slice(s, 1, s.size - 1);
  for (size_t i = 0; i < s.size;) {
    char c = s.data[i];
    if (c == '\n' || c == '"') return false;
    if (c == '\\') {
      i++;
      if (i >= s.size || !unquote_escape(out, s, &i)) return false;
      continue;
    }
    size_t start = i;
    if (utf8_next(s, &i) < 0)
      buffer_add_text(out, "\xEF\xBF\xBD");
    else
      buffer_add(out, s.data + start, i - start);
  }
  return true;
}

/* ---- numbers ---------------------------------------- */

/* ---- reading ----------------------------------------- */

enum number_result number_parse_int(pprofc_str s, int64_t *out) {
  bool negative = s.size && s.data[0] == '-', over = false;
  size_t i = s.size && (negative || s.data[0] == '+');
  if (i == s.size) return NUMBER_SYNTAX;
  uint64_t value = 0;
  for (; i < s.size; i++) {
    if (s.data[i] < '0' || s.data[i] > '9') return NUMBER_SYNTAX;
    over |= __builtin_mul_overflow(value, 10u, &value) ||
            __builtin_add_overflow(value, (uint64_t)(s.data[i] - '0'), &value);
  }
  if (over || value > (uint64_t)INT64_MAX + negative) return NUMBER_RANGE;
  *out = (int64_t)(negative ? 0 - value : value);
  return NUMBER_OK;
}

/* ---- printing ---------------------------------------- */

static bool number_print_special(struct buffer *out, double value, bool sign) {
  if (isnan(value)) {
    buffer_add_text(out, sign ? "+NaN" : "NaN");
    return true;
  }
  if (isinf(value)) {
    buffer_add_text(out, value > 0 ? "+Inf" : "-Inf");
    return true;
  }
  return false;
}

/* Formats a value as "d.ddde±xx" with the fewest digits, but at least 15, that parse to the same
 * value. number_print drops trailing zeros. For a power of two, the nearest number of 16 digits may
 * parse to the next smaller double. The function then tries the next larger number of 16 digits. */
static void number_shortest(double value, char text[40]) {
  bool subnormal = fabs(value) < 0x1p-1022; /* A subnormal number may need fewer than 15 digits. */
  for (int digits = subnormal ? 1 : 15; digits <= 17; digits++) {
    snprintf(text, 40, "%.*e", digits - 1, value);
    if (strtod(text, NULL) == value) return;
    int exponent;
    if (digits < 16 || fabs(frexp(value, &exponent)) != 0.5) continue;
    char *last = text + (text[0] == '-') + digits;
    if (*last == '9') continue;
    ++*last;
    if (strtod(text, NULL) == value) return;
  }
}

void number_print(struct buffer *out, double value) {
  if (number_print_special(out, value, false)) return;
  char text[40];
  number_shortest(value, text);
  char *e = strchr(text, 'e');
  int64_t parsed = 0;
  str_parse_int(str_of(e + 1), 10, &parsed);
  int exponent = (int)parsed;
  char *last = e - 1;
  while (last > text && *last == '0') last--;
  if (*last == '.') last--;
  if (exponent < -4 || exponent >= 6) {
    buffer_add(out, text, (size_t)(last + 1 - text));
    buffer_add_text(out, e);
    return;
  }
  int digits = (int)(last - text) - (text[0] == '-') + 1;
  if (digits > 1) digits--; /* do not count the decimal point */
  int decimals = digits - 1 - exponent;
  buffer_printf(out, "%.*f", decimals > 0 ? decimals : 0, value);
}

void number_print_fixed(struct buffer *out, double value, int digits, bool sign) {
  char text[FIXED_MAX];
  if (number_print_special(out, value, sign)) return;
  size_t size = fixed_print(text, value, digits);
  if (!size) {
    buffer_printf(out, sign ? "%+.*f" : "%.*f", digits, value);
    return;
  }
  if (sign && text[0] != '-') buffer_add_char(out, '+');
  buffer_add(out, text, size);
}
