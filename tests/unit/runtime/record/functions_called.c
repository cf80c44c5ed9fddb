/* SPDX-License-Identifier: MIT */
#include "functions_called.h"

jmp_buf called_landing;
static volatile uint32_t after;

__attribute__((noinline)) void called_leaf(void) { after++; }

__attribute__((noinline)) void called_work(void) {
    called_leaf();
    after++;
}

__attribute__((noinline)) void called_handler(void) {
    called_leaf();
    after++;
}

__attribute__((noinline)) void called_deep(uint32_t more, void (*innermost)(void)) {
    if (more != 0u) {
        called_deep(more - 1u, innermost);
    } else {
        innermost();
    }
    after++;
}

__attribute__((noinline)) void called_grows(uint32_t bytes, void (*inside)(void)) {
    volatile uint8_t *const more = __builtin_alloca(bytes);
    more[0] = 1u;
    inside();
    more[bytes - 1u] = 1u;
}

static __attribute__((noinline)) void jump(void) { longjmp(called_landing, 1); }

__attribute__((noinline)) uint32_t called_lands(uint32_t times, uint32_t depth) {
    volatile uint32_t landed = 0u;
    if (setjmp(called_landing) != 0) {
        landed++;
    }
    if (landed < times) {
        called_deep(depth, jump);
    }
    return landed;
}
