/* SPDX-License-Identifier: MIT */
/* Takes the first tracing_user.h of the include path, as Zephyr's does. */
#ifndef TESTS_ZEPHYR_TRACING_H
#define TESTS_ZEPHYR_TRACING_H

#include "tracing_user.h"

#endif
