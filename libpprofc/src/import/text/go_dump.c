/* Reads dumps of goroutines: /debug/pprof/goroutine?debug=2 (and goroutineleak), the output of a Go
 * program that panics or gets SIGQUIT, and logs that contain such output.
 *
 * A goroutine begins with a header, "goroutine 7 [chan receive, 5 minutes]:". Two lines for each
 * frame follow, leaf first: the call, and after a tab its source position. A call whose position
 * has no offset is inlined into the next call. In a log each line may begin with a timestamp, which
 * has the same format in all lines of a goroutine. Between the lines there may be lines of other
 * programs. */
#include "import/reader.h"

#define MAX_INLINED 64u /* maximum number of functions inlined into one call */
#define MINUTE      (60 * INT64_C(1000000000))

struct go_dump_head {
  pprofc_str stamp; /* text before "goroutine", such as the timestamp of a log */
  int64_t id;
  /* State, thread and bubble (of testing/synctest); thread and bubble are "" if not given. */
  pprofc_str state, thread, bubble;
  int64_t minutes; /* minutes of waiting, or -1 if not given */
  bool stamped;    /* true if each line of the goroutine begins with the text `stamp` */
};

struct go_dump {
  pprofc_builder *builder;
  uint32_t *stack; /* locations of the current stack, leaf first */
  size_t depth, room;
  pprofc_line lines[MAX_INLINED]; /* buffer for the lines of the current call, innermost first */
  size_t line_count;
  pprofc_str creator;
  struct map seen; /* hash table of the goroutines of this dump, keyed by id */
  int64_t *ids;
  size_t id_count, id_room;
  const pprofc_allocator *mem;
  uint64_t dumps, elided, broken;
  uint64_t other; /* number of lines that do not belong to goroutines */
};

/* ---- the head ---------------------------------------- */

static bool go_dump_take_number(pprofc_str *s, int64_t *number) {
  pprofc_str rest = *s, digits;
  if (!str_take_run(&rest, char_is_digit, &digits) || !str_parse_int(digits, 10, number))
    return false;
  *s = rest;
  return true;
}

/* Reads a detail that follows the state: "5 minutes", "locked to thread", "synctest bubble 3". */
static void go_dump_read_detail(pprofc_str detail, struct go_dump_head *head) {
  pprofc_str rest = detail;
  int64_t minutes;
  if (go_dump_take_number(&rest, &minutes) && str_starts(rest, STR(" minute")))
    head->minutes = minutes;
  else if (str_starts(detail, STR("locked to ")))
    head->thread = STR("locked");
  else if (str_take(&detail, STR("synctest bubble ")))
    head->bubble = detail;
}

/* Reads the text in brackets: "chan receive (nil chan), 5 minutes, locked to thread". */
static void go_dump_read_state(pprofc_str inside, struct go_dump_head *head) {
  pprofc_str detail;
  str_next(&inside, ',', &head->state);
  head->state = str_trim(head->state);
  while (str_next(&inside, ',', &detail)) go_dump_read_detail(str_trim(detail), head);
}

/* Parses a header, with any text before it: "goroutine 7 gp=0xc000 m=nil [sleep]:". The colon
 * must end the line. */
static bool go_dump_parse_head(pprofc_str line, struct go_dump_head *head) {
  static const pprofc_str word = {"goroutine ", sizeof "goroutine " - 1};
  size_t at = str_find(line, word);
  if (at == line.size || line.data[line.size - 1] != ':') return false;
  *head = (struct go_dump_head){.stamp = str_slice(line, 0, at), .minutes = -1};
  pprofc_str rest = str_from(line, at + word.size);
  if (!go_dump_take_number(&rest, &head->id)) return false;
  size_t open = str_find_char(rest, '['), close = str_find_last_char(rest, ']');
  if (open == 0 || close == rest.size || open + 1 >= close) return false;
  if (rest.data[0] != ' ') return false;
  go_dump_read_state(str_slice(rest, open + 1, close), head);
  return head->state.size > 0;
}

