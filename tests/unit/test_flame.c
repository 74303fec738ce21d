/* Tests flame graphs. The totals of base and head must stay the same in the tree and in the drawn
 * boxes. */
#include "flame_graph.h"

#include "core/escape.h"
#include "core/str.h"
#include "flame/label.h"
#include "flame/pack.h"
#include "pprofc/pprofc.h"
#include "report_text.h"

#include <math.h>
#include <zlib.h>

static void build(struct graph *g, const pprofc_profile *profile) {
  build_turned(g, profile, false);
}

/* Returns random stacks of a few functions. With `with_base`, half of the samples belong to a
 * base. */
static pprofc_profile *random_profile(uint64_t seed, bool with_base) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_type(b, "cpu", "nanoseconds");
  for (int i = 0; i < 400; i++) {
    uint32_t frames[12];
    size_t depth = 1 + unit_random(&seed) % 12;
    for (size_t d = 0; d < depth; d++) {
      char name[16];
      snprintf(name, sizeof name, "f%u", unit_random(&seed) % 7);
      frames[d] = pprofc_builder_frame(b, name, "f.c", 1);
    }
    bool base = with_base && unit_random(&seed) % 2;
    int64_t value = unit_random(&seed) % 1000;
    if (base) value = -value;
    pprofc_builder_sample(b, frames, depth, &value);
    if (base) pprofc_builder_label(b, "pprof::base", "true");
  }
  return finish(b);
}

static void check_tree(const struct flame_tree *t) {
  for (size_t i = 0; i < t->count; i++) {
    int64_t head = flame_self_head(t, i, 0), base = flame_self_base(t, i, 0);
    for (uint32_t child = (uint32_t)i + 1; child < t->end[i]; child = t->end[child]) {
      CU_ASSERT_EQUAL(t->parent[child], i);
      head += flame_head(t, child, 0);
      base += flame_base(t, child, 0);
    }
    CU_ASSERT_EQUAL(head, flame_head(t, i, 0));
    CU_ASSERT_EQUAL(base, flame_base(t, i, 0));
  }
}

/* Checks that width, head and base of a parent are the sums of its children, its self value and the
 * box of hidden nodes. */
static void check_boxes(const struct flame_tree *t, const struct flame_boxes *boxes,
                        enum flame_width how) {
  for (uint32_t i = 0; i < boxes->count; i++) {
    const struct flame_box *box = &boxes->items[i];
    if (box->node == NONE) continue;
    int64_t head = flame_self_head(t, box->node, 0), base = flame_self_base(t, box->node, 0);
    double h = (double)head, b = (double)base;
    double width = how == FLAME_HEAD   ? h
                   : how == FLAME_BASE ? b
                   : how == FLAME_SUM  ? h + b
                                       : fmax(h, b);
    for (uint32_t k = i + 1; k < boxes->count; k++) {
      if (boxes->items[k].parent != i) continue;
      CU_ASSERT(boxes->items[k].x >= box->x - 1e-6);
      CU_ASSERT(boxes->items[k].x + boxes->items[k].width <= box->x + box->width + 1e-6);
      width += boxes->items[k].width;
      head += boxes->items[k].head;
      base += boxes->items[k].base;
    }
    CU_ASSERT_DOUBLE_EQUAL(width, box->width, 1e-6 * (1 + box->width));
    if (how == FLAME_SUM || how == FLAME_MAX) {
      CU_ASSERT_EQUAL(head, box->head);
      CU_ASSERT_EQUAL(base, box->base);
    }
  }
}

TEST(test_widths_are_conserved_on_random_profiles) {
  static const enum flame_width hows[] = {FLAME_HEAD, FLAME_BASE, FLAME_MAX, FLAME_SUM};
  for (uint64_t seed = 1; seed <= 12; seed++) {
    pprofc_profile *profile = random_profile(seed, seed % 2);
    struct graph g;
    build(&g, profile);
    check_tree(&g.tree);
    for (size_t i = 0; i < 4; i++)
      for (int coarse = 0; coarse < 2; coarse++) {
        struct flame_boxes boxes;
        CU_ASSERT_EQUAL(flame_place(&g.tree, 0, hows[i], coarse ? 0.01 : 0, &boxes, NULL),
                        PPROFC_OK);
        check_boxes(&g.tree, &boxes, hows[i]);
      }
    destroy(&g);
    pprofc_profile_release(profile);
  }
}

