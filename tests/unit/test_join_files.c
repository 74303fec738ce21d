/* Tests stacks/join_files. A difference matches functions by name, wherever their sources are. A
 * name is split by file only if base or head has several functions of that name. */
#include "pprofc/pprofc.h"
#include "stacks/join_files.h"
#include "stacks/layout.h"
#include "transform/transform.h"

#include "report_text.h"
#include "unit.h"

/* ---- pairs ------------------------------------------- */

#define FILES_MAX 8

struct pairing {
  const char *head[FILES_MAX], *base[FILES_MAX];
  size_t partner[FILES_MAX]; /* for each file of the base, the index of the matching file of the
                                head, or ALONE */
};

#define ALONE 99

static void check_pairing(const struct pairing *p) {
  struct interner texts;
  interner_init(&texts, &mem_default);
  struct joined_function functions[2 * FILES_MAX];
  uint32_t count = 0;
  for (size_t i = 0; i < FILES_MAX && p->head[i]; i++, count++)
    functions[count] =
        (struct joined_function){7, interner_add(&texts, str_of(p->head[i])), count, SIDE_HEAD};
  uint32_t heads = count;
  for (size_t i = 0; i < FILES_MAX && p->base[i]; i++, count++)
    functions[count] =
        (struct joined_function){7, interner_add(&texts, str_of(p->base[i])), count, SIDE_BASE};
  CU_ASSERT_FATAL(join_files(functions, count, &texts, &mem_default));
  for (uint32_t i = 0; i < count; i++) {
    uint32_t index = functions[i].index;
    pprofc_str wanted = str_of(index < heads ? p->head[index] : p->base[index - heads]);
    if (index >= heads && p->partner[index - heads] != ALONE)
      wanted = str_of(p->head[p->partner[index - heads]]);
    pprofc_str got = texts.items[functions[i].file];
    if (!str_equal(got, wanted))
      printf("\ngot '%.*s', expected '%.*s'\n", STR_ARG(got), STR_ARG(wanted));
    CU_ASSERT(str_equal(got, wanted));
  }
  interner_free(&texts);
}

TEST(test_files_are_paired_as_the_manual_says) {
  static const struct pairing pairings[] = {
      /* one file per side: the same function, whatever the file name */
      {{"/new/a.c"}, {"/old/a.c"}, {0}},
      {{"a.c"}, {"lib/b.c"}, {0}},
      {{"a.c"}, {""}, {0}},
      /* first rule: the same path */
      {{"a.c", "b.c"}, {"b.c", "a.c"}, {1, 0}},
      {{"x/a.c"}, {"y/a.c", "x/a.c"}, {ALONE, 0}},
      /* second rule: the longest common end, in whole names */
      {{"/r/a/x.c", "/r/b/x.c"}, {"/tmp/w/b/x.c", "/tmp/w/a/x.c"}, {1, 0}},
      {{"/r/ba/x.c", "/r/a/x.c"}, {"/w/a/x.c", "/w/ba/x.c"}, {1, 0}},
      {{"r/a.c", "r/xa.c"}, {"w/xa.c", "w/a.c"}, {1, 0}},
      {{"r/a.c", "r/a.c-b.c", "r/b.c"}, {"w/b.c", "w/a.c", "a.c-b.c"}, {2, 0, 1}},
      {{"r\\a\\x.c", "r\\b\\x.c"}, {"w/b/x.c", "w/a/x.c"}, {1, 0}},
      /* with equally long ends: the file in the smallest number of folders */
      {{"/r/x.c"}, {"/w/lib/x.c", "/w/x.c"}, {ALONE, 0}},
      {{"/r/x.c", "/r/lib/x.c"}, {"/w/lib/x.c", "/w/x.c"}, {1, 0}},
      /* one of two files moved: its base name must be the same */
      {{"a.c", "new/b.c"}, {"a.c", "old/b.c"}, {0, 1}},
      {{"a.c", "c.c"}, {"a.c", "b.c"}, {0, ALONE}},
      /* one side has two functions, and nothing shows which of them matches */
      {{"a.c", "b.c"}, {"c.c"}, {ALONE}},
      {{"a.c", "b.c"}, {""}, {ALONE}},
  };
  for (size_t i = 0; i < sizeof pairings / sizeof *pairings; i++) check_pairing(&pairings[i]);
}

/* Matches the maximum number of functions of one name, with one loop over their paths. */
TEST(test_many_files_of_one_name_are_paired) {
  enum { COUNT = 20000 };
  struct interner texts;
  struct arena arena;
  interner_init(&texts, &mem_default);
  arena_init(&arena, &mem_default);
  struct joined_function *functions = calloc(2 * COUNT, sizeof *functions);
  CU_ASSERT_FATAL(functions != NULL);
  for (uint32_t i = 0; i < 2 * COUNT; i++) {
    char path[64];
    snprintf(path, sizeof path, "/%s/%05u/x.c", i < COUNT ? "new" : "old", i % COUNT);
    uint32_t file = interner_copy(&texts, &arena, str_of(path));
    functions[i] = (struct joined_function){1, file, i, i < COUNT ? SIDE_HEAD : SIDE_BASE};
  }
  CU_ASSERT_FATAL(join_files(functions, 2 * COUNT, &texts, &mem_default));
  bool all = true;
  for (uint32_t i = 0; i < 2 * COUNT; i++)
    all = all && functions[i].file == functions[i].index % COUNT;
  CU_ASSERT(all);
  free(functions);
  arena_free(&arena);
  interner_free(&texts);
}

