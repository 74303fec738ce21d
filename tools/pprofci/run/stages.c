/* Measures benchmarks in two stages: a few rounds of all benchmarks, then more rounds of the
 * benchmarks that look worse. */
#include "gate/screen.h"

#include "common/terminal.h"
#include "run/files.h"
#include "run/load.h"
#include "run/recording.h"
#include "run/text.h"

static const struct recorded_text *texts_of(const struct recording *r, size_t *count) {
  *count = r->texts.size / sizeof(struct recorded_text);
  return (const struct recorded_text *)(const void *)r->texts.data;
}

/* Appends a text of the first stage to `out`, without the results of benchmarks that the second
 * stage measured again. */
static bool add_unselected(struct recording *r, const struct recorded_text *from,
                           struct buffer *out) {
  pprofc_str rest = from->text, line;
  while (rest.data && str_next_line(&rest, &line)) {
    struct recorded_line result;
    pprofc_str one = line;
    if (recorded_next(&one, from->cpu, &result)) {
      const struct recorded *item = recording_item(r, from->package, from->cpu, result.name);
      if (!item) return false;
      if (item->selected) continue;
    }
    buffer_add_str(out, line);
    buffer_add_char(out, '\n');
  }
  return !out->failed;
}

static bool texts_add(struct recording *r, int side, struct buffer *out) {
  size_t count;
  const struct recorded_text *texts = texts_of(r, &count);
  bool good = true;
  for (size_t i = 0; i < count && good; i++) {
    if (texts[i].side != side) continue;
    buffer_printf(out, "round: %zu\n", texts[i].round);
    if (i < r->first_texts)
      good = add_unselected(r, &texts[i], out);
    else
      buffer_add_str(out, texts[i].text);
  }
  return good && !out->failed;
}

/* Writes the results of base or head to a file and makes the file an input of the verdict. */
static pprofc_status texts_write(struct recording *r, int side, const char *name,
                                 pprofc_error *error) {
  struct ci_run *run = r->run;
  struct buffer text;
  const char *path = text_printf(&run->arena, "%s/%s_%s.txt", run->work, name, side_names[side]);
  buffer_init(&text, run->mem, SIZE_MAX / 2);
  bool good = path && texts_add(r, side, &text);
  pprofc_status status = good ? save_append(path, buffer_str(&text), error) : error_nomem(error);
  buffer_free(&text);
  run->bench[side] = path;
  return status;
}

static size_t count_measured(const struct recording *r, int side) {
  size_t found = 0;
  for (size_t i = 0; i < r->count; i++) found += r->items[i].took[side].size > 0;
  return found;
}

pprofc_status stages_write(struct recording *r, pprofc_error *error) {
  struct ci_run *run = r->run;
  run->has_base = count_measured(r, SIDE_BASE) > 0;
  run->bench[SIDE_BASE] = "";
  if (!count_measured(r, SIDE_HEAD))
    return error_set(error, PPROFC_E_INVALID, "the base has benchmarks, but the head does not");
  pprofc_status status = texts_write(r, SIDE_HEAD, "bench", error);
  return status == PPROFC_OK && run->has_base ? texts_write(r, SIDE_BASE, "bench", error) : status;
}

/* Recorded benchmarks, found by the keys of their rows in the gate. */
struct stage_items {
  struct recording *r;
  struct interner keys; /* keys of the recorded benchmarks, in the same order as the benchmarks */
  struct buffer key;
  size_t rounds; /* number of rounds of the second stage; 0 before this stage */
};

static bool stage_items_fill(struct stage_items *items, struct recording *r) {
  items->r = r;
  interner_init(&items->keys, r->run->mem);
  buffer_init(&items->key, r->run->mem, SIZE_MAX / 2);
  for (size_t i = 0; i < r->count; i++) {
    buffer_clear(&items->key);
    gate_noise_key(&items->key, str_of(r->packages.items[r->items[i].package].path),
                   str_of(r->items[i].label), STR(""));
    if (items->key.failed ||
        interner_copy(&items->keys, &r->run->arena, buffer_str(&items->key)) == MAP_NONE)
      return false;
  }
  return true;
}

static void stage_items_free(struct stage_items *items) {
  interner_free(&items->keys);
  buffer_free(&items->key);
}

static struct recorded *item_of_row(struct stage_items *items, const struct gate_row *row) {
  buffer_clear(&items->key);
  gate_noise_key(&items->key, row->group, row->name, STR(""));
  uint32_t id = interner_find(&items->keys, buffer_str(&items->key));
  return id < items->r->count ? &items->r->items[id] : NULL;
}

static void take_selected(void *context, const struct gate_row *row) {
  struct recorded *item = item_of_row(context, row);
  if (item && gate_screen_selects(row)) item->selected = true;
}

static void take_regressed(void *context, const struct gate_row *row) {
  struct recorded *item = item_of_row(context, row);
  if (item && row->verdict == PPROFC_GATE_REGRESSED) item->regressed = true;
}

static void take_looked(void *context, const struct gate_row *row) {
  struct stage_items *items = context;
  struct recorded *item = item_of_row(items, row);
  if (!item) return;
  item->judged = true;
  item->open |= !gate_look_decides(row, items->rounds);
}

/* Judges the results so far, and calls `take` for each row. `rounds` is the number of rounds of the
 * second stage; 0 before this stage. */
