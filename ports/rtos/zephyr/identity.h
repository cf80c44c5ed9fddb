/* SPDX-License-Identifier: MIT */
/* Which context a thread is. Private to the module. */
#ifndef KYMO_ZEPHYR_IDENTITY_H
#define KYMO_ZEPHYR_IDENTITY_H

#include <zephyr/kernel.h>

#include "kymo/kymo.h"

/* The same for one thread from its creation to its end, and for no other one: a thread that is made later in the same
 * object is another one. Any context. */
kymo_context kymo_zephyr_identity(const struct k_thread *thread);

/* The thread has ended: the next one in its object is another one. One caller at a time. */
void kymo_zephyr_identity_ends(const struct k_thread *thread);

#endif
