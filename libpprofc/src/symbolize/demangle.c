/* Demangles names. Changes the output of libiberty to the name that pprof shows in each mode. */
#include "core/parallel.h"
#include "symbolize/symbolize.h"

#include <setjmp.h>

#define MAX_MANGLED ((size_t)64 * 1024)
#define MAX_OUTPUT  ((size_t)1 << 20)

/* Stack size for libiberty, in bytes. Parsing takes up to 130 bytes for each byte of a name.
 * Printing takes 16 bytes for each of up to MAX_COPIES copies of templates. The rest is a reserve
 * for a libiberty without optimization, which needs more. */
#define DEEP_STACK ((size_t)64 << 20)

bool demangle_is_deep(pprofc_str name) {
  /* A mangled name begins with "_Z", "___Z" or a prefix such as "_GLOBAL__I__Z". */
  pprofc_str head = str_slice(name, 0, 16);
  return str_starts(name, STR("_")) && str_contains(head, STR("_Z"));
}

bool demangle_run(void (*fn)(void *context), void *context) {
  return parallel_run_deep(DEEP_STACK, fn, context);
}

static bool is_mangled(pprofc_str name) {
  return str_starts(name, STR("_Z")) || str_starts(name, STR("___Z"));
}

#ifdef HAVE_LIBIBERTY
#include <libiberty/demangle.h>

/* Receives the output of libiberty. Substitutions can double the output with every few bytes of
 * input. If the output grows too large, longjmp leaves the demangler. The jump leaks no memory,
 * because the callback functions of libiberty use only the stack. */
struct demangle_collector {
  struct buffer *out;
  jmp_buf too_much;
};

static void demangle_collect(const char *text, size_t size, void *context) {
  struct demangle_collector *collector = context;
  if (collector->out->size + size > MAX_OUTPUT || collector->out->failed)
    longjmp(collector->too_much, 1);
  buffer_add(collector->out, text, size);
}

#define MAX_PARTS 4096

/* Returns the last identifier of a scope, which is also the name of its constructors. Returns NULL
 * if libiberty chooses a better name, as for std::string. */
static struct demangle_component *class_name(struct demangle_component *scope) {
  for (size_t i = 0; scope && i < MAX_PARTS; i++) {
    switch (scope->type) {
    case DEMANGLE_COMPONENT_NAME:
    case DEMANGLE_COMPONENT_LAMBDA:
    case DEMANGLE_COMPONENT_UNNAMED_TYPE:
      return scope;
    case DEMANGLE_COMPONENT_QUAL_NAME:
    case DEMANGLE_COMPONENT_LOCAL_NAME:
      scope = scope->u.s_binary.right;
      break;
    case DEMANGLE_COMPONENT_TEMPLATE:
    case DEMANGLE_COMPONENT_TAGGED_NAME:
      scope = scope->u.s_binary.left;
      break;
    default:
      return NULL;
    }
  }
  return NULL;
}

/* Sets the name of a constructor or destructor. libiberty uses the last identifier that it read,
 * which is wrong in two cases. For an unnamed type, that identifier is the name of the enclosing
 * function. For an inherited constructor, it is the name of the base class. */
static void name_constructor(struct demangle_component *scope, struct demangle_component *member) {
  if (member && member->type == DEMANGLE_COMPONENT_TEMPLATE) member = member->u.s_binary.left;
  struct demangle_component *name = class_name(scope);
  if (!name || !member) return;
  if (member->type == DEMANGLE_COMPONENT_CTOR) member->u.s_ctor.name = name;
  if (member->type == DEMANGLE_COMPONENT_DTOR) member->u.s_dtor.name = name;
}

/* Calls name_constructor for each part of a qualified name, the last part first. */
static void name_members(struct demangle_component *part) {
  for (size_t i = 0; part && i < MAX_PARTS; i++) {
    if (part->type == DEMANGLE_COMPONENT_QUAL_NAME)
      name_constructor(part->u.s_binary.left, part->u.s_binary.right);
    else if (part->type != DEMANGLE_COMPONENT_CONST_THIS)
      return;
    part = part->u.s_binary.left;
  }
}

