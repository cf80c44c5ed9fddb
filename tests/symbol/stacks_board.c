/* SPDX-License-Identifier: MIT */
/* A board that runs on this machine and records call stacks, walked by frame pointers: of zones, allocations, frees,
 * locks and messages. Its stream goes to standard output; the calls are always the same. With BOARD_STOPS it sends
 * nothing and ends by a signal, with all in its ring. It loads the modules given after the number of rounds, and
 * reports them; with BOARD_QUIET in the environment on standard error. */
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kymo/kymo.h"
#include "kymo_arch.h"
#include "ring/ring.h"

#include "stacks_board.h"

#define FRAMES_MAX 16u
#define NO_INLINE __attribute__((noinline))

KYMO_POOL(heap, "heap");

static uintptr_t bottom;
#ifdef BOARD_OTHER
__attribute__((used)) static const char other[4096] = "another build";
#endif
static int mutex;

static size_t write_line(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    if (write(STDOUT_FILENO, bytes, length) != (ssize_t)length) {
        exit(1);
    }
    return length;
}

/* A record of a function: the frame of its caller, and the return address (x86-64 and AArch64). */
struct frame {
    const struct frame *next;
    uintptr_t back;
};

NO_INLINE void board_stack(void) {
    uint32_t words[1u + 2u * FRAMES_MAX];
    uintptr_t address[FRAMES_MAX];
    uint32_t count = 0;
    for (const struct frame *at = __builtin_frame_address(0);
         count < FRAMES_MAX && (uintptr_t)at < bottom; at = at->next) {
        address[count++] = at->back;
    }
    words[0] = count;
    for (uint32_t i = 0; i < count; i++) {
        words[1u + i] = (uint32_t)address[i];
        words[1u + count + i] = (uint32_t)((uint64_t)address[i] >> 32);
    }
    kymo_ring_long(KYMO_KIND_CALLSTACK, 0u, words, 1u + 2u * count);
}

#ifdef BOARD_STOPS
static bool drain(void) { return false; }
#else
static bool drain(void) { return kymo_drain(0); }
#endif

void board_pass(uint32_t ns) {
    fake.clock += ns;
    while (drain()) {}
}

NO_INLINE void board_alloc(uint32_t address, uint32_t bytes) {
    board_stack();
    KYMO_ALLOC(heap, (const void *)(uintptr_t)address, bytes);
    board_pass(10);
}

static NO_INLINE void give_back(uint32_t address) {
    board_stack();
    KYMO_FREE(heap, (const void *)(uintptr_t)address);
    board_pass(10);
}

/* Put inside its callers. */
static inline __attribute__((always_inline)) void measure(uint32_t n) {
    board_stack();
    KYMO_ZONE("measure");
    board_pass(100 + n);
}

static NO_INLINE void leaf(uint32_t n) { measure(n); }

static NO_INLINE void recurse(uint32_t n) {
    if (n > 0) {
        recurse(n - 1);
        board_pass(1);
    } else {
        leaf(n);
    }
    board_pass(1);
}

static NO_INLINE void plain_zone(void) {
    KYMO_ZONE("plain");
    board_pass(50);
}

static NO_INLINE void work(uint32_t round) {
    board_stack();
    KYMO_FUNCTION();
    board_pass(1000);
    leaf(round);
    recurse(3);
    plain_zone();
    board_alloc(0x1000u + round * 0x100u, 64);
    if (round % 2 == 0) {
        give_back(0x1000u + round * 0x100u);
    }
    board_stack();
    KYMO_LOCK_OBTAIN(&mutex);
    KYMO_LOCK_RELEASE(&mutex);
    board_stack();
    KYMO_MESSAGE("round %u", round);
    board_pass(1);
}

static NO_INLINE void sample(void) {
    const uint32_t words[] = {1000u, 0u};
    kymo_ring_long(KYMO_KIND_SAMPLE, 0u, words, 2u);
    board_pass(10);
}

static NO_INLINE void function(uintptr_t address, uint32_t ns) {
    const uint32_t high = (uint32_t)((uint64_t)address >> 32);
    kymo_ring_long(KYMO_KIND_FUNCTION_BEGIN, (uint32_t)address, &high, 1u);
    board_pass(ns);
    kymo_ring_long(KYMO_KIND_FUNCTION_END, (uint32_t)address, &high, 1u);
}

static NO_INLINE void run_module(const char *path) {
    static const struct board_calls calls = {board_stack, sample, function, board_alloc};
    void (*run)(const struct board_calls *);
    Dl_info about;
    void *module = dlopen(path, RTLD_NOW);
    void *symbol = module != NULL ? dlsym(module, "module_run") : NULL;
    if (symbol == NULL || dladdr(symbol, &about) == 0) {
        exit(1);
    }
    if (getenv("BOARD_QUIET") != NULL) {
        fprintf(stderr, "%p\n", about.dli_fbase);
    } else {
        KYMO_MESSAGE("loaded %s at %p", path, about.dli_fbase);
    }
    memcpy(&run, &symbol, sizeof run);
    run(&calls);
    board_pass(1);
}

int main(int argc, char **argv) {
    static const struct kymo_transport transport = {.write = write_line};
    const uint32_t rounds = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 10;
    bottom = (uintptr_t)__builtin_frame_address(0);
    fake_reset();
    fake.clock_hz = 1000000000;
    kymo_init(&transport, "stacks");
    fake.clock_step = 0;
    KYMO_LOCK(&mutex, "mutex");
    for (uint32_t round = 0; round < rounds; round++) {
        work(round);
        board_in_cxx(round);
    }
    for (int i = 2; i < argc; i++) {
        run_module(argv[i]);
    }
    /* And as overlays that take turns in one place. */
    for (int i = 0; i < 6 && argc > 3 && getenv("BOARD_SWAPS") != NULL; i++) {
        KYMO_MESSAGE("loaded %s at 0x1000000", argv[2 + i % 2]);
    }
#ifdef BOARD_STOPS
    (void)raise(SIGTRAP);
#endif
    kymo_finish();
    while (kymo_pending() || kymo_drain(0)) {
        fake.clock += 100000;
        (void)kymo_drain(0);
    }
    return 0;
}
