/* Makes, truncates and parses the text of a comment. */
#include "publish/body.h"

#define LINE_MAX     2000 /* bytes of the headline, which contains names of any length */
#define LAST_MOST    2000 /* bytes of a last section that stays */
#define NOTE_MAX     160  /* bytes for "... more" */
#define SIGN_GOOD    "\xE2\x9C\x93 "
#define ELLIPSIS     "\xE2\x80\xA6"
#define COMMIT_SHOWN 7

/* ---- the hidden lines -------------------------------- */

bool body_has_marker(pprofc_str text, const char *key) {
  pprofc_str line;
  if (!str_next_line(&text, &line) || !str_starts(line, STR("<!-- pprofc:"))) return false;
  line = str_slice(str_trim(line), strlen("<!-- pprofc:"), SIZE_MAX);
  return str_starts(line, str_of(key)) &&
         str_equal(str_slice(line, strlen(key), SIZE_MAX), STR(" -->"));
}

static bool is_commit(pprofc_str text) {
  if (text.size < COMMIT_SHOWN || text.size > 64) return false;
  for (size_t i = 0; i < text.size; i++)
    if (!text.data[i] || !strchr("0123456789abcdef", text.data[i])) return false;
  return true;
}

static void take_state_word(struct body_state *state, pprofc_str word) {
  pprofc_str key = str_slice(word, 0, str_find_char(word, '='));
  pprofc_str value = str_slice(word, key.size + 1, SIZE_MAX);
  uint64_t number = 0;
  bool is_number = str_parse_uint(value, 10, &number);
  if (str_equal(key, STR("commit")) && is_commit(value)) state->commit = value;
  if (str_equal(key, STR("had")) && is_commit(value)) state->had = value;
  if (!is_number) return;
  if (str_equal(key, STR("regressed"))) state->regressed = (size_t)number;
  if (str_equal(key, STR("run"))) state->run = number;
  if (str_equal(key, STR("count"))) state->had_count = (size_t)number;
  if (str_equal(key, STR("good"))) state->good = number == 1;
}

bool body_parse(pprofc_str text, const char *key, struct body *body) {
  pprofc_str line, word;
  *body = (struct body){.state = {.commit = STR(""), .had = STR("")}};
  if (!body_has_marker(text, key)) return false;
  str_next_line(&text, &line);
  body->summary = text.data ? text : STR("");
  if (!text.data || !str_next_line(&text, &line)) return true;
  line = str_trim(line);
  if (!str_starts(line, STR("<!-- state ")) || !str_ends(line, STR(" -->"))) return true;
  body->summary = text.data ? text : STR("");
  while (str_next(&line, ' ', &word)) take_state_word(&body->state, word);
  if (!body->state.had.size) body->state.had_count = 0;
  return true;
}

void body_follow(struct body_state *state, const struct body_state *before) {
  bool was_other = before->commit.size && !str_equal(before->commit, state->commit);
  state->had = before->had;
  state->had_count = before->had_count;
  if (was_other && before->regressed) {
    state->had = before->commit;
    state->had_count = before->regressed;
  }
}

/* ---- cutting ----------------------------------------- */

pprofc_str body_prefix(pprofc_str text, size_t most) {
  if (text.size <= most) return text;
  while (most && ((unsigned char)text.data[most] & 0xC0) == 0x80) most--;
  return str_slice(text, 0, most);
}

/* Returns the text before an HTML comment that is not closed in it. An open comment would hide
 * the rest. */
static pprofc_str outside_comments(pprofc_str text) {
  pprofc_str rest = text;
  for (;;) {
    size_t open = str_find(rest, STR("<!--"));
    if (open == rest.size) return text;
    rest = str_slice(rest, open, rest.size);
    size_t close = str_find(rest, STR("-->"));
    if (close == rest.size) return str_slice(text, 0, text.size - rest.size);
    rest = str_slice(rest, close, rest.size);
  }
}

static void put_first_line(struct buffer *out, pprofc_str line) {
  pprofc_str cut = line.size > LINE_MAX ? outside_comments(body_prefix(line, LINE_MAX)) : line;
  buffer_add_str(out, cut);
  if (cut.size < line.size) buffer_add_text(out, ELLIPSIS);
  buffer_add_char(out, '\n');
}

/* Returns the begin of the next folded section. */
static size_t next_section(pprofc_str text, size_t from) {
  size_t found = str_find(str_slice(text, from, text.size), STR("\n<details>"));
  return from + found < text.size ? from + found + 1 : text.size;
}

