/* Loads the functions of libedit when the shell reads its first line. Linking libedit and its
 * dependencies would make a small report take a tenth longer. */
#ifndef PPROFC_TOOLS_SHELL_LIBEDIT_H
#define PPROFC_TOOLS_SHELL_LIBEDIT_H

#include "core/error.h"

#ifdef HAVE_LIBEDIT
#include <histedit.h>

struct libedit {
  EditLine *(*init)(const char *program, FILE *in, FILE *out, FILE *err);
  void (*end)(EditLine *line);
  void (*reset)(EditLine *line);
  const char *(*gets)(EditLine *line, int *size);
  int (*set)(EditLine *line, int operation, ...);
  int (*wset)(EditLine *line, int operation, ...);
  int (*get)(EditLine *line, int operation, ...);
  int (*source)(EditLine *line, const char *path);
  void (*resize)(EditLine *line);
  const LineInfo *(*line)(EditLine *line);
  int (*insertstr)(EditLine *line, const char *text);
  void (*deletestr)(EditLine *line, int count);
  History *(*history_init)(void);
  void (*history_end)(History *history);
  int (*history)(History *history, HistEvent *event, int operation, ...);
};

/* Loads libedit, and sets the function pointers. The message of the error PPROFC_E_UNSUPPORTED
 * names the package to install. */
pprofc_status libedit_load(struct libedit *edit, pprofc_error *error);
#endif

#endif
