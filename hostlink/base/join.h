/* SPDX-License-Identifier: MIT */
/* Joins texts where printf() is too slow: it takes as long as the rest of an event. */
#ifndef HOSTLINK_JOIN_H
#define HOSTLINK_JOIN_H

#include <stddef.h>

/* "texts" ends with NULL. The result is cut to "size" bytes and always ends with NUL. */
void join(char *out, size_t size, const char *const *texts);

#endif
