/* SPDX-License-Identifier: MIT */
/* One failing allocation, as where memory is short. Programs that use it are linked with --wrap
 * of malloc(), calloc() and realloc(). */
#ifndef FUZZ_SHORT_MEMORY_H
#define FUZZ_SHORT_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* While memory is short "after" allocations succeed, then one fails. 0: none fails. */
void short_memory_begin(uint32_t after);
/* True: memory is short from here on. What a test allocates for itself never fails. */
void short_memory(bool is_short);
/* One has failed since the begin. */
bool short_memory_failed(void);

#endif
