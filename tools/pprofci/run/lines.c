/* Finds the changed source lines that have a cost. */
#include "run/code.h"

#include "report/source/revisions.h"
#include "run/files.h"

#define HUNKS_MOST 20
#define LINES_MOST 200 /* maximum number of lines of a hunk */
#define TEXT_MOST  200 /* maximum size in bytes of the text of a line */

struct changed_line {
  double cost[SIDES];
  double inner[SIDES]; /* cost without the samples in which this line calls another changed line */
  double largest;      /* cost of the line in `function`, in base or head, whichever is larger */
  bool grew;           /* true if `function` grew by more than the noise */
  pprofc_str function; /* function that the page shows for the line; see take_function */
};

/* A hunk (a block of changed lines) that touches a definition of a function. The function has a
 * cost, but the profile has no lines of it. */
struct touched {
  pprofc_str function;
  size_t item, hunk; /* index of the function's first line in `costs`, and index of the hunk */
  bool contains;     /* true if the definition contains all lines of the hunk */
  int side;          /* side whose file has the lines `first` and `last`: SIDE_BASE or SIDE_HEAD */
  int64_t first, last; /* first and last line of the definition */
};

/* The function around a hunk, if the function grew although no changed line of the hunk grew. */
struct around {
  double delta;
  pprofc_str function;
  const struct touched *whole; /* definition; NULL if the profile has lines of `function` */
};

struct lines_search {
  struct ci_run *run;
  struct run_pair *pair;
  const struct judged *judged;
  const struct revisions *revisions;
  const struct line_costs *costs;
  struct changed_line *lines; /* costs of the changed lines, one for each line of the hunks */
  struct around *around;      /* for each hunk, the function around it that grew most */
  struct touched *touched;
  size_t touched_count, touched_capacity;
  double divisors[SIDES];  /* divisors that convert sums of samples to amounts of the page */
  double (*scales)[SIDES]; /* for each line in `costs`, the divisors of its function */
};

/* ---- verdicts ---------------------------------------- */

static bool line_grew(const struct lines_search *s, pprofc_str function) {
  const struct noise_report *report = &s->judged->reports[0];
  const pprofc_verdict_row *row = noise_find(report, function);
  if (!row) return false;
  struct change change = judged_with_callees(report, row);
  return change.certain && change.delta > 0;
}

/* ---- costs ------------------------------------------- */

/* Returns the cost of a line in the unit of the rows of functions. */
static double line_amount(const struct lines_search *s, const struct line_cost *line, int side,
                          int64_t cost) {
  return (double)cost / s->scales[line - s->costs->items][side];
}

/* Returns the changed line at a source position, or NULL. */
static struct changed_line *changed_line_at(const struct lines_search *s, enum diff_side side,
                                            const struct line_cost *cost) {
  const struct hunks *hunks = &s->revisions->hunks;
  pprofc_str path = revisions_place(s->revisions, side, cost->file);
  const struct changed_file *file = hunks_file(hunks, side, path);
  if (!file || cost->line < 1 || cost->line > INT32_MAX) return NULL;
  int64_t place = side == DIFF_BASE ? hunks_place_of_base(hunks, file, cost->line)
                                    : hunks_place_of_head(hunks, file, cost->line);
  struct diff_line line = hunks_line(hunks, file, place);
  if (line.mark == ' ') return NULL;
  const struct hunk *hunk = &hunks->hunks[line.hunk];
  size_t text = hunk->text + (size_t)(place - hunk->place);
  return text < hunks->text_count ? &s->lines[text] : NULL;
}

/* Chooses the function of a line. Prefers a function that grew by more than the noise, then the
 * function with the largest cost. There can be several functions, because a line of a closure
 * counts for the closure and for the function around it. */
static void take_function(const struct lines_search *s, struct changed_line *line,
                          pprofc_str function, double value) {
  bool same = line->function.size && str_equal(line->function, function);
  bool grew = same ? line->grew : line_grew(s, function);
  bool larger = value > line->largest;
  if (grew == line->grew ? !larger : !grew) return;
  line->grew = grew;
  line->largest = value;
  line->function = function;
}

