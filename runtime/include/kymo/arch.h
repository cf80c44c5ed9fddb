/* The contract of an architecture port, and the way to the one chosen port.
 *
 * The build puts exactly one directory with a "kymo_arch.h" on the include path. That header
 * defines, all of it static inline where it is code:
 *
 *   kymo_clock_t               uint32_t or uint64_t, the width of the clock
 *   KYMO_ARCH_CLOCK_BITS       32 or 64, the same as a number
 *   kymo_clock_t kymo_arch_clock(void)
 *                              the clock now; never goes back on one lane; the same clock
 *                              on all lanes
 *   uint64_t kymo_arch_clock_hz(void)
 *                              its rate in Hz, 0 = unknown (hostlink then measures it)
 *   uint64_t kymo_arch_clock64(void)
 *                              the clock extended to 64 bits (the same value where it has 64). A port that
 *                              must see each wrap for it may rely on kymo_clock_keepalive(), which calls it
 *   uintptr_t kymo_arch_lane(void)
 *                              the lane of the caller. Events of one that is not below KYMO_LANES are
 *                              refused and counted, and hostlink says so; without KYMO_LANE_ASKED it is 0 for
 *                              all
 *   KYMO_ARCH_ATOMIC           0: a lane is written by one core only, and a short mask
 *                                 keeps its interrupts out while a record is reserved
 *                              1: the records are reserved with C11 atomics (user mode, threads)
 *   with KYMO_ARCH_ATOMIC 0:
 *   kymo_arch_state            an integer type for the saved interrupt state
 *   kymo_arch_state kymo_arch_mask(void), void kymo_arch_unmask(kymo_arch_state)
 *                              mask this core's interrupts; restore. Both are compiler barriers.
 *   optional:
 *   KYMO_ARCH_SPARE_LANE       with KYMO_ARCH_ATOMIC 1: the lane of callers that have none. Its events
 *                              are refused and counted; any number of threads may share it
 *   KYMO_ARCH_UNTRACED         with KYMO_ARCH_SPARE_LANE: 1 if bool kymo_arch_is_untraced(void) says whose events are
 *                              refused and not counted either
 *   KYMO_ARCH_NESTS            with KYMO_ARCH_ATOMIC 1: 1 if a lane is written by one thread, and what preempts it ends
 *                              before the preempted call goes on, as signal handlers do. KYMO_KEEP_NEWEST needs it
 *   KYMO_ARCH_QUICK_CLOCK      1 if kymo_arch_clock() may call a function. The port then has bool
 *                              kymo_arch_clock_is_quick(void), false as long as it does, and kymo_clock_t
 *                              kymo_arch_quick_clock(void), the clock where it does not
 *   KYMO_ARCH_SCRATCH          name of a register that calls need not keep and that compilers use last: with it a
 *                              zone's begin and end need no stack
 *   KYMO_ARCH_PUTS_PAIRS       1 if one instruction stores two words and steps on: uint32_t
 *                              *kymo_arch_put_pair(uint32_t *at, uint32_t first, uint32_t second) returns the
 *                              place behind them; with a clock of 64 bits also
 *                              kymo_arch_put_both(uint32_t *at, uint64_t both)
 *   KYMO_ARCH_LANE_HELD        if the core or thread holds the address of its lane, which kymo_lane_of() gave:
 *                              struct kymo_lane *kymo_arch_lane_held(void). 1: it always does. 2: NULL until
 *                              kymo_arch_lane() was called
 *   KYMO_ARCH_UNWIND           how call stacks are walked: see kymo/unwind.h
 *   KYMO_ARCH_STACK_END        1: uintptr_t kymo_arch_stack_end(uintptr_t stack), the address behind the stack's last
 *                              byte for a walk that starts at "stack", 0 where that is not known
 *   KYMO_ARCH_CODE_IS_EVEN     1 if no instruction has an odd address, so that one in a walk, one more than that of an
 *                              instruction, is that of what an interrupt preempted
 *   KYMO_ARCH_INTERRUPTED_PC   1 if the core holds the address of the instruction that the running interrupt preempted:
 *                              uintptr_t kymo_arch_interrupted_pc(void), in the handler before others are let in
 *   KYMO_ARCH_COUNTERS         the core's counters of cycles and instructions: see kymo/counters.h
 *   KYMO_ARCH_COUNTS_ZEROS     1: __builtin_clz() is an instruction of this core, and no call of a library
 *   KYMO_ARCH_CODE_BITS        bits of a function's address that say how it is coded, as Arm's Thumb bit; 0
 *   KYMO_ARCH_NAME             a string: what "hostlink info" calls the core
 *   KYMO_ARCH_RELEASE()        stores before it are seen by other cores before stores
 *                              after it; where C11's release fence costs more than that
 */
#ifndef KYMO_ARCH_H
#define KYMO_ARCH_H

#include <stdint.h>

#include "kymo/config.h"
#include "kymo/language.h"
#include "kymo_arch.h"

#ifndef KYMO_ARCH_CLOCK_BITS
#error "the chosen kymo_arch.h has no clock: define KYMO_ARCH_CLOCK_BITS and kymo_arch_clock()"
#endif
#if KYMO_ARCH_CLOCK_BITS != 32 && KYMO_ARCH_CLOCK_BITS != 64
#error "KYMO_ARCH_CLOCK_BITS must be 32 or 64"
#endif
#if defined(KYMO_CLOCK_HZ) && KYMO_CLOCK_HZ < 0
#error "KYMO_CLOCK_HZ is a rate in Hz; 0 means what the arch port makes of it, see there"
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
#ifndef KYMO_ARCH_COUNTS_ZEROS
#define KYMO_ARCH_COUNTS_ZEROS 0
#endif
#ifndef KYMO_ARCH_CODE_BITS
#define KYMO_ARCH_CODE_BITS 0u
#endif
#ifndef KYMO_ARCH_NAME
#define KYMO_ARCH_NAME "unknown"
#endif
#ifndef KYMO_ARCH_RELEASE
#define KYMO_ARCH_RELEASE() __atomic_thread_fence(__ATOMIC_RELEASE)
#endif

KYMO_C_BEGIN
/* The lane of that number; of one that is too large, the lane of those that have none. */
struct kymo_lane *kymo_lane_of(uintptr_t number);
KYMO_C_END

KYMO_STATIC_ASSERT_(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
                    "kymo is written for little-endian cores");
KYMO_STATIC_ASSERT_(sizeof(kymo_clock_t) * 8u == KYMO_ARCH_CLOCK_BITS,
                    "kymo_clock_t has another width");

#endif
