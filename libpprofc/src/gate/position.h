/* Line and column of a member of a rules file, for messages. */
#ifndef PPROFC_GATE_POSITION_H
#define PPROFC_GATE_POSITION_H

#include "core/str.h"

/* Line and column, from 1, of the member `key` (NULL: of the object itself) of the object number
 * `rule` of the array "rules", or with SIZE_MAX of the object at the top. `json` is valid JSON. */
void gate_position(pprofc_str json, size_t rule, const char *key, size_t *line, size_t *column);

/* The lines on which the first `count` objects of "rules" begin, all in one walk. */
void gate_rule_lines(pprofc_str json, size_t *lines, size_t count);

#endif
