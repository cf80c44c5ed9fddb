/* SPDX-License-Identifier: MIT */
/* Findings at a port or another live source, which is recorded for a while. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/host_clock.h"
#include "base/human.h"
#include "base/say.h"
#include "base/stop.h"
#include "base/temporary.h"
#include "cli/convert.h"
#include "cli/doctor.h"
#include "cli/live.h"
#include "cli/silence.h"
#include "platform/file.h"
#include "platform/memory_stream.h"
#include "platform/serial.h"
#include "trace/stray_text.h"

/* Boards send their status each second. */
#define FIRST_LOOK_NS (2500 * NS_PER_MS)
#define RATE_LOOK_NS (1300 * NS_PER_MS)
/* At any setting of the board, so many bytes hold several packets. */
#define RATE_BYTES 4096u

/* A look at a source: it ends early when it shows nothing useful, or everything requested. */
struct look {
    struct live live;
    struct viewer viewer;
    uint64_t patience_ns; /* without a packet */
    bool until_heard;     /* that is everything requested */
    FILE *board_out;
};

static int drop_event(void *context, const struct event *event) {
    (void)context, (void)event;
    return 0;
}

static int on_step(void *context) {
    struct look *look = context;
    struct live *live = &look->live;
    const bool heard = totals_heard_board(&live->totals);
    const bool gives_up = !heard && (live->now_ns - live->start_ns >= look->patience_ns ||
                                     (look->until_heard && live->totals.bytes >= RATE_BYTES));
    if (gives_up || (heard && look->until_heard)) {
        live->duration_ns = 1;
    }
    return 0;
}

static void drop_line(void *context, const char *line) { (void)context, (void)line; }

/* Quiet: the totals and the recording report everything later. */
static void run(struct look *look) {
    look->viewer = (struct viewer){
        .consumer = {.name = "doctor", .state = look, .event = drop_event, .step = on_step}};
    look->live.viewers[look->live.viewer_count++] = &look->viewer;
    look->live.quiet = true;
    look->live.wait = LIVE_WAIT_NEVER;
    look->live.board_out = look->board_out;
    say_to(drop_line, NULL);
    live_run(&look->live);
    say_to(NULL, NULL);
}

/* ---- the port ---- */

static void say_port(struct doctor *doctor, const struct source *source) {
    const struct port *port = &source->port;
    if (source->serial) {
        doctor_well(doctor, "source", "%s%s%s%s%s is readable, 8N1 at %" PRIu32 " baud",
                    source->name, port->usb ? ", " : "", port->maker,
                    port->maker[0] != '\0' ? " " : "", port->name, source->options.baud);
    } else {
        doctor_well(doctor, "source", "%s is readable", source->name);
    }
}

/* ---- the baud rate ---- */

static bool try_rate(struct doctor *doctor, struct source *source, uint32_t baud, FILE *board_out) {
    static struct look look;
    if (serial_rate_set(source->fd, baud) != 0) {
        return false;
    }
    serial_drop_input(source->fd);
    look = (struct look){.patience_ns = RATE_LOOK_NS, .until_heard = true, .board_out = board_out};
    look.live.source = source;
    look.live.baud = baud;
    run(&look);
    if (look.live.pipeline) {
        pipeline_free(look.live.pipeline);
    }
    if (!totals_heard_board(&look.live.totals)) {
        return false;
    }
    const struct findings to = doctor_findings(doctor);
    doctor->found_baud = baud;
    findings_add(&to, FINDING_RATE,
                 "the board sends at %" PRIu32 " baud, and not at %" PRIu32
                 ": give --baud %" PRIu32,
                 baud, doctor->live.line.baud, baud);
    return true;
}

/* The usual ones, the most usual first. */
static bool find_rate(struct doctor *doctor, struct source *source, FILE *board_out) {
    static const uint32_t rates[] = {115200,  921600, 1000000, 460800, 230400, 2000000, 1500000,
                                     3000000, 500000, 250000,  57600,  38400,  19200,   9600};
    for (size_t i = 0; i < sizeof rates / sizeof *rates && !stop_wanted(); i++) {
        if (rates[i] != doctor->live.line.baud && try_rate(doctor, source, rates[i], board_out)) {
            return true;
        }
    }
    (void)serial_rate_set(source->fd, doctor->live.line.baud);
    return false;
}

/* ---- all of it ---- */

static int open_recording(struct capture *capture, const char *name) {
    *capture =
        (struct capture){.fd = temporary_open(), .path = name, .regular = true, .spare_fd = -1};
    return capture->fd < 0 ? capture->fd
                           : capture_write(capture, capture_magic, CAPTURE_MAGIC_BYTES);
}

