/* Formats recorded values and changes with their units. */
#include "verdict/amount.h"
#include "unit/unit.h"

struct amount_unit amount_unit_for(pprofc_str from, pprofc_str wanted, double ratio, double value) {
  struct amount_unit unit = {from, wanted, ratio};
  bool automatic =
      !wanted.size || str_equal(wanted, STR("minimum")) || str_equal(wanted, STR("auto"));
  if (str_equal(from, STR("%"))) unit.to = from;
  if (!automatic || str_equal(from, STR("%"))) return unit;
  /* Never choose a unit that is smaller than the unit of the profile. */
  double shown = value * ratio;
  unit.to = shown < 1 ? from : unit_scale_double(shown, from, STR("auto")).unit;
  return unit;
}

bool amount_is_count(const struct amount_unit *unit) {
  bool plain = !unit->to.size || str_equal(unit->to, STR("count"));
  return plain && str_equal(unit->from, STR("count")) && unit->ratio == 1;
}

static struct measure amount_scale(const struct amount_unit *unit, double value) {
  return unit_scale_double(value * unit->ratio, unit->from, unit->to);
}

/* Returns the number of decimals for three significant digits: 0.012, 1.23, 12.3, 123. */
static int amount_digits(double size) {
  if (size == 0 || size >= 100) return 0;
  if (size >= 10) return 1;
  return size >= 1 ? 2 : 3;
}

/* Appends the unit. If escape_terminal would change a character, writes its bytes as \xNN. */
static void amount_add_unit(pprofc_str unit, char out[AMOUNT_TEXT]) {
  size_t used = strlen(out), next = 0;
  for (size_t at = 0; at < unit.size; at = next) {
    utf8_next(unit, &next);
    pprofc_str one = str_slice(unit, at, next);
    bool clean = escape_terminal_clean(one);
    size_t size = clean ? one.size : 4 * one.size;
    if (used + size >= AMOUNT_TEXT) return;
    if (clean) memcpy(out + used, one.data, size);
    for (size_t i = 0; i < one.size && !clean; i++)
      snprintf(out + used + 4 * i, 5, "\\x%02x", (unsigned char)one.data[i]);
    used += size;
    out[used] = '\0';
  }
}

pprofc_str amount_text(const struct amount_unit *unit, double value, bool plus,
                       char out[AMOUNT_TEXT]) {
  struct measure m = amount_scale(unit, value);
  const char *form = plus ? "%+.*f" : "%.*f";
  double size = fabs(m.value);
  bool count = str_equal(m.unit, STR("count")), whole = count && size == floor(size);
  int digits = whole ? 0 : amount_digits(size);
  double ticks = pow(10, digits); /* rounds as amount_ticks does, so that tables and texts agree */
  if (size == 0)
    snprintf(out, AMOUNT_TEXT, "0");
  else if (size < 0.001 || size >= 1e15)
    snprintf(out, AMOUNT_TEXT, plus ? "%+.2g" : "%.2g", m.value);
  else
    snprintf(out, AMOUNT_TEXT, form, digits, nearbyint(m.value * ticks) / ticks);
  if (!count && size != 0) amount_add_unit(m.unit, out);
  return str_of(out);
}

/* ---- grids ------------------------------------------- */

/* GRID_DIGITS is the number of digits of the largest number in a table. If the smallest number
 * needs more decimals, the largest number has up to GRID_DIGITS_MOST digits. */
#define GRID_DIGITS      4
#define GRID_DIGITS_MOST 8
/* Maximum number of decimals. */
#define GRID_DECIMALS 12

struct amount_grid amount_grid_for(const struct amount_unit *unit, double largest, double smallest,
                                   bool whole) {
  struct amount_grid grid = {*unit, 0, 1};
  double size = fabs(amount_scale(unit, largest).value);
  double least = fabs(amount_scale(unit, smallest).value);
  if (size > 0 && !whole) {
    double before = floor(log10(size)) + 1;
    double digits = least > 0 ? ceil(-log10(least)) : 0;
    digits = fmax(GRID_DIGITS - before, fmin(digits, GRID_DIGITS_MOST - before));
    grid.decimals = (int)fmin(fmax(digits, 0), GRID_DECIMALS);
  }
  grid.ticks = pow(10, grid.decimals);
  return grid;
}

double amount_ticks(const struct amount_grid *grid, double value) {
  return nearbyint(amount_scale(&grid->unit, value).value * grid->ticks);
}

pprofc_str amount_of_ticks(const struct amount_grid *grid, double ticks, bool plus,
                           char out[AMOUNT_TEXT]) {
  pprofc_str unit = amount_scale(&grid->unit, 1).unit;
  if (ticks == 0)
    snprintf(out, AMOUNT_TEXT, "0");
  else
    snprintf(out, AMOUNT_TEXT, plus ? "%+.*f" : "%.*f", grid->decimals, ticks / grid->ticks);
  if (ticks != 0 && !str_equal(unit, STR("count"))) amount_add_unit(unit, out);
  return str_of(out);
}

/* ---- percentages ------------------------------------- */

pprofc_str amount_percent(double base, double delta, char out[AMOUNT_TEXT]) {
  double percent = 100 * delta / base;
  bool gone = delta == -base, fine = fabs(percent) < 9.95 || (percent < -99.4 && !gone);
  *out = '\0';
  if (base > 0) snprintf(out, AMOUNT_TEXT, "%+.*f%%", fine ? 1 : 0, percent);
  return str_of(out);
}
