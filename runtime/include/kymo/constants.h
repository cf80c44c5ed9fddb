/* SPDX-License-Identifier: MIT */
/* Further knobs of the runtime, with defaults that fit most programs. Set them like those of kymo/config.h, for the
 * whole image. */
#ifndef KYMO_CONSTANTS_H
#define KYMO_CONSTANTS_H

/* With KYMO_KEEP_NEWEST: the linker section for data that survives a reset, a string. */
#ifndef KYMO_NOINIT_SECTION
#define KYMO_NOINIT_SECTION ".noinit"
#endif

/* Slots of the encoder's model: 8, 16, 32 or 62. The model takes 300, 580, 1050 or 1340 bytes, once per image. 32 are
 * enough for most programs. Set more if a loop of the program has more places, less for a small image.  */
#ifndef KYMO_WIRE_SLOTS
#define KYMO_WIRE_SLOTS 32
#endif

/* Longest packet on the wire in bytes, 192 to 4096, without the overhead of COBS. The image has one static buffer of
 * this size. Longer packets take less for each event, and lose more events if one is damaged. */
#ifndef KYMO_PACKET_BYTES
#define KYMO_PACKET_BYTES 512
#endif

/* Most argument data of one message, text or name, in 32-bit words, 4 to 60. */
#ifndef KYMO_PAYLOAD_WORDS
#define KYMO_PAYLOAD_WORDS 32
#endif

/* Most frames of a recorded call stack, up to 62; the outermost ones are cut. The host can set fewer at run time:
 * hostlink --set kymo.callstacks=0. 0: the image has no code for call stacks. Stacks are walked (unwind.h) by frame
 * pointers, which need -fno-omit-frame-pointer for all code, or on 32-bit Arm by tables, which need -funwind-tables.
 * kymo_add_runtime() sets these options for the runtime and for everything that links with it; without them stacks lack
 * functions or are empty. A stack takes 12 bytes of the ring and 4 for each frame (8 if addresses have more than 32
 * bits). While it is recorded, each frame of this number takes 8 bytes of the caller's stack, 16 on a 64-bit core. The
 * encoder's model grows by 64 addresses. Packets of 512 bytes hold 62 frames on a 32-bit core and 41 on a 64-bit one,
 * where 62 need 736 bytes. */
#ifndef KYMO_CALLSTACKS
#define KYMO_CALLSTACKS (KYMO_TRACING_MODE >= 3 ? 16 : 0)
#endif

/* Highest sampling rate (kymo/sample.h) in Hz for each lane that firmware or host can set, up to 10^9. 0: the image has
 * no code for samples. Needs KYMO_CALLSTACKS of 1 or more. 40 bytes of RAM for each lane. */
#ifndef KYMO_SAMPLE_HZ_MAX
#define KYMO_SAMPLE_HZ_MAX 0
#endif

/* For firmware compiled with -finstrument-functions (kymo/functions.h): depth of calls, up to 255, that become zones.
 * Deeper calls are not recorded. 0 leaves them out. Each level takes 12 bytes of RAM for each lane, 24 on a 64-bit
 * core. */
#ifndef KYMO_FUNCTIONS
#define KYMO_FUNCTIONS 0
#endif

/* With KYMO_FUNCTIONS: number of tasks whose functions are recorded at the same time, up to 255; those of further tasks
 * are not recorded. Each takes as much RAM as a lane. Several lanes need a core with atomic instructions. */
#ifndef KYMO_FUNCTION_TASKS
#define KYMO_FUNCTION_TASKS 0
#endif

/* Most instructions of one call of kymo_drain(), without those of the transport: 2000 or more. Counted on rv64 at -Os;
 * other cores take up to twice as many (tests/bench/drain.sh). The next call continues the work. A larger number adds
 * latency if an interrupt calls kymo_drain(), and saves calls elsewhere. 3000 with more than 8 lanes, or more than 20
 * lanes and KYMO_CONTEXTS together, as each call looks at all of them; with KYMO_CONTEXTS and more than 16 frames of
 * call stacks; and in a flight recorder with several lanes or call stacks, as it copies each record. */
