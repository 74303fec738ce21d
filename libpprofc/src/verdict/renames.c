/* Finds renamed functions by their names, callers and callees. Costs decide only if two pairs of
 * names have equal evidence. */
#include "verdict/relations.h"

#include <ctype.h>

/* ---- parts of names --------------------------------- */

/* The functions below split names of Go, C++, Rust, Java and script functions at "." and "::";
 * brackets may nest. */

static bool parts_is(pprofc_str s, size_t i, const char *wanted) {
  return i < s.size && strchr(wanted, s.data[i]) && s.data[i];
}

/* ---- generated parts --------------------------------- */

/* True if a compiler generated `tail`, the last part of a name, for a closure, copy or thunk.
 * Examples are "func1", "2", "cold", "{closure#0}" and "h0123456789abcdef". */
static bool parts_generated(pprofc_str tail) {
  size_t end = tail.size;
  if (parts_is(tail, 0, "{")) return true;
  if (tail.size == 17 && tail.data[0] == 'h') {
    size_t digits = 1;
    while (digits < 17 && isxdigit((unsigned char)tail.data[digits])) digits++;
    return digits == 17;
  }
  while (end && isdigit((unsigned char)tail.data[end - 1])) end--;
  if (!end) return tail.size > 0;
  return STR_ANY(str_equal, str_slice(tail, 0, end), "func", "gowrap", "deferwrap", "range", "part",
                 "constprop", "isra", "lto_priv", "llvm", "cold", "fm");
}

/* Returns the offset of the last separator, or the size of the name if there is no separator. The
 * caller checks if a compiler generated the text after the separator. */
static size_t parts_last_join(pprofc_str name) {
  for (size_t i = name.size; i-- > 1;) {
    if (parts_is(name, i, ")>]")) return name.size;
    if (parts_is(name, i, ".$-")) return i;
    if (name.data[i] == ':' && name.data[i - 1] == ':') return i - 1;
  }
  return name.size;
}

static pprofc_str parts_strip(pprofc_str name, bool *generated) {
  size_t clone = str_find(name, STR(" [clone"));
  *generated = clone < name.size;
  name = str_slice(name, 0, clone);
  if (str_ends(name, STR(" const"))) name = str_slice(name, 0, name.size - 6);
  for (;;) {
    size_t at = parts_last_join(name), from = at + (parts_is(name, at, ":") ? 2 : 1);
    if (!at || at == name.size || !parts_generated(str_slice(name, from, name.size))) return name;
    name = str_slice(name, 0, at);
    *generated = true;
  }
}

/* ---- separators -------------------------------------- */

struct parts_scan {
  size_t start; /* offset after the return type, where the name begins */
  size_t end;   /* offset of the arguments; without arguments, the size of the text */
  /* offset and width of the last separator before `end`, in bytes; 0 if there is no separator */
  size_t last, width;
};

/* True if the parenthesis at `i` belongs to a receiver, unnamed namespace or operator. Otherwise
 * the parenthesis begins the arguments. */
static bool parts_inside(pprofc_str name, size_t i, size_t start) {
  bool operator_call = i >= 8 && str_equal(str_slice(name, i - 8, i), STR("operator"));
  return i == start || parts_is(name, i - 1, ".:/ ") || operator_call;
}

/* Returns the width in bytes of the separator at `i`, or 0 if no separator is there. */
static size_t parts_join(pprofc_str name, size_t i) {
  if (parts_is(name, i, ".#")) return 1;
  return parts_is(name, i, ":") && parts_is(name, i + 1, ":") ? 2 : 0;
}

/* Returns the number of open brackets after the byte at `i`. The ">" of an arrow "->" is not a
 * bracket. */
static size_t parts_depth(pprofc_str name, size_t i, size_t depth) {
  if (parts_is(name, i, "<[{(")) return depth + 1;
  bool arrow = parts_is(name, i, ">") && i && parts_is(name, i - 1, "-=");
  return depth && !arrow && parts_is(name, i, ">]})") ? depth - 1 : depth;
}

/* Updates the scan (struct parts_scan) with the byte at `i`. The byte must be outside of
 * brackets. */
static void parts_note(pprofc_str name, size_t i, struct parts_scan *s) {
  size_t join = i == s->start ? 0 : parts_join(name, i);
  if (name.data[i] == ' ') *s = (struct parts_scan){i + 1, name.size, 0, 0};
  if (name.data[i] == '/') s->last = s->width = 0;
  if (name.data[i] == '(' && !parts_inside(name, i, s->start)) s->end = i;
  if (!join || s->last + s->width > i) return;
  s->last = i;
  s->width = join;
}

