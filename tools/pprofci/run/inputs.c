/* Finds the pairs of profiles: files with equal names in two folders, paths given by -pair, or the
 * bundled profiles. In a folder given by -pair, each profile is a run. */
#include "noise/noise.h"
#include "run/files.h"
#include "run/profiles.h"

/* Adds an unreadable profile to run->unread. The run continues without it, and fails at the end. */
static void note_unread(struct ci_run *run, const char *path, const pprofc_error *error) {
  message_error("pprofci: %s", error->message);
  buffer_printf(&run->unread, "%s\n", error->message);
  (void)ARRAY_PUSH_IN(&run->arena, run->unread_names, run->unread_count, run->unread_capacity,
                      str_path_base(str_of(path)));
}

/* True if the file is a readable profile. Reports an unreadable file as an error if it looks like a
 * profile, or if the folder `other` (if not "") has a profile of this name. Else prints a note. */
static bool is_profile(struct ci_run *run, const char *path, const char *other) {
  pprofc_error ignored;
  pprofc_str name = str_path_base(str_of(path));
  pprofc_status status = source_check(path, &ci_error);
  if (status == PPROFC_OK) return true;
  if (status == PPROFC_E_NOMEM) ci_need(status);
  const char *partner = text_printf(&run->arena, "%s/%.*s", other, STR_ARG(name));
  if (!source_may_be_other(path, "", &ci_error) ||
      (*other && file_is_regular(partner) && source_check(partner, &ignored) == PPROFC_OK))
    note_unread(run, path, &ci_error);
  else
    message_note("pprofci: skipped '%s': not a profile", path);
  return false;
}

static int several_by_name(const struct dirent **a, const struct dirent **b) {
  return runs_order((*a)->d_name, (*b)->d_name);
}

static void several_entry(struct ci_run *run, const char *folder, const char *name,
                          struct run_pair *pair, int side) {
  const char *path = text_printf(&run->arena, "%s/%s", folder, name);
  if (name[0] == '.' || !file_is_regular(path)) return;
  if (is_profile(run, path, "")) pair->runs[side][pair->run_count[side]++] = path;
}

/* Makes each profile of a folder one run of base or head. */
static void several_list(struct ci_run *run, const char *folder, struct run_pair *pair, int side) {
  const char *const *names = files_list(run, folder, several_by_name);
  size_t count = 0;
  while (names[count]) count++;
  pair->run_count[side] = 0;
  pair->runs[side] = arena_array(&run->arena, count, sizeof *pair->runs[side]);
  for (size_t i = 0; i < count; i++) several_entry(run, folder, names[i], pair, side);
  if (!pair->run_count[side]) ci_fail("no profiles in '%s'", folder);
}

/* Adds a pair of profiles from two paths. In a folder, each profile is a run. */
static void several_add(struct ci_run *run, const char *base, const char *head) {
  const char *const given[SIDES] = {base, head};
  struct run_pair *pair = run_add_pair(run, base, head);
  for (int side = 0; side < SIDES; side++) {
    if (!file_is_folder(given[side])) continue;
    char *stem = text_keep(&run->arena, str_of(given[side]));
    text_trim_slashes(stem); /* the artifacts are named after the last element of the path */
    pair->stems[side] = stem;
    several_list(run, pair->stems[side], pair, side);
  }
}

static void several_copy(struct ci_run *run, const struct run_pair *pair, int side) {
  struct arena *arena = &run->arena;
  const char *folder = text_printf(arena, "%s/ci/%s/%s", run->stage, pair->kept, side_names[side]);
  ci_need(files_need_folder(folder, &ci_error));
  for (size_t i = 0; i < pair->run_count[side]; i++) {
    pprofc_str name = str_path_base(str_of(pair->runs[side][i]));
    const char *to = text_printf(arena, "%s/%s/%.*s", pair->kept, side_names[side], STR_ARG(name));
    files_put_copy(run, pair->runs[side][i], to);
  }
  if (!pair->printed[side].size) return;
  const char *results = text_printf(arena, "%s/%s.txt", pair->kept, side_names[side]);
  files_put(run, false, results, pair->printed[side]);
}

void several_keep(struct ci_run *run, struct run_pair *pair, const char *name) {
  bool several = pair->run_count[SIDE_BASE] > 1 || pair->run_count[SIDE_HEAD] > 1;
  if (!several && !pair->benchmark) return;
  pair->kept = run_take_name(run, text_printf(&run->arena, "runs/%s", name));
  for (int side = 0; side < SIDES; side++)
    if (pair->run_count[side]) several_copy(run, pair, side);
}

