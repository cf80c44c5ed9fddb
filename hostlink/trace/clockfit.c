#include "trace/clockfit.h"

#define NS_PER_S UINT64_C(1000000000)
#define NEAR_S 10u
#define NS_MAX (UINT64_C(0x7fffffffffffffff) / 2)

__extension__ typedef unsigned __int128 wide;

uint64_t clockfit_hz(const struct clockfit *fit) {
    if (fit->board_hz != 0) {
        return fit->board_hz;
    }
    uint64_t measured = clock_rate_hz(&fit->rate);
    return measured != 0 ? measured : CLOCKFIT_UNKNOWN_HZ;
}

static struct clockfit_line line_from(uint64_t ticks, int64_t ns, uint64_t hz) {
    uint64_t tick_ns = NS_PER_S % hz == 0 ? NS_PER_S / hz : 0;
    return (struct clockfit_line){
        .ticks = ticks,
        .ns = ns,
        .hz = hz,
        .tick_ns = tick_ns,
        .product_ticks = tick_ns != 0 ? NS_MAX / tick_ns : 0,
    };
}

void clockfit_start(struct clockfit *fit, uint64_t first_ticks, int64_t offset_ns) {
    uint64_t hz = clockfit_hz(fit);
    wide near = (wide)hz * NEAR_S;
    uint64_t slack = fit->ordered ? 0 : hz;
    uint64_t base_ticks = first_ticks < near || first_ticks < slack ? 0 : first_ticks - slack;
    fit->offset_ns = offset_ns;
    fit->line = fit->before = line_from(base_ticks, offset_ns, hz);
    fit->latest_ticks = base_ticks;
    fit->based = true;
}

/* Times stay within NS_MAX, so that differences of two of them stay in range as well. */
static int64_t later(int64_t from_ns, uint64_t by_ns) {
    uint64_t left = from_ns < (int64_t)NS_MAX ? NS_MAX - (uint64_t)from_ns : 0;
    return by_ns < left ? from_ns + (int64_t)by_ns : (int64_t)NS_MAX;
}

/* The general way is in two steps, as the product of ticks and 10^9 does not fit 64 bits. */
static int64_t on_line(const struct clockfit_line *line, uint64_t ticks) {
    uint64_t since = ticks - line->ticks;
    if (ticks <= line->ticks) {
        return line->ns;
    }
    if (since < line->product_ticks) {
        return later(line->ns, since * line->tick_ns);
    }
    uint64_t whole = since / line->hz, rest = since % line->hz;
    if (whole >= NS_MAX / NS_PER_S) {
        return (int64_t)NS_MAX;
    }
    return later(line->ns, whole * NS_PER_S + (uint64_t)((wide)rest * NS_PER_S / line->hz));
}

int64_t clockfit_ns(struct clockfit *fit, uint64_t ticks) {
    if (ticks > fit->latest_ticks) {
        fit->latest_ticks = ticks;
    }
    return on_line(ticks < fit->line.ticks ? &fit->before : &fit->line, ticks);
}

void clockfit_steer(struct clockfit *fit) {
    uint64_t hz = clockfit_hz(fit);
    if (!fit->based || hz == fit->line.hz) {
        return;
    }
    int64_t ns = on_line(&fit->line, fit->latest_ticks);
    fit->before = fit->line;
    fit->line = line_from(fit->latest_ticks, ns, hz);
}
