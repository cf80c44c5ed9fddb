/* SPDX-License-Identifier: MIT */
#include "base/join.h"

#include <string.h>

void join(char *out, size_t size, const char *const *texts) {
    size_t used = 0;
    for (; *texts != NULL; texts++) {
        const size_t length = strnlen(*texts, size - 1 - used);
        memcpy(out + used, *texts, length);
        used += length;
    }
    out[used] = '\0';
}
