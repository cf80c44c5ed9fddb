#include "trace/pipeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/answers.h"
#include "trace/board_watch.h"
#include "trace/borrow.h"
#include "trace/clock_wait.h"
#include "trace/clock_watch.h"
#include "trace/clockfit.h"
#include "trace/decode.h"
#include "trace/deframe.h"
#include "trace/frames.h"
#include "trace/host_epoch.h"
#include "trace/merge.h"
#include "trace/names.h"
#include "trace/repeat.h"
#include "trace/stray_text.h"
#include "trace/timeline.h"

#define IMAGE_BYTES 128u
/* The first bytes of a capture file, without its NUL. */
static const uint8_t magic[] = {'k', 'y', 'm', 'o', KYMO_WIRE_VERSION, '\r', '\n'};

struct pipeline {
    struct pipeline_callbacks callbacks;
    struct deframe deframe;
    struct names *names;
    bool own_names;
    struct clockfit clock;
    uint64_t guessed_hz; /* from an earlier pass, for a board that does not know its own */
    struct merge *merge;
    struct timeline *timeline;
    struct pipeline_totals totals;
    char image[IMAGE_BYTES];
    uint32_t session_id;
    bool session_open, session_identified;
    struct host_epoch host;
    bool rate_warned, version_warned;
    struct board_watch watch;
    struct stray_text text;
    struct repeat repeat;
    uint32_t lanes; /* as the session said */
    bool rate_known;
    struct clock_wait wait; /* until then */
    struct loan loan;
};

static void notice(struct pipeline *p, const char *text) {
    if (text != NULL && p->callbacks.notice != NULL) {
        p->callbacks.notice(p->callbacks.context, text);
    }
}

static int on_event(void *context, const struct event *event) {
    struct pipeline *p = context;
    return p->callbacks.event == NULL ? 0 : p->callbacks.event(p->callbacks.context, event);
}

static int open_session(struct pipeline *p) {
    p->session_open = true;
    p->session_identified = false;
    p->clock.based = p->clock.ordered = false;
    p->watch = (struct board_watch){0};
    p->totals.final = false;
    merge_restart(p->merge);
    repeat_restart(&p->repeat);
    loan_begin(&p->loan);
    return timeline_session(p->timeline, p->image, host_epoch_unix_ns(&p->host));
}

/* The rate stays: it is the same board. Nothing of the session before may be held. */
static int reset_session(struct pipeline *p) {
    uint64_t measured = clock_rate_hz(&p->clock.rate);
    p->guessed_hz = measured != 0 && p->clock.board_hz == 0 ? measured : p->guessed_hz;
    clock_rate_restart(&p->clock.rate);
    notice(p, "the board was reset: a new session begins");
    return open_session(p);
}

static int dispatch(struct pipeline *p, const uint8_t *frame, size_t frame_bytes);

static int dispatch_all(struct pipeline *p, struct repeat_frame *frame, int result) {
    while (frame != NULL) {
        struct repeat_frame *next = frame->next;
        result = result != 0 ? result : dispatch(p, frame->bytes, frame->length);
        free(frame);
        frame = next;
    }
    return result;
}

/* The board began anew, and its session number is the same: what was held is of the new session. */
static int begin_anew(struct pipeline *p) {
    struct repeat_frame *held = repeat_release(&p->repeat);
    int result = merge_flush(p->merge);
    result = result != 0 ? result : reset_session(p);
    merge_expect(p->merge, p->lanes, clockfit_hz(&p->clock));
    p->clock.ordered = true;
    return dispatch_all(p, held, result);
}

/* What was held were copies, but for the first frames of lanes. */
static int leave_out_copies(struct pipeline *p) {
    struct repeat_frame *frame = repeat_release(&p->repeat);
    int result = 0;
    while (frame != NULL) {
        struct repeat_frame *next = frame->next;
        if (result == 0 && !repeat_is_copy(frame, p->timeline)) {
            result = dispatch(p, frame->bytes, frame->length);
        }
        free(frame);
        frame = next;
    }
    return result;
}

/* False in *go_on: the frame is a copy, or waits. */
static int heed(struct pipeline *p, enum repeat_verdict verdict, bool *go_on) {
    *go_on = verdict != REPEAT_DROP;
    return verdict == REPEAT_ANEW     ? begin_anew(p)
           : verdict == REPEAT_COPIES ? leave_out_copies(p)
                                      : 0;
}

static int need_session(struct pipeline *p) { return p->session_open ? 0 : open_session(p); }

static void copy_image(struct pipeline *p, const char *text, size_t length) {
    const char *clean = names_text(p->names, text, length);
    if (clean != NULL) {
        (void)snprintf(p->image, sizeof p->image, "%s", clean);
    }
}

static uint32_t session_number(const struct pipeline *p) {
    return timeline_session_number(p->timeline);
}

static void name_lanes(struct pipeline *p, struct reader *r, uint32_t lanes) {
    for (uint32_t i = 0; i < lanes && !r->bad && r->at < r->length; i++) {
        size_t length = 0;
        const char *name = read_string(r, &length);
        (void)names_define_lane(p->names, session_number(p), i, name, length);
    }
}

