/* SPDX-License-Identifier: MIT */
/* The knobs of the runtime. Set them with -DKYMO_...=value for the whole image: firmware, runtime and ports must be
 * compiled with the same values. Those with defaults that fit most programs are in kymo/constants.h; doc/knobs.md has a
 * table of all. */
#ifndef KYMO_CONFIG_H
#define KYMO_CONFIG_H

#include <stdint.h>

#include "kymo/constants.h"
#include "kymo/language.h"

/* 0 removes kymo from the image: no byte of code, data or string remains. */
#ifndef KYMO_ENABLE
#define KYMO_ENABLE 1
#endif

/* Number of lanes, 1 to 64: one for each core on bare metal that records or calls kymo_drain(), one for each recording
 * thread under an operating system.
 * Each takes KYMO_RING_BYTES and at most 128 bytes more. */
#ifndef KYMO_LANES
#define KYMO_LANES 1
#endif

/* Size of a lane's ring in bytes: a power of two from 256 to 64 MiB, or to 128 KiB on a 32-bit core without interrupt
 * mask (user mode, threads). A zone takes 16 bytes. */
#ifndef KYMO_RING_BYTES
#define KYMO_RING_BYTES 4096
#endif

/* The behaviour of a full ring. 0: it keeps the oldest events and drops new ones until there is room. 1: it keeps the
 * newest events and overwrites the oldest: a flight recorder.
 *
 * The rings of a flight recorder are in the section .noinit, which the start-up code must neither clear nor load. They
 * survive a reset that keeps the RAM; the events from before the reset are then sent as a session of their own. On a
 * core with a write-back cache, put the section into uncached memory, or clean the cache before the reset. With several
 * lanes, one core must call kymo_init(), or record, before the others record.
 *
 * A flight recorder needs an arch port with an interrupt mask. A zone's begin and end take 29 and 25 instructions on
 * rv64 instead of 27 and 18, and interrupts stay masked while a long record is written. The POSIX port has no mask, and
 * supports it too, for programs that crash in a test run: the rings do not survive the process, but its core file holds
 * the last events of each thread (hostlink dump). If a signal handler preempts a recording call and fills the whole
 * ring, its remaining events are dropped and counted. */
#ifndef KYMO_KEEP_NEWEST
#define KYMO_KEEP_NEWEST 0
#endif

/* For firmware that deletes tasks while they have zones open. The ring reserves 8 bytes for the end of each open zone.
 * With 0, kymo_context_end() does not free them: a ring of 1 KiB records nothing more after some 120 such zones.
 * Otherwise this is the number of contexts, up to 255, that may have zones open at the same time; kymo_drain() counts
 * the open zones of each. 12 bytes of RAM for each context, 32 with several lanes. The room is still not freed:
 * - if more contexts than this number have open zones (hostlink reports it);
 * - if kymo_context_end() was dropped, or called while recording was stopped: until the next context of the same
 *   number ends;
 * - if a switch was dropped while the context had open zones, and zones ended after that;
 * - with several lanes, if the end of a zone on another lane was dropped, or if kymo_drain() reads the context's end
 *   before its zones on another lane while no place is free, or after those of the next context of its number. */
#ifndef KYMO_CONTEXTS
#define KYMO_CONTEXTS 0
#endif

/* For debug builds: the number of zones, up to 255, that may be open at the same time. The recorder follows each from
 * begin to end, and detects in the faulty call:
 * - zones that do not nest, and a text or value for a zone that is not the innermost one;
 * - zones ended twice, or in another context than they began in;
 * - interrupts that return in the wrong order, or with one of their zones open;
 * - more open zones than this number, which mostly means that ends are missing.
 * It then sets a bit for hostlink, records a message that names the zone or interrupt, and calls kymo_check_failed(),
 * which does nothing: set a breakpoint there to stop in the faulty call, or define the function yourself (kymo/kymo.h).
 * Ends, texts and values of a zone that is not open are dropped. 0 costs nothing. Otherwise an open zone takes 16 bytes
 * of RAM (24 on a 64-bit core), and a begin or an end some 10 instructions for each of this number. Several lanes need
 * a core with atomic instructions.
 *
 * With one lane, KYMO_LANE_NUMBER (of the arch port) makes each call check the core number too: events of another core
 * are dropped, counted and reported, and so is a kymo_drain() there. Otherwise a second core would damage the ring. Try
 * it once on a chip with more cores than lanes. */
#ifndef KYMO_CHECK
#define KYMO_CHECK 0
#endif

/* Selects the events that the macros record, without a change to the source:
 * 1: everything but allocations: KYMO_ALLOC and KYMO_FREE leave nothing in the image;
 * 2: allocations too;
 * 3: also a call stack with each allocation and free;
 * 4: also a call stack with each begin of a zone, each message, and each wait for and obtain of a lock.
 * The macros named ..._STACK record a stack in every mode if KYMO_CALLSTACKS is not 0. */
#ifndef KYMO_TRACING_MODE
#define KYMO_TRACING_MODE 2
#endif

/* 0 leaves out everything that reads from the host, for a link with a transmit line only: 1 KiB less on rv32. The board
 * then repeats the names as long as it runs. */
#ifndef KYMO_COMMANDS
#define KYMO_COMMANDS 1
#endif

/* The key for commands over a network: 16 bytes separated by commas, 0x3c,0x91,... Not defined (the default): over a
 * network the board only sends, and SipHash is not in the image. Defined: the board also carries out commands signed
 * with the key ("hostlink --key"), and the firmware must define kymo_command_nonce(). Only the runtime's own files need
 * the key; kymo_add_runtime() reads it from a file, so that it does not appear in the build's commands. A cable needs
 * no key. Give each board its own key, as everyone with an image has its key. Costs 1 KiB on rv32. */
