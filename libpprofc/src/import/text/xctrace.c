/* Reads tables of samples that `xctrace export` writes as XML: Instruments' time profile and CPU
 * profile. An element may have an id; a later element with a `ref` to this id repeats the
 * element. */
#include "import/reader.h"

/* An element with an id. Later elements refer to the id instead of repeating the content. */
struct xctrace_known {
  uint64_t id;
  pprofc_str text;      /* attribute `fmt` of a thread or process, or the text of a path */
  int64_t weight;       /* number in a weight element */
  uint32_t item;        /* location of a frame, or mapping of a binary */
  const uint8_t *stack; /* packed stack of a backtrace (builder_stack) */
  uint32_t size;        /* size of `stack` in bytes */
  size_t depth;         /* number of frames of `stack` */
};

struct xctrace {
  pprofc_builder *builder;
  struct arena *arena;
  pprofc_str text;       /* text before the current tag */
  struct buffer decoded; /* text with its entities replaced */
  struct xctrace_known *known;
  size_t known_count, known_room;
  struct map by_id;
  uint32_t *frames;
  size_t frame_count, frame_room;
  /* Data of the open elements: frame, backtrace, and weight or path. */
  struct xctrace_known frame, trace, value;
  pprofc_str name, file; /* name and file of the open frame */
  uint32_t mapping;
  int64_t line;
  struct xctrace_known row; /* backtrace of the current row */
  int64_t weight;
  pprofc_str thread, process;
  bool is_cycles, has_type, in_frame, in_trace;
  uint64_t rows, no_stack, no_weight;
};

/* A tag: its name, and its attributes, in which entities are not yet replaced. */
struct xctrace_tag {
  pprofc_str name, attributes;
  bool closes; /* true for </name> */
  bool empty;  /* true for <name/> */
};

/* ---- XML --------------------------------------------- */

/* Appends the character that an XML entity stands for. `name` is the entity without its '&' and
 * ';'. */
static void xctrace_entity(struct buffer *out, pprofc_str name) {
  static const struct {
    pprofc_str name;
    char c;
  } entities[] = {{{"lt", 2}, '<'},
                  {{"gt", 2}, '>'},
                  {{"amp", 3}, '&'},
                  {{"quot", 4}, '"'},
                  {{"apos", 4}, '\''}};
  uint64_t code;
  for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
    if (str_equal(name, entities[i].name)) buffer_add_char(out, entities[i].c);
  if (!str_starts(name, STR("#"))) return;
  bool known = str_starts(name, STR("#x")) ? str_parse_uint(str_from(name, 2), 16, &code)
                                           : str_parse_uint(str_from(name, 1), 10, &code);
  bool plain = known && code >= ' ' && code < 0x7F;
  buffer_add_char(out, plain ? (char)code : '?');
}

/* Returns the text with its entities replaced. Copies the text only if it has entities. */
static pprofc_str xctrace_text(struct xctrace *x, pprofc_str text) {
  size_t at = str_find_char(text, '&');
  if (at == text.size) return text;
  buffer_clear(&x->decoded);
  while (at < text.size) {
    buffer_add_str(&x->decoded, str_slice(text, 0, at));
    text = str_from(text, at + 1);
    size_t end = str_find_char(str_slice(text, 0, 12), ';');
    bool is_entity = end < text.size && end < 12;
    if (is_entity) xctrace_entity(&x->decoded, str_slice(text, 0, end));
    text = str_from(text, is_entity ? end + 1 : 0);
    at = str_find_char(text, '&');
  }
  buffer_add_str(&x->decoded, text);
  pprofc_str copy = buffer_keep(&x->decoded, x->arena);
  return import_need(x->builder, copy.data != NULL) ? copy : STR("");
}

/* Returns the value of an attribute, in which entities are not yet replaced. Returns "" if the tag
 * does not have the attribute. */
static pprofc_str xctrace_raw(const struct xctrace_tag *tag, pprofc_str name) {
  pprofc_str rest = tag->attributes;
  while ((rest = str_trim(rest)).size) {
    size_t equals = str_find_char(rest, '='), open = equals + 1;
    if (open >= rest.size || (rest.data[open] != '"' && rest.data[open] != '\'')) break;
    pprofc_str value = str_from(rest, open + 1);
    size_t end = str_find_char(value, rest.data[open]);
    if (str_equal(str_trim(str_slice(rest, 0, equals)), name)) return str_slice(value, 0, end);
    rest = str_from(value, end + 1);
  }
  return STR("");
}

static pprofc_str xctrace_attribute(struct xctrace *x, const struct xctrace_tag *tag,
                                    pprofc_str name) {
  return xctrace_text(x, xctrace_raw(tag, name));
}

/* Sets *text to the text before the next tag, and *tag to this tag. Removes both from *rest.
 * Returns false at the end. */
