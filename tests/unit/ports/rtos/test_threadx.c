/* SPDX-License-Identifier: MIT */
/* The glue of ThreadX against a kernel of a few lines that calls it like ThreadX, and a
 * recorder that writes down its calls. */
#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "kymo/tasks.h"
#include "tx_thread.h"

void _tx_execution_thread_enter(void);
void _tx_execution_thread_exit(void);
void _tx_execution_isr_enter(void);
void _tx_execution_isr_exit(void);

TX_THREAD *_tx_thread_current_ptr, *_tx_thread_execute_ptr;
volatile ULONG _tx_thread_system_state;
int masks;

static TX_THREAD one, other;
static unsigned first; /* the number of "one" */

/* ---- the recorder ---- */

static char told[4096];
static unsigned drains, sleeps;
static jmp_buf asleep;

static void __attribute__((format(printf, 1, 2))) tell(const char *format, ...) {
    const size_t length = strlen(told);
    va_list args;
    va_start(args, format);
    const int count = vsnprintf(told + length, sizeof told - length, format, args);
    va_end(args);
    assert_true(masks > 0);
    assert_true(count > 0 && length + (size_t)count < sizeof told);
}

/* The task's number, seen from "one"; 0 is idle. */
static unsigned number_of(kymo_context task) {
    const unsigned number = (unsigned)((0xfffffff8u - task) / 8u);
    assert_int_equal(task % 8u, 0u);
    return number != 0u ? number - first + 1u : 0u;
}

void kymo_tasks_kernel(const char *name, uint32_t ticks_hz, bool greater_first) {
    assert_string_equal(name, "ThreadX 6.4.2");
    assert_int_equal(ticks_hz, 100u);
    assert_false(greater_first);
}
void kymo_task_new(kymo_context task, enum kymo_context_kind kind, const char *name,
                   int32_t priority) {
    if (kind == KYMO_CONTEXT_IDLE) {
        assert_int_equal(number_of(task), 0u);
        return;
    }
    tell("new %u %s %d;", number_of(task), name != NULL ? name : "-", priority);
}
void kymo_task_ends(kymo_context task) { tell("ends %u;", number_of(task)); }
void kymo_task_waits(uint32_t ticks) {
    assert_int_equal(ticks, 0u);
    tell("waits;");
}
void kymo_task_in(kymo_context task) { tell("in %u;", number_of(task)); }
void kymo_task_ready(kymo_context task, uint32_t waker) {
    tell(waker == KYMO_WAKER_RUNS ? "wakes %u;" : "interrupt wakes %u;", number_of(task));
}
void kymo_task_suspended(kymo_context task) { tell("suspends %u;", number_of(task)); }
void kymo_task_priority(kymo_context task, int32_t priority, enum kymo_priority_cause cause) {
    tell("priority %u %d %d;", number_of(task), priority, cause);
}
void kymo_task_why(enum kymo_why why, uintptr_t object) {
    tell("why %d%s;", why, object != 0u ? " it" : "");
}
void kymo_task_object(uintptr_t identity, enum kymo_object_class of, const char *name) {
    assert_true(identity != 0u);
    tell("object %d %s;", of, name != NULL ? name : "-");
}
void kymo_irq_enter(kymo_context interrupt, uint32_t number) {
    assert_true(interrupt != 0u && number + 1u == KYMO_WAKER_INTERRUPT);
    tell("(;");
}
void kymo_irq_leave(uint32_t number) {
    assert_true(number + 1u == KYMO_WAKER_INTERRUPT);
    tell(");");
}
bool kymo_drain(size_t limit) { return (void)limit, ++drains % 3u != 0u; }
UINT tx_thread_sleep(ULONG ticks) {
    assert_int_equal(ticks, 1u);
    if (++sleeps == 2u) {
        longjmp(asleep, 1);
    }
    return 0u;
}

/* ---- the kernel ---- */

static void goes_to(TX_THREAD *thread, UINT to) {
    masks = 1;
    thread->tx_thread_state = to;
    TX_THREAD_STATE_CHANGE(thread, to)
    masks = 0;
}

static void create(TX_THREAD *thread, char *name, UINT priority) {
    memset(thread, 0, sizeof *thread);
    thread->tx_thread_name = name;
    thread->tx_thread_priority = thread->tx_thread_user_priority = priority;
    goes_to(thread, TX_READY);
}

static void enter(TX_THREAD *thread) {
    _tx_thread_execute_ptr = thread;
    _tx_execution_thread_exit();
    _tx_thread_current_ptr = thread;
    if (thread != NULL) {
        _tx_execution_thread_enter();
    }
}

static void is_told(const char *text) {
    assert_string_equal(told, text);
    assert_int_equal(masks, 0);
    told[0] = '\0';
}

FIXTURE(start) {
    static char name_one[] = "one", name_other[] = "other";
    _tx_thread_system_state = 0u;
    first = 1u;
    told[0] = '\0';
    create(&one, name_one, 9u);
    first = (unsigned)one.kymo_number;
    create(&other, name_other, 5u);
    enter(&one);
    told[0] = '\0';
    return 0;
}

