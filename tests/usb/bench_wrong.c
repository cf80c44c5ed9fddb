/* SPDX-License-Identifier: MIT */
/* In a unit test, an error on the bus fails the test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model.h"

_Noreturn void bus_wrong(const char *what) {
    fail_msg("%s", what);
    abort();
}
