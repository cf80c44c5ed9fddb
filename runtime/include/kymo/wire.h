/* The numbers of WIRE.md, and nothing else: shared by the runtime and by hostlink. */
#ifndef KYMO_WIRE_H
#define KYMO_WIRE_H

#include <stdint.h>

#define KYMO_WIRE_VERSION 3u

/* First byte of a frame: version in bits 7..5, type in bits 4..0. */
#define KYMO_WIRE_VERSION_SHIFT 5
#define KYMO_WIRE_TYPE_MASK 0x1fu

/* Frame types. 1..15 come from the board, 16..23 go to it, 24..31 are written by a recorder. */
enum kymo_frame_type {
    KYMO_FRAME_SESSION = 1,
    KYMO_FRAME_SITES = 2,
    KYMO_FRAME_EVENTS = 3,
    KYMO_FRAME_STATUS = 4,
    KYMO_FRAME_PONG = 5,
    KYMO_FRAME_TEXT = 6,
    KYMO_FRAME_PARAM = 7,
    KYMO_FRAME_GUARD = 8,

    KYMO_FRAME_HELLO = 16,
    KYMO_FRAME_GET_NAMES = 17,
    KYMO_FRAME_START = 18,
    KYMO_FRAME_STOP = 19,
    KYMO_FRAME_SET_PARAM = 20,
    KYMO_FRAME_PING = 21,
    KYMO_FRAME_SIGNED = 22,

    KYMO_FRAME_HOST_CLOCK = 24,
};

/* Event kinds, 8 bits. Bit 4: the event carries a reference. Bit 5: it carries payload words. Bits 6 and 7
 * are 0. Bits 3..0 of 12 and above: it is not counted, being none that the firmware emitted by a call of
 * its own. So a decoder that does not know a kind can step over it and still count right. */
#define KYMO_KIND_HAS_REF 0x10u
#define KYMO_KIND_HAS_WORDS 0x20u
#define KYMO_KIND_IS_COUNTED(kind) (((uint32_t)(kind) & 0x0fu) < 12u)

/* One table of event kinds: X(name, number, meaning). */
#define KYMO_KIND_TABLE(X)                                                                         \
    X(ZONE_END, 0x01, "the innermost zone of the current context ends")                            \
    X(ZONE_BEGIN, 0x10, "a zone begins; reference: site")                                          \
    X(CONTEXT, 0x11, "the lane now runs another context; reference: context")                      \
    X(FRAME, 0x13, "frame mark; reference: site")                                                  \
    X(FRAME_START, 0x14, "discontinuous frame starts; reference: site")                            \
    X(FRAME_END, 0x15, "discontinuous frame ends; reference: site")                                \
    X(CONTEXT_END, 0x16, "the context is over, with its open zones; reference: context")           \
    X(CONTEXT_NOW, 0x1c, "the lane runs this context; the switch itself was lost")                 \
    X(ZONE_TEXT, 0x21, "text of the innermost zone: string")                                       \
    X(ZONE_NAME, 0x22, "name of the innermost zone: string")                                       \
    X(ZONE_VALUE, 0x23, "value of the innermost zone: low, high word")                             \
    X(ZONE_COLOR, 0x24, "colour of the innermost zone: 0xRRGGBB")                                  \
    X(ZONE_END_ON, 0x26,                                                                           \
      "this context's innermost zone ends, which it began on another lane: lane")                  \
    X(APP_INFO, 0x25, "application information: string")                                           \
    X(LOSS, 0x2c, "refused events: count, ticks since the first, ends on other lanes")             \
    X(PLOT_INT, 0x30, "plot value, signed: low, high word; reference: site")                       \
    X(PLOT_FLOAT, 0x31, "plot value, IEEE 754 binary32; reference: site")                          \
    X(PLOT_DOUBLE, 0x32, "plot value, IEEE 754 binary64: low, high word; reference: site")         \
    X(MESSAGE, 0x33, "message: argument words; reference: site")                                   \
    X(ALLOC, 0x34, "memory: address, size, their high words; reference: site of the pool")         \
    X(FREE, 0x35, "memory: address, high word; reference: site of the pool")                       \
    X(CONTEXT_NAME, 0x3c, "name of a context: kind, string; reference: context")

enum kymo_event_kind {
#define KYMO_KIND_ENUM(name, number, meaning) KYMO_KIND_##name = (number),
    KYMO_KIND_TABLE(KYMO_KIND_ENUM)
#undef KYMO_KIND_ENUM
};

/* The model of the events' bits. A frame's head says how many slots it has; more slots go with more pairs of events
 * in a row, and with more payload words. */
#define KYMO_MODEL_SLOTS_MAX 64u
#define KYMO_MODEL_PAIRS(slots) ((slots) == 8u ? 32u : 64u)
#define KYMO_MODEL_VALUES(slots) ((slots) == 8u ? 8u : 16u)
/* The class of a number that is too large for its scale: its own length follows. */
#define KYMO_CLASS_LONG 6u

