/* SPDX-License-Identifier: MIT */
/* The clocks of a Cortex-M: which one counts, and how the narrow ones become wide. */
#include <stdbool.h>

#include "kymo/arch.h"
#include "kymo/kymo.h"

/* A counter is given up if it has not moved in so many looks. One of cycles moves with each; a timer may run at
 * 32 kHz, and in a busy emulator the first step of SysTick was seen to take tens of milliseconds. */
#define CYCLE_LOOKS 64u
#define TIMER_LOOKS 0x100000u
#define PAUSE_TURNS 8u

enum kymo_cortexm_clock kymo_cortexm_clock;

static bool counts(uint32_t (*counter)(void), uint32_t looks) {
    const uint32_t before = counter();
    while (looks-- > 0u) {
        if (counter() != before) {
            return true;
        }
        for (uint32_t turn = 0u; turn < PAUSE_TURNS; turn++) {
            __asm__ volatile("");
        }
    }
    return false;
}

/* ---- the cycle counter ---- */

#if KYMO_CORTEXM_DWT

/* Debug units (C1.6.5, C1.8.7), and the lock that some chips, with Cortex-M7 for one, have on the DWT
 * (Lock Access Register of the "CoreSight Architecture Specification", IHI 0029; ignored elsewhere). */
#define DEMCR 0xe000edfcu
#define DEMCR_TRCENA 0x1000000u
#define DWT_CTRL 0xe0001000u
#define CTRL_CYCCNTENA 0x1u
#define CTRL_NOCYCCNT 0x2000000u
#define DWT_LAR 0xe0001fb0u
#define LAR_KEY 0xc5acce55u

static uint32_t look_at_cyccnt(void) { return kymo_cortexm_get(KYMO_CORTEXM_DWT_CYCCNT); }

/* NOCYCCNT alone does not tell: an emulator may have no DWT at all, and zeros in its place. */
bool kymo_cortexm_cycles_start(void) {
    kymo_cortexm_put(DEMCR, kymo_cortexm_get(DEMCR) | DEMCR_TRCENA);
    kymo_cortexm_put(DWT_LAR, LAR_KEY);
    const uint32_t control = kymo_cortexm_get(DWT_CTRL);
    if ((control & CTRL_NOCYCCNT) != 0u) {
        return false;
    }
    kymo_cortexm_put(DWT_CTRL, control | CTRL_CYCCNTENA);
    return counts(look_at_cyccnt, CYCLE_LOOKS);
}

#else

bool kymo_cortexm_cycles_start(void) { return false; }

#endif

/* ---- the clock ---- */

/* The wraps of a 32-bit counter that were seen: "low" is its last reading. */
static struct { uint32_t high, low; } wide;

static uint64_t widen(void) {
    const kymo_arch_state state = kymo_arch_mask();
    const uint32_t low = kymo_arch_clock();
    wide.high += low < wide.low ? 1u : 0u;
    wide.low = low;
    const uint64_t now = ((uint64_t)wide.high << 32) | low;
    kymo_arch_unmask(state);
    return now;
}

#if KYMO_CORTEXM_IS_TIMER

static enum kymo_cortexm_clock choose(void) {
    return counts(kymo_arch_clock, TIMER_LOOKS) ? KYMO_CORTEXM_CHIP_TIMER : KYMO_CORTEXM_NONE;
}

uint64_t kymo_cortexm_clock64(void) { return widen(); }

uint64_t kymo_cortexm_clock_hz(void) { return (uint64_t)KYMO_CLOCK_HZ; }

#elif KYMO_CLOCK == 3

static enum kymo_cortexm_clock choose(void) {
    return kymo_cortexm_cycles_start() ? KYMO_CORTEXM_CYCCNT : KYMO_CORTEXM_NONE;
}

uint64_t kymo_cortexm_clock64(void) { return widen(); }

uint64_t kymo_cortexm_clock_hz(void) { return (uint64_t)KYMO_CLOCK_HZ; }

#else

/* SysTick (B3.3.3 to B3.3.5). */
#define SYST_CSR 0xe000e010u
#define CSR_ENABLE 0x1u
#define CSR_CLKSOURCE 0x4u     /* the processor's clock; 0: the chip's reference */
#define CSR_COUNTFLAG 0x10000u /* it went from 1 to 0 since this register was last read */
#define SYST_RVR 0xe000e014u
#define SYST_CVR 0xe000e018u
#define SYST_BITS 0xffffffu

