/* SPDX-License-Identifier: MIT */
/* Records the notes of NuttX's scheduler (sched_note.h), and sends them by a thread. README.md says how to build it. */
#include <nuttx/config.h>

#include <nuttx/clock.h>
#include <nuttx/sched.h>
#include <nuttx/sched_note.h>
#include <nuttx/semaphore.h>
#include <nuttx/version.h>
#include <nuttx/wdog.h>

#include "kymo_nuttx.h"

#if __has_include("kymo/tasks.h")
#include "kymo/tasks.h"
#else /* the form of two files */
#include "kymo.h"
#endif

#if KYMO_TASKS == 0
#error "kymo: set KYMO_TASKS, to 32 for example: kymo_nuttx.c records by kymo/tasks.h"
#endif
#ifndef CONFIG_SCHED_INSTRUMENTATION_SWITCH
#error "kymo: set CONFIG_SCHED_INSTRUMENTATION_SWITCH, and CONFIG_DRIVERS_NOTE=n"
#endif
#if defined(CONFIG_SMP) && CONFIG_SMP_NCPUS > KYMO_LANES
#error "kymo: set KYMO_LANES to CONFIG_SMP_NCPUS at least"
#endif

#ifdef CONFIG_SMP
#define CPUS CONFIG_SMP_NCPUS
#else
#define CPUS 1
#endif

KYMO_CONTEXT(interrupts, "interrupt", KYMO_CONTEXT_INTERRUPT);

/* The kernel counts process ids, and begins again after 2^31 only. The first ones are the idle tasks'. */
static kymo_context of(const struct tcb_s *tcb) { return kymo_task_numbered((uint32_t)tcb->pid); }

static const char *name_of(const struct tcb_s *tcb) {
#if CONFIG_TASK_NAME_SIZE > 0
    return tcb->name;
#else
    (void)tcb;
    return NULL;
#endif
}

/* ---- tasks: the kernel's critical section is held ---- */

void sched_note_start(struct tcb_s *tcb) {
    const bool idle = tcb->pid < CPUS;
    kymo_tasks_kernel("NuttX " CONFIG_VERSION_STRING, (uint32_t)TICK_PER_SEC, true);
    kymo_task_new(of(tcb), idle ? KYMO_CONTEXT_IDLE : KYMO_CONTEXT_TASK, name_of(tcb),
                  (int32_t)tcb->sched_priority);
    if (idle) { /* its own core says so, which runs it */
        kymo_task_in(of(tcb));
    }
}

void sched_note_stop(struct tcb_s *tcb) { kymo_task_ends(of(tcb)); }

/* ---- switches: interrupts of the core are masked ---- */

static void tell_semaphore(const sem_t *sem) {
    const bool mutex = sem != NULL && (sem->flags & SEM_TYPE_MUTEX) != 0;
    kymo_task_why(mutex ? KYMO_WHY_LOCK : KYMO_WHY_SEMAPHORE, (uintptr_t)sem);
}

static void tell_why(const struct tcb_s *tcb) {
    const uintptr_t object = (uintptr_t)tcb->waitobj;
    switch (tcb->task_state) {
    case TSTATE_TASK_INACTIVE: /* it is over, which sched_note_stop() says next */
        kymo_task_why(KYMO_WHY_OVER, 0u);
        break;
    case TSTATE_WAIT_SEM:
        tell_semaphore(tcb->waitobj);
        break;
    case TSTATE_WAIT_SIG: /* which sleep is, too */
        kymo_task_why(WDOG_ISACTIVE(&tcb->waitdog) ? KYMO_WHY_DELAY : KYMO_WHY_NOTIFICATION, 0u);
        break;
#ifdef CONFIG_SCHED_EVENTS
    case TSTATE_WAIT_EVENT:
        kymo_task_why(KYMO_WHY_FLAGS, object);
        break;
#endif
#if !defined(CONFIG_DISABLE_MQUEUE) || !defined(CONFIG_DISABLE_MQUEUE_SYSV)
    case TSTATE_WAIT_MQNOTEMPTY:
        kymo_task_why(KYMO_WHY_EMPTY, object);
        break;
    case TSTATE_WAIT_MQNOTFULL:
        kymo_task_why(KYMO_WHY_FULL, object);
        break;
#endif
#ifdef CONFIG_LEGACY_PAGING
    case TSTATE_WAIT_PAGEFILL:
        kymo_task_why(KYMO_WHY_MEMORY, 0u);
        break;
#endif
#ifdef CONFIG_SIG_SIGSTOP_ACTION
    case TSTATE_TASK_STOPPED:
        kymo_task_why(KYMO_WHY_SUSPENDED, 0u);
        break;
#endif
    default:
        break;
    }
}

/* Also called for a task that continues: then its state is that of a running one, and nothing is recorded. */
void sched_note_suspend(struct tcb_s *tcb) {
    const bool ready = tcb->task_state < FIRST_BLOCKED_STATE;
    if (!ready) {
        tell_why(tcb);
    }
    kymo_task_out(ready, 0u);
}

void sched_note_resume(struct tcb_s *tcb) { kymo_task_in(of(tcb)); }

#ifdef CONFIG_SMP
void sched_note_cpu_start(struct tcb_s *tcb, int cpu) { (void)tcb, (void)cpu; }
void sched_note_cpu_started(struct tcb_s *tcb) { (void)tcb; }
void sched_note_cpu_pause(struct tcb_s *tcb, int cpu) { (void)tcb, (void)cpu; }
void sched_note_cpu_paused(struct tcb_s *tcb) { (void)tcb; }
void sched_note_cpu_resume(struct tcb_s *tcb, int cpu) { (void)tcb, (void)cpu; }
void sched_note_cpu_resumed(struct tcb_s *tcb) { (void)tcb; }
#endif

#ifdef CONFIG_SCHED_INSTRUMENTATION_IRQHANDLER
/* Calls of the kernel come here, too, where they are exceptions. */
static bool is_call(int irq) {
#ifdef RISCV_MAX_EXCEPTION
    return irq <= RISCV_MAX_EXCEPTION;
#else
    (void)irq;
    return false;
#endif
}

void sched_note_irqhandler(int irq, void *handler, bool enter) {
    (void)handler;
    if (!is_call(irq)) {
        if (enter) {
            kymo_irq_enter((kymo_context)&interrupts, (uint32_t)irq);
        } else {
            kymo_irq_leave((uint32_t)irq);
        }
    }
}
#endif

/* ---- the thread that sends ---- */

int kymo_nuttx_trace(int argc, char *argv[]) {
    (void)argc, (void)argv;
    for (;;) {
        while (kymo_drain(0u)) {}
        nxsched_ticksleep(1u);
    }
    return 0;
}