/* Adds the lines that fit. Returns the number of lines that do not. */
static size_t put_head_lines(struct buffer *out, pprofc_str text, size_t room) {
  size_t cut = 0;
  pprofc_str line;
  while (text.size && str_next_line(&text, &line)) {
    if (out->size + line.size + 1 <= room) {
      buffer_add_str(out, line);
      buffer_add_char(out, '\n');
    } else {
      cut++;
    }
    if (!text.data) break;
  }
  return cut;
}

/* Returns the size of the last section if it is short: it is for agents, and stays. */
static size_t last_section(pprofc_str text) {
  size_t last = text.size;
  for (size_t at = 0; at < text.size; at = next_section(text, at + 1)) last = at;
  return text.size - last <= LAST_MOST ? text.size - last : 0;
}

/* Adds the folded sections that fit. Returns the number of sections that do not. */
static size_t put_sections(struct buffer *out, pprofc_str text, size_t room) {
  size_t cut = 0, last = last_section(text);
  for (size_t at = 0; at < text.size;) {
    size_t end = next_section(text, at + 1);
    pprofc_str section = str_slice(text, at, end);
    size_t kept = end < text.size ? last : 0;
    bool fits = out->size + section.size + kept <= room;
    if (fits) buffer_add_str(out, section);
    cut += !fits;
    at = end;
  }
  return cut;
}

static void put_cut(struct buffer *out, pprofc_str summary, const char *links, size_t most) {
  pprofc_str rest = summary, first;
  size_t room = most > NOTE_MAX ? most - NOTE_MAX : 0;
  size_t lead = strlen(links) + 2;
  if (!str_next_line(&rest, &first)) return;
  put_first_line(out, first);
  if (!rest.data) rest = STR("");
  size_t head = str_starts(rest, STR("<details>")) ? 0 : next_section(rest, 0);
  size_t lines = put_head_lines(out, str_slice(rest, 0, head), room > lead ? room - lead : 0);
  if (lines) buffer_printf(out, "\nand %zu more lines\n", lines);
  if (*links) buffer_printf(out, "%s\n\n", links);
  size_t cut = put_sections(out, str_slice(rest, head, rest.size), room);
  if (cut) buffer_printf(out, "\nand %zu more sections, which are in the artifacts\n", cut);
}

pprofc_str body_cut(pprofc_str summary, const char *links, size_t most, struct arena *arena) {
  struct buffer out;
  buffer_init(&out, &mem_default, SIZE_MAX / 2);
  put_cut(&out, summary, links, most);
  pprofc_str kept = buffer_keep(&out, arena);
  buffer_free(&out);
  return kept;
}

/* ---- comment ----------------------------------------- */

static void put_state(struct buffer *out, const struct body_state *state) {
  buffer_printf(out, "<!-- state run=%llu regressed=%zu good=%d", (unsigned long long)state->run,
                state->regressed, state->good);
  if (state->commit.size) buffer_printf(out, " commit=%.*s", STR_ARG(state->commit));
  if (state->had.size)
    buffer_printf(out, " had=%.*s count=%zu", STR_ARG(state->had), state->had_count);
  buffer_add_text(out, " -->\n");
}

/* Adds "No regressions any more" before the headline of a green result. */
static void put_fixed(struct buffer *out, const struct body *body) {
  static const char title[] = "### " SIGN_GOOD;
  const struct body_state *state = &body->state;
  pprofc_str summary = body->summary;
  if (state->good && state->had.size && str_starts(summary, str_of(title))) {
    buffer_printf(out, "%sNo regressions any more (%.*s had %zu)\n\n", title,
                  STR_ARG(str_slice(state->had, 0, COMMIT_SHOWN)), state->had_count);
    summary = str_slice(summary, strlen(title), summary.size);
  }
  buffer_add_str(out, summary);
}

pprofc_str body_make(const struct body *body, const char *key, const char *links, size_t most,
                     struct arena *arena) {
  struct buffer text, out;
  buffer_init(&text, &mem_default, SIZE_MAX / 2);
  buffer_init(&out, &mem_default, SIZE_MAX / 2);
  put_fixed(&text, body);
  buffer_printf(&out, "<!-- pprofc:%s -->\n", key);
  put_state(&out, &body->state);
  put_cut(&out, buffer_str(&text), links, most);
  out.failed |= text.failed;
  pprofc_str kept = buffer_keep(&out, arena);
  buffer_free(&out);
  buffer_free(&text);
  return kept;
}
