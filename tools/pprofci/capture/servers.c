/* Captures profiles from net/http/pprof in rounds. Each round captures base and head; every other
 * round starts with head. */
#include "capture/capture.h"
#include "common/terminal.h"
#include "core/system.h"

#include <stdio.h>
#include <time.h>

#define LIMIT_MS 30000
#define TRY_MS   200

/* The requests that one round sends to one server. */
struct capture_round {
  struct capture *capture;
  int side;
  size_t round;
  bool warmup;
};

static pprofc_status servers_url(struct capture *capture, int side, const char *what, bool timed,
                                 struct url *url, pprofc_error *error) {
  const struct capture_options *o = capture->options;
  char path[256];
  int64_t seconds = o->seconds;
  pprofc_str server = str_of(o->servers[side]);
  bool has_folder = str_find(server, STR("/debug/pprof")) < server.size;
  const char *folder = has_folder ? "" : "/debug/pprof";
  if (timed)
    snprintf(path, sizeof path, "%s/%s?seconds=%lld", folder, what, (long long)seconds);
  else
    snprintf(path, sizeof path, "%s/%s", folder, what);
  return remote_address(&capture->remote, o->servers[side], path, url, error);
}

static pprofc_status servers_take(const struct capture_round *r, size_t kind,
                                  struct exchange *exchange, pprofc_error *error) {
  struct capture *capture = r->capture;
  const char *server = capture->options->servers[r->side];
  struct capture_item item = {.side = r->side, .kind = kind, .round = r->round};
  item.warmup = r->warmup;
  if (exchange->reply.code == 404) {
    if (!capture->missing[r->side][kind])
      message_note("pprofci: %s has no profile '%s'", server, remote_kinds[kind].name);
    capture->missing[r->side][kind] = true;
    return PPROFC_OK;
  }
  if (exchange->status != PPROFC_OK) {
    remote_explain(&capture->remote, exchange, server, error);
    return exchange->status;
  }
  pprofc_str content = reply_content(&exchange->reply);
  pprofc_status status =
      pprofc_profile_read_memory(content.data, content.size, NULL, &item.profile, error);
  if (status == PPROFC_OK) return capture_add(capture, &item, error);
  error_prefix(error, "cannot read the %s profile of %s: ", remote_kinds[kind].name, server);
  return status;
}

/* Fetches several profile types at the same time. If `timed`, fetches the types that record for
 * some seconds, such as CPU. Otherwise fetches the other types. */
static pprofc_status servers_fetch(const struct capture_round *r, bool timed, pprofc_error *error) {
  struct capture *capture = r->capture;
  struct exchange exchanges[REMOTE_KINDS];
  struct url urls[REMOTE_KINDS];
  size_t kinds[REMOTE_KINDS], count = 0;
  pprofc_status status = PPROFC_OK;
  int64_t limit = LIMIT_MS + (timed ? capture->options->seconds * 1500 : 0);
  for (size_t k = 0; k < REMOTE_KINDS && status == PPROFC_OK; k++) {
    const struct remote_kind *kind = &remote_kinds[k];
    if (!capture->kinds[k] || capture->missing[r->side][k] || kind->takes_time != timed) continue;
    status = servers_url(capture, r->side, kind->go_path, timed, &urls[count], error);
    exchanges[count] =
        (struct exchange){.url = &urls[count], .limit_ms = limit, .arena = &capture->remote.arena};
    kinds[count++] = k;
  }
  if (status != PPROFC_OK || !count) return status;
  client_run(capture->remote.client, exchanges, count);
  for (size_t i = 0; i < count; i++) {
    if (status == PPROFC_OK) status = servers_take(r, kinds[i], &exchanges[i], error);
    reply_free(&exchanges[i].reply);
  }
  return status;
}

static void servers_sleep_until(int64_t end_ms) {
  int64_t left = end_ms - system_milliseconds();
  if (left <= 0) return;
  struct timespec wait = {(time_t)(left / 1000), (long)(left % 1000) * 1000000};
  while (nanosleep(&wait, &wait) != 0) continue;
}

