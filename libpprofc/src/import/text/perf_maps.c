/* Reads the mapped files in the text of `perf script`. */
#include "import/text/perf_frames.h"

#define FORKS_MAX 16u   /* maximum number of ancestors to search if a process does not have maps */
#define FILE_MAX  4096u /* maximum length of a file name in perf_maps_probe */

void perf_maps_init(struct perf_maps *maps, const pprofc_allocator *mem) {
  *maps = (struct perf_maps){.mem = mem};
  arena_init(&maps->texts, mem);
  interner_init(&maps->files, mem);
}

void perf_maps_free(struct perf_maps *maps) {
  mem_free(maps->mem, maps->by_file, maps->count, sizeof *maps->by_file);
  mem_free(maps->mem, maps->probes, PERF_PROBES, sizeof *maps->probes);
  ARRAY_FREE(maps->mem, maps->items, maps->capacity);
  ARRAY_FREE(maps->mem, maps->forks, maps->fork_capacity);
  ARRAY_FREE(maps->mem, maps->build_ids, maps->build_id_capacity);
  interner_free(&maps->files);
  arena_free(&maps->texts);
}

/* ---- lines ------------------------------------------- */

/* Removes `head` and the number after it from the start of the line. The number must end at the
 * character `tail`, which stays in the line. */
static bool perf_maps_take_number(pprofc_str *line, pprofc_str head, char tail, int base,
                                  uint64_t *number) {
  pprofc_str rest = *line;
  if (!str_take(&rest, head)) return false;
  size_t end = str_find_char(rest, tail);
  if (end == rest.size || !str_parse_uint(str_slice(rest, 0, end), base, number)) return false;
  *line = str_from(rest, end);
  return true;
}

/* Parses an executable mapping:
 * "PERF_RECORD_MMAP2 18/18: [0x1000(0x2000) @ 0x1000 fe:00 10 33]: r-xp /bin/prog".
 * The offset may be "0", without "0x". A build id may replace the device and inode before ']'. */
static bool perf_maps_parse(pprofc_str line, struct perf_map *map) {
  static const pprofc_str record = {" PERF_RECORD_MMAP", sizeof " PERF_RECORD_MMAP" - 1};
  uint64_t pid, size;
  size_t at = str_find(line, record);
  if (at == line.size) return false;
  line = str_from(line, at + record.size);
  line = str_from(line, str_find_char(line, ' '));
  if (!perf_maps_take_number(&line, STR(" "), '/', 10, &pid)) return false;
  line = str_from(line, str_find_char(line, '['));
  if (!perf_maps_take_number(&line, STR("["), '(', 0, &map->start) ||
      !perf_maps_take_number(&line, STR("("), ')', 0, &size) ||
      !perf_maps_take_number(&line, STR(") @ "), ' ', 0, &map->offset))
    return false;
  line = str_from(line, str_find(line, STR("]: ")) + 3);
  map->pid = (int64_t)pid;
  map->limit = map->start + size;
  map->file = str_trim(str_from(line, str_find_char(line, ' ')));
  return str_find_char(str_slice(line, 0, 4), 'x') < 4 && map->limit > map->start && map->file.size;
}

static void perf_maps_add(struct perf_maps *maps, struct perf_map map) {
  map.order = maps->count;
  map.file = arena_str(&maps->texts, map.file);
  maps->failed |=
      !map.file.data || !ARRAY_RESERVE(maps->mem, maps->items, maps->capacity, maps->count + 1);
  if (!maps->failed) maps->items[maps->count++] = map;
}

/* Reads a fork: "PERF_RECORD_FORK(19:19):(18:18)". Ignores any other line. */
static void perf_maps_read_fork(struct perf_maps *maps, pprofc_str line) {
  static const pprofc_str record = {" PERF_RECORD_FORK", sizeof " PERF_RECORD_FORK" - 1};
  uint64_t child, parent;
  size_t at = str_find(line, record);
  if (at == line.size) return;
  line = str_from(line, at + record.size);
  if (!perf_maps_take_number(&line, STR("("), ':', 10, &child)) return;
  line = str_from(line, str_find(line, STR("):")) + 2);
  if (!perf_maps_take_number(&line, STR("("), ':', 10, &parent) || parent == child) return;
  struct perf_fork fork = {(int64_t)child, (int64_t)parent};
  maps->failed |= !ARRAY_PUSH(maps->mem, maps->forks, maps->fork_count, maps->fork_capacity, fork);
}

