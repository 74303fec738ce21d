/* Reads comparison tables of any format, and raw results, into rows of the gate (gate.h). */
#ifndef PPROFC_GATE_READ_READ_H
#define PPROFC_GATE_READ_READ_H

#include "core/json_tree.h"
#include "gate/judge.h"

/* Reads a file with comparisons. Detects the format from the content. `data` must live as long as
 * the gate. Malformed data becomes a problem of the gate. The only error is PPROFC_E_NOMEM. */
pprofc_status gate_read_tables(struct gate *gate, pprofc_str path, pprofc_str data,
                               pprofc_error *error);

/* A reader of a format. `data` is UTF-8 without colours and carriage returns. Returns
 * PPROFC_E_NO_MATCH if the data has no table in this format. */
typedef pprofc_status gate_table_reader(struct gate *gate, pprofc_str path, pprofc_str data,
                                        pprofc_error *error);
gate_table_reader gate_read_text, gate_read_csv, gate_read_classic, gate_read_markdown,
    gate_read_json;

/* True if the beginning of the data looks like a comparison in any format. */
bool gate_is_comparison(pprofc_str data);

/* Adds a problem for every line that reports a failed run: "FAIL", "panic:", "benchstat: ...".
 * Returns the number of these lines. */
size_t gate_scan_failures(struct gate *gate, pprofc_str path, pprofc_str data);

/* Compares the inputs of `set` labelled "base" with the inputs labelled "head". The set must live
 * as long as the gate. */
pprofc_status gate_read_raw(struct gate *gate, const pprofc_bench *set, pprofc_error *error);

/* Does the same as gate_read_raw, but frees the results of the set before it makes rows. */
pprofc_status gate_read_raw_and_free(struct gate *gate, pprofc_bench *set, pprofc_error *error);

struct pairs;

/* Estimates from all benchmarks the factor by which the machine's speed changed the values of each
 * round. Divides the times and rates of the round by this factor if this reduces their noise. Adds
 * a row for the geometric mean of all benchmarks if the mean regressed. Returns false when out of
 * memory. */
bool gate_take_speeds(struct gate *gate, struct pairs *pairs);

/* ---- files and folders ------------------------------ */

/* Maximum size of a file, equal to pprofc_limits.input_bytes. */
#define GATE_FILE_MAX ((size_t)2 << 30)

/* Appends the content of a file to `data`, or standard input for "-". The limit of `data` must be
 * GATE_FILE_MAX. Errors: PPROFC_E_IO, PPROFC_E_LIMIT, PPROFC_E_NOMEM. */
pprofc_status gate_read_whole(const char *path, struct buffer *data, pprofc_error *error);

/* Reads a file of results, or all samples in a folder of criterion. Reports failed runs in the file
 * as problems. */
pprofc_status gate_read_run(struct gate *gate, pprofc_bench *set, const char *label,
                            const char *path, pprofc_error *error);

/* Paths of files, sorted by name. An arena owns the texts. */
struct gate_paths {
  const char **items;
  size_t count, capacity;
};

/* Lists the files of a folder whose names match a glob. Adds a problem to the gate if the folder is
 * unreadable or has no such file. The only error is PPROFC_E_NOMEM. */
pprofc_status gate_list_folder(struct gate *gate, const char *folder, const char *pattern,
                               struct arena *arena, struct gate_paths *paths, pprofc_error *error);

/* Records an error of an input as a problem of the gate. Returns PPROFC_OK, so that the caller
 * continues with the next input. Returns PPROFC_E_NOMEM unchanged. */
pprofc_status gate_note_problem(struct gate *gate, pprofc_status status, const pprofc_error *error);

/* Estimates how much benchmarks vary, from a folder with a file for each earlier run
 * (gate_learn_noise). */
pprofc_status gate_read_noise(struct gate *gate, const char *folder, pprofc_error *error);

/* ---- cells of tables -------------------------------- */

/* Parses the cells that all formats of comparison tables share: "2.449m", "+21.50%", "p=0.000
 * n=10+9". */