/* Callback of line_costs: true for a changed line. line_costs then omits the samples of this line
 * from the cost `inner` of the lines that call it. */
static bool owns_samples(void *context, enum diff_side side, const struct line_cost *cost) {
  return changed_line_at(context, side, cost) != NULL;
}

static void add_costs(struct lines_search *s, const struct line_costs *costs) {
  for (size_t i = 0; i < costs->count; i++)
    for (int side = 0; side < SIDES; side++) {
      const struct line_cost *cost = &costs->items[i];
      struct changed_line *line = NULL;
      if (cost->cum[side]) line = changed_line_at(s, (enum diff_side)side, cost);
      if (!line) continue;
      double value = line_amount(s, cost, side, cost->cum[side]);
      line->cost[side] += value;
      line->inner[side] += line_amount(s, cost, side, cost->inner[side]);
      take_function(s, line, cost->name, value);
    }
}

/* ---- inlined code ------------------------------------ */

/* Returns the growth of inlined code from files outside of the repository. `costs` are the lines of
 * one function, sorted by file. Ignores samples in which a line calls a changed line. */
static double inlined_growth(const struct lines_search *s, const struct line_cost *costs,
                             size_t count) {
  double sum = 0;
  bool own = false;
  for (size_t i = 0; i < count; i++) {
    const struct line_cost *cost = &costs[i];
    if (!i || !str_equal(cost->file, costs[i - 1].file))
      own = revisions_place(s->revisions, DIFF_HEAD, cost->file).size > 0;
    if (own) continue;
    sum += line_amount(s, cost, SIDE_HEAD, cost->inner[SIDE_HEAD]) -
           line_amount(s, cost, SIDE_BASE, cost->inner[SIDE_BASE]);
  }
  return sum;
}

/* Returns the index of a file's first hunk that begins after a line of the head. */
static size_t first_hunk_after(const struct lines_search *s, const struct changed_file *file,
                               int64_t line) {
  const struct hunk *hunks = s->revisions->hunks.hunks + file->first;
  BISECT(at, file->count, hunks[at].head_line <= line);
  return file->first + at;
}

/* Assigns the growth of a function's inlined code to the hunks that begin between two lines of the
 * function, at most HUNKS_MOST hunks. */
static void inlined_between(const struct lines_search *s, const struct line_cost *line,
                            const struct line_cost *next, double growth) {
  const struct hunks *hunks = &s->revisions->hunks;
  pprofc_str path = revisions_place(s->revisions, DIFF_HEAD, line->file);
  const struct changed_file *file = hunks_file(hunks, DIFF_HEAD, path);
  if (!file || !str_equal(line->file, next->file)) return;
  size_t from = first_hunk_after(s, file, line->line), to = file->first + file->count;
  for (size_t i = from; i < to && i < from + HUNKS_MOST; i++) {
    const struct hunk *hunk = &hunks->hunks[i];
    if (hunk->head_line > next->line) return;
    if (growth > s->around[i].delta)
      s->around[i] = (struct around){.delta = growth, .function = line->name};
  }
}

/* Finds for each hunk the function around it in which inlined code grew most. Skips functions with
 * the same machine code in base and head. */
static void find_inlined(const struct lines_search *s, const struct line_costs *costs) {
  for (size_t i = 0, end; i < costs->count; i = end) {
    const struct line_cost *first = &costs->items[i], *before = NULL;
    for (end = i; end < costs->count && str_equal(costs->items[end].name, first->name); end++) {
    }
    double growth = inlined_growth(s, first, end - i);
    if (!(growth > 0) || code_is_same(s->run, s->pair, first->name)) continue;
    for (size_t k = i; k < end; k++) {
      const struct line_cost *line = &costs->items[k];
      if (!line->cum[SIDE_HEAD] || line->line < 1) continue;
      if (before) inlined_between(s, before, line, growth);
      before = line;
    }
  }
}

/* ---- functions without lines ------------------------- */

