/* Writes manifest.json: inputs, artifacts and the verdict, for other programs. */
#include "page/page.h"

#include "common/sha256.h"
#include "run/code.h"
#include "run/recording.h"

struct manifest {
  const struct page_model *model;
  struct json_text text;
};

static void manifest_text(struct manifest *f, const char *key, const char *text) {
  json_text(json_key(&f->text.json, key), text ? text : "");
}

/* Writes the hash of a file. Writes an empty text if the file is unreadable. */
static void put_hash(struct manifest *f, const char *path) {
  char hex[SHA256_HEX + 1] = "";
  struct buffer data = ci_buffer();
  pprofc_error ignored;
  if (file_read(path, &data, &ignored) == PPROFC_OK) sha256_hex_of(buffer_str(&data), hex);
  manifest_text(f, "sha256", hex);
  buffer_free(&data);
}

static void put_input(struct manifest *f, int side, const char *path) {
  if (!run_has(path)) return;
  json_pack(&f->text.json, "\n{side:s name:S", side_names[side], str_path_base(str_of(path)));
  put_hash(f, path);
  json_end(&f->text.json);
}

static void put_inputs(struct manifest *f) {
  const struct ci_run *run = f->model->run;
  json_pack(&f->text.json, "\ninputs:[");
  for (size_t i = 0; i < run->pair_count; i++)
    for (int side = 0; side < SIDES; side++)
      for (size_t k = 0; k < run->pairs[i].run_count[side]; k++)
        put_input(f, side, run->pairs[i].runs[side][k]);
  for (int side = 0; side < SIDES; side++) put_input(f, side, run->bench[side]);
  json_end(&f->text.json);
}

static void put_runs(struct manifest *f, const struct run_pair *pair) {
  json_pack(&f->text.json, "runs:{folder:s", pair->kept);
  for (int side = 0; side < SIDES; side++) {
    json_begin_array(json_key(&f->text.json, side_names[side]));
    for (size_t i = 0; i < pair->run_count[side]; i++)
      json_string(&f->text.json, str_path_base(str_of(pair->runs[side][i])));
    json_end(&f->text.json);
  }
  json_end(&f->text.json);
}

static void put_manifest_pair(struct manifest *f, const struct run_pair *pair) {
  json_pack(&f->text.json, "\n{kind:s base:s head:s diff:s", pair->kind, pair->names[SIDE_BASE],
            pair->names[SIDE_HEAD], pair->diff);
  if (pair->benchmark) {
    json_pack(&f->text.json, "package:s benchmark:s iterations:f", pair->package, pair->benchmark,
              pair->iterations);
  }
  if (pair->kept) put_runs(f, pair);
  if (pair->built) built_write(&f->text.json, pair->built);
  comparisons_write(&f->text.json, pair);
  json_end(&f->text.json);
}

static void put_samples(struct manifest *f, const struct gate_row *row, int side) {
  struct run_samples samples = model_samples(f->model, row, side);
  json_begin_array(json_key(&f->text.json, side_names[side]));
  for (size_t i = 0; i < samples.count; i++) json_double(&f->text.json, samples.values[i]);
  json_end(&f->text.json);
}

/* Writes the round of each measurement of base or head. Writes nothing if the rounds are
 * unknown. */
static void put_rounds(struct manifest *f, const struct gate_row *row, int side) {
  static const char *const keys[SIDES] = {"base_rounds", "head_rounds"};
  struct run_samples samples = model_samples(f->model, row, side);
  bool any = false;
  for (size_t i = 0; i < samples.count; i++) any |= samples.rounds[i] != 0;
  if (!any) return;
  json_begin_array(json_key(&f->text.json, keys[side]));
  for (size_t i = 0; i < samples.count; i++) json_uint(&f->text.json, samples.rounds[i]);
  json_end(&f->text.json);
}

static void put_if(struct manifest *f, const char *key, bool value) {
  if (!value) return;
  json_bool(json_key(&f->text.json, key), true);
}

/* Writes all measurements in order. `pprofci merge` reads them to judge several jobs together, and
 * computes the geometric mean from them. */
