/* The frames that tell the host what it looks at: session, sites, status, answers. */
#include "contexts.h"
#include "lane.h"
#include "link.h"
#include "params.h"
#include "ring.h"

#if KYMO_ENABLE

/* Longest string of a site, so that one entry always fits an empty frame. */
#define STRING_BYTES ((KYMO_FRAME_BYTES - 40u) / 3u)
#define LANE_NAME_BYTES 24u
#define IDENTITY_BYTES (KYMO_NAMES ? 0u : KYMO_IDENTITY_BYTES)

/* Bits of a site entry's flags. */
#define HAS_NAME 1u
#define SAME_FUNCTION 2u
#define SAME_FILE 4u

static void put_u32(struct kymo_outgoing *out, uint32_t value) {
    for (uint32_t i = 0u; i < 4u; i++) {
        kymo_frame_u8(out, (uint8_t)(value >> (8u * i)));
    }
}

/* A length and the bytes of a string, cut to "limit". NULL is sent as the empty string. */
static void put_string(struct kymo_outgoing *out, const char *text, uint32_t limit) {
    uint32_t length = 0u;
    while (text != NULL && length < limit && text[length] != '\0') {
        length++;
    }
    kymo_frame_varint(out, length);
    kymo_frame_bytes(out, text, length);
}

