/* SPDX-License-Identifier: MIT */
/* Further knobs of the runtime, with defaults that fit most programs. Set them like those of kymo/config.h, for the
 * whole image. */
#ifndef KYMO_CONSTANTS_H
#define KYMO_CONSTANTS_H

/* Longest packet on the wire in bytes, 192 to 4096, without the overhead of COBS. The image has one static buffer of
 * this size. Longer packets take less for each event, and lose more events if one is damaged. The encoder's model and
 * the longest text grow with it:
 *
 *   bytes of a packet   places in the model   its RAM       argument data of one message, text or name
 *   192 to 255          8                     300 bytes     64 bytes
 *   256 to 1023         32                    1050 bytes    128 bytes
 *   1024 to 4095        32                    1050 bytes    240 bytes
 *   4096                62                    1340 bytes    240 bytes
 *
 * 32 places are enough for most programs: those that a loop of the program records. */
#ifndef KYMO_PACKET_BYTES
#define KYMO_PACKET_BYTES 512
#endif

/* Not to be set by a firmware: tests have each size with each packet. */
#ifndef KYMO_WIRE_SLOTS
#define KYMO_WIRE_SLOTS (KYMO_PACKET_BYTES < 256 ? 8 : KYMO_PACKET_BYTES < 4096 ? 32 : 62)
#endif
#ifndef KYMO_PAYLOAD_WORDS
#define KYMO_PAYLOAD_WORDS (KYMO_PACKET_BYTES < 256 ? 16 : KYMO_PACKET_BYTES < 1024 ? 32 : 60)
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
 * core, and
 * as much for each of KYMO_TASKS: the functions of that many tasks are recorded at the same time, of further ones none.
 * With tasks, several lanes need a core with atomic instructions. */
#ifndef KYMO_FUNCTIONS
#define KYMO_FUNCTIONS 0
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

#endif
