/* Sends single requests through the client. */
#include "http/client.h"

#define REPLY_MAX ((size_t)64 << 20)

void request_reply_init(struct reply *reply) {
  reply_init(reply, &mem_default, REPLY_MAX);
}

pprofc_status request_open(struct client **client, pprofc_error *error) {
  const struct client_options options = {
      .mem = &mem_default, .tls = {"", "", ""}, .any_proxy = true, .program = "pprofci"};
  *client = client_open(&options);
  if (!*client) return error_nomem(error);
  pprofc_status status = client_status(*client, error);
  if (status == PPROFC_OK) return PPROFC_OK;
  client_close(*client);
  *client = NULL;
  return status;
}

pprofc_status request_send(struct client *client, const char *method, const char *url,
                           const char *const *headers, pprofc_str body, int64_t seconds,
                           struct reply *reply, pprofc_error *error) {
  struct url place;
  const struct request request = {method, headers, reply->body.ceiling};
  struct arena arena = arena_make(&mem_default);
  pprofc_status status = url_parse(&arena, str_of(url), &place);
  if (status == PPROFC_E_FORMAT)
    status = error_set(error, PPROFC_E_INVALID, "the address is malformed");
  else if (status != PPROFC_OK)
    status = error_nomem(error);
  if (status == PPROFC_OK) {
    struct exchange exchange = {.url = &place,
                                .request = &request,
                                .body = body,
                                .limit_ms = seconds * 1000,
                                .arena = &arena};
    client_run(client, &exchange, 1);
    reply_free(reply);
    *reply = exchange.reply;
    status = exchange.status;
    if (status != PPROFC_OK && error) *error = exchange.error;
  }
  arena_free(&arena);
  return status;
}

bool retry_helps(int code) {
  static const int codes[] = {408, 425, 429, 500, 502, 503, 504};
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
    if (code == codes[i]) return true;
  return false;
}

bool retry_wait(struct retry *retry, int64_t wait_ms) {
  int64_t wait = wait_ms < 0 ? retry->first_ms << retry->tries : wait_ms;
  if (++retry->tries >= retry->most || wait > retry->left_ms) return false;
  retry->left_ms -= wait;
  struct timespec left = {(time_t)(wait / 1000), (long)(wait % 1000) * 1000000};
  while (nanosleep(&left, &left) != 0) continue;
  return true;
}

#define TLS_FILE_MAX ((size_t)16 << 20)

/* Checks that a file is readable. If `what` is not NULL, the file must have a PEM block of this
 * type. */
static pprofc_status tls_check_file(const char *path, const char *what, pprofc_error *error) {
  struct buffer text = buffer_make(&mem_default, TLS_FILE_MAX);
  pprofc_status status = file_read(path, &text, error);
  pprofc_str content = buffer_str(&text);
  bool found = !what || (str_find(content, STR("-----BEGIN ")) < content.size &&
                         str_find(content, str_of(what)) < content.size);
  if (status == PPROFC_OK && !found)
    status = error_set(error, PPROFC_E_FORMAT, "'%s' has no PEM block %s", path, what);
  buffer_free(&text);
  return status;
}

pprofc_status tls_check(const struct tls_files *files, pprofc_error *error) {
  if (*files->cert && !*files->key)
    return error_set(error, PPROFC_E_INVALID,
                     "-tls_cert is specified, so -tls_key must also be specified");
  if (*files->key && !*files->cert)
    return error_set(error, PPROFC_E_INVALID,
                     "-tls_key is specified, so -tls_cert must also be specified");
  pprofc_status status = PPROFC_OK;
  if (*files->cert) status = tls_check_file(files->cert, "CERTIFICATE", error);
  if (*files->cert && status == PPROFC_OK)
    status = tls_check_file(files->key, "PRIVATE KEY", error);
  if (status != PPROFC_OK) {
    error_prefix(error, "could not load the certificate and key of -tls_cert and -tls_key: ");
    return status;
  }
  if (*files->ca) status = tls_check_file(files->ca, NULL, error);
  if (status != PPROFC_OK) error_prefix(error, "could not load the authorities of -tls_ca: ");
  return status;
}
