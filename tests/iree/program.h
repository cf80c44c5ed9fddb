/* SPDX-License-Identifier: MIT */
/* The programs of IREE's tracing interface. What they do is counted by expected.py. */
#ifndef IREE_TEST_PROGRAM_H
#define IREE_TEST_PROGRAM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Each macro, from C and from C++. 0: well. */
int calls_c(void);
int calls_cxx(void);
/* One job of an executor's worker; "worker" names it, "round" counts. */
void worker_begins(unsigned worker);
void worker_round(unsigned worker, unsigned round);
/* A fiber that begins here and there, in one zone. */
void fiber_begins(void);
void fiber_ends(void);
/* Wrong arguments to the macros. */
void calls_wrong(void);

#ifdef __cplusplus
}
#endif

#endif
