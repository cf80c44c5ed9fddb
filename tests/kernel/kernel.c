/* SPDX-License-Identifier: MIT */
#include "kernel.h"

#include <stddef.h>

#include "board.h"
#include "kymo/arch.h"
#include "kymo/kymo.h"
#include "riscv/clint.h"
#include "tasks.h"

/* Core-local interruptor, as boards/common/riscv/clint.c has it. */
#define MSIP ((volatile uint32_t *)(uintptr_t)0x02000000u)
#define MTIMECMP ((volatile uint64_t *)(uintptr_t)0x02004000u)
#define TICK_CLOCKS (BOARD_MTIME_HZ / 1000u)
#define MIE_SOFTWARE 0x08ul
#define MIE_TIMER 0x80ul
#define CAUSE_SOFTWARE (1ul << 63 | 3u)
#define CAUSE_TIMER (1ul << 63 | 7u)
#define STACK_WORDS (TASK_STACK_BYTES / sizeof(uintptr_t))

KYMO_CONTEXT(tick, "tick", KYMO_CONTEXT_INTERRUPT);
KYMO_CONTEXT(device, "device", KYMO_CONTEXT_INTERRUPT);

struct counts kernel_lives[KERNEL_LIVES];
uint32_t kernel_life_count;
struct counts kernel_ticks[KERNEL_CORES], kernel_devices[KERNEL_CORES];

static struct task {
    uintptr_t stack; /* its pointer; 0: has not begun */
    enum { FREE, READY, RUNS, WAITS, OVER } state;
    struct counts *counts;
    void (*entry)(void);
    int32_t base, priority;
    uint64_t order;      /* among those of equal priority */
    uint32_t wakes_at;   /* tick; 0: not by time */
    uint8_t why;         /* it waits */
    bool is_woken;       /* and has not run since */
    struct moment since; /* of the state */
    struct moment pending_since;
    const struct lock *waits_for;
    struct task *pending; /* the next that is to be ready when the scheduler is resumed */
} tasks[KERNEL_TASKS];
static uintptr_t stacks[KERNEL_TASKS][STACK_WORDS] __attribute__((aligned(16)));

/* Per core. */
static struct core {
    struct task *runs, *idle;
    struct task *left; /* by the switch that is under way */
    struct counts *charged;
    struct moment since; /* that it is charged */
    uint32_t nesting, suspended;
    struct task *pending;
    void (*volatile handler)(void);
    void (*volatile nested)(void);
} cores[KERNEL_CORES];
static uint32_t lock_word;
static volatile uint32_t core_count, ticks;
static uint64_t orders;
static volatile bool stop_asked, has_stopped;

uint64_t machine_time(void) {
    uint64_t time;
    __asm__ volatile("rdtime %0" : "=r"(time));
    return time;
}

static uint32_t hart(void) {
    uint64_t number;
    __asm__ volatile("csrr %0, mhartid" : "=r"(number));
    return (uint32_t)number;
}

static struct core *here(void) { return &cores[hart()]; }

static kymo_context context_of(const struct task *task) {
    return kymo_task_numbered((uint32_t)(task->counts - kernel_lives));
}

/* ---- the kernel's lock ---- */

static void spin_lock(void) {
    while (__atomic_exchange_n(&lock_word, 1u, __ATOMIC_ACQUIRE) != 0u) {}
}

static void spin_unlock(void) { __atomic_store_n(&lock_word, 0u, __ATOMIC_RELEASE); }

kymo_arch_state kernel_lock(void) {
    const kymo_arch_state state = kymo_arch_mask();
    spin_lock();
    return state;
}

void kernel_unlock(kymo_arch_state state) {
    spin_unlock();
    kymo_arch_unmask(state);
}

/* ---- counting ---- */

static void add(struct interval *sum, const struct moment *from, const struct moment *to) {
    sum->least += to->before > from->after ? to->before - from->after : 0u;
    sum->most += to->after - from->before;
}

/* The core's time belongs to that one from the moment on. */
static void charge(struct core *core, struct counts *counts, const struct moment *moment) {
    if (core->charged != NULL) {
        add(&core->charged->run, &core->since, moment);
    }
    core->charged = counts;
    core->since = *moment;
}

