/* Parses escapes and character classes: \n, \x{..}, \d, \pL, [a-z[:alpha:]]. */
#include "regex/regex_syntax.h"

#define RUNE_MAX 0x10FFFF

/* The two letters outside ASCII that match an ASCII letter when case is ignored. */
#define LONG_S      0x17F  /* U+017F, which matches s */
#define KELVIN_SIGN 0x212A /* U+212A, which matches k */

bool regex_read(struct regex_parser *p, int32_t *code) {
  *code = 0xFFFD;
  if (p->at >= p->whole.size) return true;
  size_t start = p->at;
  *code = utf8_next(p->whole, &p->at);
  return *code >= 0 || regex_fail(p, "invalid UTF-8", start, p->whole.size);
}

bool regex_check_utf8(struct regex_parser *p, size_t from, size_t to) {
  pprofc_str s = str_slice(p->whole, 0, to);
  for (size_t i = from; i < to;) {
    size_t start = i;
    if (utf8_next(s, &i) < 0) return regex_fail(p, "invalid UTF-8", start, to);
  }
  return true;
}

/* Returns the next byte of the pattern, or 0 at its end. */
static char peek(const struct regex_parser *p) {
  return p->at < p->whole.size ? p->whole.data[p->at] : '\0';
}

/* ---- escapes of one character ------------------------ */

static bool is_octal(char c) {
  return c >= '0' && c <= '7';
}

static bool bad_escape(struct regex_parser *p, size_t start) {
  return regex_fail(p, "invalid escape sequence", start, p->at);
}

/* Parses the digits and the closing brace of \x{1F600}. */
static bool read_hex_braced(struct regex_parser *p, size_t start, int32_t *code) {
  int32_t value = 0;
  for (size_t digits = 0;; digits++) {
    int32_t c;
    if (p->at == p->whole.size) return bad_escape(p, start);
    if (!regex_read(p, &c)) return false;
    if (c == '}' && digits) break;
    if (char_hex(c) < 0) return bad_escape(p, start);
    value = value * 16 + char_hex(c);
    if (value > RUNE_MAX) return bad_escape(p, start);
  }
  *code = value;
  return true;
}

/* Parses the rest of \x41 or \x{1F600}, after "\x". */
static bool read_hex(struct regex_parser *p, size_t start, int32_t *code) {
  int32_t high, low;
  if (p->at == p->whole.size) return bad_escape(p, start);
  if (!regex_read(p, &high)) return false;
  if (high == '{') return read_hex_braced(p, start, code);
  if (!regex_read(p, &low)) return false;
  if (char_hex(high) < 0 || char_hex(low) < 0) return bad_escape(p, start);
  *code = char_hex(high) * 16 + char_hex(low);
  return true;
}

/* Parses the rest of \0 to \777, after the first digit. Refuses a single digit other than 0,
 * because \1 would be a back-reference. */
static bool read_octal(struct regex_parser *p, int32_t first, int32_t *code) {
  bool octal = first == '0' || (first >= '1' && first <= '7' && is_octal(peek(p)));
  if (!octal) return false;
  *code = first - '0';
  for (int i = 0; i < 2 && is_octal(peek(p)); i++) *code = *code * 8 + p->whole.data[p->at++] - '0';
  return true;
}

/* Returns the control character of an escape letter ("n" in \n), or -1. */
static int32_t escaped_letter(int32_t c) {
  static const char letters[] = "afnrtv", meanings[] = "\a\f\n\r\t\v";
  const char *letter = c < 0x80 && c > 0 ? strchr(letters, (int)c) : NULL;
  return letter ? meanings[letter - letters] : -1;
}

