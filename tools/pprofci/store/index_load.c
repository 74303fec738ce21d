/* Reading the index into memory. */
#ifdef HAVE_SQLITE3
#include "store/index_sql.h"

#include "core/array.h"
#include "run/text.h"

#include <string.h>

/* What has an id in the index, by its id. */
struct load_places {
  size_t *items; /* one more than the place in memory; 0: there is none */
  size_t count;  /* one more than the greatest id */
};

/* The index says what cannot be: it is broken. */
static bool load_broken(struct store_index *x) {
  return index_good(x, SQLITE_CORRUPT);
}

static bool load_place(const struct load_places *places, int64_t id, size_t *place) {
  if (id < 0 || (uint64_t)id >= places->count || !places->items[id]) return false;
  *place = places->items[id] - 1;
  return true;
}

static bool load_make_places(struct store_index *x, struct arena *arena, const char *sql,
                             struct load_places *places) {
  int64_t most = index_number(x, sql);
  places->count = most > 0 ? (size_t)most + 1 : 1;
  places->items = arena_zero_array(arena, places->count, sizeof *places->items);
  return places->items != NULL;
}

/* ---- layouts ----------------------------------------- */

static bool load_end_layout(struct index_layouts *layouts, const struct buffer *list) {
  size_t count = layouts->lists.count;
  uint32_t id = interner_copy(&layouts->lists, &layouts->arena, buffer_str(list));
  return id == count;
}

/* The first one has no series: it is of runs without results. */
bool index_load_layouts(struct store_index *x) {
  struct buffer list;
  sqlite3_stmt *s = NULL;
  buffer_init(&list, &mem_default, SIZE_MAX / 2);
  bool good = index_prepare(x, "SELECT layout, series FROM layouts ORDER BY layout, place", &s);
  while (good && x->lib.step(s) == SQLITE_ROW) {
    size_t count = x->layouts.lists.count;
    uint64_t layout = (uint64_t)x->lib.column_int64(s, 0);
    uint32_t series = (uint32_t)x->lib.column_int64(s, 1);
    if (layout != count) {
      good = load_end_layout(&x->layouts, &list) && layout == count + 1;
      buffer_clear(&list);
    }
    buffer_add(&list, &series, sizeof series);
    if (!good) load_broken(x);
  }
  if (good && !load_end_layout(&x->layouts, &list)) good = load_broken(x);
  buffer_free(&list);
  return index_good(x, x->lib.finalize(s)) && good;
}

/* ---- runs -------------------------------------------- */

static double load_median(const unsigned char *bytes) {
  uint64_t bits = 0;
  double value;
  for (int i = 0; i < 8; i++) bits = bits << 8 | bytes[i];
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* The medians of the last run, in the order of its layout. */
static bool load_points(struct store_index *x, sqlite3_stmt *s, const struct load_places *series) {
  uint64_t layout = (uint64_t)x->lib.column_int64(s, 11);
  if (layout >= x->layouts.lists.count) return load_broken(x);
  pprofc_str list = x->layouts.lists.items[layout];
  const unsigned char *medians = x->lib.column_blob(s, 12);
  size_t count = list.size / sizeof(uint32_t);
  if ((size_t)x->lib.column_bytes(s, 12) != count * 8) return load_broken(x);
  for (size_t i = 0; i < count; i++) {
    uint32_t id;
    size_t place;
    memcpy(&id, list.data + i * sizeof id, sizeof id);
    if (!load_place(series, id, &place)) return load_broken(x);
    if (!past_add_point(x->past, (uint32_t)place, load_median(medians + i * 8))) return false;
  }
  return true;
}

static bool load_run(struct store_index *x, sqlite3_stmt *s, struct load_places *runs) {
  struct past *past = x->past;
  const char *name = text_keep(&past->arena, index_text(x, s, 1));
  struct past_run *run = name ? past_add_run(past, name) : NULL;
  if (!run) return false;
  pprofc_str *const texts[] = {&run->place.commit, &run->branch, &run->machine, &run->verdict,
                               &run->headline};
  for (int i = 0; i < 5; i++) {
    *texts[i] = arena_str(&past->arena, index_text(x, s, 2 + i));
    if (!texts[i]->data) return false;
  }
  run->place.time = x->lib.column_int64(s, 7);
  run->place.order = x->lib.column_int64(s, 8);
  run->status = x->lib.column_int64(s, 9);
  runs->items[x->lib.column_int64(s, 0)] = past->run_count;
  if (past->runs_only) run->points = (size_t)x->lib.column_int64(s, 10);
  return true;
}

/* The medians are the last column, which is not even read where they are not wanted. */
static bool load_runs(struct store_index *x, struct load_places *runs,
                      const struct load_places *series) {
  sqlite3_stmt *s = NULL;
  bool good = index_prepare(x,
                            "SELECT id, key, commit_id, branch, machine, verdict, headline, time, "
                            "position, status, results, layout, medians FROM runs ORDER BY id",
                            &s);
  while (good && x->lib.step(s) == SQLITE_ROW)
    good = load_run(x, s, runs) && (x->past->runs_only || load_points(x, s, series));
  return index_good(x, x->lib.finalize(s)) && good;
}

/* ---- series and profiles ----------------------------- */

static bool load_series(struct store_index *x, struct load_places *series) {
  sqlite3_stmt *s = NULL;
  bool good =
      index_prepare(x, "SELECT id, grp, benchmark, unit, direction FROM series ORDER BY id", &s);
  while (good && x->lib.step(s) == SQLITE_ROW) {
    uint32_t id = past_add_series(x->past, index_text(x, s, 1), index_text(x, s, 2),
                                  index_text(x, s, 3), (int)x->lib.column_int64(s, 4));
    good = id != MAP_NONE;
    series->items[x->lib.column_int64(s, 0)] = (size_t)id + 1;
  }
  return index_good(x, x->lib.finalize(s)) && good;
}

static bool load_profile(struct store_index *x, sqlite3_stmt *s, const struct load_places *runs) {
  struct past *past = x->past;
  size_t place;
  if (!load_place(runs, x->lib.column_int64(s, 0), &place)) return load_broken(x);
  struct past_run *run = &past->runs[place];
  const struct past_profile profile = {.kind = index_text(x, s, 1),
                                       .package = index_text(x, s, 2),
                                       .benchmark = index_text(x, s, 3),
                                       .name = index_text(x, s, 4),
                                       .sha256 = index_text(x, s, 5),
                                       .size = x->lib.column_int64(s, 6)};
  if (!run->profiles) run->first_profile = past->profile_count;
  return past_add_profile(past, run, &profile);
}

static bool load_profiles(struct store_index *x, const struct load_places *runs) {
  sqlite3_stmt *s = NULL;
  bool good = index_prepare(x,
                            "SELECT run, kind, package, benchmark, name, sha256, size FROM "
                            "profiles ORDER BY run, rowid",
                            &s);
  while (good && x->lib.step(s) == SQLITE_ROW) good = load_profile(x, s, runs);
  return index_good(x, x->lib.finalize(s)) && good;
}

bool index_load(struct store_index *x, struct arena *arena) {
  struct load_places runs, series;
  return load_make_places(x, arena, "SELECT max(id) FROM runs", &runs) &&
         load_make_places(x, arena, "SELECT max(id) FROM series", &series) &&
         load_series(x, &series) && load_runs(x, &runs, &series) && load_profiles(x, &runs);
}

#endif
