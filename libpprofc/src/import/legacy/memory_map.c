/* Reads memory maps at the end of old profiles: lines of /proc/PID/maps, and shorter lines
 * (docs/spec/pprof.md, 5.8).
 *
 * Go's pprof uses two regular expressions, which match a prefix of the line. This file parses the
 * line step by step, and must find the same match. */
#include "import/legacy/legacy.h"

/* Maximum number of variables, and maximum length in bytes of a line in which variables are
 * replaced. */
#define MAX_VARIABLES     1024
#define MAX_EXPANDED_LINE ((size_t)1 << 20)

struct variable {
  pprofc_str name, value; /* name of the variable, with its '$', and its value */
};

struct map_reader {
  struct legacy *l;
  struct variable variables[MAX_VARIABLES];
  size_t variable_count;
  struct buffer expanded;
};

/* Fields of one line of a memory map; missing fields are empty. */
struct entry {
  pprofc_str start, end, permissions, offset, file, build_id;
};

/* ---- one line ---------------------------------------- */

static bool is_permission(char c) {
  return c == '-' || c == 'r' || c == 'w' || c == 'x' || c == 'p';
}
static bool is_dark(char c) {
  return !char_is_blank(c);
}

static void skip_white(pprofc_str *s) {
  *s = str_from(*s, str_run(*s, char_is_blank));
}

/* Removes a hexadecimal number, with or without "0x", from the start of *s. */
static bool take_hex(pprofc_str *s, pprofc_str *digits) {
  pprofc_str tail = *s;
  if (str_take(&tail, STR("0x")) && str_take_run(&tail, char_is_hex, digits)) {
    *s = tail;
    return true;
  }
  return str_take_run(s, char_is_hex, digits);
}

/* Removes "start-end" from the start of *s. If `split` is true, there is only one number: its last
 * digit is the end, and the other digits are the start, as in pprof's regular expression. */
static bool take_range(pprofc_str *s, bool split, struct entry *entry) {
  pprofc_str rest = *s;
  skip_white(&rest);
  if (!take_hex(&rest, &entry->start)) return false;
  if (split) {
    if (entry->start.size < 2) return false;
    entry->start.size--;
    rest = (pprofc_str){rest.data - 1, rest.size + 1};
  } else if (rest.size && (rest.data[0] == '-' || char_is_blank(rest.data[0]))) {
    rest = str_from(rest, 1);
    skip_white(&rest);
  }
  if (!take_hex(&rest, &entry->end)) return false;
  str_take(&rest, STR(":"));
  *s = rest;
  return true;
}

/* Parses "00400000-0048a000 r-xp 00000000 fd:03 960637 /bin/program". The line must have a device
 * and an inode. */
static bool parse_proc_maps(pprofc_str line, bool split, struct entry *entry) {
  *entry = (struct entry){0};
  if (!take_range(&line, split, entry)) return false;
  pprofc_str before = line, major, minor, inode;
  if (text_take_spaced_run(&line, is_permission, &entry->permissions) && line.size &&
      !char_is_blank(line.data[0])) {
    line = before;
    entry->permissions = STR("");
  }
  before = line;
  if (text_take_spaced_run(&line, char_is_hex, &entry->offset) && line.size &&
      !char_is_blank(line.data[0])) {
    line = before;
    entry->offset = STR("");
  }
  if (!text_take_spaced_run(&line, char_is_hex, &major) || !str_take(&line, STR(":")) ||
      !str_take_run(&line, char_is_hex, &minor) ||
      !text_take_spaced_run(&line, char_is_digit, &inode))
    return false;
  text_take_spaced_run(&line, is_dark, &entry->file);
  return true;
}

/* Removes " (@ff00)" from the start of *s, if it is there. */
static void take_offset(pprofc_str *s, pprofc_str *offset) {
  pprofc_str rest = *s, digits;
  skip_white(&rest);
  if (rest.size == s->size || !str_take(&rest, STR("(@")) ||
      !str_take_run(&rest, char_is_hex, &digits) || !str_take(&rest, STR(")")))
    return;
  *offset = digits;
  *s = rest;
}

