/* The packets that tell the host what it looks at, field by field: session, sites, status, answers. */
#include "contexts.h"
#include "dynamic.h"
#include "lane.h"
#include "link.h"
#include "params.h"
#include "ring.h"

#if KYMO_ENABLE

#define IMAGE_BYTES 64u
#define LANE_NAME_BYTES 24u
#define IDENTITY_BYTES (KYMO_NAMES ? 0u : KYMO_IDENTITY_BYTES)

/* Work of a field, of a character whose string is measured, and of a site that is looked at. */
#define FIELD_WORK 150
#define CHARACTER_WORK 6
#define SITE_WORK 8
/* Characters and sites that one step looks at. */
#define STRIDE 32u

/* Called from so many places that a copy in each would make half of this file. */
__attribute__((noinline)) void kymo_field_fixed(struct kymo_link *link, uint32_t value,
                                                uint32_t bytes) {
    link->packet.field.value = value;
    link->packet.field.fixed = (uint8_t)bytes;
}

__attribute__((noinline)) void kymo_field_varint(struct kymo_link *link, uint64_t value) {
    link->packet.field.value = value;
    link->packet.field.varint = true;
}

void kymo_field_text(struct kymo_link *link, const char *text, uint32_t length) {
    kymo_field_varint(link, length);
    link->packet.field.text = text;
    link->packet.field.text_left = (uint16_t)length;
}

uint32_t kymo_measure(struct kymo_link *link, const char *text, uint32_t length, uint32_t limit) {
    const uint32_t from = length;
    while (text != NULL && length < limit && text[length] != '\0') {
        length++;
    }
    link->out.work -= CHARACTER_WORK * (int32_t)(length - from);
    return length;
}

