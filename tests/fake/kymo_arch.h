/* The arch port of the unit tests: the test moves the clock, chooses the lane, and strikes interrupts.
 *   FAKE_CLOCK_BITS   32 or 64 (default)
 *   KYMO_ARCH_ATOMIC  0 (default) or 1: which of the two rings is tested */
#ifndef FAKE_KYMO_ARCH_H
#define FAKE_KYMO_ARCH_H

#include <stdint.h>

#ifndef FAKE_CLOCK_BITS
#define FAKE_CLOCK_BITS 64
#endif
#ifndef KYMO_ARCH_ATOMIC
#define KYMO_ARCH_ATOMIC 0
#endif

#define KYMO_ARCH_CLOCK_BITS FAKE_CLOCK_BITS
#if FAKE_CLOCK_BITS == 64
typedef uint64_t kymo_clock_t;
#else
typedef uint32_t kymo_clock_t;
#endif

extern uint64_t fake_clock_ticks; /* what the next read sees */
extern uint64_t fake_clock_step;  /* added by every read */
extern uint64_t fake_clock_hz;
extern uintptr_t fake_lane;

/* Called where an interrupt that was pending would be taken: when the mask is lifted. Interrupts stay
 * masked inside. NULL: none. */
extern void (*fake_interrupt)(void);
extern unsigned fake_mask_depth;

static inline uint64_t kymo_arch_clock64(void) {
    uint64_t now = fake_clock_ticks;
    fake_clock_ticks += fake_clock_step;
    return now;
}
static inline kymo_clock_t kymo_arch_clock(void) { return (kymo_clock_t)kymo_arch_clock64(); }
static inline uint64_t kymo_arch_clock_hz(void) { return fake_clock_hz; }
static inline uintptr_t kymo_arch_lane(void) { return fake_lane; }

#if !KYMO_ARCH_ATOMIC
typedef unsigned kymo_arch_state;
unsigned fake_mask(void);
void fake_unmask(unsigned state);
static inline kymo_arch_state kymo_arch_mask(void) { return fake_mask(); }
static inline void kymo_arch_unmask(kymo_arch_state state) { fake_unmask(state); }
#endif

#endif
