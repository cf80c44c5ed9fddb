/* SPDX-License-Identifier: MIT */
/* The table of event kinds: numbers, and nothing else. It holds the facts of WIRE.md, section 4, about each kind once;
 * the runtime, hostlink, the second decoder and the tests read it. Included by wire.h. */
#ifndef KYMO_KINDS_H
#define KYMO_KINDS_H

/* The number of a kind, 8 bits. Bit 4: the event carries a reference. Bit 5: it carries payload words. Bits 3..0 of 12
 * and above: it is not counted, being none that the firmware emitted by a call of its own. So a decoder that does not
 * know a kind can step over it and still count right. Bit 6: its reference is an address, of a run-time object or of
 * code. Bit 7 only makes numbers different. 0x00 and 0xff are no kinds: the ring uses them (memory.h). */
#define KYMO_KIND_HAS_REF 0x10u
#define KYMO_KIND_HAS_WORDS 0x20u
#define KYMO_KIND_HAS_OBJECT 0x40u
#define KYMO_KIND_IS_COUNTED(kind) (((uint32_t)(kind)&0x0fu) < 12u)
/* The kinds whose reference is a context. */
#define KYMO_KIND_OF_CONTEXT(kind)                                                                 \
    ((kind) == 0x11u || (kind) == 0x16u || (kind) == 0x18u || (kind) == 0x1cu ||                   \
     ((kind) >= 0x39u && (kind) <= 0x3du))

/* The reference of an event. */
enum kymo_kind_reference {
    KYMO_REFERENCE_NONE = 0,
    KYMO_REFERENCE_SITE_ZONE, /* a site, of this kind */
    KYMO_REFERENCE_SITE_MESSAGE,
    KYMO_REFERENCE_SITE_PLOT,
    KYMO_REFERENCE_SITE_FRAME,
    KYMO_REFERENCE_SITE_POOL,
    KYMO_REFERENCE_SITE_STRING,
    KYMO_REFERENCE_SITE_FLOW,
    KYMO_REFERENCE_CONTEXT,     /* a context */
    KYMO_REFERENCE_OBJECT,      /* low word of the identity of a run-time object */
    KYMO_REFERENCE_OBJECT_LOCK, /* the same, of this class of object */
    KYMO_REFERENCE_CODE         /* low word of the address where a function begins */
};

/* The payload words of an event. Words at the end that are 0 may be left out, except those of ARGUMENTS. */
enum kymo_kind_payload {
    KYMO_CARRIES_NONE = 0,
    KYMO_CARRIES_U32,
    KYMO_CARRIES_U64,       /* low, high word */
    KYMO_CARRIES_I64,       /* low word; high word less the sign of the low one */
    KYMO_CARRIES_FLOAT,     /* IEEE 754 binary32 */
    KYMO_CARRIES_DOUBLE,    /* IEEE 754 binary64: low, high word */
    KYMO_CARRIES_COLOR,     /* 0xRRGGBB */
    KYMO_CARRIES_TEXT,      /* number of bytes, then the bytes, four a word */
    KYMO_CARRIES_ARGUMENTS, /* of a message: as "detail" of its site says */
    KYMO_CARRIES_BLOCK,     /* address, size, their high words */
    KYMO_CARRIES_ADDRESS,   /* low, high word */
    KYMO_CARRIES_LANE,      /* a lane */
    KYMO_CARRIES_LOSS,  /* events, ticks since the first, ends of zones that began on other lanes */
    KYMO_CARRIES_NAMED, /* a class (enum kymo_context_kind), then a text */
    KYMO_CARRIES_OBJECT, /* class, high word of the identity, number of its site + 1 or 0, then a text */
    KYMO_CARRIES_HIGH, /* high word of the identity or address of which the reference is the low one */
    KYMO_CARRIES_STACK,    /* frames; low words of their addresses, innermost first; high words */
    KYMO_CARRIES_CLOCK,    /* a new rate of the clock, and why */
    KYMO_CARRIES_LARGE,    /* which large thing, and its bytes */
    KYMO_CARRIES_COUNTERS, /* cycles, instructions; 0: not counted */
    KYMO_CARRIES_COUNT,    /* how often the referenced event happened */
    KYMO_CARRIES_SAMPLE, /* rate of the samples in Hz; how many were missed since the one before */
    KYMO_CARRIES_MESSAGE, /* a colour, 0xRRGGBB or 0; bit 31: a text follows, else it is the site's name */
    KYMO_CARRIES_MARK,     /* high word of the identity, number of a site + 1 */
    KYMO_CARRIES_NEW_NAME, /* high word of the identity, then a text */
    KYMO_CARRIES_WAIT,  /* enum kymo_why, ticks of the kernel above it; high word of the identity */
    KYMO_CARRIES_WAKER, /* number of the interrupt + 1, or 0 */
    KYMO_CARRIES_PRIORITY, /* priority, signed; enum kymo_priority_cause */
    KYMO_CARRIES_UNUSED,   /* bytes of the stack that were never used; its size, 0: not known */
    KYMO_CARRIES_PERIOD,   /* microseconds of a period; of its deadline, 0: the period */
    KYMO_CARRIES_LEVEL,    /* the level afterwards; high word of the identity */
    KYMO_CARRIES_FLOW      /* low, high word of the id of a flow, or of an asynchronous zone */
};

