/* SPDX-License-Identifier: MIT */
/* Call stacks that are recorded with their events; record/callstack.c. Private to the runtime. */
#ifndef KYMO_CALLSTACK_H
#define KYMO_CALLSTACK_H

#include "check.h"
#include "ring.h"

/* Frames of the events of a class, where the macro says none. */
#define KYMO_DEPTH_OF_ALLOC (KYMO_TRACING_MODE >= 3 ? KYMO_CALLSTACKS : 0)
#define KYMO_DEPTH_OF_ALL (KYMO_TRACING_MODE >= 4 ? KYMO_CALLSTACKS : 0)

/* A call stack in the form of the ring: see stacks.h. */
struct kymo_callstack {
    uint32_t count; /* of words; 0: no frame was found, or none is wanted */
    uint32_t word[KYMO_STACK_WORDS + (KYMO_CALLSTACKS == 0 ? 1u : 0u)];
};

/* The function has a frame however the runtime is compiled, or a walk by frame pointers would leave out its caller. */
#if KYMO_ARCH_UNWIND == KYMO_UNWIND_FRAMES
#define KYMO_OWN_FRAME() __asm__ volatile("" ::"r"(__builtin_frame_address(0)))
#else
#define KYMO_OWN_FRAME() (void)0
#endif

/* Low words, then the high ones, if any of them is not 0. Returns the number of words. */
static inline uint32_t kymo_callstack_put(uint32_t *word, const uintptr_t *address,
                                          uint32_t frames) {
    uint32_t high = 0u;
    for (uint32_t i = 0u; i < frames; i++) {
        word[1u + i] = (uint32_t)address[i];
        if (UINTPTR_MAX > UINT32_MAX) {
            word[1u + frames + i] = (uint32_t)((uint64_t)address[i] >> 32);
            high |= word[1u + frames + i];
        }
    }
    word[0] = frames;
    return frames == 0u ? 0u : 1u + (high != 0u ? 2u : 1u) * frames;
}

/* With each member: some compilers call memset() for one that is left out. */
static inline struct kymo_long kymo_callstack_prefix(const struct kymo_callstack *stack) {
    return (struct kymo_long){
        .kind = KYMO_KIND_CALLSTACK, .reference = 0u, .count = stack->count, .words = stack->word};
}

/* Records the stack, then the event. False: refused. */
bool kymo_callstack_record(const struct kymo_callstack *stack, const struct kymo_long *event);

/* Takes the stack of the caller's caller, which both need a frame: KYMO_OWN_FRAME(). */
void kymo_callstack_take(struct kymo_callstack *stack, uint32_t depth);
/* Frames that are recorded at most, where a port walks stacks: KYMO_CALLSTACKS, or fewer if the host says so. */
uint32_t kymo_callstack_depth(void);

/* For each function that calls kymo_callstack_of(): its frame is left out of the stack, so link-time optimisation must
 * not put it into its caller. */
#if KYMO_TAKES_STACKS
#define KYMO_STACK_ENTRY __attribute__((noinline))
#else
#define KYMO_STACK_ENTRY
#endif

/* For a function that the firmware calls: the stack of its caller, in "stack", or NULL where no frame is wanted. */
KYMO_INLINE_ const struct kymo_callstack *kymo_callstack_of(struct kymo_callstack *stack,
                                                            uint32_t depth) {
    if (!KYMO_TAKES_STACKS || depth == 0u) {
        return NULL;
    }
    KYMO_OWN_FRAME();
    kymo_callstack_take(stack, depth);
    return stack;
}

/* A zone with the stack; alone if that has no frame. */
KYMO_INLINE_ kymo_zone kymo_callstack_begin(const struct kymo_site *site, uint32_t depth) {
    struct kymo_callstack stack;
    if (site == NULL) {
        kymo_check_report(KYMO_USAGE_NO_SITE, NULL);
        return NULL;
    }
    if (kymo_callstack_of(&stack, depth) == NULL || stack.count == 0u) {
        return KYMO_ZONES_HAVE_STACKS ? kymo_check_begun(kymo_ring_begin(site), site)
                                      : kymo_zone_begin(site);
    }
    const struct kymo_long prefix = kymo_callstack_prefix(&stack);
    return kymo_check_begun(kymo_ring_begin_with(&prefix, site), site);
}

/* The event, with the stack if it has one. */
KYMO_INLINE_ void kymo_record_with(const struct kymo_callstack *stack, enum kymo_event_kind kind,
                                   uint32_t reference, const uint32_t *words, uint32_t count) {
    if (KYMO_TAKES_STACKS && stack != NULL) {
        const struct kymo_long event = {
            .kind = kind, .reference = reference, .count = count, .words = words};
        (void)kymo_callstack_record(stack, &event);
        return;
    }
    (void)kymo_ring_long(kind, reference, words, count);
}

/* kymo_message_text() for other functions that the firmware calls, with their own caller's stack. */
void kymo_message_text_with(const struct kymo_callstack *stack, const struct kymo_site *site,
                            const struct kymo_text *text, uint32_t color);

#endif
