/* Settings of the gate, rules per benchmark and unit, and properties of units. */
#ifndef PPROFC_GATE_SETTINGS_H
#define PPROFC_GATE_SETTINGS_H

#include "core/buffer.h"
#include "core/error.h"
#include "core/str.h"

struct gate;

enum gate_test {
  GATE_BOTH,  /* raw samples: Welch's t-test, and U if Welch's finds no change */
  GATE_WELCH, /* raw samples: Welch's t-test */
  GATE_UTEST, /* raw samples: Mann-Whitney U test, correct with ties */
  GATE_NONE   /* no test: every difference is significant */
};

enum gate_correction { GATE_BH, GATE_HOLM, GATE_UNCORRECTED };

/* Time that is judged if a benchmark has wall time and CPU time. */
enum gate_time {
  GATE_TIME_AUTO, /* CPU time of benchmarks with one thread, else wall time */
  GATE_TIME_WALL,
  GATE_TIME_CPU
};

/* Absolute changes below which there is no regression, by the class of the unit. */
struct gate_floor {
  double seconds, bytes, plain;
};

/* A rule of the rules file: its patterns and its settings. */
struct gate_rule {
  pprofc_str pattern, unit; /* globs; an empty one matches everything */
  bool has_threshold, has_alpha, has_floor, ignore, accept;
  double threshold, alpha; /* relative threshold; significance level */
  double accepted;         /* largest relative regression to accept */
  struct gate_floor floor;
  int direction;            /* 0: not set */
  pprofc_str until, reason; /* last day, such as "2027-01-31"; reason */
  size_t line;              /* line in the rules file */
  bool expired;
  size_t used; /* number of rows that it matched */
};

struct gate_settings {
  double threshold; /* relative threshold, default 0.05 */
  double alpha;
  enum gate_test test;
  enum gate_correction correction;
  enum gate_time time;
  size_t min_samples;
  bool strict;
  bool one_process;       /* judge rows even if all samples of a side come from one process */
  bool any_load;          /* judge times although the machine was overloaded */
  const char *overloaded; /* load of the machine if it was too high to judge times: "load 20 on
                             2 processors"; else NULL */
  struct gate_floor floor;
  struct gate_rule *rules;
  size_t rule_count, rule_capacity;
  struct gate_unit_direction {
    pprofc_str unit;
    int direction;
  } * directions;
  size_t direction_count, direction_capacity;
};

/* Reads the rules file into gate->settings; errors name path, line and column. */
pprofc_status gate_read_rules(struct gate *gate, pprofc_str path, pprofc_str data,
                              pprofc_error *error);

/* ---- units ------------------------------------------- */

/* Adds a direction for a unit, which takes precedence over the table of units; false when out
 * of memory. */
bool gate_add_direction(struct gate *gate, pprofc_str unit, int direction);

/* Returns the direction of a unit in any tool's spelling: 1, -1 or 0 as in a row. */
int gate_direction(const struct gate *gate, pprofc_str unit);
/* Returns the direction from the settings alone; 0 if they do not contain the unit. */
int gate_settings_direction(const struct gate *gate, pprofc_str unit);

/* Appends the unit in the spelling of raw results: "sec/op" for "ns/op" and "time/op". */
void gate_unit_canonical(struct buffer *out, pprofc_str unit);

/* ---- spelling of values ------------------------------ */

/* Parses "1us", "16 B", "100ns", "0.5", or several: "1us or 16 B". */
bool gate_parse_floor(pprofc_str text, struct gate_floor *floor);
double gate_floor_of(const struct gate_floor *floor, pprofc_str unit);

/* Parses "5" or "5%" as 0.05. False if it is not a number, negative, NaN or infinite. */
bool gate_parse_percent(pprofc_str text, double *value);

/* True for a valid calendar day such as "2027-01-31". */
bool gate_is_date(pprofc_str text);

#endif