static void count_waker(struct counts *counts, const char *name) {
    uint32_t i = 0u;
    while (i < KERNEL_WAKERS - 1u && counts->wakers[i].name != NULL &&
           counts->wakers[i].name != name) {
        i++;
    }
    counts->wakers[i].name = name;
    counts->wakers[i].count++;
}

/* ---- the scheduler ---- */

static bool is_idle(const struct task *task) { return task->base == 0; }

static struct task *most_urgent(const struct core *core) {
    struct task *best = core->idle;
    for (uint32_t i = 0u; i < KERNEL_TASKS; i++) {
        struct task *task = &tasks[i];
        const bool may = task->state == READY || (task == core->runs && task->state == RUNS);
        const bool first = task->priority > best->priority ||
                           (task->priority == best->priority && task->order < best->order);
        if (may && !is_idle(task) && first) {
            best = task;
        }
    }
    return best;
}

/* The switched-out task may now run elsewhere, or its place be another's, as nobody needs its stack any more. */
static void finish_switch(void) {
    struct core *core = here();
    if (core->left != NULL && core->left->state == OVER) {
        core->left->state = FREE;
    }
    core->left = NULL;
}

static void begin(void) {
    finish_switch();
    void (*const entry)(void) = here()->runs->entry;
    spin_unlock();
    __asm__ volatile("csrsi mstatus, 8");
    entry();
    task_end(NULL);
}

static void count_switch(struct core *core, struct task *from, struct task *to,
                         const struct moment *moment) {
    if (from->state == RUNS) {
        from->state = READY;
        from->counts->preempted++;
    } else if (from->state == WAITS) {
        from->counts->waits[from->why]++;
    }
    from->since = *moment;
    if (to->is_woken) {
        add(&to->counts->ready, &to->since, moment);
        to->counts->first_runs++;
        to->is_woken = false;
    }
    to->counts->runs++;
    to->state = RUNS;
    charge(core, to->counts, moment);
}

/* Locked. What the core runs goes on, or is left: as it waits so many ticks at most, or another is more urgent. */
static void schedule(uint32_t limit) {
    struct core *core = here();
    struct task *from = core->runs;
    struct moment moment;
    if ((core->suspended != 0u && from->state == RUNS) || core->nesting != 0u) {
        return;
    }
    struct task *to = most_urgent(core);
    if (to == from) { /* trap 10: hooks come for that, too */
        kymo_task_out(true, 0u);
        kymo_task_in(context_of(from));
        return;
    }
    core->runs = to;
    core->left = from;
    kymo_task_out(from->state == RUNS, limit);
    moment.before = machine_time();
    kymo_task_in(context_of(to));
    moment.after = machine_time();
    count_switch(core, from, to, &moment);
    if (to->stack == 0u) {
        task_begin(&from->stack, (uintptr_t)&stacks[to - tasks][STACK_WORDS], begin);
    } else {
        task_switch(&from->stack, to->stack);
    }
    finish_switch();
}

/* Locked. A core that runs something less urgent looks again. */
static void call_cores(const struct task *task) {
    for (uint32_t i = 0u; i < core_count; i++) {
        if (&cores[i] != here() && cores[i].runs->priority < task->priority) {
            MSIP[i] = 1u;
        }
    }
}

static struct core *core_of(const struct task *task) {
    uint32_t i = 0u;
    while (i < core_count && cores[i].runs != task) {
        i++;
    }
    return i < core_count ? &cores[i] : NULL;
}

static void make_ready(struct task *task, uint32_t waker, const char *name,
                       const struct moment *put) {
    struct moment moment;
    if (task->state == WAITS && core_of(task) != NULL) { /* suspended, and has not left yet */
        task->state = RUNS;
    }
    if (task->state != WAITS) { /* traps 3 and 12: hooks come for that, too */
        if (task->state == READY || task->state == RUNS) {
            kymo_task_ready(context_of(task), waker);
        }
        return;
    }
    moment.before = machine_time();
    kymo_task_ready(context_of(task), waker);
    moment.after = machine_time();
    moment = put != NULL ? *put : moment;
    add(&task->counts->waited[task->why], &task->since, &moment);
    count_waker(task->counts, name);
    task->counts->wakes++;
    task->since = moment;
    task->is_woken = true;
    task->wakes_at = 0u;
    task->waits_for = NULL;
    task->order = ++orders;
    task->state = READY;
    call_cores(task);
}