bool regex_read_escape(struct regex_parser *p, int32_t *code) {
  size_t start = p->at++;
  if (p->at == p->whole.size)
    return regex_fail(p, "trailing backslash at end of expression", p->at, p->at);
  int32_t c;
  if (!regex_read(p, &c)) return false;
  if (c == 'x') return read_hex(p, start, code);
  if (read_octal(p, c, code)) return true;
  int32_t control = escaped_letter(c);
  *code = control < 0 ? c : control;
  bool punctuation = c < 0x80 && (c == '_' || !char_is_word((char)c));
  return control >= 0 || punctuation || bad_escape(p, start);
}

/* ---- groups of ASCII characters ---------------------- */

/* A named group of ASCII characters. `pairs` contains the first and last character of each range.
 * `size` is the number of characters in `pairs`. */
static const struct ascii_group {
  const char *name;
  unsigned char size;
  const char *pairs;
} ascii_groups[] = {
    {"d", 2, "09"},           {"s", 6, "\t\n\f\r  "},
    {"w", 8, "09AZ__az"},     {"alnum", 6, "09AZaz"},
    {"alpha", 4, "AZaz"},     {"ascii", 2, "\0\177"},
    {"blank", 4, "\t\t  "},   {"cntrl", 4, "\0\037\177\177"},
    {"digit", 2, "09"},       {"graph", 2, "!~"},
    {"lower", 2, "az"},       {"print", 2, " ~"},
    {"punct", 8, "!/:@[`{~"}, {"space", 4, "\t\r  "},
    {"upper", 2, "AZ"},       {"word", 8, "09AZ__az"},
    {"xdigit", 6, "09AFaf"},
};
/* Number of groups at the start of the table that have an escape such as \d. */
#define PERL_GROUPS 3

/* Writes a range for PCRE2. Removes surrogates from the ends of the range, because PCRE2 rejects
 * them and no text contains them. */
static size_t write_range(struct regex_parser *p, int32_t low, int32_t high) {
  if (low >= 0xD800 && low < 0xE000) low = 0xE000;
  if (high >= 0xD800 && high < 0xE000) high = 0xD7FF;
  if (low > high) return 0;
  buffer_printf(p->out, low == high ? "\\x{%x}" : "\\x{%x}-\\x{%x}", (unsigned)low, (unsigned)high);
  return 1;
}

static void write_pairs(struct regex_parser *p, const struct ascii_group *group) {
  for (size_t i = 0; i < group->size; i += 2)
    write_range(p, (unsigned char)group->pairs[i], (unsigned char)group->pairs[i + 1]);
}

/* Writes the range from `low` to the character before `member`. Returns the character after
 * `member`, where the next range may begin. */
static int32_t write_gap(struct regex_parser *p, int32_t low, int32_t member) {
  if (low < member) write_range(p, low, member - 1);
  return member + 1;
}

/* Writes the complement of a group as part of a class. If case is ignored, first adds the other
 * case of each letter to the group. Without this step, PCRE2 would add the other case of each
 * letter to the complement. */
static void write_complement(struct regex_parser *p, const struct ascii_group *group) {
  bool in[128] = {false}, fold = p->flags & REGEX_FOLD;
  for (size_t i = 0; i < group->size; i += 2)
    for (int c = group->pairs[i]; c <= group->pairs[i + 1]; c++) in[c] = true;
  for (int c = 'A'; fold && c <= 'Z'; c++) {
    in[c] |= in[c + 'a' - 'A'];
    in[c + 'a' - 'A'] = in[c];
  }
  int32_t low = 0;
  for (int32_t c = 0; c < 128; c++)
    if (in[c]) low = write_gap(p, low, c);
  if (fold && in['s']) low = write_gap(p, low, LONG_S);
  if (fold && in['k']) low = write_gap(p, low, KELVIN_SIGN);
  write_range(p, low, RUNE_MAX);
}

/* Returns the group of an escape such as `\d` or `\D`, or NULL if there is no such escape. */
static const struct ascii_group *perl_group(const struct regex_parser *p, bool *negated) {
  if (p->whole.size - p->at < 2 || peek(p) != '\\') return NULL;
  char letter = p->whole.data[p->at + 1];
  *negated = letter >= 'A' && letter <= 'Z';
  if (*negated) letter = (char)(letter + 'a' - 'A');
  for (size_t i = 0; i < PERL_GROUPS; i++)
    if (ascii_groups[i].name[0] == letter) return &ascii_groups[i];
  return NULL;
}

