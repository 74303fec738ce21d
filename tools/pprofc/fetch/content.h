/* Recognizes replies that are not profiles. */
#ifndef PPROFC_TOOLS_FETCH_CONTENT_H
#define PPROFC_TOOLS_FETCH_CONTENT_H

#include "core/str.h"

/* Returns a message about a text that is not a profile, such as "this is a web page; ...". Returns
 * NULL if the message of the profile reader is better. */
const char *content_explain(pprofc_str text);

/* True if the text is a web page, a trace or another text that is not a profile. Its lines may look
 * like folded stacks, so the caller must not read them as a profile. */
bool content_is_no_profile(pprofc_str text);

#endif