static void wake_by_self(struct task *task) {
    make_ready(task, KYMO_WAKER_RUNS, here()->runs->counts->name, NULL);
}

/* "why" is what it waits for, "said" what the hook of the wait says. */
static void block(enum kymo_why why, enum kymo_why said, uintptr_t object, uint32_t milliseconds) {
    struct task *self = here()->runs;
    if (self->state == WAITS) { /* suspended while it waited for the kernel's lock */
        schedule(0u);
    }
    self->why = (uint8_t)why;
    self->wakes_at = milliseconds != 0u ? ticks + milliseconds : 0u;
    self->state = WAITS;
    if (said != KYMO_WHY_UNKNOWN) {
        kymo_task_why(said, object);
    }
    schedule(milliseconds);
}

/* ---- tasks ---- */

static struct task *new_task(const char *name, int32_t priority, enum kymo_context_kind kind) {
    struct task *task = tasks;
    while (task->state != FREE) {
        task++;
    }
    struct counts *counts = &kernel_lives[kernel_life_count++];
    counts->name = name;
    counts->kind = kind;
    counts->base = counts->highest = priority;
    *task = (struct task){.counts = counts, .base = priority, .priority = priority};
    kymo_task_new(context_of(task), kind, name, priority);
    return task;
}

struct task *task_create(const char *name, int32_t priority, void (*entry)(void)) {
    const kymo_arch_state state = kernel_lock();
    struct task *task = new_task(name, priority, KYMO_CONTEXT_TASK);
    task->entry = entry;
    struct moment moment;
    moment.before = machine_time();
    kymo_task_ready(context_of(task), KYMO_WAKER_RUNS);
    moment.after = machine_time();
    task->since = moment;
    task->counts->wakes++;
    count_waker(task->counts, here()->runs->counts->name);
    task->is_woken = true;
    task->order = ++orders;
    task->state = READY;
    call_cores(task);
    schedule(0u);
    kernel_unlock(state);
    return task;
}

struct task *task_self(void) {
    const kymo_arch_state state = kymo_arch_mask();
    struct task *self = here()->runs;
    kymo_arch_unmask(state);
    return self;
}

const struct counts *task_life(const struct task *task) { return task->counts; }

static bool is_over(const struct task *task, const struct counts *life) {
    return task->counts != life || task->state == OVER || task->state == FREE;
}

bool task_is_over(const struct task *task, const struct counts *life) {
    const kymo_arch_state state = kernel_lock();
    const bool over = is_over(task, life);
    kernel_unlock(state);
    return over;
}

static void set_priority(struct task *task, int32_t priority, enum kymo_priority_cause cause) {
    task->priority = priority;
    if (priority > task->counts->highest) {
        task->counts->highest = priority;
    }
    kymo_task_priority(context_of(task), priority, cause);
    if (task->state == READY || task->state == RUNS) {
        kymo_task_ready(context_of(task), KYMO_WAKER_RUNS); /* trap 3: it is no wake-up */
    }
}

void task_priority(struct task *task, int32_t priority) {
    const kymo_arch_state state = kernel_lock();
    task->base = task->counts->base = priority;
    set_priority(task, priority, KYMO_PRIORITY_SET);
    schedule(0u);
    kernel_unlock(state);
}

void task_work(uint32_t clocks) {
    const uint64_t start = machine_time();
    while (machine_time() - start < clocks) {}
}

void task_wait(enum kymo_why why, uintptr_t object, uint32_t milliseconds) {
    const kymo_arch_state state = kernel_lock();
    block(why, why, object, milliseconds);
    kernel_unlock(state);
}

void task_delay(uint32_t milliseconds) { task_wait(KYMO_WHY_DELAY, 0u, milliseconds); }

void task_wait_of_call(enum kymo_why why) {
    const kymo_arch_state state = kernel_lock();
    block(why, KYMO_WHY_NOTIFICATION, 0u, 0u);
    kernel_unlock(state);
}

