/* Loads libcurl, and converts its error codes to messages. */
#include "http/libcurl.h"

#ifdef HAVE_LIBCURL

pprofc_status libcurl_load(struct libcurl *library, pprofc_error *error) {
  const struct library_function functions[] = {CURL_FUNCTIONS(LIBRARY_ENTRY)};
  size_t count = sizeof functions / sizeof *functions;
  pprofc_status status =
      library_load(library_names(LIBRARY_CURL, SYSTEM_HERE), functions, count, error);
  if (status != PPROFC_OK) return status;
  if (library->global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK) return PPROFC_OK;
  return error_set(error, PPROFC_E_UNSUPPORTED, "libcurl cannot be initialized");
}

/* Messages for error codes of libcurl. A message is `text`, libcurl's own message and `more`. If
 * `more` is NULL, the message is `text` alone. */
static const struct {
  CURLcode code;
  const char *text, *more;
} failure_reasons[] = {
    {CURLE_COULDNT_RESOLVE_HOST, "the host cannot be resolved: ", ""},
    {CURLE_COULDNT_RESOLVE_PROXY, "the proxy's host cannot be resolved: ", ""},
    {CURLE_URL_MALFORMAT, "the address is malformed: ", ""},
    {CURLE_GOT_NOTHING, "the server closed the connection without a reply", NULL},
    {CURLE_PARTIAL_FILE, "the reply ended early", NULL},
    {CURLE_WEIRD_SERVER_REPLY, "not an HTTP reply: ", ""},
    {CURLE_UNSUPPORTED_PROTOCOL, "not an HTTP/1 reply: ", ""},
    {CURLE_FILESIZE_EXCEEDED, "the reply is too large: ", ""},
    {CURLE_PEER_FAILED_VERIFICATION, "the server's certificate is not trusted: ", ""},
    {CURLE_SSL_CONNECT_ERROR, "no TLS connection: ", ""},
    {CURLE_SSL_CACERT_BADFILE, "the authority of the server's certificate is not known: ", ""},
    {CURLE_SSL_CERTPROBLEM, "the certificate of -tls_cert cannot be used: ", ""},
};

/* Returns a hint if OpenSSL or GnuTLS does not trust the server's certificate, else NULL. */
static const char *failure_trust_hint(const struct failure *f) {
  static const struct {
    const char *words, *hint;
  } hints[] = {{"expired", " (is the clock of this machine right?)"},
               {"not yet valid", " (is the clock of this machine right?)"},
               {"issuer certificate", " (SSL_CERT_FILE names other authorities)"},
               {"self-signed", " (SSL_CERT_FILE names other authorities)"},
               {"self signed", " (SSL_CERT_FILE names other authorities)"}};
  if (f->flags) return " (-tls_ca=FILE names its authority)";
  for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
    if (strstr(f->why, hints[i].words)) return hints[i].hint;
  return "";
}

/* Returns a hint if certificates may be the cause. A server that rejects or requires a client
 * certificate closes the connection, often without a reason. */
static const char *failure_certificate_hint(const struct failure *f) {
  if (f->code == CURLE_PEER_FAILED_VERIFICATION) return failure_trust_hint(f);
  bool ended =
      f->code == CURLE_RECV_ERROR || f->code == CURLE_SEND_ERROR || f->code == CURLE_GOT_NOTHING;
  if (!ended || !f->flags || f->came || !str_starts(f->url->scheme, STR("https"))) return "";
  return f->certificate ? " (the server may refuse the certificate of -tls_cert)"
                        : " (the server may need a certificate: -tls_cert and -tls_key)";
}

static pprofc_status failure_timeout(const struct failure *f, pprofc_error *error) {
  const char *hint = f->flags ? " (-timeout=N waits longer)" : "";
  return error_set(error, PPROFC_E_IO, "%s within %g s: timeout%s",
                   f->came ? "the reply did not end" : "no reply", (double)f->limit_ms / 1000,
                   hint);
}

pprofc_status failure_explain(const struct failure *f, pprofc_error *error) {
  const char *hint = failure_certificate_hint(f);
  if (f->code == CURLE_COULDNT_CONNECT) {
    const char *why = f->number ? ERRNO_TEXT(f->number) : f->why;
    return error_set(error, PPROFC_E_IO, "cannot connect to %s%.*s: %s",
                     f->proxied ? "the proxy " : "", STR_ARG(f->to->host), why);
  }
  if (f->code == CURLE_OPERATION_TIMEDOUT) return failure_timeout(f, error);
  for (size_t i = 0; i < sizeof failure_reasons / sizeof *failure_reasons; i++) {
    if (failure_reasons[i].code != f->code) continue;
    const char *more = failure_reasons[i].more;
    if (!more) return error_set(error, PPROFC_E_IO, "%s%s", failure_reasons[i].text, hint);
    return error_set(error, PPROFC_E_IO, "%s%s%s%s", failure_reasons[i].text, f->why, more, hint);
  }
  return error_set(error, PPROFC_E_IO, "the connection failed: %s%s", f->why, hint);
}

#endif
