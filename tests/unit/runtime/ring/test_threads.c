/* SPDX-License-Identifier: MIT */
/* Threads that record as fast as they can, preempted by signals that record too, while another drains:
 * on the POSIX port, with more threads than lanes, one generation of threads after another on the
 * same lanes. The rings are small, so much is lost; what arrives is whole and in order, and the
 * sums are exact. Also built with ThreadSanitizer; and with rings that keep the newest. */
#include <string.h>

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#include "cases.h"
#include "kymo/arch.h"
#include "ring/lane.h"
#include "trace.h"

#define MAIN 1u
#define THREADS 5u /* at a time, on KYMO_LANES - 1 = 3 lanes */
#define GENERATIONS 3u
#ifndef ROUNDS
#define ROUNDS 4000u
#endif
#define DEPTH 8u
/* So many rounds a thread is ahead of the one that drains, or hardly anything would be delivered where that
 * is not scheduled for a while. */
#define ROUNDS_AHEAD 32u
/* A ring that keeps the newest discards begins without their ends. */
#define IS_BALANCED (!KYMO_KEEP_NEWEST)

KYMO_SITE_DEFINE_GLOBAL(zone, KYMO_SITE_ZONE, "zone", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(plot, KYMO_SITE_PLOT, "plot", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(message, KYMO_SITE_MESSAGE, "%s %llu", 0u,
                        (uint32_t)KYMO_ARG_STRING | (uint32_t)KYMO_ARG_U64 << 4, NULL);
KYMO_CONTEXT(handler, "handler", KYMO_CONTEXT_INTERRUPT);

/* ---- the recording side ---- */

/* Numbers that only grow tell the events of one thread and context: thread in the high bits. */
struct worker {
    pthread_t thread;
    uint32_t number;
    bool done;
};

static struct worker workers[THREADS];
static uint64_t emitted; /* all threads */
static __thread uint64_t emitted_here;
static __thread uint32_t serial_here, signal_serial_here, number_here;
static sem_t finished;
static uint32_t drains; /* calls so far */

static void count_emitted(uint32_t events) {
    (void)__atomic_fetch_add(&emitted_here, events, __ATOMIC_RELAXED);
}

static uint32_t next_serial(uint32_t *serial) {
    return number_here << 26 | (++*serial & 0x3ffffffu);
}

static void on_signal(int number) {
    (void)number;
    KYMO_INTERRUPT(handler);
    kymo_zone open = kymo_zone_begin(&zone);
    kymo_plot_int(&plot, (int64_t)next_serial(&signal_serial_here));
    kymo_zone_end(open);
    count_emitted(5u);
}

static void record_round(uint32_t round) {
    static const char text[] = "a text of some length";
    kymo_zone outer = kymo_zone_begin(&zone);
    kymo_plot_int(&plot, (int64_t)next_serial(&serial_here));
    kymo_zone inner = kymo_zone_begin(&zone);
    const uint64_t args[2] = {(uint64_t)(uintptr_t)&text[round % 20u], next_serial(&serial_here)};
    kymo_message(&message, args);
    kymo_zone_end(inner);
    kymo_zone_end(outer);
    count_emitted(6u);
}

static void wait_for_drain(void) {
    uint32_t before = __atomic_load_n(&drains, __ATOMIC_RELAXED);
    while (__atomic_load_n(&drains, __ATOMIC_RELAXED) == before) {
        (void)sched_yield();
    }
}

static void *work(void *argument) {
    struct worker *worker = argument;
    number_here = worker->number;
    for (uint32_t round = 0u; round < ROUNDS; round++) {
        record_round(round);
        if (round % ROUNDS_AHEAD == 0u) {
            wait_for_drain();
        }
        if (round % 8u == 0u) {
            (void)sched_yield(); /* or hardly anything would be delivered */
        }
    }
    __atomic_store_n(&worker->done, true, __ATOMIC_RELEASE);
    /* The drain may still be sending signals here: they are counted until it has seen "done". */
    while (sem_wait(&finished) != 0) {}
    sigset_t signals;
    (void)sigemptyset(&signals);
    (void)sigaddset(&signals, SIGUSR1);
    (void)pthread_sigmask(SIG_BLOCK, &signals, NULL); /* one may still be on its way */
    (void)__atomic_fetch_add(&emitted, __atomic_load_n(&emitted_here, __ATOMIC_RELAXED),
                             __ATOMIC_RELAXED);
    return NULL;
}

/* ---- the arriving side ---- */

struct arrived {
    uint32_t depth;
    uint32_t last_serial;
    uint64_t last_ticks;
};

static struct trace trace;
static struct arrived arrived[KYMO_LANES][2]; /* main and handler */

static void on_event(void *user, uint32_t lane, uint32_t context, const struct wire_event *event) {
    (void)user;
    assert_true(lane < KYMO_ARCH_SPARE_LANE);
    assert_true(context == MAIN || context == (uint32_t)(&handler - __start_kymo_sites) * 2u);
    struct arrived *in = &arrived[lane][context == MAIN ? 0 : 1];
    if (!KYMO_KIND_IS_COUNTED(event->kind) || event->kind == KYMO_KIND_CONTEXT) {
        return;
    }
    assert_true(event->ticks >= in->last_ticks);
    in->last_ticks = event->ticks;
    switch (event->kind) {
    case KYMO_KIND_ZONE_BEGIN:
        assert_true(!IS_BALANCED || in->depth < DEPTH);
        in->depth++;
        break;
    case KYMO_KIND_ZONE_END:
        assert_true(!IS_BALANCED || in->depth > 0u);
        in->depth--;
        break;
    default: {
        bool is_message = event->kind == KYMO_KIND_MESSAGE;
        assert_true(is_message || event->kind == KYMO_KIND_PLOT_INT);
        uint32_t serial =
            is_message ? event->word[1u + (event->word[0] + 3u) / 4u] : event->word[0];
        /* Another thread may have taken the lane over, but then all of the first one has ended. */
        if (serial >> 26 != in->last_serial >> 26) {
            assert_true(!IS_BALANCED || in->depth <= (is_message ? 2u : 1u));
        } else {
            assert_true(serial > in->last_serial);
        }
        in->last_serial = serial;
        break;
    }
    }
}

/* ---- the test ---- */

static bool all_done(void) {
    for (uint32_t i = 0u; i < THREADS; i++) {
        if (!__atomic_load_n(&workers[i].done, __ATOMIC_ACQUIRE)) {
            return false;
        }
    }
    return true;
}

/* Drains and sends signals until the generation has recorded all. */
static void run_generation(uint32_t generation) {
    for (uint32_t i = 0u; i < THREADS; i++) {
        workers[i].number = generation * THREADS + i + 1u;
        workers[i].done = false;
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (uint32_t turn = 0u; !all_done(); turn++) {
        (void)kymo_drain(turn % 3u == 0u ? 100u : 0u);
        (void)__atomic_fetch_add(&drains, 1u, __ATOMIC_RELAXED);
        if (turn % 16u == 0u) {
            assert_int_equal(pthread_kill(workers[turn / 16u % THREADS].thread, SIGUSR1), 0);
        }
    }
    for (uint32_t i = 0u; i < THREADS; i++) {
        assert_int_equal(sem_post(&finished), 0);
    }
    for (uint32_t i = 0u; i < THREADS; i++) {
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
    }
}

CASE(sums_are_exact) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    assert_int_equal(sem_init(&finished, 0, 0), 0);
    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
    trace_init(&trace);
    trace.event = on_event;
    kymo_init(&trace.transport, "threads");
    for (uint32_t i = 0u; i < GENERATIONS; i++) {
        run_generation(i);
    }
    uint64_t lost = trace_finish(&trace);
    uint64_t delivered = trace_events(&trace);
    print_message("%llu events emitted, %llu delivered, %llu lost\n", (unsigned long long)emitted,
                  (unsigned long long)delivered, (unsigned long long)lost);
    assert_int_equal(delivered + lost, emitted);
    assert_true(emitted > GENERATIONS * THREADS * ROUNDS * 6u);
    assert_true(delivered > THREADS * ROUNDS);
    assert_true(trace.lane[KYMO_ARCH_SPARE_LANE].status[1] >= 2u * ROUNDS * 6u);
    for (uint32_t i = 0u; i < KYMO_LANES; i++) {
        assert_true(!IS_BALANCED || (arrived[i][0].depth == 0u && arrived[i][1].depth == 0u));
    }
}
