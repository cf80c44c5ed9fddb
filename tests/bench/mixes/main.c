/* SPDX-License-Identifier: MIT */
/* Counts what an event takes to record and to send, and its bytes, in programs like real ones: a line "NAME EVENTS
 * RECORDING SENDING BYTES" each, the last three in thousandths, as one sum over all events and calls. The time is the
 * program's own, so that emulator and compiler have no part in the bytes. What the transport takes is not counted. */
#include "../print.h"
#include "kymo/kymo.h"
#include "ring/lane.h"

/* ---- the machine: rv64 in machine mode, or a Cortex-M4 ---- */

int main(void);

/* KYMO_CLOCK_ADDRESS is where it is. */
extern volatile uint64_t bench_clock;

#if defined(__riscv)

static uint64_t instructions(void) {
    uint64_t count;
    __asm__ volatile("rdinstret %0" : "=r"(count));
    return count;
}

static void put_char(char character) { *(volatile uint8_t *)0x10000000u = (uint8_t)character; }
static void machine_start(void) {}

#else

/* ARMv7-M ARM B3.3: control, reload, count. One instruction takes a nanosecond, and SysTick 168 ticks a microsecond. */
#define SYST ((volatile uint32_t *)0xe000e010u)
#define SYST_MASK 0xffffffu

int check(void);
void fault(void);
void pend_sv(void);
void sys_tick(void);
_Noreturn void machine_finish(int status);

/* Looked at more often than it wraps. */
static uint64_t instructions(void) {
    static uint32_t last;
    static uint64_t ticks;
    const uint32_t now = SYST_MASK - SYST[2];
    ticks += (now - last) & SYST_MASK;
    last = now;
    return ticks * 1000u / 168u;
}

/* "Semihosting for AArch32 and AArch64", Arm: SYS_WRITEC, SYS_EXIT. */
static void call_host(uint32_t operation, const void *argument) {
    register uint32_t code __asm__("r0") = operation;
    register const void *block __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(code) : "r"(block) : "memory");
}

static void put_char(char character) { call_host(3u, &character); }

static void machine_start(void) {
    SYST[1] = SYST_MASK;
    SYST[0] = 5u;
}

_Noreturn void machine_finish(int status) {
    call_host(0x18u, (const void *)(status == 0 ? 0x20026u : 0x20023u));
    for (;;) {}
}

int check(void) { return main(); }
void fault(void) { machine_finish(1); }
void pend_sv(void) {}
void sys_tick(void) {}

#endif

/* ---- the program ---- */

