/* SPDX-License-Identifier: MIT */
// All memory of the process is marked, including that of the client's own thread, which is not recorded.
#include <stddef.h>
#include <stdlib.h>

#include "tracy/Tracy.hpp"

extern "C" void *__libc_malloc(size_t);
extern "C" void __libc_free(void *);

extern "C" void *malloc(size_t bytes) {
    void *block = __libc_malloc(bytes);
    TracyAllocN(block, bytes, "hooked");
    return block;
}

extern "C" void free(void *block) {
    TracyFreeN(block, "hooked");
    __libc_free(block);
}

int main() {
    for (int i = 0; i < 1000; i++) {
        void *volatile block = malloc(100);
        free(block);
    }
    ZoneScopedN("the end");
    return 0;
}
