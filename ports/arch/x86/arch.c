/* SPDX-License-Identifier: MIT */
#include "kymo_arch.h"

#if KYMO_ENABLE

struct kymo_x86_clock kymo_x86_clock = {
    (uint64_t)KYMO_CLOCK_HZ, KYMO_CLOCK_HZ != 0 ? KYMO_X86_RATE_GIVEN : KYMO_X86_RATE_UNKNOWN,
    false};

/* ---- facts from the core: SDM volume 2, CPUID ---- */

struct leaf {
    uint32_t eax, ebx, ecx, edx;
};

static struct leaf cpuid(uint32_t number) {
    struct leaf leaf = {number, 0u, 0u, 0u};
    __asm__ volatile("cpuid" : "+a"(leaf.eax), "=b"(leaf.ebx), "+c"(leaf.ecx), "=d"(leaf.edx));
    return leaf;
}

static bool has_counter(void) { return (cpuid(1u).edx & 0x10u) != 0u; }

static bool is_invariant(void) {
    return cpuid(0x80000000u).eax >= 0x80000007u && (cpuid(0x80000007u).edx & 0x100u) != 0u;
}

/* The quotient, which must have at most 32 bits: DIV takes 64 by 32, where C would need a library on
 * i386. */
static uint32_t divide(uint64_t dividend, uint32_t divisor) {
    uint32_t quotient = (uint32_t)dividend;
    uint32_t rest = (uint32_t)(dividend >> 32);
    __asm__("divl %2" : "+a"(quotient), "+d"(rest) : "r"(divisor) : "cc");
    return quotient;
}

/* Leaf 15h: the crystal's rate (ECX) times EBX / EAX. The remainder is kept apart so that no quotient
 * passes 32 bits: a core of 4.3 GHz and more exists. */
static uint64_t rate_of_crystal(struct leaf leaf) {
    if (leaf.eax == 0u || leaf.ebx == 0u || leaf.ecx == 0u) {
        return 0u;
    }
    const uint64_t whole = (uint64_t)leaf.ecx * (leaf.ebx / leaf.eax);
    return whole + divide((uint64_t)leaf.ecx * (leaf.ebx % leaf.eax), leaf.eax);
}

/* Leaf 16h is the base frequency in MHz, at which the counter of a core with leaf 15h but no ECX runs
 * (volume 3, "Determining the Processor Base Frequency"). */
static uint64_t rate_of_leaves(struct leaf crystal, struct leaf base) {
    const uint64_t hz = rate_of_crystal(crystal);
    if (hz == 0u && crystal.ebx != 0u) {
        return (uint64_t)(base.eax & 0xffffu) * 1000000u;
    }
    return hz;
}

/* A leaf above the highest one answers with another leaf's values. */
static uint64_t rate_by_cpuid(void) {
    const struct leaf none = {0u, 0u, 0u, 0u};
    const uint32_t highest = cpuid(0u).eax;
    return highest < 0x15u ? 0u
                           : rate_of_leaves(cpuid(0x15u), highest < 0x16u ? none : cpuid(0x16u));
}

/* ---- the interval timer of the PC: Intel 8254 data sheet (231164), "Programming the 8254" ---- */

#if KYMO_CLOCK == 0

#define PIT_CHANNEL_2 0x42u
#define PIT_CONTROL 0x43u
#define PIT_MODE_0_CHANNEL_2 0xb0u /* both bytes, "interrupt on terminal count" */
/* Port B of the PC: bit 0 lets channel 2 count, bit 1 lets it sound, bit 5 is its output. */
#define PORT_B 0x61u
#define PORT_B_GATE 0x01u
#define PORT_B_SPEAKER 0x02u
#define PORT_B_OUTPUT 0x20u

/* It counts at 1193182 Hz: a hundredth of a second, and 6 millionths more. */
#define PIT_COUNT 11932u
#define PIT_PERIODS_A_SECOND 100u
/* More reads of the port than fit into this time, also in an emulator that counts instructions. */
#define MOST_READS 4000000u
#define PERIODS_LEAST 5u
#define PERIODS_MOST 100u
#define LEAST_HZ 10000000u
#define MOST_HZ 20000000000u

