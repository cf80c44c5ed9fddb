/* SPDX-License-Identifier: MIT */
/* Functions of the C++ program's sources that call each other. */
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
