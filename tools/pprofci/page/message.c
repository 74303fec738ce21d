/* Writes, reads and prints the text of a result. */
#include "page/page.h"

#include "core/template.h"
#include "run/files.h"

/* Moves the text of the buffer into a new piece. Adds no piece for an empty text without a path. */
static void end_piece(struct message_text *t, pprofc_str path) {
  if (!t->text.size && !path.size) return;
  struct message_piece piece = {buffer_keep(&t->text, t->arena), path};
  (void)ARRAY_PUSH_IN(t->arena, t->pieces, t->count, t->capacity, piece);
  buffer_clear(&t->text);
}

void message_begin_link(struct message_text *t) {
  end_piece(t, STR(""));
}

void message_end_link(struct message_text *t, const char *path) {
  end_piece(t, str_of(path));
}

extern const unsigned char asset_ci_summary_template[];
extern const size_t asset_ci_summary_template_size;

pprofc_str message_template(void) {
  return (pprofc_str){(const char *)asset_ci_summary_template, asset_ci_summary_template_size};
}

void message_put_address(struct buffer *out, pprofc_str path, const struct message_place *place) {
  size_t hash = str_find_char(path, '#');
  pprofc_str file = str_slice(path, 0, hash), state = str_slice(path, hash + 1, path.size);
  buffer_add_str(out, place->address);
  if (!place->one_file) {
    buffer_add_str(out, path);
    return;
  }
  bool page = str_equal(file, STR("index.html"));
  if (!page || state.size) buffer_add_char(out, '#');
  if (!page) buffer_add_str(out, file);
  if (!page && state.size) buffer_add_char(out, '&');
  buffer_add_str(out, state);
}

void message_add(struct message *m, struct message_text *t, struct message_part part) {
  end_piece(t, STR(""));
  part.pieces = t->pieces;
  part.count = t->count;
  if (t->count && m->count < MESSAGE_PARTS) m->parts[m->count++] = part;
  *t = (struct message_text){.arena = t->arena, .text = t->text};
}

void message_replace_headline(struct message *m, struct arena *arena, const char *sign,
                              pprofc_str headline) {
  struct message_piece *was = arena_zero_array(arena, 1, sizeof *was);
  if (m->count == MESSAGE_PARTS) return;
  was->text = str_of(text_printf(arena, "%s%.*s\n\n", m->sign, STR_ARG(m->headline)));
  memmove(m->parts + 1, m->parts, m->count++ * sizeof *m->parts);
  m->parts[0] = (struct message_part){.title = STR(""), .pieces = was, .count = 1};
  m->sign = sign;
  m->headline = headline;
}

/* Adds the lines of code for a place without HTML, where an indented line is code. The code could
 * contain the end of a fence (```). */
static void message_fill_code(struct fill *f, pprofc_str text) {
  pprofc_str line;
  while (text.size && str_next_line(&text, &line)) {
    fill_begin(f, "lines");
    text_unescape(fill_html(f, "line"), line);
    fill_end(f);
  }
}

static void fill_piece(struct fill *f, const struct message_piece *piece,
                       const struct message_place *place) {
  fill_begin(f, "pieces");
  buffer_add_str(fill_html(f, "text"), piece->text);
  if (piece->path.size && place->linked)
    message_put_address(fill_html(f, "address"), piece->path, place);
  fill_end(f);
}

void message_put_headline(struct buffer *out, const struct message *m) {
  buffer_printf(out, "### %s%.*s", m->sign, STR_ARG(m->headline));
}

void message_put_part(struct buffer *out, const struct message_part *part,
                      const struct message_place *place) {
  if (part->is_links && !place->linked) return;
  struct fill f = fill_make(out->mem);
  fill_pack(&f, "title:S html:b code:b apart:b", part->title, place->html, part->is_code,
            part->is_code || part->title.size > 0);
  for (size_t i = 0; i < part->count; i++)
    if (part->is_code && !place->html)
      message_fill_code(&f, part->pieces[i].text);
    else
      fill_piece(&f, &part->pieces[i], place);
  template_put(out, message_template(), "message", &f);
  fill_free(&f);
}

void message_put(struct buffer *out, const struct message *m, const struct message_place *place) {
  message_put_headline(out, m);
  buffer_add_text(out, "\n\n");
  for (size_t i = 0; i < m->count; i++) message_put_part(out, &m->parts[i], place);
}

static void message_write_part(struct json_writer *json, const struct message_part *part) {
  json_pack(json, "\n{title:S code:b links:b text:[", part->title, part->is_code, part->is_links);
  for (const struct message_piece *p = part->pieces; p < part->pieces + part->count; p++)
    if (p->path.size)
      json_pack(json, "[S S]", p->text, p->path);
    else
      json_string(json, p->text);
  json_pack(json, "]}");
}

void message_write(struct json_writer *json, const struct message *m) {
  json_pack(json, "{sign:s title:S parts:[", m->sign, m->headline);
  for (size_t i = 0; i < m->count; i++) message_write_part(json, &m->parts[i]);
  json_pack(json, "]}");
}

static bool is_message_text(pprofc_str text) {
  return str_find_char(text, '\0') == text.size && utf8_valid(text);
}

/* Appends the pieces of a text. Returns false if a piece is invalid. */
static bool message_read_text(const struct node *pieces, struct message_text *text) {
  for (size_t i = 0; i < node_size(pieces); i++) {
    const struct node *piece = node_at(pieces, i), *path = NULL;
    if (node_is(piece, NODE_ARRAY)) {
      path = node_at(piece, 1);
      piece = node_at(piece, 0);
      if (!node_is(path, NODE_STRING) || !is_message_text(path->text)) return false;
    }
    if (!node_is(piece, NODE_STRING) || !is_message_text(piece->text)) return false;
    if (path) message_begin_link(text);
    buffer_add_str(&text->text, piece->text);
    if (path) end_piece(text, arena_str(text->arena, path->text));
  }
  return true;
}

/* Reads a section and its text. Returns false if the section is invalid. */
static bool message_read_part(const struct node *node, struct message_part *part,
                              struct message_text *text) {
  *part = (struct message_part){.title = node_text(node, "title"),
                                .is_code = node_is(node_get(node, "code"), NODE_TRUE),
                                .is_links = node_is(node_get(node, "links"), NODE_TRUE)};
  return is_message_text(part->title) && message_read_text(node_get(node, "text"), text);
}

pprofc_status message_read(const struct node *node, struct arena *arena, struct message *m,
                           pprofc_error *error) {
  const struct node *parts = node_get(node, "parts");
  struct message_part part;
  struct message_text text = {.arena = arena, .text = ci_buffer()};
  *m = (struct message){.sign = text_keep(arena, node_text(node, "sign")),
                        .headline = node_text(node, "title")};
  bool good = m->headline.size && node_size(parts) < MESSAGE_PARTS &&
              is_message_text(m->headline) && is_message_text(node_text(node, "sign"));
  for (size_t i = 0; good && i < node_size(parts); i++) {
    good = message_read_part(node_at(parts, i), &part, &text);
    if (good) message_add(m, &text, part);
  }
  buffer_free(&text.text);
  return good ? PPROFC_OK : error_set(error, PPROFC_E_FORMAT, "it has no valid summary");
}