/* Calls name_constructor for each part of a name, and for the functions that enclose the name. */
static void name_constructors(struct demangle_component *part) {
  for (size_t i = 0; part && i < MAX_PARTS; i++) {
    switch (part->type) {
    case DEMANGLE_COMPONENT_QUAL_NAME:
      name_constructor(part->u.s_binary.left, part->u.s_binary.right);
      part = part->u.s_binary.left;
      break;
    case DEMANGLE_COMPONENT_LOCAL_NAME:
      name_members(part->u.s_binary.right);
      part = part->u.s_binary.left;
      break;
    case DEMANGLE_COMPONENT_TYPED_NAME:
    case DEMANGLE_COMPONENT_TEMPLATE:
    case DEMANGLE_COMPONENT_CONST_THIS:
    case DEMANGLE_COMPONENT_CLONE:
      part = part->u.s_binary.left;
      break;
    default:
      return;
    }
  }
}

static bool print_cxx(const char *mangled, int options, struct demangle_collector *collector) {
  void *memory = NULL;
  struct demangle_component *name = cplus_demangle_v3_components(mangled, options, &memory);
  if (!name) return false;
  name_constructors(name);
  bool printed = false;
  if (!setjmp(collector->too_much))
    printed = cplus_demangle_print_callback(options, name, demangle_collect, collector) != 0;
  free(memory); /* libiberty allocated it with malloc */
  return printed;
}

static bool run_demangler(const char *mangled, int options, bool *is_rust, struct buffer *out) {
  struct demangle_collector collector = {.out = out};
  buffer_clear(out);
  if (setjmp(collector.too_much)) return false;
  *is_rust = true;
  if (rust_demangle_callback(mangled, options, demangle_collect, &collector)) return true;
  buffer_clear(out);
  *is_rust = false;
  return print_cxx(mangled, options, &collector) && !out->failed;
}

/* Maximum number of copies that libiberty makes on its stack: one copy of a template for each
 * reference to a template parameter. */
#define MAX_COPIES ((size_t)1 << 20)

/* True if libiberty may make more than MAX_COPIES copies. 'I' begins template arguments, and "RT",
 * "RS", "OT" or "OS" may be a reference. Counts each of these letters or pairs twice, because
 * libiberty visits each part of a name up to two times. */
static bool has_many_copies(pprofc_str mangled) {
  size_t templates = 0, references = 0;
  for (size_t i = 0; i < mangled.size; i++) {
    char c = mangled.data[i], next = i + 1 < mangled.size ? mangled.data[i + 1] : '\0';
    if (c == 'I') templates += 2;
    if ((c == 'R' || c == 'O') && (next == 'T' || next == 'S')) references += 2;
  }
  return templates && references > MAX_COPIES / templates;
}

/* Writes "this" before the first parameter, as newer versions of libiberty do. */
static void mark_explicit_object(struct buffer *out) {
  size_t at = out->size, depth = 0;
  for (bool opened = false; at > 0 && !opened; at--) {
    char c = out->data[at - 1];
    if (c == ')') depth++;
    if (c == '(' && depth) opened = --depth == 0;
  }
  size_t first = at + 1; /* position after the parenthesis that opens the parameters */
  if (!buffer_reserve(out, 5) || first >= out->size || out->data[first] == ')') return;
  memmove(out->data + first + 5, out->data + first, out->size - first);
  memcpy(out->data + first, "this ", 5);
  out->size += 5;
}

/* Demangles a name that ends with a NUL. May write to the memory of `name`. 'H' marks an explicit
 * object parameter (C++23). If libiberty does not know 'H', demangles the name without it. */
static bool full_form_of(char *name, size_t size, bool parameters, bool *is_rust,
                         struct buffer *out) {
  int options = parameters ? DMGL_PARAMS | DMGL_ANSI : DMGL_NO_OPTS;
  if (run_demangler(name, options, is_rust, out)) return true;
  if (strncmp(name, "_ZNH", 4) != 0) return false;
  memmove(name + 3, name + 4, size - 3);
  if (!run_demangler(name, options, is_rust, out)) return false;
  if (parameters) mark_explicit_object(out);
  return !out->failed;
}

