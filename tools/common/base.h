/* Includes the headers that most files of the programs need. */
#ifndef TOOLS_COMMON_BASE_H
#define TOOLS_COMMON_BASE_H

#include "core/base.h"
#include "core/file.h"
#include "core/system.h"

#include <dirent.h>

#include "common/save.h"
#include "common/terminal.h"
#include "common/text.h"

#endif