static int line_function_order(const struct line_cost *x, const struct line_cost *y) {
  int order = str_compare(x->name, y->name);
  return order ? order : str_compare(x->file, y->file);
}

/* Returns the index in `costs` of the first line with the function name and the file of `key`. */
static size_t first_item(const struct line_costs *costs, const struct line_cost *key) {
  BISECT(at, costs->count, line_function_order(&costs->items[at], key) < 0);
  return at;
}

/* True if the profile has no lines of the function of `item`. Checks only this element of `costs`
 * and the next, because a function's costs without a line number come first. */
static bool lacks_lines(const struct lines_search *s, const struct line_cost *item) {
  const struct line_cost *next = item + 1;
  bool last = next == s->costs->items + s->costs->count || line_function_order(next, item) != 0;
  return item->line <= 0 && (last || next->line <= 0);
}

/* True for an empty line, and for a line that begins a comment or has only brackets. */
static bool is_idle_line(pprofc_str line) {
  size_t brackets = 0;
  line = str_trim(line);
  while (brackets < line.size && line.data[brackets] && strchr("{}()[];,", line.data[brackets]))
    brackets++;
  return brackets == line.size || *line.data == '#' || str_starts(line, STR("//")) ||
         str_starts(line, STR("\"\"\""));
}

/* True for a line that begins a function or a class, such as "const parse = text => {". */
static bool is_declaration(pprofc_str line) {
  pprofc_str word;
  line = str_trim(line);
  if (str_starts(line, STR("const ")) && str_ends(line, STR("=> {"))) return true;
  while (str_next(&line, ' ', &word)) {
    if (STR_ANY(str_equal, word, "fn", "def", "func", "function", "class")) return true;
    if (!STR_ANY(str_equal, word, "pub", "pub(crate)", "unsafe", "async", "export", "static"))
      return false;
  }
  return false;
}

static bool has_code(const struct hunks *hunks, const struct hunk *hunk) {
  size_t end = hunk->text + (size_t)(hunk->base_count + hunk->head_count);
  for (size_t i = hunk->text; i < end && i < hunks->text_count; i++)
    if (!is_idle_line(hunks->texts[i])) return true;
  return false;
}

/* Adds to s->touched the hunks that contain code and touch a definition. */
static void add_touched(struct lines_search *s, const struct line_cost *item, int side,
                        const struct changed_file *file, const struct def *extent) {
  const struct hunks *hunks = &s->revisions->hunks;
  size_t first;
  size_t count =
      hunks_touch(hunks, file, (enum diff_side)side, extent->first, extent->last, &first);
  for (size_t i = first; i < first + count; i++) {
    const struct hunk *hunk = &hunks->hunks[i];
    int64_t begin = side ? hunk->head_line : hunk->base_line;
    int64_t end = begin + (side ? hunk->head_count : hunk->base_count);
    bool contains = begin >= extent->first && end <= extent->last + 1;
    if (!has_code(hunks, hunk)) continue;
    (void)ARRAY_PUSH(s->run->mem, s->touched, s->touched_count, s->touched_capacity,
                     (struct touched){item->name, first_item(s->costs, item), i, contains, side,
                                      extent->first, extent->last});
  }
}

/* Finds the definitions of the function of `item` in the files of base and head that changed, and
 * the hunks that touch them. */
static void find_touched(struct lines_search *s, const struct line_cost *item) {
  const struct def function = {item->name, item->start_line, item->start_line}, *extents;
  struct def one;
  for (int side = SIDES; side-- > 0;) {
    enum diff_side from = (enum diff_side)side;
    if (!item->cum[side] || !lacks_lines(s, item)) continue;
    const struct changed_file *file =
        hunks_file(&s->revisions->hunks, from, revisions_place(s->revisions, from, item->file));
    size_t count = file ? code_extents(s->run, from, file, &function, &extents, &one) : 0;
    for (size_t i = 0; i < count; i++) add_touched(s, item, side, file, &extents[i]);
  }
}

/* Replaces *best, the function around a hunk, by the function of `t` if that is better. The
 * smallest function that contains the whole hunk is best, then the function that grew most. For the
 * same function, lines in the head are better than lines in the base. */
