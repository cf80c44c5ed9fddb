/* SPDX-License-Identifier: MIT */
/* From the memory of the recorder to a trace, without an emulator: the runtime records into this
 * program's own memory, which is laid out as an ELF file of a board and a memory image, read by
 * hostlink's side, and compared with the stream that the runtime itself sends. Built for each
 * way to reserve and each width of the clock. */
#include <stdlib.h>
#include <string.h>

#include "board_image.h"
#include "cases.h"
#include "dump/stream.h"
#include "kymo_arch.h"
#include "player.h"
#include "ring/ring.h"
#include "send/link.h"
#include "wire/fields.h"

#define MAIN 1u

KYMO_CONTEXT(timer, "timer", KYMO_CONTEXT_INTERRUPT);

static struct trace trace, read_back;
static struct witness witness;
static struct board_image image;
static struct recorder recorder;

static void to_witness(void *user, uint32_t lane, uint32_t context,
                       const struct wire_event *event) {
    (void)user;
    witness_arrive(&witness, lane, context, event);
}

FIXTURE(set_up) {
    fake_reset();
    trace_power_up();
    trace_init(&trace);
    witness_init(&witness);
    kymo_init(&trace.transport, "dump");
    return 0;
}

FIXTURE(tear_down) {
    board_image_free(&image);
    return 0;
}

static int to_trace(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    return read_back.transport.write(&read_back, bytes, length) == length ? 0 : -1;
}

/* Saves the memory and reads it. */
static bool open_image(void) {
    bool blames_elf = false;
    board_image_make(&image);
    assert_int_equal(elf_open(&image.elf, image.elf_bytes, image.elf_length), 0);
    return recorder_open(&recorder, &image.elf, &image.memory, &blames_elf) == 0;
}

/* Without an identity it ends after the names of its lanes. */
static void check_session(const uint8_t *bytes, size_t length) {
    struct reader reader = packet_fields(bytes, length);
    struct session_packet session;
    read_session(&reader, &session);
    assert_int_equal(session.lanes, KYMO_LANES);
    for (uint32_t i = 0u; i < session.lanes; i++) {
        size_t name_length = 0u;
        (void)read_string(&reader, &name_length);
    }
    assert_false(reader.bad);
    assert_int_equal(reader.at, length);
}

/* The packet that was on its way out has the board's number. */
static void on_packet(void *user, const uint8_t *bytes, size_t length) {
    (void)user;
    read_back.any = false;
    if (packet_type(bytes) == KYMO_PACKET_SESSION) {
        check_session(bytes, length);
    }
}

/* The memory's events arrive as the witness knows them. */
static void dump(void) {
    struct lanes_report report;
    trace_init(&read_back);
    memcpy(read_back.lane, trace.lane, sizeof trace.lane);
    read_back.event = to_witness;
    read_back.cut = true; /* of an event that was half encoded */
    read_back.packet = on_packet;
    if (!open_image()) {
        fail_msg("%s", recorder.why);
    }
    assert_int_equal(stream_make(&recorder, to_trace, NULL, &report), 0);
    assert_int_equal(report.broken, 0);
    assert_int_equal(read_back.junk, 0);
}

CASE(a_fresh_recorder_is_empty, set_up, tear_down) {
    dump();
    assert_int_equal(trace_events(&read_back), 0);
    assert_int_equal(read_back.packets[KYMO_PACKET_SESSION], 1);
    assert_int_equal(read_back.packets[KYMO_PACKET_STATUS], 1);
}

CASE(every_kind_comes_as_it_was_recorded, set_up, tear_down) {
    struct player player, interrupt;
    uint64_t random = 0x9e3779b97f4a7c15u;
    player_init(&player, &witness, 0u, MAIN);
    player_init(&interrupt, &witness, 0u, (uint32_t)(&timer - __start_kymo_sites) * 2u);
    for (uint32_t i = 0u; i < 12u; i++) {
        player_step(&player, &random);
        kymo_context before = kymo_interrupt_enter((kymo_context)&timer);
        player_step(&interrupt, &random);
        player_close(&interrupt);
        kymo_interrupt_leave(before);
    }
    player_close(&player);
    dump();
    assert_int_equal(witness_finish(&witness), read_back.lane[0].lost);
}

/* The next packet has overwritten the beginning of the one that is leaving: that cannot be decoded. */
static bool leaves_without_beginning(void) {
    const struct kymo_outgoing *out = &kymo_link.out;
    const uint32_t most = kymo_out_room(out);
    uint32_t before = 0u;
    while (before < most &&
           out->bytes[(out->read + KYMO_OUT_BYTES - 1u - before) % KYMO_OUT_BYTES] != 0u) {
        before++;
    }
    return before == most;
}

