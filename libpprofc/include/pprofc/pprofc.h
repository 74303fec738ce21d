/* Includes all headers of libpprofc. */
#ifndef PPROFC_H
#define PPROFC_H

#include "pprofc/base.h"
#include "pprofc/bench.h"
#include "pprofc/builder.h"
#include "pprofc/gate.h"
#include "pprofc/graph.h"
#include "pprofc/profile.h"
#include "pprofc/report.h"
#include "pprofc/samples.h"
#include "pprofc/sources.h"
#include "pprofc/stats.h"
#include "pprofc/symbolize.h"
#include "pprofc/transform.h"
#include "pprofc/verdict.h"

#endif