static void perf_maps_add_build_id(struct perf_maps *maps, pprofc_str line) {
  size_t blank = str_find_char(line, ' ');
  pprofc_str file = str_from(line, blank + 1);
  if (!file.size) return;
  pprofc_str id = arena_str(&maps->texts, str_slice(line, 0, blank));
  uint32_t index = interner_copy(&maps->files, &maps->texts, file);
  maps->failed |=
      !id.data || index == MAP_NONE ||
      !ARRAY_RESERVE(maps->mem, maps->build_ids, maps->build_id_capacity, maps->files.count);
  if (!maps->failed) maps->build_ids[index] = id;
}

void perf_maps_read_line(struct perf_maps *maps, pprofc_str line) {
  static const pprofc_str id = {"# build id: ", sizeof "# build id: " - 1};
  struct perf_map map;
  if (str_starts(line, id))
    perf_maps_add_build_id(maps, str_from(line, id.size));
  else if (line.size && line.data[0] != '#' && perf_maps_parse(line, &map))
    perf_maps_add(maps, map);
  else
    perf_maps_read_fork(maps, line);
}

void perf_maps_probe(struct perf_maps *maps, uint64_t address, pprofc_str file) {
  if (!maps->probes) maps->probes = mem_array(maps->mem, PERF_PROBES, sizeof *maps->probes);
  if (!maps->probes) maps->failed = true;
  if (maps->failed || maps->probe_count == PERF_PROBES || file.size > FILE_MAX) return;
  file = arena_str(&maps->texts, file);
  maps->failed = !file.data;
  maps->probes[maps->probe_count++] = (struct perf_probe){address, file};
}

/* ---- searching --------------------------------------- */

static int perf_maps_compare_place(const struct perf_map *map, int64_t pid, uint64_t start) {
  if (map->pid != pid) return map->pid < pid ? -1 : 1;
  return (map->start > start) - (map->start < start);
}

static int perf_maps_compare(const void *a, const void *b) {
  const struct perf_map *x = a, *y = b;
  int order = perf_maps_compare_place(x, y->pid, y->start);
  return order ? order : (x->order > y->order) - (x->order < y->order);
}

static int perf_maps_compare_forks(const void *a, const void *b) {
  const struct perf_fork *x = a, *y = b;
  return (x->child > y->child) - (x->child < y->child);
}

static int perf_maps_compare_offset(const struct perf_map *map, pprofc_str file, uint64_t offset) {
  int order = str_compare(map->file, file);
  return order ? order : (map->offset > offset) - (map->offset < offset);
}

static int perf_maps_compare_files(const void *a, const void *b) {
  const struct perf_map *x = a, *y = b;
  int order = perf_maps_compare_offset(x, y->file, y->offset);
  return order ? order : (x->order > y->order) - (x->order < y->order);
}

static uint64_t perf_maps_end(const struct perf_map *map) {
  return map->offset + (map->limit - map->start);
}

/* Sorts a copy of the maps by file and sets the field `longest` of each map. */
static void perf_maps_sort_files(struct perf_maps *maps) {
  maps->by_file = mem_array(maps->mem, maps->count, sizeof *maps->by_file);
  maps->failed |= !maps->by_file;
  if (!maps->by_file || !maps->count) return;
  memcpy(maps->by_file, maps->items, maps->count * sizeof *maps->by_file);
  qsort(maps->by_file, maps->count, sizeof *maps->by_file, perf_maps_compare_files);
  size_t longest = 0;
  for (size_t i = 0; i < maps->count; i++) {
    const struct perf_map *map = &maps->by_file[i], *last = &maps->by_file[longest];
    if (!str_equal(last->file, map->file) || perf_maps_end(map) > perf_maps_end(last)) longest = i;
    maps->by_file[i].longest = longest;
  }
}

/* Returns 1 if the address of a frame can only be an offset in its file, and -1 if it can only be
 * an address in memory. Returns 0 otherwise. */
static int perf_maps_try(const struct perf_maps *maps, const struct perf_probe *probe) {
  bool memory = false, offset = false;
  BISECT(at, maps->count, perf_maps_compare_offset(&maps->by_file[at], probe->file, 0) < 0);
  for (; at < maps->count && str_equal(maps->by_file[at].file, probe->file); at++) {
    const struct perf_map *map = &maps->by_file[at];
    memory |= probe->address >= map->start && probe->address < map->limit;
    offset |= probe->address >= map->offset && probe->address < perf_maps_end(map);
  }
  return offset - memory;
}

/* True if the addresses of frames are offsets in files. In a program that is not
 * position-independent, such as a Go program, a low address can be either. So the frames whose
 * addresses are not ambiguous decide for all frames. */
static bool perf_maps_has_offsets(const struct perf_maps *maps) {
  long sum = 0;
  for (size_t i = 0; i < maps->probe_count; i++) sum += perf_maps_try(maps, &maps->probes[i]);
  return sum > 0;
}

