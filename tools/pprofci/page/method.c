/* Writes the last section of the page: machine, rounds, test, warnings, all numbers, commands. */
#include "page/method.h"

#include "core/child.h"
#include "page/details.h"
#include "page/html.h"
#include "page/numbers.h"
#include "run/text.h"

#include <stdio.h>
#include <unistd.h>

/* ---- the machine ------------------------------------- */

/* Appends the machine from the results: the values in the table's first lines, "goos: linux". */
static void machine_of_results(struct buffer *out, pprofc_str table) {
  static const char *const keys[] = {"goos: ", "goarch: ", "cpu: "};
  pprofc_str line;
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    for (pprofc_str rest = table; rest.data && str_next_line(&rest, &line);) {
      if (!str_starts(line, str_of(keys[i]))) continue;
      if (out->size) buffer_add_text(out, i == 1 ? " " : ", ");
      buffer_add_str(out, str_slice(line, strlen(keys[i]), line.size));
      break;
    }
  }
}

/* Appends the machine of this process, where the measurements ran. */
static void machine_of_here(struct buffer *out) {
  const char *const argv[] = {"go", "env", "GOVERSION", NULL};
  struct child child = {.argv = argv};
  struct child_end end;
  struct buffer printed;
  pprofc_error ignored;
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  if (processors > 0) buffer_printf(out, "%s%ld CPUs", out->size ? ", " : "", processors);
  buffer_init(&printed, out->mem, 1 << 16);
  bool good = child_run(&child, &printed, &end, &ignored) == PPROFC_OK && end.status == 0;
  pprofc_str version = good ? str_trim(buffer_str(&printed)) : STR("");
  if (version.size && version.size < 64) buffer_printf(out, ", %.*s", STR_ARG(version));
  buffer_free(&printed);
}

pprofc_str method_machine(struct ci_run *run) {
  struct buffer text;
  buffer_init(&text, run->mem, SIZE_MAX / 2);
  machine_of_results(&text, run->benchstat);
  if (*run->options->record) machine_of_here(&text);
  pprofc_str kept = buffer_keep(&text, &run->arena);
  buffer_free(&text);
  return kept;
}

/* ---- facts ------------------------------------------- */

static void put_fact(struct buffer *out, const char *title, pprofc_str text) {
  if (!text.size) return;
  buffer_printf(out, "<dt>%s</dt><dd>", title);
  html_text(out, text);
  buffer_add_text(out, "</dd>\n");
}

/* Appends how many measurements a benchmark has: "from 8 to 10 a side". */
static void put_rounds_fact(struct buffer *out, const struct page_model *m) {
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
  buffer_add_text(out, "<dt>rounds</dt><dd>");
  if (least < most) buffer_printf(out, "%zu to ", least);
  buffer_printf(out, "%zu a side", most);
  if (*m->run->options->record)
    buffer_add_text(out,
                    ", base and head in turns in one job, the side that is first changing from "
                    "round to round");
  buffer_add_text(out, "</dd>\n");
}

static void put_judging(struct buffer *out, const struct page_model *m) {
  const struct ci_run *run = m->run;
  const struct gate_settings *s = &run->gate.settings;
  static const char *const tests[] = {
      "Welch's t-test, and Mann-Whitney U for what it does not find", "Welch's t-test",
      "Mann-Whitney U", "none"};
  static const char *const corrections[] = {"Benjamini and Hochberg", "Holm", "none"};
  buffer_printf(out,
                "<dt>threshold</dt><dd>%.3g" PERCENT_FORMAT ", alpha %.3g</dd>\n"
                "<dt>test</dt><dd>%s</dd>\n<dt>correction</dt><dd>%s, of %zu p-values</dd>\n",
                100 * s->threshold, s->alpha, tests[s->test], corrections[s->correction],
                run->gate.family);
  put_fact(out, "totals", str_of(run->totals));
}

static void put_profiling_fact(struct buffer *out, const struct page_model *m) {
  if (!*m->run->options->record || !m->run->pair_count) return;
  buffer_add_text(out, "<dt>profiles</dt><dd>of the same number of iterations on both sides, from "
                       "separate runs, which are not used for the verdict</dd>\n");
}

