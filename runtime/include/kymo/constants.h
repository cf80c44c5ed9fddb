/* Numbers of the runtime that most boards leave as they are. They can be set like the knobs of kymo/config.h, for the
 * whole image: the last four say facts of a board, of its cores, its clock and its source of random numbers. */
#ifndef KYMO_CONSTANTS_H
#define KYMO_CONSTANTS_H

/* With KYMO_KEEP_NEWEST: blocks of a ring, a power of two from 4 to 64. The oldest is given up as a whole, so
 * between all and all but one of them hold events. */
#ifndef KYMO_RING_BLOCKS
#define KYMO_RING_BLOCKS 8
#endif

/* With KYMO_KEEP_NEWEST: the linker section of what survives a reset, a string. */
#ifndef KYMO_NOINIT_SECTION
#define KYMO_NOINIT_SECTION ".noinit"
#endif

/* Slots of the encoder's model: 8, 16, 32 or 64. Each costs 8 bytes, once per image. For most programs 16 do: the
 * demo takes 1.18 bytes an event with 16, 1.42 with 8 and 1.17 with 32. A program that has more places than that
 * in a loop takes less with more. */
#ifndef KYMO_WIRE_SLOTS
#define KYMO_WIRE_SLOTS 16
#endif

/* Longest packet on the wire before stuffing, in bytes, 192 to 4096. One static buffer of this size
 * exists per image. Longer packets cost less per event and lose more when one is damaged. */
#ifndef KYMO_PACKET_BYTES
#define KYMO_PACKET_BYTES 512
#endif

/* Longest argument data of one message, text or name, in 32-bit words, 4 to 60. */
#ifndef KYMO_PAYLOAD_WORDS
#define KYMO_PAYLOAD_WORDS 32
#endif

/* Frames of a recorded call stack at most, up to 62; what is further out is left out. The host may set fewer while the
 * firmware runs: hostlink --set kymo.callstacks=0. 0: the image has no code for call stacks. A stack is walked as the
 * port can (unwind.h): by frame pointers, for which all code is compiled with -fno-omit-frame-pointer, or on 32-bit Arm
 * by tables, with -funwind-tables. kymo_add_runtime() gives these to the runtime and to all that links with it; without
 * them stacks lack functions, or are empty. A stack takes 12 bytes of the ring and 4 for each frame (8 where addresses
 * have more than 32 bits). While it is recorded, each frame of this number takes 8 bytes of the caller's stack, 16 on a
 * 64-bit core. The encoder's model takes 64 addresses more. Packets of 512 bytes hold 62 frames on a 32-bit core and 41
 * on a 64-bit one, where 62 need 736 bytes. */
#ifndef KYMO_CALLSTACKS
#define KYMO_CALLSTACKS (KYMO_TRACING_MODE >= 3 ? 16 : 0)
#endif

/* The greatest rate of samples (kymo/sample.h) that firmware or host may ask for, a second and lane, up to a thousand
 * million. 0: the image has no code for them. Needs KYMO_CALLSTACKS, 1 or more. A lane takes 40 bytes of RAM. */
#ifndef KYMO_SAMPLE_HZ_MAX
#define KYMO_SAMPLE_HZ_MAX 0
#endif

/* Functions that are open at a time and become zones, up to 255, where the firmware is compiled with
 * -finstrument-functions: kymo/functions.h. What is called deeper is not recorded. 0 leaves them out. Each takes 12
 * bytes of RAM for each lane, 24 on a 64-bit core. */
#ifndef KYMO_FUNCTIONS
#define KYMO_FUNCTIONS 0
#endif

/* With KYMO_FUNCTIONS: tasks whose functions are recorded at a time, up to 255; those of further tasks are left
 * out. Each takes what a lane does. Several lanes need a core with atomic instructions. */
#ifndef KYMO_FUNCTION_TASKS
#define KYMO_FUNCTION_TASKS 0
#endif

/* Most instructions that one call of kymo_drain() takes, beside what the transport's read and write take: 2000 or
 * more. Counted on rv64 at -Os; other cores take up to twice as many (tests/bench/drain.sh). What is not done
 * then goes on in the next call, so a larger number costs latency where kymo_drain() is called from an interrupt, and
 * saves calls elsewhere. */
