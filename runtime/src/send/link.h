/* SPDX-License-Identifier: MIT */
/* The state of the one link to the host. Touched only by the context that drains. */
#ifndef KYMO_LINK_H
#define KYMO_LINK_H

#include "../record/device.h"
#include "../record/dynamic.h"
#include "../record/large.h"
#include "clock.h"
#include "contexts.h"
#include "encode.h"
#include "guard.h"
#include "kymo/arch.h"
#include "kymo/kymo.h"
#include "kymo/memory.h"
#include "packet.h"

/* INFO packets are left out if no host can ask and there is nothing that it must know. */
#define KYMO_INFO_SENT                                                                             \
    (KYMO_COMMANDS || KYMO_DYNAMIC_SITES || KYMO_LARGE || KYMO_CLOCK_CHANGES || KYMO_ARCH_MOVES || \
     KYMO_CORE_CLOCKS)

/* An event of a ring, without its payload. */
struct kymo_event {
    uint64_t time;
    struct kymo_slot place;
    uint8_t kind;  /* enum kymo_event_kind */
    uint8_t words; /* of payload; of a call stack, its frames */
};
struct kymo_events_packet {
    struct kymo_event event; /* still in the ring */
    uint32_t record_words;   /* which it takes there */
    uint32_t since;          /* ticks, low 32 bits: the first event waits */
    uint8_t lane;
    uint8_t slot;  /* of the event, once that is encoded */
    uint8_t word;  /* of the payload: comes next */
    bool found;    /* it was read, and nothing of it is encoded */
    bool as_it_is; /* that is not encoded */
    bool put_off;  /* a call had no work for the next event */
};

struct kymo_sites_packet {
    uint32_t site;
    uint16_t length[3]; /* of its strings, as far as they are measured */
    uint8_t measured;   /* how many of them are */
    uint8_t cut;        /* a bit for each that is sent cut */
    bool first;         /* of the packet */
};

struct kymo_link;
/* Puts together a part of a packet at "at", KYMO_PART_BYTES at most; link->packet.text follows. Returns the
 * part's end; NULL: no more parts. */
typedef uint8_t *kymo_describe(struct kymo_link *link, uint8_t *at, uint32_t part);

/* The packet that is being built, which may take many calls. */
struct kymo_packet {
    kymo_describe *describe; /* of any type but EVENTS */
    const uint8_t *text;     /* goes next */
    uint16_t text_left;
    uint16_t next; /* part */
    uint8_t type;  /* enum kymo_packet_type; 0: none */
    uint8_t flags; /* of a STATUS */
    union {
        struct kymo_events_packet events;
        struct kymo_sites_packet sites;
        uint32_t param; /* index, see params.h */
        struct {
            uint16_t at, left; /* in out.bytes */
        } text;
        struct {
            uint64_t cookie, ticks, answered;
        } pong;
    } of;
};