static bool xctrace_next(pprofc_str *rest, pprofc_str *text, struct xctrace_tag *tag) {
  size_t open = str_find_char(*rest, '<');
  pprofc_str inside = str_from(*rest, open + 1);
  size_t close = str_find_char(inside, '>');
  if (open == rest->size || close == inside.size) return false;
  *text = str_slice(*rest, 0, open);
  *rest = str_from(inside, close + 1);
  inside = str_slice(inside, 0, close);
  *tag = (struct xctrace_tag){.closes = str_starts(inside, STR("/")),
                              .empty = str_ends(inside, STR("/"))};
  inside = str_slice(inside, tag->closes, inside.size - (tag->empty && inside.size));
  size_t end = 0;
  while (end < inside.size && (unsigned char)inside.data[end] > ' ') end++;
  tag->name = str_slice(inside, 0, end);
  tag->attributes = str_from(inside, end);
  return true;
}

/* ---- elements that are repeated ---------------------- */

static bool xctrace_number(const struct xctrace_tag *tag, pprofc_str name, uint64_t *number) {
  return str_parse_uint(xctrace_raw(tag, name), 10, number);
}

/* Returns the element that a tag repeats, or NULL. */
static const struct xctrace_known *xctrace_ref(const struct xctrace *x,
                                               const struct xctrace_tag *tag) {
  uint64_t id;
  if (!xctrace_number(tag, STR("ref"), &id)) return NULL;
  MAP_FIND(at, &x->by_id, hash_mix(0, id), x->known[at].id == id);
  return at == MAP_NONE ? NULL : &x->known[at];
}

/* Stores an element that has an id, so that later elements can repeat it. */
static void xctrace_keep(struct xctrace *x, const struct xctrace_known *known) {
  if (known->id)
    import_need(x->builder, MAP_PUSH(x->arena->mem, &x->by_id, hash_mix(0, known->id), x->known,
                                     x->known_count, x->known_room, *known));
}

static struct xctrace_known xctrace_begin(const struct xctrace_tag *tag) {
  struct xctrace_known known = {.item = NONE};
  xctrace_number(tag, STR("id"), &known.id);
  return known;
}

/* ---- frames ------------------------------------------ */

static void xctrace_push(struct xctrace *x, uint32_t location) {
  import_need(x->builder,
              ARRAY_PUSH_IN(x->arena, x->frames, x->frame_count, x->frame_room, location));
}

/* Ends a frame: stores the location of the frame and adds it to the backtrace. */
static void xctrace_end_frame(struct xctrace *x) {
  uint32_t file = x->file.size ? builder_string(x->builder, x->file) : 0;
  uint32_t function = import_function(x->builder, x->name, file);
  x->frame.item = import_location(x->builder, x->mapping, function, x->line);
  x->in_frame = false;
  xctrace_keep(x, &x->frame);
  xctrace_push(x, x->frame.item);
}

static void xctrace_frame(struct xctrace *x, const struct xctrace_tag *tag) {
  const struct xctrace_known *same = xctrace_ref(x, tag);
  if (tag->closes) {
    if (x->in_frame) xctrace_end_frame(x);
  } else if (same) {
    if (same->item != NONE) xctrace_push(x, same->item);
  } else {
    x->frame = xctrace_begin(tag);
    x->name = xctrace_attribute(x, tag, STR("name"));
    x->file = STR("");
    x->line = 0;
    x->mapping = NONE;
    x->in_frame = true;
    if (tag->empty) xctrace_end_frame(x);
  }
}

static void xctrace_binary(struct xctrace *x, const struct xctrace_tag *tag) {
  if (tag->closes) return;
  const struct xctrace_known *same = xctrace_ref(x, tag);
  if (same) {
    x->mapping = same->item;
    return;
  }
  struct xctrace_known binary = xctrace_begin(tag);
  pprofc_str path = xctrace_attribute(x, tag, STR("path"));
  struct mapping mapping = {
      .file = builder_string(x->builder, path.size ? path : xctrace_attribute(x, tag, STR("name"))),
      .build_id = builder_string(x->builder, xctrace_attribute(x, tag, STR("UUID"))),
      .flags = PPROFC_HAS_FUNCTIONS};
  x->mapping = binary.item = builder_add_mapping(x->builder, &mapping);
  xctrace_keep(x, &binary);
}

static void xctrace_trace(struct xctrace *x, const struct xctrace_tag *tag) {
  const struct xctrace_known *same = xctrace_ref(x, tag);
  if (same) {
    x->row = *same;
  } else if (!tag->closes) {
    x->trace = xctrace_begin(tag);
    x->frame_count = 0;
    x->in_trace = true;
  } else if (x->in_trace) {
    x->trace.depth = x->frame_count;
    x->trace.stack = builder_stack(x->builder, x->frames, x->frame_count, &x->trace.size);
    x->row = x->trace;
    x->in_trace = false;
    xctrace_keep(x, &x->trace);
  }
}

/* ---- rows -------------------------------------------- */

/* Handles a tag of a weight element, whose content is a number. */
static void xctrace_weight(struct xctrace *x, const struct xctrace_tag *tag) {
  const struct xctrace_known *same = xctrace_ref(x, tag);
  if (same) {
    x->weight = same->weight;
  } else if (!tag->closes) {
    x->value = xctrace_begin(tag);
  } else if (str_parse_int(str_trim(x->text), 10, &x->value.weight)) {
    x->weight = x->value.weight;
    xctrace_keep(x, &x->value);
  }
}