static int on_session(struct pipeline *p, struct reader *r) {
    struct session_frame session;
    const size_t length = r->length; /* the reader stops before the identity */
    read_session(r, &session);
    if (r->bad) {
        return 0;
    }
    bool another = p->session_identified && session.id != p->session_id;
    bool go_on = true;
    int result = another ? leave_out_copies(p) : 0;
    if (!another && p->session_identified && (session.flags & KYMO_SESSION_PAST) == 0) {
        result = heed(p, repeat_clock(&p->repeat, r->bytes, length, session.ticks, true), &go_on);
    }
    if (result != 0 || !go_on) {
        return result;
    }
    result = another ? merge_flush(p->merge) : 0;
    p->clock.board_hz = session.clock_hz != 0 ? session.clock_hz : p->guessed_hz;
    copy_image(p, session.image, session.image_bytes);
    if (another && result == 0) {
        result = reset_session(p);
    } else if (!p->session_open) {
        result = open_session(p);
    }
    p->session_id = session.id;
    p->session_identified = true;
    p->lanes = session.lanes;
    p->clock.ordered = true; /* the merge waits for all of them */
    merge_expect(p->merge, session.lanes, clockfit_hz(&p->clock));
    notice(p, board_watch_session(&p->watch, session.flags));
    const uint32_t loans = p->loan.number;
    loan_ask(&p->loan, p->names, session_number(p), &session);
    name_lanes(p, r, session.lanes);
    if (result == 0) {
        result = loans != p->loan.number ? timeline_renamed(p->timeline)
                                         : timeline_named_lanes(p->timeline);
    }
    return result != 0 ? result : merge_reached(p->merge, session.ticks);
}

static int on_sites(struct pipeline *p, struct reader *r) {
    struct site_entry entry = {.function = "", .file = ""};
    uint64_t index = read_varint(r);
    bool go_on = true;
    int result = heed(p, repeat_sites(&p->repeat, r->bytes, r->length), &go_on);
    if (result != 0 || !go_on) {
        return result;
    }
    result = need_session(p);
    while (result == 0 && r->at < r->length && index < NAMES_SITES_MAX && read_site(r, &entry)) {
        const uint32_t site = (uint32_t)index++;
        if (names_define(p->names, session_number(p), site, &entry) == NAMES_DIFFER) {
            loan_end(&p->loan, p->names, session_number(p));
            result = timeline_renamed(p->timeline);
        } else if (entry.kind == KYMO_SITE_CONTEXT) {
            result = timeline_named_site(p->timeline, site);
        }
    }
    return result;
}

/* While frames of the lane are held the timeline cannot tell; but one that begins behind where the last of them
 * does is no repetition. It need not begin behind its events, of which not all count. */
static int look_at_order(struct pipeline *p, const struct wire_head *head,
                         enum timeline_order *order) {
    const struct wire_head *held = merge_holds(p->merge, head->lane);
    *order = TIMELINE_FOLLOWS;
    if (held != NULL && head->first > held->first && !p->repeat.clock_back) {
        return 0;
    }
    int result = held != NULL ? merge_flush(p->merge) : 0;
    *order = timeline_order(p->timeline, head);
    return result;
}

static int on_events(struct pipeline *p, struct reader *r) {
    struct wire_head head;
    enum timeline_order order;
    bool go_on = true;
    if (!decode_head(r, &head)) {
        return 0;
    }
    int result = need_session(p);
    result = result != 0 ? result : look_at_order(p, &head, &order);
    if (result == 0 && order == TIMELINE_INCREDIBLE) {
        timeline_refuse(p->timeline, &head);
        return 0;
    }
    if (result == 0) {
        result = heed(p, repeat_events(&p->repeat, r->bytes, r->length, &head, order), &go_on);
    }
    if (result != 0 || !go_on) {
        return result;
    }
    p->totals.final = false;
    if (p->callbacks.names_only) {
        timeline_pass_over(p->timeline, &head, r);
        return 0;
    }
    return merge_put(p->merge, &head, r);
}

static int on_status(struct pipeline *p, struct reader *r) {
    struct status_frame status;
    read_status(r, &status);
    int result = need_session(p);
    bool go_on = true;
    if (result == 0) {
        result =
            heed(p, repeat_clock(&p->repeat, r->bytes, r->length, status.ticks, false), &go_on);
    }
    if (result != 0 || !go_on) {
        return result;
    }
    for (uint32_t i = 0; i < status.lanes && i < NAMES_LANES && result == 0; i++) {
        struct lane_status lane = {.ticks = status.ticks};
        lane.events = read_varint(r);
        lane.pending = read_varint(r);
        result = r->bad ? 0 : merge_status(p->merge, i, &lane);
    }
    bool final = (status.flags & KYMO_STATUS_FINAL) != 0;
    if (result == 0) {
        result = final ? merge_flush(p->merge) : merge_reached(p->merge, status.ticks);
    }
    notice(p, board_watch_status(&p->watch, status.flags));
    const uint64_t usage = read_status_usage(r, &status);
    p->totals.usage |= usage;
    notice(p, board_watch_usage(&p->watch, usage)); /* one at a time: a status comes each second */
    /* Status without it may follow, as long as the board answers; events take it back. */
    p->totals.final = p->totals.final || final;
    return result;
}