/* The role of an event on a timeline. */
enum kymo_kind_role {
    KYMO_ROLE_TIMELINE = 0, /* needed by the timeline itself: no event of the output */
    KYMO_ROLE_OPENS,        /* a zone of the current context */
    KYMO_ROLE_CLOSES,       /* the innermost one */
    KYMO_ROLE_NOTE,         /* says more of the innermost one */
    KYMO_ROLE_POINT,        /* something that happened */
    KYMO_ROLE_SAMPLE,       /* a value of the series that is its site */
    KYMO_ROLE_STATE,        /* of the object that is its reference: holds until the next one */
    /* Actions of a context on an object that it may hold: alone, or shared with others. */
    KYMO_ROLE_WAITS,
    KYMO_ROLE_TAKES,
    KYMO_ROLE_GIVES,
    KYMO_ROLE_WAITS_SHARED,
    KYMO_ROLE_TAKES_SHARED,
    KYMO_ROLE_GIVES_SHARED,
    KYMO_ROLE_PREFIX, /* belongs to the next event */
    KYMO_ROLE_TASK /* a kernel's action on a task, or on an object of waiting tasks: no event of the output by itself */
};

/* X(name, number, reference, payload, role, "word for people"). */
#define KYMO_KINDS(X)                                                                              \
    X(ZONE_END, 0x01, NONE, NONE, CLOSES, "zone end")                                              \
    X(ZONE_BEGIN, 0x10, SITE_ZONE, NONE, OPENS, "zone begin")                                      \
    X(CONTEXT, 0x11, CONTEXT, NONE, TIMELINE, "context")                                           \
    X(FRAME, 0x13, SITE_FRAME, NONE, POINT, "frame")                                               \
    X(FRAME_START, 0x14, SITE_FRAME, NONE, POINT, "frame start")                                   \
    X(FRAME_END, 0x15, SITE_FRAME, NONE, POINT, "frame end")                                       \
    X(CONTEXT_END, 0x16, CONTEXT, NONE, TIMELINE, "context end")                                   \
    X(MEMORY_DISCARD, 0x17, SITE_POOL, NONE, POINT, "memory discard")                              \
    X(TASK_SUSPENDED, 0x18, CONTEXT, NONE, TASK, "task suspended")                                 \
    X(CONTEXT_NOW, 0x1c, CONTEXT, NONE, TIMELINE, "context now")                                   \
    X(ZONE_TEXT, 0x21, NONE, TEXT, NOTE, "zone text")                                              \
    X(ZONE_NAME, 0x22, NONE, TEXT, NOTE, "zone name")                                              \
    X(ZONE_VALUE, 0x23, NONE, U64, NOTE, "zone value")                                             \
    X(ZONE_COLOR, 0x24, NONE, COLOR, NOTE, "zone color")                                           \
    X(APP_INFO, 0x25, NONE, TEXT, POINT, "app info")                                               \
    X(ZONE_END_ON, 0x26, NONE, LANE, CLOSES, "zone end")                                           \
    X(LARGE, 0x27, NONE, LARGE, POINT, "large")                                                    \
    X(SAMPLE, 0x28, NONE, SAMPLE, POINT, "sample")                                                 \
    X(ZONE_COUNTERS, 0x29, NONE, COUNTERS, NOTE, "zone counters")                                  \
    X(LOSS, 0x2c, NONE, LOSS, TIMELINE, "loss")                                                    \
    X(CLOCK, 0x2d, NONE, CLOCK, TIMELINE, "clock")                                                 \
    X(CALLSTACK, 0x2e, NONE, STACK, PREFIX, "call stack")                                          \
    X(PLOT_INT, 0x30, SITE_PLOT, I64, SAMPLE, "plot")                                              \
    X(PLOT_FLOAT, 0x31, SITE_PLOT, FLOAT, SAMPLE, "plot")                                          \
    X(PLOT_DOUBLE, 0x32, SITE_PLOT, DOUBLE, SAMPLE, "plot")                                        \
    X(MESSAGE, 0x33, SITE_MESSAGE, ARGUMENTS, POINT, "message")                                    \
    X(ALLOC, 0x34, SITE_POOL, BLOCK, POINT, "alloc")                                               \
    X(FREE, 0x35, SITE_POOL, ADDRESS, POINT, "free")                                               \
    X(MESSAGE_TEXT, 0x36, SITE_MESSAGE, MESSAGE, POINT, "message text")                            \
    X(PLOT_CONFIG, 0x37, SITE_PLOT, U64, POINT, "plot config")                                     \
    X(ZONE_COUNT, 0x38, SITE_STRING, COUNT, NOTE, "zone count")                                    \
    X(TASK_READY, 0x39, CONTEXT, WAKER, TASK, "task ready")                                        \
    X(TASK_PRIORITY, 0x3a, CONTEXT, PRIORITY, TASK, "task priority")                               \
    X(TASK_STACK, 0x3b, CONTEXT, UNUSED, TASK, "task stack")                                       \
    X(CONTEXT_NAME, 0x3c, CONTEXT, NAMED, TIMELINE, "context name")                                \
    X(TASK_PERIOD, 0x3d, CONTEXT, PERIOD, TASK, "task period")                                     \
    X(OBJECT_END, 0x70, OBJECT, HIGH, TIMELINE, "object end")                                      \
    X(LOCK_WAIT, 0x71, OBJECT_LOCK, HIGH, WAITS, "lock wait")                                      \
    X(LOCK_OBTAIN, 0x72, OBJECT_LOCK, HIGH, TAKES, "lock obtain")                                  \
    X(LOCK_RELEASE, 0x73, OBJECT_LOCK, HIGH, GIVES, "lock release")                                \
    X(LOCK_WAIT_SHARED, 0x74, OBJECT_LOCK, HIGH, WAITS_SHARED, "shared lock wait")                 \
    X(LOCK_OBTAIN_SHARED, 0x75, OBJECT_LOCK, HIGH, TAKES_SHARED, "shared lock obtain")             \
    X(LOCK_RELEASE_SHARED, 0x76, OBJECT_LOCK, HIGH, GIVES_SHARED, "shared lock release")           \
    X(FUNCTION_BEGIN, 0x77, CODE, HIGH, OPENS, "function begin")                                   \
    X(FUNCTION_END, 0x78, CODE, HIGH, CLOSES, "function end")                                      \
    X(FUNCTION_LEFT, 0x79, CODE, HIGH, CLOSES, "function left")                                    \
    X(LOCK_MARK, 0x7a, OBJECT_LOCK, MARK, STATE, "lock mark")                                      \
    X(OBJECT_NAME, 0x7b, OBJECT, NEW_NAME, TIMELINE, "object name")                                \
    X(OBJECT, 0x7c, OBJECT, OBJECT, TIMELINE, "object")                                            \
    X(TASK_WAITS, 0xf0, OBJECT, WAIT, TASK, "task waits")                                          \
    X(OBJECT_PUT, 0xf1, OBJECT, LEVEL, TASK, "object put")                                         \
    X(OBJECT_GET, 0xf2, OBJECT, LEVEL, TASK, "object get")                                         \
    X(FLOW_SEND, 0xb0, SITE_FLOW, FLOW, POINT, "flow send")                                        \
    X(FLOW_STEP, 0xb1, SITE_FLOW, FLOW, POINT, "flow step")                                        \
    X(FLOW_RECEIVE, 0xb2, SITE_FLOW, FLOW, POINT, "flow receive")                                  \
    X(ASYNC_BEGIN, 0xb3, SITE_FLOW, FLOW, POINT, "async begin")                                    \
    X(ASYNC_END, 0xb4, SITE_FLOW, FLOW, POINT, "async end")