static void record(struct doctor *doctor, struct source *source, struct look *look) {
    struct key key = {0};
    if (!key_read(&key, doctor->live.key_path)) {
        key.given = false;
    }
    look->patience_ns = FIRST_LOOK_NS;
    look->live.source = source;
    look->live.baud = doctor->found_baud > 0 ? doctor->found_baud : doctor->live.line.baud;
    look->live.duration_ns = doctor->live.duration_ns;
    look->live.commands = !doctor->live.no_commands;
    look->live.image = elf_names_image(&doctor->live.elf);
    look->live.key = key.given ? key.bytes : NULL;
    run(look);
}

static void judge_end(struct doctor *doctor, const struct look *look) {
    const struct live *live = &look->live;
    const struct findings to = doctor_findings(doctor);
    const char *guard = live->commands ? guard_text(live->guard.state) : NULL;
    silence_of_end(&to, live);
    if (live->end == LIVE_SOURCE_FAILED) {
        findings_add(&to, FINDING_BOARD, "%s was gone before the end: look at plug and cable",
                     live->source->name);
    }
    if (guard) {
        findings_add(&to, FINDING_NOTE, "%s", guard);
    }
    if (live->dialogue.pongs > 0) {
        char trip[HUMAN_SIZE];
        doctor_well(doctor, "commands", "are answered, at best in %s",
                    human_time(trip, live->dialogue.best_ns));
    } else if (live->commands && live->source->two_way && totals_heard_board(&live->totals) &&
               live->dialogue.pings > 1) {
        findings_add(&to, FINDING_NOTE,
                     "the board answers no command, so that names may be missing and parameters "
                     "cannot be set: is its receive pin connected, and does its transport read?");
    }
    doctor->line_percent = live->source->serial ? line_load_percent(&live->load, live->baud) : 0;
}

static void say_nothing_came(struct doctor *doctor) {
    const struct findings to = doctor_findings(doctor);
    findings_add(&to, FINDING_BYTES,
                 "nothing came from the board: does it run, call kymo_init() and kymo_drain(), and "
                 "is this its port ('hostlink list')? Is its TX connected to the adapter's RX, and "
                 "are the grounds?");
}

/* At the rate that was used last, where others were tried before. */
static void judge_driver(struct doctor *doctor, const struct source *source,
                         const struct serial_errors *before, bool heard) {
    const struct findings to = doctor_findings(doctor);
    struct serial_errors errors;
    if (source->serial && serial_errors_get(source->fd, &errors) == 0) {
        errors.framing -= before->framing;
        errors.breaks -= before->breaks;
        errors.overruns -= before->overruns;
        findings_of_serial(&to, &errors, heard);
    }
}

static void examine(struct doctor *doctor, struct source *source, struct capture *capture,
                    FILE *board_out) {
    static struct look look;
    struct replay replay;
    struct serial_errors before = {0};
    for (int again = 0; again < 2; again++) {
        look = (struct look){.board_out = board_out};
        look.live.capture = capture;
        if (source->serial && serial_errors_get(source->fd, &before) != 0) {
            before = (struct serial_errors){0};
        }
        record(doctor, source, &look);
        const bool heard = totals_heard_board(&look.live.totals);
        if (look.live.pipeline) {
            pipeline_free(look.live.pipeline);
        }
        if (heard || again > 0 || !source->serial || look.live.totals.bytes == 0 ||
            look.live.totals.line_fault == line_fault_text || look.live.end == LIVE_SOURCE_FAILED ||
            !find_rate(doctor, source, board_out)) {
            break;
        }
        if (sys_truncate(capture->fd, CAPTURE_MAGIC_BYTES) != 0 ||
            sys_seek(capture->fd, CAPTURE_MAGIC_BYTES, SEEK_SET) < 0) {
            return;
        }
    }
    judge_driver(doctor, source, &before, totals_heard_board(&look.live.totals));
    if (look.live.totals.bytes == 0) {
        say_nothing_came(doctor);
        return;
    }
    if (replay_adopt(&replay, source->name, sys_duplicate(capture->fd)) == 0) {
        judge_end(doctor, &look);
        doctor_trace(doctor, &replay);
        replay_close(&replay);
    }
}

void doctor_source(struct doctor *doctor) {
    const struct findings to = doctor_findings(doctor);
    struct source source;
    struct capture capture;
    char *printed = NULL;
    size_t printed_bytes = 0;
    if (source_open(&source, doctor->live.source, &doctor->live.line) != 0) {
        findings_add(&to, FINDING_PORT, "%s: %s", doctor->live.source, source.why);
        return;
    }
    doctor->is_serial = source.serial;
    say_port(doctor, &source);
    FILE *board_out = memory_stream_open(&printed, &printed_bytes);
    if (board_out == NULL || open_recording(&capture, doctor->live.source) != 0) {
        findings_add(&to, FINDING_PORT,
                     "no temporary file can be made: set TMPDIR to a folder with "
                     "room");
    } else {
        examine(doctor, &source, &capture, board_out);
        (void)sys_close(capture.fd);
    }
    if (board_out != NULL) {
        (void)memory_stream_close(board_out);
        free(printed);
    }
    source_close(&source);
}
