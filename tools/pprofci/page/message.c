/* Writes, reads and prints the text of a result. */
#include "page/page.h"

#include "core/template.h"
#include "run/files.h"

/* Control characters of a link. LINK_PATH and LINK_TEXT enclose its path, and LINK_END ends its
 * text. */
#define LINK_PATH '\x01'
#define LINK_TEXT '\x02'
#define LINK_END  '\x03'

void message_link(struct buffer *out, const char *path, const char *fragment) {
  buffer_printf(out, "%c%s%s%s%c", LINK_PATH, path, *fragment ? "#" : "", fragment, LINK_TEXT);
}

void message_link_end(struct buffer *out) {
  buffer_add_char(out, LINK_END);
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

/* A piece of a text: plain text, or a link if the path is not empty. */
struct message_piece {
  pprofc_str text, path;
};

static bool next_message_piece(pprofc_str *rest, struct message_piece *piece) {
  if (!rest->size) return false;
  size_t link = str_find_char(*rest, LINK_PATH);
  if (link) {
    *piece = (struct message_piece){str_slice(*rest, 0, link), STR("")};
    *rest = str_slice(*rest, link, rest->size);
    return true;
  }
  size_t text = str_find_char(*rest, LINK_TEXT), end = str_find_char(*rest, LINK_END);
  *piece = (struct message_piece){str_slice(*rest, text + 1, end), str_slice(*rest, 1, text)};
  *rest = str_slice(*rest, end + 1, rest->size);
  return true;
}

void message_add(struct message *m, struct arena *arena, struct message_part part,
                 struct buffer *text) {
  if (!text->size || m->count == MESSAGE_PARTS) return;
  part.text = buffer_keep(text, arena);
  buffer_clear(text);
  m->parts[m->count++] = part;
}

void message_replace_headline(struct message *m, struct arena *arena, const char *sign,
                              pprofc_str headline) {
  const char *was = text_printf(arena, "%s%.*s\n\n", m->sign, STR_ARG(m->headline));
  if (m->count == MESSAGE_PARTS) return;
  memmove(m->parts + 1, m->parts, m->count++ * sizeof *m->parts);
  m->parts[0] = (struct message_part){.title = STR(""), .text = str_of(was)};
  m->sign = sign;
  m->headline = headline;
}

static void message_put_text(struct buffer *out, pprofc_str text,
                             const struct message_place *place) {
  struct message_piece piece;
  while (next_message_piece(&text, &piece)) {
    bool linked = piece.path.size && place->linked;
    if (linked) {
      buffer_add_text(out, "<a href=\"");
      message_put_address(out, piece.path, place);
      buffer_add_text(out, "\">");
    }
    buffer_add_str(out, piece.text);
    if (linked) buffer_add_text(out, "</a>");
  }
}

/* Appends a block of code. Without HTML, indents the block instead of writing a fence (```),
 * because the code could contain the end of the fence. */
static void message_put_code(struct buffer *out, pprofc_str text, bool html) {
  pprofc_str line;
  if (html) {
    buffer_printf(out, "<pre>\n%.*s</pre>\n", STR_ARG(text));
    return;
  }
  while (text.size && str_next_line(&text, &line)) {
    buffer_add_text(out, "    ");
    text_unescape(out, line);
    buffer_add_char(out, '\n');
  }
}

void message_put_headline(struct buffer *out, const struct message *m) {
  buffer_printf(out, "### %s%.*s", m->sign, STR_ARG(m->headline));
}

void message_put_part(struct buffer *out, const struct message_part *part,
                      const struct message_place *place) {
  bool folded = part->title.size;
  if (part->is_links && !place->linked) return;
  if (folded) buffer_add_text(out, place->html ? "<details><summary>" : "**");
  template_escape(out, part->title);
  if (folded) buffer_add_text(out, place->html ? "</summary>\n\n" : "**\n\n");
  if (part->is_code)
    message_put_code(out, part->text, place->html);
  else
    message_put_text(out, part->text, place);
  if (folded && place->html) buffer_add_text(out, "\n</details>\n");
  if (folded || part->is_code) buffer_add_char(out, '\n');
}

void message_put(struct buffer *out, const struct message *m, const struct message_place *place) {
  message_put_headline(out, m);
  buffer_add_text(out, "\n\n");
  for (size_t i = 0; i < m->count; i++) message_put_part(out, &m->parts[i], place);
}

static void message_write_part(struct json_writer *json, const struct message_part *part) {
  struct message_piece piece;
  pprofc_str rest = part->text;
  json_pack(json, "\n{title:S code:b links:b text:[", part->title, part->is_code, part->is_links);
  while (next_message_piece(&rest, &piece)) {
    if (piece.path.size) json_begin_array(json);
    json_string(json, piece.text);
    if (!piece.path.size) continue;
    json_pack(json, "S]", piece.path);
  }
  json_pack(json, "]}");
}

void message_write(struct json_writer *json, const struct message *m) {
  json_pack(json, "{sign:s title:S parts:[", m->sign, m->headline);
  for (size_t i = 0; i < m->count; i++) message_write_part(json, &m->parts[i]);
  json_pack(json, "]}");
}

/* True if the text is valid UTF-8 without the control characters that begin or end a link. */
static bool is_message_text(pprofc_str text) {
  for (size_t i = 0; i < text.size; i++)
    if ((unsigned char)text.data[i] <= LINK_END) return false;
  return utf8_valid(text);
}

/* Appends the pieces of a text. Returns false if a piece is invalid. */
static bool message_read_text(const struct node *pieces, struct buffer *out) {
  for (size_t i = 0; i < node_size(pieces); i++) {
    const struct node *piece = node_at(pieces, i);
    bool is_link = node_is(piece, NODE_ARRAY);
    const struct node *path = is_link ? node_at(piece, 1) : NULL;
    if (is_link) piece = node_at(piece, 0);
    bool good = node_is(piece, NODE_STRING) && is_message_text(piece->text);
    if (is_link) good = good && node_is(path, NODE_STRING) && is_message_text(path->text);
    if (!good) return false;
    if (is_link) buffer_printf(out, "%c%.*s%c", LINK_PATH, STR_ARG(path->text), LINK_TEXT);
    buffer_add_str(out, piece->text);
    if (is_link) message_link_end(out);
  }
  return true;
}

/* Reads a section and its text. Returns false if the section is invalid. */
static bool message_read_part(const struct node *node, struct message_part *part,
                              struct buffer *text) {
  *part = (struct message_part){.title = node_text(node, "title"),
                                .is_code = node_is(node_get(node, "code"), NODE_TRUE),
                                .is_links = node_is(node_get(node, "links"), NODE_TRUE)};
  return is_message_text(part->title) && message_read_text(node_get(node, "text"), text);
}

pprofc_status message_read(const struct node *node, struct arena *arena, struct message *m,
                           pprofc_error *error) {
  const struct node *parts = node_get(node, "parts");
  struct message_part part;
  struct buffer text = ci_buffer();
  *m = (struct message){.sign = text_keep(arena, node_text(node, "sign")),
                        .headline = node_text(node, "title")};
  bool good = m->headline.size && node_size(parts) < MESSAGE_PARTS &&
              is_message_text(m->headline) && is_message_text(node_text(node, "sign"));
  for (size_t i = 0; good && i < node_size(parts); i++) {
    good = message_read_part(node_at(parts, i), &part, &text);
    if (good) message_add(m, arena, part, &text);
  }
  buffer_free(&text);
  return good ? PPROFC_OK : error_set(error, PPROFC_E_FORMAT, "it has no valid summary");
}