static bool go_dump_is_digit(pprofc_str text, size_t at) {
  return at < text.size && char_is_digit(text.data[at]);
}

/* Returns the offset after a number. The number begins at `at` and may have a fraction. */
static size_t go_dump_number_end(pprofc_str text, size_t at) {
  while (go_dump_is_digit(text, at)) at++;
  if (at < text.size && text.data[at] == '.' && go_dump_is_digit(text, at + 1)) at++;
  while (go_dump_is_digit(text, at)) at++;
  return at;
}

/* Removes the timestamp from a line. The timestamp must equal the header's stamp except for the
 * values and lengths of numbers. The lengths differ because some logs drop trailing zeros. Returns
 * false and leaves the line unchanged if the timestamp does not match. */
static bool go_dump_take_stamp(pprofc_str *line, pprofc_str stamp) {
  size_t at = 0;
  for (size_t i = 0; i < stamp.size;) {
    if (go_dump_is_digit(stamp, i) && go_dump_is_digit(*line, at)) {
      i = go_dump_number_end(stamp, i);
      at = go_dump_number_end(*line, at);
    } else if (at == line->size || stamp.data[i++] != line->data[at++]) {
      return false;
    }
  }
  *line = str_from(*line, at);
  return true;
}

/* Reads the next line of a goroutine and removes the stamp. If the goroutine's lines have stamps,
 * skips lines without the stamp. Returns false at the end of the text, and at a header without the
 * stamp. */
static bool go_dump_next_line(pprofc_str *text, const struct go_dump_head *head, pprofc_str *line) {
  struct go_dump_head other;
  pprofc_str rest = *text;
  while (str_next_line(&rest, line)) {
    bool passed = !go_dump_take_stamp(line, head->stamp) && head->stamped;
    if (passed && go_dump_parse_head(*line, &other)) return false;
    *text = rest;
    if (!passed) return true;
  }
  return false;
}

/* ---- frames ------------------------------------------ */

/* Parses a call: "main.(*T).run(0x1, {0x2, 0x3})" gives "main.(*T).run". Arguments do not
 * contain parentheses. */
static bool go_dump_parse_call(pprofc_str line, pprofc_str *name) {
  size_t open = str_find_last_char(line, '(');
  if (!str_ends(line, STR(")")) || open == line.size || !open) return false;
  if (line.data[0] == ' ' || line.data[0] == '\t') return false;
  *name = str_slice(line, 0, open);
  return true;
}

struct go_dump_place {
  pprofc_str file;
  int64_t line;
  bool has_offset, has_pc;
};

/* Parses a position: "\t/src/main.go:12 +0x1d fp=0x7f10 sp=0x7f00 pc=0x48ee21". The position of a C
 * function may be only "\tpc=0x48ee21". */
static bool go_dump_parse_place(pprofc_str line, struct go_dump_place *place) {
  if (!line.size || (line.data[0] != '\t' && line.data[0] != ' ')) return false;
  line = str_from(line, 1);
  size_t offset = str_find(line, STR(" +0x")), pc = str_find(line, STR("pc=0x"));
  *place = (struct go_dump_place){.has_offset = offset < line.size, .has_pc = pc < line.size};
  line = str_trim(str_slice(line, 0, offset < pc ? offset : pc));
  if (!line.size) return place->has_pc;
  size_t colon = str_find_last_char(line, ':');
  place->file = str_slice(line, 0, colon);
  return colon > 0 && str_parse_int(str_from(line, colon + 1), 10, &place->line);
}

static void go_dump_close_call(struct go_dump *d) {
  if (d->line_count && builder_allows_depth(d->builder, d->depth + 1)) {
    uint32_t call = pprofc_builder_location(d->builder, NONE, 0, d->lines, d->line_count);
    import_need(d->builder, ARRAY_PUSH(d->mem, d->stack, d->depth, d->room, call));
  }
  d->line_count = 0;
}

