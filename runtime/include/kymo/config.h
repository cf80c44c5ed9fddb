/* Every knob of the runtime. Each is a number, set with -DKYMO_...=value for the whole image.
 * The firmware, the runtime and the ports must be compiled with the same values. */
#ifndef KYMO_CONFIG_H
#define KYMO_CONFIG_H

/* 0 removes every trace of kymo from the image: no byte of code, data or string remains. */
#ifndef KYMO_ENABLE
#define KYMO_ENABLE 1
#endif

/* Lanes: one per core on bare metal, one per thread that records under an operating system.
 * 1 to 64. Each costs a ring and one control block (KYMO_RING_BYTES + at most 128 bytes). */
#ifndef KYMO_LANES
#define KYMO_LANES 1
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
/* For arch ports: kymo_arch_lane() must know the core. */
#define KYMO_LANE_ASKED (KYMO_LANES > 1 || KYMO_LANE_CHECK)

/* A number that differs from start to start, where the chip has one: a backup register that counts resets, or a
 * generator of random numbers, as (*(volatile uint32_t *)0x50060808u). kymo_init() reads it once. Without it the
 * number of a session is as different as the clock at the start. */
#ifndef KYMO_SESSION_SEED
#define KYMO_SESSION_SEED 0u
#endif

/* Bytes of one lane's ring: a power of two from 256 to 16 MiB, or to 128 KiB where a 32-bit core has no interrupt
 * mask (user mode, threads). A zone takes 16 bytes. */
#ifndef KYMO_RING_BYTES
#define KYMO_RING_BYTES 4096
#endif

/* What a full ring does. 0: it keeps the oldest, and refuses events until there is room again. 1: it keeps the
 * newest, and gives up the oldest: a flight recorder. Its rings lie in the section KYMO_NOINIT_SECTION, which the
 * start-up must neither clear nor load, and survive a reset that keeps the RAM: what was recorded before is sent
 * after it, as a session of its own. Needs an arch port with an interrupt mask; a zone's begin and end take 29 and
 * 25 instructions on rv64 in place of 27 and 18, as the end has no room kept for it, and a long record keeps
 * interrupts out until it is written. The POSIX port has none and can have it too: there it does not survive the
 * process, but a core file holds it, and a signal handler that preempts a recording call and goes round the whole
 * ring has its remaining events dropped and counted. On a core with a write-back cache, put the section into memory
 * that is not cached, or clean the cache before the reset. With more than one lane one core must call kymo_init(),
 * or record, before the others record. */
#ifndef KYMO_KEEP_NEWEST
#define KYMO_KEEP_NEWEST 0
#endif

/* With KYMO_KEEP_NEWEST: blocks of a ring, a power of two from 4 to 64. The oldest is given up as a whole, so
 * between all and all but one of them hold events. */
#ifndef KYMO_RING_BLOCKS
#define KYMO_RING_BLOCKS 8
#endif

/* With KYMO_KEEP_NEWEST: the linker section of what survives a reset, a string. */
#ifndef KYMO_NOINIT_SECTION
#define KYMO_NOINIT_SECTION ".noinit"
#endif

/* Contexts that may have zones open at a time, up to 255, for tasks that may be deleted with open zones: the ends
 * of these have room promised in the ring, 8 bytes each. 0: kymo_context_end() does not give it back, and a ring of
 * 1 KiB records nothing more after some 120 such zones. Else kymo_drain() counts each context's open zones: 12
 * bytes of RAM for each context, 32 with several lanes. The room of a context's open zones is still not given back:
 * - if more contexts than this number have zones open (hostlink reports it);
 * - if kymo_context_end() was refused, or called while recording was stopped: until the next context of the same
 *   number ends;
 * - if a switch was refused while it had zones open, and zones ended after that;
 * - with several lanes, if the end of a zone on another lane was refused, or if kymo_drain() reads the context's end
 *   before its zones on another lane while no place is free, or after those of the next context of its number. */
#ifndef KYMO_CONTEXTS
#define KYMO_CONTEXTS 0
#endif

/* For debug builds: zones that may be open at a time, up to 255, and are followed from begin to end. The recorder
 * then finds, in the call that is wrong, zones that do not nest, also by a text or value for another than the
 * innermost one; zones that are ended twice or in another context than they began in; interrupts that are not left
 * in the reverse order of their entries, or with a zone of theirs open; and more open zones than this number, as
 * where ends are missing. It calls kymo_check_failed(), sets a bit for hostlink, and records a message that names
 * the zone or interrupt; it leaves out what belongs to a zone that is not open. 0 costs nothing; else an open zone
 * takes 16 bytes of RAM (24 on a 64-bit core), and a begin or an end some 10 instructions for each of this number.
 * Several lanes need a core with atomic instructions. */
#ifndef KYMO_CHECK
#define KYMO_CHECK 0
#endif

/* KYMO_CHECK_FAILED, with KYMO_CHECK: the name of a function of yours that is called for each usage error: void
 * name(enum kymo_usage what, const struct kymo_site *site). "site" is the zone's place, or the interrupt's, NULL if it
 * is not known.
 * Not defined (the default): only kymo_check_failed() is called, which does nothing. A breakpoint there stops in
 * the call that is wrong. */

