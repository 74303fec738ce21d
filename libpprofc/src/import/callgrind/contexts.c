/* Splits names into functions: "f'g'main" is the function f, called by g, called by main. */
#include "import/callgrind/contexts.h"

/* Maximum nesting of brackets. Nesting matters, because a quote in brackets is not a separator. */
#define MAX_BRACKETS 256u
/* Maximum number of callers that callgrind_context_relation compares. Ignores further callers. */
#define MAX_COMPARED 128u

void callgrind_contexts_init(struct callgrind_contexts *contexts, const pprofc_allocator *mem,
                             pprofc_builder *builder) {
  *contexts = (struct callgrind_contexts){.mem = mem, .builder = builder};
  interner_init(&contexts->names, mem);
  interner_init(&contexts->symbols, mem);
  map_init(&contexts->by_caller, mem);
  jit_names_init(&contexts->jit, mem);
}

void callgrind_contexts_free(struct callgrind_contexts *contexts) {
  interner_free(&contexts->names);
  interner_free(&contexts->symbols);
  map_free(&contexts->by_caller);
  jit_names_free(&contexts->jit);
  ARRAY_FREE(contexts->mem, contexts->wholes, contexts->whole_room);
  ARRAY_FREE(contexts->mem, contexts->infos, contexts->info_room);
  ARRAY_FREE(contexts->mem, contexts->items, contexts->room);
  ARRAY_FREE(contexts->mem, contexts->words, contexts->word_room);
}

/* ---- splitting --------------------------------------- */

/* Open brackets of a name. Opening brackets beyond the maximum nesting are ignored. */
struct brackets {
  char open[MAX_BRACKETS];
  size_t depth;
};

static void brackets_close(struct brackets *b, char open) {
  size_t at = b->depth;
  while (at > 0 && b->open[at - 1] != open) at--;
  /* A '>' may be an operator, so it closes a '<' only if that '<' is the innermost open bracket. */
  if (at > 0 && (open != '<' || at == b->depth)) b->depth = at - 1;
}

static void brackets_pass(struct brackets *b, char c) {
  static const char opening[] = "(<[{", closing[] = ")>]}";
  const char *closes = c ? strchr(closing, c) : NULL;
  if (c && strchr(opening, c) && b->depth < MAX_BRACKETS)
    b->open[b->depth++] = c;
  else if (closes)
    brackets_close(b, opening[closes - closing]);
}

/* Returns the offset after a token that only looks like a bracket: "operator<<", "operator()",
 * "->". Returns `at` for any other text. */
static size_t after_sign(pprofc_str name, size_t at) {
  static const pprofc_str word = {"operator", 8};
  pprofc_str rest = str_from(name, at);
  if (str_starts(rest, STR("->"))) return at + 2;
  if (!str_starts(rest, word) || (at && char_is_word(name.data[at - 1]))) return at;
  size_t end = at + word.size;
  if (str_starts(str_from(name, end), STR("()"))) return end + 2;
  while (end < name.size && name.data[end] && strchr("<>-=", name.data[end])) end++;
  return end;
}

/* Brackets, the quote, and the first characters of "operator" and "->". function_end skips all
 * other characters. */
static const bool splits[256] = {
    ['\''] = true, ['o'] = true, ['-'] = true, ['('] = true, [')'] = true, ['<'] = true,
    ['>'] = true,  ['['] = true, [']'] = true, ['{'] = true, ['}'] = true};

/* Returns the end of the first function in a name: the first quote outside of brackets. Names may
 * have quotes in brackets: <impl Trait for &'a T>. If a bracket is never closed, ignores all
 * brackets of this name and clears *has_brackets. */
static size_t function_end(pprofc_str name, bool *has_brackets) {
  size_t quote = str_find_char(name, '\'');
  if (quote == name.size || !*has_brackets) return quote;
  struct brackets b = {.depth = 0};
  for (size_t i = 0; i < name.size; i++) {
    if (!splits[(unsigned char)name.data[i]]) continue;
    size_t next = after_sign(name, i);
    if (next > i)
      i = next - 1;
    else if (name.data[i] == '\'' && !b.depth && i)
      return i;
    else
      brackets_pass(&b, name.data[i]);
  }
  *has_brackets = !b.depth;
  return b.depth ? quote : name.size;
}

static bool is_level(pprofc_str word) {
  uint64_t level;
  return str_parse_uint(word, 10, &level);
}

/* Splits a name into contexts->words, innermost function first. Returns the number of functions; 0
 * when out of memory. */
static size_t split_name_words(struct callgrind_contexts *contexts, pprofc_str name) {
  bool has_brackets = true;
  size_t count = 0;
  for (;;) {
    size_t end = function_end(name, &has_brackets);
    if (!import_need(contexts->builder,
                     ARRAY_RESERVE(contexts->mem, contexts->words, contexts->word_room, count + 1)))
      return 0;
    pprofc_str word = str_slice(name, 0, end);
    /* "f'2" is the second level of recursion of f. */
    if (count != 1 || !is_level(word)) contexts->words[count++] = word;
    if (end == name.size) return count;
    name = str_from(name, end + 1);
  }
}

/* ---- contexts ---------------------------------------- */

/* Returns the symbol of a function's name, and adds the symbol if it is new. Returns NONE when out
 * of memory. */