struct listed_profile {
  const char *path, *key; /* `key` is the file name without process ids and times */
  bool paired;
};

struct profile_list {
  struct listed_profile *items;
  size_t count, capacity;
};

static size_t key_skip_digits(pprofc_str name, size_t at, const char *others) {
  while (at < name.size &&
         (char_is_digit(name.data[at]) || (name.data[at] && strchr(others, name.data[at]))))
    at++;
  return at;
}

/* Returns a name without process ids and times: "callgrind.out" for "callgrind.out.100", and
 * "CPU.cpuprofile" for "CPU.2026.1.cpuprofile". */
static const char *profile_key(struct ci_run *run, const char *path) {
  static const char *const before[] = {"callgrind.out.", "cachegrind.out."};
  static const struct {
    const char *begin, *end;
  } node[] = {{"CPU.", ".cpuprofile"}, {"Heap.", ".heapprofile"}};
  pprofc_str name = str_path_base(str_of(path));
  for (size_t i = 0; i < 2; i++) {
    pprofc_str begin = str_of(before[i]);
    size_t end = key_skip_digits(name, begin.size, "");
    if (str_starts(name, begin) && end > begin.size)
      return text_printf(&run->arena, "%.*s%.*s", (int)begin.size - 1, begin.data,
                         STR_ARG(str_slice(name, end, name.size)));
    pprofc_str first = str_of(node[i].begin), last = str_of(node[i].end);
    if (str_starts(name, first) && str_ends(name, last) &&
        key_skip_digits(name, first.size, ".") + last.size >= name.size + 1)
      return text_printf(&run->arena, "%.*s%s", (int)first.size - 1, first.data, node[i].end);
  }
  return text_keep(&run->arena, name);
}

/* Returns the number of profiles with this key (profile_key). Sets *last to the index of the last
 * of these profiles. */
static size_t key_times(const struct profile_list *list, const char *key, size_t *last) {
  size_t times = 0;
  for (size_t i = 0; i < list->count; i++)
    if (strcmp(list->items[i].key, key) == 0) {
      *last = i;
      times++;
    }
  return times;
}