bool task_waits_for(const struct task *task, enum kymo_why why) {
    const kymo_arch_state state = kernel_lock();
    const bool waits = task->state == WAITS && task->why == (uint8_t)why && task->pending == NULL;
    kernel_unlock(state);
    return waits;
}

void task_join(const struct task *task, const struct counts *life) {
    const kymo_arch_state state = kernel_lock();
    if (!is_over(task, life)) {
        block(KYMO_WHY_JOIN, KYMO_WHY_JOIN, 0u, 0u);
    }
    kernel_unlock(state);
}

void task_wait_untold(void) {
    const kymo_arch_state state = kernel_lock();
    block(KYMO_WHY_UNKNOWN, KYMO_WHY_UNKNOWN, 0u, 0u);
    kernel_unlock(state);
}

void task_wake(struct task *task) {
    const kymo_arch_state state = kernel_lock();
    wake_by_self(task);
    schedule(0u);
    kernel_unlock(state);
}

/* Trap 15: nothing else is told of one that runs on another core, until it leaves. */
void task_suspend(struct task *task) {
    const kymo_arch_state state = kernel_lock();
    struct core *core = core_of(task);
    struct moment moment;
    moment.before = machine_time();
    kymo_task_suspended(context_of(task));
    moment.after = machine_time();
    if (task->state == WAITS && core == NULL) {
        add(&task->counts->waited[task->why], &task->since, &moment);
    }
    task->state = WAITS;
    task->why = (uint8_t)KYMO_WHY_SUSPENDED;
    task->wakes_at = 0u;
    task->is_woken = false;
    if (core != NULL) {
        MSIP[core - cores] = 1u;
    } else {
        task->since = moment;
    }
    kernel_unlock(state);
}

_Noreturn void task_end(void (*interrupted)(void)) {
    kymo_arch_state state = kernel_lock();
    kymo_task_ends(context_of(here()->runs));
    if (interrupted != NULL) { /* it still runs, and nothing may take its core */
        here()->suspended = 1u;
        kernel_unlock(state);
        device_raise(interrupted);
        state = kernel_lock();
        here()->suspended = 0u;
    }
    here()->runs->state = OVER;
    for (uint32_t i = 0u; i < KERNEL_TASKS; i++) { /* those that join it */
        if (tasks[i].state == WAITS && tasks[i].why == KYMO_WHY_JOIN) {
            wake_by_self(&tasks[i]);
        }
    }
    schedule(0u);
    for (;;) {}
}

/* ---- locks ---- */

/* Trap 8: a kernel gives a mutex that it creates, though no task holds it. The hook reports only held ones. */
static void give(struct lock *lock) {
    struct task *self = lock->holder;
    if (self == NULL) {
        return;
    }
    KYMO_LOCK_RELEASE(lock);
    lock->holder = NULL;
    if (self->priority != self->base) {
        set_priority(self, self->base, KYMO_PRIORITY_GIVEN_BACK);
    }
    struct task *next = NULL;
    for (uint32_t i = 0u; i < KERNEL_TASKS; i++) {
        const bool waits = tasks[i].state == WAITS && tasks[i].waits_for == lock;
        next = waits && (next == NULL || tasks[i].priority > next->priority) ? &tasks[i] : next;
    }
    if (next != NULL) {
        wake_by_self(next);
    }
    schedule(0u);
}

void lock_create(struct lock *lock, const char *name, bool inherits) {
    const kymo_arch_state state = kernel_lock();
    *lock = (struct lock){.inherits = inherits};
    KYMO_LOCK(lock, name);
    give(lock);
    kernel_unlock(state);
}

void lock_take(struct lock *lock) {
    const kymo_arch_state state = kernel_lock();
    while (lock->holder != NULL) {
        struct task *self = here()->runs;
        if (lock->inherits && lock->holder->priority < self->priority) {
            set_priority(lock->holder, self->priority, KYMO_PRIORITY_INHERITED);
        }
        self->waits_for = lock;
        block(KYMO_WHY_LOCK, KYMO_WHY_LOCK, (uintptr_t)lock, 0u);
    }
    lock->holder = here()->runs;
    KYMO_LOCK_OBTAIN(lock);
    kernel_unlock(state);
}

void lock_give(struct lock *lock) {
    const kymo_arch_state state = kernel_lock();
    give(lock);
    kernel_unlock(state);
}

