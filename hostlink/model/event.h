/* SPDX-License-Identifier: MIT */
/* A resolved event, the only input of sinks. Strings and structs live as long as the pipeline. */
#ifndef HOSTLINK_EVENT_H
#define HOSTLINK_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/kinds.h"
#include "model/symbols.h"

struct board_info;

/* A place in the firmware's source. Equal pointers are equal sites. */
struct site {
    uint32_t id;    /* index in the image */
    uint8_t kind;   /* enum kymo_site_kind of kymo/wire.h */
    uint8_t level;  /* messages: enum kymo_level */
    uint32_t color; /* 0xRRGGBB, 0 = none given */
    uint32_t line;
    uint32_t detail;    /* by kind, see kymo/wire.h */
    bool known;         /* false: its names have not arrived (yet) */
    bool borrowed;      /* they are from elsewhere than the board, which may say otherwise */
    bool nests;         /* zones: one that began again inside itself has ended (zones.h) */
    uint32_t left_open; /* zones: how often one began again right inside one that never ended */
    uint32_t open;      /* zones: that are open now, on all tracks */
    bool is_function;   /* a function that is a zone by itself; it is no place of the image's */
    uint64_t address;   /* and begins here */
    uint32_t pool; /* pools: + 1, the index of the first one of that name; 0: not looked for yet */
    const char *name;     /* never NULL; a function's own zone has the function's name,
                             the frame set without a name is "Frame", the pool "memory" */
    const char *function; /* never NULL, may be "" */
    const char *file;     /* never NULL, may be "" */
};

/* A core or an engine without a recorder of its own, whose records the board brings (runtime/DEVICE.md): a row, of the
 * rows of one device. */
struct device {
    uint32_t number;  /* of the device among those of all sessions, from 0 */
    const char *name; /* of the device */
    const char *core; /* "brisc", "dma" */
    uint32_t x, y;    /* place of the row in the device */
    uint64_t hz;      /* of its clock, 0: it reads the board's */
    /* About the current event: */
    uint64_t ticks; /* of its clock; records have the low 32 bits */
    bool in_run;    /* the event belongs to a numbered run: */
    uint64_t run;
    uint32_t runs;             /* how many numbers the row has recorded */
    const struct track *queue; /* another row, for the work that waits for it, or NULL */
    bool engine;               /* it reports its zones afterwards */
    bool submitted;            /* a zone begins: the time it was queued at is known */
    int64_t submitted_ns;
    /* So far: */
    int64_t bound_ns;        /* the greatest error of its times */
    uint32_t restarts;       /* of its writer */
    uint32_t clock_restarts; /* its clock was set back so often */
};

/* One of several boards that are shown together. */
#define EVENT_BOARDS_MAX 16u
struct event_board {
    uint32_t number; /* from 0 */
    const char *name;
    int64_t last_ns; /* of its events so far */
};
/* The end of its capture, if its last shown event is at "last_ns". NULL: there is only one. */
static inline int64_t event_board_end_ns(const struct event_board *board, int64_t last_ns) {
    return board != NULL && board->last_ns < last_ns ? board->last_ns : last_ns;
}

/* One row of the timeline: a core's main code, an interrupt, a task, a thread. */
struct track {
    uint32_t id;                     /* from 1, in order of appearance */
    uint32_t core;                   /* the lane, below WIRE_LANES */
    uint32_t session;                /* from 0; a reset of the board begins the next */
    uint8_t kind;                    /* enum kymo_context_kind */
    const char *name;                /* never NULL: "core 0", "timer" ... */
    const struct device *device;     /* NULL: a context of the board. Else no "core", "kind" */
    const struct event_board *board; /* NULL: there is only one */
    uint32_t resets;                 /* of several boards: sessions of this one before it */
};

/* A thing of the firmware that comes and goes while it runs. */
struct object {
    uint32_t id;      /* from 1, in order of appearance */
    uint32_t session; /* from 0 */
    uint64_t identity;
    uint8_t of;              /* enum kymo_object_class */
    bool named;              /* false: the board has not named it (yet) */
    const char *name;        /* never NULL: "lock 0x20001000" where the board gave none */
    const struct site *site; /* where it was announced, or NULL */
};

/* The event. The kinds of the board are those of kymo/kinds.h, with the same numbers: the kind's payload says which
 * member of u is set, its role what to show. Zones always end by EVENT_ZONE_END, with u.zone, and functions are
 * zones. */