/* Longest frame on the wire before stuffing, in bytes, 192 to 4096. One static buffer of this size
 * exists per image. Longer frames cost less per event and lose more when one is damaged. */
#ifndef KYMO_FRAME_BYTES
#define KYMO_FRAME_BYTES 512
#endif

/* Most instructions that one call of kymo_drain() takes, beside what the transport's read and write take: 2000 or
 * more. Counted on rv64 at -Os; other cores take up to twice as many (tests/bench/drain.sh). What is not done
 * then goes on in the next call, so a larger number costs latency where kymo_drain() is called from an interrupt, and
 * saves calls elsewhere. */
#ifndef KYMO_DRAIN_INSTRUCTIONS
#define KYMO_DRAIN_INSTRUCTIONS 2000
#endif

/* Slots of the encoder's model: 8, 16, 32 or 64. Each costs 8 bytes, once per image. For most programs 16 do: the
 * demo takes 1.18 bytes an event with 16, 1.42 with 8 and 1.17 with 32. A program that has more places than that
 * in a loop takes less with more. */
#ifndef KYMO_WIRE_SLOTS
#define KYMO_WIRE_SLOTS 16
#endif

/* Longest argument data of one message, text or name, in 32-bit words, 4 to 60. */
#ifndef KYMO_PAYLOAD_WORDS
#define KYMO_PAYLOAD_WORDS 32
#endif

/* Longest time that a recorded event may wait for its frame to fill before kymo_drain() sends it
 * all the same, in milliseconds. 0 sends whatever there is at each call. */
#ifndef KYMO_LATENCY_MS
#define KYMO_LATENCY_MS 100
#endif

/* 0 leaves out everything that reads from the host, for a link of one wire: 1 KiB less on rv32.
 * The names are then repeated for ever. */
#ifndef KYMO_COMMANDS
#define KYMO_COMMANDS 1
#endif

/* The key of commands that come over a network: 16 bytes with commas between, 0x3c,0x91,... Not
 * defined (the default): over a network the board only sends, and SipHash is not in the image.
 * Defined: it also obeys commands that are signed with the key, as "hostlink --key" does it, and the
 * firmware must define kymo_command_nonce(). Only the runtime's own files need it; kymo_add_runtime()
 * takes it from a file, so that it is not in the commands of the build. A cable needs no key:
 * commands from there are obeyed as they are. Give each board a key of its own: a person who has an image
 * has its key. Costs 1 KiB on rv32. */
#ifdef KYMO_COMMAND_KEY
#if KYMO_COMMANDS == 0
#error "KYMO_COMMAND_KEY is for commands, which KYMO_COMMANDS 0 leaves out"
#endif
#endif

/* Where the host has the names from: of zones, messages (their formats), plots and so on, with
 * file and line. 1: the board has them in its image and sends them. 0: they are only in the ELF
 * file, which hostlink is given (hostlink --elf IMAGE), and are not sent. Linked with
 * runtime/kymo_elf.ld they then use no target memory: for each place
 * 32 bytes on a 32-bit core (48 on a 64-bit one), and its strings. Linked without it they are in
 * memory, unsent. Names must be string literals. What is made at run time is sent as ever: names of
 * tasks and lanes, text of zones. The name of the function around a place is left out, but for that
 * of a KYMO_FUNCTION(), which stays in memory, as C has no literal of it. */
#ifndef KYMO_NAMES
#define KYMO_NAMES 1
#endif

/* Time between two repetitions of the session and status frames, in milliseconds. */
#ifndef KYMO_STATUS_MS
#define KYMO_STATUS_MS 1000
#endif

/* The other knobs are checked where they are used. */
#if KYMO_ENABLE != 0 && KYMO_ENABLE != 1
#error "KYMO_ENABLE must be 0 or 1"
#endif
#if KYMO_KEEP_NEWEST != 0 && KYMO_KEEP_NEWEST != 1
#error "KYMO_KEEP_NEWEST must be 0 or 1"
#endif
#if KYMO_LANE_CHECK != 0 && KYMO_LANE_CHECK != 1
#error "KYMO_LANE_CHECK must be 0 or 1"
#endif
#if KYMO_DRAIN_ANY_CORE != 0 && KYMO_DRAIN_ANY_CORE != 1
#error "KYMO_DRAIN_ANY_CORE must be 0 or 1"
#endif
#if KYMO_NAMES != 0 && KYMO_NAMES != 1
#error "KYMO_NAMES must be 0 or 1"
#endif
#if KYMO_CONTEXTS < 0 || KYMO_CONTEXTS > 255
#error "KYMO_CONTEXTS must be 0 to 255"
#endif
#if KYMO_CHECK < 0 || KYMO_CHECK > 255
#error "KYMO_CHECK must be 0 to 255"
#endif
#if KYMO_COMMANDS != 0 && KYMO_COMMANDS != 1
#error "KYMO_COMMANDS must be 0 or 1"
#endif
#if KYMO_LATENCY_MS < 0 || KYMO_LATENCY_MS > 3600000
#error "KYMO_LATENCY_MS must be 0 to 3600000"
#endif
#if KYMO_STATUS_MS < 1 || KYMO_STATUS_MS > 3600000
#error "KYMO_STATUS_MS must be 1 to 3600000"
#endif

#endif
