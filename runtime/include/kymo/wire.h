/* SPDX-License-Identifier: MIT */
/* The numbers of WIRE.md, and nothing else: shared by the runtime and by hostlink. */
#ifndef KYMO_WIRE_H
#define KYMO_WIRE_H

#include <stdint.h>

#include "kymo/kinds.h"

#define KYMO_WIRE_VERSION 4u

/* First byte of a packet: version in bits 7..5, type in bits 4..0. */
#define KYMO_WIRE_VERSION_SHIFT 5
#define KYMO_WIRE_TYPE_MASK 0x1fu

/* Packet types. 1..15 come from the board, 16..23 go to it, 24..31 are written by a recorder. */
enum kymo_packet_type {
    KYMO_PACKET_SESSION = 1,
    KYMO_PACKET_SITES = 2,
    KYMO_PACKET_EVENTS = 3,
    KYMO_PACKET_STATUS = 4,
    KYMO_PACKET_PONG = 5,
    KYMO_PACKET_TEXT = 6,
    KYMO_PACKET_PARAM = 7,
    KYMO_PACKET_GUARD = 8,
    KYMO_PACKET_INFO = 9,
    KYMO_PACKET_LARGE = 10,
    KYMO_PACKET_DEVICE = 11,

    KYMO_PACKET_HELLO = 16,
    KYMO_PACKET_GET_NAMES = 17,
    KYMO_PACKET_START = 18,
    KYMO_PACKET_STOP = 19,
    KYMO_PACKET_SET_PARAM = 20,
    KYMO_PACKET_PING = 21,
    KYMO_PACKET_SIGNED = 22,

    KYMO_PACKET_HOST_CLOCK = 24,
    KYMO_PACKET_SYMBOLS = 25,
    KYMO_PACKET_BOARD = 26,
};

/* The model of the events' bytes (WIRE.md, "The bytes"). A packet's head says how many slots it has, by a number from 0
 * to 3; more slots go with more pairs of events in a row, and with more payload words. */
#define KYMO_MODEL_SLOTS_MAX 62u
#define KYMO_MODEL_SLOTS(size) ((size) < 3u ? 8u << (size) : KYMO_MODEL_SLOTS_MAX)
#define KYMO_MODEL_PAIRS(slots) ((slots) < 32u ? 4u * (slots) : 128u)
#define KYMO_MODEL_VALUES(slots) ((slots) < 32u ? (slots) : 32u)
/* Where word j of the payload of slot s lies: the first words of slots defined one after the other lie apart. */
#define KYMO_MODEL_VALUE(values, s, j) (((s) + 5u * (j)) & ((values)-1u))
/* Slots in a row that are spared when one must be replaced. */
#define KYMO_MODEL_SPARED 4u
/* The pair of an event of slot "b" and the one before, by the pair of that: "b", and two bits of the slot before. */
#define KYMO_MODEL_PAIR(pairs, pair, b) (((pairs) / 4u * (pair) + (b)) & ((pairs)-1u))
/* Bits of the ticks between two events that a pair has. */
#define KYMO_MODEL_TICKS_BITS 25u
#define KYMO_MODEL_TICKS(ticks) ((ticks) & ((1u << KYMO_MODEL_TICKS_BITS) - 1u))
/* In a new slot: the reference of a context that is no site, by its change from the last one. Both are odd, so that is
 * a multiple of 4, or one less. A site's reference is even, and travels as it is. */
#define KYMO_NUMBER_OF_TASK(change) ((change) | 1u)
#define KYMO_CHANGE_OF_TASK(number) ((number) & ((number) >> 1 | ~1u))
/* Call stacks: the most frames of one; the model's addresses; and which of these is expected inside "caller". */
#define KYMO_STACK_FRAMES_MAX 62u
/* In place of a frame: the next one is the value of the link register or of the top of the stack where the code of the
 * frame before was interrupted. It is a frame only if that code had none of its own there. */
#define KYMO_STACK_HELD 1u
#define KYMO_MODEL_CALLS 64u
static inline uint32_t kymo_model_call(uint32_t caller) {
    return ((caller & 0xffffu) * 0x9e35u >> 5) & (KYMO_MODEL_CALLS - 1u);
}
/* A number: by its first byte it is one, two, three or five bytes. */
#define KYMO_NUMBER_TWO 0xa0u
#define KYMO_NUMBER_THREE 0xb8u
#define KYMO_NUMBER_FIVE 0xbfu
/* The least numbers that take two and three bytes, and the least that takes five. */
#define KYMO_NUMBER_LEAST_TWO KYMO_NUMBER_TWO
#define KYMO_NUMBER_LEAST_THREE                                                                    \
    (KYMO_NUMBER_LEAST_TWO + ((KYMO_NUMBER_THREE - KYMO_NUMBER_TWO) << 8))
#define KYMO_NUMBER_LEAST_FIVE                                                                     \
    (KYMO_NUMBER_LEAST_THREE + ((KYMO_NUMBER_FIVE - KYMO_NUMBER_THREE) << 16))
