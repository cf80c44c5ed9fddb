/* SPDX-License-Identifier: MIT */
#include "short_memory.h"

#include <stddef.h>

static uint32_t left;
static bool is_on, has_failed;

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);

void short_memory_begin(uint32_t after) {
    left = after;
    is_on = has_failed = false;
}

void short_memory(bool is_short) { is_on = is_short; }

bool short_memory_failed(void) { return has_failed; }

static bool fails(void) {
    const bool now = is_on && left != 0 && --left == 0;
    has_failed = has_failed || now;
    return now;
}

void *__wrap_malloc(size_t size) { return fails() ? NULL : __real_malloc(size); }

void *__wrap_calloc(size_t count, size_t size) {
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size) {
    return fails() ? NULL : __real_realloc(memory, size);
}
