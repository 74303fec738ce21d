/* Finds a name for a set of functions between which cost may have moved. */
#include "verdict/relations.h"

static const struct candidate *set_member(const struct relations *r, const struct domain_set *set,
                                          size_t at) {
  return &r->candidates[set->members[at]];
}

/* Returns the index of the member that calls all other functions of the set, or MAP_NONE. */
static uint32_t set_caller(const struct relations *r, const struct domain_set *set) {
  for (size_t i = 0; i < set->member_count; i++) {
    size_t called = 0;
    for (size_t k = 0; k < set->member_count; k++)
      called += k != i && relations_calls(r, set->members[i], set->members[k]);
    if (called + 1 == set->member_count) return set->members[i];
  }
  return MAP_NONE;
}

static bool set_has_type(const struct relations *r, const struct domain_set *set) {
  for (size_t i = 0; i < set->member_count; i++)
    if (set_member(r, set, i)->type != set_member(r, set, 0)->type) return false;
  return set_member(r, set, 0)->type != 0;
}

static bool set_has_package(const struct relations *r, const struct domain_set *set) {
  for (size_t i = 0; i < set->member_count; i++)
    if (!str_equal(set_member(r, set, i)->parts.package, set_member(r, set, 0)->parts.package))
      return false;
  return set_member(r, set, 0)->parts.package.size > 0;
}

static bool set_has_file(const struct relations *r, const struct domain_set *set) {
  for (size_t i = 0; i < set->member_count; i++)
    if (!str_equal(set_member(r, set, i)->file, set_member(r, set, 0)->file)) return false;
  return set_member(r, set, 0)->file.size > 0;
}

/* Returns the first function of the set that only base has. Returns NULL if base and head share a
 * function of the set, or if the set has fewer than two common callers that both base and head
 * have. */
static const struct candidate *set_replaced(const struct relations *r,
                                            const struct domain_set *set) {
  const struct candidate *gone = NULL;
  int callers = 0;
  for (size_t i = 0; i < set->member_count; i++) {
    if (!relations_one_sided(r, set->members[i])) return NULL;
    if (!gone && relations_row(r, set->members[i])->flat.head == 0) gone = set_member(r, set, i);
  }
  for (size_t i = 0; i < r->words; i++) {
    uint64_t common = r->known[i];
    for (size_t k = 0; k < set->member_count; k++)
      common &= r->callers[set->members[k] * r->words + i];
    callers += __builtin_popcountll(common);
  }
  return callers > 1 ? gone : NULL;
}

/* Returns the name of a function that calls all functions in the set, or MAP_NONE. */
static uint32_t set_common_caller(const struct relations *r, const struct domain_set *set) {
  for (uint32_t name = 0; name < r->names; name++) {
    size_t called = 0;
    while (called < set->member_count && relations_has_caller(r, set->members[called], name))
      called++;
    if (called == set->member_count) return name;
  }
  return MAP_NONE;
}

static void set_name_as(struct domain_set *set, pprofc_verdict_domain_kind kind, pprofc_str name) {
  set->kind = kind;
  set->name = name;
}

/* Names a set of renamed functions, with the old name first. If the set has one renamed function,
 * uses its two names. Otherwise uses the names of the two packages. */
static void set_name_renamed(const struct relations *r, struct domain_set *set) {
  const struct candidate *gone = set_member(r, set, 0), *made = set_member(r, set, 1);
  bool swap = relations_row(r, set->members[0])->flat.head != 0;
  if (swap) {
    uint32_t first = set->members[0];
    set->members[0] = set->members[1];
    set->members[1] = first;
    gone = set_member(r, set, 0);
    made = set_member(r, set, 1);
  }
  bool several = set->member_count > 2;
  set->kind = PPROFC_DOMAIN_RENAMED;
  set->name = several ? gone->parts.package : r->c->row[gone->row].name;
  set->renamed = several ? made->parts.package : r->c->row[made->row].name;
}

/* True if the set consists of renamed functions: pairs of an old and a new name. */
static bool set_is_renamed(const struct relations *r, const struct domain_set *set) {
  for (size_t i = 0; i + 1 < set->member_count; i += 2)
    if (set_member(r, set, i)->partner != set->members[i + 1]) return false;
  return set->member_count % 2 == 0;
}

void domain_set_name(const struct relations *r, struct domain_set *set) {
  uint32_t caller = set_caller(r, set), common;
  const struct candidate *first = set_member(r, set, 0), *gone = set_replaced(r, set);
  if (set_is_renamed(r, set))
    set_name_renamed(r, set);
  else if (caller != MAP_NONE)
    set_name_as(set, PPROFC_DOMAIN_CALLER, relations_row(r, caller)->name);
  else if (set_has_type(r, set))
    set_name_as(set, PPROFC_DOMAIN_TYPE, first->parts.type);
  else if (set_has_package(r, set))
    set_name_as(set, PPROFC_DOMAIN_PACKAGE, first->parts.package);
  else if (set_has_file(r, set))
    set_name_as(set, PPROFC_DOMAIN_FILE, first->file);
  else if (gone)
    set_name_as(set, PPROFC_DOMAIN_PACKAGE,
                gone->parts.package.size ? gone->parts.package : r->c->row[gone->row].name);
  else if ((common = set_common_caller(r, set)) != MAP_NONE)
    set_name_as(set, PPROFC_DOMAIN_CALLER, r->c->names.texts.items[common]);
  else
    set_name_as(set, PPROFC_DOMAIN_CALLER, r->c->row[first->row].name);
}