/* Bytes that are no number. Before an event: the slot that it is of, or a new one, of ZONE_BEGIN or of any kind. */
#define KYMO_CODE_SLOT 0xc0u
#define KYMO_CODE_NEW_BEGIN 0xfeu
#define KYMO_CODE_NEW 0xffu
/* Before a payload word: it and all words after it are sent unencoded. */
#define KYMO_CODE_WORDS 0xc0u
/* Before a frame: its high word; or one frame that is expected, or more of them. */
#define KYMO_CODE_HIGH 0xc0u
#define KYMO_CODE_FRAMES 0xc1u

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
    KYMO_SITE_FLOW = 8, /* of a flow, or of an asynchronous zone */
};

/* Kinds of context: "detail" of a context site, and first word of CONTEXT_NAME. */
enum kymo_context_kind {
    KYMO_CONTEXT_MAIN = 0,
    KYMO_CONTEXT_INTERRUPT = 1,
    KYMO_CONTEXT_TASK = 2,
    KYMO_CONTEXT_FIBER = 3,
    KYMO_CONTEXT_IDLE = 4, /* a task that runs when no other can */
};

/* Classes of run-time objects: first payload word of OBJECT. */
enum kymo_object_class {
    KYMO_OBJECT_LOCK = 0,
    KYMO_OBJECT_QUEUE = 1,
    KYMO_OBJECT_TASK = 2,
    KYMO_OBJECT_TIMER = 3,
    KYMO_OBJECT_SEMAPHORE = 4,
    KYMO_OBJECT_FLAGS = 5, /* event flags */
    KYMO_OBJECT_STREAM = 6,
    KYMO_OBJECT_POOL = 7,
    KYMO_OBJECT_CONDITION = 8,
};

/* Why a task waits: bits 7..0 of the first payload word of TASK_WAITS. Bits 31..8: ticks of the kernel until the wait
 * ends at the latest, 0: no limit, or not known; KYMO_WHY_TICKS_MAX: so many or more. */
enum kymo_why {
    KYMO_WHY_UNKNOWN = 0,
    KYMO_WHY_DELAY = 1,
    KYMO_WHY_EMPTY = 2, /* nothing to receive */
    KYMO_WHY_FULL = 3,  /* no room to send */
    KYMO_WHY_SEMAPHORE = 4,
    KYMO_WHY_LOCK = 5,
    KYMO_WHY_NOTIFICATION = 6,
    KYMO_WHY_FLAGS = 7,
    KYMO_WHY_SUSPENDED = 8,
    KYMO_WHY_JOIN = 9,
    KYMO_WHY_MEMORY = 10,
    KYMO_WHY_IO = 11,
    KYMO_WHY_CONDITION = 12,
    KYMO_WHY_OVER = 13 /* it has ended */
};
#define KYMO_WHY_TICKS_SHIFT 8u
#define KYMO_WHY_TICKS_MAX 0xffffffu

/* Why a priority changed: second payload word of TASK_PRIORITY. */
enum kymo_priority_cause {
    KYMO_PRIORITY_SET = 0,       /* the task's own one */
    KYMO_PRIORITY_INHERITED = 1, /* from a task that waits for an object of this one */
    KYMO_PRIORITY_GIVEN_BACK = 2
};

/* First payload word of TASK_READY: the number of the interrupt + 1. */
#define KYMO_WAKER_RUNS 0u               /* the lane's context made it ready */
#define KYMO_WAKER_INTERRUPT 0xffffffffu /* an interrupt of unknown number */

/* Argument classes of a message, 4 bits each in "detail" of its site, the first argument lowest.
 * 0 ends the list, so a message has at most 8 arguments. */
enum kymo_arg_class {
    KYMO_ARG_NONE = 0,
    KYMO_ARG_I32 = 1,     /* one word, signed */
    KYMO_ARG_U32 = 2,     /* one word, unsigned */
    KYMO_ARG_I64 = 3,     /* low, high word */
    KYMO_ARG_U64 = 4,     /* low, high word */
    KYMO_ARG_DOUBLE = 5,  /* low, high word of the IEEE 754 binary64 */
    KYMO_ARG_STRING = 6,  /* byte count, then the bytes, four a word, low byte first */
    KYMO_ARG_SITE = 7,    /* index of a site, for its name: a KYMO_SITE_STRING, or any */
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
    KYMO_LEVEL_FATAL = 5,
    KYMO_LEVEL_CRASH =
        6 /* the program ends here: viewers show it by itself, and leave open zones open */
};

/* Flags of a STATUS packet. */
#define KYMO_STATUS_STOPPED 1u /* recording is stopped by a command or by kymo_stop() */
#define KYMO_STATUS_FINAL 2u   /* the firmware called kymo_finish(): nothing follows */
#define KYMO_STATUS_UNKNOWN_LANE                                                                   \
    4u /* a core has recorded that has no lane: how much is at the packet's end */
#define KYMO_STATUS_USAGE 8u    /* the runtime was called wrongly: how, after that */
#define KYMO_STATUS_WAITING 16u /* the last look found events that were not sent yet */

