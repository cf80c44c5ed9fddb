/* SPDX-License-Identifier: MIT */
/* Records the kernel's hooks: threads, their states and why they wait, locks, interrupts. */
#include <zephyr/kernel.h>
#include <zephyr/sys/iterable_sections.h>
#include <zephyr/tracing/tracing.h>
#if __has_include(<zephyr/version.h>)
#include <zephyr/version.h>
#else
#include <version.h>
#endif

#include "identity.h"
#include "interrupts.h"
#include "kernel.h"
#include "kymo/arch.h"
#include "kymo/tasks.h"

/* The hooks do not tell which interrupt it is. */
#define INTERRUPT (KYMO_WAKER_INTERRUPT - 1u)

#ifdef _THREAD_SLEEPING
#define SLEEPS _THREAD_SLEEPING
#else
#define SLEEPS 0
#endif
#define NOT_READY                                                                                  \
    (_THREAD_PENDING | _THREAD_PRESTART | _THREAD_DEAD | _THREAD_SUSPENDED | _THREAD_ABORTING |    \
     SLEEPS)

_Static_assert(KYMO_ZEPHYR_DELAY == KYMO_WHY_DELAY && KYMO_ZEPHYR_EMPTY == KYMO_WHY_EMPTY &&
                   KYMO_ZEPHYR_FULL == KYMO_WHY_FULL &&
                   KYMO_ZEPHYR_SEMAPHORE == KYMO_WHY_SEMAPHORE &&
                   KYMO_ZEPHYR_FLAGS == KYMO_WHY_FLAGS && KYMO_ZEPHYR_JOIN == KYMO_WHY_JOIN &&
                   KYMO_ZEPHYR_MEMORY == KYMO_WHY_MEMORY &&
                   KYMO_ZEPHYR_CONDITION == KYMO_WHY_CONDITION,
               "the header's numbers are those of the wire");

KYMO_CONTEXT(interrupts, "interrupt", KYMO_CONTEXT_INTERRUPT);

/* Some hooks come without any lock of the kernel. Never held while the kernel's are taken. */
static struct k_spinlock lock;

/* Per CPU. */
static struct {
    bool named;
    /* A mutex is about to change the priority of its owner. */
    enum kymo_priority_cause cause;
} cpus[KYMO_LANES];

/* ---- CPUs and interrupts ---- */

#if CONFIG_MP_MAX_NUM_CPUS > 1
static const char *const cpu_names[] = {"cpu 0", "cpu 1", "cpu 2", "cpu 3", "cpu 4",  "cpu 5",
                                        "cpu 6", "cpu 7", "cpu 8", "cpu 9", "cpu 10", "cpu 11"};
#else
static const char *const cpu_names[] = {"cpu"};
#endif

/* Only the CPU itself can name its lane. */
static void name_cpu(uintptr_t cpu) {
    cpus[cpu].named = true;
    kymo_lane_name(cpu < ARRAY_SIZE(cpu_names) ? cpu_names[cpu] : "cpu");
}

void kymo_zephyr_interrupt_enter(void) { kymo_irq_enter((kymo_context)&interrupts, INTERRUPT); }
void kymo_zephyr_interrupt_leave(void) { kymo_irq_leave(INTERRUPT); }

/* ---- threads ---- */

/* Only idle threads have the lowest priority. */
static enum kymo_context_kind kind_of(int priority) {
    return priority == K_LOWEST_THREAD_PRIO ? KYMO_CONTEXT_IDLE : KYMO_CONTEXT_TASK;
}

/* Created, or named. */
void kymo_zephyr_thread_new(struct k_thread *thread) {
    const int priority = thread->base.prio;
    const k_spinlock_key_t key = k_spin_lock(&lock);
    kymo_tasks_kernel("Zephyr " KERNEL_VERSION_STRING, CONFIG_SYS_CLOCK_TICKS_PER_SEC, false);
    kymo_task_new(kymo_zephyr_identity(thread), kind_of(priority), k_thread_name_get(thread),
                  priority);
    k_spin_unlock(&lock, key);
}

void kymo_zephyr_thread_ends(struct k_thread *thread) {
    const k_spinlock_key_t key = k_spin_lock(&lock);
    kymo_task_ends(kymo_zephyr_identity(thread));
    kymo_zephyr_identity_ends(thread);
    k_spin_unlock(&lock, key);
}

static bool has_time_out(const struct k_thread *thread) {
#ifdef CONFIG_SYS_CLOCK_EXISTS
    return sys_dnode_is_linked(&thread->base.timeout.node);
#else
    (void)thread;
    return false;
#endif
}

/* An allocation may wait several times, of which the hook reports the first. */
static void look_at_heaps(const _wait_q_t *queue) {
    STRUCT_SECTION_FOREACH(k_heap, heap) {
        if (&heap->wait_q == queue) {
            kymo_task_why(KYMO_WHY_MEMORY, (uintptr_t)heap);
        }
    }
}

/* Under the scheduler's lock. "_current", as k_current_get() may come from thread-local storage that is not yet the new
 * thread's, and k_sched_current_thread_query() is not in older releases. */
