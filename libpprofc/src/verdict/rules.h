/* What the names of functions say before any value is looked at: which belong to the machine, and
 * which frames are folded into their callers. */
#ifndef PPROFC_VERDICT_RULES_H
#define PPROFC_VERDICT_RULES_H

#include "core/error.h"
#include "core/mem.h"
#include "core/str.h"

#define NAME_FOLDED      1u /* a leaf of this name is left out while another frame is left */
#define NAME_ENVIRONMENT 2u /* shown, never judged */

/* One row of the built-in table. */
struct name_rule {
  unsigned flag;
  const char *pattern; /* a Go regular expression */
  const char *why;
};

/* The built-in rows in order; NULL past the last. */
const struct name_rule *name_rule_at(size_t index);

/* A day on which an accepted change ends, and why it was accepted. */
struct accepted {
  struct regex *function;
  pprofc_str pattern, until, reason;
};

struct rules {
  const pprofc_allocator *mem;
  struct arena arena;
  struct regex *folded, *environment; /* of the table and of the file */
  struct regex *judged;               /* of the file: judged whatever the table says; or NULL */
  struct accepted *accepted;
  size_t accepted_count, accepted_capacity;
};

/* The built-in table and, when `text.data` is not NULL, the rules file with that text:
 *
 *   {"environment": ["^my_idle_loop$"], "fold": ["^my_safepoint$"], "judge": ["^rcu_"],
 *    "accept": [{"function": "^main\\.encode$", "until": "2027-01-31", "reason": "new format"}]}
 *
 * `path` names it in messages. The rules are to be freed, also after an error. */
pprofc_status rules_init(struct rules *rules, const pprofc_allocator *mem, const char *path,
                         pprofc_str text, pprofc_error *error);
void rules_free(struct rules *rules);

/* NAME_* of a name. */
unsigned rules_flags(const struct rules *rules, pprofc_str name);

/* The row that accepts changes of the function on the day `today` ("2027-01-31"), or NULL. */
const struct accepted *rules_accept(const struct rules *rules, pprofc_str name, pprofc_str today);

#endif
