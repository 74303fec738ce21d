/* Tests unified diffs without context: finding the line of one side on the other side. */
#include "unit.h"

#include "report/source/revisions.h"

#include <stdio.h>
#include <stdlib.h>

static struct arena arena;

/* Reads a diff, and frees the previous diff. */
static struct hunks read_diff(const char *text) {
  struct hunks hunks;
  if (arena.mem) arena_free(&arena);
  arena_init(&arena, &mem_default);
  CU_ASSERT_TRUE_FATAL(hunks_read(&hunks, str_of(text), &arena));
  return hunks;
}

/* Checks that each line has a different position on the other side, and that this position leads
 * back to the line. */
static void check_places(const struct hunks *h, const struct changed_file *file, int64_t places) {
  int64_t next[DIFF_SIDES] = {1, 1};
  for (int64_t place = 0; place < places; place++) {
    struct diff_line line = hunks_line(h, file, place);
    if (line.base) {
      CU_ASSERT_EQUAL(line.base, next[DIFF_BASE]);
      CU_ASSERT_EQUAL(hunks_place_of_base(h, file, line.base), place);
      next[DIFF_BASE]++;
    }
    if (line.head) {
      CU_ASSERT_EQUAL(line.head, next[DIFF_HEAD]);
      CU_ASSERT_EQUAL(hunks_place_of_head(h, file, line.head), place);
      next[DIFF_HEAD]++;
    }
    CU_ASSERT_TRUE(line.base || line.head);
    CU_ASSERT_EQUAL(line.mark, !line.base ? '+' : !line.head ? '-' : ' ');
  }
}

TEST(lines_are_followed) {
  struct hunks h = read_diff("diff --git a/x.c b/x.c\n--- a/x.c\n+++ b/x.c\n"
                             "@@ -2,2 +2 @@ int f(void)\n-a\n-b\n+c\n"
                             "@@ -6,0 +6,2 @@\n+d\n+e\n"
                             "@@ -8 +8,0 @@\n---- x\n\\ No newline at end of file\n");
  CU_ASSERT_EQUAL_FATAL(h.file_count, 1);
  const struct changed_file *file = hunks_file(&h, DIFF_HEAD, STR("x.c"));
  size_t first = 0;
  CU_ASSERT_PTR_EQUAL_FATAL(hunks_file(&h, DIFF_BASE, STR("x.c")), file);
  CU_ASSERT_EQUAL(file->count, 3);
  check_places(&h, file, 20);
  CU_ASSERT_EQUAL(hunks_line(&h, file, 3).mark, '+');
  CU_ASSERT_TRUE(str_equal(hunks_line(&h, file, 3).text, STR("c")));
  CU_ASSERT_EQUAL(hunks_line(&h, file, 11).mark, ' ');
  CU_ASSERT_TRUE(
      str_equal(hunks_line(&h, file, hunks_place_of_base(&h, file, 8)).text, STR("--- x")));
  CU_ASSERT_EQUAL(hunks_touch(&h, file, DIFF_HEAD, 1, 2, &first), 1);
  CU_ASSERT_EQUAL(hunks_touch(&h, file, DIFF_HEAD, 3, 5, &first), 0);
  CU_ASSERT_EQUAL(hunks_touch(&h, file, DIFF_HEAD, 5, 6, &first), 1);
  CU_ASSERT_EQUAL(hunks_touch(&h, file, DIFF_HEAD, 8, 9, &first), 1);
  CU_ASSERT_EQUAL(hunks_touch(&h, file, DIFF_HEAD, 9, 20, &first), 0);
  CU_ASSERT_EQUAL(hunks_touch(&h, file, DIFF_BASE, 3, 8, &first), 3);
  CU_ASSERT_EQUAL(first, 0);
  CU_ASSERT_EQUAL(hunks_touch(&h, file, DIFF_BASE, 4, 8, &first), 2);
  CU_ASSERT_EQUAL(first, 1);
  CU_ASSERT_EQUAL(hunks_touch(&h, NULL, DIFF_HEAD, 1, 20, &first), 0);
  check_places(&h, NULL, 5);
}

