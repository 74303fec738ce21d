/* Maps files of profiles to files of the checkout. Profiles name files by module or by the
 * folder of the build. */
#include "run/place.h"

#include "run/files.h"

pprofc_str place_in_checkout(const char *file) {
  while (file && *file) {
    /* An absolute path is not in the checkout. */
    if (*file != '/' && files_is_regular(file)) return str_of(file);
    const char *slash = strchr(file, '/');
    file = slash ? slash + 1 : NULL;
  }
  return STR("");
}
