/* What the gate judges by: settings, rules per benchmark and unit, and what is known of units. */
#ifndef PPROFC_GATE_SETTINGS_H
#define PPROFC_GATE_SETTINGS_H

#include "core/buffer.h"
#include "core/error.h"
#include "core/str.h"

struct gate;

enum gate_test {
  GATE_BOTH,  /* raw samples: Welch's t-test, and U for what that does not find */
  GATE_WELCH, /* raw samples: Welch's t-test */
  GATE_UTEST, /* raw samples: exact Mann-Whitney, right with ties */
  GATE_NONE   /* every difference counts */
};

enum gate_correction { GATE_BH, GATE_HOLM, GATE_UNCORRECTED };

/* What is judged of a benchmark that has wall time and CPU time. */
enum gate_time {
  GATE_TIME_AUTO, /* CPU time of what has one thread, else wall time */
  GATE_TIME_WALL,
  GATE_TIME_CPU
};

/* Smaller changes than these are no regressions, by the class of the unit. */
struct gate_floor {
  double seconds, bytes, plain;
};

/* One rule of the rules file: what it matches and what it sets. */
struct gate_rule {
  pprofc_str pattern, unit; /* globs; empty matches all */
  bool has_threshold, has_alpha, has_floor, ignore, accept;
  double threshold, alpha; /* relative; probability */
  double accepted;         /* the greatest regression that is accepted */
  struct gate_floor floor;
  int direction;            /* 0: not set */
  pprofc_str until, reason; /* "2027-01-31"; why */
  size_t line;              /* of the rules file */
  bool expired;
  size_t used; /* rows that it matched */
};

struct gate_settings {
  double threshold; /* relative: 0.05 */
  double alpha;
  enum gate_test test;
  enum gate_correction correction;
  enum gate_time time;
  size_t min_samples;
  bool strict;
  struct gate_floor floor;
  struct gate_rule *rules;
  size_t rule_count, rule_capacity;
  struct gate_unit_direction {
    pprofc_str unit;
    int direction;
  } * directions;
  size_t direction_count, direction_capacity;
};

/* Reads the rules file. Its settings are applied to gate->settings; errors name path, line and
 * column. */
pprofc_status gate_read_rules(struct gate *gate, pprofc_str path, pprofc_str data,
                              pprofc_error *error);

/* ---- units ------------------------------------------- */

/* Adds a direction for a unit, which wins over what is known of it; false when out of memory. */
bool gate_add_direction(struct gate *gate, pprofc_str unit, int direction);

/* Which way a unit is better, in the spelling of any of the tools: 1, -1 or 0 as in a row. */
int gate_direction(const struct gate *gate, pprofc_str unit);
/* The same from the settings alone; 0 when they do not name the unit. */
int gate_asked_direction(const struct gate *gate, pprofc_str unit);

/* The unit in the spelling of raw results: "sec/op" for "ns/op" and "time/op". Appends. */
void gate_unit_canonical(struct buffer *out, pprofc_str unit);

/* ---- values as they are written ---------------------- */

/* "1us", "16 B", "100ns", "0.5", and several: "1us or 16 B". */
bool gate_parse_floor(pprofc_str text, struct gate_floor *floor);
double gate_floor_of(const struct gate_floor *floor, pprofc_str unit);

/* "5", "5%": relative 0.05. False for what is no number, negative, NaN or infinite. */
bool gate_parse_percent(pprofc_str text, double *value);

/* True for a day of the calendar as "2027-01-31". */
bool gate_is_date(pprofc_str text);

#endif