/* Members in frequent use come first, within reach of short instructions. */
struct kymo_link {
    const struct kymo_transport *transport;
    uint32_t status_at; /* low 32 bits of the clock at the last status */
    uint32_t quiet_at,
        quiet_ticks;   /* from then on for so long nothing is due; 0: something may be */
    uint32_t alive_at; /* low 32 bits of the clock when kymo_keep_all_alive() was called last */
    bool (*volatile begin_final)(struct kymo_link *link); /* from kymo_finish() on: a last packet */
    uint16_t owed; /* bytes in the buffer up to the end of the last packet of events or text */
    volatile bool in_use;       /* by a call that this one interrupted */
    volatile bool turned_away;  /* a call came meanwhile */
    volatile bool finish_asked; /* by kymo_finish(), which may interrupt a drain */
    bool closing;    /* from there until the buffer is empty after the last final status packet */
    bool events_out; /* no lane had anything to send at the last look */
    uint8_t finals_left; /* final status packets still to be sent, once everything else is out */
    uint8_t next_lane;   /* round robin */
    uint8_t lanes_seen;  /* lanes in a row of which no packet could begin */
    bool lanes_hold;     /* a lane that was looked at since the first holds bytes */
    bool moved;          /* by this call: more of an event was encoded */
    bool status_due, session_due;
    bool names_again; /* then send all names once more: a host asked while some were being sent */
    bool introduced;  /* all were sent once, and the session before them */
    bool answered;    /* a command by the last packet: now events have their turn */
    bool events_turn; /* names were sent by the last packet */
    bool text_waits;  /* kymo_print() found no room: no packet begins before all has left */
    bool held_up;     /* a record is not complete, since "held_up_at" */
#if KYMO_ARCH_NESTS
    bool hurries; /* kymo_hurry() */
#endif
#if KYMO_KEEP_NEWEST
    bool run_is_over; /* that is read, when its status is out */
#endif
#if KYMO_INFO_SENT
    bool info_due;  /* an INFO packet goes next */
    bool info_news; /* it would have more than the last one */
#endif
#if KYMO_CORE_CLOCKS
    uint32_t clocks_asked; /* questions of the cores' clocks until the last look */
#endif
#if KYMO_COMMANDS
    bool pong_due;
    bool
        received; /* so many bytes in the last call that it could build nothing: the next one only builds */
    bool greeted;          /* a host has spoken: names are sent when it asks, not again and again */
    uint8_t commands_left; /* to be obeyed while closing, once all events are out */
#endif
    struct kymo_packet packet;
    struct kymo_outgoing out;
    struct kymo_encoder encoder;
    uint32_t session;
    const char *image;
    struct kymo_mark mark; /* for a probe that reads the memory */
    uint32_t next_site;    /* sites from here on are still to be sent */
    uint32_t held_up_at;   /* low 32 bits of the clock */
#if KYMO_COMMANDS
    uint64_t pong_cookie;
    uint64_t pong_ticks;
    struct kymo_incoming in;
    struct kymo_guard guard;
    uint32_t next_param; /* parameters from here on are still to be sent */
    uint32_t heard_at;   /* low 32 bits of the clock at the first byte of what comes in */
#endif
#if KYMO_DYNAMIC_SITES
    struct kymo_dynamic_sent dynamic;
#endif
#if KYMO_INFO_SENT
    uint32_t most_bytes[KYMO_LANES]; /* that each ring held when it was looked at */
#endif
#if KYMO_LARGE
    struct kymo_large_sent large;
#endif
#if KYMO_DEVICES
    struct kymo_devices_sent devices;
#endif
#if KYMO_CLOCK_CHANGES
    uint32_t clock_number; /* of the last change that was read from a ring */
    uint64_t clock_slept;  /* as it says */
#endif
};

extern struct kymo_link kymo_link;
extern const struct kymo_layout kymo_layout;

/* For the one context at a time that may touch the link. One that interrupts it must return before that goes on: then
 * nothing happens between the test and the store that matters. */
static inline bool kymo_link_enter(struct kymo_link *link) {
    if (link->in_use) {
        link->turned_away = true;
        return false;
    }
    link->turned_away = false;
    link->in_use = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return true;
}

static inline void kymo_link_leave(struct kymo_link *link) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    link->in_use = false;
}

static inline bool kymo_link_is_empty(const struct kymo_link *link) {
    return link->packet.type == 0u && link->out.ready == 0u;
}

/* Milliseconds in ticks; their low 32 bits are enough for intervals. A clock of unknown rate is
 * taken for 1 MHz. By shifts, as 64-bit division needs a library on small cores: 2 % short. */
static inline uint32_t kymo_link_ticks(uint32_t milliseconds) {
#if KYMO_CLOCK_CHANGES
    uint64_t hz = kymo_clock.number != 0u ? kymo_clock.state.hz : kymo_arch_clock_hz();
#else
    uint64_t hz = kymo_arch_clock_hz();
#endif
    uint64_t ticks = (hz == 0u ? 1000u : hz >> 10) * milliseconds;
    return ticks < 0x7fffffffu ? (uint32_t)ticks : 0x7fffffffu;
}

/* The result of a step of building. */
enum kymo_step {
    KYMO_STEP_DONE,    /* of all that it was for */
    KYMO_STEP_FURTHER, /* some of it: go on */
    KYMO_STEP_WAIT     /* nothing: there is no room */
};

/* Flight recorders with several rings or long records, whose reader copies each record. */
#define KYMO_COPIES (KYMO_KEEP_NEWEST != 0 && (KYMO_CALLSTACKS != 0 || KYMO_LANES > 1))

/* Work of one call of kymo_drain(), in instructions as rv64 takes them at -Os, rounded up: around its steps, and in
 * the longest step. tests/bench/drain.sh counts. */
