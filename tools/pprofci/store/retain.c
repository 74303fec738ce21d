/* Removes the runs that the retention rules do not keep, and unused objects (stored profiles). */
#include "store/store.h"

#define GRACE 86400 /* minimum age in seconds of a stored profile that may be removed */

static bool retain_add(struct retain *retain, pprofc_str rule) {
  size_t equals = str_find_last_char(rule, '=');
  pprofc_str branch = str_slice(rule, 0, equals);
  if (equals == rule.size || !branch.size) return false;
  retain->rules[retain->count].branch = branch;
  return times_parse_age(str_slice(rule, equals + 1, rule.size),
                         &retain->rules[retain->count++].age);
}

void retain_parse(struct retain *retain, const char *text, int64_t last) {
  pprofc_str rest = str_of(text), rule;
  *retain = (struct retain){.last = last > 0 ? (size_t)last : 0};
  if (last < 1) ci_fail("-keep-last must be at least 1");
  while (str_next(&rest, ',', &rule)) {
    if (retain->count == sizeof retain->rules / sizeof *retain->rules)
      ci_fail("-retain has more than %zu rules", retain->count);
    if (!retain_add(retain, str_trim(rule)))
      ci_fail("-retain: '%.*s' is not a rule (BRANCH=30d, BRANCH=12w, BRANCH=2y, BRANCH=all)",
              STR_ARG(rule));
  }
}

/* True if a retention rule drops the run. A run stays if no rule applies to its branch. */
static bool retain_is_old(const struct retain *retain, const struct past_run *run, int64_t now) {
  for (size_t i = 0; i < retain->count; i++)
    if (str_glob(retain->rules[i].branch, run->branch))
      return retain->rules[i].age != INT64_MAX && now - run->place.time > retain->rules[i].age;
  return false;
}

/* True if the commit of the run is one of the retain->last newest commits of the branch. */
static bool retain_is_last(const struct retain *retain, const struct past *past, size_t place) {
  const struct past_run *run = &past->runs[place];
  pprofc_str seen = run->place.commit;
  size_t after = 0;
  for (size_t i = place + 1; i < past->run_count && after < retain->last; i++) {
    const struct past_run *other = &past->runs[i];
    if (!str_equal(other->branch, run->branch) || str_equal(other->place.commit, seen)) continue;
    seen = other->place.commit;
    after++;
  }
  return after < retain->last;
}

static void retain_drop(struct backing *backing, const struct past_run *run, bool dry,
                        struct output *out) {
  output_add_text(out, dry ? "would remove " : "removed ");
  escape_line_to_output(out, str_of(run->key));
  output_add_text(out, " of ");
  escape_line_to_output(out, run->branch);
  output_add_char(out, '\n');
  if (!dry) backing->kind->remove(backing, run->key);
}

/* Checks that the store has runs, because an empty list would remove every stored profile, and is
 * more likely an error than an empty store. */
static void retain_check(const struct past *past, const struct backing *backing) {
  if (past->skipped)
    ci_fail("nothing is removed from '%s' while records in it are broken (pprofci fsck "
            "lists them)",
            backing->where);
  if (!past->run_count)
    ci_fail("nothing is removed from '%s': no run was listed in it", backing->where);
}

void upkeep_retain(struct backing *backing, const struct retain *retain, int64_t now, bool dry,
                   struct output *out, struct upkeep_counts *counts) {
  struct past past;
  past_init(&past);
  past_load(&past, backing);
  retain_check(&past, backing);
  for (size_t i = 0; i < past.run_count; i++) {
    const struct past_run *run = &past.runs[i];
    if (run->tag || !retain_is_old(retain, run, now) || retain_is_last(retain, &past, i)) continue;
    retain_drop(backing, run, dry, out);
    counts->runs++;
  }
  past_free(&past);
  upkeep_sweep(backing, now, dry, counts);
}

/* True if a listed file is at least GRACE seconds old. Lists a file outside of tmp/ again, because
 * another process may have written the file in the meantime. */
static bool sweep_is_old(struct backing *backing, const struct stored_key *key, int64_t now) {
  struct stored_keys keys;
  char parent[80];
  size_t slash = str_find_last_char(str_of(key->name), '/');
  bool upload = str_starts(str_of(key->name), STR("tmp/"));
  bool old = now - key->time >= GRACE;
  if (upload || !old) return old;
  if (slash >= sizeof parent) return false;
  memcpy(parent, key->name, slash);
  parent[slash] = '\0';
  backing_list(backing, parent, &keys);
  old = false;
  for (size_t i = 0; i < keys.count; i++)
    if (strcmp(keys.items[i].name, key->name) == 0) old = now - keys.items[i].time >= GRACE;
  stored_keys_free(&keys);
  return old;
}

static void sweep_one(struct backing *backing, const struct stored_key *key, int64_t now, bool dry,
                      size_t *count) {
  if (!sweep_is_old(backing, key, now)) return;
  ++*count;
  if (!dry) backing->kind->remove(backing, key->name);
}

/* Adds the keys of all stored profiles to which records refer. */
static void sweep_names(struct past *past, struct backing *backing, struct interner *names) {
  past_read(past, backing);
  retain_check(past, backing);
  past_name_objects(past, names);
}

void upkeep_sweep(struct backing *backing, int64_t now, bool dry, struct upkeep_counts *counts) {
  struct past past;
  struct interner names;
  struct stored_keys keys, left;
  past_init(&past);
  interner_init(&names, &ci_mem);
  /* List the stored profiles before the runs that refer to them. A profile that is stored later is
   * not in this list, so it stays. */
  backing_list(backing, "objects", &keys);
  if (keys.count) sweep_names(&past, backing, &names);
  for (size_t i = 0; i < keys.count; i++)
    if (interner_find(&names, str_of(keys.items[i].name)) == MAP_NONE)
      sweep_one(backing, &keys.items[i], now, dry, &counts->objects);
  stored_keys_free(&keys);
  backing_list(backing, "tmp", &left);
  for (size_t i = 0; i < left.count; i++)
    sweep_one(backing, &left.items[i], now, dry, &counts->left_over);
  stored_keys_free(&left);
  interner_free(&names);
  past_free(&past);
}
