/* Holds the table of environment functions: functions whose time the program does not decide, such
 * as the kernel. Reads the rules file, which extends the table. */
#include "core/json_tree.h"
#include "verdict/walk.h"

#define NAME_ALL (NAME_ENVIRONMENT | NAME_MACHINE)

/* Functions whose cost depends on the kernel, a scheduler or a runtime instead of the program. The
 * table has no garbage collectors, because a change of the program can cause more garbage. Names
 * that a program may also use do not have NAME_MACHINE. docs/VERDICT_RULES.md shows this table. */
static const struct name_rule name_rules[] = {
    {NAME_FOLDED, "runtime.asyncPreempt runtime.asyncPreempt2", "Go stops the function below it"},
    {NAME_ALL, "irqentry_* asm_sysvec_* sysvec_* common_interrupt asm_common_interrupt",
     "Linux: entry of interrupts"},
    {NAME_ALL, "handle_softirqs* __irq_exit* irq_exit*", "Linux: work after interrupts"},
    {NAME_ALL, "finish_task_switch* _raw_spin_unlock_irq* exit_to_user_mode*",
     "Linux: another task ran"},
    {NAME_ENVIRONMENT, "schedule __schedule", "Linux: another task ran"},
    {NAME_ENVIRONMENT, "tlb_remove_table_rcu* rcu_*", "Linux: deferred freeing"},
    {NAME_ALL, "blk_mq_end_request* blk_update_request* blk_done_softirq* blk_complete_reqs*",
     "Linux, block/blk-mq.c: disk requests that end during this task"},
    {NAME_ALL, "wake_up_bit __wake_up_bit wake_up_page_bit folio_wake_bit",
     "Linux, kernel/sched/wait_bit.c: other tasks wake up"},
    {NAME_ALL, "find_inode_bit",
     "Linux, fs/ext4/ialloc.c: the search for a free inode passes files that others deleted"},
    {NAME_ENVIRONMENT, "recently_deleted", "Linux, fs/ext4/ialloc.c: a file that others deleted"},
    {NAME_ALL, "__slab_alloc* ___slab_alloc*",
     "Linux, mm/slub.c: a processor fetches objects after other programs used up the last ones"},
    {NAME_ENVIRONMENT, "_IO_old_init", "glibc, libio/genops.c: set-up of a stream, once a file"},
    {NAME_ENVIRONMENT, "tick_* hrtimer_* update_process_times* scheduler_tick*", "Linux: timers"},
    {NAME_ALL,
     "runtime.findRunnable runtime.schedule runtime.mcall runtime.park_m runtime.futex "
     "runtime.usleep runtime.osyield runtime.sysmon runtime.stealWork runtime.futexsleep "
     "runtime.futexwakeup runtime.notesleep runtime.netpoll",
     "Go: the scheduler looks for work or waits"},
    {NAME_ALL, "runtime.freeSomeWbufs runtime.freeDeadSpanSPMCs",
     "Go, runtime/mgcsweep.go: the sweeper in the background polls while others sweep"},
};

/* True if one of the patterns matches the whole name. Blanks separate patterns. */
static bool rule_matches_name(const struct name_rule *rule, pprofc_str name) {
  pprofc_str rest = str_of(rule->patterns), pattern;
  while (str_next(&rest, ' ', &pattern))
    if (str_glob(pattern, name)) return true;
  return false;
}

/* ---- the file ---------------------------------------- */

static pprofc_status rules_wrong(const char *path, const struct node *at, const char *what,
                                 pprofc_error *error) {
  return error_set(error, PPROFC_E_FORMAT, "%s:%u: %s", path, at->line, what);
}

/* Adds the line of an invalid expression to the error message. */
static pprofc_status rules_located(pprofc_status status, const char *path, const struct node *at,
                                   pprofc_error *error) {
  if (status && status != PPROFC_E_NOMEM) error_prefix(error, "%s:%u: ", path, at->line);
  return status;
}

static pprofc_status rules_take_list(struct rules *rules, const char *path, const struct node *list,
                                     unsigned flags, pprofc_error *error) {
  if (!list) return PPROFC_OK;
  if (list->kind != NODE_ARRAY)
    return rules_wrong(path, list, "must be a list of regular expressions", error);
  for (const struct node *at = list->first; at; at = at->next) {
    if (at->kind != NODE_STRING) return rules_wrong(path, at, "must be a string", error);
    pprofc_status status = regex_set_add(&rules->names, rules->mem, at->text, flags, error);
    if (status) return rules_located(status, path, at, error);
  }
  return PPROFC_OK;
}

static bool rules_is_day(pprofc_str text) {
  static const char form[] = "0000-00-00";
  if (text.size != sizeof form - 1) return false;
  for (size_t i = 0; form[i]; i++) {
    bool digit = char_is_digit(text.data[i]);
    if (form[i] == '0' ? !digit : text.data[i] != form[i]) return false;
  }
  return true;
}

/* Reads a member that is a string. Returns false if it is missing or empty. */
static bool rules_member(struct rules *rules, const struct node *object, const char *name,
                         pprofc_str *out) {
  const struct node *node = node_get(object, name);
  *out = STR("");
  if (!node || node->kind != NODE_STRING || !node->text.size) return false;
  *out = arena_str(&rules->arena, node->text);
  return true;
}

