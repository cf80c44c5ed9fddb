#include "trace/pipeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/clock_watch.h"
#include "trace/dispatch.h"
#include "trace/pipeline_state.h"

/* The first bytes of a capture file, without its NUL. */
static const uint8_t magic[] = {'k', 'y', 'm', 'o', KYMO_WIRE_VERSION, '\r', '\n'};

static int on_event(void *context, const struct event *event) {
    struct pipeline *p = context;
    return p->callbacks.event == NULL ? 0 : p->callbacks.event(p->callbacks.context, event);
}

/* From now on nothing waits: the rate is known, or will not be. What tells of the session goes
 * first, as frames may have come before it. */
static int release(struct pipeline *p) {
    int result = 0;
    p->rate_known = true;
    for (int sessions = 1; sessions >= 0; sessions--) {
        struct wire_frame frame;
        size_t at = 0;
        while (result == 0 && clock_wait_next(&p->wait, &at, &frame)) {
            bool session = frame_type(frame.bytes) == KYMO_FRAME_SESSION;
            result = session == (sessions != 0) ? dispatch(p, &frame) : 0;
        }
    }
    clock_wait_free(&p->wait);
    return result;
}

/* A frame that comes while the rate is not known. */
static int hold(struct pipeline *p, const struct wire_frame *frame) {
    int result = 0;
    switch (clock_wait_take(&p->wait, frame, p->host.now_ns)) {
    case CLOCK_WAIT_END:
        return release(p);
    case CLOCK_WAIT_END_BEHIND:
        result = release(p);
        return result != 0 ? result : dispatch(p, frame);
    case CLOCK_WAIT_END_BEFORE_IT:
        result = dispatch(p, frame);
        return result != 0 ? result : release(p);
    case CLOCK_WAIT_KEPT:
    default:
        return 0;
    }
}

static void watch_clock(struct pipeline *p, const struct wire_frame *frame) {
    char *text = p->totals.clock_text;
    if (p->host.known && !p->watch.past) {
        clock_watch_frame(&p->clock, frame->bytes, frame->length, p->host.now_ns);
    }
    if (frame_type(frame->bytes) == KYMO_FRAME_STATUS && !p->rate_warned &&
        clock_watch_warns(&p->clock, text)) {
        p->rate_warned = true;
        pipeline_notice(p, text);
    }
}

static int take_frame(struct pipeline *p, const struct wire_frame *frame) {
    bool waits = !p->rate_known && clock_wait_wants(frame_type(frame->bytes));
    int result = waits ? hold(p, frame) : dispatch(p, frame);
    watch_clock(p, frame);
    if (result == 0 && !p->rate_known &&
        clock_wait_is_over(&p->wait, &p->clock.rate, p->host.now_ns)) {
        result = release(p);
    }
    return result;
}

static void say_version(struct pipeline *p, unsigned version) {
    char text[160];
    (void)snprintf(
        text, sizeof text,
        "the board sends version %u of the wire format, this hostlink reads version %u: use "
        "the hostlink of the same release as the board's runtime",
        version, KYMO_WIRE_VERSION);
    pipeline_notice(p, text);
}

static int on_frame(void *context, const uint8_t *bytes, size_t length, size_t wire_bytes) {
    struct pipeline *p = context;
    uint8_t type = frame_type(bytes);
    p->totals.bytes += wire_bytes;
    if (bytes[0] >> KYMO_WIRE_VERSION_SHIFT != KYMO_WIRE_VERSION) {
        p->totals.bad_frames++;
        p->totals.junk_bytes += wire_bytes;
        if (!p->version_warned) {
            p->version_warned = true;
            say_version(p, bytes[0] >> KYMO_WIRE_VERSION_SHIFT);
        }
        return 0;
    }
    p->totals.frames += type == KYMO_FRAME_HOST_CLOCK ? 0 : 1;
    p->totals.event_bytes += type == KYMO_FRAME_EVENTS ? wire_bytes : 0;
    const struct wire_frame frame = {bytes, length, frame_crc(bytes, length)};
    return take_frame(p, &frame);
}

/* A capture that begins or ends while the board sends cuts a packet: that is no damage. */
static bool is_cut(struct pipeline *p, size_t length) {
    bool first = !p->entered && p->totals.frames == 0;
    p->entered = true;
    return length <= DEFRAME_CHUNK_BYTES && (first || p->ended);
}

