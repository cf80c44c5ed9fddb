/* A resolved event: all that a sink ever sees. Strings and structs live as long as the pipeline. */
#ifndef HOSTLINK_EVENT_H
#define HOSTLINK_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A place in the firmware's source. Equal pointers are equal sites. */
struct site {
    uint32_t id;    /* index in the image */
    uint8_t kind;   /* enum kymo_site_kind of kymo/wire.h */
    uint8_t level;  /* messages: enum kymo_level */
    uint32_t color; /* 0xRRGGBB, 0 = none given */
    uint32_t line;
    uint32_t detail;      /* by kind, see kymo/wire.h */
    bool known;           /* false: its names have not arrived (yet) */
    bool borrowed;        /* they are from elsewhere than the board, which may say otherwise */
    bool nests;           /* zones: one that began again inside itself has ended (zones.h) */
    uint32_t left_open;   /* zones: how often one began again right inside one that never ended */
    const char *name;     /* never NULL; a function's own zone has the function's name,
                             the frame set without a name is "Frame" */
    const char *function; /* never NULL, may be "" */
    const char *file;     /* never NULL, may be "" */
};

/* One row of the timeline: a core's main code, an interrupt, a task, a thread. */
struct track {
    uint32_t id;      /* from 1, in order of appearance */
    uint32_t core;    /* the lane */
    uint32_t session; /* from 0; a reset of the board begins the next */
    uint8_t kind;     /* enum kymo_context_kind */
    const char *name; /* never NULL: "core 0", "timer" ... */
};

enum event_kind {
    EVENT_SESSION,    /* first event of a session; u.session */
    EVENT_TRACK,      /* a track appears, or its name became known; before its first event */
    EVENT_ZONE_BEGIN, /* site */
    EVENT_ZONE_END,   /* site, u.zone */
    EVENT_ZONE_TEXT,  /* site of the zone, u.text */
    EVENT_ZONE_NAME,  /* site of the zone, u.text */
    EVENT_ZONE_VALUE, /* site of the zone, u.value */
    EVENT_ZONE_COLOR, /* site of the zone, u.value */
    EVENT_MESSAGE,    /* site, u.text formatted */
    EVENT_PLOT,       /* site, u.plot */
    EVENT_FRAME,      /* site */
    EVENT_FRAME_START,
    EVENT_FRAME_END,
    EVENT_ALLOC,    /* site = pool, u.memory */
    EVENT_FREE,     /* site = pool, u.memory (bytes known if the allocation was seen, else 0) */
    EVENT_APP_INFO, /* u.text */
    EVENT_SWITCH,   /* the core now runs this track */
    EVENT_REPAIR, /* the firmware recorded what cannot be, or not what must be; u.repair; site or NULL */
    EVENT_GAP /* events were lost on the track's core; u.gap; time_ns = its end */
};

/* How a zone came to its end. */
enum zone_repair {
    ZONE_ENDED,       /* by the board */
    ZONE_END_LOST,    /* closed where events were lost, its end may be among them */
    ZONE_END_OPEN,    /* still open when the session or the capture ended */
    ZONE_END_MISSING, /* the firmware did not end it, or ended it in place of a zone inside it */
    ZONE_END_UNSURE,  /* its end may be that of a zone around it, where one end is missing */
    ZONE_END_TASK     /* its task was over: kymo_context_end() */
};
#define ZONE_REPAIRS 6u

/* What was left out. */
enum repair {
    REPAIR_END_WITHOUT_ZONE, /* an end where no zone is open; site of the zone before it, or NULL */
    REPAIR_NOTE_WITHOUT_ZONE, /* text, name, value or colour where no zone is open */
    REPAIR_TOO_DEEP,          /* a zone beyond the greatest depth; site */
    REPAIR_NOT_LEFT /* an interrupt that was entered and not left when the session ended */
};
#define REPAIRS 4u

/* Where and why events were lost. */
enum gap_cause { GAP_RING_FULL, GAP_LINK, GAP_RESET };

struct event {
    enum event_kind kind;
    int64_t time_ns;           /* from the start of the capture; never goes back within a track */
    const struct track *track; /* NULL only for EVENT_SESSION */
    const struct site *site;   /* NULL where the list above names none */
    union {
        struct {
            const char *image; /* program name */
            uint64_t clock_hz;
            uint32_t session;
            int64_t epoch_ns; /* Unix time of time_ns 0, 0 = unknown */
        } session;
        struct {
            int64_t start_ns;
            int64_t self_ns; /* without the zones inside it, and without interrupts and other tasks
                                that ran meanwhile */
            enum zone_repair repaired; /* not 0: start and end are not both the board's */
        } zone;
        struct {
            const char *bytes; /* valid UTF-8, NUL behind it */
            size_t length;
        } text;
        uint64_t value;
        struct {
            enum { PLOT_INT, PLOT_FLOAT, PLOT_DOUBLE } type;
            int64_t integer; /* PLOT_INT */
            double real;     /* the value as a double, whatever the type */
        } plot;
        struct {
            uint64_t address, bytes;
        } memory;
        struct {
            int64_t start_ns;
            uint64_t lost; /* events */
            enum gap_cause cause;
        } gap;
        enum repair repair;
    } u;
};

/* One line for people, without a capital letter and a full stop. */
const char *zone_repair_text(enum zone_repair repair);
const char *repair_text(enum repair repair);

#endif
