/* Creates and parses the text of a comment on a pull request. The text has a marker that identifies
 * the comment, a hidden state for the next run, and the summary. The summary is truncated to the
 * limit of the code host, such as GitHub. */
#ifndef PPROFCI_PUBLISH_BODY_H
#define PPROFCI_PUBLISH_BODY_H

#include "page/message.h"
#include "publish/outcome.h"

/* GitHub's limit in characters. The code compares the limit with a number of bytes. This is safe,
 * because a text never has more characters than bytes. */
#define BODY_MAX ((size_t)65536)

/* State of the comment, hidden in the comment's second line. */
struct body_state {
  pprofc_str commit; /* id of the measured commit */
  size_t regressed;  /* number of regressed benchmarks in `commit` */
  uint64_t run;      /* number of the run in the CI system; a newer run has a larger number */
  pprofc_str had;    /* id of the last earlier commit that had regressions */
  size_t had_count;
  bool good; /* true for a green result */
};

struct body {
  struct body_state state;
  const struct message *summary;
  struct message_place place; /* medium in which the text appears: a page or a comment */
};

/* True if the text is the comment that pprofci wrote for this value of the flag -key. */
bool body_has_marker(pprofc_str text, const char *key);

/* Parses the state of a comment. Returns false if the text lacks the marker of `key`. */
bool body_parse(pprofc_str text, const char *key, struct body_state *state);

/* Takes the last earlier commit with regressions from `before`, the state of the old comment. */
void body_follow(struct body_state *state, const struct body_state *before);

/* Creates the comment, at most `most` bytes of UTF-8. The comment has the headline, and as many
 * lines and collapsed sections as fit. `links` is a line of Markdown, or empty. */
pprofc_str body_make(const struct body *body, const char *key, const char *links, size_t most,
                     struct arena *arena);

/* Creates the comment without the marker and the state. `most` limits its size as in body_make. */
pprofc_str body_cut(const struct body *body, const char *links, size_t most, struct arena *arena);

/* Returns the longest prefix of at most `most` bytes that ends at a character boundary. */
pprofc_str body_prefix(pprofc_str text, size_t most);

#endif
