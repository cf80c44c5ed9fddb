/* SPDX-License-Identifier: MIT */
#include "trace/pipeline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock/clock_watch.h"
#include "model/continuity/repeated_packets.h"
#include "trace/dispatch.h"
#include "trace/pipeline_state.h"
#include "wire/fields.h"

struct pipeline;

#define NS_PER_S UINT64_C(1000000000)
/* A ping that was answered later is too inexact; one with a time in the future is not of this host. */
#define PING_NS_MAX UINT64_C(1000000000)

static void told(struct pipeline *p, uint64_t ticks) {
    struct host_times *times = &p->host_times;
    times->latest_ticks = ticks > times->latest_ticks ? ticks : times->latest_ticks;
}

/* The year 2096; clocks that say more are wrong. */
#define UNIX_NS_MAX INT64_C(4000000000000000000)

static int64_t unix_less_monotonic(const struct host_epoch *host) {
    const int64_t ns = (int64_t)(host->first_unix_ns - host->first_ns);
    return ns > 0 && ns < UNIX_NS_MAX ? ns : 0;
}

static int give(struct pipeline *p, bool asked, uint64_t ticks, uint64_t host_ns) {
    const struct host_mark mark = {.session = session_number(p),
                                   .asked = asked,
                                   /* a clock that shows n is between n and n + 1 */
                                   .board_ns = clockfit_look(&p->clock, ticks + asked),
                                   .tick_ns = (int64_t)(NS_PER_S / clockfit_hz(&p->clock)) + 1,
                                   .host_ns = (int64_t)(host_ns & INT64_MAX),
                                   .unix_ns = unix_less_monotonic(&p->host)};
    return p->callbacks.host(p->callbacks.context, &mark);
}

bool pipeline_host_guess(const struct pipeline *p, struct host_mark *mark) {
    *mark = (struct host_mark){.session = session_number(p),
                               .board_ns = clockfit_look(&p->clock, p->host_times.latest_ticks),
                               .host_ns = (int64_t)(p->host.now_ns & INT64_MAX)};
    return p->clock.based && p->host.known && p->host_times.latest_ticks != 0;
}

/* Bytes that came before a stamp of the host's clock had arrived by then. */
static int settle(struct pipeline *p) {
    const struct host_times times = p->host_times;
    const uint64_t now_ns = p->host.now_ns;
    int result = 0;
    p->host_times = (struct host_times){0};
    if (!p->clock.based || times.latest_ticks == 0) {
        return 0;
    }
    if (times.asked_ns != 0 && times.asked_ns <= now_ns && now_ns - times.asked_ns < PING_NS_MAX) {
        result = give(p, true, times.asked_ticks, times.asked_ns);
    }
    return result != 0 ? result : give(p, false, times.latest_ticks, now_ns);
}

/* Call after each packet. 0, or the callback's value. */
static int host_times_take(struct pipeline *p, const struct wire_packet *packet) {
    struct reader r = packet_fields(packet->bytes, packet->length);
    struct session_packet session;
    struct status_packet status;
    struct pong_packet pong;
    struct wire_head head;
    switch (packet_type(packet->bytes)) {
    case KYMO_PACKET_HOST_CLOCK:
        return settle(p);
    case KYMO_PACKET_SESSION:
        read_session(&r, &session);
        p->host_times = (struct host_times){0}; /* the clock may start again */
        told(p, r.bad || (session.flags & KYMO_SESSION_PAST) != 0 ? 0 : session.ticks);
        return 0;
    case KYMO_PACKET_STATUS:
        read_status(&r, &status);
        told(p, r.bad ? 0 : status.ticks);
        return 0;
    case KYMO_PACKET_EVENTS:
        told(p, decode_head(&r, &head) ? head.ticks : 0);
        return 0;
    case KYMO_PACKET_PONG:
        read_pong(&r, &pong);
        if (!r.bad) {
            p->host_times.asked_ns = pong.cookie;
            p->host_times.asked_ticks = pong.ticks;
            told(p, pong.answered);
        }
        return 0;
    default:
        return 0;
    }
}

/* The first bytes of a capture file, without its NUL. */
static const uint8_t magic[] = {'k', 'y', 'm', 'o', KYMO_WIRE_VERSION, '\r', '\n'};

/* For callers that do not want the events. */
static int drop_event(void *context, const struct event *event) {
    (void)context;
    (void)event;
    return 0;
}

/* From now on nothing waits: the rate is known, or will not be. The SESSION packet goes first, as
 * packets may have come before it. */
