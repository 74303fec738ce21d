/* Reads stacks that bpftrace and DTrace print: the frames of a stack, leaf first, then a count.
 *
 * bpftrace prints the entries of a map (a table of its script) as "@name[KEYS]: COUNT". A key is a
 * stack, with one frame in each line, or another value such as a command. With -f json each map is
 * a line of JSON: an object whose keys are the texts KEYS. Each map becomes a sample type. DTrace
 * prints the lines of a stack, then a line with its count. */
#include "core/json_tree.h"
#include "import/reader.h"

#define PROBE_TYPES   16u /* maximum number of maps, and so of sample types */
#define PROBE_LINES   64u /* maximum number of functions of a frame, including inlined functions */
#define PROBE_SNIFFED 4000u /* maximum number of lines read to recognise text of DTrace */

struct probe_stacks {
  pprofc_builder *builder;
  struct arena *arena;
  pprofc_str types[PROBE_TYPES]; /* names of maps */
  size_t type_count;
  uint32_t *frames; /* stack of the current entry, leaf first */
  size_t depth, room;
  pprofc_str *keys; /* keys of the current entry that are not stacks */
  size_t key_count, key_room;
  uint64_t samples, bad, no_stack, more_types;
  uint64_t lost; /* number of events that bpftrace lost */
  bool gap;      /* true after an empty line of DTrace's text */
  unsigned more; /* number of stacks of the current entry after its first stack */
};

/* ---- frames ------------------------------------------ */

/* Returns "name" for "name+12" or "name+0x1f". */
static pprofc_str probe_name(pprofc_str text) {
  size_t plus = str_find_last_char(text, '+');
  pprofc_str offset = str_from(text, plus + 1);
  uint64_t number;
  bool is_offset = offset.size && char_is_digit(offset.data[0]) &&
                   str_parse_uint(offset, str_starts(offset, STR("0x")) ? 0 : 10, &number);
  return plus && is_offset ? str_slice(text, 0, plus) : text;
}

/* Writes the lines of a frame and returns their number. The symbol of a Java frame also names the
 * functions inlined into it: "name->inlined". */
static size_t probe_lines(struct probe_stacks *p, pprofc_str symbol, pprofc_line *lines) {
  pprofc_str inlined;
  size_t count = 0;
  while (count < PROBE_LINES - 1 && jit_take_inlined(&symbol, &inlined))
    lines[count++] = (pprofc_line){import_function(p->builder, inlined, 0), 0, 0};
  lines[count++] = (pprofc_line){import_function(p->builder, symbol, 0), 0, 0};
  return count;
}

/* Adds a frame: "name+1", "module`name+0x1", "7f12 name+1 (object)" or "0x7f12". */
static void probe_add_frame(struct probe_stacks *p, pprofc_str text) {
  pprofc_str object = STR("");
  size_t tick = str_find_char(text, '`'), open = str_find(text, STR(" ("));
  uint64_t address = 0;
  if (tick < text.size) {
    object = str_slice(text, 0, tick);
    text = str_from(text, tick + 1);
  } else if (open < text.size && str_ends(text, STR(")"))) {
    object = str_slice(text, open + 2, text.size - 1);
    text = str_slice(text, 0, open);
    size_t blank = str_find_char(text, ' ');
    if (blank < text.size && str_parse_uint(str_slice(text, 0, blank), 16, &address))
      text = str_from(text, blank + 1);
  }
  uint32_t of = import_object(p->builder, object);
  pprofc_line lines[PROBE_LINES];
  size_t count = probe_lines(p, probe_name(text), lines);
  uint32_t location = pprofc_builder_location(p->builder, of, 0, lines, count);
  import_need(p->builder, ARRAY_PUSH_IN(p->arena, p->frames, p->depth, p->room, location));
}

/* Adds keys that are not stacks: "bash, 12". */
static void probe_add_keys(struct probe_stacks *p, pprofc_str text) {
  pprofc_str key;
  while (text.size && str_next(&text, ',', &key)) {
    key = str_trim(key);
    if (key.size)
      import_need(p->builder, ARRAY_PUSH_IN(p->arena, p->keys, p->key_count, p->key_room, key));
  }
}

/* ---- samples ----------------------------------------- */

/* Returns the index of the sample type of a map; PROBE_TYPES if there are too many maps. */
static size_t probe_type(struct probe_stacks *p, pprofc_str name) {
  size_t i = 0;
  if (!name.size) name = STR("samples");
  while (i < p->type_count && !str_equal(p->types[i], name)) i++;
  if (i < p->type_count || i == PROBE_TYPES) return i;
  p->types[p->type_count++] = name;
  builder_add_late_type(p->builder, name, STR("count"));
  return i;
}

