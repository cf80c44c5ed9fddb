/* SPDX-License-Identifier: MIT */
/* An "interrupt" at every single instruction of the runtime.
 *
 * A run is a path over all kinds of calls, with one preempt in it: an interrupt, which records
 * zones, messages and plots in a context of its own. Where the runtime has masked interrupts it is
 * held back until the unmask, as by a core.
 *
 * All places of all calls are taken, in every state of the ring that matters: fresh, nearly full by
 * each amount of free room, lossy and drained by more or less, with a clock record due. After each
 * run all recorded events are drained, decoded, and compared with the emitted ones. */
#include <string.h>

#include "cases.h"
#include "kept.h"
#include "kymo_arch.h"
#include "player.h"
#include "preempt.h"
#include "ring/ring.h"

#define MAIN 1u

KYMO_CONTEXT(timer, "timer", KYMO_CONTEXT_INTERRUPT);
KYMO_CONTEXT(radio, "radio", KYMO_CONTEXT_INTERRUPT);
KYMO_CONTEXT(call, "call", KYMO_CONTEXT_INTERRUPT);

static struct trace trace;
static struct witness witness;
static struct player players[PREEMPT_LEVELS], called;

static volatile uint64_t switches; /* emitted */
static uint64_t held_back;

/* ---- recording ---- */

static void serve(struct player *player, const struct kymo_site *context, bool many) {
    player_around(true);
    kymo_context before = kymo_interrupt_enter((kymo_context)context);
    player_around(false);
    if (player_begin(player)) {
        player_message(player);
    }
    if (many) {
        player_plot(player);
        (void)player_begin(player);
    }
    player_close(player);
    player_around(true);
    kymo_interrupt_leave(before);
    player_around(false);
    switches += 2u;
}

static bool interrupt_drains;

static void interrupt(void) {
    static const struct kymo_site *const contexts[PREEMPT_LEVELS] = {NULL, &timer, &radio};
    preempt_level++;
    serve(&players[preempt_level], contexts[preempt_level], true);
    if (interrupt_drains) {
        (void)kymo_drain(0u); /* half-written records must not be seen */
        (void)kymo_drain(0u);
    }
    preempt_level--;
}

/* The decoder is not to be stepped through: it sees the bytes afterwards. */
static void drain_one(void) {
    player_around(true);
    (void)kymo_drain(0u);
    player_around(false);
    (void)trace.transport.write(&trace, kept.bytes, kept.length);
    kept.length = 0u;
}

/* A call does a bounded part of a packet: in so many one begins, goes on, ends, and the next begins. */
#define DRAIN_CALLS 4u

/* Each kind of call once or more, zones nested, another context. */
static void path(bool drain) {
    struct player *player = &players[0];
    if (drain) {
        for (unsigned i = 0u; i < DRAIN_CALLS; i++) {
            drain_one();
        }
        return;
    }
    (void)player_begin(player);
    player_plot(player);
    (void)player_begin(player);
    player_message(player);
    player_alloc(player);
    if (player->depth != 0u) {
        player_end(player);
    }
    serve(&called, &call, false);
    player_frame(player);
    player_close(player);
}

/* ---- the states of the ring ---- */

enum state { FRESH, FREE, LOSSY, DUE };

struct scene {
    enum state state;
    uint32_t amount; /* of free bytes, or of packets drained */
    uint32_t shift;  /* lossy: short events before the long ones */
    bool drain;      /* the path is kymo_drain() */
};

static void to_witness(void *user, uint32_t lane, uint32_t context,
                       const struct wire_event *event) {
    (void)user;
    witness_arrive(&witness, lane, context, event);
}

static void fill_to(uint32_t free_bytes) {
    while (kymo_ring_used_bytes(&kymo_lanes[0]) + free_bytes < KYMO_RING_BYTES) {
        player_frame(&players[0]);
    }
}

static void fill(const struct scene *scene) {
    switch (scene->state) {
    case FRESH:
        break;
    case FREE:
        fill_to(scene->amount);
        break;
    case LOSSY:
        for (uint32_t i = 0u; i < scene->shift; i++) {
            player_frame(&players[0]);
        }
        while (kymo_lanes[0].lost == 0u) {
            player_message(&players[0]);
        }
        while (trace.packets[KYMO_PACKET_EVENTS] < scene->amount) {
            drain_one();
        }
        break;
    case DUE:
        fill_to(scene->amount);
        for (uint32_t i = 0u; i < 14u; i++) { /* 14 * 2^29 ticks */
            fake.clock += 0x20000000u;
            kymo_clock_keepalive();
        }
        break;
    }
}

static void prepare(const struct scene *scene) {
    struct player *player = &players[0];
    preempt_level = 0u;
    kept.length = 0u;
    fake_reset();
    fake.interrupt = interrupt;
    trace_power_up();
    trace_init(&trace);
    trace.event = to_witness;
    witness_init(&witness);
    switches = 0u;
    player_around = preempt_around;
    player_init(player, &witness, 0u, MAIN);
    player_init(&players[1], &witness, 0u, (uint32_t)(&timer - __start_kymo_sites) * 2u);
    player_init(&players[2], &witness, 0u, (uint32_t)(&radio - __start_kymo_sites) * 2u);
    player_init(&called, &witness, 0u, (uint32_t)(&call - __start_kymo_sites) * 2u);
    kymo_init(&kept_transport, "step");
    memset(preempts, 0, sizeof preempts);
    for (uint32_t i = 0u; i < PREEMPT_LEVELS; i++) {
        preempts[i].call = PREEMPT_NEVER;
    }
    fill(scene);
    preempts[0].calls = 0u;
}

