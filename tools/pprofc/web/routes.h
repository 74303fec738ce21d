/* Declares the paths of the server, the handlers of the paths, the files of the page, saved
 * views, and the data that requests share. */
#ifndef PPROFC_WEB_ROUTES_H
#define PPROFC_WEB_ROUTES_H

#include "noise/noise.h"
#include "web/http_server.h"
#include "web/state.h"
#include "web/views/views.h"

#include <pthread.h>
#include <stdatomic.h>

/* Limits the number of graphviz processes that run at the same time to the number of cores. */
struct dot_slots {
  pthread_mutex_t lock;
  pthread_cond_t freed;
  /* number of processes that may still start; read and written only while `lock` is held */
  unsigned free;
};

void dot_slots_init(struct dot_slots *slots, unsigned count);

/* Draws a graph as SVG. The output begins with "<svg", without the XML header. `slots` is a struct
 * dot_slots. Waits for a free slot, then runs graphviz for at most 10 s. Stops earlier if the
 * request is cancelled. Errors: PPROFC_E_UNSUPPORTED without graphviz, PPROFC_E_LIMIT after 10 s,
 * PPROFC_E_IO if graphviz fails, PPROFC_E_NOMEM. */
pprofc_status dot_draw(void *slots, pprofc_str graph, struct buffer *svg, pprofc_error *error);

/* Creates a cache of the trees of flame graphs. If the trees exceed the limit in bytes, the cache
 * removes the least recently used tree. Returns NULL when out of memory. */
struct web_trees *trees_new(uint64_t bytes);
void trees_free(struct web_trees *trees);

struct web {
  struct command *command;
  struct web_state *state;
  struct web_cache *cache;
  struct web_trees *trees;
  struct web_jobs *jobs;
  struct dot_slots dot;
  atomic_bool stopping;
  char settings[4096]; /* path of the file in which pprof saves views */
};

struct web_route;

/* A request that a thread answers. */
struct web_question {
  struct web *web;
  const struct web_route *route;
  const struct web_view *view; /* view that the path of the request names, or NULL */
  unsigned method;             /* method, a GUARD_* flag */
  int body;                    /* descriptor of an upload, closed after the request; or -1 */
  uint64_t body_size;
  struct arena arena; /* memory that is freed together with the web_question */
  struct web_query query;
  struct budget *budget; /* memory and time budget of the answer */
};

unsigned routes_methods(pprofc_str path, bool *upload);

/* Answers a request that passed the checks of guard.c. Returns NULL if the request is queued. */
struct web_reply *routes_answer(void *web, struct http_exchange *exchange,
                                const struct http_request *request);
void routes_gone(void *web, struct http_exchange *exchange);

/* Starts to compute the user's first page. `query` is the query of its URL. */
void routes_prepare_landing(struct web *web, pprofc_str query);

/* Functions that the threads of jobs.h call. */
struct web_reply *routes_run(void *question, struct budget *budget);
void routes_forget(void *question);

struct web_reply *route_view(struct web_question *q);
struct web_reply *route_download(struct web_question *q);
struct web_reply *route_flamedata(struct web_question *q);
struct web_reply *route_strip(struct web_question *q);

/* Computes verdicts on the chosen difference, if there is one. The caller frees the judgement, even
 * after an error. */
pprofc_status route_judge(struct web_question *q, const struct state_choice *choice,
                          const pprofc_report_options *options, struct noise_report *judgement,
                          pprofc_error *error);

struct web_reply *route_failure(pprofc_status status, const pprofc_error *error);

/* A file of the page. The build generates the table of these files. */
struct web_asset {
  const char *name; /* file name: "app.css" */
  /* content of the file: gzip data, or uncompressed if the build had no gzip */
  const unsigned char *data;
  const size_t *size;
  const char *sha256; /* SHA-256 of `data` in hexadecimal */
};

extern const struct web_asset web_assets[];
extern const size_t web_asset_count;

/* Returns the file at a URL like "app-0123456789abcdef.css" below assets/, or NULL. */
const struct web_asset *asset_find(pprofc_str name);

/* Returns a reply that contains the file. The reply is compressed if `gzip` is true. Returns NULL
 * when out of memory. */
struct web_reply *asset_reply(const struct web_asset *asset, bool gzip);

/* Sets the URLs of the files in `info`. Allocates them in `arena`. Returns false when out of
 * memory. */
bool assets_name(struct web_info *info, struct arena *arena);

#define SETTINGS_NAME_BYTES 100
#define SETTINGS_MOST       1000 /* maximum number of saved views */
#define SETTINGS_FILE_BYTES ((size_t)16 << 20)

/* Writes the path of pprof/settings.json, which is in $XDG_CONFIG_HOME or in ~/.config. Fails if
 * both folders are unknown. */
pprofc_status settings_path(char *out, size_t size, pprofc_error *error);

/* Lists the saved views in the order of the file. The query of a saved view is the page's `query`
 * with the options of this view. The list and its texts are in `arena`. The list is empty if the
 * file is missing or unreadable. Returns false when out of memory. */
bool settings_list(const char *path, const struct web_query *query, struct arena *arena,
                   const struct web_item **items, size_t *count);

/* Saves a view, or deletes it if `options` is NULL. Replaces an older view of the same name, and
 * keeps all other content, even unknown members. Replaces the whole file, with mode 0600, and locks
 * its folder meanwhile. A file that cannot be parsed is never replaced. Errors: PPROFC_E_INVALID
 * for an invalid name, for an unknown name if `options` is NULL, and for more than SETTINGS_MOST
 * views; PPROFC_E_FORMAT for a file that cannot be parsed; PPROFC_E_IO. */
pprofc_status settings_change(const char *path, const char *name,
                              const pprofc_report_options *options, pprofc_error *error);

/* Returns a number that changes when the file changes. */
uint64_t settings_stamp(const char *path);

#endif