static void propose(struct around *best, const struct touched *t, double growth) {
  const struct touched *known = best->whole;
  if (known && known->side > t->side && str_equal(known->function, t->function)) return;
  bool smaller = known && t->last - t->first < known->last - known->first;
  bool better = !known || (t->contains ? !known->contains || smaller
                                       : !known->contains && growth > best->delta);
  if (better) *best = (struct around){growth, t->function, t};
}

/* Returns the index in `costs` of the first line of a function, or costs->count. A lambda of Python
 * counts as a part of the def around it, if the profile has that def. */
static size_t function_item(const struct line_costs *costs, const pprofc_profile *p,
                            size_t function) {
  struct line_cost key = {.name = profile_string(p, p->functions.name[function]),
                          .file = profile_string(p, p->functions.filename[function])};
  pprofc_str inner = key.name;
  key.name = code_def_name(inner);
  for (;; key.name = inner) {
    size_t item = first_item(costs, &key);
    bool has = item < costs->count && line_function_order(&costs->items[item], &key) == 0;
    if (has) return item;
    if (str_equal(key.name, inner)) return costs->count;
  }
}

/* Looks up the functions of a location in `sums`, innermost first. Returns the first pointer that
 * is not NULL, or NULL if all are NULL. */
static double *sum_at(const pprofc_profile *p, uint32_t location, double *const *sums) {
  double *sum = NULL;
  uint32_t end = p->locations.line_from[location + 1];
  for (uint32_t i = p->locations.line_from[location]; i < end && !sum; i++) {
    uint32_t function = p->locations.lines[i].function;
    if (function != NONE) sum = sums[function];
  }
  return sum;
}

/* Adds the value of each sample to one sum: the sum of the innermost function in its stack that has
 * a sum. A function without a sum has the pointer NULL in `sums`. */
static void share_samples(const struct lines_search *s, const pprofc_profile *p, size_t type,
                          double *const *sums) {
  pprofc_samples_view samples;
  size_t most = pprofc_profile_max_depth(p);
  uint32_t *stack = arena_array(&s->run->arena, most + 1, sizeof *stack);
  pprofc_profile_samples(p, &samples);
  for (size_t i = 0; i < samples.count; i++) {
    size_t depth = pprofc_profile_stack(p, i, stack, most);
    double *sum = NULL;
    for (size_t k = 0; k < depth && !sum; k++) sum = sum_at(p, stack[k], sums);
    double value = (double)samples.values[i * samples.types + type];
    int side = sample_is_base(p, i) ? SIDE_BASE : SIDE_HEAD;
    if (sum) *sum += value / s->divisors[side];
  }
}

/* Finds for each hunk a touched function that grew although the profile has no lines of it. */
static void find_whole(struct lines_search *s, const pprofc_profile *p, size_t type) {
  struct arena *arena = &s->run->arena;
  const struct line_costs *costs = s->costs;
  double *growth = arena_zero_array(arena, costs->count, sizeof *growth);
  bool *touched = arena_zero_array(arena, costs->count, sizeof *touched);
  double **sums = arena_zero_array(arena, p->functions.count, sizeof *sums);
  for (size_t i = 0; i < costs->count; i++) find_touched(s, &costs->items[i]);
  for (size_t i = 0; i < s->touched_count; i++) touched[s->touched[i].item] = true;
  for (size_t i = 0; i < p->functions.count; i++) {
    size_t item = function_item(costs, p, i);
    if (item < costs->count && touched[item]) sums[i] = &growth[item];
  }
  share_samples(s, p, type, sums);
  for (size_t i = 0; i < s->touched_count; i++) {
    const struct touched *t = &s->touched[i];
    if (growth[t->item] > 0) propose(&s->around[t->hunk], t, growth[t->item]);
  }
}

/* ---- hunks ------------------------------------------- */

static const char *line_text(struct ci_run *run, pprofc_str text) {
  return text_shown(&run->arena, str_slice(text, 0, TEXT_MOST));
}

