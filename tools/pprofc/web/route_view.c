/* Answers requests for a view: parses the query, chooses profiles, and writes the page. */
#include "unit/unit.h"
#include "web/routes.h"

/* Flags that change how pprofc reads profiles, and the offset of their values in struct command. */
static const struct {
  const char *name;
  size_t offset;
} arguments_texts[] = {
    {"benchmark", offsetof(struct command, benchmark)},
    {"symbolize", offsetof(struct command, symbolize)},
    {"buildid", offsetof(struct command, buildid)},
    {"tools", offsetof(struct command, tools)},
    {"add_comment", offsetof(struct command, add_comment)},
};

struct arguments {
  struct arena *arena;
  const char **items;
  size_t count;
  bool failed;
};

/* Adds "-NAME=VALUE", or only VALUE if `name` is "". */
static void arguments_add(struct arguments *a, const char *name, const char *value) {
  const char *equals = *name && *value ? "=" : "";
  const char *text = text_printf(a->arena, "%s%s%s%s", *name ? "-" : "", name, equals, value);
  a->failed = a->failed || !text;
  if (text) a->items[a->count++] = text;
}

static void arguments_add_flags(struct arguments *a, const struct command *command) {
  static const char *const stacks[] = {
      [PPROFC_STACKS_EDGES] = "edges", [PPROFC_STACKS_FLAT] = "flat"};
  for (size_t i = 0; i < sizeof arguments_texts / sizeof *arguments_texts; i++) {
    const char *value;
    memcpy(&value, (const char *)command + arguments_texts[i].offset, sizeof value);
    if (value && *value) arguments_add(a, arguments_texts[i].name, value);
  }
  if (command->all_frames) arguments_add(a, "all_frames", "");
  if (command->call_stacks != PPROFC_STACKS_PROPORTIONAL)
    arguments_add(a, "callgrind_stacks", stacks[command->call_stacks]);
}

static void arguments_add_range(struct arguments *a, const char *flag, struct time_range r) {
  char text[160], from[64], to[64];
  if (!r.to) return;
  pprofc_str first = unit_go_duration(r.from, from), last = unit_go_duration(r.to, to);
  if (r.to == INT64_MAX) last.size = 0;
  snprintf(text, sizeof text, "%.*s,%.*s", STR_ARG(first), STR_ARG(last));
  arguments_add(a, flag, text);
}

/* Returns the intersection of the time ranges that the command line and the page select. `part` is
 * true if the base is the part of the recording that -diff_time_range selects. */
static struct time_range arguments_range(const struct command *command,
                                         const struct state_choice *choice, bool part) {
  bool own = part && choice->side == WEB_BASE;
  struct time_range r = choice->range, given = own ? command->diff_time_range : command->time_range;
  if (!r.to) return given;
  if (given.to && given.from > r.from) r.from = given.from;
  if (given.to && given.to < r.to) r.to = given.to;
  return r;
}

/* Adds the files of base or head as arguments: the files of its runs or of a sum, or its source.
 * Each file becomes the value of `flag`, or a source if `flag` is "". */
static void arguments_add_side(struct arguments *a, const struct command *command, const char *flag,
                               const struct state_profile *side) {
  const struct source_list *bases = &command->bases;
  for (size_t i = 0; i < side->run_count; i++) arguments_add(a, flag, side->runs[i].name);
  for (size_t i = 0; i < bases->count && side->is_bases; i++)
    arguments_add(a, flag, bases->items[i]);
  if (!side->run_count && !side->is_bases) arguments_add(a, flag, side->source);
}

/* Adds the binary and the sources of the head. */
static void arguments_add_head(struct arguments *a, const struct command *command,
                               const struct state_profile *head) {
  bool sums = head->is_command && !head->run_count;
  if (command->executable) arguments_add(a, "", command->executable);
  for (size_t i = 0; i < command->source_count && sums; i++)
    arguments_add(a, "", command->sources[i]);
  if (!sums) arguments_add_side(a, command, "", head);
}

/* True if a command line can name the files of this profile. */
static bool arguments_can_load(const struct state_profile *side, bool sums) {
  return !side || sums || side->run_count || side->is_bases || *side->source;
}

/* True if the profile is the part of the recording that -diff_time_range selects. */
static bool arguments_is_part(const struct command *command, const struct state_profile *side) {
  if (!side || side->is_command || !command->diff_time_range.to) return false;
  if (side->run_count) return side->run_count == command->bases.count;
  return *side->source && strcmp(side->source, command->diff_base) == 0;
}

