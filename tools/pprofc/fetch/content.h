/* What a reply without a profile is, in words that help. */
#ifndef PPROFC_TOOLS_FETCH_CONTENT_H
#define PPROFC_TOOLS_FETCH_CONTENT_H

#include "core/str.h"

/* What the beginning of the text is known by: "this is a dump of goroutines ..."; NULL when it is
 * nothing of that kind. `fetched`: it came from a server, else from a file. */
const char *content_explain(pprofc_str text, bool fetched);

/* Whether the text is a page, a trace, a dump or the like. A line of it may look like a folded
 * stack: what a server sends must not be taken for a profile by chance. */
bool content_is_no_profile(pprofc_str text);

#endif