static void name_hunk(const struct lines_search *s, struct run_hunk *hunk, pprofc_str function) {
  const struct noise_report *report = &s->judged->reports[0];
  const pprofc_verdict_row *row = noise_find(report, function);
  hunk->function = text_shown(&s->run->arena, function);
  hunk->verdict = PPROFC_VERDICT_UNKNOWN;
  if (!row) return;
  struct change change = judged_with_callees(report, row);
  if (change.certain) hunk->verdict = row->cum.verdict;
  hunk->grown = change.delta;
  hunk->moved = change.moved;
  hunk->base = change.base;
  hunk->certain = (change.certain || noise_grew(report)) && change.delta > 0;
}

static double worst_cost(const struct run_hunk *hunk) {
  return hunk->lines[hunk->worst].cost[SIDE_HEAD];
}

/* Sets to->worst to the first line of the hunk that belongs to the function and has code. Prefers
 * later lines to the first line of the function, which only declares the function. */
static void first_code(const struct touched *function, struct run_hunk *to) {
  to->declares = true;
  for (size_t i = to->line_count; i-- > 0;) {
    const struct run_line *line = &to->lines[i];
    int64_t number = function->side ? line->head_line : line->base_line;
    if (number < 1 || number < function->first || number > function->last) continue;
    bool begins = number == function->first && number < function->last;
    bool declares = begins || is_declaration(str_of(line->text));
    if (is_idle_line(str_of(line->text)) || (declares && !to->declares)) continue;
    to->declares = declares;
    to->worst = i;
  }
}

/* Sets to->worst to the line of code with the most words that no deleted line of the file has. Code
 * that only moved has no such words. `old` are the words of the deleted lines. */
static void newest_code(const struct touched *function, const struct interner *old,
                        struct run_hunk *to) {
  to->first = to->worst;
  for (size_t i = to->first; i < to->line_count; i++) {
    const struct run_line *line = &to->lines[i];
    pprofc_str text = str_of(line->text);
    if (!line->head_line || line->head_line > function->last) continue;
    if (is_idle_line(text) || is_declaration(text) != to->declares) continue;
    size_t words = text_count_new_words(old, text);
    if (words <= to->words) continue;
    to->words = words;
    to->worst = i;
  }
}

static double grown_cost(const double cost[SIDES]) {
  return cost[SIDE_HEAD] - cost[SIDE_BASE];
}

/* Sets to->worst to the line whose cost grew most in the hunk. Returns the function of that line.
 * If a changed line calls another changed line, the growth counts for the called line. */
static pprofc_str worst_line(const struct lines_search *s, const struct hunk *from,
                             struct run_hunk *to) {
  double most = 0, inner = 0;
  pprofc_str function = STR("");
  for (size_t i = 0; i < to->line_count; i++) {
    const struct changed_line *cost = &s->lines[from->text + i];
    double delta = fmin(grown_cost(cost->cost), grown_cost(cost->inner));
    bool first = cost->largest > 0 && !function.size;
    to->delta += grown_cost(cost->cost);
    inner += grown_cost(cost->inner);
    if (delta <= most && (most > 0 || !first)) continue;
    if (delta > most) most = delta;
    to->worst = i;
    function = cost->function;
  }
  to->delta = fmin(to->delta, inner);
  return function;
}

/* Chooses the line of a hunk that most likely made a function grow: the line whose cost grew most.
 * If inlined code grew more, chooses the added line with the largest cost. If the profile has no
 * lines of the function, chooses the line with the most new words. Returns this function. */
static pprofc_str choose_worst(const struct lines_search *s, const struct hunk *from,
                               const struct interner *old, struct run_hunk *to) {
  const struct around *around = &s->around[from - s->revisions->hunks.hunks];
  pprofc_str function = worst_line(s, from, to);
  to->whole = around->whole && !function.size;
  bool more = around->delta > fmax(to->delta, 0) && (size_t)from->base_count < to->line_count;
  if (!more && !to->whole) return function;
  to->delta = around->delta;
  to->worst = to->whole ? 0 : (size_t)from->base_count;
  if (to->whole) {
    first_code(around->whole, to);
    newest_code(around->whole, old, to);
  }
  for (size_t i = to->worst + 1; i < to->line_count; i++)
    if (worst_cost(to) < to->lines[i].cost[SIDE_HEAD]) to->worst = i;
  return around->function;
}

