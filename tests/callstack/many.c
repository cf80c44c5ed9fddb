/* SPDX-License-Identifier: MIT */
/* Many call stacks of few kinds, on both cores where there are two: viewed.py has those that a viewer must show after
 * MANY_ROUNDS rounds. Compiled with KYMO_TRACING_MODE 4, for a board. */
#include "board.h"
#include "kymo/kymo.h"
#include "kymo/sample.h"
#include "ring/ring.h"

/* Functions stay as they are written. */
#ifdef __clang__
#define AS_WRITTEN __attribute__((noinline))
#else
#define AS_WRITTEN __attribute__((noipa))
#endif
#define PUT_INSIDE static inline __attribute__((always_inline))

#define PATH_CALLS 5u
#define DEPTHS 20u
#define BLOCKS 4u

KYMO_POOL(heap, "heap");

static volatile uint32_t after; /* written after a call, so that the call is not a jump */
static uint32_t lock;
static uint32_t blocks[BOARD_CORES][BLOCKS];

void left(uint32_t core, uint32_t turns, uint32_t calls);
void right(uint32_t core, uint32_t turns, uint32_t calls);

static AS_WRITTEN void leaf(uint32_t core, uint32_t turns) {
    KYMO_ZONE("leaf");
    KYMO_MESSAGE("leaf of core %u", (unsigned)core);
    after += turns;
}

/* To the left or to the right by each bit of the turns. */
PUT_INSIDE void turn(uint32_t core, uint32_t turns, uint32_t calls) {
    if (calls == 0u) {
        leaf(core, turns);
    } else if ((turns >> (calls - 1u) & 1u) == 0u) {
        left(core, turns, calls - 1u);
    } else {
        right(core, turns, calls - 1u);
    }
}
AS_WRITTEN void left(uint32_t core, uint32_t turns, uint32_t calls) {
    turn(core, turns, calls);
    after++;
}
AS_WRITTEN void right(uint32_t core, uint32_t turns, uint32_t calls) {
    turn(core, turns, calls);
    after++;
}

static AS_WRITTEN void recurse(uint32_t depth) {
    if (depth == 0u) {
        KYMO_ZONE("recursion");
        after++;
    } else {
        recurse(depth - 1u);
    }
    after++;
}

/* A block lives for BLOCKS rounds. */
static AS_WRITTEN void use_memory(uint32_t core, uint32_t round) {
    uint32_t *block = &blocks[core][round % BLOCKS];
    if (round >= BLOCKS) {
        KYMO_FREE(heap, block);
    }
    KYMO_ALLOC(heap, block, 16u + round % 7u);
    after++;
}

static AS_WRITTEN void use_lock(void) {
    KYMO_LOCK_WAIT(&lock);
    KYMO_LOCK_OBTAIN(&lock);
    after++;
    KYMO_LOCK_RELEASE(&lock);
}

PUT_INSIDE void innermost(void) {
    KYMO_ZONE("inlined");
    after++;
}
PUT_INSIDE void inner(void) {
    after++;
    innermost();
}
static AS_WRITTEN void outer(void) {
    inner();
    after++;
}

static AS_WRITTEN void round_of(uint32_t core, uint32_t round) {
    turn(core, round, PATH_CALLS);
    recurse(round % DEPTHS);
    use_memory(core, round);
    use_lock();
    outer();
    after++;
}

/* ---- the cores in turn, and no ring is full however slow the line is ---- */

static uint32_t used(void) {
    uint32_t most = 0u;
    for (unsigned i = 0u; i < KYMO_LANES; i++) {
        const uint32_t bytes = kymo_ring_used_bytes(&kymo_lanes[i]);
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* Not until all is sent: where a sample takes longer on the line than the next one takes to come, that is never. */
static void drain(void) {
    do {
        (void)kymo_drain(0u);
    } while (used() > KYMO_RING_BYTES / 2u);
}

#if BOARD_CORES > 1
static volatile uint32_t wanted; /* rounds of the second core */
static volatile uint32_t done;

static void second_core(void) {
    for (uint32_t round = 0u; round < MANY_ROUNDS; round++) {
        while (wanted == round) {}
        round_of(1u, round);
        done = round + 1u;
    }
}

static void let_second(uint32_t round) {
    wanted = round + 1u;
    while (done != round + 1u) {}
}
#endif

__attribute__((weak)) const struct kymo_interrupted *board_interrupted(void) { return NULL; }

static void on_tick(void) {
    if (used() <= KYMO_RING_BYTES / 4u * 3u) {
        board_timer_in(kymo_sample(board_interrupted()));
    }
}

int main(void) {
    board_init();
    kymo_init(board_transport(), "many call stacks");
    KYMO_LOCK(&lock, "lock");
    kymo_sample_rate(MANY_SAMPLE_HZ);
#if BOARD_CORES > 1
    const bool second = board_start_core(1u, second_core);
#endif
    board_timer_start(on_tick);
    for (uint32_t round = 0u; round < MANY_ROUNDS; round++) {
        round_of(0u, round);
#if BOARD_CORES > 1
        if (second) {
            let_second(round);
        }
#endif
        drain();
    }
    board_timer_stop();
    kymo_finish();
    while (kymo_pending()) {
        (void)kymo_drain(0u);
    }
    board_exit(0);
}