/* True if a command line can load the chosen profiles. False if the head is the part of the
 * recording that -diff_time_range selects: on a command line, this part is always the base. */
static bool arguments_exist(const struct command *command, const struct state_choice *choice) {
  const struct state_profile *head = choice->head, *base = choice->base;
  bool sums = head->is_command && !head->run_count;
  if (!arguments_can_load(head, sums) || !arguments_can_load(base, false)) return false;
  if (arguments_is_part(command, head)) return false;
  return head->is_command || !arguments_is_part(command, base);
}

/* Adds the flags for time ranges and for the base. */
static void arguments_add_base(struct arguments *a, const struct command *command,
                               const struct state_choice *choice) {
  const struct state_profile *base = choice->base;
  bool part = arguments_is_part(command, base), apart = !part || choice->side != WEB_DIFF;
  arguments_add_range(a, "time_range", arguments_range(command, choice, part));
  if (!apart) arguments_add_range(a, "diff_time_range", command->diff_time_range);
  const char *flag = *command->base ? "base" : "diff_base";
  if (!base || !apart || choice->side == WEB_HEAD) return;
  arguments_add_side(a, command, choice->side == WEB_BASE ? "" : flag, base);
}

/* Lists the arguments that load the shown profiles: flags, binary, sources. There are no arguments
 * if no command line can load the profiles (arguments_exist). Returns false when out of memory. */
static bool arguments_make(const struct command *command, const struct state_choice *choice,
                           struct arena *arena, struct web_info *info) {
  struct arguments a = {.arena = arena};
  size_t sources = command->source_count + choice->head->run_count;
  size_t bases = command->bases.count + (choice->base ? choice->base->run_count : 0);
  if (!arguments_exist(command, choice)) return true;
  info->subtracts = *command->base;
  a.items = arena_array(arena, sources + bases + 16, sizeof *a.items);
  if (!a.items) return false;
  arguments_add_flags(&a, command);
  arguments_add_base(&a, command, choice);
  if (choice->side != WEB_BASE) arguments_add_head(&a, command, choice->head);
  info->arguments = a.items;
  info->argument_count = a.count;
  return !a.failed;
}

struct view_parts {
  pprofc_report_options options;
  struct state_choice choice;
  struct web_info info;
  struct web_choice choices[STATE_PROFILES_MAX];
  struct state_profile *profiles[STATE_PROFILES_MAX];
  size_t profile_count;
  struct state_recordings recordings;
  struct state_news news;
};

static void view_list(const struct web_question *q, struct view_parts *p) {
  const struct state_profile *head = p->choice.head, *base = p->choice.base;
  p->profile_count = state_list(q->web->state, p->profiles);
  for (size_t i = 0; i < p->profile_count; i++) {
    const struct state_profile *one = p->profiles[i];
    p->choices[i] = (struct web_choice){one->name, one->id, head && head->id == one->id,
                                        base && base->id == one->id, one->profile};
  }
  p->info.profiles = p->choices;
  p->info.profile_count = p->profile_count;
}

static struct web_profile view_side(const struct state_profile *p) {
  return p ? (struct web_profile){p->name, p->sources, p->runs, p->run_count}
           : (struct web_profile){.name = NULL};
}

static void view_set_sides(struct view_parts *p) {
  bool compared = p->choice.base;
  p->info.head = view_side(p->choice.head);
  p->info.base = view_side(p->choice.base);
  p->info.by_time = p->choice.by_time;
  for (int side = WEB_HEAD; side <= (compared ? WEB_DIFF : WEB_HEAD); side++)
    p->info.divisors[side] = state_divisor(&p->choice, (enum web_side)side);
}

/* Copies the state of changed files and of recordings, because another thread may change it during
 * the request. */
static void view_note_state(struct web_state *state, struct view_parts *p) {
  state_news(state, &p->news);
  p->info.generation = p->news.generation;
  p->info.pending = p->news.pending;
  p->info.broken = p->news.broken;
  if (state_recordings(state, &p->recordings)) p->info.recordings = &p->recordings.list;
}

