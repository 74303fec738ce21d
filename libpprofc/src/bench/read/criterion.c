/* Reads criterion's sample.json and estimates.json, and cargo-criterion's stream. The name comes
 * from benchmark.json in the same folder, or from the path GROUP/FUNCTION/VALUE/new. */
#include "bench/read/readers.h"
#include "core/file.h"

#include <dirent.h>

static const char *const stream_words[] = {"\"reason\"", "\"benchmark-complete\"", NULL};

static bool criterion_matches(pprofc_str data) {
  static const char *const sample[] = {"\"iters\"", "\"times\"", NULL};
  static const char *const estimates[] = {"\"point_estimate\"", "\"confidence_interval\"", NULL};
  return json_has_words(data, '{', sample) || json_has_words(data, '{', estimates) ||
         json_has_words(data, '{', stream_words) || str_starts(data, STR("[["));
}

struct throughput {
  double amount; /* bytes, bits or elements per iteration; 0 if unknown */
  const char *unit;
};

/* ---- the name ---------------------------------------- */

/* Removes the last element from path[0, *end) and returns it. Lowers *end. */
static pprofc_str last_part(pprofc_str path, size_t *end) {
  size_t slash = str_find_last_char(str_slice(path, 0, *end), '/');
  size_t from = slash == *end ? 0 : slash + 1;
  pprofc_str part = str_slice(path, from, *end);
  *end = from ? from - 1 : 0;
  return part;
}

/* Makes the name from up to three folders above .../new/sample.json, except "criterion". */
static void name_of_path(struct buffer *name, const struct bench_sink *sink, pprofc_str path) {
  pprofc_str parts[3];
  size_t count = 0, end = path.size;
  (void)last_part(path, &end); /* drops sample.json */
  (void)last_part(path, &end); /* drops the folder "new" */
  while (end && count < 3) {
    pprofc_str part = last_part(path, &end);
    if (!part.size || str_equal(part, STR("criterion")) || str_equal(part, STR(".")) ||
        str_equal(part, STR("..")))
      break;
    parts[count++] = part;
  }
  name_begin(name, sink, count ? parts[count - 1] : STR("criterion"), false);
  for (size_t i = count; i-- > 1;) {
    buffer_add_char(name, '/');
    name_encode(name, parts[i - 1], false);
  }
}

static void name_of_benchmark(struct buffer *name, const struct bench_sink *sink,
                              const struct node *benchmark) {
  static const char *const levels[] = {"function_id", "value_str"};
  name_begin(name, sink, node_text(benchmark, "group_id"), false);
  for (size_t i = 0; i < COUNT(levels); i++) {
    const struct node *level = node_get(benchmark, levels[i]);
    if (!node_is(level, NODE_STRING)) continue;
    buffer_add_char(name, '/');
    name_encode(name, level->text, false);
  }
}

struct throughput_unit {
  const char *name, *unit;
};

static const struct throughput_unit throughput_units[] = {
    {"Bytes", "B/s"}, {"BytesDecimal", "B/s"}, {"Elements", "elements/s"}, {"Bits", "bits/s"}};

static struct throughput throughput_of(const struct node *benchmark) {
  const struct node *throughput = node_get(benchmark, "throughput");
  double amount;
  for (size_t i = 0; i < COUNT(throughput_units); i++)
    if (node_number(node_get(throughput, throughput_units[i].name), 0, &amount) && amount > 0)
      return (struct throughput){amount, throughput_units[i].unit};
  return (struct throughput){0, NULL};
}

/* Returns the content of benchmark.json in the folder of a path. Returns "" if the file is
 * unreadable. The `data` of the result is NULL when out of memory. */
static pprofc_str read_neighbour(struct arena *arena, const char *path) {
  enum { ROOM = 64 * 1024 };
  const char *slash = strrchr(path, '/');
  size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
  char *name = arena_alloc(arena, folder + sizeof "benchmark.json"),
       *data = arena_alloc(arena, ROOM);
  if (!name || !data) return (pprofc_str){NULL, 0};
  memcpy(name, path, folder);
  memcpy(name + folder, "benchmark.json", sizeof "benchmark.json");
  size_t size = file_begin(name, data, ROOM);
  return (pprofc_str){data, size < ROOM ? size : 0};
}

/* ---- samples ----------------------------------------- */

static void criterion_add_sample(struct bench_sink *sink, pprofc_str name, double iterations,
                                 double seconds, struct throughput throughput, uint32_t line) {
  sink_result(sink, name, iterations < 9e15 ? (int64_t)iterations : 0, line);
  sink_value(sink, seconds, STR("sec/op"));
  if (throughput.amount > 0) sink_value(sink, throughput.amount / seconds, str_of(throughput.unit));
}

