/* Includes the headers that most files of the library need. */
#ifndef CORE_BASE_H
#define CORE_BASE_H

#include "core/budget.h"
#include "core/chars.h"
#include "core/escape.h"
#include "core/go_text.h"
#include "core/log_guard.h"
#include "core/map.h"
#include "core/output.h"
#include "core/threshold.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#endif
