/* Selects the widest nodes of a large tree for the viewer. Below each kept node, one node (the
 * remainder) replaces all nodes that are cut. It has the sums of the cut nodes, so every kept node
 * keeps its width. */
#include "flame/pack.h"

/* ---- the widest nodes -------------------------------- */

/* Returns the weights of the nodes from..to - 1. Each column (a sample type of head or base) gives
 * the node's share of the whole. The weight is the largest share. Shares use absolute values, so a
 * parent weighs at least as much as its children. */
static float *cut_weights(const struct flame_tree *t, uint32_t from, uint32_t to,
                          struct arena *arena) {
  size_t count = to - from;
  float *weight = arena_zero_array(arena, count, sizeof *weight);
  double *sum = arena_array(arena, count, sizeof *sum);
  if (!weight || !sum) return NULL;
  for (size_t c = 0; c < t->columns; c++) {
    for (size_t i = 0; i < count; i++) sum[i] = fabs((double)t->self[(from + i) * t->columns + c]);
    for (size_t i = count; i-- > 1;) sum[t->parent[from + i] - from] += sum[i];
    if (!(sum[0] > 0)) continue;
    for (size_t i = 0; i < count; i++) {
      float part = (float)(sum[i] / sum[0]);
      if (part > weight[i]) weight[i] = part;
    }
  }
  return weight;
}

/* Returns the bits of a float that is not negative. As integers, these bits sort like the
 * floats. */
static uint32_t cut_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* Returns the bits of the weight that has the rank `place` in descending order. Finds the 16 upper
 * bits first. Then finds the 16 lower bits among the weights with these upper bits. */
static uint32_t cut_select(const float *weight, size_t count, size_t place, uint32_t *bins) {
  uint32_t found = 0, mask = 0;
  for (unsigned shift = 32; shift;) {
    shift -= 16;
    memset(bins, 0, 65536 * sizeof *bins);
    for (size_t i = 0; i < count; i++) {
      uint32_t bits = cut_bits(weight[i]);
      if ((bits & mask) == found) bins[bits >> shift & 0xFFFF]++;
    }
    uint32_t bin = 65535;
    for (; bin && place >= bins[bin]; bin--) place -= bins[bin];
    found |= bin << shift;
    mask |= UINT32_C(0xFFFF) << shift;
  }
  return found;
}

/* Keeps at most `limit` nodes. A parent weighs at least as much as its children, and nodes of equal
 * weight are kept in the order of the tree. So the parent of each kept node is kept. */
static bool cut_keep(const struct flame_tree *t, uint32_t to, size_t limit, struct flame_cut *cut) {
  size_t count = to - cut->root;
  float *weight = cut_weights(t, cut->root, to, &cut->arena);
  uint32_t *bins = arena_array(&cut->arena, 65536, sizeof *bins);
  uint32_t *kept = arena_array(&cut->arena, limit, sizeof *kept);
  if (!weight || !bins || !kept) return false;
  uint32_t least = cut_select(weight, count, limit - 1, bins);
  size_t room = limit;
  for (size_t i = 0; i < count; i++) room -= cut_bits(weight[i]) > least;
  for (size_t i = 0; i < count; i++) {
    uint32_t bits = cut_bits(weight[i]);
    if (bits < least || (bits == least && !room)) continue;
    room -= bits == least;
    kept[cut->count++] = cut->root + (uint32_t)i;
  }
  cut->kept = kept;
  return true;
}

static bool cut_keep_all(uint32_t to, struct flame_cut *cut) {
  size_t count = to - cut->root;
  uint32_t *kept = arena_array(&cut->arena, count, sizeof *kept);
  if (!kept) return false;
  for (size_t i = 0; i < count; i++) kept[i] = cut->root + (uint32_t)i;
  cut->kept = kept;
  cut->count = count;
  return true;
}

/* ---- remainders -------------------------------------- */