static int release(struct pipeline *p) {
    int result = 0;
    p->rate_known = true;
    for (int sessions = 1; sessions >= 0; sessions--) {
        struct wire_packet packet;
        size_t at = 0;
        while (result == 0 && clock_wait_next(&p->wait, &at, &packet)) {
            bool session = packet_type(packet.bytes) == KYMO_PACKET_SESSION;
            result = session == (sessions != 0) ? dispatch(p, &packet) : 0;
        }
    }
    clock_wait_free(&p->wait);
    return result;
}

/* A packet that comes while the rate is not known. */
static int hold(struct pipeline *p, const struct wire_packet *packet) {
    int result = 0;
    switch (clock_wait_take(&p->wait, packet, p->host.now_ns)) {
    case CLOCK_WAIT_END:
        return release(p);
    case CLOCK_WAIT_END_BEHIND:
        result = release(p);
        return result != 0 ? result : dispatch(p, packet);
    case CLOCK_WAIT_END_BEFORE_IT:
        result = dispatch(p, packet);
        return result != 0 ? result : release(p);
    case CLOCK_WAIT_KEPT:
    default:
        return 0;
    }
}

static void watch_clock(struct pipeline *p, const struct wire_packet *packet) {
    char *text = p->totals.clock_text;
    if (p->host.known && !p->watch.past) {
        clock_watch_packet(&p->clock, packet->bytes, packet->length, p->host.now_ns);
    }
    if (packet_type(packet->bytes) == KYMO_PACKET_STATUS && !p->rate_warned &&
        clock_watch_warns(&p->clock, text)) {
        p->rate_warned = true;
        pipeline_notice(p, text);
    }
}

/* For events that wait; those of the packet before may have been shown, with its jumps taken out: the rest of all. */
static void step_live(struct pipeline *p) {
    struct clockfit *clock = &p->clock;
    const struct set_back *found = &p->set_back;
    uint64_t left = found->by > clock->guard.by ? found->by - clock->guard.by : 0;
    if (clock->step_count != 0) {
        memmove(p->steps, clock->steps, clock->step_count * sizeof p->steps[0]);
    }
    clock->steps = p->steps;
    for (unsigned i = found->last + clock->guard.jumps;
         i < found->count && clock->step_count < SET_BACK_STEPS; i++) {
        const uint64_t by = left / (found->count - i);
        p->steps[clock->step_count++] = (struct clockfit_step){found->steps[i].step.from, by};
        left -= by;
    }
    clock->guard.jumps = 0;
    clock->guard.by = 0;
}

/* Called before the packet is dispatched, as its usage errors would name another cause. */
static void watch_counter(struct pipeline *p, const struct wire_packet *packet) {
    const uint64_t hz = p->clock.board_hz;
    char text[SET_BACK_TEXT];
    if (!p->host.known || p->watch.past || !p->session_open) {
        return;
    }
    if (p->known_set_back == NULL) {
        set_back_guard(&p->set_back, &p->host, hz, &p->clock.guard);
    }
    if (set_back_packet(&p->set_back, session_number(p), packet, &p->host, hz)) {
        clock_rate_restart(&p->clock.rate);
        set_back_text(&p->set_back, hz, text);
        pipeline_notice(p, p->set_back.said ? NULL : text);
        p->set_back.said = true;
        if (p->known_set_back == NULL) {
            step_live(p);
        }
    }
}

