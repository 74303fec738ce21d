/* Finds the length and the operands of x86-64 instructions with tables of opcodes. */
#include "symbolize/code_image.h"

/* Properties of an opcode. */
#define M   1u   /* flag: the instruction has a ModRM byte */
#define I1  2u   /* flag: an immediate of 1 byte */
#define I4  4u   /* flag: an immediate of 4 bytes, or of 2 bytes with the prefix 66 */
#define I2  8u   /* flag: an immediate of 2 bytes */
#define I8  16u  /* flag: an immediate of 4 bytes, or of 8 bytes with REX.W */
#define A8  32u  /* flag: an address of 8 bytes, or of 4 bytes with the prefix 67 */
#define R   64u  /* flag: the immediate is relative to the next instruction */
#define BAD 128u /* flag: the opcode is a prefix, or is not valid in 64-bit code */

#define ALU    M, M, M, M, I1, I4, BAD, BAD
#define X4(a)  a, a, a, a
#define X8(a)  X4(a), X4(a)
#define X16(a) X8(a), X8(a)

static const uint8_t one_byte[16][16] = {
    /* opcodes 00-0f */ {ALU, ALU},
    /* opcodes 10-1f */ {ALU, ALU},
    /* opcodes 20-2f */ {ALU, ALU},
    /* opcodes 30-3f */ {ALU, ALU},
    /* opcodes 40-4f */ {X16(BAD)},
    /* opcodes 50-5f */ {X16(0)},
    /* opcodes 60-6f */ {BAD, BAD, BAD, M, X4(BAD), I4, M | I4, I1, M | I1, X4(0)},
    /* opcodes 70-7f */ {X16(I1 | R)},
    /* opcodes 80-8f */ {M | I1, M | I4, BAD, M | I1, X8(M), X4(M)},
    /* opcodes 90-9f */ {X8(0), 0, 0, BAD, X4(0), 0},
    /* opcodes a0-af */ {X4(A8), X4(0), I1, I4, X4(0), 0, 0},
    /* opcodes b0-bf */ {X8(I1), X8(I8)},
    /* opcodes c0-cf */
    {M | I1, M | I1, I2, 0, BAD, BAD, M | I1, M | I4, I2 | I1, 0, I2, 0, 0, I1, BAD, 0},
    /* opcodes d0-df */ {X4(M), BAD, BAD, BAD, 0, X8(M)},
    /* opcodes e0-ef */ {X4(I1 | R), X4(I1), I4 | R, I4 | R, BAD, I1 | R, X4(0)},
    /* opcodes f0-ff */ {BAD, 0, BAD, BAD, 0, 0, M, M, X4(0), 0, 0, M, M},
};

static const uint8_t two_bytes[16][16] = {
    /* opcodes 0f 00 to 0f 0f */ {X4(M), BAD, X4(0), 0, BAD, 0, BAD, M, 0, M | I1},
    /* opcodes 0f 10 to 0f 1f */ {X16(M)},
    /* opcodes 0f 20 to 0f 2f */ {X4(M), X4(BAD), X8(M)},
    /* opcodes 0f 30 to 0f 3f */ {X4(0), 0, 0, BAD, 0, X8(BAD)},
    /* opcodes 0f 40 to 0f 4f */ {X16(M)},
    /* opcodes 0f 50 to 0f 5f */ {X16(M)},
    /* opcodes 0f 60 to 0f 6f */ {X16(M)},
    /* opcodes 0f 70 to 0f 7f */ {X4(M | I1), M, M, M, 0, X8(M)},
    /* opcodes 0f 80 to 0f 8f */ {X16(I4 | R)},
    /* opcodes 0f 90 to 0f 9f */ {X16(M)},
    /* opcodes 0f a0 to 0f af */ {0, 0, 0, M, M | I1, M, BAD, BAD, 0, 0, 0, M, M | I1, M, M, M},
    /* opcodes 0f b0 to 0f bf */ {X8(M), M, M, M | I1, X4(M), M},
    /* opcodes 0f c0 to 0f cf */ {M, M, M | I1, M, M | I1, M | I1, M | I1, M, X8(0)},
    /* opcodes 0f d0 to 0f df */ {X16(M)},
    /* opcodes 0f e0 to 0f ef */ {X16(M)},
    /* opcodes 0f f0 to 0f ff */ {X16(M)},
};

