/* SPDX-License-Identifier: MIT */
#include "trace/dispatch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "kymo/wire.h"
#include "model/code_kept.h"
#include "model/names.h"
#include "trace/pipeline.h"
#include "trace/pipeline_state.h"
#include "wire/decode.h"
#include "wire/fields.h"

/* ---- answers to commands ---- */

static void answer_pong(const struct pipeline_callbacks *callbacks, struct reader *r) {
    struct pong_packet pong;
    read_pong(r, &pong);
    if (!r->bad && callbacks->pong != NULL) {
        callbacks->pong(callbacks->context, pong.cookie, pong.ticks);
    }
}

static void answer_param(const struct pipeline_callbacks *callbacks, struct names *names,
                         uint32_t session, struct reader *r) {
    uint64_t index = read_varint(r);
    int32_t value = (int32_t)read_u32(r);
    int32_t minimum = (int32_t)read_u32(r);
    int32_t maximum = (int32_t)read_u32(r);
    const struct site *site =
        r->bad || index >= WIRE_SITES ? NULL : names_site(names, session, (uint32_t)index);
    if (site != NULL && callbacks->param != NULL) {
        callbacks->param(callbacks->context, site->id, site->name, value, minimum, maximum);
    }
}

/* Without a key in the board's image the packet ends after the first number. */
static void answer_guard(const struct pipeline_callbacks *callbacks, struct reader *r) {
    uint64_t refused = read_varint(r);
    bool keyed = r->at < r->length;
    uint64_t accepted = keyed ? read_varint(r) : 0;
    const uint8_t *challenge = keyed ? r->bytes + r->at : NULL;
    if (keyed && r->length - r->at < KYMO_CHALLENGE_BYTES) {
        return;
    }
    if (!r->bad && callbacks->guard != NULL) {
        callbacks->guard(callbacks->context, refused, accepted, challenge);
    }
}

void pipeline_notice(struct pipeline *p, const char *text) {
    if (text != NULL && p->callbacks.notice != NULL) {
        p->callbacks.notice(p->callbacks.context, text);
    }
}

/* An earlier pass may know the image of the session that begins; its first packet may say it too late. */
static void take_known_image(struct pipeline *p) {
    const char *known = names_image(p->names, p->sessions);
    if (known != NULL) {
        utf8_clean(p->image, sizeof p->image, known, strlen(known));
    }
    p->sessions++;
}

static int open_session(struct pipeline *p) {
    take_known_image(p);
    p->session_open = true;
    p->session_identified = false;
    p->clock.based = p->clock.ordered = false;
    p->watch = (struct board_watch){0};
    p->totals.final = false;
    merge_restart(p->merge);
    repeat_restart(&p->repeat);
    names_from_elf_begin(&p->elf_names);
    set_back_restart(&p->set_back);
    int result = devices_end(&p->devices);
    result = result != 0 ? result : large_restart(&p->larges);
    result = result != 0 ? result
                         : timeline_session(p->timeline, p->image, &p->totals.info,
                                            host_epoch_unix_ns(&p->host));
    devices_session(&p->devices, session_number(p), p->said_hz);
    const struct code_program program = code_kept_session(p->kept, session_number(p));
    result = result != 0 ? result : pipeline_program(p, &program);
    p->clock.guard = (struct clockfit_guard){0};
    p->clock.steps = p->steps;
    p->clock.step_count = p->known_set_back == NULL
                              ? 0
                              : set_back_steps(p->known_set_back, session_number(p), p->steps);
    return result;
}

/* The rate stays: it is the same board. Nothing of the session before may be held. */
static int reset_session(struct pipeline *p) {
    uint64_t measured = clock_rate_hz(&p->clock.rate);
    p->guessed_hz = measured != 0 && p->clock.board_hz == 0 ? measured : p->guessed_hz;
    clock_rate_restart(&p->clock.rate);
    pipeline_notice(p, "the board was reset: a new session begins");
    return open_session(p);
}

static int dispatch_held(struct pipeline *p, const struct repeat_packet *held) {
    const struct wire_packet packet = {held->bytes, held->length, held->print};
    return dispatch(p, &packet);
}

static int dispatch_all(struct pipeline *p, struct repeat_packet *packet, int result) {
    while (packet != NULL) {
        struct repeat_packet *next = packet->next;
        result = result != 0 ? result : dispatch_held(p, packet);
        free(packet);
        packet = next;
    }
    return result;
}

