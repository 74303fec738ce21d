/* Writes JSON item by item, and keeps only the nesting in memory. */
#include "core/json_write.h"

#include "core/escape.h"
#include "core/float.h"

#include <math.h>
#include <stdio.h>

void json_init(struct json_writer *json, struct output *out, const pprofc_allocator *mem) {
  *json = (struct json_writer){.out = out};
  buffer_init(&json->scratch, mem, SIZE_MAX);
}

bool json_finish(struct json_writer *json) {
  bool whole = !json->scratch.failed;
  buffer_free(&json->scratch);
  return whole;
}

bool json_finish_file(struct json_writer *json) {
  json_end(json);
  output_add_char(json->out, '\n');
  return json_finish(json);
}

/* Writes the separator before an item. */
static void json_begin_item(struct json_writer *json) {
  if (json->after_key) {
    json->after_key = false;
    return;
  }
  if (json->has_items) output_add_char(json->out, ',');
  if (json->line_break) output_add_char(json->out, '\n');
  json->line_break = false;
  json->has_items = true;
}

static void json_open(struct json_writer *json, char opener, char closer) {
  json_begin_item(json);
  output_add_char(json->out, opener);
  /* The nesting never depends on input, so only a bug of the caller can exceed the depth. */
  if (json->depth == JSON_DEPTH) {
    json->out->failed = true;
    return;
  }
  json->closer[json->depth++] = closer;
  json->has_items = false;
}

void json_begin_object(struct json_writer *json) {
  json_open(json, '{', '}');
}

void json_begin_array(struct json_writer *json) {
  json_open(json, '[', ']');
}

void json_end(struct json_writer *json) {
  if (json->line_break) output_add_char(json->out, '\n');
  json->line_break = false;
  if (json->depth) output_add_char(json->out, json->closer[--json->depth]);
  json->has_items = true;
}

void json_line_break(struct json_writer *json) {
  json->line_break = true;
}

static bool json_is_plain(pprofc_str s) {
  for (size_t i = 0; i < s.size; i++) {
    unsigned char c = (unsigned char)s.data[i];
    if (c < 0x20 || c > 0x7E || strchr("\"\\<>&#", c)) return false;
  }
  return true;
}

static void json_put_quoted(struct json_writer *json, pprofc_str s) {
  struct buffer shorter;
  buffer_init(&shorter, json->scratch.mem, SIZE_MAX);
  s = output_shorten(json->out, s, &shorter);
  output_add_char(json->out, '"');
  if (json_is_plain(s)) {
    output_add_str(json->out, s);
  } else {
    buffer_clear(&json->scratch);
    escape_json(&json->scratch, s);
    output_add_str(json->out, buffer_str(&json->scratch));
  }
  output_add_char(json->out, '"');
  buffer_free(&shorter);
}

struct json_writer *json_key(struct json_writer *json, const char *name) {
  json_begin_item(json);
  json_put_quoted(json, str_of(name));
  output_add_text(json->out, json->spaced ? ": " : ":");
  json->after_key = true;
  return json;
}

void json_string(struct json_writer *json, pprofc_str s) {
  json_begin_item(json);
  json_put_quoted(json, s);
}

void json_text(struct json_writer *json, const char *text) {
  json_string(json, str_of(text));
}

void json_int(struct json_writer *json, int64_t value) {
  json_begin_item(json);
  output_add_int(json->out, value);
}

void json_uint(struct json_writer *json, uint64_t value) {
  json_begin_item(json);
  output_add_uint(json->out, value);
}

void json_double(struct json_writer *json, double value) {
  json_begin_item(json);
  if (!isfinite(value)) {
    output_add_text(json->out, "null");
    return;
  }
  char text[FLOAT_SHORTEST];
  float_shortest(text, value);
  output_add_text(json->out, text);
}

void json_bool(struct json_writer *json, bool value) {
  json_begin_item(json);
  output_add_text(json->out, value ? "true" : "false");
}

void json_verbatim(struct json_writer *json, pprofc_str text) {
  json_begin_item(json);
  output_add_str(json->out, text);
}
