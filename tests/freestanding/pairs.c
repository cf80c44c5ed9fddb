/* SPDX-License-Identifier: MIT */
/* A program that uses the features of all knobs, with kymo's two files. On a host it sends its trace to stdout;
 * elsewhere it is only linked. */
#include "kymo.h"
#ifdef KYMO_POSIX_ARCH_H
#include <unistd.h>
#endif

KYMO_POOL(pool, "pool");
KYMO_CONTEXT(timer, "timer", KYMO_CONTEXT_INTERRUPT);
KYMO_PARAM(gain, "gain", 1, 0, 10);

#if KYMO_ENABLE && KYMO_SAMPLE_HZ_MAX && defined(KYMO_POSIX_ARCH_H)
/* Linked, and not called: samples would come or not. */
extern bool (*const start_sampling)(void);
bool (*const start_sampling)(void) = kymo_posix_sample_start;
#endif

int main(void);
void called(void);

#if KYMO_ENABLE && defined(KYMO_COMMAND_KEY)
uint64_t kymo_command_nonce(void);
uint64_t kymo_command_nonce(void) { return 1u; }
#endif

__attribute__((noinline)) void called(void) {
#if KYMO_ENABLE && KYMO_FUNCTIONS
    __cyg_profile_func_enter((void *)(uintptr_t)called, __builtin_return_address(0));
#endif
    KYMO_FUNCTION();
    KYMO_MESSAGE("%s %d", KYMO_STRING("constant"), (int)KYMO_PARAM_GET(gain));
#if KYMO_ENABLE && KYMO_FUNCTIONS
    __cyg_profile_func_exit((void *)(uintptr_t)called, __builtin_return_address(0));
#endif
}

static void handler(void) {
    KYMO_INTERRUPT(timer);
#if !KYMO_ENABLE || KYMO_SAMPLE_HZ_MAX
    (void)kymo_sample(KYMO_NULL_);
#endif
    KYMO_FRAME();
}

static void record(void) {
    static uint64_t memory;
    KYMO_ZONE_NAMED(zone, "zone");
    KYMO_ZONE_TEXT(zone, "text", 4u);
    KYMO_ZONE_VALUE(zone, 1u);
    KYMO_ZONE_STACK("stack", 4u);
    called();
    handler();
    KYMO_PLOT("plot", 1);
    KYMO_ALLOC(pool, &memory, sizeof memory);
    KYMO_FREE(pool, &memory);
    KYMO_LOCK(&memory, "lock");
    KYMO_LOCK_WAIT(&memory);
    KYMO_LOCK_OBTAIN(&memory);
    KYMO_LOCK_RELEASE(&memory);
    kymo_context_name((kymo_context)(uintptr_t)&memory, KYMO_CONTEXT_TASK, "task");
    const kymo_context before = KYMO_CONTEXT_SWITCH(&memory);
    KYMO_MESSAGE("in the task");
    (void)KYMO_CONTEXT_SWITCH(before);
    kymo_context_end((kymo_context)(uintptr_t)&memory);
#if !KYMO_ENABLE || KYMO_DYNAMIC_SITES
    KYMO_ZONE_DYNAMIC(made, "made", 4u);
#endif
#if !KYMO_ENABLE || KYMO_CLOCK_CHANGES
    kymo_clock_rate(1000000000u);
    (void)kymo_clock_slept(1u, 32768u);
#endif
}

#if !KYMO_ENABLE || KYMO_LARGE
static struct kymo_large large = {"bytes", 5u, "name", KYMO_LARGE_TEXT, 0u, 0u, KYMO_NULL_};
#endif

int main(void) {
#ifdef KYMO_POSIX_ARCH_H
    static struct kymo_posix_fd port;
    (void)kymo_posix_fd_init(&port, STDOUT_FILENO, false);
    const struct kymo_transport *transport = kymo_posix_fd_transport(&port);
#else
    const struct kymo_transport *transport = KYMO_NULL_;
#endif
    kymo_init(transport, "pairs");
    record();
#if !KYMO_ENABLE || KYMO_LARGE
    (void)kymo_large_send(&large);
#endif
    kymo_finish();
    while (kymo_pending()) {
        (void)kymo_drain(0u);
    }
    return 0;
}