static struct {
    uint64_t base;   /* ticks up to the last wrap that was seen */
    uint32_t phase;  /* ticks since then, as of the last reading */
    uint32_t period; /* 0: not started */
    bool reference;  /* runs on the chip's reference clock */
} systick;

static uint32_t look_at_systick(void) { return kymo_cortexm_get(SYST_CVR); }

static bool start_systick(void) {
    if ((kymo_cortexm_get(SYST_CSR) & CSR_ENABLE) == 0u) {
        kymo_cortexm_put(SYST_RVR, SYST_BITS);
        kymo_cortexm_put(SYST_CVR, 0u);
        kymo_cortexm_put(SYST_CSR, CSR_CLKSOURCE | CSR_ENABLE);
    }
    /* A core without SysTick, or one without a period: no need to wait. */
    if ((kymo_cortexm_get(SYST_CSR) & CSR_ENABLE) == 0u ||
        (kymo_cortexm_get(SYST_RVR) & SYST_BITS) == 0u || !counts(look_at_systick, TIMER_LOOKS)) {
        return false;
    }
    systick.base = 0u;
    systick.period = (kymo_cortexm_get(SYST_RVR) & SYST_BITS) + 1u;
    /* This also forgets a wrap before the start, which does not count. */
    systick.reference = (kymo_cortexm_get(SYST_CSR) & CSR_CLKSOURCE) == 0u;
    const uint32_t value = kymo_cortexm_get(SYST_CVR);
    systick.phase = value == 0u ? 0u : systick.period - value;
    return true;
}

static void note_wrap(void) {
    if ((kymo_cortexm_get(SYST_CSR) & CSR_COUNTFLAG) != 0u) {
        systick.base += systick.period;
        systick.phase = 0u;
    }
}

/* Masked. SysTick counts down to 0 and goes on at RVR; the flag is raised when it reaches 0, which
 * therefore is phase 0. Reading the flag takes it away, so each wrap is noted once, by the context that
 * reads the clock first: no handler must have run, and its priority is of no matter. One reading in each
 * period is needed, or two wraps are one flag.
 *
 * Flag and value cannot be read at once. A wrap before the first look at the value is in the flag. One
 * between the two looks at the value makes the second the larger: then the flag is read again, so it is
 * in one of the two readings, and the value belongs to the new period in either case. Nothing loops.
 *
 * A 0 may be read with its flag still to come: then it is as good as the end of the old period; or with
 * its flag taken by an earlier reading in the same tick: then the phase is still 0. An emulator that is
 * late with a wrap shows the first of the two for longer. */
static uint64_t systick_now(void) {
    const uint32_t before = kymo_cortexm_get(SYST_CVR);
    note_wrap();
    const uint32_t value = kymo_cortexm_get(SYST_CVR);
    if (value > before) {
        note_wrap();
    }
    uint32_t phase = systick.period - value;
    if (value == 0u) {
        phase = systick.phase == 0u ? 0u : systick.period - 1u;
    }
    /* Not back, even if somebody has cleared or changed SysTick meanwhile. */
    if (phase > systick.phase) {
        systick.phase = phase;
    }
    return systick.base + systick.phase;
}

static uint64_t read_systick(void) {
    if (systick.period == 0u) {
        return 0u;
    }
    const kymo_arch_state state = kymo_arch_mask();
    const uint64_t now = systick_now();
    kymo_arch_unmask(state);
    return now;
}

uint32_t kymo_cortexm_systick(void) { return (uint32_t)read_systick(); }

uint64_t kymo_cortexm_clock64(void) {
    return kymo_cortexm_clock == KYMO_CORTEXM_CYCCNT ? widen() : read_systick();
}

uint64_t kymo_cortexm_clock_hz(void) { return systick.reference ? 0u : (uint64_t)KYMO_CLOCK_HZ; }

static enum kymo_cortexm_clock choose(void) {
    if (KYMO_CLOCK == 0 && kymo_cortexm_cycles_start()) {
        return KYMO_CORTEXM_CYCCNT;
    }
    return start_systick() ? KYMO_CORTEXM_SYSTICK : KYMO_CORTEXM_NONE;
}

#endif

enum kymo_cortexm_clock kymo_cortexm_start(void) {
    kymo_cortexm_clock = choose();
    if (kymo_cortexm_clock == KYMO_CORTEXM_NONE) {
        kymo_stop();
    }
    return kymo_cortexm_clock;
}
