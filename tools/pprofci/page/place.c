/* Where in the checkout a function is: profiles name files by module or by the folder of a build.
 */
#include "page/place.h"

#include "run/files.h"

pprofc_str place_in_checkout(const char *file) {
  while (file && *file) {
    /* A path from the root is no path of the checkout. */
    if (*file != '/' && files_is_regular(file)) return str_of(file);
    const char *slash = strchr(file, '/');
    file = slash ? slash + 1 : NULL;
  }
  return STR("");
}