/* Parses `[:alpha:]` or `[:^alpha:]` inside a class. *group stays NULL for other text. */
static bool named_group(struct regex_parser *p, const struct ascii_group **group, bool *negated) {
  if (!regex_at(p, "[:")) return true;
  pprofc_str rest = str_slice(p->whole, p->at + 2, p->whole.size);
  size_t end = str_find(rest, STR(":]"));
  if (end == rest.size) return true;
  pprofc_str name = str_slice(rest, 0, end);
  *negated = name.size && name.data[0] == '^';
  if (*negated) name = str_slice(name, 1, name.size);
  for (size_t i = PERL_GROUPS; i < COUNT(ascii_groups); i++)
    if (str_equal(name, str_of(ascii_groups[i].name))) *group = &ascii_groups[i];
  size_t start = p->at;
  p->at += end + 4;
  return *group || regex_fail(p, "invalid character class range", start, p->at);
}

/* ---- Unicode groups ---------------------------------- */

#define PROPERTY_MAX 40

/* Unicode categories by short and long name (file PropertyValueAliases.txt, property gc). The name
 * that PCRE2 uses follows each '='. */
static const char categories[] =
    " any=Any ascii=ASCII assigned=^Cn c=C casedletter=L& cc=Cc cf=Cf closepunctuation=Pe cn=Cn "
    "cntrl=Cc co=Co combiningmark=M connectorpunctuation=Pc control=Cc cs=Cs currencysymbol=Sc "
    "dashpunctuation=Pd decimalnumber=Nd digit=Nd enclosingmark=Me finalpunctuation=Pf format=Cf "
    "initialpunctuation=Pi l=L lc=L& letter=L letternumber=Nl lineseparator=Zl ll=Ll lm=Lm lo=Lo "
    "lowercaseletter=Ll lt=Lt lu=Lu m=M mark=M mathsymbol=Sm mc=Mc me=Me mn=Mn modifierletter=Lm "
    "modifiersymbol=Sk n=N nd=Nd nl=Nl no=No nonspacingmark=Mn number=N openpunctuation=Ps "
    "other=C otherletter=Lo othernumber=No otherpunctuation=Po othersymbol=So p=P "
    "paragraphseparator=Zp pc=Pc pd=Pd pe=Pe pf=Pf pi=Pi po=Po privateuse=Co ps=Ps punct=P "
    "punctuation=P s=S sc=Sc separator=Z sk=Sk sm=Sm so=So spaceseparator=Zs spacingmark=Mc "
    "surrogate=Cs symbol=S titlecaseletter=Lt unassigned=Cn uppercaseletter=Lu z=Z zl=Zl zp=Zp "
    "zs=Zs ";

static const char scripts[] =
    " adlam ahom anatolianhieroglyphs arabic armenian avestan balinese bamum bassavah batak "
    "bengali bhaiksuki bopomofo brahmi braille buginese buhid canadianaboriginal carian "
    "caucasianalbanian chakma cham cherokee chorasmian common coptic cuneiform cypriot "
    "cyprominoan cyrillic deseret devanagari divesakuru dogra duployan egyptianhieroglyphs "
    "elbasan elymaic ethiopic georgian glagolitic gothic grantha greek gujarati gunjalagondi "
    "gurmukhi han hangul hanifirohingya hanunoo hatran hebrew hiragana imperialaramaic inherited "
    "inscriptionalpahlavi inscriptionalparthian javanese kaithi kannada katakana kawi kayahli "
    "kharoshthi khitansmallscript khmer khojki khudawadi lao latin lepcha limbu lineara linearb "
    "lisu lycian lydian mahajani makasar malayalam mandaic manichaean marchen masaramgondi "
    "medefaidrin meeteimayek mendekikakui meroiticcursive meroitichieroglyphs miao modi "
    "mongolian mro multani myanmar nabataean nagmundari nandinagari newa newtailue nko nushu "
    "nyiakengpuachuehmong ogham olchiki oldhungarian olditalic oldnortharabian oldpermic "
    "oldpersian oldsogdian oldsoutharabian oldturkic olduyghur oriya osage osmanya pahawhhmong "
    "palmyrene paucinhau phagspa phoenician psalterpahlavi rejang runic samaritan saurashtra "
    "sharada shavian siddham signwriting sinhala sogdian sorasompeng soyombo sundanese "
    "sylotinagri syriac tagalog tagbanwa taile taitham taiviet takri tamil tangsa tangut telugu "
    "thaana thai tibetan tifinagh tirhuta toto ugaritic vai vithkuqi wancho warangciti yezidi yi "
    "zanabazarsquare ";

