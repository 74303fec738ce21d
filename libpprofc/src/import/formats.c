/* The table of foreign and legacy formats, in the order in which they are tried. */
#include "import/import.h"

const struct import_format import_formats[] = {
    {NULL, NULL},
};