enum event_kind {
#define EVENT_OF_KIND(name, number, reference, payload, role, word) EVENT_##name = (number),
    KYMO_KINDS(EVENT_OF_KIND)
#undef EVENT_OF_KIND
    /* hostlink's own. */
    EVENT_SESSION = 0x100, /* first event of a session; u.session */
    EVENT_TRACK,           /* a track appears, or its name became known; before its first event */
    EVENT_SWITCH,          /* the core now runs this track */
    EVENT_REPAIR, /* the firmware recorded what cannot be, or not what must be; u.repair; site, object or neither */
    EVENT_HOLD_END, /* u.hold: the object is no longer held or waited for, though the board did not say so */
    EVENT_GAP, /* events were lost on the track's core; u.gap; time_ns = its end */
    EVENT_TASK, /* a task of the track has another state from here on; u.task; object: what it waits for, or NULL */
    EVENT_TRACK_END /* no further event of the track comes; only its shown part need be kept */
};

/* The role of an event of this kind. Of hostlink's own kinds only EVENT_HOLD_END has a role other than the timeline:
 * it gives. */
static inline enum kymo_kind_role event_role(enum event_kind kind) {
    return (uint32_t)kind < 256     ? (enum kymo_kind_role)kind_table[kind].role
           : kind == EVENT_HOLD_END ? KYMO_ROLE_GIVES
                                    : KYMO_ROLE_TIMELINE;
}
/* The kind's payload, hence the member of u. */
static inline enum kymo_kind_payload event_payload(enum event_kind kind) {
    return (uint32_t)kind < 256 ? (enum kymo_kind_payload)kind_table[kind].payload
                                : KYMO_CARRIES_NONE;
}
/* An event about a task; any context may record it. */
static inline bool event_is_of_task(enum event_kind kind) {
    return kind == EVENT_TASK_PRIORITY || kind == EVENT_TASK_STACK || kind == EVENT_TASK_PERIOD;
}
/* It waits for an object, takes it or gives it: u.hold. */
static inline bool event_holds(enum event_kind kind) {
    const enum kymo_kind_role role = event_role(kind);
    return role >= KYMO_ROLE_WAITS && role <= KYMO_ROLE_GIVES_SHARED;
}
enum event_hold { EVENT_WAITS, EVENT_TAKES, EVENT_GIVES };
static inline enum event_hold event_hold(enum event_kind kind) {
    return (enum event_hold)((event_role(kind) - KYMO_ROLE_WAITS) % 3);
}
static inline bool event_is_frame(enum event_kind kind) {
    return kind == EVENT_FRAME || kind == EVENT_FRAME_START || kind == EVENT_FRAME_END;
}
/* "zone begin" */
const char *event_word(enum event_kind kind);
/* "warning", of an enum kymo_message_level; "unknown" for other numbers. */
const char *event_level_word(uint8_t level);

/* The end of a zone. */
enum zone_repair {
    ZONE_ENDED,       /* by the board */
    ZONE_END_LOST,    /* closed where events were lost, its end may be among them */
    ZONE_END_OPEN,    /* still open when the session or the capture ended */
    ZONE_END_MISSING, /* the firmware did not end it, or ended it in place of a zone inside it */
    ZONE_END_UNSURE,  /* its end may be that of a zone around it, where one end is missing */
    ZONE_END_TASK,    /* its task was over: kymo_context_end() */
    ZONE_END_LEFT /* it was left by a jump, or never returned: ended with the function around it */
};
#define ZONE_REPAIRS 7u

/* The end of a hold on an object, or of a wait for it. */
enum hold_repair {
    HOLD_ENDED,      /* by the board */
    HOLD_TAKEN_OVER, /* another context obtained it meanwhile, or the same one again */
    HOLD_END_LOST,   /* where events were lost */
    HOLD_END_OBJECT, /* the object ended */
    HOLD_END_TASK,   /* the task ended */
    HOLD_END_OPEN    /* still held when the session or the capture ended */
};

/* The end of a frame with a start and an end. */
enum frame_repair {
    FRAME_ENDED,         /* by the board */
    FRAME_STARTED_AGAIN, /* the next one of its set started */
    FRAME_END_OPEN       /* still open when the session or the capture ended */
};

/* Why an event was left out. */
enum repair {
    REPAIR_END_WITHOUT_ZONE, /* an end where no zone is open; site of the zone before it, or NULL */
    REPAIR_NOTE_WITHOUT_ZONE, /* text, name, value or colour where no zone is open */
    REPAIR_TOO_DEEP,          /* a zone beyond the greatest depth; site */
    REPAIR_NOT_LEFT, /* an interrupt that was entered and not left when the session ended */
    REPAIR_GIVE_WITHOUT_HOLD, /* an object given back that the context neither held nor waited for */
    REPAIR_FRAME_WITHOUT_START, /* the end of a frame of a set of which none is open; site */
    REPAIR_ASYNC_WITHOUT_BEGIN, /* the end of an asynchronous zone that is not open; site */
    REPAIR_TIME_BACK, /* a device recorded an earlier time than before: shown when the one before was */
    REPAIR_CLOCK_ANEW /* the clock of a device was set back */
};
#define REPAIRS 9u

