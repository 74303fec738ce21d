/* Classifies functions by name. Functions of the environment are shown, but never judged. The
 * environment is code whose time the program does not decide: the kernel, a scheduler, parts of a
 * runtime. Folded frames are counted as part of their callers. */
#ifndef PPROFC_VERDICT_RULES_H
#define PPROFC_VERDICT_RULES_H

#include "core/error.h"
#include "core/mem.h"
#include "core/str.h"

#define NAME_FOLDED 1u /* flag: a leaf function that is dropped if the stack has another frame */
/* flag: a function of the kernel, the scheduler or a runtime, which is shown but never judged */
#define NAME_ENVIRONMENT 2u
/* flag: all time of the callees is also time of the environment */
#define NAME_MACHINE 4u

/* A row of the built-in table of names. */
struct name_rule {
  unsigned flags;       /* set of NAME_* flags */
  const char *patterns; /* globs of function names, separated by blanks; not regular expressions,
                           because those would need PCRE2 */
  const char *why;
};

/* A rule that accepts changes of the functions that match `function`, up to the day `until`.
 * `reason` is the explanation in the rules file. */
struct accepted {
  struct regex *function;
  pprofc_str pattern, until, reason;
};

struct rules {
  const pprofc_allocator *mem;
  struct arena arena;
  /* expressions in the rules file for folded functions, for the environment, and for functions that
   * are always judged; NULL: the file has no such expression */
  struct regex *folded, *environment, *judged;
  struct accepted *accepted;
  size_t accepted_count, accepted_capacity;
};

/* Reads the built-in table and, if `text.data` is not NULL, a rules file with this text:
 *
 *   {"environment": ["^my_idle_loop$"], "fold": ["^my_safepoint$"], "judge": ["^rcu_"],
 *    "accept": [{"function": "^main\\.encode$", "until": "2027-01-31", "reason": "new format"}]}
 *
 * `path` names the file in messages. The caller calls rules_free even after an error. */
pprofc_status rules_init(struct rules *rules, const pprofc_allocator *mem, const char *path,
                         pprofc_str text, pprofc_error *error);
void rules_free(struct rules *rules);

/* Returns the NAME_* flags of a name. */
unsigned rules_flags(const struct rules *rules, pprofc_str name);

/* Returns the rule that accepts changes of the function on the day `today` ("2027-01-31"). Returns
 * NULL if there is no such rule. */
const struct accepted *rules_accept(const struct rules *rules, pprofc_str name, pprofc_str today);

#endif
