/* Numbers as a person reads them: "2.05 µs", "+392 %", "4.9 times slower". All append. */
#ifndef PPROFCI_PAGE_NUMBERS_H
#define PPROFCI_PAGE_NUMBERS_H

#include "core/buffer.h"
#include "gate/row.h"

#define ARROW          "\xE2\x86\x92"
#define MINUS          "\xE2\x88\x92"
#define DOT            "\xC2\xB7"
#define NO_BREAK       "\xC2\xA0"
#define PERCENT        NO_BREAK "%"
#define PERCENT_FORMAT NO_BREAK "%%" /* in a format */
#define DASH           "\xE2\x80\x93"

/* A value of a unit of the gate: "2.05 µs", "1.5 KiB", "3". */
void number_amount(struct buffer *out, double value, pprofc_str unit);

/* A value of a unit of a profile: "6.9 µs", "32 B". */
void number_profile(struct buffer *out, double value, pprofc_str unit);

/* "+392 %", "−4.2 %". */
void number_percent(struct buffer *out, double change);

/* "86 %", "0.4 %": a part of a whole. */
void number_share(struct buffer *out, double part);

/* "+6.9 µs", "−32 B": a difference of two values of a profile. */
void number_difference(struct buffer *out, double value, pprofc_str unit);

/* "3 %", "264 %": the size of a change. */
void number_size(struct buffer *out, double change);

/* "2.05 µs → 10.1 µs"; one side alone when the other is not there. */
void number_sides(struct buffer *out, const struct gate_row *row);

/* "+392 %", "new" where there was nothing, "gone"; nothing when there is no change. */
void number_change(struct buffer *out, const struct gate_row *row);

/* "+371 to +414", the interval of the change in percent; nothing when it is not known. */
void number_interval(struct buffer *out, const struct gate_row *row);

/* "4.9 times slower", "12 % slower", "12 % more memory": a change for the worse or better. */
void number_phrase(struct buffer *out, const struct gate_row *row);

/* "Index is 4.9 times slower: 2.05 µs → 10.1 µs per operation". */
void number_sentence(struct buffer *out, pprofc_str name, const struct gate_row *row);

bool number_is_time(pprofc_str unit);
bool number_is_bytes(pprofc_str unit);

#endif
