/* SPDX-License-Identifier: MIT */
#include "heap.h"

#include <malloc.h>

size_t heap_bytes(void) {
    _HEAPINFO block = {0};
    size_t bytes = 0;
    while (_heapwalk(&block) == _HEAPOK) {
        bytes += block._useflag == _USEDENTRY ? block._size : 0;
    }
    return bytes;
}
