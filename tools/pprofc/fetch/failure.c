/* Converts libcurl's codes to messages. */
#include "fetch/failure.h"

#ifdef HAVE_LIBCURL

/* Messages of libcurl's codes: `text`, the message of libcurl, `more`. If `more` is NULL,
 * libcurl's message is omitted. */
static const struct {
  CURLcode code;
  const char *text, *more;
} failure_reasons[] = {
    {CURLE_COULDNT_RESOLVE_HOST, "the host cannot be resolved: ", ""},
    {CURLE_COULDNT_RESOLVE_PROXY, "the proxy's host cannot be resolved: ", ""},
    {CURLE_URL_MALFORMAT, "the address is malformed: ", ""},
    {CURLE_GOT_NOTHING, "the server closed the connection without a reply", NULL},
    {CURLE_PARTIAL_FILE, "the reply ended early: ", ""},
    {CURLE_WEIRD_SERVER_REPLY, "not an HTTP reply: ", ""},
    {CURLE_UNSUPPORTED_PROTOCOL, "not an HTTP/1 reply: ", ""},
    {CURLE_FILESIZE_EXCEEDED, "the reply is too large: ", ""},
    {CURLE_PEER_FAILED_VERIFICATION,
     "the server's certificate is not trusted: ", " (-tls_ca=FILE names its authority)"},
    {CURLE_SSL_CONNECT_ERROR, "no TLS connection: ", ""},
    {CURLE_SSL_CACERT_BADFILE, "the authority of the server's certificate is not known: ", ""},
    {CURLE_SSL_CERTPROBLEM, "the certificate of -tls_cert cannot be used: ", ""},
};

/* Returns a hint about certificates. A server that rejects or misses a certificate closes the
 * connection, and its reason may get lost. */
static const char *failure_certificate_hint(const struct failure *f) {
  bool ended =
      f->code == CURLE_RECV_ERROR || f->code == CURLE_SEND_ERROR || f->code == CURLE_GOT_NOTHING;
  if (!ended || f->came || !str_starts(f->url->scheme, STR("https"))) return "";
  return f->certificate ? " (the server may refuse the certificate of -tls_cert)"
                        : " (the server may need a certificate: -tls_cert and -tls_key)";
}

pprofc_status failure_explain(const struct failure *f, pprofc_error *error) {
  const char *hint = failure_certificate_hint(f);
  if (f->code == CURLE_COULDNT_CONNECT)
    return error_set(error, PPROFC_E_IO, "cannot connect to %.*s: %s", STR_ARG(f->url->host),
                     f->number ? ERRNO_TEXT(f->number) : f->why);
  if (f->code == CURLE_OPERATION_TIMEDOUT)
    return error_set(error, PPROFC_E_IO, "%s within %g s: timeout (-timeout=N waits longer)",
                     f->came ? "the reply did not end" : "no reply", (double)f->limit_ms / 1000);
  for (size_t i = 0; i < sizeof failure_reasons / sizeof *failure_reasons; i++) {
    if (failure_reasons[i].code != f->code) continue;
    const char *more = failure_reasons[i].more;
    if (!more) return error_set(error, PPROFC_E_IO, "%s%s", failure_reasons[i].text, hint);
    return error_set(error, PPROFC_E_IO, "%s%s%s%s", failure_reasons[i].text, f->why, more, hint);
  }
  return error_set(error, PPROFC_E_IO, "the connection failed: %s%s", f->why, hint);
}

#endif
