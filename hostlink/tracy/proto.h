/* SPDX-License-Identifier: MIT */
/* The differences between the released wire protocols of Tracy, 0.9 to 0.14, and nothing else.
 *
 * Tracy has no written protocol. The facts come from public/common/TracyProtocol.hpp and
 * TracyQueue.hpp of the tags v0.9.1, v0.10, v0.11.0, v0.11.1, v0.12.2, v0.13.1 and v0.14.0. */
#ifndef HOSTLINK_TRACY_PROTO_H
#define HOSTLINK_TRACY_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Items, in the order of Tracy's enumeration: X(name, since, size, changed, new size). since:
 * first protocol that has it, 0 = all. size: payload bytes after the type byte; from protocol
 * "changed" on (0 = never) it is "new size". An item's number is its place among those that
 * exist, so one list gives the numbers of every protocol. The strings from STRING_DATA on carry
 * more bytes, see tracy_item_is_transfer(). */
/* clang-format off */
#define TRACY_ITEM_TABLE(X)                                                                        \
    X(ZONE_TEXT, 0, 0, 0, 0)                                                                       \
    X(ZONE_NAME, 0, 0, 0, 0)                                                                       \
    X(MESSAGE, 0, 8, 82, 9)                                                                        \
    X(MESSAGE_COLOR, 0, 11, 82, 12)                                                                \
    X(MESSAGE_CALLSTACK, 0, 8, 82, 9)                                                              \
    X(MESSAGE_COLOR_CALLSTACK, 0, 11, 82, 12)                                                      \
    X(MESSAGE_APP_INFO, 0, 8, 0, 8)                                                                \
    X(ZONE_BEGIN_ALLOC_SRC_LOC, 0, 8, 0, 8)                                                        \
    X(ZONE_BEGIN_ALLOC_SRC_LOC_CALLSTACK, 0, 8, 0, 8)                                              \
    X(CALLSTACK_SERIAL, 0, 0, 0, 0)                                                                \
    X(CALLSTACK, 0, 0, 0, 0)                                                                       \
    X(CALLSTACK_ALLOC, 0, 0, 0, 0)                                                                 \
    X(CALLSTACK_SAMPLE, 0, 12, 0, 12)                                                              \
    X(CALLSTACK_SAMPLE32, 82, 8, 0, 8)                                                             \
    X(CALLSTACK_SAMPLE16, 82, 6, 0, 6)                                                             \
    X(CALLSTACK_SAMPLE_CONTEXT_SWITCH, 0, 12, 0, 12)                                               \
    X(CALLSTACK_SAMPLE_CONTEXT_SWITCH32, 82, 8, 0, 8)                                              \
    X(CALLSTACK_SAMPLE_CONTEXT_SWITCH16, 82, 6, 0, 6)                                              \
    X(FRAME_IMAGE, 0, 9, 0, 9)                                                                     \
    X(ZONE_BEGIN, 0, 16, 0, 16)                                                                    \
    X(ZONE_BEGIN32, 82, 12, 0, 12)                                                                 \
    X(ZONE_BEGIN16, 82, 10, 0, 10)                                                                 \
    X(ZONE_BEGIN_CALLSTACK, 0, 16, 0, 16)                                                          \
    X(ZONE_BEGIN_CALLSTACK32, 82, 12, 0, 12)                                                       \
    X(ZONE_BEGIN_CALLSTACK16, 82, 10, 0, 10)                                                       \
    X(ZONE_END, 0, 8, 0, 8)                                                                        \
    X(ZONE_END32, 82, 4, 0, 4)                                                                     \
    X(ZONE_END16, 82, 2, 0, 2)                                                                     \
    X(LOCK_WAIT, 0, 16, 0, 16)                                                                     \
    X(LOCK_OBTAIN, 0, 16, 0, 16)                                                                   \
    X(LOCK_RELEASE, 0, 12, 0, 12)                                                                  \
    X(LOCK_SHARED_WAIT, 0, 16, 0, 16)                                                              \
    X(LOCK_SHARED_OBTAIN, 0, 16, 0, 16)                                                            \
    X(LOCK_SHARED_RELEASE, 0, 16, 0, 16)                                                           \
    X(LOCK_NAME, 0, 4, 0, 4)                                                                       \
    X(MEM_ALLOC, 0, 26, 0, 26)                                                                     \
    X(MEM_ALLOC_NAMED, 0, 26, 0, 26)                                                               \
    X(MEM_FREE, 0, 20, 0, 20)                                                                      \
    X(MEM_FREE_NAMED, 0, 20, 0, 20)                                                                \
    X(MEM_ALLOC_CALLSTACK, 0, 26, 0, 26)                                                           \
    X(MEM_ALLOC_CALLSTACK_NAMED, 0, 26, 0, 26)                                                     \
    X(MEM_FREE_CALLSTACK, 0, 20, 0, 20)                                                            \
    X(MEM_FREE_CALLSTACK_NAMED, 0, 20, 0, 20)                                                      \
    X(MEM_DISCARD, 74, 20, 0, 20)                                                                  \
    X(MEM_DISCARD_CALLSTACK, 74, 20, 0, 20)                                                        \
    X(GPU_ZONE_BEGIN, 0, 23, 0, 23)                                                                \
    X(GPU_ZONE_BEGIN_CALLSTACK, 0, 23, 0, 23)                                                      \
    X(GPU_ZONE_BEGIN_ALLOC_SRC_LOC, 0, 15, 0, 15)                                                  \
    X(GPU_ZONE_BEGIN_ALLOC_SRC_LOC_CALLSTACK, 0, 15, 0, 15)                                        \
    X(GPU_ZONE_END, 0, 15, 0, 15)                                                                  \
    X(GPU_ZONE_BEGIN_SERIAL, 0, 23, 0, 23)                                                         \
    X(GPU_ZONE_BEGIN_CALLSTACK_SERIAL, 0, 23, 0, 23)                                               \
    X(GPU_ZONE_BEGIN_ALLOC_SRC_LOC_SERIAL, 0, 15, 0, 15)                                           \
    X(GPU_ZONE_BEGIN_ALLOC_SRC_LOC_CALLSTACK_SERIAL, 0, 15, 0, 15)                                 \
    X(GPU_ZONE_END_SERIAL, 0, 15, 0, 15)                                                           \
    X(PLOT_DATA_INT, 0, 24, 0, 24)                                                                 \
    X(PLOT_DATA_FLOAT, 0, 20, 0, 20)                                                               \
    X(PLOT_DATA_DOUBLE, 0, 24, 0, 24)                                                              \
    X(CONTEXT_SWITCH, 0, 19, 74, 22)                                                               \
    X(THREAD_WAKEUP, 0, 12, 74, 15)                                                                \
    X(GPU_TIME, 0, 11, 0, 11)                                                                      \
    X(GPU_CONTEXT_NAME, 0, 1, 0, 1)                                                                \
    X(GPU_ANNOTATION_NAME, 76, 9, 0, 9)                                                            \
    X(CALLSTACK_FRAME_SIZE, 0, 9, 0, 9)                                                            \
    X(SYMBOL_INFORMATION, 0, 12, 0, 12)                                                            \
    X(EXTERNAL_NAME_METADATA, 0, 0, 0, 0)                                                          \
    X(SYMBOL_CODE_METADATA, 0, 0, 0, 0)                                                            \
    X(SOURCE_CODE_METADATA, 0, 0, 0, 0)                                                            \
    X(FIBER_ENTER, 0, 20, 69, 24)                                                                  \
    X(FIBER_LEAVE, 0, 12, 0, 12)                                                                   \
    X(SECTION_ENTER, 82, 14, 0, 14)                                                                \
    X(SECTION_LEAVE, 82, 12, 0, 12)                                                                \
    X(SECTION_SETUP, 82, 2, 0, 2)                                                                  \
    X(TERMINATE, 0, 0, 0, 0)                                                                       \
    X(KEEP_ALIVE, 0, 0, 0, 0)                                                                      \
    X(THREAD_CONTEXT, 0, 4, 0, 4)                                                                  \
    X(GPU_CALIBRATION, 0, 25, 0, 25)                                                               \
    X(GPU_TIME_SYNC, 66, 17, 0, 17)                                                                \
    X(CRASH, 0, 0, 0, 0)                                                                           \
    X(CRASH_REPORT, 0, 16, 0, 16)                                                                  \
    X(ZONE_VALIDATION, 0, 4, 0, 4)                                                                 \
    X(ZONE_COLOR, 0, 3, 0, 3)                                                                      \
    X(ZONE_VALUE, 0, 8, 0, 8)                                                                      \
    X(FRAME_MARK_MSG, 0, 16, 0, 16)                                                                \
    X(FRAME_MARK_MSG_START, 0, 16, 0, 16)                                                          \
    X(FRAME_MARK_MSG_END, 0, 16, 0, 16)                                                            \
    X(FRAME_VSYNC, 0, 12, 0, 12)                                                                   \
    X(SOURCE_LOCATION, 0, 31, 0, 31)                                                               \
    X(LOCK_ANNOUNCE, 0, 21, 0, 21)                                                                 \
    X(LOCK_TERMINATE, 0, 12, 0, 12)                                                                \
    X(LOCK_MARK, 0, 16, 0, 16)                                                                     \
    X(MESSAGE_LITERAL, 0, 16, 0, 16)                                                               \
    X(MESSAGE_LITERAL_COLOR, 0, 19, 0, 19)                                                         \
    X(MESSAGE_LITERAL_CALLSTACK, 0, 16, 0, 16)                                                     \
    X(MESSAGE_LITERAL_COLOR_CALLSTACK, 0, 19, 0, 19)                                               \
    X(GPU_NEW_CONTEXT, 0, 27, 0, 27)                                                               \
    X(CALLSTACK_FRAME, 0, 16, 0, 16)                                                               \
    X(SYS_TIME_REPORT, 0, 12, 0, 12)                                                               \
    X(SYS_POWER_REPORT, 64, 24, 0, 24)                                                             \
    X(TID_TO_PID, 0, 16, 0, 16)                                                                    \
    X(HW_SAMPLE_CPU_CYCLE, 0, 16, 0, 16)                                                           \
    X(HW_SAMPLE_INSTRUCTION_RETIRED, 0, 16, 0, 16)                                                 \
    X(HW_SAMPLE_CACHE_REFERENCE, 0, 16, 0, 16)                                                     \
    X(HW_SAMPLE_CACHE_MISS, 0, 16, 0, 16)                                                          \
    X(HW_SAMPLE_BRANCH_RETIRED, 0, 16, 0, 16)                                                      \
    X(HW_SAMPLE_BRANCH_MISS, 0, 16, 0, 16)                                                         \
    X(PLOT_CONFIG, 0, 15, 0, 15)                                                                   \
    X(PARAM_SETUP, 0, 17, 0, 17)                                                                   \
    X(ACK_SERVER_QUERY_NOOP, 0, 0, 0, 0)                                                           \
    X(ACK_SOURCE_CODE_NOT_AVAILABLE, 0, 4, 0, 4)                                                   \
    X(ACK_SYMBOL_CODE_NOT_AVAILABLE, 0, 0, 0, 0)                                                   \
    X(CPU_TOPOLOGY, 0, 12, 69, 16)                                                                 \
    X(SINGLE_STRING_DATA, 0, 0, 0, 0)                                                              \
    X(SECOND_STRING_DATA, 0, 0, 0, 0)                                                              \
    X(SINGLE_STRING_DATA8, 82, 0, 0, 0)                                                            \
    X(SECOND_STRING_DATA8, 82, 0, 0, 0)                                                            \
    X(MEM_NAME_PAYLOAD, 0, 8, 0, 8)                                                                \
    X(THREAD_GROUP_HINT, 69, 8, 0, 8)                                                              \
    X(GPU_ZONE_ANNOTATION, 76, 23, 0, 23)                                                          \
    X(STRING_DATA, 0, 8, 0, 8)                                                                     \
    X(THREAD_NAME, 0, 8, 0, 8)                                                                     \
    X(PLOT_NAME, 0, 8, 0, 8)                                                                       \
    X(SOURCE_LOCATION_PAYLOAD, 0, 8, 0, 8)                                                         \
    X(CALLSTACK_PAYLOAD, 0, 8, 0, 8)                                                               \
    X(CALLSTACK_ALLOC_PAYLOAD, 0, 8, 0, 8)                                                         \
    X(FRAME_NAME, 0, 8, 0, 8)                                                                      \
    X(FRAME_IMAGE_DATA, 0, 8, 0, 8)                                                                \
    X(EXTERNAL_NAME, 0, 8, 0, 8)                                                                   \
    X(EXTERNAL_THREAD_NAME, 0, 8, 0, 8)                                                            \
    X(SYMBOL_CODE, 0, 8, 0, 8)                                                                     \
    X(SOURCE_CODE, 0, 8, 0, 8)                                                                     \
    X(FIBER_NAME, 0, 8, 0, 8)