void perf_maps_sort(struct perf_maps *maps) {
  perf_maps_sort_files(maps);
  maps->offsets = !maps->failed && perf_maps_has_offsets(maps);
  if (maps->count) qsort(maps->items, maps->count, sizeof *maps->items, perf_maps_compare);
  if (maps->fork_count)
    qsort(maps->forks, maps->fork_count, sizeof *maps->forks, perf_maps_compare_forks);
}

/* Replaces a process by its parent. Returns false if the parent is unknown. */
static bool perf_maps_parent(const struct perf_maps *maps, int64_t *pid) {
  BISECT(at, maps->fork_count, maps->forks[at].child < *pid);
  if (at == maps->fork_count || maps->forks[at].child != *pid) return false;
  *pid = maps->forks[at].parent;
  return true;
}

/* Returns the last map of the process that begins at or below the address. Returns NULL if the map
 * does not contain the address or does not map `file`; an empty `file` matches any map. A process
 * without maps has the maps of its parent. */
static const struct perf_map *perf_maps_find(const struct perf_maps *maps, pprofc_str file,
                                             int64_t pid, uint64_t address) {
  for (unsigned level = 0; level < FORKS_MAX; level++) {
    BISECT(at, maps->count, perf_maps_compare_place(&maps->items[at], pid, address) <= 0);
    const struct perf_map *map = at ? &maps->items[at - 1] : NULL;
    if (map && map->pid == pid) {
      bool same = !file.size || str_equal(map->file, file);
      return address < map->limit && same ? map : NULL;
    }
    bool has_maps = at < maps->count && maps->items[at].pid == pid;
    if (has_maps || !perf_maps_parent(maps, &pid)) return NULL;
  }
  return NULL;
}

/* Returns a map of `file` whose range contains the offset, or NULL if no map does. */
static const struct perf_map *perf_maps_find_offset(const struct perf_maps *maps, pprofc_str file,
                                                    uint64_t offset) {
  if (!maps->by_file) return NULL;
  BISECT(at, maps->count, perf_maps_compare_offset(&maps->by_file[at], file, offset) <= 0);
  const struct perf_map *map = at ? &maps->by_file[at - 1] : NULL;
  if (!map || !str_equal(map->file, file)) return NULL;
  if (offset >= perf_maps_end(map)) map = &maps->by_file[map->longest];
  return offset < perf_maps_end(map) ? map : NULL;
}

/* Returns the map that contains an address. If `file` is not empty, the map must be of this file.
 * If the address is an offset in the file, the result is a range of offsets. If there is no such
 * map or range, the result has only the name `file`. */
static struct perf_map perf_maps_range(const struct perf_maps *maps, pprofc_str file, int64_t pid,
                                       uint64_t address) {
  const struct perf_map *offset = perf_maps_find_offset(maps, file, address), *map = NULL;
  if (!maps->offsets || !offset) map = perf_maps_find(maps, file, pid, address);
  if (map) return *map;
  struct perf_map range = {.file = file};
  if (offset) {
    range.start = range.offset = offset->offset;
    range.limit = perf_maps_end(offset);
  }
  return range;
}

uint32_t perf_maps_mapping(const struct perf_maps *maps, pprofc_builder *builder, pprofc_str file,
                           int64_t pid, uint64_t address) {
  struct perf_map range = perf_maps_range(maps, file, pid, address);
  if (!range.file.size) return NONE;
  struct mapping mapping = {.start = range.start,
                            .limit = range.limit,
                            .offset = range.offset,
                            .file = builder_string(builder, range.file)};
  uint32_t id = interner_find(&maps->files, range.file);
  if (id != MAP_NONE)
    mapping.build_id = builder_string(builder, maps->build_ids[id]);
  else if (file.size) /* the flag keeps pprofc from symbolizing the mapping */
    mapping.flags = PPROFC_HAS_FUNCTIONS;
  return builder_add_mapping(builder, &mapping);
}

/* Returns the oldest known ancestor of a process. Returns `pid` if the parent is unknown. */
static int64_t perf_maps_root(const struct perf_maps *maps, int64_t pid) {
  for (unsigned level = 0; level < FORKS_MAX && perf_maps_parent(maps, &pid); level++)
    ;
  return pid;
}

bool perf_maps_add_program(const struct perf_maps *maps, pprofc_builder *builder) {
  const struct perf_map *first = maps->items;
  if (!maps->count) return false;
  int64_t root = perf_maps_root(maps, first->pid);
  for (size_t i = 0; i < maps->count; i++) {
    if (perf_maps_root(maps, maps->items[i].pid) != root) return false;
    if (maps->items[i].order < first->order) first = &maps->items[i];
  }
  if (str_starts(first->file, STR("["))) return false;
  perf_maps_mapping(maps, builder, first->file, first->pid, first->offset);
  return true;
}