/* The fault of a flow, or of an asynchronous zone. */
enum flow_repair {
    FLOW_WHOLE,
    FLOW_NOT_SENT,    /* a step or a receive of which no send came before */
    FLOW_SENT_AGAIN,  /* a send: the flow before it of the same id was not received */
    FLOW_BEGAN_AGAIN, /* an end: another zone of the same id begins */
    FLOW_END_OPEN,    /* an end: still open when the session or the capture ended */
    FLOW_TOO_MANY     /* an end: more are open than are kept */
};

/* Place and cause of a loss of events. */
enum gap_cause { GAP_RING_FULL, GAP_LINK, GAP_RESET };

/* State of a task in the kernel. An interrupt suspends the running task and does not change its state. */
enum task_state {
    TASK_UNKNOWN,   /* nothing was heard of it yet, or not since events were lost */
    TASK_READY,     /* it may run, and another task does */
    TASK_RUNNING,   /* on the track's core */
    TASK_WAITING,   /* u.task.why */
    TASK_SUSPENDED, /* until another task resumes it */
    TASK_OVER       /* it was deleted */
};
#define TASK_STATES 6u
/* "ready", "runs", "waits" ... */
const char *task_state_word(enum task_state state);
/* Why a task waits, an enum kymo_why: "delay", "lock" ... Unknown numbers are "?". */
const char *task_why_word(uint8_t why);

/* Return addresses, the innermost first. */
#define CALLSTACK_MAX 62u
struct callstack {
    uint32_t count;
    const struct symbols *symbols; /* of the code at the addresses, or NULL */
    uint64_t address[CALLSTACK_MAX];
};

struct event {
    enum event_kind kind;
    int64_t time_ns;             /* from the start of the capture; never goes back within a track */
    const struct track *track;   /* NULL only for EVENT_SESSION */
    const struct site *site;     /* NULL where the kind names none */
    const struct object *object; /* also NULL there */
    const struct callstack
        *stack; /* where it was recorded, or NULL; only valid in the call that hands on the event */
    union {
        struct {
            const char *image;             /* program name */
            const struct board_info *info; /* reported by the board so far, NULL: n/a */
            uint64_t clock_hz;
            uint32_t session;
            uint32_t resets;                 /* sessions of the same board before it */
            int64_t epoch_ns;                /* Unix time of time_ns 0, 0 = unknown */
            const struct event_board *board; /* NULL: there is only one */
        } session;
        struct {
            int64_t start_ns;
            int64_t self_ns; /* without the zones inside it, and without interrupts and other tasks
                                that ran meanwhile */
            enum zone_repair repaired; /* not 0: start and end are not both the board's */
        } zone;
        struct {
            const char *bytes; /* valid UTF-8, followed by NUL */
            size_t length;
            uint32_t color; /* of a message: 0xRRGGBB, 0 = its site's */
        } text;
        uint64_t value;
        struct {
            const char *name; /* valid UTF-8, "" if it has none */
            uint64_t id, bytes;
            uint8_t type; /* enum kymo_large_type of kymo/wire.h */
        } large; /* a picture, a file, a crash dump: it was there, and comes in packets of its own */
        struct {
            enum { PLOT_INT, PLOT_FLOAT, PLOT_DOUBLE } type;
            int64_t integer; /* PLOT_INT */
            double real;     /* the value as a double, whatever the type */
        } plot;
        struct {
            uint64_t address, bytes;
            bool repaired; /* a free that did not come: its address is allocated again */
            bool unkept;   /* an allocation beyond those that are kept: its free has no size */
        } memory;
        struct {
            uint32_t cycles, instructions; /* of the core, while the zone ran; 0: not counted */
        } counters;
        struct {
            const struct site *of; /* names the counted event */
            uint32_t times;        /* while the zone ran */
        } count;
        struct {
            int64_t start_ns; /* start of the hold, or of the wait where an object is taken */
            bool shared;
            bool waited; /* a wait ends here, without a hold */
            enum hold_repair repaired;
        } hold;
        const struct site *mark; /* where it waits for the object, or holds it; NULL: unknown */
        struct {
            uint64_t missed;    /* that were due since the one before it, and not taken in time */
            uint64_t period_ns; /* mean time between two samples; 0 = not known */
        } sample;               /* what ran; the stack begins with the instruction */
        struct {
            int64_t start_ns;
            uint64_t lost; /* events */
            enum gap_cause cause;
        } gap;
        struct {
            enum frame_repair repaired; /* of an end */
        } frame;
        enum repair repair;
        struct {
            uint8_t state,
                before; /* enum task_state; of the two one before time_ns, and one after */
            uint8_t
                why; /* enum kymo_why: waiting and suspended, why; ready, what it waited for until now */
            bool
                woken : 1; /* ready: it waited, or nothing was known of it; running: it was ready for that reason */
            bool
                guess : 1; /* "other" took the object last, and may have given it back by another means */
            bool deadlock : 1;      /* waiting: "other" waits for it, itself or through others */
            bool greater_first : 1; /* of two priorities the greater one is more urgent */
            bool has_base : 1;      /* "base" and "priority" are known */
            bool interrupt : 1;     /* ready: an interrupt without a track woke it */
            int32_t base, priority; /* its own one; and the one it has, as it may inherit */
            int64_t since_ns;       /* when "before" began */
            const struct track
                *other; /* waiting: holds the object; ready: woke it; NULL: nobody, or not known */
        } task;
        struct {
            int32_t value;
            uint8_t cause; /* enum kymo_priority_cause */
        } priority;
        struct {
            uint32_t unused, bytes; /* never used, of so many; 0: not known */
        } stack;
        struct {
            uint32_t period_us, deadline_us; /* of the deadline 0: at the end of the period */
        } period;
        uint32_t level;
        struct {
            uint64_t id;      /* the firmware's */
            uint64_t number;  /* of the flow or the zone, from 1; 0: not known */
            int64_t start_ns; /* when it was sent, or began; if that is not known, time_ns */
            int64_t
                bound_ns; /* the time since then is wrong by less, where it is between clocks; of a send: its own */
            uint32_t row;     /* of asynchronous zones of one name each that is open has another */
            uint8_t repaired; /* enum flow_repair */
        } flow;
    } u;
};

