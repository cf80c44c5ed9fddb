/* SPDX-License-Identifier: MIT */
/* Samples: when one is due, and the preempted code. */
#include "kymo/sample.h"

#include "../ring/callstack.h"
#include "../send/clock.h"
#include "divide.h"

#if KYMO_ENABLE && KYMO_SAMPLE_HZ_MAX

KYMO_PARAM(sample_hz, "kymo.sample_hz", 0, 0, KYMO_SAMPLE_HZ_MAX);

/* Frames that may lie between the walk and the preempted code: those of kymo, and of the handler. */
#define HANDLER_FRAMES 12u
/* Samples take at most one part in SPARED + 1 of the time. */
#define SPARED 3u
/* While sampling is off, a change of the rate is checked so many times a second. */
#define LOOKS_A_SECOND 100u
#define PERIOD_MAX 0x7fffffffu

/* The sampler of a lane. All zero is the start. */
struct sampler {
    kymo_clock_t due;        /* the next sample */
    kymo_clock_t not_until;  /* whatever is due, as that long would be too much of the time */
    uint32_t wanted_hz;      /* by which the others were made */
    uint32_t hz;             /* not above the clock's rate */
    uint32_t period;         /* mean ticks between two; 0: a sample at each call */
    uint32_t pause;          /* ticks to the next look at the rate; 0: take it again */
    uint32_t handler_frames; /* between the walk and the preempted code, the last time */
    uint32_t chance;         /* never 0 once it is seeded */
    uint32_t missed;         /* that no sample has told of yet */
#if KYMO_CLOCK_CHANGES
    uint32_t change; /* of the clock's rate, when the others were made */
#endif
};

static struct sampler samplers[KYMO_LANES_ALL];

/* UINT32_MAX where it is more. */
static uint32_t times_in(uint32_t divisor, uint64_t dividend) {
    uint64_t rest;
    const uint64_t times = kymo_divide(dividend, divisor, &rest);
    return times < UINT32_MAX ? (uint32_t)times : UINT32_MAX;
}

#if KYMO_CLOCK_CHANGES

static uint64_t clock_hz_now(struct sampler *sampler) {
    sampler->change = KYMO_LOAD(kymo_clock.number);
    return sampler->change != 0u ? kymo_clock.state.hz : kymo_arch_clock_hz();
}
static inline bool clock_changed(const struct sampler *sampler) {
    return sampler->change != KYMO_LOAD(kymo_clock.number);
}

#else

static uint64_t clock_hz_now(const struct sampler *sampler) {
    (void)sampler;
    return kymo_arch_clock_hz();
}
static inline bool clock_changed(const struct sampler *sampler) {
    (void)sampler;
    return false;
}

#endif

/* xorshift, by Marsaglia ("Xorshift RNGs", Journal of Statistical Software 8, 2003). */
static inline uint32_t next_chance(struct sampler *sampler) {
    uint32_t chance = sampler->chance;
    chance ^= chance << 13;
    chance ^= chance >> 17;
    chance ^= chance << 5;
    sampler->chance = chance;
    return chance;
}

/* From half the period to one and a half. In 32 bits: small cores have no longer product. */
static inline uint32_t next_interval(struct sampler *sampler) {
    const uint32_t period = sampler->period;
    const uint32_t chance = next_chance(sampler) >> 16;
    const uint32_t part = (period >> 16) * chance + (((period & 0xffffu) * chance + 0x8000u) >> 16);
    const uint32_t interval = period - period / 2u + part;
    return interval != 0u ? interval : 1u;
}

static __attribute__((noinline)) void take_rate(struct sampler *sampler, uint32_t hz,
                                                kymo_clock_t now) {
    const uint64_t clock_hz = clock_hz_now(sampler);
    if (sampler->chance == 0u) {
        sampler->chance = ((uint32_t)now ^ (uint32_t)(sampler - samplers) << 8) * 2654435761u | 1u;
    }
    sampler->wanted_hz = hz;
    sampler->hz = clock_hz != 0u && hz > clock_hz ? (uint32_t)clock_hz : hz;
    sampler->period = hz != 0u && clock_hz != 0u ? times_in(sampler->hz, clock_hz) : 0u;
    sampler->period = sampler->period < PERIOD_MAX ? sampler->period : PERIOD_MAX;
    sampler->pause = clock_hz != 0u ? times_in(LOOKS_A_SECOND, clock_hz) + 1u : 0u;
    sampler->not_until = now;
    sampler->due = now + next_interval(sampler);
}

/* ---- the preempted code ---- */

#ifndef KYMO_ARCH_INTERRUPTED_PC
static inline uintptr_t kymo_arch_interrupted_pc(void) { return 0u; }
#endif

static uintptr_t preempted_pc(const struct kymo_interrupted *at) {
    if (at != NULL && at->pc != 0u) {
        return at->pc;
    }
    return kymo_arch_interrupted_pc();
}

#if KYMO_TAKES_STACKS

/* An address in a walk that is of a preempted instruction, one more than that of it. */
static inline bool is_preempted(uintptr_t address, uintptr_t pc) {
    return pc != 0u ? address == pc + 1u : KYMO_ARCH_CODE_IS_EVEN && (address & 1u) != 0u;
}

/* The frames from the innermost preempted one on, at *first, in a walk through the handler; 0: it did not come to one.
 * A handler mostly has as many frames as the last time. */
static uint32_t walk_through(struct sampler *sampler, uintptr_t *address, uint32_t wanted,
                             uintptr_t pc, uint32_t *first) {
    uint32_t found = kymo_arch_unwind(address, wanted, sampler->handler_frames, 0u);
    if (found != 0u && is_preempted(address[0], pc)) {
        return found;
    }
    found = kymo_arch_unwind(address, wanted + HANDLER_FRAMES, 0u, 0u);
    uint32_t at = 0u;
    while (at < found && !is_preempted(address[at], pc)) {
        at++;
    }
    *first = at;
    sampler->handler_frames = at < found ? at : 0u;
    return found - at < wanted ? found - at : wanted;
}