static void fill_hunk(const struct lines_search *s, const struct changed_file *file,
                      const struct hunk *from, const struct interner *old, struct run_hunk *to) {
  int64_t count = from->base_count + from->head_count;
  if (count > LINES_MOST) count = LINES_MOST;
  *to = (struct run_hunk){.file =
                              text_keep(&s->run->arena, file->head.size ? file->head : file->base)};
  to->lines = arena_array(&s->run->arena, (size_t)count, sizeof *to->lines);
  for (int64_t i = 0; i < count; i++) {
    struct diff_line line = hunks_line(&s->revisions->hunks, file, from->place + i);
    const struct changed_line *cost = &s->lines[from->text + (size_t)i];
    to->lines[i] = (struct run_line){.base_line = line.base,
                                     .head_line = line.head,
                                     .text = line_text(s->run, line.text),
                                     .cost = {cost->cost[SIDE_BASE], cost->cost[SIDE_HEAD]}};
  }
  to->line_count = (size_t)count;
  pprofc_str function = choose_worst(s, from, old, to);
  if (!to->whole) to->declares = is_declaration(str_of(to->lines[to->worst].text));
  name_hunk(s, to, function);
}

/* Returns the rank of a hunk. 0: its cost grew inside a function. 1: its cost grew, but its line
 * `worst` only declares a function. 2: its cost did not grow. */
static int hunk_rank(const struct run_hunk *hunk) {
  if (!(hunk->delta > 0)) return 2;
  return hunk->declares;
}

static int hunks_by_growth(const void *a, const void *b) {
  const struct run_hunk *x = a, *y = b;
  if (hunk_rank(x) != hunk_rank(y)) return hunk_rank(x) - hunk_rank(y);
  if (x->delta != y->delta) return x->delta < y->delta ? 1 : -1;
  if (x->words != y->words) return x->words < y->words ? 1 : -1;
  if (worst_cost(x) != worst_cost(y)) return worst_cost(x) < worst_cost(y) ? 1 : -1;
  int order = strcmp(x->file, y->file);
  return order ? order : (x->lines > y->lines) - (x->lines < y->lines);
}

static bool has_cost(const struct lines_search *s, const struct hunk *hunk) {
  const struct around *around = &s->around[hunk - s->revisions->hunks.hunks];
  if ((hunk->head_count || around->whole) && around->delta > 0) return true;
  for (int64_t i = 0; i < hunk->base_count + hunk->head_count; i++) {
    size_t text = hunk->text + (size_t)i;
    if (text < s->revisions->hunks.text_count && s->lines[text].largest > 0) return true;
  }
  return false;
}

/* Adds the words of the deleted lines of a file. */
static void add_old_words(const struct hunks *hunks, const struct changed_file *file,
                          struct interner *old) {
  for (size_t i = file->first; i < file->first + file->count; i++) {
    const struct hunk *hunk = &hunks->hunks[i];
    size_t end = hunk->text + (size_t)hunk->base_count;
    for (size_t k = hunk->text; k < end && k < hunks->text_count; k++)
      text_add_words(old, hunks->texts[k]);
  }
}

static void take_hunks(const struct lines_search *s) {
  const struct hunks *hunks = &s->revisions->hunks;
  struct run_pair *pair = s->pair;
  pair->hunks = arena_array(&s->run->arena, hunks->count, sizeof *pair->hunks);
  for (size_t f = 0; f < hunks->file_count; f++) {
    const struct changed_file *file = &hunks->files[f];
    struct interner old;
    interner_init(&old, s->run->mem);
    add_old_words(hunks, file, &old);
    for (size_t i = file->first; i < file->first + file->count; i++)
      if (has_cost(s, &hunks->hunks[i]))
        fill_hunk(s, file, &hunks->hunks[i], &old, &pair->hunks[pair->hunk_count++]);
    interner_free(&old);
  }
  if (pair->hunk_count) qsort(pair->hunks, pair->hunk_count, sizeof *pair->hunks, hunks_by_growth);
  if (pair->hunk_count > HUNKS_MOST) pair->hunk_count = HUNKS_MOST;
}