static void on_junk(void *context, const uint8_t *bytes, size_t length) {
    struct pipeline *p = context;
    p->totals.bytes += length + (p->ended ? 0 : 1);
    if (length == sizeof magic && memcmp(bytes, magic, length) == 0) {
        return;
    }
    if (length <= DEFRAME_CHUNK_BYTES && text_is_all(bytes, length)) {
        p->totals.junk_bytes += length + 1;
        pipeline_print(p, bytes, length);
    } else if (!is_cut(p, length)) {
        p->totals.junk_bytes += length + 1;
        p->totals.bad_frames++;
        pipeline_notice(p, text_note(&p->text, bytes, length));
    }
}

struct pipeline *pipeline_new(const struct pipeline_callbacks *callbacks,
                              const struct pipeline *names_from) {
    struct pipeline *p = calloc(1, sizeof *p);
    if (p == NULL) {
        return NULL;
    }
    p->callbacks = *callbacks;
    p->own_names = names_from == NULL;
    p->names = names_from == NULL ? names_new() : names_from->names;
    if (names_from != NULL) {
        uint64_t said = names_from->clock.board_hz;
        p->guessed_hz = said != 0 ? said : clock_rate_hz(&names_from->clock.rate);
        p->rate_known = true;
        memcpy(p->image, names_from->image, sizeof p->image);
    }
    p->clock.board_hz = p->guessed_hz;
    const struct deframe_callbacks frames = {p, on_frame, on_junk};
    deframe_init(&p->deframe, &frames);
    p->timeline = p->names == NULL ? NULL : timeline_new(p->names, &p->clock, on_event, p);
    p->merge = p->timeline == NULL ? NULL : merge_new(p->timeline);
    if (p->merge == NULL) {
        pipeline_free(p);
        return NULL;
    }
    return p;
}

void pipeline_free(struct pipeline *p) {
    if (p == NULL) {
        return;
    }
    merge_free(p->merge);
    timeline_free(p->timeline);
    clock_wait_free(&p->wait);
    repeat_free(&p->repeat);
    if (p->own_names) {
        names_free(p->names);
    }
    free(p);
}

int pipeline_feed(struct pipeline *p, const uint8_t *bytes, size_t length) {
    return deframe_feed(&p->deframe, bytes, length);
}

int pipeline_quiet(struct pipeline *p) { return merge_flush(p->merge); }

int pipeline_end(struct pipeline *p) {
    p->ended = true;
    deframe_end(&p->deframe);
    int result = release(p);
    if (result == 0) {
        result = dispatch_end(p);
    }
    result = result != 0 ? result : merge_flush(p->merge);
    return result != 0 || !p->session_open ? result : timeline_end(p->timeline);
}

void pipeline_totals(const struct pipeline *p, struct pipeline_totals *totals) {
    struct timeline_counts counts;
    timeline_counts(p->timeline, &counts);
    *totals = p->totals;
    totals->delivered = counts.delivered;
    totals->lost_ring = counts.lost_ring;
    totals->lost_link = counts.lost_link;
    totals->lost_before = counts.lost_before;
    totals->lost = counts.lost_ring + counts.lost_link;
    totals->emitted = totals->delivered + totals->lost;
    totals->repairs = counts.repairs;
    totals->unknown_names = counts.unknown_names;
    totals->incredible = counts.incredible;
    totals->unkept_blocks = counts.unkept_blocks;
    totals->shared_switches = counts.shared_switches;
    totals->first_ns = counts.first_ns;
    totals->last_ns = counts.last_ns;
    totals->sessions = counts.sessions;
    totals->lanes = counts.lanes;
    totals->tracks = counts.tracks;
    totals->unnamed_tasks = counts.unnamed_tasks;
    totals->clock_hz = clockfit_hz(&p->clock);
    totals->clock_measured_hz = clock_rate_hz(&p->clock.rate);
    totals->copies = p->repeat.copies;
    totals->text_frames = p->text.count;
    memcpy(totals->text, p->text.first, sizeof totals->text);
    totals->names_in_elf = p->loan.names_in_elf;
    totals->wrong_elf = p->loan.image != NULL && p->loan.asked && !p->loan.lent;
    names_count(p->names, session_number(p), &totals->sites, &totals->unknown_sites);
}

bool pipeline_wants_names(const struct pipeline *p) {
    uint32_t known = 0;
    uint32_t unknown = 0;
    names_count(p->names, session_number(p), &known, &unknown);
    return unknown != 0 && !p->loan.names_in_elf;
}

void pipeline_know(struct pipeline *p, const struct known_image *image) { p->loan.image = image; }

const struct loan *pipeline_loan(const struct pipeline *p) { return &p->loan; }

const char *pipeline_image(const struct pipeline *p) { return p->image; }
