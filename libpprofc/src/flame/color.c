/* Chooses the colors of flame graphs. A name has the same color in every run and every profile.
 * Color-blind readers can distinguish the colors of changes. */
#include "flame/flame.h"

enum flame_status flame_status(int64_t head, int64_t base) {
  if (head == base) return FLAME_UNCHANGED;
  if (!base) return FLAME_ADDED;
  if (!head) return FLAME_REMOVED;
  return head > base ? FLAME_SLOWER : FLAME_FASTER;
}

static void put(char out[FLAME_COLOR], double r, double g, double b) {
  snprintf(out, FLAME_COLOR, "#%02x%02x%02x", (unsigned)lround(r) & 255u,
           (unsigned)lround(g) & 255u, (unsigned)lround(b) & 255u);
}

/* Chooses a warm color for a name. A hash of the name gives red, green and blue, each within its
 * own range. */
void flame_name_color(pprofc_str name, char out[FLAME_COLOR]) {
  uint64_t hash = 0xCBF29CE484222325u; /* FNV-1a gives the same hash in every build. */
  for (size_t i = 0; i < name.size; i++)
    hash = (hash ^ (unsigned char)name.data[i]) * 0x100000001B3u;
  hash ^= hash >> 32;
  double v1 = (double)(hash & 0xFF) / 255, v2 = (double)(hash >> 8 & 0xFF) / 255,
         v3 = (double)(hash >> 16 & 0xFF) / 255;
  put(out, 215 + 40 * v3, 90 + 130 * v1, 40 + 40 * v2);
}

/* Chooses the color of a change: orange if the value grew, blue if it fell, grey if it did not
 * change. The strength of the color is the square root of the change's share of `most`, so small
 * changes are visible. */
void flame_change_color(double delta, double most, char out[FLAME_COLOR]) {
  double share = most > 0 ? sqrt(fabs(delta) / most) : 0;
  if (share > 1) share = 1;
  if (delta == 0) {
    put(out, 217, 217, 217);
  } else if (delta > 0) {
    put(out, 253 - 13 * share, 232 - 92 * share, 214 - 164 * share);
  } else {
    put(out, 222 - 130 * share, 236 - 71 * share, 246 - 26 * share);
  }
}

/* Chooses the color of an origin (user, library or system code). Color-blind readers can
 * distinguish the colors of the origins. */
void flame_origin_color(enum origin origin, char out[FLAME_COLOR]) {
  static const char *const colors[] = {[ORIGIN_UNKNOWN] = "#c9c9c9",
                                       [ORIGIN_USER] = "#f2b04c",
                                       [ORIGIN_LIBRARY] = "#8ec1e0",
                                       [ORIGIN_SYSTEM] = "#b9a1d6"};
  memcpy(out, colors[origin], FLAME_COLOR);
}