static pprofc_status rules_take_accepted(struct rules *rules, const char *path,
                                         const struct node *at, pprofc_error *error) {
  const struct node *function = node_get(at, "function");
  struct accepted row = {NULL, STR(""), STR(""), STR("")};
  if (!function) return rules_wrong(path, at, "an accepted change needs a \"function\"", error);
  if (!rules_member(rules, at, "reason", &row.reason))
    return rules_wrong(path, at, "an accepted change needs a \"reason\"", error);
  if (!rules_member(rules, at, "until", &row.until) || !rules_is_day(row.until))
    return rules_wrong(path, at, "an accepted change needs a day \"until\", as 2027-01-31", error);
  if (function->kind == NODE_STRING) row.pattern = arena_str(&rules->arena, function->text);
  if (!row.reason.data || !row.until.data || !row.pattern.data) return error_nomem(error);
  if (function->kind != NODE_STRING) return rules_wrong(path, function, "must be a string", error);
  pprofc_status status = regex_compile(rules->mem, row.pattern, &row.function, error);
  if (status) return rules_located(status, path, function, error);
  if (!ARRAY_RESERVE(rules->mem, rules->accepted, rules->accepted_capacity,
                     rules->accepted_count + 1)) {
    regex_free(row.function);
    return error_nomem(error);
  }
  rules->accepted[rules->accepted_count++] = row;
  return PPROFC_OK;
}

static pprofc_status rules_take_acceptances(struct rules *rules, const char *path,
                                            const struct node *list, pprofc_error *error) {
  if (!list) return PPROFC_OK;
  if (list->kind != NODE_ARRAY)
    return rules_wrong(path, list, "\"accept\" must be a list of objects", error);
  pprofc_status status = PPROFC_OK;
  for (const struct node *at = list->first; at && !status; at = at->next)
    status = rules_take_accepted(rules, path, at, error);
  return status;
}

static const struct {
  const char *name;
  unsigned flags; /* NAME_* flags of the functions in the list */
} rules_lists[] = {
    {"fold", NAME_FOLDED}, {"environment", NAME_ENVIRONMENT}, {"judge", NAME_JUDGED}};

/* Rejects unknown members, because a misspelt member would be a rule without effect. */
static pprofc_status rules_check_members(const char *path, const struct node *root,
                                         pprofc_error *error) {
  if (root->kind != NODE_OBJECT) return rules_wrong(path, root, "must be an object", error);
  for (const struct node *at = root->first; at; at = at->next) {
    bool known = str_equal(at->key, STR("accept"));
    for (size_t i = 0; i < COUNT(rules_lists); i++)
      known |= str_equal(at->key, str_of(rules_lists[i].name));
    if (!known)
      return error_set(error, PPROFC_E_FORMAT, "%s:%u: unknown member \"%.*s\"", path, at->line,
                       STR_ARG(at->key));
  }
  return PPROFC_OK;
}

static pprofc_status rules_read_file(struct rules *rules, const char *path, pprofc_str text,
                                     pprofc_error *error) {
  struct node *root;
  struct arena arena = arena_make(rules->mem);
  pprofc_status status = json_tree_parse(&arena, path, text, &root, error);
  if (!status) status = rules_check_members(path, root, error);
  for (size_t i = 0; i < COUNT(rules_lists) && !status; i++)
    status = rules_take_list(rules, path, node_get(root, rules_lists[i].name), rules_lists[i].flags,
                             error);
  if (!status) status = rules_take_acceptances(rules, path, node_get(root, "accept"), error);
  arena_free(&arena);
  return status;
}

/* ---- all rules --------------------------------------- */

pprofc_status rules_init(struct rules *rules, const pprofc_allocator *mem, const char *path,
                         pprofc_str text, pprofc_error *error) {
  *rules = (struct rules){.mem = mem};
  arena_init(&rules->arena, mem);
  return text.data ? rules_read_file(rules, path, text, error) : PPROFC_OK;
}

void rules_free(struct rules *rules) {
  for (size_t i = 0; i < rules->accepted_count; i++) regex_free(rules->accepted[i].function);
  ARRAY_FREE(rules->mem, rules->accepted, rules->accepted_capacity);
  regex_set_free(&rules->names, rules->mem);
  arena_free(&rules->arena);
}

unsigned rules_flags(const struct rules *rules, pprofc_str name) {
  unsigned flags = regex_set_match(&rules->names, name);
  if (flags & NAME_JUDGED) return 0;
  for (size_t i = 0; i < COUNT(name_rules); i++)
    if (rule_matches_name(&name_rules[i], name)) flags |= name_rules[i].flags;
  return flags;
}

const struct accepted *rules_accept(const struct rules *rules, pprofc_str name, pprofc_str today) {
  for (size_t i = 0; i < rules->accepted_count; i++) {
    const struct accepted *row = &rules->accepted[i];
    if (str_compare(today, row->until) <= 0 && regex_match(row->function, name)) return row;
  }
  return NULL;
}
