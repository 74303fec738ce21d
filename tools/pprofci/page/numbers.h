/* Appends numbers for people: "2.05 µs", "+392 %", "4.9 times slower". */
#ifndef PPROFCI_PAGE_NUMBERS_H
#define PPROFCI_PAGE_NUMBERS_H

#include "common/base.h"
#include "gate/gate.h"

#define ARROW    "\xE2\x86\x92"
#define MINUS    "\xE2\x88\x92"
#define DOT      "\xC2\xB7"
#define NO_BREAK "\xC2\xA0"
#define PERCENT  NO_BREAK "%"
/* Percent sign for format strings, with a no-break space before it. */
#define PERCENT_FORMAT NO_BREAK "%%"
#define DASH           "\xE2\x80\x93"

/* Appends a value in the unit of a benchmark result: "2.05 µs", "1.5 kB", "3". */
void number_amount(struct buffer *out, double value, pprofc_str unit);

/* Appends a value in a unit of a profile: "6.9 µs", "32 B". */
void number_profile(struct buffer *out, double value, pprofc_str unit);

/* Appends a change: "+392 %", "−4.2 %". If the factor is at least 100, appends the factor instead:
 * "×27,000". */
void number_percent(struct buffer *out, double change);

/* Appends a share: "86 %", "0.4 %". */
void number_share(struct buffer *out, double part);

/* Appends a difference of two values of a profile: "+6.9 µs", "−32 B". */
void number_difference(struct buffer *out, double value, pprofc_str unit);

/* Appends the size of a change: "3 %", "264 %". */
void number_size(struct buffer *out, double change);

/* Appends "2.05 µs → 10.1 µs". If base or head is missing, appends only the value of the other. */
void number_sides(struct buffer *out, const struct gate_row *row);

/* Appends "+392 %", "new" if the base is 0, or "gone" if the head is 0. Appends nothing if the
 * value is unchanged. */
void number_change(struct buffer *out, const struct gate_row *row);

/* Appends the interval of the change in percent, "+371 to +414", if it is known. */
void number_interval(struct buffer *out, const struct gate_row *row);

/* Appends a change in words: "4.9 times slower", "12 % slower", "12 % more memory". */
void number_phrase(struct buffer *out, const struct gate_row *row);

/* Appends a sentence: "Index is 4.9 times slower: 2.05 µs → 10.1 µs per operation". */
void number_sentence(struct buffer *out, pprofc_str name, const struct gate_row *row);

bool number_is_time(pprofc_str unit);

/* Returns the kind of profile to show for a unit: "mem" for allocations, "instructions" for counts
 * by valgrind, else "cpu". */
const char *number_kind(pprofc_str unit);

#define NUMBER_INSTRUCTIONS "instructions"

/* True for time and instructions, which the page shows before other units. */
bool number_leads(pprofc_str unit);

#endif