enum opcode_map { MAP_ONE, MAP_0F, MAP_0F38, MAP_0F3A, MAP_OTHER };

/* State of reading an instruction. */
struct x86_state {
  const uint8_t *code;
  size_t size, at;
  bool wide, operand16, address32, repeat_f2, repeat_f3, vector;
  unsigned vector_bytes; /* size of a vector in bytes: 16, 32 or 64 */
  enum opcode_map map;
  uint8_t opcode;
};

/* ---- bytes of an operand in memory ------------------- */

/* Size of an operand in memory. */
enum x86_access {
  NO_BYTES,
  BYTES_1,
  BYTES_2,
  BYTES_4,
  BYTES_8,
  BYTES_16,
  GENERAL,         /* general register: 8 bytes with REX.W, 2 with the prefix 66, else 4 */
  BYTE_OR_GENERAL, /* 1 byte for an even opcode, else the same as GENERAL */
  CALLED, /* operand of opcode FF: 8 bytes for calls, jumps and push, else the same as GENERAL */
  WIDE,   /* 4 bytes, or 8 bytes with the prefix REX.W */
  NUMBER, /* 4 bytes with the prefix F3, 8 bytes with F2, else a whole vector */
  VECTOR,
  HALF_VECTOR,
  EIGHTH_VECTOR
};

/* Prefixes of the instruction that a row of the table requires. PACKED: neither F2 nor F3. BARE:
 * neither 66 nor F2 nor F3. */
enum x86_prefixes { ANY, PACKED, F3, BARE };

/* Sizes of the operands in memory for a range of opcodes. The first row that matches an opcode
 * applies. */
