/* The text of -version: what this program was built with, and which programs it would call. */
#include "version.h"

#include "core/child.h"

#include <protobuf-c/protobuf-c.h>
#include <stdio.h>
#include <zlib.h>
#ifdef HAVE_LIBDEFLATE
#include <libdeflate.h>
#endif
#ifdef HAVE_PCRE2
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#endif
#ifdef HAVE_XXHASH
#include <xxhash.h>
#endif

static void print_part(struct output *out, const char *name, const char *version) {
  output_printf(out, "  %-16s %s\n", name, version ? version : "missing");
}

void version_print(struct output *out) {
  const char *libdeflate = NULL, *xxhash = NULL, *iberty = NULL;
  char pcre2[64] = "missing", xxhash_text[32];
#ifdef HAVE_LIBDEFLATE
  libdeflate = LIBDEFLATE_VERSION_STRING;
#endif
#ifdef HAVE_PCRE2
  pcre2_config(PCRE2_CONFIG_VERSION, pcre2);
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
  print_part(out, "pcre2", pcre2);
  print_part(out, "xxhash", xxhash);
  print_part(out, "libiberty", iberty);
  output_add_text(out, "\nprograms:\n");
  static const char *const programs[] = {"dot", "addr2line", "llvm-symbolizer", "nm", "objdump"};
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
    print_part(out, programs[i], child_exists(programs[i]) ? "present" : NULL);
}
