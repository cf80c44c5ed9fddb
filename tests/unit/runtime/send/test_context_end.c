/* SPDX-License-Identifier: MIT */
/* Tasks that are deleted with open zones, one after the other at the same address: their zones are closed, each in a
 * row of its own, and the room that was promised to their ends is free again. */
#include "cases.h"
#include "ring/ring.h"
#include "tasks_run.h"

#define TASKS 10000u
#define TASK ((kymo_context)0x20001000u)
#define OTHER_TASK ((kymo_context)0x20002000u)

KYMO_SITE_DEFINE_GLOBAL(frame, KYMO_SITE_FRAME, "frame", 0u, 0u, NULL);

CASE(many_tasks_at_one_address, set_up) {
    for (uint32_t i = 0u; i < TASKS; i++) {
        switch_to(0u, TASK);
        begin();
        switch_to(0u, 0u);
        end_context(0u, TASK);
        drain();
    }
    kymo_frame(&frame);
    emitted++;
    read_back();
    assert_int_equal(seen.lost, 0u);
    assert_int_equal(seen.frames, 1u);
    assert_int_equal(seen.ended[ZONE_END_TASK], TASKS);
    assert_int_equal(seen.rows, TASKS);
}

/* Room promised to other contexts stays: their zones end as ever. */
CASE(zones_of_others_stay, set_up) {
    kymo_zone open[8];
    switch_to(0u, OTHER_TASK);
    for (uint32_t i = 0u; i < 8u; i++) {
        open[i] = kymo_zone_begin(tasks_work);
        emitted++;
    }
    for (uint32_t i = 0u; i < 1000u; i++) {
        switch_to(0u, TASK);
        begin();
        begin();
        switch_to(0u, OTHER_TASK);
        end_context(0u, TASK);
        drain();
    }
    for (uint32_t i = 8u; i-- > 0u;) {
        kymo_zone_end(open[i]);
        emitted++;
    }
    read_back();
    assert_int_equal(seen.lost, 0u);
    assert_int_equal(seen.ended[ZONE_END_TASK], 2000u);
    assert_int_equal(seen.ended[ZONE_ENDED], 8u);
    assert_false(kymo_usage_seen[KYMO_USAGE_UNPROMISED]);
}

#if KYMO_LANES > 1

/* Tasks that run on one core, each with an open zone, and are deleted by another; both lanes have unread events. The
 * number of each is "step" more than that of the one before. */
static void delete_by_another_core(kymo_context step) {
    for (uint32_t i = 0u; i < TASKS; i++) {
        const kymo_context task = TASK + i * step;
        switch_to(1u, task);
        begin();
        switch_to(1u, 0u);
        end_context(0u, task);
        if (i % 3u == 2u) {
            drain();
        }
    }
    read_back();
    assert_int_equal(seen.lost, 0u);
    assert_int_equal(seen.ended[ZONE_END_TASK], TASKS);
}

CASE(deleted_by_another_core, set_up) { delete_by_another_core(0u); }

/* Each has a number of its own, so no later end makes good for one that is read before its task's zones are. */
CASE(deleted_before_its_zones_are_read, set_up) {
    delete_by_another_core(64u);
    assert_false(kymo_usage_seen[KYMO_USAGE_CONTEXTS]);
}

/* Its zones have ended on their own core, and that is not read yet: none of the room is given back for them that is
 * promised to others. */
CASE(deleted_before_its_ends_are_read, set_up) {
    kymo_zone open[8];
    switch_to(1u, OTHER_TASK);
    for (uint32_t i = 0u; i < 8u; i++) {
        open[i] = kymo_zone_begin(tasks_work);
        emitted++;
    }
    for (uint32_t i = 0u; i < 1000u; i++) {
        switch_to(1u, TASK);
        const kymo_zone zone = kymo_zone_begin(tasks_work);
        emitted++;
        drain();
        kymo_zone_end(zone);
        emitted++;
        switch_to(1u, OTHER_TASK);
        end_context(i % 2u * 2u, TASK);
        drain();
    }
    fake.lane = 1u;
    for (uint32_t i = 8u; i-- > 0u;) {
        kymo_zone_end(open[i]);
        emitted++;
    }
    assert_false(kymo_usage_seen[KYMO_USAGE_UNPROMISED]);
    read_back();
    assert_int_equal(seen.lost, 0u);
    assert_int_equal(seen.ended[ZONE_ENDED], 1008u);
}

/* It moves in its zones: all but one of the zones that it began on one core end on the other. */
CASE(deleted_after_it_moved, set_up) {
    for (uint32_t i = 0u; i < TASKS; i++) {
        switch_to(1u, TASK);
        begin();
        const kymo_zone moved = kymo_zone_begin(tasks_work);
        emitted++;
        switch_to(1u, 0u);
        switch_to(2u, TASK);
        kymo_zone_end(moved);
        emitted++;
        switch_to(2u, 0u);
        end_context(2u, TASK);
        drain();
    }
    read_back();
    assert_int_equal(seen.lost, 0u);
    assert_int_equal(seen.ended[ZONE_END_TASK], TASKS);
    assert_int_equal(seen.ended[ZONE_ENDED], TASKS);
}

