/* SPDX-License-Identifier: MIT */
/* The flight recorder out of a memory image: as it is drained, event for event, run by run. */
#include <string.h>

#include "board_image.h"
#include "cases.h"
#include "dump/stream.h"
#include "kymo_arch.h"
#include "newest_board.h"
#include "send/link.h"

KYMO_CONTEXT(timer, "timer", KYMO_CONTEXT_INTERRUPT);

static struct board_image image;
static struct recorder recorder;

static int to_trace(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    return trace.transport.write(&trace, bytes, length) == length ? 0 : -1;
}

static bool open_memory(bool placed) {
    bool blames_elf = false;
    board_image_make(&image);
    assert_int_equal(elf_open(&image.elf, image.elf_bytes, image.elf_length), 0);
    if (placed) {
        memory_place(&image.memory, board_image_address());
    }
    return recorder_open(&recorder, &image.elf, &image.memory, &blames_elf) == 0;
}

/* Into the sessions of newest_board.h. */
static uint32_t dump(bool placed) {
    struct lanes_report report;
    trace.any = false; /* its numbers start again */
    if (!open_memory(placed)) {
        fail_msg("%s", recorder.why);
    }
    assert_int_equal(stream_make(&recorder, to_trace, NULL, &report), 0);
    board_image_free(&image);
    return report.broken;
}

CASE(all_runs_and_the_losses, power_up) {
    for (uint32_t count = 1u; count < 200u; count += 11u) {
        (void)power_up(state);
        emit_many(0u, count);
        kymo_context before = kymo_interrupt_enter((kymo_context)&timer);
        emitted[0]++;
        emit_many(0u, count / 3u);
        emit_many(1u, count * 2u);
        kymo_interrupt_leave(before);
        emitted[0]++;
        boot();
        attach();
        emit_many(0u, 2u);
        assert_int_equal(dump(false), 0);
        assert_int_equal(sessions, 2);
        assert_int_equal(session[0].arrived[0] + session[0].lost[0], count + count / 3u + 2u);
        assert_int_equal(session[0].arrived[1] + session[0].lost[1], count * 2u);
        assert_session(1u, 0u, 2u, 0u);
    }
}

/* Drained events are still there. */
CASE(drained_events_too, power_up) {
    attach();
    emit_many(0u, 9u);
    drain();
    const uint64_t arrived = session[0].arrived[0];
    memset(session, 0, sizeof session);
    memset(&trace.lane, 0, sizeof trace.lane);
    sessions = 0u;
    assert_int_equal(dump(false), 0);
    assert_int_equal(session[0].arrived[0], arrived);
}

/* After a reset, before kymo_init(): only the blocks tell whose memory it is. */
CASE(without_a_mark, power_up) {
    emit_many(0u, 5u);
    boot();
    assert_false(open_memory(false));
    board_image_free(&image);
    assert_int_equal(dump(true), 0);
    assert_session(0u, 0u, 5u, 0u);
}

CASE(overwritten_blocks, power_up) {
    attach();
    emit_many(0u, 5u);
    for (uint32_t i = KYMO_BLOCK_HEAD_WORDS; i < BLOCK_WORDS; i++) {
        kymo_rings[0][BLOCK_WORDS + i] = KYMO_LONG(KYMO_KIND_MESSAGE, 255u, 1u);
    }
    assert_int_equal(dump(false), 1);
    kymo_rings[0][BLOCK_WORDS] ^= 2u; /* its check */
    assert_int_equal(dump(false), 0);
}