/* ---- a suspended scheduler ---- */

void kernel_suspend(void) {
    const kymo_arch_state state = kernel_lock();
    here()->suspended++;
    kernel_unlock(state);
}

void kernel_resume(void) {
    const kymo_arch_state state = kernel_lock();
    struct core *core = here();
    core->suspended--;
    while (core->pending != NULL) { /* trap 2: the resuming task reports the interrupt's actions */
        struct task *task = core->pending;
        const struct moment put = task->since;
        core->pending = task->pending;
        task->pending = NULL;
        task->since = task->pending_since;
        make_ready(task, KYMO_WAKER_RUNS, "device", &put);
    }
    schedule(0u);
    kernel_unlock(state);
}

/* ---- interrupts ---- */

static void enter(struct counts *counts, kymo_context context, uint32_t number) {
    struct core *core = here();
    struct moment moment;
    moment.before = machine_time();
    kymo_irq_enter(context, number);
    moment.after = machine_time();
    counts->kind = KYMO_CONTEXT_INTERRUPT;
    counts->name = number == KERNEL_TICK ? "tick" : "device";
    counts->runs++;
    charge(core, counts, &moment);
}

static void leave(struct counts *before, uint32_t number) {
    struct moment moment;
    moment.before = machine_time();
    kymo_irq_leave(number);
    moment.after = machine_time();
    charge(here(), before, &moment);
}

static void wake_sleepers(void) {
    ticks++;
    for (uint32_t i = 0u; i < KERNEL_TASKS; i++) {
        if (tasks[i].state == WAITS && tasks[i].wakes_at == ticks) {
            make_ready(&tasks[i], KERNEL_TICK + 1u, "tick", NULL);
        }
    }
}

static void call_handler(void) {
    struct core *core = here();
    void (*const handler)(void) = core->handler;
    if (handler != NULL) {
        core->nesting++;
        handler();
        core->nesting--;
        core->handler = NULL;
    }
}

/* Another interrupt interrupts this one. */
static void nest(struct core *core) {
    if (core->nested != NULL) {
        core->handler = core->nested;
        core->nested = NULL;
        MSIP[hart()] = 1u;
        __asm__ volatile("csrc mie, %0" ::"r"(MIE_TIMER)); /* none interrupts itself */
        __asm__ volatile("csrsi mstatus, 8" ::: "memory");
        while (core->handler != NULL) {}
        __asm__ volatile("csrci mstatus, 8" ::: "memory");
        __asm__ volatile("csrs mie, %0" ::"r"(MIE_TIMER));
    }
}

static void on_tick(void) {
    struct core *core = here();
    struct counts *before = core->charged;
    core->nesting++;
    enter(&kernel_ticks[hart()], (kymo_context)&tick, KERNEL_TICK);
    nest(core);
    spin_lock();
    if (hart() == 0u) {
        wake_sleepers();
    }
    core->runs->order = ++orders; /* those of equal priority take turns */
    spin_unlock();
    leave(before, KERNEL_TICK);
    core->nesting--;
}

static void next_tick(void) {
    const uint64_t now = machine_time();
    MTIMECMP[hart()] += ((now - MTIMECMP[hart()]) / TICK_CLOCKS + 1u) * TICK_CLOCKS;
#if KYMO_CLOCK == 2 /* trap 14: many switches have one time */
    if (hart() == 0u) {
        ++*(volatile uint64_t *)(uintptr_t)KYMO_CLOCK_ADDRESS;
    }
#endif
}

/* In place of the board's own. What it interrupts goes on with its own return address and state. */
void board_trap(unsigned long cause) {
    uintptr_t address, status;
    __asm__ volatile("csrr %0, mepc\n\tcsrr %1, mstatus" : "=r"(address), "=r"(status));
    if (cause == CAUSE_TIMER) {
        next_tick();
        if (here()->runs != NULL) {
            on_tick();
        }
    } else if (cause == CAUSE_SOFTWARE) {
        MSIP[hart()] = 0u;
        while (stop_asked) {
            has_stopped = true;
        }
        call_handler();
    } else {
        board_end(64 + (int)(cause & 0x3fu));
    }
    if (here()->nesting == 0u && here()->runs != NULL) {
        spin_lock();
        schedule(0u);
        spin_unlock();
    }
    __asm__ volatile("csrw mepc, %0\n\tcsrw mstatus, %1" ::"r"(address), "r"(status));
}

