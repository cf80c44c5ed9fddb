/* SPDX-License-Identifier: MIT */
#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

#define FEWEST 8u

bool grow_list(void *list, uint32_t *capacity, uint64_t index, size_t size, bool zeroed) {
    char *old;
    const uint64_t most = SIZE_MAX / size < UINT32_MAX ? SIZE_MAX / size : UINT32_MAX;
    if (index >= most / 2 - FEWEST) {
        return false;
    }
    memcpy(&old, list, sizeof old); /* the pointer's type is the caller's */
    const uint32_t more = (uint32_t)index * 2 + FEWEST;
    char *grown = realloc(old, more * size);
    if (grown != NULL) {
        if (zeroed) {
            memset(grown + *capacity * size, 0, (more - *capacity) * size);
        }
        memcpy(list, &grown, sizeof grown);
        *capacity = more;
    }
    return grown != NULL;
}
