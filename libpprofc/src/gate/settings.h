/* Declares the settings of the gate, rules for benchmarks and units, and properties of units. */
#ifndef PPROFC_GATE_SETTINGS_H
#define PPROFC_GATE_SETTINGS_H

#include "core/buffer.h"
#include "core/error.h"
#include "core/str.h"
#include "pprofc/gate.h"

struct gate;

/* Smallest absolute changes that are regressions, by the class of the unit. 0: not set. Negative:
 * no limit, not even the default limit for memory. */
struct gate_floor {
  double seconds, bytes, plain;
};

/* A rule of the rules file: its patterns and its settings. */
struct gate_rule {
  /* glob patterns of benchmark and unit; an empty pattern matches everything */
  pprofc_str pattern, unit;
  bool has_threshold, has_alpha, has_floor, ignore, accept;
  double threshold, alpha; /* threshold: relative change that counts; alpha: significance level */
  double accepted;         /* largest relative regression that the rule accepts */
  struct gate_floor floor;
  int direction; /* 1: higher is better, -1: lower is better, 0: not set */
  pprofc_str until,
      reason;  /* last day of the rule, such as "2027-01-31", and the reason for the rule */
  size_t line; /* line in the rules file */
  bool expired;
  size_t used; /* number of rows that the rule matched */
};

struct gate_settings {
  double threshold; /* relative threshold, default 0.05 */
  double alpha;
  pprofc_gate_test test;
  pprofc_gate_correction correction;
  pprofc_gate_time time;
  size_t min_samples;
  bool strict;
  bool screening;         /* true: select benchmarks for more rounds instead of judging them */
  bool one_process;       /* true: judge rows even if all samples of a side come from one process */
  bool any_load;          /* true: judge times although the machine was overloaded */
  const char *overloaded; /* load of the machine if it was too high to judge times: "load 20 on 2
                             processors"; else NULL */
  struct gate_floor floor;
  struct gate_rule *rules;
  size_t rule_count, rule_capacity;
  struct gate_unit_direction {
    pprofc_str unit;
    int direction;
  } * directions;
  size_t direction_count, direction_capacity;
};

/* Reads the rules file into gate->settings. Errors name path, line and column. */
pprofc_status gate_read_rules(struct gate *gate, pprofc_str path, pprofc_str data,
                              pprofc_error *error);

/* ---- units ------------------------------------------- */

/* Adds a direction for a unit. This direction takes precedence over the table of units. Returns
 * false when out of memory. */
bool gate_add_direction(struct gate *gate, pprofc_str unit, int direction);

/* Returns a unit's direction in any tool's spelling: 1 higher is better, -1 lower, 0 unknown. */
int gate_direction(pprofc_str unit);

/* Returns the direction that the settings give to the unit, or 0 if they give no direction. */
int gate_settings_direction(const struct gate *gate, pprofc_str unit);

/* Appends the unit as raw results spell it: "sec/op" for "ns/op" and "time/op". */
void gate_unit_canonical(struct buffer *out, pprofc_str unit);

/* ---- spelling of values ------------------------------ */

/* The first function parses a floor such as "1us", "16 B", "100ns" or "0.5", or several floors:
 * "1us or 16 B". "0 B" switches a floor off. The second returns the floor for a unit. */
bool gate_parse_floor(pprofc_str text, struct gate_floor *floor);
double gate_floor_of(const struct gate_floor *floor, pprofc_str unit);

/* Parses "5" or "5%" as 0.05. Returns false if the text is not a number, or is negative, NaN or
 * infinite. */
bool gate_parse_percent(pprofc_str text, double *value);

/* True for a valid calendar day such as "2027-01-31". */
bool gate_is_date(pprofc_str text);

#endif