static int take_packet(struct pipeline *p, const struct wire_packet *packet) {
    watch_counter(p, packet);
    bool waits = !p->rate_known && clock_wait_wants(packet_type(packet->bytes));
    int result = waits ? hold(p, packet) : dispatch(p, packet);
    watch_clock(p, packet);
    if (result == 0 && p->callbacks.host != NULL) {
        result = host_times_take(p, packet);
    }
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

static void count_bad(struct pipeline *p) {
    if (p->totals.bad_packets++ == 0) {
        p->totals.bad_at = p->unpack.at;
    }
}

static int on_packet(void *context, const uint8_t *bytes, size_t length, size_t wire_bytes) {
    struct pipeline *p = context;
    uint8_t type = packet_type(bytes);
    const bool from_host =
        type == KYMO_PACKET_HOST_CLOCK || type == KYMO_PACKET_SYMBOLS || type == KYMO_PACKET_BOARD;
    p->totals.bytes += from_host ? 0 : wire_bytes;
    if (type == KYMO_PACKET_SYMBOLS && p->last_junk != 0) {
        /* They were added to a capture that ended within a packet: that is no damage. */
        p->totals.junk_bytes -= p->last_junk;
        p->totals.bad_packets--;
    }
    p->last_junk = 0;
    if (bytes[0] >> KYMO_WIRE_VERSION_SHIFT != KYMO_WIRE_VERSION) {
        count_bad(p);
        p->totals.junk_bytes += wire_bytes;
        if (!p->version_warned) {
            p->version_warned = true;
            say_version(p, bytes[0] >> KYMO_WIRE_VERSION_SHIFT);
        }
        return 0;
    }
    if (p->totals.packets == 0 && !from_host) {
        p->line = (struct line_bytes){0}; /* that was a boot loader, or another rate */
    }
    p->totals.packets += from_host ? 0 : 1;
    p->totals.event_bytes += type == KYMO_PACKET_EVENTS ? wire_bytes : 0;
    const struct wire_packet packet = {bytes, length, packet_crc(bytes, length)};
    return take_packet(p, &packet);
}

/* A capture that begins or ends while the board sends cuts a packet: that is no damage. */
static bool is_cut(struct pipeline *p, size_t length) {
    bool first = !p->entered && p->totals.packets == 0;
    p->entered = true;
    return length <= UNPACK_CHUNK_BYTES && (first || p->ended);
}

static void on_junk(void *context, const uint8_t *bytes, size_t length) {
    struct pipeline *p = context;
    p->totals.bytes += length + (p->ended ? 0 : 1);
    if (length == sizeof magic && memcmp(bytes, magic, length) == 0) {
        return;
    }
    if (length <= UNPACK_CHUNK_BYTES && text_is_all(bytes, length)) {
        p->totals.junk_bytes += length + 1;
        if (p->totals.packets == 0) {
            line_note(&p->line, bytes, length);
        }
        pipeline_print(p, bytes, length);
    } else if (!is_cut(p, length)) {
        p->totals.junk_bytes += length + 1;
        count_bad(p);
        p->last_junk = length <= UNPACK_CHUNK_BYTES ? length + 1 : 0;
        line_note(&p->line, bytes, length < UNPACK_CHUNK_BYTES ? length : UNPACK_CHUNK_BYTES);
        pipeline_notice(p, text_note(&p->text, bytes, length));
    }
}

static int device_event(void *timeline, struct event *event) {
    return timeline_foreign(timeline, event);
}
static int64_t device_ns(void *timeline, uint64_t ticks) { return timeline_ns(timeline, ticks); }
static uint32_t device_row(void *timeline) { return timeline_row(timeline); }
static uint64_t device_flow(void *timeline) { return timeline_flow_number(timeline); }

/* An earlier pass over the same bytes found these: they hold from the first byte on. */
static void take_known(struct pipeline *p, const struct pipeline *known) {
    const uint64_t said = known->first_hz;
    p->known_set_back = &known->set_back;
    p->guessed_hz = said != 0 ? said : clock_rate_hz(&known->clock.rate);
    p->rate_known = true;
    memcpy(p->image, known->image, sizeof p->image);
    p->totals.info = known->totals.info;
    p->totals.info.unknown = 0; /* counted again */
    p->devices.known = &known->devices;
}

struct pipeline *pipeline_new(const struct pipeline_callbacks *callbacks,
                              const struct pipeline *names_from) {
    struct pipeline *p = calloc(1, sizeof *p);
    if (p == NULL) {
        return NULL;
    }
    p->callbacks = *callbacks;
    p->larges.receive = callbacks->large;
    p->larges.context = callbacks->large_context;
    p->own_names = names_from == NULL;
    p->names = names_from == NULL ? names_new() : names_from->names;
    p->kept = names_from == NULL ? calloc(1, sizeof *p->kept) : names_from->kept;
    if (p->names != NULL) {
        names_share(p->names, names_from != NULL      ? NAMES_COMPLETE
                              : callbacks->names_only ? NAMES_COLLECT
                                                      : NAMES_OWN);
    }
    if (names_from != NULL) {
        take_known(p, names_from);
    }
    p->clock.board_hz = p->guessed_hz;
    const struct unpack_callbacks packets = {p, on_packet, on_junk};
    unpack_init(&p->unpack, &packets);
    timeline_event *emit = callbacks->event != NULL ? callbacks->event : drop_event;
    p->timeline = p->names == NULL || p->kept == NULL
                      ? NULL
                      : timeline_new(p->names, &p->clock, emit, callbacks->context);
    p->merge = p->timeline == NULL ? NULL : merge_new(p->timeline);
    p->devices.to = (struct devices_to){p->names,  p->timeline, device_event,
                                        device_ns, device_row,  device_flow};
    if (p->merge == NULL || pipeline_program(p, &(struct code_program){0}) != 0) {
        pipeline_free(p);
        return NULL;
    }
    return p;
}

void pipeline_free(struct pipeline *p) {
    if (p == NULL) {
        return;
    }
    devices_free(&p->devices);
    merge_free(p->merge);
    timeline_free(p->timeline);
    clock_wait_free(&p->wait);
    repeat_free(&p->repeat);
    pipeline_programs_free(p);
    if (p->own_names) {
        names_free(p->names);
        if (p->kept != NULL) {
            code_kept_free(p->kept);
            free(p->kept);
        }
    }
    free(p);
}

int pipeline_feed(struct pipeline *p, const uint8_t *bytes, size_t length) {
    return unpack_feed(&p->unpack, bytes, length);
}

int pipeline_quiet(struct pipeline *p) { return merge_flush(p->merge); }

int pipeline_complete(struct pipeline *p, uint64_t ticks) {
    return p->rate_known ? merge_complete(p->merge, ticks) : 0;
}

int pipeline_end(struct pipeline *p) {
    p->ended = true;
    unpack_end(&p->unpack);
    int result = release(p);
    if (result == 0) {
        result = dispatch_end(p);
    }
    result = result != 0 ? result : merge_flush(p->merge);
    result = result != 0 ? result : large_restart(&p->larges);
    result = result != 0 ? result : devices_end(&p->devices);
    result = result != 0 ? result : devices_settle(&p->devices);
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
    totals->samples = counts.samples;
    totals->missed_samples = counts.missed_samples;
    totals->unknown_names = counts.unknown_names;
    totals->incredible = counts.incredible;
    totals->not_finite = counts.not_finite;
    totals->unkept_blocks = counts.unkept_blocks;
    totals->shared_switches = counts.shared_switches;
    totals->unkept_objects = counts.unkept_objects;
    totals->short_flows = counts.short_flows;
    totals->first_ns = counts.first_ns;
    totals->last_ns = counts.last_ns;
    totals->clock_changes = counts.clock_changes;
    totals->unknown_clocks = counts.unknown_clocks;
    totals->sessions = counts.sessions;
    totals->lanes = counts.lanes;
    totals->tracks = counts.tracks;
    totals->unnamed_tasks = counts.unnamed_tasks;
    totals->clock_hz = clockfit_hz(&p->clock);
    totals->clock_measured_hz = clock_rate_hz(&p->clock.rate);
    totals->large_whole = p->larges.whole;
    totals->large_cut = p->larges.cut;
    totals->large_cancelled = p->larges.cancelled;
    totals->large_bytes = p->larges.bytes;
    totals->devices = p->devices.totals;
    totals->repairs += p->devices.totals.repairs;
    totals->copies = p->repeat.copies;
    totals->text_packets = p->text.count;
    totals->line_fault =
        p->version_warned ? "they are of another version of the wire format: use the hostlink of "
                            "the same release as the board's runtime"
                          : line_fault(&p->line);
    memcpy(totals->text, p->text.first, sizeof totals->text);
    totals->names_in_elf = p->elf_names.names_in_elf;
    totals->wrong_elf = p->elf_names.image != NULL && p->elf_names.asked && !p->elf_names.is_lent;
    names_count(p->names, session_number(p), &totals->sites, &totals->unknown_sites);
}

uint32_t pipeline_late_names(const struct pipeline *p) { return p->names->late_keys.count; }

bool pipeline_wants_names(const struct pipeline *p) {
    uint32_t known = 0;
    uint32_t unknown = 0;
    names_count(p->names, session_number(p), &known, &unknown);
    if (!p->elf_names.names_in_elf) {
        return unknown != 0;
    }
    /* The board sends those that were made at run time all the same. */
    return unknown != 0 && names_unknown_from(p->names, session_number(p), p->image_sites) != 0;
}

void pipeline_know(struct pipeline *p, const struct known_image *image) {
    p->devices.names = image != NULL ? image->devices : NULL;
    p->elf_names.image = image != NULL && image->pointer_bytes != 0 ? image : NULL;
}

void pipeline_begins_at(struct pipeline *p, uint64_t at) { p->unpack.at = at; }

const struct names_from_elf *pipeline_names_from_elf(const struct pipeline *p) {
    return &p->elf_names;
}

const char *pipeline_image(const struct pipeline *p) { return p->image; }