/* Finds the key, followed by the character `after`, in a list of words. Returns the text after
 * both, or NULL. */
static const char *unicode_find(const char *list, const char *key, char after) {
  char wanted[PROPERTY_MAX];
  snprintf(wanted, sizeof wanted, " %s%c", key, after);
  const char *found = strstr(list, wanted);
  return found ? found + strlen(wanted) : NULL;
}

/* Writes PCRE2's name for a category or script. `name` is the text between the braces of \p{}.
 * Case, blanks, _ and - do not matter. Returns false for an unknown name. */
static bool unicode_property(pprofc_str name, char out[PROPERTY_MAX]) {
  char key[PROPERTY_MAX - 3]; /* name without "sc:", in lower case */
  size_t size = 0;
  for (size_t i = 0; i < name.size; i++) {
    char c = name.data[i];
    if (c == ' ' || c == '_' || c == '-') continue;
    if (size + 1 >= sizeof key || c == '\0') return false;
    key[size++] = char_lower(c);
  }
  key[size] = '\0';
  const char *category = unicode_find(categories, key, '=');
  if (category)
    snprintf(out, PROPERTY_MAX, "%.*s", (int)strcspn(category, " "), category);
  else
    snprintf(out, PROPERTY_MAX, "sc:%s", key);
  return category || unicode_find(scripts, key, ' ');
}

/* Writes the characters of `folded`. If `others` is true, writes all other characters instead. */
static void write_runs(struct regex_parser *p, const struct regex_folded *folded, bool others) {
  int32_t low = 0;
  for (size_t i = 0; i < folded->count; i++) {
    const struct regex_fold_run *run = &folded->runs[i];
    if (!others) write_range(p, run->first, run->last);
    if (others && low < run->first) write_range(p, low, run->first - 1);
    low = run->last + 1;
  }
  if (others) write_range(p, low, RUNE_MAX);
}

/* Writes a Unicode property. If the property is negated and the only member of its class (`alone`),
 * negates the whole class instead. */
static void write_property(struct regex_parser *p, const char *property, bool negated, bool alone) {
  const struct regex_folded *folded = p->flags & REGEX_FOLD ? regex_folded(property) : NULL;
  bool whole = folded && folded->whole;
  if (negated && alone) buffer_add_char(p->out, '^');
  bool others = negated && !alone;
  if (!whole) buffer_printf(p->out, others ? "\\P{%s}" : "\\p{%s}", property);
  if (whole || (folded && !others)) write_runs(p, folded, others);
}

/* Writes the category or script `name`. Returns false if the name is unknown. */
static bool write_unicode(struct regex_parser *p, pprofc_str name, bool negated, bool alone) {
  char property[PROPERTY_MAX];
  if (name.size && name.data[0] == '^') {
    negated = !negated;
    name = str_slice(name, 1, name.size);
  }
  bool known = unicode_property(name, property);
  if (known) write_property(p, property, negated, alone);
  return known;
}