/* ---- the test's kernel ---- */

CASE(threads_are_new_when_they_are_first_heard_of, start) {
    TX_THREAD third;
    create(&third, NULL, 3u);
    is_told("new 3 - 3;wakes 3;");
    create(&third, NULL, 4u); /* in the same place */
    is_told("new 4 - 4;wakes 4;");
}

CASE(threads_end_once, start) {
    goes_to(&other, TX_COMPLETED);
    goes_to(&other, TX_COMPLETED); /* as its suspension tells it again */
    goes_to(&other, TX_TERMINATED);
    is_told("ends 2;");
    goes_to(&other, TX_READY); /* reset */
    is_told("new 3 other 5;wakes 3;");
    goes_to(&one, TX_COMPLETED); /* which runs */
    enter(&other);
    is_told("ends 1;waits;in 3;");
}

CASE(same_thread_goes_on, start) {
    enter(&one);
    enter(&one);
    is_told("");
    enter(&other);
    is_told("in 2;");
    other.tx_thread_state = TX_SLEEP;
    enter(NULL);
    enter(NULL); /* without a thread */
    is_told("why 1;waits;in 0;");
    enter(&one);
    is_told("in 1;");
}

/* Each state, with its reason to wait. */
CASE(reasons_are_states, start) {
    static TX_QUEUE object = {.tx_queue_name = NULL};
    static char name[] = "it", again[] = "it again";
    object.tx_queue_name = name;
#define WAITS(of, expected)                                                                        \
    do {                                                                                           \
        one.tx_thread_state = (of);                                                                \
        one.tx_thread_suspend_control_block = &object;                                             \
        enter(&other);                                                                             \
        is_told(expected "waits;in 2;");                                                           \
        one.tx_thread_state = TX_READY;                                                            \
        enter(&one);                                                                               \
        is_told("in 1;");                                                                          \
    } while (0)
    WAITS(TX_SLEEP, "why 1;");
    WAITS(TX_SUSPENDED, "why 8;");
    WAITS(TX_QUEUE_SUSP, "object 1 it;why 2 it;");
    object.tx_queue_enqueued = 1u;
    WAITS(TX_QUEUE_SUSP, "why 3 it;");
    object.tx_queue_name = again; /* another one in its place */
    WAITS(TX_SEMAPHORE_SUSP, "object 4 it again;why 4 it;");
    WAITS(TX_EVENT_FLAG, "why 7 it;");
    WAITS(TX_BLOCK_MEMORY, "why 10 it;");
    WAITS(TX_BYTE_MEMORY, "why 10 it;");
    WAITS(TX_MUTEX_SUSP, "why 5 it;");
    WAITS(TX_IO_DRIVER, "why 11;");
    WAITS(TX_FILE, "why 11;");
    WAITS(TX_TCP_IP, "why 11;");
    WAITS(TX_PRIORITY_CHANGE, "");
}

/* One that suspends itself is told of when it leaves. */
CASE(suspends_another, start) {
    goes_to(&other, TX_SUSPENDED);
    goes_to(&one, TX_SUSPENDED);
    is_told("suspends 2;");
    goes_to(&other, TX_READY);
    enter(&other);
    is_told("wakes 2;why 8;waits;in 2;");
}

CASE(priorities, start) {
    one.tx_thread_priority = 5u; /* inherited */
    goes_to(&one, TX_PRIORITY_CHANGE);
    goes_to(&one, TX_READY);
    is_told("wakes 1;priority 1 5 1;");
    one.tx_thread_priority = 9u;
    goes_to(&one, TX_READY);
    is_told("wakes 1;priority 1 9 2;");
    one.tx_thread_priority = one.tx_thread_user_priority = 4u;
    enter(&one);
    is_told("priority 1 4 0;");
}

CASE(wakers, start) {
    _tx_execution_isr_enter();
    _tx_thread_system_state = 1u;
    goes_to(&other, TX_READY);
    _tx_thread_system_state = 0u;
    _tx_execution_isr_exit();
    _tx_thread_system_state = 0xf0f0f0f0u; /* the kernel initializes */
    goes_to(&other, TX_READY);
    is_told("(;interrupt wakes 2;);wakes 2;");
}

CASE(ten_thousand_lives, start) {
    TX_THREAD brief;
    for (unsigned i = 0u; i < 10000u; i++) {
        create(&brief, NULL, 3u);
        enter(&brief);
        goes_to(&brief, TX_COMPLETED);
        enter(&one);
        told[0] = '\0';
    }
    create(&brief, NULL, 3u);
    is_told("new 10003 - 3;wakes 10003;");
}

CASE(thread_that_sends, start) {
    drains = sleeps = 0u;
    if (setjmp(asleep) == 0) {
        kymo_threadx_trace(0u);
    }
    assert_int_equal(drains, 6u);
}
