/* SPDX-License-Identifier: MIT */
/* A kernel whose tasks preempt each other by priority, and a firmware on it with one fault, which the word at
 * FAULT_WORD chooses: faults.sh. Three tasks share a bus, a timer interrupts them, a radio does at times. For
 * qemu-virt-riscv64. */
#include "board.h"
#include "kymo/arch.h"
#include "kymo/kymo.h"
#include "kymo/limits.h"
#include "kymo/tasks.h"
#include "tasks.h"

/* In RAM after the image: the emulator writes it before the start. */
#define FAULT_WORD (*(volatile uint32_t *)0x87000000u)
enum { NO_FAULT, INVERSION, STORM, LEAK, SLOW_JOB, HELD };

#define TICKS 2200u /* of the run, 1 ms each */
#define TICK_NUMBER 7u
#define RADIO_NUMBER 8u
#define STORM_TICKS 200u /* of the clock of 10 MHz, from one interrupt of the radio to the next */
#define BUFFERS 256u
#define BUFFER_BYTES 64u
#define STACK_WORDS (TASK_STACK_BYTES / sizeof(uintptr_t))

KYMO_CONTEXT(tick, "tick", KYMO_CONTEXT_INTERRUPT);
KYMO_CONTEXT(radio, "radio", KYMO_CONTEXT_INTERRUPT);
KYMO_POOL(heap, "buffers");

/* ---- the kernel ---- */

enum { MAIN, MOTOR, NET, LOGGER, TASKS }; /* the most urgent first, except main, which is idle */
struct lock {
    bool is_taken;
};

/* A context's address is a multiple of 8. */
static struct __attribute__((aligned(8))) task {
    uintptr_t stack; /* its pointer; 0: never ran */
    bool is_ready;
    uint32_t wakes_at; /* 0: not by time */
    const struct lock *waits_for;
} tasks[TASKS];
static uintptr_t stacks[TASKS][STACK_WORDS] __attribute__((aligned(16)));
static uint32_t running = MAIN, ticks;

static void motor_task(void);
static void net_task(void);
static void logger_task(void);

static kymo_context context_of(uint32_t task) { return (kymo_context)&tasks[task]; }

/* Masked. */
static void schedule(void) {
    static void (*const entries[TASKS])(void) = {NULL, motor_task, net_task, logger_task};
    const uint32_t from = running;
    uint32_t to = 1u;
    while (to < TASKS && !tasks[to].is_ready) {
        to++;
    }
    to %= TASKS;
    if (to == from) {
        return;
    }
    running = to;
    kymo_task_out(tasks[from].is_ready, 0u);
    kymo_task_in(context_of(to));
    if (tasks[to].stack == 0u) {
        task_begin(&tasks[from].stack, (uintptr_t)&stacks[to][STACK_WORDS], entries[to]);
    } else {
        task_switch(&tasks[from].stack, tasks[to].stack);
    }
}

static void wake(uint32_t task, uint32_t waker) {
    tasks[task].is_ready = true;
    tasks[task].wakes_at = 0u;
    tasks[task].waits_for = NULL;
    kymo_task_ready(context_of(task), waker);
}

static void sleep_until(uint32_t time) {
    const kymo_arch_state state = kymo_arch_mask();
    if ((int32_t)(time - ticks) > 0) {
        tasks[running].is_ready = false;
        tasks[running].wakes_at = time;
        kymo_task_why(KYMO_WHY_DELAY, 0u);
        schedule();
    }
    kymo_arch_unmask(state);
}

static void take(struct lock *lock) {
    const kymo_arch_state state = kymo_arch_mask();
    if (lock->is_taken) {
        KYMO_LOCK_WAIT(lock);
    }
    while (lock->is_taken) {
        tasks[running].is_ready = false;
        tasks[running].waits_for = lock;
        kymo_task_why(KYMO_WHY_LOCK, (uintptr_t)lock);
        schedule();
    }
    lock->is_taken = true;
    KYMO_LOCK_OBTAIN(lock);
    kymo_arch_unmask(state);
}

static void give(struct lock *lock) {
    const kymo_arch_state state = kymo_arch_mask();
    lock->is_taken = false;
    KYMO_LOCK_RELEASE(lock);
    for (uint32_t task = 1u; task < TASKS; task++) {
        if (tasks[task].waits_for == lock) {
            wake(task, KYMO_WAKER_RUNS);
        }
    }
    schedule();
    kymo_arch_unmask(state);
}

/* ---- interrupts ---- */

static uint32_t radio_left;

static void work(uint32_t us) {
    for (volatile uint32_t turn = 0u; turn < 25u * us; turn++) {}
}

static void on_limit(const struct kymo_task_limits *limits, enum kymo_limit limit, uint32_t value) {
    if (limit == KYMO_LIMIT_LOAD) {
        KYMO_MESSAGE("limit: %s took %u %%", limits->name, value);
    } else {
        KYMO_MESSAGE("limit: %s was ready for %u us", limits->name, value);
    }
}