/* Parses and writes an escape such as `\pL`, `\p{Greek}` or `\P{^Greek}` if it comes next. */
static bool unicode_group(struct regex_parser *p, bool alone, bool *found) {
  size_t start = p->at, end = p->whole.size;
  *found = regex_at(p, "\\p") || regex_at(p, "\\P");
  if (!*found) return true;
  bool negated = p->whole.data[start + 1] == 'P';
  p->at += 2;
  int32_t c;
  if (!regex_read(p, &c)) return false;
  pprofc_str name = str_slice(p->whole, start + 2, p->at);
  if (c == '{') {
    size_t length = str_find_char(str_slice(p->whole, p->at, end), '}');
    name = str_slice(p->whole, p->at, p->at + length);
    if (!regex_check_utf8(p, p->at, p->at + length)) return false;
    p->at += length;
    if (p->at == end) return regex_fail(p, "invalid character class range", start, end);
    p->at++;
  }
  return write_unicode(p, name, negated, alone) ||
         regex_fail(p, "invalid character class range", start, p->at);
}

/* ---- classes ----------------------------------------- */

bool regex_class_escape(struct regex_parser *p, bool *found) {
  bool negated = false;
  const struct ascii_group *group = perl_group(p, &negated);
  *found = group != NULL;
  size_t mark = p->out->size;
  buffer_add_text(p->out, group && negated ? "[^" : "[");
  if (group) {
    write_pairs(p, group);
    p->at += 2;
  } else {
    if (!unicode_group(p, true, found)) return false;
    if (!*found) {
      p->out->size = mark;
      return true;
    }
  }
  buffer_add_char(p->out, ']');
  return true;
}

/* Parses one character of a class; `class_start` is the offset of the class. */
static bool class_character(struct regex_parser *p, size_t class_start, int32_t *code) {
  if (p->at == p->whole.size) return regex_fail(p, "missing closing ]", class_start, p->whole.size);
  return peek(p) == '\\' ? regex_read_escape(p, code) : regex_read(p, code);
}

static bool class_range(struct regex_parser *p, size_t class_start, size_t *items) {
  size_t start = p->at;
  int32_t low, high;
  if (!class_character(p, class_start, &low)) return false;
  high = low;
  /* In [a-] the minus is an ordinary character. */
  if (p->whole.size - p->at >= 2 && peek(p) == '-' && p->whole.data[p->at + 1] != ']') {
    p->at++;
    if (!class_character(p, class_start, &high)) return false;
    if (high < low) return regex_fail(p, "invalid character class range", start, p->at);
  }
  *items += write_range(p, low, high);
  return true;
}

/* Parses one member of a class: a group or a range. */
static bool class_item(struct regex_parser *p, size_t class_start, size_t *items) {
  const struct ascii_group *group = NULL;
  bool negated = false, found = false;
  if (!named_group(p, &group, &negated)) return false;
  if (!group) {
    if (!unicode_group(p, false, &found)) return false;
    if (found) {
      ++*items;
      return true;
    }
    group = perl_group(p, &negated);
    if (!group) return class_range(p, class_start, items);
    p->at += 2;
  }
  if (negated)
    write_complement(p, group);
  else
    write_pairs(p, group);
  ++*items;
  return true;
}

bool regex_class(struct regex_parser *p) {
  size_t start = p->at++, mark = p->out->size;
  bool negated = peek(p) == '^';
  if (negated) p->at++;
  buffer_add_text(p->out, negated ? "[^" : "[");
  size_t items = 0;
  /* As the first member, ] is an ordinary character. */
  for (bool first = true; first || peek(p) != ']'; first = false)
    if (!class_item(p, start, &items)) return false;
  p->at++;
  if (items) {
    buffer_add_char(p->out, ']');
  } else {
    /* The class has only surrogates, so it matches no character. */
    p->out->size = mark;
    buffer_add_text(p->out, negated ? "[\\x{0}-\\x{10ffff}]" : "[^\\x{0}-\\x{10ffff}]");
  }
  return true;
}