/* clang-format on */

enum tracy_item {
#define TRACY_ITEM_ENUM(name, since, size, changed, new_size) TRACY_##name,
    TRACY_ITEM_TABLE(TRACY_ITEM_ENUM)
#undef TRACY_ITEM_ENUM
        TRACY_ITEM_COUNT
};

/* Queries of the viewer, by meaning. */
enum tracy_query {
    TRACY_QUERY_TERMINATE,
    TRACY_QUERY_STRING,
    TRACY_QUERY_THREAD_STRING,
    TRACY_QUERY_SOURCE_LOCATION,
    TRACY_QUERY_PLOT_NAME,
    TRACY_QUERY_FRAME_NAME,
    TRACY_QUERY_PARAMETER,
    TRACY_QUERY_FIBER_NAME,
    TRACY_QUERY_EXTERNAL_NAME,
    TRACY_QUERY_DISCONNECT,
    TRACY_QUERY_CALLSTACK_FRAME,
    TRACY_QUERY_SYMBOL,
    TRACY_QUERY_SYMBOL_CODE,
    TRACY_QUERY_SOURCE_CODE,
    TRACY_QUERY_DATA_TRANSFER,
    TRACY_QUERY_DATA_TRANSFER_PART,
    TRACY_QUERY_COUNT
};

