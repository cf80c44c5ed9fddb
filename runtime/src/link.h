/* The state of the one link to the host. Touched only by the context that drains. */
#ifndef KYMO_LINK_H
#define KYMO_LINK_H

#include "contexts.h"
#include "encode.h"
#include "frame.h"
#include "guard.h"
#include "kymo/arch.h"
#include "kymo/kymo.h"
#include "kymo/memory.h"

/* A field of a packet, while its bytes are written: a number, then text. */
struct kymo_field {
    uint64_t value;
    const char *text;
    uint16_t text_left;
    uint8_t fixed; /* bytes left of a number of fixed length */
    bool varint;   /* the number is a varint, of which some is left */
};

/* Where the building of an EVENTS packet is. */
enum kymo_event_part {
    KYMO_PART_NONE,
    KYMO_PART_GUESS,
    KYMO_PART_FIND,
    KYMO_PART_DEFINE,
    KYMO_PART_REFERENCE,
    KYMO_PART_TIME,
    KYMO_PART_WORDS
};
struct kymo_events_packet {
    struct kymo_encode_event event; /* still in the ring */
    uint32_t record_words;          /* which it takes there */
    uint8_t lane;
    uint8_t part; /* enum kymo_event_part: comes next; NONE: there is no event */
    uint8_t word; /* of the payload: comes next */
};

struct kymo_sites_packet {
    uint32_t site;
    uint16_t length[3]; /* of its strings, as far as they are measured */
    uint8_t measured;   /* how many of them are */
    bool first;         /* of the packet */
};

/* The packet that is being built, which may take many calls. */
struct kymo_packet {
    uint8_t type;  /* enum kymo_frame_type; 0: none */
    uint8_t flags; /* of a STATUS */
    uint16_t next; /* field */
    struct kymo_field field;
    union {
        struct kymo_events_packet events;
        struct kymo_sites_packet sites;
        uint32_t param; /* index, see params.h */
        struct {
            uint16_t at, left; /* in out.bytes */
        } text;
        struct {
            uint64_t cookie, ticks;
        } pong;
    } of;
};

struct kymo_link {
    const struct kymo_transport *transport;
    const char *image;
    struct kymo_outgoing out;
    struct kymo_packet packet;
    struct kymo_incoming in;
    struct kymo_encoder encoder;
    struct kymo_guard guard;
    uint64_t pong_cookie;
    uint64_t pong_ticks;
    uint32_t session;
    uint32_t status_at; /* low 32 bits of the clock at the last status */
    bool status_due;
    uint32_t next_site; /* sites from here on are still to be sent */
    bool names_again; /* and then all of them once more: a host asked while some were on the way */
    bool introduced;  /* all were sent once, and the session before them */
    uint32_t next_param;        /* parameters from here on are still to be sent */
    uint8_t next_lane;          /* round robin */
    uint8_t lanes_seen;         /* lanes in a row of which no packet could begin */
    volatile bool finish_asked; /* by kymo_finish(), which may interrupt a drain */
    bool closing;    /* from there until the buffer is empty behind the last final status packet */
    bool events_out; /* no lane had anything to send at the last look */
    uint8_t finals_left;   /* final status packets still to be sent, once everything else is out */
    uint8_t commands_left; /* to be obeyed while closing, once all events are out */
    uint16_t owed; /* bytes in the buffer up to the end of the last packet of events or text */
    bool held_up;  /* a record is not complete, since "held_up_at" */
    uint32_t held_up_at; /* low 32 bits of the clock */
    bool session_due, pong_due;
    bool answered; /* a command by the last packet: now events have their turn */
    bool
        received; /* so much in the last call that it could build nothing: the next one only builds */
    bool events_turn; /* names were sent by the last packet */
    bool greeted;     /* a host has spoken: names are sent when it asks, not again and again */
#if KYMO_KEEP_NEWEST
    bool run_is_over; /* that is read, when its status is out */
#endif
    bool text_waits;       /* kymo_print() found no room: no packet begins before all has left */
    volatile bool in_use;  /* by a call that this one interrupted */
    struct kymo_mark mark; /* for those who look at the memory */
};

