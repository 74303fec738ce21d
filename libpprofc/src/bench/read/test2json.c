/* Reads the stream of `go test -json`. An event can have only a part of a line, and the events of
 * several packages alternate. So the reader first joins the output events of each package to a
 * text. */
#include "bench/read/readers.h"

static bool test2json_matches(pprofc_str data) {
  pprofc_str line = str_slice(data, 0, str_find_char(data, '\n'));
  return str_starts(line, STR("{")) && str_find(line, STR("\"Action\"")) < line.size;
}

struct package {
  pprofc_str name;
  struct buffer text;
};

struct stream {
  const struct bench_source *source;
  struct arena arena; /* memory for the names of packages */
  struct interner names;
  struct package *packages; /* packages, with the same indices as their names in `names` */
  size_t count, capacity;
};

/* Returns the package of an event, or NULL when out of memory. */
static struct package *find_package(struct stream *s, pprofc_str name) {
  const pprofc_allocator *mem = &s->source->sink->set->mem;
  uint32_t index = interner_copy(&s->names, &s->arena, name);
  if (index == MAP_NONE) return NULL;
  if (index == s->count) {
    if (!ARRAY_RESERVE(mem, s->packages, s->capacity, s->count + 1)) return NULL;
    struct package *package = &s->packages[s->count++];
    package->name = s->names.items[index];
    buffer_init(&package->text, mem, (size_t)2 << 30);
  }
  return &s->packages[index];
}

static bool take_event(struct stream *s, const struct node *event, uint64_t line) {
  pprofc_str action = node_text(event, "Action"), name = node_text(event, "Package");
  /* The event of a failed build has ImportPath instead of Package. */
  if (!name.size) name = node_text(event, "ImportPath");
  if (str_equal(action, STR("output"))) {
    struct package *package = find_package(s, name);
    if (!package) return false;
    buffer_add_str(&package->text, node_text(event, "Output"));
    return !package->text.failed;
  }
  bool failed = str_equal(action, STR("fail")) || str_equal(action, STR("build-fail"));
  if (failed && !node_text(event, "Test").size)
    sink_message(s->source->sink, line, "%.*s failed", STR_ARG(name));
  return true;
}

static pprofc_status take_line(struct stream *s, pprofc_str line, uint64_t number,
                               pprofc_error *error) {
  struct node *event = NULL;
  struct arena arena = arena_make(&s->source->sink->set->mem);
  pprofc_error inner;
  pprofc_status status = json_tree_parse(&arena, s->source->path, line, &event, &inner);
  if (status == PPROFC_OK && !take_event(s, event, number)) status = error_nomem(&inner);
  if (status == PPROFC_E_FORMAT) {
    /* The parser's line number counts from the start of `line`, so report the line of the
     * stream. */
    const char *why = strrchr(inner.message, ':');
    (void)error_set(error, status, "%s:%llu:%s", s->source->path, (unsigned long long)number,
                    why ? why + 1 : " broken JSON");
  } else if (error && status != PPROFC_OK) {
    *error = inner;
  }
  arena_free(&arena);
  return status;
}

/* Reads the text of each package separately, because the configuration lines of one package do not
 * apply to another. */
static pprofc_status read_packages(struct stream *s, pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  for (size_t i = 0; i < s->count && status == PPROFC_OK; i++) {
    struct bench_source text = {s->source->sink, buffer_str(&s->packages[i].text), s->source->path,
                                false};
    sink_config_clear(s->source->sink);
    status = bench_read_lines(&text, error);
  }
  return status;
}

static pprofc_status test2json_read_stream(const struct bench_source *source, pprofc_error *error) {
  const pprofc_allocator *mem = &source->sink->set->mem;
  struct stream s = {.source = source};
  arena_init(&s.arena, mem);
  interner_init(&s.names, mem);
  pprofc_str rest = source->data, line;
  pprofc_status status = PPROFC_OK;
  if (str_starts(rest, STR("\xEF\xBB\xBF"))) rest = str_slice(rest, 3, rest.size);
  for (uint64_t number = 1; status == PPROFC_OK && str_next_line(&rest, &line); number++)
    if (str_trim(line).size) status = take_line(&s, line, number, error);
  if (status == PPROFC_OK) status = read_packages(&s, error);
  for (size_t i = 0; i < s.count; i++) buffer_free(&s.packages[i].text);
  mem_free(mem, s.packages, s.capacity, sizeof *s.packages);
  interner_free(&s.names);
  arena_free(&s.arena);
  return status;
}

const struct bench_reader bench_reader_test2json = {
    .name = "go test -json", .matches = test2json_matches, .read = test2json_read_stream};