TEST(test_siblings_stand_by_value_and_in_a_diff_by_name) {
  pprofc_profile *profile;
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_type(b, "n", "count");
  uint32_t a = pprofc_builder_frame(b, "a", "", 0), z = pprofc_builder_frame(b, "z", "", 0);
  int64_t one = 1, nine = 9;
  pprofc_builder_sample(b, &a, 1, &one);
  pprofc_builder_sample(b, &z, 1, &nine);
  CU_ASSERT_EQUAL_FATAL(pprofc_builder_finish(b, &profile, NULL), PPROFC_OK);
  pprofc_builder_free(b);
  struct graph g;
  struct flame_boxes boxes;
  build(&g, profile);
  CU_ASSERT_EQUAL(flame_place(&g.tree, 0, FLAME_HEAD, 0, &boxes, NULL), PPROFC_OK);
  CU_ASSERT_EQUAL(boxes.items[1].width, 9);
  destroy(&g);
  pprofc_profile *diff;
  CU_ASSERT_EQUAL_FATAL(pprofc_diff(profile, profile, PPROFC_COMPARE, false, &diff, NULL),
                        PPROFC_OK);
  build(&g, diff);
  CU_ASSERT_EQUAL(flame_place(&g.tree, 0, FLAME_MAX, 0, &boxes, NULL), PPROFC_OK);
  CU_ASSERT_EQUAL(boxes.items[1].width, 1);
  CU_ASSERT_EQUAL(flame_status(boxes.items[1].head, boxes.items[1].base), FLAME_UNCHANGED);
  destroy(&g);
  pprofc_profile_release(diff);
  pprofc_profile_release(profile);
}

/* A reversed tree keeps all totals. The children of its root are the functions that have self
 * values. */
TEST(test_reversed_trees_begin_at_the_leaf) {
  for (uint64_t seed = 1; seed <= 4; seed++) {
    pprofc_profile *profile = random_profile(seed, seed % 2);
    struct graph g, reversed;
    build(&g, profile);
    build_turned(&reversed, profile, true);
    check_tree(&reversed.tree);
    CU_ASSERT_EQUAL(flame_head(&reversed.tree, 0, 0), flame_head(&g.tree, 0, 0));
    CU_ASSERT_EQUAL(flame_base(&reversed.tree, 0, 0), flame_base(&g.tree, 0, 0));
    const struct flame_tree *t = &reversed.tree;
    for (uint32_t child = 1; child < t->count; child = t->end[child]) {
      int64_t self = 0;
      for (size_t i = 1; i < g.tree.count; i++)
        if (g.tree.frame[i] == t->frame[child]) self += flame_self_head(&g.tree, i, 0);
      CU_ASSERT_EQUAL(flame_head(t, child, 0), self);
    }
    destroy(&reversed);
    destroy(&g);
    pprofc_profile_release(profile);
  }
}

/* Returns a profile in which main calls a and b. The sum of their values exceeds the range of
 * int64. */
static pprofc_profile *profile_that_overflows(void) {
  pprofc_builder *b = pprofc_builder_new(NULL);
  pprofc_builder_type(b, "cpu", "nanoseconds");
  uint32_t root = pprofc_builder_frame(b, "main", "f.c", 1);
  uint32_t a[] = {pprofc_builder_frame(b, "a", "f.c", 1), root};
  uint32_t other[] = {pprofc_builder_frame(b, "b", "f.c", 1), root};
  pprofc_builder_sample(b, a, 2, (int64_t[]){INT64_MAX});
  pprofc_builder_sample(b, other, 2, (int64_t[]){2});
  return finish(b);
}