#define TRACY_MAGIC "TracyPrf"
#define TRACY_MAGIC_BYTES 8
#define TRACY_HELLO_BYTES (TRACY_MAGIC_BYTES + 4)
#define TRACY_QUERY_BYTES 13     /* u8 type, u64 pointer, u32 extra */
#define TRACY_FRAME_BYTES 262144 /* most bytes of one frame before compression */
#define TRACY_WELCOME_MAX 1178
#define TRACY_ON_DEMAND_BYTES 16
#define TRACY_NO_NUMBER 0xff
#define TRACY_TEXT_MAX 65535                   /* u16 length */
#define TRACY_TIME_LIMIT_NS (INT64_C(1) << 47) /* the viewer keeps 47 bits of time */

/* First byte of our answer to the handshake. */
enum tracy_handshake {
    TRACY_HANDSHAKE_WELCOME = 1,
    TRACY_HANDSHAKE_MISMATCH = 2,
    TRACY_HANDSHAKE_NOT_AVAILABLE = 3
};

/* Bits of the welcome's flags. */
#define TRACY_FLAG_ON_DEMAND 1u
#define TRACY_FLAG_IGNORE_MEMORY_FAULTS 2u
#define TRACY_FLAG_CODE_TRANSFER 4u

/* One protocol, ready for use. */
struct tracy_proto {
    uint32_t number;
    const char *releases;                /* "0.11.1" */
    bool welcome_has_delay;              /* the welcome has 8 bytes more, in its middle */
    bool message_metadata;               /* messages carry level and source */
    bool short_strings;                  /* strings below 256 bytes have items of their own */
    bool packed_deltas;                  /* times of zones have forms of 16 and 32 bits */
    bool source_is_code;                 /* source files are asked for with the flag of code only */
    uint8_t number_of[TRACY_ITEM_COUNT]; /* or TRACY_NO_NUMBER */
    uint8_t size_of[TRACY_ITEM_COUNT];
};