static void cut_add_widths(const struct flame_tree *t, uint32_t node, double *widths) {
  for (size_t type = 0; type < t->types; type++) {
    double head = fabs((double)flame_self_head(t, node, type));
    double base = fabs((double)flame_self_base(t, node, type));
    *widths++ += head;
    if (!t->has_base) continue;
    *widths++ += base;
    *widths++ += head > base ? head : base;
  }
}

/* Adds every cut node to the remainder (sums of cut nodes) of the nearest kept node above it. In
 * preorder, this is the last kept node that has a lower depth. */
static bool cut_add_remainders(const struct flame_tree *t, uint32_t to, struct flame_cut *cut) {
  size_t wide = flame_cut_widths(t), at = 0;
  uint32_t *owner = arena_array(&cut->arena, t->max_depth + 2, sizeof *owner);
  cut->cut = arena_zero_array(&cut->arena, cut->count, sizeof *cut->cut);
  cut->total = arena_zero_array(&cut->arena, cut->count * t->columns, sizeof *cut->total);
  cut->widths = arena_zero_array(&cut->arena, cut->count * wide, sizeof *cut->widths);
  if (!owner || !cut->cut || !cut->total || !cut->widths) return false;
  for (uint32_t node = cut->root; node < to; node++) {
    uint32_t depth = t->depth[node];
    if (at < cut->count && cut->kept[at] == node) {
      owner[depth] = (uint32_t)at++;
      continue;
    }
    uint32_t above = owner[depth] = owner[depth - 1];
    cut->cut[above]++;
    for (size_t c = 0; c < t->columns; c++)
      cut->total[above * t->columns + c] =
          sum_add(cut->total[above * t->columns + c], t->self[node * t->columns + c]);
    cut_add_widths(t, node, cut->widths + above * wide);
  }
  return true;
}

/* ---- frames ------------------------------------------ */

/* Numbers the frames of the nodes that the viewer gets. Keeps the order of the frames. */
static bool cut_number_frames(const struct flame_tree *t, struct flame_cut *cut) {
  size_t all = t->frames->count;
  cut->sent = arena_array(&cut->arena, all, sizeof *cut->sent);
  cut->frame = arena_array(&cut->arena, all, sizeof *cut->frame);
  if (!cut->sent || !cut->frame) return false;
  for (size_t i = 0; i < all; i++) cut->sent[i] = NONE;
  for (size_t i = 0; i < cut->count; i++)
    if (t->frame[cut->kept[i]] != NONE) cut->sent[t->frame[cut->kept[i]]] = 0;
  for (size_t i = 0; i < all; i++)
    if (cut->sent[i] != NONE) {
      cut->sent[i] = (uint32_t)cut->frames;
      cut->frame[cut->frames++] = (uint32_t)i;
    }
  return true;
}

pprofc_status flame_cut_make(const struct flame_page *page, struct flame_data_range range,
                             struct flame_cut *cut, pprofc_error *error) {
  const struct flame_tree *t = page->tree;
  if (range.node >= t->count)
    return error_set(error, PPROFC_E_INVALID, "the flame graph has no node %u", range.node);
  *cut = (struct flame_cut){.root = range.node};
  arena_init(&cut->arena, t->arena.mem);
  uint32_t to = t->end[range.node];
  size_t count = to - range.node;
  if (!range.node && (!range.limit || count <= range.limit)) {
    cut->whole = true;
    cut->count = t->count;
    cut->frames = t->frames->count;
    return PPROFC_OK;
  }
  bool fits = !range.limit || count <= range.limit;
  bool good = fits ? cut_keep_all(to, cut) : cut_keep(t, to, range.limit, cut);
  good = good && cut_add_remainders(t, to, cut) && cut_number_frames(t, cut);
  if (good) return PPROFC_OK;
  flame_cut_free(cut);
  return error_nomem(error);
}

void flame_cut_free(struct flame_cut *cut) {
  arena_free(&cut->arena);
}