void device_raise(void (*handler)(void)) {
    const kymo_arch_state state = kymo_arch_mask();
    struct core *core = here();
    core->handler = handler;
    MSIP[hart()] = 1u;
    kymo_arch_unmask(state);
    while (core->handler == handler) {}
}

void device_raise_in_tick(void (*handler)(void)) {
    const kymo_arch_state state = kymo_arch_mask();
    struct core *core = here();
    core->nested = handler;
    kymo_arch_unmask(state);
    while (core->nested == handler) {}
}

static struct counts *interrupted[KERNEL_CORES];

void device_enter(void) {
    interrupted[hart()] = here()->charged;
    enter(&kernel_devices[hart()], (kymo_context)&device, KERNEL_DEVICE);
}

void device_leave(void) { leave(interrupted[hart()], KERNEL_DEVICE); }

void device_wake(struct task *task) {
    spin_lock();
    make_ready(task, KERNEL_DEVICE + 1u, "device", NULL);
    spin_unlock();
}

void device_wake_unhooked(struct task *task) {
    spin_lock();
    make_ready(task, KERNEL_DEVICE + 1u, "interrupt", NULL);
    spin_unlock();
}

void device_put(struct task *task, uintptr_t object, uint32_t level) {
    struct core *core = here();
    spin_lock();
    task->pending_since = task->since;
    task->since.before = machine_time();
    kymo_task_put(object, level);
    task->since.after = machine_time();
    task->pending = core->pending;
    core->pending = task;
    spin_unlock();
}

/* ---- start and stop ---- */

void kernel_tick_start(void) {
    MTIMECMP[hart()] = machine_time() + TICK_CLOCKS;
    __asm__ volatile("csrs mie, %0" ::"r"(MIE_SOFTWARE | MIE_TIMER));
    __asm__ volatile("csrsi mstatus, 8" ::: "memory");
}

/* The boot context of a core is its idle task. */
static void become_idle(const char *name) {
    const kymo_arch_state state = kernel_lock();
    struct core *core = here();
    struct moment moment;
    core->idle = core->runs = new_task(name, 0, KYMO_CONTEXT_IDLE);
    core->idle->state = RUNS;
    core->idle->counts->runs = 1u;
    moment.before = machine_time();
    kymo_task_in(context_of(core->idle));
    moment.after = machine_time();
    charge(core, core->idle->counts, &moment);
    kernel_unlock(state);
}

static void second_core(void) {
    become_idle("idle 1");
    core_count = 2u;
    kernel_tick_start();
    for (;;) {
        __asm__ volatile("wfi");
    }
}

void kernel_start(uint32_t count) {
    kymo_tasks_kernel("a kernel of the tests", 1000u, true);
    become_idle("idle 0");
    core_count = 1u;
    if (count > 1u) {
        (void)board_start_core(1u, second_core);
        while (core_count != count) {}
    }
}

void kernel_forget(void) {
    for (uint32_t i = 0u; i < kernel_life_count; i++) {
        struct counts *counts = &kernel_lives[i];
        *counts = (struct counts){.name = counts->name,
                                  .kind = counts->kind,
                                  .base = counts->base,
                                  .highest = counts->highest};
    }
    kernel_ticks[0] = kernel_devices[0] = (struct counts){0};
}

/* The other core stops where an interrupt comes, so with all told that it did. */
void kernel_stop(void) {
    struct moment moment;
    (void)kymo_arch_mask();
    stop_asked = true;
    while (core_count > 1u && !has_stopped) {
        MSIP[1] = 1u;
    }
    moment.before = machine_time();
    KYMO_MESSAGE("the kernel stops");
    moment.after = machine_time();
    for (uint32_t i = 0u; i < core_count; i++) {
        charge(&cores[i], NULL, &moment);
    }
    for (uint32_t i = 0u; i < KERNEL_TASKS; i++) {
        if (tasks[i].state == WAITS) {
            add(&tasks[i].counts->waited[tasks[i].why], &tasks[i].since, &moment);
        }
    }
}
