/* SPDX-License-Identifier: MIT */
#include "clock/clockfit.h"

#include <string.h>

#define NS_PER_S UINT64_C(1000000000)
#define NEAR_S 10u
#define NS_MAX (UINT64_C(0x7fffffffffffffff) / 2)

typedef clockfit_wide wide;

uint64_t clockfit_hz(const struct clockfit *fit) {
    if (fit->board_hz != 0) {
        return fit->board_hz;
    }
    uint64_t measured = clock_rate_hz(&fit->rate);
    return measured != 0 ? measured : CLOCKFIT_UNKNOWN_HZ;
}

/* ceil(10^9 * 2^shift / hz) is above the true factor by less than 1, and its other factor is below hz. So the product
 * is too great by less than hz / 2^shift of a nanosecond, and as exact times are multiples of 1 / hz of one the whole
 * nanoseconds are right if hz^2 is at most 2^shift. */
static void set_factor(struct clockfit_second *second, uint64_t hz) {
    second->shift = 63;
    while (second->shift > 0 && ((wide)NS_PER_S << second->shift) / hz >= UINT64_MAX) {
        second->shift--;
    }
    const bool exact = hz <= UINT32_MAX && hz * hz >> second->shift == 0;
    second->factor = exact ? (uint64_t)((((wide)NS_PER_S << second->shift) + hz - 1) / hz) : 0;
}

static void set_line(struct clockfit *fit, uint64_t ticks, int64_t ns, uint64_t hz) {
    fit->line = (struct clockfit_line){.ticks = ticks, .ns = ns, .hz = hz};
    fit->second = (struct clockfit_second){0};
    set_factor(&fit->second, hz);
}

void clockfit_start(struct clockfit *fit, uint64_t first_ticks, int64_t offset_ns) {
    uint64_t hz = clockfit_hz(fit);
    wide near = (wide)hz * NEAR_S;
    uint64_t slack = fit->ordered ? 0 : hz;
    uint64_t base_ticks = first_ticks < near || first_ticks < slack ? 0 : first_ticks - slack;
    fit->offset_ns = offset_ns;
    set_line(fit, base_ticks, offset_ns, hz);
    fit->earlier_count = 0;
    fit->claim.open = false;
    fit->latest_ticks = base_ticks;
    fit->based = true;
}

/* Times stay within NS_MAX, so that differences of two of them stay in range as well. */
static int64_t later(int64_t from_ns, uint64_t by_ns) {
    uint64_t left = from_ns < (int64_t)NS_MAX ? NS_MAX - (uint64_t)from_ns : 0;
    return by_ns < left ? from_ns + (int64_t)by_ns : (int64_t)NS_MAX;
}

/* In two steps, as the product of ticks and 10^9 does not fit 64 bits. */
static int64_t on_line(const struct clockfit_line *line, uint64_t ticks) {
    uint64_t since = ticks - line->ticks;
    if (ticks <= line->ticks) {
        return line->ns;
    }
    uint64_t whole = since / line->hz, rest = since % line->hz;
    if (whole >= NS_MAX / NS_PER_S) {
        return (int64_t)NS_MAX;
    }
    return later(line->ns, whole * NS_PER_S + (uint64_t)((wide)rest * NS_PER_S / line->hz));
}

/* The second that begins whole seconds after the line's start. All of its times are in range. */
static void enter_second(struct clockfit *fit, uint64_t ticks) {
    struct clockfit_second *second = &fit->second;
    second->ticks = ticks - (ticks - fit->line.ticks) % fit->line.hz;
    second->ns = on_line(&fit->line, second->ticks);
    const bool in_range =
        second->ns >= fit->offset_ns && second->ns <= (int64_t)(NS_MAX - NS_PER_S);
    second->length = second->factor != 0 && in_range ? fit->line.hz : 0;
}

/* A line that ends where it began has no times, and takes no place of one that has. */
static void add_line(struct clockfit *fit, uint64_t ticks, int64_t ns, uint64_t hz) {
    if (ticks != fit->line.ticks || fit->earlier_count == 0) {
        memmove(fit->earlier + 1, fit->earlier, (CLOCKFIT_EARLIER - 1) * sizeof fit->earlier[0]);
        fit->earlier[0] = fit->line;
        fit->earlier_count += fit->earlier_count < CLOCKFIT_EARLIER ? 1 : 0;
    }
    set_line(fit, ticks, ns, hz);
}

