/* Compares the programs of base and head: how they were built, the machines that measured them, and
 * the packages whose test binary is the same. */
#include "run/code.h"
#include "run/recording.h"

#include <sys/utsname.h>

/* Maximum number of differences that the report lists for one property. */
#define NAMED_MOST 3
#define NAME_MOST  120 /* maximum length in bytes of the text of one difference */

static const struct built_item {
  const char *name;
  size_t offset;
} built_items[] = {{"compiler", offsetof(struct built, compiler)},
                   {"flags", offsetof(struct built, flags)},
                   {"libraries", offsetof(struct built, libraries)}};
#define FACTS (sizeof built_items / sizeof *built_items)

static pprofc_str built_item_of(const struct built *built, size_t item) {
  pprofc_str text;
  memcpy(&text, (const char *)built + built_items[item].offset, sizeof text);
  return text;
}

static bool has_line(pprofc_str lines, pprofc_str wanted) {
  pprofc_str line;
  while (str_next_line(&lines, &line))
    if (str_equal(line, wanted)) return true;
  return false;
}

/* Appends at most NAMED_MOST lines that `other` lacks, each after `sign`. Returns the number of all
 * lines that `other` lacks. */
static size_t built_put_lines(struct buffer *out, pprofc_str lines, pprofc_str other, char sign) {
  size_t count = 0;
  pprofc_str line;
  while (str_next_line(&lines, &line)) {
    if (has_line(other, line) || count++ >= NAMED_MOST) continue;
    buffer_printf(out, " %c", sign);
    escape_line(out, str_slice(line, 0, NAME_MOST));
  }
  if (count > NAMED_MOST) buffer_printf(out, " and %zu more", count - NAMED_MOST);
  return count;
}

static void built_put_item(struct buffer *out, const char *name, pprofc_str base, pprofc_str head,
                           size_t *differences) {
  if (str_equal(base, head)) return;
  buffer_printf(out, "%s%s:", *differences ? "; " : "; other differences: ", name);
  built_put_lines(out, base, head, '-');
  built_put_lines(out, head, base, '+');
  ++*differences;
}

/* Reads the name of the processor from the results of base or head, if they contain it. */
static void built_processor(const struct ci_run *run, int side, struct buffer *processor) {
  pprofc_error ignored;
  pprofc_str rest, line;
  struct buffer text = buffer_make(run->mem, (size_t)64 << 20);
  if (run_has(run->bench[side]) && file_read(run->bench[side], &text, &ignored) == PPROFC_OK) {
    rest = buffer_str(&text);
    while (rest.data && !processor->size && str_next_line(&rest, &line))
      if (str_starts(line, STR("cpu: ")))
        buffer_add_str(processor, str_slice(line, strlen("cpu: "), line.size));
  }
  buffer_free(&text);
}

/* True if this run measured base and head. */
static bool measured_here(const struct ci_run *run) {
  return *run->options->record || *run->options->simulate || *run->options->walltime;
}

/* Appends the names of the properties that are known and equal for base and head. */
static void built_put_same(const struct ci_run *run, const struct built sides[SIDES],
                           struct buffer *out) {
  const char *before = "; the same ";
  for (size_t i = 0; i < FACTS; i++) {
    pprofc_str base = built_item_of(&sides[SIDE_BASE], i);
    if (!base.size || !str_equal(base, built_item_of(&sides[SIDE_HEAD], i))) continue;
    buffer_printf(out, "%s%s", before, built_items[i].name);
    before = ", ";
  }
  if (measured_here(run)) buffer_printf(out, "%skernel, processor, environment", before);
}

void built_compare(const struct ci_run *run, const struct built sides[SIDES], struct buffer *out) {
  size_t differences = 0;
  struct buffer processor[SIDES] = {ci_buffer(), ci_buffer()};
  for (size_t i = 0; i < FACTS; i++)
    built_put_item(out, built_items[i].name, built_item_of(&sides[SIDE_BASE], i),
                   built_item_of(&sides[SIDE_HEAD], i), &differences);
  for (int side = 0; side < SIDES; side++) built_processor(run, side, &processor[side]);
  built_put_item(out, "processor", buffer_str(&processor[SIDE_BASE]),
                 buffer_str(&processor[SIDE_HEAD]), &differences);
  built_put_same(run, sides, out);
  for (int side = 0; side < SIDES; side++) buffer_free(&processor[side]);
}

