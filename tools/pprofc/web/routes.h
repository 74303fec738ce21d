/* Maps addresses to handlers. */
#ifndef PPROFC_WEB_ROUTES_H
#define PPROFC_WEB_ROUTES_H

#include "web/dot.h"
#include "web/http_server.h"
#include "web/jobs.h"
#include "web/state.h"
#include "web/trees.h"
#include "web/views/views.h"

#include <stdatomic.h>

/* State shared by all requests. */
struct web {
  struct command *command;
  struct web_state *state;
  struct web_cache *cache;
  struct web_trees *trees;
  struct web_jobs *jobs;
  struct dot_slots *dot;
  atomic_bool stopping;
  char settings[4096]; /* file of saved views */
};

struct web_route;

/* A request for a handler. */
struct web_question {
  struct web *web;
  const struct web_route *route;
  const struct web_view *view; /* view of the address, or NULL */
  unsigned method;             /* GUARD_* */
  int body;                    /* file of an upload, or -1; closed with the question */
  uint64_t body_size;
  struct arena arena; /* memory that lives as long as the question */
  struct web_query query;
  struct budget *budget; /* memory of the answer while it is made */
};

/* Returns the methods of an address, for the guard. */
unsigned routes_methods(pprofc_str path, bool *upload);

/* Answers a request that passed the guard, or queues it. */
struct web_reply *routes_answer(void *web, struct http_exchange *exchange,
                                const struct http_request *request);
void routes_gone(void *web, struct http_exchange *exchange);

/* Starts the work on the landing page, with the parameters `query` of its address. */
void routes_prepare_landing(struct web *web, pprofc_str query);

/* Callbacks for jobs. */
struct web_reply *routes_run(void *question, struct budget *budget);
void routes_forget(void *question);

/* ---- handlers, one file for each kind ---------------- */

struct web_reply *route_view(struct web_question *q);
struct web_reply *route_download(struct web_question *q);
struct web_reply *route_flamedata(struct web_question *q);
struct web_reply *route_save(struct web_question *q);
struct web_reply *route_delete(struct web_question *q);
struct web_reply *route_upload(struct web_question *q);
struct web_reply *route_reload(struct web_question *q);
struct web_reply *route_status(struct web_question *q);

/* Answers a change: a redirect to the view named by the parameter `view`, for pages without a
 * script, else success. */
struct web_reply *route_back(const struct web_question *q);

/* Returns a reply with the error message. */
struct web_reply *route_failure(pprofc_status status, const pprofc_error *error);

#endif