/* Cut to "limit". */
static void field_string(struct kymo_link *link, const char *text, uint32_t limit) {
    kymo_field_text(link, text, kymo_measure(link, text, 0u, limit));
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
/* Those that a run before the last reset has made are in no memory any more. */
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

/* The lanes' names may stop early. */
static bool lane_name(struct kymo_link *link, uint32_t lane) {
    const bool fits =
        lane < KYMO_LANES && kymo_out_space(&link->out) > LANE_NAME_BYTES + IDENTITY_BYTES;
    if (fits) {
        field_string(link, kymo_lanes[lane].name, LANE_NAME_BYTES);
    }
    return fits;
}

static enum kymo_step describe_session(struct kymo_link *link, uint32_t field) {
    enum { FIELDS = 8, ENDED = 0xff };
    switch (field) {
    case 0u:
        kymo_field_fixed(link, link->session, 4u);
        break;
    case 1u:
        kymo_field_varint(link,
                          kymo_clock_is_changed(link) ? link->mark.clock_hz : kymo_arch_clock_hz());
        break;
    case 2u:
        kymo_field_varint(link, kymo_ring_now());
        break;
    case 3u:
        kymo_field_fixed(link,
                         (kymo_guard_obeys(link->transport) ? KYMO_SESSION_COMMANDS : 0u) |
                             (kymo_ring_is_current() ? 0u : KYMO_SESSION_PAST) |
                             (KYMO_LOAD(kymo_clock_stands) ? KYMO_SESSION_CLOCK_STANDS : 0u) |
                             (KYMO_NAMES ? 0u : KYMO_SESSION_NAMES_IN_ELF),
                         1u);
        break;
    case 4u:
        kymo_field_varint(link, kymo_site_count());
        break;
    case 5u:
        kymo_field_fixed(link, sizeof(void *), 1u);
        break;
    case 6u:
        field_string(link, link->image, IMAGE_BYTES);
        break;
    case 7u:
        kymo_field_fixed(link, KYMO_LANES, 1u);
        break;
    case ENDED:
        return KYMO_STEP_DONE;
    default:
        if (lane_name(link, field - FIELDS)) {
            break;
        }
#if KYMO_NAMES == 0
        kymo_field_fixed(link, kymo_image_identity(), 4u);
        link->packet.next = ENDED - 1u;
        break;
#else
        return KYMO_STEP_DONE;
#endif
    }
    return KYMO_STEP_FURTHER;
}

static uint32_t unknown_lane_events(void) {
#ifdef KYMO_LANE_UNKNOWN
    return KYMO_LOAD(kymo_lanes[KYMO_LANE_UNKNOWN].lost);
#else
    return 0u;
#endif
}

static uint32_t usage_errors(struct kymo_link *link) {
    uint32_t all = 0u;
    link->out.work -= KYMO_WORK_USAGE;
    for (unsigned i = 0u; i < KYMO_USAGES; i++) {
        all |= (uint32_t)KYMO_LOAD(kymo_usage_seen[i]) << i;
    }
    return all;
}

static enum kymo_step describe_status(struct kymo_link *link, uint32_t field) {
    enum { FIELDS = 3 };
    struct kymo_packet *packet = &link->packet;
    const uint32_t lane = (field - FIELDS) / 2u;
    if (field == 0u) {
        packet->flags |= (KYMO_LOAD(kymo_stopped) ? KYMO_STATUS_STOPPED : 0u) |
                         (unknown_lane_events() != 0u ? KYMO_STATUS_UNKNOWN_LANE : 0u) |
                         (usage_errors(link) != 0u ? KYMO_STATUS_USAGE : 0u);
        kymo_field_fixed(link, packet->flags, 1u);
    } else if (field == 1u) {
        kymo_field_varint(link, kymo_ring_now());
    } else if (field == 2u) {
        kymo_field_fixed(link, KYMO_LANES, 1u);
    } else if (lane < KYMO_LANES) {
        const struct kymo_lane *of = &kymo_lanes[lane];
        kymo_field_varint(link, field % 2u != 0u ? of->events : KYMO_LOAD(of->lost));
    } else if ((packet->flags & KYMO_STATUS_UNKNOWN_LANE) != 0u) {
        packet->flags &= (uint8_t)~KYMO_STATUS_UNKNOWN_LANE;
        kymo_field_varint(link, unknown_lane_events());
    } else if ((packet->flags & KYMO_STATUS_USAGE) != 0u) {
        packet->flags &= (uint8_t)~KYMO_STATUS_USAGE;
        kymo_field_varint(link, usage_errors(link));
    } else {
        return KYMO_STEP_DONE;
    }
    return KYMO_STEP_FURTHER;
}

/* The bytes lie in the buffer, ahead of where they go to. */
static enum kymo_step describe_text(struct kymo_link *link) {
    struct kymo_packet *packet = &link->packet;
    uint32_t value = 0u;
    uint32_t bytes = 0u;
    for (; bytes < 4u && packet->of.text.left != 0u; bytes++) {
        uint32_t at = packet->of.text.at;
        value |= (uint32_t)link->out.bytes[at++] << (8u * bytes);
        packet->of.text.at = (uint16_t)(at < KYMO_OUT_BYTES ? at : 0u);
        packet->of.text.left--;
    }
    kymo_field_fixed(link, value, bytes);
    return bytes != 0u ? KYMO_STEP_FURTHER : KYMO_STEP_DONE;
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

static enum kymo_step describe_param(struct kymo_link *link, uint32_t field) {
    const uint32_t index = link->packet.of.param;
    const struct kymo_param *param = kymo_param_at(index);
    switch (field) {
    case 0u:
        kymo_field_varint(link, (uint32_t)(kymo_param_site(index) - __start_kymo_sites));
        break;
    case 1u:
        kymo_field_fixed(link, (uint32_t)param->value, 4u);
        break;
    case 2u:
        kymo_field_fixed(link, (uint32_t)param->minimum, 4u);
        break;
    case 3u:
        kymo_field_fixed(link, (uint32_t)param->maximum, 4u);
        break;
    default:
        return KYMO_STEP_DONE;
    }
    return KYMO_STEP_FURTHER;
}

static enum kymo_step describe_pong(struct kymo_link *link, uint32_t field) {
    switch (field) {
    case 0u:
        kymo_field_fixed(link, (uint32_t)link->packet.of.pong.cookie, 4u);
        break;
    case 1u:
        kymo_field_fixed(link, (uint32_t)(link->packet.of.pong.cookie >> 32), 4u);
        break;
    case 2u:
        kymo_field_varint(link, link->packet.of.pong.ticks);
        break;
    case 3u:
        kymo_field_varint(link, kymo_arch_clock64());
        break;
    default:
        return KYMO_STEP_DONE;
    }
    return KYMO_STEP_FURTHER;
}

/* Commands over a network: how many were refused, and what the next one must be signed with. */
static enum kymo_step describe_guard(struct kymo_link *link, uint32_t field) {
    switch (field) {
    case 0u:
        kymo_field_varint(link, link->guard.refused);
        return KYMO_STEP_FURTHER;
#if KYMO_GUARD_KEYED
    case 1u:
        kymo_field_varint(link, link->guard.accepted);
        return KYMO_STEP_FURTHER;
    case 2u:
        link->packet.field.text = (const char *)link->guard.challenge;
        link->packet.field.text_left = KYMO_CHALLENGE_BYTES;
        return KYMO_STEP_FURTHER;
#endif
    default:
        return KYMO_STEP_DONE;
    }
}

#endif

enum kymo_step kymo_describe(struct kymo_link *link) {
    const uint32_t field = link->packet.next;
    enum kymo_step step;
    link->out.work -= FIELD_WORK;
    switch (link->packet.type) {
    case KYMO_PACKET_SESSION:
        step = describe_session(link, field);
        break;
#if KYMO_SITES_SENT
    case KYMO_PACKET_SITES:
        step = kymo_describe_sites(link, field);
        break;
#endif
#if KYMO_INFO_SENT
    case KYMO_PACKET_INFO:
        step = kymo_describe_info(link, field);
        break;
#endif
#if KYMO_LARGE
    case KYMO_PACKET_LARGE:
        step = kymo_describe_large(link, field);
        break;
#endif
    case KYMO_PACKET_STATUS:
        step = describe_status(link, field);
        break;
#if KYMO_COMMANDS
    case KYMO_PACKET_PARAM:
        step = describe_param(link, field);
        break;
    case KYMO_PACKET_PONG:
        step = describe_pong(link, field);
        break;
    case KYMO_PACKET_GUARD:
        step = describe_guard(link, field);
        break;
#endif
    default:
        step = describe_text(link);
        break;
    }
    if (step != KYMO_STEP_DONE) {
        link->packet.next++;
    }
    return step;
}

#endif