static pprofc_status preview_items(struct recording *r, bool screening, size_t rounds,
                                   take_row_fn *take, pprofc_error *error) {
  struct stage_items items = {.rounds = rounds};
  bool good = stage_items_fill(&items, r);
  pprofc_status status =
      good ? verdict_preview(r->run, screening, take, &items, error) : error_nomem(error);
  if (status == PPROFC_OK && items.key.failed) status = error_nomem(error);
  stage_items_free(&items);
  return status;
}

pprofc_status stages_find_regressed(struct recording *r, pprofc_error *error) {
  return r->run->has_base ? preview_items(r, false, 0, take_regressed, error) : PPROFC_OK;
}

/* Writes the results of base and head so far. `name` is a prefix of the file names. */
static pprofc_status write_sides(struct recording *r, const char *name, pprofc_error *error) {
  if (!name) return error_nomem(error);
  pprofc_status status = texts_write(r, SIDE_BASE, name, error);
  return status == PPROFC_OK ? texts_write(r, SIDE_HEAD, name, error) : status;
}

/* Judges the rounds of the second stage so far. Sets *decided to true if these rounds suffice to
 * decide about each selected benchmark. */
static pprofc_status look(struct recording *r, size_t round, size_t rounds, bool *decided,
                          pprofc_error *error) {
  for (size_t i = 0; i < r->count; i++) r->items[i].judged = r->items[i].open = false;
  pprofc_status status = write_sides(r, text_printf(&r->run->arena, "look%zu", round), error);
  if (status == PPROFC_OK) status = preview_items(r, false, rounds, take_looked, error);
  *decided = status == PPROFC_OK;
  for (size_t i = 0; i < r->count; i++)
    if (r->items[i].selected) *decided &= r->items[i].judged && !r->items[i].open;
  return status;
}

/* Measures a benchmark once in base and once in head, each in a separate process. */
static pprofc_status measure_selected(struct recording *r, struct recorded item, size_t round,
                                      size_t rounds, pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  for (int turn = 0; turn < SIDES && status == PPROFC_OK; turn++) {
    int side = turn ? SIDE_HEAD - recording_first(r) : recording_first(r);
    run_progress(++r->steps, r->all_steps, "measuring %s %s (round %zu of %zu)", side_names[side],
                 item.name, round, rounds);
    status = recording_measure(r, side, item.package, item.cpu, recording_only(r, &item), error);
  }
  return status;
}

static pprofc_status measure_further(struct recording *r, size_t selected, size_t rounds,
                                     pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  bool decided = false;
  r->steps = 0;
  r->all_steps = 2 * rounds * selected;
  (void)texts_of(r, &r->first_texts);
  for (size_t round = 1; round <= rounds && status == PPROFC_OK && !decided; round++) {
    struct round_load begin = load_now();
    r->round++;
    for (size_t i = 0; i < r->count && status == PPROFC_OK; i++)
      if (r->items[i].selected) status = measure_selected(r, r->items[i], round, rounds, error);
    load_add(r->run, &begin);
    if (status != PPROFC_OK || round == rounds || round % GATE_LOOK_ROUNDS) continue;
    status = look(r, round, rounds, &decided, error);
    if (decided)
      message_note("%zu more rounds decide about %s: %zu are not needed", round,
                   selected == 1 ? "this benchmark" : "these benchmarks", rounds - round);
  }
  return status;
}

/* Records the benchmarks that were not selected. The gate needs this list. */
static pprofc_status keep_screened(struct recording *r, pprofc_error *error) {
  struct stage_items items = {.rounds = 0};
  bool good = stage_items_fill(&items, r);
  for (size_t i = 0; i < r->count && good; i++)
    if (!r->items[i].selected)
      good = interner_add(&r->run->screened, items.keys.items[i]) != MAP_NONE;
  stage_items_free(&items);
  return good ? PPROFC_OK : error_nomem(error);
}

static size_t count_selected(struct recording *r, size_t *both) {
  size_t selected = 0;
  *both = 0;
  for (size_t i = 0; i < r->count; i++) {
    struct recorded *item = &r->items[i];
    bool pair = item->took[SIDE_BASE].size && item->took[SIDE_HEAD].size;
    item->selected &= pair;
    selected += item->selected;
    *both += pair;
  }
  return selected;
}

/* Selects benchmarks for the second stage by the results of the first rounds. */
static pprofc_status choose_selected(struct recording *r, pprofc_error *error) {
  pprofc_status status = write_sides(r, "first", error);
  return status == PPROFC_OK ? preview_items(r, true, 0, take_selected, error) : status;
}

pprofc_status stages_measure(struct recording *r, pprofc_error *error) {
  const struct run_options *o = r->run->options;
  bool two = !o->all && o->count >= GATE_SCREEN_LEAST;
  size_t both;
  pprofc_status status = recording_rounds(r, 1, two ? GATE_SCREEN_ROUNDS : o->count, error);
  if (status != PPROFC_OK || !two || !r->count) return status;
  status = choose_selected(r, error);
  size_t selected = count_selected(r, &both);
  struct gate_screen_plan plan = gate_screen_plan_of(selected, both, (size_t)o->count);
  if (status != PPROFC_OK) return status;
  if (plan.all) return recording_rounds(r, GATE_SCREEN_ROUNDS + 1, o->count, error);
  message_note("%zu of %zu benchmarks look worse or are too noisy to judge: %zu more rounds",
               selected, both, plan.rounds);
  status = keep_screened(r, error);
  return status == PPROFC_OK ? measure_further(r, selected, plan.rounds, error) : status;
}