static pprofc_status servers_load(const struct capture_options *o, int side, pprofc_error *error) {
  pprofc_status status = processes_start(o->load, side_names[side], o->servers[side], error);
  if (status == PPROFC_OK) servers_sleep_until(system_milliseconds() + o->settle * 1000);
  return status;
}

/* Captures the profiles of one server. With two servers, the load runs only during this call,
 * because the other server must be idle. */
static pprofc_status servers_side(const struct capture_round *r, size_t programs,
                                  pprofc_error *error) {
  const struct capture_options *o = r->capture->options;
  bool turns = *o->load && *o->servers[SIDE_BASE];
  pprofc_status status = processes_check(programs, error);
  if (status == PPROFC_OK && turns) status = servers_load(o, r->side, error);
  if (status == PPROFC_OK) status = servers_fetch(r, true, error);
  if (status == PPROFC_OK) status = servers_fetch(r, false, error);
  if (turns) processes_stop(programs);
  return status;
}

static pprofc_status servers_rounds(struct capture *capture, size_t programs, pprofc_error *error) {
  const struct capture_options *o = capture->options;
  size_t rounds = (size_t)(o->warmup + o->count);
  pprofc_status status = PPROFC_OK;
  for (size_t i = 0; i < rounds && status == PPROFC_OK; i++) {
    int64_t begin = system_milliseconds();
    struct capture_round r = {.capture = capture, .round = i, .warmup = (int64_t)i < o->warmup};
    message_note("[%zu/%zu] %s", i + 1, rounds, r.warmup ? "warm-up" : "profiles");
    for (int turn = 0; turn < SIDES && status == PPROFC_OK; turn++) {
      r.side = i % 2 ? SIDES - 1 - turn : turn;
      if (*o->servers[r.side]) status = servers_side(&r, programs, error);
    }
    if (i + 1 < rounds && status == PPROFC_OK) servers_sleep_until(begin + o->interval * 1000);
  }
  return status;
}

/* Waits until the server answers a request. */
static pprofc_status servers_await(struct capture *capture, int side, size_t programs,
                                   pprofc_error *error) {
  const struct capture_options *o = capture->options;
  int64_t end = system_milliseconds() + o->wait * 1000;
  struct url url;
  pprofc_status status = servers_url(capture, side, "cmdline", false, &url, error);
  while (status == PPROFC_OK) {
    struct exchange exchange = {.url = &url, .limit_ms = LIMIT_MS, .arena = &capture->remote.arena};
    client_run(capture->remote.client, &exchange, 1);
    bool answered = exchange.reply.code != 0;
    if (!answered && system_milliseconds() >= end) {
      remote_explain(&capture->remote, &exchange, o->servers[side], error);
      status = exchange.status;
    }
    reply_free(&exchange.reply);
    if (answered) return PPROFC_OK;
    if (status == PPROFC_OK) status = processes_check(programs, error);
    nanosleep(&(struct timespec){0, TRY_MS * 1000000L}, NULL);
  }
  return status;
}

static pprofc_status servers_start(struct capture *capture, size_t *programs, pprofc_error *error) {
  const struct capture_options *o = capture->options;
  pprofc_status status = PPROFC_OK;
  for (int side = 0; side < SIDES && status == PPROFC_OK; side++) {
    if (!*o->runs[side]) continue;
    status = processes_start(o->runs[side], side_names[side], o->servers[side], error);
    (*programs)++;
  }
  for (int side = 0; side < SIDES && status == PPROFC_OK; side++)
    if (*o->servers[side]) status = servers_await(capture, side, *programs, error);
  if (status == PPROFC_OK && *o->load && !*o->servers[SIDE_BASE])
    status = servers_load(o, SIDE_HEAD, error);
  return status;
}

pprofc_status capture_servers(struct capture *capture, pprofc_error *error) {
  size_t programs = 0;
  pprofc_status status = remote_open(&capture->remote, NULL, false, error);
  if (status == PPROFC_OK) status = servers_start(capture, &programs, error);
  if (status == PPROFC_OK) status = servers_rounds(capture, programs, error);
  processes_stop(0);
  return status;
}