static pprofc_status view_prepare(struct web_question *q, struct view_parts *p,
                                  pprofc_error *error) {
  p->options = q->web->command->report;
  p->options.format = "top";
  p->info.version = PPROFC_VERSION;
  view_note_state(q->web->state, p);
  p->info.safe = p->options.safe;
  p->info.noise = &q->web->command->noise;
  p->info.draw = dot_draw;
  p->info.draw_context = &q->web->dot;
  pprofc_status status = web_query_options(&q->query, &p->options, error);
  if (status == PPROFC_OK)
    status = state_choose(q->web->state, &q->query, budget_allocator(q->budget), &p->choice, error);
  p->recordings.list.head = p->choice.head ? p->choice.head->id : 0;
  p->recordings.list.base = p->choice.base ? p->choice.base->id : 0;
  if (!settings_list(q->web->settings, &q->query, &q->arena, &p->info.saved, &p->info.saved_count))
    return error_nomem(error);
  view_list(q, p);
  if (!assets_name(&p->info, &q->arena)) return error_nomem(error);
  if (status != PPROFC_OK) return status;
  view_set_sides(p);
  bool made = arguments_make(q->web->command, &p->choice, &q->arena, &p->info);
  return made ? PPROFC_OK : error_nomem(error);
}

static void view_free(struct view_parts *p) {
  for (size_t i = 0; i < p->profile_count; i++) state_release(p->profiles[i]);
  state_recordings_free(&p->recordings);
  state_choice_free(&p->choice);
}

static pprofc_status view_write(const struct web_question *q, const struct web_view_input *input,
                                struct web_reply *reply, const char *message, pprofc_error *error) {
  struct output out;
  output_init(&out, reply_write, reply);
  if (!message) output_watch(&out, budget_allocator(q->budget));
  pprofc_status status = web_document(q->view, input, message, &out, error);
  if (status == PPROFC_OK) status = output_flush(&out, error);
  return status;
}

static struct web_view_input view_input(const struct web_question *q, const struct view_parts *p) {
  const struct state_choice *c = &p->choice;
  return (struct web_view_input){&q->query,  &p->options, c->shown, c->lent[0],
                                 c->lent[1], c->scaled,   c->side,  &p->info};
}

/* Returns the page. After an error, returns the page with the error message. */
static struct web_reply *view_reply(struct web_question *q, struct view_parts *p,
                                    pprofc_status status, pprofc_error *error) {
  const struct web_view_input input = view_input(q, p);
  struct web_reply *reply = reply_new(200, REPLY_HTML);
  if (!reply) return NULL;
  if (status == PPROFC_OK) status = view_write(q, &input, reply, NULL, error);
  reply->keep = status == PPROFC_OK;
  if (status == PPROFC_OK) return reply;
  status = budget_status(budget_allocator(q->budget), status, error);
  char message[sizeof error->message];
  memcpy(message, error->message, sizeof message);
  reply_release(reply);
  reply = reply_new(reply_status_of(status), REPLY_HTML);
  if (reply && reply->status == 503) reply_add_header(reply, "Retry-After", STR("5"));
  if (reply && view_write(q, &input, reply, message, error) == PPROFC_OK) return reply;
  reply_release(reply);
  return reply_text(503, message);
}

/* Answers with only the strip of recordings (a row of bars). The page replaces its strip and keeps
 * the rest. Links lead to the view in the query, or to the first view if this view is unknown. */
struct web_reply *route_strip(struct web_question *q) {
  pprofc_error error = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  struct view_parts *p = arena_zero_array(&q->arena, 1, sizeof *p);
  struct web_reply *reply = p ? reply_new(200, REPLY_HTML) : NULL;
  struct output out;
  if (!reply) return NULL;
  q->view = web_view_find(str_of(web_query_get(&q->query, "view")));
  web_query_remove(&q->query, "view"); /* Links to views must not contain this parameter. */
  (void)view_prepare(q, p, &error);
  const struct web_view_input input = view_input(q, p);
  output_init(&out, reply_write, reply);
  pprofc_status status = web_strip(q->view ? q->view : web_view_at(0), &input, &out, &error);
  if (status == PPROFC_OK) status = output_flush(&out, &error);
  view_free(p);
  reply->keep = status == PPROFC_OK;
  if (reply->keep) return reply;
  reply_release(reply);
  return NULL;
}

struct web_reply *route_view(struct web_question *q) {
  pprofc_error error = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  struct view_parts *p = arena_zero_array(&q->arena, 1, sizeof *p);
  if (!p) return NULL;
  pprofc_status status = view_prepare(q, p, &error);
  struct web_reply *reply = view_reply(q, p, status, &error);
  view_free(p);
  return reply;
}