TEST(test_sums_wrap_in_flame_graphs_as_in_call_graphs) {
  CU_ASSERT_EQUAL(sum_add(INT64_MAX, 1), INT64_MIN);
  CU_ASSERT_EQUAL(sum_add(INT64_MIN, -1), INT64_MAX);
  CU_ASSERT_EQUAL(sum_subtract(INT64_MIN, 1), INT64_MAX);
  CU_ASSERT_EQUAL(sum_subtract(0, INT64_MIN), INT64_MIN);
  pprofc_profile *profile = profile_that_overflows();
  struct graph flame;
  build(&flame, profile);
  CU_ASSERT_EQUAL(flame_head(&flame.tree, 0, 0), INT64_MIN + 1);
  destroy(&flame);
  /* -top prints a double, which has at most 53 bits. */
  const char *const formats[] = {"top", "json", "folded"};
  const char *const sums[] = {"-9223372036854775808ns   100%  main", "-9223372036854775807",
                              "main;a 9223372036854775807"};
  for (size_t i = 0; i < 3; i++) {
    pprofc_report_options options = report_options(formats[i]);
    options.unit = "ns";
    expect_in_report(profile, &options, sums[i], true);
  }
  pprofc_profile_release(profile);
}

/* ---- data for the viewer ----------------------------- */

struct reader {
  const uint8_t *at, *end;
};

static uint64_t read_number(struct reader *in) {
  uint64_t value = 0;
  for (unsigned shift = 0; in->at < in->end; shift += 7) {
    uint8_t byte = *in->at++;
    value |= (uint64_t)(byte & 127) << shift;
    if (byte < 128) break;
  }
  return value;
}

