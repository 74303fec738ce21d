/* Reads the index into memory. */
#ifdef HAVE_SQLITE3
#include "store/index_sql.h"

#include "run/text.h"

/* Maps the ids of items in the index to their array indices in memory. */
struct load_places {
  size_t *items; /* for each id, its array index plus one; 0 if the id is unused */
  size_t count;  /* largest id plus one */
};

/* Records that the index is damaged. Always returns false. */
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

/* Adds the points (measured values) of the run that was added last. The statement `s` selects the
 * points. */
static bool load_points(struct store_index *x, sqlite3_stmt *s, int64_t run, int64_t count,
                        const struct load_places *series) {
  bool good = index_bind_int(x, s, 1, run);
  while (good && x->lib.step(s) == SQLITE_ROW) {
    size_t place;
    if (!load_place(series, x->lib.column_int64(s, 0), &place)) return load_broken(x);
    good = past_add_point(x->past, (uint32_t)place, x->lib.column_double(s, 1));
    count--;
  }
  good = index_good(x, x->lib.reset(s)) && good;
  return good && count ? load_broken(x) : good;
}

static bool load_run(struct store_index *x, sqlite3_stmt *s, struct load_places *runs) {
  struct past *past = x->past;
  const char *name = text_keep(&past->arena, index_text(x, s, 1));
  struct past_run *run = name ? past_add_run(past, name) : NULL;
  if (!run) return false;
  pprofc_str *const texts[] = {&run->place.commit, &run->branch, &run->machine, &run->verdict,
                               &run->headline};
  for (int i = 0; i < 5; i++) *texts[i] = index_text(x, s, 2 + i);
  if (!text_keep_all(&past->arena, texts, 5)) return false;
  run->place.time = x->lib.column_int64(s, 7);
  run->place.order = x->lib.column_int64(s, 8);
  run->status = x->lib.column_int64(s, 9);
  runs->items[x->lib.column_int64(s, 0)] = past->run_count;
  if (past->runs_only) run->points = (size_t)x->lib.column_int64(s, 10);
  return true;
}

static bool load_runs(struct store_index *x, struct load_places *runs,
                      const struct load_places *series) {
  sqlite3_stmt *s = NULL, *points = NULL;
  bool good =
      index_prepare(x,
                    "SELECT id, key, commit_id, branch, machine, verdict, headline, time, "
                    "position, status, results FROM runs ORDER BY id",
                    &s) &&
      index_prepare(x, "SELECT series, value FROM points WHERE run=? ORDER BY place", &points);
  while (good && x->lib.step(s) == SQLITE_ROW) {
    good = load_run(x, s, runs);
    if (good && !x->past->runs_only)
      good = load_points(x, points, x->lib.column_int64(s, 0), x->lib.column_int64(s, 10), series);
  }
  (void)x->lib.finalize(points);
  return index_good(x, x->lib.finalize(s)) && good;
}

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
