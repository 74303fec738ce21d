/* Fills a pprofc_error with the status and the message of a failure. */
#include "core/error.h"

#include <stdio.h>
#include <string.h>

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