static uint32_t preempted_calls(struct sampler *sampler, const struct kymo_interrupted *at,
                                uintptr_t *address, uint32_t wanted, uint32_t *first) {
    const uintptr_t pc = preempted_pc(at);
    uint32_t frames = 0u;
    *first = 0u;
    if (KYMO_ARCH_UNWINDS_INTERRUPTED && at != NULL && at->frame != 0u && pc != 0u) {
        address[0] = pc + 1u;
        return 1u + kymo_unwind_interrupted(at, address + 1, wanted - 1u);
    }
    frames = walk_through(sampler, address, wanted, pc, first);
    if (frames == 0u && pc != 0u) {
        *first = 0u;
        address[0] = pc + 1u;
        frames = 1u;
    }
    return frames;
}

/* Cuts frames of which two more than wanted were walked: the two are for a mark, and the frame after it. */
static uint32_t without_more(const uintptr_t *address, uint32_t wanted, uint32_t found) {
    const bool has_mark = KYMO_MARK_FRAMES != 0u && found > 1u && address[1] == KYMO_STACK_HELD;
    const uint32_t most = has_mark ? wanted + KYMO_MARK_FRAMES : wanted;
    return found < most ? found : most;
}

static uint32_t sampled_calls(struct sampler *sampler, const struct kymo_interrupted *at,
                              uintptr_t *address, uint32_t wanted, uint32_t *first) {
    const uint32_t more = KYMO_STACK_MOST - KYMO_CALLSTACKS;
    const uint32_t found =
        preempted_calls(sampler, at, address, wanted > 1u ? wanted + more : wanted, first);
    return without_more(address + *first, wanted, found);
}

#define CALLS_MOST (KYMO_STACK_MOST + HANDLER_FRAMES)

#else

static uint32_t sampled_calls(struct sampler *sampler, const struct kymo_interrupted *at,
                              uintptr_t *address, uint32_t wanted, uint32_t *first) {
    (void)sampler, (void)wanted;
    *first = 0u;
    address[0] = preempted_pc(at) + 1u;
    return address[0] != 1u ? 1u : 0u;
}

#define CALLS_MOST 1u

#endif

/* ---- the sample ---- */

/* False: the ring refused it, or recording is stopped. */
static bool record_sample(struct sampler *sampler, const struct kymo_interrupted *at) {
    struct kymo_callstack stack;
    uintptr_t address[CALLS_MOST];
    uint32_t first;
    const uint32_t words[2] = {sampler->hz, sampler->missed};
    const struct kymo_long event = {.kind = KYMO_KIND_SAMPLE,
                                    .reference = 0u,
                                    .count = sampler->missed != 0u ? 2u : 1u,
                                    .words = words};
    const uint32_t limit = KYMO_TAKES_STACKS ? kymo_callstack_depth() : 1u;
    const uint32_t frames = sampled_calls(sampler, at, address, limit != 0u ? limit : 1u, &first);
    stack.count = kymo_callstack_put(stack.word, address + first, frames);
    return kymo_callstack_record(&stack, &event);
}

/* One that is late by more than half a period counts as missed, and so does each further one that was due. */
static void note_missed(struct sampler *sampler, kymo_clock_t late) {
    const uint32_t more = times_in(sampler->period, (uint64_t)late + sampler->period / 2u);
    sampler->missed = more < UINT32_MAX - sampler->missed ? sampler->missed + more : UINT32_MAX;
}

static inline uint32_t ticks_until(const struct sampler *sampler, kymo_clock_t now) {
    const kymo_clock_t at =
        kymo_clock_is_past(sampler->not_until, sampler->due) ? sampler->not_until : sampler->due;
    return kymo_clock_is_past(at, now) ? (uint32_t)(at - now) : 0u;
}

uint32_t kymo_sample(const struct kymo_interrupted *at) {
    struct sampler *sampler = &samplers[kymo_lane_index(kymo_lane_here())];
    const kymo_clock_t now = kymo_arch_clock();
    const uint32_t hz = (uint32_t)KYMO_PARAM_GET(sample_hz);
    KYMO_OWN_FRAME();
    if (hz != sampler->wanted_hz || sampler->pause == 0u || clock_changed(sampler)) {
        take_rate(sampler, hz, now);
    }
    if (hz == 0u) {
        return sampler->pause;
    }
    const uint32_t early = sampler->period != 0u ? ticks_until(sampler, now) : 0u;
    if (early != 0u) {
        return early;
    }
    if (sampler->period != 0u && now - sampler->due > sampler->period / 2u) {
        note_missed(sampler, now - sampler->due);
        sampler->due = now;
    }
    if (!KYMO_LOAD(kymo_stopped) && record_sample(sampler, at)) {
        sampler->missed = 0u;
    }
    if (sampler->period == 0u) {
        return 0u;
    }
    const kymo_clock_t end = kymo_arch_clock();
    sampler->due += next_interval(sampler);
    sampler->not_until = end + SPARED * (end - now);
    const uint32_t ticks = ticks_until(sampler, end);
    return ticks != 0u ? ticks : 1u;
}

void kymo_sample_restart(void) { samplers[kymo_lane_index(kymo_lane_here())].pause = 0u; }

void kymo_sample_rate(uint32_t hz) {
    const uint32_t most = KYMO_SAMPLE_HZ_MAX;
    KYMO_STORE(sample_hz_param.value, (int32_t)(hz < most ? hz : most));
}

#endif
