/* SPDX-License-Identifier: MIT */
/* Findings in a recording. */
#include <inttypes.h>
#include <string.h>

#include "base/human.h"
#include "base/say.h"
#include "cli/convert.h"
#include "cli/doctor.h"
#include "model/board_watch.h"
#include "sink/ring_need.h"
#include "wire/unpack.h"

#define PIECE_BYTES 65536u

/* ---- bytes without a packet ---- */

static int count_packet(void *context, const uint8_t *bytes, size_t length, size_t wire_bytes) {
    (void)bytes, (void)length, (void)wire_bytes;
    ++*(uint64_t *)context;
    return 0;
}

static void drop_junk(void *context, const uint8_t *bytes, size_t length) {
    (void)context, (void)bytes, (void)length;
}

/* Packets that are there if each bit is the other way round. */
static uint64_t count_inverted(struct replay *replay) {
    static uint8_t piece[PIECE_BYTES];
    static struct unpack unpack;
    uint64_t packets = 0;
    ssize_t count;
    unpack_init(&unpack, &(struct unpack_callbacks){&packets, count_packet, drop_junk});
    if (replay_rewind(replay) != 0) {
        return 0;
    }
    while ((count = replay_read(replay, piece, sizeof piece)) > 0) {
        for (ssize_t i = 0; i < count; i++) {
            piece[i] ^= 0xff;
        }
        (void)unpack_feed(&unpack, piece, (size_t)count);
    }
    return packets;
}

static void look_at_bytes(struct doctor *doctor, struct replay *replay,
                          const struct pipeline_totals *totals) {
    const struct findings to = doctor_findings(doctor);
    const uint64_t inverted = totals->bytes > 0 ? count_inverted(replay) : 0;
    if (totals->bytes == 0) {
        findings_add(&to, FINDING_BYTES,
                     "holds no byte of a board: does it run, and call kymo_init() and "
                     "kymo_drain()?");
    } else if (inverted > 0) {
        char packets[HUMAN_COUNT_SIZE];
        findings_add(&to, FINDING_BYTES,
                     "each bit is inverted: %s so; switch the inversion of the line off, or take "
                     "the inverting opto-coupler or level shifter out of it",
                     human_count(packets, inverted, "packet is whole", "packets are whole"));
    } else {
        findings_no_packet(&to, totals, totals->bytes,
                           doctor->is_serial ? FINDINGS_SERIAL : FINDINGS_FILE,
                           doctor->live.line.baud);
    }
}

/* ---- the ring ---- */

/* A finding about losses gets the needed size; repairs at the ends of a recording are normal. */
struct ring_finding {
    struct findings to;
    char need[256];
    bool cut_only;
};

static void describe_need(const struct ring_need *need, char *text, size_t size) {
    char recorded[HUMAN_SIZE], sent[HUMAN_SIZE], lasted[HUMAN_SIZE], events[HUMAN_COUNT_SIZE];
    const struct ring_answer answer = ring_need_answer(need);
    if (answer.is_lasting && answer.sent > 0) {
        (void)snprintf(text, size,
                       "; no ring is large enough: %s are recorded and %s leave the board, so that "
                       "it must send %.1f times as fast",
                       human_number(recorded, answer.recorded, "events/s"),
                       human_number(sent, answer.sent, "events/s"), answer.recorded / answer.sent);
    } else if (answer.bytes > 0) {
        (void)snprintf(text, size,
                       "; KYMO_RING_BYTES=%" PRIu32 " (now %" PRIu32
                       ") would have held the longest burst, which lost %s in %s",
                       answer.bytes, need->ring_bytes,
                       human_count(events, answer.lost, "event", "events"),
                       human_time(lasted, answer.burst_ns));
    }
}

static void take_with_need(void *context, enum finding of, const char *text) {
    const struct ring_finding *ring = context;
    const bool is_note = of == FINDING_REPAIR && ring->cut_only;
    findings_add(&ring->to, is_note ? FINDING_NOTE : of, "%s%s", text,
                 of == FINDING_RING ? ring->need : "");
}

/* ---- passed checks ---- */

static void say_clock(struct doctor *doctor, const struct pipeline_totals *totals) {
    if (totals->clock_measured_hz > 0 && totals->clock_hz > 0) {
        doctor_well(doctor, "clock", "%" PRIu64 " Hz, about %" PRIu64 " Hz by the host's clock",
                    totals->clock_hz, totals->clock_measured_hz);
    } else if (totals->clock_hz > 0) {
        doctor_well(doctor, "clock", "%" PRIu64 " Hz, too short to compare with the host's clock",
                    totals->clock_hz);
    }
}

static void say_names(struct doctor *doctor, const struct pipeline_totals *totals) {
    if (totals->unknown_names == 0) {
        doctor_well(doctor, "names", "%" PRIu32 " places%s", totals->sites,
                    totals->names_in_elf ? ", from the ELF file" : "");
    }
    if (doctor->elf_is_open && !totals->wrong_elf && doctor->live.elf.accepted &&
        !doctor->live.elf.refused) {
        doctor_well(doctor, "ELF", "is the program that the board runs");
    }
}