static uint8_t in(uint16_t port) {
    uint8_t value;
    __asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port) : "memory");
    return value;
}

static void out(uint16_t port, uint8_t value) {
    __asm__ volatile("outb %0, %1" ::"a"(value), "Nd"(port) : "memory");
}

/* The counter while the timer ran down. Each end of that lies between two readings, far apart where a virtual
 * machine or a system management interrupt took the core away meanwhile. */
struct period {
    uint64_t ticks;
    uint64_t doubt_ticks;
};

static void start_timer(void) {
    out(PIT_CONTROL, PIT_MODE_0_CHANNEL_2); /* its output goes low now */
    out(PIT_CHANNEL_2, PIT_COUNT & 0xffu);
}

/* False if the timer does not run down: without one its output reads as something that does not move. */
static bool take_period(struct period *period) {
    start_timer();
    const uint64_t start_earliest = kymo_arch_clock64();
    out(PIT_CHANNEL_2, PIT_COUNT >> 8); /* it counts from here on */
    const uint64_t start_latest = kymo_arch_clock64();
    uint64_t end_earliest = start_latest; /* not before the last reading that found it running */
    for (uint32_t reads = 0u; reads < MOST_READS; reads++) {
        const uint64_t before = kymo_arch_clock64();
        if ((in(PORT_B)&PORT_B_OUTPUT) != 0u) {
            const uint64_t least = end_earliest - start_latest;
            const uint64_t most = kymo_arch_clock64() - start_earliest;
            period->ticks = least + ((most - least) >> 1);
            period->doubt_ticks = (most - least) >> 1;
            return true;
        }
        end_earliest = before;
    }
    return false;
}

/* To one part of "parts", at the worst. */
static bool is_known(const struct period *period, uint32_t parts) {
    return period->doubt_ticks < period->ticks && period->doubt_ticks * parts <= period->ticks;
}

/* The period with the least doubt: of some, or of many while all of them are doubtful. */
static struct period best_period(void) {
    struct period best = {0u, UINT64_MAX}, period;
    for (unsigned i = 0u; i < PERIODS_LEAST || (i < PERIODS_MOST && !is_known(&best, 1000u)); i++) {
        if (!take_period(&period)) {
            break;
        }
        if (period.doubt_ticks < best.doubt_ticks) {
            best = period;
        }
    }
    return best;
}

/* 0 if the rate would be less exact than hostlink's own measurement, 1 %. */
static uint64_t rate_by_timer(void) {
    const kymo_arch_state state = kymo_arch_mask();
    const uint8_t port_b = in(PORT_B);
    out(PORT_B, (uint8_t)((port_b & ~PORT_B_SPEAKER) | PORT_B_GATE));
    const struct period best = best_period();
    out(PORT_B, port_b);
    kymo_arch_unmask(state);
    const uint64_t hz = best.ticks * PIT_PERIODS_A_SECOND;
    return is_known(&best, 100u) && hz >= LEAST_HZ && hz <= MOST_HZ ? hz : 0u;
}

#else

static uint64_t rate_by_timer(void) { return 0u; }

#endif

static void set_rate(uint64_t hz, enum kymo_x86_rate rate) {
    if (kymo_x86_clock.hz == 0u && hz != 0u) {
        kymo_x86_clock.hz = hz;
        kymo_x86_clock.rate = rate;
    }
}

bool kymo_x86_clock_init(void) {
    if (!has_counter()) {
        return false;
    }
    kymo_x86_clock.invariant = is_invariant();
    if (kymo_x86_clock.hz == 0u) {
        set_rate(rate_by_cpuid(), KYMO_X86_RATE_CPUID);
    }
    if (kymo_x86_clock.hz == 0u) {
        set_rate(rate_by_timer(), KYMO_X86_RATE_PIT);
    }
    return true;
}

#endif
