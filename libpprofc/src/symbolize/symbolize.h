/* Adds names to the addresses of a profile: finds the binaries, queries the tools, demangles. */
#ifndef PPROFC_SYMBOLIZE_SYMBOLIZE_H
#define PPROFC_SYMBOLIZE_SYMBOLIZE_H

#include "profile/profile.h"

/* The server of the profile, which can name addresses (docs/spec/pprof.md, 8.5). */
struct symbolize_server {
  void *context;
  /* True if a server can name the addresses of the mapping. Sets *start to the start address of the
   * mapping in the server's profile. */
  bool (*find)(void *context, pprofc_str file, pprofc_str build_id, uint64_t *start);
  /* Sends addresses, such as "0x12ab+0x34cd", to the server that `find` found last. Appends its
   * reply, lines such as "0x12ab NAME", to *reply. */
  pprofc_status (*ask)(void *context, pprofc_str addresses, struct buffer *reply,
                       pprofc_error *error);
};

struct symbolize_options {
  const char *mode;  /* value of -symbolize: "none", "fastlocal:force" ...; "" for the default */
  const char *tools; /* value of -tools or PPROF_TOOLS */
  const char *search_path;               /* value of PPROF_BINARY_PATH: folders joined by ':' */
  const char *executable;                /* path of the binary on the command line, or NULL */
  const char *build_id;                  /* value of -buildid, or NULL */
  const struct symbolize_server *server; /* server to query after the binaries, or NULL */
  bool skip_unused;                      /* true to skip locations that no sample uses */
  void (*warn)(void *context, const char *message);
  void *warn_context;
};

/* Calls options->warn unless it is NULL. */
void symbolize_warn(const struct symbolize_options *options, const char *format, ...)
    PPROFC_PRINTF(2, 3);

/* Replaces the file names of mappings by the paths of existing binaries (docs/spec/pprof.md, 7).
 * Mapping 0 gets the path of the executable. Other mappings get a file from the search path. A
 * profile without mappings gets a mapping. */
pprofc_status symbolize_locate(const pprofc_profile *source,
                               const struct symbolize_options *options, pprofc_profile **out,
                               pprofc_error *error);

/* Adds functions and lines to locations that lack them, and demangles function names
 * (docs/spec/pprof.md, 8). If a tool or a request fails, only warns. Other errors are returned:
 * lack of memory and invalid options. */
pprofc_status symbolize_profile(const pprofc_profile *source,
                                const struct symbolize_options *options, pprofc_profile **out,
                                pprofc_error *error);

/* ---- symbols of servers ----------------------------- */

/* Requests names from options->server. If `force` is true, does this for all mappings, otherwise
 * for mappings without functions. If a request fails, warns and leaves the mapping unchanged.
 * `profile` must be a copy made by profile_edit, because the function changes it. */
pprofc_status remote_symbolize(pprofc_profile *profile, const struct symbolize_options *options,
                               bool force, pprofc_error *error);

/* Removes the next address and its name from a reply. Skips lines that lack an address or a name,
 * and a last line without a line feed. Returns false at the end. */
bool remote_next_symbol(pprofc_str *reply, uint64_t *address, pprofc_str *name);

/* ---- demangling ------------------------------------- */

/* Demangles names of C++ (Itanium) and Rust, in pprof's four modes (docs/spec/pprof.md, 8.4). */

enum demangle_mode {
  DEMANGLE_DEFAULT,   /* remove template arguments and function parameters */
  DEMANGLE_TEMPLATES, /* keep template arguments; remove function parameters */
  DEMANGLE_FULL,
  DEMANGLE_NONE
};

/* True if the name may be mangled. The recursion of libiberty may then be too deep for the default
 * stack of a thread. */
bool demangle_is_deep(pprofc_str name);

/* Calls fn(context) on a thread with a stack that is large enough for libiberty. Returns false if
 * the thread cannot be started. */
bool demangle_run(void (*fn)(void *context), void *context);

/* Replaces `out` by the demangled name. Returns false if the name is not mangled, if it expands
 * beyond a megabyte, or if the library was built without libiberty. If demangle_is_deep is true for
 * the name, the call must run inside demangle_run. */
bool demangle(pprofc_str mangled, enum demangle_mode mode, struct buffer *out);

/* Appends the demangled form of a Rust name of version 0 (RFC 2603), which begins with "_R". If
 * `arguments` is false, writes "<>" for generic arguments. Returns false if the name is not valid
 * or expands beyond `most` bytes. In this case, `out` contains the start of the result. */
bool rust_v0_demangle(pprofc_str name, bool arguments, size_t most, struct buffer *out);

/* Writes to `out` the name that pprof shows for a system name (the name in the binary). For a
 * mangled name, this is the demangled name. For any other name, it is the name without parts that
 * look like parameters and template arguments. */
void demangle_for_display(pprofc_str system_name, enum demangle_mode mode, struct buffer *out);

/* Source maps (version 3, with or without sections). Source maps map positions in generated
 * JavaScript to the original names, files and lines. */

struct source_map;

/* Parses a map. `name` is the last part of the map's path, such as "app.js.map". The map belongs to
 * the file that it names. It also belongs to each file that has the same name as the map up to the
 * first '.'. Any number of threads may use the map at the same time. */
pprofc_status source_map_parse(pprofc_str json, pprofc_str name, const pprofc_allocator *mem,
                               struct source_map **map, pprofc_error *error);
void source_map_free(struct source_map *map);

/* A position in an original file. Lines and columns start at 1. The map owns the strings. */
struct source_map_place {
  pprofc_str name; /* original name; empty if the map has no name here */
  pprofc_str file;
  int64_t line, column;
};

/* Restores the original names and positions of frames. A file uses the first map that belongs to
 * it. *changed is the number of changed frames. If no frame changes, *out is `source`. */
pprofc_status source_maps_apply(const pprofc_profile *source, struct source_map *const *maps,
                                size_t count, pprofc_profile **out, size_t *changed,
                                pprofc_error *error);

#endif
