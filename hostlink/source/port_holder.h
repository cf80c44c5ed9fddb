/* SPDX-License-Identifier: MIT */
/* Which program has a device open. */
#ifndef HOSTLINK_PORT_HOLDER_H
#define HOSTLINK_PORT_HOLDER_H

#include <stdbool.h>
#include <stddef.h>

/* "minicom (process 1234)". False: no program is seen to have it, as one of another user, or not on Linux. */
bool port_holder(const char *path, char *text, size_t size);

#endif
