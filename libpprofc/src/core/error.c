/* Fills a pprofc_error with the status and the message of a failure. */
#include "core/base.h"

static void error_fill(pprofc_error *error, pprofc_status status, uint64_t offset,
                       const char *format, va_list args) {
  if (!error) return;
  error->status = status;
  error->offset = offset;
  vsnprintf(error->message, sizeof error->message, format, args);
}

pprofc_status error_set(pprofc_error *error, pprofc_status status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  error_fill(error, status, PPROFC_NO_OFFSET, format, args);
  va_end(args);
  return status;
}

pprofc_status error_at(pprofc_error *error, pprofc_status status, uint64_t offset,
                       const char *format, ...) {
  va_list args;
  va_start(args, format);
  error_fill(error, status, offset, format, args);
  va_end(args);
  return status;
}

pprofc_status error_nomem(pprofc_error *error) {
  return error_set(error, PPROFC_E_NOMEM, "out of memory");
}

pprofc_status error_file(pprofc_error *error, const char *what, const char *path, int number) {
  return error_set(error, PPROFC_E_IO, "cannot %s '%s': %s", what, path, ERRNO_TEXT(number));
}

void error_prefix(pprofc_error *error, const char *format, ...) {
  if (!error) return;
  char old[sizeof error->message];
  memcpy(old, error->message, sizeof old);
  va_list args;
  va_start(args, format);
  int length = vsnprintf(error->message, sizeof error->message, format, args);
  va_end(args);
  if (length < 0 || (size_t)length >= sizeof error->message) return;
  snprintf(error->message + length, sizeof error->message - (size_t)length, "%s", old);
}

void error_hint(pprofc_error *error, const char *format, ...) {
  size_t size = strlen(error->message), room = sizeof error->message - size;
  va_list args;
  char text[sizeof error->message];
  va_start(args, format);
  int length = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (length < 0 || (size_t)length + 4 > room) return;
  snprintf(error->message + size, room, " (%s)", text);
}

const char *error_errno_text(int number, char *out, size_t size) {
  snprintf(out, size, "%s", strerror(number));
  if (size && *out >= 'A' && *out <= 'Z') *out = (char)(*out + 'a' - 'A');
  return out;
}

/* ---- version, limits and options -------------------- */

const char *pprofc_version(void) {
  return PPROFC_VERSION;
}

const char *pprofc_status_name(pprofc_status status) {
  static const char *const names[] = {
      [PPROFC_OK] = "PPROFC_OK",
      [PPROFC_E_NOMEM] = "PPROFC_E_NOMEM",
      [PPROFC_E_IO] = "PPROFC_E_IO",
      [PPROFC_E_FORMAT] = "PPROFC_E_FORMAT",
      [PPROFC_E_LIMIT] = "PPROFC_E_LIMIT",
      [PPROFC_E_INVALID] = "PPROFC_E_INVALID",
      [PPROFC_E_UNSUPPORTED] = "PPROFC_E_UNSUPPORTED",
      [PPROFC_E_NO_MATCH] = "PPROFC_E_NO_MATCH",
      [PPROFC_E_CANCELLED] = "PPROFC_E_CANCELLED",
  };
  return (size_t)status < COUNT(names) ? names[status] : "unknown status";
}

void pprofc_limits_init(pprofc_limits *limits) {
  *limits = (pprofc_limits){
      .struct_size = sizeof *limits,
      .input_bytes = (uint64_t)2 << 30,
      .inflated_bytes = (uint64_t)8 << 30,
      .inflate_ratio = 400,
      .memory_bytes = (uint64_t)16 << 30,
      .stack_depth = 65536,
      .labels = 4096,
      .string_bytes = 64u << 20,
  };
}

pprofc_status options_copy(void *options, size_t size, const void *given, const char *name,
                           pprofc_error *error) {
  if (!given) return PPROFC_OK;
  size_t known;
  memcpy(&known, given, sizeof known);
  if (known < sizeof known)
    return error_set(error, PPROFC_E_INVALID, "%s is not initialised: call %s_init first", name,
                     name);
  if (known > size) known = size;
  memcpy(options, given, known);
  memcpy(options, &size, sizeof size);
  return PPROFC_OK;
}