#ifdef __clang__ /* its code takes more than gcc's, which calls for many lanes have room for */
#define KYMO_WORK_MORE (KYMO_DRAIN_INSTRUCTIONS < 2500 ? 158 : 0)
#else
#define KYMO_WORK_MORE 0
#endif
#define KYMO_WORK_CALL (KYMO_WORK_AT(180, 200) + KYMO_WORK_MORE + (KYMO_KEEP_NEWEST ? 210 : 0))
#define KYMO_WORK_GIVE KYMO_WORK_AT(130, 150) /* bytes that go out before more are made */
#define KYMO_WORK_LANE 21                     /* a look at each lane */
/* What a call has for its steps. */
#define KYMO_WORK_STEPS (KYMO_DRAIN_INSTRUCTIONS - KYMO_WORK_CALL - KYMO_WORK_LANE * KYMO_LANES)
/* A lane of which a packet may begin, of which a record may be passed over. */
#define KYMO_WORK_LOOK (100 + (KYMO_TASK_OVER || KYMO_ARCH_ATOMIC ? 110 : 0))
#define KYMO_WORK_USAGE (8 * (int)KYMO_USAGES) /* a look at all usage errors */
#define KYMO_WORK_STEP 660
#define KYMO_WORK_CHOICE 300 /* of a packet */
/* There: a look for the next record, a block that is opened for it, a cell that is copied; the most of all three. */
#define KYMO_WORK_PEEK (KYMO_COPIES ? 90 : 0)
#define KYMO_WORK_BLOCK (KYMO_COPIES ? 200 : 0)
#define KYMO_WORK_CELL (KYMO_COPIES ? 8 : 0)
#define KYMO_WORK_RECALL                                                                           \
    (KYMO_WORK_PEEK + KYMO_WORK_BLOCK + KYMO_WORK_CELL * (int32_t)(KYMO_RECORD_WORDS / 2u + 2u))
#define KYMO_WORK_LARGE 12  /* a place of a large thing that is looked at */
#define KYMO_WORK_CLOCK 250 /* a change of the clock that is recorded later */
/* Least work with which a call continues: it chooses a packet and then begins it. */
#define KYMO_WORK_LEAST                                                                            \
    (KYMO_WORK_CHOICE + KYMO_WORK_STEP + KYMO_WORK_LARGE * KYMO_LARGE +                            \
     KYMO_WORK_CLOCK * KYMO_CLOCK_CHANGES)

/* describe.c */
kymo_describe kymo_describe_session, kymo_describe_status, kymo_describe_text;
kymo_describe kymo_describe_param, kymo_describe_pong, kymo_describe_guard;
/* Prepares to describe a site, as the first of its packet. */
static inline void kymo_describe_site(struct kymo_sites_packet *packet, uint32_t site) {
    packet->site = site;
    packet->length[0] = packet->length[1] = packet->length[2] = 0u;
    packet->measured = packet->cut = 0u;
    packet->first = true;
}
uint32_t kymo_site_count(void);
/* FURTHER: the next parameter to be sent is link->packet.of.param. WAIT: it is not found yet. DONE: no parameter is
 * left. */
enum kymo_step kymo_describe_param_next(struct kymo_link *link);
bool kymo_describe_param_due(const struct kymo_link *link);
/* Each writes at "at" and returns the end of the written bytes: so many bytes of a number, the lowest first; a
 * varint. */
uint8_t *kymo_put_fixed(uint8_t *at, uint32_t value, uint32_t bytes);
uint8_t *kymo_put_varint(uint8_t *at, uint64_t value);
/* The length of a string, which follows; cut to "limit". NULL is the empty string. */
uint8_t *kymo_put_text(struct kymo_link *link, uint8_t *at, const char *text, uint32_t limit);
/* Bytes that follow. */
static inline void kymo_follow(struct kymo_link *link, const void *bytes, uint32_t length) {
    link->packet.text = (const uint8_t *)bytes;
    link->packet.text_left = (uint16_t)length;
}
/* The length of the string, "limit" at most, of which the first "length" bytes are known. */
uint32_t kymo_measure(struct kymo_link *link, const char *text, uint32_t length, uint32_t limit);
/* A reference as it travels: twice the index of a site, or an odd number for anything else. */
uint32_t kymo_wire_reference(uint32_t reference);