#if KYMO_NAMES == 0
uint32_t kymo_image_identity(void) {
    const void *const facts[] = {__start_kymo_sites,
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

uint32_t kymo_site_count(void) { return (uint32_t)(__stop_kymo_sites - __start_kymo_sites); }

uint32_t kymo_wire_reference(uint32_t reference) {
    uint32_t offset = reference - (uint32_t)(uintptr_t)__start_kymo_sites;
    uint32_t bytes = (uint32_t)((uintptr_t)__stop_kymo_sites - (uintptr_t)__start_kymo_sites);
    if (offset < bytes) {
        return offset / (uint32_t)sizeof(struct kymo_site) * 2u;
    }
    return (reference >> 3) * 2u + 1u;
}

void kymo_describe_session(struct kymo_link *link) {
    struct kymo_outgoing *out = &link->out;
    kymo_frame_new(out, KYMO_FRAME_SESSION);
    put_u32(out, link->session);
    kymo_frame_varint(out, kymo_arch_clock_hz());
    kymo_frame_varint(out, kymo_ring_now());
    kymo_frame_u8(out, (uint8_t)((kymo_guard_obeys(link->transport) ? KYMO_SESSION_COMMANDS : 0u) |
                                 (kymo_ring_is_current() ? 0u : KYMO_SESSION_PAST) |
                                 (kymo_clock_stands ? KYMO_SESSION_CLOCK_STANDS : 0u) |
                                 (KYMO_NAMES ? 0u : KYMO_SESSION_NAMES_IN_ELF)));
    kymo_frame_varint(out, kymo_site_count());
    kymo_frame_u8(out, (uint8_t)sizeof(void *));
    put_string(out, link->image, 64u);
    kymo_frame_u8(out, KYMO_LANES);
    for (unsigned i = 0u;
         i < KYMO_LANES && kymo_frame_space(out) > LANE_NAME_BYTES + IDENTITY_BYTES; i++) {
        put_string(out, kymo_lanes[i].name, LANE_NAME_BYTES);
    }
#if KYMO_NAMES == 0
    put_u32(out, kymo_image_identity());
#endif
    kymo_frame_ready(out);
    link->session_due = false;
    link->guard.due = KYMO_COMMANDS && link->transport->network && link->transport->read != NULL;
}

#if KYMO_NAMES
static uint32_t length_of(const char *text) {
    uint32_t length = 0u;
    while (text != NULL && length < STRING_BYTES && text[length] != '\0') {
        length++;
    }
    return length;
}

static uint32_t entry_bytes(const struct kymo_site *site) {
    return 24u + length_of(site->name) + length_of(site->function) + length_of(site->file);
}

static void put_site(struct kymo_outgoing *out, const struct kymo_site *site,
                     const struct kymo_site *before) {
    bool same_function = before != NULL && before->function == site->function;
    bool same_file = before != NULL && before->file == site->file;
    kymo_frame_u8(out, site->kind);
    kymo_frame_u8(out, site->level);
    kymo_frame_u8(out,
                  (uint8_t)((site->name != NULL ? HAS_NAME : 0u) |
                            (same_function ? SAME_FUNCTION : 0u) | (same_file ? SAME_FILE : 0u)));
    kymo_frame_varint(out, site->line);
    kymo_frame_varint(out, site->detail);
    kymo_frame_varint(out, site->color);
    if (site->name != NULL) {
        put_string(out, site->name, STRING_BYTES);
    }
    if (!same_function) {
        put_string(out, site->function, STRING_BYTES);
    }
    if (!same_file) {
        put_string(out, site->file, STRING_BYTES);
    }
}

bool kymo_describe_sites(struct kymo_link *link) {
    uint32_t count = kymo_site_count();
    const struct kymo_site *before = NULL;
    if (link->next_site >= count) {
        return false;
    }
    kymo_frame_new(&link->out, KYMO_FRAME_SITES);
    kymo_frame_varint(&link->out, link->next_site);
    while (link->next_site < count) {
        const struct kymo_site *site = &__start_kymo_sites[link->next_site];
        if (entry_bytes(site) > kymo_frame_space(&link->out)) {
            break;
        }
        put_site(&link->out, site, before);
        before = site;
        link->next_site++;
    }
    kymo_frame_ready(&link->out);
    return true;
}
#else
bool kymo_describe_sites(struct kymo_link *link) {
    link->next_site = kymo_site_count();
    return false;
}
#endif

static uint32_t astray_events(void) {
#ifdef KYMO_LANE_ASTRAY
    return KYMO_LOAD(kymo_lanes[KYMO_LANE_ASTRAY].lost);
#else
    return 0u;
#endif
}

/* On all lanes, also that of cores without one. */
static uint8_t usage_errors(void) {
    uint8_t all = (uint8_t)kymo_contexts_usage();
    for (unsigned i = 0u; i < KYMO_LANES_ALL; i++) {
        all |= KYMO_LOAD(kymo_lanes[i].usage);
    }
    return all;
}

void kymo_describe_status(struct kymo_link *link, uint8_t flags) {
    struct kymo_outgoing *out = &link->out;
    const uint32_t astray = astray_events();
    const uint8_t usage = usage_errors();
    kymo_frame_new(out, KYMO_FRAME_STATUS);
    kymo_frame_u8(out, (uint8_t)(flags | (kymo_stopped ? KYMO_STATUS_STOPPED : 0u) |
                                 (astray != 0u ? KYMO_STATUS_ASTRAY : 0u) |
                                 (usage != 0u ? KYMO_STATUS_USAGE : 0u)));
    kymo_frame_varint(out, kymo_ring_now());
    kymo_frame_u8(out, KYMO_LANES);
    for (unsigned i = 0u; i < KYMO_LANES; i++) {
        struct kymo_lane *lane = &kymo_lanes[i];
        kymo_frame_varint(out, lane->events);
        kymo_frame_varint(out, KYMO_LOAD(lane->lost));
    }
    if (astray != 0u) {
        kymo_frame_varint(out, astray);
    }
    if (usage != 0u) {
        kymo_frame_varint(out, usage);
    }
    kymo_frame_ready(out);
}

#if KYMO_COMMANDS
/* The next parameter from link->next_param on. */
bool kymo_describe_param(struct kymo_link *link) {
    struct kymo_outgoing *out = &link->out;
    const struct kymo_site *site = &__start_kymo_sites[link->next_param];
    while (site != __stop_kymo_sites && !kymo_is_param(site)) {
        site++;
    }
    link->next_param = (uint32_t)(site - __start_kymo_sites);
    if (site == __stop_kymo_sites) {
        return false;
    }
    const struct kymo_param *param = kymo_param_of(site);
    kymo_frame_new(out, KYMO_FRAME_PARAM);
    kymo_frame_varint(out, link->next_param++);
    put_u32(out, (uint32_t)param->value);
    put_u32(out, (uint32_t)param->minimum);
    put_u32(out, (uint32_t)param->maximum);
    kymo_frame_ready(out);
    return true;
}

void kymo_describe_pong(struct kymo_link *link) {
    struct kymo_outgoing *out = &link->out;
    kymo_frame_new(out, KYMO_FRAME_PONG);
    put_u32(out, (uint32_t)link->pong_cookie);
    put_u32(out, (uint32_t)(link->pong_cookie >> 32));
    kymo_frame_varint(out, link->pong_ticks);
    kymo_frame_varint(out, kymo_arch_clock64());
    kymo_frame_ready(out);
    link->pong_due = false;
}

/* Commands over a network: how many were refused, and what the next one must be signed with. */
void kymo_describe_guard(struct kymo_link *link) {
    struct kymo_outgoing *out = &link->out;
    kymo_frame_new(out, KYMO_FRAME_GUARD);
    kymo_frame_varint(out, link->guard.refused);
#if KYMO_GUARD_KEYED
    kymo_frame_varint(out, link->guard.accepted);
    for (uint32_t i = 0u; i < KYMO_CHALLENGE_BYTES; i++) {
        kymo_frame_u8(out, link->guard.challenge[i]);
    }
#endif
    kymo_frame_ready(out);
    link->guard.due = link->guard.news = false;
}

#endif

#endif
