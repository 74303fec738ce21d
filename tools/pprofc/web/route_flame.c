/* Answers requests for the data of a flame graph: the whole tree, or the subtree of a node. */
#include "web/routes.h"

/* Writes the cache key of a tree. The key has the ids of the chosen profiles and the query. */
static bool flame_key(const struct web_question *q, const struct state_choice *c,
                      struct buffer *query, struct buffer *key) {
  static const struct web_change without = {"node", {"", 0}};
  web_query_write(query, &q->query, &without, 1);
  buffer_printf(key, "%u %u %d ", c->head->id, c->base ? c->base->id : 0, (int)c->side);
  buffer_add_str(key, buffer_str(query));
  return !key->failed && !query->failed;
}

pprofc_status route_judge(struct web_question *q, const struct state_choice *c,
                          const pprofc_report_options *options, struct judgement *judged,
                          pprofc_error *error) {
  const struct state_profile *head = c->head, *base = c->base;
  *judged = (struct judgement){.verdicts = NULL};
  if (c->side != WEB_DIFF) return PPROFC_OK;
  const struct judge_side sides[2] = {{c->lent[0], base->runs, base->run_count},
                                      {c->lent[1], head->runs, head->run_count}};
  return judge_sides(sides, options, &q->web->command->noise, judged, error);
}

/* Builds the graph. Divides sums of runs, unless verdicts do this themselves. */
static pprofc_status flame_open(struct web_question *q, const struct state_choice *c,
                                struct web_tree *tree, pprofc_error *error) {
  struct judgement judged = {.verdicts = NULL};
  pprofc_status status = PPROFC_OK;
  if (c->side == WEB_DIFF && !judge_hide_folded(tree->profile, &tree->arena, &tree->options))
    status = error_nomem(error);
  if (!status) status = route_judge(q, c, &tree->options, &judged, error);
  tree->options.verdicts = judged.verdicts;
  if (!judged.verdicts) tree->options.divide_by *= state_divisor(c, c->side);
  if (status == PPROFC_OK)
    status = flame_kept_open(tree->profile, &tree->options, &tree->graph, error);
  tree->options.verdicts = NULL;
  judge_free(&judged);
  return status;
}

/* Builds the tree within the memory and time budget of the request. */
static pprofc_status flame_build(struct web_question *q, const struct state_choice *c,
                                 pprofc_str query, struct web_tree *tree, pprofc_error *error) {
  tree->budget = budget_retain(q->budget);
  tree->options = q->web->command->report;
  pprofc_status status = web_query_parse(query, &tree->arena, &tree->query, error);
  if (status == PPROFC_OK) status = web_query_options(&tree->query, &tree->options, error);
  if (status != PPROFC_OK) return status;
  tree->options.format = "flame";
  tree->options.argument = "data";
  tree->options.warn = NULL;
  tree->profile = pprofc_profile_retain(c->shown);
  return flame_open(q, c, tree, error);
}

/* Returns the tree for the request. The caller releases the tree. */
static pprofc_status flame_take(struct web_question *q, struct web_tree **tree,
                                pprofc_error *error) {
  struct state_choice choice;
  struct buffer query, key;
  bool mine = false;
  pprofc_status status =
      state_choose(q->web->state, &q->query, budget_allocator(q->budget), &choice, error);
  buffer_init(&query, &mem_default, 1 << 20);
  buffer_init(&key, &mem_default, 1 << 20);
  if (status == PPROFC_OK && !flame_key(q, &choice, &query, &key)) status = error_nomem(error);
  if (status == PPROFC_OK) {
    *tree = trees_take(q->web->trees, buffer_str(&key), &mine);
    if (!*tree) status = error_nomem(error);
  }
  if (mine && *tree) {
    status = flame_build(q, &choice, buffer_str(&query), *tree, error);
    trees_built(q->web->trees, *tree, status == PPROFC_OK);
  }
  buffer_free(&query);
  buffer_free(&key);
  state_choice_free(&choice);
  return status;
}

static pprofc_status flame_answer(struct web_question *q, uint32_t node, struct web_reply *reply,
                                  pprofc_error *error) {
  struct web_tree *tree = NULL;
  const pprofc_allocator *mem = budget_allocator(q->budget);
  pprofc_status status = flame_take(q, &tree, error);
  if (status == PPROFC_OK)
    status = flame_kept_write(tree->graph, node, mem, reply_write, reply, error);
  status = budget_status(mem, status, error);
  trees_release(q->web->trees, tree);
  return status;
}

struct web_reply *route_flamedata(struct web_question *q) {
  pprofc_error error = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  const char *text = web_query_get(&q->query, "node");
  uint64_t node = 0;
  if (*text && (!str_parse_uint(str_of(text), 10, &node) || node >= UINT32_MAX))
    return reply_text(400, "the node is not a number");
  struct web_reply *reply = reply_new(200, REPLY_BINARY);
  if (!reply) return NULL;
  pprofc_status status = flame_answer(q, (uint32_t)node, reply, &error);
  if (status == PPROFC_OK && reply->body.failed) status = error_nomem(&error);
  reply->keep = status == PPROFC_OK;
  if (reply->keep) return reply;
  reply_release(reply);
  return route_failure(status, &error);
}
