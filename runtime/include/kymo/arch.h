/* SPDX-License-Identifier: MIT */
/* The contract of an architecture port. Includes the chosen port.
 *
 * The build puts exactly one directory with a "kymo_arch.h" on the include path. That header defines the following;
 * functions are static inline:
 *
 *   kymo_clock_t               uint32_t or uint64_t, the width of the clock
 *   KYMO_ARCH_CLOCK_BITS       32 or 64, the same as a number
 *   kymo_clock_t kymo_arch_clock(void)
 *                              the clock now. It never goes back on one lane, and all lanes have the same clock
 *   uint64_t kymo_arch_clock_hz(void)
 *                              its rate in Hz; 0: unknown, hostlink then measures it
 *   uint64_t kymo_arch_clock64(void)
 *                              the clock extended to 64 bits. A port that must see each wrap of a narrower clock
 *                              may rely on kymo_clock_keepalive(), which calls this function
 *   uintptr_t kymo_arch_lane(void)
 *                              the caller's lane. Events of a lane that is not below KYMO_LANES are dropped, counted
 *                              and reported. Without KYMO_LANE_ASKED it is always 0
 *   KYMO_ARCH_ATOMIC           0: one core writes a lane, and masks its interrupts while it reserves a record
 *                              1: C11 atomics reserve the records (user mode, threads)
 *   with KYMO_ARCH_ATOMIC 0:
 *   kymo_arch_state            an integer type for the saved interrupt state
 *   kymo_arch_state kymo_arch_mask(void), void kymo_arch_unmask(kymo_arch_state)
 *                              mask this core's interrupts; restore. Both are compiler barriers.
 *   optional:
 *   KYMO_ARCH_SPARE_LANE       with KYMO_ARCH_ATOMIC 1: the number of a lane for callers without one. Its events are
 *                              dropped and counted; any number of threads may share it
 *   KYMO_ARCH_UNTRACED         with KYMO_ARCH_SPARE_LANE: 1 if the port has bool kymo_arch_is_untraced(void), which
 *                              returns true for callers whose events are dropped and not counted
 *   KYMO_ARCH_WAITS            with KYMO_ARCH_ATOMIC 1: bool kymo_arch_wait(const uint32_t *tail) waits until the word,
 *                              which the consumer moves, has changed. False: the event is lost
 *   KYMO_ARCH_MAPS_RINGS       with KYMO_ARCH_ATOMIC 1, without KYMO_KEEP_NEWEST: 1 if an operating system gives the
 *                              memory of the rings before the first event: void *kymo_arch_map(size_t bytes), cleared,
 *                              NULL if it refuses, which the port reports; void kymo_arch_unmap(void *, size_t).
 *                              Any context may call them
 *   KYMO_ARCH_RING_PIECE       with KYMO_ARCH_MAPS_RINGS: bytes of a piece of a ring, much less than the ring and a
 *                              multiple of a page. The consumer calls void kymo_arch_give_back(void *, size_t) for
 *                              each piece that it has read; the piece holds zeros, and must hold zeros after that
 *   KYMO_ARCH_NESTS            with KYMO_ARCH_ATOMIC 1: 1 if one thread writes a lane, and code that preempts it
 *                              returns before the preempted call continues, as signal handlers do. KYMO_KEEP_NEWEST
 *                              needs it
 *   KYMO_ARCH_COUNTER_FENCE()  with KYMO_CORE_CLOCKS: readings of the counter and of memory before it
 *                              come before those after it. The port then has uint64_t
 *                              kymo_arch_counter64(void), this core's own counter, to which its clock
 *                              adds kymo_core_clock_offset() (kymo/core_clock.h)
 *   KYMO_ARCH_QUICK_CLOCK      1 if kymo_arch_clock() may call a function. The port then has bool
 *                              kymo_arch_clock_is_quick(void), false as long as it calls one, and kymo_clock_t
 *                              kymo_arch_quick_clock(void), which reads the clock without a call
 *   KYMO_ARCH_SCRATCH          name of a caller-saved register that compilers use last: with it a zone's begin and end
 *                              need no stack
 *   KYMO_ARCH_PUTS_PAIRS       1 if one instruction stores two words and advances the address: uint32_t
 *                              *kymo_arch_put_pair(uint32_t *at, uint32_t first, uint32_t second) returns the
 *                              address after them; with a 64-bit clock also
 *                              kymo_arch_put_both(uint32_t *at, uint64_t both)
 *   KYMO_ARCH_GET_PAIR         a macro (a, b, first, second), if one instruction loads two
 *                              neighbouring words: a to first, b to second
 *   KYMO_ARCH_LANE_HELD        if a register or thread-local variable holds the address of the lane from
 *                              kymo_lane_of(): struct kymo_lane *kymo_arch_lane_held(void). 1: always. 2: NULL until
 *                              kymo_arch_lane() was called, and while the clock is not quick
 *   KYMO_ARCH_UNWIND           how to walk call stacks: see kymo/unwind.h
 *   KYMO_ARCH_STACK_END        1: uintptr_t kymo_arch_stack_end(uintptr_t stack) returns the address after the last
 *                              byte of the stack for a walk from "stack"; 0: unknown
 *   KYMO_ARCH_CODE_IS_EVEN     1 if all instructions have even addresses: an odd address in a walk (the preempted
 *                              instruction plus one) then marks preempted code
 *   KYMO_ARCH_INTERRUPTED_PC   1 if the core holds the address of the preempted instruction: uintptr_t
 *                              kymo_arch_interrupted_pc(void), valid in the handler until it enables other interrupts
 *   KYMO_ARCH_COUNTERS         the core's counters of cycles and instructions: see kymo/counters.h
 *   KYMO_ARCH_COUNTS_ZEROS     1: __builtin_clz() is one instruction on this core, not a library call
 *   KYMO_ARCH_CODE_BITS        bits of a function's address that state the instruction set, such as Arm's Thumb bit; 0
 *   KYMO_ARCH_MOVES            1 if the loader may move the program: INFO packets then have its address
 *   KYMO_ARCH_NAME             a string: the core's name in "hostlink info"
 *   KYMO_ARCH_RELEASE()        other cores see the stores before it before those after it; define it if C11's release
 *                              fence costs more than needed
 */
