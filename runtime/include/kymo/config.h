/* Every knob of the runtime: numbers, set with -DKYMO_...=value for the whole image. The firmware, the runtime and
 * the ports must be compiled with the same values. What fits all boards is a constant: kymo/constants.h. */
#ifndef KYMO_CONFIG_H
#define KYMO_CONFIG_H

#include "kymo/constants.h"

/* 0 removes every trace of kymo from the image: no byte of code, data or string remains. */
#ifndef KYMO_ENABLE
#define KYMO_ENABLE 1
#endif

/* Lanes: one per core on bare metal, one per thread that records under an operating system.
 * 1 to 64. Each costs a ring and one control block (KYMO_RING_BYTES + at most 128 bytes). */
#ifndef KYMO_LANES
#define KYMO_LANES 1
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

/* 1: events go as they lie in the ring (RAW packets), and the model is not in the image. For a link with room to
 * spare and a core without time: an event takes 8 bytes and more on the link in place of about 1.2, and a fifth of the
 * instructions. Not together with KYMO_KEEP_NEWEST or KYMO_CONTEXTS. */
#ifndef KYMO_WIRE_RAW
#define KYMO_WIRE_RAW 0
#endif

/* What is recorded, without a change to the source:
 * 1: zones, messages and all else but allocations: KYMO_ALLOC and KYMO_FREE leave nothing in the image;
 * 2: allocations too;
 * 3: and call stacks with allocations and frees;
 * 4: and with the begins of zones, messages, and waits and obtains of locks.
 * The macros named ..._STACK record a stack in any mode where KYMO_CALLSTACKS is not 0. */
#ifndef KYMO_TRACING_MODE
#define KYMO_TRACING_MODE 2
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

/* Places that are made at run time (kymo_site_dynamic(), KYMO_ZONE_DYNAMIC()), up to 4096: 0 leaves them out. Each
 * takes some 85 bytes of RAM, 110 on a 64-bit core, of which 32 are for copied text; a constant name needs no copy.
 * Where all are taken, or the text is full, events go to a place named "made at run time, no room for its name", and
 * hostlink reports how many. Several lanes need a core with atomic instructions. With KYMO_KEEP_NEWEST such a place
 * has its name only until the reset. Not with KYMO_WIRE_RAW. */
#ifndef KYMO_DYNAMIC_SITES
#define KYMO_DYNAMIC_SITES 0
#endif

/* Large things (kymo_large_send()) that may wait at a time, up to 16; 12 bytes of RAM each, 16 on a 64-bit core. 0
 * leaves them out. Several lanes need a core with atomic instructions. */
#ifndef KYMO_LARGE
#define KYMO_LARGE 0
#endif

/* KYMO_PARAM_CHANGED: the name of a function that kymo_drain() calls when a host has set a parameter: void
 * name(struct kymo_param *param). Not defined (the default): nothing is called, the firmware reads its parameters. */

/* The other knobs are checked where they are used. */
#if KYMO_ENABLE != 0 && KYMO_ENABLE != 1
#error "KYMO_ENABLE must be 0 or 1"
#endif
#if KYMO_KEEP_NEWEST != 0 && KYMO_KEEP_NEWEST != 1
#error "KYMO_KEEP_NEWEST must be 0 or 1"
#endif
#if KYMO_WIRE_RAW != 0 && KYMO_WIRE_RAW != 1
#error "KYMO_WIRE_RAW must be 0 or 1"
#endif
#if KYMO_WIRE_RAW && (KYMO_KEEP_NEWEST || KYMO_CONTEXTS)
#error "KYMO_WIRE_RAW works neither with KYMO_KEEP_NEWEST nor with KYMO_CONTEXTS"
#endif
#if KYMO_TRACING_MODE < 1 || KYMO_TRACING_MODE > 4
#error "KYMO_TRACING_MODE must be 1 to 4"
#endif
#if KYMO_TRACING_MODE >= 3 && KYMO_CALLSTACKS == 0
#error "KYMO_TRACING_MODE 3 and 4 record call stacks: KYMO_CALLSTACKS is their depth, 1 to 62"
#endif
#if KYMO_CALLSTACKS < 0 || KYMO_CALLSTACKS > 62
#error "KYMO_CALLSTACKS must be 0 to 62"
#endif
#if KYMO_SAMPLE_HZ_MAX < 0 || KYMO_SAMPLE_HZ_MAX > 1000000000
#error "KYMO_SAMPLE_HZ_MAX must be 0 to 1000000000"
#endif
#if KYMO_SAMPLE_HZ_MAX != 0 && KYMO_CALLSTACKS == 0
#error "KYMO_SAMPLE_HZ_MAX needs KYMO_CALLSTACKS: the frames of a sample, 1 to 62"
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
#if KYMO_DYNAMIC_SITES < 0 || KYMO_DYNAMIC_SITES > 4096
#error "KYMO_DYNAMIC_SITES must be 0 to 4096"
#endif
#if KYMO_TRACY != 0 && KYMO_TRACY != 1
#error "KYMO_TRACY must be 0 or 1"
#endif
#if KYMO_ON_DEMAND != 0 && KYMO_ON_DEMAND != 1
#error "KYMO_ON_DEMAND must be 0 or 1"
#endif
#if KYMO_ON_DEMAND && !KYMO_COMMANDS
#error "KYMO_ON_DEMAND waits for a host, which KYMO_COMMANDS 0 cannot hear"
#endif
#if KYMO_LARGE < 0 || KYMO_LARGE > 16
#error "KYMO_LARGE must be 0 to 16"
#endif

#endif
