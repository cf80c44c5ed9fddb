/* The glue of FreeRTOS against a kernel of a few lines that uses the trace macros as tasks.c and queue.c do, and a
 * recorder that writes down what it is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "FreeRTOS.h"
#include "kymo/kymo.h"

#define LIVES 40u

struct task {
    uint64_t memory[11];
    uint32_t uxTCBNumber;
    char pcTaskName[8];
};

struct queue {
    union {
        struct {
            const struct task *xMutexHolder;
        } xSemaphore;
    } u;
    uint8_t ucQueueType;
};

static struct task one, other;
static const struct task *pxCurrentTCB;
static uint32_t numbers;

static kymo_context lane;
static char told[4096];

/* A row of what was told: a letter, and the task, interrupt or object where the test needs it. */
static void tell(char what) {
    const size_t length = strlen(told);
    assert_true(length + 1 < sizeof told);
    told[length] = what;
    told[length + 1] = '\0';
}

kymo_context kymo_context_switch(kymo_context context) {
    const kymo_context before = lane;
    lane = context;
    tell('s');
    return before;
}

kymo_context kymo_interrupt_enter(kymo_context context) {
    const kymo_context before = lane;
    lane = context;
    tell('(');
    return before;
}

void kymo_interrupt_leave(kymo_context before) {
    lane = before;
    tell(')');
}

static kymo_context named, ended;

void kymo_context_name(kymo_context context, enum kymo_context_kind kind, const char *name) {
    assert_int_equal(kind, KYMO_CONTEXT_TASK);
    assert_true(name[0] != '\0');
    assert_int_equal(context % 8u, 0);
    named = context;
    tell('n');
}

void kymo_context_end(kymo_context context) {
    ended = context;
    tell('e');
}

void kymo_object(uint64_t identity, enum kymo_object_class of, const char *name,
                 const struct kymo_site *site) {
    assert_true(identity != 0 && of == KYMO_OBJECT_LOCK && site == NULL);
    tell(name ? 'N' : 'O');
}

void kymo_object_event(enum kymo_event_kind kind, uint64_t identity) {
    assert_true(identity != 0);
    tell(kind == KYMO_KIND_LOCK_WAIT      ? 'w'
         : kind == KYMO_KIND_LOCK_OBTAIN  ? 't'
         : kind == KYMO_KIND_LOCK_RELEASE ? 'g'
                                          : 'E');
}

static void create(struct task *task, const char *name) {
    task->uxTCBNumber = ++numbers;
    snprintf(task->pcTaskName, sizeof task->pcTaskName, "%s", name);
    traceTASK_CREATE(task);
}

static void run(const struct task *task) {
    pxCurrentTCB = task;
    traceTASK_SWITCHED_IN();
}

static int start(void **state) {
    (void)state;
    create(&one, "one");
    run(&one);
    told[0] = '\0';
    return 0;
}

static void same_task_is_no_switch(void **state) {
    (void)state;
    run(&one);
    run(&one);
    assert_string_equal(told, "");
}

/* Each life in the same memory is another context, and begins as the one before it has ended. */
static void control_block_is_used_again(void **state) {
    (void)state;
    kymo_context before = 0;
    for (uint32_t life = 0; life < LIVES; life++) {
        told[0] = '\0';
        create(&other, "brief");
        assert_true(named != before);
        before = named;
        run(&other);
        assert_true(lane == named);
        traceTASK_DELETE(pxCurrentTCB);
        traceISR_ENTER(); /* between the end and the switch it still runs */
        traceISR_EXIT();
        assert_true(lane == before);
        run(&one);
        assert_true(ended == before);
        assert_string_equal(told, "ns()se");
    }
}

static void other_task_is_deleted_at_once(void **state) {
    (void)state;
    create(&other, "");
    traceTASK_DELETE(&other);
    run(&one);
    assert_string_equal(told, "e");
}

/* portYIELD_FROM_ISR() of a handler that did not enter. */
static void lone_exit_is_dropped(void **state) {
    (void)state;
    const kymo_context before = lane;
    traceISR_EXIT_TO_SCHEDULER();
    traceISR_ENTER();
    traceISR_ENTER();
    traceISR_EXIT();
    traceISR_EXIT_TO_SCHEDULER();
    traceISR_EXIT();
    assert_string_equal(told, "(())");
    assert_true(lane == before);
}

static void too_deep_interrupts_come_back(void **state) {
    (void)state;
    const kymo_context before = lane;
    for (int i = 0; i < 40; i++) {
        traceISR_ENTER();
    }
    for (int i = 0; i < 40; i++) {
        traceISR_EXIT();
    }
    assert_string_equal(told, "(((((((((((((((())))))))))))))))");
    assert_true(lane == before);
}

/* The kernel takes and gives with the holder that stood before. */
static void mutex_is_a_lock(void **state) {
    (void)state;
    struct queue mutex = {.ucQueueType = 1};
    traceCREATE_MUTEX(&mutex);
    traceQUEUE_SEND(&mutex); /* creation gives it */
    traceQUEUE_REGISTRY_ADD(&mutex, "bus");
    traceBLOCKING_ON_QUEUE_RECEIVE(&mutex);
    traceQUEUE_RECEIVE(&mutex);
    mutex.u.xSemaphore.xMutexHolder = &one;
    traceQUEUE_SEND(&mutex);
    mutex.u.xSemaphore.xMutexHolder = NULL;
    traceQUEUE_DELETE(&mutex);
    assert_string_equal(told, "ONwtgE");
}

/* A queue has its ends where a mutex has its holder. */
static void queue_is_no_lock(void **state) {
    (void)state;
    for (uint8_t type = 0; type < 6; type++) {
        struct queue queue = {.ucQueueType = type, .u.xSemaphore.xMutexHolder = &one};
        told[0] = '\0';
        traceBLOCKING_ON_QUEUE_RECEIVE(&queue);
        traceQUEUE_RECEIVE(&queue);
        traceQUEUE_SEND(&queue);
        traceQUEUE_REGISTRY_ADD(&queue, "queue");
        traceQUEUE_DELETE(&queue);
        assert_string_equal(told, type == 1 || type == 4 ? "wtgNE" : "");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(same_task_is_no_switch, start),
        cmocka_unit_test_setup(control_block_is_used_again, start),
        cmocka_unit_test_setup(other_task_is_deleted_at_once, start),
        cmocka_unit_test_setup(lone_exit_is_dropped, start),
        cmocka_unit_test_setup(too_deep_interrupts_come_back, start),
        cmocka_unit_test_setup(mutex_is_a_lock, start),
        cmocka_unit_test_setup(queue_is_no_lock, start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