static struct parts_scan parts_scan_of(pprofc_str name) {
  struct parts_scan s = {0, name.size, 0, 0};
  size_t depth = 0;
  for (size_t i = 0; i < name.size && s.end == name.size; i++) {
    if (!depth) parts_note(name, i, &s);
    depth = parts_depth(name, i, depth);
  }
  return s;
}

/* ---- types ------------------------------------------- */

/* Returns the offset of the last part of an owner (a name without its function): the offset of
 * "(*Writer)" in "old/enc.(*Writer)". */
static size_t parts_tail(pprofc_str owner) {
  struct parts_scan s = parts_scan_of(owner);
  return s.last ? s.last + s.width : s.start;
}

/* True if an owner (a name without its function) is a type, not a package. The last part of a type
 * ends with a bracket or begins with a capital letter. */
static bool parts_is_type(pprofc_str owner, size_t tail) {
  pprofc_str last = str_slice(owner, tail, owner.size);
  if (!last.size || str_starts(last, STR("(anonymous")) || str_starts(last, STR("{"))) return false;
  return parts_is(last, last.size - 1, ")>]") || isupper((unsigned char)last.data[0]);
}

struct name_parts name_split(pprofc_str name) {
  struct name_parts parts = {STR(""), STR(""), name, false};
  name = parts_strip(name, &parts.generated);
  struct parts_scan s = parts_scan_of(name);
  parts.last = str_slice(name, s.last ? s.last + s.width : s.start, s.end);
  if (!s.last) return parts;
  pprofc_str owner = str_slice(name, s.start, s.last);
  size_t tail = parts_tail(owner);
  parts.package = owner;
  if (!parts_is_type(owner, tail)) return parts;
  parts.type = owner;
  size_t end = tail > 1 && owner.data[tail - 1] == ':' ? tail - 2 : tail - (tail > 0);
  parts.package = str_slice(owner, 0, end);
  return parts;
}

uint64_t name_type_key(const struct name_parts *parts) {
  size_t tail = parts_tail(parts->type);
  pprofc_str last = str_slice(parts->type, tail, parts->type.size);
  if (!parts->type.size) return 0;
  if (str_starts(last, STR("(*"))) last = str_slice(last, 2, last.size - 1);
  return (hash_str(parts->package) * 31 + hash_str(last)) | 1;
}

/* ---- similar names ----------------------------------- */

/* Minimum share of the longer name that two similar names must have in common. */
#define SIMILAR_SHARE 0.5

pprofc_str name_package(pprofc_str name) {
  size_t slash = 0, end = 0;
  for (size_t i = 0; i < name.size; i++)
    if (name.data[i] == '/') slash = i + 1;
  for (size_t i = slash; i < name.size && name.data[i] != '(' && name.data[i] != '<'; i++) {
    if (name.data[i] == ':' && i && name.data[i - 1] == ':') end = i - 1;
    if (name.data[i] == '.' && !end) end = i;
  }
  return str_slice(name, 0, end);
}

static bool names_of_runtime(pprofc_str package) {
  return str_equal(package, STR("runtime")) || str_starts(package, STR("runtime/"));
}

bool names_replaceable(pprofc_str a, pprofc_str b) {
  return names_of_runtime(name_package(a)) == names_of_runtime(name_package(b));
}

bool names_similar(pprofc_str a, pprofc_str b) {
  pprofc_str of_a = name_package(a), of_b = name_package(b);
  if (!names_replaceable(a, b)) return false;
  if (of_a.size && str_equal(of_a, of_b)) return true;
  size_t least = a.size < b.size ? a.size : b.size, most = a.size + b.size - least;
  size_t start = 0, end = 0;
  while (start < least && a.data[start] == b.data[start]) start++;
  while (start + end < least && a.data[a.size - 1 - end] == b.data[b.size - 1 - end]) end++;
  return (double)(start + end) >= SIMILAR_SHARE * (double)most;
}

/* Scores of two names. SCORE_LAST is added for equal last parts, and SCORE_LOCAL for names that are
 * equal without their packages. Callers and callees together add at most 2. */
#define SCORE_LAST  4.0
#define SCORE_LOCAL 2.0
/* Minimum score of two names with different last parts. Two names reach it only if their callers
 * and callees are nearly equal. */
#define SCORE_SETS 1.5
/* Minimum lead of a certain pair of names: its score minus the score of any other pair that has one
 * of its two names. */
#define SCORE_MARGIN 0.2