static const struct x86_range {
  enum opcode_map map;
  uint8_t first, last;
  enum x86_prefixes prefixes;
  enum x86_access access;
} ranges[] = {
    {MAP_ONE, 0x63, 0x63, ANY, BYTES_4},         {MAP_ONE, 0x8D, 0x8D, ANY, NO_BYTES},
    {MAP_ONE, 0x8F, 0x8F, ANY, BYTES_8},         {MAP_ONE, 0xDC, 0xDD, ANY, BYTES_8},
    {MAP_ONE, 0xD8, 0xDF, ANY, BYTES_4},         {MAP_ONE, 0xFF, 0xFF, ANY, CALLED},
    {MAP_ONE, 0x00, 0x3F, ANY, BYTE_OR_GENERAL}, {MAP_ONE, 0x80, 0x8B, ANY, BYTE_OR_GENERAL},
    {MAP_ONE, 0xC0, 0xFF, ANY, BYTE_OR_GENERAL}, {MAP_0F, 0x12, 0x13, PACKED, BYTES_8},
    {MAP_0F, 0x16, 0x17, PACKED, BYTES_8},       {MAP_0F, 0x2A, 0x2A, ANY, WIDE},
    {MAP_0F, 0x2E, 0x2F, BARE, BYTES_4},         {MAP_0F, 0x2E, 0x2F, PACKED, BYTES_8},
    {MAP_0F, 0x5A, 0x5A, BARE, HALF_VECTOR},     {MAP_0F, 0x6E, 0x6E, ANY, WIDE},
    {MAP_0F, 0x7E, 0x7E, F3, BYTES_8},           {MAP_0F, 0x7E, 0x7E, ANY, WIDE},
    {MAP_0F, 0x6F, 0x70, ANY, VECTOR},           {MAP_0F, 0x7F, 0x7F, ANY, VECTOR},
    {MAP_0F, 0x90, 0x9F, ANY, BYTES_1},          {MAP_0F, 0xB6, 0xB6, ANY, BYTES_1},
    {MAP_0F, 0xB7, 0xB7, ANY, BYTES_2},          {MAP_0F, 0xBE, 0xBE, ANY, BYTES_1},
    {MAP_0F, 0xBF, 0xBF, ANY, BYTES_2},          {MAP_0F, 0xC4, 0xC4, ANY, BYTES_2},
    {MAP_0F, 0xD6, 0xD6, ANY, BYTES_8},          {MAP_0F, 0xE6, 0xE6, ANY, BYTES_8},
    {MAP_0F, 0xF0, 0xF0, ANY, VECTOR},           {MAP_0F, 0x10, 0x17, ANY, NUMBER},
    {MAP_0F, 0x28, 0x2F, ANY, NUMBER},           {MAP_0F, 0x50, 0x7F, ANY, NUMBER},
    {MAP_0F, 0xC2, 0xC2, ANY, NUMBER},           {MAP_0F, 0xC6, 0xC6, ANY, NUMBER},
    {MAP_0F, 0xD0, 0xFF, ANY, NUMBER},           {MAP_0F, 0x00, 0xFF, ANY, GENERAL},
    {MAP_0F38, 0x18, 0x18, ANY, BYTES_4},        {MAP_0F38, 0x19, 0x19, ANY, BYTES_8},
    {MAP_0F38, 0x1A, 0x1A, ANY, BYTES_16},       {MAP_0F38, 0x20, 0x25, ANY, EIGHTH_VECTOR},
    {MAP_0F38, 0x30, 0x35, ANY, EIGHTH_VECTOR},  {MAP_0F38, 0x58, 0x58, ANY, BYTES_4},
    {MAP_0F38, 0x59, 0x59, ANY, BYTES_8},        {MAP_0F38, 0x5A, 0x5A, ANY, BYTES_16},
    {MAP_0F38, 0x78, 0x78, ANY, BYTES_1},        {MAP_0F38, 0x79, 0x79, ANY, BYTES_2},
    {MAP_0F38, 0x99, 0x99, ANY, WIDE},           {MAP_0F38, 0x9B, 0x9B, ANY, WIDE},
    {MAP_0F38, 0x9D, 0x9D, ANY, WIDE},           {MAP_0F38, 0x9F, 0x9F, ANY, WIDE},
    {MAP_0F38, 0xA9, 0xA9, ANY, WIDE},           {MAP_0F38, 0xAB, 0xAB, ANY, WIDE},
    {MAP_0F38, 0xAD, 0xAD, ANY, WIDE},           {MAP_0F38, 0xAF, 0xAF, ANY, WIDE},
    {MAP_0F38, 0xB9, 0xB9, ANY, WIDE},           {MAP_0F38, 0xBB, 0xBB, ANY, WIDE},
    {MAP_0F38, 0xBD, 0xBD, ANY, WIDE},           {MAP_0F38, 0xBF, 0xBF, ANY, WIDE},
    {MAP_0F38, 0xF0, 0xFF, ANY, GENERAL},        {MAP_0F3A, 0x0A, 0x0A, ANY, BYTES_4},
    {MAP_0F3A, 0x0B, 0x0B, ANY, BYTES_8},        {MAP_0F3A, 0xF0, 0xF0, ANY, GENERAL},
};

static bool has_prefixes(const struct x86_state *s, enum x86_prefixes wanted) {
  switch (wanted) {
  case PACKED:
    return !s->repeat_f2 && !s->repeat_f3;
  case F3:
    return s->repeat_f3;
  case BARE:
    return !s->repeat_f2 && !s->repeat_f3 && !s->operand16;
  default:
    return true;
  }
}

static unsigned general_bytes(const struct x86_state *s) {
  if (s->wide) return 8;
  return s->operand16 ? 2 : 4;
}

static unsigned number_bytes(const struct x86_state *s) {
  if (s->repeat_f3) return 4;
  return s->repeat_f2 ? 8 : s->vector_bytes;
}

