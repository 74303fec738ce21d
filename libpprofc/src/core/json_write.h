/* Writes JSON item by item (an element of an array or a member of an object), and keeps only the
 * nesting in memory. The writer adds commas, and escapes names and strings. Inside objects, the
 * caller alternates between keys and values. */
#ifndef PPROFC_CORE_JSON_WRITE_H
#define PPROFC_CORE_JSON_WRITE_H

#include "core/buffer.h"
#include "core/output.h"

#define JSON_DEPTH 64

struct json_writer {
  struct output *out;
  struct buffer scratch; /* buffer for an escaped string */
  unsigned depth;
  char closer[JSON_DEPTH]; /* for each level, its closing '}' or ']' */
  bool has_items;          /* true if the innermost level needs a comma before its next item */
  bool after_key;
  bool line_break; /* true if a newline must come before the next item */
  bool spaced;     /* true: write a blank after the ':' of each key */
};

void json_init(struct json_writer *json, struct output *out, const pprofc_allocator *mem);
/* Frees the writer's memory. Returns false if memory ran out, because the text is then
 * incomplete. */
bool json_finish(struct json_writer *json);
/* Ends the outermost object and the line. Then does the same as json_finish. */
bool json_finish_file(struct json_writer *json);

void json_begin_object(struct json_writer *json);
void json_begin_array(struct json_writer *json);
/* Ends the innermost object or array. */
void json_end(struct json_writer *json);
/* Writes a name. Returns the writer, so a member takes one call: json_int(json_key(json, "n"),
 * 1). */
struct json_writer *json_key(struct json_writer *json, const char *name);

/* Puts a newline before the next item, to keep the text readable. */
void json_line_break(struct json_writer *json);

/* Writes a string. Invalid UTF-8 becomes U+FFFD. */
void json_string(struct json_writer *json, pprofc_str s);
void json_text(struct json_writer *json, const char *text);
void json_int(struct json_writer *json, int64_t value);
void json_uint(struct json_writer *json, uint64_t value);
/* Writes the shortest decimal that parses to the same number. Infinities and NaN become null. */
void json_double(struct json_writer *json, double value);
void json_bool(struct json_writer *json, bool value);

/* Writes a value that is already JSON. */
void json_verbatim(struct json_writer *json, pprofc_str text);

/* Writes items by a format such as "{name:S values:[". A word before ':' is a key. "{", "}", "["
 * and "]" begin and end objects and arrays. A newline is a line break. A letter means the next
 * argument, and names its type: S pprofc_str, s const char * (NULL: ""), i int64_t, u uint64_t, f
 * double, b bool. Digits are a number. Blanks separate items. A key may come last; the caller then
 * writes its value. */
void json_pack(struct json_writer *json, const char *format, ...);

#endif
