/* SPDX-License-Identifier: MIT */
/* A preemptive kernel for qemu-virt-riscv64, with one hart or two. It tells the recorder by kymo/tasks.h what its tasks
 * do, as the hooks of real kernels do; and it counts by itself, without kymo, what each did. By these counts
 * expected.py judges hostlink. */
#ifndef KERNEL_H
#define KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "kymo/arch.h"
#include "kymo/tasks.h"

#define KERNEL_CORES 2u
#define KERNEL_TASKS 24u /* at a time */
#define KERNEL_LIVES 256u
#define KERNEL_WAKERS 24u                    /* of one task */
enum { KERNEL_TICK = 7, KERNEL_DEVICE = 8 }; /* numbers of interrupts */

/* The clock before and after the recorder was told of something: it happened in between. */
struct moment {
    uint64_t before, after;
};
/* Bounds of a duration in ticks of the machine's clock. */
struct interval {
    uint64_t least, most;
};

/* Counts of a task in one life, or of an interrupt on one core. */
struct counts {
    const char *name;
    enum kymo_context_kind kind;
    int32_t base, highest; /* priorities; the greater is more urgent */
    uint32_t runs, preempted, wakes;
    uint32_t waits[KYMO_WHY_OVER];
    struct interval run, waited[KYMO_WHY_OVER],
        ready;           /* ready: from each wake-up to the run after it */
    uint32_t first_runs; /* after a wake-up */
    struct {
        const char *name;
        uint32_t count;
    } wakers[KERNEL_WAKERS];
};
extern struct counts kernel_lives[KERNEL_LIVES];
extern uint32_t kernel_life_count;
extern struct counts kernel_ticks[KERNEL_CORES], kernel_devices[KERNEL_CORES];

struct task;
struct lock {
    struct task *volatile holder;
    bool inherits;
};

uint64_t machine_time(void);

/* Its timer interrupts the hart from here on. Before kymo_init(), as the recorder's clock may count its interrupts. */
void kernel_tick_start(void);
/* On hart 0, which goes on as its idle task; the other hart begins when the first task is ready for it. */
void kernel_start(uint32_t cores);
/* Masks interrupts, and holds the kernel's lock. */
kymo_arch_state kernel_lock(void);
void kernel_unlock(kymo_arch_state state);
/* Locked, with one hart: counting starts again. */
void kernel_forget(void);
/* By hart 0, outside of tasks: the counters stand still from here on, and nothing else runs. */
void kernel_stop(void);

/* A name, its priority and what it does; it ends when that returns. */
struct task *task_create(const char *name, int32_t priority, void (*entry)(void));
struct task *task_self(void);
bool task_is_over(const struct task *task, const struct counts *life);
const struct counts *task_life(const struct task *task);
void task_priority(struct task *task, int32_t priority);
/* For some 100 ns each. */
void task_work(uint32_t ticks);
void task_delay(uint32_t milliseconds);
/* Until task_wake(), or so many milliseconds have passed (0: no limit). */
void task_wait(enum kymo_why why, uintptr_t object, uint32_t milliseconds);
/* In a call that waits by a notification, and whose own reason counts. */
void task_wait_of_call(enum kymo_why why);
/* Nobody says why. */
void task_wait_untold(void);
void task_wake(struct task *task);
/* Another one, until task_wake(). */
void task_suspend(struct task *task);
bool task_waits_for(const struct task *task, enum kymo_why why);
/* Until a task ends: that one, or another. */
void task_join(const struct task *task, const struct counts *life);
/* Runs on until its core switches; "interrupted" comes before. */
_Noreturn void task_end(void (*interrupted)(void));

void lock_create(struct lock *lock, const char *name, bool inherits);
void lock_take(struct lock *lock);
void lock_give(struct lock *lock);

/* The core goes on with this task. What interrupts wake meanwhile is made ready by kernel_resume(). */
void kernel_suspend(void);
void kernel_resume(void);

/* An interrupt comes here and now, or within the next tick of this core; "handler" is it. */
void device_raise(void (*handler)(void));
void device_raise_in_tick(void (*handler)(void));
/* In handlers. */
void device_enter(void);
void device_leave(void);
/* By an interrupt that says that it is one, or by one without a hook. */
void device_wake(struct task *task);
void device_wake_unhooked(struct task *task);
/* Puts an item into the object for which the task waits, while the scheduler is suspended. */
void device_put(struct task *task, uintptr_t object, uint32_t level);

#endif