/* The line of a tick; of one before all lines the first. */
static const struct clockfit_line *line_of(const struct clockfit *fit, uint64_t ticks) {
    const struct clockfit_line *line = &fit->line;
    for (unsigned i = 0; i < fit->earlier_count && ticks < line->ticks; i++) {
        line = &fit->earlier[i];
    }
    return line;
}

static int64_t ns_at(const struct clockfit *fit, uint64_t ticks) {
    return on_line(line_of(fit, ticks), ticks);
}

int64_t clockfit_look(const struct clockfit *fit, uint64_t ticks) { return ns_at(fit, ticks); }

void clockfit_change(struct clockfit *fit, uint64_t ticks, uint64_t hz, uint64_t stood_ns) {
    if (fit->claim.open && fit->claim.hz == hz) {
        fit->claim.open = false;
    }
    fit->board_hz = hz;
    clock_rate_restart(&fit->rate);
    if (!fit->based) {
        return;
    }
    const struct clockfit_line changed = {
        .ticks = ticks, .ns = later(ns_at(fit, ticks), stood_ns), .hz = clockfit_hz(fit)};
    const uint64_t from = ticks > fit->latest_ticks ? ticks : fit->latest_ticks;
    const int64_t shown = ns_at(fit, fit->latest_ticks), should_be = on_line(&changed, from);
    fit->latest_ticks = from;
    add_line(fit, from, should_be > shown ? should_be : shown, changed.hz);
}

/* No second is entered until the claim is settled, so that each time passes through here. */
void clockfit_new_rate(struct clockfit *fit, uint64_t ticks, uint64_t hz) {
    fit->claim = (struct clockfit_claim){.open = fit->board_hz != hz, .ticks = ticks, .hz = hz};
    fit->second.length = 0;
}

/* No event was later than the claim until now. */
static void settle_claim(struct clockfit *fit) {
    fit->claim.open = false;
    fit->latest_ticks = fit->claim.ticks;
    clockfit_change(fit, fit->claim.ticks, fit->claim.hz, 0);
}

/* "ticks" is the first after the step. It is in no second that was entered before: those are shorter than a step.
 * Time does not go back. */
static void take_step(struct clockfit *fit, const struct clockfit_step *step, uint64_t ticks) {
    const struct clockfit_line since = {step->from, 0, fit->line.hz};
    const int64_t true_ns = ns_at(fit, ticks > step->by ? ticks - step->by : 0);
    const int64_t latest_ns = ns_at(fit, fit->latest_ticks);
    add_line(fit, step->from, (true_ns > latest_ns ? true_ns : latest_ns) - on_line(&since, ticks),
             fit->line.hz);
}

/* An event that is later than any can be, as far as the jumps before it are known. */
static void look_for_jump(struct clockfit *fit, uint64_t ticks) {
    struct clockfit_guard *guard = &fit->guard;
    if (ticks >= guard->from && ticks < guard->until && ticks > fit->latest_ticks) {
        const uint64_t latest = fit->latest_ticks, by = ticks - guard->now;
        const struct clockfit_step step = {guard->from > latest ? guard->from : latest, by};
        guard->jumps++;
        guard->by += by;
        guard->now += by;
        guard->from += by;
        guard->until += by;
        take_step(fit, &step, ticks);
    }
}

int64_t clockfit_elsewhere(struct clockfit *fit, uint64_t ticks) {
    if (fit->claim.open && ticks > fit->claim.ticks) {
        settle_claim(fit);
    }
    look_for_jump(fit, ticks);
    while (fit->step_count != 0 && ticks >= fit->steps->from) {
        fit->step_count--;
        take_step(fit, fit->steps++, ticks);
    }
    fit->latest_ticks = ticks > fit->latest_ticks ? ticks : fit->latest_ticks;
    if (ticks >= fit->line.ticks && !fit->claim.open) {
        enter_second(fit, ticks);
    }
    const int64_t ns = ns_at(fit, ticks); /* a step may lead to before all times */
    return ns > fit->offset_ns ? ns : fit->offset_ns;
}

void clockfit_steer(struct clockfit *fit) {
    uint64_t hz = clockfit_hz(fit);
    if (fit->based && hz != fit->line.hz) {
        add_line(fit, fit->latest_ticks, ns_at(fit, fit->latest_ticks), hz);
    }
}
