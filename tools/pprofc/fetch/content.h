/* Describes a reply that is not a profile. */
#ifndef PPROFC_TOOLS_FETCH_CONTENT_H
#define PPROFC_TOOLS_FETCH_CONTENT_H

#include "core/str.h"

/* Returns a message about a reply that is not a profile, "this is a web page; is it a login
 * page? ...". Returns NULL for unknown content: the reader's message describes it. */
const char *content_explain(pprofc_str text);

/* True if the text is a page, a trace, a dump or similar. A line of it may look like a folded
 * stack; such a reply must not be read as a profile. */
bool content_is_no_profile(pprofc_str text);

#endif