static bool full_form(pprofc_str mangled, bool parameters, bool *is_rust, struct buffer *out) {
  if (memchr(mangled.data, '\0', mangled.size) || has_many_copies(mangled)) return false;
  struct buffer name = buffer_make(out->mem, MAX_MANGLED + 1);
  buffer_add_str(&name, mangled);
  buffer_add_char(&name, '\0');
  bool done = !name.failed && full_form_of(name.data, mangled.size, parameters, is_rust, out);
  out->failed |= name.failed;
  buffer_free(&name);
  return done;
}
#else
static bool full_form(pprofc_str mangled, bool parameters, bool *is_rust, struct buffer *out) {
  (void)mangled, (void)parameters, (void)is_rust, (void)out;
  return false;
}
#endif

/* ---- shortening the names of libiberty --------------- */

static void keep(struct buffer *out, size_t *to, char c) {
  out->data[(*to)++] = c;
}

/* Removes a suffix such as " [clone .part.1]", which marks a copy of a function, because pprof
 * shows one name for all copies. */
static void drop_clones(struct buffer *out) {
  size_t clone = str_find(buffer_str(out), STR(" [clone "));
  out->size = clone;
}

/* Operators that contain '<' or '>'. Longer operators come first. */
static const char *const operators[] = {"<=>", "<<=", ">>=", "->*", "<<", ">>",
                                        "<=",  ">=",  "->",  "<",   ">"};

/* True if the bracket at `at` is part of an operator such as operator<, operator<< or
 * operator->. */
static bool demangle_is_operator(pprofc_str s, size_t at) {
  for (size_t back = 0; back < 3 && at >= back + 8; back++) {
    size_t from = at - back;
    if (memcmp(s.data + from - 8, "operator", 8) != 0) continue;
    pprofc_str rest = str_from(s, from);
    for (size_t i = 0; i < COUNT(operators); i++)
      if (str_starts(rest, str_of(operators[i]))) return back < strlen(operators[i]);
  }
  return false;
}

static bool comes_after(pprofc_str s, size_t at, pprofc_str end) {
  return str_ends(str_slice(s, 0, at), end);
}

/* True if the character at `at` is not a bracket but part of "->" or of an operator's name. */
static bool is_no_bracket(pprofc_str s, size_t at) {
  char c = s.data[at];
  if (c == '>' && s.data[at - 1] == '-') return true;
  return (c == '<' || c == '>') && demangle_is_operator(s, at);
}

/* Returns the position of the ")" that closes the parenthesis at `at`, or the end. */
static size_t closing_parenthesis(pprofc_str s, size_t at) {
  size_t depth = 0;
  for (size_t i = at; i < s.size; i++) {
    if (s.data[i] == '(') depth++;
    if (s.data[i] == ')' && --depth == 0) return i;
  }
  return s.size;
}

/* Returns the position of the bracket that closes the bracket at `at`, or s.size. Within
 * parentheses, '>' is an operator. */
static size_t closing(pprofc_str s, size_t at, char open, char close) {
  size_t depth = 1;
  for (size_t i = at + 1; i < s.size; i++) {
    char c = s.data[i];
    if (open == '<' && c == '(') i = closing_parenthesis(s, i);
    if (i == s.size || is_no_bracket(s, i)) continue;
    if (c == open) depth++;
    if (c == close && --depth == 0) return i;
  }
  return s.size;
}

/* Returns the position of the digits if a template parameter of libiberty, such as "$T0" or "$N0",
 * begins at `at`. Returns at + 1 for other text. */
static size_t parameter_letters(pprofc_str s, size_t at) {
  size_t end = at + 1;
  if (s.data[at] != '$') return end;
  while (end < s.size && (s.data[end] == 'T' || s.data[end] == 'N')) end++;
  return end;
}

