/* SPDX-License-Identifier: MIT */
/* The part of Zephyr's kernel that ports/rtos/zephyr uses, with the names and types of its
 * zephyr/kernel.h. The test implements it: it sets "model" and looks at it. */
#ifndef TESTS_ZEPHYR_KERNEL_H
#define TESTS_ZEPHYR_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

typedef struct {
    uint32_t threads;
} _wait_q_t;

/* Its alignment is 4, as on some 32-bit cores. */
struct k_thread {
    struct _thread_base {
        _wait_q_t *pended_on;
        uint32_t thread_state;
        int32_t prio;
        struct _timeout {
            uint32_t node; /* linked: not 0 */
        } timeout;
    } base;
    uint32_t rest[4];
    char name[16];
#ifdef CONFIG_THREAD_STACK_INFO
    struct _thread_stack_info {
        uintptr_t start;
        size_t size, delta;
    } stack_info;
#endif
};
typedef struct k_thread *k_tid_t;

#define _THREAD_PENDING (1u << 1)
#define _THREAD_PRESTART (1u << 2)
#define _THREAD_DEAD (1u << 3)
#define _THREAD_SUSPENDED (1u << 4)
#define _THREAD_ABORTING (1u << 5)
#define _THREAD_QUEUED (1u << 7)
#ifdef CONFIG_64BIT /* a newer release */
#define _THREAD_SLEEPING (1u << 6)
#endif
#define K_LOWEST_THREAD_PRIO 15

static inline bool sys_dnode_is_linked(const uint32_t *node) { return *node != 0u; }

struct k_mutex {
    struct k_thread *owner;
    uint32_t lock_count;
};

struct k_msgq {
    uint32_t used_msgs;
};

struct _cpu {
    uint8_t id;
    char *irq_stack; /* its end */
};

struct k_heap {
    _wait_q_t wait_q;
};

/* The test has it where stacks are asked for. */
extern struct z_kernel { struct _cpu cpus[2]; } _kernel;
#define ARCH_STACK_PTR_ALIGN 16

extern struct zephyr_model {
    struct _cpu cpu; /* which runs the test now */
    struct k_thread *current;
    bool masked, in_isr, scheduler_locked;
    uint64_t cycles; /* a look at them is one more */
    struct k_heap heaps[2];
} model;

/* Those of the type that the image defines: heaps alone. */
#define STRUCT_SECTION_FOREACH(type, each)                                                         \
    for (struct type *each = model.heaps; each < model.heaps + ARRAY_SIZE(model.heaps); each++)

#define _current (model.current)

static inline struct _cpu *arch_curr_cpu(void) { return &model.cpu; }

static inline unsigned int arch_irq_lock(void) {
    const unsigned int before = model.masked;
    model.masked = true;
    return before;
}
static inline void arch_irq_unlock(unsigned int key) { model.masked = key != 0u; }

static inline uint64_t k_cycle_get_64(void) { return ++model.cycles; }
static inline uint32_t k_cycle_get_32(void) { return (uint32_t)++model.cycles; }
static inline uint32_t sys_clock_hw_cycles_per_sec(void) { return 1000000u; }

/* Taken twice, it would hang a board with more than one CPU. */
struct k_spinlock {
    bool held;
};
typedef struct {
    unsigned int key;
} k_spinlock_key_t;

static inline k_spinlock_key_t k_spin_lock(struct k_spinlock *lock) {
    if (lock->held) {
        abort();
    }
    lock->held = true;
    return (k_spinlock_key_t){.key = arch_irq_lock()};
}
static inline void k_spin_unlock(struct k_spinlock *lock, k_spinlock_key_t key) {
    lock->held = false;
    arch_irq_unlock(key.key);
}

static inline const char *k_thread_name_get(k_tid_t thread) { return thread->name; }

static inline bool k_is_in_isr(void) { return model.in_isr; }
static inline void k_sched_lock(void) { model.scheduler_locked = true; }
static inline void k_sched_unlock(void) { model.scheduler_locked = false; }

#ifdef CONFIG_THREAD_STACK_INFO
static inline int k_thread_stack_space_get(const struct k_thread *thread, size_t *unused) {
    *unused = thread->stack_info.size / 4u;
    return model.scheduler_locked ? 0 : -1;
}
#endif

/* Time, and threads. */
typedef struct {
    int64_t ms;
} k_timeout_t;
struct k_sem {
    unsigned count;
};

#define K_MSEC(time_ms) ((k_timeout_t){.ms = (time_ms)})
#define K_NO_WAIT K_MSEC(0)
#define K_LOWEST_APPLICATION_THREAD_PRIO 14
#define MIN(a, b) ((a) < (b) ? (a) : (b))

#define BUILD_ASSERT(condition, text) _Static_assert(condition, text)
#define K_SEM_DEFINE(name, initial, limit) struct k_sem name = {.count = (initial)}
#define K_THREAD_DEFINE(name, stack, entry, p1, p2, p3, priority, options, delay)                  \
    extern void (*const name)(void *, void *, void *);                                             \
    void (*const name)(void *, void *, void *) = (entry);                                          \
    _Static_assert((stack) > 0 && (priority) > 0 && (options) == 0 && (delay) == 0, "")

int64_t k_uptime_get(void);
void k_sem_give(struct k_sem *sem);
int k_sem_take(struct k_sem *sem, k_timeout_t timeout);

#include <zephyr/sys/util_macro.h>

#endif