enum kymo_event_kind {
#define KYMO_KIND_ENUM(name, number, reference, payload, role, word) KYMO_KIND_##name = (number),
    KYMO_KINDS(KYMO_KIND_ENUM)
#undef KYMO_KIND_ENUM
};

/* For each row: its number agrees with its columns. */
#ifdef __cplusplus
#define KYMO_KIND_ASSERT static_assert
#else
#define KYMO_KIND_ASSERT _Static_assert
#endif
#define KYMO_KIND_CHECK(name, number, reference, payload, role, word)                              \
    KYMO_KIND_ASSERT((number) > 0x00 && (number) < 0xff, #name ": no number of a kind");           \
    KYMO_KIND_ASSERT((((number)&0x10) != 0) == (KYMO_REFERENCE_##reference != 0),                  \
                     #name ": bit 4 says whether it has a reference");                             \
    KYMO_KIND_ASSERT((((number)&0x20) != 0) == (KYMO_CARRIES_##payload != 0),                      \
                     #name ": bit 5 says whether it has payload words");                           \
    KYMO_KIND_ASSERT((((number)&0x40) != 0) ==                                                     \
                         (KYMO_REFERENCE_##reference >= KYMO_REFERENCE_OBJECT),                    \
                     #name ": bit 6 says whether that is an address");                             \
    KYMO_KIND_ASSERT(KYMO_KIND_OF_CONTEXT(number) ==                                               \
                         (KYMO_REFERENCE_##reference == KYMO_REFERENCE_CONTEXT),                   \
                     #name ": KYMO_KIND_OF_CONTEXT knows those that refer to a context");          \
    KYMO_KIND_ASSERT(KYMO_ROLE_##role != KYMO_ROLE_SAMPLE ||                                       \
                         (KYMO_REFERENCE_##reference == KYMO_REFERENCE_SITE_PLOT &&                \
                          KYMO_CARRIES_##payload >= KYMO_CARRIES_I64 &&                            \
                          KYMO_CARRIES_##payload <= KYMO_CARRIES_DOUBLE),                          \
                     #name ": a sample is a number of a series");                                  \
    KYMO_KIND_ASSERT(                                                                              \
        KYMO_ROLE_##role<KYMO_ROLE_STATE || KYMO_ROLE_##role> KYMO_ROLE_GIVES_SHARED ||            \
            KYMO_REFERENCE_##reference >= KYMO_REFERENCE_OBJECT,                                   \
        #name ": it is an object that has a state");                                               \
    KYMO_KIND_ASSERT(KYMO_ROLE_##role >= 0 && sizeof(word) > 1, #name ": a role and a word");
KYMO_KINDS(KYMO_KIND_CHECK)
#undef KYMO_KIND_CHECK
#undef KYMO_KIND_ASSERT

#endif
