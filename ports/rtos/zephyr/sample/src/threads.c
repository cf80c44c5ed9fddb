/* SPDX-License-Identifier: MIT */
/* Threads that the kernel moves from CPU to CPU within their zones, and one thread object for many threads, of which
 * some are aborted within a zone. Each thread says in its row how much there must be in it. */
#include <zephyr/kernel.h>
#include <zephyr/sys/printk.h>

#include "kymo/kymo.h"
#include "kymo_zephyr.h"

#define MOVERS 6
#define ROUNDS 1000u
#define GUESTS 40u
#define STACK_BYTES 2048
/* All share the priority of the thread that sends, so that it has its turns. */
#define PRIORITY K_LOWEST_APPLICATION_THREAD_PRIO
#define SLICE_MS 1

static K_THREAD_STACK_ARRAY_DEFINE(mover_stacks, MOVERS, STACK_BYTES);
static K_THREAD_STACK_DEFINE(guest_stack, STACK_BYTES);
static struct k_thread movers[MOVERS], guest;

static struct count { uint32_t zones, moved; } counts[MOVERS];

static unsigned cpu(void) {
    const unsigned key = arch_irq_lock();
    const unsigned id = arch_curr_cpu()->id;
    arch_irq_unlock(key);
    return id;
}

static uint32_t work(uint32_t seed) {
    KYMO_ZONE("work");
    for (uint32_t i = 0u; i < 100u; i++) {
        seed = seed * 1664525u + 1013904223u;
    }
    return seed >> 24;
}

/* Equal priorities: a thread that yields or sleeps goes on where a CPU is free first. */
static void move(void *place, void *unused2, void *unused3) {
    struct count *count = place;
    (void)unused2;
    (void)unused3;
    for (uint32_t i = 0u; i < ROUNDS; i++) {
        const unsigned before = cpu();
        KYMO_ZONE("move");
        const uint32_t number = work(i);
        if (i % 2u == 0u) {
            k_usleep(1);
        } else {
            k_yield();
        }
        (void)work(number);
        count->zones += 3u;
        count->moved += cpu() != before ? 1u : 0u;
    }
    KYMO_MESSAGE("%u zones here, %u of them moved", count->zones, count->moved);
}

static void visit(void *number, void *unused2, void *unused3) {
    const uint32_t nth = (uint32_t)(uintptr_t)number;
    (void)unused2;
    (void)unused3;
    KYMO_MESSAGE("%u zones here", nth % 3u + 1u);
    for (uint32_t i = 0u; i < nth % 3u; i++) {
        (void)work(nth);
    }
    KYMO_ZONE("visit");
    if (nth % 2u == 0u) {
        k_sleep(K_FOREVER);
    }
}

static void have_guests(void) {
    for (uint32_t i = 0u; i < GUESTS; i++) {
        char name[CONFIG_THREAD_MAX_NAME_LEN];
        snprintk(name, sizeof name, "guest %u", i);
        (void)k_thread_create(&guest, guest_stack, K_THREAD_STACK_SIZEOF(guest_stack), visit,
                              (void *)(uintptr_t)i, NULL, NULL, PRIORITY, 0, K_FOREVER);
        (void)k_thread_name_set(&guest, name);
        k_thread_start(&guest);
        if (k_thread_join(&guest, K_MSEC(50)) != 0) {
            k_thread_abort(&guest);
        }
    }
}

int main(void) {
    k_sched_time_slice_set(SLICE_MS, PRIORITY);
    for (int i = 0; i < MOVERS; i++) {
        char name[CONFIG_THREAD_MAX_NAME_LEN];
        snprintk(name, sizeof name, "mover %d", i);
        (void)k_thread_create(&movers[i], mover_stacks[i], K_THREAD_STACK_SIZEOF(mover_stacks[i]),
                              move, &counts[i], NULL, NULL, PRIORITY, 0, K_FOREVER);
        (void)k_thread_name_set(&movers[i], name);
        k_thread_start(&movers[i]);
    }
    have_guests();
    struct count all = {0u, 0u};
    for (int i = 0; i < MOVERS; i++) {
        (void)k_thread_join(&movers[i], K_FOREVER);
        all.zones += counts[i].zones;
        all.moved += counts[i].moved;
    }
    KYMO_MESSAGE("%u zones of movers, %u of them moved; %u guests", all.zones, all.moved, GUESTS);
    (void)kymo_zephyr_finish(K_SECONDS(20));
    return 0;
}