/* Filled, drained by parts, wrapped, with losses: the sent events and those in the dump are all
 * there are, and the dump goes on where the sending stopped. */
CASE(what_was_sent_and_what_is_left_are_all, set_up) {
    struct player player;
    uint64_t random = 1u;
    uint64_t sent = 0u;
    for (uint32_t turn = 0u; turn < 200u; turn++) {
        (void)set_up(NULL);
        trace.event = to_witness;
        trace.takes = 100u; /* so that a packet is caught half way */
        player_init(&player, &witness, 0u, MAIN);
        for (uint32_t i = 0u; i < 10u + turn; i++) {
            player_step(&player, &random);
            for (uint32_t call = 0u; i % 16u == turn % 16u && call < turn % 40u; call++) {
                (void)kymo_drain(turn * 3u % 250u + 1u);
            }
        }
        player_close(&player);
        while (leaves_without_beginning()) {
            (void)kymo_drain(16u);
        }
        sent = trace_events(&trace);
        dump();
        assert_int_equal(kymo_lanes[0].lost, read_back.lane[0].status[1]);
        uint64_t lost = read_back.lane[0].lost + kymo_lanes[0].lost;
        assert_int_equal(witness_finish(&witness), lost);
        board_image_free(&image);
    }
    assert_true(sent > 0u);
}

CASE(both_lanes, set_up, tear_down) {
    struct player player[2];
    for (uint32_t lane = 0u; lane < 2u; lane++) {
        fake.lane = lane;
        player_init(&player[lane], &witness, lane, MAIN);
        for (uint32_t i = 0u; i <= lane; i++) {
            assert_true(player_begin(&player[lane]));
            player_message(&player[lane]);
            player_end(&player[lane]);
        }
    }
    fake.lane = 0u;
    dump();
    assert_int_equal(witness_finish(&witness), 0);
    assert_int_equal(read_back.lane[0].events, 3);
    assert_int_equal(read_back.lane[1].events, 6);
}

/* ---- errors are reported ---- */

static void assert_refused(const char *sentence) {
    assert_false(open_image());
    if (strstr(recorder.why, sentence) == NULL) {
        fail_msg("'%s' does not say '%s'", recorder.why, sentence);
    }
}

CASE(memory_of_another_build, set_up, tear_down) {
    kymo_link.mark.layout++;
    assert_refused("another build");
}

CASE(memory_without_a_mark, set_up, tear_down) {
    kymo_link.mark.magic = 0u;
    assert_refused("kymo_init");
}

CASE(memory_at_another_address, set_up, tear_down) {
    bool blames_elf = true;
    board_image_make(&image);
    assert_int_equal(elf_open(&image.elf, image.elf_bytes, image.elf_length), 0);
    memory_place(&image.memory, board_image_address());
    assert_int_equal(recorder_open(&recorder, &image.elf, &image.memory, &blames_elf), 0);
    memory_place(&image.memory, board_image_address() + 8u);
    assert_int_not_equal(recorder_open(&recorder, &image.elf, &image.memory, &blames_elf), 0);
    assert_false(blames_elf);
    assert_non_null(strstr(recorder.why, "begins at another address"));
    memory_place(&image.memory, 0u);
    assert_int_not_equal(recorder_open(&recorder, &image.elf, &image.memory, &blames_elf), 0);
    assert_non_null(strstr(recorder.why, "does not hold the address"));
}

CASE(an_image_without_the_runtime, set_up, tear_down) {
    image.hidden = "kymo_layout";
    assert_refused("KYMO_ENABLE 0");
    board_image_free(&image);
    image.hidden = "kymo_rings";
    assert_refused("kymo_rings");
    image.hidden = NULL;
}

/* In another build with its recorder at the same place, the addresses name something else. */
CASE(records_of_another_build, set_up, tear_down) {
    struct lanes_report report;
    for (uint32_t i = 0u; i < 10u; i++) {
        KYMO_PLOT("here", 1);
    }
    kymo_plot_int(&timer, 1);
    trace_init(&read_back);
    assert_true(open_image());
    assert_int_equal(stream_make(&recorder, to_trace, NULL, &report), 0);
    assert_int_equal(report.named, 11);
    assert_int_equal(report.strangers, 1);
}

/* Overwritten records end the lane, and are counted. */
CASE(overwritten_records, set_up, tear_down) {
    struct lanes_report report;
    KYMO_PLOT("one", 1);
    KYMO_PLOT("two", 2);
    for (uint32_t i = 0u; i < KYMO_RING_WORDS; i++) {
        kymo_rings[0][i] = 0xffffffffu;
    }
    trace_init(&read_back);
    assert_true(open_image());
    assert_int_equal(stream_make(&recorder, to_trace, NULL, &report), 0);
    assert_true(report.broken != 0u || trace_events(&read_back) != 0u);
}
