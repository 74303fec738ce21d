/* Reads a perf-PID.map file and finds the name of the code at an address. */
#include "import/callgrind/contexts.h"

#include "core/file.h"

#define MAX_BYTES ((size_t)1 << 30)

void jit_names_init(struct jit_names *names, const pprofc_allocator *mem) {
  *names = (struct jit_names){.mem = mem};
  buffer_init(&names->text, mem, MAX_BYTES);
}

void jit_names_free(struct jit_names *names) {
  buffer_free(&names->text);
  ARRAY_FREE(names->mem, names->items, names->room);
}

/* ---- the file ---------------------------------------- */

/* Parses a line: "66c3fe0 b py::parse:/app/parser.py". */
static bool jit_line(pprofc_str line, struct jit_code *code) {
  pprofc_str start, size;
  uint64_t bytes;
  if (!str_next(&line, ' ', &start) || !str_next(&line, ' ', &size)) return false;
  code->name = str_trim(line);
  return code->name.size && str_parse_uint(start, 16, &code->start) &&
         str_parse_uint(size, 16, &bytes) &&
         !__builtin_add_overflow(code->start, bytes ? bytes : 1, &code->limit);
}

/* Orders pieces of code by start address, then by their order in the file. */
static int jit_compare(const void *left, const void *right) {
  const struct jit_code *a = left, *b = right;
  if (a->start != b->start) return a->start < b->start ? -1 : 1;
  return (a->name.data > b->name.data) - (a->name.data < b->name.data);
}

bool jit_names_read(struct jit_names *names, pprofc_str text) {
  pprofc_str line;
  struct jit_code code;
  while (str_next_line(&text, &line)) {
    if (!jit_line(line, &code)) continue;
    if (!ARRAY_PUSH(names->mem, names->items, names->count, names->room, code)) return false;
  }
  if (names->count) qsort(names->items, names->count, sizeof *names->items, jit_compare);
  return true;
}

/* Opens a regular file; returns -1 on failure. If `own` is true, the file must belong to the
 * current user. This check is for folders to which all users can write. */
static int jit_open(const char *path, bool own) {
  struct stat info;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (own ? O_NOFOLLOW : 0));
  if (fd < 0) return -1;
  if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && (!own || info.st_uid == geteuid()))
    return fd;
  close(fd);
  return -1;
}

static bool jit_read_all(struct jit_names *names, int fd) {
  (void)fd_read_all(fd, &names->text);
  close(fd);
  if (names->text.failed) return false;
  return jit_names_read(names, (pprofc_str){names->text.data, names->text.size});
}

bool jit_names_load(struct jit_names *names, pprofc_str folder, pprofc_str pid) {
  char path[4096];
  uint64_t number;
  if (!str_parse_uint(pid, 10, &number)) return true;
  int size = snprintf(path, sizeof path, "%.*s/perf-%llu.map", STR_ARG(folder),
                      (unsigned long long)number);
  int fd = size > 0 && (size_t)size < sizeof path ? jit_open(path, false) : -1;
  if (fd < 0) {
    snprintf(path, sizeof path, "/tmp/perf-%llu.map", (unsigned long long)number);
    fd = jit_open(path, true);
  }
  return fd < 0 || jit_read_all(names, fd);
}

/* ---- names ------------------------------------------- */

bool jit_names_find(const struct jit_names *names, uint64_t address, struct jit_function *found) {
  BISECT(at, names->count, names->items[at].start <= address);
  if (!at || names->items[at - 1].limit <= address) return false;
  *found = jit_function_of(names->items[at - 1].name);
  return true;
}