static void put_facts(struct buffer *out, const struct page_model *m) {
  const struct ci_run *run = m->run;
  buffer_printf(out, "<dl class=\"facts\">\n<dt>verdict</dt><dd><strong>%s</strong></dd>\n",
                run->verdict);
  put_fact(out, "base", str_of(run->base_commit));
  if (*run->base_why) put_fact(out, "choice of the base", str_of(run->base_why));
  put_fact(out, "head", str_of(run->head_commit));
  put_fact(out, "machine", run->machine);
  put_rounds_fact(out, m);
  if (run->judged) put_judging(out, m);
  put_profiling_fact(out, m);
  buffer_printf(out, "<dt>made by</dt><dd>pprofci %s</dd>\n</dl>\n", pprofc_version());
}

static void put_warnings(struct buffer *out, const struct page_model *m) {
  pprofc_str rest = buffer_str(&m->run->gate.warnings), line;
  if (!rest.size) return;
  buffer_add_text(out, "<ul class=\"warnings\">\n");
  while (rest.data && str_next_line(&rest, &line)) {
    if (!line.size) continue;
    buffer_add_text(out, "<li>");
    html_text(out, line);
    buffer_add_text(out, "</li>\n");
  }
  buffer_add_text(out, "</ul>\n");
}

/* Appends text that is in no table: results of a head alone, or why a gate failed. */
static void put_method_text(struct buffer *out, const char *title, pprofc_str text) {
  if (!text.size) return;
  buffer_printf(out, "<details><summary>%s</summary><pre tabindex=\"0\">", title);
  html_text(out, text);
  buffer_add_text(out, "</pre></details>\n");
}

/* ---- commands ---------------------------------------- */

/* Appends a word for a shell, quoted if necessary. */
static void put_shell_word(struct buffer *out, const char *word) {
  static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                             "_./,:=@%+-";
  if (*word && word[strspn(word, safe)] == '\0') {
    html_words(out, word);
    return;
  }
  buffer_add_char(out, '\'');
  for (const char *c = word; *c; c++)
    html_text(out, *c == '\'' ? STR("'\\''") : (pprofc_str){c, 1});
  buffer_add_char(out, '\'');
}

static void put_repeat_flag(struct buffer *out, const char *name, const char *value) {
  if (!*value) return;
  buffer_printf(out, " -%s ", name);
  put_shell_word(out, value);
}

/* Appends the `pprofci run` command of this run. */
static void put_run_command(struct buffer *out, const struct ci_run *run) {
  const struct run_options *o = run->options;
  const struct {
    const char *name, *value;
  } flags[] = {{"record", o->record},
               {"base-ref", *o->record ? run->base_commit : ""},
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
  for (int side = 0; side < SIDES; side++)
    for (size_t i = 0; i < o->bench_count[side]; i++)
      put_repeat_flag(out, side == SIDE_BASE ? "bench-base" : "bench-head",
                      o->bench_paths[side][i]);
  for (size_t i = 0; i < o->pair_count; i++) {
    put_repeat_flag(out, "pair", o->pair_bases[i]);
    buffer_add_char(out, ' ');
    put_shell_word(out, o->pair_heads[i]);
  }
  if (*o->record) buffer_printf(out, " -count %lld", (long long)o->count);
  put_repeat_flag(out, "threshold", o->threshold);
  buffer_add_char(out, '\n');
}

static bool was_given_something(const struct run_options *o) {
  const char *const given[] = {o->record,     o->base,          o->head,         o->bench_base,
                               o->bench_head, o->simulate_base, o->simulate_head};
  for (size_t i = 0; i < sizeof given / sizeof *given; i++)
    if (*given[i]) return true;
  return o->pair_count > 0;
}

/* Returns the pair that explains the worst regression, else the first pair. */
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

/* Appends the commands that open the pair in a browser and print its table. */
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

static void put_repeat(struct buffer *out, const struct page_model *m) {
  const struct run_pair *pair = pair_to_open(m);
  bool given = was_given_something(m->run->options);
  if (!pair && !given) return;
  buffer_add_text(out, "<h3 id=\"repeat\">How to repeat it</h3>\n<pre tabindex=\"0\">");
  if (given) put_run_command(out, m->run);
  if (pair) put_open_commands(out, pair);
  buffer_add_text(out, "</pre>\n");
}

void method_print(struct buffer *out, const struct page_model *m) {
  buffer_add_text(out, "<details class=\"fold\" id=\"method\"><summary>how this was measured, and "
                       "how to repeat it</summary>\n");
  put_facts(out, m);
  put_warnings(out, m);
  details_print_all(out, m);
  if (m->run->status == 1) put_method_text(out, "what failed", buffer_str(&m->run->gate_text));
  if (!m->count) put_method_text(out, "results", m->run->benchstat);
  put_repeat(out, m);
  buffer_add_text(out, "</details>\n");
}