static void say_well(struct doctor *doctor, const struct pipeline_totals *totals) {
    char bytes[HUMAN_SIZE], packets[HUMAN_COUNT_SIZE], events[HUMAN_COUNT_SIZE];
    const struct board_info *info = &totals->info;
    doctor_well(doctor, "packets", "%s in %s, %" PRIu64 " damaged",
                human_count(packets, totals->packets, "packet", "packets"),
                human_number(bytes, (double)totals->bytes, "B"), totals->bad_packets);
    if (info->has[KYMO_INFO_RUNTIME]) {
        doctor_well(doctor, "board", "kymo %s, %s", info->text[KYMO_INFO_RUNTIME],
                    info->has[KYMO_INFO_ARCH] ? info->text[KYMO_INFO_ARCH] : "unknown core");
    }
    if (totals->clock_text[0] == '\0') {
        say_clock(doctor, totals);
    }
    say_names(doctor, totals);
    if (totals->lost == totals->lost_before) {
        doctor_well(doctor, "events", "%s, none lost%s",
                    human_count(events, totals->delivered, "event", "events"),
                    totals->final ? "" : " until here: the board's final status is not there");
    }
    const unsigned percent = board_info_ring_percent(info);
    if (totals->lost_ring == 0 && percent > 0) {
        doctor_well(doctor, "ring", "at most %u %% of %" PRIu32 " bytes in use", percent,
                    info->number[KYMO_INFO_RING_BYTES][0]);
    }
}

static void note_build(struct doctor *doctor, const struct pipeline_totals *totals) {
    const struct findings to = doctor_findings(doctor);
    const struct board_info *info = &totals->info;
    if (info->has[KYMO_INFO_CHECK] && info->number[KYMO_INFO_CHECK][0] > 0) {
        findings_add(&to, FINDING_NOTE,
                     "the board checks each zone (KYMO_CHECK=%" PRIu32
                     "), which takes time: build without it to measure",
                     info->number[KYMO_INFO_CHECK][0]);
    }
    if (totals->delivered == 0) {
        findings_add(&to, FINDING_NOTE,
                     "the board recorded nothing: does the firmware reach a macro of kymo?");
    }
}

/* ---- all of it ---- */

static void take_line(void *context, const char *line) {
    const struct findings *to = context;
    to->take(to->context, FINDING_IMAGE, line);
}

/* Receives the events and other observations. */
struct watcher {
    struct doctor *doctor;
    struct ring_need need;
    uint64_t
        own_repairs; /* that neither a loss nor the begin and the end of the recording explain */
};

static bool is_own_repair(const struct event *event) {
    const enum zone_repair zone =
        event->kind == EVENT_ZONE_END ? event->u.zone.repaired : ZONE_ENDED;
    return event->kind == EVENT_REPAIR || zone == ZONE_END_MISSING || zone == ZONE_END_UNSURE;
}

static int on_event(void *context, const struct event *event) {
    struct watcher *watcher = context;
    if (event->kind == EVENT_SESSION && event->u.session.info != NULL) {
        watcher->need.ring_bytes = event->u.session.info->number[KYMO_INFO_RING_BYTES][0];
    }
    watcher->own_repairs += is_own_repair(event);
    return ring_need_event(&watcher->need, event);
}

/* Faults that the board reported, or made on the line, while it ran. */
static void on_notice(void *context, const char *text) {
    const struct watcher *watcher = context;
    const struct findings to = doctor_findings(watcher->doctor);
    const bool is_note = strcmp(text, BOARD_WATCH_PAST) == 0;
    findings_add(&to, is_note ? FINDING_NOTE : FINDING_BOARD, "%s", text);
}

static void judge(struct doctor *doctor, const struct pipeline_totals *totals,
                  const struct watcher *watcher) {
    const struct ring_need *need = &watcher->need;
    struct ring_finding ring = {.to = doctor_findings(doctor),
                                .cut_only = watcher->own_repairs == 0 || totals->lost > 0};
    const struct findings to = {&ring, take_with_need};
    describe_need(need, ring.need, sizeof ring.need);
    findings_of_board(&to, totals);
    findings_of_trace(&to, totals, doctor->line_percent);
    say_well(doctor, totals);
    note_build(doctor, totals);
}

void doctor_trace(struct doctor *doctor, struct replay *replay) {
    static struct watcher watcher; /* too large for the stack */
    struct findings to = doctor_findings(doctor);
    const struct consumer consumer = {.state = &watcher, .event = on_event};
    const struct receivers receivers = {
        .image = elf_names_image(&doctor->live.elf), .consumer = &consumer, .notice = on_notice};
    struct conversion conversion;
    watcher = (struct watcher){.doctor = doctor};
    say_to(take_line, &to);
    (void)conversion_run(&conversion, replay, NULL, &receivers);
    say_to(NULL, NULL);
    if (totals_heard_board(&conversion.totals)) {
        judge(doctor, &conversion.totals, &watcher);
        doctor_program(doctor, replay, conversion.names);
    } else {
        look_at_bytes(doctor, replay, &conversion.totals);
    }
    conversion_free(&conversion);
}