struct rename {
  double score, rest; /* score: evidence that both names belong to one function; rest: absolute
                         value of the sum of their changes */
  uint32_t gone, made;
};

struct rename_list {
  struct relations *r;
  float *scores; /* score for each pair of an old and a new name; 0 without evidence */
  struct rename *items;
  size_t count, capacity;
};

static int rename_order(const void *a, const void *b) {
  const struct rename *x = a, *y = b;
  if (x->score != y->score) return x->score > y->score ? -1 : 1;
  if (x->rest != y->rest) return x->rest < y->rest ? -1 : 1;
  if (x->gone != y->gone) return x->gone < y->gone ? -1 : 1;
  return (x->made > y->made) - (x->made < y->made);
}

/* Returns the name without its package: "(*Writer).flush". */
static pprofc_str rename_local(const struct candidate *c) {
  const char *from =
      c->parts.type.size ? c->parts.type.data + c->parts.package.size : c->parts.last.data;
  return (pprofc_str){from, (size_t)(c->parts.last.data + c->parts.last.size - from)};
}

/* Returns a score of the evidence that a vanished name and a new name belong to one function.
 * Returns 0 without evidence. */
static double rename_score(const struct relations *r, uint32_t gone, uint32_t made) {
  const struct candidate *a = &r->candidates[gone], *b = &r->candidates[made];
  bool callers = relations_share_caller(r, gone, made);
  double score = sketch_overlap(&a->callers, &b->callers);
  if (callers) score = 1;
  double callees = sketch_overlap(&a->callees, &b->callees);
  if (a->parts.last.size && str_equal(a->parts.last, b->parts.last)) {
    if (a->parts.generated != b->parts.generated) return 0;
    bool local = str_equal(rename_local(a), rename_local(b));
    return score + callees + SCORE_LAST + (local ? SCORE_LOCAL : 0);
  }
  pprofc_str x = relations_row(r, gone)->name, y = relations_row(r, made)->name;
  if (!callers || !names_similar(x, y)) return 0;
  score += callees;
  return score >= SCORE_SETS ? score : 0;
}

static bool renames_fill(struct rename_list *list) {
  const struct relations *r = list->r;
  for (uint32_t i = 0; i < r->count; i++) {
    if (relations_row(r, i)->flat.head != 0) continue;
    for (uint32_t j = 0; j < r->count; j++) {
      if (relations_row(r, j)->flat.base != 0) continue;
      double score = rename_score(r, i, j);
      if (!(score > 0)) continue;
      double rest = fabs(relations_own(r, i)->delta + relations_own(r, j)->delta);
      if (!ARRAY_RESERVE(r->c->mem, list->items, list->capacity, list->count + 1)) return false;
      list->items[list->count++] = (struct rename){score, rest, i, j};
      list->scores[i * r->count + j] = (float)score;
    }
  }
  if (list->count) qsort(list->items, list->count, sizeof *list->items, rename_order);
  return true;
}

/* True if one of the two names has nearly the same score with a third name that has no partner yet,
 * so that the score does not decide which name is the partner. */
static bool rename_is_ambiguous(const struct rename_list *list, const struct rename *it) {
  const struct relations *r = list->r;
  float least = (float)(it->score - SCORE_MARGIN);
  for (uint32_t i = 0; i < r->count; i++) {
    if (r->candidates[i].partner != MAP_NONE) continue;
    if (i != it->made && list->scores[it->gone * r->count + i] > least) return true;
    if (i != it->gone && list->scores[i * r->count + it->made] > least) return true;
  }
  return false;
}

static void renames_pair(const struct rename_list *list) {
  for (size_t i = 0; i < list->count; i++) {
    const struct rename *it = &list->items[i];
    struct candidate *gone = &list->r->candidates[it->gone];
    struct candidate *made = &list->r->candidates[it->made];
    if (gone->partner != MAP_NONE || made->partner != MAP_NONE) continue;
    if (rename_is_ambiguous(list, it)) continue;
    gone->partner = it->made;
    made->partner = it->gone;
  }
}

bool renames_match(struct relations *r) {
  struct rename_list list = {.r = r};
  size_t cells = (size_t)r->count * r->count;
  list.scores = mem_zero_array(r->c->mem, cells, sizeof *list.scores);
  bool done = list.scores && renames_fill(&list);
  if (done) renames_pair(&list);
  mem_free(r->c->mem, list.scores, cells, sizeof *list.scores);
  ARRAY_FREE(r->c->mem, list.items, list.capacity);
  return done;
}
