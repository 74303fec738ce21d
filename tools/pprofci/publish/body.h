/* The text of a comment: the marker by which it is found again, what the next push has to know, the
 * summary, cut to what the host takes. */
#ifndef PPROFCI_PUBLISH_BODY_H
#define PPROFCI_PUBLISH_BODY_H

#include "publish/outcome.h"

#define BODY_MOST ((size_t)65536) /* of GitHub, in bytes: never more characters than that */

/* What the second, hidden line of a comment keeps. Texts are short and plain. */
struct body_state {
  pprofc_str commit; /* that was measured */
  size_t regressed;  /* benchmarks that got worse in it */
  uint64_t run;      /* the number of the run: of two, the larger one is the newer */
  pprofc_str had;    /* the last commit with regressions, before this one */
  size_t had_count;
  bool good; /* a green result */
};

/* A comment taken apart. */
struct body {
  struct body_state state;
  pprofc_str summary; /* behind the hidden lines */
};

/* Whether the text is a comment of ours under that key. */
bool body_has_marker(pprofc_str text, const char *key);

/* Takes a comment apart. False: it has no marker, or not that of the key. */
bool body_parse(pprofc_str text, const char *key, struct body *body);

/* Takes over from the comment that is there what has regressed before. */
void body_follow(struct body_state *state, const struct body_state *before);

/* Makes the comment, at most `most` bytes of UTF-8: the headline whole, then lines and sections as
 * far as they fit. `links` is a line of Markdown, or empty. data is NULL when memory ran out. */
pprofc_str body_make(const struct body *body, const char *key, const char *links, size_t most,
                     struct arena *arena);

/* The summary alone, cut in the same way. */
pprofc_str body_cut(pprofc_str summary, const char *links, size_t most, struct arena *arena);

/* The summary for a host that does not show HTML in comments; data is NULL when memory ran out. */
pprofc_str body_plain(pprofc_str summary, struct arena *arena);

/* The longest beginning of at most `most` bytes that is whole characters. */
pprofc_str body_prefix(pprofc_str text, size_t most);

#endif
