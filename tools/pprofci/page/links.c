/* Writes, resolves and removes the links of a summary. */
#include "page/links.h"

#define LINK_OPEN  "<a href=\""
#define LINK_CLOSE "</a>"

void links_begin(struct buffer *out, const char *path, const char *fragment) {
  buffer_printf(out, LINK_OPEN "%s%s%s\">", path, *fragment ? "#" : "", fragment);
}

void links_end(struct buffer *out) {
  buffer_add_text(out, LINK_CLOSE);
}

void links_put_address(struct buffer *out, pprofc_str path, const struct links_site *site) {
  size_t hash = str_find_char(path, '#');
  pprofc_str file = str_slice(path, 0, hash), state = str_slice(path, hash + 1, path.size);
  buffer_add_str(out, site->address);
  if (!site->one_file) {
    buffer_add_str(out, path);
    return;
  }
  bool page = str_equal(file, STR("index.html"));
  if (!page || state.size) buffer_add_char(out, '#');
  if (!page) buffer_add_str(out, file);
  if (!page && state.size) buffer_add_char(out, '&');
  buffer_add_str(out, state);
}

/* Appends a link with its address on the site; returns the rest after the opening tag. */
static pprofc_str links_put_open(struct buffer *out, pprofc_str rest,
                                 const struct links_site *site) {
  size_t end = str_find(rest, STR("\">"));
  if (site->address.size) {
    buffer_add_text(out, LINK_OPEN);
    links_put_address(out, str_slice(rest, strlen(LINK_OPEN), end), site);
    buffer_add_text(out, end < rest.size ? "\">" : "");
  }
  return str_slice(rest, end < rest.size ? end + 2 : end, rest.size);
}

static void links_put_line(struct buffer *out, pprofc_str line, const struct links_site *site) {
  while (line.size) {
    size_t open = str_find(line, STR(LINK_OPEN)), close = str_find(line, STR(LINK_CLOSE));
    size_t next = open < close ? open : close;
    buffer_add_str(out, str_slice(line, 0, next));
    line = str_slice(line, next, line.size);
    if (!line.size) return;
    if (open < close) {
      line = links_put_open(out, line, site);
    } else {
      if (site->address.size) buffer_add_text(out, LINK_CLOSE);
      line = str_slice(line, strlen(LINK_CLOSE), line.size);
    }
  }
}

void links_resolve(struct buffer *out, pprofc_str summary, const struct links_site *site) {
  pprofc_str line;
  while (summary.size && str_next_line(&summary, &line)) {
    bool whole = str_starts(line, STR(LINKS_LINE));
    if (!whole || site->address.size) links_put_line(out, line, site);
    if (!summary.data) return;
    /* Also drop the empty line after a dropped line of links. */
    if (whole && !site->address.size)
      summary = str_starts(summary, STR("\n")) ? str_slice(summary, 1, summary.size) : summary;
    else
      buffer_add_char(out, '\n');
  }
}
