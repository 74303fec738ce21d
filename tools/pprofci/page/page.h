/* Writes the files of a finished run: the page, the summary, the manifest and the annotations. */
#ifndef PPROFCI_PAGE_PAGE_H
#define PPROFCI_PAGE_PAGE_H

#include "core/json_tree.h"
#include "core/json_write.h"
#include "page/model.h"

/* ---- the text of a result (message.c) ------------- */

#define MESSAGE_PARTS 48 /* maximum number of sections of a message */

/* A piece of a text: Markdown, or in a section of code, code with HTML entities. */
struct message_piece {
  pprofc_str text;
  pprofc_str path; /* target of a link in the page's folder; empty for a text that is not a link */
};

struct message_part {
  pprofc_str title; /* title of a collapsed section; empty for a section that is always visible */
  const struct message_piece *pieces;
  size_t count;
  bool is_code;
  bool is_links; /* true for a line of links; a message without links omits this line */
};

struct message {
  const char *sign;    /* sign before the headline: "✗ ", or "" */
  pprofc_str headline; /* headline in Markdown */
  struct message_part parts[MESSAGE_PARTS];
  size_t count;
};

/* Text of the next section of a message. */
struct message_text {
  struct arena *arena;
  struct message_piece *pieces;
  size_t count, capacity;
  struct buffer text; /* text after the last piece */
};

/* Medium of a message: a pull request comment, a page, a job summary or a terminal. */
struct message_place {
  bool html;          /* true if Markdown may contain HTML */
  bool linked;        /* true if the result's page has an address */
  pprofc_str address; /* URL of the page's folder, ending with '/', or of report.html */
  bool one_file;      /* true for report.html, which contains the page and its flame graphs */
};

/* Returns the template of assets/ci_summary.template. */
pprofc_str message_template(void);

/* These functions enclose the text of a link to a file in the page's folder. The path may end with
 * "#ANCHOR". The text lives until the message is printed. */
void message_begin_link(struct message_text *text);
void message_end_link(struct message_text *text, const char *path);

/* Appends the address of a file in the page's folder, such as "flame/NAME.html#search=F". In
 * report.html the address is "#flame/NAME.html&search=F". */
void message_put_address(struct buffer *out, pprofc_str path, const struct message_place *place);

/* Moves the text into a new section. Adds no section for an empty text, or if the message has
 * MESSAGE_PARTS sections. */
void message_add(struct message *m, struct message_text *text, struct message_part part);

/* Replaces the headline. Keeps the old headline as the first paragraph. Changes nothing if the
 * message has MESSAGE_PARTS sections. */
void message_replace_headline(struct message *m, struct arena *arena, const char *sign,
                              pprofc_str headline);

/* These functions append the headline, one section, or the whole message. */
void message_put_headline(struct buffer *out, const struct message *m);
void message_put_part(struct buffer *out, const struct message_part *part,
                      const struct message_place *place);
void message_put(struct buffer *out, const struct message *m, const struct message_place *place);

void message_write(struct json_writer *json, const struct message *m);

/* Reads the object that message_write wrote. Returns PPROFC_E_FORMAT if the object is invalid. */
pprofc_status message_read(const struct node *node, struct arena *arena, struct message *m,
                           pprofc_error *error);

/* ---- files (page.c, summary.c, manifest.c, annotations.c) ---- */

/* Writes index.html, report.html, summary.md and manifest.json to a temporary folder (stage.c). */
void write_pages(struct ci_run *run);

/* Writes the files of the CI service that $GITHUB_STEP_SUMMARY and $GITHUB_OUTPUT name. The
 * function is a step of `pprofci run`. */
void write_service_files(struct ci_run *run);

/* Prints a GitHub Actions command for each regression if annotations are enabled. */
void print_annotations(struct ci_run *run);

/* Appends a name in Markdown. Writes the name as code if GitHub interprets it even when it is
 * escaped. */
void md_name(struct buffer *out, pprofc_str name);

/* Makes the text of the result, for people and pull requests. A section for coding agents, of less
 * than 2,000 bytes, lists the regressions and commands that find the cause. */
void summary_make(const struct page_model *model, struct arena *arena, struct message *summary);

pprofc_str manifest_make(struct ci_run *run, const struct page_model *model);

/* Writes the regressions as a JSON array: benchmark, file and line, title and message. */
void annotations_list(struct json_writer *json, const struct page_model *model);

/* True if an address may become a link. The address must have http or https, a host, and only bytes
 * that are valid in a URL. */
bool outside_may_link(pprofc_str url);

/* Reads links to other servers from the file named by the flag -links. `pprofci push -links` writes
 * this file. The function is a step of a run. */
void outside_read(struct ci_run *run);

/* Adds the links to other servers from a job's manifest. Skips addresses that must not be links. */
void outside_add(struct ci_run *run, const struct node *root, const char *job);

/* Writes the links as a member of a manifest. Writes nothing if the run has no links. */
void outside_write(struct json_writer *json, const struct ci_run *run);

#endif