#define ZONE_(number)                                                                              \
    KYMO_SITE_DEFINE_GLOBAL(zone_##number, KYMO_SITE_ZONE, "zone " #number, 0u, 0u, NULL)
#define TENS(each, tens)                                                                           \
    each(tens##0) each(tens##1) each(tens##2) each(tens##3) each(tens##4) each(tens##5)            \
        each(tens##6) each(tens##7) each(tens##8) each(tens##9)
#define DEFINE(number) ZONE_(number);
#define ADDRESS(number) &zone_##number,
TENS(DEFINE, 1)
TENS(DEFINE, 2)
TENS(DEFINE, 3)
TENS(DEFINE, 4)
static const struct kymo_site *const zones[] = {TENS(ADDRESS, 1) TENS(ADDRESS, 2) TENS(ADDRESS, 3)
                                                    TENS(ADDRESS, 4)};
#define ZONES ((uint32_t)(sizeof zones / sizeof zones[0]))

KYMO_CONTEXT(timer, "timer", KYMO_CONTEXT_INTERRUPT);
KYMO_POOL(pool, "pool");
KYMO_SITE_DEFINE_GLOBAL(level, KYMO_SITE_PLOT, "level", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(speed, KYMO_SITE_PLOT, "speed", 0u, 0u, NULL);

/* Spaced like control blocks of tasks and semaphores. */
static const struct object { uint64_t words[20]; } tasks[4], locks[2], blocks[8];
static uint32_t turn, random_state;

static uint32_t any(uint32_t below) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state % below;
}

static void pass(uint32_t ticks, uint32_t varying) { bench_clock += ticks + any(varying); }

#define MIX(name) name##_recorded
#define RECORD(call) call
#include "mix.h"
#undef MIX
#undef RECORD
#define MIX(name) name##_alone
#define RECORD(call)
#include "mix.h"

/* ---- measurement ---- */

#ifndef ROUNDS
#define ROUNDS 400u
#endif

static uint64_t outside; /* instructions in the transport, and of the measurement itself */
static uint64_t overhead;
static uint64_t sent;

static size_t line_write(void *context, const uint8_t *bytes, size_t length) {
    const uint64_t from = instructions();
    (void)context;
    (void)bytes;
    sent += length;
    outside += instructions() - from + overhead;
    return length;
}

static uint64_t times(void (*mix)(void), uint32_t count) {
    const uint64_t from = instructions();
    for (uint32_t i = 0u; i < count; i++) {
        mix();
    }
    return instructions() - from;
}

/* Until nothing is left; packets that wait for more events stay open. */
static uint64_t drain_all(void) {
    uint64_t taken = 0u;
    bool moved = true;
    while (moved) {
        outside = overhead;
        const uint64_t from = instructions();
        moved = kymo_drain(0u);
        taken += instructions() - from - outside;
    }
    return taken;
}

static uint64_t drain_to_the_end(void) {
    const uint64_t taken = drain_all();
    bench_clock += (uint64_t)KYMO_CLOCK_HZ * 2u * KYMO_LATENCY_MS / 1000u;
    return taken + drain_all();
}

static void measure_mix(const char *name, void (*recorded)(void), void (*alone)(void),
                        uint32_t each) {
    uint64_t recording = 0u, sending = 0u, program = 0u;
    (void)times(recorded, each); /* costs of a first event only */
    (void)drain_to_the_end();
    const uint64_t events = kymo_lanes[0].events, bytes = sent;
    for (uint32_t i = 0u; i < ROUNDS; i++) {
        const uint32_t state = random_state, first = turn;
        const uint64_t now = bench_clock;
        program += times(alone, each);
        random_state = state;
        turn = first;
        bench_clock = now;
        recording += times(recorded, each);
        sending += drain_all();
    }
    sending += drain_to_the_end();
    const uint64_t count = kymo_lanes[0].events - events;
    print_text(name);
    print_number(kymo_lanes[0].lost != 0u ? 0u : count);
    print_number((recording - program) * 1000u / count);
    print_number(sending * 1000u / count);
    print_number((sent - bytes) * 1000u / count);
    print_text("\n");
}

int main(void) {
    static const struct kymo_transport transport = {.write = line_write};
    machine_start();
    uint64_t taken = 0u;
    for (uint32_t i = 0u; i < 64u; i++) {
        const uint64_t from = instructions();
        taken += instructions() - from;
    }
    overhead = taken / 64u;
    random_state = 12345u;
    bench_clock = 100000u;
    kymo_init(&transport, "mixes");
    kymo_clock_stands = false; /* the program's own calls advance it */
    kymo_start();
    (void)drain_to_the_end();
    measure_mix("S", repeated_recorded, repeated_alone, 12u);
    measure_mix("Z", nested_recorded, nested_alone, 20u);
    measure_mix("P", scattered_recorded, scattered_alone, 12u);
    measure_mix("R", tasks_recorded, tasks_alone, 16u);
    uint64_t idle = 0u;
    for (uint32_t i = 0u; i < 100u; i++) {
        const uint64_t from = instructions();
        (void)kymo_drain(0u);
        idle += instructions() - from - overhead;
    }
    print_text("idle 100 0");
    print_number(idle * 10u);
    print_text(" 0\n");
    return 0;
}