extern struct kymo_link kymo_link;
extern const struct kymo_layout kymo_layout;

/* Milliseconds in ticks, of which the low 32 bits do for intervals; a clock of unknown rate is
 * taken for 1 MHz. By shifts, as 64-bit division needs a library on small cores: 2 % short. */
static inline uint32_t kymo_link_ticks(uint32_t milliseconds) {
    uint64_t hz = kymo_arch_clock_hz();
    uint64_t ticks = (hz == 0u ? 1000u : hz >> 10) * milliseconds;
    return ticks < 0x7fffffffu ? (uint32_t)ticks : 0x7fffffffu;
}

/* What became of a step of the building. */
enum kymo_step {
    KYMO_STEP_DONE,    /* of all that it was for */
    KYMO_STEP_FURTHER, /* some of it: go on */
    KYMO_STEP_WAIT     /* nothing: there is no room */
};

/* Work of one call of kymo_drain(), in instructions as rv64 takes them at -Os, rounded up: around its steps, and in
 * the longest step. tests/bench/drain.sh counts. */
#define KYMO_WORK_CALL 400
#define KYMO_WORK_LANE 10                      /* a look at each lane */
#define KYMO_WORK_USAGE (8 * (int)KYMO_USAGES) /* a look at all usage errors */
#define KYMO_WORK_STEP (660 + (KYMO_WIRE_SLOTS > 32 ? 140 : 0) + KYMO_CONTEXTS_WORK)
#define KYMO_WORK_CHOICE 300 /* of a packet */
/* With which a call at least goes on: it chooses a packet and then begins it. */
#define KYMO_WORK_LEAST (KYMO_WORK_CHOICE + KYMO_WORK_STEP)

/* describe.c: the next field of the packet, of any type but EVENTS, in link->packet.field; KYMO_STEP_DONE: there is
 * none. */
enum kymo_step kymo_describe(struct kymo_link *link);
/* Begins with a site, as the first of its packet. */
static inline void kymo_describe_site(struct kymo_sites_packet *packet, uint32_t site) {
    packet->site = site;
    packet->length[0] = packet->length[1] = packet->length[2] = 0u;
    packet->measured = 0u;
    packet->first = true;
}
uint32_t kymo_site_count(void);
/* FURTHER: the next parameter to be sent is link->packet.of.param. WAIT: it is not found yet. DONE: there is none. */
enum kymo_step kymo_describe_param_next(struct kymo_link *link);
bool kymo_describe_param_due(const struct kymo_link *link);
/* The next number and text of a packet. */
void kymo_field_fixed(struct kymo_link *link, uint32_t value, uint32_t bytes);
void kymo_field_varint(struct kymo_link *link, uint64_t value);
#if KYMO_NAMES == 0
/* Of facts of the linker that the ELF file knows too: which image this is. */
uint32_t kymo_image_identity(void);
#endif
/* A reference as it travels: twice the index of a site, or an odd number for anything else. */
uint32_t kymo_wire_reference(uint32_t reference);

/* command.c: one correct frame from the host, without its CRC. */
void kymo_command_take(struct kymo_link *link, const uint8_t *bytes, uint32_t length);

/* drain.c: begins a packet. */
void kymo_packet_begin(struct kymo_link *link, enum kymo_frame_type type);

/* events.c: begins an EVENTS packet of a lane that is ready; false if it is not. */
bool kymo_events_begin(struct kymo_link *link, unsigned lane, uint32_t now);
/* The next field of its head, or part of an event; KYMO_STEP_DONE: the packet has all. */
enum kymo_step kymo_events_step(struct kymo_link *link);
/* The packet is complete. */
void kymo_events_end(struct kymo_link *link);
/* True while a lane holds complete records. */
bool kymo_events_waiting(void);
/* At the end: true while a lane holds one that is not complete. Who has not written it in KYMO_PATIENCE_MS never
 * will: then it is passed over, and counted as lost. */
bool kymo_events_held_up(struct kymo_link *link);

#endif
