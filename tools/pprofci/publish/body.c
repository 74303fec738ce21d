/* Creates, truncates and parses the text of a comment. */
#include "publish/post.h"

#define BODY_LINE_MAX 2000 /* maximum bytes of the headline, which may contain long names */
/* Maximum size in bytes of a last section that is kept when a comment is truncated. */
#define LAST_MOST    2000
#define NOTE_MAX     160 /* bytes reserved for a note such as "... 3 more" */
#define ELLIPSIS     "\xE2\x80\xA6"
#define COMMIT_SHOWN 7

bool body_has_marker(pprofc_str text, const char *key) {
  pprofc_str line;
  if (!str_next_line(&text, &line) || !str_starts(line, STR("<!-- pprofc:"))) return false;
  line = str_slice(str_trim(line), strlen("<!-- pprofc:"), SIZE_MAX);
  return str_starts(line, str_of(key)) &&
         str_equal(str_slice(line, strlen(key), SIZE_MAX), STR(" -->"));
}

static void take_state_word(struct body_state *state, pprofc_str word) {
  pprofc_str key = str_slice(word, 0, str_find_char(word, '='));
  pprofc_str value = str_slice(word, key.size + 1, SIZE_MAX);
  uint64_t number = 0;
  bool is_number = str_parse_uint(value, 10, &number);
  if (str_equal(key, STR("commit")) && outcome_is_commit(value)) state->commit = value;
  if (str_equal(key, STR("had")) && outcome_is_commit(value)) state->had = value;
  if (!is_number) return;
  if (str_equal(key, STR("regressed"))) state->regressed = (size_t)number;
  if (str_equal(key, STR("run"))) state->run = number;
  if (str_equal(key, STR("count"))) state->had_count = (size_t)number;
  if (str_equal(key, STR("good"))) state->good = number == 1;
}

bool body_parse(pprofc_str text, const char *key, struct body_state *state) {
  pprofc_str line, word;
  *state = (struct body_state){.commit = STR(""), .had = STR("")};
  if (!body_has_marker(text, key)) return false;
  str_next_line(&text, &line);
  if (!text.data || !str_next_line(&text, &line)) return true;
  line = str_trim(line);
  if (!str_starts(line, STR("<!-- state ")) || !str_ends(line, STR(" -->"))) return true;
  while (str_next(&line, ' ', &word)) take_state_word(state, word);
  if (!state->had.size) state->had_count = 0;
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

/* Returns the text before an HTML comment without an end, which would hide all later text. */
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

static void put_first_line(struct buffer *out, pprofc_str line, size_t most) {
  pprofc_str cut = line.size > most ? outside_comments(utf8_prefix(line, most)) : line;
  buffer_add_str(out, cut);
  if (cut.size < line.size) buffer_add_text(out, ELLIPSIS);
  buffer_add_char(out, '\n');
}

/* Appends the lines that fit into `room` bytes. Returns the number of the lines that do not fit. */
static size_t put_head_lines(struct buffer *out, pprofc_str text, size_t room) {
  size_t cut = 0;
  pprofc_str line;
  while (text.size && str_next_line(&text, &line)) {
    bool fits = out->size + line.size + 1 <= room;
    if (fits) buffer_printf(out, "%.*s\n", STR_ARG(line));
    cut += !fits;
  }
  return cut;
}

/* Adds the collapsed sections that fit into `room` bytes. Keeps space for a short last section,
 * which is for coding agents. Returns the number of sections that do not fit. */
static size_t body_put_folded(struct buffer *out, const struct body *body, size_t first,
                              size_t room) {
  const struct message *m = body->summary;
  struct buffer part = ci_buffer();
  size_t cut = 0, last = 0;
  if (m->count > first) message_put_part(&part, &m->parts[m->count - 1], &body->place);
  if (part.size <= LAST_MOST) last = part.size;
  for (size_t i = first; i < m->count; i++) {
    buffer_clear(&part);
    message_put_part(&part, &m->parts[i], &body->place);
    bool fits = out->size + part.size + (i + 1 < m->count ? last : 0) <= room;
    if (fits) buffer_add_str(out, buffer_str(&part));
    cut += !fits;
  }
  buffer_free(&part);
  return cut;
}

/* Adds the headline and the visible sections. Returns the index of the first collapsed section. */
static size_t body_put_visible(struct buffer *out, const struct body *body, size_t room) {
  const struct message *m = body->summary;
  size_t first = 0;
  struct buffer text = ci_buffer();
  message_put_headline(&text, m);
  put_first_line(out, buffer_str(&text), room / 2 < BODY_LINE_MAX ? room / 2 : BODY_LINE_MAX);
  buffer_clear(&text);
  buffer_add_char(&text, '\n');
  for (; first < m->count && !m->parts[first].title.size; first++)
    message_put_part(&text, &m->parts[first], &body->place);
  size_t lines = put_head_lines(out, buffer_str(&text), room);
  if (lines) buffer_printf(out, "\nand %zu more lines\n", lines);
  buffer_free(&text);
  return first;
}

static void put_cut(struct buffer *out, const struct body *body, const char *links, size_t most) {
  size_t room = most > NOTE_MAX ? most - NOTE_MAX : 0;
  size_t lead = strlen(links) + 2;
  size_t first = body_put_visible(out, body, room > lead ? room - lead : 0);
  if (*links && out->size + lead <= room) buffer_printf(out, "%s\n\n", links);
  size_t cut = body_put_folded(out, body, first, room);
  if (cut) buffer_printf(out, "\nand %zu more sections, which are in the artifacts\n", cut);
}

pprofc_str body_cut(const struct body *body, const char *links, size_t most, struct arena *arena) {
  struct buffer out = ci_buffer();
  put_cut(&out, body, links, most);
  return buffer_take(&out, arena);
}

static void put_state(struct buffer *out, const struct body_state *state) {
  buffer_printf(out, "<!-- state run=%llu regressed=%zu good=%d", (unsigned long long)state->run,
                state->regressed, state->good);
  if (state->commit.size) buffer_printf(out, " commit=%.*s", STR_ARG(state->commit));
  if (state->had.size)
    buffer_printf(out, " had=%.*s count=%zu", STR_ARG(state->had), state->had_count);
  buffer_add_text(out, " -->\n");
}

/* Returns the summary. If the result is a success and an earlier commit had regressions, puts "No
 * regressions any more" before the headline. */
static struct message body_summary(const struct body *body, struct arena *arena) {
  const struct body_state *state = &body->state;
  struct message m = *body->summary;
  if (state->good && state->had.size)
    message_replace_headline(
        &m, arena, verdict_sign(RUN_PASSED),
        str_of(text_printf(arena, "No regressions any more (%.*s had %zu)",
                           STR_ARG(str_slice(state->had, 0, COMMIT_SHOWN)), state->had_count)));
  return m;
}

pprofc_str body_make(const struct body *body, const char *key, const char *links, size_t most,
                     struct arena *arena) {
  struct buffer out = ci_buffer();
  const struct message summary = body_summary(body, arena);
  struct body shown = *body;
  shown.summary = &summary;
  buffer_printf(&out, "<!-- pprofc:%s -->\n", key);
  put_state(&out, &body->state);
  put_cut(&out, &shown, links, most);
  return buffer_take(&out, arena);
}