/* Adds the sample of an entry, and begins the next entry. */
static void probe_end(struct probe_stacks *p, pprofc_str map, pprofc_str count) {
  int64_t values[PROBE_TYPES] = {0}, value;
  size_t type = PROBE_TYPES;
  if (!str_parse_int(str_trim(count), 10, &value))
    p->bad++;
  else if (!p->depth)
    p->no_stack++;
  else if ((type = probe_type(p, map)) == PROBE_TYPES)
    p->more_types++;
  if (type < PROBE_TYPES) {
    values[type] = value;
    pprofc_builder_sample(p->builder, p->frames, p->depth, values);
    for (size_t i = 0; i < p->key_count; i++) import_label(p->builder, "key", p->keys[i]);
    p->samples++;
  }
  p->depth = p->key_count = 0;
}

/* Reads the keys of an entry. The first line, and lines that begin with a comma, are keys that are
 * not stacks. Each other line is a frame. */
static void probe_read_keys(struct probe_stacks *p, pprofc_str text) {
  pprofc_str line;
  bool first = true;
  while (str_next_line(&text, &line) && builder_ok(p->builder)) {
    pprofc_str inner = str_trim(line);
    if (first || str_starts(inner, STR(",")))
      probe_add_keys(p, inner);
    else if (inner.size)
      probe_add_frame(p, inner);
    first = false;
  }
}

/* ---- bpftrace ---------------------------------------- */

/* Removes "@name[" from the start of the text and sets *name. Returns false if the text begins
 * differently. */
static bool probe_map_head(pprofc_str *text, pprofc_str *name) {
  if (!str_starts(*text, STR("@"))) return false;
  size_t end = 1;
  while (end < text->size && !strchr("[: \n", text->data[end])) end++;
  if (end == text->size || text->data[end] != '[') return false;
  *name = str_slice(*text, 1, end);
  *text = str_from(*text, end + 1);
  return true;
}

/* Reads the next entry of a map: keys, up to a line with "]: COUNT". */
static void probe_read_entry(struct probe_stacks *p, pprofc_str *text, pprofc_str name) {
  const char *start = text->data;
  pprofc_str line;
  while (str_next_line(text, &line)) {
    size_t close = str_find(line, STR("]: "));
    if (close == line.size && line.size && line.data[0] == '@') break;
    if (close == line.size) continue;
    probe_read_keys(p, (pprofc_str){start, (size_t)(line.data + close - start)});
    probe_end(p, name, str_from(line, close + 3));
    return;
  }
  p->bad++;
}

/* Reads a map in JSON: {"KEYS": COUNT}. A map without keys is a number. */
static void probe_read_map(struct probe_stacks *p, const struct node *map) {
  if (!node_is(map, NODE_OBJECT)) p->no_stack++;
  for (const struct node *entry = node_is(map, NODE_OBJECT) ? map->first : NULL; entry;
       entry = entry->next) {
    probe_read_keys(p, entry->key);
    probe_end(p, str_from(map->key, 1), node_is(entry, NODE_NUMBER) ? entry->text : STR(""));
  }
}

/* Reads a line of JSON: {"type": "map", "data": {"@name": {"KEYS": COUNT}}}. */
static void probe_read_json(struct probe_stacks *p, pprofc_str line) {
  struct node *root = NULL;
  if (json_tree_parse(p->arena, NULL, line, &root, NULL) != PPROFC_OK) {
    p->bad++;
    return;
  }
  const struct node *data = node_get(root, "data");
  pprofc_str type = node_text(root, "type");
  int64_t lost;
  if (str_equal(type, STR("map")) && node_is(data, NODE_OBJECT))
    for (const struct node *map = data->first; map; map = map->next) probe_read_map(p, map);
  else if (str_equal(type, STR("lost_events")) && node_to_integer(node_get(data, "events"), &lost))
    p->lost += lost > 0 ? (uint64_t)lost : 0;
  else
    p->bad += !str_equal(type, STR("attached_probes"));
}

/* Reads a line outside of an entry: "Lost 12 events", "@name: 4" or text that a program printed. */
static void probe_read_other(struct probe_stacks *p, pprofc_str line) {
  pprofc_str number = str_slice(line, strlen("Lost "), str_find(line, STR(" events")));
  uint64_t lost;
  if (str_starts(line, STR("Lost ")) && str_parse_uint(number, 10, &lost))
    p->lost += lost;
  else if (str_starts(line, STR("@")))
    p->no_stack++;
  else
    p->bad += str_trim(line).size && !str_starts(line, STR("Attach"));
}

