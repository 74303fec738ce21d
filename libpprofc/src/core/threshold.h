/* Sizes above which the program uses a faster algorithm. A fuzz build divides these sizes, so that
 * small inputs test all algorithms. */
#ifndef PPROFC_CORE_THRESHOLD_H
#define PPROFC_CORE_THRESHOLD_H

#ifdef PPROFC_FUZZING
#define THRESHOLD(size) ((size) / 2048)
#else
#define THRESHOLD(size) (size)
#endif

#endif