/* Ways to call the runtime wrongly, as a STATUS packet reports them: a bit each. */
enum kymo_usage {
    KYMO_USAGE_UNPROMISED =
        0,                  /* a zone ended, or an interrupt left, more often than it was entered */
    KYMO_USAGE_NO_SITE = 1, /* a zone without a site */
    KYMO_USAGE_CONTEXT = 2, /* a context that is not 8-aligned */
    KYMO_USAGE_CROSSED =
        3, /* zones of one context that do not nest, or end in another (KYMO_CHECK) */
    KYMO_USAGE_SILENCE = 4, /* a clock of 32 bits was not looked at for half a wrap less 1 % */
    KYMO_USAGE_CONTEXTS =
        5, /* a context was over whose open zones were not counted (KYMO_CONTEXTS) */
    KYMO_USAGE_INTERRUPT = 6,  /* interrupts that are not left, or not in the reverse order */
    KYMO_USAGE_OPEN = 7,       /* more zones are open than KYMO_CHECK follows */
    KYMO_USAGE_DRAIN_CORE = 8, /* drained by a core that does not record */
    KYMO_USAGE_DATA = 9,       /* an initialised variable did not hold its value in kymo_init() */
    KYMO_USAGE_SITES = 10 /* the image's sites were not in memory in kymo_init(): names are empty */
};

/* A LARGE packet: flags, and types of content. */
#define KYMO_LARGE_FIRST 1u     /* type and name are there */
#define KYMO_LARGE_CANCELLED 2u /* nothing more follows */
#define KYMO_LARGE_BYTES_MAX 0x1000000u
#define KYMO_LARGE_NAME_BYTES 40u
enum kymo_large_type {
    KYMO_LARGE_FILE = 0,  /* any bytes */
    KYMO_LARGE_IMAGE = 1, /* a picture, in a format of its own, such as PNG */
    KYMO_LARGE_CRASH = 2, /* data of a crash: registers, a stack, a memory dump */
    KYMO_LARGE_TEXT = 3   /* UTF-8 */
};

/* Flags of a DEVICE packet. */
#define KYMO_DEVICE_DESCRIBED 1u /* its description */
#define KYMO_DEVICE_PAIR 2u      /* a pair of clocks */
#define KYMO_DEVICE_NAMED 4u     /* names of sites, no records */
#define KYMO_DEVICE_STARTED 8u   /* its writer has started since the packet before */
#define KYMO_DEVICE_DAMAGED 16u  /* impossible values: nothing is sent until it starts again */

/* Entries of an INFO packet (WIRE.md, section 6): X(name, number). */
#define KYMO_INFO_TABLE(X)                                                                         \
    X(RUNTIME, 1)                                                                                  \
    X(ARCH, 2)                                                                                     \
    X(RING_BYTES, 3)                                                                               \
    X(PACKET_BYTES, 4)                                                                             \
    X(PAYLOAD_WORDS, 5)                                                                            \
    X(DRAIN, 6)                                                                                    \
    X(LATENCY_MS, 7)                                                                               \
    X(CHECK, 8)                                                                                    \
    X(CONTEXTS, 9)                                                                                 \
    X(KEEPS_NEWEST, 10)                                                                            \
    X(DYNAMIC_SITES, 11)                                                                           \
    X(LARGE, 12)                                                                                   \
    X(RING_MOST, 13)                                                                               \
    X(CLOCK, 14)                                                                                   \
    X(LOADED, 15)                                                                                  \
    X(KERNEL, 16)                                                                                  \
    X(CORE_CLOCK, 17)

enum kymo_info {
#define KYMO_INFO_ENUM(name, number) KYMO_INFO_##name = (number),
    KYMO_INFO_TABLE(KYMO_INFO_ENUM)
#undef KYMO_INFO_ENUM
};

/* First byte of KYMO_INFO_KERNEL. */
#define KYMO_KERNEL_GREATER_FIRST 1u /* a greater number of a priority is more urgent */

/* A GUARD packet. */
#define KYMO_CHALLENGE_BYTES 8u

/* Flags of a SESSION packet. */
#define KYMO_SESSION_COMMANDS 1u     /* the board obeys commands, over a network signed ones */
#define KYMO_SESSION_PAST 4u         /* a run before the last reset: its clock is not that of now */
#define KYMO_SESSION_CLOCK_STANDS 2u /* its clock stood still when recording was to start */
#define KYMO_SESSION_NAMES_IN_ELF                                                                  \
    8u /* no SITES packets come; the last bytes are the image's identity */
#define KYMO_IDENTITY_BYTES 4u

/* Longest packet before stuffing, its CRC included. */
#define KYMO_WIRE_PACKET_BYTES 4096u
/* Longest string of a site that is sent: any three of them fit a packet with all that goes beside them. */
#define KYMO_SITE_STRING_BYTES 1352u
/* Flags of an entry of a SITES packet. */
#define KYMO_SITE_HAS_NAME 1u
#define KYMO_SITE_SAME_FUNCTION 2u /* as in the entry before */
#define KYMO_SITE_SAME_FILE 4u
#define KYMO_SITE_CUT_SHIFT 3u /* from here a bit each for name, function and file: it was longer */

#endif