/* Adds the samples. times[i] is the time of iters[i] iterations together, in nanoseconds. */
static void criterion_read_samples(struct bench_sink *sink, pprofc_str name,
                                   const struct node *iters, const struct node *times,
                                   struct throughput throughput) {
  const struct node *count = node_at(iters, 0), *time = node_at(times, 0);
  if (!count || !time)
    sink_message(sink, iters ? iters->line : 1, "%.*s has no samples", STR_ARG(name));
  for (; count && time; count = count->next, time = time->next) {
    double n, total;
    if (node_number(count, 0, &n) && node_number(time, 0, &total) && n > 0 && total > 0)
      criterion_add_sample(sink, name, n, total / n / 1e9, throughput, time->line);
    else
      sink_message(sink, time->line, "%.*s: a time is not a positive number", STR_ARG(name));
  }
}

/* Reads one sample: the slope of time over iterations, or the mean time if there is no slope. */
static void read_estimates(struct bench_sink *sink, pprofc_str name, const struct node *root,
                           struct throughput throughput) {
  static const char *const typical[] = {"slope.point_estimate", "Slope.point_estimate",
                                        "mean.point_estimate", "Mean.point_estimate"};
  double value;
  for (size_t i = 0; i < COUNT(typical); i++) {
    if (!node_number(node_path(root, typical[i]), -9, &value) || !(value > 0)) continue;
    criterion_add_sample(sink, name, 1, value, throughput, root->line);
    return;
  }
  sink_message(sink, root->line, "%.*s: no mean estimate", STR_ARG(name));
}

static void criterion_read_tree(struct bench_sink *sink, const char *path, const struct node *root,
                                const struct node *benchmark) {
  struct buffer name;
  struct throughput throughput = throughput_of(benchmark);
  if (benchmark && node_text(benchmark, "group_id").size)
    name_of_benchmark(&name, sink, benchmark);
  else
    name_of_path(&name, sink, str_of(path));
  pprofc_str text = buffer_str(&name);
  if (root->kind == NODE_ARRAY) /* Before version 0.3, criterion wrote [[iters], [times]]. */
    criterion_read_samples(sink, text, root->first, root->first ? root->first->next : NULL,
                           throughput);
  else if (node_get(root, "iters"))
    criterion_read_samples(sink, text, node_get(root, "iters"), node_get(root, "times"),
                           throughput);
  else
    read_estimates(sink, text, root, throughput);
  name_end(&name, sink);
}

/* ---- the stream of cargo-criterion ------------------- */

static void read_message(struct bench_sink *sink, const struct node *root, uint64_t line) {
  pprofc_str id = node_text(root, "id");
  if (!str_equal(node_text(root, "reason"), STR("benchmark-complete"))) return;
  if (!str_equal(node_text(root, "unit"), STR("ns"))) {
    sink_message(sink, line, "%.*s is not measured in ns", STR_ARG(id));
    return;
  }
  struct buffer name;
  name_begin(&name, sink, id, true);
  criterion_read_samples(sink, buffer_str(&name), node_get(root, "iteration_count"),
                         node_get(root, "measured_values"), (struct throughput){0, NULL});
  name_end(&name, sink);
}

static pprofc_status criterion_read_stream(const struct bench_source *source, pprofc_error *error) {
  pprofc_str rest = source->data, line;
  for (uint64_t number = 1; str_next_line(&rest, &line); number++) {
    if (!str_trim(line).size) continue;
    struct node *root = NULL;
    struct arena arena = arena_make(&source->sink->set->mem);
    pprofc_status status = json_tree_parse(&arena, source->path, line, &root, error);
    if (status == PPROFC_OK) read_message(source->sink, root, number);
    arena_free(&arena);
    if (status != PPROFC_OK) return status;
  }
  return PPROFC_OK;
}

static pprofc_status criterion_read_source(const struct bench_source *source, pprofc_error *error) {
  source->sink->base_units = true;
  sink_config(source->sink, STR("toolkit"), STR("criterion"));
  if (json_has_words(str_trim(source->data), '{', stream_words))
    return criterion_read_stream(source, error);
  struct node *root = NULL, *benchmark = NULL;
  struct arena arena = arena_make(&source->sink->set->mem);
  pprofc_status status = json_tree_parse(&arena, source->path, source->data, &root, error);
  if (status == PPROFC_OK) {
    pprofc_str neighbour = read_neighbour(&arena, source->path);
    /* A file that is not JSON is ignored. */
    pprofc_status parsed = PPROFC_OK;
    if (neighbour.size)
      parsed = json_tree_parse(&arena, "benchmark.json", neighbour, &benchmark, NULL);
    if (!neighbour.data || parsed == PPROFC_E_NOMEM)
      status = error_nomem(error);
    else
      criterion_read_tree(source->sink, source->path, root, benchmark);
  }
  arena_free(&arena);
  return status;
}

