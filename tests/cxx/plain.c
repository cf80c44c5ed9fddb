/* SPDX-License-Identifier: MIT */
/* C in the same program. */
#include "program.h"

static void same_name(void) { KYMO_ZONE("static in C"); }

static inline void inlined(void) { KYMO_ZONE("inline in C"); }

void plain_c(void) {
    KYMO_FUNCTION();
    same_name();
    inlined();
    KYMO_MESSAGE("%s from %s", KYMO_STRING("constant"), "C");
}
