/* SPDX-License-Identifier: MIT */
/* The packets that describe the board to the host, field by field: session, sites, status, answers. */
#include "../record/dynamic.h"
#include "../ring/lane.h"
#include "../ring/ring.h"
#include "contexts.h"
#include "link.h"
#include "params.h"

#if KYMO_ENABLE

#define IMAGE_BYTES 64u
#define LANE_NAME_BYTES 24u
#define IDENTITY_BYTES (KYMO_NAMES ? 0u : KYMO_IDENTITY_BYTES)

/* Work of a character whose string is measured, and of a site that is looked at. */
#define CHARACTER_WORK 6
#define SITE_WORK 8
/* Sites that one step looks at. */
#define STRIDE 32u

uint8_t *kymo_put_fixed(uint8_t *at, uint32_t value, uint32_t bytes) {
    for (; bytes != 0u; bytes--) {
        *at++ = (uint8_t)value;
        value >>= 8;
    }
    return at;
}

uint8_t *kymo_put_varint(uint8_t *at, uint64_t value) {
    for (; value >= 0x80u; value >>= 7) {
        *at++ = (uint8_t)(value | 0x80u);
    }
    *at = (uint8_t)value;
    return at + 1;
}

uint32_t kymo_measure(struct kymo_link *link, const char *text, uint32_t length, uint32_t limit) {
    const uint32_t from = length;
    while (text != NULL && length < limit && text[length] != '\0') {
        length++;
    }
    link->out.work -= CHARACTER_WORK * (int32_t)(length - from);
    return length;
}

uint8_t *kymo_put_text(struct kymo_link *link, uint8_t *at, const char *text, uint32_t limit) {
    const uint32_t length = kymo_measure(link, text, 0u, limit);
    kymo_follow(link, text, length);
    return kymo_put_varint(at, length);
}

#if KYMO_NAMES == 0
uint32_t kymo_image_identity(void) {
    static const void *const facts[] = {__start_kymo_sites,
                                        __stop_kymo_sites,
                                        __start_kymo_elf_text,
                                        __stop_kymo_elf_text,
                                        &kymo_layout,
                                        &kymo_link,
                                        kymo_lanes};
    uint32_t sum = 0u;
    for (uint32_t i = 0u; i < sizeof facts / sizeof facts[0]; i++) {
        sum = kymo_sum_add(sum, (uint32_t)(uintptr_t)facts[i]);
    }
    return sum;
}
#endif

__attribute__((noinline)) uint32_t kymo_site_count(void) {
    return (uint32_t)(__stop_kymo_sites - __start_kymo_sites);
}

#if KYMO_DYNAMIC_SITES
/* Sites that a run before the last reset made are no longer in memory. */
static uint32_t dynamic_reference(uint32_t index) {
    if (kymo_ring_is_current()) {
        return (kymo_site_count() + index) * 2u;
    }
    return (uint32_t)(kymo_dynamic_substitute(KYMO_SITE_ZONE) - __start_kymo_sites) * 2u;
}
#endif

uint32_t kymo_wire_reference(uint32_t reference) {
    uint32_t offset = reference - (uint32_t)(uintptr_t)__start_kymo_sites;
    uint32_t bytes = (uint32_t)((uintptr_t)__stop_kymo_sites - (uintptr_t)__start_kymo_sites);
    if (offset < bytes) {
        return offset / (uint32_t)sizeof(struct kymo_site) * 2u;
    }
#if KYMO_DYNAMIC_SITES
    const uint32_t dynamic = kymo_dynamic_index(reference);
    if (dynamic < KYMO_DYNAMIC_SITES) {
        return dynamic_reference(dynamic);
    }
#endif
    return (reference >> 3) * 2u + 1u;
}

static uint32_t session_flags(const struct kymo_link *link) {
    return (kymo_guard_obeys(link->transport) ? KYMO_SESSION_COMMANDS : 0u) |
           (kymo_ring_is_current() ? 0u : KYMO_SESSION_PAST) |
           (KYMO_LOAD(kymo_clock_stands) ? KYMO_SESSION_CLOCK_STANDS : 0u) |
           (KYMO_NAMES ? 0u : KYMO_SESSION_NAMES_IN_ELF);
}

/* The lanes' names may stop early. */
uint8_t *kymo_describe_session(struct kymo_link *link, uint8_t *at, uint32_t part) {
    enum { FIRST_LANE = 3, ENDED = 0xff };
    if (part == 0u) {
        at = kymo_put_fixed(at, link->session, 4u);
        return kymo_put_varint(at, kymo_clock_is_changed(link) ? link->mark.clock_hz
                                                               : kymo_arch_clock_hz());
    }
    if (part == 1u) {
        at = kymo_put_varint(at, kymo_ring_now());
        *at++ = (uint8_t)session_flags(link);
        at = kymo_put_varint(at, kymo_site_count());
        *at++ = sizeof(void *);
        return at;
    }
    if (part == 2u) {
        return kymo_put_text(link, at, link->image, IMAGE_BYTES);
    }
    const uint32_t lane = part - FIRST_LANE;
    if (lane == 0u) {
        *at++ = KYMO_LANES;
    }
    if (lane < KYMO_LANES && kymo_out_space(&link->out) > LANE_NAME_BYTES + IDENTITY_BYTES) {
        return kymo_put_text(link, at, kymo_lanes[lane].name, LANE_NAME_BYTES);
    }
#if KYMO_NAMES == 0
    if (part != ENDED) {
        link->packet.next = ENDED;
        return kymo_put_fixed(at, kymo_image_identity(), 4u);
    }
#endif
    return NULL;
}