#ifndef KYMO_DRAIN_INSTRUCTIONS
#define KYMO_DRAIN_INSTRUCTIONS                                                                    \
    (KYMO_LANES > 8 || KYMO_LANES + KYMO_CONTEXTS > 20 ||                                          \
             (KYMO_CONTEXTS && KYMO_CALLSTACKS > 16) ||                                            \
             (KYMO_KEEP_NEWEST && (KYMO_CALLSTACKS || KYMO_LANES > 1))                             \
         ? 3000                                                                                    \
         : 2000)
#endif

/* Longest time in milliseconds that a recorded event waits for its packet to fill before kymo_drain() sends it. 0: each
 * call sends all waiting events. */
#ifndef KYMO_LATENCY_MS
#define KYMO_LATENCY_MS 100
#endif

/* Period of the session and status packets in milliseconds. */
#ifndef KYMO_STATUS_MS
#define KYMO_STATUS_MS 1000
#endif

/* With one lane the core number is not checked, and a second core would damage the ring. 1: each call checks it, as
 * with several lanes; events of another core are dropped, counted and reported. Try it once on a chip with more cores
 * than lanes: a zone's begin and end take 27 and 18 instructions on rv64 instead of 20 and 14. */
#ifndef KYMO_LANE_CHECK
#define KYMO_LANE_CHECK 0
#endif

/* With one lane: 1 if kymo_drain() may run on another core than the recording one. A zone's begin and end then contain
 * a memory barrier each (one instruction on RISC-V and Arm), because cores other than x86 may reorder their stores.
 * With several lanes they always do. If it is 0 and should be 1, events can be lost or wrong; KYMO_LANE_CHECK 1 detects
 * this, and hostlink reports it. */
#ifndef KYMO_DRAIN_ANY_CORE
#define KYMO_DRAIN_ANY_CORE 0
#endif

/* 1: the firmware reports changes of its clock with kymo_clock_rate() and kymo_clock_slept(). */
#ifndef KYMO_CLOCK_CHANGES
#define KYMO_CLOCK_CHANGES 0
#endif

/* 1: the cores' counters differ: each lane adds the offset that kymo_core_clock_set() has found (kymo/core_clock.h). */
#ifndef KYMO_CORE_CLOCKS
#define KYMO_CORE_CLOCKS 0
#endif

/* 1: kymo_drain() also sends the records of cores and engines without kymo, in device blocks (kymo/devices.h). */
#ifndef KYMO_DEVICES
#define KYMO_DEVICES 0
#endif

/* Number of tasks that may have limits of load, latency and stack (kymo/limits.h), up to 32; 0 leaves them out. 68
 * bytes of RAM each, 80 on a 64-bit core. Each hook of the kernel looks through all of them. Needs KYMO_TASKS. Several
 * lanes need a core with atomic instructions. */
#ifndef KYMO_TASK_LIMITS
#define KYMO_TASK_LIMITS 0
#endif

/* 1: recording starts when a host connects. Needs KYMO_COMMANDS. */
#ifndef KYMO_ON_DEMAND
#define KYMO_ON_DEMAND 0
#endif

/* 1: the runtime supports Tracy's macros: tracy/TracyC.h and tracy/Tracy.hpp with TRACY_ENABLE (kymo/tracy.h). */
#ifndef KYMO_TRACY
#define KYMO_TRACY 0
#endif

/* An expression that differs from start to start, if the chip has one: a backup register that counts resets or a random
 * number generator, such as (*(volatile uint32_t *)0x50060808u). kymo_init() reads it once. Without it, session numbers
 * differ only as far as the clock at the start differs. */
#ifndef KYMO_SESSION_SEED
#define KYMO_SESSION_SEED 0u
#endif

/* For arch ports: true if kymo_arch_lane() must return the core. */
#define KYMO_LANE_ASKED (KYMO_LANES > 1 || KYMO_LANE_CHECK)

#endif
