/* SPDX-License-Identifier: MIT */
/* The part of NuttX's headers that kymo_nuttx.c uses, with their names and types. */
#ifndef NUTTX_SCHED_H
#define NUTTX_SCHED_H

#include <stdbool.h>
#include <stdint.h>

#define CONFIG_VERSION_STRING "12.0.0"
#define TICK_PER_SEC 100
#define SEM_TYPE_MUTEX 4
#define RISCV_MAX_EXCEPTION 15

enum tstate_e {
    TSTATE_TASK_INVALID = 0,
    TSTATE_TASK_PENDING,
    TSTATE_TASK_READYTORUN,
    TSTATE_TASK_ASSIGNED,
    TSTATE_TASK_RUNNING,
    TSTATE_TASK_INACTIVE,
    TSTATE_WAIT_SEM,
    TSTATE_WAIT_SIG,
    TSTATE_WAIT_EVENT,
    TSTATE_WAIT_MQNOTEMPTY,
    TSTATE_WAIT_MQNOTFULL
};
#define FIRST_BLOCKED_STATE TSTATE_TASK_INACTIVE

typedef struct sem_s {
    uint8_t flags;
} sem_t;

struct wdog_s {
    void (*func)(void);
};
#define WDOG_ISACTIVE(wdog) ((wdog)->func != 0)

struct tcb_s {
    int pid;
    uint8_t sched_priority, task_state;
    void *waitobj;
    struct wdog_s waitdog;
    char name[16];
};

void nxsched_ticksleep(unsigned ticks);

void sched_note_start(struct tcb_s *tcb);
void sched_note_stop(struct tcb_s *tcb);
void sched_note_suspend(struct tcb_s *tcb);
void sched_note_resume(struct tcb_s *tcb);
void sched_note_cpu_start(struct tcb_s *tcb, int cpu);
void sched_note_cpu_started(struct tcb_s *tcb);
void sched_note_cpu_pause(struct tcb_s *tcb, int cpu);
void sched_note_cpu_paused(struct tcb_s *tcb);
void sched_note_cpu_resume(struct tcb_s *tcb, int cpu);
void sched_note_cpu_resumed(struct tcb_s *tcb);
void sched_note_irqhandler(int irq, void *handler, bool enter);

#endif
