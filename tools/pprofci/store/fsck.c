/* Implements `pprofci fsck`: reports missing and damaged files of a store. */
#include "commands.h"
#include "store/store.h"

struct upkeep_findings {
  size_t runs, objects; /* numbers of undamaged runs and objects (stored profiles) */
  size_t broken, missing, unnamed, left_over;
};

struct checker {
  struct backing *backing;
  struct output *out;
  struct upkeep_findings *found;
  struct past past;
  struct interner objects; /* keys of the undamaged stored profiles */
};

static void checker_report(struct checker *c, size_t *count, const char *what, pprofc_str name,
                           const char *why) {
  ++*count;
  output_row(c->out, 0, 0, 0);
  output_printf(c->out, "%s: ", what);
  escape_line_to_output(c->out, name);
  output_printf(c->out, "%s%s\n", *why ? ": " : "", why);
}

static void check_object(void *context, const struct stored_key *stored) {
  struct checker *c = context;
  const char *key = stored->name;
  char hex[SHA256_HEX + 1], wanted[80];
  struct buffer data = buffer_make(&ci_mem, BACKING_FILE_MAX);
  pprofc_status status = c->backing->kind->get(c->backing, key, &data, &ci_error);
  if (status != PPROFC_E_NO_MATCH) ci_need(status);
  sha256_hex_of(buffer_str(&data), hex);
  past_object_key(str_of(hex), wanted);
  if (status == PPROFC_OK && strcmp(wanted, key) != 0) {
    checker_report(c, &c->found->broken, "broken", str_of(key),
                   "its content does not match its name; remove it and store its run again");
  } else if (status == PPROFC_OK) {
    c->found->objects++;
    (void)interner_copy(&c->objects, &c->past.arena, str_of(key));
  }
  buffer_free(&data);
}

/* True if the ID of "runs/COMMIT/ID.json" is a prefix of the record's hash. */
static bool is_named_well(const char *key, const struct run_record *record, pprofc_str data) {
  char hex[SHA256_HEX + 1], wanted[256];
  sha256_hex_of(data, hex);
  snprintf(wanted, sizeof wanted, "runs/%.*s/%.32s.json", STR_ARG(record->place.commit), hex);
  return strcmp(wanted, key) == 0;
}

static void check_named_profiles(struct checker *c, const char *key,
                                 const struct run_record *record) {
  for (size_t i = 0; i < node_size(record->profiles); i++) {
    char object[80], why[200];
    past_object_key(node_text(node_at(record->profiles, i), "sha256"), object);
    if (interner_find(&c->objects, str_of(object)) != MAP_NONE) continue;
    snprintf(why, sizeof why, "named by %.150s", key);
    checker_report(c, &c->found->missing, "missing", str_of(object), why);
  }
}

static void check_record(void *context, const struct stored_key *stored) {
  struct checker *c = context;
  const char *key = stored->name;
  struct arena arena = ci_arena();
  struct run_record record;
  struct buffer data = buffer_make(&ci_mem, BACKING_FILE_MAX);
  pprofc_status status = c->backing->kind->get(c->backing, key, &data, &ci_error);
  pprofc_str text = buffer_str(&data);
  if (status == PPROFC_OK) status = record_parse(&arena, key, text, &record, &ci_error);
  if (status == PPROFC_E_FORMAT) {
    checker_report(c, &c->found->broken, "broken", str_of(ci_error.message), "");
  } else if (status != PPROFC_E_NO_MATCH) {
    ci_need(status);
    if (is_named_well(key, &record, text)) {
      c->found->runs++;
      check_named_profiles(c, key, &record);
      past_add_record(&c->past, key, &record);
    } else {
      checker_report(c, &c->found->broken, "broken", str_of(key),
                     "its content does not match its name");
    }
  }
  buffer_free(&data);
  arena_free(&arena);
}

static void count_unnamed(struct checker *c) {
  struct interner named;
  interner_init(&named, &ci_mem);
  past_name_objects(&c->past, &named);
  for (size_t i = 0; i < c->objects.count; i++)
    if (interner_find(&named, c->objects.items[i]) == MAP_NONE)
      checker_report(c, &c->found->unnamed, "not named by any run", c->objects.items[i], "");
  interner_free(&named);
}

static void check_left_over(void *context, const struct stored_key *key) {
  struct checker *c = context;
  checker_report(c, &c->found->left_over, "not finished", str_of(key->name), "");
}

/* Reads the whole store and prints a line for each damaged or missing file. */
static void upkeep_check(struct backing *backing, struct output *out,
                         struct upkeep_findings *findings) {
  struct checker c = {.backing = backing, .out = out, .found = findings};
  *findings = (struct upkeep_findings){.runs = 0};
  past_init(&c.past);
  interner_init(&c.objects, &ci_mem);
  backing_each(backing, "objects", check_object, &c);
  backing_each(backing, "runs", check_record, &c);
  count_unnamed(&c);
  backing_each(backing, "tmp", check_left_over, &c);
  interner_free(&c.objects);
  past_free(&c.past);
}

struct fsck_options {
  bool clean;
  uint64_t brief_bytes;
};

#define FIELD(name) offsetof(struct fsck_options, name)

static const struct flag_group groups[] = {{"Actions", NULL}};

static const struct flag flags[] = {
    SWITCH(0, "clean", clean,
           "remove profiles that no run uses, and unfinished files, if they are older than a day"),
    COMMAND_BUDGET(0),
};

static const char *const usage[] = {"[flags] STORE", NULL};

static const char *const details[] = {
    "Reads every file of the store and compares it with its name, which is the hash of its "
    "content. An interrupted `pprofci store` may leave unfinished files, and profiles that no run "
    "names. These files do no harm.",
    NULL};

static const struct flag_note statuses[] = {
    {"0", "nothing is missing or broken"},
    {"1", "something is missing or broken, or the check failed"},
    {NULL, NULL}};

const struct flag_table fsck_table = {FLAG_TABLE("pprofci fsck", "checks that a store is whole")};

static int fsck_run(void *options, const struct command_line *line) {
  const struct fsck_options *o = options;
  struct output *out = line->out;
  struct backing backing;
  struct upkeep_findings found;
  struct upkeep_counts counts = {0};
  backing_open(&backing, line->words[0], false);
  upkeep_check(&backing, out, &found);
  output_no_row(out);
  output_printf(out,
                "%zu runs and %zu profiles are whole; %zu broken, %zu missing, %zu not named, "
                "%zu not finished\n",
                found.runs, found.objects, found.broken, found.missing, found.unnamed,
                found.left_over);
  if (o->clean) {
    upkeep_sweep(&backing, (int64_t)time(NULL), false, &counts);
    output_printf(out, "removed: %zu profiles that no run names, %zu unfinished files\n",
                  counts.objects, counts.left_over);
  }
  backing_close(&backing);
  return found.broken || found.missing ? EXIT_FAILED : EXIT_PASSED;
}

COMMAND(fsck, struct fsck_options, COMMAND_STORE, NULL, fsck_run, true);