static uint32_t unknown_lane_events(void) {
    return KYMO_LANES_ALL > KYMO_LANES ? KYMO_LOAD(kymo_lanes[KYMO_LANES_ALL - 1].lost) : 0u;
}

static uint32_t usage_errors(struct kymo_link *link) {
    uint32_t all = 0u;
    link->out.work -= KYMO_WORK_USAGE;
    for (unsigned i = 0u; i < KYMO_USAGES; i++) {
        all |= (uint32_t)KYMO_LOAD(kymo_usage_seen[i]) << i;
    }
    return all;
}

uint8_t *kymo_describe_status(struct kymo_link *link, uint8_t *at, uint32_t part) {
    uint8_t *const flags = &link->packet.flags;
    if (part == 0u) {
        *flags |= (KYMO_LOAD(kymo_stopped) ? KYMO_STATUS_STOPPED : 0u) |
                  (unknown_lane_events() != 0u ? KYMO_STATUS_UNKNOWN_LANE : 0u) |
                  (usage_errors(link) != 0u ? KYMO_STATUS_USAGE : 0u);
        *at++ = *flags;
        at = kymo_put_varint(at, kymo_ring_now());
        *at++ = KYMO_LANES;
        return at;
    }
    if (part <= KYMO_LANES) {
        const struct kymo_lane *lane = &kymo_lanes[part - 1u];
        at = kymo_put_varint(at, lane->events);
        return kymo_put_varint(at, KYMO_LOAD(lane->lost));
    }
    if (part != KYMO_LANES + 1u) {
        return NULL;
    }
    if ((*flags & KYMO_STATUS_UNKNOWN_LANE) != 0u) {
        at = kymo_put_varint(at, unknown_lane_events());
    }
    return (*flags & KYMO_STATUS_USAGE) != 0u ? kymo_put_varint(at, usage_errors(link)) : at;
}

/* The bytes lie in the buffer, ahead of where they go to; they may go on at its start. */
uint8_t *kymo_describe_text(struct kymo_link *link, uint8_t *at, uint32_t part) {
    const uint32_t from = part == 0u ? link->packet.of.text.at : 0u;
    const uint32_t left = link->packet.of.text.left;
    const uint32_t length = left < KYMO_OUT_BYTES - from ? left : KYMO_OUT_BYTES - from;
    link->packet.of.text.left = (uint16_t)(left - length);
    kymo_follow(link, link->out.bytes + from, length);
    return part < 2u ? at : NULL;
}

#if KYMO_COMMANDS

bool kymo_describe_param_due(const struct kymo_link *link) {
    return link->next_param < kymo_param_count();
}

enum kymo_step kymo_describe_param_next(struct kymo_link *link) {
    const uint32_t count = kymo_param_count();
    for (uint32_t i = 0u; i < STRIDE && link->next_param < count; i++) {
        link->out.work -= SITE_WORK;
        link->packet.of.param = link->next_param;
        if (kymo_param_at(link->next_param++) != NULL) {
            return KYMO_STEP_FURTHER;
        }
    }
    return link->next_param < count ? KYMO_STEP_WAIT : KYMO_STEP_DONE;
}

uint8_t *kymo_describe_param(struct kymo_link *link, uint8_t *at, uint32_t part) {
    const uint32_t index = link->packet.of.param;
    const struct kymo_param *param = kymo_param_at(index);
    if (part != 0u) {
        return NULL;
    }
    at = kymo_put_varint(at, (uint32_t)(kymo_param_site(index) - __start_kymo_sites));
    at = kymo_put_fixed(at, (uint32_t)param->value, 4u);
    at = kymo_put_fixed(at, (uint32_t)param->minimum, 4u);
    return kymo_put_fixed(at, (uint32_t)param->maximum, 4u);
}

uint8_t *kymo_describe_pong(struct kymo_link *link, uint8_t *at, uint32_t part) {
    if (part == 0u) {
        const uint64_t cookie = link->packet.of.pong.cookie;
        at = kymo_put_fixed(at, (uint32_t)cookie, 4u);
        at = kymo_put_fixed(at, (uint32_t)(cookie >> 32), 4u);
        return kymo_put_varint(at, link->packet.of.pong.ticks);
    }
    return part == 1u ? kymo_put_varint(at, link->packet.of.pong.answered) : NULL;
}

/* Commands over a network: how many were refused, and the challenge that the next one must be signed with. */
uint8_t *kymo_describe_guard(struct kymo_link *link, uint8_t *at, uint32_t part) {
    if (part != 0u) {
        return NULL;
    }
    at = kymo_put_varint(at, link->guard.refused);
#if KYMO_GUARD_KEYED
    at = kymo_put_varint(at, link->guard.accepted);
    kymo_follow(link, link->guard.challenge, KYMO_CHALLENGE_BYTES);
#endif
    return at;
}

#endif

#endif
