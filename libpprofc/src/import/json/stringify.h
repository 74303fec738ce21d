/* Writes JSON as JavaScript's JSON.stringify does. */
#ifndef PPROFC_IMPORT_JSON_STRINGIFY_H
#define PPROFC_IMPORT_JSON_STRINGIFY_H

#include "core/buffer.h"
#include "core/json_tree.h"

/* Appends a value without spaces, with members in the order of the file. */
void json_stringify(struct buffer *out, const struct node *value);

#endif