/* ---- reports ----------------------------------------- */

/* Creates a profile with two functions `init` in two files, inlining, recursion, labels, and a
 * function without a file. */
static pprofc_profile *program_in(const char *folder, uint32_t moved_line) {
  static const char *const paths[] = {"main.c", "a/init.c", "b/init.c", "util.h"};
  char files[4][64];
  for (size_t i = 0; i < 4; i++) snprintf(files[i], sizeof files[i], "%s/%s", folder, paths[i]);
  pprofc_builder *b = cpu_builder();
  uint32_t inner = pprofc_builder_function(b, "inner", NULL, files[3], 3 + moved_line);
  uint32_t outer = pprofc_builder_function(b, "outer", NULL, files[0], 8);
  uint32_t both = pprofc_builder_location(
      b, PPROFC_NONE, 0x1010, (pprofc_line[]){{inner, 4 + moved_line, 0}, {outer, 9, 0}}, 2);
  uint32_t start = pprofc_builder_frame(b, "main", files[0], 1);
  uint32_t first = pprofc_builder_frame(b, "init", files[1], 1);
  uint32_t second = pprofc_builder_frame(b, "init", files[2], 1);
  uint32_t bare = pprofc_builder_frame(b, "read", "", 0);
  pprofc_builder_sample(b, (uint32_t[]){both, start}, 2, (int64_t[]){100});
  pprofc_builder_label(b, "thread", "one");
  pprofc_builder_sample(b, (uint32_t[]){bare, first, start}, 3, (int64_t[]){50});
  pprofc_builder_sample(b, (uint32_t[]){second, second, start}, 3, (int64_t[]){20});
  return finish(b);
}

static pprofc_profile *difference_of(pprofc_diff_kind kind, pprofc_profile *head,
                                     pprofc_profile *base) {
  pprofc_profile *diff = NULL;
  CU_ASSERT_EQUAL_FATAL(pprofc_diff(head, base, kind, false, &diff, NULL), PPROFC_OK);
  pprofc_profile_release(head);
  pprofc_profile_release(base);
  return diff;
}

static pprofc_profile *difference(pprofc_profile *head, pprofc_profile *base) {
  return difference_of(PPROFC_COMPARE, head, base);
}

static void check_same_report(const pprofc_report_options *options, const pprofc_profile *a,
                              const pprofc_profile *b) {
  struct buffer x, y;
  buffer_init(&x, &mem_default, 1 << 24);
  buffer_init(&y, &mem_default, 1 << 24);
  report_into(&x, a, options);
  report_into(&y, b, options);
  bool same = x.size == y.size && memcmp(x.data, y.data, x.size) == 0;
  if (!same)
    printf("\n%s %s, granularity '%s': another folder makes another report\n", options->format,
           options->argument ? options->argument : "", options->granularity);
  CU_ASSERT(same);
  buffer_free(&x);
  buffer_free(&y);
}

TEST(test_another_folder_changes_no_report) {
  static const char *const formats[] = {"flame",       "flame=text", "flamegraph", "json",
                                        "flamebearer", "folded",     "speedscope"};
  static const char *const granularities[] = {"", "functions", "filefunctions", "files", "lines"};
  pprofc_profile *same = difference(program_in("/src", 0), program_in("/src", 0));
  pprofc_profile *moved = difference(program_in("/src", 0), program_in("/tmp/base.X/wt", 0));
  for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
    for (size_t g = 0; g < sizeof granularities / sizeof *granularities; g++) {
      bool text = strcmp(formats[f], "flame=text") == 0;
      pprofc_report_options options = report_options(text ? "flame" : formats[f]);
      options.argument = text ? "text" : NULL;
      options.granularity = granularities[g];
      check_same_report(&options, same, moved);
    }
  pprofc_profile_release(same);
  pprofc_profile_release(moved);
}

/* A graph, and the profile by function and file to which the graph points. */
struct picture {
  pprofc_profile *profile;
  struct flame_graph graph;
};

/* Builds the graph, which owns the profile. */
static struct picture picture_of(pprofc_profile *profile) {
  struct flame_graph_options options = {.inlined = true};
  struct picture picture = {.profile = profile};
  CU_ASSERT_FATAL(granularity_parse("filefunctions", false, false, &options.granularity));
  CU_ASSERT_EQUAL_FATAL(flame_graph_build(profile, &options, &mem_default, &picture.graph, NULL),
                        PPROFC_OK);
  return picture;
}

static void picture_free(struct picture *picture) {
  flame_graph_free(&picture->graph);
  pprofc_profile_release(picture->profile);
}

