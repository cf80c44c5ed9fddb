/* SPDX-License-Identifier: MIT */
#include "heap.h"

#include <malloc.h>

size_t heap_bytes(void) { return mallinfo2().uordblks; }