/* Parses "40000-80000: /bin/program (@ff00) abc123456". Only the range is required. */
static bool parse_brief_maps(pprofc_str line, bool split, struct entry *entry) {
  *entry = (struct entry){0};
  if (!take_range(&line, split, entry)) return false;
  text_take_spaced_run(&line, is_permission, &entry->permissions);
  text_take_spaced_run(&line, is_dark, &entry->file);
  take_offset(&line, &entry->offset);
  text_take_spaced_run(&line, char_is_hex, &entry->build_id);
  return true;
}

/* Removes the prefix of a log line, such as "I0102 03:04:05 file.cc:123] ": text without brackets,
 * and then ":digits] ". */
static pprofc_str without_logging_prefix(pprofc_str line) {
  size_t close = str_find_char(line, ']');
  if (close + 1 >= line.size || str_find_char(line, '[') < close ||
      !char_is_blank(line.data[close + 1]))
    return line;
  size_t colon = close - str_last_run(str_slice(line, 0, close), char_is_digit);
  if (colon == close || colon < 2 || line.data[colon - 1] != ':') return line;
  return str_from(line, close + 2);
}

/* ---- variables --------------------------------------- */

static const struct variable *variable_at(const struct map_reader *r, pprofc_str s) {
  for (size_t i = 0; i < r->variable_count; i++)
    if (str_starts(s, r->variables[i].name)) return &r->variables[i];
  return NULL;
}

/* Replaces "$name" by the variable's value. The result is valid until the next call. */
static pprofc_str memory_map_expand(struct map_reader *r, pprofc_str line) {
  if (!r->variable_count || str_find_char(line, '$') == line.size) return line;
  buffer_clear(&r->expanded);
  while (line.size) {
    size_t plain = str_find_char(line, '$');
    buffer_add_str(&r->expanded, str_slice(line, 0, plain));
    line = str_from(line, plain);
    if (!line.size) break;
    const struct variable *variable = variable_at(r, line);
    buffer_add_str(&r->expanded, variable ? variable->value : str_slice(line, 0, 1));
    line = str_from(line, variable ? variable->name.size : 1);
  }
  return buffer_str(&r->expanded);
}

/* Defines the variable $name from "name = value". Returns false when out of memory. */
static bool define(struct map_reader *r, pprofc_str line) {
  size_t equals = str_find_char(line, '=');
  if (equals == line.size || r->variable_count == MAX_VARIABLES) return true;
  pprofc_str name = str_trim(str_slice(line, 0, equals));
  pprofc_str value = str_trim(str_from(line, equals + 1));
  char *copy = arena_alloc(r->l->arena, name.size + 1);
  if (!copy) return false;
  copy[0] = '$';
  if (name.size) memcpy(copy + 1, name.data, name.size);
  value = arena_str(r->l->arena, value);
  r->variables[r->variable_count++] = (struct variable){(pprofc_str){copy, name.size + 1}, value};
  return value.data != NULL;
}

/* ---- the whole map ----------------------------------- */

static bool add_mapping(struct legacy *l, const struct entry *entry) {
  struct legacy_mapping mapping = {.offset = 0};
  if (!str_parse_uint(entry->start, 16, &mapping.start) ||
      !str_parse_uint(entry->end, 16, &mapping.limit) ||
      (entry->offset.size && !str_parse_uint(entry->offset, 16, &mapping.offset)))
    return false;
  /* Copy the strings, because they may be in r->expanded, which the next line overwrites. */
  mapping.file = arena_str(l->arena, entry->file);
  mapping.build_id = arena_str(l->arena, entry->build_id);
  import_need(l->builder,
              mapping.file.data && mapping.build_id.data &&
                  ARRAY_PUSH(l->mem, l->mappings, l->mapping_count, l->mapping_room, mapping));
  return true;
}