static void on_radio(void) {
    kymo_irq_enter((kymo_context)&radio, RADIO_NUMBER);
    work(2u);
    kymo_irq_leave(RADIO_NUMBER);
    radio_left--;
    board_timer_in(radio_left > 0u ? STORM_TICKS : 10000u);
}

static void on_tick(void) {
    kymo_irq_enter((kymo_context)&tick, TICK_NUMBER);
    ticks++;
    for (uint32_t task = 1u; task < TASKS; task++) {
        if (tasks[task].wakes_at == ticks) {
            wake(task, TICK_NUMBER + 1u);
        }
    }
    kymo_task_limits_check(on_limit);
    kymo_irq_leave(TICK_NUMBER);
    if (ticks % 10u == 9u) {
        radio_left = FAULT_WORD == STORM && ticks == 1009u ? 400u : 1u;
        board_timer_in(STORM_TICKS);
    }
}

/* The interrupted code goes on with its own return address and state. */
static void on_timer(void) {
    uintptr_t address, status;
    __asm__ volatile("csrr %0, mepc\n\tcsrr %1, mstatus" : "=r"(address), "=r"(status));
    if (radio_left > 0u) {
        on_radio();
    } else {
        on_tick();
    }
    schedule();
    __asm__ volatile("csrw mepc, %0\n\tcsrw mstatus, %1" ::"r"(address), "r"(status));
}

/* A task begins with interrupts masked. */
static void begun(void) { __asm__ volatile("csrsi mstatus, 8"); }

/* ---- the firmware ---- */

static struct lock bus;
static uint32_t buffers[BUFFERS][BUFFER_BYTES / sizeof(uint32_t)];
static bool is_used[BUFFERS];

static void *buffer_get(void) {
    uint32_t at = 0u;
    while (at < BUFFERS - 1u && is_used[at]) {
        at++;
    }
    is_used[at] = true;
    KYMO_ALLOC(heap, buffers[at], BUFFER_BYTES);
    return buffers[at];
}

static void buffer_put(void *buffer) {
    is_used[(uint32_t)((uintptr_t)buffer - (uintptr_t)buffers) / BUFFER_BYTES] = false;
    KYMO_FREE(heap, buffer);
}

static void motor_task(void) {
    begun();
    for (uint32_t next = 3u;; next += 5u) {
        sleep_until(next);
        KYMO_ZONE("control");
        take(&bus);
        work(100u);
        give(&bus);
    }
}

static void erase_flash(void) {
    KYMO_ZONE("erase flash");
    work(6000u);
}

static void net_task(void) {
    begun();
    for (uint32_t packet = 0u;; packet++) {
        sleep_until(1u + 10u * packet);
        KYMO_ZONE("packet");
        void *const buffer = buffer_get();
        work(FAULT_WORD == INVERSION && packet == 7u ? 20000u : 300u);
        if (FAULT_WORD == SLOW_JOB && packet % 100u == 42u) {
            erase_flash();
        }
        if (FAULT_WORD != LEAK || packet % 4u != 0u) {
            buffer_put(buffer);
        }
    }
}

static void logger_task(void) {
    begun();
    for (uint32_t line = 0u;; line++) {
        sleep_until(6u + 20u * line);
        KYMO_ZONE("log line");
        take(&bus);
        work(FAULT_WORD == INVERSION && line == 3u ? 6000u : 150u);
        if (FAULT_WORD == HELD && line == 3u) {
            sleep_until(ticks + 20u);
        }
        give(&bus);
    }
}

int main(void) {
    static const char *const names[TASKS] = {"idle", "motor", "net", "logger"};
    board_init();
    kymo_init(board_transport(), "faults");
    kymo_tasks_kernel("a kernel of the tests", 1000u, true);
    KYMO_LOCK(&bus, "bus");
    for (uint32_t task = 0u; task < TASKS; task++) {
        kymo_task_new(context_of(task), task == MAIN ? KYMO_CONTEXT_IDLE : KYMO_CONTEXT_TASK,
                      names[task], task == MAIN ? 0 : (int32_t)(TASKS - task));
        tasks[task].is_ready = true;
    }
    kymo_task_in(context_of(MAIN));
    static const struct kymo_task_limits net = {
        .name = "net", .load_percent = 25u, .window_us = 10000u};
    static const struct kymo_task_limits logger = {.name = "logger", .ready_us = 1000u};
    if (!kymo_task_limit(context_of(NET), &net) || !kymo_task_limit(context_of(LOGGER), &logger)) {
        board_exit(1);
    }
    board_timer_start(on_timer);
    while (*(volatile uint32_t *)&ticks < TICKS) {
        board_idle();
    }
    board_timer_stop();
    kymo_finish();
    while (kymo_pending()) {
        (void)kymo_drain(0u);
    }
    board_exit(0);
}
