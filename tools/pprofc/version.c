/* Prints the libraries of this build, and the programs that pprofc can run. */
#include "actions.h"
#include "core/child.h"

#include <protobuf-c/protobuf-c.h>
#include <zlib.h>

#ifdef HAVE_LIBDEFLATE
#include <libdeflate.h>
#endif
#ifdef HAVE_ISAL
#include <isa-l.h>
#endif
#ifdef HAVE_PCRE2
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#endif
#ifdef HAVE_XXHASH
#include <xxhash.h>
#endif
#ifdef HAVE_LIBMICROHTTPD
#include <microhttpd.h>
#endif
#ifdef HAVE_LIBEDIT
#include <histedit.h>
#endif
#ifdef HAVE_LIBCURL
#include <curl/curl.h>
#endif

static void print_part(struct output *out, const char *name, const char *version) {
  output_printf(out, "  %-16s %s\n", name, version ? version : "missing");
}

/* Prints the libraries for -http, the shell and URLs. The versions come from the headers, because
 * these libraries are not loaded yet. */
static void print_tool_libraries(struct output *out) {
  char microhttpd[32] = "missing", edit[32] = "missing";
  const char *curl = NULL;
#ifdef HAVE_LIBMICROHTTPD
  snprintf(microhttpd, sizeof microhttpd, "%x.%x.%x", MHD_VERSION >> 24, MHD_VERSION >> 16 & 0xFF,
           MHD_VERSION >> 8 & 0xFF);
#endif
#ifdef HAVE_LIBEDIT
  snprintf(edit, sizeof edit, "%d.%d", LIBEDIT_MAJOR, LIBEDIT_MINOR);
#endif
#ifdef HAVE_LIBCURL
  curl = LIBCURL_VERSION;
#endif
  print_part(out, "libmicrohttpd", microhttpd);
  print_part(out, "libedit", edit);
  print_part(out, "libcurl", curl);
}

void version_print(struct output *out) {
  const char *libdeflate = NULL, *xxhash = NULL, *iberty = NULL;
  char pcre2[64] = "missing", isal[32] = "missing", xxhash_text[32];
#ifdef HAVE_LIBDEFLATE
  libdeflate = LIBDEFLATE_VERSION_STRING;
#endif
#ifdef HAVE_PCRE2
  pcre2_config(PCRE2_CONFIG_VERSION, pcre2);
#endif
#ifdef HAVE_ISAL
  snprintf(isal, sizeof isal, "%d.%d.%d", ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION,
           ISAL_PATCH_VERSION);
#endif
#ifdef HAVE_XXHASH
  snprintf(xxhash_text, sizeof xxhash_text, "%d.%d.%d", XXH_VERSION_MAJOR, XXH_VERSION_MINOR,
           XXH_VERSION_RELEASE);
  xxhash = xxhash_text;
#else
  (void)xxhash_text;
#endif
#ifdef HAVE_LIBIBERTY
  iberty = "present";
#endif
  output_printf(out, "pprofc %s\n\nlibraries:\n", pprofc_version());
  print_part(out, "zlib", zlibVersion());
  print_part(out, "protobuf-c", protobuf_c_version());
  print_part(out, "libdeflate", libdeflate);
  print_part(out, "isa-l", isal);
  print_part(out, "pcre2", pcre2);
  print_part(out, "xxhash", xxhash);
  print_part(out, "libiberty", iberty);
  print_tool_libraries(out);
  output_add_text(out, "\nprograms:\n");
  static const char *const programs[] = {"dot", "addr2line", "llvm-symbolizer", "nm", "objdump"};
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
    print_part(out, programs[i], child_exists(programs[i]) ? "present" : NULL);
}
