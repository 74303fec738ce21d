/* Finds the origin of a frame's code: the user, a library or the system. The function name, the
 * file and the mapping decide. docs/FLAMEGRAPH_COLORS.md explains the conventions of Go, C, C++,
 * Rust, Python, Node and the JVM. */
#ifndef PPROFC_FLAME_ORIGIN_H
#define PPROFC_FLAME_ORIGIN_H

#include "core/base.h"

enum origin { ORIGIN_UNKNOWN, ORIGIN_USER, ORIGIN_LIBRARY, ORIGIN_SYSTEM };
enum origin_field { ORIGIN_NAME, ORIGIN_FILE, ORIGIN_MAPPING };

/* Rules of the user. They apply before the built-in rules. The first rule that matches decides. */
struct origin_rules {
  struct origin_rule *items;
  size_t count;
};

/* Reads rules, one per line. A rule has an origin (user, library, system, unknown), a field (name,
 * file, mapping) and a glob pattern without blanks: "library name mycompany.*". Skips empty lines
 * and lines that begin with #. */
pprofc_status origin_rules_parse(struct origin_rules *rules, pprofc_str text, struct arena *arena,
                                 pprofc_error *error);

/* Returns the origin of a frame. `mapping` is the file of the frame's mapping, or empty. `rules`
 * may be NULL. */
enum origin origin_of(const struct origin_rules *rules, pprofc_str name, pprofc_str file,
                      pprofc_str mapping);

/* Returns the index of the first rule that matches the text of a field. Returns SIZE_MAX if no rule
 * matches or the text is empty. A caller with many frames but few files and mappings can cache the
 * results for origin_of_matches, which is faster than origin_of. */
size_t origin_match(const struct origin_rules *rules, enum origin_field field, pprofc_str text);

/* Returns the same as origin_of. `matches` has the results of origin_match for the name, the file
 * and the mapping. */
enum origin origin_of_matches(const struct origin_rules *rules, const size_t matches[3],
                              pprofc_str name, pprofc_str file, pprofc_str mapping);

/* Returns the package of a function name: "encoding/json" for "encoding/json.(*decodeState).value",
 * "std" for "std::sort". */
pprofc_str origin_package(pprofc_str name);

#endif