/* Texts of a comparison in a table; each may be empty. */
struct gate_cell {
  /* printed centers (medians or means); empty if base or head has no value */
  pprofc_str base, head;
  pprofc_str delta;      /* printed change: "+21.50%", "~", "?" */
  pprofc_str comparison; /* printed result of the test, without parentheses: "p=0.000 n=10", "all
                            equal" ... */
  pprofc_str unit, group, name;
  pprofc_str file, text; /* path of the file, and text of the whole line */
  size_t line;
};

/* Adds a row for the cell. Adds a problem with file and line if the cell is malformed. Returns
 * false when out of memory. */
bool gate_add_cell(struct gate *gate, const struct gate_cell *cell);

/* Removes the first word from *rest. Words are separated by spaces. Returns false at the end. */
bool gate_next_word(pprofc_str *rest, pprofc_str *word);

/* Iterator over the lines of a file; `text` is the current line. */
struct gate_lines {
  pprofc_str rest, text;
  size_t number; /* line number of `text`, from 1 */
};
bool gate_next_line(struct gate_lines *lines);

#define GATE_SHOWN 300 /* maximum number of bytes of a line in a message */

/* True for a line such as "pkg: a/b" before a table. Stores the package if the line names it. */
bool gate_key_line(pprofc_str line, pprofc_str *package);

/* Reads a run from a store: results, verdict and profiles of one commit, as JSON
 * (docs/HISTORY_STORE.md). `pprofci store` writes these files. The gate estimates noise from runs.
 */

/* Name and content of the file that marks a folder as a store. */
#define RECORD_MARK      "pprofci-store"
#define RECORD_MARK_TEXT "pprofci store, version 1\n"

/* Place of a run in the order of the history. */
struct record_place {
  int64_t order; /* number of commits from the first commit to this one; -1 if unknown */
  int64_t time;  /* time of the commit in seconds since 1970 */
  pprofc_str commit;
};

struct run_record {
  struct record_place place;
  pprofc_str branch, machine, verdict, headline;
  int64_t status;
  const struct node *series, *profiles; /* arrays of the run's JSON file; NULL if missing */
};

/* Values of a benchmark in one unit. */
struct record_series {
  pprofc_str group, name, unit;
  int direction;
  size_t count;  /* number of finite values */
  double center; /* median of the values */
};

/* Parses the JSON file of a run. Texts are in the arena or point into `data`. Errors name the path:
 * PPROFC_E_FORMAT, PPROFC_E_NOMEM. */
pprofc_status record_parse(struct arena *arena, const char *path, pprofc_str data,
                           struct run_record *record, pprofc_error *error);

/* Reads an element of `series` (a benchmark in one unit). The count is 0 if no value is finite.
 * Returns false when out of memory. */
bool record_series_read(const struct node *item, const pprofc_allocator *mem,
                        struct record_series *series);

/* Comparison functions for qsort of struct record_place, or of structs that begin with it.
 * record_by_order compares the number of commits (`order`), then the time, then the id.
 * record_by_time compares the time first. */
int record_by_order(const void *a, const void *b);
int record_by_time(const void *a, const void *b);

/* Sets *trunk to the branch with the most runs, or to the first of several such branches. `first`
 * points to the branch of the first run, and the branch of each further run is `stride` bytes
 * later. Returns false when out of memory. */
bool record_trunk(const pprofc_allocator *mem, const pprofc_str *first, size_t count, size_t stride,
                  pprofc_str *trunk);

struct gate;
/* Estimates how much benchmarks vary, from a folder that `pprofci store` wrote. Uses only the
 * branch with the most runs. For each series (a benchmark in one unit), uses the runs after its
 * last change point, but at most the last RECORD_NOISE_MAX runs. Errors in the folder become
 * problems of the gate. The only error is PPROFC_E_NOMEM. */
pprofc_status gate_read_history(struct gate *gate, const char *folder, pprofc_error *error);

#define RECORD_NOISE_MAX 20

#endif
