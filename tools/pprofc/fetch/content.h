/* What a reply without a profile is, in words that help. */
#ifndef PPROFC_TOOLS_FETCH_CONTENT_H
#define PPROFC_TOOLS_FETCH_CONTENT_H

#include "core/str.h"

/* What a server sent that is no profile: "this is a web page; is it a login page? ..."; NULL when
 * it is nothing of that kind: then the reader's message says what it is. */
const char *content_explain(pprofc_str text);

/* Whether the text is a page, a trace, a dump or the like. A line of it may look like a folded
 * stack: what a server sends must not be taken for a profile by chance. */
bool content_is_no_profile(pprofc_str text);

#endif