void kymo_zephyr_switched_out(void) {
    const struct k_thread *thread = _current;
    const uint32_t state = thread->base.thread_state;
    const bool is_ready = (state & NOT_READY) == 0u;
    if ((state & _THREAD_PENDING) != 0u) {
        look_at_heaps(thread->base.pended_on);
    } else if (!is_ready) {
        const bool sleeps = (state & SLEEPS) != 0u || has_time_out(thread);
        kymo_task_why(sleeps ? KYMO_WHY_DELAY : KYMO_WHY_SUSPENDED, 0u);
    }
    cpus[kymo_arch_lane()].cause = KYMO_PRIORITY_SET;
    kymo_task_out(is_ready, 0u);
}

void kymo_zephyr_switched_in(void) {
    const k_spinlock_key_t key = k_spin_lock(&lock);
    const uintptr_t cpu = kymo_arch_lane();
    if (!cpus[cpu].named) {
        name_cpu(cpu);
    }
    kymo_task_in(kymo_zephyr_identity(_current));
    k_spin_unlock(&lock, key);
}

void kymo_zephyr_ready(struct k_thread *thread) {
    kymo_task_ready(kymo_zephyr_identity(thread),
                    k_is_in_isr() ? KYMO_WAKER_INTERRUPT : KYMO_WAKER_RUNS);
}

/* The hook comes when the scheduler's lock is free again: a thread that was resumed meanwhile is not suspended. */
void kymo_zephyr_suspended(struct k_thread *thread) {
    const unsigned int key = arch_irq_lock();
    if ((thread->base.thread_state & (_THREAD_SUSPENDED | _THREAD_DEAD)) == _THREAD_SUSPENDED &&
        !has_time_out(thread)) {
        kymo_task_suspended(kymo_zephyr_identity(thread));
    }
    arch_irq_unlock(key);
}

void kymo_zephyr_priority(struct k_thread *thread, int priority) {
    const unsigned int key = arch_irq_lock();
    enum kymo_priority_cause *cause = &cpus[kymo_arch_lane()].cause;
    kymo_task_priority(kymo_zephyr_identity(thread), priority, *cause);
    *cause = KYMO_PRIORITY_SET;
    arch_irq_unlock(key);
}

/* ---- why threads wait ---- */

void kymo_zephyr_waits(unsigned why, const void *object) {
    const unsigned int key = arch_irq_lock();
    kymo_task_why((enum kymo_why)why, (uintptr_t)object);
    arch_irq_unlock(key);
}

void kymo_zephyr_call_waits(unsigned why, const void *object) {
    const unsigned int key = arch_irq_lock();
    kymo_task_why_of_call((enum kymo_why)why, (uintptr_t)object);
    arch_irq_unlock(key);
}

void kymo_zephyr_call_ends(void) {
    const unsigned int key = arch_irq_lock();
    kymo_task_why_ends();
    arch_irq_unlock(key);
}

static void changes_priority(enum kymo_priority_cause cause) {
    const unsigned int key = arch_irq_lock();
    cpus[kymo_arch_lane()].cause = cause;
    arch_irq_unlock(key);
}

/* The waits of a lock are also recorded without events of tasks. */
void kymo_zephyr_mutex_waits(struct k_mutex *mutex) {
    kymo_object_event(KYMO_KIND_LOCK_WAIT, (uintptr_t)mutex);
    kymo_zephyr_waits(KYMO_WHY_LOCK, mutex);
    changes_priority(KYMO_PRIORITY_INHERITED);
}

/* A mutex that its owner locks several times is one lock. */
void kymo_zephyr_mutex_locked(struct k_mutex *mutex, int result) {
    changes_priority(KYMO_PRIORITY_SET);
    if (result == 0 && mutex->lock_count == 1u) {
        kymo_object_event(KYMO_KIND_LOCK_OBTAIN, (uintptr_t)mutex);
    }
}

/* Told before it is so: afterwards the next owner may have run already. */
void kymo_zephyr_mutex_unlocks(struct k_mutex *mutex) {
    if (mutex->owner == _current && mutex->lock_count == 1u) {
        changes_priority(KYMO_PRIORITY_GIVEN_BACK);
        kymo_object_event(KYMO_KIND_LOCK_RELEASE, (uintptr_t)mutex);
    }
}

void kymo_zephyr_mutex_unlocked(void) { changes_priority(KYMO_PRIORITY_SET); }

void kymo_zephyr_put(const void *object, unsigned level) {
    const unsigned int key = arch_irq_lock();
    kymo_task_put((uintptr_t)object, level);
    arch_irq_unlock(key);
}

void kymo_zephyr_got(const void *object, unsigned level) {
    const unsigned int key = arch_irq_lock();
    kymo_task_get((uintptr_t)object, level);
    arch_irq_unlock(key);
}

/* ---- stacks ---- */

#ifdef KYMO_ZEPHYR_STACKS

/* The scheduler is locked, so that no thread of this CPU ends the one that is looked at. */
void kymo_zephyr_look_at_a_stack(void) {
    static uint32_t place;
    kymo_context task;
    const char *name;
    size_t unused;
    k_sched_lock();
    if (kymo_task_at(&place, &task, &name)) {
        struct k_thread *thread =
            (struct k_thread *)((uintptr_t)name - offsetof(struct k_thread, name));
        if (k_thread_stack_space_get(thread, &unused) == 0) {
            kymo_task_stack(task, (uint32_t)unused, (uint32_t)thread->stack_info.size);
        }
    }
    k_sched_unlock();
}

#endif
