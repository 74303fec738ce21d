/* Writes names in GitHub-flavoured Markdown, so that GitHub does not turn a part of a name into a
 * mention or a link. */
#ifndef PPROFC_CORE_MARKDOWN_H
#define PPROFC_CORE_MARKDOWN_H

#include "core/buffer.h"

/* True if the text contains something that GitHub acts on even if it is escaped: a mention, a
 * reference to an issue, an address or an emoji. */
bool markdown_acts(pprofc_str text);

/* If markdown_acts is true for the text, writes the text as a code span and returns true. Otherwise
 * writes nothing and returns false. `cell` is true in a table, where '|' ends a cell even inside
 * code. */
bool markdown_put_code(struct buffer *out, pprofc_str text, bool cell);

#endif
