/* What the trace macros of kymo_freertos.h record. */
#include "FreeRTOS.h"

#if __has_include("kymo/kymo.h")
#include "kymo/kymo.h"
#else /* the form of two files */
#include "kymo.h"
#endif

/* Interrupts in interrupts; those nested deeper are not recorded. */
#define DEPTH 16u
#define TICK_EXCEPTION 15u

KYMO_CONTEXT(tick, "tick", KYMO_CONTEXT_INTERRUPT);
KYMO_CONTEXT(interrupts, "interrupt", KYMO_CONTEXT_INTERRUPT);

static kymo_context running; /* 0: the scheduler has not started */
static kymo_context over;    /* deleted itself and runs on until the next switch; 0: none */

static volatile uint32_t depth;
static struct {
    kymo_context before;
    uint32_t exception;
} entries[DEPTH];

/* A control block's memory is used again at once: the lives in it take turns with the addresses inside of it. */
static kymo_context identity(const void *tcb, unsigned long number) {
    const uintptr_t places = sizeof(StaticTask_t) / 8u - 1u;
    return (((uintptr_t)tcb + 7u) & ~(uintptr_t)7u) + (number % places) * 8u;
}

void kymo_freertos_task_new(const void *tcb, unsigned long number, const char *name) {
    if (name[0] != '\0') {
        kymo_context_name(identity(tcb, number), KYMO_CONTEXT_TASK, name);
    }
}

void kymo_freertos_task_over(const void *tcb, unsigned long number) {
    const kymo_context task = identity(tcb, number);
    if (task == running) {
        over = task;
    } else {
        kymo_context_end(task);
    }
}

void kymo_freertos_task_in(const void *tcb, unsigned long number) {
    const kymo_context task = identity(tcb, number);
    if (task == running) {
        return;
    }
    running = task;
    (void)kymo_context_switch(task);
    if (over != 0u) {
        kymo_context_end(over);
        over = 0u;
    }
}

/* 0 where the core does not say which exception it handles. */
static uint32_t exception(void) {
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
    uint32_t number;
    __asm__ volatile("mrs %0, ipsr" : "=r"(number));
    return number;
#else
    return 0u;
#endif
}

/* The depth is raised first and lowered last: an interrupt in between takes the place above. */
void kymo_freertos_interrupt_enter(void) {
    const uint32_t place = depth;
    depth = place + 1u;
    if (place < DEPTH) {
        entries[place].exception = exception();
        const bool is_tick = entries[place].exception == TICK_EXCEPTION;
        entries[place].before =
            kymo_interrupt_enter(is_tick ? (kymo_context)&tick : (kymo_context)&interrupts);
    }
}

/* portYIELD_FROM_ISR() calls it from handlers that never entered: only the handler that entered last leaves. */
void kymo_freertos_interrupt_leave(void) {
    const uint32_t entered = depth;
    if (entered == 0u || (entered <= DEPTH && entries[entered - 1u].exception != exception())) {
        return;
    }
    if (entered <= DEPTH) {
        kymo_interrupt_leave(entries[entered - 1u].before);
    }
    depth = entered - 1u;
}

void kymo_freertos_mutex_new(const void *mutex) {
    kymo_object((uintptr_t)mutex, KYMO_OBJECT_LOCK, NULL, NULL);
}

void kymo_freertos_mutex_name(const void *mutex, const char *name) {
    if (name != NULL) {
        kymo_object((uintptr_t)mutex, KYMO_OBJECT_LOCK, name, NULL);
    }
}

void kymo_freertos_mutex_over(const void *mutex) {
    kymo_object_event(KYMO_KIND_OBJECT_END, (uintptr_t)mutex);
}

void kymo_freertos_mutex_wait(const void *mutex) {
    kymo_object_event(KYMO_KIND_LOCK_WAIT, (uintptr_t)mutex);
}

void kymo_freertos_mutex_take(const void *mutex) {
    kymo_object_event(KYMO_KIND_LOCK_OBTAIN, (uintptr_t)mutex);
}

void kymo_freertos_mutex_give(const void *mutex) {
    kymo_object_event(KYMO_KIND_LOCK_RELEASE, (uintptr_t)mutex);
}
