/* Adds the last section of the page. The section describes the machine, the rounds, the statistical
 * test, the warnings and the commands, and lists all numbers. */
#include "page/html.h"

#include "page/numbers.h"
#include "run/files.h"

/* Appends the number of CPUs of this machine, which ran the measurements. For benchmarks in Go,
 * also appends the version of Go. */
static void machine_of_here(struct buffer *out, struct ci_run *run) {
  static const char *const argv[] = {"go", "env", "GOVERSION", NULL};
  const char *version = *run->options->record ? program_line(&run->arena, NULL, argv) : "";
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  if (processors > 0) buffer_printf(out, "%s%ld CPUs", out->size ? ", " : "", processors);
  if (*version && strlen(version) < 64) buffer_printf(out, ", %s", version);
}

/* True if this run measured base and head in alternation. */
static bool measured_in_turns(const struct ci_run *run) {
  return *run->options->record || *run->options->walltime;
}

pprofc_str method_machine(struct ci_run *run) {
  struct buffer text = ci_buffer();
  buffer_add_str(&text, run->measured_on);
  if (measured_in_turns(run)) machine_of_here(&text, run);
  return buffer_take(&text, &run->arena);
}

/* Begins a property: a name and a text. The caller appends the text. */
static struct buffer *begin_property(struct fill *f, const char *title) {
  fill_pack(f, "properties:{property:s", title);
  return fill_text(f, "value");
}

static void put_property(struct fill *f, const char *title, pprofc_str text) {
  if (!text.size) return;
  buffer_add_str(begin_property(f, title), text);
  fill_end(f);
}

/* Adds how many measurements the benchmarks have in base or in head: "8 to 10 of each version". */
static void put_rounds_property(struct fill *f, const struct page_model *m) {
  size_t count, least = SIZE_MAX, most = 0;
  const struct gate_row *rows = gate_rows(&m->run->gate, &count);
  for (size_t i = 0; i < count; i++) {
    const size_t sides[SIDES] = {rows[i].base_count, rows[i].head_count};
    for (int side = 0; side < SIDES; side++) {
      if (!sides[side]) continue;
      if (sides[side] < least) least = sides[side];
      if (sides[side] > most) most = sides[side];
    }
  }
  if (!most) return;
  struct buffer *out = begin_property(f, "rounds");
  if (least < most) buffer_printf(out, "%zu to ", least);
  buffer_printf(out, "%zu of each version", most);
  if (measured_in_turns(m->run))
    buffer_add_text(out, ", base and head in turns in one job, the order changing from "
                         "round to round");
  fill_end(f);
}

static void put_judging(struct fill *f, const struct page_model *m) {
  const struct ci_run *run = m->run;
  const struct gate_settings *s = &run->gate.settings;
  static const char *const tests[] = {
      "Welch's t-test; if it finds no change, Mann-Whitney U, then a trimmed t-test",
      "Welch's t-test", "Mann-Whitney U", "none"};
  static const char *const corrections[] = {"Benjamini and Hochberg", "Holm", "none"};
  buffer_printf(begin_property(f, "threshold"), "%.3g" PERCENT_FORMAT ", alpha %.3g",
                100 * s->threshold, s->alpha);
  fill_end(f);
  struct buffer *test = begin_property(f, "test");
  bool earlier = run->gate.noise_keys.count, alone = s->test == PPROFC_GATE_NONE && earlier;
  if (!alone) buffer_add_text(test, tests[s->test]);
  if (earlier) buffer_printf(test, "%st on earlier runs", alone ? "" : ", and ");
  fill_end(f);
  buffer_printf(begin_property(f, "correction"), "%s, of %zu p-values", corrections[s->correction],
                run->gate.family);
  fill_end(f);
  put_property(f, "totals", str_of(run->totals));
}

static void put_properties(struct fill *f, const struct page_model *m) {
  const struct ci_run *run = m->run;
  put_property(f, "base", str_of(run->base_commit));
  put_property(f, "choice of the base", str_of(run->base_why));
  put_property(f, "head", str_of(run->head_commit));
  put_property(f, "machine", run->machine);
  put_rounds_property(f, m);
  if (run->judged) put_judging(f, m);
  if (*run->options->record && run->pair_count)
    put_property(
        f, "profiles",
        STR("of the same number of iterations on both sides, from separate runs, which are not "
            "used for the verdict"));
  buffer_printf(begin_property(f, "made by"), "pprofci %s", pprofc_version());
  fill_end(f);
}

static void put_warnings(struct fill *f, const struct page_model *m) {
  pprofc_str rest = buffer_str(&m->run->gate.warnings), line;
  fill_flag(f, "warned", rest.size > 0);
  while (rest.data && str_next_line(&rest, &line)) {
    if (!line.size) continue;
    fill_pack(f, "warnings:{warning:S}", line);
  }
}