/* Sets the divisors that convert sums of samples to the amounts in the rows of functions. Without
 * verdicts, an amount is per operation, or per run if the number of operations is unknown. */
static void set_divisors(struct lines_search *s, const pprofc_profile *p, size_t type) {
  const struct noise_report *report = &s->judged->reports[0];
  const double shown[SIDES] = {report->summary.total_base, report->summary.total_head};
  double totals[SIDES] = {0};
  pprofc_samples_view samples;
  pprofc_profile_samples(p, &samples);
  for (size_t i = 0; i < samples.count; i++)
    totals[sample_is_base(p, i) ? SIDE_BASE : SIDE_HEAD] +=
        fabs((double)samples.values[i * samples.types + type]);
  for (int side = 0; side < SIDES; side++) {
    double iterations = s->pair->iterations > 0 ? s->pair->iterations : 1;
    s->divisors[side] = iterations * (double)run_drawn(s->pair, side);
    if (report->verdicts && shown[side] > 0 && totals[side] > 0)
      s->divisors[side] = totals[side] / shown[side];
  }
}

/* Sets the divisors of each line so that the lines of a function add up to the row of the function.
 * A row is a mean of runs, which differs a little from a sum of samples that is divided. */
static void set_scales(struct lines_search *s) {
  const struct line_costs *costs = s->costs;
  s->scales = arena_array(&s->run->arena, costs->count, sizeof *s->scales);
  for (size_t i = 0, end; i < costs->count; i = end) {
    const struct line_cost *first = &costs->items[i];
    const pprofc_verdict_row *row = noise_find(&s->judged->reports[0], first->name);
    double sums[SIDES] = {0}, shown[SIDES] = {0};
    if (row) shown[SIDE_BASE] = row->cum.base, shown[SIDE_HEAD] = row->cum.head;
    for (end = i; end < costs->count && str_equal(costs->items[end].name, first->name); end++)
      for (int side = 0; side < SIDES; side++) sums[side] += (double)costs->items[end].cum[side];
    for (int side = 0; side < SIDES; side++) {
      bool scaled = shown[side] > 0 && sums[side] > 0;
      for (size_t k = i; k < end; k++)
        s->scales[k][side] = scaled ? sums[side] / shown[side] : s->divisors[side];
    }
  }
}

void lines_find(struct ci_run *run, struct run_pair *pair, const pprofc_profile *difference,
                size_t type, const struct judged *judged) {
  struct lines_search s = {
      .run = run, .pair = pair, .judged = judged, .revisions = code_sources(run)};
  const struct line_costs_choice choice = {.owns = owns_samples, .context = &s};
  struct line_costs costs;
  s.costs = &costs;
  if (!s.revisions) return;
  pair->has_sources = true;
  s.lines = arena_zero_array(&run->arena, s.revisions->hunks.text_count, sizeof *s.lines);
  s.around = arena_zero_array(&run->arena, s.revisions->hunks.count, sizeof *s.around);
  set_divisors(&s, difference, type);
  (void)line_costs_add_up(&costs, difference, type, &choice, run->mem);
  set_scales(&s);
  add_costs(&s, &costs);
  find_inlined(&s, &costs);
  find_whole(&s, difference, type);
  take_hunks(&s);
  ARRAY_FREE(run->mem, s.touched, s.touched_capacity);
  line_costs_free(&costs);
}

size_t lines_window(const struct run_hunk *hunk, size_t most) {
  if (hunk->line_count <= most || hunk->worst < most / 2) return 0;
  size_t first = hunk->worst - most / 2;
  return first + most > hunk->line_count ? hunk->line_count - most : first;
}
