/* Loads libedit and fills in the table of its functions. */
#include "libedit.h"

#ifdef HAVE_LIBEDIT
#include "common/library.h"

pprofc_status libedit_load(struct libedit *edit, pprofc_error *error) {
  const struct library_function functions[] = {
      {"el_init", &edit->init},
      {"el_end", &edit->end},
      {"el_reset", &edit->reset},
      {"el_gets", &edit->gets},
      {"el_set", &edit->set},
      {"el_wset", &edit->wset},
      {"el_get", &edit->get},
      {"el_source", &edit->source},
      {"el_resize", &edit->resize},
      {"el_line", &edit->line},
      {"el_insertstr", &edit->insertstr},
      {"el_deletestr", &edit->deletestr},
      {"history_init", &edit->history_init},
      {"history_end", &edit->history_end},
      {"history", &edit->history},
  };
  size_t count = sizeof functions / sizeof *functions;
  return library_load("libedit.so.2", "libedit2", functions, count, error);
}
#endif
