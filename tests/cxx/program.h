/* SPDX-License-Identifier: MIT */
/* What the sources of the program of C++ call of each other. */
#ifndef CXX_PROGRAM_H
#define CXX_PROGRAM_H

#include "kymo/kymo.h"

KYMO_C_BEGIN
/* All that is recorded but what constructors of static objects do. */
void workload(void);
/* In C. */
void plain_c(void);
KYMO_C_END

#ifdef __cplusplus
void second();
void arguments();
#endif

#endif