/* Adds a text below the tables: results without a base, or the output of benchmarks that could not
 * be judged. */
static void put_method_text(struct fill *f, const char *title, pprofc_str text) {
  if (!text.size) return;
  fill_pack(f, "texts:{title:s text:S}", title, text);
}

/* Appends a word of a shell command. Quotes the word if necessary. */
static void put_shell_word(struct buffer *out, const char *word) {
  if (text_is_of(str_of(word), TEXT_WORDS "/,:=@%+"))
    buffer_add_text(out, word);
  else
    escape_shell(out, str_of(word));
}

static void put_repeat_flag(struct buffer *out, const char *name, const char *value) {
  if (!*value) return;
  buffer_printf(out, " -%s ", name);
  put_shell_word(out, value);
}

static void put_repeat_files(struct buffer *out, const struct run_options *o) {
  for (int side = 0; side < SIDES; side++)
    for (size_t i = 0; i < o->bench_count[side]; i++)
      put_repeat_flag(out, side == SIDE_BASE ? "bench-base" : "bench-head",
                      o->bench_paths[side][i]);
  for (size_t i = 0; i < o->pair_count; i++) {
    put_repeat_flag(out, "pair", o->pair_bases[i]);
    buffer_add_char(out, ' ');
    put_shell_word(out, o->pair_heads[i]);
  }
}

static void put_run_command(struct buffer *out, const struct ci_run *run) {
  const struct run_options *o = run->options;
  bool chose = *o->record || *o->simulate || *o->walltime;
  const struct {
    const char *name, *value;
  } flags[] = {{"record", o->record},
               {"simulate", o->simulate},
               {"simulate-toggle", o->simulate_toggle},
               {"walltime", o->walltime},
               {"base-ref", chose ? run->base_commit : ""},
               {"setup", o->setup},
               {"bench", strcmp(o->bench, ".") == 0 ? "" : o->bench},
               {"benchtime", o->benchtime},
               {"cpu", o->cpu},
               {"profiles", *o->record ? o->profiles : ""},
               {"base", o->base},
               {"head", o->head},
               {"simulate-base", o->simulate_base},
               {"simulate-head", o->simulate_head}};
  buffer_add_text(out, "pprofci run");
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
    put_repeat_flag(out, flags[i].name, flags[i].value);
  put_repeat_files(out, o);
  if (o->simulate_bytes) buffer_add_text(out, " -simulate-bytes");
  if (measured_in_turns(run)) buffer_printf(out, " -count %lld", (long long)o->count);
  put_repeat_flag(out, "threshold", o->threshold);
  buffer_add_char(out, '\n');
}

/* Returns the pair of profiles of the worst regression, or else the first pair that has base and
 * head. */
static const struct run_pair *pair_to_open(const struct page_model *m) {
  const struct run_pair *pair = m->states[STATE_SLOWER] ? model_pair(m, &m->benchmarks[0]) : NULL;
  if (pair && pair->diff) return pair;
  for (size_t i = 0; i < m->run->pair_count; i++)
    if (m->run->pairs[i].diff) return &m->run->pairs[i];
  return NULL;
}

static void put_kept_profile(struct buffer *out, const struct run_pair *pair, int side) {
  char path[4096];
  snprintf(path, sizeof path, "%s/profiles/%s.pb.gz", pair->folder ? pair->folder : ".",
           pair->names[side]);
  put_shell_word(out, pair->folder ? path : path + 2);
}

/* Appends the commands that open the pair of profiles in a browser, and that print its table. */
static void put_open_commands(struct buffer *out, const struct run_pair *pair) {
  static const char *const reports[] = {"-http=: -diff_base=", "-top -diff_base="};
  for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
    buffer_printf(out, "pprofc %s", reports[i]);
    put_kept_profile(out, pair, SIDE_BASE);
    buffer_add_char(out, ' ');
    put_kept_profile(out, pair, SIDE_HEAD);
    buffer_add_char(out, '\n');
  }
}

void method_fill(struct fill *f, const struct page_model *m) {
  fill_words(f, "verdict", run_verdicts[m->run->verdict]);
  put_properties(f, m);
  put_warnings(f, m);
  details_fill_all(f, m);
  if (m->run->status == 1) put_method_text(f, "what failed", buffer_str(&m->run->gate_text));
  if (!m->count) put_method_text(f, "results", m->run->benchstat);
  const struct run_pair *pair = pair_to_open(m);
  struct buffer *repeat = fill_text(f, "repeat");
  if (m->run->options->has_inputs) put_run_command(repeat, m->run);
  if (pair) put_open_commands(repeat, pair);
}