/* It moves and ends its zone on another core, whose lane is read last: the end has given that room back already. */
CASE(deleted_before_its_moved_end_is_read, set_up) {
    kymo_zone open[8];
    switch_to(0u, OTHER_TASK);
    for (uint32_t i = 0u; i < 8u; i++) {
        open[i] = kymo_zone_begin(tasks_work);
        emitted++;
    }
    for (uint32_t i = 0u; i < TASKS; i++) {
        switch_to(0u, TASK);
        const kymo_zone moved = kymo_zone_begin(tasks_work);
        emitted++;
        switch_to(0u, OTHER_TASK);
        switch_to(1u, TASK);
        kymo_zone_end(moved);
        emitted++;
        switch_to(1u, 0u);
        end_context(0u, TASK);
        drain();
    }
    for (uint32_t i = 8u; i-- > 0u;) {
        kymo_zone_end(open[i]);
        emitted++;
    }
    read_back();
    assert_int_equal(seen.lost, 0u);
    assert_int_equal(seen.ended[ZONE_ENDED], TASKS + 8u);
    assert_false(kymo_usage_seen[KYMO_USAGE_UNPROMISED]);
}

/* One task of the number ends on a core whose lane is read after the zones of the next one. */
CASE(an_end_that_is_read_late, set_up) {
    for (uint32_t i = 0u; i < TASKS; i++) {
        end_context(1u, TASK);
        switch_to(0u, TASK);
        const kymo_zone outer = kymo_zone_begin(tasks_work);
        const kymo_zone inner = kymo_zone_begin(tasks_work);
        emitted += 2u;
        drain();
        kymo_frame(&frame);
        emitted++;
        drain();
        kymo_ring_attention(&kymo_lanes[0]);
        kymo_frame(&frame);
        kymo_zone_end(inner);
        kymo_zone_end(outer);
        emitted += 3u;
        switch_to(0u, 0u);
        drain();
    }
    read_back();
    assert_int_equal(seen.lost, 0u);
    assert_false(kymo_usage_seen[KYMO_USAGE_UNPROMISED]);
}

#endif

#if KYMO_LANES > 1

/* Its zone ends after a refused switch, and it is deleted on another core, before an event tells
 * the switch: another zone's end on the first lane does not show that all is known up to there. */
CASE(deleted_before_a_lost_switch_is_told, set_up) {
    switch_to(0u, TASK);
    const kymo_zone own = kymo_zone_begin(tasks_work);
    switch_to(0u, OTHER_TASK);
    const kymo_zone first = kymo_zone_begin(tasks_work);
    const kymo_zone other = kymo_zone_begin(tasks_work);
    emitted += 3u;
    drain();
    kymo_stop();
    (void)kymo_context_switch(TASK);
    kymo_zone_end(own);
    (void)kymo_context_switch(OTHER_TASK);
    kymo_start();
    end_context(1u, TASK);
    fake.lane = 0u;
    kymo_zone_end(other);
    drain();
    kymo_frame(&frame); /* collects the freed room */
    kymo_ring_attention(&kymo_lanes[0]);
    kymo_frame(&frame);
    kymo_zone_end(first);
    emitted += 5u;
    read_back();
    assert_false(kymo_usage_seen[KYMO_USAGE_UNPROMISED]);
    assert_int_equal(seen.lost, 0u);
}

#endif

/* A switch that is refused: zones that end until the next accepted event end in the wrong context. */
CASE(zones_of_others_stay_where_a_switch_was_lost, set_up) {
    const kymo_zone held = kymo_zone_begin(tasks_work);
    emitted++;
    for (uint32_t i = 0u; i < 100u; i++) {
        switch_to(0u, TASK);
        const kymo_zone outer = kymo_zone_begin(tasks_work);
        switch_to(0u, OTHER_TASK);
        const kymo_zone inner = kymo_zone_begin(tasks_work);
        switch_to(0u, TASK);
        drain();
        emitted += 2u;
        kymo_stop();
        (void)kymo_context_switch(OTHER_TASK);
        kymo_zone_end(inner);
        emitted++;
        kymo_start();
        switch_to(0u, TASK);
        end_context(0u, OTHER_TASK);
        drain();
        kymo_zone_end(outer);
        emitted++;
        end_context(0u, TASK);
        switch_to(0u, 0u);
    }
    kymo_zone_end(held);
    emitted++;
    drain();
    read_back();
    assert_int_equal(seen.lost, 0u);
    assert_false(kymo_usage_seen[KYMO_USAGE_UNPROMISED]);
}

/* More contexts than are counted: the leak is reported. */
CASE(too_many_contexts, set_up) {
    for (uint32_t i = 0u; i <= KYMO_CONTEXTS; i++) {
        switch_to(0u, TASK + i * 64u);
        begin();
        drain();
    }
    assert_false(kymo_usage_seen[KYMO_USAGE_CONTEXTS]);
    for (uint32_t i = 0u; i <= KYMO_CONTEXTS; i++) {
        end_context(0u, TASK + i * 64u);
        drain();
    }
    assert_true(kymo_usage_seen[KYMO_USAGE_CONTEXTS]);
    read_back();
    assert_int_equal(seen.ended[ZONE_END_TASK], KYMO_CONTEXTS + 1u);
}
