/* SPDX-License-Identifier: MIT */
/* In the form of Tracy 0.13 and before, as bindings call them that were made for these. */
#include "bindings.h"

extern void ___tracy_emit_memory_alloc(const void *, size_t, int32_t);
extern void ___tracy_emit_memory_alloc_callstack(const void *, size_t, int32_t, int32_t);
extern void ___tracy_emit_memory_alloc_named(const void *, size_t, int32_t, const char *);
extern void ___tracy_emit_memory_alloc_callstack_named(const void *, size_t, int32_t, int32_t,
                                                       const char *);
extern void ___tracy_emit_memory_free(const void *, int32_t);
extern void ___tracy_emit_memory_free_callstack(const void *, int32_t, int32_t);
extern void ___tracy_emit_memory_free_named(const void *, int32_t, const char *);
extern void ___tracy_emit_memory_free_callstack_named(const void *, int32_t, int32_t, const char *);
extern void ___tracy_emit_memory_discard(const char *, int32_t);
extern void ___tracy_emit_memory_discard_callstack(const char *, int32_t, int32_t);
extern void ___tracy_emit_message(const char *, size_t, int32_t);
extern void ___tracy_emit_messageL(const char *, int32_t);
extern void ___tracy_emit_messageC(const char *, size_t, uint32_t, int32_t);
extern void ___tracy_emit_messageLC(const char *, uint32_t, int32_t);
extern int32_t ___tracy_begin_sampling_profiler(void);
extern void ___tracy_end_sampling_profiler(void);

static const char blocks[6];

void call_0_13(void) {
    ___tracy_emit_memory_alloc(&blocks[0], 1, 0);
    ___tracy_emit_memory_alloc_callstack(&blocks[1], 1, 4, 1);
    ___tracy_emit_memory_alloc_named(&blocks[2], 1, 0, "old pool");
    ___tracy_emit_memory_alloc_callstack_named(&blocks[3], 1, 4, 1, "old pool");
    ___tracy_emit_memory_free(&blocks[0], 1);
    ___tracy_emit_memory_free_callstack(&blocks[1], 4, 0);
    ___tracy_emit_memory_free_named(&blocks[2], 1, "old pool");
    ___tracy_emit_memory_free_callstack_named(&blocks[3], 4, 0, "old pool");
    ___tracy_emit_memory_alloc_named(&blocks[4], 1, 1, "old pool");
    ___tracy_emit_memory_discard("old pool", 0);
    ___tracy_emit_memory_alloc_named(&blocks[5], 1, 1, "old pool");
    ___tracy_emit_memory_discard_callstack("old pool", 1, 4);
    ___tracy_emit_message("old message, cut", 11, 0);
    ___tracy_emit_messageL("old message L", 4);
    ___tracy_emit_messageC("old message C, cut", 13, 0x112233, 4);
    ___tracy_emit_messageLC("old message LC", 0x112233, 0);
    (void)___tracy_begin_sampling_profiler();
    ___tracy_end_sampling_profiler();
}
