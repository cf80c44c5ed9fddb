/* The packets that tell the host what it looks at, field by field: session, sites, status, answers. */
#include "contexts.h"
#include "lane.h"
#include "link.h"
#include "params.h"
#include "ring.h"

#if KYMO_ENABLE

/* Longest string of a site, so that one entry always fits an empty packet. */
#define STRING_BYTES ((KYMO_FRAME_BYTES - 40u) / 3u)
#define IMAGE_BYTES 64u
#define LANE_NAME_BYTES 24u
#define IDENTITY_BYTES (KYMO_NAMES ? 0u : KYMO_IDENTITY_BYTES)

/* Bits of a site entry's flags. */
#define HAS_NAME 1u
#define SAME_FUNCTION 2u
#define SAME_FILE 4u

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

static void field_text(struct kymo_link *link, const char *text, uint32_t length) {
    kymo_field_varint(link, length);
    link->packet.field.text = text;
    link->packet.field.text_left = (uint16_t)length;
}

/* From "length" on, which is no further than the string is long. NULL is the empty string. */
static uint32_t measure(struct kymo_link *link, const char *text, uint32_t length, uint32_t limit) {
    const uint32_t from = length;
    while (text != NULL && length < limit && text[length] != '\0') {
        length++;
    }
    link->out.work -= CHARACTER_WORK * (int32_t)(length - from);
    return length;
}

/* Cut to "limit". */
static void field_string(struct kymo_link *link, const char *text, uint32_t limit) {
    field_text(link, text, measure(link, text, 0u, limit));
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

uint32_t kymo_wire_reference(uint32_t reference) {
    uint32_t offset = reference - (uint32_t)(uintptr_t)__start_kymo_sites;
    uint32_t bytes = (uint32_t)((uintptr_t)__stop_kymo_sites - (uintptr_t)__start_kymo_sites);
    if (offset < bytes) {
        return offset / (uint32_t)sizeof(struct kymo_site) * 2u;
    }
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
        kymo_field_varint(link, kymo_arch_clock_hz());
        break;
    case 2u:
        kymo_field_varint(link, kymo_ring_now());
        break;
    case 3u:
        kymo_field_fixed(link,
                         (kymo_guard_obeys(link->transport) ? KYMO_SESSION_COMMANDS : 0u) |
                             (kymo_ring_is_current() ? 0u : KYMO_SESSION_PAST) |
                             (kymo_clock_stands ? KYMO_SESSION_CLOCK_STANDS : 0u) |
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

#if KYMO_NAMES

enum entry_field { FIRST, MEASURE, BYTES, LINE, DETAIL, COLOR, NAME, FUNCTION, FILE_NAME };

/* Name, function, file. */
static __attribute__((noinline)) const char *site_string(const struct kymo_site *site,
                                                         uint32_t index) {
    return index == 0u ? site->name : index == 1u ? site->function : site->file;
}

/* True if the string is that of the entry before in this packet. */
static bool is_repeated(const struct kymo_sites_packet *packet, uint32_t index) {
    const struct kymo_site *site = &__start_kymo_sites[packet->site];
    return !packet->first && site_string(site, index) == site_string(site - 1, index);
}

/* DONE: the entry does not fit, or there is none. */
static enum kymo_step measure_entry(struct kymo_link *link) {
    struct kymo_sites_packet *packet = &link->packet.of.sites;
    if (packet->site >= kymo_site_count()) {
        return KYMO_STEP_DONE;
    }
    if (packet->measured < 3u) {
        const char *text = site_string(&__start_kymo_sites[packet->site], packet->measured);
        const uint32_t from = packet->length[packet->measured];
        const uint32_t limit = from + STRIDE < STRING_BYTES ? from + STRIDE : STRING_BYTES;
        const uint32_t length = measure(link, text, from, limit);
        packet->length[packet->measured] = (uint16_t)length;
        if (length < limit || limit == STRING_BYTES) {
            packet->measured++;
        }
        link->packet.next = MEASURE - 1u;
        return KYMO_STEP_FURTHER;
    }
    const uint32_t bytes = 24u + packet->length[0] + packet->length[1] + packet->length[2];
    return bytes > kymo_out_space(&link->out) ? KYMO_STEP_DONE : KYMO_STEP_FURTHER;
}

/* The host may have asked for all of them meanwhile. */
static void entry_done(struct kymo_link *link) {
    struct kymo_sites_packet *packet = &link->packet.of.sites;
    link->next_site += link->next_site == packet->site ? 1u : 0u;
    kymo_describe_site(packet, packet->site + 1u);
    packet->first = false;
    link->packet.next = MEASURE - 1u;
}

static enum kymo_step describe_sites(struct kymo_link *link, uint32_t field) {
    const struct kymo_sites_packet *packet = &link->packet.of.sites;
    const struct kymo_site *site = &__start_kymo_sites[packet->site];
    switch ((enum entry_field)field) {
    case FIRST:
        kymo_field_varint(link, packet->site);
        break;
    case MEASURE:
        return measure_entry(link);
    case BYTES:
        kymo_field_fixed(link,
                         site->kind | (uint32_t)site->level << 8 |
                             ((site->name != NULL ? HAS_NAME : 0u) |
                              (is_repeated(packet, 1u) ? SAME_FUNCTION : 0u) |
                              (is_repeated(packet, 2u) ? SAME_FILE : 0u))
                                 << 16,
                         3u);
        break;
    case LINE:
        kymo_field_varint(link, site->line);
        break;
    case DETAIL:
        kymo_field_varint(link, site->detail);
        break;
    case COLOR:
        kymo_field_varint(link, site->color);
        break;
    default:
        if (field == NAME ? site->name != NULL : !is_repeated(packet, field - NAME)) {
            field_text(link, site_string(site, field - NAME), packet->length[field - NAME]);
        }
        if (field == FILE_NAME) {
            entry_done(link);
        }
        break;
    }
    return KYMO_STEP_FURTHER;
}

#endif

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
        packet->flags |= (kymo_stopped ? KYMO_STATUS_STOPPED : 0u) |
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
    case KYMO_FRAME_SESSION:
        step = describe_session(link, field);
        break;
#if KYMO_NAMES
    case KYMO_FRAME_SITES:
        step = describe_sites(link, field);
        break;
#endif
    case KYMO_FRAME_STATUS:
        step = describe_status(link, field);
        break;
#if KYMO_COMMANDS
    case KYMO_FRAME_PARAM:
        step = describe_param(link, field);
        break;
    case KYMO_FRAME_PONG:
        step = describe_pong(link, field);
        break;
    case KYMO_FRAME_GUARD:
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