/* Renames the template parameters of a lambda. libiberty writes $T0, $T1; pprof writes $T, $T0. */
static void renumber_parameters(struct buffer *out) {
  pprofc_str s = buffer_str(out);
  size_t to = 0;
  for (size_t i = 0; i < s.size;) {
    size_t end = parameter_letters(s, i);
    size_t digits = end + str_run(str_from(s, end), char_is_digit);
    int64_t number;
    bool found = end > i + 1 && str_parse_int(str_slice(s, end, digits), 10, &number);
    while (i < end) keep(out, &to, s.data[i++]);
    if (!found) continue;
    char lower[24];
    int size = number > 0 ? snprintf(lower, sizeof lower, "%lld", (long long)number - 1) : 0;
    for (int k = 0; k < size; k++) keep(out, &to, lower[k]);
    i = digits;
  }
  out->size = to;
}

/* True if `at` is the second of two adjacent closing brackets of templates. */
static bool brackets_meet(pprofc_str s, size_t at) {
  if (at == 0 || s.data[at] != '>' || s.data[at - 1] != '>') return false;
  return !demangle_is_operator(s, at) && !demangle_is_operator(s, at - 1);
}

/* Inserts a blank between closing brackets, "> >". libiberty omits this blank after an empty
 * parameter pack. */
static void part_brackets(struct buffer *out) {
  size_t missing = 0;
  for (size_t i = 1; i < out->size; i++) missing += brackets_meet(buffer_str(out), i);
  if (!missing || !buffer_reserve(out, missing)) return;
  size_t to = out->size + missing;
  for (size_t i = out->size; i-- > 0 && to > i + 1;) {
    out->data[--to] = out->data[i];
    if (brackets_meet((pprofc_str){out->data, i + 1}, i)) out->data[--to] = ' ';
  }
  out->size += missing;
}

/* Removes template arguments: foo<int>::bar becomes foo::bar. Keeps the parameters of a lambda.
 * `out` must contain a copy of s; the result replaces the copy. */
static void drop_templates(pprofc_str s, struct buffer *out) {
  size_t to = 0;
  for (size_t i = 0; i < s.size; i++) {
    bool opens = s.data[i] == '<' && !demangle_is_operator(s, i);
    size_t end = opens ? closing(s, i, '<', '>') : s.size;
    bool of_lambda = comes_after(s, i, STR("{lambda"));
    for (; of_lambda && end < s.size && i < end; i++) keep(out, &to, s.data[i]);
    if (end == s.size || of_lambda) {
      keep(out, &to, s.data[i]);
      continue;
    }
    /* Remove the blank of "operator<< <int>". */
    if (i > 1 && s.data[i - 1] == ' ' && demangle_is_operator(s, i - 2)) to--;
    i = end;
  }
  out->size = to;
}

/* True if the bracket at `at` opens the parameters of a function. Returns false for "operator()"
 * and for a lambda. */
static bool opens_parameters(pprofc_str s, size_t at) {
  if (at == 0 || s.data[at - 1] == ':' || s.data[at - 1] == ' ') return false;
  return !comes_after(s, at, STR("operator")) && !comes_after(s, at, STR("{lambda"));
}

/* Removes the parameters of functions that enclose a local name: bar(int)::{lambda()#1} becomes
 * bar()::{lambda()#1}. `out` must contain a copy of s; the result replaces the copy. */
static void drop_enclosing_parameters(pprofc_str s, struct buffer *out) {
  size_t to = 0;
  for (size_t i = 0; i < s.size; i++) {
    keep(out, &to, s.data[i]);
    if (s.data[i] != '(' || !opens_parameters(s, i)) continue;
    size_t end = closing(s, i, '(', ')');
    pprofc_str after = str_from(s, end + 1);
    str_take(&after, STR(" const"));
    if (end == s.size || !str_starts(after, STR("::"))) continue;
    keep(out, &to, ')');
    i = end;
  }
  out->size = to;
}

/* Runs `drop` (drop_templates or drop_enclosing_parameters) on the name in `out`. Copies the name
 * first, because `drop` overwrites `out` while it reads the name. */
static void shorten_name(struct buffer *out, void (*drop)(pprofc_str, struct buffer *)) {
  struct buffer copy = buffer_make(out->mem, MAX_OUTPUT);
  buffer_add_str(&copy, buffer_str(out));
  out->failed |= copy.failed;
  if (!copy.failed) drop(buffer_str(&copy), out);
  buffer_free(&copy);
}

