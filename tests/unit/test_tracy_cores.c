/* Context switches: which row each core runs, in every protocol, whatever order the cores tell
 * it in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "kymo/wire.h"
#include "tracy_run.h"

static struct track core0 = {1, 0, 0, KYMO_CONTEXT_MAIN, "core 0"};
static struct track core1 = {2, 1, 0, KYMO_CONTEXT_MAIN, "core 1"};
static struct track timer = {3, 0, 0, KYMO_CONTEXT_INTERRUPT, "timer"};
static struct track task = {4, 0, 0, KYMO_CONTEXT_TASK, "task"};

static struct tracy_run *start(uint32_t protocol) {
    struct tracy_run *run = tracy_run_new();
    tracy_run_connect(run, protocol);
    return run;
}

static void run_on(struct tracy_run *run, struct track *track, uint32_t core, int64_t time_ns) {
    track->core = core;
    struct event event = {.kind = EVENT_SWITCH, .time_ns = time_ns, .track = track};
    assert_int_equal(tracy_run_event(run, &event), 0);
}

static void end(struct tracy_run *run) {
    tracy_run_end(run);
    assert_string_equal(run->peer->failure, "");
    assert_int_equal(run->terminates, 1);
    assert_int_equal(run->peer->external_open, 0);
}

/* Nobody knows what ran there. */
static void a_gap_is_no_one_s_time(void **state) {
    (void)state;
    struct tracy_run *run = start(82);
    struct event gap = {.kind = EVENT_GAP, .time_ns = 900, .track = &task};
    run_on(run, &task, 0, 100);
    gap.u.gap.start_ns = 300;
    assert_int_equal(tracy_run_event(run, &gap), 0);
    run_on(run, &core0, 0, 1000);
    end(run);
    assert_int_equal(tracy_peer_ran_ns(run->peer, task.id), 300);
    assert_int_equal(run->encode->repairs.total, 0);
    tracy_run_free(run);
}

static void every_protocol_sees_what_ran(void **state) {
    (void)state;
    for (size_t i = 0; tracy_proto_known(i) != 0; i++) {
        struct tracy_run *run = start(tracy_proto_known(i));
        run_on(run, &core0, 0, 100);
        run_on(run, &core1, 1, 50); /* earlier: each core has its own order */
        run_on(run, &timer, 0, 1000);
        run_on(run, &core0, 0, 1010);
        run_on(run, &timer, 0, 2000);
        run_on(run, &timer, 0, 2005); /* told twice */
        run_on(run, &core0, 0, 2030);
        run_on(run, &task, 1, 3050);
        end(run);
        assert_int_equal(tracy_peer_ran_ns(run->peer, timer.id), 40);
        assert_int_equal(tracy_peer_ran_ns(run->peer, core1.id), 3000);
        assert_int_equal(tracy_peer_ran_ns(run->peer, core0.id), 900 + 990 + 3050 - 2030);
        assert_int_equal(tracy_peer_ran_ns(run->peer, task.id), 0);
        assert_int_equal(run->encode->repairs.total, 0);
        tracy_run_free(run);
    }
}

/* The core that takes the task over is heard before the one that gave it away. */
static void a_task_moves(void **state) {
    (void)state;
    struct tracy_run *run = start(82);
    run_on(run, &core0, 0, 0);
    run_on(run, &core1, 1, 0);
    run_on(run, &task, 0, 100);
    run_on(run, &task, 1, 500);
    run_on(run, &core0, 0, 400); /* late */
    run_on(run, &core1, 1, 700);
    run_on(run, &task, 0, 300); /* even later */
    run_on(run, &core0, 0, 350);
    end(run);
    assert_int_equal(tracy_peer_ran_ns(run->peer, task.id), 400 + 200);
    tracy_run_free(run);
}

/* One that comes in the middle is told what runs, from then on. */
static void a_later_viewer(void **state) {
    (void)state;
    struct tracy_run *run = start(76);
    run_on(run, &core0, 0, 0);
    run_on(run, &timer, 0, 500);
    tracy_run_connect(run, 69);
    run_on(run, &core0, 0, 520);
    run_on(run, &timer, 0, 600);
    end(run);
    assert_int_equal(tracy_peer_ran_ns(run->peer, timer.id), 20);
    assert_int_equal(tracy_peer_ran_ns(run->peer, core0.id), 80);
    tracy_run_free(run);
}

static void cores_beyond_what_is_shown(void **state) {
    (void)state;
    struct tracy_run *run = start(76);
    run_on(run, &core0, TRACY_CORES_MAX - 1, 10);
    run_on(run, &core1, TRACY_CORES_MAX, 10);
    run_on(run, &task, UINT32_MAX, 20);
    run_on(run, &timer, TRACY_CORES_MAX - 1, 30);
    end(run);
    assert_int_equal(tracy_peer_ran_ns(run->peer, core0.id), 20);
    assert_int_equal(tracy_peer_ran_ns(run->peer, core1.id), -1);
    tracy_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_protocol_sees_what_ran),
        cmocka_unit_test(a_gap_is_no_one_s_time),
        cmocka_unit_test(a_task_moves),
        cmocka_unit_test(a_later_viewer),
        cmocka_unit_test(cores_beyond_what_is_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