/* Returns the size of an operand that depends on prefixes. */
static unsigned prefixed_bytes(const struct x86_state *s, enum x86_access access,
                               unsigned extension) {
  switch (access) {
  case GENERAL:
    return general_bytes(s);
  case BYTE_OR_GENERAL:
    return s->opcode & 1 ? general_bytes(s) : 1;
  case CALLED:
    return extension >= 2 ? 8 : general_bytes(s);
  case WIDE:
    return s->wide ? 8 : 4;
  case NUMBER:
    return number_bytes(s);
  case HALF_VECTOR:
    return s->vector_bytes / 2;
  case EIGHTH_VECTOR:
    return s->vector_bytes / 8;
  default:
    return s->vector_bytes;
  }
}

static unsigned access_bytes(const struct x86_state *s, unsigned extension) {
  static const uint8_t sizes[] = {
      [NO_BYTES] = 0, [BYTES_1] = 1, [BYTES_2] = 2, [BYTES_4] = 4, [BYTES_8] = 8, [BYTES_16] = 16};
  enum x86_access access = s->map == MAP_ONE ? GENERAL : VECTOR;
  for (size_t i = 0; i < COUNT(ranges); i++) {
    const struct x86_range *r = &ranges[i];
    if (r->map != s->map || s->opcode < r->first || s->opcode > r->last) continue;
    if (!has_prefixes(s, r->prefixes)) continue;
    access = r->access;
    break;
  }
  return access <= BYTES_16 ? sizes[access] : prefixed_bytes(s, access, extension);
}

/* ---- prefixes and opcode ----------------------------- */

/* Applies a prefix other than REX, VEX and EVEX. Returns false for any other byte. */
static bool legacy_prefix(struct x86_state *s, uint8_t byte) {
  static const uint8_t prefixes[] = {0x66, 0x67, 0xF2, 0xF3, 0x2E, 0x36,
                                     0x3E, 0x26, 0x64, 0x65, 0xF0};
  s->operand16 |= byte == 0x66;
  s->address32 |= byte == 0x67;
  s->repeat_f2 |= byte == 0xF2;
  s->repeat_f3 |= byte == 0xF3;
  return memchr(prefixes, byte, sizeof prefixes) != NULL;
}

/* Applies the prefixes that the field pp of a VEX or EVEX prefix encodes. */
static void vector_prefix(struct x86_state *s, unsigned pp, unsigned map, bool wide) {
  s->vector = true;
  s->operand16 = pp == 1;
  s->repeat_f3 = pp == 2;
  s->repeat_f2 = pp == 3;
  s->wide = wide;
  s->map = map >= 1 && map <= 3 ? (enum opcode_map)map : MAP_OTHER;
}

static unsigned register_bytes(unsigned wide) {
  return wide ? 32 : 16;
}

/* Reads a VEX (C4, C5) or EVEX (62) prefix and the opcode after it. */
static bool read_vector(struct x86_state *s) {
  static const uint8_t lengths[] = {[0] = 3, [1] = 2};
  const uint8_t *p = s->code + s->at;
  size_t length = *p == 0x62 ? 4 : lengths[*p & 1];
  if (s->size - s->at <= length) return false;
  if (length == 2) {
    vector_prefix(s, p[1] & 3u, 1, false);
    s->vector_bytes = register_bytes(p[1] & 4u);
  } else if (length == 3) {
    vector_prefix(s, p[2] & 3u, p[1] & 31u, p[2] & 128);
    s->vector_bytes = register_bytes(p[2] & 4u);
  } else {
    vector_prefix(s, p[2] & 3u, p[1] & 7u, p[2] & 128);
    s->vector_bytes = 16u << (p[3] >> 5 & 3u);
  }
  s->opcode = p[length];
  s->at += length + 1;
  return s->vector_bytes <= 64;
}