static void go_dump_add_frame(struct go_dump *d, pprofc_str name,
                              const struct go_dump_place *place) {
  uint32_t text = builder_string(d->builder, name);
  uint32_t function =
      builder_add_function(d->builder, text, text, builder_string(d->builder, place->file), 0);
  d->lines[d->line_count++] = (pprofc_line){function, place->line, 0};
  if (place->has_offset || place->has_pc || d->line_count == MAX_INLINED) go_dump_close_call(d);
}

/* Returns the function that started the goroutine: "main.main" for the line "created by main.main
 * in goroutine 1". */
static pprofc_str go_dump_creator(pprofc_str line) {
  str_take(&line, STR("created by "));
  return str_slice(line, 0, str_find(line, STR(" in goroutine ")));
}

/* ---- goroutines -------------------------------------- */

/* Counts a goroutine. If the dump already contains a goroutine with this id, a new dump begins. The
 * id 0 never begins a dump, because several goroutines of the runtime have this id. */
static void go_dump_count(struct go_dump *d, int64_t id) {
  if (!d->dumps) d->dumps++;
  if (!id) return;
  uint64_t hash = hash_mix(0, (uint64_t)id);
  MAP_FIND(at, &d->seen, hash, d->ids[at] == id);
  if (at != MAP_NONE) {
    d->dumps++;
    map_free(&d->seen);
    d->id_count = 0;
  }
  import_need(d->builder, d->id_count < MAP_NONE - 1 && MAP_PUSH(d->mem, &d->seen, hash, d->ids,
                                                                 d->id_count, d->id_room, id));
}

/* Adds a sample for the goroutine whose frames have been read. */
static void go_dump_finish(struct go_dump *d, const struct go_dump_head *head) {
  go_dump_close_call(d);
  go_dump_count(d, head->id);
  if (!d->depth)
    go_dump_add_frame(d, STR("[no stack]"), &(struct go_dump_place){.has_offset = true});
  pprofc_builder_sample(d->builder, d->stack, d->depth, &(int64_t){1});
  import_label(d->builder, "state", head->state);
  import_label(d->builder, "creator", d->creator);
  import_label(d->builder, "thread", head->thread);
  import_label(d->builder, "bubble", head->bubble);
  if (head->minutes >= 0)
    pprofc_builder_number_label(
        d->builder, "wait", head->minutes < INT64_MAX / MINUTE ? head->minutes * MINUTE : INT64_MAX,
        "nanoseconds");
  if (d->dumps > 1) pprofc_builder_number_label(d->builder, "dump", (int64_t)d->dumps, NULL);
}

/* Sets head->stamped if the lines of the goroutine begin with the stamp of the header. It stays
 * false if the next lines have no stamp: "stack unavailable", or a call and its position. */
static void go_dump_look_below(pprofc_str text, struct go_dump_head *head) {
  struct go_dump_place place;
  pprofc_str line, below, name;
  if (!head->stamp.size || !str_next_line(&text, &line)) return;
  pprofc_str plain = line;
  head->stamped = go_dump_take_stamp(&plain, head->stamp);
  if (head->stamped || str_ends(line, STR("stack unavailable"))) return;
  head->stamped = !go_dump_parse_call(line, &name) || !str_next_line(&text, &below) ||
                  !go_dump_parse_place(below, &place);
}

/* Kind of a line: a frame of the goroutine, a line to skip, or a line after the goroutine. */
enum go_dump_line { GO_DUMP_FRAME, GO_DUMP_PASSED, GO_DUMP_END };

/* Reads the position of a call from the next line. If `brackets` is false, the call has no
 * parentheses, as in C code. In this case, the position must have an address ("pc=0x..."). */
static bool go_dump_take_place(pprofc_str *text, const struct go_dump_head *head, bool brackets,
                               struct go_dump_place *place) {
  pprofc_str rest = *text, line;
  if (!go_dump_next_line(&rest, head, &line) || !go_dump_parse_place(line, place) ||
      (!brackets && !place->has_pc))
    return false;
  *text = rest;
  return true;
}

