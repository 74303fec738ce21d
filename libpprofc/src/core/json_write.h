/* Writing JSON item by item: the writer holds nothing but the nesting. It puts commas between items
 * and escapes names and strings; the caller alternates keys and values inside objects. */
#ifndef PPROFC_CORE_JSON_WRITE_H
#define PPROFC_CORE_JSON_WRITE_H

#include "core/buffer.h"
#include "core/output.h"

#define JSON_DEPTH 64

struct json_writer {
  struct output *out;
  struct buffer scratch; /* an escaped string */
  unsigned depth;
  char closer[JSON_DEPTH]; /* '}' or ']' of each level */
  bool has_items;          /* the innermost level needs a comma before its next item */
  bool after_key;
  bool line_break; /* wanted before the next item */
  bool spaced;     /* a blank behind the ':' of each key, for people and line tools */
};

void json_init(struct json_writer *json, struct output *out, const pprofc_allocator *mem);
/* Frees the writer's memory; false when memory ran out and the text is not whole. */
bool json_finish(struct json_writer *json);

void json_begin_object(struct json_writer *json);
void json_begin_array(struct json_writer *json);
/* Ends the innermost object or array. */
void json_end(struct json_writer *json);
void json_key(struct json_writer *json, const char *name);

/* Puts a newline in front of the next item: the text stays readable by line. */
void json_line_break(struct json_writer *json);

/* Writes a string; bytes that are no UTF-8 become U+FFFD. */
void json_string(struct json_writer *json, pprofc_str s);
void json_text(struct json_writer *json, const char *text);
void json_int(struct json_writer *json, int64_t value);
void json_uint(struct json_writer *json, uint64_t value);
/* The shortest decimal that reads back as the same number; null for infinities and NaN. */
void json_double(struct json_writer *json, double value);
void json_bool(struct json_writer *json, bool value);

/* An item that is JSON already. */
void json_verbatim(struct json_writer *json, pprofc_str text);

#endif
