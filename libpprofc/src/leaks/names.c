/* The table of names that are never reported as leaks, and the user's patterns. */
#include "leaks/names.h"

#include "core/buffer.h"
#include "regex/regex.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* docs/LEAKS.md shows this table. */
static const struct leak_name leak_table[] = {
    {LEAK_LIST_HEAP, "^(runtime/pprof|net/http/pprof)\\.", "taking the profile allocates"},
    {LEAK_LIST_COUNTS, "^(runtime/pprof|net/http/pprof)\\.", "the request for the profile itself"},
    {LEAK_LIST_COUNTS, "^(testing\\.|runtime\\.ReadTrace$|runtime/trace\\.)",
     "tests and traces end by themselves"},
    {LEAK_LIST_COUNTS, "^(os/signal\\.|runtime\\.ensureSigM)", "one for the whole program"},
    {LEAK_LIST_COUNTS,
     "^runtime\\.(bgsweep|bgscavenge|forcegchelper|runfinq|runFinalizers|runCleanups|gcBgMarkWorker"
     "|timerproc|sysmon|main)$",
     "the runtime keeps as many as it wants"},
    {LEAK_LIST_COUNTS, "^net/http\\.\\(\\*persistConn\\)\\.(readLoop|writeLoop)$",
     "idle connections of a client: http.Transport limits and closes them"},
    {LEAK_LIST_WAY,
     "^(runtime|internal/[a-z/]+|sync|sync/atomic|reflect|slices|maps|strings|bytes|container/"
     "[a-z]+"
     "|bufio|time|syscall|net|internal/poll|os)\\.",
     "Go: the runtime and containers of the standard library"},
    {LEAK_LIST_WAY,
     "^(_?_?(malloc|calloc|realloc|reallocarray|memalign|posix_memalign|aligned_alloc|valloc|strdup"
     "|strndup|mmap|libc_malloc|libc_calloc)|je_.*|tc_.*|tcmalloc::.*|do_malloc.*|prof_.*"
     "|imalloc.*|operator "
     "new.*|cfree|xmalloc|xcalloc|xrealloc)($|\\()|^\\[lib(jemalloc|tcmalloc)[^]]*\\]",
     "C and C++: allocators"},
    {LEAK_LIST_WAY, "^(std::|__gnu_cxx::|void std::|alloc::|<alloc::|hashbrown::|__rust_|__rg_)",
     "C++ and Rust: containers of the standard library"},
};

const struct leak_name *leak_name_at(size_t index) {
  return index < COUNT(leak_table) ? &leak_table[index] : NULL;
}

static void leak_names_add(struct buffer *all, const char *pattern) {
  if (all->size) buffer_add_char(all, '|');
  buffer_printf(all, "(?:%s)", pattern);
}

static pprofc_status leak_names_compile(struct leak_names *names, enum leak_list list,
                                        const pprofc_allocator *mem, const char *const *more,
                                        size_t more_count, pprofc_error *error) {
  struct buffer all;
  buffer_init(&all, mem, SIZE_MAX / 2);
  for (size_t i = 0; i < COUNT(leak_table); i++)
    if (leak_table[i].list == list) leak_names_add(&all, leak_table[i].pattern);
  for (size_t i = 0; i < more_count && list != LEAK_LIST_WAY; i++) leak_names_add(&all, more[i]);
  pprofc_status status = all.failed ? error_nomem(error) : PPROFC_OK;
  if (status == PPROFC_OK)
    status = regex_compile(mem, buffer_str(&all), &names->lists[list], error);
  buffer_free(&all);
  return status;
}

/* Compile each pattern alone first, so that an error names the pattern and not the list. */
static pprofc_status leak_names_check(const pprofc_allocator *mem, const char *pattern,
                                      pprofc_error *error) {
  struct regex *regex = NULL;
  pprofc_status status = regex_compile(mem, str_of(pattern), &regex, error);
  if (status == PPROFC_OK) regex_free(regex);
  return status;
}

pprofc_status leak_names_init(struct leak_names *names, const pprofc_allocator *mem,
                              const char *const *more, size_t more_count, pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  *names = (struct leak_names){{NULL}};
  for (size_t i = 0; i < more_count && status == PPROFC_OK; i++)
    status = leak_names_check(mem, more[i], error);
  for (size_t i = 0; i < LEAK_LISTS && status == PPROFC_OK; i++)
    status = leak_names_compile(names, (enum leak_list)i, mem, more, more_count, error);
  return status;
}

void leak_names_free(struct leak_names *names) {
  for (size_t i = 0; i < LEAK_LISTS; i++)
    if (names->lists[i]) regex_free(names->lists[i]);
}

bool leak_names_has(const struct leak_names *names, enum leak_list list, pprofc_str function) {
  return regex_match(names->lists[list], function);
}