/* Handles a tag of a thread or process, whose name is in the attribute `fmt`. */
static void xctrace_owner(struct xctrace *x, const struct xctrace_tag *tag, pprofc_str *owner) {
  const struct xctrace_known *same = xctrace_ref(x, tag);
  if (same) *owner = same->text;
  if (same || tag->closes) return;
  struct xctrace_known known = xctrace_begin(tag);
  *owner = known.text = xctrace_attribute(x, tag, STR("fmt"));
  xctrace_keep(x, &known);
}

static void xctrace_path(struct xctrace *x, const struct xctrace_tag *tag) {
  const struct xctrace_known *same = xctrace_ref(x, tag);
  if (same) {
    x->file = same->text;
  } else if (!tag->closes) {
    x->value = xctrace_begin(tag);
  } else {
    x->file = x->value.text = xctrace_text(x, x->text);
    xctrace_keep(x, &x->value);
  }
}

static void xctrace_end_row(struct xctrace *x) {
  if (!x->has_type && x->is_cycles)
    builder_add_late_type(x->builder, STR("cycles"), STR("count"));
  else if (!x->has_type)
    builder_add_late_type(x->builder, STR("time"), STR("nanoseconds"));
  x->has_type = true;
  if (!x->row.depth || x->weight < 0) {
    x->no_stack += !x->row.depth;
    x->no_weight += x->row.depth && x->weight < 0;
    return;
  }
  int64_t values[2] = {1, x->weight};
  builder_sample(x->builder, x->row.stack, x->row.size, x->row.depth, values);
  import_label(x->builder, "process", x->process);
  import_label(x->builder, "thread", x->thread);
  x->rows++;
}

static void xctrace_row(struct xctrace *x, const struct xctrace_tag *tag) {
  if (tag->closes) {
    xctrace_end_row(x);
    return;
  }
  x->row = (struct xctrace_known){.item = NONE};
  x->weight = -1;
  x->thread = x->process = STR("");
}

static void xctrace_thread(struct xctrace *x, const struct xctrace_tag *tag) {
  xctrace_owner(x, tag, &x->thread);
}

static void xctrace_process(struct xctrace *x, const struct xctrace_tag *tag) {
  xctrace_owner(x, tag, &x->process);
}

static void xctrace_cycles(struct xctrace *x, const struct xctrace_tag *tag) {
  if (!x->has_type) x->is_cycles = true;
  xctrace_weight(x, tag);
}

static void xctrace_source(struct xctrace *x, const struct xctrace_tag *tag) {
  if (!tag->closes) str_parse_int(xctrace_raw(tag, STR("line")), 10, &x->line);
}

static void xctrace_element(struct xctrace *x, const struct xctrace_tag *tag) {
  static const struct {
    const char *name;
    void (*read)(struct xctrace *x, const struct xctrace_tag *tag);
  } elements[] = {{"row", xctrace_row},       {"frame", xctrace_frame},
                  {"binary", xctrace_binary}, {"backtrace", xctrace_trace},
                  {"weight", xctrace_weight}, {"cycle-weight", xctrace_cycles},
                  {"thread", xctrace_thread}, {"process", xctrace_process},
                  {"path", xctrace_path},     {"source", xctrace_source}};
  for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
    if (str_equal(tag->name, str_of(elements[i].name))) elements[i].read(x, tag);
}

/* ---- the file ---------------------------------------- */

static void xctrace_read_tags(struct xctrace *x, pprofc_str rest) {
  struct xctrace_tag tag;
  pprofc_builder_type(x->builder, "samples", "count");
  while (builder_ok(x->builder) && xctrace_next(&rest, &x->text, &tag)) xctrace_element(x, &tag);
  const struct import_loss losses[] = {
      {x->no_stack, "row has no backtrace", "rows have no backtrace"},
      {x->no_weight, "row has no weight", "rows have no weight"},
      {0}};
  import_account(x->builder, x->rows, "rows", losses);
  if (!x->has_type)
    import_refuse(x->builder, PPROFC_E_FORMAT,
                  "the export has no rows; xctrace export --xpath exports the table time-profile "
                  "or cpu-profile");
}

bool import_is_xctrace(pprofc_str text) {
  text = str_slice(str_trim(text), 0, 4096);
  return str_starts(text, STR("<")) && str_contains(text, STR("<trace-query-result"));
}

IMPORT_READER(import_xctrace) {
  struct xctrace x = {.builder = builder, .arena = arena, .mapping = NONE};
  buffer_init(&x.decoded, arena->mem, SIZE_MAX / 2);
  map_init(&x.by_id, arena->mem);
  xctrace_read_tags(&x, data);
  ARRAY_FREE(arena->mem, x.known, x.known_room);
  map_free(&x.by_id);
  buffer_free(&x.decoded);
}