/* Kinds of site, in the kind byte of a SITES entry. */
enum kymo_site_kind {
    KYMO_SITE_ZONE = 0,
    KYMO_SITE_MESSAGE = 1,
    KYMO_SITE_PLOT = 2,
    KYMO_SITE_FRAME = 3,
    KYMO_SITE_POOL = 4,
    KYMO_SITE_CONTEXT = 5,
    KYMO_SITE_PARAM = 6,
    KYMO_SITE_STRING = 7,
};

/* Kinds of context: "detail" of a context site, and first word of CONTEXT_NAME. */
enum kymo_context_kind {
    KYMO_CONTEXT_MAIN = 0,
    KYMO_CONTEXT_INTERRUPT = 1,
    KYMO_CONTEXT_TASK = 2,
    KYMO_CONTEXT_FIBER = 3,
};

/* Argument classes of a message, 4 bits each in "detail" of its site, the first argument lowest.
 * 0 ends the list, so a message has at most 8 arguments. */
enum kymo_arg_class {
    KYMO_ARG_NONE = 0,
    KYMO_ARG_I32 = 1,    /* one word, signed */
    KYMO_ARG_U32 = 2,    /* one word, unsigned */
    KYMO_ARG_I64 = 3,    /* low, high word */
    KYMO_ARG_U64 = 4,    /* low, high word */
    KYMO_ARG_DOUBLE = 5, /* low, high word of the IEEE 754 binary64 */
    KYMO_ARG_STRING = 6, /* byte count, then the bytes, four a word, low byte first */
    KYMO_ARG_SITE = 7,   /* index of a site, for its name: a KYMO_SITE_STRING, or any */
    KYMO_ARG_ADDRESS = 8, /* low, high word */
    KYMO_ARG_FLOAT = 9    /* one word of the IEEE 754 binary32 */
};

/* "detail" of a plot site: bits 1..0 format (0 number, 1 bytes, 2 percent), bit 2 step, bit 3
 * fill, bit 4 integers are unsigned. */
#define KYMO_PLOT_NUMBER 0u
#define KYMO_PLOT_BYTES 1u
#define KYMO_PLOT_PERCENT 2u
#define KYMO_PLOT_STEP 4u
#define KYMO_PLOT_FILL 8u
#define KYMO_PLOT_UNSIGNED 16u

/* Level of a message: the level byte of its site. */
enum kymo_level {
    KYMO_LEVEL_TRACE = 0,
    KYMO_LEVEL_DEBUG = 1,
    KYMO_LEVEL_INFO = 2,
    KYMO_LEVEL_WARNING = 3,
    KYMO_LEVEL_ERROR = 4,
    KYMO_LEVEL_FATAL = 5
};

/* Flags of a STATUS frame. */
#define KYMO_STATUS_STOPPED 1u /* recording is stopped by a command or by kymo_stop() */
#define KYMO_STATUS_FINAL 2u   /* the firmware called kymo_finish(): nothing follows */
#define KYMO_STATUS_UNKNOWN_LANE 4u  /* a core has recorded that has no lane: how much is at the frame's end */
#define KYMO_STATUS_USAGE 8u   /* the runtime was called wrongly: behind that */

/* Ways to call the runtime wrongly, as a STATUS frame reports them: a bit each. */
enum kymo_usage {
    KYMO_USAGE_UNPROMISED =
        0, /* a zone ended, or an interrupt left, more often than it was entered */
    KYMO_USAGE_NO_SITE = 1, /* a zone without a site */
    KYMO_USAGE_CONTEXT = 2, /* a context that is not 8-aligned */
    KYMO_USAGE_CROSSED = 3, /* zones of one context that do not nest, or end in another (KYMO_CHECK) */
    KYMO_USAGE_SILENCE = 4,    /* nobody looked at a clock of 32 bits for half a wrap or more */
    KYMO_USAGE_CONTEXTS = 5,  /* a context was over whose open zones were not counted (KYMO_CONTEXTS) */
    KYMO_USAGE_INTERRUPT = 6, /* interrupts that are not left in the reverse order (KYMO_CHECK) */
    KYMO_USAGE_OPEN = 7,       /* more zones are open than KYMO_CHECK follows */
    KYMO_USAGE_DRAIN_CORE = 8  /* drained by a core that does not record (KYMO_LANE_CHECK) */
};

/* Of a GUARD frame. */
#define KYMO_CHALLENGE_BYTES 8u

/* Flags of a SESSION frame. */
#define KYMO_SESSION_COMMANDS 1u /* the board obeys commands, over a network signed ones */
#define KYMO_SESSION_PAST 4u         /* a run before the last reset: its clock is not that of now */
#define KYMO_SESSION_CLOCK_STANDS 2u /* its clock stood still when recording was to start */
#define KYMO_SESSION_NAMES_IN_ELF 8u /* no SITES frames come; the last bytes are the image's identity */
#define KYMO_IDENTITY_BYTES 4u

#endif