/* The board restarted with the same session number: the held packets are of the new session. */
static int begin_anew(struct pipeline *p) {
    struct repeat_packet *held = repeat_release(&p->repeat);
    int result = merge_flush(p->merge);
    result = result != 0 ? result : reset_session(p);
    merge_expect(p->merge, p->lanes, clockfit_hz(&p->clock));
    p->clock.ordered = true;
    return dispatch_all(p, held, result);
}

/* An EVENTS packet that continues its lane is not a copy. */
static bool is_copy(struct pipeline *p, const struct repeat_packet *packet) {
    struct wire_head head;
    if (!repeat_head(packet, &head)) {
        return true;
    }
    const enum packet_order order = timeline_order(p->timeline, &head);
    return order != PACKET_FOLLOWS && order != PACKET_FIRST;
}

/* The held packets were copies, except the first ones of lanes. */
static int leave_out_copies(struct pipeline *p) {
    struct repeat_packet *packet = repeat_release(&p->repeat);
    int result = 0;
    while (packet != NULL) {
        struct repeat_packet *next = packet->next;
        if (result == 0 && !is_copy(p, packet)) {
            result = dispatch_held(p, packet);
        }
        free(packet);
        packet = next;
    }
    return result;
}

/* False in *go_on: the packet is a copy, or waits. */
static int heed(struct pipeline *p, enum repeat_verdict verdict, bool *go_on) {
    *go_on = verdict != REPEAT_DROP;
    return verdict == REPEAT_ANEW     ? begin_anew(p)
           : verdict == REPEAT_COPIES ? leave_out_copies(p)
                                      : 0;
}

static int need_session(struct pipeline *p) { return p->session_open ? 0 : open_session(p); }

static void name_lanes(struct pipeline *p, struct reader *r, uint32_t lanes) {
    for (uint32_t i = 0; i < lanes && !r->bad && r->at < r->length; i++) {
        size_t length = 0;
        const char *name = read_string(r, &length);
        (void)names_define_lane(p->names, session_number(p), i, name, length);
    }
}

/* The clock rate for the packets from here on. Within a session an event reports each change. */
static void take_rate(struct pipeline *p, const struct session_packet *session, bool first) {
    const uint64_t hz = session->clock_hz != 0 ? session->clock_hz : p->guessed_hz;
    p->first_hz = p->first_hz != 0 ? p->first_hz : session->clock_hz;
    if (first || p->clock.board_hz == 0) {
        p->clock.board_hz = hz;
    } else if (session->clock_hz != p->said_hz) {
        clock_rate_restart(&p->clock.rate);
        clockfit_new_rate(&p->clock, session->ticks, hz);
    }
    p->said_hz = session->clock_hz;
}

static int identify_program(struct pipeline *p, const struct session_packet *session) {
    const bool in_elf = (session->flags & KYMO_SESSION_NAMES_IN_ELF) != 0;
    const struct code_program program = {session->sites, session->pointer_bytes,
                                         in_elf ? UINT64_C(1) + session->identity : 0};
    return code_kept_ran(p->kept, session_number(p), &program) ? pipeline_program(p, &program)
                                                               : -ENOMEM;
}

/* The names that the packet has, and those of the image's ELF file. */
static int name_session(struct pipeline *p, const struct session_packet *session, struct reader *r,
                        bool first) {
    const uint32_t loans = p->elf_names.number;
    names_from_elf_offer(&p->elf_names, p->names, session_number(p), session);
    name_lanes(p, r, session->lanes);
    names_define_image(p->names, session_number(p), p->image);
    const int result = first ? identify_program(p, session) : 0;
    return result != 0                    ? result
           : loans != p->elf_names.number ? timeline_renamed(p->timeline)
                                          : timeline_named_lanes(p->timeline);
}

static int on_session(struct pipeline *p, const struct wire_packet *packet, struct reader *r) {
    struct session_packet session;
    read_session(r, &session);
    if (r->bad) {
        return 0;
    }
    bool another = p->session_identified && session.id != p->session_id;
    bool go_on = true;
    int result = another ? leave_out_copies(p) : 0;
    if (!another && p->session_identified && (session.flags & KYMO_SESSION_PAST) == 0) {
        result = heed(p, repeat_clock(&p->repeat, packet, session.ticks, true), &go_on);
    }
    if (result != 0 || !go_on) {
        return result;
    }
    result = another ? merge_flush(p->merge) : 0;
    const bool first = another || !p->session_identified;
    take_rate(p, &session, first);
    utf8_clean(p->image, sizeof p->image, session.image, session.image_bytes);
    if (another && result == 0) {
        result = reset_session(p);
    } else if (!p->session_open) {
        result = open_session(p);
    }
    p->session_id = session.id;
    p->session_identified = true;
    p->lanes = session.lanes;
    p->image_sites = session.sites;
    p->clock.ordered = true; /* the merge waits for all of them */
    merge_expect(p->merge, session.lanes, clockfit_hz(&p->clock));
    if (result == 0 && first) { /* events already in its rings are older */
        timeline_start_known(
            p->timeline); /* for marks of the clock that come before an event is shown */
        result = merge_reached(p->merge, session.ticks);
    }
    pipeline_notice(p, board_watch_session(&p->watch, session.flags));
    return result != 0 ? result : name_session(p, &session, r, first);
}