/* clock.c: the CLOCK record at the tail is in a packet: its contents apply to everything sent from here on. */
#if KYMO_CLOCK_CHANGES
void kymo_clock_read(struct kymo_link *link, const struct kymo_lane *lane);
/* The latest change was refused: true if it is recorded now. */
bool kymo_clock_refused(struct kymo_link *link);
/* All rings are empty and none had the latest change: true if it is recorded now. */
bool kymo_clock_again(struct kymo_link *link);
#else
static inline void kymo_clock_read(const struct kymo_link *link, const struct kymo_lane *lane) {
    (void)link;
    (void)lane;
}
static inline bool kymo_clock_refused(const struct kymo_link *link) { return (void)link, false; }
static inline bool kymo_clock_again(const struct kymo_link *link) { return (void)link, false; }
#endif

/* False: the rate of the mark applies to the packets. */
static inline bool kymo_clock_is_changed(const struct kymo_link *link) {
#if KYMO_CLOCK_CHANGES
    return link->clock_number != 0u;
#else
    (void)link;
    return false;
#endif
}

/* info.c: begins an INFO packet, if it is due. */
#if KYMO_INFO_SENT
kymo_describe kymo_describe_info;
bool kymo_info_begin(struct kymo_link *link);
static inline bool kymo_info_due(const struct kymo_link *link) { return link->info_due; }
/* Have clocks of cores been set, or asked for, since the last look? */
bool kymo_info_clocks_news(struct kymo_link *link);
/* Called with a status: INFO is due if there is news, and as often as the names, for hosts that cannot ask. */
static inline void kymo_info_look(struct kymo_link *link, bool names_again) {
    const bool clocks = KYMO_CORE_CLOCKS && kymo_info_clocks_news(link);
    link->info_due = link->info_due || link->info_news || names_again || clocks;
}
/* The ring of the lane holds so much: at a look before some of it leaves, so no more than that was there before. */
void kymo_info_ring_holds(struct kymo_link *link, uint32_t lane, uint32_t bytes);
#else
static inline bool kymo_info_begin(struct kymo_link *link) { return (void)link, false; }
static inline bool kymo_info_due(const struct kymo_link *link) { return (void)link, false; }
static inline void kymo_info_look(const struct kymo_link *link, bool names_again) {
    (void)link;
    (void)names_again;
}
static inline void kymo_info_ring_holds(const struct kymo_link *link, uint32_t lane,
                                        uint32_t bytes) {
    (void)link;
    (void)lane;
    (void)bytes;
}
#endif

/* At the end: INFO, if there is news. */
static inline bool kymo_info_begin_last(struct kymo_link *link) {
    kymo_info_look(link, false);
    return kymo_info_begin(link);
}

/* describe_sites.c. */
kymo_describe kymo_describe_sites;
/* Begins a packet of sites made at run time, or continues the search for one. Returns false if all were sent. */
#if KYMO_DYNAMIC_SITES
bool kymo_sites_begin_dynamic(struct kymo_link *link);
#else
static inline bool kymo_sites_begin_dynamic(struct kymo_link *link) { return (void)link, false; }
#endif
/* Some of the image's are still to be sent. */
static inline bool kymo_sites_left(const struct kymo_link *link) {
    return KYMO_NAMES != 0 && link->next_site < kymo_site_count();
}
/* devices.c: begins a packet of the next device that has something to send, if there is one and it is its turn. WAIT:
 * not all were looked at. */
#if KYMO_DEVICES
enum kymo_step kymo_devices_begin(struct kymo_link *link, bool events_wait);
/* The packet is complete, if it is one of these. */
void kymo_devices_end(struct kymo_link *link);
/* A packet of events goes instead: then it is the devices' turn. */
static inline void kymo_devices_pass_events(struct kymo_link *link) { link->devices.turn = true; }
bool kymo_devices_wait(const struct kymo_link *link);
/* All are described again. */
static inline void kymo_devices_again(struct kymo_link *link) { link->devices.round++; }
#else
static inline enum kymo_step kymo_devices_begin(struct kymo_link *link, bool events_wait) {
    return (void)link, (void)events_wait, KYMO_STEP_DONE;
}
static inline void kymo_devices_end(const struct kymo_link *link) { (void)link; }
static inline void kymo_devices_pass_events(const struct kymo_link *link) { (void)link; }
static inline bool kymo_devices_wait(const struct kymo_link *link) { return (void)link, false; }
static inline void kymo_devices_again(const struct kymo_link *link) { (void)link; }
#endif

