/* Maps addresses to handlers. */
#ifndef PPROFC_WEB_ROUTES_H
#define PPROFC_WEB_ROUTES_H

#include "core/buffer.h"
#include "core/error.h"
#include "web/http_server.h"
#include "web/jobs.h"
#include "web/judge.h"
#include "web/state.h"
#include "web/trees.h"
#include "web/views/views.h"

#include <semaphore.h>
#include <stdatomic.h>

/* Slots for graphviz processes, one for each core. */
struct dot_slots {
  sem_t free;
};

void dot_slots_init(struct dot_slots *slots, unsigned count);

/* Draws a graph as SVG, from "<svg" on. Waits for a slot, then at most 10 s; stops when the
 * budget of `svg` stops. `slots` is a struct dot_slots. Errors: PPROFC_E_UNSUPPORTED without
 * graphviz, PPROFC_E_LIMIT after the time, PPROFC_E_IO if it fails, PPROFC_E_NOMEM. */
pprofc_status dot_draw(void *slots, pprofc_str graph, struct buffer *svg, pprofc_error *error);

/* State that all requests share. */
struct web {
  struct command *command;
  struct web_state *state;
  struct web_cache *cache;
  struct web_trees *trees;
  struct web_jobs *jobs;
  struct dot_slots dot;
  atomic_bool stopping;
  char settings[4096]; /* path of the file with saved views */
};

struct web_route;

/* A request for a handler. */
struct web_question {
  struct web *web;
  const struct web_route *route;
  const struct web_view *view; /* view at the address, or NULL */
  unsigned method;             /* method of the request, a GUARD_* flag */
  int body;                    /* descriptor of an upload's file, or -1; closed with the question */
  uint64_t body_size;
  struct arena arena; /* arena that lives as long as the question */
  struct web_query query;
  struct budget *budget; /* budget of the answer while it is made */
};

/* Returns the methods of an address, for the guard. */
unsigned routes_methods(pprofc_str path, bool *upload);

/* Answers a request that passed the guard, or queues it. */
struct web_reply *routes_answer(void *web, struct http_exchange *exchange,
                                const struct http_request *request);
void routes_gone(void *web, struct http_exchange *exchange);

/* Starts the work on the landing page, with the parameters `query` of its address. */
void routes_prepare_landing(struct web *web, pprofc_str query);

/* Callbacks of the job pool. */
struct web_reply *routes_run(void *question, struct budget *budget);
void routes_forget(void *question);

/* ---- handlers, one file for each kind ---------------- */

struct web_reply *route_view(struct web_question *q);
struct web_reply *route_download(struct web_question *q);
struct web_reply *route_flamedata(struct web_question *q);
struct web_reply *route_upload(struct web_question *q);
struct web_reply *route_reload(struct web_question *q);
struct web_reply *route_status(struct web_question *q);

/* Judges the chosen difference as a report with these options shows it. For one side there are no
 * verdicts. The caller frees the judgement, also after an error. */
pprofc_status route_judge(struct web_question *q, const struct state_choice *choice,
                          const pprofc_report_options *options, struct judgement *judgement,
                          pprofc_error *error);

/* Answers a change: a redirect to the view named by the parameter `view`, for pages without a
 * script, else success. */
struct web_reply *route_back(const struct web_question *q);

/* Returns a reply with the error message. */
struct web_reply *route_failure(pprofc_status status, const pprofc_error *error);

#endif
