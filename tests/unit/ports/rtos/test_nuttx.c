/* SPDX-License-Identifier: MIT */
/* The glue of NuttX against notes in the order in which its scheduler sends them, and a recorder that writes down what
 * it is told. */
#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "kymo/tasks.h"
#include "kymo_nuttx.h"
#include "nuttx/sched.h"

static char told[4096];
static unsigned drains, sleeps;
static jmp_buf asleep;

static void __attribute__((format(printf, 1, 2))) tell(const char *format, ...) {
    const size_t length = strlen(told);
    va_list args;
    va_start(args, format);
    const int count = vsnprintf(told + length, sizeof told - length, format, args);
    va_end(args);
    assert_true(count > 0 && length + (size_t)count < sizeof told);
}

static void expect(const char *text) {
    assert_string_equal(told, text);
    told[0] = '\0';
}

static unsigned pid_of(kymo_context task) { return (unsigned)((0xfffffff8u - task) / 8u); }

void kymo_tasks_kernel(const char *name, uint32_t ticks_hz, bool greater_first) {
    assert_string_equal(name, "NuttX 12.0.0");
    assert_int_equal(ticks_hz, 100u);
    assert_true(greater_first);
}
void kymo_task_new(kymo_context task, enum kymo_context_kind kind, const char *name,
                   int32_t priority) {
    tell("new %s%u %s %d;", kind == KYMO_CONTEXT_IDLE ? "idle " : "", pid_of(task), name, priority);
}
void kymo_task_ends(kymo_context task) { tell("ends %u;", pid_of(task)); }
void kymo_task_waits(uint32_t ticks) {
    assert_int_equal(ticks, 0u);
    tell("waits;");
}
void kymo_task_in(kymo_context task) { tell("in %u;", pid_of(task)); }
void kymo_task_why(enum kymo_why why, uintptr_t object) {
    tell("why %d%s;", why, object != 0u ? " it" : "");
}
void kymo_irq_enter(kymo_context interrupt, uint32_t number) {
    assert_true(interrupt != 0u);
    tell("(%u;", number);
}
void kymo_irq_leave(uint32_t number) { tell(")%u;", number); }
bool kymo_drain(size_t limit) { return (void)limit, ++drains % 3u != 0u; }
void nxsched_ticksleep(unsigned ticks) {
    assert_int_equal(ticks, 1u);
    if (++sleeps == 2u) {
        longjmp(asleep, 1);
    }
}

static struct tcb_s idle = {1, 0, TSTATE_TASK_RUNNING, NULL, {NULL}, "CPU1 IDLE"};
static struct tcb_s task = {9, 100, TSTATE_TASK_INACTIVE, NULL, {NULL}, "work"};
static sem_t mutex = {SEM_TYPE_MUTEX}, semaphore = {0};

static void leave(enum tstate_e state, void *object) {
    task.task_state = (uint8_t)state;
    task.waitobj = object;
    sched_note_suspend(&task);
    sched_note_resume(&idle);
}

CASE(starts_and_ends) {
    sched_note_start(&idle);
    expect("new idle 1 CPU1 IDLE 0;in 1;");
    sched_note_start(&task);
    expect("new 9 work 100;");
    leave(TSTATE_TASK_INACTIVE, NULL); /* in its own exit */
    sched_note_stop(&task);
    expect("why 13;waits;in 1;ends 9;");
}

static void a_nothing(void) {}

CASE(waits) {
    const struct {
        enum tstate_e state;
        void *object;
        const char *told;
    } cases[] = {
        {TSTATE_TASK_READYTORUN, NULL, "in 1;"},
        {TSTATE_TASK_RUNNING, NULL, "in 1;"},
        {TSTATE_WAIT_SEM, &semaphore, "why 4 it;waits;in 1;"},
        {TSTATE_WAIT_SEM, &mutex, "why 5 it;waits;in 1;"},
        {TSTATE_WAIT_SEM, NULL, "why 4;waits;in 1;"},
        {TSTATE_WAIT_SIG, NULL, "why 6;waits;in 1;"},
        {TSTATE_WAIT_EVENT, &mutex, "why 7 it;waits;in 1;"},
        {TSTATE_WAIT_MQNOTEMPTY, &mutex, "why 2 it;waits;in 1;"},
        {TSTATE_WAIT_MQNOTFULL, &mutex, "why 3 it;waits;in 1;"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        leave(cases[i].state, cases[i].object);
        expect(cases[i].told);
    }
    task.waitdog.func = a_nothing;
    leave(TSTATE_WAIT_SIG, NULL);
    expect("why 1;waits;in 1;");
}

CASE(interrupts) {
    sched_note_irqhandler(23, NULL, true);
    sched_note_irqhandler(23, NULL, false);
    sched_note_irqhandler(11, NULL, true); /* a call of the kernel */
    sched_note_irqhandler(11, NULL, false);
    sched_note_cpu_start(&idle, 1);
    sched_note_cpu_started(&idle);
    sched_note_cpu_pause(&idle, 1);
    sched_note_cpu_paused(&idle);
    sched_note_cpu_resume(&idle, 1);
    sched_note_cpu_resumed(&idle);
    expect("(23;)23;");
}

CASE(sends) {
    if (setjmp(asleep) == 0) {
        (void)kymo_nuttx_trace(0, NULL);
    }
    assert_int_equal(drains, 6u);
}