static void memory_map_read_line(struct map_reader *r, pprofc_str line) {
  line = memory_map_expand(r, without_logging_prefix(line));
  if (r->expanded.failed) {
    import_refuse(r->l->builder, PPROFC_E_LIMIT,
                  "memory map line grows by its variables to more than %zu bytes",
                  MAX_EXPANDED_LINE);
    return;
  }
  struct entry entry;
  bool known = parse_proc_maps(line, false, &entry) || parse_proc_maps(line, true, &entry) ||
               parse_brief_maps(line, false, &entry) || parse_brief_maps(line, true, &entry);
  if (known && entry.permissions.size &&
      str_find_char(entry.permissions, 'x') == entry.permissions.size)
    return; /* ignore a mapping that is not code */
  if (!known || !add_mapping(r->l, &entry)) import_need(r->l->builder, define(r, line));
}

static bool alike(pprofc_str a, pprofc_str b) {
  return !a.size || !b.size || str_equal(a, b);
}

/* True if mapping b continues mapping a, in memory and in the file. */
static bool adjacent(const struct legacy_mapping *a, const struct legacy_mapping *b) {
  return a->limit == b->start && alike(a->file, b->file) && alike(a->build_id, b->build_id) &&
         (!a->offset || !b->offset || a->offset + (a->limit - a->start) == b->offset);
}

static void merge_adjacent(struct legacy *l) {
  struct legacy_mapping *m = l->mappings;
  size_t kept = l->mapping_count ? 1 : 0;
  for (size_t i = 1; i < l->mapping_count; i++) {
    struct legacy_mapping *last = &m[kept - 1];
    if (!adjacent(last, &m[i])) {
      m[kept++] = m[i];
      continue;
    }
    last->limit = m[i].limit;
    if (m[i].file.size) last->file = m[i].file;
    if (m[i].build_id.size) last->build_id = m[i].build_id;
  }
  l->mapping_count = kept;
}

/* True if a file may be the main program. `text` is a buffer for a copy of the name. */
static bool is_main(pprofc_str file, struct buffer *text) {
  buffer_clear(text);
  while (file.size) {
    size_t at = str_find(file, STR("(deleted)"));
    buffer_add_str(text, str_slice(file, 0, at));
    file = str_from(file, at + STR("(deleted)").size);
  }
  pprofc_str name = str_trim(buffer_str(text));
  return name.size && name.data[0] != '[' && !import_is_library(name);
}

/* Swaps the first mapping with the first mapping that may be the main program. */
static void guess_main(struct legacy *l, struct buffer *text) {
  struct legacy_mapping *m = l->mappings;
  for (size_t i = 0; i < l->mapping_count; i++)
    if (is_main(m[i].file, text)) {
      struct legacy_mapping first = m[0];
      m[0] = m[i];
      m[i] = first;
      return;
    }
}

void legacy_read_memory_map(struct legacy *l) {
  struct map_reader *r = arena_array(l->arena, 1, sizeof *r);
  if (!import_need(l->builder, r != NULL)) return;
  r->l = l;
  r->variable_count = 0;
  buffer_init(&r->expanded, l->mem, MAX_EXPANDED_LINE);
  while (legacy_next_line(l)) memory_map_read_line(r, l->line);
  merge_adjacent(l);
  guess_main(l, &r->expanded);
  import_need(l->builder, !r->expanded.failed);
  buffer_free(&r->expanded);
  legacy_place_locations(l);
}

bool legacy_is_memory_map_head(pprofc_str line) {
  return str_contains(line, STR("--- Memory map: ---")) ||
         str_contains(line, STR("MAPPED_LIBRARIES:"));
}

void legacy_read_sections(struct legacy *l) {
  while (!legacy_is_memory_map_head(l->line) && legacy_next_line(l))
    ;
  if (builder_ok(l->builder)) legacy_read_memory_map(l);
}
