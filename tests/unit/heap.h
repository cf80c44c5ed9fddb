/* SPDX-License-Identifier: MIT */
#ifndef TEST_HEAP_H
#define TEST_HEAP_H

#include <stddef.h>

/* Bytes that the program has allocated and not freed. */
size_t heap_bytes(void);

#endif