TEST(files_have_two_names) {
  struct hunks h = read_diff(
      "diff --git a/old.c b/new.c\nsimilarity index 90%\nrename from old.c\nrename to new.c\n"
      "--- a/old.c\n+++ b/new.c\n@@ -1 +1 @@\n-a\n+b\n"
      "diff --git a/p.c b/q.c\nrename from p.c\nrename to q.c\n"
      "diff --git a/gone b/gone\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"
      "--- /dev/null\n+++ b/with blank\t\n@@ -0,0 +1 @@\n+a\n"
      "--- \"a/t\\tb\\303\\244\\\"\"\n+++ \"b/t\\tb\\303\\244\\\"\"\n@@ -1 +1 @@\n-a\n+b\n");
  CU_ASSERT_EQUAL_FATAL(h.file_count, 5);
  CU_ASSERT_TRUE(str_equal(hunks_file(&h, DIFF_BASE, STR("old.c"))->head, STR("new.c")));
  CU_ASSERT_EQUAL(hunks_file(&h, DIFF_BASE, STR("old.c"))->count, 1);
  CU_ASSERT_EQUAL(hunks_file(&h, DIFF_HEAD, STR("q.c"))->count, 0);
  CU_ASSERT_EQUAL(hunks_file(&h, DIFF_BASE, STR("gone"))->head.size, 0);
  CU_ASSERT_PTR_NULL(hunks_file(&h, DIFF_HEAD, STR("gone")));
  CU_ASSERT_PTR_NOT_NULL(hunks_file(&h, DIFF_HEAD, STR("with blank")));
  CU_ASSERT_PTR_NOT_NULL(hunks_file(&h, DIFF_BASE, STR("t\tb\303\244\"")));
  CU_ASSERT_PTR_NULL(hunks_file(&h, DIFF_HEAD, STR("")));
}

/* A truncated or wrong diff must give fewer hunks, with positions in order. */
TEST(broken_diffs_are_bounded) {
  static const char *const texts[] = {
      "",
      "@@ -1 +1 @@\n",
      "--- a/x\n",
      "--- a/x\n+++ b/x\n@@ -1,99999999999 +1 @@\n",
      "--- a/x\n+++ b/x\n@@ -5 +5 @@\n-a\n+b\n@@ -3 +3 @@\n-a\n+b\n",
      "--- a/x\n+++ b/x\n@@ -5,2 +9 @@\n-a\n",
      "--- a/x\n+++ b/x\n@@ -1,2 +1,900 @@\n-a\n",
      "--- \"\n+++ \"\n",
      "--- \"a/\\\n+++ \"\\3\"\n",
      "rename from x\n",
      "--- a/x\n+++ b/x\n@@ -,1 +1"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct hunks h = read_diff(texts[i]);
    for (size_t f = 0; f < h.file_count; f++) check_places(&h, &h.files[f], 30);
  }
}

/* With random edits, the lines of both sides must stay in order. */
TEST(random_diffs) {
  char text[8192];
  unsigned state = 1;
  for (int round = 0; round < 200; round++) {
    size_t size = (size_t)snprintf(text, sizeof text, "--- a/x\n+++ b/x\n");
    int base = 1, head = 1;
    for (int k = 0; k < 20; k++) {
      state = state * 1103515245u + 12345u;
      int skip = (int)(state >> 16 & 3) + 1, cut = (int)(state >> 20 & 3),
          add = (int)(state >> 24 & 3);
      if (!cut && !add) add = 1;
      base += skip;
      head += skip;
      size += (size_t)snprintf(text + size, sizeof text - size, "@@ -%d,%d +%d,%d @@\n",
                               base - !cut, cut, head - !add, add);
      for (int i = 0; i < cut + add; i++)
        size += (size_t)snprintf(text + size, sizeof text - size, "%cx\n", i < cut ? '-' : '+');
      base += cut;
      head += add;
    }
    struct hunks h = read_diff(text);
    CU_ASSERT_EQUAL(h.files->count, 20);
    check_places(&h, h.files, base + head);
  }
  arena_free(&arena);
}