#if defined(KYMO_COMMAND_KEY) && KYMO_COMMANDS == 0
#error "KYMO_COMMAND_KEY is for commands, which KYMO_COMMANDS 0 leaves out"
#endif

/* Where the host gets the names of zones, messages (their formats), plots and so on, with file and line. 1: the image
 * contains them and the board sends them. 0: the board does not send them; hostlink reads them from the ELF file
 * (hostlink --elf IMAGE). Link with runtime/kymo_elf.ld, and they use no target memory: that saves 32 bytes for each
 * site on a 32-bit core (48 on a 64-bit one), and its strings. Names must be string literals. Names and texts made at
 * run time, such as those of tasks and lanes, are sent in both cases. With 0, sites have no function name, except
 * those of KYMO_FUNCTION(), whose name stays in memory because C has no literal for it. */
#ifndef KYMO_NAMES
#define KYMO_NAMES 1
#endif

/* Number of sites that can be made at run time (kymo_site_dynamic(), KYMO_ZONE_DYNAMIC()), up to 4096; 0 leaves them
 * out. Each takes some 85 bytes of RAM, 110 on a 64-bit core, 32 of them for copied text; a constant name needs no
 * copy. If all sites or all text bytes are used up, events go to a site named "made at run time, no room for its name",
 * and hostlink reports how many. Several lanes need a core with atomic instructions. With KYMO_KEEP_NEWEST these names
 * are lost at a reset. */
#ifndef KYMO_DYNAMIC_SITES
#define KYMO_DYNAMIC_SITES 0
#endif

/* Number of large transfers (kymo_large_send()) that may wait at the same time, up to 16; 0 leaves them out. 12 bytes
 * of RAM each, 16 on a 64-bit core. Several lanes need a core with atomic instructions. */
#ifndef KYMO_LARGE
#define KYMO_LARGE 0
#endif

/* For the glue of a kernel (kymo/tasks.h): the number of tasks, queues, locks and other objects whose names are sent
 * again to a host that connects later, up to 1024; 0 leaves all of it out. 16 bytes of RAM each, 32 on a 64-bit core,
 * and 160 for each lane. Further ones are recorded too, but a host that connects later sees only their numbers. */
#ifndef KYMO_TASKS
#define KYMO_TASKS 0
#endif

/* For arch ports: 1 if kymo_arch_lane() must return the core. */
#if KYMO_LANES > 1 || (KYMO_CHECK && defined(KYMO_LANE_NUMBER))
#define KYMO_LANE_ASKED 1
#else
#define KYMO_LANE_ASKED 0
#endif

/* The other knobs are checked where they are used. */
#define KYMO_RANGE_(knob, least, most)                                                             \
    KYMO_STATIC_ASSERT_(KYMO_CAST_(int64_t, knob) >= (least) &&                                    \
                            KYMO_CAST_(int64_t, knob) <= (most),                                   \
                        #knob " must be " #least " to " #most)
#define KYMO_SWITCH_(knob) KYMO_STATIC_ASSERT_((knob) == 0 || (knob) == 1, #knob " must be 0 or 1")
KYMO_SWITCH_(KYMO_ENABLE);
KYMO_SWITCH_(KYMO_KEEP_NEWEST);
KYMO_SWITCH_(KYMO_COMMANDS);
KYMO_SWITCH_(KYMO_NAMES);
KYMO_SWITCH_(KYMO_CLOCK_CHANGES);
KYMO_SWITCH_(KYMO_CORE_CLOCKS);
KYMO_SWITCH_(KYMO_DEVICES);
KYMO_SWITCH_(KYMO_ON_DEMAND);
KYMO_SWITCH_(KYMO_TRACY);
KYMO_RANGE_(KYMO_CONTEXTS, 0, 255);
KYMO_RANGE_(KYMO_CHECK, 0, 255);
KYMO_RANGE_(KYMO_TRACING_MODE, 1, 4);
KYMO_RANGE_(KYMO_CALLSTACKS, 0, 62);
KYMO_RANGE_(KYMO_SAMPLE_HZ_MAX, 0, 1000000000);
KYMO_RANGE_(KYMO_DYNAMIC_SITES, 0, 4096);
KYMO_RANGE_(KYMO_LARGE, 0, 16);
KYMO_RANGE_(KYMO_TASKS, 0, 1024);
KYMO_RANGE_(KYMO_TASK_LIMITS, 0, 32);
KYMO_RANGE_(KYMO_FUNCTIONS, 0, 255);
KYMO_RANGE_(KYMO_LATENCY_MS, 0, 3600000);
KYMO_RANGE_(KYMO_DRAIN_INSTRUCTIONS, 2000, 2147483647);
KYMO_STATIC_ASSERT_(
    KYMO_TRACING_MODE < 3 || KYMO_CALLSTACKS != 0,
    "KYMO_TRACING_MODE 3 and 4 record call stacks: KYMO_CALLSTACKS is their depth, 1 to 62");
KYMO_STATIC_ASSERT_(KYMO_SAMPLE_HZ_MAX == 0 || KYMO_CALLSTACKS != 0,
                    "KYMO_SAMPLE_HZ_MAX needs KYMO_CALLSTACKS: the frames of a sample, 1 to 62");
KYMO_STATIC_ASSERT_(!KYMO_ON_DEMAND || KYMO_COMMANDS,
                    "KYMO_ON_DEMAND waits for a host, which KYMO_COMMANDS 0 cannot hear");
KYMO_STATIC_ASSERT_(KYMO_TASK_LIMITS == 0 || KYMO_TASKS != 0,
                    "KYMO_TASK_LIMITS needs KYMO_TASKS, which the glue of a kernel needs");

#endif
