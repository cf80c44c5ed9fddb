/* The INFO packet: what a host may like to know of the board, as entries that it can step over. */
#include "kymo/version.h"
#include "lane.h"
#include "link.h"

#if KYMO_ENABLE && KYMO_INFO_SENT

/* Of an entry: its type, the bytes of its value. */
#define HEAD_BYTES 2u

/* What the build decides, as it travels: entries of text, and of four bytes each. */
#define NUMBER(type, number)                                                                       \
    KYMO_INFO_##type, 4u, (uint8_t)((number)&0xffu), (uint8_t)((number) >> 8 & 0xffu),             \
        (uint8_t)((number) >> 16 & 0xffu), (uint8_t)((number) >> 24 & 0xffu)
static const struct facts {
    uint8_t runtime_head[HEAD_BYTES];
    char runtime[sizeof KYMO_RUNTIME_VERSION - 1u]; /* without the NUL */
    uint8_t arch_head[HEAD_BYTES];
    char arch[sizeof KYMO_ARCH_NAME - 1u];
    uint8_t numbers[8u * (HEAD_BYTES + 4u)];
} facts = {
    {KYMO_INFO_RUNTIME, sizeof KYMO_RUNTIME_VERSION - 1u},
    KYMO_RUNTIME_VERSION,
    {KYMO_INFO_ARCH, sizeof KYMO_ARCH_NAME - 1u},
    KYMO_ARCH_NAME,
    {NUMBER(RING_BYTES, KYMO_RING_BYTES), NUMBER(PACKET_BYTES, KYMO_PACKET_BYTES),
     NUMBER(PAYLOAD_WORDS, KYMO_PAYLOAD_WORDS), NUMBER(DRAIN, KYMO_DRAIN_INSTRUCTIONS),
     NUMBER(LATENCY_MS, KYMO_LATENCY_MS), NUMBER(CHECK, KYMO_CHECK),
     NUMBER(CONTEXTS, KYMO_CONTEXTS), NUMBER(KEEPS_NEWEST, KYMO_KEEP_NEWEST)},
};
_Static_assert(sizeof(struct facts) == sizeof KYMO_RUNTIME_VERSION + sizeof KYMO_ARCH_NAME + 2u +
                                           sizeof((struct facts *)0)->numbers,
               "no byte between them");

/* The fields of the packet, one behind the other. */
enum info_field {
    FACTS,
    DYNAMIC,
    DYNAMIC_COUNTS,
    LARGE,
    CLOCK,
    CLOCK_SLEPT,
    LOADED,
    LOADED_HIGH,
    FIRST_LANE
};

/* An entry whose value has "bytes", and more of them in the next field. */
static void entry(struct kymo_link *link, enum kymo_info type, uint32_t bytes, uint64_t value,
                  uint32_t more_bytes) {
    link->packet.field.value = (uint32_t)type | (bytes + more_bytes) << 8 | value << 16;
    link->packet.field.fixed = (uint8_t)(HEAD_BYTES + bytes);
}

#if KYMO_DYNAMIC_SITES
/* Three numbers, the first of them with the head. */
static void dynamic_entry(struct kymo_link *link, uint32_t field) {
    if (field == DYNAMIC) {
        entry(link, KYMO_INFO_DYNAMIC_SITES, 4u, KYMO_DYNAMIC_SITES, 8u);
        return;
    }
    const uint32_t made = KYMO_LOAD(kymo_dynamic.complete);
    link->packet.field.value = made | (uint64_t)KYMO_LOAD(kymo_dynamic.refused) << 32;
    link->packet.field.fixed = 8u;
}
#endif

#if KYMO_CLOCK_CHANGES
/* Of the clock of the events, domain 0: as the records say that were sent so far. */
static void clock_entry(struct kymo_link *link, uint32_t field) {
    if (field == CLOCK) {
        entry(link, KYMO_INFO_CLOCK, 4u, (uint64_t)link->clock_number << 8, 8u);
        return;
    }
    link->packet.field.value = link->clock_slept;
    link->packet.field.fixed = 8u;
}
#endif

#if KYMO_ARCH_MOVES
static void loaded_entry(struct kymo_link *link, uint32_t field) {
    const uint64_t address = (uintptr_t)&kymo_layout;
    if (field == LOADED) {
        entry(link, KYMO_INFO_LOADED, 4u, (uint32_t)address, 4u);
        return;
    }
    link->packet.field.value = address >> 32;
    link->packet.field.fixed = 4u;
}
#endif

/* DONE: there are no more lanes, or there is no space for them. */
static enum kymo_step lane_entry(struct kymo_link *link, uint32_t lane) {
    if (lane >= KYMO_LANES || kymo_out_space(&link->out) < HEAD_BYTES + 5u) {
        return KYMO_STEP_DONE;
    }
    entry(link, KYMO_INFO_RING_MOST, 5u, lane | (uint64_t)link->most_bytes[lane] << 8, 0u);
    return KYMO_STEP_FURTHER;
}

enum kymo_step kymo_describe_info(struct kymo_link *link, uint32_t field) {
    switch (field) {
    case FACTS:
        link->packet.field.text = (const char *)&facts;
        link->packet.field.text_left = sizeof facts;
        break;
#if KYMO_DYNAMIC_SITES
    case DYNAMIC:
    case DYNAMIC_COUNTS:
        dynamic_entry(link, field);
        break;
#endif
#if KYMO_LARGE
    case LARGE:
        entry(link, KYMO_INFO_LARGE, 5u, KYMO_LARGE | (uint64_t)KYMO_LOAD(kymo_larges.refused) << 8,
              0u);
        break;
#endif
#if KYMO_CLOCK_CHANGES
    case CLOCK:
    case CLOCK_SLEPT:
        clock_entry(link, field);
        break;
#endif
#if KYMO_ARCH_MOVES
    case LOADED:
    case LOADED_HIGH:
        loaded_entry(link, field);
        break;
#endif
    default:
        return field >= FIRST_LANE ? lane_entry(link, field - FIRST_LANE) : KYMO_STEP_FURTHER;
    }
    return KYMO_STEP_FURTHER;
}

bool kymo_info_begin(struct kymo_link *link) {
    if (!link->info_due) {
        return false;
    }
    link->info_due = link->info_news = false;
    link->answered = true;
    kymo_packet_begin(link, KYMO_PACKET_INFO);
    return true;
}

void kymo_info_ring_holds(struct kymo_link *link, uint32_t lane, uint32_t bytes) {
    if (bytes > link->most_bytes[lane]) {
        link->most_bytes[lane] = bytes;
        link->info_news = true;
    }
}

#endif