/* Sends all names again. */
static inline void kymo_sites_again(struct kymo_link *link) {
    link->next_site = 0u;
#if KYMO_DYNAMIC_SITES
    kymo_dynamic_again(&link->dynamic);
#endif
    kymo_devices_again(link);
}
/* All names were sent once. */
static inline bool kymo_sites_introduced(const struct kymo_link *link) {
#if KYMO_DYNAMIC_SITES
    return link->introduced && !kymo_dynamic_first_due(&link->dynamic);
#else
    return link->introduced;
#endif
}

/* large.c: begins a packet with the next piece, if there is one and it is its turn. */
#if KYMO_LARGE
bool kymo_large_begin(struct kymo_link *link, bool events_wait);
/* The packet is complete, if it is one of these. */
void kymo_large_end(struct kymo_link *link);
/* A packet of events goes instead. */
static inline void kymo_large_pass_events(struct kymo_link *link) {
    link->large.events = (uint8_t)(link->large.events - (link->large.events != 0u ? 1u : 0u));
}
bool kymo_large_waits(void);
#else
static inline bool kymo_large_begin(struct kymo_link *link, bool events_wait) {
    return (void)link, (void)events_wait, false;
}
static inline void kymo_large_end(const struct kymo_link *link) { (void)link; }
static inline void kymo_large_pass_events(const struct kymo_link *link) { (void)link; }
static inline bool kymo_large_waits(void) { return false; }
#endif

/* command.c: one correct packet from the host, without its CRC. */
void kymo_command_take(struct kymo_link *link, const uint8_t *bytes, uint32_t length);
/* So many bytes of the host that were read at once, and more if there are any. True: there may be more. */
#define KYMO_RECEIVE_BYTES 8u
bool kymo_command_bytes(struct kymo_link *link, uint8_t *bytes, size_t count);

/* choose.c: begins a packet. */
void kymo_packet_begin(struct kymo_link *link, enum kymo_packet_type type, kymo_describe *describe);
/* Begins the next packet. WAIT: no packet is due, or no room. */
enum kymo_step kymo_packet_choose(struct kymo_link *link);
/* Puts the next part of a packet other than EVENTS. */
enum kymo_step kymo_packet_put(struct kymo_link *link);
enum kymo_step kymo_packet_end(struct kymo_link *link);
/* The firmware wants a packet to be sent, and not only the host. */
bool kymo_packet_is_owed(const struct kymo_link *link);
/* For struct kymo_link. */
bool kymo_final_begin(struct kymo_link *link);

/* Packets other than EVENTS are due, at once or by now. */
bool kymo_packets_due(struct kymo_link *link, uint32_t now);
/* Everything was sent: until "ticks" have passed, only events come, and packets that host and firmware ask for. */
void kymo_be_quiet(struct kymo_link *link, uint32_t now, uint32_t ticks);

/* events.c: begins a packet of a lane that is ready: FURTHER. DONE: it is not. WAIT: there is no work left to find its
 * event. */
enum kymo_step kymo_events_begin(struct kymo_link *link, unsigned lane, uint32_t now);
/* Its head, or events; KYMO_STEP_DONE: the packet has all that is stuffed. */
enum kymo_step kymo_events_put(struct kymo_link *link);
/* Ends a complete packet. */
void kymo_events_end(struct kymo_link *link);

/* ready.c: a packet of the lane may begin. */
bool kymo_lane_is_ready(struct kymo_link *link, struct kymo_lane *lane, uint32_t now);
/* No record of it is complete now: its packet ends, as its first event has waited for long enough, or something else is
 * to be sent. */
bool kymo_lane_is_over(struct kymo_link *link, struct kymo_lane *lane);
/* kymo_ring_peek(), once in the image. */
uint32_t kymo_lane_peek(struct kymo_lane *lane, uint32_t *header);
/* True while a lane holds complete records. */
bool kymo_events_waiting(void);
/* At the end: true while a lane holds a record that is not complete. A context that has not written it in
 * KYMO_PATIENCE_MS never will: then the record is passed over, and counted as lost. */
bool kymo_events_held_up(struct kymo_link *link);

#endif
