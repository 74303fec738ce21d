/* Includes the headers that most files of the programs need: the C library, the library's texts,
 * buffers, errors and files, and messages and complete files of the programs. */
#ifndef TOOLS_COMMON_BASE_H
#define TOOLS_COMMON_BASE_H

#include "core/array.h"
#include "core/buffer.h"
#include "core/chars.h"
#include "core/error.h"
#include "core/escape.h"
#include "core/infile.h"
#include "core/log_guard.h"
#include "core/outfile.h"
#include "core/output.h"
#include "core/system.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/save.h"
#include "common/terminal.h"
#include "common/text.h"

#endif