static uint32_t symbol_add(struct callgrind_contexts *contexts, pprofc_str name) {
  size_t known = contexts->symbols.count;
  uint32_t symbol = interner_add(&contexts->symbols, name);
  if (!import_need(contexts->builder,
                   symbol != MAP_NONE && ARRAY_RESERVE(contexts->mem, contexts->infos,
                                                       contexts->info_room, (size_t)symbol + 1)))
    return NONE;
  if (symbol == known) contexts->infos[symbol] = (struct callgrind_symbol){.text = NONE};
  return symbol;
}

/* Returns the context of a function that `caller` calls, and adds the context if it is new. Returns
 * NONE when out of memory. */
static uint32_t context_enter(struct callgrind_contexts *contexts, uint32_t caller,
                              pprofc_str name) {
  struct callgrind_context context = {caller, symbol_add(contexts, name), 1};
  const struct callgrind_context *items = contexts->items;
  if (context.symbol == NONE || contexts->count >= NONE - 1) return NONE;
  if (caller != NONE) context.depth += items[caller].depth;
  uint64_t hash = hash_mix(caller, context.symbol);
  MAP_FIND(found, &contexts->by_caller, hash,
           items[found].caller == caller && items[found].symbol == context.symbol);
  if (found != MAP_NONE) return found;
  bool added = MAP_PUSH(contexts->mem, &contexts->by_caller, hash, contexts->items, contexts->count,
                        contexts->room, context);
  return import_need(contexts->builder, added) ? (uint32_t)contexts->count - 1 : NONE;
}

uint32_t callgrind_contexts_name(struct callgrind_contexts *contexts, pprofc_str name) {
  size_t known = contexts->names.count;
  uint32_t index = builder_ok(contexts->builder) ? interner_add(&contexts->names, name) : MAP_NONE;
  uint32_t context = NONE;
  if (!import_need(contexts->builder, index != MAP_NONE) || index != known) return index;
  size_t count = split_name_words(contexts, name), left = count;
  while (left > 0 && (context != NONE || left == count))
    context = context_enter(contexts, context, contexts->words[--left]);
  if (!import_need(contexts->builder,
                   context != NONE && ARRAY_RESERVE(contexts->mem, contexts->wholes,
                                                    contexts->whole_room, known + 1)))
    return NONE;
  contexts->wholes[known] = (struct callgrind_whole){context, NONE};
  return index;
}

enum callgrind_relation callgrind_context_relation(const struct callgrind_contexts *contexts,
                                                   uint32_t caller, uint32_t callee) {
  const struct callgrind_context *items = contexts->items;
  if (caller == callee) return RELATION_SAME;
  if (items[callee].caller == NONE) return RELATION_ROOT;
  if (items[callee].caller == caller) return RELATION_CALLER;
  if (items[callee].depth > items[caller].depth) return RELATION_OTHER;
  uint32_t a = items[callee].caller, b = caller;
  for (size_t n = 0; a != NONE && n < MAX_COMPARED; n++) {
    if (items[a].symbol != items[b].symbol) return RELATION_OTHER;
    a = items[a].caller;
    b = items[b].caller;
  }
  return RELATION_TRUNCATED;
}

/* ---- symbols ----------------------------------------- */

/* Returns a symbol. At the first use, sets the symbol's name and source position. JIT-compiled code
 * has an address in place of a name; perf-PID.map has the name for this address. */
static struct callgrind_symbol symbol_get(struct callgrind_contexts *contexts, uint32_t symbol) {
  struct callgrind_symbol *info = &contexts->infos[symbol];
  struct jit_function found;
  char room[IMPORT_SCRIPT_NAME];
  uint64_t address;
  if (info->text != NONE) return *info;
  pprofc_str text = contexts->symbols.items[symbol], digits = text;
  if (str_take(&digits, STR("0x")) && str_parse_uint(digits, 16, &address) &&
      jit_names_find(&contexts->jit, address, &found)) {
    found.name = import_script_name(found.name, found.file, found.line, room);
    *info = (struct callgrind_symbol){.text = builder_string(contexts->builder, found.name),
                                      .file = builder_string(contexts->builder, found.file),
                                      .line = found.line};
    return *info;
  }
  info->text = builder_string(contexts->builder, text);
  info->system = import_system_name(text, info->text);
  return *info;
}

struct callgrind_symbol callgrind_context_symbol(struct callgrind_contexts *contexts,
                                                 uint32_t context) {
  return symbol_get(contexts, contexts->items[context].symbol);
}

/* Removes the level of recursion from a name: "f'2" becomes "f". */
static pprofc_str without_level(pprofc_str name) {
  size_t quote = str_find_last_char(name, '\'');
  bool has = quote > 0 && quote < name.size && is_level(str_from(name, quote + 1));
  return has ? str_slice(name, 0, quote) : name;
}

bool callgrind_name_symbol(struct callgrind_contexts *contexts, uint32_t name,
                           struct callgrind_symbol *symbol) {
  struct callgrind_whole *whole = &contexts->wholes[name];
  if (whole->plain == NONE)
    whole->plain = symbol_add(contexts, without_level(contexts->names.items[name]));
  if (whole->plain == NONE) return false;
  *symbol = symbol_get(contexts, whole->plain);
  return true;
}