/* The lent names are of another program. */
static int take_names_back(struct pipeline *p) {
    const int result = timeline_before_other_names(p->timeline);
    names_from_elf_end(&p->elf_names, p->names, session_number(p));
    return result != 0 ? result : timeline_renamed(p->timeline);
}

static int define_site(struct pipeline *p, uint32_t site, const struct site_entry *entry) {
    const uint32_t session = session_number(p);
    int result = 0;
    if (names_define(p->names, session, site, entry) == NAMES_DIFFER) {
        result = take_names_back(p);
        (void)names_define(p->names, session, site, entry);
    }
    if (entry->kind == KYMO_SITE_POOL) {
        timeline_named_pool(p->timeline, site);
    }
    return result == 0 && entry->kind == KYMO_SITE_CONTEXT ? timeline_named_site(p->timeline, site)
                                                           : result;
}

static int on_sites(struct pipeline *p, const struct wire_packet *packet, struct reader *r) {
    struct site_entry entry = {.function = "", .file = ""};
    uint64_t index = read_varint(r);
    bool go_on = true;
    int result = heed(p, repeat_sites(&p->repeat, packet), &go_on);
    if (result != 0 || !go_on) {
        return result;
    }
    result = need_session(p);
    while (result == 0 && r->at < r->length && index < WIRE_SITES && read_site(r, &entry)) {
        result = define_site(p, (uint32_t)index++, &entry);
    }
    return result;
}

/* While packets of the lane are held the timeline cannot decide, and passing them on would lose the order of lanes.
 * But a packet of known bytes that begins no later than the last one is a copy of it, or of an earlier one. A packet
 * that begins later, or after its events, as not all of them count, is no repetition. */
static int look_at_order(struct pipeline *p, const struct wire_packet *packet,
                         const struct wire_head *head, enum packet_order *order) {
    const struct wire_head *last = p->repeat.clock_back ? NULL : merge_last(p->merge, head->lane);
    const bool held = merge_holds(p->merge, head->lane);
    const bool later = last != NULL && head->first > last->first;
    *order = PACKET_REPEATED;
    if (last != NULL && !later && repeat_knows(&p->repeat, packet->crc)) {
        return 0;
    }
    *order = PACKET_FOLLOWS;
    if (last != NULL && held && (later || head->first >= merge_next(p->merge, head->lane))) {
        return 0;
    }
    int result = held ? merge_flush(p->merge) : 0;
    *order = timeline_order(p->timeline, head);
    return result;
}

static int on_events(struct pipeline *p, const struct wire_packet *packet, struct reader *r) {
    struct wire_head head;
    enum packet_order order;
    bool go_on = true;
    if (!decode_head(r, &head)) {
        return 0;
    }
    int result = need_session(p);
    result = result != 0 ? result : look_at_order(p, packet, &head, &order);
    if (result == 0 && order == PACKET_INCREDIBLE) {
        timeline_refuse(p->timeline, &head);
        return 0;
    }
    if (result == 0) {
        result = heed(p, repeat_events(&p->repeat, packet, &head, order), &go_on);
    }
    if (result != 0 || !go_on) {
        return result;
    }
    p->totals.final = false;
    p->events_came = true;
    if (p->callbacks.names_only) {
        timeline_pass_over(p->timeline, &head, r);
        return 0;
    }
    return merge_put(p->merge, &head, r);
}