#ifndef KYMO_ARCH_H
#define KYMO_ARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "kymo/config.h"
#include "kymo/language.h"
#include "kymo_arch.h"

#if KYMO_CORE_CLOCKS && (!defined(KYMO_ARCH_COUNTER_FENCE) || KYMO_ARCH_ATOMIC)
#error "KYMO_CORE_CLOCKS needs an arch port with counters of the cores and an interrupt mask"
#endif
#ifndef KYMO_ARCH_CLOCK_BITS
#error "the chosen kymo_arch.h has no clock: define KYMO_ARCH_CLOCK_BITS and kymo_arch_clock()"
#endif
#if defined(KYMO_CLOCK_HZ) && KYMO_CLOCK_HZ < 0
#error "KYMO_CLOCK_HZ is a rate in Hz, or 0: the arch port says what 0 means"
#endif
#ifndef KYMO_ARCH_ATOMIC
#error "the chosen kymo_arch.h must define KYMO_ARCH_ATOMIC as 0 or 1"
#endif

#ifndef KYMO_ARCH_LANE_HELD
#define KYMO_ARCH_LANE_HELD 0
#endif

#ifndef KYMO_ARCH_NESTS
#define KYMO_ARCH_NESTS 0
#endif
#ifndef KYMO_ARCH_CODE_IS_EVEN
#define KYMO_ARCH_CODE_IS_EVEN 0
#endif
#ifndef KYMO_ARCH_COUNTS_ZEROS
#define KYMO_ARCH_COUNTS_ZEROS 0
#endif
#ifndef KYMO_ARCH_CODE_BITS
#define KYMO_ARCH_CODE_BITS 0u
#endif
#ifndef KYMO_ARCH_MOVES
#define KYMO_ARCH_MOVES 0
#endif
#ifndef KYMO_ARCH_NAME
#define KYMO_ARCH_NAME "unknown"
#endif
#ifndef KYMO_ARCH_RELEASE
#define KYMO_ARCH_RELEASE() __atomic_thread_fence(__ATOMIC_RELEASE)
#endif

KYMO_C_BEGIN
/* The lane with that number; for a number that is too large, the spare lane. Any context. */
struct kymo_lane *kymo_lane_of(uintptr_t number);
#if KYMO_ARCH_NESTS
/* True: kymo_drain() sends packets that are not full at once, and not after KYMO_LATENCY_MS. Call it where you call
 * kymo_drain(). */
void kymo_hurry(bool hurries);
#endif
/* The thread that has the calling lane is over and the next one gets the lane as new: it is in its main context, the
 * functions that the thread has open are left, and the room for the ends of its zones is free again. In the thread,
 * after all that it records. Only with KYMO_ARCH_ATOMIC. */
void kymo_lane_left(void);
KYMO_C_END

KYMO_STATIC_ASSERT_(KYMO_ARCH_CLOCK_BITS == 32 || KYMO_ARCH_CLOCK_BITS == 64,
                    "KYMO_ARCH_CLOCK_BITS must be 32 or 64");
KYMO_STATIC_ASSERT_(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
                    "kymo is written for little-endian cores");
KYMO_STATIC_ASSERT_(sizeof(kymo_clock_t) * 8u == KYMO_ARCH_CLOCK_BITS,
                    "kymo_clock_t has another width");

#endif
