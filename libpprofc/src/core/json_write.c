/* Writes JSON item by item, and keeps only the nesting in memory. */
#include "core/json_write.h"
#include "core/base.h"

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
  struct buffer shorter = buffer_make(json->scratch.mem, SIZE_MAX);
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

/* Writes the next argument of json_pack. */
static void json_pack_value(struct json_writer *json, char kind, va_list *args) {
  const char *text;
  switch (kind) {
  case 'S':
    json_string(json, va_arg(*args, pprofc_str));
    break;
  case 's':
    text = va_arg(*args, const char *);
    json_text(json, text ? text : "");
    break;
  case 'i':
    json_int(json, va_arg(*args, int64_t));
    break;
  case 'u':
    json_uint(json, va_arg(*args, uint64_t));
    break;
  case 'f':
    json_double(json, va_arg(*args, double));
    break;
  case 'b':
    json_bool(json, va_arg(*args, int));
    break;
  }
}

/* Writes the word (key or value) at the start of a format. Returns the length of this word. */
static size_t json_pack_word(struct json_writer *json, const char *format, va_list *args) {
  char name[64];
  size_t size = strcspn(format, ": {}[]\n");
  if (format[size] != ':') {
    if (char_is_digit(*format))
      json_verbatim(json, (pprofc_str){format, size});
    else
      json_pack_value(json, *format, args);
    return size;
  }
  snprintf(name, sizeof name, "%.*s", (int)size, format);
  json_key(json, name);
  return size + 1;
}

void json_pack(struct json_writer *json, const char *format, ...) {
  va_list args;
  va_start(args, format);
  while (*format) {
    size_t size = 1;
    if (*format == '{' || *format == '[')
      json_open(json, *format, *format == '{' ? '}' : ']');
    else if (*format == '}' || *format == ']')
      json_end(json);
    else if (*format == '\n')
      json_line_break(json);
    else if (*format != ' ')
      size = json_pack_word(json, format, &args);
    format += size;
  }
  va_end(args);
}