static void probe_read_entries(struct probe_stacks *p, pprofc_str text) {
  pprofc_str name, line;
  while (text.size && builder_ok(p->builder)) {
    if (probe_map_head(&text, &name)) {
      probe_read_entry(p, &text, name);
    } else if (str_next_line(&text, &line) && str_starts(line, STR("{"))) {
      probe_read_json(p, line);
    } else {
      probe_read_other(p, line);
    }
  }
}

bool import_is_bpftrace(pprofc_str text) {
  pprofc_str line, name;
  bool begins = false;
  for (unsigned i = 0; i < 100 && text.size && !begins; i++) {
    pprofc_str rest = text;
    if (probe_map_head(&rest, &name)) begins = str_contains(rest, STR("]: "));
    if (!str_next_line(&text, &line)) break;
    begins |= str_starts(line, STR("{\"type\": \"map\", \"data\": {\"@")) ||
              str_starts(line, STR("{\"type\":\"map\",\"data\":{\"@"));
  }
  return begins;
}

/* ---- DTrace ------------------------------------------ */

static bool probe_is_count(pprofc_str text) {
  uint64_t count;
  return str_parse_uint(text, 10, &count);
}

/* True if a stack with a frame of DTrace, "module`name+0x1", is followed by a count. */
bool import_is_dtrace(pprofc_str text) {
  pprofc_str line;
  bool stack = false;
  for (unsigned i = 0; i < PROBE_SNIFFED && str_next_line(&text, &line); i++) {
    pprofc_str inner = str_trim(line);
    bool indented = line.size && (line.data[0] == ' ' || line.data[0] == '\t');
    if (stack && indented && probe_is_count(inner)) return true;
    stack = indented && (stack || str_find_char(inner, '`') < inner.size) &&
            str_find_char(inner, ';') == inner.size;
  }
  return false;
}

static bool probe_is_frame(pprofc_str text) {
  return str_find_char(text, '`') < text.size || str_starts(text, STR("0x"));
}

/* Drops the current entry, because its count is missing. */
static void probe_drop(struct probe_stacks *p) {
  if (p->depth) p->bad += 1 + p->more;
  p->depth = p->key_count = 0;
  p->more = 0;
}

/* Handles an empty line in DTrace's text, which may separate the kernel's stack from the program's
 * stack. The reader joins these two stacks. An entry has at most two stacks. */
static void probe_dtrace_gap(struct probe_stacks *p) {
  if (!p->depth || p->gap) probe_drop(p);
  p->gap = true;
}

/* Handles the first line after an empty line, if an entry is open. A frame begins the entry's
 * second stack. Drops the entry if the line is neither a frame nor a count, or if a third stack
 * begins. */
static void probe_dtrace_resume(struct probe_stacks *p, pprofc_str text) {
  p->gap = false;
  if (!p->depth || probe_is_count(text)) return;
  if (p->more || !probe_is_frame(text))
    probe_drop(p);
  else
    p->more = 1;
}

/* Reads a line of DTrace's text, without its leading and trailing blanks. An indented line before
 * the first frame of a stack is a key. */
static void probe_dtrace_line(struct probe_stacks *p, pprofc_str text, bool indented) {
  if (p->gap) probe_dtrace_resume(p, text);
  if (!p->depth) p->more = 0;
  if (p->depth && probe_is_count(text))
    probe_end(p, STR(""), text);
  else if (p->depth || (indented && probe_is_frame(text)))
    probe_add_frame(p, text);
  else if (indented && !p->key_count)
    probe_add_keys(p, text);
}

static void probe_read_stacks(struct probe_stacks *p, pprofc_str text) {
  pprofc_str line;
  while (str_next_line(&text, &line) && builder_ok(p->builder))
    if (!str_trim(line).size)
      probe_dtrace_gap(p);
    else
      probe_dtrace_line(p, str_trim(line), strchr(" \t", line.data[0]));
  probe_drop(p);
}

/* ---- the text ---------------------------------------- */

static void probe_account(struct probe_stacks *p) {
  if (!p->type_count) probe_type(p, STR(""));
  const struct import_loss losses[] = {
      {p->bad, "entry could not be read", "entries could not be read"},
      {p->no_stack, "entry has no stack", "entries have no stack"},
      {p->lost, "event was lost while it was recorded",
       "events were lost while they were recorded"},
      {p->more_types, "entry is of a map after the 16th", "entries are of maps after the 16th"},
      {0}};
  import_account(p->builder, p->samples, "entries", losses);
}

IMPORT_READER(import_bpftrace) {
  struct probe_stacks p = {.builder = builder, .arena = arena};
  probe_read_entries(&p, data);
  probe_account(&p);
}

IMPORT_READER(import_dtrace) {
  struct probe_stacks p = {.builder = builder, .arena = arena};
  probe_read_stacks(&p, data);
  probe_account(&p);
}