/* A line of the board's: only what does no harm to a terminal is passed on. */
static void print_text(struct pipeline *p, const uint8_t *bytes, size_t length) {
    if (p->callbacks.console == NULL) {
        return;
    }
    char text[DEFRAME_CHUNK_BYTES + 1];
    length = length < DEFRAME_CHUNK_BYTES ? length : DEFRAME_CHUNK_BYTES;
    p->callbacks.console(p->callbacks.context, text,
                         names_clean(text, (const char *)bytes, length));
}

static int dispatch(struct pipeline *p, const uint8_t *frame, size_t frame_bytes) {
    struct reader fields = frame_fields(frame, frame_bytes), *r = &fields;
    switch (frame_type(frame)) {
    case KYMO_FRAME_SESSION:
        return on_session(p, r);
    case KYMO_FRAME_SITES:
        return on_sites(p, r);
    case KYMO_FRAME_EVENTS:
        return on_events(p, r);
    case KYMO_FRAME_STATUS:
        return on_status(p, r);
    case KYMO_FRAME_PONG:
        answer_pong(&p->callbacks, r);
        return 0;
    case KYMO_FRAME_PARAM:
        answer_param(&p->callbacks, p->names, session_number(p), r);
        return 0;
    case KYMO_FRAME_GUARD:
        answer_guard(&p->callbacks, r);
        return 0;
    case KYMO_FRAME_TEXT:
        print_text(p, r->bytes + r->at, r->length - r->at);
        return 0;
    case KYMO_FRAME_HOST_CLOCK:
        host_epoch_take(&p->host, r);
        return 0;
    default: /* of a newer board */
        return 0;
    }
}

/* From now on nothing waits: the rate is known, or will not be. What tells of the session goes
 * first, as frames may have come before it. */
static int release(struct pipeline *p) {
    int result = 0;
    p->rate_known = true;
    for (int sessions = 1; sessions >= 0; sessions--) {
        const uint8_t *frame;
        size_t at = 0, length = 0;
        while (result == 0 && (frame = clock_wait_next(&p->wait, &at, &length)) != NULL) {
            bool session = frame_type(frame) == KYMO_FRAME_SESSION;
            result = session == (sessions != 0) ? dispatch(p, frame, length) : 0;
        }
    }
    clock_wait_free(&p->wait);
    return result;
}

/* A frame that comes while the rate is not known. */
static int hold(struct pipeline *p, const uint8_t *bytes, size_t length) {
    int result = 0;
    switch (clock_wait_take(&p->wait, bytes, length, p->host.now_ns)) {
    case CLOCK_WAIT_END:
        return release(p);
    case CLOCK_WAIT_END_BEHIND:
        result = release(p);
        return result != 0 ? result : dispatch(p, bytes, length);
    case CLOCK_WAIT_END_BEFORE_IT:
        result = dispatch(p, bytes, length);
        return result != 0 ? result : release(p);
    case CLOCK_WAIT_KEPT:
    default:
        return 0;
    }
}

static void watch_clock(struct pipeline *p, uint8_t type, const uint8_t *bytes, size_t length) {
    char text[CLOCK_WATCH_TEXT];
    if (p->host.known && !p->watch.past) {
        clock_watch_frame(&p->clock, bytes, length, p->host.now_ns);
    }
    if (type == KYMO_FRAME_STATUS && !p->rate_warned && clock_watch_warns(&p->clock, text)) {
        p->rate_warned = true;
        notice(p, text);
    }
}

static int take_frame(struct pipeline *p, uint8_t type, const uint8_t *bytes, size_t length) {
    bool waits = !p->rate_known && clock_wait_wants(type);
    int result = waits ? hold(p, bytes, length) : dispatch(p, bytes, length);
    watch_clock(p, type, bytes, length);
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
    notice(p, text);
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
    return take_frame(p, type, bytes, length);
}

static void on_junk(void *context, const uint8_t *bytes, size_t length) {
    struct pipeline *p = context;
    p->totals.bytes += length + 1;
    if (length == sizeof magic && memcmp(bytes, magic, length) == 0) {
        return;
    }
    p->totals.junk_bytes += length + 1;
    if (length <= DEFRAME_CHUNK_BYTES && text_is_all(bytes, length)) {
        print_text(p, bytes, length);
    } else {
        p->totals.bad_frames++;
        notice(p, text_note(&p->text, bytes, length));
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
    deframe_end(&p->deframe);
    int result = release(p);
    if (result == 0) {
        result = repeat_is_anew(&p->repeat) ? begin_anew(p) : leave_out_copies(p);
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
    totals->clock_hz = clockfit_hz(&p->clock);
    totals->clock_measured_hz = clock_rate_hz(&p->clock.rate);
    totals->copies = p->repeat.copies;
    totals->text_frames = p->text.count;
    memcpy(totals->text, p->text.first, sizeof totals->text);
    totals->names_in_elf = p->loan.names_in_elf;
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