const struct bench_reader bench_reader_criterion = {.name = "criterion JSON",
                                                    .matches = criterion_matches,
                                                    .read = criterion_read_source,
                                                    .one_process = true};

/* ---- folders ---------------------------------------- */

/* Maximum depth of the search, in folders. The path GROUP/FUNCTION/VALUE/new needs four. The search
 * does not follow links, so it cannot loop. */
#define DEEPEST     6
#define MAX_FOLDERS 100000

struct folder {
  const char *path;
  unsigned depth;
};

struct criterion_tree_walk {
  struct arena *arena;
  struct criterion_tree *tree;
  struct folder *stack;
  size_t count, capacity;
  size_t seen;
  bool nomem;
};

static const char *criterion_tree_join(struct criterion_tree_walk *w, const char *folder,
                                       const char *name) {
  size_t a = strlen(folder), b = strlen(name);
  char *path = arena_alloc(w->arena, a + b + 2);
  if (!path) {
    w->nomem = true;
    return NULL;
  }
  memcpy(path, folder, a);
  path[a] = '/';
  memcpy(path + a + 1, name, b + 1);
  return path;
}

static bool criterion_tree_is_folder(const char *path) {
  struct stat info;
  return lstat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool criterion_tree_add_sample(struct criterion_tree_walk *w, const char *folder) {
  const char *path = criterion_tree_join(w, folder, "sample.json");
  if (!path || !file_is_regular(path)) return false;
  struct criterion_tree *tree = w->tree;
  w->nomem |= !ARRAY_PUSH_IN(w->arena, tree->paths, tree->count, tree->capacity, path);
  return true;
}

static void criterion_tree_push(struct criterion_tree_walk *w, const char *path, unsigned depth) {
  if (path && ARRAY_RESERVE_IN(w->arena, w->stack, w->capacity, w->count + 1))
    w->stack[w->count++] = (struct folder){path, depth};
  else
    w->nomem = true;
}

/* Adds the sample file of a folder named "new". Visits the subfolders of any other folder. */
static void visit(struct criterion_tree_walk *w, struct folder folder) {
  DIR *directory = opendir(folder.path);
  if (!directory) return;
  const struct dirent *entry;
  while (!w->nomem && (entry = readdir(directory)) != NULL) {
    if (entry->d_name[0] == '.') continue;
    const char *path = criterion_tree_join(w, folder.path, entry->d_name);
    if (!path || !criterion_tree_is_folder(path) || ++w->seen > MAX_FOLDERS) continue;
    if (strcmp(entry->d_name, "new") == 0)
      (void)criterion_tree_add_sample(w, path);
    else if (folder.depth < DEEPEST)
      criterion_tree_push(w, path, folder.depth + 1);
  }
  closedir(directory);
}

/* Returns the length of the part of `path` before the benchmark's "directory_name", or 0. */
static size_t home_of(pprofc_str path, const struct node *benchmark) {
  static const char file[] = "/new/sample.json";
  pprofc_str folders = node_text(benchmark, "directory_name");
  if (!folders.size || !str_ends(path, STR(file))) return 0;
  path.size -= strlen(file);
  if (!str_ends(path, folders)) return 0;
  path.size -= folders.size;
  return path.size > 1 && path.data[path.size - 1] == '/' ? path.size - 1 : 0;
}

pprofc_status criterion_tree_home(const pprofc_allocator *mem, const char *path, size_t *home,
                                  pprofc_error *error) {
  struct node *benchmark = NULL;
  struct arena arena = arena_make(mem);
  pprofc_str text = read_neighbour(&arena, path);
  pprofc_status status = PPROFC_OK;
  if (text.size) status = json_tree_parse(&arena, "benchmark.json", text, &benchmark, NULL);
  *home = status == PPROFC_OK && benchmark ? home_of(str_of(path), benchmark) : 0;
  bool nomem = !text.data || status == PPROFC_E_NOMEM;
  arena_free(&arena);
  return nomem ? error_nomem(error) : PPROFC_OK;
}

pprofc_status criterion_tree_find(struct arena *arena, const char *folder,
                                  struct criterion_tree *tree, pprofc_error *error) {
  struct criterion_tree_walk w = {.arena = arena, .tree = tree};
  *tree = (struct criterion_tree){.paths = NULL};
  if (!criterion_tree_add_sample(&w, folder)) criterion_tree_push(&w, folder, 0);
  while (w.count && !w.nomem) visit(&w, w.stack[--w.count]);
  if (w.nomem) return error_nomem(error);
  if (w.seen > MAX_FOLDERS)
    return error_set(error, PPROFC_E_LIMIT, "%s: more than %d folders", folder, MAX_FOLDERS);
  /* Sort the paths, because the file system returns entries in any order. */
  if (tree->count) qsort(tree->paths, tree->count, sizeof *tree->paths, text_order);
  return PPROFC_OK;
}