TEST(test_another_folder_is_one_grey_picture) {
  struct picture picture = picture_of(difference(program_in("/src", 0), program_in("/old", 0)));
  const struct flame_graph *graph = &picture.graph;
  for (size_t i = 0; i < graph->tree.count; i++)
    CU_ASSERT_EQUAL(flame_head(&graph->tree, i, 0), flame_base(&graph->tree, i, 0));
  size_t inits = 0;
  for (size_t i = 0; i < graph->tree.count; i++) {
    if (graph->tree.frame[i] == NONE) continue;
    const struct stack_frame *frame = &graph->frames.items[graph->tree.frame[i]];
    inits += str_equal(frame->name, STR("init"));
    CU_ASSERT(!frame->file.size || str_starts(frame->file, STR("/src/")));
  }
  CU_ASSERT_EQUAL(inits, 3); /* one in the first file; in the second a recursion, which is two
                                frames */
  picture_free(&picture);
}

/* Also tests -base, where base and head are in one profile without labels. */
TEST(test_what_is_subtracted_is_found_by_name) {
  struct picture picture =
      picture_of(difference_of(PPROFC_SUBTRACT, program_in("/src", 0), program_in("/old", 0)));
  for (size_t i = 0; i < picture.graph.tree.count; i++)
    CU_ASSERT_EQUAL(flame_head(&picture.graph.tree, i, 0), 0);
  CU_ASSERT_EQUAL(picture.graph.tree.count, 8);
  picture_free(&picture);
}

/* The graph shows the position in the head, because a report opens the sources of the head. */
TEST(test_lines_are_those_of_head) {
  pprofc_profile *diff = difference(program_in("/src", 40), program_in("/old", 0));
  pprofc_report_options options = report_options("speedscope");
  expect_in_report(diff, &options, "{\"name\":\"inner\",\"file\":\"/src/util.h\",\"line\":43}",
                   true);
  pprofc_profile_release(diff);
}

static pprofc_profile *one_function(const char *name, const char *file, bool is_inlined) {
  pprofc_builder *b = cpu_builder();
  uint32_t f = pprofc_builder_function(b, name, NULL, file, 1);
  uint32_t caller = pprofc_builder_function(b, "main", NULL, "main.c", 1);
  pprofc_line lines[] = {{f, 1, 0}, {caller, 2, 0}};
  uint32_t frames[2];
  size_t depth = is_inlined ? 1 : 2;
  frames[0] = pprofc_builder_location(b, PPROFC_NONE, 16, lines, is_inlined ? 2 : 1);
  frames[1] = pprofc_builder_location(b, PPROFC_NONE, 32, lines + 1, 1);
  pprofc_builder_sample(b, frames, depth, (int64_t[]){10});
  return finish(b);
}

TEST(test_a_moved_or_inlined_function_is_the_same) {
  static const struct {
    const char *file;
    bool is_inlined;
  } heads[] = {{"lib/new.c", false}, {"f.c", true}, {"lib/new.c", true}};
  for (size_t i = 0; i < 3; i++) {
    struct picture picture = picture_of(difference(
        one_function("f", heads[i].file, heads[i].is_inlined), one_function("f", "f.c", false)));
    const struct flame_graph *graph = &picture.graph;
    CU_ASSERT_EQUAL_FATAL(graph->tree.count, 3);
    for (size_t k = 0; k < 3; k++) {
      CU_ASSERT_EQUAL(flame_head(&graph->tree, k, 0), 10);
      CU_ASSERT_EQUAL(flame_base(&graph->tree, k, 0), 10);
    }
    const struct stack_frame *leaf = &graph->frames.items[graph->tree.frame[2]];
    CU_ASSERT(str_equal(leaf->file, str_of(heads[i].file)));
    CU_ASSERT(!leaf->inlined); /* the function is not inlined in all of its calls */
    picture_free(&picture);
  }
}

/* A function that exists only in base or head stays separate from another function of the same
 * name. */
TEST(test_namesakes_of_one_side_stay_split) {
  pprofc_builder *b = cpu_builder();
  uint32_t a = pprofc_builder_frame(b, "init", "/new/a.c", 1);
  uint32_t c = pprofc_builder_frame(b, "init", "/new/c.c", 1);
  pprofc_builder_sample(b, &a, 1, (int64_t[]){1});
  pprofc_builder_sample(b, &c, 1, (int64_t[]){2});
  pprofc_profile *head = finish(b);
  pprofc_profile *diff = difference(head, one_function("init", "/old/a.c", true));
  pprofc_report_options options = report_options("json");
  expect_in_report(diff, &options,
                   "{\"name\":\"init\",\"file\":\"/new/a.c\",\"line\":1,\"flat\":[1],\"cum\":[1],"
                   "\"base_flat\":[10],\"base_cum\":[10]}",
                   true);
  expect_in_report(diff, &options,
                   "{\"name\":\"init\",\"file\":\"/new/c.c\",\"line\":1,\"flat\":[2],\"cum\":[2],"
                   "\"base_flat\":[0],\"base_cum\":[0]}",
                   true);
  expect_in_report(diff, &options, "/old/", false);
  pprofc_profile_release(diff);
}