/* A session begins in the place of another one of its board: what that one held, ran and had
 * allocated is over. Other boards go on. */
static inline bool event_ends_session(const struct event *event) {
    return event->kind == EVENT_SESSION && event->u.session.resets != 0;
}
/* 0 where there is only one. */
static inline uint32_t event_board_number(const struct event_board *board) {
    return board != NULL ? board->number : 0;
}
/* The track is of the board whose session begins. */
static inline bool event_is_of_board(const struct event *session, const struct track *track) {
    return event_board_number(session->u.session.board) == event_board_number(track->board);
}
/* Instructions for each cycle, 0: not known. */
static inline double event_ipc(uint64_t cycles, uint64_t instructions) {
    return cycles != 0 ? (double)instructions / (double)cycles : 0.0;
}
/* One line for people, without a capital letter and a full stop. */
const char *zone_repair_text(enum zone_repair repair);
/* "lock", of an enum kymo_object_class. */
const char *object_class_word(uint8_t of);
/* A curve that is no plot of the firmware: how full an object is ("level: uart"), how much of its stack a task never
 * used. Returns false for any other event. */
#define EVENT_CURVE_BYTES 160u
bool event_curve(const struct event *event, char name[EVENT_CURVE_BYTES], int64_t *value);
/* A message that is a signpost: KYMO_SIGNPOST(), or "TT_SIGNPOST" of tt-metal. */
struct signpost {
    const char *header, *text;
    size_t header_bytes, text_bytes;
};
bool event_signpost(const struct event *event, struct signpost *signpost);
/* "word: name value" in at most "size" bytes, for a format that has no better form. */
#define EVENT_TEXT_BYTES 1600u
size_t event_text(const struct event *event, char *out, size_t size);
const char *hold_repair_text(enum hold_repair repair);
const char *frame_repair_text(enum frame_repair repair);
const char *flow_repair_text(enum flow_repair repair);
/* The time since its start; only where u.flow.number is not 0. */
static inline uint64_t event_flow_ns(const struct event *event) {
    return event->time_ns > event->u.flow.start_ns
               ? (uint64_t)event->time_ns - (uint64_t)event->u.flow.start_ns
               : 0;
}
/* It took less than the clocks of its two ends may be apart. */
static inline bool event_flow_is_short(const struct event *event) {
    return event_flow_ns(event) < (uint64_t)event->u.flow.bound_ns;
}
static inline bool event_is_async(enum event_kind kind) {
    return kind == EVENT_ASYNC_BEGIN || kind == EVENT_ASYNC_END;
}
/* Text for a missing free. */
extern const char free_repair_text[];
const char *repair_text(enum repair repair);
/* The name of the site or the object that it is about, or "". */
static inline const char *event_name(const struct event *event) {
    return event->site != NULL     ? event->site->name
           : event->object != NULL ? event->object->name
                                   : "";
}

#define TASK_REASON_BYTES 256u

/* The reason in an EVENT_TASK of a waiting task: "lock bus (held by low)", "delay"; cut to "size" bytes. */
void task_reason(const struct event *event, char *text, size_t size);

#endif