/* Reads a line of a goroutine. After a call, also reads the next line, which is the position of the
 * call. */
static enum go_dump_line go_dump_read_line(struct go_dump *d, const struct go_dump_head *head,
                                           pprofc_str line, pprofc_str *text) {
  struct go_dump_place place;
  pprofc_str name = line;
  if (str_ends(line, STR("frames elided..."))) {
    d->elided++;
    return GO_DUMP_PASSED;
  }
  if (str_ends(line, STR("stack unavailable"))) return GO_DUMP_PASSED;
  bool created = str_starts(line, STR("created by "));
  bool known = created || go_dump_parse_call(line, &name);
  if (!line.size || !go_dump_take_place(text, head, known, &place)) return GO_DUMP_END;
  if (created)
    d->creator = go_dump_creator(line);
  else
    go_dump_add_frame(d, name, &place);
  return GO_DUMP_FRAME;
}

/* Reads the goroutine after a header. Leaves *text at the first line after the goroutine. */
static void go_dump_read_goroutine(struct go_dump *d, const struct go_dump_head *head,
                                   pprofc_str *text) {
  d->depth = d->line_count = 0;
  d->creator = STR("");
  for (;;) {
    pprofc_str line, rest = *text;
    if (!go_dump_next_line(&rest, head, &line)) {
      d->broken += head->stamped && rest.size;
      break;
    }
    if (go_dump_read_line(d, head, line, &rest) == GO_DUMP_END) break;
    *text = rest;
  }
  go_dump_finish(d, head);
}

/* Finds the next header and leaves *text after the header. Counts the lines before the header in
 * *other. */
static bool go_dump_next_head(pprofc_str *text, struct go_dump_head *head, uint64_t *other) {
  pprofc_str line;
  while (str_next_line(text, &line)) {
    if (!go_dump_parse_head(line, head)) {
      *other += str_trim(line).size > 0;
      continue;
    }
    go_dump_look_below(*text, head);
    return true;
  }
  return false;
}

/* True if a header is followed by a call or by "stack unavailable". A header alone does not
 * suffice, because any text may contain it. */
bool import_is_go_dump(pprofc_str text) {
  struct go_dump_head head;
  struct go_dump_place place;
  pprofc_str line, name;
  uint64_t other = 0;
  while (go_dump_next_head(&text, &head, &other)) {
    pprofc_str rest = text;
    if (!go_dump_next_line(&rest, &head, &line)) continue;
    if (str_ends(line, STR("stack unavailable"))) return true;
    if (go_dump_parse_call(line, &name) && go_dump_take_place(&rest, &head, true, &place))
      return true;
  }
  return false;
}

static void go_dump_read_all(struct go_dump *d, pprofc_str text) {
  struct go_dump_head head;
  pprofc_builder_type(d->builder, "goroutine", "count");
  builder_set_period(d->builder, STR("goroutine"), STR("count"), 1);
  while (builder_ok(d->builder) && go_dump_next_head(&text, &head, &d->other))
    go_dump_read_goroutine(d, &head, &text);
  import_note_total(d->builder, "stacks that the Go runtime cut in the middle", d->elided);
  import_note_total(d->builder, "stacks with a goroutine of another program in them", d->broken);
  import_note_count(d->builder, d->other, "line is not of a goroutine",
                    "lines are not of goroutines");
  import_note_total(d->builder, "dumps; the label dump distinguishes them",
                    d->dumps > 1 ? d->dumps : 0);
}

IMPORT_READER(import_go_dump) {
  struct go_dump d = {.builder = builder, .mem = arena->mem};
  map_init(&d.seen, d.mem);
  go_dump_read_all(&d, data);
  map_free(&d.seen);
  ARRAY_FREE(d.mem, d.ids, d.id_room);
  ARRAY_FREE(d.mem, d.stack, d.room);
}