static void put_results(struct manifest *f) {
  size_t count;
  const struct gate_row *rows = gate_rows(&f->model->run->gate, &count);
  json_pack(&f->text.json, "\nresults:[");
  for (size_t i = 0; i < count; i++) {
    if (rows[i].whole) continue;
    json_pack(&f->text.json, "\n{group:S benchmark:S unit:S verdict:s direction:i threaded:b",
              rows[i].group, rows[i].name, rows[i].unit, gate_row_verdict(&rows[i]),
              (int64_t)rows[i].direction, rows[i].threaded);
    put_if(f, "exact", rows[i].exact);
    put_if(f, "one_process", rows[i].one_process);
    put_if(f, "screened", rows[i].screened);
    put_if(f, "excused", rows[i].excused);
    put_if(f, "processes", rows[i].processes);
    for (int side = 0; side < SIDES; side++) put_samples(f, &rows[i], side);
    for (int side = 0; side < SIDES; side++) put_rounds(f, &rows[i], side);
    json_end(&f->text.json);
  }
  json_end(&f->text.json);
}

/* Writes the sorted names of the files in the page's folder, or in the folder "benchdiff" if
 * `of_benchdiff` is true. */
static void put_files(struct manifest *f, const char *key, bool of_benchdiff) {
  const struct ci_run *run = f->model->run;
  const char **paths = mem_array(run->mem, run->file_count + 1, sizeof *paths);
  size_t count = 0;
  for (size_t i = 0; i < run->file_count; i++)
    if (run->files[i].of_benchdiff == of_benchdiff) paths[count++] = run->files[i].path;
  qsort(paths, count, sizeof *paths, text_order);
  json_line_break(&f->text.json);
  json_begin_array(json_key(&f->text.json, key));
  for (size_t i = 0; i < count; i++) {
    json_pack(&f->text.json, "\ns", paths[i]);
  }
  json_end(&f->text.json);
  mem_free(run->mem, paths, run->file_count + 1, sizeof *paths);
}

static void put_manifest(struct manifest *f) {
  const struct ci_run *run = f->model->run;
  json_pack(&f->text.json, "{\nversion:4 tool:s tool_version:s commit:s base_commit:s", "pprofci",
            pprofc_version(), run->head_commit, run->base_commit);
  if (*run->base_why) manifest_text(f, "base_choice", run->base_why);
  json_pack(&f->text.json, "verdict:s gate_status:i headline:S conclusion:s machine:S\nsummary:",
            run_verdicts[run->verdict], (int64_t)run->status, f->model->headline,
            verdict_class(f->model->verdict), run->machine);
  message_write(&f->text.json, run->summary);
  json_pack(&f->text.json,
            "\ntotals:s instructions:s instructions_regressed:b\nregressions:", run->totals,
            run->instructions, run->counts_regressed);
  annotations_list(&f->text.json, f->model);
  json_line_break(&f->text.json);
  comparisons_write_fired(&f->text.json, run);
  json_line_break(&f->text.json);
  same_write(&f->text.json, run);
  load_write(&f->text.json, run);
  surroundings_write(&f->text.json, run);
  manifest_text(f, "threshold", run->options->threshold);
  put_if(f, "conditions", run->conditions);
  put_if(f, "base_misleads", run->base_misleads);
  if (run->gate.settings.overloaded && !run->gate.settings.any_load)
    manifest_text(f, "overloaded", run->gate.settings.overloaded);
  put_inputs(f);
  outside_write(&f->text.json, run);
  json_pack(&f->text.json, "\npairs:[");
  for (size_t i = 0; i < run->pair_count; i++) put_manifest_pair(f, &run->pairs[i]);
  json_end(&f->text.json);
  put_results(f);
  put_files(f, "files", false);
  put_files(f, "benchdiff", true);
  json_end(&f->text.json);
}

pprofc_str manifest_make(struct ci_run *run, const struct page_model *m) {
  struct manifest f = {.model = m};
  json_text_begin(&f.text);
  f.text.json.spaced = true;
  put_manifest(&f);
  output_add_char(f.text.out, '\n');
  return json_text_end(&f.text, &run->arena);
}