/* Returns the flags of the opcode (M, I1 ...) from the tables of opcodes. */
static unsigned opcode_flags(const struct x86_state *s) {
  if (s->map == MAP_ONE) return one_byte[s->opcode >> 4][s->opcode & 15];
  if (s->map == MAP_0F3A) return M | I1;
  if (s->map != MAP_0F) return M;
  /* true for opcodes that move mask registers */
  bool mask = s->vector && (s->opcode & 0xF0) == 0x90;
  return mask ? M : two_bytes[s->opcode >> 4][s->opcode & 15];
}

/* Reads the opcode after 0F. */
static bool read_escaped(struct x86_state *s) {
  if (s->at >= s->size) return false;
  s->opcode = s->code[s->at++];
  s->map = MAP_0F;
  if (s->opcode != 0x38 && s->opcode != 0x3A) return true;
  s->map = s->opcode == 0x38 ? MAP_0F38 : MAP_0F3A;
  if (s->at >= s->size) return false;
  s->opcode = s->code[s->at++];
  return true;
}

/* Reads prefixes and opcode. *flags gets the flags of the opcode. */
static bool read_opcode(struct x86_state *s, unsigned *flags) {
  bool good = true;
  while (s->at < s->size && legacy_prefix(s, s->code[s->at])) s->at++;
  if (s->at < s->size && (s->code[s->at] & 0xF0) == 0x40) s->wide = s->code[s->at++] & 8;
  if (s->at >= s->size) return false;
  uint8_t byte = s->code[s->at];
  if (byte == 0xC4 || byte == 0xC5 || byte == 0x62) {
    good = read_vector(s);
  } else {
    s->opcode = byte;
    s->at++;
    if (byte == 0x0F) good = read_escaped(s);
  }
  *flags = opcode_flags(s);
  return good && *flags != BAD;
}

/* ---- operands ---------------------------------------- */

/* Reads ModRM, SIB and displacement. *extension gets the middle field of ModRM. */
static bool read_operand(struct x86_state *s, struct x86_instruction *out, unsigned *extension) {
  if (s->at >= s->size) return false;
  uint8_t byte = s->code[s->at++];
  unsigned mod = byte >> 6, rm = byte & 7u;
  *extension = byte >> 3 & 7u;
  if (mod == 3) return true;
  bool no_base = mod == 0 && rm == 5;
  out->relative_displacement = no_base;
  if (rm == 4) {
    if (s->at >= s->size) return false;
    uint8_t index = s->code[s->at++];
    no_base = mod == 0 && (index & 7) == 5;
    out->bare_displacement = no_base;
  }
  out->bare_displacement |= mod == 2;
  if (mod == 1) out->displacement_size = 1;
  if (mod == 2 || no_base) out->displacement_size = 4;
  out->displacement = s->at;
  out->access = access_bytes(s, *extension);
  s->at += out->displacement_size;
  return s->at <= s->size;
}

static size_t immediate_bytes(const struct x86_state *s, unsigned flags, unsigned extension) {
  static const uint8_t small[] = {[I1] = 1, [I2] = 2, [I1 | I2] = 3};
  bool test = s->map == MAP_ONE && (s->opcode & 0xFE) == 0xF6 && extension < 2;
  size_t full = s->operand16 && !(flags & R) ? 2 : 4;
  if (test) flags |= s->opcode & 1 ? I4 : I1;
  size_t bytes = small[flags & (I1 | I2)];
  if (flags & I4) bytes += full;
  if (flags & I8) bytes += s->wide ? 8 : full;
  if (flags & A8) bytes += s->address32 ? 4 : 8;
  return bytes;
}

bool x86_read(const uint8_t *code, uint64_t size, struct x86_instruction *out) {
  struct x86_state s = {.code = code, .size = size < 15 ? (size_t)size : 15, .vector_bytes = 16};
  unsigned flags, extension = 0;
  *out = (struct x86_instruction){0};
  if (!read_opcode(&s, &flags)) return false;
  if (flags & M && !read_operand(&s, out, &extension)) return false;
  out->immediate = s.at;
  out->immediate_size = immediate_bytes(&s, flags, extension);
  out->relative_immediate = flags & R;
  out->size = s.at + out->immediate_size;
  return out->size <= s.size;
}
