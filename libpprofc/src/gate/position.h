/* Finds line and column of a member of a rules file, for messages. */
#ifndef PPROFC_GATE_POSITION_H
#define PPROFC_GATE_POSITION_H

#include "core/str.h"

/* Finds line and column, from 1, of the member `key` of object number `rule` of the array
 * "rules", or of the top object for SIZE_MAX. If `key` is NULL, finds the object itself.
 * `json` must be valid JSON. */
void gate_position(pprofc_str json, size_t rule, const char *key, size_t *line, size_t *column);

/* Finds the lines on which the first `count` objects of "rules" begin, in one scan. */
void gate_rule_lines(pprofc_str json, size_t *lines, size_t count);

#endif
