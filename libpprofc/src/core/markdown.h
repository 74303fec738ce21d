/* Names in GitHub-flavoured Markdown. */
#ifndef PPROFC_CORE_MARKDOWN_H
#define PPROFC_CORE_MARKDOWN_H

#include "core/buffer.h"

/* Whether the text holds what GitHub acts on whatever is escaped: mentions, references to issues,
 * addresses, emoji. */
bool markdown_acts(pprofc_str text);

/* Writes text as a span of code and returns true when it holds what GitHub acts on whatever is
 * escaped: mentions, references to issues, addresses, emoji. Returns false, and writes nothing, for
 * any other text. `cell`: the text is in a table, where '|' ends a cell even inside code. */
bool markdown_put_code(struct buffer *out, pprofc_str text, bool cell);

#endif