#ifndef KYMO_DRAIN_INSTRUCTIONS
#define KYMO_DRAIN_INSTRUCTIONS 2000
#endif

/* Longest time that a recorded event may wait for its packet to fill before kymo_drain() sends it
 * all the same, in milliseconds. 0 sends whatever there is at each call. */
#ifndef KYMO_LATENCY_MS
#define KYMO_LATENCY_MS 100
#endif

/* Time between two repetitions of the session and status packets, in milliseconds. */
#ifndef KYMO_STATUS_MS
#define KYMO_STATUS_MS 1000
#endif

/* With one lane the core number is not checked, and a second core would damage the ring. 1: each call checks it, as
 * with several lanes, so that events of another core are refused and counted, and hostlink says so. Set it once on a
 * chip with more cores than lanes: zone begin and end take 27 and 18 instructions on rv64 in place of 20 and 14. */
#ifndef KYMO_LANE_CHECK
#define KYMO_LANE_CHECK 0
#endif

/* With one lane: 1 if kymo_drain() may run on another core than the one that records. Cores but x86 show their
 * stores to each other in no order, so zone begin and end then take a barrier each (one instruction on RISC-V and
 * Arm). With several lanes they always do. 0 where it should be 1 can cost events or send wrong ones;
 * KYMO_LANE_CHECK 1 finds it, and hostlink says so. */
#ifndef KYMO_DRAIN_ANY_CORE
#define KYMO_DRAIN_ANY_CORE 0
#endif

/* 1: the firmware reports changes of its clock, by kymo_clock_rate() and kymo_clock_slept(). */
#ifndef KYMO_CLOCK_CHANGES
#define KYMO_CLOCK_CHANGES 0
#endif

/* 1: nothing is recorded before a host says hello. With KYMO_COMMANDS only. */
#ifndef KYMO_ON_DEMAND
#define KYMO_ON_DEMAND 0
#endif

/* 1: what Tracy's markup needs is in the image (kymo/tracy.h): tracy/TracyC.h and tracy/Tracy.hpp with TRACY_ENABLE. */
#ifndef KYMO_TRACY
#define KYMO_TRACY 0
#endif

/* A number that differs from start to start, where the chip has one: a backup register that counts resets, or a
 * generator of random numbers, as (*(volatile uint32_t *)0x50060808u). kymo_init() reads it once. Without it the
 * number of a session is as different as the clock at the start. */
#ifndef KYMO_SESSION_SEED
#define KYMO_SESSION_SEED 0u
#endif

/* For arch ports: kymo_arch_lane() must know the core. */
#define KYMO_LANE_ASKED (KYMO_LANES > 1 || KYMO_LANE_CHECK)

#if KYMO_LANE_CHECK != 0 && KYMO_LANE_CHECK != 1
#error "KYMO_LANE_CHECK must be 0 or 1"
#endif
#if KYMO_DRAIN_ANY_CORE != 0 && KYMO_DRAIN_ANY_CORE != 1
#error "KYMO_DRAIN_ANY_CORE must be 0 or 1"
#endif
#if KYMO_CLOCK_CHANGES != 0 && KYMO_CLOCK_CHANGES != 1
#error "KYMO_CLOCK_CHANGES must be 0 or 1"
#endif
#if KYMO_FUNCTIONS < 0 || KYMO_FUNCTIONS > 255
#error "KYMO_FUNCTIONS must be 0 to 255"
#endif
#if KYMO_FUNCTION_TASKS < 0 || KYMO_FUNCTION_TASKS > 255
#error "KYMO_FUNCTION_TASKS must be 0 to 255"
#endif
#if KYMO_LATENCY_MS < 0 || KYMO_LATENCY_MS > 3600000
#error "KYMO_LATENCY_MS must be 0 to 3600000"
#endif
#if KYMO_STATUS_MS < 1 || KYMO_STATUS_MS > 3600000
#error "KYMO_STATUS_MS must be 1 to 3600000"
#endif

#endif