/* Demangles names such as _GLOBAL__I_name and _GLOBAL_.D_name. Returns false for any other name. */
static bool global_structor(pprofc_str name, enum demangle_mode mode, struct buffer *out) {
  if (!str_starts(name, STR("_GLOBAL_")) || name.size < 12) return false;
  char separator = name.data[8], kind = name.data[9];
  bool known = (separator == '_' || separator == '.' || separator == '$') && name.data[10] == '_';
  if (!known || (kind != 'I' && kind != 'D')) return false;
  pprofc_str rest = str_from(name, 11), what = str_from(name, 8);
  struct buffer inner = buffer_make(out->mem, MAX_OUTPUT);
  if (str_starts(rest, STR("_Z")) && demangle(rest, mode, &inner)) what = buffer_str(&inner);
  buffer_clear(out);
  buffer_printf(out, "global %s keyed to ", kind == 'I' ? "constructors" : "destructors");
  buffer_add_str(out, what);
  buffer_free(&inner);
  return true;
}

/* Removes the parts of libiberty's name that the mode does not show. */
static void shorten_cxx(enum demangle_mode mode, struct buffer *out) {
  if (str_find_char(buffer_str(out), '$') < out->size) renumber_parameters(out);
  part_brackets(out);
  if (mode == DEMANGLE_FULL) return;
  shorten_name(out, drop_enclosing_parameters);
  if (mode == DEMANGLE_DEFAULT) shorten_name(out, drop_templates);
}

bool demangle(pprofc_str mangled, enum demangle_mode mode, struct buffer *out) {
  if (mode == DEMANGLE_NONE) return false;
  if (global_structor(mangled, mode, out)) return !out->failed;
  if (mangled.size > MAX_MANGLED) return false;
  if (str_starts(mangled, STR("_R"))) {
    buffer_clear(out);
    return rust_v0_demangle(mangled, mode != DEMANGLE_DEFAULT, MAX_OUTPUT, out);
  }
  bool is_rust = false;
  if (!is_mangled(mangled) || !full_form(mangled, mode == DEMANGLE_FULL, &is_rust, out))
    return false;
  drop_clones(out);
  if (!is_rust) shorten_cxx(mode, out);
  return !out->failed;
}

/* ---- names that are not mangled ---------------------- */

/* Removes each pair of balanced brackets and the text in them from `out`. Stops at a closing
 * bracket that has no opening bracket. */
static void remove_groups(struct buffer *out, char open, char close) {
  size_t nesting = 0, first = 0, to = 0, i = 0;
  for (; i < out->size; i++) {
    char c = out->data[i];
    if (c == close && nesting == 0) break;
    if (c == open && nesting++ == 0) first = to;
    out->data[to++] = c;
    if (c == close && --nesting == 0) to = first;
  }
  memmove(out->data + to, out->data + i, out->size - i);
  out->size -= i - to;
}

static bool is_demangled(pprofc_str name) {
  bool cxx = false;
  for (size_t i = 0; i < name.size && !cxx; i++) {
    char c = name.data[i];
    cxx = c == '<' || c == '>' || c == '[' || c == ']' ||
          (c == ':' && i + 1 < name.size && name.data[i + 1] == ':');
  }
  return cxx && !str_contains(name, STR(".<")) && !str_contains(name, STR("])."));
}

void demangle_for_display(pprofc_str system_name, enum demangle_mode mode, struct buffer *out) {
  buffer_clear(out);
  bool changed = demangle(system_name, mode, out) && !str_equal(buffer_str(out), system_name);
  pprofc_str rest = system_name;
  if (!changed && str_take(&rest, STR("_")))
    changed = demangle(rest, mode, out) && !str_equal(buffer_str(out), rest);
  if (changed) return;
  buffer_clear(out);
  buffer_add_str(out, system_name);
  if (!is_demangled(system_name) || out->failed) return;
  if (mode == DEMANGLE_DEFAULT || mode == DEMANGLE_TEMPLATES) remove_groups(out, '(', ')');
  if (mode == DEMANGLE_DEFAULT) remove_groups(out, '<', '>');
}
