/* SPDX-License-Identifier: MIT */
/* Each call of kymo_drain() returns, whatever is left of its budget where an event begins. */
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "cases.h"
#include "player.h"
#include "tasks_run.h"

KYMO_CONTEXT(timer, "timer", KYMO_CONTEXT_INTERRUPT);
KYMO_POOL(heap, "heap");
KYMO_SITE_DEFINE_GLOBAL(plot, KYMO_SITE_PLOT, "plot", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(frame, KYMO_SITE_FRAME, "frame", 0u, 0u, NULL);

/* Processor time, for a test that takes less than one: a call of kymo_drain() does not return. */
#define HANGS_SECONDS 60

static void hangs(int signal) {
    static const char text[] = "a call of kymo_drain() does not return\n";
    (void)signal;
    (void)!write(STDERR_FILENO, text, sizeof text - 1u);
    _exit(1);
}

static int limit_time(void **state) {
    const struct itimerval limit = {.it_value.tv_sec = HANGS_SECONDS};
    (void)state;
    return signal(SIGVTALRM, hangs) == SIG_ERR ? -1 : setitimer(ITIMER_VIRTUAL, &limit, NULL);
}

/* Zones that end in other contexts cost the ring room, so each turn has a fresh one. */
#define TURNS 400u
#define EVENTS 200u
static uint64_t random_state;

static uint32_t below(uint32_t limit) { return player_random(&random_state) % limit; }

/* It takes 1 to 5 bytes as a varint, and the model never has them all. */
static kymo_context any_task(void) {
    return (kymo_context)(1u + below(15u)) << (3u + 6u * below(5u));
}

static void any_payload(void) {
    static const char text[] = "a text that is longer than one word, and than two";
    const size_t length = below(sizeof text);
    const uint64_t value = (uint64_t)player_random(&random_state) << below(33u);
    emitted++;
    switch (below(7u)) {
    case 0u:
        kymo_plot_int(&plot, (int64_t)value);
        break;
    case 1u:
        kymo_plot_double(&plot, value);
        break;
    case 2u:
        kymo_alloc(&heap, (const void *)(uintptr_t)value, below(1000000u));
        break;
    case 3u:
        kymo_free(&heap, (const void *)(uintptr_t)value);
        break;
    case 4u:
        kymo_app_info(text, length);
        break;
    case 5u:
        kymo_frame_start(&frame);
        break;
    default:
        emitted--;
        kymo_context_name(any_task(), KYMO_CONTEXT_TASK, text + length);
        break;
    }
}

static void any_event(kymo_zone open[8]) {
    kymo_zone *zone = &open[below(8u)];
    switch (below(8u)) {
    case 0u:
    case 1u:
        if (*zone == NULL) {
            *zone = kymo_zone_begin(tasks_work);
            emitted += *zone == NULL ? 2u : 1u;
            break;
        }
        kymo_zone_end(*zone);
        *zone = NULL;
        emitted++;
        break;
    case 2u:
    case 3u:
        switch_to(below(KYMO_LANES), any_task());
        break;
    case 4u:
        end_context(below(KYMO_LANES), any_task());
        break;
    case 5u:
        kymo_interrupt_leave(kymo_interrupt_enter((kymo_context)&timer));
        emitted += 2u;
        break;
    case 6u:
        kymo_frame(&frame);
        emitted++;
        break;
    default:
        any_payload();
        break;
    }
}

CASE(every_drain_returns, set_up) {
    uint64_t delivered = 0u;
    random_state = 0x9e3779b97f4a7c15u;
    for (uint32_t turn = 0u; turn < TURNS; turn++) {
        kymo_zone open[8] = {NULL};
        (void)set_up(state);
        for (uint32_t i = 0u; i < EVENTS; i++) {
            any_event(open);
            fake.clock += (uint64_t)below(1000u) << below(20u);
            for (uint32_t calls = below(4u); calls > 0u; calls--) {
                (void)kymo_drain(below(40u) + 1u);
            }
        }
        read_back();
        delivered += emitted - seen.lost;
    }
    assert_true(delivered > TURNS * EVENTS / 4u);
}

CASES_BETWEEN(limit_time, NULL);