void built_write(struct json_writer *json, const struct built sides[SIDES]) {
  json_begin_object(json_key(json, "built"));
  for (int side = 0; side < SIDES; side++) {
    json_begin_object(json_key(json, side_names[side]));
    for (size_t i = 0; i < FACTS; i++) {
      pprofc_str lines = built_item_of(&sides[side], i), line;
      json_begin_array(json_key(json, built_items[i].name));
      while (str_next_line(&lines, &line)) json_string(json, line);
      json_end(json);
    }
    json_end(json);
  }
  json_end(json);
}

void surroundings_write(struct json_writer *json, const struct ci_run *run) {
  static const char *const variables[] = {
      "GODEBUG",      "GOGC",           "GOMAXPROCS",     "GOMEMLIMIT",       "GOFLAGS",
      "GOAMD64",      "CGO_CFLAGS",     "CFLAGS",         "CXXFLAGS",         "LDFLAGS",
      "RUSTFLAGS",    "LD_PRELOAD",     "MALLOC_CONF",    "MALLOC_ARENA_MAX", "GLIBC_TUNABLES",
      "NODE_OPTIONS", "PYTHONHASHSEED", "OMP_NUM_THREADS"};
  struct utsname kernel;
  if (!measured_here(run) || uname(&kernel) != 0) return;
  json_pack(json, "surroundings:{kernel:s processors:i environment:{", kernel.release,
            (int64_t)sysconf(_SC_NPROCESSORS_ONLN));
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
    const char *value = getenv(variables[i]);
    if (value) json_text(json_key(json, variables[i]), value);
  }
  json_pack(json, "}}");
}

static bool have_same_size(const char *a, const char *b) {
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_size == y.st_size;
}

static bool have_same_text(const char *a, const char *b) {
  struct buffer texts[2] = {ci_buffer(), ci_buffer()};
  if (!have_same_size(a, b)) return false;
  ci_need(file_read(a, &texts[0], &ci_error));
  ci_need(file_read(b, &texts[1], &ci_error));
  bool equal = str_equal(buffer_str(&texts[0]), buffer_str(&texts[1]));
  for (int i = 0; i < 2; i++) buffer_free(&texts[i]);
  return equal;
}

/* True if git lists a change to a file that a benchmark may read while it runs. These are files
 * in the package's folder or in a folder testdata. The files that the compiler reads are already
 * part of the binary. */
static bool read_files_changed(struct ci_run *run, const char *folder) {
  struct program git = {.argv = TEXT_LIST("git", "diff", "--quiet", run->base_commit, "--", ".",
                                          ":(top,glob)**/testdata/**", ":(exclude)*.go",
                                          ":(exclude)*.md", ":(exclude).*", ":(exclude)go.mod",
                                          ":(exclude)go.sum"),
                        .folder = folder};
  program_run(&git);
  program_end(&git);
  return git.status != 0;
}

static void same_add(struct ci_run *run, const char *package) {
  (void)ARRAY_PUSH_IN(&run->arena, run->same, run->same_count, run->same_capacity, package);
}

static void same_check(struct ci_run *run, struct go_package *package) {
  const char *const *programs = package->programs;
  if (!programs[SIDE_BASE] || !programs[SIDE_HEAD]) return;
  package->same = have_same_text(programs[SIDE_BASE], programs[SIDE_HEAD]) &&
                  !read_files_changed(run, package->folders[SIDE_HEAD]);
  if (!package->same) return;
  message_note("unchanged: same binary: %s", package->path);
  same_add(run, package->path);
}

void same_find(struct ci_run *run, struct packages *packages) {
  if (run->options->all) return;
  for (size_t i = 0; i < packages->count; i++) same_check(run, &packages->items[i]);
}

bool same_is_all(const struct ci_run *run) {
  return run->same_count && !run->judged && run->has_base && !run_has(run->bench[SIDE_HEAD]);
}

void same_write(struct json_writer *json, const struct ci_run *run) {
  json_begin_array(json_key(json, "same_binary"));
  for (size_t i = 0; i < run->same_count; i++) json_text(json, run->same[i]);
  json_end(json);
}

void same_read(struct ci_run *run, const struct node *root, const char *job) {
  const struct node *list = node_get(root, "same_binary");
  for (size_t i = 0; i < node_size(list); i++) {
    const struct node *item = node_at(list, i);
    if (!node_is(item, NODE_STRING)) continue;
    pprofc_str shown = escape_line_keep(item->text, &run->arena);
    same_add(run, text_printf(&run->arena, "%s: %.*s", job, STR_ARG(shown)));
  }
}
