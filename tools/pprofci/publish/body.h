/* The text of a comment: the marker that identifies it, the state for the next push, and the
 * summary, truncated to the limit of the host. */
#ifndef PPROFCI_PUBLISH_BODY_H
#define PPROFCI_PUBLISH_BODY_H

#include "publish/outcome.h"

#define BODY_MAX                                                                                   \
  ((size_t)65536) /* limit of GitHub; in bytes, which are never fewer than                         \
                     characters */

/* State in the second, hidden line of a comment. Its texts are short and plain. */
struct body_state {
  pprofc_str commit; /* measured commit */
  size_t regressed;  /* number of regressed benchmarks in that commit */
  uint64_t run;      /* number of the run; the larger number is the newer run */
  pprofc_str had;    /* last earlier commit with regressions */
  size_t had_count;
  bool good; /* true for a green result */
};

/* A parsed comment. */
struct body {
  struct body_state state;
  pprofc_str summary; /* text after the hidden lines */
};

/* True if the text is a comment of pprofci with that key. */
bool body_has_marker(pprofc_str text, const char *key);

/* Parses a comment. False if it has no marker, or the marker of another key. */
bool body_parse(pprofc_str text, const char *key, struct body *body);

/* Copies the last commit with regressions from the state of the existing comment. */
void body_follow(struct body_state *state, const struct body_state *before);

/* Makes the comment, at most `most` bytes of UTF-8: the whole headline, then lines and
 * sections as far as they fit. `links` is a line of Markdown, or empty. data is NULL when out
 * of memory. */
pprofc_str body_make(const struct body *body, const char *key, const char *links, size_t most,
                     struct arena *arena);

/* Makes the summary alone, truncated in the same way. */
pprofc_str body_cut(pprofc_str summary, const char *links, size_t most, struct arena *arena);

/* Makes the summary for a host that does not show HTML in comments. data is NULL when out of
 * memory. */
pprofc_str body_plain(pprofc_str summary, struct arena *arena);

/* Returns the longest prefix of at most `most` bytes that ends at a character boundary. */
pprofc_str body_prefix(pprofc_str text, size_t most);

#endif