/* Fills "proto" for the number that a viewer names; false if no release has it. */
bool tracy_proto_select(struct tracy_proto *proto, uint32_t number);
/* The numbers that tracy_proto_select() knows, lowest first; 0 after the last. */
uint32_t tracy_proto_known(size_t index);

/* The number for a release of Tracy, "0.13" or "0.13.1"; 0 if there is no such release, or if it has several
 * protocols. */
uint32_t tracy_proto_of_release(const char *release);

/* The item of a number, or TRACY_ITEM_COUNT. */
enum tracy_item tracy_proto_item(const struct tracy_proto *proto, uint8_t number);
/* The query of a number, or TRACY_QUERY_COUNT; and back. */
enum tracy_query tracy_proto_query(const struct tracy_proto *proto, uint8_t number);
uint8_t tracy_proto_query_number(const struct tracy_proto *proto, enum tracy_query query);

/* Processors whose code viewers of every release disassemble (CpuArchitecture in TracyProtocol.hpp). */
enum tracy_cpu {
    TRACY_CPU_UNKNOWN,
    TRACY_CPU_X86,
    TRACY_CPU_X64,
    TRACY_CPU_ARM32, /* A32, no Thumb */
    TRACY_CPU_ARM64
};
/* By an ELF file's e_machine. */
enum tracy_cpu tracy_cpu_of(uint16_t machine);

/* Bytes of the welcome. */
size_t tracy_proto_welcome_bytes(const struct tracy_proto *proto);

/* True for the items that carry u64 pointer, length and that many bytes; and those among them whose
 * length has 32 bits instead of 16. */
static inline bool tracy_item_is_transfer(enum tracy_item item) {
    return item >= TRACY_STRING_DATA && item < TRACY_ITEM_COUNT;
}
static inline bool tracy_item_is_long_transfer(enum tracy_item item) {
    return item == TRACY_FRAME_IMAGE_DATA || item == TRACY_SYMBOL_CODE || item == TRACY_SOURCE_CODE;
}

#endif