static void check(void) {
    preempts[0].call = preempts[1].call = preempts[2].call = PREEMPT_NEVER;
    for (uint32_t i = 0u; i < 8u; i++) {
        drain_one();
    }
    player_plot(&players[0]);
    kymo_finish();
    while (kymo_pending()) {
        drain_one();
    }
    uint64_t lost = 0u;
    uint64_t arrived = trace_events(&trace);
    uint64_t skipped = witness_finish(&witness);
    for (uint32_t i = 0u; i < witness.contexts; i++) {
        arrived -= witness.context[i].arrived;
    }
    lost = trace.lane[0].lost + trace.lane[0].status[1];
    assert_int_equal(trace.lane[0].status[0], trace.lane[0].events + trace.lane[0].lost);
    assert_int_equal(trace.usage, 0u); /* also by KYMO_CHECK */
    assert_int_equal(arrived + lost - skipped, switches);
}

/* Finds the places of a call. False: the path has no such call. */
static bool find_places(const struct scene *scene, uint32_t target) {
    prepare(scene);
    preempt_find(true);
    preempts[0].call = target;
    path(scene->drain);
    preempt_find(false);
    bool reached = preempts[0].calls > target;
    check();
    assert_true(preempt_place_count() < PREEMPT_PLACES);
    return reached;
}

/* Preempts everywhere in one scene; returns how often. kymo_drain() has long loops: there each
 * instruction is preempted in its first passes only. */
static uint64_t preempt_everywhere(const struct scene *scene) {
    uint64_t count = 0u;
    for (uint32_t target = 0u; find_places(scene, target); target++) {
        for (uint32_t i = 0u; i < preempt_place_count(); i++) {
            if (preempt_choose(i) > 2u && scene->drain) {
                continue;
            }
            prepare(scene);
            preempts[0].call = target;
            path(scene->drain);
            assert_true(preempts[0].preempted);
            held_back += fake.deferred;
            check();
            count++;
        }
    }
    return count;
}

static void every_scene(bool drain) {
    uint64_t count = 0u;
    struct scene scene = {.state = FRESH, .drain = drain};
    /* Room is taken in cells of 8 bytes; with a narrow clock or checks, which differ little here,
     * fewer will do. */
    uint32_t step = drain ? 40u : KYMO_ARCH_CLOCK_BITS == 64 && !KYMO_CHECK ? 8u : 24u;
    held_back = 0u;
    count += preempt_everywhere(&scene);
    for (scene.state = FREE, scene.amount = 0u; scene.amount <= 200u; scene.amount += step) {
        count += preempt_everywhere(&scene);
    }
    for (scene.state = LOSSY, scene.shift = 0u; scene.shift < 4u;
         scene.shift += step == 8u ? 1u : 3u) {
        for (scene.amount = 0u; scene.amount < 4u; scene.amount++) {
            count += preempt_everywhere(&scene);
        }
    }
    for (scene.state = DUE, scene.amount = 0u; scene.amount <= 64u; scene.amount += step) {
        count += preempt_everywhere(&scene);
    }
    print_message("%llu preempts, %llu of them held back by the mask\n", (unsigned long long)count,
                  (unsigned long long)held_back);
    assert_true(count > 10000u);
    /* Draining needs no mask. */
    assert_true(KYMO_ARCH_ATOMIC || drain ? held_back == 0u : held_back > 1000u);
}

CASE(at_every_instruction_of_recording) { every_scene(false); }

/* A transmit interrupt may drain, too. */
CASE(by_an_interrupt_that_drains) {
    uint64_t count = 0u;
    struct scene scene = {.state = FRESH};
    interrupt_drains = true;
    count += preempt_everywhere(&scene);
    for (scene.state = FREE, scene.amount = 0u; scene.amount <= 200u; scene.amount += 40u) {
        count += preempt_everywhere(&scene);
    }
    scene.amount = 1u;
    for (scene.state = LOSSY; scene.shift < 2u; scene.shift++) {
        count += preempt_everywhere(&scene);
    }
    scene.state = DUE;
    scene.amount = 0u;
    count += preempt_everywhere(&scene);
    interrupt_drains = false;
    print_message("%llu preempts\n", (unsigned long long)count);
    assert_true(count > 5000u);
}

CASE(in_the_middle_of_draining) { every_scene(true); }

/* Two preempts, the second one into the handler of the first, at places drawn by lot. */
CASE(interrupts_in_interrupts) {
    uint64_t random = 0x2545f4914f6cdd1du;
    uint64_t both = 0u;
    for (uint32_t turn = 0u; turn < 2000u; turn++) {
        struct scene scene = {.state = FREE, .amount = player_random(&random) % 64u * 8u};
        prepare(&scene);
        for (uint32_t i = 0u; i < 2u; i++) {
            preempts[i].call = player_random(&random) % 11u;
            preempts[i].step = player_random(&random) % 120u + 1u;
        }
        path(false);
        both += preempts[1].preempted ? 1u : 0u;
        check();
    }
    print_message("%llu runs with two preempts\n", (unsigned long long)both);
    assert_true(both > 100u);
}

static int set_up(void **state) {
    int error = preempt_set_up(state);
    if (error != 0) {
        print_error("the program's code cannot be made writable: %s\n", strerror(-error));
    }
    return error;
}

CASES_BETWEEN(set_up, NULL);
