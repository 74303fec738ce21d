/* Finds the Unicode category or script that a name in \p{} means. Case, blanks, _ and - do not
 * matter, as in Unicode TR18. */
#include "regex/regex_syntax.h"

#include "core/chars.h"

#include <stdio.h>

/* Unicode categories by short and long name (file PropertyValueAliases.txt, property gc). After '='
 * comes their name in PCRE2. */
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
  char wanted[REGEX_PROPERTY_MAX];
  snprintf(wanted, sizeof wanted, " %s%c", key, after);
  const char *found = strstr(list, wanted);
  return found ? found + strlen(wanted) : NULL;
}

bool regex_unicode_property(pprofc_str name, char out[REGEX_PROPERTY_MAX]) {
  char key[REGEX_PROPERTY_MAX - 3]; /* name without "sc:", in lower case */
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
    snprintf(out, REGEX_PROPERTY_MAX, "%.*s", (int)strcspn(category, " "), category);
  else
    snprintf(out, REGEX_PROPERTY_MAX, "sc:%s", key);
  return category || unicode_find(scripts, key, ' ');
}
