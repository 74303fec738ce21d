/* Checks the files of -tls_cert, -tls_key and -tls_ca. */
#include "http/client.h"

#include "core/infile.h"

#define TLS_FILE_MAX ((size_t)16 << 20)

/* Checks that a file is readable. If `what` is not NULL, the file must have a PEM block of this
 * type. */
static pprofc_status tls_check_file(const char *path, const char *what, pprofc_error *error) {
  struct buffer text;
  buffer_init(&text, &mem_default, TLS_FILE_MAX);
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
