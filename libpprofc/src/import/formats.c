/* The table of foreign and legacy formats, in the order in which they are tried. */
#include "import/import.h"

const struct import_format import_formats[] = {
    {"folded stacks", import_folded}, /* last: text is recognised by its shape alone */
    {NULL, NULL},
};