static int on_status(struct pipeline *p, const struct wire_packet *packet, struct reader *r) {
    struct status_packet status;
    read_status(r, &status);
    int result = need_session(p);
    bool go_on = true;
    if (result == 0) {
        result = heed(p, repeat_clock(&p->repeat, packet, status.ticks, false), &go_on);
    }
    if (result != 0 || !go_on) {
        return result;
    }
    for (uint32_t i = 0; i < status.lanes && i < WIRE_LANES && result == 0; i++) {
        struct lane_status lane = {.ticks = status.ticks};
        lane.events = read_varint(r);
        lane.pending = read_varint(r);
        result = r->bad ? 0 : merge_status(p->merge, i, &lane);
    }
    bool final = (status.flags & KYMO_STATUS_FINAL) != 0;
    /* A record that was never completed keeps the board waiting: do not wait for it. */
    const bool waiting = (status.flags & KYMO_STATUS_WAITING) != 0;
    if (result == 0 && final) {
        result = merge_flush(p->merge);
    } else if (result == 0 && !(waiting && p->events_came)) {
        result = merge_reached(p->merge, status.ticks);
    }
    p->events_came = false;
    pipeline_notice(p, board_watch_status(&p->watch, status.flags));
    const uint64_t silence = p->set_back.known ? UINT64_C(1) << KYMO_USAGE_SILENCE : 0;
    const uint64_t usage = read_status_usage(r, &status) & ~silence;
    p->totals.usage |= usage;
    pipeline_notice(
        p, board_watch_usage(&p->watch, usage)); /* one at a time: a status comes each second */
    /* Status without it may follow, as long as the board answers; events take it back. */
    p->totals.final = p->totals.final || final;
    return result;
}

static void on_info(struct pipeline *p, struct reader *r) {
    struct board_info *info = &p->totals.info;
    const struct known_image *image = p->elf_names.image;
    info->has[KYMO_INFO_CLOCK] = info->has[KYMO_INFO_LOADED] = false;
    board_info_take(info, r);
    if (info->has[KYMO_INFO_CORE_CLOCK]) {
        timeline_core_clocks(p->timeline, info);
    }
    if (info->has[KYMO_INFO_CLOCK]) {
        timeline_clock_stands(p->timeline, info->clock_changes, info->clock_slept);
    }
    if (info->has[KYMO_INFO_LOADED] && image != NULL) {
        image->loaded(image->context, info->loaded_at);
    }
}

static int on_device(struct pipeline *p, struct reader *r) {
    const int result = need_session(p);
    return result != 0 ? result : devices_take(&p->devices, r);
}

void pipeline_print(struct pipeline *p, const uint8_t *bytes, size_t length) {
    if (p->callbacks.console == NULL) {
        return;
    }
    char said[UNPACK_CHUNK_BYTES], text[UNPACK_CHUNK_BYTES + 1];
    size_t kept = 0;
    length = length < UNPACK_CHUNK_BYTES ? length : UNPACK_CHUNK_BYTES;
    /* Lines of a console end in CR LF. */
    for (size_t i = 0; i < length; i++) {
        const bool ends = bytes[i] == '\r' && (i + 1 == length || bytes[i + 1] == '\n');
        said[kept] = (char)bytes[i];
        kept += ends ? 0 : 1;
    }
    p->callbacks.console(p->callbacks.context, text, texts_clean(text, said, kept));
}

int dispatch(struct pipeline *p, const struct wire_packet *packet) {
    struct reader fields = packet_fields(packet->bytes, packet->length), *r = &fields;
    switch (packet_type(packet->bytes)) {
    case KYMO_PACKET_SESSION:
        return on_session(p, packet, r);
    case KYMO_PACKET_SITES:
        return on_sites(p, packet, r);
    case KYMO_PACKET_EVENTS:
        return on_events(p, packet, r);
    case KYMO_PACKET_STATUS:
        return on_status(p, packet, r);
    case KYMO_PACKET_PONG:
        answer_pong(&p->callbacks, r);
        return 0;
    case KYMO_PACKET_PARAM:
        answer_param(&p->callbacks, p->names, session_number(p), r);
        return 0;
    case KYMO_PACKET_GUARD:
        answer_guard(&p->callbacks, r);
        return 0;
    case KYMO_PACKET_TEXT:
        pipeline_print(p, r->bytes + r->at, r->length - r->at);
        return 0;
    case KYMO_PACKET_INFO:
        on_info(p, r);
        return 0;
    case KYMO_PACKET_LARGE:
        return large_take(&p->larges, session_number(p), r);
    case KYMO_PACKET_DEVICE:
        return on_device(p, r);
    case KYMO_PACKET_HOST_CLOCK:
        host_epoch_take(&p->host, r);
        return 0;
    case KYMO_PACKET_SYMBOLS:
        code_kept_take(p->kept, r);
        return 0;
    case KYMO_PACKET_BOARD:
        if (!p->board_warned) {
            pipeline_notice(p, "these are the streams of several boards, which only a file keeps "
                               "apart: give the file to 'hostlink convert', stats, report ...");
            p->board_warned = true;
        }
        return 0;
    default: /* of a newer board */
        p->totals.unknown_packets++;
        return 0;
    }
}

int dispatch_end(struct pipeline *p) {
    return repeat_is_anew(&p->repeat) ? begin_anew(p) : leave_out_copies(p);
}
