/* Makes the printed names of nodes. Trims source paths (docs/spec/pprof.md, 17). */
#include "graph/names.h"

#include <stdio.h>

#define NUMBER_ROOM 24

/* Writes a number as ":123" and returns its length. */
static size_t names_put_number(int64_t value, char *out) {
  return (size_t)snprintf(out, NUMBER_ROOM, ":%lld", (long long)value);
}

/* Writes "file:line:column", or only the file, and returns its length. For a frame without a name
 * and a file, writes the object in brackets or "<unknown>". */
static size_t put_place(const struct node_place *place, pprofc_str name, pprofc_str file,
                        pprofc_str object, char *out) {
  size_t size = 0;
  if (place->line != 0 || file.size) {
    if (file.size) memcpy(out, file.data, file.size);
    size = file.size;
    if (place->line != 0) size += names_put_number(place->line, out + size);
    if (place->line != 0 && place->column != 0) size += names_put_number(place->column, out + size);
    return size;
  }
  if (name.size) return 0;
  if (!object.size) {
    memcpy(out, "<unknown>", 9);
    return 9;
  }
  pprofc_str base = str_path_base(object);
  out[size++] = '[';
  memcpy(out + size, base.data, base.size);
  size += base.size;
  out[size++] = ']';
  return size;
}

pprofc_str frame_name_of(const struct node_place *place, pprofc_str name, pprofc_str file,
                         pprofc_str object, pprofc_str joint, struct arena *arena) {
  /* 100 bytes are enough for an address, two numbers, brackets and separators. */
  char *text = arena_alloc(arena, name.size + file.size + object.size + 100);
  if (!text) return (pprofc_str){NULL, 0};
  size_t size = 0;
  if (place->address)
    size += (size_t)snprintf(text, NUMBER_ROOM, "%016llx", (unsigned long long)place->address);
  if (name.size) {
    if (size) {
      memcpy(text + size, joint.data, joint.size);
      size += joint.size;
    }
    memcpy(text + size, name.data, name.size);
    size += name.size;
  }
  size_t joint_size = size ? joint.size : 0;
  size_t place_size = put_place(place, name, file, object, text + size + joint_size);
  if (place_size) {
    memcpy(text + size, joint.data, joint_size);
    size += joint_size + place_size;
  }
  return (pprofc_str){text, size};
}

/* ---- source paths ------------------------------------ */

/* Returns the part of the path after a folder that has the same name as the last part of
 * `directory`. data is NULL if the path has no such folder. */
static pprofc_str after_directory(pprofc_str path, pprofc_str directory) {
  pprofc_str base = str_path_base(directory);
  for (size_t i = 0; i + base.size + 2 <= path.size; i++)
    if (path.data[i] == '/' && path.data[i + base.size + 1] == '/' &&
        memcmp(path.data + i + 1, base.data, base.size) == 0)
      return str_slice(path, i + base.size + 2, path.size);
  return (pprofc_str){NULL, 0};
}

/* Returns the part of the path after the prefix and a slash. data is NULL if the path begins
 * differently. */
static pprofc_str after_prefix(pprofc_str path, pprofc_str prefix) {
  if (!str_starts(path, prefix)) return (pprofc_str){NULL, 0};
  size_t size = prefix.size;
  if (!str_ends(prefix, STR("/"))) {
    if (size == path.size || path.data[size] != '/') return (pprofc_str){NULL, 0};
    size++;
  }
  return str_slice(path, size, path.size);
}

pprofc_str trim_source_path(pprofc_str path, const char *trim_path, const char *source_path) {
  bool trims = trim_path && *trim_path;
  pprofc_str rest, piece, found;
  if (!trims && source_path && *source_path) {
    rest = str_of(source_path);
    while (str_next(&rest, ':', &piece))
      if ((found = after_directory(path, piece)).data) return found;
  }
  rest = trims ? str_of(trim_path) : (pprofc_str){NULL, 0};
  while (str_next(&rest, ':', &piece))
    if ((found = after_prefix(path, piece)).data) return found;
  if ((found = after_prefix(path, STR("/proc/self/cwd/./"))).data) return found;
  if ((found = after_prefix(path, STR("/proc/self/cwd/"))).data) return found;
  return path;
}