static int by_bytes(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

static void list_entry(struct ci_run *run, const char *folder, const char *name, const char *other,
                       struct profile_list *list) {
  const char *path = text_printf(&run->arena, "%s/%s", folder, name);
  if (!file_is_regular(path) || files_are_same(path, run->bench[SIDE_BASE]) ||
      files_are_same(path, run->bench[SIDE_HEAD]))
    return;
  if (is_profile(run, path, other))
    (void)ARRAY_PUSH_IN(&run->arena, list->items, list->count, list->capacity,
                        (struct listed_profile){path, profile_key(run, path), false});
}

static void list_profiles(struct ci_run *run, const char *folder, const char *other,
                          struct profile_list *list) {
  const char *const *names = files_list(run, folder, by_bytes);
  while (*names) list_entry(run, folder, *names++, other, list);
}

static void check_profiles(const char *folder, const struct profile_list *list, size_t folders) {
  if (*folder && !list->count && !folders) ci_fail("no profiles in '%s'", folder);
}

/* Returns the index of the base's profile that matches a profile of the head, or SIZE_MAX. Profiles
 * with the same name match. Profiles with the same key (profile_key) also match, if no other
 * profile of base or head has this key. */
static size_t partner_of(const struct profile_list *base, const struct profile_list *head,
                         size_t index) {
  pprofc_str name = str_path_base(str_of(head->items[index].path));
  size_t found = SIZE_MAX, ignored;
  for (size_t i = 0; i < base->count; i++)
    if (str_equal(name, str_path_base(str_of(base->items[i].path)))) return i;
  if (key_times(base, head->items[index].key, &found) == 1 &&
      key_times(head, head->items[index].key, &ignored) == 1)
    return found;
  return SIZE_MAX;
}

static void pair_lists(struct ci_run *run, struct profile_list *base,
                       const struct profile_list *head) {
  for (size_t i = 0; i < head->count; i++) {
    size_t partner = partner_of(base, head, i);
    if (partner != SIZE_MAX) base->items[partner].paired = true;
    run_add_pair(run, partner == SIZE_MAX ? NULL : base->items[partner].path, head->items[i].path);
  }
  for (size_t i = 0; i < base->count; i++)
    if (!base->items[i].paired) run_add_pair(run, base->items[i].path, NULL);
}

/* Adds a pair of profiles from the subfolder `name` of the folders `base` and `head`, with a run
 * for each file. Ignores a subfolder that one of these folders lacks. */
static void pair_subfolder(struct ci_run *run, const char *base, const char *head, const char *name,
                           size_t *found) {
  const char *paths[SIDES] = {text_printf(&run->arena, "%s/%s", base, name),
                              text_printf(&run->arena, "%s/%s", head, name)};
  if (name[0] == '.' || !file_is_folder(paths[SIDE_BASE]) || !file_is_folder(paths[SIDE_HEAD]))
    return;
  *found += 1;
  several_add(run, paths[SIDE_BASE], paths[SIDE_HEAD]);
}

static void pair_subfolders(struct ci_run *run, const char *base, const char *head, size_t *found) {
  *found = 0;
  if (!*base) return;
  const char *const *names = files_list(run, head, by_bytes);
  while (*names) pair_subfolder(run, base, head, *names++, found);
}

static void pair_folders(struct ci_run *run, const char *base, const char *head) {
  struct profile_list lists[SIDES] = {{NULL, 0, 0}, {NULL, 0, 0}};
  size_t folders;
  pair_subfolders(run, base, head, &folders);
  if (*base) list_profiles(run, base, head, &lists[SIDE_BASE]);
  list_profiles(run, head, base, &lists[SIDE_HEAD]);
  for (int side = 0; side < SIDES; side++)
    check_profiles(side == SIDE_BASE ? base : head, &lists[side], folders);
  pair_lists(run, &lists[SIDE_BASE], &lists[SIDE_HEAD]);
}

static void pair_bundled(struct ci_run *run) {
  static const char *const pairs[][SIDES] = {
      {"generator_cpu.prof", "generator_optimized_cpu.prof"},
      {"generator_mem.prof", "generator_optimized_mem.prof"}};
  static const char *const results[SIDES] = {"bench_original.txt", "bench_optimized.txt"};
  const char *folder = run->options->bundled;
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    const char *base = text_printf(&run->arena, "%s/%s", folder, pairs[i][SIDE_BASE]);
    const char *head = text_printf(&run->arena, "%s/%s", folder, pairs[i][SIDE_HEAD]);
    run_add_pair(run, base, head);
  }
  for (int side = 0; side < SIDES; side++)
    run->bench[side] = text_printf(&run->arena, "%s/%s", folder, results[side]);
}

static void pair_named(struct ci_run *run) {
  const struct run_options *o = run->options;
  for (size_t i = 0; i < o->pair_count; i++) {
    const char *base = text_path(&run->arena, o->pair_bases[i]);
    const char *head = text_path(&run->arena, o->pair_heads[i]);
    several_add(run, base, head);
  }
}

static void check_readable(const char *path) {
  if (run_has(path) && access(path, R_OK) != 0)
    ci_fail("cannot read '%s': %s", path, ERRNO_TEXT(errno));
}

static void inputs_check(const struct ci_run *run) {
  for (size_t i = 0; i < run->pair_count; i++)
    for (int side = 0; side < SIDES; side++)
      for (size_t k = 0; k < run->pairs[i].run_count[side]; k++)
        check_readable(run->pairs[i].runs[side][k]);
  for (int side = 0; side < SIDES; side++) check_readable(run->bench[side]);
}

/* Puts "./" before a path that begins with '-'. Checks that the folders of base and head exist. */
static void settle_paths(struct ci_run *run, const char **folders) {
  for (int side = 0; side < SIDES; side++) {
    folders[side] = text_path(&run->arena, folders[side]);
    run->bench[side] = text_path(&run->arena, run->bench[side]);
    if (*folders[side] && !file_is_folder(folders[side]))
      ci_fail("'%s' is not a folder", folders[side]);
  }
}

void pair_inputs(struct ci_run *run) {
  const struct run_options *o = run->options;
  const char *folders[SIDES] = {o->base, o->head};
  settle_paths(run, folders);
  if (o->is_bundled) pair_bundled(run);
  pair_named(run);
  if (*folders[SIDE_HEAD]) pair_folders(run, folders[SIDE_BASE], folders[SIDE_HEAD]);
  for (size_t i = 0; *o->program_head && i < run->pair_count; i++) {
    run->pairs[i].programs[SIDE_BASE] = o->program_base;
    run->pairs[i].programs[SIDE_HEAD] = o->program_head;
  }
  inputs_check(run);
}
