/* Threads, their switches, and interrupts: the hooks of CONFIG_TRACING_USER. */
#include "kernel.h"

#include <zephyr/kernel.h>
#include <zephyr/tracing/tracing.h>

#include "identity.h"
#include "kymo/arch.h"
#include "kymo/kymo.h"

/* Interrupts in interrupts, of which more are not recorded: a Cortex-M has at most 256 priorities, no firmware
 * uses more than a few. */
#define DEPTH 16u

KYMO_CONTEXT(interrupts, "interrupt", KYMO_CONTEXT_INTERRUPT);

/* Per CPU. */
static struct {
    volatile uint32_t depth;
    kymo_context before[DEPTH];
    bool named;
} cpus[KYMO_LANES];

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

/* The kernel calls it where its CPU cannot change. "_current", as k_current_get() may come from thread-local storage
 * that is not yet the new thread's, and k_sched_current_thread_query() is not in older releases. */
void sys_trace_thread_switched_in_user(void) {
    const uintptr_t cpu = kymo_arch_lane();
    if (!cpus[cpu].named) {
        name_cpu(cpu);
    }
    (void)kymo_context_switch(kymo_zephyr_identity(_current));
}

void kymo_zephyr_thread_ends(struct k_thread *thread) {
    kymo_context_end(kymo_zephyr_identity(thread));
    kymo_zephyr_identity_ends(thread);
}

/* The depth is raised first and lowered last: an interrupt in between finds its place above ours, and leaves it
 * as it was. */
void sys_trace_isr_enter_user(void) {
    const uintptr_t cpu = kymo_arch_lane();
    const uint32_t place = cpus[cpu].depth;
    cpus[cpu].depth = place + 1u;
    if (place < DEPTH) {
        cpus[cpu].before[place] = kymo_interrupt_enter((kymo_context)&interrupts);
    }
}

void sys_trace_isr_exit_user(void) {
    const uintptr_t cpu = kymo_arch_lane();
    const uint32_t depth = cpus[cpu].depth;
    if (depth == 0u) {
        return;
    }
    if (depth <= DEPTH) {
        kymo_interrupt_leave(cpus[cpu].before[depth - 1u]);
    }
    cpus[cpu].depth = depth - 1u;
}

#ifdef CONFIG_KYMO_NAMES_MS

static void name_thread(const struct k_thread *thread, void *unused) {
    (void)unused;
    const char *name = k_thread_name_get((k_tid_t)(uintptr_t)thread);
    if (name != NULL && name[0] != '\0') {
        kymo_context_name(kymo_zephyr_identity(thread), KYMO_CONTEXT_TASK, name);
    }
}

void kymo_zephyr_name_threads(void) { k_thread_foreach(name_thread, NULL); }

/* At once, so that what is shown live, or ends soon, has its name. */
void sys_trace_thread_create_user(struct k_thread *thread) { name_thread(thread, NULL); }
void sys_trace_thread_name_set_user(struct k_thread *thread) { name_thread(thread, NULL); }

#endif
