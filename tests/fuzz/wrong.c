/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

_Noreturn void fuzz_wrong(const char *what) {
    (void)fprintf(stderr, "fuzz: %s\n", what);
    abort();
}
