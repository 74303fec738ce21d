/* The text of a result, divided into sections. The manifest contains the sections. Other functions
 * print the sections as summary.md, comments, checks and job summaries. */
#ifndef PPROFCI_PAGE_MESSAGE_H
#define PPROFCI_PAGE_MESSAGE_H

#include "core/buffer.h"
#include "core/json_tree.h"
#include "core/json_write.h"

#define MESSAGE_PARTS 48 /* maximum number of sections */

struct message_part {
  pprofc_str title; /* title of a collapsed section; empty for a section that is always visible */
  pprofc_str text;  /* Markdown with links written by message_link, or code with HTML entities */
  bool is_code;
  bool is_links; /* true for a line of links; a message without links omits this line */
};

struct message {
  const char *sign;    /* sign before the headline: "✗ ", or "" */
  pprofc_str headline; /* headline in Markdown */
  struct message_part parts[MESSAGE_PARTS];
  size_t count;
};

/* Medium of a message: a pull request comment, a page, a job summary or a terminal. */
struct message_place {
  bool html;          /* true if Markdown may contain HTML */
  bool linked;        /* true if the result's page has an address */
  pprofc_str address; /* URL of the page's folder, ending with '/', or of report.html */
  bool one_file;      /* true for report.html, which contains the page and its flame graphs */
};

/* Begins a link to a file in the page's folder. The link leads to the anchor `fragment` if this is
 * not empty. The caller appends the text of the link and calls message_link_end. Control characters
 * mark the link, so other text must not contain control characters. */
void message_link(struct buffer *out, const char *path, const char *fragment);
void message_link_end(struct buffer *out);

/* Appends the address of a file in the page's folder, such as "flame/NAME.html#search=F". In
 * report.html the address is "#flame/NAME.html&search=F". */
void message_put_address(struct buffer *out, pprofc_str path, const struct message_place *place);

/* Moves the text of the buffer into a new section. Adds no section for an empty text, or if the
 * message has MESSAGE_PARTS sections. */
void message_add(struct message *m, struct arena *arena, struct message_part part,
                 struct buffer *text);

/* Replaces the headline. Keeps the old headline as the first paragraph. Changes nothing if the
 * message has MESSAGE_PARTS sections. */
void message_replace_headline(struct message *m, struct arena *arena, const char *sign,
                              pprofc_str headline);

/* These functions append the headline, one section, or the whole message. */
void message_put_headline(struct buffer *out, const struct message *m);
void message_put_part(struct buffer *out, const struct message_part *part,
                      const struct message_place *place);
void message_put(struct buffer *out, const struct message *m, const struct message_place *place);

/* Writes a message as a JSON object. */
void message_write(struct json_writer *json, const struct message *m);

/* Reads the object that message_write wrote. Returns PPROFC_E_FORMAT if the object is invalid. */
pprofc_status message_read(const struct node *node, struct arena *arena, struct message *m,
                           pprofc_error *error);

#endif