static int64_t read_value(struct reader *in) {
  uint64_t value = read_number(in);
  return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

/* A node as the page's script reads it: its number, and the sums over its subtree. */
struct seen {
  uint32_t id, depth, frame, cut;
  double head, base, widths[3]; /* widths: absolute head; absolute base; the larger of the two */
};

#define SEEN_MAX 4000

struct sent {
  size_t count, frames, nodes; /* nodes: number of nodes including omitted nodes */
  bool cut;
  struct seen node[SEEN_MAX];
};

static void read_nodes(struct reader in, struct sent *sent) {
  uint32_t id = 0;
  for (struct seen *n = sent->node; in.at < in.end; n++) {
    CU_ASSERT_FATAL(sent->count < SEEN_MAX);
    *n = (struct seen){0};
    uint32_t up = (uint32_t)read_number(&in);
    n->depth = sent->count ? n[-1].depth + 1 - up : 0;
    n->frame = (uint32_t)read_number(&in);
    sent->count++;
    bool rest = sent->cut && n->frame == sent->frames + 1;
    if (rest) {
      n->cut = (uint32_t)read_number(&in);
      for (size_t i = 0; i < 3; i++) n->widths[i] = (double)read_number(&in);
    } else if (sent->cut) {
      n->id = id += (uint32_t)read_number(&in);
    } else {
      n->id = (uint32_t)sent->count - 1;
    }
    n->head = (double)read_value(&in);
    n->base = (double)read_value(&in);
    sent->nodes += rest ? n->cut : 1;
    if (rest) continue;
    n->widths[0] = fabs(n->head);
    n->widths[1] = fabs(n->base);
    n->widths[2] = fmax(fabs(n->head), fabs(n->base));
  }
}

/* Adds the sums of its subtree to each node. */
static void sum_sent(struct sent *sent) {
  for (size_t i = sent->count; i-- > 1;) {
    size_t above = i - 1;
    while (sent->node[above].depth >= sent->node[i].depth) above--;
    sent->node[above].head += sent->node[i].head;
    sent->node[above].base += sent->node[i].base;
    for (size_t k = 0; k < 3; k++) sent->node[above].widths[k] += sent->node[i].widths[k];
  }
}

static size_t json_number(const char *text, const char *key) {
  const char *at = strstr(text, key);
  return at ? strtoul(at + strlen(key), NULL, 10) : 0;
}

static void read_data(const struct buffer *bytes, struct sent *sent) {
  static char meta[10000];
  static uint8_t nodes[200000];
  const uint8_t *data = (const uint8_t *)bytes->data;
  size_t size[4];
  CU_ASSERT_FATAL(bytes->size > 20 && memcmp(data, "PFL1", 4) == 0);
  for (size_t i = 0; i < 4; i++) {
    const uint8_t *n = data + 4 + 4 * i;
    size[i] = (size_t)n[0] | (size_t)n[1] << 8 | (size_t)n[2] << 16 | (size_t)n[3] << 24;
  }
  CU_ASSERT_EQUAL_FATAL(bytes->size, 20 + size[0] + size[1] + size[2] + size[3]);
  CU_ASSERT_FATAL(size[0] < sizeof meta);
  memcpy(meta, data + 20, size[0]);
  meta[size[0]] = '\0';
  uLongf made = sizeof nodes;
  CU_ASSERT_EQUAL_FATAL(uncompress(nodes, &made, data + 20 + size[0] + size[1], (uLong)size[2]),
                        Z_OK);
  memset(sent, 0, offsetof(struct sent, node));
  sent->cut = strstr(meta, "\"cut\":true") != NULL;
  sent->frames = json_number(meta, "\"frames\":");
  read_nodes((struct reader){nodes, nodes + made}, sent);
  CU_ASSERT_EQUAL(json_number(meta, "\"nodes\":"), sent->count);
  sum_sent(sent);
}

static pprofc_status write_data(const struct graph *g, struct flame_data_range range,
                                struct buffer *bytes, pprofc_error *error) {
  struct flame_page page = {.tree = (struct flame_tree *)&g->tree, .title = STR("t")};
  static struct output out;
  buffer_clear(bytes);
  output_init(&out, buffer_write, bytes);
  pprofc_status status = flame_data(&page, range, &out, error);
  return status ? status : output_flush(&out, error);
}

/* Returns the width of a node of the whole tree, computed node by node. */
static double width_of(const struct flame_tree *t, uint32_t node, size_t how) {
  double sum = 0;
  for (uint32_t i = node; i < t->end[node]; i++) {
    double head = fabs((double)flame_self_head(t, i, 0));
    double base = fabs((double)flame_self_base(t, i, 0));
    sum += how == 0 ? head : how == 1 ? base : fmax(head, base);
  }
  return sum;
}

static void check_sent(const struct flame_tree *t, const struct sent *sent, uint32_t root) {
  CU_ASSERT_EQUAL(sent->nodes, t->end[root] - root);
  for (size_t i = 0; i < sent->count; i++) {
    const struct seen *n = &sent->node[i];
    if (n->cut) {
      CU_ASSERT_EQUAL(n->depth, sent->node[i - 1].depth + 1);
      continue;
    }
    CU_ASSERT_EQUAL(n->depth, t->depth[n->id] - t->depth[root]);
    CU_ASSERT_EQUAL(n->head, (double)flame_head(t, n->id, 0));
    CU_ASSERT_EQUAL(n->base, (double)flame_base(t, n->id, 0));
    for (size_t k = 0; k < 3; k++) CU_ASSERT_EQUAL(n->widths[k], width_of(t, n->id, k));
  }
}

TEST(test_cut_data_keep_sums_and_widths) {
  static struct sent sent;
  static const size_t limits[] = {0, 1, 2, 7, 100, 1000, 100000};
  struct buffer bytes;
  buffer_init(&bytes, &mem_default, 1 << 24);
  for (uint64_t seed = 1; seed <= 6; seed++) {
    pprofc_profile *profile = random_profile(2 * seed + 1, true);
    struct graph g;
    build(&g, profile);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
      for (uint32_t node = 0; node < g.tree.count; node += 97) {
        CU_ASSERT_EQUAL(write_data(&g, (struct flame_data_range){node, limits[i]}, &bytes, NULL),
                        PPROFC_OK);
        read_data(&bytes, &sent);
        check_sent(&g.tree, &sent, node);
        size_t kept = 0;
        for (size_t k = 0; k < sent.count; k++) kept += !sent.node[k].cut;
        size_t all = g.tree.end[node] - node;
        CU_ASSERT_EQUAL(kept, limits[i] && limits[i] < all ? limits[i] : all);
      }
    pprofc_error error;
    CU_ASSERT_EQUAL(
        write_data(&g, (struct flame_data_range){(uint32_t)g.tree.count, 5}, &bytes, &error),
        PPROFC_E_INVALID);
    destroy(&g);
    pprofc_profile_release(profile);
  }
  buffer_free(&bytes);
}

/* An omitted node must not be wider than a node that was kept. */
TEST(test_cut_data_have_the_widest_nodes) {
  pprofc_profile *profile = random_profile(8, false);
  struct graph g;
  build(&g, profile);
  struct flame_page page = {.tree = &g.tree};
  struct flame_cut cut;
  CU_ASSERT_EQUAL_FATAL(flame_cut_make(&page, (struct flame_data_range){0, 300}, &cut, NULL),
                        PPROFC_OK);
  CU_ASSERT_EQUAL_FATAL(cut.count, 300);
  int64_t least = INT64_MAX;
  for (size_t i = 0; i < cut.count; i++) {
    int64_t total = flame_head(&g.tree, cut.kept[i], 0);
    if (total < least) least = total;
  }
  for (size_t i = 0, at = 0; i < g.tree.count; i++)
    if (at < cut.count && cut.kept[at] == i)
      at++;
    else
      CU_ASSERT(flame_head(&g.tree, i, 0) <= least);
  flame_cut_free(&cut);
  destroy(&g);
  pprofc_profile_release(profile);
}

/* A recursive function must count once in its total, and each time in its self value. */
TEST(test_sums_of_functions_count_the_outermost_call) {
  for (uint64_t seed = 1; seed <= 3; seed++) {
    pprofc_profile *profile = random_profile(seed, true);
    struct graph g;
    build(&g, profile);
    struct flame_sums sums;
    CU_ASSERT_FATAL(flame_sums_make(&g.tree, &sums));
    CU_ASSERT_EQUAL(sums.count, 7);
    for (uint32_t f = 0; f < sums.frames; f++) {
      int64_t self = 0, total = 0;
      for (uint32_t i = 1; i < g.tree.count; i++) {
        if (g.tree.frame[i] != f) continue;
        self += flame_self_head(&g.tree, i, 0);
        uint32_t above = g.tree.parent[i];
        while (above && g.tree.frame[above] != f) above = g.tree.parent[above];
        if (!above) total += flame_head(&g.tree, i, 0);
      }
      CU_ASSERT_EQUAL(sums.self[sums.function[f] * sums.columns], self);
      CU_ASSERT_EQUAL(sums.total[sums.function[f] * sums.columns], total);
    }
    arena_free(&sums.arena);
    destroy(&g);
    pprofc_profile_release(profile);
  }
}

TEST(test_data_of_an_unknown_kind_are_refused) {
  pprofc_profile *profile = random_profile(3, false);
  struct buffer bytes;
  buffer_init(&bytes, &mem_default, 1 << 24);
  pprofc_report_options options = report_options("flame");
  static const char *const good[] = {"data", "data:0", "data:3"};
  static const char *const bad[] = {"data:", "data:x", "data:99999999", "data:-1", "picture"};
  for (size_t i = 0; i < 3; i++) {
    options.argument = good[i];
    report_into(&bytes, profile, &options);
    CU_ASSERT(memcmp(bytes.data, "PFL1", 4) == 0);
  }
  for (size_t i = 0; i < 5; i++) {
    options.argument = bad[i];
    CU_ASSERT_EQUAL(pprofc_report(profile, &options, buffer_write, &bytes, NULL), PPROFC_E_INVALID);
  }
  buffer_free(&bytes);
  pprofc_profile_release(profile);
}

/* ---- labels ------------------------------------------ */

/* Checks a line of labels.txt: a name and its forms, separated by tabs. */
static void check_forms(struct label_forms *forms, pprofc_str line) {
  pprofc_str rest = line, form, name;
  size_t count = 0;
  CU_ASSERT_FATAL(str_next(&rest, '\t', &name));
  CU_ASSERT_FATAL(label_make(forms, name));
  rest = line;
  while (str_next(&rest, '\t', &form)) {
    bool same = count < forms->count && str_equal(forms->form[count], form);
    if (!same)
      printf("\n%.*s: form %zu is '%.*s', not '%.*s'", (int)name.size, name.data, count,
             count < forms->count ? (int)forms->form[count].size : 0,
             count < forms->count ? forms->form[count].data : "", (int)form.size, form.data);
    CU_ASSERT(same);
    count++;
  }
  CU_ASSERT_EQUAL(count, forms->count);
}

TEST(test_names_have_their_short_forms) {
  static char text[20000];
  FILE *file = fopen(TESTDATA "/../tests/flame/labels.txt", "r");
  CU_ASSERT_FATAL(file != NULL);
  pprofc_str rest = {text, fread(text, 1, sizeof text, file)}, line;
  fclose(file);
  struct label_forms forms;
  label_init(&forms, &mem_default);
  size_t lines = 0;
  while (str_next_line(&rest, &line)) {
    check_forms(&forms, line);
    lines++;
  }
  CU_ASSERT(lines > 40);
  label_free(&forms);
}

/* The forms of a name must be ever shorter pieces of the name, and a form that fits must not be too
 * wide. */
TEST(test_labels_of_any_name_fit) {
  static const char pieces[] = "ab:.::<>()[]{} /opr-=9\xC3\xA9~operator";
  struct label_forms forms;
  struct buffer out;
  uint64_t seed = 5;
  label_init(&forms, &mem_default);
  buffer_init(&out, &mem_default, 1 << 20);
  for (int round = 0; round < 3000; round++) {
    char name[80];
    size_t size = unit_random(&seed) % sizeof name;
    for (size_t i = 0; i < size; i++) name[i] = pieces[unit_random(&seed) % (sizeof pieces - 1)];
    CU_ASSERT(label_make(&forms, (pprofc_str){name, size}));
    CU_ASSERT_FATAL(forms.count >= 1);
    for (size_t i = 1; i < forms.count; i++)
      CU_ASSERT(forms.form[i].size && forms.form[i].size < forms.form[i - 1].size);
    double room = unit_random(&seed) % 200;
    buffer_clear(&out);
    enum label_look look = label_fit(&forms, room, &out);
    double letters = look == LABEL_IS_WHOLE ? 1 : LABEL_SMALL;
    CU_ASSERT(letters * label_width(buffer_str(&out)) <= room);
    CU_ASSERT(look != LABEL_NONE || !out.size);
    CU_ASSERT(look != LABEL_IS_CUT || utf8_length(buffer_str(&out)) >= 4);
  }
  label_make(&forms, STR("encoding/json.Marshal"));
  static const struct {
    double room;
    const char *shown;
    enum label_look look;
  } fits[] = {{200, "encoding/json.Marshal", LABEL_IS_WHOLE},
              {90, "json.Marshal", LABEL_IS_WHOLE},
              {60, "Marshal", LABEL_IS_WHOLE},
              {46, "Marshal", LABEL_IS_SMALL},
              {41, "Marsha", LABEL_IS_CUT},
              {30, "Mars", LABEL_IS_CUT},
              {20, "", LABEL_NONE},
              {5, "", LABEL_NONE}};
  for (size_t i = 0; i < sizeof fits / sizeof *fits; i++) {
    buffer_clear(&out);
    CU_ASSERT(label_fit(&forms, fits[i].room, &out) == fits[i].look);
    CU_ASSERT(str_equal(buffer_str(&out), str_of(fits[i].shown)));
  }
  buffer_free(&out);
  label_free(&forms);
}
