/* SPDX-License-Identifier: MIT */
/* Calls of the Zephyr module in addition to kymo/kymo.h. */
#ifndef KYMO_ZEPHYR_H
#define KYMO_ZEPHYR_H

#include <stdbool.h>
#include <zephyr/kernel.h>

#include "kymo/language.h"

KYMO_C_BEGIN

#ifdef CONFIG_KYMO_WAY_UART

/* Ends the trace: sends the events in the rings, then the final status. Call it from a thread, which waits until the
 * UART has taken all of it, at most "timeout"; false: it has not. For firmware that ends, as a test in an emulator. */
bool kymo_zephyr_finish(k_timeout_t timeout);

#else

static inline bool kymo_zephyr_finish(k_timeout_t timeout) {
    (void)timeout;
    return true;
}

#endif

KYMO_C_END

#endif
